"""Scores and difficulties of the same instances: what has both, and what lacks one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.errors import InputError
from podium.base.words import LONG, few, how_many, with_names
from podium.difficulty.result import Difficulty, Hard
from podium.score.table import Scores
from podium.score.task import Task, with_instances
from podium.score.units import instance_set, numbered


@dataclass(frozen=True, slots=True, eq=False)
class RatedScores:
    """A score table whose every instance has a difficulty.

    Attributes
    ----------
    scores
        The table, without the instances that have none.
    values
        For each task the difficulty of its instances, `(K,)`; or, where every system has its own, `(N, K)`, NaN where
        it has none.
    name
        Of the measure.
    hard
        Whether low or high values are hard.
    difficulty
        What they were taken from; None where every system has its own.
    places
        For each task where its instances stand in it, `(K,)`; empty where every system has its own.
    notes
        What was left out.
    """

    scores: Scores
    values: tuple[Floats, ...]
    name: str
    hard: Hard
    difficulty: Difficulty | None
    places: tuple[NDArray[np.int64], ...]
    notes: tuple[str, ...]

    @property
    def own(self) -> bool:
        """Return whether every system has difficulties of its own."""
        return self.values[0].ndim == 2


def rate(scores: Scores, difficulty: Difficulty, measure: str | None = None, *, strict: bool = False) -> RatedScores:
    """Find the difficulty of every instance, by task and label.

    Parameters
    ----------
    scores
        The table. Instances without labels are numbered from 0.
    difficulty, measure
        Difficulties, and which of its measures.
    strict
        Whether to refuse instances without difficulty, and difficulties without an instance, which are otherwise left
        out and named.

    Raises
    ------
    InputError
        No instance has a difficulty; or, if strict, some have none.
    LabelError
        There is no such measure.

    Examples
    --------
    >>> import podium
    >>> from podium.difficulty.result import Measure
    >>> scores = podium.from_arrays({"t": [[1, 0, 1]]}, instances=["a", "b", "c"])
    >>> bias = Difficulty(np.array(["c", "a"]), (Measure("bias", np.array([0.2, 0.7]), "low"),))
    >>> rate(scores, bias).values
    (array([0.7, 0.2]),)
    """
    chosen = difficulty.measure(measure)
    found, said = _found(scores, difficulty, chosen.values)
    kept = [np.flatnonzero(places >= 0) for places in found]
    used = np.zeros(len(difficulty), dtype=np.bool_)
    for places in found:
        used[places[places >= 0]] = True
    if not used.any():
        raise _nothing_in_common(chosen.name, scores, difficulty)
    spare = np.flatnonzero(~np.isnan(chosen.values) & ~used)
    notes = [*_lacking(chosen.name, scores.tasks, found), *_spare(chosen.name, difficulty, spare)]
    if strict and (said or notes):
        raise InputError(f"{'; '.join([*said, *notes])}; correct the tables, or do not ask for strictness")
    return RatedScores(
        _restricted(scores, kept),
        tuple(chosen.values[places[rows]] for places, rows in zip(found, kept, strict=True) if rows.size),
        chosen.name,
        chosen.hard,
        difficulty,
        tuple(places[rows] for places, rows in zip(found, kept, strict=True) if rows.size),
        (*difficulty.notes, *said, *notes),
    )


def values_of(scores: Scores, difficulty: Difficulty, measure: str | None = None) -> tuple[Floats, ...]:
    """For each task, shape `(K,)`: the difficulty of its instances, found as `rate` does; NaN where there is none.

    Raises
    ------
    LabelError
        There is no such measure.
    """
    values = difficulty.measure(measure).values
    found, _ = _found(scores, difficulty, values)
    return tuple(np.where(places >= 0, values[places], np.nan) for places in found)


def own_values_of(scores: Scores, confidences: Scores) -> tuple[Floats, ...]:
    """For each task, shape `(N, K)`: how sure each system was of each instance; NaN where it has no score or no value.

    Raises
    ------
    InputError
        They have nothing in common, or a confidence is not from 0 to 1.
    """
    single = len(scores.tasks) == len(confidences.tasks) == 1
    by_name = {task.name: task for task in confidences.tasks}
    values = []
    for task in scores.tasks:
        other = confidences.tasks[0] if single else by_name.get(task.name)
        own = np.full((len(scores.systems), task.n_instances), np.nan)
        if other is not None:
            rows = [place for place, system in enumerate(scores.systems) if system in confidences.systems]
            places = places_of(_labels(task), _labels(other))
            columns = [confidences.systems.index(scores.systems[row]) for row in rows]
            cells = np.ix_(np.array(columns, dtype=np.int64), places.clip(0))
            own[rows] = np.where(places >= 0, other.values[cells], np.nan)
        own[np.isnan(task.values)] = np.nan
        values.append(own)
    for task, own in zip(scores.tasks, values, strict=True):
        for row, column in np.argwhere((own < 0) | (own > 1)).tolist():
            raise InputError(
                f"task {task.name!r}, system {scores.systems[row]!r}, instance {str(_labels(task)[column])!r}: a "
                f"confidence is {own[row, column]:g}; it must be a probability, from 0 to 1"
            )
    if all(np.isnan(own).all() for own in values):
        raise InputError("no score has a confidence; systems, tasks and instances must have the same names in both")
    return tuple(values)


def rate_by_own(scores: Scores, confidences: Scores, *, strict: bool = False) -> RatedScores:
    """Take the confidence of each system in its own answers for what is hard: high values are [MA21, WMProb].

    Parameters
    ----------
    scores, confidences
        Tables of the same systems and instances; of the same tasks, or one task each.
    strict
        Whether to refuse scores without confidence, which are otherwise left out.

    Raises
    ------
    InputError
        They have no system, task or instance in common; a confidence is not from 0 to 1; or, if strict, some scores
        have none.
    """
    values = own_values_of(scores, confidences)
    without = scores.n_scored - sum(int(np.count_nonzero(~np.isnan(own))) for own in values)
    note = f"left out: {without:,} of {how_many(scores.n_scored, 'score')} without a confidence"
    if strict and without:
        raise InputError(f"{note}; correct the tables, or do not ask for strictness")
    kept = [np.flatnonzero(~np.isnan(own).all(axis=0)) for own in values]
    return RatedScores(
        _restricted(scores, kept),
        tuple(own[:, rows] for own, rows in zip(values, kept, strict=True) if rows.size),
        "confidence",
        "high",
        None,
        (),
        (note,) if without else (),
    )


def places_of(labels: NDArray[Any], among: NDArray[Any]) -> NDArray[np.int64]:
    """Shape `(K,)`: where each label stands among others, which are distinct; −1 where it does not.

    Whole numbers and text are compared as text where only one side is text.

    >>> places_of(np.array([1, 2, 3]), np.array(["3", "1"]))
    array([ 1, -1,  0])
    """
    numbers = labels.dtype.kind in "iu" and among.dtype.kind in "iu"
    known, wanted = (one.tolist() if numbers else list(map(str, one.tolist())) for one in (among, labels))
    places = {label: place for place, label in enumerate(known)}
    return np.array([places.get(label, -1) for label in wanted], dtype=np.int64)


def _labels(task: Task) -> NDArray[Any]:
    return np.arange(task.n_instances) if task.instances is None else task.instances


def _found(scores: Scores, difficulty: Difficulty, values: Floats) -> tuple[list[NDArray[np.int64]], list[str]]:
    """For each task, shape `(K,)`: the row of a difficulty that has a value of each instance, or −1; and notes."""
    known, said = np.flatnonzero(~np.isnan(values)), []
    if difficulty.tasks is None:
        of_task = dict.fromkeys(scores.task_names, known)
        several = len(scores.tasks) > 1 and len({instance_set(task) for task in scores.tasks}) == 1
        alike = several and scores.tasks[0].n_instances > 1 and not numbered(scores.tasks[0].instances)
        if len(scores.tasks) > 1 and not alike:  # values may be of one task only
            taken = "the difficulty names no tasks, so a value counts for its label in every task"
            said = [f"{taken}; add a column of tasks if values are of one task"]
    else:
        names = difficulty.tasks[known].astype(np.dtypes.StringDType())
        of_task = {name: known[names == name] for name in dict.fromkeys(names.tolist())}
        if len(of_task) == len(scores.tasks) == 1 and scores.tasks[0].name not in of_task:
            ((name, only),) = of_task.items()
            of_task = {scores.tasks[0].name: only}
            said = [f"the difficulties of task {name} are used for task {scores.tasks[0].name}"]
    found = []
    for task in scores.tasks:
        rows = of_task.get(task.name, known[:0])
        places = places_of(_labels(task), difficulty.instances[rows])
        found.append(np.where(places >= 0, rows[places], -1) if rows.size else places)
    return found, said


def _nothing_in_common(name: str, scores: Scores, difficulty: Difficulty) -> InputError:
    ours, theirs = _some(_labels(scores.tasks[0])), _some(difficulty.instances)
    if difficulty.tasks is not None:
        ours += f" of {few([*map(repr, scores.task_names)])}"
        theirs += f" of {few([*map(repr, dict.fromkeys(map(str, difficulty.tasks.tolist())))])}"
    return InputError(
        f"no instance of the scores has a value of {name}: they are called {ours}, those of the difficulty {theirs}; "
        "name the columns of instances and tasks"
    )


def _some(labels: NDArray[Any]) -> str:
    return few([repr(str(label)) for label in labels[:4].tolist()]) + (", …" if labels.size > 4 else "")


def _lacking(name: str, tasks: Sequence[Task], found: Sequence[NDArray[np.int64]]) -> list[str]:
    """Say which tasks and instances have no difficulty."""
    notes = []
    pairs = list(zip(tasks, found, strict=True))
    if bare := [task.name for task, places in pairs if (places < 0).all()]:
        notes.append(with_names(f"left out: {how_many(len(bare), 'task')} without any {name} (", bare, ")", room=LONG))
    gaps = [(task, places < 0) for task, places in pairs if (places < 0).any() and not (places < 0).all()]
    if number := sum(int(without.sum()) for _, without in gaps):
        several = len(tasks) > 1
        first = [
            str(label) + (f" of {task.name}" if several else "")
            for task, without in gaps
            for label in _labels(task)[without][:5].tolist()
        ]
        lacking = f"left out: {how_many(number, 'instance')} without {name} ("
        notes.append(with_names(lacking, first, ")", total=number, room=LONG))
    return notes


def _spare(name: str, difficulty: Difficulty, rows: NDArray[np.int64]) -> list[str]:
    """Say which difficulties are of no instance."""
    if not rows.size:
        return []
    first = rows[:5].tolist()
    of = ["" if difficulty.tasks is None else f" of {difficulty.tasks[row]}" for row in first]
    shown = [f"{difficulty.instances[row]}{task}" for row, task in zip(first, of, strict=True)]
    unused = f"not used: {how_many(rows.size, 'value')} of {name} for unknown instances ("
    return [with_names(unused, shown, ")", total=rows.size, room=LONG)]


def _restricted(scores: Scores, kept: Sequence[NDArray[np.int64]]) -> Scores:
    """Keep some instances of each task, and the tasks that are left with any."""
    tasks = []
    for task, rows in zip(scores.tasks, kept, strict=True):
        if rows.size == task.n_instances:
            tasks.append(task)
        elif rows.size:
            left = with_instances(task, np.isin(np.arange(task.n_instances), rows))
            tasks.append(replace(left, instances=_labels(task)[rows], repeats=None, covariates={}))
    return replace(scores, tasks=tuple(tasks))
