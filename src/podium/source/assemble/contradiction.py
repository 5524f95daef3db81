"""Rows that give different scores to the same system, task and instance: what they may be, and how an error says it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

from podium.base.errors import InputError
from podium.source.assemble.code import Coder
from podium.source.assemble.repeat import RepeatedKeys
from podium.source.assemble.row import Cell
from podium.source.descriptor import described
from podium.source.layout import Layout
from podium.source.role import USUAL, folded, naming, numbers_repeats, shown
from podium.source.table import SourceColumn, SourceTable

#: Number of contradictions that are shown in full.
SHOWN = 3

#: Number of letters of a label that are shown.
_LONGEST = 60

#: Names of columns that may divide tasks; used only if the caller says so.
_PARTS = ("split", "subset", "hf_subset", "subtask", "subject", "config", "setting", "language", "lang", "domain")

#: Whether no rows contradict each other if columns have these roles as well.
Works = Callable[[Mapping[str, str]], bool]


def repeat_column(columns: Sequence[SourceColumn], layout: Layout, works: Works) -> str | None:
    """The first column that numbers repeats, by its name, and tells the rows apart."""
    used = {*layout.used} - {*layout.tasks}
    names = (column.name for column in columns if column.name not in used and column.kind in _LABELS)
    return next((name for name in names if numbers_repeats(name) and works({"repeat": name})), None)


def advice(columns: Sequence[SourceColumn], layout: Layout, works: Works) -> str:
    """What else the rows may be, each with what to type: only what works."""
    free = {column.name: column for column in columns if column.name not in layout.used and column.kind in _LABELS}
    texts = [name for name, column in free.items() if column.kind == "text" and not described(column)]
    numbered = [name for name in free if numbers_repeats(name)]
    ids = [name for name in free if _is_id(name)]
    parts = [name for name in free if folded(name) in _PARTS] if layout.task is not None else []
    offers = []
    if parts and works({f"task {number}": name for number, name in enumerate((*layout.parts, *parts), start=2)}):
        divide = "divides" if len(parts) == 1 else "divide"
        offers.append(
            f"if {shown(parts)} {divide} tasks, use {naming('task', [str(layout.task), *layout.parts, *parts])}"
        )
    if layout.instance is None and (one := _first(ids, "instance", works)):
        offers.append(f"if rows are instances, use {naming('instance', one)}")
    others = [name for name in texts if name not in {*parts, *ids, *numbered}]
    if one := _first(others, f"system {len(layout.systems) + 1}", works):
        offers.append(
            f"if column {one!r} is part of the name of a system, use {naming('system', [*layout.systems, one])}"
        )
    left = [name for name in free if name not in {*parts, *ids} and (name in texts or described(free[name]))]
    if layout.repeat is None and (one := _first(left, "repeat", works)):
        offers.append(f"if column {one!r} numbers repeats, use {naming('repeat', one)}")
    if layout.repeat is None and not offers:
        folds = sorted(numbered, key=lambda name: "fold" not in folded(name))  # all systems have the same
        known = [*ids, *folds, *filter(None, (layout.instance,))]
        pairs = ({"instance": one, "repeat": other} for one, other in permutations(known, 2))
        if (pair := next(filter(works, pairs), None)) is not None:
            offers.append(f"use {naming('instance', pair['instance'])} and {naming('repeat', pair['repeat'])}")
    if layout.repeat is None:
        offers.append("average them with statistic='mean' (--statistic mean)")
    return "".join(f", or, {offer}" if offer.startswith("if") else f", or {offer}" for offer in offers)


#: Kinds of columns of labels.
_LABELS = frozenset(("text", "integer"))


def _is_id(name: str) -> bool:
    return folded(name) in USUAL["instance"] or folded(name).endswith("_id")


def _first(names: Iterable[str], role: str, works: Works) -> str | None:
    return next((name for name in names if works({role: name})), None)


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
    cure += "".join(f"; {note}" for note in again.respelled())
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
