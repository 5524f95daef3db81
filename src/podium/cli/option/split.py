"""How instances are split by difficulty, and what they earn: the options of `customize`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from podium.base.errors import InputError, MethodError
from podium.cli.option.option import choice, option
from podium.cli.option.weight import DifficultyTableOptions, split_weights_from, splits_from
from podium.customization.split import BOX_LEVELS, CASES, RULES, SPLITTINGS, TIES, Splitting, Weighting

#: Difficulties that need nothing but scores.
_MODEL_FREE = ("failures", "irt")


@dataclass(frozen=True, slots=True)
class TableOptions(DifficultyTableOptions):
    """What is said of the table of difficulties, where that is what a command is about."""

    heading: ClassVar[str] = "Method"


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """Where difficulty comes from, and how it divides the instances."""

    heading: ClassVar[str] = "Method"

    difficulty: Annotated[
        str | None,
        option(
            "--difficulty",
            metavar="FILE|failures|irt",
            meaning="Table with the difficulty of each instance, as podium difficulty writes it. Or take it from "
            "the scores: the share of systems that fail, or an item response model.",
        ),
    ] = None
    probability_column: Annotated[
        str | None,
        option(
            "--probability-column",
            metavar="COLUMN",
            meaning="Instead: column of the sources with each system's confidence in its answer.",
        ),
    ] = None
    table: TableOptions = TableOptions()
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
        if (self.difficulty is None) == (self.probability_column is None):
            how_many = "only one" if self.difficulty else "one"
            raise MethodError(
                "difficulty comes from --difficulty (a table, failures or irt) or from --probability-column (a column "
                f"of confidences); give {how_many} of them"
            )
        said = dict(self.table.said)
        if self.probability_column is not None:
            del said["--strict"]  # confidences have instances of their own, which can be missing too
        idle = [option for option, value in said.items() if value]
        if idle and self.file is None:
            raise InputError(f"{idle[0]} needs a table of difficulties, and there is none; leave {idle[0]} out")

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

    heading: ClassVar[str] = "Method"

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
