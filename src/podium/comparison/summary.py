"""Parts of a comparison, in numbers and in words: effects on tasks, their summary, moderators; how they are written."""

from dataclasses import asdict, dataclass
from math import isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen, plain
from podium.base.words import are, chance, decimals, fixed, how_many, listed, percent, rounded_percent, significant
from podium.comparison.effects import EFFECTS, POINTS, SCALES
from podium.comparison.pooling import INTERVAL_KINDS
from podium.comparison.random_effects import ESTIMATORS
from podium.comparison.suite import POWER, SuiteEffect

#: Tasks up to which each is left out in turn; of more, one hardly matters, and it would take long.
MANY = 500

#: Weights are shown as below 0 from here on.
WEIGHT_BELOW = -5e-4

#: What is needed to say what each task does to the summary.
DIAGNOSED = f"2 to {MANY} tasks whose effects are independent"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEffect:
    """The effect on one task. Numbers that do not exist are NaN.

    Attributes
    ----------
    task
        Label.
    higher_is_better
        Direction of the metric; None where that is not known. Means are as given, effects are turned.
    n
        Instances scored for both systems, which the effect depends on; None where that is not known.
    control_only, treatment_only
        Instances scored for one system only, which are left out; None where that is not known.
    control_mean, treatment_mean
        Over the common instances, in the units of the metric, as given.
    effect
        Positive is better for the treatment (for a correlation: more alike; for an odds ratio: above 1).
    variance
        Sampling variance of what is pooled, see `EffectKind.pooled_as`.
    low, high
        Ends of its own interval: normal, or Student's if people labelled few instances.
    p
        Two-sided, of no effect.
    weight
        Share of the task in the summary, between 0 and 1.
    better, worse
        Of 0/1 scores, or repeats that are, on how many instances the treatment (the control) scores more; else None.
    mcnemar
        Of 0/1 scores, exact two-sided p-value of McNemar's test; else NaN.
    group
        Subgroup, or None.
    cluster
        First task of those that it depends on, or None.
    hat, studentised, pearson, dffits, cook, covariance_ratio, shift
        What the task does to the summary, see `podium.comparison.synthesis.diagnose`; NaN where there is a single
        task, or more than 500, or effects depend on each other.
    influential
        Whether it moves the summary much by metafor's rules; None where that is not known.
    """

    task: str
    higher_is_better: bool | None = None
    n: int | None = None
    control_only: int | None = None
    treatment_only: int | None = None
    control_mean: float = float("nan")
    treatment_mean: float = float("nan")
    effect: float
    variance: float
    low: float
    high: float
    p: float
    weight: float
    better: int | None = None
    worse: int | None = None
    mcnemar: float = float("nan")
    group: str | None = None
    cluster: str | None = None
    hat: float = float("nan")
    studentised: float = float("nan")
    pearson: float = float("nan")
    dffits: float = float("nan")
    cook: float = float("nan")
    covariance_ratio: float = float("nan")
    shift: float = float("nan")
    influential: bool | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """Several effects taken together. Numbers that do not exist (as heterogeneity of one task) are NaN.

    It has two scales, see `EffectKind.pooled_as`: `effect` and the ends of both intervals are on the one effects are
    shown on; `std_error`, `tau2` with its interval, `q`, `i2` and `h2` are on the one they are pooled on.

    Attributes
    ----------
    k
        Number of tasks.
    effect
        Weighted mean of the effects, on the scale they are shown on.
    std_error
        On the scale they are pooled on.
    df
        Degrees of freedom of its intervals; infinite where they are normal.
    low, high, p
        Its interval, and the two-sided p-value of no effect on average.
    prediction_low, prediction_high
        Where the effect on a new task is expected, with the same confidence.
    tau2, tau2_low, tau2_high
        Variance of the true effects between tasks, with its Q-profile interval, on the scale they are pooled on.
    q, q_p
        Cochran's Q, with k − 1 degrees of freedom, and its p-value.
    i2, h2
        Share of the variance of effects that is between tasks, 0 to 1; and 1 / (1 − I²).
    """

    k: int
    effect: float
    std_error: float
    df: float
    low: float
    high: float
    p: float
    prediction_low: float
    prediction_high: float
    tau2: float
    tau2_low: float
    tau2_high: float
    q: float
    q_p: float
    i2: float
    h2: float


@dataclass(frozen=True, slots=True)
class Subgroup:
    """Some of the tasks under a heading, and their summary."""

    name: str
    summary: Summary


