"""What stresses do to rankings: every stress, strength and method, in many trials."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import compress
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import as_number, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress, cores, in_order, with_one_blas_thread
from podium.base.words import LONG, few, percents, with_names
from podium.ranking.api import check_rankable, rank
from podium.ranking.method_spec import MethodSpec
from podium.robustness.stresses import Sweep
from podium.robustness.study_result import Study, SweepResult
from podium.robustness.trial import Setup, Trials, Turn, Unstressed, cases_of, chance, drawn_world, stressed
from podium.score.table import Scores
from podium.simulate.world import World
from podium.source.memory import ScoresLike, as_scores

#: Random repeats of every strength by default.
REPEATS = 200

#: Cells above which all cores count one table together, instead of one repeat each.
LARGE = 5_000_000

#: Seconds of work that a process gets at once.
_BATCH = 0.5


def study(
    table: "ScoresLike | World | Callable[[np.random.Generator], World]",
    sweeps: Sequence[Sweep],
    methods: str | Sequence[str | MethodSpec] | None = None,
    *,
    repeats: int = REPEATS,
    exhaustive: bool = False,
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
    and the numbers of repeats and processes, do not change it.

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
        The default is "borda" at levels "balanced" and "two", and "mean"; for a table without instances "borda" and
        "mean".
    repeats
        How many times, each with new random numbers.
    exhaustive
        Whether to try every case once, in place of repeats, at a strength of at most so many cases (which tasks are
        left out). The result is then exact.
    seed
        Seed of all random numbers.
    jobs
        Processes; all cores by default. For a large table, threads of this process.
    progress
        Called with the number of trials done, over all strengths of all stresses, and the number of all trials.

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
    jobs = None if jobs is None else checked_whole("jobs", jobs)
    chosen = _checked_sweeps(sweeps)
    given = table if isinstance(table, World) or callable(table) else as_scores(table)
    drawn = with_one_blas_thread(partial(drawn_world, given, seed), 0)
    scores = drawn.scores if isinstance(drawn, World) else drawn
    check_rankable(scores)
    specs = MethodSpec.several(usual_methods(scores) if methods is None else methods)
    if not specs:
        raise MethodError("there are no methods to study; give some, such as 'mean' and 'borda'")
    _check_once("method", list(map(str, specs)))
    large = scores.n_cells > LARGE
    if not large:  # the first repeat of a large table does so
        for sweep in chosen:
            for strength in sweep.strengths:
                stressed(scores, sweep, strength, chance(seed, sweep, 0))
    started = time.perf_counter()
    unstressed = with_one_blas_thread(partial(Unstressed.of, specs=specs, threads=jobs if large else 1), drawn)
    seconds = time.perf_counter() - started
    if callable(given):  # each repeat has a world of its own
        setup = Setup(given, chosen, specs, seed, scores.systems, None)
    else:
        _check_ranked(unstressed, specs)
        setup = Setup(given, chosen, specs, seed, scores.systems, unstressed)
    every = [[_cases(setup, sweep, strength, repeats, exhaustive) for strength in sweep.strengths] for sweep in chosen]
    turns = [
        Turn(number, k, s, listed=cases is not None)
        for number in range(repeats)
        for k, row in enumerate(every)
        for s, cases in enumerate(row)
        if number < (repeats if cases is None else cases)
    ]
    trials = Trials.joined(list(_all_trials(setup, turns, seconds, jobs, progress, large=large)))
    found = Study(
        systems=setup.systems,
        methods=tuple(map(str, specs)),
        leaders=() if setup.unstressed is None else unstressed.leaders,
        swept=tuple(_swept(sweep, k, turns, trials) for k, sweep in enumerate(chosen)),
        repeats=repeats,
        seed=seed,
        backend="pyarrow" if setup.unstressed is None else scores.backend,
    )
    return replace(found, notes=tuple(_notes(setup, found)))


def _checked_sweeps(given: Any) -> tuple[Sweep, ...]:
    sweeps = tuple(given) if isinstance(given, Iterable) else (given,)
    if not sweeps:
        raise MethodError("there are no stresses to study; give some, such as podium.stresses.usual(scores)")
    for sweep in sweeps:
        if not isinstance(sweep, Sweep):
            raise MethodError(f"a stress is {sweep!r}; give podium.stresses.Sweep, or podium.stresses.usual(scores)")
        if not sweep.strengths:
            raise MethodError(f"stress {sweep.name!r} has no strengths; give some")
        numbers = np.array(list(map(as_number, sweep.strengths)))
        for strength, value in zip(sweep.strengths, numbers, strict=True):
            if not np.isfinite(value):
                raise MethodError(f"a strength of stress {sweep.name!r} is {strength!r}; give finite numbers")
        if (np.diff(numbers) <= 0).any():
            raise MethodError(
                f"the strengths of stress {sweep.name!r} do not increase; give them from weak to strong, once"
            )
    _check_once("stress", [sweep.name for sweep in sweeps])
    return sweeps


def _check_once(kind: str, names: Sequence[str]) -> None:
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise MethodError(f"{kind} {twice[0]!r} is given twice; remove one, or give it another name")


def _check_ranked(unstressed: Unstressed, specs: Sequence[MethodSpec]) -> None:
    """Raise the error of a method that cannot rank the unstressed table, or refuse one that places nobody."""
    for spec, places in zip(specs, unstressed.places, strict=True):
        if places is None:
            rank(unstressed.scores, spec, confidence=None)
        elif (places < 0).all():
            raise MethodError(f"{spec} can place no system of this table, so nobody is first; choose another method")


def usual_methods(scores: Scores) -> tuple[str, ...]:
    """Return Borda at the levels there are and the mean.

    >>> import podium
    >>> usual_methods(podium.datasets.toy_table1())
    ('borda', 'mean')
    """
    return ("borda", "mean") if scores.task_level else ("borda:balanced", "borda:two", "mean")


def _cases(setup: Setup, sweep: Sweep, strength: float, repeats: int, exhaustive: bool) -> int | None:
    """How many cases there are at a strength, if each is to be tried; None where chance decides."""
    if not exhaustive or setup.unstressed is None:
        return None
    every = cases_of(setup.unstressed.scores, sweep, strength)
    return None if every is None else every.number(repeats)


def _all_trials(
    setup: Setup, turns: Sequence[Turn], seconds: float, jobs: int | None, progress: Progress | None, *, large: bool
) -> Generator[Trials]:
    """Yield the trials of some turns after the other, in order, as fast as all cores together can."""
    most = ceil(len(turns) / (4 * (jobs or cores())))  # so that no process waits long for the last
    size = 1 if large else max(1, min(int(_BATCH / seconds), most))
    if setup.unstressed is None:  # whole repeats, so that no world is drawn twice
        strengths = sum(len(sweep.strengths) for sweep in setup.sweeps)
        size = strengths * ceil(size / strengths)
    batches = [turns[start : start + size] for start in range(0, len(turns), size)]
    work = partial(setup.trials, threads=jobs if large else 1)
    done = 0
    if progress is not None and large:  # it takes long until the next trial is done
        progress(done, len(turns))
    with closing(in_order(work, batches, 1 if large else jobs)) as found:
        for batch, trials in zip(batches, found, strict=True):
            done += len(batch)
            if progress is not None:
                progress(done, len(turns))
            yield trials


def _swept(sweep: Sweep, k: int, turns: Sequence[Turn], trials: Trials) -> SweepResult:
    """Return the result of one stress from all trials."""
    which: list[list[int]] = [[] for _ in sweep.strengths]
    for index, turn in enumerate(turns):
        if turn.sweep == k:
            which[turn.strength].append(index)
    every = [trials.take(np.array(some)) for some in which]
    parts = [(one.first / one.first.sum(axis=2, keepdims=True)).mean(axis=0) for one in every]
    return SweepResult(
        name=sweep.name,
        axis=sweep.axis,
        strengths=np.array(sweep.strengths, dtype=np.float64),
        tau=_padded([one.tau for one in every]),
        error=None if trials.error is None else _padded([one.error for one in every if one.error is not None]),
        kept=_padded([one.kept for one in every]),
        first=np.stack(parts, axis=1),
        unplaced=np.stack([one.unplaced.mean(axis=0) for one in every], axis=1),
        unranked=np.stack([one.unranked.mean(axis=0) for one in every], axis=1),
        emptied=np.array([one.emptied.mean() for one in every]),
        listed=np.array([turns[some[0]].listed for some in which]),
    )


def _padded(parts: Sequence[Floats]) -> Floats:
    """Stack what each strength has, shape `(trials, M)`, with NaN behind where another has more: `(M, S, R)`."""
    longest = max(map(len, parts))
    return np.stack([np.pad(part.T, ((0, 0), (0, longest - len(part))), constant_values=np.nan) for part in parts], 1)


def _notes(setup: Setup, study: Study) -> Iterator[str]:
    """Say which methods cannot place every system without stress, and where scores run out."""
    already = np.zeros(len(study.methods), dtype=np.bool_)
    if setup.unstressed is not None:
        already = np.array([places is not None and bool((places < 0).any()) for places in setup.unstressed.places])
    if already.any():
        lost = list(compress(study.methods, already.tolist()))
        yield with_names("even without stress, some systems have no place by ", lost, "; these systems count as last")
    for one in study.swept:
        unplaced = np.where(already[:, None], 0.0, one.unplaced)
        often = np.maximum(one.emptied, np.maximum(unplaced, one.unranked).max(axis=0))
        s = int(np.flatnonzero(often == often.max())[-1])  # where this happens most often; the strongest of several
        said = []
        if one.emptied[s]:
            low, high = study.interval(one, "emptied")
            said.append(f"a system or task has no score left in {percents(low[s], high[s])} of the cases")
        if lost := _shares(study, one, "unplaced", s, ~already):
            said.append(f"some systems count as last by {few(lost, most=3)}")
        if lost := _shares(study, one, "unranked", s, np.ones_like(already)):
            said.append(f"no system can be ranked by {few(lost, most=3)}")
        where, together = f"{one.name} at {one.strengths[s]:g}: ", "; ".join(said)
        yield from (where + note for note in (said if len(where + together) > LONG else filter(None, [together])))


def _shares(study: Study, one: SweepResult, measure: str, s: int, shown: NDArray[np.bool_]) -> list[str]:
    """Name the methods with a share above 0, each with the interval of its share."""
    low, high = study.interval(one, measure)
    shown = shown & (getattr(one, measure)[:, s] > 0)
    return [f"{study.methods[m]} ({percents(low[m, s], high[m, s])})" for m in np.flatnonzero(shown).tolist()]
