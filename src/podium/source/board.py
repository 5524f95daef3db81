"""Boards: tables with versions, read as the one long table that `podium convert` would write.

Most systems are run on all instances of a task, in one order. Then each has the same stretch of rows, and its scores
are a row of the table as they come. The result is that of reading all columns.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import Floats, from_numpy, pc, same, to_numpy
from podium.base.cluster import in_force
from podium.base.errors import InputError
from podium.base.parallel import Progress, ahead
from podium.score.table import Scores
from podium.score.task import PART, Task
from podium.source.canonical import COLUMNS, TEXT_INSTANCE
from podium.source.collect import collect
from podium.source.direction import directed
from podium.source.labels import IntegerKeys, TextKeys
from podium.source.recognise import ReadSpec
from podium.source.table import Batch, Kind, ReadPlan, SourceColumn, SourceTable, numbered, refuse_options
from podium.store.log import WORDS, DataFile, Snapshot, files_of, forgotten, is_board, number_at, opened, versions
from podium.store.place import Place
from podium.store.rows import LABELS, Facts, fact_columns, scan, starts_of, words_of

#: Batches that a thread may be ahead of a large board.
_DEPTH = 4

#: Rows that systems have on a task, on average, below which they are not looked at as stretches.
_LEAST = 256

#: What stands where a column has nothing.
_FILL = {"repeat": 1, "weight": 1.0}

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
    first
        Number of its first row, where it is a piece of a board.
    """

    def __init__(self, snapshot: Snapshot, facts: Facts, first: int = 0) -> None:
        self.name, self.portable = snapshot.place.name, True
        self.n_rows = snapshot.rows
        self.size = snapshot.size
        self.known = {
            "system": sorted(facts.systems),
            "task": sorted(facts.tasks),
            "repeat": tuple(map(str, range(1, facts.repeats + 1))),
        }
        self._snapshot, self._facts, self._first = snapshot, facts, first
        text = snapshot.has(TEXT_INSTANCE)
        kinds: dict[str, Kind] = {"score": "number", "repeat": "integer", "weight": "number"}
        kinds["instance"] = "text" if text else "integer"
        kinds.update(dict.fromkeys(snapshot.covariates, "number"))
        there = [name for name in COLUMNS if snapshot.has(name) or name == "score"]  # all scores may be missing
        names = [name for name in there if name not in {"statistic", *LABELS}]
        if text or snapshot.has("instance"):
            names.insert(2, "instance")
        names += [name for name in snapshot.covariates if snapshot.has(name)]
        self.columns = tuple(SourceColumn(name, kinds.get(name, "text")) for name in names)

    def pieces(self, n_rows: int) -> "list[BoardTable]":
        """Cut the board between its files."""
        made, some = list[BoardTable](), list[DataFile]()
        for file in self._snapshot.files:
            some.append(file)
            if sum(one.rows for one in some) >= n_rows or file is self._snapshot.files[-1]:
                first = sum(piece.n_rows for piece in made)
                piece = BoardTable(replace(self._snapshot, files=tuple(some), table=None), self._facts, first)
                piece.columns = self.columns
                made.append(piece)
                some.clear()
        return made

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Decode the columns of the plan."""
        wanted = {*plan.columns} | ({*LABELS} if {"instance", "cluster"} & {*plan.columns} else set())
        rows = scan(self._snapshot, [name for name in self._snapshot.columns if name in wanted])
        names = plan.columns
        decoded = (pa.RecordBatch.from_arrays([_column(batch, name) for name in names], names=names) for batch in rows)
        try:
            yield from numbered(ahead(decoded, depth=_DEPTH) if plan.large else decoded, self.n_rows, self._first)
        finally:
            pa.default_memory_pool().release_unused()


def _column(rows: Any, name: str) -> Any:
    """Return a column as it is read, filled where there is nothing in it."""
    if name == "instance":
        return instances_of(rows)
    column = rows.column(name)
    if column.null_count and name == "cluster":
        return pc.coalesce(column, alone(rows.column("task"), instances_of(rows)))
    if column.null_count and name in _FILL:
        return from_numpy(to_numpy(column, _FILL[name]))
    return column


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
    spec: ReadSpec,
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
    refuse_options(options, f"is about other files, and {place.name} is a board")
    snapshot = opened(place, None if as_of is None else number_at(place, as_of))
    if not snapshot.files:
        raise InputError(f"{place.name} has no scores at version {snapshot.number}; read another (--as-of)")
    if spec.covariates and not snapshot.covariates:
        raise InputError(f"{place.name} has no covariate; leave covariate_column= (--covariate-column) out")
    plain = spec.statistic is None and spec.covariates is None
    facts, stretches = _looked_at(snapshot, plain=plain and in_force() is None)
    table = BoardTable(snapshot, facts)
    scores = None if stretches is None else stretches.read(facts, table.size, progress)
    if scores is None:
        return collect([table], spec.over(facts.statistic), progress=progress)
    scores = scores.select(tasks=spec.tasks, systems=spec.systems)
    said = {task.name: task.higher_is_better for task in scores.tasks}
    return directed(scores, lower=spec.lower, higher=spec.higher, said=said)


def _looked_at(snapshot: Snapshot, *, plain: bool) -> "tuple[Facts, Stretches | None]":
    """Read what is true of all rows, and the stretches of systems; None if some have other instances."""
    facts, columns = Facts(), fact_columns(snapshot)
    labels = [name for name in LABELS if snapshot.has(name)]
    more = any(map(snapshot.has, ("repeat", "weight", "cluster", "statistic", *snapshot.covariates)))
    found = Stretches(labels[0]) if plain and len(labels) == 1 and not more else None
    if found is not None:
        columns.append("score")
    for batch in ahead(scan(snapshot, columns, words=(*WORDS, TEXT_INSTANCE)), depth=_DEPTH):
        facts.take(batch, snapshot.place)
        if found is not None and not found.take(batch):
            found = None
    return facts, found


class Stretches:
    """Scores of systems that all have the same instances of a task, in the same order.

    Parameters
    ----------
    label
        Column of instances.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._first: dict[str, str] = {}
        self._instances: dict[str, list[Any]] = {}
        self._scores: dict[tuple[str, str], list[Floats]] = {}

    def take(self, batch: Any) -> bool:
        """Take rows; return whether they are what they must be."""
        (tasks, task), (systems, system) = (words_of(batch.column(name)) for name in ("task", "system"))
        starts = starts_of(task, system).tolist()
        labels, scores, places = batch.column(self._label), to_numpy(batch.column("score"), np.nan), dict[str, Any]()
        if labels.null_count or len(batch) < _LEAST * (len(starts) - 1) or np.isinf(scores).any():
            return False
        for start, stop in pairwise([*starts, len(batch)]):
            name, of = tasks[task[start]], systems[system[start]]
            pieces = self._scores.setdefault((name, of), [])
            if self._first.setdefault(name, of) == of:
                piece = labels[start:stop]
                plain = piece.dictionary_decode() if self._label == TEXT_INSTANCE else piece
                self._instances.setdefault(name, []).append(plain)
                places.pop(name, None)
            else:
                if name not in places:
                    places[name] = _numbers_of_labels(labels, self._labels_of(name))
                some, known = places[name]
                done = sum(one.size for one in pieces)
                if not np.array_equal(some[start:stop], known[done : done + stop - start]):
                    return False
            pieces.append(scores[start:stop])
        return True

    def _labels_of(self, task: str) -> Any:
        """Return the instances of a task, in the order of its first system."""
        if len(self._instances[task]) > 1:
            self._instances[task] = [pa.concat_arrays(self._instances[task])]
        return self._instances[task][0]

    def read(self, facts: Facts, size: int, progress: Progress | None) -> Scores | None:
        """Put the scores together; None if labels are not sorted and unique, or some system has fewer rows."""
        systems, instances = sorted(facts.systems), {}
        for name in sorted(self._instances):
            labels = self._labels_of(name)
            keys = IntegerKeys() if pa.types.is_integer(labels.type) else TextKeys()
            known = keys.encode(labels, "instance")
            instances[name], order = keys.sort(known)
            if not (np.array_equal(order, np.arange(known.size)) and np.diff(np.sort(known)).all()):
                return None
        if any(name != name.strip() for name in (*systems, *instances)):
            return None
        if any(sum(one.size for one in pieces) != instances[name].size for (name, _), pieces in self._scores.items()):
            return None
        tasks = []
        for name, labels in instances.items():
            higher, _ = min(facts.tasks[name])
            tasks.append(self._task(name, systems, labels, higher_is_better=higher))
            if progress is not None:
                progress(size * len(tasks) // len(instances), size)
        return Scores(tuple(systems), tuple(tasks))

    def _task(self, name: str, systems: Sequence[str], labels: NDArray[Any], *, higher_is_better: bool) -> Task:
        """Put the scores on a task together, and forget them."""
        ends, scored = [*range(PART, labels.size, PART)], np.zeros(len(systems), dtype=np.int64)
        parts = [np.empty((len(systems), width)) for width in np.diff([0, *ends, labels.size])]
        for row, system in enumerate(systems):
            pieces = self._scores.pop((name, system), [np.full(labels.size, np.nan)])
            scores = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
            scored[row] = scores.size - np.count_nonzero(np.isnan(scores))
            for part, some in zip(parts, np.split(scores, ends), strict=True):
                np.add(some, 0.0, out=part[row])  # one zero, not two
        for array in (*parts, labels):
            array.flags.writeable = False
        return Task(name, tuple(parts), scored, instances=labels, higher_is_better=higher_is_better)


def _numbers_of_labels(labels: Any, known: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return numbers that are the same for equal labels: of some, and of those that are known."""
    if not pa.types.is_dictionary(labels.type):
        return to_numpy(labels), to_numpy(known)
    places = pc.index_in(labels.dictionary, value_set=known).take(labels.indices)
    return to_numpy(places, -1), np.arange(len(known), dtype=np.int32)


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
    letters = _LETTERS.get(each)
    last = {one.moment[:letters] if letters else f"version {one.number}": one.number for one in changed}
    steps = list(last.items())
    early = next((index for index, (_, number) in enumerate(steps) if _n_systems(place, number) > 1), len(steps))
    return steps[early:], early


def _n_systems(place: Place, number: int) -> int:
    """Return how many systems a version has, as far as it takes to know whether there are two."""
    found: set[str] = set()
    for batch in scan(opened(place, number), ["system"]):
        found.update(batch.column("system").unique().to_pylist())
        if len(found) > 1:
            break
    return len(found)
