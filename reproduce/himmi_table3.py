"""Himmi et al. 2023, Table 3: agreement of σ²ˡ, σˡ and mean on tables of instances with cells removed."""

import numpy as np
from cells import REPEATS, SHARES, TABLES, cells
from numpy.typing import NDArray
from outcome import Absent, Finding, Numbers, Section, Words, judged
from removals import pair, taus

__all__ = ["PAIRS", "section"]

#: Methods by their place in `WAYS`: σ²ˡ and σˡ, σˡ and mean, mean and σ²ˡ.
PAIRS = {"σ²ˡ, σˡ": (0, 1), "σˡ, mean": (1, 2), "mean, σ²ˡ": (2, 0)}
#: Of the tables that the paper collected.
ABSENT = Absent(["COCO", "TAC", "WebNLG", "WMT"], "the tables of the paper, many of translations, were not released")
PRINTED = {"σ²ˡ, σˡ": "0.80 ± 0.22", "σˡ, mean": "0.20 ± 0.28", "mean, σ²ˡ": "0.19 ± 0.28"}


def section() -> Section:
    """Take τ between the methods over all shares, by the definitions."""
    found = {which: {name: _between(name, *places) for name in TABLES} for which, places in PAIRS.items()}
    return Section(
        "Himmi et al., Table 3: τ between σ²ˡ, σˡ and mean",
        f"Cells are removed as in Fig. 5, {len(SHARES)} values of η from 0 to 1, {REPEATS} times each: mean τ of "
        "two methods ± standard deviation over all rankings, of the four tables together.",
        [
            *(_finding(which, np.concatenate(list(of.values()))) for which, of in found.items()),
            _alike(found["σ²ˡ, σˡ"]),
            _apart(found["σˡ, mean"]),
        ],
        [
            ["mean τ (with nothing removed)", *PAIRS],
            *(
                [name, *(f"{of[name].mean():.2f} ({of[name][0].mean():.2f})" for of in found.values())]
                for name in TABLES
            ),
        ],
    )


def _between(name: str, one: int, other: int) -> NDArray[np.float64]:
    """Shape `(S, R)`: by share and repeat."""
    return taus(*pair(cells(name), one, other)).reshape(len(SHARES), -1)


def _finding(which: str, found: NDArray[np.float64]) -> Finding:
    return judged(
        f"τ of {which}",
        Numbers.read(PRINTED[which]),
        ABSENT,
        shown=f"{found.mean():.2f} ± {found.std():.2f}",
        note="ours is of four older ones",
    )


def _alike(found: dict[str, NDArray[np.float64]]) -> Finding:
    least = min(of[0].mean() for of in found.values())
    return judged(
        "σ²ˡ and σˡ produce highly correlated rankings",
        Words("in words"),
        ABSENT,
        shown=f"with nothing removed at least {least:.2f}, over all η at least "
        f"{min(of.mean() for of in found.values()):.2f}",
        note="ours is of four older ones",
    )


def _apart(found: dict[str, NDArray[np.float64]]) -> Finding:
    whole = {name: float(of[0].mean()) for name, of in found.items()}
    return judged(
        "… while being different from mean",
        Words("in words"),
        ABSENT,
        shown="with nothing removed " + ", ".join(f"{tau:.2f} ({name})" for name, tau in whole.items()),
        note="on older tables where τ is 1, the two differ only as cells go missing",
    )
