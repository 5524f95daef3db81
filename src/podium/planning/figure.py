"""How many instances or tasks would separate each system from the next."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.errors import MethodError
from podium.base.words import percent, two_digits
from podium.planning.result import Plan
from podium.report.draw.canvas import (
    COLOURS,
    FAINT,
    INK,
    LIFT,
    NOTE_SIZE,
    font_size,
    label_below,
    label_rows,
    row_height,
    size_of,
    write,
)
from podium.report.draw.lettering import Lettering
from podium.report.draw.page import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    row = row_height(len(plan))
    margin = names.width(font_size(row)) + 0.15
    chance = f"separates the systems above and below it with a chance of {percent(plan.power)}"
    rings = ["ring: separated already"] if np.diagonal(plan.separated, 1).any() else []
    sentences = [f"dot: what {chance}", *rings]
    size_drawn = _WIDTH, len(plan) * row
    ax, foot = footed(ax, sentences, size_drawn, left=margin, right=0.75, top=_ABOVE, below=_BELOW)
    size = font_size(size_of(ax)[1] / len(plan))
    label_rows(ax, names.texts, names.font(size))
    _unit_axis(ax, plan)
    for place in range(len(plan) - 1):
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
    write(ax, (plan.size, above), f"{plan.size:,.4g} now", NOTE_SIZE, "columns", ha="center", va="bottom")
    label_below(ax, f"{plan.unit} a task" if plan.units == "instances" else plan.unit)


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten in a range, with twice and five times each where it is short.

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
