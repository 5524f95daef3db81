"""A task of a score table: systems × instances, NaN where missing, held in parts.

- Work on some instances of a task at a time.
- Weights of tasks and instances, as they are given.
- Covariates: what was measured beside scores, such as cost, time or size; they change no ranking.
- Clusters: instances that go together, as all questions on one passage do, and count as one draw.
- The mean of every system over the instances of a task, and its standard error.
"""

import fnmatch
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, Frozen, PackedArray, as_codes
from podium.base.check import matching, texts
from podium.base.cluster import at_each, is_remote
from podium.base.errors import InputError, LabelError, WeightError
from podium.base.words import Misleading, beginning, significant
from podium.score.repeat import Repeats, are_binary


@dataclass(frozen=True, slots=True, eq=False)
class Clusters(Frozen):
    """In which cluster each of the K instances of a task is.

    Attributes
    ----------
    names
        The C labels, sorted as texts; each has an instance.
    numbers
        Shape `(K,)`: number of the cluster of each instance.
    hashes
        Shape `(C,)`: 64 bits made of each label, for random draws.

    Examples
    --------
    >>> clusters = Clusters.of(["b", "a", "b"])
    >>> clusters.names, clusters.labels
    (('a', 'b'), ('b', 'a', 'b'))
    """

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, labels: Sequence[str]) -> Self:
        """Number the labels of K instances."""
        known: dict[str, int] = {}
        codes = np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)
        return cls.coded(codes, list(known))

    @classmethod
    def coded(cls, codes: NDArray[Any], names: Sequence[str]) -> Self:
        """Return the clusters of K instances that have these codes; `names[code]` is a label, not each in use."""
        used = np.unique(codes)
        in_use = [names[code] for code in used.tolist()]
        order = sorted(range(used.size), key=in_use.__getitem__)
        number = np.empty(used.size, dtype=np.int64)
        number[order] = np.arange(used.size)
        labels = tuple(in_use[place] for place in order)
        return cls(labels, number[np.searchsorted(used, codes)], hashes_of(labels))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the label of each of the K instances."""
        return tuple(self.names[number] for number in self.numbers.tolist())

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Shape `(C,)`: how many instances each cluster has."""
        return np.bincount(self.numbers, minlength=len(self))

    def take(self, kept: NDArray[Any]) -> "Clusters":
        """Return the clusters of some of the instances, by mask or by place.

        >>> Clusters.of(["b", "a", "b"]).take(np.array([0, 2])).names
        ('b',)
        """
        return Clusters.coded(self.numbers[kept], self.names)


