"""How much a task tells: what of it is solved, signal and noise, the pairs it separates, and tasks that go together."""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import PodiumError
from podium.base.statistics import student_quantile
from podium.ranking.contributions import by_unit, of_task
from podium.ranking.distance import correlations, count_pairs
from podium.ranking.separation import sign_flip_test
from podium.response.fit import fit_item_response
from podium.score.task import Task, extent

#: Two tasks order the systems alike if their τ-b is at least so large; the error of all such claims together.
ALIKE, ERROR = 0.8, 0.05

#: Variance of artanh τ for n systems: this over n − 4. Fieller, Hartley & Pearson (1957) have 0.437; tails want more.
_VARIANCE = 0.95

#: Systems that two tasks, and that all, must have in common for a statement on how these go together.
FEWEST, _OF_ALL = 14, 8

#: Why there is no effective number of tasks.
UNKNOWN = f"it takes three tasks, and {_OF_ALL} systems with a score on each of them"

#: Other tasks that are compared with a task in full, the most correlated ones.
_CANDIDATES = 3

#: Scores of a task above which no items are looked for that better systems fail.
_FITTED = 200_000

#: Parts of the systems that are left out one after the other.
_PARTS = 20


class Solved(NamedTuple):
    """Shares of the items of a task; NaN where it has one item, or scores of one size."""

    by_none: float
    by_all: float
    by_best: float


def oriented(task: Task) -> Floats:
    """Return the scores of a task, higher is better, shape `(N, K)`."""
    given = np.concatenate(task.parts, axis=1).astype(np.float64)
    return given if task.higher_is_better else -given


def solved(values: Floats, best: Ints) -> Solved:
    """Return the share of items on which no system, every system, and every one of the best has the highest score.

    On an item that no system solves all have the lowest score of the task. Systems without a score are left out.

    >>> solved(np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0]]), np.array([0]))
    Solved(by_none=0.25, by_all=0.25, by_best=0.5)
    """
    scored = ~np.isnan(values)
    some = scored.any(axis=0)
    if values.shape[1] < 2 or not some.any() or np.nanmin(values) == np.nanmax(values):
        return Solved(math.nan, math.nan, math.nan)
    low, high = np.nanmin(values), np.nanmax(values)
    all_low, all_high = (((values == end) | ~scored).all(axis=0) for end in (low, high))
    of_best, theirs = values[best], scored[best]
    seen = theirs.any(axis=0)
    by_best = ((of_best == high) | ~theirs).all(axis=0)[seen].mean() if seen.any() else math.nan
    return Solved(float(all_low[some].mean()), float(all_high[some].mean()), float(by_best))


def headroom(task: Task, means: Floats, best: Ints) -> float:
    """Return the share of the scale that lies above the mean of the best; NaN where the scores tell no scale.

    The scale is 0 to 1 if all scores lie there, and 0 to 100 if all do and one lies above 50. `means` are as given.

    >>> task = Task.cut("rte", np.array([[95.0], [85.0], [40.0]]))
    >>> round(headroom(task, np.array([95.0, 85.0, 40.0]), np.array([0, 1])), 3)
    0.1
    """
    low, high = extent(task)
    length = 1.0 if low >= 0 and high <= 1 else 100.0 if low >= 0 and 50 < high <= 100 else math.nan
    mean = float(np.nanmean(means[best])) if not np.isnan(means[best]).all() else math.nan
    return (length - mean if task.higher_is_better else mean) / length


def reliability(values: Floats) -> float:
    """Return the share of the variance of system means that another sample of as many items would show again.

    1 − MS_is / MS_s, by the mean squares of systems and of systems × items: Cronbach's α of the items where no score is
    missing (Hoyt 1941). Below 0 where means differ by less than chance makes them; NaN of one item or system.

    >>> round(reliability(np.array([[1.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])), 3)
    0.857
    """
    scored = ~np.isnan(values)
    rows, columns = scored.any(axis=1), scored.any(axis=0)
    values, scored = values[rows][:, columns], scored[rows][:, columns]
    n_systems, n_items = values.shape
    left = int(scored.sum()) - n_systems - n_items + 1
    if min(n_systems, n_items) < 2 or left < 1:
        return math.nan
    means, whole = np.nanmean(values, axis=1), np.nanmean(values)
    between = (scored.sum(axis=1) * (means - whole) ** 2).sum() / (n_systems - 1)
    rest = values - means[:, None] - np.nanmean(values, axis=0) + whole
    return float(1 - np.nansum(rest**2) / left / between) if between > 0 else math.nan


