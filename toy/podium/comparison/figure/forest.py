"""An effect on every task and what they amount to: a forest plot, with a table on both sides."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podium.base.errors import InputError
from podium.comparison.figure.axis import Axis
from podium.comparison.figure.column import Decimals, Given, columns_of, default_columns
from podium.comparison.figure.mark import Rows, draw_diamonds, draw_guides, draw_prediction, draw_tasks
from podium.comparison.figure.table import Margins, Table, favours
from podium.comparison.result import MetaAnalysis
from podium.report.draw.canvas import font_size, new_axes, row_height, size_of
from podium.report.draw.file import check_installed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of the whole picture, so that it fills a page, and least and greatest width of the axes, in inches.
_PAGE, _NARROW, _WIDE = 7.0, 2.4, 3.6

#: Said where an interval is cut.
_ARROWS = ["arrows: the interval goes on beyond the axis"]

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
    check_installed()
    decimals = _decimals(analysis, digits)
    rows = Rows.of(analysis, sort=sort, prediction=prediction)
    before, after = (
        columns_of(analysis, rows.rows, usual if given is None else given, decimals)
        for given, usual in zip((left, right), default_columns(analysis), strict=True)
    )
    axis = Axis.of(rows.rows, analysis.measure.null, log=analysis.measure.pooled_as == "log")
    margins = Margins.of(
        title or "",
        (label or analysis.measure.name) + decimals.unit,
        favours(analysis),
        [*analysis.details, *([_ARROWS] if any(map(axis.cuts, rows.rows)) else [])],
    )
    row = row_height(math.ceil(rows.height)) if ax is None else size_of(ax)[1] / rows.height
    table = Table.of(rows, before, after, font_size(row))
    if ax is None:
        ax = _page(table, margins, axis, row)
    axis.put(ax, rows.height, decimals)
    _draw(ax, analysis, rows, unit=min(1.0, table.size / (36 * row)))
    table.draw(ax)
    margins.draw(ax, null=axis.share(axis.null) * size_of(ax)[0], above=row, reach=table.reach)
    return ax


def _decimals(analysis: MetaAnalysis, digits: Any) -> Decimals:
    """As given, or as the intervals need."""
    if digits is not None:
        if not isinstance(digits, int) or isinstance(digits, bool) or digits < 0:
            raise InputError(f"digits is {digits!r}; it must be a whole number of decimals, at least 0")
        return Decimals(digits)
    shown = [(task.effect, task.low, task.high) for task in analysis.tasks]
    pooled = [analysis.summary, *(group.summary for group in analysis.subgroups)]
    shown += [(summary.effect, summary.low, summary.high) for summary in pooled]
    if analysis.measure.pooled_as == "log":
        ratios = [(high - low) / effect for effect, low, high in shown if effect > 0]
        return replace(Decimals.of(ratios, [analysis.measure.null]), ratio=True)
    return Decimals.of([high - low for _, low, high in shown], [value for row in shown for value in row])


def _page(table: Table, margins: Margins, axis: Axis, row: float) -> "Axes":
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


def _draw(ax: "Axes", analysis: MetaAnalysis, rows: Rows, unit: float) -> None:
    """Draw marks in the rows."""
    (summary,) = rows.of_kind("summary")
    draw_guides(ax, analysis.measure.null, summary.effect, summary.y)
    tasks = rows.of_kind("task")
    draw_tasks(ax, tasks, [analysis.tasks[row.members[0]].weight for row in tasks], unit)
    draw_diamonds(ax, rows.of_kind("subgroup"), unit, filled=False)
    draw_diamonds(ax, [summary], unit, filled=True)
    draw_prediction(ax, rows.of_kind("prediction"), unit)
