"""Himmi et al. 2023, Fig. 2: how rankings by σˡ and by mean hold as scores are removed from leaderboards."""

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from outcome import Absent, Claim, Finding, Picture, Section, judged
from released import IMAGES, released
from removals import READINGS, REPEATS, SHARES, TABLES, held, removals

import podium
from podium.robustness.study_result import Study
from podium.stresses import RemoveScores, Sweep

__all__ = ["section"]

PICTURE = "reproduce-himmi-fig2.svg"
#: η of the picture, and of the table.
STRENGTHS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHOWN = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)


def section() -> Section:
    """Study whole leaderboards; beside them the paper's excerpts, by its definitions and as released."""
    podium.plots.save(podium.plots.stability(_picture()), IMAGES / PICTURE)
    return Section(
        "Himmi et al., Fig. 2: task-level robustness",
        f"`podium.study` with `RemoveScores` on whole leaderboards, {REPEATS} repeats; and the paper's excerpts of "
        "Table 1, by its definitions and as released, at the nearest of its η. τ is between the rankings with and "
        "without missing scores, by the same method. The τ that were released with the paper are of the third "
        "reading, so its figure shows those.",
        [
            judged("GEM", Picture(), Absent(["GEM"], "its scores were not released")),
            _ends(),
            *(_claim(name) for name in TABLES),
            _better(),
        ],
        [
            ["mean τ of σˡ (of mean)", *(f"η = {share:g}" for share in SHOWN)],
            *([f"{name}, {reading}", *_row(name, reading)] for name in TABLES for reading in READINGS),
        ],
        [(PICTURE, "τ of σˡ and of mean by the share of scores removed, on GLUE, SuperGLUE and XTREME")],
    )


@cache
def _study(name: str) -> Study:
    sweep = Sweep("missing", RemoveScores, STRENGTHS, "share of scores removed")
    return podium.study(released(f"{TABLES[name][0]}.csv"), [sweep], ["borda:missing=imputed", "mean"], repeats=REPEATS)


def _picture() -> Study:
    """Put the studies side by side, each under the name of its leaderboard."""
    swept = tuple(replace(_study(name).sweep("missing"), name=name) for name in TABLES)
    return replace(_study("GLUE"), swept=swept)


@cache
def _held(name: str, reading: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """η, and mean τ of σˡ and of mean at them, shape `(2, S)`."""
    if reading == "whole":
        return np.array(STRENGTHS), _study(name).sweep("missing").tau.mean(axis=2)
    return SHARES, held(removals(name, reading))


def _ends() -> Finding:
    ends = [tau[:, [0, -1]] for _, tau in (_held(name, reading) for name in TABLES for reading in READINGS)]
    same, none = (np.array(ends)[..., end] for end in (0, 1))
    return judged(
        "τ = 1 with nothing removed, none with everything removed",
        Claim("1, 0", lambda tau: tau[0] == 1 and tau[1] < 0.1),
        (float(same.min()), float(abs(none).max())),
        shown=f"{same.min():g}, at most {abs(none).max():.2f}",
        note="without scores all systems are tied, and τ counts as 0",
    )


def _gain(name: str, reading: str) -> tuple[float, float]:
    """Least and largest difference of σˡ and mean for η from 0.05 to 0.4, in points."""
    shares, tau = _held(name, reading)
    gain = 100 * (tau[0] - tau[1])[(shares >= 0.05) & (shares <= 0.4)]
    return float(gain.min()), float(gain.max())


def _claim(name: str) -> Finding:
    gains = {reading: _gain(name, reading) for reading in READINGS}
    said = {reading: f"{low:.0f} to {high:.0f}".replace("-", "−") for reading, (low, high) in gains.items()}
    return judged(
        f"{name}: σˡ more than 10 points above mean for 0.05 ≤ η ≤ 0.4",
        Claim("more than 10", lambda gain: gain[0] > 10),
        gains["whole"],
        {f"the first {TABLES[name][1]} rows of the leaderboard only: {said['excerpt']}": gains["excerpt"]},
        shown=f"{said['whole']} on the whole leaderboard",
        note=f"with the weights n!/k! of the released τ, {said['as released']} on these rows",
    )


def _better() -> Finding:
    holds = []
    for name in TABLES:
        shares, tau = _held(name, "whole")
        holds.append(bool((tau[0] > tau[1])[(shares > 0) & (shares < 0.9)].all()))
    return judged(
        "rankings by σˡ remain more stable",
        Claim("on average", all),
        holds,
        shown="at every η from 0.05 to 0.8, on every whole leaderboard" if all(holds) else "not at every η",
    )


def _row(name: str, reading: str) -> list[str]:
    shares, tau = _held(name, reading)
    at = [int(np.argmin(abs(shares - share))) for share in SHOWN]
    return [f"{tau[0, s]:.2f} ({tau[1, s]:.2f})" for s in at]
