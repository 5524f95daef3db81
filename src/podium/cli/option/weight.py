"""Weights of instances from a table beside the scores: `--instance-weights`, and what is said of such a table."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import podium
from podium.base.errors import MethodError
from podium.cli.option.option import check_choice, choice, option, split

if TYPE_CHECKING:
    from podium.difficulty.result import Difficulty
    from podium.score.table import Scores

#: Names of `podium.customization.split.RULES` and `podium.difficulty.result.HARD`, which other commands need not load.
RULES = ("linear", "falling", "logarithmic", "square", "uniform")

HARD = ("low", "high")


@dataclass(frozen=True, slots=True)
class DifficultyTableOptions:
    """What is said of a table of difficulties."""

    heading: ClassVar[str] = "Weights of instances"

    difficulty_column: Annotated[
        str | None,
        option("--difficulty-column", metavar="COLUMN", meaning="Column with the difficulty, if there are several."),
    ] = None
    hard: Annotated[
        str | None, choice(HARD, "--hard", meaning="Which end of the measure is hard, if its name does not say it.")
    ] = None
    strict: Annotated[
        bool,
        option("--strict", meaning="Refuse instances that one side lacks; of NAME=SOURCE, also questions that differ."),
    ] = False

    def __post_init__(self) -> None:
        check_choice("hard end", self.hard, HARD)

    @property
    def said(self) -> dict[str, object]:
        """What is said, by option."""
        return {"--difficulty-column": self.difficulty_column, "--hard": self.hard, "--strict": self.strict}

    def read(self, file: Path, *, hard: str | None = None, splits: str | None = None) -> "Difficulty":
        """Read a table of difficulties; `hard` says which values are, where nothing was said.

        Raises
        ------
        PodiumError
            It cannot be read, or has no such columns.
        """
        measures = None if self.difficulty_column is None else [self.difficulty_column]
        return podium.read_difficulty(file, measures=measures, hard=self.hard or hard, splits=splits)


@dataclass(frozen=True, slots=True)
class InstanceWeightOptions:
    """Which weights instances have, by a table of weights or difficulties."""

    heading: ClassVar[str] = "Weights of instances"

    instance_weights: Annotated[
        Path | None,
        option("--instance-weights", metavar="FILE", meaning="Table with a weight or a difficulty for each instance."),
    ] = None
    splits: Annotated[
        str | None,
        option(
            "--splits",
            metavar="N|X,Y,…",
            meaning="From difficulty to weight: number of equal splits, or the limits between them. Default: 7.",
        ),
    ] = None
    split_weights: Annotated[
        str | None,
        option(
            "--split-weights",
            metavar="RULE|W,W,…",
            meaning=f"Their weights from easy to hard: {', '.join(RULES)}, or numbers; or B or 1/B, the difficulty of "
            "each instance. Default: linear, or B for a column called weight.",
        ),
    ] = None
    table: DifficultyTableOptions = DifficultyTableOptions()

    def __post_init__(self) -> None:
        said = {"--splits": self.splits, "--split-weights": self.split_weights, **self.table.said, "--strict": False}
        if self.instance_weights is None and (idle := [option for option, value in said.items() if value]):
            raise MethodError(
                f"{idle[0]} needs a table of weights; name it with --instance-weights, or leave {idle[0]} out"
            )

    def weigh_instances(self, scores: "Scores") -> "Scores":
        """Give the instances the weights that are asked for, if any.

        Raises
        ------
        PodiumError
            The table cannot be read, or makes no sense for these scores.
        """
        if self.instance_weights is None:
            return scores
        rule = split_weights_from(self.split_weights)
        own = isinstance(rule, str) and rule.upper() in {"B", "1/B"}
        difficulty = self.table.read(self.instance_weights, hard="high" if own else None)
        measure = difficulty.measure(self.table.difficulty_column).name
        return podium.weigh(
            scores,
            difficulty,
            measure=measure,
            splits=podium.Splitting(splits_from(self.splits or "7")),
            split_weights=rule or ("B" if measure.lower().startswith("weight") else "linear"),
            strict=self.table.strict,
        )


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
