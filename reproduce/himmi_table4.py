"""Himmi et al. 2023, Table 4: how often σ²ˡ, σˡ and mean agree on the top, with cells removed."""

import numpy as np
from cells import TABLES, cells
from himmi_table3 import ABSENT, PAIRS
from numpy.typing import NDArray
from outcome import Finding, Numbers, Section, Words, judged
from removals import pair, same_place, same_top

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
    first, third, three = (float(same.mean()) for same in (same_place(a, b, 1), same_place(a, b, 3), same_top(a, b, 3)))
    return first, third, three


def _findings(which: str, shares: Floats) -> list[Finding]:
    first, third, three = shares
    printed_first, printed_three = (Numbers([share], 2) for share in PRINTED[which])
    return [
        judged(f"{which}, top 1", printed_first, ABSENT, shown=f"{first:.2f}"),
        judged(
            f"{which}, top 3",
            printed_three,
            ABSENT,
            shown=f"{third:.2f}",
            note="the released code takes the share with the same *third* system; the same first three have "
            f"{three:.2f}",
        ),
    ]


def _claim(found: dict[str, Floats]) -> Finding:
    levels, *others = (shares.mean(axis=0) for shares in found.values())
    return judged(
        "σ²ˡ and σˡ agree with each other at the top, and not with mean",
        Words("in words"),
        ABSENT,
        shown=f"{levels[0]:.2f} beside {others[0][0]:.2f} and {others[1][0]:.2f}",
        note="ours is of the first place, on four older ones",
    )
