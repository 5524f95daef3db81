"""Time and memory of the bootstrap beside SciPy's, which resamples the mean alone.

python benchmarks/intervals.py
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import measure
import numpy as np
import scipy.stats
from measure import Row
from threadpoolctl import threadpool_limits

import podium
from podium.ranking.ballots import pool_one_level, preferences
from podium.ranking.method.average import mean
from podium.ranking.method.borda import one_level
from podium.ranking.method.majority import copeland
from podium.score.place import competition_ranks, places
from podium.score.table import Scores
from podium.score.task import Clusters
from podium.tally.count import count
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.moment import Means
from podium.tally.position import Positions

SYSTEMS, INSTANCES, REPLICATES = 20, 100_000, 1000
WORLD = f"podium.simulate.gumbel({SYSTEMS}, 1, {INSTANCES}, dispersion=0.1, rng=0).scores"


def replicates(scores: Scores) -> None:
    """Scores and ranks by mean, Borda and Copeland in every replicate: one pass over the instances."""
    with threadpool_limits(limits=1, user_api="blas"):
        drawn = count(scores, (Means, Duels, Positions), resampling=Resampling("instances", REPLICATES))
    weights = np.ones((1, 1))
    means = mean(np.array([task.means for task in drawn[Means]]), weights)
    borda = one_level(drawn[Positions], weights).score
    pairs = copeland(preferences(pool_one_level(drawn[Duels], weights), "imputed")).score
    for score in (means, borda, pairs):
        competition_ranks(places(score))


def of_clusters(scores: Scores) -> Row:
    """The same ranking with and without clusters of ten instances each."""
    places = np.arange(INSTANCES) // 10
    tasks = tuple(replace(task, clusters=Clusters.of(list(map(str, places)))) for task in scores.tasks)
    tables = {"podium": replace(scores, tasks=tasks), "without": scores}

    def ranked(table: Scores) -> Callable[[], object]:
        return lambda: podium.rank(table, "borda:one", confidence_level=0.95, n_resamples=REPLICATES)

    seconds = measure.together({name: ranked(table) for name, table in tables.items()}, rounds=3)
    return Row(
        f"Borda, {REPLICATES:,} replicates, {SYSTEMS} systems × {INSTANCES:,} instances in clusters of 10",
        f"{seconds['podium']:.2f} s",
        f"without clusters: {seconds['without']:.2f} s",
        seconds["podium"] / seconds["without"],
        "≤ 1.2 ×",
    )


def rows() -> Iterator[Row]:
    scores = podium.simulate.gumbel(SYSTEMS, 1, INSTANCES, dispersion=0.1, rng=0).scores
    values = scores.tasks[0].values

    def with_scipy() -> None:
        scipy.stats.bootstrap(
            (values,), np.mean, axis=1, n_resamples=REPLICATES, batch=10, method="percentile", rng=0, vectorized=True
        )

    seconds = measure.together({"podium": lambda: replicates(scores), "scipy": with_scipy}, rounds=2)
    what = f"{REPLICATES:,} replicates, {SYSTEMS} systems × {INSTANCES:,} instances"
    yield Row(
        f"{what}: mean, Borda and Copeland",
        f"{seconds['podium']:.2f} s",
        f"scipy.stats.bootstrap, the mean alone: {seconds['scipy']:.1f} s",
        seconds["scipy"] / seconds["podium"],
        "≥ 15 × faster",
    )
    yield of_clusters(scores)
    code = f"import podium; podium.rank({WORLD}, 'copeland', level='one', confidence=0.95)"
    peak = measure.peak_megabytes(code)
    yield Row(
        f"peak memory of {what}, Copeland",
        f"{peak:.0f} MB",
        f"scores: {values.nbytes / 1e6:.0f} MB",
        peak / (values.nbytes / 1e6),
        "< 300 MB",
    )


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
