"""An effect on every task and what they amount to: a forest plot, with a table on both sides."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from podium.base.errors import InputError
from podium.comparison.figure.axis import Axis, Decimals, limits
from podium.comparison.figure.column import ForestTable, Given, columns_of, default_columns
from podium.comparison.figure.mark import Rows, draw_marks
from podium.comparison.result import MetaAnalysis
from podium.report.draw.canvas import INK, NOTE_SIZE, font_size, new_axes, row_height, size_of, write
from podium.report.draw.lettering import Lettering, room_of
from podium.report.draw.page import height_of, lines_of, remark, wrapped
from podium.report.width import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Longest label of a system that is said to be favoured, and longest name that stands alone, in letters.
_SHORT, _LONG = 24, 60


def favours(analysis: MetaAnalysis) -> tuple[str, str]:
    """Say what is left and right of no effect; nothing of a correlation, or where the systems have no names.

    Examples
    --------
    >>> favours(MetaAnalysis("BERT", "GPT", "md", "reml", "normal", 0.95, (), None))
    ('← favours BERT', 'favours GPT →')
    """
    names = (analysis.control, analysis.treatment)
    if analysis.kind == "corr" or not any(names):
        return "", ""
    if _long(analysis):
        names = ("control", "treatment")
    return f"← favours {names[0]}", f"favours {names[1]} →"


def _long(analysis: MetaAnalysis) -> bool:
    """Whether the names are too long to stand beside the line of no effect."""
    return max(len(analysis.control), len(analysis.treatment)) > _SHORT


#: Size of a title, in points; height of its lines and of the others, and room for the numbers of the axis, in inches.
_TITLE_SIZE, _TITLE, _LINE, _NUMBERS = 9.5, 0.19, 0.145, 0.22

#: Between words that favour one side and the line of no effect, and around a margin, in inches.
_APART, _PAD = 0.08, 0.06


@dataclass(frozen=True, slots=True)
class Margins:
    """Words around a picture, in lines that are as long as it is wide.

    Attributes
    ----------
    title, label
        Above all; below the axis.
    sides
        What lies left and right of no effect, or twice nothing.
    said
        Sentences below.
    fonts
        That have all letters of the others.
    """

    title: str
    label: str
    sides: tuple[str, str]
    said: list[str]
    fonts: Lettering

    @classmethod
    def of(cls, title: str, label: str, sides: tuple[str, str], said: list[str]) -> "Margins":
        """Find fonts for what is said."""
        fonts = Lettering.of([title, shorten(label, _LONG), *sides], most=10**6)
        title, label, left, right = fonts.texts
        return cls(title, label, (left, right), said, fonts)

    def reach(self, width: float, null: float) -> tuple[float, float]:
        """Inches that words below the axis stick out of axes of a width, with no effect at some inches."""
        font = self.fonts.font(NOTE_SIZE)
        left, right = (room_of(side, font) + _APART if side else 0.0 for side in self.sides)
        label = (room_of(self.label, font) - width) / 2
        return max(left - null, label, 0.0), max(null + right - width, label, 0.0)

    def heights(self, width: float) -> tuple[float, float]:
        """Inches above the headings and below the axes that are needed where lines have some inches."""
        below = _LINE * (1 + any(self.sides)) + height_of(lines_of(self.said, width, ", "))
        return _TITLE * len(self._title(width)) + _PAD, _NUMBERS + below + 2 * _PAD

    def draw(self, ax: "Axes", *, null: float, above: float, reach: tuple[float, float]) -> None:
        """Write around axes.

        Parameters
        ----------
        ax
            Axes.
        null
            Inches from their left to no effect.
        above, reach
            Inches that headings take above, and columns on both sides.
        """
        width, height = size_of(ax)
        whole, font = width + sum(reach), self.fonts.font(NOTE_SIZE)
        y = height + above + _PAD
        for line in reversed(self._title(whole)):
            bold = self.fonts.font(_TITLE_SIZE, bold=True)
            write(ax, (-reach[0] / width, y / height), line, bold, "axes", va="bottom")
            y += _TITLE
        ax.set_xlabel(self.label, fontproperties=font, color=INK, parse_math=False, va="top")
        ax.xaxis.set_label_coords(0.5, -_NUMBERS / height)
        below = _NUMBERS + _LINE
        if any(self.sides):
            for x, side, text in ((null - _APART, "right", self.sides[0]), (null + _APART, "left", self.sides[1])):
                write(ax, (x / width, -below / height), text, font, "axes", ha=side, va="top")
            below += _LINE
        remark(ax, lines_of(self.said, whole, ", "), left=reach[0], below=below + _PAD)

    def _title(self, width: float) -> list[str]:
        """Lines of the title, cut where a word is longer than a line."""
        font = self.fonts.font(_TITLE_SIZE, bold=True)

        def fits(text: str) -> bool:
            return room_of(text, font) <= width

        lines = wrapped(self.title.split(" "), fits, " ") if self.title else []
        cuts = [(shorten(line, most) for most in range(len(line) * 2, 2, -1)) for line in lines]
        return [next(filter(fits, shorter), "…") for shorter in cuts]


#: Of the whole picture, so that it fills a page, and least and greatest width of the axes, in inches.
_PAGE, _NARROW, _WIDE = 7.0, 2.4, 3.6

#: Said where an interval is cut.
_ARROWS = "arrows: the interval goes on beyond the axis"

#: Around everything, in inches.
_MARGIN = 0.1


def forest(
    analysis: MetaAnalysis,
    *,
    left: str | Sequence[Given] | None = None,
    right: str | Sequence[Given] | None = None,
    sort: str | None = None,
    digits: int | None = None,
    title: str | None = None,
    label: str | None = None,
    prediction: bool = True,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the effect on every task with its interval, and below them what they amount to.

    A square at each effect, its area in proportion to its weight, with whiskers over its interval; a diamond over the
    interval of the summary, and one over that of each group; a bar over the prediction interval; a dotted line at no
    effect. An interval that is much longer than the others is cut at the end of the axis, with an arrow; its numbers
    stand beside it. Ratios have a logarithmic axis. Below stand τ², I² and Cochran's Q, and how effects were pooled.

    Parameters
    ----------
    analysis
        What `podium.compare` or `podium.pool` returns.
    left, right
        Columns beside the tasks and right of the picture: "n", "control", "treatment", "means", "weight", "effect",
        "ci", "p", the name of a measure of `MetaAnalysis.beside`, or a pair of a heading and texts, by task or in
        their order. By default n and what is beside, if there is any; and weight, effect and interval.
    sort
        "effect", "weight" or "n" (largest first), or "name"; within groups. None keeps the order of the table.
    digits
        Decimals of effects and intervals; None shows two significant digits of the shortest interval.
    title
        Above the picture.
    label
        Of the axis; by default the name of the effect.
    prediction
        Whether to show the prediction interval, where there is one.
    ax
        Where to draw, columns outside of it on both sides; None makes a figure of the size that all this needs.

    Raises
    ------
    LabelError
        There is no such column, task or order.
    InputError
        A column has more or fewer texts than there are tasks, or `digits` is no number of decimals.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Lewis & Clarke, BMJ 322, 2001, on forest plots; Sertkan, Althammer & Hofstätter, ACL 2023, Fig. 1.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([-0.08, 0.02], [0.0012, 0.0004], tasks=["rte", "sst2"], n=[277, 872])
    >>> ax = forest(analysis, left=["n"], right=["effect", "ci", "p"])
    >>> [text.get_text() for text in ax.texts][:4]
    ['Task', 'rte', 'sst2', 'Summary']
    """
    rows = Rows.of(analysis, sort=sort, prediction=prediction)
    decimals = _decimals(analysis, rows, digits)
    before, after = (
        columns_of(analysis, rows.rows, usual if given is None else given, decimals)
        for given, usual in zip((left, right), default_columns(analysis), strict=True)
    )
    null, log = analysis.measure.null, analysis.measure.pooled_as == "log"
    axis = Axis(*limits(rows.rows, null, log=log), null, log)
    said = [", ".join(parts) for parts in analysis.details] + [_ARROWS] * any(map(axis.cuts, rows.rows))
    if _long(analysis):
        said.append(f"control: {shorten(analysis.control, _LONG)}, treatment: {shorten(analysis.treatment, _LONG)}")
    margins = Margins.of(title or "", (label or analysis.measure.name) + decimals.unit, favours(analysis), said)
    row = row_height(math.ceil(rows.height)) if ax is None else size_of(ax)[1] / rows.height
    table = ForestTable(rows, before, after, font_size(row))
    if ax is None:
        ax = _page(table, margins, axis, row)
    axis.put(ax, rows.height, decimals)
    draw_marks(ax, analysis, rows, unit=min(1.0, table.size / (36 * row)))
    table.draw(ax)
    margins.draw(ax, null=axis.share(axis.null) * size_of(ax)[0], above=row, reach=table.reach)
    return ax


