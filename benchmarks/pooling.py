"""Time of pooling beside PyMARE and statsmodels, and from scores to a meta-analysis of every pair of systems.

python benchmarks/pooling.py
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import measure
import numpy as np
from measure import Row
from pymare.estimators import DerSimonianLaird, VarianceBasedLikelihoodEstimator
from statsmodels.stats.meta_analysis import combine_effects
from threadpoolctl import threadpool_limits

import podium
from podium.comparison.effects import Pairs, effect_sizes
from podium.comparison.pooling import pool
from podium.tally.count import count
from podium.tally.moment import Comoments

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

ANALYSES, TASKS = 100_000, 10
#: Of which alternatives that take one analysis after the other get a sample; their time is multiplied.
SAMPLE = 500
SYSTEMS, INSTANCES = 100, 1_000_000


def effects() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    variance = rng.uniform(0.01, 0.1, (ANALYSES, TASKS))
    return rng.normal(0, np.sqrt(variance + 0.05)), variance


def with_podium(y: Floats, v: Floats, estimator: str) -> Floats:
    pooled = pool(y, v, estimator=estimator, interval="normal", profile=False)
    return np.array([pooled.tau2, pooled.low])


def with_pymare(y: Floats, v: Floats, estimator: Any) -> Floats:
    """τ² and the lower end: it takes analyses in columns, and asks for a design matrix."""
    summary = estimator.fit(y=y.T, v=v.T, X=np.ones((TASKS, 1))).summary()
    return np.array([np.ravel(summary.tau2), summary.get_fe_stats()["ci_l"][0]])


def with_statsmodels(y: Floats, v: Floats) -> Floats:
    with np.errstate(invalid="ignore"):  # of its negative variances
        found = [combine_effects(*one, method_re="dl") for one in zip(y, v, strict=True)]
        return np.array([(one.tau2, one.conf_int()[1][0]) for one in found]).T


def cpu(work: Callable[[], Floats], rounds: int) -> float:
    """Median CPU seconds on one core."""
    with threadpool_limits(limits=1):
        return measure.cpu_seconds(work, rounds=rounds)


def many_analyses() -> Iterator[Row]:
    y, v = effects()
    peers = {"dl": DerSimonianLaird(small_sample_correction="wald")}
    peers["reml"] = VarianceBasedLikelihoodEstimator(method="REML", small_sample_correction="wald")
    few, many = (y[:SAMPLE], v[:SAMPLE]), ANALYSES / SAMPLE
    what = f"{ANALYSES:,} analyses of {TASKS} tasks, on one core"
    for name, goal in (("dl", "≤ 0.05 s"), ("reml", "≤ 2 s")):
        np.testing.assert_allclose(with_pymare(*few, peers[name]), with_podium(*few, name), atol=1e-6)
        ours = cpu(lambda name=name: with_podium(y, v, name), 5)  # type: ignore[misc]
        theirs = cpu(lambda name=name: with_pymare(y, v, peers[name]), 2)  # type: ignore[misc]
        yield Row(f"{what}: {name}", f"{ours:.3f} s", f"PyMARE: {theirs:.2f} s", theirs / ours, goal)
        if name == "dl":
            theirs, expected = many * cpu(lambda: with_statsmodels(*few), 3), with_podium(*few, name)
            positive = expected[0] > 0  # it goes on below 0
            np.testing.assert_allclose(with_statsmodels(*few)[:, positive], expected[:, positive], rtol=1e-6)
            beside = f"statsmodels, {SAMPLE:,} of them × {many:g}: {theirs:.0f} s"
            yield Row(f"{what}: {name}", f"{ours:.3f} s", beside, theirs / ours, goal)


def tally(rng: np.random.Generator) -> tuple[Comoments, float]:
    """One of the tasks, which are never all in memory; and how long it took to count."""
    size = INSTANCES // TASKS
    values = rng.normal(size=size) + rng.normal(size=(SYSTEMS, size)) + rng.normal(0, 0.1, (SYSTEMS, 1))
    scores = podium.from_arrays({"t": values})
    started = time.process_time()
    (counted,) = count(scores, (Comoments,), threads=1)[Comoments]
    return counted, time.process_time() - started


def all_pairs(tallies: list[Comoments]) -> Floats:
    sizes = [effect_sizes(Pairs.of(one), "md") for one in tallies]
    apart = ~np.eye(SYSTEMS, dtype=np.bool_)
    effect, variance = (np.stack([getattr(s, name)[apart] for s in sizes], axis=1) for name in ("effect", "variance"))
    return pool(effect, variance).estimate


def every_pair() -> Row:
    rng = np.random.default_rng(0)
    tally(np.random.default_rng(1))  # loads what is compiled
    tallies, seconds = zip(*(tally(rng) for _ in range(TASKS)), strict=True)
    counted, pooled = sum(seconds), cpu(lambda: all_pairs(list(tallies)), 5)
    return Row(
        f"all {SYSTEMS * (SYSTEMS - 1):,} pairs of {SYSTEMS} systems on {TASKS} tasks, from tallies to pooled (reml)",
        f"{pooled:.2f} s",
        f"counting {SYSTEMS} systems × {INSTANCES:,} instances, on one core: {counted:.1f} s",
        pooled / counted,
        "< 1 s",
    )


def rows() -> Iterator[Row]:
    yield from many_analyses()
    yield every_pair()


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
