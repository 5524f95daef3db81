"""One stress after another."""

from dataclasses import dataclass

import numpy as np

from podium.scores import Scores
from podium.stresses.sweeps import Stress

__all__ = ["compose"]


def compose(*stresses: Stress) -> Stress:
    """Apply stresses one after the other, from the first, each with a generator of its own, spawned from the one.

    So how strong one is does not change what the next draws.

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
