"""Strengths against other programs, a general optimiser, and derivatives taken numerically."""

from typing import Any

import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import linprog

import podium
from podium.errors import MethodError, NoMaximumError
from podium.ranking.method.bradley_terry import BradleyTerryFit, bradley_terry

Floats = NDArray[np.float64]
#: Wins and ties.
Results = tuple[Floats, Floats]


def results(seed: int, n_systems: int, games: int, log_tie: float = -np.inf) -> Results:
    """Draw results under the model; with enough games, everybody beats everybody."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, n_systems)
    wins, ties = np.zeros((2, n_systems, n_systems))
    for i in range(n_systems):
        for j in range(i):
            odds = np.exp([(strength[i] - strength[j]) / 2, (strength[j] - strength[i]) / 2, log_tie])
            wins[i, j], wins[j, i], ties[i, j] = rng.multinomial(rng.integers(games // 2, games), odds / odds.sum())
    return wins, ties + ties.T


@st.composite
def small_results(draw: st.DrawFn) -> Results:
    """Few games, so that the maximum often does not exist."""
    n_systems = draw(st.integers(2, 5))
    counts = hnp.arrays(np.float64, (n_systems, n_systems), elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0]))
    wins, ties = draw(counts), np.tril(draw(counts), -1)
    np.fill_diagonal(wins, 0.0)
    if draw(st.booleans()):
        ties[:] = 0.0
    return wins, ties + ties.T


def negative_log_likelihood(parameters: Floats, wins: Floats, ties: Floats) -> float:
    """Davidson's model as it is written down: strengths, and log ν last."""
    n_systems = len(wins)
    worth, nu = np.exp(parameters[:n_systems]), np.exp(parameters[n_systems]) if parameters.size > n_systems else 0.0
    total = 0.0
    for i in range(n_systems):
        for j in range(n_systems):
            root = nu * np.sqrt(worth[i] * worth[j])
            whole = worth[i] + worth[j] + root
            total -= wins[i, j] * np.log(worth[i] / whole)
            if ties[i, j] and i < j:
                total -= ties[i, j] * np.log(root / whole)
    return total


def parameters_of(fit: Any) -> Floats:
    return np.append(fit.strength, [] if fit.tie_parameter is None else np.log(fit.tie_parameter))


def probabilities(fit: BradleyTerryFit) -> tuple[Floats, Floats]:
    """Davidson's model as it is written down: π_i and ν √(π_i π_j), over (π_i + π_j + ν √(π_i π_j))."""
    worth, nu = np.exp(fit.strength), fit.tie_parameter or 0.0
    root = nu * np.sqrt(np.outer(worth, worth))
    whole = worth[:, None] + worth + root
    return np.asarray(worth[:, None] / whole), np.asarray(root / whole)


def derivative(function: Any, at: Floats, step: float) -> Floats:
    """Central differences, along the first axis."""
    return np.array([(function(at + d) - function(at - d)) / (2 * step) for d in step * np.eye(at.size)])


