"""What is met first: the command without a subcommand, its help and its version."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

import podium
from podium.cli.option.option import takes

#: Said below the help of every command.
ENDING = (
    "Exit codes: 0 done; 1 a bug in podium; 2 bad input, output or usage; 130 interrupted. "
    "Errors and warnings go to standard error; PODIUM_DEBUG=1 shows the traceback of a bug."
)


#: Width of the options in the help, the same under every heading; longer ones have a line of their own.
_WIDTH = 26


class _Grouped(TyperCommand):
    """A command whose help has its options under headings, in the order in which they are declared."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments first, then each heading with its options; what has none stands with the last."""
        arguments, sections = [], dict[str, list[tuple[str, str]]]()
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append((str(parameter.metavar), record[1]))
                continue
            heading = getattr(parameter, "rich_help_panel", None) or next(reversed(sections), "Options")
            sections.setdefault(heading, []).append(record)
        for heading, rows in (({"Arguments": arguments} if arguments else {}) | sections).items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(_WIDTH), text) for name, text in rows], col_max=_WIDTH)


app = typer.Typer(
    epilog=ENDING,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def enter(face: typer.Typer = app) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enter a function as a command, with the options of the dataclasses that it takes."""

    def entered(command: Callable[..., None]) -> Callable[..., None]:
        return face.command(epilog=ENDING, cls=_Grouped)(takes(command))

    return entered


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"podium {podium.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def face(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # its callback acts on it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Rank systems from their scores on many tasks.

    \b
    podium rank scores.csv                 # the leaderboard
    podium pairwise scores.csv             # who beats whom
    podium agree scores.csv                # does the method matter?
    podium plan scores.csv                 # how much more data is needed?
    podium info scores.csv                 # what is in the table?
    podium compare scores.parquet --control A --treatment B    # how much better?
    podium pool effects.csv                # one summary of known effects
    podium difficulty irt scores.parquet -o difficulty.parquet # which instances are hard?
    podium customize scores.parquet --difficulty difficulty.parquet
    podium stress scores.csv -o stress/    # what would change the winner?
    podium rank dataset:xtreme-missing     # a built-in example

    Scores may be missing, tied, and on different scales.
    """  # noqa: D301  # the control character keeps Typer from joining the lines
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
