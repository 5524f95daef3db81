"""Himmi et al. 2023, Table 2: how often σˡ and mean agree on the top, on leaderboards with scores removed."""

import numpy as np
from himmi_table1 import SLIPS
from numpy.typing import NDArray
from outcome import Absent, Claim, Drawn, Finding, Numbers, Section, judged
from removals import READINGS, SHARES, TABLES, pair, removals, same_place, same_top

__all__ = ["section"]

#: The same first system in at most this share of the rankings is "different conclusions": the highest printed.
HIGHEST = 0.52
#: Places in what `_shares` gives.
_FIRST, _, _THREE, _LAST, _BEFORE = range(5)
PRINTED = {"SGLUE": (0.20, 0.15), "GLUE": (0.10, 0.07), "XTREM": (0.19, 0.09)}


def section() -> Section:
    """Compare places in the rankings of Table 1, from the top as the paper says, and from the end as its code does."""
    return Section(
        "Himmi et al., Table 2: the same top systems by σˡ and mean",
        "Of the rankings of Table 1: the share in which both methods have the same system at a place. A place "
        "that systems share counts for no system.",
        [
            judged("GEM", Numbers.read("0.52, 0.25"), Absent(["GEM"], "its scores were not released")),
            _printed(),
            _claim(),
        ],
        [
            ["share with the same", "first", "third", "first three, in any order", "last", "third from last"],
            *([f"{name}, {reading}", *_numbers(name, reading)] for name in PRINTED for reading in READINGS),
        ],
    )


def _shares(name: str, reading: str) -> tuple[NDArray[np.bool_], ...]:
    """Where both methods have the same first, third, first three, last and third from last, `(S, R)` each."""
    one, other = pair(removals(name, reading), 0, 1)
    n = one.shape[1]
    first, third, last, before = (same_place(one, other, place) for place in (1, 3, n, n - 2))
    return tuple(where.reshape(len(SHARES), -1) for where in (first, third, same_top(one, other, 3), last, before))


def _printed() -> Finding:
    """Judge the rows together: one experiment made them, and a reading has to give them all."""
    last = f"{SLIPS['as released']}; the *last* system and the third from last, since rank 0 is the lowest score"
    return judged(
        ", ".join(f"{name}, top 1 and 3" for name in PRINTED),
        Numbers.read("; ".join(f"{one:.2f}, {three:.2f}" for one, three in PRINTED.values())),
        _rows("whole", _FIRST, _THREE),
        {
            **{slip: _rows(reading, _FIRST, _THREE) for reading, slip in SLIPS.items()},
            last: _rows("as released", _LAST, _BEFORE),
        },
        note="the second table has all readings",
    )


def _rows(reading: str, *what: int) -> Drawn:
    """Shares of every leaderboard."""
    found = [Drawn.spread(_shares(name, reading)[which]) for name in PRINTED for which in what]
    return Drawn([one.values[0] for one in found], [one.errors[0] for one in found])


def _claim() -> Finding:
    some = (SHARES > 0.05) & (SHARES < 0.4)
    said, medium = [], []
    for name in TABLES:
        same = _shares(name, "whole")[_FIRST]
        medium.append(float(same[some].mean()))
        shares = f"with η from 0.05 to 0.4 {medium[-1]:.0%}, with nothing removed {same[0].mean():.0%}"
        said.append(f"{name} {same.mean():.0%}, {shares}")
    return judged(
        "σˡ and mean come to different conclusions at the top",
        Claim("the same first system in 10 to 52% of the rankings", lambda shares: max(shares) <= HIGHEST),
        medium,
        shown="; ".join(said),
        note="as far as scores are missing: the mean of what is left is led by systems that were scored where scores "
        "are high",
    )


def _numbers(name: str, reading: str) -> list[str]:
    return [f"{share.mean():.2f}" for share in _shares(name, reading)]
