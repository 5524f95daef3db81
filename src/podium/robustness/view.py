"""How robustness looks: the verdict, methods under stress, and what the first place depends on."""

import math
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import MethodError
from podium.base.words import DASH, few, fixed, how_many, listed, numeral, percent, percents
from podium.report.view import Column, Figure, Table, View
from podium.robustness import figure
from podium.robustness.sweep import CONFIDENCE
from podium.robustness.verdict import verdict, verdict_of_influence

#: Leaders, and stresses, that a sentence names.
_NAMED = 3

if TYPE_CHECKING:
    from podium.robustness.api import Robustness
    from podium.robustness.influence_result import Influence, LeaveOneOut
    from podium.robustness.study_result import Study, SweepResult


def keeps_first_place(study: "Study") -> str:
    """Say whether the leaders by the first method keep the first place in at least half of the cases of each stress.

    >>> import podium
    >>> found = podium.stress(podium.datasets.toy_table1(), ["borda"], only=["tasks"], repeats=20, n_jobs=1)
    >>> keeps_first_place(found.study)
    'C loses the first place in more than half of the cases under the only kind of stress: tasks left out'
    """
    leaders, broken = study.leaders[0], study.breakdown("kept")
    lost = [one.axis for one in study.swept if broken[one.name][study.methods[0]] is not None]
    who = listed(leaders) if len(leaders) <= _NAMED else how_many(len(leaders), "system")
    number = len(study.swept)
    kinds = "the only kind of stress" if number == 1 else f"{len(lost) or 'all'} of {number} kinds of stress"
    s = "s" if len(leaders) == 1 else ""
    if not lost:
        return f"{who} keep{s} the first place in at least half of the cases, under {kinds}"
    return f"{who} lose{s} the first place in more than half of the cases under {kinds}: {few(lost, _NAMED)}"


def view_robustness(robustness: "Robustness") -> View:
    """Lay out robustness: the verdict, then stresses and breakdown points, then tasks and instances.

    >>> import numpy as np
    >>> from podium.robustness.api import Robustness
    >>> from podium.robustness.study_result import Study, SweepResult
    >>> tau, first = np.array([[[1.0, 1.0], [0.8, 0.6]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> study = Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0)
    >>> view_robustness(Robustness(study, None, ("A stays first.",))).verdict
    ('A stays first.',)
    """
    parts = [part.view() for part in (robustness.study, robustness.influence) if part is not None]
    tables = (replace(table, detail=table.head[0] != _LOST) for part in parts for table in part.tables)
    figures = [one for part in parts for one in part.figures]
    if robustness.influence is None:
        figures.append(Figure(*_INFLUENCE, _nothing_left_out))
    return View(
        robustness.title,
        tuple(tables),
        tuple(dict.fromkeys((*robustness.notes, *(note for part in parts for note in part.notes)))),
        robustness.verdict,
        tuple(figures),
        tuple(sentence for part in parts for sentence in part.explain),
    )


def _nothing_left_out(**_: Any) -> NoReturn:
    raise MethodError("no task and no instance was left out; pass leave_out=True to podium.stress to have that")


#: Methods up to which there is room for tables side by side, and up to which both breakdown points are shown.
_FEW, _BOTH = 3, 2

#: Head of the table of breakdown points, which sums up the others.
_LOST = "lost under"

#: Head of the column that describes strengths.
_MEANING = "what strength means"


def view_study(study: "Study") -> View:
    """Lay out a study; of each stress three strengths are shown, JSON and CSV hold all.

    >>> import numpy as np
    >>> from podium.robustness.api import Robustness
    >>> from podium.robustness.study_result import Study, SweepResult
    >>> tau, first = np.array([[[1.0, 1.0], [0.8, 0.6]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> view_study(Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0)).tables[0].rows
    [('missing', '0.5', '0.70 ± 0.14', '0–100%')]
    """
    figures = (
        Figure("kept", "How often the first place is kept", partial(figure.stability, study, measure="kept")),
        Figure("stability", "How far the order stays", partial(figure.stability, study)),
    )
    # agreement and first places kept; errors, where the truth is known; breakdown points
    tables = (*_stability(study), *([_errors(study)] if study.has_truth else ()), *_breakdown(study))
    return View(study.title, tables, study.notes, verdict(study, None), figures, _reading_of_study(study))


def _reading_of_study(study: "Study") -> tuple[str, ...]:
    """Say what the columns mean."""
    spread = " ± standard deviation over repeats" if _spread(study) else ""
    tau = ("tau beside it: the weakest strength tried at which mean tau-b is below 0.5",)
    error = ("error: mean distance to the truth, as a share of the pairs, 0.5 for no order",) if study.has_truth else ()
    agreement = f"under each method: mean Kendall's tau-b with its own ranking without stress{spread}"
    kept = (
        "kept: how often those keep the first place who have it without stress; a shared one counts in parts",
        f"kept from–to: its {percent(CONFIDENCE)} interval; a single number is exact, since all cases were tried",
    )
    lost = (
        "lost under: the weakest strength tried at which the first place is lost more often than kept; > where none is",
        "lost from–to, or ≥: the repeats leave open which of these strengths it is",
    )
    return (agreement, *kept, *error, *lost, *(tau if len(study.methods) <= _BOTH else ()))


