"""A table that is ranked again and again with something left out, and what becomes of its first place each time."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from podium.ranking.counted import CountedScores, is_linear
from podium.ranking.distance import kendall_tau
from podium.ranking.method.method import Method
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.rankable import connected, weighs
from podium.score.place import ROUNDING, places
from podium.score.table import Scores
from podium.tally.draw import Resampling
from podium.tally.engine.count import Counts

Bools = NDArray[np.bool_]

Floats = NDArray[np.float64]

Integers = NDArray[np.int64]

#: Numbers that rankings are made of at a time.
AT_ONCE = 2**22

#: Cube of the number of systems, times tables, above which no model of missing scores is fitted to each.
_LONG = 10**10

#: Binary digits of leads that are not rounding.
_DIGITS = 43


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """How the same N systems rank after each of B deletions.

    Attributes
    ----------
    score
        Shape `(N, B)`, turned so that higher is better; NaN where a system cannot be placed, or the table not ranked.
    place
        Shape `(N, B)`: 0 for the first and for all who share the first place; −1 where there is no score.
    leader
        Index of the system that is first when nothing is left out.
    """

    score: Floats
    place: Integers
    leader: int

    @classmethod
    def joined(cls, pieces: list["Outcomes"]) -> "Outcomes":
        """Put outcomes one after the other."""
        return cls(
            np.concatenate([piece.score for piece in pieces], axis=1),
            np.concatenate([piece.place for piece in pieces], axis=1),
            pieces[0].leader,
        )

    def take(self, which: Integers | slice) -> "Outcomes":
        """Return some of the outcomes, in that order."""
        return replace(self, score=self.score[:, which], place=self.place[:, which])

    def __len__(self) -> int:
        return int(self.score.shape[1])

    @property
    def first(self) -> Bools:
        """Shape `(N, B)`: who is first, alone or not."""
        first: Bools = self.place == 0
        return first

    @property
    def lost(self) -> Bools:
        """Shape `(B,)`: whether somebody is first, and it is not the leader, not even among others."""
        first = self.first
        lost: Bools = first.any(axis=0) & ~first[self.leader]
        return lost

    def ahead(self, rivals: Integers) -> Floats:
        """Shape `(R, B)`: score of the leader less that of each rival; −∞ (∞) where only the rival (leader) has one."""
        own, other = self.score[self.leader], self.score[rivals]
        with np.errstate(invalid="ignore"):
            return np.where(np.isnan(other), np.inf, np.where(np.isnan(own), -np.inf, own - other))

    @property
    def lead(self) -> Floats:
        """Shape `(B,)`: score of the leader less the best of the others, 0 where the place is shared.

        −∞ where the leader cannot be placed, ∞ where no other system can, and NaN where no system can.
        """
        others = np.delete(np.arange(self.score.shape[0]), self.leader)
        lead = self.ahead(others).min(axis=0)
        first = self.first
        shared = first[self.leader] & first[others].any(axis=0)
        found: Floats = np.where(first.any(axis=0), np.where(shared, 0.0, lead), np.nan)
        return found

    def by_influence(self) -> Integers:
        """Shape `(B,)`: the outcomes in order: where the place is lost, then where none is placed, then by lead.

        >>> score = np.array([[1.0, np.nan, 1.0], [0.5, np.nan, 2.0]])
        >>> Outcomes(score, np.array([[0, -1, 1], [1, -1, 0]]), leader=0).by_influence()
        array([2, 1, 0])
        """
        lead = self.lead
        kind = np.where(lead < 0, 0, np.where(np.isnan(lead), 1, 2))
        return np.lexsort((self._rounded(lead), kind))

    def _rounded(self, lead: Floats) -> Floats:
        """Shape `(B,)`: the lead, so that leads that differ by rounding only are the same.

        Each is rounded in proportion to its own scores, so that large ones elsewhere make no leads alike.
        """
        largest = np.abs(np.where(np.isfinite(self.score), self.score, 0.0)).max(axis=0, initial=0.0)
        unit = np.ldexp(1.0, np.frexp(largest)[1] - _DIGITS)
        rounded: Floats = np.round(lead / unit) * unit
        return rounded

    def tau(self, place: Integers) -> Floats:
        """Shape `(B,)`: τ-b to a ranking of the places `(N,)`; unplaced are last; 0 where either ties all."""
        last = len(place)
        own = np.where(place < 0, last, place)
        found = [kendall_tau(own, np.where(other < 0, last, other)) for other in self.place.T]
        tau: Floats = np.nan_to_num(np.array(found, dtype=np.float64), nan=0.0)
        return tau


@dataclass(frozen=True, slots=True, eq=False)
class EachLeftOut:
    """Outcomes without one unit, a task or an instance, at a time.

    Attributes
    ----------
    lead_of_all
        Shape `(U,)`: the lead without each of all units, in the order of the table; see `Outcomes.lead`.
    units, outcomes
        The most influential units, the most influential first (`Outcomes.by_influence`), and the outcomes without them.
    """

    lead_of_all: Floats
    units: Integers
    outcomes: Outcomes


@dataclass(frozen=True, eq=False)
class Contest:
    """A counted table, how it is ranked, and who leads it; a replicate is here the table after one deletion.

    Attributes
    ----------
    counted
        The table.
    spec
        The method.
    leader
        Index of the system that is first.
    """

    counted: CountedScores
    spec: MethodSpec
    leader: int

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

    @cached_property
    def _weighing(self) -> Bools:
        """Shape `(T,)`: which tasks have a score that counts, see `podium.ranking.counted.weighs`."""
        return np.array(list(map(weighs, self.table.tasks)))

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
        imputed = not self.method.averages and self.counted.setting(self.spec).missing != "direct"
        return self.method.adds_up and (imputed or self.complete)

    def _is_long(self, task_factors: Floats) -> bool:
        """Whether a model of missing scores would take minutes to be fitted to each of many tables."""
        linear = is_linear(self.spec, Resampling("tasks"))
        return linear and len(self.counted.given.systems) ** 3 * len(task_factors) > _LONG

    def ranked(self, task_factors: Floats, scored: Bools, counts: Counts, scale: Floats | None = None) -> Outcomes:
        """Rank B replicates, tables after one deletion each; no system is placed where `podium.rank` refuses.

        The last axis of every array is that of the replicates; its length is 1 where they are all alike.

        Parameters
        ----------
        task_factors
            Shape `(T, B)`: by what the weight of each task is multiplied: 1 if it stays, 0 if it is left out.
        scored
            Shape `(T, N, B)`: whether a system has any score on a task.
        counts, scale
            As for `CountedScores.standing_reweighed`.
        """
        spec = self.spec
        if spec.time_limit is not None:  # the method shares it among the replicates: each has as much as the table
            n_replicates = max(task_factors.shape[1], scored.shape[2], counts.n_replicates)
            spec = replace(spec, time_limit=spec.time_limit * n_replicates)
        if spec.missing == "model" and counts.alike is not None and self._is_long(task_factors):
            score = self.counted.linearised(spec).replicates_of_tasks(task_factors)
            standing = replace(
                self.counted.standing(spec), score=score
            )  # one step from the fit, close if tasks are many
        else:
            standing = self.counted.standing_reweighed(spec, task_factors, counts, scale=scale, scored=scored)
        # a table whose scores all weigh nothing is no table to rank
        weigh = (self._weighing[:, None] * task_factors * scored.any(axis=1)).sum(axis=0) > 0
        if scored.shape[2] == 1:  # all replicates have the same scores
            connects = connected(scored[:, :, 0], task_factors > 0)
        else:
            connects = connected(scored & (task_factors > 0)[:, None])
        turned = standing.score if standing.higher_is_better else -standing.score
        score = np.where(connects & weigh, turned, np.nan)
        return Outcomes(score, places(score, tolerance=ROUNDING * np.asarray(standing.scale)), self.leader)
