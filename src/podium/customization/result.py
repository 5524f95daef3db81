"""A leaderboard weighted by difficulty: overall, by split, and compared with plain accuracy; its notes and its view."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain, plain_list
from podium.base.words import DASH, LONG, Aside, decimals, few, fixed, how_many, significant, span, with_names
from podium.customization.customizer import Customizer, Partition
from podium.customization.figure import moves, parallel
from podium.customization.histogram import difficulty_histogram
from podium.customization.split import PLAIN, Weighting
from podium.ranking.result import Ranking
from podium.ranking.view import rank_table
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View, score_texts


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    _beyond_rows: ClassVar[str] = "these rows are the systems only; -f json and -f table also have the splits"
    _row_key: ClassVar[str] = "systems"

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
        """Return the N labels, best first."""
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
        """Return in words what instances are weighted by, and the size."""
        return (
            f"weighted by {self.measure}: {how_many(len(self), 'system')}, {how_many(len(self.splits), 'split')} "
            f"({self.by}), weights {self.weights}, reward {self.reward}, penalty {self.penalty}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per system, best first; None where a number does not exist.

        Splits are "split_1", "split_2", …, and their plain accuracies "accuracy_1", …, in percent.
        """
        names = ("accuracy", "accuracy_rank", "rank_change", "inflation", "leads", "leads_rising")
        own = {
            **{name: getattr(self, name) for name in names},
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

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        return view_customized(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("measure", "hard", "by", "weights", "reward", "penalty")},
            "intervals": None if self.ranking.intervals is None else self.ranking.intervals.to_dict(),
            "splits": [plain(asdict(split)) for split in self.splits],
            "systems": self.rows(),
        }


def notes_on(customizer: Customizer, partition: Partition, weighting: Weighting) -> list[str]:
    """Say what was left out, is arbitrary, or is not what it says.

    Parameters
    ----------
    customizer, partition
        The scores and their splits.
    weighting
        Weights, reward and penalty.
    """
    rated, names = customizer.rated, partition.names
    scores, by = rated.scores, partition.splitting.by
    sizes, (overall, within) = partition.sizes(), partition.metric(PLAIN)
    notes: list[str] = [*rated.notes]
    if missing := scores.n_cells - scores.n_scored:
        notes.append(
            f"{missing:,} of {scores.n_cells:,} scores are missing, so systems are compared on different instances"
        )
    if empty := [name for name, size in zip(names, sizes, strict=True) if size == 0]:
        notes.append(with_names("empty splits have no score: ", empty, room=LONG))
    notes += _of_own_orders(customizer, partition) if rated.own else []
    notes += arbitrary(rated.name, partition)
    if scores.tie_tolerance:
        notes.append(Aside("the tie tolerance has no effect on scores weighted by difficulty"))
    if by == "manual":
        order = f" (numbers in order, other labels by mean {rated.name})"
        notes.append(with_names("splits from easy to hard: ", names, order, room=LONG))
    for system, score, row in zip(scores.systems, overall, within, strict=True):
        bare = [names[split] for split in np.flatnonzero(np.isnan(row) & (sizes > 0))]
        if bare and not np.isnan(score):
            other = ", so it is compared on other splits than the rest"
            notes.append(with_names(f"{system} has no score in split ", bare, other, room=LONG))
    return [*notes, *_misleading(customizer, partition, weighting, within)]


def _of_own_orders(customizer: Customizer, partition: Partition) -> list[str]:
    """Name the systems with fewer difficulties of their own than splits, and those whose splits share instances."""
    systems, notes = customizer.rated.scores.systems, []
    short = {row for box in partition.boxes for row in box.short(partition.splitting, partition.count)}
    if short:
        why = "no score by split, because there are fewer confidences than splits: "
        notes.append(with_names(why, [systems[row] for row in sorted(short)], room=LONG))
    most = [max((end.size for end in partition.shared(row)), default=0) for row in range(len(systems))]
    tied = sorted((row for row, size in enumerate(most) if size), key=lambda row: -most[row])
    if tied:
        up_to = "" if len(tied) == 1 else "up to "
        why = f"splits share instances, because {up_to}{most[tied[0]]:,} have equal confidence: "
        notes.append(with_names(why, [systems[row] for row in tied], room=LONG))
    return notes


def _misleading(customizer: Customizer, partition: Partition, weighting: Weighting, within: Floats) -> Iterator[str]:
    """Say if easy instances count most, against Table 1 of the paper, or if what is called hard is not."""
    rated = customizer.rated
    wanted, right = (1, "B") if rated.hard == "high" else (-1, "1/B")
    if any(power not in {0, wanted} for power in (weighting.power, weighting.reward.power)):
        why = f"{rated.hard} values of {rated.name} are hard, so easy instances count most"
        yield f"{why}; use {right} to change that"
    means = [float(column[~np.isnan(column)].mean()) for column in within.T if not np.isnan(column).all()]
    ordered = not rated.own and partition.splitting.by not in {"random", "manual"}
    if ordered and len(means) > 1 and means[-1] > means[0]:
        said = f"the systems solve {100 * means[0]:.1f}% of the easiest split and {100 * means[-1]:.1f}% of the hardest"
        yield f"{said}, so {rated.name} does not show what is hard for them"


