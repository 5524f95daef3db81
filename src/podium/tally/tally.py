"""The contracts that tallies keep: empty, of, merge; what counts a block; and a table weighed many times."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.score.table import Block
from podium.score.task import Task

#: Instances whose weights in all replicates are made into real numbers at a time. Draws are 7 at most, so sums of that
#: many halves up to 1,000 are below 2²³: exact in single precision.
_STRETCH = 1024


class Kernels(Protocol):
    """Functions that count a block: those of NumPy beside the tallies, or their twins in `podium.tally.compiled`.

    `values` has shape `(N, L)`, systems × instances, higher is better, NaN missing; `weights` has shape `(L,)`,
    or is None for unit weights; or shape `(L, B)`, a column for each of B replicates, which are counted at once and
    add a last axis to every result. A system a beats b where `a > b + tolerance`.
    """

    def draws(self, keys: NDArray[np.uint64], first: int, replicates: int) -> NDArray[np.uint8]:
        """Return the Poisson numbers of some instances in some replicates, shape `(L, B)`."""
        ...

    def means(self, values: NDArray[Any], weights: NDArray[Any] | None) -> tuple[Floats, Floats]:
        """Return Σ w and the mean, each of shape `(N,)`."""
        ...

    def rank_sums(self, values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> Floats:
        """Return Σ w E[rank], shape `(N,)`."""
        ...

    def duels(
        self, values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float
    ) -> tuple[Floats, Floats, Floats]:
        """Return wins, ties and imputed wins, each of shape `(N, N)`."""
        ...

    def moments(self, values: NDArray[Any], weights: Floats | None) -> tuple[Floats, Floats, Floats]:
        """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
        ...

    def comoments(self, values: NDArray[Any], weights: Floats | None) -> tuple[Floats, ...]:
        """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
        ...

    def tied_pairs(self, values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
        """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
        ...


class Tally(ABC):
    """Sufficient statistics of the ballots of one task; a frozen value.

    Laws, tested for every tally:

    - `merge` is associative and commutative: exactly where the sums are of whole and half numbers (complete
      ballots with whole weights), to rounding elsewhere;
    - `empty` is its identity, exactly;
    - the tally of a table is the merge of the tallies of any cut of it into blocks.
    """

    __slots__ = ()

    @classmethod
    @abstractmethod
    def empty(cls, n_systems: int) -> Self:
        """Return the tally of no ballots."""

    @classmethod
    def size(cls, n_systems: int) -> int:
        """Return bytes of the tally of so many systems: of its numbers, of systems, and of pairs."""
        alone = cls.empty(1)
        axes = [np.ndim(getattr(alone, field.name)) for field in fields(alone)]  # type: ignore[arg-type]  # as below
        return sum(8 * n_systems**n_axes for n_axes in axes)

    @classmethod
    @abstractmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:
        """Return the tally of the ballots of one block."""

    @classmethod
    def of_each(cls, block: Block, kernels: Kernels) -> Sequence[Self]:
        """Return the tally of every ballot of a block by itself, as `of` would count it."""
        weights = block.weights
        return [
            cls.of(
                replace(
                    block,
                    values=np.ascontiguousarray(block.values[:, index : index + 1]),
                    weights=None if weights is None else weights[index : index + 1],
                ),
                kernels,
            )
            for index in range(block.values.shape[1])
        ]

    @abstractmethod
    def merge(self, other: Self) -> Self:
        """Return the tally of the ballots of both."""

    @property
    def n_replicates(self) -> int:
        """Return length of the last axis, of a tally of replicates."""
        first = getattr(self, fields(self)[0].name)  # type: ignore[arg-type]  # every tally is a dataclass
        return int(np.shape(first)[-1])

    def changed(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Self:
        """Return a tally whose every number, or array of numbers, is changed in the same way."""
        return self.together([self], lambda arrays: change(np.asarray(arrays[0])))

    @classmethod
    def together(cls, tallies: Sequence[Self], join: Callable[[Sequence[NDArray[Any]]], NDArray[Any]]) -> Self:
        """Return one tally of several, whose arrays are joined, field by field."""
        names = [field.name for field in fields(tallies[0])]  # type: ignore[arg-type]  # every tally is a dataclass
        return type(tallies[0])(*(join([getattr(tally, name) for tally in tallies]) for name in names))


class Reweighing(Protocol):
    """Replicates as an engine takes them: how many there are, and how the instances of a block weigh in each."""

    @property
    def replicates(self) -> int:
        """Return how many, B."""
        ...

    def keys(self, tasks: Sequence[Task]) -> Sequence[Any]:
        """For each task, what `weigh` wants to know of it: one value, or an array with one for each instance."""
        ...

    def weigh(self, block: Block, key: Any, kernels: Kernels) -> Block:
        """Return the block with weights of shape `(L, B)`; `key` is that of the task, or those of the instances."""
        ...


def weighed(array: NDArray[Any], weights: NDArray[Any] | None, *, halves: bool = False) -> Floats:
    """Sum over instances, once for each replicate where weights have shape `(L, B)`.

    Halves are numbers of ½ up to a thousand: their sums over bare draws are exact in single precision, which takes half
    the time.
    """
    if weights is not None and weights.ndim == 2:
        return _weighed_often(array, weights, np.dtype(np.float32 if halves and weights.dtype == np.uint8 else float))
    total: Floats = (array if weights is None else array * weights).sum(axis=-1, dtype=np.float64)
    return total


def _weighed_often(array: NDArray[Any], weights: NDArray[Any], real: np.dtype[Any]) -> Floats:
    """Multiply matrices in stretches of instances, which bounds the memory of weights made into real numbers."""
    total = np.zeros((array.shape[0], weights.shape[1]))
    for start in range(0, array.shape[1], _STRETCH):
        stretch = slice(start, start + _STRETCH)
        total += array[:, stretch].astype(real) @ weights[stretch].astype(real)
    return total
