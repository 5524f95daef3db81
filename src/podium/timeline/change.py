"""From one version of a table to the next: how scores changed, why, and which changes are more than noise."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.errors import MethodError
from podium.base.statistics import shaffer, sign_flip_p_values
from podium.ranking.api import check_rankable
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.contributions import HELD, contributions_of, n_units
from podium.ranking.counted import CountedScores
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec, method_of, sums_over_units
from podium.ranking.separation import p_values
from podium.ranking.variation import deviations
from podium.score.place import ROUNDING
from podium.score.table import Scores, of_battles
from podium.score.units import FEW_UNITS
from podium.timeline.result import HistoryStep, Move, Overtaking, names_of_sure, places_of
from podium.timeline.shared import (
    Shared,
    compared_scores,
    newly_scored,
    of_systems,
    rows_of,
    same_suite,
    scored_in_both,
    shared_part,
    suite_changes,
)
from podium.timeline.steps import Drawn, RankedVersion

#: What changes a score: scores on what both versions have are other ones; tasks, instances or weights are; the other
#: systems are, which matters where scores are about these; or scores are there in one version only, on what both have.
CAUSES = ("scores", "suite", "field", "coverage")

#: Degrees of freedom of what is known exactly.
_EXACT = 1e9


#: Units that a task has at least so that its scores are a sample.
_SAMPLE = 2


def step_after(
    label: str, before: RankedVersion, after: RankedVersion, seen: set[str], threads: int | None
) -> HistoryStep:
    """Return the step of a version that follows another; `seen` are the systems of all earlier ones."""
    systems, earlier = set(after.scores.systems), set(before.scores.systems)
    tasks, before_tasks = after.scores.task_names, before.scores.task_names
    both = sorted(systems & earlier)
    ranked = sorted(places_of(before.ranking).keys() & places_of(after.ranking))
    shared = shared_part(before.scores, after.scores)
    alike = before.ranked_as(after.spec) and before.ranking.higher_is_better == after.ranking.higher_is_better
    causes = _causes(before, after, shared, ranked, threads) if alike and ranked else None
    found = tested(before, after, ranked) if alike and ranked else None
    overtakings = _overtakings(before, after, ranked, causes, found)
    sure, counts = names_of_sure(overtakings), compared_scores(shared, ranked)
    nothing, whole = np.full(len(ranked), np.nan), found if found is not None and found.whole else None
    # where the other systems are others, a test on what both versions have is not about the scores alone
    p = nothing if found is None or causes is None or _other_field(before, after) else found.p[:-1, -1]
    alpha = 0.0 if after.bootstrap is None else 1 - after.bootstrap.confidence
    columns = zip(
        (before.ranks(ranked) - after.ranks(ranked)).tolist(),
        (after.goodness(ranked) - before.goodness(ranked)).tolist(),
        *([nothing.tolist()] * 2 if whole is None else (whole.std_error.tolist(), whole.df.tolist())),
        p.tolist(),
        *([nothing.tolist()] * len(CAUSES) if causes is None else causes.tolist()),
        *(numbers.tolist() for numbers in counts),
        [None if found is None else system in sure for system in ranked],
        [None if np.isnan(one) else bool(one <= alpha and other) for one, other in zip(p, counts[0], strict=True)],
        strict=True,
    )
    return HistoryStep(
        label=label,
        ranking=after.ranking,
        entered=tuple(sorted(systems - earlier)),
        left=tuple(sorted(earlier - systems)),
        returned=tuple(sorted((systems - earlier) & seen)),
        tasks_added=tuple(task for task in tasks if task not in before_tasks),
        tasks_retired=tuple(task for task in before_tasks if task not in tasks),
        **suite_changes(before.scores, after.scores),
        first_scored=tuple(newly_scored(before.scores, after.scores, both).items()),
        last_scored=tuple(newly_scored(after.scores, before.scores, both).items()),
        moves=tuple((system, Move(*numbers)) for system, numbers in zip(ranked, columns, strict=True)),
        overtakings=overtakings,
        tested="" if found is None else "all" if found.whole else "shared",
        untested="" if found else untestable(before, after) or "the steps have too little in common",
    )


def _overtakings(
    before: RankedVersion, after: RankedVersion, systems: list[str], causes: Floats | None, found: "Tested | None"
) -> tuple[Overtaking, ...]:
    """Return the pairs whose order turned round, the surest first."""
    ranks, earlier = after.ranks(systems), before.ranks(systems)
    pairs = []
    for winner, loser in np.argwhere((ranks[:, None] < ranks) & (earlier[:, None] > earlier)).tolist():
        cause = "" if causes is None else CAUSES[int(np.argmax(causes[:, winner] - causes[:, loser]))]
        p, surely = np.nan, False
        if found is not None and after.bootstrap is not None:
            p = float(found.p[winner, loser])
            surely = bool(found.change[winner] > found.change[loser] and p <= 1 - after.bootstrap.confidence)
            if not found.whole:  # the order must have turned round by what was tested, and not by what only one has
                surely = surely and bool(found.turned[winner, loser]) and cause not in {"suite", "coverage"}
        pairs.append((not surely, ranks[winner], ranks[loser], winner, loser, p, cause))
    return tuple(
        Overtaking(systems[winner], systems[loser], p, not noise, cause)
        for noise, _, _, winner, loser, p, cause in sorted(pairs)
    )


def _causes(
    before: RankedVersion, after: RankedVersion, shared: Shared | None, systems: list[str], threads: int | None
) -> Floats | None:
    """Shape `(4, N)`: the parts of the changes by `CAUSES`, which add up; None where the parts cannot be ranked.

    Take the field away, then the suite, then what only one scores; change the scores; and put all back. If the versions
    have nothing in common, the suite is another one, and no score can be.
    """
    spec = after.spec
    if method_of(spec).slow or method_of(spec).fitted:
        return None
    of_field = _other_field(before, after)
    of_suite = not same_suite(before.scores, after.scores)

    def staged(version: RankedVersion, cut: Scores | None) -> tuple[Floats, Floats]:
        """Return scores without the field, and without what only this version has of the suite."""
        alone = version.goodness(systems)
        if of_field:
            alone = _goodness(of_systems(version.scores, systems), spec, systems, threads)
        if cut is None or not of_suite:
            return alone, alone
        return alone, _goodness(of_systems(cut, systems) if of_field else cut, spec, systems, threads)

    try:
        alone_before, cut_before = staged(before, None if shared is None else shared.before)
        alone_after, cut_after = staged(after, None if shared is None else shared.after)
    except MethodError:  # what is left cannot be ranked
        return None
    nothing = np.zeros(len(systems))
    change = nothing if shared is None else cut_after - cut_before
    scores, scored = change, None if shared is None else scored_in_both(shared, systems)
    if scored is not None:  # changes on what both score; none where a system has nothing there, or it cannot be ranked
        tables = [of_systems(table, systems) if of_field else table for table in (scored.before, scored.after)]
        try:
            earlier, later = (_goodness(table, spec, systems, threads) for table in tables)
            scores = np.nan_to_num(later - earlier)
        except MethodError:
            scores = nothing
    return np.array([
        scores,
        (alone_after - alone_before) - change,
        (alone_before - before.goodness(systems)) + (after.goodness(systems) - alone_after),
        change - scores,
    ])  # fmt: skip


def _other_field(before: RankedVersion, after: RankedVersion) -> bool:
    """Return whether scores are about the other systems, and these are others."""
    return not method_of(after.spec).averages and set(before.scores.systems) != set(after.scores.systems)


def _goodness(scores: Scores, spec: MethodSpec, systems: list[str], threads: int | None) -> Floats:
    """Shape `(N,)`: scores of some systems of a table, higher is better."""
    if len(scores.systems) > 1:  # of one, scores are the answer
        check_rankable(scores)
    result = CountedScores.of(scores, [spec], threads=threads).result(spec)
    return result.oriented_score[rows_of(scores.systems, systems)]


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """Tests of the changes of N systems.

    Attributes
    ----------
    change
        Shape `(N,)`: what was tested.
    std_error, df
        Shape `(N,)`: its standard deviation over replicates, and the degrees of freedom of that.
    p
        Shape `(N + 1, N + 1)`, see `adjusted_p_values`.
    whole
        Whether it is the change itself; otherwise that on what both versions have.
    turned
        Shape `(N, N)`: entry (i, j) says whether i is behind j in the first version and ahead in the second, in what
        was tested.
    """

    change: Floats
    std_error: Floats
    df: Floats
    p: Floats
    whole: bool
    turned: NDArray[np.bool_]


def untestable(before: RankedVersion, after: RankedVersion) -> str:
    """Why no change between two versions can be tested; empty where nothing speaks against it."""
    one, other, spec = before.bootstrap, after.bootstrap, after.spec
    if one is None or other is None:
        return "intervals are left out"
    no_sums = "the scores are no sums over units; see docs/history.md for what is"
    if spec.name not in {"mean", "borda"}:
        no_sums = f"scores of method {spec.name!r} are no sums over units; those of 'borda' and 'mean' are"
    reasons = (
        (suite_changes(before.scores, after.scores)["directions_changed"], "the direction of a task is another one"),
        (not sums_over_units(spec, other.units), no_sums),
        (before.ranking.intervals is after.ranking.intervals is None, "there are too few units for intervals"),
        (of_battles(before.scores) or of_battles(after.scores), "scores of battles depend on who met whom"),
        (
            not before.ranked_as(spec) or one.units != other.units,
            "the step before is ranked by another level, or with other units",
        ),
    )
    return next((why for so, why in reasons if so), "")


def tested(before: RankedVersion, after: RankedVersion, systems: list[str]) -> Tested | None:
    """Test the changes of systems on what both versions have scores of them on; None where nothing can be said.

    Other systems do not have the change of difficulty of what only one version has. Where both have the same, the
    replicates are those of the rankings, else they are drawn anew.
    """
    if untestable(before, after) or after.bootstrap is None:
        return None
    shared = shared_part(before.scores, after.scores, least=_SAMPLE if after.bootstrap.units == "instances" else 1)
    if shared is None:
        return None
    cut = scored_in_both(shared, systems)
    whole = cut is None and len(shared.after.tasks) == len(after.scores.tasks)
    whole = whole and same_suite(before.scores, after.scores)
    whole = whole and before.ranking.intervals is not None and after.ranking.intervals is not None
    shared = cut or shared
    scored = np.any([task.scored > 0 for task in shared.after.tasks], axis=0)[rows_of(shared.after.systems, systems)]
    rows = np.flatnonzero(scored)
    there = [systems[row] for row in rows]
    if not there:
        return None
    try:
        one = before.drawn(there, None if whole else shared.before)
        other = after.drawn(there, None if whole else shared.after)
    except MethodError:  # what both have cannot be ranked
        return None
    # too few units; or replicates were lost in one of them
    if one is None or other is None or one.samples.shape != other.samples.shape:
        return None
    change, samples = other.goodness - one.goodness, other.samples - one.samples
    reach, freedom = np.maximum(one.rounding, other.rounding), np.minimum(one.freedom, other.freedom)
    added, unknown = _of_units((one, other), after.spec, after.bootstrap.units, there, shared)
    p = adjusted_p_values(
        change, samples, after.bootstrap, rounding=reach, freedom=freedom, contributions=added, unknown=unknown
    )
    least = np.maximum(reach[:, None], reach)
    turned = (one.goodness - one.goodness[:, None] > least) & (other.goodness[:, None] - other.goodness > least)
    size = len(systems)
    nothing, no_pairs = np.full((3, size), np.nan), np.zeros((size, size), np.bool_)
    found = Tested(nothing[0], nothing[1], nothing[2], np.ones((size + 1, size + 1)), whole, no_pairs)
    found.change[rows], found.std_error[rows], found.df[rows] = change, deviations(samples), freedom
    found.p[np.ix_([*rows, size], [*rows, size])] = p
    found.turned[np.ix_(rows, rows)] = turned
    return found


def _of_units(
    pair: tuple[Drawn, Drawn], spec: MethodSpec, units: str, systems: Sequence[str], shared: Shared
) -> tuple[Floats | None, NDArray[np.bool_] | None]:
    """Return what each unit adds to the changes; where these are too many, pairs with few changed scores."""
    number = n_units(pair[1].counted.by_name, units)
    size = max(len(drawn.counted.given.systems) for drawn in pair)
    if units != "instances" or number * size <= HELD:
        values = [
            contributions_of(drawn.counted, spec, units).values[:, rows_of(drawn.counted.by_name.systems, systems)]
            for drawn in pair
        ]
        if values[0].shape == values[1].shape:
            return values[1] - values[0], None
        return None, np.ones((len(systems), len(systems)), dtype=np.bool_)
    enough = compared_scores(shared, systems)[0] > FEW_UNITS
    return None, ~(enough[:, None] | enough)


def adjusted_p_values(
    change: Floats,
    samples: Floats,
    bootstrap: Bootstrap,
    *,
    rounding: Floats,
    freedom: Floats,
    contributions: Floats | None = None,
    unknown: NDArray[np.bool_] | None = None,
) -> Floats:
    """Shape `(N + 1, N + 1)`: p-values of all differences of two changes, and of each from none, adjusted together.

    The last row and column are of an item that did not change. So entry (i, j) is about the change of the lead of i
    over j, and entry (i, N) about the change of the score of i. Each is tested by Student's test of its standard
    deviation over replicates, which are the same draws in both versions. Where at most 50 units have changed, it must
    also pass the exact test of signs. All are adjusted by Shaffer's steps. Items that changed by exactly the same in
    every replicate, as all that did not change at all, are one: nothing can separate them.

    Parameters
    ----------
    change
        Shape `(N,)`: score after less score before, higher is better.
    samples
        Shape `(N, B)`: the same in every replicate.
    bootstrap
        What was drawn; and with what confidence changes are judged, all together.
    rounding
        Shape `(N,)`: smaller changes are none.
    freedom
        Shape `(N,)`: degrees of freedom of the standard errors.
    contributions
        Shape `(U, N)`: what each unit adds to the changes; None where that is not known.
    unknown
        Shape `(N, N)`: pairs that nothing may be said of; None where there are none.

    Examples
    --------
    >>> from podium.tally.draw import Resampling
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=200)
    >>> bootstrap = Bootstrap(0.95, Resampling("instances", 200, 0))
    >>> samples = np.stack([4 + noise, 0 * noise])
    >>> p = adjusted_p_values(
    ...     np.array([4.0, 0.0]), samples, bootstrap, rounding=np.zeros(2), freedom=np.full(2, 99.0))
    >>> p.round(4)[0].tolist()
    [1.0, 0.0001, 0.0001]
    """
    values, draws = np.append(change, 0.0), np.vstack([samples, np.zeros((1, samples.shape[1]))])
    reach = np.append(rounding, 0.0)
    item, known = _items(values, draws, reach, np.append(freedom, _EXACT))
    first = np.array([int(np.argmax(item == number)) for number in range(int(item.max()) + 1)], dtype=np.int64)
    result = np.ones((values.size, values.size))
    if first.size < 2:
        return result
    found = MethodResult(values[first], scale=reach[first] / ROUNDING)
    p = p_values(found, draws[first], df=known[first], units=bootstrap.units, smooth=True)
    p = np.where(np.isnan(p), 1.0, p)
    if unknown is not None:
        closed = np.zeros_like(result, dtype=np.bool_)
        closed[:-1, :-1] = unknown
        closed[-1, :-1] = closed[:-1, -1] = np.diagonal(unknown)
        p[closed[np.ix_(first, first)]] = 1.0
    left, right = np.triu_indices(first.size, 1)
    if contributions is not None:
        added = np.hstack([contributions, np.zeros((len(contributions), 1))])[:, first]
        # raised to those of the test of signs, where few units changed; larger ones than α decide nothing
        for pair in np.flatnonzero(p[left, right] <= 1 - bootstrap.confidence).tolist():
            i, j = left[pair], right[pair]
            differences = added[:, i] - added[:, j]
            least = 1e-12 * max(float(np.abs(added[:, [i, j]]).max()), 1e-300)
            moved = differences[np.abs(differences) > least]
            if moved.size <= FEW_UNITS:
                exact = float(sign_flip_p_values(moved[None])[0]) if moved.size else 1.0
                p[i, j] = p[j, i] = max(float(p[i, j]), exact)
    adjusted = np.ones_like(p)
    adjusted[left, right] = adjusted[right, left] = shaffer(p[left, right], first.size)
    return adjusted[np.ix_(item, item)]


def _items(values: Floats, draws: Floats, reach: Floats, freedom: Floats) -> tuple[Ints, Floats]:
    """Number the items, those that changed by the same in every replicate alike; and how well each is known.

    What did not change at all is known exactly.
    """
    still = np.abs(np.where(np.isnan(draws), np.inf, draws)).max(axis=1, initial=0.0) <= reach
    still &= np.abs(values) <= reach
    known = np.where(still, _EXACT, freedom)
    item = np.full(values.size, -1, dtype=np.int64)
    firsts: list[int] = []
    for index in range(values.size):
        for number, first in enumerate(firsts):
            near = max(float(reach[index]), float(reach[first]))
            if abs(values[index] - values[first]) > near or known[index] != known[first]:
                continue
            if (still[index] and still[first]) or np.abs(draws[index] - draws[first]).max() <= near:
                item[index] = number
                break
        else:
            item[index] = len(firsts)
            firsts.append(index)
    return item, known
