"""Runs as tools wrote them: which of them count, by which metric, and what equal names are called."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from math import isinf, isnan, nan
from operator import is_not, itemgetter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from podium.base.check import is_one_of, matching
from podium.base.errors import InputError
from podium.base.words import LONG, are, as_typed, few, how_many, one_a_kind, with_names
from podium.source.direction import metric_is_lower
from podium.source.named import RUNS
from podium.source.path import labels_of
from podium.source.tool.run import Floats, Run, Samples

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")

#: By system and task, the runs that count.
RunsByCell = dict[tuple[str, str], list[Run]]

#: Names of settings that make a run another repeat, and no other system.
_SEED = re.compile(r"(?:.*[\W_])?seed", re.IGNORECASE)

#: Said of runs that do not count.
OLDER = "only the newest whole run of several counts (--runs all takes all): "
_SEEDS = "runs with other seeds are repeats: "
_EQUAL = "of runs with the same scores one counts (--runs all takes all): "
_EMPTY = "the newest run has no score, which is missing: "


@dataclass(frozen=True, slots=True)
class ChosenRuns:
    """Runs that count, under the names of their systems and tasks.

    Attributes
    ----------
    runs
        By system and task, the runs whose scores count; several are repeats.
    directions
        By task, whether higher is better, as far as files or names of metrics say it.
    notes
        What was chosen and what was left out.
    """

    runs: dict[tuple[str, str], list[Run]]
    directions: Mapping[str, bool]
    notes: tuple[str, ...]


def choose_runs(
    found: Iterable[Run],
    *,
    metric: Sequence[str] | None = None,
    runs: str = "newest",
    tasks: Sequence[str] | None = None,
) -> ChosenRuns:
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
    >>> runs = [Run("a.json", "A", "qa", "acc", 0.5), Run("a.json", "A", "qa", "f1", 0.6, metric_order=1)]
    >>> chosen = choose_runs(runs)
    >>> [run.mean for run in chosen.runs["A", "qa"]], chosen.notes
    ([0.5], ('qa is scored by acc; the files have f1 too (--metric)',))
    """
    if not is_one_of(runs, RUNS):
        raise InputError(f"runs={runs!r} (--runs) must be 'newest', 'all' or 'apart'")
    notes: list[str] = []  # of all steps
    kept = sorted(found, key=lambda run: (run.system, run.task, run.made, run.where, run.metric_order))
    if runs == "apart":
        kept = _each_run_a_system(kept)
    kept = _tasks_apart(kept, notes)
    kept, others = _metrics_that_count(kept, metric, notes)
    before = len(notes)
    kept = _systems_apart(kept, notes)
    chosen = _runs_that_count(kept, runs, notes)
    chosen = _means_where_some_lack_samples(chosen, notes)
    chosen = _without_infinite_scores(chosen, notes)
    directions = _directions(chosen, notes)
    names = list(dict.fromkeys(task for _, task in chosen))
    asked = set(names if tasks is None or not names else matching("task", tasks, names))
    notes[before:before] = _of_metrics({key: runs_of for key, runs_of in chosen.items() if key[1] in asked}, others)
    _check_instances({key: runs_of for key, runs_of in chosen.items() if key[1] in asked})
    said = one_a_kind(note for runs_of in chosen.values() for run in runs_of for note in run.notes)
    return ChosenRuns(chosen, directions, (*notes, *said))


def _each_run_a_system(runs: Sequence[Run]) -> list[Run]:
    """Return runs, each a system of its own if a system was run several times on a task.

    They are named by the folders that they lie in, if no folder holds two runs of a task; otherwise by when they were
    made, the first runs of all tasks together, then the second ones.

    Examples
    --------
    >>> some = [Run(f"{day}/log.json", "A", "qa", "acc", 0.5) for day in ("monday", "tuesday")]
    >>> [run.system for run in _each_run_a_system(some)]
    ['A (monday)', 'A (tuesday)']
    """
    found: list[Run] = []
    for system, group in _grouped(runs, lambda run: run.system).items():
        numbers = {id(run): 0 for run in group}
        folders = sorted({_folder(run) for run in group})
        of_task = [_grouped(same, _made) for same in _grouped(group, lambda run: (run.task, run.metric)).values()]
        if max(map(len, of_task)) < 2 and len(folders) < 2:
            found += group
            continue
        made = {(run.task, run.metric, _folder(run), _made(run)) for run in group}
        if len(folders) > 1 and max(Counter(one[:3] for one in made).values()) == 1:
            labels = labels_of(folders)
            numbers = {id(run): folders.index(_folder(run)) for run in group}
        else:
            for times in of_task:
                numbers |= {id(run): number for number, same in enumerate(times.values()) for run in same}
            several = range(max(numbers.values()) + 1)
            first = [min(run.made for run in group if numbers[id(run)] == number) for number in several]
            days, whole = [made[:10] for made in first], [made[:19].replace("T", " ") for made in first]
            told_apart = (some for some in (days, whole) if len(set(some)) == len(first) and all(some))
            labels = next(told_apart, [f"run {number + 1}" for number in several])
        found += [replace(run, system=f"{system} ({labels[numbers[id(run)]]})") for run in group]
    return found


