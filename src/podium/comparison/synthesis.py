"""Bring effects on tasks together: a summary of all tasks, of all but each, and of groups of them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import matching
from podium.base.errors import LabelError, MethodError
from podium.base.words import how_many, with_names
from podium.comparison.contrast import Contrasts, doubts, left_out
from podium.comparison.dependence import Covariance, Dependence, covariance_of, what_is_shared
from podium.comparison.effects import EFFECTS
from podium.comparison.moderators import Design, Values, moderate
from podium.comparison.note import influence_notes, moderation_notes, notes_on
from podium.comparison.pooling import INTERVALS, Pooled, Pooling, with_ends
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import MANY, Beside, Subgroup, Summary, TaskEffect
from podium.score.family import family_notes
from podium.score.prediction_powered import degrees_of_freedom
from podium.score.table import Scores
from podium.score.task import Task, is_binary
from podium.score.units import Units

#: The same where effects depend on each other: every analysis then takes a covariance matrix apart.
_MANY_DEPENDENT = 200

#: Standard errors by which a weighted mean may be off as its weights follow the effects; and so many for each instance
#: less, as the skewness of n normal differences is ± √(6 / n): three times what that does.
_OFF, _OFF_BY_CHANCE = 0.25, 8.0

#: Tasks by the heading of their group, or the name of their cluster: labels or globs; None without any.
TaskGroups = Mapping[str, Sequence[str]] | None

#: Heading of tasks that are in no group.
_OTHERS = "other tasks"


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A way to bring effects on tasks together.

    Attributes
    ----------
    pooling
        Estimator, interval, confidence.
    groups, clusters, families
        Heading of the subgroup of each task, if there are any; name of the cluster, and of the family, of each task
        that shares one. Tasks of a family are in one cluster, if intervals are robust.
    moderators
        Properties of tasks that effects may depend on, see `podium.pool`.
    diagnostics
        Whether tables show what each task does to the summary.
    beside
        Other measures of the same systems, to be shown beside.
    """

    pooling: Pooling
    groups: Mapping[str, str]
    clusters: Mapping[str, str]
    families: Mapping[str, str]
    moderators: Mapping[str, Values] | None = None
    diagnostics: bool = False
    beside: Mapping[str, Scores] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tasks: Sequence[str],
        pooling: Pooling,
        groups: TaskGroups,
        cluster: TaskGroups,
        families: Sequence[str] = (),
        **others: Any,
    ) -> Self:
        """Find the tasks that groups and clusters name.

        Raises
        ------
        LabelError
            A group or cluster names a task that is not there, or two of them name the same.
        MethodError
            All tasks are in one cluster.
        """
        headings = headings_of("group", tasks, groups)
        clusters = headings_of("cluster", tasks, cluster)
        if len(set(clusters.values())) == 1 and len(clusters) == len(tasks) > 1:
            raise MethodError(
                f"all {len(tasks):,} tasks are in cluster {next(iter(clusters.values()))!r}, and a robust error needs "
                "two clusters; name fewer tasks in it, or leave the cluster out"
            )
        sizes = Counter(families)
        shared = {task: name for task, name in zip(tasks, families, strict=False) if sizes[name] > 1}
        headings = {task: headings.get(task, _OTHERS) for task in tasks} if groups else {}
        return cls(pooling, headings, clusters, shared, **others)

    def dependence(self, tasks: Sequence[str], variance: Floats, covariance: Covariance | None) -> Dependence | None:
        """Return the dependence of the effects on some tasks; None where there is none."""
        linked = np.eye(len(tasks), dtype=np.bool_)
        for names in (self.clusters, self.families if self.pooling.robust else {}):
            of = np.array([names.get(task, "") for task in tasks], dtype=object)
            linked |= (of[:, None] == of) & (of != "")
        if not (self.clusters or np.count_nonzero(linked) > len(tasks) or covariance is not None):
            return None
        given = Covariance(np.diag(variance), np.eye(len(tasks))) if covariance is None else covariance
        return Dependence.of(given, linked, robust=self.pooling.robust)

    def notes(self, shared: Sequence[Units]) -> list[str]:
        """Say that sets of instances, or clusters, that are shared are not looked at, if so."""
        if self.pooling.ranger and shared:
            said = f"tasks that share {what_is_shared(shared)} ({how_many(len(shared), 'set')}) count as independent"
            return [f"{said}, as in Ranger: the interval is too narrow"]
        if self.families and not self.pooling.robust and not self.pooling.ranger:
            names = sorted(set(self.families.values()))
            return [with_names("tasks of one family count as independent with this interval: ", names)]
        return []


