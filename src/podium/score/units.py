"""What counts as a unit: which instances depend on each other, and so are drawn as one and count as one.

There is one rule, for the bootstrap, exact tests, Hoeffding's intervals, comparisons, plans, histories and the page:
see `units_among`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.statistics import normal_quantile
from podium.score.family import family_names
from podium.score.task import Task, hashes_of

#: Fewer degrees of freedom than this are too few to know a standard error by.
LEAST_FREEDOM = 5

#: Up to so many units, pairs of systems are separated by flips. Above, Student's test has nearly the same power.
FLIPPED_UNITS = 200

#: Up to so many units, neither the skewness of a mean is known, nor a single pair's normal approximation good enough.
FEW_UNITS = 50

#: Numbered instances of a task that link it to no other, as every task has such.
_FEW = 5


#: Instances that are looked at to see whether numbers of different families mean the same.
_LOOKED_AT = 2048

#: Tables whose units are remembered, since all that is told of a table asks for them; and instances of such a table.
_TABLES, _REMEMBERED = 4, 2**20

_found: dict[tuple[Any, ...], tuple[list["Units"], list[Any]]] = {}


def instance_set(task: Task) -> bytes:
    """Return a key of the instances of a task: the same for tasks with the same instance labels.

    Random draws use this key. So metrics of the same items are drawn together, because their errors are related.
    Numbers are labels, too, but of tasks that are said to be of different families: these are different data sets. A
    task without instance labels has a key of its own.
    """
    import hashlib  # noqa: PLC0415  # loads OpenSSL

    if task.instances is None:
        return task.name.encode()
    labels = task.instances
    # Numbers stand in memory as they are; of texts there may be only their addresses.
    text = labels.tobytes() if labels.dtype.kind in "iu" else "\0".join(map(str, labels.tolist())).encode()
    family = _numbers_of(task)
    return hashlib.blake2b(text, digest_size=16, key=b"" if family is None else family.encode()[:64]).digest()


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
    """Units that are drawn as one in some tasks that depend on each other.

    Attributes
    ----------
    tasks
        The tasks, by index: those that share instances or clusters, directly or through others.
    number
        How many units there are, U.
    of
        For each of these tasks, shape `(K,)`: the number of the unit of each instance.
    clusters
        The label of the first cluster of each unit, where all instances are in clusters; otherwise None.
    hashes
        Shape `(U,)`: 64 bits made of the label of each unit, for random draws; None where a unit is known by its place,
        since all these tasks have the same instances, and no clusters.
    """

    tasks: tuple[int, ...]
    number: int
    of: tuple[NDArray[np.int64], ...]
    clusters: tuple[str, ...] | None = None
    hashes: NDArray[np.uint64] | None = None

    @property
    def noun(self) -> str:
        """Return what these units are called."""
        return "instances" if self.clusters is None else "clusters"


def units_among(tasks: Sequence[Task]) -> list[Units]:
    """Return what is drawn as one: the connected sets of instances that share a label, or a cluster, in any task.

    Scores of one item by several metrics depend on each other, also if a metric lacks some of the items; and so do the
    instances of a cluster. To draw them apart is to be sure of noise. To draw together what is independent costs some
    degrees of freedom. So numbers are taken as labels, too, but of tasks that are said to be of different families:
    these are different data sets. The only instance of a task links nothing, nor do up to five that are numbered from 0
    or 1, unless another task has the very same.

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1]], "u": [[3, 2, 1]]}, clusters={"t": ["a", "b", "b"]})
    >>> [(group.number, group.clusters) for group in units_among(scores.tasks)]
    [(2, ('a', 'b')), (3, None)]
    >>> labels = {"t": ["doc a", "doc b"], "u": ["doc b", "doc c"]}
    >>> scores = podium.from_arrays({"t": [[1, 0]], "u": [[3, 2]]}, instances=labels)
    >>> [[of.tolist() for of in group.of] for group in units_among(scores.tasks)]
    [[[0, 1], [1, 2]]]
    """
    key = tuple((task.name, task.n_instances, id(task.instances), id(task.clusters), task.family) for task in tasks)
    if (found := _found.get(key)) is not None:
        return found[0]
    units = [_units_of(tasks, group) for group in _linked(tasks)]
    if sum(task.n_instances for task in tasks) <= _REMEMBERED:
        for oldest in list(_found)[: 1 - _TABLES]:
            _found.pop(oldest, None)
        _found[key] = units, [(task.instances, task.clusters) for task in tasks]  # held, so that no other has their id
    return units


def shares_instances(tasks: Sequence[Task]) -> bool:
    """Return whether some tasks share instances or clusters.

    >>> import podium
    >>> shares_instances(podium.from_arrays({"t": [[1, 0]], "u": [[3, 2]]}).tasks)
    False
    """
    return any(len(group.tasks) > 1 for group in units_among(tasks))


def _linked(tasks: Sequence[Task]) -> list[tuple[int, ...]]:
    """Groups of tasks that instances or clusters of the same label link, by index, in the order of first tasks."""
    leader = list(range(len(tasks)))

    def leading(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    def link(one: int, other: int) -> None:
        one, other = leading(one), leading(other)
        leader[max(one, other)] = min(one, other)

    sets: dict[bytes, int] = {}
    clusters: dict[str, int] = {}
    for index, task in enumerate(tasks):
        if task.n_instances > 1:
            link(sets.setdefault(instance_set(task), index), index)
        for name in () if task.clusters is None else task.clusters.names:
            link(clusters.setdefault(name, index), index)
    for one, other in _overlapping(tasks, sorted(sets.values())):
        link(one, other)
    groups: dict[int, list[int]] = {}
    for index in range(len(tasks)):
        groups.setdefault(leading(index), []).append(index)
    return list(map(tuple, groups.values()))


def _overlapping(tasks: Sequence[Task], some: Sequence[int]) -> set[tuple[int, int]]:
    """Pairs of tasks, of some by index, that have an instance in common: enough of them to link all that have one."""
    labelled = [index for index in some if tasks[index].instances is not None]
    labelled = [index for index in labelled if tasks[index].n_instances > _FEW or not numbered(tasks[index].instances)]
    if len(labelled) < 2:
        return set()
    codes = [_codes(tasks[index]) for index in labelled]
    owner = np.repeat(labelled, [own.size for own in codes])
    every = np.concatenate(codes)
    order = np.argsort(every, kind="stable")
    same = np.flatnonzero(every[order[1:]] == every[order[:-1]])
    one, other = owner[order[same]].tolist(), owner[order[same + 1]].tolist()
    return {pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]}


def _numbers_of(task: Task) -> str | None:
    """Return the family within which numbers are labels, if one is said and labels are numbers; otherwise None."""
    return task.family if task.instances is not None and task.instances.dtype.kind in "iu" else None


def _codes(task: Task) -> NDArray[np.int64]:
    """Shape `(K,)`: numbers that are equal where labels are, in this process alone; without labels, of places."""
    labels = task.instances
    if labels is None:
        return np.array([hash((task.name, place)) for place in range(task.n_instances)], dtype=np.int64)
    if labels.dtype.kind in "iu":
        family = _numbers_of(task)
        return labels.astype(np.int64) ^ (0 if family is None else hash(family))
    return np.array([_code(text) for text in labels.tolist()], dtype=np.int64)


def _code(text: str) -> int:
    """Return a number for a label: 7 of "7", and of "7.0", as which numbers are written beside holes."""
    whole = text.removesuffix(".0")
    return int(whole) if whole.isdecimal() and len(whole) < 18 else hash(text)


def _units_of(tasks: Sequence[Task], group: tuple[int, ...]) -> Units:
    """Number the units of tasks that are linked, in the order in which their first instances stand."""
    own = [tasks[index] for index in group]
    sizes = [task.n_instances for task in own]
    clustered = [task.clusters for task in own if task.clusters is not None]
    if not clustered and len({instance_set(task) for task in own}) == 1:
        return Units(group, sizes[0], (np.arange(sizes[0]),) * len(group))
    label = _in_order(np.concatenate([_codes(task) for task in own]))
    names = sorted({name for one in clustered for name in one.names})
    cluster = np.concatenate([_cluster_numbers(task, names) for task in own])
    unit = _in_order(_connected(label, np.where(cluster < 0, len(names) + label, cluster)))
    first = np.full(int(unit.max()) + 1, len(names))
    np.minimum.at(first, unit, np.where(cluster < 0, len(names), cluster))
    if (cluster >= 0).all():
        first, unit = np.unique(first[unit], return_inverse=True)
    called = np.empty(first.size, dtype=object)
    called[unit[::-1]] = np.concatenate([np.asarray(_labels(task), dtype=object) for task in own])[::-1]
    for place in np.flatnonzero(first < len(names)).tolist():
        called[place] = names[first[place]]
    hashes = hashes_of(called.tolist())
    cuts = np.cumsum(sizes)[:-1]
    of_clusters = tuple(called.tolist()) if (cluster >= 0).all() else None
    return Units(group, first.size, tuple(np.split(unit, cuts)), of_clusters, hashes)


def _labels(task: Task) -> list[str]:
    """Return the labels as texts; of an instance without a label, a text that no label is."""
    if task.instances is None:
        return [f"{task.name}\0{place}" for place in range(task.n_instances)]
    return list(map(str, task.instances.tolist()))


def _cluster_numbers(task: Task, names: Sequence[str]) -> NDArray[np.int64]:
    """Shape `(K,)`: the place of the cluster of each instance among the sorted names; −1 without clusters."""
    if task.clusters is None:
        return np.full(task.n_instances, -1)
    place = {name: number for number, name in enumerate(names)}
    return np.array([place[name] for name in task.clusters.names], dtype=np.int64)[task.clusters.numbers]


def drawn_as(tasks: Sequence[Task], units: str) -> tuple[str | None, ...]:
    """Return for each task the name under which it is drawn as a whole: that of its family; None if it is not drawn.

    If tasks are drawn, all are. If instances are, those of a single unit are drawn among each other, since one unit has
    no spread: a task of one instance, or of one cluster. If repeats are, those are that have one repeat of each
    instance. Tasks without weight or score count for nothing.

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1]], "u": [[3]], "v": [[2]]}, systems=["A"])
    >>> drawn_as(scores.tasks, "instances"), drawn_as(scores.tasks, "tasks")
    ((None, 'u', 'v'), ('t', 'u', 'v'))
    """
    names: list[str | None] = list(family_names(tasks))
    first: dict[str, str | None] = {}
    for index, task in enumerate(tasks):
        if task.clusters is not None and len(task.clusters) == 1:  # tasks inside one cluster are one unit
            names[index] = first.setdefault(task.clusters.names[0], names[index])
    if units in {"tasks", "both"}:
        return tuple(names)
    for index, task in enumerate(tasks):
        one = task.repeats is None or not task.repeats.several if units == "repeats" else one_unit(task)
        if not (one and task.weight > 0 and task.scored.any()):
            names[index] = None
    return tuple(names)


def weighs_alone(tasks: Sequence[Task]) -> bool:
    """Return whether there are instances, but most of the weight is on tasks of a single unit: then units are tasks.

    >>> import podium
    >>> weighs_alone(podium.from_arrays({"t": [[1, 0, 1]], "u": [[3]], "v": [[2]]}, systems=["A"]).tasks)
    True
    """
    if all(map(one_unit, tasks)):
        return any(task.n_instances > 1 for task in tasks)
    whole = sum(task.weight for task in tasks if task.scored.any())
    return 2 * sum(task.weight for task in tasks if task.scored.any() and one_unit(task)) > whole


def one_unit(task: Task) -> bool:
    """Return whether a task has a single instance, or all of its instances are in one cluster."""
    return task.n_instances == 1 or (task.clusters is not None and len(task.clusters) == 1)


def _connected(label: NDArray[np.int64], cluster: NDArray[np.int64]) -> NDArray[np.int64]:
    """Shape of `label`: the smallest label among the instances that labels or clusters connect with each."""
    smallest = label
    while True:
        before = smallest
        for key in (cluster, label):
            least = np.full(int(key.max()) + 1, label.size)
            np.minimum.at(least, key, smallest)
            smallest = least[key]
        if np.array_equal(smallest, before):
            return smallest


def _in_order(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number different codes in the order in which they first stand.

    >>> _in_order(np.array([7, -3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, number = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty_like(first)
    rank[np.argsort(first)] = np.arange(first.size)
    return np.asarray(rank[number])


def with_shared_numbers(tasks: Sequence[Task]) -> tuple[Task, ...]:
    """Return tasks; those of different families get texts as labels, if their numbers mean the same instances.

    So they do if what systems score on them beyond the mean of the system and of the instance goes together, see
    `go_together`. Tasks with the same numbers are looked at, and those of a family are added up.

    >>> import podium
    >>> values = np.random.default_rng(0).normal(size=(4, 1, 40)) + np.zeros((1, 2, 1))
    >>> tasks = podium.from_arrays(values, tasks=["en", "de"]).with_families(False).tasks
    >>> tasks[0].instances.dtype.kind, len(units_among(tasks))
    ('T', 1)
    """
    sets: dict[bytes, dict[str, list[int]]] = {}
    for index, task in enumerate(tasks):
        if task.instances is not None and (family := _numbers_of(task)) is not None and task.n_instances > _FEW:
            sets.setdefault(task.instances.tobytes(), {}).setdefault(family, []).append(index)
    made = list(tasks)
    for families in sets.values():
        moved = np.array([sum(_interaction(tasks[index]) for index in own) for own in families.values()])
        first, second = np.triu_indices(len(families), 1)
        covariance = moved @ moved.transpose(0, 2, 1)
        own = np.einsum("fii->f", covariance)
        known = (own[first] > 0) & (own[second] > 0)
        first, second = first[known], second[known]
        flat = (part.reshape(own.size, -1) for part in (moved, covariance))
        found, alike = ((part @ part.T)[first, second] for part in flat)
        found, alike = found / np.sqrt(own[first] * own[second]), alike / (own[first] * own[second])
        if found.size and go_together(found, np.sqrt(alike / (moved.shape[2] - 1))):
            for index in (index for own_tasks in families.values() for index in own_tasks):
                labels = np.asarray(tasks[index].instances).astype(np.dtypes.StringDType())
                made[index] = replace(tasks[index], instances=labels)
    return tuple(made)


def _interaction(task: Task) -> NDArray[np.float64]:
    """Shape `(N, K)`: what systems score beyond their means and those of instances, of length 1; of the first part."""
    values = np.asarray(task.parts[0][:, :_LOOKED_AT], dtype=np.float64) * (1 if task.higher_is_better else -1)
    there = ~np.isnan(values)
    for axis in (0, 1):
        mean = np.where(there, values, 0.0).sum(axis=axis, keepdims=True) / there.sum(axis=axis, keepdims=True).clip(1)
        values = np.where(there, values - mean, 0.0)
    length = float(np.sqrt((values**2).sum()))
    return values / length if length > 1e-9 else np.zeros_like(values)


def go_together(found: NDArray[Any], error: NDArray[Any]) -> bool:
    """Return whether correlations are larger than chance makes them, by their standard errors.

    Their sum, or one of them, must exceed what it would with a probability of 0.05. To take what is unrelated as
    related now and then costs little.

    >>> go_together(np.array([0.3, 0.2]), np.array([0.1, 0.1])), go_together(np.array([0.1, 0.1]), np.array([0.1, 0.1]))
    (True, False)
    """
    most = -float(normal_quantile(0.05 / found.size))
    whole = -float(normal_quantile(0.05)) * np.sqrt((error**2).sum())
    return bool(found.sum() > whole or (found > most * error).any())


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


def sharing(tasks: Sequence[Task], *, numbers: bool = False) -> list[Units]:
    """Return the units of tasks that share instances, or clusters, by label.

    Labels that are only numbers do not count; those of instances do if `numbers` is said.

    >>> import podium
    >>> documents = {name: [[1, 0], [0, 1]] for name in ("relevance", "fluency")}
    >>> labels = {name: ["doc a", "doc b"] for name in documents}
    >>> [units.tasks for units in sharing(podium.from_arrays(documents, instances=labels).tasks)]
    [(0, 1)]
    """
    some = [
        index
        for index, task in enumerate(tasks)
        if task.clusters is not None or (task.instances is not None and task.n_instances > 1)
    ]
    found = []
    for units in units_among([tasks[index] for index in some]):
        first = tasks[some[units.tasks[0]]]
        labels = first.instances if units.clusters is None else np.array(units.clusters)
        shared = (numbers and units.clusters is None) or not numbered(labels)
        if len(units.tasks) > 1 and units.number > 1 and shared:
            found.append(replace(units, tasks=tuple(some[index] for index in units.tasks)))
    return found


def numbered(labels: Any) -> bool:
    """Return whether labels are 0, 1, 2, … or 1, 2, 3, …, like row numbers of a file.

    >>> numbered(np.array(["1", "2"])), numbered(np.array(["a", "b"]))
    (True, False)
    """
    if labels.dtype.kind in "iu":
        return labels.size > 0 and int(labels.min()) in {0, 1} and int(np.ptp(labels)) == labels.size - 1
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
