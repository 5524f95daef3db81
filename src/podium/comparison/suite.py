"""Measure how much better one system is than another on other questions of the same tasks, and against a margin."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import as_number, matching
from podium.base.errors import InputError, MethodError
from podium.base.statistics import bisect, flip_p_value, normal_quantile, student_cdf, student_quantile
from podium.base.words import LONG, as_typed, with_names
from podium.comparison.effects import paired
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import FEW_UNITS, FLIPPED_UNITS, LEAST_FREEDOM, Units, units_among

#: Chance of finding the difference that `SuiteEffect.smallest` names.
POWER = 0.8

#: A variance of this share of what it would be by size is rounding.
_NOTHING = 1e-24

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
        By how much the scores of two single runs of one system differ in 95% of cases; NaN without repeats.
    binary
        Whether all scores are 0 or 1.
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

    def items_for(self, difference: float) -> int:
        """Return how many common instances show a difference in 80% of comparisons like this; 0 if unknown.

        n (m / δ)² with m the smallest difference that this one finds: the standard error falls as 1 / √n.
        """
        if not (math.isfinite(self.smallest) and difference > 0):
            return 0
        return math.ceil(self.n * (self.smallest / difference) ** 2)


def suite_effect(scores: Scores, control: str, treatment: str, *, confidence: float = 0.95) -> SuiteEffect:
    """Measure how much better a treatment is on the tasks of a table, as a mean over tasks that weigh as in a ranking.

    S = Σ_t w_t d̄_t, with d̄_t the weighted mean of the differences of instances that both have. Its error is that of
    other instances of the same tasks. Units are those of a ranking, see `podium.score.units.units_among`: what unit u
    moves S by is r_u = Σ_t w_t √(n_t / (n_t − 1)) Σ_(k in u) v_k (d_tk − d̄_t) / Σ_k v_k, n_t units in task t, and the
    variance of S is Σ_u r_u². Tasks of a single unit are drawn among each other (collapsed strata). Degrees of freedom
    are Satterthwaite's. The interval is Student's.

    If scores are 0 or 1, the interval is that of the score test, whose variance is estimated under each difference δ
    (Tango 1998, summed over tasks), times how much clusters and shared instances widen it. So it holds for few right or
    wrong answers, too. Up to 200 units, or 50 items that differ, p is that of flips of the signs of whole units, as in
    a ranking (Fisher 1935; of 0/1 scores on one task this is McNemar's exact test), and the interval holds 0 if and
    only if p is above 1 less the confidence.

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
    unit = max((largest_score(task, rows) for task in scores.tasks), default=1.0) or 1.0  # so no square overflows
    parts = [_Part.of(task, rows, unit) for task in scores.tasks]
    whole = sum(part.task.weight for part in parts if part is not None)
    there = [part for part in parts if part is not None]
    shares = np.array([part.task.weight / whole for part in there])
    effect = float(shares @ [part.mean for part in there])
    binary = all(part.binary for part in there)
    spread = _Spread(parts, units_among(scores.tasks), whole)
    known = SuiteEffect(
        effect=effect * unit if there else math.nan,
        std_error=math.nan,
        df=spread.df,
        low=math.nan,
        high=math.nan,
        p=math.nan,
        tasks=len(there),
        n=sum(part.n for part in there),
        units=spread.paired,
        better=sum(int((part.differences > 0).sum()) for part in there),
        worse=sum(int((part.differences < 0).sum()) for part in there),
        balance=float(shares @ [float(part.weights @ np.sign(part.differences)) for part in there]),
        smallest=math.nan,
        noise=_noise(there, shares, rows),
        binary=binary and unit == 1,
    )
    if not spread.df >= LEAST_FREEDOM:
        return known
    error, alpha = math.sqrt(spread.variance), 1 - confidence
    t = -student_quantile(alpha / 2, spread.df)
    low, high, half = effect - t * error, effect + t * error, error
    p = 2 * float(student_cdf(np.array([-abs(effect) / error]), spread.df)[0]) if error else 1.0
    if binary and all(part.task.instance_weights is None for part in there):
        test = _ScoreTest(there, shares, spread)
        own = t if spread.related else float(normal_quantile(1 - alpha / 2))
        low, high = test.interval(effect, own)
        half = max((high - low) / 2 / own, error)
        p = test.p(effect, spread.df if spread.related else math.inf)
    if spread.paired <= FLIPPED_UNITS or known.better + known.worse <= FEW_UNITS:
        p = spread.exact_p(there)
        low, high = _agreeing(low, high, effect, differs=p <= alpha)
    smallest = (t - student_quantile(1 - POWER, spread.df)) * half
    low, high, error, smallest = (number * unit for number in (low, high, error, smallest))
    return replace(known, std_error=error, low=low, high=high, p=min(p, 1.0), smallest=smallest)


def _agreeing(low: float, high: float, effect: float, *, differs: bool) -> tuple[float, float]:
    """Return ends of an interval that holds 0 unless an exact test says that there is a difference."""
    if not differs:
        return min(low, 0.0), max(high, 0.0)
    least = np.finfo(np.float64).tiny
    return (max(low, least), high) if effect > 0 else (low, min(high, -least))


def largest_score(task: Task, rows: Sequence[int]) -> float:
    """Return the size of the largest score of some systems on a task; 0 without any."""
    return max(float(np.fmax.reduce(np.abs(part[rows]), axis=None, initial=0.0)) for part in task.parts)


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
    def of(cls, task: Task, rows: Sequence[int], unit: float) -> Self | None:
        """Pair two rows, as multiples of a unit; None if the task has no weight, or nothing in common."""
        treatment, control, weights, there = paired(task, rows[1], rows[0])
        if not there.any() or not task.weight > 0:
            return None
        own, both = weights / weights.sum(), np.stack([control, treatment]) / unit
        differences = both[1] - both[0]
        within = float((own * (both - (both @ own)[:, None]) ** 2).sum())  # of both: twice the mean variance
        size = math.sqrt(max(within, float(own @ differences) ** 2))
        binary = bool(np.isin(np.abs(both), (0.0, 1.0)).all())
        return cls(task, there, differences, own, size, binary)

    @property
    def n(self) -> int:
        return self.differences.size

    @property
    def mean(self) -> float:
        return float(self.weights @ self.differences)


class _Spread:
    """Variance of a mean over tasks by the units that are drawn, added up group by group of tasks that share them.

    Attributes
    ----------
    variance, df, units, paired
        Of the mean, its degrees of freedom, the number of units, and of those that both systems have.
    fixed
        The part of the variance that is of tasks of one unit, which are drawn among each other.
    related
        Whether units are more than single instances of one task: clusters, or instances that tasks share.
    index
        For each task, None or shape `(n,)`: the unit of each instance, over all tasks.
    """

    def __init__(self, parts: Sequence[_Part | None], groups: Sequence[Units], whole: float) -> None:
        variances, squares, units, related = [], [], 0, False
        index: list[NDArray[np.int64] | None] = [None] * len(parts)
        single: list[tuple[float, float]] = []
        for group in groups:
            moved, deviation, per_unit, fixed, own = np.zeros(group.number), 0.0, 0.0, 0.0, 0
            for place, of in zip(group.tasks, group.of, strict=True):
                part = parts[place]
                if part is None:
                    continue
                share, unit = part.task.weight / whole, of[part.there]
                index[place] = units + unit
                mass = np.bincount(unit, weights=part.weights, minlength=group.number)
                known = 1 / float(mass @ mass)
                related = related or int(np.count_nonzero(mass)) < part.n
                if known < 1 + 1e-9:
                    single.append((share, share * part.mean))
                    continue
                own += 1
                departure = part.weights * (part.differences - part.mean)
                added = (
                    share
                    * math.sqrt(known / (known - 1))
                    * np.bincount(unit, weights=departure, minlength=group.number)
                )
                variance = float(added @ added)
                if variance <= _NOTHING * (share * part.size) ** 2:  # all differences are the same
                    variance, added = (share * part.size / known) ** 2, np.zeros_like(added)
                    fixed += variance
                moved += added
                deviation += math.sqrt(variance)
                per_unit += math.sqrt(variance) / (known - 1) if variance else 0.0
            units += group.number
            related = related or own > 1
            total = float(moved @ moved) + fixed if own > 1 else deviation**2
            if own:
                variances.append(total)
                squares.append(total**2 * (per_unit / deviation if deviation else 1 / max(group.number - 1, 1)))
        alone, known = _collapsed(single)
        if alone:
            variances.append(alone)
            squares.append(alone**2 / known)
        self.variance, self.units, self.fixed, self.related, self.index = sum(variances), units, alone, related, index
        df = self.variance**2 / sum(squares) if sum(squares) > 0 else (units - 1.0 if variances else 0.0)
        self.df = 0.0 if len(single) == 1 else df
        self.paired = len({unit for one in index if one is not None for unit in one.tolist()})

    def exact_p(self, parts: Sequence[_Part]) -> float:
        """Return the p-value of flips of the signs of whole units."""
        whole = sum(part.task.weight for part in parts)
        added = np.zeros(self.units)
        for part, index in zip(parts, (one for one in self.index if one is not None), strict=True):
            np.add.at(added, index, part.task.weight / whole * part.weights * part.differences)
        return flip_p_value(added)


def _collapsed(single: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the variance that tasks of one unit add, as (weight, what it adds), and its degrees of freedom."""
    if len(single) < 2:
        return 0.0, 1.0
    mass, added = np.array(single).T
    known = float(mass.sum() ** 2 / (mass @ mass)) - 1
    departure = added - mass / mass.sum() * added.sum()
    return float(departure @ departure) * (known + 1) / known, known


class _ScoreTest:
    """The score test that the differences of 0/1 scores are δ on every task.

    Dependent instances widen the variance by a factor; and tasks of one unit add to it.
    """

    def __init__(self, parts: Sequence[_Part], shares: Floats, spread: _Spread) -> None:
        self._n = n = np.array([float(part.n) for part in parts])
        self._better = better = np.array([float((part.differences > 0).sum()) for part in parts])
        self._worse = worse = np.array([float((part.differences < 0).sum()) for part in parts])
        self._shares, self._fixed, self._factor = shares, spread.fixed, 1.0
        several, mean = n > 1, (better - worse) / n
        alone = ((better + worse) / n - mean**2)[several] / (n[several] - 1)
        independent = float(shares[several] ** 2 @ alone)
        if spread.related:
            known = independent > 0
            factor = (spread.variance - spread.fixed) / independent if known else float(n.sum()) / spread.paired
            self._factor = max(factor, 1.0)

    def variance(self, difference: float) -> float:
        """Return the variance of the mean over tasks, if each task had this difference (Tango 1998, Eq. 7)."""
        n, b, c = self._n, self._better, self._worse
        half = -b - c + (2 * n - b + c) * difference
        root = np.sqrt(np.maximum(half**2 + 8 * n * c * difference * (1 - difference), 0.0))
        other = np.maximum((root - half) / (4 * n), 0.0)
        own = np.maximum(2 * other + difference * (1 - difference), 0.0) / n
        return self._factor * float(self._shares**2 @ own) + self._fixed

    def interval(self, effect: float, t: float) -> tuple[float, float]:
        """Return both ends: differences that are as far from the effect as `t` standard errors under them."""

        def near(difference: float) -> bool:
            return (effect - difference) ** 2 <= t**2 * self.variance(difference)

        return bisect(effect, -1.0, near, _STEPS)[0], bisect(effect, 1.0, near, _STEPS)[0]

    def p(self, effect: float, df: float) -> float:
        """Return the two-sided p-value of no difference."""
        variance = self.variance(0.0)
        if not variance > 0:
            return 1.0
        t = np.array([-abs(effect) / math.sqrt(variance)])
        return 2 * float(student_cdf(t, df)[0]) if math.isfinite(df) else math.erfc(-float(t[0]) / math.sqrt(2))


def _noise(parts: Sequence[_Part], shares: Floats, rows: Sequence[int]) -> float:
    """Return by how much two single runs of one system differ in 95% of cases, from what repeats of an instance vary.

    1.96 √2 σ with σ² = Σ_t w_t² Σ_k v_k² s²_tk, s² the variance of the repeats of instance k, of both systems.
    """
    variance, found = 0.0, False
    for part, share in zip(parts, shares.tolist(), strict=True):
        repeats = part.task.repeats
        if repeats is None or repeats.statistic.name != "mean":
            continue
        values = repeats.values[rows][:, part.there].astype(np.float64)
        number = np.count_nonzero(~np.isnan(values), axis=2)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.nansum(values, axis=2) / number
            own = np.nansum((values - mean[..., None]) ** 2, axis=2) / (number - 1)
        known = number > 1
        if known.any():
            found = True
            typical = float(np.mean(own[known]))
            variance += share**2 * float(part.weights**2 @ np.where(known, own, typical).mean(axis=0))
    return float(normal_quantile(0.975)) * math.sqrt(2 * variance) if found else math.nan


#: Scores up to so much do not run to 100.
_SHORT = 10.0

#: A margin below this share of a scale from 0 to 100 is likely meant for one from 0 to 1.
_TINY = 0.1


def margins_of(margin: Any, scores: Scores) -> tuple[float, dict[str, float]]:
    """Turn a margin into the units of some scores: for all tasks together, and for each by its label.

    Parameters
    ----------
    margin
        A number in the units of the scores; a text such as "1%", of the scale; or these by label or glob of tasks,
        with "*" for all others.
    scores
        Tables of both runs; all tasks that count have one scale.

    Raises
    ------
    MethodError
        It is no margin, is negative, or is in other units than the scores.
    InputError
        Tasks have different scales.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"rte": [[80.0, 90.0]], "wnli": [[50.0, 60.0]]}, systems=["A"])
    >>> margins_of({"*": "1%", "wnli": 2}, scores)
    (1.0, {'rte': 1.0, 'wnli': 2.0})
    """
    told = dict(margin) if isinstance(margin, Mapping) else {"*": margin}
    names = [task.name for task in scores.tasks if task.weight > 0]
    scale = _scale(scores)
    of_task = dict.fromkeys(names, math.nan)
    for pattern, value in sorted(told.items(), key=lambda pair: pair[0] != "*"):
        number = in_units(value, scale)
        of_task |= dict.fromkeys(matching("task", [pattern], names), number)
    if lacking := [name for name, value in of_task.items() if math.isnan(value)]:
        raise MethodError(with_names("no margin for ", lacking, "; give one for '*', all other tasks"))
    return in_units(told["*"], scale) if "*" in told else min(of_task.values()), of_task


def _scale(scores: Scores) -> float:
    """Return where scores run to: 1 or 100; infinite if they run elsewhere.

    Raises
    ------
    InputError
        Tasks differ.
    """
    scales = {task.name: scale_of(task) for task in scores.tasks if task.weight > 0}
    kinds = sorted(set(scales.values()))
    if len(kinds) > 1:
        first = next(iter(scales))
        odd = [name for name, scale in scales.items() if scale != scales[first]]
        without = as_typed(",".join(f"!{name}" for name in odd))
        raise InputError(
            with_names("", odd, f": another scale than {first}, so one margin makes no sense for all", room=LONG)
            + f"; leave them out with tasks= (--tasks {without}), or look at them in a gate of their own"
        )
    if kinds == [math.inf] and len(scales) > 1:
        spread = [
            max(float(np.fmax.reduce(np.abs(part), axis=None, initial=0.0)) for part in task.parts)
            for task in scores.tasks
            if task.weight > 0
        ]
        if max(spread) > 10 * max(min(spread), 1e-300):
            raise InputError(
                "tasks have scales of their own, so one margin makes no sense for all; choose some (--tasks)"
            )
    return kinds[0]


def scale_of(task: Task) -> float:
    """Return 1 if all scores are 0 to 1; 100 if they are 0 to 100, more than 10, and better higher; else infinite.

    Raises
    ------
    InputError
        One system has scores up to 1, and another scores that run to 100.
    """
    values = task.values.astype(np.float64)
    low, highs = float(np.fmin.reduce(values, axis=None, initial=math.inf)), np.fmax.reduce(values, axis=1, initial=0.0)
    if low < 0 or highs.max() > 100:
        return math.inf
    if highs.max() <= 1:
        return 1.0
    if highs.max() <= _SHORT or not task.higher_is_better:
        return math.inf  # a loss, a time, or grades: where they end is unknown
    if 0 < highs.min() <= 1:
        raise InputError(
            f"task {task.name!r} runs from 0 to 1 in one run and to 100 in the other; bring both to one scale"
        )
    return 100.0


def written_number(given: Any) -> float:
    """Return a number, also one that is typed; NaN of anything else.

    >>> written_number(" 0.01"), written_number("much")
    (0.01, nan)
    """
    try:
        return float(given) if isinstance(given, str) else as_number(given)
    except ValueError:
        return math.nan


def _number_or_share(given: Any) -> tuple[float, bool]:
    """Return a number, NaN of anything else, and whether it is a share such as "1%"."""
    text = given.strip() if isinstance(given, str) else given
    share = isinstance(text, str) and text.endswith("%")
    return written_number(text.removesuffix("%") if share else text), share


def in_units(given: Any, scale: float) -> float:
    """Turn a margin into the units of scores with a scale; see `margins_of`."""
    number, share = _number_or_share(given)
    if not (math.isfinite(number) and number >= 0):
        raise MethodError(
            f"margin is {given!r}; it must be a number of at least 0, or a share of the scale such as '1%'"
        )
    if share and number > 100:
        raise MethodError(f"margin {given!r} is more than the whole scale; it must be a share of it, such as '1%'")
    if share and math.isinf(scale):
        raise MethodError(f"margin {given!r} is a share of a scale, and the scores have none from 0; give a number")
    if share:
        return number / 100 * scale
    if number and scale == 100 and number < _TINY:
        raise MethodError(
            f"margin {given!r} is in units of scores that run from 0 to 100; for {100 * number:g} points give "
            f"{100 * number:g}, or for so little '{number:g}%'"
        )
    if scale == 1 and number >= 1:
        points = "1 percentage point" if number == 1 else f"{number:g} percentage points"
        raise MethodError(
            f"margin {given!r} is in units of scores that run from 0 to 1; for {points} give "
            f"{number / 100:g} or '{number:g}%'"
        )
    return number


def limit_in_units(given: Any, task: Task) -> float:
    """Turn a limit of a mean, a number or a share of the scale such as "80%", into the units of a task.

    Raises
    ------
    MethodError
        It is no such thing, or is in other units than the scores.
    """
    (number, share), scale, limit = _number_or_share(given), scale_of(task), f"must {task.name}={given}"
    if not math.isfinite(number):
        raise MethodError(f"{limit} (--must) is no number, and no share of the scale such as '80%'")
    if share and math.isinf(scale):
        raise MethodError(f"{limit} is a share of a scale, and the scores have none; give a number")
    if share:
        return number / 100 * scale
    if (scale == 1 and number > 1) or (scale == 100 and 0 < number < 1):
        meant = number / 100 if scale == 1 else 100 * number
        raise MethodError(
            f"{limit} (--must): the scores run from 0 to {scale:g}; for {meant * 100 / scale:g}% give {meant:g}"
        )
    return number
