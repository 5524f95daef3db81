"""What a caller hands in: refused in plain words where it is of another kind."""

import operator
from typing import Any

import numpy as np

from podium.errors import InputError, MethodError, nearest
from podium.scores import Scores

__all__ = ["UNITS", "check_confidence", "check_resampling", "check_scores", "check_threads", "check_whole"]

#: What a bootstrap can draw: instances within each task, whole tasks, or both, one inside the other.
UNITS = ("instances", "tasks", "both")


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
        "the world's .scores": isinstance(getattr(given, "scores", None), Scores),
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
    if given is not None:
        check_whole("threads", given)


def check_whole(name: str, given: Any, least: int | None = 1) -> None:
    """Refuse what is no whole number from `least` up.

    Raises
    ------
    MethodError
        It is none.

    Examples
    --------
    >>> check_whole("repeats", 0)
    Traceback (most recent call last):
    podium.errors.MethodError: repeats is 0; it must be a whole number, at least 1
    """
    if not _whole(given, least):
        bound = "" if least is None else f", at least {least}"
        raise MethodError(f"{name} is {given!r}; it must be a whole number{bound}")


def check_confidence(given: Any) -> None:
    """Refuse a confidence that is not a number between 0 and 1.

    Raises
    ------
    MethodError
        It is none.

    Examples
    --------
    >>> check_confidence(95)
    Traceback (most recent call last):
    podium.errors.MethodError: confidence is 95; it must be a number between 0 and 1, such as 0.95
    """
    if not (isinstance(given, (int, float, np.number)) and 0 < given < 1):
        raise MethodError(f"confidence is {given!r}; it must be a number between 0 and 1, such as 0.95")


def check_resampling(*, confidence: Any, units: Any, replicates: Any, seed: Any) -> None:
    """Refuse what describes no bootstrap, also where none is asked for.

    Raises
    ------
    MethodError
        The confidence is no number, the units are unknown, or replicates or seed are no whole numbers.

    Examples
    --------
    >>> check_resampling(confidence="0.95", units=None, replicates=1000, seed=0)
    Traceback (most recent call last):
    podium.errors.MethodError: confidence is '0.95'; it must be a number between 0 and 1, such as 0.95
    """
    if confidence is not None:
        check_confidence(confidence)
    if units is not None and units not in UNITS:
        raise MethodError(f"there are no units {units!r} to resample; {nearest(str(units), UNITS)}")
    check_whole("replicates", replicates)
    check_whole("seed", seed, None)


def _whole(given: Any, least: int | None) -> bool:
    try:
        number = operator.index(given)
    except TypeError:
        return False
    return least is None or number >= least
