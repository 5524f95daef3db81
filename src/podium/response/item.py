"""Items of a response model: the curve of each, the abilities that answers show, and the information of items."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import ConvergenceError

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
        solved = np.nansum(scores, axis=0)
        failed = (~np.isnan(scores)).sum(axis=0) - solved
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


#: Nodes per system where every one has at least so many scores: the more, the more normal are their posteriors. They
#: get difficulties right to about 1e-5, of systems that solve nearly all or nothing to 1e-4.
_NODES = ((3000, 3), (300, 5), (0, 9))

#: Newton steps to a mode; one of this part of the standard deviation is the last, and leaves about its square.
_ABILITY_STEPS, _NEAR = 100, 1e-4

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
    for _ in range(_ABILITY_STEPS):
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
    for _ in range(_ABILITY_STEPS):
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


class _Part(NamedTuple):
    """Some items: their gradient `(2, k)`, roots of their blocks of D, U `(2, NR, k)`, and ℓ projected, `(NR, k)`."""

    where: slice
    gradient: Floats
    root: tuple[Floats, Floats, Floats]
    open: Floats
    pulled: Floats

    def halved(self, values: Floats) -> tuple[Floats, Floats]:
        """L⁻¹ v, with D = L Lᵀ, of vectors `(2, …, k)`."""
        first, cross, second = self.root
        above = values[0] / first
        return above, (values[1] - cross * above) / second

    def solved(self, values: Floats) -> tuple[Floats, Floats]:
        """D⁻¹ v."""
        first, cross, second = self.root
        above, below = self.halved(values)
        below = below / second
        return (above - cross * below) / first, below


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """The observed information of items and abilities, at some items.

    Attributes
    ----------
    basis
        Shape `(N, Q, R)`: w_iq B_ir(θ_iq), by which a function of nodes is projected.
    reach
        Shape `(N, R)`: t.
    inverse
        Shape `(NR, NR)`: M⁻¹.
    step
        Shape `(NR,)`: M⁻¹ Uᵀ D⁻¹ g, g being the gradient of the log posterior.
    """

    items: Items
    answers: Answers
    nodes: Nodes
    basis: Floats
    reach: Floats
    inverse: Floats
    step: Floats

    @classmethod
    def at(cls, items: Items, answers: Answers, abilities: Abilities) -> "Information":
        """Add up the information of all items.

        Raises
        ------
        ConvergenceError
            It is not positive: the items are not at a maximum.
        """
        nodes = abilities.nodes
        basis, reach = _basis(nodes)
        size = reach.size
        known, pull = np.zeros((size, size)), np.zeros(size)
        for part in _parts(items, answers, nodes, basis):
            rows, gradient = part.halved(part.open), part.halved(part.gradient)
            for row, slope in zip(rows, gradient, strict=True):
                weighed = row if answers.weights is None else row * answers.weights[part.where]
                known += weighed @ row.T
                pull += weighed @ slope
        matrix = np.eye(size) - known
        try:
            np.linalg.cholesky(matrix)
        except np.linalg.LinAlgError:
            raise ConvergenceError(
                "these scores do not settle difficulties and abilities; add systems or instances"
            ) from None
        inverse = np.linalg.inv(matrix)
        return cls(items, answers, nodes, basis, reach, (inverse + inverse.T) / 2, inverse @ pull)

    @property
    def covariance(self) -> Floats:
        """Shape `(N, N)`: of the posterior means, with what is not known of the items."""
        found: Floats = self._by_ability() @ self._spread().T
        return found

    def newton(self) -> Items:
        """Return a step of Newton's method towards the maximum."""
        log_slope, difficulty = np.empty_like(self.items.log_slope), np.empty_like(self.items.difficulty)
        for part in _parts(self.items, self.answers, self.nodes, self.basis):
            steps = part.solved(part.gradient + np.einsum("prk,r->pk", part.open, self.step))
            log_slope[part.where] = self.items.log_slope[part.where] + steps[0]
            difficulty[part.where] = self.items.difficulty[part.where] + steps[1]
        return Items(self.items.log_slope if self.items.steady else log_slope, difficulty, self.items.steady)

    def std_errors(self) -> Floats:
        """Shape `(2, K)`: of log discrimination and of difficulty."""
        root = np.linalg.cholesky(self.inverse)
        variance = np.empty((2, self.items.difficulty.size))
        for part in _parts(self.items, self.answers, self.nodes, self.basis):
            unit = np.eye(2)[:, :, None] * np.ones(part.gradient.shape[1])
            own = [part.solved(np.ascontiguousarray(one)) for one in unit]
            for row, columns in enumerate(part.solved(part.open)):
                variance[row, part.where] = own[row][row] + ((root.T @ columns) ** 2).sum(axis=0)
        if self.items.steady:
            variance[0] = np.nan
        return np.sqrt(variance)

    def influence(self) -> Floats:
        """Shape `(N, K)`: by how much posterior means would move if each instance counted once more, to first order."""
        moved: Floats = np.empty((self.reach.shape[0], self.items.difficulty.size))
        by_ability = self._by_ability()
        for part in _parts(self.items, self.answers, self.nodes, self.basis):
            moved[:, part.where] = by_ability @ part.pulled
        return moved

    def _by_ability(self) -> Floats:
        """Shape `(N, NR)`: t M⁻¹."""
        n_systems, rank = self.reach.shape
        by_ability: Floats = np.einsum("nr,nrs->ns", self.reach, self.inverse.reshape(n_systems, rank, -1))
        return by_ability

    def _spread(self) -> Floats:
        """Shape `(N, NR)`: t in its own columns."""
        n_systems, rank = self.reach.shape
        spread = np.zeros((n_systems, n_systems, rank))
        spread[np.arange(n_systems), np.arange(n_systems)] = self.reach
        return spread.reshape(n_systems, -1)


