"""Intervals of scores that are sums over units."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import podium
from podium.ranking.bootstrap import skewness
from podium.ranking.intervals import Range, interval_of_sums, range_of_scores
from podium.ranking.method_spec import MethodSpec
from podium.ranking.result import Intervals
from podium.score.table import Scores

numbers = st.floats(-2, 2)


def ends(
    score: float, error: float, skewed: float, t: float, *, low: float = -100.0, high: float = 100.0, n: float = 20
) -> tuple[float, float]:
    found = interval_of_sums(
        np.array([score]),
        np.array([error]),
        np.array([skewed]),
        t,
        bounds=Range(np.array([low]), np.array([high]), n),
        alpha=0.05,
        rounding=np.array([1e-12]),
    )
    return float(found[0][0]), float(found[1][0])


def sure(scores: Scores, method: str, **options: object) -> Intervals:
    found = podium.rank(scores, method, confidence=0.95, **options).intervals  # type: ignore[arg-type]
    assert found is not None
    return found


@given(score=numbers, error=st.floats(0.01, 1), skewed=st.floats(-1, 1), t=st.floats(1, 4))
def test_the_ends_undo_the_transformation(score: float, error: float, skewed: float, t: float) -> None:
    low, high = ends(score, error, skewed, t)
    for end, z in ((low, t), (high, -t)):
        off = (score - end) / error
        transformed = off + skewed * off**2 / 3 + skewed**2 * off**3 / 27 + skewed / 6
        # a very skewed score can lie at the end of its own interval, and no end is further off than 2.5 t
        if low < score < high and abs(off) < 2.5 * t * (1 - 1e-9):
            assert transformed == pytest.approx(z, abs=1e-6)


@given(score=numbers, error=st.floats(0.01, 1), skewed=st.floats(-1, 1), t=st.floats(1, 4))
def test_the_mirror_image_of_scores_has_the_mirror_image_of_the_interval(
    score: float, error: float, skewed: float, t: float
) -> None:
    assert_allclose(ends(-score, error, -skewed, t), -np.array(ends(score, error, skewed, t))[::-1], atol=1e-9)


@given(score=numbers, error=st.floats(0.01, 1), t=st.floats(1, 4))
def test_without_skewness_it_is_students(score: float, error: float, t: float) -> None:
    assert_allclose(ends(score, error, 0.0, t), (score - t * error, score + t * error))
    assert_allclose(ends(score, error, 2e-6, t), (score - t * error, score + t * error), atol=1e-4)


@pytest.mark.parametrize("n", [6, 20, 150])
def test_of_a_system_that_is_always_right_it_is_clopper_and_pearsons(n: int) -> None:
    values = np.vstack([np.ones(n), np.arange(n) % 2])
    exact = scipy.stats.binomtest(n, n).proportion_ci(0.95, method="exact")
    found = sure(podium.from_arrays({"t": values}), "mean")
    assert_allclose((found.score_low[0], found.score_high[0]), (exact.low, exact.high))


def test_of_a_system_that_is_always_first_it_is_clopper_and_pearsons() -> None:
    values = np.vstack([np.ones(8), np.zeros(8)])
    exact = scipy.stats.binomtest(8, 8).proportion_ci(0.95, method="exact")
    found = sure(podium.from_arrays({f"t{i}": values[:, [i]] for i in range(8)}), "borda")
    assert_allclose((found.score_low, found.score_high), [(exact.low, 0.0), (1.0, 1 - exact.low)])


def test_no_interval_leaves_the_range_of_the_scores() -> None:
    rng = np.random.default_rng(0)
    values = (rng.random((6, 40)) < 0.95).astype(float)
    found = sure(podium.from_arrays({"t": values}), "mean")
    assert found.score_high.max() <= 1
    lower = podium.from_arrays({"t": 1 - values}).with_directions(lower=["t"])
    turned = sure(lower, "mean")
    assert_allclose(turned.score_low, 1 - found.score_high, atol=1e-12)
    assert turned.score_low.min() >= 0


def test_the_range_of_a_mean_weighs_the_tasks_that_a_system_is_scored_on() -> None:
    scores = podium.from_arrays({"a": [[1.0, 3.0], [0.0, 2.0]], "b": [[5.0, 9.0], [np.nan, np.nan]]})
    drawn = range_of_scores(scores.with_task_weights({"a": 3.0}), MethodSpec("mean"), "instances", 1.0)
    assert drawn is not None
    assert_allclose((drawn.low, drawn.high), [[(3 * 0 + 5) / 4, 0.0], [(3 * 3 + 9) / 4, 3.0]])
    of_tasks = range_of_scores(scores, MethodSpec("mean"), "tasks", 1.0)
    assert of_tasks is not None
    assert_allclose((of_tasks.low, of_tasks.high), [[0.0, 0.0], [9.0, 9.0]])


@pytest.mark.parametrize("spec", ["kemeny:one", "borda:two", "borda:two:missing=model"])
def test_other_shares_are_no_sums(spec: str) -> None:
    found = range_of_scores(podium.from_arrays({"a": [[1.0, 3.0], [0.0, 2.0]]}), MethodSpec.of(spec), "instances", 1.0)
    assert found is not None
    assert not found.of_sums
    assert_allclose((found.low, found.high), [[0, 0], [1, 1]])


@pytest.mark.parametrize("spec", ["median", "bradley-terry"])
def test_other_scores_may_be_of_any_size(spec: str) -> None:
    scores = podium.from_arrays({"a": [[1.0, 3.0], [0.0, 2.0]]})
    assert range_of_scores(scores, MethodSpec.of(spec).on(scores), "instances", 1.0) is None


@pytest.mark.parametrize("method", ["borda:two", "borda:task", "copeland:two", "kemeny:task", "median", "wins:two"])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_every_interval_holds_its_score_and_shares_stay_between_0_and_1(method: str, confidence: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        scores = podium.from_arrays({f"t{i}": np.round(rng.normal(size=(3, 8)), 1) for i in range(2)})
        found = podium.rank(scores, method, confidence=confidence, replicates=60)
        assert found.intervals is not None
        low, high = found.intervals.score_low, found.intervals.score_high
        assert ((low <= found.score) & (found.score <= high)).all()
        if method != "median":
            assert (low >= 0).all()
            assert (high <= 1).all()


@pytest.mark.parametrize("exponent", [-660, 500])
def test_the_size_of_scores_changes_nothing_else(exponent: int) -> None:
    values = np.random.default_rng(0).normal(5, 1, (4, 30))
    one = sure(podium.from_arrays({"t": values}), "mean")
    factor = 2.0**exponent
    other = sure(podium.from_arrays({"t": values * factor}), "mean")
    for name in ("std_error", "score_low", "score_high", "corrected_score", "corrected_low"):
        assert_allclose(getattr(other, name), getattr(one, name) * factor, rtol=1e-9)
    assert (other.separated == one.separated).all()


def test_skewness_is_scipys_and_leaves_out_what_is_missing() -> None:
    samples = np.random.default_rng(0).lognormal(size=(3, 200))
    assert_allclose(skewness(samples), scipy.stats.skew(samples, axis=1))
    holes = np.hstack([samples, np.full((3, 5), np.nan)])
    assert_allclose(skewness(holes), skewness(samples))
    assert_allclose(skewness(1e120 * samples), skewness(samples))


def test_means_of_skewed_scores_are_covered() -> None:
    # Student's interval covers 86 to 88% here, percentiles 88%; 8 systems, standard error of a share 0.9
    rng, hits = np.random.default_rng(0), []
    for seed in range(60):
        scores = podium.from_arrays({"t": rng.lognormal(size=(8, 30))})
        found = sure(scores, "mean", replicates=199, seed=seed)
        hits.append((found.score_low <= np.exp(0.5)) & (np.exp(0.5) <= found.score_high))
    assert np.mean(hits) > 0.91
