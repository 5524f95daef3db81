"""Tables that the workers of a cluster read, each some files or row groups; this machine learns labels alone.

The instances of all tasks are columns, numbered through: task by task, and sorted by their labels.

1. Workers find the labels of their rows; this machine numbers all of them, and sorts the instances of each task.
2. Workers read their rows again, and cut them by buckets: columns that follow each other. Of a piece only buckets are
   cut whose labels it may have, so where rows are in order little moves.
3. A worker brings the rows of a bucket together, and keeps the scores, as parts of tasks; of two, the first counts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import Ints, from_numpy, pc, to_numpy
from podium.base.cluster import Cluster, Held, RemoteArray
from podium.base.errors import InputError, PodiumError
from podium.base.parallel import Progress
from podium.score.task import PART, Clusters, Task, extent_of
from podium.source.assembly import SHOWN, Assembly, Cell, CodedRows, by_number
from podium.source.coder import Coder, KnownLabels
from podium.source.labels import IntegerKeys, TextKeys
from podium.source.recognise import Layout
from podium.source.table import RowError, SourceTable, located

#: Scores of a piece, at least, and of a bucket, at most, but for tables of very many systems.
_ROWS, _SCORES = 2**22, 2**22

#: Of a small table there are as many pieces and buckets, so that each worker has some; but none has fewer scores.
_SHARES, _LEAST = 32, 2**17

#: How many times as many numbers as labels there may be in a range, so that labels are marked there.
_DENSE = 8

#: Text labels whose places are kept, from one batch to the next.
_KNOWN = 2**24

#: The tasks of a piece, each with its least and its greatest label.
_Span = Mapping[int, tuple[Any, Any]]


class _Piece(NamedTuple):
    """Tables, or parts of one, that a worker reads; the roles of their columns; how scores and instances are read."""

    tables: Sequence[SourceTable]
    layouts: Sequence[Layout]
    dtype: Any
    as_text: bool

    def coder(self) -> Coder:
        return Coder(self.tables, self.layouts, dtype=self.dtype, as_text=self.as_text, large=False)

    def rows(self, coder: Coder, *, scored: bool = True) -> Iterator[CodedRows]:
        for number, start, rows in coder.batches(scored=scored):
            with located(self.tables[number], start):
                yield rows


@dataclass(slots=True)
class _Bucket:
    """Columns of a task, and of those that follow: where each begins, and which column is the first of none."""

    task: int
    firsts: list[int]
    after: int


class _Columns:
    """The sorted labels of each task; and the number of its first column, with the number of all at the end."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self.labels = labels
        self.starts = np.cumsum([0, *map(len, labels)])

    def buckets(self, n_systems: int) -> list[_Bucket]:
        """Cut the columns, and a task where a part of it ends."""
        most = max(_share(int(self.starts[-1]) * n_systems, _SCORES) // n_systems, 1)
        width, made = max(most // PART, 1) * PART, list[_Bucket]()
        for task, labels in enumerate(self.labels):
            start = int(self.starts[task])
            for first in range(start, start + len(labels), width):
                after = min(first + width, start + len(labels))
                if not made or after - made[-1].firsts[0] > most:
                    made.append(_Bucket(task, [first], after))
                    continue
                made[-1].after = after
                if first == start:
                    made[-1].firsts.append(first)
        return made

    def touched(self, span: _Span, firsts: Sequence[int]) -> list[int]:
        """Return the numbers of the buckets, which begin so, of which a piece may have rows."""
        found = set[int]()
        for task, ends in span.items():
            columns = (int(self.starts[task]) + _place(self.labels[task], end) for end in ends)
            low, high = (bisect_right(firsts, column) - 1 for column in columns)
            found.update(range(low, high + 1))
        return sorted(found)

    def of(self, coder: Coder, rows: CodedRows, known: dict[int, NDArray[np.int32]]) -> Ints:
        """Return the column of each row; `known` are places of text labels, by task and number in the coder."""
        columns = np.empty(rows.keys.size, dtype=np.int64)
        for task, some in by_number(rows.tasks):
            labels, keys = self.labels[task], rows.keys[some]
            if not isinstance(labels, np.ndarray):
                places = known.get(task, np.empty(0, dtype=np.int32))
                if (more := int(keys.max()) + 1 - places.size) > 0:
                    known.pop(task, None)
                    if sum(one.size for one in known.values()) > _KNOWN:
                        known.clear()
                    places = known[task] = np.concatenate((places, np.full(more, -1, dtype=np.int32)))
                if (fresh := np.unique(keys[places[keys] < 0])).size:
                    places[fresh] = to_numpy(pc.index_in(_labels_of(coder, fresh), value_set=labels))
                columns[some] = self.starts[task] + places[keys]
            elif int(labels[-1]) - int(labels[0]) == labels.size - 1:
                columns[some] = self.starts[task] + keys - labels[0]
            else:
                columns[some] = self.starts[task] + np.searchsorted(labels, keys)
        return columns


class Distributed:
    """Scores of all tasks, on workers; what `Assembly` is for scores in memory.

    Attributes
    ----------
    contradictions, n_contradictions, n_scores
        See `Assembly`; the last of a cell is the label of its instance.
    """

    def __init__(
        self,
        cluster: Cluster,
        columns: _Columns,
        clusters: Sequence[str],
        buckets: Sequence[_Bucket],
        *,
        held: list[Any],
        progress: Progress | None,
    ) -> None:
        self._cluster, self._columns, self._clusters = cluster, columns, clusters
        self._buckets, self._held = buckets, held
        found: dict[int, _Facts] = {}
        for number, facts in cluster.told(held):
            found[number] = facts
            if progress is not None:
                progress(len(held) + len(found), 2 * len(held))
        self._facts = [found[number] for number in range(len(held))]
        self.n_scores = sum(facts.n_scores for facts in self._facts)
        self.n_contradictions = sum(facts.n_contradictions for facts in self._facts)
        cells = [cell for facts in self._facts for cell in facts.contradictions][:SHOWN]
        self.contradictions = [
            (task, system, _plain(columns.labels[task][column - columns.starts[task]]))
            for task, system, column in cells
        ]

    def tasks(self, names: Sequence[str], _: Any = None) -> tuple[tuple[Task, ...], dict[str, tuple[Task, ...]]]:
        """Return tasks whose parts are on workers; they have no covariates."""
        parts, facts = (tuple[list[Any], ...]([] for _ in names) for _ in range(2))
        for held, bucket, of_bucket in zip(self._held, self._buckets, self._facts, strict=True):
            place = 0
            for task, fact in enumerate(of_bucket.tasks, bucket.task):
                facts[task].append(fact)
                for shape, dtype, extent in fact.parts:
                    parts[task].append(RemoteArray(self._cluster, held, place, shape, dtype, extent=extent))
                    place += 1
        labels = _as_arrays(self._columns.labels)
        tasks = zip(names, labels, parts, facts, strict=True)
        return tuple(self._task(name, own, tuple(kept), told) for name, own, kept, told in tasks), {}

    def _task(self, name: str, labels: NDArray[Any], parts: tuple[Any, ...], facts: "Sequence[_OfTask]") -> Task:
        details: dict[str, Any] = {"instances": labels}
        if facts[0].weights is not None:
            details["instance_weights"] = np.concatenate([fact.weights for fact in facts])
        if facts[0].clusters is not None:
            details["clusters"] = Clusters.coded(np.concatenate([fact.clusters for fact in facts]), self._clusters)
        return Task(name, parts, np.sum([fact.scored for fact in facts], axis=0), **details)

    def cells(self, coder: Coder) -> list[Cell]:
        """Return the contradictions with keys of a coder that has read nothing yet."""
        if coder.instances is None or not self.contradictions:
            return []
        keys = coder.instances.encode(pa.array([label for *_, label in self.contradictions]), "")
        return [(task, system, key) for (task, system, _), key in zip(self.contradictions, keys.tolist(), strict=True)]


def read_on(
    cluster: Cluster,
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    *,
    dtype: Any,
    as_text: bool,
    progress: Progress | None = None,
) -> tuple[Coder, Distributed]:
    """Have the workers of a cluster read tables; return what is known of their labels, and their scores.

    Raises
    ------
    InputError
        A row cannot be used; the message names file and row.
    """
    pieces = _pieces(tables, layouts, dtype, as_text=as_text)
    coder = Coder(tables, layouts, dtype=dtype, as_text=as_text, large=False)
    columns, spans = _numbered(cluster, pieces, coder, progress)
    n_systems = len(coder.systems.names)
    buckets = columns.buckets(n_systems)
    known, shared, firsts = cluster.share(coder.known), cluster.share(columns), [one.firsts[0] for one in buckets]
    rows: list[list[Any]] = [[] for _ in buckets]
    for piece, span in zip(pieces, spans, strict=True):
        own = columns.touched(span, firsts)
        cut = cluster.submit(_cut, piece, known, shared, [firsts[number] for number in own])
        for number, some in zip(own, cluster.map(getitem, [cut] * len(own), range(len(own)), soon=True), strict=True):
            rows[number].append(some)
    held = [
        cluster.submit(_assembled, bucket, known, n_systems, dtype, some, soon=True)
        for bucket, some in zip(buckets, rows, strict=True)
    ]
    del rows, cut, some  # workers forget them, once the buckets that need them are there
    return coder, Distributed(cluster, columns, coder.clusters.names, buckets, held=held, progress=progress)


def _pieces(tables: Sequence[SourceTable], layouts: Sequence[Layout], dtype: Any, *, as_text: bool) -> list[_Piece]:
    """Cut large tables, and put small ones together."""
    widths = [max(len(layout.tasks), 1) for layout in layouts]
    least = _share(sum(table.n_rows * width for table, width in zip(tables, widths, strict=True)), _ROWS)
    cut = zip(tables, layouts, widths, strict=True)
    parts = [(part, one, width) for table, one, width in cut for part in table.pieces(max(least // width, 1))]
    sizes = [part.n_rows * width for part, _, width in parts]
    numbers = iter(((np.cumsum(sizes) - sizes) // least).tolist())
    together = [list(some) for _, some in groupby(parts, key=lambda _: next(numbers))]
    return [_Piece([one[0] for one in some], [one[1] for one in some], dtype, as_text) for some in together]


def _share(scores: int, most: int) -> int:
    """Return the scores of a piece or a bucket, of so many in all."""
    return min(most, max(scores // _SHARES, _LEAST))


def _found(piece: _Piece) -> tuple[KnownLabels, dict[int, Any]]:
    """Find the labels of a piece, on a worker, and the sorted instances of each task by its number there."""
    coder, keys = piece.coder(), dict[int, list[Ints]]()
    for rows in piece.rows(coder, scored=False):
        for task, some in by_number(rows.tasks):
            own = rows.keys[some]
            own = own[np.concatenate(([True], own[1:] != own[:-1]))]
            keys.setdefault(task, []).append(own)
    labels = {task: _labels_of(coder, _distinct(np.concatenate(some))) for task, some in keys.items()}
    if isinstance(coder.instances, TextKeys):
        labels = {task: own.combine_chunks().sort() for task, own in labels.items()}
    return coder.known, labels


def _labels_of(coder: Coder, keys: Ints) -> Any:
    """Return the labels of some keys: integers, which are their own, or texts of Arrow."""
    return coder.instances.texts.take(from_numpy(keys)) if isinstance(coder.instances, TextKeys) else keys


def _distinct(keys: Ints) -> Ints:
    """Return the distinct keys, sorted; in less time than sorting takes, where most numbers of their range are keys."""
    low, span = keys.min(), int(keys.max()) - int(keys.min())
    if span > _DENSE * keys.size:
        return np.unique(keys)
    seen = np.zeros(span + 1, dtype=np.bool_)
    seen[keys - low] = True
    found: Ints = np.flatnonzero(seen) + low
    return found


def _numbered(
    cluster: Cluster, pieces: Sequence[_Piece], coder: Coder, progress: Progress | None
) -> tuple[_Columns, list[_Span]]:
    """Number all labels; return the columns, and the labels between which each piece is."""
    labels: dict[int, Any] = {}
    spans: list[_Span] = []
    waiting = cluster.map(_found, pieces)[::-1]
    while waiting:  # in order, one at a time, so that labels are in order of first appearance, and few are held
        try:
            ((_, (known, found)),) = cluster.results([waiting.pop()])
        except PodiumError:
            waiting.clear()
            raise
        number = coder.absorb(known)
        spans.append({number[task]: (_plain(own[0]), _plain(own[-1])) for task, own in found.items()})
        for task, own in found.items():
            labels[number[task]] = _union(labels.get(number[task], own), own)
        if progress is not None:
            progress(len(spans), 2 * len(pieces))
    alike: dict[Any, list[Any]] = {}  # one array for tasks that have the same labels
    for task, own in labels.items():
        same = np.array_equal if isinstance(own, np.ndarray) else pa.Array.equals
        some = alike.setdefault((len(own), _plain(own[0]), _plain(own[-1])), [])
        labels[task] = next((one for one in some if same(one, own)), own)
        some.append(labels[task])
    return _Columns([labels[task] for task in range(coder.n_tasks())]), spans


def _union(known: Any, more: Any) -> Any:
    """Return the sorted labels that are in one of two sorted arrays."""
    if isinstance(known, np.ndarray):
        return known if np.array_equal(known, more) else _distinct(np.concatenate((known, more)))
    return known if known.equals(more) else pc.unique(pa.concat_arrays([known, more])).sort()


def _as_arrays(labels: Sequence[Any]) -> list[NDArray[Any]]:
    """Return labels as a task has them; tasks that share labels share the array."""
    made: dict[int, NDArray[Any]] = {}
    for own in labels:
        if id(own) not in made:
            texts = not isinstance(own, np.ndarray)
            made[id(own)] = np.array(own.to_pylist(), dtype=np.dtypes.StringDType()) if texts else own
            made[id(own)].flags.writeable = False
    return [made[id(own)] for own in labels]


def _plain(label: Any) -> Any:
    """Return a label of an array as an integer or a text."""
    return int(label) if isinstance(label, np.integer) else label.as_py()


def _place(labels: Any, label: Any) -> int:
    """Return where a label stands among sorted ones, of which it is."""
    return bisect_left(range(len(labels)), label, key=lambda place: _plain(labels[place]))


def _cut(piece: _Piece, known: KnownLabels, columns: _Columns, firsts: Sequence[int]) -> list[list[CodedRows]]:
    """Read a piece, on a worker, and cut its rows by buckets, which begin so; keys are places in the bucket."""
    coder, labels = piece.coder(), dict[int, NDArray[np.int32]]()
    coder.absorb(known)
    own: list[list[CodedRows]] = [[] for _ in firsts]
    for rows in piece.rows(coder):
        places = columns.of(coder, rows, labels)
        for number, some in by_number(np.searchsorted(firsts, places, "right") - 1):
            keys: Any = (places[some] - firsts[number]).astype(np.int32)  # half of the bytes
            weights, clusters = (None if of is None else of[some] for of in (rows.weights, rows.clusters))
            tasks = np.empty(0, dtype=np.int32)  # which the places say
            own[number].append(CodedRows(tasks, rows.systems[some], keys, rows.scores[some], weights, clusters))
    return own


class _OfTask(NamedTuple):
    """What is known of the columns of a task in a bucket: of each part its shape, type, least and greatest score."""

    parts: list[tuple[tuple[int, ...], Any, tuple[float, float]]]
    scored: Ints
    weights: Any
    clusters: Any


class _Facts(NamedTuple):
    tasks: list[_OfTask]
    contradictions: list[Cell]
    n_contradictions: int
    n_scores: int


def _assembled(
    bucket: _Bucket, known: KnownLabels, n_systems: int, dtype: Any, rows: Sequence[Sequence[CodedRows]]
) -> Held:
    """Put the rows of a bucket into cells, on a worker."""
    assembly, firsts = Assembly(dtype, clusters=known.clusters), np.array(bucket.firsts)
    for one in chain.from_iterable(rows):
        columns = one.keys + firsts[0]
        tasks = np.searchsorted(firsts, columns, "right") - 1
        keys, numbers = columns - firsts[tasks], tasks.astype(np.int32)
        try:
            assembly.add(CodedRows(numbers, one.systems, keys, one.scores, one.weights, one.clusters), n_systems)
        except RowError as error:  # the other row may stand in another piece
            name = known.tasks.names[bucket.task + int(tasks[error.row])]
            raise InputError(f"task {name!r}: {error.what}") from error
    made, _ = assembly.tasks([""] * firsts.size, IntegerKeys())
    facts = []
    for task in made:
        shapes = [(part.shape, part.dtype, extent_of(part)) for part in task.parts]
        clusters = None
        if task.clusters is not None:
            clusters = np.array([known.clusters.numbers[name] for name in task.clusters.names])[task.clusters.numbers]
        facts.append(_OfTask(shapes, task.scored, task.instance_weights, clusters))
    cells = [
        (bucket.task + task, system, bucket.firsts[task] + place) for task, system, place in assembly.contradictions
    ]
    return Held(
        [part for task in made for part in task.parts],
        _Facts(facts, cells, assembly.n_contradictions, assembly.n_scores),
    )