def separated(task: Task, columns: Ints, *, alpha: float, seed: int) -> float:
    """Return how many pairs of some systems the mean of a task separates, all pairs together; NaN of one unit.

    By flips of the signs of whole items, or clusters of them, see `podium.ranking.separation.sign_flip_test`.
    """
    parts = of_task(task, 0.0, means=True)
    if task.clusters is not None:
        parts = by_unit(parts, task.clusters.numbers, len(task.clusters))
    there = columns[task.scored[columns] > 0]
    if len(parts.values) < 2 or there.size < 2:
        return math.nan
    joint = sign_flip_test(parts.values[:, there], alpha=alpha, seed=seed).joint
    return float(np.count_nonzero(np.triu(joint, 1)))


def suspects(values: Floats) -> float:
    """Return on how many items better systems do worse, by item response; NaN where it has no answer.

    See `podium.difficulty.irt`: at most a tenth of them are expected to be there by mistake.
    """
    if values.shape[1] < 2 or values.size > _FITTED or np.nanmin(values) < 0 or np.nanmax(values) > 1:
        return math.nan
    try:
        found = fit_item_response(values, suspect=True).suspects
    except PodiumError:
        return math.nan
    return math.nan if found is None else float(np.count_nonzero(found.listed))


def alike(first: Floats, second: Floats, number: int) -> Bools:
    """Say of K pairs of tasks whether they order systems alike: whether τ is at least 0.8, so nine of ten pairs.

    One-sided at 5% of `number` pairs together (Bonferroni). As intervals near 1 are too short for few systems, the
    variance is 0.95 / (n − 4), and no τ counts as more than 1 with one pair turned.

    Notes
    -----
    Simulated with 2 to 40 tasks that all have τ = 0.8, 14 to 200 systems, and up to 4,000 worlds each. Some task is
    called alike to another in at most 5.2% of worlds with a normal copula, less than 2% from 24 systems on; in at most
    5.4% if scores have six values and so many ties; and in up to 9% if the copula has heavier tails (t of 5 degrees of
    freedom; 17 tasks of 16 systems), again less than 2% from 24 systems on.
    """
    counts = count_pairs(-first, -second)
    size = (~np.isnan(first) & ~np.isnan(second)).sum(axis=1)
    half = np.full(size.shape, np.nan)
    for n in np.unique(size[size >= FEWEST]).tolist():
        half[size == n] = -student_quantile(ERROR / max(number, 1), n - 4) * math.sqrt(_VARIANCE / (n - 4))
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.maximum(1 - 2 / counts.compared, 0.0)
        least = np.tanh(np.minimum(np.arctanh(correlations(counts)), np.arctanh(most)) - half)
    found: Bools = least >= ALIKE
    return found


