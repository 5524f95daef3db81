"""How well items and abilities are known: the observed information of the marginal posterior, and what follows from it.

The log posterior of the items, Σ_i log ∫ Π_j P^s (1 − P)^(1 − s) φ(θ_i) dθ_i + log priors, has minus second derivatives
D − U Uᵀ (Louis 1982, JRSS B 44, 226–233). D has a 2 × 2 block per item: the information there would be if abilities
were known. U has the columns of what they leave open: with functions B_ir of θ_i, orthonormal under its posterior, and
the score vector s_j of item j, U_j,ir = E[s_j B_ir]. Whatever is asked of the inverse needs only one matrix as large as
the number of columns, M = 1 − Uᵀ D⁻¹ U (Woodbury):

- items: (D − U Uᵀ)⁻¹ = D⁻¹ + D⁻¹ U M⁻¹ Uᵀ D⁻¹;
- abilities: with t_ir = E[θ_i B_ir], the posterior covariance for known items is t tᵀ, and t M⁻¹ tᵀ with what is not
  known of the items (by the law of total variance, and linearised posterior means);
- an instance that counted a little more would move the posterior means by t M⁻¹ c, with c_ir = E[ℓ_i B_ir] and ℓ_i its
  log-likelihood of the score of system i: items are fitted anew, since M says how they follow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import ConvergenceError
from podium.base.spill import room_of
from podium.response.ability import Abilities
from podium.response.item import DIFFICULTY_SD, LOG_SLOPE_SD, Answers, Items, Nodes, chance

Floats = NDArray[np.float64]


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
        """A step of Newton's method towards the maximum."""
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
        room = room_of(self.answers.scores)
        moved: Floats = room.empty((self.reach.shape[0], self.items.difficulty.size), np.float64)
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
