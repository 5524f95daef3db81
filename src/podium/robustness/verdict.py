"""How robust the first place is, in sentences: what stresses do to it, and which tasks and instances it depends on."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor

import numpy as np

from podium.base.words import LONG, few, listed, rounded_percent
from podium.robustness.influence.result import Decisive, Influence, LeaveOneOut
from podium.robustness.stress.usual import phrase
from podium.robustness.study.lost import LARGE, MOST, NOTABLE, Lost
from podium.robustness.study.result import ROUNDING, Study, SweepResult
from podium.robustness.study.steady import steadiness


def verdict(study: Study, influence: Influence | None) -> tuple[str, ...]:
    """Return sentences about how robust the first place is.

    Parameters
    ----------
    study
        Methods under the usual stresses; the verdict is about the first method, and says so where there are several.
    influence
        What the first place by that method depends on, or None.

    Returns
    -------
    Sentences: who is first, which tasks and instances this depends on, what each stress does, and which method keeps
    its order best.
    """
    about = [] if influence is None else [*_tasks(influence), *_instances(influence)]
    about += [
        sentence for k, one in enumerate(study.swept) if (one.strengths > 0).any() for sentence in _stressed(study, k)
    ]
    if about and len(study.methods) > 1:
        about.insert(0, f"the next sentences are about the first place by {study.methods[0]}")
    return (_who(study), *about, *_steadiest(study))


def _who(study: Study) -> str:
    """Group the methods by who is first."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for method, leaders in zip(study.methods, study.leaders, strict=True):
        groups.setdefault(leaders, []).append(method)
    return "; ".join(_first(leaders, listed(methods)) for leaders, methods in groups.items())


def _first(leaders: Sequence[str], methods: str) -> str:
    if len(leaders) == 1:
        return f"{leaders[0]} is first by {methods}"
    return f"{few(leaders)} share the first place by {methods}"


def _tasks(influence: Influence) -> list[str]:
    if influence.tasks is None:
        return []
    if len(influence.leaders) > 1:
        return [_sharing(influence.tasks, influence.leaders)]
    said = _without(influence.tasks, "task")
    return said + [_fewest(one) for one in influence.decisive if one.kind == "tasks" and len(one.units) > 1]


def _instances(influence: Influence) -> list[str]:
    if influence.instances is None or len(influence.leaders) > 1:
        return []
    said = _without(influence.instances, "instance")
    for one in influence.decisive:
        if one.kind == "instances" and len(one.units) > 1:
            share = rounded_percent(len(one.units) / one.of)
            which = f"{len(one.units):,} of {one.of:,} instances ({share}), the ones that help the leader most,"
            said.append(f"leaving out {which} puts {few(one.first)} first")
    return said


def _sharing(tasks: LeaveOneOut, leaders: Sequence[str]) -> str:
    """Say whether those that share the first place are the same without every single task."""
    outcomes = list(zip(tasks.units, tasks.first, strict=True))
    unranked = [unit for unit, first in outcomes if not first]
    others = [unit for unit, first in outcomes if first and set(first) != set(leaders)]
    without = f"without {few(unranked)} the systems cannot be ranked; " if unranked else ""
    if not others:
        other = "other " if unranked else ""
        return f"{without}the same systems share the first place when any one {other}task is left out"
    return f"{without}the first place changes when one of these tasks is left out: {few(others)}"


def _without(without: LeaveOneOut, kind: str) -> list[str]:
    """Say whether the first place survives every single unit, in a sentence for each outcome."""
    units: dict[str, list[int]] = {"lost": [], "shared": [], "unranked": [], "kept": []}
    for u, outcome in enumerate(without.outcome):
        units[outcome].append(u)
    names = {outcome: [_named(without, u) for u in found] for outcome, found in units.items()}
    said = []
    if without.unranked:
        said.append(f"without {_some(names['unranked'], without.unranked)} the systems cannot be ranked")
    if without.lost:
        heirs = list(dict.fromkeys(name for u in units["lost"] for name in without.first[u]))
        return [*said, _lost(kind, names["lost"], without.lost, heirs)]
    if without.unranked < without.of:
        which = f"any one of the other {kind}s" if without.unranked else f"any one {kind}"
        said.append(f"the leader stays first when {which} is left out")
    if without.shared:
        said.append(f"the leader shares the first place without {_some(names['shared'], without.shared)}")
    return said


def _lost(kind: str, names: Sequence[str], total: int, heirs: Sequence[str]) -> str:
    """Say without which units the first place is lost, and who is first then, as far as they are known."""
    kinds, one = (kind, "it") if total == 1 else (f"{kind}s", "any one of them")
    which = f"{kinds} {few(names, total=total)}" if names else f"{total:,} {kinds}"
    then = f": without {one} {few(heirs, 3)} {'is' if len(heirs) == 1 else 'may be'} first" if heirs else ""
    return f"the first place depends on {which}{then}"


