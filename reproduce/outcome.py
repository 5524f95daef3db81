"""What a re-run came to: a table or figure of a paper, printed beside ours, with a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Finding", "Section", "Verdict"]

#: How a printed result fares.
Verdict = Literal["reproduced", "reproduced only with a slip", "not reproduced", "not reproducible"]


@dataclass(frozen=True)
class Finding:
    """One printed number, row or claim beside ours.

    Attributes
    ----------
    what
        What is printed, in a few words.
    printed, ours
        As shown.
    verdict
        "reproduced": the same from the data and the definition; "reproduced only with a slip": the same if something is
        done that the paper does not say, which `why` names; "not reproduced": otherwise, though the data are there;
        "not reproducible": the data, or a parameter, are not there.
    why
        What the difference rests on, and what holds instead; empty where nothing need be said.
    """

    what: str
    printed: str
    ours: str
    verdict: Verdict
    why: str = ""


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
