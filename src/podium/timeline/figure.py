"""How ranks went from step to step: a line for each system, with bands for rank intervals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.arrays import Floats
from podium.report.drawing import (
    FAINT,
    INK,
    NOTE_SIZE,
    Lettering,
    apart,
    font_size,
    line_style,
    round_ticks,
    row_height,
    size_of,
    strip,
    write,
)
from podium.report.picture import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.timeline.result import History

#: Systems drawn at most, and those that stand out and have bands.
_MOST, _FIRST = 20, 6

#: Inches from step to step: of few, and of many, whose labels stand upright.
_WIDE, _NARROW = 1.1, 0.3

#: Inches of an axis of scores.
_HIGH = 2.0

#: Steps from which on they are drawn close to each other.
_MANY = 9

#: Of systems that do not stand out.
_QUIET: dict[str, Any] = {"color": "#b4b4b4", "linestyle": "-", "marker": "o"}


def history(history: "History", *, whole: bool = False, ax: "Axes | None" = None) -> "Axes":
    """Draw the rank of every system in every step as a line, and its interval as a band; of one system, its score.

    The first six of the last step stand out and have bands. A ring is where a system enters, a cross where it was last
    seen. A star is where a system overtook another by more than noise. Names stand at the right; those of systems
    that left say when they were last seen. Below stands how many systems are left out.

    Parameters
    ----------
    history
        What `podium.history` returns.
    whole
        Whether to draw every system; otherwise the best 20, and those that were first once.
    ax
        Where to draw; None makes a figure of the size that systems and steps need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> ax = podium.plots.history(podium.history({"May": table, "June": table}))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['May', 'June']
    """
    if history.alone:
        return _scores(history, ax)
    shown, left_out = drawn_in(history, None if whole else _MOST)
    ranks, low, high = _tracks(history, shown)
    n_steps = len(history.steps)
    names = Lettering.of(shown)
    steps = Lettering.of([step.label for step in history.steps], most=24)
    there = ~np.isnan(ranks[:, -1])
    # names need rows, too: those that are there down to their ranks, and those that left below
    named = max(int(np.max(ranks[there, -1], initial=0)), int(there.sum())) + int(np.count_nonzero(~there))
    deep = max(int(np.nanmax(ranks)), named)
    row = row_height(deep)
    size = font_size(row)
    step = _WIDE if n_steps < _MANY else _NARROW
    upright = steps.width(size) + 0.1 > step
    last = history.steps[-1].rank_of()
    seen = {system: one.label for one in history.steps for system in one.ranking.systems}
    texts = [
        f"{text}  {last[system]}" if system in last else f"{text}  until {seen[system]}"
        for system, text in zip(shown, names.texts, strict=True)
    ]
    margin = max(
        names.width(size, extra=text.removeprefix(name)) for name, text in zip(names.texts, texts, strict=True)
    )
    above = steps.width(size) + 0.15 if upright else 0.35
    drawn = (n_steps - 1 + 0.5) * step, deep * row
    margins = {"left": 0.35, "right": margin + 0.25, "top": above, "below": 0.15}
    ax, foot = footed(ax, legend(history, left_out), drawn, **margins, rigid=True)
    size = font_size(size_of(ax)[1] / deep)
    strip(ax)
    ax.set_xlim(-0.25, n_steps - 0.75)
    ax.set_ylim(deep + 0.5, 0.5)
    ax.set_xticks(range(n_steps), steps.texts, fontproperties=steps.font(size), parse_math=False)
    ax.tick_params(axis="x", length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    if upright:
        ax.tick_params(axis="x", labelrotation=90)
    places = [1, *range(5, int(np.nanmax(ranks)) + 1, 5)]
    ax.set_yticks(places, [str(place) for place in places], fontsize=size)
    ax.tick_params(axis="y", length=0, labelcolor=FAINT)
    for index in reversed(range(len(shown))):
        _line(ax, (low[index], ranks[index], high[index]), index, size)
    _marks(ax, history, shown, ranks, size)
    _names(ax, ranks, texts, names, size)
    foot()
    return ax


def _scores(history: "History", ax: "Axes | None") -> "Axes":
    """Draw the score of the only system in every step, and its interval as a band."""
    scores, low, high = (
        np.array([step.ranking.rows()[0].get(name) for step in history.steps], dtype=np.float64)
        for name in ("score", "score_low", "score_high")
    )
    steps, places = Lettering.of([step.label for step in history.steps], most=24), np.arange(scores.size)
    step = _WIDE if scores.size < _MANY else _NARROW
    upright = steps.width(NOTE_SIZE) + 0.1 > step
    said = [f"band: {100 * float(history.confidence or 0):g}% interval of the score"] if np.isfinite(low).any() else []
    stars = np.array([bool(one.moves and one.moves[0][1].score_surely) for one in history.steps])
    said += [] if np.isfinite(scores).any() else ["no score in any step"]
    said += ["star: the change since the step before is more than noise"] if stars.any() else []
    below = steps.width(NOTE_SIZE) + 0.3 if upright else 0.4
    drawn = (scores.size - 0.5) * step, _HIGH
    ax, foot = footed(ax, ["; ".join(said)] * bool(said), drawn, left=0.62, right=0.2, top=0.35, below=below)
    strip(ax, "bottom", "left")
    ends = np.where(np.isnan([low, high]), scores, [low, high])
    least, most = (np.nanmin(ends), np.nanmax(ends)) if np.isfinite(scores).any() else (0.0, 1.0)
    beyond = 0.08 * (most - least or abs(most) or 1.0)
    ax.set_xlim(-0.25, scores.size - 0.75)
    ax.set_ylim(least - beyond, most + beyond)
    ax.set_yticks(*round_ticks(*ax.get_ylim(), size_of(ax)[1] / 0.45), fontsize=NOTE_SIZE)
    ax.set_xticks(places, steps.texts, fontproperties=steps.font(NOTE_SIZE), parse_math=False)
    if upright:
        ax.tick_params(axis="x", labelrotation=90)
    lower = "" if history.steps[-1].ranking.higher_is_better else " (lower is better)"
    ax.set_ylabel(f"score{lower}", fontsize=NOTE_SIZE)
    name = Lettering.of(history.systems)
    ax.set_title(name.texts[0], loc="left", fontproperties=name.font(NOTE_SIZE), color=INK, parse_math=False)
    style = line_style(0)
    ax.fill_between(places, *ends, color=style["color"], alpha=0.13, linewidth=0, zorder=1)
    ax.plot(places, scores, **style, zorder=3)
    ax.plot(places[stars], scores[stars], "*", color=style["color"], markeredgecolor=INK, markersize=11, zorder=4)
    foot()
    return ax


def drawn_in(history: "History", most: int | None) -> tuple[list[str], int]:
    """Return systems that are drawn, the best of the last step first, and how many are not; all if `most` is None.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> drawn_in(podium.history({"May": table, "June": table}), 2)
    (['C', 'B'], 1)
    """
    last = history.steps[-1].rank_of()
    best: dict[str, int] = {}
    for step in history.steps:
        for system, rank in step.rank_of().items():
            best[system] = min(best.get(system, rank), rank)
    order = sorted(best, key=lambda system: (last.get(system, len(last) + best[system]), best[system], system))
    if most is None or len(order) <= most:
        return order, 0
    # a system that was first once is drawn, too
    kept = set(order[:most]) | {system for system in order if best[system] == 1}
    return [system for system in order if system in kept], len(order) - len(kept)


def _tracks(history: "History", shown: list[str]) -> tuple[Floats, Floats, Floats]:
    """Shape `(S, T)` each: ranks of the systems in the steps, and both ends of their intervals; NaN where none is."""
    ranks, low, high = np.full((3, len(shown), len(history.steps)), np.nan)
    for column, step in enumerate(history.steps):
        sure = step.ranking.intervals
        place = {system: index for index, system in enumerate(step.ranking.systems)}
        for row, system in enumerate(shown):
            index = place.get(system)
            if index is None or not step.ranking.rank[index]:
                continue
            ranks[row, column] = step.ranking.rank[index]
            if sure is not None:
                low[row, column], high[row, column] = sure.rank_low[index], sure.rank_high[index]
    return ranks, low, high


def legend(history: "History", left_out: int) -> list[str]:
    """Say what marks mean, as far as there are some, and how many systems are left out.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> legend(podium.history({"May": table, "June": table}, confidence_level=None), 3)
    ['3 systems are left out; none was ever first']
    """
    said = []
    if any(step.ranking.intervals is not None for step in history.steps):
        said.append(f"band: {100 * float(history.confidence or 0):g}% interval of the rank")
    if any(one.surely for step in history.steps for one in step.overtakings):
        said.append("star: overtook a system, and the gain is more than noise")
    if any(step.entered for step in history.steps):
        said.append("ring: entered")
    if any(step.left for step in history.steps):
        said.append("cross: last seen")
    return ["; ".join(said)] * bool(said) + [f"{left_out:,} systems are left out; none was ever first"] * bool(left_out)


def _line(ax: "Axes", track: tuple[Floats, Floats, Floats], index: int, size: float) -> None:
    """Draw the ranks of a system, and the band of one that stands out."""
    low, rank, high = track
    first = index < _FIRST
    style = line_style(index) if first else _QUIET
    if first and not np.isnan(low).all():
        ends = np.arange(rank.size)
        ax.fill_between(ends, low - 0.3, high + 0.3, color=style["color"], alpha=0.13, linewidth=0, zorder=1)
    width, mark, order = (4, 2.4, 3) if first else (8, 4, 2)
    ax.plot(np.arange(rank.size), rank, **style, linewidth=size / width, markersize=size / mark, zorder=order)


def _marks(ax: "Axes", history: "History", shown: list[str], ranks: Floats, size: float) -> None:
    """Mark who enters, who was last seen, and who overtook by more than noise."""
    row = {system: index for index, system in enumerate(shown)}
    for column, step in enumerate(history.steps):
        passed = {one.winner for one in step.overtakings if one.surely}
        for system, at, mark, filled in (
            *((system, column, "o", False) for system in step.entered),
            *((system, column - 1, "x", True) for system in step.left),
            *((system, column, "*", True) for system in sorted(passed)),
        ):
            if system not in row or np.isnan(ranks[row[system], at]):
                continue
            colour = line_style(row[system])["color"] if row[system] < _FIRST else "#8c8c8c"
            face = colour if filled else "white"
            large, edge, width = (1.4, INK, 0.7) if mark == "*" else (0.75, colour, 1.1)
            style: dict[str, Any] = {"markersize": size * large, "markeredgecolor": edge, "markeredgewidth": width}
            ax.plot([at], [ranks[row[system], at]], mark, markerfacecolor=face, linestyle="none", zorder=4, **style)


def _names(ax: "Axes", ranks: Floats, texts: list[str], names: Lettering, size: float) -> None:
    """Name every system at the right: at its last rank, and those that left below all others."""
    there = np.flatnonzero(~np.isnan(ranks[:, -1]))
    gone = np.flatnonzero(np.isnan(ranks[:, -1]))
    last = ranks[there, -1]
    bottom = float(ax.get_ylim()[0]) - 0.5
    rows = apart(last.tolist(), 1.0, 1.0, max(float(last.max()), float(there.size))).tolist()
    below = (bottom - gone.size + 1 + np.arange(gone.size)).tolist()
    for index, place in zip([*there.tolist(), *gone.tolist()], [*rows, *below], strict=True):
        colour = FAINT if index in gone else line_style(index)["color"] if index < _FIRST else INK
        write(ax, (1.0, place), f" {texts[index]}", names.font(size), "rows", ha="left", va="center", color=colour)
