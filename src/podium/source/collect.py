"""From tables to `Scores`: find the roles of columns, read all rows, and say what was left out or assumed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from podium.base.cluster import in_force
from podium.base.errors import InputError, PodiumError, warn
from podium.base.parallel import Progress
from podium.base.words import Aside, Assumed, as_typed, few, how_many, rounded_percent, span, with_names
from podium.score.repeat import Repeats, Statistic, WrongRepeatsError, stacked
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import check_clusters
from podium.source.aggregate import without_averages
from podium.source.assembly import SHOWN, Assembly, Cell
from podium.source.canonical import TEXT_INSTANCE, canonical_layouts, head
from podium.source.coder import Coder
from podium.source.descriptor import contents, described, is_cost, names_benchmarks
from podium.source.direction import SAYING, directed, higher_by, sounds_lower
from podium.source.labels import MOST_REPEATS, RepeatedKeys, TextKeys, plain_text
from podium.source.number import to_numbers, without_minus_one
from podium.source.recognise import Layout, Unused, Wishes, check_same_layout, recognise, with_tasks
from podium.source.table import (
    USUAL,
    InstancesAreTextError,
    ReadPlan,
    RowError,
    SourceTable,
    folded,
    is_missing,
    lacks,
    located,
    naming,
    numbers_repeats,
    refuse_nested,
    shown,
)

if TYPE_CHECKING:
    from podium.source.distributed import Distributed

#: Number of scores above which a second thread is faster.
LARGE = 1_000_000

#: Number of cells that show what a column of text holds.
_HEAD = 1000

#: Names of columns of instances that may also number the rows of a table.
_ROW_NUMBERS = ("id", "idx", "uid", "item", "sample", "example")

#: Names of columns that may divide tasks; used only if the caller says so.
_PARTS = ("split", "subset", "hf_subset", "subtask", "subject", "config", "setting", "language", "lang", "domain")

#: Kinds of columns of labels.
_LABELS = frozenset(("text", "integer"))

_MIXED = (
    "single and double precision are mixed, so equal scores such as 0.1 may differ slightly; tie them: "
    "with_tie_tolerance (--tie-tolerance)"
)


def collect(
    tables: Sequence[SourceTable],
    wishes: Wishes,
    *,
    directions: Mapping[str, bool] = MappingProxyType({}),
    progress: Progress | None = None,
    notes: Sequence[str] = (),
) -> Scores:
    """Read tables that belong together.

    Parameters
    ----------
    tables, wishes
        What to read, and what the caller says about it.
    directions
        By task, whether higher is better, as far as files say it beside the tables.
    progress, notes
        Called after each batch; and what is to be said first.

    Raises
    ------
    InputError, LabelError
        The tables cannot be read as scores; the message says where and why, and what to do.
    """
    layouts, wishes, ours = find_layouts(tables, wishes)
    rows_are_repeats = wishes.statistic is not None and not layouts[0].repeated
    scores = None if rows_are_repeats else _read_scores(tables, layouts, wishes, notes, progress)
    if scores is None:
        # Rows that contradict each other are repeats if a column numbers them, or if the caller speaks of repeats.
        for note, roles in _seeds(tables[0], layouts[0]):
            if (found := _read_with_roles(tables, wishes, roles, [*notes, note], progress)) is not None:
                layouts, ours, scores = found
                notes = [*notes, note]
                break
        if scores is None and rows_are_repeats:
            layouts = [replace(layout, by_rows=True) for layout in layouts]
            scores = _read_scores(tables, layouts, wishes, notes, progress)
    if scores is not None and (what := _what_ids_number(scores, layouts[0], wishes)) is not None:
        note = Aside(f"column {layouts[0].instance!r} numbers the {what} and was left out")
        layouts = [replace(one, instance=None, cluster=None, notes=(*one.notes, note)) for one in layouts]
        scores = _read_scores(tables, layouts, wishes, notes, progress)
    if scores is None:
        raise _contradictions(tables, layouts, wishes)

    where, layout = tables[0].name, layouts[0]
    if layout.instance is not None:
        _refuse_unshared(scores, where, layout, wishes)
    if layout.direction is not None:
        directions = {task.name: task.higher_is_better for task in scores.tasks}
    if ours:  # what podium wrote holds no averages that do not count
        chosen = scores.select(tasks=wishes.tasks, systems=wishes.systems)
        return directed(chosen, lower=wishes.lower, higher=wishes.higher, said=directions)
    return _without_averages(scores, where, layout, wishes, directions)


def _without_averages(
    scores: Scores, where: str, layout: Layout, wishes: Wishes, directions: Mapping[str, bool]
) -> Scores:
    """Return scores with the tasks and systems that count, and the direction of each task."""
    wide = not layout.long
    chosen, out, parts = without_averages(scores, where, tasks=wishes.tasks, systems=wishes.systems, selected=wide)
    given: dict[str, Any] = {"lower": wishes.lower, "higher": wishes.higher, "said": directions, "averages": parts}
    if wide:
        _refuse_benchmarks(where, layout, wishes, scores.systems)
        columns = dict.fromkeys(chosen.task_names, "a score") | out | layout.aside
        return directed(chosen, costs=set(filter(is_cost, chosen.task_names)), columns=columns, **given)
    score = layout.score or ""
    by_column = layout.naming and layout.metric is None and (is_cost(score) or sounds_lower(score))
    return directed(chosen, column=score if by_column else "", **given)


def find_layouts(tables: Sequence[SourceTable], wishes: Wishes) -> tuple[list[Layout], Wishes, bool]:
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
        layouts = [_with_contents(table, layout) for table, layout in zip(tables, layouts, strict=True)]
        layouts = with_tasks(layouts, wishes.tasks, (*wishes.lower, *wishes.higher))
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
    found = {name: _contents_of_column(batches[0].rows.slice(0, _HEAD).column(name)) for name in names}
    if len(batches) > 1 or batches[0].rows.num_rows > _HEAD:  # there may be more below
        found = {name: reason for name, reason in found.items() if reason != "nothing"}
    return replace(layout, aside=layout.aside | {name: reason for name, reason in found.items() if reason is not None})


def _contents_of_column(column: Any) -> str | None:
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
    pairs = zip(tables, names, strict=True)
    return {column.kind for table, chosen in pairs for column in table.columns if column.name in chosen}


def _score_kinds(tables: Sequence[SourceTable], layouts: Sequence[Layout]) -> set[str]:
    return _kinds(tables, [{layout.score, *layout.tasks} for layout in layouts])


def _read_rows(
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    *,
    stop: bool,
    progress: Progress | None = None,
    as_text: bool = False,
) -> "tuple[Coder, Assembly | Distributed]":
    """Read all rows; if `stop`, until some contradict each other. Labels of instances are integers, or read as text.

    Raises
    ------
    InputError
        A row cannot be used.
    """
    first = layouts[0]
    kinds = _kinds(tables, [{layout.instance} for layout in layouts])
    as_text = as_text or first.instance == TEXT_INSTANCE or bool(kinds & {"text", "empty"})
    dtype = np.float32 if _score_kinds(tables, layouts) == {"single"} else np.float64
    expected = sum(table.n_rows * max(len(layout.tasks), 1) for table, layout in zip(tables, layouts, strict=True))
    cluster = in_force()
    coder = Coder(tables, layouts, dtype=dtype, as_text=as_text, large=expected > LARGE, progress=progress)
    assembly = Assembly(
        dtype,
        covariates=list(dict.fromkeys(name for layout in layouts for name in layout.covariates)),
        side_by_side=first.instance is None and not first.repeated,
        clusters=coder.clusters,
    )
    try:
        if cluster is not None and expected > LARGE and _may_be_distributed(tables, layouts):
            from podium.source.distributed import read_on  # noqa: PLC0415  # only where there is a cluster

            return read_on(cluster, tables, layouts, as_text=as_text, dtype=dtype, stop=stop, progress=progress)
        for number, start, rows in coder.batches():
            with located(tables[number], start):
                assembly.add(rows, len(coder.systems))
            if stop and assembly.contradictions:
                break
    except InstancesAreTextError:
        texts = True  # what was read so far is let go, and read again as what it is
    else:
        texts = False
    return _read_rows(tables, layouts, stop=stop, progress=progress, as_text=True) if texts else (coder, assembly)


def _may_be_distributed(tables: Sequence[SourceTable], layouts: Sequence[Layout]) -> bool:
    """Whether workers can read tables: they have instances, each scored once, and columns of numbers alone."""
    first, numbers = layouts[0], {"number", "single", "integer", "empty"}
    plain = not (first.repeated or any(layout.covariates for layout in layouts)) and all(one.portable for one in tables)
    return first.instance is not None and plain and _score_kinds(tables, layouts) <= numbers


def _read_scores(
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    wishes: Wishes,
    notes: Sequence[str],
    progress: Progress | None = None,
) -> Scores | None:
    """Read all rows of tables whose columns have these roles, and make tasks of them.

    None if rows contradict each other, and the caller does not want to keep the first.
    """
    coder, assembly = _read_rows(tables, layouts, stop=not wishes.keep_first, progress=progress)
    if assembly.contradictions and not wishes.keep_first:
        return None
    layout, systems, names = layouts[0], coder.systems.names, coder.task_names()
    row = "row" if layout.long else "cell"
    said = [*dict.fromkeys(note for one in layouts for note in one.notes), *coder.notes()]
    said += [_MIXED] if _score_kinds(tables, layouts) >= {"single", "number"} else []
    assembled, beside = assembly.tasks(names, coder.keys)
    repeated = assembly.n_scores - sum(int(task.scored.sum()) for task in assembled)
    if twice := repeated - assembly.n_contradictions:
        which = f"{how_many(twice, row)} {'repeats an earlier score' if twice == 1 else 'repeat earlier scores'}"
        said.append(Aside(f"{which}; each score counts once"))
    if layout.direction is None and not wishes.minus_one and "*" not in (wishes.tasks or ()):
        assembled, unmeasured = without_minus_one(assembled, wishes.tasks)
        said += unmeasured
    if wrong := assembly.n_contradictions:
        said.append(_left_out(wrong, sum(int(task.scored.sum()) for task in assembled) + repeated, row))
    if layout.repeated:
        said = [*coder.lost_runs(assembled), *said]
        instances, statistic = layout.instance is not None, wishes.statistic or Statistic()
        if layout.by_rows and coder.n_repeats() < 2:
            what = f"statistic={statistic.name!r} (--statistic) is over repeats, and no two rows are such"
            raise lacks(tables[0].name, f"{what}; name their column with {naming('repeat')}", tables[0].names)
        # a board numbers the repeats of each instance as they come
        runs = isinstance(coder.keys, RepeatedKeys) and coder.keys.are_runs and "repeat" not in tables[0].known
        assembled, number = _over_repeats(assembled, systems, statistic, instances=instances, runs=runs)
        beside = {
            name: _over_repeats(tasks, systems, Statistic(), instances=instances)[0] for name, tasks in beside.items()
        }
        what = statistic.name if statistic.name.startswith("pass") else f"the {statistic.name}"
        which = "rows with the same labels" if layout.repeat is None else f"column {layout.repeat!r}"
        said.append(Aside(f"each score is {what} of {number} ({which})"))
    check_clusters(assembled)
    families = coder.task_families()
    if beside or coder.directions or any(families):
        assembled = tuple(
            replace(
                task,
                higher_is_better=coder.directions.get(place, True),
                covariates={name: tasks[place].values for name, tasks in beside.items()},
                family=families[place],
            )
            for place, task in enumerate(assembled)
        )
    said += [*_nearly_alike("system", systems), *_nearly_alike("task", names)]
    return Scores(tuple(systems), assembled, notes=(*notes, *said))


def _left_out(count: int, given: int, what: str) -> str:
    """Say how many scores `keep_first` leaves out; warn if that is most of them."""
    which = f"1 {what} contradicts" if count == 1 else f"{count:,} {what}s contradict"
    note = f"{which} an earlier score and {'was' if count == 1 else 'were'} left out"
    if 2 * count > given:
        note += f", {rounded_percent(count / given)} of all; are they repeats? {naming('repeat')} keeps them"
        warn(note)
    return note


#: Hyphens, dashes and minus signs that look like "-".
_DASH = re.compile("[\u2010-\u2015\u2212]")


def _nearly_alike(kind: str, labels: Sequence[str]) -> list[str]:
    """A note on labels that differ only in case, blanks or forms of letters."""
    forms = (label if label.isascii() else _DASH.sub("-", normalize("NFKC", label)) for label in labels)
    bare = {label: "".join(form.casefold().split()) for label, form in zip(labels, forms, strict=True)}
    if len(set(bare.values())) == len(bare):
        return []
    first: dict[str, str] = {}
    pairs = [(first[name], label) for label, name in bare.items() if first.setdefault(name, label) != label]
    both = [" and ".join(map(repr if "".join(pair).isascii() else ascii, pair)) for pair in pairs]
    return [with_names(f"{kind}s with nearly one name, which count apart: ", both)]


def _over_repeats(
    tasks: Sequence[Task], systems: Sequence[str], statistic: Statistic, *, instances: bool, runs: bool = False
) -> tuple[tuple[Task, ...], str]:
    """Return tasks with one score for each instance, of several with the same label; and how many, in words.

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
        values = task.values
        repeats = stacked(values.astype(np.float64), place)
        try:
            scores = statistic.of(repeats).astype(values.dtype, copy=False)
        except WrongRepeatsError as error:
            where = f"task {task.name!r}, system {systems[error.system]!r}"
            where += f", instance {str(labels[first][error.instance])!r}" if instances else ""
            raise InputError(f"{where}: {error}") from None
        number = np.count_nonzero(~np.isnan(repeats), axis=2)
        if number.any():
            least, most = min(least, int(number[number > 0].min())), max(most, int(number.max()))
        _check_same(task, place, first)
        details = {
            "instances": labels[first] if instances else None,
            "instance_weights": None if task.instance_weights is None else task.instance_weights[first],
            "clusters": None if task.clusters is None else task.clusters.take(first),
            "repeats": Repeats.of(repeats.astype(values.dtype, copy=False), statistic, runs=runs),
        }
        made.append(task.with_values(scores, **details))
    return tuple(made), how_many(1, "repeat") if least == most == 1 else f"{span(min(least, most), most)} repeats"


