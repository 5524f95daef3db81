"""Answers and difficulties of single instances: what a browser needs to weigh a table by difficulty in any way."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MethodError
from podium.customization.customizer import Customizer
from podium.customization.match import own_values_of, values_of
from podium.customization.split import MOST_SPLITS
from podium.difficulty.result import Difficulty
from podium.page.bundle import in_levels
from podium.score.table import Scores
from podium.score.units import instance_set
from podium.tally.draw import Resampling, task_key

Floats = NDArray[np.float64]

#: What a page is made with, and what to give for it.
_WANTED = {
    Difficulty: "make it with podium.read_difficulty(path), and give confidences of systems as confidences=",
    Scores: "read the column of confidences as scores, with podium.read(path, score_column=…)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Graded:
    """Scores of N systems on every instance of T tasks, with M measures of difficulty, no instance labels or texts.

    Attributes
    ----------
    measures
        For each measure its name, which values are hard, whether every system has values of its own (only the last
        may), at which levels it splits, what splits are called that a column names, the command that prints it, what to
        know of it, and by task the keys of random splits and draws, which depend on which instances it rates; None
        where it rates none.
    tasks
        The tasks, by index, that have a rated instance.
    goodness
        For each of them the scores, shape `(N, K)`, in [0, 1], higher is better, NaN where missing.
    values
        The difficulties, shape `(M, K)`, NaN where an instance has none; M does not count own confidences.
    confidences
        Those of the systems, shape `(N, K)`, NaN where there is none; None where they are not asked for.
    splits
        The number of the split of each instance by its column, shape `(M, K)`, −1 where it is not rated; None without.
    weights
        Those of the instances, shape `(K,)`; None where all weigh the same.
    """

    measures: tuple[dict[str, Any], ...]
    tasks: tuple[int, ...]
    goodness: tuple[Floats, ...]
    values: tuple[Floats, ...]
    confidences: tuple[Floats, ...] | None
    splits: tuple[NDArray[np.int8], ...] | None
    weights: tuple[Floats | None, ...]

    @classmethod
    def of(
        cls,
        scores: Scores,
        resampling: Resampling,
        *,
        difficulty: Difficulty | None = None,
        confidences: Scores | None = None,
        splits: str | None = None,
        commands: Mapping[str, str] | None = None,
    ) -> "Graded":
        """Match scores with difficulties by every measure, and with confidences, as `podium.customize` does.

        `commands` are those of `podium.make_page`.

        Raises
        ------
        InputError
            A score is not between 0 and 1, a measure rates no instance, or it is no difficulty, or no confidence.
        LabelError
            There is no column of this name.
        MethodError
            It names more splits than a reader can look at.
        """
        names = _names(difficulty)
        _check("confidences", confidences, Scores)
        if confidences is not None and "confidence" in names:
            raise InputError("a measure of difficulty is called 'confidence', as those of the systems are; rename it")
        made = [Customizer.of(scores, difficulty, measure=name) for name in names if difficulty is not None]
        columns = [values_of(scores, difficulty, name) for name in names if difficulty is not None]
        values = [np.array([column[task] for column in columns]) for task in range(len(scores.tasks))]
        named = None if splits is None else [_named(one, splits, rows) for one, rows in zip(made, columns, strict=True)]
        measures = [
            _measure(customizer, scores, resampling)
            | {"splits": None if named is None else {"column": splits, "names": named[number][0]}}
            for number, customizer in enumerate(made)
        ]
        own = None
        if confidences is not None:
            own = own_values_of(scores, confidences)
            measures.append(_measure(Customizer.of(scores, confidences), scores, resampling) | {"splits": None})
        kept = tuple(index for index in range(len(scores.tasks)) if any(one["keys"][index] for one in measures))
        tasks = [scores.tasks[index] for index in kept]
        several = len(names) > 1
        said = commands or {}
        return cls(
            tuple(measure | {"command": _command(said, measure, several=several)} for measure in measures),
            kept,
            tuple(
                np.asarray(one.values if one.higher_is_better else 1 - one.values, dtype=np.float64) for one in tasks
            ),
            tuple(values[index] for index in kept),
            None if own is None else tuple(own[index] for index in kept),
            None if named is None else tuple(np.array([rows[index] for _, rows in named]) for index in kept),
            tuple(task.instance_weights for task in tasks),
        )

    def content(self) -> dict[str, Any]:
        """Return what is measured, as plain values."""
        tasks = []
        for index, own in zip(self.tasks, self.goodness, strict=True):
            levels = in_levels(own)
            tasks.append({"task": index, "instances": own.shape[1], "levels": None if levels is None else levels[0]})
        return {"measures": list(self.measures), "tasks": tasks}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return scores, difficulties, confidences, splits and weights by the number of the task."""
        arrays: dict[str, NDArray[Any]] = {}
        for place, (index, own) in enumerate(zip(self.tasks, self.goodness, strict=True)):
            levels = in_levels(own)
            arrays[f"goodness {index}"] = own if levels is None else levels[1]
            if self.values[place].size:
                arrays[f"difficulty {index}"] = self.values[place]
            if self.confidences is not None:
                arrays[f"confidence {index}"] = self.confidences[place]
            if self.splits is not None:
                arrays[f"splits {index}"] = self.splits[place]
            if (weights := self.weights[place]) is not None:
                arrays[f"weights {index}"] = np.asarray(weights, dtype=np.float64)
        return arrays


