"""The usual stresses of a table, and what each strength means in words."""

from collections.abc import Callable

import numpy as np

from podium.base.words import are, how_many, rounded_percent
from podium.robustness.stress.clone import CloneSystem
from podium.robustness.stress.corrupt import Corrupt
from podium.robustness.stress.drop import DropSystems, DropTasks
from podium.robustness.stress.remove import RemoveCells, RemoveHard, RemoveScores, Subsample
from podium.robustness.stress.rescale import Rescale
from podium.robustness.stress.stress import Sweep
from podium.score.family import family_names
from podium.score.table import Scores, of_battles

#: Scores below which shares are rounded to whole scores.
_FEW = 200

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)

#: Shares of instances to leave out: there are often many more instances than needed.
_LARGE_SHARES = (0.0, 0.2, 0.5, 0.8, 0.9, 0.95)


#: What a table needs for each of the usual stresses, in their order.
NEEDS = {
    "corrupt": "two tasks",
    "scale": "two tasks",
    "missing": "two tasks or instances",
    "cells": "two tasks and instances",
    "instances": "instances",
    "hard": "instances",
    "tasks": "two tasks",
    "systems": "four systems",
    "clone": "nothing",
}

#: Those whose scores may leave the range of a metric, so that methods of shares of 0 to 1 cannot take them.
OFF_RANGE = ("corrupt", "scale")

#: Those that leave battles of two systems what they are.
OF_BATTLES = ("instances", "tasks", "systems")


def usual(scores: Scores) -> tuple[Sweep, ...]:
    """Return the sweeps that fit a table, each from strength 0, which changes nothing.

    See `NEEDS`; without instances a cell is a score, so "cells" would be "missing". Of battles see `OF_BATTLES`.

    Parameters
    ----------
    scores
        The table.

    Examples
    --------
    >>> import podium
    >>> for sweep in podium.stresses.usual(podium.datasets.toy_table1()):
    ...     print(sweep.name, [round(strength, 2) for strength in sweep.strengths], sweep.axis, sep=": ")
    corrupt: [0, 1, 2, 3, 4, 5]: tasks that rank the systems in reverse
    scale: [0, 1, 9, 99, 999]: one task's scores enlarged (9: ten times)
    missing: [0.0, 0.06, 0.11, 0.22, 0.28, 0.5, 0.72]: share of scores removed
    tasks: [0, 1, 2, 3, 4, 5]: tasks left out
    clone: [0, 1, 2, 5]: copies of one system added
    """
    n_tasks, n_systems = len(scores.tasks), len(scores.systems)
    n_families = len(set(family_names(scores.tasks)))
    several, instances = n_tasks > 1, not scores.task_level
    cells = sum(int((task.scored > 0).sum()) for task in scores.tasks)
    hard = "share of scores removed, more often on hard instances"
    sweeps = (
        (several, Sweep("corrupt", Corrupt, _counts(min(n_tasks - 1, 10)), "tasks that rank the systems in reverse")),
        (several, Sweep("scale", Rescale, (0, 1, 9, 99, 999), "one task's scores enlarged (9: ten times)")),
        (several or instances, Sweep("missing", RemoveScores, _shares(scores.n_scored), "share of scores removed")),
        (
            several and instances,
            Sweep("cells", RemoveCells, _shares(cells), "share of systems' tasks removed, each as a whole"),
        ),
        (instances, Sweep("instances", Subsample, _LARGE_SHARES, "share of instances left out")),
        (instances, Sweep("hard", RemoveHard, _shares(scores.n_scored), hard)),
        (n_families > 1, Sweep("tasks", DropTasks, _counts(n_families - 1), "tasks left out")),
        (n_systems > 3, Sweep("systems", DropSystems, _counts(n_systems // 2), "systems left out")),
        (True, Sweep("clone", CloneSystem, (0, 1, 2, 5), "copies of one system added")),
    )
    battles = of_battles(scores)
    return tuple(sweep for fits, sweep in sweeps if fits and (not battles or sweep.name in OF_BATTLES))


def _shares(number: int) -> tuple[float, ...]:
    """Return shares to remove; where there are few scores, only shares of whole scores, with three decimals."""
    if number >= _FEW:
        return _SHARES
    return tuple(sorted({round(round(share * number) / number, 3) for share in _SHARES})) if number else (0.0,)


def _counts(most: int) -> tuple[float, ...]:
    """Return about six whole numbers from 0 to the most, evenly spaced."""
    return tuple(sorted(set(np.linspace(0, most, min(most, 5) + 1).round().astype(int).tolist())))


#: What a strength means, after "when", of the usual stresses.
_PHRASES: dict[str, Callable[[float], str]] = {
    "corrupt": lambda s: f"{how_many(int(s), 'task')} {'ranks' if s == 1 else 'rank'} the systems in reverse",
    "scale": lambda s: f"one task is on a scale {1 + s:g} times as large",
    "missing": lambda s: f"{rounded_percent(s)} of the scores are missing",
    "cells": lambda s: f"{rounded_percent(s)} of the (system, task) results are missing",
    "instances": lambda s: f"{rounded_percent(s)} of the instances are left out",
    "hard": lambda s: f"{rounded_percent(s)} of the scores are missing, more of them on hard instances",
    "tasks": lambda s: f"{how_many(int(s), 'task')} {are(s)} left out",
    "systems": lambda s: f"{how_many(int(s), 'system')} {are(s)} left out (for a lost leader, the next system counts)",
    "clone": lambda s: f"one system is entered {int(s) + 1} times",
}


def phrase(name: str, strength: float) -> str:
    """Say what a strength of a stress means, after "when".

    >>> phrase("tasks", 2.0), phrase("mine", 0.5)
    ('2 tasks are left out', 'mine is at 0.5')
    """
    return _PHRASES[name](strength) if name in _PHRASES else f"{name} is at {strength:g}"
