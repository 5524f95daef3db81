"""Himmi et al. 2023, Table 4: how often σ²ˡ, σˡ and mean agree on the top, with cells removed."""

import numpy as np
from cells import TABLES, cells
from himmi_table3 import PAIRS
from numpy.typing import NDArray
from outcome import Finding, Section
from removals import pair, same_places, same_top

__all__ = ["section"]

Floats = NDArray[np.float64]

PRINTED = {"σ²ˡ, σˡ": (0.67, 0.36), "σˡ, mean": (0.21, 0.09), "mean, σ²ˡ": (0.19, 0.09)}


def section() -> Section:
    """Compare places in the rankings of Table 3."""
    found = {which: np.array([_shares(name, *places) for name in TABLES]) for which, places in PAIRS.items()}
    return Section(
        "Himmi et al., Table 4: the same top systems by σ²ˡ, σˡ and mean",
        "Of the rankings of Table 3: the share in which both methods have the same system at a place, mean of the four "
        "tables.",
        [
            *(finding for which, shares in found.items() for finding in _findings(which, shares.mean(axis=0))),
            _claim(found),
        ],
        [
            ["share with the same first, third, first three", *PAIRS],
            *(
                [name, *(", ".join(f"{share:.2f}" for share in shares[row]) for shares in found.values())]
                for row, name in enumerate(TABLES)
            ),
        ],
    )


def _shares(name: str, one: int, other: int) -> tuple[float, float, float]:
    a, b = pair(cells(name), one, other)
    return same_places(a, b, 1), same_places(a, b, 3), same_top(a, b, 3)


def _findings(which: str, shares: Floats) -> list[Finding]:
    first, third, three = shares
    absent = "most of the paper's tables are not here"
    return [
        Finding(f"{which}, top 1", f"{PRINTED[which][0]:.2f}", f"{first:.2f}", "not reproducible", absent),
        Finding(
            f"{which}, top 3",
            f"{PRINTED[which][1]:.2f}",
            f"{third:.2f}",
            "not reproducible",
            f"{absent}; the released code takes the share with the same *third* system; the same first three have "
            f"{three:.2f}",
        ),
    ]


def _claim(found: dict[str, Floats]) -> Finding:
    levels, *others = (shares.mean(axis=0) for shares in found.values())
    holds = bool(all((levels > other).all() for other in others))
    return Finding(
        "σ²ˡ and σˡ agree with each other at the top, and not with mean",
        "0.67 beside 0.21 and 0.19",
        f"{levels[0]:.2f} beside {others[0][0]:.2f} and {others[1][0]:.2f}",
        "reproduced" if holds else "not reproduced",
        "over all η; also of the third place and of the first three",
    )
