"""Boards: tables with versions, read as the one long table that `podium convert` would write."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from podium.base.arrow import from_numpy, same, to_numpy
from podium.base.errors import InputError
from podium.base.parallel import Progress, ahead
from podium.score.table import Scores
from podium.source import rectangle
from podium.source.assemble.collect import collect
from podium.source.canonical import COLUMNS, TEXT_INSTANCE
from podium.source.layout import Wishes
from podium.source.table import Batch, Kind, ReadPlan, SourceColumn, SourceTable, numbered
from podium.store.log import BoardVersion, files_of, is_board, lost_files, number_at, opened, versions
from podium.store.place import Place
from podium.store.row import Facts, RowFile, row_files
from podium.store.whole import whole

#: Rows that are read at once, and bytes of a column.
_BATCH, _BUFFER = 2**18, 2**20

#: Threads for a large board, and batches that each may be ahead.
_LANES, _DEPTH = 2, 4

#: Columns of few words.
_WORDS = ("task", "system", "direction", "cluster")


class BoardTable(SourceTable):
    """All files of a version as one table.

    Parameters
    ----------
    place
        Where the board is.
    files
        Its files, opened.
    covariates
        Columns of covariates that the board has.
    """

    def __init__(self, place: Place, files: Sequence[RowFile], covariates: Sequence[str]) -> None:
        self.name = place.name
        self.facts = Facts.joined([one.facts for one in files])
        self.n_rows = sum(one.file.rows for one in files)
        self.size = sum(one.file.size for one in files)
        self.known = {
            "system": self.facts.systems,
            "task": tuple(self.facts.tasks),
            "repeat": tuple(map(str, range(1, self.facts.repeats + 1))),
        }
        self._files = files
        there = {name for one in files for name in one.columns}
        kinds: dict[str, Kind] = {"score": "single" if self.facts.single else "number", "repeat": "integer"}
        kinds["weight"] = "number"
        kinds["instance"] = "text" if TEXT_INSTANCE in there else "integer"
        kinds.update(dict.fromkeys(covariates, kinds["weight"]))
        there |= {"instance"} if TEXT_INSTANCE in there else set()
        names = [name for name in COLUMNS if name in there and name not in {"statistic", TEXT_INSTANCE}]
        names += [name for name in covariates if name in there]
        self.columns = tuple(SourceColumn(name, kinds.get(name, "text")) for name in names)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Decode the columns of the plan, file by file."""
        try:
            yield from numbered(self._decoded(plan), self.n_rows)
        finally:
            pa.default_memory_pool().release_unused()

    def where(self, row: int) -> str:
        """Name the file of a row, and the row in it."""
        for one in self._files:
            if row < one.file.rows:
                return f"row {row + 1} of {one.file.name}"
            row -= one.file.rows
        raise AssertionError("the row is of a file")

    def _decoded(self, plan: ReadPlan) -> Iterator[Any]:
        groups = [(one, number) for one in self._files for number in range(one.n_groups)]
        if not plan.large:
            yield from filter(None, self._lane(plan, groups))
            return
        lanes = [ahead(self._lane(plan, groups[lane::_LANES]), depth=_DEPTH) for lane in range(_LANES)]
        for place in range(len(groups)):
            yield from iter(partial(next, lanes[place % _LANES]), None)

    def _lane(self, plan: ReadPlan, groups: Sequence[tuple[RowFile, int]]) -> Iterator[Any]:
        """Decode some groups of rows, with None after each, with readers that no other thread uses."""
        one: RowFile | None = None
        parquet: Any = None
        wanted = {*plan.columns} | ({TEXT_INSTANCE} if {"instance", "cluster"} & {*plan.columns} else set())
        for file, number in groups:
            with file.intact():
                if file is not one:
                    one = file
                    parquet = file.open(_WORDS, buffer_size=_BUFFER)
                names = [name for name in file.columns if name in wanted]
                for rows in parquet.iter_batches(_BATCH, [number], names, use_threads=False):
                    yield _unified(rows, plan.columns)
            yield None


def _unified(rows: Any, names: Sequence[str]) -> Any:
    """Return rows with all columns that are read, filled where their file has none."""
    return pa.RecordBatch.from_arrays([_column(rows, name) for name in names], names=list(names))


def _column(rows: Any, name: str) -> Any:
    there = rows.schema.names
    if name == "instance":
        return instances_of(rows)
    if name in {"repeat", "weight"}:
        fill = 1 if name == "repeat" else 1.0
        column = rows.column(name) if name in there else pa.nulls(len(rows), pa.from_numpy_dtype(np.dtype(type(fill))))
        return from_numpy(to_numpy(column, fill)) if column.null_count else column
    if name == "cluster" and (name not in there or rows.column(name).null_count):
        import pyarrow.compute as pc  # noqa: PLC0415  # takes longer to load than a small table to read

        own = alone(rows.column("task"), instances_of(rows))
        return pc.coalesce(rows.column(name).cast(pa.string()), own) if name in there else own
    return rows.column(name) if name in there else pa.nulls(len(rows), pa.float64())


