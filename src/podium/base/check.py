"""Checks of arguments: what is of another kind or out of range is refused in plain words.

- Labels chosen by name or glob.
"""

import fnmatch
import operator
import re
from collections.abc import Container, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from podium.base.errors import InputError, LabelError, MethodError, PodiumError
from podium.base.parallel import generator
from podium.base.words import are, as_typed, how_many


def check_threads(given: Any) -> None:
    """Refuse a number of threads that is not a whole number from 1 up; None is any.

    Raises
    ------
    MethodError
        It is not None and no whole number, or is less than 1.

    Examples
    --------
    >>> check_threads("2")
    Traceback (most recent call last):
    podium.errors.MethodError: n_jobs is '2'; it must be a whole number, at least 1
    """
    if given is not None:
        checked_whole("n_jobs", given)


def is_one_of(given: Any, names: Container[str]) -> bool:
    """Return whether a text is among names; what is no text, such as a list or an array, never is.

    >>> is_one_of("one", ("one", "two")), is_one_of(["one"], ("one", "two"))
    (True, False)
    """
    return isinstance(given, str) and given in names


def checked_whole(name: str, given: Any, least: int | None = 1, *, error: type[PodiumError] = MethodError) -> int:
    """Return a whole number from `least` up as Python's own.

    Raises
    ------
    MethodError
        It is no whole number, or is less than `least`; or another error, where one is named.

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
    return int(whole)


def checked_path(name: str, given: Any, *, error: type[PodiumError] = InputError) -> Path:
    """Return a path.

    Raises
    ------
    InputError
        It is neither text nor a path; or another error, where one is named.

    Examples
    --------
    >>> checked_path("path", 3)
    Traceback (most recent call last):
    podium.errors.InputError: path is 3; it must be a path, such as 'file.csv'
    """
    try:
        return Path(given)
    except TypeError:
        raise error(f"{name} is {given!r}; it must be a path, such as 'file.csv'") from None


def as_number(given: Any) -> float:
    """Return the argument as a number: NaN if it is no number, infinite if it is too large.

    >>> as_number(2), as_number("2")
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
        It is no finite number, or is out of bounds; or another error, where one is named.

    Examples
    --------
    >>> checked_number("dispersion", 1)
    1.0
    >>> checked_number("the share of scores to remove", 1.2, most=1)
    Traceback (most recent call last):
    podium.errors.MethodError: the share of scores to remove is 1.2; it must be a number from 0 to 1
    """
    value = as_number(given)
    if not (np.isfinite(value) and value >= least and (most is None or value <= most)):
        bound = "up" if most is None else f"to {most}"
        raise error(f"{name} is {given!r}; it must be a number from {least} {bound}")
    return value


def checked_generator(given: Any) -> "np.random.Generator":  # NumPy loads its generators when they are first named
    """Return a generator as it is, or make one of a seed; for seeds see `podium.base.parallel.generator`.

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


#: A seed, or a generator to draw one from; None for another one every time.
Rng: TypeAlias = "int | np.random.Generator | np.random.RandomState | None"


def seed_of(rng: Any) -> int:
    """Return a seed: a whole number as it is, or one that a generator draws, a new one if there is none.

    Raises
    ------
    MethodError
        It is something else.

    Examples
    --------
    >>> seed_of(-3), seed_of(np.random.default_rng(0))
    (-3, 5874934615388537135)
    """
    if hasattr(rng, "randint"):  # NumPy's older RandomState
        return int(rng.randint(2**63 - 1, dtype=np.int64))
    if rng is None or hasattr(rng, "bit_generator"):
        return int(np.random.default_rng(rng).integers(2**63))
    try:
        return checked_whole("rng", rng, None)
    except MethodError as error:
        raise MethodError(f"{error}, a numpy.random.Generator, a RandomState or None") from None


def check_confidence(given: Any) -> None:
    """Refuse a confidence that is not a number between 0 and 1.

    Raises
    ------
    MethodError
        It is no number, or does not lie between 0 and 1.

    Examples
    --------
    >>> check_confidence(95)
    Traceback (most recent call last):
    podium.errors.MethodError: confidence_level (--confidence) is 95; it must be a number between 0 and 1, such as 0.95
    """
    if not (isinstance(given, (int, float, np.number)) and 0 < given < 1):
        raise MethodError(
            f"confidence_level (--confidence) is {given!r}; it must be a number between 0 and 1, such as 0.95"
        )


