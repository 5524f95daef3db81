"""One try of one stress at one strength: what it is drawn from, and how each method ranks the stressed table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import compress, groupby
from operator import attrgetter
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.parallel import generator
from podium.ranking.counted import places_by
from podium.ranking.distance import correlations, count_pairs, distances
from podium.ranking.method_spec import MethodSpec
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.change import case_of, chance, stressed
from podium.score.table import Scores, check_scores
from podium.simulate.world import World

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What a stress did to M methods in S tries: one, or many that are joined.

    Its fields measure what those of `SweepResult` do, which `podium.robustness.study.play.put_together` makes of them.
    Their axes have the same order: methods, tries, systems. Where a method does not rank, numbers are NaN, and flags
    are False.

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
        """Put the trials of one strength one behind the other."""
        joined: dict[str, Any] = {}
        for field in fields(cls):
            some = [getattr(part, field.name) for part in parts]
            joined[field.name] = None if some[0] is None else np.concatenate(some, axis=min(1, some[0].ndim - 1))
        return cls(**joined)

    @property
    def ranked(self) -> Bools:
        """Shape `(M, S)`: whether the method ranked."""
        return ~np.isnan(self.kept)


class Turn(NamedTuple):
    """What is tried next.

    Attributes
    ----------
    repeat
        Number of a repeat, or of a case.
    sweep, strength
        Indices of a sweep and of one of its strengths.
    listed
        Whether `repeat` is the number of a case, see `podium.robustness.stress.stress.Cases`; else chance
        decides.
    leading
        Whether only the first method ranks, of several.
    """

    repeat: int
    sweep: int
    strength: int
    listed: bool = False
    leading: bool = False


#: Scores, a world, or how to draw one.
Table = Scores | World | Callable[[np.random.Generator], World]

#: First number of the keys of generators that draw worlds; see `podium.robustness.study.change` for the other.
_WORLDS = 0


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
                yield self._trial(unstressed, turn, threads)

    def _drawn(self, repeat: int, threads: int | None) -> Unstressed:
        """Draw the world of a repeat, and rank it by all methods."""
        unstressed = Unstressed.of(drawn_world(self.table, self.seed, repeat), self.specs, threads)
        if unstressed.scores.systems != self.systems:
            raise InputError(
                f"the world of repeat {repeat} has other systems than that of repeat 0; use the same systems in all"
            )
        return unstressed

    def _trial(self, unstressed: Unstressed, turn: Turn, threads: int | None) -> Trial:
        sweep = self.sweeps[turn.sweep]
        strength = sweep.strengths[turn.strength]
        if turn.listed:
            scores = case_of(unstressed.scores, sweep, strength, turn.repeat)
        else:
            scores = stressed(unstressed.scores, sweep, strength, chance(self.seed, sweep, turn.repeat))
        specs = self.specs[:1] if turn.leading else self.specs
        unchanged = scores is unstressed.scores
        places = unstressed.places[: len(specs)] if unchanged else places_by(scores, specs, threads=threads)
        return _compared(unstressed, scores, places)


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
    """Compare rankings with and without stress, of one strength, on the systems of both, by the methods that ranked."""
    here, there = _common(unstressed.scores.systems, scores.systems)
    ranked = len(places)
    before = np.array([_placed(one, len(unstressed.scores.systems))[here] for one in unstressed.places[:ranked]])
    after = np.array([_placed(one, len(scores.systems))[there] for one in places])
    leads, leads_now = (ranks == ranks.min(axis=1, keepdims=True) for ranks in (before, after))
    methods = len(unstressed.places)
    first = np.zeros((methods, 1, len(unstressed.scores.systems)), dtype=np.bool_)
    first[:ranked, 0, here] = leads_now
    return Trial(
        tau=_column(np.nan_to_num(correlations(count_pairs(before, after))), methods),
        kept=_column((leads & leads_now).sum(axis=1) / leads_now.sum(axis=1), methods),
        error=None if unstressed.truth is None else _column(_errors(unstressed.truth[here], after), methods),
        first=first,
        unplaced=_column(np.array([one is not None and bool((one < 0).any()) for one in places]), methods),
        unranked=_column(np.array([one is None for one in places]), methods),
        emptied=np.array([_emptied(unstressed.scores, scores)]),
    )


def _column(values: NDArray[Any], methods: int) -> NDArray[Any]:
    """Shape `(M, 1)`: what the first methods have, and nothing of those that did not rank."""
    column = np.full((methods, 1), np.nan if values.dtype.kind == "f" else False)
    column[: len(values), 0] = values
    return column


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
