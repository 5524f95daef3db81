"""Tables that the workers of a cluster read, each some files or row groups; this machine learns labels alone.

1. Workers find the labels of their rows; this machine numbers all of them, and sorts the instances of each task.
2. Workers read their rows again, and cut them by buckets: some instances of a task that follow each other. Of a piece
   only buckets are cut whose labels it may have, so where rows are in order little moves.
3. A worker brings the rows of a bucket together, and keeps the scores, as parts of a task; of two, the first counts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.base.arrays import to_numpy
from podium.base.cluster import Cluster, RemoteArray
from podium.base.errors import InputError, PodiumError
from podium.base.parallel import Progress
from podium.score.task import PART, Clusters, Task, extent_of
from podium.source.assembly import SHOWN, Assembly, Cell, CodedRows
from podium.source.coder import Coder, KnownLabels
from podium.source.labels import IntegerKeys
from podium.source.recognise import Layout
from podium.source.table import RowError, SourceTable, located

#: Rows of a piece, at least, and scores of a bucket, at most, but for tables of very many systems.
_ROWS, _SCORES = 2**22, 2**23

#: Parts of a bucket, at most.
_PARTS = 16

#: How many times as many numbers as labels there may be in a range, so that labels are marked there.
_DENSE = 8


class _Piece(NamedTuple):
    """Rows that a worker reads, the roles of their columns, and how the coder reads instances."""

    table: SourceTable
    layout: Layout
    as_text: bool
    dtype: Any

    def coder(self) -> Coder:
        return Coder([self.table], [self.layout], dtype=self.dtype, as_text=self.as_text, large=False)


@dataclass(frozen=True, slots=True)
class _Bucket:
    """Instances of a task, by their places among its sorted labels; `after` is the first that is no longer in it."""

    task: int
    first: int
    after: int


class Distributed:
    """Scores of all tasks, on workers; what `Assembly` is for scores in memory.

    Attributes
    ----------
    contradictions, n_contradictions, n_scores
        See `Assembly`; the key of a cell is the place of its instance.
    """

    def __init__(
        self,
        cluster: Cluster,
        labels: Mapping[int, Any],
        buckets: Sequence[_Bucket],
        held: list[Any],
        progress: Progress | None,
    ) -> None:
        self._cluster, self._labels, self._buckets, self._held = cluster, labels, buckets, held
        found: dict[int, _Facts] = {}
        for number, facts in cluster.results([cluster.submit(_facts, one) for one in held]):
            found[number] = facts
            if progress is not None:
                progress(len(held) + len(found), 2 * len(held))
        self._facts = [found[number] for number in range(len(held))]
        self.n_scores = sum(facts.n_scores for facts in self._facts)
        self.n_contradictions = sum(facts.n_contradictions for facts in self._facts)
        self.contradictions: list[Cell] = [
            (bucket.task, system, bucket.first + key)
            for bucket, facts in zip(buckets, self._facts, strict=True)
            for _, system, key in facts.contradictions
        ][:SHOWN]

    def tasks(self, names: Sequence[str], _: Any = None) -> tuple[tuple[Task, ...], dict[str, tuple[Task, ...]]]:
        """Return tasks whose parts are on workers; they have no covariates."""
        labels = _as_arrays(self._labels)
        tasks = tuple(self._task(number, name, labels[number]) for number, name in enumerate(names))
        return tasks, {}

    def _task(self, number: int, name: str, labels: NDArray[Any]) -> Task:
        own = [place for place, bucket in enumerate(self._buckets) if bucket.task == number]
        facts = [self._facts[place] for place in own]
        parts: tuple[Any, ...] = tuple(
            RemoteArray(self._cluster, self._held[place], part, shape, dtype, extent=extent)
            for place, fact in zip(own, facts, strict=True)
            for part, (shape, dtype, extent) in enumerate(fact.parts)
        )
        details: dict[str, Any] = {"instances": labels}
        if facts[0].weights is not None:
            details["instance_weights"] = np.concatenate([fact.weights for fact in facts])
        if clusters := [fact.clusters for fact in facts if fact.clusters is not None]:
            details["clusters"] = Clusters.of([label for some in clusters for label in some.labels])
        return Task(name, parts, np.sum([fact.scored for fact in facts], axis=0), **details)

    def refusal(self, coder: Coder) -> InputError:
        """Return the error that names cells with several scores."""
        tasks, systems, count = coder.task_names(), coder.systems.names, self.n_contradictions
        cells = [
            f"  task {tasks[task]!r}, system {systems[system]!r}, instance {str(self._labels[task][place])!r}"
            for task, system, place in self.contradictions
        ]
        what = "1 score contradicts an earlier score" if count == 1 else f"{count:,} scores contradict earlier scores"
        cure = "keep one score of each, or always the first of the first file with keep_first=True (--keep-first); if "
        cure += "they are repeats, name their column with repeat_column= (--repeat-column)"
        return InputError("\n".join([f"{what}:", *cells, cure]))


def read_on(
    cluster: Cluster,
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    *,
    dtype: Any,
    as_text: bool,
    stop: bool,
    progress: Progress | None = None,
) -> tuple[Coder, Distributed]:
    """Have the workers of a cluster read tables; return what is known of their labels, and their scores.

    Raises
    ------
    InputError
        A row cannot be used; the message names file and row. Or, if `stop`, rows contradict each other.
    """
    pieces = [
        _Piece(piece, layout, as_text, dtype)
        for table, layout in zip(tables, layouts, strict=True)
        for piece in table.pieces(max(_ROWS // max(len(layout.tasks), 1), 1))
    ]
    coder = Coder(tables, layouts, dtype=dtype, as_text=as_text, large=False)
    labels, spans = _numbered(cluster, pieces, coder, progress)
    n_systems = len(coder.systems.names)
    width = PART * int(np.clip(_SCORES // (n_systems * PART), 1, _PARTS))
    buckets = [
        _Bucket(task, first, min(first + width, len(own)))
        for task, own in sorted(labels.items())
        for first in range(0, len(own), width)
    ]
    known, sorted_labels = cluster.share(coder.known), cluster.share(labels)
    rows: list[list[Any]] = [[] for _ in buckets]
    for piece, span in zip(pieces, spans, strict=True):
        own = _touched(span, labels, buckets)
        cut = cluster.submit(_cut, piece, known, sorted_labels, [buckets[number] for number in own])
        for place, number in enumerate(own):
            rows[number].append(cluster.submit(itemgetter(place), cut, soon=True))
    held = [
        cluster.submit(_assembled, bucket, known, n_systems, dtype, some, soon=True)
        for bucket, some in zip(buckets, rows, strict=True)
    ]
    del rows, cut  # workers forget them, once the buckets that need them are there
    scores = Distributed(cluster, labels, buckets, held, progress)
    if stop and scores.contradictions:
        raise scores.refusal(coder)
    return coder, scores


class _Found(NamedTuple):
    """Labels of a piece, and the sorted instances of each task by its number there."""

    known: KnownLabels
    instances: dict[int, Any]


def _found(piece: _Piece) -> _Found:
    """Find the labels of a piece, on a worker."""
    coder, keys = piece.coder(), dict[int, list[NDArray[np.int64]]]()
    for rows in _rows(coder, piece, scored=False):
        for task, some in _by_task(rows.tasks):
            own = rows.keys[some]
            own = own[np.concatenate(([True], own[1:] != own[:-1]))]
            keys.setdefault(task, []).append(own)
    distinct = {task: _distinct(np.concatenate(some)) for task, some in keys.items()}
    return _Found(coder.known, {task: _sorted_labels(coder, own) for task, own in distinct.items()})


def _rows(coder: Coder, piece: _Piece, *, scored: bool = True) -> Iterator[CodedRows]:
    for _, start, rows in coder.batches(scored=scored):
        with located(piece.table, start):
            yield rows


def _by_task(numbers: NDArray[np.int32]) -> Iterator[tuple[int, Any]]:
    """Yield each number, of tasks or of buckets, with its rows."""
    if numbers[0] == numbers[-1] and (numbers == numbers[0]).all():
        yield int(numbers[0]), slice(None)
        return
    order = np.argsort(numbers.astype(np.min_scalar_type(numbers.max())), kind="stable")  # small ones by their digits
    ordered = numbers[order]
    for some in np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1):
        yield int(numbers[some[0]]), some


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct keys, sorted; in less time than sorting takes, where most numbers of their range are keys."""
    low, span = keys.min(), int(keys.max()) - int(keys.min())
    if span > _DENSE * keys.size:
        return np.unique(keys)
    seen = np.zeros(span + 1, dtype=np.bool_)
    seen[keys - low] = True
    found: NDArray[np.int64] = np.flatnonzero(seen) + low
    return found


