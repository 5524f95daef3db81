"""Rectangles of rows: tasks in which every system has a row on the same instances, in the same order.

A file of rows whose tasks are all rectangles says so at its end. To read it, its scores are enough, and the instances
of one system of each task.
"""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from podium.base.arrow import to_numpy

if TYPE_CHECKING:
    from podium.store.row import RowFile

#: Name of what such a file says, beside its facts.
KEY = b"podium rectangles"

#: Columns of instances.
LABELS = ("instance", "instance_label")

#: Columns that say more of a row than whose score it is.
_MORE = frozenset({"repeat", "weight", "cluster", "statistic"})

#: Rows that systems have on a task, on average, below which it is not worth the words.
_LEAST = 256

#: Letters of a digest.
_DIGITS = 16


class Rectangle(NamedTuple):
    """A task, its systems in the order of their rows, the number of instances of each, and the first row of all."""

    task: str
    systems: tuple[str, ...]
    width: int
    first: int


class Rectangles:
    """Looks at rows while they are written, and says whether all tasks are rectangles.

    Parameters
    ----------
    columns
        Of the rows.
    score_alone
        Whether no column has covariates.
    """

    def __init__(self, columns: Sequence[str], *, score_alone: bool) -> None:
        labels = [name for name in LABELS if name in columns]
        self._label = labels[0] if len(labels) == 1 and score_alone and _MORE.isdisjoint(columns) else None
        self._tasks: dict[str, list[str]] = {}
        self._instances: dict[str, Any] = {}
        self._task = ""
        #: Instances of the first system so far, and how many the last one has.
        self._begun: list[Any] = []
        self._done = 0

    def add(self, task: str, rows: Any) -> None:
        """Take rows of a task, which follow those before."""
        if self._label is None:
            return
        labels = rows[self._label].combine_chunks()
        stretches = list(by_word(rows["system"]))
        good = not labels.null_count and len(rows) >= _LEAST * len(stretches)
        if not (good and all(self._goes_on(task, *stretch, labels) for stretch in stretches)):
            self._label = None

    def _goes_on(self, task: str, system: str, start: int, stop: int, labels: Any) -> bool:
        """Whether rows of one system are as they must be where all is a rectangle."""
        if task != self._task:
            if not self._ended() or task in self._tasks:
                return False
            self._task, self._tasks[task], self._begun, self._done = task, [system], [], 0
        elif system != self._tasks[task][-1]:
            if not self._ended() or system in self._tasks[task]:
                return False
            self._tasks[task].append(system)
            self._done = 0
        some = labels.slice(start, stop - start)
        self._done += len(some)
        if len(self._tasks[task]) == 1:
            self._begun.append(some)
            return True
        return bool(self._instances[task].slice(self._done - len(some), len(some)).equals(some))

    def _ended(self) -> bool:
        """Whether the last system has all instances; those of the first are now known."""
        if self._task and self._task not in self._instances:
            self._instances[self._task] = pa.concat_arrays(self._begun)
        return not self._task or self._done == len(self._instances[self._task])

    def told(self, systems: Sequence[str], facts: str) -> dict[bytes, str]:
        """Return what the file says at its end; nothing where some task is no rectangle.

        Parameters
        ----------
        systems
            All of the file.
        facts
            What the file says beside; a digest covers both, as nothing else covers the end of a file.
        """
        if self._label is None or not self._ended():
            return {}
        places = {name: place for place, name in enumerate(systems)}
        found = [
            [task, [places[name] for name in names], len(self._instances[task])] for task, names in self._tasks.items()
        ]
        words = json.dumps(found)
        return {KEY: json.dumps([_digest(facts + words), words])} if found else {}


def rectangles_in(metadata: dict[bytes, bytes], facts: bytes, systems: Sequence[str]) -> list[Rectangle] | None:
    """Return the rectangles that make up a file, as it says at its end; None where it does not.

    Raises
    ------
    ValueError
        The end of the file is damaged.
    """
    if KEY not in metadata:
        return None
    digest, words = json.loads(metadata[KEY])
    if digest != _digest(facts.decode() + words):
        raise ValueError("its end is damaged")
    found, first = [], 0
    for task, places, width in json.loads(words):
        found.append(Rectangle(task, tuple(systems[place] for place in places), width, first))
        first += len(places) * width
    return found


def instances_of(file: "RowFile", rectangles: Sequence[Rectangle]) -> Iterator[Any]:
    """Yield the instances of each of some rectangles of a file, in its order, as an Arrow array.

    Raises
    ------
    BoardError
        The file is missing or damaged.
    """
    name = next(name for name in LABELS if name in file.columns)
    with file.intact():
        parquet = file.open(())
        sizes = [parquet.metadata.row_group(number).num_rows for number in range(parquet.num_row_groups)]
    starts = np.cumsum([0, *sizes])
    for one in rectangles:
        stop = one.first + one.width
        groups = np.flatnonzero((starts[1:] > one.first) & (starts[:-1] < stop)).tolist()
        at, found = int(starts[groups[0]]), []
        with file.intact():
            for batch in parquet.iter_batches(one.width, groups, [name], use_threads=False):
                some = batch.column(0)[max(one.first - at, 0) : max(stop - at, 0)]
                at += len(batch)
                found.append(some)
                if at >= stop:
                    break
        yield pa.concat_arrays(found)


def by_word(column: Any) -> Iterator[tuple[str, int, int]]:
    """Yield each word of a column that stands in several rows one after the other, and the rows from and to.

    >>> list(by_word(pa.chunked_array([["a", "a"], ["b"]])))
    [('a', 0, 2), ('b', 2, 3)]
    """
    codes = column.combine_chunks()
    if not pa.types.is_dictionary(codes.type):
        codes = codes.dictionary_encode()
    if isinstance(codes, pa.ChunkedArray):
        codes = codes.unify_dictionaries().combine_chunks()
    indices = to_numpy(codes.indices)
    edges = np.flatnonzero(indices[1:] != indices[:-1]) + 1
    starts = [0, *edges.tolist()] if indices.size else []
    for start, stop in zip(starts, [*edges.tolist(), indices.size], strict=False):
        yield str(codes.dictionary[int(indices[start])]), start, stop


def _digest(words: str) -> str:
    return sha256(words.encode()).hexdigest()[:_DIGITS]
