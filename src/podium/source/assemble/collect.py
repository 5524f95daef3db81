"""From tables to `Scores`: recognise, read, assemble, and note what was left out or assumed."""

from collections.abc import Sequence
from functools import partial
from importlib import import_module

import numpy as np

from podium.base.parallel import Progress
from podium.score.repeat import Statistic
from podium.score.shared_instance import check_clusters
from podium.score.table import Scores
from podium.source.assemble.assembly import Assembly, Cell
from podium.source.assemble.code import Coding
from podium.source.assemble.contradiction import SHOWN, contradictions
from podium.source.assemble.grid import SparseKeysError
from podium.source.assemble.repeat import hint, over_repeats
from podium.source.layout import Wishes, check_same_layout, recognise, without_other_tasks
from podium.source.role import lacks
from podium.source.table import InstancesAreTextError, SourceTable, located, refuse_nested

#: Number of scores above which compiled code and a second thread are faster.
LARGE = 1_000_000

#: The same where no table has instances: what NumPy then does in few calls, compiled code does little faster.
_LARGE_GRID = 16_000_000

_MIXED = (
    "single and double precision are mixed, so equal scores such as 0.1 may differ slightly; a tie tolerance makes "
    "them ties"
)

_HINT = ", or, if rows are instances, name the column of instances with instance= (--instance)"


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
    check_same_layout([table.name for table in tables], layouts)
    long = layouts[0].long
    # Tasks of a wide table are columns, and the others are not read; those of a long table are known once it is read.
    if wishes.tasks is not None and not long:
        layouts = without_other_tasks(layouts, wishes.tasks)
    for table, layout in zip(tables, layouts, strict=True):
        refuse_nested(table, layout.used, ", or leave the column out with tasks= (--tasks)")
    kinds = _kinds(tables, [{layout.score, *layout.tasks} for layout in layouts])
    dtype = np.float32 if kinds == {"single"} else np.float64
    expected = sum(table.n_rows * max(len(layout.tasks), 1) for table, layout in zip(tables, layouts, strict=True))
    coding = partial(Coding, tables, layouts, dtype=dtype, large=expected > LARGE)
    first = layouts[0]
    side_by_side = first.instance is None and first.cluster is None and first.repeat is None
    compiled = expected > (_LARGE_GRID if side_by_side else LARGE)
    kernels = partial(import_module, f"podium.source.assemble.{'kernel' if compiled else 'scatter'}")
    as_text = bool(_kinds(tables, [{layout.instance} for layout in layouts]) & {"text", "empty"})
    repeat = first.repeat
    if repeat is None and wishes.statistic is not None:
        what = f"statistic={wishes.statistic.name!r} (--statistic) is over repeats, but no column holds repeats"
        raise lacks(tables[0].name, f"{what}; name it with repeat= (--repeat)", tables[0].names)
    compact = repeat is not None
    # All files are read again where what is known of them before was not enough: at most once because some instance
    # labels turn out to be text, and once because keys turn out to be far from each other.
    while True:
        reading = coding(as_text=as_text, progress=progress)
        assembly = Assembly(
            dtype,
            kernels,
            expected=expected,
            compact=compact,
            side_by_side=side_by_side,
            clusters=reading.clusters,
        )
        try:
            cells, count = _assemble(reading, assembly)
            break
        except InstancesAreTextError:
            as_text = True
        except SparseKeysError:
            compact = True
    if count:
        more = "" if layouts[0].instance else _HINT
        if repeat is None:
            more += hint(tables[0].names, [name for name in layouts[0].used if name not in layouts[0].tasks])
        raise contradictions(cells, count, coding(as_text=as_text), hint=more)
    notes = [*notes, *dict.fromkeys(note for layout in layouts for note in layout.notes), *reading.notes()]
    notes += [_MIXED] if kinds >= {"single", "number"} else []
    notes += _repeats(assembly.repeats, "row" if long else "cell")
    assembled = assembly.tasks(reading.task_names(), reading.keys)
    if repeat is not None:
        instances, statistic = layouts[0].instance is not None, wishes.statistic or Statistic()
        assembled, said = over_repeats(assembled, reading.systems.names, statistic, column=repeat, instances=instances)
        notes.append(said)
    check_clusters(assembled)
    scores = Scores(tuple(reading.systems.names), assembled, notes=tuple(notes))
    return scores.select(tasks=wishes.tasks) if long and wishes.tasks is not None else scores


def _kinds(tables: Sequence[SourceTable], names: Sequence[set[str | None]]) -> set[str]:
    """Kinds of some columns of each table."""
    return {
        column.kind
        for table, chosen in zip(tables, names, strict=True)
        for column in table.columns
        if column.name in chosen
    }


def _assemble(coding: Coding, assembly: Assembly) -> tuple[list[Cell], int]:
    """Read all rows; return the cells of the first contradictions, and the number of all."""
    cells: list[Cell] = []
    count = 0
    for table, start, rows in coding.pieces():
        assembly.make_room(len(coding.systems.numbers), coding.n_tasks())
        with located(table, start):
            wrong = assembly.add(rows)
        cells += [rows.cell(row) for row in wrong[: SHOWN - len(cells)].tolist()]
        count += wrong.size
    return cells, count


def _repeats(count: int, what: str) -> list[str]:
    repeat = f"1 {what} repeats an earlier score" if count == 1 else f"{count} {what}s repeat earlier scores"
    return [f"{repeat}; each score counts once"] if count else []
