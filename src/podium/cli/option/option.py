"""What options are made of: how one is declared, how commands share them, and how a typed list is read."""

import copy
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, ClassVar, Protocol, get_type_hints

import typer

from podium.base.errors import LabelError

# Typer gives the common base of its usage errors no public name of its own.
UsageError: Any = typer.BadParameter.mro()[1]


class Options(Protocol):
    """A frozen dataclass whose fields are options, or further dataclasses of options.

    Attributes
    ----------
    heading
        What the options stand under in the help.
    """

    heading: ClassVar[str]


def option(*flags: str, metavar: str | None = None, meaning: str, heading: str | None = None, **more: Any) -> Any:
    """Option with its help; a field of `Options` needs no heading."""
    return typer.Option(*flags, metavar=metavar, help=meaning, rich_help_panel=heading, **more)


def choice(names: Sequence[str], *flags: str, meaning: str, heading: str | None = None) -> Any:
    """Option that takes one of some names, and completes them in the shell."""
    return option(*flags, metavar="|".join(names), meaning=meaning, heading=heading, autocompletion=offer(names))


def offer(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Complete the value of an option in the shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def takes(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of each parameter that is a dataclass of options, in the place of that parameter.

    Typer reads a command's signature, so that is what is put together here.
    """
    own = inspect.signature(command).parameters
    shared = {name: one.annotation for name, one in own.items() if is_dataclass(one.annotation)}

    @wraps(command)
    def run(**typed: Any) -> None:
        command(**{name: _made(shared[name], typed) if name in shared else typed[name] for name in own})

    parameters: list[inspect.Parameter] = []
    for name, one in own.items():
        parameters += _parameters(shared[name]) if name in shared else [one]
    signature = inspect.Signature(parameters)
    run.__signature__ = signature  # type: ignore[attr-defined]  # documented, though functions do not declare it
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__  # whose signature is another
    return run


def _parameters(kind: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint = hints[field.name]
        if is_dataclass(hint):
            yield from _parameters(hint)
            continue
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_under(kind.heading, hint)
        )


def _under(heading: str, hint: Any) -> Any:
    """Annotation of an option, with its heading."""
    declared = copy.copy(hint.__metadata__[0])
    declared.rich_help_panel = heading
    return Annotated[hint.__origin__, declared]


def _made(kind: Any, typed: dict[str, Any]) -> Any:
    hints = get_type_hints(kind)
    values = {
        field.name: _made(hints[field.name], typed) if is_dataclass(hints[field.name]) else typed[field.name]
        for field in fields(kind)
    }
    return kind(**values)


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
