"""Random numbers from a seed."""

import operator

import numpy as np


def generator(seed: int, *key: int) -> "np.random.Generator":  # NumPy loads its generators when they are first named
    """Return a generator of random numbers that depends on the seed and a key alone.

    Without a key, seeds from 0 to 2⁶⁴ − 1 are those of `numpy.random.default_rng`. Other seeds, such as negative ones,
    count modulo 2⁶⁴, because NumPy refuses negative ones.

    Parameters
    ----------
    seed
        Any whole number, also one of NumPy's.
    key
        Numbers from 0 up, such as the number of a round. Different keys give independent streams of one seed.

    Examples
    --------
    >>> generator(7).random() == np.random.default_rng(7).random()
    True
    >>> generator(-7, 1).random() == generator(-7, 2).random()
    False
    """
    return np.random.default_rng(np.random.SeedSequence(operator.index(seed) % 2**64, spawn_key=key))