def _sorted_labels(coder: Coder, keys: NDArray[np.int64]) -> Any:
    """Return the labels of distinct keys, sorted: integers, or an Arrow array of texts."""
    if coder.instances is None:
        raise TypeError("a table that workers read has instances")
    labels, _ = coder.instances.sort(keys)
    return labels if labels.dtype.kind == "i" else _array(labels.tolist())


def _numbered(
    cluster: Cluster, pieces: Sequence[_Piece], coder: Coder, progress: Progress | None
) -> tuple[dict[int, Any], list[dict[int, tuple[Any, Any]]]]:
    """Number all labels; return the sorted instances of each task, and for each piece its least and greatest."""
    labels: dict[int, Any] = {}
    spans = []
    waiting = [cluster.submit(_found, piece) for piece in pieces][::-1]
    while waiting:  # in order, one at a time, so that labels are in order of first appearance, and few are held
        try:
            ((_, found),) = cluster.results([waiting.pop()])
        except PodiumError:
            waiting.clear()
            raise
        number = coder.absorb(found.known)
        spans.append({number[task]: (own[0], own[-1]) for task, own in found.instances.items()})
        for task, own in found.instances.items():
            known = labels.get(number[task])
            labels[number[task]] = own if known is None else _union(known, own)
        if progress is not None:
            progress(len(spans), 2 * len(pieces))
    return _shared(labels), spans


