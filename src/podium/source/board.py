"""Boards: tables with versions, read as the one long table that `podium convert` would write.

Most systems are run on all instances of a task, in one order. Then each has the same stretch of rows, and scores are
put where they belong without looking at every label again. The result is that of reading all columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.base.arrays import from_numpy, same, to_numpy
from podium.base.errors import InputError
from podium.base.parallel import Progress, ahead
from podium.score.table import Scores
from podium.score.task import PART, Task
from podium.source.canonical import COLUMNS, TEXT_INSTANCE
from podium.source.collect import collect
from podium.source.labels import IntegerKeys, TextKeys
from podium.source.layout import Wishes
from podium.source.number import to_numbers
from podium.source.table import Batch, Kind, ReadPlan, SourceColumn, SourceTable, located, numbered
from podium.store.log import WORDS, BoardVersion, Snapshot, files_of, forgotten, is_board, number_at, opened, versions
from podium.store.place import Place
from podium.store.rows import LABELS, Facts, fact_columns, scan, starts_of, words_of

#: Batches that a thread may be ahead of a large board.
_DEPTH = 4

#: Rows that systems have on a task, on average, below which they are not looked at as stretches.
_LEAST = 256

#: How many letters of a moment, such as "2026-10-01 12:00:00", say the day or the month.
_LETTERS = {"day": 10, "month": 7}


class BoardTable(SourceTable):
    """All files of a version as one table.

    Parameters
    ----------
    snapshot
        The version.
    facts
        What is true of its rows.
    """

    def __init__(self, snapshot: Snapshot, facts: Facts) -> None:
        self.name = snapshot.place.name
        self.n_rows = snapshot.rows
        self.size = sum(one.size for one in snapshot.files)
        self.known = {
            "system": sorted(facts.systems),
            "task": sorted(facts.tasks),
            "repeat": tuple(map(str, range(1, facts.repeats + 1))),
        }
        self._snapshot = snapshot
        text = snapshot.has(TEXT_INSTANCE)
        kinds: dict[str, Kind] = {"score": "number", "repeat": "integer", "weight": "number"}
        kinds["instance"] = "text" if text else "integer"
        kinds.update(dict.fromkeys(snapshot.covariates, "number"))
        names = [name for name in COLUMNS if snapshot.has(name) and name not in {"statistic", *LABELS}]
        if text or snapshot.has("instance"):
            names.insert(2, "instance")
        names += [name for name in snapshot.covariates if snapshot.has(name)]
        self.columns = tuple(SourceColumn(name, kinds.get(name, "text")) for name in names)

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Decode the columns of the plan."""
        wanted = {*plan.columns} | ({*LABELS} if {"instance", "cluster"} & {*plan.columns} else set())
        rows = scan(self._snapshot, [name for name in self._snapshot.columns if name in wanted])
        decoded = (_unified(batch, plan.columns) for batch in rows)
        try:
            yield from numbered(ahead(decoded, depth=_DEPTH) if plan.large else decoded, self.n_rows)
        finally:
            pa.default_memory_pool().release_unused()


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
    zeros = same("0", len(rows)).cast(pa.string())
    return pc.coalesce(there[-1], *(one.cast(pa.string()) for one in there[:-1]), zeros)


def alone(tasks: Any, instances: Any) -> Any:
    """Return clusters of instances without one: each is a cluster of its own."""
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
    facts, grids = _looked_at(snapshot, plain=wishes == Wishes(None, {}, wishes.tasks, wishes.systems))
    table = BoardTable(snapshot, facts)
    scores = None if grids is None else grids.read(table, facts, progress)
    if scores is None:
        return collect([table], wishes.over(facts.statistic), progress=progress)
    return scores.select(tasks=wishes.tasks, systems=wishes.systems)


