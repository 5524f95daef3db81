"""What a first place depends on: the most influential tasks and instances, and the few that decide."""

import math
from functools import partial

import numpy as np

from podium.base.words import DASH, few, fixed, how_many
from podium.report.table import Column, Table
from podium.report.view import Figure, View
from podium.robustness.influence.figure import influence as influence_figure
from podium.robustness.influence.result import Influence, LeaveOneOut, by_kind, lead_places, reach_of

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
    >>> tasks = LeaveOneOut.among(lead, ("rte", "wnli"), lead, tau, (("B",), ("A",)))
    >>> view = view_influence(Influence("borda", "two", ("A", "B"), "A", ("A",), 0.04, tasks, None, ()))
    >>> view.tables[0].rows
    [('rte', '−0.0200', '0.300', 'B'), ('wnli', '0.0500', '1.000', '=')]
    """
    title = f"{influence.title}: lead {fixed(influence.lead, lead_places(influence))}"
    tables = [_without(influence, kind, one) for kind, one in by_kind(influence).items() if one.units]
    tables += [_decisive(influence)] if influence.decisive else []
    figure = Figure(*INFLUENCE, partial(influence_figure, influence))
    return View(title, tuple(tables), influence.notes, figures=(figure,), explain=_reading(influence))


def _reading(influence: Influence) -> tuple[str, ...]:
    """Say what the columns mean."""
    every = by_kind(influence).values()
    if not every:
        return ()
    whole = fixed(influence.lead, lead_places(influence))
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
    most, places = _MOST[kind], lead_places(influence)
    leads = without.lead.tolist()
    tasks = without.tasks or ("",) * len(leads)
    every = list(zip(without.units, tasks, leads, without.tau.tolist(), without.first, strict=True))
    rows = [
        (unit, task, _lead(lead, places), fixed(tau, 3), _changed(influence, first))
        for unit, task, lead, tau, first in every[:most]
    ]
    if without.of > most:
        rows.append((f"… {without.of - len(rows):,} more", "", reach_of(without, most, places) or DASH, "", ""))
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
    """Write a lead; infinite where the leader, or nobody else, can be placed."""
    if math.isnan(lead):
        return "unranked"
    return fixed(lead, places) if math.isfinite(lead) else "∞" if lead > 0 else "−∞"


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
