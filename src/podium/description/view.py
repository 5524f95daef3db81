"""How a description is shown."""

import math

import numpy as np

from podium.base.words import DASH, Counted, few, significant
from podium.description.result import CovariateDescription, Description, share_of
from podium.report.number import with_error
from podium.report.table import Column, Table
from podium.report.view import View

#: Up to this many systems are described one by one; more are grouped by what is missing.
_FEW = 40

#: Patterns of missing scores shown at most.
_PATTERNS = 20

#: Tasks that a system misses, named at most.
_NAMED = 5

#: Tasks whose means are shown.
_COLUMNS = 12

_READING = (
    "better: whether a higher or a lower score is better",
    "tied pairs: pairs of systems with the same score on the same instance",
    "near-ties: pairs that differ by at most 1e-9 without being equal",
    "standard error: of the mean, for other instances of the task; of whole clusters where there are any",
)

_READING_BESIDE = (
    "beside scores: means over tasks of means over instances; what is known of a whole run stands at each instance",
)


def view_description(description: Description) -> View:
    """Lay out a description.

    >>> import podium
    >>> view_description(podium.describe(podium.datasets.toy_table1())).title
    '3 systems, 6 tasks, 6 instances: 0 of 18 scores missing'
    """
    many = len(description.systems) > _FEW
    systems = _patterns(description) if many and not description.battles else _systems(description)
    means = (_means(description),) if description.averaged and not many else ()
    beside = () if not description.covariates else (_ranges(description) if many else _covariates(description),)
    counted = [_columns(note) for note in description.notes if isinstance(note, Counted)]
    tables = (*counted, _tasks(description), systems, *means, *beside)
    return View(description.title, tables, description.notes, explain=(*_READING, *(_READING_BESIDE if beside else ())))


def _columns(note: Counted) -> Table:
    """What each column of a wide table is taken for; those that do not count come first where there are many."""
    names = sorted(note.why, key=lambda name: len(note.why) > _FEW and name in note.tasks)
    left = len(names) - _FEW
    by_name = {name: f"{note.why[name]}; lower is better, by its name" for name in note.lower}
    said = [by_name.get(name, note.why[name]).removeprefix("is ") for name in names[:_FEW]]
    more = ([f"… {left:,} more"], [""]) if left > 0 else ([], [])
    return Table(
        (Column.labels("column", [*names[:_FEW], *more[0]]), Column.words("taken for", [*said, *more[1]])), "columns"
    )


def _means(description: Description) -> Table:
    """Means of the systems on the first tasks, with standard errors."""
    shown = description.tasks[:_COLUMNS]
    columns = [
        Column.numbers(task.name, list(map(with_error, means.tolist(), errors.tolist())))
        for task, means, errors in zip(shown, description.means.T, description.std_errors.T, strict=False)
    ]
    which = "" if len(shown) == len(description.tasks) else f" on the first {_COLUMNS} tasks"
    names = Column.labels("mean (standard error)", description.systems)
    return Table((names, *columns), f"mean scores (standard errors){which}")


def _covariates(description: Description) -> Table:
    """Means of what was measured beside the scores, and how many scores stand without it."""
    columns = [Column.labels("mean beside scores", description.systems)]
    for one in description.covariates:
        cells = zip(one.means.tolist(), one.missing.tolist(), strict=True)
        texts = [
            significant(mean, 4) + (f" ({lacking:,} missing)" if lacking and not math.isnan(mean) else "")
            for mean, lacking in cells
        ]
        columns.append(Column.numbers(_with_unit(one), texts))
    return Table(tuple(columns), "beside scores")


def _ranges(description: Description) -> Table:
    """The same over many systems."""
    beside = description.covariates
    known = [one.means[~np.isnan(one.means)] for one in beside]
    ranges = [
        Column.numbers(word, [significant(float(found(means)), 4) if means.size else DASH for means in known])
        for word, found in (("lowest mean", np.min), ("median", np.median), ("highest mean", np.max))
    ]
    names = Column.labels("beside scores", [_with_unit(one) for one in beside])
    counts = Column.numbers("systems", [f"{means.size:,}/{len(description.systems):,}" for means in known])
    return Table((names, counts, *ranges), "beside scores")