def _looked_at(snapshot: Snapshot, *, plain: bool) -> "tuple[Facts, Stretches | None]":
    """Read what is true of all rows, and where the stretches of systems are; None where some have other instances."""
    facts = Facts()
    labels = [name for name in LABELS if snapshot.has(name)]
    more = any(map(snapshot.has, ("repeat", "weight", "cluster", "statistic", *snapshot.covariates)))
    found = Stretches(labels[0]) if plain and len(labels) == 1 and not more else None
    rows = scan(snapshot, fact_columns(snapshot), words=(*WORDS, TEXT_INSTANCE))
    for batch in ahead(rows, depth=_DEPTH):
        facts.take(batch, snapshot.place)
        if found is not None and not found.take(batch):
            found = None
    return facts, found


class Stretches:
    """Stretches of rows in which every system has the same instances of a task, in the same order.

    Parameters
    ----------
    label
        Column of instances.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._first: dict[str, str] = {}
        self._pieces: dict[str, list[Any]] = {}
        self._done: dict[tuple[str, str], int] = {}
        self._found: list[tuple[str, str, int, int]] = []

    def take(self, batch: Any) -> bool:
        """Take rows; return whether they are what they must be."""
        (tasks, task), (systems, system) = (words_of(batch.column(name)) for name in ("task", "system"))
        starts = starts_of(task, system).tolist()
        labels, places = batch.column(self._label), dict[str, Any]()
        if labels.null_count or len(batch) < _LEAST * (len(starts) - 1):
            return False
        for start, stop in pairwise([*starts, len(batch)]):
            name, of = tasks[task[start]], systems[system[start]]
            done = self._done.get((name, of), 0)
            if self._first.setdefault(name, of) == of:
                piece = labels[start:stop]
                plain = piece.dictionary_decode() if self._label == TEXT_INSTANCE else piece
                self._pieces.setdefault(name, []).append(plain)
                places.pop(name, None)
            else:
                if name not in places:
                    places[name] = _places(labels, self.instances(name))
                some, known = places[name]
                if not np.array_equal(some[start:stop], known[done : done + stop - start]):
                    return False
            self._done[name, of] = done + stop - start
            self._found.append((name, of, done, stop - start))
        return True

    def instances(self, task: str) -> Any:
        """Return the instances of a task, in the order of its first system."""
        if len(self._pieces[task]) > 1:
            self._pieces[task] = [pa.concat_arrays(self._pieces[task])]
        return self._pieces[task][0]

    def read(self, table: BoardTable, facts: Facts, progress: Progress | None) -> Scores | None:
        """Read the scores; None where labels are not what reading makes of them, or some system has fewer rows."""
        systems, widths = sorted(facts.systems), {name: len(self.instances(name)) for name in sorted(self._pieces)}
        if any(name != name.strip() for name in (*systems, *widths)):
            return None
        if any(count != widths[task] for (task, _), count in self._done.items()):
            return None
        instances = {}
        for task in widths:
            labels = self.instances(task)
            keys = IntegerKeys() if pa.types.is_integer(labels.type) else TextKeys()
            known = keys.encode(labels, "instance")
            instances[task], order = keys.sort(known)
            if not (np.array_equal(order, np.arange(known.size)) and np.diff(np.sort(known)).all()):
                return None
        grids = {task: _Grid(len(systems), width) for task, width in widths.items()}
        if table.n_rows < sum(grid.size for grid in grids.values()):
            for grid in grids.values():
                grid.blank()
        rows = {name: row for row, name in enumerate(systems)}
        cells = [_Cell(grids[task], rows[system], first, width) for task, system, first, width in self._found]
        starts = np.cumsum([0, *(cell.width for cell in cells)])
        for batch in table.batches(ReadPlan((), ("score",), large=True)):
            with located(table, batch.first):
                scores = to_numbers(batch.rows.column("score"), "score", np.dtype(np.float64))
            for cell, start, some in _cut(scores, batch.first, cells, starts):
                cell.grid.put(cell.row, cell.first + start, some)
            if progress is not None:
                progress(int(batch.done * table.size), table.size)
        ways = {task: min(facts.tasks[task])[0] for task in widths}
        tasks = (grid.task(name, instances[name], higher_is_better=ways[name]) for name, grid in grids.items())
        return Scores(tuple(systems), tuple(tasks))


def _places(labels: Any, known: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numbers that are the same for equal labels: of some, and of those that are known."""
    if not pa.types.is_dictionary(labels.type):
        return to_numpy(labels), to_numpy(known)
    places = pc.index_in(labels.dictionary, value_set=known).take(labels.indices)
    return to_numpy(places, -1), np.arange(len(known), dtype=np.int32)