def headings_of(what: str, tasks: Sequence[str], groups: TaskGroups) -> dict[str, str]:
    """Return the heading of each task that one of the groups names by label or glob; `what` is "group" or "cluster".

    Raises
    ------
    LabelError
        A group names a task that is not there, or two groups name the same.

    Examples
    --------
    >>> headings_of("cluster", ["mnli-m", "mnli-mm", "rte"], {"mnli": ["mnli*"]})
    {'mnli-m': 'mnli', 'mnli-mm': 'mnli'}
    """
    headings: dict[str, str] = {}
    given: object = groups
    if given is not None and not isinstance(given, Mapping):
        example = "as in {'inference': ['mnli', 'rte']}"
        raise LabelError(f"{what}s are given as headings with the tasks below each, {example}")
    for name, patterns in (groups or {}).items():
        found = matching("task", patterns, tasks)
        if not found:
            raise LabelError(f"{what} {name!r} names no task; leave it out")
        for task in found:
            if headings.setdefault(task, name) != name:
                raise LabelError(f"task {task!r} is in the {what}s {headings[task]!r} and {name!r}; keep one")
    return headings


@dataclass(frozen=True, slots=True, eq=False)
class KnownEffects:
    """Effects on k tasks, on the scale they are pooled on.

    Attributes
    ----------
    effect, variance
        Shape `(k,)`.
    facts
        For each task, what else is known of it: fields of `TaskEffect`, with "task" at least.
    kind
        See `podium.pool`.
    covariance
        Of the effects; None where they are independent, but for clusters.
    weighed_by
        Shape `(k,)`: the variances that they are pooled with.
    df
        Shape `(k,)`: degrees of freedom of their own intervals; None of normal ones.
    """

    effect: Floats
    variance: Floats
    facts: Sequence[Mapping[str, Any]]
    kind: str
    covariance: Covariance | None
    weighed_by: Floats
    df: Floats | None = None

    @property
    def tasks(self) -> list[str]:
        """Return their labels."""
        return [one["task"] for one in self.facts]


