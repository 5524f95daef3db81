"""The command `plan`."""

from dataclasses import asdict, dataclass
from typing import Annotated, ClassVar

import click

import podium
from podium.base.errors import MethodError
from podium.cli.app import command
from podium.cli.option.bootstrap import PowerOptions
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import OptionalReadOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.option import option
from podium.cli.option.output import ShowOptions, Threads, plot_option

#: Headings of the tables.
_HEADINGS = (
    *("system", "next", "difference", "std error", "separated"),
    *(f"{unit} {when}" for unit in ("instances", "clusters", "tasks", "comparisons") for when in ("now", "needed")),
    *("missing", "task", "scored", "value"),
)

#: The same without a source.
_ITEM_HEADINGS = ("items", "difference", "chance", "smallest", "items needed", "discordant")

_PICTURES = ("needed",)

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@dataclass(frozen=True, slots=True)
class ItemOptions:
    """A comparison that is planned before there are data."""

    heading: ClassVar[str] = "Method"

    items: Annotated[
        int | None, option("--items", metavar="N", min=1, meaning="Without a source: how many items, right or wrong.")
    ] = None
    delta: Annotated[
        float | None, option("--delta", metavar="D", meaning="Without a source: difference of the shares right.")
    ] = None
    rate: Annotated[
        float, option("--rate", metavar="P", meaning="Without a source: share right of the first system.")
    ] = 0.8
    correlation: Annotated[
        float, option("--correlation", metavar="R", meaning="Without a source: of both systems on the same items.")
    ] = 0.5


@command
def plan(
    *,
    items: ItemOptions,
    method: MethodOptions,
    power: PowerOptions,
    read: OptionalReadOptions,
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
    podium plan --items 500 --delta 0.02 --rate 0.8 --correlation 0.5

    For neighbours in the ranking: how many instances (or tasks) are needed by the bootstrap, and how many direct
    comparisons by Hoeffding's bound, if the differences in these scores are the true ones. Then the missing scores that
    are worth most: each is expected to separate that many pairs of systems. CSV holds all pairs; JSON also holds all
    missing scores.

    Without a source: the chance with which a paired comparison of so many items, right or wrong, finds a difference.
    """  # noqa: D301
    if items.items is not None or items.delta is not None:
        if read.sources or read.files.trec or items.items is None or items.delta is None:
            raise MethodError("to plan without data, give both --items and --delta, and no source")
        destination = show.destination(headings=_ITEM_HEADINGS)
        read.refuse_overwriting(destination)
        told = power.arguments
        destination.deliver(podium.plan_items(**asdict(items), confidence=told["confidence"], power=told["power"]))
        return
    if not read.sources and read.files.trec is None:
        raise click.UsageError("Missing argument 'SOURCE'")
    destination = show.destination(plot, _PICTURES, headings=_HEADINGS)
    read.refuse_overwriting(destination)
    engine.use()
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        planned = podium.plan(scores, method.spec, **power.arguments, threads=threads, progress=bar)
    destination.deliver(planned)
