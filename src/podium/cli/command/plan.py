"""The command `plan`."""

from typing import Annotated

import podium
from podium.cli.app import command
from podium.cli.option.bootstrap import PowerOptions
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.output import ShowOptions, Threads, plot_option

#: Headings of the tables.
_HEADINGS = (
    *("system", "next", "difference", "std error", "separated"),
    *(f"{unit} {when}" for unit in ("instances", "clusters", "tasks", "comparisons") for when in ("now", "needed")),
    *("missing", "task", "scored", "value"),
)

_PICTURES = ("needed",)

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@command
def plan(
    *,
    method: MethodOptions,
    power: PowerOptions,
    read: ReadOptions,
    engine: EngineOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Say how much more data would separate the systems.

    \b
    podium plan scores.parquet
    podium plan scores.csv --method mean --units tasks --power 0.9
    podium plan scores.csv --plot plan.svg
    podium plan dataset:xtreme-missing -f json

    For neighbours in the ranking: how many instances (or tasks) are needed by the bootstrap, and how many direct
    comparisons by Hoeffding's bound, if the differences in these scores are the true ones. Then the missing scores that
    are worth most: each is expected to separate that many pairs of systems. CSV holds all pairs; JSON also holds all
    missing scores.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES, headings=_HEADINGS)
    read.refuse_overwriting(destination)
    engine.use()
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        planned = podium.plan(scores, method.spec, **power.arguments, threads=threads, progress=bar)
    destination.deliver(planned)
