"""What stresses do to rankings: change a table, rank it by every method, and compare, in many trials."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from math import ceil
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats
from podium.base.check import Rng, as_number, checked_whole, seed_of
from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress, cores, generator, in_order, with_one_blas_thread
from podium.base.words import LONG, few, percents, with_names
from podium.ranking.api import check_rankable, places_by, rank
from podium.ranking.distance import correlations, count_pairs, distances
from podium.ranking.method_spec import MethodSpec
from podium.robustness.study_result import Study, SweepResult
from podium.robustness.sweep import Sweep, cases_of, stressed
from podium.score.table import Scores, check_scores
from podium.simulate.world import World
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Places of all systems by a method, see `podium.ranking.api.places_by`; None where it cannot rank the table.
Places = NDArray[np.int64] | None

#: Scores, a world, or how to draw one.
Table = Scores | World | Callable[[np.random.Generator], World]

#: What R trials did to M methods and N systems, by name. "tau", "kept", "error" (where the truth is known), "unplaced"
#: and "unranked" have the shape `(R, M)`, "emptied" `(R,)`, and "first", who is first, `(R, M, N)`: see `SweepResult`.
Measured = dict[str, NDArray[Any]]

#: Random repeats of every strength by default.
REPEATS = 200

#: Cells above which all cores count one table together, instead of one repeat each.
LARGE = 5_000_000

#: Seconds of work that a process gets at once.
_BATCH = 0.5

#: First numbers of the keys of generators: of worlds, and of stresses.
_WORLDS, _STRESSES = 0, 1


@keywords
def study(
    scores: "ScoresLike | World | Callable[[np.random.Generator], World]",
    sweeps: Sequence[Sweep],
    methods: str | Sequence[str | MethodSpec] | None = None,
    *,
    repeats: int = REPEATS,
    exhaustive: bool = False,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
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
    scores
        The table, or what becomes one, see `podium.ScoresLike`; or a world, whose truth gives errors; or a
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
    rng
        Seed of all random numbers.
    n_jobs
        Processes; all cores by default. For a large table, threads of this process.
    progress
        Called with the number of trials done, over all strengths of all stresses, and the number of all trials.
    reading
        How the table is read, see `podium.rank`; a world is read already.

    Returns
    -------
    Study

    Raises
    ------
    InputError
        `scores` are of another kind, or worlds differ in their systems.
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
    >>> podium.study(world, [sweep], ["mean", "borda:two"], repeats=20, n_jobs=1)
    Study(2 methods under 1 kind of stress, 20 repeats)
    • system 5 is first by mean and borda:two
    • the next sentences are about the first place by mean
    • if one task's scores are 10 times as large, system 5 stays first in about 70% of the trials (38 to 92%)
    • borda:two keeps its order best under these stresses, by mean tau; then mean
    stress  strength         mean    kept    borda:two     kept
    scale          9  0.72 ± 0.22  41–91%  1.00 ± 0.00  79–100%
    """
    seed = seed_of(rng)
    repeats = checked_whole("repeats", repeats)
    n_jobs = None if n_jobs is None else checked_whole("n_jobs", n_jobs)
    chosen = _checked_sweeps(sweeps)
    given: Table
    if not (isinstance(scores, World) or callable(scores)):
        given = as_scores(scores, **reading)
    elif reading:
        raise TypeError(f"{next(iter(reading))}= is about reading, and a world is read already; leave it out")
    else:
        given = scores
    drawn = with_one_blas_thread(partial(_table_of, given, seed), 0)
    table = drawn.scores if isinstance(drawn, World) else drawn
    check_rankable(table)
    specs = MethodSpec.several(usual_methods(table) if methods is None else methods)
    if not specs:
        raise MethodError("there are no methods to study; give some, such as 'mean' and 'borda'")
    _check_once("method", list(map(str, specs)))
    large = table.n_cells > LARGE
    if not large:  # the first repeat of a large table does so
        for sweep in chosen:
            for strength in sweep.strengths:
                stressed(table, sweep, strength, chance(seed, sweep, 0))
    started = time.perf_counter()
    whole = with_one_blas_thread(partial(_unstressed, specs=specs, threads=n_jobs if large else 1), drawn)
    seconds = time.perf_counter() - started
    if not callable(given):  # otherwise each repeat has a world of its own
        _check_ranked(whole, specs)
    setup = Setup(given, chosen, specs, seed, table.systems, None if callable(given) else whole)

    def cases(sweep: Sweep, strength: float) -> int | None:
        """Return how many cases there are at a strength, if each is to be tried; None where chance decides."""
        every = cases_of(table, sweep, strength) if exhaustive and not callable(given) else None
        return None if every is None else every.number(repeats)

    every = [[cases(sweep, strength) for strength in sweep.strengths] for sweep in chosen]
    trials = [
        Trial(number, k, s, listed=of is not None)
        for number in range(repeats)
        for k, row in enumerate(every)
        for s, of in enumerate(row)
        if number < (repeats if of is None else of)
    ]
    measured = _measured(setup, trials, seconds, n_jobs, progress, large=large)
    first: Bools = whole.ranks == whole.ranks.min(axis=1, keepdims=True)
    found = Study(
        systems=table.systems,
        methods=tuple(map(str, specs)),
        leaders=() if callable(given) else tuple(tuple(compress(table.systems, row)) for row in first.tolist()),
        swept=tuple(_swept(sweep, k, trials, measured) for k, sweep in enumerate(chosen)),
        repeats=repeats,
        seed=seed,
        backend="pyarrow" if callable(given) else table.backend,
    )
    return replace(found, notes=tuple(_notes(setup, found)))


