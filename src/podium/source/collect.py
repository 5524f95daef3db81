"""From tables to `Scores`: find the roles of columns, read all rows, and say what was left out or assumed.

`_one_pass` puts all scores into cells, and `_scores_of` makes tasks of these. One pass is enough, unless rows show that
columns hold something else than it seemed. Then they are read again,

1. with text as the labels of instances, if these are not all integers (`_read_rows`);
2. as repeats, if they contradict each other, by each column that may number repeats (`_scores_or_repeats`);
3. without the column of instances, if that only numbers rows or tasks (`_without_row_numbers`);
4. to show in an error where they contradict each other, if they are no repeats (`_contradictions`).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from unicodedata import normalize

import numpy as np

from podium.base.cluster import in_force
from podium.base.errors import InputError, PodiumError, warn
from podium.base.parallel import Progress
from podium.base.words import Aside, Assumed, as_typed, few, how_many, rounded_percent, with_names
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import check_clusters
from podium.source.aggregate import Chosen, without_averages
from podium.source.assembly import Assembly
from podium.source.canonical import TEXT_INSTANCE, canonical_layouts, head
from podium.source.coder import Coder
from podium.source.descriptor import contents, is_cost, names_benchmarks
from podium.source.direction import SAYING, directed, higher_by, sounds_lower
from podium.source.labels import plain_text
from podium.source.number import to_numbers, without_minus_one
from podium.source.recognise import Layout, ReadSpec, Unused, check_same_layout, recognise, with_tasks
from podium.source.repeats import contradiction_error, repeats_as_scores
from podium.source.table import (
    LABEL_KINDS,
    USUAL,
    InstancesAreTextError,
    ReadPlan,
    RowError,
    SourceTable,
    folded,
    is_missing,
    located,
    naming,
    numbers_repeats,
    refuse_nested,
)

if TYPE_CHECKING:
    from podium.source.distributed import Distributed

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
    tables: Sequence[SourceTable],
    spec: ReadSpec,
    *,
    directions: Mapping[str, bool] = MappingProxyType({}),
    progress: Progress | None = None,
    notes: Sequence[str] = (),
) -> Scores:
    """Read tables that belong together.

    First all rows are read, by the roles that columns have. Then averages among tasks and systems are left out, and
    each task gets its direction.

    Parameters
    ----------
    tables, spec
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
    reading, scores = _without_row_numbers(*_scores_or_repeats(Reading.of(tables, spec, notes, progress)))
    layout, spec = reading.layouts[0], reading.spec
    if layout.instance is not None:
        _refuse_unshared(reading, scores)
    if layout.direction is not None:
        directions = {task.name: task.higher_is_better for task in scores.tasks}
    if reading.is_canonical:  # what podium wrote holds no averages that do not count
        scores = scores.select(tasks=spec.tasks, systems=spec.systems)
        return directed(scores, lower=spec.lower, higher=spec.higher, said=directions)
    where, wide, sure = tables[0].name, not layout.long, (*spec.lower, *spec.higher)
    chosen = without_averages(scores, where, tasks=spec.tasks, systems=spec.systems, sure=sure, selected=wide)
    if wide:
        _refuse_benchmarks(where, layout, spec, scores.systems)
    return _with_directions(chosen, layout, spec, directions)


@dataclass(frozen=True, slots=True)
class Reading:
    """Tables, and what their columns are taken for.

    Attributes
    ----------
    tables, spec
        What to read, and what the caller and the tables say about it.
    layouts
        The roles of the columns of each table.
    is_canonical
        Whether podium wrote the tables.
    notes, progress
        See `collect`.
    """

    tables: Sequence[SourceTable]
    spec: ReadSpec
    layouts: Sequence[Layout]
    is_canonical: bool
    notes: Sequence[str]
    progress: Progress | None

    @classmethod
    def of(cls, tables: Sequence[SourceTable], spec: ReadSpec, notes: Sequence[str], progress: Progress | None) -> Self:
        """Find the roles of the columns of all tables, and check them.

        Raises
        ------
        InputError, LabelError
            The tables cannot be read as scores.
        """
        canonical = canonical_layouts(tables, spec)
        if canonical is None:
            layouts = [_with_direction_column(table, recognise(table.name, table.columns, spec)) for table in tables]
        else:
            layouts, statistic = canonical
            spec = spec.over(statistic)
        check_same_layout([table.name for table in tables], layouts)
        # Columns of a wide table are tasks, and the others are not read; tasks of a long one are known once it is read.
        if not layouts[0].long:
            layouts = [_with_contents(table, layout) for table, layout in zip(tables, layouts, strict=True)]
            layouts = with_tasks(layouts, spec.tasks, (*spec.lower, *spec.higher))
        for table, layout in zip(tables, layouts, strict=True):
            refuse_nested(table, layout.used, ", or leave the column out with tasks= (--tasks)")
        return cls(tables, spec, layouts, canonical is not None, notes, progress)

    def kinds(self, names: Callable[[Layout], Iterable[str | None]]) -> set[str]:
        """Return the kinds of some columns, named by the layout of their table."""
        pairs = [(table, {*names(layout)}) for table, layout in zip(self.tables, self.layouts, strict=True)]
        return {column.kind for table, chosen in pairs for column in table.columns if column.name in chosen}

    @property
    def score_kinds(self) -> set[str]:
        """Return kinds of the columns of scores."""
        return self.kinds(lambda layout: (layout.score, *layout.tasks))


