"""Hashes, and the Poisson numbers that their bits stand for: the chance of the bootstrap, see `podium.tally.draw`."""

import numpy as np
from numpy.typing import NDArray

#: Draws that one hash yields, 16 bits each; replicates are counted in such groups.
LANES = 4

#: How many of the 65,536 values of 16 bits stand for 0, 1, 2, …: Poisson(1), mean and variance exactly 1.
_COUNTS = (24_110, 24_109, 12_054, 4_018, 1_005, 200, 35, 5)

#: Shape `(65536,)`: the Poisson(1) number that each value of 16 bits stands for.
POISSON: NDArray[np.uint8] = np.repeat(np.arange(len(_COUNTS), dtype=np.uint8), _COUNTS)

#: Distance between the states of successive draws.
STEP = np.uint64(0x9E3779B97F4A7C15)


def mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash 64 bits to 64 bits, one to one, each bit of the result depending on all: SplitMix64's output function.

    >>> int(mix(np.array([0x9E3779B97F4A7C15], dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF
    True
    """
    mixed = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