def analyse(contrasts: Contrasts, treatment: str, how: Synthesis) -> tuple[MetaAnalysis, list[str]]:
    """Pool the tasks on which a treatment can be compared with the control; also return the notes on others.

    Raises
    ------
    MethodError
        There is no such task.
    """
    scores, systems = contrasts.scores, (contrasts.control, treatment)
    row = scores.systems.index(treatment)
    _refuse_undefined(contrasts, row)
    counted, equal = _equally_precise(contrasts, row, how.pooling)
    kept, missing = counted.kept(row), left_out(counted, row)
    if not kept:
        raise MethodError(
            f"{treatment!r} cannot be compared with {counted.control!r} on any task: {'; '.join(missing)}"
        )
    tasks = [scores.tasks[at] for at in kept]
    effect, variance = counted.sizes.effect[kept, row], counted.sizes.variance[kept, row]
    if not np.isfinite(effect + variance).all():
        name = tasks[int(np.argmin(np.isfinite(effect + variance)))].name
        raise MethodError(f"scores of task {name!r} are too large to be compared; divide them all by the largest")
    weighed_by = np.full_like(variance, variance.mean()) if equal else variance
    covariance = covariance_of(counted, row) if counted.shared and not how.pooling.ranger else None
    covariance = None if covariance is None else covariance.with_variance(weighed_by)
    of_families = [task for task in tasks if task.name in how.families]
    noted = family_notes(of_families, "is one cluster") if how.pooling.robust else []
    if noted and how.moderators:
        raise MethodError(
            "moderators take effects as independent, and tasks of one family are not; keep one task of each (--tasks), "
            "or, if they are none, use families=False (--family none)"
        )
    skewed = "differences are rare or skewed, so weights would depend on effects; tasks count as equally precise"
    skewed += "" if covariance is None else ", but for what they share"
    notes = [*([skewed] if equal else []), *missing, *doubts(counted, row), *scores.notes]
    facts = [counted.facts(at, row) for at in kept]
    df = None
    if scores.human:  # few labels carry most of the variance
        alone = (degrees_of_freedom(replace(scores, tasks=(task,)), least=0) for task in tasks)
        df = np.array([max(float(one[0, 1]), 1.0) for one in alone])
    effects = KnownEffects(effect, variance, facts, counted.kind, covariance, weighed_by, df)
    analysis = synthesise(effects, how, [*notes, *how.notes(counted.shared), *noted])
    analysis = replace(
        analysis,
        control=counted.control,
        treatment=treatment,
        beside=tuple(_beside(name, other, systems, tasks) for name, other in how.beside.items()),
        binary=all(is_binary(counted.scores.tasks[at]) for at in kept),
        backend=scores.backend,
    )
    return analysis, missing


def _refuse_undefined(contrasts: Contrasts, row: int) -> None:
    """Refuse differences in standard deviations where there is a difference, and no deviation.

    Raises
    ------
    MethodError
        There is such a task.
    """
    pairs, scores = contrasts.pairs, contrasts.scores
    enough = pairs.n[:, row] >= EFFECTS["smd"].least
    constant = enough & (pairs.mean_variance[:, row] == 0) & (pairs.difference[:, row] != 0)
    wrong = np.flatnonzero(constant & (scores.task_weights > 0))
    if contrasts.kind == "smd" and wrong.size:
        way = (
            "effect 'md' or 'rd' (--effect md, --effect rd)" if contrasts.binary.all() else "effect 'md' (--effect md)"
        )
        raise MethodError(
            f"on every instance of task {scores.tasks[wrong[0]].name!r}, {scores.systems[row]!r} has one score and "
            f"{contrasts.control!r} another, so no standard deviation says how large the difference is; use {way}"
        )


def _equally_precise(contrasts: Contrasts, row: int, pooling: Pooling) -> tuple[Contrasts, bool]:
    """Count tasks as equally precise if weights would follow effects, and then also those without a difference.

    See `_weights_follow_effects`.
    """
    kept, sizes, pairs = contrasts.kept(row), contrasts.sizes, contrasts.pairs
    if contrasts.kind not in {"md", "rd"} or pooling.interval != INTERVALS[0] or not kept:
        return contrasts, False
    effect, variance, squares = (of[kept, row] for of in (sizes.effect, sizes.variance, pairs.difference_variance))
    if not (squares.any() and np.isfinite(effect + variance).all()):
        return contrasts, False
    scale = np.sqrt(squares.max())  # in these no square is too large for a number
    effect, variance, squares = effect / scale, variance / scale / scale, squares / scale / scale
    rho = abs(float(np.average([contrasts.skewness_ratio(at, row) for at in kept], weights=squares))) / scale
    ratio = np.divide(variance, squares, out=1 / pairs.n[kept, row], where=squares > 0)  # 1 / n on average
    constant = contrasts.constant(row)
    follow = _weights_follow_effects(effect, variance, ratio, rho, pooling.confidence)
    if not follow or len(kept) + len(constant) < 2:
        return contrasts, False
    return contrasts.without_difference(constant, row, rho * scale), True


