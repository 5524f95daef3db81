"""Himmi et al. 2023, Table 2: how often σˡ and mean agree on the top, on leaderboards with scores removed."""

import numpy as np
from numpy.typing import NDArray
from outcome import Finding, Section, Verdict
from removals import READINGS, REPEATS, SHARES, TABLES, pair, removals, same_places, same_top

__all__ = ["section"]

PRINTED = {"SGLUE": (0.20, 0.15), "GLUE": (0.10, 0.07), "XTREM": (0.19, 0.09)}


def section() -> Section:
    """Compare places in the rankings of Table 1, from the top as the paper says, and from the end as its code does."""
    return Section(
        "Himmi et al., Table 2: the same top systems by σˡ and mean",
        "Of the rankings of Table 1: the share in which both methods have the same system at a place. A place "
        "that systems share counts for no system.",
        [
            Finding("GEM", "0.52, 0.25", "–", "not reproducible", "its scores are not among the released tables"),
            *(finding for name in PRINTED for finding in _findings(name)),
            _claim(),
        ],
        [
            ["share with the same", "first", "third", "first three, in any order", "last", "third from last"],
            *([f"{name}, {reading}", *_numbers(name, reading)] for name in PRINTED for reading in READINGS),
        ],
    )


def _shares(name: str, reading: str) -> tuple[float, ...]:
    one, other = pair(removals(name, reading), 0, 1)
    n = one.shape[1]
    first, third, last, before = (same_places(one, other, place) for place in (1, 3, n, n - 2))
    return first, third, same_top(one, other, 3), last, before


def _findings(name: str) -> list[Finding]:
    first, _, three, last, before = _shares(name, "as released")
    lowest = f"the share with the same *last* system, since rank 0 is the lowest score; the same first have {first:.2f}"
    third = f"the share with the same system third from last; the same first three have {three:.2f}"
    return [
        _finding(f"{name}, top 1", PRINTED[name][0], last, lowest),
        _finding(f"{name}, top 3", PRINTED[name][1], before, third),
    ]


def _finding(what: str, printed: float, share: float, slip: str) -> Finding:
    rankings = len(SHARES) * REPEATS
    # three standard errors of the difference of two such shares, and what printing two digits takes
    near = abs(share - printed) < 3 * np.sqrt(2 * printed * (1 - printed) / rankings) + 0.005
    verdict: Verdict = "reproduced only with a slip" if near else "not reproduced"
    return Finding(what, f"{printed:.2f}", f"{share:.2f}", verdict, f"besides the slips of Table 1, {slip}")


def _claim() -> Finding:
    some = (SHARES > 0.05) & (SHARES < 0.4)
    said = []
    for name in TABLES:
        both = removals(name, "whole")
        n = both.whole.shape[1]
        at = [_first(both.removed[part].reshape(-1, 2, n)) for part in (slice(None), some, [0])]
        said.append(f"{name} {at[0]:.0%}, with η from 0.05 to 0.4 {at[1]:.0%}, with nothing removed {at[2]:.0%}")
    return Finding(
        "σˡ and mean come to different conclusions at the top",
        "the same first system in 10 to 52% of the rankings",
        "whole leaderboards, by the definitions: " + "; ".join(said),
        "reproduced",
        "as far as scores are missing: the mean of what is left is led by systems that were scored where scores "
        "are high",
    )


def _first(rankings: NDArray[np.float64]) -> float:
    return same_places(rankings[:, 0], rankings[:, 1], 1)


def _numbers(name: str, reading: str) -> list[str]:
    return [f"{share:.2f}" for share in _shares(name, reading)]
