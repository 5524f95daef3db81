"""Files that tools wrote: found in folders, recognised by what they hold, and read as one table of scores."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from podium.base.check import texts
from podium.base.errors import InputError, nearest
from podium.base.parallel import Progress, cores, in_order, without_collection
from podium.base.words import LONG, Aside, beginning, ending, few, how_many, with_names
from podium.score.table import Scores
from podium.source.file import DOCUMENTS, by_ending, is_pointer
from podium.source.named import Origin
from podium.source.path import BOARDS_LEFT
from podium.source.recognise import Wishes
from podium.source.tool import TOOLS
from podium.source.tool.content import Content, reason
from podium.source.tool.preset import PRESETS
from podium.source.tool.run import Run, Tool, consistent
from podium.store.place import LOG

#: Endings of files that tools write; others are not opened.
_ENDINGS = frozenset(("", ".json", ".jsonl", ".eval", ".parquet", ".res", ".txt", ".yaml", ".yml", ".md"))

#: How files begin that only tools write: objects, and archives; what is wrong with a table is said where it is read.
_OWN = (b"{", b"PK\x03\x04")

#: What reading raises of values that are not of the kind that the tool writes.
_UNEXPECTED = (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError)

#: Columns of the table that are read; others are covariates.
_ROLES = ("system", "task", "instance", "repeat", "cluster", "weight", "score", "family")

#: Files, and bytes of them, that a process looks at or reads at once.
_AT_ONCE, _BYTES_AT_ONCE = 500, 2**23

#: Files, and bytes of them, from which on it pays to start processes.
_MANY, _MUCH = 6000, 2**27

#: Letters of the path of a file in a note about several.
_LONGEST = 40

_Item = TypeVar("_Item")

_Result = TypeVar("_Result")

#: Runs, and what is wrong with the files that they are of, if so.
_Read = tuple[tuple[Run, ...], str]


#: Hidden folders of programs, which never hold results; others are named where they are left out.
_OF_PROGRAMS = frozenset(
    (
        *(".git", ".hg", ".svn", ".github", ".venv", ".tox", ".nox", ".idea", ".vscode", ".cache", ".config", ".local"),
        *(".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".huggingface", ".Trash", ".npm"),
    )
)


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
    hidden, closed, left
        Folders that were left out: hidden ones, those that cannot be opened, and both.
    boards
        Folders with the log of a board or another Delta table, which is read by itself.
    loops, special
        Links that lead to themselves; pipes, sockets and devices, which may never end.
    """

    def __init__(self, inside: frozenset[str] = frozenset()) -> None:
        self.files: dict[str, int] = {}
        self.hidden: list[str] = []
        self.closed: list[str] = []
        self.boards: list[str] = []
        self.loops: list[str] = []
        self.special: list[str] = []
        self._inside = inside
        self._seen: set[tuple[int, int]] = set()

    @property
    def left(self) -> list[str]:
        """Folders that were left out."""
        return [*self.hidden, *self.closed]

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
            self.closed.append(folder)
            return
        if (known.st_dev, known.st_ino) in self._seen:
            return
        self._seen.add((known.st_dev, known.st_ino))
        if any(entry.name == LOG and entry.is_dir() for entry in entries):
            self.boards.append(folder)
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
                self.loops += [entry.path] if error.errno == errno.ELOOP else []
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
            self.special.append(entry.path)

    def _is_open(self, folder: "os.DirEntry[str]") -> bool:
        """Whether a folder is looked into."""
        if not folder.name.startswith(".") or folder.name in self._inside:
            return True
        self.hidden += [] if folder.name in _OF_PROGRAMS else [folder.path]
        return False


class Damaged(NamedTuple):
    """A file that cannot be read, or the first of several that are read together, and what is wrong."""

    file: str
    what: str

    @property
    def in_short(self) -> str:
        """What is wrong, without the folder of the file."""
        return self.what.replace(self.file, Path(self.file).name)


