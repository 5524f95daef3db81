"""Random numbers from a seed."""

import operator

import numpy as np


def generator(seed: int, *key: int) -> "np.random.Generator":  # NumPy loads its generators when they are first named
    """Make a generator of random numbers that depends on the seed and a key alone.

    Seeds from 0 to 2⁶⁴ − 1 without a key are those of `numpy.random.default_rng`; others, negative ones among them,
    count modulo 2⁶⁴, for NumPy takes no negative ones.

    Parameters
    ----------
    seed
        Any whole number, also one of NumPy's.
    key
        Numbers from 0 up that tell streams of one seed apart, such as the number of a round: streams of different keys
        are independent.

    Examples
    --------
    >>> generator(7).random() == np.random.default_rng(7).random()
    True
    >>> generator(-7, 1).random() == generator(-7, 2).random()
    False
    """
    return np.random.default_rng(np.random.SeedSequence(operator.index(seed) % 2**64, spawn_key=key))
