"""Whether one strength a system explains battles, or any order does; and how scores vary that count what was fought."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.ranking.ballots import majority, strong_components
from podium.ranking.method.majority import majorities
from podium.ranking.method.missing_model import chances, strengths
from podium.score.table import Scores, of_battles
from podium.score.task import Task, masses_of
from podium.score.units import units_among
from podium.tally.draw import mix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Level of both tests, how often signs are flipped, and from which seed.
_ALPHA, _FLIPS, _SEED = 0.05, 499, 0x666974

#: Numbers that are drawn at a time.
_AT_ONCE = 2**22


def circle_of(scores: Scores) -> tuple[tuple[str, ...], float] | None:
    """Test whether battles fit; None where a table has none, or they do.

    Returns
    -------
    Systems that beat each other in a circle, each the next and the last the first, if no order fits, otherwise none;
    and the p-value of `FoughtBattles.misfit`.

    Examples
    --------
    >>> import podium
    >>> nan, won, lost = float("nan"), [1.0] * 20, [0.0] * 20
    >>> rock, paper, shears = lost + won + [nan] * 20, won + [nan] * 20 + lost, [nan] * 20 + lost + won
    >>> scores = podium.from_arrays([[rock], [paper], [shears]], systems=["rock", "paper", "shears"])
    >>> circle_of(scores)
    (('paper', 'rock', 'shears'), 0.002)
    """
    return FoughtBattles.of(scores).fit() if of_battles(scores) else None


def battles_in(task: Task, tolerance: float) -> tuple[Ints, Ints, Floats]:
    """Return the instances of a task that are battles, shape `(B,)`; who fought, `(2, B)`; and what the first won.

    >>> import podium
    >>> nan = float("nan")
    >>> battles_in(podium.from_arrays([[[1, nan, 0.5]], [[0, 1, 0.5]]], systems=["A", "B"]).tasks[0], 0.0)
    (array([0, 2]), array([[0, 0],
           [1, 1]]), array([1. , 0.5]))
    """
    values = task.values if task.higher_is_better else -task.values
    there = ~np.isnan(values)
    both = np.flatnonzero(there.sum(axis=0) == 2)
    _, system = np.nonzero(there[:, both].T)
    first, second = pair = system.reshape(-1, 2).T
    lead = values[first, both] - values[second, both]
    return both, pair, np.where(np.abs(lead) > tolerance, (1 + np.sign(lead)) / 2, 0.5)


@dataclass(frozen=True, eq=False)
class FoughtBattles:
    """The battles of a table by unit, an instance or a cluster, and pair; units that are alike are held once.

    Attributes
    ----------
    systems
        The N labels, by name; a pair is (i, j) with i before j.
    unit, first, second
        Shape `(M,)`: the unit, and the pair.
    fought, won
        Shape `(M,)`: weight of the battles of the pair in one such unit, and of those that i won, a tie as half. A
        battle weighs 1 on average.
    times
        Shape `(U,)`: how many units are like this one.
    """

    systems: tuple[str, ...]
    unit: Ints
    first: Ints
    second: Ints
    fought: Floats
    won: Floats
    times: Ints

    @classmethod
    def of(cls, scores: Scores, level: str | None = "one") -> Self:
        """Count the battles; at level "one" a task weighs as many instances as it has."""
        tasks = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
        order = np.argsort(np.argsort(scores.systems))
        columns: list[list[Any]] = []
        start = 0
        for group in units_among(tasks):
            for index, of in zip(group.tasks, group.of, strict=True):
                task = tasks[index]
                mass = masses_of(task) * task.weight / (1.0 if level == "one" else math.fsum(masses_of(task)))
                both, (first, second), won = battles_in(task, scores.effective_tie_tolerance)
                first, second = order[first], order[second]
                won = np.where(first < second, won, 1 - won)
                pair = np.minimum(first, second), np.maximum(first, second)
                columns.append([start + of[both], *pair, mass[both], won])
            start += group.number
        unit, first, second, fought, won = map(np.concatenate, zip(*columns, strict=True))
        return cls.of_rows(tuple(sorted(scores.systems)), unit, first, second, fought=fought, won=won)

    @classmethod
    def of_rows(
        cls, systems: tuple[str, ...], unit: Ints, first: Ints, second: Ints, *, fought: Floats, won: Floats
    ) -> Self:
        """Hold battles, a row each, `won` being the share that the first of the pair won."""
        fought = fought * fought.size / math.fsum(fought)  # which does not depend on their order
        unit, times, kept = _alike(unit, first * len(systems) + second, fought, won)
        return cls(systems, unit, first[kept], second[kept], fought[kept], (fought * won)[kept], times)

    def fit(self) -> tuple[tuple[str, ...], float] | None:
        """Return systems in a circle, if no order fits, and the p-value of `misfit`; None if strengths explain them."""
        p = self.misfit()
        if p > _ALPHA:
            return None
        return (self.circle() if self.disorder() <= _ALPHA else ()), p

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints, Ints]:
        """Return the number of the pair of each row; and the first and second system of each pair."""
        key, number = np.unique(self.first * len(self.systems) + self.second, return_inverse=True)
        return number, key // len(self.systems), key % len(self.systems)

    @cached_property
    def met(self) -> Floats:
        """Shape `(P,)`: weight of the battles of each pair that met."""
        return np.bincount(self._pairs[0], self.fought * self.times[self.unit]).astype(np.float64)

    @cached_property
    def _won(self) -> Floats:
        """Shape `(N, N)`: weight of the battles that i won against j."""
        number, first, second = self._pairs
        won = np.zeros((len(self.systems),) * 2)
        won[first, second] = np.bincount(number, self.won * self.times[self.unit])
        won[second, first] = self.met - won[first, second]
        return won

    @cached_property
    def _chance(self) -> Floats:
        """Shape `(N, N)`: probability by Bradley & Terry that i beats j."""
        return chances(strengths(self._won, np.asarray(self.met.sum())))

    def misfit(self) -> float:
        """Return the p-value of the hypothesis that one strength a system explains who won.

        The statistic is Pearson's, Σ r² / (n p (1 − p)) over the pairs that met n times, r being the wins less those
        expected, n p, by `podium.ranking.method.missing_model.strengths`, after taking out what other strengths would
        explain, and what would if shares of wins were all nearer to a half, as ties make them. Its distribution is that
        of r if the battles of each unit, less what is expected, had the other sign or not, the same for all of a unit:
        so neither few battles a pair nor judges with tastes make it too small. With 499 flips it is at least 0.002.
        """
        number, first, second = self._pairs
        p, n = self._chance[first, second], self.met
        variance = n * p * (1 - p)
        explained = np.zeros((p.size, len(self.systems) + 1))
        pair = np.arange(p.size)
        explained[pair, first], explained[pair, second] = 1.0, -1.0
        if len(self.systems) > 3:  # of three, nothing would be left
            explained[:, -1] = n * (p - 0.5) / variance
        inverse = np.linalg.pinv((explained.T * variance) @ explained, rcond=1e-9, hermitian=True)

        def statistic(rest: Floats) -> Floats:
            rest = rest - variance[:, None] * (explained @ (inverse @ (explained.T @ rest)))
            return np.asarray((rest**2 / variance[:, None]).sum(axis=0))

        battles = float(np.sum(self.times[self.unit]))
        lost = battles / max(battles - len(self.systems), 1.0)  # residuals are smaller than errors by as much
        return self._flipped(self.won - self.fought * p[number], statistic, lost)

    def disorder(self) -> float:
        """Return the p-value of the hypothesis that the systems have an order: none loses most against a later one.

        Systems are ordered by their mean share of wins, and the statistic is Σ r² / Σ_u r_u² over the pairs that met
        whose majority is against this order, r being wins less half of the battles, and r_u that of a unit. Its
        distribution is that of equal systems, by flips as for `misfit`, each with an order of its own.
        """
        number, first, second = self._pairs
        rest = self.won - self.fought / 2
        square = np.bincount(number, rest**2 * self.times[self.unit])
        square = np.where(square > 0, square, np.inf)
        sums = np.zeros((len(self.systems), self.met.size))
        sums[first, np.arange(self.met.size)], sums[second, np.arange(self.met.size)] = 1 / self.met, -1 / self.met

        def statistic(total: Floats) -> Floats:
            share = sums @ total
            against = np.minimum(total * np.sign(share[first] - share[second]), 0.0)
            return np.asarray((against**2 / square[:, None]).sum(axis=0))

        return self._flipped(rest, statistic, 1.0)

    def _flipped(self, rest: Floats, statistic: Any, factor: float) -> float:
        """Return the share of flips whose statistic, times a factor, is at least that of what was fought."""
        by_pair = _table(rest, self.unit, self._pairs[0], self.met.size)
        observed = statistic(by_pair.T @ self.times[:, None].astype(np.float64))[0]
        rng = np.random.default_rng(_SEED)
        reached = 0
        for some in _runs(_FLIPS, self.times):
            signs = 2.0 * rng.binomial(self.times[:, None], 0.5, (self.times.size, some)) - self.times[:, None]
            reached += int(np.count_nonzero(factor * statistic(by_pair.T @ signs) >= observed * (1 - 1e-9)))
        return (1 + reached) / (_FLIPS + 1)

    def circle(self) -> tuple[str, ...]:
        """Return a shortest circle of systems, each beating the next by majority; nothing if there is none."""
        group = max(strong_components(majority(self._won)), key=len)
        cycle = majorities(self._won[np.ix_(group, group)]).cycle
        return tuple(self.systems[group[one]] for one in cycle or ())

    def replicates(self, systems: Sequence[str], score: Floats, replicates: int, seed: int) -> Floats:
        """Shape `(N, B)`: scores that count what was fought, if other units were drawn, each a Poisson number of times.

        The share that i won against j is n_ij / (N − 1) of its battles, and each adds its error, the win less p_ij, to
        the score of i, and takes it from that of j. Errors are taken about the chances of `misfit`, since of a pair
        that met once the share itself would know none. A pair that never met is known as well as if it had met once.

        Parameters
        ----------
        systems, score
            The labels, and shape `(N,)`: their scores.
        replicates, seed
            B, and the seed of the draws.
        """
        number, one, other = self._pairs
        never = np.triu(np.ones_like(self._chance, dtype=np.bool_), 1)
        never[one, other] = False
        first, second = (
            np.concatenate(both) for both in zip((self.first, self.second), np.nonzero(never), strict=True)
        )
        p = self._chance[first, second]
        added = np.sqrt(p * (1 - p))
        added[: self.unit.size] = (self.won - self.fought * p[: self.unit.size]) / self.met[number]
        unit = np.concatenate([self.unit, self.times.size + np.arange(first.size - self.unit.size)])
        times = np.concatenate([self.times, np.ones(first.size - self.unit.size, dtype=np.int64)])[:, None]
        by_system = _table(added, unit, first, score.size) - _table(added, unit, second, score.size)
        rng = np.random.default_rng([seed % 2**64, _SEED])
        errors = [by_system.T @ (rng.poisson(times, (times.size, some)) - times) for some in _runs(replicates, times)]
        row = {system: index for index, system in enumerate(self.systems)}
        error = np.hstack(errors)[[row[system] for system in systems]]
        return np.asarray(score[:, None] + error / (len(self.systems) - 1))


def _table(values: Floats, units: Ints, columns: Ints, size: int) -> "csr_array":
    """Shape `(U, size)`: sums of values by unit and column."""
    from scipy.sparse import csr_array  # noqa: PLC0415  # only battles need it

    return csr_array((values, (units, columns)), shape=(int(units.max()) + 1, size))


def _runs(number: int, units: Ints) -> list[int]:
    """Sizes of runs that are drawn at a time."""
    size = max(_AT_ONCE // units.size, 1)
    return [min(size, number - start) for start in range(0, number, size)]


def _alike(unit: Ints, pair: Ints, fought: Floats, won: Floats) -> tuple[Ints, Ints, Ints]:
    """Units by what is fought in them, and not by their place; how many are alike; and the rows of one of each."""
    keys = mix(mix(pair.astype(np.uint64) * np.uint64(3) + (2 * won).astype(np.uint64)) ^ fought.view(np.uint64))
    content = np.zeros(int(unit.max()) + 1, dtype=np.uint64)
    np.add.at(content, unit, keys)
    there = np.unique(unit)
    _, one, times = np.unique(content[there], return_index=True, return_counts=True)
    number = np.full(content.size, -1, dtype=np.int64)
    number[there[one]] = np.arange(one.size)
    kept = np.flatnonzero(number[unit] >= 0)
    kept = kept[np.lexsort((keys[kept], number[unit[kept]]))]
    return number[unit[kept]], times, kept
