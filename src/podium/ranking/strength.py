"""Strengths of systems by the Bradley–Terry model, from which a comparison that was not made has a chance to be won."""

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError
from podium.tally.duel import Duels

Floats = NDArray[np.float64]

#: The prior is worth so many ballots of the usual size. Chosen on MTEB, where a tenth to a third predicts best.
PRIOR_BALLOTS = 0.25

#: Newton steps before giving up; a dozen are usual, and some hundred where one-sided results form a long chain.
_STEPS = 1000

#: Log-odds whose sums of odds a double holds.
_LARGEST = 300.0

#: No strength moves by more than this in the last step; the next would be of its square.
_SETTLED = 1e-7


def strengths(won: Floats, ballots: Floats, unit: Floats | float = 1.0) -> Floats:
    """Shape `(N,)` or `(N, B)`: the most probable log strengths θ by Bradley & Terry (1952), shrunk to their mean.

    System i beats j with probability 1 / (1 + exp(θ_j − θ_i)). The strengths maximise

        Σ_ij won_ij log P(i beats j) + g Σ_i (½ log P(i beats o) + ½ log P(o beats i)),

    where the opponent o of strength 0 stands for the prior: every system plays g games against it, and wins half of
    them. The sum is strictly concave, and has one maximum, whatever was won. At the maximum every system wins as many
    games as is expected of it, those against o among them. g is a quarter of what a system plays on a ballot of the
    usual size k: k (k − 1) is the mean number of comparisons of a ballot, and g = (k − 1) / 4 times `unit`.

    Parameters
    ----------
    won
        Shape `(N, N)` or `(N, N, B)`: how often i was preferred to j on ballots that score both, a tie as half. Missing
        scores do not enter. The diagonal is 0.
    ballots
        The number of ballots, or shape `(B,)`.
    unit
        What one ballot weighs, or shape `(B,)`.

    Returns
    -------
    Higher is better. Σ_i tanh(θ_i / 2) = 0. A system that was never compared has 0.

    Raises
    ------
    MethodError
        The steps do not converge.

    References
    ----------
    Bradley & Terry 1952; damped Newton steps log(1 + r) / r, with r the largest difference between two steps: Sun &
    Tran-Dinh, *Generalized self-concordant functions*, Mathematical Programming 178, 2019, Theorem 2 (ν = 2).

    Examples
    --------
    >>> strengths(np.array([[0.0, 3.0], [1.0, 0.0]]), np.array(4.0)).round(3)
    array([ 0.528, -0.528])
    """
    alike = won.ndim == 2
    counts = np.ascontiguousarray((won[..., None] if alike else won).transpose(2, 0, 1))
    met = counts + counts.swapaxes(1, 2)
    games = _games(met, np.reshape(ballots, -1), np.reshape(unit, -1))
    theta = _by_share(counts, met, games)
    moving = np.arange(len(theta))
    for _ in range(_STEPS):
        step = _newton(theta[moving], counts[moving].sum(axis=2), met[moving], games[moving])
        reach = np.ptp(step, axis=1, keepdims=True) + np.abs(step).max(axis=1, keepdims=True)
        theta[moving] += step * np.where(reach > 0, np.log1p(reach) / np.where(reach > 0, reach, 1.0), 1.0)
        moving = moving[reach[:, 0] > _SETTLED]
        if not moving.size:
            return theta[0] if alike else theta.T
    raise MethodError(f"the model of missing scores did not converge in {_STEPS} steps; use missing='imputed'")


def information(theta: Floats, won: Floats, ballots: float, unit: float = 1.0) -> Floats:
    """Shape `(N, N)`: minus the second derivatives of the sum that `strengths` maximise, there; positive definite.

    >>> won = np.array([[0.0, 3.0], [1.0, 0.0]])
    >>> information(strengths(won, np.array(4.0)), won, 4.0).round(2)
    array([[ 0.82, -0.77],
           [-0.77,  0.82]])
    """
    met = (won + won.T)[None]
    games = _games(met, np.reshape(ballots, -1), np.reshape(unit, -1))
    found: Floats = _information(theta[None], chances(theta)[None], met, games)[0]
    return found


def _games(met: Floats, ballots: Floats, unit: Floats) -> Floats:
    """Shape `(B,)`: games against the opponent; 1 where nothing was compared."""
    pairs = met.sum(axis=(1, 2))
    a_ballot = np.divide(pairs, ballots, out=np.zeros_like(pairs), where=np.broadcast_to(ballots, pairs.shape) > 0)
    opponents = (np.sqrt(1 + 4 * a_ballot) - 1) / 2
    games: Floats = np.where(opponents > 0, PRIOR_BALLOTS * unit * opponents, 1.0)
    return games


def _by_share(won: Floats, met: Floats, games: Floats) -> Floats:
    """Shape `(B, N)`: where the steps begin, the log-odds of the share of its games that each system won."""
    half = games[:, None] / 2
    lost = met.sum(axis=2) - won.sum(axis=2)
    start: Floats = np.log((won.sum(axis=2) + half) / (np.maximum(lost, 0.0) + half))
    return start


def _newton(theta: Floats, won: Floats, met: Floats, games: Floats) -> Floats:
    """Shape `(B, N)`: Newton's step for each of B replicates."""
    each = games[:, None]
    chance = _logistic(theta[:, :, None], theta[:, None])
    prior = _logistic(theta, np.zeros(1))
    gradient = won - (met * chance).sum(axis=2) + each * (0.5 - prior)
    step: Floats = np.linalg.solve(_information(theta, chance, met, games), gradient[..., None])[..., 0]
    return step


def _information(theta: Floats, chance: Floats, met: Floats, games: Floats) -> Floats:
    """Shape `(B, N, N)`."""
    prior = _logistic(theta, np.zeros(1))
    second = chance * chance.swapaxes(1, 2)
    second *= -met
    diagonal = np.arange(theta.shape[1])
    second[:, diagonal, diagonal] = games[:, None] * prior * (1 - prior) - second.sum(axis=2)
    return second


def _logistic(one: Floats, other: Floats) -> Floats:
    """1 / (1 + exp(other − one)): a quotient of odds, unless they are too large for that."""
    if max(np.abs(one).max(), np.abs(other).max()) > _LARGEST:
        return np.asarray((1 + np.tanh((one - other) / 2)) / 2)
    odds = np.exp(one)
    return np.asarray(odds / (odds + np.exp(other)))


def chances(strength: Floats) -> Floats:
    """Shape `(N, N)` or `(N, N, B)`: probability that i beats j, 1 / (1 + exp(θ_j − θ_i)); 0 on the diagonal.

    >>> chances(np.array([np.log(3), 0.0]))
    array([[0.  , 0.75],
           [0.25, 0.  ]])
    """
    chance = _logistic(strength[:, None], strength)
    chance[np.diag_indices(len(strength))] = 0.0
    return chance


def modelled(duels: Duels, chance: Floats) -> Duels:
    """Return duels in which a comparison that a ballot does not make is won with its chance.

    Parameters
    ----------
    duels
        Of one task, or pooled; what was imputed in them is left out.
    chance
        Shape `(N, N)` or `(N, N, B)`, see `chances`.

    Examples
    --------
    >>> once = Duels(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 3.0)
    >>> modelled(once, chances(np.zeros(2))).expected
    array([[0., 2.],
           [1., 0.]])
    """
    open_pairs = np.maximum(duels.weight - duels.compared, 0.0)
    return Duels(duels.wins, duels.ties, open_pairs * chance, duels.weight)