def _with_unit(one: CovariateDescription) -> str:
    return one.name if one.unit.lower() in one.name else f"{one.name} ({one.unit})"


def _tasks(description: Description) -> Table:
    tasks = description.tasks
    repeated = [task.variances for task in tasks] if description.repeated else []
    of_repeats = [
        Column.numbers(f"var. between {what}", [_variance(pair[place]) for pair in repeated], 1)
        for place, what in enumerate(("instances", "repeats"))
        if repeated
    ]
    of_clusters = [
        Column.numbers("clusters", [DASH if task.clusters is None else f"{task.clusters:,}" for task in tasks])
    ]
    of_missing = Column.numbers("missing", [_missing(task.n_scored, task.n_cells) for task in tasks])
    return Table(
        (
            Column.labels("task", [task.name for task in tasks]),
            Column.words("better", ["higher" if task.higher_is_better else "lower" for task in tasks]),
            Column.numbers("weight", [f"{task.weight:g}" for task in tasks]),
            Column.numbers("instances", [f"{task.n_instances:,}" for task in tasks]),
            *(of_clusters if description.clustered else []),
            *([Column.words("family", [task.family or DASH for task in tasks])] if description.related else []),
            *([] if description.battles else [of_missing]),
            Column.numbers("tied pairs", [_of_pairs(task.tied, task.pairs) for task in tasks]),
            Column.numbers("near-ties", [_of_pairs(task.near, task.pairs) for task in tasks]),
            *of_repeats,
        ),
        "tasks",
    )


def _variance(value: float) -> str:
    return DASH if math.isnan(value) else f"{value:.3g}".replace("-", "−")


def _systems(description: Description) -> Table:
    scored = description.scored
    lacking = (
        Column.numbers("missing", [_missing(int(row.sum()), description.n_instances) for row in scored]),
        Column.words("misses", _misses(description)),
    )
    battles = (Column.numbers("battles", [f"{row.sum():,}" for row in scored]),)
    return Table(
        (
            Column.labels("system", description.systems),
            Column.numbers("tasks scored", [f"{(row > 0).sum():,}/{len(row):,}" for row in scored]),
            *(battles if description.battles else lacking),
        ),
        "systems",
    )


def _patterns(description: Description) -> Table:
    """Group the systems by the tasks they miss, wholly or in part."""
    groups: dict[str, int] = {}
    for pattern in _misses(description):
        groups[pattern] = groups.get(pattern, 0) + 1
    common = sorted(groups.items(), key=lambda item: (-item[1], item[0]))
    shown = [(pattern, str(count)) for pattern, count in common[:_PATTERNS]]
    if rest := common[_PATTERNS:]:
        shown.append((f"… {len(rest)} more patterns", str(sum(count for _, count in rest))))
    patterns, counts = zip(*shown, strict=True)
    return Table((Column.numbers("systems", counts), Column.words("miss", patterns)), "systems by what they miss")


def _misses(description: Description) -> list[str]:
    """Say of each system which tasks it lacks, and which it has only in part."""
    tasks, sizes = description.tasks, np.array([task.n_instances for task in description.tasks])
    said = []
    for row in description.scored:
        wholly, partly = np.flatnonzero(row == 0), np.flatnonzero((row > 0) & (row < sizes))
        names = [tasks[task].name for task in wholly[:_NAMED].tolist()]
        names += [f"{tasks[task].name} in part" for task in partly[:_NAMED].tolist()]
        missed = few(names, _NAMED, total=wholly.size + partly.size) or DASH
        said.append("every task" if wholly.size == len(tasks) else missed)
    return said


def _missing(scored: int, cells: int) -> str:
    missing = cells - scored
    return f"{missing:,} ({share_of(missing, cells)})" if missing else "0"


def _of_pairs(found: int, pairs: int) -> str:
    return f"{found:,} ({share_of(found, pairs)})" if found else "0"
