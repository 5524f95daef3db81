"""Answers and difficulties of single instances: what a browser needs to weigh a table by difficulty in any way.

- Scores of single instances, with their names and texts: what a browser needs to compare two systems.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.errors import InputError, MethodError
from podium.base.words import few
from podium.customization.customizer import Customizer
from podium.customization.match import own_values_of, places_of, values_of
from podium.customization.split import MOST_SPLITS
from podium.difficulty.result import Difficulty, Texts, checked_texts
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import instance_set, numbered, same_instances, sharing, units_among
from podium.tally.draw import Key, Resampling, task_key
from podium.webpage.shell import in_levels

#: What a page is made with, and what to give for it.
_WANTED = {
    "difficulty": "make it with podium.read_difficulty(path), and give confidences of systems as confidences=",
    "confidences": "read the column of confidences as scores, with podium.read(path, score_column=…)",
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

        `commands` are those of `podium.page`.

        Raises
        ------
        InputError
            A score is not between 0 and 1, a measure rates no instance, or it is no difficulty, or no confidence.
        LabelError
            There is no column of this name.
        MethodError
            It names more splits than a reader can look at.
        """
        for what, given, wanted in (("difficulty", difficulty, Difficulty), ("confidences", confidences, Scores)):
            if given is not None and not isinstance(given, wanted):
                raise InputError(f"{what}: expected {wanted.__name__}, not {type(given).__name__}; {_WANTED[what]}")
        names = [] if difficulty is None else [measure.name for measure in difficulty.measures]
        if confidences is not None and "confidence" in names:
            raise InputError("a measure of difficulty is called 'confidence', as those of the systems are; rename it")
        said, measures, own = commands or {}, list[dict[str, Any]](), None
        columns, named = list[tuple[Floats, ...]](), list[list[NDArray[np.int8]]]()
        if difficulty is not None:
            for name in names:
                customizer, rows = Customizer.of(scores, difficulty, measure=name), values_of(scores, difficulty, name)
                held: dict[str, Any] = {"splits": None, "command": said.get("customize", "")}
                if held["command"] and len(names) > 1:
                    held["command"] += f" {shlex.quote(f'--difficulty-column={name}')}"
                if splits is not None:
                    listed, numbers = _named(customizer, splits, rows)
                    held["splits"] = {"column": splits, "names": listed}
                    named.append(numbers)
                measures.append(_measure(customizer, scores, resampling) | held)
                columns.append(rows)
        values = [np.array([column[task] for column in columns]) for task in range(len(scores.tasks))]
        if confidences is not None:
            own = own_values_of(scores, confidences)
            held = {"splits": None, "command": said.get("confidence", "")}
            measures.append(_measure(Customizer.of(scores, confidences), scores, resampling) | held)
        kept = tuple(index for index in range(len(scores.tasks)) if any(one["keys"][index] for one in measures))
        tasks = [scores.tasks[index] for index in kept]
        return cls(
            tuple(measures),
            kept,
            tuple(
                np.asarray(one.values if one.higher_is_better else 1 - one.values, dtype=np.float64) for one in tasks
            ),
            tuple(values[index] for index in kept),
            None if own is None else tuple(own[index] for index in kept),
            tuple(np.array([numbers[index] for numbers in named]) for index in kept) if named else None,
            tuple(task.instance_weights for task in tasks),
        )

    def content(self) -> dict[str, Any]:
        """Return what is measured, as plain values."""
        tasks = [
            {"task": index, "instances": own.shape[1], "levels": in_levels(own)[0]}
            for index, own in zip(self.tasks, self.goodness, strict=True)
        ]
        return {"measures": list(self.measures), "tasks": tasks}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return scores, difficulties, confidences, splits and weights by the number of the task."""
        arrays: dict[str, NDArray[Any]] = {}
        for place, (index, own) in enumerate(zip(self.tasks, self.goodness, strict=True)):
            arrays[f"goodness {index}"] = in_levels(own)[1]
            if self.values[place].size:
                arrays[f"difficulty {index}"] = self.values[place]
            if self.confidences is not None:
                arrays[f"confidence {index}"] = self.confidences[place]
            if self.splits is not None:
                arrays[f"splits {index}"] = self.splits[place]
            if (weights := self.weights[place]) is not None:
                arrays[f"weights {index}"] = np.asarray(weights, dtype=np.float64)
        return arrays


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
            "split": _digits(task_key(resampling.seed, b"split" + instance_set(task))),
            # keys of clusters are many; without them a page has no intervals
            "draw": _digits(key),
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


def instance_scores(
    scores: Scores, resampling: Resampling, texts: Texts | None = None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the names and texts of instances, which metrics of the same items have once, and every score as given.

    A text counts for its name in every task. Scores, weights and clusters are arrays by the number of the task; of few
    different scores the levels are plain values. Tasks that share instances are named, since effects may depend on
    each other; and so is the unit of each instance, as `units_among` draws them, unless each is one. With the keys of
    draws a browser counts replicates of some of the systems anew.

    Raises
    ------
    InputError
        The table has no instances, or these are texts of other instances.
    """
    if scores.task_level:
        raise InputError("this table has one score per task and no instances; leave instances out (--instances)")
    groups = same_instances(scores.tasks)
    found = None if texts is None else _found(scores, groups, checked_texts(texts, "texts"))
    number = {task: group for group, tasks in enumerate(groups) for task in tasks}
    arrays: dict[str, NDArray[Any]] = {}
    tasks = []
    for index, (task, key) in enumerate(zip(scores.tasks, resampling.keys(scores.tasks), strict=True)):
        levels, arrays[f"scores {index}"] = in_levels(np.asarray(task.values, dtype=np.float64))
        tasks.append({"names": number[index], "levels": levels, "draw": _digits(key)})
        if isinstance(key, np.ndarray):  # low halves and high halves
            arrays[f"draws {index}"] = key.astype("<u8").view("<i4").reshape(-1, 2)
        if task.instance_weights is not None:
            arrays[f"instance weights {index}"] = np.asarray(task.instance_weights, dtype=np.float64)
        if task.clusters is not None:
            arrays[f"clusters {index}"] = task.clusters.numbers.astype(np.int32)
    names = [_instance_names(scores.tasks[first]) for first, *_ in groups]
    shared = []
    for group in sharing(scores.tasks, numbers=True):
        labels = [scores.tasks[index].instances for index in group.tasks]
        shared.append({"tasks": group.tasks, "numbered": group.clusters is None and all(map(numbered, labels))})
    units = []
    for group in units_among(scores.tasks):
        units.append({"tasks": group.tasks, "number": group.number})
        for index, of in zip(group.tasks, group.of, strict=True):
            if not np.array_equal(of, np.arange(of.size)):
                arrays[f"units {index}"] = of.astype(np.int32)
    return {"names": names, "texts": found, "tasks": tasks, "shared": shared, "units": units}, arrays


