"""Weights of instances from a table beside the scores: `--instance-weights`, and what is said of such a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import podium
from podium.base.errors import InputError, MethodError, nearest
from podium.cli.option.option import check_choice, choice, option

if TYPE_CHECKING:
    from podium.difficulty.result import Difficulty
    from podium.score.table import Scores

#: Names of `podium.customization.weight.RULES` and `podium.difficulty.result.HARD`, which other commands need not load.
RULES = ("linear", "falling", "logarithmic", "square", "uniform")

HARD = ("low", "high")

#: Rules of weights that need no splits.
_CONTINUOUS = ("B", "1/B")

#: Splits where a rule does not say.
_SPLITS = 7


@dataclass(frozen=True, slots=True)
class InstanceWeightOptions:
    """What is said of a table of difficulties or weights."""

    heading: ClassVar[str] = "Weights of instances"

    instance_weights: Annotated[
        Path | None,
        option("--instance-weights", metavar="FILE", meaning="Table with a weight or a difficulty for each instance."),
    ] = None
    weighting: Annotated[
        str | None,
        option(
            "--weighting",
            metavar="RULE[:SPLITS]",
            meaning=f"From difficulty to weight: {', '.join(RULES)} over equal splits; "
            "B (itself) or 1/B. Default: linear:7, or B for a column called weight.",
        ),
    ] = None
    difficulty_column: Annotated[
        str | None, option("--difficulty-column", metavar="COLUMN", meaning="Measure to use, if the table has several.")
    ] = None
    hard: Annotated[
        str | None, choice(HARD, "--hard", meaning="Which end of the measure is hard, if its name does not say it.")
    ] = None
    strict: Annotated[bool, option("--strict", meaning="Refuse instances that are missing on either side.")] = False

    def __post_init__(self) -> None:
        check_choice("hard end", self.hard, HARD)
        if self.instance_weights is None and self.weighting is not None:
            raise MethodError("--weighting needs a table; name it with --instance-weights, or leave --weighting out")

    def refuse_idle(self) -> None:
        """Refuse options about a table of difficulties if there is no such table.

        Raises
        ------
        MethodError
            An option is about a table, and no table is named.
        """
        said = {"--difficulty-column": self.difficulty_column, "--hard": self.hard, "--strict": self.strict}
        if self.instance_weights is None and (idle := [option for option, value in said.items() if value]):
            raise MethodError(
                f"{idle[0]} needs a table of weights; name it with --instance-weights, or leave {idle[0]} out"
            )

    def refuse_weights(self) -> None:
        """Refuse instance weights in a command that does not use them.

        Raises
        ------
        MethodError
            A table of instance weights is named.
        """
        if self.instance_weights is not None:
            raise MethodError("--instance-weights has no effect here; leave it out")

    def difficulty(self, file: Path, *, hard: str | None = None, splits: str | None = None) -> "Difficulty":
        """Read a table of difficulties; `hard` says which values are, where nothing was said.

        Raises
        ------
        PodiumError
            It cannot be read, or has no such columns.
        """
        measures = None if self.difficulty_column is None else [self.difficulty_column]
        return podium.read_difficulty(file, measures=measures, hard=self.hard or hard, splits=splits)

    def weigh_instances(self, scores: "Scores") -> "Scores":
        """Give the instances the weights that are asked for, if any.

        Raises
        ------
        PodiumError
            The table cannot be read, or makes no sense for these scores.
        """
        if self.instance_weights is None:
            return scores
        rule, splits = self._parsed()
        read = self.difficulty(self.instance_weights, hard="high" if rule in _CONTINUOUS else None)
        measure = read.measure(self.difficulty_column)
        if rule is None:
            rule = "B" if measure.name.lower().startswith("weight") else "linear"
        return podium.weigh(scores, read, measure=measure.name, weights=rule, splits=splits, strict=self.strict)

    def _parsed(self) -> tuple[str | None, int]:
        if self.weighting is None:
            return None, _SPLITS
        name, colon, count = self.weighting.strip().partition(":")
        name = name.upper() if name.upper() in _CONTINUOUS else name
        known = (*RULES, *_CONTINUOUS)
        if name not in known:
            raise MethodError(f"--weighting: there is no rule {name!r}; {nearest(name, known)}")
        if not colon:
            return name, _SPLITS
        if name in _CONTINUOUS or not count.isdecimal():
            raise InputError(
                f"--weighting {self.weighting!r} is not of the form RULE[:SPLITS], as in --weighting linear:7"
            )
        return name, int(count)
