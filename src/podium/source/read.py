"""Read scores from one or several files of any format and layout."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from podium.base.check import texts
from podium.base.errors import InputError, LabelError
from podium.base.parallel import Progress
from podium.score.table import Scores
from podium.score.task import covariates_named
from podium.source.file import SEVERAL
from podium.source.path import find_files, is_table, opened
from podium.source.recognise import NoSystemsError, ReadSpec
from podium.source.table import (
    FileColumns,
    LongOrWide,
    Runs,
    check_keywords,
    is_battles,
    is_board,
    is_of_hub,
    refuse_options,
)
from podium.store.place import place_of

if TYPE_CHECKING:
    from podium.source.table import SourceTable

#: Columns of tables of tools that a caller may name; and covariates, which any tool may have.
_OF_TOOLS = ("task_column", "slice_column", "cluster_column", "covariate_column")


def read(
    source: str | Path | Iterable[str | Path] | Mapping[str, Any],
    *,
    layout: LongOrWide | None = None,
    gold: str | Path | None = None,
    table: str | None = None,
    sheet: str | None = None,
    transpose: bool = False,
    format: str | None = None,  # noqa: A002  # the word people use
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
    statistic: str | None = None,
    keep_first: bool = False,
    tool: str | None = None,
    preset: str | None = None,
    metric: Iterable[str] | None = None,
    runs: Runs = "newest",
    as_of: int | str | date | None = None,
    name: str | None = None,
    strict: bool = False,
    progress: Progress | None = None,
    **columns: Unpack[FileColumns],
) -> Scores:
    r"""Read scores from one or several files, or from the results of another tool.

    podium reads CSV, TSV, JSON Lines, Parquet, Arrow and Feather files, and DuckDB databases; also spreadsheets, tables
    in Markdown and HTML, and records or objects in JSON and YAML. Files can be plain or compressed (.gz, .zst, .bz2,
    .xz). A table is long (one row per score) or wide (one row per system and instance, one column per task). Several
    files count as parts of one table. Titles and comments above the names of columns, and notes below the rows, are not
    read; names in two rows are joined, as in "QQP/f1".

    Columns of a wide table that hold no scores (text, dates, ranks, sizes, bounds), and tasks and systems that are
    averages of the others, are left out, and a note names them; see `tasks`.

    Folders that other tools wrote, such as lm-evaluation-harness, Inspect, HELM or MTEB, are recognised by what the
    files hold. Scores of instances count where there are any, else means; groups beside their tasks are left out.
    Directions are those that the files name, and `Scores.notes` says what was chosen.

    A table that `convert` wrote is read as what it was written from. So is a board, which `add` writes: systems and
    tasks are in the order of their names then. Any other Delta table is read as its Parquet files.

    A score is missing if it is null, NaN, empty, a dash, `NA`, `N/A`, `#N/A`, `<NA>`, `null`, `none` or `nan`, or if no
    row gives it. `true` and `false` count as 1 and 0. A score that is given twice with the same value counts once.
    In a column of text with numbers, signs such as `×` and words such as `OOM`, `timeout`, `failed` or `TBD` are
    missing, too. `84.3 ± 0.2`, `84.3 (0.2)`, `**84.3**`, `84.3†`, `84,3`, `1,234.5` and `91%` are numbers there, if all
    cells of the column agree. -1 is missing where all other scores of a task are 0 to 1, 1 to 10 or 0 to 100;
    `tasks="*"` keeps it.

    For weights of tasks and for a tie tolerance, see `Scores.with_task_weights`, `Scores.with_family_weights` and
    `Scores.with_tie_tolerance`.

    Parameters
    ----------
    source
        Path, glob such as `"runs/*.parquet"`, directory, `"-"` for standard input, address such as
        `"s3://bucket/scores/"` or `"https://…/scores.csv"`, or a list of these. Or sources by name, such as
        `{"before": "runs/old", "after": "runs/new"}`, which are read apart: each becomes a system of that name, or
        several ("before: model").
    layout
        "long" or "wide"; if None, the names of the columns decide.
    gold
        For a long table with predictions instead of scores: the right answers. They are another column, or a table
        file with a column of instances and a column of right answers ("gold", "label", "gold_label", "answer", "target"
        or "class"). If both tables have tasks, these must match too. A score is 1 if prediction and right answer are
        equal, else 0. Spaces at the ends do not count, upper and lower case differ, and numbers are compared as
        numbers. A prediction that is empty or a word for missing (as above) is a missing score, unless this word is a
        right answer somewhere. Rows without a right answer are left out. If no column names tasks, the only task is
        "accuracy".
    table, sheet
        Table of a database, sheet of a spreadsheet, number of a table in Markdown or HTML, or key of a JSON object;
        needed if several may hold scores. Both words mean the same.
    transpose
        Columns are systems and rows are tasks, named by `task_column`, by a column with a usual name, or by the first
        that holds text.
    format
        "csv", "tsv", "jsonl", "parquet", "feather", "duckdb", "excel", "markdown", "html" or "yaml"; needed if neither
        file name nor content shows it.
    tasks, systems
        Labels or globs to keep; `!glob` leaves out. In a wide table, columns of other tasks are not read. What a glob
        other than `*` asks for is kept, even if it is an average of others.
    lower, higher
        Tasks where lower, or higher, is better: labels or globs. By default what the files say counts, such as a column
        `higher_is_better`; then names beyond doubt, of tasks or of the column of scores, such as WER, RMSE or "loss ↓",
        of which a note tells; else higher.
    families
        Tasks of one data set, such as its splits, languages and metrics, which count as one where tasks are drawn or
        tested: labels or globs of tasks by the name of the family. False: none, not even those that podium knows from
        the files or guesses from names, see `podium.score.family.family_names`.
    statistic
        What the score of an instance is, if a column of repeats says that it was run several times: "mean" (default),
        "max", "min", and of scores that are 0 or 1 "majority", "pass@5" (or another number: the chance that one of so
        many repeats is right) and "pass^5" (that all are); see `podium.score.repeat.Statistic`. An instance weighs the
        same however many repeats it has. Without such a column, rows with the same labels are repeats.
    keep_first
        Of scores that contradict each other, keep the first, and note how many were left out; otherwise they are an
        error.
    tool
        Name of the tool that wrote the files, such as "lm-eval" or "inspect", to read only its files.
    preset
        Platform that exported the files: "langfuse", "braintrust", "langsmith", "mlflow", "mlflow-runs" or "wandb". It
        says which column is what.
    metric
        Of results of a tool: metrics to keep, as names or globs. Of several, each is a task, such as "rte/acc". By
        default the main metric of each task, else the first.
    runs
        Of several runs of a system on a task, as tools leave them behind: "newest", "all" as repeats, or "apart" as
        systems, named by their folders or by when they were made.
    as_of
        Of a board, the version to read: its number, a date such as "2026-10-01" (the end of that day, UTC), or a time.
        The last version that is not later counts; by default the newest.
    name
        Of the only system in tables without a column of systems, such as rows of an id and a score.
    strict
        Of sources by name: whether it is an error that questions, or ways to ask them, differ between sources.
    progress
        Called after each batch with the number of bytes read and the total number of bytes.
    columns
        Names of columns that podium does not recognise: `system_column`, `task_column`, `instance_column`,
        `score_column`, `metric_column`, and the following. Only long tables have columns of tasks, metrics, scores and
        weights.
        `human_column` holds labels by people, where a judge made the scores: as many as there are, empty elsewhere.
        Rankings and comparisons are then of the human scores, see `podium.score.prediction_powered`.
        `prompt_column` says by which prompt, such as a template or a language, a score was measured: rankings are then
        for other prompts, too, see `podium.score.crossed`. Repeats of a prompt become one score by the statistic.
        `system_column` may be several columns, such as `["name", "size"]`, which name a system together: "ViT:b".
        `task_column` may be several columns: with `["task", "split"]`, every split of a task is a task, such as
        "rte:test". A later column with one label for all rows is left out of the name.
        `weight_column` holds instance weights, which are the same for all systems.
        `cluster_column` says which instances go together, such as questions on one passage (by default "cluster"); an
        instance has one cluster for all systems. Clusters change no score. Every bootstrap draws them whole, in all
        tasks with the same cluster.
        `repeat_column` numbers several runs of an instance by a system, see `statistic`. By default it is "repeat", or
        a column such as "seed", "fold" or "trial_id" where that tells apart rows that else contradict each other.
        `family_column` of a long table says of each task which data set it belongs to, see `families`.
        `slice_column` of a long table divides each task: its instances of one label are a task, such as "rte:law", in
        the family of that label.
        `covariate_column` holds what was measured beside scores, such as cost: one or several columns or globs (by
        default "seconds", "cost", "input_tokens", "output_tokens", "calls", "parameters", "dimensions", "memory_mb" and
        "co2_kg"). They are numbers, change no ranking, and are in `Scores.covariates`.
        `prediction_column` holds predictions (by default "prediction", "pred", "predicted", "predicted_label", "answer"
        or "output"), see `gold`.

    Returns
    -------
    Scores
        Float32 if all columns of scores are float32, else float64. Systems and tasks are in order of first appearance,
        instances in order of their labels.

    Raises
    ------
    InputError
        The input cannot be read as scores; the message names file, line or row, and value. Or a task or a system may
        be an average of the others, and neither `tasks` nor `systems` says whether it counts.
    LabelError
        A column, table, task or system that was named does not exist; or a task is in two families.
    MissingExtraError
        The source is a database, a spreadsheet or YAML, but DuckDB, python-calamine or PyYAML is not installed.
    WeightError
        An instance weight is negative or not finite, or all instance weights of a task are zero.
    TypeError
        A keyword is neither an argument nor a role.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from podium.source.read import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("system,rte,sst2\nA,0.7,0.9\nB,0.6,NA\n")
    ...     read(path)
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    check_keywords(read, columns, FileColumns.__annotations__)
    spec = ReadSpec.of(
        layout, tasks, systems, statistic=statistic, columns=columns, lower=lower, higher=higher, keep_first=keep_first
    )
    of_tables: dict[str, Any] = {"format": format, "layout": layout, "gold": gold}
    of_tables |= {"table": sheet if table is None else table, "keep_first": keep_first, "transpose": transpose}
    of_tables |= columns
    if not isinstance(of_tables["gold"], str | Path | None):
        kind = type(gold).__name__
        raise InputError(f"gold is a {kind}; it must be a column or a path, or the predictions must be a frame, too")
    asked = _Asked(spec, of_tables, tool, preset, metric, runs, as_of, families, name, progress)
    if isinstance(source, Mapping) and all(isinstance(one, str | Path | list | tuple) for one in source.values()):
        from podium.source.named import joined, read_sources  # noqa: PLC0415  # most sources have no names

        return joined(read_sources(source, lambda one, own: _read(one, replace(asked, name=own))), strict=strict)
    return _read(source, asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the caller says of a source, see `read`; what is about tables in files alone is in `of_tables`."""

    spec: ReadSpec
    of_tables: Mapping[str, Any]
    tool: str | None
    preset: str | None
    metric: Iterable[str] | None
    runs: Runs
    as_of: int | str | date | None
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None
    name: str | None
    progress: Progress | None

    @property
    def speaking_for_tables(self) -> set[str]:
        """Return the options that are given and that results of tools, but for a few, do not have."""
        return {option for option, value in self.of_tables.items() if value and option != "keep_first"}


def _read(source: Any, asked: _Asked) -> Scores:
    """Read a board, results of a tool, or tables of scores."""
    if isinstance(source, Iterator) and not hasattr(source, "read"):
        source = list(source)
    if (place := place_of(source)) is not None:
        from podium.source.board import read_board  # noqa: PLC0415  # most files are tables

        others = {"tool": asked.tool, "preset": asked.preset, "metric": asked.metric, "covariate_column": None}
        options = {**asked.of_tables, **others}
        found = read_board(place, asked.spec, as_of=asked.as_of, options=options, progress=asked.progress)
        scores = found if isinstance(found, Scores) else _read_files(found, asked)
    elif asked.as_of is not None:
        raise InputError("as_of= (--as-of) is about a board, and this is none; leave it out")
    else:
        scores = _read_files(source, asked)
    return scores if asked.families is None else scores.with_families(asked.families)


def _read_files(source: Any, asked: _Asked) -> Scores:
    """Read results of a tool, or tables of scores.

    1. Results of a tool, unless names of files or options speak for tables. Only results of a tool have a metric.
    2. Tables.
    3. If these make no sense by themselves, results of one of the few tools that write tables: its reader knows more.
    """
    from podium.source.canonical import is_canonical_file  # noqa: PLC0415  # import Arrow only to read

    asked = _with_tool_of_preset(asked)
    named_as_tables = is_table(source) or is_canonical_file(source)
    of_tables = asked.speaking_for_tables - {"covariate_column"}  # which any tool may have
    speaks_for_tool = asked.metric is not None if named_as_tables else not of_tables
    if asked.tool is not None or speaks_for_tool:
        scores = _read_results(source, asked, tables_too=named_as_tables)
        if scores is not None:
            return scores
    if asked.speaking_for_tables - {"format", *_OF_TOOLS}:
        try:
            return _read_tables(source, asked, may_be_results=False)
        except (InputError, LabelError):
            _read_results(source, asked, tables_too=False)  # says that results of a tool do not have these options
            raise
    try:
        return _read_tables(source, asked, may_be_results=True)
    except InputError as error:
        no_tables = error
    scores = _read_results(source, asked, tables_too=True)
    if scores is None:
        raise no_tables
    return scores


def _with_tool_of_preset(asked: _Asked) -> _Asked:
    """Return what is asked, with the tool that reads what a platform exported, if a preset names it."""
    if asked.preset is None:
        return asked
    from podium.source.tool.preset import of_preset  # noqa: PLC0415  # most files are tables

    if asked.speaking_for_tables or asked.tool is not None:
        what = "preset= (--preset) says which column is what"
        raise InputError(f"{what}; leave out tool, layout, format, gold and columns")
    return replace(asked, tool=of_preset(asked.preset))


def _read_results(source: Any, asked: _Asked, *, tables_too: bool) -> Scores | None:
    """Read results of a tool, also those that are tables if `tables_too`; None if there are none."""
    from podium.source.logs import find_logs, read_logs  # noqa: PLC0415  # most files are tables

    named = {column: asked.of_tables.get(column) for column in _OF_TOOLS}
    columns = named if any(named.values()) else None
    if named["slice_column"] is not None:
        named["task_column"] = [*texts("task column", named["task_column"] or []), named["slice_column"]]
    logs = find_logs(source, asked.tool, of_tables=tables_too, columns=columns, progress=asked.progress)
    if logs is None:
        return None
    mine = _OF_TOOLS if all(unit.tool.columns for unit in logs.units) else _OF_TOOLS[3:]
    title = logs.units[0].tool.title if logs.units else "a tool"
    others = {option: value for option, value in asked.of_tables.items() if option not in mine}
    refuse_options(others, f"is about tables, but these files are results of {title}")
    scores = read_logs(logs, asked.spec, metric=asked.metric, runs=asked.runs)
    covariates_named(named["covariate_column"] or [], list(scores.covariates))  # which refuses what is not there
    return scores if named["slice_column"] is None else scores.with_families(families=False)


def _read_tables(source: Any, asked: _Asked, *, may_be_results: bool) -> Scores:
    """Read tables of scores, or of predictions; an error if they look like results of a tool and may be such."""
    of_tools = {"tool": asked.tool, "metric": asked.metric, "runs": asked.runs != "newest"}
    refuse_options(of_tools, "is about the results of a tool, but these files are read as tables")
    spec, of_tables, progress = asked.spec, asked.of_tables, asked.progress
    found, table = find_files(source, of_tables["format"]), of_tables["table"]
    if table is not None and all(file.format not in SEVERAL for file in found.files):
        what = f"table={table!r} (--table, --sheet) names one of several tables, but {found.files[0].name} holds one"
        raise InputError(f"{what}; leave it out")
    tables = [opened(file, table) for file in found.files]
    if may_be_results:
        _refuse_results(tables)
    return read_opened(tables, spec, of_tables, name=asked.name, progress=progress, notes=found.notes)


def read_opened(
    tables: "Sequence[SourceTable]",
    spec: ReadSpec,
    of_tables: Mapping[str, Any],
    *,
    name: str | None = None,
    progress: Progress | None = None,
    notes: Sequence[str] = (),
) -> Scores:
    """Read tables of scores, or of predictions if `of_tables` has "gold" or "prediction_column"; see `read`.

    Its "gold" may be a table, too. If it has "transpose", columns are systems.
    """
    from podium.source.collect import collect  # noqa: PLC0415  # import Arrow only to read

    if of_tables.get("transpose"):
        tables, spec = _transposed(tables, spec)
    notes = [*notes, *(note for one in tables for note in one.notes)]
    gold, prediction = of_tables.get("gold"), of_tables.get("prediction_column")
    if gold is not None or prediction is not None:
        from podium.source.grade import read_graded  # noqa: PLC0415  # only for predictions

        return read_graded(tables, spec, gold, prediction, progress=progress, notes=notes)
    try:
        return collect(tables, spec, progress=progress, notes=notes)
    except NoSystemsError:
        if name is None:
            raise
        from podium.source.columnar import OneSystem  # noqa: PLC0415  # import Arrow only to read

        return collect([OneSystem(one, name) for one in tables], spec, progress=progress, notes=notes)


def _transposed(tables: "Sequence[SourceTable]", spec: ReadSpec) -> "tuple[list[SourceTable], ReadSpec]":
    """Return tables whose columns are systems with systems as rows, and what is said of these."""
    from podium.source.delimited import transposed  # noqa: PLC0415  # import Arrow only to read

    if spec.layout == "long":
        what = "transpose= (--transpose) is about a wide table, whose columns are systems"
        raise InputError(f"{what}; leave it or layout= out")
    naming = [column for role, column in spec.columns.items() if role.startswith("task")]
    others = {role: column for role, column in spec.columns.items() if not role.startswith("task")}
    return [transposed(one, naming) for one in tables], replace(spec, layout="wide", columns=others)


def _refuse_results(tables: "Sequence[SourceTable]") -> None:
    """Refuse tables that tools write and that look like tables of scores; their readers may read them."""
    for table in tables:
        if is_board(table.names):
            what = f"{table.name} is a leaderboard of AlpacaEval, which is read from a file that ends in .csv"
            raise InputError(f"{what}; write it to one, or say layout='wide' (--layout wide) to read all its columns")
        if is_battles(table.columns):
            from podium.source.tool.battles import refuse_words  # noqa: PLC0415  # most files are tables

            refuse_words(table)
            raise InputError(f"{table.name} holds battles of two systems, which are read from a file; write it to one")
        if len(tables) > 1 and is_of_hub(table.names):
            raise InputError(f"{table.name} is a benchmark by itself, and others are beside it; read each from a file")
