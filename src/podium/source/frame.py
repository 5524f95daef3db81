"""Scores from data frames: pandas, Polars, Arrow, and all others that narwhals supports."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Unpack

from podium.base.errors import InputError
from podium.score.table import Scores
from podium.source.layout import Wishes
from podium.source.read import finish
from podium.source.role import Columns, check_keywords
from podium.source.table import check_names


def from_frame(
    frame: Any,
    *,
    layout: str | None = None,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    **columns: Unpack[Columns],
) -> Scores:
    """Take scores from a data frame, long or wide.

    A score is missing if it is null or NaN, if a column of text holds a word such as `NA` (see `read`), or if no row
    gives it.

    Parameters
    ----------
    frame
        pandas, Polars or Arrow frame, Arrow record batch or record batch reader, or any other frame that narwhals
        supports; lazy frames are computed. A pandas index that has a name or holds names counts as a column.
    layout
        "long" or "wide"; if None, the names of the columns decide.
    tasks, systems, lower, higher
        Selection and directions; see `read`.
    columns
        Names of columns by role, if podium does not recognise them: `system`, `task`, `instance`, `score`, `metric` or
        `weight`; see `read`.

    Returns
    -------
    Scores
        Results that are frames come from the same library.

    Raises
    ------
    InputError
        The frame cannot be read as scores; the message names row, column and value.
    LabelError
        A column, task or system that was named does not exist.
    WeightError
        An instance weight is negative or not finite, or all instance weights of a task are zero.
    TypeError
        A keyword is neither an argument nor a role.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from podium.source.frame import from_frame
    >>> from_frame(pa.table({"model": ["A", "B"], "rte": [0.7, 0.6]}))
    Scores(2 systems × 1 task, 0 of 2 scores missing)
    """
    from podium.source.assemble.collect import collect  # noqa: PLC0415  # the same
    from podium.source.format.arrow import ArrowTable  # noqa: PLC0415  # import Arrow only to read

    check_keywords(from_frame, columns, Columns.__annotations__)
    wishes = Wishes.of(layout, tasks, **columns)
    arrow, backend = _to_arrow(frame)
    scores = replace(collect([ArrowTable("the frame", arrow)], wishes), backend=backend)
    return finish(scores, lower=lower, higher=higher, systems=systems)


def _to_arrow(frame: Any) -> tuple[Any, str]:
    """Convert to an Arrow table, and name the library for results."""
    import narwhals as nw  # noqa: PLC0415  # only where frames are used
    import pyarrow as pa  # noqa: PLC0415  # the same

    if isinstance(frame, pa.RecordBatch | pa.RecordBatchReader):
        frame = pa.table(frame)
    try:
        known = nw.from_native(_with_index(frame))
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"the frame: two columns have the same name; rename one ({_line(error)})") from error
    except TypeError as error:
        raise InputError(
            f"{type(frame).__name__} is not a data frame; convert a series with to_frame(), or use podium.read for "
            "paths, podium.from_dict for dictionaries and podium.from_arrays for arrays"
        ) from error
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    library = known.implementation.value
    backend = library if library in {"pandas", "polars"} else "pyarrow"
    try:
        return known.to_arrow(), backend
    except (TypeError, ValueError) as error:  # Arrow's and narwhals' own errors are among these
        raise InputError(f"the frame cannot be converted to Arrow: {_line(error)}") from error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _with_index(frame: Any) -> Any:
    """Turn a pandas index with names into columns, and column labels into text."""
    if not (type(frame).__module__.startswith("pandas") and hasattr(frame, "columns")):
        return frame
    plain = frame.index.nlevels == 1 and frame.index.name is None and frame.index.dtype.kind in "iu"
    result = frame.copy(deep=False) if plain else frame.reset_index(names=_index_names(frame))
    result.columns = [str(name) for name in result.columns]
    check_names("the frame", list(result.columns))
    return result


def _index_names(frame: Any) -> list[str]:
    """Names for the levels of an index; a first level without a name holds systems if no column does."""
    names = []
    for number, name in enumerate(frame.index.names):
        free = "system" if number == 0 and "system" not in frame.columns else f"index {number + 1}"
        names.append(free if name is None else str(name))
    return names
