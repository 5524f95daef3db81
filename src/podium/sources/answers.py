"""Answers as text, so that the same answer is the same text however a file writes it."""

import re
from collections.abc import Sequence
from decimal import Decimal

from podium.sources.tables import TRUTH, is_missing

__all__ = ["answer_of", "right_answers"]

#: A number, without zeros that would make it a code such as 007; exponents short enough to be written out.
_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d*)?([eE][-+]?\d{1,2})?")


def answer_of(text: str | None) -> str:
    """Write an answer in the one way that stands for all; empty where there is none.

    Spaces at the ends do not count, numbers are alike if they are equal, and so are all ways to write true and false.

    >>> [answer_of(text) for text in ("1", " 1.0", "1e0", "-0", "007", "True", "Yes", None)]
    ['1', '1', '1', '0', '007', 'true', 'Yes', '']
    """
    bare = (text or "").strip()
    if _NUMBER.fullmatch(bare):
        plain = format(Decimal(bare), "f")
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
        return "0" if plain == "-0" else plain
    return bare.lower() if bare.lower() in TRUTH else bare


def right_answers(texts: Sequence[str | None]) -> list[str]:
    """Write right answers in that way, empty where there is none.

    A word for a missing score is no answer where all others are numbers; elsewhere "none" may be one.

    >>> right_answers(["1", "NA", "0.0"]), right_answers(["favor", "none", None])
    (['1', '', '0'], ['favor', 'none', ''])
    """
    answers = {text: answer_of(text) for text in set(texts)}
    if all(is_missing(answer) or _NUMBER.fullmatch(answer) for answer in answers.values()):
        answers = {text: "" if is_missing(answer) else answer for text, answer in answers.items()}
    return [answers[text] for text in texts]