def _tasks_apart(runs: Sequence[Run], notes: list[str]) -> list[Run]:
    """Return runs whose tasks differ in name if they have one name and other settings, as the number of examples."""
    found, apart = [], []
    for task, group in _grouped(runs, lambda run: run.task).items():
        # what is not known of a run cannot differ
        if names := _differing([run.task_settings for run in group if run.task_settings]):
            apart.append(f"{task} ({', '.join(names)})")
            called = [_name_with_settings(task, run.task_settings, names) for run in group]
            pairs = zip(group, called, strict=True)
            found += [replace(run, task=name, family=run.family or task) for run, name in pairs]
        else:
            found += group
    _note(notes, "tasks of one name that differ are apart: ", apart)
    return found


def _metrics_that_count(
    runs: Sequence[Run], metric: Sequence[str] | None, notes: list[str]
) -> tuple[list[Run], dict[str, list[str]]]:
    """Keep the metrics that count, and say by task which others there are; a task with several of them is several."""
    chosen: list[Run] = []
    others: dict[str, list[str]] = {}
    lacking = []
    wanted = None
    if metric is not None:
        wanted = set(matching("metric", metric, list(dict.fromkeys(run.metric for run in runs))))
    for task, group in _grouped(runs, lambda run: run.task).items():
        by_metric = _grouped(group, lambda run: run.metric)
        kept = [name for name in by_metric if name in wanted] if wanted is not None else [_main_metric(by_metric)]
        if not kept:
            lacking.append(task)
        if len(kept) == 1:
            chosen += by_metric[kept[0]]
        for name in kept if len(kept) > 1 else ():
            chosen += [replace(run, task=f"{task}/{name}", family=run.family or task) for run in by_metric[name]]
        if wanted is None and len(by_metric) > 1:
            others[task] = [name for name in by_metric if name != kept[0]]
    gone = sorted({run.system for run in runs} - {run.system for run in chosen})
    _note(notes, "left out, since they have other metrics (--metric): ", gone)
    _note(notes, "left out, since they have no such metric: ", lacking)
    return chosen, others


def _of_metrics(chosen: RunsByCell, others: Mapping[str, Sequence[str]]) -> list[str]:
    """Say by what tasks are scored, if files have other metrics of them too, or scores are logarithms."""
    said: dict[str, list[str]] = {}
    names = {task: runs[0] for (_, task), runs in chosen.items()}
    for task, run in names.items():
        if task in others or run.scored_by != run.metric:
            said.setdefault(run.scored_by, []).append(task)
    also = list(dict.fromkeys(chain.from_iterable(own for task, own in others.items() if task in names)))
    more = f"the files have {few(also, 2)} too (--metric)" if also else ""
    if not said:
        return []
    if len(said) == 1:
        more = f"; {more}" if more else ""
        return [with_names("", tasks, f" {are(len(tasks))} scored by {by}{more}", most=2) for by, tasks in said.items()]
    each = [f"{by} ({few(tasks, 2)})" for by, tasks in said.items()]
    scored = with_names("tasks are scored by ", each, room=LONG)
    both = "; ".join(filter(None, (scored, more)))
    return [both] if len(both) <= LONG else [scored, more]


def _main_metric(by_metric: Mapping[str, Sequence[Run]]) -> str:
    """Return the metric that most systems have; of these the one that stands first."""
    most = max(len({run.system for run in group}) for group in by_metric.values())
    widest = [name for name, group in by_metric.items() if len({run.system for run in group}) == most]
    return min(widest, key=lambda name: (min(run.metric_order for run in by_metric[name]), list(by_metric).index(name)))


def _systems_apart(runs: Sequence[Run], notes: list[str]) -> list[Run]:
    """Return runs whose systems differ in name if they have one name, and ran a task with other settings."""
    found, apart, varied = [], [], []
    for system, group in _grouped(runs, lambda run: run.system).items():
        tasks = _grouped(group, lambda run: run.task).values()
        names = list(dict.fromkeys(name for same in tasks for name in _differing([run.settings for run in same])))
        found += [replace(run, system=_name_with_settings(system, run.settings, names)) for run in group]
        apart += [f"{system} ({', '.join(names)})"] if names else []
        differing = [name for name in _differing([run.settings for run in group]) if name not in names]
        varied += [f"{system} ({', '.join(differing)})"] if differing else []
    _note(notes, "systems of one name that differ are apart: ", apart)
    _note(notes, "settings that differ between the tasks of a system: ", varied)
    return found


