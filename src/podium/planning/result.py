"""Results of plans: how much more data separates systems, and what a paired comparison finds."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain
from podium.base.errors import MethodError
from podium.base.words import DASH, LONG, how_many, percent, rounded_percent, significant, two_digits
from podium.ranking.method_spec import in_words
from podium.ranking.result import Ranking
from podium.report.drawing import (
    COLOURS,
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    Lettering,
    font_size,
    label_below,
    label_rows,
    row_height,
    size_of,
    write,
)
from podium.report.picture import footed
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


#: Inches of the axes, and above and below them.
_WIDTH, _ABOVE, _BELOW = 3.6, 0.3, 0.5

#: Times as many units as there are, beyond which a number is only written.
_FAR = 1000.0


def needed(plan: Plan, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how many units would separate each system from the next in the ranking, beside how many there are.

    Systems stand in rows. What is drawn between two rows is about these two: a line leads from the units there are,
    which the broken line marks, to a dot at those needed. A pair that is separated has a ring at the broken line. Where
    no number of units is known, a word says so. Above a thousand times as many, the line has no dot.

    Parameters
    ----------
    plan
        What `podium.plan` returns.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MethodError
        There was too little data for a bootstrap, so no number of units is known.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> ax = podium.plots.needed(podium.plan(podium.datasets.toy_table1()))
    >>> ax.get_xlabel(), [text.get_text().strip() for text in ax.texts][:3]
    ('tasks', ['6 now', '550', '560'])
    """
    if np.isnan(plan.std_error).all():
        raise MethodError("there is too little data for a bootstrap, so there is no number of units to draw")
    names = Lettering.of(plan.systems)
    row = row_height(len(plan.systems))
    margin = names.width(font_size(row)) + 0.15
    chance = f"separates the systems above and below it with a chance of {percent(plan.power)}"
    rings = ["ring: separated already"] if np.diagonal(plan.separated, 1).any() else []
    sentences = [f"dot: what {chance}", *rings]
    size_drawn = _WIDTH, len(plan.systems) * row
    ax, foot = footed(ax, sentences, size_drawn, left=margin, right=0.75, top=_ABOVE, below=_BELOW)
    size = font_size(size_of(ax)[1] / len(plan.systems))
    label_rows(ax, names.texts, names.font(size))
    _unit_axis(ax, plan)
    for place in range(len(plan.systems) - 1):
        _neighbours(ax, plan, place, size)
    foot()
    return ax


def _unit_axis(ax: "Axes", plan: Plan) -> None:
    """Span what is needed, in powers of ten, and mark what there is."""
    from matplotlib.ticker import NullLocator  # noqa: PLC0415  # an extra

    growth = np.diagonal(plan.growth, 1)
    near = growth[(growth <= _FAR) & (growth > 1)]
    ax.set_xscale("log")
    ax.set_xlim(plan.size / 1.3, plan.size * max(2.0, float(near.max(initial=1.0))) * 1.9)
    ticks = _ticks(*ax.get_xlim())
    ax.set_xticks(ticks, [f"{tick:,g}" for tick in ticks], fontsize=NOTE_SIZE)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.axvline(plan.size, color=FAINT, linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
    above = 1 + LIFT / size_of(ax)[1]
    write(ax, (plan.size, above), f"{plan.size:,.0f} now", NOTE_SIZE, "columns", ha="center", va="bottom")
    label_below(ax, f"{plan.unit} a task" if plan.units == "instances" else plan.unit)


def _ticks(low: float, high: float) -> list[float]:
    """Return powers of ten in a range, with twice and five times each where it is short.

    >>> _ticks(30, 700), _ticks(3, 2000)
    ([50.0, 100.0, 200.0, 500.0], [10.0, 100.0, 1000.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1, 2, 5) if math.log10(high / low) < 2 else (1,)  # decades
    return [step * 10.0**power for power in range(first, last) for step in steps if low <= step * 10.0**power <= high]


def _neighbours(ax: "Axes", plan: Plan, place: int, size: float) -> None:
    """Draw between two rows what would separate their systems."""
    row, growth = place + 0.5, float(plan.growth[place, place + 1])
    if plan.separated[place, place + 1]:
        ax.plot([plan.size], [row], "o", color=FAINT, markerfacecolor="white", markersize=size / 2)
        return
    right: dict[str, Any] = {"va": "center", "ha": "left"}
    if math.isnan(growth) or plan.difference[place, place + 1] == 0:
        said = "  unknown" if math.isnan(growth) else "  never"
        write(ax, (plan.size, row), said, size, color=FAINT, **right)
        return
    units = min(growth * plan.size, ax.get_xlim()[1])
    ax.plot([plan.size, units], [row, row], color=COLOURS[0], linewidth=size / 7)
    if growth <= _FAR:
        ax.plot([units], [row], "o", color=COLOURS[0], markersize=size / 2)
    write(ax, (units, row), f"  {two_digits(math.ceil(growth * plan.size))}", size, color=INK, **right)
