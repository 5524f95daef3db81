"""Difficulties beside scores: which table is meant by `--difficulty` or `--instance-weights`, and how it is read."""

from dataclasses import dataclass
from pathlib import Path

import podium
from podium.base.errors import InputError, MethodError, nearest
from podium.customization.weight import RULES
from podium.difficulty.result import Difficulty
from podium.score.table import Scores

#: Rules of weights that need no splits.
_CONTINUOUS = ("B", "1/B")

#: Splits where a rule does not say.
_SPLITS = 7


@dataclass(frozen=True, slots=True)
class Rating:
    """What is said of a table of difficulties or weights.

    Attributes
    ----------
    file
        Of instance weights; or None.
    rule
        How a difficulty becomes weights, `RULE[:SPLITS]`; or None.
    column, hard
        Which measure, and which of its values are hard; or None where the table says.
    strict
        Whether to refuse what is not in both.
    """

    file: Path | None
    rule: str | None
    column: str | None
    hard: str | None
    strict: bool

    def __post_init__(self) -> None:
        if self.file is None and self.rule is not None:
            raise MethodError("--weighting says how a table of --instance-weights is taken; name one, or leave it out")

    def refuse_idle(self) -> None:
        """Refuse what only a table of difficulties can heed, where there is none.

        Raises
        ------
        MethodError
            Something is said of it.
        """
        said = {"--difficulty-column": self.column, "--hard": self.hard, "--strict": self.strict}
        if self.file is None and (idle := [option for option, value in said.items() if value]):
            raise MethodError(f"{idle[0]} is about a table of difficulties or weights; name one, or leave it out")

    def refuse_weights(self) -> None:
        """Refuse weights of instances for what does not heed them.

        Raises
        ------
        MethodError
            There are some.
        """
        if self.file is not None:
            raise MethodError("--instance-weights has no effect here; leave it out")

    def difficulty(self, file: Path, *, hard: str | None = None, splits: str | None = None) -> Difficulty:
        """Read a table of difficulties; `hard` says which values are, where nothing was said.

        Raises
        ------
        PodiumError
            It cannot be read, or has no such columns.
        """
        measures = None if self.column is None else [self.column]
        return podium.read_difficulty(file, measures=measures, hard=self.hard or hard, splits=splits)

    def weighed(self, scores: Scores) -> Scores:
        """Give the instances the weights that are asked for, if any.

        Raises
        ------
        PodiumError
            The table cannot be read, or makes no sense for these scores.
        """
        if self.file is None:
            return scores
        rule, splits = self._parsed()
        read = self.difficulty(self.file, hard="high" if rule in _CONTINUOUS else None)
        measure = read.measure(self.column)
        if rule is None:
            rule = "B" if measure.name.lower().startswith("weight") else "linear"
        return podium.weigh(scores, read, measure=measure.name, weights=rule, splits=splits, strict=self.strict)

    def _parsed(self) -> tuple[str | None, int]:
        if self.rule is None:
            return None, _SPLITS
        name, colon, count = self.rule.strip().partition(":")
        name = name.upper() if name.upper() in _CONTINUOUS else name
        known = (*RULES, *_CONTINUOUS)
        if name not in known:
            raise MethodError(f"--weighting: there is no rule {name!r}; {nearest(name, known)}")
        if not colon:
            return name, _SPLITS
        if name in _CONTINUOUS or not count.isdecimal():
            raise InputError(f"--weighting {self.rule!r} is not of the form RULE[:SPLITS], as in --weighting linear:7")
        return name, int(count)
