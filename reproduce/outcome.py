"""What a re-run came to: what a paper prints beside ours, and the one rule that judges it.

A script gives what is printed (`Numbers`, `Words`, a `Claim` or a `Picture`), what comes out by the definition, and
what comes out with each slip; `judged` makes the `Finding`. No script says a verdict.

>>> judged("τ", Numbers.read("0.92"), [0.9151]).verdict
'reproduced'
>>> judged("τ", Numbers.read("0.92"), [0.95], {"rows sorted by mean": [0.917]}).verdict
'reproduced only with a slip'
>>> judged("more than 10 points", Claim("more than 10", lambda gain: gain > 10), 3.2, shown="3").verdict
'not reproduced'
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from released import not_released

__all__ = [
    "Absent",
    "Claim",
    "Drawn",
    "Finding",
    "Numbers",
    "Picture",
    "Printed",
    "Section",
    "Unstated",
    "Verdict",
    "Words",
    "judged",
    "stated",
]

T = TypeVar("T")

#: How a printed result fares.
Verdict = Literal["reproduced", "reproduced only with a slip", "not reproduced", "not reproducible"]

#: Standard errors that chance may put between two numbers that rest on it.
_ERRORS = 3
_NUMBER = re.compile(r"(?<![\d.])[-−]?\d+(?:\.\d+)?")


def stated(text: str, holds: Mapping[str, object]) -> str:
    """Prose that states results: stop where a sentence of it is no longer true of the numbers of this run.

    Parameters
    ----------
    text
        What goes into the page.
    holds
        Whether it is true, by the words that say it.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ValueError
        If words are untrue, or not in the text.
    """
    flat = " ".join(text.split())
    wrong = [words for words, true in holds.items() if not true or words not in flat]
    if wrong:
        raise ValueError(f"no longer true, or not said: {'; '.join(wrong)}")
    return text


@dataclass(frozen=True)
class Drawn:
    """Numbers of ours that rest on chance, as the printed ones do.

    Attributes
    ----------
    values
        Ours.
    errors
        Standard error of the difference of two such numbers, the printed and ours; from our repeats.
    """

    values: Sequence[float]
    errors: Sequence[float]

    @classmethod
    def spread(cls, draws: ArrayLike) -> "Drawn":
        """Mean and standard deviation of all draws `(S, R)`, R repeats at each of S strengths.

        The error of the mean is of repeats alone, since the strengths are not drawn.

        >>> Drawn.spread([[0.0, 2.0], [4.0, 6.0]]).values
        (3.0, 2.23606797749979)
        """
        found = np.asarray(draws, dtype=np.float64)
        mean = np.sqrt(found.var(axis=1, ddof=1).mean() / found.size)
        # of the repeats again: how far each moves the deviation from the common mean
        moved = (found - found.mean()) ** 2 / (2 * max(found.std(), 1e-300))
        deviation = np.sqrt(moved.var(axis=1, ddof=1).mean() / found.size)
        two = float(np.sqrt(2))
        return cls((float(found.mean()), float(found.std())), (two * float(mean), two * float(deviation)))

    @classmethod
    def share(cls, share: float, draws: int) -> "Drawn":
        """Of so many draws, the share with some property."""
        return cls((share,), (float(np.sqrt(2 * share * (1 - share) / draws)),))


@dataclass(frozen=True)
class Absent:
    """In the place of our numbers: data that were not released, which is checked.

    Attributes
    ----------
    names
        Of the data: no released file has one of them in its name.
    why
        What is missing, in a few words.
    """

    names: Sequence[str]
    why: str

    def checked(self) -> str:
        """Say why; raises if the data are there, since then there is something to run."""
        there = [name for name in self.names if not not_released(name)]
        if there or not self.names:
            raise ValueError(f"{', '.join(there) or 'nothing'} is absent: run what is said to be not reproducible")
        return self.why


@dataclass(frozen=True)
class Unstated:
    """In the place of our numbers: a parameter that the paper does not give; a slip may say which value does it."""

    why: str


class Printed(Generic[T]):
    """Something that a paper prints; `text` is how.

    `Numbers`, `Words`, a `Claim` or a `Picture`.
    """

    text: str

    def readings(self, found: T) -> Iterator[str]:
        """In which ways ours is the same: "" by itself, or the slip that does it; none where it is not the same."""
        raise NotImplementedError

    def told(self, found: T) -> str:
        """Show ours as the printed."""
        return str(found)


@dataclass(frozen=True)
class Numbers(Printed["Sequence[float] | Drawn"]):
    """Printed numbers: ours are the same within half a unit of the last printed digit, and what chance allows.

    Attributes
    ----------
    values
        As printed.
    decimals
        Of each, or of all.
    text
        As shown; otherwise the numbers.
    """

    values: Sequence[float]
    decimals: int | Sequence[int]
    text: str = ""

    def __post_init__(self) -> None:
        if not self.values:
            raise ValueError(f"no number is printed in {self.text!r}: that is a Picture, or Words")
        if not self.text:
            object.__setattr__(self, "text", self.told(self.values, more=0))

    @classmethod
    def read(cls, text: str) -> "Numbers":
        """Every number of a text, with its digits.

        >>> Numbers.read("0.17 ± 0.2, from -5 to 25-63%")
        Numbers(values=[0.17, 0.2, -5.0, 25.0, 63.0], decimals=[2, 1, 0, 0, 0], text='0.17 ± 0.2, from -5 to 25-63%')
        """
        found = [number.replace("−", "-") for number in _NUMBER.findall(text)]
        return cls([float(number) for number in found], [len(number.partition(".")[2]) for number in found], text)

    def readings(self, found: "Sequence[float] | Drawn") -> Iterator[str]:
        """Rounded, or cut off."""
        values, errors = (found.values, found.errors) if isinstance(found, Drawn) else (found, [0.0] * len(found))
        if len(values) != len(self.values):
            return
        units = 10.0 ** np.array(self._decimals())
        printed, ours, chance = (np.asarray(numbers) * units for numbers in (self.values, values, errors))
        rounded = np.abs(printed - ours) <= 0.5 + _ERRORS * chance + 1e-6
        if rounded.all():
            yield ""
        elif np.all(rounded | (np.abs(printed - np.trunc(ours + np.sign(ours) * 1e-6)) < 1e-6)):
            yield "cut off, not rounded"

    def told(self, found: "Sequence[float] | Drawn", more: int = 1) -> str:
        """With a digit more than printed."""
        values = found.values if isinstance(found, Drawn) else found
        pairs = zip(values, self._decimals(), strict=False)
        return ", ".join(f"{round(float(number), decimals + more):g}" for number, decimals in pairs)

    def _decimals(self) -> Sequence[int]:
        return [self.decimals] * len(self.values) if isinstance(self.decimals, int) else self.decimals


@dataclass(frozen=True)
class Words(Printed[str]):
    """Printed words, such as an order: ours are the same if they are these."""

    text: str

    def readings(self, found: str) -> Iterator[str]:
        """Word for word."""
        if found == self.text:
            yield ""


@dataclass(frozen=True)
class Claim(Printed[T]):
    """A printed statement: ours is the same if it holds of what we found.

    Attributes
    ----------
    text
        What is printed.
    holds
        Whether it is true of our numbers.
    """

    text: str
    holds: Callable[[T], bool]

    def readings(self, found: T) -> Iterator[str]:
        """Where it holds."""
        if self.holds(found):
            yield ""


@dataclass(frozen=True)
class Picture(Printed[object]):
    """A printed picture without a number: nothing can be compared."""

    text: str = "a picture"

    def readings(self, found: object) -> Iterator[str]:
        """In no way."""
        del found
        yield from ()


@dataclass(frozen=True)
class Finding:
    """One printed number, row or claim beside ours; `judged` makes it.

    Attributes
    ----------
    what
        What is printed, in a few words.
    printed, ours
        As shown.
    verdict
        As `judged` has it.
    why
        What the difference rests on, and what holds instead; empty where nothing need be said.
    """

    what: str
    printed: str
    ours: str
    verdict: Verdict
    why: str = ""


def judged(
    what: str,
    printed: Printed[T],
    ours: T | Absent | Unstated,
    slips: Mapping[str, T] | None = None,
    *,
    shown: str = "",
    note: str = "",
) -> Finding:
    """Judge something printed.

    Parameters
    ----------
    what, printed
        As for a `Finding`.
    ours
        From the data and the definition; or why there is none.
    slips
        What the printed may rest on that the paper does not say, with what comes out then; the first that gives the
        printed is named.
    shown
        How ours is shown; otherwise as the printed.
    note
        What else to say.

    Returns
    -------
    Finding
        Whose verdict is "reproduced": the same from the data and the definition, within half a unit of the last printed
        digit, and three standard errors where chance has a part; "reproduced only with a slip": the same if the slip is
        done; "not reproduced": otherwise, though all is there; "not reproducible": nothing is printed to compare, or
        the data or a parameter are not there, and no slip stands in.
    """
    verdict, why = _verdict(printed, ours, slips or {})
    if not shown:
        shown = "–" if isinstance(ours, Absent | Unstated) else printed.told(ours)
    return Finding(what, printed.text, shown, verdict, "; ".join(filter(None, [why, note])))


def _verdict(printed: Printed[T], ours: T | Absent | Unstated, slips: Mapping[str, T]) -> tuple[Verdict, str]:
    """The rule, with the slip or what is missing."""
    if isinstance(ours, Absent):
        return "not reproducible", ours.checked()
    if isinstance(printed, Picture):
        return "not reproducible", ""
    if not isinstance(ours, Unstated):
        for cut in printed.readings(ours):
            return ("reproduced only with a slip" if cut else "reproduced"), cut
    for slip, found in slips.items():
        for cut in printed.readings(found):
            return "reproduced only with a slip", "; ".join(filter(None, [slip, cut]))
    return ("not reproducible", ours.why) if isinstance(ours, Unstated) else ("not reproduced", "")


@dataclass(frozen=True)
class Section:
    """One table or figure of a paper.

    Attributes
    ----------
    heading
        As "Colombo et al., Table 2: top and last systems".
    text
        What was run, in Markdown.
    findings
        Printed beside ours.
    table
        More numbers, a row of cells each, the first the heading; or empty.
    pictures
        Files in docs/images, with their texts.
    """

    heading: str
    text: str
    findings: Sequence[Finding]
    table: Sequence[Sequence[str]] = ()
    pictures: Sequence[tuple[str, str]] = field(default=())
