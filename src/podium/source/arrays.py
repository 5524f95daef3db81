"""Scores from arrays, and from dictionaries of numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.errors import InputError, LabelError
from podium.score.repeat import Repeats, Statistic, WrongRepeatsError
from podium.score.table import Scores
from podium.score.task import Clusters, Task
from podium.score.units import check_clusters
from podium.source.direction import directed


def from_arrays(
    arrays: ArrayLike | Mapping[str, ArrayLike],
    *,
    systems: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    instances: ArrayLike | Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | Mapping[str, ArrayLike] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
    statistic: str | None = None,
) -> Scores:
    """Take scores from arrays; NaN means missing.

    Parameters
    ----------
    arrays
        Shape `(N, T)`: systems × tasks; or `(N, T, K)`: systems × tasks × instances; or a mapping from task names
        to arrays of shape `(N, K)`, where K may differ by task. The arrays are copied. Repeats of instances are a last
        axis, `(N, T, K, R)` or `(N, K, R)`; where there are fewer, NaN fills up. Along one axis of K all tasks have the
        same instances, which are drawn together, since their errors are related; in a mapping each task has its own.
    systems
        N labels; "system 1", "system 2", … if None.
    tasks
        T labels; "task 1", "task 2", … if None. For a mapping: the tasks to take, in this order.
    instances
        K distinct labels for all tasks, or a mapping from task names to labels; integers or text. None: numbers from 0
        where all tasks have one axis of K.
    clusters
        K labels of clusters for all tasks, or a mapping from task names to them, in the order of the arrays. Instances
        of a cluster are drawn together by every bootstrap, in all tasks that have it; see `read`.
    lower, higher, families
        Directions and families of tasks; see `read`.
    statistic
        What the score of an instance is of its repeats; see `read`.

    Returns
    -------
    Scores
        Float32 if all arrays are float32, else float64. Instances are sorted by label.

    Raises
    ------
    InputError
        Shapes do not fit, a value is infinite or not a number, or a label occurs twice; an instance has no cluster, or
        different ones on two tasks with the same instances; or the statistic cannot be taken of some repeats.
    LabelError
        A task that was named, or that has clusters, does not exist.

    Examples
    --------
    >>> from podium.source.arrays import from_arrays
    >>> from_arrays({"rte": [[1, 0, 1], [0, 1, None]]}, systems=["A", "B"])
    Scores(2 systems × 1 task, 3 instances, 1 of 6 scores missing)
    """
    tables = _by_task(arrays, None if tasks is None else _as_list_of_labels("tasks", tasks))
    first = next(iter(tables), None)
    if first is None:
        raise InputError("there are no arrays; give at least one")
    n_systems = tables[first].shape[0]
    numbered = [f"system {number + 1}" for number in range(n_systems)]
    names = numbered if systems is None else _as_list_of_labels("systems", systems)
    for name, table in tables.items():
        if table.shape[0] != len(names):
            if systems is not None:
                raise InputError(
                    f"task {name!r}: the array has shape {table.shape}, but {len(names)} systems are named"
                )
            shapes = f"task {name!r} has shape {table.shape} and task {first!r} has shape {tables[first].shape}"
            raise InputError(f"{shapes}; the first dimension (systems) must be the same")
    if instances is None and len(tables) > 1 and not isinstance(arrays, Mapping) and tables[first].shape[1] > 1:
        instances = np.arange(tables[first].shape[1])
    if isinstance(clusters, Mapping) and (unknown := [name for name in clusters if name not in tables]):
        raise LabelError.unknown("task", unknown[0], tables)
    over = None if statistic is None else Statistic(statistic)
    built = []
    for name, table in tables.items():
        values = _over_repeats(name, table, over, names)
        repeats = Repeats.of(table, over or Statistic(), runs=True) if table.ndim == 3 else None
        built.append(_task(name, values, instances, clusters, systems=names, repeats=repeats))
    check_clusters(built)
    scores = directed(Scores(tuple(names), tuple(built)), lower=lower, higher=higher)
    return scores if families is None else scores.with_families(families)


def _as_list_of_labels(name: str, given: Any) -> list[str]:
    """Return labels as text, in their order."""
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(given, Iterable):
        raise InputError(f"{name} is {given!r}; give a list of labels, such as ['A', 'B']")
    return list(map(str, given))


def _by_task(arrays: Any, tasks: Sequence[str] | None) -> dict[str, NDArray[Any]]:
    """Return one array systems × instances per task, all of one type."""
    if isinstance(arrays, Mapping):
        tables = {str(name): _numbers(array, f"task {name!r}") for name, array in arrays.items()}
        for name, table in tables.items():
            if table.ndim not in {2, 3}:
                expected = "(systems, instances) or (systems, instances, repeats)"
                raise InputError(f"task {name!r}: the array has shape {table.shape}; expected {expected}")
        if unknown := [name for name in tasks or () if name not in tables]:
            raise LabelError.unknown("task", unknown[0], tables)
        chosen = {name: tables[name] for name in (tables if tasks is None else tasks)}
    else:
        chosen = _tasks_of_array(_numbers(arrays, "the array"), tasks)
    single = all(table.dtype == np.float32 for table in chosen.values())
    return {name: table.astype(np.float32 if single else np.float64, copy=False) for name, table in chosen.items()}


def _tasks_of_array(array: NDArray[Any], tasks: Sequence[str] | None) -> dict[str, NDArray[Any]]:
    if array.ndim not in {2, 3, 4}:
        cure = "expected (systems, tasks), (systems, tasks, instances) or (systems, tasks, instances, repeats)"
        raise InputError(f"the array has shape {array.shape}; {cure}")
    names = [f"task {number + 1}" for number in range(array.shape[1])] if tasks is None else list(tasks)
    if len(names) != array.shape[1]:
        raise InputError(f"the array has shape {array.shape}, so {array.shape[1]} tasks; {len(names)} are named")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"task {twice!r} appears twice; give each task its own name")
    cube = array[:, :, np.newaxis] if array.ndim == 2 else array
    return {name: cube[:, number] for number, name in enumerate(names)}


def _numbers(array: Any, what: str) -> NDArray[Any]:
    try:
        if hasattr(array, "mask") and isinstance(array, np.ma.MaskedArray):  # which NumPy loads when it is named
            array = np.ma.filled(array.astype(np.promote_types(array.dtype, np.float32)), np.nan)
        given = np.asarray(array)
        return given if given.dtype == np.float32 else given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} is not an array of numbers: {error}; use NaN or None for a missing score") from error


def _task(
    name: str, table: NDArray[Any], instances: Any, clusters: Any, *, systems: Sequence[str], repeats: Repeats | None
) -> Task:
    """Arrange one task, with instances sorted by label: integers or text."""
    if table.shape[1] == 0:
        raise InputError(f"task {name!r}: the array has shape {table.shape}, so it has no instances")
    given = instances.get(name) if isinstance(instances, Mapping) else instances
    clustered = _clusters(name, table.shape[1], clusters.get(name) if isinstance(clusters, Mapping) else clusters)
    if given is None:
        return Task.cut(name, table, systems=systems, clusters=clustered, repeats=repeats)
    labels = np.asarray(given)
    if labels.shape != table.shape[1:]:
        raise InputError(f"task {name!r} has {table.shape[1]} instances, but their labels have shape {labels.shape}")
    whole = labels.dtype.kind in "iu" and int(labels.max(initial=0)) <= np.iinfo(np.int64).max
    labels = labels.astype(np.int64) if whole else np.array(list(map(str, given)), dtype=np.dtypes.StringDType())
    distinct, order = np.unique(labels, return_index=True)
    if distinct.size < labels.size:
        raise InputError(f"task {name!r}: an instance label occurs twice; give each instance its own label")
    clustered = None if clustered is None else clustered.take(order)
    repeats = None if repeats is None else repeats.of_instances(order)
    details = {"instances": distinct, "clusters": clustered, "repeats": repeats}
    return Task.cut(name, table[:, order], systems=systems, **details)


def _over_repeats(name: str, table: NDArray[Any], statistic: Statistic | None, systems: Sequence[str]) -> NDArray[Any]:
    """Return scores of instances, shape `(N, K)`, of repeats `(N, K, R)`; others stay as they are."""
    if table.ndim == 2:
        if statistic is not None:
            what = f"statistic={statistic.name!r} is over repeats, and task {name!r} has none"
            raise InputError(f"{what}: its array has shape {table.shape}; add a last axis of repeats")
        return table
    if np.isinf(table).any():
        raise InputError(f"task {name!r}: a score is infinite; give a finite number, or NaN if it is missing")
    try:
        return (statistic or Statistic()).of(table.astype(np.float64)).astype(table.dtype)
    except WrongRepeatsError as error:
        where = f"task {name!r}, system {systems[error.system]!r}, instance {error.instance + 1}"
        raise InputError(f"{where}: {error}") from None


def _clusters(name: str, n_instances: int, given: Any) -> Clusters | None:
    if given is None:
        return None
    labels = np.asarray(given, dtype=object)
    if labels.shape != (n_instances,):
        raise InputError(f"task {name!r} has {n_instances} instances, but their clusters have shape {labels.shape}")
    listed = labels.tolist()
    for place, label in enumerate(listed, start=1):
        if label is None or label != label or not str(label).strip():  # noqa: PLR0124  # NaN differs from itself
            raise InputError(f"task {name!r}: instance {place} has no cluster; give every instance one")
    return Clusters.of(list(map(str, listed)))


def from_dict(
    scores: Mapping[str, Mapping[str, Any]],
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
) -> Scores:
    """Take scores from a dictionary: system → task → score, list of scores, or instance → score.

    A score is missing if it is None or NaN, or if the dictionary does not mention its system, task or instance.

    Parameters
    ----------
    scores
        For each system and task: a number; or a list of numbers, one per instance, with the same length for all
        systems; or a mapping from instance labels to numbers. Lists of tasks that have the same length are numbered
        alike, so more than five instances count as the same ones, as metrics of the same items have; if they are not,
        give mappings with labels of their own.
    tasks, systems, lower, higher, families
        Selection, directions and families; see `read`.

    Returns
    -------
    Scores
        Float64. Systems and tasks are in order of first appearance; instances are sorted by label.

    Raises
    ------
    InputError
        A value is not a number, lists of a task differ in length, or a task has two forms.
    LabelError
        A task or system that was named does not exist.

    Examples
    --------
    >>> from podium.source.arrays import from_dict
    >>> from_dict({"A": {"rte": 0.7, "sst2": 0.9}, "B": {"rte": 0.6}})
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    if not isinstance(scores, Mapping):
        raise InputError(
            f"expected a dictionary system → task → score, not {type(scores).__name__}; use podium.read for paths, "
            "podium.from_frame for frames and podium.from_arrays for arrays"
        )
    table = {str(system): _checked_row(str(system), row) for system, row in scores.items()}
    if len(table) < len(scores):
        raise InputError("two systems have the same name as text; rename one of them")
    names = list(dict.fromkeys(name for row in table.values() for name in row))
    built = tuple(
        _task_of_dictionaries(name, {system: row[name] for system, row in table.items() if name in row}, list(table))
        for name in names
    )
    lengths = Counter(task.n_instances for task in built if task.instances is None and task.n_instances > 1)
    shared = {task.name for task in built if task.instances is None and lengths[task.n_instances] > 1}
    built = tuple(replace(one, instances=np.arange(one.n_instances)) if one.name in shared else one for one in built)
    selected = Scores(tuple(table), built).select(systems=systems, tasks=tasks)
    found = directed(selected, lower=lower, higher=higher)
    return found if families is None else found.with_families(families)


