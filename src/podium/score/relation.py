"""Columns that go together more than independent tasks would: a hint that they are of one data set."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from podium.base.words import LONG, with_names
from podium.score.family import family_names
from podium.score.place import midranks, places
from podium.score.table import Scores
from podium.score.task import mean_scores

Floats = NDArray[np.float64]

#: Fewest systems and fewest families, below which chance alone makes columns alike; and most families.
_SYSTEMS, _FAMILIES, _MOST = 20, 6, 40

#: Steps of the fit, largest loading, and partial correlation from which on columns are named.
_STEPS, _LOADING, _STRONG = 60, 0.98, 0.5


def relation_notes(scores: Scores) -> list[str]:
    """Name pairs of tasks whose scores correlate more than the systems' quality explains; nothing is merged.

    Scores of each task become normal scores of the ranks, those of a family their mean. If systems differ in one
    quality, tasks s and t correlate as λ_s λ_t, the loadings λ ≥ 0 being fitted to all correlations but that of s and t
    (least squares). The statistic is (artanh r_st − artanh λ_s λ_t) / se, with se from the products of the scores
    (at least 1 / √(N − 3)), less the median of all pairs and divided by their spread if that is more than 1. Pairs are
    named where it exceeds Student's quantile with N / 2 − 1 degrees of freedom at 5 % over all pairs (Bonferroni), and
    the partial correlation (r_st − λ_s λ_t) / √((1 − λ_s²) (1 − λ_t²)) is at least 0.5. In simulations of independent
    tasks some pair was named in up to 1 % of tables if systems differ in one quality or in none, in up to 3 % if tasks
    differ in noise, in up to 6 % if some systems vary more than others; only tasks that are almost free of noise, and
    differ in difficulty, are named more often.

    Parameters
    ----------
    scores
        Systems without a score on some task do not count. Nothing is said of fewer than 20 systems, fewer than 6
        families or more than 40.

    Examples
    --------
    >>> import podium
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(40, 8))
    >>> values[:, 1] = values[:, 0] + 0.2 * values[:, 1]
    >>> relation_notes(podium.from_arrays(values))
    ['tasks that may be of one data set, as they correlate: task 1 and task 2; if they are: families= (--family)']
    """
    names, of = np.unique(family_names(scores.tasks), return_inverse=True)
    if not _FAMILIES <= names.size <= _MOST or len(scores.systems) < _SYSTEMS:
        return []
    means = np.stack([mean_scores(task)[0] * (1 if task.higher_is_better else -1) for task in scores.tasks], axis=1)
    means = means[~np.isnan(means).any(axis=1)]
    if len(means) < _SYSTEMS:
        return []
    normal = np.vectorize(NormalDist().inv_cdf)(1 - (midranks(places(means)) - 0.375) / (len(means) + 0.25))
    columns = np.stack([normal[:, of == number].mean(axis=1) for number in range(names.size)], axis=1)
    columns -= columns.mean(axis=0)
    size = np.sqrt((columns**2).mean(axis=0))
    found = _related(columns[:, size > 0] / size[size > 0])
    kept = names[size > 0].tolist()
    named = [f"{kept[one]} and {kept[other]}" for one, other in found]
    before, after = "tasks that may be of one data set, as they correlate: ", "; if they are: families= (--family)"
    return [with_names(before, named, after, room=LONG)] if named else []


def _related(z: Floats) -> list[tuple[int, int]]:
    """Pairs of standardised columns, shape `(N, C)`, that correlate more than one quality explains, strongest first."""
    if z.shape[1] < _FAMILIES:
        return []
    from scipy.special import stdtrit  # noqa: PLC0415  # slow to import

    pairs = np.array(list(combinations(range(z.shape[1]), 2)))
    s, t = pairs.T
    r = np.clip(((z.T @ z) / len(z))[s, t], -0.999, 0.999)
    of_s, of_t = _loadings(z.T @ z / len(z), s, t)
    moved = z[:, s] * z[:, t] - r / 2 * (z[:, s] ** 2 + z[:, t] ** 2)
    error = np.sqrt((moved**2).mean(axis=0) / len(z)) / (1 - r**2)
    beyond = (np.arctanh(r) - np.arctanh(of_s * of_t)) / np.maximum(error, 1 / np.sqrt(len(z) - 3))
    middle = np.median(beyond)
    beyond = (beyond - max(middle, 0.0)) / max(1.0, 1.4826 * np.median(np.abs(beyond - middle)))
    partial = (r - of_s * of_t) / np.sqrt((1 - of_s**2) * (1 - of_t**2))
    named = (beyond > stdtrit(len(z) / 2 - 1, 1 - 0.05 / len(pairs))) & (partial >= _STRONG)
    order = sorted(np.flatnonzero(named).tolist(), key=lambda pair: (-beyond[pair], pair))
    return [(int(s[pair]), int(t[pair])) for pair in order]


def _loadings(correlation: Floats, s: NDArray[np.intp], t: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Loadings of both columns of each pair, fitted by least squares to all correlations but that of the pair."""
    others = correlation - np.diag(np.diagonal(correlation))
    own, rows = others[s, t], np.arange(s.size)
    loading = np.tile(np.sqrt(np.clip(others.sum(axis=1) / (len(others) - 1), 0.01, 0.9)), (s.size, 1))
    for _ in range(_STEPS):
        product = loading @ others
        squares = (loading**2).sum(axis=1)[:, None] - loading**2
        for one, other in ((s, t), (t, s)):
            product[rows, one] -= own * loading[rows, other]
            squares[rows, one] -= loading[rows, other] ** 2
        loading = (loading + np.clip(product / np.maximum(squares, 1e-3), 0.0, _LOADING)) / 2
    return loading[rows, s], loading[rows, t]
