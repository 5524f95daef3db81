"""The answer to a comparison of two systems: an effect on every task, and what they amount to together; frozen."""

from dataclasses import asdict, dataclass
from importlib import import_module
from math import isfinite
from typing import Any

from podium.framing import as_frame
from podium.wording import counted

__all__ = [
    "EFFECTS",
    "SCHEMA_VERSION",
    "Beside",
    "Measure",
    "MetaAnalysis",
    "Subgroup",
    "Summary",
    "TaskEffect",
    "plain",
]

#: Raised when the meaning or the name of a field of `MetaAnalysis.to_dict` changes.
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Measure:
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


#: Effects by their short names; see `podium.effects`.
EFFECTS = {
    "md": Measure("mean difference"),
    "smd": Measure("standardised mean difference (Hedges' g)"),
    "corr": Measure("correlation", pooled_as="Fisher z"),
    "rd": Measure("risk difference"),
    "or": Measure("odds ratio", null=1.0, pooled_as="log"),
    "given": Measure("effect"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEffect:
    """The effect on one task. Numbers that do not exist are NaN.

    Attributes
    ----------
    task
        Label.
    n
        Instances scored for both systems, which is what the effect rests on; None where that is not known.
    control_only, treatment_only
        Instances scored for one system only, which are left out.
    control_mean, treatment_mean
        Over the common instances, in the units of the metric, as given.
    effect
        Positive is better for the treatment (for a correlation: more alike; for an odds ratio: above 1).
    variance
        Sampling variance of what is pooled, see `Measure.pooled_as`.
    low, high
        Ends of its own interval, normal.
    p
        Two-sided, of no effect.
    weight
        Share of the summary that rests on this task, between 0 and 1.
    better, worse
        Of 0/1 scores, on how many instances only the treatment (only the control) is right; else None.
    mcnemar
        Of 0/1 scores, exact two-sided p-value of McNemar's test; else NaN.
    group
        Subgroup, or None.
    """

    task: str
    n: int | None = None
    control_only: int = 0
    treatment_only: int = 0
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


@dataclass(frozen=True, slots=True)
class Summary:
    """Several effects taken together. Numbers that do not exist (as heterogeneity of one task) are NaN.

    Attributes
    ----------
    k
        Number of tasks.
    effect
        Weighted mean of the effects, on the scale they are shown on.
    std_error
        On the scale they are pooled on.
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
    """Some of the tasks under a heading, and what they amount to."""

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
        Mean for each task of the analysis, in its order; NaN where there is none.
    """

    name: str
    control: tuple[float, ...]
    treatment: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class MetaAnalysis:
    """Effects of a treatment against a control on several tasks, pooled.

    Attributes
    ----------
    control, treatment
        Labels of the systems; empty where effects were given.
    kind
        Short name of the effect, of `EFFECTS`.
    estimator
        Of the variance between tasks: "reml", "dl", "pm", or "fixed" for none.
    interval
        "knapp-hartung" or "normal".
    confidence
        Of every interval.
    tasks
        One effect per task, in the order of the table.
    summary
        All tasks together.
    without
        What is left without each task in turn, in their order; empty where there is a single one.
    subgroups
        Summaries of the groups of tasks, if any; by `TaskEffect.group`.
    between_q, between_p
        Cochran's Q of the summaries of the subgroups, with one degree of freedom less than there are, and its p-value.
    beside
        Other measures, to be shown beside.
    binary
        Whether all scores are 0 or 1.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([0.1, 0.3, 0.2], [0.01, 0.02, 0.01])
    >>> round(analysis.summary.effect, 4)
    0.1825
    """

    control: str
    treatment: str
    kind: str
    estimator: str
    interval: str
    confidence: float
    tasks: tuple[TaskEffect, ...]
    summary: Summary
    without: tuple[Summary, ...] = ()
    subgroups: tuple[Subgroup, ...] = ()
    between_q: float = float("nan")
    between_p: float = float("nan")
    beside: tuple[Beside, ...] = ()
    binary: bool = False
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def measure(self) -> Measure:
        """What is meant by an effect."""
        return EFFECTS[self.kind]

    @property
    def title(self) -> str:
        """Which systems, in what, and on how many tasks."""
        what = f"{self.treatment} against {self.control}, " if self.treatment else ""
        return f"{what}{self.measure.name}: {counted(len(self), 'task')}"

    def plot(self, **options: Any) -> Any:
        """Draw a forest plot; see `podium.plots.forest`."""
        # Pictures stand on a floor above; only somebody who asks for one goes up there.
        return import_module("podium.plots").forest(self, **options)

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per task; None where a number does not exist."""
        return [plain(asdict(task)) for task in self.tasks]

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per task as a "pandas", "polars" or "pyarrow" frame; by default as the scores came."""
        rows = self.rows()
        return as_frame({name: [row[name] for row in rows] for name in rows[0]}, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it, with the version of this layout under "schema_version"."""
        fields = ("control", "treatment", "estimator", "interval", "confidence", "binary")
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "meta-analysis",
            **{name: getattr(self, name) for name in fields},
            "effect": self.kind,
            "measure": asdict(self.measure),
            "summary": plain(asdict(self.summary)),
            "tasks": self.rows(),
            "without": [
                {"task": task.task, **plain(asdict(rest))} for task, rest in zip(self.tasks, self.without, strict=False)
            ],
            "subgroups": [{"name": group.name, **plain(asdict(group.summary))} for group in self.subgroups],
            **plain({"between_q": self.between_q, "between_p": self.between_p}),
            "beside": [
                {
                    "name": other.name,
                    "tasks": [
                        {"task": task.task, **plain({"control": control, "treatment": treatment})}
                        for task, control, treatment in zip(self.tasks, other.control, other.treatment, strict=True)
                    ],
                }
                for other in self.beside
            ],
            "notes": list(self.notes),
        }


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Return the same with None for numbers that do not exist.

    >>> plain({"effect": 0.5, "p": float("nan")})
    {'effect': 0.5, 'p': None}
    """
    return {name: None if isinstance(value, float) and not isfinite(value) else value for name, value in values.items()}
