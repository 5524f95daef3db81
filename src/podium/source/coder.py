"""Batches of a long or wide table become coded rows: label numbers, instance keys and scores."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.errors import InputError
from podium.base.parallel import Progress
from podium.base.words import LONG, Aside, Assumed, as_typed_list, few, how_many, with_names
from podium.score.task import Task
from podium.source.assembly import CodedRows
from podium.source.direction import higher_by
from podium.source.labels import IntegerKeys, JoinedLabels, Keys, Labels, RepeatedKeys, TextKeys, joined_text, words_of
from podium.source.number import NotNumberError, Style, to_numbers
from podium.source.recognise import Layout
from podium.source.table import ReadPlan, RowError, SourceTable, folded, is_missing, located

#: Names of columns that divide a data set into tasks.
_PARTS = ("split", "subset", "hf_subset", "language", "lang")

#: Scores of a wide table that are handed on together, if they have fewer rows.
_TOGETHER = 2**16


class KnownLabels(NamedTuple):
    """Labels of systems, tasks and clusters; and of tasks, by number, whether higher is better, and their families."""

    systems: JoinedLabels
    tasks: JoinedLabels
    clusters: Labels
    directions: dict[int, bool]
    families: dict[int, str]


class Coder:
    """Turns tables into coded rows, numbering labels in order of first appearance.

    Parameters
    ----------
    tables, layouts
        Tables to read, and the role of every column.
    dtype
        Of the scores.
    as_text
        Read instance labels as text.
    large
        Use a second thread.
    progress
        Called after each batch with the amount read and the total, in bytes.
    """

    def __init__(
        self,
        tables: Sequence[SourceTable],
        layouts: Sequence[Layout],
        *,
        dtype: Any,
        as_text: bool,
        large: bool,
        progress: Progress | None = None,
    ) -> None:
        self.systems, self.clusters = JoinedLabels(["system"] * len(layouts[0].systems)), Labels("cluster")
        #: Repeats, and those without a score, by system (in the upper half) and task.
        self._runs, self._lost = 0, Counter[int]()
        #: Of each task, whether higher is better, where the tables say so.
        self.directions: dict[int, bool] = {}
        #: Of each task, its family, where the tables say so.
        self._families: dict[int, str] = {}
        self._tables, self._layouts = tables, layouts
        self._style = Style(headed=not layouts[0].long)
        self.dtype, self._large = dtype, large
        self._progress = progress
        kind_of = {layouts[0].metric: "metric", layouts[0].slice: "slice"}
        kinds = [kind_of.get(column, "task") for column in layouts[0].naming]
        self._tasks = JoinedLabels(kinds or ["task"])
        #: Keys of the instances; None if there are none.
        self.instances: Keys | None = None
        if layouts[0].instance is not None:
            self.instances = TextKeys() if as_text else IntegerKeys()
        kind = "repeat" if layouts[0].prompt is None else "prompt"
        self._repeated = RepeatedKeys(self.instances, kind) if layouts[0].repeated else None
        self._know(tables[0].known)
        #: What sorts and names the instances, with their repeats; None where there are neither.
        self.keys: Keys | RepeatedKeys | None = self._repeated or self.instances

    def _know(self, known: Mapping[str, Sequence[str]]) -> None:
        """Number the labels that a table is known to have, in its order."""
        numbers = {"system": self.systems.columns[0].numbers, "task": self._tasks.columns[0].numbers}
        if self._repeated is not None:
            numbers["repeat"] = self._repeated.repeats.numbers
        for role, labels in known.items():
            for label in labels if role in numbers else ():
                numbers[role].setdefault(label, len(numbers[role]))

    def task_names(self) -> list[str]:
        """Return names of tasks: "task:metric" if there are several metrics, else the label of the task or metric."""
        return self._tasks.names

    def n_tasks(self) -> int:
        """Number of tasks known so far."""
        return len(self._tasks)

    def n_repeats(self) -> int:
        """Number of different repeats."""
        return 0 if self._repeated is None else len(self._repeated.repeats.numbers)

    def task_families(self) -> list[str | None]:
        """Return families of tasks: by their column, else data sets whose splits, languages or metrics are tasks."""
        if self._layouts[0].family is not None or self._layouts[0].slice is not None:
            return [self._families.get(place) for place in range(self.n_tasks())]
        heads = self._heads()
        several = Counter(heads)
        return [head if several[head] > 1 else None for head in heads] or [None] * self.n_tasks()

    def _heads(self) -> list[str]:
        """Return the data set of each task, if there are several and further columns name their parts; else none."""
        layout = self._layouts[0]
        behind = (name for name in layout.naming[1:] if name != layout.metric)
        if layout.task is None or len(layout.naming) == 1 or any(folded(name) not in _PARTS for name in behind):
            return []
        heads = self._tasks.heads
        return heads if 1 < len(set(heads)) < len(heads) else []

    def notes(self) -> list[str]:
        """Say what was assumed of cells, of labels, and of the names of tasks, if these are not obvious."""
        return [*self._style.notes(), *self.respelled(), *map(Aside, self._names_of_tasks())]

    def respelled(self) -> list[str]:
        """Return notes on systems and tasks that were written in several ways that look alike."""
        return [note for one in (*self.systems.columns, *self._tasks.columns) for note in one.respelled()[:1]]

    def _names_of_tasks(self) -> list[str]:
        layout = self._layouts[0]
        if layout.long and not layout.naming:
            return [f"no column names tasks, so all scores belong to task {self.task_names()[0]!r}"]
        labels = dict(zip(layout.naming, (column.names for column in self._tasks.columns), strict=False))
        notes = []
        if layout.parts:
            several = [name for name in layout.naming if name == layout.task or len(labels[name]) > 1]
            notes = [f"tasks are named {':'.join(several)}"] if len(several) > 1 else []
        if layout.metric is None:
            return notes
        metrics = labels[layout.metric]
        if len(metrics) == 1:
            return [*notes, *([] if layout.task is None else [f"all scores belong to one metric, {metrics[0]!r}"])]
        if layout.task is None:
            return [f"no column names tasks, so each of {len(metrics)} metrics is a task"]
        return notes or [f"there are {len(metrics)} metrics, so tasks are named task:metric"]

    @property
    def known(self) -> "KnownLabels":
        """Return all that tables have said so far of systems, tasks and clusters."""
        return KnownLabels(self.systems, self._tasks, self.clusters, self.directions, self._families)

    def absorb(self, other: "KnownLabels") -> list[int]:
        """Number the labels that other such tables have; return the number here of each of their tasks.

        Raises
        ------
        InputError
            A task has another direction or family there.
        """
        self.systems.absorb(other.systems)
        self.clusters.absorb(other.clusters)
        numbers = self._tasks.absorb(other.tasks)
        told: list[tuple[str, dict[int, Any], dict[int, Any]]] = [
            ("direction", self.directions, other.directions),
            ("family", self._families, other.families),
        ]
        for what, mine, theirs in told:
            for task, value in theirs.items():
                if mine.setdefault(numbers[task], value) != value:
                    name = self.task_names()[numbers[task]]
                    raise InputError(f"task {name!r} has one {what} in some rows and another in others; give it one")
        return numbers

    def batches(self, *, scored: bool = True) -> Iterator[tuple[int, int, CodedRows]]:
        """Read all tables; yield coded rows with the number of their table and that of the first row in it, from 0.

        Without scores, these are missing, and their columns are not read.

        Raises
        ------
        InputError
            A row cannot be used.
        InstancesAreTextError
            Instance labels looked like integers, but some are text.
        """
        total = sum(table.size for table in self._tables)
        before = 0
        for number, (table, layout) in enumerate(zip(self._tables, self._layouts, strict=True)):
            plan = ReadPlan(layout.labels, layout.numbers if scored else (), layout.instance, self._large)
            texts = (
                {column.name for column in table.columns if column.kind == "text"} & {*plan.numbers} & {*layout.tasks}
            )
            empty = True
            for batch in table.batches(plan):
                if batch.rows.num_rows:
                    empty = False
                    for name in texts:
                        self._style.look(batch.rows.column(name))
                    with located(table, batch.first):
                        read = self._long(layout, batch.rows) if layout.long else self._wide(layout, batch.rows)
                        for rows in read:
                            self._count_lost(rows)
                            yield number, batch.first, rows
                if self._progress is not None:
                    self._progress(before + int(batch.done * table.size), total)
            if empty:
                raise InputError(f"{table.name} has columns but no rows; it needs at least one row of scores")
            before += table.size

    def _long(self, layout: Layout, batch: Any) -> Iterator[CodedRows]:
        scores = self._scores(batch, str(layout.score))
        systems = self._system_codes(layout, batch)
        weights = None
        if layout.weight is not None and layout.weight in batch.schema.names:
            weights = to_numbers(batch.column(layout.weight), layout.weight, np.float64)
            if np.isnan(weights).any():
                row = int(np.flatnonzero(np.isnan(weights))[0])
                raise RowError(row, f"there is no weight in column {layout.weight!r}; every row needs one")
        clusters = self._cluster_codes(layout, batch)
        if layout.naming:
            tasks = self._tasks.code([batch.column(name) for name in layout.naming], layout.naming)
        else:
            tasks = np.full(batch.num_rows, self._number(str(layout.score)), dtype=np.int32)
        keys = self._keys(layout, batch, systems, tasks)
        self._learn(layout, tasks, batch)
        beside = {name: to_numbers(batch.column(name), name, np.float64) for name in layout.covariates}
        yield CodedRows(tasks, systems, keys, scores, weights, clusters, covariates=beside)

    def _scores(self, batch: Any, name: str) -> NDArray[Any]:
        """Return the numbers of a column; missing where it was not read."""
        if batch.schema.get_field_index(name) < 0:  # `names` would be listed for each of many columns
            return np.full(batch.num_rows, np.nan, self.dtype)
        return to_numbers(batch.column(name), name, self.dtype, self._style)

    def _count_lost(self, rows: CodedRows) -> None:
        """Count repeats without a score."""
        if self._repeated is None or self._layouts[0].direction is not None:
            return
        self._runs += rows.scores.size
        lost = np.isnan(rows.scores)
        if lost.any():
            cells = rows.systems[lost].astype(np.int64) << 32 | rows.tasks[lost]
            self._lost.update(dict(zip(*(part.tolist() for part in np.unique(cells, return_counts=True)), strict=True)))

    def lost_runs(self, tasks: Sequence[Task]) -> list[str]:
        """Say which systems have runs without a score beside others on the same task, which is then not missing."""
        lost = {divmod(cell, 2**32): n for cell, n in self._lost.most_common()}
        named = {(s, t): n for (s, t), n in lost.items() if tasks[t].scored[s]}
        if not named:
            return []
        systems, count = self.systems.names, sum(named.values())
        runs = how_many(self._runs - sum(lost.values()) + count, "run")
        each = [f"{systems[s]!r} on {tasks[t].name!r} ({n:,})" for (s, t), n in named.items()]
        before = f"{count:,} of {runs} {'has' if count == 1 else 'have'} no score: "
        return [Assumed(with_names(before, each, room=LONG))]

    def _learn(self, layout: Layout, tasks: NDArray[np.int32], batch: Any) -> None:
        """Keep what columns say of each task, and refuse a word that says nothing, or something else than before."""
        for column, learn in (
            (layout.direction, self._learn_direction),
            (layout.slice or layout.family, self._learn_family),
        ):
            if column is None:
                continue
            indices, words = words_of(batch.column(column))
            both = tasks.astype(np.int64) * len(words) + indices
            for pair in np.flatnonzero(np.bincount(both)).tolist():
                task, word = divmod(pair, len(words))
                if wrong := learn(task, (words[word] or ""), column):
                    raise RowError(int(np.argmax(both == pair)), wrong)

    def _learn_direction(self, task: int, word: str, column: str) -> str:
        """Keep the direction of a task; return what is wrong with it."""
        higher = higher_by(column, word)
        if higher is None:
            return "" if is_missing(word) else f"{word!r} in column {column!r} is not 'higher' or 'lower'"
        if self.directions.setdefault(task, higher) != higher:
            return f"task {self.task_names()[task]!r} has another direction here than in other rows; give it one"
        return ""

    def _learn_family(self, task: int, word: str, _: str) -> str:
        """Keep the family of a task; return what is wrong with it."""
        family = word.strip()
        if family and (known := self._families.setdefault(task, family)) != family:
            name = self.task_names()[task]
            return f"task {name!r} is in family {family!r} here and in {known!r} elsewhere; give it one"
        return ""

    def _system_codes(self, layout: Layout, batch: Any) -> NDArray[np.int32]:
        return self.systems.code([batch.column(name) for name in layout.systems], layout.systems)

    def _cluster_codes(self, layout: Layout, batch: Any) -> Floats | None:
        if layout.cluster is None:
            return None
        return self.clusters.code(batch.column(layout.cluster), layout.cluster).astype(np.float64)

    def _number(self, name: str) -> int:
        """Number of a task that a column holds."""
        numbers = self._tasks.columns[0].numbers
        return numbers.setdefault(name, len(numbers))

    def _keys(
        self, layout: Layout, batch: Any, systems: NDArray[np.int32], tasks: NDArray[np.int32] | None = None
    ) -> Ints:
        keys = np.zeros(batch.num_rows, dtype=np.int64)
        if layout.instance is not None and self.instances is not None:
            keys = self.instances.encode(batch.column(layout.instance), layout.instance)
        if self._repeated is None:
            return keys
        if layout.prompt is not None:
            prompts = batch.column(layout.prompt)
            labels = prompts if layout.repeat is None else joined_text(prompts, batch.column(layout.repeat))
            return self._repeated.join(keys, labels, layout.prompt)
        if layout.repeat is None:
            return self._repeated.numbered(keys, systems, tasks)
        return self._repeated.join(keys, batch.column(layout.repeat), layout.repeat)

    def _wide(self, layout: Layout, batch: Any) -> Iterator[CodedRows]:
        systems = self._system_codes(layout, batch)
        keys, clusters = self._keys(layout, batch, systems), self._cluster_codes(layout, batch)
        n_rows = batch.num_rows
        beside = {name: _known_numbers(batch.column(name), name) for name in layout.covariates}
        together = max(1, _TOGETHER // n_rows)  # columns of a few rows are cheaper together
        for first in range(0, len(layout.tasks), together):
            names = layout.tasks[first : first + together]
            scores = [self._numbers(layout, batch, first + place) for place in range(len(names))]
            tasks = np.repeat(np.array([self._number(name) for name in names], dtype=np.int32), n_rows)
            if len(names) == 1:
                yield CodedRows(tasks, systems, keys, scores[0], clusters=clusters, covariates=beside)
                continue
            all_systems, all_keys, numbers = (np.tile(one, len(names)) for one in (systems, keys, np.arange(n_rows)))
            more = {name: np.tile(values, len(names)) for name, values in beside.items()}
            own = None if clusters is None else np.tile(clusters, len(names))
            yield CodedRows(tasks, all_systems, all_keys, np.concatenate(scores), None, own, numbers, more)

    def _numbers(self, layout: Layout, batch: Any, place: int) -> NDArray[Any]:
        """Return scores of a task of a wide table."""
        name = layout.tasks[place]
        try:
            return self._scores(batch, name)
        except NotNumberError as error:
            others = [other for other in layout.tasks[place + 1 :] if not self._holds_numbers(batch, other)]
            raise RowError(error.row, f"{error.what}; {_left_out(name, others, len(layout.tasks))}") from error

    def _holds_numbers(self, batch: Any, name: str) -> bool:
        try:
            to_numbers(batch.column(name), name, self.dtype)
        except RowError as error:  # of others, numbers are unusable
            return not isinstance(error, NotNumberError)
        return True


def _known_numbers(column: Any, name: str) -> Floats:
    """Return numbers that describe the systems of a wide table; NaN where some are none, as they change no ranking."""
    try:
        return to_numbers(column, name, np.float64)
    except RowError:
        return np.full(len(column), np.nan)


def _left_out(name: str, others: list[str], n_tasks: int) -> str:
    """Return how to leave out a column that is not a task, and all other columns with words, where that leaves one."""
    if len(others) + 1 == n_tasks:
        return "the other columns hold text, too"
    patterns = [f"!{column}" for column in (name, *others)]
    typed = as_typed_list(patterns)
    if not others:
        return f"if the column is not a task, leave it out with tasks={patterns} (--tasks {typed})"
    too = f"{few(list(map(repr, others)))} also {'hold' if len(others) > 1 else 'holds'} text"
    return f"{too}; if these columns are not tasks, leave them out with tasks={patterns} (--tasks {typed})"
