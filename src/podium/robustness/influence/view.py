"""What a first place rests on: the most influential tasks and instances, and the few that decide."""

import math

from podium.base.words import counted, decimals, few, fixed
from podium.report.table import DASH, Column, Grid, Sheet, printable
from podium.robustness.influence.result import Influence, Without

#: Tasks and instances shown at most; JSON and CSV hold all.
_MOST = {"task": 10, "instance": 5}

#: Labels of a decisive set shown at most.
_LABELS = 5


def influence_sheet(influence: Influence) -> Sheet:
    """Lay out an influence: what is left of the lead without each task and instance, and the few that decide.

    >>> import numpy as np
    >>> lead, tau = np.array([-0.02, 0.05]), np.array([0.3, 1.0])
    >>> tasks = Without.among(lead, ("rte", "wnli"), lead, tau, (("B",), ("A",)))
    >>> sheet = influence_sheet(Influence("borda", "two", ("A", "B"), "A", ("A",), 0.04, tasks, None, ()))
    >>> sheet.grids[0].rows
    [('rte', '−0.0200', '0.300', 'B'), ('wnli', '0.0500', '1.000', '=')]
    """
    title = f"{influence.title}: lead {fixed(influence.lead, lead_places(influence))}"
    grids = influence_grids(influence)
    notes = (*influence.notes, *reading_of(influence))
    return Sheet(printable(title), grids, tuple(map(printable, notes)))


def influence_grids(influence: Influence) -> tuple[Grid, ...]:
    """Tables of what there is: tasks, instances, decisive sets."""
    groups = {"task": influence.tasks, "instance": influence.instances}
    grids = [_without(influence, kind, one) for kind, one in groups.items() if one is not None and one.units]
    return (*grids, *([_decisive(influence)] if influence.decisive else ()))


def reading_of(influence: Influence) -> tuple[str, ...]:
    """Say what the columns mean."""
    if influence.tasks is None and influence.instances is None:
        return ()
    whole = fixed(influence.lead, lead_places(influence))
    lead = f"lead: of {influence.leader} over the best of the others, {whole} with all; negative where another is first"
    first = "first: who is first instead, = where nothing changes"
    every = [lead for one in (influence.tasks, influence.instances) if one is not None for lead in one.lead.tolist()]
    if any(map(math.isinf, every)):
        lead = f"{lead}, −∞ where {influence.leader} and ∞ where nobody else can be placed"
    return (f"{lead}; tau: Kendall's tau-b with the ranking of all; {first}",)


def lead_places(influence: Influence) -> int:
    """Decimals that show three digits of the lead, or of what is left of it where it is 0."""
    leads = [abs(influence.lead)]
    if not leads[0] > 0:
        groups = (influence.tasks, influence.instances)
        leads = [abs(lead) for one in groups if one is not None for lead in one.lead.tolist() if math.isfinite(lead)]
    return decimals(max(leads, default=0.0)) + 1


def _without(influence: Influence, kind: str, without: Without) -> Grid:
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
    return Grid(
        (
            Column(f"without {kind}", tuple(map(printable, units))),
            *([] if without.tasks is None else [Column("task", tuple(map(printable, tasks)))]),
            Column("lead", left, right=True),
            Column("tau", taus, right=True),
            Column("first", tuple(map(printable, firsts))),
        ),
        f"the first place without each {kind}, the most influential first: {without.summary} of {without.of:,}",
    )


def reach_of(without: Without, most: int, places: int) -> str:
    """Say between what the leads lie without units after the first so many, as far as they are known and finite.

    >>> import numpy as np
    >>> lead = np.array([-0.5, np.nan, 0.25, 0.5, np.inf])
    >>> tasks = Without.among(lead, "abcde", lead, lead, [()] * 5)
    >>> reach_of(tasks, 1, 2)
    '0.25 to 0.50'
    """
    known = [lead for lead in without.lead[most:].tolist() if math.isfinite(lead)]
    if not known:
        return ""
    least = fixed(min(known), places)
    return f"{least} to {fixed(max(known), places)}" if len(without.units) == without.of else f"{least} or more"


def _lead(lead: float, places: int) -> str:
    """Write a lead; infinite where the leader, or nobody else, can be placed."""
    if math.isnan(lead):
        return "unranked"
    return fixed(lead, places) if math.isfinite(lead) else "∞" if lead > 0 else "−∞"


def _changed(influence: Influence, first: tuple[str, ...]) -> str:
    """Who is first, where that is not who is first with all."""
    return "=" if set(first) == set(influence.leaders) else few(first, 2) or DASH


def _decisive(influence: Influence) -> Grid:
    """Show the few that decide, and whether fewer could."""
    sets = influence.decisive
    return Grid(
        (
            Column("decisive", tuple(f"{len(one.units):,} of {counted(one.of, one.kind[:-1])}" for one in sets)),
            Column("which", tuple(printable(few(one.units, _LABELS)) for one in sets)),
            Column("first without them", tuple(printable(few(one.first, 2)) for one in sets)),
            Column("fewest", tuple("proved" if one.smallest else "found" for one in sets)),
        ),
        "few that decide who is first",
    )
