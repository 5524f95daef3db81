"""Arrays: frozen in results, packed in tables, as plain values and frames, and between NumPy and Arrow.

Arrow is used without pandas. Many of Arrow's own ways load pandas where it is installed, which takes a third of a
second, as long as many a command.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal, get_args

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from podium.base.errors import LabelError, MissingExtraError

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

Bools = NDArray[np.bool_]


class Frozen:
    """Base of frozen dataclasses with arrays: makes them read-only, and so again in copies and what is unpickled.

    >>> import copy
    >>> import podium
    >>> table = copy.deepcopy(podium.datasets.toy_table1())
    >>> table.tasks[0].parts[0].flags.writeable
    False
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for value in self._values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            elif isinstance(value, tuple):
                for array in value:
                    if isinstance(array, np.ndarray):
                        array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    def _values(self) -> tuple[Any, ...]:
        """Fields in order."""
        names: tuple[str, ...] = type(self).__match_args__  # type: ignore[attr-defined]  # a dataclass, below
        return tuple(getattr(self, name) for name in names)


class StoredArray(NDArrayOperatorsMixin):
    """Base of arrays that are stored in ways of their own; NumPy makes plain ones of them if it computes with them.

    A subclass has `shape`, `dtype`, `__getitem__`, which returns a view, and `__array__`.
    """

    __slots__ = ()

    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of its elements."""
        return int(np.prod(self.shape))

    @property
    def ndim(self) -> int:
        """Number of its axes."""
        return len(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __array_ufunc__(self, function: Any, method: str, *arguments: Any, **options: Any) -> Any:
        arrays = [np.asarray(one) if isinstance(one, StoredArray) else one for one in arguments]
        return getattr(function, method)(*arrays, **options)


#: Stands for NaN in a packed array.
UNSCORED = np.int8(-128)

#: Elements that an array has at least if it is packed; fewer save little.
_PACKED = 2**16


@dataclass(frozen=True, slots=True, eq=False)
class PackedArray(Frozen, StoredArray):
    """Whole numbers from −127 to 127, such as 0 and 1, or NaN, in one byte each.

    Attributes
    ----------
    codes
        The numbers; `UNSCORED` for NaN.
    dtype
        Type of the plain array that NumPy computes with.

    Examples
    --------
    >>> np.asarray(PackedArray(np.array([[1, UNSCORED]], dtype=np.int8), np.dtype(np.float64)))
    array([[ 1., nan]])
    """

    codes: NDArray[np.int8]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, codes: NDArray[Any], dtype: Any) -> Any:
        """Return a packed array, or a plain one if it is small."""
        made = cls(codes, np.dtype(dtype))
        return made if codes.size >= _PACKED else np.asarray(made)

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]  # as of any array
        """As of any array."""
        return self.codes.shape

    def __sizeof__(self) -> int:
        return self.codes.nbytes  # by which Dask decides what to keep in memory

    def __getitem__(self, key: Any) -> "PackedArray":
        return replace(self, codes=self.codes[key])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        values = np.array(self.codes, dtype or self.dtype)
        if (unscored := self.codes == UNSCORED).any():
            values[unscored] = np.nan
        return values


def as_codes(values: NDArray[Any]) -> NDArray[np.int8] | None:
    """Return the codes of a packed array, or None if values are no small whole numbers.

    >>> as_codes(np.array([1.0, np.nan])), as_codes(np.array([0.5]))
    (array([   1, -128], dtype=int8), None)
    """
    with np.errstate(invalid="ignore"):
        codes = values.astype(np.int8)
    if (unfit := codes != values).any() or (codes == UNSCORED).any():
        unscored = np.isnan(values)
        if (unfit & ~unscored).any() or (codes[~unscored] == UNSCORED).any():
            return None
        codes[unscored] = UNSCORED
    return codes


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return the same with None for numbers that do not exist.

    >>> plain({"effect": 0.5, "p": float("nan")})
    {'effect': 0.5, 'p': None}
    """
    return {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in values.items()}


def plain_list(array: NDArray[Any]) -> list[Any]:
    """Return the numbers of an array as lists, with None for NaN.

    >>> plain_list(np.array([[0.5, np.nan], [1.0, 0.0]]))
    [[0.5, None], [1.0, 0.0]]
    """
    if array.ndim > 1:
        return [plain_list(row) for row in array]
    return [None if value != value else value for value in array.tolist()]  # noqa: PLR0124  # NaN


