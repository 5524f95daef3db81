"""What is said of stressed rankings: intervals, which methods keep their order best, and the verdict in sentences."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, e, floor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.base.arrays import Floats, plain
from podium.base.words import LONG, few, how_many, listed, rounded_percent
from podium.robustness.sweep import USUAL

if TYPE_CHECKING:
    from podium.robustness.influence_result import Influence, LeaveOneOut
    from podium.robustness.study_result import Study, SweepResult

#: What is measured of a stressed ranking, and whether more of it is better.
MEASURES = {"tau": True, "kept": True, "error": False}

#: Means over trials beyond which a method has broken down, see `podium.Study.breakdown`.
BOUNDS = {"tau": 0.5, "kept": 0.5, "error": 0.75}

#: How sure intervals of these means are.
CONFIDENCE = 0.95

#: Means over repeats that differ by less are equal.
ROUNDING = 1e-9


def share_interval(mean: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of an interval of the mean of a share from 0 to 1, which holds for any number of repeats.

    A sum S of independent shares with mean p passes a whole number with at most e times the probability that a binomial
    number of as many trials passes it: P(S ≥ k) ≤ e P(Bin(R, p) ≥ k). So this is the interval of Clopper and Pearson at
    a level of error / e, of the sum rounded outwards.

    Parameters
    ----------
    mean
        Any shape: of the shares.
    repeats
        Shape that broadcasts against it: how many shares, each of an independent repeat.
    error
        The same: how often the interval may miss, at most.

    References
    ----------
    Bentkus 2004 (On Hoeffding's inequalities), for sums of shares; Clopper & Pearson 1934.

    Examples
    --------
    >>> low, high = share_interval([0.0, 0.5, 1.0], 100, 0.05)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.379, 0.954]), array([0.046, 0.621, 1.   ]))
    """
    from scipy.special import betaincinv  # noqa: PLC0415  # only where there are repeats

    total, of = np.broadcast_arrays(np.multiply(mean, repeats), np.asarray(repeats, dtype=np.float64))
    tail = np.divide(error, 2 * e)
    rounding = 1e-9 * of
    down, up = np.floor(total + rounding), np.ceil(total - rounding)
    low = np.where(down > 0, betaincinv(np.maximum(down, 1), of - down + 1, tail), 0.0)
    high = np.where(up < of, betaincinv(up + 1, np.maximum(of - up, 1), 1 - tail), 1.0)
    return low, high


def mean_interval(mean: ArrayLike, spread: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of Student's interval of a mean over repeats; infinite where there is one repeat.

    Parameters
    ----------
    mean, spread, repeats
        Shapes that broadcast: mean, standard deviation and number of the repeats.
    error
        The same: how often the interval may miss.

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.1, 100, 0.05)
    >>> print(round(float(low), 3), round(float(high), 3))
    0.48 0.52
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # only where there are repeats

    repeats = np.asarray(repeats, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        reach = -stdtrit(np.maximum(repeats - 1, 1), np.divide(error, 2)) * np.asarray(spread) / np.sqrt(repeats)
    reach = np.where(repeats > 1, reach, np.inf)
    return np.subtract(mean, reach), np.add(mean, reach)


class Steadiness(NamedTuple):
    """A comparison of how well methods keep their order.

    Attributes
    ----------
    tau
        Shape `(M,)`: mean τ over all stresses and their strengths.
    low, high
        Shape `(M,)`: ends of its 95 % interval.
    tiers
        Indices of the methods, the steadiest first; all of a tier are significantly steadier than all of the next.
    """

    tau: Floats
    low: Floats
    high: Floats
    tiers: tuple[tuple[int, ...], ...]


def steadiness(study: "Study") -> Steadiness | None:
    """Compare the methods by their mean τ over all real stresses; None where there is none.

    All methods rank the same stressed tables, so differences are paired by repeat: a repeat is the mean of all stresses
    and strengths at its number. Where all cases were tried, their mean is added, which is no chance. Differences are
    Student's, at an error divided by the number of pairs of methods, and by two, since ten skewed repeats miss more
    often than they should. Of each strength the first `repeats` count, whose number does not depend on what they show.
    """
    real = [one.strengths > 0 for one in study.swept]
    count = sum(int(some.sum()) for some in real)
    if not count:
        return None
    by_repeat = np.zeros((len(study.methods), study.repeats))
    chance = False
    for one, some in zip(study.swept, real, strict=True):
        by_repeat += one.mean("tau")[:, some & one.certain].sum(axis=1, keepdims=True) / count
        drawn = some & ~one.certain
        by_repeat += one.tau[:, drawn, : study.repeats].sum(axis=1) / count if drawn.any() else 0.0
        chance |= bool(drawn.any())
    tau, error = by_repeat.mean(axis=1), 1 - CONFIDENCE
    low, high = _ends(by_repeat, error, chance)
    differences = by_repeat[:, None] - by_repeat
    pairs = max(1, len(tau) * (len(tau) - 1) // 2)
    surely = _ends(differences, error / (2 * pairs), chance)[0] > ROUNDING
    order = sorted(range(len(tau)), key=lambda m: (-tau[m], m))
    # cut where all methods before are significantly steadier than all behind
    cuts = [0, *(n for n in range(1, len(order)) if surely[np.ix_(order[:n], order[n:])].all()), len(order)]
    return Steadiness(tau, low, high, tuple(tuple(sorted(order[start:end])) for start, end in pairwise(cuts)))


def _ends(values: Floats, error: float, chance: bool) -> tuple[Floats, Floats]:
    """Return the interval of a mean over the last axis; the mean itself where nothing is left to chance."""
    mean = values.mean(axis=-1)
    if not chance:
        return mean, mean
    repeats = values.shape[-1]
    spread = values.std(axis=-1, ddof=1) if repeats > 1 else np.zeros(mean.shape)
    return mean_interval(mean, spread, repeats, error)


def rows_of(study: "Study") -> list[dict[str, Any]]:
    """One plain dictionary per method: its mean τ over all stresses, the interval, and its tier."""
    found = steadiness(study)
    if found is None:
        return []
    tier = [next(t for t, of in enumerate(found.tiers, 1) if m in of) for m in range(len(found.tau))]
    columns = zip(study.methods, found.tau.tolist(), found.low.tolist(), found.high.tolist(), tier, strict=True)
    return [plain(dict(zip(("method", "tau", "low", "high", "tier"), row, strict=True))) for row in columns]


#: Share of lost first places from which on a strength is mentioned.
_NOTABLE = 0.1

#: Leaders, and stresses, that a sentence names.
_NAMED = 3

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
        said += _one_by_one(without, kind)
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


def _one_by_one(without: "LeaveOneOut", kind: str) -> list[str]:
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
    low, high = (end[0, s] for end in study.interval(one, "unranked", together=True))
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


def phrase(name: str, strength: float) -> str:
    """Say what a strength of a stress means, after "if".

    >>> phrase("tasks", 2.0), phrase("mine", 0.5)
    ('2 tasks are left out', 'mine is at 0.5')
    """
    return USUAL[name].phrase(strength) if name in USUAL else f"{name} is at {strength:g}"


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
