"""What the machine has: work on several cores, random numbers from a seed, loops that Numba compiles if it is there."""

import gc
import operator
import os
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from podium.base.errors import install_command, warn


def cores() -> int:
    """Count the cores that this process may use, which may be fewer than the machine has.

    Examples
    --------
    >>> cores() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


#: Where Linux says how much memory a container may hold; "max" where it may hold all.
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def memory() -> int | None:
    """Bytes of memory of this machine, or of the container that this process runs in; None where no system says.

    Examples
    --------
    >>> memory() is None or memory() > 10**8
    True
    """
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return None
    try:
        return min(machine, int(_CONTAINER.read_text()))
    except (OSError, ValueError):
        return machine


#: Seconds after which a process without work ends, even if its parent was killed.
_IDLE = 30

_Item = TypeVar("_Item")

_Result = TypeVar("_Result")


def in_order(work: Callable[[_Item], _Result], items: Sequence[_Item], jobs: int | None) -> Generator[_Result]:
    """Yield the result of every item in order, from so many processes; if jobs is 1, from this process.

    Linear algebra uses one thread in all processes, so sums are always added in the same order.
    """
    from joblib import Parallel, delayed  # noqa: PLC0415  # only where there is work

    run = Parallel(
        n_jobs=-1 if jobs is None else jobs, backend="loky", return_as="generator", idle_worker_timeout=_IDLE
    )
    results = run(delayed(with_one_blas_thread)(work, item) for item in items)
    try:
        for result in results:  # noqa: UP028  # `yield from` would close them before the clause below
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about unfinished work that is no longer needed
            results.close()


#: Whether the work around has set it; to set it takes longer than small work.
_has_one_blas_thread: ContextVar[bool] = ContextVar("_has_one_blas_thread", default=False)


def with_one_blas_thread(work: Callable[[_Item], _Result], item: _Item) -> _Result:
    """Return the result of an item, with one thread for linear algebra as in the processes of `in_order`.

    >>> with_one_blas_thread(abs, -3)
    3
    """
    if _has_one_blas_thread.get():
        return work(item)
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is work

    token = _has_one_blas_thread.set(True)
    try:
        with threadpool_limits(limits=1):
            return work(item)
    finally:
        _has_one_blas_thread.reset(token)


@contextmanager
def without_collection() -> Iterator[None]:
    """Search for no cycles of objects meanwhile, where very many objects are made that stay."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


T = TypeVar("T")


def ahead(items: Iterable[T], *, depth: int = 1) -> Iterator[T]:
    """Yield the same items, produced by another thread that is up to `depth` items ahead.

    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # only where there is work

    iterator = iter(items)
    end: Any = object()
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, iterator, end) for _ in range(depth))
        try:
            while (item := waiting.popleft().result()) is not end:
                waiting.append(pool.submit(next, iterator, end))
                yield item
        finally:
            for future in waiting:
                future.cancel()


#: Called with how much is done and how much there is, in bytes, scores or replicates; None where that is not known.
Progress = Callable[[int, int | None], None]


def generator(seed: int, *key: int) -> "np.random.Generator":  # NumPy loads its generators when they are first named
    """Return a generator of random numbers that depends on the seed and a key alone.

    Without a key, seeds from 0 to 2⁶⁴ − 1 are those of `numpy.random.default_rng`. Other seeds, such as negative ones,
    count modulo 2⁶⁴, because NumPy refuses negative ones.

    Parameters
    ----------
    seed
        Any whole number, also one of NumPy's.
    key
        Numbers from 0 up, such as the number of a round. Different keys give independent streams of one seed.

    Examples
    --------
    >>> generator(7).random() == np.random.default_rng(7).random()
    True
    >>> generator(-7, 1).random() == generator(-7, 2).random()
    False
    """
    return np.random.default_rng(np.random.SeedSequence(operator.index(seed) % 2**64, spawn_key=key))


def compiling_pays(*, large: bool) -> bool:
    """Return whether compiled loops are used: for large work, if Numba is installed; if it is not, a warning says so.

    >>> compiling_pays(large=False)
    False
    """
    there = large and find_spec("numba") is not None
    if large and not there:
        warn(f"this table is large: {install_command('fast')} makes this up to four times as fast")
    return there


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile without the interpreter lock, and keep the result on disk where a place can be written.

    >>> @compiled()
    ... def double(number):
    ...     return 2 * number
    >>> double(21)
    42
    """
    import numba  # noqa: PLC0415  # an extra, and slow to load

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(nogil=True, cache=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:  # no directory for the cache can be written
            return numba.njit(nogil=True, **options)(function)  # type: ignore[no-any-return]

    return decorate
