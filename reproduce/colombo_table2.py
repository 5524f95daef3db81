"""Colombo et al. 2022, Table 2: how far mean and Borda agree on the first and the last systems."""

from collections.abc import Iterator, Mapping

import numpy as np
from colombo import Counts, Floats, borda, by_mean, ends, order, ranks, table, values_below
from outcome import Finding, Numbers, Section, judged, stated
from released import golden, released

from podium.agreement import kendall_tau
from podium.score.table import Scores

#: As the table calls them: the released scores; as the paper's code read them; whose average was read along.
BENCHMARKS = {
    "XT": ("xtreme", "xtreme_as_published", None),
    "GLUE": ("glue", "glue", "glue"),
    "SGLUE": ("superglue", "superglue", "superglue"),
}

_SORTED = "rows sorted by mean, then ties broken by the sort of NumPy before 1.25"
_AVERAGE = "the leaderboard's average counted as a task, τ between lists of systems"
_SHIFTED = "columns shifted by one: the leaderboard's average is a task, sentence retrieval is none"
_EMPTY = "an empty column counted as a task that ranks systems by row, τ between lists of systems"

TEXT = """
The claim of the table holds: the first systems are mostly the same in both rankings, and τ is above 0.9. In podium,
ties share their midrank, so more than n systems may be in the top n, and XTREME has its four tasks. The last three of
GLUE are all the same only because of the order of rows: two of them are.
"""

#: What is compared, and its name among the golden numbers.
PARTS = {"top 1, 3, 5, 10": "top1,3,5,10", "last 3, 5, 10": "last3,5,10", "τ": "tau"}

Parts = tuple[list[float], list[float], list[float]]


def section() -> Section:
    """Agreement at both ends, and τ, by midranks; then as the released code comes to them."""
    findings = [finding for name in BENCHMARKS for finding in _benchmark(name)]
    return Section("Colombo et al., Table 2: agreement of mean and Borda at the ends", stated(TEXT, _held()), findings)


def _held() -> Mapping[str, bool]:
    """What the text says in words."""
    found = {name: _by_podium(name) for name in BENCHMARKS}
    return {
        "the first systems are mostly the same": min(min(top) for top, _, _ in found.values()) >= 0.8,
        "τ is above 0.9": min(tau for _, _, (tau,) in found.values()) > 0.9,
        "two of them are": abs(3 * found["GLUE"][1][0] - 2) < 1e-9,
    }


def _by_podium(name: str) -> Parts:
    return _numbers(*(ranks(released(f"{BENCHMARKS[name][0]}.csv"), way) for way in ("mean", "borda")))


def _benchmark(name: str) -> Iterator[Finding]:
    _, read_as, average = BENCHMARKS[name]
    ours = _by_podium(name)
    slips = _slips(released(f"{read_as}.csv"), average)
    printed = golden()["paper_tables"]["table2"]["printed"][name]
    for part, (what, key) in enumerate(PARTS.items()):
        yield judged(
            f"{name}, {what}",
            Numbers([printed[key]] if key == "tau" else printed[key], 2),
            ours[part],
            {slip: numbers[part] for slip, numbers in slips.items()},
        )


def _numbers(mean: Floats, consensus: Floats) -> Parts:
    return *ends(mean, consensus), [kendall_tau(mean, consensus)]


def _slips(scores: Scores, average: str | None) -> dict[str, Parts]:
    tasks = table(scores)
    arranged = by_mean(tasks)
    plain = _released_code(tasks[:, arranged].mean(axis=0), borda(tasks[:, arranged]))
    if average is None:
        sums = borda(tasks[:, arranged]) + np.arange(len(arranged))  # the column without numbers
        return {_SHIFTED: plain, f"{_SHIFTED}; {_EMPTY}": _released_code(tasks[:, arranged].mean(axis=0), sums)}
    official = released("official_scores.csv", task_column="benchmark", score_column="official_score").select(
        tasks=[average]
    )
    of = dict(zip(official.systems, table(official)[0], strict=True))
    more = np.vstack([tasks, [of[system] for system in scores.systems]])[:, arranged]
    return {_SORTED: plain, f"{_SORTED}; {_AVERAGE}": _released_code(more.mean(axis=0), borda(more))}


def _released_code(mean: Floats, sums: Counts) -> Parts:
    """Agreement as the released code computes it: no ties, and τ between lists of systems from the worst up."""
    top, last = ends(-values_below(mean).astype(float), -values_below(sums).astype(float))
    return top, last, [kendall_tau(order(mean), order(sums))]
