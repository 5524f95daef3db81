"""Colombo et al. 2022, Table 3: the first ten systems of GLUE and XTREME, by Borda and by the mean."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from colombo import Floats, borda, by_mean, order, shown, table, values_below
from outcome import Finding, Numbers, Section, judged
from released import golden, released

import podium
from podium.score.table import Scores

#: Of the printed table; golden holds the rest.
TEAMS = {
    "GLUE": "Ms Alex, ERNIE, DEBERTA, AliceMind, PING-AH, HFL, T5, DIRL, Zihan, ELECTRA",
    "XTREM": "ULR, CoFe, InfoLXL, VECO, Unicoder, PolyGlot, ULR-v2, HiCTL, Ernie, Anony",
}
MEANS = {
    "GLUE": (88.6, 88.0, 87.9, 87.8, 87.6, 87.7, 87.5, 86.7, 87.6, 86.7),
    "XTREM": (83.2, 82.6, 80.6, 80.3, 79.4, 80.6, 79.4, 79.1, 79.1, 78.3),
}
SLIPS = {
    "GLUE": "rows sorted by mean, and every tie broken by the sort of NumPy before 1.25",
    "XTREM": "columns shifted by one: the leaderboard's average is a task, sentence retrieval is none",
}

TEXT = """
Borda sums as the paper prints them, Σ (N − rank): podium's `points`. In podium, ties share their midrank, and XTREME
has its four tasks. The second table has for each system the printed number, that of the released code, which also
gives the order, and that of podium.
"""


@dataclass(frozen=True)
class Listed:
    """The first systems in the order of a consensus.

    Attributes
    ----------
    systems
        Labels.
    points, position, mean
        Of each: Σ (N − rank), how many have a higher mean, and the mean.
    """

    systems: Sequence[str]
    points: Sequence[float]
    position: Sequence[float]
    mean: Sequence[float]


def section() -> Section:
    """Both lists as podium has them, as printed, and as the released code makes them."""
    glue = released("glue.csv")
    xtreme, shifted = released("xtreme.csv"), released("xtreme_as_published.csv")
    return Section(
        "Colombo et al., Table 3: the first ten of GLUE and XTREME",
        TEXT,
        [*_compared("GLUE", glue, glue), *_compared("XTREM", xtreme, shifted), _third(xtreme, shifted)],
        table=[
            ("", "team", "printed", "released code", "podium", "mean position printed", "released code", "podium"),
            *_rows("GLUE", glue, glue),
            *_rows("XTREM", xtreme, shifted),
        ],
    )


def by_podium(scores: Scores) -> Listed:
    """The first ten by podium."""
    consensus, mean = (
        podium.rank(scores, confidence_level=None).rows(),
        {row["system"]: row for row in podium.rank(scores, "mean", confidence_level=None).rows()},
    )
    first = [row["system"] for row in consensus[:10]]
    return Listed(
        first,
        [row["points"] for row in consensus[:10]],
        [mean[system]["rank"] - 1 for system in first],
        [mean[system]["score"] for system in first],
    )


def by_released_code(scores: Scores) -> Listed:
    """The first ten by the released code: rows sorted by mean, ties broken by the sort."""
    tasks = table(scores)
    arranged = by_mean(tasks)
    tasks = tasks[:, arranged]
    mean, sums = tasks.mean(axis=0), borda(tasks)
    first = order(sums)[::-1][:10]
    return Listed(
        [scores.systems[arranged[i]] for i in first],
        sums[first].tolist(),
        (len(mean) - 1 - values_below(mean))[first].tolist(),
        mean[first].tolist(),
    )


def listed(
    what: str, printed: Mapping[str, float], ours: Sequence[float], made: Sequence[float], slip: str, *, decimals: int
) -> Finding:
    """Judge a whole list, by name; where the released code does not print a number either, say so."""
    whole = Numbers(list(printed.values()), decimals)
    wrong = [
        f"{name} {number:g} (the released code: {shown([other], decimals + 1)})"
        for (name, number), other in zip(printed.items(), made, strict=True)
        if not list(Numbers([number], decimals).readings([other]))
    ]
    rest = f"the other {len(printed) - len(wrong)} come out with a slip: {slip}"
    return judged(what, whole, ours, {slip: made}, note=f"misprinted: {', '.join(wrong)}; {rest}" if wrong else "")


def _compared(name: str, true: Scores, read_as: Scores) -> Iterator[Finding]:
    printed = golden()["paper_tables"]["table3_7"]["printed"]
    ours, made = by_podium(true), by_released_code(read_as)
    for what, numbers, field, decimals in (
        ("Borda sums", printed[f"{name}_borda"], "points", 0),
        ("positions by mean", printed[f"{name}_mean_rank"], "position", 0),
        ("means", MEANS[name], "mean", 1),
    ):
        by_team = dict(zip(TEAMS[name].split(", "), numbers, strict=True))
        yield listed(
            f"{name}, {what}", by_team, getattr(ours, field), getattr(made, field), SLIPS[name], decimals=decimals
        )


def _third(true: Scores, read_as: Scores) -> Finding:
    """The example of the text: third by mean, sixth by Borda."""
    tasks = table(read_as)
    third = order(-tasks.mean(axis=0))[2]
    sixth = len(read_as.systems) - values_below(borda(tasks))[third]
    mean, consensus = podium.rank(true, "mean", confidence_level=None), podium.rank(true, confidence_level=None)
    ours = [
        (system.split(" ")[0], dict(zip(consensus.systems, consensus.rank, strict=True))[system])
        for system, rank in zip(mean.systems, mean.rank, strict=True)
        if rank == 3
    ]
    team = read_as.systems[third].split(" ")[0]
    return judged(
        "XTREM, place by Borda of the third by mean",
        Numbers.read("6"),
        [float(rank) for _, rank in ours],
        {f"columns shifted by one, which makes {team} the third": [float(sixth)]},
        shown=", ".join(f"{system} {rank}" for system, rank in ours),
        note="with the four tasks two systems are third by mean, and Borda has them third and fourth",
    )


def _rows(name: str, true: Scores, read_as: Scores) -> Iterator[tuple[str, ...]]:
    printed = golden()["paper_tables"]["table3_7"]["printed"]
    made = by_released_code(read_as)
    points = {row["system"]: row["points"] for row in podium.rank(true, confidence_level=None).rows()}
    means = {row["system"]: row["rank"] - 1 for row in podium.rank(true, "mean", confidence_level=None).rows()}
    for i, (team, system) in enumerate(zip(TEAMS[name].split(", "), made.systems, strict=True)):
        numbers: Floats = np.array([
            printed[f"{name}_borda"][i], made.points[i], points[system],
            printed[f"{name}_mean_rank"][i], made.position[i], means[system],
        ])  # fmt: skip
        yield name, team, *(f"{number:g}" for number in numbers)
