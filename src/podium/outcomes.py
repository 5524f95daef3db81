"""What one repeat of a stress did to each method, at each strength; as JSON can hold it, and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outcome"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What one repeat of a stress did, at S strengths, to M methods; for the fields see `podium.studies.Swept`.

    Attributes
    ----------
    tau, kept, error
        Shape `(M, S)`; no error where there is no truth.
    first
        For each method and strength, the indices of the systems that are first.
    unplaced, unranked
        Shape `(M, S)`: whether the method places some systems and not others, or cannot rank at all.
    emptied
        Shape `(S,)`: whether a system or a task lost all its scores.
    """

    tau: Floats
    kept: Floats
    error: Floats | None
    first: tuple[tuple[tuple[int, ...], ...], ...]
    unplaced: NDArray[np.bool_]
    unranked: NDArray[np.bool_]
    emptied: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence["Outcome"]) -> Self:
        """Put several strengths one behind the other."""
        errors = [part.error for part in parts if part.error is not None]
        return cls(
            tau=np.concatenate([part.tau for part in parts], axis=1),
            kept=np.concatenate([part.kept for part in parts], axis=1),
            error=np.concatenate(errors, axis=1) if errors else None,
            first=tuple(tuple(chain(*firsts)) for firsts in zip(*(part.first for part in parts), strict=True)),
            unplaced=np.concatenate([part.unplaced for part in parts], axis=1),
            unranked=np.concatenate([part.unranked for part in parts], axis=1),
            emptied=np.concatenate([part.emptied for part in parts]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, from which `of_dict` makes the same."""
        return {
            "tau": self.tau.tolist(),
            "kept": self.kept.tolist(),
            "error": None if self.error is None else self.error.tolist(),
            "first": self.first,
            "unplaced": self.unplaced.tolist(),
            "unranked": self.unranked.tolist(),
            "emptied": self.emptied.tolist(),
        }

    @classmethod
    def of_dict(cls, content: Any, *, shape: tuple[int, int], systems: int, truth: bool) -> Self:
        """Make an outcome of plain lists.

        Parameters
        ----------
        content
            As of `to_dict`, perhaps damaged.
        shape
            `(M, S)`.
        systems
            How many there are.
        truth
            Whether there are errors.

        Raises
        ------
        ValueError
            They cannot be those of an outcome.

        Examples
        --------
        >>> one = np.ones((1, 1))
        >>> content = Outcome(one, one, None, (((0, 2),),), one > 1, one > 1, one[0] > 1).to_dict()
        >>> Outcome.of_dict(content, shape=(1, 1), systems=3, truth=False).first
        (((0, 2),),)
        """
        if not isinstance(content, dict):
            raise ValueError("an outcome is no mapping")  # noqa: TRY004  # of damage there is one kind
        return cls(
            tau=_numbers(content.get("tau"), shape, least=-1),
            kept=_numbers(content.get("kept"), shape),
            error=_numbers(content.get("error"), shape) if truth else None,
            first=_firsts(content.get("first"), shape, systems),
            unplaced=_numbers(content.get("unplaced"), shape) > 0,
            unranked=_numbers(content.get("unranked"), shape) > 0,
            emptied=_numbers(content.get("emptied"), shape[1:]) > 0,
        )


def _numbers(values: Any, shape: tuple[int, ...], least: float = 0) -> Floats:
    """Return numbers of a shape, between the least and 1; those that are missing are not."""
    array = np.array(values, dtype=np.float64)
    if array.shape != shape or not ((array >= least) & (array <= 1)).all():
        raise ValueError("numbers of an outcome are out of place")
    return array


def _firsts(values: Any, shape: tuple[int, int], systems: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    found = tuple(tuple(tuple(first) for first in row) for row in values)
    if len(found) != shape[0] or any(len(row) != shape[1] for row in found):
        raise ValueError("systems of an outcome are out of place")
    if not all(_are_some(first, systems) for row in found for first in row):
        raise ValueError("systems of an outcome are not there")
    return found


def _are_some(first: tuple[Any, ...], systems: int) -> bool:
    """Whether these are indices of systems, at least one, none twice."""
    whole = all(type(index) is int and 0 <= index < systems for index in first)
    return whole and 0 < len(first) == len(set(first))