def _union(known: Any, more: Any) -> Any:
    """Return the sorted labels that are in one of two sorted arrays."""
    if isinstance(known, np.ndarray):
        return known if np.array_equal(known, more) else _distinct(np.concatenate((known, more)))
    if known.equals(more):
        return known
    return pc.unique(pa.concat_arrays([known, more])).sort()


def _shared(labels: dict[int, Any]) -> dict[int, Any]:
    """Return the same with one array for tasks that have the same labels."""
    kept: list[Any] = []
    for task, own in labels.items():
        same = np.array_equal if isinstance(own, np.ndarray) else pa.Array.equals
        first = next((one for one in kept if len(one) == len(own) and same(one, own)), None)
        if first is None:
            kept.append(own)
        labels[task] = own if first is None else first
    return labels


def _as_arrays(labels: Mapping[int, Any]) -> dict[int, NDArray[Any]]:
    """Return labels as a task has them; tasks that share labels share the array."""
    made: dict[int, NDArray[Any]] = {}
    for own in labels.values():
        if id(own) not in made:
            texts = not isinstance(own, np.ndarray)
            made[id(own)] = np.array(own.to_pylist(), dtype=np.dtypes.StringDType()) if texts else own
            made[id(own)].flags.writeable = False
    return {task: made[id(own)] for task, own in labels.items()}


def _places(labels: Any, wanted: Any) -> NDArray[np.int64]:
    """Return where labels stand among sorted ones, which they are."""
    if not isinstance(labels, np.ndarray):
        return to_numpy(pc.index_in(wanted, value_set=labels)).astype(np.int64)
    if int(labels[-1]) - int(labels[0]) == len(labels) - 1:
        return np.asarray(wanted - labels[0])
    return np.asarray(np.searchsorted(labels, wanted))


def _touched(span: Mapping[int, tuple[Any, Any]], labels: Mapping[int, Any], buckets: Sequence[_Bucket]) -> list[int]:
    """Numbers of the buckets of which a piece may have rows, as it has no labels beyond its least and greatest."""
    ends = {task: _places(labels[task], _array(both)).tolist() for task, both in span.items()}
    return [
        number
        for number, bucket in enumerate(buckets)
        if bucket.task in ends and ends[bucket.task][0] < bucket.after and ends[bucket.task][1] >= bucket.first
    ]


def _array(labels: Sequence[Any]) -> Any:
    """Return integers, or texts, as an array."""
    if isinstance(labels[0], np.integer):
        return np.array(labels)
    return pa.array(map(str, labels), pa.large_string())


