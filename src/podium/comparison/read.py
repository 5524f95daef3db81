"""Known effects and moderators: checked as they are given, or read from a table."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import isinf, isnan
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.check import as_number, texts
from podium.base.errors import InputError, LabelError, nearest
from podium.base.words import few, how_many, with_names
from podium.comparison.effects import EFFECTS, EffectName
from podium.comparison.pooling import LEAST
from podium.source.table import by_role, check_keywords, find_roles, lacks, naming

if TYPE_CHECKING:
    from podium.source.table import SourceTable

#: Usual names of columns, by role.
_NAMES = {
    "task": ("task", "study", "dataset", "benchmark", "name", "label"),
    "effect": ("effect", "estimate", "yi", "effect_size", "difference"),
    "variance": ("variance", "vi", "var"),
    "std_error": ("std_error", "se", "sei", "stderr", "standard_error"),
    "r": ("r", "ri", "correlation", "corr", "cor"),
    "n": ("n", "ni", "n_instances", "instances", "sample_size"),
    "group": ("group", "subgroup"),
    "cluster": ("cluster",),
    "measure": ("measure",),
}

_TEXTS = ("task", "group", "cluster", "measure")


#: No effect that is given is larger, nor the least variance than a power of it: beyond, τ² loses digits.
_LARGEST, _LEAST_AT_MOST = 1e30, 1e100

#: Share of the largest eigenvalue of correlations below which one is 0.
_SINGULAR = 1e-10

#: Moderators larger than this, or smaller than its inverse, have squares that no number holds.
_HUGE = 1e150


def given_effects(
    effects: ArrayLike, variances: ArrayLike, tasks: Sequence[str] | None, n: Sequence[int | None] | None
) -> tuple[Floats, Floats, list[str], list[int | None]]:
    """Return known effects, their variances or covariance matrix, their tasks and numbers of instances.

    Raises
    ------
    InputError
        There are no effects, or not in one list; there are more or fewer variances, tasks or numbers of
        instances; a task is there twice; an effect is not finite, a variance not finite and at least
        10⁻⁶⁰, or a number of instances no whole number from 0 up; effects are beyond ±10³⁰, or all variances 10¹⁰⁰; or
        a matrix is no covariance, see `_check_covariance`.
    """
    y, whole = _numbers("effects", effects), _numbers("variances", variances)
    labels = [f"task {number}" for number in range(1, y.size + 1)] if tasks is None else texts("task", tasks)
    given: Any = [None] * y.size if n is None else n
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"n is {given!r}; give one for each task")
    instances = list(given)
    if whole.ndim == 2:
        _check_covariance(whole, labels)
    _check_given(y, np.diagonal(whole) if whole.ndim == 2 else whole, labels, instances)
    return y, whole, labels, instances


def _check_given(y: Floats, v: Floats, labels: Sequence[str], instances: Sequence[Any]) -> None:
    """Refuse effects that cannot be pooled, or that do not fit their variances, tasks and numbers of instances."""
    if y.ndim != 1 or not y.size:
        raise InputError(f"effects have shape {y.shape}; give a list of at least one")
    for what, number in (("variances", v.size), ("labels", len(labels)), ("numbers n", len(instances))):
        if number != y.size:
            raise InputError(f"there are {y.size} effects and {number} {what}; give one for each effect")
    if len(set(labels)) < len(labels):
        twice = next(task for task in labels if labels.count(task) > 1)
        raise InputError(f"task {twice!r} appears twice; give each a name of its own")
    for one in instances:
        if one is not None and not (isinstance(one, int | np.integer) and 0 <= one <= 2**53):
            raise InputError(f"n is {one!r}; it must be a whole number of instances, at most 2**53, or None")
    for task, effect, variance in zip(labels, y.tolist(), v.tolist(), strict=True):
        if not (np.isfinite(effect) and np.isfinite(variance) and variance >= LEAST):
            raise InputError(
                f"task {task!r} has effect {effect} and variance {variance}; the effect must be finite, and the "
                f"variance finite and above 0, {LEAST:g} or more"
            )
        if abs(effect) > _LARGEST or v.min() > _LEAST_AT_MOST:
            raise InputError(
                f"task {task!r} has effect {effect:g} and variance {variance:g}; give both in larger units"
            )


def _numbers(what: str, given: ArrayLike) -> Floats:
    """Return a list of numbers, NaN where a mask hides one."""
    try:
        if np.ma.isMaskedArray(given):
            given = np.ma.filled(np.ma.asarray(given, dtype=np.float64), np.nan)
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a list of numbers") from None


def _check_covariance(covariance: Floats, tasks: Sequence[str]) -> None:
    """Refuse a matrix that is no covariance, or has no inverse.

    Raises
    ------
    InputError
        It is not square, not symmetric, has a number that is not finite or a variance that is not above 0; or some
        effects depend on each other completely; the message names them.
    """
    shape = covariance.shape
    if shape != (len(tasks), len(tasks)):
        raise InputError(f"variances have shape {shape}; give one for each effect, or a matrix of {len(tasks)} rows")
    if not np.isfinite(covariance).all() or not (np.diagonal(covariance) > 0).all():
        raise InputError("a covariance matrix must be finite, with variances above 0 on its diagonal")
    if not np.allclose(covariance, covariance.T, rtol=1e-9, atol=0):
        raise InputError("a covariance matrix must be symmetric; give the same number for (a, b) and for (b, a)")
    deviation = np.sqrt(np.diagonal(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    off = np.abs(np.triu(correlation, 1))
    if len(tasks) > 1 and off.max() > 1 - _SINGULAR:
        one, other = (tasks[place] for place in np.unravel_index(off.argmax(), off.shape))
        if off.max() > 1 + _SINGULAR:
            raise InputError(f"the covariance of {one!r} and {other!r} is larger than their variances allow")
        raise InputError(f"the effects on {one!r} and {other!r} correlate perfectly; leave one of the two out")
    values, axes = np.linalg.eigh(correlation)
    if values[0] < -_SINGULAR * len(tasks):
        raise InputError("the covariance matrix has a negative eigenvalue, so no effects can vary together like this")
    if values[0] < _SINGULAR * values[-1]:
        name = tasks[int(np.abs(axes[:, 0]).argmax())]
        raise InputError(f"the effect on {name!r} follows from the others, as a mean of them does; leave it out")


def moderator_values(name: str, given: Any, tasks: Sequence[str]) -> tuple[float, ...] | tuple[str, ...]:
    """Return one value of a moderator for each task, all numbers or all texts.

    Raises
    ------
    InputError
        A task has none, or there are more or fewer than tasks; numbers and texts are mixed; or a number is not finite.
    """
    if isinstance(given, Mapping):
        values: list[Any] = [given.get(task) for task in tasks]
    elif (
        isinstance(given, str | bytes | AbstractSet) or not hasattr(given, "__len__") or getattr(given, "ndim", 1) == 0
    ):
        raise InputError(f"moderator {name!r} is {given!r}; give one value for each task")
    elif len(given) != len(tasks):
        raise InputError(f"moderator {name!r} has {len(given)} values for {len(tasks)} tasks; give one for each task")
    else:
        values = list(given)
    if gone := [task for task, value in zip(tasks, values, strict=True) if _missing(value)]:
        raise InputError(with_names(f"moderator {name!r} has no value for ", gone, "; give one, or leave the task out"))
    if all(isinstance(one, str) for one in values):
        return tuple(str(one) for one in values)
    for task, value in zip(tasks, values, strict=True):
        if not isinstance(value, Real | np.bool_):
            raise InputError(f"moderator {name!r} is {value!r} on task {task!r}; give only numbers, or only texts")
        if isinf(as_number(value)):
            raise InputError(f"moderator {name!r} is {as_number(value):g} on task {task!r}; give a finite number")
        if value and not 1 / _HUGE <= abs(float(value)) <= _HUGE:
            raise InputError(
                f"moderator {name!r} is {value:g} on task {task!r}; give it in other units, from 1e-150 to 1e150"
            )
    return tuple(float(one) for one in values)


def _missing(value: Any) -> bool:
    """Say whether there is none; pandas has values of its own for that, which differ from themselves or from all."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    return isinstance(value, float | np.floating) and isnan(value)


