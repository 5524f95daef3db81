"""Which results are in files: the tools that wrote them, how podium reads them, and what it leaves out."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from podium.base.errors import InputError, PodiumError
from podium.base.parallel import Progress
from podium.base.words import DASH, few, how_many
from podium.report.result import Result
from podium.report.view import Column, Table, View
from podium.source.file import FORMATS, by_ending
from podium.source.logs import Logs, find_logs, is_plain_table, logs_in, without_folder
from podium.source.path import find_files, opened
from podium.source.recognise import ReadSpec, recognise
from podium.source.tool.run import Run, Tool
from podium.store.place import place_of


@dataclass(frozen=True, slots=True)
class Finding:
    """The results of one tool, or one table.

    Attributes
    ----------
    name
        Name of the tool, as after `--tool`; or the file of the table.
    title
        Title of the tool, or the format of the table.
    files
        How many files are read.
    runs
        How many times a system was run on a task; None for a table.
    systems, tasks
        How many there are; None for a table.
    read_as
        "instances" or "means", or both; for a table "long" or "wide".
    holds
        Metrics, the main ones first; for a table its columns.
    """

    name: str
    title: str
    files: int
    runs: int | None
    systems: int | None
    tasks: int | None
    read_as: tuple[str, ...]
    holds: tuple[str, ...]

    @property
    def is_table(self) -> bool:
        """Return whether it is a table."""
        return self.runs is None

    def as_row(self) -> dict[str, Any]:
        """Return the fields as plain values; lists as text."""
        lists = {"read_as": " and ".join(self.read_as), "holds": ", ".join(self.holds)}
        return {**asdict(self), **lists}


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Files that are not read.

    Attributes
    ----------
    name
        Their name, or their ending where they have many.
    files
        How many there are.
    why
        Why they are left out.
    """

    name: str
    files: int
    why: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Findings(Result):
    """The answer of `find_results`.

    Attributes
    ----------
    found
        Tools and tables.
    left_out
        What is not read, and why.
    notes
        What is true of more than a file.

    Examples
    --------
    >>> Findings((Finding("mteb", "MTEB", 2, 2, 1, 2, ("means",), ("main_score",)),), ())
    Findings(2 files of 1 tool, 0 files left out)
    • MTEB: 1 system on 2 tasks, read by means
    found  files  systems  tasks  runs  read as  holds
    MTEB       2        1      2     2  means    main_score
    """

    schema: ClassVar[str] = "findings"
    _row_key: ClassVar[str] = "found"

    found: tuple[Finding, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Return how many files are read, and how many are left out, in words."""
        tools = [one for one in self.found if not one.is_table]
        tables = len(self.found) - len(tools)
        files = how_many(sum(one.files for one in tools), "file")
        said = [f"{files} of {how_many(len(tools), 'tool')}"] if tools else []
        said += [how_many(tables, "table")] if tables else []
        left = sum(one.files for one in self.left_out)
        return f"{' and '.join(said) or 'no results'}, {how_many(left, 'file')} left out"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every tool and table, with its fields."""
        return [one.as_row() for one in self.found]

    def view(self) -> View:
        """Return what it looks like: title, tables and notes."""
        tables = [_found(self.found)] if self.found else []
        tables += [_left_out(self.left_out)] if self.left_out else []
        return View(self.title, tuple(tables), self.notes, tuple(self._sentences()), explain=_READING)

    def _sentences(self) -> Iterator[str]:
        """Say what can be read: a sentence for each tool, and one for tables."""
        for one in self.found:
            if one.systems is not None and one.tasks is not None:
                size = f"{how_many(one.systems, 'system')} on {how_many(one.tasks, 'task')}"
                yield f"{one.title}: {size}, read by {' and '.join(one.read_as)}"
        if tables := sum(one.is_table for one in self.found):
            yield f"{how_many(tables, 'table')} can be read"
        if not self.found:
            yield "nothing here can be read"

    def _content(self) -> dict[str, Any]:
        """Return what was found, and what was left out."""
        return {"found": self.rows(), "left_out": [asdict(one) for one in self.left_out]}

    @property
    def _beyond_rows(self) -> str:  # type: ignore[override]  # it depends
        left = sum(one.files for one in self.left_out)
        return f"{how_many(left, 'file')} left out; -f json says which and why" if left else ""


def find_results(
    source: str | Path | Iterable[str | Path], *, tool: str | None = None, progress: Progress | None = None
) -> Findings:
    r"""Say which tools wrote the files of a folder, how `read` takes them, and what it leaves out.

    Tables are described where no tool wrote anything; beside results of tools they are left out.

    Parameters
    ----------
    source
        Path, pattern, folder, or a list of these, as `read` takes them.
    tool
        Name of the tool, if its files alone are wanted.
    progress
        Called with the bytes that have been looked at and read, and their number in all.

    Raises
    ------
    InputError
        There is no such tool, there are no files, or two tools may have written the same file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "scores.csv").write_text("system,rte,sst2\nA,0.7,0.9\n")
    ...     find_results(folder)
    Findings(1 table, 0 files left out)
    • 1 table can be read
    found             files  systems  tasks  runs  read as  holds
    scores.csv (csv)      1        –      –     –  wide     system, rte, sst2
    """
    sources = [source] if isinstance(source, str | Path) else list(source)
    if (place := place_of(sources)) is not None:
        raise InputError(
            f"{place.name} is a board or another Delta table; podium board info {place.name} shows a board"
        )
    logs = _looked(sources, tool, progress)
    root = _root(sources)
    found = [_of_tool(tool, logs) for tool in dict.fromkeys(unit.tool for unit in logs.units)]
    left = [LeftOut(_short(file, root), 1, without_folder(why, file)) for file, why in logs.damaged.items()]
    left += [LeftOut(_short(file, root), 1, "holds no scores; has the run ended?") for file in logs.silent]
    if found or left:
        left += _others(logs, root)
    else:
        described = [_of_table(path, root) for path in logs.others]
        found += [one for one in described if isinstance(one, Finding)]
        left += [one for one in described if isinstance(one, LeftOut)]
    left += [LeftOut(_short(path, root), 0, why) for why, paths in logs.walk.left.items() for path in paths]
    return Findings(tuple(found), tuple(left))


def _looked(sources: Sequence[str | Path], tool: str | None, progress: Progress | None) -> Logs:
    """Find files of tools; tables are among them where they make no sense by themselves.

    Raises
    ------
    InputError
        There are no files.
    """
    if tool is not None and (logs := find_logs(sources, tool, progress=progress)) is not None:
        return logs
    logs = logs_in(sources, progress=progress)
    if logs.units or logs.damaged:
        return logs
    if not logs.others:
        find_files([str(one) for one in sources])  # which says what is wrong with the names
        raise InputError("there are no files to look at; name a folder, or a file")
    odd = [path for path in logs.others if isinstance(_of_table(path, ""), LeftOut)]
    again = logs_in([path for path in odd if by_ending(path)[0] in FORMATS], of_tables=True, progress=progress)
    if not again.units:
        return logs
    return replace(again, others=tuple(path for path in logs.others if path not in again.sizes) + again.others)


def _of_tool(tool: Tool, logs: Logs) -> Finding:
    """Describe the results of one tool."""
    units = [unit for unit in logs.units if unit.tool is tool]
    runs = list(chain.from_iterable(unit.runs for unit in units))
    cells = {(run.system, run.task, run.metric) for run in runs}
    sampled = {(run.system, run.task, run.metric) for run in runs if run.samples is not None}
    read_as = [*(["instances"] if sampled else []), *(["means"] if cells - sampled else [])]
    return Finding(
        name=tool.name,
        title=tool.title,
        files=sum(len(unit.files) for unit in units),
        runs=len({(run.system, run.task, run.made or str(Path(run.where).parent)) for run in runs}),
        systems=len({run.system for run in runs}),
        tasks=len({run.task for run in runs}),
        read_as=tuple(read_as),
        holds=tuple(_metrics(runs)),
    )


def _metrics(runs: Iterable[Run]) -> list[str]:
    """Return metrics, those that stand first in most tasks first."""
    first: dict[str, int] = {}
    for run in runs:
        first[run.metric] = min(run.metric_order, first.get(run.metric, run.metric_order))
    return sorted(first, key=lambda metric: (first[metric], metric))


def _of_table(path: str, root: str) -> Finding | LeftOut:
    """Describe a table by its layout and its columns; or say why it is none."""
    name, format = _short(path, root), by_ending(path)[0]  # noqa: A001  # the word people use
    if format is None:
        return LeftOut(name, 1, "podium reads no such files")
    try:
        table = opened(find_files(path).files[0], None)
        layout = recognise(name, table.columns, ReadSpec.of())
    except PodiumError as error:
        return LeftOut(name, 1, f"no table of scores: {str(error).replace(path, name).removeprefix(f'{name} ')}")
    return Finding(name, format, 1, None, None, None, ("long" if layout.long else "wide",), tuple(table.names))


def _others(logs: Logs, root: str) -> Iterator[LeftOut]:
    """Count files beside results of tools, by name where several folders have one, else by ending."""
    beside = {os.path.dirname(file): unit.tool.title for unit in logs.units for file in unit.files}  # noqa: PTH120  # a hundred thousand times
    names = Counter(Path(path).name for path in logs.others)
    endings = Counter(Path(path).suffix for path in logs.others)
    groups: dict[tuple[str, str], list[str]] = {}
    for path in logs.others:
        known = Path(path)
        of_tool = next((beside[str(folder)] for folder in known.parents if str(folder) in beside), "")
        if is_plain_table(path):
            why = "a table beside results of tools; read it apart"
        elif of_tool:
            why = f"no results, beside files of {of_tool}"
        else:
            why = "no results of a tool" if path in logs.sizes else "not looked at, by its ending"
        alone = names[known.name] == 1
        rare = alone and endings[known.suffix] == 1 and path not in logs.sizes
        name = known.name if not alone else "*" if rare else f"*{known.suffix}"
        groups.setdefault((name, why), []).append(path)
    for (name, why), paths in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        yield LeftOut(_short(paths[0], root) if len(paths) == 1 else name, len(paths), why)


def _root(sources: Sequence[str | Path]) -> str:
    """Return the folder that names are shown in, where there is one."""
    folder = Path(sources[0]).expanduser() if len(sources) == 1 else None
    return str(folder) if folder is not None and folder.is_dir() else ""


def _short(path: str, root: str) -> str:
    return os.path.relpath(path, root) if root else path


#: Metrics, or columns, that are shown.
_SHOWN = 5

#: How to read the tables.
_READING = (
    "runs: how many times a system was run on a task.",
    "read as: by scores of instances, or by means where a file has no others; of a table, its layout.",
    "holds: metrics, the main one first (--metric chooses others); of a table, its columns.",
)


def _found(rows: Sequence[Finding]) -> Table:
    def counts(name: str, priority: int) -> Column:
        numbers = [getattr(one, name) for one in rows]
        return Column.numbers(name, [DASH if number is None else f"{number:,}" for number in numbers], priority)

    columns = (
        Column.labels("found", [f"{one.name} ({one.title})" if one.is_table else one.title for one in rows]),
        counts("files", 2),
        counts("systems", 2),
        counts("tasks", 2),
        counts("runs", 1),
        Column.words("read as", [" and ".join(one.read_as) for one in rows], 1),
        Column.words("holds", [few(one.holds, _SHOWN) for one in rows]),
    )
    return Table(columns, "found")


def _left_out(rows: Sequence[LeftOut]) -> Table:
    columns = (
        Column.labels("left out", [one.name for one in rows]),
        Column.numbers("files", [f"{one.files:,}" for one in rows]),
        Column.words("why", [one.why for one in rows]),
    )
    return Table(columns, "left out")
