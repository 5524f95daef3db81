"""Messages: what is sent to workers of a cluster, and what these do with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from podium.tally.engine.stretch import Counting, Stretch, Tallies
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions
from podium.tally.tie import Ties

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
