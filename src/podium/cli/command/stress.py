"""The command `stress`."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

import podium
from podium.base.errors import MethodError
from podium.cli.app import command
from podium.cli.option.bootstrap import Seed
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodListOptions
from podium.cli.option.option import option, split
from podium.cli.option.output import Jobs, ShowFolderOptions, plot_option
from podium.ranking.method import METHODS

#: Names of `podium.robustness.stresses.NEEDS`, which help need not load.
USUAL = ("corrupt", "scale", "missing", "cells", "instances", "hard", "tasks", "systems", "clone")

_PICTURES = ("kept", "stability", "influence")

#: Headings of the tables; methods have columns of their own.
_HEADINGS = (
    *("stress", "strength", "kept", "kept under", "error under", "lost under", "what strength means"),
    *("without task", "without instance", "task", "lead", "tau", "first"),
    *("decisive", "which", "first without them", "smallest set"),
    *(f"{method}*" for method in METHODS),
)

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@dataclass(frozen=True, slots=True)
class StressOptions:
    """What is done to the table, and how often."""

    heading: ClassVar[str] = "Method"

    only: Annotated[
        list[str] | None,
        option(
            "--only", metavar="NAMES", meaning=f"Stresses to try: {', '.join(USUAL)}. Default: all that fit the table."
        ),
    ] = None
    repeats: Annotated[
        int | None,
        option(
            "--repeats",
            metavar="N",
            min=1,
            meaning=(
                "Random repeats for every strength of a stress. "
                "Default: 200, or 10 where a table has over 5,000,000 cells."
            ),
        ),
    ] = None
    leave_out: Annotated[
        bool, option("--leave-out/--no-leave-out", meaning="Also find the tasks and instances that decide.")
    ] = True
    keep: Annotated[
        int, option("--keep", metavar="N", min=0, meaning="How many of the most influential instances to name.")
    ] = 20
    seed: Seed = 0

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.stress` is told."""
        return {**asdict(self), "only": split(self.only) or None}


@command
def stress(
    *,
    methods: MethodListOptions,
    stresses: StressOptions,
    read: ReadOptions,
    show: ShowFolderOptions,
    plot: Plot = None,
    jobs: Jobs = None,
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
    destination = show.destination(plot, _PICTURES, _HEADINGS)
    if not stresses.leave_out and "influence" in dict(destination.pictures):
        raise MethodError("--plot influence shows what --leave-out finds; remove --plot influence or --no-leave-out")
    read.refuse_overwriting(destination)
    scores = read.scores(quiet=show.quiet)
    with show.bar("trying changes") as bar:
        result = podium.stress(scores, methods.names, **stresses.arguments, jobs=jobs, progress=bar)
    destination.deliver(result)
