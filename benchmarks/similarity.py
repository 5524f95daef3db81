"""Time and memory of difficulties: similarity to a training set beside its matrix product, and item response models.

python benchmarks/similarity.py
"""

import time
from collections.abc import Iterator

import measure
import numpy as np
from measure import Row

import podium
from podium.difficulty.texts import top_similarity
from podium.response.fit import fit_item_response

Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]

TRAIN, TEST, DIMENSIONS = 25_000, 25_000, 384
MANY = (1, 5, 10, 25, 50, 75, 100)
#: Test instances whose products with the training set take as much memory as `top_similarity` does by default.
AT_ONCE = 256 * 2**20 // (4 * TRAIN)
EMBEDDINGS = f"np.random.default_rng(seed).standard_normal(({TRAIN}, {DIMENSIONS}), dtype=np.float32)"


def product(train: Array, test: Array) -> None:
    """All similarities, and nothing done with them."""
    tile = np.empty((AT_ONCE, len(train)), dtype=np.float32)
    for start in range(0, len(test), AT_ONCE):
        part = test[start : start + AT_ONCE]
        np.matmul(part, train.T, out=tile[: len(part)])


def similarity() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    train, test = (rng.standard_normal((size, DIMENSIONS), dtype=np.float32) for size in (TRAIN, TEST))
    seconds = measure.together(
        {
            "product": lambda: product(train, test),
            "25": lambda: top_similarity(train, test),
            "many": lambda: top_similarity(train, test, MANY),
        },
        rounds=3,
    )
    what = f"similarity of {TEST:,} to {TRAIN:,} embeddings of {DIMENSIONS} dimensions"
    beside = f"matrix product alone: {seconds['product']:.1f} s"
    for name, top in (("25", "top 25 %"), ("many", f"{len(MANY)} percentages from 1 to 100 %")):
        yield Row(f"{what}: {top}", f"{seconds[name]:.1f} s", beside, seconds[name] / seconds["product"], "≤ 2")
    peak = measure.peak_megabytes(
        "import numpy as np; from podium.difficulty.texts import top_similarity; "
        f"train, test = [{EMBEDDINGS} for seed in (0, 1)]; top_similarity(train, test)"
    )
    whole = 4e-6 * TRAIN * TEST
    beside = f"all similarities: {whole:,.0f} MB"
    yield Row("peak memory of that, everything included", f"{peak:.0f} MB", beside, peak / whole, "< 1,000 MB")


def responses(n_systems: int, n_instances: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Right or wrong by the two-parameter logistic model."""
    rng = np.random.default_rng(0)
    ability, difficulty = rng.normal(size=(n_systems, 1)), rng.normal(size=n_instances)
    discrimination = rng.lognormal(np.log(1.5) - 0.045, 0.3, n_instances)
    chances = 1 / (1 + np.exp(-discrimination * (ability - difficulty)))
    return (rng.random(chances.shape) < chances).astype(np.float64)


def item_response() -> Iterator[Row]:
    for n_systems, n_instances, limit in ((50, 1000, 10), (10, 100_000, 60)):
        scores = responses(n_systems, n_instances)
        started = time.perf_counter()
        iterations = fit_item_response(scores).iterations
        seconds = time.perf_counter() - started
        yield Row(
            f"item response model of {n_systems} systems × {n_instances:,} instances",
            f"{seconds:.2f} s",
            f"{iterations} iterations of EM; allowed: {limit} s",
            seconds / limit,
            "≤ 1",
        )
    scores = responses(100, 100_000)
    seconds = measure.cpu_seconds(
        lambda: podium.rank(podium.from_arrays({"t": scores}), "irt", confidence_level=None), rounds=1
    )
    yield Row(
        "abilities of 100 systems × 100,000 instances, with standard errors",
        f"{seconds:.1f} CPU s",
        "allowed: 20 s",
        seconds / 20,
        "≤ 1",
    )


def rows() -> Iterator[Row]:
    yield from similarity()
    yield from item_response()


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
