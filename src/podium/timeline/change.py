"""From one version of a table to the next: how scores changed, and why."""

from dataclasses import dataclass

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.errors import MethodError
from podium.ranking.api import check_rankable
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, method_of
from podium.score.table import Scores
from podium.timeline.noise import Tested, tested
from podium.timeline.shared import (
    Shared,
    changed_scores,
    lone_scores,
    of_systems,
    same_suite,
    scored_in_both,
    shared_part,
)
from podium.timeline.steps import RankedVersion


@dataclass(frozen=True, slots=True, eq=False)
class Causes:
    """The changes of N scores, cut up by cause: the parts of each add up to its change.

    Attributes
    ----------
    scores
        Shape `(N,)`: scores on what both versions have are other ones.
    suite
        Shape `(N,)`: tasks, instances or weights are other ones.
    field
        Shape `(N,)`: the other systems are other ones, which matters where scores are about these.
    coverage
        Shape `(N,)`: scores are there in one version only, on what both have.
    """

    scores: Floats
    suite: Floats
    field: Floats
    coverage: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """From one version to the next, for the N systems that both rank, by name.

    Attributes
    ----------
    systems
        The labels.
    change
        Shape `(N,)`: score after less score before, higher is better.
    causes
        What made it; None where the parts cannot be ranked.
    rescored, lone
        Shape `(N,)`: how many scores of each system changed, on what both versions have; and how many only one of them
        has.
    tested
        None where nothing can be said about noise.
    """

    systems: tuple[str, ...]
    change: Floats
    causes: Causes | None
    rescored: Ints
    lone: Ints
    tested: Tested | None


def change_between(before: RankedVersion, after: RankedVersion, *, threads: int | None = None) -> Change:
    """Compare two versions on the systems that both rank."""
    systems = sorted(before.ranked & after.ranked)
    if not systems:
        none = np.empty(0, dtype=np.int64)
        return Change((), np.empty(0), None, none, none, None)
    shared = shared_part(before.scores, after.scores)
    alike = before.ranked_as(after.spec) and before.ranking.higher_is_better == after.ranking.higher_is_better
    nothing = np.zeros(len(systems), dtype=np.int64)
    rescored, lone = (
        nothing if shared is None else counted(shared, systems) for counted in (changed_scores, lone_scores)
    )
    return Change(
        tuple(systems),
        after.goodness(systems) - before.goodness(systems),
        _causes(before, after, shared, systems, threads) if alike else None,
        rescored,
        lone,
        tested(before, after, systems, shared) if alike else None,
    )


def _causes(
    before: RankedVersion, after: RankedVersion, shared: Shared | None, systems: list[str], threads: int | None
) -> Causes | None:
    """Take the field away, then the suite, then what only one scores; change the scores; and put all back.

    Where the versions have nothing in common, the suite is another one, and no score can be.
    """
    spec = after.spec
    if method_of(spec).slow or method_of(spec).fitted:
        return None
    of_field = not method_of(spec).averages and set(before.scores.systems) != set(after.scores.systems)
    of_suite = not same_suite(before.scores, after.scores)

    def staged(version: RankedVersion, cut: Scores | None) -> tuple[Floats, Floats]:
        """Scores without the field, and without what only this version has of the suite."""
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
    scored = None if shared is None else scored_in_both(shared, systems)
    scores = change if scored is None else _of_both(scored, spec, systems if of_field else None, systems, threads)
    return Causes(
        scores=scores,
        suite=(alone_after - alone_before) - change,
        coverage=change - scores,
        field=(alone_before - before.goodness(systems)) + (after.goodness(systems) - alone_after),
    )


def _of_both(
    scored: Shared, spec: MethodSpec, field: list[str] | None, systems: list[str], threads: int | None
) -> Floats:
    """Shape `(N,)`: changes of scores on what both versions score; 0 where a system has nothing there."""
    tables = [of_systems(scores, field) if field else scores for scores in (scored.before, scored.after)]
    try:
        before, after = (_goodness(table, spec, systems, threads) for table in tables)
    except MethodError:  # what both score cannot be ranked
        return np.zeros(len(systems))
    change: Floats = np.nan_to_num(after - before)
    return change


def _goodness(scores: Scores, spec: MethodSpec, systems: list[str], threads: int | None) -> Floats:
    """Shape `(N,)`: scores of some systems of a table, higher is better."""
    check_rankable(scores)
    result = CountedScores.of(scores, [spec], threads=threads).result(spec)
    row = {system: index for index, system in enumerate(scores.systems)}
    return result.oriented_score[[row[system] for system in systems]]
