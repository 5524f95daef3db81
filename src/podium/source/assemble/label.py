"""Labels become integers: systems, tasks and metrics in order of appearance, instances in order of their labels."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.source.number import as_arrow, view, words_as_arrow
from podium.source.table import InstancesAreTextError, RowError, visible


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
    if _is_binary(array.type):
        return _decoded(array)
    return array if pa.types.is_string(array.type) or pa.types.is_large_string(array.type) else array.cast(pa.string())


def _is_binary(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _decoded(array: Any) -> Any:
    """Bytes as text.

    Raises
    ------
    RowError
        They are no text.
    """
    try:
        return array.cast(pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        for row, value in enumerate(array.to_pylist()):
            try:
                value is None or value.decode()
            except UnicodeDecodeError:
                raise RowError(row, f"a label is {value[:8]!r}, bytes that are no text; write labels as text") from None
        raise


def _float_label(value: float | None) -> str | None:
    """Write a number as a label that does not depend on other numbers; NaN is not a label."""
    if value is None or value != value:  # noqa: PLR0124  # NaN differs from itself
        return None
    return str(int(value)) if value.is_integer() else repr(value)


def words_of(array: Any) -> tuple[NDArray[Any], list[str | None]]:
    """Number the words of an array: row i holds word `indices[i]`; None counts as a word.

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
        What the labels name, for errors: "system", "task" or "metric".
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.numbers: dict[str, int] = {}
        #: Labels as they were written, where blanks around them were cut off.
        self.trimmed: set[str] = set()
        #: By label, how it was written, of labels that were written with other letters than those of ASCII.
        self._written: dict[str, dict[str, None]] = {}

    @property
    def names(self) -> list[str]:
        """All labels, in order of first appearance."""
        return list(self.numbers)

    def respelled(self) -> list[str]:
        """Notes on labels that were written in several ways that look alike."""
        several = {name: ways for name, ways in self._written.items() if len(ways) > 1}
        return [
            f"{self.kind} {name!r} is written {' and '.join(map(ascii, ways))}, which look alike and count as one"
            for name, ways in several.items()
        ]

    def code(self, array: Any, column: str) -> Coded:
        """Number the labels of a batch.

        Raises
        ------
        RowError
            A row has no label.

        Examples
        --------
        >>> systems = Labels("system")
        >>> systems.code(pa.array(["B", "A", "B"]), "model").codes, systems.names
        (array([0, 1, 0], dtype=int32), ['B', 'A'])
        """
        if not pa.types.is_dictionary(array.type) or _is_binary(array.type.value_type):
            array = plain_text(array).dictionary_encode()
        if array.null_count or array.dictionary.null_count:
            array = array.dictionary_decode()
            if array.null_count:
                raise self._unlabelled(array.is_null().index(True).as_py(), column)
            array = array.dictionary_encode()
        written = plain_text(array.dictionary).to_pylist()
        words = [visible(word or "").strip() for word in written]
        indices = view(array.indices)
        self.trimmed.update(
            raw for raw, word in zip(written, words, strict=True) if raw and raw != word and raw.isascii()
        )
        odd = {word for raw, word in zip(written, words, strict=True) if raw and not raw.isascii()}
        if odd or self._written:
            for raw, word in zip(written, words, strict=True):
                if raw and (word in odd or word in self._written):
                    before = {word: None} if word in self.numbers else {}
                    self._written.setdefault(word, before)[raw.strip()] = None
        fresh = [number for number, word in enumerate(words) if word not in self.numbers]
        if fresh:
            self._number(fresh, words, indices, column)
        numbers = [self.numbers.get(word, 0) for word in words]  # 0: no row uses this word
        return Coded(indices, np.array(numbers, dtype=np.int32))

    def _number(self, fresh: list[int], words: list[str], indices: NDArray[Any], column: str) -> None:
        """Number new words in the order in which rows use them; words that no row uses get no number."""
        first = first_rows(indices, len(words))
        for number in sorted(fresh, key=first.__getitem__):
            if first[number] == indices.size:
                break
            if not words[number].strip():
                raise self._unlabelled(int(first[number]), column)
            self.numbers.setdefault(words[number], len(self.numbers))

    def _unlabelled(self, row: int, column: str) -> RowError:
        return RowError(row, f"there is no {self.kind} in column {column!r}; every row needs a {self.kind}")


