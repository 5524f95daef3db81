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
from podium.score.table import Scores
from podium.timeline.shared import Shared, changed_scores, of_systems, same_suite, shared_part
from podium.timeline.significance import adjusted_p_values
from podium.timeline.version import Drawn, Version

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
    """

    change: Floats
    std_error: Floats
    p: Floats
    whole: bool


def tested(before: Version, after: Version, systems: Sequence[str]) -> Tested | None:
    """Test the changes of the systems of two versions: as they are, or else on what both versions have.

    Only where scores are sums over units. Where the suite is the same, so are the draws of both versions. Where it is
    not, changes are tested as they are if instances are drawn, and there are many; else on what both versions have.
    None where nothing can be said.
    """
    one, other = before.bootstrap, after.bootstrap
    if one is None or other is None or one.units != other.units or not sums_over_units(after.spec, other.units):
        return None
    of_instances = other.units == "instances"
    same = same_suite(before.scores, after.scores)
    solid = not of_instances or (_solid(before.scores) and _solid(after.scores))
    if (same and solid) or (not same and of_instances and solid and _many(before, after, systems)):
        pair = before.drawn(systems), after.drawn(systems)
        return _judged(pair, after, systems, Shared(before.scores, after.scores) if same else None, whole=True)
    shared = shared_part(before.scores, after.scores, least=_SAMPLE if of_instances else 1)
    if shared is None:
        return None
    try:
        pair = before.drawn_of(shared.before, systems), after.drawn_of(shared.after, systems)
    except MethodError:  # what both have cannot be ranked
        return None
    return _judged(pair, after, systems, shared, whole=False)


def _judged(
    pair: tuple[Drawn | None, Drawn | None],
    version: Version,
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
    return Tested(change, deviations(samples), p, whole)


def _of_units(
    pair: tuple[Drawn, Drawn], version: Version, systems: Sequence[str], shared: Shared
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


def _many(before: Version, after: Version, systems: Sequence[str]) -> bool:
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