def _few(study: "Study") -> bool:
    """Return whether there is room for more than one number of each method."""
    return len(study.methods) <= _FEW


def _spread(study: "Study") -> bool:
    """Return whether standard deviations exist, and there is room for them."""
    return study.repeats > 1 and _few(study)


def _places(study: "Study") -> list[tuple["SweepResult", int]]:
    """Stresses, each with the index of a weak, a middle and the strongest strength; none is 0."""
    return [(one, s) for one in study.swept for s in _shown(one.strengths)]


def _shown(strengths: Floats) -> list[int]:
    strong = np.flatnonzero(strengths).tolist() or [0]
    return sorted({strong[0], strong[(len(strong) - 1) // 2], strong[-1]})


def _stability(study: "Study") -> list[Table]:
    """Show agreement and first places kept, side by side where there is room."""
    places, methods = _places(study), list(enumerate(study.methods))
    tau = [
        Column.numbers(method, [_mean(study, one, "tau", m, s) for one, s in places], named=True)
        for m, method in methods
    ]
    ends = {one.name: study.interval(one) for one in study.swept}
    shares = [[percents(*(float(end[m, s]) for end in ends[one.name])) for one, s in places] for m, _ in methods]
    agreement = "agreement with the ranking without stress"
    if _few(study):
        kept = [Column.numbers("kept", cells) for cells in shares]
        return [Table((*_strengths("stress", places), *chain(*zip(tau, kept, strict=True))), agreement)]
    kept = [Column.numbers(method, shares[m], named=True) for m, method in methods]
    return [
        Table((*_strengths("stress", places), *tau), agreement),
        Table((*_strengths("kept under", places), *kept), "how much of the first place is kept"),
    ]


def _errors(study: "Study") -> Table:
    places = [(one, s) for one, s in _places(study) if one.error is not None]
    columns = [
        Column.numbers(method, [_mean(study, one, "error", m, s) for one, s in places], named=True)
        for m, method in enumerate(study.methods)
    ]
    return Table((*_strengths("error under", places), *columns), "distance to the truth")


def _strengths(name: str, places: list[tuple["SweepResult", int]]) -> tuple[Column, Column]:
    stresses = Column.labels(name, [one.name for one, _ in places])
    return stresses, Column.numbers("strength", [numeral(float(one.strengths[s])) for one, s in places])


def _breakdown(study: "Study") -> list[Table]:
    """Say what strengths mean, and at which each method breaks down; side by side where there is room."""
    kept = {one.name: study.breakdown_interval(one) for one in study.swept}
    tau = study.breakdown("tau")
    stresses = tuple(one.name for one in study.swept)
    meaning = Column.words(_MEANING, [one.axis for one in study.swept], priority=-1)
    points = []
    for m, method in enumerate(study.methods):
        points.append(Column.numbers(method, [_points(one, *kept[one.name][m]) for one in study.swept], named=True))
        if len(study.methods) <= _BOTH:
            points.append(Column.numbers("tau", [_point(one, tau[one.name][method]) for one in study.swept]))
    caption = "the weakest strength tried at which the first place, or the order, is lost"
    if _few(study):
        return [Table((Column.labels(_LOST, stresses), meaning, *points), caption)]
    return [
        Table((Column.labels(_LOST, stresses), *points), caption),
        Table((Column.labels("stress", stresses), meaning), _MEANING),
    ]


def _points(one: "SweepResult", early: float | None, late: float | None) -> str:
    """Write the weakest strength that may be the point, and the weakest that certainly is."""
    if early == late or early is None:
        return _point(one, late)
    return f"≥{numeral(early)}" if late is None else f"{numeral(early)}–{numeral(late)}"


def _point(one: "SweepResult", strength: float | None) -> str:
    return f">{numeral(float(one.strengths[-1]))}" if strength is None else numeral(strength)


def _mean(study: "Study", one: "SweepResult", measure: str, m: int, s: int) -> str:
    mean = float(one.mean(measure)[m, s])
    if not _spread(study) or math.isnan(mean):
        return fixed(mean, 2)
    return f"{fixed(mean, 2)} ± {fixed(float(one.spread(measure)[m, s]), 2)}"


#: Name and title of the picture.
_INFLUENCE = ("influence", "What the first place depends on")

#: Tasks and instances shown at most; JSON and CSV hold all.
_MOST = {"task": 10, "instance": 5}

#: Labels of a decisive set shown at most.
_LABELS = 5


def view_influence(influence: "Influence") -> View:
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
    figures = (Figure(*_INFLUENCE, partial(figure.influence, influence)),)
    said, explain = verdict_of_influence(influence), _reading_of_influence(influence)
    return View(title, tuple(tables), influence.notes, said, figures, explain)


def _reading_of_influence(influence: "Influence") -> tuple[str, ...]:
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


def _without(influence: "Influence", kind: str, without: "LeaveOneOut") -> Table:
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
    if math.isnan(lead):
        return "unranked"
    return fixed(lead, places) if math.isfinite(lead) else "∞" if lead > 0 else "−∞"


def _changed(influence: "Influence", first: tuple[str, ...]) -> str:
    """Who is first, where that is not who is first with all."""
    return "=" if set(first) == set(influence.leaders) else few(first, 2) or DASH


def _decisive(influence: "Influence") -> Table:
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
