"""Himmi et al. 2023, Table 1: agreement of σˡ and mean on leaderboards with scores removed."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from outcome import Absent, Claim, Drawn, Finding, Numbers, Section, judged
from removals import READINGS, REPEATS, SHARES, TABLES, pair, removals, taus

__all__ = ["section"]

PRINTED = {"GLUE": (0.17, 0.24), "SGLUE": (0.33, 0.27), "XTREM": (0.26, 0.26)}

#: What the excerpt is, and what the released code does besides.
EXCERPT = f"the first {', '.join(str(TABLES[name][1]) for name in PRINTED)} rows"
SLIPS = {
    "excerpt": EXCERPT,
    "as released": f"{EXCERPT}, the leaderboard's average as one more task, every task with weight n!/k!, the first of "
    "two equal scores as if missing, a system without a score at a random place of the means",
}
#: A correlation below this is a weak one.
WEAK = 0.5


def section() -> Section:
    """Take τ between the two methods over all shares: as the released code does, and by the definitions."""
    return Section(
        "Himmi et al., Table 1: τ between σˡ and mean",
        f"Every score is removed with probability η: {len(SHARES)} values from 0 to 1, {REPEATS} times each, so "
        "2,000 rankings of each leaderboard by each method, and half as many by the definitions. Mean τ of the "
        "two ± standard deviation.",
        [
            _printed(),
            judged("GEM", Numbers.read("0.36 ± 0.36"), Absent(["GEM"], "its scores were not released")),
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


def _printed() -> Finding:
    """Judge the rows together: one experiment made them, and a reading has to give them all."""
    ours, *slips = (_rows(reading) for reading in READINGS)
    pairs = zip(ours.values[::2], ours.values[1::2], strict=True)
    return judged(
        ", ".join(PRINTED),
        Numbers.read(", ".join(f"{mean} ± {spread}" for mean, spread in PRINTED.values())),
        ours,
        dict(zip(SLIPS.values(), slips, strict=True)),
        shown=", ".join(f"{mean:.2f} ± {spread:.2f}" for mean, spread in pairs),
        note="the second table has all three readings",
    )


def _rows(reading: str) -> Drawn:
    """Mean and standard deviation of every leaderboard."""
    found = [Drawn.spread(_between(name, reading)) for name in PRINTED]
    return Drawn([v for one in found for v in one.values], [e for one in found for e in one.errors])


def _weak() -> Finding:
    found = {reading: [_between(name, reading).mean() for name in PRINTED] for reading in READINGS}
    return judged(
        "a weak correlation",
        Claim("0.17 to 0.36", lambda means: max(means) < WEAK),
        found["whole"],
        {SLIPS["excerpt"]: found["excerpt"]},
        shown=f"by the definitions {_shown(found['whole'])} on whole leaderboards",
        note=f"{_shown(found['excerpt'])} on the rows that the paper took; weak is read as below {WEAK}",
    )


def _different() -> Finding:
    found = {reading: [_between(name, reading)[0].mean() for name in PRINTED] for reading in READINGS}
    return judged(
        "so the two give different rankings",
        Claim("in words", lambda means: max(means) < WEAK),
        found["whole"],
        {SLIPS[reading]: found[reading] for reading in READINGS[1:]},
        shown=f"τ with nothing removed: {_shown(found['whole'])} on whole leaderboards",
        note=f"{_shown(found['excerpt'])} on the rows that the paper took; they differ as scores go missing, because "
        "means are then over different tasks (Fig. 2), and an average over η up to 1 is mostly about tables with few "
        "scores",
    )


def _shown(means: Sequence[float]) -> str:
    return ", ".join(f"{mean:.2f}" for mean in means)


def _numbers(name: str, reading: str) -> list[str]:
    found = _between(name, reading)
    some = (SHARES > 0.05) & (SHARES < 0.4)
    return [f"{part.mean():.2f} ± {part.std():.2f}" for part in (found, found[some])] + [f"{found[0].mean():.2f}"]
