"""The answer in sentences: who is first, what the first place depends on, and which method keeps its order best."""

from collections.abc import Sequence
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np

from podium.base.words import LONG, few, listed, rounded_percent
from podium.robustness.steadiness import ROUNDING, steadiness
from podium.robustness.sweep import phrase

if TYPE_CHECKING:
    from podium.robustness.influence_result import Influence, LeaveOneOut
    from podium.robustness.study_result import Study, SweepResult

#: Share of lost first places from which on a strength is mentioned.
_NOTABLE = 0.1

#: Letters of a name above which sentences say "the leader".
_LONG_NAME = 24


def verdict(study: "Study", influence: "Influence | None") -> tuple[str, ...]:
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
    its order best. All shares and intervals of trials hold together with 95 % confidence.
    """
    if not study.leaders:  # every trial has a table of its own
        return tuple(_steadiest(study))
    groups: dict[tuple[str, ...], list[str]] = {}
    for method, leaders in zip(study.methods, study.leaders, strict=True):
        groups.setdefault(leaders, []).append(method)
    first = [_first(leaders, methods) for leaders, methods in groups.items()]
    about = [] if influence is None else _left_out(influence)
    about += [sentence for one in study.swept if (one.strengths > 0).any() for sentence in _stressed(study, one)]
    if about and len(study.methods) > 1:
        about.insert(0, f"the next sentences are about the first place by {study.methods[0]}")
    return ("; ".join(first), *about, *_steadiest(study))


def verdict_of_influence(influence: "Influence") -> tuple[str, ...]:
    """Return sentences about what the first place depends on.

    >>> import podium
    >>> verdict_of_influence(podium.influence(podium.datasets.toy_table1()))[2]
    'the leader shares the first place without Task1, Task2, Task5, Task6'
    """
    by = ":".join(filter(None, (influence.method, influence.level)))
    return (_first(influence.leaders, [by]), *_left_out(influence))


def _first(leaders: Sequence[str], methods: Sequence[str]) -> str:
    """Say who is first by which methods."""
    return f"{few(leaders)} {'is first' if len(leaders) == 1 else 'share the first place'} by {listed(methods)}"


def _left_out(influence: "Influence") -> list[str]:
    """Say whether the first place survives the loss of every single task and instance, and of few."""
    if len(influence.leaders) > 1:
        return [] if influence.tasks is None else [_sharing(influence.tasks, influence.leaders)]
    said = []
    for kind, without in influence.by_kind.items():
        said += _without(without, kind)
        for one in influence.decisive:
            if one.kind == f"{kind}s" and len(one.units) > 1:
                units = "families of tasks" if one.families else "tasks"
                which, least = f"{units} ({few(one.units)})", "; no smaller set does"
                if kind == "instance":
                    share = rounded_percent(len(one.units) / one.of)
                    which, least = f"instances ({share}), the ones that help the leader most,", ""
                elif not one.smallest:
                    least = "; no smaller set was found"
                said.append(f"leaving out {len(one.units):,} of {one.of:,} {which} puts {few(one.first)} first{least}")
    return said


def _sharing(tasks: "LeaveOneOut", leaders: Sequence[str]) -> str:
    """Say whether those that share the first place are the same without every single task."""
    outcomes = list(zip(tasks.units, tasks.first, strict=True))
    unranked = [unit for unit, first in outcomes if not first]
    others = [unit for unit, first in outcomes if first and set(first) != set(leaders)]
    without = f"without {few(unranked)} the systems cannot be ranked; " if unranked else ""
    if others:
        return f"{without}the first place changes when one of these tasks is left out: {few(others)}"
    other = "other " if unranked else ""
    return f"{without}the same systems share the first place when any one {other}task is left out"


def _without(without: "LeaveOneOut", kind: str) -> list[str]:
    """Say whether the first place survives every single unit, in a sentence for each outcome."""
    several = without.tasks is not None and len(set(without.tasks)) > 1  # whose labels may be alike
    tasks = [f" of {task}" if several else "" for task in without.tasks or [""] * len(without.units)]
    every = list(zip(without.outcome, map("".join, zip(without.units, tasks, strict=True)), without.first, strict=True))

    def named(outcome: str, total: int) -> str:
        names = [name for its, name, _ in every if its == outcome]
        return few(names, total=total) if names else f"{total:,} of them"

    said = []
    if without.unranked:
        said.append(f"without {named('unranked', without.unranked)} the systems cannot be ranked")
    if without.lost:
        heirs = list(dict.fromkeys(name for its, _, first in every if its == "lost" for name in first))
        kinds, one = (kind, "it") if without.lost == 1 else (f"{kind}s", "any one of them")
        which = f"{kinds} {named('lost', without.lost)}" if heirs else f"{without.lost:,} {kinds}"
        then = f": without {one} {few(heirs, 3)} {'is' if len(heirs) == 1 else 'may be'} first" if heirs else ""
        return [*said, f"the first place depends on {which}{then}"]
    if without.unranked < without.of:
        which = f"any one of the other {kind}s" if without.unranked else f"any one {kind}"
        said.append(f"the leader stays first when {which} is left out")
    if without.shared:
        said.append(f"the leader shares the first place without {named('shared', without.shared)}")
    return said


def _stressed(study: "Study", one: "SweepResult") -> list[str]:
    """Say how often the leader stays first at the first strength that endangers it, and where it mostly does not."""
    who, stays = ("the leaders", "stay") if len(study.leaders[0]) > 1 else (study.leaders[0][0], "stays")
    who = who if len(who) <= _LONG_NAME else "the leader"
    real, mean = np.flatnonzero(one.strengths > 0), one.mean("kept")[0]
    low, high = (end[0] for end in study.interval(one, together=True))
    parts = (one.kept[0, real] > ROUNDING) & (one.kept[0, real] < 1 - ROUNDING)
    often = parts.sum() > _NOTABLE * one.tries[real].sum()
    counted = "; a shared first place counts in parts" if often else ""
    spoken = [real[mean[real] <= line][:1] for line in (1 - _NOTABLE + ROUNDING, 0.5 - 2 * ROUNDING)]
    if not spoken[0].size:
        least, what = float(low[real].min()), "all cases" if one.certain[real].all() else "the trials"
        share = "all cases" if least > 1 - ROUNDING else f"at least {floor(100 * least + ROUNDING)}% of {what}"
        if least < 0.5:  # the repeats are few
            share = f"about {rounded_percent(float(mean[real].min()))} of the trials ({floor(100 * least)} to 100%)"
        return [f"{who} {stays} first in {share}, even if {phrase(one.name, one.strengths[-1])}{counted}"]
    clauses = []
    for s in dict.fromkeys(np.concatenate(spoken).tolist()):
        about = "half" if abs(mean[s] - 0.5) < 0.025 else rounded_percent(mean[s])
        share = f"about {about} of the trials ({floor(100 * low[s])} to {ceil(100 * high[s])}%)"
        if mean[s] < 0.01 and high[s] < 0.5:
            share = f"at most {ceil(100 * high[s])}% of the trials"
        if one.certain[s]:
            share = f"{rounded_percent(mean[s])} of all cases"
        clauses.append((phrase(one.name, one.strengths[s]) + _unranked(study, one, s), share))
    sentences = [f"if {condition}, {who} {stays} first in {share}{counted}" for condition, share in clauses]
    together = "; ".join([sentences[0].removesuffix(counted), *(f"if {c}, in {share}" for c, share in clauses[1:])])
    return [together + counted] if len(together + counted) <= LONG else sentences


def _unranked(study: "Study", one: "SweepResult", s: int) -> str:
    """Say how often no system can be ranked, where that is often."""
    low, high = (float(end[0, s]) for end in study.interval(one, "unranked", together=True))
    if low < _NOTABLE - ROUNDING:
        return ""
    often = rounded_percent(low) if one.certain[s] else f"{floor(100 * low)} to {ceil(100 * high)}%"
    return f" (no system can be ranked in {often})"


def _steadiest(study: "Study") -> list[str]:
    """Compare the methods by their mean τ over all real stresses, as far as chance allows."""
    found = steadiness(study)
    if len(study.methods) < 2 or found is None or found.tau.max() < ROUNDING:  # all tie, so there is no order to keep
        return []
    if float(np.ptp(found.tau)) < ROUNDING:
        return ["all methods keep their order equally well under these stresses"]
    tiers = [listed([study.methods[m] for m in tier]) for tier in found.tiers]
    if len(tiers) == 1:
        return ["no method is known to keep its order better than another under these stresses, by mean tau"]
    keeps = "keep their order" if len(found.tiers[0]) > 1 else "keeps its order"
    return [f"{tiers[0]} {keeps} best under these stresses, by mean tau; then {', then '.join(tiers[1:])}"]
