"""Scores sorted by difficulty once, so that any splits, weights, rewards and penalties are answered at once.

- All boxes of a table, split: the metric overall and by split, averaged over boxes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.errors import InputError, LabelError, MethodError
from podium.base.parallel import Progress, cores
from podium.customization.curve import Box, Cuts, Sums, check_powers, series
from podium.customization.match import RatedScores, rate, rate_by_own
from podium.customization.split import PLAIN, Splitting, Weighting, lead_shares, weightings
from podium.difficulty.result import Difficulty
from podium.ranking.bootstrap import in_chunks
from podium.ranking.degrees_of_freedom import groups_that_vary, satterthwaite
from podium.score.table import Scores, check_scores
from podium.score.task import Task, masses_of
from podium.score.units import instance_set, units_among
from podium.tally.count import choose
from podium.tally.draw import Resampling, instance_keys, task_key


class SharedEnd(NamedTuple):
    """End of a split among instances of one difficulty: number of the split, that difficulty, how many they are."""

    split: int
    value: float
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Boxes with the ends of their splits.

    Attributes
    ----------
    splitting
        How they were split.
    names
        What the s splits are called.
    boxes
        The instances, in order.
    cuts
        For each box, and each part of it, where splits end.
    weights
        Shape `(boxes,)`: weights of their averages.
    """

    splitting: Splitting
    names: tuple[str, ...]
    boxes: tuple[Box, ...]
    cuts: tuple[list[Cuts], ...]
    weights: Floats

    @classmethod
    def of(cls, splitting: Splitting, boxes: Sequence[Box], weights: Floats, names: Sequence[str] = ()) -> Self:
        """Split; unless they have names, splits are numbered.

        Raises
        ------
        MethodError
            There are more splits than instances.
        """
        called = tuple(names) or splitting.numbers
        return cls(splitting, called, tuple(boxes), tuple(box.cuts(splitting, len(called)) for box in boxes), weights)

    @property
    def count(self) -> int:
        """s, the number of splits."""
        return len(self.names)

    def sums(self, weighting: Weighting) -> list[Sums]:
        """For each box what systems earned, and could have, in each split."""
        return [box.sums(weighting, cuts) for box, cuts in zip(self.boxes, self.cuts, strict=True)]

    def metric(self, weighting: Weighting) -> tuple[Floats, Floats]:
        """Overall, shape `(N,)`, and within splits, `(N, s)`; of 1 at most, NaN where there is nothing to earn."""
        sums = self.sums(weighting)
        overall = self.overall(sums, weighting.split_weights(self.count))
        return overall, self.mean(one.within() for one in sums)

    def overall(self, sums: Sequence[Sums], weights: Floats) -> Floats:
        """Shape `(N, …)`: the metric with these weights of the splits, see `Sums.overall`."""
        return self.mean(one.overall(weights) for one in sums)

    def mean(self, values: Iterable[Floats]) -> Floats:
        """Average over boxes; a box in which a value is NaN is left out of its average."""
        if len(self.boxes) == 1:
            return next(iter(values))
        whole, total = 0.0, 0.0
        for weight, one in zip(self.weights.tolist(), values, strict=True):
            there = ~np.isnan(one)
            total = total + weight * there
            whole = whole + weight * np.where(there, one, 0.0)
        result: Floats = np.full(np.shape(total), np.nan)
        np.divide(whole, total, out=result, where=np.asarray(total) > 0)
        return result

    def sizes(self) -> Floats:
        """Shape `(s,)`: instances in each split, of all boxes; on average over systems that each have an order."""
        total = np.zeros(self.count)
        for box, cuts in zip(self.boxes, self.cuts, strict=True):
            short = box.short(self.splitting, self.count)
            for row, (part, ends) in enumerate(zip(box.parts, cuts, strict=True)):
                order = part.order
                if row not in short:
                    counts = np.interp(ends.along(order), np.arange(order.ends.size), order.ends)
                    total += np.diff(counts) / (len(box.parts) - len(short))
        return total

    def effective(
        self, weighting: Weighting, clusters: Sequence[NDArray[np.int64] | None] | None = None
    ) -> list[float]:
        """For each box the number of instances of equal weight that would tell as much: (Σ W)² / Σ W².

        W is that of the denominator, d W with split weights. Where systems have orders of their own, the least of them.
        Where instances have clusters, by number, that of clusters: W is then summed in each.
        """
        b = weighting.split_weights(self.count)
        weight, reward, _ = weighting.powers
        numbers = []
        for box, cuts, of in zip(self.boxes, self.cuts, clusters or [None] * len(self.boxes), strict=True):
            least = np.inf
            for curves, ends in zip(box.parts, cuts, strict=True):
                shares = curves.order.shares(ends.along(curves.order))[curves.order.permutation] @ b
                own = shares * series(curves.difficulty, weight + reward, curves.weights)
                if own.any():
                    scaled = own / own.max()
                    scaled = scaled if of is None else np.bincount(of, weights=scaled)
                    least = min(least, float(scaled.sum() ** 2 / (scaled**2).sum()))
            numbers.append(least if np.isfinite(least) else 0.0)
        return numbers

    def shares(self) -> list[Floats]:
        """For each box, `(K, s)`: which share of each instance is in each split, where systems have one order."""
        boxes = zip(self.boxes, self.cuts, strict=True)
        orders = [(box.parts[0].order, cuts[0]) for box, cuts in boxes]
        return [order.shares(ends.along(order)) for order, ends in orders]

    def ranges(self) -> list[tuple[float, float]]:
        """Least and greatest difficulty in each split; NaN where it is empty, or systems have orders of their own."""
        found = np.full((self.count, 2), np.nan)
        for box, cuts in zip(self.boxes, self.cuts, strict=True):
            if box.own:
                return [(np.nan, np.nan)] * self.count
            curves = box.parts[0]
            knots = cuts[0].along(curves.order)
            first = curves.order.ends[np.floor(knots[:-1]).astype(np.int64)]
            last = curves.order.ends[np.ceil(knots[1:]).astype(np.int64)]
            for j, (low, high) in enumerate(zip(first, last, strict=True)):
                if knots[j] < knots[j + 1]:
                    inside = curves.difficulty[low:high]
                    found[j] = np.fmin(found[j, 0], inside.min()), np.fmax(found[j, 1], inside.max())
        return [(float(low), float(high)) for low, high in found]

    def shared(self, row: int | None = None) -> list[SharedEnd]:
        """Find the splits that end among instances of one difficulty.

        Parameters
        ----------
        row
            Of a system, for boxes in which every system has an order of its own; None for the other boxes.
        """
        ends = []
        for box, cuts in zip(self.boxes, self.cuts, strict=True):
            if box.own == (row is None):
                continue
            curves, knots = box.parts[row or 0], cuts[row or 0].along(box.parts[row or 0].order)
            for split, knot in enumerate(knots[1:-1], start=1):
                group = int(knot)
                size = int(np.diff(curves.order.ends[group : group + 2]).sum())
                if knot > group and size > 1:
                    ends.append(SharedEnd(split, float(curves.difficulty[curves.order.ends[group]]), size))
        return ends