def usual_methods(scores: Scores) -> tuple[str, ...]:
    """Return Borda at the levels there are and the mean.

    >>> import podium
    >>> usual_methods(podium.datasets.toy_table1())
    ('borda', 'mean')
    """
    return ("borda", "mean") if scores.task_level else ("borda:balanced", "borda:two", "mean")


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


def chance(seed: int, sweep: Sweep, repeat: int) -> np.random.Generator:
    """Return the random numbers of a stress in a repeat, the same at all its strengths and in every process."""
    name = int.from_bytes(hashlib.sha256(sweep.name.encode()).digest()[:8], "big")
    return generator(seed, _STRESSES, name, repeat)


def _check_once(kind: str, names: Sequence[str]) -> None:
    twice = [name for index, name in enumerate(names) if name in names[:index]]
    if twice:
        raise MethodError(f"{kind} {twice[0]!r} is given twice; remove one, or give it another name")


class Unstressed(NamedTuple):
    """A table without stress: of each method the places, and the ranks (see `_ranks`); and the true ranks, if known."""

    scores: Scores
    places: Sequence[Places]
    ranks: Floats
    truth: NDArray[np.int64] | None


class Trial(NamedTuple):
    """A repeat of a stress at a strength, both by index, or the case of this number if `listed`."""

    repeat: int
    sweep: int
    strength: int
    listed: bool


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """All that trials depend on; `unstressed` is the table of all repeats, None where each has a world of its own."""

    table: Table
    sweeps: tuple[Sweep, ...]
    specs: tuple[MethodSpec, ...]
    seed: int
    systems: tuple[str, ...]
    unstressed: Unstressed | None

    def measure(self, trials: Iterable[Trial], threads: int | None = 1) -> Measured:
        """Make some trials; a world is drawn once for all trials of its repeat in a row.

        Raises
        ------
        MethodError
            A stress cannot be applied.
        InputError
            A world has other systems than the first.
        """
        unstressed, drawn, before, after, places, emptied = self.unstressed, -1, [], [], [], []
        for trial in trials:
            if self.unstressed is None and trial.repeat != drawn:
                drawn = trial.repeat
                unstressed = _unstressed(_table_of(self.table, self.seed, drawn), self.specs, threads)
                if unstressed.scores.systems != self.systems:
                    why = f"the world of repeat {drawn} has other systems than that of repeat 0"
                    raise InputError(f"{why}; use the same systems in all")
            assert unstressed is not None  # noqa: S101  # drawn above
            sweep, whole = self.sweeps[trial.sweep], unstressed.scores
            strength = sweep.strengths[trial.strength]
            by = trial.repeat if trial.listed else chance(self.seed, sweep, trial.repeat)
            scores = stressed(whole, sweep, strength, by)
            changed = scores is not whole
            found = places_by(scores, self.specs, threads=threads) if changed else unstressed.places
            before.append(unstressed)
            after.append(_of_systems(_ranks(found, len(scores.systems)), scores.systems, self.systems))
            places.append(found)
            emptied.append(changed and _emptied(whole, scores))
        return {**_compared(before, np.array(after), places), "emptied": np.array(emptied)}


def _table_of(table: Table, seed: int, repeat: int) -> Scores | World:
    """Return the table, or draw the world of a repeat; refuse what is neither scores nor a world."""
    found = table
    if callable(table):
        found = table(generator(seed, _WORLDS, repeat))
        if not isinstance(found, World):
            raise InputError(f"expected a function that draws a World, not one that returns {type(found).__name__}")
    if not isinstance(found, World):
        check_scores(found)
    return found  # type: ignore[return-value]  # checked


def _unstressed(table: Scores | World, specs: Sequence[MethodSpec], threads: int | None) -> Unstressed:
    scores, truth = (table.scores, table.truth) if isinstance(table, World) else (table, None)
    places = places_by(scores, specs, threads=threads)
    return Unstressed(scores, places, _ranks(places, len(scores.systems)), truth)


def _ranks(places: Sequence[Places], n_systems: int) -> Floats:
    """Shape `(M, N)`: a place for every system: the last if it has none, the same for all if no system has one."""
    flat = np.zeros(n_systems)
    return np.array([flat if one is None else np.where(one < 0, n_systems, one) for one in places], dtype=np.float64)


def _of_systems(ranks: Floats, systems: tuple[str, ...], wanted: tuple[str, ...]) -> Floats:
    """Shape `(M, N)`: columns of the systems that are wanted, NaN for those that are not there."""
    if systems == wanted:
        return ranks
    column = {label: index for index, label in enumerate(systems)}
    here = [index for index, label in enumerate(wanted) if label in column]
    found = np.full((len(ranks), len(wanted)), np.nan)
    found[:, here] = ranks[:, [column[wanted[index]] for index in here]]
    return found


