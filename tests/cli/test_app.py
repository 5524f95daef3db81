"""Commands made of functions."""

from dataclasses import dataclass
from typing import Any

import click

from podium.cli.app import OUTPUT, app, command, flag, option

SUMMED: Any = flag(OUTPUT, "Sum.", default=True)
NAMES: Any = option(OUTPUT, "X", "Names.")


@dataclass(frozen=True)
class Shared:
    size: int = option(OUTPUT, "N", "Size.", "-s", default=1)  # so an option is declared
    top_rows: int = option(OUTPUT, "N", "Rows.", default=3)  # the same


def test_options_reach_the_parameters_that_declare_them() -> None:
    made: list[object] = []

    def note(*, shared: Shared, summed: bool = SUMMED, names: list[str] | None = NAMES) -> None:
        made.extend((shared, summed, names))

    command(note).main(["-s", "5", "--no-summed", "--names", "a", "--names", "b"], standalone_mode=False)
    assert made == [Shared(5, 3), False, ["a", "b"]]


def test_help_lists_what_every_command_says_first() -> None:
    context = click.Context(app)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    summaries = {name: made and made.get_short_help_str(100) for name, made in commands.items()}
    listed = app.get_help(context).partition("Commands:\n")[2].splitlines()[: len(summaries)]
    assert dict(line.split(maxsplit=1) for line in listed) == summaries
