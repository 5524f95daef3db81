"""Which rows of an addition a board has already, which are new, and which contradict it.

Numbers of repeats are given as they come, so they say nothing: all scores that a system has on an instance are compared
with all that the board has. A covariate is of an instance, too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from podium.base.arrays import from_numpy, same, to_numpy
from podium.base.errors import BoardError
from podium.board.addition import Addition
from podium.source.board import alone, instances_of
from podium.source.canonical import TEXT_INSTANCE
from podium.store.log import Snapshot
from podium.store.rows import KEYS, LABELS, codes_of, rows_of, scan

_Numbers = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Flags = NDArray[np.bool_]


@dataclass(slots=True)
class Merge:
    """Compares the rows of an addition with those of a board.

    Attributes
    ----------
    snapshot
        The board; None if there is none yet.
    addition
        What is added.
    rule
        One of `podium.board.result.RULES`.
    counts
        How many scores were new, the same, kept, replaced, and numbered as further repeats. "missing" are new rows
        without a score: they show that there is such a system, task or instance.
    dropped
        Rows of the board that are replaced, by their labels.
    first, differing
        The first contradiction, in words; and how many stop the addition.
    shared
        Whether another source or run has scores of the same instances.
    """

    snapshot: Snapshot | None
    addition: Addition
    rule: str
    counts: Counter[str] = field(default_factory=Counter)
    dropped: list[Any] = field(default_factory=list)
    first: str = ""
    differing: int = 0
    shared: bool = False

    @property
    def covariates(self) -> list[str]:
        """Return names of all covariates, of the board and of what is added."""
        there = [] if self.snapshot is None else self.snapshot.covariates
        return list(dict.fromkeys([*self.addition.covariates, *there]))

    def take(self, rows: Any) -> Any:
        """Compare rows; return those that are to be written."""
        scores = _floats(rows["score"])
        given, old = ~np.isnan(scores), None
        if self.snapshot is not None:
            tasks, systems = (sorted(pc.unique(rows[name]).to_pylist()) for name in ("task", "system"))
            _check_instances(self.snapshot, rows, tasks)
            columns = [*KEYS, "score", "source", "run", "board_version", *self.covariates]
            old = rows_of(self.snapshot, tasks, systems, columns)
        if old is None or not len(old):
            self.counts["new"] += int(given.sum())
            self.counts["missing"] += int((~given).sum())
            return rows

        # of the rows: where they are on the board, and of the board's: where they are
        cells, there = cell_keys([rows, old], tasks, systems)
        own, before = self._own(old), _floats(old["score"])
        scored = np.isin(cells, there[~np.isnan(before)])
        compared = np.where(own, before, np.nan) if self.rule == "repeat" else before
        had, kept = _in_common(cells, scores, there, compared)
        lacking = ~np.isnan(compared) & ~kept
        differs = given & np.isin(cells, there[lacking]) & (~had | (self.rule == "replace"))
        moved = self._moved(rows, old, cells, there, given & ~scored)
        clash = np.any([differs, *moved.values()], axis=0)
        fresh = np.where(given, ~had, ~np.isin(cells, there)) & ~clash
        further = fresh & given & scored

        self.shared |= bool((given & scored & ~np.isin(cells, there[own])).any())
        repeated = int(further.sum()) if self.rule == "repeat" else 0
        self.counts["repeated"] += repeated
        self.counts["new"] += int((fresh & given).sum()) - repeated
        self.counts["missing"] += int((fresh & ~given).sum())
        self.counts["same"] += int((~fresh & ~clash).sum())
        rows = _renumbered(rows, cells, further, old, there)
        if clash.any() and self.rule == "replace":
            self.counts["replaced"] += int(clash.sum())
            whole, gone = np.isin(cells, cells[clash]), np.isin(there, cells[clash])
            self.dropped.append(old.select(["task", "system", *LABELS]).filter(from_numpy(gone)))
            return self._filled(rows, old, cells, there).filter(from_numpy(fresh | whole))
        if self.rule == "keep":
            self.counts["kept"] += int(clash.sum())
        elif clash.any():
            row = int(np.argmax(clash))
            name = "score" if differs[row] else next(name for name, flags in moved.items() if flags[row])
            known = (there == cells[row]) & (lacking if name == "score" else ~np.isnan(_floats(old[name])))
            place = int(np.argmax(known if known.any() else there == cells[row]))
            self.first = self.first or _in_words(name, rows.slice(row, 1), old.slice(place, 1))
            self.differing += int(clash.sum())
        return rows.filter(from_numpy(fresh))

    def check(self, board: str) -> None:
        """Refuse rows that contradict the board.

        Raises
        ------
        BoardError
            There are such rows, and the rule does not settle them.
        """
        if self.differing:
            more = f" ({self.differing - 1:,} more differ)" if self.differing > 1 else ""
            advice = "say --on-conflict keep, replace or repeat (on_conflict=), or correct what is added"
            if self.rule == "repeat":
                advice = "give another run a name (--run), or say --on-conflict replace if the source was corrected"
            raise BoardError(f"{board}: {self.first}{more}; nothing was added; {advice}")

    def _own(self, old: Any) -> _Flags:
        """Find the rows of the board from the same source and run."""
        run = self.addition.origin.get("run")
        same_run = to_numpy(old["run"].is_null()) if run is None else codes_of(old["run"], [run]) == 0
        own: _Flags = same_run & (codes_of(old["source"], [self.addition.origin["source"]]) == 0)
        return own

    def _moved(self, rows: Any, old: Any, cells: _Numbers, there: _Numbers, first: _Flags) -> dict[str, _Flags]:
        """Find rows with a covariate that the board has not with this value; it may come with the first score."""
        found, known = {}, np.isin(cells, there)
        for name in self.addition.covariates:
            values, before = _floats(rows[name]), _known(cells, there, _floats(old[name]))
            found[name] = known & ~np.isnan(values) & (values != before) & ~(np.isnan(before) & first)
        return found

    def _filled(self, rows: Any, old: Any, cells: _Numbers, there: _Numbers) -> Any:
        """Fill in what the board knows and the rows do not say."""
        for name in ("score", *self.covariates):
            values = _floats(rows[name]) if name in rows.column_names else np.full(len(rows), np.nan)
            values = np.where(np.isnan(values), _known(cells, there, _floats(old[name])), values)
            rows = _with_column(rows, name, from_numpy(values, nan_is_null=True))
        return rows


def cell_keys(tables: Sequence[Any], tasks: Sequence[str], systems: Sequence[str]) -> list[_Numbers]:
    """Give each cell (task, system, instance) a number, the same in all tables; labels are sorted."""
    labels = [instances_of(table) for table in tables]
    if len({one.type for one in labels}) > 1:
        labels = [one.cast(pa.string()) for one in labels]
    chunks = [chunk for one in labels for chunk in (one.chunks if isinstance(one, pa.ChunkedArray) else [one])]
    instances = pa.chunked_array(chunks).combine_chunks().dictionary_encode()
    keys = np.concatenate([codes_of(table["task"], tasks) for table in tables]) * len(systems)
    keys = keys + np.concatenate([codes_of(table["system"], systems) for table in tables])
    keys = keys * (len(instances.dictionary) + 1) + to_numpy(instances.indices)
    return np.split(keys, np.cumsum([len(table) for table in tables])[:-1])


def repeats_of(rows: Any) -> _Numbers:
    """Return the repeats of rows; 1 if they have none."""
    if "repeat" not in rows.column_names:
        return np.ones(len(rows), dtype=np.int64)
    return to_numpy(rows["repeat"], 1)


def _floats(column: Any) -> _Floats:
    """Return numbers of a column, NaN for null."""
    return to_numpy(column, np.nan)


def _in_common(cells: _Numbers, scores: _Floats, there: _Numbers, before: _Floats) -> tuple[_Flags, _Flags]:
    """Pair equal scores of a cell, each with one of the other side; return which of both sides have a partner.

    >>> here, past = np.array([7, 7, 8]), np.array([7, 7])
    >>> [some.tolist() for some in _in_common(here, np.array([1.0, 1.0, 1.0]), past, np.array([0.5, 1.0]))]
    [[True, False, False], [False, True]]
    """
    values, codes = np.unique(np.concatenate([scores, before]) + 0.0, return_inverse=True)  # one zero, not two
    pairs, codes = np.unique(np.concatenate([cells, there]) * values.size + codes, return_inverse=True)
    mine, theirs = np.split(codes, [cells.size])
    found = _rank(mine) < np.bincount(theirs, minlength=pairs.size)[mine]
    kept = _rank(theirs) < np.bincount(mine, minlength=pairs.size)[theirs]
    return found & ~np.isnan(scores), kept & ~np.isnan(before)


def _rank(codes: _Numbers) -> _Numbers:
    """Count, for each of some small numbers, how many equal ones come before it."""
    count, order = np.bincount(codes), np.argsort(codes, kind="stable")
    rank = np.empty_like(codes)
    rank[order] = np.arange(codes.size) - np.repeat(np.cumsum(count) - count, count)
    return rank


def _known(cells: _Numbers, there: _Numbers, values: _Floats) -> _Floats:
    """Return the first known value that the board has for each cell, NaN if it has none."""
    known = ~np.isnan(values)
    if not known.any():
        return np.full(cells.size, np.nan)
    keys, first = np.unique(there[known], return_index=True)
    at = np.minimum(np.searchsorted(keys, cells), keys.size - 1)
    return np.where(keys[at] == cells, values[known][first][at], np.nan)


def _renumbered(rows: Any, cells: _Numbers, further: _Flags, old: Any, there: _Numbers) -> Any:
    """Number further scores of cells as repeats behind those of the board."""
    if not further.any():
        return rows
    keys, which = np.unique(cells[further], return_inverse=True)
    most, mine = np.zeros(keys.size, dtype=np.int64), np.isin(there, keys)
    np.maximum.at(most, np.searchsorted(keys, there[mine]), repeats_of(old)[mine])
    repeats = repeats_of(rows).copy()
    repeats[further] = most[which] + _rank(which) + 1
    return _with_column(rows, "repeat", from_numpy(repeats))


def _with_column(rows: Any, name: str, column: Any) -> Any:
    """Return rows with a column set or appended."""
    if name in rows.column_names:
        return rows.set_column(rows.column_names.index(name), name, column)
    return rows.append_column(name, column)


def _in_words(name: str, rows: Any, old: Any) -> str:
    """Say what the first row contradicts."""
    new, there = rows.to_pylist()[0], old.to_pylist()[0]
    label = new.get("instance", new.get(TEXT_INSTANCE))
    instance = "" if label is None else f", instance {label!r}"
    repeat = f", repeat {new['repeat']}" if new.get("repeat", 1) != 1 else ""
    what = "" if name == "score" else f"{name} "
    value = "none" if there[name] is None else repr(there[name])
    return (
        f"task {new['task']!r}, system {new['system']!r}{instance}{repeat} has {what}{value} from version "
        f"{there['board_version']} ({there['source']}), and {what}{new[name]!r} is added"
    )


def _check_instances(snapshot: Snapshot, rows: Any, tasks: Sequence[str]) -> None:
    """Refuse an instance whose weight or cluster differs from the board's."""
    for kind in ("weight", "cluster"):
        if kind not in rows.column_names and not snapshot.has(kind):
            continue
        for task in tasks:
            labels, mine = _attached(rows.filter(from_numpy(codes_of(rows["task"], [task]) == 0)), kind, task)
            waiting = np.ones(len(labels), dtype=np.bool_)
            for batch in scan(snapshot, ["task", *LABELS, kind], task=[task]):
                others, theirs = _attached(batch, kind, task)
                at = pc.index_in(labels, value_set=others)
                differs = to_numpy(pc.not_equal(mine, theirs.take(at)), False)
                if differs.any():
                    row = int(np.argmax(differs))
                    raise BoardError(
                        f"{snapshot.place.name} says that instance {labels[row].as_py()!r} of task {task!r} has {kind} "
                        f"{theirs[at[row].as_py()]}, and what is added says {mine[row]}; give it one {kind}"
                    )
                waiting &= to_numpy(at.is_null())
                if not waiting.any():
                    break


def _attached(rows: Any, kind: str, task: str) -> tuple[Any, Any]:
    """Return the labels of instances of rows of one task, as text, and their weights or clusters."""
    labels = instances_of(rows).cast(pa.string())
    known = rows.column(kind) if kind in rows.schema.names else pa.nulls(len(rows))
    if kind == "weight":
        return _joined(labels), from_numpy(to_numpy(known.cast(pa.float64()), 1.0))
    values = pc.coalesce(known.cast(pa.string()), alone(same(task, len(rows)), labels))
    return _joined(labels), _joined(values)


def _joined(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