def as_array(values: list[Any]) -> NDArray[Any]:
    """Return a column of plain values as an array, with NaN for numbers that do not exist.

    >>> as_array([1.5, None]), as_array(["A", "B"])
    (array([1.5, nan]), array(['A', 'B'], dtype=object))
    """
    if all(value is None or isinstance(value, int | float) for value in values):
        return np.array(values, dtype=np.float64 if None in values else None)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


#: Libraries whose frames can be asked for.
Backend = Literal["pyarrow", "pandas", "polars"]


def as_frame(columns: dict[str, list[Any]], library: str) -> Any:
    """Build a frame of "pandas", "polars" or "pyarrow" from columns of plain values.

    Raises
    ------
    LabelError
        There is no such library.
    MissingExtraError
        The library is not installed.

    Examples
    --------
    >>> as_frame({"system": ["A", "B"], "rank": [1, 2]}, "pyarrow").num_rows
    2
    """
    if library not in get_args(Backend):
        raise LabelError.unknown("frame library", library, get_args(Backend))
    import narwhals as nw  # noqa: PLC0415  # only where frames are wanted

    try:
        return nw.from_dict(columns, backend=library).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise MissingExtraError(library, library, f"a {library} frame") from error


class _Compute:
    """Functions of Arrow, loaded when the first is asked for: that takes longer than reading a small table."""

    def __getattr__(self, name: str) -> Any:
        import pyarrow.compute  # noqa: PLC0415  # see above

        return getattr(pyarrow.compute, name)


pc: Any = _Compute()


def from_numpy(values: NDArray[Any], *, nan_is_null: bool = False) -> Any:
    """Return an Arrow array of integers, floating-point numbers or truth values, which shares their memory if it can.

    >>> from_numpy(np.array([1.0, np.nan]), nan_is_null=True).to_pylist()
    [1.0, None]
    """
    import pyarrow as pa  # noqa: PLC0415  # only where there are tables

    valid = None
    if nan_is_null and np.isnan(values).any():
        valid = pa.py_buffer(np.packbits(~np.isnan(values), bitorder="little"))
    if values.dtype == np.bool_:
        bits = pa.py_buffer(np.packbits(values, bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), values.size, [valid, bits])
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, values.size, [valid, pa.py_buffer(np.ascontiguousarray(values))])


def texts(words: Sequence[str]) -> Any:
    """Return an Arrow array of texts; what is no Unicode is spelled out.

    >>> texts(["a", "ü"]).to_pylist()
    ['a', 'ü']
    """
    import pyarrow as pa  # noqa: PLC0415  # only where there are tables

    encoded = [word.encode("utf-8", "backslashreplace") for word in words]
    ends = np.cumsum([0, *map(len, encoded)])
    kind, width = (pa.string(), np.int32) if ends[-1] < 2**31 else (pa.large_string(), np.int64)
    buffers = [None, pa.py_buffer(ends.astype(width)), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(kind, len(encoded), buffers)


def same(word: str, count: int) -> Any:
    """Return a dictionary of one text, which all of so many rows have.

    >>> same("a", 2).to_pylist()
    ['a', 'a']
    """
    import pyarrow as pa  # noqa: PLC0415  # only where there are tables

    return pa.DictionaryArray.from_arrays(from_numpy(np.zeros(count, dtype=np.int32)), texts([word]))


def to_numpy(column: Any, fill: Any = None) -> NDArray[Any]:
    """Return the numbers or truth values of an array, chunked or not; `fill` stands where there are none.

    >>> import pyarrow as pa
    >>> to_numpy(pa.array([1, None]), 7), to_numpy(pa.chunked_array([[True], [None]]), False)
    (array([1, 7]), array([ True, False]))
    """
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    parts = [_plain(chunk, fill) for chunk in chunks]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, _dtype(column.type))


def _plain(array: Any, fill: Any) -> NDArray[Any]:
    mask, data = array.buffers()
    count, start = len(array), array.offset
    if data is None:
        return np.full(count, fill, dtype=_dtype(array.type))
    if (kind := _dtype(array.type)) == np.bool_:
        values: NDArray[Any] = _bits(data, start, count)
    else:
        values = np.frombuffer(data, dtype=kind, count=start + count)[start:]
    if array.null_count == 0:
        return values
    return np.where(_bits(mask, start, count), values, kind.type(fill))


def _bits(buffer: Any, start: int, count: int) -> NDArray[np.bool_]:
    bits = np.unpackbits(np.frombuffer(buffer, dtype=np.uint8), bitorder="little")[start : start + count]
    return bits.astype(np.bool_)


def _dtype(kind: Any) -> Any:
    return (
        np.dtype(np.bool_)
        if str(kind) == "bool"
        else np.dtype({"double": "f8", "float": "f4"}.get(str(kind), str(kind)))
    )
