"""What a stress is, a sweep of it over strengths, and one stress after another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import LabelError, MethodError
from podium.score.table import Scores


def check_label(system: str, scores: Scores) -> None:
    """Refuse a system that is not in the table.

    Raises
    ------
    LabelError
        There is no such system; the nearest labels are named.
    """
    if system not in scores.systems:
        raise LabelError.unknown("system", system, scores.systems)


#: A stress at one strength: from scores, and a generator that all its chance comes from, to changed scores.
Stress = Callable[[Scores, np.random.Generator], Scores]


class Cases(NamedTuple):
    """All that a stress can do to a table, each as likely as any other: choose so many of some things.

    A stress has a method `cases` where it can list them, from scores to these, or to None for a table where it
    cannot.

    Attributes
    ----------
    things, chosen
        How many there are to choose from, and how many of them are chosen.
    apply
        From the indices of the chosen to the changed scores.

    Examples
    --------
    >>> import podium
    >>> every = podium.stresses.DropTasks(4).cases(podium.datasets.toy_table1())
    >>> every.number(100), every.nth(0).task_names, every.nth(14).task_names
    (15, ('Task5', 'Task6'), ('Task1', 'Task2'))
    """

    things: int
    chosen: int
    apply: Callable[[tuple[int, ...]], Scores]

    def number(self, most: int) -> int | None:
        """How many cases there are; None where there are more than so many."""
        if 0 < self.chosen < self.things and self.things > most:  # the number itself may have a million digits
            return None
        number = comb(self.things, self.chosen)
        return number if number <= most else None

    def nth(self, number: int) -> Scores:
        """Return the case of this number, from 0."""
        return self.apply(next(islice(combinations(range(self.things), self.chosen), number, None)))


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


def compose(*stresses: Stress) -> Stress:
    """Return a stress that applies several, the first one first.

    Each has a generator of its own, so the strength of one does not change the random numbers of the next.

    Examples
    --------
    >>> import podium
    >>> from podium.stresses import Rescale
    >>> compose(Rescale(1), Rescale(2))
    Composed(stresses=(Rescale(enlargement=1, tasks=1), Rescale(enlargement=2, tasks=1)))
    """
    return _Composed(stresses)


@dataclass(frozen=True, slots=True, repr=False)
class _Composed:
    stresses: tuple[Stress, ...]

    def __repr__(self) -> str:
        return f"Composed(stresses={self.stresses})"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        for stress, own in zip(self.stresses, rng.spawn(len(self.stresses)), strict=True):
            scores = stress(scores, own)
        return scores
