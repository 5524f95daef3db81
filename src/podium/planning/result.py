"""Results of plans: how much more data separates systems, and what a paired comparison finds."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain
from podium.base.words import DASH, LONG, how_many, percent, rounded_percent, significant, two_digits
from podium.planning.figure import needed
from podium.ranking.method_spec import in_words
from podium.ranking.result import Ranking
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

#: Stands where no amount of data separates.
_NEVER = "never"

_READING = (
    "difference: score of the system minus score of the next system in the ranking",
    "separated: the tests of rank separate the two, all pairs together",
    "instances or tasks needed: size of an evaluation whose tests separate the two with the chance asked for",
    "comparisons needed: not for the ranking, but to show (Hoeffding) that one of the two wins most of what both have",
)

_READING_ITEMS = (
    "chance: with which a comparison of so many instances finds the difference, if it is the true one",
    "smallest: difference that such a comparison finds with the power asked for; instances needed: to find this one so",
    "discordant: share of instances on which only one of the two systems is right",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plan(Result):
    """More data that would separate the N systems of a ranking, in its order.

    Attributes
    ----------
    method, level
        Of the ranking.
    systems
        The N labels, best first; unranked systems last.
    confidence
        With which systems are to be separated, all pairs together.
    power
        Probability with which a new evaluation of the size in `growth` separates them.
    units
        What there is to be more of: "instances" of the same tasks; "tasks"; "both": tasks, with their instances.
    size
        How many there are: mean number of instances a task (of clusters, where these are drawn), or number of tasks.
    difference
        Shape `(N, N)`: how much better i is than j, in units of the score; 0 for a shared rank, NaN where unranked.
    std_error
        Shape `(N, N)`: its standard deviation over replicates; NaN where there are none.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together, by the bootstrap.
    growth
        Shape `(N, N)`: factor by which the number of units must grow, see `podium.planning.power.growth_of_pairs`;
        infinite where the difference is 0. NaN where it has no standard error, or where it is large for its standard
        error but many replicates reverse it.
    probability
        Shape `(N, N)`: share of the direct comparisons of i and j that i won.
    compared
        Shape `(N, N)`: number of these comparisons, of instances, or of tasks where tasks are the units.
    comparisons
        Shape `(N, N)`: more comparisons than this show by Hoeffding's bound that i is better than j, all pairs
        together, if the share stays the same; infinite where i wins at most half, NaN where nothing was compared.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.
    clustered
        Whether there is to be more of clusters of instances, as large as those there are.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 4, 50, dispersion=0.1, rng=0).scores
    >>> plan = podium.plan(scores, "mean", n_resamples=200)
    >>> plan.units, plan.size
    ('instances', 50.0)
    """

    schema: ClassVar[str] = "plan"
    _row_key: ClassVar[str] = "pairs"

    method: str
    level: str | None
    systems: tuple[str, ...]
    confidence: float
    power: float
    units: str
    size: float
    difference: Floats
    std_error: Floats
    separated: NDArray[np.bool_]
    growth: Floats
    probability: Floats
    compared: Floats
    comparisons: Floats
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"
    clustered: bool = False

    @property
    def unit(self) -> str:
        """Return what there is to be more of, in a word: "clusters" where these are drawn."""
        if self.units != "instances":
            return "tasks"
        return "clusters" if self.clustered else "instances"

    @property
    def title(self) -> str:
        """Method, size, and how many neighbours are separated, in words."""
        how = in_words(self.method, self.level)
        apart = int(np.diagonal(self.separated, 1).sum())
        n = len(self.systems)
        return f"{how}: {how_many(n, 'system')}, {apart} of {how_many(n - 1, 'neighbour')} separated"

    @property
    def summary(self) -> tuple[str, ...]:
        r"""Say what first and second, and first and third, would take, in sentences.

        >>> import podium
        >>> scores = podium.simulate.gumbel(3, 4, 50, dispersion=0.1, rng=0).scores
        >>> print(*podium.plan(scores, "mean", n_resamples=200).summary[0].split(" with "), sep="\n")
        about 710 instances a task instead of 50 would separate system 3 from system 1
        a chance of 80%, if the difference seen is the true one
        """
        return tuple(self.sentence(0, j) for j in range(1, min(len(self.systems), 3)))

    def sentence(self, i: int, j: int) -> str:
        r"""Say what it takes to separate the systems at two places of the ranking, counted from 0.

        >>> import podium
        >>> print(*podium.plan(podium.datasets.toy_table1()).sentence(0, 2).split(", "), sep="\n")
        about 320 tasks instead of 6 (53 times as many) would separate C from A with a chance of 80%
        if the difference seen is the true one
        """
        pair = f"{self.systems[i]} from {self.systems[j]}"
        if self.separated[i, j] or self.separated[j, i]:
            return f"{self.systems[i]} and {self.systems[j]} are separated already"
        if self.difference[i, j] == 0:
            return f"to separate {pair}: no amount of data, as the difference is 0"
        if math.isnan(self.growth[i, j]):
            return f"to separate {pair}: {self._by_comparisons(i, j)}"
        unit = f"{self.unit} a task" if self.units == "instances" else self.unit
        times = f"{two_digits(self.growth[i, j])} times as many"
        needed = math.ceil(self.growth[i, j] * self.size)
        many = f"about {two_digits(needed)} {unit} instead of {self.size:,.0f} ({times})"
        chance = f"with a chance of {percent(self.power)}, if the difference seen is the true one"
        said = f"{many} would separate {pair} {chance}"
        return said if len(said) <= LONG else said.replace(f" ({times})", "")

    def _by_comparisons(self, i: int, j: int) -> str:
        needed = self.comparisons[i, j]
        if math.isnan(needed):
            return "unknown, as they are never scored together"
        if math.isinf(needed):
            return f"no amount of data, as {self.systems[i]} wins at most half of the comparisons"
        now = f"{self.compared[i, j]:,.4g}"
        return f"more than {math.floor(needed):,} comparisons of the two instead of {now}, by Hoeffding's bound"

    def neighbours(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system and the next in the ranking, as `rows` has them.

        >>> import podium
        >>> [row["system"] + row["other"] for row in podium.plan(podium.datasets.toy_table1()).neighbours()]
        ['CB', 'BA']
        """
        return [self._row(i, i + 1) for i in range(len(self.systems) - 1)]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per pair of systems, the better first; None where a number is unknown or infinite.

        >>> import podium
        >>> podium.plan(podium.datasets.xtreme_missing()).rows()[0]["comparisons_needed"]
        15
        """
        return [self._row(i, j) for i in range(len(self.systems)) for j in range(i + 1, len(self.systems))]

    def _row(self, i: int, j: int) -> dict[str, Any]:
        comparisons, growth = self.comparisons[i, j], float(self.growth[i, j])
        return plain({
            "system": self.systems[i],
            "other": self.systems[j],
            "difference": float(self.difference[i, j]),
            "std_error": float(self.std_error[i, j]),
            "separated": bool(self.separated[i, j] or self.separated[j, i]),
            "growth": growth,
            "units_now": self.size,
            "units_needed": math.ceil(growth * self.size) if math.isfinite(growth) else None,
            "probability": float(self.probability[i, j]),
            "comparisons_now": float(self.compared[i, j]),
            "comparisons_needed": math.floor(comparisons) + 1 if math.isfinite(comparisons) else None,
        })  # fmt: skip

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        figure = Figure("needed", f"{self.unit.capitalize()} needed", partial(needed, self))
        return View(self.title, (_pairs_table(self),), self.notes, self.summary, figures=(figure,), explain=_READING)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("method", "level", "confidence", "power", "units")},
            "n_systems": len(self.systems),
            "summary": list(self.summary),
            "pairs": self.rows(),
        }


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


def _pairs_table(plan: Plan) -> Table:
    rows = plan.neighbours()
    growths = [float(growth) for growth in np.diagonal(plan.growth, 1)]
    unknown = [row["separated"] or math.isnan(growth) for row, growth in zip(rows, growths, strict=True)]
    planned = not all(math.isnan(one) and row["difference"] != 0 for one, row in zip(growths, rows, strict=True))

    def needed(name: str, gone: Iterable[bool]) -> list[str]:
        numbers = [_NEVER if row[name] is None else f"{row[name]:,}" for row in rows]
        return [DASH if nothing else number for number, nothing in zip(numbers, gone, strict=True)]

    of_units = (
        Column.numbers("std error", [_shown(row["std_error"]) for row in rows]),
        Column.words("separated", ["yes" if row["separated"] else "no" for row in rows], 1),
        Column.numbers(f"{plan.unit} now", [f"{plan.size:,.0f}"] * len(rows)),
        Column.numbers(f"{plan.unit} needed", needed("units_needed", unknown), 1),
    )
    columns = (
        Column.labels("system", [row["system"] for row in rows]),
        Column.labels("next", [row["other"] for row in rows]),
        Column.numbers("difference", [_shown(row["difference"]) for row in rows]),
        *(of_units if planned else ()),
    )
    unseen = [row["probability"] is None for row in rows]
    of_comparisons = (
        Column.numbers("comparisons now", [_shown(row["comparisons_now"]) for row in rows]),
        Column.numbers("comparisons needed", needed("comparisons_needed", unseen), 1),
    )
    if planned and len(plan.systems) == 2:  # then another number for the same pair would confuse
        return Table(columns, "neighbours", spare=of_comparisons)
    return Table((*columns, *of_comparisons), "neighbours")


def _shown(value: float | None) -> str:
    return DASH if value is None else f"{value:,.4g}"


def notes_of(ranking: Ranking, units: str, *, clustered: bool, missing: int) -> list[str]:
    """Say what a plan assumes, and where its numbers are rough."""
    notes = ["a difference that was found by chance needs more data than the plan says"]
    if clustered:
        notes.append(
            "there must be so many more clusters, as large as those there are; more instances in each help less"
        )
    if units == "instances" and ranking.intervals is not None and ranking.level in {"task", "two"}:
        notes.append(
            f"{ranking.level}-level scores move in steps of a whole task, so the numbers of instances are rough; "
            "level 'balanced' gives finer ones"
        )
    if missing:
        notes.append(f"{how_many(missing, 'score')} missing: podium allocate says which to run next")
    if len(ranking.systems) > 2 or ranking.intervals is None:
        notes.append(
            "comparisons needed answers another question: after how many it is sure that one of the two wins more than "
            "half of them (Hoeffding)"
        )
    return notes
