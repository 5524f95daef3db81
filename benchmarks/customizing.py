"""Time of customizing a leaderboard: sorting once, then other splits, weights, rewards and penalties.

python benchmarks/customizing.py
"""

import time
from collections.abc import Callable, Iterator

import measure
import numpy as np
from measure import Row

import podium
from podium.difficulty.result import Difficulty, Measure

SYSTEMS, INSTANCES = 10, 1_000_000


def table() -> tuple[podium.Scores, Difficulty]:
    """Systems right or wrong at random, with difficulties that hardly ever tie."""
    rng = np.random.default_rng(0)
    right = rng.random((SYSTEMS, INSTANCES)) < np.linspace(0.5, 0.9, SYSTEMS)[:, None]
    bias = Measure("bias", rng.random(INSTANCES), "low")
    return podium.from_arrays({"t": right.astype(np.float64)}), Difficulty(np.arange(INSTANCES), (bias,))


def directly(
    scores: podium.Scores, difficulty: Difficulty, splits: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Eq. 4 with NumPy, from scores already sorted: what every change would cost without sums."""
    values = scores.tasks[0].values
    weights = np.repeat(
        np.arange(1.0, splits + 1), [part.size for part in np.array_split(difficulty.instances, splits)]
    )
    scored: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = (2 * values - 1) @ weights / weights.sum()
    return scored


def milliseconds(change: Callable[[int], object], rounds: int = 200) -> float:
    """Median over changes, of which no two that follow each other are the same."""
    taken = []
    for number in range(rounds):
        started = time.perf_counter()
        change(number)
        taken.append(time.perf_counter() - started)
    return 1000 * float(np.median(taken))


def rows() -> Iterator[Row]:
    scores, difficulty = table()
    started = time.perf_counter()
    customizer = podium.Customizer.of(scores, difficulty)
    customizer.metric()
    sorting = time.perf_counter() - started
    rng = np.random.default_rng(1)
    ends = np.sort(rng.random((200, 6)))
    changes = {
        "thresholds": lambda number: customizer.metric(podium.Splitting(ends[number].tolist())),
        "number of splits": lambda number: customizer.metric(2 + number % 49),
        "weights and penalty": lambda number: customizer.metric(
            7, podium.Weighting(rng.random(7).tolist(), penalty=-number / 200)
        ),
    }
    ordered = np.argsort(-difficulty.measures[0].values)
    beside = podium.from_arrays({"t": scores.tasks[0].values[:, ordered]})
    plain = 1000 * measure.cpu_seconds(lambda: directly(beside, difficulty, 7), rounds=5)
    what = f"{SYSTEMS} systems × {INSTANCES:,} instances, sorted once ({sorting:.1f} s)"
    for name, change in changes.items():
        ours = milliseconds(change)
        yield Row(
            f"{what}: other {name}",
            f"{ours:.2f} ms",
            f"NumPy, from sorted scores: {plain:.0f} ms",
            plain / ours,
            "< 1 ms",
        )


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
