"""What is added to a board: scores in the order of their names, as rows, and what is true of all of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from podium.base.arrays import from_numpy, same, texts, to_numpy
from podium.base.errors import BoardError, InputError
from podium.base.parallel import Progress
from podium.base.words import as_typed
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.board import instances_of
from podium.source.canonical import TEXT_INSTANCE
from podium.source.row import LongTable
from podium.store.log import COLUMNS, Snapshot
from podium.store.rows import LABELS, Facts, arrow_schema, scan

#: Digits of the digest that names an addition.
_DIGITS = 16

#: Directions in words, by whether higher is better.
_DIRECTIONS = {True: "higher", False: "lower"}

#: A task that has means alone, or not, in words.
_MEANS = {True: "means alone", False: "scores of instances"}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where scores come from.

    Attributes
    ----------
    source
        Files or folders, as they were named.
    tool, run, time
        The tool that wrote them, the name of its run and when it was made; empty where that is not known.
    """

    source: str
    tool: str = ""
    run: str = ""
    time: str = ""

    @classmethod
    def of(cls, *words: str) -> "Origin":
        """Take words, in which what is no text is written as in Python."""
        return cls(*(word.encode("utf-8", "backslashreplace").decode() for word in words))

    @property
    def known(self) -> dict[str, str]:
        """Columns of a board and what they hold, where there is something."""
        told = {"source": self.source, "tool": self.tool, "run": self.run, "time": self.time}
        return {name: value for name, value in told.items() if value}


@dataclass(frozen=True)
class Addition:
    """Scores that are added.

    Attributes
    ----------
    scores
        Tasks and systems sorted by name.
    origin
        Where they come from.
    digest
        Of all that they say; it names the addition.
    means
        Tasks that have means alone.
    """

    scores: Scores
    origin: Origin
    digest: str
    means: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, scores: Scores, origin: Origin) -> "Addition":
        """Sort the scores, and take their digest.

        Raises
        ------
        InputError
            A covariate has the name of a column of boards; or a label is empty, or no text.
        """
        _check_labels(scores)
        tasks = tuple(replace(task, name=task.name.strip()) for task in scores.tasks)
        scores = replace(scores, systems=tuple(name.strip() for name in scores.systems), tasks=tasks)
        ordered = scores.by_name()
        rows = sorted(range(len(scores.systems)), key=scores.systems.__getitem__)
        if rows != list(range(len(rows))):
            ordered = ordered.take(rows)
        if taken := [name for name in _covariates(ordered) if name in COLUMNS]:
            raise InputError(f"covariate {taken[0]!r} has the name of a column of boards; read it under another name")
        means = frozenset(task.name for task in ordered.tasks if _has_means(task))
        return cls(ordered, origin, _digest(ordered), means)

    @property
    def covariates(self) -> list[str]:
        """Names of the covariates."""
        return _covariates(self.scores)

    @property
    def statistic(self) -> str | None:
        """What the score of an instance is of its repeats; None where there are none."""
        return next((task.repeats.statistic.name for task in self.scores.tasks if task.repeats is not None), None)

    def agreed(self, snapshot: Snapshot, name: str) -> "Addition":
        """Check that a board says the same of the tasks; return the addition with what the board knows better.

        Raises
        ------
        BoardError
            A direction, the statistic of repeats, or what a task is made of differs.
        """
        # all repeats have one statistic, whatever their task
        known = Facts.of(snapshot) if self.statistic else Facts.of_tasks(snapshot, self.scores.task_names)
        means = set(self.means)
        for task in self.scores.tasks:
            if task.name not in known.tasks:
                continue
            higher, of_means = min(known.tasks[task.name])
            if higher != task.higher_is_better:
                there, here = _DIRECTIONS[higher], _DIRECTIONS[not higher]
                raise _differs(
                    name,
                    f"{there} is better on task {task.name!r}",
                    here,
                    f"add it with --{there} {as_typed(task.name)}",
                )
            if of_means == (task.name in self.means):
                continue
            if not (of_means and _only_zero(task)) and not (not of_means and _only_zero_there(snapshot, task.name)):
                there, here = _MEANS[of_means], _MEANS[not of_means]
                raise _differs(name, f"task {task.name!r} has {there}", here, "add it under another name")
            means ^= {task.name}
        if known.statistic is not None and self.statistic not in {None, known.statistic}:
            there = f"the score of an instance is the {known.statistic} of its repeats"
            raise _differs(name, there, f"the {self.statistic}", f"add it with --statistic {known.statistic}")
        return replace(self, means=frozenset(means))

    def pieces(self, progress: Progress | None = None) -> Iterator[Any]:
        """Yield the rows in order, as tables with columns of a board."""
        for rows in LongTable(self.scores, "parquet").pieces(progress):
            told = self._as_columns(rows)
            yield self._needed(told) if told["score"].null_count else told

    def _as_columns(self, rows: Any) -> Any:
        """Return rows with columns of a board."""
        named = rows.column_names
        if "instance" in named and pa.types.is_string(rows["instance"].type):
            named = [TEXT_INSTANCE if name == "instance" else name for name in named]
        columns = dict(zip(named, rows.columns, strict=True))
        columns["score"] = columns["score"].cast(pa.float64())
        for name in {"instance", TEXT_INSTANCE} & columns.keys() if self.means else ():
            alone = pc.is_in(columns["task"], value_set=texts(sorted(self.means)))
            columns[name] = pc.if_else(alone, pa.nulls(len(rows), columns[name].type), columns[name])
        return pa.table(columns)

    def _needed(self, rows: Any) -> Any:
        """Leave out rows without a score that only say in which order labels come."""
        kept = ~np.isnan(to_numpy(rows["score"], np.nan))
        for name in self.covariates:
            kept |= ~np.isnan(to_numpy(rows[name], np.nan))
        odd = np.flatnonzero(~kept)
        words = rows.select(["task", "system"]).take(from_numpy(odd)).to_pylist()
        labels = instances_of(rows).take(from_numpy(odd)).to_pylist()
        for row, word, label in zip(odd.tolist(), words, labels, strict=True):
            kept[row] = word["system"] in self._silent or str(label) in self._unscored[word["task"]]
        return rows.filter(from_numpy(kept))

    @cached_property
    def _silent(self) -> set[str]:
        """Systems without any score."""
        counts = np.sum([task.scored for task in self.scores.tasks], axis=0)
        return {system for system, count in zip(self.scores.systems, counts.tolist(), strict=True) if not count}

    @cached_property
    def _unscored(self) -> dict[str, set[str]]:
        """Labels of instances that no system has a score on, by task."""
        found = {}
        for task in self.scores.tasks:
            missing = np.concatenate([np.isnan(part).all(axis=0) for part in task.parts])
            labels = np.arange(task.n_instances) if task.instances is None else task.instances
            found[task.name] = set(map(str, labels[missing].tolist()))
        return found

    def columns(self, rows: Any, covariates: Sequence[str], *, repeated: bool) -> list[str]:
        """Columns of the file of rows like these, with those of some covariates."""
        there = {*rows.column_names, *self.origin.known, "addition"} | ({"repeat"} if repeated else set())
        return [name for name in COLUMNS if name in there] + list(covariates)

    def signed(self, rows: Any, columns: Sequence[str], run: str | None) -> Any:
        """Return the rows with where they come from; `run` is an earlier addition that they belong to."""
        told = {**self.origin.known, "addition": run or self.digest}
        for name, value in told.items():
            rows = rows.append_column(name, same(value, len(rows)))
        known = rows.column_names
        return pa.table([rows[name] if name in known else pa.nulls(len(rows)) for name in columns], names=columns).cast(
            arrow_schema(columns)
        )


