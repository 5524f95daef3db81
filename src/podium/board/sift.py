"""Which rows of an addition a board has already, which are new, and which contradict it."""

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
from podium.board.match import Continued, Known, Numbers, alike, cell_keys, floats_of, found_again, repeats_of
from podium.source.board import alone, instances_of
from podium.source.canonical import TEXT_INSTANCE
from podium.store.log import Snapshot
from podium.store.rows import KEYS, LABELS, codes_of, rows_of, scan

#: What is done with a score that the board has with another value.
RULES = ("error", "keep", "replace", "repeat")


@dataclass(slots=True)
class Sifted:
    """How many scores were new, the same, kept, replaced, and numbered as further repeats.

    `missing` are rows without a score that are new: they show that there is such a system, task or instance.
    """

    new: int = 0
    missing: int = 0
    same: int = 0
    kept: int = 0
    replaced: int = 0
    repeated: int = 0


@dataclass(slots=True)
class Sieve:
    """Compares rows with those of a board.

    Attributes
    ----------
    snapshot
        The board; None where there is none yet.
    addition
        What is added.
    rule
        One of `RULES`.
    where
        What errors call the board.
    tally
        What was found so far.
    dropped
        Rows of the board that are replaced, by their labels.
    first
        The first contradiction, in words.
    differing
        How many contradictions stop the addition.
    further
        Whether another addition has scores of the same cells.
    continued
        Earlier additions from the same source, see `look_for_copies`.
    """

    snapshot: Snapshot | None
    addition: Addition
    rule: str
    where: str
    tally: Sifted = field(default_factory=Sifted)
    dropped: list[Any] = field(default_factory=list)
    first: str = ""
    differing: int = 0
    further: bool = False
    continued: Continued = field(default_factory=Continued)

    def knows_source(self) -> bool:
        """Whether the board has rows of the same source."""
        source = [self.addition.origin.source]
        return self.snapshot is not None and any(True for _ in scan(self.snapshot, ["source"], source=source))

    def look_for_copies(self, rows: Any) -> None:
        """Compare rows with what their source gave before; to be called for all rows before any is sifted.

        What "replace" adds is the run of its source from then on, whatever that gave before.
        """
        tasks, systems = (sorted(pc.unique(rows[name]).to_pylist()) for name in ("task", "system"))
        old = self._known(tasks, systems)
        if len(old):
            old = old.filter(from_numpy(self._of_source(old)))
        if len(old) and self.rule == "replace":
            self.continued.count(old)
        elif len(old):
            new, there = cell_keys([rows, old], tasks, systems, with_repeat=False)
            self.continued.compare(new, floats_of(rows["score"]), old, there)

    def sift(self, rows: Any) -> Any:
        """Return the rows that are to be written."""
        tasks, systems = (sorted(pc.unique(rows[name]).to_pylist()) for name in ("task", "system"))
        self._check_instances(rows, tasks)
        old = self._known(tasks, systems)
        if not len(old):
            self._count_new(rows)
            return rows
        known = Known.of(rows, old, tasks, systems)
        match, found = known.match, known.found
        values, before = floats_of(rows["score"]), floats_of(old["score"])[match]
        gap, moved = np.isnan(values), found & self._moved(rows, old, match)
        fresh = ~found | (np.isnan(before) & ~gap & ~moved)
        clash = moved | (found & ~fresh & ~gap & (values != before))
        if self.rule == "repeat":
            clash |= found & ~fresh & ~gap
            copies, more = self._copies(known, values), np.empty(0, dtype=np.int64)
        elif self.rule == "replace":
            clash |= ~gap & np.isin(known.instances, known.partly(rows))
            fresh &= ~clash
        if self.rule != "repeat":
            copies, more = self._alike(rows, known, values)
            fresh[more], clash[more] = True, False
            rows = self._numbered(rows, fresh & ~copies, more, known)
        fresh, clash = fresh & ~copies, clash & ~copies
        self.tally.same += int((copies & ~found).sum())
        self._count_new(rows.filter(from_numpy(fresh)))
        self.tally.same += int((found & ~fresh & ~clash).sum())
        self.further |= bool((found & ~gap & ~self._own(old)[match]).any())
        if not clash.any():
            return rows.filter(from_numpy(fresh))
        return self._settled(rows, fresh, clash, known)

    def _count_new(self, rows: Any) -> None:
        self.tally.missing += rows["score"].null_count
        self.tally.new += len(rows) - rows["score"].null_count

    def contradicted(self) -> BoardError:
        """Return the error for rows that contradict the board."""
        number = self.differing
        more = f" ({number - 1:,} more differ)" if number > 1 else ""
        advice = "say --on-conflict keep, replace or repeat (on_conflict=), or correct what is added"
        return BoardError(f"{self.where}: {self.first}{more}; nothing was added; {advice}")

    def _known(self, tasks: Sequence[str], systems: Sequence[str]) -> Any:
        """Rows of the board with these tasks and systems."""
        columns = [*KEYS, "score", "source", "run", "addition", *self.covariates]
        return rows_of(self.snapshot, tasks, systems, columns)

    def _moved(self, rows: Any, old: Any, match: Numbers) -> NDArray[np.bool_]:
        """Rows with a covariate that the board has not with this value."""
        moved = np.zeros(len(rows), dtype=np.bool_)
        unscored = ~np.isnan(floats_of(rows["score"])) & np.isnan(floats_of(old["score"])[match])
        for name in self.addition.covariates:
            values, before = floats_of(rows[name]), floats_of(old[name])[match]
            moved |= ~np.isnan(values) & (values != before) & ~(np.isnan(before) & unscored)
        return moved

    @property
    def covariates(self) -> list[str]:
        """Columns of covariates that are written: those of rows that are replaced, too."""
        there = [] if self.snapshot is None or self.rule != "replace" else self.snapshot.covariates
        return list(dict.fromkeys([*self.addition.covariates, *there]))

    def _own(self, old: Any) -> NDArray[np.bool_]:
        """Rows of the board that the same addition from the same source has written, or one that it goes on with."""
        names = sorted(self.continued.additions | {self.addition.digest})
        return self._of_source(old) & (codes_of(old["addition"], names) >= 0)

    def _of_source(self, old: Any) -> NDArray[np.bool_]:
        """Rows of the board from the same source."""
        origin = self.addition.origin
        run = _is(old["run"], origin.run) if origin.run else to_numpy(old["run"].is_null())
        return run & _is(old["source"], origin.source)

    def _settled(self, rows: Any, fresh: NDArray[np.bool_], clash: NDArray[np.bool_], known: Known) -> Any:
        """Do with contradictions what the rule says."""
        places = np.flatnonzero(clash)
        if self.rule in {"error", "keep"}:
            self.first = self.first or self._in_words(rows, int(places[0]), known)
            if self.rule == "error":
                self.differing += places.size
            else:
                self.tally.kept += places.size
            return rows.filter(from_numpy(fresh))
        if self.rule == "replace":
            return self._replaced(rows, fresh, places, known)
        return self._repeated(rows, fresh, places, known)

    def _replaced(self, rows: Any, fresh: NDArray[np.bool_], places: Numbers, known: Known) -> Any:
        """Take whole instances in place of the board's, with what the board knows and the rows do not say."""
        self.tally.replaced += places.size
        cells = known.instances[places]
        gone = np.isin(known.there, cells)
        self.dropped.append(known.rows.select(["task", "system", *LABELS]).filter(from_numpy(gone)))
        chosen = np.isin(known.instances, cells)
        for name in ("score", *self.covariates):
            there = name in rows.column_names
            values = floats_of(rows[name]).copy() if there else np.full(len(rows), np.nan)
            lacking = chosen & known.found & np.isnan(values)
            values[lacking] = floats_of(known.rows[name])[known.match][lacking]
            column = from_numpy(values, nan_is_null=True)
            at = rows.column_names.index(name) if there else len(rows.column_names)
            rows = rows.set_column(at, name, column) if there else rows.append_column(name, column)
        return rows.filter(from_numpy(fresh | chosen))

    def _copies(self, known: Known, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Rows whose score the same addition has given before, or one that it goes on with."""
        before = floats_of(known.rows["score"])
        own, given = self._own(known.rows) & ~np.isnan(before), np.flatnonzero(~np.isnan(scores))
        copies = np.zeros(scores.size, dtype=np.bool_)
        copies[given] = found_again(known.instances[given], scores[given], known.there[own], before[own])
        return copies

    def _alike(self, rows: Any, known: Known, scores: NDArray[np.float64]) -> tuple[NDArray[np.bool_], Numbers]:
        """Rows that the board has under other numbers of repeats, and places of those that it has not.

        Reading sorts repeats, so their numbers say nothing.
        """
        before = floats_of(known.rows["score"])
        had, given = np.flatnonzero(~np.isnan(before)), np.flatnonzero(~np.isnan(scores))
        copies = np.zeros(scores.size, dtype=np.bool_)
        if self.addition.covariates or max(repeats_of(one).max(initial=1) for one in (rows, known.rows)) == 1:
            return copies, np.empty(0, dtype=np.int64)
        copies[given], more = alike(
            known.instances[given], scores[given], known.there[had], before[had], whole=self.rule == "replace"
        )
        return copies, given[more]

    def _repeated(self, rows: Any, fresh: NDArray[np.bool_], places: Numbers, known: Known) -> Any:
        """Number scores as further repeats of their instances."""
        chosen = fresh.copy()
        chosen[places] = True
        self.tally.repeated += places.size
        return self._numbered(rows, chosen, places, known).filter(from_numpy(chosen))

    def _numbered(self, rows: Any, chosen: NDArray[np.bool_], places: Numbers, known: Known) -> Any:
        """Number some rows as repeats of their instances, behind those of the board and of others that are chosen."""
        if not places.size:
            return rows
        new, there = known.instances, known.there
        repeats = repeats_of(rows).copy()
        others = np.setdiff1d(np.flatnonzero(chosen), places)
        order = np.argsort(new[places], kind="stable")
        cells, first, count = np.unique(new[places][order], return_index=True, return_counts=True)
        most = np.zeros(cells.size, dtype=np.int64)
        for keys, numbers in ((there, repeats_of(known.rows)), (new[others], repeats[others])):
            at = np.minimum(np.searchsorted(cells, keys), max(cells.size - 1, 0))
            mine = cells[at] == keys if cells.size else np.zeros(keys.size, dtype=np.bool_)
            np.maximum.at(most, at[mine], numbers[mine])
        step = np.arange(order.size) - np.repeat(first, count) + 1
        repeats[places[order]] = np.repeat(most, count) + step
        numbered = from_numpy(repeats)
        names = rows.column_names
        if "repeat" in names:
            return rows.set_column(names.index("repeat"), "repeat", numbered)
        return rows.append_column("repeat", numbered)

    def _in_words(self, rows: Any, row: int, known: Known) -> str:
        """Say what a row contradicts."""
        old = known.rows.slice(int(known.match[row]), 1).to_pylist()[0]
        new = rows.slice(row, 1).to_pylist()[0]
        names = ("score", *self.addition.covariates)
        told = [one for one in names if new[one] is not None and new[one] != old[one]]
        name = next((one for one in told if one != "score" or old[one] is not None), "score")
        labels = [new.get("instance"), new.get(TEXT_INSTANCE)]
        instance = next((f", instance {label!r}" for label in labels if label is not None), "")
        repeat = f", repeat {new['repeat']}" if new.get("repeat", 1) != 1 else ""
        what = "" if name == "score" else f"{name} "
        return (
            f"task {new['task']!r}, system {new['system']!r}{instance}{repeat} has {what}{_shown(old[name])} from "
            f"addition {old['addition']} ({old['source']}), and {what}{_shown(new[name])} is added"
        )

    def _check_instances(self, rows: Any, tasks: Sequence[str]) -> None:
        """Refuse an instance whose weight or cluster differs from the board's."""
        if self.snapshot is None:
            return
        for kind in ("weight", "cluster"):
            if kind in rows.column_names or self.snapshot.has(kind):
                for task in tasks:
                    own = rows.filter(from_numpy(_is(rows["task"], task)))
                    self._check_task(self.snapshot, kind, task, own)

    def _check_task(self, snapshot: Snapshot, kind: str, task: str, rows: Any) -> None:
        labels = instances_of(rows)
        mine = dict(zip(labels.cast(pa.string()).to_pylist(), _attached(rows, kind, task), strict=True))
        waiting, columns = set(mine), ["task", *LABELS, kind]
        for batch in scan(snapshot, columns, task=[task]):
            there = zip(instances_of(batch).cast(pa.string()).to_pylist(), _attached(batch, kind, task), strict=True)
            for label, value in there:
                if label in waiting:
                    waiting.discard(label)
                    if mine[label] != value:
                        raise BoardError(
                            f"{self.where} says that instance {label!r} of task {task!r} has {kind} {value}, and "
                            f"what is added says {mine[label]}; give it one {kind}"
                        )
            if not waiting:
                return


def _shown(value: float | None) -> str:
    return "none" if value is None else repr(value)


def _is(column: Any, word: str) -> NDArray[np.bool_]:
    """Which rows of a column of words have one."""
    found: NDArray[np.bool_] = codes_of(column, [word]) == 0
    return found


def _attached(rows: Any, kind: str, task: str) -> list[Any]:
    """Weights or clusters of the instances of rows of one task."""
    known = rows.column(kind) if kind in rows.schema.names else pa.nulls(len(rows), pa.float64())
    if kind == "weight":
        weights: list[Any] = to_numpy(known.cast(pa.float64()), 1.0).tolist()
        return weights
    own = alone(same(task, len(rows)), instances_of(rows))
    clusters: list[Any] = pc.coalesce(known.cast(pa.string()), own).to_pylist()
    return clusters
