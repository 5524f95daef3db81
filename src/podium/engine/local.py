"""The local engine: blocks counted by threads, merged in the order of the table."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar, cast

from podium.scores import Block, Scores
from podium.tallies import Duels, Positions, Tally
from podium.tallies.kernels import Kernels, choose

__all__ = ["Counts", "Progress", "count"]

#: Called with the number of scores counted so far and the number there are.
Progress = Callable[[int, int | None], None]

_Kind = TypeVar("_Kind", bound=Tally)


class Counts:
    """Tallies of a table: `counts[Positions]` is a tuple with one `Positions` per task."""

    def __init__(self, tallies: dict[type[Tally], tuple[Tally, ...]]) -> None:
        self._tallies = tallies

    def __getitem__(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        return cast("tuple[_Kind, ...]", self._tallies[kind])


def count(
    scores: Scores,
    kinds: Sequence[type[Tally]],
    *,
    threads: int | None = None,
    kernels: Kernels | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Fold the blocks of a table into the tallies asked for, and no others.

    Parameters
    ----------
    scores
        The table; at most a few blocks are worked on at a time.
    kinds
        Kinds of tallies. Positions come for free where duels are asked for too.
    threads
        How many blocks are counted side by side; all cores by default. It never changes the result: blocks are
        cut by the shape of the table alone, and merged in its order.
    kernels
        The arithmetic; by default plain NumPy for small tables and compiled code for large ones.
    progress
        Called after each block.

    Examples
    --------
    >>> import podium
    >>> counts = count(podium.datasets.toy_table1(), [Positions])
    >>> counts[Positions][0].rank_sum
    array([3., 2., 1.])
    """
    arithmetic = kernels or choose(len(scores.systems), scores.n_instances)
    wanted = tuple(kind for kind in kinds if not (kind is Positions and Duels in kinds))
    totals: list[dict[type[Tally], Tally]] = [
        {kind: kind.empty(len(scores.systems)) for kind in wanted} for _ in scores.tasks
    ]
    done = 0
    for block, parts in _counted(scores.blocks(), wanted, arithmetic, threads or _cores()):
        total = totals[block.task]
        for kind, part in parts.items():
            total[kind] = total[kind].merge(part)
        done += block.values.size
        if progress is not None:
            progress(done, scores.n_cells)
    tallies = {kind: tuple(total[kind] for total in totals) for kind in wanted}
    if Positions in kinds and Positions not in wanted:
        duels = cast("tuple[Duels, ...]", tallies[Duels])
        tallies[Positions] = tuple(Positions.from_duels(task) for task in duels)
    return Counts(tallies)


def _counted(
    blocks: Iterator[Block], kinds: Sequence[type[Tally]], kernels: Kernels, threads: int
) -> Iterator[tuple[Block, dict[type[Tally], Tally]]]:
    """Yield every block with its tallies, in order; never more than two blocks a thread are in flight."""

    def work(block: Block) -> dict[type[Tally], Tally]:
        return {kind: kind.of(block, kernels) for kind in kinds}

    if threads == 1:
        yield from ((block, work(block)) for block in blocks)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        flying: deque[tuple[Block, Future[dict[type[Tally], Any]]]] = deque()
        for block in blocks:
            flying.append((block, pool.submit(work, block)))
            if len(flying) >= 2 * threads:
                first, future = flying.popleft()
                yield first, future.result()
        for block, future in flying:
            yield block, future.result()
    finally:  # on an interrupt, do not count what nobody waits for
        pool.shutdown(wait=False, cancel_futures=True)


def _cores() -> int:
    """Cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