def _with_direction_column(table: SourceTable, layout: Layout) -> Layout:
    """Return the layout of a long table, with a column that says of each row what is better, if its words do."""
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
    """Return the layout of a wide table, with columns of text or dates among those that hold no scores."""
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


class ContradictionError(InputError):
    """Rows contradict each other; `repeats.py` says which."""


def _scores_or_repeats(reading: Reading) -> tuple[Reading, Scores]:
    """Read all rows; take those that contradict each other, or of which the caller says so, for repeats."""
    rows_are_repeats = reading.spec.statistic is not None and not reading.layouts[0].repeated
    if not rows_are_repeats:
        with suppress(ContradictionError):
            return reading, _scores_of(reading)
    used = {*reading.layouts[0].used} - {*reading.layouts[0].tasks}
    labels = [one.name for one in reading.tables[0].columns if one.kind in LABEL_KINDS and one.name not in used]
    for column in filter(numbers_repeats, labels):
        tells = f"column {column!r} tells rows of a system apart, so these are repeats; to keep only the first: "
        note = Assumed(f"{tells}keep_first=True (--keep-first)")
        found = _read_as(replace(reading, notes=[*reading.notes, note]), {"repeat": column})
        if found is not None:
            return found
    if not rows_are_repeats:
        raise _contradictions(reading)
    reading = replace(reading, layouts=[replace(layout, by_rows=True) for layout in reading.layouts])
    return reading, _scores_of(reading)


def _contradictions(reading: Reading) -> InputError:
    """Return the error, with several contradictions and the number of all: reading ended at the first."""
    coder, assembly = _read_rows(reading, stop=False)
    plain = replace(reading, spec=replace(reading.spec, statistic=None), notes=(), progress=None)
    return contradiction_error(
        reading.tables, reading.layouts, coder, assembly, lambda roles: _read_as(plain, roles) is not None
    )


def _read_as(reading: Reading, roles: Mapping[str, str]) -> tuple[Reading, Scores] | None:
    """Read tables as if columns had these roles as well; None if they make no sense then, or rows still contradict."""
    spec = replace(reading.spec, columns={**reading.spec.columns, **roles})
    try:
        reading = Reading.of(reading.tables, spec, reading.notes, reading.progress)
        scores = _scores_of(reading)
        if "instance" in roles:
            _refuse_unshared(reading, scores)
    except PodiumError:
        return None
    return reading, scores


def _without_row_numbers(reading: Reading, scores: Scores) -> tuple[Reading, Scores]:
    """Read all rows again without the column of instances, if that only numbers rows or tasks."""
    if (what := _what_ids_number(reading, scores)) is None:
        return reading, scores
    note = Aside(f"column {reading.layouts[0].instance!r} numbers the {what} and was left out")
    layouts = [replace(one, instance=None, cluster=None, notes=(*one.notes, note)) for one in reading.layouts]
    reading = replace(reading, layouts=layouts)
    return reading, _scores_of(reading)


def _what_ids_number(reading: Reading, scores: Scores) -> str | None:
    """Return what a column of instances, by its name, only numbers: the rows, one per system, or the tasks."""
    layout = reading.layouts[0]
    name = folded(layout.instance or "")
    if not (name in _ROW_NUMBERS or name.endswith("_id")) or {"score", "instance"} & {*reading.spec.columns}:
        return None
    if layout.task is not None and len(scores.tasks) > 1 and all(task.n_instances == 1 for task in scores.tasks):
        return "tasks"
    if len(scores.systems) < 2 or any(task.n_instances > len(scores.systems) for task in scores.tasks):
        return None
    scored = [~np.isnan(task.values) for task in scores.tasks]
    single = all((part.sum(axis=0) <= 1).all() and (part.sum(axis=1) <= 1).all() for part in scored)
    return "rows" if single else None


