"""A Dask cluster: the engine in force, work on its workers, and arrays that they hold."""

import logging
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from queue import Empty, SimpleQueue
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import StoredArray
from podium.base.check import bytes_of, checked_whole
from podium.base.errors import EngineError, InputError, LabelError, MethodError, MissingExtraError, PodiumError
from podium.base.parallel import cores
from podium.base.words import how_many

#: Names of engines.
EngineName = Literal["local", "dask"]

ENGINES: tuple[EngineName, ...] = get_args(EngineName)

#: Seconds to wait for a scheduler, for workers, and between two looks at whether they live.
_CONNECT, _PATIENCE, _LOOK = 15, 25, 2

#: Seconds to wait for workers that have no memory left: to put on disk what they hold takes long.
_FULL = 120

#: Elements of small arrays that are fetched together, and bytes of all that are kept here once they were fetched.
_TOGETHER, _KEPT = 2**17, 2**27

#: Above all levels of messages.
SILENT = logging.CRITICAL + 1

#: What must be the same on all machines, so that numbers are, as Dask calls it and as people do.
_SAME = {"python": "Python", "podium": "podium", "numpy": "NumPy", "numba": "Numba"}

_in_force: ContextVar["Cluster | None"] = ContextVar("_in_force", default=None)


def in_force() -> "Cluster | None":
    """Return the cluster whose workers read and count, or None where it is this machine."""
    return _in_force.get()


