"""The model of missing scores: a comparison that was not made counts as its chance by how strong systems are."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import MethodError
from podium.base.words import with_groups
from podium.ranking.ballots import exact_sum, pool_balanced, pool_one_level, pool_scored, weak_components
from podium.ranking.method import MethodContext, MethodResult, PairMethod, ranks_of_tasks, task_means
from podium.score.place import ROUNDING
from podium.tally.count import Counts
from podium.tally.duel import Duels

#: The prior is worth so many ballots of the usual size. Chosen on MTEB, where a tenth to a third predicts best.
PRIOR_BALLOTS = 0.25

#: Newton steps before giving up; a dozen are usual, and some hundred where one-sided results form a long chain.
_STEPS = 1000

#: Log-odds whose sums of odds a double holds.
_LARGEST = 300.0

#: No strength moves by more than this in the last step; the next would be of its square.
_SETTLED = 1e-7

#: Scores by a model that differ by what remains of an iteration do so by far less than this.
_EQUAL = 1e-9


def by_model(counts: Counts, context: MethodContext) -> MethodResult:
    """Borda at any level, where a comparison that a ballot does not make counts as its chance under a model.

    Score s_i = Σ_j (won_ij + (W − met_ij) p_ij) / ((N − 1) W) over the other systems j, W being the weight of all
    ballots, met_ij of those that score both, won_ij how often i was preferred on these, a tie as half, and p_ij = 1 /
    (1 + exp(θ_j − θ_i)) with the strengths θ of `podium.ranking.method.missing_model.strengths`, fitted to all ballots.
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


def strengths(won: Floats, ballots: Floats, weight: Floats | float = 1.0) -> Floats:
    """Shape `(N,)` or `(N, B)`: the most probable log strengths θ by Bradley & Terry (1952), shrunk to their mean.

    System i beats j with probability 1 / (1 + exp(θ_j − θ_i)). The strengths maximise

        Σ_ij won_ij log P(i beats j) + g Σ_i (½ log P(i beats o) + ½ log P(o beats i)),

    where the opponent o of strength 0 stands for the prior: every system plays g games against it, and wins half of
    them. The sum is strictly concave, and has one maximum, whatever was won. At the maximum every system wins as many
    games as is expected of it, those against o among them. g is a quarter of what a system plays on a ballot of the
    usual size k: k (k − 1) is the mean number of comparisons of a ballot, and g = (k − 1) / 4 times `weight`.

    Parameters
    ----------
    won
        Shape `(N, N)` or `(N, N, B)`: how often i was preferred to j on ballots that score both, a tie as half. Missing
        scores do not enter. The diagonal is 0.
    ballots
        The number of ballots, or shape `(B,)`.
    weight
        What one ballot weighs, or shape `(B,)`.

    Returns
    -------
    Higher is better. Σ_i tanh(θ_i / 2) = 0. A system that was never compared has 0.

    Raises
    ------
    MethodError
        The steps do not converge.

    References
    ----------
    Bradley & Terry 1952; damped Newton steps log(1 + r) / r, with r the largest difference between two steps: Sun &
    Tran-Dinh, *Generalized self-concordant functions*, Mathematical Programming 178, 2019, Theorem 2 (ν = 2).

    Examples
    --------
    >>> strengths(np.array([[0.0, 3.0], [1.0, 0.0]]), np.array(4.0)).round(3)
    array([ 0.528, -0.528])
    """
    alike = won.ndim == 2
    counts = np.ascontiguousarray((won[..., None] if alike else won).transpose(2, 0, 1))
    met = counts + counts.swapaxes(1, 2)
    games = _games(met, np.reshape(ballots, -1), np.reshape(weight, -1))
    half = games[:, None] / 2
    lost = np.maximum(met.sum(axis=2) - counts.sum(axis=2), 0.0)
    theta: Floats = np.log(
        (counts.sum(axis=2) + half) / (lost + half)
    )  # the log-odds of the share of games that each won
    moving = np.arange(len(theta))
    for _ in range(_STEPS):
        chance = _logistic(theta[moving, :, None], theta[moving, None])
        of_prior = games[moving, None] * (0.5 - _logistic(theta[moving], np.zeros(1)))
        gradient = counts[moving].sum(axis=2) - (met[moving] * chance).sum(axis=2) + of_prior
        curvature = _information(theta[moving], chance, met[moving], games[moving])
        step: Floats = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        reach = np.ptp(step, axis=1, keepdims=True) + np.abs(step).max(axis=1, keepdims=True)
        theta[moving] += step * np.where(reach > 0, np.log1p(reach) / np.where(reach > 0, reach, 1.0), 1.0)
        moving = moving[reach[:, 0] > _SETTLED]
        if not moving.size:
            return theta[0] if alike else theta.T
    raise MethodError(f"the model of missing scores did not converge in {_STEPS} steps; use missing='imputed'")


