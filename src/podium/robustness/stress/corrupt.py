"""Tasks that rank the systems the wrong way round."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_enough, checked_count, checked_number
from podium.base.errors import MethodError
from podium.base.piece import as_type
from podium.base.spill import room_of
from podium.score.place import midranks, places
from podium.score.table import Scores
from podium.score.task import Task, each_score

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Corrupt:
    """Replace all scores of some tasks, drawn at random, by noise that ranks the systems in reverse.

    On such a task a system of goodness n, the higher the better, scores Gumbel(−dispersion × n, 1) on every instance,
    turned where lower is better. The goodness of a system that is r-th of N, ties sharing the mean of their places, is
    N + 1 − r. Missing scores stay missing. Scores may leave the range of the metric. The tasks corrupted at a number
    are corrupted in the same way at every larger number, for generators in the same state.

    Attributes
    ----------
    tasks
        How many to corrupt.
    dispersion
        0 makes all systems equal on these tasks; the larger, the surer the reversal.
    truth
        The ranks of the systems, in the order of the table, 1 best, that are reversed, such as
        `tuple(world.truth.tolist())`. By default each task's own: the ranks of the (weighted) means of its scores.
    own_scale
        Whether draws are brought to the mean and the standard deviation of the task's scores (a task of equal scores
        stays as it is), so that a task does not decide an average by its scale; otherwise they stay as drawn.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up, the dispersion no number from 0 up, or a rank no number; when called,
        there are fewer tasks, or not as many systems as ranks, or scores are too large.

    References
    ----------
    Colombo et al. 2022, §4.2: dispersion 1, the true ranks, not on the scale of the task.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0] * 100, [0.0] * 100]}, systems=["A", "B"])
    >>> podium.rank(podium.stresses.Corrupt(1)(scores, np.random.default_rng(0))).systems
    ('B', 'A')
    """

    tasks: int
    dispersion: float = 1.0
    truth: tuple[int, ...] | None = None
    own_scale: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", checked_count("tasks to corrupt", self.tasks))
        object.__setattr__(self, "dispersion", checked_number("the dispersion", self.dispersion))
        if self.truth is not None:
            object.__setattr__(self, "truth", tuple(_ranks(self.truth).tolist()))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Corrupt tasks drawn by the generator."""
        check_enough(self.tasks, len(scores.tasks), "task", "corrupted")
        if self.truth is not None and len(self.truth) != len(scores.systems):
            raise MethodError(f"the truth has {len(self.truth)} ranks for {len(scores.systems)} systems; give one each")
        tasks = list(scores.tasks)
        for index in rng.permutation(len(tasks))[: self.tasks].tolist():
            tasks[index] = self._corrupted(tasks[index], rng)
        return replace(scores, tasks=tuple(tasks))

    def _corrupted(self, task: Task, rng: np.random.Generator) -> Task:
        sign = 1.0 if task.higher_is_better else -1.0
        values = each_score(task, lambda scores: sign * scores.astype(np.float64))
        ability = _means(values, task.instance_weights) if self.truth is None else -_ranks(self.truth)
        goodness = np.nan_to_num(ability.size + 1 - midranks(places(ability)))
        drawn = room_of(values).empty(values.shape, np.float64)
        for row, middle in zip(drawn, goodness, strict=True):
            row[:] = rng.gumbel(-self.dispersion * middle, size=row.size)
        if self.own_scale:
            _bring_to_scale_of(values, drawn)
        for own, row in zip(values, drawn, strict=True):
            there = ~np.isnan(own)
            if not np.isfinite(row[there]).all():
                raise MethodError(
                    f"scores of task {task.name!r} are too large to be corrupted; divide them all by the largest"
                )
            row[:] = np.where(there, sign * row, np.nan)
        return task.with_values(as_type(drawn, task.parts[0].dtype))


def _ranks(truth: Any) -> Floats:
    """Truth as numbers."""
    try:
        ranks = np.array(truth, dtype=np.float64)
    except (TypeError, ValueError):
        ranks = np.full(1, np.nan)
    if ranks.ndim != 1 or not np.isfinite(ranks).all():
        raise MethodError(f"the truth is {truth!r}; give the rank of every system, 1 for the best, as in (2, 1, 3)")
    return ranks


def _means(values: Floats, weights: Floats | None) -> Floats:
    """Shape `(N,)`: mean over instances; NaN where a system has no score that weighs something."""
    means = np.empty(len(values))
    for row, own in enumerate(values):
        there = ~np.isnan(own)
        weight = there * (1.0 if weights is None else weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = weight / weight.sum()
        means[row] = np.sum(np.where(there, own, 0.0) * shares)
    return means


def _bring_to_scale_of(values: Floats, drawn: Floats) -> None:
    """Bring draws to the mean and the standard deviation of scores, both where there are any."""
    old, new = _where_scored(values, values), _where_scored(drawn, values)
    if not old.size:
        return
    (old_mean, old_spread), (new_mean, spread) = _moments(old), _moments(new)
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks
        for row in drawn:
            row[:] = old_mean + (row - new_mean) * (old_spread / spread if spread else 0.0)


def _where_scored(values: Floats, scores: Floats) -> Floats:
    """Shape `(n,)`: values where there is a score, held where they are."""
    counts = [int(np.count_nonzero(~np.isnan(row))) for row in scores]
    found = room_of(values).empty(sum(counts), np.float64)
    ends = np.cumsum(counts)
    for row, own, count, end in zip(values, scores, counts, ends.tolist(), strict=True):
        found[end - count : end] = row[~np.isnan(own)]
    return found


def _moments(values: Floats) -> tuple[Any, Any]:
    """Mean and standard deviation; the numbers are written over."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = values.mean()
        np.subtract(values, mean, out=values)
        np.multiply(values, values, out=values)
        return mean, np.sqrt(values.sum() / values.size)
