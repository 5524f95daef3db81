"""Count a table: the engine in force folds the stretches of each task into tallies, and merges them in a tree.

NumPy counts small tables, and its compiled twins count large ones.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from podium.base.cluster import is_remote
from podium.base.errors import MethodError
from podium.base.parallel import Progress, compiling_pays, memory
from podium.base.words import how_many
from podium.score.table import Scores
from podium.tally.draw import draws
from podium.tally.duel import duels
from podium.tally.moment import Means, Moments, comoments, means, moments
from podium.tally.position import Positions, Ties, rank_sums, tied_pairs
from podium.tally.stretch import Counting, Local, Stretch, Tallies, Tree, Workers, stretches
from podium.tally.tally import Kernels, Reweighing, Tally

#: Comparisons above which compiling, or loading what was compiled before, pays for itself.
_COMPILE_ABOVE = 2**28

#: Random draws of replicates above which it does.
_COMPILE_DRAWS_ABOVE = 2**26

#: In NumPy: what the compiled ones are tested against.
PLAIN = cast(
    "Kernels",
    SimpleNamespace(
        comoments=comoments,
        draws=draws,
        duels=duels,
        means=means,
        moments=moments,
        rank_sums=rank_sums,
        tied_pairs=tied_pairs,
    ),
)


def choose(n_systems: int, n_instances: int, replicates: int = 1) -> Kernels:
    """Pick the kernels that answer sooner; it depends on the shape of the whole table only."""
    comparisons = n_systems * n_instances * min(n_systems, 64)
    large = comparisons > _COMPILE_ABOVE or n_instances * replicates > _COMPILE_DRAWS_ABOVE
    if not compiling_pays(large=large):
        return PLAIN
    from podium.tally import compiled  # noqa: PLC0415  # loads Numba

    return cast("Kernels", compiled)


class Engine(Protocol):
    """Folds the stretches of a table, each by itself.

    Laws, tested for every engine:

    - the tallies of a stretch are those of `Counting.fold`, byte for byte;
    - every stretch is yielded once, in whatever order;
    - of a table that is larger than memory, a bounded number of stretches is held at a time.
    """

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies; `tell` is called with the number of scores just counted."""
        ...


#: Scores, times replicates, that are counted before other threads, or workers, have begun.
_SMALL = 2**16

#: Bytes of tallies that any machine has room for.
_LARGE = 2**30

#: Draws, of instances in replicates, made at a time: a byte each.
_DRAWS = 2**22

#: Tallies that NumPy counts by sorting, and complete scores up to which it has them before compiled code is loaded.
_SORTED, _SORTED_UP_TO = frozenset({Positions, Ties, Means}), 2**24

_Kind = TypeVar("_Kind", bound=Tally)