def checked_count(what: str, given: Any) -> int:
    """Return a count as a whole number from 0 up; 3.0 is 3.

    Raises
    ------
    MethodError
        It is no whole number from 0 up.

    Examples
    --------
    >>> checked_count("tasks to leave out", 3.0)
    3
    """
    value = as_number(given)
    if not (np.isfinite(value) and value >= 0 and value == np.floor(value)):
        raise MethodError(f"the number of {what} is {given!r}; give a whole number from 0 up")
    return int(value)


def check_enough(asked: int, there: int, noun: str, fate: str, *, stay: int = 0) -> None:
    """Refuse a number that is larger than what there is, or that leaves too few.

    Raises
    ------
    MethodError
        The number is too large.

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
    most = there - stay
    end = f"; ask for {most} or fewer" if most > 0 else f", so nothing can be {fate}"
    raise MethodError(
        f"{how_many(asked, noun)} {are(asked)} to be {fate}, but there {are(there)} {how_many(there, noun)}{least}{end}"
    )


def texts(kind: str, patterns: Any) -> list[str]:
    """Return a list of patterns, also of a single one.

    Raises
    ------
    LabelError
        A pattern is not text.

    Examples
    --------
    >>> texts("task", "rte"), texts("task", ("rte", "sst2"))
    (['rte'], ['rte', 'sst2'])
    """
    if isinstance(patterns, str):
        return [patterns]
    listed = list(patterns) if isinstance(patterns, Iterable) else [patterns]
    for pattern in listed:
        if not isinstance(pattern, str):
            raise LabelError(f"{kind}s are named by text, such as {str(pattern)!r}, not by {pattern!r}")
    return listed


def matching(kind: str, patterns: Iterable[str], labels: Sequence[str]) -> list[str]:
    """Return the labels that match any pattern, in their own order; `!pattern` leaves labels out.

    Raises
    ------
    LabelError
        A pattern matches nothing.

    Examples
    --------
    >>> matching("task", ["MNLI*", "!MNLI-mm"], ["RTE", "MNLI-m", "MNLI-mm"])
    ['MNLI-m']
    """
    known = set(labels)
    kept: set[str] = set()
    dropped: set[str] = set()
    only_exclusions = True
    for pattern in texts(kind, patterns):
        excludes = pattern.startswith("!") and pattern not in known
        wanted = pattern[1:] if excludes else pattern
        found = {wanted} if wanted in known else set(fnmatch.filter(labels, wanted))
        if not found:
            raise _unknown(kind, wanted, labels)
        (dropped if excludes else kept).update(found)
        only_exclusions &= excludes
    if only_exclusions and dropped:
        kept = known
    left = kept - dropped
    return [label for label in labels if label in left]


def _unknown(kind: str, wanted: str, labels: Sequence[str]) -> LabelError:
    r"""Say what there is; of a name that the command line has cut at a comma, how it is typed.

    >>> print(_unknown("task", "Lyon", ["Paris", "Lyon, Rhône"]))
    there is no task 'Lyon'; a comma of a name is typed with a backslash: 'Lyon\, Rhône'
    """
    for label in labels:
        if wanted.strip() in map(str.strip, label.split(",")):
            typed = as_typed(label.replace(",", "\\,"))
            return LabelError(f"there is no {kind} {wanted!r}; a comma of a name is typed with a backslash: {typed}")
    return LabelError.unknown(kind, wanted, labels)


def asked_for(patterns: Iterable[str], labels: Sequence[str]) -> set[str]:
    """Return the labels that a pattern other than `*` asks for, and not only leaves in.

    >>> sorted(asked_for(["*", "R*", "!WNLI"], ["RTE", "MNLI", "WNLI"])), asked_for(["!WNLI"], ["RTE", "WNLI"])
    (['RTE'], set())
    """
    wanted = [pattern for pattern in patterns if pattern in labels or not (pattern.startswith("!") or pattern == "*")]
    return set(matching("label", wanted, labels))


#: Bytes of a unit.
_UNITS = {"": 1, "B": 1} | {
    f"{prefix}{end}": base**power
    for power, prefix in enumerate("KMGT", 1)
    for end, base in (("B", 1000), ("", 1000), ("IB", 1024), ("I", 1024))
}


def bytes_of(size: str | int) -> int:
    """Read a size such as "2GB", "512MiB" or a number of bytes.

    Raises
    ------
    InputError
        It is no size.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(4096)
    (2000000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(size))
    unit = _UNITS.get(found[2].upper()) if found else None
    if found is None or unit is None or isinstance(size, bool):
        raise InputError(f"memory is {size!r}; write a size such as 2GB or 512MiB")
    return int(float(found[1]) * unit)
