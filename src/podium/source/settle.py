"""From runs, as tools wrote them, to one table: which run counts, which metric, and what equal names are called."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import isinf, nan
from typing import Any

import numpy as np
import pyarrow as pa

from podium.base.check import is_one_of, matching
from podium.base.errors import InputError
from podium.base.words import LONG, are, as_typed, few, how_many, one_a_kind, with_names
from podium.source.clustered import in_clusters
from podium.source.direction import metric_is_lower
from podium.source.number import as_arrow, words_as_arrow
from podium.source.several import apart, are_apart, averaged, counted, grouped, is_seed
from podium.source.tool.run import Floats, Run, Samples

#: Which of several runs of a system on a task count.
RUNS = ("newest", "all", "apart")


@dataclass(frozen=True, slots=True)
class Settled:
    """Runs that count, under the names of their systems and tasks.

    Attributes
    ----------
    runs
        By system and task, the runs whose scores count; several are repeats.
    lower, higher
        Tasks whose direction is known.
    notes
        What was chosen and what was left out.
    """

    runs: Mapping[tuple[str, str], Sequence[Run]]
    lower: tuple[str, ...]
    higher: tuple[str, ...]
    notes: tuple[str, ...]


def settle(
    found: Iterable[Run],
    *,
    metric: Sequence[str] | None = None,
    runs: str = "newest",
    tasks: Sequence[str] | None = None,
) -> Settled:
    """Decide what counts.

    Parameters
    ----------
    found
        In any order, which changes nothing.
    metric
        Patterns of metrics to keep; by default the main one of each task that most systems have.
    runs
        "newest": of several runs of a system on a task the newest; "all": each is a repeat; "apart": each is a system.
    tasks
        Patterns of tasks whose instances must be the same in all files; by default all.

    Raises
    ------
    LabelError
        No task has a metric that was named, or there is no such task.
    InputError
        Two instances of equal labels differ, or a task has more than one direction.

    Examples
    --------
    >>> runs = [Run("a.json", "A", "qa", "acc", 0.5), Run("a.json", "A", "qa", "f1", 0.6, place=1)]
    >>> settled = settle(runs)
    >>> [run.mean for run in settled.runs["A", "qa"]], settled.notes
    ([0.5], ('qa is scored by acc; the files have f1 too (--metric)',))
    """
    _check_runs(runs)
    ordered = sorted(found, key=lambda run: (run.system, run.task, run.made, run.where, run.place))
    ordered = apart(ordered) if runs == "apart" else ordered
    named, notes = _tasks_named(ordered)
    chosen, about_metrics = _of_metrics(named, metric)
    systems, about_systems = _systems_named(chosen)
    chosen_runs, about_runs = counted(systems, runs)
    whole, about_means = _alike(chosen_runs)
    whole, about_infinite = _finite(whole)
    lower, higher, about_directions = _directions(whole)
    names = list(dict.fromkeys(task for _, task in whole))
    asked = set(names if tasks is None or not names else matching("task", tasks, names))
    _check_instances({key: runs_of for key, runs_of in whole.items() if key[1] in asked})
    said = one_a_kind(note for runs_of in whole.values() for run in runs_of for note in run.notes)
    chosen_by = (*notes, *about_metrics, *about_systems, *about_runs, *about_means)
    return Settled(whole, lower, higher, (*chosen_by, *about_infinite, *about_directions, *said))


def _check_runs(runs: str) -> None:
    if not is_one_of(runs, RUNS):
        raise InputError(f"runs={runs!r} (--runs) must be 'newest', 'all' or 'apart'")


def _differing(settings: Sequence[Mapping[str, str]]) -> list[str]:
    """Settings that are not the same for all, but seeds, since runs with other seeds are repeats."""
    names = [name for name in dict.fromkeys(chain.from_iterable(settings)) if not is_seed(name)]
    return [name for name in names if len({one.get(name, "") for one in settings}) > 1]


def _with(name: str, settings: Mapping[str, str], names: Sequence[str]) -> str:
    words = [f"{one} {settings[one]}" for one in names if one in settings]
    return f"{name} ({', '.join(words)})" if words else name


def _tasks_named(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """Tasks of equal name and different settings, such as the number of examples, are different tasks."""
    named, several = [], []
    for task, group in grouped(runs, lambda run: run.task).items():
        # what is not known of a run cannot differ
        names = _differing([run.task_settings for run in group if run.task_settings])
        if names:
            group = [  # noqa: PLW2901  # the same runs
                replace(run, task=_with(task, run.task_settings, names), family=run.family or task) for run in group
            ]
        named += group
        several += [f"{task} ({', '.join(names)})"] if names else []
    return named, [with_names("tasks of one name that differ are apart: ", several, room=LONG)] if several else []


def _of_metrics(runs: Sequence[Run], metric: Sequence[str] | None) -> tuple[list[Run], list[str]]:
    """Keep the metrics that count; a task with several of them is as many tasks."""
    chosen: list[Run] = []
    others: dict[tuple[str, str], list[str]] = {}
    lacking = []
    wanted = None
    if metric is not None:
        wanted = set(matching("metric", metric, list(dict.fromkeys(run.metric for run in runs))))
    for task, group in grouped(runs, lambda run: run.task).items():
        by_metric = grouped(group, lambda run: run.metric)
        kept = [name for name in by_metric if name in wanted] if wanted is not None else [_main(by_metric)]
        if not kept:
            lacking.append(task)
        if len(kept) == 1:
            chosen += by_metric[kept[0]]
        else:
            chosen += [
                replace(run, task=f"{task}/{name}", family=run.family or task)
                for name in kept
                for run in by_metric[name]
            ]
        if wanted is None and len(by_metric) > 1:
            others.setdefault((kept[0], few([name for name in by_metric if name != kept[0]], 2)), []).append(task)
    notes = [
        with_names("", tasks, f" {are(len(tasks))} scored by {kept}; the files have {rest} too (--metric)", most=2)
        for (kept, rest), tasks in others.items()
    ]
    if gone := sorted({run.system for run in runs} - {run.system for run in chosen}):
        notes.append(with_names("left out, since they have other metrics (--metric): ", gone, room=LONG))
    if lacking:
        notes.append(with_names("left out, since they have no such metric: ", lacking, room=LONG))
    return chosen, notes


def _main(by_metric: Mapping[str, Sequence[Run]]) -> str:
    """The metric that most systems have; of these the one that stands first."""
    most = max(len({run.system for run in group}) for group in by_metric.values())
    widest = [name for name, group in by_metric.items() if len({run.system for run in group}) == most]
    return min(widest, key=lambda name: (min(run.place for run in by_metric[name]), list(by_metric).index(name)))


def _systems_named(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """Systems of equal name that were run on a task with different settings are different systems."""
    named, several, varied = [], [], []
    for system, group in grouped(runs, lambda run: run.system).items():
        names: dict[str, None] = {}
        for same in grouped(group, lambda run: run.task).values():
            names |= dict.fromkeys(_differing([run.settings for run in same]))
        named += [replace(run, system=_with(system, run.settings, list(names))) for run in group] if names else group
        several += [f"{system} ({', '.join(names)})"] if names else []
        differing = [name for name in _differing([run.settings for run in group]) if name not in names]
        varied += [f"{system} ({', '.join(differing)})"] if differing else []
    notes = [with_names("systems of one name that differ are apart: ", several, room=LONG)] if several else []
    notes += [with_names("settings that differ between the tasks of a system: ", varied, room=LONG)] if varied else []
    return named, notes


def _alike(runs: Mapping[tuple[str, str], list[Run]]) -> tuple[dict[tuple[str, str], list[Run]], list[str]]:
    """Where some systems have samples on a task and others only a mean, all have their means."""
    tasks: dict[str, list[tuple[str, str]]] = {}
    for cell in runs:
        tasks.setdefault(cell[1], []).append(cell)
    whole, by_means = dict(runs), []
    for task, cells in tasks.items():
        sampled = [all(run.samples is not None for run in runs[cell]) for cell in cells]
        if any(sampled) and not all(sampled):
            by_means.append(f"{task} ({how_many(sum(sampled), 'system')} of {len(cells)} with samples)")
            whole |= {cell: averaged(runs[cell]) for cell in cells}
    note = "compared by means, since some systems have no samples: "
    return whole, [with_names(note, by_means, room=LONG)] if by_means else []


def _finite(found: Mapping[tuple[str, str], list[Run]]) -> tuple[dict[tuple[str, str], list[Run]], list[str]]:
    """Infinite scores are missing."""
    finite, names = {}, []
    for cell, runs in found.items():
        if any(_is_infinite(run) for run in runs):
            names.append(f"{cell[0]} on {cell[1]}")
            runs = [_without_infinite(run) for run in runs]  # noqa: PLW2901  # the same runs
        finite[cell] = runs
    return finite, [with_names("infinite scores are missing: ", names, room=LONG)] if names else []


def _is_infinite(run: Run) -> bool:
    """Whether a score is infinite."""
    if run.samples is None:
        return run.mean is not None and isinf(run.mean)
    return bool(np.isinf(run.samples.scores).any())


def _without_infinite(run: Run) -> Run:
    if run.samples is None:
        return replace(run, mean=nan) if _is_infinite(run) else run
    scores = np.where(np.isinf(run.samples.scores), nan, run.samples.scores)
    return replace(run, samples=replace(run.samples, scores=scores))


def _directions(runs_of: Mapping[tuple[str, str], Sequence[Run]]) -> tuple[tuple[str, ...], tuple[str, ...], list[str]]:
    """Directions that the files say; of other tasks, what the name of the metric says."""
    said: dict[str, set[bool]] = {}
    metrics: dict[str, str] = {}
    for (_, task), runs in runs_of.items():
        metrics[task] = runs[0].metric
        said.setdefault(task, set()).update(run.higher_is_better for run in runs if run.higher_is_better is not None)
    for task, found in said.items():
        if len(found) > 1:
            raise InputError(f"task {task!r}: higher is better in some files, and lower in others; read them apart")
    by_name = {task: metrics[task].partition(",")[0] for task, found in said.items() if not found}
    guessed = [task for task, metric in by_name.items() if metric_is_lower(metric)]
    lower = (*(task for task, found in said.items() if found == {False}), *guessed)
    higher = tuple(task for task, found in said.items() if found == {True})
    named = [task if task == by_name[task] else f"{task} ({by_name[task]})" for task in guessed]
    notes = [with_names("lower is better, by the name of the metric: ", named, room=LONG)] if named else []
    return lower, higher, notes


def _check_instances(runs_of: Mapping[tuple[str, str], Sequence[Run]]) -> None:
    """Refuse instances that have equal labels and are not the same."""
    known: dict[str, list[tuple[Samples, Any, str]]] = {}
    for (_, task), runs in runs_of.items():
        for run in runs:
            if run.samples is not None and run.samples.digests is not None:
                known.setdefault(task, []).append((run.samples, run.samples.digests, run.where))
    found = {task: _difference(given) for task, given in known.items() if len(given) > 1}
    differing = {task: what for task, what in found.items() if what}
    if differing:
        first, what = next(iter(differing.items()))
        more = f" (and so do those of {how_many(len(differing) - 1, 'more task')})" if len(differing) > 1 else ""
        without = ",".join(f"!{task}" for task in differing)
        raise InputError(
            f"task {first!r}: {what}{more}; were they run on different versions of the data? Read them apart, or "
            f"leave out tasks with tasks= (--tasks {as_typed(without)})"
        )


def _difference(given: Sequence[tuple[Samples, Any, str]]) -> str:
    """Say which instance differs between runs, and between which; empty if none does."""
    seen: dict[Any, tuple[Any, str]] = {}
    first = given[0][0]
    others = (one for one in given[1:] if not _are_same(one[0], first))
    for samples, digests, where in chain(given[:1], others):
        for instance, digest in zip(samples.instances.tolist(), digests.tolist(), strict=True):
            before = seen.setdefault(instance, (digest, where))
            if before[0] != digest:
                return f"instance {instance!r} differs between {before[1]} and {where}"
    return ""


def _are_same(one: Samples, other: Samples) -> bool:
    """Whether all instances are the same, in the same order."""
    pairs: list[tuple[Any, Any]] = [(one.instances, other.instances), (one.digests, other.digests)]
    return all(left.dtype == right.dtype and np.array_equal(left, right) for left, right in pairs)


def as_table(settled: Settled) -> Any:
    """Return the scores as an Arrow table, one row a score, with covariates; columns that say nothing are left out.

    Examples
    --------
    >>> as_table(settle([Run("a.json", "A", "qa", "acc", 0.5)])).to_pylist()
    [{'system': 'A', 'task': 'qa', 'score': 0.5}]
    """
    cells = [
        (system, task, first, run)
        for (system, task), runs in in_clusters(settled.runs).items()
        for first, run in _numbered(runs)
    ]
    rows = _Rows([run for *_, run in cells])
    columns = {
        "system": _labels([system for system, *_ in cells], rows.sizes),
        "task": _labels([task for _, task, *_ in cells], rows.sizes),
        "score": rows.filled([run.mean for *_, run in cells], lambda samples: samples.scores),
    }
    sampled = [run.samples for *_, run in cells if run.samples is not None]
    if sampled:
        columns["instance"] = _instances([run for *_, run in cells])
    if any(first for *_, first, _ in cells) or any(part.repeats is not None for part in sampled):
        columns["repeat"] = as_arrow(np.concatenate([first + _repeats(run) for *_, first, run in cells]))
    if any(part.weights is not None for part in sampled):
        columns["weight"] = rows.filled([1.0] * len(cells), lambda samples: samples.weights)
    if any(part.clusters is not None for part in sampled):
        columns["cluster"] = words_as_arrow(
            [str(label) for part in sampled if part.clusters is not None for label in part.clusters]
        )
    if any(run.family for *_, run in cells):
        columns["family"] = _labels([run.family for *_, run in cells], rows.sizes)
    for name in dict.fromkeys(name for *_, run in cells for name in _covariates(run)):
        if name not in columns:
            known = [run.covariates.get(name) for *_, run in cells]
            columns[name] = rows.filled(known, partial(_measured, name=name), finite=True)
    return pa.table(columns)


def _measured(samples: Samples, name: str) -> Floats | None:
    return samples.covariates.get(name)


class _Rows:
    """Rows of a table, one for each score of each run."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.sizes = [1 if run.samples is None else run.samples.scores.size for run in runs]
        ends = np.cumsum(self.sizes, dtype=np.int64).tolist()
        self._sampled = [(end, run.samples) for end, run in zip(ends, runs, strict=True) if run.samples is not None]

    def filled(
        self, of_runs: Sequence[float | None], of_samples: Callable[[Samples], Floats | None], *, finite: bool = False
    ) -> Any:
        """One column: values of the samples where there are any, else that of the run; NaN where there is none."""
        column = np.repeat(np.array(of_runs, dtype=np.float64), self.sizes)
        for end, samples in self._sampled:
            if (values := of_samples(samples)) is not None:
                column[end - values.size : end] = values
        return as_arrow(np.where(np.isfinite(column), column, np.nan) if finite else column)


