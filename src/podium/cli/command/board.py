"""The commands about boards: board info, log, check, repair, compact."""

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
    """Show, check, repair or compact a board.

    \b
    podium board info board/
    podium board log board/
    podium board check board/
    podium board repair board/
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

    By what its files say of themselves, so it is quick however large the board is. podium info counts the scores.
    """  # noqa: D301
    from podium.board.upkeep import info  # noqa: PLC0415  # loaded by who looks at boards

    show.destination().deliver(info(place, as_of=when.as_of))


@board.enter
def log(*, place: Place, show: ShowOptions) -> None:
    """List the versions of a board, the newest first.

    \b
    podium board log board/
    podium board log s3://bucket/board --top 10

    What was added when, from where, and how many scores were new.
    """  # noqa: D301
    from podium.board.upkeep import log  # noqa: PLC0415  # loaded by who looks at boards

    show.destination().deliver(log(place))


@board.enter
def check(*, place: Place, show: ShowOptions) -> None:
    """Look whether a board is as it was written.

    \b
    podium board check board/

    Compares every file with its digest, those of old versions too, and looks for scores that are there twice. A board
    that is damaged ends with exit code 2.
    """  # noqa: D301
    from podium.board.upkeep import check  # noqa: PLC0415  # loaded by who looks at boards

    destination = show.destination()
    with show.bar("checking") as bar:
        found = check(place, progress=bar)
    destination.deliver(found)
    if not found.sound:
        raise BoardError(f"{place} is damaged; podium board repair {place} repairs it")


@board.enter
def repair(*, place: Place, show: OutputOptions) -> None:
    """Remove what is broken, in a new version, and say what is lost.

    \b
    podium board repair board/

    What is whole stays. The answer says which scores must be added again, and from where. Files that no version has are
    removed after an hour.
    """  # noqa: D301
    from podium.board.repair import repair  # noqa: PLC0415  # loaded by who looks at boards

    show.destination().deliver(repair(place))


@board.enter
def compact(*, place: Place, what: ForgetOptions, show: OutputOptions) -> None:
    """Write the newest version as one file.

    \b
    podium board compact board/
    podium board compact board/ --forget 2026-10-01

    Many small additions make reading slow, and one file makes it fast again. Earlier versions stay, unless --forget
    says from which version on they are kept.
    """  # noqa: D301
    from podium.board.upkeep import compact  # noqa: PLC0415  # loaded by who looks at boards

    destination = show.destination()
    with show.bar("writing") as bar:
        done = compact(place, forget=what.forget, progress=bar)
    destination.deliver(done)
