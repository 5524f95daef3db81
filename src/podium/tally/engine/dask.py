"""The Dask engine: stretches are sent to the workers of a cluster, and their tallies come back.

Scores travel as arrays, so workers need to see no file. At most two messages for each thread of a worker are under way.
Tallies are small beside scores, and are merged by the caller: so a worker that dies takes only its own messages with
it, and these are sent again.
"""

import asyncio
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent import futures
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from math import inf
from pkgutil import resolve_name
from typing import Any

from podium.base.errors import EngineError, MissingExtraError, warn
from podium.base.parallel import cores
from podium.base.words import how_many
from podium.tally.engine.dask_cluster import answering, quiet, started
from podium.tally.engine.handed import Handed, Hands, possible, taken
from podium.tally.engine.local import Local
from podium.tally.engine.message import Sent, fold, is_light, messages
from podium.tally.engine.stretch import Counting, Stretch, Tallies

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