def _weights_follow_effects(effect: Floats, variance: Floats, ratio: Floats, rho: float, confidence: float) -> bool:
    """Return whether a weighted mean is off by more than `_OFF` standard errors because weights go with effects.

    The mean of skewed differences goes with their variance, cov(D, V) = m₃ / n², also between tasks: variances of rare
    failures grow with their share by m₃ / s² per unit of D. With ρ = Σ m₃ / Σ s² over tasks, and weights h = w / Σ w by
    DerSimonian and Laird's τ², the weighted mean is off by ρ Σ h v / s².

    Parameters
    ----------
    effect, variance, ratio
        Shape `(k,)`: D, v and v / s².
    rho
        |ρ|.
    confidence
        Of the interval.
    """
    pooled = Pooling("dl", "normal", confidence).summarise(effect[None], variance, profile=False)
    share = float(pooled.weight[0] @ ratio)
    return bool(rho * share > max(_OFF, _OFF_BY_CHANCE * share) * pooled.std_error[0])


def _beside(name: str, scores: Scores, systems: Sequence[str], tasks: Sequence[Task]) -> Beside:
    """Return means of another measure, on the tasks of an analysis; NaN where it has none."""
    there = {task.name: task for task in scores.tasks}

    def mean(task: Task | None, system: str) -> float:
        row = scores.systems.index(system) if system in scores.systems else None
        if task is None or row is None or not task.scored[row]:
            return float("nan")
        return float(np.nansum(task.values[row], dtype=np.float64) / task.scored[row])

    return Beside(name, *(tuple(mean(there.get(task.name), system) for task in tasks) for system in systems))


def synthesise(effects: KnownEffects, how: Synthesis, notes: Sequence[str] = ()) -> MetaAnalysis:
    """Summarise all tasks, all but each, and each group; turn numbers to the scale they are shown on.

    Parameters
    ----------
    effects
        On k tasks.
    how
        How they are to be brought together.
    notes
        Those that come before the ones on the summary.
    """
    names, pooling, kind = effects.tasks, how.pooling, effects.kind
    dependence = how.dependence(names, effects.weighed_by, effects.covariance)
    if dependence is not None and how.moderators:
        dependence.refuse_moderators()

    pooled = _pool(effects.effect[None], effects, pooling, dependence)  # (1, k): one analysis of all tasks
    (summary,) = _summaries(pooled, kind)
    moderation = None
    if how.moderators:
        design = Design.of(how.moderators, names)
        moderation = moderate(effects.effect, effects.weighed_by, design, pooling, pooled)
    subgroups, between, group_notes = _subgroups(effects, how, dependence)
    leave_one_out, influence = _without_each(effects, pooling, dependence, pooled)
    tasks = _of_each_task(effects, how, dependence, pooled.weight[0], influence)

    pooling_said = pooling if dependence is None else replace(pooling, interval=dependence.interval(pooling))
    return MetaAnalysis(
        control="",
        treatment="",
        kind=kind,
        estimator=pooling.estimator,
        interval=pooling_said.interval,
        confidence=pooling.confidence,
        tasks=tasks,
        summary=summary,
        without=leave_one_out,
        subgroups=subgroups,
        between_q=between[0],
        between_p=between[1],
        moderation=moderation,
        diagnostics=how.diagnostics,
        dependence=None if dependence is None else dependence.record(names),
        notes=(
            *notes,
            *([] if dependence is None else dependence.notes(names, pooled)),
            *group_notes,
            *notes_on(summary, tasks, leave_one_out, EFFECTS[kind].null, pooling_said, effects.weighed_by),
            *influence_notes(tasks),
            *(moderation_notes(moderation, effects.weighed_by, pooling) if moderation else ()),
        ),
    )


def _pool(rows: Floats, effects: KnownEffects, pooling: Pooling, dependence: Dependence | None) -> Pooled:
    """Pool rows of effects, shape `(A, k)` with NaN where a task is absent."""
    return pooling.summarise(rows, effects.weighed_by) if dependence is None else dependence.summarise(rows, pooling)


