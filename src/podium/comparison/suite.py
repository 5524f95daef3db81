"""Measure how much better one system is than another on other questions of the same tasks."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain
from podium.base.statistics import bisect, flip_p_value, normal_quantile, student_cdf, student_quantile
from podium.comparison.contrast import paired
from podium.score.crossed import Crossed, crossed_difference
from podium.score.noise import RunNoise
from podium.score.prediction_powered import degrees_of_freedom, powered
from podium.score.table import Scores
from podium.score.task import Task, is_binary
from podium.score.units import FEW_UNITS, FLIPPED_UNITS, LEAST_FREEDOM, Units, units_among

#: A smaller mean of pseudo-values, in units of the largest score, is 0.
_ROUNDING = 1e-12

#: Chance of finding the difference that `SuiteEffect.smallest` names.
POWER = 0.8

#: A variance of this share of what it would be by size is rounding.
_NOTHING = 1e-24

#: If scores are 0 or 1 and fewer items than this differ by any prompt, an item counts once, whatever the prompts are.
_FEW_ITEMS = 20

#: Halvings of the interval in which an end is looked for.
_STEPS = 60


def verdict(low: float, high: float, margin: float) -> str:
    """Say what an interval of a difference shows, see `SuiteEffect.verdict`; of none, that it cannot tell."""
    if low > 0:
        return "better"
    if low > -margin:
        return "equal" if high < margin else "not worse"
    return "worse" if high < 0 else "cannot tell"


@dataclass(frozen=True, slots=True)
class SuiteEffect:
    """The difference of two systems on the tasks of a table, for other questions like theirs; positive is better.

    Attributes
    ----------
    effect
        Σ_t w_t d̄_t, the mean over tasks of the means of paired differences; tasks weigh as in a ranking.
    std_error, df
        Of the effect, and how well it is known; NaN where too few units tell.
    low, high, p
        Its interval, and the two-sided p-value of no difference; NaN likewise.
    tasks, n, units
        Tasks that count, common instances of these, and how many of them are independent.
    better, worse
        Common instances on which the treatment scores more, and less.
    balance
        Share of instances on which it scores more, less the share on which it scores less: Σ_t w_t (b_t − c_t) / n_t.
    smallest
        The smallest difference that such a comparison finds in 80% of cases.
    noise
        By how much the scores of two single runs of one system differ in 95% of cases, see
        `podium.score.noise.RunNoise`; NaN if a task has no repeats.
    binary
        Whether all scores, or all repeats that they are a statistic of, are 0 or 1.
    by_prompts
        By how many of how many prompts the treatment is better, 0 of 0 if tasks have other ones; the interval is for
        others, too. None without prompts.
    """

    effect: float
    std_error: float
    df: float
    low: float
    high: float
    p: float
    tasks: int
    n: int
    units: int
    better: int
    worse: int
    balance: float
    smallest: float
    noise: float
    binary: bool
    by_prompts: tuple[int, int] | None = None

    def verdict(self, margin: float = 0.0) -> str:
        """Say "better", "equal" (within the margin), "not worse" (by more than it), "worse" or "cannot tell".

        Parameters
        ----------
        margin
            How much worse is still as good, in the units of the scores, at least 0.

        Examples
        --------
        >>> import podium
        >>> table = podium.from_arrays({"t": [[0.0] * 40, [1.0] * 9 + [0.0] * 31]}, systems=["old", "new"])
        >>> suite_effect(table, "old", "new").verdict()
        'better'
        """
        return verdict(self.low, self.high, margin)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON can hold it; prompts if there are any."""
        return {name: one for name, one in plain(asdict(self)).items() if name != "by_prompts" or one}

    def items_for(self, difference: float, confidence: float = 0.95) -> int:
        """Return how many common instances show a difference in 80% of comparisons like this; 0 if unknown.

        n ((z₁₋α/₂ + z₀.₈) s / δ)² with s the standard error, which falls as 1 / √n. `smallest` is of this comparison,
        and larger: few instances widen the interval, and many do not.
        """
        if not (math.isfinite(self.std_error) and difference > 0):
            return 0
        reach = float(normal_quantile((1 + confidence) / 2) + normal_quantile(POWER)) * self.std_error
        return math.ceil(self.n * (reach / difference) ** 2)


