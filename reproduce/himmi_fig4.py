"""Himmi et al. 2023, Fig. 4: how many pairs Hoeffding intervals tell apart, by the number of comparisons and by φ."""

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from outcome import Claim, Picture, Section, judged

import podium
from podium.ranking.pairwise import Sided, radius

__all__ = ["apart", "section"]

Floats = NDArray[np.float64]

SYSTEMS, WORLDS = 20, 50
DISPERSIONS = (0.0, 0.1, 0.25, 0.5, 1.0)
COMPARISONS = (10, 30, 100, 300, 500)
PAIRS = SYSTEMS * (SYSTEMS - 1) // 2


def section() -> Section:
    """Count pairs told apart in Gumbel worlds."""
    at = {(phi, m): apart(phi, m, 0.01) for phi in DISPERSIONS for m in COMPARISONS}
    needed = {phi: next((m for m in COMPARISONS if at[phi, m] >= 0.8 * PAIRS), None) for phi in DISPERSIONS[1:]}
    falls = all(at[low, m] <= at[high, m] for m in COMPARISONS for low, high in pairwise(DISPERSIONS))
    wrong = {sided: apart(0.0, 500, 0.1, sided) / PAIRS for sided in ("two", "one")}
    return Section(
        "Himmi et al., Fig. 4: comparisons and confidence",
        f"Gumbel worlds of {SYSTEMS} systems (§3.1), m comparisons of every pair; how many of the {PAIRS} pairs "
        f"have ½ outside their interval, mean of {WORLDS} worlds: two-sided, and in brackets one-sided as Eq. 4 "
        "prints it. At φ = 0 all systems are equal, so every separated pair is an error.",
        [
            judged(
                "curves",
                Picture(),
                at,
                shown="the table below",
                note="numbers of systems and values of φ and m are in the picture only; the released notebook draws "
                "Mallows rankings of 10 systems, and counts with another bound, √(log(4 n m²/δ) / 2m)",
            ),
            judged(
                "the closer φ is to 1, the fewer comparisons are needed",
                Claim("as expected", bool),
                falls,
                shown="four pairs of five separated at δ = 0.01 with "
                + ", ".join(f"{m or f'more than {COMPARISONS[-1]}'} (φ = {phi:g})" for phi, m in needed.items()),
            ),
            judged(
                "Eq. 4 as an interval of level δ",
                Claim("√(−log δ / 2z) for both sides", lambda share: share <= 0.1),
                wrong["one"],
                shown=f"at φ = 0, δ = 0.1, m = 500 separates {wrong['one']:.1%} of the pairs, the two-sided "
                f"{wrong['two']:.1%}",
                note="Hoeffding's inequality says log(2/δ) for both sides together; it is so wide that a single pair "
                "is separated wrongly less often than δ either way",
            ),
        ],
        _table(),
    )


@cache
def apart(dispersion: float, comparisons: int, delta: float, sided: Sided = "two") -> float:
    """Mean number of pairs with ½ outside their interval."""
    shares, compared = _worlds(dispersion, comparisons)
    bound = radius(compared, confidence=1 - delta, sided=sided)
    return float(np.mean([np.count_nonzero(np.triu(abs(share - 0.5) > bound, 1)) for share in shares]))


@cache
def _worlds(dispersion: float, comparisons: int) -> tuple[list[Floats], Floats]:
    """Share of comparisons won in each world, and the numbers of comparisons, which are all the same."""
    rng = np.random.default_rng(4)
    worlds = [podium.simulate.gumbel(SYSTEMS, 1, comparisons, dispersion=dispersion, rng=rng) for _ in range(WORLDS)]
    duels = [podium.pairwise(world.scores) for world in worlds]
    return [np.nan_to_num(one.probability, nan=0.5) for one in duels], duels[0].compared


def _table() -> list[list[str]]:
    rows = [["δ", "φ", *(f"m = {m}" for m in COMPARISONS)]]
    for delta in (0.01, 0.1):
        for phi in DISPERSIONS:
            counts = (f"{apart(phi, m, delta):.0f} ({apart(phi, m, delta, 'one'):.0f})" for m in COMPARISONS)
            rows.append([f"{delta:g}", f"{phi:g}", *counts])
    return rows
