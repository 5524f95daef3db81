"""A task of a score table: systems × instances, NaN where missing, held in parts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.frozen import Frozen
from podium.base.spill import room_of
from podium.score.cluster import Clusters
from podium.score.repeat import Repeats

#: Instances held together in memory. Fixed, so results do not depend on threads or on the chunks of a file.
PART = 16_384

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
        Read-only arrays `(N, ≤ PART)` of scores as given, systems × instances; all but the last are full.
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
        starts = range(0, values.shape[1], PART)
        return cls.of(name, (_copied(values[:, start : start + PART]) for start in starts), **details)

    def with_parts(self, parts: Sequence[NDArray[Any]], **details: Any) -> "Task":
        """Return the task with other scores, which are counted, but not copied."""
        beside: dict[str, Any] = {"repeats": None, "covariates": {}}
        return replace(self, **{"parts": tuple(parts), "scored": _scored(parts), **beside, **details})

    def with_values(self, values: NDArray[Any], **details: Any) -> "Task":
        """Return the task with other scores `(N, K)`, cut into parts, which may share the memory of the array."""
        cut = (values[:, start : start + PART] for start in range(0, values.shape[1], PART))
        return self.with_parts([part if part.flags.c_contiguous else _copied(part) for part in cut], **details)

    @property
    def n_instances(self) -> int:
        """Number of instances K."""
        return self.parts[0].shape[1] if len(self.parts) == 1 else sum(part.shape[1] for part in self.parts)

    @property
    def values(self) -> NDArray[Any]:
        """All scores of the task as one array `(N, K)`: a copy when the task has several parts."""
        if len(self.parts) == 1:
            return self.parts[0]
        first = self.parts[0]
        whole = room_of(first).empty((len(first), self.n_instances), np.result_type(*self.parts))
        return np.concatenate(self.parts, axis=1, out=whole)


def _copied(part: NDArray[Any]) -> NDArray[Any]:
    """A copy whose rows follow each other, held where the part is."""
    copy = room_of(part).empty(part.shape, part.dtype)
    copy[...] = part
    return copy


def rows_of(part: NDArray[Any], rows: NDArray[np.intp]) -> NDArray[Any]:
    """Some rows of a part, held where the part is."""
    chosen = room_of(part).empty((rows.size, part.shape[1]), part.dtype)
    return np.take(part, rows, axis=0, out=chosen, mode="clip")  # other modes copy once more


def _check_finite(name: str, parts: Sequence[NDArray[Any]], systems: Sequence[str] | None = None) -> None:
    """Refuse an infinite score; the error names the system where labels are given."""
    for part in parts:
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
    if len(parts) == 1 and parts[0].shape[1] == 1:  # a score for each system, on each of what may be thousands of tasks
        there: NDArray[np.bool_] = ~np.isnan(parts[0][:, 0])
        return there.astype(np.int64)
    counts = [
        np.concatenate([part.shape[1] - np.count_nonzero(np.isnan(some), axis=1) for some in _few_rows(part)])
        for part in parts
    ]
    scored: NDArray[np.int64] = np.sum(counts, axis=0, dtype=np.int64)
    return scored