def hashes_of(names: Sequence[str]) -> NDArray[np.uint64]:
    """Shape `(C,)`: 64 bits made of each label, for random draws.

    >>> hashes_of(["a", "b"]).size
    2
    """
    import hashlib  # noqa: PLC0415  # loads OpenSSL

    digests = b"".join(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


#: Instances held together in memory. Fixed, so results do not depend on threads or on the chunks of a file.
PART = 16_384

#: Scores up to so much do not run to 100.
_SHORT = 10.0

#: Scores worked on at once: small enough for a core's cache, large enough to hide the call.
AT_ONCE = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class Task(Frozen):
    """One data set with one metric: its scores, direction and weights.

    Attributes
    ----------
    name
        Label, unique among the tasks of a table.
    parts
        Read-only arrays `(N, ≤ PART)` of scores as given, systems × instances; all but the last are full. Large ones
        of small whole numbers are packed, and of a cluster they are remote; NumPy makes plain ones of both.
    scored
        Shape `(N,)`: on how many instances each system has a score.
    instances
        Shape `(K,)`: instance labels in sorted order, or None where instances are only numbered.
    instance_weights
        Shape `(K,)`, or None where every instance weighs 1.
    higher_is_better
        Direction of the metric.
    weight
        Weight of the task, ≥ 0.
    clusters
        Which instances go together and are drawn as one, or None where each is drawn by itself.
    repeats
        The repeats that the scores are a statistic of, or None where there are none.
    covariates
        By name, shape `(N, K)`: what was measured beside the scores, see `Scores.covariates`.
    family
        The data set that the task belongs to, as the caller says or a reader knows; None where neither does, see
        `family_names`.

    Raises
    ------
    InputError
        A score is infinite, or a covariate has another shape than the scores.
    """

    name: str
    parts: tuple[NDArray[Any], ...]
    scored: NDArray[np.int64]
    instances: NDArray[Any] | None = None
    instance_weights: NDArray[np.float64] | None = None
    higher_is_better: bool = True
    weight: float = 1.0
    clusters: Clusters | None = None
    repeats: Repeats | None = None
    covariates: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    family: str | None = None

    def __post_init__(self) -> None:
        Frozen.__post_init__(self)
        _check_finite(self.name, self.parts)
        for name, values in self.covariates.items():
            values.flags.writeable = False
            if values.shape != (self.scored.size, self.n_instances):
                raise InputError(f"task {self.name!r}: covariate {name!r} has shape {values.shape}, not that of scores")

    @classmethod
    def of(
        cls, name: str, parts: Iterable[NDArray[Any]], *, systems: Sequence[str] | None = None, **details: Any
    ) -> "Task":
        """Count the scores of a task, and keep its parts from being written to; errors name `systems`."""
        kept = tuple(parts)
        if systems is not None:  # a task does not know what its rows are called
            _check_finite(name, kept, systems)
        return cls(name, kept, _scored(kept), **details)

    @classmethod
    def cut(cls, name: str, values: NDArray[Any], **details: Any) -> "Task":
        """Copy one array `(N, K)` into parts."""
        codes = as_codes(values) if as_codes(values[:1]) is not None else None  # the first system tells most others
        held = values if codes is None else codes
        cut = (held[:, start : start + PART].copy("C") for start in range(0, values.shape[1], PART))
        parts = cut if codes is None else (PackedArray.of(part, values.dtype) for part in cut)
        return cls.of(name, parts, **details)

    def with_parts(self, parts: Sequence[NDArray[Any]], **details: Any) -> "Task":
        """Return the task with other scores, which are counted unless `scored` is given, but not copied."""
        if "scored" not in details:
            details["scored"] = _scored(parts)
        return replace(self, **{"parts": tuple(parts), "repeats": None, "covariates": {}, **details})

    def with_values(self, values: NDArray[Any], **details: Any) -> "Task":
        """Return the task with other scores `(N, K)`, cut into parts, which may share the memory of the array."""
        cut = (values[:, start : start + PART] for start in range(0, values.shape[1], PART))
        return self.with_parts(list(map(np.ascontiguousarray, cut)), **details)

    @property
    def n_instances(self) -> int:
        """Return the number of instances K."""
        return self.parts[0].shape[1] if len(self.parts) == 1 else sum(part.shape[1] for part in self.parts)

    @property
    def values(self) -> NDArray[Any]:
        """Return all scores of the task as one array `(N, K)`: a copy when the task has several parts."""
        if len(self.parts) == 1:
            return np.asarray(self.parts[0])
        return np.concatenate(self.parts, axis=1)


def by_task(tasks: Iterable[Task], of_parts: Iterable[Any]) -> list[list[Any]]:
    """Return what there is for each part of all tasks, one after the other, task by task.

    >>> by_task([Task.cut("t", np.ones((1, PART + 1))), Task.cut("u", np.ones((1, 1)))], "abc")
    [['a', 'b'], ['c']]
    """
    coming = iter(of_parts)
    return [list(islice(coming, len(task.parts))) for task in tasks]


def masses_of(task: Task) -> NDArray[np.float64]:
    """Return the weights of the instances of a task, shape `(K,)`: 1 where none are given."""
    return np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights


def _check_finite(name: str, parts: Sequence[NDArray[Any]], systems: Sequence[str] | None = None) -> None:
    """Refuse an infinite score; the error names the system where labels are given."""
    for part in parts:
        if is_remote(part):  # which were looked at when they were made
            continue
        if any(np.isinf(some).any() for some in _few_rows(part)):
            row = int(np.argwhere(np.isinf(part))[0][0])
            system = f"system {row + 1}" if systems is None else f"system {systems[row]!r}"
            raise InputError(
                f"task {name!r}, {system}: a score is infinite; give a finite number, or NaN if it is missing"
            )


def _few_rows(part: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut a part of very many systems, so that what is made of it at a time is small."""
    step = max(AT_ONCE // part.shape[1], 1)
    return [part] if len(part) <= step else [part[row : row + step] for row in range(0, len(part), step)]


def _scored(parts: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Shape `(N,)`: on how many instances each system has a score."""
    alone = len(parts) == 1 and parts[0].shape[1] == 1
    if alone and not is_remote(parts[0]):  # a score for each system, on each of what may be thousands of tasks
        there: NDArray[np.bool_] = ~np.isnan(parts[0][:, 0])
        return there.astype(np.int64)
    # here, `_count` unpacks only a few rows of a packed part at once
    counts = at_each(parts, _count) if any(map(is_remote, parts)) else map(_count, parts)
    scored: NDArray[np.int64] = np.sum(list(counts), axis=0, dtype=np.int64)
    return scored


def _count(part: NDArray[Any]) -> NDArray[np.int64]:
    """Shape `(N,)`: how many scores of each system there are."""
    return np.concatenate([part.shape[1] - np.count_nonzero(np.isnan(some), axis=1) for some in _few_rows(part)])


def extent(task: Task) -> tuple[float, float]:
    """Return the least and the largest score of a task as given; the infinities, reversed, where there is none.

    >>> extent(Task.cut("t", np.array([[1.0, np.nan], [3.0, 0.5]])))
    (0.5, 3.0)
    """
    parts: Any = task.parts
    known = [part.extent for part in parts if is_remote(part) and part.extent is not None]
    ends = known if len(known) == len(parts) else at_each(parts, extent_of)
    return min(low for low, _ in ends), max(high for _, high in ends)


def extent_of(part: NDArray[Any]) -> tuple[float, float]:
    """Return the least and the largest score of a part, see `extent`."""
    low, high = np.fmin.reduce(part, axis=None, initial=np.inf), np.fmax.reduce(part, axis=None, initial=-np.inf)
    return float(low), float(high)


def scale_end(task: Task) -> float:
    """Return where the scale of a task ends: 1 or 100 of shares and percent; infinite if that is not known.

    Scores from 0 to 1 are shares if higher is better, or all are 0 or 1. Those up to 100, and above 10, are percent if
    higher is better. A loss, a time, a logarithm or grades may end anywhere.

    >>> loss, errors = np.array([[0.05, 0.31]]), np.array([[0.0, 1.0]])
    >>> [scale_end(Task.cut("t", scores, higher_is_better=False)) for scores in (loss, errors)]
    [inf, 1.0]
    """
    low, high = extent(task)
    if low < 0 or high > 100 or 1 < high <= _SHORT:
        return math.inf
    if task.higher_is_better:
        return 1.0 if high <= 1 else 100.0
    return 1.0 if is_binary(task) else math.inf


def is_binary(task: Task) -> bool:
    """Return whether all scores, or all repeats that they are a statistic of, are 0 or 1."""
    return are_binary(task.values if task.repeats is None else task.repeats.values)


def unlike_scales(sizes: Mapping[str, float], instead: str) -> list[str]:
    """Note which tasks are hardly on one scale, so that a mean over tasks misleads, and what to do instead.

    Scores up to 1 may all be shares, and those above 1 and up to 100 all percent, however hard a task is. Others may be
    on one scale if they differ by less than 3 times, or, if all are above 1, less than 10 times.

    Parameters
    ----------
    sizes
        By task, the size of its scores, such as their largest mean; what is 0 or NaN says nothing.
    instead
        What to do instead.

    Examples
    --------
    >>> unlike_scales({"easy": 0.98, "hard": 0.02}, ""), unlike_scales({"easy": 98.0, "hard": 2.0}, "")
    ([], [])
    >>> unlike_scales({"rte": 0.8, "latency": 250.0}, "use effect 'smd'")
    ["scales may differ (latency: about 250, rte: about 0.80), so a mean misleads; use effect 'smd'"]
    """
    known = sorted((size, name) for name, size in sizes.items() if size > 0)
    if not known:
        return []
    small, large = known[0][0], known[-1][0]
    if large <= 1 or 1 < small <= large <= 100 or large < (3 if small <= 1 else 10) * small:
        return []
    first, second = (f"{beginning(name, 12)}: about {significant(size)}" for size, name in (known[-1], known[0]))
    return [Misleading(f"scales may differ ({first}, {second}), so a mean misleads; {instead}")]


def with_instances(task: Task, kept: NDArray[np.bool_]) -> Task:
    """Return the task with some of its instances, by mask, and with all that belongs to these.

    >>> with_instances(Task.cut("t", np.array([[1.0, 2.0, 3.0]])), np.array([True, False, True])).values
    array([[1., 3.]])
    """
    if kept.all():
        return task
    return task.with_values(
        task.values.compress(kept, axis=1),
        instances=None if task.instances is None else task.instances[kept],
        instance_weights=None if task.instance_weights is None else task.instance_weights[kept],
        clusters=None if task.clusters is None else task.clusters.take(kept),
        repeats=None if task.repeats is None else task.repeats.of_instances(kept),
        covariates={name: values.compress(kept, axis=1) for name, values in task.covariates.items()},
    )


def task_weight(task: str, weight: Any) -> float:
    """Return the weight of a task as a number, or refuse what is none."""
    if not isinstance(weight, Real):
        raise WeightError(f"weight of task {task!r} is {weight!r}, which is not a number")
    return float(weight)


def instance_weights(task: str, weights: Any) -> NDArray[np.float64]:
    """Return weights of instances of a task as numbers, or refuse what are none."""
    try:
        return np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise WeightError(f"instance weights of task {task!r} are not numbers: {error}") from error


def assigned(given: Any, tasks: Sequence[str]) -> dict[str, Any]:
    """Return what each task is given, by its name or else by globs."""
    if not isinstance(given, Mapping):
        raise WeightError(f"weights are a dictionary such as {{'rte': 2}}, not {type(given).__name__}")
    source = {name: name for name in tasks if name in given}  # names first
    for pattern in given:
        for task in () if pattern in source else matching("task", [pattern], tasks):
            known = source.setdefault(task, pattern)
            if known not in {task, pattern} and not np.array_equal(given[known], given[pattern]):
                raise WeightError(
                    f"task {task!r} is given weight {given[known]} by {known!r} and {given[pattern]} by {pattern!r}; "
                    "give it one weight, under its own name"
                )
    return {task: given[source[task]] for task in tasks if task in source}


def check_weights(what: str, weights: ArrayLike, of: Sequence[str] = ()) -> None:
    """Refuse weights that make no sense; `of` names what each is the weight of.

    Raises
    ------
    WeightError
        A weight is negative or not finite; all are zero; or their sum is too large for a number.
    """
    array = np.asarray(weights, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if wrong.size:
        where = f"weight of {of[wrong[0]]}" if of else f"{what}: weight {wrong[0] + 1}"
        raise WeightError(f"{where} is {array[wrong[0]]:g}; a weight is a finite number that is not negative")
    with np.errstate(over="ignore"):
        if np.isinf(array.sum()):
            raise WeightError(f"{what} are too large to be added up; divide them all by the largest")
    if array.size and not array.any():
        raise WeightError(f"{what} are all zero, so nothing would count")


#: Names that columns of covariates have, and their units; empty where the name does not say it.
COVARIATE_UNITS = {
    "seconds": "s",
    "cost": "",
    "input_tokens": "tokens",
    "output_tokens": "tokens",
    "calls": "calls",
    "parameters": "parameters",
    "dimensions": "dimensions",
    "memory_mb": "MB",
    "co2_kg": "kg",
}


#: Words for covariates of style: patterns of names, of which "length" means the first that is there, "markdown" all.
_STYLE = {
    "length": ("*length*", "*output*token*", "*assistant*token*", "*token*", "*word*", "*char*"),
    "markdown": ("*header*", "*heading*", "*list*", "*bold*"),
}


def covariates_named(patterns: str | Iterable[str], names: Sequence[str], kind: str = "covariate") -> list[str]:
    """Return the names that match any pattern; "length" and "markdown" stand for usual names if nothing is called so.

    Raises
    ------
    LabelError
        A pattern matches nothing.

    Examples
    --------
    >>> covariates_named(["length", "markdown"], ["cost", "tokens", "header_count", "bold_count"])
    ['tokens', 'header_count', 'bold_count']
    >>> covariates_named(["length"], [])
    Traceback (most recent call last):
    podium.errors.LabelError: there is no covariate 'length'; a covariate is a column of numbers beside the scores of a
    long table, or one for each side of battles, as length_a and length_b
    """
    wanted, asked = list[str](), texts(kind, patterns)
    if asked and not names:
        where = "beside the scores of a long table, or one for each side of battles, as length_a and length_b"
        raise LabelError(f"there is no {kind} {asked[0]!r}; a covariate is a column of numbers {where}")
    for pattern in asked:
        found = (
            []
            if fnmatch.filter(names, pattern)
            else [one for usual in _STYLE.get(pattern, ()) for one in fnmatch.filter(names, usual)]
        )
        wanted += found[:1] if pattern == "length" else found
        wanted += [] if found else [pattern]
    return matching(kind, wanted, names)


@dataclass(frozen=True, slots=True, eq=False)
class Covariate(Frozen):
    """Numbers beside the scores of a table.

    Attributes
    ----------
    name
        Such as "cost".
    values
        For each task, shape `(N, K)`: what is known of each system on each instance; NaN where nothing is. What is
        known of a whole run, such as its cost, stands at each of its instances.

    Examples
    --------
    >>> seconds = Covariate("seconds", (np.array([[1.0, 3.0], [np.nan, 2.0]]), np.array([[4.0], [np.nan]])))
    >>> seconds.of_systems(), seconds.unit
    (array([3., 2.]), 's')
    """

    name: str
    values: tuple[Floats, ...]

    @property
    def unit(self) -> str:
        """Return unit, as far as the name says it."""
        return COVARIATE_UNITS.get(self.name.lower(), "")

    def of_systems(self) -> Floats:
        """Shape `(N,)`: the mean over tasks of means over instances, of what is known; NaN where nothing is."""
        return _mean(np.stack([_mean(part) for part in self.values], axis=1))


def _mean(values: Floats) -> Floats:
    """Return the means of rows, of what is known."""
    there = ~np.isnan(values)
    number = there.sum(axis=1)
    total = np.where(there, values, 0.0).sum(axis=1)
    mean: Floats = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return mean


#: Scores that are averaged at once, so that a large task needs no second copy.
_TOGETHER = 2**20


def mean_scores(task: Task) -> tuple[Floats, Floats]:
    r"""Return the mean of each system over the instances of a task, and its standard error.

    Over the n instances that score a system, with weights w, the mean is m = Σ w x / Σ w. Its standard error is

    * √(n / (n − 1) Σ (w (x − m))²) / Σ w where instances are drawn one by one: s / √n without weights;
    * √(G / (G − 1) Σ_g (Σ_{i in g} w_i (x_i − m))²) / Σ w where they come in G clusters (Miller 2024, §2.2, with the
      usual correction for few clusters).

    Parameters
    ----------
    task
        Scores of N systems on K instances; missing ones are left out, and instances that weigh nothing.

    Returns
    -------
    means, std_errors
        Shape `(N,)` each, in the units of the scores. NaN for no score, and for the error of one instance or cluster.

    Examples
    --------
    >>> means, errors = mean_scores(Task.cut("rte", np.array([[0.0, 1.0, 1.0, 0.0]])))
    >>> print(f"{means[0]} {errors[0]:.6f}")
    0.5 0.288675
    """
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    step, found = max(1, _TOGETHER // task.n_instances), []
    for row in range(0, task.scored.size, step):
        rows = [np.asarray(part[row : row + step]) for part in task.parts]
        found.append(_of_rows(rows[0] if len(rows) == 1 else np.concatenate(rows, axis=1), weights, task.clusters))
    means, errors = np.concatenate(found, axis=1)
    return means, errors


def _of_rows(scores: NDArray[Any], weights: Floats, clusters: Clusters | None) -> tuple[Floats, Floats]:
    """Return the means and standard errors of some systems."""
    values = scores.astype(np.float64)
    counted = ~np.isnan(values) & (weights > 0)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        total = np.where(counted, weights, 0.0).sum(axis=1)
        means = np.where(counted, weights * values, 0.0).sum(axis=1) / total
        moved = np.where(counted, weights * (values - means[:, None]), 0.0)
        drawn = np.count_nonzero(counted, axis=1)
        if clusters is not None:
            moved, drawn = _of_clusters(moved, counted, clusters)
        errors = np.sqrt(drawn / (drawn - 1) * (moved**2).sum(axis=1)) / total
    return means, np.where(drawn > 1, errors, np.nan)


def _of_clusters(moved: Floats, counted: NDArray[np.bool_], clusters: Clusters) -> tuple[Floats, NDArray[np.int64]]:
    """Sum over each cluster, shape `(N, G)`, and the number of clusters that score each system, shape `(N,)`."""
    numbers, size = clusters.numbers, len(clusters)
    sums = np.array([np.bincount(numbers, weights=row, minlength=size) for row in moved])
    found = [np.count_nonzero(np.bincount(numbers[row], minlength=size)) for row in counted]
    return sums, np.array(found, dtype=np.int64)
