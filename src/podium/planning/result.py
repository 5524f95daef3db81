"""What would make an answer surer: how much more data separates systems, and which scores to add; frozen."""

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import plain
from podium.base.words import LONG, how_many, percent, two_digits
from podium.ranking.method_spec import in_words
from podium.report.result import Result

#: Value of a cell, in pairs of systems, below which it is not worth a sentence.
_WORTH_SAYING = 0.01

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MissingCell:
    """A system without a score on a task, or on a part of its instances.

    Attributes
    ----------
    system, task
        Labels.
    scored
        Share of the instances of the task on which the system has a score, below 1.
    value
        How much it would narrow the ranking, ≥ 0, higher is more: the number of pairs of systems that it is expected
        to decide, a pair being undecided by 4 p (1 − p); see `podium.planning.completion.cell_values`.
    """

    system: str
    task: str
    scored: float
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Plan(Result):
    """How much more data would separate the N systems of a ranking, in its order, and which scores to add first.

    Attributes
    ----------
    method, level
        Of the ranking.
    systems
        The N labels, best first; unranked systems last.
    confidence
        With which systems are to be separated, all pairs together.
    power
        Probability with which a new evaluation of the size in `growth` separates them.
    units
        What there is to be more of: "instances" of the same tasks; "tasks"; "both": tasks, with their instances.
    size
        How many there are: mean number of instances a task (of clusters, where these are drawn), or number of tasks.
    difference
        Shape `(N, N)`: how much better i is than j, in units of the score; 0 for a shared rank, NaN where unranked.
    std_error
        Shape `(N, N)`: its standard deviation over replicates; NaN where there are none.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together, by the bootstrap.
    growth
        Shape `(N, N)`: factor by which the number of units must grow, see `podium.planning.power.growth_of_pairs`;
        infinite where the difference is 0. NaN where it has no standard error, or where it is large for its standard
        error but many replicates reverse it.
    probability
        Shape `(N, N)`: share of the direct comparisons of i and j that i won.
    compared
        Shape `(N, N)`: number of these comparisons, of instances, or of tasks where tasks are the units.
    comparisons
        Shape `(N, N)`: more comparisons than this show by Hoeffding's bound that i is better than j, all pairs
        together, if the share stays the same; infinite where i wins at most half, NaN where nothing was compared.
    cells
        What is missing, the most useful first, equals in order of labels; at most 10,000, see `notes`.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.
    clustered
        Whether there is to be more of clusters of instances, as large as those there are.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 4, 50, dispersion=0.1, rng=0).scores
    >>> plan = podium.plan(scores, "mean", replicates=200)
    >>> plan.units, plan.size
    ('instances', 50.0)
    >>> plan.cells
    ()
    """

    schema: ClassVar[str] = "plan"
    row_key: ClassVar[str] = "pairs"

    method: str
    level: str | None
    systems: tuple[str, ...]
    confidence: float
    power: float
    units: str
    size: float
    difference: Floats
    std_error: Floats
    separated: NDArray[np.bool_]
    growth: Floats
    probability: Floats
    compared: Floats
    comparisons: Floats
    cells: tuple[MissingCell, ...] = ()
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"
    clustered: bool = False

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return "\n".join([f"Plan({self.title})", *(f"  {sentence}" for sentence in self.summary)])

    @property
    def unit(self) -> str:
        """What there is to be more of, in a word: "clusters" where these are drawn."""
        if self.units != "instances":
            return "tasks"
        return "clusters" if self.clustered else "instances"

    @property
    def title(self) -> str:
        """Method, size, and how many neighbours are separated, in words."""
        how = in_words(self.method, self.level)
        apart = int(np.diagonal(self.separated, 1).sum())
        return f"{how}: {how_many(len(self), 'system')}, {apart} of {how_many(len(self) - 1, 'neighbour')} separated"

    @property
    def summary(self) -> tuple[str, ...]:
        r"""What first and second, and first and third, would take, and the cell to fill first, in sentences.

        >>> import podium
        >>> scores = podium.simulate.gumbel(3, 4, 50, dispersion=0.1, rng=0).scores
        >>> print(*podium.plan(scores, "mean", replicates=200).summary[0].split(" with "), sep="\n")
        about 710 instances a task instead of 50 would separate system 3 from system 1
        a chance of 80%, if the difference seen is the true one
        """
        sentences = [self.sentence(0, j) for j in range(1, min(len(self), 3))]
        if self.cells and self.cells[0].value >= _WORTH_SAYING:
            best = self.cells[0]
            what = "the other scores" if best.scored else "a score"
            sentences.append(f"{what} of {best.system} on {best.task} would narrow the ranking most")
        return tuple(sentences)

    def sentence(self, i: int, j: int) -> str:
        r"""Say what it takes to separate the systems at two places of the ranking, counted from 0.

        >>> import podium
        >>> print(*podium.plan(podium.datasets.toy_table1()).sentence(0, 2).split(", "), sep="\n")
        about 320 tasks instead of 6 (53 times as many) would separate C from A with a chance of 80%
        if the difference seen is the true one
        """
        pair = f"{self.systems[i]} from {self.systems[j]}"
        if self.separated[i, j] or self.separated[j, i]:
            return f"{self.systems[i]} and {self.systems[j]} are separated already"
        if self.difference[i, j] == 0:
            return f"to separate {pair}: no amount of data, as the difference is 0"
        if math.isnan(self.growth[i, j]):
            return f"to separate {pair}: {self._by_comparisons(i, j)}"
        unit = f"{self.unit} a task" if self.units == "instances" else self.unit
        times = f"{two_digits(self.growth[i, j])} times as many"
        needed = math.ceil(self.growth[i, j] * self.size)
        many = f"about {two_digits(needed)} {unit} instead of {self.size:,.4g} ({times})"
        chance = f"with a chance of {percent(self.power)}, if the difference seen is the true one"
        said = f"{many} would separate {pair} {chance}"
        return said if len(said) <= LONG else said.replace(f" ({times})", "")

    def _by_comparisons(self, i: int, j: int) -> str:
        needed = self.comparisons[i, j]
        if math.isnan(needed):
            return "unknown, as they are never scored together"
        if math.isinf(needed):
            return f"no amount of data, as {self.systems[i]} wins at most half of the comparisons"
        now = f"{self.compared[i, j]:,.4g}"
        return f"more than {math.floor(needed):,} comparisons of the two instead of {now}, by Hoeffding's bound"

    def _needed(self, i: int, j: int) -> int | None:
        """Units in all; None where they are unknown or infinite."""
        growth = self.growth[i, j]
        return math.ceil(growth * self.size) if math.isfinite(growth) else None

    def neighbours(self) -> list[dict[str, Any]]:
        """One plain dictionary per system and the next in the ranking, as `rows` has them.

        >>> import podium
        >>> [row["system"] + row["other"] for row in podium.plan(podium.datasets.toy_table1()).neighbours()]
        ['CB', 'BA']
        """
        return [self._row(i, i + 1) for i in range(len(self) - 1)]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per pair of systems, the better first; None where a number is unknown or infinite.

        >>> import podium
        >>> podium.plan(podium.datasets.xtreme_missing()).rows()[0]["comparisons_needed"]
        15
        """
        return list(self._rows())

    def _rows(self) -> Iterator[dict[str, Any]]:
        for i in range(len(self)):
            for j in range(i + 1, len(self)):
                yield self._row(i, j)

    def _row(self, i: int, j: int) -> dict[str, Any]:
        comparisons = self.comparisons[i, j]
        return plain({
            "system": self.systems[i],
            "other": self.systems[j],
            "difference": float(self.difference[i, j]),
            "std_error": float(self.std_error[i, j]),
            "separated": bool(self.separated[i, j] or self.separated[j, i]),
            "growth": float(self.growth[i, j]),
            "units_now": self.size,
            "units_needed": self._needed(i, j),
            "probability": float(self.probability[i, j]),
            "comparisons_now": float(self.compared[i, j]),
            "comparisons_needed": math.floor(comparisons) + 1 if math.isfinite(comparisons) else None,
        })  # fmt: skip

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these are the pairs only; -f json or -f table has the missing scores too" if self.cells else ""

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "method": self.method,
            "level": self.level,
            "confidence": self.confidence,
            "power": self.power,
            "units": self.units,
            "n_systems": len(self),
            "summary": list(self.summary),
            "pairs": self.rows(),
            "cells": [asdict(cell) for cell in self.cells],
        }
