"""The order of difficulty, and how it is split: by equal counts or widths, thresholds, quantiles, and so on.

- Weights of splits, reward and penalty; and which share of all weightings puts each system first.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.errors import MethodError, WeightError, unknown
from podium.base.parallel import generator
from podium.base.words import how_many

Integers = NDArray[np.int64]

#: Knots closer than this to a whole number differ from it by rounding only.
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Order(Frozen):
    """An order of K instances in G groups, whose instances are equally hard within a group.

    A *knot* is a place between instances in units of groups, from 0, before the first, to G, behind the last; a knot
    inside a group takes in that share of every one of its instances, as random orders inside it do on average.

    Attributes
    ----------
    permutation
        Shape `(K,)`: the instances in order.
    ends
        Shape `(G + 1,)`: how many instances lie before each knot 0, 1, …, G.
    mass
        Shape `(G + 1,)`: their weight.
    """

    permutation: Integers
    ends: Integers
    mass: Floats

    @classmethod
    def of(cls, keys: Floats, weights: Floats, *, share_ties: bool = True) -> "Order":
        """Sort instances.

        Parameters
        ----------
        keys
            Shape `(K,)`: what to sort by, increasing, without NaN.
        weights
            Shape `(K,)`, ≥ 0.
        share_ties
            Whether instances of equal keys are one group; else each is its own, in the order given.

        Examples
        --------
        >>> Order.of(np.array([0.5, 0.1, 0.5]), np.ones(3)).ends
        array([0, 1, 3])
        """
        permutation = np.argsort(keys, kind="stable")
        ordered = keys[permutation]
        last = np.ones(keys.size, dtype=np.bool_)
        if share_ties:
            np.not_equal(ordered[1:], ordered[:-1], out=last[:-1])
        ends = np.concatenate([[0], np.flatnonzero(last) + 1])
        mass = np.concatenate([[0.0], np.cumsum(weights[permutation])])[ends]
        return cls(permutation, ends, mass)

    @property
    def total(self) -> float:
        """Weight of all instances."""
        return float(self.mass[-1])

    def knots_at(self, masses: Floats) -> Floats:
        """Knots before which instances of these weights lie, which must be between 0 and the total.

        >>> Order.of(np.array([0.5, 0.1, 0.5]), np.ones(3)).knots_at(np.array([1.0, 2.0]))
        array([1. , 1.5])
        """
        group = np.searchsorted(self.mass, masses, side="left").clip(0, self.mass.size - 1)
        below = (group - 1).clip(0)
        width = self.mass[group] - self.mass[below]
        share = np.divide(masses - self.mass[below], width, out=np.ones_like(width), where=width > 0)
        knots: Floats = np.where(group > 0, below + share.clip(0, 1), 0.0)
        whole = np.rint(knots)
        return np.where(np.abs(knots - whole) < _SAME, whole, knots)

    def shares(self, knots: Floats) -> Floats:
        """Shape `(K, s)`: which share of each instance lies between successive knots, in the order given to `of`.

        >>> Order.of(np.array([0.5, 0.1, 0.5]), np.ones(3)).shares(np.array([0, 1.5, 2])).tolist()
        [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]
        """
        groups = np.arange(self.ends.size - 1)[:, None]
        overlap = np.minimum(knots[1:], groups + 1) - np.maximum(knots[:-1], groups)
        result = np.empty((self.permutation.size, knots.size - 1))
        result[self.permutation] = np.repeat(overlap.clip(0), np.diff(self.ends), axis=0)
        return result


#: Ways to split, by name.
SplitBy = Literal["equal", "width", "thresholds", "quantiles", "random", "manual"]

SPLITTINGS: tuple[SplitBy, ...] = get_args(SplitBy)

#: What becomes of instances of equal difficulty across the end of a split: they are shared, or come by label.
SharedTies = Literal["share", "order"]

TIES: tuple[SharedTies, ...] = get_args(SharedTies)

#: Whether all instances are in one box, or those of each task in one of its own.
BoxLevel = Literal["one", "two"]

BOX_LEVELS: tuple[BoxLevel, ...] = get_args(BoxLevel)

#: More than a reader can look at.
MOST_SPLITS = 50


@dataclass(frozen=True, slots=True, init=False)
class Splitting:
    """A division of instances into splits, from easy to hard.

    Attributes
    ----------
    splits
        How many, 1 to 50; or the thresholds or quantiles between them, increasing, which are of the measure, whichever
        end is hard; or the measure or extra column of a `Difficulty` that says which split an instance is in: numbers
        count from the easy split, other labels are put in order by the mean difficulty of their instances.
    by
        "equal" (as many instances in each; the default for a number), "width" (as wide a range of difficulty),
        "random", "thresholds" (of difficulty; the default for several numbers), "quantiles", or "manual" (a column).
        An instance of weight 2 counts as two.
    ties
        Where a split ends among instances of equal difficulty, these belong to both splits in the right fractions
        ("share", the default: what random orders give on average), or as they come by label ("order").
    level
        With several tasks: "two" (the default) splits and scores each by itself and averages over tasks, "one" puts all
        instances in one box.

    Raises
    ------
    MethodError
        There is no such way, rule for ties or level; there are fewer than 1 splits or more than 50; or thresholds or
        quantiles are no increasing numbers.

    Examples
    --------
    >>> import podium
    >>> podium.Splitting([0.3, 0.6]).by, podium.Splitting("genre").by
    ('thresholds', 'manual')
    """

    splits: int | str | tuple[float, ...]
    by: str
    ties: str
    level: str

    def __init__(
        self,
        splits: int | str | Sequence[float] = 7,
        by: SplitBy | None = None,
        *,
        ties: SharedTies = "share",
        level: BoxLevel = "two",
    ) -> None:
        several = isinstance(splits, Sequence | np.ndarray) and not isinstance(splits, str)
        way = by or ("manual" if isinstance(splits, str) else "thresholds" if several else "equal")
        for what, given, names in (
            ("way to split by", way, SPLITTINGS),
            ("way with ties", ties, TIES),
            ("level", level, BOX_LEVELS),
        ):
            if given not in names:
                raise MethodError(unknown(what, given, names))
        for name, value in (("splits", _checked(splits, way)), ("by", way), ("ties", ties), ("level", level)):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, given: "int | Splitting") -> "Splitting":
        """Take how to split, or how many splits there are, as many instances in each.

        Raises
        ------
        MethodError
            It is neither.
        """
        if isinstance(given, Splitting):
            return given
        if not isinstance(given, int | np.integer):
            raise MethodError(f"splits is {given!r}; give a whole number, or how to split: podium.Splitting({given!r})")
        return cls(given)

    @property
    def marks(self) -> tuple[float, ...]:
        """Thresholds in units of difficulty, or quantiles between 0 and 1, increasing; empty for other ways."""
        return self.splits if isinstance(self.splits, tuple) else ()

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return names of the splits, from "1"; none where a column names them."""
        count = self.splits if isinstance(self.splits, int) else len(self.marks) + 1 if self.marks else 0
        return tuple(str(number + 1) for number in range(count))


