"""What a caller hands in: refused in plain words where it is of another kind."""

import operator
from typing import Any

from podium.errors import InputError, MethodError
from podium.scores import Scores

__all__ = ["check_scores", "check_threads"]


def check_scores(given: Any) -> None:
    """Refuse what is no score table, and say how to make one of it.

    Raises
    ------
    InputError
        It is a path, a frame, a dictionary, an array, or something else.

    Examples
    --------
    >>> check_scores("scores.csv")
    Traceback (most recent call last):
    podium.errors.InputError: expected Scores, not str; make them with podium.read(path)
    """
    if isinstance(given, Scores):
        return
    makers = {
        "podium.read(path)": hasattr(given, "__fspath__") or isinstance(given, str),
        "podium.from_dict(dictionary)": isinstance(given, dict),
        "podium.from_frame(frame)": hasattr(given, "columns"),
        "podium.from_arrays(array)": hasattr(given, "__array__") or isinstance(given, list),
    }
    make = next((maker for maker, fits in makers.items() if fits), "podium.read, from_frame, from_dict or from_arrays")
    raise InputError(f"expected Scores, not {type(given).__name__}; make them with {make}")


def check_threads(given: Any) -> None:
    """Refuse a number of threads that is not a whole number from 1 up; None is any.

    Raises
    ------
    MethodError
        It is none.

    Examples
    --------
    >>> check_threads("2")
    Traceback (most recent call last):
    podium.errors.MethodError: threads is '2'; it must be a whole number, at least 1
    """
    try:
        fits = given is None or operator.index(given) >= 1
    except TypeError:
        fits = False
    if not fits:
        raise MethodError(f"threads is {given!r}; it must be a whole number, at least 1")