def _emptied(before: Scores, after: Scores) -> bool:
    """Say whether a system or a task that is in both tables had a score before, and has none after."""

    def scored(scores: Scores) -> list[set[str]]:
        some: Bools = np.array([task.scored > 0 for task in scores.tasks])
        ends = (scores.systems, some.any(axis=0)), (scores.task_names, some.any(axis=1))
        return [{names[index] for index in np.flatnonzero(mask)} for names, mask in ends]

    labels = after.systems, after.task_names
    return any((had - has) & set(there) for there, had, has in zip(labels, scored(before), scored(after), strict=True))


def _compared(unstressed: Sequence[Unstressed], after: Floats, places: Sequence[Sequence[Places]]) -> Measured:
    """Compare rankings with and without stress, of shape `(R, M, N)`, on the systems of both."""
    n_trials, n_methods, n_systems = after.shape
    before = np.where(np.isnan(after), np.nan, np.array([one.ranks for one in unstressed]))
    pairs = before.reshape(-1, n_systems), after.reshape(-1, n_systems)
    leads, first = (ranks == np.nanmin(ranks, axis=2, keepdims=True) for ranks in (before, after))
    measured = {
        "tau": np.nan_to_num(correlations(count_pairs(*pairs))).reshape(n_trials, n_methods),
        "kept": (leads & first).sum(axis=2) / first.sum(axis=2),
        "first": first,
        "unplaced": np.array([[one is not None and bool((one < 0).any()) for one in row] for row in places]),
        "unranked": np.array([[one is None for one in row] for row in places]),
    }
    if unstressed[0].truth is not None:
        truth = np.array([one.truth for one in unstressed], dtype=np.float64)
        counts = count_pairs(np.repeat(truth, n_methods, axis=0), pairs[1])
        error = np.full(n_trials * n_methods, 0.5)
        np.divide(distances(counts, 0.5), counts.compared, out=error, where=counts.compared > 0)
        measured["error"] = error.reshape(n_trials, n_methods)
    return measured


def _check_ranked(unstressed: Unstressed, specs: Sequence[MethodSpec]) -> None:
    """Raise the error of a method that cannot rank the unstressed table, or refuse one that places no system."""
    for spec, places in zip(specs, unstressed.places, strict=True):
        if places is None:
            rank(unstressed.scores, spec, confidence_level=None)
        elif (places < 0).all():
            raise MethodError(f"{spec} can place no system of this table, so none is first; choose another method")


def _measured(
    setup: Setup, trials: Sequence[Trial], seconds: float, jobs: int | None, progress: Progress | None, *, large: bool
) -> Measured:
    """Return what all trials did, in order, as fast as all cores together can."""
    most = ceil(len(trials) / (4 * (jobs or cores())))  # so that no process waits long for the last
    size = 1 if large else max(1, min(int(_BATCH / seconds), most))
    if setup.unstressed is None:  # whole repeats, so that no world is drawn twice
        strengths = sum(len(sweep.strengths) for sweep in setup.sweeps)
        size = strengths * ceil(size / strengths)
    batches = [trials[start : start + size] for start in range(0, len(trials), size)]
    work = partial(setup.measure, threads=jobs if large else 1)
    parts, done = [], 0
    if progress is not None and large:  # it takes long until the next trial is done
        progress(done, len(trials))
    with closing(in_order(work, batches, 1 if large else jobs)) as found:
        for batch, measured in zip(batches, found, strict=True):
            done += len(batch)
            if progress is not None:
                progress(done, len(trials))
            parts.append(measured)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _swept(sweep: Sweep, k: int, trials: Sequence[Trial], measured: Measured) -> SweepResult:
    """Return the result of one stress from all trials."""
    of = np.array([(trial.sweep, trial.strength) for trial in trials])
    which = [np.flatnonzero((of == (k, s)).all(axis=1)) for s in range(len(sweep.strengths))]
    longest = max(map(len, which))

    def every(name: str) -> Floats:
        """Stack the trials of each strength, shape `(M, S, R)`; NaN follows where another has more."""
        parts = [measured[name][rows].T for rows in which]
        return np.stack(
            [np.pad(part, ((0, 0), (0, longest - part.shape[1])), constant_values=np.nan) for part in parts], axis=1
        )

    def share(values: NDArray[Any]) -> Floats:
        return np.stack([values[rows].mean(axis=0) for rows in which], axis=-1)

    first = measured["first"] / measured["first"].sum(axis=2, keepdims=True)
    return SweepResult(
        name=sweep.name,
        axis=sweep.axis,
        strengths=np.array(sweep.strengths, dtype=np.float64),
        tau=every("tau"),
        error=every("error") if "error" in measured else None,
        kept=every("kept"),
        first=share(first).swapaxes(1, 2),
        unplaced=share(measured["unplaced"]),
        unranked=share(measured["unranked"]),
        emptied=share(measured["emptied"]),
        listed=np.array([trials[rows[0]].listed for rows in which]),
    )


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
