"""Rankings side by side: how far they agree, what their tops share, and who moves; in tables and as lines."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.words import few, fixed, how_many
from podium.report.drawing import INK, Lettering, font_size, line_style, row_height, size_of, strip, write
from podium.report.picture import footed
from podium.report.view import Column, Figure, Table, View
from podium.score.place import competition_ranks, places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties

    from podium.agreement.result import Agreement


#: Of systems that keep one rank, whose straight lines need no other.
_STILL: dict[str, Any] = {"color": "#c4c4c4", "linestyle": "-", "marker": "o"}

#: Systems that stand out, for they move most.
_FIRST = 6

#: Systems drawn unless all are wanted.
_MOST = 30

#: From the last ranking to the labels, in distances between rankings.
_LEAD = 0.18


def bump(agreement: "Agreement", *, whole: bool = False, ax: "Axes | None" = None) -> "Axes":
    r"""Draw the ranks of every system in every ranking as a line; those that move are coloured.

    The six that move most stand out. No two lines that move look alike. Labels, with ranks, stand at both ends, each in
    a row of its own; those of systems that share a rank fan out. Below stands what is left out: methods that give the
    same ranks as an earlier one, and all but the best 30 systems.

    Parameters
    ----------
    agreement
        What `podium.agree` returns, or `podium.Agreement.of`.
    whole
        Whether to draw every method and every system.
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
    kept, shown, sentences = drawn_in(agreement, whole=whole)
    ranks = agreement.ranks[np.ix_(kept, shown)]
    among = ranks if len(shown) == len(agreement) else np.array([competition_ranks(places(-row)) for row in ranks])
    n_methods, n_systems = ranks.shape
    systems = tuple(agreement.systems[index] for index in shown)
    names = Lettering.of(systems)
    methods = Lettering.of([agreement.methods[index] for index in kept])
    methods = replace(methods, texts=tuple(text.replace(":", "\n") for text in methods.texts))
    row = row_height(n_systems)
    margin = names.width(font_size(row), extra=f"  {len(agreement)}") + 0.2
    step = max(0.7, methods.width(font_size(row)) + 0.15)
    size_drawn = (n_methods - 1 + 2 * _LEAD) * step, n_systems * row
    ax, foot = footed(ax, sentences, size_drawn, left=margin, right=margin, top=0.45, below=0.12, rigid=True)
    size = font_size(size_of(ax)[1] / n_systems)
    strip(ax)
    ax.set_xlim(-_LEAD, n_methods - 1 + _LEAD)
    ax.set_ylim(n_systems + 0.5, 0.5)
    ax.set_yticks([])
    ax.set_xticks(range(n_methods), methods.texts, fontproperties=methods.font(size), parse_math=False)
    ax.tick_params(axis="x", length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    slots = (_slots(among, systems), _slots(among[::-1], systems))
    for index, text in enumerate(names.texts):
        moves = np.ptp(among[:, index]) > 0
        style = line_style(index) if moves else _STILL
        track = [slots[0][index], *among[:, index].tolist(), slots[1][index]]
        _line(ax, track, style, size, above=max(_FIRST - index, 0) if moves else 0)
        ends = [int(ranks[0, index]), int(ranks[-1, index])]
        _ends(ax, track, text, names.font(size), ends=ends, colour=style["color"] if moves else INK)
    foot()
    return ax


def drawn_in(agreement: "Agreement", *, whole: bool) -> tuple[list[int], list[int], list[str]]:
    """Return methods and systems that are drawn, in their order, and what to say of the others.

    >>> import podium
    >>> drawn_in(podium.agree(podium.datasets.toy_table1(), ["mean", "median", "borda"]), whole=False)
    ([0, 1, 2], [0, 1, 2], [])
    """
    methods, systems = list(range(len(agreement.methods))), list(range(len(agreement)))
    if whole:
        return methods, systems, []
    first = [int((agreement.ranks == row).all(axis=1).argmax()) for row in agreement.ranks]
    kept = sorted(set(first))
    kept = kept if len(kept) > 1 else methods[:2]
    same = {
        one: [agreement.methods[other] for other in methods if first[other] == one and other not in kept]
        for one in kept
    }
    sentences = [f"same ranks as {agreement.methods[one]}: {few(others)}" for one, others in same.items() if others]
    if len(systems) > _MOST:
        best = sorted(systems, key=lambda index: (agreement.ranks[:, index].mean(), index))[:_MOST]
        sentences.append(f"the best {_MOST} of {len(systems):,} systems, by their mean rank")
        systems = sorted(best)
    return kept, systems, sentences


def _line(ax: "Axes", track: list[int], style: dict[str, Any], size: float, *, above: int) -> None:
    """Draw ranks, and lead from the first and the last to their labels."""
    places = [-_LEAD, *range(len(track) - 2), len(track) - 3 + _LEAD]
    ax.plot(
        places,
        track,
        **style,
        linewidth=size / (3.5 if above else 7),
        markersize=size / (2 if above else 3),
        markevery=slice(1, -1),
        zorder=2 + 0.1 * above,
        solid_joinstyle="round",
    )


def _ends(ax: "Axes", track: list[int], text: str, font: "FontProperties", *, ends: Sequence[int], colour: str) -> None:
    """Name the system at both ends, with its rank in the first and in the last ranking."""
    sides = ((0.0, "right", track[0], f"{text}  {ends[0]} "), (1.0, "left", track[-1], f" {ends[1]}  {text}"))
    for x, side, y, label in sides:
        write(ax, (x, y), label, font, "rows", ha=side, va="center", color=colour)


def _slots(ranks: NDArray[np.int64], systems: tuple[str, ...]) -> list[int]:
    """Row of each label beside the first ranking: its rank; systems that share one are ordered by the next rankings."""
    order = sorted(range(len(systems)), key=lambda index: (*ranks[:, index].tolist(), systems[index]))
    slots = [0] * len(systems)
    for place, index in enumerate(order):
        slots[index] = place + 1
    return slots


#: Pairs of rankings and systems shown at most; JSON and CSV hold all.
_PAIRS = 15

_SYSTEMS = 10

#: Systems, and methods, that the verdict names together.
_LEADERS, _METHODS = 3, 3

#: Up to this many rankings, the rank of a system in each is shown.
_RANKINGS = 6

_READING = (
    "methods of one order: they rank all systems alike",
    "Kendall tau-b: 1 is the same order, 0 is no relation, -1 is the reverse order",
    "distance: Kendall distance, 0 for the same order and 1 for the reverse order",
    "top N: share of the best N systems that both rankings have",
    "spread: worst rank of the system minus its best rank",
)


def view_agreement(agreement: "Agreement") -> View:
    """Lay out an agreement: who is first by which methods, methods that agree, the systems that move most.

    >>> import podium
    >>> view_agreement(podium.agree(podium.datasets.toy_table1(), ["mean", "borda"])).verdict
    ('who is first depends on the method: A by mean; C by borda:task', 'A moves most: from rank 1 to 3')
    """
    values = [agreement.tau[pair] for pair in agreement.pairs() if not math.isnan(agreement.tau[pair])]
    reach = f": tau-b from {values[0]:.3f} to {values[-1]:.3f}" if values else ""
    title = f"{len(agreement.methods)} rankings of {len(agreement):,} systems{reach}"
    tables = (_moves(agreement), _groups(agreement), _matrix(agreement), _tops(agreement))
    figure = Figure("bump", "Ranks by method", partial(bump, agreement))
    return View(title, tables, agreement.notes, verdict(agreement), (figure,), _READING)


def verdict(agreement: "Agreement", *, counted: bool = False) -> tuple[str, ...]:
    """Say whether the first place depends on the method, and who moves most; methods are named, or counted.

    >>> import podium
    >>> verdict(podium.agree(podium.datasets.toy_table1(), ["mean", "borda"]), counted=True)[0]
    'who is first depends on the method: A by 1 of 2; C by 1'
    """
    first: dict[tuple[str, ...], list[str]] = {}
    for method, ranks in zip(agreement.methods, agreement.ranks, strict=True):
        best = np.flatnonzero(ranks == 1).tolist()
        first.setdefault(tuple(sorted(agreement.systems[index] for index in best)), []).append(method)
    if len(first) == 1:
        (leaders,) = first
        shares = "is first" if len(leaders) == 1 else "share the first place"
        sentence = f"{few(leaders, _LEADERS)} {shares} by all {len(agreement.methods)} methods"
    else:
        ways = sorted(first.items(), key=lambda one: -len(one[1]))
        by = [str(len(methods)) if counted else few(methods, _METHODS) for _, methods in ways]
        by[0] += f" of {len(agreement.methods)}" if counted else ""
        named = [
            f"{few(leaders, _LEADERS)}{'' if len(leaders) == 1 else ' together'} by {number}"
            for (leaders, _), number in zip(ways, by, strict=True)
        ]
        sentence = f"who is first depends on the method: {'; '.join(named[:_LEADERS])}"
        sentence += f"; {how_many(len(ways) - _LEADERS, 'other way')}" if len(ways) > _LEADERS else ""
    if not agreement.spread.any():
        return sentence, "all methods order the systems alike"
    return sentence, f"{agreement.systems[0]} moves most: from rank {agreement.best[0]} to {agreement.worst[0]}"


def _groups(agreement: "Agreement") -> Table:
    """Put methods together that rank all systems alike, most methods first."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, ranks in enumerate(agreement.ranks.tolist()):
        groups.setdefault(tuple(ranks), []).append(index)
    rows = sorted(groups.values(), key=lambda group: -len(group))
    usual = rows[0][0]
    best = [np.lexsort((agreement.systems, agreement.ranks[one]))[:_METHODS] for one, *_ in rows]
    return Table(
        (
            Column.words("methods of one order", [few([agreement.methods[one] for one in group]) for group in rows]),
            Column.words("begins with", [", ".join(agreement.systems[one] for one in order) for order in best], 1),
            Column.numbers("tau-b with the first row", [fixed(agreement.tau[usual, one], 3) for one, *_ in rows]),
        ),
        "methods that agree",
    ).cut(_SYSTEMS)


def _matrix(agreement: "Agreement") -> Table:
    names = agreement.methods
    columns = [
        Column.numbers(name, [fixed(value, 3) for value in agreement.tau[:, index]], named=True)
        for index, name in enumerate(names)
    ]
    return Table((Column.labels("Kendall tau-b", names), *columns), "Kendall tau-b", detail=True)


def _tops(agreement: "Agreement") -> Table:
    """Show the pairs of rankings that agree least, and what they have in common all the same."""
    pairs = agreement.pairs()
    shown = pairs[:_PAIRS]
    names = [f"{agreement.methods[i]} / {agreement.methods[j]}" for i, j in shown]
    measures = {"distance": agreement.distance}
    measures |= {f"top {n}": top for n, top in zip(agreement.top_n, agreement.top, strict=True)}
    columns = [(name, [fixed(matrix[pair], 3) for pair in shown]) for name, matrix in measures.items()]
    if len(pairs) > _PAIRS:
        names.append(f"… {len(pairs) - _PAIRS} more pairs")
        columns = [(name, [*cells, ""]) for name, cells in columns]
    shared = (Column.numbers(name, cells) for name, cells in columns)
    return Table((Column.labels("two rankings", names), *shared), "two rankings", detail=True)


def _moves(agreement: "Agreement") -> Table:
    rows, measures = agreement.rows(), ("best", "worst", "spread")
    methods = agreement.methods if len(agreement.methods) <= _RANKINGS else ()
    ranks = [
        Column.numbers(name, [str(row[name]) for row in rows], named=name in methods) for name in (*measures, *methods)
    ]
    return Table((Column.labels("who moves", [row["system"] for row in rows]), *ranks), "who moves").cut(_SYSTEMS)
