"""Drawing repeats: what another run of the same instances would say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.errors import MethodError
from podium.base.words import few
from podium.ranking.variation import departures
from podium.score.repeat import Repeats
from podium.score.table import Block, Scores
from podium.score.task import PART, Task, masses_of
from podium.tally.count import Counts, choose
from podium.tally.draw import repeat_draws, repeat_keys
from podium.tally.tally import Kernels, Tally

#: Repeats that are drawn at a time.
_DRAWS = 2**18

#: Chance with which runs are drawn as a whole though they differ by no more than their instances do.
_WHOLE = 0.1

#: What to do where repeats cannot be drawn.
_OTHERWISE = "or choose units='instances' (--units instances), which takes in the noise of repeats"


@dataclass(frozen=True, slots=True, eq=False)
class RunSpread:
    """Variance between whole runs of systems.

    Run r moves the score of a system by y_r = Σ_k a_k (x_kr − x̄_k) over all instances, which weigh a_k. If runs have
    nothing in common but the system, Σ y_r² is Σ_kr a_k² (x_kr − x̄_k)² on average, and R − 1 times their ratio is
    nearly χ² with R − 1 degrees of freedom, if there are many instances.

    Attributes
    ----------
    variance
        Shape `(N,)`: of the mean of the runs, Σ y_r² / R (R − 1).
    df
        Shape `(N,)`: R − 1.
    ratio
        Sum of these χ² over systems, by its degrees of freedom; 1 without runs.
    p
        That runs vary no more than their instances do, by this sum.

    Examples
    --------
    >>> import podium
    >>> run = np.array([0.0, 1.0, 3.0])
    >>> scores = podium.from_arrays({"t": np.random.default_rng(0).normal(size=(4, 20, 3)) + run})
    >>> RunSpread.of(scores, [task.repeats for task in scores.tasks], None).p < 0.01
    True
    """

    variance: Floats
    df: Floats
    ratio: float
    p: float

    @classmethod
    def of(
        cls, scores: Scores, repeats: Sequence[Repeats | None], level: str | None, *, of_orders: bool = False
    ) -> Self:
        """Look at the repeats of all tasks; where orders are counted, each task counts alike, whatever its scale."""
        most = max((own.values.shape[2] for own in repeats if own is not None), default=1)
        moved, squares = np.zeros((len(scores.systems), most)), np.zeros(len(scores.systems))
        runs = np.ones(len(scores.systems))
        for task, own in zip(scores.tasks, repeats, strict=True):
            if own is None or not task.weight or not own.of_runs:
                continue
            by_run, alone = np.zeros_like(moved), np.zeros_like(squares)
            for row, values in enumerate(own.values):
                away, number = departures(values)
                departure = away * np.broadcast_to(_share(task, level), len(values))[:, None]
                by_run[row, : values.shape[1]], alone[row] = departure.sum(axis=0), (departure**2).sum()
                runs[row] = max(runs[row], number.max(initial=1))
            size = float(np.sqrt(alone.mean())) if of_orders else 1.0
            moved, squares = moved + by_run / (size or 1.0), squares + alone / (size or 1.0) ** 2
        own_squares, known = (moved**2).sum(axis=1), squares > 0
        ratio = np.divide(own_squares, squares, out=np.zeros_like(squares), where=known)
        df = (runs - 1)[known].sum()
        if not df:
            return cls(np.zeros_like(runs), runs - 1, 1.0, 1.0)
        from scipy.special import chdtrc  # noqa: PLC0415  # only where there are runs

        whole = float(((runs - 1) * ratio).sum())
        p = float(chdtrc(df, whole))
        return cls(own_squares / (runs * (runs - 1)).clip(1), runs - 1, whole / df, p)

    @property
    def of_pairs(self) -> Floats:
        """Shape `(N, N)`: degrees of freedom of differences (Welch 1947); those of each system on the diagonal."""
        known, own = self.df.clip(1), self.variance
        squares = own**2 / known
        both, below = own[:, None] + own, squares[:, None] + squares
        pairs: Floats = np.divide(both**2, below, out=known[:, None] + known, where=below > 0)
        np.fill_diagonal(pairs, self.df)
        return pairs


@dataclass(frozen=True, slots=True, eq=False)
class RepeatedScores:
    """A table whose repeats can be drawn again.

    Of n repeats of a system on an instance n are drawn with replacement, and the statistic is taken anew. The mean of
    these has (n − 1) / n of the variance of the mean of n new repeats, so replicates are widened around their mean,
    by √(Σ a²/n / Σ a² (n − 1)/n²), both sums over the instances of a system, which weigh a (Rao & Wu 1988). pass@k
    and pass^k are drawn as means of pseudovalues where the method is an average: of what was drawn twice they would
    know too little, where a right repeat is rare.

    If labels say which run each repeat is, and runs of a system differ by more than instances explain, runs are drawn
    as a whole: the same ones on all instances and tasks.

    Attributes
    ----------
    scores
        The table.
    of_orders
        Whether the method makes orders of instances, as all but averages do.
    repeats, keys
        For each task, what is drawn, and keys of the draws, see `podium.tally.draw.repeat_keys`; None where it has no
        repeats, or only one of each instance.
    spread
        How whole runs vary.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[[1, 0], [1, 1]], [[0, 0], [0, 1]]]})
    >>> repeated = RepeatedScores.of(scores, seed=0, of_orders=False)
    >>> next(repeated.drawn(0, range(1, 2))).tolist(), repeated.widening(None).round(3).tolist()
    ([[1.0, 1.0], [0.0, 0.5]], [1.414, 1.414])
    """

    scores: Scores
    of_orders: bool
    repeats: tuple[Repeats | None, ...]
    keys: tuple[NDArray[np.uint64] | None, ...]
    spread: RunSpread

    @property
    def runs(self) -> RunSpread | None:
        """Return how whole runs vary, if these are drawn; otherwise None."""
        return self.spread if self.spread.p < _WHOLE else None

    @classmethod
    def of(cls, scores: Scores, seed: int, *, of_orders: bool, level: str | None = None) -> Self:
        """Prepare the draws of a table, see `check_repeats`."""
        # single repeats do not show how much they vary: their task is as it is, and must not widen that of others
        drawn = [task.repeats is not None and task.repeats.several for task in scores.tasks]
        own = [task.repeats if there else None for task, there in zip(scores.tasks, drawn, strict=True)]
        if not of_orders:
            own = [None if repeats is None else repeats.pseudovalues() for repeats in own]
        spread = RunSpread.of(scores, own, level, of_orders=of_orders)
        runs = spread.p < _WHOLE
        keys: list[NDArray[np.uint64] | None] = [None] * len(own)
        for index, (task, repeats) in enumerate(zip(scores.tasks, own, strict=True)):
            if repeats is not None:
                whole = repeats.of_runs
                keys[index] = repeat_keys(seed, task, scores.systems, whole=whole and runs)
                if whole and not runs:
                    own[index] = Repeats.of(repeats.values, repeats.statistic)
        return cls(scores, of_orders, tuple(own), tuple(keys), spread)

    def counts(self, kinds: Sequence[type[Tally]], replicates: range) -> Counts:
        """Count replicates: tallies with a last axis of these."""
        scores = self.scores
        kernels = choose(len(scores.systems), scores.n_instances, len(replicates))
        counted: dict[type[Tally], tuple[Tally, ...]] = dict.fromkeys(kinds, ())
        for index in range(len(scores.tasks)):
            found: dict[type[Tally], list[Tally]] = {kind: [] for kind in kinds}
            for values in self.drawn(index, replicates):
                for kind in kinds:
                    found[kind].append(self._tally(kind, index, values, kernels))
            for kind in kinds:
                counted[kind] += (kind.together(found[kind], partial(np.stack, axis=-1)),)
        return Counts(counted)

    def drawn(self, index: int, replicates: range) -> Iterator[NDArray[Any]]:
        """Yield the scores of a task in each replicate, `(N, K)`, higher is better."""
        task, repeats, keys = self.scores.tasks[index], self.repeats[index], self.keys[index]
        sign = 1 if task.higher_is_better else -1
        if repeats is None or keys is None:
            yield from (sign * task.values for _ in replicates)
            return
        number, size = repeats.numbers, max(_DRAWS // repeats.values.size, 1)
        right = None if self.runs is not None and repeats.of_runs else repeats.right
        for start in range(replicates.start, replicates.stop, size):
            some = range(start, min(start + size, replicates.stop))
            picks = repeat_draws(keys, number, repeats.values.shape[2], some)
            scored = _scores(repeats, picks, number) if right is None else _of_right(repeats, picks, number, right)
            yield from sign * scored.astype(task.parts[0].dtype, copy=False)

    def _tally(self, kind: type[Tally], index: int, values: NDArray[Any], kernels: Kernels) -> Tally:
        weights, total = self.scores.tasks[index].instance_weights, None
        tolerance = self.scores.effective_tie_tolerance
        for start in range(0, values.shape[1], PART):
            own = slice(start, start + PART)
            weighs = None if weights is None else weights[own]
            block = Block(index, np.ascontiguousarray(values[:, own]), weighs, tolerance, start)
            part = kind.of(block, kernels)
            total = part if total is None else total.merge(part)
        return kind.empty(len(values)) if total is None else total

    def widening(self, level: str | None) -> Floats:
        """Shape `(N,)`: by how much replicates vary less than means of as many new repeats."""
        total, drawn = np.zeros((2, len(self.scores.systems)))
        for task, repeats in zip(self.scores.tasks, self.repeats, strict=True):
            if repeats is None or not task.weight:
                continue
            number = repeats.numbers
            there = number.clip(1)
            share = (number > 0) * _share(task, level) ** 2
            total += (share / there).sum(axis=1)
            drawn += (share * (there - 1) / there**2).sum(axis=1)
        return np.sqrt(np.divide(total, drawn, out=np.ones_like(total), where=drawn > 0))

    def widened(self, samples: Floats, score: Floats, level: str | None) -> Floats:
        """Move replicates `(N, B)` so that the score is their mean, and widen them, see `widening`.

        The score is without bias for what it would be on average, and replicates of methods that count orders are not:
        repeats that are drawn twice make systems more alike, or less. So these lie around the score.

        Where scores of instances are made orders, replicates are widened by √2 more. If N systems are equal, the
        place of one by chance varies in replicates around the place by chance in the table: with (1/12 − 1/(2π)
        arcsin ¼)/(1/12) = 0.52 of the variance of a new run if N is large, and 2/3 if N = 2, both where scores are
        normal. Where systems differ much this is too wide, never too narrow.

        Parameters
        ----------
        samples
            Shape `(N, B)`; NaN where a replicate cannot be ranked.
        score
            Shape `(N,)`.
        level
            By which instances weigh.
        """
        there = ~np.isnan(samples)
        mean = np.where(there, samples, 0.0).sum(axis=1) / there.sum(axis=1).clip(1)
        seen = 1.0 if self.runs is not None else max(self.spread.ratio, 1.0)  # what runs vary beyond their instances
        factor = self.widening(level) * np.sqrt(seen * (2 if self.of_orders else 1))
        return np.asarray(score[:, None] + factor[:, None] * (samples - mean[:, None]))

    def df(self, level: str | None, single: tuple[Floats, float] | None = None) -> float:
        """Return degrees of freedom of the standard error of a mean, on average over systems.

        Σ u² / Σ u⁴/(n + 1) with u² what an instance adds to the variance, s²/n by its n repeats, whose square is
        (n + 1)/(n − 1) times as large as it should be if they are normal (Satterthwaite 1946; Welch 1947).

        Parameters
        ----------
        level
            By which instances weigh.
        single
            Shape `(N,)`: what tasks without repeats add to the variances, and its degrees of freedom, as of
            `podium.ranking.degrees_of_freedom.collapsed`; None if there are no such tasks.
        """
        if self.runs is not None:
            return float(self.runs.of_pairs.max())
        own, known = (np.zeros(1), 1.0) if single is None else single
        total, squares = float(own.sum()), float((own**2).sum() / known)
        systems = 0
        for task, repeats in zip(self.scores.tasks, self.repeats, strict=True):
            if repeats is None or not task.weight:
                continue
            number = repeats.numbers
            noise = _noise(repeats) * _share(task, level) ** 2
            total, squares = total + noise.sum(), squares + (noise**2 / (number + 1)).sum()
            systems = noise.shape[0]
        return float(total**2 / squares / systems) if squares else 0.0

    @property
    def steady(self) -> list[str]:
        """Return systems with the same score in all repeats of every instance, which replicates do not vary."""
        varying = np.zeros(len(self.scores.systems), dtype=np.bool_)
        for task in self.scores.tasks:
            if task.repeats is not None:
                varying |= (_noise(task.repeats) > 0).any(axis=1)
        return [system for system, varies in zip(self.scores.systems, varying, strict=True) if not varies]


def check_repeats(scores: Scores) -> None:
    """Refuse to draw repeats that cannot show how they vary.

    Raises
    ------
    MethodError
        No task has repeats; a system has no more than one of any instance; or the statistic is the smallest or largest,
        or of all k repeats that there are, so that none is left to see how it varies.

    Examples
    --------
    >>> import podium
    >>> check_repeats(podium.datasets.toy_table1())
    Traceback (most recent call last):
    podium.errors.MethodError: no task has repeats to draw; name their column with repeat_column= (--repeat-column)
    """
    tasks = [task for task in scores.tasks if task.repeats is not None]
    if not tasks:
        raise MethodError("no task has repeats to draw; name their column with repeat_column= (--repeat-column)")
    several = np.zeros(len(scores.systems), dtype=np.bool_)
    scored = np.zeros_like(several)
    for task in tasks:
        if task.repeats is not None:
            _check_statistic(task, task.repeats)
            several |= (task.repeats.numbers > 1).any(axis=1)
            scored |= task.scored > 0
    if once := [system for system, many in zip(scores.systems, several | ~scored, strict=True) if not many]:
        raise MethodError(
            f"{few(once)}: only one repeat of each instance, which cannot show how repeats vary; run them again, leave "
            f"them out (--systems), {_OTHERWISE}"
        )


def _check_statistic(task: Task, repeats: Repeats) -> None:
    name, k = repeats.statistic.name, repeats.statistic.k
    if name in {"max", "min"}:
        raise MethodError(f"draws of repeats do not show how their {name} varies; use another statistic, {_OTHERWISE}")
    number = repeats.numbers
    if k > 1 and (number == k).any():
        raise MethodError(
            f"task {task.name!r}: {k} repeats are too few to show how {name!r} varies; run more, choose a smaller k, "
            f"{_OTHERWISE}"
        )


def _scores(repeats: Repeats, picks: Ints, number: Ints) -> Floats:
    """Shape `(B, N, K)`: the statistic over repeats that are drawn `(B, N, K, R)`."""
    most = picks.shape[3]
    drawn = np.take_along_axis(repeats.values[None], picks, axis=3).astype(np.float64)
    drawn[:, np.arange(most) >= number[..., None]] = np.nan
    return repeats.statistic.of(drawn.reshape(-1, picks.shape[2], most)).reshape(picks.shape[:3])


def _of_right(repeats: Repeats, picks: Ints, number: Ints, right: Ints) -> Floats:
    """Shape `(B, N, K)`: the same where repeats are 0 or 1, the wrong ones first."""
    hit = picks >= (number - right)[..., None]
    if (number < picks.shape[3]).any():
        hit &= np.arange(picks.shape[3]) < number[..., None]
    count = hit.sum(axis=3)
    if repeats.statistic.of_binary:
        return repeats.statistic.of_counts(count, np.broadcast_to(number, count.shape))
    return np.asarray(np.divide(count, number, out=np.full(count.shape, np.nan), where=number > 0))


def _noise(repeats: Repeats) -> Floats:
    """Shape `(N, K)`: the variance of the mean of the repeats, s² / n; 0 of a single one."""
    away, number = departures(repeats.values.astype(np.float64))
    return np.asarray((away**2).sum(axis=2) / (number.clip(1) * (number - 1).clip(1)))


def _share(task: Task, level: str | None) -> Any:
    """Shape `(K,)`: what an instance weighs in the whole, up to a factor."""
    return task.weight * (masses_of(task) if level == "one" else masses_of(task) / masses_of(task).sum())
