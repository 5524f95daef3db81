"""What is met first: the command without a subcommand, its help and its version."""

from typing import Annotated, Any

import typer

import podium

# Typer gives the common base of its usage errors no public name of its own.
UsageError: Any = typer.BadParameter.mro()[1]

#: Said below the help of every command.
ENDING = (
    "Exit codes: 0 done; 1 a bug in podium; 2 bad input, output or usage; 130 interrupted. Errors and "
    "warnings go to standard error. With PODIUM_DEBUG=1 a bug shows its traceback."
)

app = typer.Typer(
    epilog=ENDING,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


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
    """Rank systems from their scores on many tasks, with missing scores, ties and mixed scales.

    \b
    podium rank scores.csv                 # the leaderboard
    podium agree scores.csv                # does it depend on the method, and who moves
    podium plan scores.csv                 # how much more data would tell systems apart
    podium compare scores.parquet --control A --treatment B    # how much better, and on which tasks
    podium pool effects.csv                # pool effects that are known
    podium difficulty bias --test test.parquet -o difficulty.parquet    # which instances are hard
    podium stress scores.csv -o stress/    # what would change the winner
    podium info scores.csv                 # what is in the table, and what is missing
    podium rank dataset:xtreme-missing     # a built-in example
    """  # noqa: D301  # the control character keeps Typer from joining the lines
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
