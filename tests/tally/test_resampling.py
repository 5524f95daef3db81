"""Replicates are the table counted with random weights, and the draws are keyed."""

from dataclasses import fields, replace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.score.table import Block, Scores
from podium.score.task import Task
from podium.score.units import instance_set, sharing
from podium.tally import compiled
from podium.tally.count import PLAIN, count
from podium.tally.draw import POISSON, Resampling, draw_tasks, instance_keys, task_key
from podium.tally.duel import Duels
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions
from podium.tally.tally import Kernels, Tally
from support.worlds import blocks

both_kernels = pytest.mark.parametrize("kernels", [PLAIN, compiled], ids=["plain", "compiled"])
every_tally = pytest.mark.parametrize("kind", [Duels, Means, Positions], ids=lambda kind: kind.__name__)


def arrays(tally: Tally) -> list[Any]:
    return [np.asarray(getattr(tally, field.name)) for field in fields(cast("Any", tally))]


def test_the_table_of_draws_has_the_mean_and_variance_of_poisson() -> None:
    draws = POISSON.astype(float)
    assert draws.size == 2**16
    assert draws.mean() == 1
    assert draws.var() == 1
    assert ((draws - 1) ** 3).mean() == pytest.approx(1, abs=1e-3)


@both_kernels
def test_draws_look_independent(kernels: Kernels) -> None:
    draws = kernels.draws(instance_keys(task_key(1, b"t"), 0, 400), 0, 400).astype(float)
    # 160,000 draws of mean 1 and variance 1: five standard errors
    assert abs(draws.mean() - 1) < 5 / 400
    assert abs(draws.var() - 1) < 5 * np.sqrt(3) / 400
    correlations = np.corrcoef(np.vstack([draws, draws.T]))[np.triu_indices(800, 1)]
    assert np.abs(correlations).max() < 6 / 20
    assert correlations.std() == pytest.approx(1 / 20, rel=0.05)


@given(start=st.integers(0, 9), length=st.integers(1, 5), first=st.integers(0, 9), replicates=st.integers(1, 9))
def test_a_draw_depends_on_what_it_is_for_alone(start: int, length: int, first: int, replicates: int) -> None:
    whole = PLAIN.draws(instance_keys(task_key(0, b"t"), 0, 16), 0, 24)
    keys = instance_keys(task_key(0, b"t"), start, length)
    expected = whole[start : start + length, first : first + replicates]
    assert_array_equal(PLAIN.draws(keys, first, replicates), expected)
    assert_array_equal(compiled.draws(keys, first, replicates), expected)


def test_seeds_and_tasks_have_draws_of_their_own() -> None:
    keys = [task_key(seed, task) for seed in (0, 1) for task in (b"a", b"b")]
    sums = {PLAIN.draws(instance_keys(key, 0, 50), 0, 50).tobytes() for key in keys}
    assert len(sums) == 4


def test_tasks_are_drawn_evenly_and_by_number() -> None:
    draws = draw_tasks(0, 5, 0, 20_000)
    assert_array_equal(draws.sum(axis=0), 5)
    # binomial(5, 1/5) in each cell: five standard errors of a mean of 20,000
    assert_allclose(draws.mean(axis=1), 1, atol=5 * np.sqrt(0.8 / 20_000))
    assert_allclose(draws.var(axis=1), 0.8, atol=0.05)
    assert_array_equal(draw_tasks(0, 5, 30, 10), draws[:, 30:40])


@every_tally
@both_kernels
@given(block=blocks(), seed=st.integers(0, 5))
def test_a_replicate_is_the_table_with_its_draws_as_weights(
    kind: type[Tally], kernels: Kernels, block: Block, seed: int
) -> None:
    draws = PLAIN.draws(instance_keys(task_key(seed, b"t"), 0, block.values.shape[1]), 0, 5)
    weights = draws if block.weights is None else draws * block.weights[:, None]
    together = kind.of(replace(block, weights=weights), kernels)
    size = max(float(np.abs(np.nan_to_num(block.values)).max()), 30.0)
    for b in range(5):
        alone = kind.of(replace(block, weights=weights[:, b].astype(float)), PLAIN)
        for ours, theirs in zip(arrays(together), arrays(alone), strict=True):
            assert_allclose(ours[..., b], theirs, rtol=1e-12, atol=1e-12 * size)


