"""Random weights of the bootstrap, keyed, so that a draw depends on what it is for and on nothing else.

A replicate of a table weighs each instance by an independent Poisson(1) number, which is the limit of drawing as
many instances with replacement as there are (Hanley & MacGibbon 2006; Chamandy et al. 2012) and needs to know
neither how many there are nor which come before. Draw number b of an instance is a hash of (seed, task, instance,
b), after the counter-based SplitMix64 (Steele, Lea & Flood 2014): every cut of a table, every order of its tasks
and every number of threads sees the same draws. What depends on each other is drawn together, see
`podium.score.units`: draw number b is then a hash of (seed, label of the unit, b), in all tasks.
"""

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import check_confidence, checked_whole, is_one_of
from podium.base.errors import MethodError, nearest
from podium.base.words import are, how_many
from podium.score.table import Block
from podium.score.task import Task
from podium.score.units import instance_set, units_among
from podium.tally.tally import Kernels

#: What a bootstrap can draw: instances within each task, whole tasks, tasks and then instances within them, or repeats.
UnitKind = Literal["instances", "tasks", "both", "repeats"]

UNITS: tuple[UnitKind, ...] = get_args(UnitKind)

#: Draws that one hash yields, 16 bits each; replicates are counted in such groups.
LANES = 4

#: How many of the 65,536 values of 16 bits stand for 0, 1, 2, …: Poisson(1), mean and variance exactly 1.
_COUNTS = (24_110, 24_109, 12_054, 4_018, 1_005, 200, 35, 5)

#: Shape `(65536,)`: the Poisson(1) number that each value of 16 bits stands for.
POISSON: NDArray[np.uint8] = np.repeat(np.arange(len(_COUNTS), dtype=np.uint8), _COUNTS)

#: Tasks that are drawn together, in several replicates: few enough for a core's cache.
_TASK_DRAWS = 2**18

#: What the draws of a task are made of: a key of the task, keys of its instances `(K,)`, or None where none is drawn.
Key = np.uint64 | NDArray[np.uint64] | None

#: What keys of signs are made of, see `sign_flips`.
FLIPS = b"flips\0"

#: Distance between the states of successive draws.
STEP = np.uint64(0x9E3779B97F4A7C15)


def check_resampling(*, confidence_level: Any, units: Any, n_resamples: Any, rng: Any) -> None:
    """Refuse options of the bootstrap that make no sense, even if no bootstrap is asked for.

    Raises
    ------
    MethodError
        The confidence is no number, the units are unknown, or the number of resamples or the seed is no whole number.

    Examples
    --------
    >>> check_resampling(confidence_level="0.95", units=None, n_resamples=1000, rng=0)
    Traceback (most recent call last):
    podium.errors.MethodError: confidence_level (--confidence) is '0.95'; it must be a number between 0 and 1, such as
    0.95
    """
    if confidence_level is not None:
        check_confidence(confidence_level)
    if units is not None and not is_one_of(units, UNITS):
        raise MethodError(f"there are no units {units!r} to resample; {nearest(str(units), UNITS)}")
    checked_whole("n_resamples", n_resamples)
    checked_whole("rng", rng, None)


def check_replicates(confidence: float, replicates: int) -> None:
    """Refuse a confidence that needs more replicates.

    Parameters
    ----------
    confidence
        Between 0 and 1.
    replicates
        B.

    Raises
    ------
    MethodError
        Fewer than two replicates lie beyond it.

    Examples
    --------
    >>> check_replicates(0.95, 1000)
    """
    if replicates * (1 - confidence) < 2 - 1e-9:  # 40 × (1 − 0.95), once rounded, is less than 2
        raise MethodError(
            f"{how_many(replicates, 'replicate')} {are(replicates)} too few for intervals of confidence "
            f"{confidence:.12g}; use at least {math.ceil(2 / (1 - confidence)):,}"
        )