def information(theta: Floats, won: Floats, ballots: float, weight: float = 1.0) -> Floats:
    """Shape `(N, N)`: minus the second derivatives of the sum that `strengths` maximise, there; positive definite.

    >>> won = np.array([[0.0, 3.0], [1.0, 0.0]])
    >>> information(strengths(won, np.array(4.0)), won, 4.0).round(2)
    array([[ 0.82, -0.77],
           [-0.77,  0.82]])
    """
    met = (won + won.T)[None]
    games = _games(met, np.reshape(ballots, -1), np.reshape(weight, -1))
    return np.asarray(_information(theta[None], chances(theta)[None], met, games)[0])


def _games(met: Floats, ballots: Floats, weight: Floats) -> Floats:
    """Shape `(B,)`: games against the opponent; 1 where nothing was compared."""
    pairs = met.sum(axis=(1, 2))
    a_ballot = np.divide(pairs, ballots, out=np.zeros_like(pairs), where=np.broadcast_to(ballots, pairs.shape) > 0)
    opponents = (np.sqrt(1 + 4 * a_ballot) - 1) / 2
    return np.where(opponents > 0, PRIOR_BALLOTS * weight * opponents, 1.0)


def _information(theta: Floats, chance: Floats, met: Floats, games: Floats) -> Floats:
    """Shape `(B, N, N)`."""
    prior = _logistic(theta, np.zeros(1))
    second = chance * chance.swapaxes(1, 2)
    second *= -met
    diagonal = np.arange(theta.shape[1])
    second[:, diagonal, diagonal] = games[:, None] * prior * (1 - prior) - second.sum(axis=2)
    return second


def _logistic(one: Floats, other: Floats) -> Floats:
    """1 / (1 + exp(other − one)): a quotient of odds, unless they are too large for that."""
    if max(np.abs(one).max(), np.abs(other).max()) > _LARGEST:
        return np.asarray((1 + np.tanh((one - other) / 2)) / 2)
    odds = np.exp(one)
    return np.asarray(odds / (odds + np.exp(other)))


def chances(strength: Floats) -> Floats:
    """Shape `(N, N)` or `(N, N, B)`: probability that i beats j, 1 / (1 + exp(θ_j − θ_i)); 0 on the diagonal.

    >>> chances(np.array([np.log(3), 0.0]))
    array([[0.  , 0.75],
           [0.25, 0.  ]])
    """
    chance = _logistic(strength[:, None], strength)
    chance[np.diag_indices(len(strength))] = 0.0
    return chance


def modelled(duels: Duels, chance: Floats) -> Duels:
    """Return duels in which a comparison that a ballot does not make is won with its chance.

    Parameters
    ----------
    duels
        Of one task, or pooled; what was imputed in them is left out.
    chance
        Shape `(N, N)` or `(N, N, B)`, see `chances`.

    Examples
    --------
    >>> once = Duels(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((2, 2)), np.zeros((2, 2)), 3.0)
    >>> modelled(once, chances(np.zeros(2))).expected
    array([[0., 2.],
           [1., 0.]])
    """
    open_pairs = np.maximum(duels.weight - duels.compared, 0.0)
    return Duels(duels.wins, duels.ties, open_pairs * chance, duels.weight)


class _BordaByModel(PairMethod):
    title = "Borda count"
    missing = ("imputed", "placed", "model", "bounds", "direct")
    shares = True

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        return by_model(counts, context)


BORDA_BY_MODEL = _BordaByModel()