def _runs_that_count(found: Sequence[Run], runs: str, notes: list[str]) -> RunsByCell:
    """Return of several runs the newest whole one of each seed, or all as repeats; parts of one run are together."""
    chosen: dict[tuple[str, str], list[Run]] = {}
    said: dict[str, list[str]] = {OLDER: [], _EQUAL: [], _EMPTY: [], _SEEDS: []}
    for (system, task), group in _grouped(found, lambda run: (run.system, run.task)).items():
        together = _grouped(group, lambda run: (_seeds(run), _time(run.made) or _folder(run)))
        several = list(chain.from_iterable(map(_with_their_means, together.values())))
        if runs != "all" and len(several) > 1 and not are_parts_of_one_run(several):
            of_seeds = _grouped(several, _seeds)
            several = []
            for same in of_seeds.values():
                newest, kinds = _newest(same)
                several += newest
                for kind in kinds:
                    said[kind].append(f"{system} on {task}")
            if len(of_seeds) > 1:
                said[_SEEDS].append(f"{system} on {task} ({len(of_seeds)})")
        chosen[system, task] = several
    for kind, names in said.items():
        _note(notes, kind, names, most=2)
    return chosen


def _with_their_means(together: Sequence[Run]) -> list[Run]:
    """Join runs made together: a run with samples and one with a mean alone are the same run."""
    sampled = [run for run in together if run.samples is not None]
    alone = [run for run in together if run.samples is None]
    return [*sampled, *alone[len(sampled) :]]


