"""The arithmetic of the tallies, twice: plain NumPy for small tables, compiled for large ones.

Both modules hold the same functions. The plain one is also what the compiled one is tested against.
"""

from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

#: Comparisons above which compiling, or loading what was compiled before, pays for itself.
_COMPILE_ABOVE = 2**28

#: Random draws of replicates above which it does.
_COMPILE_DRAWS_ABOVE = 2**26


class Kernels(Protocol):
    """What a module of kernels offers.

    `values` has shape `(N, L)`, systems × instances, higher is better, NaN missing; `weights` has shape `(L,)`,
    or is None for unit weights; or shape `(L, B)`, a column for each of B replicates, which are counted at once and
    add a last axis to every result. A system a beats b where `a > b + tolerance`.
    """

    def draws(self, keys: NDArray[np.uint64], first: int, replicates: int) -> NDArray[np.uint8]:
        """Return the Poisson numbers of some instances in some replicates, shape `(L, B)`."""
        ...

    def means(
        self, values: NDArray[Any], weights: NDArray[Any] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return Σ w and the mean, each of shape `(N,)`."""
        ...

    def rank_sums(self, values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float) -> NDArray[np.float64]:
        """Return Σ w E[rank], shape `(N,)`."""
        ...

    def duels(
        self, values: NDArray[Any], weights: NDArray[Any] | None, tolerance: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return wins, ties and imputed wins, each of shape `(N, N)`."""
        ...

    def moments(
        self, values: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return Σ w, the mean and Σ w (x − mean)², each of shape `(N,)`."""
        ...

    def comoments(self, values: NDArray[Any], weights: NDArray[np.float64] | None) -> tuple[NDArray[np.float64], ...]:
        """Return count, Σ w, mean, m2 and comoment, each of shape `(N, N)`."""
        ...

    def tied_pairs(self, values: NDArray[Any], tolerance: float, near: float) -> tuple[int, int, int]:
        """Return the numbers of pairs, of pairs within `tolerance`, and of pairs within `near`."""
        ...


def choose(n_systems: int, n_instances: int, replicates: int = 1) -> Kernels:
    """Pick the module that answers sooner; it depends on the shape of the whole table only."""
    comparisons = n_systems * n_instances * min(n_systems, 64)
    large = comparisons > _COMPILE_ABOVE or n_instances * replicates > _COMPILE_DRAWS_ABOVE
    name = "compiled" if large else "plain"
    return cast("Kernels", import_module(f"{__name__}.{name}"))
