"""Exports of platforms that log experiments: which column is what, by the name of the platform."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from podium.base.errors import InputError, nearest
from podium.base.words import About, few
from podium.source.table import MISSING
from podium.source.tool.content import SHORT, Content, digest_of, listed, mapping, text, written_number
from podium.source.tool.run import Repeated, Run, Tool, counted

#: Words of scorers that answer a question, as numbers.
_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "pass": 1.0, "fail": 0.0}

#: Members of JSON that hold the rows, the first first.
_ROWS = ("events", "data", "rows", "results")

_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Preset:
    """Columns by what they hold; of several names the first that a row has counts.

    Attributes
    ----------
    name
        As typed after `--preset`.
    title
        As people call the platform.
    tasks
        Name of a column that is a task, with the name of the task as its group; or the column of names of tasks.
    score
        Column of scores, if one column names tasks.
    systems
        Columns that name the system, its name before its identifier. The file is the system if no row has either, or
        all have one identifier and no name.
    instances
        Columns that name the instance, "" for the number of the row; without any, a row is a run.
    made
        Columns of the time of a run.
    unlike
        Columns and values of rows that are no results.
    aside
        Columns that are no tasks.
    note
        What a reader must know.
    """

    name: str
    title: str
    tasks: str
    score: str = ""
    systems: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    unlike: tuple[tuple[str, tuple[str, ...]], ...] = ()
    aside: frozenset[str] = frozenset()
    note: str = ""


_PRESETS = (
    _Preset(
        "langfuse",
        "Langfuse",
        "name",
        score="value",
        systems=("dataset_run_name", "datasetRunName", "dataset_run_id", "datasetRunId"),
        instances=("dataset_item_id", "datasetItemId"),
        unlike=(("data_type", ("CATEGORICAL", "TEXT")), ("dataType", ("CATEGORICAL", "TEXT"))),
    ),
    _Preset(
        "braintrust",
        "Braintrust",
        r"scores\.(.+)",
        systems=("experiment_name", "experiment_id"),
        instances=("dataset_record_id", "input"),
        unlike=(("is_root", ("false",)),),
    ),
    _Preset("langsmith", "LangSmith", r"feedback\.(.+)", instances=("example_id",)),
    _Preset("mlflow", "MLflow", r"(.+)/(?:value|v\d+/score)", instances=("request_id", "inputs", "request", "")),
    _Preset(
        "mlflow-runs",
        "MLflow",
        r"metrics\.(.+)",
        systems=("tags.mlflow.runName", "run_id"),
        made=("start_time",),
        unlike=(("status", ("FAILED", "KILLED", "RUNNING")),),
    ),
    _Preset(
        "wandb",
        "Weights & Biases",
        r"(.+)",
        systems=("Name", "name"),
        made=("Created", "created_at"),
        unlike=(("State", ("crashed", "failed", "killed", "running")),),
        aside=frozenset(
            (
                *("Name", "State", "Notes", "User", "Tags", "Created", "Updated", "Runtime", "Hostname", "ID", "Sweep"),
                *("Description", "Commit", "Github", "GPU Type", "GPU Count", "CPU Count", "OS", "Python Version"),
                *("Host", "Command", "End Time", "Start Time", "Group", "Job Type", "name", "created_at"),
            )
        ),
        note="numbers of the configuration of runs are among the tasks; choose tasks with --tasks",
    ),
)


def of_preset(name: str) -> str:
    """Name of the reader of a preset.

    Raises
    ------
    InputError
        There is no such preset.
    """
    known = [preset.name for preset in _PRESETS]
    if name not in known:
        raise InputError(f"there is no preset {name!r}; {nearest(name, known)} Presets are {', '.join(known)}")
    return f"preset {name}"


def _recognises(preset: _Preset, content: Content) -> bool:
    return any(_cells(preset, row) or (preset.score in row and preset.tasks in row) for row in _rows(content))


def _rows(content: Content) -> Iterator[_Row]:
    """Yield rows of a table, or of JSON, without one level of objects in objects."""
    for row in _records(content):
        flat: dict[str, Any] = {}
        for name, value in row.items():
            if isinstance(value, dict):
                flat |= {f"{name}.{key}": one for key, one in value.items()}
            flat[name] = value
        yield flat


def _records(content: Content) -> Iterator[_Row]:
    if content.path.suffix.lower() == ".jsonl":
        yield from (row for _, row in content.lines() if isinstance(row, dict))
    elif content.head[:1] in (b"{", b"["):
        given = content.value()
        inside = mapping(given)
        found = next((inside[name] for name in _ROWS if isinstance(inside.get(name), list)), given)
        if isinstance(inside.get("columns"), list):  # columns and data, as pandas writes them
            found = [dict(zip(inside["columns"], row, strict=False)) for row in listed(inside.get("data"))]
        yield from (row for row in listed(found) if isinstance(row, dict))
    else:
        yield from content.rows()


def _cells(preset: _Preset, row: _Row) -> dict[str, Any]:
    """Return scores of a row by task."""
    if preset.score:
        name = text(row.get(preset.tasks))
        return {name: row.get(preset.score)} if name else {}
    found = {name: re.fullmatch(preset.tasks, name) for name in row if name and name not in preset.aside}
    return {task[1]: row[name] for name, task in found.items() if task is not None}


def _read(preset: _Preset, content: Content) -> Iterator[Run]:
    """Yield runs of the rows: each row is one, or all rows of a system are."""
    everything = list(_rows(content))
    rows = [row for row in everything if not _is_unlike(preset, row)]
    notes = [preset.note] if preset.note else []
    what = f"rows that are no results of {preset.title} are left out"
    notes += counted(content.path.name, {what: len(everything) - len(rows)})
    systems = [_first(preset.systems, row) for row in rows]
    if preset.score and not any(systems):
        names = few(list(map(repr, preset.systems)))
        raise InputError(f"{content.name}: no row names its experiment; a column should be called {names}")
    is_named = any(_first(preset.systems[:1], row) for row in rows)
    of_file = bool(preset.instances) and not preset.score and not is_named and len(set(systems)) == 1
    scores: dict[tuple[str, str], Repeated] = {}
    runs: list[Run] = []
    texts: dict[str, bool] = {}
    for number, (row, named) in enumerate(zip(rows, systems, strict=True)):
        system = content.path.stem if of_file else named
        for task, value in _cells(preset, row).items() if system else ():
            score = _number(value)
            texts[task] = texts.get(task, True) and score is None
            if preset.instances:
                scores.setdefault((system, task), Repeated()).add(_instance(preset, row, number), score)
            elif value not in (None, ""):  # an empty cell says that the run has no such metric
                made = _first(preset.made, row)
                runs.append(Run(content.name, system, task, task, math.nan if score is None else score, made=made))
    left_out = [task for task, is_text in texts.items() if is_text]
    if not preset.aside:
        notes += [About("left out, since they hold no numbers", name) for name in left_out]
    # two files of equal names are two systems
    settings = {"folder": content.path.resolve().parent.name} if of_file else {}
    for (system, task), found in scores.items():
        run, samples = Run(content.name, system, task, task, settings=settings), found.samples()
        there = samples.scores[~np.isnan(samples.scores)]
        mean = float(there.mean()) if there.size else math.nan
        # the mean counts if a row names no instance that other systems have
        runs.append(replace(run, mean=mean) if "" in found.instances else replace(run, samples=samples))
    yield from (replace(run, notes=tuple(notes)) for run in runs if run.task not in left_out)


def _is_unlike(preset: _Preset, row: _Row) -> bool:
    return any(str(row.get(name, "")).lower() in map(str.lower, values) for name, values in preset.unlike)


def _first(names: Sequence[str], row: _Row) -> str:
    return next((text(row[name]) for name in names if text(row.get(name))), "")


def _instance(preset: _Preset, row: _Row, number: int) -> str:
    """Return what names the instance: an identifier, or a digest of what was asked; "" if nothing does."""
    for name in preset.instances:
        value = row.get(name)
        if not name:
            return str(number)
        if value not in (None, ""):
            label = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
            return label if len(label) <= SHORT else f"{' '.join(label.split())[:SHORT]} ({digest_of(label)})"
    return ""


def _number(value: Any) -> float | None:
    """Return a number, a truth, or a word for one; None for what is missing or a text."""
    if isinstance(value, bool | int | float):
        return float(value)
    word = str(value).strip().lower()
    return None if value is None or word in MISSING else _WORDS.get(word, written_number(word))


#: Readers of exports, which are never recognised: their columns have names that other tables have too.
PRESETS: tuple[Tool, ...] = tuple(
    Tool(of_preset(preset.name), preset.title, partial(_recognises, preset), partial(_read, preset))
    for preset in _PRESETS
)
