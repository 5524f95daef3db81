"""Clusters of Dask: one that runs somewhere, or one that is started on this machine; and that they keep quiet."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from podium.base.errors import EngineError

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
