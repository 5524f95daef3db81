"""What a missing score is worth: how many pairs of systems it would be expected to decide."""

import numpy as np

from podium.base.arrays import Floats
from podium.planning.result import MissingCell
from podium.ranking.ballots import that_score_the_same
from podium.ranking.counted import CountedScores
from podium.ranking.method import ranks_of_tasks, task_means
from podium.ranking.method_spec import MethodSpec

#: Cells that are listed.
_LISTED = 10_000

#: Tasks, times the square of the number of systems, from which cells are judged by three terms of a series, where no
#: score settles more than this share of the variance of a difference.
_MANY, _LITTLE = 2**27, 1 / 32

#: Tasks that are looked at together, and numbers that are held at a time, where there are many.
_TASKS, _NUMBERS = 1024, 2**18

#: Of Gauss–Legendre quadrature; the integrand is smooth, and six give its integral to 1e-6.
_NODES = 6


def missing_cells(counted: CountedScores) -> tuple[tuple[MissingCell, ...], int]:
    """Return what is missing, with its value, most useful first and at most 10,000; and how many there are in all."""
    table = counted.by_name
    share = np.array([task.scored / task.n_instances for task in table.tasks])
    places, missing = _places(counted), share < 1
    values = values_of_many(places, table.task_weights) if ((share == 0) | (share == 1)).all() else None
    if values is None:
        values = cell_values(places, share, table.task_weights)
    number = int(np.count_nonzero(missing))
    if number > _LISTED:
        missing &= values >= np.partition(values[missing], number - _LISTED)[number - _LISTED]
    tasks, systems = np.nonzero(missing)
    by_label = np.argsort(np.array(sorted(range(len(table.systems)), key=table.systems.__getitem__)))
    order = np.lexsort((tasks, by_label[systems], -values[missing]))[:_LISTED]  # tasks are in order of their names
    found = zip(tasks[order].tolist(), systems[order].tolist(), strict=True)
    cells = [
        MissingCell(table.systems[i], table.tasks[task].name, float(share[task, i]), float(values[task, i]))
        for task, i in found
    ]
    return tuple(cells), number


def _places(counted: CountedScores) -> Floats:
    """Shape `(T, N)`: midranks of the task means among the scored systems, NaN where unscored."""
    ranks = ranks_of_tasks(counted.counts, counted.context(MethodSpec("borda", "task")))
    scored = ~np.isnan(task_means(counted.counts))
    count_scored = np.count_nonzero(scored, axis=1)[:, None]
    return np.where(scored, ranks * (count_scored + 1) / (scored.shape[1] + 1), np.nan)


def values_of_many(midranks: Floats, weights: Floats) -> Floats | None:
    """Judge missing cells as `cell_values` where tasks are so many that a score settles little; None where it is more.

    Then 4 (Φ₂(h, h; ρ) − Φ(h)²) = 2/π exp(−h²) Σ_n He_{n−1}(h)² ρⁿ / n!, He being Hermite's polynomials (Kibble 1945),
    needs three terms only, and sums over pairs are products of matrices. The rest is below 0.2 ρ⁴ for each pair.

    Parameters
    ----------
    midranks, weights
        As for `cell_values`; every system is scored on the whole of a task, or not at all.
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is work

    n_tasks, n_systems = midranks.shape
    if n_tasks * n_systems**2 < _MANY:
        return None
    worth = ((weights / weights.sum() / (n_systems - 1)) ** 2)[:, None]
    count = np.count_nonzero(~np.isnan(midranks), axis=1)[:, None].astype(np.float64)
    mean, variance, most = np.zeros(n_systems), np.zeros((n_systems, n_systems)), np.zeros(n_systems)
    runs = [slice(start, start + _TASKS) for start in range(0, n_tasks, _TASKS)]
    with threadpool_limits(limits=1, user_api="blas"):  # so that no sum is added in another order
        for some in runs:
            places, absent = midranks[some], np.isnan(midranks[some])
            mean += (np.sqrt(worth[some]) * _expected(places, count[some], n_systems)).sum(axis=0)
            open_variance, settled = _one_open(places, count[some], n_systems)
            one = absent.T.astype(np.float64) @ np.where(absent, 0.0, worth[some] * open_variance)
            variance += one + one.T
            variance += absent.T @ np.where(absent, worth[some] * n_systems * (n_systems + 1) / 6, 0.0)
            most = np.maximum(most, (worth[some] * settled).max(axis=0))
        variance += _of_scored_pairs(midranks, worth[:, 0], count[:, 0])
        np.fill_diagonal(variance, 0.0)
        known = variance > 0
        least = np.where(known, variance, np.inf).min(axis=0)
        if (most > _LITTLE * least).any():
            return None
        inverse = np.divide(1.0, variance, out=np.zeros_like(variance), where=known)
        square = (mean[:, None] - mean) ** 2 * inverse
        first = 2 / np.pi * np.exp(-square) * inverse
        second, third = first * square * inverse / 2, first * ((square - 1) * inverse) ** 2 / 6
        values = np.full(midranks.shape, np.nan)
        for some in runs:
            settled = worth[some] * _one_open(midranks[some], count[some], n_systems)[1]
            total = settled @ first + settled**2 @ second + settled**3 @ third
            values[some] = np.where(np.isnan(midranks[some]), total, np.nan)
    return values


def _of_scored_pairs(midranks: Floats, worth: Floats, count: Floats) -> Floats:
    """Shape `(N, N)`: variance of the difference of two systems, of the ballots that score both."""
    n_systems = midranks.shape[1]
    total = np.zeros((n_systems, n_systems))
    for group in that_score_the_same(~np.isnan(midranks)):
        scored = np.flatnonzero(~np.isnan(midranks[group[0]]))
        if scored.size in {0, n_systems}:  # where all are scored, nothing is open
            continue
        places, weight = midranks[np.ix_(group, scored)], worth[group][:, None, None]
        found = np.empty((scored.size, scored.size))
        size = max(_NUMBERS // places.size, 1)
        for start in range(0, scored.size, size):
            some = slice(start, start + size)
            gap = np.abs(places[:, some, None] - places[:, None])
            found[some] = (weight * _both_scored(gap, count[group[0]], n_systems)).sum(axis=0)
        total.reshape(-1)[(scored[:, None] * n_systems + scored).ravel()] += found.ravel()
    return total


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
    Shape `(T, N)`: ≥ 0, higher is more useful, at most N − 1; NaN where nothing is missing. 0 where no other system is
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
    """Return expected ranks, 1 is best."""
    return np.where(np.isnan(midranks), (n_systems + 1) / 2, midranks * (n_systems + 1) / (count + 1))


def _both_scored(gap: Floats, count: Floats, n_systems: int) -> Floats:
    """Return the variance of the difference of the ranks of two of `count` scored systems, `gap` places apart."""
    variance: Floats = (
        (n_systems + 1) * (n_systems - count) * gap * (count + 1 - gap) / ((count + 1) ** 2 * (count + 2))
    )
    return variance


def _one_open(places: Floats, count: Floats, n_systems: int) -> tuple[Floats, Floats]:
    """Return the variance of the difference of ranks of an unscored system and each other, and what a score settles."""
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
    """Sum g (K + 1 − g) for g from 1 to `most`."""
    total: Floats = (ends + 1) * most * (most + 1) / 2 - most * (most + 1) * (2 * most + 1) / 6
    return total


def _without(midranks: Floats, i: int) -> Floats:
    """Return places among the others, once system i is left out."""
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
