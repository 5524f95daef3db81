"""Which tasks have the same instances, and what can be left out of a test set."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Task


def instance_set(task: Task) -> bytes:
    """Tell by what its draws are keyed: the same for tasks with the same instance labels, else the name of the task.

    Metrics of the same items are drawn together, for their errors go together; tasks that only happen to number their
    instances alike lose nothing but degrees of freedom by it. Instances without labels are the task's own.
    """
    if task.instances is None:
        return task.name.encode()
    labels = task.instances
    # Numbers stand in memory as they are; of texts there may be only their addresses.
    text = labels.tobytes() if labels.dtype.kind in "iu" else "\0".join(map(str, labels.tolist())).encode()
    return hashlib.blake2b(text, digest_size=16).digest()


def same_instances(tasks: Sequence[Task]) -> tuple[tuple[int, ...], ...]:
    """Group tasks, by index, that have the same instances, see `instance_set`; groups in the order of their first task.

    >>> import podium
    >>> labels = {name: ["doc a", "doc b"] for name in ("relevance", "fluency")}
    >>> values = {name: [[1, 0], [0, 1]] for name in ("relevance", "other", "fluency")}
    >>> scores = podium.from_arrays(values, systems=["A", "B"], instances=labels)
    >>> scores.task_names, same_instances(scores.tasks)
    (('relevance', 'other', 'fluency'), ((0, 2), (1,)))
    """
    groups: dict[bytes, list[int]] = {}
    for index, task in enumerate(tasks):
        groups.setdefault(instance_set(task), []).append(index)
    return tuple(map(tuple, groups.values()))


def shared_sets(tasks: Sequence[Task]) -> int:
    """Count the sets of instance labels that several tasks have in common; labels that only number them do not count.

    >>> import podium
    >>> documents = {name: [[1, 0], [0, 1]] for name in ("relevance", "fluency")}
    >>> labels = {name: ["doc a", "doc b"] for name in documents}
    >>> shared_sets(podium.from_arrays(documents, systems=["A", "B"], instances=labels).tasks)
    1
    """
    labelled = [task for task in tasks if task.instances is not None and task.n_instances > 1]
    times = Counter(map(instance_set, labelled))
    shared = {instance_set(task): task for task in labelled if times[instance_set(task)] > 1}
    return sum(not numbered(task.instances) for task in shared.values())


def numbered(labels: Any) -> bool:
    """Whether labels are 0, 1, 2, … or 1, 2, 3, …, as of rows of a file.

    >>> numbered(np.array(["1", "2"])), numbered(np.array(["a", "b"]))
    (True, False)
    """
    texts = set(map(str, labels.tolist()))
    return any(texts == set(map(str, range(first, first + len(labels)))) for first in (0, 1))


@dataclass(frozen=True, slots=True)
class InstanceSets:
    """Sets of instances.

    Attributes
    ----------
    of
        For each of T tasks, the number of its set; tasks with the same instance labels have the same set.
    sizes
        For each set, how many instances.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1]], "u": [[3, 2, 1]]}, systems=["A"])
    >>> InstanceSets.among(scores.tasks)
    InstanceSets(of=(0, 1), sizes=(3, 3))
    """

    of: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def among(cls, tasks: Sequence[Task]) -> "InstanceSets":
        """Tell the sets of instances of tasks apart."""
        groups = same_instances(tasks)
        number = {index: g for g, group in enumerate(groups) for index in group}
        return cls(tuple(number[t] for t in range(len(tasks))), tuple(tasks[group[0]].n_instances for group in groups))

    def keys(self, rng: "np.random.Generator") -> list[NDArray[np.float64]]:
        """Draw a random key between 0 and 1 for every instance: one array for each set."""
        return self.split(rng.random(sum(self.sizes)))

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut what holds a value for every instance of every set into one array for each set."""
        return np.split(values, np.cumsum(self.sizes)[:-1])
