"""Versions of a table in order of their dates, ranked one after the other."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.errors import InputError, LabelError
from podium.base.words import with_names
from podium.ranking.api import check_rankable
from podium.ranking.bootstrap import Bootstrap, replicates
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import degrees_of_freedom, own_df
from podium.ranking.method_spec import MethodSpec
from podium.ranking.result import Ranking
from podium.score.place import ROUNDING
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import LEAST_FREEDOM
from podium.source.labels import read_whole
from podium.source.memory import ScoresLike, as_scores
from podium.source.path import find_files, labels_of, matches, opened
from podium.source.table import USUAL, either, find_roles, lacks
from podium.store.place import place_of
from podium.timeline.shared import rows_of

#: Usual names of a column of dates.
DATES = (
    "date",
    "time",
    "timestamp",
    "created",
    "created_at",
    "released",
    "release_date",
    "submitted",
    "submission_date",
)


@dataclass(frozen=True, slots=True)
class Dates:
    """When systems appeared.

    Attributes
    ----------
    of
        By system, or by system and task: the date as text that sorts, such as "2026-03-01".
    """

    of: Mapping[tuple[str, str | None], str]

    @classmethod
    def of_systems(cls, given: Mapping[str, Any]) -> "Dates":
        """Take dates by system, as a dictionary or a series: dates, times, or texts in ISO form.

        >>> Dates.of_systems({"A": "2026-03-01"}).of
        {('A', None): '2026-03-01'}
        """
        if hasattr(given, "to_dict"):
            given = given.to_dict()
        if not isinstance(given, Mapping):
            raise InputError(f"dates are a dictionary {{system: date}}, not {type(given).__name__}")
        return cls({(str(system), None): as_date(when, f"system {system!r}") for system, when in given.items()})

    @classmethod
    def of_files(
        cls,
        sources: Sequence[str | Path],
        column: str | None = None,
        system_column: str | None = None,
        task_column: str | None = None,
    ) -> "Dates":
        """Read tables with columns of systems and of dates, and perhaps of tasks; the newest date of each counts.

        Raises
        ------
        InputError
            A table has no such columns, or a date makes no sense; the message says where.
        """
        found: dict[tuple[str, str | None], str] = {}
        for file in find_files(list(sources)).files:
            table = opened(file, None)
            names = [one.name for one in table.columns]
            words = {"date": DATES, "system": USUAL["system"], "task": USUAL["task"]}
            told = {"date": column, "system": system_column, "task": task_column}
            roles = find_roles(names, words, told)
            if missing := [role for role in ("system", "date") if role not in roles]:
                raise lacks(table.name, f"no column of {missing[0]}s, such as {either(words[missing[0]][:3])}", names)
            whole = read_whole(table, texts=list(roles.values()))
            tasks = whole.texts[roles["task"]] if "task" in roles else [None] * whole.n_rows
            rows = zip(whole.texts[roles["system"]], tasks, whole.texts[roles["date"]], strict=True)
            for row, (system, task, when) in enumerate(rows):
                if not system or not when:
                    continue
                key = (system, task)
                dated = as_date(when, whole.where(row))
                found[key] = max(found.get(key, dated), dated)
        return cls(found)

    def steps(self, scores: Scores) -> tuple[list[str], Iterator[Scores], list[str]]:
        """Return a step for each date: the table of what was there by then.

        A system without a date is there from the first step on, which a note says. Dates before two systems are there
        are one step with the first that has two.

        Raises
        ------
        InputError
            No system of the table has a date, or all have one.
        """
        known = {system for system, _ in self.of}
        without = [system for system in scores.systems if system not in known]
        notes = [with_names("no date, so there from the first step on: ", without)] if without else []
        strange = sorted(known - set(scores.systems))
        notes += [with_names("not used: dates of systems that the table does not have: ", strange)] if strange else []
        if len(without) == len(scores.systems):
            raise InputError(with_names("no system of the table has a date; its systems are ", list(scores.systems)))
        when = [  # for each system, the date of its scores on each task; empty where there is none
            [self.of.get((system, task), self.of.get((system, None), "")) for task in scores.task_names]
            for system in scores.systems
        ]
        labels = sorted({text for row in when for text in row if text})
        begun = sorted(min(row) for row in when if row)
        first = next((k for k, label in enumerate(labels) if begun[1:] and begun[1] <= label), len(labels) - 1)
        if first:
            notes.append(begins_at(labels[first]))
        labels = labels[first:]
        if len(labels) < 2:
            raise InputError(f"a history has two steps or more, and all systems have one date, {labels[0]}")
        return labels, (_by(scores, when, label) for label in labels), notes


def _by(scores: Scores, when: list[list[str]], label: str) -> Scores:
    """Return the systems and scores that were there by a date; tasks without a score are not there."""
    rows = [index for index, row in enumerate(when) if any(text <= label for text in row)]
    table = scores.take(rows)
    tasks = []
    for place, task in enumerate(table.tasks):
        late = np.array([when[row][place] > label for row in rows])
        if late.any():
            values = np.array(task.values, copy=True)
            values[late] = np.nan
            task = task.with_values(values)  # noqa: PLW2901  # the same task, earlier
        if task.scored.any():
            tasks.append(task)
    return replace(table, tasks=tuple(tasks))


def begins_at(label: str) -> str:
    """Say that earlier steps are left out."""
    return f"before {label} there were fewer than two systems, so the history begins there"


def as_date(given: Any, where: str) -> str:
    """Return a date as ISO text: the day, or the time in UTC.

    Raises
    ------
    InputError
        It is no date.

    Examples
    --------
    >>> as_date("2026-03-01", "system 'A'"), as_date("2026-03-01T12:30:00+02:00", "system 'A'")
    ('2026-03-01', '2026-03-01T10:30:00')
    """
    try:
        if isinstance(given, datetime):
            found = given
        elif isinstance(given, date):
            return given.isoformat()
        else:
            text = str(given).strip()
            if len(text) in {4, 7} and text[:4].isdigit():  # a year, or a month
                date.fromisoformat((text + "-01-01")[:10])
                return text
            found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"{where}: {str(given)!r} is no date; write dates as 2026-03-01") from None
    if found.tzinfo is not None:
        found = found.astimezone(UTC).replace(tzinfo=None)
    at_midnight = (found.hour, found.minute, found.second, found.microsecond) == (0, 0, 0, 0)
    return found.date().isoformat() if at_midnight else found.isoformat()


#: Which versions of a board are steps: each that changed scores, or the last one of each day or month.
Each = Literal["version", "day", "month"]

EACH: tuple[Each, ...] = get_args(Each)

#: A label, and the table of a step, what becomes one, or a function that returns one when it is wanted.
Step = tuple[str, ScoresLike | Callable[[], Scores]]


def steps_of(
    given: Any, dates: Dates | None = None, each: str | None = None, reading: Mapping[str, Any] | None = None
) -> tuple[list[str], Iterator[Scores], list[str]]:
    """Return labels of steps, their tables, each made when it is wanted, and what to know about them.

    Parameters
    ----------
    given
        A mapping from labels to tables, or a sequence of pairs of these; of a table and dates, the table; or a board.
    dates
        When systems, or their scores on tasks, appeared.
    each
        Of a board: "version" (by default), or the last one of each "day" or "month".
    reading
        How every table is read, see `podium.source.memory.ReadingOptions`.

    Raises
    ------
    InputError
        There are fewer than two steps, two of one label, or what is given are no steps.

    Examples
    --------
    >>> labels, tables, _ = steps_of({"May": {"A": {"t": 1.0}}, "June": {"A": {"t": 2.0}}})
    >>> labels, [table.n_scored for table in tables]
    (['May', 'June'], [1, 1])
    """
    reading = reading or {}
    if dates is not None:
        return dates.steps(as_scores(given, **reading))
    pairs, notes = _pairs(given, each, reading)
    labels = [label for label, _ in pairs]
    if twice := next((label for label in labels if labels.count(label) > 1), None):
        raise InputError(f"two steps are called {twice!r}; give each step a label of its own")
    if len(pairs) < 2:
        raise InputError(f"a history has two steps or more, and there {'is one' if pairs else 'are none'}")
    return labels, (_table(*pair, reading) for pair in pairs), notes


def _table(label: str, table: ScoresLike | Callable[[], Scores], reading: Mapping[str, Any]) -> Scores:
    """Return the table of a step; of a name that it has not, the error says which step it is."""
    try:
        return table() if callable(table) else as_scores(table, **reading)
    except LabelError as error:
        raise LabelError(f"{label}: {error}; the options count for every step") from error


def numbers_of(
    source: str | PathLike[str], each: str | None, as_of: str | None = None
) -> tuple[list[tuple[str, int]], list[str]] | None:
    """Labels and numbers of the versions of a board that are steps, and what to know; None where a source is none.

    Of a board, the last step is the newest version, or the one that `as_of` names.

    Raises
    ------
    LabelError
        There is no such way to choose.
    InputError
        It is none, although `each` is about boards.
    """
    if each is not None and each not in EACH:
        raise LabelError.unknown("way to choose versions of a board", str(each), EACH)
    place, found = place_of(source), None
    if place is not None:
        from podium.source.board import steps_of_board  # noqa: PLC0415  # loads Arrow, which few steps need

        found = steps_of_board(place, each or "version", as_of)
    if found is None and each is not None:
        raise InputError(f"each= (--each) is about the versions of a board, and {str(source)!r} is none; leave it out")
    if found is None:
        return None
    steps, early = found
    return steps, [begins_at(steps[0][0])] if steps and early else []


def runs_as_steps(scores: Scores) -> list[tuple[str, Scores]]:
    """Return the runs of one system as steps, oldest first, of logs that were read with `runs="apart"`.

    None if tools tell of no runs, of one, or of those of several systems.
    """
    found = [name.rpartition(" (") for name in scores.systems]
    if scores.origin is None or len(found) < 2 or len({system for system, _, _ in found}) > 1 or not found[0][1]:
        return []
    made: dict[str, str] = {}
    for (system, _), runs in scores.origin.runs.items():
        made[system] = max(made.get(system, ""), *(run.made for run in runs))
    order = sorted(range(len(found)), key=lambda row: made.get(scores.systems[row], ""))
    tables = [scores.take([row], [found[row][0]]) for row in order]
    tables = [replace(table, tasks=tuple(task for task in table.tasks if task.scored.any())) for table in tables]
    return [(found[row][2].removesuffix(")"), table) for row, table in zip(order, tables, strict=True)]


def too_few(path: str, *, logs: bool = False) -> InputError:
    """Make the error on a path that is one step, with what to type instead; `logs` are never a step each."""
    if logs:
        return InputError(
            f"a history has two steps or more, and {path} is one: put the logs of each date into a folder of its own, "
            "and name these, oldest first, as in podium history 2026-10/ 2026-11/; or choose one system that ran "
            "several times, with systems= (--systems)"
        )
    example = "months/*.csv"
    names = [one for one in Path(path).glob("*") if one.name[0] not in "._"]
    if len(names) > 1:
        endings = {"/" if one.is_dir() else "".join(one.suffixes[-1:]) for one in names}
        example = f"{path.rstrip('/')}/*{endings.pop() if len(endings) == 1 else ''}"
    return InputError(
        f"a history has two steps or more, and {path} is one: name several files or folders, oldest first, as in "
        f"podium history {example}; or say when systems appeared, with --date-column or --dates (dates=)"
    )


def _pairs(given: Any, each: str | None, reading: Mapping[str, Any]) -> tuple[list[Step], list[str]]:
    if isinstance(given, str | PathLike):
        numbers, paths = numbers_of(given, each), matches(str(given))
        if numbers is None and len(paths) > 1:
            return list(zip(labels_of(paths), paths, strict=True)), []
        table = partial(as_scores, str(given), **reading)
        if numbers is None:
            logs = table().origin is not None
            steps = runs_as_steps(table(runs="apart")) if logs else []
            if not steps:
                raise too_few(str(given), logs=logs)
            return list(steps), []
        return [(label, partial(table, as_of=number)) for label, number in numbers[0]], numbers[1]
    if each is not None:
        raise InputError("each= is about the versions of a board, and this is none; leave it out")
    if isinstance(given, Mapping):
        return [(str(label), table) for label, table in given.items()], []
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, Scores) else None
    if listed is None or not all(isinstance(one, tuple) and len(one) == 2 for one in listed):
        if not listed or not all(isinstance(one, str | PathLike) for one in listed):
            raise InputError("steps are a dictionary {label: table}, or a list of (label, table); or name dates=")
        every = [path for one in listed for path in matches(str(one))]
        return list(zip(labels_of(every), every, strict=True)), []
    return [(str(label), table) for label, table in listed], []


class Joined:
    """All tasks seen so far: scores on a task that was retired stay, and what was never run is missing."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[tuple[str, ...], Task]] = {}

    def add(self, scores: Scores) -> Scores:
        """Return the table of the next step, with the tasks that earlier ones had."""
        retired = [name for name in self._seen if name not in scores.task_names]
        tasks = list(scores.tasks)
        for name in retired:
            systems, task = self._seen[name]
            again = _rows_of(task, systems, scores.systems)
            if again.scored.any():
                tasks.append(again)
        for task in scores.tasks:
            self._seen[task.name] = self._with_earlier(task, scores.systems)
        return replace(scores, tasks=tuple(tasks))

    def _with_earlier(self, task: Task, systems: tuple[str, ...]) -> tuple[tuple[str, ...], Task]:
        """The task with rows of systems that were in earlier steps and are gone, if its instances are the same."""
        if task.name not in self._seen:
            return systems, task
        known, earlier = self._seen[task.name]
        gone = tuple(system for system in known if system not in systems)
        same = earlier.n_instances == task.n_instances and np.array_equal(_labels(earlier), _labels(task))
        if not gone or not same:
            return systems, task
        values = np.concatenate([task.values, _rows_of(earlier, known, gone).values])
        return (*systems, *gone), task.with_values(values)