def _check_labels(scores: Scores) -> None:
    """Refuse labels that could not be read again."""
    groups: list[tuple[str, Sequence[str]]] = [("system", scores.systems), ("task", scores.task_names)]
    for task in scores.tasks:
        if task.instances is not None and task.instances.dtype.kind not in "iu":
            groups.append((f"instance of task {task.name!r}", task.instances.tolist()))
        groups.append(("cluster", () if task.clusters is None else task.clusters.labels))
        groups.append(("covariate", list(task.covariates)))
    for kind, labels in groups:
        try:
            "\0".join(labels).encode()
        except UnicodeEncodeError:
            odd = next(label for label in labels if any("\ud800" <= letter <= "\udfff" for letter in label))
            raise InputError(f"{kind}: the name {odd!r} is no text in UTF-8; name it otherwise") from None
        if not all(map(str.strip, labels)):
            raise InputError(f"{kind}: a name is empty; give it one")


def _covariates(scores: Scores) -> list[str]:
    return list(dict.fromkeys(name for task in scores.tasks for name in task.covariates))


def _has_means(task: Task) -> bool:
    return task.instances is None and task.n_instances == 1


def _only_zero(task: Task) -> bool:
    """Whether its one instance is that which a mean becomes among tasks with instances."""
    return task.n_instances == 1 and task.instances is not None and str(task.instances[0]) == "0"


def _only_zero_there(snapshot: Snapshot, task: str) -> bool:
    for rows in scan(snapshot, LABELS, task=[task]):
        if {label for name in LABELS for label in rows.column(name).unique().to_pylist()} - {None, 0, "0"}:
            return False
    return True


def _differs(name: str, there: str, here: str, advice: str) -> BoardError:
    return BoardError(f"{name} says that {there}, and what is added says {here}; {advice}, or correct the board first")


def _digest(scores: Scores) -> str:
    """Digest of all that scores say, the same for any order of tasks and systems."""
    digest = sha256("\0".join(scores.systems).encode())
    for task in scores.tasks:
        statistic = "" if task.repeats is None else task.repeats.statistic.name
        digest.update(f"\1{task.name}\0{task.higher_is_better}\0{statistic}\0{task.n_instances}".encode())
        arrays = [*task.parts] if task.repeats is None else [task.repeats.values]
        arrays += [] if task.instance_weights is None else [task.instance_weights]
        for array in [*arrays, *task.covariates.values()]:
            digest.update(np.ascontiguousarray(array + array.dtype.type(0)).tobytes())
        clusters = () if task.clusters is None else task.clusters.labels
        digest.update(_label_bytes(task) + "\0".join(["\1", *clusters, "\1", *task.covariates]).encode())
    return digest.hexdigest()[:_DIGITS]


def _label_bytes(task: Task) -> bytes:
    """Labels of instances as bytes: numbers as they stand in memory, texts one after the other."""
    if task.instances is None:
        return b""
    if task.instances.dtype.kind in "iu":
        return task.instances.astype("<i8").tobytes()
    return "\0".join(task.instances.tolist()).encode()