def _newest(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """Return the newest whole run, or its parts, and what is to be said of the choice."""
    if len(runs) == 1:
        return list(runs), []
    ranks = [(run.whole, _time(run.made)) for run in runs]
    newest = [run for run, rank in zip(runs, ranks, strict=True) if rank == max(ranks)]
    kinds = [OLDER] if len(newest) < len(runs) else []
    if len(newest) > 1 and not are_parts_of_one_run(newest):
        if not all(_are_equal(newest[0], other) for other in newest[1:]):
            files = few(list(dict.fromkeys(run.where for run in newest)), 3)
            raise InputError(
                f"{newest[0].system} was run on {newest[0].task} several times, and nothing says which run is the "
                f"newest: {files}; read them apart, or take all with runs='all' (--runs all)"
            )
        newest, kinds = newest[:1], [*kinds, _EQUAL]
    if newest[0].samples is None and (newest[0].mean is None or isnan(newest[0].mean)):
        kinds.append(_EMPTY)
    return newest, kinds


def _are_equal(one: Run, other: Run) -> bool:
    """Return whether two runs say the same."""
    if one.samples is None or other.samples is None:
        return one.samples is other.samples and np.array_equal([_mean(one)], [_mean(other)], equal_nan=True)
    mine, theirs = one.samples, other.samples
    labels: Any = ((mine.instances, theirs.instances), (mine.repeats, theirs.repeats))
    same = all(np.array_equal(left, right) for left, right in labels)
    return same and np.array_equal(mine.scores, theirs.scores, equal_nan=True)


def _means_where_some_lack_samples(runs: RunsByCell, notes: list[str]) -> RunsByCell:
    """Return means of all systems on a task where some have samples, and others only a mean."""
    whole, by_means = dict(runs), []
    for task, cells in _grouped(runs, itemgetter(1)).items():
        sampled = [all(run.samples is not None for run in runs[cell]) for cell in cells]
        if any(sampled) and not all(sampled):
            by_means.append(f"{task} ({how_many(sum(sampled), 'system')} of {len(cells)} with samples)")
            whole |= {cell: _averaged(runs[cell]) for cell in cells}
    _note(notes, "compared by means, since some systems have no samples: ", by_means)
    return whole


def _averaged(runs: Sequence[Run]) -> list[Run]:
    """Return runs with their means alone; parts of one run have one, each with the weight of its samples."""
    if len(runs) == 1 or not are_parts_of_one_run(runs):
        return [replace(run, samples=None, mean=_mean(run)) for run in runs]
    means = np.array([_mean(run) for run in runs], dtype=np.float64)
    sizes = np.array([_weights(run.samples).sum() for run in runs if run.samples is not None])
    with np.errstate(divide="ignore"):
        means = np.log(means) if runs[0].logarithms else means
    return [replace(runs[0], samples=None, mean=_average(means, sizes, logarithms=runs[0].logarithms))]


def _without_infinite_scores(found: RunsByCell, notes: list[str]) -> RunsByCell:
    """Return runs whose infinite scores are missing."""
    finite = {cell: [_without_infinite(run) for run in runs] for cell, runs in found.items()}
    names = [f"{cell[0]} on {cell[1]}" for cell, runs in found.items() if any(map(is_not, runs, finite[cell]))]
    _note(notes, "infinite scores are missing: ", names)
    return finite


def _without_infinite(run: Run) -> Run:
    if run.samples is None:
        return replace(run, mean=nan) if run.mean is not None and isinf(run.mean) else run
    infinite = np.isinf(run.samples.scores)
    if not infinite.any():
        return run
    return replace(run, samples=replace(run.samples, scores=np.where(infinite, nan, run.samples.scores)))


def _directions(runs_of: RunsByCell, notes: list[str]) -> dict[str, bool]:
    """Return the directions that files say; of other tasks, what the name of the metric says."""
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
    named = [task if task == by_name[task] else f"{task} ({by_name[task]})" for task in guessed]
    _note(notes, "lower is better, by the name of the metric: ", named)
    return {task: True in found for task, found in said.items() if found or task in guessed}


def _check_instances(runs_of: RunsByCell) -> None:
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
    others = (one for one in given[1:] if not one[0].same_questions(first))
    for samples, digests, where in chain(given[:1], others):
        for instance, digest in zip(samples.instances.tolist(), digests.tolist(), strict=True):
            before = seen.setdefault(instance, (digest, where))
            if before[0] != digest:
                return f"instance {instance!r} differs between {before[1]} and {where}"
    return ""


def _note(notes: list[str], what: str, names: Iterable[str], most: int = 5) -> None:
    """Add a note on names, if there are any."""
    if listed := list(dict.fromkeys(names)):
        notes.append(with_names(what, listed, room=LONG, most=most))


def _grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """Return items of equal keys, in their order."""
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def _differing(settings: Sequence[Mapping[str, str]]) -> list[str]:
    """Return settings that are not the same for all, but seeds, since runs with other seeds are repeats."""
    names = [name for name in dict.fromkeys(chain.from_iterable(settings)) if not _is_seed(name)]
    return [name for name in names if len({one.get(name, "") for one in settings}) > 1]


def _name_with_settings(name: str, settings: Mapping[str, str], names: Sequence[str]) -> str:
    words = [f"{one} {settings[one]}" for one in names if one in settings]
    return f"{name} ({', '.join(words)})" if words else name


def _is_seed(name: str) -> bool:
    """Return whether a setting is a seed.

    >>> _is_seed("seed"), _is_seed("numpy_random_seed"), _is_seed("speed")
    (True, True, False)
    """
    return _SEED.fullmatch(name) is not None


def _seeds(run: Run) -> tuple[tuple[str, str], ...]:
    told = {**run.task_settings, **run.settings}
    return tuple(sorted((name, value) for name, value in told.items() if _is_seed(name)))


def _folder(run: Run) -> str:
    return str(Path(run.where).parent)


def _made(run: Run) -> str:
    return _time(run.made) or run.where


def _time(made: str) -> str:
    """Return the time in one zone, if it has one."""
    try:
        time = datetime.fromisoformat(made)
    except ValueError:
        return made
    return made if time.tzinfo is None else time.astimezone(UTC).isoformat()


def are_parts_of_one_run(runs: Sequence[Run]) -> bool:
    """Return whether all have samples, and no two of the same instance: parts of one run."""
    seen: set[Any] = set()
    for run in runs:
        own = set() if run.samples is None else set(run.samples.instances.tolist())
        if not own or not seen.isdisjoint(own):
            return False
        seen |= own
    return True


def _mean(run: Run) -> float:
    """Return the tool's own mean, or that of the samples on the same scale."""
    if run.mean is not None or run.samples is None:
        return nan if run.mean is None else run.mean
    return _average(run.samples.scores, _weights(run.samples), logarithms=run.logarithms)


def _weights(samples: Samples) -> Floats:
    """Return weights of the scores; those of missing scores are 0."""
    weights = np.ones(samples.scores.size) if samples.weights is None else samples.weights
    return np.where(np.isnan(samples.scores), 0.0, weights)


def _average(values: Floats, weights: Floats, *, logarithms: bool) -> float:
    there = weights > 0
    if not there.any():
        return nan
    mean = np.average(values[there], weights=weights[there])
    with np.errstate(over="ignore"):
        return float(np.exp(mean) if logarithms else mean)
