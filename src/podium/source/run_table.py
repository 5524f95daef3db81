"""Runs that count become one table: a row a score, with repeats, weights, clusters and covariates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import nan
from typing import Any

import numpy as np
import pyarrow as pa

from podium.base.arrays import from_numpy, texts
from podium.score.family import named_families
from podium.source.choose_runs import ChosenRuns, RunsByCell, are_parts_of_one_run
from podium.source.tool.run import Floats, Run, Samples, labels

#: Questions of a task that are compared with those of others.
_COMPARED = 100

#: By label, the cluster of each instance of a task; None if no file says one.
_Known = dict[Any, str | None]


def as_table(chosen: ChosenRuns) -> Any:
    """Return the scores as an Arrow table, one row a score, with covariates; columns that say nothing are left out.

    Examples
    --------
    >>> from podium.source.choose_runs import choose_runs
    >>> as_table(choose_runs([Run("a.json", "A", "qa", "acc", 0.5)])).to_pylist()
    [{'system': 'A', 'task': 'qa', 'score': 0.5}]
    """
    cells = [
        (system, task, first, run)
        for (system, task), runs in in_clusters(chosen.runs).items()
        for first, run in _numbered(runs)
    ]
    runs = [run for *_, run in cells]
    parts = [_samples(run) for run in runs]
    sizes = [part.scores.size for part in parts]
    families = _data_sets(chosen.runs)
    columns = {
        "system": _names([system for system, *_ in cells], sizes),
        "task": _names([task for _, task, *_ in cells], sizes),
        "score": _joined([part.scores for part in parts]),
    }
    if any(run.samples is not None for run in runs):
        instances = [part.instances for part in parts]
        if all(one.dtype == np.int64 for one in instances):
            columns["instance"] = from_numpy(np.concatenate(instances))
        else:
            columns["instance"] = texts([str(label) for one in instances for label in one.tolist()])
    if any(first for _, _, first, _ in cells) or any(part.repeats is not None for part in parts):
        firsts = [first for _, _, first, _ in cells]
        repeats = [first + _repeats(part) for first, part in zip(firsts, parts, strict=True)]
        columns["repeat"] = from_numpy(np.concatenate(repeats))
    if any(part.weights is not None for part in parts):
        weights = [np.ones(part.scores.size) if part.weights is None else part.weights for part in parts]
        columns["weight"] = _joined(weights)
    clusters = [part.clusters for part in parts if part.clusters is not None]
    if clusters:  # of all, see above
        columns["cluster"] = texts([str(label) for own in clusters for label in own.tolist()])
    if families or any(run.family for run in runs):
        columns["family"] = _names([run.family or families.get(task, "") for _, task, _, run in cells], sizes)
    measured = ((*run.covariates, *part.covariates) for run, part in zip(runs, parts, strict=True))
    for name in dict.fromkeys(chain.from_iterable(measured)):
        if name not in columns:
            of_runs = [np.full(size, run.covariates.get(name, nan)) for run, size in zip(runs, sizes, strict=True)]
            of_each = [part.covariates.get(name, known) for part, known in zip(parts, of_runs, strict=True)]
            columns[name] = _joined(of_each, finite=True)
    return pa.table(columns)


def _data_sets(runs: RunsByCell) -> dict[str, str]:
    """Return the families of tasks that number other questions alike; tasks with a question in common are in one.

    Tasks that are in one family by their names are left out: there, numbers may mean the same, as in translations.
    """
    first: dict[tuple[int, Any], str] = {}
    family: dict[str, str] = {}
    for (_, task), listed in runs.items():
        for samples in (run.samples for run in listed):
            if task in family or samples is None or samples.digests is None or samples.instances.dtype != np.int64:
                continue
            lowest = np.argsort(samples.instances)[:_COMPARED]
            asked = list(zip(samples.instances[lowest].tolist(), samples.digests[lowest].tolist(), strict=True))
            family[task] = next((first[one] for one in asked if one in first), task)
            first |= {one: family[task] for one in asked if one not in first}
    named = named_families(tuple(sorted(task for _, task in runs)))
    apart = len(set(family.values())) > 1
    return {task: name for task, name in family.items() if apart and task not in named}


def in_clusters(runs: RunsByCell) -> RunsByCell:
    """Give every instance a cluster, if any has one; an instance without one is a cluster of its own.

    Tasks with the same labels are taken to have the same instances. Where they have other clusters they merely number
    their instances alike, and get labels of their own.

    Examples
    --------
    >>> def run(task, clusters=None):
    ...     return Run("a", "A", task, "acc", samples=Samples(labels([1, 2]), np.ones(2), clusters=clusters))
    >>> runs = {("A", "t"): [run("t", labels(["x", "y"]))], ("A", "u"): [run("u")]}
    >>> [run.samples.clusters.tolist() for (run,) in in_clusters(runs).values()]
    [['x', 'y'], ['x', 'y']]
    """
    if all(run.samples is None or run.samples.clusters is None for run in chain.from_iterable(runs.values())):
        return runs
    known: dict[str, _Known] = {}
    for (_, task), listed in runs.items():
        of_task = known.setdefault(task, {})
        for samples in map(_samples, listed):
            told = [None] * samples.scores.size if samples.clusters is None else samples.clusters.tolist()
            for label, cluster in zip(samples.instances.tolist(), told, strict=True):
                if of_task.get(label) is None:
                    of_task[label] = cluster
    named, apart = _clusters_by_task(known)
    return {
        (system, task): [_with_clusters(run, named[task], f"{task}: " if task in apart else "") for run in listed]
        for (system, task), listed in runs.items()
    }


def _clusters_by_task(known: Mapping[str, _Known]) -> tuple[dict[str, dict[Any, str]], set[str]]:
    """Return clusters of instances by task, and tasks with the labels of another task and other clusters."""
    groups: dict[frozenset[Any], list[str]] = {}
    for task, of_task in known.items():
        groups.setdefault(frozenset(of_task), []).append(task)
    named: dict[str, dict[Any, str]] = {}
    apart: set[str] = set()
    for tasks in groups.values():
        told = [known[task] for task in tasks if any(cluster is not None for cluster in known[task].values())]
        agree = all(one == told[0] for one in told)
        apart |= set() if agree else set(tasks)
        for task in tasks:
            first, clusters = (tasks[0], [*told, known[task]][0]) if agree else (task, known[task])
            named[task] = {
                label: f"{first}: {label}" if cluster is None else cluster for label, cluster in clusters.items()
            }
    return named, apart


def _with_clusters(run: Run, clusters: Mapping[Any, str], prefix: str) -> Run:
    samples = _samples(run)
    known = samples.instances.tolist()
    instances = labels([f"{prefix}{label}" for label in known]) if prefix else samples.instances
    return replace(
        run, samples=replace(samples, instances=instances, clusters=labels([clusters[one] for one in known]))
    )


def _samples(run: Run) -> Samples:
    """Return the samples of a run; a mean stands for one instance."""
    if run.samples is not None:
        return run.samples
    return Samples(np.zeros(1, dtype=np.int64), np.array([run.mean], dtype=np.float64))


def _joined(columns: Sequence[Floats], *, finite: bool = False) -> Any:
    column = np.concatenate(columns).astype(np.float64)
    return from_numpy(np.where(np.isfinite(column), column, np.nan) if finite else column)


def _names(names: Sequence[str], sizes: Sequence[int]) -> Any:
    """Return names, each so many times, as codes."""
    known = list(dict.fromkeys(names))
    numbers = {name: number for number, name in enumerate(known)}
    codes = np.repeat(np.array([numbers[name] for name in names], dtype=np.int32), sizes)
    return pa.DictionaryArray.from_arrays(from_numpy(codes), texts(known))


def _numbered(runs: Sequence[Run]) -> Iterator[tuple[int, Run]]:
    """Yield runs, and how many repeats those before have; parts of one run are no repeats of each other."""
    first, apart = 0, len(runs) == 1 or are_parts_of_one_run(runs)
    for run in runs:
        yield first, run
        first += 0 if apart else int(_repeats(_samples(run)).max(initial=0)) + 1


def _repeats(samples: Samples) -> Any:
    return np.zeros(samples.scores.size, dtype=np.int64) if samples.repeats is None else samples.repeats
