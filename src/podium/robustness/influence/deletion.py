"""Outcomes without some tasks, many at once: a table without a task is one in which it weighs nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.ranking.counted import CountedScores, connected
from podium.ranking.distance import kendall_tau
from podium.ranking.method.method import Method, Standing
from podium.ranking.method_spec import MethodSpec, method_of, needs_of
from podium.score.place import ROUNDING, levels
from podium.score.table import Scores
from podium.tally.duel import Duels
from podium.tally.engine.local import Counts
from podium.tally.position import Positions

Bools = NDArray[np.bool_]

Floats = NDArray[np.float64]

#: Numbers that rankings are made of at a time.
AT_ONCE = 2**22

#: Binary digits of leads that are not rounding.
_DIGITS = 43


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """How the same N systems rank after each of B deletions.

    Attributes
    ----------
    score
        Shape `(N, B)`, turned so that higher is better; NaN where a system cannot be placed, or the table not ranked.
    level
        Shape `(N, B)`: 0 for the first and for all who share the first place; −1 where there is no score.
    """

    score: Floats
    level: NDArray[np.int64]

    @classmethod
    def of(cls, standing: Standing, rankable: Bools) -> "Outcomes":
        """Read outcomes off what a method made of replicates; no system is placed where `podium.rank` refuses."""
        shape = (standing.score.shape[0], rankable.size)
        given = np.broadcast_to(standing.score if standing.higher_is_better else -standing.score, shape)
        score = np.where(rankable, given, np.nan)
        return cls(score, levels(score, tolerance=ROUNDING * np.asarray(standing.scale)))

    @classmethod
    def joined(cls, pieces: list["Outcomes"]) -> "Outcomes":
        """Put outcomes one after the other."""
        return cls(
            np.concatenate([piece.score for piece in pieces], axis=1),
            np.concatenate([piece.level for piece in pieces], axis=1),
        )

    def take(self, which: NDArray[np.int64]) -> "Outcomes":
        """Keep some of the outcomes, in that order."""
        return Outcomes(self.score[:, which], self.level[:, which])

    @classmethod
    def none(cls, n_systems: int) -> "Outcomes":
        """Return no outcomes."""
        return cls(np.empty((n_systems, 0)), np.empty((n_systems, 0), dtype=np.int64))

    def __len__(self) -> int:
        return int(self.score.shape[1])

    @property
    def first(self) -> Bools:
        """Shape `(N, B)`: who is first, alone or not."""
        first: Bools = self.level == 0
        return first

    def lost(self, leader: int) -> Bools:
        """Shape `(B,)`: whether somebody is first, and it is not the leader, not even among others."""
        first = self.first
        lost: Bools = first.any(axis=0) & ~first[leader]
        return lost

    def ahead(self, leader: int, rivals: NDArray[np.int64]) -> Floats:
        """Shape `(R, B)`: score of the leader less that of each rival; −∞ (∞) where only the rival (leader) has one."""
        own, other = self.score[leader], self.score[rivals]
        with np.errstate(invalid="ignore"):
            return np.where(np.isnan(other), np.inf, np.where(np.isnan(own), -np.inf, own - other))

    def lead(self, leader: int) -> Floats:
        """Shape `(B,)`: score of the leader less the best of the others, 0 where the place is shared.

        −∞ where the leader cannot be placed, ∞ where no other system can, and NaN where no system can.
        """
        others = np.delete(np.arange(self.score.shape[0]), leader)
        lead = self.ahead(leader, others).min(axis=0)
        first = self.first
        shared = first[leader] & first[others].any(axis=0)
        found: Floats = np.where(first.any(axis=0), np.where(shared, 0.0, lead), np.nan)
        return found

    def by_influence(self, leader: int) -> NDArray[np.int64]:
        """Shape `(B,)`: the outcomes in order: where the place is lost, then where none is placed, then by lead.

        >>> score = np.array([[1.0, np.nan, 1.0], [0.5, np.nan, 2.0]])
        >>> Outcomes(score, np.array([[0, -1, 1], [1, -1, 0]])).by_influence(0)
        array([2, 1, 0])
        """
        lead = self.lead(leader)
        kind = np.where(lead < 0, 0, np.where(np.isnan(lead), 1, 2))
        return np.lexsort((self.rounded_lead(leader), kind))

    def rounded_lead(self, leader: int) -> Floats:
        """Shape `(B,)`: the lead, so that leads that differ by rounding only are the same.

        Each is rounded in proportion to its own scores, so that large ones elsewhere make no leads alike.
        """
        largest = np.abs(np.where(np.isfinite(self.score), self.score, 0.0)).max(axis=0, initial=0.0)
        unit = np.ldexp(1.0, np.frexp(largest)[1] - _DIGITS)
        rounded: Floats = np.round(self.lead(leader) / unit) * unit
        return rounded

    def tau(self, level: NDArray[np.int64]) -> Floats:
        """Shape `(B,)`: τ-b to a ranking of the levels `(N,)`; unplaced are last; 0 where either ties all."""
        last = len(level)
        own = np.where(level < 0, last, level)
        found = [kendall_tau(own, np.where(other < 0, last, other)) for other in self.level.T]
        tau: Floats = np.nan_to_num(np.array(found, dtype=np.float64), nan=0.0)
        return tau


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A counted table, and the way in which it is ranked.

    Attributes
    ----------
    counted
        The table.
    spec
        The method, with its level settled.
    """

    counted: CountedScores
    spec: MethodSpec

    @property
    def table(self) -> Scores:
        """The table, its tasks in the order in which they are counted."""
        return self.counted.by_name

    @property
    def method(self) -> Method:
        """What ranks it."""
        return method_of(self.spec)

    @property
    def weights(self) -> Floats:
        """Shape `(T,)`: of the tasks."""
        return self.table.task_weights

    @property
    def complete(self) -> bool:
        """Whether no score is missing."""
        return self.table.n_scored == self.table.n_cells

    @property
    def additive(self) -> bool:
        """Whether the scores are one weighted mean over tasks, the weights of a task being the same for all systems.

        To bring a rival ahead of the leader by leaving out as few tasks as can be, one then leaves out those by which
        the leader gains most on the rival: no smaller set will do.
        """
        imputed = not self.method.averages and self.counted.setting(self.spec).missing == "imputed"
        return self.method.adds_up and (imputed or self.complete)

    def ranked(self, weights: Floats, scored: Bools, counts: Counts, scale: Floats | None = None) -> Outcomes:
        """Rank replicates.

        Parameters
        ----------
        weights, counts, scale
            As for `CountedScores.standing_reweighed`.
        scored
            Shape `(T, N, B)` or `(T, N, 1)`: whether a system has any score on a task.
        """
        size = max(weights.shape[1], scored.shape[2])
        spec = self.spec
        if spec.time_limit is not None:  # each has as much as the whole table
            spec = replace(spec, time_limit=spec.time_limit * size)
        standing = self.counted.standing_reweighed(spec, weights, counts, scale)
        size = max(size, standing.score.shape[1])
        # a table whose tasks all weigh nothing is no table to rank
        weigh = (self.weights[:, None] * weights).sum(axis=0) > 0
        rankable = connected(scored & (weights > 0)[:, None]) & weigh
        return Outcomes.of(standing, np.broadcast_to(rankable, (size,)))

    def without_tasks(self, kept: Bools) -> Outcomes:
        """Rank with some of the tasks, `(T, B)`."""
        scored = np.array([task.scored > 0 for task in self.table.tasks])[..., None]
        counts = self.counted.counts.as_replicates()
        pieces = []
        for piece in self._pieces(kept.shape[1]):
            # a task of weight 0 that is kept still connects those that are scored on it
            weights = kept[:, piece].astype(np.float64)
            pieces.append(self.ranked(weights, scored, counts))
        return Outcomes.joined(pieces)

    def shares_of_tasks(self) -> Floats:
        """Shape `(T, N)`: what each task adds to the scores, before they are divided by the weight of all tasks.

        Exact where scores are additive, see `additive`; otherwise what it adds to the mean over tasks, or to the Borda
        score at the same level. 0 for all where the task has no score.
        """
        case = self._summed()
        n_tasks = len(self.table.tasks)
        alone = case.counted.standing_reweighed(case.spec, np.eye(n_tasks))
        score = np.broadcast_to(alone.score, (len(self.table.systems), n_tasks)).T
        weight = self.weights
        if self.spec.level == "one":
            counts = case.counted.counts
            tallies = counts[Duels] if Duels in counts else counts[Positions]
            weight = weight * np.array([task.weight for task in tallies])
        turned = score if alone.higher_is_better else -score
        shares: Floats = np.where(np.isnan(turned), np.nan, weight[:, None] * turned)
        return shares

    def _summed(self) -> "Case":
        """Return the case, or one like it whose scores are sums over tasks."""
        if self.additive:
            return self
        counted = self.counted
        spec = MethodSpec("mean") if self.method.averages else MethodSpec("borda", self.spec.level)
        if Duels in counted.counts and not self.method.averages:
            positions = tuple(map(Duels.positions, counted.counts[Duels]))
            counted = replace(counted, counts=Counts({Positions: positions}))
        elif any(kind not in counted.counts for kind in needs_of(spec, self.table)):
            # a method that ranks by tallies of its own
            counted = CountedScores.of(counted.given, [spec], threads=counted.threads)
        return Case(counted, spec)

    def _pieces(self, replicates: int) -> Iterator[slice]:
        """Cut replicates so that they fit into memory."""
        n_systems = len(self.table.systems)
        numbers = max(len(self.table.tasks) * n_systems, 4 * n_systems**2 if self.method.of_pairs else 0)
        size = max(AT_ONCE // numbers, 1)
        return (slice(first, min(first + size, replicates)) for first in range(0, replicates, size))
