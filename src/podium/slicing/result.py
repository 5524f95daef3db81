"""The answer: who leads on which slice, and what differs by more than chance; and how it is shown."""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from podium.base.arrays import Floats, Frozen, Ints, plain
from podium.base.words import DASH, chance, few, fixed, how_many, p_value
from podium.ranking.method_spec import in_words
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View, signed
from podium.slicing.figure import slices_map

#: Departures and slices that a sentence names; systems with columns of shrunk scores.
_NAMED, _SHOWN = 3, 12

_READING = (
    "may be best: as podium rank of the slice alone says",
    "departs: how far a system is from what it does on the other slices, above the mean of the systems",
    "p: the smallest of the slice, all slices, systems and pairs together (Holm)",
    "shrunk: towards the level of the system and of the slice, the more the fewer instances; *: departs beyond chance",
)


@dataclass(frozen=True, slots=True, eq=False)
class Cut(Frozen):
    """N systems on the S slices of one column.

    Attributes
    ----------
    by
        Name of the column; "family" or "task" of slices that are these.
    slices
        The S labels.
    items
        Shape `(S,)`: instances.
    leaders, may_be_best
        Of each slice: who leads; who may be the best, None where that is not known.
    score
        Shape `(S, N)`: as `podium.rank` of the slice says; NaN where there is none.
    departure, departure_low, departure_high, p
        Shape `(S, N)`: departure from elsewhere, above 0 is better; its interval; and its adjusted p-value. NaN where
        it rests on too few instances.
    elsewhere
        Of each slice: who leads on the others together.
    ahead_p
        Shape `(S, N)`: adjusted p-value of being ahead of that leader here, and by more than elsewhere.
    shrunk
        Shape `(S, N)`: shrunk score.
    shrunk_departure, shrunk_low, shrunk_high
        Shape `(S, N)`: departure from the levels of the system and of the slice, and its interval.
    spread
        Standard deviation of these departures in truth, as estimated.
    """

    by: str
    slices: tuple[str, ...]
    items: Ints
    leaders: tuple[tuple[str, ...], ...]
    may_be_best: tuple[tuple[str, ...] | None, ...]
    score: Floats
    departure: Floats
    departure_low: Floats
    departure_high: Floats
    p: Floats
    elsewhere: tuple[str, ...]
    ahead_p: Floats
    shrunk: Floats
    shrunk_departure: Floats
    shrunk_low: Floats
    shrunk_high: Floats
    spread: float

    @property
    def p_of_slices(self) -> Floats:
        """Shape `(S,)`: the smallest adjusted p-value of each; NaN where nothing is tested."""
        both = np.concatenate([self.p, self.ahead_p], axis=1)
        return np.asarray(np.fmin.reduce(both, axis=1))

    @property
    def plural(self) -> str:
        """Return what its slices are called."""
        return {"family": "families", "task": "tasks"}.get(self.by, f"slices by {self.by}")

    def rows(self, systems: tuple[str, ...]) -> list[dict[str, Any]]:
        """Return one plain dictionary for each system on each slice."""
        numbers = (
            *("score", "departure", "departure_low", "departure_high", "p", "ahead_p"),
            *("shrunk", "shrunk_departure", "shrunk_low", "shrunk_high"),
        )
        found = []
        for at, name in enumerate(self.slices):
            best = self.may_be_best[at]
            for row, system in enumerate(systems):
                about = {"by": self.by, "slice": name, "items": int(self.items[at]), "system": system}
                leads = {"leads": system in self.leaders[at], "may_be_best": None if best is None else system in best}
                found.append(plain(about | leads | {key: float(getattr(self, key)[at, row]) for key in numbers}))
        return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Slices(Result):
    """Leaders of slices, and what differs between slices by more than chance.

    Attributes
    ----------
    systems
        The N labels, in the order of the table.
    cuts
        For each column its slices, see `podium.slicing.result.Cut`.
    confidence
        Of all claims together, and of each interval.
    method, level, higher_is_better
        How scores were made, and their direction.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> found = podium.slices(podium.simulate.gumbel(3, 4, 50, dispersion=1.0, rng=0).scores)
    >>> found.cuts[0].leaders[0], len(found)
    (('system 3',), 12)
    """

    schema: ClassVar[str] = "slices"
    _row_key: ClassVar[str] = "rows"

    systems: tuple[str, ...]
    cuts: tuple[Cut, ...]
    confidence: float
    method: str
    level: str | None
    higher_is_better: bool
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def alpha(self) -> float:
        """Return 1 − confidence."""
        return 1 - self.confidence

    @property
    def p(self) -> float:
        """Return the adjusted p-value of "all slices order the systems alike": the smallest of all; NaN untested."""
        return float(np.fmin.reduce(np.concatenate([cut.p_of_slices for cut in self.cuts])))

    @property
    def order(self) -> list[int]:
        """Return the systems by the mean of their shrunk scores, the best first; those without one last."""
        every = np.concatenate([cut.shrunk for cut in self.cuts]) * (1 if self.higher_is_better else -1)
        known = ~np.isnan(every)
        mean = np.where(known, every, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        found: list[int] = np.argsort(np.where(known.any(axis=0), -mean, np.inf), kind="stable").tolist()
        return found

    def ahead(self, cut: Cut, at: int) -> tuple[str, ...]:
        """Return who is ahead of the leader elsewhere by more than chance on a slice, surest first."""
        row = cut.ahead_p[at]
        order = np.argsort(row, kind="stable")
        return tuple(self.systems[one] for one in order.tolist() if row[one] <= self.alpha)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say who leads how often, and what differs by more than chance."""
        return (*map(self._leaders, self.cuts), *self._differences())

    def _leaders(self, cut: Cut) -> str:
        often = Counter(chain.from_iterable(cut.leaders))
        number, (first, times) = len(cut.slices), max(often.items(), key=lambda one: one[1])
        leads = "leads" if sum(often.values()) == number else "leads or ties"
        if times == number:
            return f"{first} {leads} in {'both' if number == 2 else f'all {number}'} {cut.plural}"
        others = sorted(((n, name) for name, n in often.items() if name != first), key=lambda one: -one[0])
        rest = few([f"{name} in {n}" for n, name in others], _NAMED)
        return f"{first} {leads} in {times} of {number} {cut.plural}; {rest}"

    def _differences(self) -> list[str]:
        changes, departs = list[tuple[float, str]](), list[tuple[float, str]]()
        for cut in self.cuts:
            for at, name in enumerate(cut.slices):
                if ahead := self.ahead(cut, at):
                    p = float(np.nanmin(cut.ahead_p[at]))
                    changes.append((p, f"{name}, where {ahead[0]} is ahead of {cut.elsewhere[at]} ({chance(p)})"))
                for row in np.flatnonzero(cut.p[at] <= self.alpha).tolist():
                    if len(self.systems) == 2 and cut.departure[at, row] < 0:
                        continue  # the other system says the same
                    better = "better" if cut.departure[at, row] > 0 else "worse"
                    p = float(cut.p[at, row])
                    departs.append((p, f"{self.systems[row]} {better} on {name} ({chance(p)})"))
        said = []
        if changes:
            said.append(f"the lead changes by more than chance on {few([text for _, text in sorted(changes)], _NAMED)}")
        elif departs and len({leaders for cut in self.cuts for leaders in cut.leaders}) > 1:
            said.append("no change of the lead is more than chance")
        if departs:
            head = how_many(len(departs), "departure")
            head += " is more than chance: " if len(departs) == 1 else " are more than chance: "
            said.append(head + few([text for _, text in sorted(departs)], _NAMED))
        if not said:
            tested = not np.isnan(self.p)
            said.append(
                f"no difference between slices is more than chance ({chance(self.p)})"
                if tested
                else "no slice has enough instances that vary to test a difference"
            )
        return said

    def about(self, cut: Cut, at: int, row: int) -> str:
        """Say what is known of a system on a slice: its score, shrunk too, and its departure with its interval."""
        score, shrunk, departs, low, high, p = (
            float(getattr(cut, name)[at, row])
            for name in ("score", "shrunk", "departure", "departure_low", "departure_high", "p")
        )
        who = f"{self.systems[row]} on {cut.slices[at]}: "
        if np.isnan(score):
            return f"{who}no score"
        if np.isnan(p):
            return f"{who}{fixed(score, 3)}, shrunk {fixed(shrunk, 3)}; too few instances vary to test it"
        how = "more than chance" if p <= self.alpha else "may be chance"
        said = f"departs by {_plus(departs)} ({_plus(low)} to {_plus(high)}), {how} ({chance(p)})"
        return f"{who}{fixed(score, 3)}, shrunk {fixed(shrunk, 3)}; {said}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each system on each slice; None where a number does not exist."""
        return [row for cut in self.cuts for row in cut.rows(self.systems)]

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        about = [
            {
                "by": cut.by,
                "spread": cut.spread,
                "slices": [
                    plain(
                        {
                            "slice": name,
                            "items": int(cut.items[at]),
                            "leaders": list(cut.leaders[at]),
                            "may_be_best": None if (best := cut.may_be_best[at]) is None else list(best),
                            "elsewhere": cut.elsewhere[at],
                            "ahead": list(self.ahead(cut, at)),
                            "p": float(cut.p_of_slices[at]),
                        }
                    )
                    for at, name in enumerate(cut.slices)
                ],
            }
            for cut in self.cuts
        ]
        how = {name: getattr(self, name) for name in ("method", "level", "higher_is_better", "confidence")}
        return {**how, "systems": list(self.systems), **plain({"p": self.p}), "cuts": about, "rows": self.rows()}

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        number = how_many(sum(len(cut.slices) for cut in self.cuts), "slice")
        title = f"{in_words(self.method, self.level)}: {how_many(len(self.systems), 'system')}, {number}"
        figure = Figure("slices", "Departures of systems on slices", partial(slices_map, self))
        return View(title, (self._table(), self._scores()), self.notes, self.sentences, (figure,), _READING)

    def every(self) -> list[tuple[Cut, int, str]]:
        """Return all slices, with the names of their columns if there are several."""
        several = len(self.cuts) > 1
        return [
            (cut, at, f"{cut.by}: {name}" if several else name)
            for cut in self.cuts
            for at, name in enumerate(cut.slices)
        ]

    def _table(self) -> Table:
        every = self.every()
        best, departs = list[str](), list[str]()
        for cut, at, _ in every:
            may, row = cut.may_be_best[at], cut.p[at]
            best.append(DASH if may is None else few(may, _NAMED))
            own = np.argsort(row, kind="stable")[: np.count_nonzero(row <= self.alpha)].tolist()
            departs.append(few([f"{self.systems[one]} {_plus(cut.departure[at, one])}" for one in own], _NAMED) or DASH)
        columns = (
            Column.labels("slice", [name for _, _, name in every]),
            Column.numbers("items", [f"{int(cut.items[at]):,}" for cut, at, _ in every], 1),
            Column.words("leader", [few(cut.leaders[at], _NAMED) for cut, at, _ in every], 3),
            Column.words("may be best", best, 2),
            Column.words("departs", departs, 2),
            Column.numbers("p", [p_value(float(cut.p_of_slices[at])) for cut, at, _ in every], 3),
        )
        return Table(columns, bands=tuple(cut.by for cut, _, _ in every))

    def _scores(self) -> Table:
        every = self.every()
        columns = [
            Column.numbers(
                self.systems[one],
                [
                    f"{fixed(cut.shrunk[at, one], 3)}{'*' if cut.p[at, one] <= self.alpha else ' '}"
                    for cut, at, _ in every
                ],
                named=True,
            )
            for one in self.order[:_SHOWN]
        ]
        first = Column.labels("shrunk score", [name for _, _, name in every])
        return Table((first, *columns), "shrunk scores; *: departs by more than chance", detail=True)


def _plus(value: float) -> str:
    return signed(f"{value:+.3f}")
