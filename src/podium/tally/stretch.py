"""Stretches: what an engine folds at a time, and the tree in which their tallies are merged.

Floating-point sums depend on the order in which they are added. Here that order depends on the shape of the table
alone: a task is cut into stretches; inside a stretch blocks are merged one after the other; the tallies of stretches
are merged pairwise with their neighbours, level by level. So every engine gives the same bytes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.cluster import Cluster, is_remote
from podium.base.parallel import cores
from podium.score.table import Block, Scores, block_length, blocks_of
from podium.score.task import PART, Task
from podium.tally.tally import Kernels, Reweighing, Tally

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Instances of a stretch, at most.
_LONGEST = 16 * PART

#: Scores of a stretch, unless it is short: what is sent to a worker in one message.
_SCORES = 2**23

#: Bytes of tallies that a worker sends at a time, but for a single stretch.
_TALLIES = 2**25

#: Tallies of the same instances: of each kind one, or one for each task of a stretch that has many.
Tallies = dict[type[Tally], Sequence[Any]]


@dataclass(slots=True, eq=False)  # not frozen, which takes longer, and there may be many
class Stretch:
    """Instances of one task that follow each other, or tasks of one instance that do; it needs no table beside it.

    Attributes
    ----------
    task
        Index of the task; of the first one where `each_a_task`.
    place, siblings
        Number of this stretch among those of the task, and how many there are.
    parts
        Arrays `(N, ≤ PART)` of scores as given.
    start
        Place of the first instance in its task.
    weights
        Shape `(K,)`: weights of the instances, or None where each weighs 1.
    key
        What the draws of replicates are made of: for the task, or shape `(K,)`; None where nothing is drawn.
    length
        Instances of a block.
    tolerance, falls
        Two scores tie within this tolerance, and lower is better.
    each_a_task
        Whether every instance is the only one of its task.
    """

    task: int
    place: int
    siblings: int
    parts: tuple[NDArray[Any], ...]
    start: int
    weights: NDArray[np.float64] | None
    key: Any
    length: int
    tolerance: float
    falls: bool = False
    each_a_task: bool = False

    @property
    def size(self) -> int:
        """Return the number of scores, missing ones included."""
        return sum(part.size for part in self.parts)

    def blocks(self) -> Iterator[Block]:
        """Yield the stretch in blocks, turned so that higher is better."""
        if self.each_a_task:
            yield Block(self.task, self.parts[0], self.weights, self.tolerance, each_a_task=True)
            return
        yield from blocks_of(
            self.task,
            self.parts,
            self.weights,
            length=self.length,
            tolerance=self.tolerance,
            falls=self.falls,
            start=self.start,
        )

    def key_of(self, block: Block) -> Any:
        """Return the key of the task, or the keys of the instances of a block."""
        if not isinstance(self.key, np.ndarray):
            return self.key
        first = block.start - self.start
        return self.key[first : first + block.values.shape[1]]


@dataclass(frozen=True, slots=True)
class Counting:
    """What is counted: kinds of tallies, the arithmetic, and replicates where there are any."""

    kinds: tuple[type[Tally], ...]
    kernels: Kernels
    resampling: Reweighing | None = None

    @property
    def replicates(self) -> int:
        """Return how often every score is counted."""
        return 1 if self.resampling is None else self.resampling.replicates

    def of(self, stretch: Stretch, block: Block) -> Tallies:
        """Count a block of a stretch."""
        if block.each_a_task:
            return {kind: kind.of_each(block, self.kernels) for kind in self.kinds}
        if self.resampling is not None:
            block = self.resampling.weigh(block, stretch.key_of(block), self.kernels)
        return {kind: (kind.of(block, self.kernels),) for kind in self.kinds}

    def fold(self, stretch: Stretch) -> Tallies:
        """Count a stretch, one block after the other."""
        return reduce(merged, (self.of(stretch, block) for block in stretch.blocks()))


def merged(left: Tallies, right: Tallies) -> Tallies:
    """Merge tallies of different instances, kind by kind."""
    return {kind: tuple(one.merge(other) for one, other in zip(left[kind], right[kind], strict=True)) for kind in left}


class Tree:
    """Merges the tallies of n stretches with their neighbours, level by level, in whatever order they come.

    Where they come in order, log₂ n of them wait at most.

    Parameters
    ----------
    leaves
        How many stretches there are.

    Examples
    --------
    >>> from podium.tally.position import Ties
    >>> tree = Tree(3)
    >>> [tree.put(place, {Ties: (Ties(place, 0, 0),)}) for place in (2, 0, 1)][-1]
    {<class 'podium.tally.position.Ties'>: (Ties(pairs=3, tied=0, near=0),)}
    """

    def __init__(self, leaves: int) -> None:
        self._leaves = leaves
        self._waiting: dict[tuple[int, int], Tallies] = {}

    def put(self, place: int, tallies: Tallies) -> Tallies | None:
        """Add the tallies of a stretch; return those of all, once the last one is there."""
        level, nodes = 0, self._leaves
        while nodes > 1:
            neighbour = place ^ 1
            if neighbour < nodes:  # otherwise it is the last one of an odd number, and moves up alone
                other = self._waiting.pop((level, neighbour), None)
                if other is None:
                    self._waiting[level, place] = tallies
                    return None
                tallies = merged(other, tallies) if neighbour < place else merged(tallies, other)
            level, place, nodes = level + 1, place // 2, (nodes + 1) // 2
        return tallies


def stretches(scores: Scores, *, at_most: int | None = None, keys: Sequence[Any] | None = None) -> Iterator[Stretch]:
    """Cut a table into stretches; their borders depend on its shape alone.

    Parameters
    ----------
    scores
        The table.
    at_most
        Instances of a block.
    keys
        Of each task, where replicates are drawn. By default nothing is drawn, and tasks of one instance that follow
        each other share stretches.

    Examples
    --------
    >>> import podium
    >>> [stretch.parts[0].shape for stretch in stretches(podium.datasets.toy_table1())]
    [(3, 6)]
    """
    cut = _Cut(
        _longest(len(scores.systems)), block_length(len(scores.systems), at_most), scores.effective_tie_tolerance
    )
    if keys is not None:
        for index, (task, key) in enumerate(zip(scores.tasks, keys, strict=True)):
            yield from cut.of_task(index, task, key)
        return
    first = 0
    for alike, run in groupby(scores.tasks, key=_single):
        tasks = list(run)
        if alike:
            for start in range(0, len(tasks), cut.block):
                yield cut.of_many(first + start, tasks[start : start + cut.block])
        else:
            for index, task in enumerate(tasks, first):
                yield from cut.of_task(index, task, None)
        first += len(tasks)


def _single(task: Task) -> str:
    """Type of the scores of a task of one instance; empty of other tasks."""
    return task.parts[0].dtype.char if task.n_instances == 1 else ""


def _longest(n_systems: int) -> int:
    """Return the instances of a stretch: a power of two, so that its border is one of blocks.

    It holds four times as many instances as systems, at least, so that tallies of pairs are smaller than the scores.
    """
    fit = min(max(_SCORES // n_systems, 4 * n_systems, block_length(n_systems)), _LONGEST)
    return 1 << (fit.bit_length() - 1)


@dataclass(frozen=True, slots=True)
class _Cut:
    """How long the stretches and blocks of a table are, and within which tolerance scores tie."""

    longest: int
    block: int
    tolerance: float

    def of_task(self, index: int, task: Task, key: Any) -> Iterator[Stretch]:
        """Cut a task."""
        weights, falls, size = task.instance_weights, not task.higher_is_better, self.longest
        siblings = -(-task.n_instances // size)
        if siblings == 1:
            yield Stretch(index, 0, 1, task.parts, 0, weights, key, self.block, self.tolerance, falls)
            return
        for place in range(siblings):
            start = place * size
            run = slice(start, start + size)
            own = None if weights is None else weights[run]
            its_key = key[run] if isinstance(key, np.ndarray) else key
            parts = _parts_of(task.parts, start, size)
            yield Stretch(index, place, siblings, parts, start, own, its_key, self.block, self.tolerance, falls)

    def of_many(self, first: int, tasks: Sequence[Task]) -> Stretch:
        """Put tasks of one instance into one stretch; the scores of a task stay side by side in memory."""
        ballots = np.concatenate([np.ravel(task.parts[0]) for task in tasks]).reshape(len(tasks), -1)
        falling = [not task.higher_is_better for task in tasks]
        if any(falling):
            ballots[falling] = -ballots[falling]
        weights = None
        if any(task.instance_weights is not None for task in tasks):
            weights = np.array([1.0 if task.instance_weights is None else task.instance_weights[0] for task in tasks])
        return Stretch(first, 0, 1, (ballots.T,), 0, weights, None, self.block, self.tolerance, each_a_task=True)


def _parts_of(parts: Sequence[NDArray[Any]], start: int, size: int) -> tuple[NDArray[Any], ...]:
    """Return some whole parts, or a piece of one."""
    first, offset = divmod(start, PART)
    if size >= PART:
        return tuple(parts[first : first + size // PART])
    return (parts[first][:, offset : offset + size],)


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
    >>> from podium.tally.stretch import stretches
    >>> from podium.tally.count import PLAIN
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


class Workers:
    """Counts on the workers of a cluster.

    Parameters
    ----------
    cluster
        Whose workers hold the scores.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies, in the order in which workers are done."""
        groups, last, here = list[list[Stretch]](), dict[frozenset[int], list[Stretch]](), list[Stretch]()
        for stretch in stretches:
            parts: Any = stretch.parts
            if not all(map(is_remote, parts)):  # such as tasks of one instance, put together
                here.append(stretch)
                continue
            most = _TALLIES // (counting.replicates * sum(kind.size(len(parts[0])) for kind in counting.kinds))
            held = frozenset(id(part.held) for part in parts)
            if held not in last or len(last[held]) >= most:
                last[held] = []
                groups.append(last[held])
            last[held].append(stretch)
        yield from Local().fold(counting, here, tell)
        work = [
            self._cluster.apply(
                partial(_folded, counting, [(replace(stretch, parts=()), len(stretch.parts)) for stretch in group]),
                [part for stretch in group for part in stretch.parts],  # type: ignore[misc]  # remote arrays
            )
            for group in groups
        ]
        for number, folded in self._cluster.results(work):
            for stretch, tallies in zip(groups[number], folded, strict=True):
                if tell is not None:
                    tell(stretch.size)
                yield stretch, tallies


def _folded(counting: Counting, group: Sequence[tuple[Stretch, int]], parts: list[Any]) -> list[Tallies]:
    """Count stretches, each of so many parts, on a worker that holds them."""
    coming = iter(parts)
    return [counting.fold(replace(stretch, parts=tuple(islice(coming, number)))) for stretch, number in group]
