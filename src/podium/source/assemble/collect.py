"""From tables to `Scores`: recognise, read, assemble, and note what was left out or assumed.

`collect` finds the roles of the columns (`_layouts`), reads all rows (`_read`), and makes tasks of what was read. A
`Coder` makes numbers of the labels of every batch, and an `Assembly` puts each score into its cell.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import chain, islice
from types import ModuleType
from typing import Any, NamedTuple, Self
from unicodedata import normalize

import numpy as np

from podium.base.compile import compiling_pays
from podium.base.errors import InputError, PodiumError, warn
from podium.base.parallel import Progress
from podium.base.spill import Spill
from podium.base.words import Aside, Assumed, Counted, as_typed, few, rounded_percent, with_names
from podium.score.repeat import Statistic
from podium.score.table import Scores
from podium.score.units import check_clusters
from podium.source.aggregate import settled
from podium.source.assemble.assembly import Assembly
from podium.source.assemble.code import Coder
from podium.source.assemble.contradiction import SHOWN, advice, contradictions, repeat_column
from podium.source.assemble.grid import Rooms, SparseKeysError
from podium.source.assemble.label import plain_text
from podium.source.assemble.partition import brought_together
from podium.source.assemble.repeat import RepeatedKeys, over_repeats
from podium.source.assemble.row import Cell
from podium.source.canonical import TEXT_INSTANCE, canonical_layouts, head
from podium.source.descriptor import contents, is_cost, names_benchmarks
from podium.source.direction import SAYING, by_names, higher_by, sounds_lower
from podium.source.layout import Layout, Unused, Wishes, check_same_layout, recognise, with_tasks
from podium.source.number import column_in, to_numbers, without_minus_one
from podium.source.role import USUAL, folded, lacks, naming
from podium.source.table import (
    InstancesAreTextError,
    ReadPlan,
    RowError,
    SourceTable,
    is_missing,
    located,
    refuse_nested,
)

#: Number of scores above which compiled code and a second thread are faster.
LARGE = 1_000_000

#: The same where no table has instances: what NumPy then does in few calls, compiled code does little faster.
_LARGE_GRID = 16_000_000

#: Number of cells that show what a column of text holds.
_HEAD = 1000

#: Names of columns of instances that may also number the rows of a table.
_ROW_NUMBERS = ("id", "idx", "uid", "item", "sample", "example")

_MIXED = (
    "single and double precision are mixed, so equal scores such as 0.1 may differ slightly; tie them: "
    "with_tie_tolerance (--tie-tolerance)"
)


def collect(
    tables: Sequence[SourceTable], wishes: Wishes, *, progress: Progress | None = None, notes: Sequence[str] = ()
) -> Scores:
    """Read tables that belong together.

    Raises
    ------
    InputError, LabelError
        The tables cannot be read as scores; the message says where and why, and what to do.
    """
    layouts, wishes, ours = _layouts(tables, wishes)
    read = partial(_collected, tables, wishes=wishes, progress=progress)
    undeclared = wishes.statistic is not None and not layouts[0].repeated
    scores = None if undeclared else read(layouts, notes=notes)
    if scores is None:
        columns, works = tables[0].columns, partial(_works, tables, replace(wishes, statistic=None))
        if (seed := repeat_column(columns, layouts[0], works)) is not None:
            kept = "to keep only the first: keep_first=True (--keep-first)"
            said = f"column {seed!r} tells rows of a system apart, so these are repeats; {kept}"
            notes = [*notes, Assumed(said)]
            return collect(tables, _with_columns(wishes, {"repeat": seed}), progress=progress, notes=notes)
        layouts = [replace(layout, by_rows=undeclared) for layout in layouts]
        scores = read(layouts, notes=notes, hint=lambda: advice(columns, layouts[0], works))
    if scores is not None and (what := _no_instances(scores, layouts[0], wishes)) is not None:
        layouts = [_without_instances(layout, what) for layout in layouts]
        scores = read(layouts, notes=notes)
    if scores is None:
        raise AssertionError("contradictions are an error where there is a hint, and one row a cell has none")
    if layouts[0].instance is not None:
        _refuse_unshared(scores, tables[0].name, layouts[0], wishes)
    if ours:  # what podium wrote holds no averages that do not count
        return scores.select(tasks=wishes.tasks, systems=wishes.systems)
    wide = not layouts[0].long
    chosen, out = settled(scores, tables[0].name, tasks=wishes.tasks, systems=wishes.systems, selected=wide)
    told = chosen.task_names if layouts[0].direction is not None else ()
    if not wide:
        score = layouts[0].score or ""
        if layouts[0].naming and layouts[0].metric is None and (is_cost(score) or sounds_lower(score)):
            return by_names(chosen, told, chosen.task_names, score)
        return by_names(chosen, told)
    _refuse_benchmarks(tables[0].name, layouts[0], wishes, scores.systems)
    directed = by_names(chosen, told, set(filter(is_cost, chosen.task_names)))
    why = dict.fromkeys(chosen.task_names, "a score") | out | layouts[0].aside
    lower = [task.name for task in directed.tasks if not task.higher_is_better and task.name not in told]
    return replace(directed, notes=(*directed.notes, Counted(why, chosen.task_names, lower)))


def _collected(
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    wishes: Wishes,
    *,
    progress: Progress | None = None,
    notes: Sequence[str] = (),
    hint: Callable[[], str] | None = None,
) -> Scores | None:
    """Read all rows of tables whose columns have these roles.

    Where rows contradict each other, an error says what they may be, by `hint`; None where there is no hint.
    """
    layout = layouts[0]
    kinds = _kinds(tables, [{layout.score, *layout.tasks} for layout in layouts])
    dtype = np.float32 if kinds == {"single"} else np.float64
    attempt = _Attempt.first(tables, layouts, dtype, wishes.memory)
    found = _read(replace(attempt, hasty=hint is None and not wishes.keep_first), progress)
    if found.n_contradictions and not wishes.keep_first:
        if hint is None:
            return None
        raise contradictions(found.contradicted, found.n_contradictions, tables, attempt.coder(), hint=hint())
    said = [*notes, *dict.fromkeys(note for layout in layouts for note in layout.notes), *found.coder.notes()]
    said += [_MIXED] if kinds >= {"single", "number"} else []
    said += _repeats(found.assembly.repeats - found.n_contradictions, "row" if layout.long else "cell")
    systems = found.coder.systems.names
    names, keys = found.coder.task_names(), found.coder.keys
    assembled = found.assembly.tasks(names, keys)
    if layout.direction is None and not wishes.minus_one and "*" not in (wishes.tasks or ()):
        assembled, unmeasured = without_minus_one(assembled, wishes.tasks)
        said += unmeasured
    beside = {name: assembly.tasks(names, keys) for name, assembly in found.beside.items()}
    given = sum(int(task.scored.sum()) for task in assembled) + found.assembly.repeats
    said += _left_out(found.n_contradictions, given, "row" if layout.long else "cell")
    if layout.repeated:
        said = [*notes, *found.coder.lost_runs(assembled), *said[len(notes) :]]
        instances, statistic = layout.instance is not None, wishes.statistic or Statistic()
        if layout.by_rows and found.coder.n_repeats() < 2:
            what = f"statistic={statistic.name!r} (--statistic) is over repeats, and no two rows are such"
            raise lacks(tables[0].name, f"{what}; name their column with {naming('repeat')}", tables[0].names)
        over = partial(over_repeats, column=layout.repeat, instances=instances)
        # a board numbers the repeats of each instance as they come
        runs = isinstance(keys, RepeatedKeys) and keys.are_runs and "repeat" not in tables[0].known
        assembled, note = over(assembled, systems, statistic, runs=runs)
        said.append(Aside(note))
        means = {name: over(tasks, systems, Statistic()) for name, tasks in beside.items()}
        beside = {name: tasks for name, (tasks, _) in means.items()}
    check_clusters(assembled)
    directions, families = found.coder.directions, found.coder.task_families()
    if beside or directions or any(families):
        assembled = tuple(
            replace(
                task,
                higher_is_better=directions.get(place, True),
                covariates={name: tasks[place].values for name, tasks in beside.items()},
                family=families[place],
            )
            for place, task in enumerate(assembled)
        )
    said += [*_alike("system", systems), *_alike("task", names)]
    return Scores(tuple(systems), assembled, notes=tuple(said))


#: Hyphens, dashes and minus signs that look like "-".
_DASH = re.compile("[\u2010-\u2015\u2212]")


def _alike(kind: str, labels: Sequence[str]) -> list[str]:
    """A note on labels that differ only in case, blanks or forms of letters."""
    forms = (label if label.isascii() else _DASH.sub("-", normalize("NFKC", label)) for label in labels)
    bare = {label: "".join(form.casefold().split()) for label, form in zip(labels, forms, strict=True)}
    if len(set(bare.values())) == len(bare):
        return []
    first: dict[str, str] = {}
    pairs = [(first[name], label) for label, name in bare.items() if first.setdefault(name, label) != label]
    both = [" and ".join(map(repr if "".join(pair).isascii() else ascii, pair)) for pair in pairs]
    return [with_names(f"{kind}s with nearly one name, which count apart: ", both)]


def _no_instances(scores: Scores, layout: Layout, wishes: Wishes) -> str | None:
    """What a column that could hold instances, by its name, only numbers: the rows, one per system, or the tasks."""
    name = folded(layout.instance or "")
    if not (name in _ROW_NUMBERS or name.endswith("_id")) or {"score", "instance"} & {*wishes.columns}:
        return None
    if layout.task is not None and len(scores.tasks) > 1 and all(task.n_instances == 1 for task in scores.tasks):
        return "tasks"
    if len(scores.systems) < 2 or any(task.n_instances > len(scores.systems) for task in scores.tasks):
        return None
    scored = [~np.isnan(task.values) for task in scores.tasks]
    single = all((part.sum(axis=0) <= 1).all() and (part.sum(axis=1) <= 1).all() for part in scored)
    return "rows" if single else None


def _refuse_benchmarks(where: str, layout: Layout, wishes: Wishes, systems: Sequence[str]) -> None:
    """Refuse a wide table whose rows are named like benchmarks, unless their column says that they are systems."""
    if "system" in wishes.columns or folded(layout.system) in USUAL["system"] or not names_benchmarks(systems):
        return
    named_so = f"say {naming('system', layout.system)}" if layout.system.strip() else "call their column 'system'"
    raise InputError(
        f"{where}: rows are named like benchmarks, as {few(list(systems), 3)}, so columns may be systems; if they are, "
        f"say transpose=True (--transpose); if rows are systems, {named_so}"
    )


def _refuse_unshared(scores: Scores, where: str, layout: Layout, wishes: Wishes) -> None:
    """Refuse a column of instances that was named, or of systems that was guessed, where systems share no instance."""
    column, guessed = layout.instance or "", folded(layout.system) not in USUAL["system"]
    if "instance" not in wishes.columns and ("system" in wishes.columns or layout.long or not guessed):
        return
    parts = (part for task in scores.tasks for part in task.parts)
    if len(scores.systems) < 2 or any((np.count_nonzero(~np.isnan(part), axis=0) > 1).any() for part in parts):
        return
    unshared = f"no two systems have a score on the same instance of column {column!r}, so nothing can be compared"
    if "instance" in wishes.columns:
        raise InputError(f"{where}: {unshared}; name another column with {naming('instance')}, or leave it out")
    turned = f"transpose=True, task_column={column!r} (--transpose --task-column {as_typed(column)})"
    raise InputError(
        f"{where}: column {layout.system!r} is taken for the systems, and {unshared}; if columns are systems, say "
        f"{turned}, else name the column of systems with {naming('system')}"
    )


def _without_instances(layout: Layout, what: str) -> Layout:
    note = Aside(f"column {layout.instance!r} numbers the {what} and was left out")
    return replace(layout, instance=None, cluster=None, notes=(*layout.notes, note))


def _layouts(tables: Sequence[SourceTable], wishes: Wishes) -> tuple[list[Layout], Wishes, bool]:
    """Find the roles of the columns of all tables, and check them.

    Return what the tables say of their repeats, too, and whether podium wrote them.

    Raises
    ------
    InputError, LabelError
        The tables cannot be read as scores.
    """
    canonical = canonical_layouts(tables, wishes)
    if canonical is None:
        layouts = [_with_direction(table, recognise(table.name, table.columns, wishes)) for table in tables]
    else:
        layouts, statistic = canonical
        wishes = wishes.over(statistic)
    check_same_layout([table.name for table in tables], layouts)
    # Tasks of a wide table are columns, and the others are not read; those of a long table are known once it is read.
    if not layouts[0].long:
        pairs = zip(tables, layouts, strict=True)
        layouts = with_tasks([_with_contents(table, layout) for table, layout in pairs], wishes.tasks, wishes.directed)
    for table, layout in zip(tables, layouts, strict=True):
        refuse_nested(table, layout.used, ", or leave the column out with tasks= (--tasks)")
    return layouts, wishes, canonical is not None


def _with_direction(table: SourceTable, layout: Layout) -> Layout:
    """The layout of a long table, with a column that says of each row what is better, if its words do."""
    name = next((name for name in table.names if folded(name) in SAYING and name not in layout.used), None)
    if not layout.long or name is None:
        return layout
    words = {word for word in head(table, name) if not is_missing(word)}
    if not words or any(higher_by(name, word) is None for word in words):
        return layout
    notes = (note.without(name) if isinstance(note, Unused) else [note] for note in layout.notes)
    said = Aside(f"column {name!r} says of each task what is better")
    return replace(layout, direction=name, notes=(*chain.from_iterable(notes), said))


def _with_contents(table: SourceTable, layout: Layout) -> Layout:
    """The layout of a wide table, with columns of text or dates among those that hold no scores."""
    texts = {column.name for column in table.columns if column.kind in {"text", "empty"}} - layout.aside.keys()
    names = tuple(name for name in layout.tasks if name in texts)
    batches = list(islice(table.batches(ReadPlan(names, ())), 2)) if names else []
    if not batches:
        return layout
    found = {name: _contents(column_in(batches[0].rows.slice(0, _HEAD), name)) for name in names}
    if len(batches) > 1 or batches[0].rows.num_rows > _HEAD:  # there may be more below
        found = {name: reason for name, reason in found.items() if reason != "nothing"}
    return replace(layout, aside=layout.aside | {name: reason for name, reason in found.items() if reason is not None})


def _contents(column: Any) -> str | None:
    try:
        cells = plain_text(column).to_pylist()
    except RowError:  # bytes that are not even text
        return "text"
    if not any(cell and not is_missing(cell) for cell in cells):
        return "nothing"
    found = contents(cells)
    if found == "text" and any(letter.isdigit() for cell in cells for letter in cell or ""):
        with suppress(RowError):  # numbers may stand in the markup of a page or a paper
            return None if not np.isnan(to_numbers(column, "", np.float64)).all() else found
    return found


def _kinds(tables: Sequence[SourceTable], names: Sequence[set[str | None]]) -> set[str]:
    """Kinds of some columns of each table."""
    return {
        column.kind
        for table, chosen in zip(tables, names, strict=True)
        for column in table.columns
        if column.name in chosen
    }


@dataclass(frozen=True, slots=True)
class _Attempt:
    """How all rows are read, this time.

    Attributes
    ----------
    tables, layouts
        The tables, and the roles of their columns.
    dtype
        Of the scores.
    expected
        Number of scores, as far as known.
    as_text
        Read instance labels as text.
    compact
        Number instances task by task, because their keys are far from each other.
    memory
        Bytes that the process may hold, so that scores are on disk; None if they are in memory.
    hasty
        Whether rows that contradict each other end the reading.
    """

    tables: Sequence[SourceTable]
    layouts: Sequence[Layout]
    dtype: Any
    expected: int
    as_text: bool
    compact: bool
    memory: int | None
    hasty: bool = False

    @classmethod
    def first(
        cls, tables: Sequence[SourceTable], layouts: Sequence[Layout], dtype: Any, memory: int | None = None
    ) -> Self:
        """Return how rows are read at first, from what the heads of the tables show."""
        expected = sum(table.n_rows * max(len(layout.tasks), 1) for table, layout in zip(tables, layouts, strict=True))
        as_text = bool(_kinds(tables, [{layout.instance} for layout in layouts]) & {"text", "empty"})
        as_text |= layouts[0].instance == TEXT_INSTANCE
        return cls(tables, layouts, dtype, expected, as_text, compact=layouts[0].repeated, memory=memory)

    def coder(self, progress: Progress | None = None) -> Coder:
        """Return what makes numbers of labels."""
        large = self.expected > LARGE
        return Coder(self.tables, self.layouts, dtype=self.dtype, as_text=self.as_text, large=large, progress=progress)

    def assembly(self, coder: Coder, kernels: Callable[[], ModuleType]) -> Assembly:
        """Return what puts the scores of coded rows into their cells."""
        return Assembly(
            self.dtype,
            kernels,
            expected=self.expected,
            compact=self.compact,
            side_by_side=self._side_by_side(),
            clusters=coder.clusters,
            rooms=None if self.memory is None else Rooms(Spill(self.memory), Spill(self.memory)),
        )

    def kernels(self) -> Callable[[], ModuleType]:
        """Return what imports the inner loops: compiled ones for large tables."""
        compiled = compiling_pays(large=self.expected > (_LARGE_GRID if self._side_by_side() else LARGE))
        return partial(import_module, f"podium.source.assemble.{'kernel' if compiled else 'scatter'}")

    def _side_by_side(self) -> bool:
        layout = self.layouts[0]
        return layout.instance is None and layout.cluster is None and not layout.repeated


def _with_columns(wishes: Wishes, more: Mapping[str, str]) -> Wishes:
    return replace(wishes, columns={**wishes.columns, **more})


def _works(tables: Sequence[SourceTable], wishes: Wishes, more: Mapping[str, str]) -> bool:
    """Whether tables can be read if columns have these roles as well."""
    try:
        wishes = _with_columns(wishes, more)
        layouts, wanted, _ = _layouts(tables, wishes)
        scores = _collected(tables, layouts, wanted)
        if scores is not None and "instance" in more:
            _refuse_unshared(scores, tables[0].name, layouts[0], wishes)
    except PodiumError:
        return False
    return scores is not None


class _Collected(NamedTuple):
    """All rows, read: by which attempt, into what, and which cells have two different scores (the first of them)."""

    attempt: _Attempt
    coder: Coder
    assembly: Assembly
    beside: dict[str, Assembly]
    contradicted: list[Cell]
    n_contradictions: int


def _read(attempt: _Attempt, progress: Progress | None) -> _Collected:
    """Read all rows; read them again where a row shows that another way is needed.

    That happens at most twice: once because some instance labels turn out to be text, and once because keys turn out to
    be far from each other.
    """
    for _ in range(3):
        try:
            return _read_once(attempt, progress)
        except InstancesAreTextError:
            attempt = replace(attempt, as_text=True)
        except SparseKeysError:
            attempt = replace(attempt, compact=True)
    raise AssertionError("text is read as text, and compact keys are not far from each other")


def _read_once(attempt: _Attempt, progress: Progress | None) -> _Collected:
    """Read all rows.

    Raises
    ------
    InputError
        A row cannot be used.
    InstancesAreTextError
        They must be read again, as text.
    SparseKeysError
        They must be read again, compactly.
    """
    coder = attempt.coder(progress)
    kernels = attempt.kernels()
    assembly = attempt.assembly(coder, kernels)
    names = dict.fromkeys(name for layout in attempt.layouts for name in layout.covariates)
    beside = {name: replace(attempt, dtype=np.float64).assembly(coder, kernels) for name in names}
    cells: list[Cell] = []
    count = 0
    batches = coder.batches()
    if attempt.memory is not None:
        batches = brought_together(batches, attempt.expected, attempt.memory, kernels, tuple(names))
    for number, start, rows in batches:
        assembly.make_room(len(coder.systems), coder.n_tasks())
        with located(attempt.tables[number], start):
            wrong = assembly.add(rows)
        for name, other in beside.items():  # all see all rows, so that they have the same instances
            other.make_room(len(coder.systems), coder.n_tasks())
            other.add(rows.with_covariate(name))
        cells += [rows.cell(row) for row in wrong[: SHOWN - len(cells)].tolist()]
        count += wrong.size
        if count and attempt.hasty:
            break
    return _Collected(attempt, coder, assembly, beside, cells, count)


def _left_out(count: int, given: int, what: str) -> list[str]:
    """Say how many scores `keep_first` leaves out; warn where that is most of them."""
    if not count:
        return []
    which = f"1 {what} contradicts" if count == 1 else f"{count:,} {what}s contradict"
    note = f"{which} an earlier score and {'was' if count == 1 else 'were'} left out"
    if 2 * count > given:
        note += f", {rounded_percent(count / given)} of all; are they repeats? {naming('repeat')} keeps them"
        warn(note)
    return [note]


def _repeats(count: int, what: str) -> list[str]:
    repeat = f"1 {what} repeats an earlier score" if count == 1 else f"{count:,} {what}s repeat earlier scores"
    return [Aside(f"{repeat}; each score counts once")] if count else []
