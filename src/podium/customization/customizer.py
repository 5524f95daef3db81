"""Scores sorted by difficulty once, so that any splits, weights, rewards and penalties are answered at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, LabelError, MethodError, nearest
from podium.base.parallel import Progress, cores
from podium.customization.box import Box
from podium.customization.curve import check_powers
from podium.customization.match import Rated, rate, rate_by_own
from podium.customization.partition import Partition
from podium.customization.split import BOX_LEVELS, TIES, Splitting
from podium.customization.weight import PLAIN, Weighting
from podium.difficulty.result import Difficulty
from podium.ranking.bootstrap import replicate, satterthwaite, several
from podium.score.instance import instance_set
from podium.score.table import Scores, Task, check_scores
from podium.tally.draw import Resampling, instance_keys, task_key
from podium.tally.kernel import Kernels, choose

Floats = NDArray[np.float64]

#: Draws of instances in memory at a time.
_AT_ONCE = 2**24

#: Replicates counted together, where there are few instances.
_TOGETHER = 64


@dataclass(frozen=True, slots=True, eq=False)
class Customizer:
    """A score table sorted by difficulty.

    Attributes
    ----------
    rated
        Scores and difficulties.
    level
        "two": each task is split and scored by itself, and the scores are averaged over tasks; "one": all instances in
        one box.
    boxes
        Instances that are split together.
    weights
        Shape `(boxes,)`: of the average over boxes.

    Examples
    --------
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> customizer = podium.Customizer.of(scores, bias)
    >>> for penalty in (-1, 0):
    ...     customizer.metric(splits=2, penalty=penalty)[0].round(3).tolist()
    [-0.333, 0.667]
    [0.333, 0.833]
    """

    rated: Rated
    level: str
    boxes: tuple[Box, ...]
    weights: Floats

    @classmethod
    def of(
        cls,
        scores: Scores,
        difficulty: Difficulty | Scores,
        *,
        measure: str | None = None,
        ties: str = "share",
        level: str | None = None,
        strict: bool = False,
        bounded: bool = True,
    ) -> "Customizer":
        """Match scores with difficulties, and sort; the arguments are those of `podium.customize`.

        Unless `bounded`, scores may be on any scale; then only the splits mean anything.

        Raises
        ------
        InputError
            No instance has a difficulty, or a score is not between 0 and 1.
        LabelError
            There is no such measure.
        MethodError
            There is no such level or way with ties.

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
        _check_choice("way with ties", ties, TIES)
        if level is not None:
            _check_choice("level", level, BOX_LEVELS)
        if isinstance(difficulty, Scores):
            if measure is not None:
                raise LabelError(f"confidences have no measure {measure!r}; leave it out")
            rated = rate_by_own(scores, difficulty, strict=strict)
        elif isinstance(difficulty, Difficulty):
            rated = rate(scores, difficulty, measure, strict=strict)
        else:
            raise InputError(
                f"expected a Difficulty, not {type(difficulty).__name__}; make it with podium.read_difficulty(path), "
                "or give confidences as Scores"
            )
        used = level or "two"
        return cls(rated, used, *_boxed(rated, used, share_ties=ties == "share", bounded=bounded))

    def split(self, splitting: Splitting, columns: Sequence[Floats] | None = None) -> Partition:
        """Split the instances.

        Parameters
        ----------
        splitting
            How to; random and manual splits sort anew.
        columns
            For manual splits, for each task the number of the split of each instance, `(K,)`, from 0.

        Raises
        ------
        MethodError
            There are more splits than instances; or splits are manual, and nothing says which is whose.
        """
        if splitting.by == "manual" and columns is None:
            raise MethodError(
                "manual splits need the column that says which split an instance is in; use podium.customize"
            )
        keys = columns
        if splitting.by == "random":
            keys = [_drawn_keys(task, splitting.seed) for task in self.rated.scores.tasks]
        if keys is None:
            return Partition.of(splitting, self.boxes, self.weights)
        return Partition.of(splitting, *_boxed(self.rated, self.level, keys=keys))

    def metric(
        self,
        splits: int | Sequence[float] = 7,
        *,
        by: str | None = None,
        weights: str | Sequence[float] = "linear",
        reward: float | str = 1,
        penalty: float | str = -1,
        seed: int = 0,
    ) -> tuple[Floats, Floats]:
        """Overall, shape `(N,)`, and within splits, `(N, s)`; of 1 at most, NaN where there is nothing to earn.

        The arguments are those of `podium.customize`. What has been summed is kept, so that other ends or weights of
        splits cost no look at the instances.

        Raises
        ------
        MethodError, WeightError
            As by `podium.customize`.
        """
        weighting = Weighting.of(weights, reward, penalty)
        if weighting.powers != (0, 0, 0):
            self.check(weighting)
        return self.split(Splitting.of(splits, by, seed=seed)).metric(weighting)

    def accuracy(self) -> Floats:
        """Shape `(N,)`: plain mean score of each system on the same instances, averaged in the same way."""
        return Partition.of(Splitting("equal", 1), self.boxes, self.weights).metric(PLAIN)[0]

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
        as in `podium.ranking.bootstrap.satterthwaite`; tasks with the same instances are drawn together.
        """
        numbers = partition.effective(weighting)
        if self.level == "one":
            return numbers[0] - 1
        groups: dict[bytes, tuple[float, float]] = {}
        for task, number, weight in zip(self.rated.scores.tasks, numbers, self.weights.tolist(), strict=True):
            least, whole = groups.get(instance_set(task), (number, 0.0))
            groups[instance_set(task)] = (min(least, number), whole + weight)
        sizes, sums = several(groups.values())
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
        weights = weighting.split_weights(partition.splitting.count)
        kernels = choose(1, n_instances, resampling.replicates)
        boxes = zip(partition.boxes, partition.cuts, strict=True)
        replicates = [box.replicates(weighting, cuts) for box, cuts in boxes]

        def one(run: Resampling) -> Floats:
            drawn = zip(replicates, self._draws(run, kernels), strict=True)
            return partition.overall([sums(draws) for sums, draws in drawn], weights)

        at_once = min(max(_AT_ONCE // n_instances, 1), _TOGETHER)
        return replicate(resampling, one, at_once=at_once, threads=threads or cores(), progress=progress)

    def _draws(self, run: Resampling, kernels: Kernels) -> list[NDArray[np.uint8]]:
        """For each box the draws of its instances, `(K, R)`."""
        tasks = self.rated.scores.tasks
        drawn = [
            np.ones((1, run.replicates), np.uint8)
            if key is None
            else kernels.draws(instance_keys(key, 0, task.n_instances), run.first, run.replicates)
            for task, key in zip(tasks, run.keys(tasks), strict=True)
        ]
        return drawn if self.level == "two" else [np.concatenate(drawn)]


def _boxed(
    rated: Rated,
    level: str,
    *,
    share_ties: bool = True,
    keys: Sequence[Floats] | None = None,
    bounded: bool = True,
) -> tuple[tuple[Box, ...], Floats]:
    """Put instances into boxes: of each task by itself, or all in one."""
    tasks = rated.scores.tasks
    scored = [_goodness(task) if bounded else task.values for task in tasks]
    weights = [np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights for task in tasks]
    details: dict[str, Any] = {"rising": rated.hard == "high", "share_ties": share_ties}
    if level == "two":
        orders: Sequence[Floats | None] = [None] * len(tasks) if keys is None else keys
        columns = zip(scored, rated.values, weights, orders, strict=True)
        names = [f"task {task.name!r}" if len(tasks) > 1 else "" for task in tasks]
        boxes = [
            Box.of(scores, values, own, keys=by, name=name, **details)
            for (scores, values, own, by), name in zip(columns, names, strict=True)
        ]
        return tuple(boxes), rated.scores.task_weights
    scores = np.concatenate(scored, axis=1)
    values = np.concatenate(rated.values, axis=-1)
    weighed = np.concatenate([task.weight * own for task, own in zip(tasks, weights, strict=True)])
    by = None if keys is None else np.concatenate(keys)
    return (Box.of(scores, values, weighed, keys=by, **details),), np.ones(1)


def _drawn_keys(task: Task, seed: int) -> Floats:
    """Shape `(K,)`: a random order of the instances, keyed as draws of the bootstrap are, and not by their places."""
    keys = instance_keys(task_key(seed, b"split" + instance_set(task)), 0, task.n_instances)
    return keys / 2.0**64


def _goodness(task: Task) -> Floats:
    """Scores in [0, 1], turned so that higher is better."""
    values = task.values.astype(np.float64, copy=False)
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        label = column if task.instances is None else task.instances[column]
        raise InputError(
            f"task {task.name!r}, instance {str(label)!r}: a score is {values[row, column]:g}, and rewards and "
            "penalties are for scores between 0 (wrong) and 1 (right); rescale them"
        )
    return values if task.higher_is_better else 1 - values


def _check_choice(what: str, given: Any, names: Sequence[str]) -> None:
    if given not in names:
        raise MethodError(f"there is no {what} {given!r}; {nearest(str(given), names)}")