def arbitrary(measure: str, partition: Partition) -> list[str]:
    """Say which splits end among instances of equal difficulty.

    Parameters
    ----------
    measure
        Name of the measure.
    partition
        The splits.
    """
    ends = partition.shared()
    if not ends:
        return []
    numbers = list(dict.fromkeys(partition.names[end.split - 1] for end in ends))
    which, end = ("split ", " ends") if len(numbers) == 1 else ("splits ", " end")
    _, value, size = max(ends, key=lambda end: end.size)
    most = "" if len(ends) == 1 else "up to "
    tie = f"instances of equal {measure} ({most}{size:,} of {significant(value, 3)})"
    return [with_names(which, numbers, f"{end} among {tie}; the splits on both sides share them", room=LONG)]


#: Splits up to which each has a column; of more there is the table of splits alone.
_WIDE = 12


def view_customized(customized: "Customized") -> View:
    """Lay out a customized leaderboard.

    >>> import numpy as np
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> view_customized(podium.customize(scores, bias, splits=2)).tables[0].rows[0][:5]
    ('1', 'B', '66.7', '75.0', '=')
    """
    sure = customized.ranking.intervals
    reading = [
        "score: weighted, 100 if all is right; moved: ranks gained over accuracy; inflation: share of accuracy lost"
    ]
    if not np.isnan(customized.leads).any() and len(customized.splits) > 1:
        weightings = f"share of all weightings of the {how_many(len(customized.splits), 'split')}"
        reading.append(f"leads: {weightings} that put the system first; rising: of those that rise from easy to hard")
    explain = (*reading, *(() if sure is None else sure.explanation))
    figures = (
        Figure("parallel", "Scores on every split", partial(parallel, customized)),
        Figure("moves", "Ranks by accuracy and by score", partial(moves, customized)),
        Figure("difficulty", "Where the splits lie", partial(difficulty_histogram, customized)),
    )
    tables = (_systems(customized), replace(_splits(customized), detail=True))
    return View(customized.title, tables, customized.notes, _verdict(customized), figures, explain)


def _verdict(customized: "Customized") -> tuple[str, ...]:
    """Say who is first by the weighted score and by accuracy, and under how many weightings."""
    rows = customized.rows()
    weighted, plainly = ([row["system"] for row in rows if row[kind] == 1] for kind in ("rank", "accuracy_rank"))
    if not weighted:
        return ()
    leader, sure = rows[0], customized.ranking.intervals
    first = f"{few(weighted)} {'is first' if len(weighted) == 1 else 'share the first rank'}"
    if sure is not None and len(weighted) == 1:
        first += f" ({100 * sure.confidence:g}% ranks {span(leader['rank_low'], leader['rank_high'])})"
    first += ", as by accuracy" if weighted == plainly else f"; by accuracy {few(plainly)}"
    if leader["leads"] is None:
        return (first,)
    return first, f"{weighted[0]} leads under {100 * leader['leads']:.0f}% of all weightings of the splits"


def _systems(customized: "Customized") -> Table:
    rows = customized.rows()
    ranks, scores = [row["rank"] for row in rows], [row["score"] for row in rows]
    sure, places = customized.ranking.intervals, 1
    if sure is not None and ((widths := sure.score_high - sure.score_low) > 0).any():  # two digits of the shortest
        places = max(decimals(float(np.nanmin(widths))), 1)
    columns = [
        Column.labels("system", customized.systems),
        Column.numbers("score", [text.replace("-", "−") for text in score_texts(scores, ranks, places)]),
        Column.numbers("accuracy", [_percent(row["accuracy"], places) for row in rows]),
        Column.numbers("moved", [_moved(row["rank"], row["rank_change"]) for row in rows]),
        Column.numbers(
            "inflation", [DASH if row["inflation"] is None else f"{fixed(row['inflation'], 1)}%" for row in rows]
        ),
    ]
    if not np.isnan(customized.leads).any() and len(customized.splits) > 1:
        columns.append(Column.numbers("leads", [f"{100 * row['leads']:.0f}%" for row in rows]))
        columns.append(Column.numbers("leads (rising)", [f"{100 * row['leads_rising']:.0f}%" for row in rows]))
    if len(customized.splits) <= _WIDE:
        columns += [
            Column.numbers(f"split {split.name}", [_percent(row[f"split_{split.name}"], 1) for row in rows])
            for split in customized.splits
        ]
    if sure is not None:
        ends = [f"[{_percent(row['score_low'], places)}, {_percent(row['score_high'], places)}]" for row in rows]
        columns.insert(2, Column.numbers(f"{100 * sure.confidence:g}% CI", ends))
    return rank_table(customized.ranking, columns)


def _splits(customized: "Customized") -> Table:
    splits = customized.splits
    scored = [column[~np.isnan(column)] for column in customized.split_accuracy.T]
    means = [_percent(float(column.mean()) if column.size else None, 1) for column in scored]
    ranges = (
        Column.numbers(f"least {customized.measure}", [significant(split.low, 3) for split in splits]),
        Column.numbers("greatest", [significant(split.high, 3) for split in splits]),
    )
    return Table(
        (
            Column.labels("split", [split.name for split in splits]),
            *(ranges if customized.values is not None else ()),
            Column.numbers("instances", [f"{split.instances:,.1f}".removesuffix(".0") for split in splits]),
            Column.numbers("weight", [f"{split.weight:.4g}" for split in splits]),
            Column.numbers("mean accuracy", means),
        ),
        "splits, the easy ones first" if customized.by not in {"random", "manual"} else "splits",
    )


def _moved(rank: int | None, change: int) -> str:
    if rank is None:
        return DASH
    return "=" if not change else f"+{change}" if change > 0 else f"−{-change}"


def _percent(value: float | None, places: int) -> str:
    return DASH if value is None else fixed(value, places)
