"""Scores of single instances, with their names and texts: what a browser needs to compare two systems."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.words import few
from podium.customization.match import places_of
from podium.difficulty.result import Texts, checked_texts
from podium.page.bundle import in_levels
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import same_instances, sharing


@dataclass(frozen=True, slots=True, eq=False)
class InstanceScores:
    """Every score of a table as given, which instance it is of, and what this says.

    Attributes
    ----------
    scores
        The table.
    groups
        Tasks by their places, those with the same instances together.
    texts
        For each group the texts of its instances, None where there is none; or None.
    """

    scores: Scores
    groups: tuple[tuple[int, ...], ...]
    texts: tuple[list[str | None], ...] | None

    @classmethod
    def of(cls, scores: Scores, texts: Texts | None = None) -> "InstanceScores":
        """Take a table that has instances, and find their texts, which count for their name in every task.

        Raises
        ------
        InputError
            It has none, or these are texts of other instances.
        """
        if scores.task_level:
            raise InputError("this table has one score per task and no instances; leave instances out (--instances)")
        groups = tuple(map(tuple, same_instances(scores.tasks)))
        return cls(scores, groups, None if texts is None else _found(scores, groups, checked_texts(texts, "texts")))

    @property
    def n_texts(self) -> int:
        """How many instances have a text."""
        return sum(text is not None for own in self.texts or () for text in own)

    def content(self) -> dict[str, Any]:
        """Return names, texts and levels of scores, as plain values; metrics of the same items have these once."""
        groups = self.groups
        number = {task: group for group, tasks in enumerate(groups) for task in tasks}
        tasks = []
        for index, task in enumerate(self.scores.tasks):
            levels = in_levels(_values(task))
            tasks.append({"names": number[index], "levels": None if levels is None else levels[0]})
        names = [_names(self.scores.tasks[first]) for first, *_ in groups]
        texts = None if self.texts is None else list(self.texts)
        return {"names": names, "texts": texts, "tasks": tasks, "shared": len(sharing(self.scores.tasks))}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return scores, weights and clusters by the number of the task."""
        arrays: dict[str, NDArray[Any]] = {}
        for index, task in enumerate(self.scores.tasks):
            levels = in_levels(_values(task))
            arrays[f"scores {index}"] = _values(task) if levels is None else levels[1]
            if task.instance_weights is not None:
                arrays[f"instance weights {index}"] = np.asarray(task.instance_weights, dtype=np.float64)
            if task.clusters is not None:
                arrays[f"clusters {index}"] = task.clusters.numbers.astype(np.int32)
        return arrays


def _found(scores: Scores, groups: tuple[tuple[int, ...], ...], given: Texts) -> tuple[list[str | None], ...]:
    """For each group the text of every instance, by its label."""
    if given.texts is None:
        raise InputError(f"{given.name} has embeddings and no texts, and a page shows texts; leave it out")
    found = []
    for first, *_ in groups:
        labels = scores.tasks[first].instances
        known = np.arange(scores.tasks[first].n_instances) if labels is None else labels
        places = places_of(known, given.instances).tolist()
        found.append([None if place < 0 else given.texts[place] for place in places])
    if not any(text is not None for own in found for text in own):
        ours, theirs = (few([repr(str(label)) for label in of[:4].tolist()]) for of in (known, given.instances))
        raise InputError(f"no instance of the scores has a text: they are called {ours}, those of the texts {theirs}")
    return tuple(found)


def _values(task: Task) -> NDArray[np.float64]:
    return np.asarray(task.values, dtype=np.float64)


def _names(task: Task) -> list[str] | int:
    """The names of the instances; where they are only numbers, one after the other, the first.

    >>> import podium
    >>> numbered = podium.from_arrays({"t": [[1, 0]]}, instances={"t": [7, 8]})
    >>> named = podium.from_arrays({"t": [[1, 0]]}, instances={"t": ["a", "b"]})
    >>> _names(numbered.tasks[0]), _names(named.tasks[0])
    (7, ['a', 'b'])
    """
    labels = task.instances
    if labels is None:
        return 1
    if labels.dtype.kind in "iu" and (np.diff(labels) == 1).all():
        return int(labels[0])
    return [str(label) for label in labels.tolist()]