def _checked_row(system: str, row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise InputError(f"system {system!r}: expected a mapping from tasks to scores, not {type(row).__name__}")
    named = {str(task): value for task, value in row.items()}
    if len(named) < len(row):
        raise InputError(f"system {system!r}: two tasks have the same name as text; rename one of them")
    return named


def _task_of_dictionaries(name: str, given: Mapping[str, Any], systems: Sequence[str]) -> Task:
    """Arrange one task as systems × instances."""
    forms = {system: _form_of(value) for system, value in given.items() if value is not None}
    first = next(iter(forms), "")
    for system, form in forms.items():
        if form != forms[first]:
            raise InputError(
                f"task {name!r} is a {forms[first]} for system {first!r} and a {form} for {system!r}; use one form"
            )
    form = forms.get(first, "number")
    rows = {system: given[system] for system in forms}
    if form == "mapping":
        instances = _sorted_labels({label for row in rows.values() for label in row})
    else:
        lists = {system: list(row) if form == "list" else [row] for system, row in rows.items()}
        length = len(next(iter(lists.values()), [None]))
        for system, row in lists.items():
            if len(row) != length:
                raise InputError(
                    f"task {name!r}: system {first!r} has {length} scores and system {system!r} has {len(row)}; give "
                    "each system one score per instance (None if missing), or a mapping from instances to scores"
                )
        rows, instances = {system: dict(enumerate(row)) for system, row in lists.items()}, np.arange(length)
    if not instances.size:
        raise InputError(f"task {name!r} has no instances")
    written = int if instances.dtype.kind == "i" else str
    place = {label: column for column, label in enumerate(instances.tolist())}
    values = np.full((len(systems), len(place)), np.nan)
    for system, row in rows.items():
        columns = [place[written(label)] for label in row]
        if len(set(columns)) < len(row):
            raise InputError(
                f"task {name!r}, system {system!r}: two instances have the same label as text; rename one of them"
            )
        values[systems.index(system), columns] = [_number(value, name, system) for value in row.values()]
    return Task.cut(name, values, systems=systems, instances=instances if form == "mapping" else None)


def _form_of(value: Any) -> str:
    if isinstance(value, Mapping):
        return "mapping"
    return "number" if isinstance(value, Real | str) or np.ndim(value) == 0 else "list"


def _sorted_labels(labels: Iterable[Any]) -> NDArray[Any]:
    """Sort instance labels: integers as numbers, all others as text."""
    listed = list(labels)
    if all(isinstance(label, int) and not isinstance(label, bool) and abs(label) < 2**63 for label in listed):
        return np.array(sorted(listed), dtype=np.int64)
    return np.array(sorted({str(label) for label in listed}), dtype=np.dtypes.StringDType())


def _number(value: Any, task: str, system: str) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, str) or not isinstance(value, Real | np.generic | np.ndarray):
        raise InputError(f"task {task!r}, system {system!r}: {value!r} is not a number; use None for a missing score")
    return float(value)
