"""What the numbers of a study depend on, as short text: two studies of the same origin have the same numbers."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from podium.digests import digest, hashed
from podium.scores import Scores, Task
from podium.simulate import World
from podium.stresses import Sweep

__all__ = ["origin"]

#: Goes up whenever the same input would give other numbers: checkpoints of another number are not gone on with.
_ALGORITHM = 2


def origin(table: Any, sweeps: Sequence[Sweep], methods: Sequence[str], seed: int) -> dict[str, int | str]:
    """Name what a study depends on.

    Of scores and worlds that is what ranks and stresses can depend on; stresses and functions that draw worlds are told
    by their code and all that it can see, see `podium.digests`.

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