@dataclass(frozen=True, slots=True)
class Beside:
    """Another measure of the same systems and tasks, to be shown beside the effects, such as the share judged.

    Attributes
    ----------
    name
        Heading.
    control, treatment
        Plain mean over all instances that have it, for each task of the analysis, in its order; NaN where there is
        none.
    """

    name: str
    control: tuple[float, ...]
    treatment: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TaskDependence(Frozen):
    """Dependence of effects on tasks on each other, and what their pooling makes of that.

    Attributes
    ----------
    sets
        Tasks that share instances, or clusters of these; their covariance is used.
    clusters
        All tasks, by cluster: tasks that share instances, or that the user puts together, are in one.
    covariance
        Shape `(k, k)`: of the effects, on the scale they are pooled on.
    shared
        What the tasks of a set share: "instances", "clusters", or both words.
    """

    sets: tuple[tuple[str, ...], ...]
    clusters: tuple[tuple[str, ...], ...]
    covariance: NDArray[np.float64]
    shared: str = "instances"

    @property
    def covary(self) -> bool:
        """Return whether any effects have a covariance."""
        return bool(np.count_nonzero(self.covariance) > len(self.covariance))

    def content(self) -> dict[str, Any]:
        """Return what files hold; the covariance of many tasks would be most of a file."""
        return {"sets": list(map(list, self.sets)), "clusters": list(map(list, self.clusters))}


@dataclass(frozen=True, slots=True)
class Coefficient:
    """Tell by how much effects differ where a moderator is one larger, or in a group; on the scale they are pooled on.

    Attributes
    ----------
    moderator
        Name; or "intercept", the effect where numbers are 0 and groups are the first.
    group, reference
        Of texts: the group, and the one it is compared with; else None.
    estimate, std_error, statistic, df, p, low, high
        Its value, t or z, degrees of freedom (infinite for z), two-sided p-value of 0, and interval.
    """

    moderator: str
    group: str | None
    reference: str | None
    estimate: float
    std_error: float
    statistic: float
    df: float
    p: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Moderation:
    """Regression of effects on properties of tasks (meta-regression); all on the scale they are pooled on.

    Attributes
    ----------
    moderators
        Names.
    values
        Of each moderator the value of each task.
    coefficients
        The intercept first.
    covariance
        Of the coefficients.
    freedom
        Tasks less coefficients.
    student
        Whether intervals are Student's, and `qm` is F; otherwise they are normal, and it is χ².
    tau2, tau2_low, tau2_high, i2, h2
        Variance between tasks that moderators leave, with its Q-profile interval, and the share of it.
    r2
        Share of the variance between tasks that they explain.
    qm, qm_df, qm_p
        Test of all coefficients but the intercept, second degrees of freedom of F (infinite for χ²), and p-value.
    qe, qe_p
        Cochran's Q of what is left, with `freedom` degrees of freedom, and its p-value.
    """

    moderators: tuple[str, ...]
    values: tuple[tuple[float, ...] | tuple[str, ...], ...]
    coefficients: tuple[Coefficient, ...]
    covariance: tuple[tuple[float, ...], ...]
    freedom: int
    student: bool
    tau2: float
    tau2_low: float
    tau2_high: float
    i2: float
    h2: float
    r2: float
    qm: float
    qm_df: float
    qm_p: float
    qe: float
    qe_p: float

    def content(self) -> dict[str, Any]:
        """Return everything as JSON can hold it, values by moderator."""
        values = {name: list(of_tasks) for name, of_tasks in zip(self.moderators, self.values, strict=True)}
        return {
            **plain(asdict(self)),
            "moderators": list(self.moderators),
            "values": values,
            "coefficients": [plain(asdict(one)) for one in self.coefficients],
            "covariance": [list(row) for row in self.covariance],
        }

    def test(self) -> dict[str, float]:
        """Return the test of all coefficients but the intercept, whose number is its first degrees of freedom."""
        tested = len(self.coefficients) - 1
        return {"coefficients_tested": tested, "qm": self.qm, "qm_df": self.qm_df, "qm_p": self.qm_p}


def conclusion(
    summary: Summary, kind: str, *, confidence: float, binary: bool = False, over: str = " over tasks like these"
) -> str:
    """Say how much better or worse the treatment is, how far tasks differ, and what to expect of a new one.

    Parameters
    ----------
    summary
        Of all tasks.
    kind
        Short name of the effect.
    confidence
        Of its intervals.
    binary
        Whether scores are 0 or 1, so that differences of means are said in percentage points.
    over
        What the average of several tasks is about.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([0.21, 0.19, 0.17], [0.001, 0.002, 0.001], kind="smd")
    >>> conclusion(analysis.summary, "smd", confidence=0.95).split("; ")[0]
    'on average 0.19 standard deviations better over tasks like these, 95% CI 0.09 to 0.29'
    """
    effect = EFFECTS[kind]
    factor, unit = POINTS if kind == "md" and binary else effect.said_in
    # Two digits of the interval, and of the effect where the interval is wide.
    width = decimals(factor * (summary.high - summary.low))
    places = 2 if effect.ratio else max(width, min(decimals(abs(factor * summary.effect)), width + 1))

    def end(value: float) -> str:
        return written_end(factor * value, kind, places)

    ends = f"{percent(confidence)} CI {end(summary.low)} to {end(summary.high)}"
    average = _average(kind, written(factor * summary.effect, kind, places), unit)
    parts = [f"on average {average}{over}, {ends}" if summary.k > 1 else f"{average}, {ends}"]
    if summary.k > 1:
        parts.append(_differ(summary, confidence))
    if isfinite(summary.prediction_low):
        new = f"between {end(summary.prediction_low)} and {end(summary.prediction_high)}"
        parts.append(f"on a new task expect {new} ({percent(confidence)})")
    return "; ".join(parts)


