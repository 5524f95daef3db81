"""What a meta-analysis consists of: kinds of effects, effects on tasks, and summaries of them."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen, plain


@dataclass(frozen=True, slots=True)
class EffectKind:
    """A kind of effect: what it is called, and the scales it is pooled and shown on.

    Attributes
    ----------
    name
        In full, as an axis is labelled.
    null
        Value of no effect, as shown.
    pooled_as
        What is pooled: "effect", or a function of it that is closer to normal: "Fisher z" or "log".
    """

    name: str
    null: float = 0.0
    pooled_as: str = "effect"


#: Effects by their short names; see `podium.comparison.effect.effect_sizes`.
EFFECTS = {
    "md": EffectKind("mean difference"),
    "smd": EffectKind("standardised mean difference (Hedges' g)"),
    "corr": EffectKind("correlation", pooled_as="Fisher z"),
    "rd": EffectKind("risk difference"),
    "or": EffectKind("odds ratio", null=1.0, pooled_as="log"),
    "given": EffectKind("effect"),
}


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
        Ends of its own interval, normal.
    p
        Two-sided, of no effect.
    weight
        Share of the task in the summary, between 0 and 1.
    better, worse
        Of 0/1 scores, on how many instances only the treatment (only the control) is right; else None.
    mcnemar
        Of 0/1 scores, exact two-sided p-value of McNemar's test; else NaN.
    group
        Subgroup, or None.
    cluster
        First task of those that it depends on, or None.
    hat, studentised, pearson, dffits, cook, covariance_ratio, shift
        What the task does to the summary, see `podium.comparison.synthesis.Diagnostics`; NaN where there is a single
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
    """How effects on tasks depend on each other, and what their pooling makes of that.

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
        """Whether any effects have a covariance."""
        return bool(np.count_nonzero(self.covariance) > len(self.covariance))

    def content(self) -> dict[str, Any]:
        """Return what files hold; the covariance of many tasks would be most of a file."""
        return {"sets": list(map(list, self.sets)), "clusters": list(map(list, self.clusters))}


@dataclass(frozen=True, slots=True)
class Coefficient:
    """By how much effects differ where a moderator is one larger, or in a group; on the scale they are pooled on.

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
    """How effects depend on properties of tasks (meta-regression); all on the scale they are pooled on.

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
        return {
            "coefficients_tested": len(self.coefficients) - 1,
            "qm": self.qm,
            "qm_df": self.qm_df,
            "qm_p": self.qm_p,
        }
