"""Time of the methods of pairs, from preference matrices and tallies: Kemeny and Bradley–Terry.

python benchmarks/methods.py
"""

import time
from collections.abc import Iterator

import numpy as np
import tables
from measure import Row

import podium
from podium.ranking.ballots import pool_task_level, preferences
from podium.ranking.method.bradley_terry import bradley_terry
from podium.ranking.method.kemeny import kemeny
from podium.score.table import Scores
from podium.score.task import Task
from podium.tally.count import count
from podium.tally.duel import Duels
from podium.tally.moment import Means

SYSTEMS, TASKS = 105, 9
SEEDS = range(3)
#: Dispersion, instances of each task, seconds allowed.
WORLDS = ((0.1, 10, 0.1), (0.1, 1, 0.1), (0.01, 10, 150.0), (0.01, 1, 150.0))


def preference(dispersion: float, instances: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """One ballot per task, of its means."""
    world = podium.simulate.gumbel(SYSTEMS, TASKS, instances, dispersion=dispersion, rng=seed).scores
    means = np.array([task.means for task in count(world, (Means,))[Means]])
    return preferences(pool_task_level(means, np.ones(TASKS), tolerance=0.0, scale=None), "imputed")


def rows() -> Iterator[Row]:
    kemeny(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 2.0], [3.0, 1.0, 0.0]]))  # loads its libraries
    for dispersion, instances, limit in WORLDS:
        seconds, gaps = [], []
        for seed in SEEDS:
            matrix = preference(dispersion, instances, seed)
            started = time.perf_counter()
            _, found = kemeny(matrix, time_limit=max(limit, 1.0))
            seconds.append(time.perf_counter() - started)
            gaps.append(found.gap)
        proved = f"{sum(gap == 0 for gap in gaps)} of {len(gaps)} proved"
        unproved = "" if not any(gaps) else f", largest gap {max(gaps):.2%}"
        yield Row(
            f"Kemeny, {SYSTEMS} systems × {TASKS} tasks of {instances} instances, φ = {dispersion}",
            ", ".join(f"{second:.3f} s" for second in seconds),
            f"{proved}{unproved}; allowed: {limit:g} s",
            float(np.median(seconds)) / limit,
            "≤ 1",
        )
    yield strengths()


def strengths() -> Row:
    array = tables.dense()
    scores = Scores(tuple(map(str, range(tables.SYSTEMS))), (Task.cut("t", array),))
    started = time.perf_counter()
    (duels,) = count(scores, (Duels,))[Duels]
    counted = time.perf_counter() - started
    bradley_terry(duels.wins, duels.ties)
    started = time.perf_counter()
    bradley_terry(duels.wins, duels.ties)
    fitted = time.perf_counter() - started
    return Row(
        "Bradley–Terry from the tally of 20 systems × 1,000,000 instances",
        f"{1e3 * fitted:.1f} ms",
        f"counting it: {1e3 * counted:.0f} ms",
        fitted / counted,
        "milliseconds",
    )


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
