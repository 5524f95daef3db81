"""Labels become integers: systems, tasks and metrics are numbered in the order in which rows name them."""

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.source.number import view
from podium.source.table import RowError


class Coded(NamedTuple):
    """One label per row: row i has the label numbered `lookup[indices[i]]`."""

    indices: NDArray[Any]
    lookup: NDArray[np.int32]

    @property
    def codes(self) -> NDArray[np.int32]:
        """The numbers, row by row."""
        codes: NDArray[np.int32] = self.lookup[self.indices]
        return codes


def plain_text(array: Any) -> Any:
    """Cast labels of any simple type to Arrow strings."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_floating(array.type):
        return pa.array(map(_float_label, array.to_pylist()), pa.string())
    if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
        return array.cast(pa.string())
    return array if pa.types.is_large_string(array.type) else array.cast(pa.string())


def _float_label(value: float | None) -> str | None:
    """Write a number as a label, whatever other numbers come with it; NaN is none."""
    if value is None or value != value:  # noqa: PLR0124  # NaN differs from itself
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def words_of(array: Any) -> tuple[NDArray[Any], list[str | None]]:
    """Number the words of an array: row i holds word `indices[i]`; None is a word.

    >>> words_of(pa.array(["a", None, "a"]))
    (array([0, 1, 0], dtype=int32), ['a', None])
    """
    if not pa.types.is_dictionary(array.type) or array.null_count:
        array = plain_text(array).dictionary_encode(null_encoding="encode")
    return view(array.indices), plain_text(array.dictionary).to_pylist()


class Labels:
    """Numbers for the labels of one kind, grown batch by batch.

    Parameters
    ----------
    kind
        What is labelled, for errors: "system", "task" or "metric".
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.numbers: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        """All labels, in order of first appearance."""
        return list(self.numbers)

    def code(self, array: Any, column: str) -> Coded:
        """Number the labels of a batch.

        Raises
        ------
        RowError
            A row has no label.
        """
        if not pa.types.is_dictionary(array.type):
            array = plain_text(array).dictionary_encode()
        if array.null_count or array.dictionary.null_count:
            array = array.dictionary_decode()
            if array.null_count:
                raise self._unlabelled(pc.index(pc.is_null(array), True).as_py(), column)
            array = array.dictionary_encode()
        words = [(word or "").strip() for word in plain_text(array.dictionary).to_pylist()]
        indices = view(array.indices)
        fresh = [number for number, word in enumerate(words) if word not in self.numbers]
        if fresh:
            self._number(fresh, words, indices, column)
        return Coded(indices, np.array([self.numbers.get(word, 0) for word in words], dtype=np.int32))

    def _number(self, fresh: list[int], words: list[str], indices: NDArray[Any], column: str) -> None:
        """Number new words in the order in which rows use them; words that no row uses get none."""
        first = first_rows(indices, len(words))
        for number in sorted(fresh, key=first.__getitem__):
            if first[number] == indices.size:
                break
            if not words[number].strip():
                raise self._unlabelled(int(first[number]), column)
            self.numbers.setdefault(words[number], len(self.numbers))

    def _unlabelled(self, row: int, column: str) -> RowError:
        return RowError(row, f"there is no {self.kind} in column {column!r}; every row needs one")


def pair(left: Coded, right: Coded, known: dict[tuple[int, int], int]) -> Coded:
    """Number the pairs of two labels in the order in which rows use them, growing `known`."""
    width = right.lookup.size
    combined = left.indices.astype(np.int64) * width + right.indices
    used = np.zeros(left.lookup.size * width, dtype=np.bool_)
    used[combined] = True
    keys = {
        int(local): (int(left.lookup[local // width]), int(right.lookup[local % width]))
        for local in np.flatnonzero(used)
    }
    if any(key not in known for key in keys.values()):
        first = first_rows(combined, used.size)
        for local in sorted(keys, key=first.__getitem__):
            known.setdefault(keys[local], len(known))
    lookup = np.zeros(used.size, dtype=np.int32)
    for local, key in keys.items():
        lookup[local] = known[key]
    return Coded(combined, lookup)


def first_rows(indices: NDArray[Any], size: int) -> NDArray[np.int64]:
    """Find the first row that has each index; the number of rows where none has."""
    starts = np.concatenate(([0], np.flatnonzero(indices[1:] != indices[:-1]) + 1))[::-1]
    first = np.full(size, indices.size, dtype=np.int64)
    first[indices[starts]] = starts  # the last assignment, the first row, wins
    return first
