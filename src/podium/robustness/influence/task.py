"""Rankings without some tasks, many at once: a table without a task is one in which it weighs nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec
from podium.robustness.influence.contest import AT_ONCE, Bools, Contest, EachLeftOut, Floats, Outcomes
from podium.score.family import family_names
from podium.tally.duel import Duels
from podium.tally.engine.count import Counts
from podium.tally.position import Positions


@dataclass(frozen=True, eq=False)
class TaskDeletion:
    """The U families of tasks that can be left out, each as one; a task alone is a family.

    Attributes
    ----------
    contest
        The table, and how it is ranked.
    """

    kind: ClassVar[str] = "task"

    contest: Contest

    @cached_property
    def families(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """Return the names of the families, and the number of that of each task."""
        of = family_names(self.contest.table.tasks)
        names = tuple(dict.fromkeys(of))
        place = {name: number for number, name in enumerate(names)}
        return names, np.array([place[name] for name in of], dtype=np.intp)

    def __len__(self) -> int:
        return len(self.families[0])

    def labels(self, units: Sequence[int]) -> tuple[str, ...]:
        """Names of families."""
        return tuple(self.families[0][unit] for unit in units)

    def tasks_of(self, units: Sequence[int]) -> None:
        """None: only instances belong to tasks."""

    def without_each(self) -> EachLeftOut:
        """Rank without each task."""
        outcomes = self.without(np.eye(len(self), dtype=np.bool_))
        order = outcomes.by_influence()
        return EachLeftOut(outcomes.lead, order, outcomes.take(order))

    def without(self, left_out: Bools) -> Outcomes:
        """Rank without some of the families, `(U, B)`."""
        left_out = left_out[self.families[1]]
        contest = self.contest
        scored = np.array([task.scored > 0 for task in contest.table.tasks])[..., None]
        counts = contest.counted.counts.as_replicates()
        n_systems = len(contest.table.systems)
        # Sums over tasks are one product of matrices, see `weighted_sum`, and then only weights take memory.
        n_tasks = len(left_out)
        numbers = max(n_tasks // 4, n_systems) if contest.method.adds_up else n_tasks * n_systems
        numbers = max(numbers, 4 * n_systems**2 if contest.method.of_pairs else 0)
        at_once = max(AT_ONCE // numbers, 1)
        pieces = []
        for start in range(0, left_out.shape[1], at_once):
            # a task of weight 0 that stays still connects those that are scored on it
            stays = ~left_out[:, start : start + at_once]
            pieces.append(contest.ranked(stays.astype(np.float64), scored, counts))
        return Outcomes.joined(pieces)

    def shares(self) -> Floats:
        """Shape `(U, N)`: what each family adds to the scores, before they are divided by the weight of all tasks.

        Exact where scores are additive, see `Contest.additive`; otherwise what it adds to the mean over tasks, or to
        the Borda score at the same level. NaN for all where the task has no score.
        """
        counted, spec = self._summed()
        turned = counted.standing_of_each_task(spec).goodness.T
        weight = self.contest.weights
        if self.contest.spec.level == "one":  # there a task also weighs by its instances
            tallies = counted.counts[Duels] if Duels in counted.counts else counted.counts[Positions]
            weight = weight * np.array([tally.weight for tally in tallies])
        shares: Floats = np.where(np.isnan(turned), np.nan, weight[:, None] * turned)
        if len(self) == len(shares):
            return shares
        summed = np.zeros((len(self), shares.shape[1]))
        np.add.at(summed, self.families[1], np.nan_to_num(shares))
        known = np.zeros(summed.shape, dtype=np.bool_)
        np.logical_or.at(known, self.families[1], ~np.isnan(shares))
        return np.where(known, summed, np.nan)

    def _summed(self) -> tuple[CountedScores, MethodSpec]:
        """Return the table and the method, or like ones by which scores are sums over tasks."""
        contest, counted = self.contest, self.contest.counted
        if contest.additive:
            return counted, contest.spec
        if contest.method.averages:
            spec = MethodSpec("mean")
        else:
            spec = MethodSpec("borda", contest.spec.level, missing="imputed")  # whose scores are sums
            spec = spec.on(contest.table)  # a method may have no level
            if Duels in counted.counts:
                positions = tuple(map(Duels.positions, counted.counts[Duels]))
                return replace(counted, counts=Counts({Positions: positions})), spec
        return counted.counted_for(spec), spec  # counted anew for a method that ranks by tallies of its own
