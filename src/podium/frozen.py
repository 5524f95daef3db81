"""Values whose arrays stay as they are, also after pickling and copying."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frozen"]


class Frozen:
    """Base of frozen dataclasses with arrays: makes them read-only, and so again in copies and what is unpickled.

    >>> import copy
    >>> import podium
    >>> table = copy.deepcopy(podium.datasets.toy_table1())
    >>> table.tasks[0].parts[0].flags.writeable
    False
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        for value in self._values():
            for array in _arrays(value):
                array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._values()

    def _values(self) -> tuple[Any, ...]:
        """Fields in order."""
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]  # a dataclass, below


def _arrays(value: Any) -> Iterator[NDArray[Any]]:
    """Arrays in a field: itself, or the items of a tuple."""
    return (item for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, np.ndarray))
