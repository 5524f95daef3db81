"""Scores gathered one by one, where an instance may come again, which is then a repeat."""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from podium.source.tool.run import Samples, labels


class Repeated:
    """Scores of one metric, while they are read.

    Examples
    --------
    >>> scores = Repeated()
    >>> scores.add("q1", 1)
    >>> scores.add("q1", 0)
    >>> scores.samples().repeats
    array([1, 2])
    """

    __slots__ = ("_clusters", "_digests", "_instances", "_measured", "_repeats", "_scores", "_seen")

    def __init__(self) -> None:
        self._instances: list[Any] = []
        self._scores: list[float] = []
        self._repeats: list[int] = []
        self._clusters: list[str | None] = []
        self._digests: list[str | None] = []
        self._measured: list[Mapping[str, float]] = []
        self._seen: dict[Any, int] = {}

    def add(
        self,
        instance: Any,
        score: Any,
        measured: Mapping[str, float] | None = None,
        *,
        cluster: str | None = None,
        digest: str | None = None,
    ) -> None:
        """Add a score, with what else was measured; a score of None is missing.

        Raises
        ------
        TypeError
            The score is no number.
        """
        if score is not None and not isinstance(score, int | float):
            raise TypeError(f"{str(score)[:40]!r} is no score")
        self._seen[instance] = self._seen.get(instance, 0) + 1
        self._instances.append(instance)
        self._scores.append(math.nan if score is None else float(score))
        self._repeats.append(self._seen[instance])
        self._clusters.append(cluster)
        self._digests.append(digest)
        self._measured.append(measured or {})

    def fill(self, instances: Iterable[Any], score: float) -> list[Any]:
        """Give a score to those of these instances that have none, and return them."""
        lacking = [instance for instance in instances if instance not in self._seen]
        for instance in lacking:
            self.add(instance, score)
        return lacking

    @property
    def instances(self) -> Collection[Any]:
        """Labels of all instances, each once."""
        return self._seen.keys()

    @property
    def missing(self) -> int:
        """How many scores are missing."""
        return sum(math.isnan(score) for score in self._scores)

    def samples(self) -> Samples:
        """All of them."""
        names = dict.fromkeys(name for measured in self._measured for name in measured)
        return Samples(
            labels(self._instances),
            np.array(self._scores, dtype=np.float64),
            repeats=np.array(self._repeats) if max(self._repeats, default=1) > 1 else None,
            clusters=None if None in self._clusters else labels(self._clusters),
            digests=None if None in self._digests else labels(self._digests),
            covariates={
                name: np.array([measured.get(name, math.nan) for measured in self._measured], dtype=np.float64)
                for name in names
            },
        )


def numbers(given: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    """Values that are numbers, under other names.

    Examples
    --------
    >>> numbers({"cost_usd": 0.5, "n": None}, {"cost_usd": "cost", "n": "count"})
    {'cost': 0.5}
    """
    return {
        called: float(given[name])
        for name, called in names.items()
        if isinstance(given.get(name), int | float) and not isinstance(given[name], bool)
    }