#: Verdicts with a margin, in words.
_VERDICTS = {
    "better": "better",
    "equal": "as good to within {}",
    "not worse": "not worse by more than {}",
    "worse": "worse",
    "cannot tell": "the scores cannot tell whether it is worse by more than {}",
}


def on_suite(suite: SuiteEffect, *, confidence: float, margin: float | None = None) -> str:
    """Say how much better or worse the treatment is on these tasks, and what could have been seen.

    With a margin, say first whether it is as good.

    Examples
    --------
    >>> import podium
    >>> table = podium.from_arrays({"t": [[0.0] * 40, [1.0] * 9 + [0.0] * 31]}, systems=["old", "new"])
    >>> on_suite(podium.compare(table, control="old", treatment="new").suite, confidence=0.95)
    'on this task: 23 percentage points better, 95% CI 12 to 38 (9 instances better, 0 worse, p = 0.004)'
    """
    factor, unit = POINTS if suite.binary else (1.0, "")
    known = not isnan(suite.low)
    places = decimals(factor * (suite.high - suite.low if known else abs(suite.effect)))

    def shown(value: float) -> str:
        return written(factor * value, "md", places)

    where = "on this task" if suite.tasks == 1 else f"on these {suite.tasks:,} tasks"
    where += "" if suite.by_prompts is None else ", for other items and other prompts"
    if margin is not None:
        where = f"{_VERDICTS[suite.verdict(margin)].format(f'{margin:g}')} {where}"
    size = shown(suite.effect)
    size = size if size.strip("−0.,") or not suite.effect else significant(factor * suite.effect, 1)
    average = _average("md", size, unit)
    counts = f"{how_many(suite.better, 'instance')} better, {suite.worse:,} worse"
    if not known:
        too_few = f"{how_many(suite.units, 'unit')} {are(suite.units)} too few for an interval"
        return f"{where}: {average} ({counts}), but {too_few}"
    width = suite.high - suite.low  # an end that an exact test sets is 0
    shown_ends = (0.0 if abs(end) < 1e-6 * width else factor * end for end in (suite.low, suite.high))
    ends = " to ".join(written_end(end, "md", places) for end in shown_ends)
    parts = [f"{where}: {average}, {percent(confidence)} CI {ends} ({counts}, {chance(suite.p)})"]
    if suite.by_prompts is not None and suite.by_prompts[1]:
        parts.append("better by {} of {} prompts".format(*suite.by_prompts))
    if suite.effect * suite.balance < 0:
        more, less = ("better", "worse") if suite.balance > 0 else ("worse", "better")
        parts.append(f"more instances got {more} than {less}, but on average it is {less}")
    if suite.low <= 0 <= suite.high:
        smallest = f"{shown(suite.smallest)} {unit}".rstrip()
        parts.append(f"this comparison would detect {smallest} with a chance of {percent(POWER)}")
    if suite.noise > 0:
        parts.append(f"two single runs of one system differ by up to {shown(suite.noise)} {unit}".rstrip() + " (95%)")
    return "; ".join(parts)


def how_tasks_differ(found: Summary | Moderation, pooled_as: str = "effect") -> list[str]:
    """Say how much effects differ, number by number; nothing of a single one.

    Parameters
    ----------
    found
        Summary of some tasks, or what moderators leave.
    pooled_as
        Scale of τ², see `podium.comparison.effects.EffectKind`.

    Examples
    --------
    >>> import podium
    >>> how_tasks_differ(podium.pool([0.1, 0.3, 0.2], [0.001, 0.002, 0.001]).summary)
    ['τ² = 0.0083 (0.0012 to 0.39)', 'I² = 87%', 'Q = 14.0 (2 df, p < 0.001)']
    """
    if isnan(found.tau2):
        return []
    test = (found.q, found.k - 1, found.q_p) if isinstance(found, Summary) else (found.qe, found.freedom, found.qe_p)
    q, df, p = test
    ends = ""  # nothing where Q, which they come from, and the estimate do not agree
    if found.tau2_high == 0:
        ends = " (no interval: effects are more alike than chance predicts)"
    elif found.tau2_low <= found.tau2 <= found.tau2_high:
        ends = f" ({significant(found.tau2_low)} to {significant(found.tau2_high)})"
    tau2 = f"τ²{SCALES[pooled_as].of_tau2} = {significant(found.tau2)}{ends}"
    return [tau2, f"I² = {percent(round(found.i2, 2))}", f"Q = {cochran(q)} ({df} df, {chance(p)})"]


