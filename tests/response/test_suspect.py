"""Suspects: wrong labels are found, and others are not; and misfit has the distribution that it claims."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

import podium
from podium.response.fit import Calibration, fit_item_response, misfit
from podium.response.item import Answers
from podium.response.suspect import FALSE_SHARE, suspects

Floats = NDArray[np.float64]


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
    assert found.false <= FALSE_SHARE * found.listed.sum()
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
    view = podium.item_response(podium.from_arrays({"t": scores}), suspects=True).view()
    assert "no suspects" in " ".join(view.notes)