class _Grid:
    """Scores of all systems on a task, in parts of the size that tables have."""

    def __init__(self, n_systems: int, n_instances: int) -> None:
        widths = [min(PART, n_instances - start) for start in range(0, n_instances, PART)]
        self.parts = [np.empty((n_systems, width)) for width in widths]
        self.scored = np.zeros(n_systems, dtype=np.int64)
        self.size = n_systems * n_instances

    def blank(self) -> None:
        """Let all scores be missing."""
        for part in self.parts:
            part.fill(np.nan)

    def put(self, row: int, first: int, scores: NDArray[Any]) -> None:
        """Write scores of a system on instances from the first on."""
        self.scored[row] += scores.size - np.count_nonzero(np.isnan(scores))
        done = 0
        while done < scores.size:
            number, column = divmod(first + done, PART)
            target = self.parts[number][row, column : column + scores.size - done]
            np.add(scores[done : done + target.size], 0.0, out=target)  # one zero, not two
            done += target.size

    def task(self, name: str, instances: NDArray[Any], *, higher_is_better: bool) -> Task:
        """Return the task, to which nothing is written any more."""
        for array in (*self.parts, instances):
            array.flags.writeable = False
        return Task(name, tuple(self.parts), self.scored, instances=instances, higher_is_better=higher_is_better)


class _Cell(NamedTuple):
    """Where rows of a system that follow each other go: the grid, the row there, the first instance, how many."""

    grid: _Grid
    row: int
    first: int
    width: int


def _cut(
    scores: NDArray[Any], first: int, cells: Sequence[_Cell], starts: NDArray[np.int64]
) -> Iterator[tuple[_Cell, int, NDArray[Any]]]:
    """Cut scores of rows from the first on by their cells; with the instance that each piece begins with."""
    done, place = 0, int(np.searchsorted(starts, first, side="right")) - 1
    while done < scores.size:
        start = first + done - int(starts[place])
        some = scores[done : done + cells[place].width - start]
        yield cells[place], start, some
        done += some.size
        place += 1


def steps_of_board(
    place: Place, each: str = "version", as_of: int | str | date | None = None
) -> tuple[list[tuple[str, int]], int] | None:
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
    Labels, and the numbers of the versions; and how many there were before two systems were there.

    Raises
    ------
    BoardError
        The log is damaged, or there is no such version.
    """
    if not is_board(place):
        return None
    end = None if as_of is None else number_at(place, as_of)
    found = versions(place)
    least = forgotten(found)
    same = {"compact", "columns", "vacuum"}  # change no score; the first that is kept stands for all before it
    kept = [one for one in found if one.number >= least and (end is None or one.number <= end)]
    changed = [one for one in kept if one.number == least or one.info.get("kind") not in same]
    last = {_label(one, each): one.number for one in changed}
    steps = list(last.items())
    early = next((index for index, (_, number) in enumerate(steps) if _n_systems(place, number) > 1), len(steps))
    return steps[early:], early


def _label(version: BoardVersion, each: str) -> str:
    return version.moment[: _LETTERS[each]] if each in _LETTERS else f"version {version.number}"


def _n_systems(place: Place, number: int) -> int:
    """How many systems a version has, of which it is enough to know whether there are two."""
    found: set[str] = set()
    for batch in scan(opened(place, number), ["system"]):
        found.update(batch.column("system").unique().to_pylist())
        if len(found) > 1:
            break
    return len(found)