def how_moderated(moderation: Moderation, tau2: float, confidence: float = 0.95) -> str:
    """Say whether effects differ with moderators, and how much of the variance τ² between tasks they explain.

    >>> import podium
    >>> analysis = podium.pool([0.1, 0.2, 0.25, 0.5], [0.001] * 4, moderators={"size": [1, 2, 3, 4]})
    >>> how_moderated(analysis.moderation, analysis.summary.tau2)
    'no sign that effects differ with size (F(1, 2) = 17.9, p = 0.052)'
    """
    several = len(moderation.moderators) > 1
    tested, names = len(moderation.coefficients) - 1, listed(moderation.moderators)
    test = f"F({tested}, {round(moderation.qm_df, 1):g})" if moderation.student else f"χ²({tested})"
    said = f"({test} = {cochran(moderation.qm)}, {chance(moderation.qm_p)})"
    if not moderation.qm_p < 1 - confidence:
        return f"no sign that effects differ with {names} {said}"
    share = f", which explain{'' if several else 's'} {rounded_percent(moderation.r2)} of the variance between tasks"
    return f"effects differ with {names} {said}{share if tau2 > 0 else ''}"


def how_pooled(estimator: str, interval: str, df: float, dependence: TaskDependence | None = None) -> list[str]:
    """Say how effects were pooled, and with how many degrees of freedom where that is no matter of counting.

    >>> how_pooled("reml", "satterthwaite", 4.07), how_pooled("fixed", "normal", float("inf"))
    (['random effects', 'REML', 'Knapp–Hartung (factor ≥ 1, 4.1 df)'], ['fixed effect', 'normal intervals'])
    """
    said = [*([] if estimator == "fixed" else ["random effects"]), ESTIMATORS[estimator].name]
    clusters = ""
    if dependence is not None:
        clusters = how_many(len(dependence.clusters), "cluster")
        said += [f"covariance of tasks that share {dependence.shared}"] if dependence.covary else []
    return [*said, INTERVAL_KINDS[interval].name.format(df=f"{round(df, 1):g}", clusters=clusters)]


def cochran(q: float) -> str:
    """Write Cochran's Q.

    >>> cochran(28.94), cochran(1.23e9)
    ('28.9', '1.2×10⁹')
    """
    return f"{q:,.1f}" if q < 1e6 else significant(q)


def written(value: float, kind: str, places: int) -> str:
    """Write an effect: with so many decimals, or, of a ratio, which is never 0, so many significant digits.

    >>> written(-0.0254, "md", 2), written(0.0029, "or", 2)
    ('−0.03', '0.0029')
    """
    return significant(value, max(places, 2)) if EFFECTS[kind].ratio else fixed(value, places)


def written_end(value: float, kind: str, places: int) -> str:
    """Write an end of an interval; one below 0 that rounds to 0 gets a digit that shows on which side it lies.

    >>> written_end(-0.0048, "md", 2), written_end(0.0048, "md", 2)
    ('−0.005', '0.00')
    """
    text = written(value, kind, places)
    return significant(value, 1) if value < 0 and not text.strip("0.") else text


def _average(kind: str, shown: str, unit: str) -> str:
    """Return size and direction of the summary, in the words of the measure; as rounded, it may have no direction."""
    if EFFECTS[kind].said:
        return EFFECTS[kind].said.format(shown)
    if not shown.strip("0.,"):
        return f"a difference of {shown} {unit}".rstrip()
    size = shown.lstrip("−")
    return f"{size} {unit.removesuffix('s') if size == '1' else unit}".rstrip() + (
        " worse" if shown.startswith("−") else " better"
    )


def _differ(summary: Summary, confidence: float) -> str:
    share, unlikely = f"I² = {percent(round(summary.i2, 2))}", summary.q_p < 1 - confidence
    if summary.i2 >= 0.005:  # more than 0% as shown
        return f"tasks differ ({share})" if unlikely else f"tasks may differ ({share})"
    if unlikely:  # an imprecise task that is far off counts fully in Q, and hardly in τ² by REML, from which I² comes
        return f"tasks may differ (Q test {chance(summary.q_p)}, but {share})"
    return f"no sign that tasks differ ({share})"
