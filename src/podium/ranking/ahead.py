"""What a ranking will ask engines for, known before anything is counted."""

from collections.abc import Iterator

from podium.base.errors import MethodError
from podium.ranking.bootstrap import Bootstrap, runs_of
from podium.ranking.counted import CountedScores, is_linear
from podium.ranking.demand import at_once, kinds_of, passes_of
from podium.ranking.dependence import asked_of_other, is_quick
from podium.ranking.freedom import LEAST_FREEDOM, degrees_of_freedom, freedom_of_pairs
from podium.ranking.method_spec import MethodSpec, method_of, needs_of, summed_basis
from podium.ranking.rankable import check_rankable
from podium.ranking.uncertainty import second_test
from podium.score.table import Scores
from podium.score.units import drawn_as
from podium.tally.draw import Resampling, check_resampling
from podium.tally.engine.count import Demand
from podium.tally.tally import Tally
from podium.tally.tie import Ties


def settled(
    scores: Scores,
    method: str | MethodSpec,
    level: str | None = None,
    *,
    confidence: float | None,
    units: str | None,
    replicates: int,
    seed: int,
) -> tuple[MethodSpec, Bootstrap | None]:
    """Check what `podium.rank` is told, and return how it ranks and what intervals are wanted.

    Raises
    ------
    MethodError
        As of `podium.rank`.

    Examples
    --------
    >>> import podium
    >>> told = {"confidence": None, "units": None, "replicates": 1000, "seed": 0}
    >>> spec, bootstrap = settled(podium.datasets.toy_table1(), "borda", **told)
    >>> str(spec), bootstrap
    ('borda:task', None)
    """
    check_resampling(confidence=confidence, units=units, replicates=replicates, seed=seed)  # also without intervals
    bootstrap: Bootstrap | None = None
    if confidence is not None:
        bootstrap = Bootstrap.of(scores, confidence=confidence, units=units, replicates=replicates, seed=seed)
    spec = MethodSpec.of(method, level).on(scores)
    check_rankable(scores)
    return spec, None if spec.missing == "bounds" else bootstrap


def demands_of(scores: Scores, spec: MethodSpec, bootstrap: Bootstrap | None = None) -> Iterator[Demand]:
    """Yield all that `podium.rank` will have counted, a pass over the table each.

    It is the table; its replicates, and those of the basis of a second test; and the other way to count missing scores,
    where a note compares them. Drawn repeats are not among it, as no engine counts them.

    Parameters
    ----------
    scores
        The table, which can be ranked.
    spec
        How, its level settled.
    bootstrap
        What intervals are wanted, or None.

    Raises
    ------
    MethodError
        The method is fitted to the whole table.

    Examples
    --------
    >>> import podium
    >>> scores = podium.datasets.toy_table1()
    >>> [[kind.__name__ for kind in demand.kinds] for demand in demands_of(scores, MethodSpec().on(scores))]
    [['Ties', 'Means']]
    """
    if method_of(spec).averaged is not None:
        raise MethodError(
            f"method {spec.name!r} is fitted to the whole table, so jobs cannot count parts of it; use podium rank"
        )
    table = scores.by_name()
    kinds = kinds_of(scores, [spec], [Ties])
    yield from _of_table(table, kinds)
    if bootstrap is not None and bootstrap.units == "repeats" and any(drawn_as(table.tasks, "repeats")):
        yield from _beside(table, summed_basis(spec, "instances"), kinds)
    if bootstrap is not None and bootstrap.units != "repeats":
        yield from _of_intervals(table, spec, bootstrap, kinds)
    other = asked_of_other(scores, spec)
    if other is not None and is_quick(scores):
        yield from _beside(table, other, kinds)


def _of_intervals(
    table: Scores, spec: MethodSpec, bootstrap: Bootstrap, kinds: tuple[type[Tally], ...]
) -> Iterator[Demand]:
    """What `uncertainty.py` asks for."""
    units, draws = bootstrap.units, bootstrap.resampling
    freedom, basis = degrees_of_freedom(table, units, spec.level), summed_basis(spec, units)
    if freedom < LEAST_FREEDOM:
        return
    linear = basis.missing == "model"
    pairs = freedom_of_pairs(table, basis, freedom) if units == "instances" and not linear else None
    test = second_test(table, spec, units, pairs)
    if test == "replicates" or (test == "flips" and (units != "instances" or linear)):
        yield from _beside(table, basis, kinds)
    if test == "replicates":
        yield from _of_replicates(table, basis, draws)
    yield from _of_replicates(table, spec, draws)


def _of_table(table: Scores, kinds: tuple[type[Tally], ...]) -> Iterator[Demand]:
    for some in passes_of(kinds):
        yield Demand(table, some)


def _beside(table: Scores, spec: MethodSpec, kinds: tuple[type[Tally], ...]) -> Iterator[Demand]:
    """What is counted for another way to rank, beside what is there."""
    if not all(kind in kinds for kind in needs_of(spec)):
        yield from _of_table(table, kinds_of(table, [spec]))


def _of_replicates(table: Scores, spec: MethodSpec, draws: Resampling) -> Iterator[Demand]:
    if is_linear(spec, draws):
        if draws.of_instances:  # whoever counts a part fits the model first
            stand_in = CountedScores.of(table, [spec]).of_pseudo_values(spec).by_name
            yield from _of_replicates(stand_in, MethodSpec("mean"), draws)
        return
    for run in runs_of(draws, at_once(table, spec, draws)):
        if run.of_instances:
            yield Demand(table, needs_of(spec), run)
