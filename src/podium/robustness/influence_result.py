"""What the first place depends on: the answer without each task and each instance, and how few decide it; frozen."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite, isnan
from typing import Any, ClassVar

import numpy as np

from podium.base.arrays import Floats, Frozen, plain
from podium.base.words import DASH, decimals, few, fixed, how_many
from podium.ranking.method_spec import in_words
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View
from podium.robustness import figure
from podium.robustness.verdict import verdict_of_influence

#: Of `Influence.rows`.
FIELDS = ("kind", "unit", "task", "outcome", "lead", "influence", "tau", "first")


@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut(Frozen):
    """The answer without one unit at a time: the jackknife.

    Attributes
    ----------
    units
        The U labels of what is left out: tasks, or instances. An instance that several tasks share is left out of all.
    tasks
        For instances, the tasks each belongs to, one text per unit; None for tasks.
    lead
        Shape `(U,)`: score of the leader less the best score of the others, without the unit, in units of the score
        turned so that higher is better; negative where the leader is no longer first, 0 where the place is shared.
        −∞ where the leader cannot be placed without it, ∞ where no other system can; NaN where the systems cannot
        be ranked.
    tau
        Shape `(U,)`: τ-b between the ranking without the unit and the ranking of all; systems that cannot be placed
        count as last, and a ranking that ties all has 0.
    first
        For each unit, who is first without it; several where they share the place, none where no system can be ranked.
    lost, shared, unranked
        Of all units there are, listed or not: without how many the leader is not first any more, is first beside
        others, or the systems cannot be ranked. Without each of the rest the leader is first alone.
    of
        Number of units there are.
    """

    units: tuple[str, ...]
    tasks: tuple[str, ...] | None
    lead: Floats
    tau: Floats
    first: tuple[tuple[str, ...], ...]
    lost: int
    shared: int
    unranked: int
    of: int

    @classmethod
    def among(
        cls,
        every: Floats,
        units: Sequence[str],
        lead: Floats,
        tau: Floats,
        first: Sequence[tuple[str, ...]],
        *,
        tasks: Sequence[str] | None = None,
    ) -> "LeaveOneOut":
        """List some units, and count what becomes of the first place without each of all, whose leads are `every`.

        >>> lead = np.array([-0.25, np.nan, 0.5])
        >>> found = LeaveOneOut.among(lead, ["x"], lead[:1], np.array([-1.0]), [("B",)])
        >>> found.outcome, found.lost, found.shared, found.unranked, found.of
        (('lost',), 1, 0, 1, 3)
        """
        lost, shared, unranked = (int(which.sum()) for which in (every < 0, every == 0, np.isnan(every)))
        groups = None if tasks is None else tuple(tasks)
        return cls(tuple(units), groups, lead, tau, tuple(first), lost, shared, unranked, every.size)

    @property
    def outcome(self) -> tuple[str, ...]:
        """Return what becomes of the leader's first place without each unit: "kept", "shared", "lost" or "unranked"."""
        return tuple(map(_outcome, self.lead.tolist()))

    @property
    def summary(self) -> str:
        """Without how many of all units the first place is not simply kept, in words.

        >>> lead = np.array([-0.25, np.nan, 0.0, 0.0, 0.5])
        >>> LeaveOneOut.among(lead, [], lead[:0], lead[:0], []).summary
        'lost for 1, unranked for 1, shared for 2'
        """
        numbers = {"lost": self.lost, "unranked": self.unranked, "shared": self.shared}
        return ", ".join(f"{word} for {number:,}" for word, number in numbers.items() if number) or "kept for all"

    def reach(self, most: int, places: int) -> str:
        """Say between what the leads lie without units after the first so many, as far as they are known and finite.

        >>> import numpy as np
        >>> lead = np.array([-0.5, np.nan, 0.25, 0.5, np.inf])
        >>> LeaveOneOut.among(lead, "abcde", lead, lead, [()] * 5).reach(1, 2)
        '0.25 to 0.50'
        """
        known = [lead for lead in self.lead[most:].tolist() if isfinite(lead)]
        if not known:
            return ""
        least = fixed(min(known), places)
        return f"{least} to {fixed(max(known), places)}" if len(self.units) == self.of else f"{least} or more"


def _outcome(lead: float) -> str:
    if isnan(lead):
        return "unranked"
    return "kept" if lead > 0 else "lost" if lead < 0 else "shared"


