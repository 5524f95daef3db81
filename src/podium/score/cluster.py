"""Clusters: instances that go together, as all questions on one passage do, and count as one draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen


@dataclass(frozen=True, slots=True, eq=False)
class Clusters(Frozen):
    """In which cluster each of the K instances of a task is.

    Attributes
    ----------
    names
        The C labels, sorted as texts; each has an instance.
    numbers
        Shape `(K,)`: number of the cluster of each instance.
    hashes
        Shape `(C,)`: 64 bits made of each label, for random draws.

    Examples
    --------
    >>> clusters = Clusters.of(["b", "a", "b"])
    >>> clusters.names, clusters.labels
    (('a', 'b'), ('b', 'a', 'b'))
    """

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, labels: Sequence[str]) -> Self:
        """Number the labels of K instances."""
        known: dict[str, int] = {}
        codes = np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)
        return cls.coded(codes, list(known))

    @classmethod
    def coded(cls, codes: NDArray[Any], names: Sequence[str]) -> Self:
        """Return the clusters of K instances that have these codes; `names[code]` is a label, not each in use."""
        used = np.unique(codes)
        in_use = [names[code] for code in used.tolist()]
        order = sorted(range(used.size), key=in_use.__getitem__)
        number = np.empty(used.size, dtype=np.int64)
        number[order] = np.arange(used.size)
        labels = tuple(in_use[place] for place in order)
        return cls(labels, number[np.searchsorted(used, codes)], hashes_of(labels))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each of the K instances."""
        return tuple(self.names[number] for number in self.numbers.tolist())

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Shape `(C,)`: how many instances each cluster has."""
        return np.bincount(self.numbers, minlength=len(self))

    def take(self, kept: NDArray[Any]) -> "Clusters":
        """Return the clusters of some of the instances, by mask or by place.

        >>> Clusters.of(["b", "a", "b"]).take(np.array([0, 2])).names
        ('b',)
        """
        return Clusters.coded(self.numbers[kept], self.names)


def hashes_of(names: Sequence[str]) -> NDArray[np.uint64]:
    """Shape `(C,)`: 64 bits made of each label, for random draws.

    >>> hashes_of(["a", "b"]).size
    2
    """
    import hashlib  # noqa: PLC0415  # loads OpenSSL

    digests = b"".join(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)
