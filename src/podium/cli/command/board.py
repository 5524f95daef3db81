"""The commands about boards: board info, log, check, compact."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import click

from podium.base.errors import BoardError
from podium.cli.app import ENDING, Group
from podium.cli.option.option import option
from podium.cli.option.output import OutputOptions, ShowOptions

Place = Annotated[str, option(metavar="BOARD", meaning="Folder or address (s3://…) of the board.")]


@dataclass(frozen=True, slots=True)
class AsOfOptions:
    """Which version is looked at."""

    heading: ClassVar[str] = "Input"

    as_of: Annotated[
        str | None, option("--as-of", metavar="WHEN", meaning="The version, by number, date or time (UTC).")
    ] = None


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """Which versions are forgotten."""

    heading: ClassVar[str] = "Input"

    forget: Annotated[
        str | None,
        option("--forget", metavar="WHEN", meaning="Remove what only versions before this one need. Default: nothing."),
    ] = None


@click.group(cls=Group, invoke_without_command=True, subcommand_metavar="COMMAND [ARGS]...", epilog=ENDING)
@click.pass_context
def board(context: click.Context) -> None:
    """Show, check or compact a board.

    \b
    podium board info board/
    podium board log board/
    podium board check board/
    podium board compact board/

    podium add makes a board and adds to it. All commands that read scores read boards, at any version with --as-of.
    """  # noqa: D301
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@board.enter
def info(*, place: Place, when: AsOfOptions, show: ShowOptions) -> None:
    """Say what a board holds, and which version that is.

    \b
    podium board info board/
    podium board info board/ --as-of 2026-10-01

    podium info also counts the scores of each system and task.
    """  # noqa: D301
    from podium.board.api import info  # noqa: PLC0415  # loaded by who looks at boards

    show.destination().deliver(info(place, as_of=when.as_of))


@board.enter
def log(*, place: Place, show: ShowOptions) -> None:
    """List the versions of a board, the newest first.

    \b
    podium board log board/
    podium board log s3://bucket/board --top 10

    What was added when, from where, and how many scores were new.
    """  # noqa: D301
    from podium.board.api import log  # noqa: PLC0415  # loaded by who looks at boards

    show.destination().deliver(log(place))


@board.enter
def check(*, place: Place, show: ShowOptions) -> None:
    """Look whether a board can be read.

    \b
    podium board check board/

    Reads all of the newest version once: its log, every file, every row. If something is wrong, a sentence says what,
    and the exit code is 2.
    """  # noqa: D301
    from podium.board.api import check  # noqa: PLC0415  # loaded by who looks at boards

    destination = show.destination()
    found = check(place)
    destination.deliver(found)
    if not found.sound:
        raise BoardError(found.sentence)


@board.enter
def compact(*, place: Place, what: ForgetOptions, show: OutputOptions) -> None:
    """Write the newest version as fewer files.

    \b
    podium board compact board/
    podium board compact board/ --forget 2026-10-01

    Many small additions make reading slow, and few large files make it fast again. Earlier versions stay, unless
    --forget says from which version on they are kept. Files of writers that were killed are removed after a week.
    """  # noqa: D301
    from podium.board.api import compact  # noqa: PLC0415  # loaded by who looks at boards

    show.destination().deliver(compact(place, forget=what.forget))
