"""Rectangles of rows: of a task, every one of some systems has rows on the same instances, in the same order.

A file that has nothing but rectangles says so at its end. To read it, its scores are enough, and the instances of one
system of each rectangle.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from podium.base.arrow import to_numpy

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


@dataclass(slots=True)
class _Growing:
    """A rectangle while its rows come: its systems so far, and the instances of the first, in pieces."""

    task: str
    systems: dict[str, None] = field(default_factory=dict)
    pieces: list[Any] = field(default_factory=list)
    width: int = 0
    #: Rows of the last system.
    done: int = 0

    @property
    def whole(self) -> bool:
        """Whether the last system has all instances."""
        return self.done == self.width

    def goes_on(self, system: str, labels: Any) -> bool:
        """Take rows of a system; return whether they are what they must be."""
        if system not in self.systems:
            self.systems[system], self.done = None, 0
        start = self.done
        self.done += len(labels)
        if len(self.systems) == 1:
            self.pieces.append(labels)
            self.width = self.done
            return True
        if len(self.pieces) > 1:
            self.pieces = [pa.concat_arrays(self.pieces)]
        return bool(self.pieces[0].slice(start, len(labels)).equals(labels))


class Rectangles:
    """Looks at rows while they are written, and says whether all of them make rectangles.

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
        self._found: list[_Growing] = []
        self._system = ""

    def add(self, task: str, rows: Any) -> None:
        """Take rows of a task, which follow those before."""
        if self._label is None:
            return
        labels = rows[self._label].combine_chunks()
        stretches = list(by_word(rows["system"]))
        good = not labels.null_count and len(rows) >= _LEAST * len(stretches)
        if not (good and all(self._goes_on(task, name, labels[start:stop]) for name, start, stop in stretches)):
            self._label = None

    def _goes_on(self, task: str, system: str, labels: Any) -> bool:
        """Whether rows of one system go on with the last rectangle, or begin one behind it."""
        last = self._found[-1] if self._found else _Growing("")
        if last.task != task or (system != self._system and (system in last.systems or not last.whole)):
            if not last.whole:
                return False
            last.pieces.clear()  # they hold all the rows that came with them
            last = _Growing(task)
            self._found.append(last)
        self._system = system
        return last.goes_on(system, labels)

    def told(self, systems: Sequence[str], facts: str) -> dict[bytes, str]:
        """Return what the file says at its end; nothing where some rows make no rectangle.

        Parameters
        ----------
        systems
            All of the file.
        facts
            What the file says beside; a digest covers both, as nothing else covers the end of a file.
        """
        if self._label is None or not self._found or not self._found[-1].whole:
            return {}
        places = {name: place for place, name in enumerate(systems)}
        words = json.dumps([[one.task, [places[name] for name in one.systems], one.width] for one in self._found])
        return {KEY: json.dumps([_digest(facts + words), words])}


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
