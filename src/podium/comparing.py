"""Compare systems with a control: pair their scores by instance, measure effects on every task, pool them."""

from collections.abc import Mapping, Sequence

from podium.arguments import check_scores, check_threads
from podium.comparisons import Comparisons
from podium.contrasts import contrast
from podium.effects import EFFECT_SIZES, benjamini_hochberg, holm
from podium.engine import Progress
from podium.errors import LabelError, MethodError, nearest
from podium.meta_analyses import MetaAnalysis
from podium.scores import Scores
from podium.synthesis import Pooling, group_tasks
from podium.wording import few

__all__ = ["compare", "compare_all"]

#: Said where a table of treatments has no place for groups.
_GROUPED = "summaries of groups are in `analyses`, and in the JSON"


def compare(
    scores: Scores,
    *,
    control: str,
    treatment: str,
    effect: str = "md",
    estimator: str | None = None,
    interval: str | None = None,
    confidence: float = 0.95,
    like: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    beside: Mapping[str, Scores] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> MetaAnalysis:
    """Measure how much better a treatment is than a control on every task, and what that amounts to.

    Scores are paired by instance: instances scored for one of the two only are left out, counted and said. Where
    lower is better, scores are turned, so that a positive effect is always better for the treatment.

    Parameters
    ----------
    scores
        The table, with instances. Directions and instance weights are its own; a task of weight 0 is left out, and
        other task weights are not used, for tasks are weighed by how precisely they are known.
    control, treatment
        Labels of two systems.
    effect
        "md": difference of means, in the units of the metric; "smd": the same in standard deviations (Hedges' g), for
        tasks with different metrics; "corr": correlation of the scores, for example with a gold standard as control;
        of 0/1 scores "rd": risk difference, and "or": odds ratio of the instances on which only one is right.
        See `podium.effects.effect_sizes`.
    estimator
        Of the variance between tasks: "reml" (default), "dl", "pm", or "fixed" for none; see `podium.effects.pool`.
    interval
        "knapp-hartung" (default), which heeds how few tasks there are, or "normal".
    confidence
        Of every interval, between 0 and 1.
    like
        "ranger": as Sertkan et al. 2023 compute it: DerSimonian–Laird, normal, variances divided by n.
    groups
        Headings and the tasks (labels or globs) below each, to be summarised by themselves too.
    beside
        Other measures of the same systems and tasks, whose means are shown beside the effects.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Returns
    -------
    MetaAnalysis

    Raises
    ------
    InputError
        What is passed are no scores.
    LabelError
        There is no such system, or a group names a task that is not there.
    MethodError
        The same system twice; scores of tasks instead of instances; "rd" or "or" of other than 0/1 scores; no task with
        enough common instances; or an effect, estimator, interval or confidence that makes no sense.
    ConvergenceError
        The variance between tasks was not found.

    References
    ----------
    Sertkan, Althammer & Hofstätter 2023, §3.1; Borenstein et al. 2009.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(3, 6, 200, dispersion=0.3, rng=0).scores
    >>> analysis = podium.compare(scores, control="system 1", treatment="system 2", effect="smd")
    >>> analysis.summary.low < analysis.summary.effect < analysis.summary.high
    True
    """
    pooling = Pooling.of(estimator, interval, confidence, like)
    _check(scores, control, effect, beside, threads)
    headings = group_tasks(scores.task_names, groups)
    _check_system(scores, "treatment", treatment)
    if treatment == control:
        raise MethodError(f"control and treatment are both {control!r}; name two systems")
    both = scores.select(systems=[control, treatment])
    contrasts = contrast(both, control, effect, ddof=pooling.ddof, threads=threads, progress=progress)
    return contrasts.analysis(treatment, pooling, headings, beside)


def compare_all(
    scores: Scores,
    *,
    control: str,
    effect: str = "md",
    estimator: str | None = None,
    interval: str | None = None,
    confidence: float = 0.95,
    like: str | None = None,
    groups: Mapping[str, Sequence[str]] | None = None,
    beside: Mapping[str, Scores] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparisons:
    """Compare every other system with one control.

    Parameters
    ----------
    scores, control, effect, estimator, interval, confidence, like, groups, beside, threads, progress
        As for `compare`. Systems are counted a few at a time, together with the control.

    Returns
    -------
    Comparisons
        Best first, with p-values adjusted for their number by Holm and by Benjamini–Hochberg. A system that has no
        task in common with the control is left out, and the notes say so.

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
    pooling = Pooling.of(estimator, interval, confidence, like)
    _check(scores, control, effect, beside, threads)
    headings = group_tasks(scores.task_names, groups)
    contrasts = contrast(scores, control, effect, ddof=pooling.ddof, threads=threads, progress=progress)
    analyses, failed = [], {}
    for treatment in scores.systems:
        if treatment == control:
            continue
        try:
            analyses.append(contrasts.analysis(treatment, pooling, headings, beside))
        except MethodError as error:
            failed[treatment] = error
    if not analyses:
        raise next(iter(failed.values()), MethodError(f"there is no system beside the control {control!r}"))
    analyses.sort(key=lambda one: (-one.summary.effect, one.treatment))
    p = [one.summary.p for one in analyses]
    return Comparisons(
        control=control,
        analyses=tuple(analyses),
        holm=holm(p),
        benjamini_hochberg=benjamini_hochberg(p),
        notes=(*_common_notes(analyses, failed), *([_GROUPED] if headings else [])),
        backend=scores.backend,
    )


def _check(scores: Scores, control: str, effect: str, beside: Mapping[str, Scores] | None, threads: int | None) -> None:
    check_scores(scores)
    check_threads(threads)
    for other in (beside or {}).values():
        check_scores(other)
    if str(effect) not in EFFECT_SIZES:
        raise MethodError(f"there is no effect {effect!r}; {nearest(str(effect), EFFECT_SIZES)}")
    _check_system(scores, "control", control)
    if scores.task_level:
        raise MethodError(
            "these are scores of tasks, which do not tell how far an effect may be off; pass scores of instances, or "
            "pool effects and variances that are known (podium.pool, podium pool)"
        )


def _check_system(scores: Scores, role: str, label: str) -> None:
    if label not in scores.systems:
        raise LabelError(f"there is no system {label!r} to be the {role}; {nearest(label, scores.systems)}")


def _common_notes(analyses: Sequence[MetaAnalysis], failed: Mapping[str, MethodError]) -> tuple[str, ...]:
    """What holds of all, what is left out and for whom, and that there is more to know of some."""
    common = [note for note in analyses[0].notes if all(note in one.notes for one in analyses)]
    own = [(one.treatment, note) for one in analyses for note in one.notes if note not in common]
    out = [f"{treatment}: {note}" for treatment, note in own if note.startswith("left out")]
    more = dict.fromkeys(treatment for treatment, note in own if not note.startswith("left out"))
    notes = [*common, *(f"{treatment} is left out: {error}" for treatment, error in failed.items()), *out]
    if more:
        notes.append(f"there is more to know of {few(list(more))}: compare them one by one, or see the JSON")
    return tuple(notes)