def _subgroups(
    effects: KnownEffects, how: Synthesis, dependence: Dependence | None
) -> tuple[tuple[Subgroup, ...], tuple[float, float], list[str]]:
    """Return the summary of each group, Cochran's Q of these with its p-value, and notes."""
    named = dict.fromkeys(how.groups[task] for task in effects.tasks if task in how.groups)
    headings = sorted(named, key=lambda heading: heading == _OTHERS)  # that of all others last
    if not headings:
        return (), (float("nan"), float("nan")), []
    here = [[how.groups[task] == heading for task in effects.tasks] for heading in headings]
    of_group = np.where(here, effects.effect, np.nan)
    summaries = _summaries(_pool(of_group, effects, how.pooling, dependence), effects.kind)
    subgroups = tuple(map(Subgroup, headings, summaries))
    if dependence is None:
        # Q takes variances as known, which Knapp–Hartung's, estimated from few tasks, are not
        known = replace(how.pooling, interval="normal").summarise(of_group, effects.weighed_by, profile=False)  # (G, k)
        fixed = Pooling("fixed", "normal", how.pooling.confidence)
        between = fixed.summarise(known.estimate, known.std_error**2, profile=False)  # one analysis, of G summaries
        return subgroups, (float(between.q), float(between.q_p)), []
    return subgroups, dependence.between(of_group, how.pooling), dependence.group_notes(headings, of_group)


def _without_each(
    effects: KnownEffects, pooling: Pooling, dependence: Dependence | None, pooled: Pooled
) -> tuple[tuple[Summary, ...], dict[str, NDArray[Any]]]:
    """Return the summary without each task, and what each does to it, see `diagnose`; nothing if tasks are too many."""
    k = effects.effect.size
    if not 1 < k <= (MANY if dependence is None else _MANY_DEPENDENT):
        return (), {}
    all_but_one = np.where(np.eye(k, dtype=np.bool_), np.nan, effects.effect)  # (k, k): row i lacks task i
    rest = _pool(all_but_one, effects, pooling, dependence)
    if dependence is not None:
        return _summaries(dependence.comparable(rest, all_but_one), effects.kind), {}
    influence = diagnose(effects.effect, effects.weighed_by, pooled, rest)
    del influence["dfbetas"]  # no more is known from it than whether a task is influential
    return _summaries(rest, effects.kind), influence


def _of_each_task(
    effects: KnownEffects, how: Synthesis, dependence: Dependence | None, weight: Floats, influence: dict[str, Any]
) -> tuple[TaskEffect, ...]:
    """Return the effect on each task with an interval of its own, its weight, and what it does to the summary."""
    alone = Pooling("fixed", "normal", how.pooling.confidence)
    own = alone.summarise(effects.effect[:, None], effects.variance[:, None], profile=False)  # (k, 1): analyses of one
    if effects.df is not None:
        own = with_ends(replace(own, df=effects.df), alone)
    shown = EFFECTS[effects.kind].scale.shown
    columns = {**influence, "variance": effects.variance, "p": own.p, "weight": weight}
    columns |= {"effect": shown(effects.effect), "low": shown(own.low), "high": shown(own.high)}
    columns["group"] = np.array([how.groups.get(task) for task in effects.tasks], dtype=object)
    if dependence is not None:
        columns["cluster"] = np.array(dependence.first_tasks(effects.tasks), dtype=object)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return tuple(
        TaskEffect(**one, **dict(zip(columns, row, strict=True))) for one, row in zip(effects.facts, rows, strict=True)
    )


def _summaries(pooled: Pooled, kind: str) -> tuple[Summary, ...]:
    """Return one of each analysis, shape `(A,)`.

    A summary has two scales: effect and intervals are on the one they are shown on, such as an odds ratio; what tells
    of their spread stays on the one they are pooled on, such as its logarithm.
    """
    shown = EFFECTS[kind].scale.shown
    columns = {"k": pooled.k, "df": pooled.df, "effect": shown(pooled.estimate)}
    columns |= {name: shown(getattr(pooled, name)) for name in ("low", "high", "prediction_low", "prediction_high")}
    spread = ("std_error", "p", "tau2", "tau2_low", "tau2_high", "q", "q_p", "i2", "h2")
    columns |= {name: getattr(pooled, name) for name in spread}
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return tuple(Summary(**dict(zip(columns, row, strict=True))) for row in rows)


