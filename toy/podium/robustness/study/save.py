"""Checkpoints of studies: the outcomes of the first repeats, stress by stress."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.checkpoint import Checkpoint, digest, hashed
from podium.base.errors import MethodError
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.trial import Outcome, Trials
from podium.score.table import Scores, Task
from podium.simulate.world import World

#: Goes up whenever the same input would give other numbers: checkpoints of another number are not gone on with.
_ALGORITHM = 2


def origin(table: Any, sweeps: Sequence[Sweep], methods: Sequence[str], seed: int) -> dict[str, int | str]:
    """Name what a study depends on.

    Of scores and worlds that is what ranks and stresses can depend on; stresses and functions that draw worlds are told
    by their code and all that it can see, see `podium.base.checkpoint`.

    Parameters
    ----------
    table, sweeps, methods, seed
        As of `podium.study`.

    Examples
    --------
    >>> import podium
    >>> origin(podium.datasets.toy_table1(), [], ["mean", "borda"], 0)["methods"]
    'mean, borda'
    """
    return {
        "table": digest(table) if callable(table) else hashed(_content(table)).hex(),
        "stresses": "; ".join(f"{sweep.name} {sweep.strengths}: {digest(sweep.stress)}" for sweep in sweeps),
        "methods": ", ".join(methods),
        "seed": seed,
        "version of the algorithm": _ALGORITHM,
        "version of podium": import_module("podium").__version__,
        "version of NumPy": np.__version__,  # whose generators may change
        "version of SciPy": version("scipy"),  # of several best orders, solvers choose one
        "version of highspy": version("highspy"),
    }


def _content(table: Scores | World) -> Iterator[bytes]:
    """Bytes of all that ranks and stresses can depend on."""
    if isinstance(table, World):
        yield table.truth.tobytes()
        table = table.scores
    yield repr((table.systems, table.tie_tolerance)).encode()
    for task in table.tasks:
        yield from _of_task(task)


def _of_task(task: Task) -> Iterator[bytes]:
    yield repr((task.name, task.higher_is_better, task.weight, task.n_instances)).encode()
    for part in task.parts:
        yield part.dtype.str.encode()
        yield np.ascontiguousarray(part).tobytes()
    yield b"" if task.instance_weights is None else task.instance_weights.tobytes()
    yield b"" if task.instances is None else repr(task.instances.tolist()).encode()


class Saved:
    """A file with the first outcomes of a study.

    Parameters
    ----------
    path
        File; see `podium.base.checkpoint.Checkpoint`.
    trials
        What the outcomes depend on.
    """

    def __init__(self, path: Path, trials: Trials) -> None:
        made_of = origin(trials.table, trials.sweeps, trials.methods, trials.seed)
        self._path = path
        self._file = Checkpoint(path, "a study of stresses", made_of)
        self._trials = trials

    def begun(self, repeats: int) -> list[Outcome]:
        """Return the outcomes in the file, which is written at once: better to know before the work if it can be.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or was made of something else.
        MethodError
            It holds more repeats than are asked for.
        OutputError
            It cannot be written.
        """
        content = self._file.load()
        try:
            listed = [] if content is None else content["outcomes"]
            outcomes = [self._outcome(number, one) for number, one in enumerate(listed)]
        except (KeyError, TypeError, ValueError) as error:
            raise self._file.damaged("its numbers do not fit together") from error
        held = -(-len(outcomes) // len(self._trials.sweeps))
        if held > repeats:
            raise MethodError(
                f"the checkpoint {self._path} holds {held} repeats and repeats is {repeats}; ask for {held} or more, "
                "name another checkpoint, or delete it"
            )
        self.save(outcomes)
        return outcomes

    def _outcome(self, number: int, content: object) -> Outcome:
        sweep = self._trials.sweeps[number % len(self._trials.sweeps)]
        return Outcome.of_dict(
            content,
            shape=(len(self._trials.methods), len(sweep.strengths)),
            systems=len(self._trials.systems),
            truth=self._trials.ground is None or self._trials.ground.truth is not None,
        )

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Write, if the last time is long ago."""
        if self._file.due:
            self.save(outcomes)

    def save(self, outcomes: Sequence[Outcome]) -> None:
        """Write, whole or not at all.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        self._file.save({"outcomes": [outcome.to_dict() for outcome in outcomes]})
