"""Files that tools wrote: found in folders, recognised by what they hold, and read as one table of scores."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from podium.base.check import is_one_of, texts
from podium.base.errors import InputError, LabelError, MethodError, nearest
from podium.base.parallel import Progress, cores, in_order, without_collection
from podium.base.words import LONG, Aside, beginning, ending, few, how_many, with_names
from podium.score.table import Scores
from podium.source.file import DOCUMENTS, by_ending, is_pointer, reason
from podium.source.named import EMPTY, Origin
from podium.source.path import BOARDS_LEFT
from podium.source.recognise import ReadSpec
from podium.source.tool import TOOLS
from podium.source.tool.content import Content
from podium.source.tool.preset import PRESETS
from podium.source.tool.run import Run, Tool
from podium.store.place import LOG

#: Endings of files that tools write; others are not opened.
_ENDINGS = frozenset(("", ".json", ".jsonl", ".eval", ".parquet", ".res", ".txt", ".yaml", ".yml", ".md"))

#: How files begin that only tools write: objects, and archives; what is wrong with a table is said where it is read.
_OWN = (b"{", b"PK\x03\x04")

#: What reading raises of what the caller asked for, and of values that are not of the kind that the tool writes.
_ASKED = (LabelError, MethodError)
_UNEXPECTED = (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError)
_UNREADABLE = (InputError, *_UNEXPECTED)

#: Columns of the table that are read; others are covariates.
_ROLES = ("system", "task", "instance", "repeat", "cluster", "weight", "score", "family")

#: Files, and bytes of them, that a process looks at or reads at once.
_AT_ONCE, _BYTES_AT_ONCE = 500, 2**23

#: Files, and bytes of them, from which on it pays to start processes.
_MANY, _MUCH = 6000, 2**27

#: Letters of the path of a file in a note about several.
_LONGEST = 40

#: Every tool by its name, with the readers of exports.
_BY_NAME = {tool.name: tool for tool in (*TOOLS, *PRESETS)}

#: Name of a tool, and the unit of its files; and these files, each with the part that was taken of it.
_Key = tuple[str, str]
_Files = list[tuple[str, Any]]

#: The tools that wrote files, by the keys of these.
_ByKeys = dict[frozenset[str], Tool]

_Item = TypeVar("_Item")

_Result = TypeVar("_Result")

#: Hidden folders of programs, which never hold results; others are named where they are left out.
_OF_PROGRAMS = frozenset(
    (
        *(".git", ".hg", ".svn", ".github", ".venv", ".tox", ".nox", ".idea", ".vscode", ".cache", ".config", ".local"),
        *(".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".huggingface", ".Trash", ".npm"),
    )
)


#: Why something in a folder is left out, and the beginning of a note on all of that.
LEFT = {
    "a folder that is hidden or closed": "folders that are hidden or closed are left out: ",
    "a board; podium board info shows it": BOARDS_LEFT,
    "a link that leads to itself": "links that lead to themselves are left out: ",
    "a pipe, a socket or a device": "pipes, sockets and devices are left out: ",
}
HIDDEN, BOARD, LOOP, ENDLESS = LEFT


class Walk:
    """The files of paths, patterns and folders, each with its size, sorted folder by folder.

    Parameters
    ----------
    inside
        Names of hidden folders that are looked into, with the hidden files in them.

    Attributes
    ----------
    files
        Path and size of each file.
    left
        What was left out, by the reason, see `LEFT`.
    """

    def __init__(self, inside: frozenset[str] = frozenset()) -> None:
        self.files: dict[str, int] = {}
        self.left: dict[str, list[str]] = {why: [] for why in LEFT}
        self._inside = inside
        self._seen: set[tuple[int, int]] = set()

    def add(self, source: Any) -> None:
        """Add all files of a source; none of what is no path."""
        if not isinstance(source, str | Path) or not str(source) or str(source) == "-":
            return
        path = Path(source).expanduser()
        if path.is_dir():
            links = list(self._add_folder(str(path)))
            # What is there by itself comes first, so that a link to it adds nothing.
            while links:
                links = [later for link in links for later in self._add_folder(link)]
        elif path.is_file():
            self.files.setdefault(str(path), path.stat().st_size)
        elif not path.exists() and has_magic(str(path)):
            for match in sorted(glob(str(path), recursive=True)):  # noqa: PTH207  # the pattern may be absolute
                self.add(match)

    def _add_folder(self, folder: str) -> Iterator[str]:
        """Add the files of a folder and those below, and yield links to other folders."""
        try:
            known = os.stat(folder)  # noqa: PTH116  # a folder may be one of a hundred thousand
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            self.left[HIDDEN].append(folder)
            return
        if (known.st_dev, known.st_ino) in self._seen:
            return
        self._seen.add((known.st_dev, known.st_ino))
        if any(entry.name == LOG and entry.is_dir() for entry in entries):
            self.left[BOARD].append(folder)
            return
        folders, all_of = [], os.path.basename(folder) in self._inside  # noqa: PTH119  # as above
        for entry in entries:
            try:
                if entry.is_dir():
                    folders += [entry] if self._is_open(entry) else []
                elif all_of or not entry.name.startswith("."):
                    self._add_file(entry)
            except OSError as error:
                # A link that leads nowhere is passed over.
                self.left[LOOP] += [entry.path] if error.errno == errno.ELOOP else []
        for entry in folders:
            if entry.is_symlink():
                yield entry.path
            else:
                yield from self._add_folder(entry.path)

    def _add_file(self, entry: "os.DirEntry[str]") -> None:
        found = entry.stat()
        if stat.S_ISREG(found.st_mode):
            self.files.setdefault(entry.path, found.st_size)
        else:
            self.left[ENDLESS].append(entry.path)

    def _is_open(self, folder: "os.DirEntry[str]") -> bool:
        """Return whether a folder is looked into."""
        if not folder.name.startswith(".") or folder.name in self._inside:
            return True
        self.left[HIDDEN] += [] if folder.name in _OF_PROGRAMS else [folder.path]
        return False


class Unit(NamedTuple):
    """Files that are read together, often a single one, and what they say; nothing if something is `wrong`."""

    tool: Tool
    files: tuple[str, ...]
    runs: tuple[Run, ...]
    wrong: str


@dataclass(frozen=True, slots=True)
class Logs:
    """Files of tools, and the runs in them.

    Attributes
    ----------
    units
        Files that are read together, sorted by tool and path.
    others
        Files that hold nothing that a tool wrote, or that podium reads.
    damaged
        Files that cannot be read, or the first of several that are read together, and what is wrong.
    sizes
        Bytes of the files that were looked at.
    walk
        What was met in folders.
    """

    units: tuple[Unit, ...]
    others: tuple[str, ...]
    damaged: Mapping[str, str]
    sizes: Mapping[str, int]
    walk: Walk

    @property
    def files(self) -> int:
        """Return how many files are read."""
        return sum(len(unit.files) for unit in self.units)

    @property
    def runs(self) -> tuple[Run, ...]:
        """Return the runs of all units."""
        return tuple(run for unit in self.units for run in unit.runs)

    @property
    def silent(self) -> tuple[str, ...]:
        """Return the first file of each unit that holds no scores."""
        return tuple(unit.files[0] for unit in self.units if not (unit.runs or unit.wrong))

    def notes(self) -> Iterator[str]:
        """Say what was found."""
        for tool in dict.fromkeys(unit.tool for unit in self.units):
            files = sum(len(unit.files) for unit in self.units if unit.tool is tool)
            yield Aside(f"{how_many(files, 'file')} of {tool.title} read")
        if self.silent:
            yield _with_ends("left out, since they hold no scores: ", self.silent)
        if empty := [path for path in self.others if self.sizes.get(path) == 0]:
            yield _with_ends(EMPTY, empty)
        if len(self.damaged) > 1:
            yield _with_ends("left out, since they cannot be read (info --formats says why): ", list(self.damaged))
        elif self.damaged:
            [(file, wrong)] = self.damaged.items()
            yield beginning(f"left out, since it cannot be read: {without_folder(wrong, file)}", LONG)
        pointers = {path for path in self.others if (has_its_ending(path) or is_plain_table(path)) and is_pointer(path)}
        if pointers:
            yield f"left out: {how_many(len(pointers), 'pointer')} to files of Git LFS; fetch these with git lfs pull"
        tables = [path for path in self.others if is_plain_table(path) and path not in pointers]
        if tables:
            names = [Path(path).name for path in tables]
            yield _with_ends("tables beside results of tools are not read; name them apart: ", names)
        if count := len(self.others) - len(tables) - len(pointers):
            yield f"other files that hold no results: {count:,}"
        yield from (_with_ends(LEFT[why], paths) for why, paths in self.walk.left.items() if paths)


def without_folder(text: str, file: str) -> str:
    """Call a file in a text by its name alone.

    >>> without_folder("runs/a.json is not JSON", "runs/a.json")
    'a.json is not JSON'
    """
    return text.replace(file, Path(file).name)


def _with_ends(what: str, paths: Sequence[str]) -> str:
    return with_names(what, [ending(path, _LONGEST) for path in paths], room=LONG)


def tools_named(name: str | None, columns: Mapping[str, Any] | None = None) -> Sequence[Tool]:
    """Return all tools, or that of a name; of these, if the caller names columns, those whose files have them.

    Raises
    ------
    InputError
        There is no such tool.
    """
    found = TOOLS if name is None else [_BY_NAME[name]] if is_one_of(name, _BY_NAME) else []
    if not found:
        raise InputError(f"there is no tool {name!r}; {nearest(str(name), [tool.name for tool in TOOLS], len(TOOLS))}")
    needed = columns is not None and any(columns[role] for role in columns if role != "covariate_column")
    return [tool for tool in found if tool.columns] if needed and name is None else found


def has_its_ending(path: str) -> bool:
    """Return whether the name of a file is one that a tool may give it.

    >>> has_its_ending("a/results.JSON"), has_its_ending("notes.odt")
    (True, False)
    """
    return os.path.splitext(path)[1].lower() in _ENDINGS  # noqa: PTH122  # a hundred thousand times


def is_plain_table(path: str) -> bool:
    """Return whether a file that no tool wrote is a table by its name.

    >>> is_plain_table("scores.csv.gz"), is_plain_table("config.json"), is_plain_table("README.md")
    (True, False, False)
    """
    return by_ending(path)[0] not in {None, *DOCUMENTS} and not path.lower().endswith((".json", ".jsonl", ".txt"))


def find_logs(source: Any, tool: str | None = None, **options: Any) -> Logs | None:
    """Read files that a tool wrote in a path, a pattern, a folder or a list of these; None if there are none.

    Parameters
    ----------
    source
        As `podium.read` takes it.
    tool, options
        As for `logs_in`.

    Raises
    ------
    InputError
        There is no such tool, it wrote none of the files, two tools may have written the same file, or all there is is
        damaged.
    """
    sources = [source] if isinstance(source, str | Path) else source
    if not isinstance(sources, list | tuple):
        tools_named(tool)
        return None
    logs = logs_in(sources, tool, **options)
    if not logs.units and not logs.damaged:
        if tool is not None:
            (wanted,) = tools_named(tool)
            option = "preset= (--preset)" if wanted in PRESETS else "tool= (--tool)"
            what = how_many(len(logs.others), "file")
            raise InputError(f"none of {what} was written by {wanted.title}; leave {option} out")
        return None
    named = {str(Path(one).expanduser()) for one in sources if isinstance(one, str | Path)}
    if unclaimed := [path for path in logs.others if path in named]:
        raise InputError(
            f"{few(unclaimed, 3)} was not written by a tool, and other files were; read them apart, or make one table"
        )
    if len(logs.damaged) == 1 and all(unit.wrong for unit in logs.units):
        raise InputError(next(iter(logs.damaged.values())))
    return logs


def logs_in(
    sources: Sequence[Any],
    tool: str | None = None,
    *,
    of_tables: bool = False,
    columns: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Logs:
    """Read files that tools wrote in paths, patterns and folders, if there are any.

    All files are looked at first, one by one, to see what they are. What can be read then is read then, so that most
    files are opened once. Files that make sense only with others are read at the end, unit by unit.

    Parameters
    ----------
    sources
        What is no path is passed over.
    tool
        Name of the tool, if its files alone are wanted.
    of_tables
        Whether to look at tables, too.
    columns
        Columns that the caller names; then only tools are looked for whose files have them.
    progress
        Called with the bytes that have been looked at and read, and their number in all.
    jobs
        Processes, which change no result; by default as many as pay.

    Raises
    ------
    InputError
        There is no such tool, or two tools may have written the same file.
    """
    walk = Walk(frozenset(chain.from_iterable(one.folders for one in tools_named(tool, columns))))
    for one in sources:
        walk.add(one)
    everything = of_tables or tool is not None
    sizes = {path: size for path, size in walk.files.items() if everything or has_its_ending(path)}
    looks: dict[str, _Look] = {}
    done, any_results = 0, False  # bytes; each file counts twice, once looked at, once read

    def add(size: int) -> None:
        nonlocal done
        done += size
        if progress is not None and any_results:  # who reads tables shows that
            progress(done, 2 * sum(sizes.values()))

    for paths, found in _in_batches(partial(_look_at_files, tool, columns), list(sizes), list(sizes.values()), jobs):
        looks |= zip(paths, found, strict=True)
        any_results = any_results or any(look.tool or look.wrong for look in found)
        add(sum(sizes[path] * (1 if look.again else 2) for path, look in zip(paths, found, strict=True)))
    units: list[Unit] = []
    waiting: dict[_Key, _Files] = {}
    for path, look in looks.items():
        if look.tool is not None and not look.wrong:
            its = _BY_NAME[look.tool]
            if its.mode == "alone":
                units.append(Unit(its, (path,), look.runs, ""))
            else:
                waiting.setdefault((its.name, its.unit(path)), []).append((path, look.part))
    for unit in _read_units(waiting, sizes, jobs):
        units.append(unit)
        add(sum(sizes[file] for file in unit.files) if unit.tool.mode == "together" else 0)
    units.sort(key=lambda unit: (unit.tool.name, unit.tool.unit(unit.files[0])))
    others = [path for path in walk.files if path not in looks]
    others += [path for path, look in looks.items() if look.tool is None and not look.wrong]
    damaged = {path: look.wrong for path, look in looks.items() if look.wrong}
    damaged |= {unit.files[0]: unit.wrong for unit in units if unit.wrong}
    return Logs(tuple(units), tuple(others), damaged, sizes, walk)


class _Look(NamedTuple):
    """A file as it was looked at: the name of its tool; what it says by itself, or what of it is read with others.

    Or whether it is opened again, with these; or what is wrong with it.
    """

    tool: str | None
    runs: tuple[Run, ...] = ()
    part: Any = None
    again: bool = False
    wrong: str = ""


def _look_at_files(name: str | None, columns: Mapping[str, Any] | None, paths: Sequence[str]) -> list[_Look]:
    """Look at files: see what they are, and take what is needed of them while they are open."""
    tools = tools_named(name, columns)
    known: _ByKeys = {}
    with without_collection():
        return [_look_at_file(Content(path, asked=columns), tools, known) for path in paths]


def _look_at_file(content: Content, tools: Sequence[Tool], known: _ByKeys) -> _Look:
    try:
        tool, wrong = _tool_that_wrote(content, tools, known)
    except OSError as error:
        return _Look(None, wrong=f"{content.name} cannot be read: {error.strerror}")
    if tool is None:
        is_object = content.head[:1] == b"{" and not isinstance(content.first_line, dict)
        return _Look(None, wrong=wrong or (content.excess if is_object else ""))
    try:
        runs = tool.runs(content) if tool.mode == "alone" else ()
        return _Look(tool.name, runs, tool.part and tool.part(content), tool.mode == "together")
    except _ASKED:
        raise
    except _UNREADABLE as error:
        return _Look(tool.name, wrong=_what_is_wrong(error, tool, [content.name]))


def _tool_that_wrote(content: Content, tools: Sequence[Tool], known: _ByKeys) -> tuple[Tool | None, str]:
    """Return the tool that wrote a file; if none did, what is wrong with a file that begins like one of a tool.

    Of files with the same keys, only the first is shown to all tools.
    """
    before = known.get(content.keys)
    if before is not None and _tools_that_recognise(content, [before])[0]:
        return before, ""
    found, wrong = _tools_that_recognise(content, tools)
    if len(found) > 1:
        names = " or ".join(tool.name for tool in found)
        raise InputError(f"{content.name} may be a file of {names}; say which with tool= (--tool)")
    if found and content.keys:
        known[content.keys] = found[0]
    return (found[0], "") if found else (None, wrong)


def _tools_that_recognise(content: Content, tools: Sequence[Tool]) -> tuple[list[Tool], str]:
    """Return tools that recognise a file, and why one that knows its beginning cannot read it."""
    found, wrong = [], ""
    for tool in tools:
        try:
            found += [tool] if tool.recognises(content) else []
        except InputError as error:
            begins = has_its_ending(content.name) and content.head.startswith(_OWN)
            wrong = wrong or (str(error) if begins and not isinstance(content.first_line, dict) else "")
        except _ASKED:
            raise
        except _UNEXPECTED:
            continue
    return found, wrong


def _what_is_wrong(error: Exception, tool: Tool, names: Sequence[str]) -> str:
    """Say what is wrong with files; so are values of another kind than the tool writes."""
    if isinstance(error, InputError):
        return str(error)
    what = f"looks like a file of {tool.title}, but holds something else than it writes"
    return f"{few(names, 3)} {what}: {reason(error)}"


def _read_units(waiting: Mapping[_Key, _Files], sizes: Mapping[str, int], jobs: int | None) -> Iterator[Unit]:
    """Read files unit by unit; parts that are held are joined in this process, since there may be very many."""
    opened = [(key, files) for key, files in waiting.items() if _BY_NAME[key[0]].mode == "together"]
    held = [(key, files) for key, files in waiting.items() if _BY_NAME[key[0]].mode == "in parts"]
    batches = _in_batches(_read_each, opened, [sum(sizes[path] for path, _ in files) for _, files in opened], jobs)
    for some, results in chain((([one], _read_each([one])) for one in held), batches):
        for ((name, _), files), (runs, wrong) in zip(some, results, strict=True):
            yield Unit(_BY_NAME[name], tuple(path for path, _ in files), runs, wrong)


def _read_each(units: Sequence[tuple[_Key, _Files]]) -> list[tuple[tuple[Run, ...], str]]:
    """Read some units; return the runs of each, and what is wrong with it."""
    found: list[tuple[tuple[Run, ...], str]] = []
    for (name, _), files in units:
        tool = _BY_NAME[name]
        try:
            found.append((tool.runs([Content(path, part) for path, part in files]), ""))
        except _ASKED:
            raise
        except _UNREADABLE as error:
            found.append(((), _what_is_wrong(error, tool, [path for path, _ in files])))
    return found


def _in_batches(
    work: Callable[[list[_Item]], _Result], items: Sequence[_Item], sizes: Sequence[int], jobs: int | None
) -> Iterator[tuple[list[_Item], _Result]]:
    """Work on items in batches, in order; in several processes if items or bytes are so many that it pays."""
    batches: list[list[_Item]] = []
    filled = _BYTES_AT_ONCE
    for item, size in zip(items, sizes, strict=True):
        if filled >= _BYTES_AT_ONCE or len(batches[-1]) >= _AT_ONCE:
            batches.append([])
            filled = 0
        batches[-1].append(item)
        filled += size
    jobs = jobs or (cores() if len(items) >= _MANY or sum(sizes) >= _MUCH else 1)
    with without_collection():
        results = map(work, batches) if jobs == 1 or len(batches) < 2 else in_order(work, batches, jobs)
        yield from zip(batches, results, strict=True)


def read_logs(logs: Logs, spec: ReadSpec, *, metric: Iterable[str] | None = None, runs: str = "newest") -> Scores:
    """Make one table of what tools wrote; see `podium.read`.

    Raises
    ------
    InputError
        A file is damaged, or the files contradict each other.
    LabelError
        No task has a metric that was named, or there is no such task or system.
    """
    from podium.source.choose_runs import choose_runs  # noqa: PLC0415  # import Arrow only to read
    from podium.source.collect import collect  # noqa: PLC0415  # import Arrow only to read
    from podium.source.columnar import ArrowTable  # noqa: PLC0415
    from podium.source.run_table import as_table  # noqa: PLC0415

    metrics = None if metric is None else texts("metric", metric)
    with without_collection():
        chosen = choose_runs(logs.runs, metric=metrics, runs=runs, tasks=spec.tasks)
    if not chosen.runs:
        what = few([*logs.silent, *logs.damaged.values()], 3)
        raise InputError(f"no scores in {what}; have the runs ended?")
    table = as_table(chosen)
    roles = {name: name for name in table.column_names if name in _ROLES}
    beside = tuple(name for name in table.column_names if name not in _ROLES)
    spec = replace(spec, layout="long", columns=roles, covariates=beside, minus_one=True)
    source, notes = ArrowTable(how_many(logs.files, "file"), table), (*chosen.notes, *logs.notes())
    try:
        scores = collect([source], spec, directions=chosen.directions, notes=notes)
    except InputError as error:
        titles = list(dict.fromkeys(unit.tool.title for unit in logs.units if unit.runs))
        if len(titles) < 2:
            raise
        what = (
            f"the files are of {how_many(len(titles), 'tool')}: {few(titles, 3)}; name the folder of one, or one tool"
        )
        raise InputError(f"{what} with tool= (--tool). As one table they make no sense: {error}") from None
    scored_by = {run.scored_by for listed in chosen.runs.values() for run in listed}
    origin = Origin.of((unit.tool.name for unit in logs.units), chosen.runs)
    return replace(scores, origin=origin, metric=scored_by.pop() if len(scored_by) == 1 else "")
