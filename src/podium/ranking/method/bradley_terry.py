"""Bradley–Terry with ties: strengths that make the observed wins and ties most likely."""

import math
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import MethodError, NoMaximumError
from podium.ranking.ballots import strong_components, weak_components
from podium.ranking.method import MethodContext, MethodResult, PairMethod, pooled
from podium.score.place import ROUNDING
from podium.tally.count import Counts


def check_maximum(wins: Floats, ties: Floats) -> None:
    """Check that the likelihood of Davidson's model has a maximum, which then is the only one.

    Draw an edge from i to j where i beat or tied with j at least once. There is a maximum if and only if

    - every system reaches every other along edges (Ford 1957): otherwise some group never loses to or ties with the
      rest, and the gap between them can grow without making any result less likely; and,
    - where there are ties, some cycle of edges has more wins than ties: otherwise there are strengths by which every
      winner is ahead by 2 log ν or more and no tied pair is further apart, and these can be scaled up without end
      together with log ν. Two systems that beat each other are such a cycle.

    Both follow from the likelihood being concave and every term bounded: there is a maximum unless along some
    direction no term falls; the second condition is the absence of a positive cycle in the difference constraints
    of the directions in which ν grows.

    Parameters
    ----------
    wins, ties
        Shape `(N, N)`: numbers of comparisons, only whether they are positive matters.

    Raises
    ------
    NoMaximumError
        With the groups, as indices.

    Examples
    --------
    >>> check_maximum(np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros((2, 2)))
    """
    won, tied = wins > 0, ties > 0
    groups = strong_components(won | tied)
    if len(groups) > 1:
        apart = weak_components(won | tied)
        raise NoMaximumError(apart if len(apart) > 1 else groups, meet=len(apart) == 1)
    if tied.any() and not _outweighed(won, tied):
        raise NoMaximumError(groups, meet=True)


def _outweighed(won: Bools, tied: Bools) -> bool:
    """Return whether a cycle has more wins than ties: heights, up for a win and down for a tie, never settle."""
    if (won & won.T).any() or len(strong_components(won)) < len(won):
        return True
    height = np.zeros(len(won))
    for _ in range(len(won)):
        over_beaten = np.where(won, height + 1, -np.inf).max(axis=1)
        near_tied = np.where(tied, height - 1, -np.inf).max(axis=1)
        higher = np.maximum.reduce([height, over_beaten, near_tied])
        if (higher == height).all():
            return False
        height = higher
    return True


class Davidson:
    """Win and tie probabilities of all pairs at given strengths.

    Parameters are the N strengths and, where ties are possible, log ν after them. Nothing is subtracted from 1, so
    that a rare loss of a strong system counts exactly.

    Attributes
    ----------
    strength
        Shape `(N,)`: log π_i.
    log_nu
        Log of the tie parameter; −∞ where there are no ties.
    win, tie
        Shape `(N, N)`: probability that i beats j, and that they tie.

    Examples
    --------
    >>> Davidson(np.zeros(2), 0.0).tie
    array([[0.33333333, 0.33333333],
           [0.33333333, 0.33333333]])
    """

    def __init__(self, strength: Floats, log_nu: float) -> None:
        self.strength, self.log_nu = strength, log_nu
        # Odds √(π_i / π_j) : √(π_j / π_i) : ν, the largest set to 1; the other two are the rest.
        half = (strength[:, None] - strength) / 2
        top = np.maximum(np.abs(half), log_nu)
        win = np.exp(half - top)
        tie = np.zeros_like(top) if log_nu == -math.inf else np.exp(log_nu - top)
        rest = np.minimum(win, win.T) + np.minimum(np.maximum(win, win.T), tie)
        log_total = np.log1p(rest)
        self.win, self.tie = win / (1 + rest), tie / (1 + rest)
        self._log_win, self._log_tie = half - top - log_total, log_nu - top - log_total

    def log_likelihood(self, wins: Floats, ties: Floats) -> float:
        """Σ_ij wins_ij log P(i beats j) + Σ_{i<j} ties_ij log P(i and j tie)."""
        won = float((wins * self._log_win).sum())
        return won + float((ties * self._log_tie).sum()) / 2 if ties.any() else won

    def pulls(self, wins: Floats, ties: Floats) -> tuple[Floats, Floats]:
        """Return the positive and negative part of the gradient of each parameter, of shape `(N,)` or `(N + 1,)`."""
        # A win pulls by the chance that it was none, a tie counting half; a tie pulls the weaker up.
        pull = wins * (self.win.T + self.tie / 2) + ties * self.win.T / 2
        up, down = pull.sum(axis=1), pull.sum(axis=0)
        if not ties.any():
            return up, down
        more = (ties * (self.win + self.win.T)).sum() / 2
        fewer = (wins * self.tie).sum()
        return np.append(up, more), np.append(down, fewer)

    def information(self, wins: Floats, ties: Floats) -> Floats:
        """Return the negative second derivatives of the log-likelihood, of shape `(N, N)` or `(N + 1, N + 1)`."""
        met = wins + wins.T + ties
        decided = self.win + self.win.T
        between = met * (self.win * self.win.T + self.tie * decided / 4)
        strengths: Floats = np.diag(between.sum(axis=1)) - between
        if not ties.any():
            return strengths
        cross = (met * self.tie * (self.win.T - self.win)).sum(axis=1) / 2
        of_tie = (met * self.tie * decided).sum() / 2
        return np.block([[strengths, cross[:, None]], [cross, of_tie]])


