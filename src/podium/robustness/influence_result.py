"""What the first place depends on: the answer without each task and each instance, and how few decide it; frozen."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium.base.arrays import Floats, Frozen, plain
from podium.base.words import decimals, fixed
from podium.ranking.method_spec import in_words
from podium.report.result import Result

if TYPE_CHECKING:
    from podium.report.view import View

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

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.robustness.view import view_influence  # noqa: PLC0415  # only where it is shown

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
