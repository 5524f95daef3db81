"""Himmi et al. 2023, Table 1: agreement of σˡ and mean on leaderboards with scores removed."""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from outcome import Finding, Section
from removals import READINGS, REPEATS, SHARES, TABLES, pair, removals, taus

__all__ = ["section"]

PRINTED = {"GLUE": (0.17, 0.24), "SGLUE": (0.33, 0.27), "XTREM": (0.26, 0.26)}

SLIP = (
    "the first {rows} rows, the leaderboard's average as one more task, every task with weight n!/k!, the first "
    "of two equal scores as if missing, a system without a score at a random place of the means"
)


def section() -> Section:
    """Take τ between the two methods over all shares: as the released code does, and by the definitions."""
    return Section(
        "Himmi et al., Table 1: τ between σˡ and mean",
        f"Every score is removed with probability η: {len(SHARES)} values from 0 to 1, {REPEATS} times each, so "
        "2,000 rankings of each leaderboard by each method, and half as many by the definitions. Mean τ of the "
        "two ± standard deviation.",
        [
            *(_finding(name) for name in PRINTED),
            Finding("GEM", "0.36 ± 0.36", "–", "not reproducible", "its scores are not among the released tables"),
            _weak(),
            _different(),
        ],
        [
            ["mean τ", "all η", "η from 0.05 to 0.4", "nothing removed"],
            *([f"{name}, {reading}", *_numbers(name, reading)] for name in PRINTED for reading in READINGS),
        ],
    )


@cache
def _between(name: str, reading: str) -> NDArray[np.float64]:
    """Shape `(S, R)`: τ between σˡ and mean, by share and repeat."""
    return taus(*pair(removals(name, reading), 0, 1)).reshape(len(SHARES), -1)


def _finding(name: str) -> Finding:
    found = _between(name, "as released")
    mean, spread = PRINTED[name]
    # three standard errors of the difference of two such means, and what printing two digits takes
    near = abs(found.mean() - mean) < 3 * np.sqrt(2 / found.size) * found.std() + 0.005
    return Finding(
        name,
        f"{mean} ± {spread}",
        f"{found.mean():.2f} ± {found.std():.2f}",
        "reproduced only with a slip" if near else "not reproduced",
        SLIP.format(rows=TABLES[name][1]),
    )


def _weak() -> Finding:
    found = {reading: [f"{_between(name, reading).mean():.2f}" for name in PRINTED] for reading in READINGS}
    return Finding(
        "a weak correlation",
        "0.17 to 0.36",
        f"by the definitions {', '.join(found['excerpt'])} on the same rows, {', '.join(found['whole'])} on whole "
        "leaderboards",
        "reproduced",
        "on the rows that the paper took, which are close to each other",
    )


def _different() -> Finding:
    found = {reading: [f"{_between(name, reading)[0].mean():.2f}" for name in PRINTED] for reading in READINGS}
    return Finding(
        "so the two give different rankings",
        "in words",
        f"τ with nothing removed: {', '.join(found['excerpt'])} on the same rows, {', '.join(found['whole'])} on whole "
        "leaderboards",
        "not reproduced",
        "they differ as scores go missing, because means are then over different tasks (Fig. 2); an average over η "
        "up to 1 is mostly about tables with few scores",
    )


def _numbers(name: str, reading: str) -> list[str]:
    found = _between(name, reading)
    some = (SHARES > 0.05) & (SHARES < 0.4)
    return [f"{part.mean():.2f} ± {part.std():.2f}" for part in (found, found[some])] + [f"{found[0].mean():.2f}"]
