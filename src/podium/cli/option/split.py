"""How instances are split by difficulty, and what they earn: the options of `customize`."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from podium.base.errors import MethodError
from podium.cli.option.option import check_choice, choice, option, split
from podium.customization.split import BOX_LEVELS, SPLITTINGS, TIES
from podium.customization.weight import CASES, RULES

#: Difficulties that need nothing but scores.
_MODEL_FREE = ("failures", "irt")

#: Names of the pictures of a customized leaderboard.
SPLIT_PICTURES = ("parallel", "moves", "difficulty")


@dataclass(frozen=True, slots=True)
class Split:
    """Where difficulty comes from, and how it divides the instances."""

    heading: ClassVar[str] = "Difficulty"

    difficulty: Annotated[
        str | None,
        option(
            "--difficulty",
            metavar="FILE",
            meaning="Table with the difficulty of instances, as `podium difficulty` writes it; or failures or irt, to "
            "take it from the scores themselves (the share of systems that fail, or a two-parameter item response "
            "model).",
        ),
    ] = None
    probability: Annotated[
        str | None,
        option(
            "--probability",
            metavar="COLUMN",
            meaning="In place of --difficulty: the column of the sources with each system's confidence in its own "
            "answer.",
        ),
    ] = None
    splits: Annotated[
        str,
        option(
            "--splits",
            metavar="N|X,Y,…|COLUMN",
            meaning="How many splits; or the thresholds or quantiles between them; or, by manual, the column that "
            "names them.",
        ),
    ] = "7"
    by: Annotated[
        str | None,
        choice(
            SPLITTINGS,
            "--by",
            meaning="As many instances in each split, as wide a range of difficulty, between thresholds or quantiles, "
            "at random, or as a column says. By default equal, thresholds for several numbers, manual for a name.",
        ),
    ] = None
    ties: Annotated[
        str,
        choice(TIES, "--ties", meaning="Instances of one difficulty across the end of a split: shared, or by label."),
    ] = "share"
    level: Annotated[
        str | None,
        choice(BOX_LEVELS, "--level", meaning="Split the instances of each task (two), or of all together (one)."),
    ] = None

    def __post_init__(self) -> None:
        check_choice("way to split", self.by, SPLITTINGS)
        check_choice("level", self.level, BOX_LEVELS)
        check_choice("way with ties", self.ties, TIES)
        if (self.difficulty is None) == (self.probability is None):
            what = (
                "only one of them" if self.difficulty else "one of them, or failures or irt to take it from the scores"
            )
            raise MethodError(
                "difficulty comes from a table (--difficulty FILE) or from confidences (--probability COLUMN); "
                f"say {what}"
            )

    @property
    def file(self) -> Path | None:
        """Table with difficulties, or None where they come from the scores or beside them."""
        return None if self.difficulty is None or self.difficulty in _MODEL_FREE else Path(self.difficulty)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.customize` is told."""
        return {"splits": splits_from(self.splits), "by": self.by, "ties": self.ties, "level": self.level}


@dataclass(frozen=True, slots=True)
class Earning:
    """What right and wrong answers earn."""

    heading: ClassVar[str] = "Weights"

    split_weights: Annotated[
        str | None,
        option(
            "--split-weights",
            metavar="RULE|W,W,…",
            meaning=f"Weights from the easy split to the hard: {', '.join(RULES)}, or numbers; or of instances, B "
            "(their difficulty) or 1/B. By default linear: 1, 2, 3, …",
        ),
    ] = None
    reward: Annotated[
        str | None,
        option("--reward", metavar="D", meaning="What a right answer earns: a number, B or 1/B. By default 1."),
    ] = None
    penalty: Annotated[
        str | None,
        option(
            "--penalty", metavar="E", meaning="What a wrong answer earns: a number, B, 1/B, -B or -1/B. By default -1."
        ),
    ] = None
    case: Annotated[
        str | None,
        option(
            "--case",
            metavar="1…9|NAME",
            meaning=f"Weights, reward and penalty by a case of the paper's Table 1: {', '.join(CASES)}.",
        ),
    ] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.customize` is told."""
        weights = split_weights_from(self.split_weights)
        return {"weights": weights, "reward": self.reward, "penalty": self.penalty, "case": self.case}


SplitPlot = Annotated[
    list[str] | None,
    option(
        "--plot",
        metavar="NAME=FILE",
        meaning="Draw a picture into an SVG, PDF or PNG file: parallel (scores split by split), moves (beside "
        "accuracy), or difficulty (a histogram with the splits); can be repeated.",
        heading="Output",
    ),
]


def splits_from(text: str) -> int | list[float] | str:
    """Read how many splits, the ends between them, or the name of a column.

    >>> splits_from("7"), splits_from("0.3,0.6"), splits_from("genre")
    (7, [0.3, 0.6], 'genre')
    """
    numbers = _numbers(split([text]))
    if numbers is None:
        return text
    whole = len(numbers) == 1 and text.strip().lstrip("+-").isdecimal()
    return int(text) if whole else numbers


def split_weights_from(text: str | None) -> str | list[float] | None:
    """Read a rule of weights, or the weights.

    Raises
    ------
    MethodError
        Some are numbers and some are not.

    Examples
    --------
    >>> split_weights_from("1,2,5"), split_weights_from("1/B")
    ([1.0, 2.0, 5.0], '1/B')
    """
    if text is None:
        return None
    parts = split([text])
    numbers = _numbers(parts)
    if numbers is None and len(parts) > 1:
        raise MethodError(f"--split-weights {text!r} is neither a rule nor a list of numbers, such as 1,2,5")
    return text.strip() if numbers is None else numbers


def _numbers(parts: Iterable[str]) -> list[float] | None:
    try:
        return [float(part) for part in parts] or None
    except ValueError:
        return None
