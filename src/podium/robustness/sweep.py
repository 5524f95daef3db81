"""Sweeps: a stress at several strengths; the usual ones of a table, and how one is applied."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError, PodiumError
from podium.base.parallel import generator
from podium.base.words import are, how_many, rounded_percent
from podium.robustness.remove import RemoveCells, RemoveHard, RemoveScores, Subsample
from podium.robustness.stresses import Cases, CloneSystem, Corrupt, DropSystems, DropTasks, Rescale, Stress
from podium.score.family import family_names
from podium.score.table import Scores, check_scores, of_battles

#: What is measured of a stressed ranking, and whether more of it is better.
MEASURES = {"tau": True, "kept": True, "error": False}

#: Means over trials beyond which a method has broken down, see `podium.Study.breakdown`.
BOUNDS = {"tau": 0.5, "kept": 0.5, "error": 0.75}

#: How sure intervals of these means are.
CONFIDENCE = 0.95

#: First number of the keys of generators of stresses; worlds have 0.
_STRESSES = 1

#: Scores below which shares are rounded to whole scores.
_FEW = 200

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A stress at several strengths.

    Attributes
    ----------
    name
        Short, as it is typed: "missing".
    stress
        From a strength to the stress at this strength, such as a class of `podium.stresses`; strength 0 must change
        nothing.
    strengths
        From weak to strong; any sequence.
    axis
        What strength means, in words, as on the axis of a picture: "share of scores removed".

    Raises
    ------
    MethodError
        The strengths are no sequence.

    Examples
    --------
    >>> from podium.stresses import Rescale
    >>> sweep = Sweep("scale", Rescale, (0, 1, 9), "one task's scores enlarged (9: ten times)")
    >>> sweep.stress(9)
    Rescale(enlargement=9, tasks=1)
    """

    name: str
    stress: Callable[[Any], Stress]
    strengths: Sequence[float] | NDArray[Any]
    axis: str

    def __post_init__(self) -> None:
        given: Any = self.strengths.tolist() if isinstance(self.strengths, np.ndarray) else self.strengths
        try:
            object.__setattr__(self, "strengths", tuple(given))
        except TypeError:
            raise MethodError(
                f"the strengths of stress {self.name!r} are {given!r}; give several, as in (0, 1, 2)"
            ) from None


class Usual(NamedTuple):
    """One of the usual stresses.

    Attributes
    ----------
    stress, axis
        As of a `Sweep`.
    needs
        What a table needs for it, in words.
    strengths
        The strengths for a table, 0 first; none above 0 if the table lacks what is needed.
    phrase
        What a strength means, after "if".
    of_battles
        Whether it leaves battles of two systems what they are.
    off_range
        Whether scores may leave the range of a metric, so that methods of shares of 0 to 1 cannot take them.
    """

    stress: Callable[[Any], Stress]
    axis: str
    needs: str
    strengths: Callable[[Scores], tuple[float, ...]]
    phrase: Callable[[float], str]
    of_battles: bool = False
    off_range: bool = False


def _shares(number: int) -> tuple[float, ...]:
    """Return shares to remove; where there are few scores, only shares of whole scores, with three decimals."""
    if number >= _FEW:
        return _SHARES
    return tuple(sorted({round(round(share * number) / number, 3) for share in _SHARES})) if number else (0.0,)


def _cells(scores: Scores) -> int:
    return sum(int((task.scored > 0).sum()) for task in scores.tasks)


def _counts(most: int) -> tuple[float, ...]:
    """Return about six whole numbers from 0 to the most, evenly spaced."""
    return tuple(sorted(set(np.linspace(0, most, min(most, 5) + 1).round().astype(int).tolist())))


