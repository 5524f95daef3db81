"""Rows with the same labels: repeats, of which one score is made; or contradictions, which are an error."""

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.arrays import Ints
from podium.base.errors import InputError
from podium.base.words import Aside, beginning, how_many, span
from podium.score.repeat import Repeats, Statistic, WrongRepeatsError, stacked
from podium.score.task import Task
from podium.source.assembly import SHOWN, Assembly, Cell
from podium.source.coder import Coder
from podium.source.descriptor import described
from podium.source.labels import MOST_REPEATS, SEPARATOR, RepeatedKeys, TextKeys
from podium.source.recognise import Layout
from podium.source.table import LABEL_KINDS, USUAL, SourceTable, folded, lacks, naming, numbers_repeats, shown

if TYPE_CHECKING:
    from podium.source.distributed import Distributed

#: Names of columns that may divide tasks; used only if the caller says so.
_PARTS = ("split", "subset", "hf_subset", "subtask", "subject", "config", "setting", "language", "lang", "domain")

#: Letters of a label that are shown.
_LONGEST = 60


def repeats_as_scores(
    tasks: Sequence[Task],
    covariates: Mapping[str, Sequence[Task]],
    *,
    statistic: Statistic | None,
    coder: Coder,
    table: SourceTable,
    layout: Layout,
) -> tuple[tuple[Task, ...], dict[str, tuple[Task, ...]], str]:
    """Return tasks and covariates with one score for each instance, of several repeats; and a note on how.

    Parameters
    ----------
    tasks, covariates
        Scores of all repeats, and what was measured beside them.
    statistic
        Of the scores, by default the mean, as of covariates.
    coder, table, layout
        How the rows were read, and the first table.

    Raises
    ------
    InputError
        There are no repeats, or the statistic cannot be taken of some.
    """
    statistic = statistic or Statistic()
    if layout.by_rows and coder.n_repeats() < 2:
        what = f"statistic={statistic.name!r} (--statistic) is over repeats, and no two rows are such"
        raise lacks(table.name, f"{what}; name their column with {naming('repeat')}", table.names)
    systems, instances = coder.systems.names, layout.instance is not None
    # a board numbers the repeats of each instance as they come
    runs = isinstance(coder.keys, RepeatedKeys) and coder.keys.are_runs and "repeat" not in table.known
    made, number = _over_repeats(tasks, systems, statistic, instances=instances, runs=runs)
    if layout.prompt is not None and isinstance(coder.keys, RepeatedKeys):
        pairs = zip(tasks, made, coder.keys.codes, strict=True)
        made = tuple(_by_prompt(*pair, coder.keys.repeats.names, statistic) for pair in pairs)
        number = span(*(end(len(task.repeats.labels) for task in made if task.repeats) for end in (min, max)))
        number += f" prompts{'' if layout.repeat is None else ', each over repeats'}"
    means = {name: _over_repeats(own, systems, Statistic(), instances=instances)[0] for name, own in covariates.items()}
    what = statistic.name if statistic.name.startswith("pass") else f"the {statistic.name}"
    column = layout.prompt or layout.repeat
    which = "rows with the same labels" if column is None else f"column {column!r}"
    return made, means, Aside(f"each score is {what} of {number} ({which})")


