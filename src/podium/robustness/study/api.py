"""What stresses do to rankings: every stress, strength and method, many times."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from podium.base.check import as_number, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress, with_one_blas_thread
from podium.ranking.api import rank
from podium.ranking.method_spec import MethodSpec
from podium.ranking.rankable import check_rankable
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.change import chance, stressed
from podium.robustness.study.note import notes_of
from podium.robustness.study.plan import Plan, first_plan, longer_plan, turns_of
from podium.robustness.study.play import Workload, played, put_together
from podium.robustness.study.result import Study
from podium.robustness.study.trial import (
    Setup,
    Table,
    Trial,
    Turn,
    Unstressed,
    drawn_world,
)
from podium.score.table import Scores
from podium.simulate.world import World
from podium.source.read import ScoresLike, as_scores

#: Cells above which all cores count one table together, instead of one repeat each.
LARGE = 5_000_000

#: Systems up to which an exact consensus is fast.
_CONSENSUS_UP_TO = 20


def study(
    table: "ScoresLike | World | Callable[[np.random.Generator], World]",
    sweeps: Sequence[Sweep],
    methods: str | Sequence[str | MethodSpec] | None = None,
    *,
    repeats: int = 100,
    most_repeats: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """Return how far the rankings of each method move when a table is stressed many times.

    In every repeat, each stress is applied at each of its strengths, with the same random numbers at all strengths.
    Then each method ranks the stressed table. Only systems that are in the table both with and without stress are
    compared. A system that a method cannot place counts as last, tied with other such systems. If a method cannot rank
    a table at all, all systems count as tied.

    Repeat r of a stress depends on the seed, the name of the stress and r alone. Other stresses, strengths and methods,
    and the numbers of repeats and processes, do not change it. Which strengths get more repeats than others
    (`most_repeats`) depends on the results alone.

    Parameters
    ----------
    table
        Scores, or what becomes such a table, see `podium.ScoresLike`; or a world, whose truth gives errors; or a
        function from a generator to a world. Such a function draws a new world for every repeat, the same for all
        stresses, strengths and methods. All worlds have the same systems.
    sweeps
        Stresses, each at some strengths; see `podium.stresses`.
    methods
        Ways to rank, perhaps with a level after a colon: "mean", "borda:one"; or with options, as `podium.MethodSpec`.
        The default is "borda" at levels "balanced" and "two", and "mean"; for a table without instances "borda", "mean"
        and, for few systems, "kemeny".
    repeats
        How many times, each with new random numbers.
    most_repeats
        How many times at most. The repeats of a strength are doubled, up to so many, while the verdict of
        `podium.stress` about the first method is open at this strength; all strengths together get at most
        twice as many beyond `repeats`. Only the first method ranks them. Where a stress can list all cases (which tasks
        are left out), and there are at most so many and at most 4,096, each is tried once, and the result is exact. By
        default every strength gets `repeats`, and nothing is listed.
    seed
        Seed of all random numbers.
    jobs
        Processes; all cores by default. For a large table, threads of this process.
    progress
        Called with the number of tries done, over all strengths of all stresses, and the number of all tries; that
        grows where an open verdict needs more.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        `table` is of another kind, or worlds differ in their systems.
    MethodError
        No stresses or methods, an unknown method or level, something twice, a number out of range, strengths that do
        not increase, a stress that does not fit its strength or the table, or a method that cannot rank the
        table as it is.

    References
    ----------
    Colombo et al. 2022, §4.2–4.3; Himmi et al. 2023, §3.2.

    Examples
    --------
    >>> import podium
    >>> from podium.stresses import Rescale, Sweep
    >>> world = podium.simulate.gumbel(5, 4, 30, dispersion=0.2, rng=0)
    >>> sweep = Sweep("scale", Rescale, (0, 9), "one task's scores enlarged (9: ten times)")
    >>> podium.study(world, [sweep], ["mean", "borda:two"], repeats=20, jobs=1)
    Study(2 methods under 1 kind of stress, 20 repeats)
      scale at 9, mean tau: mean 0.72, borda:two 1.00
    """
    repeats, seed = checked_whole("repeats", repeats), checked_whole("seed", seed, None)
    most = None if most_repeats is None else checked_whole("most_repeats (--most-repeats)", most_repeats, repeats)
    jobs = None if jobs is None else checked_whole("jobs", jobs)
    drawn = table if isinstance(table, World) or callable(table) else as_scores(table)
    work = _ranked_and_timed(_checked(drawn, _swept(sweeps), methods, seed), jobs)
    done: dict[Turn, Trial] = {}
    plan = first_plan(work.setup, repeats, most)
    while True:
        _try_all(work, turns_of(plan), done, jobs, progress)
        found = _study(work.setup, plan, done, repeats, most)
        longer = plan if most is None else longer_plan(plan, found)
        if longer == plan:
            return found
        plan = longer


def _try_all(
    work: Workload, turns: Sequence[Turn], done: dict[Turn, Trial], jobs: int | None, progress: Progress | None
) -> None:
    """Add the trials of the turns that are not done."""
    left = [turn for turn in turns if turn not in done]
    if progress is not None and work.large:  # it takes long until the next trial is done
        progress(len(turns) - len(left), len(turns))
    with closing(played(work, left, jobs)) as trials:
        for number, (turn, trial) in enumerate(zip(left, trials, strict=True), len(turns) - len(left) + 1):
            done[turn] = trial
            if progress is not None:
                progress(number, len(turns))


class _Plan(NamedTuple):
    """What is studied, checked: the arguments of `study`, and what repeat 0 draws, with its scores.

    `stress` studies a table, and then `table`, `drawn` and `scores` are that table. `study` also takes a function that
    draws worlds: then `drawn` is the world of repeat 0, and `scores` are those of this world.
    """

    table: Table
    sweeps: tuple[Sweep, ...]
    specs: tuple[MethodSpec, ...]
    seed: int
    drawn: Scores | World
    scores: Scores


def _checked(
    table: Table, sweeps: tuple[Sweep, ...], methods: str | Sequence[str | MethodSpec] | None, seed: int
) -> _Plan:
    """Check the arguments, and try every stress once; on a large table the first repeat does so."""
    _check_sweeps(sweeps)
    drawn = with_one_blas_thread(partial(drawn_world, table, seed), 0)
    scores = drawn.scores if isinstance(drawn, World) else drawn
    check_rankable(scores)
    specs = MethodSpec.several(usual_methods(scores) if methods is None else methods)
    if not specs:
        raise MethodError("there are no methods to study; give some, such as 'mean' and 'borda'")
    _check_once("method", list(map(str, specs)))
    for sweep in sweeps if scores.n_cells <= LARGE else ():
        for strength in sweep.strengths:
            stressed(scores, sweep, strength, chance(seed, sweep, 0))
    return _Plan(table, sweeps, specs, seed, drawn, scores)


def _ranked_and_timed(plan: _Plan, jobs: int | None) -> Workload:
    """Rank the unstressed table, and measure how long that takes."""
    large = plan.scores.n_cells > LARGE
    started = time.perf_counter()
    unstressed = with_one_blas_thread(
        partial(Unstressed.of, specs=plan.specs, threads=jobs if large else 1), plan.drawn
    )
    seconds = time.perf_counter() - started
    drawn_anew = callable(plan.table)  # in every repeat; then what is ranked here is only timed
    if not drawn_anew:
        _check_ranked(plan.scores, plan.specs, unstressed)
    of_all_repeats = None if drawn_anew else unstressed
    setup = Setup(plan.table, plan.sweeps, plan.specs, plan.seed, plan.scores.systems, of_all_repeats)
    return Workload(setup, seconds, large)


def _swept(given: Any) -> tuple[Sweep, ...]:
    sweeps = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in sweeps:
        if not isinstance(one, Sweep):
            raise MethodError(f"a stress is {one!r}; give podium.stresses.Sweep, or podium.stresses.usual(scores)")
    return sweeps


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


def _check_ranked(scores: Scores, specs: Sequence[MethodSpec], unstressed: Unstressed) -> None:
    """Raise the error of a method that cannot rank the unstressed table, or refuse one that places nobody."""
    for spec, places in zip(specs, unstressed.places, strict=True):
        if places is None:
            rank(scores, spec, confidence=None)
        elif (places < 0).all():
            raise MethodError(f"{spec} can place no system of this table, so nobody is first; choose another method")


def usual_methods(scores: Scores) -> tuple[str, ...]:
    """Return Borda at the levels there are and the mean; also an exact consensus where it is fast.

    >>> import podium
    >>> usual_methods(podium.datasets.toy_table1())
    ('borda', 'mean', 'kemeny')
    """
    if not scores.task_level:
        return "borda:balanced", "borda:two", "mean"
    return ("borda", "mean", "kemeny") if len(scores.systems) <= _CONSENSUS_UP_TO else ("borda", "mean")


def _study(setup: Setup, plan: Plan, trials: Mapping[Turn, Trial], repeats: int, most: int | None) -> Study:
    swept = put_together(setup, plan, trials)
    unstressed = setup.unstressed
    found = Study(
        systems=setup.systems,
        methods=setup.methods,
        leaders=() if unstressed is None else unstressed.leaders,
        swept=swept,
        repeats=repeats,
        seed=setup.seed,
        backend="pyarrow" if unstressed is None else unstressed.scores.backend,
        most_repeats=most or repeats,
    )
    return replace(found, notes=tuple(notes_of(setup, found)))
