"""From tables to `Scores`: recognise, read, assemble, and note what was left out or assumed.

`collect` finds the roles of the columns (`_layouts`), reads all rows (`_read`), and makes tasks of what was read. A
`Coder` makes numbers of the labels of every batch, and an `Assembly` puts each score into its cell. Rows that
contradict each other may be repeats, or something else that an error offers.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, islice, permutations
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, PodiumError, warn
from podium.base.parallel import Progress
from podium.base.words import Aside, Assumed, Counted, as_typed, few, how_many, rounded_percent, span, with_names
from podium.score.repeat import Repeats, Statistic, WrongRepeatsError, stacked
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import check_clusters
from podium.source.aggregate import without_averages
from podium.source.assembly import SHOWN, Assembly, Cell
from podium.source.canonical import TEXT_INSTANCE, canonical_layouts, head
from podium.source.coder import Coder
from podium.source.column_names import USUAL, folded, lacks, naming, numbers_repeats, shown
from podium.source.descriptor import contents, described, is_cost, names_benchmarks
from podium.source.direction import SAYING, by_names, higher_by, sounds_lower
from podium.source.labels import MOST_REPEATS, RepeatedKeys, TextKeys, plain_text
from podium.source.number import to_numbers, without_minus_one
from podium.source.recognise import Layout, Unused, Wishes, check_same_layout, recognise, with_tasks
from podium.source.table import (
    InstancesAreTextError,
    ReadPlan,
    RowError,
    SourceColumn,
    SourceTable,
    is_missing,
    located,
    refuse_nested,
)

#: Number of scores above which a second thread is faster.
LARGE = 1_000_000

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
        if (seed := _repeat_column(columns, layouts[0], works)) is not None:
            kept = "to keep only the first: keep_first=True (--keep-first)"
            said = f"column {seed!r} tells rows of a system apart, so these are repeats; {kept}"
            notes = [*notes, Assumed(said)]
            return collect(tables, _with_columns(wishes, {"repeat": seed}), progress=progress, notes=notes)
        layouts = [replace(layout, by_rows=undeclared) for layout in layouts]
        scores = read(layouts, notes=notes, hint=lambda: _advice(columns, layouts[0], works))
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
    chosen, out = without_averages(scores, tables[0].name, tasks=wishes.tasks, systems=wishes.systems, selected=wide)
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
    hasty = hint is None and not wishes.keep_first
    as_text = layout.instance == TEXT_INSTANCE or bool(
        _kinds(tables, [{layout.instance} for layout in layouts]) & {"text", "empty"}
    )
    read = partial(_read, tables, layouts, dtype, hasty=hasty, progress=progress)
    try:
        coder, assembly = read(as_text=as_text)
    except InstancesAreTextError:
        coder, assembly = read(as_text=True)
    if assembly.contradictions and not wishes.keep_first:
        if hint is None:
            return None
        again = Coder(tables, layouts, dtype=dtype, as_text=isinstance(coder.instances, TextKeys), large=False)
        raise _contradictions(assembly, tables, again, hint=hint())
    said = [*notes, *dict.fromkeys(note for layout in layouts for note in layout.notes), *coder.notes()]
    said += [_MIXED] if kinds >= {"single", "number"} else []
    systems = coder.systems.names
    names, keys = coder.task_names(), coder.keys
    assembled, beside = assembly.tasks(names, keys)
    repeated = assembly.n_scores - sum(int(task.scored.sum()) for task in assembled)
    if twice := repeated - assembly.n_contradictions:
        what = how_many(twice, "row" if layout.long else "cell")
        which = f"{what} repeats an earlier score" if twice == 1 else f"{what} repeat earlier scores"
        said.append(Aside(f"{which}; each score counts once"))
    if layout.direction is None and not wishes.minus_one and "*" not in (wishes.tasks or ()):
        assembled, unmeasured = without_minus_one(assembled, wishes.tasks)
        said += unmeasured
    if wrong := assembly.n_contradictions:
        given = sum(int(task.scored.sum()) for task in assembled) + repeated
        said.append(_left_out(wrong, given, "row" if layout.long else "cell"))
    if layout.repeated:
        said = [*notes, *coder.lost_runs(assembled), *said[len(notes) :]]
        instances, statistic = layout.instance is not None, wishes.statistic or Statistic()
        if layout.by_rows and coder.n_repeats() < 2:
            what = f"statistic={statistic.name!r} (--statistic) is over repeats, and no two rows are such"
            raise lacks(tables[0].name, f"{what}; name their column with {naming('repeat')}", tables[0].names)
        over = partial(_over_repeats, column=layout.repeat, instances=instances)
        # a board numbers the repeats of each instance as they come
        runs = isinstance(keys, RepeatedKeys) and keys.are_runs and "repeat" not in tables[0].known
        assembled, note = over(assembled, systems, statistic, runs=runs)
        said.append(Aside(note))
        means = {name: over(tasks, systems, Statistic()) for name, tasks in beside.items()}
        beside = {name: tasks for name, (tasks, _) in means.items()}
    check_clusters(assembled)
    directions, families = coder.directions, coder.task_families()
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
    found = {name: _contents(batches[0].rows.slice(0, _HEAD).column(name)) for name in names}
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


def _read(
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    dtype: Any,
    *,
    as_text: bool,
    hasty: bool,
    progress: Progress | None,
) -> tuple[Coder, Assembly]:
    """Read all rows; if `hasty`, until some contradict each other. Instance labels are text or integers.

    Raises
    ------
    InputError
        A row cannot be used.
    InstancesAreTextError
        Instance labels must be read as text.
    """
    first = layouts[0]
    expected = sum(table.n_rows * max(len(layout.tasks), 1) for table, layout in zip(tables, layouts, strict=True))
    coder = Coder(tables, layouts, dtype=dtype, as_text=as_text, large=expected > LARGE, progress=progress)
    assembly = Assembly(
        dtype,
        covariates=list(dict.fromkeys(name for layout in layouts for name in layout.covariates)),
        side_by_side=first.instance is None and not first.repeated,
        clusters=coder.clusters,
    )
    for number, start, rows in coder.batches():
        with located(tables[number], start):
            assembly.add(rows, len(coder.systems))
        if hasty and assembly.contradictions:
            break
    return coder, assembly


def _left_out(count: int, given: int, what: str) -> str:
    """Say how many scores `keep_first` leaves out; warn if that is most of them."""
    which = f"1 {what} contradicts" if count == 1 else f"{count:,} {what}s contradict"
    note = f"{which} an earlier score and {'was' if count == 1 else 'were'} left out"
    if 2 * count > given:
        note += f", {rounded_percent(count / given)} of all; are they repeats? {naming('repeat')} keeps them"
        warn(note)
    return note


#: Number of letters of a label that are shown.
_LONGEST = 60

#: Names of columns that may divide tasks; used only if the caller says so.
_PARTS = ("split", "subset", "hf_subset", "subtask", "subject", "config", "setting", "language", "lang", "domain")

#: Whether no rows contradict each other if columns have these roles as well.
Works = Callable[[Mapping[str, str]], bool]


def _repeat_column(columns: Sequence[SourceColumn], layout: Layout, works: Works) -> str | None:
    """The first column that numbers repeats, by its name, and tells the rows apart."""
    used = {*layout.used} - {*layout.tasks}
    names = (column.name for column in columns if column.name not in used and column.kind in _LABELS)
    return next((name for name in names if numbers_repeats(name) and works({"repeat": name})), None)


def _advice(columns: Sequence[SourceColumn], layout: Layout, works: Works) -> str:
    """What else the rows may be, each with what to type: only what works."""
    free = {column.name: column for column in columns if column.name not in layout.used and column.kind in _LABELS}
    texts = [name for name, column in free.items() if column.kind == "text" and not described(column)]
    numbered = [name for name in free if numbers_repeats(name)]
    ids = [name for name in free if _is_id(name)]
    parts = [name for name in free if folded(name) in _PARTS] if layout.task is not None else []
    offers = []
    if parts and works({f"task {number}": name for number, name in enumerate((*layout.parts, *parts), start=2)}):
        divide = "divides" if len(parts) == 1 else "divide"
        offers.append(
            f"if {shown(parts)} {divide} tasks, use {naming('task', [str(layout.task), *layout.parts, *parts])}"
        )
    if layout.instance is None and (one := _first(ids, "instance", works)):
        offers.append(f"if rows are instances, use {naming('instance', one)}")
    others = [name for name in texts if name not in {*parts, *ids, *numbered}]
    if one := _first(others, f"system {len(layout.systems) + 1}", works):
        offers.append(
            f"if column {one!r} is part of the name of a system, use {naming('system', [*layout.systems, one])}"
        )
    left = [name for name in free if name not in {*parts, *ids} and (name in texts or described(free[name]))]
    if layout.repeat is None and (one := _first(left, "repeat", works)):
        offers.append(f"if column {one!r} numbers repeats, use {naming('repeat', one)}")
    if layout.repeat is None and not offers:
        folds = sorted(numbered, key=lambda name: "fold" not in folded(name))  # all systems have the same
        known = [*ids, *folds, *filter(None, (layout.instance,))]
        pairs = ({"instance": one, "repeat": other} for one, other in permutations(known, 2))
        if (pair := next(filter(works, pairs), None)) is not None:
            offers.append(f"use {naming('instance', pair['instance'])} and {naming('repeat', pair['repeat'])}")
    if layout.repeat is None:
        offers.append("average them with statistic='mean' (--statistic mean)")
    return "".join(f", or, {offer}" if offer.startswith("if") else f", or {offer}" for offer in offers)


#: Kinds of columns of labels.
_LABELS = frozenset(("text", "integer"))


def _is_id(name: str) -> bool:
    return folded(name) in USUAL["instance"] or folded(name).endswith("_id")


def _first(names: Iterable[str], role: str, works: Works) -> str | None:
    return next((name for name in names if works({role: name})), None)


def _contradictions(assembly: Assembly, tables: Sequence[SourceTable], again: Coder, *, hint: str) -> InputError:
    """Read the tables again to find the rows with the scores of some cells, and say which contradict each other."""
    scores: dict[Cell, list[tuple[Any, SourceTable, int]]] = {cell: [] for cell in assembly.contradictions}
    for number, start, rows in again.batches():
        for cell, found in scores.items():
            found += [(rows.scores[row], tables[number], start + rows.place(row)) for row in rows.scored(cell)]
    others = {cell: iter([one for one in found if one[0] != found[0][0]]) for cell, found in scores.items()}
    lines = [
        f"  {_named(cell, again)}: {_shown(*scores[cell][0])} and {_shown(*next(others[cell]))}"
        for cell in assembly.contradictions
    ]
    if (count := assembly.n_contradictions) > SHOWN:
        lines.append(f"  and {count - SHOWN:,} more")
    what = "1 score contradicts an earlier score" if count == 1 else f"{count:,} scores contradict earlier scores"
    cure = f"keep one score of each pair{hint}, or always keep the first with keep_first=True (--keep-first)"
    cure += "".join(f"; {note}" for note in again.respelled())
    return InputError("\n".join([f"{what}:", *lines, cure]))


def _named(cell: Cell, coder: Coder) -> str:
    task, system, key = cell
    named = f"task {_short(coder.task_names()[task])}, system {_short(coder.systems.names[system])}"
    if coder.keys is None:
        return named
    label = coder.keys.label(key)
    return f"{named}, {label}" if isinstance(coder.keys, RepeatedKeys) else f"{named}, instance {_short(label)}"


def _shown(score: Any, table: SourceTable, row: int) -> str:
    """A score with all its digits, and where it stands."""
    return f"{str(score + 0.0).removesuffix('.0')} ({table.name}, {table.where(row)})"


def _short(label: str) -> str:
    """A label in quotes, shortened if it is long."""
    return repr(label if len(label) <= _LONGEST else label[: _LONGEST - 1] + "…")


def _over_repeats(
    tasks: Sequence[Task],
    systems: Sequence[str],
    statistic: Statistic,
    *,
    column: str | None,
    instances: bool,
    runs: bool = False,
) -> tuple[tuple[Task, ...], str]:
    """Return tasks with one score for each instance, of several with the same label, and what to know of it.

    The order of repeats counts if they are `runs`.

    Raises
    ------
    InputError
        The statistic cannot be taken of some repeats; or an instance has different weights or clusters.
    """
    made, least, most = [], MOST_REPEATS, 0
    for task in tasks:
        labels: Any = task.instances
        place = np.concatenate(([0], np.cumsum(labels[1:] != labels[:-1])))
        first = np.flatnonzero(np.diff(place, prepend=-1))
        try:
            scores, repeats, fewest, largest = _taken(task.values, place, statistic, runs=runs)
        except WrongRepeatsError as error:
            where = f"task {task.name!r}, system {systems[error.system]!r}"
            where += f", instance {str(labels[first][error.instance])!r}" if instances else ""
            raise InputError(f"{where}: {error}") from None
        least, most = min(least, fewest), max(most, largest)
        _check_same(task, place, first)
        details = {
            "instances": labels[first] if instances else None,
            "instance_weights": None if task.instance_weights is None else task.instance_weights[first],
            "clusters": None if task.clusters is None else task.clusters.take(first),
            "repeats": repeats,
        }
        made.append(task.with_values(scores, **details))
    what = f"the {statistic.name}" if not statistic.name.startswith("pass") else statistic.name
    number = how_many(1, "repeat") if least == most == 1 else f"{span(min(least, most), most)} repeats"
    which = "rows with the same labels" if column is None else f"column {column!r}"
    return tuple(made), f"each score is {what} of {number} ({which})"


def _taken(
    values: NDArray[Any], place: NDArray[np.int64], statistic: Statistic, *, runs: bool
) -> tuple[NDArray[Any], Repeats, int, int]:
    """Return scores `(N, K)`, their repeats, and the least and most of these."""
    repeats = stacked(values.astype(np.float64), place)
    number = np.count_nonzero(~np.isnan(repeats), axis=2)
    least, most = (int(number[number > 0].min()), int(number.max())) if number.any() else (MOST_REPEATS, 0)
    scores = statistic.of(repeats).astype(values.dtype, copy=False)
    return scores, Repeats.of(repeats.astype(values.dtype, copy=False), statistic, runs=runs), least, most


def _check_same(task: Task, place: NDArray[np.int64], first: NDArray[np.int64]) -> None:
    """Refuse an instance whose repeats have different weights or clusters."""
    clusters = None if task.clusters is None else task.clusters.numbers
    for what, values in (("weights", task.instance_weights), ("clusters", clusters)):
        if values is not None and (wrong := values != values[first][place]).any():
            label = "" if task.instances is None else f", instance {str(task.instances[wrong][0])!r}"
            raise InputError(f"task {task.name!r}{label}: its repeats have different {what}; give the instance one")
