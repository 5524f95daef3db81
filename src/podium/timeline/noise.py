"""Tests of the changes from one version of a table to the next, where they can be tested.

- Which changes between two versions of a table are more than noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.errors import MethodError
from podium.base.statistics import shaffer, sign_flip_p_values
from podium.ranking.contributions import contributions_of, degrees_of_freedom, n_units
from podium.ranking.counted import CountedScores
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec, sums_over_units
from podium.ranking.separation import p_values
from podium.ranking.variation import deviations
from podium.score.place import ROUNDING
from podium.score.table import Scores, of_battles
from podium.score.units import FEW_UNITS
from podium.timeline.shared import (
    Shared,
    SuiteChange,
    changed_scores,
    of_systems,
    same_suite,
    scored_in_both,
    shared_part,
    whole_elsewhere,
)
from podium.timeline.steps import Drawn, RankedVersion

#: Degrees of freedom of what is known exactly.
_EXACT = 1e9


def adjusted_p_values(
    change: Floats,
    samples: Floats,
    *,
    rounding: Floats,
    freedom: Floats,
    units: str,
    confidence: float,
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
    rounding
        Shape `(N,)`: smaller changes are none.
    freedom
        Shape `(N,)`: degrees of freedom of the standard errors.
    units, confidence
        What was drawn; and with what confidence changes are judged, all together.
    contributions
        Shape `(U, N)`: what each unit adds to the changes; None where that is not known.
    unknown
        Shape `(N, N)`: pairs of which nothing may be said; None where there are none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=200)
    >>> p = adjusted_p_values(
    ...     np.array([4.0, 0.0]), np.stack([4 + noise, 0 * noise]), rounding=np.zeros(2), freedom=np.full(2, 99.0),
    ...     units="instances", confidence=0.95)
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
    p = p_values(found, draws[first], freedom=known[first], units=units, smooth=True)
    p = np.where(np.isnan(p), 1.0, p)
    if unknown is not None:
        closed = np.zeros_like(result, dtype=np.bool_)
        closed[:-1, :-1] = unknown
        closed[-1, :-1] = closed[:-1, -1] = np.diagonal(unknown)
        p[closed[np.ix_(first, first)]] = 1.0
    left, right = np.triu_indices(first.size, 1)
    if contributions is not None:
        added = np.hstack([contributions, np.zeros((len(contributions), 1))])[:, first]
        _raise(p, added, left, right, 1 - confidence)
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


def _raise(p: Floats, added: Floats, left: Ints, right: Ints, alpha: float) -> None:
    """Raise p-values to those of the test of signs, where few units changed; larger ones than α decide nothing."""
    close = np.flatnonzero(p[left, right] <= alpha)
    for pair in close.tolist():
        i, j = left[pair], right[pair]
        differences = added[:, i] - added[:, j]
        size = np.abs(differences)
        moved = differences[size > 1e-12 * max(float(np.abs(added[:, [i, j]]).max()), 1e-300)]
        if moved.size <= FEW_UNITS:
            exact = float(sign_flip_p_values(moved[None])[0]) if moved.size else 1.0
            p[i, j] = p[j, i] = max(float(p[i, j]), exact)


#: Numbers up to which what every unit adds to the scores is held.
_HELD = 2**23

#: Units that a task has at least so that its scores are a sample.
_SAMPLE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """Tests of the changes of N systems.

    Attributes
    ----------
    change
        Shape `(N,)`: what was tested.
    std_error
        Shape `(N,)`: its standard deviation over replicates.
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
    p: Floats
    whole: bool
    turned: NDArray[np.bool_]


#: Why nothing is tested.
LITTLE_IN_COMMON = "the steps have too little in common"
_TURNED = "the direction of a task is another one"
_BATTLES = "scores of battles depend on who met whom"
_FEW_UNITS = "there are too few units for intervals"
_NO_SUMS = "the scores are no sums over units; see docs/history.md for what is"
_RANKED_OTHERWISE = "the step before is ranked by another level, or with other units"


