"""Read scores from files, whatever their format, layout and number."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.errors import InputError
from podium.scores import Scores
from podium.sources.finishing import finish
from podium.sources.layout import Wishes
from podium.sources.paths import File, find_files

if TYPE_CHECKING:
    from podium.sources.tables import Table

__all__ = ["open_table", "read"]


def read(
    source: str | Path | Iterable[str | Path],
    *,
    layout: str | None = None,
    system: str | None = None,
    task: str | None = None,
    instance: str | None = None,
    score: str | None = None,
    metric: str | None = None,
    weight: str | None = None,
    prediction: str | None = None,
    gold: str | Path | None = None,
    table: str | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float = 0.0,
    progress: Callable[[int, int | None], None] | None = None,
) -> Scores:
    r"""Read scores from one or several files.

    CSV, TSV, JSON Lines, Parquet, Arrow and Feather files, and DuckDB databases; plain or compressed (.gz, .zst,
    .bz2, .xz). A table may be long, with one row per score, or wide, with one row per system (and instance) and one
    column per task. Several files are one table in pieces.

    A score is missing where it is null, NaN, empty, `-`, `NA`, `N/A`, `#N/A`, `<NA>`, `null`, `none` or `nan`, or
    where no row gives it. `true` and `false` count as 1 and 0. A score given twice counts once if both agree.

    Parameters
    ----------
    source
        Path, glob such as `"runs/*.parquet"`, directory, `"-"` for standard input, or a list of these.
    layout
        "long" or "wide"; None recognises it by the names of the columns.
    system, task, instance, score, metric, weight
        Column that plays this role, where its name does not say so. `weight` is an instance weight, which is the
        same for all systems; it, like task, metric and score, occurs in long tables only.
    prediction, gold
        Of a long table of predictions in place of scores: their column ("prediction", "pred", "predicted",
        "predicted_label", "answer" or "output", if it is not named), and what is right: another column, or a table
        file with columns of instances and of right answers ("gold", "label", "gold_label", "answer", "target" or
        "class"), and of tasks where both have one. A score is 1 where the two are equal, else 0. Spaces at the ends
        do not count, capitals do, and numbers are equal as numbers. A prediction that is missing, as a score would
        be, and is no right answer to anything, is a missing score; what has no right answer is left out. Where no
        column names tasks, the one task is "accuracy".
    table
        Table of a database; needed where there are several.
    format
        "csv", "tsv", "jsonl", "parquet", "feather" or "duckdb", where neither ending nor content tells.
    tasks, systems
        Those to keep: labels or globs, `!glob` excludes. In a wide table other columns are not even looked at.
    lower, higher
        Tasks that are better lower, or higher (the default): labels or globs.
    weights
        Task weights by label or glob; 1 where none is given.
    tie_tolerance
        Scores of an instance that differ by at most this, to rounding, are tied.
    progress
        Called after every batch with the bytes read and the bytes there are.

    Returns
    -------
    Scores
        Float64, or float32 if every column of scores is. Systems and tasks are in order of first appearance,
        instances in order of their labels.

    Raises
    ------
    InputError
        Something cannot be read as scores; the message names file, line or row, and value.
    LabelError
        A column, table, task or system was named that does not exist.
    MissingExtraError
        The source is a database and DuckDB is not installed.
    WeightError
        A weight is negative or not finite, or all are zero.

    Warns
    -----
    PodiumWarning
        A task sounds as if lower were better, and neither `lower` nor `higher` names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from podium.sources import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("system,rte,sst2\nA,0.7,0.9\nB,0.6,NA\n")
    ...     read(path)
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    found = find_files(source, format)
    if table is not None and all(file.format != "duckdb" for file in found.files):
        raise InputError(
            f"table={table!r} (--table) names a table of a DuckDB database, and {found.files[0].name} is none; leave "
            "it out"
        )
    from podium.sources.collecting import collect  # noqa: PLC0415  # Arrow is for when something is read

    columns = {"system": system, "task": task, "instance": instance, "score": score, "metric": metric, "weight": weight}
    wishes = Wishes.of(layout, tasks, **columns)
    tables = [_opened(file, table) for file in found.files]
    if gold is None and prediction is None:
        scores = collect(tables, wishes, progress=progress, notes=found.notes)
    else:
        scores = _graded(tables, wishes, gold, prediction, progress=progress, notes=found.notes)
    return finish(
        scores,
        systems=systems,
        lower=lower,
        higher=higher,
        weights=weights,
        tie_tolerance=tie_tolerance,
    )


def _graded(
    tables: "Sequence[Table]",
    wishes: Wishes,
    gold: str | Path | None,
    prediction: str | None,
    *,
    progress: Callable[[int, int | None], None] | None,
    notes: Sequence[str],
) -> Scores:
    """Read predictions as scores."""
    from podium.sources.collecting import collect  # noqa: PLC0415  # Arrow is for when something is read
    from podium.sources.grading import grade  # noqa: PLC0415  # only where there are predictions

    if gold is None:
        raise InputError(
            f"prediction={prediction!r} (--prediction) names predictions, and nothing says what is right; name the "
            "column or the file that does with gold= (--gold)"
        )
    grading = grade(tables, wishes, gold, prediction)
    scores = collect(grading.tables, grading.wishes, progress=progress, notes=notes)
    return replace(scores, notes=(*scores.notes, *grading.notes()))


def open_table(source: str | Path, format: str | None = None, table: str | None = None) -> "Table":  # noqa: A002
    """Open the one file that a source names, whatever its format.

    Raises
    ------
    InputError
        There is none, or several.
    """
    files = find_files(source, format).files
    if len(files) > 1:
        raise InputError(f"{source}: {len(files)} files, where one is expected; name it")
    return _opened(files[0], table)


def _opened(file: File, table: str | None) -> "Table":
    """Open a file with the reader of its format; each is imported only where it is needed."""
    reader = _READERS[file.format]()
    return reader(file, table) if file.format == "duckdb" else reader(file)  # type: ignore[no-any-return]


def _delimited() -> Any:
    from podium.sources.delimited import DelimitedTable  # noqa: PLC0415

    return DelimitedTable


def _jsonlines() -> Any:
    from podium.sources.jsonlines import JsonLinesTable  # noqa: PLC0415

    return JsonLinesTable


def _parquet() -> Any:
    from podium.sources.parquet import ParquetTable  # noqa: PLC0415

    return ParquetTable


def _feather() -> Any:
    from podium.sources.feather import FeatherTable  # noqa: PLC0415

    return FeatherTable


def _database() -> Any:
    from podium.sources.database import DuckTable  # noqa: PLC0415

    return DuckTable


_READERS = {
    "csv": _delimited,
    "tsv": _delimited,
    "jsonl": _jsonlines,
    "parquet": _parquet,
    "feather": _feather,
    "duckdb": _database,
}
