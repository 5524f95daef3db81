"""What a missing score is worth: how many pairs of systems it would be expected to decide."""

import numpy as np
from numpy.typing import NDArray

from podium.planning.result import MissingCell
from podium.ranking.ballot import task_ballots
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec
from podium.tally.moment import Moments
from podium.tally.position import expected_ranks

Floats = NDArray[np.float64]

#: Of Gauss–Legendre quadrature; the integrand is smooth, and six give its integral to 1e-6.
_NODES = 6


def missing_cells(counted: CountedScores) -> tuple[MissingCell, ...]:
    """All that is missing, with its value, the most useful first."""
    table = counted.by_name
    share = np.array([task.scored / task.n_instances for task in table.tasks])
    values = cell_values(_places(counted), share, table.task_weights)
    cells = [
        MissingCell(table.systems[system], table.tasks[task].name, float(share[task, system]), value)
        for task, system in np.argwhere(share < 1).tolist()
        for value in [float(values[task, system])]
    ]
    return tuple(sorted(cells, key=lambda cell: (-cell.value, cell.system, cell.task)))


def _places(counted: CountedScores) -> Floats:
    """Shape `(T, N)`: midranks of the task means among the scored systems, NaN where unscored."""
    means = np.array([task.means for task in counted.counts[Moments]])
    setting = counted.setting(MethodSpec("borda", "task"))
    ballots = task_ballots(means, tolerance=setting.tolerance, scale=setting.scale_of_rounding)
    ranks = np.array([expected_ranks(ballot.values, ballot.tolerance)[:, 0] for ballot in ballots])
    scored = ~np.isnan(means)
    count_scored = np.count_nonzero(scored, axis=1)[:, None]
    return np.where(scored, ranks * (count_scored + 1) / (len(counted.by_name.systems) + 1), np.nan)


def cell_values(midranks: Floats, scored: Floats, weights: Floats) -> Floats:
    """Judge every missing (task, system) cell by how many pairs of systems it would be expected to decide.

    A ballot scores k of N systems, and every complete order that agrees with it is equally likely, independently
    of other ballots. The score of a system is the weighted mean over ballots of the share of the others that it
    beats, as Borda has it; let d_ij be the difference of two. Of one ballot, in ranks, exactly:

    - both scored, g places apart among the k: Var = (N + 1)(N − k) g (k + 1 − g) / ((k + 1)² (k + 2));
    - neither scored: Var = N (N + 1) / 6;
    - i unscored, j at place r: a score of i would put it on each of the k + 1 places with the same probability, and
      the expected difference would be (N + 1) / (k + 2) times a value uniform on {0, …, k + 1} without r. Its variance
      is Δ_ij, what the score is expected to settle. Var = Δ_ij + the mean of what remains, from the first line with
      k + 1 scored. Where j is unscored too, Δ_ij = ((N + 1) / (k + 2))² k (k + 2) / 12.

    Let p_ij be the probability that i is ahead once the table is complete. A pair is undecided by 4 p (1 − p): 1 where
    either order is as likely, 0 where it is certain. With V_ij the variance of d_ij over all ballots, h its mean over
    √V_ij, and ρ = Δ_ij / V_ij (both weighed), the value of a cell is the fall of this that its score is expected to
    bring,

        Σ_j 4 (Φ₂(h, h; ρ) − Φ(h)²),

    over the other systems j, as if d_ij and what the cell tells of it were normal; Φ₂ is the distribution function of
    two standard normals with correlation ρ. Pairs without i gain little and are left out.

    Parameters
    ----------
    midranks
        Shape `(T, N)`: places among the scored systems of a ballot, 1 is best; NaN where unscored. Ties stand at
        their midrank, as if they were at one place.
    scored
        Shape `(T, N)`: share of the instances of the task on which the system is scored. On the others, a share u, it
        is taken as unscored on the ballot of the rest, with u² of the variances; when other systems are judged, one
        scored in part counts as scored.
    weights
        Shape `(T,)`: task weights, ≥ 0.

    Returns
    -------
    Shape `(T, N)`: ≥ 0, higher is more useful, at most N − 1; NaN where nothing is missing. 0 where nobody else is
    scored: one score alone says nothing about an order.

    References
    ----------
    The model is that of Himmi et al. 2023, §2.2.1.

    Examples
    --------
    A score of the third system on the second task, where more are scored, says more than one on the first.

    >>> places = np.array([[1.0, np.nan, np.nan], [1.0, 2.0, np.nan]])
    >>> cell_values(places, (~np.isnan(places)).astype(float), np.ones(2)).round(3)
    array([[  nan, 0.405, 0.372],
           [  nan,   nan, 0.52 ]])
    """
    n_systems = midranks.shape[1]
    worth = (weights / weights.sum() / (n_systems - 1)) ** 2
    count = np.count_nonzero(~np.isnan(midranks), axis=1)[:, None].astype(np.float64)
    expected = _expected(midranks, count, n_systems)
    open_variance, open_settled = _one_open(midranks, count, n_systems)
    values = np.full(midranks.shape, np.nan)
    for i in np.flatnonzero((scored < 1).any(axis=0)).tolist():
        between = _both_scored(np.abs(midranks - midranks[:, i, None]), count, n_systems)
        variance = np.where(np.isnan(midranks), open_variance[:, i, None], between)
        settled = np.zeros_like(variance)
        mean = expected
        empty, part = scored[:, i] == 0, (scored[:, i] > 0) & (scored[:, i] < 1)
        variance[empty], settled[empty] = open_variance[empty], open_settled[empty]
        if part.any():
            share, others = scored[part, i, None], _without(midranks[part], i)
            left, gained = _one_open(others, count[part] - 1, n_systems)
            variance[part] = share**2 * variance[part] + (1 - share) ** 2 * left
            settled[part] = (1 - share) ** 2 * gained
            mean = expected.copy()
            mean[part] = share * mean[part] + (1 - share) * _expected(others, count[part] - 1, n_systems)
        lacking = empty | part
        total = worth @ variance
        total[i] = 0.0  # no pair of its own
        difference = np.sqrt(worth) @ (mean - mean[:, i, None])
        values[lacking, i] = _decided(difference, total, worth[lacking, None] * settled[lacking])
    return values