def _checked(splits: Any, by: str) -> int | str | tuple[float, ...]:
    """Refuse splits that do not fit the way to split."""
    if isinstance(splits, str):
        if by != "manual":
            raise MethodError(f"splits={splits!r} names a column, and splits by {by!r} need none; say by='manual'")
        return splits
    if by == "manual":
        raise MethodError(f"manual splits need the column that says which split an instance is in, not {splits!r}")
    several = isinstance(splits, Sequence | np.ndarray)
    if several != (by in {"thresholds", "quantiles"}):
        wanted = "how many there are, such as 7" if several else "the ends between them, such as [0.3, 0.6]"
        raise MethodError(f"splits by {by!r} need {wanted}, not {splits!r}")
    marks = _marks(splits, by) if several else ()
    count = len(marks) + 1 if several else splits
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_SPLITS:
        raise MethodError(f"the number of splits is {count!r}; it must be a whole number from 1 to {MOST_SPLITS}")
    return marks or int(count)


def _marks(given: Any, by: str) -> tuple[float, ...]:
    try:
        marks = tuple(float(mark) for mark in given)
    except (TypeError, ValueError):
        raise MethodError(f"{by} are {given!r}; they must be numbers") from None
    if not marks:
        raise MethodError(f"there are no {by}; give at least one, or the number of splits")
    if not np.isfinite(marks).all() or any(low >= high for low, high in pairwise(marks)):
        raise MethodError(f"{by} are {list(marks)!r}; they must be finite and increasing")
    if by == "quantiles" and not all(0 < mark < 1 for mark in marks):
        raise MethodError(f"quantiles are {list(marks)!r}; they must lie between 0 and 1, such as 0.1, 0.5, 0.9")
    return marks


#: Weight of split j = 1, 2, …, s by rule [MA21, Table 1 and "Range of Hyper-Parameters"].
RULES: dict[str, Callable[[NDArray[np.float64], int], NDArray[np.float64]]] = {
    "linear": lambda j, _: j,
    "falling": lambda j, s: s + 1 - j,
    "logarithmic": lambda j, _: 1 + np.log(j),
    "square": lambda j, _: j**2,
    "uniform": lambda j, _: np.ones_like(j),
}

