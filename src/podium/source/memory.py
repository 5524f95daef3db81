"""Scores from memory: frames, or anything else that becomes a table; and a table as a file."""

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import wraps
from inspect import Parameter, cleandoc, signature
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, Unpack

from numpy.typing import ArrayLike

from podium.base.errors import InputError, PodiumError, warn
from podium.base.file import replacing
from podium.base.parallel import Progress
from podium.base.progress import Bar
from podium.base.words import LONG, few, with_names
from podium.score.table import Scores
from podium.source.arrays import from_arrays, from_dict
from podium.source.table import USUAL, FileColumns, LongOrWide, Runs, check_keywords, named, naming, unexpected


def from_frame(
    frame: Any,
    *,
    layout: LongOrWide | None = None,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
    statistic: str | None = None,
    keep_first: bool = False,
    transpose: bool = False,
    gold: "str | Path | Frame | None" = None,
    **columns: Unpack[FileColumns],
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
    tasks, systems, lower, higher, families
        Selection, directions and families; see `read`.
    statistic
        What the score of an instance is of its repeats; see `read`.
    keep_first
        Of scores that contradict each other, keep the first; see `read`.
    transpose
        Columns are systems and rows are tasks; see `read`.
    gold
        Right answers to predictions: a column, or a frame or a file with one row per instance; see `read`.
    columns
        Names of columns that podium does not recognise: `system_column`, `task_column`, `instance_column`,
        `score_column`, `human_column`, `metric_column`, `weight_column`, `cluster_column`, `repeat_column`,
        `prompt_column`, `family_column`, `covariate_column` or `prediction_column`; see `read`.

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
    >>> from podium.source.memory import from_frame
    >>> from_frame(pa.table({"model": ["A", "B"], "rte": [0.7, 0.6]}))
    Scores(2 systems × 1 task, 0 of 2 scores missing)
    """
    from podium.source.columnar import ArrowTable  # noqa: PLC0415  # import Arrow only to read
    from podium.source.read import read_opened  # noqa: PLC0415  # the same
    from podium.source.recognise import ReadSpec  # noqa: PLC0415  # the same

    check_keywords(from_frame, columns, FileColumns.__annotations__)
    spec = ReadSpec.of(
        layout, tasks, systems, statistic=statistic, columns=columns, lower=lower, higher=higher, keep_first=keep_first
    )
    arrow, backend = to_arrow(frame)
    key: Any = gold
    if not (gold is None or isinstance(gold, str | PathLike)):
        if not _is_frame(gold):
            raise InputError(f"gold is {gold!r}; it must be a column, or a frame or a file of right answers")
        key = ArrowTable("the frame of right answers", to_arrow(gold)[0])
    scores = read_opened([ArrowTable("the frame", arrow)], spec, {"transpose": transpose, "gold": key, **columns})
    scores = replace(scores, backend=backend)
    return scores if families is None else scores.with_families(families)


def to_arrow(frame: Any) -> tuple[Any, str]:
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
    except (TypeError, ValueError, pa.ArrowException) as error:
        raise InputError(f"the frame cannot be converted to Arrow: {_line(error)}") from None


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _with_index(frame: Any) -> Any:
    """Turn a pandas index with names into columns, column labels into text, and a pivot into a wide or long table."""
    from podium.source.table import check_names  # noqa: PLC0415  # only where frames are used

    if not type(frame).__module__.startswith("pandas"):
        return frame
    if not hasattr(frame, "columns"):  # what groupby leaves of one column
        if not hasattr(frame, "to_frame") or all(name is None for name in frame.index.names):
            return frame
        frame = frame.to_frame("score" if frame.name is None else frame.name)
    frame = _unpivoted(frame)
    index = [] if _only_numbered(frame) else _index_names(frame)  # numbers of rows left by a filter are no column
    names = [*index, *map(str, frame.columns)]
    check_names("the frame", names)
    result = frame.reset_index(names=index) if index else frame.reset_index(drop=True)
    result.columns = names
    return result


def _unpivoted(frame: Any) -> Any:
    """Return a pandas frame with tasks as columns, or with one score a row if its columns are named so."""
    levels = [name if name is None else str(name) for name in frame.columns.names]
    if len(levels) > 1:
        levels = ["metric" if name is None and levels.count(None) == 1 else name for name in levels]
        if not all(name and _role(name) for name in levels):
            raise InputError(
                f"the frame: its columns have {len(levels)} levels, called {levels}, and that does not say what they "
                "are; name them, as in frame.columns.names = ['task', 'system'], or give a frame with one row a score"
            )
        keys = [label for label in frame.columns if set(label[1:]) == {""}]  # an index that became columns
        frame = frame.set_index(keys, append=not _only_numbered(frame)).rename_axis(columns=levels) if keys else frame
        frame = frame.rename_axis(index=[name[0] if isinstance(name, tuple) else name for name in frame.index.names])
        frame.columns = frame.columns.set_names(levels)
        return frame.stack(list(range(len(levels))), future_stack=True).dropna().to_frame("score")
    names, role = [*map(str, frame.index.names), *map(str, frame.columns)], _role(levels[0])
    if role not in {"system", "instance"} or named(USUAL[role], names):
        return frame
    keys = [label for label in frame.columns if _role(str(label)) in {"system", "task", "instance", "metric"}]
    if role == "system" and frame.index.nlevels == 1 and not keys and _role(frame.index.name) != "instance":
        if _only_numbered(frame) and (other := [str(one) for one in frame if frame[one].dtype.kind not in "biuf"]):
            raise InputError(
                f"the frame: its columns are called {levels[0]!r}, but these hold no numbers: {few(other)}; "
                "call the columns that are no systems 'task' and 'instance'"
            )
        return frame.T.infer_objects()
    frame = frame.set_index(keys, append=not _only_numbered(frame)) if keys else frame
    return frame.stack(future_stack=True).to_frame("score")


def _role(name: Any) -> str | None:
    """Return the role of a column with a usual name."""
    return next((role for role, usual in USUAL.items() if named(usual, [str(name)])), None)


def _only_numbered(frame: Any) -> bool:
    """Return whether the index of a pandas frame only numbers its rows."""
    return frame.index.nlevels == 1 and frame.index.name is None and frame.index.dtype.kind in "iu"


def _index_names(frame: Any) -> list[str]:
    """Return names for the levels of an index; a first level without a name holds systems if no column does."""
    names = []
    for number, name in enumerate(frame.index.names):
        free = (
            "system" if number == 0 and "system" not in {*frame.columns, *frame.index.names} else f"index {number + 1}"
        )
        names.append(free if name is None else str(name))
    return names


class Frame(Protocol):
    """A data frame, of any library that `podium.from_frame` knows."""

    @property
    def columns(self) -> Any:
        """Return what every frame has."""
        ...


#: A score table, or what `podium.read`, `from_frame`, `from_dict` or `from_arrays` makes one of: a path, a glob or a
#: list of these, a frame, a dictionary, or arrays. What these have to be told, every function takes: `ReadingOptions`.
ScoresLike: TypeAlias = Scores | str | PathLike[str] | Frame | Mapping[str, Any] | ArrayLike


class ReadingOptions(FileColumns, total=False):
    """How a table is read: what `podium.read`, `from_frame`, `from_dict` and `from_arrays` take, as far as it fits.

    Of scores that are read already, tasks, systems, directions, families, weights and ties can still be said.

    Attributes
    ----------
    tasks, systems, lower, higher, families
        What counts, in which direction, and which tasks are of one data set.
    weights, tie_tolerance
        Weights of tasks, by label or glob, and differences up to which two scores tie.
    layout, statistic, keep_first, format, table, sheet, transpose, gold, tool, preset, metric, runs, as_of
        As of `podium.read`.
    """

    tasks: Iterable[str] | None
    systems: Iterable[str] | None
    lower: Iterable[str]
    higher: Iterable[str]
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None
    weights: Mapping[str, float] | None
    tie_tolerance: float | None
    layout: LongOrWide | None
    statistic: str | None
    keep_first: bool
    format: str | None
    table: str | None
    sheet: str | None
    transpose: bool
    gold: "str | Path | Frame | None"
    tool: str | None
    preset: str | None
    metric: Iterable[str] | None
    runs: Runs
    as_of: int | str | date | None


def as_scores(
    given: "ScoresLike",
    *,
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float | None = None,
    human: bool = False,
    prompts: bool = False,
    **reading: Any,
) -> Scores:
    """Return a score table, made of what is given unless it is one already; the keywords are those of `ReadingOptions`.

    A text or path is for `podium.read`, and so is a list of them, or a dictionary of paths, frames or tables, which are
    sources with names; a frame for `from_frame`; a dictionary of dictionaries for `from_dict`; other dictionaries,
    arrays, and lists of numbers for `from_arrays`. Labels by people, and prompts, are refused unless the caller uses
    them (`human`, `prompts`).

    Raises
    ------
    InputError
        It is nothing of this kind, or cannot be read as scores; or it has labels by people.
    TypeError
        A keyword is not for what is given.

    Examples
    --------
    >>> as_scores({"A": {"rte": 0.7, "sst2": 0.9}, "B": {"rte": 0.6}}, tasks=["rte"], lower=["rte"])
    Scores(2 systems × 1 task, 0 of 2 scores missing)
    """
    scores = _chosen(given, **reading) if isinstance(given, Scores) else _read(given, reading)
    if scores.human and not human:
        used = f"only rank, compare, gate, frontier and plan use the labels in column {scores.human!r}"
        what = f"name the judge's scores alone, with {naming('score')} in place of {naming('human')}"
        raise InputError(f"{used}; {what}")
    if scores.human and scores.prompts:
        raise InputError("labels by people are used for one prompt only; leave prompt_column= (--prompt-column) out")
    if scores.prompts and not prompts:
        used = "only rank, compare, gate and frontier say what other prompts would show"
        raise InputError(f"{used}; for these alone, use {naming('repeat')} instead of prompt_column= (--prompt-column)")
    scores = scores if weights is None else scores.with_task_weights(weights)
    return scores if tie_tolerance is None else scores.with_tie_tolerance(tie_tolerance)


def _chosen(scores: Scores, **reading: Any) -> Scores:
    """Apply what can be said of scores that are read already."""
    families = reading.pop("families", None)
    chosen = {name: reading.pop(name, None) for name in ("systems", "tasks")}
    directions = {name: reading.pop(name, ()) for name in ("lower", "higher")}
    if reading:
        raise TypeError(f"{next(iter(reading))}= is about reading, and these scores are read already; leave it out")
    if chosen != {"systems": None, "tasks": None}:
        scores = scores.select(**chosen)
    if any(directions.values()):
        scores = scores.with_directions(**directions)
    return scores if families is None else scores.with_families(families)


def _read(given: Any, reading: dict[str, Any]) -> Scores:
    listed: Any = given if isinstance(given, list | tuple) else [given]
    if listed and all(isinstance(one, str | PathLike) for one in listed):
        from podium.source.read import read  # noqa: PLC0415  # a table that is there needs no reader

        return read([fspath(one) for one in listed], **reading)

    if isinstance(given, Mapping) and given and all(map(_is_source, given.values())):
        from podium.source.named import joined, read_sources  # noqa: PLC0415  # a table that is there needs none

        return joined(read_sources(given, lambda one, name: _as_source(one, name, reading)))
    if isinstance(given, Mapping) and all(isinstance(row, Mapping) for row in given.values()):
        return from_dict(given, **reading)
    if _is_frame(given):
        return from_frame(given, **reading)
    if _holds_arrays(given):
        return from_arrays(given, **reading)
    raise InputError(f"expected a path, a frame, a dictionary, arrays or podium.Scores, not {_kind_of(given)}")


def _as_source(given: Any, name: str, reading: dict[str, Any]) -> Scores:
    from podium.source.read import read  # noqa: PLC0415  # a table that is there needs no reader

    return (
        read(fspath(given), name=name, **reading)
        if isinstance(given, str | PathLike)
        else as_scores(given, prompts=True, **reading)
    )


#: Names of arguments that still work until podium 0.2, with a warning, and what they are now.
RENAMED = {"confidence": "confidence_level", "replicates": "n_resamples", "seed": "rng"}
RENAMED |= dict.fromkeys(("threads", "jobs"), "n_jobs")

#: Keywords about reading, as signatures show them, and as help names them.
_USUALLY = {**dict.fromkeys(ReadingOptions.__annotations__), **(from_frame.__kwdefaults__ or {})}
_USUALLY |= {"runs": "newest"}
_READING = [Parameter(name, Parameter.KEYWORD_ONLY, default=_USUALLY[name]) for name in ReadingOptions.__annotations__]
_READING_IN_HELP = """tasks, systems, lower, higher, families, weights, tie_tolerance, system_column, …
    How `scores` are read: all keywords of `podium.read` that fit."""

F = TypeVar("F", bound=Callable[..., Any])


def keywords(function: F) -> F:
    """Let a function take old names of arguments, with a warning, suggest names, and show how far it is at a prompt."""
    declared, doc = signature(function), cleandoc(function.__doc__ or "")
    parameters = [one for one in declared.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    known = [one.name for one in parameters]
    reports = "progress" in known
    if len(parameters) < len(declared.parameters):
        parameters += _READING
        known += [*ReadingOptions.__annotations__, "progress"]
        doc = doc.replace("\n\nReturns\n", f"\n{_READING_IN_HELP}\n\nReturns\n", 1)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        for name in [name for name in named if name not in known]:
            now = RENAMED.get(name, name)
            if now not in known or now in named:
                raise unexpected(function, name, known)
            warnings.warn(f"{name}= is now {now}=; the old name goes with podium 0.2", DeprecationWarning, stacklevel=2)
            named[now] = named.pop(name)
        if not hasattr(sys, "ps1") or Bar.open:
            return function(*given, **named)
        try:  # at a prompt, or in a notebook
            if not reports or named.get("progress") is not None:
                return function(*given, **named)
            with Bar(function.__name__) as named["progress"]:
                return function(*given, **named)
        except PodiumError as error:  # which says what to do, and a page of podium's own lines would hide it
            raise error.with_traceback(None) from None

    call.__signature__ = declared.replace(parameters=parameters)  # type: ignore[attr-defined]  # for help and completion
    call.__doc__ = doc
    return call  # type: ignore[return-value]  # it takes more


def _is_source(given: Any) -> bool:
    """Return whether it is a table by itself, so that a dictionary of such has sources with names."""
    return isinstance(given, Scores | str | PathLike) or (not isinstance(given, Mapping) and _is_frame(given))


def _is_frame(given: Any) -> bool:
    """Return whether it has columns, which are no method, or is a stream of them; a result of podium is no frame."""
    columns = not callable(getattr(type(given), "columns", len)) or hasattr(given, "__arrow_c_stream__")
    return columns and not hasattr(type(given), "_row_key")


def _holds_arrays(given: Any) -> bool:
    """Return whether it is an array, or lists or a dictionary of such; records are none."""
    listed = isinstance(given, list | tuple) and not any(isinstance(one, Mapping) for one in given)
    return listed or isinstance(given, Mapping) or hasattr(given, "__array__")


def _kind_of(given: Any) -> str:
    """Say what it is, and what to do about what is nearly right."""
    kind = type(given).__name__
    if isinstance(getattr(given, "scores", None), Scores):
        return f"{kind}; take the .scores of it"
    return f"{kind} of dictionaries; make a frame of it" if isinstance(given, list | tuple) else kind


@keywords
def convert(
    scores: "ScoresLike", path: str | Path, *, progress: Progress | None = None, **reading: Unpack[ReadingOptions]
) -> Scores:
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
    scores = as_scores(scores, human=True, **reading)
    table = LongTable(scores, format)
    if lost := lost_of(scores, text=format in FORMATS_OF_TEXT):
        warn(with_names("the table does not hold ", lost, ", without which it may rank otherwise", room=LONG))
    with replacing(Path(path)) as file, writing(file, format, compression, table.schema) as write:
        for rows in table.pieces(progress):
            write(rows)
    return scores
