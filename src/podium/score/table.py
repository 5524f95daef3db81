"""The score table: systems × tasks × instances, NaN where missing.

- Blocks of a score table, which is what an engine counts.
- Battles: instances on which two systems of many have a score, so that one wins or both tie.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.check import matching
from podium.base.cluster import at_each
from podium.base.errors import InputError, LabelError, WeightError
from podium.base.words import Counted, few, how_many
from podium.score.family import family_names, told_families
from podium.score.task import (
    AT_ONCE,
    PART,
    Covariate,
    Task,
    assigned,
    check_weights,
    instance_weights,
    mean_scores,
    task_weight,
)
from podium.score.units import with_shared_numbers

if TYPE_CHECKING:
    from podium.report.view import View


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Scores of all systems on a run of instances of one task, turned so that higher is better.

    Attributes
    ----------
    task
        Index of the task; of the first one where `each_a_task`.
    values
        Shape `(N, L)`: systems × instances, NaN where missing.
    weights
        Shape `(L,)`, or None where every instance weighs 1; or `(L, B)`, a column for each of B replicates.
    tolerance
        System a beats system b where `a > b + tolerance`; neither beats the other in a tie. See
        `Scores.effective_tie_tolerance`.
    start
        Place of the first instance in its task.
    each_a_task
        Whether every instance is the only one of its task, and the tasks follow each other in the table.
    """

    task: int
    values: NDArray[Any]
    weights: NDArray[Any] | None
    tolerance: float
    start: int = 0
    each_a_task: bool = False

    @property
    def weight(self) -> float | NDArray[np.float64]:
        """Weight of all instances together; shape `(B,)` where there are replicates."""
        if self.weights is None:
            return float(self.values.shape[1])
        return self.weights.sum(axis=0, dtype=np.float64)  # type: ignore[no-any-return]


