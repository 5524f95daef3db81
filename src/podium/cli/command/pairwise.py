"""The command `pairwise`."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

import podium
from podium.base.check import check_confidence
from podium.cli.app import command
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.option import check_choice, choice, option
from podium.cli.option.output import ShowOptions, Threads, plot_option
from podium.ranking.method_spec import LEVELS
from podium.ranking.pair import HeadToHead

_SIDES = ("two", "one")

_PICTURES = ("heatmap",)

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@dataclass(frozen=True, slots=True)
class PairOptions:
    """What is a comparison of two systems, and what its interval promises."""

    heading: ClassVar[str] = "Method"

    level: Annotated[
        str | None,
        choice(
            LEVELS,
            "--level",
            meaning="What is a comparison: an instance (one), also so that all tasks weigh alike (balanced); a task by "
            "its instances (two), or a task by its mean (task). Default: one, or task without instances.",
        ),
    ] = None
    confidence: Annotated[
        float, option("--confidence", metavar="P", meaning="Confidence of the intervals.", heading="Uncertainty")
    ] = 0.95
    sided: Annotated[
        str,
        choice(
            _SIDES,
            "--sided",
            meaning="Both ends of an interval hold together (two), or each end alone (one).",
            heading="Uncertainty",
        ),
    ] = "two"
    simultaneous: Annotated[
        bool,
        option("--simultaneous", meaning="Wider intervals that hold for all pairs together.", heading="Uncertainty"),
    ] = False

    def __post_init__(self) -> None:
        check_choice("level", self.level, LEVELS)
        check_choice("side", self.sided, _SIDES)
        check_confidence(self.confidence)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.pairwise` is told."""
        return {**asdict(self), "level": self.level or "one"}


@command
def pairwise(
    *,
    pairs: PairOptions,
    read: ReadOptions,
    engine: EngineOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Compare all pairs of systems, and look for one that beats all.

    \b
    podium pairwise scores.parquet
    podium pairwise scores.csv --level task --confidence 0.9
    podium pairwise scores.parquet --simultaneous --plot heatmap=pairs.svg

    For each pair: the share of comparisons that the first system wins (a tie counts half), with a Hoeffding interval.
    Only comparisons with a score of both systems count. The Condorcet winner beats every other system in more than half
    of their comparisons; a cycle or ties can prevent one. CSV and JSON hold all pairs.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES)
    read.refuse_overwriting(destination)
    engine.use()
    scores = read.scores(quiet=show.quiet)
    compared = podium.pairwise(scores, **pairs.arguments, threads=threads)
    majorities = podium.condorcet(scores, level=compared.level, missing="direct", threads=threads)
    destination.deliver(HeadToHead(compared, majorities, compared.notes))
