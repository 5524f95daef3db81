"""Instances lost for all systems: as empty ballots, or cut out of the table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_number
from podium.robustness.stress.remove import blanked, cut, smallest, with_parts
from podium.score.instance import InstanceSets
from podium.score.table import Scores, Task


@dataclass(frozen=True, slots=True)
class RemoveInstances:
    """Remove the scores of all systems on instances drawn at random, which stay in the table as empty ballots.

    Exactly round(share × number of instances of the table) of them. Tasks whose sequences of instance labels are
    identical share their instances, each of which is one instance and lost on all of these tasks; so do tasks whose
    labels merely number the instances alike, unlike tasks of which only some labels are the same, or without labels.
    What is removed at a share is removed at every larger share too, for generators in the same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> podium.stresses.RemoveInstances(0.25)(scores, np.random.default_rng(0))
    Scores(4 systems × 2 tasks, 20 instances, 20 of 80 scores missing)
    """

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number("the share of instances to remove", self.share, most=1))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove instances drawn by the generator."""
        items = InstanceSets.among(scores.tasks)
        keys = np.concatenate(items.keys(rng))
        number = round(self.share * keys.size)
        if not number:
            return scores
        lost = items.split(smallest(keys, number))
        return blanked(scores, [lost[one] for one in items.of])


@dataclass(frozen=True, slots=True)
class Subsample:
    """Cut every task down to a part of its instances, as if its test set had been smaller.

    Exactly round(share × K) of the K instances of a task are left out, drawn at random; but one of positive weight
    always stays. Tasks whose sequences of instance labels are identical, also where these merely number the instances,
    keep the same instances; no others do. What is left out at a share is left out at every larger share too, for
    generators in the same state.

    Attributes
    ----------
    share
        Of the instances, left out: 0 changes nothing, 1 leaves one instance of each task (of tasks that share
        instances, one each that weighs something).

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> podium.stresses.Subsample(0.75)(scores, np.random.default_rng(0))
    Scores(4 systems × 2 tasks, 4 instances, 0 of 16 scores missing)
    """

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number("the share of instances to leave out", self.share, most=1))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out instances drawn by the generator."""
        items = InstanceSets.among(scores.tasks)
        keys = items.keys(rng)
        spare = _last(scores.tasks, items, keys)
        kept = [
            ~smallest(key, min(round(self.share * key.size), key.size - len(last)))
            for key, last in zip(keys, spare, strict=True)
        ]
        return replace(
            scores, tasks=tuple(_kept(task, kept[one]) for task, one in zip(scores.tasks, items.of, strict=True))
        )


def _last(tasks: Sequence[Task], items: InstanceSets, keys: Sequence[NDArray[np.float64]]) -> list[set[int]]:
    """For each set, the instances that stay so that every task keeps some weight; their keys become the largest."""
    spare: list[set[int]] = [set() for _ in keys]
    for task, one in zip(tasks, items.of, strict=True):
        weights = task.instance_weights
        spare[one].add(int(np.argmax(keys[one] if weights is None else np.where(weights > 0, keys[one], -1.0))))
    for key, last in zip(keys, spare, strict=True):
        key[list(last)] += 1.0
    return spare


def _kept(task: Task, kept: NDArray[np.bool_]) -> Task:
    if kept.all():
        return task
    return with_parts(
        task,
        cut(task.values[:, kept]),
        instances=None if task.instances is None else task.instances[kept],
        instance_weights=None if task.instance_weights is None else task.instance_weights[kept],
    )
