"""From effects on tasks to a meta-analysis: a summary of all tasks, of all but each, and of groups of them.

- Influence diagnostics: how far each task is from the others, and how far it moves their summary.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen
from podium.base.errors import MethodError
from podium.comparison.dependence import Clustering, Dependence, covariance_of, headings_of
from podium.comparison.effects import LEAST, Contrasts
from podium.comparison.moderators import Design, Values, moderate
from podium.comparison.moderators import notes_on as moderation_notes
from podium.comparison.note import doubts, influence_notes, left_out, notes_on
from podium.comparison.pooling import INTERVALS, Pooled, Pooling
from podium.comparison.result import EFFECTS, Beside, MetaAnalysis, Subgroup, Summary, TaskEffect
from podium.score.family import family_notes
from podium.score.table import Scores
from podium.score.task import Task

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Diagnostics(Frozen):
    """What each of k tasks does to a summary μ; shape `(k,)` each. "Without" it, τ² is estimated again.

    Attributes
    ----------
    hat
        Hat value: the share of the task in the summary, w / Σ w.
    studentised
        Externally studentised residual: the effect less the summary without it, in standard errors.
    pearson
        Pearson residual (y − μ) / √(v + τ²); its square is the part of the task in Q at τ².
    dffits
        By how many of its standard deviations, estimated without the task, μ moves when the task comes in.
    cook
        Cook's distance: (μ − μ₋ᵢ)² / se².
    covariance_ratio
        se₋ᵢ² / se²: below 1, the summary is more precise without the task.
    dfbetas
        (μ − μ₋ᵢ) in standard errors that all tasks have with τ² of the others.
    shift
        (μ − μ₋ᵢ) / se₋ᵢ.
    """

    hat: Floats
    studentised: Floats
    pearson: Floats
    dffits: Floats
    cook: Floats
    covariance_ratio: Floats
    dfbetas: Floats
    shift: Floats

    @property
    def influential(self) -> NDArray[np.bool_]:
        """Shape `(k,)`: by the usual rules, those of metafor.

        |DFFITS| > 3 √(1 / (k − 1)), Cook's distance above the median of χ² with 1 degree of freedom, hat value above
        3 / k, or |DFBETAS| > 1.
        """
        from scipy.special import chdtr  # noqa: PLC0415  # slow to import

        k = self.hat.size
        far = np.abs(self.dffits) > 3 * np.sqrt(1 / (k - 1))
        far |= np.asarray(chdtr(1, self.cook) > 0.5)
        moving: NDArray[np.bool_] = far | (self.hat > 3 / k) | (np.abs(self.dfbetas) > 1)
        return moving


def diagnose(
    effect: NDArray[np.float64], variance: NDArray[np.float64], pooled: Pooled, without: Pooled
) -> Diagnostics:
    """Compare a summary with those without each task.

    Standard errors are those of `Pooled`. So what Knapp and Hartung multiply a variance by, s² = se² Σ w, is in them,
    and where a variance without a task is made of v + τ²₋ᵢ, it is multiplied by s² without that task.

    Parameters
    ----------
    effect, variance
        Shape `(k,)`: y and v of k > 1 tasks, none absent.
    pooled
        Shape `(1,)`: all tasks.
    without
        Shape `(k,)`: row i lacks task i.

    References
    ----------
    Viechtbauer & Cheung 2010, as `influence` and `baujat` of metafor compute it.

    Examples
    --------
    >>> from podium.comparison.pooling import pool
    >>> y, v = np.array([0.1, 0.2, 0.9]), np.full(3, 0.01)
    >>> rest = pool(np.where(np.eye(3), np.nan, y), np.broadcast_to(v, (3, 3)))
    >>> diagnose(y, v, pool(y[None], v[None]), rest).studentised.round(1).tolist()
    [-0.7, -0.4, 6.1]
    """
    tau2, least = np.nan_to_num(pooled.tau2), np.nan_to_num(without.tau2)  # of a single task there is none
    weight = 1 / (variance + least[:, None])  # (k, k): row i with τ² without task i
    others = np.where(np.eye(effect.size, dtype=np.bool_), 0.0, weight).sum(axis=1)
    factor = without.std_error**2 * others
    moved = pooled.estimate - without.estimate
    spread = factor * (variance + least)
    hat = pooled.weight[0]
    of_mean = np.sqrt(spread * hat)
    return Diagnostics(
        hat=hat,
        studentised=(effect - without.estimate) / np.sqrt(spread + without.std_error**2),
        pearson=(effect - pooled.estimate) / np.sqrt(variance + tau2),
        dffits=np.divide(moved, of_mean, out=np.full_like(moved, np.nan), where=of_mean > 0),
        cook=(moved / pooled.std_error) ** 2,
        covariance_ratio=(without.std_error / pooled.std_error) ** 2,
        dfbetas=moved / np.sqrt(factor / weight.sum(axis=1)),
        shift=moved / without.std_error,
    )


#: Tasks up to which each is left out in turn; of more, one hardly matters, and it would take long.
_MANY = 500

#: The same where effects depend on each other: every analysis then takes a covariance matrix apart.
_MANY_DEPENDENT = 200

#: Standard errors by which a weighted mean may be off as its weights follow the effects; and so many for each instance
#: less, as the skewness of n normal differences is ± √(6 / n): three times what that does.
_OFF, _OFF_BY_CHANCE = 0.25, 8.0

_ALIKE = "differences are rare or skewed, so weights would depend on effects; tasks count as equally precise"

#: Heading of tasks that are in no group.
_OTHERS = "other tasks"

#: What a summary has by the variance that is robust over clusters.
_ROBUST = ("std_error", "freedom", "low", "high", "prediction_low", "prediction_high")


def synthesise(
    effect: Floats,
    variance: Floats,
    facts: Sequence[Mapping[str, Any]],
    *,
    kind: str,
    pooling: Pooling,
    headings: Mapping[str, str],
    moderators: Mapping[str, Values] | None = None,
    diagnostics: bool = False,
    control: str = "",
    treatment: str = "",
    beside: tuple[Beside, ...] = (),
    binary: bool = False,
    dependence: Dependence | None = None,
    weighed_by: Floats | None = None,
    notes: tuple[str, ...] = (),
    backend: str = "pyarrow",
) -> MetaAnalysis:
    """Join the steps: summarise all tasks, all but each, and each group; turn numbers to the scale they are shown on.

    Parameters
    ----------
    effect, variance
        Shape `(k,)`: on the scale they are pooled on.
    facts
        For each task, what else is known of it: fields of `TaskEffect`, with "task" at least.
    kind
        See `podium.pool`.
    pooling
        See `Pooling`.
    headings
        Of the subgroup of each task, as `group_tasks` gives them.
    moderators
        Properties of tasks that effects may depend on, see `podium.pool`.
    diagnostics
        Whether tables show what each task does to the summary.
    control, treatment, beside, binary, backend
        Of `MetaAnalysis`.
    dependence
        Of the effects on each other; None where they are independent.
    weighed_by
        Variances that they are pooled with; None for their own.
    notes
        Those that come before the ones on the summary.
    """
    names = [one["task"] for one in facts]
    clusters = {} if dependence is None else dependence.first_tasks(names)
    facts = [{**one, "group": headings.get(one["task"]), "cluster": clusters.get(one["task"])} for one in facts]
    weighed_by = variance if weighed_by is None else weighed_by
    summarise = Summarise(weighed_by, pooling, dependence)
    pooled = summarise(effect[None])  # (1, k): one analysis of all tasks
    (summary,) = _summaries(pooled, kind)
    groups = _subgroups(effect, [one["group"] for one in facts], summarise, kind)
    rest = _without(effect, summarise)
    without = () if rest is None else _summaries(rest, kind)
    if rest is not None and dependence is None:
        facts = _diagnosed(facts, diagnose(effect, weighed_by, pooled, rest))
    if moderators and dependence is not None:
        dependence.refuse_moderators()
    moderation = moderate(effect, weighed_by, Design.of(moderators, names), pooling, pooled) if moderators else None
    tasks = _task_effects(effect, variance, pooled.weight[0], facts, kind, pooling.confidence)
    how = pooling if dependence is None else replace(pooling, interval=dependence.interval(pooling))
    return MetaAnalysis(
        control=control,
        treatment=treatment,
        kind=kind,
        estimator=pooling.estimator,
        interval=how.interval,
        confidence=pooling.confidence,
        tasks=tasks,
        summary=summary,
        without=without,
        subgroups=groups.summaries,
        between_q=groups.between_q,
        between_p=groups.between_p,
        moderation=moderation,
        diagnostics=diagnostics,
        beside=beside,
        binary=binary,
        dependence=None if dependence is None else dependence.record(names),
        notes=(
            *notes,
            *(() if dependence is None else dependence.notes(names, pooled)),
            *groups.notes,
            *notes_on(summary, tasks, without, EFFECTS[kind].null, how, weighed_by),
            *influence_notes(tasks),
            *(moderation_notes(moderation, weighed_by, pooling) if moderation else ()),
        ),
        backend=backend,
    )


def analyse(
    contrasts: Contrasts,
    treatment: str,
    pooling: Pooling,
    headings: Mapping[str, str],
    beside: Mapping[str, Scores] | None,
    *,
    clustering: Clustering,
    moderators: Mapping[str, Values] | None = None,
    diagnostics: bool = False,
) -> tuple[MetaAnalysis, list[str]]:
    """Pool the tasks on which a treatment can be compared with the control; also return the notes on others.

    Raises
    ------
    MethodError
        There is no such task.
    """
    scores, systems = contrasts.scores, (contrasts.control, treatment)
    control_row, row = (scores.systems.index(label) for label in systems)
    _refuse_undefined(contrasts, row)
    contrasts, alike = _alike(contrasts, row, control_row, pooling)
    kept, missing = contrasts.kept(row), left_out(contrasts, row)
    if not kept:
        raise MethodError(
            f"{treatment!r} cannot be compared with {contrasts.control!r} on any task: {'; '.join(missing)}"
        )
    tasks = [one.task for one in kept]
    effect, variance = (np.array([getattr(one.sizes, name)[row] for one in kept]) for name in ("effect", "variance"))
    if not np.isfinite(effect + variance).all():
        name = tasks[int(np.argmin(np.isfinite(effect + variance)))].name
        raise MethodError(f"scores of task {name!r} are too large to be compared; divide them all by the largest")
    weighed_by = np.full_like(variance, variance.mean()) if alike else variance
    covariance = covariance_of(contrasts, row) if clustering.detect and contrasts.shared else None
    if covariance is not None:
        covariance = covariance.with_variance(weighed_by)
    noted = family_notes([task for task in tasks if task.name in clustering.families]) if clustering.robust else []
    if noted and moderators:
        raise MethodError(
            "moderators take effects as independent, and tasks of one family are not; keep one task of each (--tasks), "
            "or, if they are none, use families=False (--family none)"
        )
    analysis = synthesise(
        effect,
        variance,
        [one.facts(row, control_row) for one in kept],
        kind=contrasts.kind,
        pooling=pooling,
        headings=headings,
        moderators=moderators,
        diagnostics=diagnostics,
        control=contrasts.control,
        treatment=treatment,
        beside=tuple(_beside(name, other, systems, tasks) for name, other in (beside or {}).items()),
        binary=all(one.binary for one in kept),
        dependence=clustering.dependence([task.name for task in tasks], weighed_by, covariance),
        weighed_by=weighed_by,
        notes=(
            *scores.notes,
            *([_ALIKE] if alike else []),
            *missing,
            *doubts(contrasts, row),
            *clustering.notes(contrasts.shared),
            *noted,
        ),
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
    for one in contrasts.tasks if contrasts.kind == "smd" else ():
        constant = one.pairs.n[row] >= LEAST["smd"] and one.pairs.mean_variance[row] == 0
        if constant and one.pairs.difference[row] != 0 and one.task.weight > 0:
            treatment, others = contrasts.scores.systems[row], all(other.binary for other in contrasts.tasks)
            way = "effect 'md' or 'rd' (--effect md, --effect rd)" if others else "effect 'md' (--effect md)"
            raise MethodError(
                f"on every instance of task {one.task.name!r}, {treatment!r} has one score and {contrasts.control!r} "
                f"another, so no standard deviation says how large the difference is; use {way}"
            )


def _alike(contrasts: Contrasts, row: int, control_row: int, pooling: Pooling) -> tuple[Contrasts, bool]:
    """Whether tasks count as equally precise, as weights would follow effects; then also those without a difference.

    The mean of skewed differences goes with their variance, cov(D, V) = m₃ / n², also between tasks: variances of rare
    failures grow with their share by m₃ / s² per unit of D. With ρ = Σ m₃ / Σ s² over tasks, and weights h = w / Σ w by
    DerSimonian and Laird's τ², the weighted mean is off by ρ Σ h v / s².
    """
    kept = contrasts.kept(row)
    if contrasts.kind not in {"md", "rd"} or pooling.interval != INTERVALS[0] or not kept:
        return contrasts, False
    effect, variance = (np.array([getattr(one.sizes, name)[row] for one in kept]) for name in ("effect", "variance"))
    squares = np.array([one.pairs.difference_variance[row] for one in kept])
    if not (squares.any() and np.isfinite(effect + variance).all()):
        return contrasts, False
    unit = np.sqrt(squares.max())  # in these no square is too large for a number
    effect, variance, squares = effect / unit, variance / unit / unit, squares / unit / unit
    size = abs(float(np.average([one.lean(row, control_row) for one in kept], weights=squares))) / unit
    n = np.array([one.pairs.n[row] for one in kept])
    found = Pooling("dl", "normal", pooling.confidence).summarise(effect[None], variance, profile=False)
    share = float(found.weight[0] @ np.divide(variance, squares, out=1 / n, where=squares > 0))  # 1 / n on average
    constant = [one.constant(row) for one in contrasts.tasks]
    if size * share <= max(_OFF, _OFF_BY_CHANCE * share) * found.std_error[0] or len(kept) + sum(constant) < 2:
        return contrasts, False
    tasks = [
        one.without_difference(row, size * unit) if same else one
        for one, same in zip(contrasts.tasks, constant, strict=True)
    ]
    return replace(contrasts, tasks=tuple(tasks)), True


def _beside(name: str, scores: Scores, systems: Sequence[str], tasks: Sequence[Task]) -> Beside:
    """Means of another measure, on the tasks of an analysis; NaN where it has none."""
    there = {task.name: task for task in scores.tasks}
    rows = [scores.systems.index(label) if label in scores.systems else None for label in systems]
    means = [tuple(_mean(there.get(task.name), row) for task in tasks) for row in rows]
    return Beside(name, *means)


def _mean(task: Task | None, row: int | None) -> float:
    if task is None or row is None or not task.scored[row]:
        return float("nan")
    return float(np.nansum(task.values[row], dtype=np.float64) / task.scored[row])


def group_tasks(tasks: Sequence[str], groups: Mapping[str, Sequence[str]] | None) -> dict[str, str]:
    """Heading of each task, "other tasks" for those in no group; nothing where there are no groups.

    Raises
    ------
    LabelError
        A group names a task that is not there, or two groups name the same.

    Examples
    --------
    >>> group_tasks(["mnli", "rte", "sst2"], {"inference": ["mnli", "rte"]})
    {'mnli': 'inference', 'rte': 'inference', 'sst2': 'other tasks'}
    """
    headings = headings_of("group", tasks, groups)
    return {task: headings.get(task, _OTHERS) for task in tasks} if groups else {}


def _task_effects(  # noqa: PLR0917  # columns of a table
    effect: Floats, variance: Floats, weight: Floats, facts: Sequence[Mapping[str, Any]], kind: str, confidence: float
) -> tuple[TaskEffect, ...]:
    """One effect a task, each with a normal interval of its own."""
    # (k, 1): as many analyses, each of one task
    own = Pooling("fixed", "normal", confidence).summarise(effect[:, None], variance[:, None], profile=False)
    shown, p = _SHOWN[EFFECTS[kind].pooled_as], own.p
    return tuple(
        TaskEffect(
            **of_task,
            effect=shown(effect[row]),
            variance=float(variance[row]),
            low=shown(own.low[row]),
            high=shown(own.high[row]),
            p=float(p[row]),
            weight=float(weight[row]),
        )
        for row, of_task in enumerate(facts)
    )


def _summaries(pooled: Pooled, kind: str) -> tuple[Summary, ...]:
    """One of each analysis, shape `(A,)`.

    A summary has two scales: effect and intervals are on the one they are shown on, such as an odds ratio; what tells
    of their spread stays on the one they are pooled on, such as its logarithm.
    """
    shown = _SHOWN[EFFECTS[kind].pooled_as]
    ends = ("low", "high", "prediction_low", "prediction_high")
    shown_scale = {"effect": pooled.estimate} | {name: getattr(pooled, name) for name in ends}
    spread = ("std_error", "p", "tau2", "tau2_low", "tau2_high", "q", "q_p", "i2", "h2")
    pooled_scale = {name: getattr(pooled, name).tolist() for name in spread}
    return tuple(
        Summary(
            k=int(k),
            df=float(pooled.freedom[row]),
            **{name: shown(values[row]) for name, values in shown_scale.items()},
            **{name: values[row] for name, values in pooled_scale.items()},
        )
        for row, k in enumerate(pooled.k)
    )


@dataclass(frozen=True, slots=True, eq=False)
class Summarise:
    """How rows of effects, shape `(A, k)` with NaN where a task is absent, are pooled: as they depend on each other.

    Attributes
    ----------
    variance
        Shape `(k,)`.
    pooling
        Estimator, interval, confidence.
    dependence
        Of the effects on each other; None where they are independent.
    """

    variance: Floats
    pooling: Pooling
    dependence: Dependence | None

    def __call__(self, effect: Floats) -> Pooled:
        """Pool."""
        if self.dependence is not None:
            return self.dependence.summarise(effect, self.pooling)
        return self.pooling.summarise(effect, self.variance)

    def between(self, of_group: Floats) -> tuple[float, float]:
        """Cochran's Q of the summaries of groups, and its p-value."""
        if self.dependence is not None:
            return self.dependence.between(of_group, self.pooling)
        # Cochran's Q takes variances as known, which Knapp–Hartung's, estimated from few tasks, are not.
        known = replace(self.pooling, interval="normal").summarise(of_group, self.variance, profile=False)  # (G, k)
        between = replace(self.pooling, estimator="fixed", interval="normal").summarise(
            known.estimate, known.std_error**2, profile=False
        )  # (G,): one analysis, whose tasks are the summaries of the groups
        return float(between.q), float(between.q_p)