#: Smallest prior that can be told from none by numbers of 16 digits.
_LEAST_PRIOR = 1e-6

#: Newton steps before giving up; from even strengths, one of 35 decades of odds takes about as many.
_FIT_STEPS = 200

#: Maximum: the pulls on every parameter cancel to this share of their size.
_BALANCE = 1e-12

#: Systems with equal records get strengths that differ by what remains of an iteration, far less than this.
_EQUAL = 1e-9


class BradleyTerryFit(NamedTuple):
    """Strengths of systems, and how well they are known.

    Attributes
    ----------
    strength
        Shape `(N,)`: natural log of the strength π_i, mean 0, higher is better. Differences are log-odds: without
        ties, i beats j with probability 1 / (1 + exp(strength_j − strength_i)).
    std_error
        Shape `(N,)`: standard error of each strength under the constraint of mean 0, from the observed information;
        the tie parameter is estimated, not known.
    tie_parameter
        ν ≥ 0: two systems of equal strength tie with probability ν / (2 + ν); None where there are no ties.
    """

    strength: Floats
    std_error: Floats
    tie_parameter: float | None

    def win_probability(self) -> Floats:
        """Shape `(N,)`: mean over the other systems of the probability of a win, a tie counting half; NaN if N = 1."""
        model = Davidson(self.strength, -math.inf if not self.tie_parameter else math.log(self.tie_parameter))
        share = model.win + model.tie / 2
        np.fill_diagonal(share, 0.0)
        others = len(share) - 1
        return np.asarray(share.sum(axis=1) / others) if others else np.full(1, np.nan)


