"""Plan a paired comparison before there are data: what difference so many items show, and how many it takes."""

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from podium.base.arrays import plain
from podium.base.check import as_number, check_confidence, checked_number, checked_whole
from podium.base.errors import MethodError
from podium.base.statistics import normal_cdf, normal_quantile
from podium.base.words import how_many, percent, rounded_percent, significant, two_digits
from podium.report.result import Result

#: Items, and items that differ, up to which the test is the exact one, as in `podium.comparison.suite.suite_effect`.
_EXACT, _FEW = 200, 50

#: Standard deviations of the number of discordant items that are looked at; halvings of a search.
_FAR, _STEPS = 7, 40

#: Discordant items above which the normal formula is as good; and items, above which there are none.
_MANY, _MOST = 100_000, 2.0**50


@dataclass(frozen=True, slots=True)
class ItemPlan(Result):
    """What a paired comparison of two systems on so many items, right or wrong, finds.

    Attributes
    ----------
    items, delta, rate, correlation
        The number of items; the difference of the shares right; the share of the first system; and the correlation of
        both on the same items.
    discordant
        The share of items on which only one of the two is right.
    confidence, power
        1 − α of the two-sided test, and the chance with which it is to find a difference.
    chance
        With which it finds this one, on so many items.
    smallest
        The smallest difference, in the direction of `delta`, that it finds with that power; NaN if there is none.
    needed
        Items with which it finds this one with that power.
    notes
        What to know before trusting it, in words.

    Examples
    --------
    >>> import podium
    >>> podium.plan_items(500, 0.02).needed
    3017
    """

    schema: ClassVar[str] = "item-plan"

    items: int
    delta: float
    rate: float
    correlation: float
    discordant: float
    confidence: float
    power: float
    chance: float
    smallest: float
    needed: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __repr__(self) -> str:
        return "\n".join([f"ItemPlan({self.title})", *(f"  {sentence}" for sentence in self.summary)])

    @property
    def title(self) -> str:
        """The chance of finding the difference, in words."""
        chance = rounded_percent(self.chance)
        found = "1 item finds" if self.items == 1 else f"{self.items:,} items find"
        return f"{found} a difference of {self.delta:g} with a chance of {chance}"

    @property
    def summary(self) -> tuple[str, ...]:
        """The smallest difference that is found, and how many items would do, in sentences."""
        power, found = percent(self.power), f"on {how_many(self.items, 'item')} "
        if math.isnan(self.smallest):
            found += f"no difference is found in {power} of cases"
        else:
            found += f"the smallest difference found in {power} of cases is {significant(self.smallest)}"
        return found, f"about {two_digits(self.needed)} items find {self.delta:g} so often"

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary; None where a number does not exist."""
        apart = ("confidence", "power", "notes", "backend")
        return [plain({name: value for name, value in asdict(self).items() if name not in apart})]

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {"confidence": self.confidence, "power": self.power, "rows": self.rows()}


def plan_items(
    items: int,
    delta: float,
    *,
    rate: float = 0.8,
    correlation: float = 0.5,
    confidence: float = 0.95,
    power: float = 0.8,
) -> ItemPlan:
    """Say what a paired comparison finds, before there are data: right or wrong answers of two systems to some items.

    Of p and p + δ right with correlation ρ, only the new system is right on b = (p + δ)(1 − p) − c of the items, only
    the old one on a = p (1 − p − δ) − c, with c = ρ √(p (1 − p)(p + δ)(1 − p − δ)). A difference of an item has the
    variance a + b − δ², which is near 2 p (1 − p)(1 − ρ). The test is that of `podium.compare` on one task: McNemar's,
    z = (B − A) / √(A + B), or the exact one, up to 200 items or 50 discordant ones. Its chance is a sum over A + B,
    the number of discordant items, and B. It is near Φ((|δ| √n − z √(a + b)) / √(a + b − δ²)), with z = Φ⁻¹(1 − α/2).

    Parameters
    ----------
    items
        How many.
    delta
        The difference of the shares right, new less old, as a share: 0.02; negative if it is worse.
    rate
        Share right of the old system.
    correlation
        Of the two on the same items; two versions of one system often have 0.5 to 0.8. If these shares allow less, the
        largest that they allow counts, with a note.
    confidence
        1 − α, between 0 and 1.
    power
        Wanted, at least 0.5 and below 1.

    Returns
    -------
    ItemPlan
        For items that all are scored; missing ones make it a plan for fewer.

    Raises
    ------
    MethodError
        An argument makes no sense, such as a difference of 0, or more than 100% right.

    References
    ----------
    McNemar 1947; Miettinen, Biometrics 24, 1968; Connor, Biometrics 43, 1987; Miller 2024, §5.

    Examples
    --------
    >>> import podium
    >>> podium.plan_items(500, 0.02)
    ItemPlan(500 items find a difference of 0.02 with a chance of 21%)
      on 500 items the smallest difference found in 80% of cases is 0.047
      about 3,000 items find 0.02 so often
    """
    n = checked_whole("items", items)
    p, rho = checked_number("rate", rate, most=1), checked_number("correlation", correlation, -1, 1)
    check_confidence(confidence)
    if not 0.5 <= as_number(power) < 1:
        raise MethodError(f"power is {power!r}; it must be at least 0.5 and below 1, such as 0.8")
    d = as_number(delta)
    if not (d and 0 <= p + d <= 1):
        raise MethodError(f"delta is {delta!r}; it must not be 0, and rate + delta must be from 0 to 1")
    limit, sign, most = 1 - confidence, math.copysign(1, d), 1 - p if d > 0 else p
    better, worse, own = _discordant(p, d, rho)
    low, high = 0.0, most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        enough = _chance(n, *_discordant(p, sign * middle, rho)[:2], limit) >= power
        low, high = (low, middle) if enough else (middle, high)
    smallest = sign * high if high < most else math.nan
    notes = ["of means over tasks, or scores that are not right or wrong, plan from a pilot: podium plan SOURCE"]
    if own < rho:
        notes.append(f"with these shares right the correlation is at most {significant(own)}, which counts here")
    chance, needed = _chance(n, better, worse, limit), _needed(better, worse, limit, power)
    discordant = better + worse
    return ItemPlan(n, d, p, own, discordant, confidence, power, chance, smallest, needed, tuple(notes))


def _discordant(old: float, delta: float, correlation: float) -> tuple[float, float, float]:
    """Shares of items on which only one is right, the better one first; and the correlation, which shares limit."""
    new = min(max(old + delta, 0.0), 1.0)
    spread = math.sqrt(old * (1 - old) * new * (1 - new))
    both = min(max(old * new + correlation * spread, old + new - 1, 0.0), old, new)
    own = correlation if min(old, new) > both > max(old + new - 1, 0.0) else (both - old * new) / (spread or 1.0)
    return max(old, new) - both, min(old, new) - both, own


def _chance(items: int, better: float, worse: float, limit: float) -> float:
    """With which the test finds a difference, in the right direction."""
    from scipy.special import bdtrc, gammaln, xlog1py, xlogy  # noqa: PLC0415  # slow to import

    share = min(better + worse, 1.0)
    if not share > 0:
        return 0.0
    z = float(normal_quantile(1 - limit / 2))
    if items * share > _MANY:
        excess = (better - worse) * math.sqrt(items) - z * math.sqrt(share)
        return float(normal_cdf(excess / math.sqrt(share - (better - worse) ** 2)))
    middle, far = items * share, _FAR * math.sqrt(items * share * (1 - share)) + _FAR
    number = np.arange(max(int(middle - far), 1), min(int(middle + far), items) + 1, dtype=np.float64)
    log_mass = gammaln(items + 1) - gammaln(number + 1) - gammaln(items - number + 1)
    mass = np.exp(log_mass + xlogy(number, share) + xlog1py(items - number, -share))
    exact = (number <= _FEW) | (items <= _EXACT)
    least = np.floor((number + np.where(exact, 0.0, z * np.sqrt(number))) / 2) + 1
    draws = number.astype(np.int64)
    while (more := exact & (least <= number) & (2 * bdtrc(least - 1, draws, 0.5) > limit)).any():
        least += more
    found = bdtrc(np.minimum(least, number) - 1, draws, better / share)
    return float(mass @ np.where(least <= number, found, 0.0))


def _needed(better: float, worse: float, limit: float, power: float) -> int:
    """Items with which the test finds a difference so often."""
    z = float(normal_quantile(1 - limit / 2) + normal_quantile(power))
    near = z**2 * (better + worse) / (better - worse) ** 2
    if not near < _MOST:
        raise MethodError("no number of items finds so small a difference; give a larger delta")
    low, high = max(round(near / 2), 1), 2 * math.ceil(near)
    while low > 1 and _chance(low, better, worse, limit) >= power:
        low //= 2
    while _chance(high, better, worse, limit) < power:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _chance(middle, better, worse, limit) >= power else (middle, high)
    return high