def _scores_of(reading: Reading) -> Scores:
    """Read all rows, make tasks of them, and say what became of rows and columns."""
    spec, layout = reading.spec, reading.layouts[0]
    coder, assembly = _read_rows(reading, stop=not spec.keep_first)
    if assembly.contradictions and not spec.keep_first:
        raise ContradictionError("rows contradict each other")
    tasks, covariates = assembly.tasks(coder.task_names(), coder.keys)
    notes = [*dict.fromkeys(note for one in reading.layouts for note in one.notes), *coder.notes()]
    notes += [_MIXED] if reading.score_kinds >= {"single", "number"} else []
    repeated, row = assembly.n_scores - _n_scores(tasks), "row" if layout.long else "cell"
    if twice := repeated - assembly.n_contradictions:
        notes.append(_counted_once(twice, row))
    if layout.direction is None and not spec.minus_one and "*" not in (spec.tasks or ()):
        tasks, unmeasured = without_minus_one(tasks, spec.tasks)
        notes += unmeasured
    if wrong := assembly.n_contradictions:
        notes.append(_left_out(wrong, _n_scores(tasks) + repeated, row))
    if layout.repeated:
        lost = coder.lost_runs(tasks)
        tasks, covariates, how = repeats_as_scores(
            tasks, covariates, statistic=spec.statistic, coder=coder, table=reading.tables[0], layout=layout
        )
        notes = [*lost, *notes, how]
    check_clusters(tasks)
    tasks = _with_details(tasks, covariates, coder)
    systems, names = tuple(coder.systems.names), [task.name for task in tasks]
    notes += [*_nearly_alike("system", systems), *_nearly_alike("task", names)]
    return Scores(systems, tasks, notes=(*reading.notes, *notes), human=layout.human or "")


def _n_scores(tasks: Sequence[Task]) -> int:
    return sum(int(task.scored.sum()) for task in tasks)


def _counted_once(count: int, what: str) -> Aside:
    """Say how many scores are given again."""
    which = f"{how_many(count, what)} {'repeats an earlier score' if count == 1 else 'repeat earlier scores'}"
    return Aside(f"{which}; each score counts once")


def _left_out(count: int, given: int, what: str) -> str:
    """Say how many scores `keep_first` leaves out; warn if that is most of them."""
    which = f"1 {what} contradicts" if count == 1 else f"{count:,} {what}s contradict"
    note = f"{which} an earlier score and {'was' if count == 1 else 'were'} left out"
    if 2 * count > given:
        note += f", {rounded_percent(count / given)} of all; are they repeats? {naming('repeat')} keeps them"
        warn(note)
    return note


def _with_details(tasks: tuple[Task, ...], covariates: Mapping[str, Sequence[Task]], coder: Coder) -> tuple[Task, ...]:
    """Return tasks with the directions and families that columns say, and what was measured beside scores."""
    families, higher = coder.task_families(), coder.directions
    if not covariates and not higher and not any(families):
        return tasks
    measured = [{name: own[number].values for name, own in covariates.items()} for number in range(len(tasks))]
    return tuple(
        replace(task, higher_is_better=higher.get(number, True), covariates=measured[number], family=families[number])
        for number, task in enumerate(tasks)
    )


#: Hyphens, dashes and minus signs that look like "-".
_DASH = re.compile("[\u2010-\u2015\u2212]")


def _nearly_alike(kind: str, labels: Sequence[str]) -> list[str]:
    """Return a note on labels that differ only in case, blanks or forms of letters."""
    forms = (label if label.isascii() else _DASH.sub("-", normalize("NFKC", label)) for label in labels)
    bare = {label: "".join(form.casefold().split()) for label, form in zip(labels, forms, strict=True)}
    if len(set(bare.values())) == len(bare):
        return []
    first: dict[str, str] = {}
    pairs = [(first[name], label) for label, name in bare.items() if first.setdefault(name, label) != label]
    both = [" and ".join(map(repr if "".join(pair).isascii() else ascii, pair)) for pair in pairs]
    return [with_names(f"{kind}s with nearly one name, which count apart: ", both)]


def _read_rows(reading: Reading, *, stop: bool) -> "tuple[Coder, Assembly | Distributed]":
    """Read all rows, or, if `stop`, until some contradict each other; labels of instances as integers, else as text."""
    kinds = reading.kinds(lambda layout: [layout.instance])
    if reading.layouts[0].instance != TEXT_INSTANCE and not kinds & {"text", "empty"}:
        with suppress(InstancesAreTextError):  # what was read so far is let go
            return _one_pass(reading, as_text=False, stop=stop)
    return _one_pass(reading, as_text=True, stop=stop)