class JoinedLabels:
    """Numbers for the labels that several columns make together, such as those of a task and its metric.

    Parameters
    ----------
    kinds
        What the labels of each column name, for errors.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self.columns = [Labels(kind) for kind in kinds]
        #: By pair of the number of the columns before and that of the next column: the number of both together.
        self._pairs: list[dict[tuple[int, int], int]] = [{} for _ in kinds[1:]]

    def __len__(self) -> int:
        return len(self._pairs[-1] if self._pairs else self.columns[0].numbers)

    @property
    def names(self) -> list[str]:
        """All labels, joined by colons, in order of first appearance; a later column with one label is left out."""
        joined = self.columns[0].names
        for column, pairs in zip(self.columns[1:], self._pairs, strict=True):
            ends = [f":{name}" if len(column.names) > 1 else "" for name in column.names]
            joined = [joined[before] + ends[number] for before, number in pairs]
        return joined

    @property
    def heads(self) -> list[str]:
        """For each label, that of the first column."""
        heads = self.columns[0].names
        for pairs in self._pairs:
            heads = [heads[before] for before, _ in pairs]
        return heads

    def code(self, arrays: Sequence[Any], names: Sequence[str]) -> Coded:
        """Number the labels of a batch, given the columns and their names.

        Raises
        ------
        RowError
            A row has no label.

        Examples
        --------
        >>> tasks = JoinedLabels(["task", "metric"])
        >>> tasks.code([pa.array(["B", "A", "B"]), pa.array(["f1", "f1", "em"])], ["set", "metric"]).codes, tasks.names
        (array([0, 1, 2], dtype=int32), ['B:f1', 'A:f1', 'B:em'])
        """
        first, *others = (
            labels.code(array, name) for labels, array, name in zip(self.columns, arrays, names, strict=True)
        )
        for other, known in zip(others, self._pairs, strict=True):
            first = _pair(first, other, known)
        return first


def _pair(left: Coded, right: Coded, known: dict[tuple[int, int], int]) -> Coded:
    """Number the pairs of two labels in the order in which rows use them, growing `known`."""
    width = right.lookup.size
    together = pa.array(left.indices.astype(np.int64) * width + right.indices).dictionary_encode()
    pairs = (divmod(pair, width) for pair in together.dictionary.to_pylist())  # in order of first appearance
    keys = ((int(left.lookup[one]), int(right.lookup[other])) for one, other in pairs)
    numbers = [known.setdefault(key, len(known)) for key in keys]
    return Coded(view(together.indices), np.array(numbers, dtype=np.int32))


def first_rows(indices: NDArray[Any], size: int) -> NDArray[np.int64]:
    """First row with each index; the number of rows if no row has it."""
    starts = np.concatenate(([0], np.flatnonzero(indices[1:] != indices[:-1]) + 1))[::-1]
    first = np.full(size, indices.size, dtype=np.int64)
    first[indices[starts]] = starts  # the last assignment, the first row, wins
    return first


class IntegerKeys:
    """Integers are their own keys, also if they are written as 7.0."""

    def encode(self, array: Any, column: str) -> NDArray[np.int64]:
        """Cast the labels of a batch to 64-bit integers; other values require reading as text."""
        _refuse_nulls(array, column)
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        try:
            numbers = array if array.type == pa.int64() else array.cast(pa.int64())  # a cast loads much of Arrow
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            array, numbers = _without_fractions(array)
        if not pa.types.is_integer(array.type) and not plain_text(numbers).equals(plain_text(array).cast(pa.string())):
            raise InstancesAreTextError  # "007" is not "7"
        return view(numbers)

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the labels of distinct keys in sorted order, and the order that sorts them."""
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def label(self, key: int) -> str:
        """Show the integer."""
        return str(key)


