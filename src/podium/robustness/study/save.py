"""Checkpoints of studies: the trials done, each with its turn."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.checkpoint import Arrays, Checkpoint, fingerprint
from podium.base.errors import MethodError
from podium.robustness.study.trial import Setup, Trial, Turn
from podium.score.table import Scores
from podium.score.task import Task
from podium.simulate.world import World

#: Goes up whenever the same input would give other numbers: a checkpoint with another number is refused.
_ALGORITHM = 4


def opened(path: Path, setup: Setup, key: str | None) -> Checkpoint:
    """Return the checkpoint of a study.

    Raises
    ------
    MethodError
        A function has no name to know it by, and there is no key.
    """
    return Checkpoint(path, "a study of stresses", origin(setup, key))


def origin(setup: Setup, key: str | None = None) -> dict[str, int | str]:
    """Name what a study depends on; of scores and worlds, what ranks and stresses can depend on.

    Raises
    ------
    MethodError
        A function has no name to know it by, and there is no key.
    """
    table = setup.table
    drawn = _known("the function that draws worlds", table, key) if callable(table) else fingerprint(_content(table))
    stresses = (
        f"{sweep.name} {sweep.strengths}: {_known(f'stress {sweep.name!r}', sweep.stress, key)}"
        for sweep in setup.sweeps
    )
    return {
        "table": drawn,
        "stresses": "; ".join(stresses),
        "methods": ", ".join(setup.methods),
        "seed": setup.seed,
        "key": "" if key is None else str(key),
        "version of the algorithm": _ALGORITHM,
        "version of podium": import_module("podium").__version__,
        "version of NumPy": np.__version__,  # whose generators may change
        "version of SciPy": version("scipy"),  # of several best orders, solvers choose one
        "version of highspy": version("highspy"),
    }


def _known(what: str, function: Any, key: str | None) -> str:
    """Return the fingerprint of a function; the key stands for one that has none."""
    try:
        return fingerprint(function)
    except TypeError as error:
        if key is not None:
            return "see key"
        raise MethodError(
            f"{what} is a lambda, a closure or another object without a name, so a checkpoint cannot know when it "
            "changes; pass key='v1', or any text, and change it whenever the function changes"
        ) from error


def _content(table: Scores | World) -> tuple[Any, ...]:
    """All that ranks and stresses can depend on."""
    if isinstance(table, World):
        return table.truth, _content(table.scores)
    return table.systems, table.tie_tolerance, [_of_task(task) for task in table.tasks]


def _of_task(task: Task) -> tuple[Any, ...]:
    parts = [np.ascontiguousarray(part) for part in task.parts]
    instances = None if task.instances is None else task.instances.tolist()
    return task.name, task.higher_is_better, task.weight, task.n_instances, parts, task.instance_weights, instances


def resumed(file: Checkpoint, setup: Setup) -> dict[Turn, Trial]:
    """Return the trials in a file, and write it at once: if it cannot be written, that is known before the work.

    They may be more than are wanted; these are kept for another time.

    Raises
    ------
    InputError
        The file cannot be read, is no checkpoint, is damaged, or was made of something else.
    OutputError
        It cannot be written.
    """
    try:
        trials = _unpacked(file.load(), setup)
    except (TypeError, ValueError) as error:
        raise file.damaged("its numbers do not fit together") from error
    file.save(packed(trials))
    return trials


def packed(trials: Mapping[Turn, Trial]) -> Arrays:
    """Return what a file holds: all trials joined, field by field, with the tries as the last axis of each."""
    if not trials:
        return {}
    arrays = Trial.joined(list(trials.values())).arrays()
    turns = np.array(list(trials), dtype=np.int64).T
    return {**arrays, "first": np.ascontiguousarray(np.moveaxis(arrays["first"], -1, 0)), "turns": turns}


def _unpacked(found: Arrays, setup: Setup) -> dict[Turn, Trial]:
    """Undo `packed`: split the arrays of a file into trials; ValueError or TypeError if they do not fit."""
    if not found:
        return {}
    turns = _turns(found.pop("turns", np.zeros(0)), setup)
    joined = Trial.of({name: np.moveaxis(array, 0, -1) if name == "first" else array for name, array in found.items()})
    truth = setup.unstressed is None or setup.unstressed.truth is not None
    ranked = np.ones((len(setup.methods), len(turns)), dtype=np.bool_)
    ranked[1:, [turn.leading for turn in turns]] = False
    if (joined.error is not None) != truth or not joined.fits(ranked, len(setup.systems)):
        raise ValueError("arrays of other kinds, or other turns than trials")
    return dict(zip(turns, joined.split(), strict=True))


def _turns(found: NDArray[Any], setup: Setup) -> list[Turn]:
    """Read the turns of the trials in a file; ValueError where a study has no such turns."""
    sizes = np.array([len(sweep.strengths) for sweep in setup.sweeps])
    if found.dtype != np.int64 or found.ndim != 2 or len(found) != len(Turn._fields) or (found < 0).any():
        raise ValueError("no turns")
    _, sweeps, strengths, *flags = found
    if (sweeps >= sizes.size).any() or (strengths >= sizes[sweeps]).any() or (np.array(flags) > 1).any():
        raise ValueError("turns of another study")
    turns = [Turn(repeat, sweep, strength, *map(bool, flags)) for repeat, sweep, strength, *flags in found.T.tolist()]
    if len(set(turns)) != len(turns):
        raise ValueError("a turn twice")
    return turns
