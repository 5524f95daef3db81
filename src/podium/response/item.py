"""Items of the logistic item response model: their priors, and steps that fit them better."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.piece import over_columns

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

#: Standard deviations of the priors of log discrimination and of difficulty, both of mean 0.
LOG_SLOPE_SD, DIFFICULTY_SD = 0.5, 2.0

#: Numbers worked on at a time, which a core's cache holds.
_AT_ONCE = 2**16

#: Scoring steps of a fit to given nodes; later ones are taken with better nodes.
_STEPS = 2

#: A step that leads down is cut to a quarter, and is not taken once it is less than this part.
_LEAST_SHARE = 1e-5

#: Loss by rounding, of a sum's own size.
_ROUNDING = 1e-12


class Nodes(NamedTuple):
    """Points that stand for where abilities may be.

    Attributes
    ----------
    places
        Shape `(N, Q)`: abilities.
    weights
        Shape `(N, Q)`: posterior probabilities, which sum to 1 for each system.
    """

    places: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Scores `(N, K)` between 0 and 1, NaN where there is none, and cuts of them that fit into cache.

    Weights `(K,)`, where there are any, say how often each instance counts for abilities.
    """

    scores: Floats
    weights: Floats | None = None
    complete: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "complete", not np.isnan(self.scores.min(initial=0.0)))

    @property
    def settle(self) -> Bools:
        """Shape `(K,)`: whether the scores say where the instance is, since not all of them are 1, nor all 0."""
        return (np.nanmax(self.scores, axis=0) > 0) & (np.nanmin(self.scores, axis=0) < 1)  # type: ignore[no-any-return]

    def cut(self, per_item: int, *, weighed: bool = False) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield columns, their scores with 0 for missing ones, and 1 or 0 for whether there is one.

        Both are multiplied by the weights of instances where that is asked for. Cuts depend on the shape alone.
        """
        size = max(_AT_ONCE // per_item, 1)
        for start in range(0, self.scores.shape[1], size):
            part = slice(start, start + size)
            scores = self.scores[:, part]
            given = np.ones_like(scores)
            if not self.complete:
                there = ~np.isnan(scores)
                scores, given = np.where(there, scores, 0.0), there.astype(np.float64)
            if weighed and self.weights is not None:
                scores, given = scores * self.weights[part], given * self.weights[part]
            yield part, scores, given


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Parameters of K instances: one is solved with probability 1 / (1 + exp(−exp(log_slope) (θ − difficulty))).

    Priors are normal around 0: log slopes with standard deviation 0.5, difficulties with 2. Nine of ten slopes are
    between 0.4 and 2.3. Such priors (Mislevy 1986, Psychometrika 51, 177–195) are weak where many systems are scored,
    and all there is where they say nothing: the likelihood of an instance that all systems solve, or none, has no
    maximum. In the model of one parameter (`steady`) all slopes are 1.
    """

    log_slope: Floats
    difficulty: Floats
    steady: bool = False

    @classmethod
    def start(cls, answers: Answers, *, steady: bool = False) -> Self:
        """Equal slopes, and difficulties by mean scores."""
        scores = answers.scores
        solved = over_columns(scores.shape, lambda some: np.nansum(scores[:, some], axis=0))
        failed = over_columns(scores.shape, lambda some: (~np.isnan(scores[:, some])).sum(axis=0)) - solved
        return cls(np.zeros(solved.size), np.log((failed + 0.5) / (solved + 0.5)), steady)

    def __getitem__(self, part: slice) -> "Items":
        return Items(self.log_slope[part], self.difficulty[part], self.steady)

    @property
    def slope(self) -> Floats:
        """Discrimination."""
        return np.exp(self.log_slope)

    @property
    def log_priors(self) -> Floats:
        """Shape `(K,)`: log prior density of each, up to a constant."""
        return -((self.log_slope / LOG_SLOPE_SD) ** 2) / 2 - (self.difficulty / DIFFICULTY_SD) ** 2 / 2

    def change(self, other: "Items") -> float:
        """Largest difference of a parameter."""
        return max(
            float(np.abs(self.log_slope - other.log_slope).max()),
            float(np.abs(self.difficulty - other.difficulty).max()),
        )

    def moved(self, origin: float, log_unit: float) -> "Items":
        """Say the same on a scale of abilities with another origin and another unit."""
        return Items(self.log_slope + log_unit, (self.difficulty - origin) * np.exp(-log_unit), self.steady)

    def fitted(self, answers: Answers, nodes: Nodes) -> "Items":
        """Take a few steps up the expected log-likelihood and prior of every item: the M step of EM."""
        log_slope, difficulty = np.empty_like(self.log_slope), np.empty_like(self.difficulty)
        for part, scores, given in answers.cut(nodes.places.size):
            found = _climb(self[part], scores, given, nodes)
            log_slope[part], difficulty[part] = found.log_slope, found.difficulty
        return Items(log_slope, difficulty, self.steady)