def _labels(names: Sequence[str], sizes: Sequence[int]) -> Any:
    """Names, each so many times, as codes."""
    known = list(dict.fromkeys(names))
    numbers = {name: number for number, name in enumerate(known)}
    codes = np.repeat(np.array([numbers[name] for name in names], dtype=np.int32), sizes)
    return pa.DictionaryArray.from_arrays(as_arrow(codes), words_as_arrow(known))


def _instances(runs: Sequence[Run]) -> Any:
    """Labels as integers where all are; a mean stands for one instance."""
    parts = [np.zeros(1, dtype=np.int64) if run.samples is None else run.samples.instances for run in runs]
    if all(part.dtype == np.int64 for part in parts):
        return as_arrow(np.concatenate(parts))
    return words_as_arrow([str(label) for part in parts for label in part.tolist()])


def _numbered(runs: Sequence[Run]) -> Iterator[tuple[int, Run]]:
    """Runs, and how many repeats those before have; parts of one run are no repeats of each other."""
    first, apart = 0, len(runs) == 1 or are_apart(runs)
    for run in runs:
        yield first, run
        first += 0 if apart else int(_repeats(run).max(initial=0)) + 1


def _repeats(run: Run) -> Any:
    if run.samples is None:
        return np.zeros(1, dtype=np.int64)
    return np.zeros(run.samples.scores.size, dtype=np.int64) if run.samples.repeats is None else run.samples.repeats


def _covariates(run: Run) -> list[str]:
    return [*run.covariates, *(() if run.samples is None else run.samples.covariates)]
