"""Colombo et al. 2022, Table 1: the toy table on which mean, pairwise wins and Borda disagree."""

from outcome import Finding, Section

import podium


def section() -> Section:
    """Rank it by mean, by pairs and by Borda; then with the direction that the caption suggests."""
    scores = podium.datasets.toy_table1()  # lower is better
    mean, borda = (" > ".join(podium.rank(scores, method).systems) for method in ("mean", "borda"))
    pairs = podium.condorcet(scores).sentence
    upside = podium.datasets.toy_table1().with_directions(higher=["*"])
    turned = " > ".join(podium.rank(upside, "borda").systems)
    slip = "lower must be better, which the caption does not say"
    return Section(
        "Colombo et al., Table 1: a paradoxical toy table",
        "Three systems on six tasks.",
        [
            Finding("mean", "A > B > C", mean, "reproduced only with a slip", slip),
            Finding("pairwise", "B > A, C > B, A = C", pairs, "reproduced only with a slip", slip),
            Finding(
                "Borda", "C > B > A", borda, "reproduced only with a slip", f"{slip}; with higher better it is {turned}"
            ),
        ],
    )
