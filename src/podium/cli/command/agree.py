"""The command `agree`."""

from typing import Annotated

import podium
from podium.cli.app import command
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodListOptions
from podium.cli.option.output import ShowOptions, Threads, plot_option

_PICTURES = ("bump",)

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@command
def agree(
    *,
    methods: MethodListOptions,
    read: ReadOptions,
    engine: EngineOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Rank with several methods, and show how far they agree.

    \b
    podium agree scores.csv
    podium agree scores.csv --methods mean,borda:one,borda:two
    podium agree scores.csv --plot bump.svg
    podium agree dataset:xtreme-missing -f json

    The first table has Kendall's tau-b of every two methods. The second has the pairs of methods that agree least:
    the distance (0 same order, 1 reversed) and the share of the top systems that both have. The third has the systems
    whose ranks differ most. JSON and CSV hold all systems.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES)
    read.refuse_overwriting(destination)
    engine.use()
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        agreement = podium.agree(scores, methods.names, threads=threads, progress=bar)
    destination.deliver(agreement)
