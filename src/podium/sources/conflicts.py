"""Scores that contradict each other: which cells, which values, and the rows on both sides."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.errors import InputError
from podium.sources.coding import Coding, Piece

__all__ = ["SHOWN", "Clash", "cell_of", "clash_at", "explain"]

#: Contradictions that are shown in full.
SHOWN = 3

#: Letters of a label that are shown.
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Clash:
    """A row that gives another score than an earlier row.

    Attributes
    ----------
    cell
        Task, system and instance key.
    kept, given
        The earlier score and this one.
    where
        Table and place of this row.
    """

    cell: tuple[int, int, int]
    kept: float
    given: float
    where: str


def cell_of(piece: Piece, row: int) -> tuple[int, int, int]:
    """Task, system and instance key of a row."""
    rows = piece.rows
    task = rows.tasks.lookup[rows.tasks.indices[row]]
    return int(task), int(rows.systems.lookup[rows.systems.indices[row]]), int(rows.keys[row])


def clash_at(piece: Piece, row: int, kept: float) -> Clash:
    """Note a contradiction."""
    score = piece.rows.scores[row]
    return Clash(cell_of(piece, row), _plain(score.dtype.type(kept)), _plain(score), piece.where(row))


def explain(clashes: list[Clash], count: int, again: Coding, *, hint: str) -> InputError:
    """Read once more, up to the rows that came first, and say which rows contradict which.

    Parameters
    ----------
    clashes
        The first few.
    count
        How many there are.
    again
        The same tables, to be read from the start.
    hint
        What to do beyond keeping one of each.
    """
    first: dict[tuple[int, int, int], str] = {}
    for piece in again.pieces():
        _look(piece, {clash.cell for clash in clashes} - first.keys(), first)
        if len(first) == len({clash.cell for clash in clashes}):
            break
    lines = [
        f"  {_named(clash, again)}: {_exact(clash.kept)} ({first[clash.cell]}) "
        f"and {_exact(clash.given)} ({clash.where})"
        for clash in clashes
    ]
    if count > len(clashes):
        lines.append(f"  and {count - len(clashes)} more")
    what = "1 score contradicts" if count == 1 else f"{count} scores contradict"
    return InputError(f"{what} one that was read before:\n" + "\n".join(lines) + f"\nkeep one of each{hint}")


def _look(piece: Piece, wanted: set[tuple[int, int, int]], first: dict[tuple[int, int, int], str]) -> None:
    rows = piece.rows
    for task, system, key in wanted:
        found: Any = (rows.tasks.codes == task) & (rows.systems.codes == system) & (rows.keys == key)
        places = np.flatnonzero(found & ~np.isnan(rows.scores))
        if places.size:
            first[task, system, key] = piece.where(int(places[0]))


def _named(clash: Clash, coding: Coding) -> str:
    task, system, key = clash.cell
    named = f"task {_short(coding.task_names()[task])}, system {_short(coding.systems.names[system])}"
    return named if coding.keys is None else f"{named}, instance {_short(coding.keys.label(key))}"


def _plain(score: Any) -> float:
    """The shortest number that is this one in its own precision: 0.1 for 0.1 in single precision."""
    return float(str(score))


def _exact(score: float) -> str:
    """All digits of a number, so that two that differ look different.

    >>> _exact(0.1234567891), _exact(9.0)
    ('0.1234567891', '9')
    """
    return repr(score).removesuffix(".0")


def _short(label: str) -> str:
    """A label in quotes, without its tail where it is long."""
    return repr(label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…")
