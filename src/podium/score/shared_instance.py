"""Which tasks have the same instances, what is drawn as one, and what can be left out of a test set."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.score.task import Task


def instance_set(task: Task) -> bytes:
    """Return a key of the instances of a task: the same for tasks with the same instance labels.

    Random draws use this key. So metrics of the same items are drawn together, because their errors are related. Tasks
    that only number their instances in the same way lose some degrees of freedom by this, and nothing else. A task
    without instance labels has a key of its own.
    """
    import hashlib  # noqa: PLC0415  # loads OpenSSL

    if task.instances is None:
        return task.name.encode()
    labels = task.instances
    # Numbers stand in memory as they are; of texts there may be only their addresses.
    text = labels.tobytes() if labels.dtype.kind in "iu" else "\0".join(map(str, labels.tolist())).encode()
    return hashlib.blake2b(text, digest_size=16).digest()


def same_instances(tasks: Sequence[Task]) -> tuple[tuple[int, ...], ...]:
    """Return groups of tasks, by index, with the same instances (see `instance_set`), in the order of first tasks.

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


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn of some tasks that depend on each other: their instances, or the clusters of these.

    Attributes
    ----------
    tasks
        The tasks, by index: with the same instances, or linked by clusters that they share.
    number
        How many units there are, U.
    of
        For each of these tasks, shape `(K,)`: the number of the unit of each instance.
    clusters
        Labels of the units where they are clusters, otherwise None.
    """

    tasks: tuple[int, ...]
    number: int
    of: tuple[NDArray[np.int64], ...]
    clusters: tuple[str, ...] | None = None

    @property
    def noun(self) -> str:
        """What these units are called."""
        return "instances" if self.clusters is None else "clusters"


def units_among(tasks: Sequence[Task]) -> list[Units]:
    """Return what is drawn: instances, those of tasks with the same instances once; or clusters, once each by label.

    Tasks in which a cluster has the same label are one group, as are those that such tasks link. So clusters that
    merely number their passages in each task lose degrees of freedom by this, and nothing else.

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1]], "u": [[3, 2, 1]]}, clusters={"t": ["a", "b", "b"]})
    >>> [(group.number, group.clusters) for group in units_among(scores.tasks)]
    [(2, ('a', 'b')), (3, None)]
    """
    plain = [index for index, task in enumerate(tasks) if task.clusters is None]
    found = []
    for group in same_instances([tasks[index] for index in plain]):
        places = tuple(plain[index] for index in group)
        size = tasks[places[0]].n_instances
        found.append(Units(places, size, (np.arange(size),) * len(places)))
    for places in _linked(tasks):
        clusters = [tasks[index].clusters for index in places]
        names = sorted({name for one in clusters if one is not None for name in one.names})
        number = {name: place for place, name in enumerate(names)}
        of = tuple(
            np.array([number[name] for name in one.names], dtype=np.int64)[one.numbers]
            for one in clusters
            if one is not None
        )
        found.append(Units(places, len(names), of, tuple(names)))
    return sorted(found, key=lambda units: units.tasks[0])


def _linked(tasks: Sequence[Task]) -> list[tuple[int, ...]]:
    """Groups of tasks that clusters of the same label link, by index; without tasks that have no clusters."""
    leader = list(range(len(tasks)))

    def leading(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    first: dict[str, int] = {}
    for index, task in enumerate(tasks):
        for name in () if task.clusters is None else task.clusters.names:
            one, other = leading(first.setdefault(name, index)), leading(index)
            leader[max(one, other)] = min(one, other)
    groups: dict[int, list[int]] = {}
    for index, task in enumerate(tasks):
        if task.clusters is not None:
            groups.setdefault(leading(index), []).append(index)
    return list(map(tuple, groups.values()))


def check_clusters(tasks: Sequence[Task]) -> None:
    """Refuse clusters that differ between tasks with the same instances.

    Raises
    ------
    InputError
        An instance of several tasks is in different clusters, or has a cluster in one task only.
    """
    if all(task.clusters is None for task in tasks):
        return
    for first, *others in same_instances(tasks):
        one = tasks[first]
        for other in (tasks[index] for index in others):
            if (one.clusters is None) != (other.clusters is None):
                has, lacks = (one, other) if other.clusters is None else (other, one)
                raise InputError(
                    f"task {has.name!r} has clusters and task {lacks.name!r}, with the same instances, has none; "
                    "give both the same clusters"
                )
            if one.clusters is not None and other.clusters is not None and one.clusters.labels != other.clusters.labels:
                pairs = zip(one.clusters.labels, other.clusters.labels, strict=True)
                place, (here, there) = next((place, pair) for place, pair in enumerate(pairs) if pair[0] != pair[1])
                label = place + 1 if one.instances is None else one.instances[place]
                raise InputError(
                    f"instance {str(label)!r} is in cluster {here!r} on task {one.name!r} and in cluster {there!r} on "
                    f"task {other.name!r}, whose instances are the same; give it one cluster, or label instances apart"
                )


def shared_sets(tasks: Sequence[Task]) -> int:
    """Return how many sets of instance labels several tasks have in common; labels that are only numbers do not count.

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


def sharing(tasks: Sequence[Task]) -> list[Units]:
    """Return the units of tasks that share instances, or clusters, by label; labels that are only numbers do not count.

    >>> import podium
    >>> documents = {name: [[1, 0], [0, 1]] for name in ("relevance", "fluency")}
    >>> labels = {name: ["doc a", "doc b"] for name in documents}
    >>> [units.tasks for units in sharing(podium.from_arrays(documents, instances=labels).tasks)]
    [(0, 1)]
    """
    some = [index for index, task in enumerate(tasks) if task.clusters is not None or _may_share(task)]
    found = []
    for units in units_among([tasks[index] for index in some]):
        first = tasks[some[units.tasks[0]]]
        labels = first.instances if units.clusters is None else np.array(units.clusters)
        if len(units.tasks) > 1 and units.number > 1 and not numbered(labels):
            found.append(replace(units, tasks=tuple(some[index] for index in units.tasks)))
    return found


def _may_share(task: Task) -> bool:
    return task.instances is not None and task.n_instances > 1


def numbered(labels: Any) -> bool:
    """Whether labels are 0, 1, 2, … or 1, 2, 3, …, like row numbers of a file.

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
        """Return the sets of instances of tasks."""
        groups = same_instances(tasks)
        number = {index: g for g, group in enumerate(groups) for index in group}
        return cls(tuple(number[t] for t in range(len(tasks))), tuple(tasks[group[0]].n_instances for group in groups))

    def keys(self, rng: "np.random.Generator") -> list[NDArray[np.float64]]:
        """Draw a random key between 0 and 1 for every instance; one array for each set."""
        return self.split(rng.random(sum(self.sizes)))

    def split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Cut an array with a value for every instance of every set into one array for each set."""
        return np.split(values, np.cumsum(self.sizes)[:-1])
