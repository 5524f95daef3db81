"""Pictures of plans: what would separate neighbours, and what to run of each system."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.errors import MethodError
from podium.base.words import percent, two_digits
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
    strip,
    write,
)
from podium.report.picture import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.planning.result import Allocation, Plan

#: Inches of the axes, and above and below them.
_WIDTH, _ABOVE, _BELOW = 3.6, 0.3, 0.5

#: Times as many units as there are, beyond which a number is only written.
_FAR = 1000.0


def _rows(
    ax: "Axes | None", systems: Sequence[str], sentences: Sequence[str]
) -> "tuple[Axes, Callable[[], None], float]":
    """Return axes with a row for each system, what writes sentences below, and the size of letters."""
    names, row = Lettering.of(systems), row_height(len(systems))
    margin, size_drawn = names.width(font_size(row)) + 0.15, (_WIDTH, len(systems) * row)
    ax, foot = footed(ax, sentences, size_drawn, left=margin, right=0.75, top=_ABOVE, below=_BELOW)
    size = font_size(size_of(ax)[1] / len(systems))
    label_rows(ax, names.texts, names.font(size))
    return ax, foot, size


def needed(plan: "Plan", *, ax: "Axes | None" = None) -> "Axes":
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
    chance = f"separates the systems above and below it with a chance of {percent(plan.power)}"
    rings = ["ring: separated already"] if np.diagonal(plan.separated, 1).any() else []
    ax, foot, size = _rows(ax, plan.systems, [f"dot: what {chance}", *rings])
    _unit_axis(ax, plan)
    for place in range(len(plan.systems) - 1):
        _neighbours(ax, plan, place, size)
    foot()
    return ax


def _unit_axis(ax: "Axes", plan: "Plan") -> None:
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


def _neighbours(ax: "Axes", plan: "Plan", place: int, size: float) -> None:
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


def allocated(found: "Allocation", *, ax: "Axes | None" = None) -> "Axes":
    """Draw how much of the budget goes to each system, as bars; systems that get nothing are left out.

    Parameters
    ----------
    found
        What `podium.allocate` returns.
    ax
        Where to draw; None makes a figure of the size that systems need.

    Raises
    ------
    MethodError
        There is nothing to run.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> ax = podium.plots.allocated(podium.allocate(podium.datasets.xtreme_missing(), 5))
    >>> ax.get_xlabel(), [text.get_text().strip() for text in ax.texts][:2]
    ('scores', ['2', '1'])
    """
    if not found.cells:
        raise MethodError("there is nothing to run, so there is nothing to draw")
    spent: dict[str, float] = {}
    for cell in found.cells:
        spent[cell.system] = spent.get(cell.system, 0.0) + cell.cost
    spent = dict(sorted(spent.items(), key=lambda one: -one[1]))
    ax, foot, size = _rows(ax, list(spent), [found.title])
    strip(ax)
    ax.set_xticks([])
    ax.barh(range(len(spent)), list(spent.values()), height=0.6, color=COLOURS[0])
    for place, amount in enumerate(spent.values()):
        write(ax, (amount, place), f" {amount:,.4g}", size, color=INK, va="center", ha="left")
    label_below(ax, found.cost or found.unit)
    foot()
    return ax
