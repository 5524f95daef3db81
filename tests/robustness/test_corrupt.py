import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.errors import MethodError
from podium.score.table import Scores
from podium.score.task import Task
from podium.simulate import gumbel
from podium.stresses import Corrupt


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def every_task(scores: Scores) -> list[Scores]:
    return [scores.select(tasks=[name]) for name in scores.task_names]


@pytest.mark.parametrize("own_scale", [True, False])
@pytest.mark.parametrize("lower", [0, 2])
def test_corrupted_tasks_rank_the_systems_in_reverse(own_scale: bool, lower: int) -> None:
    scores = gumbel(5, 2, 50, dispersion=2.0, lower=lower, rng=0).scores
    for task in every_task(Corrupt(2, dispersion=3.0, own_scale=own_scale)(scores, rng())):
        for method in ("borda", "mean", "kemeny"):
            assert podium.rank(task, method, confidence=None).systems == scores.systems


def test_the_truth_is_reversed_where_it_is_given() -> None:
    scores = gumbel(4, 3, 40, dispersion=0.0, rng=0).scores
    for task in every_task(Corrupt(3, dispersion=3.0, truth=(2, 1, 4, 3))(scores, rng())):
        assert podium.rank(task, confidence=None).systems == ("system 3", "system 4", "system 1", "system 2")


def test_each_task_is_reversed_by_itself() -> None:
    values = gumbel(4, 1, 40, dispersion=3.0, rng=0).scores.tasks[0].values
    scores = Scores(("a", "b", "c", "d"), (Task.cut("up", values), Task.cut("down", values[::-1])))
    up, down = (
        podium.rank(task, confidence=None).systems for task in every_task(Corrupt(2, dispersion=3.0)(scores, rng()))
    )
    assert up == ("a", "b", "c", "d")
    assert down == ("d", "c", "b", "a")


def test_as_drawn_scores_are_gumbel_around_the_goodness_negated() -> None:
    scores = gumbel(3, 1, 20_000, dispersion=1.0, lower=1, rng=0).scores
    values = -Corrupt(1, dispersion=0.5, truth=(2, 2, 1), own_scale=False)(scores, rng()).tasks[0].values
    # The mean of Gumbel(c, 1) is c + 0.5772, its variance pi^2 / 6; those who share ranks 2 and 3 have goodness 1.5.
    assert_allclose(values.mean(axis=1), np.euler_gamma - 0.5 * np.array([1.5, 1.5, 3.0]), atol=0.04)
    assert_allclose(values.var(axis=1), np.pi**2 / 6, atol=0.1)


@given(seed=st.integers(0, 2**16), lower=st.integers(0, 2), missing=st.sampled_from([0.0, 0.4]))
def test_own_scale_keeps_mean_and_deviation_and_holes(seed: int, lower: int, missing: float) -> None:
    scores = gumbel(4, 2, [3, 20], dispersion=1.0, scales=[1000, 0.01], lower=lower, missing=missing, rng=seed).scores
    for before, now in zip(scores.tasks, Corrupt(2)(scores, rng(seed)).tasks, strict=True):
        assert_array_equal(np.isnan(before.values), np.isnan(now.values))
        assert np.nanmean(now.values) == pytest.approx(np.nanmean(before.values), rel=1e-9)
        if before.scored.sum() > 1:
            assert np.nanstd(now.values) == pytest.approx(np.nanstd(before.values), rel=1e-9)


def test_own_scale_leaves_equal_scores_and_empty_tasks() -> None:
    tasks = (Task.cut("equal", np.full((2, 3), 0.7)), Task.cut("empty", np.full((2, 3), np.nan)))
    equal, empty = Corrupt(2)(Scores(("a", "b"), tasks), rng()).tasks
    assert_allclose(equal.values, 0.7)
    assert_array_equal(empty.scored, [0, 0])


def test_means_to_be_reversed_are_weighted() -> None:
    values = np.array([[1.0] * 30 + [0.0] * 30, [0.0] * 30 + [1.0] * 30])
    for heavy, best in ((slice(30), "b"), (slice(30, 60), "a")):
        weights = np.ones(60)
        weights[heavy] = 3.0
        scores = Scores(("a", "b"), (Task.cut("t", values, instance_weights=weights),))
        assert podium.rank(Corrupt(1, dispersion=5.0)(scores, rng()), confidence=None).systems[0] == best


def test_every_task_is_as_likely_to_be_corrupted() -> None:
    scores = gumbel(2, 4, 2, dispersion=0.5, rng=0).scores
    generator, times = rng(1), np.zeros(4)
    for _ in range(1000):
        stressed = Corrupt(1)(scores, generator)
        times += [now is not before for now, before in zip(stressed.tasks, scores.tasks, strict=True)]
    # Standard error 14; four of them.
    assert_allclose(times, 250, atol=55)


def test_the_truth_must_fit_the_table() -> None:
    scores = gumbel(3, 2, 2, dispersion=0.5, rng=0).scores
    with pytest.raises(MethodError, match="the truth has 2 ranks for 3 systems"):
        Corrupt(1, truth=(1, 2))(scores, rng())
    with pytest.raises(MethodError, match="give the rank of every system"):
        Corrupt(1, truth=("first", "second"))  # type: ignore[arg-type]


def test_scores_too_large_to_average_are_refused() -> None:
    scores = Scores(("a", "b"), (Task.cut("t", np.array([[1e308, -1e308], [1e308, 1e308]])),))
    with pytest.raises(MethodError, match="task 't' are too large to be corrupted"):
        Corrupt(1)(scores, rng())
