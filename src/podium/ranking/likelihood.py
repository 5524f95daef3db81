"""The likelihood of wins and ties under Davidson's model: value, first and second derivatives."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Davidson"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
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
    log_win, log_tie
        Their logs.

    Examples
    --------
    >>> Davidson(np.zeros(2), 0.0).tie
    array([[0.33333333, 0.33333333],
           [0.33333333, 0.33333333]])
    """

    strength: Floats
    log_nu: float
    win: Floats = field(init=False)
    tie: Floats = field(init=False)
    log_win: Floats = field(init=False)
    log_tie: Floats = field(init=False)

    def __post_init__(self) -> None:
        # Odds √(π_i / π_j) : √(π_j / π_i) : ν, the largest set to 1; the other two are the rest.
        half = (self.strength[:, None] - self.strength) / 2
        top = np.maximum(np.abs(half), self.log_nu)
        win = np.exp(half - top)
        tie = np.zeros_like(top) if self.log_nu == -math.inf else np.exp(self.log_nu - top)
        rest = np.minimum(win, win.T) + np.minimum(np.maximum(win, win.T), tie)
        log_total = np.log1p(rest)
        object.__setattr__(self, "win", win / (1 + rest))
        object.__setattr__(self, "tie", tie / (1 + rest))
        object.__setattr__(self, "log_win", half - top - log_total)
        object.__setattr__(self, "log_tie", self.log_nu - top - log_total)

    @classmethod
    def start(cls, wins: Floats, ties: Floats) -> "Davidson":
        """Equal strengths, and the most likely ν for these."""
        tied = float(ties.sum()) / 2
        return cls(np.zeros(len(wins)), math.log(2 * tied / float(wins.sum())) if tied else -math.inf)

    def moved(self, step: Floats) -> "Davidson":
        """The model at parameters a step further."""
        n_systems = self.strength.size
        log_nu = self.log_nu + float(step[n_systems]) if step.size > n_systems else self.log_nu
        return Davidson(self.strength + step[:n_systems], log_nu)

    def log_likelihood(self, wins: Floats, ties: Floats) -> float:
        """Σ_ij wins_ij log P(i beats j) + Σ_{i<j} ties_ij log P(i and j tie)."""
        won = float((wins * self.log_win).sum())
        return won + float((ties * self.log_tie).sum()) / 2 if ties.any() else won

    def pulls(self, wins: Floats, ties: Floats) -> tuple[Floats, Floats]:
        """Positive and negative part of the gradient of each parameter, of shape `(N,)` or `(N + 1,)`."""
        # A win pulls by the chance that it was none, a tie counting half; a tie pulls the weaker up.
        pull = wins * (self.win.T + self.tie / 2) + ties * self.win.T / 2
        up, down = pull.sum(axis=1), pull.sum(axis=0)
        if not ties.any():
            return up, down
        more = (ties * (self.win + self.win.T)).sum() / 2
        fewer = (wins * self.tie).sum()
        return np.append(up, more), np.append(down, fewer)

    def information(self, wins: Floats, ties: Floats) -> Floats:
        """Negative second derivatives of the log-likelihood, of shape `(N, N)` or `(N + 1, N + 1)`."""
        met = wins + wins.T + ties
        decided = self.win + self.win.T
        between = met * (self.win * self.win.T + self.tie * decided / 4)
        strengths = np.diag(between.sum(axis=1)) - between
        if not ties.any():
            return strengths
        cross = (met * self.tie * (self.win.T - self.win)).sum(axis=1) / 2
        of_tie = (met * self.tie * decided).sum() / 2
        return np.block([[strengths, cross[:, None]], [cross, of_tie]])
