"""What a ranking will ask engines for, known before anything is counted."""

from collections.abc import Iterator

from podium.ranking.bootstrap import Bootstrap, runs_of
from podium.ranking.demand import at_once, kinds_of, passes_of
from podium.ranking.dependence import asked_of_other, is_quick
from podium.ranking.freedom import LEAST_FREEDOM, degrees_of_freedom
from podium.ranking.method_spec import MethodSpec, needs_of, summed_basis
from podium.ranking.uncertainty import second_test
from podium.score.table import Scores
from podium.tally.draw import Resampling
from podium.tally.engine.count import Demand
from podium.tally.tally import Tally
from podium.tally.tie import Ties


def demands_of(scores: Scores, spec: MethodSpec, bootstrap: Bootstrap | None = None) -> Iterator[Demand]:
    """Yield all that `podium.rank` will have counted, a pass over the table each.

    It is the table; its replicates, and those of the basis of a second test; and the other way to count missing scores,
    where a note compares them. Drawn repeats are not among it, as no engine counts them.

    Parameters
    ----------
    scores
        The table, which can be ranked.
    spec
        How, its level settled; no method that is fitted to a whole table.
    bootstrap
        What intervals are wanted, or None.

    Examples
    --------
    >>> import podium
    >>> scores = podium.datasets.toy_table1()
    >>> [[kind.__name__ for kind in demand.kinds] for demand in demands_of(scores, MethodSpec().on(scores))]
    [['Ties', 'Means']]
    """
    table = scores.by_name()
    kinds = kinds_of(scores, [spec], [Ties])
    yield from _of_table(table, kinds)
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
    if degrees_of_freedom(table, units, spec.level) < LEAST_FREEDOM:
        return
    test, basis = second_test(table, spec, units), summed_basis(spec, units)
    if test == "replicates" or (test == "signs" and units != "instances"):
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
    for run in runs_of(draws, at_once(table, spec, draws)):
        if run.of_instances:
            yield Demand(table, needs_of(spec), run)