@contextmanager
def engine(
    name: EngineName = "local",
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    worker_memory: str | int | None = None,
) -> Iterator[None]:
    """Choose where tables are read and counted, for all that is asked inside the `with` block.

    With "dask", workers read large tables of instances, from files, folders, addresses or boards, and keep the
    scores; this machine holds labels and tallies, and fetches scores for what looks at single ones. Tables that are
    small, in memory, without instances, or with repeats or covariates are read and counted here. Results are the
    same.

    Parameters
    ----------
    name
        "local": threads of this machine. "dask": workers of a Dask cluster (extra `dask`).
    scheduler
        Address of a running scheduler, such as "tcp://10.0.0.1:8786". By default worker processes start on this
        machine, and end with the block.
    workers
        How many worker processes to start; one per core by default. With a scheduler: how many to wait for.
    worker_memory
        What each worker process that is started may hold, such as "1GB"; what is more is on disk. By default the memory
        of this machine, shared equally.

    Raises
    ------
    LabelError
        There is no such engine.
    MethodError
        The local engine is given a scheduler, workers or their memory; workers are no whole number; or workers that run
        already are given memory.
    InputError
        `worker_memory` is no size.
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
    if name not in ENGINES:
        raise LabelError.unknown("engine", name, ENGINES)
    if workers is not None:
        checked_whole("workers", workers)
    given = {"a scheduler": scheduler, "workers": workers, "their memory": worker_memory}
    if name == "local" and (useless := [what for what, value in given.items() if value is not None]):
        raise MethodError(
            f"the local engine has no use for {useless[0]}; choose the engine dask (--engine dask), or leave that out"
        )
    if scheduler is not None and worker_memory is not None:
        raise MethodError("workers of a running scheduler have memory of their own; leave worker_memory out")
    memory = None if worker_memory is None else bytes_of(worker_memory)
    with nullcontext() if name == "local" else _connected(scheduler, workers, memory) as cluster:
        token = _in_force.set(cluster)
        try:
            yield
        finally:
            _in_force.reset(token)


@contextmanager
def _connected(scheduler: str | None, workers: int | None, memory: int | None) -> Iterator["Cluster"]:
    """Connect with a running cluster; or start one on this machine, and end it."""
    try:
        from distributed import Client  # noqa: PLC0415  # only where there is a cluster
    except ImportError as error:
        raise MissingExtraError("distributed", "dask", "the Dask engine") from error
    with _quiet():
        own = None if scheduler is not None else _started(workers or cores(), memory)
        client = None
        try:
            try:
                client = Client(own or scheduler, timeout=_CONNECT, set_as_default=False)
            except (OSError, ValueError, TypeError, ImportError, RuntimeError, MemoryError) as error:  # odd addresses
                raise EngineError(
                    f"no Dask scheduler answers at {scheduler!r} within {_CONNECT} s; start one with `dask scheduler`, "
                    "or correct the address, such as tcp://10.0.0.1:8786"
                ) from error
            cluster = Cluster(client)
            cluster.wait_for(workers or 1)
            if own is None:
                cluster.check_versions()
            yield cluster
        finally:
            for opened in (client, own):
                with suppress(Exception):  # a cluster that lost workers may fail to end in order; the answer is there
                    if opened is not None:
                        opened.close(timeout=_LOOK)


def _started(workers: int, memory: int | None) -> Any:
    """Start worker processes on this machine."""
    import multiprocessing  # noqa: PLC0415  # only where there is a cluster

    import dask.config  # noqa: PLC0415  # the same
    from distributed import LocalCluster  # noqa: PLC0415  # the same

    if getattr(multiprocessing.current_process(), "_inheriting", False):  # a script without a guard starts its workers
        raise EngineError(
            "worker processes load the script that starts them; put its work below `if __name__ == '__main__':`, "
            "or give the address of a scheduler"
        )
    # Dask has memory given back at once; to get it again takes three times as long as to count
    settings: dict[str, Any] = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}
    # and put on disk sooner than usual, what workers hold leaves room for what they work on
    settings |= {"distributed.worker.memory.target": 0.4, "distributed.worker.memory.spill": 0.55}
    how = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": SILENT}
    with dask.config.set(settings), _deaf_to_interrupts():
        try:
            return LocalCluster(n_workers=workers, memory_limit=memory or "auto", **how)
        except (OSError, RuntimeError) as error:
            raise EngineError(
                f"worker processes do not start ({str(error) or type(error).__name__}); what they said stands above. "
                "If that is nothing, something may have killed them: run it again, or start fewer with --workers N"
            ) from error


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Have processes that are started here, now or later, leave Ctrl-C to this one; each would say a traceback."""
    from multiprocessing import resource_tracker  # noqa: PLC0415  # only where there is a cluster

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which lets them in again, once it starts
    # threads have the mask of the one that starts them, and processes too
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from logging what podium says in errors of its own."""
    families = ("distributed", "tornado")
    # some loggers, such as "distributed.client", have levels of their own
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in families]
    levels = {logger: logger.level for logger in map(logging.getLogger, {*names, *families})}
    for logger in levels:
        logger.setLevel(SILENT)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


class Cluster:
    """Has functions called on the workers of a cluster; what is lost with a worker, Dask has done again.

    Parameters
    ----------
    client
        A `distributed.Client`.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._address = str(client.scheduler.addr)
        self._fetched: dict[tuple[str, int], NDArray[Any]] = {}

    def submit(self, function: Callable[..., Any], *arguments: Any, soon: bool = False) -> Any:
        """Have a function called on a worker, `soon` or in turn, and return the future of what it returns."""
        return self.map(function, *([one] for one in arguments), soon=soon)[0]

    def map(self, function: Callable[..., Any], *columns: Iterable[Any], soon: bool = False) -> list[Any]:
        """Have a function called with each of several arguments, on workers."""
        with self._reached(), warnings.catch_warnings():
            # what is sent goes by way of the scheduler, which keeps it
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            futures: list[Any] = self.client.map(function, *map(list, columns), pure=False, priority=int(soon))
        return futures

    def results(self, futures: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the number and the result of each future, in the order in which they are done.

        Raises
        ------
        EngineError
            The scheduler is gone, no worker is left or has memory left, or workers die of the same work again and
            again.
        Exception
            Whatever a function raised.
        """
        waiting, done, full = {one.key: (number, one) for number, one in enumerate(futures)}, SimpleQueue[Any](), None
        for _, future in waiting.values():
            future.add_done_callback(done.put)
        del futures  # whose results a worker may forget, once they are here
        try:
            while waiting:
                try:
                    future = done.get(timeout=_LOOK)
                    result = self._result(future)
                except Empty:
                    full = self._look(full)
                except TimeoutError:  # it was lost with its worker, and is made again
                    future.add_done_callback(done.put)
                else:
                    full, (number, _) = None, waiting.pop(future.key)
                    del future
                    yield number, result
        finally:  # on an interrupt, the rest is not wanted
            with suppress(*_ways_to_be_gone()):
                self.client.cancel([future for _, future in waiting.values()])

    def _look(self, full: float | None) -> float | None:
        """Find out whether the scheduler answers; wait for a worker where none is left.

        Return since when all workers wait for memory, which they have been doing since `full`; None where some work.
        """
        workers = self._workers()
        if not workers:
            self.wait_for(1)
        elif not self._workers(running=True):
            full = full or time.monotonic()
            if time.monotonic() - full > _FULL:
                raise EngineError(
                    f"all workers ({len(workers)}) have had no memory left for {_FULL} s; give each more "
                    "(--worker-memory 4GB), start more, or read smaller pieces: row groups of a few million rows"
                )
            return full
        return None

    def _result(self, future: Any) -> Any:
        try:
            return future.result(timeout=_PATIENCE)
        except Exception as error:
            failed = future.status == "error"
            if failed:
                _refuse(error)
            if failed or isinstance(error, TimeoutError):
                raise
            with self._reached():
                raise

    def share(self, value: Any) -> Any:
        """Give a value to all workers that want it, and return its future."""
        return self.submit(_same, value)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Say that the scheduler is gone, where Dask says so in its ways."""
        try:
            yield
        except _ways_to_be_gone() as error:
            if isinstance(error, RuntimeError) and self.client.status == "running":
                raise
            raise EngineError(
                f"the Dask scheduler at {self._address} is gone, and what its workers held with it; see what it said, "
                "start it again, and ask again"
            ) from error

    def _workers(self, *, running: bool = False) -> dict[str, int]:
        """Return the addresses of the workers, or of those that have memory left, and how many threads each has."""
        ask = self.client.scheduler.ncores_running if running else self.client.scheduler.ncores
        with self._reached():
            found: dict[str, int] = self.client.sync(ask, callback_timeout=_PATIENCE)
        return found

    def wait_for(self, workers: int) -> None:
        """Wait for workers.

        Raises
        ------
        EngineError
            They have not come in time.
        """
        end, own = time.monotonic() + _PATIENCE, self.client.cluster
        while len(there := self._workers()) < workers:
            if own is not None:  # Dask gives up a process that is not back when it looks, and starts it anew only now
                own.scale(len(own.worker_spec))
            if time.monotonic() > end:
                raise EngineError(
                    f"the cluster should have {how_many(workers, 'worker')}, and after {_PATIENCE} s has "
                    f"{len(there) or 'none'}; start workers with `dask worker {self._address}`, or see why they end: "
                    "they may need more memory"
                )
            time.sleep(0.1)

    def check_versions(self) -> None:
        """Refuse a scheduler or workers that would count otherwise, or cannot.

        Raises
        ------
        EngineError
            They have other versions of Python, podium, NumPy or Numba.
        """
        from distributed.versions import get_versions  # noqa: PLC0415  # loaded by now

        more, scheduler = ["podium", "numba"], self.client.scheduler
        with self._reached():  # each call has an end, which `Client.get_versions` has not where a scheduler hangs
            own = self.client.sync(scheduler.versions, packages=more, callback_timeout=_PATIENCE)
            ask = {"op": "versions", "packages": more}
            workers = self.client.sync(scheduler.broadcast, msg=ask, on_error="ignore", callback_timeout=_PATIENCE)
        for place, told in {"the scheduler": own, **workers}.items():
            for key, name in _SAME.items():
                here, there = (_version(one["packages"][key], name) for one in (get_versions(more), told))
                if there != here:
                    raise EngineError(
                        f"{place if place == 'the scheduler' else f'worker {place}'} has {there}, and this machine has "
                        f"{here}; install the same on all machines of the cluster"
                    )

    def told(self, held: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield what this machine is told of arrays that workers hold, as `results`."""
        return self.results(self.map(attrgetter("told"), held))

    def fetched(self, held: Any, place: int) -> NDArray[Any]:
        """Return an array that a worker holds; small ones come with those behind them, and the last ones are kept."""
        if (held.key, place) not in self._fetched:
            ((_, arrays),) = self.results([self.submit(_some, held, place)])
            for array in arrays:
                array.flags.writeable = False
            self._fetched.update({(held.key, number): array for number, array in enumerate(arrays, place)})
            while len(self._fetched) > len(arrays) and sum(one.nbytes for one in self._fetched.values()) > _KEPT:
                del self._fetched[next(iter(self._fetched))]
        return self._fetched[held.key, place]

    def apply(self, function: Callable[[list[Any]], Any], arrays: "Sequence[RemoteArray]") -> Any:
        """Have a function called with arrays where they are, and return the future of what it returns."""
        held = list({id(array.held): array.held for array in arrays}.values())
        number = {id(one): place for place, one in enumerate(held)}
        views = [(number[id(array.held)], array.place, array.keys) for array in arrays]
        return self.submit(partial(_applied, function, views), *held)


def _ways_to_be_gone() -> tuple[type[Exception], ...]:
    """Return what Dask raises where the scheduler does not answer; it raises a RuntimeError also while it does."""
    from concurrent.futures import CancelledError  # noqa: PLC0415  # only where there is a cluster

    from distributed.client import ClosedClientError  # noqa: PLC0415  # the same

    return OSError, RuntimeError, CancelledError, ClosedClientError


class Held(NamedTuple):
    """Arrays that a worker holds, and what this machine is told of them."""

    arrays: list[NDArray[Any]]
    told: Any


def _some(held: Held, place: int) -> list[NDArray[Any]]:
    """Return one of the arrays; if it is small, with some behind it."""
    sizes = np.cumsum([array.size for array in held.arrays[place:]])
    after = place + max(int(np.searchsorted(sizes, _TOGETHER, "right")), 1)
    return [np.asarray(array) for array in held.arrays[place:after]]


def _same(value: Any) -> Any:
    return value


def _version(number: str | None, name: str) -> str:
    if number is None:
        return f"no {name}"
    return f"{name} {'.'.join(number.split('.')[:2]) if name == 'Python' else number}"


def _refuse(error: Exception) -> None:
    """Say what to do about what work on a worker raised, where that is no word of podium's, or does not say it all."""
    from distributed.scheduler import KilledWorker  # noqa: PLC0415  # loaded by now

    if isinstance(error, KilledWorker):
        raise EngineError(
            "several workers ended over the same work; they may need more memory (--worker-memory 2GB), or smaller "
            "pieces: files, or row groups of Parquet files, of a few million rows"
        ) from error
    if isinstance(error, ModuleNotFoundError):  # on a worker that came later than versions were looked at
        raise EngineError(f"a worker lacks what podium needs: {error}; install the same on all machines") from error
    if isinstance(error, PodiumError) and "credentials" in str(error):  # which this machine has
        raise type(error)(f"{error}; a worker says so, and workers need them as this machine does") from error
    if isinstance(error, OSError):
        raise InputError(
            f"a worker cannot read what this machine can: {error}; workers need the files by the same names, so "
            "give whole paths on a disk that all machines have, or what they need to read a bucket"
        ) from error


def _applied(function: Callable[[list[Any]], Any], views: list[tuple[int, int, tuple[Any, ...]]], *held: Any) -> Any:
    """Call a function, on a worker, with views of the arrays that it holds."""
    arrays = []
    for number, place, keys in views:
        array = held[number].arrays[place]
        for key in keys:
            array = array[key]
        arrays.append(np.asarray(array))
    return function(arrays)


@dataclass(frozen=True, slots=True, eq=False)
class RemoteArray(StoredArray):
    """An array that a worker holds, or a view of one; NumPy fetches it if it computes with it.

    Attributes
    ----------
    cluster
        Whose worker it is.
    held, place
        Future of what is `Held`, and which of the arrays it is.
    shape, dtype
        As of any array.
    keys
        What the array is indexed with, one after the other.
    extent
        Its least and its largest element, if they are known.
    """

    cluster: Cluster
    held: Any
    place: int
    shape: tuple[int, ...]
    dtype: Any
    keys: tuple[Any, ...] = ()
    extent: tuple[float, float] | None = None

    def __deepcopy__(self, _: Any) -> "RemoteArray":
        return self  # it cannot be written to

    def __getitem__(self, key: Any) -> "RemoteArray":
        shape = np.broadcast_to(np.empty((), self.dtype), self.shape)[key].shape
        return replace(self, shape=shape, keys=(*self.keys, key), extent=None)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        (value,) = at_each([self], np.asarray) if self.keys else [self.cluster.fetched(self.held, self.place)]
        return np.array(value, dtype, copy=copy)


def is_remote(array: Any) -> bool:
    """Return whether a worker holds an array."""
    return isinstance(array, RemoteArray)


def at_each(arrays: Sequence[Any], function: Callable[[Any], Any]) -> list[Any]:
    """Return what a function makes of each array, called where the array is.

    >>> at_each([np.ones(2), np.ones(3)], np.sum)
    [np.float64(2.0), np.float64(3.0)]
    """
    found = {number: function(np.asarray(array)) for number, array in enumerate(arrays) if not is_remote(array)}
    for cluster, groups in _holders(arrays):
        work = partial(_of_each, function)
        futures = [cluster.apply(work, [arrays[number] for number in group]) for group in groups]
        for place, values in cluster.results(futures):
            found.update(zip(groups[place], values, strict=True))
    return [found[number] for number in range(len(arrays))]


def kept_at_each(
    arrays: Sequence[Any], functions: Sequence[Callable[[Any], tuple[Any, Any]]], dtype: Any = None
) -> tuple[list[Any], list[Any]]:
    """Return what functions make of arrays: arrays of their shape, kept where they are, and something small.

    The arrays made have a type of their own, or that of those they are made of.

    >>> kept_at_each([np.ones(2)], [lambda ones: (2 * ones, "doubled")])
    ([array([2., 2.])], ['doubled'])
    """
    found = {
        number: functions[number](np.asarray(array)) for number, array in enumerate(arrays) if not is_remote(array)
    }
    for cluster, groups in _holders(arrays):
        held = [
            cluster.apply(partial(_kept, [functions[number] for number in group]), [arrays[number] for number in group])
            for group in groups
        ]
        for place, values in cluster.told(held):
            for number, (array, value) in enumerate(zip(groups[place], values, strict=True)):
                shape, made = arrays[array].shape, np.dtype(dtype or arrays[array].dtype)
                found[array] = RemoteArray(cluster, held[place], number, shape, made), value
    made, rest = ([found[number][which] for number in range(len(arrays))] for which in range(2))
    return made, rest


def _holders(arrays: Sequence[Any]) -> Iterator[tuple[Cluster, list[list[int]]]]:
    """Yield the cluster with the numbers of remote arrays, those together that one worker holds; nothing of others."""
    groups: dict[int, list[int]] = {}
    for number, array in enumerate(arrays):
        if is_remote(array):
            groups.setdefault(id(array.held), []).append(number)
    if groups:
        found = list(groups.values())
        yield arrays[found[0][0]].cluster, found


def _of_each(function: Callable[[Any], Any], arrays: list[Any]) -> list[Any]:
    return [function(array) for array in arrays]


def _kept(functions: Sequence[Callable[[Any], tuple[Any, Any]]], arrays: list[Any]) -> Held:
    made = [function(array) for function, array in zip(functions, arrays, strict=True)]
    return Held([array for array, _ in made], [rest for _, rest in made])