def _expected(midranks: Floats, count: Floats, n_systems: int) -> Floats:
    """Expected ranks, 1 is best."""
    return np.where(np.isnan(midranks), (n_systems + 1) / 2, midranks * (n_systems + 1) / (count + 1))


def _both_scored(gap: Floats, count: Floats, n_systems: int) -> Floats:
    """Variance of the difference of the ranks of two of `count` scored systems, `gap` places apart."""
    variance: Floats = (
        (n_systems + 1) * (n_systems - count) * gap * (count + 1 - gap) / ((count + 1) ** 2 * (count + 2))
    )
    return variance


def _one_open(places: Floats, count: Floats, n_systems: int) -> tuple[Floats, Floats]:
    """Variance of the difference of the ranks of an unscored system and of each other, and what a score settles."""
    there = ~np.isnan(places)
    place = np.where(there, places, 0.0)
    ends = count + 1
    mean = (ends * (ends + 1) / 2 - place) / ends
    square = (ends * (ends + 1) * (2 * ends + 1) / 6 - place**2) / ends
    uniform = np.where(there, square - mean**2, count * (count + 2) / 12)
    settled = ((n_systems + 1) / (ends + 1)) ** 2 * uniform
    # the mean of g (K + 1 − g), K = k + 1, over the places that the system may take, g from the other
    spread = (_summed(place, ends) + _summed(ends - place, ends)) / ends
    left = (n_systems + 1) * (n_systems - ends) / ((ends + 1) ** 2 * (ends + 2)) * spread
    return np.where(there, settled + left, n_systems * (n_systems + 1) / 6), settled


def _summed(most: Floats, ends: Floats) -> Floats:
    """Σ g (K + 1 − g) for g from 1 to `most`."""
    total: Floats = (ends + 1) * most * (most + 1) / 2 - most * (most + 1) * (2 * most + 1) / 6
    return total


def _without(midranks: Floats, i: int) -> Floats:
    """Places among the others, once system i is left out."""
    own = midranks[:, i, None]
    places: Floats = midranks - (own < midranks) - (own == midranks) / 2
    places[:, i] = np.nan
    return places


def _decided(difference: Floats, variance: Floats, settled: Floats) -> Floats:
    """Shape `(M,)`: sums over pairs `(N,)` of 4 Var P(d > 0 | cell), for M cells that settle `(M, N)` of the variance.

    With P(d > 0 | cell) = Φ of a normal, that is 4 (Φ₂(h, h; ρ) − Φ(h)²) at h = E d / √V and ρ the share settled, or
    2/π ∫ exp(−h² / (1 + sin θ)) dθ from 0 to arcsin ρ.
    """
    open_pairs = variance > 0
    variance = np.where(open_pairs, variance, 1.0)
    square = np.where(open_pairs, difference**2 / variance, np.inf)
    reach = np.arcsin(np.minimum(settled / variance, 1.0))
    total = np.zeros(len(settled))
    for node, weight in zip(*np.polynomial.legendre.leggauss(_NODES), strict=True):
        total += weight / 2 * (reach * np.exp(-square / (1 + np.sin(reach * (node + 1) / 2)))).sum(axis=1)
    decided: Floats = 2 / np.pi * total
    return decided