def untestable(before: RankedVersion, after: RankedVersion) -> str:
    """Why no change between two versions can be tested; empty where nothing speaks against it."""
    one, other, spec = before.bootstrap, after.bootstrap, after.spec
    if one is None or other is None:
        return "intervals are left out"
    if SuiteChange.between(before.scores, after.scores).directions:
        return _TURNED
    if not sums_over_units(spec, other.units):
        return _no_sums(spec)
    if before.ranking.intervals is None and after.ranking.intervals is None:
        return _FEW_UNITS
    if of_battles(before.scores) or of_battles(after.scores):
        return _BATTLES
    alike = before.ranked_as(spec) and one.units == other.units
    return "" if alike else _RANKED_OTHERWISE


def _no_sums(spec: MethodSpec) -> str:
    own = spec.name in {"mean", "borda"}
    return (
        _NO_SUMS if own else f"scores of method {spec.name!r} are no sums over units; those of 'borda' and 'mean' are"
    )


def tested(before: RankedVersion, after: RankedVersion, systems: list[str], common: Shared | None) -> Tested | None:
    """Test the changes of the systems of two versions: as they are, or else on what both versions have.

    Only where scores are sums over units. Where the suite is the same, so are the draws of both versions. Where it is
    not, changes are tested as they are if instances are drawn, and there are many; else on what both versions have.
    So they are where a score is there in one of the versions only: other systems do not have that change of difficulty.
    None where nothing can be said.
    """
    if untestable(before, after):
        return None
    of_instances = after.units == "instances"
    same = same_suite(before.scores, after.scores)
    solid = not of_instances or (_solid(before.scores) and _solid(after.scores))
    known = before.ranking.intervals is not None and after.ranking.intervals is not None
    whole = known and solid and _even(before, after, systems, common, same=same)
    if not same:
        whole = whole and of_instances and _many(before, after, systems)
    if whole:
        pair = before.drawn(systems), after.drawn(systems)
        return _judged(pair, after, systems, Shared(before.scores, after.scores) if same else None, whole=True)
    shared = shared_part(before.scores, after.scores, least=_SAMPLE if of_instances else 1)
    if shared is None:
        return None
    return _on_shared(before, after, systems, scored_in_both(shared, systems) or shared)


def _even(
    before: RankedVersion, after: RankedVersion, systems: list[str], common: Shared | None, *, same: bool
) -> bool:
    """Whether each system has scores on the same in both versions; and on all that only one of them has."""
    if common is not None and (common.regrouped or scored_in_both(common, systems) is not None):
        return False
    parts = (None, None) if common is None else (common.before, common.after)
    tables = before.scores, after.scores
    return same or all(whole_elsewhere(table, part, systems) for table, part in zip(tables, parts, strict=True))


def _on_shared(before: RankedVersion, after: RankedVersion, systems: list[str], shared: Shared) -> Tested | None:
    """Test what both versions have, for the systems that have scores there."""
    rows = [index for index, there in enumerate(_scored(shared.after, systems)) if there]
    there = [systems[index] for index in rows]
    if not there:
        return None
    try:
        pair = before.drawn_of(shared.before, there), after.drawn_of(shared.after, there)
    except MethodError:  # what both have cannot be ranked
        return None
    found = _judged(pair, after, there, shared, whole=False)
    if found is None or len(there) == len(systems):
        return found
    n = len(systems)
    result = Tested(np.full(n, np.nan), np.full(n, np.nan), np.ones((n + 1, n + 1)), False, np.zeros((n, n), bool))
    result.change[rows], result.std_error[rows] = found.change, found.std_error
    result.p[np.ix_([*rows, n], [*rows, n])] = found.p
    result.turned[np.ix_(rows, rows)] = found.turned
    return result


