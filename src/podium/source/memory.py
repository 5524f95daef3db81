"""Scores from memory: arrays, dictionaries, frames, or anything else that becomes a table; and a table as a file."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import date
from functools import wraps
from inspect import CO_VARKEYWORDS
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.errors import InputError, LabelError, nearest, warn
from podium.base.file import replacing
from podium.base.parallel import Progress
from podium.base.words import LONG, with_names
from podium.score.repeat import Repeats, Statistic, WrongRepeatsError
from podium.score.table import Scores
from podium.score.task import Clusters, Task
from podium.score.units import check_clusters
from podium.source.direction import directed
from podium.source.table import USUAL, Columns, FileColumns, Layout, Runs, by_role, check_keywords, named


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
    >>> from podium.source.memory import from_arrays
    >>> from_arrays({"rte": [[1, 0, 1], [0, 1, None]]}, systems=["A", "B"])
    Scores(2 systems × 1 task, 3 instances, 1 of 6 scores missing)
    """
    tables = _by_task(arrays, None if tasks is None else _as_list_of_labels("tasks", tasks))
    first = next(iter(tables), None)
    if first is None:
        raise InputError("there are no arrays; give at least one")
    n_systems = tables[first].shape[0]
    names = (
        [f"system {number + 1}" for number in range(n_systems)]
        if systems is None
        else _as_list_of_labels("systems", systems)
    )
    for name, table in tables.items():
        if table.shape[0] != len(names):
            raise InputError(
                f"task {name!r}: the array has shape {table.shape}, but {len(names)} systems are named"
                if systems is not None
                else f"task {name!r} has shape {table.shape} and task {first!r} has shape {tables[first].shape}; the "
                "first dimension (systems) must be the same"
            )
    if instances is None and len(tables) > 1 and not isinstance(arrays, Mapping) and tables[first].shape[1] > 1:
        instances = np.arange(tables[first].shape[1])
    if isinstance(clusters, Mapping) and (unknown := [name for name in clusters if name not in tables]):
        raise LabelError.unknown("task", unknown[0], tables)
    over = None if statistic is None else Statistic(statistic)
    built = tuple(
        _task(
            name,
            _over_repeats(name, table, over, names),
            instances,
            clusters,
            systems=names,
            repeats=Repeats.of(table, over or Statistic(), runs=True) if table.ndim == 3 else None,
        )
        for name, table in tables.items()
    )
    check_clusters(built)
    scores = directed(Scores(tuple(names), built), lower=lower, higher=higher)
    return scores if families is None else scores.with_families(families)


def _as_list_of_labels(name: str, given: Any) -> list[str]:
    """Return labels as text, in their order."""
    if isinstance(given, str | bytes | Mapping | AbstractSet) or not isinstance(given, Iterable):
        raise InputError(f"{name} is {given!r}; give a list of labels, such as ['A', 'B']")
    return list(map(str, given))


def _by_task(arrays: Any, tasks: Sequence[str] | None) -> dict[str, NDArray[Any]]:
    """One array systems × instances per task, all of one type."""
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
        raise InputError(
            f"the array has shape {array.shape}; expected (systems, tasks), (systems, tasks, instances) or (systems, "
            "tasks, instances, repeats)"
        )
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
            raise InputError(
                f"statistic={statistic.name!r} is over repeats, and task {name!r} has none: its array has shape "
                f"{table.shape}; add a last axis of repeats"
            )
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
    >>> from podium.source.memory import from_dict
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
    lengths = Counter(task.n_instances for task in built if task.instances is None)
    built = tuple(
        replace(task, instances=np.arange(task.n_instances))
        if task.instances is None and task.n_instances > 1 and lengths[task.n_instances] > 1
        else task
        for task in built
    )
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


