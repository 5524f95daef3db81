"""Repeats: the score of an instance as a statistic over several runs of it, with other seeds, epochs or trials."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.errors import InputError, nearest

#: Repeats that are worked on at a time.
_AT_ONCE = 2**20

_AT_LEAST_ONE = re.compile(r"pass([@^])([1-9][0-9]*)")

#: Statistics by name, beside pass@k and pass^k.
STATISTICS = ("mean", "max", "min", "majority")


class WrongRepeatsError(Exception):
    """Repeats of one system on one instance that a statistic cannot be taken of.

    Attributes
    ----------
    system, instance
        By index.
    """

    def __init__(self, system: int, instance: int, what: str) -> None:
        super().__init__(what)
        self.system, self.instance = system, instance


@dataclass(frozen=True, slots=True)
class Statistic:
    """The score of an instance, of n repeats with c right answers where they are 0 or 1.

    "mean"; "max" and "min"; "majority": 1 if c > n / 2, 0 if c < n / 2, and ½ in between. "pass@k": the chance that at
    least one of k repeats is right, 1 − C(n − c, k) / C(n, k), and "pass^k": that all k are, C(c, k) / C(n, k), for k
    drawn from the n without replacement. So both are unbiased for k new repeats (Chen et al. 2021, Eq. 1; Yao et al.
    2024). An instance weighs the same however many repeats it has.

    Attributes
    ----------
    name
        As above, such as "pass@5".

    Raises
    ------
    InputError
        There is no such statistic.

    Examples
    --------
    >>> Statistic("pass@2").of(np.array([[[1.0, 0.0, 0.0, 0.0]]]))
    array([[0.5]])
    """

    name: str = "mean"

    def __post_init__(self) -> None:
        if self.name not in STATISTICS and not _AT_LEAST_ONE.fullmatch(str(self.name)):
            hint = nearest(str(self.name), [*STATISTICS, "pass@1", "pass@5", "pass^5"])
            raise InputError(f"there is no statistic {self.name!r} over repeats; {hint}")

    @classmethod
    def named(cls, name: str | None) -> Self:
        """Return the statistic, by default the mean."""
        return cls() if name is None else cls(name)

    @property
    def k(self) -> int:
        """Return how many repeats are drawn; 1 where none are."""
        found = _AT_LEAST_ONE.fullmatch(self.name)
        return int(found[2]) if found else 1

    @property
    def of_binary(self) -> bool:
        """Return whether it is of scores that are 0 or 1."""
        return self.name == "majority" or self.name.startswith("pass")

    def of(self, repeats: Floats) -> Floats:
        """Shape `(N, K)`: the statistic of scores `(N, K, R)`; NaN are no repeats, and where all are, there is none.

        Raises
        ------
        WrongRepeatsError
            Scores are not 0 or 1, or are fewer than k; the first such system and instance.
        """
        number = np.count_nonzero(~np.isnan(repeats), axis=2)
        if self.of_binary:
            return self.of_counts(self._right(repeats, number), number)
        ordered = np.sort(repeats, axis=2)  # NaN last; so that sums do not depend on the order of repeats
        if self.name == "mean":
            total = np.cumsum(np.where(np.isnan(ordered), 0.0, ordered), axis=2)[..., -1]  # one after the other
            mean: Floats = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
            return mean
        place = np.zeros_like(number) if self.name == "min" else np.maximum(number - 1, 0)
        return np.asarray(np.take_along_axis(ordered, place[..., None], axis=2)[..., 0], dtype=np.float64)

    def _right(self, repeats: Floats, number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Shape `(N, K)`: how many repeats are right."""
        odd = ~(np.isnan(repeats) | (repeats == 0) | (repeats == 1))
        if odd.any():
            system, instance, place = np.argwhere(odd)[0].tolist()
            score = repeats[system, instance, place]
            what = f"a repeat scores {score:g}, and {self.name!r} needs scores that are 0 or 1; use 'mean'"
            raise WrongRepeatsError(system, instance, what)
        few = (number < self.k) & (number > 0)
        if few.any():
            system, instance = np.argwhere(few)[0].tolist()
            what = f"{self.name!r} needs {self.k} repeats, and there {_are(int(number[system, instance]))}"
            raise WrongRepeatsError(system, instance, f"{what}; choose a smaller k, or leave the instance out")
        return np.asarray(np.nansum(repeats, axis=2), dtype=np.int64)

    def of_counts(self, right: NDArray[np.int64], number: NDArray[np.int64]) -> Floats:
        """Return the statistic where so many of so many repeats are right; NaN where there is none."""
        ways = {"majority": _majority, "pass@": self._any, "pass^": self._all}
        score = ways[self.name if self.name in ways else self.name[:5]]
        most = int(number.max(initial=0)) + 1
        pairs, inverse = np.unique(right * most + number, return_inverse=True)
        scores = [score(*divmod(pair, most)) if pair % most else math.nan for pair in pairs.tolist()]
        found: Floats = np.array(scores, dtype=np.float64)[inverse.ravel()].reshape(number.shape)
        return found

    def _any(self, right: int, number: int) -> float:
        return (math.comb(number, self.k) - math.comb(number - right, self.k)) / math.comb(number, self.k)

    def _all(self, right: int, number: int) -> float:
        return math.comb(right, self.k) / math.comb(number, self.k)


