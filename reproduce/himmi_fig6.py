"""Himmi et al. 2023, Fig. 6: who is better than whom beyond doubt, a fifth of the cells missing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from outcome import Absent, Finding, Picture, Section, Words, judged
from released import IMAGES, released

import podium
from podium.ranking.ballots import pool_one_level, preferences
from podium.ranking.pairwise import radius
from podium.score.table import Scores
from podium.stresses import RemoveCells
from podium.tally.count import count
from podium.tally.duel import Duels

__all__ = ["DELTA", "SHARE", "as_printed", "section", "separated_apart"]

Bools = NDArray[np.bool_]

PICTURE = "reproduce-himmi-fig6.svg"
SHARE, DELTA, TOP = 0.2, 0.01, 4


def section() -> Section:
    """Compare all pairs of SummEval's systems, and draw them."""
    scores = RemoveCells(SHARE)(released("SUM_EVAL.parquet"), np.random.default_rng(6))
    duels = podium.pairwise(scores, confidence_level=1 - DELTA)
    podium.plots.save(podium.plots.heatmap(duels), IMAGES / PICTURE)
    apart = separated_apart(scores, duels.systems)
    pairs = len(duels) * (len(duels) - 1) // 2
    absent = Absent(["WMT"], "its scores were not released; the same is done on SummEval")
    return Section(
        "Himmi et al., Fig. 6: confidence of comparisons",
        f"`podium.pairwise` and `podium.plots.heatmap` on SummEval with {SHARE:.0%} of its cells removed, once: "
        f"{len(duels)} systems, two-sided intervals of {1 - DELTA:.0%} for each pair (the text of the paper says "
        "δ = 0.1, its caption 0.01). Eq. 4 bounds a share of z comparisons; the paper puts "
        "it around M̂, which also counts the expectations of instances that lack one of the two, and "
        f"they pull it towards ½: it separates {as_printed(scores)} of {pairs} pairs here. "
        f"The share of the z comparisons, with a two-sided bound, separates {apart.sum()}. Both take metrics of the "
        "same instances for comparisons that are independent of each other. They are not, so `podium.pairwise` "
        f"counts such an instance once, and separates {duels.separated.sum()}.",
        [
            judged("WMT en-de", Picture(), absent, shown="the picture below"),
            _blocks(absent, apart, duels.separated),
            _diagonal(absent, apart, duels.separated),
        ],
        pictures=[(PICTURE, "which systems of SummEval are better than which, with 20% of the cells missing")],
    )


def _blocks(absent: Absent, apart: Bools, once: Bools) -> Finding:
    above, beyond_doubt = apart[:TOP, TOP:], once[:TOP, TOP:]
    return judged(
        "the top systems are better than the others with high confidence",
        Words("9, 1, 16 and 15 in distinct blocks"),
        absent,
        shown=f"the first four, in {above.sum()} of {above.size} comparisons with the others",
        note=f"if metrics are independent; in {beyond_doubt.sum()} if each instance counts once",
    )


def _diagonal(absent: Absent, apart: Bools, once: Bools) -> Finding:
    near, far = np.diagonal(apart, 1), apart[np.triu_indices(len(apart), 5)]
    return judged(
        "systems are closer near the diagonal",
        Words("in words"),
        absent,
        shown=f"separated: {near.sum()} of {near.size} neighbours, {far.sum()} of {far.size} pairs with five places "
        "between them or more",
        note=f"{np.diagonal(once, 1).sum()} and {once[np.triu_indices(len(once), 5)].sum()} if each "
        "instance counts once",
    )


def separated_apart(scores: Scores, systems: Sequence[str]) -> Bools:
    """Shape `(N, N)`, in the order of `systems`: whether i is ahead of j, if all comparisons are independent."""
    duels = pool_one_level(count(scores, [Duels])[Duels], scores.task_weights)
    order = [scores.systems.index(system) for system in systems]
    compared = duels.compared[np.ix_(order, order)]
    won = preferences(duels, "direct")[np.ix_(order, order)]
    share = np.divide(won, compared, out=np.zeros_like(won), where=compared > 0)
    return share - radius(compared, confidence=1 - DELTA) > 0.5


def as_printed(scores: Scores, delta: float = DELTA) -> int:
    """Pairs with ½ outside M̂ ± c, M̂ over all instances, c by Eq. 4."""
    duels = pool_one_level(count(scores, [Duels])[Duels], scores.task_weights)
    share = duels.expected / duels.weight
    return int(
        np.count_nonzero(np.triu(abs(share - 0.5) > radius(duels.compared, confidence=1 - delta, sided="one"), 1))
    )
