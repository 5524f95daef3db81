"""From tables to `Scores`: recognise, read, assemble, and note what was left out or assumed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.score.table import Scores
from podium.source.assemble.assembly import Assembly
from podium.source.assemble.code import Coding, Piece, Progress
from podium.source.assemble.grid import SparseKeysError
from podium.source.layout import Layout, Wishes, agree, recognise
from podium.source.table import InstancesAreTextError, SourceTable, located, refuse_nested

#: Number of contradictions that are shown in full.
SHOWN = 3

#: Number of letters of a label that are shown.
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Clash:
    """A row with a different score than an earlier row.

    Attributes
    ----------
    cell
        Task, system and instance key.
    kept, given
        The earlier score and this one, with all digits.
    where
        Table and place of this row.
    """

    cell: tuple[int, int, int]
    kept: str
    given: str
    where: str


def clash_at(piece: Piece, row: int, assembly: Assembly) -> Clash:
    """Record a contradiction."""
    cell = piece.cell(row)
    kept, given = (str(score).removesuffix(".0") for score in (assembly.kept(*cell), piece.rows.scores[row]))
    return Clash(cell, kept, given, piece.where(row))


def explain(clashes: list[Clash], count: int, again: Coding, *, hint: str) -> InputError:
    """Read again to find the earlier rows, and say which rows contradict each other.

    Parameters
    ----------
    clashes
        The first contradictions.
    count
        Number of all contradictions.
    again
        The same tables, not yet read.
    hint
        Additional advice.
    """
    cells = {clash.cell for clash in clashes}
    first: dict[tuple[int, int, int], str] = {}
    for piece in again.pieces():
        first |= {cell: where for cell in cells - first.keys() if (where := _first_row(piece, cell)) is not None}
        if first.keys() == cells:
            break
    lines = [
        f"  {_named(clash, again)}: {clash.kept} ({first[clash.cell]}) and {clash.given} ({clash.where})"
        for clash in clashes
    ]
    if count > len(clashes):
        lines.append(f"  and {count - len(clashes)} more")
    what = "1 score contradicts an earlier score" if count == 1 else f"{count} scores contradict earlier scores"
    return InputError(f"{what}:\n" + "\n".join(lines) + f"\nkeep one score of each pair{hint}")


def _first_row(piece: Piece, cell: tuple[int, int, int]) -> str | None:
    """Place of the first row with a score for a cell."""
    rows = piece.rows
    task, system, key = cell
    found: Any = (rows.tasks.codes == task) & (rows.systems.codes == system) & (rows.keys == key)
    places = np.flatnonzero(found & ~np.isnan(rows.scores))
    return piece.where(int(places[0])) if places.size else None


def _named(clash: Clash, coding: Coding) -> str:
    task, system, key = clash.cell
    named = f"task {_short(coding.task_names()[task])}, system {_short(coding.systems.names[system])}"
    return named if coding.keys is None else f"{named}, instance {_short(coding.keys.label(key))}"


def _short(label: str) -> str:
    """A label in quotes, shortened if it is long."""
    return repr(label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…")


#: Number of scores above which compiled code and a second thread are faster.
LARGE = 1_000_000


def collect(
    tables: Sequence[SourceTable], wishes: Wishes, *, progress: Progress | None = None, notes: Sequence[str] = ()
) -> Scores:
    """Read tables that belong together.

    Raises
    ------
    InputError, LabelError
        The tables cannot be read as scores; the message says where and why, and what to do.
    """
    layouts = [recognise(table.name, table.columns, wishes) for table in tables]
    layouts = agree([table.name for table in tables], layouts, wishes)
    for table, layout in zip(tables, layouts, strict=True):
        refuse_nested(table, layout.used, ", or leave the column out with tasks= (--tasks)")
    as_text = bool(_kinds(tables, layouts, "instance") & {"text", "empty"})
    reading = _Reading(tables, layouts, progress, wishes.tasks, as_text=as_text)
    while True:
        try:
            return reading.scores([*notes, *dict.fromkeys(note for layout in layouts for note in layout.notes)])
        except InstancesAreTextError:
            reading.as_text = True
        except SparseKeysError:
            reading.compact = True


def _kinds(tables: Sequence[SourceTable], layouts: Sequence[Layout], role: str) -> set[str]:
    """Kinds of the columns in a role: "instance", or "scores"."""
    kinds: set[str] = set()
    for table, layout in zip(tables, layouts, strict=True):
        names = {layout.instance} if role == "instance" else {layout.score, *layout.tasks}
        kinds.update(column.kind for column in table.columns if column.name in names)
    return kinds


@dataclass(slots=True)
class _Reading:
    """One reading of the tables; it starts again if instance labels differ from what was expected."""

    tables: Sequence[SourceTable]
    layouts: Sequence[Layout]
    progress: Progress | None
    wanted: Sequence[str] | None
    as_text: bool
    compact: bool = False

    @property
    def dtype(self) -> Any:
        single = _kinds(self.tables, self.layouts, "scores") == {"single"}
        return np.float32 if single else np.float64

    @property
    def expected(self) -> int:
        """Number of scores to come, as far as known."""
        return sum(
            table.n_rows * max(len(layout.tasks), 1) for table, layout in zip(self.tables, self.layouts, strict=True)
        )

    def coding(self, progress: Progress | None = None) -> Coding:
        large = self.expected > LARGE
        return Coding(self.tables, self.layouts, dtype=self.dtype, as_text=self.as_text, large=large, progress=progress)

    def scores(self, notes: list[str]) -> Scores:
        coding = self.coding(self.progress)
        assembly = Assembly(self.dtype, self._kernels, expected=self.expected, compact=self.compact)
        clashes: list[Clash] = []
        count = 0
        for piece in coding.pieces():
            assembly.make_room(len(coding.systems.numbers), coding.n_tasks())
            with located(piece.table, piece.first):
                rows = assembly.add(piece.rows)
            clashes += [clash_at(piece, row, assembly) for row in rows[: SHOWN - len(clashes)].tolist()]
            count += len(rows)
        if count:
            raise explain(clashes, count, self.coding(), hint=self._hint())
        notes = [*notes, *coding.notes(), *self._widened(), *self._repeats(assembly.repeats)]
        tasks = assembly.tasks(coding.task_names(), coding.keys)
        scores = Scores(tuple(coding.systems.names), tasks, notes=tuple(notes))
        if self.layouts[0].long and self.wanted is not None:
            return scores.select(tasks=self.wanted)
        return scores

    def _kernels(self) -> Any:
        if self.expected > LARGE:
            from podium.source.assemble import kernel  # noqa: PLC0415  # compile only for large tables

            return kernel
        from podium.source.assemble import scatter  # noqa: PLC0415  # no compiler for small tables

        return scatter

    def _hint(self) -> str:
        if self.layouts[0].instance is not None:
            return ""
        return ", or, if rows are instances, name the column of instances with instance= (--instance)"

    def _widened(self) -> list[str]:
        note = (
            "single and double precision are mixed, so equal scores such as 0.1 may differ slightly; a tie tolerance "
            "makes them ties"
        )
        return [note] if _kinds(self.tables, self.layouts, "scores") >= {"single", "number"} else []

    def _repeats(self, count: int) -> list[str]:
        what = "row" if self.layouts[0].long else "cell"
        repeat = f"1 {what} repeats an earlier score" if count == 1 else f"{count} {what}s repeat earlier scores"
        return [f"{repeat}; each score counts once"] if count else []