def _majority(right: int, number: int) -> float:
    return (1.0 if 2 * right > number else 0.0) if 2 * right != number else 0.5


def _are(number: int) -> str:
    return "is 1" if number == 1 else f"are {number}"


def stacked(values: NDArray[Any], place: NDArray[np.int64], most: int | None = None) -> Floats:
    """Shape `(N, K, R)`: scores `(N, C)` of repeats, sorted by the number of their instance `place`, one after another.

    R is the most repeats of an instance, unless `most` says it.

    >>> stacked(np.array([[1.0, 2.0, 3.0]]), np.array([0, 0, 1]))
    array([[[ 1.,  2.],
            [ 3., nan]]])
    """
    sizes = np.bincount(place)
    turn = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    result = np.full((len(values), sizes.size, int(sizes.max()) if most is None else most), np.nan)
    result[:, place, turn] = values
    return result


@dataclass(frozen=True, slots=True, eq=False)
class RepeatVariance(Frozen):
    """Variance of single repeats between instances and between repeats of one, for each of N systems.

    The score of a repeat is that of its instance, of variance σ_b², and what the repeat adds, of variance σ_w². Both
    estimates are unbiased: σ_w² is Σ (n_i − 1) s_i² / Σ (n_i − 1) for s_i² the variance of the n_i repeats of instance
    i, and σ_b² = S² − σ_w² / m with S² the variance of the means of K instances, and m the harmonic mean of n_i. So the
    mean of a test set has the variance (σ_b² + σ_w² / m) / K (Miller 2024, §3.1).

    Attributes
    ----------
    between, within
        Shape `(N,)`: σ_b², which may come out negative, and σ_w²; NaN of fewer than two instances, or no two repeats.
    repeats
        Shape `(N,)`: m.

    Examples
    --------
    >>> found = RepeatVariance.of(np.array([[[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]]))
    >>> found.within.round(4), found.between.round(4)
    (array([0.1667]), array([0.1667]))
    """

    between: Floats
    within: Floats
    repeats: Floats

    @classmethod
    def of(cls, repeats: Floats) -> Self:
        """Estimate them from scores `(N, K, R)`, NaN where there is no repeat."""
        step = max(_AT_ONCE // max(repeats[0].size, 1), 1)
        some = [cls._of_some(repeats[row : row + step].astype(np.float64)) for row in range(0, len(repeats), step)]
        return cls(*(np.concatenate([getattr(one, name) for one in some]) for name in cls.__match_args__))

    @classmethod
    def _of_some(cls, repeats: Floats) -> Self:
        there = ~np.isnan(repeats)
        number = np.count_nonzero(there, axis=2)
        scored = number > 0
        means = np.where(there, repeats, 0.0).sum(axis=2) / number.clip(1)
        squares = (np.where(there, repeats - means[..., None], 0.0) ** 2).sum(axis=(1, 2))
        count, spare = scored.sum(axis=1), (number - scored).sum(axis=1)
        within = _divided(squares, spare)
        harmonic = _divided(count, np.where(scored, 1 / number.clip(1), 0.0).sum(axis=1))
        overall = np.where(scored, means, 0.0).sum(axis=1) / count.clip(1)
        departures = (np.where(scored, means - overall[:, None], 0.0) ** 2).sum(axis=1)
        return cls(_divided(departures, count - 1) - within / harmonic, within, harmonic)


@dataclass(frozen=True, slots=True, eq=False)
class Repeats(Frozen):
    """The repeats behind the scores of a task, kept so that they can be drawn again.

    Attributes
    ----------
    values
        Shape `(N, K, R)`: scores of repeats, NaN behind them where there are fewer than R. Those that labels tell apart
        are in the order of these, so one place is one run where none is missing; others are in order of their size.
    statistic
        What the score of an instance is of them.
    labels
        The R prompts, if they are these: the same at one place, so NaN may stand anywhere. Otherwise empty.

    Examples
    --------
    >>> repeats = Repeats.of(np.array([[[1.0, np.nan, 0.0]]]), Statistic("mean"))
    >>> repeats.values.tolist(), repeats.numbers.tolist()
    ([[[0.0, 1.0, nan]]], [[2]])
    """

    values: NDArray[Any]
    statistic: Statistic
    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: NDArray[Any], statistic: Statistic, *, runs: bool = False) -> Self:
        """Keep repeats `(N, K, R)`; the order of `runs` says which run each is, that of others nothing."""
        if not runs:
            return cls(np.sort(values, axis=2), statistic)
        behind = np.argsort(np.isnan(values), axis=2, kind="stable")
        return cls(np.take_along_axis(values, behind, axis=2), statistic)

    def _each_system(self, count: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[np.int64]:
        """Shape `(N, K)`: counts of the repeats `(K, R)` of each system."""
        counts: NDArray[np.int64] = np.empty(self.values.shape[:2], np.int64)
        for own, repeats in zip(counts, self.values, strict=True):
            own[:] = count(repeats)
        return counts

    @property
    def several(self) -> bool:
        """Return whether a system has more than one repeat of an instance."""
        return any(bool((_number(repeats) > 1).any()) for repeats in self.values)

    @property
    def of_runs(self) -> bool:
        """Return whether the repeats of all instances are the same runs, and so not simply in order of their size."""
        return any(bool((repeats[:, 1:] < repeats[:, :-1]).any()) for repeats in self.values)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Shape `(N, K)`: how many repeats there are."""
        return self._each_system(_number)

    @property
    def right(self) -> NDArray[np.int64] | None:
        """Shape `(N, K)`: how many repeats are right, where all are 0 or 1 and the score is no extreme; or None."""
        if self.statistic.name in {"max", "min"} or not all(map(are_binary, self.values)):
            return None
        return self._each_system(lambda repeats: np.count_nonzero(repeats == 1, axis=1))

    @property
    def variance(self) -> RepeatVariance | None:
        """Return how much repeats and instances vary, where scores are means; otherwise None."""
        return RepeatVariance.of(self.values) if self.statistic.name == "mean" else None

    def pseudovalues(self) -> "Repeats":
        """Return numbers whose mean is pass@k or pass^k, and whose variance is that of the jackknife.

        n θ − (n − 1) θ₋ᵣ for each of n repeats, with θ₋ᵣ the statistic without it (Tukey 1958). The variance of their
        mean is right or too large for any statistic (Efron & Stein 1981), and right for means, which stay as they are.

        Raises
        ------
        WrongRepeatsError
            There are only k repeats, so that without one there is no statistic.
        """
        if not self.statistic.name.startswith("pass"):
            return self
        if self.statistic.k == 1:
            return Repeats(self.values, Statistic("mean"))  # which it is, also of a single repeat
        values, numbers = self.values.astype(np.float64), self.numbers
        if (few := (numbers == self.statistic.k)).any():
            system, instance = np.argwhere(few)[0].tolist()
            raise WrongRepeatsError(system, instance, f"{self.statistic.name!r} has only {self.statistic.k} repeats")
        whole = self.statistic.of(values)[..., None]
        right = np.nansum(values, axis=2, keepdims=True)
        fewer = np.broadcast_to(numbers[..., None] - 1, values.shape).clip(0)
        left = np.nan_to_num(right - values).astype(np.int64)
        without = self.statistic.of_counts(np.minimum(left, fewer), np.where(fewer >= self.statistic.k, fewer, 0))
        pseudo = numbers[..., None] * whole - (numbers[..., None] - 1) * without
        return Repeats(np.where(np.isnan(values), np.nan, pseudo), Statistic("mean"))

    def take(self, rows: Sequence[int]) -> "Repeats":
        """Return those of some systems."""
        return Repeats(self.values[list(rows)], self.statistic, self.labels)

    def of_instances(self, kept: NDArray[Any]) -> "Repeats":
        """Return those of some instances, by mask or by place."""
        return Repeats(self.values[:, np.arange(self.values.shape[1])[kept]], self.statistic, self.labels)


def _number(repeats: NDArray[Any]) -> NDArray[np.int64]:
    """Shape `(K,)`: how many repeats `(K, R)` there are."""
    return np.asarray(np.count_nonzero(~np.isnan(repeats), axis=1))


def are_binary(scores: NDArray[Any]) -> bool:
    """Return whether all scores are 0, 1 or missing."""
    return bool(np.all(np.isnan(scores) | (scores == 0) | (scores == 1)))


def _divided(sums: NDArray[Any], by: NDArray[Any]) -> Floats:
    """Return quotients, NaN where the divisor is not positive."""
    quotient: Floats = np.divide(sums, by, out=np.full(np.shape(sums), np.nan), where=by > 0)
    return quotient