@pytest.mark.parametrize("seed", range(5))
def test_strengths_equal_those_of_choix(seed: int) -> None:
    wins, ties = results(seed, 8, 40)
    theirs = choix.ilsr_pairwise_dense(wins, tol=1e-12)
    # Theirs stops when a step is below 1e-12 in all, and its steps shrink geometrically.
    assert_allclose(bradley_terry(wins, ties).strength, theirs - theirs.mean(), atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_strengths_equal_those_of_evalica(seed: int) -> None:
    wins, ties = results(seed, 6, 40)
    pairs = [(i, j) for i in range(6) for j in range(6) if wins[i, j]]
    theirs = evalica.bradley_terry(
        [f"{i}" for i, _ in pairs],
        [f"{j}" for _, j in pairs],
        [evalica.Winner.X] * len(pairs),
        weights=[float(wins[pair]) for pair in pairs],
        tolerance=1e-12,
        limit=10_000,
    ).scores
    logs = np.log([theirs[f"{i}"] for i in range(6)])
    assert_allclose(bradley_terry(wins, ties).strength, logs - logs.mean(), atol=1e-6)


@pytest.mark.parametrize("log_tie", [-np.inf, -1.0, 1.5])
def test_the_gradient_is_zero_and_errors_follow_from_the_curvature(log_tie: float) -> None:
    wins, ties = results(7, 5, 60, log_tie)
    fit = bradley_terry(wins, ties)
    at = parameters_of(fit)

    def value(x: Floats) -> float:
        return negative_log_likelihood(x, wins, ties)

    games = (wins.sum() + ties.sum() / 2).item()
    # Central differences of step h err by h² times the third derivative, which is at most the number of games.
    assert_allclose(derivative(value, at, 1e-4), 0.0, atol=1e-8 * games)
    curvature = derivative(lambda x: derivative(value, x, 1e-3), at, 1e-3)
    centre = np.eye(at.size)
    centre[:5, :5] -= 1 / 5
    covariance = centre @ np.linalg.pinv(curvature, rcond=1e-5, hermitian=True) @ centre.T
    assert_allclose(fit.std_error, np.sqrt(np.diag(covariance))[:5], rtol=1e-4)


def test_errors_are_those_of_many_draws() -> None:
    truth = np.array([0.8, 0.0, -0.8])
    rng = np.random.default_rng(3)
    fits = []
    for _ in range(300):
        wins, ties = np.zeros((2, 3, 3))
        for i, j in ((0, 1), (0, 2), (1, 2)):
            odds = np.exp([(truth[i] - truth[j]) / 2, (truth[j] - truth[i]) / 2, 0.0])
            wins[i, j], wins[j, i], ties[i, j] = rng.multinomial(200, odds / odds.sum())
        fits.append(bradley_terry(wins, ties + ties.T))
    strengths = np.array([fit.strength for fit in fits])
    errors = np.mean([fit.std_error for fit in fits], axis=0)
    # The spread of 300 draws is itself known to 1 / √600, 4 %; three times that.
    assert_allclose(strengths.std(axis=0), errors, rtol=0.12)
    assert_allclose(strengths.mean(axis=0), truth, atol=3 * errors.max() / np.sqrt(300) + 0.01)


@pytest.mark.parametrize("prior", [0.0, 0.5])
@given(data=st.data())
def test_relabelling_systems_relabels_the_strengths(prior: float, data: Any) -> None:
    wins, ties = results(2, 6, 50, 0.0)
    order = np.array(data.draw(st.permutations(range(6))))
    one = bradley_terry(wins, ties, prior=prior)
    other = bradley_terry(wins[np.ix_(order, order)], ties[np.ix_(order, order)], prior=prior)
    assert_allclose(other.strength, one.strength[order], atol=1e-10)
    assert_allclose(other.std_error, one.std_error[order])


@given(results=small_results())
def test_results_turned_around_turn_strengths_around(results: Results) -> None:
    wins, ties = results
    one, other = bradley_terry(wins, ties, prior=1.0), bradley_terry(wins.T, ties, prior=1.0)
    assert_allclose(other.strength, -one.strength, atol=1e-10)


def unbounded(wins: Floats, ties: Floats) -> bool:
    """Whether along some direction of strengths d and log ν, e, no term falls, by linear programs.

    The term of i beating j falls unless d_i − d_j ≥ max(0, 2e), that of a tie unless 2e ≥ |d_i − d_j|. Every direction
    is tried by pushing each coordinate up and down inside a box.
    """
    n_systems = len(wins)
    rows = []
    for i, j in np.argwhere(wins > 0):
        for slope in (0.0, 2.0):
            row = np.zeros(n_systems + 1)
            row[i], row[j], row[-1] = -1.0, 1.0, slope
            rows.append(row)
    for i, j in np.argwhere(ties > 0):  # both (i, j) and (j, i)
        row = np.zeros(n_systems + 1)
        row[i], row[j], row[-1] = 1.0, -1.0, -2.0
        rows.append(row)
    bounds = [(0, 0), *[(-1, 1)] * (n_systems - 1), (-1, 1) if ties.any() else (0, 0)]
    limits = {"A_ub": np.array(rows), "b_ub": np.zeros(len(rows))} if rows else {}
    pushes = [sign * push for push in np.eye(n_systems + 1) for sign in (-1, 1)]
    return any(linprog(push, bounds=bounds, **limits).fun < -1e-9 for push in pushes)


@given(results=small_results())
def test_a_maximum_is_found_where_there_is_one_and_refused_elsewhere(results: Results) -> None:
    wins, ties = results
    if unbounded(wins, ties):
        with pytest.raises(NoMaximumError) as caught:
            bradley_terry(wins, ties)
        assert sorted(i for group in caught.value.groups for i in group) == list(range(len(wins)))
    else:
        at = parameters_of(bradley_terry(wins, ties))
        gradient = derivative(lambda x: negative_log_likelihood(x, wins, ties), at, 1e-4)
        assert_allclose(gradient, 0.0, atol=1e-6)


@given(results=small_results())
def test_groups_that_are_named_never_lose_or_never_meet(results: Results) -> None:
    wins, ties = results
    assume(unbounded(wins, ties))
    with pytest.raises(NoMaximumError) as caught:
        bradley_terry(wins, ties)
    first, *others = (list(group) for group in caught.value.groups)
    rest = [i for group in others for i in group]
    assert not (wins + ties)[np.ix_(rest, first)].any()
    assert not (caught.value.meet and rest and not wins[np.ix_(first, rest)].any())
    for one in caught.value.groups if not caught.value.meet else ():
        away = [i for i in range(len(wins)) if i not in one]
        assert not (wins + wins.T + ties)[np.ix_(list(one), away)].any()


@given(results=small_results(), prior=st.sampled_from([0.1, 1.0, 5.0]))
def test_with_a_prior_there_is_always_a_maximum(results: Results, prior: float) -> None:
    wins, ties = results
    fit = bradley_terry(wins, ties, prior=prior)
    assert np.isfinite(fit.strength).all()
    assert (fit.std_error > 0).all()
    assert fit.strength.mean() == pytest.approx(0, abs=1e-12)


def test_a_prior_is_games_against_one_more_system() -> None:
    wins, ties = results(4, 4, 30, 0.0)
    padded = np.pad(wins, (0, 1), constant_values=1.0)
    padded[-1, -1] = 0.0
    joined = bradley_terry(padded, np.pad(ties, (0, 1)))
    fit = bradley_terry(wins, ties, prior=2.0)
    assert_allclose(fit.strength, joined.strength[:4] - joined.strength[:4].mean(), atol=1e-10)
    assert np.ptp(fit.strength) < np.ptp(bradley_terry(wins, ties).strength)


def test_what_evalica_gives_a_millionth_each_is_refused_by_name() -> None:
    """evalica 0.4.2 returns 1e-6 for all three, without a word."""
    draw, x = evalica.Winner.Draw, evalica.Winner.X
    theirs = evalica.bradley_terry(["a", "a", "b"], ["b", "c", "c"], [x, x, draw]).scores
    assert_allclose(theirs.to_numpy(), 1e-6)
    wins = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    ties = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    with pytest.raises(NoMaximumError) as caught:
        bradley_terry(wins, ties)
    assert caught.value.groups == ((0,), (1, 2))
    assert "{a} never loses to or ties with {b, c}; rank the groups one by one, or set prior=1" in str(
        caught.value.named(["a", "b", "c"])
    )


def test_groups_that_never_meet_are_told_apart() -> None:
    wins = np.kron(np.eye(6), np.array([[0.0, 1.0], [1.0, 0.0]]))
    with pytest.raises(NoMaximumError, match=r"\{0, 1\}, \{2, 3\}, \{4, 5\}, \{6, 7\} and 2 more groups never meet"):
        bradley_terry(wins, np.zeros_like(wins))
    with pytest.raises(NoMaximumError, match=r"\{0\} and \{1\} never meet"):
        bradley_terry(np.zeros((2, 2)), np.zeros((2, 2)))


def test_a_win_and_a_tie_are_connected_and_still_not_enough() -> None:
    # ν and the strength grow together: half wins, half ties, never a loss.
    wins, ties = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(NoMaximumError, match="no cycle of results has more wins than ties"):
        bradley_terry(wins, ties)
    fit = bradley_terry(wins + wins.T / 10, ties)
    win, tie = probabilities(fit)
    assert_allclose([win[0, 1], tie[0, 1]], 1 / 2.1)


def test_probabilities_are_those_of_the_model() -> None:
    wins, ties = results(5, 6, 50, 0.0)
    fit = bradley_terry(wins, ties)
    win, tie = probabilities(fit)
    assert_allclose(win + win.T + tie, 1.0)
    # At the maximum, expected and observed points of every system, and numbers of ties, agree.
    games = wins + wins.T + ties
    assert_allclose((games * (win + tie / 2)).sum(axis=1), (wins + ties / 2).sum(axis=1))
    assert_allclose((games * tie).sum(), ties.sum())
    share = win + tie / 2
    expected = [np.delete(row, i).mean() for i, row in enumerate(share)]
    assert_allclose(fit.win_probability(), expected)


def test_one_loss_in_a_thousand_million_is_not_lost_to_rounding() -> None:
    wins = np.array([[0.0, 1e9, 0.0], [1.0, 0.0, 1e9], [0.0, 1.0, 0.0]])
    fit = bradley_terry(wins, np.zeros((3, 3)))
    assert_allclose(np.diff(fit.strength), -np.log(1e9), rtol=1e-12)
    # The difference of a lone pair has variance 1 / wins + 1 / losses.
    alone = bradley_terry(wins[:2, :2], np.zeros((2, 2)))
    assert_allclose(2 * alone.std_error, np.sqrt(1 + 1e-9))


def test_a_chain_of_systems_that_hardly_lose_converges() -> None:
    wins = np.zeros((60, 60))
    index = np.arange(59)
    wins[index, index + 1], wins[index + 1, index] = 1e6, 1.0
    fit = bradley_terry(wins, np.zeros_like(wins))
    assert_allclose(np.diff(fit.strength), -np.log(1e6), rtol=1e-9)


def test_equal_records_share_a_rank() -> None:
    wins = np.array([[0.0, 7.0, 7.0], [3.0, 0.0, 5.0], [3.0, 5.0, 0.0]])
    battles = np.full((3, sum(int(wins[i, j]) for i in range(3) for j in range(3))), np.nan)
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(int(wins[i, j]))]
    for at, (winner, loser) in enumerate(pairs):
        battles[winner, at], battles[loser, at] = 1.0, 0.0
    assert podium.rank(podium.from_arrays({"t": battles}), "bradley-terry", confidence_level=None).rank.tolist() == [
        1,
        2,
        2,
    ]


@pytest.mark.parametrize("prior", [-1.0, np.nan, np.inf])
def test_a_prior_that_is_no_number_of_games_is_refused(prior: float) -> None:
    with pytest.raises(MethodError, match="it is a number of comparisons: 0, or 1e-06 or more"):
        bradley_terry(np.ones((2, 2)) - np.eye(2), np.zeros((2, 2)), prior=prior)


def test_one_system_has_no_opponent() -> None:
    fit = bradley_terry(np.zeros((1, 1)), np.zeros((1, 1)))
    assert (fit.strength.item(), fit.std_error.item()) == (0.0, 0.0)
    assert np.isnan(fit.win_probability()).all()