def _one_pass(reading: Reading, *, as_text: bool, stop: bool) -> "tuple[Coder, Assembly | Distributed]":
    tables, layouts, progress = reading.tables, reading.layouts, reading.progress
    first, cluster = layouts[0], in_force()
    dtype = np.float32 if reading.score_kinds == {"single"} else np.float64
    expected = sum(table.n_rows * max(len(layout.tasks), 1) for table, layout in zip(tables, layouts, strict=True))
    if cluster is not None and expected > LARGE and _may_be_distributed(reading):
        from podium.source.distributed import read_on  # noqa: PLC0415  # only where there is a cluster

        return read_on(cluster, tables, layouts, as_text=as_text, dtype=dtype, progress=progress)
    coder = Coder(tables, layouts, dtype=dtype, as_text=as_text, large=expected > LARGE, progress=progress)
    covariates = list(dict.fromkeys(name for layout in layouts for name in layout.covariates))
    single = first.instance is None and not first.repeated
    assembly = Assembly(dtype, covariates=covariates, side_by_side=single, clusters=coder.clusters)
    for number, start, rows in coder.batches():
        with located(tables[number], start):
            assembly.add(rows, len(coder.systems))
        if stop and assembly.contradictions:
            break
    return coder, assembly


def _may_be_distributed(reading: Reading) -> bool:
    """Return whether workers can read tables: they have instances, each scored once, and columns of numbers alone."""
    first = reading.layouts[0]
    plain = not (first.repeated or any(layout.covariates for layout in reading.layouts))
    numbers = reading.score_kinds <= {"number", "single", "integer", "empty"}
    return first.instance is not None and plain and numbers and all(table.portable for table in reading.tables)


def _refuse_unshared(reading: Reading, scores: Scores) -> None:
    """Refuse a column of instances that was named, or of systems that was guessed, where systems share no instance."""
    where, layout, spec = reading.tables[0].name, reading.layouts[0], reading.spec
    column, guessed = layout.instance or "", folded(layout.system) not in USUAL["system"]
    if "instance" not in spec.columns and ("system" in spec.columns or layout.long or not guessed):
        return
    parts = (part for task in scores.tasks for part in task.parts)
    if len(scores.systems) < 2 or any((np.count_nonzero(~np.isnan(part), axis=0) > 1).any() for part in parts):
        return
    unshared = f"no two systems have a score on the same instance of column {column!r}, so nothing can be compared"
    if spec.minus_one:  # of logs, whose columns nobody names
        raise InputError(f"{where}: no two systems were run on the same instances; name logs of the same tasks")
    if "instance" in spec.columns:
        raise InputError(f"{where}: {unshared}; name another column with {naming('instance')}, or leave it out")
    turned = f"transpose=True, task_column={column!r} (--transpose --task-column {as_typed(column)})"
    cure = f"if columns are systems, say {turned}, else name the column of systems with {naming('system')}"
    raise InputError(f"{where}: column {layout.system!r} is taken for the systems, and {unshared}; {cure}")


def _refuse_benchmarks(where: str, layout: Layout, spec: ReadSpec, systems: Sequence[str]) -> None:
    """Refuse a wide table whose rows are named like benchmarks, unless their column says that they are systems."""
    if "system" in spec.columns or folded(layout.system) in USUAL["system"] or not names_benchmarks(systems):
        return
    named_so = f"say {naming('system', layout.system)}" if layout.system.strip() else "call their column 'system'"
    what = f"{where}: rows are named like benchmarks, as {few(list(systems), 3)}, so columns may be systems"
    raise InputError(f"{what}; if they are, say transpose=True (--transpose); if rows are systems, {named_so}")


def _with_directions(chosen: Chosen, layout: Layout, spec: ReadSpec, said: Mapping[str, bool]) -> Scores:
    """Return scores with the direction of each task, by what was `said` of it or by names of tasks and columns."""
    scores = chosen.scores
    given: dict[str, Any] = {"lower": spec.lower, "higher": spec.higher, "said": said, "averages": chosen.lower}
    if not layout.long:
        columns = dict.fromkeys(scores.task_names, "a score") | chosen.left_out | layout.aside
        return directed(scores, costs=set(filter(is_cost, scores.task_names)), columns=columns, **given)
    column = layout.score or ""
    by_column = layout.naming and layout.metric is None and (is_cost(column) or sounds_lower(column))
    return directed(scores, column=column if by_column else "", **given)
