"""How systems move from one ranking to the next: a line for each."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.agreement.result import Agreement
from podium.report.draw.canvas import COLOURS, INK, font_size, new_axes, row_height, size_of, strip, write
from podium.report.draw.lettering import Lettering

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

_OTHERS = "#c4c4c4"

#: From the last ranking to the labels, in distances between rankings.
_LEAD = 0.18


def bump(agreement: Agreement, *, ax: "Axes | None" = None) -> "Axes":
    r"""Draw the ranks of every system in every ranking as a line; those that move most are coloured.

    Labels, with ranks, stand at both ends, each in a row of its own; those of systems that share a rank fan out.

    Parameters
    ----------
    agreement
        What `podium.agree` returns, or `podium.Agreement.of`.
    ax
        Where to draw; None makes a figure of the size that systems and rankings need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> agreement = podium.agree(podium.datasets.toy_table1(), ["mean", "borda"])
    >>> ax = podium.plots.bump(agreement)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['mean', 'borda\ntask']
    """
    n_methods, n_systems = agreement.ranks.shape
    names = Lettering.of(agreement.systems)
    methods = Lettering.of(agreement.methods)
    methods = replace(methods, texts=tuple(text.replace(":", "\n") for text in methods.texts))
    if ax is None:
        row = row_height(n_systems)
        size = font_size(row)
        margin = names.width(size, extra=f"  {n_systems}") + 0.2
        step = max(0.7, methods.width(size) + 0.15)
        ax = new_axes((n_methods - 1 + 2 * _LEAD) * step, n_systems * row, left=margin, right=margin, top=0.45)
    size = font_size(size_of(ax)[1] / n_systems)
    strip(ax)
    ax.set_xlim(-_LEAD, n_methods - 1 + _LEAD)
    ax.set_ylim(n_systems + 0.5, 0.5)
    ax.set_yticks([])
    ax.set_xticks(range(n_methods), methods.texts, fontproperties=methods.font(size), parse_math=False)
    ax.tick_params(axis="x", length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    slots = (_slots(agreement.ranks, agreement.systems), _slots(agreement.ranks[::-1], agreement.systems))
    for index, text in enumerate(names.texts):
        moves = index < len(COLOURS) and agreement.spread[index] > 0
        colour = COLOURS[index] if moves else _OTHERS
        track = [slots[0][index], *agreement.ranks[:, index].tolist(), slots[1][index]]
        _line(ax, track, colour, size, above=len(COLOURS) - index if moves else 0)
        _ends(ax, track, text, names.font(size), colour if moves else INK)
    return ax


def _line(ax: "Axes", track: list[int], colour: str, size: float, *, above: int) -> None:
    """Draw ranks, and lead from the first and the last to their labels."""
    places = [-_LEAD, *range(len(track) - 2), len(track) - 3 + _LEAD]
    ax.plot(
        places,
        track,
        "-o",
        color=colour,
        linewidth=size / (3.5 if above else 7),
        markersize=size / (2 if above else 3),
        markevery=slice(1, -1),
        zorder=2 + 0.1 * above,
        solid_joinstyle="round",
    )


def _ends(ax: "Axes", track: list[int], text: str, font: "FontProperties", colour: str) -> None:
    """Name the system at both ends, with its rank in the first and in the last ranking."""
    ends = ((0.0, "right", track[0], f"{text}  {track[1]} "), (1.0, "left", track[-1], f" {track[-2]}  {text}"))
    for x, side, y, label in ends:
        write(ax, (x, y), label, font, "rows", ha=side, va="center", color=colour)


def _slots(ranks: NDArray[np.int64], systems: tuple[str, ...]) -> list[int]:
    """Row of each label beside the first ranking: its rank; systems that share one are ordered by the next rankings."""
    order = sorted(range(len(systems)), key=lambda index: (*ranks[:, index].tolist(), systems[index]))
    slots = [0] * len(systems)
    for place, index in enumerate(order):
        slots[index] = place + 1
    return slots