def from_frame(
    frame: Any,
    *,
    layout: Layout | None = None,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
    statistic: str | None = None,
    keep_first: bool = False,
    **columns: Unpack[Columns],
) -> Scores:
    """Take scores from a data frame, long or wide.

    A score is missing if it is null or NaN, if a column of text holds a word such as `NA` (see `read`), or if no row
    gives it.

    Parameters
    ----------
    frame
        pandas, Polars or Arrow frame, Arrow record batch or record batch reader, or any other frame that narwhals
        supports; lazy frames are computed. A pandas index that has a name or holds names counts as a column.
    layout
        "long" or "wide"; if None, the names of the columns decide.
    tasks, systems, lower, higher, families
        Selection, directions and families; see `read`.
    statistic
        What the score of an instance is of its repeats; see `read`.
    keep_first
        Of scores that contradict each other, keep the first; see `read`.
    columns
        Names of columns that podium does not recognise: `system_column`, `task_column`, `instance_column`,
        `score_column`, `metric_column`, `weight_column`, `cluster_column`, `repeat_column`, `family_column` or
        `covariate_column`; see `read`.

    Returns
    -------
    Scores
        Results that are frames come from the same library.

    Raises
    ------
    InputError
        The frame cannot be read as scores; the message names row, column and value.
    LabelError
        A column, task or system that was named does not exist.
    WeightError
        An instance weight is negative or not finite, or all instance weights of a task are zero.
    TypeError
        A keyword is neither an argument nor a role.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from podium.source.memory import from_frame
    >>> from_frame(pa.table({"model": ["A", "B"], "rte": [0.7, 0.6]}))
    Scores(2 systems × 1 task, 0 of 2 scores missing)
    """
    from podium.source.collect import collect  # noqa: PLC0415  # import Arrow only to read
    from podium.source.format.columnar import ArrowTable  # noqa: PLC0415  # the same
    from podium.source.recognise import Wishes  # noqa: PLC0415  # the same

    check_keywords(from_frame, columns, Columns.__annotations__)
    wishes = Wishes.of(
        layout,
        tasks,
        systems,
        statistic=statistic,
        columns=by_role(columns),
        lower=lower,
        higher=higher,
        keep_first=keep_first,
    )
    arrow, backend = _to_arrow(frame)
    scores = replace(collect([ArrowTable("the frame", arrow)], wishes), backend=backend)
    return scores if families is None else scores.with_families(families)


def _to_arrow(frame: Any) -> tuple[Any, str]:
    """Convert to an Arrow table, and name the library for results."""
    import narwhals as nw  # noqa: PLC0415  # only where frames are used
    import pyarrow as pa  # noqa: PLC0415  # the same

    if isinstance(frame, pa.RecordBatch | pa.RecordBatchReader):
        frame = pa.table(frame)
    try:
        known = nw.from_native(_with_index(frame))
    except nw.exceptions.DuplicateError as error:
        raise InputError(f"the frame: two columns have the same name; rename one ({_line(error)})") from error
    except TypeError as error:
        raise InputError(
            f"{type(frame).__name__} is not a data frame; convert a series with to_frame(), or use podium.read for "
            "paths, podium.from_dict for dictionaries and podium.from_arrays for arrays"
        ) from error
    if isinstance(known, nw.LazyFrame):
        known = known.collect()
    library = known.implementation.value
    backend = library if library in {"pandas", "polars"} else "pyarrow"
    try:
        return known.to_arrow(), backend
    except (TypeError, ValueError) as error:  # Arrow's and narwhals' own errors are among these
        raise InputError(f"the frame cannot be converted to Arrow: {_line(error)}") from error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _with_index(frame: Any) -> Any:
    """Turn a pandas index with names into columns, column labels into text, and columns of systems into rows."""
    from podium.source.table import check_names  # noqa: PLC0415  # only where frames are used

    if not (type(frame).__module__.startswith("pandas") and hasattr(frame, "columns")):
        return frame
    names = [*map(str, frame.index.names), *map(str, frame.columns)]
    if named(USUAL["system"], [str(frame.columns.name)]) and named(USUAL["system"], names) is None:
        frame = frame.T.infer_objects()  # the name of the columns says that these are systems
    plain = frame.index.nlevels == 1 and frame.index.name is None and frame.index.dtype.kind in "iu"
    result = frame.copy(deep=False) if plain else frame.reset_index(names=_index_names(frame))
    if plain:
        result.index = range(len(result))  # numbers of rows left by a filter are no column
    result.columns = [str(name) for name in result.columns]
    check_names("the frame", list(result.columns))
    return result


def _index_names(frame: Any) -> list[str]:
    """Return names for the levels of an index; a first level without a name holds systems if no column does."""
    names = []
    for number, name in enumerate(frame.index.names):
        free = "system" if number == 0 and "system" not in frame.columns else f"index {number + 1}"
        names.append(free if name is None else str(name))
    return names


class Frame(Protocol):
    """A data frame, of any library that `podium.from_frame` knows."""

    @property
    def columns(self) -> Any:
        """Return what every frame has."""
        ...