def _cut(piece: _Piece, known: KnownLabels, labels: Mapping[int, Any], buckets: Sequence[_Bucket]) -> list[CodedRows]:
    """Read a piece, on a worker, and cut its rows by buckets; keys are places in the bucket."""
    coder = piece.coder()
    coder.absorb(known)
    firsts = {bucket.task: [one.first for one in buckets if one.task == bucket.task] for bucket in buckets}
    before = {task: sum(bucket.task < task for bucket in buckets) for task in firsts}
    own: list[list[CodedRows]] = [[] for _ in buckets]
    for rows in _rows(coder, piece):
        places, numbers = np.empty((2, rows.keys.size), dtype=np.int32)
        for task, some in _by_task(rows.tasks):
            places[some] = _places_of(coder, rows.keys[some], labels[task])
            numbers[some] = before[task] + np.searchsorted(firsts[task], places[some], "right") - 1
        for number, some in _by_task(numbers):
            own[number].append(
                CodedRows(
                    np.empty(0, dtype=np.int32),
                    rows.systems[some],
                    places[some] - np.int32(buckets[number].first),
                    rows.scores[some],
                    None if rows.weights is None else rows.weights[some],
                    None if rows.clusters is None else rows.clusters[some],
                )
            )
    return [_joined(some, piece.dtype) for some in own]


def _places_of(coder: Coder, keys: NDArray[np.int64], labels: Any) -> NDArray[np.int64]:
    """Return the places of the instances of some rows among the labels of their task."""
    if isinstance(labels, np.ndarray):
        return _places(labels, keys)
    distinct, inverse = np.unique(keys, return_inverse=True)
    if coder.instances is None:
        raise TypeError("a table that workers read has instances")
    texts, order = coder.instances.sort(distinct)
    place = np.empty(distinct.size, dtype=np.int64)
    place[order] = _places(labels, _array(texts.tolist()))
    return place[inverse]


def _joined(some: Sequence[CodedRows], dtype: Any) -> CodedRows:
    """Put rows behind each other."""
    if not some:
        none = np.empty(0, dtype=np.int32)
        return CodedRows(none, none, none.astype(np.int64), none.astype(dtype))
    rows = ((one.tasks, one.systems, one.keys, one.scores, one.weights, one.clusters) for one in some)
    columns: list[Any] = [None if values[0] is None else np.concatenate(values) for values in zip(*rows, strict=True)]
    return CodedRows(*columns)


class _Facts(NamedTuple):
    parts: list[tuple[tuple[int, ...], Any, tuple[float, float]]]
    scored: NDArray[np.int64]
    weights: Any
    clusters: Clusters | None
    contradictions: list[Cell]
    n_contradictions: int
    n_scores: int


@dataclass(frozen=True, slots=True)
class _Held:
    """Parts of a task that a worker holds, and what this machine is told of them."""

    parts: tuple[NDArray[Any], ...]
    facts: _Facts

    def __getitem__(self, place: int) -> NDArray[Any]:
        return self.parts[place]


def _assembled(bucket: _Bucket, known: KnownLabels, n_systems: int, dtype: Any, rows: Sequence[CodedRows]) -> _Held:
    """Put the rows of a bucket into cells, on a worker."""
    assembly = Assembly(dtype, clusters=known.clusters)
    for one in rows:
        if one.scores.size:
            tasks = np.zeros(one.scores.size, dtype=np.int32)
            keys = one.keys.astype(np.int64)
            try:
                assembly.add(CodedRows(tasks, one.systems, keys, one.scores, one.weights, one.clusters), n_systems)
            except RowError as error:  # the other row may stand in another piece
                raise InputError(f"task {known.tasks.names[bucket.task]!r}: {error.what}") from error
    (task,), _ = assembly.tasks([""], IntegerKeys())
    shapes = [(part.shape, part.dtype, extent_of(part)) for part in task.parts]
    found = assembly.contradictions, assembly.n_contradictions, assembly.n_scores
    return _Held(task.parts, _Facts(shapes, task.scored, task.instance_weights, task.clusters, *found))


def _facts(held: _Held) -> _Facts:
    return held.facts