class TextKeys:
    """Text labels are numbered in order of first appearance, by a dictionary: for small tables."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        #: Keys, labels and order of the last task; consecutive tasks with the same keys are sorted once.
        self._last: tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64]] | None = None

    def encode(self, array: Any, column: str) -> NDArray[np.int64]:
        """Number the labels of a batch."""
        _refuse_nulls(array, column)
        texts = plain_text(array).to_pylist()
        numbers = self._numbers
        result = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
        if "" in numbers:
            raise _unnamed(texts.index(""), column)
        return result

    def _texts(self) -> Any:
        return words_as_arrow(list(self._numbers))

    def sort(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the labels of distinct keys in order of code points, and the order that sorts them."""
        if self._last is None or not np.array_equal(self._last[0], keys):
            import pyarrow.compute as pc  # noqa: PLC0415  # takes longer to load than a small table to read

            chosen = self._texts().take(as_arrow(keys))
            sorted_indices = pc.sort_indices(chosen)
            order = view(sorted_indices).astype(np.int64)
            labels = np.array(chosen.take(sorted_indices).to_pylist(), dtype=np.dtypes.StringDType())
            labels.flags.writeable = False
            self._last = (keys, labels, order)
        return self._last[1], self._last[2]

    def label(self, key: int) -> str:
        """Show the text."""
        return str(self._texts()[key].as_py())


class HashedKeys(TextKeys):
    """The same numbers from a compiled hash table, for large tables; it first guesses that labels repeat in order."""

    def __init__(self) -> None:
        super().__init__()
        self._size = 0
        self._bytes = np.empty(2**20, dtype=np.uint8)
        self._ends = np.zeros(2**15 + 1, dtype=np.int64)
        self._hashes = np.empty(2**15, dtype=np.uint64)
        self._table = np.full(2**17, -1, dtype=np.int32)

    def encode(self, array: Any, column: str) -> NDArray[np.int64]:
        """Number the labels."""
        from podium.source.assemble import kernel  # noqa: PLC0415  # compile only for large tables

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
            row, self._size, last = kernel.number_texts(
                ends=ends,
                letters=letters,
                row=row,
                last=last,
                result=result,
                known=self._bytes,
                known_ends=self._ends,
                hashes=self._hashes,
                table=self._table,
                size=self._size,
            )
            if row < len(texts):
                self._grow(int(ends[row + 1] - ends[row]), kernel)
        empty = np.flatnonzero(np.diff(self._ends[before : self._size + 1]) == 0) + before
        if empty.size:
            raise _unnamed(int(np.argmax(result == empty[0])), column)
        return result

    def _grow(self, length: int, kernel: Any) -> None:
        """Make room for more labels, one of them of this length."""
        if self._size == self._hashes.size:
            self._hashes = _doubled(self._hashes)
            self._ends = _doubled(self._ends)
            self._table = np.full(self._table.size * 2, -1, dtype=np.int32)
            kernel.index_hashes(self._hashes[: self._size], self._table)
        while self._ends[self._size] + length > self._bytes.size:
            self._bytes = _doubled(self._bytes)

    def _texts(self) -> Any:
        ends = self._ends[: self._size + 1]
        buffers = [None, pa.py_buffer(ends), pa.py_buffer(self._bytes)]
        return pa.Array.from_buffers(pa.large_string(), self._size, buffers)


#: How instance labels become keys, and keys become labels again; equal labels have equal keys.
Keys = IntegerKeys | TextKeys


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate((array, np.zeros_like(array)))


def _refuse_nulls(array: Any, column: str) -> None:
    if array.null_count:
        raise _unnamed(array.is_null().index(True).as_py(), column)


def _without_fractions(array: Any) -> tuple[Any, Any]:
    """Read 7.0 as 7, as text and as a number; pandas writes 7.0 if a column of integers has missing values."""
    import pyarrow.compute as pc  # noqa: PLC0415  # takes longer to load than a small table to read

    try:
        array = pc.replace_substring_regex(array, r"\.0$", "")
        return array, array.cast(pa.int64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InstancesAreTextError from error


def _unnamed(row: int, column: str) -> RowError:
    return RowError(row, f"there is no instance in column {column!r}; every row needs an instance")