@dataclass(frozen=True, slots=True, eq=False)
class GivenEffects(Frozen):
    """Effects from a table, for `podium.pool`.

    Attributes
    ----------
    tasks
        The k labels.
    effects, variances
        Shape `(k,)`, on the scale of pooling.
    n
        Numbers of instances; None if not given.
    kind
        Kind of effects, from `podium.comparison.effects.EFFECTS`.
    groups
        Headings and the tasks below each.
    clusters
        Names of clusters and the tasks in each.
    moderators
        By column: one number, NaN where its cell is empty, or one text for each task.
    notes
        Notes about rows that are left out.
    """

    tasks: tuple[str, ...]
    effects: Floats
    variances: Floats
    n: tuple[int | None, ...]
    kind: EffectName | Literal["given"]
    groups: Mapping[str, Sequence[str]]
    clusters: Mapping[str, Sequence[str]]
    moderators: Mapping[str, Sequence[float | str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_effects(
    source: str | Path,
    *,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
    moderators: Sequence[str] = (),
    **columns: str | None,
) -> GivenEffects:
    r"""Read a table with one effect per row.

    The table needs a column of effects ("effect", "estimate", "yi") and a column of variances ("variance", "vi") or of
    standard errors ("std_error", "se"). Or it needs a column of correlations ("r") and a column of numbers of
    instances ("n"); these become Fisher's z with variance 1 / (n − 3). Columns "task" (or "study"), "group", "cluster"
    and "n" are used if they exist. Column "measure" says what the effects are: "md", "smd", "rd", "corr" or "or". For
    "corr" and "or", effects are on their own scale and variances on the scale of pooling, as in the output of
    `podium compare -f csv`. Rows without an effect or without a variance are left out, and a note says so.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, or "-".
    format, table
        As for `podium.read`.
    moderators
        Columns with properties of the tasks, for `podium.pool`.
    columns
        Names of columns, if they have other names: `task_column`, `effect_column`, `variance_column`,
        `std_error_column`, `r_column`, `n_column`, `group_column`, `cluster_column` or `measure_column`. If `r_column`
        is named, columns of effects and variances are ignored.

    Raises
    ------
    InputError
        The file cannot be read, or a number is impossible; the message says where, and what to do.
    LabelError
        A column does not exist.
    TypeError
        A keyword is neither an argument nor a role.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "effects.csv")
    ...     _ = path.write_text("study,yi,vi\nA,0.1,0.01\nB,0.3,0.02\n")
    ...     read_effects(path).effects
    array([0.1, 0.3])
    """
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    check_keywords(read_effects, columns, [f"{role}_column" for role in _NAMES])
    opened = open_table(source, format, table)
    roles = _roles(opened.name, opened.names, by_role(columns))
    return _given(opened, *_cells(opened, roles, _kinds(opened, texts("moderator", moderators))))


def read_moderators(source: str | Path, names: Sequence[str]) -> dict[str, dict[str, float | str]]:
    r"""Read properties of tasks from a table with one row for each task, recognised by the usual names of its column.

    Returns
    -------
    dict
        By column: by task a number or a text; cells that are empty are left out.

    Raises
    ------
    InputError
        The file cannot be read, has no column of tasks, or a task twice.
    LabelError
        There is no such column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tasks.csv")
    ...     _ = path.write_text("task,size,domain\nrte,2490,web\nsst2,67349,film\n")
    ...     read_moderators(path, ["size", "domain"])
    {'size': {'rte': 2490.0, 'sst2': 67349.0}, 'domain': {'rte': 'web', 'sst2': 'film'}}
    """
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    opened, names = open_table(source, None, None), texts("moderator", names)
    roles = find_roles(opened.names, {"task": _NAMES["task"]}, {})
    if "task" not in roles:
        raise lacks(opened.name, 'the table needs a column "task" that says which task a row is about', opened.names)
    cells, columns = _cells(opened, roles, _kinds(opened, names))
    tasks = [label or "" for label in cells["task"]]
    for row, task in enumerate(tasks):
        if task in tasks[:row]:
            raise InputError(f"{opened.name}, {opened.where(row)}: task {task!r} has a row already; keep one")
    return {
        name: {task: value for task, value in zip(tasks, columns[name], strict=True) if not _missing(value)}
        for name in names
    }


def _kinds(opened: "SourceTable", names: Sequence[str]) -> dict[str, str]:
    """Say of each column whether it holds "texts" or "numbers".

    Raises
    ------
    LabelError
        There is no such column.
    """
    kinds = {column.name: column.kind for column in opened.columns}
    for name in names:
        if name not in kinds:
            raise LabelError.unknown("column", name, kinds)
    return {name: "texts" if kinds[name] in {"text", "empty"} else "numbers" for name in names}


def _roles(where: str, names: Sequence[str], given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the column by role: the given one, else the first usual name that occurs."""
    roles = find_roles(names, _NAMES, given)
    if given.get("r") is not None:
        others = ("effect", "variance", "std_error")
        if said := [role for role in others if given.get(role) is not None]:
            one, other = naming("r"), naming(said[0])
            raise InputError(f"{one} and {other} are both named; take the first for correlations, else the second")
        roles = {role: name for role, name in roles.items() if role not in {*others, "measure"}}
    complete = ("effect" in roles and ("variance" in roles or "std_error" in roles)) or {"r", "n"} <= roles.keys()
    if not complete:
        what = "the table needs a column of effects and one of variances or standard errors, or correlations r and"
        raise lacks(where, f"{what} numbers n; name them, as with {naming('effect')}", names)
    return roles


def _cells(
    opened: "SourceTable", roles: Mapping[str, str], others: Mapping[str, str]
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Return texts and numbers, by role, and of other columns by name; NaN if a cell is empty."""
    from podium.source.labels import read_whole  # noqa: PLC0415  # import Arrow only to read

    kinds = {name: "texts" if role in _TEXTS else "numbers" for role, name in roles.items()}
    wanted = {**others, **kinds}
    texts, numbers = ([name for name, kind in wanted.items() if kind == which] for which in ("texts", "numbers"))
    whole = read_whole(opened, texts=texts, numbers=numbers)

    def cells(name: str) -> list[Any]:
        return list(whole.texts[name]) if wanted[name] == "texts" else whole.numbers[name].tolist()

    return {role: cells(name) for role, name in roles.items()}, {name: cells(name) for name in others}


def _given(opened: "SourceTable", cells: Mapping[str, list[Any]], moderators: Mapping[str, list[Any]]) -> GivenEffects:
    count = len(next(iter(cells.values())))
    nothing = np.full(count, np.nan)
    numbers = {role: np.array(cells.get(role, nothing), dtype=np.float64) for role in _NAMES if role not in _TEXTS}
    tasks = [label or f"row {row + 1}" for row, label in enumerate(cells.get("task") or [None] * count)]
    kind: Any = _kind(opened.name, cells)
    n = numbers["n"]
    fraction = ~np.isnan(n) & ((n < 0) | (n != np.floor(n)) | (n > 2.0**53))  # above are no counts, but holes in them
    _refuse(opened, fraction, "n is {:g}; it must be a whole number of instances, at most 2**53", n)
    effects, variances = _pooled_scale(opened, numbers, kind)
    here = ~(np.isnan(effects) | np.isnan(variances))
    what = "the variance must be greater than 0" if "effect" in cells else "n must be greater than 3"
    _refuse(opened, here & ~(variances > 0), f"{what}; correct the row, or leave its effect empty", variances)
    kept = np.flatnonzero(here).tolist()
    if not kept:
        raise InputError(f"{opened.name}: no row has both an effect and its variance")
    left = [tasks[row] for row in range(count) if not here[row]]
    note = with_names(f"{how_many(len(left), 'row')} left out because effect or variance is missing: ", left)
    return GivenEffects(
        tasks=tuple(tasks[row] for row in kept),
        effects=effects[here],
        variances=variances[here],
        n=tuple(None if np.isnan(n[row]) else int(n[row]) for row in kept),
        kind=kind,
        groups=_listed(cells.get("group"), tasks, kept),
        clusters=_listed(cells.get("cluster"), tasks, kept),
        moderators={name: [values[row] for row in kept] for name, values in moderators.items()},
        notes=(note,) if left else (),
    )


def _listed(names: Sequence[str | None] | None, tasks: Sequence[str], kept: Sequence[int]) -> dict[str, list[str]]:
    """Return tasks below each name of a column, if there is one."""
    listed: dict[str, list[str]] = {}
    for row in kept:
        if names is not None and (name := names[row]):
            listed.setdefault(name, []).append(tasks[row])
    return listed


def _kind(where: str, cells: Mapping[str, list[Any]]) -> str:
    """Return the kind of the effects."""
    if "effect" not in cells:
        return "corr"
    said = {text.strip().lower() for text in cells.get("measure", []) if text}
    if len(said) > 1:
        raise InputError(
            f"{where}: effects of different measures ({few(sorted(said))}) cannot be pooled; keep one measure"
        )
    kind = said.pop() if said else "given"
    if kind not in EFFECTS:
        raise InputError(f"{where}: there is no measure {kind!r}; {nearest(kind, EFFECTS)}")
    return kind


def _pooled_scale(opened: "SourceTable", numbers: Mapping[str, Floats], kind: str) -> tuple[Floats, Floats]:
    """Return effects and variances on the scale of pooling."""
    effects, given, errors = numbers["effect"], numbers["variance"], numbers["std_error"]
    squares = np.copysign(errors**2, errors)  # negative values are refused with the variances
    differ = ~np.isnan(squares) & ~np.isnan(given) & ~np.isclose(squares, given, rtol=0.02)
    _refuse(opened, differ, "the variance must be std_error², but it is {:g}", squares)
    variances = np.where(np.isnan(given), squares, given)
    if kind == "corr" and np.isnan(effects).all():
        effects, more = numbers["r"], numbers["n"] - 3
        variances = np.where(more > 0, 1 / np.where(more > 0, more, 1.0), np.where(np.isnan(more), np.nan, 0.0))
    if kind == "corr":
        _refuse(opened, np.abs(effects) >= 1, "a correlation must be between -1 and 1, but it is {:g}", effects)
    if EFFECTS[kind].ratio:
        _refuse(opened, effects <= 0, f"an {EFFECTS[kind].name} must be above 0, but it is {{:g}}", effects)
    return EFFECTS[kind].scale.pooled(effects), variances


def _refuse(opened: "SourceTable", wrong: NDArray[np.bool_], why: str, numbers: Floats) -> None:
    """Refuse the first wrong row; its number stands in the message."""
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"{opened.name}, {opened.where(row)}: {why.format(numbers[row])}")
