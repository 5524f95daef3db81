"""Instances or repeats: what each adds to the variance of a difference."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import podium
from podium.planning.power import repeats_needed, variance_of_repeats
from podium.score.table import Scores


def world(rng: np.random.Generator, *, within: float, instances: int = 60, repeats: int = 4, fixed: int = 0) -> Scores:
    """Three systems on two tasks; the instances are those of the seed `fixed`, the repeats are drawn."""
    of_instances = np.random.default_rng(fixed).normal(size=(2, 3, instances, 1)) + 0.1 * np.arange(3)[:, None, None]
    noise = rng.normal(scale=np.sqrt(within), size=(2, 3, instances, repeats))
    tables = dict(zip(("t", "u"), of_instances + noise, strict=True))
    return podium.from_arrays(tables, systems=["A", "B", "C"]).with_task_weights({"t": 2})


def test_the_variance_of_repeats_is_what_new_repeats_of_the_same_instances_change() -> None:
    rng = np.random.default_rng(0)
    worlds = [world(rng, within=3.0) for _ in range(1000)]
    means = np.array([
        [ranking.score[ranking.systems.index(name)] for name in "ABC"]
        for ranking in (podium.rank(one, "mean", confidence=None) for one in worlds[:400])
    ])  # fmt: skip
    expected = means.var(axis=0, ddof=1)
    found = np.mean([variance_of_repeats(one) for one in worlds], axis=0)
    # a variance of 400 numbers is known to 1/√200
    assert_allclose(found, expected, rtol=4 / np.sqrt(200))
    assert_allclose(found, (4 + 1) / 9 * 3 / (4 * 60), rtol=0.02)


def test_as_many_repeats_do_what_as_many_instances_would() -> None:
    # V = (b + w / m) / K: twice the instances, or r times the repeats
    between, within, m, instances = 0.2, 4.0, 3, 50
    variance = (between + within / m) / instances
    share = within / m / instances / variance
    factor = repeats_needed(1.5, share)
    assert (between + within / (factor * m)) / instances == pytest.approx(variance / 1.5)
    assert factor >= 1.5
    assert repeats_needed(1.5, 1.0) == pytest.approx(1.5)
    assert np.isinf(repeats_needed(10.0, share))


def test_a_plan_says_whether_to_buy_instances_or_repeats() -> None:
    noisy = podium.plan(world(np.random.default_rng(1), within=30.0), "mean", replicates=200)
    steady = podium.plan(world(np.random.default_rng(1), within=0.1), "mean", replicates=200)
    said = [[note for note in plan.notes if "repeats" in note] for plan in (noisy, steady)]
    assert said[0]
    assert said[1]
    assert all("cannot separate the two; add instances" in note for note in said[1])
    assert all(len(note) <= 140 for notes in said for note in notes)
    without = podium.plan(podium.simulate.gumbel(3, 2, 60, dispersion=0.1, rng=0).scores, "mean", replicates=200)
    assert not [note for note in without.notes if "repeats" in note]
