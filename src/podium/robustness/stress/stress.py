"""What a stress is, a sweep of it over strengths, and one stress after another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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
