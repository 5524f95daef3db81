"""Which tool wrote a file, by what it holds, and what the file says by itself: work for many processes."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from podium.base.errors import InputError, nearest
from podium.base.parallel import without_collection
from podium.base.words import few
from podium.source.tool import TOOLS
from podium.source.tool.content import Content
from podium.source.tool.preset import PRESETS
from podium.source.tool.run import Run, Tool, consistent
from podium.source.tool.value import reason

_Said = TypeVar("_Said")

#: What reading raises of values that are not of the kind that the tool writes.
_UNEXPECTED = (AttributeError, IndexError, KeyError, OverflowError, RecursionError, TypeError, ValueError)

#: How files begin that only tools write: objects, and archives; what is wrong with a table is said where it is read.
_OWN = (b"{", b"PK\x03\x04")

#: Endings of files that tools write; others are not opened.
_ENDINGS = frozenset(("", ".json", ".jsonl", ".eval", ".parquet", ".res", ".txt", ".yaml", ".yml", ".md"))


def tools_named(name: str | None, columns: Mapping[str, Any] | None = None) -> Sequence[Tool]:
    """All tools, or that of a name; of these, where the caller names columns, those whose files have them.

    Raises
    ------
    InputError
        There is no such tool.
    """
    found = TOOLS if name is None else [tool for tool in (*TOOLS, *PRESETS) if tool.name == name]
    if not found:
        raise InputError(f"there is no tool {name!r}; {nearest(str(name), [tool.name for tool in TOOLS])}")
    if columns is None:
        return found
    return [tool.told(columns) if tool.told else tool for tool in found if tool.told or name is not None]


#: The name of a tool, and the columns that the caller names; None where nothing is said.
Asked = tuple[str | None, Mapping[str, Any] | None]


def has_its_ending(path: str) -> bool:
    """Whether the name of a file is one that a tool may give it.

    >>> has_its_ending("a/results.JSON"), has_its_ending("notes.odt")
    (True, False)
    """
    return os.path.splitext(path)[1].lower() in _ENDINGS  # noqa: PTH122  # a hundred thousand times


class Identity(NamedTuple):
    """What a file is.

    Attributes
    ----------
    tool
        Name of the tool that wrote it; None for other files.
    unit
        Of files that are read together.
    part
        What it says: that which the tool joins with what others say, or runs where it reads files one by one; or None.
    wrong
        Why it cannot be read, if so.
    """

    tool: str | None
    unit: str = ""
    part: Any = None
    wrong: str = ""


def identified(batch: tuple[Sequence[str], Asked]) -> list[Identity]:
    """Look at files of the tools that are asked for.

    Raises
    ------
    InputError
        Two tools may have written the same file.
    """
    paths, asked = batch
    tools = tools_named(*asked)
    known: dict[frozenset[str], Tool] = {}
    with without_collection():
        return [_identity(Content(path), tools, known) for path in paths]


def _identity(content: Content, tools: Sequence[Tool], known: dict[frozenset[str], Tool]) -> Identity:
    try:
        tool, wrong = _writer(content, tools, known)
    except OSError as error:
        return Identity(None, wrong=f"{content.name} cannot be read: {error.strerror}")
    if tool is None:
        is_object = content.head[:1] == b"{" and not isinstance(content.first_line, dict)
        return Identity(None, wrong=wrong or (content.excess if is_object else ""))
    unit = tool.unit(content.name)
    work = tool.part or (_alone(tool) if tool.unit is str else None)
    if work is None:
        return Identity(tool.name, unit)
    try:
        return Identity(tool.name, unit, _guarded(work, tool, content))
    except InputError as error:
        return Identity(tool.name, unit, wrong=str(error))


def _alone(tool: Tool) -> Callable[[Content], tuple[Run, ...]]:
    """Reads a file that is no part of a unit."""
    return lambda content: tuple(map(consistent, tool.read([content])))


def _guarded(work: Callable[[Any], _Said], tool: Tool, given: Content | Sequence[Content]) -> _Said:
    """What files say; values of another kind than the tool writes are an error of the input.

    Raises
    ------
    InputError
        A file is damaged.
    """
    try:
        return work(given)
    except _UNEXPECTED as error:
        contents = [given] if isinstance(given, Content) else given
        names = few([content.name for content in contents], 3)
        raise InputError(
            f"{names} looks like a file of {tool.title}, but holds something else than it writes: {reason(error)}"
        ) from error


def _writer(content: Content, tools: Sequence[Tool], known: dict[frozenset[str], Tool]) -> tuple[Tool | None, str]:
    """The tool that wrote a file; where none did, what is wrong with a file that begins like one of a tool.

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


#: Files that are read together: the tool, and the path of each with its part.
Unit = tuple[Tool, Sequence[tuple[str, Any]]]


def read_units(units: Sequence[Unit]) -> list[tuple[tuple[Run, ...], str]]:
    """Runs of each unit, and what is wrong with it, if so."""
    return [_read_unit(*unit) for unit in units]


def _read_unit(tool: Tool, files: Sequence[tuple[str, Any]]) -> tuple[tuple[Run, ...], str]:
    try:
        return _guarded(
            lambda given: tuple(map(consistent, tool.read(given))), tool, [Content(*file) for file in files]
        ), ""
    except InputError as error:
        return (), str(error)
