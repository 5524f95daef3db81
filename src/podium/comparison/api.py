"""Compare systems with a control: pair their scores by instance, measure effects on every task, pool them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from podium.base.check import Rng, check_confidence, check_threads, checked_number, is_one_of, seed_of, texts
from podium.base.errors import InputError, MethodError, nearest
from podium.base.parallel import Progress
from podium.base.statistics import benjamini_hochberg, holm
from podium.base.words import Doubt
from podium.comparison.contrast import Contrasts, against_control, contrast, refuse_pooling
from podium.comparison.dependence import Covariance
from podium.comparison.effects import EFFECTS, EffectName, check_effect
from podium.comparison.margin import margins_of
from podium.comparison.moderators import Values
from podium.comparison.note import ONE_TASK, common_notes, on_runs, on_two_answers
from podium.comparison.pooling import IntervalName, Pooling
from podium.comparison.random_effects import EstimatorName
from podium.comparison.read import given_effects
from podium.comparison.result import Comparison, Comparisons, MetaAnalysis
from podium.comparison.suite import suite_effect
from podium.comparison.synthesis import KnownEffects, Synthesis, analyse, synthesise
from podium.comparison.task_tests import TaskComparison, compare_treatments
from podium.score.crossed import shared
from podium.score.family import family_names
from podium.score.prediction_powered import powered
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Said of a comparison by several prompts.
_OF_PROMPTS = Doubt(
    "the mean over these tasks is for other items and other prompts; single and other tasks are by these prompts"
)


@keywords
def compare(
    scores: "ScoresLike",
    control: str | None = None,
    treatment: str | None = None,
    *,
    effect: EffectName = "md",
    estimator: EstimatorName | None = None,
    interval: IntervalName | None = None,
    confidence_level: float = 0.95,
    like: Literal["ranger"] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    cluster: Mapping[str, Sequence[str]] | None = None,
    moderators: Mapping[str, Mapping[str, float | str]] | None = None,
    diagnostics: bool = False,
    beside: Mapping[str, "ScoresLike"] | None = None,
    margin: float | str | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Comparison:
    """Measure how much better a treatment is than a control on every task, and over all tasks together.

    Scores are paired by instance: instances with a score for only one of the two are left out, and a note says
    how many. Where lower is better, scores change their sign, so that a positive effect is always better for the
    treatment. A table of one score per task is compared by `podium.compare_task_scores`, as no variance is known then.

    Parameters
    ----------
    scores
        The table, or what becomes one, see `podium.ScoresLike`. Directions and instance weights are its own; a task of
        weight 0 is left out. Other task weights are not used: tasks with a more precise effect count more. Where
        instances are in clusters,
        variances are those of whole clusters, see `podium.comparison.effects.design_effect`.
    control, treatment
        Names of two systems, or patterns or parts of names that only one system has. Of a table of two systems the
        first is the control; of a larger one every other system is compared with the control if no treatment is named,
        as by `podium.compare_all`.
    effect
        "md": difference of means, in the units of the metric; "smd": the same in standard deviations (Hedges' g), for
        tasks with different metrics; "corr": correlation of the scores, for example with a gold standard as control;
        of 0/1 scores "rd": risk difference, and "or": odds ratio of the instances on which only one is right.
        See `podium.comparison.effects.effect_sizes`.
    estimator
        Of the variance between tasks: "reml" (default), "dl", "pm", or "fixed" for none; see
        `podium.comparison.pooling.pool`.
    interval
        "satterthwaite" (default), "adhoc", "knapp-hartung" or "normal"; see `podium.comparison.pooling.pool`. By
        default tasks count as equally precise if weights would depend on effects, as with rare failures.
    confidence_level
        Of every interval, between 0 and 1.
    like
        "ranger": as Sertkan et al. 2023 compute it: DerSimonian–Laird, normal, variances divided by n; but τ² is never
        below 0, as theirs may be.
    groups
        Headings and the tasks (labels or globs) below each, to be summarised by themselves too.
    cluster
        Names of clusters and the tasks (labels or globs) in each, whose true effects may be related; the interval is
        then robust (CR2, see `podium.comparison.dependence.robust_variance`). Tasks that share instances, by label, are
        one cluster anyway, and their covariance is used, see `podium.comparison.dependence.covariance_of`.
    moderators
        Properties of tasks that effects may depend on, by name: for every task a number, or a text that says which
        group it is in; see `podium.comparison.moderators.regress`.
    diagnostics
        Whether tables also show what each task does to the summary, see
        `podium.comparison.synthesis.diagnose`; `MetaAnalysis.tasks` has these numbers either way.
    beside
        Other measures of the same systems and tasks, whose means are shown beside the effects.
    margin
        How much worse is still as good, for a verdict on these tasks: in the units of the scores, or in percent of
        their scale ("1%").
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Returns
    -------
    Comparison
        A `MetaAnalysis` with two answers: `suite`, for other questions of these tasks, see
        `podium.comparison.suite.suite_effect`; and `summary`, for other tasks like these. Of several treatments
        `Comparisons`; of one score per task a `podium.comparison.task_tests.TaskComparison`.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    LabelError
        There is no such system, or a group or cluster names a task that is not there.
    MethodError
        The same system twice; all tasks in one cluster; "rd" or "or" of scores other than 0 and 1; "smd" if both
        systems are constant on a task, and differ; no task with enough common instances; an effect, estimator, interval
        or confidence that makes no sense; or, of one score per task, one that is not used.
    ConvergenceError
        The variance between tasks was not found.

    References
    ----------
    Sertkan, Althammer & Hofstätter 2023, §3.1; Borenstein et al. 2009.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 6, 200, dispersion=0.3, rng=0).scores
    >>> analysis = podium.compare(scores, "system 1", "system 2", effect="smd")
    >>> analysis.summary.low < analysis.summary.effect < analysis.summary.high
    True
    """
    pooling = Pooling.of(estimator, interval, confidence_level, like, cluster)
    scores, others = _checked(scores, effect, beside, n_jobs, reading)
    control, treatment = against_control(scores, control, treatment)
    options: dict[str, Any] = {"estimator": estimator, "interval": interval, "like": like, "groups": groups}
    options |= {"cluster": cluster, "moderators": moderators, "beside": beside}
    alone = {"diagnostics": diagnostics, "margin": margin is not None}
    if scores.task_level:
        return _of_task_scores(scores, (control, treatment), effect, confidence_level, {**options, **alone})
    if treatment is None:
        if any(alone.values()):
            raise MethodError(
                "diagnostics= and margin= are about one comparison; name the treatment=, or leave them out"
            )
        options |= {"confidence_level": confidence_level, "n_jobs": n_jobs, "progress": progress}
        return compare_all(scores, control=control, effect=effect, **options)
    properties = {"moderators": moderators, "diagnostics": diagnostics, "beside": others}
    how = Synthesis.of(scores.task_names, pooling, groups, cluster, family_names(scores.tasks), **properties)
    people, bought = _by_people(scores, control, treatment, effect)
    contrasts = contrast(people, control, effect, ddof=0 if pooling.ranger else 1, jobs=n_jobs, progress=progress)
    analysis, _ = _measured(contrasts, treatment, how, scores, bought)
    if analysis.suite is None:
        if margin is not None:
            raise MethodError(f"margin= (--margin) is in units of the scores, and effect {effect!r} is not; use 'md'")
        return analysis
    notes = [note for note in analysis.notes if note != ONE_TASK]  # the verdict says it
    notes += [*on_two_answers(analysis.suite, analysis.summary, analysis.tasks), *on_runs([analysis.suite])]
    accepted = None if margin is None else margins_of(margin, scores.select(systems=[control, treatment]))[0]
    return replace(analysis, margin=accepted, notes=tuple(notes))


@keywords
def compare_all(
    scores: "ScoresLike",
    control: str | None = None,
    *,
    effect: EffectName = "md",
    estimator: EstimatorName | None = None,
    interval: IntervalName | None = None,
    confidence_level: float = 0.95,
    like: Literal["ranger"] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    cluster: Mapping[str, Sequence[str]] | None = None,
    moderators: Mapping[str, Mapping[str, float | str]] | None = None,
    beside: Mapping[str, "ScoresLike"] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Comparisons | TaskComparison:
    """Compare every other system with one control.

    Parameters
    ----------
    scores, control, effect, estimator, interval, confidence_level, like, groups, cluster, moderators, beside, n_jobs
        As for `compare`.
    progress
        As for `compare`. Systems are counted a few at a time, together with the control.

    Returns
    -------
    Comparisons
        Best first, by the difference on these tasks if that is known, with p-values adjusted for their number by Holm
        and by Benjamini–Hochberg. A system that has no task in common with the control is left out, and the notes say
        so. Or, of one score per task,
        `podium.comparison.task_tests.TaskComparison`.

    Raises
    ------
    PodiumError
        As for `compare`; or no system can be compared.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 6, 200, dispersion=1.0, rng=0).scores
    >>> podium.compare_all(scores, control="system 1", effect="smd").analyses[0].treatment
    'system 3'
    """
    pooling = Pooling.of(estimator, interval, confidence_level, like, cluster)
    scores, others = _checked(scores, effect, beside, n_jobs, reading)
    control, _ = against_control(scores, control, None)
    if scores.task_level:
        asked: dict[str, object] = {"estimator": estimator, "interval": interval, "like": like, "groups": groups}
        asked |= {"cluster": cluster, "moderators": moderators, "beside": beside}
        return _of_task_scores(scores, (control, None), effect, confidence_level, asked)
    properties = {"moderators": moderators, "beside": others}
    how = Synthesis.of(scores.task_names, pooling, groups, cluster, family_names(scores.tasks), **properties)
    count = partial(contrast, kind=effect, ddof=0 if pooling.ranger else 1, jobs=n_jobs, progress=progress)
    every = None if scores.human or scores.prompts else count(scores, control)
    analyses, missing, failed = [], {}, {}
    for treatment in scores.systems:
        if treatment == control:
            continue
        try:
            people, bought = _by_people(scores, control, treatment, effect) if every is None else (scores, ())
            found, missing[treatment] = _measured(every or count(people, control), treatment, how, scores, bought)
            analyses.append(found)
        except (InputError, MethodError) as error:
            failed[treatment] = error
    if not analyses:
        raise next(iter(failed.values()), MethodError(f"there is no system other than the control {control!r}"))
    analyses.sort(key=lambda one: (-(one.suite or one.summary).effect, one.treatment))
    p = [one.summary.p for one in analyses]
    bought = powered(scores).notes[:1] if scores.human else ()
    suites = [one.suite for one in analyses if one.suite is not None]
    return Comparisons(
        control=control,
        analyses=tuple(analyses),
        holm=holm(p),
        benjamini_hochberg=benjamini_hochberg(p),
        notes=(*bought, *common_notes(analyses, missing, list(failed), grouped=bool(how.groups)), *on_runs(suites)),
        backend=scores.backend,
    )


@keywords
def compare_task_scores(
    scores: "ScoresLike",
    *,
    control: str | None = None,
    treatment: str | None = None,
    rope: float | None = None,
    confidence_level: float = 0.95,
    rng: Rng = 0,
    **reading: Unpack[ReadingOptions],
) -> TaskComparison:
    """Compare systems with a control on a table of one score per task, by paired tests over tasks.

    With d the differences over tasks that score both, positive where the treatment is better: the sign test, which
    drops ties; Wilcoxon's signed-rank test, which drops differences of 0, both exact; the mean difference with
    Student's paired interval d̄ ± t s / √n; and the Bayesian signed-rank test, from six tasks on. The last two add
    over tasks, so they need a common scale. Tasks of one family (see `podium.score.family.family_names`) count once, by
    the mean of their differences; in Friedman's test, by the order of their mean ranks. `podium.compare` uses this
    function for such tables.

    Parameters
    ----------
    scores
        One score of each system on each task. Directions and the tie tolerance are its own; a task of weight 0 is left
        out, and other weights are not used. A task is left out of a comparison where one of the two has no score.
    control
        Name of a system, or a pattern or a part of it that no other has; of two systems by default the first.
    treatment
        The same of another; None for every other system, whose p-values are then adjusted by Holm and by
        Benjamini–Hochberg, and with Friedman's test, see `podium.comparison.rank_tests.friedman`.
    rope
        Differences up to this are practically equal (region of practical equivalence), in the units of the scores;
        giving it says that all tasks have one scale. None for 1% of the scale if all scores are shares (up to 1)
        or all are percent (up to 100) with one direction; otherwise nothing is added over tasks, and a note says so.
    confidence_level
        Of intervals, between 0 and 1.
    rng
        Of the Bayesian test, any whole number.

    Returns
    -------
    TaskComparison

    Raises
    ------
    InputError
        `scores` is no score table.
    LabelError
        There is no such system.
    MethodError
        The scores are of instances, the same system is named twice, fewer than two tasks score both, or rope,
        confidence or seed make no sense.

    References
    ----------
    Demšar, JMLR 7, 2006; Benavoli, Corani, Demšar & Zaffalon, JMLR 18, 2017.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(2, 8, 1, dispersion=2.0, rng=0).scores
    >>> tests = podium.compare_task_scores(scores, control="system 1", treatment="system 2", rope=0.5).treatments[0]
    >>> tests.wins, tests.losses, round(tests.sign_p, 3), round(tests.wilcoxon_p, 3)
    (8, 0, 0.008, 0.008)
    """
    seed = seed_of(rng)
    scores = as_scores(scores, **reading)
    check_confidence(confidence_level)
    if rope is not None:
        rope = checked_number("rope", rope)
    if not scores.task_level:
        raise MethodError("these scores are of instances, which say more than their means; use podium.compare")
    control, treatment = against_control(scores, control, treatment)
    others = [label for label in scores.systems if label != control] if treatment is None else [treatment]
    if not others:
        raise MethodError(f"there is no system other than the control {control!r}")
    return compare_treatments(scores, control, others, rope=rope, confidence=confidence_level, seed=seed)


@keywords
def pool(
    effects: ArrayLike,
    variances: ArrayLike,
    *,
    tasks: Sequence[str] | None = None,
    kind: EffectName | Literal["given"] = "given",
    n: Sequence[int | None] | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    cluster: Mapping[str, Sequence[str]] | None = None,
    moderators: Mapping[str, Values] | None = None,
    diagnostics: bool = False,
    estimator: EstimatorName | None = None,
    interval: IntervalName | None = None,
    confidence_level: float = 0.95,
    like: Literal["ranger"] | None = None,
    notes: Sequence[str] = (),
) -> MetaAnalysis:
    """Pool effects that are known already, each with its sampling variance.

    Parameters
    ----------
    effects, variances
        Shape `(k,)`: on the scale they are pooled on: Fisher's z for kind "corr", logarithms for "or". Variances may be
        a matrix, shape `(k, k)`, with the covariances of the effects, which are then pooled by generalised least
        squares, see `podium.comparison.dependence.pool_dependent`.
    tasks
        The k labels; by default "task 1", …
    kind
        What they are, of `podium.comparison.effects.EFFECTS`: "given", or "md", "smd", "corr", "rd", "or".
    n
        Numbers of instances, which are only shown.
    groups
        Headings and the tasks (labels or globs) below each, to be summarised by themselves too.
    cluster
        Names of clusters and the tasks (labels or globs) in each, whose effects may be related; the interval is then
        robust (CR2, see `podium.comparison.dependence.robust_variance`). Tasks with a covariance are one cluster,
        too.
    moderators
        Properties of tasks that effects may depend on, by name: k numbers, or k texts that say which group a task is
        in; or these by task. See `podium.comparison.moderators.regress`.
    diagnostics
        Whether tables also show what each task does to the summary, see
        `podium.comparison.synthesis.diagnose`; `MetaAnalysis.tasks` has these numbers either way.
    estimator
        Of the variance between tasks: "reml" (default), "dl", "pm", or "fixed" for none.
    interval
        "satterthwaite" (default), "adhoc", "knapp-hartung" or "normal"; see `podium.comparison.pooling.pool`.
    confidence_level
        Of every interval, between 0 and 1.
    like
        "ranger": DerSimonian–Laird with normal intervals, as Sertkan et al. 2023 print; but τ² is never below 0, as
        theirs may be.
    notes
        What to know before trusting the effects, in words.

    Returns
    -------
    MetaAnalysis

    Raises
    ------
    InputError
        Effects, variances, labels and numbers are not as many, not finite, or too large; or a variance is less than
        10⁻⁶⁰; or a matrix of covariances is not symmetric, or has no inverse; or a moderator has no value for a task.
    LabelError
        A group or cluster names a task that is not there, or two of them name the same.
    MethodError
        There is no such kind, estimator or interval, or the confidence is not between 0 and 1; all tasks are in one
        cluster; or a moderator is the same on all tasks, follows from others, needs more tasks, or is given where tasks
        depend on each other.

    References
    ----------
    Sertkan et al. 2023, Eq. 9–12; Viechtbauer 2005; Knapp & Hartung 2003.

    Examples
    --------
    >>> import podium
    >>> podium.pool([-0.026, -0.020, 0.113], [1e-5, 2e-4, 3e-3], tasks=["mnli", "mrpc", "wnli"]).summary.k
    3
    """
    pooling = Pooling.of(estimator, interval, confidence_level, like, cluster)
    if not is_one_of(kind, EFFECTS):
        raise MethodError(f"there is no kind of effect {kind!r}; {nearest(str(kind), EFFECTS)}")
    y, v, labels, instances = given_effects(effects, variances, tasks, n)
    covariance = Covariance.given(v) if v.ndim == 2 else None
    v = np.diagonal(v) if v.ndim == 2 else v
    how = Synthesis.of(labels, pooling, groups, cluster, moderators=moderators, diagnostics=diagnostics)
    facts = [{"task": label, "n": number} for label, number in zip(labels, instances, strict=True)]
    return synthesise(KnownEffects(y, v, facts, kind, covariance, v), how, texts("note", notes))


def _checked(
    scores: ScoresLike, effect: str, beside: Mapping[str, ScoresLike] | None, jobs: int | None, reading: ReadingOptions
) -> tuple[Scores, dict[str, Scores]]:
    """Check what both ways to compare have in common; return the scores, and those of other measures.

    Raises
    ------
    PodiumError
        As `podium.compare` says.
    """
    scores = as_scores(scores, human=True, prompts=True, **reading)
    if beside is not None and not isinstance(beside, Mapping):
        raise InputError(f"beside is {type(beside).__name__}; give other measures by name, as in {{'BLEU': scores}}")
    others = {str(name): as_scores(other) for name, other in (beside or {}).items()}
    check_threads(jobs)
    check_effect(effect)
    return scores, others


def _measured(
    contrasts: Contrasts, treatment: str, how: Synthesis, scores: Scores, bought: Sequence[str] = ()
) -> tuple[MetaAnalysis, list[str]]:
    """Pool what is counted, and measure the difference on these tasks; also return the notes on tasks left out."""
    found, missing = analyse(contrasts, treatment, how)
    suite, counted = None, contrasts.scores
    if EFFECTS[found.kind].on_suite:
        table = scores if scores.human else counted
        suite = suite_effect(table, found.control, treatment, confidence=how.pooling.confidence)
    return replace(found, metric=counted.metric, suite=suite, notes=(*found.notes, *bought)), missing


def _by_people(scores: Scores, control: str, treatment: str, effect: str) -> tuple[Scores, tuple[str, ...]]:
    """Return the scores of two systems, and nothing; estimates of what people would say; or what prompts share.

    Raises
    ------
    MethodError
        The effect is not a difference of means.
    """
    rows = [scores.systems.index(control), scores.systems.index(treatment)]
    if not (scores.human or scores.prompts):
        return scores.take(sorted(rows)), ()
    if effect != "md":
        what = "human scores, of which means are estimated" if scores.human else "other prompts"
        raise MethodError(f"effect {effect!r} is not known of {what}; use 'md'")
    if scores.prompts:
        whole, notes = shared(scores.take(rows))
        return whole, (*notes, _OF_PROMPTS) if whole.prompts else tuple(notes)
    found = powered(scores.take(rows), paired=True)
    return found.table, found.notes


def _of_task_scores(
    scores: Scores, roles: tuple[str, str | None], effect: str, confidence: float, asked: Mapping[str, object]
) -> TaskComparison:
    """Test one score per task; refuse what has been asked for and needs the variance of an effect."""
    refuse_pooling({f"effect {effect!r}": effect != "md", **asked})
    return compare_task_scores(scores, control=roles[0], treatment=roles[1], confidence_level=confidence)
