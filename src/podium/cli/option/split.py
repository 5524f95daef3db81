"""How instances are split by difficulty, and what they earn: the options of `customize`."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from podium.base.errors import MethodError
from podium.cli.option.option import choice, option, split
from podium.customization.split import BOX_LEVELS, SPLITTINGS, TIES, Splitting
from podium.customization.weight import CASES, RULES, Weighting

#: Difficulties that need nothing but scores.
_MODEL_FREE = ("failures", "irt")


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """Where difficulty comes from, and how it divides the instances."""

    heading: ClassVar[str] = "Difficulty"

    difficulty: Annotated[
        str | None,
        option(
            "--difficulty",
            metavar="FILE",
            meaning="Table with the difficulty of each instance, as podium difficulty writes it. Or take it from "
            "the scores: failures (share of systems that fail) or irt (item response model).",
        ),
    ] = None
    probability: Annotated[
        str | None,
        option(
            "--probability",
            metavar="COLUMN",
            meaning="Instead: column of the sources with each system's confidence in its answer.",
        ),
    ] = None
    splits: Annotated[
        str,
        option(
            "--splits",
            metavar="N|X,Y,…|COLUMN",
            meaning="Number of splits, the limits between them, or the column that names them.",
        ),
    ] = "7"
    by: Annotated[
        str | None,
        choice(
            SPLITTINGS,
            "--by",
            meaning="How to split: equally many instances, equally wide ranges, at limits, at quantiles, at "
            "random, or by a column. Default: equal; thresholds for several numbers; manual for a name.",
        ),
    ] = None
    ties: Annotated[
        str,
        choice(
            TIES,
            "--ties",
            meaning="Instances with the difficulty of a limit: shared by both splits, or divided by label.",
        ),
    ] = "share"
    level: Annotated[
        str | None,
        choice(
            BOX_LEVELS, "--level", meaning="Split the instances of each task (two), or of all tasks together (one)."
        ),
    ] = None

    def __post_init__(self) -> None:
        _ = self.splitting  # what makes no sense is refused before anything is read
        if (self.difficulty is None) == (self.probability is None):
            how_many = "only one" if self.difficulty else "one"
            raise MethodError(
                "difficulty comes from --difficulty (a table, failures or irt) or from --probability (a column of "
                f"confidences); give {how_many} of them"
            )

    @property
    def file(self) -> Path | None:
        """Table with difficulties, or None where they come from the scores or beside them."""
        return None if self.difficulty is None or self.difficulty in _MODEL_FREE else Path(self.difficulty)

    @property
    def splitting(self) -> Splitting:
        """How instances are split."""
        return Splitting(splits_from(self.splits), self.by, ties=self.ties, level=self.level or "two")


@dataclass(frozen=True, slots=True)
class EarningOptions:
    """What right and wrong answers earn."""

    heading: ClassVar[str] = "Weights"

    split_weights: Annotated[
        str | None,
        option(
            "--split-weights",
            metavar="RULE|W,W,…",
            meaning=f"Weights from easy to hard: {', '.join(RULES)}, or numbers; or B or 1/B, the difficulty of "
            "each instance. Default: linear (1, 2, 3, …).",
        ),
    ] = None
    reward: Annotated[
        str | None,
        option("--reward", metavar="D", meaning="Points for a right answer: a number, B or 1/B. Default: 1."),
    ] = None
    penalty: Annotated[
        str | None,
        option(
            "--penalty", metavar="E", meaning="Points for a wrong answer: a number, B, 1/B, -B or -1/B. Default: -1."
        ),
    ] = None
    case: Annotated[
        str | None,
        option(
            "--case",
            metavar="1…9|NAME",
            meaning=f"Weights, reward and penalty of a case of the paper (Table 1): {', '.join(CASES)}.",
        ),
    ] = None

    def __post_init__(self) -> None:
        _ = self.weighting  # the same

    @property
    def weighting(self) -> Weighting:
        """How instances weigh, and what answers earn."""
        return Weighting(split_weights_from(self.split_weights), self.reward, self.penalty, case=self.case)


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