def nearest(means: Floats) -> tuple[Ints, Floats]:
    """Find for each task, of scores `(T, N)`, the other that orders the systems most like it, and τ-b.

    The three most correlated tasks are compared by τ-b. −1 and NaN where none has 14 systems in common.
    """
    n_tasks = len(means)
    there = ~np.isnan(means)
    order = np.argsort(np.argsort(np.where(there, means, np.inf), axis=1), axis=1).astype(np.float64)
    ranks = np.where(there, order, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.nan_to_num((ranks - np.nanmean(ranks, axis=1, keepdims=True)) / np.nanstd(ranks, axis=1, keepdims=True))
        likely = np.nan_to_num((z @ z.T) / (there.astype(float) @ there.T), nan=-2.0)
    np.fill_diagonal(likely, -np.inf)
    number = min(_CANDIDATES, n_tasks - 1)
    others = np.argsort(-likely, axis=1, kind="stable")[:, :number]
    one = np.repeat(np.arange(n_tasks), number)
    common = (there[one] & there[others.ravel()]).sum(axis=1)
    found = correlations(count_pairs(-means[one], -means[others.ravel()]))
    value = np.where(common >= FEWEST, found, np.nan).reshape(n_tasks, number)
    rows, best = np.arange(n_tasks), np.nan_to_num(value, nan=-2.0).argmax(axis=1)
    value = value[rows, best]
    return np.where(np.isnan(value), -1, others[rows, best]), value


def groups(means: Floats, near: Ints) -> list[list[int]]:
    """Put tasks together of which every two order the systems alike, one after the other; largest groups first.

    A task is compared with groups of its nearest tasks, and of theirs, only; `near` is what `nearest` finds.
    """
    number = len(means) * (len(means) - 1) // 2
    linked = np.flatnonzero(near >= 0)
    if linked.size:
        linked = linked[alike(means[linked], means[near[linked]], number)]
    chains: dict[int, set[int]] = {}
    for one, other in zip(linked.tolist(), near[linked].tolist(), strict=True):
        joined = chains.get(one, {one}) | chains.get(other, {other})
        chains |= dict.fromkeys(joined, joined)
    cliques: list[list[int]] = []
    for chain in {min(joined): sorted(joined) for joined in chains.values()}.values():
        pairs = np.array(list(combinations(chain, 2)))
        same = set(map(tuple, pairs[alike(means[pairs[:, 0]], means[pairs[:, 1]], number)].tolist()))
        own: list[list[int]] = []
        for one in chain:
            fits = [clique for clique in own if all((other, one) in same for other in clique)]
            if fits:
                fits[0].append(one)
            else:
                own.append([one])
        cliques += own
    return sorted((clique for clique in cliques if len(clique) > 1), key=lambda clique: -len(clique))


class Effective(NamedTuple):
    """An effective number of tasks, its interval, and how many systems tell; NaN where systems or tasks are too few."""

    number: float
    low: float
    high: float
    systems: int


def effective_number(means: Floats, confidence: float) -> Effective:
    """Return how many independent tasks vary as much as these do, beyond how good systems are on the whole.

    T² / Σ ρ² + 1, with ρ the T × T correlations over systems of what the scores of a task, standardised, leave of a
    regression on their mean over tasks: the effective number of degrees of freedom (Bretherton et al. 1999, Eq. 5), and
    one for the mean. T tasks without any relation give T; k groups of tasks that say the same give k. The square of an
    estimated ρ is too large by about (1 − ρ²)² / (N − 4), which is taken off. The interval is Student's on
    log(number − 1), with the standard error of leaving out 20 parts of the systems.

    Parameters
    ----------
    means
        Shape `(T, N)`, higher is better. Only systems with a score on every task are looked at, eight or more.

    References
    ----------
    Bretherton, Widmann, Dymnikov, Wallace & Bladé, Journal of Climate 12, 1999.
    """
    complete = means[:, ~np.isnan(means).any(axis=0)]
    n_tasks, n_systems = complete.shape
    whole = _effective(complete) if min(n_tasks - 1, n_systems) >= 2 and n_systems >= _OF_ALL else math.nan
    parts = min(n_systems, _PARTS)
    part = np.arange(n_systems) % max(parts, 1)
    if not whole > 1 or n_systems - math.ceil(n_systems / parts) < _OF_ALL - 1:
        return Effective(math.nan, math.nan, math.nan, n_systems)
    logs = np.log(np.maximum([_effective(complete[:, part != one]) - 1 for one in range(parts)], 1e-9))
    half = -student_quantile((1 - confidence) / 2, parts - 1) * math.sqrt((parts - 1) * logs.var())
    low, high = ((whole - 1) * math.exp(sign * half) + 1 for sign in (-1, 1))
    number, low, high = (min(one, float(n_tasks)) for one in (whole, low, high))
    return Effective(number, low, high, n_systems)


def _effective(means: Floats) -> float:
    n_systems = means.shape[1]
    unit = _standardised(means)
    mean = _standardised(unit.mean(axis=0, keepdims=True))
    left = _standardised(unit - (unit @ mean.T) * mean)
    left = left[(left**2).sum(axis=1) > 0]
    squares = np.minimum((left @ left.T) ** 2, 1.0)
    freedom = n_systems - 2
    # E r² = 1/f and E (1 − r²)² = 1 − 2/f + 3/(f (f + 2)) where ρ is 0
    squares -= (1 - squares) ** 2 / (freedom - 2 + 3 / (freedom + 2))
    np.fill_diagonal(squares, 1.0)
    return len(left) ** 2 / float(squares.sum()) + 1 if squares.sum() > 0 else math.inf


def _standardised(rows: Floats) -> Floats:
    """Return rows of mean 0 and length 1; 0 where all numbers of a row are the same, but for rounding."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    size = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    unit: Floats = np.divide(
        centred, length, out=np.zeros_like(centred), where=length > 1e-9 * np.maximum(size, 1e-300)
    )
    return unit
