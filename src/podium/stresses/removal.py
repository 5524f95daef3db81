"""Scores missing completely at random, one by one or a system's whole task at once."""

from dataclasses import dataclass

import numpy as np

from podium.arguments import checked_number
from podium.scores import Scores
from podium.stresses.cells import blanked, smallest, without_smallest

__all__ = ["RemoveCells", "RemoveScores"]


@dataclass(frozen=True, slots=True)
class RemoveScores:
    """Remove scores completely at random, exactly round(share × number of scores there are) of the whole table.

    Whatever is removed at a share is removed at every larger share too, for generators in the same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    References
    ----------
    Himmi et al. 2023, §4.2, on task-level scores.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.RemoveScores(0.25)(podium.datasets.toy_table1(), np.random.default_rng(0))
    Scores(3 systems × 6 tasks, 4 of 18 scores missing)
    """

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number("the share of scores to remove", self.share, most=1))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove scores drawn by the generator."""
        return without_smallest(scores, rng.random(scores.n_cells), self.share)


@dataclass(frozen=True, slots=True)
class RemoveCells:
    """Remove whole cells, all scores of one system on one task, completely at random.

    Exactly round(share × number of cells with a score) cells, each as likely as any other, as when systems were not
    evaluated on some tasks. Whatever is removed at a share is removed at every larger share too, for generators in the
    same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    References
    ----------
    Himmi et al. 2023, §4.3.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> [task.scored for task in podium.stresses.RemoveCells(0.25)(scores, np.random.default_rng(0)).tasks]
    [array([10, 10,  0,  0]), array([10, 10, 10, 10])]
    """

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number("the share of cells to remove", self.share, most=1))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove cells drawn by the generator."""
        keys = rng.random((len(scores.tasks), len(scores.systems)))
        empty = np.array([task.scored == 0 for task in scores.tasks])
        number = round(self.share * np.count_nonzero(~empty))
        if not number:
            return scores
        lost = smallest(np.where(empty, np.inf, keys).ravel(), number).reshape(keys.shape)
        return blanked(scores, [mask[:, None] for mask in lost])
