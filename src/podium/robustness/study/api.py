"""What stresses do to rankings: every stress, strength and method, many times."""

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

from podium.base.check import as_number, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress, alone, cores, in_order
from podium.base.words import few, rounded_percent
from podium.ranking.api import rank
from podium.ranking.counted import check_rankable
from podium.ranking.method_spec import MethodSpec
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.result import Study, SweepResult
from podium.robustness.study.save import arrays, begun, opened
from podium.robustness.study.trial import Ground, Setup, Table, Trial, drawn_world
from podium.score.table import Scores
from podium.simulate.world import World

#: Cells above which all cores count one table together, instead of one repeat each.
_LARGE = 5_000_000

#: Seconds of work that a process gets at once.
_BATCH = 0.5

#: Characters that a note has at most, where it can be two.
_LONG = 140

#: Systems up to which an exact consensus is fast.
_CONSENSUS_UP_TO = 20


def study(
    table: Scores | World | Callable[[np.random.Generator], World],
    sweeps: Sequence[Sweep],
    methods: str | Sequence[str | MethodSpec] | None = None,
    *,
    repeats: int = 100,
    seed: int = 0,
    jobs: int | None = None,
    checkpoint: str | Path | None = None,
    key: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Return how far the rankings of each method move when a table is stressed many times.

    In every repeat, each stress is applied at each of its strengths, with the same random numbers at all strengths.
    Then each method ranks the stressed table. Only systems that are in the table both with and without stress are
    compared. A system that a method cannot place counts as last, tied with other such systems. If a method cannot rank
    a table at all, all systems count as tied.

    Repeat r of a stress depends on the seed, the name of the stress and r alone. Other stresses, strengths and methods,
    and the numbers of repeats and processes, do not change it.

    Parameters
    ----------
    table
        Scores; or a world, whose truth gives errors; or a function from a generator to a world. Such a function draws a
        new world for every repeat, the same for all stresses, strengths and methods. All worlds have the same systems.
    sweeps
        Stresses, each at some strengths; see `podium.stresses`.
    methods
        Ways to rank, perhaps with a level after a colon: "mean", "borda:one"; or with options, as `podium.MethodSpec`.
        The default is "borda" at both levels of instances and "mean"; for a table without instances "borda", "mean"
        and, for few systems, "kemeny".
    repeats
        How many times, each with new random numbers.
    seed
        Seed of all random numbers.
    jobs
        Processes; all cores by default. For a large table, threads of this process.
    checkpoint
        File that keeps the results so far. It is written at the beginning, every half minute, and when the study ends
        or is interrupted. If it is there, and the table, stresses, methods, seed and versions (of podium, NumPy, SciPy
        and highspy) are the same, the study continues from it. More repeats can be added to a finished study. Functions
        and classes are known by their names: a change in their code is not noticed.
    key
        Any text that stands for what a checkpoint cannot know by name: a lambda or a closure among the stresses, or one
        that draws the worlds. Change the key whenever such a function changes.
    progress
        Called with the number of repeats done, over all stresses, and the number of all repeats.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        `table` is of another kind, worlds differ in their systems, or the checkpoint is of another study or damaged.
    MethodError
        No stresses or methods, an unknown method or level, something twice, a number out of range, strengths that do
        not increase, a stress that does not fit its strength or the table, a method that cannot rank the
        table as it is, or a checkpoint without `key` where a function is a lambda or a closure.
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
    file = None if checkpoint is None else opened(Path(checkpoint), plan.setup, key)
    trials = [] if file is None else begun(file, plan.setup, repeats)
    try:
        with closing(_played(plan, cells[len(trials) :], jobs)) as played:
            for trial in played:
                trials.append(trial)
                if file is not None and file.due:
                    file.save(arrays(trials))
                if progress is not None:
                    progress(len(trials), len(cells))
    finally:  # also on an interrupt
        if file is not None:
            file.save(arrays(trials))
    return _study(plan.setup, trials, repeats)


class _Plan(NamedTuple):
    """What to do, and how long all methods take on the unstressed table."""

    setup: Setup
    seconds: float
    large: bool


def _planned(
    table: Table,
    sweeps: tuple[Sweep, ...],
    methods: str | Sequence[str | MethodSpec] | None,
    seed: int,
    jobs: int | None,
) -> _Plan:
    """Check the arguments, try every stress once, and rank the unstressed table."""
    _check_sweeps(sweeps)
    drawn = alone(partial(drawn_world, table, seed), 0)
    scores = drawn.scores if isinstance(drawn, World) else drawn
    check_rankable(scores)
    specs = MethodSpec.several(usual_methods(scores) if methods is None else methods)
    if not specs:
        raise MethodError("there are no methods to study; give some, such as 'mean' and 'borda'")
    _check_once("method", list(map(str, specs)))
    setup = Setup(table, sweeps, specs, seed, scores.systems, None)
    for sweep in sweeps:
        for strength in sweep.strengths:
            setup.stressed(scores, sweep, strength, 0)
    large = scores.n_cells > _LARGE
    started = time.perf_counter()
    ground = alone(partial(setup.ranked, repeat=0, threads=jobs if large else 1), drawn)
    seconds = time.perf_counter() - started
    if not callable(table):
        _check_ranked(scores, specs, ground)
        setup = replace(setup, ground=ground)
    return _Plan(setup, seconds, large)


def _check_sweeps(sweeps: Sequence[Sweep]) -> None:
    if not sweeps:
        raise MethodError("there are no stresses to study; give some, such as podium.stresses.usual(scores)")
    for sweep in sweeps:
        if not sweep.strengths:
            raise MethodError(f"stress {sweep.name!r} has no strengths; give some")
        _check_strengths(sweep)
    _check_once("stress", [sweep.name for sweep in sweeps])


def _check_strengths(sweep: Sweep) -> None:
    numbers = np.array(list(map(as_number, sweep.strengths)))
    for given, value in zip(sweep.strengths, numbers, strict=True):
        if not np.isfinite(value):
            raise MethodError(f"a strength of stress {sweep.name!r} is {given!r}; give finite numbers")
    if (np.diff(numbers) <= 0).any():
        raise MethodError(
            f"the strengths of stress {sweep.name!r} do not increase; give them from weak to strong, once"
        )


def _check_once(kind: str, names: Sequence[str]) -> None:
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise MethodError(f"{kind} {twice[0]!r} is given twice; remove one, or give it another name")


def _check_ranked(scores: Scores, specs: Sequence[MethodSpec], ground: Ground) -> None:
    """Raise the error of a method that cannot rank the unstressed table."""
    for spec, levels in zip(specs, ground.levels, strict=True):
        if levels is None:
            rank(scores, spec)


def usual_methods(scores: Scores) -> tuple[str, ...]:
    """Return Borda at the levels there are and the mean; also an exact consensus where it is fast.

    >>> import podium
    >>> usual_methods(podium.datasets.toy_table1())
    ('borda', 'mean', 'kemeny')
    """
    if not scores.task_level:
        return "borda:two", "borda:one", "mean"
    return ("borda", "mean", "kemeny") if len(scores.systems) <= _CONSENSUS_UP_TO else ("borda", "mean")


def _played(plan: _Plan, cells: Sequence[tuple[int, int]], jobs: int | None) -> Generator[Trial]:
    """Yield the trial of every cell (repeat and stress), in order."""
    if plan.large:  # one after the other, each as soon as it is done
        trials = plan.setup.played(cells, threads=jobs)
        yield from iter(partial(alone, partial(next, trials), None), None)
        return
    with closing(in_order(partial(_batch, plan.setup), _batches(plan, cells, jobs), jobs)) as played:
        for batch in played:
            yield from batch


def _batch(setup: Setup, cells: Sequence[tuple[int, int]]) -> list[Trial]:
    return list(setup.played(cells))


def _batches(plan: _Plan, cells: Sequence[tuple[int, int]], jobs: int | None) -> list[Sequence[tuple[int, int]]]:
    """Cut cells into batches, one for a process at a time; a repeat with its own world stays in one batch."""
    rows = [[cell] for cell in cells]
    if plan.setup.ground is None:
        rows = [list(row) for _, row in groupby(cells, key=itemgetter(0))]
    longest = plan.seconds * max(len(sweep.strengths) for sweep in plan.setup.sweeps) * max(map(len, rows), default=1)
    most = -(-len(rows) // (4 * (jobs or cores())))
    size = max(1, min(int(_BATCH / longest), most))
    return [list(chain(*rows[first : first + size])) for first in range(0, len(rows), size)]


def _study(setup: Setup, trials: Sequence[Trial], repeats: int) -> Study:
    swept = [_swept(sweep, trials[index :: len(setup.sweeps)]) for index, sweep in enumerate(setup.sweeps)]
    ground = setup.ground
    return Study(
        systems=setup.systems,
        methods=setup.methods,
        leaders=() if ground is None else tuple(_leaders(setup.systems, levels) for levels in ground.levels),
        swept=tuple(swept),
        repeats=repeats,
        seed=setup.seed,
        notes=tuple(_notes(setup, swept)),
        backend="pyarrow" if ground is None else ground.scores.backend,
    )


def _leaders(systems: tuple[str, ...], levels: NDArray[np.int64] | None) -> tuple[str, ...]:
    return tuple(label for label, level in zip(systems, [] if levels is None else levels, strict=True) if level == 0)


def _swept(sweep: Sweep, trials: Sequence[Trial]) -> SweepResult:
    """Put the repeats of a stress together."""
    first = sum((trial.first / trial.first.sum(axis=0) for trial in trials), np.zeros(trials[0].first.shape))
    errors = [trial.error for trial in trials if trial.error is not None]
    return SweepResult(
        name=sweep.name,
        axis=sweep.axis,
        strengths=np.array(sweep.strengths, dtype=np.float64),
        tau=np.stack([trial.tau for trial in trials], axis=2),
        error=np.stack(errors, axis=2) if errors else None,
        kept=np.stack([trial.kept for trial in trials], axis=2),
        first=np.ascontiguousarray(np.moveaxis(first / len(trials), 0, -1)),
        unplaced=np.mean([trial.unplaced for trial in trials], axis=0),
        unranked=np.mean([trial.unranked for trial in trials], axis=0),
        emptied=np.mean([trial.emptied for trial in trials], axis=0),
    )


def _notes(setup: Setup, swept: Sequence[SweepResult]) -> Iterator[str]:
    """Say which methods cannot place every system without stress, and where scores run out."""
    already = np.zeros(len(setup.methods), dtype=np.bool_)
    if setup.ground is not None:
        already = np.array([levels is not None and bool((levels < 0).any()) for levels in setup.ground.levels])
    if already.any():
        lost = few(list(compress(setup.methods, already.tolist())))
        yield f"even without stress, some systems have no place by {lost}; these systems count as last"
    for one in swept:
        yield from _losses(setup.methods, one, already)


def _losses(methods: Sequence[str], one: SweepResult, already: NDArray[np.bool_]) -> Iterator[str]:
    """Say how often scores run out, at the strength where this happens most often; the largest of several."""
    unplaced = np.where(already[:, None], 0.0, one.unplaced)
    often = np.maximum(one.emptied, np.maximum(unplaced, one.unranked).max(axis=0))
    s = int(np.flatnonzero(often == often.max())[-1])
    said = []
    if one.emptied[s]:
        said.append(f"a system or task has no score left in {rounded_percent(float(one.emptied[s]))} of the repeats")
    if lost := _shares(methods, unplaced[:, s]):
        said.append(f"some systems count as last by {lost}")
    if lost := _shares(methods, one.unranked[:, s]):
        said.append(f"all systems tie by {lost}")
    where, together = f"{one.name} at {one.strengths[s]:g}: ", "; ".join(said)
    yield from (where + note for note in (said if len(where + together) > _LONG else filter(None, [together])))


def _shares(methods: Sequence[str], shares: NDArray[np.float64]) -> str:
    """Name the methods with a share above 0, each with its share."""
    named = [(method, share) for method, share in zip(methods, shares.tolist(), strict=True) if share]
    return few([f"{method} ({rounded_percent(share)})" for method, share in named], most=3)
