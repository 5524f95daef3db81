"""What the files of a tool say, whatever the tool: runs of systems on tasks, with scores of instances or one mean."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.words import About

if TYPE_CHECKING:
    from podium.source.tool.content import Content


Floats = NDArray[np.floating[Any]]


#: Settings that change how fast a run is, and no score.
IDLE = frozenset(
    (
        *("max_connections", "max_retries", "timeout", "attempt_timeout", "num_concurrent", "batch_size", "device"),
        *("max_batch_size", "parallelize", "cache", "adaptive_connections", "log_level"),
    )
)


def labels(values: Iterable[Any]) -> NDArray[Any]:
    """Return labels as they are, integers or texts, in an array.

    >>> labels([1, "b"]), labels([1, 2])
    (array([1, 'b'], dtype=object), array([1, 2]))
    """
    listed = list(values)
    if set(map(type, listed)) == {int}:
        with suppress(OverflowError):
            return np.array(listed, dtype=np.int64)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Scores of one run, instance by instance.

    Attributes
    ----------
    instances
        Shape `(R,)`: labels, all integers or all text.
    scores
        Shape `(R,)`: NaN if there is none.
    repeats
        Shape `(R,)`: which repeat of the instance each is, or None if each instance was run once.
    weights
        Shape `(R,)`: weights of the instances, or None if all weigh the same.
    clusters
        Shape `(R,)`: labels of the clusters, or None.
    digests
        Shape `(R,)`: what tells whether instances of equal labels are the same, or None if the tool says nothing.
    covariates
        By name, shape `(R,)`: what else was measured, such as `seconds`, `cost` or `output_tokens`.
    """

    instances: NDArray[Any]
    scores: Floats
    repeats: NDArray[np.int64] | None = None
    weights: Floats | None = None
    clusters: NDArray[Any] | None = None
    digests: NDArray[Any] | None = None
    covariates: Mapping[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for label in self.instances if self.instances.dtype == object else ():
            if type(label) is not str and not (type(label) is int and -(2**63) <= label < 2**63):
                raise TypeError(f"{str(label)[:40]!r} is no label of an instance")

    def same_questions(self, other: "Samples") -> bool:
        """Return whether all instances and what tells them apart are the same, in the same order."""
        pairs: list[tuple[Any, Any]] = [(self.instances, other.instances), (self.digests, other.digests)]
        return all(left.dtype == right.dtype and np.array_equal(left, right) for left, right in pairs)

    def agree(self, mean: float, *, rel_tol: float = 1e-9) -> bool:
        """Return whether the mean of the scores is the tool's own, so that they are scores by its metric."""
        there = self.scores[~np.isnan(self.scores)]
        return there.size > 0 and math.isclose(float(there.mean()), mean, rel_tol=rel_tol, abs_tol=1e-9)


class Repeated:
    """Scores of one metric, while they are read.

    Examples
    --------
    >>> scores = Repeated()
    >>> scores.add("q1", 1)
    >>> scores.add("q1", 0)
    >>> scores.samples().repeats
    array([1, 2])
    """

    __slots__ = ("_rows", "_seen")

    def __init__(self) -> None:
        #: Of each score: instance, score, repeat, cluster, digest, and what else was measured.
        self._rows: list[tuple[Any, float, int, str | None, str | None, Mapping[str, float]]] = []
        self._seen = Counter[Any]()

    def add(
        self,
        instance: Any,
        score: Any,
        measured: Mapping[str, float] | None = None,
        *,
        cluster: str | None = None,
        digest: str | None = None,
        repeat: int | None = None,
    ) -> None:
        """Add a score, with what else was measured; None is missing, and scores of equal instances are repeats.

        Raises
        ------
        TypeError
            The score is no number.
        """
        if score is not None and not isinstance(score, int | float):
            raise TypeError(f"{str(score)[:40]!r} is no score")
        self._seen[instance] += 1
        value = math.nan if score is None else float(score)
        number = self._seen[instance] if repeat is None else repeat
        self._rows.append((instance, value, number, cluster, digest, measured or {}))

    def fill(self, instances: Iterable[Any], score: float) -> list[Any]:
        """Give a score to those of these instances that have none, and return them."""
        lacking = [instance for instance in instances if instance not in self._seen]
        for instance in lacking:
            self.add(instance, score)
        return lacking

    @property
    def instances(self) -> Collection[Any]:
        """Return labels of all instances, each once."""
        return self._seen.keys()

    @property
    def missing(self) -> int:
        """Return how many scores are missing."""
        return sum(math.isnan(score) for _, score, *_ in self._rows)

    def samples(self) -> Samples:
        """Return all of them."""
        columns: Any = zip(*self._rows, strict=True) if self._rows else [()] * 6
        instances, scores, repeats, clusters, digests, measured = columns
        names = dict.fromkeys(name for one in measured for name in one)
        covariates = {name: np.array([one.get(name, math.nan) for one in measured], np.float64) for name in names}
        clustered, digested = (None if None in some else labels(some) for some in (clusters, digests))
        numbers = np.array(repeats) if max(repeats, default=1) > 1 else None
        return Samples(labels(instances), np.array(scores, np.float64), numbers, None, clustered, digested, covariates)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run of one system on one task, by one metric.

    Attributes
    ----------
    where
        The file, as errors call it.
    system, task, metric
        Their names, as the tool gives them.
    mean
        The tool's own aggregate, or None.
    samples
        Scores of the instances, or None.
    higher_is_better
        None if the tool does not say.
    metric_order
        Of the metric among those of the task, as the tool orders them; 0 is the main one.
    made
        When, as text that sorts by time; empty if unknown.
    settings, task_settings
        What tells systems, or tasks, of equal names apart.
    covariates
        By name, what else is known of the system in numbers, such as `parameters` or `cost`.
    family
        The data set, of tasks that are named after more than that; empty if the task is it.
    logarithms
        Whether the scores of samples are logarithms, and the mean is no logarithm, as with perplexities.
    whole
        Whether all was run: no limit, no end before the last instance.
    ended
        Whether the run has ended, and its file is not cut off.
    notes
        What a reader of the scores must know, such as that the run has not ended.
    """

    where: str
    system: str
    task: str
    metric: str
    mean: float | None = None
    samples: Samples | None = None
    higher_is_better: bool | None = None
    metric_order: int = 0
    made: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    task_settings: Mapping[str, str] = field(default_factory=dict)
    covariates: Mapping[str, float] = field(default_factory=dict)
    family: str = ""
    logarithms: bool = False
    whole: bool = True
    ended: bool = True
    notes: tuple[str, ...] = ()

    @property
    def scored_by(self) -> str:
        """Return what its scores are: the metric, or its logarithm."""
        return f"log {self.metric}" if self.logarithms and self.samples is not None else self.metric


def each_metric(
    run: Run,
    means: Mapping[str, float | None] | None = None,
    samples: Mapping[str, Samples | Repeated] | None = None,
    *,
    order: Iterable[str] | None = None,
    first: Iterable[str] = (),
    higher: Mapping[str, bool | None] | None = None,
) -> Iterator[Run]:
    """Yield a run for each metric in order, the main one first: with its mean, its samples, or both.

    Parameters
    ----------
    run
        What is the same by all metrics.
    order
        Metrics; by default those with samples, then those with means.
    first
        Metrics that stand before all others, as far as there are any.
    higher
        By metric, whether more is better, if that is not the same for all.

    Examples
    --------
    >>> runs = each_metric(Run("a", "A", "qa", ""), {"f1": 0.5, "em": 0.4})
    >>> [(one.metric, one.mean, one.metric_order) for one in runs]
    [('f1', 0.5, 0), ('em', 0.4, 1)]
    """
    means, samples = means or {}, samples or {}
    places = {metric: place for place, metric in enumerate(dict.fromkeys(first))}
    names = dict.fromkeys([*samples, *means] if order is None else order)
    for number, metric in enumerate(sorted(names, key=lambda metric: places.get(metric, len(places)))):
        found = samples.get(metric)
        own = found.samples() if isinstance(found, Repeated) else found
        better = run.higher_is_better if higher is None else higher.get(metric)
        yield replace(
            run, metric=metric, mean=means.get(metric), samples=own, higher_is_better=better, metric_order=number
        )


def counted(subject: str, kinds: Mapping[str, int]) -> tuple[str, ...]:
    """Return a note of each kind on a file, or on what it is about, with how many there are; none if there are none.

    >>> counted("a.json", {"failed": 2, "missing": 0})
    ('failed: a.json (2)',)
    """
    return tuple(About(kind, f"{subject} ({count:,})") for kind, count in kinds.items() if count)


def _checked(run: Run) -> Run:
    """Return a run, and refuse one with two scores of a sample."""
    samples = run.samples
    if samples is None:
        return run
    labels = samples.instances.tolist()
    repeats = [1] * len(labels) if samples.repeats is None else samples.repeats.tolist()
    keys = list(zip(labels, repeats, strict=True))
    if len(set(keys)) == len(keys):
        return run
    known: dict[Any, float] = {}
    for key, score in zip(keys, samples.scores.tolist(), strict=True):
        if not math.isnan(score) and (first := known.setdefault(key, score)) != score:
            raise InputError(
                f"{run.where}: sample {str(key[0])[:60]!r} stands there twice, with {run.metric} {first:g} and "
                f"{score:g}; remove one"
            )
    return run


def each_file(path: str) -> str:
    """Return a unit of its own for a file, if it says all by itself."""
    return path


def all_files(_path: str) -> str:
    """Return the same unit for every file, if what one says depends on what all others are."""
    return ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose files podium reads, in one of three ways, its `mode`.

    - "alone": each file says all by itself, and `read` takes the file.
    - "together": files say something only with others, such as those of their folder: `unit` names what they share,
      and `read` takes all files of a unit, which it opens.
    - "in parts": there are very many such files, or they are large. So `part` takes of each what is needed, while it
      is open anyway, and `read` takes the files of a unit with their `Content.part`, and opens none.

    Attributes
    ----------
    name
        As typed after `--tool`.
    title
        As people call it.
    recognises
        Whether a file is one of its results, by its content.
    read
        The runs of a file, or of the list of files of a unit.
    unit
        From the path of a file to the name of its unit.
    part
        From a file to what is needed of it, small enough to be held for all files.
    columns
        Whether the caller may name columns of its files, see `Content.asked`.
    folders
        Names of hidden folders in which its files lie.
    """

    name: str
    title: str
    recognises: Callable[["Content"], bool]
    read: Callable[..., Iterable[Run]]
    _: KW_ONLY
    unit: Callable[[str], str] = each_file
    part: Callable[["Content"], Any] | None = None
    columns: bool = False
    folders: tuple[str, ...] = ()

    @property
    def mode(self) -> Literal["alone", "together", "in parts"]:
        """Return how files are read."""
        return "alone" if self.unit is each_file else "together" if self.part is None else "in parts"

    def runs(self, given: Any) -> tuple[Run, ...]:
        """Read the runs of a file, or of the files of a unit.

        Raises
        ------
        InputError
            A file is damaged, or a sample stands in it twice.
        """
        return tuple(map(_checked, self.read(given)))