def _over_repeats(
    tasks: Sequence[Task], systems: Sequence[str], statistic: Statistic, *, instances: bool, runs: bool = False
) -> tuple[tuple[Task, ...], str]:
    """Return tasks with one score for each instance, of several with the same label; and how many, in words.

    The order of repeats counts if they are `runs`.
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


def _by_prompt(rows: Task, task: Task, codes: Ints, names: Sequence[str], statistic: Statistic) -> Task:
    """Return a task with the mean over prompts for each instance, kept with the label of each prompt.

    Rows have a column for each instance, prompt and repeat, in this order; the `names` of their codes say which.
    """
    of: Any = rows.instances
    instance = np.concatenate(([0], np.cumsum(of[1:] != of[:-1])))
    told = np.array([names[code].partition(SEPARATOR)[0] for code in range(len(names))], dtype=object)[codes]
    labels = sorted(set(told.tolist()))
    values = np.full((*task.values.shape, len(labels)), np.nan)
    for number, label in enumerate(labels):
        some = told == label
        there, place = np.unique(instance[some], return_inverse=True)
        values[:, there, number] = statistic.of(stacked(rows.values[:, some].astype(np.float64), place))
    kept = Repeats(values, Statistic(), tuple(labels))
    details = {name: getattr(task, name) for name in ("instances", "instance_weights", "clusters")}
    return task.with_values(Statistic().of(values), repeats=kept, **details)


def _check_same(task: Task, place: Ints, first: Ints) -> None:
    """Refuse an instance whose repeats have different weights or clusters."""
    clusters = None if task.clusters is None else task.clusters.numbers
    for what, values in (("weights", task.instance_weights), ("clusters", clusters)):
        if values is not None and (wrong := values != values[first][place]).any():
            label = "" if task.instances is None else f", instance {str(task.instances[wrong][0])!r}"
            raise InputError(f"task {task.name!r}{label}: its repeats have different {what}; give the instance one")


def contradiction_error(
    tables: Sequence[SourceTable],
    layouts: Sequence[Layout],
    coder: Coder,
    assembly: "Assembly | Distributed",
    works: Callable[[Mapping[str, str]], bool],
) -> InputError:
    """Return the error, with the first scores that contradict each other, and what they may be instead.

    Parameters
    ----------
    tables, layouts, coder, assembly
        All rows, and how they were read.
    works
        Whether tables can be read if columns have these roles, too.
    """
    as_text = isinstance(coder.instances, TextKeys)
    again = Coder(tables, layouts, dtype=coder.dtype, as_text=as_text, large=False)
    cells = assembly.contradictions if isinstance(assembly, Assembly) else assembly.cells(again)
    scores: dict[Cell, list[tuple[Any, SourceTable, int]]] = {cell: [] for cell in cells}
    for number, start, rows in again.batches():
        for cell, found in scores.items():
            found += [(rows.scores[row], tables[number], start + rows.place(row)) for row in rows.scored(cell)]
    others = {cell: iter([one for one in found if one[0] != found[0][0]]) for cell, found in scores.items()}
    lines = []
    for cell in cells:  # which may be there several times
        first, other = scores[cell][0], next(others[cell])
        lines.append(f"  {_cell_in_words(cell, again)}: {_score_and_place(*first)} and {_score_and_place(*other)}")
    if (count := assembly.n_contradictions) > SHOWN:
        lines.append(f"  and {count - SHOWN:,} more")
    what = "1 score contradicts an earlier score" if count == 1 else f"{count:,} scores contradict earlier scores"
    offers = [f", or{',' if one.startswith('if') else ''} {one}" for one in _advice(tables[0], layouts[0], works)]
    cure = f"keep one score of each pair{''.join(offers)}, or always keep the first with keep_first=True (--keep-first)"
    cure += "".join(f"; {note}" for note in again.respelled())
    return InputError("\n".join([f"{what}:", *lines, cure]))


def _advice(table: SourceTable, layout: Layout, works: Callable[[Mapping[str, str]], bool]) -> list[str]:
    """Say what else rows may be, each with what to type: only what works, and of each kind what works first."""
    free = {one.name: one for one in table.columns if one.name not in layout.used and one.kind in LABEL_KINDS}
    nameless = free.pop("", None)
    parts = [name for name in free if folded(name) in _PARTS] if layout.task is not None else []
    ids = [name for name in free if folded(name) in USUAL["instance"] or folded(name).endswith("_id")]
    numbered = [name for name in free if numbers_repeats(name)]
    others = [name for name in free if name not in {*parts, *ids}]
    texts = [name for name in others if free[name].kind == "text" and not described(free[name])]
    kinds = [one for one in texts if layout.task is None and one not in numbered]
    named_by, system = [str(layout.task), *layout.parts, *parts], f"system {len(layout.systems) + 1}"
    divide = f"if {shown(parts)} divide{'s' if len(parts) == 1 else ''} tasks, use {naming('task', named_by)}"
    prompts = [] if layout.prompt else [one for one in free if "prompt" in folded(one) or "template" in folded(one)]
    rows = [one for one in (*ids, *others) if layout.instance is None and one not in numbered]
    more = {one: naming("system", [*layout.systems, one]) for one in texts if one not in numbered}
    repeats = [one for one in others if layout.repeat is None and (one in texts or described(free[one]))]
    repeats = [one for one in repeats if one not in kinds]
    offers: list[list[tuple[Mapping[str, str], str]]] = [
        [({f"task {number}": name for number, name in enumerate(named_by[1:], start=2)}, divide)] if parts else [],
        [({"prompt": one}, f"if column {one!r} names prompts, use {naming('prompt', one)}") for one in prompts],
        [({"task": one}, f"if column {one!r} names tasks, use {naming('task', one)}") for one in kinds],
        [({"instance": one}, f"if rows are instances, use {naming('instance', one)}") for one in rows],
        [({system: one}, f"if column {one!r} is part of the name of a system, use {how}") for one, how in more.items()],
        [({"repeat": one}, f"if column {one!r} numbers repeats, use {naming('repeat', one)}") for one in repeats],
    ]
    found = [next((said for roles, said in some if works(roles)), "") for some in offers]
    if layout.repeat is None and not any(found):
        folds = sorted(numbered, key=lambda name: "fold" not in folded(name))  # all systems have the same
        pairs = permutations([*ids, *folds, *filter(None, (layout.instance,))], 2)
        pair = next((pair for pair in pairs if works(dict(zip(("instance", "repeat"), pair, strict=True)))), None)
        found += [] if pair is None else [f"use {naming('instance', pair[0])} and {naming('repeat', pair[1])}"]
    if nameless is not None:
        found.append("if the column without a name matters, give it one")
    if layout.repeat is None:
        found.append("average them with statistic='mean' (--statistic mean)")
    return [one for one in found if one]


def _cell_in_words(cell: Cell, coder: Coder) -> str:
    task, system, key = cell
    labels = {"task": coder.task_names()[task], "system": coder.systems.names[system]}
    if coder.keys is not None and not isinstance(coder.keys, RepeatedKeys):
        labels["instance"] = coder.keys.label(key)
    named = ", ".join(f"{what} {beginning(one, _LONGEST)!r}" for what, one in labels.items())
    return f"{named}, {coder.keys.label(key)}" if isinstance(coder.keys, RepeatedKeys) else named


def _score_and_place(score: Any, table: SourceTable, row: int) -> str:
    return f"{str(score + 0.0).removesuffix('.0')} ({table.name}, {table.where(row)})"
