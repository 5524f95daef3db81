"""Colombo et al. 2022, Table 7: the first ten systems of SuperGLUE, by Borda and by the mean."""

from colombo_table3 import SLIPS, Listed, by_podium, by_released_code, listed
from outcome import Section, stated
from released import golden, released

TEXT = """
The appendix with this table is not available; only these positions are known. The means of two systems differ
in the last bit only, and podium ties them.
"""


def section() -> Section:
    """Positions by mean of the first ten by Borda."""
    scores = released("superglue.csv")
    ours, made = by_podium(scores), by_released_code(scores)
    printed = golden()["paper_tables"]["table3_7"]["printed"]["SGLUE_mean_rank"]
    by_system = dict(zip(made.systems, printed, strict=True))
    return Section(
        "Colombo et al., Table 7: the first ten of SuperGLUE",
        stated(TEXT, {"podium ties them": len(set(ours.position)) == len(set(printed)) - 1}),
        [listed("SGLUE, positions by mean", by_system, ours.position, made.position, SLIPS["GLUE"], decimals=0)],
        table=[("", "by podium", "points", "mean", "by the released code", "sum"), *_rows(ours, made)],
    )


def _rows(ours: Listed, made: Listed) -> list[tuple[str, ...]]:
    return [
        (str(i), ours.systems[i], f"{ours.points[i]:g}", f"{ours.mean[i]:.1f}", made.systems[i], f"{made.points[i]:g}")
        for i in range(10)
    ]