#: A score table, or what `podium.read`, `from_frame`, `from_dict` or `from_arrays` makes one of: a path, a glob or a
#: list of these, a frame, a dictionary, or arrays. What these have to be told, every function takes: `ReadingOptions`.
ScoresLike: TypeAlias = Scores | str | PathLike[str] | Frame | Mapping[str, Any] | ArrayLike


class ReadingOptions(FileColumns, total=False):
    """How a table is read: what `podium.read`, `from_frame`, `from_dict` and `from_arrays` take, as far as it fits.

    Of scores that are read already, tasks, systems, directions, families, weights and ties can still be said.

    Attributes
    ----------
    tasks, systems, lower, higher, families
        What counts, in which direction, and which tasks are of one data set.
    weights, tie_tolerance
        Weights of tasks, by label or glob, and differences up to which two scores tie.
    layout, statistic, keep_first, format, table, sheet, transpose, gold, tool, preset, metric, runs, as_of
        As of `podium.read`.
    """

    tasks: Iterable[str] | None
    systems: Iterable[str] | None
    lower: Iterable[str]
    higher: Iterable[str]
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None
    weights: Mapping[str, float] | None
    tie_tolerance: float
    layout: Layout | None
    statistic: str | None
    keep_first: bool
    format: str | None
    table: str | None
    sheet: str | None
    transpose: bool
    gold: str | Path | None
    tool: str | None
    preset: str | None
    metric: Iterable[str] | None
    runs: Runs
    as_of: int | str | date | None


def as_scores(
    given: "ScoresLike",
    *,
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float | None = None,
    **reading: Any,
) -> Scores:
    """Return a score table, made of what is given unless it is one already; the keywords are those of `ReadingOptions`.

    A text or path is for `podium.read`, and so is a list of them, or a dictionary of paths, frames or tables, which are
    sources with names; a frame for `from_frame`; a dictionary of dictionaries for `from_dict`; other dictionaries,
    arrays, and lists of numbers for `from_arrays`.

    Raises
    ------
    InputError
        It is nothing of this kind, or cannot be read as scores.
    TypeError
        A keyword is not for what is given.

    Examples
    --------
    >>> as_scores({"A": {"rte": 0.7, "sst2": 0.9}, "B": {"rte": 0.6}}, tasks=["rte"], lower=["rte"])
    Scores(2 systems × 1 task, 0 of 2 scores missing)
    """
    scores = _chosen(given, **reading) if isinstance(given, Scores) else _read(given, reading)
    scores = scores if weights is None else scores.with_task_weights(weights)
    return scores if tie_tolerance is None else scores.with_tie_tolerance(tie_tolerance)


def _chosen(scores: Scores, **reading: Any) -> Scores:
    """Apply what can be said of scores that are read already."""
    families = reading.pop("families", None)
    chosen = {name: reading.pop(name, None) for name in ("systems", "tasks")}
    directions = {name: reading.pop(name, ()) for name in ("lower", "higher")}
    if reading:
        raise TypeError(f"{next(iter(reading))}= is about reading, and these scores are read already; leave it out")
    if chosen != {"systems": None, "tasks": None}:
        scores = scores.select(**chosen)
    if any(directions.values()):
        scores = scores.with_directions(**directions)
    return scores if families is None else scores.with_families(families)


def _read(given: Any, reading: dict[str, Any]) -> Scores:
    listed: Any = given if isinstance(given, list | tuple) else [given]
    if listed and all(isinstance(one, str | PathLike) for one in listed):
        from podium.source.read import read  # noqa: PLC0415  # a table that is there needs no reader

        return read([fspath(one) for one in listed], **reading)

    if isinstance(given, Mapping) and given and all(map(_is_source, given.values())):
        from podium.source.named import joined, read_sources  # noqa: PLC0415  # a table that is there needs none

        return joined(read_sources(given, lambda one, name: _as_source(one, name, reading)))
    if isinstance(given, Mapping) and all(isinstance(row, Mapping) for row in given.values()):
        return from_dict(given, **reading)
    if _is_frame(given):
        return from_frame(given, **reading)
    if _holds_arrays(given):
        return from_arrays(given, **reading)
    raise InputError(f"expected a path, a frame, a dictionary, arrays or podium.Scores, not {_kind_of(given)}")


def _as_source(given: Any, name: str, reading: dict[str, Any]) -> Scores:
    from podium.source.read import read  # noqa: PLC0415  # a table that is there needs no reader

    return (
        read(fspath(given), name=name, **reading) if isinstance(given, str | PathLike) else as_scores(given, **reading)
    )


