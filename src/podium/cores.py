"""How many cores there are to use."""

import os

__all__ = ["cores"]


def cores() -> int:
    """Count the cores that this process may use, which may be fewer than the machine has.

    Examples
    --------
    >>> cores() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
