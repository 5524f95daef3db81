"""The command `stress`."""

import podium
from podium.base.errors import MethodError
from podium.cli.app import METHOD, command, flag, option, split
from podium.cli.options import JOBS, OutputOptions, plot_option, seed_option
from podium.cli.rank import methods_option
from podium.cli.read import ReadOptions
from podium.ranking.method_spec import METHODS

#: Names of `podium.robustness.sweep.USUAL`, which help need not load.
USUAL = ("corrupt", "scale", "missing", "cells", "instances", "hard", "tasks", "systems", "clone")

_PICTURES = ("kept", "stability", "influence")

#: Headings of the tables; methods have columns of their own.
_HEADINGS = (
    *("stress", "strength", "kept", "kept under", "error under", "lost under", "what strength means"),
    *("without task", "without instance", "task", "lead", "tau", "first"),
    *("decisive", "which", "first without them", "smallest set"),
    *(f"{method}*" for method in METHODS),
)


@command
def stress(
    *,
    methods: list[str] | None = methods_option(),
    only: list[str] | None = option(
        METHOD, "NAMES", f"Stresses to try: {', '.join(USUAL)}. Default: all that fit the table."
    ),
    repeats: int | None = option(
        METHOD,
        "N",
        "Random repeats for every strength of a stress. Default: 200, or 10 where a table has over 5,000,000 cells.",
        min=1,
    ),
    leave_out: bool = flag(METHOD, "Also find the tasks and instances that decide.", default=True),
    keep: int = option(METHOD, "N", "How many of the most influential instances to name.", default=20, min=0),
    seed: int = seed_option(METHOD),
    read: ReadOptions,
    show: OutputOptions,
    plot: list[str] | None = plot_option(_PICTURES),
    jobs: int | None = JOBS,
) -> None:
    """Find out what would change the winner.

    \b
    podium stress scores.parquet -o stress/
    podium stress scores.csv --only missing,tasks --repeats 200 --seed 1 -f json
    podium stress scores.csv --methods mean,borda,kemeny -o robustness.csv

    Scores, tasks, instances and systems are removed, corrupted, rescaled or copied many times. Then every task and
    every instance is left out once. The verdict is about the winner of the first of the METHODS. A PATH without a
    suffix is a folder, too.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES, _HEADINGS, bare=True)
    if not leave_out and "influence" in dict(destination.pictures):
        raise MethodError("--plot influence shows what --leave-out finds; remove --plot influence or --no-leave-out")
    scores = read.load(destination)
    with show.bar("trying changes") as bar:
        result = podium.stress(
            scores,
            split(methods) or None,
            only=split(only) or None,
            repeats=repeats,
            leave_out=leave_out,
            keep=keep,
            rng=seed,
            n_jobs=jobs,
            progress=bar,
        )
    destination.deliver(result)
