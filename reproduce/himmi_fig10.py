"""Himmi et al. 2023, Appendix C.3, Fig. 10: who is better than whom beyond doubt, on more tables."""

from collections.abc import Mapping

import numpy as np
from cells import TABLES
from himmi_fig6 import DELTA, SHARE, separated_apart
from numpy.typing import NDArray
from outcome import Absent, Finding, Picture, Section, Words, judged
from released import released

import podium
from podium.stresses import RemoveCells

__all__ = ["section"]

Floats = NDArray[np.float64]

#: How often cells are removed; the pictures have them removed once.
DRAWS = 20


def section() -> Section:
    """Compare all pairs of the systems of four tables."""
    found = {name: _separated(name) for name in TABLES}
    absent = Absent(["TAC", "WMT"], "their scores were not released")
    most = max(len(shares) for shares in found.values())
    return Section(
        "Himmi et al., Fig. 10: confidence of comparisons on more tables",
        f"As Fig. 6, of the tables at hand: {SHARE:.0%} of the cells removed, {DRAWS} times, two-sided intervals of "
        f"{1 - DELTA:.0%} with metrics taken for independent, as the paper takes them. The share of the pairs that are "
        "separated, by how many places apart the two systems are. Tables of four and five systems have few pairs.",
        [judged("TAC08, WMT21 en-de, en-ha and en-zh", Picture(), absent), _diagonal(absent, found)],
        [
            ["places apart", *map(str, range(1, most + 1))],
            *(
                [name, *(f"{share:.2f}" for share in shares), *[""] * (most - len(shares))]
                for name, shares in found.items()
            ),
        ],
    )


def _separated(name: str) -> Floats:
    """Shape `(N − 1,)`: share of the pairs separated, by their distance in places."""
    scores = released(f"{TABLES[name]}.parquet")
    shares = []
    for draw in range(DRAWS):
        left = RemoveCells(SHARE)(scores, np.random.default_rng([10, draw]))
        apart = separated_apart(left, podium.rank(left, "borda:one:missing=imputed", confidence_level=None).systems)
        shares.append([np.diagonal(apart, places).mean() for places in range(1, len(apart))])
    mean: Floats = np.mean(shares, axis=0)
    return mean


def _diagonal(absent: Absent, found: Mapping[str, Floats]) -> Finding:
    ends = {name: (shares[0], shares[len(shares) // 2 :].mean()) for name, shares in found.items()}
    return judged(
        "systems are closer near the diagonal",
        Words("in words"),
        absent,
        shown="; ".join(f"{name} {near:.0%} and {far:.0%}" for name, (near, far) in ends.items()),
        note="the shares are of four older tables: neighbours separated, and pairs half the table apart or more",
    )
