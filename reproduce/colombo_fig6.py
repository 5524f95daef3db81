"""Colombo et al. 2022, Figure 6, which is Table 4 elsewhere: τ between mean, one-level and two-level Borda."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from colombo import Counts, Floats, borda, compared, order, parsed, ranks, values_below
from outcome import Finding, Section
from released import golden, released

from podium.agreement import kendall_tau
from podium.score.table import Scores

#: The released tables, by the column of the figure that holds them.
COLUMNS = {"DIALOG_pc": "PC", "DIALOG_tc": "TC", "FLICKR": "FLI.", "SUM_EVAL": "RSUM"}
ABSENT = "MLQE, SEVAL, TAC08, TAC09, TAC11"
METHODS = ("mean", "borda:one", "borda:two")
#: Rows of the figure: label, the methods it names, and those whose τ it holds; places in `METHODS`.
ROWS = (("l, 2l", (1, 2), (0, 2)), ("mean, 2l", (0, 2), (1, 2)), ("mean, l", (0, 1), (0, 1)))
#: What the numbers rest on, and how scores are read then.
SLIPS: dict[str, Callable[[Floats], Floats]] = {
    "instances for systems, τ between lists": np.asarray,
    "instances for systems, τ between lists, scores as an old pandas reads them": parsed,
}

TEXT = """
In the released tables, instances are where systems should be. The printed numbers are τ between lists of instances
from the worst to the best, which says little about how their ranks agree, and the first two rows are exchanged. Scores
that differ in the last bit decide ties, so it matters how they were read from text. No single reading gives all three
numbers of FLICKR. The column called RSUM holds SummEval. In the second table τ is between ranks, of the systems and
of the instances.

On the true axes the two levels of Borda nearly agree, and neither is nearer to the mean than the other. For dialogue
the mean has the same order; for captions and summaries its order is very different.
"""


def section() -> Section:
    """The three rankings of every set on its true axes; then as the released code comes to the printed numbers."""
    tables = {name: released(f"{name}.parquet") for name in COLUMNS}
    rankings = {name: [ranks(scores, way) for way in METHODS] for name, scores in tables.items()}
    sums = {name: _released_code(scores, np.asarray) for name, scores in tables.items()}
    findings = [finding for name, scores in tables.items() for finding in _column(name, scores, rankings[name])]
    findings.append(Finding(ABSENT, "15 numbers", "–", "not reproducible", "the scores are not at hand"))
    return Section(
        "Colombo et al., Figure 6: τ between mean, one-level and two-level Borda",
        TEXT,
        [*findings, *_firsts(rankings, sums), *_claims(rankings)],
        table=[
            ("", *(f"τ({label})" for label, _, _ in ROWS), *(f"instances, τ({label})" for label, _, _ in ROWS)),
            *((COLUMNS[name], *_taus(rankings[name]), *_taus(list(map(values_below, sums[name])))) for name in COLUMNS),
        ],
    )


def _column(name: str, scores: Scores, rankings: Sequence[Floats]) -> Iterator[Finding]:
    printed = golden()["paper_tables"]["fig6_table4"]["columns"][name]["printed_rows_as_labelled"]
    lists = {slip: [order(sums) for sums in _released_code(scores, read)] for slip, read in SLIPS.items()}
    for label, (i, j), (k, m) in ROWS:
        exchanged = next(other for other, methods, _ in ROWS if methods == (k, m))
        suffix = "" if exchanged == label else f"; the row is τ({exchanged})"
        yield compared(
            f"{COLUMNS[name]}, τ({label})",
            [printed[f"tau({label.replace(' ', '')})"]],
            [kendall_tau(rankings[i], rankings[j])],
            {slip + suffix: [kendall_tau(found[k], found[m])] for slip, found in lists.items()},
            decimals=2,
        )


def _released_code(scores: Scores, read: Callable[[Floats], Floats]) -> tuple[Floats, Floats, Floats]:
    """Sums by mean, one-level and two-level Borda of the instances, as if they were systems; highest best."""
    tasks = [read(task.values).T for task in scores.tasks]
    inner = [borda(task.T) for task in tasks]
    mean: Floats = np.mean([task.mean(axis=1) for task in tasks], axis=0)
    return mean, np.sum(inner, axis=0, dtype=np.float64), borda(inner).astype(np.float64)


def _firsts(rankings: dict[str, list[Floats]], sums: dict[str, tuple[Floats, Floats, Floats]]) -> Iterator[Finding]:
    """Who is first, and who is among the first three."""
    for what, top, printed in (
        ("the three methods have three different best systems", 1, "in 8 of 9 sets"),
        ("the three methods never agree on the top three", 3, "in 9 of 9 sets"),
    ):
        true = [_differ([order(ranks)[:top] for ranks in found], top) for found in rankings.values()]
        swapped = [_differ([order(-s)[:top] for s in found], top) for found in sums.values()]
        yield Finding(
            what,
            printed,
            f"in {sum(true)} of {len(true)}",
            "reproduced only with a slip" if all(swapped) and not all(true) else "not reproduced",
            f"of instances, on the exchanged axes, in {sum(swapped)} of {len(swapped)}",
        )


def _differ(tops: Sequence[Counts], top: int) -> bool:
    """Whether no two methods have the same first; whether they do not all have the same three first."""
    different = len({frozenset(one.tolist()) for one in tops})
    return different == 3 if top == 1 else different > 1


def _claims(rankings: dict[str, list[Floats]]) -> Iterator[Finding]:
    """What section 5.3 concludes, on the true axes."""
    between, two, one = (
        np.array([kendall_tau(found[i], found[j]) for found in rankings.values()]) for _, (i, j), _ in ROWS
    )
    yield Finding(
        "one-level Borda disagrees with two-level Borda",
        "τ near 0",
        f"τ from {between.min():.2f} to {between.max():.2f}",
        "reproduced" if between.max() < 0.5 else "not reproduced",
        "on the true axes they agree",
    )
    nearer = int(np.sum(two > one + 1e-9))
    yield Finding(
        "two-level Borda is more similar to the mean than one-level Borda is",
        "in all sets",
        f"in {nearer} of {len(two)}",
        "reproduced" if nearer == len(two) else "not reproduced",
        f"equal in {int(np.sum(np.abs(two - one) < 1e-9))}",
    )


def _taus(rankings: Sequence[Floats] | Sequence[Counts]) -> list[str]:
    """As in the figure, in the order of its rows."""
    return [f"{kendall_tau(rankings[i], rankings[j]):.2f}" for _, (i, j), _ in ROWS]
