"""Who beats whom: every system against every other, as coloured cells."""

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.ranking.pair import Pairwise
from podium.report.canvas import FAINT, INK, NOTE_SIZE, Lettering, font_size, legend, new_axes, size_of, strip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

#: From an interval that ends at ½ to one that ends at 0 or 1. Green and purple differ to colour-blind readers too.
_WINS = np.array([[0.77, 0.90, 0.74], [0.0, 0.35, 0.16]])

_LOSES = np.array([[0.88, 0.80, 0.91], [0.36, 0.13, 0.46]])

_UNDECIDED = np.array([0.87, 0.87, 0.87])

#: Width of the legend, in inches.
_LEGEND = 2.0

#: Smallest side of a cell, in inches, that has room for a number.
_ROOM = 0.27

#: Systems up to which cells are drawn as shapes.
_SHAPES = 150

#: Largest side of all cells together, in inches, as a picture in dots of more takes gigabytes; and smallest height of a
#: name, so that where there are more systems only every so many have names.
_SIDE, _LEAST = 20.0, 0.13


def heatmap(pairwise: Pairwise, *, ax: "Axes | None" = None) -> "Axes":
    """Draw every system against every other: green where the row is better beyond doubt, purple where it is worse.

    The darker, the surer: the further the interval of the share of comparisons won is from ½; grey where it holds ½; a
    cross where two systems were never compared, or of more than 150 systems nothing. Systems are in order of their
    share. Where there is room, columns bear their names and cells show the share won; otherwise columns bear the
    numbers of rows. Of more than 150 systems, only every second one has its name, or every third, and so on.

    Parameters
    ----------
    pairwise
        What `podium.pairwise` returns.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Himmi, Irurozki, Noiry, Clémençon & Colombo, 2023, Fig. 6 and §2.3.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> ax = podium.plots.heatmap(duels)
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'system 4  1'
    """
    n_systems = len(pairwise)
    names, named = Lettering.of(pairwise.systems), False
    if ax is None:
        side = min(0.4, max(_LEAST, 6.5 / n_systems), _SIDE / n_systems)
        letters = font_size(max(side, _LEAST))
        margin = max(names.width(letters, extra=f"  {n_systems}") + 0.15, _LEGEND - n_systems * side)
        named = side >= _ROOM
        top = names.width(font_size(side), extra="  00") + 0.15 if named else 0.4
        ax = new_axes(n_systems * side, n_systems * side, left=margin, right=0.15, top=top, bottom=1.35)
        ax.set_anchor("N")
    side = min(size_of(ax)) / n_systems
    edges = np.arange(n_systems + 1) - 0.5
    away = np.argwhere(np.isnan(pairwise.probability) & ~np.eye(n_systems, dtype=np.bool_))
    if n_systems > _SHAPES:  # as a picture, since so many shapes take minutes and megabytes
        ax.imshow(_colours(pairwise), interpolation="none")
    else:
        ax.pcolormesh(edges, edges, _colours(pairwise), edgecolors="white", linewidth=min(0.8, 3 * side))
        ax.scatter(away[:, 1], away[:, 0], marker="x", s=(72 * side * 0.3) ** 2, color=FAINT, linewidth=0.6)
    if side >= _ROOM:
        _number(ax, pairwise, size=min(7.5, 72 * side / 3.2))
    ax.set_aspect("equal")
    ax.set_xlim(-0.5, n_systems - 0.5)
    ax.set_ylim(n_systems - 0.5, -0.5)
    _label(ax, names, side, named=named)
    _legend(ax, pairwise, crossed=bool(away.size))
    return ax


def _colours(pairwise: Pairwise) -> Floats:
    """Shape `(N, N, 3)`."""
    colours = np.tile(_UNDECIDED, (len(pairwise), len(pairwise), 1))
    for decided, distance, shades in (
        (pairwise.separated, pairwise.low - 0.5, _WINS),
        (pairwise.separated.T, 0.5 - pairwise.high, _LOSES),
    ):
        depth = (2 * distance)[..., None].clip(0, 1)
        colours = np.where(decided[..., None], shades[0] + depth * (shades[1] - shades[0]), colours)
    colours[np.isnan(pairwise.probability)] = 1.0
    return colours


def _number(ax: "Axes", pairwise: Pairwise, size: float) -> None:
    """Write the shares into the cells, in black or white, whichever is read better."""
    luminance = _colours(pairwise) @ [0.3, 0.59, 0.11]
    for i, j in np.argwhere(~np.isnan(pairwise.probability)):
        text = f"{pairwise.probability[i, j]:.2f}".removeprefix("0")
        ink = INK if luminance[i, j] > 0.56 else "white"
        ax.text(j, i, text, ha="center", va="center_baseline", fontsize=size, color=ink)


def _label(ax: "Axes", names: Lettering, side: float, *, named: bool) -> None:
    """Names and numbers at the rows, and at the columns either both or numbers alone; side of a cell in inches."""
    step = math.ceil(_LEAST / side) if len(names.texts) > _SHAPES else 1
    size, places = font_size(step * side), range(0, len(names.texts), step)
    rows = [f"{names.texts[place]}  {place + 1}" for place in places]
    strip(ax)
    ax.tick_params(length=0, pad=2, top=False, labeltop=True, bottom=False, labelbottom=False)
    ax.set_yticks(places, rows, fontproperties=names.font(size), parse_math=False)
    if named:
        columns = [f"{place + 1}  {names.texts[place]}" for place in places]
        ax.set_xticks(places, columns, fontproperties=names.font(size), rotation=90, parse_math=False)
    else:
        ax.set_xticks(places, [str(place + 1) for place in places], fontsize=size, rotation=0 if 72 * side > 20 else 90)


def _legend(ax: "Axes", pairwise: Pairwise, *, crossed: bool) -> None:
    """Say what the colours mean, below the cells."""
    from matplotlib.lines import Line2D  # noqa: PLC0415  # an extra
    from matplotlib.patches import Patch  # noqa: PLC0415

    handles: list[Patch | Line2D] = [
        Patch(color=tuple(_WINS.mean(axis=0)), label="row better than column"),
        Patch(color=tuple(_LOSES.mean(axis=0)), label="row worse than column"),
        Patch(color=tuple(_UNDECIDED), label="undecided"),
    ]
    if crossed and len(pairwise) > _SHAPES:
        handles.append(Patch(facecolor="white", edgecolor=FAINT, linewidth=0.6, label="never compared"))
    elif crossed:
        handles.append(Line2D([], [], linestyle="", marker="x", color=FAINT, label="never compared"))
    together = "all pairs together" if pairwise.simultaneous else "pair by pair"
    sides = "one-sided, " if pairwise.sided == "one" else ""
    legend(
        ax,
        handles=handles,
        loc="upper right",
        bbox_to_anchor=(1.0, -0.08 / size_of(ax)[1]),
        title=f"Hoeffding, {100 * pairwise.confidence:g}%, {sides}{together};\ndarker: surer (interval further from ½)",
        title_fontsize=NOTE_SIZE,
        alignment="left",
        handlelength=1.2,
    )
