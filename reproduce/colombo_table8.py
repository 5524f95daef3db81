"""Colombo et al. 2022, Table 8: how far the tasks lie from the consensus, in Kendall distances."""

from collections.abc import Iterator, Mapping

import numpy as np
from colombo import Floats, borda, order, ranks, shown, table, values_below
from outcome import Drawn, Finding, Numbers, Section, judged, stated
from released import golden, released

from podium.ranking.distance import count_pairs, distances
from podium.score.place import midranks, places
from podium.score.table import Scores

#: As the table calls them: the released scores; as the paper's code read them; decimals as printed.
BENCHMARKS = {
    "GLUE": ("glue", "glue", (0, 0)),
    "SGLUE": ("superglue", "superglue", (1, 2)),
    "XTREM": ("xtreme", "xtreme_as_published", (2, 2)),
}
#: The printed column of random orders is an average over so many, drawn without a seed.
ORDERS = 100

TEXT = """
Mean Kendall distance between the ranking by each task and the consensus. (The formula of the paper counts every pair
of systems twice, its numbers count it once.) The first two columns are printed as distances between *inverse*
permutations: a function of lists of systems was given ranks. In podium, a pair that is tied in one of two rankings is
half a disagreement. The claim of the table, that Borda is nearer to the tasks than the mean, holds for all
three, and the tasks are nearer to both than the printed numbers say.
"""


def section() -> Section:
    """Mean distance from the tasks to Borda, to the mean and to random orders."""
    rows: list[tuple[str, ...]] = [
        ("", "by podium, to Borda", "to the mean", "ties broken by the sort, to Borda", "to the mean")
    ]
    findings: list[Finding] = []
    for name, (file, read_as, decimals) in BENCHMARKS.items():
        scores, shifted = released(f"{file}.csv"), released(f"{read_as}.csv")
        findings += _benchmark(name, scores, shifted, decimals)
        rows.append((name, *(f"{distance:.2f}" for distance in (*_by_podium(scores), *_by_sort(scores)))))
    return Section(
        "Colombo et al., Table 8: dispersion of tasks around the consensus", stated(TEXT, _held()), findings, table=rows
    )


def _held() -> Mapping[str, bool]:
    """What the text says in words."""
    ours = np.array([_by_podium(released(f"{file}.csv")) for file, _, _ in BENCHMARKS.values()])
    printed = np.array([golden()["paper_tables"]["table8"]["printed"][name][:2] for name in BENCHMARKS])
    return {
        "holds for all three": bool((ours[:, 0] < ours[:, 1]).all()),
        "nearer to both than the printed numbers say": bool((ours < printed).all()),
    }


def _benchmark(name: str, scores: Scores, read_as: Scores, decimals: tuple[int, int]) -> Iterator[Finding]:
    *printed, random = golden()["paper_tables"]["table8"]["printed"][name]
    shift = "" if scores.task_names == read_as.task_names and name != "XTREM" else "columns shifted by one; "
    slip = f"{shift}ties broken by the sort of NumPy before 1.25; distance between inverse permutations"
    ours, inverse = _by_podium(scores), _by_sort(read_as, inverse=True)
    true = shown(_by_sort(read_as), 2)
    for column, what in enumerate(("Borda", "mean")):
        yield judged(
            f"{name}, to {what}",
            Numbers([printed[column]], decimals[column]),
            [ours[column]],
            {f"{slip}; between the rankings they are {true}": [inverse[column]]},
        )
    expected, error = _random(read_as)
    away = (random - expected) / error
    yield judged(
        f"{name}, to random orders",
        Numbers([random], 0 if random > 1000 else 1),
        Drawn([expected], [error]),
        note=f"podium's is the expectation N(N − 1)/4; printed is an average over {ORDERS} orders, without a seed, "
        f"{away:+.1f} of its standard errors away",
    )


def _by_podium(scores: Scores) -> list[float]:
    """Distances to Borda and to the mean, ties by midrank."""
    tasks = [midranks(places(task)) for task in table(scores)]
    return [_distance(np.array(tasks), ranks(scores, way)) for way in ("borda", "mean")]


def _by_sort(scores: Scores, *, inverse: bool = False) -> list[float]:
    """The same with every tie broken by the sort; of inverse permutations, as the released code has it."""
    tasks = table(scores)
    turned = order if inverse else np.asarray
    ballots = np.array([turned(-values_below(task)) for task in tasks], dtype=np.float64)
    consensus = (values_below(borda(tasks)), values_below(tasks.mean(axis=0)))
    return [_distance(ballots, np.asarray(turned(-ranks), dtype=np.float64)) for ranks in consensus]


def _distance(tasks: Floats, consensus: Floats) -> float:
    counts = count_pairs(tasks, np.broadcast_to(consensus, tasks.shape))
    return float(distances(counts, tie_penalty=0.5).mean())


def _random(scores: Scores) -> tuple[float, float]:
    """Expected distance of random orders from the tasks, and the standard error of an average over `ORDERS`."""
    tasks = np.array([midranks(places(task)) for task in table(scores)])
    rng = np.random.default_rng(0)
    drawn = [_distance(tasks, rng.permutation(tasks.shape[1]).astype(float)) for _ in range(100)]
    return tasks.shape[1] * (tasks.shape[1] - 1) / 4, float(np.std(drawn) / np.sqrt(ORDERS))
