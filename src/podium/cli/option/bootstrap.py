"""How sure: the options of what is drawn at random, and of intervals."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

from podium.cli.option.option import choice, option
from podium.tally.draw import UNITS, check_resampling

Seed = Annotated[int, option("--seed", metavar="N", meaning="Seed of everything random.")]

_Sure = Annotated[
    bool | None,
    option("--intervals/--no-intervals", meaning="Rank intervals and tiers. Default: if they take only seconds."),
]

_Confidence = Annotated[float, option("--confidence", metavar="P", meaning="Confidence of rank intervals and tiers.")]

_Units = Annotated[
    str | None,
    choice(
        UNITS,
        "--units",
        meaning="What is drawn: other instances, tasks, both, or repeats of the same instances. Default: instances, or "
        "tasks where there are none.",
    ),
]

_Added = Annotated[
    str | None,
    choice(
        tuple(units for units in UNITS if units != "repeats"),
        "--units",
        meaning="What is added. Default: instances, or tasks where there are none.",
    ),
]

_Replicates = Annotated[int, option("--replicates", metavar="B", min=1, meaning="Number of bootstrap replicates.")]


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """Whether there are intervals, and what they promise."""

    heading: ClassVar[str] = "Uncertainty"

    intervals: _Sure = None
    confidence: _Confidence = 0.95
    replicates: _Replicates = 1000
    seed: Seed = 0

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of the columns of every ranking, those of its intervals among them."""
        percent = f"{100 * self.confidence:g}%"
        return ("rank", f"{percent} ranks", "tier", "system", "score", f"score with {percent} interval")


@dataclass(frozen=True, slots=True)
class BootstrapOptions(IntervalOptions):
    """The same of rankings, where one can choose what is drawn."""

    units: _Units = None

    def __post_init__(self) -> None:
        check_resampling(confidence=self.confidence, **self.draws)

    @property
    def draws(self) -> dict[str, Any]:
        """What `podium.rank` is told."""
        return {"units": self.units, "replicates": self.replicates, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class PowerOptions:
    """How sure a larger evaluation is to be."""

    heading: ClassVar[str] = "Uncertainty"

    confidence: _Confidence = 0.95
    power: Annotated[
        float,
        option(
            "--power",
            metavar="P",
            meaning="Probability that the larger evaluation separates two systems, at least 0.5.",
        ),
    ] = 0.8
    units: _Added = None
    replicates: _Replicates = 1000
    seed: Seed = 0

    def __post_init__(self) -> None:
        check_resampling(confidence=self.confidence, units=self.units, replicates=self.replicates, seed=self.seed)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.plan` is told."""
        return asdict(self)
