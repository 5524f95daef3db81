"""What an engine is, and which one is in force."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from podium.base.check import checked_whole
from podium.base.errors import LabelError, MethodError
from podium.tally.engine.stretch import Counting, Stretch, Tallies


class Engine(Protocol):
    """Folds the stretches of a table, each by itself.

    Laws, tested for every engine:

    - the tallies of a stretch are those of `Counting.fold`, byte for byte;
    - every stretch is yielded once, in whatever order;
    - of a table that is larger than memory, a bounded number of stretches is held at a time.
    """

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies; `tell` is called with the number of scores just counted."""
        ...


#: Names of engines.
ENGINES = ("local", "dask")

#: None: threads of this machine.
_in_force: ContextVar[Engine | None] = ContextVar("_in_force", default=None)


def in_force() -> Engine | None:
    """Return the engine that counts, or None where it is this machine."""
    return _in_force.get()


@contextmanager
def engine(name: str = "local", *, scheduler: str | None = None, workers: int | None = None) -> Iterator[None]:
    """Choose where scores are counted, for all that is asked inside the `with` block.

    Results are the same bytes whatever the engine.

    Parameters
    ----------
    name
        "local": threads of this machine. "dask": workers of a Dask cluster (extra `dask`).
    scheduler
        Address of a running scheduler, such as "tcp://10.0.0.1:8786". By default worker processes start on this
        machine, and end with the block.
    workers
        How many worker processes to start; one per core by default. With a scheduler: how many to wait for.

    Raises
    ------
    LabelError
        There is no such engine.
    MethodError
        The local engine is given a scheduler or workers, or workers are no whole number.
    MissingExtraError
        Dask is not installed.
    EngineError
        The scheduler does not answer, has no workers, or they run other versions of podium, NumPy, Numba or Python.

    Examples
    --------
    >>> import podium
    >>> with podium.engine("local"):
    ...     podium.rank(podium.datasets.toy_table1()).systems[0]
    'C'
    """
    with _opened(name, scheduler, workers) as opened:
        token = _in_force.set(opened)
        try:
            yield
        finally:
            _in_force.reset(token)


@contextmanager
def _opened(name: Any, scheduler: str | None, workers: int | None) -> Iterator[Engine | None]:
    if name not in ENGINES:
        raise LabelError.unknown("engine", name, ENGINES)
    if workers is not None:
        checked_whole("workers", workers)
    if name == "local":
        if scheduler is not None or workers is not None:
            given = "a scheduler" if scheduler is not None else "workers"
            raise MethodError(
                f"the local engine has no use for {given}; choose the engine dask (--engine dask), or leave that out"
            )
        yield None
        return
    from podium.tally.engine.dask import connected  # noqa: PLC0415  # loaded where it is asked for

    with connected(scheduler, workers) as opened:
        yield opened
