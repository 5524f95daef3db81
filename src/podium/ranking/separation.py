"""Which systems are separated: by Student's test, by exact tests if units are few, or by exchanging instances."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.statistics import (
    COUNTED,
    all_signs,
    distinct,
    flip_p_value,
    holm,
    normal_cdf,
    normal_quantile,
    shaffer,
    student_cdf,
)
from podium.ranking.method import MethodResult
from podium.ranking.variation import critical_value, errors_of_differences, power_of_two, squared_differences, widening
from podium.score.place import ROUNDING
from podium.score.units import LEAST_FREEDOM
from podium.tally.draw import sign_flips

#: Of more units than `COUNTED`, signs are flipped in so many ways, all but the first by chance.
_BY_CHANCE = 5000

#: Flips times pairs of systems above which fewer flips are made, and the fewest that are.
_AT_MOST, _AT_LEAST = 2 * 10**9, 1000

#: How many times as many flips are made, and flips times pairs and scores up to which, if chance may decide: if
#: so many standard errors less or more than α separate other systems.
_TIMES_MORE, _MORE_AT_MOST, _STANDARD_ERRORS = 10, 5 * 10**7, 3

#: A statistic that is larger by this share is as large; and a sum of squares of this share is none.
_ROUNDING, _NOTHING = 1e-9, 1e-24

#: Degrees of freedom that are enough, to rounding.
ENOUGH = LEAST_FREEDOM * (1 - 1e-9)

#: Leads that are no evidence at this confidence need no closer look.
_CANDIDATE = 0.5

#: Units that are looked at together.
_UNITS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Separated:
    """Systems that a test separates, at the error α.

    Attributes
    ----------
    joint
        Shape `(N, N)`, symmetric: whether i and j differ, if all pairs are judged together.
    marginal
        Shape `(N, N)`: whether i and j differ, if the N − 1 pairs of i are judged together, two-sided.
    not_best
        Shape `(N,)`: whether another system is better, one-sided, if the N − 1 pairs of the system are judged together.
        The best system is said not to be with a probability of at most α.
    """

    joint: Bools
    marginal: Bools
    not_best: Bools

    def __and__(self, other: "Separated") -> "Separated":
        """Return what both tests say."""
        return Separated(self.joint & other.joint, self.marginal & other.marginal, self.not_best & other.not_best)

    def among(self, rows: Ints, number: int) -> "Separated":
        """Return the same of so many systems, of which these rows were tested, and no other is separated."""
        joint, marginal = np.zeros((2, number, number), dtype=np.bool_)
        joint[np.ix_(rows, rows)], marginal[np.ix_(rows, rows)] = self.joint, self.marginal
        return Separated(joint, marginal, np.isin(np.arange(number), rows[self.not_best]))

    def is_same(self, other: "Separated") -> bool:
        """Return whether both tests say the same."""
        names = ("joint", "marginal", "not_best")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    @classmethod
    def where(cls, pairs: Bools) -> Self:
        """Return that all of some pairs `(N, N)` are separated."""
        return cls(pairs, pairs, np.asarray(pairs.any(axis=1)))


def sign_flip_test(values: Floats, *, alpha: float, seed: int, closely: bool = False) -> Separated:
    """Separate systems by flips of whole units: exact for any scores of symmetric differences (Fisher 1935).

    If two systems are equal in all, every unit might as well have exchanged their scores. So the sign of what unit u
    adds to a difference, d_u = x_ui − x_uj, is flipped, the same for all pairs. T = |Σ_u d_u| / √Σ_u d_u² is compared
    with the largest T of all pairs under the same signs: pairs above the 1 − α quantile are separated, and the others
    compared with the largest of them, until none is separated (Romano & Wolf 2005, stepdown). All 2^(U − 1) signs are
    tried up to U = 14, otherwise 4,999 by chance and those that are; up to ten times as many if α less or more
    three standard errors of its share would separate other systems, so that another seed changes tiers more seldom.

    Parameters
    ----------
    values
        Shape `(U, N)`: what each unit adds to the score of each system.
    alpha
        α, the chance that any equal pair of those judged together is separated.
    seed
        Of signs by chance, which depend on it and on the place of the unit.
    closely
        Whether more signs are tried if chance may decide; an equal pair is then separated as seldom, but for 10⁻⁵.

    References
    ----------
    Fisher 1935, §21; Romano & Wolf, JASA 100, 2005; possible winners and ranks: Mogstad et al. 2024, §3.

    Examples
    --------
    >>> values = np.array([[3.0, 2.0, 1.0]] * 5 + [[3.0, 1.0, 2.0]] * 3) / 8
    >>> found = sign_flip_test(values, alpha=0.05, seed=0)
    >>> found.joint[0].tolist(), found.not_best.tolist()
    ([False, True, True], [False, True, True])
    """
    if values.shape[1] == 2:  # exact, where more systems take signs by chance
        p = flip_p_value(values[:, 0] - values[:, 1])
        apart = np.array([[False, p <= alpha], [p <= alpha, False]])
        total = values.sum(axis=0)
        return Separated(apart, apart, (total < total.max()) & (p / 2 <= alpha))
    centred = values - values.mean(axis=1, keepdims=True)
    centred /= power_of_two(centred)
    squares, total = squared_differences(centred)
    inverse = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > _NOTHING * total)
    n_units, n_systems = values.shape
    number = n_flips(n_units, n_systems)
    more = min(_TIMES_MORE * number, _MORE_AT_MOST // (n_systems * (n_systems + n_units)))
    sums = _sums_of_flips(centred, seed, number)
    if closely and n_units > COUNTED and more > number:
        near = _STANDARD_ERRORS * math.sqrt(alpha * (1 - alpha) / number)
        stricter = _separated(sums, inverse, max(alpha - near, 0.0))
        if stricter.is_same(_separated(sums, inverse, min(alpha + near, 1 - 1 / number))):
            return stricter  # by α, which is between them, the same
        sums = _sums_of_flips(centred, seed, more)
    return _separated(sums, inverse, alpha)


def _sums_of_flips(centred: Floats, seed: int, number: int) -> Floats:
    """Shape `(N, S)`: sums over units with each choice of signs, of which the first flips nothing."""
    n_units, n_systems = centred.shape
    if n_units <= COUNTED:
        return np.ascontiguousarray((all_signs(n_units) @ centred).T)
    sums = np.zeros((n_systems, number))
    for start in range(0, n_units, length := _UNITS * _BY_CHANCE // max(number, _BY_CHANCE)):
        some = centred[start : start + length]
        sums += some.T @ sign_flips(seed, start, len(some), number).T
    return sums


def _separated(sums: Floats, inverse: Floats, alpha: float) -> Separated:
    """Return which systems the flips separate."""
    n_systems = len(sums)
    marginal, not_best = np.zeros((n_systems, n_systems), dtype=np.bool_), np.zeros(n_systems, dtype=np.bool_)
    largest, t = np.zeros(sums.shape[1]), np.empty_like(sums)
    for i in range(n_systems):
        np.subtract(sums, sums[i], out=t)
        t *= inverse[i, :, None]
        above, below = t.max(axis=0), -t.min(axis=0)
        not_best[i] = _exceed(t[:, 0].max(), np.concatenate([above, below]), alpha)
        np.maximum(above, below, out=above)
        np.maximum(largest, above, out=largest)
        np.abs(t, out=t)
        marginal[i] = _stepped(t[:, 0].copy(), above, alpha, partial(_largest_left, t))
    return Separated(_all_pairs(sums, inverse, largest, alpha), marginal, not_best)


def _largest_left(t: Floats, left: Bools) -> Floats:
    """Shape `(S,)`: the largest T of the pairs that are left; the others become 0."""
    t[~left] = 0.0
    return np.asarray(t.max(axis=0))


def _all_pairs(sums: Floats, inverse: Floats, largest: Floats, alpha: float) -> Bools:
    """Return `Separated.joint`; `largest` is the largest T of all pairs under each flip."""
    first, second = np.triu_indices(len(inverse), 1)
    lead = np.abs(sums[first, 0] - sums[second, 0]) * inverse[first, second]
    joint = np.zeros(inverse.shape, dtype=np.bool_)
    joint[first, second] = _stepped(lead, largest, alpha, partial(_largest, sums, inverse, first, second))
    return joint | joint.T


def n_flips(n_units: int, n_systems: int) -> int:
    """Return how many ways there are to flip units, all or those that are tried."""
    if n_units <= COUNTED:
        return int(2 ** (n_units - 1))
    return int(np.clip(_AT_MOST // n_systems**2, _AT_LEAST, _BY_CHANCE))


def _stepped(t: Floats, largest: Floats, alpha: float, largest_of: Callable[[Bools], Floats]) -> Bools:
    """Shape of `t`: which of some comparisons are significant, stepping down.

    Parameters
    ----------
    t
        What each comparison comes to.
    largest
        The largest that any of them comes to, under each of the flips; the first flips nothing.
    alpha
        The error of all together.
    largest_of
        The same of some of the comparisons.
    """
    found = np.zeros(t.shape, dtype=np.bool_)
    while True:
        more = ~found & _exceed(t, largest, alpha)
        if not more.any():
            return found
        found |= more
        if found.all():
            return found
        largest = largest_of(~found)


def _largest(sums: Floats, inverse: Floats, first: Ints, second: Ints, some: Bools) -> Floats:
    """Shape `(S,)`: the largest T of some pairs of systems under each flip."""
    found = np.zeros(sums.shape[1])
    for i in distinct(first[some]):
        others = second[some & (first == i)]
        t = sums[others]
        t -= sums[i]
        t *= inverse[i, others, None]
        np.maximum(found, np.maximum(t.max(axis=0), -t.min(axis=0)), out=found)
    return found


def _exceed(t: Any, largest: Floats, alpha: float) -> Any:
    """Return whether at most a share α of the flips comes to as much, to rounding."""
    rank = math.floor(alpha * largest.size + _ROUNDING)
    if np.ndim(t) == 0:  # the same, sooner
        return np.count_nonzero(largest >= t * (1 - _ROUNDING)) <= rank
    return t * (1 - _ROUNDING) > np.partition(largest, -rank - 1)[-rank - 1]


def exchange_p_values(values: Floats) -> Floats:
    """Shape `(N, N)`: two-sided p-values of differences of scores, if two systems might have exchanged any instance.

    If two systems are equal on the same instances, then of each instance their repeats might as well have been those of
    the other, and what it adds to the difference, d, has either sign. So Σ d has the variance Σ d², exactly, and is
    nearly normal where there are many instances: p = 2 Φ(−|Σ d| / √Σ d²). Valid for any method that is a sum over
    instances. It sees fewer differences than draws of repeats do, because d² holds too that systems differ more on some
    instances than on others.

    Parameters
    ----------
    values
        Shape `(U, N)`: what each instance adds to the scores.

    Examples
    --------
    >>> float(exchange_p_values(np.tile([1.0, 0.0], (4, 1)))[0, 1].round(4))
    0.0455
    """
    squares, total = squared_differences(values)
    score = values.sum(axis=0)
    lead = np.abs(score[:, None] - score)
    z = np.divide(lead, np.sqrt(squares), out=np.zeros_like(lead), where=squares > 1e-12 * total)
    return 2 * normal_cdf(-z)


def p_values(result: MethodResult, samples: Floats, *, df: float | Floats, units: str, smooth: bool = False) -> Floats:
    """Shape `(N, N)`: two-sided p-values of all differences of two scores; 1 on the diagonal, NaN of the unranked.

    p = 2 T(−t), T being Student's distribution, and t the lead divided by its standard deviation over replicates. Where
    scores do not move smoothly, t is at most Φ⁻¹(1 − r), r being the share of replicates that reverse the lead. This
    matters where a score jumps, as orders inside tasks do: a lead by luck is then large beside its standard error,
    though many replicates reverse it. Otherwise it would say the same as t, less certainly. As in `critical_value`,
    standard errors are taken √(n / (n − 1)) as large where tasks are drawn.

    Parameters
    ----------
    result, samples
        As for `intervals`.
    df
        Degrees of freedom of the standard errors: of all, or shape `(N,)` of each system, of which a pair has the
        smaller, or `(N, N)` of each difference. With fewer than `LEAST_FREEDOM` no difference is known, and p is 1.
    units
        What was drawn.
    smooth
        Whether scores move smoothly, as sums over units do, and jump nowhere.
    """
    scale = np.broadcast_to(np.asarray(result.scale), result.score.shape)
    rounding = ROUNDING * np.maximum(scale[:, None], scale)
    oriented = result.oriented_score
    lead = np.abs(oriented[:, None] - oriented)
    lead[lead <= rounding] = 0.0
    error = errors_of_differences(samples)
    error[error <= rounding] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(lead > 0, lead / error, lead)  # a lead without error is certain, and no lead is none
    known = np.asarray(df, dtype=np.float64)
    pairs = known if known.ndim > 1 else np.broadcast_to(np.minimum(known[..., None], known), lead.shape)
    if not smooth:
        worth_a_look = critical_value(_CANDIDATE, max(float(known.max()), LEAST_FREEDOM), units=units)
        oriented_samples = samples if result.higher_is_better else -samples
        ahead = (t > worth_a_look) & (oriented[:, None] > oriented)
        reversed_share = _reversed_share(oriented_samples, rounding, ahead)
        t = np.minimum(t, -normal_quantile(np.maximum(reversed_share, reversed_share.T)))
    enough = pairs >= ENOUGH
    t /= np.where(enough, widening(pairs, units), 1.0)
    p = np.ones_like(t)
    left, right = np.nonzero(np.triu(enough, 1))  # both orders of a pair have the same t
    p[left, right] = p[right, left] = np.minimum(2 * student_cdf(-t[left, right], pairs[left, right]), 1.0)
    return np.where(np.isnan(lead), np.nan, p)


def _reversed_share(samples: Floats, rounding: Floats, wanted: Bools) -> Floats:
    """Shape `(N, N)`: share of replicates in which i does not lead j; 0 where it is not wanted."""
    share = np.zeros(wanted.shape)
    lowest, highest = np.fmin.reduce(samples, axis=1), np.fmax.reduce(samples, axis=1)
    never = lowest[:, None] - highest > rounding
    for i, row in enumerate(wanted & ~never):
        behind = np.flatnonzero(row)
        reverse = samples[i] - samples[behind] <= rounding[i, behind, None]
        share[i, behind] = reverse.sum(axis=1) / (samples.shape[1] + 1)
    return share


def by_p_values(oriented: Floats, p: Floats, alpha: float) -> Separated:
    """Separate pairs by their p-values, adjusted for all comparisons; both adjustments hold under any dependence.

    Among the N − 1 pairs of a system stepwise after Holm; among all pairs after Shaffer. The quantile of the largest
    difference over replicates (Romano & Wolf 2005) is little lower if there are many units, and far too low if there
    are not many more units than systems: the replicates do not know how differences go together.

    Parameters
    ----------
    oriented
        Shape `(N,)`: scores, higher is better; NaN of the unranked.
    p
        Shape `(N, N)`: two-sided p-values.
    alpha
        1 − confidence.
    """
    ranked = np.flatnonzero(~np.isnan(oriented))
    joint, marginal = np.zeros((2, *p.shape), dtype=np.bool_)
    not_best = np.zeros(oriented.size, dtype=np.bool_)
    first, second = (ranked[rows] for rows in np.triu_indices(ranked.size, 1))
    joint[first, second] = shaffer(p[first, second], ranked.size) <= alpha
    for i in ranked:
        others = ranked[ranked != i]
        marginal[i, others] = holm(p[i, others]) <= alpha
        above = p[i, others][oriented[others] > oriented[i]]
        not_best[i] = above.size > 0 and above.min() / 2 * others.size <= alpha
    return Separated(joint | joint.T, marginal, not_best)
