"""Standard errors, against a likelihood on a fine grid and differences of it, which share no code with podium."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_expit, logsumexp

from podium.response.fit import Calibration, fit_item_response
from podium.response.item import Answers
from response.test_fit import TINY

Floats = NDArray[np.float64]

GRID = np.linspace(-7, 7, 701)


class Marginal:
    """The model by brute force: abilities are summed over a grid, and instances count by weights."""

    def __init__(self, scores: Floats, weights: Floats) -> None:
        self.scores, self.weights = scores, weights

    def joint(self, parameters: Floats) -> Floats:
        """Shape `(N, G)`: log of likelihood times prior of each system at each ability."""
        log_a, b = parameters.reshape(2, -1)
        logit = np.exp(log_a)[:, None] * (GRID - b[:, None])
        each = self.scores[:, :, None] * log_expit(logit) + (1 - self.scores[:, :, None]) * log_expit(-logit)
        total: Floats = np.nansum(each * self.weights[:, None], axis=1) - GRID**2 / 2
        return total

    def loss(self, parameters: Floats) -> float:
        log_a, b = parameters.reshape(2, -1)
        priors = self.weights @ (log_a**2 / (2 * 0.5**2) + b**2 / (2 * 2.0**2))
        return float(priors - logsumexp(self.joint(parameters), axis=1).sum())

    def slope(self, parameters: Floats) -> Floats:
        """What every item has to be at the maximum: gradient of the posterior, an instance counting once for itself."""
        log_a, b = parameters.reshape(2, -1)
        chance = np.exp(log_expit(np.exp(log_a)[:, None] * (GRID - b[:, None])))
        excess = np.nan_to_num(self.scores[:, :, None] - chance)
        weight = np.exp(self.joint(parameters))
        weight /= weight.sum(axis=1, keepdims=True)
        by_b = -np.exp(log_a) * np.einsum("ng,nkg->k", weight, excess) - b / 4
        by_a = np.einsum("ng,nkg,kg->k", weight, excess, np.exp(log_a)[:, None] * (GRID - b[:, None])) - log_a / 0.25
        return np.concatenate([by_a, by_b])

    def means(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Posterior means and variances of abilities."""
        weight = np.exp(self.joint(parameters))
        weight /= weight.sum(axis=1, keepdims=True)
        mean = weight @ GRID
        return mean, weight @ GRID**2 - mean**2

    def best(self, start: Floats) -> Floats:
        """Newton steps on the gradient, with differences for its derivatives."""
        found = np.array(minimize(self.loss, start, method="BFGS").x)
        for _ in range(4):
            found = found - np.linalg.solve(jacobian(self.slope, found), self.slope(found))
        return found


def jacobian(function: Callable[[Floats], Any], at: Floats, step: float = 1e-4) -> Floats:
    """Central differences, of fourth order."""
    columns = []
    for place in range(at.size):
        unit = np.zeros(at.size)
        unit[place] = step
        near = (function(at + unit) - function(at - unit)) / (2 * step)
        far = (function(at + 2 * unit) - function(at - 2 * unit)) / (4 * step)
        columns.append((4 * near - far) / 3)
    return np.array(columns).T


def fitted(name: str) -> tuple[Marginal, Floats, Calibration]:
    scores = np.array(TINY[name], dtype=np.float64)
    brute = Marginal(scores, np.ones(scores.shape[1]))
    return brute, brute.best(np.zeros(2 * scores.shape[1])), Calibration.of(Answers(scores)).exact()


@pytest.mark.parametrize("name", TINY)
def test_standard_errors_are_those_of_the_brute_force_likelihood(name: str) -> None:
    brute, best, fit = fitted(name)
    covariance = np.linalg.inv(jacobian(lambda at: -brute.slope(at), best))
    assert fit.information is not None
    assert_allclose(np.concatenate([fit.items.log_slope, fit.items.difficulty]), best, atol=1e-4)
    assert_allclose(fit.information.std_errors().ravel(), np.sqrt(np.diag(covariance)), atol=1e-4)
    mean, variance = brute.means(best)
    assert_allclose(fit.abilities.mean, mean, atol=1e-4)
    moved = jacobian(lambda at: brute.means(at)[0], best)
    assert_allclose(fit.information.covariance, np.diag(variance) + moved @ covariance @ moved.T, atol=1e-4)


@pytest.mark.parametrize("name", TINY)
def test_the_influence_of_an_instance_is_the_derivative_of_all_fitted_again(name: str) -> None:
    brute, best, fit = fitted(name)

    def abilities(weights: Floats) -> Floats:
        other = Marginal(brute.scores, weights)
        return other.means(other.best(best))[0]

    assert fit.information is not None
    assert_allclose(fit.information.influence(), jacobian(abilities, brute.weights, 1e-3), atol=1e-4)


def test_weights_are_how_often_an_instance_counts() -> None:
    scores = np.array(TINY["with holes"], dtype=np.float64)
    weights = np.array([1.0, 3.0, 0.5, 2.0])
    brute = Marginal(scores, weights)
    best = brute.best(np.zeros(8))
    fit = Calibration.of(Answers(scores, weights)).exact()
    assert_allclose(fit.abilities.mean, brute.means(best)[0], atol=1e-4)
    once = Calibration.of(Answers(scores, np.array([1.0, 2, 1, 1]))).exact()
    twice = Calibration.of(Answers(scores[:, [0, 1, 1, 2, 3]])).exact()
    assert_allclose(once.abilities.mean, twice.abilities.mean, atol=1e-6)


def test_what_only_the_prior_says_has_no_standard_error() -> None:
    fit = fit_item_response(np.array([[1, 0, 1, 1, 0], [1, 1, 0, 1, 0], [1, 0, 0, np.nan, 0.5]]), errors=True)
    assert np.isnan(fit.difficulty_se).tolist() == [True, False, False, True, False]
    assert (np.isnan(fit.discrimination_se) == np.isnan(fit.difficulty_se)).all()
    assert (fit.ability_se > fit.ability_sd).all()


def test_one_parameter_leaves_slopes_alone() -> None:
    rng = np.random.default_rng(0)
    scores = (rng.random((6, 30)) < 0.6).astype(np.float64)
    fit = Calibration.of(Answers(scores), steady=True).exact()
    assert (fit.items.slope == 1).all()
    assert fit.information is not None
    solved = scores.sum(axis=1)
    # the number solved is all that matters
    assert_allclose(np.argsort(fit.abilities.mean.round(9), kind="stable"), np.argsort(solved, kind="stable"))
    assert np.isnan(fit.information.std_errors()[0]).all()
