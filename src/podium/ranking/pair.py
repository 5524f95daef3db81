"""Every system against every other: shares of comparisons won, and how sure they are; frozen."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.report.result import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise(Result):
    """Direct comparisons of all pairs of systems, with Hoeffding intervals.

    Attributes
    ----------
    systems
        The N labels, by `share`, best first; equals in order of their labels, systems never compared last.
    share
        Shape `(N,)`: mean over the opponents met of `probability`, NaN for a system never compared.
    probability
        Shape `(N, N)`: share of the comparisons of i and j that i won, ties counting half; only ballots that score
        both count. NaN where there are none, and on the diagonal.
    compared
        Shape `(N, N)`: number of these comparisons; where they weigh differently, the effective number
        (Σ w)² / Σ w², which is what the intervals rest on.
    radius
        Shape `(N, N)`: half-width of the intervals before they are cut to [0, 1]; infinite where nothing was compared.
    low, high
        Shape `(N, N)`: ends of the interval of the probability that i beats j; 0 and 1 where nothing was compared.
    separated
        Shape `(N, N)`: whether i is better than j beyond doubt, low > ½.
    level
        The ballots: "task", "one" or "two".
    confidence, sided, simultaneous
        What the intervals promise, see `podium.ranking.hoeffding.radius`.
    notes
        What to know before trusting it, in words.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores)
    >>> duels.systems
    ('system 3', 'system 2', 'system 1')
    >>> duels.separated
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """

    schema: ClassVar[str] = "pairwise"
    row_key: ClassVar[str] = "pairs"

    systems: tuple[str, ...]
    share: Floats
    probability: Floats
    compared: Floats
    radius: Floats
    low: Floats
    high: Floats
    separated: NDArray[np.bool_]
    level: str
    confidence: float
    sided: str
    simultaneous: bool
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        pairs = len(self) * (len(self) - 1) // 2
        return (
            f"Pairwise({len(self)} systems, {self.level}-level: {int(self.separated.sum())} of {pairs} pairs separated "
            f"at {self.confidence:.6g})"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per ordered pair of systems; None where a number does not exist.

        >>> import podium
        >>> podium.pairwise(podium.datasets.toy_table1()).rows()[0]["opponent"]
        'B'
        """
        return list(self._rows())

    def _rows(self) -> Iterator[dict[str, Any]]:
        columns = ("probability", "compared", "radius", "low", "high", "separated")
        numbers = {name: getattr(self, name).tolist() for name in columns}
        for i, system in enumerate(self.systems):
            for j, opponent in enumerate(self.systems):
                if i != j:
                    values = {name: _plain(rows[i][j]) for name, rows in numbers.items()}
                    yield {"system": system, "opponent": opponent, **values}

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "level": self.level,
            "confidence": self.confidence,
            "sided": self.sided,
            "simultaneous": self.simultaneous,
            "n_systems": len(self),
            "systems": [
                {"system": system, "share": _plain(share)}
                for system, share in zip(self.systems, self.share.tolist(), strict=True)
            ],
            "pairs": self.rows(),
        }


def _plain(value: float) -> float | None:
    """Return a number that JSON can hold, or None."""
    return value if np.isfinite(value) else None
