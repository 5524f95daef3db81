"""The score of the winner, corrected for having won: by brute force, and by laws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm, poisson

import podium
from podium.ranking.intervals import conditional_mean, step_of, winners_curse_corrected

Floats = NDArray[np.float64]

INFINITE = float("inf")

rooms = st.floats(0.01, 6) | st.just(INFINITE)


def corrected(oriented: Any, samples: Floats, **changed: Any) -> tuple[float, float, float] | None:
    usual: dict[str, Any] = {"step": 0.0, "confidence": 0.95, "df": 1e6, "units": "instances"}
    return winners_curse_corrected(np.array(oriented, dtype=np.float64), samples, **(usual | changed))


def replicates(n_systems: int, seed: int = 0, number: int = 2000) -> Floats:
    """Replicates of correlated systems, without skewness."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(n_systems, n_systems)) @ rng.normal(size=(n_systems, number // 2))
    return np.concatenate([half, -half], axis=1)


@given(share=st.floats(0.02, 0.98), below=rooms, above=rooms, reach=st.floats(2, 5))
def test_of_draws_between_the_bounds_that_share_lies_below(
    share: float, below: float, above: float, reach: float
) -> None:
    mean = conditional_mean(share, below, above, reach=reach)
    grid = np.linspace(max(-below, mean - reach), min(above, mean + reach), 200_001)
    density = norm.pdf(grid - mean)
    assert density[grid < 0].sum() / density.sum() == pytest.approx(share, abs=2e-3)


@pytest.mark.parametrize("count", [25, 100])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
@pytest.mark.parametrize("turned", [False, True])
def test_with_skewness_the_draw_is_like_a_number_of_rare_events(count: int, share: float, turned: bool) -> None:
    """Half of the probability of the number itself lies below it; medians are a sixth below means."""
    exact = brentq(lambda mean: poisson.cdf(count, mean) - poisson.pmf(count, mean) / 2 - share, 1, 10 * count)
    expected = (exact - count) / np.sqrt(count)
    sign = -1 if turned else 1
    found = conditional_mean(1 - share if turned else share, INFINITE, INFINITE, reach=20, skewness=sign / count**0.5)
    assert sign * found == pytest.approx(expected - 1 / 6 / count**0.5, abs=0.03)


@pytest.mark.parametrize("skewness", [-0.2, -1e-5, 1e-5, 0.2])
def test_a_little_skewness_changes_little(skewness: float) -> None:
    plain = conditional_mean(0.5, 0.3, 2.0, reach=3.5)
    assert conditional_mean(0.5, 0.3, 2.0, reach=3.5, skewness=skewness) == pytest.approx(plain, abs=5 * abs(skewness))


def test_far_out_tails_keep_their_digits() -> None:
    assert conditional_mean(0.5, 1e-12, INFINITE, reach=40.0) == pytest.approx(-40, abs=0.1)
    assert conditional_mean(1e-9, INFINITE, INFINITE, reach=40.0) == pytest.approx(-norm.ppf(1e-9), abs=1e-6)


@pytest.mark.parametrize("n_systems", [2, 4, 12])
def test_of_equal_systems_it_is_too_low_as_often_as_too_high(n_systems: int) -> None:
    """2,000 draws of correlated systems of true score 0, whose covariance is known."""
    samples = replicates(n_systems)
    draws = np.random.default_rng(1).multivariate_normal(np.zeros(n_systems), np.cov(samples), 2000)
    found = [corrected(draw, samples) for draw in draws]
    assert all(found)
    score, low, high = np.array([each for each in found if each]).T
    assert (score < 0).mean() == pytest.approx(0.5, abs=0.04)
    assert ((low <= 0) & (high >= 0)).mean() > 0.935
    assert (draws.max(axis=1) < 0).mean() < 0.35


def test_who_is_far_ahead_is_not_corrected() -> None:
    samples = replicates(3)
    error = samples[0].std(ddof=1)
    found = corrected([100 * error, 0, 0], samples)
    assert found is not None
    score, low, high = found
    assert score == pytest.approx(100 * error)
    reach = norm.ppf(1 - 0.045 / (2 * 0.995)) * error
    assert_allclose([high - score, score - low], reach, rtol=0.03)


