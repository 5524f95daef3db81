"""Labels become integers, batch by batch; and columns of a table read as a whole, with the instance of every row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints, from_numpy, pc, to_numpy
from podium.base.errors import InputError
from podium.source.number import to_numbers
from podium.source.table import InstancesAreTextError, ReadPlan, RowError, SourceTable, located, refuse_nested, visible

#: Repeats that are told apart.
MOST_REPEATS = 2**16

#: Between the label of a prompt and that of a repeat.
SEPARATOR = "\x1f"

#: Odd numbers that spread labels over 64 bits.
_FACTORS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)))


def plain_text(array: Any) -> Any:
    """Cast labels of any simple type to Arrow strings."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_floating(array.type):
        return pa.array(map(_float_label, array.to_pylist()), pa.string())
    if _is_binary(array.type):
        return _decoded(array)
    return array if pa.types.is_string(array.type) or pa.types.is_large_string(array.type) else array.cast(pa.string())


def joined_text(one: Any, other: Any) -> Any:
    """Return labels of two columns as one, with `SEPARATOR` in between; none where either is missing."""
    return pc.binary_join_element_wise(*(plain_text(part).cast(pa.string()) for part in (one, other)), SEPARATOR)


def _is_binary(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _decoded(array: Any) -> Any:
    """Return bytes as text."""
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
    return to_numpy(array.indices), plain_text(array.dictionary).to_pylist()


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
        #: By label, how it was written, of labels that were written with other letters than those of ASCII.
        self._written: dict[str, dict[str, None]] = {}

    @property
    def names(self) -> list[str]:
        """Return all labels, in order of first appearance."""
        return list(self.numbers)

    def respelled(self) -> list[str]:
        """Return notes on labels that were written in several ways that look alike."""
        several = {name: ways for name, ways in self._written.items() if len(ways) > 1}
        return [
            f"{self.kind} {name!r} is written {' and '.join(map(ascii, ways))}, which look alike and count as one"
            for name, ways in several.items()
        ]

    def code(self, array: Any, column: str) -> NDArray[np.int32]:
        """Number the labels of a batch.

        Raises
        ------
        RowError
            A row has no label.

        Examples
        --------
        >>> systems = Labels("system")
        >>> systems.code(pa.array(["B", "A", "B"]), "model"), systems.names
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
        indices = to_numpy(array.indices)
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
        codes: NDArray[np.int32] = np.array(numbers, dtype=np.int32)[indices]
        return codes

    def absorb(self, other: Self) -> list[int]:
        """Number the labels of another batch of such labels, and return the number here of each of them."""
        for word in {*self._written, *other._written}:
            mine, theirs = ({word: None} if word in side.numbers else {} for side in (self, other))
            self._written[word] = self._written.get(word, mine) | other._written.get(word, theirs)
        return [self.numbers.setdefault(name, len(self.numbers)) for name in other.numbers]

    def _number(self, fresh: list[int], words: list[str], indices: NDArray[Any], column: str) -> None:
        """Number new words in the order in which rows use them; words that no row uses get no number."""
        first = _first_rows(indices, len(words))
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
        """Return all labels, joined by colons, as they first appear; a later column with one label is left out."""
        joined = self.columns[0].names
        for column, pairs in zip(self.columns[1:], self._pairs, strict=True):
            ends = [f":{name}" if len(column.names) > 1 else "" for name in column.names]
            joined = [joined[before] + ends[number] for before, number in pairs]
        return joined

    def absorb(self, other: Self) -> list[int]:
        """Number the labels of other such columns, and return the number here of each of them."""
        numbers, *others = (own.absorb(more) for own, more in zip(self.columns, other.columns, strict=True))
        for known, pairs, more in zip(self._pairs, other._pairs, others, strict=True):
            both = [(numbers[before], more[number]) for before, number in pairs]
            numbers = [known.setdefault(pair, len(known)) for pair in both]
        return numbers

    @property
    def heads(self) -> list[str]:
        """Return for each label that of the first column."""
        heads = self.columns[0].names
        for pairs in self._pairs:
            heads = [heads[before] for before, _ in pairs]
        return heads

    def code(self, arrays: Sequence[Any], names: Sequence[str]) -> NDArray[np.int32]:
        """Number the labels of a batch, given the columns and their names.

        Raises
        ------
        RowError
            A row has no label.

        Examples
        --------
        >>> tasks = JoinedLabels(["task", "metric"])
        >>> tasks.code([pa.array(["B", "A", "B"]), pa.array(["f1", "f1", "em"])], ["set", "metric"]), tasks.names
        (array([0, 1, 2], dtype=int32), ['B:f1', 'A:f1', 'B:em'])
        """
        codes, *others = (
            labels.code(array, name) for labels, array, name in zip(self.columns, arrays, names, strict=True)
        )
        for other, known in zip(others, self._pairs, strict=True):
            together = from_numpy(codes.astype(np.int64) << 32 | other).dictionary_encode()
            pairs = (divmod(pair, 2**32) for pair in together.dictionary.to_pylist())  # in order of first appearance
            numbers = [known.setdefault(pair, len(known)) for pair in pairs]
            codes = np.array(numbers, dtype=np.int32)[to_numpy(together.indices)]
        return codes


def _first_rows(indices: NDArray[Any], size: int) -> Ints:
    """Return the first row with each index; the number of rows if no row has it."""
    starts = np.concatenate(([0], np.flatnonzero(indices[1:] != indices[:-1]) + 1))[::-1]
    first = np.full(size, indices.size, dtype=np.int64)
    first[indices[starts]] = starts  # the last assignment, the first row, wins
    return first


class IntegerKeys:
    """Integers are their own keys, also if they are written as 7.0."""

    def encode(self, array: Any, column: str) -> Ints:
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
        return to_numpy(numbers)

    def sort(self, keys: Ints) -> tuple[NDArray[Any], Ints]:
        """Return the labels of distinct keys in sorted order, and the order that sorts them."""
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def label(self, key: int) -> str:
        """Show the integer."""
        return str(key)


class TextKeys:
    """Text labels are numbered in order of first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        #: The labels in order of their numbers, as far as they came together.
        self._known: list[Any] = []
        #: Keys, labels and order of the last task; consecutive tasks with the same keys are sorted once.
        self._last: tuple[Ints, NDArray[Any], Ints] | None = None

    def encode(self, array: Any, column: str) -> Ints:
        """Number the labels of a batch."""
        _refuse_nulls(array, column)
        texts = plain_text(array).cast(pa.large_string())
        result = np.empty(len(texts), dtype=np.int64)
        row = 0
        # one system after the other often has the same instances in the same order
        while row < len(texts) and (code := self._numbers.get(texts[row].as_py(), -1)) >= 0:
            known = self.texts.slice(code, len(texts) - row)
            if not known.equals(pa.chunked_array([texts.slice(row, len(known))])):
                break
            result[row : row + len(known)] = np.arange(code, code + len(known))
            row += len(known)
        if row < len(texts):
            coded = texts.slice(row).dictionary_encode()
            words = coded.dictionary.to_pylist()
            codes = np.array([self._numbers.get(word, -1) for word in words], dtype=np.int64)
            if (fresh := np.flatnonzero(codes < 0)).size:
                codes[fresh] = np.arange(len(self._numbers), len(self._numbers) + fresh.size)
                self._numbers |= {words[place]: int(codes[place]) for place in fresh.tolist()}
                self._known.append(coded.dictionary.take(from_numpy(fresh)))
            result[row:] = codes[to_numpy(coded.indices)]
        if "" in self._numbers:
            raise _unnamed(int(np.argmax(result == self._numbers[""])), column)
        return result

    @property
    def texts(self) -> Any:
        """Return all labels, in order of their numbers."""
        return pa.chunked_array(self._known, pa.large_string())

    def sort(self, keys: Ints) -> tuple[NDArray[Any], Ints]:
        """Return the labels of distinct keys in order of code points, and the order that sorts them."""
        if self._last is None or not np.array_equal(self._last[0], keys):
            chosen = self.texts.combine_chunks().take(from_numpy(keys))
            sorted_indices = pc.sort_indices(chosen)
            order = to_numpy(sorted_indices).astype(np.int64)
            labels = np.array(chosen.take(sorted_indices).to_pylist(), dtype=np.dtypes.StringDType())
            labels.flags.writeable = False
            self._last = (keys, labels, order)
        return self._last[1], self._last[2]

    def label(self, key: int) -> str:
        """Show the text."""
        return str(self.texts[key].as_py())


#: How instance labels become keys, and keys become labels again; equal labels have equal keys.
Keys = IntegerKeys | TextKeys


class RepeatedKeys:
    """Keys of instances and their repeats: that of the instance, then the number of the repeat.

    Parameters
    ----------
    instances
        Keys of the instances alone; None where there are none, and every task is one.
    kind
        What labels name: "repeat"; or "prompt", or a prompt and a repeat, see `joined_text`.
    """

    def __init__(self, instances: Keys | None, kind: str = "repeat") -> None:
        self.instances, self.repeats = instances, Labels(kind)
        #: Whether labels name runs: in every task there is an instance that has all.
        self.are_runs = True
        #: Number of the repeat of each column, by task, as they were sorted.
        self.codes: list[Ints] = []
        #: Cells of the rows so far, sorted, each piece at most half as long as the one before.
        self._cells: list[NDArray[np.uint64]] = []

    def join(self, keys: Ints, repeats: Any, column: str) -> Ints:
        """Return the keys of repeats with these labels, of instances with these keys.

        Raises
        ------
        InputError
            There are too many different repeats.
        InstancesAreTextError
            Keys are so large that instances must be numbered.
        """
        return self._joined(keys, self.repeats.code(repeats, column), f"column {column!r} has")

    def numbered(self, keys: Ints, systems: NDArray[np.int32], tasks: NDArray[np.int32] | None) -> Ints:
        """Return the keys of repeats that are rows: the second row with the same labels is the second repeat."""
        # a cell is its hash: two with the same one only skip a number
        cells = keys.astype(np.uint64) * _FACTORS[0] ^ systems.astype(np.uint64) * _FACTORS[1]
        if tasks is not None:
            cells ^= tasks.astype(np.uint64) * _FACTORS[2]
        order = np.argsort(cells, kind="stable")
        ordered = cells[order]
        codes = np.empty(cells.size, dtype=np.int64)
        codes[order] = np.arange(cells.size) - np.searchsorted(ordered, ordered)
        for known in self._cells:
            codes += np.searchsorted(known, cells, "right") - np.searchsorted(known, cells)
        self._cells.append(ordered)
        while len(self._cells) > 1 and self._cells[-2].size < 2 * self._cells[-1].size:
            self._cells[-2:] = [np.sort(np.concatenate(self._cells[-2:]), kind="stable")]
        for number in range(len(self.repeats.numbers), int(codes.max(initial=-1)) + 1):
            self.repeats.numbers[str(number + 1)] = number
        self.are_runs = False
        return self._joined(keys, codes, "one system on one instance has")

    def _joined(self, keys: Ints, codes: NDArray[Any], which: str) -> Ints:
        if len(self.repeats.numbers) > MOST_REPEATS:
            raise InputError(f"{which} more than {MOST_REPEATS:,} different repeats; number them in each instance")
        if keys.size and max(-int(keys.min()), int(keys.max())) >= 2**46:
            raise InstancesAreTextError
        joined: Ints = keys * MOST_REPEATS + codes
        return joined

    def sort(self, keys: Ints) -> tuple[NDArray[Any], Ints]:
        """Return for each distinct key the label of its instance, sorted, and the order that sorts them."""
        instances, repeats = np.divmod(keys, MOST_REPEATS)
        distinct, inverse = np.unique(instances, return_inverse=True)
        labels, order = (distinct, np.arange(distinct.size))
        if self.instances is not None:
            labels, order = self.instances.sort(distinct)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        place = rank[inverse]
        names = self.repeats.names
        in_order = np.empty(len(names), dtype=np.int64)
        in_order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        columns = np.lexsort((in_order[repeats], place))
        self.codes.append(repeats[columns])
        self.are_runs &= bool(np.count_nonzero(np.bincount(repeats)) == np.bincount(place).max())
        return labels[place[columns]], columns

    def label(self, key: int) -> str:
        """Show the instance and the repeat."""
        instance, number = divmod(key, MOST_REPEATS)
        repeat = f"{self.repeats.kind} {self.repeats.names[number].replace(SEPARATOR, ', repeat ')!r}"
        return repeat if self.instances is None else f"instance {self.instances.label(instance)!r}, {repeat}"


def _refuse_nulls(array: Any, column: str) -> None:
    if array.null_count:
        raise _unnamed(array.is_null().index(True).as_py(), column)


def _without_fractions(array: Any) -> tuple[Any, Any]:
    """Read 7.0 as 7, as text and as a number; pandas writes 7.0 if a column of integers has missing values."""
    try:
        array = pc.replace_substring_regex(array, r"\.0$", "")
        return array, array.cast(pa.int64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InstancesAreTextError from error


def _unnamed(row: int, column: str) -> RowError:
    return RowError(row, f"there is no instance in column {column!r}; every row needs an instance")


class Keyed:
    """The instance of every row, among K distinct instances, which are found again in the rows of other tables.

    An instance has three numbers: its key, the rank of its label among all labels, and its place among the instances of
    all tasks. Labels 7, 30 and 9 are their own keys and have ranks 0, 2 and 1. If tasks 0 and 1 hold 7 and 9 each, and
    task 1 holds 30 as well, task 1 has cells 3 + 0, 3 + 1 and 3 + 2 (number of the task × number of labels + rank). The
    cells that occur are 0, 1, 3, 4 and 5; so 30 of task 1 has place 4.

    Attributes
    ----------
    instances
        Shape `(K,)`: sorted labels; if there are tasks, sorted within tasks, and tasks in order of first appearance.
    tasks
        Shape `(K,)`: the task of each instance; or None.
    place
        One per row: its instance, from 0.
    first
        Shape `(K,)`: the first row of each instance.
    """

    instances: NDArray[Any]
    tasks: NDArray[Any] | None
    place: Ints
    first: Ints

    def __init__(self, *, as_text: bool) -> None:
        self._keys: Keys = TextKeys() if as_text else IntegerKeys()
        self._labels = Labels("task")
        self._rows: list[tuple[Ints, Ints]] = []
        #: Keys that occur, ascending, and the rank of the label of each; cells that occur, ascending.
        self._known = self._rank = self._cells = np.empty(0, dtype=np.int64)

    def _coded(self, rows: Any, instance: str, task: str | None) -> tuple[Ints, Ints]:
        """Return the key and number of the task of every row."""
        keys = self._keys.encode(rows.column(instance), instance)
        tasks = np.zeros(keys.size, dtype=np.int64)
        if task is not None:
            tasks += self._labels.code(rows.column(task), task)
        return keys, tasks

    def add(self, instance: str, task: str | None, rows: Any) -> None:
        """Take the labels of a batch."""
        self._rows.append(self._coded(rows, instance, task))

    def sort(self) -> None:
        """Put the instances in order, after all rows."""
        keys, tasks = map(np.concatenate, zip(*self._rows, strict=True))
        self._known, which = np.unique(keys, return_inverse=True)
        labels, order = self._keys.sort(self._known)
        self._rank = np.empty(order.size, dtype=np.int64)
        self._rank[order] = np.arange(order.size)
        cells = tasks * labels.size + self._rank[which]
        self._cells, self.first, self.place = np.unique(cells, return_index=True, return_inverse=True)
        names = np.array(self._labels.names, dtype=np.dtypes.StringDType())
        self.instances = labels[self._cells % labels.size]
        self.tasks = names[self._cells // labels.size] if names.size else None

    def label(self, instance: int) -> str:
        """Return the label of an instance in quotes, with its task if there are tasks."""
        shown = repr(str(self.instances[instance]))
        return shown if self.tasks is None else f"{shown} of {str(self.tasks[instance])!r}"

    def find(self, rows: Any, instance: str, task: str | None) -> Ints:
        """Find the instance of every row of another table, by its columns; −1 if it is not among these."""
        try:
            keys, tasks = self._coded(rows, instance, task)
        except InstancesAreTextError:  # some may still be known
            self._keys = TextKeys()
            self._known = self._keys.encode(pa.array(list(map(str, self._known.tolist()))), instance)
            keys, tasks = self._coded(rows, instance, task)
        label = _positions(self._known, keys)
        return _positions(self._cells, np.where(label < 0, -1, tasks * self._rank.size + self._rank[label]))


def _positions(known: Ints, wanted: Ints) -> Ints:
    """Return the position of each number among known numbers in ascending order; -1 if it is not there."""
    found = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return np.where(known[found] == wanted, found, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A table that was read whole.

    Attributes
    ----------
    table
        The table.
    n_rows
        Number of rows.
    texts
        By column: one text per row, None if the cell is empty.
    numbers
        By column: one number per row, NaN if the cell is empty.
    """

    table: SourceTable
    n_rows: int
    texts: Mapping[str, list[str | None]]
    numbers: Mapping[str, Floats]

    def where(self, row: int) -> str:
        """Name the table and the place of a row in it."""
        return f"{self.table.name}, {self.table.where(row)}"


def read_whole(table: SourceTable, *, texts: Sequence[str] = (), numbers: Sequence[str] = ()) -> Whole:
    """Read some columns of a table, as text or as numbers.

    Raises
    ------
    InputError
        There is no row, or a value cannot be read; the message says where, and what to do.
    """
    refuse_nested(table, [*texts, *numbers])
    return _read_columns(table, ReadPlan(tuple(texts), tuple(numbers)), texts)


def read_keyed(
    table: SourceTable,
    *,
    instance: str,
    task: str | None = None,
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> tuple[Whole, Keyed]:
    """Read some columns of a table, and the instance (and task) of every row.

    Raises
    ------
    InputError
        There is no row, a value cannot be read, or a row has no label; the message says where, and what to do.
    """
    labels = (*texts, *filter(None, (task,)))
    refuse_nested(table, [*labels, *numbers, instance])
    plan = ReadPlan(labels, tuple(numbers), instance)

    keyed = Keyed(as_text=any(one.name == instance and one.kind in {"text", "empty"} for one in table.columns))
    try:
        whole = _read_columns(table, plan, texts, partial(keyed.add, instance, task))
    except InstancesAreTextError:  # read again, as what they are
        keyed = Keyed(as_text=True)
        whole = _read_columns(table, plan, texts, partial(keyed.add, instance, task))
    keyed.sort()
    return whole, keyed


def _read_columns(
    table: SourceTable, plan: ReadPlan, texts: Sequence[str], also: Callable[[Any], None] = lambda _: None
) -> Whole:
    """Read the columns of a plan, and hand every batch on to `also`; `texts` are columns among its labels."""
    cells: dict[str, list[str | None]] = {name: [] for name in texts}
    parts: dict[str, list[Floats]] = {name: [] for name in plan.numbers}
    n_rows = 0
    for batch in table.batches(plan):
        with located(table, batch.first):
            for name, column in cells.items():
                column.extend(plain_text(batch.rows.column(name)).to_pylist())
            for name, part in parts.items():
                part.append(to_numbers(batch.rows.column(name), name, np.float64))
            also(batch.rows)
        n_rows += batch.rows.num_rows
    if n_rows == 0:
        raise InputError(f"{table.name} has columns but no rows; it needs at least one row")
    return Whole(table, n_rows, cells, {name: np.concatenate(part) for name, part in parts.items()})