@dataclass(frozen=True, slots=True)
class Decisive:
    """Few units without which another is first.

    Attributes
    ----------
    kind
        "tasks" or "instances".
    units
        Their labels; leaving all of them out changes who is first, which was verified by ranking without them.
    of
        Number of units there are.
    first
        Who is first without them.
    smallest
        Whether it was proved that no smaller set does it; otherwise it is the smallest that was found.
    tasks
        For instances, the tasks each belongs to, as in `LeaveOneOut`; None for tasks.
    families
        Whether some of the tasks that units are are families of several.
    """

    kind: str
    units: tuple[str, ...]
    of: int
    first: tuple[str, ...]
    smallest: bool
    tasks: tuple[str, ...] | None = None
    families: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Influence(Result):
    """Dependence of the first place on single tasks and instances.

    Attributes
    ----------
    method, level
        How systems were ranked.
    systems
        The labels, best first.
    leader
        Who is first; where several share the place, the first of them in order of labels.
    leaders
        All who share the first place.
    lead
        Score of the leader less the best score of the others, turned so that higher is better; 0 where they share the
        first place.
    tasks, instances
        The answer without each, most influential (smallest remaining lead) first; None where there is only one, or
        where notes say why. Of instances the most influential ones are kept, at most as many as were asked for.
    decisive
        Few tasks, and few instances, without which the leader is not first, not even beside others; of a kind for which
        none were found there is none.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> found = podium.influence(podium.datasets.toy_table1())
    >>> found.decisive[0].units, found.decisive[0].first, found.decisive[0].smallest
    (('Task1', 'Task2'), ('A',), True)
    """

    schema: ClassVar[str] = "influence"
    _row_key: ClassVar[str] = "without"

    method: str
    level: str | None
    systems: tuple[str, ...]
    leader: str
    leaders: tuple[str, ...]
    lead: float
    tasks: LeaveOneOut | None
    instances: LeaveOneOut | None
    decisive: tuple[Decisive, ...]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Method and leader, in words.

        >>> import podium
        >>> podium.influence(podium.datasets.toy_table1()).title
        'what the first place of C depends on (borda, task-level)'
        """
        how = in_words(self.method, self.level)
        return f"what the first place of {self.leader} depends on ({how})"

    @property
    def by_kind(self) -> dict[str, LeaveOneOut]:
        """Return the answers without one task and without one instance, as far as they are there."""
        every = {"task": self.tasks, "instance": self.instances}
        return {kind: without for kind, without in every.items() if without is not None}

    @property
    def lead_places(self) -> int:
        """Decimals that show three digits of the lead, or of what is left of it if it is 0."""
        leads = [abs(self.lead)]
        if not leads[0] > 0:
            every = [lead for without in self.by_kind.values() for lead in without.lead.tolist()]
            leads = [abs(lead) for lead in every if isfinite(lead)]
        return decimals(max(leads, default=0.0)) + 1

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per unit left out, tasks first, most influential first.

        None where a number is infinite or there is none; "outcome" says which, see `LeaveOneOut.outcome`.

        >>> import podium
        >>> row = podium.influence(podium.datasets.toy_table1()).rows()[-1]
        >>> row["unit"], round(row["lead"], 3), round(row["influence"], 3), row["first"]
        ('Task4', 0.3, -0.217, 'C')
        """
        rows = []
        for kind, without in self.by_kind.items():
            outcomes = without.outcome
            for u, unit in enumerate(without.units):
                rows.append(plain({
                    "kind": kind,
                    "unit": unit,
                    "task": unit if without.tasks is None else without.tasks[u],
                    "outcome": outcomes[u],
                    "lead": float(without.lead[u]),
                    "influence": self.lead - float(without.lead[u]),
                    "tau": float(without.tau[u]),
                    "first": ", ".join(without.first[u]),
                }))  # fmt: skip
        return rows

    def _columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns, by name, also where there is no row."""
        rows = self.rows()
        return {name: [row[name] for row in rows] for name in FIELDS}

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        return view_influence(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("method", "level", "leader")},
            "leaders": list(self.leaders),
            "lead": self.lead if isfinite(self.lead) else None,
            "counts": [
                {"kind": kind, **{name: getattr(one, name) for name in ("of", "lost", "shared", "unranked")}}
                for kind, one in self.by_kind.items()
            ],
            "without": self.rows(),
            "decisive": [
                {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(one).items()}
                for one in self.decisive
            ],
        }


#: Name and title of the picture.
INFLUENCE = ("influence", "What the first place depends on")

#: Tasks and instances shown at most; JSON and CSV hold all.
_MOST = {"task": 10, "instance": 5}

#: Labels of a decisive set shown at most.
_LABELS = 5


def view_influence(influence: Influence) -> View:
    """Lay out an influence: what is left of the lead without each task and instance, and the few that decide.

    >>> import numpy as np
    >>> lead, tau = np.array([-0.02, 0.05]), np.array([0.3, 1.0])
    >>> from podium.robustness.influence_result import Influence, LeaveOneOut
    >>> tasks = LeaveOneOut.among(lead, ("rte", "wnli"), lead, tau, (("B",), ("A",)))
    >>> view = view_influence(Influence("borda", "two", ("A", "B"), "A", ("A",), 0.04, tasks, None, ()))
    >>> view.tables[0].rows
    [('rte', '−0.0200', '0.300', 'B'), ('wnli', '0.0500', '1.000', '=')]
    """
    title = f"{influence.title}: lead {fixed(influence.lead, influence.lead_places)}"
    tables = [_without(influence, kind, one) for kind, one in influence.by_kind.items() if one.units]
    tables += [_decisive(influence)] if influence.decisive else []
    figures = (Figure(*INFLUENCE, partial(figure.influence, influence)),)
    said, explain = verdict_of_influence(influence), _reading_of_influence(influence)
    return View(title, tuple(tables), influence.notes, said, figures, explain)


def _reading_of_influence(influence: Influence) -> tuple[str, ...]:
    """Say what the columns mean."""
    every = influence.by_kind.values()
    if not every:
        return ()
    whole = fixed(influence.lead, influence.lead_places)
    lead = f"lead: of {influence.leader} over the best of the others, {whole} with all; negative where another is first"
    tau, first = "tau: Kendall's tau-b with the ranking of all", "first: who is first instead, = where nothing changes"
    infinite = f"lead is −∞ where {influence.leader} cannot be placed, and ∞ where no other system can"
    smallest = "smallest set: proved where no smaller set puts another system first; not proved where a smaller one may"
    return (
        lead,
        *([infinite] if any(np.isinf(one.lead).any() for one in every) else []),
        tau,
        first,
        *([smallest] if influence.decisive else []),
    )


def _without(influence: Influence, kind: str, without: LeaveOneOut) -> Table:
    """Show the most influential, and the range of what is left without one of the others."""
    most, places = _MOST[kind], influence.lead_places
    leads = without.lead.tolist()
    tasks = without.tasks or ("",) * len(leads)
    every = list(zip(without.units, tasks, leads, without.tau.tolist(), without.first, strict=True))
    rows = [
        (unit, task, _lead(lead, places), fixed(tau, 3), _changed(influence, first))
        for unit, task, lead, tau, first in every[:most]
    ]
    if without.of > most:
        rows.append((f"… {without.of - len(rows):,} more", "", without.reach(most, places) or DASH, "", ""))
    units, tasks, left, taus, firsts = zip(*rows, strict=True)
    return Table(
        (
            Column.labels(f"without {kind}", units),
            *([] if without.tasks is None else [Column.labels("task", tasks)]),
            Column.numbers("lead", left),
            Column.numbers("tau", taus),
            Column.labels("first", firsts),
        ),
        f"the first place without each {kind}, the most influential first: {without.summary} of {without.of:,}",
    )


def _lead(lead: float, places: int) -> str:
    """Write a lead; infinite if the leader cannot be placed, or is the only one that can."""
    if isnan(lead):
        return "unranked"
    return fixed(lead, places) if isfinite(lead) else "∞" if lead > 0 else "−∞"


def _changed(influence: Influence, first: tuple[str, ...]) -> str:
    """Who is first, where that is not who is first with all."""
    return "=" if set(first) == set(influence.leaders) else few(first, 2) or DASH


def _decisive(influence: Influence) -> Table:
    """Show the few that decide, and whether fewer could."""
    sets = influence.decisive
    return Table(
        (
            Column.words("decisive", [f"{len(one.units):,} of {how_many(one.of, one.kind[:-1])}" for one in sets], 1),
            Column.words("which", [few(one.units, _LABELS) for one in sets], 1),
            Column.labels("first without them", [few(one.first, 2) for one in sets]),
            Column.words("smallest set", ["proved" if one.smallest else "not proved" for one in sets]),
        ),
        "few that decide who is first",
    )
