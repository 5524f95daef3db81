"""Of several runs of a system on a task, those that count, and what they come to as one mean."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from math import isnan, nan
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from podium.base.errors import InputError
from podium.base.words import LONG, few, with_names
from podium.source.path import labels_of
from podium.source.tool.run import Floats, Run, Samples

_Key = TypeVar("_Key", bound=Hashable)

#: Names of settings that make a run another repeat, and no other system.
_SEED = re.compile(r"(?:.*[\W_])?seed", re.IGNORECASE)

_OLDER = "only the newest whole run of several counts (--runs all takes all): "
_SEEDS = "runs with other seeds are repeats: "
_EQUAL = "of runs with the same scores one counts (--runs all takes all): "
_EMPTY = "the newest run has no score, which is missing: "


def grouped(runs: Iterable[Run], key: Callable[[Run], _Key]) -> dict[_Key, list[Run]]:
    """Runs of equal keys, in their order."""
    groups: dict[_Key, list[Run]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return groups


def is_seed(name: str) -> bool:
    """Whether a setting is a seed.

    >>> is_seed("seed"), is_seed("numpy_random_seed"), is_seed("speed")
    (True, True, False)
    """
    return _SEED.fullmatch(name) is not None


def counted(found: Sequence[Run], runs: str) -> tuple[dict[tuple[str, str], list[Run]], list[str]]:
    """Of several runs, the newest whole one of each seed, or all as repeats; parts of one run are together.

    Raises
    ------
    InputError
        Of several runs of a system on a task, nothing says which is the newest.
    """
    chosen: dict[tuple[str, str], list[Run]] = {}
    said: dict[str, list[str]] = {_OLDER: [], _EQUAL: [], _EMPTY: [], _SEEDS: []}
    for (system, task), group in grouped(found, lambda run: (run.system, run.task)).items():
        together = grouped(group, lambda run: (_seeds(run), _time(run.made) or str(Path(run.where).parent)))
        several = list(chain.from_iterable(map(_with_their_means, together.values())))
        if runs != "all" and len(several) > 1 and not are_apart(several):
            of_seeds = grouped(several, _seeds)
            several = []
            for same in of_seeds.values():
                newest, kinds = _newest(same)
                several += newest
                for kind in kinds:
                    said[kind].append(f"{system} on {task}")
            if len(of_seeds) > 1:
                said[_SEEDS].append(f"{system} on {task} ({len(of_seeds)})")
        chosen[system, task] = several
    notes = [with_names(kind, list(dict.fromkeys(names)), most=2, room=LONG) for kind, names in said.items() if names]
    return chosen, notes


def apart(runs: Sequence[Run]) -> list[Run]:
    """Return runs, each of which is a system of its own where a system was run several times on a task.

    They are named by the folders that they lie in, if no folder holds two runs of a task; otherwise by when they were
    made, the first runs of all tasks together, then the second ones.

    Examples
    --------
    >>> some = [Run(f"{day}/log.json", "A", "qa", "acc", 0.5) for day in ("monday", "tuesday")]
    >>> [run.system for run in apart(some)]
    ['A (monday)', 'A (tuesday)']
    """
    found: list[Run] = []
    for system, group in grouped(runs, lambda run: run.system).items():
        numbers = {id(run): 0 for run in group}
        folders = sorted({str(Path(run.where).parent) for run in group})
        of_task = [grouped(same, _made) for same in grouped(group, lambda run: (run.task, run.metric)).values()]
        if max(map(len, of_task)) < 2 and len(folders) < 2:
            found += group
            continue
        made = {(run.task, run.metric, str(Path(run.where).parent), _made(run)) for run in group}
        if len(folders) > 1 and max(Counter(one[:3] for one in made).values()) == 1:
            labels = labels_of(folders)
            numbers = {id(run): folders.index(str(Path(run.where).parent)) for run in group}
        else:
            for times in of_task:
                numbers |= {id(run): number for number, same in enumerate(times.values()) for run in same}
            first = {
                number: min(run.made for run in group if numbers[id(run)] == number) for number in numbers.values()
            }
            days = [made[:10] for _, made in sorted(first.items())]
            whole = [made[:19].replace("T", " ") for _, made in sorted(first.items())]
            labels = next(
                (some for some in (days, whole) if len(set(some)) == len(first) and all(some)),
                [f"run {number + 1}" for number in range(len(first))],
            )
        found += [replace(run, system=f"{system} ({labels[numbers[id(run)]]})") for run in group]
    return found


def _made(run: Run) -> str:
    return _time(run.made) or run.where


def _seeds(run: Run) -> tuple[tuple[str, str], ...]:
    told = {**run.task_settings, **run.settings}
    return tuple(sorted((name, value) for name, value in told.items() if is_seed(name)))


def _with_their_means(together: Sequence[Run]) -> list[Run]:
    """Of runs made together: a run with samples and one with a mean alone are the same run."""
    sampled = [run for run in together if run.samples is not None]
    alone = [run for run in together if run.samples is None]
    return [*sampled, *alone[len(sampled) :]]


def _newest(runs: Sequence[Run]) -> tuple[list[Run], list[str]]:
    """The newest whole run, or its parts, and what is to be said of the choice."""
    if len(runs) == 1:
        return list(runs), []
    ranks = [(run.whole, _time(run.made)) for run in runs]
    newest = [run for run, rank in zip(runs, ranks, strict=True) if rank == max(ranks)]
    kinds = [_OLDER] if len(newest) < len(runs) else []
    if len(newest) > 1 and not are_apart(newest):
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
    """Whether two runs say the same."""
    if one.samples is None or other.samples is None:
        return one.samples is other.samples and np.array_equal([_mean(one)], [_mean(other)], equal_nan=True)
    labels: list[tuple[Any, Any]] = [
        (one.samples.instances, other.samples.instances),
        (one.samples.repeats, other.samples.repeats),
    ]
    same = all(np.array_equal(left, right) for left, right in labels)
    return same and np.array_equal(one.samples.scores, other.samples.scores, equal_nan=True)


def _time(made: str) -> str:
    """The time in one zone, where it has one."""
    try:
        time = datetime.fromisoformat(made)
    except ValueError:
        return made
    return made if time.tzinfo is None else time.astimezone(UTC).isoformat()


def are_apart(runs: Sequence[Run]) -> bool:
    """Whether all have samples, and no two of the same instance: parts of one run."""
    seen: set[Any] = set()
    for run in runs:
        own = set() if run.samples is None else set(run.samples.instances.tolist())
        if not own or not seen.isdisjoint(own):
            return False
        seen |= own
    return True


def averaged(runs: Sequence[Run]) -> list[Run]:
    """The runs with their means alone; parts of one run have one, in which each has the weight of its samples."""
    if len(runs) == 1 or not are_apart(runs):
        return [replace(run, samples=None, mean=_mean(run)) for run in runs]
    means = np.array([_mean(run) for run in runs], dtype=np.float64)
    sizes = np.array([_weights(run.samples).sum() for run in runs if run.samples is not None])
    with np.errstate(divide="ignore"):
        means = np.log(means) if runs[0].logarithms else means
    return [replace(runs[0], samples=None, mean=_average(means, sizes, logarithms=runs[0].logarithms))]


def _mean(run: Run) -> float:
    """The tool's own mean, or that of the samples on the same scale."""
    if run.mean is not None or run.samples is None:
        return nan if run.mean is None else run.mean
    return _average(run.samples.scores, _weights(run.samples), logarithms=run.logarithms)


def _weights(samples: Samples) -> Floats:
    """Weights of the scores; those of missing scores are 0."""
    weights = np.ones(samples.scores.size) if samples.weights is None else samples.weights
    return np.where(np.isnan(samples.scores), 0.0, weights)


def _average(values: Floats, weights: Floats, *, logarithms: bool) -> float:
    there = weights > 0
    if not there.any():
        return nan
    mean = np.average(values[there], weights=weights[there])
    with np.errstate(over="ignore"):
        return float(np.exp(mean) if logarithms else mean)
