"""Mishra & Arunkumar 2021, Table 1: what right and wrong answers earn in nine weighting schemes."""

from outcome import Finding, Section, Words, judged

import podium
from podium.errors import MethodError

__all__ = ["section"]

#: Right and wrong in the first of two splits, then in the second.
PRINTED = {
    1: "1, -1, 2, -2",
    2: "1, 0, 2, 0",
    3: "0, -1, 0, -2",
    4: "1, -0.5, 2, -1",
    5: "0.5, -1, 1, -2",
    6: "1/B, -1/B, 1/B, -1/B",
    7: "B, -B, B, -B",
    8: "1/B, -1/B, 2/B, -2/B",
    9: "B, -B, 2B, -2B",
}


def section() -> Section:
    """What `podium.Weighting` gives for each case."""
    return Section(
        "Mishra & Arunkumar, Table 1: weighting schemes",
        "`podium.Weighting(case=…)` with two splits: what a right and a wrong answer earn in the first, and in the "
        "second. The tests hold the scores that follow from these cases against an independent program, on SST-2.",
        [_finding(case, printed) for case, printed in PRINTED.items()],
    )


def _finding(case: int, printed: str) -> Finding:
    try:
        weighting = podium.Weighting(case=case)
    except MethodError:
        note = "Eq. 4 divides by what right answers earn, which is 0 here; Case 2 gives the same order"
        return judged(f"Case {case}", Words(printed), "refused", note=note)
    earned = [
        _term(weight * factor.number, weighting.power + factor.power)
        for weight in weighting.split_weights(2)
        for factor in (weighting.reward, weighting.penalty)
    ]
    return judged(f"Case {case}", Words(printed), ", ".join(earned))


def _term(number: float, power: int) -> str:
    """A number times a power of B, as the paper writes it."""
    if power < 0:
        return f"{number:g}/B"
    return f"{number:g}" if not power else f"{number:g}B".replace("1B", "B")
