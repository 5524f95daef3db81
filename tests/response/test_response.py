"""Item response: fits, standard errors and suspects, against brute force that shares no code with podium."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp
from threadpoolctl import threadpool_limits

import podium
from podium.errors import ConvergenceError, InputError, MethodError
from podium.response.fit import FALSE_SHARE, Calibration, fit_item_response, misfit, suspects
from podium.response.item import Abilities, Answers, Items, rescaled

Floats = NDArray[np.float64]


def world(n_systems: int, n_instances: int, seed: int = 0, missing: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """Scores, true difficulties and abilities; discriminations are lognormal with mean 1.5."""
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(size=(n_systems, 1)), rng.normal(size=n_instances)
    discrimination = rng.lognormal(np.log(1.5) - 0.3**2 / 2, 0.3, n_instances)
    scores = (rng.random((n_systems, n_instances)) < expit(discrimination * (ability - difficulty))).astype(np.float64)
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores, difficulty, ability[:, 0]


def log_likelihood(log_a: Floats, b: Floats, scores: Floats) -> float:
    """By a fine grid, one after another."""
    grid = np.linspace(-8, 8, 1601)
    total = 0.0
    for row in scores:
        joint = -(grid**2) / 2 - np.log(2 * np.pi) / 2 + np.log(grid[1] - grid[0])
        for score, slope, place in zip(row, np.exp(log_a), b, strict=True):
            if not np.isnan(score):
                logit = slope * (grid - place)
                joint = joint + score * log_expit(logit) + (1 - score) * log_expit(-logit)
        total += float(logsumexp(joint))
    return total


TINY = {
    "right and wrong": [[1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 0]],
    "all right, all wrong": [[1, 0, 1], [1, 0, 0]],
    "credit in parts": [[0.9, 0.2, 0.0, 0.5], [0.7, 0.1, 1.0, 0.4], [1.0, 0.6, 0.3, 0.8]],
    "with holes": [[1, np.nan, 0, 1], [np.nan, 1, 0, 0.5], [1, 0, np.nan, np.nan], [1, 1, 0, 1], [0, 0, 0, np.nan]],
}


@pytest.mark.parametrize("name", TINY)
def test_it_is_the_maximum_that_brute_force_finds(name: str) -> None:
    scores = np.array(TINY[name], dtype=np.float64)
    n_items = scores.shape[1]

    def loss(parameters: Floats) -> float:
        log_a, b = parameters[:n_items], parameters[n_items:]
        priors = -(log_a**2).sum() / (2 * 0.5**2) - (b**2).sum() / (2 * 2.0**2)
        return -log_likelihood(log_a, b, scores) - float(priors)

    found = fit_item_response(scores, tolerance=1e-9)
    best = minimize(loss, np.zeros(2 * n_items), method="BFGS", options={"gtol": 1e-5})
    # nine nodes are right to about 1e-5
    assert_allclose(np.log(found.discrimination), best.x[:n_items], atol=1e-4)
    assert_allclose(found.difficulty, best.x[n_items:], atol=1e-4)
    assert found.log_likelihood == pytest.approx(log_likelihood(best.x[:n_items], best.x[n_items:], scores), abs=1e-4)


@pytest.mark.parametrize("name", TINY)
def test_abilities_are_posterior_means_and_deviations(name: str) -> None:
    scores = np.array(TINY[name], dtype=np.float64)
    found = fit_item_response(scores)
    grid = np.linspace(-8, 8, 1601)
    chances = expit(found.discrimination * (grid[:, None] - found.difficulty))
    for row, mean, deviation in zip(scores, found.ability, found.ability_sd, strict=True):
        weight = np.exp(-(grid**2) / 2) * np.nanprod(chances**row * (1 - chances) ** (1 - row), axis=1)
        weight /= weight.sum()
        assert mean == pytest.approx(weight @ grid, abs=1e-4)
        assert deviation == pytest.approx(np.sqrt(weight @ grid**2 - (weight @ grid) ** 2), abs=1e-4)


def test_difficulties_are_recovered() -> None:
    scores, difficulty, ability = world(50, 1000)
    found = fit_item_response(scores)
    assert np.corrcoef(found.difficulty, difficulty)[0, 1] > 0.95
    assert np.corrcoef(found.ability, ability)[0, 1] > 0.99
    assert ((found.ability_sd > 0.05) & (found.ability_sd < 0.2)).all()


def test_difficulties_are_recovered_from_incomplete_scores() -> None:
    scores, difficulty, _ = world(50, 400, missing=0.3)
    found = fit_item_response(scores)
    # closer than mean scores of whoever was tried
    fitted = np.corrcoef(found.difficulty, difficulty)[0, 1]
    assert fitted > 0.92
    assert fitted > -np.corrcoef(np.nanmean(scores, axis=0), difficulty)[0, 1]


@st.composite
def tables(draw: st.DrawFn) -> Floats:
    shape = draw(st.tuples(st.integers(2, 6), st.integers(1, 8)))
    elements = st.sampled_from([0.0, 1.0, 1.0, np.nan]) | st.floats(0, 1)
    scores = draw(hnp.arrays(np.float64, shape, elements=elements))
    assume((~np.isnan(scores)).any(axis=1).sum() > 1)
    return scores


def fitted(scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    found = fit_item_response(scores, tolerance=1e-8, max_iterations=2000)
    return found.difficulty, found.discrimination, found.ability, found.ability_sd


@given(scores=tables(), data=st.data())
def test_the_order_of_systems_and_instances_does_not_matter(scores: Floats, data: Any) -> None:
    rows = data.draw(st.permutations(range(scores.shape[0])))
    columns = data.draw(st.permutations(range(scores.shape[1])))
    b, a, ability, deviation = fitted(scores)
    expected = (b[columns], a[columns], ability[rows], deviation[rows])
    for one, other in zip(fitted(scores[np.ix_(rows, columns)]), expected, strict=True):
        assert_allclose(one, other, atol=1e-6)


@given(scores=tables())
def test_right_for_wrong_turns_the_scale_round(scores: Floats) -> None:
    b, a, ability, deviation = fitted(scores)
    for one, other in zip(fitted(1 - scores), (-b, a, -ability, deviation), strict=True):
        assert_allclose(one, other, atol=1e-6)


@given(scores=tables())
def test_an_instance_without_scores_has_no_difficulty_and_changes_nothing(scores: Floats) -> None:
    found = fit_item_response(scores)
    assert_array_equal(np.isnan(found.difficulty), np.isnan(scores).all(axis=0))
    assert_array_equal(np.isnan(found.discrimination), np.isnan(scores).all(axis=0))
    wider = fit_item_response(np.column_stack([np.full(len(scores), np.nan), scores]))
    assert_array_equal(wider.difficulty[1:], found.difficulty)
    assert_array_equal(wider.ability, found.ability)


@given(scores=tables())
def test_every_step_leads_up(scores: Floats) -> None:
    answers = Answers(scores[:, ~np.isnan(scores).all(axis=0)])
    items, mode = Items.start(answers), np.zeros(len(scores))
    heights = []
    for _ in range(6):
        abilities = Abilities.given(items, answers, mode)
        heights.append(abilities.log_likelihood + items.log_priors.sum())
        better = items.fitted(answers, abilities.nodes)
        origin, log_unit = rescaled(better, abilities)
        items, mode = better.moved(origin, log_unit), (abilities.mode - origin) * np.exp(-log_unit)
    assert np.diff(heights).min() > -1e-5  # by which quadrature may err


def test_instances_that_all_or_none_solve_are_at_the_ends() -> None:
    scores, _, _ = world(10, 50)
    scores[:, 0], scores[:, 1] = 1, 0
    scores[1:, 2:] = np.where(scores[1:, 2:].std(axis=0) == 0, 0.5, scores[1:, 2:])
    found = fit_item_response(scores)
    assert found.difficulty.argmin() == 0
    assert found.difficulty.argmax() == 1
    assert np.isfinite(found.difficulty).all()


@pytest.mark.parametrize(
    "scores", [np.ones((3, 4)), np.zeros((3, 4)), np.full((3, 4), 0.5), np.eye(2), np.ones((2, 1))]
)
def test_tables_without_news_have_a_maximum(scores: Floats) -> None:
    found = fit_item_response(scores)
    assert np.isfinite(found.difficulty).all()
    assert_allclose(found.difficulty, -np.sign(scores.mean(axis=0) - 0.5) * np.abs(found.difficulty), atol=1e-6)


def test_a_system_without_scores_is_as_it_was_believed_to_be() -> None:
    scores, _, _ = world(8, 30)
    found = fit_item_response(np.vstack([scores, np.full(30, np.nan)]))
    assert found.ability[-1] == pytest.approx(0, abs=1e-9)
    assert found.ability_sd[-1] == pytest.approx(1, abs=1e-9)


def test_modes_are_found_where_newton_steps_leap_to_and_fro() -> None:
    items = Items(np.full(1000, np.log(10.0)), np.zeros(1000))
    scores = np.tile([0.0, 1.0], (2, 500))
    scores[1, :300] = 1
    found = Abilities.given(items, Answers(scores), np.full(2, 0.5)).mode
    # the root of Σ a (s − P) − θ, by which the prior hardly matters
    assert_allclose(found, np.array([0, np.log(0.65 / 0.35)]) / 10, atol=1e-3)


@pytest.mark.parametrize(("n_instances", "atol"), [(20, 1e-5), (300, 1e-4), (3000, 1e-5)])
def test_nodes_are_enough(n_instances: int, atol: float, monkeypatch: pytest.MonkeyPatch) -> None:
    scores, _, _ = world(8, n_instances, seed=3)
    few = fit_item_response(scores, tolerance=1e-7)
    monkeypatch.setattr("podium.response.item._NODES", ((0, 21),))
    assert_allclose(few.difficulty, fit_item_response(scores, tolerance=1e-7).difficulty, atol=atol)


def test_threads_do_not_change_a_bit() -> None:
    scores, _, _ = world(40, 500, missing=0.1)
    found = []
    for threads in (1, 2, 4):
        with threadpool_limits(limits=threads, user_api="blas"):
            found.append(fit_item_response(scores))
    for other in found[1:]:
        assert_array_equal(other.difficulty, found[0].difficulty)
        assert_array_equal(other.ability, found[0].ability)


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    found = fit_item_response(world(5, 20)[0], max_iterations=50, progress=lambda done, most: told.append((done, most)))
    assert told == [(done, 50) for done in range(1, found.iterations + 1)]


def test_results_stay_as_they_are() -> None:
    with pytest.raises(ValueError, match="read-only"):
        fit_item_response(np.eye(3)).difficulty[0] = 1


def test_too_few_iterations_are_an_error() -> None:
    with pytest.raises(
        ConvergenceError, match=r"after 2 iterations; take failures .*by podium\.response\.fit\.fit_item_"
    ):
        fit_item_response(world(10, 30)[0], tolerance=1e-9, max_iterations=2)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.5, 1.0], [0.2, 1.5]], "the score in row 1, column 1 is 1.5, not between 0 and 1; rescale scores"),
        ([[0.5, 1.0, -1e-9], [0.2, 1.0, 1.0]], "the score in row 0, column 2 is -1e-09"),
        ([[np.inf], [0.0]], "row 0, column 0 is inf"),
        ([0.5, 1.0], r"scores have shape \(2,\)"),
        ([["a"], ["b"]], "scores are <U1, not real numbers"),
        (np.full((3, 2), np.nan), "there are no scores"),
        (np.ones((3, 0)), "there are no scores"),
        (np.ones((0, 3)), "there are no scores"),
    ],
)
def test_bad_scores_are_refused(scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit_item_response(scores)


@pytest.mark.parametrize("scores", [np.ones((1, 3)), np.array([[1.0, 0.0], [np.nan, np.nan]])])
def test_a_single_system_is_refused(scores: Floats) -> None:
    with pytest.raises(MethodError, match="only one system has scores; difficulty needs at least two"):
        fit_item_response(scores)


@pytest.mark.parametrize("options", [{"tolerance": 0.0}, {"tolerance": np.nan}, {"max_iterations": 0}])
def test_options_that_make_no_sense_are_refused(options: Any) -> None:
    with pytest.raises(MethodError, match="both must be positive"):
        fit_item_response(np.eye(3), **options)


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


def maximum_of(name: str) -> tuple[Marginal, Floats, Calibration]:
    scores = np.array(TINY[name], dtype=np.float64)
    brute = Marginal(scores, np.ones(scores.shape[1]))
    return brute, brute.best(np.zeros(2 * scores.shape[1])), Calibration.of(Answers(scores)).exact()


@pytest.mark.parametrize("name", TINY)
def test_standard_errors_are_those_of_the_brute_force_likelihood(name: str) -> None:
    brute, best, fit = maximum_of(name)
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
    brute, best, fit = maximum_of(name)

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


def answered(n_systems: int, rng: np.random.Generator, n_instances: int = 500, random: float = 0.0) -> Floats:
    ability, difficulty = rng.normal(size=(n_systems, 1)), rng.normal(size=n_instances)
    slope = rng.lognormal(np.log(1.5), 0.3, n_instances)
    chances = expit(slope * (ability - difficulty))
    chances[:, rng.random(n_instances) < random] = 0.7
    solved: Floats = (rng.random(chances.shape) < chances).astype(np.float64)
    return solved


def test_of_fifty_systems_nine_of_ten_wrong_labels_are_found_and_nine_of_ten_found_are_wrong() -> None:
    rng, found, listed, wrong = np.random.default_rng(4), 0, 0, 0
    for _ in range(3):
        scores = answered(50, rng, 1000)
        scores[:, :20] = 1 - scores[:, :20]
        fit = Calibration.of(Answers(scores), tolerance=0.01)
        which = suspects(fit.items, fit.answers, fit.abilities).listed
        found, listed, wrong = found + which[:20].sum(), listed + which.sum(), wrong + 20
    assert found / listed >= 0.9
    assert found / wrong >= 0.9


@pytest.mark.parametrize("random", [0.0, 0.05])
def test_where_no_label_is_wrong_hardly_any_is_listed(random: float) -> None:
    rng = np.random.default_rng(1)
    for n_systems in (10, 50):
        fit = Calibration.of(Answers(answered(n_systems, rng, random=random)), tolerance=0.01)
        assert suspects(fit.items, fit.answers, fit.abilities).listed.sum() <= 1


def test_slopes_have_signs_and_those_listed_are_the_likeliest() -> None:
    scores = np.array(answered(60, np.random.default_rng(2)))
    scores[0], scores[1] = 1.0, 0.0  # so that all other instances are solved by some
    scores[:, 0] = 1 - scores[:, 0]
    scores[:, 1], scores[:, 2] = 1.0, 0.0
    scores[2:7, 3] = np.nan
    found = fit_item_response(scores, suspect=True).suspects
    assert found is not None
    assert found.probability[0] > 0.99
    assert found.slope[0] < -0.5
    assert np.isnan(found.probability).nonzero()[0].tolist() == [1, 2]
    assert np.median(found.slope[3:]) > 0.5
    assert found.probability[found.listed].min() > np.nanmax(found.probability[~found.listed])
    assert (1 - found.probability[found.listed]).sum() <= FALSE_SHARE * found.listed.sum()
    assert sum(found.shares) == pytest.approx(1)


def test_instances_without_a_score_are_no_suspects() -> None:
    scores = answered(20, np.random.default_rng(3), 40)
    scores[:, 7] = np.nan
    found = fit_item_response(scores, suspect=True).suspects
    assert found is not None
    assert found.probability.shape == (40,)
    assert np.isnan(found.probability[7])
    assert not found.listed[7]


@pytest.mark.parametrize("n_systems", [20, 100])
def test_misfit_is_standard_normal_where_the_model_holds(n_systems: int) -> None:
    rng = np.random.default_rng(4)
    fit = Calibration.of(Answers(answered(n_systems, rng, 1000)))
    z = misfit(fit.items, fit.answers, fit.abilities)
    z = z[~np.isnan(z)]
    assert abs(z.mean()) < 0.25
    assert 0.8 < z.std() < 1.1  # few systems make few patterns
    assert 0.005 < (abs(z) > 1.96).mean() < 0.07


def test_misfit_finds_what_is_guessed() -> None:
    rng = np.random.default_rng(5)
    scores = answered(200, rng, 300)
    # whoever does not know the answer guesses it
    scores[:, :20] = np.maximum(scores[:, :20], rng.random((200, 20)) < 0.5)
    scores[:, 20] = 0.5
    fit = fit_item_response(scores)
    assert fit.misfit[:20].mean() > fit.misfit[21:].mean() + 0.5
    assert np.isnan(fit.misfit[20])


def test_a_table_that_separates_nobody_has_no_suspects() -> None:
    scores = np.repeat([[1.0, 0.0, 1.0]], 5, axis=0)
    fit = Calibration.of(Answers(scores))
    found = suspects(fit.items, fit.answers, fit.abilities)
    assert np.isnan(found.probability).all()
    assert not found.listed.any()
    view = podium.irt(podium.from_arrays({"t": scores}), suspects=True).view()
    assert "no suspects" in " ".join(view.notes)