def suite_effect(scores: Scores, control: str, treatment: str, *, confidence: float = 0.95) -> SuiteEffect:
    """Measure how much better a treatment is on the tasks of a table, as a mean over tasks that weigh as in a ranking.

    S = Σ_t w_t d̄_t, with d̄_t the weighted mean of the differences of instances that both have. Its error is that of
    other instances of the same tasks. Units are those of a ranking, see `podium.score.units.units_among`: what unit u
    moves S by is r_u = Σ_t w_t √(n_t / (n_t − 1)) Σ_(k in u) v_k (d_tk − d̄_t) / Σ_k v_k, n_t units in task t, and the
    variance of S is Σ_u r_u². Tasks of a single unit are drawn among each other (collapsed strata). Degrees of freedom
    are Satterthwaite's. The interval is Student's.

    If scores are 0 or 1, the interval is that of the score test, whose variance is estimated under each difference δ
    (Tango 1998, summed over tasks), times how much clusters, shared instances and unequal weights widen it; instances
    that weigh unequally count as 1 / Σ v² (Kish 1965). So it holds for few right or wrong answers, too. Up to 200
    units, or 50 items that differ, p is that of flips of the signs of whole units, as in a ranking (Fisher 1935; of 0/1
    scores on one task this is McNemar's exact test), and the interval holds 0 if and only if p is above 1 less the
    confidence.

    If there are prompts, variance and degrees of freedom are those over items and prompts, see
    `podium.score.crossed.crossed`, of a complete table. The score test then counts cells of both, and widens its
    variance as for clusters; if fewer than 20 items differ, as if an item had the same score by all prompts.

    If a judge made the scores and people labelled some, the difference is that of the human scores, and counts are of
    labelled instances, see `podium.score.prediction_powered.powered`.

    Parameters
    ----------
    scores
        The table, with scores of instances; its directions and weights count. A task of weight 0 is left out.
    control, treatment
        Labels of two systems.
    confidence
        Of the interval.

    References
    ----------
    Tango, Statistics in Medicine 17, 1998; Satterthwaite 1946; Miller 2024, §4.2, on paired differences.

    Examples
    --------
    >>> import podium
    >>> table = podium.from_arrays({"t": [[0, 1, 0, 1, 0, 0, 1, 0], [1, 1, 0, 1, 1, 1, 1, 1]]}, systems=["old", "new"])
    >>> found = suite_effect(table, "old", "new")
    >>> round(found.effect, 3), found.better, found.worse, round(found.p, 3)
    (0.5, 4, 0, 0.125)
    """
    rows = [scores.systems.index(control), scores.systems.index(treatment)]
    human, crossing = bool(scores.human), None
    if scores.prompts:
        crossing = crossed_difference(scores.take(rows))
    if human:
        scores, rows = powered(scores.take(rows), paired=True).table, [0, 1]
    largest = (np.fmax.reduce(np.abs(one[rows]), axis=None, initial=0.0) for task in scores.tasks for one in task.parts)
    scale = max(map(float, largest), default=1.0) or 1.0  # so no square overflows
    parts = [_Part.of(task, rows, scale) for task in scores.tasks]
    whole = sum(part.task.weight for part in parts if part is not None)
    there = [part for part in parts if part is not None]
    shares = np.array([part.task.weight / whole for part in there])
    effect = float(shares @ [part.mean for part in there])
    effect = 0.0 if human and abs(effect) < _ROUNDING else effect
    spread, cells, few = _spread(parts, units_among(scores.tasks), whole), there, False
    if crossing is not None:
        cells, spread = [part.by_cell(rows, scale) for part in there], replace(spread, related=True)
        differing = (part.differences.reshape(own.n, -1).any(axis=1) for part, own in zip(cells, there, strict=True))
        few = sum(int(one.sum()) for one in differing) < _FEW_ITEMS
        if (variance := float(crossing.variance[0, 0]) / scale**2) > _NOTHING:
            spread = replace(spread, variance=variance, df=float(crossing.df[0, 0]))
    binary = all(part.binary for part in cells)
    counted = [part.differences for part in there]
    if human:  # few of many instances are labelled, which carry the error
        spread = replace(spread, df=min(spread.df, float(degrees_of_freedom(scores)[0, 1])))
        labels = [part.task.covariates[scores.human][1] * (1 if part.task.higher_is_better else -1) for part in there]
        counted = [one[~np.isnan(one)] for one in labels]
    known = SuiteEffect(
        effect=effect * scale if there else math.nan,
        df=spread.df,
        tasks=len(there),
        n=sum(one.size for one in counted),
        units=min(spread.paired, sum(one.size for one in counted)),
        better=sum(int((one > 0).sum()) for one in counted),
        worse=sum(int((one < 0).sum()) for one in counted),
        balance=float(shares @ [_balance(part, one) for part, one in zip(there, counted, strict=True)]),
        **dict.fromkeys(("std_error", "low", "high", "p", "smallest"), math.nan),
        noise=math.nan if crossing else _noise(there, shares, rows),
        binary=all(part.binary and scale == 1 if part.task.repeats is None else is_binary(part.task) for part in there),
        by_prompts=None if crossing is None else _by_prompts(crossing),
    )
    if not (spread.df >= LEAST_FREEDOM or crossing):
        return known
    alpha = 1 - confidence
    found = _score_test(effect, cells, shares, spread, alpha, few=few) if binary else _student(effect, spread, alpha)
    if not (human or crossing) and (spread.paired <= FLIPPED_UNITS or known.better + known.worse <= FEW_UNITS):
        found = _sign_flips(found, effect, spread.exact_p(there), alpha)
    smallest = -(student_quantile(alpha / 2, spread.df) + student_quantile(1 - POWER, spread.df)) * found.error
    numbers = (math.sqrt(spread.variance), found.low, found.high, smallest)
    std_error, low, high, smallest = (number * scale for number in numbers)
    return replace(known, std_error=std_error, low=low, high=high, p=min(found.p, 1.0), smallest=smallest)