@dataclass(frozen=True, slots=True)
class Logs:
    """Files of tools.

    Attributes
    ----------
    units
        Files that are read together, with their tool, sorted by path.
    others
        Files that hold nothing that a tool wrote, or that podium reads.
    damaged
        Files that cannot be read.
    sizes
        Bytes of the files that were looked at.
    walk
        What was met in folders.
    """

    units: tuple[tuple[Tool, tuple[Content, ...]], ...]
    others: tuple[str, ...]
    damaged: tuple[Damaged, ...]
    sizes: Mapping[str, int]
    walk: Walk

    @property
    def files(self) -> int:
        """How many files are read."""
        return sum(len(contents) for _, contents in self.units)

    def read(self, progress: Progress | None = None, *, jobs: int | None = None) -> "ReadLogs":
        """Read them; files that are read one by one have been read where they were looked at, and parts are joined.

        Parameters
        ----------
        progress
            Called with the bytes that have been looked at and read, and their number in all.
        jobs
            Processes, which change no result; by default as many as pay.

        Raises
        ------
        InputError
            There is one unit, and it is damaged.
        """
        later = [number for number, (tool, _) in enumerate(self.units) if tool.unit is not None and tool.part is None]
        sizes = [sum(self.sizes[content.name] for content in contents) for _, contents in self.units]
        left, total = sum(sizes[number] for number in later), 2 * sum(self.sizes.values())
        meter = _Meter(progress, total, total - left)
        found = [
            (contents[0].part, "")
            if tool.unit is None
            else ((), "")
            if tool.part is None
            else _read_unit(tool, contents)
            for tool, contents in self.units
        ]
        batches = _batches(later, [sizes[number] for number in later])
        work = [[(self.units[number][0].name, self.units[number][1]) for number in batch] for batch in batches]
        files = sum(len(self.units[number][1]) for number in later)
        for batch, results in zip(batches, _worked(_read_units, work, files, left, jobs), strict=True):
            for number, read in zip(batch, results, strict=True):
                found[number] = read
            meter.add(sum(sizes[number] for number in batch))
        firsts = [contents[0].name for _, contents in self.units]
        damaged = [Damaged(first, wrong) for first, (_, wrong) in zip(firsts, found, strict=True) if wrong]
        if damaged and len(self.units) == 1 and not self.damaged:
            raise InputError(damaged[0].what)
        silent = tuple(first for first, read in zip(firsts, found, strict=True) if read == ((), ""))
        return ReadLogs(self, tuple(runs for runs, _ in found), silent, (*self.damaged, *damaged))


