"""Commands made of functions: no two options of a command share a flag or a name."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import click
import pytest

from podium.cli.app import app, command
from podium.cli.option.option import option


@dataclass(frozen=True)
class First:
    heading: ClassVar[str] = "First"

    size: Annotated[int, option("--size", "-s", meaning="Size.")] = 1


@dataclass(frozen=True)
class SameName:
    heading: ClassVar[str] = "Second"

    size: Annotated[int, option("--other-size", meaning="Size.")] = 2


@dataclass(frozen=True)
class SameFlag:
    heading: ClassVar[str] = "Second"

    sum: Annotated[bool, option("--sum/--size", meaning="Sum.")] = False


@dataclass(frozen=True)
class OwnHelp:
    heading: ClassVar[str] = "Second"

    hat: Annotated[bool, option("--hat", "-h", meaning="Hat.")] = False


@dataclass(frozen=True)
class Outer:
    heading: ClassVar[str] = "Third"

    inner: First
    top: Annotated[int, option("--top", meaning="Top.")] = 3


def test_an_option_may_be_declared_once_only() -> None:
    def names(*, first: First, second: SameName) -> None: ...

    def flags(*, first: First, second: SameFlag) -> None: ...

    def taken(*, second: OwnHelp) -> None: ...

    def nested(*, first: First, outer: Outer) -> None: ...

    for function, twice in ((names, "size"), (flags, "--size"), (taken, "-h"), (nested, "size")):
        with pytest.raises(ValueError, match=f"command '{function.__name__}' declares '{twice}' twice; rename one"):
            command(function)


def test_options_reach_the_dataclass_that_declares_them() -> None:
    made: list[Outer] = []

    def note(*, outer: Outer) -> None:
        made.append(outer)

    command(note).main(["-s", "5"], standalone_mode=False)
    assert made == [Outer(First(5), 3)]


def test_help_lists_what_every_command_says_first() -> None:
    context = click.Context(app)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    summaries = {name: made and made.get_short_help_str(100) for name, made in commands.items()}
    listed = app.get_help(context).partition("Commands:\n")[2].splitlines()[: len(summaries)]
    assert dict(line.split(maxsplit=1) for line in listed) == summaries
