"""What a caller hands in: refused in plain words where it is of another kind."""

import operator
from typing import Any

import numpy as np

from podium.errors import InputError, MethodError, PodiumError, nearest
from podium.scores import Scores
from podium.seeding import generator

__all__ = [
    "UNITS",
    "check_confidence",
    "check_resampling",
    "check_scores",
    "check_threads",
    "checked_generator",
    "checked_number",
    "checked_whole",
    "number",
]

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
        checked_whole("threads", given)


def checked_whole(name: str, given: Any, least: int | None = 1, *, error: type[PodiumError] = MethodError) -> int:
    """Return a whole number from `least` up as Python's own.

    Raises
    ------
    MethodError
        It is none; or another error, where one is named.

    Examples
    --------
    >>> checked_whole("seed", np.int64(3), None)
    3
    >>> checked_whole("repeats", 0)
    Traceback (most recent call last):
    podium.errors.MethodError: repeats is 0; it must be a whole number, at least 1
    """
    try:
        whole = operator.index(given)
    except TypeError:
        whole = None
    if whole is None or (least is not None and whole < least):
        bound = "" if least is None else f", at least {least}"
        raise error(f"{name} is {given!r}; it must be a whole number{bound}")
    return whole


def number(given: Any) -> float:
    """Return what is given as a number, NaN where it is none, infinite where it is too large.

    >>> number(2), number("2")
    (2.0, nan)
    """
    try:
        return float(operator.index(given))
    except TypeError:
        return float(given) if isinstance(given, (float, np.floating)) else np.nan
    except OverflowError:
        return np.inf if given > 0 else -np.inf


def checked_number(
    name: str, given: Any, least: float = 0, most: float | None = None, *, error: type[PodiumError] = MethodError
) -> float:
    """Return a finite number from `least` up, or between two bounds.

    Raises
    ------
    MethodError
        It is none; or another error, where one is named.

    Examples
    --------
    >>> checked_number("dispersion", 1)
    1.0
    >>> checked_number("the share of scores to remove", 1.2, most=1)
    Traceback (most recent call last):
    podium.errors.MethodError: the share of scores to remove is 1.2; it must be a number from 0 to 1
    """
    value = number(given)
    if not (np.isfinite(value) and value >= least and (most is None or value <= most)):
        bound = "up" if most is None else f"to {most}"
        raise error(f"{name} is {given!r}; it must be a number from {least} {bound}")
    return value


def checked_generator(given: Any) -> np.random.Generator:
    """Return a generator as it is, or make one of a seed; for seeds see `podium.seeding.generator`.

    Raises
    ------
    InputError
        It is neither.

    Examples
    --------
    >>> checked_generator(7).random() == np.random.default_rng(7).random()
    True
    >>> checked_generator(None)
    Traceback (most recent call last):
    podium.errors.InputError: rng is None; it must be a numpy.random.Generator, or a whole number to seed one
    """
    if isinstance(given, np.random.Generator):
        return given
    try:
        return generator(given)
    except TypeError:
        raise InputError(
            f"rng is {given!r}; it must be a numpy.random.Generator, or a whole number to seed one"
        ) from None


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
    checked_whole("replicates", replicates)
    checked_whole("seed", seed, None)
