"""The command about robustness: stress."""

from typing import Annotated

import typer

import podium
from podium.cli.app import ENDING, app
from podium.cli.input import Request, takes_input
from podium.cli.option import read as options
from podium.cli.output import Destination, Partial
from podium.cli.progress import Bar

Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Stresses, of corrupt, scale, missing, cells, instances, hard, tasks, systems, clone; all by default.",
    ),
]

Repeats = Annotated[
    int, typer.Option(metavar="N", min=1, help="How often chance is tried for every strength of every stress.")
]

Keep = Annotated[int, typer.Option(metavar="N", min=0, help="How many of the most influential instances to name.")]

LeaveOut = Annotated[
    bool, typer.Option("--leave-out/--no-leave-out", help="Look for the tasks and instances that decide.")
]


@app.command(epilog=ENDING)
@takes_input
def stress(
    *,
    methods: options.Methods = None,
    only: Only = None,
    request: Request,
    repeats: Repeats = 100,
    leave_out: LeaveOut = True,
    keep: Keep = 20,
    seed: options.Seed = 0,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Find out what would change the winner.

    Scores, results and instances go missing, tasks are dropped, corrupted or rescaled, systems dropped or copied, many
    times over; and every task and instance is left out once. A verdict in words comes first; it is about the winner by
    the first of the METHODS. A name without suffix after -o is a folder too; an interrupted run
    with -o goes on where it was.

    \b
    podium stress scores.parquet -o stress/
    podium stress scores.csv --only missing,tasks --repeats 200 --seed 1 -f json
    podium stress scores.csv --methods mean,borda,kemeny -o robustness.csv
    """  # noqa: D301
    ways = options.split(methods)
    if ways:
        options.check_ways(ways)
    destination = Destination.of(format, output, quiet=quiet, bare=True)
    partial = Partial.beside(destination.path)
    for path in (destination.path, partial.path):
        request.spare(path)
    scores = request.scores(quiet=quiet)
    partial.announce(destination)
    with partial.kept(destination), Bar("stressing", quiet=quiet) as bar:
        result = podium.stress(
            scores,
            ways or None,
            only=options.split(only) or None,
            repeats=repeats,
            seed=seed,
            leave_out=leave_out,
            keep=keep,
            jobs=jobs,
            checkpoint=partial.path,
            progress=bar,
        )
    destination.put(result)
    partial.remove()