@given(order=st.permutations(range(5)), shift=st.floats(-5, 5), factor=st.floats(0.1, 10))
def test_names_and_scales_change_nothing(order: list[int], shift: float, factor: float) -> None:
    oriented, samples = np.array([1.0, 0.6, 0.4, 0.1, 0.0]), replicates(5)
    first = corrected(oriented, samples, step=0.1)
    other = corrected(shift + factor * oriented[order], factor * samples[order], step=0.1 * factor)
    assert first is not None
    assert other is not None
    assert_allclose(other, shift + factor * np.array(first), atol=1e-8)


def test_the_more_narrow_the_win_the_lower_the_score() -> None:
    samples = np.random.default_rng(0).normal(size=(2, 2000))
    found = [corrected([lead, 0], samples) for lead in (0.1, 0.5, 1, 2, 4)]
    losses = [lead - each[0] for lead, each in zip((0.1, 0.5, 1, 2, 4), found, strict=True) if each]
    assert losses == sorted(losses, reverse=True)
    assert all(each and each[1] < each[0] < each[2] for each in found)


@pytest.mark.parametrize(
    "changed", [{"df": 8.9}, {"step": 0.6}, {"oriented": [1, 1, 0]}, {"oriented": [np.nan, 1, np.nan]}]
)
def test_nothing_is_said_where_it_would_be_wrong(changed: dict[str, Any]) -> None:
    samples = np.random.default_rng(0).normal(size=(3, 1000))
    assert corrected([1, 0, 0], samples, df=100) is not None
    assert corrected(changed.pop("oriented", [1, 0, 0]), samples, **changed) is None


def test_nothing_is_said_of_very_skewed_scores_without_steps() -> None:
    samples = np.random.default_rng(0).gamma(9, size=(3, 1000))
    assert corrected([9, 0, 0], samples) is None
    assert corrected([9, 0, 0], samples, step=0.1) is not None
    assert corrected([9, 0, 0], samples, df=30) is not None


@given(
    numbers=st.lists(st.integers(-20, 20), min_size=2, max_size=30),
    step=st.sampled_from([1 / 3, 1e-3, 7.0]),
    shift=st.floats(-1, 1),
)
def test_all_differences_are_multiples_of_the_step(numbers: list[int], step: float, shift: float) -> None:
    found = step_of(step * (np.array(numbers) + shift))
    expected = np.gcd.reduce(np.array(numbers) - numbers[0])
    assert found == pytest.approx(step * expected, rel=1e-5)


def test_only_the_winner_has_a_corrected_score() -> None:
    scores = podium.simulate.gumbel(4, 2, 50, dispersion=0.1, rng=0).scores
    rows = podium.rank(scores, confidence_level=0.95).rows()
    assert rows[0]["corrected_low"] < rows[0]["corrected_score"] < rows[0]["score"]
    assert rows[0]["corrected_high"] > rows[0]["corrected_score"]
    assert all(row["corrected_score"] is None for row in rows[1:])


def test_where_lower_is_better_the_corrected_score_is_higher() -> None:
    values = np.random.default_rng(0).normal(size=(4, 80))
    higher = podium.rank(podium.from_arrays({"t": values}), "mean", confidence_level=0.95).rows()[0]
    turned = podium.from_arrays({"t": -values}, lower=["t"])
    lower = podium.rank(turned, "mean", confidence_level=0.95).rows()[0]
    names = ("corrected_score", "corrected_low", "corrected_high")
    assert_allclose([-lower[name] for name in names], [higher[name] for name in (names[0], names[2], names[1])])


@pytest.mark.parametrize("method", ["copeland", "median", "bradley-terry"])
def test_other_methods_have_none(method: str | podium.MethodSpec) -> None:
    scores = podium.simulate.gumbel(4, 2, 50, dispersion=0.5, rng=0).scores
    assert "corrected_score" not in podium.rank(scores, method, confidence_level=0.95, n_resamples=100).rows()[0]


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_a_winner_that_never_varies_or_is_often_missing_is_not_corrected() -> None:
    rng = np.random.default_rng(0)
    constant = np.vstack([np.full(20, 9.0), rng.normal(size=(3, 20))])
    once = rng.normal(size=(4, 20))
    once[0, 1:], once[0, 0] = np.nan, 9.0
    for values in (constant, once):
        found = podium.rank(
            podium.from_arrays({f"t{i}": values[:, [i]] for i in range(20)}), "mean", confidence_level=0.95
        )
        assert found.score[0] == 9.0
        assert [row["corrected_score"] for row in found.rows()] == [None] * 4
