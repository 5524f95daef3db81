"""A leaderboard weighted by difficulty: overall, split by split, and compared with plain accuracy; frozen."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.frozen import plain, plain_list
from podium.base.words import how_many
from podium.ranking.result import Ranking
from podium.report.result import Result

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Split:
    """A part of the instances, between two difficulties.

    Attributes
    ----------
    name
        Its number, from "1", the first in the order of the splits; or as a column names it.
    low, high
        Least and greatest difficulty in it; NaN where it is empty, or where every system has values of its own.
    instances
        How many there are in it, of all tasks; a fraction where instances of the same difficulty are shared.
    weight
        b, by which its instances count.
    """

    name: str
    low: float
    high: float
    instances: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class Customized(Result):
    """N systems, scored on s splits by difficulty [MA21, Eq. 4], in the order of the ranking.

    Attributes
    ----------
    ranking
        By the weighted score in percent, 100 for all correct; with intervals where they were asked for.
    measure
        Name of the measure of difficulty.
    hard
        Whether its low or its high values are hard.
    splits
        The s parts, the easy ones first; of "confidence", the least confident first.
    by
        How they were made: "equal", "width", "thresholds", "quantiles", "random" or "manual".
    weights, reward, penalty
        The rule of the weights, d and e, in words, as "linear", "1" and "-1/B".
    split_scores
        Shape `(N, s)`: the same score within each split, in percent; NaN where a system has no score in it.
    split_accuracy
        Shape `(N, s)`: plain accuracy within each split, in percent.
    accuracy
        Shape `(N,)`: plain accuracy on the same instances, in percent.
    accuracy_rank
        Shape `(N,)`: rank by it, ties sharing the smaller; 0 where unranked.
    leads
        Shape `(N,)`: in which share of all weightings of the splits the system is first, ties shared; NaN where weights
        are not of splits.
    leads_rising
        Shape `(N,)`: the same among weightings that never fall from one split to the next.
    values
        Shape `(K,)`: difficulty of the instances, increasing; None where every system has values of its own.
    notes
        What to know before trusting it, in words.

    Examples
    --------
    >>> import numpy as np
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 0]]}, systems=["A", "B", "C"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> customized = podium.customize(scores, bias, splits=2)
    >>> customized.systems
    ('B', 'C', 'A')
    >>> customized.split_scores.tolist()
    [[0.0, 100.0], [100.0, 0.0], [100.0, -100.0]]
    """

    schema: ClassVar[str] = "customized"
    row_key: ClassVar[str] = "systems"

    ranking: Ranking
    measure: str
    hard: str
    splits: tuple[Split, ...]
    by: str
    weights: str
    reward: str
    penalty: str
    split_scores: Floats
    split_accuracy: Floats
    accuracy: Floats
    accuracy_rank: NDArray[np.int64]
    leads: Floats
    leads_rising: Floats
    values: Floats | None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def systems(self) -> tuple[str, ...]:
        """The N labels, best first."""
        return self.ranking.systems

    @property
    def inflation(self) -> Floats:
        """Shape `(N,)`: by how much accuracy exceeds the score, in percent of accuracy; NaN where that is 0."""
        share: Floats = np.full(len(self), np.nan)
        np.divide(100 * (self.accuracy - self.ranking.score), self.accuracy, out=share, where=self.accuracy > 0)
        return share

    @property
    def rank_change(self) -> NDArray[np.int64]:
        """Shape `(N,)`: how many ranks a system gains against plain accuracy; negative where it loses."""
        change: NDArray[np.int64] = np.where(self.ranking.rank > 0, self.accuracy_rank - self.ranking.rank, 0)
        return change

    @property
    def title(self) -> str:
        """What it is weighted by, and size, in words."""
        return (
            f"weighted by {self.measure}: {how_many(len(self), 'system')}, {how_many(len(self.splits), 'split')} "
            f"({self.by}), weights {self.weights}, reward {self.reward}, penalty {self.penalty}"
        )

    def __repr__(self) -> str:
        lines = [f"Customized({self.title})"]
        for row in self.rows()[:10]:
            score = "–" if row["score"] is None else f"{row['score']:7.2f}"
            lines.append(f"{row['rank'] or '–':>4}  {row['system']}  {score}  (accuracy {row['accuracy']:.2f})")
        if len(self) > 10:
            lines.append(f"      … and {len(self) - 10} more")
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per system, best first; None where a number does not exist.

        Splits are "split_1", "split_2", …, and their plain accuracies "accuracy_1", …, in percent.
        """
        own = {
            "accuracy": self.accuracy,
            "accuracy_rank": self.accuracy_rank,
            "rank_change": self.rank_change,
            "inflation": self.inflation,
            "leads": self.leads,
            "leads_rising": self.leads_rising,
            **{f"split_{split.name}": self.split_scores[:, j] for j, split in enumerate(self.splits)},
            **{f"accuracy_{split.name}": self.split_accuracy[:, j] for j, split in enumerate(self.splits)},
        }
        columns = {name: plain_list(column) for name, column in own.items()}
        for place, rank in enumerate(self.accuracy_rank.tolist()):
            if not rank:  # unranked
                columns["accuracy_rank"][place] = columns["rank_change"][place] = None
        return [
            row | {name: column[place] for name, column in columns.items()}
            for place, row in enumerate(self.ranking.rows())
        ]

    @property
    def backend(self) -> str:  # type: ignore[override]  # that of the ranking
        """Library of the frames that `to_frame` returns by default."""
        return self.ranking.backend

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these rows are the systems only; -f json and -f table also have the splits"

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("measure", "hard", "by", "weights", "reward", "penalty")},
            "intervals": None if self.ranking.intervals is None else self.ranking.intervals.to_dict(),
            "splits": [plain(asdict(split)) for split in self.splits],
            "systems": self.rows(),
        }
