"""Himmi et al. 2023, Fig. 5 (and 9): how rankings by σ²ˡ, σˡ and mean hold as systems miss whole tasks."""

from dataclasses import replace
from functools import cache

import numpy as np
from cells import TABLES, WAYS
from numpy.typing import NDArray
from outcome import Absent, Finding, Picture, Section, Words, judged
from released import IMAGES, released

import podium
from podium.robustness.study_result import Study
from podium.stresses import RemoveCells, Sweep

__all__ = ["section"]

PICTURE = "reproduce-himmi-fig5.svg"
STRENGTHS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = 100
ABSENT = "COCO, TAC 08, 09 and 11, WebNLG 2017 and 2020, WMT 15 to 21"
NAMES = ("COCO", "TAC", "WebNLG", "WMT")
OWN = Absent(NAMES, "the scores that the paper collected were not released")


def section() -> Section:
    """Study the four tables of instances."""
    swept = tuple(replace(_study(name).sweep("cells"), name=name) for name in TABLES)
    podium.plots.save(podium.plots.stability(replace(_study("Flickr"), swept=swept)), IMAGES / PICTURE)
    return Section(
        "Himmi et al., Fig. 5, and 9 of Appendix C.2: instance-level robustness",
        f"`podium.study` with `RemoveCells` (a cell is all scores of a system on a task), {REPEATS} repeats. The "
        "paper collected its scores anew, with other metrics; four tables of the same names, with human "
        "judgements among the metrics, were released by Colombo et al., and are taken here. At η = 0.2 the first "
        f"place is kept by σ²ˡ, σˡ and mean: {'; '.join(map(_kept, TABLES))}.",
        [judged(ABSENT, Picture("pictures"), Absent(NAMES, "their scores were not released")), _ahead(), _between()],
        [
            ["mean τ of σ²ˡ, σˡ, mean", *(f"η = {share:g}" for share in STRENGTHS[1:])],
            *([name, *_row(name)] for name in TABLES),
        ],
        [(PICTURE, "τ of σ²ˡ, σˡ and mean by the share of cells removed, on four tables of instances")],
    )


@cache
def _study(name: str) -> Study:
    sweep = Sweep("cells", RemoveCells, STRENGTHS, "share of systems' tasks removed")
    return podium.study(released(f"{TABLES[name]}.parquet"), [sweep], WAYS, repeats=REPEATS)


def _held(name: str) -> NDArray[np.float64]:
    """Shape `(3, S)`: mean τ of σ²ˡ, σˡ and mean."""
    tau: NDArray[np.float64] = _study(name).sweep("cells").tau.mean(axis=2)
    return tau


def _ahead() -> Finding:
    least = {name: float((_held(name)[:2] - _held(name)[2])[:, 1:].min()) for name in TABLES}
    return judged(
        "σ²ˡ and σˡ are more robust than mean",
        Words("in every picture"),
        OWN,
        shown="least difference of τ, η from 0.05 to 0.9: "
        + ", ".join(f"{gain:.2f} ({name})" for name, gain in least.items()),
        note="the differences are of four older tables",
    )


def _between() -> Finding:
    gains = [_held(name)[1, 1:] - _held(name)[0, 1:] for name in TABLES]
    ahead, every = sum(int((gain > 0).sum()) for gain in gains), sum(gain.size for gain in gains)
    return judged(
        "σˡ stands out as the most robust (§5)",
        Words("in words"),
        OWN,
        shown=f"above σ²ˡ at {ahead} of {every} shares, by {np.mean(gains):.2f} on average",
        note="the differences are of four older tables",
    )


def _kept(name: str) -> str:
    kept = _study(name).sweep("cells").kept[:, STRENGTHS.index(0.2)].mean(axis=1)
    return f"{name} " + ", ".join(f"{share:.0%}" for share in kept)


def _row(name: str) -> list[str]:
    return [", ".join(f"{tau:.2f}".replace("-", "−") for tau in column) for column in _held(name).T[1:]]