_FACTOR = re.compile(r"(?P<sign>[-−]?)(?P<power>1/B|B)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Factor:
    """A number times a power of the difficulty, `number · B^power`.

    Attributes
    ----------
    number
        Finite.
    power
        −1, 0 or 1.
    """

    number: float
    power: int = 0

    @classmethod
    def of(cls, given: Any, what: str) -> "Factor":
        """Take a number, or "B", "1/B", "-B" or "-1/B".

        Raises
        ------
        MethodError
            It is neither; `what` says of what.

        Examples
        --------
        >>> Factor.of("-1/B", "the penalty")
        Factor(number=-1.0, power=-1)
        """
        if isinstance(given, Factor):
            return given
        if found := _FACTOR.fullmatch(given.strip()) if isinstance(given, str) else None:
            return cls(-1.0 if found["sign"] else 1.0, 1 if found["power"].upper() == "B" else -1)
        try:
            number = math.nan if isinstance(given, bool) else float(given)
        except (TypeError, ValueError):
            number = math.nan
        if not _moderate(number):
            raise MethodError(f"{what} is {given!r}; it must be a number of moderate size, 'B' or '1/B'")
        return cls(number)

    def __str__(self) -> str:
        if not self.power:
            return f"{self.number:g}"
        base = "B" if self.power > 0 else "1/B"
        return {1.0: base, -1.0: f"-{base}"}.get(self.number, f"{self.number:g}·{base}")


@dataclass(frozen=True, slots=True, init=False)
class Weighting:
    """Weights of instances, and what right and wrong answers earn: W, d and e of [MA21, Eq. 1–4].

    Attributes
    ----------
    weights
        Of the splits, from the easiest: "linear" (1, 2, 3, …; the default), "falling" (…, 3, 2, 1), "logarithmic"
        (1 + log j), "square", "uniform", or one number for each. Or "B" or "1/B", of the instances.
    reward, penalty
        d > 0 and e, what a score of 1, and one of 0, are worth: numbers or "B", "1/B", "-B", "-1/B"; by default 1 and
        -1. In between lies what is in between.
    case
        Weights, reward and penalty by a case of Table 1 of the paper, 1 to 9 or its name, where they are not given.

    Raises
    ------
    MethodError
        There is no such rule, reward, penalty or case; the reward is 0, so that nothing can be earned; or a wrong
        answer would earn as much as a right one.
    WeightError
        Weights are negative, not finite or all zero.

    Examples
    --------
    >>> import podium
    >>> podium.Weighting("square", penalty="-1/B")
    Weighting(weights='square', reward='1', penalty='-1/B')
    >>> podium.Weighting(case="reward-only") == podium.Weighting(penalty=0)
    True
    """

    weights: str | tuple[float, ...]
    reward: Factor
    penalty: Factor

    def __init__(
        self,
        weights: str | Sequence[float] | None = None,
        reward: "float | str | Factor | None" = None,
        penalty: "float | str | Factor | None" = None,
        *,
        case: int | str | None = None,
    ) -> None:
        rest = _case(1 if case is None else case)
        d = Factor.of(rest[1] if reward is None else reward, "the reward")
        e = Factor.of(rest[2] if penalty is None else penalty, "the penalty")
        object.__setattr__(self, "weights", _rule(rest[0] if weights is None else weights))
        object.__setattr__(self, "reward", d)
        object.__setattr__(self, "penalty", e)
        if d.number == 0:
            raise MethodError(
                "the reward is 0, so the metric would divide by 0 (penalty only, case 3 of the paper's Table 1); "
                "on complete scores, reward 1 with penalty 0 (case 2) gives the same order"
            )
        if d.number < 0:
            raise MethodError(f"the reward is {d}; it must be above 0")
        if e.power == d.power and e.number >= d.number:
            raise MethodError(
                f"the penalty {e} is not below the reward {d}, so that a wrong answer would pay; make it smaller"
            )

    @classmethod
    def of(cls, given: "str | Sequence[float] | Weighting") -> "Weighting":
        """Take a weighting, or weights, with a reward of 1 and a penalty of -1.

        >>> Weighting.of("linear").split_weights(3).tolist()
        [1.0, 2.0, 3.0]
        """
        return given if isinstance(given, Weighting) else cls(given)

    def __repr__(self) -> str:
        weights = self.weights if isinstance(self.weights, str) else list(self.weights)
        return f"Weighting(weights={weights!r}, reward='{self.reward}', penalty='{self.penalty}')"

    @property
    def power(self) -> int:
        """Power of B in W."""
        return {"B": 1, "1/B": -1}.get(self.weights, 0) if isinstance(self.weights, str) else 0

    @property
    def powers(self) -> tuple[int, int, int]:
        """Powers of B in W, d and e."""
        return self.power, self.reward.power, self.penalty.power

    def split_weights(self, splits: int) -> NDArray[np.float64]:
        """Shape `(s,)`: b of each split.

        Raises
        ------
        WeightError
            There are not as many weights as splits.
        """
        if isinstance(self.weights, str):
            rule = RULES.get(self.weights, RULES["uniform"])
            return rule(np.arange(1.0, splits + 1), splits)
        if len(self.weights) != splits:
            number = how_many(len(self.weights), "weight")
            raise WeightError(f"{number} for {how_many(splits, 'split')}; give one for each")
        return np.array(self.weights)

    @property
    def rule(self) -> str:
        """Return the weights, in words."""
        return self.weights if isinstance(self.weights, str) else ", ".join(f"{weight:g}" for weight in self.weights)


def _moderate(number: float) -> bool:
    """Return whether sums of products with a number neither overflow nor vanish."""
    return number == 0 or 1e-50 < abs(number) < 1e50


def _rule(given: Any) -> str | tuple[float, ...]:
    """Name of a rule, or weights."""
    if isinstance(given, str):
        name = given.strip().upper() if given.strip().upper() in {"B", "1/B"} else given.strip()
        if name not in {*RULES, "B", "1/B"}:
            raise MethodError(unknown("rule of weights", given, (*RULES, "B", "1/B")))
        return name
    try:
        weights = tuple(float(weight) for weight in given)
    except (TypeError, ValueError):
        raise MethodError(
            f"weights are {given!r}; give one of {', '.join((*RULES, 'B', '1/B'))}, or a number for each split"
        ) from None
    if not all(_moderate(weight) and weight >= 0 for weight in weights) or not any(weights):
        raise WeightError(
            f"weights of splits are {given!r}; they must be of moderate size, not negative, and not all zero"
        )
    return weights


#: Weights, reward and penalty of Table 1 of [MA21] by name, in its order: cases 1 to 9.
CASES: dict[str, tuple[str, float | str, float | str]] = {
    "reward-equals-penalty": ("linear", 1, -1),
    "reward-only": ("linear", 1, 0),
    "penalty-only": ("linear", 0, -1),
    "reward-above-penalty": ("linear", 1, -0.5),
    "penalty-above-reward": ("linear", 0.5, -1),
    "weights-1/B": ("1/B", 1, -1),
    "weights-B": ("B", 1, -1),
    "rewards-1/B": ("linear", "1/B", "-1/B"),
    "rewards-B": ("linear", "B", "-B"),
}


def _case(given: Any) -> tuple[str, float | str, float | str]:
    """Weights, reward and penalty of a case, by number or name."""
    names = tuple(CASES)
    number = int(given) if str(given).strip().isdecimal() else 0
    name = names[number - 1] if 1 <= number <= len(names) else str(given)
    if name not in CASES:
        raise MethodError(f"there is no case {given!r}; they are 1 to 9, or {', '.join(names)}")
    return CASES[name]


#: By which the metric is plain accuracy.
PLAIN = Weighting("uniform", 1, 0)

#: Weightings drawn: a share is then known to half a percent (its standard error is at most 1 / 2√DRAWS).
DRAWS = 10_000


def weightings(splits: int, *, rising: bool, seed: int, draws: int = DRAWS) -> Floats:
    """Draw weights of s splits, all weightings being equally likely.

    Exponential draws, divided by their sum, are uniform on the simplex of weights; sorted, they are uniform on that
    part of it where weights never fall from one split to the next. The sum cancels in the metric and is left out.

    Returns
    -------
    Shape `(s, draws)`.

    Examples
    --------
    >>> weightings(3, rising=True, seed=0, draws=2).shape
    (3, 2)
    """
    drawn = generator(seed).standard_exponential((splits, draws))
    return np.sort(drawn, axis=0) if rising else drawn


def lead_shares(scores: Floats) -> Floats:
    """Shape `(N,)`: in which share of the columns of `(N, draws)` a system is first, ties shared; NaN never is.

    >>> lead_shares(np.array([[1.0, 0.0], [1.0, 2.0]])).tolist()
    [0.25, 0.75]
    """
    known = np.where(np.isnan(scores), -np.inf, scores)
    best = known.max(axis=0)
    reach = 1e-12 * np.maximum(np.abs(best), 1.0)
    first = (known >= best - reach) & np.isfinite(best)
    share: Floats = (first / first.sum(axis=0).clip(1)).mean(axis=1)
    return share