def _some(names: Sequence[str], total: int) -> str:
    """List a few of some names; say how many there are where no name is known.

    >>> _some(["a", "b"], 50), _some([], 3)
    ('a, b and 48 more', '3 of them')
    """
    return few(names, total=total) if names else f"{total:,} of them"


def _named(without: LeaveOneOut, u: int) -> str:
    """Label of a unit, with its task where labels of several tasks may be alike."""
    if without.tasks is None or len(set(without.tasks)) == 1:
        return without.units[u]
    return f"{without.units[u]} of {without.tasks[u]}"


def _fewest(one: Decisive) -> str:
    least = "no smaller set does" if one.smallest else "no smaller set was found"
    return f"leaving out {len(one.units)} of {one.of} tasks ({few(one.units)}) puts {few(one.first)} first; {least}"


def _stressed(study: Study, sweep: int) -> list[str]:
    """Say from which strength on the first place is in danger, and from which it is lost more often than kept."""
    one, lost = study.swept[sweep], Lost.of(study, sweep)
    spoken = lost.mentioned
    if not spoken:
        return [_held(one, lost)]
    clauses = [f"{_often(lost, s, first=s == spoken[0])} {_when(one, lost, s)}" for s in spoken]
    return _clauses(_subject(lost), clauses)


def _held(one: SweepResult, lost: Lost) -> str:
    """Say that the first place is never lost, or lost in few cases, at all strengths."""
    real = list(lost.stressed)
    even = f"even when {phrase(one.name, float(one.strengths[real[-1]]))}"
    if not lost.certain[real].all():
        return f"{_subject(lost)} {_in_cases(lost, f'more than {rounded_percent(1 - lost.worst)}')}, {even}"
    worst = float(lost.mean[real].max())
    if worst > ROUNDING:
        return f"{_subject(lost)} {_in_cases(lost, f'at least {rounded_percent(1 - worst)}')}, {even}"
    never = len(one.kept) > 1 and bool((one.mean("kept") > 1 - ROUNDING).all())
    return f"the first place is never lost{' by any method' if never else ''}, {even}"


def _subject(lost: Lost) -> str:
    return "the leader keeps on average" if lost.shared else "the first place is kept"


def _in_cases(lost: Lost, share: str) -> str:
    return f"{share} of the first place" if lost.shared else f"in {share} of the cases"


def _often(lost: Lost, s: int, *, first: bool) -> str:
    """Say how much of the first place is kept: exactly, between two lines, or as far as it is known."""
    if lost.certain[s] and (first or lost.side(s, MOST) < 0):
        return _in_cases(lost, rounded_percent(1 - float(lost.mean[s])))
    if lost.side(s, MOST) > 0:
        return _in_cases(lost, "less than half")
    for low, high in pairwise((NOTABLE, *LARGE)):
        if lost.side(s, low) > 0 > lost.side(s, high):
            return _in_cases(lost, f"{100 * (1 - high):.0f} to {100 * (1 - low):.0f}%")
    low, high = 5 * floor(20 * (1 - lost.high[s])), 5 * ceil(20 * (1 - lost.low[s]))
    return _in_cases(lost, f"between {low} and {high}%")


def _when(one: SweepResult, lost: Lost, s: int) -> str:
    """Say what a strength means, and whether there is often no ranking at all."""
    said = f"when {phrase(one.name, float(one.strengths[s]))}"
    low = float(lost.unranked[0, s])
    if low < NOTABLE - ROUNDING:
        return said
    often = rounded_percent(low) if lost.certain[s] else f"more than {rounded_percent(NOTABLE)}"
    return f"{said} (in {often} of the cases no system can be ranked)"


def _clauses(subject: str, clauses: Sequence[str]) -> list[str]:
    """Say several things of one subject, in a sentence each where one would be too long."""
    together = f"{subject} {', and '.join(clauses)}"
    return [together] if len(together) <= LONG else [f"{subject} {clause}" for clause in clauses]


def _steadiest(study: Study) -> list[str]:
    """Compare the methods by their mean τ over all real stresses, as far as chance allows."""
    found = steadiness(study)
    if len(study.methods) < 2 or found is None or found.tau.max() < ROUNDING:  # all tie, so there is no order to keep
        return []
    if float(np.ptp(found.tau)) < ROUNDING:
        return ["all methods keep their order equally well under these stresses"]
    tiers = [listed([study.methods[m] for m in tier]) for tier in found.tiers]
    if len(tiers) == 1:
        return ["no method surely keeps its order better than another under these stresses, by mean tau"]
    keeps = "keep their order" if len(found.tiers[0]) > 1 else "keeps its order"
    return [f"{tiers[0]} {keeps} best under these stresses, by mean tau; then {', then '.join(tiers[1:])}"]
