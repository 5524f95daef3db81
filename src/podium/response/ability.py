"""Abilities of the item response model: where they may be, given the items."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.response.item import DIFFICULTY_SD, LOG_SLOPE_SD, Answers, Items, Nodes, chance

Floats = NDArray[np.float64]

#: Nodes per system where every one has at least so many scores: the more, the more normal are their posteriors. They
#: get difficulties right to about 1e-5, of systems that solve nearly all or nothing to 1e-4.
_NODES = ((3000, 3), (300, 5), (0, 9))

#: Newton steps to a mode; one of this part of the standard deviation is the last, and leaves about its square.
_STEPS, _NEAR = 100, 1e-4

#: No bound of a mode is this far off.
_FAR = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class Abilities:
    """Posterior distributions of N abilities; the prior is θ ~ N(0, 1).

    Attributes
    ----------
    nodes
        Of Gauss–Hermite quadrature around each mode, as wide as the posterior is there.
    mode
        Shape `(N,)`.
    log_likelihood
        Σ_i log ∫ Π_j P^s (1 − P)^(1 − s) φ(θ) dθ.
    """

    nodes: Nodes
    mode: Floats
    log_likelihood: float

    @classmethod
    def given(cls, items: Items, answers: Answers, near: Floats) -> "Abilities":
        """Weigh nodes around the modes, which are looked for from `near`: the E step of EM.

        Nodes that move with the posterior are those of Naylor & Smith 1982 (Applied Statistics 31, 214–225). Fixed
        ones would be at larger distances than the posterior is wide as soon as there are some hundred items.
        """
        mode, spread = _modes(items, answers, near)
        fewest = np.array([np.count_nonzero(~np.isnan(row)) for row in answers.scores]).min()
        number = next(number for least, number in _NODES if fewest >= least)
        points, weights = np.polynomial.hermite_e.hermegauss(number)
        places = mode[:, None] + spread[:, None] * points
        # By change of variables; the constants of both normal densities cancel.
        log_weights = np.log(weights / np.sqrt(2 * np.pi)) + (points**2 - places**2) / 2 + np.log(spread)[:, None]
        joint = _log_likelihoods(items, answers, places) + log_weights
        highest = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - highest)
        totals = shares.sum(axis=1, keepdims=True)
        return cls(Nodes(places, shares / totals), mode, float((highest + np.log(totals)).sum()))

    @property
    def mean(self) -> Floats:
        """Shape `(N,)`: posterior means."""
        return (self.nodes.weights * self.nodes.places).sum(axis=1)  # type: ignore[no-any-return]

    @property
    def variance(self) -> Floats:
        """Shape `(N,)`: posterior variances."""
        off = self.nodes.places - self.mean[:, None]
        return (self.nodes.weights * off**2).sum(axis=1)  # type: ignore[no-any-return]


def rescaled(items: Items, abilities: Abilities, weights: Floats | None = None) -> tuple[float, float]:
    """Find the origin and the log unit of abilities that fit their prior and those of the items best.

    With θ ~ N(μ, σ²) for a moment, (μ, log σ) maximise E Σ_i log φ((θ_i − μ) / σ) / σ plus the log priors of the
    items on the new scale; the likelihood does not change. EM alone moves all abilities and items together by tiny
    steps (parameter expansion; Liu, Rubin & Wu 1998, Biometrika 85, 755–770). An instance of weight 2 is two instances.
    """
    mean, precision = abilities.mean, DIFFICULTY_SD**-2
    weights = np.ones(items.difficulty.size) if weights is None else weights
    n_systems, n_items = mean.size, weights.sum()
    origin = (mean.sum() + precision * (weights @ items.difficulty)) / (n_systems + precision * n_items)
    if items.steady:
        return float(origin), 0.0
    squares = (abilities.variance + (mean - origin) ** 2).sum()
    squares += precision * (weights @ (items.difficulty - origin) ** 2)
    log_unit = 0.0
    # Concave: −N u − squares e^(−2u) / 2 − Σ (log a + u)² / (2 · 0.5²).
    for _ in range(_STEPS):
        pull = squares * np.exp(-2 * log_unit)
        slope = pull - n_systems - (weights @ items.log_slope + n_items * log_unit) / LOG_SLOPE_SD**2
        step = np.clip(slope / (2 * pull + n_items / LOG_SLOPE_SD**2), -1, 1)
        log_unit += step
        if abs(step) < 1e-12:
            break
    return float(origin), float(log_unit)


def _modes(items: Items, answers: Answers, near: Floats) -> tuple[Floats, Floats]:
    """Modes by Newton's method, and the standard deviations that the curvature there gives.

    The log posterior is concave. Where its slope turns sharply, as with many steep items at one place, steps would
    leap to and fro; what has been passed bounds them.
    """
    mode, low, high = near, np.full_like(near, -np.inf), np.full_like(near, np.inf)
    information = np.ones_like(near)
    for _ in range(_STEPS):
        slope, information = -mode, np.ones_like(mode)
        for part, scores, given in answers.cut(mode.size, weighed=True):
            a = items.slope[part]
            chances, _ = chance(a * (mode[:, None] - items.difficulty[part]))
            slope += (scores - chances * given) @ a
            information += (chances * (1 - chances) * given) @ a**2
        low, high = np.where(slope > 0, mode, low), np.where(slope <= 0, mode, high)
        step = np.clip(slope / information, -1, 1)
        found = np.abs(step) * np.sqrt(information) <= _NEAR
        new = mode + step
        inside = found | (new > low) & (new < high)
        mode = np.where(inside, new, (np.maximum(low, -_FAR) + np.minimum(high, _FAR)) / 2)
        if found.all():
            break
    return mode, 1 / np.sqrt(information)


def _log_likelihoods(items: Items, answers: Answers, places: Floats) -> Floats:
    """Shape `(N, Q)`: log-likelihood of each system's scores at each of its nodes."""
    total = np.zeros_like(places)
    for part, scores, given in answers.cut(places.size, weighed=True):
        a, b = items.slope[part], items.difficulty[part]
        _, softplus = chance(a * (places[:, :, None] - b))
        total += places * (scores @ a)[:, None] - (scores @ (a * b))[:, None] - (softplus @ given[:, :, None])[:, :, 0]
    return total