def _without(effect: Floats, summarise: Summarise) -> Pooled | None:
    """Leave each task out in turn: as many analyses, pooled at once; None where there is one task, or too many."""
    if not 1 < effect.size <= (_MANY if summarise.dependence is None else _MANY_DEPENDENT):
        return None
    all_but_one = np.where(np.eye(effect.size, dtype=np.bool_), np.nan, effect)
    rest = summarise(all_but_one)  # (k, k): row i lacks task i
    if summarise.dependence is None:
        return rest
    # Where one cluster is left, the interval would be another kind than that of the summary.
    apart = ~summarise.dependence.confined(all_but_one)
    return replace(rest, **{name: np.where(apart, getattr(rest, name), np.nan) for name in _ROBUST})


def _diagnosed(facts: Sequence[Mapping[str, Any]], found: Diagnostics) -> list[dict[str, Any]]:
    """Add to what is known of each task what it does to the summary."""
    names = ("hat", "studentised", "pearson", "dffits", "cook", "covariance_ratio", "shift", "influential")
    rows = zip(*(getattr(found, name).tolist() for name in names), strict=True)
    return [{**of_task, **dict(zip(names, row, strict=True))} for of_task, row in zip(facts, rows, strict=True)]


@dataclass(frozen=True, slots=True)
class _Groups:
    """Summaries of groups, Cochran's Q of them with its p-value, and what to know of them."""

    summaries: tuple[Subgroup, ...] = ()
    between_q: float = float("nan")
    between_p: float = float("nan")
    notes: tuple[str, ...] = ()


def _subgroups(effect: Floats, grouped: Sequence[str | None], summarise: Summarise, kind: str) -> _Groups:
    """Summarise every group by itself, and ask by Cochran's Q of the summaries whether groups differ."""
    names = sorted(dict.fromkeys(name for name in grouped if name is not None), key=lambda name: name == _OTHERS)
    if not names:
        return _Groups()
    of_group = np.where([[name == group for name in grouped] for group in names], effect, np.nan)
    summaries = _summaries(summarise(of_group), kind)  # (G, k): one analysis a group, its own tasks
    dependence = summarise.dependence
    notes = [] if dependence is None else dependence.group_notes(names, of_group)
    return _Groups(tuple(map(Subgroup, names, summaries)), *summarise.between(of_group), tuple(notes))


def _ratio(logarithm: Any) -> float:
    """Infinite where it is too large for a number."""
    with np.errstate(over="ignore"):
        return float(np.exp(logarithm))


#: From the scale effects are pooled on to the one they are shown on.
_SHOWN: dict[str, Callable[[Any], float]] = {"effect": float, "Fisher z": lambda z: float(np.tanh(z)), "log": _ratio}
