"""Time and proof of the Kemeny consensus on Gumbel worlds of 105 systems × 9 tasks, one ballot per task.

python benchmarks/consensus.py
"""

import time
from collections.abc import Iterator

import numpy as np

import podium
from podium.engine import count
from podium.ranking.kemeny import kemeny
from podium.scores import Scores, Task
from podium.tallies import Duels, Moments

SYSTEMS, TASKS = 105, 9
#: Dispersion, instances of each task, seconds allowed.
WORLDS = ((0.1, 10, 10.0), (0.1, 1, 10.0), (0.01, 10, 150.0), (0.01, 1, 150.0))


def preferences(dispersion: float, instances: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    world = podium.datasets.gumbel(SYSTEMS, TASKS, instances, dispersion=dispersion, rng=seed)
    means = [task.means for task in count(world, (Moments,))[Moments]]
    tasks = tuple(Task.cut(str(index), row[:, None]) for index, row in enumerate(means))
    total: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.sum(
        [duels.expected for duels in count(Scores(world.systems, tasks), (Duels,))[Duels]], axis=0
    )
    return total


def kemeny_timings(seeds: int = 3) -> Iterator[str]:
    """One line of a table for each world: seconds of the call, libraries loaded before."""
    kemeny(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 2.0], [3.0, 1.0, 0.0]]))
    yield "| dispersion | instances | seed | seconds | cost | gap | proved | unique |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |"
    for dispersion, instances, limit in WORLDS:
        for seed in range(seeds):
            matrix = preferences(dispersion, instances, seed)
            started = time.perf_counter()
            found = kemeny(matrix, time_limit=limit)
            seconds = time.perf_counter() - started
            numbers = f"{dispersion} | {instances} | {seed} | {seconds:.3f} | {found.cost:.0f} | {found.gap:.2%}"
            yield f"| {numbers} | {found.optimal} | {found.unique} |"


if __name__ == "__main__":
    for line in kemeny_timings():
        print(line, flush=True)
