"""The answer: who is surely, perhaps, or surely not on the frontier of score and cost; and how it is shown."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Ints, plain
from podium.base.errors import MethodError
from podium.base.words import DASH, few, how_many, significant, with_names
from podium.pareto.cost import Cost
from podium.pareto.figure import frontier
from podium.ranking.method_spec import in_words
from podium.ranking.result import Ranking
from podium.report.result import Result
from podium.report.view import Bars, Column, Figure, Table, View, score_texts

#: Whether a system is on the frontier, in the order of rows.
KINDS = ("surely", "perhaps", "dominated")

#: Whether a score is within the margin.
_WITHIN = ("surely", "perhaps", "no")

#: Systems named in a sentence at most.
_MOST = 5

_READING = (
    "frontier: no other system scores higher at the same cost or less",
    "surely, dominated: these hold for all systems together, with the confidence in the sentence",
    "dominated by: the best of the systems that surely score higher and surely cost no more",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Frontier(Result):
    """Systems by score and cost: those surely on the frontier first, and of each kind the cheapest first.

    Attributes
    ----------
    ranking
        The ranking by score of all systems, also of those whose cost is not known.
    confidence
        Of all claims together.
    places
        Shape `(N,)`: where each system stands in the ranking.
    costs
        What the N systems cost, by each measure.
    frontier
        Of each system "surely", "perhaps", or "dominated" where it surely is.
    dominated_by
        The best of the systems that surely dominate it, or None.
    margin
        How far below the best a score may be; None if that was not asked.
    within
        Shape `(N,)`: whether the score is, 0 for surely, 1 for perhaps, 2 for surely not; or None.
    budget
        The most that may be spent, by name of a cost.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium, pyarrow
    >>> levels = {"big": 0.8, "mid": 0.5, "low": 0.6}
    >>> scores = {task: [level + ord(task) ** 3 % 97 / 900 for level in levels.values()] for task in "abcdefgh"}
    >>> table = pyarrow.table({"system": list(levels), "cost": [9, 5, 1], **scores})
    >>> found = podium.frontier(table, budget=6)
    >>> found.frontier, found.best()
    (('surely', 'surely', 'dominated'), ('low',))
    """

    schema: ClassVar[str] = "frontier"
    _row_key: ClassVar[str] = "systems"

    ranking: Ranking
    confidence: float
    places: Ints
    costs: tuple[Cost, ...]
    frontier: tuple[str, ...]
    dominated_by: tuple[str | None, ...]
    margin: float | None = None
    within: NDArray[np.int64] | None = None
    budget: Mapping[str, float] | None = None
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.frontier)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the N labels."""
        return tuple(self.ranking.systems[place] for place in self.places.tolist())

    @property
    def observed(self) -> Bools:
        """Shape `(N,)`: whether the numbers, taken as exact, put it on the frontier."""
        places = [self.ranking.rank[self.places], *(cost.place for cost in self.costs)]
        as_good = np.all([place[:, None] <= place for place in places], axis=0)
        return np.asarray(~(as_good & ~as_good.T).any(axis=0))

    @property
    def limits(self) -> str:
        """Return the budget in words."""
        known = {cost.name: "≥" if cost.higher_is_better else "≤" for cost in self.costs}
        return " and ".join(f"{name} {known[name]} {limit:g}" for name, limit in (self.budget or {}).items())

    def best(self) -> tuple[str, ...]:
        """Return the systems that may be the best of those within the budget, best first: none of these is better."""
        allowed = np.ones(len(self), dtype=np.bool_)
        for cost in self.costs:
            allowed &= cost.allows((self.budget or {}).get(cost.name))
        places, sure = np.sort(self.places[allowed]), self.ranking.intervals
        if sure is not None:
            places = places[~sure.separated[np.ix_(places, places)].any(axis=0)]
        return tuple(self.ranking.systems[place] for place in places.tolist())

    def cheapest(self) -> tuple[str | None, tuple[str, ...]]:
        """Return the cheapest system that is surely within the margin, if there is one, and cheaper ones that may be.

        Raises
        ------
        MethodError
            There is no margin.
        """
        if self.within is None:
            raise MethodError("no margin was given; ask for frontier(…, margin=0.02)")
        order, systems = np.argsort(self.costs[0].place, kind="stable").tolist(), self.systems
        sure = next((at for at, row in enumerate(order) if self.within[row] == 0), len(order))
        maybe = tuple(systems[row] for row in order[:sure] if self.within[row] == 1)
        return (systems[order[sure]] if sure < len(order) else None), maybe

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say who is on the frontier, who is cheap enough within the margin, and who is best within the budget."""
        by_kind = {
            kind: [s for s, own in zip(self.systems, self.frontier, strict=True) if own == kind] for kind in KINDS
        }
        heads = {"surely": "surely on the frontier: ", "perhaps": "perhaps on it: ", "dominated": "surely dominated: "}
        said = [f"{heads[kind]}{few(names, _MOST)}" for kind, names in by_kind.items() if names]
        sure = f"({100 * self.confidence:g}% confidence, all systems together, {self.ranking.scope})"
        sentences = ["; ".join(said if by_kind["surely"] else ["none is surely on the frontier", *said])]
        sentences[0] += f" {sure}" if self.ranking.intervals is not None else "; without intervals, only costs are sure"
        if self.margin is not None:
            first, maybe = self.cheapest()
            of = f"within {self.margin:g} of the best"
            found = f"no system is surely {of}" if first is None else f"{first} is the cheapest system surely {of}"
            sentences.append(found + (with_names("; perhaps ", maybe, most=_MOST) if maybe else ""))
        if self.budget:
            first, *others = self.best()
            may = with_names(", and ", others, " may be as good", most=_MOST) if others else ""
            sentences.append(f"with {self.limits}, {first} {'leads' if others else 'is the best'}{may}")
        return tuple(sentences)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system; None where a number does not exist."""
        sure = self.ranking.intervals
        columns: dict[str, Any] = {"system": self.systems, "frontier": self.frontier, "dominated_by": self.dominated_by}
        for number, cost in enumerate(self.costs, 1):
            name = "cost" if number == 1 else f"cost_{number}"
            columns[name] = cost.value.tolist()
            if not cost.exact:
                columns |= {f"{name}_low": cost.low.tolist(), f"{name}_high": cost.high.tolist()}
        columns |= {"rank": self.ranking.rank[self.places].tolist(), "score": self.ranking.score[self.places].tolist()}
        if sure is not None:
            columns |= {name: getattr(sure, name)[self.places].tolist() for name in ("score_low", "score_high")}
        columns["observed"] = self.observed.tolist()
        if self.within is not None:
            columns["within_margin"] = [_WITHIN[one] for one in self.within.tolist()]
        return [plain(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        asked: dict[str, Any] = {}
        if self.margin is not None:
            first, maybe = self.cheapest()
            asked |= {"margin": self.margin, "cheapest": first, "perhaps_cheaper": list(maybe)}
        if self.budget:
            asked |= {"budget": dict(self.budget), "best": list(self.best())}
        return {
            **{name: getattr(self.ranking, name) for name in ("method", "level", "higher_is_better")},
            "confidence": self.confidence,
            "costs": [
                {name: getattr(one, name) for name in ("name", "higher_is_better", "exact")} for one in self.costs
            ],
            **asked,
            "systems": self.rows(),
        }

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        rows, sure = self.rows(), self.ranking.intervals
        how = in_words(self.ranking.method, self.ranking.level)
        title = f"{how}, against {few([cost.name for cost in self.costs])}: {how_many(len(self), 'system')}"
        by = [Column.words("dominated by", [row["dominated_by"] or DASH for row in rows])]
        within = [Column.words("within margin", [row.get("within_margin", DASH) for row in rows])]
        columns = (
            Column.labels("system", self.systems),
            *(Column.numbers(cost.name, [significant(one, 4) for one in cost.value.tolist()]) for cost in self.costs),
            Column.numbers("rank", [str(row["rank"]) for row in rows]),
            Column.numbers("score", score_texts([row["score"] for row in rows], [row["rank"] for row in rows])),
            Column.words("frontier", self.frontier),
            *(by if "dominated" in self.frontier else ()),
            *(within if self.margin is not None else ()),
        )
        table = Table(columns, bands=self.frontier)
        if sure is not None:
            ends = (end[self.places].tolist() for end in (sure.score_low, self.ranking.score, sure.score_high))
            bars = Bars(f"score with {100 * sure.confidence:.4g}% interval", tuple(zip(*ends, strict=True)))
            table = replace(table, bars=bars)
        figure = Figure("frontier", "Score against cost", partial(frontier, self))
        return View(title, (table,), self.notes, self.sentences, (figure,), _READING)
