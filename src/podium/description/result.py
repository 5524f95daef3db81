"""What is in a score table before anybody ranks it: shape, missing scores, directions and ties; and how it is shown."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen, plain
from podium.base.words import DASH, Counted, are, few, how_many, rounded_percent, significant
from podium.report.result import Result
from podium.report.view import Column, Table, View, with_error
from podium.score.noise import run_noise
from podium.score.repeat import RepeatVariance
from podium.score.task import Task


class Noise(NamedTuple):
    """Noise of a task by runs and by instances; NaN where it is not known.

    Attributes
    ----------
    two_runs
        By how much the means of two single runs of one system differ in 95% of cases, see
        `podium.score.noise.RunNoise`.
    std_error
        Of the mean of a system, root mean square over systems, for other instances and other runs.
    run_share
        Share of its square that runs are.
    items_doubled, runs_doubled
        The standard error with twice as many instances, and with twice as many runs of each.
    """

    two_runs: float
    std_error: float
    run_share: float
    items_doubled: float
    runs_doubled: float

    @classmethod
    def of(cls, task: Task, errors: Floats) -> Self | None:
        """Split standard errors `(N,)` of the means of a task, which are for other instances; None of no repeats."""
        found = run_noise(task)
        if found is None:
            return None
        known = ~np.isnan(found.mean) & ~np.isnan(errors)
        if not known.any():
            return cls(found.difference, *[math.nan] * 4)
        common = max(float(found.common[known].mean()), 0.0)
        items = float((errors[known] ** 2).mean())
        whole = items + common
        runs = min(max(float(found.mean[known].mean()), 0.0), whole)
        doubled = math.sqrt(items / 2 + common), math.sqrt(whole - runs / 2)
        return cls(found.difference, math.sqrt(whole), runs / whole if whole else math.nan, *doubled)


@dataclass(frozen=True, slots=True)
class TaskDescription:
    """One task: size, direction, holes and ties.

    Attributes
    ----------
    name, n_instances, higher_is_better, weight
        As in the table.
    n_cells, n_scored
        Cells (systems × instances), and those that hold a score.
    pairs, tied, near
        Pairs of scores of the same instance; those that tie; those that do not but differ by at most 1e-9.
    repeats
        Variances between instances and between repeats, where scores are means over repeats; otherwise None.
    clusters
        How many clusters the instances are in, or None.
    family
        Name of the family of the task, if it shares one with others; otherwise None.
    noise
        What runs and instances add to the noise of its means; None without repeats, or of another statistic of them.
    """

    name: str
    n_instances: int
    higher_is_better: bool
    weight: float
    n_cells: int
    n_scored: int
    pairs: int
    tied: int
    near: int
    repeats: RepeatVariance | None = None
    clusters: int | None = None
    family: str | None = None
    noise: Noise | None = None

    @property
    def variances(self) -> tuple[float, float]:
        """Variance between instances, and between repeats of one: means over systems; NaN where nothing is known."""
        if self.repeats is None:
            return math.nan, math.nan
        known = np.isfinite(self.repeats.between)
        if not known.any():
            return math.nan, math.nan
        return float(self.repeats.between[known].mean()), float(self.repeats.within[known].mean())

    def as_row(self, names: Iterable[str], *, variances: bool, clusters: bool, families: bool) -> dict[str, Any]:
        """Return fields as plain values, and variances, number of clusters and family if they are wanted."""
        row = {name: getattr(self, name) for name in names}
        if families:
            row["family"] = self.family
        if clusters:
            row["n_clusters"] = self.clusters
        if variances:
            row |= plain(dict(zip(VARIANCES, self.variances, strict=True)))
            row |= plain((self.noise or Noise(*[math.nan] * 5))._asdict())
        return row


@dataclass(frozen=True, slots=True, eq=False)
class CovariateDescription(Frozen):
    """A covariate measured beside the scores, such as cost.

    Attributes
    ----------
    name, unit
        As in the table; the unit is empty where the name does not say it.
    means
        Shape `(N,)`: of each system, the mean over tasks of means over instances; NaN where nothing is known.
    missing
        Shape `(N,)`: how many scores of each system stand without it.
    """

    name: str
    unit: str
    means: NDArray[np.float64]
    missing: NDArray[np.int64]


#: What variances are called in rows and files.
VARIANCES = ("variance_between_instances", "variance_between_repeats")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Description(Result):
    """A score table in numbers.

    Attributes
    ----------
    systems
        The N labels.
    tasks
        One entry per task.
    scored
        Shape `(N, T)`: on how many instances of each task each system has a score.
    means, std_errors
        Shape `(N, T)`: mean of each system over the instances of each task, and its standard error, of whole clusters
        where there are any; see `podium.score.task.mean_scores`. NaN where unknown.
    notes
        What reading left out or made up.
    backend
        Library of the frames that `to_frame` returns by default.
    battles
        Whether instances are battles of two systems, so that the scores of all others are not missing.
    covariates
        What was measured beside the scores, such as cost or time.

    Examples
    --------
    >>> import podium
    >>> description = podium.info(podium.datasets.xtreme_missing())
    >>> description.tasks[0].n_scored, description.n_cells
    (7, 40)
    """

    schema: ClassVar[str] = "description"
    _beyond_rows: ClassVar[str] = "these rows are the tasks only; -f json and -f table also have the systems"
    _row_key: ClassVar[str] = "tasks"

    systems: tuple[str, ...]
    tasks: tuple[TaskDescription, ...]
    scored: NDArray[np.int64]
    means: NDArray[np.float64]
    std_errors: NDArray[np.float64]
    notes: tuple[str, ...]
    backend: str = "pyarrow"
    battles: bool = False
    covariates: tuple[CovariateDescription, ...] = ()

    @property
    def title(self) -> str:
        """Return how many systems, tasks and instances there are, and how many scores are missing, in words.

        >>> import podium
        >>> podium.info(podium.datasets.xtreme_missing()).title
        '10 systems, 4 tasks, one score per task: 18 of 40 scores missing (45.0%)'
        """
        if self.battles:
            shape = f"{how_many(len(self.systems), 'system')}, {how_many(len(self.tasks), 'task')}"
            return f"{shape}, {how_many(self.n_scored // 2, 'battle')} of two systems each"
        missing = self.n_cells - self.n_scored
        share = f" ({share_of(missing, self.n_cells)})" if missing else ""
        alone = self.n_instances == len(self.tasks)
        return (
            f"{how_many(len(self.systems), 'system')}, {how_many(len(self.tasks), 'task')}, "
            f"{'one score per task' if alone else how_many(self.n_instances, 'instance')}: "
            f"{missing:,} of {how_many(self.n_cells, 'score')} missing{share}"
        )

    @property
    def n_instances(self) -> int:
        """Return instances of all tasks together."""
        return sum(task.n_instances for task in self.tasks)

    @property
    def n_cells(self) -> int:
        """Cells, scored or missing."""
        return sum(task.n_cells for task in self.tasks)

    @property
    def n_scored(self) -> int:
        """Cells that hold a score."""
        return sum(task.n_scored for task in self.tasks)

    @property
    def repeated(self) -> bool:
        """Return whether some scores are means over repeats."""
        return any(task.repeats is not None for task in self.tasks)

    @property
    def clustered(self) -> bool:
        """Return whether the instances of some tasks are in clusters."""
        return any(task.clusters is not None for task in self.tasks)

    @property
    def related(self) -> bool:
        """Return whether some tasks are in one family."""
        return any(task.family not in {None, task.name} for task in self.tasks)

    @property
    def averaged(self) -> bool:
        """Return whether some tasks have several instances, so that means have standard errors."""
        return any(task.n_instances > 1 for task in self.tasks)

    @property
    def _beside(self) -> dict[str, bool]:
        return {"variances": self.repeated, "clusters": self.clustered, "families": self.related}

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per task.

        >>> import podium
        >>> podium.info(podium.datasets.xtreme_missing()).rows()[0]["n_scored"]
        7
        """
        order = ("higher_is_better", "weight", "n_instances", "n_cells", "n_scored", "pairs", "tied", "near")
        return [{"task": task.name} | task.as_row(order, **self._beside) for task in self.tasks]

    def view(self) -> View:
        """Return what it looks like: title, tables and notes."""
        return view_description(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        beside = {"repeats", "clusters", "family", "noise"}
        names = [field.name for field in fields(TaskDescription) if field.name not in beside]
        return {
            "n_systems": len(self.systems),
            "n_tasks": len(self.tasks),
            **{name: getattr(self, name) for name in ("n_instances", "n_cells", "n_scored")},
            "tasks": [task.as_row(names, **self._beside) for task in self.tasks],
            "systems": [self._system(place, system) for place, system in enumerate(self.systems)],
        }

    def _system(self, place: int, system: str) -> dict[str, Any]:
        names = [task.name for task in self.tasks]
        row: dict[str, Any] = {"system": system, "scored": dict(zip(names, self.scored[place].tolist(), strict=True))}
        if self.averaged:
            row["mean"] = plain(dict(zip(names, self.means[place].tolist(), strict=True)))
            row["std_error"] = plain(dict(zip(names, self.std_errors[place].tolist(), strict=True)))
        if self.covariates:
            row["covariates"] = plain({one.name: float(one.means[place]) for one in self.covariates})
        repeated = {task.name: task.repeats for task in self.tasks if task.repeats is not None}
        if repeated:
            parts = ("between", "within")
            for part, name in zip(parts, VARIANCES, strict=True):
                row[name] = plain({task: float(getattr(found, part)[place]) for task, found in repeated.items()})
        return row


def share_of(part: int, whole: int) -> str:
    """Return a percentage that is 0 or 100 only when nothing or all is meant."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1%"
    if 99.9 < share < 100:
        return ">99.9%"
    return f"{share:.1f}%"


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

_READING_NOISE = (
    "two runs differ by: the means of two single runs of one system, in 95% of cases, on average over systems",
    "std. error: of the mean of a system, for other instances and other runs; of runs: their share of its square",
    "instances ×2, runs ×2: the standard error with twice as many of them",
)

_READING_BESIDE = (
    "beside scores: means over tasks of means over instances; what is known of a whole run stands at each instance",
)


def view_description(description: Description) -> View:
    """Lay out a description.

    >>> import podium
    >>> view_description(podium.info(podium.datasets.toy_table1())).title
    '3 systems, 6 tasks, one score per task: 0 of 18 scores missing'
    """
    many = len(description.systems) > _FEW
    systems = _patterns(description) if many and not description.battles else _systems(description)
    means = (_means(description),) if description.averaged and not many else ()
    beside = () if not description.covariates else (_ranges(description) if many else _covariates(description),)
    counted = [_columns(note) for note in description.notes if isinstance(note, Counted)]
    noise = _noise(description)
    tables = (*counted, _tasks(description), *noise, systems, *means, *beside)
    explain = (*_READING, *(_READING_NOISE if noise else ()), *(_READING_BESIDE if beside else ()))
    return View(description.title, tables, description.notes, _verdict(description), explain=explain)


def _verdict(description: Description) -> tuple[str, ...]:
    """Say which systems have all scores, and which has the fewest; nothing of battles, where none has."""
    if description.battles:
        return ()
    have, most, number = description.scored.sum(axis=1), description.n_instances, len(description.systems)
    whole, least = int((have == most).sum()), int(have.argmin())
    runs = _on_runs([(task.name, task.noise) for task in description.tasks if task.noise is not None])
    if whole == number:
        return ("every system has all scores", *runs)
    others = int((have == have[least]).sum()) - 1
    fewest = f"{description.systems[least]} has the fewest: {share_of(int(have[least]), most)}"
    fewest += f", and so {'has 1 other' if others == 1 else f'have {others:,} others'}" if others else ""
    return (f"{whole or 'none'} of {how_many(number, 'system')} {are(whole)} complete; {fewest}", *runs)


def _on_runs(noise: Sequence[tuple[str, Noise]]) -> list[str]:
    """Say by how much two runs differ, and what twice the instances, or the runs, would bring."""
    said, told = [], sorted((one.two_runs, name) for name, one in noise if one.two_runs > 0)
    if told:
        (low, least), (high, most) = ((significant(size), name) for size, name in (told[0], told[-1]))
        sizes = low if low == high else f"{low} ({least}) to {high} ({most})"
        said.append(f"two single runs of one system differ by up to {sizes} in 95% of cases")
    split = np.array([one[1:] for _, one in noise if one.std_error > 0])
    if split.size:
        share = float(split[:, 1].mean())
        left = np.sqrt(((split[:, 2:] / split[:, :1]) ** 2).mean(axis=0)).tolist()
        items, runs = (rounded_percent(1 - one) for one in left)
        brings = f"twice the instances would cut standard errors by {items}, twice the runs by {runs}"
        said.append(f"runs are {rounded_percent(share)} of the variance of a mean, instances the rest; {brings}")
    return said


def _columns(note: Counted) -> Table:
    """Say what each column of a wide table is taken for; those that do not count come first where there are many."""
    names = sorted(note.why, key=lambda name: len(note.why) > _FEW and name in note.tasks)
    left = len(names) - _FEW
    by_name = {name: f"{note.why[name]}; lower is better, by its name" for name in note.lower}
    said = [by_name.get(name, note.why[name]).removeprefix("is ") for name in names[:_FEW]]
    more = ([f"… {left:,} more"], [""]) if left > 0 else ([], [])
    return Table(
        (Column.labels("column", [*names[:_FEW], *more[0]]), Column.words("taken for", [*said, *more[1]])), "columns"
    )


def _means(description: Description) -> Table:
    """Show means of the systems on the first tasks, with standard errors."""
    shown = description.tasks[:_COLUMNS]
    columns = [
        replace(
            Column.numbers(task.name, list(map(with_error, means.tolist(), errors.tolist()))),
            best=tuple((means == (np.fmax if task.higher_is_better else np.fmin).reduce(means)).tolist()),
        )
        for task, means, errors in zip(shown, description.means.T, description.std_errors.T, strict=False)
    ]
    which = "" if len(shown) == len(description.tasks) else f" on the first {_COLUMNS} tasks"
    names = Column.labels("mean (standard error)", description.systems)
    return Table((names, *columns), f"mean scores (standard errors){which}")


def _covariates(description: Description) -> Table:
    """Show means of what was measured beside the scores, and how many scores stand without it."""
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
    """Show the same over many systems."""
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

    def variances(place: int) -> list[str]:
        found = [task.variances[place] for task in tasks]
        return [DASH if math.isnan(one) else f"{one:.3g}".replace("-", "−") for one in found]

    of_repeats = [
        Column.numbers(f"var. between {what}", variances(place), 1)
        for place, what in enumerate(("instances", "repeats"))
        if description.repeated
    ]
    clusters = [DASH if task.clusters is None else f"{task.clusters:,}" for task in tasks]
    of_missing = Column.numbers("missing", [_counted(task.n_cells - task.n_scored, task.n_cells) for task in tasks])
    return Table(
        (
            Column.labels("task", [task.name for task in tasks]),
            Column.words("better", ["higher" if task.higher_is_better else "lower" for task in tasks]),
            Column.numbers("weight", [f"{task.weight:g}" for task in tasks]),
            Column.numbers("instances", [f"{task.n_instances:,}" for task in tasks]),
            *([Column.numbers("clusters", clusters)] if description.clustered else []),
            *([Column.words("family", [task.family or DASH for task in tasks])] if description.related else []),
            *([] if description.battles else [of_missing]),
            Column.numbers("tied pairs", [_counted(task.tied, task.pairs) for task in tasks]),
            Column.numbers("near-ties", [_counted(task.near, task.pairs) for task in tasks]),
            *of_repeats,
        ),
        "tasks",
    )


def _noise(description: Description) -> tuple[Table, ...]:
    """Show what runs and instances add to the noise of each task, if some have repeats."""
    names = [task.name for task in description.tasks if task.noise is not None]
    noise = [task.noise for task in description.tasks if task.noise is not None]
    if not noise:
        return ()
    two, errors, shares, items, runs = np.array(noise).T.tolist()

    columns = (
        Column.labels("noise", names),
        Column.numbers("two runs differ by", map(significant, two)),
        Column.numbers("std. error", map(significant, errors)),
        Column.numbers("of runs", map(rounded_percent, shares)),
        Column.numbers("instances ×2", map(significant, items)),
        Column.numbers("runs ×2", map(significant, runs)),
    )
    return (Table(columns, "noise of runs and instances"),)


def _systems(description: Description) -> Table:
    scored, whole = description.scored, description.n_instances
    lacking = (
        Column.numbers("missing", [_counted(whole - int(row.sum()), whole) for row in scored]),
        Column.words("misses", _misses(description)),
    )
    battles = (Column.numbers("battles", [f"{row.sum():,}" for row in scored]),)
    shares = [f"{(row > 0).sum():,}/{len(row):,}" for row in scored]
    columns = Column.labels("system", description.systems), Column.numbers("tasks scored", shares)
    return Table((*columns, *(battles if description.battles else lacking)), "systems")


def _patterns(description: Description) -> Table:
    """Group the systems by the tasks they miss, wholly or in part."""
    common = sorted(Counter(_misses(description)).items(), key=lambda item: (-item[1], item[0]))
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


def _counted(part: int, whole: int) -> str:
    return f"{part:,} ({share_of(part, whole)})" if part else "0"
