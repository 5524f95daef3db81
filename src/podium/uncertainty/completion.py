"""What a missing score is worth: how much of the doubt about the order it would be expected to settle."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["cell_values"]

Floats = NDArray[np.float64]


def cell_values(midranks: Floats, scored: Floats, weights: Floats) -> Floats:
    """Judge every missing (task, system) cell by the doubt about pairs of systems that it would settle.

    A ballot scores k of N systems, and every complete order that agrees with it is equally likely, independently
    of other ballots. The score of a system is the weighted mean over ballots of the share of the others that it
    beats, as Borda has it; let d_ij be the difference of two. All of the following are exact, in ranks of one ballot:

    - both scored, g places apart among the k: Var = (N + 1)(N − k) g (k + 1 − g) / ((k + 1)² (k + 2));
    - neither scored: Var = N (N + 1) / 6;
    - i unscored, j at place r: if i were scored, it would take each of the k + 1 places with the same probability, and
      the expected difference would be (N + 1) / (k + 2) times a value uniform on {0, …, k + 1} without r. Its variance
      is Δ_ij, what the score is expected to settle. Var = Δ_ij + the mean of what remains, from the first line with
      k + 1 scored. Where j is unscored too, Δ_ij = ((N + 1) / (k + 2))² k (k + 2) / 12.

    With V_ij the variance of d_ij over all ballots, the value of a cell is

        Σ_j Φ(−|E d_ij| / √V_ij) · Δ_ij / V_ij,

    over the other systems j: the probability that the complete table has i and j in the other order (as if d_ij were
    normal), times the share of the doubt about them that the cell settles. It counts pairs of systems; those without i
    gain little and are left out.

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
    array([[  nan, 0.194, 0.226],
           [  nan,   nan, 0.317]])
    """
    n_systems = midranks.shape[1]
    worth = (weights / weights.sum() / (n_systems - 1)) ** 2
    count = np.count_nonzero(~np.isnan(midranks), axis=1)[:, None].astype(np.float64)
    expected = np.where(np.isnan(midranks), (n_systems + 1) / 2, midranks * (n_systems + 1) / (count + 1))
    goodness = -(weights @ expected) / weights.sum() / (n_systems - 1)
    open_variance, open_settled = _one_open(midranks, count, n_systems)
    values = np.full(midranks.shape, np.nan)
    for i in np.flatnonzero((scored < 1).any(axis=0)).tolist():
        between = _both_scored(np.abs(midranks - midranks[:, i, None]), count, n_systems)
        variance = np.where(np.isnan(midranks), open_variance[:, i, None], between)
        settled = np.zeros_like(variance)
        empty, part = scored[:, i] == 0, (scored[:, i] > 0) & (scored[:, i] < 1)
        variance[empty], settled[empty] = open_variance[empty], open_settled[empty]
        if part.any():
            here, there = scored[part, i, None] ** 2, (1 - scored[part, i, None]) ** 2
            left, gained = _one_open(_without(midranks[part], i), count[part] - 1, n_systems)
            variance[part] = here * variance[part] + there * left
            settled[part] = there * gained
        lacking = empty | part
        total = worth @ variance
        values[lacking, i] = worth[lacking] * (settled[lacking] @ _doubt(goodness[i] - goodness, total, i))
    return values


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


def _doubt(difference: Floats, variance: Floats, i: int) -> Floats:
    """Shape `(N,)`: probability of the other order, over the variance; 0 where all is known, and for i itself."""
    from scipy.special import ndtr  # noqa: PLC0415  # only where a plan is wanted

    open_pairs = variance > 0
    open_pairs[i] = False
    spread = np.where(open_pairs, variance, 1.0)
    doubt: Floats = np.where(open_pairs, ndtr(-np.abs(difference) / np.sqrt(spread)) / spread, 0.0)
    return doubt
