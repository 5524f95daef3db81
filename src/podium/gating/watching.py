"""Watch a new run come in, and say as soon as it is known whether it is worse than a baseline by more than a margin."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import as_number, check_confidence
from podium.base.errors import InputError, LabelError, MethodError
from podium.base.statistics import bisect
from podium.base.words import decimals, few, fixed, how_many, two_digits
from podium.comparison.margin import in_units
from podium.gating.api import of_system, read_baseline, read_run, refuse_same_path
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import Units, units_among
from podium.source.memory import keywords
from podium.source.named import Source, item_labels, joined, read_sources

if TYPE_CHECKING:
    from podium.source.memory import ScoresLike


#: Halvings of the interval in which an end is looked for.
_STEPS = 50

#: Least share of a stake, as if the variance of differences were this, and the power of a share that its weight is.
_VARIANCE, _POWER = 0.5, 0.25


class Bets:
    """A confidence sequence for the mean of paired differences, which holds at every look, whenever one stops.

    Each difference between −1 and 1 is a bet against a mean. A gambler who bets against the true mean multiplies the
    stake by 1/α with a chance of at most α, however long the game lasts (Ville's inequality). So the interval leaves
    out means against which a bet has won that much.

    The bet that the mean exceeds δ is K(δ) = Σ_j π_j Π_i (1 − θ_j ρ_i + θ_j ρ_i (1 + d_i) / (1 + δ)), a mixture over
    shares θ_j of the stake: 1, 1/√2, 1/2, … down to √(2 log(2/α) / (n / 2)), with n = Σ ρ² over all that is to come,
    and π_j ∝ θ_j^¼. The bet that it is below δ is the same of −d and −δ. K falls in δ, and does not depend on the order
    of the differences. Both ends of the interval are where K is 2/α.

    If bets of several groups come in rounds, with Σ ρ_i (E d_i − δ) ≤ 0 in each, then E K ≤ 1 at the end of a round,
    since Π (1 + x_i) ≤ exp(Σ x_i).

    Parameters
    ----------
    differences, sizes
        Shape `(n,)`: d, and ρ between 0 and 1.
    size
        Σ ρ² of all that may come.
    confidence
        1 − α.

    Attributes
    ----------
    shares, weights
        Shape `(J,)`: θ, and log π.
    level
        log(2/α).

    References
    ----------
    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS-B 86, 2024, §4 and hedged
    grid Kelly (App. B). Stakes that follow the data (their Eq. 26) and empirical Bernstein bounds took 5 to 80% more
    pairs in simulations.

    Examples
    --------
    >>> bets = Bets(np.repeat([1.0, 0.0, -1.0], [12, 185, 3]), np.ones(200), size=500, confidence=0.95)
    >>> [round(end, 3) for end in bets.interval()]
    [-0.015, 0.115]
    """

    def __init__(self, differences: Floats, sizes: Floats, *, size: float, confidence: float) -> None:
        self.level = math.log(2 / (1 - confidence))
        least = min(math.sqrt(2 * self.level / (_VARIANCE * max(size, 1.0))), 0.9)
        self.shares = 2.0 ** (-np.arange(math.ceil(-2 * math.log2(least)) + 1) / 2)  # θ
        weights = _POWER * np.log(self.shares)
        self.weights = weights - np.logaddexp.reduce(weights)  # log π
        (self._differences, self._sizes), counts = np.unique(np.stack([differences, sizes]), axis=1, return_counts=True)
        self._counts = counts.astype(np.float64)

    @property
    def mean(self) -> float:
        """Mean of the differences, each with the weight ρ."""
        return float(np.average(self._differences, weights=self._sizes * self._counts))

    def _won(self, mean: float, *, above: bool) -> Floats:
        """Shape `(J,)`: logarithm of the stake after all bets, for each share."""
        sign = 1.0 if above else -1.0
        won = self._sizes * ((1 + sign * self._differences) / (1 + sign * mean) - 1)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log1p(np.maximum(np.multiply.outer(self.shares, won), -1.0)) @ self._counts)

    def rejects(self, mean: float, *, above: bool) -> bool:
        """Say whether the mean exceeds a value between −1 and 1; or is below it."""
        return bool(np.logaddexp.reduce(self.weights + self._won(mean, above=above)) >= self.level)

    def interval(self) -> tuple[float, float]:
        """Return both ends, each with an error of at most α/2 over all looks; −1 and 1 before there is anything."""
        low, _ = bisect(-1.0, 1.0, partial(self.rejects, above=True), _STEPS)
        high, _ = bisect(1.0, -1.0, partial(self.rejects, above=False), _STEPS)
        return low, high

    def growth(self, mean: float) -> float:
        """Return the factor by which bets must grow to decide on which side of a value the mean is; may be infinite."""
        won = self._won(mean, above=self.mean > mean)
        if not won.max() > 0:
            return math.inf
        most = float((self.level - self.weights.min()) / won.max())
        return bisect(most, 0.0, lambda by: np.logaddexp.reduce(self.weights + by * won) >= self.level, _STEPS)[0]


#: Scores of a run by task and instance.
Coming = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """The state of two runs at one look.

    Attributes
    ----------
    verdict
        "worse" (by more than the margin), "not worse" (by more than it), or "go on".
    effect, low, high
        Mean difference, positive if the new run is better, in the units of the scores, and the interval that holds at
        all looks together; NaN without any.
    items, waiting, of
        Instances that count; those that wait for instances of other tasks; and how many the baseline has.
    more
        How many more instances decide it, if the difference seen is the true one; infinite if none would, NaN if
        unknown.
    margin
        In the units of the scores.
    ended
        Whether the new run says that it has ended, or all instances are there.
    said
        Why nothing counts yet, or what the answer waits for; may be empty.

    Examples
    --------
    >>> import podium
    >>> old, new = (podium.from_arrays({"qa": [[1.0] * right + [0.0] * (400 - right)]}) for right in (300, 240))
    >>> print(next(podium.watch(old, new, margin=0.02)))
    400 of 400 instances: difference −0.150 [−0.211, −0.102]; stop: worse by more than 0.02
    """

    verdict: Literal["worse", "not worse", "go on"]
    effect: float
    low: float
    high: float
    items: int
    waiting: int
    of: int
    more: float
    margin: float
    ended: bool
    said: str = ""

    @property
    def exit_code(self) -> int:
        """0 if it is not worse by more than the margin, 1 if it is, 3 if that is not known."""
        return {"not worse": 0, "worse": 1, "go on": 3}[self.verdict]

    def __str__(self) -> str:
        seen = f"{self.items:,} of {how_many(self.of, 'instance')}"
        if self.items:
            places = decimals((self.high - self.low) / 10)
            effect, low, high = (fixed(value, places) for value in (self.effect, self.low, self.high))
            seen += f": difference {effect} [{low}, {high}]"
        left, why = self.of - self.items, f" ({self.said})" if self.said else ""
        if self.verdict != "go on":
            return f"{seen}; stop: {self.verdict} by more than {self.margin:g}"
        if self.ended:
            return f"{seen}; the run has ended: unknown whether it is worse by more than {self.margin:g}{why}"
        if not math.isfinite(self.more):
            return f"{seen}; go on{why}"
        more = f"about {two_digits(self.more)} more instances" if self.more <= left else f"more than the {left:,} left"
        return f"{seen}; go on: {more}, if the difference seen is the true one{why}"


@keywords
def watch(
    before: "ScoresLike",
    after: "ScoresLike",
    *,
    margin: float | str,
    bounds: tuple[float, float] = (0.0, 1.0),
    every: float | None = None,
    confidence_level: float = 0.95,
    task_weights: Mapping[str, float] | None = None,
    system: str | None = None,
    **options: Any,
) -> Iterator[Watched]:
    """Look at a run while it comes in; stop as soon as it is known whether it is worse by more than a margin.

    It says Σ_t w_t E d_t, the mean difference of other instances of these tasks, which weigh as in `podium.rank`. The
    interval is a confidence sequence, see `podium.gating.watching.Bets`: it errs in at most 5% of runs, over all looks
    together, however often and long one looks. In at most 2.5% a run is called worse that is not worse by more than the
    margin, or not worse that is.

    The order in which instances come must not depend on how the two runs differ on them: shuffle the instances. Tasks
    may come in any order, but instances count in rounds with an equal share of every task each. So a task that has not
    begun holds up the others. What counts as one is a unit of a ranking (`podium.score.units.units_among`), such as a
    cluster, by the mean of its instances; it counts when all of them, with all their repeats, are there.

    Parameters
    ----------
    before
        The baseline: a finished run.
    after
        The new run, of the same instances; if it is one or more paths, it is read anew at each look, finished or not.
    margin
        How much worse is still as good, in the units of the scores, or in percent of their bounds ("1%").
    bounds
        Least and largest score that there can be.
    every
        Seconds between two looks; None for one look only.
    confidence_level
        Of the interval, between 0 and 1.
    task_weights, system, options
        As `podium.gate` takes them.

    Yields
    ------
    Watched
        One at each look, until it is decided or the run has ended. Instances that only one run has a score for do not
        count: in the new run they are still to come, or missing.

    Raises
    ------
    InputError
        The baseline cannot be read or has no instances, or the runs do not match, see `podium.gate`. That the new run
        cannot be read yet is no error, but at a single look.
    MethodError
        A score is out of bounds, or an argument makes no sense.

    References
    ----------
    Waudby-Smith and Ramdas, JRSS-B 86, 2024; Ville 1939.

    Examples
    --------
    >>> import podium
    >>> old, new = (podium.from_arrays({"qa": [[1.0] * right + [0.0] * (400 - right)]}) for right in (300, 304))
    >>> [look.verdict for look in podium.watch(old, new, margin=0.05)]
    ['not worse']
    """
    check_confidence(confidence_level)
    refuse_same_path(before, after)
    if every is not None and not as_number(every) > 0:
        raise MethodError(f"every is {every!r}; it must be a number of seconds above 0")
    old = read_baseline(before, "before", system, options)
    if old.scores.human:
        raise InputError("watch does not use labels by people; leave out human_column= (--human-column), or use gate")
    old = replace(old, scores=old.scores.with_task_weights(task_weights)) if task_weights else old
    baseline = Baseline(old.scores, margin=margin, bounds=bounds, confidence=confidence_level)

    listed = after if isinstance(after, list | tuple) else [after]
    again = every if all(isinstance(one, str | PathLike) for one in listed) else None

    def look() -> Watched:
        try:
            [new] = read_sources({"after": after}, partial(read_run, options))
        except (InputError, LabelError) as error:
            if again is None:
                raise
            return baseline.look({}, said=str(error))
        return baseline.look(*_coming(old, of_system(new, [old, new], system)))

    return _looks(look, again)


def _looks(look: Callable[[], Watched], every: float | None) -> Iterator[Watched]:
    """Look until it is decided, or nothing has come since a look at a run that had ended."""
    there = -1
    while True:
        found = look()
        yield found
        came = found.items + found.waiting
        if every is None or found.verdict != "go on" or found.items == found.of or (found.ended and came == there):
            return
        there = came
        time.sleep(every)


def _coming(before: Source, after: Source) -> tuple[Coming, bool, str]:
    """Return scores of the new run, as the baseline calls instances; whether it has ended; and which tasks it lacks."""
    sizes = {task.name: task.n_instances for task in before.scores.tasks}
    begun = [task.name for task in after.scores.tasks if task.n_instances > 1 or sizes.get(task.name) == 1]
    lacking = [name for name in sizes if name not in begun]
    ended = bool(after.origin.runs) and not after.origin.unfinished
    found: dict[str, dict[str, float]] = {}
    if begun:
        both = joined([before, replace(after, scores=after.scores.select(tasks=begun))], by_position=False)
        row = both.systems.index(after.name)
        found = {task.name: dict(zip(item_labels(task), _whole(task, row, ended), strict=True)) for task in both.tasks}
    return found, ended, f"nothing yet of {few(lacking, 3)}" if lacking else ""


def _whole(task: Task, row: int, ended: bool) -> list[float]:
    """Return scores of a system on a task; NaN of instances that have repeats still to come."""
    values = np.array(task.values[row], dtype=np.float64)
    if task.repeats is not None and not ended:
        numbers = np.count_nonzero(~np.isnan(task.repeats.values), axis=2)
        values[numbers[row] < numbers.max()] = np.nan
    return list(map(float, values))


class Baseline:
    """The instances of a baseline, in the units that count, and the order in which they come in a new run.

    Parameters
    ----------
    scores
        Of one system.
    margin, bounds, confidence
        See `watch`.

    Raises
    ------
    InputError
        There are no instances.
    MethodError
        A score is out of bounds, or there is no such margin or bounds.
    """

    def __init__(
        self, scores: Scores, *, margin: float | str, bounds: tuple[float, float] = (0.0, 1.0), confidence: float = 0.95
    ) -> None:
        self._low, self._high = map(as_number, bounds)
        if not (math.isfinite(self._high - self._low) and self._low < self._high):
            raise MethodError(f"bounds are {bounds!r}; they must be the least and the largest score, such as (0, 1)")
        self._margin, self._confidence = in_units(margin, self._high - self._low), confidence
        self._tasks = [task for task in scores.tasks if task.weight > 0 and not np.isnan(task.values[0]).all()]
        if not self._tasks:
            raise InputError("the baseline has no scored instances")
        self._scores = [self._bounded(task.values[0]) for task in self._tasks]
        self._groups = units_among(self._tasks)
        self._order: list[list[int]] = [[] for _ in self._groups]

    def _bounded(self, values: Any) -> Floats:
        found = np.array(values, dtype=np.float64)
        wrong = found[(found < self._low) | (found > self._high)]
        if wrong.size:
            raise MethodError(
                f"there is a score of {wrong[0]:g}, and bounds are {self._low:g} and {self._high:g}; give the least "
                "and the largest score that there can be, with bounds= (--bounds), as in 0,100"
            )
        return found

    def look(self, after: Coming, ended: bool = False, said: str = "") -> Watched:  # noqa: FBT002
        """Say what is known, if these scores have come.

        Parameters
        ----------
        after
            Of the new run; missing, or NaN, if they are still to come.
        ended
            Whether no more will come: units that lack instances then count without these.
        said
            What the answer waits for.
        """
        of_tasks = [(after.get(task.name, {}), item_labels(task)) for task in self._tasks]
        come = [self._bounded([scores.get(label, math.nan) for label in labels]) for scores, labels in of_tasks]
        return self._seen(come, ended, said)

    def _seen(self, come: Sequence[Floats], ended: bool, said: str = "") -> Watched:
        """Say what is known of scores, shape `(K,)` of each task."""
        scale, nan, moved = self._high - self._low, math.nan, []
        for task, old, new in zip(self._tasks, self._scores, come, strict=True):
            moved.append((new - old if task.higher_is_better else old - new) / scale)
        units = [self._units(group, moved) for group in self._groups]
        rounds = min(group.number for group in units)
        for group, order in zip(units, self._order, strict=True):
            ready = (group.items > 0) & ((group.there == group.items) | (ended & (group.there > 0)))
            known = [unit for unit in order if ready[unit]]
            order[:] = [*known, *sorted(set(np.flatnonzero(ready).tolist()) - set(known))]
        groups = list(zip(units, self._order, strict=True))
        done = min(rounds, *(((len(order) + 1) * rounds - 1) // group.number for group, order in groups))
        most = max(group.mass.max() / (group.number // rounds) for group in units)
        values, sizes, items, size = [], [], 0, 0.0
        for group, order in groups:
            chunks = np.diff(np.arange(done + 1) * group.number // rounds)
            used = order[: int(chunks.sum())]
            values.append(group.moved[used] / group.came[used])
            sizes.append(group.came[used] / np.repeat(chunks, chunks) / most)
            items += int(group.there[used].sum())
            size += float(group.mass @ group.mass) * (rounds / group.number / most) ** 2
        bets = Bets(np.concatenate(values), np.concatenate(sizes), size=size, confidence=self._confidence)
        of = sum(int(group.items.sum()) for group in units)
        waiting = sum(int(group.there.sum()) for group in units) - items
        found = Watched("go on", nan, nan, nan, items, waiting, of, nan, self._margin, ended or items == of, said)
        if not items or self._margin >= scale:
            return found
        low, high = (scale * end for end in bets.interval())
        verdict: Literal["worse", "not worse", "go on"] = "go on"
        if bets.rejects(-self._margin / scale, above=False):
            verdict = "worse"
        elif bets.rejects(-self._margin / scale, above=True):
            verdict = "not worse"
            gone = [np.isnan(new) for new in come] if ended else []
            lacking = sum(int((out & ~np.isnan(old)).sum()) for out, old in zip(gone, self._scores, strict=False))
            worst = [self._low if task.higher_is_better else self._high for task in self._tasks]
            if lacking and self._seen(list(map(np.where, gone, worst, come)), ended=False).verdict != "not worse":
                verdict, said = "go on", f"{lacking:,} instances have no score, and it may be worse if they failed"
                found = replace(found, said=said)
        more = (bets.growth(-self._margin / scale) - 1) * items
        return replace(found, verdict=verdict, effect=scale * bets.mean, low=low, high=high, more=max(more, 0.0))

    def _units(self, group: Units, moved: Sequence[Floats]) -> "_GroupUnits":
        """Add up the instances of each unit; each task weighs the same, or as given."""
        weights = []
        for place in group.tasks:
            own = self._tasks[place].instance_weights
            counted = ~np.isnan(self._scores[place]) * (1.0 if own is None else own)
            weights.append(counted * (self._tasks[place].weight / counted.sum()))
        differences = [moved[place] for place in group.tasks]
        unit, mass, by = (np.concatenate(parts) for parts in (group.of, weights, differences))
        came = (mass > 0) & ~np.isnan(by)

        def added(values: NDArray[Any]) -> Floats:
            return np.bincount(unit, weights=values, minlength=group.number).astype(np.float64)

        items, there = (added(which).astype(np.int64) for which in (mass > 0, came))
        number = int(np.count_nonzero(items))
        whole, part, by = (number * added(of) for of in (mass, mass * came, mass * np.where(came, by, 0.0)))
        return _GroupUnits(number, whole, part, by, items, there)


class _GroupUnits(NamedTuple):
    """Units with instances, by group: how many, what they weigh, which came, and how they differ."""

    number: int
    mass: Floats
    came: Floats
    moved: Floats
    items: NDArray[np.int64]
    there: NDArray[np.int64]
