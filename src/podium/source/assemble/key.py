"""Instance labels become integer keys, batch by batch, and labels again in sorted order at the end."""

from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.source.assemble.label import plain_text
from podium.source.number import view
from podium.source.table import InstancesAreTextError, RowError


class Compaction:
    """Per task, the keys seen so far and the column each has got."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def columns(self, tasks: NDArray[np.int32], keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give every row its column number."""
        result = np.empty_like(keys)
        order = np.argsort(tasks, kind="stable")
        edges = np.flatnonzero(np.diff(tasks[order])) + 1
        for rows in np.split(order, edges):
            if rows.size:
                result[rows] = self._number(int(tasks[rows[0]]), keys[rows])
        return result

    def column(self, task: int, key: int) -> int:
        """Column of one key that has been seen."""
        known, columns = self._known[task]
        return int(columns[np.searchsorted(known, key)])

    def keys(self, task: int, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Keys of columns."""
        known, numbers = self._known[task]
        return known[np.argsort(numbers)][columns]

    def _number(self, task: int, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        none = np.empty(0, dtype=np.int64)
        known, columns = self._known.get(task, (none, none))
        fresh = np.setdiff1d(keys, known)
        if fresh.size:
            merged = np.concatenate((known, fresh))
            order = np.argsort(merged, kind="stable")
            numbers = np.concatenate((columns, np.arange(known.size, merged.size)))
            known, columns = merged[order], numbers[order]
            self._known[task] = (known, columns)
        result: NDArray[np.int64] = columns[np.searchsorted(known, keys)]
        return result


class Keys(Protocol):
    """How instance labels are turned into keys and back."""

    def keys(self, array: Any, column: str) -> NDArray[np.int64]:
        """Number the labels of a batch; equal labels have equal keys."""

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the labels of distinct keys in sorted order, and the order that sorts them."""

    def label(self, key: int) -> str:
        """Show the label of a key."""


class IntegerKeys:
    """Integers are their own keys, also where they are written as 7.0."""

    def keys(self, array: Any, column: str) -> NDArray[np.int64]:
        """Cast to 64-bit integers; other values ask for a reading as text."""
        _refuse_nulls(array, column)
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        try:
            numbers = array.cast(pa.int64())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            array, numbers = _without_fractions(array)
        if not pa.types.is_integer(array.type) and not plain_text(numbers).equals(plain_text(array).cast(pa.string())):
            raise InstancesAreTextError  # "007" is not "7"
        return view(numbers)

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Sort the integers."""
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def label(self, key: int) -> str:
        """Show the integer."""
        return str(key)


class TextKeys:
    """Text labels are numbered in order of first appearance, by a dictionary: for small tables."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._sorted = _SortedTexts()

    def keys(self, array: Any, column: str) -> NDArray[np.int64]:
        """Number the labels."""
        _refuse_nulls(array, column)
        texts = plain_text(array).to_pylist()
        numbers = self.numbers
        result = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        if "" in numbers:
            raise _unnamed(texts.index(""), column)
        return result

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Sort the texts by code point."""
        return self._sorted.sort(lambda: pa.array(self.numbers, pa.large_string()), keys)

    def label(self, key: int) -> str:
        """Show the text."""
        return list(self.numbers)[key]


class HashedKeys:
    """The same numbers by a compiled hash table, which first guesses that labels repeat in order: for large tables."""

    def __init__(self) -> None:
        self._size = 0
        self._bytes = np.empty(2**20, dtype=np.uint8)
        self._ends = np.zeros(2**15 + 1, dtype=np.int64)
        self._hashes = np.empty(2**15, dtype=np.uint64)
        self._table = np.full(2**17, -1, dtype=np.int32)
        self._sorted = _SortedTexts()

    def keys(self, array: Any, column: str) -> NDArray[np.int64]:
        """Number the labels."""
        from podium.source.assemble import kernel as kernels  # noqa: PLC0415  # compiled code is for large tables

        _refuse_nulls(array, column)
        texts = plain_text(array)
        if len(texts) == 0:
            return np.empty(0, dtype=np.int64)
        _, offsets, data = texts.buffers()
        width = np.int64 if pa.types.is_large_string(texts.type) else np.int32
        ends = np.frombuffer(offsets, dtype=width)[texts.offset : texts.offset + len(texts) + 1]
        letters = np.frombuffer(b"" if data is None else data, dtype=np.uint8)
        result = np.empty(len(texts), dtype=np.int64)
        row, last, before = 0, -1, self._size
        while row < len(texts):
            row, self._size, last = kernels.number_texts(
                *(ends, letters, row, last, result),
                *(self._bytes, self._ends, self._hashes, self._table, self._size),
            )
            if row < len(texts):
                self._grow(int(ends[row + 1] - ends[row]), kernels)
        empty = np.flatnonzero(np.diff(self._ends[before : self._size + 1]) == 0) + before
        if empty.size:
            raise _unnamed(int(np.argmax(result == empty[0])), column)
        return result

    def _grow(self, length: int, kernels: Any) -> None:
        """Make room for more labels, one of them of this length."""
        if self._size == self._hashes.size:
            self._hashes = _doubled(self._hashes)
            self._ends = _doubled(self._ends)
            self._table = np.full(self._table.size * 2, -1, dtype=np.int32)
            kernels.index_hashes(self._hashes[: self._size], self._table)
        while self._ends[self._size] + length > self._bytes.size:
            self._bytes = _doubled(self._bytes)

    def _texts(self) -> Any:
        ends = self._ends[: self._size + 1]
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(self._bytes)]
        return pa.Array.from_buffers(pa.large_string(), self._size, buffers)

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Sort the texts by code point."""
        return self._sorted.sort(self._texts, keys)

    def label(self, key: int) -> str:
        """Show the text."""
        return str(self._texts()[key].as_py())


class _SortedTexts:
    """Sorts the texts of keys, once where task after task has the same."""

    def __init__(self) -> None:
        self._last: tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]] | None = None

    def sort(self, texts: Any, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        if self._last is None or not np.array_equal(self._last[0], keys):
            chosen = texts().take(pa.array(keys))
            sorted_indices = pc.sort_indices(chosen)
            order = view(sorted_indices).astype(np.int64)
            labels = np.array(chosen.take(sorted_indices).to_pylist(), dtype=np.dtypes.StringDType())
            labels.flags.writeable = False
            self._last = (keys, labels, order)
        return self._last[1], self._last[2]


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    """Copy into an array with room for twice as much (one more stays one more)."""
    extra = array.size % 2
    larger = np.zeros((array.size - extra) * 2 + extra, dtype=array.dtype)
    larger[: array.size] = array
    return larger


def _refuse_nulls(array: Any, column: str) -> None:
    if array.null_count:
        raise _unnamed(pc.index(pc.is_null(array), True).as_py(), column)


def _without_fractions(array: Any) -> tuple[Any, Any]:
    """Read 7.0 as 7, in text and as a number: pandas writes integers so as soon as one of them is missing."""
    try:
        array = pc.replace_substring_regex(array, r"\.0$", "")
        return array, array.cast(pa.int64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InstancesAreTextError from error


def _unnamed(row: int, column: str) -> RowError:
    return RowError(row, f"there is no instance in column {column!r}; every row needs one")
