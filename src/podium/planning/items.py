"""Items: which to label by people next, and how many find a difference before there are data."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from podium.base.arrays import Floats, Ints, plain, plain_list
from podium.base.errors import MethodError
from podium.base.statistics import bisect, normal_cdf, normal_quantile, student_quantile
from podium.base.words import DASH, few, how_many, percent, rounded_percent, significant, two_digits
from podium.ranking.method_spec import in_words
from podium.report.result import Result
from podium.report.view import Column, Table, View
from podium.score.prediction_powered import PoweredScores, expected_variance
from podium.score.task import Task
from podium.score.units import FEW_UNITS, FLIPPED_UNITS

_READING = (
    "±: half the length of the interval of a human score, now and once the items are labelled",
    "items: drawn at random, as estimates need; label each for all systems that answered it",
)

#: Halvings of the interval in which the number of labels is looked for; items that text names.
_STEPS, _NAMED = 60, 5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelPlan(Result):
    """Items to label next, so that the human score of each of N systems is known to ± a number.

    Attributes
    ----------
    method, level
        What the scores are.
    systems
        The N labels.
    confidence, reach
        Of the intervals, and half the length that each is to have at most.
    n_labels
        Shape `(N,)`: labels that there are.
    now, then
        Shape `(N,)`: half the length of the interval, and what it is expected to be once the items are labelled.
    items
        The items to label, as task and instance, in random order within a task.
    left
        How many items lack a label of some system.
    notes
        What to know before trusting it, in words.

    Examples
    --------
    >>> import podium, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     podium.datasets.write_examples(folder)
    ...     plan = podium.plan_labels(f"{folder}/judged.csv", 0.06, method="mean", human_column="human")
    >>> len(plan.items), plan.left
    (51, 240)
    """

    schema: ClassVar[str] = "label-plan"
    _row_key: ClassVar[str] = "items"

    method: str
    level: str | None
    systems: tuple[str, ...]
    confidence: float
    reach: float
    n_labels: Ints
    now: Floats
    then: Floats
    items: tuple[tuple[str, str], ...]
    left: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Return how many items are to be labelled, of how many."""
        number = how_many(len(self.items), "item") if self.items else "nothing"
        return f"{number} to label of {self.left:,}, for {in_words(self.method, self.level)}"

    @property
    def summary(self) -> tuple[str, ...]:
        """Say what it takes, in a sentence."""
        reach, sure = f"within {self.reach:g}", percent(self.confidence)
        widest = int(np.argmax(self.then))
        if not self.items and self.now.max() <= self.reach:
            return (f"every human score is known {reach} already ({sure} confidence)",)
        if self.then[widest] > self.reach:
            all_left = f"all {self.left:,} items that are left" if self.left else "labels of all items"
            return (f"{all_left} bring {self.systems[widest]} within {significant(self.then[widest])} only; add items",)
        return (f"{how_many(len(self.items), 'more item')}, labelled for all systems, bring every human score {reach}",)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per item."""
        return [{"task": task, "instance": instance} for task, instance in self.items]

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        columns = (
            Column.labels("system", list(self.systems)),
            Column.numbers("labels", [f"{number:,}" for number in self.n_labels.tolist()]),
            Column.numbers("± now", [f"{half:.3g}" for half in self.now.tolist()]),
            Column.numbers("± then", [f"{half:.3g}" for half in self.then.tolist()]),
        )
        tables = [Table(columns, "human scores")]
        for task in dict.fromkeys(task for task, _ in self.items):
            own = [instance for name, instance in self.items if name == task]
            tables.append(Table((Column.labels(f"to label of {task}", [few(own, _NAMED)]),), "items"))
        return View(self.title, tuple(tables), self.notes, self.summary, explain=_READING)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        systems = zip(self.systems, *map(plain_list, (self.n_labels, self.now, self.then)), strict=True)
        return {
            **plain({name: getattr(self, name) for name in ("method", "level", "confidence", "reach", "left")}),
            "systems": [dict(zip(("system", "labels", "now", "then"), one, strict=True)) for one in systems],
            "items": self.rows(),
        }


def items_needed(found: PoweredScores, reach: float, confidence: float) -> tuple[Ints, Floats, Floats]:
    """Return how many items of each task to label, `(T,)`, and half the lengths of intervals now and then, `(N,)`.

    A task of weight w gets labels in proportion to w σ, with σ² / n the variance of a system there, on average (Neyman
    1934): so many that each interval is as short as wanted, or all that are left. Variances fall as
    `podium.score.prediction_powered.expected_variance` says, from what they are.
    """
    tasks, human = found.table.tasks, found.table.human
    judged = np.array([task.scored for task in tasks], dtype=np.float64)
    labelled = np.array([(~np.isnan(task.covariates[human])).sum(axis=1) for task in tasks], dtype=np.float64)
    left = np.array([unlabelled(task, human).size for task in tasks], dtype=np.float64)
    weights = np.array([[task.weight] for task in tasks]) * (judged > 0)
    weights = weights / weights.sum(axis=0)
    spread = (weights * np.sqrt(labelled * found.variance)).mean(axis=1)
    usual = np.array([expected_variance(*one) for one in zip(found.moments, labelled, judged, strict=True)])
    factor = np.divide(found.variance, usual, out=np.ones_like(usual), where=usual > 0)

    def half(added: Floats) -> Floats:
        share = np.divide(added, left, out=np.zeros_like(added), where=left > 0)
        number = labelled + share[:, None] * (judged - labelled)
        seen = [expected_variance(*one) for one in zip(found.moments, number, judged, strict=True)]
        variance = (weights**2 * factor * seen).sum(axis=0)
        df = np.maximum(number.sum(axis=0) - len(tasks), 1.0)
        t = np.array([-student_quantile((1 - confidence) / 2, one) for one in df.tolist()])
        return np.asarray(t * np.sqrt(variance))

    def added(scale: float) -> Floats:
        return np.asarray(np.clip(np.ceil(scale * spread - labelled.mean(axis=1)), 0.0, left))

    most = float(((left + labelled.mean(axis=1)) / np.where(spread > 0, spread, np.inf)).max()) + 1e-9
    wide = half(added(most)).max() > reach
    scale = most if wide else bisect(most, 0.0, lambda one: bool(half(added(one)).max() <= reach), _STEPS)[0]
    number = added(scale) if half(np.zeros_like(left)).max() > reach else np.zeros_like(left)
    return number.astype(np.int64), half(np.zeros_like(left)), half(number)


def unlabelled(task: Task, human: str) -> Ints:
    """Return the places of the items that lack a label of a system that the judge scored."""
    lacks = ~np.isnan(task.values) & np.isnan(task.covariates[human])
    return np.flatnonzero(lacks.any(axis=0))


def drawn_items(tasks: Sequence[Task], human: str, numbers: Ints, seed: int) -> tuple[tuple[str, str], ...]:
    """Draw so many of the items of each task that lack labels, by labels of task and instance."""
    rng, found = np.random.default_rng(seed % 2**64), list[tuple[str, str]]()
    for task, number in zip(tasks, numbers.tolist(), strict=True):
        for place in rng.permutation(unlabelled(task, human))[:number].tolist():
            found.append((task.name, str(place if task.instances is None else task.instances[place])))
    return tuple(found)


#: Standard deviations of the number of discordant instances that are looked at; halvings of a search.
_FAR, _HALVINGS = 7, 40

#: Discordant instances above which the normal formula is as good; and instances, above which there are none.
_MANY, _MOST = 100_000, 2.0**50

_READING_ITEMS = (
    "chance: with which a comparison of so many instances finds the difference, if it is the true one",
    "smallest: difference that such a comparison finds with the power asked for; instances needed: to find this one so",
    "discordant: share of instances on which only one of the two systems is right",
)


@dataclass(frozen=True, slots=True, repr=False)
class ItemPlan(Result):
    """Power of a paired comparison of two systems on so many instances, right or wrong.

    Attributes
    ----------
    items, delta, rate, correlation
        The number of instances; the difference of the shares right; the share of the first system; and the correlation
        of both on the same instances.
    discordant
        The share of instances on which only one of the two is right.
    confidence, power
        1 − α of the two-sided test, and the chance with which it is to find a difference.
    chance
        With which it finds this one, on so many instances.
    smallest
        The smallest difference, in the direction of `delta`, that it finds with that power; NaN if there is none.
    needed
        Instances with which it finds this one with that power.
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

    @property
    def title(self) -> str:
        """Return the chance of finding the difference, in words."""
        chance = rounded_percent(self.chance)
        found = "1 instance finds" if self.items == 1 else f"{self.items:,} instances find"
        return f"{found} a difference of {self.delta:g} with a chance of {chance}"

    @property
    def summary(self) -> tuple[str, ...]:
        """Return the smallest difference that is found, and how many instances would do, in sentences."""
        power, found = percent(self.power), f"on {how_many(self.items, 'instance')} "
        if math.isnan(self.smallest):
            found += f"no difference is found in {power} of cases"
        else:
            found += f"the smallest difference found in {power} of cases is {significant(self.smallest)}"
        return found, f"about {two_digits(self.needed)} instances find {self.delta:g} so often"

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary; None where a number does not exist."""
        apart = ("confidence", "power", "notes", "backend")
        return [plain({name: value for name, value in asdict(self).items() if name not in apart})]

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        table = Table((
            Column.numbers("instances", [f"{self.items:,}"]),
            Column.numbers("difference", [f"{self.delta:g}"]),
            Column.numbers("chance", [rounded_percent(self.chance)]),
            Column.numbers("smallest", [DASH if math.isnan(self.smallest) else f"{self.smallest:.3g}"]),
            Column.numbers("instances needed", [f"{self.needed:,}"]),
            Column.numbers("discordant", [f"{significant(100 * self.discordant)}%"]),
        ))  # fmt: skip
        return View(self.title, (table,), self.notes, self.summary, explain=_READING_ITEMS)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {"confidence": self.confidence, "power": self.power, "rows": self.rows()}


def item_plan(
    items: int, delta: float, rate: float, correlation: float, *, confidence: float, power: float
) -> ItemPlan:
    """Return what a paired comparison finds, see `podium.plan_items`."""
    n, d, p, rho = items, delta, rate, correlation
    limit, sign, most = 1 - confidence, math.copysign(1, d), 1 - p if d > 0 else p
    better, worse, own = _discordant(p, d, rho)

    def found(size: float) -> bool:
        return _chance(n, *_discordant(p, sign * size, rho)[:2], limit) >= power

    least, _ = bisect(most, 0.0, found, _HALVINGS)
    smallest = sign * least if least < most else math.nan
    notes = ["of means over tasks, or scores that are not right or wrong, plan from a pilot: podium plan SOURCE"]
    if own < rho:
        notes.append(f"with these shares right the correlation is at most {significant(own)}, which counts here")
    chance, needed = _chance(n, better, worse, limit), _needed(better, worse, limit, power)
    discordant = better + worse
    return ItemPlan(n, d, p, own, discordant, confidence, power, chance, smallest, needed, tuple(notes))


def _discordant(old: float, delta: float, correlation: float) -> tuple[float, float, float]:
    """Return shares of instances on which only one is right, the better first; and the correlation they allow."""
    new = min(max(old + delta, 0.0), 1.0)
    spread = math.sqrt(old * (1 - old) * new * (1 - new))
    both = min(max(old * new + correlation * spread, old + new - 1, 0.0), old, new)
    own = correlation if min(old, new) > both > max(old + new - 1, 0.0) else (both - old * new) / (spread or 1.0)
    return max(old, new) - both, min(old, new) - both, own


def _chance(items: int, better: float, worse: float, limit: float) -> float:
    """Return the chance with which the test finds a difference, in the right direction."""
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
    exact = (number <= FEW_UNITS) | (items <= FLIPPED_UNITS)  # as in `podium.comparison.suite.suite_effect`
    least = np.floor((number + np.where(exact, 0.0, z * np.sqrt(number))) / 2) + 1
    draws = number.astype(np.int64)
    while (more := exact & (least <= number) & (2 * bdtrc(least - 1, draws, 0.5) > limit)).any():
        least += more
    found = bdtrc(np.minimum(least, number) - 1, draws, better / share)
    return float(mass @ np.where(least <= number, found, 0.0))


def _needed(better: float, worse: float, limit: float, power: float) -> int:
    """Return instances with which the test finds a difference so often."""
    z = float(normal_quantile(1 - limit / 2) + normal_quantile(power))
    near = z**2 * (better + worse) / (better - worse) ** 2
    if not near < _MOST:
        raise MethodError("no number of instances finds so small a difference; give a larger delta")
    low, high = max(round(near / 2), 1), 2 * math.ceil(near)
    while low > 1 and _chance(low, better, worse, limit) >= power:
        low //= 2
    while _chance(high, better, worse, limit) < power:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _chance(middle, better, worse, limit) >= power else (middle, high)
    return high
