"""What a page holds of battles: who won how often against whom in each task, and how that varies."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.errors import NoMaximumError
from podium.base.parallel import Progress
from podium.ranking.api import rank
from podium.ranking.bootstrap import in_chunks
from podium.ranking.method_spec import MethodSpec
from podium.ranking.result import Ranking
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.draw import Resampling
from podium.tally.duel import Duels

#: Numbers up to which a page holds how duels vary, duels times replicates.
MOST_DRAWN = 2**25

#: Numbers that the tallies of replicates hold, at a time.
_AT_ONCE = 2**23

#: How a page ranks battles, by the names of its ways: with virtual battles if there are no strengths without them.
WAYS = {"bradley-terry": MethodSpec("bradley-terry"), "bradley-terry-prior": MethodSpec("bradley-terry", prior=1.0)}


def ranking_of(scores: Scores) -> tuple[str, Ranking]:
    """Rank battles by the first of the ways that has strengths, without intervals; return its name, too.

    Examples
    --------
    >>> import podium
    >>> nan = float("nan")
    >>> scores = podium.from_arrays([[[1.0, nan, 1.0]], [[0.0, 1.0, nan]], [[nan, 0.0, 0.0]]], systems=list("abc"))
    >>> ranking_of(scores)[0]
    'bradley-terry-prior'
    """
    try:
        return "bradley-terry", rank(scores, WAYS["bradley-terry"], confidence_level=None)
    except NoMaximumError:
        return "bradley-terry-prior", rank(scores, WAYS["bradley-terry-prior"], confidence_level=None)


@dataclass(frozen=True, slots=True, eq=False)
class TaskDuels:
    """Duels of all tasks: results of two systems against each other that occur.

    Attributes
    ----------
    duels
        Shape `(E, 4)`: task, a system, another, and 0 if the first won or 1 if they tied.
    number
        Shape `(E,)`: how often, by the weights of instances.
    drawn
        Shape `(E, B)`: how often in each bootstrap replicate; None if these are too many numbers.
    """

    duels: Ints
    number: Floats
    drawn: Floats | None

    @classmethod
    def of(cls, scores: Scores, resampling: Resampling, progress: Progress | None = None) -> Self:
        """Count the battles of a table.

        Examples
        --------
        >>> import podium
        >>> nan = float("nan")
        >>> scores = podium.from_arrays([[[1.0, nan, 0.5]], [[0.0, 1.0, nan]], [[nan, 0.0, 0.5]]], systems=list("abc"))
        >>> made = TaskDuels.of(scores, Resampling("instances", 40))
        >>> made.duels.tolist(), made.number
        ([[0, 0, 1, 0], [0, 1, 2, 0], [0, 0, 2, 1]], array([1., 1., 1.]))
        """
        tables = [np.stack([own.wins, np.triu(own.ties)]) for own in count(scores, (Duels,))[Duels]]
        cells = [np.nonzero(table) for table in tables]
        rows = [(np.full(tied.size, task), one, other, tied) for task, (tied, one, other) in enumerate(cells)]
        duels = np.concatenate([np.stack(own, axis=1) for own in rows]).astype(np.int64)
        number = np.concatenate([table[own] for table, own in zip(tables, cells, strict=True)])
        if number.size * resampling.replicates > MOST_DRAWN:
            return cls(duels, number, None)
        keys = resampling.keys(scores.tasks)

        def score(chunk: Resampling) -> Floats:
            drawn = count(scores, (Duels,), resampling=chunk, keys=keys)[Duels]
            both = zip(drawn, cells, strict=True)
            return np.concatenate([np.stack([own.wins, own.ties])[cell] for own, cell in both])

        numbers = 3 * len(scores.tasks) * len(scores.systems) ** 2
        return cls(duels, number, in_chunks(resampling, score, at_once=max(_AT_ONCE // numbers, 1), progress=progress))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is counted, in as few bytes as hold it."""
        arrays: dict[str, NDArray[Any]] = {"duels": self.duels.astype(np.int32), "duel numbers": self.number}
        return arrays if self.drawn is None else {**arrays, "duels drawn": _small(self.drawn)}


def _small(values: Floats) -> NDArray[Any]:
    if (values != np.rint(values)).any():
        return values
    return values.astype(np.uint8 if values.max(initial=0) <= np.iinfo(np.uint8).max else np.int32)