def _check_same(task: Task, place: NDArray[np.int64], first: NDArray[np.int64]) -> None:
    """Refuse an instance whose repeats have different weights or clusters."""
    clusters = None if task.clusters is None else task.clusters.numbers
    for what, values in (("weights", task.instance_weights), ("clusters", clusters)):
        if values is not None and (wrong := values != values[first][place]).any():
            label = "" if task.instances is None else f", instance {str(task.instances[wrong][0])!r}"
            raise InputError(f"task {task.name!r}{label}: its repeats have different {what}; give the instance one")


def _what_ids_number(scores: Scores, layout: Layout, wishes: Wishes) -> str | None:
    """Return what a column of instances, by its name, only numbers: the rows, one per system, or the tasks."""
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


def _seeds(table: SourceTable, layout: Layout) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield columns that may number repeats, by their names, as roles, and what is to be said if they do."""
    used = {*layout.used} - {*layout.tasks}
    for column in table.columns:
        if column.name not in used and column.kind in _LABELS and numbers_repeats(column.name):
            assumed = (
                f"column {column.name!r} tells rows of a system apart, so these are repeats; to keep only the first: "
            )
            yield Assumed(f"{assumed}keep_first=True (--keep-first)"), {"repeat": column.name}


def _read_with_roles(
    tables: Sequence[SourceTable],
    wishes: Wishes,
    more: Mapping[str, str],
    notes: Sequence[str] = (),
    progress: Progress | None = None,
) -> tuple[list[Layout], bool, Scores] | None:
    """Read tables as if columns had these roles as well; None if they make no sense then, or rows still contradict."""
    try:
        layouts, wanted, ours = find_layouts(tables, replace(wishes, columns={**wishes.columns, **more}))
        scores = _read_scores(tables, layouts, wanted, notes, progress)
        if scores is not None and "instance" in more:
            _refuse_unshared(scores, tables[0].name, layouts[0], wanted)
    except PodiumError:
        return None
    return None if scores is None else (layouts, ours, scores)


def _contradictions(tables: Sequence[SourceTable], layouts: Sequence[Layout], wishes: Wishes) -> InputError:
    """Error: some rows contradict others. It shows the first ones, and what they may be instead."""
    coder, assembly = _read_rows(tables, layouts, stop=False)
    scores: dict[Cell, list[tuple[Any, SourceTable, int]]] = {cell: [] for cell in assembly.contradictions}
    as_text = isinstance(coder.instances, TextKeys)
    again = Coder(tables, layouts, dtype=coder.dtype, as_text=as_text, large=False)
    for number, start, rows in again.batches():
        for cell, found in scores.items():
            found += [(rows.scores[row], tables[number], start + rows.place(row)) for row in rows.scored(cell)]
    others = {cell: iter([one for one in found if one[0] != found[0][0]]) for cell, found in scores.items()}
    lines = [
        f"  {_cell_in_words(cell, again)}: {' and '.join(_score_and_place(*one) for one in pair)}"
        for cell, pair in ((cell, (scores[cell][0], next(others[cell]))) for cell in assembly.contradictions)
    ]
    if (count := assembly.n_contradictions) > SHOWN:
        lines.append(f"  and {count - SHOWN:,} more")
    what = "1 score contradicts an earlier score" if count == 1 else f"{count:,} scores contradict earlier scores"
    offers = _advice(
        tables[0], layouts[0], lambda more: _read_with_roles(tables, replace(wishes, statistic=None), more) is not None
    )
    offers = [f", or{',' if one.startswith('if') else ''} {one}" for one in offers]
    cure = f"keep one score of each pair{''.join(offers)}, or always keep the first with keep_first=True (--keep-first)"
    cure += "".join(f"; {note}" for note in again.respelled())
    return InputError("\n".join([f"{what}:", *lines, cure]))


def _advice(table: SourceTable, layout: Layout, works: Callable[[Mapping[str, str]], bool]) -> list[str]:
    """Say what else rows may be, each with what to type: only what works, and of each kind what works first."""
    free = {one.name: one for one in table.columns if one.name not in layout.used and one.kind in _LABELS}
    parts = [name for name in free if folded(name) in _PARTS] if layout.task is not None else []
    ids = [name for name in free if folded(name) in USUAL["instance"] or folded(name).endswith("_id")]
    numbered = [name for name in free if numbers_repeats(name)]
    others = [name for name in free if name not in {*parts, *ids}]
    texts = [name for name in others if free[name].kind == "text" and not described(free[name])]
    named_by, system = [str(layout.task), *layout.parts, *parts], f"system {len(layout.systems) + 1}"
    divide = f"if {shown(parts)} divide{'s' if len(parts) == 1 else ''} tasks, use {naming('task', named_by)}"
    offers: list[list[tuple[Mapping[str, str], str]]] = [
        [({f"task {number}": name for number, name in enumerate(named_by[1:], start=2)}, divide)] if parts else [],
        [
            ({"instance": one}, f"if rows are instances, use {naming('instance', one)}")
            for one in ids
            if layout.instance is None
        ],
        [
            (
                {system: one},
                f"if column {one!r} is part of the name of a system, use {naming('system', [*layout.systems, one])}",
            )
            for one in texts
            if one not in numbered
        ],
        [
            ({"repeat": one}, f"if column {one!r} numbers repeats, use {naming('repeat', one)}")
            for one in others
            if layout.repeat is None and (one in texts or described(free[one]))
        ],
    ]
    found = [next((said for roles, said in some if works(roles)), "") for some in offers]
    if layout.repeat is None and not any(found):
        folds = sorted(numbered, key=lambda name: "fold" not in folded(name))  # all systems have the same
        pairs = permutations([*ids, *folds, *filter(None, (layout.instance,))], 2)
        both = (({"instance": one, "repeat": other}, one, other) for one, other in pairs)
        pair = next(
            (
                f"use {naming('instance', one)} and {naming('repeat', other)}"
                for roles, one, other in both
                if works(roles)
            ),
            "",
        )
        found.append(pair)
    if layout.repeat is None:
        found.append("average them with statistic='mean' (--statistic mean)")
    return [one for one in found if one]


#: Number of letters of a label that are shown.
_LONGEST = 60


def _cell_in_words(cell: Cell, coder: Coder) -> str:
    """A cell in words, with labels shortened if they are long."""
    task, system, key = cell
    labels = {"task": coder.task_names()[task], "system": coder.systems.names[system]}
    if coder.keys is not None and not isinstance(coder.keys, RepeatedKeys):
        labels["instance"] = coder.keys.label(key)
    shortened = {what: one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…" for what, one in labels.items()}
    named = ", ".join(f"{what} {one!r}" for what, one in shortened.items())
    return f"{named}, {coder.keys.label(key)}" if isinstance(coder.keys, RepeatedKeys) else named


def _score_and_place(score: Any, table: SourceTable, row: int) -> str:
    """A score with all its digits, and where it stands."""
    return f"{str(score + 0.0).removesuffix('.0')} ({table.name}, {table.where(row)})"