#: The usual stresses, by the name that is typed.
USUAL = {
    "corrupt": Usual(
        Corrupt,
        "tasks that rank the systems in reverse",
        "two tasks",
        lambda scores: _counts(min(len(scores.tasks) - 1, 10)),
        lambda s: "1 task's order is reversed" if s == 1 else f"the orders of {s:.0f} tasks are reversed",
        off_range=True,
    ),
    "scale": Usual(
        Rescale,
        "one task's scores enlarged (9: ten times)",
        "two tasks",
        lambda scores: (0, 1, 9, 99, 999) if len(scores.tasks) > 1 else (),
        lambda s: f"one task's scores are {1 + s:g} times as large",
        off_range=True,
    ),
    "missing": Usual(
        RemoveScores,
        "share of scores removed",
        "two tasks or instances",
        lambda scores: _shares(scores.n_scored) if len(scores.tasks) > 1 or not scores.task_level else (),
        lambda s: f"{rounded_percent(s)} of the scores are missing",
    ),
    "cells": Usual(
        RemoveCells,
        "share of systems' tasks removed, each as a whole",
        "two tasks and instances",  # without instances a cell is a score
        lambda scores: _shares(_cells(scores)) if len(scores.tasks) > 1 and not scores.task_level else (),
        lambda s: f"{rounded_percent(s)} of the (system, task) results are missing",
    ),
    "instances": Usual(
        Subsample,
        "share of instances left out",
        "instances",
        lambda scores: () if scores.task_level else (0.0, 0.2, 0.5, 0.8, 0.9, 0.95),  # often there are more than needed
        lambda s: f"{rounded_percent(s)} of the instances are left out",
        of_battles=True,
    ),
    "hard": Usual(
        RemoveHard,
        "share of scores removed, more often on hard instances",
        "instances",
        lambda scores: () if scores.task_level else _shares(scores.n_scored),
        lambda s: f"{rounded_percent(s)} of the scores are missing, more of them on hard instances",
    ),
    "tasks": Usual(
        DropTasks,
        "tasks left out",
        "two tasks",
        lambda scores: _counts(len(set(family_names(scores.tasks))) - 1),
        lambda s: f"{how_many(int(s), 'task')} {are(s)} left out",
        of_battles=True,
    ),
    "systems": Usual(
        DropSystems,
        "systems left out",
        "four systems",
        lambda scores: _counts(len(scores.systems) // 2) if len(scores.systems) > 3 else (),
        lambda s: f"{how_many(int(s), 'system')} {are(s)} left out (if the leader is among them, the next one counts)",
        of_battles=True,
    ),
    "clone": Usual(
        CloneSystem,
        "copies of one system added",
        "nothing",
        lambda _: (0, 1, 2, 5),
        lambda s: f"one system is entered {int(s) + 1} times",
    ),
}


def usual(scores: Scores) -> tuple[Sweep, ...]:
    """Return the sweeps that fit a table, each from strength 0, which changes nothing.

    Parameters
    ----------
    scores
        The table.

    Examples
    --------
    >>> import podium
    >>> for sweep in podium.stresses.usual(podium.datasets.toy_table1()):
    ...     print(sweep.name, [round(strength, 2) for strength in sweep.strengths], sweep.axis, sep=": ")
    corrupt: [0, 1, 2, 3, 4, 5]: tasks that rank the systems in reverse
    scale: [0, 1, 9, 99, 999]: one task's scores enlarged (9: ten times)
    missing: [0.0, 0.06, 0.11, 0.22, 0.28, 0.5, 0.72]: share of scores removed
    tasks: [0, 1, 2, 3, 4, 5]: tasks left out
    clone: [0, 1, 2, 5]: copies of one system added
    """
    battles = of_battles(scores)
    kinds = [(name, kind) for name, kind in USUAL.items() if kind.of_battles or not battles]
    sweeps = (Sweep(name, kind.stress, kind.strengths(scores), kind.axis) for name, kind in kinds)
    return tuple(sweep for sweep in sweeps if any(sweep.strengths))


def phrase(name: str, strength: float) -> str:
    """Say what a strength of a stress means, after "if".

    >>> phrase("tasks", 2.0), phrase("mine", 0.5)
    ('2 tasks are left out', 'mine is at 0.5')
    """
    return USUAL[name].phrase(strength) if name in USUAL else f"{name} is at {strength:g}"


def chance(seed: int, sweep: Sweep, repeat: int) -> np.random.Generator:
    """Return the random numbers of a stress in a repeat, the same at all its strengths and in every process."""
    name = int.from_bytes(hashlib.sha256(sweep.name.encode()).digest()[:8], "big")
    return generator(seed, _STRESSES, name, repeat)


def stressed(scores: Scores, sweep: Sweep, strength: float, rng: np.random.Generator) -> Scores:
    """Apply a stress.

    Raises
    ------
    MethodError
        It cannot be applied, or the stressed table has no system in common with the table.
    """
    return _checked(scores, sweep, strength, lambda: sweep.stress(strength)(scores, rng))


def nth_case(scores: Scores, sweep: Sweep, strength: float, number: int) -> Scores:
    """Apply one of the cases that `cases_of` lists, by its number; raise as `stressed` does."""
    every = cases_of(scores, sweep, strength)
    assert every is not None  # noqa: S101  # it was asked before
    return _checked(scores, sweep, strength, lambda: every.nth(number))


def cases_of(scores: Scores, sweep: Sweep, strength: float) -> Cases | None:
    """List all that a stress can do, or None where it cannot say; without stress there is the table alone."""
    if not strength:
        return Cases(0, 0, lambda _: scores)
    listing = getattr(sweep.stress(strength), "cases", None)
    return None if listing is None else listing(scores)


def _checked(scores: Scores, sweep: Sweep, strength: float, change: Callable[[], Scores]) -> Scores:
    try:
        changed = change()
        check_scores(changed)
    except PodiumError as error:
        raise MethodError(f"stress {sweep.name!r} at {strength:g}: {error}") from error
    if changed.systems != scores.systems and set(scores.systems).isdisjoint(changed.systems):
        raise MethodError(
            f"stress {sweep.name!r} at {strength:g} leaves none of the systems, so there is nothing to compare"
        )
    return changed