#: Weightings looked at together; their number is a multiple of it.
_TOGETHER = 500


def lead_shares_of(
    partition: Partition, sums: Sequence[Sums], weighting: Weighting, *, rising: bool, seed: int
) -> Floats:
    """Shape `(N,)`: in which share of weightings of the splits each system is first."""
    if weighting.power:
        return np.full(sums[0].earned.shape[0], np.nan)
    drawn = weightings(partition.count, rising=rising, seed=seed)
    pieces = [drawn[:, first : first + _TOGETHER] for first in range(0, drawn.shape[1], _TOGETHER)]
    share: Floats = np.mean([lead_shares(partition.overall(sums, piece)) for piece in pieces], axis=0)
    return share


#: Draws of instances in memory at a time.
_AT_ONCE = 2**24

#: Replicates counted together, where there are few instances.
_CUSTOMIZER_TOGETHER = 64


@dataclass(frozen=True, slots=True, eq=False)
class Customizer:
    """A score table with difficulties, sorted by them once for every level and way with ties.

    Attributes
    ----------
    rated
        Scores and difficulties.
    goodness
        For each task its scores, turned so that higher is better, `(N, K)`.

    Examples
    --------
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> customizer = podium.Customizer.of(scores, bias)
    >>> for penalty in (-1, 0):
    ...     customizer.metric(2, podium.Weighting(penalty=penalty))[0].round(3).tolist()
    [-0.333, 0.667]
    [0.333, 0.833]
    """

    rated: RatedScores
    goodness: tuple[Floats, ...]
    _boxes: dict[tuple[str, str], tuple[Box, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        scores: Scores,
        difficulty: Difficulty | Scores,
        *,
        measure: str | None = None,
        strict: bool = False,
        bounded: bool = True,
    ) -> Self:
        """Match scores with difficulties; the arguments are those of `podium.customize`.

        Unless `bounded`, scores may be on any scale; then only the splits mean anything.

        Raises
        ------
        InputError
            No instance has a difficulty, or a score is not between 0 and 1.
        LabelError
            There is no such measure.

        Examples
        --------
        >>> import podium
        >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
        >>> sure = podium.from_arrays({"t": [[0.6, 0.7, 0.8, 0.9], [0.9, 0.8, 0.7, 0.6]]}, systems=["A", "B"])
        >>> overall, within = Customizer.of(scores, sure).metric(splits=2)
        >>> overall.round(3).tolist()
        [-0.333, 0.333]
        """
        check_scores(scores)
        if isinstance(difficulty, Scores):
            if measure is not None:
                raise LabelError(f"confidences have no measure {measure!r}; leave it out")
            rated = rate_by_own(scores, difficulty, strict=strict)
        elif isinstance(difficulty, Difficulty):
            rated = rate(scores, difficulty, measure, strict=strict)
        else:
            raise InputError(
                f"expected a Difficulty, not {type(difficulty).__name__}; make it with podium.failures(scores), "
                "podium.irt(scores) or podium.read_difficulty(path), or give confidences as Scores"
            )
        return cls(rated, tuple(_goodness(task) if bounded else task.values for task in rated.scores.tasks))

    def split(self, splitting: Splitting, *, seed: int = 0) -> Partition:
        """Split the instances; random and manual splits sort anew.

        Raises
        ------
        InputError, LabelError
            The column that names the splits is empty for some instances, or there is none.
        MethodError
            There are more splits than instances; or splits are manual, and every system has difficulties of its own.
        """
        names: list[str] = []
        if splitting.by == "manual":
            names, keys = self.named(str(splitting.splits))
            boxes = self._boxed(splitting.level, keys=keys)
        elif splitting.by == "random":
            keys = [  # keyed as draws of the bootstrap are, and not by the places of instances
                instance_keys(task_key(seed, b"split" + instance_set(task)), 0, task.n_instances) / 2.0**64
                for task in self.rated.scores.tasks
            ]
            boxes = self._boxed(splitting.level, keys=keys)
        else:
            boxes = self._sorted(splitting)
        return Partition.of(splitting, boxes, self._weights(splitting), names)

    def metric(
        self, splits: int | Splitting = 7, weights: str | Sequence[float] | Weighting = "linear", *, seed: int = 0
    ) -> tuple[Floats, Floats]:
        """Overall, shape `(N,)`, and within splits, `(N, s)`; of 1 at most, NaN where there is nothing to earn.

        The arguments are those of `podium.customize`. What has been summed is kept, so that other ends or weights of
        splits cost no look at the instances.

        Raises
        ------
        MethodError, WeightError
            As by `podium.customize`.
        """
        splitting, weighting = Splitting.of(splits), Weighting.of(weights)
        if weighting.powers != (0, 0, 0):
            self.check(weighting)
        return self.split(splitting, seed=seed).metric(weighting)

    def accuracy(self, splitting: Splitting) -> Floats:
        """Shape `(N,)`: plain mean score of each system on the same instances, averaged in the same way."""
        return Partition.of(Splitting(1), self._sorted(splitting), self._weights(splitting)).metric(PLAIN)[0]

    def check(self, weighting: Weighting) -> None:
        """Refuse powers of B where difficulties do not allow them.

        Raises
        ------
        MethodError
            B is 0 or negative somewhere, see `podium.customization.curve.check_powers`.
        """
        values = np.concatenate([own.ravel() for own in self.rated.values])
        check_powers(weighting, values[~np.isnan(values)], self.rated.name)

    def freedom(self, partition: Partition, weighting: Weighting) -> float:
        """Degrees of freedom of the standard error of a score, with all weights; see `Partition.effective`.

        Of one box the effective number of instances less 1. Of several, whose scores are averaged, after Satterthwaite
        as in `podium.ranking.degrees_of_freedom.satterthwaite`; tasks with the same instances, or a cluster in common,
        are drawn together.
        """
        tasks = self.rated.scores.tasks
        numbers = partition.effective(weighting, _clusters(tasks, partition.splitting.level))
        if partition.splitting.level == "one":
            return numbers[0] - 1
        groups = [
            (min(numbers[task] for task in units.tasks), sum(float(partition.weights[task]) for task in units.tasks))
            for units in units_among(tasks)
        ]
        sizes, sums = groups_that_vary(groups)
        return satterthwaite(sizes, (sums / sums.max(initial=0.0)) ** 2 / sizes)

    def replicate(
        self,
        partition: Partition,
        weighting: Weighting,
        resampling: Resampling,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """Shape `(N, B)`: the metric in every bootstrap replicate, ends of splits drawn anew with the instances.

        A replicate weighs every instance by a Poisson number, keyed as in `podium.tally.draw`.
        """
        n_instances = self.rated.scores.n_instances
        weights = weighting.split_weights(partition.count)
        kernels = choose(1, n_instances, resampling.replicates)

        tasks = self.rated.scores.tasks

        def score(run: Resampling) -> Floats:
            draws = [
                np.ones((1, run.replicates), np.uint8)
                if key is None
                else kernels.draws(instance_keys(key, 0, task.n_instances), run.first, run.replicates)
                for task, key in zip(tasks, run.keys(tasks), strict=True)
            ]
            if partition.splitting.level == "one":
                draws = [np.concatenate(draws)]
            boxes = zip(partition.boxes, partition.cuts, draws, strict=True)
            return partition.overall([box.replicates(weighting, cuts, drawn) for box, cuts, drawn in boxes], weights)

        at_once = min(max(_AT_ONCE // n_instances, 1), _CUSTOMIZER_TOGETHER)
        return in_chunks(resampling, score, at_once=at_once, threads=threads or cores(), progress=progress)

    def named(self, column: str) -> tuple[list[str], list[Floats]]:
        """Return names of manual splits from easy to hard, and for each task the number of the split of each instance.

        Raises
        ------
        InputError, LabelError
            The column is empty for some instances, or there is none.
        MethodError
            Every system has difficulties of its own.
        """
        rated = self.rated
        if rated.difficulty is None:
            raise MethodError("confidences have no column of splits; use a Difficulty that has one")
        labels = list(map(_label, rated.difficulty.column(column).tolist()))
        if any(not labels[place] for places in rated.places for place in places):
            raise InputError(f"column {column!r} is empty for some instances; give every instance a split")
        names = sorted({labels[place] for places in rated.places for place in places})
        try:
            names = sorted(names, key=float)
        except ValueError:  # others than numbers are in order of the mean difficulty of their instances
            values: dict[str, list[float]] = {name: [] for name in names}
            for places, own in zip(rated.places, rated.values, strict=True):
                for place, value in zip(places.tolist(), own.tolist(), strict=True):
                    values[labels[place]].append(value)
            names.sort(key=lambda name: float(np.mean(values[name])), reverse=rated.hard == "low")
        number = {name: float(place) for place, name in enumerate(names)}
        return names, [np.array([number[labels[place]] for place in places]) for places in rated.places]

    def _sorted(self, splitting: Splitting) -> tuple[Box, ...]:
        """Boxes in the order of difficulty; kept."""
        key = splitting.level, splitting.ties
        if key not in self._boxes:
            self._boxes[key] = self._boxed(splitting.level, share_ties=splitting.ties == "share")
        return self._boxes[key]

    def _weights(self, splitting: Splitting) -> Floats:
        """Weights of the averages over boxes."""
        return self.rated.scores.task_weights if splitting.level == "two" else np.ones(1)

    def _boxed(self, level: str, *, share_ties: bool = True, keys: Sequence[Floats] | None = None) -> tuple[Box, ...]:
        """Put instances into boxes: of each task by itself, or all in one."""
        rated, tasks = self.rated, self.rated.scores.tasks
        weights = list(map(masses_of, tasks))
        details: dict[str, Any] = {"rising": rated.hard == "high", "share_ties": share_ties}
        if level == "two":
            orders: Sequence[Floats | None] = [None] * len(tasks) if keys is None else keys
            columns = zip(self.goodness, rated.values, weights, orders, strict=True)
            names = [f"task {task.name!r}" if len(tasks) > 1 else "" for task in tasks]
            return tuple(
                Box.of(scores, values, own, keys=by, name=name, **details)
                for (scores, values, own, by), name in zip(columns, names, strict=True)
            )
        scores, values = np.concatenate(self.goodness, axis=1), np.concatenate(rated.values, axis=-1)
        weighed = np.concatenate([task.weight * own for task, own in zip(tasks, weights, strict=True)])
        by = None if keys is None else np.concatenate(keys)
        return (Box.of(scores, values, weighed, keys=by, **details),)


def _clusters(tasks: Sequence[Task], level: str) -> list[NDArray[np.int64] | None]:
    """For each box, shape `(K,)`: number of the cluster of each instance; None where instances are drawn."""
    own = [None if task.clusters is None else task.clusters.numbers for task in tasks]
    if level == "two" or all(of is None for of in own):
        return own if level == "two" else [None]
    number: dict[tuple[int, str], int] = {}
    names = [
        [(task, str(place)) for place in range(one.n_instances)] if one.clusters is None
        else [(-1, label) for label in one.clusters.labels]
        for task, one in enumerate(tasks)
    ]  # fmt: skip
    return [np.array([number.setdefault(name, len(number)) for some in names for name in some])]


def _goodness(task: Task) -> Floats:
    """Return scores in [0, 1], turned so that higher is better."""
    values = task.values.astype(np.float64, copy=False)
    if np.fmin.reduce(values, axis=None, initial=0.0) < 0 or np.fmax.reduce(values, axis=None, initial=1.0) > 1:
        row, column = np.argwhere((values < 0) | (values > 1))[0]
        label = column if task.instances is None else task.instances[column]
        raise InputError(
            f"task {task.name!r}, instance {str(label)!r}: a score is {values[row, column]:g}, and rewards and "
            "penalties are for scores between 0 (wrong) and 1 (right); rescale them"
        )
    return values if task.higher_is_better else 1 - values


def _label(value: Any) -> str:
    """Name a split as it is written; empty where there is none."""
    if value is None or value != value:  # noqa: PLR0124  # NaN
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
