"""Draw departures of systems on slices as coloured cells, pale where they may be chance."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.base.words import fixed
from podium.report.drawing import DIVERGING, FAINT, INK, Lettering, cell_axes, font_size, size_of
from podium.report.picture import height_of, lines_of, new_axes, remark
from podium.report.view import signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.base.arrays import Bools, Floats
    from podium.slicing.result import Slices

#: How much of its colour a departure keeps that may be chance.
PALE = 0.3

#: Height and width of a cell, in inches: least, usual; and what all may take.
_ROW, _WIDTH, _ALL = (0.15, 0.24), (0.17, 0.42), 14.0

#: Least width of a cell that has room for a score, in inches.
_ROOM = 0.34


class Cells(NamedTuple):
    """What cells show of N systems, the best first, on S slices.

    Attributes
    ----------
    systems, slices
        The labels; slices with the names of their columns if there are several.
    share
        Shape `(N, S)`: departures as shares of the largest; NaN where there is none.
    sure, leads
        Shape `(N, S)`: whether the departure is more than chance, and whether the system leads there.
    texts
        N by S: scores, empty where there is none.
    """

    systems: list[str]
    slices: list[str]
    share: "Floats"
    sure: "Bools"
    leads: "Bools"
    texts: list[list[str]]

    @classmethod
    def of(cls, found: "Slices") -> "Cells":
        """Take what is shown of an answer."""
        departure, p, score = (
            np.concatenate([getattr(cut, name) for cut in found.cuts])[:, found.order].T
            for name in ("departure", "p", "score")
        )
        systems = [found.systems[one] for one in found.order]
        places = 2 if np.nanmax(np.abs(score)) < 10 else 0  # letters that have room
        return cls(
            systems,
            [name for _, _, name in found.every()],
            departure / (float(np.nanmax(np.abs(departure), initial=0.0)) or 1.0),
            np.nan_to_num(p, nan=1.0) <= found.alpha,
            np.array([[name in first for cut in found.cuts for first in cut.leaders] for name in systems]),
            [
                ["" if np.isnan(one) else signed(fixed(one, places)).replace("0.", ".", 1) for one in row]
                for row in score.tolist()
            ],
        )


def slices_map(found: "Slices", *, ax: "Axes | None" = None) -> "Axes":
    """Draw a cell for each system (the best on top) and slice: green where it does better than elsewhere, purple worse.

    Full colours are departures of more than chance, all together; others are pale. Numbers are scores on the slice, and
    that of its leader is bold. A cell without colour has no score.

    Parameters
    ----------
    found
        What `podium.slices` returns.
    ax
        Where to draw; None makes a figure of the size that names need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> found = podium.slices(podium.simulate.gumbel(3, 4, 50, dispersion=1.0, rng=0).scores)
    >>> len(podium.plots.slices(found).get_xticks())
    4
    """
    cells = Cells.of(found)
    rows, columns = Lettering.of(cells.systems), Lettering.of(cells.slices)
    ax = _axes(found, rows, columns, ax)
    edges = (np.arange(number + 1) - 0.5 for number in cells.share.shape[::-1])
    ax.pcolormesh(*edges, _shades(cells.share, cells.sure), edgecolors="white", linewidth=0.6)
    _number(ax, cells)
    for start in np.cumsum([len(cut.slices) for cut in found.cuts[:-1]]):
        ax.axvline(start - 0.5, color=INK, linewidth=0.8)
    return ax


def _axes(found: "Slices", rows: Lettering, columns: Lettering, ax: "Axes | None") -> "Axes":
    """Return axes with the names of rows and columns, and below them what colours mean."""
    n_rows, n_columns = len(rows.texts), len(columns.texts)
    said = [
        "green: better than elsewhere, above the mean of the systems; purple: worse",
        f"pale: may be chance ({100 * found.confidence:g}%, all together); numbers: scores, the leader's in bold",
    ]
    if ax is None:
        width, height = (
            number * max(least, min(usual, _ALL / number))
            for number, (least, usual) in ((n_columns, _WIDTH), (n_rows, _ROW))
        )
        left, top = rows.width(font_size(height / n_rows)) + 0.15, columns.width(_turned(width / n_columns)) + 0.15
        right = max(0.15, 3.4 - width - left)
        lines = lines_of(said, left + width + right - 0.2)
        below = height_of(lines) + 0.2
        ax = new_axes(width, height, left=left, right=right, top=top, bottom=below, rigid=True)
        remark(ax, lines, left=left - 0.1, below=0.1)
    else:
        remark(ax, lines_of(said, size_of(ax)[0]), left=0.0, below=0.1)
    across, down = (inches / number for inches, number in zip(size_of(ax), (n_columns, n_rows), strict=True))
    cell_axes(ax, n_rows, n_columns)
    ax.set_yticks(range(n_rows), rows.texts, fontproperties=rows.font(font_size(down)), parse_math=False)
    names = columns.font(_turned(across))
    ax.set_xticks(range(n_columns), columns.texts, fontproperties=names, rotation=90, parse_math=False)
    return ax


def _turned(across: float) -> float:
    """Return the size of names above columns of so many inches."""
    return min(font_size(across), 72 * across / 1.3)


def _shades(share: "Floats", sure: "Bools") -> "Floats":
    """Shape `(N, S, 4)`: colours of departures as shares of the largest; white where there is none."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  # an extra

    shade = np.array(LinearSegmentedColormap.from_list("departure", DIVERGING)(share / 2 + 0.5))
    shade[..., :3] = np.where(sure[..., None], shade[..., :3], 1 - PALE * (1 - shade[..., :3]))
    shade[np.isnan(share)] = 1.0
    return shade


def _number(ax: "Axes", cells: Cells) -> None:
    """Write scores into the cells, if these have room."""
    across = size_of(ax)[0] / len(cells.slices)
    if across < _ROOM:
        return
    dark = cells.sure & (np.abs(cells.share) > 0.6)
    for i, row in enumerate(cells.texts):
        for j, text in enumerate(row):
            bold = cells.leads[i, j]
            style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": min(7.0, 20 * across)}
            ink = "white" if dark[i, j] else INK if bold else FAINT
            ax.text(j, i, text, color=ink, fontweight="bold" if bold else "normal", **style)