def block_length(n_systems: int, at_most: int | None = None) -> int:
    """Return the instances of a block: a power of two, at most `PART`."""
    fit = min(max(AT_ONCE // n_systems, 256), at_most or PART)
    return min(PART, 1 << (fit.bit_length() - 1))


def blocks_of(
    task: int,
    parts: Iterable[NDArray[Any]],
    weights: NDArray[np.float64] | None,
    *,
    length: int,
    tolerance: float,
    falls: bool,
    start: int = 0,
) -> Iterator[Block]:
    """Cut parts of a task that follow each other into blocks; `weights` are those of their instances."""
    first = 0
    for part in parts:
        for place in range(0, part.shape[1], length):
            values = part[:, place : place + length]
            yield Block(
                task=task,
                values=-values if falls else np.ascontiguousarray(values),
                weights=None if weights is None else weights[first : first + values.shape[1]],
                tolerance=tolerance,
                start=start + first,
            )
            first += values.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores of N systems on T tasks, down to instances; immutable.

    A task-level table is a table whose tasks have one instance each. Build one with `podium.read`,
    `podium.from_frame`, `podium.from_dict` or `podium.from_arrays`.

    Attributes
    ----------
    systems
        The N labels.
    tasks
        The T tasks with their scores, directions and weights.
    tie_tolerance
        Two scores of one instance tie when they differ by at most this, to rounding, in the units of the metric.
        The default 0 means exact equality. Not transitive when positive.
    notes
        What reading left out or assumed, in words; nothing is dropped silently.
    backend
        Library whose frames results come back as: "pyarrow", "pandas" or "polars".
    origin
        What the tools that wrote the scores say of their runs, for `gate` and `add`; None if no tool wrote them.
    metric
        By what all tasks are scored, such as "nDCG@10"; empty if that is not known, or not one.
    human
        The covariate that holds labels by people, if a judge made the scores; otherwise empty. See
        `podium.score.prediction_powered`.

    Raises
    ------
    InputError
        No systems, no tasks, or repeated labels. Infinite scores are refused by every `Task`.
    WeightError
        Weights that are negative, not finite, or all zero.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_dict({"A": {"rte": 0.7, "sst2": 0.9}, "B": {"rte": 0.6}})
    >>> scores
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """

    systems: tuple[str, ...]
    tasks: tuple[Task, ...]
    tie_tolerance: float = 0.0
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"
    origin: Any = None  # of `podium.source.named`, which reads what tools write
    metric: str = ""
    human: str = ""

    def __post_init__(self) -> None:
        _check_labels("system", self.systems)
        _check_labels("task", self.task_names)
        if not (np.isfinite(self.tie_tolerance) and self.tie_tolerance >= 0):
            raise InputError(f"the tie tolerance is {self.tie_tolerance}; it must be a number ≥ 0")
        check_weights("task weights", self.task_weights, [f"task {name!r}" for name in self.task_names])
        for task in self.tasks:
            if task.scored.size != len(self.systems):
                raise InputError(
                    f"task {task.name!r} has {task.scored.size} rows of scores for {len(self.systems)} systems"
                )
            if task.clusters is not None and task.clusters.numbers.size != task.n_instances:
                raise InputError(
                    f"task {task.name!r} has {task.n_instances} instances, but clusters are given for "
                    f"{task.clusters.numbers.size}"
                )
            if task.instance_weights is not None:
                check_weights(f"instance weights of task {task.name!r}", task.instance_weights)

    def __repr__(self) -> str:
        shape = f"{how_many(len(self.systems), 'system')} × {how_many(len(self.tasks), 'task')}"
        if not self.task_level:
            shape += f", {how_many(self.n_instances, 'instance')}"
        missing = self.n_cells - self.n_scored
        return f"Scores({shape}, {missing:,} of {how_many(self.n_cells, 'score')} missing)"

    def _repr_html_(self) -> str:
        """Return the means by system and task as HTML, for notebooks."""
        from podium.report.html import to_fragment  # noqa: PLC0415  # only where something is shown

        return to_fragment(_view(self))

    @property
    def prompts(self) -> tuple[str, ...]:
        """Return the prompts by which scores were measured; none if no column says so."""
        return tuple(dict.fromkeys(label for task in self.tasks if task.repeats for label in task.repeats.labels))

    @property
    def task_names(self) -> tuple[str, ...]:
        """Return the T task labels."""
        return tuple(task.name for task in self.tasks)

    def metric_of(self, task: str) -> str:
        """Return by what a task is scored; empty if that is not known."""
        return self.metric or ("" if self.origin is None else str(self.origin.metric(task)))

    @property
    def n_instances(self) -> int:
        """Return the instances of all tasks together."""
        return sum(task.n_instances for task in self.tasks)

    @property
    def n_cells(self) -> int:
        """Return the number of cells, scored or missing: N × instances."""
        return len(self.systems) * self.n_instances

    @property
    def n_scored(self) -> int:
        """Return the number of cells that hold a score."""
        return sum(int(task.scored.sum()) for task in self.tasks)

    @property
    def task_level(self) -> bool:
        """Return whether every task has a single value per system, without instances."""
        return all(task.n_instances == 1 for task in self.tasks)

    @property
    def task_weights(self) -> NDArray[np.float64]:
        """Shape `(T,)`."""
        return np.array([task.weight for task in self.tasks], dtype=np.float64)

    @property
    def higher_is_better(self) -> NDArray[np.bool_]:
        """Shape `(T,)`: direction of each task."""
        return np.array([task.higher_is_better for task in self.tasks], dtype=np.bool_)

    @property
    def covariates(self) -> dict[str, Covariate]:
        """Return what was measured beside the scores, such as cost or time, by name."""
        size = len(self.systems)
        return {
            name: Covariate(
                name,
                tuple(
                    task.covariates[name] if name in task.covariates else np.full((size, task.n_instances), np.nan)
                    for task in self.tasks
                ),
            )
            for name in dict.fromkeys(name for task in self.tasks for name in task.covariates)
        }

    def cost(self, name: str) -> Covariate:
        """Return one of these by its name, but no judgement of people.

        Raises
        ------
        LabelError
            There is none of this name; the error says how a column becomes one.
        """
        known = {other: one for other, one in self.covariates.items() if other != self.human}
        if name in known:
            return known[name]
        there = f"there are {few([*map(repr, known)])}" if known else "the table has none"
        raise LabelError(
            f"there is no cost {name!r}; {there}; a column becomes one by covariate_column= (--covariate-column)"
        )

    @property
    def effective_tie_tolerance(self) -> float:
        """Tie tolerance to compare with, a little larger than given, because 0.8 − 0.7 is more than 0.1 once rounded.

        It is larger by 10⁻⁹ of itself, or by 10⁻⁴ if all scores are in single precision; 0 stays 0.

        >>> import podium
        >>> near = podium.from_dict({"A": {"rte": 0.8}, "B": {"rte": 0.7}}).with_tie_tolerance(0.1)
        >>> podium.rank(near).rank
        array([1, 1])
        """
        single = all(part.dtype == np.float32 for task in self.tasks for part in task.parts)
        return self.tie_tolerance * (1 + (1e-4 if single else 1e-9))

    def blocks(self, at_most: int | None = None) -> Iterator[Block]:
        """Yield the table in blocks of instances, oriented so that higher is better.

        Their borders depend only on the shape of the table and on the most instances a block may have.
        """
        length, tolerance = block_length(len(self.systems), at_most), self.effective_tie_tolerance
        for index, task in enumerate(self.tasks):
            falls = not task.higher_is_better
            yield from blocks_of(
                index, task.parts, task.instance_weights, length=length, tolerance=tolerance, falls=falls
            )

    def select(self, *, systems: Iterable[str] | None = None, tasks: Iterable[str] | None = None) -> "Scores":
        """Keep the systems and tasks that match; labels or globs, `!glob` excludes; in the order of the table.

        Raises
        ------
        LabelError
            A pattern matches nothing; the nearest labels are named.

        Examples
        --------
        >>> import podium
        >>> podium.datasets.xtreme_missing().select(systems=["M[0-3]"], tasks=["!Sentence*"])
        Scores(4 systems × 3 tasks, 2 of 12 scores missing)
        """
        chosen = self.tasks
        if tasks is not None:
            keep = set(matching("task", tasks, self.task_names))
            chosen = tuple(task for task in self.tasks if task.name in keep)
        names = [task.name for task in chosen]
        notes = (note.among(names) if isinstance(note, Counted) else note for note in self.notes)
        table = replace(self, tasks=chosen, notes=tuple(notes))
        if systems is None:
            return table
        keep = set(matching("system", systems, self.systems))
        return table.take([row for row, label in enumerate(self.systems) if label in keep])

    def take(self, rows: Sequence[int], systems: Sequence[str] | None = None) -> "Scores":
        """Return the table with some of its rows, in this order.

        Parameters
        ----------
        rows
            Indices of systems; an index may stand several times if `systems` gives the copies other labels.
        systems
            A label for each row; by default its own.

        Raises
        ------
        InputError
            Two rows have the same label.

        Examples
        --------
        >>> import podium
        >>> podium.datasets.toy_table1().take([2, 0]).systems
        ('C', 'A')
        """
        chosen = np.array(list(rows), dtype=np.intp)
        labels = [self.systems[row] for row in chosen.tolist()] if systems is None else systems
        tasks = (
            replace(
                task,
                parts=tuple(part[chosen] for part in task.parts),
                scored=task.scored[chosen],
                repeats=None if task.repeats is None else task.repeats.take(chosen.tolist()),
                covariates={name: values[chosen] for name, values in task.covariates.items()},
            )
            for task in self.tasks
        )
        return replace(self, systems=tuple(labels), tasks=tuple(tasks))

    def with_directions(self, *, lower: Iterable[str] = (), higher: Iterable[str] = ()) -> "Scores":
        """Return the table with other directions: tasks that are better lower or higher, by label or glob.

        Raises
        ------
        LabelError
            A pattern matches no task.
        InputError
            A task is named on both sides.

        Examples
        --------
        >>> import podium
        >>> podium.datasets.xtreme_missing().with_directions(lower=["Sentence*"]).higher_is_better
        array([ True,  True,  True, False])
        """
        down = set(matching("task", lower, self.task_names))
        up = set(matching("task", higher, self.task_names))
        if both := sorted(down & up):
            raise InputError(f"task {both[0]!r} is named both as better lower and as better higher; choose one")
        return self._with_tasks(
            lambda task: replace(
                task, higher_is_better=task.name not in down and (task.higher_is_better or task.name in up)
            )
        )

    def with_task_weights(self, weights: Mapping[str, float]) -> "Scores":
        """Return the table with other task weights, by label or glob; a label wins over globs, others keep theirs.

        Raises
        ------
        LabelError
            A name matches no task.
        WeightError
            A weight is no number, negative or not finite; all are zero; or two globs give a task different ones.

        Examples
        --------
        >>> import podium
        >>> podium.datasets.toy_table1().with_task_weights({"Task1": 2, "Task[56]": 0}).task_weights
        array([2., 1., 1., 1., 0., 0.])
        """
        chosen = {task: task_weight(task, weight) for task, weight in assigned(weights, self.task_names).items()}
        return self._with_tasks(lambda task: replace(task, weight=chosen[task.name]) if task.name in chosen else task)

    def with_families(self, families: Mapping[str, str | Iterable[str]] | Literal[False]) -> "Scores":
        """Return the table with other families: tasks of one data set, which count as one unit where tasks are drawn.

        Instances of different families that are only numbered are different ones, unless scores on them go together.
        Weights stay as they are, see `with_family_weights`. What `podium.score.family.family_names` guesses from the
        names of other tasks stays, too.

        Parameters
        ----------
        families
            By the name of a family, the labels or globs of its tasks; False: every task is one of its own.

        Raises
        ------
        LabelError
            A pattern matches no task, a task is in two families, or a family has the name of a task of another.
        InputError
            `families` is something else, or all tasks are in one family.

        Examples
        --------
        >>> import podium
        >>> table = podium.datasets.toy_table1().with_families({"news": ["Task[12]"]})
        >>> [task.family for task in table.tasks]
        ['news', 'news', None, None, None, None]
        """
        told = told_families(families, self.task_names)
        found = self._with_tasks(lambda task: replace(task, family=told.get(task.name, task.family)))
        return replace(found, tasks=with_shared_numbers(found.tasks))

    def with_family_weights(self) -> "Scores":
        """Return the table with the weight of each task divided by the number of tasks of its family that weigh any.

        So each family weighs as much as one task: the mean of the weights of its tasks.

        Examples
        --------
        >>> import podium
        >>> podium.datasets.toy_table1().with_families({"news": ["Task[12]"]}).with_family_weights().task_weights
        array([0.5, 0.5, 1. , 1. , 1. , 1. ])
        """
        names = family_names(self.tasks)
        sizes = Counter(name for name, task in zip(names, self.tasks, strict=True) if task.weight > 0)
        shares = {task.name: task.weight / max(sizes[name], 1) for name, task in zip(names, self.tasks, strict=True)}
        return self._with_tasks(lambda task: replace(task, weight=shares[task.name]))

    def with_instance_weights(self, weights: Mapping[str, ArrayLike]) -> "Scores":
        """Return the table with other instance weights, each of shape `(K,)` in the order of `Task.instances`.

        Raises
        ------
        LabelError
            A task does not exist.
        WeightError
            Wrong length, no numbers, negative, not finite, or all zero; or two globs give a task different ones.

        Examples
        --------
        >>> import podium
        >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, 1, 1]]}, systems=["A", "B"])
        >>> scores.with_instance_weights({"t": [1, 2, 1]}).tasks[0].instance_weights
        array([1., 2., 1.])
        """
        arrays = {task: instance_weights(task, given) for task, given in assigned(weights, self.task_names).items()}
        for task in self.tasks:
            if task.name in arrays and arrays[task.name].shape != (task.n_instances,):
                raise WeightError(
                    f"task {task.name!r} has {task.n_instances} instances, but its instance weights have shape "
                    f"{arrays[task.name].shape}"
                )
        return self._with_tasks(
            lambda task: replace(task, instance_weights=arrays.get(task.name, task.instance_weights))
        )

    def with_squared_weights(self) -> "Scores":
        """Return the table with squared instance weights: (Σ w)² / Σ w² is the effective number of instances.

        >>> import podium
        >>> scores = podium.from_arrays({"t": [[1, 0], [0, 1]]}, systems=["A", "B"])
        >>> scores.with_instance_weights({"t": [1, 2]}).with_squared_weights().tasks[0].instance_weights
        array([1., 4.])
        """
        return self._with_tasks(
            lambda task: replace(
                task, instance_weights=None if task.instance_weights is None else task.instance_weights**2
            )
        )

    def with_means(self) -> "Scores":
        """Return the table with one score per task, the mean over its instances.

        >>> import podium
        >>> scores = podium.simulate.gumbel(3, 6, 50, dispersion=1.0, rng=0).scores
        >>> scores.with_means()
        Scores(3 systems × 6 tasks, 0 of 18 scores missing)
        """
        return self._with_tasks(
            lambda task: Task.cut(
                task.name,
                mean_scores(task)[0][:, None],
                higher_is_better=task.higher_is_better,
                weight=task.weight,
                family=task.family,
            )
        )

    def with_tie_tolerance(self, tolerance: float) -> "Scores":
        """Return the table with another tie tolerance: the largest difference, to rounding, of two tied scores.

        Raises
        ------
        InputError
            The tolerance is no number, negative or not finite.

        Examples
        --------
        >>> import podium
        >>> podium.datasets.toy_table1().with_tie_tolerance(0.01).tie_tolerance
        0.01
        """
        given: Any = tolerance
        if not isinstance(given, Real):
            raise InputError(f"the tie tolerance is {given!r}; it must be a number ≥ 0")
        return replace(self, tie_tolerance=float(given))

    def by_name(self) -> "Scores":
        """Return the table with its tasks in order of their names, so sums over tasks are always added alike."""
        return replace(self, tasks=tuple(sorted(self.tasks, key=lambda task: task.name)))

    def _with_tasks(self, change: Callable[[Task], Task]) -> "Scores":
        return replace(self, tasks=tuple(change(task) for task in self.tasks))


def _check_labels(kind: str, labels: Sequence[str]) -> None:
    if not labels:
        raise InputError(f"there are no {kind}s to rank")
    twice = next((label for label, times in Counter(labels).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"{kind} {twice!r} appears twice; give each {kind} a name of its own")


def check_scores(given: Any) -> None:
    """Refuse what is no score table, and say how to make one.

    Raises
    ------
    InputError
        It is a path, a frame, a dictionary, an array, or something else.

    Examples
    --------
    >>> check_scores("scores.csv")
    Traceback (most recent call last):
    podium.errors.InputError: expected Scores, not str; make them with podium.read(path)
    """
    if isinstance(given, Scores):
        return
    makers = {
        "the world's .scores": isinstance(getattr(given, "scores", None), Scores),
        "podium.read(path)": hasattr(given, "__fspath__") or isinstance(given, str),
        "podium.from_dict(dictionary)": isinstance(given, dict),
        "podium.from_frame(frame)": hasattr(given, "columns"),
        "podium.from_arrays(array)": hasattr(given, "__array__") or isinstance(given, list),
    }
    make = next((maker for maker, fits in makers.items() if fits), "podium.read, from_frame, from_dict or from_arrays")
    raise InputError(f"expected Scores, not {type(given).__name__}; make them with {make}")


#: How a note on ties of battles begins.
HALF_A_WIN = "ties count as half a win"


def of_battles(scores: Scores) -> bool:
    """Return whether no instance has more than two scores, of more systems, and any two add up to 1: a win, or a tie.

    Then the scores of others are not missing; they were not asked for.

    Examples
    --------
    >>> import podium
    >>> nan = float("nan")
    >>> of_battles(podium.from_arrays([[[1.0, nan, 0.5]], [[0.0, 1.0, nan]], [[nan, 0.0, 0.5]]]))
    True
    >>> of_battles(podium.datasets.xtreme_missing())
    False
    """
    if scores.task_level or len(scores.systems) < 3 or scores.n_scored > 2 * scores.n_instances:
        return False
    return bool(max(at_each([part for task in scores.tasks for part in task.parts], _most)) == 2)


def _most(part: NDArray[Any]) -> int:
    """Return how many scores an instance has at most; 3 also where two of them do not add up to 1."""
    there = np.count_nonzero(~np.isnan(part), axis=0)
    most = int(there.max(initial=0))
    return 3 if most == 2 and (np.nansum(part, axis=0)[there == 2] != 1).any() else most


#: Systems and tasks that a notebook shows.
_ROWS, _COLUMNS = 30, 12


def _view(scores: Scores) -> "View":
    """Lay out the mean of every system on every task, as far as there is room."""
    from podium.report.view import (  # noqa: PLC0415  # the same
        Column,
        Table,
        View,  # the same
        score_texts,  # only where something is shown
    )

    left = len(scores.systems) - _ROWS, len(scores.tasks) - _COLUMNS
    more = [f"… {left[0]:,} more"] if left[0] > 0 else []
    columns = [Column.words("system", [*scores.systems[:_ROWS], *more])]
    for task in scores.tasks[:_COLUMNS]:
        means = [None if math.isnan(mean) else mean for mean in mean_scores(task)[0][:_ROWS].tolist()]
        name = task.name if task.higher_is_better else f"{task.name} (lower is better)"
        columns.append(Column.numbers(name, [*score_texts(means, [None] * len(means)), *[""] * len(more)]))
    caption = "mean scores by task" if left[1] <= 0 else f"mean scores on the first {_COLUMNS} tasks"
    return View(repr(scores), (Table(tuple(columns), caption),), scores.notes)