def diagnose(effect: Floats, variance: Floats, pooled: Pooled, leave_one_out: Pooled) -> dict[str, NDArray[Any]]:
    """Compare a summary μ with those without each of k tasks; without it, τ² is estimated again.

    Standard errors are those of `Pooled`. So what Knapp and Hartung multiply a variance by, s² = se² Σ w, is in them,
    and where a variance without a task is made of v + τ²₋ᵢ, it is multiplied by s² without that task.

    Parameters
    ----------
    effect, variance
        Shape `(k,)`: y and v of k > 1 tasks, none absent.
    pooled
        Shape `(1,)`: all tasks.
    leave_one_out
        Shape `(k,)`: row i lacks task i.

    Returns
    -------
    dict
        Shape `(k,)` each, mostly by the names of `TaskEffect`. "hat": hat value, the share of the task in the summary,
        w / Σ w. "studentised": externally studentised residual, the effect less the summary without it, in standard
        errors. "pearson": Pearson residual (y − μ) / √(v + τ²); its square is the part of the task in Q at τ².
        "dffits": by how many of its standard deviations, estimated without the task, μ moves when the task comes in.
        "cook": Cook's distance (μ − μ₋ᵢ)² / se². "covariance_ratio": se₋ᵢ² / se²; below 1, the summary is more precise
        without the task. "dfbetas": (μ − μ₋ᵢ) in standard errors that all tasks have with τ² of the others. "shift":
        (μ − μ₋ᵢ) / se₋ᵢ. "influential": by the usual rules, those of metafor: |DFFITS| > 3 √(1 / (k − 1)), Cook's
        distance above the median of χ² with 1 degree of freedom, hat value above 3 / k, or |DFBETAS| > 1.

    References
    ----------
    Viechtbauer & Cheung 2010, as `influence` and `baujat` of metafor compute it.

    Examples
    --------
    >>> from podium.comparison.pooling import pool
    >>> y, v = np.array([0.1, 0.2, 0.9]), np.full(3, 0.01)
    >>> rest = pool(np.where(np.eye(3), np.nan, y), np.broadcast_to(v, (3, 3)))
    >>> diagnose(y, v, pool(y[None], v[None]), rest)["studentised"].round(1).tolist()
    [-0.7, -0.4, 6.1]
    """
    from scipy.special import chdtr  # noqa: PLC0415  # slow to import

    k, hat = effect.size, pooled.weight[0]
    tau2, least = np.nan_to_num(pooled.tau2), np.nan_to_num(leave_one_out.tau2)  # of a single task there is none
    weight = 1 / (variance + least[:, None])  # (k, k): row i with τ² without task i
    others = np.where(np.eye(k, dtype=np.bool_), 0.0, weight).sum(axis=1)
    factor = leave_one_out.std_error**2 * others
    moved = pooled.estimate - leave_one_out.estimate
    spread = factor * (variance + least)
    of_mean = np.sqrt(spread * hat)
    dffits = np.divide(moved, of_mean, out=np.full_like(moved, np.nan), where=of_mean > 0)
    cook, dfbetas = (moved / pooled.std_error) ** 2, moved / np.sqrt(factor / weight.sum(axis=1))
    far = (np.abs(dffits) > 3 * np.sqrt(1 / (k - 1))) | (chdtr(1, cook) > 0.5)
    return {
        "hat": hat,
        "studentised": (effect - leave_one_out.estimate) / np.sqrt(spread + leave_one_out.std_error**2),
        "pearson": (effect - pooled.estimate) / np.sqrt(variance + tau2),
        "dffits": dffits,
        "cook": cook,
        "covariance_ratio": (leave_one_out.std_error / pooled.std_error) ** 2,
        "dfbetas": dfbetas,
        "shift": moved / leave_one_out.std_error,
        "influential": far | (hat > 3 / k) | (np.abs(dfbetas) > 1),
    }
