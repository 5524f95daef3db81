"""Borda: systems by the share of the others they are expected to beat, on tasks or on instances."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import MethodError
from podium.base.words import with_groups
from podium.ranking.ballots import (
    Missing,
    exact_sum,
    pool_balanced,
    pool_one_level,
    pool_scored,
    shared_out,
    weak_components,
    weighted_sum,
)
from podium.ranking.method import Method, MethodContext, MethodResult, PairMethod, ranks_of_tasks, task_means
from podium.ranking.method.bradley_terry import chances, modelled, strengths
from podium.score.place import ROUNDING, midranks, places
from podium.tally.count import Counts
from podium.tally.duel import Duels
from podium.tally.moment import Means
from podium.tally.position import Positions
from podium.tally.tally import Tally

#: Scores by a model that differ by what remains of an iteration do so by far less than this.
_EQUAL = 1e-9

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


def by_model(counts: Counts, context: MethodContext) -> MethodResult:
    """Borda at any level, where a comparison that a ballot does not make counts as its chance under a model.

    Score s_i = Σ_j (won_ij + (W − met_ij) p_ij) / ((N − 1) W) over the other systems j, W being the weight of all
    ballots, met_ij of those that score both, won_ij how often i was preferred on these, a tie as half, and p_ij = 1 /
    (1 + exp(θ_j − θ_i)) with the strengths θ of `podium.ranking.method.bradley_terry.strengths`, fitted to all ballots.
    Where nothing is missing, it is the usual score. A system without any score has none, and is not among the N. At
    level "two" there are two models: one of the ballots of level "balanced", for holes inside a task, and one of the
    ballots of tasks that come of it, for systems without any score on a task. If missing scores count directly, p_ij is
    the share of the ballots of both that i won instead, unless there are none.

    Parameters
    ----------
    counts
        `Means` at level "task", otherwise `Duels`; possibly of replicates, each of which has its own fit.
    context
        Level, weights, ties.

    Returns
    -------
    MethodResult
        `score` between 0 and 1, higher is better; scores within 1e-9 of each other tie. `rank_sum`, `points` as of
        the other levels. `remarks` names groups of systems that no ballot compares.

    Raises
    ------
    MethodError
        As of `strengths`; or bounds are wanted at level "two", or of replicates.
    """
    if context.missing == "bounds" and (context.level == "two" or context.weights.ndim > 1):
        raise MethodError("missing='bounds' is for rank at levels 'task', 'one' and 'balanced'; use missing='model'")
    context = without_bare_tasks(counts, context)
    duels = pooled_ballots(counts, context)
    unit = usual_weight(context.weights)
    there = present(context)
    both = there[:, None] & there
    strength = strengths(duels.wins + duels.ties / 2, np.asarray(duels.weight), unit)
    if context.level == "two":
        # duels on the ballots of tasks, which order the systems with any score on the task by their share inside it
        chance = _chances(duels, strength, context) * both
        shares = np.array([modelled(task, chance).positions().shares for task in counts[Duels]])
        ballots = np.where(context.scored, -shares, np.nan)
        duels = pool_scored(ballots, context.weights, tolerance=0.0, scale=np.ones_like(ballots))
        strength = strengths(duels.wins + duels.ties / 2, np.asarray(duels.weight), unit)
    positions, number = modelled(duels, _chances(duels, strength, context) * both).positions(), there.sum(axis=0)
    rank_sum = np.where(there, positions.rank_sum, np.nan)
    points = number * positions.weight - rank_sum
    with np.errstate(invalid="ignore", divide="ignore"):  # a replicate may draw only tasks of weight 0
        score = np.where(number > 1, points / ((number - 1) * positions.weight), np.where(there, 1.0, np.nan))
    extras: tuple[tuple[str, Floats], ...] = ()
    if strength.ndim == 1:
        extras = (("strength", np.where(there, strength, np.nan)),)
    if context.missing == "bounds":
        extras += _bounds(duels, there)
    met = duels.compared > 0
    return MethodResult(
        score,
        scale=_EQUAL / ROUNDING,
        rank_sum=rank_sum,
        points=points,
        extras=extras,
        remarks=lambda systems: _apart(met, systems),
    )


def _chances(duels: Duels, strength: Floats, context: MethodContext) -> Floats:
    """Chances of comparisons that were not made: by the model, or as those that were."""
    chance = chances(strength)
    if context.missing == "direct":
        np.divide(duels.wins + duels.ties / 2, duels.compared, out=chance, where=duels.compared > 0)
    return chance


def _bounds(duels: Duels, there: Bools) -> tuple[tuple[str, Floats], ...]:
    """Between what scores and ranks lie, however comparisons would have come out that no ballot makes.

    The least score of a system is that of losing them all, the largest that of winning them all. Its best rank is 1 +
    the number of systems whose least score exceeds its largest; ranks may lie closer together than that, since not all
    can win.
    """
    others = there[:, None] & there & ~np.eye(there.size, dtype=np.bool_)
    least = ((duels.wins + duels.ties / 2) * others).sum(axis=1)
    most = least + (np.maximum(duels.weight - duels.compared, 0.0) * others).sum(axis=1)
    slack = _EQUAL * float(duels.weight) * there.size
    above = (least[None] > most[:, None] + slack) & others
    ranks = 1 + above.sum(axis=1), there.sum() - above.sum(axis=0)
    size = float(duels.weight) * max(there.sum() - 1, 1)
    named = zip(
        ("score_least", "score_most", "rank_best", "rank_worst"), (least / size, most / size, *ranks), strict=True
    )
    return tuple((name, np.where(there, values, np.nan)) for name, values in named)


def without_bare_tasks(counts: Counts, context: MethodContext) -> MethodContext:
    """Take the weight from tasks on which no system has a score of weight, so that they change nothing."""
    if context.level == "task":
        weighs = ~np.isnan(task_means(counts)).all(axis=1)
    else:
        weighs = (np.array([task.weight for task in counts[Duels]]) > 0) & context.scored.any(axis=1)
    return context if weighs.all() else replace(context, weights=context.weights * weighs)


def present(context: MethodContext) -> Bools:
    """Shape `(N,)` or `(N, B)`: whether a task of weight has any score of a system."""
    return np.asarray((context.scored & (context.weights > 0)[:, None]).any(axis=0))


def pooled_ballots(counts: Counts, context: MethodContext) -> Duels:
    """Return all ballots in one box; what is imputed in it is not used."""
    if context.level != "task":
        pool = pool_one_level if context.level == "one" else pool_balanced
        return pool(counts[Duels], context.weights)
    pool_tasks = partial(
        pool_scored,
        task_means(counts),
        context.weights,
        tolerance=context.tolerance,
        scale=context.scale,
        ranks=partial(ranks_of_tasks, counts, context),
    )
    if context.weights.ndim > 1:
        return pool_tasks()

    def made() -> Floats:
        duels = pool_tasks()
        return np.stack([duels.wins, duels.ties])

    wins, ties = counts.once(("ballots", context.tolerance, context.weights.tobytes()), made)
    return Duels(wins, ties, np.zeros_like(wins), exact_sum(context.weights))


def usual_weight(weights: Floats) -> Floats:
    """Shape `()` or `(B,)`: the smallest weight of a task: by it, the size of all weights does not matter."""
    least = np.where(weights > 0, weights, np.inf).min(axis=0)
    return np.where(np.isfinite(least), least, 1.0)


def _apart(met: Bools, systems: Sequence[str]) -> list[str]:
    """Name groups of systems between which the model knows of no comparison."""
    groups = [group for group in weak_components(met) if len(group) > 1]
    if len(groups) < 2:
        return []
    named = [[systems[row] for row in group] for group in groups]
    return [with_groups("groups that never meet count as equally strong: ", named)]


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
    missing = ("imputed", "placed", "model", "bounds", "direct")
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
        return _BY_MODEL if missing in ("model", "bounds", "direct") else self  # anything may be given


class _BordaByModel(PairMethod):
    title = "Borda count"
    missing = _Borda.missing
    shares = True

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        return by_model(counts, context)


_BY_MODEL = _BordaByModel()
BORDA = _Borda()