def _check(what: str, given: Any, wanted: type) -> None:
    if given is not None and not isinstance(given, wanted):
        raise InputError(f"{what}: expected {wanted.__name__}, not {type(given).__name__}; {_WANTED[wanted]}")


def _names(difficulty: Difficulty | None) -> list[str]:
    _check("difficulty", difficulty, Difficulty)
    return [] if difficulty is None else [measure.name for measure in difficulty.measures]


def _named(customizer: Customizer, column: str, values: tuple[Floats, ...]) -> tuple[list[str], list[NDArray[np.int8]]]:
    """Names of splits from easy to hard, and for each task the number of the split of each instance; −1 of unrated."""
    names, keys = customizer.named(column)
    if len(names) > MOST_SPLITS:
        raise MethodError(f"column {column!r} names {len(names):,} splits; a page shows {MOST_SPLITS} at most")
    numbers = [np.full(rows.size, -1, dtype=np.int8) for rows in values]
    rated = [(own, ~np.isnan(rows)) for own, rows in zip(numbers, values, strict=True) if not np.isnan(rows).all()]
    for (own, there), key in zip(rated, keys, strict=True):
        own[there] = key.astype(np.int8)
    return names, numbers


def _measure(customizer: Customizer, scores: Scores, resampling: Resampling) -> dict[str, Any]:
    rated = customizer.rated
    keys: list[dict[str, Any] | None] = [None] * len(scores.tasks)
    for task, key in zip(rated.scores.tasks, resampling.keys(rated.scores.tasks), strict=True):
        keys[scores.task_names.index(task.name)] = {
            "split": f"{int(task_key(resampling.seed, b'split' + instance_set(task))):016x}",
            # keys of clusters are many; without them a page has no intervals
            "draw": None if key is None or isinstance(key, np.ndarray) else f"{int(key):016x}",
            "clustered": isinstance(key, np.ndarray),
        }
    apart = rated.difficulty is not None and rated.difficulty.measure(rated.name).by_task
    return {
        "name": rated.name,
        "hard": rated.hard,
        "own": rated.own,
        "levels": ["two"] if apart else ["two", "one"],
        "notes": list(dict.fromkeys(rated.notes)),
        "keys": keys,
    }


def _command(said: Mapping[str, str], measure: Mapping[str, Any], *, several: bool) -> str:
    """What prints the table by a measure, without the options that a reader chooses."""
    if measure["own"]:
        return said.get("confidence", "")
    command, column = said.get("customize", ""), f"--difficulty-column={measure['name']}"
    return f"{command} {shlex.quote(column)}" if command and several else command
