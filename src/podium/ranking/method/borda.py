"""Borda: systems by the share of the others they are expected to beat, on tasks or on instances.

Missing scores count by a model (`missing_model.py`), or at their expected ranks (`podium.tally.position`).
"""

from collections.abc import Sequence

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.ranking.ballots import Missing, exact_sum, shared_out, weighted_sum
from podium.ranking.method import Method, MethodContext, MethodResult, ranks_of_tasks
from podium.ranking.method.missing_model import BORDA_BY_MODEL
from podium.score.place import ROUNDING, midranks, places
from podium.tally.count import Counts
from podium.tally.moment import Means
from podium.tally.position import Positions
from podium.tally.tally import Tally

#: Numbers of tasks that are ranked together, which saves calls where tables are small.
_AT_ONCE = 2**16


def one_level(positions: Sequence[Positions], weights: Floats) -> MethodResult:
    """Borda σˡ: all ballots of all tasks in one box; a task weighs as many instances as it has.

    Score s_i = Σ_t w_t Σ_b (N − E[rank_tbi]) / ((N − 1) Σ_t w_t Σ_b 1), with instance weights in the inner sums
    (Colombo et al. 2022, §3.3; with missing scores Himmi et al. 2023, §2.2.2 and Eq. 3).

    Parameters
    ----------
    positions
        One tally per task, each possibly of replicates.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.

    Returns
    -------
    MethodResult
        `score` between 0 and 1, higher is better; `rank_sum` Σ w E[rank]; `points` Σ w (N − E[rank]).

    Examples
    --------
    >>> one_level([Positions(np.array([2.0, 4.0]), 2.0), Positions(np.array([1.5, 1.5]), 1.0)], np.ones(2)).score
    array([0.83333333, 0.16666667])
    """
    rank_sums = np.array([task.rank_sum for task in positions])
    return _result(rank_sums, weights, exact_sum(weights * np.array([task.weight for task in positions])))


def balanced(positions: Sequence[Positions], weights: Floats) -> MethodResult:
    """Every instance a ballot; the ballots of a task together weigh what the task weighs.

    Score s_i = Σ_t w_t b_ti / Σ_t w_t, with b_ti the (weighted) mean over the ballots of task t of (N − E[rank]) /
    (N − 1): the mean over tasks of the share of other systems beaten inside each. Unlike that of `two_level` it is a
    mean, and moves smoothly with every score. Where tasks are of one size, it is that of `one_level`.

    Parameters
    ----------
    positions
        One tally per task, each possibly of replicates.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.

    Returns
    -------
    MethodResult
        `score` between 0 and 1, higher is better; `rank_sum` Σ_t w_t times the mean of E[rank]; `points` Σ_t w_t N less
        that.

    Examples
    --------
    >>> balanced([Positions(np.array([2.0, 4.0]), 2.0), Positions(np.array([1.5, 1.5]), 1.0)], np.ones(2)).score
    array([0.75, 0.25])
    """
    ballots = np.array([task.weight for task in positions])
    return one_level(positions, shared_out(weights, ballots))


def two_level(positions: Sequence[Positions], weights: Floats, scored: Bools | None = None) -> MethodResult:
    """Borda σ²ˡ: Borda inside each task, then one ballot per task; every task weighs the same.

    Inside a task, systems are ranked by their mean position share, ties by midrank (Colombo et al. 2022, §3.3). Shares
    within 1e-12 tie, since such a difference is rounding. A system without any score on a task is missing on the ballot
    of the task, where it counts at its expectation (N + 1) / 2.

    Parameters
    ----------
    positions
        One tally per task, each possibly of replicates.
    weights
        Shape `(T,)` or `(T, B)`: task weights, ≥ 0.
    scored
        Shape `(T, N)` or `(T, N, B)`: whether a task has any score of a system. None to rank all systems inside every
        task, those without a score at their share ½, as Himmi et al. 2023, §2.2.3 do.

    Returns
    -------
    MethodResult
        `score` between 0 and 1, higher is better; `rank_sum` Σ_t w_t rank_t; `points` Σ_t w_t (N − rank_t).

    Examples
    --------
    >>> two_level([Positions(np.array([2.0, 4.0]), 2.0), Positions(np.array([1.5, 1.5]), 1.0)], np.ones(2)).score
    array([0.75, 0.25])
    """
    size = max(_AT_ONCE // positions[0].rank_sum.size, 1)
    ranks = [
        _inner_ranks(positions[start : start + size], None if scored is None else scored[start : start + size])
        for start in range(0, len(positions), size)
    ]
    return _result(np.concatenate(ranks), weights, exact_sum(weights))


def _inner_ranks(positions: Sequence[Positions], scored: Bools | None) -> Floats:
    """Shape `(T, N[, B])`: expected ranks on the ballots of some tasks."""
    rank_sums = np.stack([task.rank_sum for task in positions], axis=1)
    shares = Positions(rank_sums, np.array([task.weight for task in positions])).shares
    if scored is None:
        scored = np.ones((len(positions), *shares.shape[:1], *[1] * (shares.ndim - 2)), dtype=np.bool_)
    there = scored.swapaxes(0, 1)
    ranks = midranks(places(np.where(there, -shares, np.nan), tolerance=ROUNDING))
    size = len(shares) + 1
    expected: Floats = np.where(there, ranks * (size / (there.sum(axis=0) + 1)), size / 2)
    return expected.swapaxes(0, 1)


def _result(rank_sums: Floats, weights: Floats, total: Floats) -> MethodResult:
    """Add up rank sums `(T, N[, B])` of ballots of this total weight `([B])`; a lone system beats all there are."""
    n_systems = rank_sums.shape[1]
    rank_sum = weighted_sum(weights, rank_sums)
    points = n_systems * total - rank_sum
    with np.errstate(invalid="ignore"):  # a replicate may draw only tasks of weight 0
        score = points / ((n_systems - 1) * total) if n_systems > 1 else np.ones_like(points)
    return MethodResult(score, rank_sum=rank_sum, points=points)


class _Borda(Method):
    title = "Borda count"
    level = "balanced"
    missing = BORDA_BY_MODEL.missing
    shares = adds_up = True

    def needs(self, level: str | None) -> tuple[type[Tally], ...]:
        return (Means,) if level == "task" else (Positions,)

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        if context.level == "one":
            return one_level(counts[Positions], context.weights)
        if context.level == "balanced":
            return balanced(counts[Positions], context.weights)
        if context.level == "two":
            scored = None if context.missing == "placed" else context.scored
            return two_level(counts[Positions], context.weights, scored)
        # one ballot per task, made of the task means: s_i = Σ_t w_t (N − E[rank_ti]) / ((N − 1) Σ_t w_t)
        return _result(ranks_of_tasks(counts, context), context.weights, exact_sum(context.weights))

    def variant(self, missing: Missing | None, model: str | None) -> Method:  # noqa: ARG002  # there is one model
        return BORDA_BY_MODEL if missing in ("model", "bounds", "direct") else self  # anything may be given


BORDA = _Borda()