class _Terms(NamedTuple):
    """Expected log posterior of items, up to constants; its gradient; and the scoring step from here."""

    value: Floats
    log_slope_step: Floats
    difficulty_step: Floats


def _climb(items: Items, scores: Floats, given: Floats, nodes: Nodes) -> Items:
    """Take scoring steps, each cut where it would lead down."""
    terms = _terms(items, scores, given, nodes)
    for _ in range(_STEPS):
        share = np.ones_like(terms.value)
        least = terms.value - _ROUNDING * (1 + np.abs(terms.value))
        while True:
            tried = Items(
                items.log_slope + share * terms.log_slope_step,
                items.difficulty + share * terms.difficulty_step,
                items.steady,
            )
            there = _terms(tried, scores, given, nodes)
            down = there.value < least
            if not down.any():
                break
            share[down] = np.where(share[down] > _LEAST_SHARE, share[down] / 4, 0.0)
        items, terms = tried, there
    return items


def _terms(items: Items, scores: Floats, given: Floats, nodes: Nodes) -> _Terms:
    """With η = a (θ − b), sums over systems and nodes of w (s η − log(1 + e^η)), and of what its derivatives need."""
    slope, difficulty = items.slope, items.difficulty
    chances, softplus = chance(slope * (nodes.places[:, :, None] - difficulty))
    powers = np.stack([nodes.weights, nodes.weights * nodes.places, nodes.weights * nodes.places**2], axis=1)
    mean = powers[:, 1].sum(axis=1)
    solved, solved_at = scores.sum(axis=0), mean @ scores
    value = slope * (solved_at - difficulty * solved) - _summed(powers[:, :1], softplus, given)[0] + items.log_priors
    expected, expected_at = _summed(powers[:, :2], chances, given)
    chances *= 1 - chances
    spread, spread_at, spread_squared = _summed(powers, chances, given)
    # Gradient and Fisher information by log a and b: ∂η/∂log a = η, ∂η/∂b = −a.
    excess = solved - expected
    by_slope = slope * (solved_at - expected_at - difficulty * excess) - items.log_slope / LOG_SLOPE_SD**2
    by_difficulty = -slope * excess - difficulty / DIFFICULTY_SD**2
    both = slope**2 * (spread_squared - 2 * difficulty * spread_at + difficulty**2 * spread) + 1 / LOG_SLOPE_SD**2
    cross = slope**2 * (difficulty * spread - spread_at)
    each = slope**2 * spread + 1 / DIFFICULTY_SD**2
    if items.steady:
        by_slope, cross = np.zeros_like(by_slope), np.zeros_like(cross)
    determinant = both * each - cross**2
    steps = np.array([each * by_slope - cross * by_difficulty, both * by_difficulty - cross * by_slope]) / determinant
    # Far off, a step of more than e in slope, or 2 in difficulty, is a guess.
    steps /= np.maximum(np.maximum(np.abs(steps[0]), np.abs(steps[1]) / 2), 1)
    return _Terms(value, steps[0], steps[1])


def _summed(powers: Floats, values: Floats, given: Floats) -> Floats:
    """Sum values `(N, Q, K)` over nodes with weights `(N, P, Q)`, and over systems with a score; `(P, K)`."""
    total: Floats = np.einsum("npk,nk->pk", powers @ values, given)
    return total


def chance(logit: Floats) -> tuple[Floats, Floats]:
    """Return 1 / (1 + e^−η) and log(1 + e^η), and neither overflows.

    >>> chance(np.array([-800.0, 0.0, 800.0]))
    (array([0. , 0.5, 1. ]), array([0.00000000e+00, 6.93147181e-01, 8.00000000e+02]))
    """
    odds = np.abs(logit)  # against what is likelier
    np.exp(np.negative(odds, out=odds), out=odds)
    whole = odds + 1
    chances = np.where(logit >= 0, 1.0, odds)
    chances /= whole
    softplus = np.log(whole, out=whole)  # right to 1e-16, which sums need, and much quicker than log1p
    softplus += np.maximum(logit, 0.0, out=odds)
    return chances, softplus
