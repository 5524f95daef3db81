"""What stresses do to rankings: every stress, strength and method, over and over."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain, compress, groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_whole, number
from podium.base.errors import MethodError
from podium.base.label import texts
from podium.base.parallel import Progress, alone, cores, in_order
from podium.base.words import few, rounded_percent
from podium.ranking.api import rank
from podium.ranking.counted import check_rankable, named_way
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.result import Study, Swept
from podium.robustness.study.save import Saved
from podium.robustness.study.trial import Ground, Outcome, Table, Trials, drawn_world
from podium.score.table import Scores
from podium.simulate.world import World

#: Cells above which a table is counted by all cores, instead of one repeat on each.
_LARGE = 5_000_000

#: Seconds of work that are handed to a process at once.
_BATCH = 0.5

#: Systems up to which an exact consensus takes no time worth mentioning.
_CONSENSUS_UP_TO = 20


def study(
    table: Scores | World | Callable[[np.random.Generator], World],
    sweeps: Sequence[Sweep],
    methods: Sequence[str] | None = None,
    *,
    repeats: int = 100,
    seed: int = 0,
    jobs: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | None = None,
) -> Study:
    """Stress a table over and over, and see how far the rankings of each method move.

    In every repeat each stress is applied at each of its strengths, with the same chance at all of them, and each
    method ranks what comes out. Compared are the systems that are in the table with and without stress. A system that a
    method cannot place counts as last, side by side with others of its kind; a table that it cannot rank, as all tied.

    Repeat r of a stress depends on the seed, the name of the stress and r alone: neither other stresses, strengths and
    methods, nor the number of repeats and of processes, change it.

    Parameters
    ----------
    table
        Scores; or a world, whose truth gives errors; or a function from a generator to a world: a new one for every
        repeat, the same for all stresses, strengths and methods, and of the same systems every time.
    sweeps
        Stresses, each at some strengths; see `podium.stresses`.
    methods
        Ways to rank, with a level after a colon where one is meant: "mean", "borda:one". By default those of
        `usual_methods`: "borda" at both levels of instances, or of tasks where there are none, and "mean"; without
        instances "kemeny" too, if the systems are few.
    repeats
        How often, with new chance.
    seed
        Where chance comes from.
    jobs
        Processes; all cores by default. Of a large table, threads of this one.
    checkpoint
        File in which results are kept, written at the beginning, every half minute, and when the study ends or is
        interrupted. If it is there and of the same table, stresses, methods, seed and versions (of podium, NumPy, SciPy
        and highspy), the study goes on from it, which also adds repeats to a finished one. Stresses of one's own, and
        functions that draw worlds, are told by their code, and by the values, functions and classes it uses; those of
        libraries by name and version.
    progress
        Called with the number of repeats done, of all stresses together, and of all there are.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        `table` is none, worlds differ in their systems, or the checkpoint is of another study or damaged.
    MethodError
        No stresses or methods, an unknown method or level, something twice, a number out of range, strengths that do
        not increase, a stress that does not go with its strength or with the table, or a method that cannot rank the
        table as it is.
    OutputError
        The checkpoint cannot be written.

    References
    ----------
    Colombo et al. 2022, §4.2–4.3; Himmi et al. 2023, §3.2.

    Examples
    --------
    >>> import podium
    >>> from podium.stresses import Rescale, Sweep
    >>> world = podium.simulate.gumbel(5, 4, 30, dispersion=0.2, rng=0)
    >>> sweep = Sweep("scale", Rescale, (0, 9), "one task enlarged by so many times itself")
    >>> podium.study(world, [sweep], ["mean", "borda:two"], repeats=20, jobs=1)
    Study(2 methods under 1 kind of stress, 20 repeats)
      scale at 9, mean tau: mean 0.72, borda:two 1.00
    """
    repeats, seed = checked_whole("repeats", repeats), checked_whole("seed", seed, None)
    jobs = None if jobs is None else checked_whole("jobs", jobs)
    plan = _planned(table, tuple(sweeps), methods, seed, jobs)
    cells = [(repeat, index) for repeat in range(repeats) for index in range(len(sweeps))]
    file = None if checkpoint is None else Saved(Path(checkpoint), plan.trials)
    outcomes = [] if file is None else file.begun(repeats)
    try:
        with closing(_played(plan, cells[len(outcomes) :], jobs)) as played:
            for outcome in played:
                outcomes.append(outcome)
                if file is not None:
                    file.keep(outcomes)
                if progress is not None:
                    progress(len(outcomes), len(cells))
    finally:  # also on an interrupt
        if file is not None:
            file.save(outcomes)
    return _study(plan.trials, outcomes, repeats)


class _Plan(NamedTuple):
    """What to do, and how long all methods take on the table as it is."""

    trials: Trials
    seconds: float
    large: bool


def _planned(
    table: Table, sweeps: tuple[Sweep, ...], methods: Sequence[str] | None, seed: int, jobs: int | None
) -> _Plan:
    """Check what is handed in, try every stress once, and rank the table as it is."""
    _check_sweeps(sweeps)
    drawn = alone(partial(drawn_world, table, seed), 0)
    scores = drawn.scores if isinstance(drawn, World) else drawn
    check_rankable(scores)
    ways = usual_methods(scores) if methods is None else tuple(texts("method", methods))
    _check_ways(ways)
    trials = Trials(table, sweeps, ways, seed, scores.systems, None)
    for sweep in sweeps:
        for strength in sweep.strengths:
            trials.stressed(scores, sweep, strength, 0)
    large = scores.n_cells > _LARGE
    started = time.perf_counter()
    ground = alone(partial(trials.ranked, repeat=0, threads=jobs if large else 1), drawn)
    seconds = time.perf_counter() - started
    if not callable(table):
        _check_ranked(scores, ways, ground)
        trials = replace(trials, ground=ground)
    return _Plan(trials, seconds, large)


def _check_sweeps(sweeps: Sequence[Sweep]) -> None:
    if not sweeps:
        raise MethodError("there are no stresses to study; give some, such as podium.stresses.usual(scores)")
    for sweep in sweeps:
        if not sweep.strengths:
            raise MethodError(f"stress {sweep.name!r} has no strengths; give some")
        _check_strengths(sweep)
    _check_once("stress", [sweep.name for sweep in sweeps])


def _check_strengths(sweep: Sweep) -> None:
    numbers = np.array(list(map(number, sweep.strengths)))
    for given, value in zip(sweep.strengths, numbers, strict=True):
        if not np.isfinite(value):
            raise MethodError(f"a strength of stress {sweep.name!r} is {given!r}; give finite numbers")
    if (np.diff(numbers) <= 0).any():
        raise MethodError(
            f"the strengths of stress {sweep.name!r} do not increase; give them from weak to strong, once"
        )


def _check_ways(ways: Sequence[str]) -> None:
    if not ways:
        raise MethodError("there are no methods to study; give some, such as 'mean' and 'borda'")
    for way in ways:
        named_way(way)
    _check_once("method", ways)


def _check_once(kind: str, names: Sequence[str]) -> None:
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise MethodError(f"{kind} {twice[0]!r} is there twice; leave one out, or give it another name")


def _check_ranked(scores: Scores, ways: Sequence[str], ground: Ground) -> None:
    """Refuse a method that cannot rank the table as it is, with its own words."""
    for way, levels in zip(ways, ground.levels, strict=True):
        if levels is None:
            name, level = named_way(way)
            rank(scores, name, level=level)


def usual_methods(scores: Scores) -> tuple[str, ...]:
    """Borda at the levels there are, and the mean; and an exact consensus where it takes no time worth mentioning.

    >>> import podium
    >>> usual_methods(podium.datasets.toy_table1())
    ('borda', 'mean', 'kemeny')
    """
    if not scores.task_level:
        return "borda:two", "borda:one", "mean"
    return ("borda", "mean", "kemeny") if len(scores.systems) <= _CONSENSUS_UP_TO else ("borda", "mean")


def _played(plan: _Plan, cells: Sequence[tuple[int, int]], jobs: int | None) -> Generator[Outcome]:
    """Yield the outcome of every cell, in order."""
    if plan.large:
        yield from _one_by_one(plan.trials, cells, jobs)
        return
    with closing(in_order(plan.trials.outcomes, _batches(plan, cells, jobs), jobs)) as played:
        for outcomes in played:
            yield from outcomes


def _one_by_one(trials: Trials, cells: Sequence[tuple[int, int]], threads: int | None) -> Generator[Outcome]:
    """Yield outcomes as soon as they are there; the cells of a repeat, in a row, share its world."""
    for repeat, row in groupby(cells, key=itemgetter(0)):
        ground = trials.ground or alone(partial(trials.at, threads=threads), repeat)
        shared = replace(trials, ground=ground)
        for cell in row:
            yield from alone(partial(shared.outcomes, threads=threads), [cell])


def _batches(plan: _Plan, cells: Sequence[tuple[int, int]], jobs: int | None) -> list[Sequence[tuple[int, int]]]:
    """Cut cells into what is handed to a process at once: whole repeats, where each has a world of its own."""
    rows = [[cell] for cell in cells]
    if plan.trials.ground is None:
        rows = [list(row) for _, row in groupby(cells, key=itemgetter(0))]
    longest = plan.seconds * max(len(sweep.strengths) for sweep in plan.trials.sweeps) * max(map(len, rows), default=1)
    most = -(-len(rows) // (4 * (jobs or cores())))
    size = max(1, min(int(_BATCH / longest), most))
    return [list(chain(*rows[first : first + size])) for first in range(0, len(rows), size)]


def _study(trials: Trials, outcomes: Sequence[Outcome], repeats: int) -> Study:
    swept = [_swept(trials, sweep, outcomes[index :: len(trials.sweeps)]) for index, sweep in enumerate(trials.sweeps)]
    ground = trials.ground
    return Study(
        systems=trials.systems,
        methods=trials.methods,
        leaders=() if ground is None else tuple(_leaders(trials.systems, levels) for levels in ground.levels),
        swept=tuple(swept),
        repeats=repeats,
        seed=trials.seed,
        notes=tuple(_notes(trials, swept)),
        backend="pyarrow" if ground is None else ground.scores.backend,
    )


def _leaders(systems: tuple[str, ...], levels: NDArray[np.int64] | None) -> tuple[str, ...]:
    return tuple(label for label, level in zip(systems, [] if levels is None else levels, strict=True) if level == 0)


def _swept(trials: Trials, sweep: Sweep, outcomes: Sequence[Outcome]) -> Swept:
    """Put the repeats of a stress together."""
    first = np.zeros((len(trials.methods), len(sweep.strengths), len(trials.systems)))
    for outcome in outcomes:
        for m, strengths in enumerate(outcome.first):
            for s, systems in enumerate(strengths):
                first[m, s, list(systems)] += 1 / len(systems)
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    return Swept(
        name=sweep.name,
        axis=sweep.axis,
        strengths=np.array(sweep.strengths, dtype=np.float64),
        tau=np.stack([outcome.tau for outcome in outcomes], axis=2),
        error=np.stack(errors, axis=2) if errors else None,
        kept=np.stack([outcome.kept for outcome in outcomes], axis=2),
        first=first / len(outcomes),
        unplaced=np.mean([outcome.unplaced for outcome in outcomes], axis=0),
        unranked=np.mean([outcome.unranked for outcome in outcomes], axis=0),
        emptied=np.mean([outcome.emptied for outcome in outcomes], axis=0),
    )


def _notes(trials: Trials, swept: Sequence[Swept]) -> Iterator[str]:
    """Say who cannot be placed without stress, and where scores ran out."""
    already = np.zeros(len(trials.methods), dtype=np.bool_)
    if trials.ground is not None:
        already = np.array([levels is not None and bool((levels < 0).any()) for levels in trials.ground.levels])
    if already.any():
        lost = few(list(compress(trials.methods, already.tolist())))
        yield f"also without stress there are systems that cannot be placed by {lost}; they count as last"
    for one in swept:
        yield from _losses(trials.methods, one, already)


def _losses(methods: Sequence[str], one: Swept, already: NDArray[np.bool_]) -> Iterator[str]:
    """Say how often scores ran out, at the strength at which they did most often, the largest of several."""
    unplaced = np.where(already[:, None], 0.0, one.unplaced)
    often = np.maximum(one.emptied, np.maximum(unplaced, one.unranked).max(axis=0))
    s = int(np.flatnonzero(often == often.max())[-1])
    said = []
    if one.emptied[s]:
        said.append(f"a system or task had no score left in {rounded_percent(float(one.emptied[s]))} of the repeats")
    if lost := _shares(methods, unplaced[:, s]):
        said.append(f"not every system could be placed by {lost}; such systems count as last")
    if lost := _shares(methods, one.unranked[:, s]):
        said.append(f"nothing could be ranked by {lost}; all systems then count as tied")
    if said:
        yield f"{one.name} at {one.strengths[s]:g}: " + "; ".join(said)


def _shares(methods: Sequence[str], shares: NDArray[np.float64]) -> str:
    """Name the methods of which there is a share, each with it."""
    named = [(method, share) for method, share in zip(methods, shares.tolist(), strict=True) if share]
    return few([f"{method} (in {rounded_percent(share)})" for method, share in named])
