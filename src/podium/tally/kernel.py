"""Which arithmetic counts a table: NumPy, for small ones, or its compiled twins, for large ones."""

from types import SimpleNamespace
from typing import cast

from podium.base.compile import compiling_pays
from podium.tally.draw import draws
from podium.tally.duel import duels
from podium.tally.moment import comoments, means, moments
from podium.tally.position import rank_sums, tied_pairs
from podium.tally.tally import Kernels

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
