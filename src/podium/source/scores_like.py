"""What a question is asked about: a score table, or anything that becomes one; and a table written as a file."""

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from numpy.typing import ArrayLike

from podium.base.errors import InputError, warn
from podium.base.file import replacing
from podium.base.parallel import Progress
from podium.base.words import LONG, with_names
from podium.score.table import Scores


class Frame(Protocol):
    """A data frame, of any library that `podium.from_frame` knows."""

    @property
    def columns(self) -> Any:
        """What every frame has."""
        ...


#: A score table, or what `podium.read`, `from_frame`, `from_dict` or `from_arrays` makes one of without being told
#: more: a path, a glob or a list of these, a frame, a dictionary, or arrays.
ScoresLike: TypeAlias = Scores | str | PathLike[str] | Frame | Mapping[str, Any] | ArrayLike


def as_scores(given: "ScoresLike") -> Scores:
    """Return a score table, made of what is given unless it is one already.

    A text or path is for `podium.read`, and so is a list of them, or a dictionary of paths, frames or tables, which are
    sources with names; a frame for `from_frame`; a dictionary of dictionaries for `from_dict`; other dictionaries,
    arrays, and lists of numbers for `from_arrays`. What these have to be told, such as directions or names of columns,
    can be said only to them.

    Raises
    ------
    InputError
        It is nothing of this kind, or cannot be read as scores.

    Examples
    --------
    >>> as_scores({"A": {"rte": 0.7, "sst2": 0.9}, "B": {"rte": 0.6}})
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    if isinstance(given, Scores):
        return given
    listed: Any = given if isinstance(given, list | tuple) else [given]
    if listed and all(isinstance(one, str | PathLike) for one in listed):
        from podium.source.read import read  # noqa: PLC0415  # a table that is there needs no reader

        return read([fspath(one) for one in listed])
    from podium.source.memory import from_arrays, from_dict, from_frame  # noqa: PLC0415  # a table that is there needs none

    if isinstance(given, Mapping) and given and all(map(_is_source, given.values())):
        from podium.source.named import joined, read_sources  # noqa: PLC0415  # a table that is there needs none

        return joined(read_sources(given, _as_source))
    if isinstance(given, Mapping) and all(isinstance(row, Mapping) for row in given.values()):
        return from_dict(given)
    if _is_frame(given):
        return from_frame(given)
    if _holds_arrays(given):
        return from_arrays(given)  # type: ignore[arg-type]  # just found out
    raise InputError(f"expected a path, a frame, a dictionary, arrays or podium.Scores, not {_named(given)}")


def _as_source(given: Any, name: str) -> Scores:
    from podium.source.read import read  # noqa: PLC0415  # a table that is there needs no reader

    return read(fspath(given), name=name) if isinstance(given, str | PathLike) else as_scores(given)


def _is_source(given: Any) -> bool:
    """Whether it is a table by itself, so that a dictionary of such has sources with names."""
    return isinstance(given, Scores | str | PathLike) or (not isinstance(given, Mapping) and _is_frame(given))


def _is_frame(given: Any) -> bool:
    """Whether it has columns, which are no method, or is a stream of them."""
    return not callable(getattr(type(given), "columns", len)) or hasattr(given, "__arrow_c_stream__")


def _holds_arrays(given: Any) -> bool:
    """Whether it is an array, or lists or a dictionary of such; records are none."""
    listed = isinstance(given, list | tuple) and not any(isinstance(one, Mapping) for one in given)
    return listed or isinstance(given, Mapping) or hasattr(given, "__array__")


def _named(given: Any) -> str:
    """Say what it is, and what to do about what is nearly right."""
    kind = type(given).__name__
    if isinstance(getattr(given, "scores", None), Scores):
        return f"{kind}; take the .scores of it"
    return f"{kind} of dictionaries; make a frame of it" if isinstance(given, list | tuple) else kind


def convert(scores: "ScoresLike", path: str | Path, *, progress: Progress | None = None) -> Scores:
    """Write scores as one long table: a row per score, with all that a ranking depends on.

    Columns are task, system, score and direction ("higher" or "lower"); where there are any also instance, repeat,
    weight (of the instance), cluster, the statistic of repeats, the family of the task, and covariates. `read`
    recognises such a table by these columns, and rankings of it are the same to the last digit. A score is empty if it
    is missing.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, such as a folder that a tool wrote, a frame, a dictionary or arrays, see
        `podium.ScoresLike`.
    path
        File that ends in .parquet, .feather, .csv, .tsv or .jsonl; text also in .gz, .zst, .bz2 or .xz behind it. It is
        written whole or not at all.
    progress
        Called with the number of cells written, scored or missing, and the number there are.

    Returns
    -------
    Scores
        What was written.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    OutputError
        The file cannot be written, its ending names no format, or a covariate has the name of another column.

    Warns
    -----
    PodiumWarning
        The table does not hold something that rankings depend on, such as weights of tasks.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> path = Path(tempfile.mkdtemp(), "scores.csv")
    >>> podium.convert({"A": {"rte": 0.7}, "B": {"rte": None}}, path)
    Scores(2 systems × 1 task, 1 of 2 scores missing)
    >>> print(path.read_text())
    task,system,score,direction
    rte,A,0.7,higher
    rte,B,,higher
    <BLANKLINE>
    """
    from podium.source.canonical import FORMATS_OF_TEXT, LongTable, format_of, lost_of, writing  # noqa: PLC0415

    format, compression = format_of(path)  # noqa: A001  # the word people use
    scores = as_scores(scores)
    table = LongTable(scores, format)
    if lost := lost_of(scores, text=format in FORMATS_OF_TEXT):
        warn(with_names("the table does not hold ", lost, ", without which it may rank otherwise", room=LONG))
    with replacing(Path(path)) as file, writing(file, format, compression, table.schema) as write:
        for rows in table.pieces(progress):
            write(rows)
    return scores