def _digits(key: Key) -> str | None:
    """Return a key in hexadecimal digits; None if there is none for the whole task."""
    return None if key is None or isinstance(key, np.ndarray) else f"{int(key):016x}"


def _found(scores: Scores, groups: Sequence[Sequence[int]], given: Texts) -> list[list[str | None]]:
    """For each group the text of every instance, by its label."""
    if given.texts is None:
        raise InputError(f"{given.name} has embeddings and no texts, and a page shows texts; leave it out")
    found = []
    for first, *_ in groups:
        labels = scores.tasks[first].instances
        known = np.arange(scores.tasks[first].n_instances) if labels is None else labels
        places = places_of(known, given.instances).tolist()
        found.append([None if place < 0 else given.texts[place] for place in places])
    if not any(text is not None for own in found for text in own):
        ours, theirs = (few([repr(str(label)) for label in of[:4].tolist()]) for of in (known, given.instances))
        raise InputError(f"no instance of the scores has a text: they are called {ours}, those of the texts {theirs}")
    return found


def _instance_names(task: Task) -> list[str] | int:
    """Return the names of the instances; where they are only numbers, one after the other, the first.

    >>> import podium
    >>> numbered = podium.from_arrays({"t": [[1, 0]]}, instances={"t": [7, 8]})
    >>> named = podium.from_arrays({"t": [[1, 0]]}, instances={"t": ["a", "b"]})
    >>> _instance_names(numbered.tasks[0]), _instance_names(named.tasks[0])
    (7, ['a', 'b'])
    """
    labels = task.instances
    if labels is None:
        return 1
    if labels.dtype.kind in "iu" and (np.diff(labels) == 1).all():
        return int(labels[0])
    return [str(label) for label in labels.tolist()]