#: Names of arguments that still work until podium 0.2, with a warning, and what they are now.
RENAMED = {
    "confidence": "confidence_level",
    "replicates": "n_resamples",
    "seed": "rng",
    "threads": "n_jobs",
    "jobs": "n_jobs",
}

F = TypeVar("F", bound=Callable[..., Any])


def keywords(function: F) -> F:
    """Let a function take arguments by their old names as well, with a warning, and suggest names for unknown ones."""
    code = function.__code__
    own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    known = [*own, *([*ReadingOptions.__annotations__, "progress"] if code.co_flags & CO_VARKEYWORDS else ())]

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        for name in [name for name in named if name not in known]:
            now = RENAMED.get(name, name)
            if now not in known or now in named:
                raise TypeError(
                    f"{function.__name__}() got an unexpected keyword argument {name!r}; {nearest(name, known)}"
                )
            warnings.warn(f"{name}= is now {now}=; the old name goes with podium 0.2", DeprecationWarning, stacklevel=2)
            named[now] = named.pop(name)
        return function(*given, **named)

    return call  # type: ignore[return-value]  # it takes more


def _is_source(given: Any) -> bool:
    """Return whether it is a table by itself, so that a dictionary of such has sources with names."""
    return isinstance(given, Scores | str | PathLike) or (not isinstance(given, Mapping) and _is_frame(given))


def _is_frame(given: Any) -> bool:
    """Return whether it has columns, which are no method, or is a stream of them; a result of podium is no frame."""
    columns = not callable(getattr(type(given), "columns", len)) or hasattr(given, "__arrow_c_stream__")
    return columns and not hasattr(type(given), "_row_key")


def _holds_arrays(given: Any) -> bool:
    """Return whether it is an array, or lists or a dictionary of such; records are none."""
    listed = isinstance(given, list | tuple) and not any(isinstance(one, Mapping) for one in given)
    return listed or isinstance(given, Mapping) or hasattr(given, "__array__")


def _kind_of(given: Any) -> str:
    """Say what it is, and what to do about what is nearly right."""
    kind = type(given).__name__
    if isinstance(getattr(given, "scores", None), Scores):
        return f"{kind}; take the .scores of it"
    return f"{kind} of dictionaries; make a frame of it" if isinstance(given, list | tuple) else kind


@keywords
def convert(
    scores: "ScoresLike", path: str | Path, *, progress: Progress | None = None, **reading: Unpack[ReadingOptions]
) -> Scores:
    """Write scores as one long table: a row per score, with all that a ranking depends on.

    Columns are task, system, score and direction ("higher" or "lower"); where there are any also instance, repeat,
    weight (of the instance), cluster, the statistic of repeats, the family of the task, and covariates. `read`
    recognises such a table by these columns, and rankings of it are the same to the last digit. A score is empty if it
    is missing.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, such as a folder that a tool wrote, a frame, a dictionary or arrays, see
        `podium.ScoresLike`.
    path
        File that ends in .parquet, .feather, .csv, .tsv or .jsonl; text also in .gz, .zst, .bz2 or .xz behind it. It is
        written whole or not at all.
    progress
        Called with the number of cells written, scored or missing, and the number there are.

    Returns
    -------
    Scores
        What was written.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    OutputError
        The file cannot be written, its ending names no format, or a covariate has the name of another column.

    Warns
    -----
    PodiumWarning
        The table does not hold something that rankings depend on, such as weights of tasks.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> path = Path(tempfile.mkdtemp(), "scores.csv")
    >>> podium.convert({"A": {"rte": 0.7}, "B": {"rte": None}}, path)
    Scores(2 systems × 1 task, 1 of 2 scores missing)
    >>> print(path.read_text())
    task,system,score,direction
    rte,A,0.7,higher
    rte,B,,higher
    <BLANKLINE>
    """
    from podium.source.canonical import FORMATS_OF_TEXT, LongTable, format_of, lost_of, writing  # noqa: PLC0415

    format, compression = format_of(path)  # noqa: A001  # the word people use
    scores = as_scores(scores, **reading)
    table = LongTable(scores, format)
    if lost := lost_of(scores, text=format in FORMATS_OF_TEXT):
        warn(with_names("the table does not hold ", lost, ", without which it may rank otherwise", room=LONG))
    with replacing(Path(path)) as file, writing(file, format, compression, table.schema) as write:
        for rows in table.pieces(progress):
            write(rows)
    return scores