class Counts:
    """Tallies of a table: `counts[Positions]` is a tuple with one `Positions` per task.

    Parameters
    ----------
    tallies
        Of each kind.
    alike
        The tallies that these are replicates of, all alike; see `as_replicates`.
    """

    def __init__(self, tallies: dict[type[Tally], tuple[Tally, ...]], alike: "Counts | None" = None) -> None:
        self.alike = alike
        self._tallies = tallies
        self._as_replicates: Counts | None = None
        self._arrays: dict[Hashable, NDArray[np.float64]] = {}

    def __getitem__(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        if self.alike is not None and kind not in self._tallies:  # made when wanted, as tasks may be thousands
            some = (tally.changed(lambda array: array[..., None]) for tally in self.alike[kind])
            self._tallies[kind] = tuple(some)
        return cast("tuple[_Kind, ...]", self._tallies[kind])

    def __contains__(self, kind: type[Tally]) -> bool:
        return kind in self._tallies or (self.alike is not None and kind in self.alike)

    def once(self, name: Hashable, make: Callable[[], NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return an array that is made of the tallies the first time it is asked for by this name, and kept."""
        if name not in self._arrays:
            self._arrays[name] = make()
        return self._arrays[name]

    @property
    def n_replicates(self) -> int:
        """Return how many replicates the tallies are of; 1 where they are all alike."""
        if self.alike is not None:
            return 1
        return max(tallies[0].n_replicates for tallies in self._tallies.values())

    def as_replicates(self) -> "Counts":
        """Give tallies an axis of length 1 for replicates, which are then all the same."""
        if self._as_replicates is None:
            self._as_replicates = Counts({}, alike=self)
        return self._as_replicates

    def tasks_as_replicates(self, tasks: slice = slice(None)) -> "Counts":
        """Return tallies of one task; each replicate is one of the tasks of the table."""
        side_by_side = partial(np.stack, axis=-1)
        return Counts({kind: (kind.together(some[tasks], side_by_side),) for kind, some in self._tallies.items()})


def count(
    scores: Scores,
    kinds: Sequence[type[Tally]],
    *,
    resampling: Reweighing | None = None,
    keys: Sequence[Any] | None = None,
    threads: int | None = None,
    kernels: Kernels | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Fold the blocks of a table into the tallies asked for, and no others, on the engine in force.

    Parameters
    ----------
    scores
        The table; at most a few blocks are worked on at a time.
    kinds
        Kinds of tallies. Means are read off moments if these are asked for, too.
    resampling
        Count replicates, in which instances have other weights, such as how often each is drawn: fields get a last
        axis of length B. By default the table as it is.
    threads
        How many blocks the local engine counts side by side; all cores by default. Neither it nor the engine changes
        the result: a table is cut by its shape alone, and merged in an order that depends on nothing else.
    kernels
        The arithmetic; by default plain NumPy for small tables and compiled code for large ones.
    progress
        Called after each block.

    Raises
    ------
    MethodError
        The tallies are larger than the memory of this machine.

    Examples
    --------
    >>> import podium
    >>> counts = count(podium.datasets.toy_table1(), [Positions])
    >>> counts[Positions][0].rank_sum
    array([3., 2., 1.])
    """
    replicates = 1 if resampling is None else resampling.replicates
    _check_memory(scores, kinds, replicates)
    wanted = tuple(kind for kind in kinds if kind is not Means or Moments not in kinds)
    counting = Counting(wanted, kernels or usual_kernels(scores, wanted, resampling), resampling)
    if resampling is None:
        cut = stretches(scores)
    else:
        keys = resampling.keys(scores.tasks) if keys is None else keys
        cut = stretches(scores, at_most=max(_DRAWS // replicates, 1), keys=keys)
    small = scores.n_cells * replicates <= _SMALL
    remote: Any = next((part for task in scores.tasks for part in task.parts if is_remote(part)), None)
    engine: Engine = Local(1 if small else threads) if remote is None else Workers(remote.cluster)
    tell = None if progress is None else _adding_up(progress, scores.n_cells)
    totals = _folded(engine.fold(counting, cut, tell), len(scores.tasks))
    counted = {kind: tuple(total[kind] for total in totals) for kind in wanted}
    if Means in kinds and Moments in kinds:
        counted[Means] = tuple(Means.from_moments(cast("Moments", total[Moments])) for total in totals)
    return Counts(counted)


def _check_memory(scores: Scores, kinds: Sequence[type[Tally]], replicates: int) -> None:
    """Refuse tallies larger than memory: a system that lends more than it has would end the process without a word."""
    n_systems, n_tasks = len(scores.systems), len(scores.tasks)
    needed = n_tasks * replicates * sum(kind.size(n_systems) for kind in kinds)
    there = memory() if needed > _LARGE else None
    if there is not None and needed > there:
        raise MethodError(
            f"to compare {how_many(n_systems, 'system')} in pairs on {how_many(n_tasks, 'task')} takes "
            f"{needed / 1e9:,.0f} GB of memory, and this machine has {there / 1e9:,.0f} GB; choose fewer systems "
            "or tasks (--systems, --tasks), or a method without pairs, such as borda or mean"
        )


def usual_kernels(scores: Scores, kinds: Sequence[type[Tally]], resampling: Reweighing | None = None) -> Kernels:
    """Return the arithmetic for a table: plain NumPy where it takes less time than to load compiled code."""
    if resampling is not None:
        return choose(len(scores.systems), scores.n_instances, resampling.replicates)
    # sums over complete ballots that weigh 1 are exact in any order, and NumPy has them sooner
    sorted_soon = (
        scores.n_cells <= _SORTED_UP_TO
        and scores.tie_tolerance == 0
        and _SORTED.issuperset(kinds)
        and scores.n_scored == scores.n_cells
        and all(task.instance_weights is None for task in scores.tasks)
    )
    return PLAIN if scores.task_level or sorted_soon else choose(len(scores.systems), scores.n_instances)


def _folded(folds: Iterable[tuple[Stretch, Tallies]], n_tasks: int) -> list[dict[type[Tally], Tally]]:
    """Merge the tallies of stretches: for each task one tally of every kind."""
    totals: list[dict[type[Tally], Tally]] = [{} for _ in range(n_tasks)]
    trees: dict[int, Tree] = {}
    for stretch, tallies in folds:
        whole: Tallies | None = tallies
        if stretch.siblings > 1:
            tree = trees.setdefault(stretch.task, Tree(stretch.siblings))
            whole = tree.put(stretch.place, tallies)
        if whole is not None:
            for kind, of_tasks in whole.items():
                for task, tally in enumerate(of_tasks, stretch.task):  # several where each instance is a task
                    totals[task][kind] = tally
    return totals


def _adding_up(progress: Progress, total: int) -> Callable[[int], None]:
    """Tell how much is done, when told how much more is."""
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return tell