@dataclass(frozen=True, slots=True)
class ReadLogs:
    """What files of tools say.

    Attributes
    ----------
    logs
        The files.
    found
        What each unit of them says; nothing if it is damaged, or holds no scores.
    silent
        The first file of each unit that holds no scores.
    damaged
        Files and units that cannot be read, if others can.
    """

    logs: Logs
    found: tuple[tuple[Run, ...], ...]
    silent: tuple[str, ...]
    damaged: tuple[Damaged, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """What all units say."""
        return tuple(chain.from_iterable(self.found))

    def notes(self) -> Iterator[str]:
        """Say what was found."""
        units, others, walk = self.logs.units, self.logs.others, self.logs.walk
        for tool in dict.fromkeys(tool for tool, _ in units):
            files = sum(len(contents) for one, contents in units if one is tool)
            yield Aside(f"{how_many(files, 'file')} of {tool.title} read")
        if self.silent:
            yield _with_ends("left out, since they hold no scores: ", self.silent)
        if len(self.damaged) > 1:
            damaged = [one.file for one in self.damaged]
            yield _with_ends("left out, since they cannot be read (info --formats says why): ", damaged)
        elif self.damaged:
            yield beginning(f"left out, since it cannot be read: {self.damaged[0].in_short}", LONG)
        pointers = {path for path in others if (has_its_ending(path) or is_plain_table(path)) and is_pointer(path)}
        if pointers:
            yield f"left out: {how_many(len(pointers), 'pointer')} to files of Git LFS; fetch these with git lfs pull"
        tables = [path for path in others if is_plain_table(path) and path not in pointers]
        if tables:
            names = [Path(path).name for path in tables]
            yield _with_ends("tables beside results of tools are not read; name them apart: ", names)
        if count := len(others) - len(tables) - len(pointers):
            yield f"other files that hold no results: {count:,}"
        beside = {
            "folders that are hidden or closed are left out: ": walk.left,
            BOARDS_LEFT: walk.boards,
            "links that lead to themselves are left out: ": walk.loops,
            "pipes, sockets and devices are left out: ": walk.special,
        }
        yield from (_with_ends(what, paths) for what, paths in beside.items() if paths)


def _with_ends(what: str, paths: Sequence[str]) -> str:
    return with_names(what, [ending(path, _LONGEST) for path in paths], room=LONG)


def tools_named(name: str | None, columns: Mapping[str, Any] | None = None) -> Sequence[Tool]:
    """All tools, or that of a name; of these, if the caller names columns, those whose files have them.

    Raises
    ------
    InputError
        There is no such tool.
    """
    found = TOOLS if name is None else [tool for tool in (*TOOLS, *PRESETS) if tool.name == name]
    if not found:
        raise InputError(f"there is no tool {name!r}; {nearest(str(name), [tool.name for tool in TOOLS])}")
    return found if columns is None or name is not None else [tool for tool in found if tool.columns]


def has_its_ending(path: str) -> bool:
    """Whether the name of a file is one that a tool may give it.

    >>> has_its_ending("a/results.JSON"), has_its_ending("notes.odt")
    (True, False)
    """
    return os.path.splitext(path)[1].lower() in _ENDINGS  # noqa: PTH122  # a hundred thousand times


def is_plain_table(path: str) -> bool:
    """Whether a file that no tool wrote is a table by its name.

    >>> is_plain_table("scores.csv.gz"), is_plain_table("config.json"), is_plain_table("README.md")
    (True, False, False)
    """
    return by_ending(path)[0] not in {None, *DOCUMENTS} and not path.lower().endswith((".json", ".jsonl", ".txt"))


def find_logs(
    source: Any,
    tool: str | None = None,
    *,
    of_tables: bool = False,
    columns: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    jobs: int | None = None,
) -> Logs | None:
    """Find files that a tool wrote in a path, a pattern, a folder or a list of these; None if there are none.

    Files that are read one by one are read at once, so that each is opened and parsed only once.

    Parameters
    ----------
    source
        As `podium.read` takes it.
    tool
        Name of the tool, if its files alone are wanted.
    of_tables
        Whether to look at tables, too.
    columns
        Columns that the caller names; then only tools are looked for whose files have them.
    progress, jobs
        As `Logs.read` takes them.

    Raises
    ------
    InputError
        There is no such tool, it wrote none of the files, two tools may have written the same file, or the only file
        is damaged.
    """
    sources = [source] if isinstance(source, str | Path) else source
    if not isinstance(sources, list | tuple):
        tools_named(tool)
        return None
    logs = logs_in(sources, tool, of_tables=of_tables, columns=columns, progress=progress, jobs=jobs)
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
    if not logs.units and len(logs.damaged) == 1:
        raise InputError(logs.damaged[0].what)
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
    """Find the same, whatever there is; see `find_logs`.

    Raises
    ------
    InputError
        There is no such tool, or two tools may have written the same file.
    """
    tools = {one.name: one for one in tools_named(tool, columns)}
    walk = Walk(frozenset().union(*(one.folders for one in tools.values())))
    for one in sources:
        walk.add(one)
    everything = of_tables or tool is not None
    sizes = {path: size for path, size in walk.files.items() if everything or has_its_ending(path)}
    units: dict[tuple[str, str], list[Content]] = {}
    others = {path: None for path in walk.files if path not in sizes}
    damaged: list[Damaged] = []
    batches, size = _batches(list(sizes), list(sizes.values())), sum(sizes.values())
    meter, found = _Meter(progress, 2 * size), False
    work = [(batch, tool, columns) for batch in batches]
    with without_collection():
        for batch, identities in zip(batches, _worked(_identified, work, len(sizes), size, jobs), strict=True):
            for path, (name, unit, part, wrong) in zip(batch, identities, strict=True):
                if wrong:
                    damaged.append(Damaged(path, wrong))
                elif name is None:
                    others[path] = None
                else:
                    units.setdefault((name, unit), []).append(Content(path, part))
            # If there are tables alone, it is their reading that is shown.
            found = found or any(one.tool for one in identities)
            later = (path for path, one in zip(batch, identities, strict=True) if one.tool and one.part is None)
            meter.add(2 * sum(sizes[path] for path in batch) - sum(sizes[path] for path in later), tell=found)
    ordered = tuple((tools[name], tuple(units[name, unit])) for name, unit in sorted(units))
    return Logs(ordered, tuple(others), tuple(damaged), sizes, walk)


class _Identity(NamedTuple):
    """What a file is.

    Attributes
    ----------
    tool
        Name of the tool that wrote it; None for other files.
    unit
        Of files that are read together.
    part
        What it says: that which the tool joins with what others say, or runs if it reads files one by one; or None.
    wrong
        Why it cannot be read, if so.
    """

    tool: str | None
    unit: str = ""
    part: Any = None
    wrong: str = ""


def _identified(work: tuple[Sequence[str], str | None, Mapping[str, Any] | None]) -> list[_Identity]:
    """Look at files: paths, the name of the tool that is asked for, and columns that the caller names.

    Raises
    ------
    InputError
        Two tools may have written the same file.
    """
    paths, name, columns = work
    tools = tools_named(name, columns)
    known: dict[frozenset[str], Tool] = {}
    with without_collection():
        return [_identity(Content(path, asked=columns), tools, known) for path in paths]


def _identity(content: Content, tools: Sequence[Tool], known: dict[frozenset[str], Tool]) -> _Identity:
    try:
        tool, wrong = _writer(content, tools, known)
    except OSError as error:
        return _Identity(None, wrong=f"{content.name} cannot be read: {error.strerror}")
    if tool is None:
        is_object = content.head[:1] == b"{" and not isinstance(content.first_line, dict)
        return _Identity(None, wrong=wrong or (content.excess if is_object else ""))
    if tool.unit is None:
        runs, wrong = _read_unit(tool, [content])
        return _Identity(tool.name, content.name, runs, wrong)
    unit, part = tool.unit(content.name), tool.part
    if part is None:
        return _Identity(tool.name, unit)
    try:
        return _Identity(tool.name, unit, _guarded(lambda: part(content), tool, [content]))
    except InputError as error:
        return _Identity(tool.name, unit, wrong=str(error))


def _writer(content: Content, tools: Sequence[Tool], known: dict[frozenset[str], Tool]) -> tuple[Tool | None, str]:
    """The tool that wrote a file; if none did, what is wrong with a file that begins like one of a tool.

    Of files with the same keys, only the first is shown to all tools.

    Raises
    ------
    InputError
        There are two of them.
    """
    before = known.get(content.keys)
    if before is not None and _takers(content, [before])[0]:
        return before, ""
    found, wrong = _takers(content, tools)
    if len(found) > 1:
        names = " or ".join(tool.name for tool in found)
        raise InputError(f"{content.name} may be a file of {names}; say which with tool= (--tool)")
    if found and content.keys:
        known[content.keys] = found[0]
    return (found[0], "") if found else (None, wrong)


def _takers(content: Content, tools: Sequence[Tool]) -> tuple[list[Tool], str]:
    """Tools that take a file, and why one that knows its beginning cannot read it."""
    found, wrong = [], ""
    for tool in tools:
        try:
            found += [tool] if tool.takes(content) else []
        except InputError as error:
            begins = has_its_ending(content.name) and content.head.startswith(_OWN)
            wrong = wrong or (str(error) if begins and not isinstance(content.first_line, dict) else "")
        except _UNEXPECTED:
            continue
    return found, wrong


def _guarded(work: Callable[[], _Result], tool: Tool, contents: Sequence[Content]) -> _Result:
    """What files say; values of another kind than the tool writes are an error of the input.

    Raises
    ------
    InputError
        A file is damaged.
    """
    try:
        return work()
    except _UNEXPECTED as error:
        names = few([content.name for content in contents], 3)
        raise InputError(
            f"{names} looks like a file of {tool.title}, but holds something else than it writes: {reason(error)}"
        ) from error


def _read_units(units: Sequence[tuple[str, Sequence[Content]]]) -> list[_Read]:
    """Runs of each unit of files, with the name of its tool, and what is wrong with it, if so."""
    tools = {tool.name: tool for tool in (*TOOLS, *PRESETS)}
    return [_read_unit(tools[name], contents) for name, contents in units]


def _read_unit(tool: Tool, contents: Sequence[Content]) -> _Read:
    # What is read of the files of a unit is not kept.
    given = contents[0] if tool.unit is None else [Content(one.name, one.part) for one in contents]
    try:
        return _guarded(lambda: tuple(map(consistent, tool.read(given))), tool, contents), ""
    except InputError as error:
        return (), str(error)


def _batches(items: Sequence[_Item], sizes: Sequence[int]) -> list[list[_Item]]:
    """Items in batches of work that is worth sending to a process, and short enough to show how far it is."""
    batches: list[list[_Item]] = []
    filled = _BYTES_AT_ONCE
    for item, size in zip(items, sizes, strict=True):
        if filled >= _BYTES_AT_ONCE or len(batches[-1]) >= _AT_ONCE:
            batches.append([])
            filled = 0
        batches[-1].append(item)
        filled += size
    return batches


def _worked(
    work: Callable[[_Item], _Result], items: Sequence[_Item], files: int, size: int, jobs: int | None
) -> Iterator[_Result]:
    """Results of all items in order, from several processes if files or bytes are so many that it pays."""
    jobs = jobs or (cores() if files >= _MANY or size >= _MUCH else 1)
    return map(work, items) if jobs == 1 or len(items) < 2 else in_order(work, items, jobs)


class _Meter:
    """Tells how much is done, and how much is left."""

    def __init__(self, progress: Progress | None, total: int, done: int = 0) -> None:
        self._progress, self._total, self._done = progress, total, done

    def add(self, size: int, *, tell: bool = True) -> None:
        self._done += size
        if self._progress is not None and tell:
            self._progress(self._done, self._total)


def read_logs(
    logs: Logs,
    wishes: Wishes,
    *,
    metric: Iterable[str] | None = None,
    runs: str = "newest",
    progress: Progress | None = None,
) -> Scores:
    """Read files of tools as one table; see `podium.read`.

    Raises
    ------
    InputError
        A file is damaged, or the files contradict each other.
    LabelError
        No task has a metric that was named, or there is no such task or system.
    """
    from podium.source.choose_runs import as_table, choose_runs  # noqa: PLC0415
    from podium.source.collect import collect  # noqa: PLC0415  # import Arrow only to read
    from podium.source.format.columnar import ArrowTable  # noqa: PLC0415

    metrics = None if metric is None else texts("metric", metric)
    with without_collection():
        found = logs.read(progress)
        chosen = choose_runs(found.runs, metric=metrics, runs=runs, tasks=wishes.tasks)
    if not chosen.runs:
        what = few([*found.silent, *(one.what for one in found.damaged)], 3)
        raise InputError(f"no scores in {what}; have the runs ended?")
    table = as_table(chosen)
    roles = {name: name for name in table.column_names if name in _ROLES}
    beside = tuple(name for name in table.column_names if name not in _ROLES)
    scores = collect(
        [ArrowTable(how_many(logs.files, "file"), table)],
        replace(wishes, layout="long", columns=roles, covariates=beside, minus_one=True),
        directions=chosen.directions,
        notes=(*chosen.notes, *found.notes()),
    )
    return replace(scores, origin=Origin.of((tool.name for tool, _ in logs.units), chosen.runs))
