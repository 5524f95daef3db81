"""Weights of splits, reward and penalty; and which share of all weightings puts each system first."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError, WeightError, unknown
from podium.base.seed import generator
from podium.base.words import how_many

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
        """The weights, in words."""
        return self.weights if isinstance(self.weights, str) else ", ".join(f"{weight:g}" for weight in self.weights)


def _moderate(number: float) -> bool:
    """Whether sums of products with a number neither overflow nor vanish."""
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

Floats = NDArray[np.float64]


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
