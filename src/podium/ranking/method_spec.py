"""Which method to use and how: its name, level, and options."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from podium.base.errors import MethodError, nearest
from podium.ranking.method import METHODS
from podium.ranking.method.method import Method
from podium.ranking.preference import MISSING, Missing
from podium.score.table import Scores

#: Ballots that can be counted: one per task, all instances in one box, or instances within tasks.
LEVELS = ("task", "one", "two")


def level_of(scores: Scores, level: str | None, default: str) -> str:
    """Settle the level: task where there is nothing below, otherwise as asked or by default.

    Raises
    ------
    MethodError
        There is no such level.
    """
    if level is None:
        return "task" if scores.task_level else default
    _check_name("level", level, LEVELS)
    return level


@dataclass(frozen=True, slots=True)
class MethodSpec:
    """A method, by name, with its level and options; one that there is, with options that it has.

    Attributes
    ----------
    name
        See `podium.ranking.method.METHODS`.
    level
        One of `LEVELS`; None for the usual one, and for methods that have none.
    missing
        How a ballot counts a pair if it does not score both systems, see `podium.ranking.preference.preferences`;
        None for what is usual.
    prior
        Of Bradley–Terry, see `podium.ranking.method.bradley_terry`.
    time_limit
        Of Kemeny, in seconds; None for no limit.

    Raises
    ------
    MethodError
        An unknown method, level or way to count missing scores; or an option that the method does not have.

    Examples
    --------
    >>> MethodSpec("borda", level="one").method.title
    'Borda count'
    >>> MethodSpec("mean", prior=1.0)
    Traceback (most recent call last):
    podium.errors.MethodError: method 'mean' has no option 'prior'; it is for 'bradley-terry'
    """

    name: str = "borda"
    level: str | None = None
    missing: Missing | None = None
    prior: float = 0.0
    time_limit: float | None = None

    def __post_init__(self) -> None:
        _check_name("method", self.name, tuple(METHODS))
        if self.level is not None:
            if self.method.level is None:
                raise _without_levels(self.name, f"level={self.level!r}")
            _check_name("level", self.level, LEVELS)
        given = {
            "missing": self.missing is not None,
            "prior": self.prior != 0,
            "time_limit": self.time_limit is not None,
        }
        for option, is_given in given.items():
            if is_given and option not in self.method.options:
                takers = ", ".join(repr(other) for other in METHODS if option in METHODS[other].options)
                raise MethodError(f"method {self.name!r} has no option {option!r}; it is for {takers}")
        if self.missing is not None and self.missing not in MISSING:
            raise MethodError(
                f"there is no way {self.missing!r} to count missing scores; {nearest(self.missing, MISSING)}"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the name of a method, with a level after a colon where one is meant.

        Raises
        ------
        MethodError
            There is no such method or level, or the method has no levels.

        Examples
        --------
        >>> MethodSpec.parse("borda:one").level
        'one'
        """
        name, colon, level = text.partition(":")
        if not colon:
            return cls(name)
        method = cls(name).method
        _check_name("level", level, LEVELS)
        if method.level is None:
            raise _without_levels(name, repr(colon + level))
        return cls(name, level)

    @property
    def method(self) -> Method:
        """What ranks."""
        return METHODS[self.name]

    def on(self, scores: Scores) -> Self:
        """Settle the level for a table."""
        default = self.method.level
        return self if default is None else replace(self, level=level_of(scores, self.level, default))


def _check_name(what: str, name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise MethodError(f"there is no {what} {name!r}; {nearest(name, names)}")


def _without_levels(name: str, given: str) -> MethodError:
    return MethodError(f"method {name!r} has no levels; leave {given} out, or use 'borda'")
