"""One repeat of one stress: what it is drawn from, and how each method ranks the stressed table."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import compress, groupby
from operator import attrgetter
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.checkpoint import Arrays
from podium.base.errors import InputError, MethodError, PodiumError
from podium.base.seed import generator
from podium.ranking.counted import places_by
from podium.ranking.distance import correlations, count_pairs, distances
from podium.ranking.method_spec import MethodSpec
from podium.robustness.stress.stress import Sweep
from podium.score.table import Scores, check_scores
from podium.simulate.world import World

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What one repeat of a stress did, at S strengths, to M methods.

    Its fields measure what those of `SweepResult` do, which `podium.robustness.study.play.put_together` makes of them.
    Their axes have the same order: methods, strengths, systems. Trials are joined on the axis of the strengths.

    Attributes
    ----------
    tau, kept, error
        Shape `(M, S)`; no error where there is no truth.
    first
        Shape `(M, S, N)`: which systems are first.
    unplaced, unranked
        Shape `(M, S)`: whether the method places some systems and not others, or cannot rank at all.
    emptied
        Shape `(S,)`: whether a system or a task lost all its scores.
    """

    tau: Floats
    kept: Floats
    error: Floats | None
    first: Bools
    unplaced: Bools
    unranked: Bools
    emptied: Bools

    @classmethod
    def joined(cls, parts: Sequence["Trial"]) -> Self:
        """Put trials one behind the other: the strengths of one stress, or all the trials of a study to be saved."""
        fields_of = [part.arrays() for part in parts]
        joined = {name: [one[name] for one in fields_of] for name in fields_of[0]}
        return cls.of({name: np.concatenate(some, axis=_strengths_axis(some[0])) for name, some in joined.items()})

    @classmethod
    def of(cls, arrays: Mapping[str, Any]) -> Self:
        """Make a trial of its fields by name; TypeError where it has no such fields."""
        return cls(**{"error": None, **arrays})

    def arrays(self) -> Arrays:
        """Return the fields that there are, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in named.items() if array is not None}

    def fits(self, methods: int, systems: int) -> bool:
        """Whether all arrays have the right kinds of numbers, for so many methods and systems."""
        size = self.emptied.shape
        shares = [self.kept] if self.error is None else [self.kept, self.error]
        flags = (self.unplaced, self.unranked)
        return (
            self.emptied.ndim == 1
            and all(array.dtype == np.float64 for array in (self.tau, *shares))
            and all(array.dtype == np.bool_ for array in (*flags, self.first, self.emptied))
            and all(array.shape == (methods, *size) for array in (self.tau, *shares, *flags))
            and bool((abs(self.tau) <= 1).all())
            and all(bool(((array >= 0) & (array <= 1)).all()) for array in shares)
            and self.first.shape == (methods, *size, systems)
            and bool(self.first.any(axis=2).all())
        )

    def split(self, ends: Sequence[int]) -> "list[Trial]":
        """Undo `joined`: return the trials between these ends.

        >>> one = np.ones((1, 2))
        >>> two = Trial(one, one, None, one[..., None] > 0, one > 1, one > 1, one[0] > 1)
        >>> Trial.joined([two, two]).split([2, 4])[1].tau
        array([[1., 1.]])
        """
        arrays = self.arrays()
        split = (np.split(array, ends[:-1], axis=_strengths_axis(array)) for array in arrays.values())
        pieces = zip(*split, strict=True)
        return [Trial.of(dict(zip(arrays, piece, strict=True))) for piece in pieces]


def _strengths_axis(array: NDArray[Any]) -> int:
    """Return the axis of the strengths in a field of a trial: the only one, or the one behind the methods."""
    return min(1, array.ndim - 1)


class Turn(NamedTuple):
    """What is tried next: the number of a repeat, and the index of a sweep."""

    repeat: int
    sweep: int


def all_turns(repeats: int, n_sweeps: int) -> list[Turn]:
    """Return every sweep of repeat 0, then every sweep of repeat 1, and so on.

    Trials are made, returned and saved in this order. So after 100 trials the turns from number 100 on are left to do,
    and every `n_sweeps`-th trial is of the same sweep (`by_sweep`).

    >>> [tuple(turn) for turn in all_turns(2, 3)]
    [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    """
    return [Turn(repeat, sweep) for repeat in range(repeats) for sweep in range(n_sweeps)]


def by_sweep(trials: Sequence[Trial], n_sweeps: int) -> list[Sequence[Trial]]:
    """Return the trials of each sweep; all trials are in the order of `all_turns`."""
    return [trials[sweep::n_sweeps] for sweep in range(n_sweeps)]


#: Scores, a world, or how to draw one.
Table = Scores | World | Callable[[np.random.Generator], World]

#: First numbers of keys of generators.
_WORLDS, _STRESSES = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Unstressed:
    """A table without stress.

    Attributes
    ----------
    scores
        N systems.
    places
        For each method, shape `(N,)`: see `podium.ranking.counted.places_by`; None where it cannot rank the table.
    truth
        Shape `(N,)`: true ranks, or None where they are not known.
    """

    scores: Scores
    places: tuple[Places | None, ...]
    truth: NDArray[np.int64] | None

    @classmethod
    def of(cls, table: Scores | World, specs: Sequence[MethodSpec], threads: int | None = 1) -> Self:
        """Rank an unstressed table by all methods."""
        scores, truth = (table.scores, table.truth) if isinstance(table, World) else (table, None)
        return cls(scores, tuple(places_by(scores, specs, threads=threads)), truth)

    @property
    def leaders(self) -> tuple[tuple[str, ...], ...]:
        """For each method, who is first; all where it places nobody."""
        ranks = (_placed(places, len(self.scores.systems)) for places in self.places)
        return tuple(tuple(compress(self.scores.systems, (one == one.min()).tolist())) for one in ranks)


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

    @property
    def methods(self) -> tuple[str, ...]:
        """What the ways to rank are called."""
        return tuple(map(str, self.specs))

    def trials(self, turns: Iterable[Turn], threads: int | None = 1) -> Iterator[Trial]:
        """Yield the trial of every turn, one after the other.

        Where each repeat has a world of its own, it is drawn once for all turns of the repeat in a row.

        Raises
        ------
        MethodError
            A stress cannot be applied.
        InputError
            A world has other systems than the first.
        """
        for repeat, row in groupby(turns, key=attrgetter("repeat")):
            unstressed = self.unstressed or self._drawn(repeat, threads)
            for turn in row:
                yield self._trial(unstressed, self.sweeps[turn.sweep], repeat, threads)

    def _drawn(self, repeat: int, threads: int | None) -> Unstressed:
        """Draw the world of a repeat, and rank it by all methods."""
        unstressed = Unstressed.of(drawn_world(self.table, self.seed, repeat), self.specs, threads)
        if unstressed.scores.systems != self.systems:
            raise InputError(
                f"the world of repeat {repeat} has other systems than that of repeat 0; use the same systems in all"
            )
        return unstressed

    def _trial(self, unstressed: Unstressed, sweep: Sweep, repeat: int, threads: int | None) -> Trial:
        parts = []
        for strength in sweep.strengths:
            scores = stressed(unstressed.scores, sweep, strength, chance(self.seed, sweep, repeat))
            unchanged = scores is unstressed.scores
            places = unstressed.places if unchanged else places_by(scores, self.specs, threads=threads)
            parts.append(_compared(unstressed, scores, places))
        return Trial.joined(parts)


def chance(seed: int, sweep: Sweep, repeat: int) -> np.random.Generator:
    """Return the random numbers of a stress in a repeat, the same at all its strengths."""
    return generator(seed, _STRESSES, _hashed(sweep.name), repeat)


def stressed(scores: Scores, sweep: Sweep, strength: float, rng: np.random.Generator) -> Scores:
    """Apply a stress.

    Raises
    ------
    MethodError
        It cannot be applied, or the stressed table has no system in common with the table.
    """
    try:
        changed = applied(scores, sweep, strength, rng)
    except PodiumError as error:
        raise MethodError(f"stress {sweep.name!r} at {strength:g}: {error}") from error
    if set(scores.systems).isdisjoint(changed.systems):
        raise MethodError(
            f"stress {sweep.name!r} at {strength:g} leaves none of the systems, so there is nothing to compare"
        )
    return changed


def applied(scores: Scores, sweep: Sweep, strength: float, rng: np.random.Generator) -> Scores:
    """Apply a stress; the error of one that cannot be applied says why, and does not name the stress."""
    changed = sweep.stress(strength)(scores, rng)
    check_scores(changed)
    return changed


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


def _compared(unstressed: Unstressed, scores: Scores, places: Sequence[Places | None]) -> Trial:
    """Compare rankings with and without stress, of one strength, on the systems of both."""
    here, there = _common(unstressed.scores.systems, scores.systems)
    before = np.array([_placed(one, len(unstressed.scores.systems))[here] for one in unstressed.places])
    after = np.array([_placed(one, len(scores.systems))[there] for one in places])
    leads, leads_now = (ranks == ranks.min(axis=1, keepdims=True) for ranks in (before, after))
    first = np.zeros((len(unstressed.places), 1, len(unstressed.scores.systems)), dtype=np.bool_)
    first[:, 0, here] = leads_now
    return Trial(
        tau=np.nan_to_num(correlations(count_pairs(before, after)))[:, None],
        kept=((leads & leads_now).sum(axis=1) / leads_now.sum(axis=1))[:, None],
        error=None if unstressed.truth is None else _errors(unstressed.truth[here], after)[:, None],
        first=first,
        unplaced=np.array([[one is not None and bool((one < 0).any())] for one in places]),
        unranked=np.array([[one is None] for one in places]),
        emptied=np.array([_emptied(unstressed.scores, scores)]),
    )


def _errors(truth: NDArray[np.int64], ranks: Floats) -> Floats:
    """Shape `(M,)`: Kendall distance of each ranking from the truth as a share of the pairs; ½ of none."""
    counts = count_pairs(np.broadcast_to(truth.astype(np.float64), ranks.shape), ranks)
    errors = np.full(len(ranks), 0.5)
    np.divide(distances(counts, 0.5), counts.compared, out=errors, where=counts.compared > 0)
    return errors


def _common(here: tuple[str, ...], there: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Places, in both, of the labels that both have."""
    if here == there:
        return np.arange(len(here)), np.arange(len(here))
    place = {label: index for index, label in enumerate(there)}
    pairs = [(index, place[label]) for index, label in enumerate(here) if label in place]
    return np.array(pairs, dtype=np.intp).T[0], np.array(pairs, dtype=np.intp).T[1]


def _placed(places: Places | None, n_systems: int) -> Floats:
    """Return a place for every system: the last if it has none, the same for all if no system has one."""
    if places is None:
        return np.zeros(n_systems)
    return np.where(places < 0, n_systems, places).astype(np.float64)


def _emptied(before: Scores, after: Scores) -> bool:
    """Whether a system or a task that is in both tables had a score before, and has none after."""
    had, has = _with_scores(before), _with_scores(after)
    labels = (after.systems, after.task_names)
    return any((set(named) - some) & earlier for named, some, earlier in zip(labels, has, had, strict=True))


def _with_scores(scores: Scores) -> tuple[set[str], set[str]]:
    """Systems and tasks that have some score."""
    scored = np.array([task.scored for task in scores.tasks])
    systems, tasks = scored.max(axis=0).tolist(), scored.max(axis=1).tolist()
    return set(compress(scores.systems, systems)), set(compress(scores.task_names, tasks))


def _hashed(name: str) -> int:
    """Make a number of a name, the same in every process."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