def _decimals(analysis: MetaAnalysis, rows: Rows, digits: Any) -> Decimals:
    """As given, or as the intervals need."""
    if digits is not None:
        if not isinstance(digits, int) or isinstance(digits, bool) or digits < 0:
            raise InputError(f"digits is {digits!r}; it must be a whole number of decimals, at least 0")
        return Decimals(digits)
    shown = [row for row in rows.rows if row.members]
    if analysis.measure.pooled_as == "log":
        ratios = [(row.high - row.low) / row.effect for row in shown if row.effect > 0]
        return replace(Decimals.of(ratios, [analysis.measure.null]), ratio=True)
    values = [value for row in shown for value in (row.effect, row.low, row.high)]
    return Decimals.of([row.high - row.low for row in shown], values)


def _page(table: ForestTable, margins: Margins, axis: Axis, row: float) -> "Axes":
    """Axes in a figure with room for columns on both sides, and for words above and below."""
    left, right = table.reach
    width = min(_WIDE, max(_NARROW, _PAGE - left - right))
    out = margins.reach(width, axis.share(axis.null) * width)
    left, right = max(left, out[0]), max(right, out[1])
    above, below = margins.heights(left + width + right)
    return new_axes(
        width,
        row * table.rows.height,
        left=left + _MARGIN,
        right=right + _MARGIN,
        top=row + above + _MARGIN,
        bottom=below + _MARGIN,
    )