def _labels(task: Task) -> Any:
    return np.arange(task.n_instances) if task.instances is None else task.instances


def _rows_of(task: Task, known: tuple[str, ...], systems: tuple[str, ...]) -> Task:
    """Return the task with the rows of some systems; missing where it does not have them."""
    there = [system for system in systems if system in known]
    values = np.full((len(systems), task.n_instances), np.nan, dtype=task.parts[0].dtype)
    values[rows_of(systems, there)] = task.values[rows_of(known, there)]
    return task.with_values(values)


@dataclass(frozen=True, slots=True, eq=False)
class RankedVersion:
    """One version of a table, counted and ranked.

    Attributes
    ----------
    counted
        The table.
    spec
        How it was ranked, its level settled.
    ranking
        The ranking, with intervals where there are any.
    bootstrap
        What was drawn; None where intervals are not wanted.
    """

    counted: CountedScores
    spec: MethodSpec
    ranking: Ranking
    bootstrap: Bootstrap | None

    @property
    def scores(self) -> Scores:
        """Return the table."""
        return self.counted.given

    def ranked_as(self, spec: MethodSpec) -> bool:
        """Return whether it is ranked in this way; a model of missing scores ranks a complete table as others do."""
        ways = {self.spec.missing, spec.missing}
        return self.spec == spec or (ways == {None, "model"} and replace(self.spec, missing=spec.missing) == spec)

    def goodness(self, systems: Sequence[str]) -> Floats:
        """Shape `(N,)`: scores of some systems, higher is better."""
        score = self.ranking.score[self._rows(systems)]
        return score if self.ranking.higher_is_better else -score

    def ranks(self, systems: Sequence[str]) -> Ints:
        """Shape `(N,)`: ranks of some systems."""
        return self.ranking.rank[self._rows(systems)]

    def _rows(self, systems: Sequence[str]) -> Ints:
        return rows_of(self.ranking.systems, systems)

    def drawn(self, systems: Sequence[str], part: Scores | None) -> "Drawn | None":
        """Return replicates of some systems: those of the intervals, or of a part of the table.

        None where there are no intervals, or the part has too few units.

        Raises
        ------
        MethodError
            The part cannot be ranked.
        """
        found, counted = self.ranking.intervals, self.counted
        if self.bootstrap is None:
            return None
        if part is not None:
            if len(part.systems) > 1:  # of one, scores are the answer
                check_rankable(part)
            counted = CountedScores.of(part, [self.spec], threads=counted.threads)
            if degrees_of_freedom(counted.by_name, self.bootstrap.units, self.spec.level) < LEAST_FREEDOM:
                return None
            result, rows = counted.result(self.spec), rows_of(part.systems, systems)
            samples = replicates(counted, self.spec, self.bootstrap.resampling)[rows]
            samples = samples if result.higher_is_better else -samples
            scale = np.broadcast_to(np.asarray(result.scale, dtype=np.float64), result.score.shape)
            goodness, rounding = result.oriented_score[rows], ROUNDING * scale[rows]
        elif found is not None:
            rows = self._rows(systems)
            goodness, samples, rounding = self.goodness(systems), found.samples[rows], found.rounding[rows]
        else:
            return None
        freedom = np.full(len(systems), degrees_of_freedom(counted.by_name, self.bootstrap.units, self.spec.level))
        own, _ = own_df(counted, self.spec, self.bootstrap.units)
        if own is not None:  # a system may have fewer
            freedom = np.minimum(own[rows_of(counted.by_name.systems, systems)], freedom)
        return Drawn(counted, goodness, samples, rounding, freedom)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Scores of N systems, and of their replicates; higher is better.

    Attributes
    ----------
    counted
        The table.
    goodness, rounding, freedom
        Shape `(N,)`: scores, the differences that are none, and degrees of freedom of standard errors.
    samples
        Shape `(N, B)`.
    """

    counted: CountedScores
    goodness: Floats
    samples: Floats
    rounding: Floats
    freedom: Floats