def table(instances: int = 700) -> Scores:
    scores = podium.simulate.gumbel(5, 3, instances, dispersion=0.2, missing=0.1, rng=3).scores
    return scores.with_instance_weights({"task 2": np.arange(1.0, instances + 1)})


@every_tally
@pytest.mark.parametrize("kernels", [PLAIN, compiled], ids=["plain", "compiled"])
def test_neither_threads_nor_batches_nor_the_order_of_tasks_change_a_bit(
    kind: type[Tally], kernels: Kernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    resampling = Resampling("instances", replicates=12, seed=7)
    scores = table()
    monkeypatch.setattr("podium.tally.count._DRAWS", 12 * 128)
    whole = count(scores, [kind], resampling=resampling, threads=1, kernels=kernels)[kind]
    threaded = count(scores, [kind], resampling=resampling, threads=3, kernels=kernels)[kind]
    turned = replace(scores, tasks=scores.tasks[::-1])
    backwards = count(turned, [kind], resampling=resampling, kernels=kernels)[kind][::-1]
    for first, second, third in zip(whole, threaded, backwards, strict=True):
        for a, b, c in zip(arrays(first), arrays(second), arrays(third), strict=True):
            assert_array_equal(a, b)
            assert_array_equal(a, c)
    monkeypatch.setattr("podium.tally.count._DRAWS", 5 * 128)
    batch = Resampling("instances", replicates=5, seed=7, first=4)
    part = count(scores, [kind], resampling=batch, kernels=kernels)[kind]
    for first, second in zip(whole, part, strict=True):
        for a, b in zip(arrays(first), arrays(second), strict=True):
            # matrix products of other shapes add in another order
            assert_allclose(a[..., 4:9], b, rtol=1e-12, atol=1e-12)


def test_means_come_with_moments() -> None:
    scores = table()
    both = count(scores, [Moments, Means])
    for alone, free in zip(count(scores, [Means])[Means], both[Means], strict=True):
        assert_allclose(alone.mean, free.mean, rtol=1e-12)


def test_a_single_instance_is_taken_as_it_is() -> None:
    counts = count(podium.datasets.toy_table1(), [Positions], resampling=Resampling("instances", replicates=9))
    for task in counts[Positions]:
        assert_array_equal(task.weight, 1)


def test_metrics_of_the_same_items_are_drawn_together() -> None:
    rows = [
        {"task": task, "system": system, "instance": f"item {item}", "score": float(item % 7 + (system == "A"))}
        for task in ("bleu", "rouge")
        for system in "AB"
        for item in range(30)
    ]
    frame = {name: [row[name] for row in rows] for name in rows[0]}
    shared = podium.from_frame(pa.table(frame))
    bleu, rouge = count(shared, [Means], resampling=Resampling("instances", 20))[Means]
    assert_array_equal(bleu.mean, rouge.mean)
    own = [f"{row['instance']} of {row['task']}" for row in rows]
    apart = podium.from_frame(pa.table({**frame, "instance": own}))
    bleu, rouge = count(apart, [Means], resampling=Resampling("instances", 20))[Means]
    assert not np.array_equal(bleu.mean, rouge.mean)


def test_long_labels_are_told_apart_and_numbers_are_none() -> None:
    def table(*labels: list[str]) -> tuple[Task, ...]:
        arrays = {f"t{i}": np.arange(6.0).reshape(2, 3) for i in range(len(labels))}
        instances = {f"t{i}": np.array(each, dtype=np.dtypes.StringDType()) for i, each in enumerate(labels)}
        return podium.from_arrays(arrays, systems=["A", "B"], instances=instances).tasks

    # long enough to stand outside of the array, where there are only their addresses
    one, two = ([f"{name}-query-of-some-length-{i:05}" for i in range(3)] for name in ("aaa", "bbb"))
    assert instance_set(table(one, two)[0]) != instance_set(table(one, two)[1])
    assert instance_set(table(one, list(one))[0]) == instance_set(table(one, list(one))[1])
    assert [len(sharing(table(one, other))) for other in (two, list(one))] == [0, 1]
    assert not sharing(table(["0", "1", "2"], ["0", "1", "2"]))
    assert not sharing(table(["1", "2", "3"], ["1", "2", "3"]))
    assert len(sharing(table(["1", "2", "9"], ["1", "2", "9"]))) == 1
