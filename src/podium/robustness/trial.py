"""Trials of stresses: change a table, rank it by each method, and compare the rankings with those without stress."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats
from podium.base.errors import InputError, MethodError, PodiumError
from podium.base.parallel import generator
from podium.ranking.api import places_by
from podium.ranking.distance import correlations, count_pairs, distances
from podium.ranking.method_spec import MethodSpec
from podium.robustness.stresses import Cases, Sweep
from podium.score.table import Scores, check_scores
from podium.simulate.world import World

Places = NDArray[np.int64]

#: Scores, a world, or how to draw one.
Table = Scores | World | Callable[[np.random.Generator], World]

#: First numbers of the keys of generators: of those that draw worlds, and of those that stress.
_WORLDS, _STRESSES = 0, 1

#: What is measured of a stressed ranking, and whether more of it is better.
MEASURES = {"tau": True, "kept": True, "error": False}

#: Means over trials beyond which a method has broken down, see `podium.Study.breakdown`.
BOUNDS = {"tau": 0.5, "kept": 0.5, "error": 0.75}

#: How sure intervals of these means are.
CONFIDENCE = 0.95


class Turn(NamedTuple):
    """What is tried next: a repeat of a stress at a strength, both by index, or the case of this number if `listed`."""

    repeat: int
    sweep: int
    strength: int
    listed: bool = False


class Trials(NamedTuple):
    """What R trials did to M methods and N systems; fields measure what those of `SweepResult` do.

    Attributes
    ----------
    tau, kept, error
        Shape `(R, M)`; no error where there is no truth.
    first
        Shape `(R, M, N)`: which systems are first.
    unplaced, unranked
        Shape `(R, M)`: whether the method places some systems and not others, or cannot rank at all.
    emptied
        Shape `(R,)`: whether a system or a task lost all its scores.
    """

    tau: Floats
    kept: Floats
    error: Floats | None
    first: Bools
    unplaced: Bools
    unranked: Bools
    emptied: Bools

    @classmethod
    def joined(cls, parts: Sequence["Trials"]) -> Self:
        """Put trials one behind the other."""
        columns: list[Any] = [None if some[0] is None else np.concatenate(some) for some in zip(*parts, strict=True)]
        return cls(*columns)

    def take(self, which: NDArray[np.intp]) -> Self:
        """Return some of the trials."""
        columns: list[Any] = [None if field is None else field[which] for field in self]
        return type(self)(*columns)


class Unstressed(NamedTuple):
    """A table without stress.

    Attributes
    ----------
    scores
        N systems.
    places
        For each method, shape `(N,)`: see `podium.ranking.api.places_by`; None where it cannot rank the table.
    ranks
        Shape `(M, N)`: the same, last for systems without a place, and 0 for all where the table is not ranked.
    truth
        Shape `(N,)`: true ranks, or None where they are not known.
    """

    scores: Scores
    places: Sequence[Places | None]
    ranks: Floats
    truth: NDArray[np.int64] | None

    @classmethod
    def of(cls, table: Scores | World, specs: Sequence[MethodSpec], threads: int | None = 1) -> Self:
        """Rank an unstressed table by all methods."""
        scores, truth = (table.scores, table.truth) if isinstance(table, World) else (table, None)
        places = places_by(scores, specs, threads=threads)
        return cls(scores, places, _ranks(places, len(scores.systems)), truth)

    @property
    def leaders(self) -> tuple[tuple[str, ...], ...]:
        """For each method, who is first; all where it places nobody."""
        first = self.ranks == self.ranks.min(axis=1, keepdims=True)
        return tuple(tuple(compress(self.scores.systems, row)) for row in first.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """All that trials depend on.

    Attributes
    ----------
    table
        Stressed, or how to draw a world for every repeat.
    sweeps
        Stresses with their strengths.
    specs
        The M ways to rank.
    seed
        Seed of all random numbers.
    systems
        The N labels.
    unstressed
        The table without stress, of all repeats; None where each has a world of its own.
    """

    table: Table
    sweeps: tuple[Sweep, ...]
    specs: tuple[MethodSpec, ...]
    seed: int
    systems: tuple[str, ...]
    unstressed: Unstressed | None

    def trials(self, turns: Iterable[Turn], threads: int | None = 1) -> Trials:
        """Make the trial of every turn; a world is drawn once for all turns of its repeat in a row.

        Raises
        ------
        MethodError
            A stress cannot be applied.
        InputError
            A world has other systems than the first.
        """
        unstressed, drawn, before, after, places, emptied = self.unstressed, -1, [], [], [], []
        for turn in turns:
            if self.unstressed is None and turn.repeat != drawn:
                unstressed, drawn = self._drawn(turn.repeat, threads), turn.repeat
            assert unstressed is not None  # noqa: S101  # drawn above
            scores = self._stressed(unstressed.scores, turn)
            changed = scores is not unstressed.scores
            found = places_by(scores, self.specs, threads=threads) if changed else unstressed.places
            before.append(unstressed)
            after.append(_of_systems(_ranks(found, len(scores.systems)), scores.systems, self.systems))
            places.append(found)
            emptied.append(changed and _emptied(unstressed.scores, scores))
        return _compared(before, np.array(after), places, np.array(emptied))

    def _drawn(self, repeat: int, threads: int | None) -> Unstressed:
        """Draw the world of a repeat, and rank it by all methods."""
        unstressed = Unstressed.of(drawn_world(self.table, self.seed, repeat), self.specs, threads)
        if unstressed.scores.systems != self.systems:
            raise InputError(
                f"the world of repeat {repeat} has other systems than that of repeat 0; use the same systems in all"
            )
        return unstressed

    def _stressed(self, scores: Scores, turn: Turn) -> Scores:
        sweep = self.sweeps[turn.sweep]
        strength = sweep.strengths[turn.strength]
        if not turn.listed:
            return stressed(scores, sweep, strength, chance(self.seed, sweep, turn.repeat))
        every = cases_of(scores, sweep, strength)
        assert every is not None  # noqa: S101  # the plan has asked
        return _checked(scores, sweep, strength, lambda: every.nth(turn.repeat))


def drawn_world(table: Table, seed: int, repeat: int) -> Scores | World:
    """Return the table, or draw that of a repeat.

    Raises
    ------
    InputError
        It is neither scores nor a world.
    """
    found = table
    if callable(table):
        found = table(generator(seed, _WORLDS, repeat))
        if not isinstance(found, World):
            raise InputError(f"expected a function that draws a World, not one that returns {type(found).__name__}")
    if not isinstance(found, World):
        check_scores(found)
    return found  # type: ignore[return-value]  # checked


def chance(seed: int, sweep: Sweep, repeat: int) -> np.random.Generator:
    """Return the random numbers of a stress in a repeat, the same at all its strengths and in every process."""
    name = int.from_bytes(hashlib.sha256(sweep.name.encode()).digest()[:8], "big")
    return generator(seed, _STRESSES, name, repeat)


def stressed(scores: Scores, sweep: Sweep, strength: float, rng: np.random.Generator) -> Scores:
    """Apply a stress.

    Raises
    ------
    MethodError
        It cannot be applied, or the stressed table has no system in common with the table.
    """
    return _checked(scores, sweep, strength, lambda: sweep.stress(strength)(scores, rng))


def cases_of(scores: Scores, sweep: Sweep, strength: float) -> Cases | None:
    """List all that a stress can do, or None where it cannot say; without stress there is the table alone."""
    if not strength:
        return Cases(0, 0, lambda _: scores)
    listing = getattr(sweep.stress(strength), "cases", None)
    return None if listing is None else listing(scores)


def _checked(scores: Scores, sweep: Sweep, strength: float, change: Callable[[], Scores]) -> Scores:
    try:
        changed = change()
        check_scores(changed)
    except PodiumError as error:
        raise MethodError(f"stress {sweep.name!r} at {strength:g}: {error}") from error
    if changed.systems != scores.systems and set(scores.systems).isdisjoint(changed.systems):
        raise MethodError(
            f"stress {sweep.name!r} at {strength:g} leaves none of the systems, so there is nothing to compare"
        )
    return changed


def _compared(
    unstressed: Sequence[Unstressed], after: Floats, places: Sequence[Sequence[Places | None]], emptied: Bools
) -> Trials:
    """Compare rankings with and without stress, of shape `(R, M, N)`, on the systems of both."""
    n_trials, n_methods, n_systems = after.shape
    before = np.where(np.isnan(after), np.nan, np.array([one.ranks for one in unstressed]))
    pairs = before.reshape(-1, n_systems), after.reshape(-1, n_systems)
    leads, first = (ranks == np.nanmin(ranks, axis=2, keepdims=True) for ranks in (before, after))
    error = None
    if unstressed[0].truth is not None:
        truth = np.array([one.truth for one in unstressed], dtype=np.float64)
        counts = count_pairs(np.repeat(truth, n_methods, axis=0), pairs[1])
        error = np.full(n_trials * n_methods, 0.5)
        np.divide(distances(counts, 0.5), counts.compared, out=error, where=counts.compared > 0)
        error = error.reshape(n_trials, n_methods)
    return Trials(
        tau=np.nan_to_num(correlations(count_pairs(*pairs))).reshape(n_trials, n_methods),
        kept=(leads & first).sum(axis=2) / first.sum(axis=2),
        error=error,
        first=first,
        unplaced=np.array([[one is not None and bool((one < 0).any()) for one in row] for row in places]),
        unranked=np.array([[one is None for one in row] for row in places]),
        emptied=emptied,
    )


def _ranks(places: Sequence[Places | None], n_systems: int) -> Floats:
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
    """Whether a system or a task that is in both tables had a score before, and has none after."""
    scored = np.array([task.scored for task in after.tasks]) > 0
    if scored.any(axis=0).all() and scored.any(axis=1).all():
        return False
    had, has = _with_scores(before), _with_scores(after)
    labels = (after.systems, after.task_names)
    return any((set(named) - some) & earlier for named, some, earlier in zip(labels, has, had, strict=True))


def _with_scores(scores: Scores) -> tuple[set[str], set[str]]:
    """Systems and tasks that have some score."""
    scored = np.array([task.scored for task in scores.tasks])
    systems, tasks = scored.max(axis=0).tolist(), scored.max(axis=1).tolist()
    return set(compress(scores.systems, systems)), set(compress(scores.task_names, tasks))
