"""The local engine: blocks counted by threads, merged in the order of the table."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from podium.base.parallel import cores
from podium.score.table import Block
from podium.tally.engine.stretch import Counting, Stretch, Tallies, merged

if TYPE_CHECKING:
    from concurrent.futures import Future

#: A block, the stretch that it is of, and its tallies.
_Counted = tuple[Stretch, Block, Tallies]


class Local:
    """Counts on this machine.

    Parameters
    ----------
    threads
        How many blocks are counted side by side; all cores by default.

    Examples
    --------
    >>> import podium
    >>> from podium.tally.engine.stretch import stretches
    >>> from podium.tally.kernel import PLAIN
    >>> from podium.tally.position import Positions
    >>> cut = stretches(podium.from_arrays({"t": [[1, 1], [0, 0]]}))
    >>> [tallies[Positions][0].rank_sum for _, tallies in Local().fold(Counting((Positions,), PLAIN), cut)]
    [array([2., 4.])]
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or cores()

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies, in order."""
        blocks = ((stretch, block) for stretch in stretches for block in stretch.blocks())
        current: Stretch | None = None
        total: Tallies = {}
        for stretch, block, tallies in _worked(counting, blocks, self._threads):
            if stretch is current:
                total = merged(total, tallies)
            else:
                if current is not None:
                    yield current, total
                current, total = stretch, tallies
            if tell is not None:
                tell(block.values.size)
        if current is not None:
            yield current, total


def _worked(counting: Counting, blocks: Iterator[tuple[Stretch, Block]], threads: int) -> Iterator[_Counted]:
    """Count blocks; never more than two a thread are in flight."""
    if threads == 1:
        for stretch, block in blocks:
            yield stretch, block, counting.of(stretch, block)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # only where there is work

    pool = ThreadPoolExecutor(threads)
    try:
        flying: deque[tuple[Stretch, Block, Future[Tallies]]] = deque()
        for stretch, block in blocks:
            flying.append((stretch, block, pool.submit(counting.of, stretch, block)))
            if len(flying) >= 2 * threads:
                first, its_block, future = flying.popleft()
                yield first, its_block, future.result()
        for stretch, block, future in flying:
            yield stretch, block, future.result()
    finally:  # on an interrupt, do not count what nobody waits for
        pool.shutdown(wait=False, cancel_futures=True)