def bradley_terry(wins: Floats, ties: Floats, *, prior: float = 0.0) -> BradleyTerryFit:
    """Maximum likelihood of the Bradley–Terry model with Davidson's ties, by damped Newton steps.

    With D = π_i + π_j + ν √(π_i π_j), system i beats j with probability π_i / D and ties with probability
    ν √(π_i π_j) / D. All strengths and ν are estimated together, on the log scale, where the likelihood is concave.

    Parameters
    ----------
    wins
        Shape `(N, N)`: (weighted) number of comparisons in which i beats j, zero diagonal. Missing scores do not
        enter: only systems that meet are compared.
    ties
        Shape `(N, N)`, symmetric, zero diagonal: (weighted) number of ties. Without any, ν is left out.
    prior
        Number of virtual comparisons of every system with one more system, half of them won, half lost; 0 for none.
        That opponent's strength is estimated like any other, so it settles where the systems on average win half of
        their games against it, and the prior pulls towards the field, not towards a number somebody chose. With a
        prior above 0 there is always one maximum. Standard errors count virtual comparisons like real ones.

    Raises
    ------
    NoMaximumError
        There is no maximum without a prior: see `check_maximum`. Its `named` gives the systems' names.
    MethodError
        The prior is negative or not finite, or the steps do not converge.

    References
    ----------
    Bradley & Terry 1952; Ford 1957 (existence without ties); Davidson 1970 (ties).

    Examples
    --------
    >>> fit = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]), np.zeros((2, 2)))
    >>> fit.strength, fit.win_probability().round(12)
    (array([ 0.54930614, -0.54930614]), array([0.75, 0.25]))
    """
    if prior != 0 and not _LEAST_PRIOR <= prior < math.inf:
        raise MethodError(f"prior is {prior}; it is a number of comparisons: 0, or {_LEAST_PRIOR:g} or more")
    n_systems = len(wins)
    if prior:  # everybody wins and loses half of the virtual comparisons with one more system
        wins, ties = np.pad(wins, (0, 1), constant_values=prior / 2), np.pad(ties, (0, 1))
        wins[-1, -1] = 0.0
    else:
        check_maximum(wins, ties)
    model = _most_likely(wins, ties)
    strength = model.strength[:n_systems]
    # square roots of the diagonal of the inverse information, of the strengths of the real systems with mean 0
    covariance = np.linalg.inv(_anchored(model.information(wins, ties), len(wins)))[:n_systems, :n_systems]
    centred = covariance - covariance.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    return BradleyTerryFit(
        strength=strength - strength.mean(),
        std_error=np.sqrt(np.maximum(np.diag(centred), 0.0)),
        tie_parameter=math.exp(model.log_nu) if ties.any() else None,
    )


def _most_likely(wins: Floats, ties: Floats) -> Davidson:
    """Climb from equal strengths, and the most likely ν for these, until the pulls on every parameter cancel."""
    n_players, tied = len(wins), float(ties.sum()) / 2
    model = Davidson(np.zeros(n_players), math.log(2 * tied / float(wins.sum())) if tied else -math.inf)
    for _ in range(_FIT_STEPS):
        up, down = model.pulls(wins, ties)
        slack = _BALANCE * (1 + np.abs(model.strength).max())  # differences of large strengths are rounded
        if (np.abs(up - down) <= slack * (up + down)).all():
            return model
        # a Newton step, halved until the likelihood rises as it should (Armijo)
        step = np.asarray(np.linalg.solve(_anchored(model.information(wins, ties), n_players), up - down), np.float64)
        promised, here, share = float((up - down) @ step), model.log_likelihood(wins, ties), 1.0
        rounding = 1e-13 * abs(here)  # near the maximum, the likelihood no longer tells points apart
        while True:
            strength, log_nu = model.strength + share * step[:n_players], model.log_nu
            ahead = Davidson(strength, log_nu + float(share * step[n_players]) if step.size > n_players else log_nu)
            if ahead.log_likelihood(wins, ties) >= here + 1e-4 * share * promised - rounding:
                break
            share /= 2
        model = ahead
    raise MethodError(
        f"Bradley–Terry did not converge in {_FIT_STEPS} steps; the counts may be too uneven: pass a prior above 0"
    )


def _anchored(information: Floats, n_systems: int) -> Floats:
    """Fix the level of the strengths, on which the likelihood does not depend."""
    anchored = information.copy()
    anchored[:n_systems, :n_systems] += (np.trace(information) or 1.0) / n_systems**2
    return anchored


class _BradleyTerry(PairMethod):
    title = "Bradley–Terry strength"
    level = "one"
    missing = ("direct", "imputed")
    options = ("prior",)
    slow = True

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        duels, scale = pooled(counts, context), _EQUAL / ROUNDING  # strengths within 1e-9 of each other tie
        won = duels.wins + duels.imputed if context.missing == "imputed" else duels.wins
        if won.ndim == 2:
            fit = bradley_terry(won, duels.ties, prior=context.prior)
            extras = (("strength_std_error", fit.std_error), ("win_probability", fit.win_probability()))
            return MethodResult(fit.strength, scale=scale, extras=extras)
        score = np.full(won.shape[1:], np.nan)
        for b in range(won.shape[2]):
            with suppress(NoMaximumError):  # NaN where the likelihood of a replicate has no maximum
                score[:, b] = bradley_terry(won[..., b], duels.ties[..., b], prior=context.prior).strength
        return MethodResult(score, scale=scale)


BRADLEY_TERRY = _BradleyTerry()