@dataclass(frozen=True, slots=True)
class Resampling:
    """Bootstrap replicates whose numbers follow each other.

    Attributes
    ----------
    units
        "instances": the tasks are the ones of interest, and their instances a sample; "tasks": the tasks are a
        sample of all tasks there might be; "both": both, hierarchically; "repeats": neither, see `repeat_draws`.
    replicates
        How many, B.
    seed
        A replicate is a function of the seed and of its number alone.
    first
        Number of the first replicate.

    Raises
    ------
    MethodError
        An unknown unit, or no replicates.

    Examples
    --------
    >>> Resampling("tasks", replicates=2, seed=0).task_draws(["rte", "wic", "copa"]).shape
    (3, 2)
    """

    units: str
    replicates: int = 1000
    seed: int = 0
    first: int = 0

    def __post_init__(self) -> None:
        check_resampling(confidence_level=None, units=self.units, n_resamples=self.replicates, rng=self.seed)
        object.__setattr__(self, "replicates", operator.index(self.replicates))
        object.__setattr__(self, "seed", operator.index(self.seed))

    @property
    def of_instances(self) -> bool:
        """Return whether instances are drawn."""
        return self.units in {"instances", "both"}

    def task_draws(self, names: Sequence[str | None], masses: Floats | None = None) -> Floats:
        """Shape `(T, B)`: how often each task is drawn, or `(T, 1)` of ones if none is.

        If tasks are drawn, F of F names are, with replacement, and tasks of one name together. If instances are, tasks
        of one unit have no spread of their own, and are drawn among each other, as *collapsed strata* (Wolter 2007,
        §2.5): H − 1 of their H names, with replacement (Rao & Wu 1988), so that the variance of their mean is unbiased
        if the names do not differ in truth, and too large if they do. Their weight as a whole stays.

        Parameters
        ----------
        names
            For each task, what is drawn: its name, or that of its family; None of tasks that are not drawn.
        masses
            Shape `(T,)`: the weight of each task in the whole, which scales the draws of a stratum; all alike if None.
        """
        drawn = sorted({name for name in names if name is not None})
        if not drawn or (len(drawn) == 1 and self.units in {"instances", "repeats"}):
            return np.ones((len(names), 1))
        place = {name: number for number, name in enumerate(drawn)}
        own = np.array([index for index, name in enumerate(names) if name is not None])
        of = [place[name] for name in names if name is not None]
        if self.units not in {"instances", "repeats"}:
            return draw_tasks(self.seed, len(drawn), self.first, self.replicates)[of]
        factors = np.ones((len(names), self.replicates))
        times = draw_tasks(self.seed, len(drawn), self.first, self.replicates, size=len(drawn) - 1)[of]
        mass = np.ones(own.size) if masses is None else masses[own]
        factors[own] = times * (mass.sum() / (mass @ times).clip(np.finfo(float).tiny))
        return factors

    def keys(self, tasks: Sequence[Task]) -> list[Key]:
        """Keys of the draws of each task: one for all, or of each instance if units are clusters, or shared in part.

        None for a task of a single unit, which is no sample, see `task_draws`.
        """
        keys: list[Key] = [None] * len(tasks)
        for units in units_among(tasks):
            own = None if units.hashes is None else mix(task_key(self.seed, b"cluster\0") ^ units.hashes)
            for index, of in zip(units.tasks, units.of, strict=True):
                if own is not None and (of != of[0]).any():
                    keys[index] = own[of]
                elif own is None and of.size > 1:
                    keys[index] = task_key(self.seed, instance_set(tasks[index]))
        return keys

    def weigh(self, block: Block, key: Key, kernels: Kernels) -> Block:
        """Weigh the instances of a block by how often each is drawn in every replicate.

        Weights have shape `(L, B)`: draws times instance weights where there are such.
        """
        length = block.values.shape[1]
        draws: NDArray[Any] = np.ones((length, self.replicates), dtype=np.uint8)
        if key is not None:
            draws = kernels.draws(instance_keys(key, block.start, length), self.first, self.replicates)
        if block.weights is not None:
            draws = draws * block.weights[:, None]
        return Block(block.task, block.values, draws, block.tolerance, block.start)


