"""Tests of the changes from one version of a table to the next, where they can be tested."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.ranking.contribution import n_units
from podium.ranking.counted import CountedScores
from podium.ranking.deviation import deviations
from podium.ranking.few import FEW_UNITS
from podium.ranking.freedom import degrees_of_freedom
from podium.ranking.method_spec import MethodSpec, sums_over_units
from podium.ranking.uncertainty import contributions_of
from podium.score.battle import of_battles
from podium.score.table import Scores
from podium.timeline.coverage import scored_in_both, whole_elsewhere
from podium.timeline.shared import Shared, SuiteChange, changed_scores, of_systems, same_suite, shared_part
from podium.timeline.significance import adjusted_p_values
from podium.timeline.version import Drawn, RankedVersion

Floats = NDArray[np.float64]

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
