"""Rows that give different scores to the same system, task and instance, as an error names them."""

from collections.abc import Sequence
from typing import Any

from podium.base.errors import InputError
from podium.source.assemble.code import Coder
from podium.source.assemble.repeat import RepeatedKeys
from podium.source.assemble.row import Cell
from podium.source.table import SourceTable

#: Number of contradictions that are shown in full.
SHOWN = 3

#: Number of letters of a label that are shown.
_LONGEST = 60


def contradictions(
    cells: Sequence[Cell], count: int, tables: Sequence[SourceTable], again: Coder, *, hint: str
) -> InputError:
    """Read again to find the rows with the scores of some cells, and say which rows contradict each other.

    Parameters
    ----------
    cells
        Cells of the first contradictions.
    count
        Number of all contradictions.
    tables
        What was read.
    again
        Codes these tables, from their first rows on.
    hint
        Additional advice.
    """
    scores: dict[Cell, list[tuple[Any, SourceTable, int]]] = {cell: [] for cell in cells}
    for number, start, rows in again.batches():
        for cell, found in scores.items():
            found += [(rows.scores[row], tables[number], start + rows.place(row)) for row in rows.scored(cell)]
    first = {cell: found[0] for cell, found in scores.items()}
    others = {cell: iter([one for one in found if one[0] != found[0][0]]) for cell, found in scores.items()}
    lines = [f"  {_named(cell, again)}: {_shown(*first[cell])} and {_shown(*next(others[cell]))}" for cell in cells]
    if count > len(cells):
        lines.append(f"  and {count - len(cells):,} more")
    what = "1 score contradicts an earlier score" if count == 1 else f"{count:,} scores contradict earlier scores"
    cure = f"keep one score of each pair{hint}, or always keep the first with keep_first=True (--keep-first)"
    return InputError("\n".join([f"{what}:", *lines, cure]))


def _named(cell: Cell, coder: Coder) -> str:
    task, system, key = cell
    named = f"task {_short(coder.task_names()[task])}, system {_short(coder.systems.names[system])}"
    if coder.keys is None:
        return named
    label = coder.keys.label(key)
    return f"{named}, {label}" if isinstance(coder.keys, RepeatedKeys) else f"{named}, instance {_short(label)}"


def _shown(score: Any, table: SourceTable, row: int) -> str:
    """A score with all its digits, and where it stands."""
    return f"{str(score + 0.0).removesuffix('.0')} ({table.name}, {table.where(row)})"


def _short(label: str) -> str:
    """A label in quotes, shortened if it is long."""
    return repr(label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…")
