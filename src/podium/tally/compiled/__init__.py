"""Kernels compiled by Numba: blocked for cache, vectorised, without the interpreter lock.

Each call is sequential and its order of additions is fixed by the shape of its input, so results do not
depend on how many calls run side by side. Reassociation is allowed in sums only to vectorise them.
"""

from podium.tally.compiled.draw import draws
from podium.tally.compiled.duel import duels, tied_pairs
from podium.tally.compiled.moment import comoments, moments
from podium.tally.compiled.position import rank_sums
from podium.tally.moment import means

__all__ = ["comoments", "draws", "duels", "means", "moments", "rank_sums", "tied_pairs"]
