"""What a stress is asked for: refused in plain words where it is impossible."""

from typing import Any

import numpy as np

from podium.arguments import number
from podium.errors import LabelError, MethodError
from podium.scores import Scores
from podium.wording import counted

__all__ = ["check_enough", "check_label", "whole"]


def whole(what: str, given: Any) -> int:
    """Count given as a whole number from 0 up; 3.0 is 3.

    Raises
    ------
    MethodError
        It is none.

    Examples
    --------
    >>> whole("tasks to leave out", 3.0)
    3
    """
    value = number(given)
    if not (np.isfinite(value) and value >= 0 and value == np.floor(value)):
        raise MethodError(f"the number of {what} is {given!r}; give a whole number from 0 up")
    return int(value)


def check_enough(asked: int, there: int, noun: str, fate: str, *, stay: int = 0) -> None:
    """Refuse to treat more than there are, or so many that too few stay as they are.

    Raises
    ------
    MethodError
        So many cannot be treated.

    Examples
    --------
    >>> check_enough(3, 3, "task", "left out", stay=1)
    Traceback (most recent call last):
    podium.errors.MethodError: 3 tasks are to be left out, but there are 3 tasks, and at least 1 must stay; ask for 2 or
    fewer
    """
    if asked <= max(there - stay, 0):
        return
    least = f", and at least {stay} must stay" if stay else ""
    raise MethodError(
        f"{counted(asked, noun)} {_are(asked)} to be {fate}, but there {_are(there)} {counted(there, noun)}{least}; "
        f"ask for {max(there - stay, 0)} or fewer"
    )


def check_label(system: str, scores: Scores) -> None:
    """Refuse a system that is not in the table.

    Raises
    ------
    LabelError
        There is no such system; the nearest labels are named.
    """
    if system not in scores.systems:
        raise LabelError.unknown("system", system, scores.systems)


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
