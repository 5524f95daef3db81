"""Rankings side by side: how far they agree, what their tops share, and who moves."""

import math
from functools import partial
from typing import TYPE_CHECKING

from podium.agreement.figure import bump
from podium.base.words import DASH
from podium.report.view import Column, Figure, Table, View

if TYPE_CHECKING:
    from podium.agreement.result import Agreement

#: Pairs of rankings and systems shown at most; JSON and CSV hold all.
_PAIRS = 15

_SYSTEMS = 10

#: Up to this many rankings, the rank of a system in each is shown.
_RANKINGS = 6

_READING = (
    "Kendall tau-b: 1 is the same order, 0 is no relation, -1 is the reverse order",
    "distance: Kendall distance, 0 for the same order and 1 for the reverse order",
    "top N: share of the best N systems that both rankings have",
    "spread: worst rank of the system minus its best rank",
)


def view_agreement(agreement: "Agreement") -> View:
    """Lay out an agreement: the matrix of Kendall's tau-b, agreement of the tops, the systems that move most.

    >>> import podium
    >>> view_agreement(podium.agree(podium.datasets.toy_table1(), ["mean", "borda"])).title
    '2 rankings of 3 systems: tau-b from -1.000 to -1.000'
    """
    values = [agreement.tau[pair] for pair in agreement.pairs() if not math.isnan(agreement.tau[pair])]
    reach = f": tau-b from {values[0]:.3f} to {values[-1]:.3f}" if values else ""
    title = f"{len(agreement.methods)} rankings of {len(agreement):,} systems{reach}"
    tables = (_matrix(agreement), _tops(agreement), _moves(agreement))
    figure = Figure("bump", "Ranks by method", partial(bump, agreement))
    return View(title, tables, agreement.notes, figures=(figure,), explain=_READING, main=2)


def _matrix(agreement: "Agreement") -> Table:
    names = agreement.methods
    columns = [
        Column.numbers(name, [_shown(value) for value in agreement.tau[:, index]], named=True)
        for index, name in enumerate(names)
    ]
    return Table((Column.labels("Kendall tau-b", names), *columns), "Kendall tau-b")


def _tops(agreement: "Agreement") -> Table:
    """Show the pairs of rankings that agree least, and what they have in common all the same."""
    pairs = agreement.pairs()
    shown = pairs[:_PAIRS]
    names = [f"{agreement.methods[i]} / {agreement.methods[j]}" for i, j in shown]
    measures = {"distance": agreement.distance}
    measures |= {f"top {n}": top for n, top in zip(agreement.top_n, agreement.top, strict=True)}
    columns = [(name, [_shown(matrix[pair]) for pair in shown]) for name, matrix in measures.items()]
    if len(pairs) > _PAIRS:
        names.append(f"… {len(pairs) - _PAIRS} more pairs")
        columns = [(name, [*cells, ""]) for name, cells in columns]
    shared = (Column.numbers(name, cells) for name, cells in columns)
    return Table((Column.labels("two rankings", names), *shared), "two rankings")


def _moves(agreement: "Agreement") -> Table:
    rows, measures = agreement.rows(), ("best", "worst", "spread")
    methods = agreement.methods if len(agreement.methods) <= _RANKINGS else ()
    ranks = [
        Column.numbers(name, [str(row[name]) for row in rows], named=name in methods) for name in (*measures, *methods)
    ]
    return Table((Column.labels("who moves", [row["system"] for row in rows]), *ranks), "who moves").cut(_SYSTEMS)


def _shown(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.3f}"
