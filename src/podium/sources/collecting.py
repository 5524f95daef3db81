"""From tables to `Scores`: recognise, read, assemble, and say what was left out or made up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.errors import InputError
from podium.scores import Scores
from podium.sources.assembly import Assembly
from podium.sources.coding import Coding, Piece, Progress
from podium.sources.conflicts import SHOWN, Clash, cell_of, clash_at, explain
from podium.sources.grid import SparseKeysError
from podium.sources.labels import RowError
from podium.sources.layout import Layout, Wishes, agree, check_kinds, recognise
from podium.sources.tables import InstancesAreTextError, Table

__all__ = ["collect"]

#: Scores above which compiled code and a second thread pay.
_LARGE = 1_000_000


def collect(
    tables: Sequence[Table], wishes: Wishes, *, progress: Progress | None = None, notes: Sequence[str] = ()
) -> Scores:
    """Read tables that belong together.

    Raises
    ------
    InputError, LabelError
        The tables cannot be read as scores: what, where, and how to mend it.
    """
    layouts = agree([table.name for table in tables], [_recognised(table, wishes) for table in tables], wishes)
    for table, layout in zip(tables, layouts, strict=True):
        check_kinds(table.name, table.columns, layout)
    reading = _Reading(tables, layouts, progress, wishes.tasks, as_text=_textual(tables, layouts))
    while True:
        try:
            return reading.scores([*notes, *dict.fromkeys(note for layout in layouts for note in layout.notes)])
        except InstancesAreTextError:
            reading.as_text = True
        except SparseKeysError:
            reading.compact = True


def _recognised(table: Table, wishes: Wishes) -> Layout:
    table.find_columns()
    return recognise(table.name, table.columns, wishes)


def _kinds(tables: Sequence[Table], layouts: Sequence[Layout], role: str) -> set[str]:
    """Kinds of the columns in a role: "instance", or "scores"."""
    kinds: set[str] = set()
    for table, layout in zip(tables, layouts, strict=True):
        names = {layout.instance} if role == "instance" else {layout.score, *layout.tasks}
        kinds.update(column.kind for column in table.columns if column.name in names)
    return kinds


def _textual(tables: Sequence[Table], layouts: Sequence[Layout]) -> bool:
    return bool(_kinds(tables, layouts, "instance") & {"text", "empty"})


@dataclass(slots=True)
class _Reading:
    """One reading of the tables, begun anew where instance labels turn out to be other than they seemed."""

    tables: Sequence[Table]
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
        large = self.expected > _LARGE
        return Coding(self.tables, self.layouts, dtype=self.dtype, as_text=self.as_text, large=large, progress=progress)

    def scores(self, notes: list[str]) -> Scores:
        coding = self.coding(self.progress)
        assembly = Assembly(self.dtype, self._kernels, expected=self.expected, compact=self.compact)
        clashes: list[Clash] = []
        count = 0
        for piece in coding.pieces():
            assembly.make_room(len(coding.systems.numbers), coding.n_tasks())
            rows = _added(assembly, piece)
            clashes += [
                clash_at(piece, row, assembly.kept(*cell_of(piece, row)))
                for row in rows[: SHOWN - len(clashes)].tolist()
            ]
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
        if self.expected > _LARGE:
            from podium.sources import kernels  # noqa: PLC0415  # compiled code is for large tables

            return kernels
        from podium.sources import scatter  # noqa: PLC0415  # the counterpart

        return scatter

    def _hint(self) -> str:
        if self.layouts[0].instance is not None:
            return ""
        return ", or, if rows are instances, say which column names them with instance= (--instance)"

    def _widened(self) -> list[str]:
        note = (
            "some columns of scores are in single precision and others are not; all are compared in double, where 0.1 "
            "of the one is not 0.1 of the other (a tie tolerance makes them ties)"
        )
        return [note] if _kinds(self.tables, self.layouts, "scores") >= {"single", "number"} else []

    def _repeats(self, count: int) -> list[str]:
        what = "row" if self.layouts[0].long else "cell"
        if count == 0:
            return []
        if count == 1:
            return [f"1 {what} repeats a score that was already read; counted once"]
        return [f"{count} {what}s repeat a score that was already read; counted once"]


def _added(assembly: Assembly, piece: Piece) -> Any:
    try:
        return assembly.add(piece.rows)
    except RowError as error:
        raise InputError(f"{piece.where(error.row)}: {error.what}") from error