def _by_prompts(crossing: Crossed) -> tuple[int, int]:
    """Return by how many of how many prompts the treatment is better."""
    apart = np.zeros(0) if crossing.by_prompt is None else crossing.by_prompt.scores[0]
    return int(np.count_nonzero(apart > 0)), apart.size


def _balance(part: "_Part", counted: Floats) -> float:
    """Return the share of better less that of worse instances: of labels, or by weight of all."""
    return float(part.weights @ np.sign(counted) if counted.size == part.n else np.sign(counted).mean())


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Scores that two systems have in common on one task.

    Attributes
    ----------
    task, there
        Its scores, and which instances count, shape `(K,)`.
    differences, weights
        Shape `(n,)`: treatment less control, turned so that higher is better; weights sum to 1.
    size
        As if on one of the instances the two differed by this, if all differences are the same.
    binary
        Whether all of these scores are 0 or 1.
    """

    task: Task
    there: NDArray[np.bool_]
    differences: Floats
    weights: Floats
    size: float
    binary: bool

    @classmethod
    def of(cls, task: Task, rows: Sequence[int], scale: float) -> Self | None:
        """Pair two rows, as multiples of a scale; None if the task has no weight, or nothing in common."""
        treatment, control, weights, there = paired(task, rows[1], rows[0])
        if not there.any() or not task.weight > 0:
            return None
        own, both = weights / weights.sum(), np.stack([control, treatment]) / scale
        differences = both[1] - both[0]
        within = float((own * (both - (both @ own)[:, None]) ** 2).sum())  # of both: twice the mean variance
        size = math.sqrt(max(within, float(own @ differences) ** 2))
        binary = bool(np.isin(np.abs(both), (0.0, 1.0)).all())
        return cls(task, there, differences, own, size, binary)

    def by_cell(self, rows: Sequence[int], scale: float) -> "_Part":
        """Return the same of all items by all prompts, each as an instance."""
        assert self.task.repeats is not None  # noqa: S101  # the prompts
        both = self.task.repeats.values[list(rows)].astype(np.float64)[:, self.there] / scale
        number = both.shape[2]
        apart = ((both[1] - both[0]) * (1 if self.task.higher_is_better else -1)).ravel()
        binary = bool(np.isin(np.abs(both), (0.0, 1.0)).all())
        weights = np.repeat(self.weights / number, number)
        return replace(self, differences=apart, weights=weights, binary=binary)

    @property
    def n(self) -> int:
        return self.differences.size

    @property
    def mean(self) -> float:
        return float(self.weights @ self.differences)

    @property
    def unequal(self) -> bool:
        """Return whether some instances weigh more than others."""
        return bool(np.ptp(self.weights) > 1e-9 * self.weights.max())


@dataclass(frozen=True, slots=True, eq=False)
class _Spread:
    """The variance of a mean over tasks by the units that are drawn, and how well it is known.

    Attributes
    ----------
    variance, df, units, paired
        Of the mean, its degrees of freedom, the number of units, and of those that both systems have.
    collapsed
        The part of the variance that is of tasks of one unit, which are drawn among each other.
    related
        Whether units are more than single instances of one task that weigh alike: clusters, or instances that tasks
        share.
    index
        For each task that counts, shape `(n,)`: the unit of each instance, over all tasks.
    """

    variance: float
    df: float
    units: int
    paired: int
    collapsed: float
    related: bool
    index: tuple[NDArray[np.int64], ...]

    def exact_p(self, parts: Sequence[_Part]) -> float:
        """Return the p-value of flips of the signs of whole units."""
        whole = sum(part.task.weight for part in parts)
        added = np.zeros(self.units)
        for part, index in zip(parts, self.index, strict=True):
            np.add.at(added, index, part.task.weight / whole * part.weights * part.differences)
        return flip_p_value(added)


def _spread(parts: Sequence[_Part | None], groups: Sequence[Units], whole: float) -> _Spread:
    """Add up the variance of a mean over tasks, group by group of tasks that share units."""
    index: dict[int, NDArray[np.int64]] = {}
    single: list[tuple[float, float]] = []
    of_groups: list[tuple[float, float]] = []
    units, related = 0, False
    for group in groups:
        varying = []
        for place, of in zip(group.tasks, group.of, strict=True):
            part = parts[place]
            if part is None:
                continue
            share, unit = part.task.weight / whole, of[part.there]
            index[place] = units + unit
            mass = np.bincount(unit, weights=part.weights, minlength=group.number)
            related = related or part.unequal or int(np.count_nonzero(mass)) < part.n
            effective = 1 / float(mass @ mass)  # number of units
            if effective < 1 + 1e-9:
                single.append((share, share * part.mean))
            else:
                varying.append((part, share, unit, effective))
        units += group.number
        related = related or len(varying) > 1
        if varying:
            of_groups.append(_of_group(varying, group.number))
    collapsed, df = _collapsed(single)
    if collapsed:
        of_groups.append((collapsed, collapsed**2 / df))
    variance, squares = (sum(of) for of in zip(*of_groups, strict=True)) if of_groups else (0.0, 0.0)
    df = variance**2 / squares if squares > 0 else (units - 1.0 if of_groups else 0.0)
    ordered = tuple(index[place] for place in sorted(index))
    paired = len({unit for one in ordered for unit in one.tolist()})
    return _Spread(variance, 0.0 if len(single) == 1 else df, units, paired, collapsed, related, ordered)


def _of_group(tasks: Sequence[tuple[_Part, float, NDArray[np.int64], float]], n_units: int) -> tuple[float, float]:
    """Return the variance of tasks that share units, and its square by their degrees of freedom.

    Tasks come with their shares of the weight, the unit of each instance, and the effective number of units. Degrees of
    freedom go as if tasks went together, and added their standard deviations.
    """
    moved, constant, deviation, by_df = np.zeros(n_units), 0.0, 0.0, 0.0
    for part, share, unit, effective in tasks:
        departure, df = part.weights * (part.differences - part.mean), effective - 1
        added = np.bincount(unit, weights=departure, minlength=n_units).astype(np.float64)
        own = share * math.sqrt(effective / df) * added
        variance = float(own @ own)
        if variance > _NOTHING * (share * part.size) ** 2:
            moved += own
        else:  # all differences are the same
            variance = (share * part.size / effective) ** 2
            constant += variance
        deviation += math.sqrt(variance)
        by_df += math.sqrt(variance) / df
    variance = float(moved @ moved) + constant if len(tasks) > 1 else deviation**2
    return variance, variance**2 * (by_df / deviation if deviation else 1 / max(n_units - 1, 1))


def _collapsed(single: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the variance that tasks of one unit add, as (weight, what it adds), and its degrees of freedom."""
    if len(single) < 2:
        return 0.0, 1.0
    mass, added = np.array(single).T
    known = float(mass.sum() ** 2 / (mass @ mass)) - 1
    departure = added - mass / mass.sum() * added.sum()
    return float(departure @ departure) * (known + 1) / known, known


