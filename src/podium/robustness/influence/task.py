"""Rankings without some tasks, many at once: a table without a task is one in which it weighs nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec
from podium.robustness.influence.contest import AT_ONCE, Bools, Contest, EachLeftOut, Floats, Outcomes
from podium.tally.duel import Duels
from podium.tally.engine.count import Counts
from podium.tally.position import Positions


@dataclass(frozen=True, slots=True, eq=False)
class TaskDeletion:
    """The T tasks of a table that can be left out.

    Attributes
    ----------
    contest
        The table, and how it is ranked.
    """

    kind: ClassVar[str] = "task"

    contest: Contest

    def __len__(self) -> int:
        return len(self.contest.table.tasks)

    def labels(self, units: Sequence[int]) -> tuple[str, ...]:
        """Names of tasks."""
        names = self.contest.table.task_names
        return tuple(names[unit] for unit in units)

    def tasks_of(self, units: Sequence[int]) -> None:
        """None: only instances belong to tasks."""

    def without_each(self) -> EachLeftOut:
        """Rank without each task."""
        outcomes = self.without(np.eye(len(self), dtype=np.bool_))
        order = outcomes.by_influence()
        return EachLeftOut(outcomes.lead, order, outcomes.take(order))

    def without(self, left_out: Bools) -> Outcomes:
        """Rank without some of the tasks, `(T, B)`."""
        contest = self.contest
        scored = np.array([task.scored > 0 for task in contest.table.tasks])[..., None]
        counts = contest.counted.counts.as_replicates()
        n_systems = len(contest.table.systems)
        # Sums over tasks are one product of matrices, see `weighted_sum`, and then only weights take memory.
        numbers = max(len(self) // 4, n_systems) if contest.method.adds_up else len(self) * n_systems
        numbers = max(numbers, 4 * n_systems**2 if contest.method.of_pairs else 0)
        at_once = max(AT_ONCE // numbers, 1)
        pieces = []
        for start in range(0, left_out.shape[1], at_once):
            # a task of weight 0 that stays still connects those that are scored on it
            stays = ~left_out[:, start : start + at_once]
            pieces.append(contest.ranked(stays.astype(np.float64), scored, counts))
        return Outcomes.joined(pieces)

    def shares(self) -> Floats:
        """Shape `(T, N)`: what each task adds to the scores, before they are divided by the weight of all tasks.

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
        return shares

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
