"""Results as frames of the library that somebody works with."""

from typing import Any

from podium.errors import LabelError, MissingExtraError

__all__ = ["as_frame"]

#: Libraries whose frames can be asked for.
_FRAMES = ("pyarrow", "pandas", "polars")


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
    if library not in _FRAMES:
        raise LabelError.unknown("frame library", library, _FRAMES)
    import narwhals as nw  # noqa: PLC0415  # only where frames are wanted

    try:
        return nw.from_dict(columns, backend=library).to_native()  # type: ignore[arg-type]
    except ImportError as error:
        raise MissingExtraError(library, library, f"a {library} frame") from error
