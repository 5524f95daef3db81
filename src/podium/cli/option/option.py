"""What options are made of: how one is declared, and how what is typed is read."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from podium.base.errors import LabelError

#: Heading of the options that name columns.
COLUMNS = "Columns of the input, where they are not recognised"

#: Headings of the help of every command, in this order.
HEADINGS = (
    *("Input", "Tasks and systems", "Method", "Uncertainty", "Output"),
    COLUMNS,
    *("Weights of instances", "Limits"),
)


@dataclass(frozen=True, slots=True)
class Declared:
    """What help and shell say of an option, or of an argument, which has no flags; its type is that of its field."""

    flags: tuple[str, ...]
    meaning: str
    metavar: str | None
    heading: str | None
    min: float | None
    autocompletion: Callable[[str], list[str]] | None


def option(
    *flags: str,
    metavar: str | None = None,
    meaning: str,
    heading: str | None = None,
    min: float | None = None,  # noqa: A002  # the word for it
    autocompletion: Callable[[str], list[str]] | None = None,
) -> Any:
    """Declare an option; a field of a dataclass of options has the heading of that class."""
    return Declared(flags, meaning, metavar, heading, min, autocompletion)


def choice(names: Sequence[str], *flags: str, meaning: str, heading: str | None = None) -> Any:
    """Declare an option that takes one of some names, and completes them in the shell."""
    return option(*flags, metavar="|".join(names), meaning=meaning, heading=heading, autocompletion=offer(names))


def offer(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Complete the value of an option in the shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def check_choice(what: str, given: str | None, names: Iterable[str]) -> None:
    """Refuse a name that is not offered, and say which one may be meant.

    Raises
    ------
    LabelError
        There is no such name.
    """
    known = tuple(names)
    if given is not None and given not in known:
        raise LabelError.unknown(what, given, known)


def split(values: Iterable[str] | None) -> list[str]:
    r"""Take repeated and comma-separated values alike; `\,` is a comma inside a name.

    >>> split(["ter,latency", r"rte\,small"])
    ['ter', 'latency', 'rte,small']
    """
    parts = [part for value in values or () for part in re.split(r"(?<!\\),", value)]
    return [part.replace(r"\,", ",").strip() for part in parts if part.strip()]


def groups_from(values: Iterable[str] | None, what: str = "group") -> dict[str, list[str]]:
    """Read `NAME=GLOBS` texts of an option such as `--group`; the first `=` divides.

    Raises
    ------
    LabelError
        A text is not of that form, or a name is used twice.

    Examples
    --------
    >>> groups_from(["inference=*nli,rte"])
    {'inference': ['*nli', 'rte']}
    """
    groups: dict[str, list[str]] = {}
    for text in values or ():
        name, equals, globs = text.partition("=")
        if not (equals and name.strip() and split([globs])):
            raise LabelError(f"--{what} {text!r} is not of the form NAME=GLOBS, as in --{what} 'inference=*nli,rte'")
        if name.strip() in groups:
            raise LabelError(f"--{what} {name.strip()!r} is given twice; list all its tasks in one --{what}")
        groups[name.strip()] = split([globs])
    return groups