def task_key(seed: int, name: bytes) -> np.uint64:
    """Return the key of a task, made of what it is called and not of its place; see `instance_set`.

    >>> len({int(task_key(seed, b"rte")) for seed in (0, 0, 1)})
    2
    """
    import hashlib  # noqa: PLC0415  # loads OpenSSL

    digest = hashlib.blake2b(f"{seed}\0".encode() + name, digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def instance_keys(key: np.uint64 | NDArray[np.uint64], start: int, length: int) -> NDArray[np.uint64]:
    """Shape `(L,)`: keys of the instances `start … start + length − 1` of a task by its key; their own stay."""
    if isinstance(key, np.ndarray):
        return key
    return mix(key + np.arange(start + 1, start + length + 1, dtype=np.uint64) * STEP)


def draw_tasks(seed: int, tasks: int, first: int, replicates: int, *, size: int | None = None) -> Floats:
    """Draw some of T tasks with replacement, once for each replicate.

    Parameters
    ----------
    seed, first
        Replicates `first … first + replicates − 1` of this seed.
    tasks
        T.
    size
        How many are drawn, T by default.

    Returns
    -------
    Shape `(T, B)`: how often each task was drawn; columns sum to `size`.

    Examples
    --------
    >>> draw_tasks(0, 3, 0, 100).sum(axis=0).tolist() == [3.0] * 100
    True
    """
    slots = np.arange(tasks if size is None else size, dtype=np.uint64)[:, None]
    drawn = np.empty((tasks, replicates))
    size = max(_TASK_DRAWS // max(tasks, 1), 1)
    for start in range(0, replicates, size):
        numbers = np.arange(first + start, first + min(start + size, replicates), dtype=np.uint64)
        hashes = mix(mix(task_key(seed, b"") + (numbers + np.uint64(1)) * STEP) + (slots + np.uint64(1)) * STEP)
        picks = ((hashes >> np.uint64(32)) * np.uint64(tasks) >> np.uint64(32)).astype(np.int64)
        cells = picks * numbers.size + np.arange(numbers.size)
        counts = np.bincount(cells.ravel(), minlength=tasks * numbers.size)
        drawn[:, start : start + numbers.size] = counts.reshape(tasks, numbers.size)
    return drawn


def draws(keys: NDArray[np.uint64], first: int, replicates: int) -> NDArray[np.uint8]:
    """Return the Poisson numbers of some instances in some replicates, shape `(L, B)`."""
    groups = np.arange(first // LANES, -(-(first + replicates) // LANES), dtype=np.uint64)
    hashes = mix(keys[:, None] + (groups + np.uint64(1)) * STEP)
    skipped = first % LANES
    numbers: NDArray[np.uint8] = POISSON[hashes.astype("<u8", copy=False).view("<u2")]
    return numbers[:, skipped : skipped + replicates]


def repeat_keys(seed: int, task: Task, systems: Sequence[str], *, whole: bool = False) -> NDArray[np.uint64]:
    """Shape `(N, K)`: keys of the draws of repeats, made of the names of task and system and the place of instances.

    Of `whole` runs they are made of the names of systems alone.
    """
    if whole:
        named = [task_key(seed, f"runs\0{system}".encode()) for system in systems]
        return np.repeat(np.array(named, dtype=np.uint64)[:, None], task.n_instances, axis=1)
    named = [task_key(seed, f"repeat\0{task.name}\0{system}".encode()) for system in systems]
    places = np.arange(1, task.n_instances + 1, dtype=np.uint64) * STEP
    return mix(np.array(named, dtype=np.uint64)[:, None] + places)


def repeat_draws(
    keys: NDArray[np.uint64], numbers: NDArray[np.int64], most: int, replicates: range
) -> NDArray[np.int64]:
    """Draw n of the n repeats of every system on every instance, with replacement, in each of B replicates.

    Parameters
    ----------
    keys
        Shape `(N, K)`, see `repeat_keys`.
    numbers
        Shape `(N, K)`: n.
    most
        R, at least the largest n.
    replicates
        Their numbers.

    Returns
    -------
    Shape `(B, N, K, R)`: numbers of repeats, from 0 to n − 1; behind the first n of them R − 1.

    Examples
    --------
    >>> repeat_draws(np.zeros((1, 2), dtype=np.uint64), np.array([[2, 1]]), 3, range(1))[0, 0, 1].tolist()
    [0, 2, 2]
    """
    turn = np.arange(most)
    firsts = np.arange(replicates.start, replicates.stop, dtype=np.uint64)[:, None, None, None] * np.uint64(most)
    hashes = mix(keys[..., None] + (firsts + turn.astype(np.uint64) + np.uint64(1)) * STEP) >> np.uint64(32)
    picks = (hashes * numbers[..., None].astype(np.uint64) >> np.uint64(32)).astype(np.int64)
    return np.where(turn < numbers[..., None], picks, most - 1)


def sign_flips(seed: int, start: int, length: int, number: int) -> Floats:
    """Shape `(S, L)`: signs of units from `start` on in S flips, by hashes of (seed, place of the unit); first none.

    >>> sign_flips(0, 0, 3, 200).shape, sign_flips(0, 0, 3, 200)[0].tolist()
    ((200, 3), [1.0, 1.0, 1.0])
    """
    words = np.arange(1, -(-number // 64) + 1, dtype=np.uint64) * STEP
    hashes = mix(instance_keys(task_key(seed, FLIPS), start, length)[:, None] + words)
    bits = np.unpackbits(hashes.astype("<u8", copy=False).view(np.uint8), axis=1, bitorder="little")[:, :number]
    signs = (1 - 2 * bits.view(np.int8)).T.astype(np.float64)  # in single bytes a tenth of the time
    signs[0] = 1.0
    return signs


def mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash 64 bits to 64 bits, one to one, each bit of the result depending on all: SplitMix64's output function.

    >>> int(mix(np.array([0x9E3779B97F4A7C15], dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF
    True
    """
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
