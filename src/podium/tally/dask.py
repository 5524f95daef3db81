"""Count on the machines of a Dask cluster: what is sent to workers, what processes share, and what comes back."""

import asyncio
import logging
import mmap
import os
import pickle
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent import futures
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import chain, islice
from math import inf
from pkgutil import resolve_name
from typing import Any

import numpy as np

from podium.base.errors import EngineError, MissingExtraError, warn
from podium.base.parallel import cores
from podium.base.words import how_many
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions, Ties
from podium.tally.stretch import Counting, Local, Stretch, Tallies

#: Arrays begin at a multiple of so many bytes.
_ALIGNED = 64

#: Files that an owner keeps for the next value; new ones must be made of empty pages, which takes as long as a copy.
_KEPT = 8


@dataclass(frozen=True, slots=True)
class Handed:
    """Where a value is: all of it but arrays, pickled, and where in the file of which process these are."""

    owner: int
    file: int
    identity: int
    size: int
    rest: bytes
    arrays: tuple[tuple[int, int], ...]


class Hands:
    """Hands values over, and takes their memory back.

    Examples
    --------
    >>> import numpy as np
    >>> hands = Hands()
    >>> place = hands.over({"a": np.arange(3), "b": "text"})
    >>> taken(place)
    {'a': array([0, 1, 2]), 'b': 'text'}
    >>> hands.back(place)
    """

    def __init__(self) -> None:
        self._free: list[_Memory] = []
        self._used: dict[int, _Memory] = {}

    def over(self, value: Any) -> Handed:
        """Copy a value, whose arrays must lie in one piece, and return where it is."""
        found: list[pickle.PickleBuffer] = []
        rest = pickle.dumps(value, protocol=5, buffer_callback=found.append)
        places, end = [], 0
        for one in found:
            size = one.raw().nbytes
            places.append((end, size))
            end = -(-(end + size) // _ALIGNED) * _ALIGNED
        memory = self._memory(end)
        with memoryview(memory) as whole:
            for (start, size), one in zip(places, found, strict=True):
                whole[start : start + size] = one.raw()
        self._used[memory.file] = memory
        return Handed(os.getpid(), memory.file, memory.identity, len(memory), rest, tuple(places))

    def _memory(self, size: int) -> "_Memory":
        """Take memory that is kept, the least that is large enough, or make some."""
        fitting = [one for one in self._free if len(one) >= size]
        if not fitting:
            return _Memory.of(size)
        least = min(fitting, key=len)
        self._free.remove(least)
        return least

    def back(self, place: Handed) -> None:
        """Take the memory of a value back; nothing may read the value any more."""
        self._free.append(self._used.pop(place.file))
        if len(self._free) > _KEPT:
            self._free.pop(0).let_go()

    def close(self) -> None:
        """Let all memory go that was taken back."""
        while self._free:
            self._free.pop().let_go()


class _Memory(mmap.mmap):
    """A file without a name or a disk, mapped."""

    file: int
    identity: int

    @classmethod
    def of(cls, size: int) -> "_Memory":
        """Make one, somewhat larger, so that it holds the next value too."""
        size = 1 << max(size - 1, mmap.PAGESIZE - 1).bit_length()
        file = os.memfd_create("podium", os.MFD_CLOEXEC)
        os.ftruncate(file, size)
        made = cls(file, size)
        made.file, made.identity = file, os.fstat(file).st_ino
        return made

    def let_go(self) -> None:
        """Close it."""
        self.close()
        os.close(self.file)


def possible() -> bool:
    """Whether this system has such memory: Linux does."""
    return hasattr(os, "memfd_create") and os.path.exists(f"/proc/{os.getpid()}/fd")  # noqa: PTH110  # no path


def taken(place: Handed) -> Any:
    """Return a value that was handed over; its arrays are read-only views of the memory of its owner."""
    whole = memoryview(_mapped(place.owner, place.file, place.identity, place.size))
    return pickle.loads(place.rest, buffers=[whole[start : start + size] for start, size in place.arrays])  # noqa: S301  # of our own process


@lru_cache(maxsize=_KEPT)
def _mapped(owner: int, file: int, identity: int, size: int) -> mmap.mmap:
    """Map a file of another process, once."""
    opened = os.open(f"/proc/{owner}/fd/{file}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if os.fstat(opened).st_ino != identity:
            raise FileNotFoundError(f"file {file} of process {owner} is another one by now")
        return mmap.mmap(opened, size, prot=mmap.PROT_READ)
    finally:
        os.close(opened)


#: Scores of a message, and the same times replicates: what takes longer to count than to send.
_SCORES, _WORK = 2**22, 2**27

#: Tallies that take some nanoseconds a score.
_LIGHT = frozenset({Means, Moments, Positions, Ties})


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent: one object, as Dask would take a tuple apart."""

    stretches: tuple[Stretch, ...]

    @property
    def n_scores(self) -> int:
        """How many scores they hold, missing ones included."""
        return sum(stretch.size for stretch in self.stretches)

    def in_one_piece(self) -> "Sent":
        """Return the same with the arrays of each stretch in one piece."""
        return Sent(tuple(replace(one, parts=tuple(map(np.ascontiguousarray, one.parts))) for one in self.stretches))


def is_light(counting: Counting) -> bool:
    """Whether threads of this machine count scores in the time that it takes to copy them a few times."""
    return counting.resampling is None and _LIGHT.issuperset(counting.kinds)


def messages(stretches: Iterable[Stretch], replicates: int) -> Iterator[Sent]:
    """Put stretches together, until a message is worth sending."""
    together: list[Stretch] = []
    scores = 0
    for stretch in stretches:
        together.append(stretch)
        scores += stretch.size
        if scores >= _SCORES or scores * replicates >= _WORK:
            yield Sent(tuple(together))
            together, scores = [], 0
    if together:
        yield Sent(tuple(together))


def fold(counting: Counting, together: Sent) -> list[Tallies]:
    """Count stretches, on a worker."""
    make_ready()
    return [counting.fold(stretch) for stretch in together.stretches]


@cache
def make_ready() -> None:
    """Prepare a worker, once."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is work

    # sums are then added in the same order everywhere; threads of a worker would undo it for each other, so it stays
    threadpool_limits(limits=1, user_api="blas")
    # what is given back once is kept for the next block, up to this size; so the allocator of Linux learns it
    np.empty(31 * 2**20, np.uint8)


#: Above all levels of messages.
SILENT = logging.CRITICAL + 1

#: Whose messages are about a cluster, with all loggers below them.
_LOGGERS = ("distributed", "tornado")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Dask from logging what podium says in errors of its own."""
    # some loggers, such as "distributed.client", have levels of their own
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LOGGERS]
    levels = {logger: logger.level for logger in map(logging.getLogger, {*names, *_LOGGERS})}
    for logger in levels:
        logger.setLevel(SILENT)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


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


def answering(scheduler: str, seconds: float) -> str:
    """Return the address of a scheduler that answers; a client would try longer, and take long to give up.

    Raises
    ------
    EngineError
        None answers within some seconds.
    """
    import asyncio  # noqa: PLC0415  # only where there is a cluster
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # the same

    from distributed import Security  # noqa: PLC0415  # the same
    from distributed.comm import connect  # noqa: PLC0415  # the same

    async def greeted() -> None:
        arguments = Security().get_connection_args("client")  # from the configuration of Dask
        comm = await asyncio.wait_for(connect(scheduler, timeout=seconds, **arguments), seconds)
        comm.abort()

    try:
        with ThreadPoolExecutor(1) as pool:  # in a notebook this thread has a loop of its own
            pool.submit(asyncio.run, greeted()).result()
    except (
        OSError,
        ValueError,
        TypeError,
        ImportError,
        RuntimeError,
        MemoryError,
    ) as error:  # what may be no scheduler
        raise EngineError(
            f"no Dask scheduler answers at {scheduler!r} within {seconds} s; start one with `dask scheduler`, "
            "or correct the address, such as tcp://10.0.0.1:8786"
        ) from error
    return scheduler


def started(workers: int) -> Any:
    """Start worker processes on this machine.

    Raises
    ------
    EngineError
        They do not start.
    """
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
    # this engine sends itself what is lost with a worker
    settings |= {"distributed.scheduler.allowed-failures": 0}
    # fifty looks at a clock each second, in each process, and a profiler take a twentieth of a core
    settings |= {"distributed.admin.tick.interval": "1s", "distributed.worker.profile.enabled": False}
    settings |= {"distributed.admin.system-monitor.interval": "5s"}
    with dask.config.set(settings), _deaf_to_interrupts():
        try:
            return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=SILENT)
        except OSError as error:
            raise EngineError(f"worker processes do not start: {error.strerror or error}") from error
        except RuntimeError as error:  # whose words are of no use to whoever does not know Dask
            raise EngineError(
                "a worker process ended while it started; what it said stands above. If it said nothing, something "
                "may have killed it: run the same again, or start fewer with --workers N"
            ) from error


#: Seconds to wait for a scheduler, for a sign of life of one, and for workers.
_CONNECT, _LIFE, _PATIENCE = 15, 25, 25

#: Seconds between two looks at whether workers are alive.
_LOOK = 2

#: How often a message may be lost with its worker.
_LOSSES = 3

#: What must be the same wherever a table is counted, so that numbers are: what it is called, and where its version is.
_SAME = {
    "Python": "sys:implementation.cache_tag",
    "podium": "podium:__version__",
    "NumPy": "numpy:__version__",
    "Numba": "numba:__version__",
}


@dataclass(slots=True, eq=False)
class _Message:
    """Stretches that a worker counts together, where their scores are for it, and how often they were lost."""

    together: Sent
    data: Any = None
    losses: int = 0


@contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator["Dask"]:
    """Connect with a running cluster; or start one on this machine, and end it.

    Parameters
    ----------
    scheduler
        Its address; None to start worker processes here.
    workers
        How many to start, one per core by default; or how many to wait for.

    Raises
    ------
    MissingExtraError
        Dask is not installed.
    EngineError
        No scheduler answers, there are too few workers, or they differ from this machine.
    """
    try:
        from distributed import Client  # noqa: PLC0415  # only where there is a cluster
    except ImportError as error:
        raise MissingExtraError("distributed", "dask", "the Dask engine") from error
    with quiet():
        client, cluster = None, None if scheduler is not None else started(workers or cores())
        try:
            address = answering(scheduler, _CONNECT) if scheduler is not None else cluster
            try:
                client = Client(address, timeout=_CONNECT, set_as_default=False)
            except OSError as error:  # it has answered a moment ago
                raise _gone(scheduler or "of this machine") from error
            engine = Dask(client, here=0 if cluster is None else workers or cores())
            with closing(engine):
                engine.wait_for(workers or 1)
                if cluster is None:
                    engine.check_versions()
                yield engine
        finally:
            for opened in (client, cluster):
                with suppress(Exception):  # a cluster that lost workers may fail to end in order; the answer is there
                    if opened is not None:
                        opened.close(timeout=_LOOK)


class Dask:
    """Folds stretches on the workers of a cluster.

    Parameters
    ----------
    client
        A `distributed.Client`.
    here
        How many workers podium has started on this machine; 0 where the cluster is somebody else's.
    """

    def __init__(self, client: Any, *, here: int) -> None:
        self._client = client
        self._address = str(client.scheduler.addr)
        self._here = here
        self._hands = Hands() if here and possible() else None
        self._looked = -inf, 0

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies, in the order in which workers are done."""
        if self._here and is_light(counting):  # done before a copy would be
            yield from Local(self._threads()).fold(counting, stretches, tell)
            return
        waiting = map(_Message, messages(stretches, counting.replicates))
        first, *others = [*islice(waiting, 2)] or [_Message(Sent(()))]
        if not others:  # counted here before it would be there
            yield from Local().fold(counting, first.together.stretches, tell)
            return
        for message, tallies in self._answered(counting, chain([first], others, waiting)):
            if tell is not None:
                tell(message.together.n_scores)
            yield from zip(message.together.stretches, tallies, strict=True)

    def _answered(self, counting: Counting, messages: Iterator[_Message]) -> Generator[tuple[_Message, list[Tallies]]]:
        """Yield every message with its tallies; never more than two a thread are under way."""
        flying: dict[Any, _Message] = {}
        try:
            room = 2 * self._threads()
            while True:
                while len(flying) < room and (message := next(messages, None)) is not None:
                    flying[self._sent(counting, message)] = message
                if not flying:
                    return
                for future in self._landed(flying):
                    message = flying.pop(future)
                    tallies = self._answer(future)
                    if tallies is None:
                        _lose(message)
                        flying[self._sent(counting, message)] = message
                    else:
                        self._let_go(message)
                        yield message, tallies
                room = 2 * self._threads()
        except OSError as error:
            raise _gone(self._address) from error
        except (RuntimeError, _closed()) as error:  # so fails what is asked of a client that has given its scheduler up
            if self._client.status == "running":
                raise
            raise _gone(self._address) from error
        finally:  # on an interrupt, do not count what nobody waits for
            with suppress(OSError, RuntimeError, _closed()):
                self._client.cancel(list(flying))
            for message in flying.values():
                self._let_go(message)

    def _answer(self, future: Any) -> list[Tallies] | None:
        """Return the tallies of a message, or None where they are lost with the worker."""
        from distributed.scheduler import KilledWorker  # noqa: PLC0415  # loaded by now

        try:
            tallies: list[Tallies] = self._awaited(future.result)
        except (KilledWorker, futures.CancelledError, TimeoutError):
            return None
        except ModuleNotFoundError as error:  # on a worker that came later than versions were looked at
            raise EngineError(f"a worker lacks what podium needs: {error}; install the same on all machines") from error
        return tallies

    def close(self) -> None:
        """Let the memory go that workers read."""
        if self._hands is not None:
            self._hands.close()

    def _let_go(self, message: _Message) -> None:
        """Forget the scores of a message that is answered."""
        if self._hands is not None and message.data is not None:
            self._hands.back(message.data)
        message.data = None

    def _sent(self, counting: Counting, message: _Message) -> Any:
        """Send a message, and return the future of its tallies."""
        while True:
            try:
                if self._hands is not None:  # the scores of one that was lost are still there
                    message.data = message.data or self._hands.over(message.together.in_one_piece())
                    return self._client.submit(_fold_handed, counting, message.data, pure=False)
                send = partial(self._client.scatter, message.together, direct=self._here > 0, hash=False)
                message.data = self._awaited(send)
                return self._client.submit(fold, counting, message.data, pure=False)
            except (OSError, KeyError, futures.CancelledError):  # so fails what is sent to a worker that dies meanwhile
                _lose(message)
                self._threads(now=True)  # raises where it is the scheduler that died

    def _landed(self, flying: Iterable[Any]) -> list[Any]:
        """Wait until some futures are decided; ask now and then whether there is anybody who works."""
        from distributed import wait  # noqa: PLC0415  # loaded by now

        landed: list[Any] = []

        def some_landed() -> bool:
            if all(future.status == "pending" for future in flying):
                with self._client.as_current(), suppress(TimeoutError, futures.CancelledError):
                    wait(list(flying), timeout=_LOOK, return_when="FIRST_COMPLETED")
            landed[:] = [future for future in flying if future.status != "pending"]
            return bool(landed)

        self._until(some_landed)
        if self._client.status != "running":
            raise _gone(self._address)
        return landed

    def _awaited(self, call: Callable[[], Any]) -> Any:
        """Return what a call of Dask gives, which itself would wait for ever for a machine that hangs."""

        async def awaited() -> Any:
            return await call()

        work = awaited()
        try:
            going = asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)
        except RuntimeError:  # the client has ended
            work.close()
            raise
        try:
            self._until(lambda: bool(futures.wait([going], timeout=_LOOK).done))
            return going.result()
        finally:
            going.cancel()

    def _until(self, done: Callable[[], bool]) -> None:
        """Call this until it is true, which itself waits some seconds; ask between whether anybody works."""
        began, warned = time.monotonic(), False
        while not done():
            self._threads()
            if not warned and time.monotonic() > began + _PATIENCE:
                warn(f"no worker of the cluster has answered for {_PATIENCE} s; they are alive, and may be slow")
                warned = True

    def _threads(self, *, now: bool = False) -> int:
        """How many threads the workers have, as of a moment ago; wait for one where there are none."""
        if now or time.monotonic() - self._looked[0] > _LOOK:
            threads = sum(self._workers().values()) or self.wait_for(1)
            self._looked = time.monotonic(), threads
        return self._looked[1]

    def _workers(self) -> dict[str, int]:
        """Addresses of the workers, and how many threads each has; a scheduler that does not say it is gone."""
        try:
            ask = self._client.scheduler.ncores
            found: dict[str, int] = self._client.sync(ask, callback_timeout=_LIFE)
        except OSError as error:
            raise _gone(self._address) from error
        if len(found) < self._here:  # Dask gives up a worker that dies while it starts; so start another one
            self._client.cluster.scale(self._here)
        return found

    def wait_for(self, workers: int) -> int:
        """Wait for workers, and return how many threads they have.

        Raises
        ------
        EngineError
            They have not come in time.
        """
        began, patience = time.monotonic(), _PATIENCE * (2 if self._here else 1)  # here others may be started
        warned = False
        while len(threads := self._workers()) < workers:
            if not warned and patience > _PATIENCE and time.monotonic() > began + _PATIENCE:
                warn(f"worker processes of this machine have not started within {_PATIENCE} s; podium waits on")
                warned = True
            if time.monotonic() > began + patience:
                wanted, there = how_many(workers, "worker"), len(threads) or "none"
                raise EngineError(
                    f"the cluster should have {wanted}, and after {patience} s has {there}; start workers with "
                    f"`dask worker {self._address}`, or see why they end: they may need more memory"
                )
            time.sleep(0.1)
        return int(sum(threads.values()))

    def check_versions(self) -> None:
        """Refuse a scheduler or workers that would count otherwise, or cannot.

        Raises
        ------
        EngineError
            They have other versions of Python, podium, NumPy or Numba.
        """
        for name, where in _SAME.items():
            here = _version_of(where)
            there = self._awaited(partial(self._client.run, resolve_name, where, on_error="return"))
            for place, found in {"the scheduler": self._on_scheduler(where), **there}.items():
                if isinstance(found, OSError):  # a worker that died meanwhile
                    continue
                # functions of the standard library, which any Python finds
                version = "" if isinstance(found, BaseException) else str(found)
                if version != here:
                    who = place if place == "the scheduler" else f"worker {place}"
                    raise EngineError(
                        f"{who} has {_named_version(name, version)}, and this machine has "
                        f"{_named_version(name, here)}; install the same on all machines of the cluster"
                    )

    def _on_scheduler(self, where: str) -> Any:
        try:
            return self._awaited(partial(self._client.run_on_scheduler, resolve_name, where))
        except EngineError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever a broken library raises
            return error


def _version_of(where: str) -> str:
    """Return a version on this machine; empty where it is not installed.

    >>> _version_of("podium:__nothing__"), _version_of("sys:implementation.name")
    ('', 'cpython')
    """
    try:
        return str(resolve_name(where))
    except (ImportError, AttributeError):
        return ""


def _named_version(name: str, version: str) -> str:
    """Name a version in a sentence.

    >>> _named_version("NumPy", "2.1"), _named_version("Numba", "")
    ('NumPy 2.1', 'no Numba')
    """
    return f"{name} {version}" if version else f"no {name}"


def _gone(scheduler: str) -> EngineError:
    return EngineError(
        f"the connection with the scheduler {scheduler} is lost; see whether it still runs, and start anew"
    )


def _fold_handed(counting: Counting, place: Handed) -> list[Tallies]:
    """Count stretches that were handed over, on a worker."""
    return fold(counting, taken(place))


def _closed() -> type[Exception]:
    from distributed import client  # noqa: PLC0415  # loaded by now

    found: type[Exception] = getattr(client, "ClosedClientError", RuntimeError)  # older ones raise the latter
    return found


def _lose(message: _Message) -> None:
    """Note a loss; a message that is lost again and again is not sent for ever."""
    message.losses += 1
    if message.losses > _LOSSES:
        raise EngineError(
            f"{message.losses} workers died while they counted the same scores; they may need more memory: "
            "start fewer with --workers N, or give each more"
        )