def _effective_counts(part: _Part) -> tuple[float, float, float]:
    """Return numbers of instances, and of those on which the treatment scores more, and less."""
    signs = np.sign(part.differences)
    if not part.unequal:
        return float(part.n), float((signs > 0).sum()), float((signs < 0).sum())
    n = 1 / float(part.weights @ part.weights)
    return n, n * float(part.weights @ (signs > 0)), n * float(part.weights @ (signs < 0))


class _Tested(NamedTuple):
    """The interval of an effect, the p-value of no difference, and the standard error that the width amounts to."""

    low: float
    high: float
    p: float
    error: float


def _student(effect: float, spread: _Spread, alpha: float) -> _Tested:
    error, t = math.sqrt(spread.variance), -student_quantile(alpha / 2, spread.df)
    p = 2 * float(student_cdf(np.array([-abs(effect) / error]), spread.df)[0]) if error else 1.0
    return _Tested(effect - t * error, effect + t * error, p, error)


def _score_test(
    effect: float, parts: Sequence[_Part], shares: Floats, spread: _Spread, alpha: float, *, few: bool
) -> _Tested:
    """Test by the score that the differences of 0/1 scores are δ on every task (Tango 1998).

    Dependent or unequal instances widen the variance by a factor, of `few` at least as if all of a unit were the same;
    and tasks of one unit add to it. Single instances of one task have the normal distribution.
    """
    n, better, worse = np.array([_effective_counts(part) for part in parts]).T
    factor, df = 1.0, math.inf
    t = float(normal_quantile(1 - alpha / 2))
    if spread.related:
        df, several, mean = spread.df, n > 1, (better - worse) / n
        t = -student_quantile(alpha / 2, df)
        alone = ((better + worse) / n - mean**2)[several] / (n[several] - 1)
        independent = float(shares[several] ** 2 @ alone)
        most = float(n.sum()) / spread.paired
        factor = (spread.variance - spread.collapsed) / independent if independent > 0 else most
        factor = max(factor, most if few else 1.0)

    def variance(difference: float) -> float:
        """Return the variance of the mean over tasks, if each task had this difference (Tango 1998, Eq. 7)."""
        half = -better - worse + (2 * n - better + worse) * difference
        root = np.sqrt(np.maximum(half**2 + 8 * n * worse * difference * (1 - difference), 0.0))
        other = np.maximum((root - half) / (4 * n), 0.0)
        own = np.maximum(2 * other + difference * (1 - difference), 0.0) / n
        return factor * float(shares**2 @ own) + spread.collapsed

    def near(difference: float) -> bool:
        return (effect - difference) ** 2 <= t**2 * variance(difference)

    low, high = bisect(effect, -1.0, near, _STEPS)[0], bisect(effect, 1.0, near, _STEPS)[0]
    p, of_none = 1.0, variance(0.0)
    if of_none > 0:
        score = -abs(effect) / math.sqrt(of_none)
        p = 2 * float(student_cdf(np.array([score]), df)[0]) if math.isfinite(df) else math.erfc(-score / math.sqrt(2))
    return _Tested(low, high, p, max((high - low) / 2 / t, math.sqrt(spread.variance)))


def _sign_flips(test: _Tested, effect: float, p: float, alpha: float) -> _Tested:
    """Take the p-value of flips, and an interval that holds 0 if and only if it is above α."""
    if p > alpha:
        return test._replace(low=min(test.low, 0.0), high=max(test.high, 0.0), p=p)
    least = float(np.finfo(np.float64).tiny)
    if effect > 0:
        return test._replace(low=max(test.low, least), p=p)
    return test._replace(high=min(test.high, -least), p=p)


def _noise(parts: Sequence[_Part], shares: Floats, rows: Sequence[int]) -> float:
    """Return by how much two single runs of one system differ, on the instances that both have; NaN if unknown."""
    repeats = [None if one.task.repeats is None else one.task.repeats.take(rows) for one in parts]
    common = [None if own is None else own.of_instances(one.there) for own, one in zip(repeats, parts, strict=True)]
    found = RunNoise.of(list(zip(common, [one.weights for one in parts], shares.tolist(), strict=True)))
    return math.nan if found is None else found.difference
