"""Scores missing the more often the harder the instance: missing not at random."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arguments import checked_number
from podium.scores import Scores, Task
from podium.stresses.cells import of_tasks, without_smallest

__all__ = ["RemoveHard", "difficulty"]


@dataclass(frozen=True, slots=True)
class RemoveHard:
    """Remove scores at random, those on hard instances more often, as when systems fail to answer.

    Exactly round(share × number of scores there are), drawn one by one without replacement, each with odds
    exp(steepness × difficulty of its instance), see `difficulty`. What is removed at a share is removed at every
    larger share too, for generators in the same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.
    steepness
        A score on the hardest possible instance is exp(steepness) times as likely to go next as one on the easiest;
        0 removes completely at random. The default 4 is 55 times.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1, or the steepness is no number from 0 up.

    References
    ----------
    Efraimidis & Spirakis 2006 (weighted sampling without replacement by one random key for each score, here on the
    scale of logarithms).

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 0.0] * 50, [1.0, 0.0] * 50]}, systems=["A", "B"])
    >>> stressed = podium.stresses.RemoveHard(0.25, steepness=8.0)(scores, np.random.default_rng(0))
    >>> np.isnan(stressed.tasks[0].values).sum(axis=0).reshape(50, 2).sum(axis=0)
    array([ 0, 50])
    """

    share: float
    steepness: float = 4.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number("the share of scores to remove", self.share, most=1))
        object.__setattr__(self, "steepness", checked_number("the steepness", self.steepness))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove scores drawn by the generator."""
        keys = -rng.gumbel(size=scores.n_cells)
        for task, key in zip(scores.tasks, of_tasks(scores, keys), strict=True):
            key[:] -= self.steepness * difficulty(task)
        return without_smallest(scores, keys, self.share)


def difficulty(task: Task) -> NDArray[np.float64]:
    """Shape `(K,)`: how hard each instance of a task is for its systems, from 0, easy, to 1.

    1 less the mean over systems of the scores, brought to [0, 1] by the smallest and the largest of the task and turned
    so that higher is better. Missing scores are left out. Where nobody has a score, and where all scores of the task
    are equal, ½.

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 3.0, 5.0], [2.0, 3.0, 4.0]]}, systems=["A", "B"])
    >>> difficulty(scores.tasks[0])
    array([0.875, 0.5  , 0.125])
    """
    values = task.values.astype(np.float64)
    there = ~np.isnan(values)
    low, high = (np.min(values, where=there, initial=np.inf), np.max(values, where=there, initial=-np.inf))
    if not low < high:
        return np.full(task.n_instances, 0.5)
    # halves, for the difference of the largest numbers is none
    share = (values / 2 - low / 2) / (high / 2 - low / 2)
    with np.errstate(invalid="ignore"):
        mean = share.sum(axis=0, where=there) / there.sum(axis=0)
    mean = np.where(np.isnan(mean), 0.5, mean)
    return 1.0 - mean if task.higher_is_better else mean
