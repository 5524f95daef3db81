"""Colombo et al. 2022, Figure 6, which is Table 4 elsewhere: τ between mean, one-level and two-level Borda."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from colombo import Counts, Floats, borda, order, parsed, ranks, values_below
from numpy.typing import NDArray
from outcome import Absent, Claim, Finding, Numbers, Section, Words, judged, stated
from released import golden, released

from podium.agreement import kendall_tau
from podium.score.table import Scores

#: The released tables, by the column of the figure that holds them.
COLUMNS = {"DIALOG_pc": "PC", "DIALOG_tc": "TC", "FLICKR": "FLI.", "SUM_EVAL": "RSUM"}
ABSENT = "MLQE, SEVAL, TAC08, TAC09, TAC11"
#: What these columns hold, see the text.
_HELD = ("MLQE", "TAC08", "REALSUMM", "TAC09", "TAC11")
METHODS = ("mean", "borda:one", "borda:two")
#: τ below this is near 0: in the figure the highest of the sets at hand is 0.32.
NEAR_0 = 0.4
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

On the true axes the two levels of Borda nearly agree, and both are about as near to the mean. For dialogue
the mean has the same order; for captions and summaries its order is very different.
"""


def section() -> Section:
    """The three rankings of every set on its true axes; then as the released code comes to the printed numbers."""
    tables = {name: released(f"{name}.parquet") for name in COLUMNS}
    rankings = {name: [ranks(scores, way) for way in METHODS] for name, scores in tables.items()}
    sums = {name: released_code(scores, np.asarray) for name, scores in tables.items()}
    findings = [finding for name, scores in tables.items() for finding in _column(name, scores, rankings[name])]
    findings.append(judged(ABSENT, Words("15 numbers"), Absent(_HELD, "the scores were not released")))
    return Section(
        "Colombo et al., Figure 6: τ between mean, one-level and two-level Borda",
        stated(TEXT, _held(rankings)),
        [*findings, *_firsts(rankings, sums), *_claims(rankings, tables)],
        table=[
            ("", *(f"τ({label})" for label, _, _ in ROWS), *(f"instances, τ({label})" for label, _, _ in ROWS)),
            *((COLUMNS[name], *_taus(rankings[name]), *_taus(list(map(values_below, sums[name])))) for name in COLUMNS),
        ],
    )


def _held(rankings: Mapping[str, Sequence[Floats]]) -> Mapping[str, bool]:
    """What the text says in words."""
    levels, two, one = _between(rankings).T
    return {
        "the two levels of Borda nearly agree": levels.min() > 0.9,
        "both are about as near to the mean": np.abs(two - one).max() < 0.05,
        "For dialogue the mean has the same order": two[:2].min() == 1,
        "for captions and summaries its order is very different": two[2:].max() < 0.5,
    }


def _column(name: str, scores: Scores, rankings: Sequence[Floats]) -> Iterator[Finding]:
    printed = golden()["paper_tables"]["fig6_table4"]["columns"][name]["printed_rows_as_labelled"]
    lists = {slip: [order(sums) for sums in released_code(scores, read)] for slip, read in SLIPS.items()}
    for label, (i, j), (k, m) in ROWS:
        exchanged = next(other for other, methods, _ in ROWS if methods == (k, m))
        suffix = "" if exchanged == label else f"; the row is τ({exchanged})"
        yield judged(
            f"{COLUMNS[name]}, τ({label})",
            Numbers([printed[f"tau({label.replace(' ', '')})"]], 2),
            [kendall_tau(rankings[i], rankings[j])],
            {slip + suffix: [kendall_tau(found[k], found[m])] for slip, found in lists.items()},
        )


def released_code(scores: Scores, read: Callable[[Floats], Floats]) -> tuple[Floats, Floats, Floats]:
    """Sums by mean, one-level and two-level Borda of the instances, as if they were systems; highest best."""
    tasks = [read(task.values).T for task in scores.tasks]
    inner = [borda(task.T) for task in tasks]
    mean: Floats = np.mean([task.mean(axis=1) for task in tasks], axis=0)
    return mean, np.sum(inner, axis=0, dtype=np.float64), borda(inner).astype(np.float64)


def _firsts(rankings: dict[str, list[Floats]], sums: dict[str, tuple[Floats, Floats, Floats]]) -> Iterator[Finding]:
    """Who is first, and who is among the first three."""
    for what, top, printed in (
        ("the three methods have three different best systems", 1, 8),
        ("the three methods never agree on the top three", 3, 9),
    ):
        claim: Claim[list[bool]] = Claim(f"in {printed} of 9 sets", partial(_held_as_often, printed))
        true = [_differ([order(ranks)[:top] for ranks in found], top) for found in rankings.values()]
        swapped = [_differ([order(-s)[:top] for s in found], top) for found in sums.values()]
        yield judged(
            what,
            claim,
            true,
            {"instances for systems": swapped},
            shown=f"in {sum(true)} of {len(true)}",
            note=f"of instances, on the exchanged axes, in {sum(swapped)} of {len(swapped)}",
        )


def _held_as_often(of_nine: int, held: list[bool]) -> bool:
    """Whether no more of these sets fail than of the nine."""
    return held.count(False) <= 9 - of_nine


def _differ(tops: Sequence[Counts], top: int) -> bool:
    """Whether no two methods have the same first; whether they do not all have the same three first."""
    different = len({frozenset(one.tolist()) for one in tops})
    return different == 3 if top == 1 else different > 1


def _claims(rankings: Mapping[str, Sequence[Floats]], tables: Mapping[str, Scores]) -> Iterator[Finding]:
    """What section 5.3 concludes, on the true axes."""
    true = _between(rankings)
    slips = {
        slip: _between({name: [order(sums) for sums in released_code(scores, read)] for name, scores in tables.items()})
        for slip, read in SLIPS.items()
    }
    levels = true[:, 0]
    yield judged(
        "one-level Borda disagrees with two-level Borda",
        Claim("τ near 0", lambda taus: bool(taus[:, 0].max() < NEAR_0)),
        true,
        slips,
        shown=f"τ from {levels.min():.2f} to {levels.max():.2f}",
        note=f"near 0 is read as below {NEAR_0}; on the true axes they agree",
    )
    nearer, equal = (int(np.sum(found)) for found in (_nearer(true), np.abs(true[:, 1] - true[:, 2]) < 1e-9))
    yield judged(
        "two-level Borda is more similar to the mean than one-level Borda is",
        Claim("in all sets", lambda taus: bool(_nearer(taus).all())),
        true,
        slips,
        shown=f"in {nearer} of {len(true)}",
        note=f"equal in {equal}",
    )


def _between(rankings: Mapping[str, Sequence[Floats] | Sequence[Counts]]) -> Floats:
    """τ of the pairs of `ROWS`, of each set."""
    return np.array([[kendall_tau(found[i], found[j]) for _, (i, j), _ in ROWS] for found in rankings.values()])


def _nearer(taus: Floats) -> NDArray[np.bool_]:
    """Where two-level Borda is nearer to the mean than one-level Borda is."""
    near: NDArray[np.bool_] = taus[:, 1] > taus[:, 2] + 1e-9
    return near


def _taus(rankings: Sequence[Floats] | Sequence[Counts]) -> list[str]:
    """As in the figure, in the order of its rows."""
    return [f"{kendall_tau(rankings[i], rankings[j]):.2f}" for _, (i, j), _ in ROWS]
