"""Kernels compiled by Numba: blocked for cache, vectorised, without the interpreter lock.

Each call is sequential and its order of additions is fixed by the shape of its input, so results do not
depend on how many calls run side by side. Reassociation is allowed in sums only to vectorise them.
"""

from podium.tallies.kernels.compiled.ballots import duels, rank_sums, tied_pairs
from podium.tallies.kernels.compiled.moments import comoments, moments
from podium.tallies.kernels.compiled.replicates import draws
from podium.tallies.kernels.plain import means

__all__ = ["comoments", "draws", "duels", "means", "moments", "rank_sums", "tied_pairs"]