def instances_of(rows: Any) -> Any:
    """Return the labels of instances, integers where no row has text; 0 where a task has means alone."""
    columns = [rows.column(name) for name in ("instance", TEXT_INSTANCE) if name in rows.schema.names]
    there = [column for column in columns if column.null_count < len(column)]
    if not there:
        return from_numpy(np.zeros(len(rows), dtype=np.int64))
    if not pa.types.is_string(there[-1].type):
        return from_numpy(to_numpy(there[0], 0)) if there[0].null_count else there[0]
    if not there[-1].null_count:
        return there[-1]
    import pyarrow.compute as pc  # noqa: PLC0415  # takes longer to load than a small table to read

    zeros = same("0", len(rows)).cast(pa.string())
    return pc.coalesce(there[-1], *(one.cast(pa.string()) for one in there[:-1]), zeros)


def alone(tasks: Any, instances: Any) -> Any:
    """Return clusters of instances without one: each is a cluster of its own."""
    import pyarrow.compute as pc  # noqa: PLC0415  # takes longer to load than a small table to read

    between = same(": ", len(tasks)).cast(pa.string())
    return pc.binary_join_element_wise(tasks.cast(pa.string()), instances.cast(pa.string()), between)


def read_board(
    place: Place,
    wishes: Wishes,
    *,
    as_of: int | str | date | None = None,
    options: Mapping[str, Any],
    progress: Progress | None = None,
) -> Scores | list[str]:
    """Read a board at a version; of a table that another tool wrote, return its files, which are read as they are.

    Parameters
    ----------
    options
        What else the caller says of the source; a board says it itself.

    Raises
    ------
    BoardError
        It has no such version, or is damaged.
    InputError
        An option is about other files.
    """
    if not is_board(place):
        if as_of is not None:
            raise InputError(
                f"as_of= (--as-of) is about boards, and {place.name} is a table of another tool; leave it out"
            )
        return [f"{place.name.rstrip('/')}/{name}" for name in files_of(place)]
    for name, value in options.items():
        if value:
            flag = "input-format" if name == "format" else name.replace("_", "-")
            raise InputError(f"{name}= (--{flag}) is about other files, and {place.name} is a board; leave it out")
    snapshot = opened(place, None if as_of is None else number_at(place, as_of))
    if not snapshot.files:
        raise InputError(f"{place.name} has no scores at version {snapshot.number}; read another (--as-of)")
    if wishes.covariates and not snapshot.covariates:
        raise InputError(f"{place.name} has no covariate; leave covariate_column= (--covariate-column) out")
    with whole(place, snapshot.files) as files:
        table = BoardTable(place, files, snapshot.covariates)
        scores = rectangle.read_rectangles(table, files, table.facts, wishes, progress)
        return collect([table], wishes.over(table.facts.statistic), progress=progress) if scores is None else scores


#: How many letters of a moment, such as "2026-10-01 12:00:00", say the day or the month.
_LETTERS = {"day": 10, "month": 7}


def steps_of_board(
    place: Place, each: str = "version", as_of: int | str | date | None = None
) -> tuple[list[tuple[str, int]], int, int] | None:
    """List the versions of a board that make its history, the oldest first; None where another tool wrote the table.

    It begins with the first version that has two systems. Versions that changed no score are left out, and those that
    were forgotten.

    Parameters
    ----------
    place
        Where the board is.
    each
        "version", or the last one of each "day" or "month".
    as_of
        The version that it ends with; None for the newest.

    Returns
    -------
    Labels, and the numbers of the versions; how many there were before two systems were there; and how many were
    left out because a repair has given up a file of theirs.

    Raises
    ------
    BoardError
        The log is damaged, or there is no such version.
    """
    if not is_board(place):
        return None
    end = None if as_of is None else number_at(place, as_of)
    found = versions(place)
    least = max((int(one.info.get("forgotten", 0)) for one in found), default=0)
    same = {"compact", "columns"}  # versions that change no score; the first that is kept stands for all before it
    kept = [one for one in found if one.number >= least and (end is None or one.number <= end)]
    changed = [one for one in kept if one.number == least or one.info.get("kind") not in same]
    lost = set(lost_files(one.info for one in found))
    whole = [one for one in changed if not lost or lost.isdisjoint(_names(place, one.number))]
    last = {_label(one, each): one.number for one in whole}
    steps = list(last.items())
    early = next((index for index, (_, number) in enumerate(steps) if _n_systems(place, number) > 1), len(steps))
    return steps[early:], early, len(changed) - len(whole)


def _label(version: BoardVersion, each: str) -> str:
    return version.moment[: _LETTERS[each]] if each in _LETTERS else f"version {version.number}"


def _names(place: Place, number: int) -> list[str]:
    return [file.name for file in opened(place, number).files]


def _n_systems(place: Place, number: int) -> int:
    files = row_files(place, opened(place, number).files)
    return len(Facts.joined([one.facts for one in files]).systems) if files else 0