def _basis(nodes: Nodes) -> tuple[Floats, Floats]:
    """Functions of each ability that are orthonormal under its posterior and orthogonal to 1; and E[θ B]."""
    mean = (nodes.weights * nodes.places).sum(axis=1, keepdims=True)
    off = nodes.places - mean
    unit = np.sqrt((nodes.weights * off**2).sum(axis=1, keepdims=True))
    powers = (off / unit)[:, :, None] ** np.arange(nodes.places.shape[1])
    root = np.sqrt(nodes.weights)
    columns = np.linalg.qr(root[:, :, None] * powers)[0][:, :, 1:]
    basis = root[:, :, None] * columns
    return basis, np.einsum("nqr,nq->nr", basis, off)


def _parts(items: Items, answers: Answers, nodes: Nodes, basis: Floats) -> Iterator[_Part]:
    """Yield some items at a time, with all that sums over them need."""
    weights, places = nodes.weights[:, :, None], nodes.places[:, :, None]
    across = basis.transpose(0, 2, 1)
    for where, scores, given in answers.cut(places.size):
        slope, difficulty = items.slope[where], items.difficulty[where]
        logit = slope * (places - difficulty)
        chances, softplus = chance(logit)
        there = given[:, None]
        excess = (scores[:, None] - chances) * there
        by_slope = excess * logit
        spread = weights * chances * (1 - chances) * there
        bent = spread * logit
        cross = slope * ((weights * excess).sum(axis=(0, 1)) - bent.sum(axis=(0, 1)))
        both = (bent * logit).sum(axis=(0, 1)) + LOG_SLOPE_SD**-2
        each = slope**2 * spread.sum(axis=(0, 1)) + DIFFICULTY_SD**-2
        gradient = np.array([(weights * by_slope).sum(axis=(0, 1)), -slope * (weights * excess).sum(axis=(0, 1))])
        observed = both - gradient[0]
        open_ = np.array([across @ by_slope, -slope * (across @ excess)]).reshape(2, -1, slope.size)
        gradient -= [items.log_slope[where] / LOG_SLOPE_SD**2, difficulty / DIFFICULTY_SD**2]
        if items.steady:
            cross, observed, gradient[0], open_[0] = np.zeros_like(cross), np.ones_like(observed), 0.0, 0.0
        # what would be known of an item, were abilities known, is positive at a maximum, but for rounding
        first = np.sqrt(np.maximum(observed, LOG_SLOPE_SD**-2 / 2))
        below = cross / first
        second = np.sqrt(np.maximum(each - below**2, DIFFICULTY_SD**-2 / 2))
        likely = (scores[:, None] * logit - softplus) * there
        yield _Part(where, gradient, (first, below, second), open_, (across @ likely).reshape(-1, slope.size))
