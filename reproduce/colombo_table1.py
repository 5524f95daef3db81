"""Colombo et al. 2022, Table 1: the toy table on which mean, pairwise wins and Borda disagree."""

from itertools import combinations

from outcome import Section, Words, judged, stated

import podium
from podium.score.table import Scores

TEXT = """
Three systems on six tasks. The example makes its point in either direction: the mean has one order, Borda the
reverse, and the three comparisons cannot be put into any order.
"""


def section() -> Section:
    """Rank it by mean, by pairs and by Borda; then with the direction that the caption suggests."""
    lower = podium.datasets.toy_table1()  # lower is better
    higher = lower.with_directions(higher=["*"])
    slip = "lower is better, which the caption does not say"
    rows = (
        ("mean", "A > B > C", _order(lower, "mean"), _order(higher, "mean")),
        ("pairwise", "B > A, C > B, A = C", _pairs(lower), _pairs(higher)),
        ("Borda", "C > B > A", _order(lower, "borda"), _order(higher, "borda")),
        ("rank sums of A, B, C", "13, 12, 11", _sums(lower), _sums(higher)),
    )
    return Section(
        "Colombo et al., Table 1: a paradoxical toy table",
        stated(TEXT, {"Borda the reverse": _order(lower, "mean") == _order(lower, "borda")[::-1]}),
        [judged(what, Words(printed), by_definition, {slip: turned}) for what, printed, turned, by_definition in rows],
    )


def _order(scores: Scores, method: str) -> str:
    return " > ".join(podium.rank(scores, method, confidence_level=None).systems)


def _pairs(scores: Scores) -> str:
    """Each of the three comparisons, in the order of the paper."""
    found = podium.pairwise(scores, level="task")
    place = {system: row for row, system in enumerate(found.systems)}
    said = []
    for one, other in combinations("ABC", 2):
        won = found.probability[place[one], place[other]]
        said.append(f"{one} = {other}" if won == 0.5 else " > ".join((one, other) if won > 0.5 else (other, one)))
    first, last, middle = said  # A and B, A and C, B and C
    return f"{first}, {middle}, {last}"


def _sums(scores: Scores) -> str:
    sums = {row["system"]: row["rank_sum"] for row in podium.rank(scores, confidence_level=None).rows()}
    return ", ".join(f"{sums[system]:g}" for system in "ABC")