def _scored(scores: Scores, systems: list[str]) -> NDArray[np.bool_]:
    known = dict(zip(scores.systems, np.any([task.scored > 0 for task in scores.tasks], axis=0), strict=True))
    return np.array([known[system] for system in systems], dtype=np.bool_)


def _judged(
    pair: tuple[Drawn | None, Drawn | None],
    version: RankedVersion,
    systems: Sequence[str],
    shared: Shared | None,
    *,
    whole: bool,
) -> Tested | None:
    one, other = pair
    if one is None or other is None or version.bootstrap is None:
        return None
    if one.samples.shape != other.samples.shape:  # replicates were lost in one of them
        return None
    units = version.bootstrap.units
    change, samples = other.goodness - one.goodness, other.samples - one.samples
    added, unknown = (None, None) if shared is None else _of_units((one, other), version, systems, shared)
    p = adjusted_p_values(
        change,
        samples,
        rounding=np.maximum(one.rounding, other.rounding),
        freedom=np.minimum(one.freedom, other.freedom),
        units=units,
        confidence=version.bootstrap.confidence,
        contributions=added,
        unknown=unknown,
    )
    reach = np.maximum(one.rounding, other.rounding)
    least = np.maximum(reach[:, None], reach)
    turned = (one.goodness - one.goodness[:, None] > least) & (other.goodness[:, None] - other.goodness > least)
    return Tested(change, deviations(samples), p, whole, turned)


def _of_units(
    pair: tuple[Drawn, Drawn], version: RankedVersion, systems: Sequence[str], shared: Shared
) -> tuple[Floats | None, NDArray[np.bool_] | None]:
    """What each unit adds to the changes; where these are too many, pairs of which few scores changed."""
    units, spec = str(version.units), version.spec
    number = n_units(pair[1].counted.by_name, units)
    size = max(len(drawn.counted.given.systems) for drawn in pair)
    if units != "instances" or number * size <= _HELD:
        values = [_contributed(drawn.counted, spec, units, systems) for drawn in pair]
        return (values[1] - values[0], None) if values[0].shape == values[1].shape else (None, _all(len(systems)))
    enough = changed_scores(shared, list(systems)) > FEW_UNITS
    return None, ~(enough[:, None] | enough)


def _all(n_systems: int) -> NDArray[np.bool_]:
    return np.ones((n_systems, n_systems), dtype=np.bool_)


def _contributed(counted: CountedScores, spec: MethodSpec, units: str, systems: Sequence[str]) -> Floats:
    row = {system: index for index, system in enumerate(counted.by_name.systems)}
    return contributions_of(counted, spec, units).values[:, [row[system] for system in systems]]


def _solid(scores: Scores) -> bool:
    """Whether the scores of every task are a sample, that is of several instances, or clusters."""
    sizes = [task.n_instances if task.clusters is None else len(task.clusters) for task in scores.tasks if task.weight]
    return min(sizes, default=0) >= _SAMPLE


def _many(before: RankedVersion, after: RankedVersion, systems: Sequence[str]) -> bool:
    """Whether units are so many that no exact test is needed, also of what other tasks change."""
    tables = [of_systems(version.scores, list(systems)) for version in (before, after)]
    if any(n_units(scores, "instances") <= FEW_UNITS for scores in tables):
        return False
    level = after.spec.level
    shares = []
    for scores in tables:
        mass = {task.name: task.weight * (task.n_instances if level == "one" else 1) for task in scores.tasks}
        shares.append({name: weight / sum(mass.values()) for name, weight in mass.items()})
    known = {task.name: task for scores in tables for task in scores.tasks}
    change = {name: abs(shares[1].get(name, 0.0) - shares[0].get(name, 0.0)) for name in known}
    moved = tuple(
        replace(task, weight=change[name] / (task.n_instances if level == "one" else 1))
        for name, task in known.items()
        if change[name] > 1e-12
    )
    if not moved:
        return True  # other instances, of tasks that weigh the same
    return degrees_of_freedom(replace(tables[1], tasks=moved), "instances", level) >= FEW_UNITS
