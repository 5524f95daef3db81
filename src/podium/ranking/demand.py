"""What engines are asked for: kinds of tallies, in how many passes, and how many replicates at a time."""

from collections.abc import Sequence
from itertools import chain

from podium.ranking.method_spec import MethodSpec, method_of, needs_of
from podium.score.table import Scores
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions
from podium.tally.tally import Tally

#: Numbers that the tallies of replicates hold, at a time.
AT_ONCE = 2**23

#: Replicates at a time of a slow method, so that progress is told in time.
SLOW = 64

_Kinds = tuple[type[Tally], ...]


def kinds_of(scores: Scores, specs: Sequence[MethodSpec], also: Sequence[type[Tally]] = ()) -> _Kinds:
    """Kinds of tallies that are counted for some ways to rank, their levels settled.

    >>> import podium
    >>> kinds = kinds_of(podium.datasets.toy_table1(), [MethodSpec("borda", "one")])
    >>> [kind.__name__ for kind in kinds]
    ['Positions']
    """
    kinds = dict.fromkeys(chain(also, *(needs_of(spec) for spec in specs)))
    if Means in kinds and not scores.task_level:
        kinds[Moments] = None  # what rounding errors of means are proportional to
    return tuple(kinds)


def passes_of(kinds: _Kinds) -> list[_Kinds]:
    """Kinds that are counted in one pass over a table, or in two.

    >>> [len(some) for some in passes_of((Positions, Duels, Moments))]
    [2, 1]
    """
    if Duels in kinds and Positions in kinds:
        # positions read off duels may differ by rounding from those counted, on which a rank should not depend
        return [tuple(kind for kind in kinds if kind is not Positions), (Positions,)]
    return [kinds]


def at_once(scores: Scores, spec: MethodSpec, resampling: Resampling) -> int:
    """How many replicates there can be in memory at a time.

    >>> import podium
    >>> at_once(podium.datasets.toy_table1(), MethodSpec("kemeny", "task"), Resampling("tasks"))
    64
    """
    method, n_systems, n_tasks = method_of(spec), len(scores.systems), len(scores.tasks)
    numbers = n_tasks * n_systems  # a mean, or a sum of ranks, of each system on each task
    if method.adds_up and not resampling.of_instances:  # one product of matrices, see `weighted_sum`
        numbers = max(n_tasks, n_systems) // 2
    if method.of_pairs:  # duels are three matrices, of each task where its instances are counted anew
        by_task = resampling.units != "tasks" and Duels in needs_of(spec)
        numbers = max(numbers, 3 * n_systems**2 * (n_tasks if by_task else 1))
    most = max(AT_ONCE // numbers, 1)
    return min(most, SLOW) if method.slow else most
