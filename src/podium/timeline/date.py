"""Steps by dates: systems, or their scores on tasks, appear in a table when they were made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import with_names
from podium.score.table import Scores
from podium.source.column import read_whole
from podium.source.path import find_files, opened
from podium.source.role import USUAL, either, find_roles, lacks

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
        """Take dates by system: dates, times, or texts in ISO form.

        >>> Dates.of_systems({"A": "2026-03-01"}).of
        {('A', None): '2026-03-01'}
        """
        if not isinstance(given, Mapping):
            raise InputError(f"dates are a dictionary {{system: date}}, not {type(given).__name__}")
        return cls({(str(system), None): as_date(when, f"system {system!r}") for system, when in given.items()})

    @classmethod
    def read(cls, source: str | Path, column: str | None = None, system_column: str | None = None) -> "Dates":
        """Read a table with columns of systems and of dates, and perhaps of tasks; the newest date of each counts.

        Raises
        ------
        InputError
            The table has no such columns, or a date makes no sense; the message says where.
        """
        return cls.of_files([source], column, system_column, None)

    @classmethod
    def of_files(
        cls, sources: Sequence[str | Path], column: str | None, system_column: str | None, task_column: str | None
    ) -> "Dates":
        """Read the dates of several tables; see `read`.

        Raises
        ------
        InputError
            As of `read`.
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
        when = self._by_cell(scores)
        labels = sorted({text for row in when for text in row if text})
        first = next((k for k, label in enumerate(labels) if _there(when, label) > 1), len(labels) - 1)
        if first:
            notes.append(begins_at(labels[first]))
        labels = labels[first:]
        if len(labels) < 2:
            raise InputError(f"a history has two steps or more, and all systems have one date, {labels[0]}")
        return labels, (_by(scores, when, label) for label in labels), notes

    def _by_cell(self, scores: Scores) -> list[list[str]]:
        """For each system, the date of its scores on each task; empty where there is none."""
        return [
            [self.of.get((system, task), self.of.get((system, None), "")) for task in scores.task_names]
            for system in scores.systems
        ]


def _there(when: list[list[str]], label: str) -> int:
    return sum(any(text <= label for text in row) for row in when)


def _by(scores: Scores, when: list[list[str]], label: str) -> Scores:
    """The systems and scores that were there by a date; tasks that nobody was scored on are not there."""
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
