"""Results of comparisons: an effect on every task with their summary, and many systems against one."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import chain
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import plain
from podium.base.statistics import holm
from podium.base.words import chance, how_many
from podium.comparison.effects import EFFECTS, EffectKind
from podium.comparison.suite import SuiteEffect
from podium.comparison.summary import (
    Beside,
    Moderation,
    Subgroup,
    Summary,
    TaskDependence,
    TaskEffect,
    cochran,
    conclusion,
    how_moderated,
    how_pooled,
    how_tasks_differ,
    on_suite,
)
from podium.report.result import Result

if TYPE_CHECKING:
    from podium.report.view import View


class Effect(NamedTuple):
    """Tell how much better than the control a treatment is, with the interval and the p-value of no effect.

    On these tasks, if that is known; else on average over tasks like these.
    """

    treatment: str
    effect: float
    low: float
    high: float
    p: float


class Comparison(Result):
    """Result of `podium.compare`, whatever the table: one or several treatments against a control.

    It is a `MetaAnalysis` of two systems with scores of instances, `Comparisons` of more systems, and a
    `TaskComparison` of one score per task. All have `effects`.

    >>> import podium
    >>> isinstance(podium.compare(podium.datasets.toy_table1(), control="A"), podium.Comparison)
    True
    """

    __slots__ = ()

    @property
    @abstractmethod
    def effects(self) -> tuple[Effect, ...]:
        """How much better than the control each treatment is, best first.

        >>> import podium
        >>> scores = podium.simulate.gumbel(2, 6, 100, dispersion=1.0, rng=0).scores
        >>> [(one.treatment, round(one.effect, 2), one.p < 0.05) for one in podium.compare(scores).effects]
        [('system 2', 0.99, True)]
        """

    @property
    def sentence(self) -> str:
        """Say for a paper what was compared, what was found, and how.

        >>> import podium
        >>> scores = podium.from_dict({"A": {"x": 1, "y": 2, "z": 4}, "B": {"x": 2, "y": 3, "z": 5}})
        >>> print(podium.compare(scores, control="A", treatment="B").sentence)
        We compare B with A on 3 tasks, each with one score per system (podium 0.1.0). We find: B is better on 3 of
        3 tasks, worse on 0; Wilcoxon p = 0.25; on average 1.00 better. p-values are of the exact Wilcoxon
        signed-rank test.
        """
        from podium.comparison.view import sentence_of  # noqa: PLC0415  # only where it is shown

        return sentence_of(self)


@dataclass(frozen=True, slots=True, repr=False)
class MetaAnalysis(Comparison):
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
        Of `podium.comparison.pooling.INTERVALS`; or "cr2", robust over clusters of tasks.
    confidence
        Of every interval.
    tasks
        One effect per task, in the order of the table.
    summary
        All tasks together.
    without
        What is left without each task in turn, in their order; empty where there is a single one, or
        more than 500.
    subgroups
        Summaries of the groups of tasks, if any; by `TaskEffect.group`.
    between_q, between_p
        Cochran's Q of the summaries of the subgroups, with one degree of freedom less than there are, and its p-value.
        NaN where a robust interval allows for related true effects, which Q does not.
    moderation
        How effects depend on moderators; None where none are given.
    diagnostics
        Whether tables show what each task does to the summary; the numbers are in `tasks` either way.
    beside
        Other measures, to be shown beside.
    binary
        Whether all scores, or all repeats that they are a statistic of, are 0 or 1.
    dependence
        How the effects depend on each other; None where they count as independent.
    margin
        How much worse is as good, for the verdict on the suite; None if not said.
    metric
        By what all tasks are scored, such as "nDCG@10"; empty if that is not known, or not one.
    suite
        The difference on these tasks, for other questions like theirs; None of effects that are given, and of "smd" and
        "corr", which have no common scale.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([0.1, 0.3, 0.2], [0.01, 0.02, 0.01])
    >>> analysis.summary.k, round(analysis.summary.effect, 4)
    (3, 0.18)
    """

    schema: ClassVar[str] = "meta-analysis"
    _beyond_rows: ClassVar[str] = "these rows are the tasks only; -f json and -f table also have the summary"
    _row_key: ClassVar[str] = "tasks"

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
    moderation: Moderation | None = None
    diagnostics: bool = False
    beside: tuple[Beside, ...] = ()
    binary: bool = False
    dependence: TaskDependence | None = None
    suite: SuiteEffect | None = None
    margin: float | None = None
    metric: str = ""
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """How much better than the control the treatment is."""
        known = self.suite or self.summary
        return (Effect(self.treatment, known.effect, known.low, known.high, known.p),)

    @property
    def measure(self) -> EffectKind:
        """Return the kind of effect with its full name and scales; a row has only its short name."""
        return EFFECTS[self.kind]

    @property
    def what(self) -> str:
        """Return the full name of the effect, with the metric if that is known."""
        return f"{self.measure.name} ({self.metric})" if self.metric else self.measure.name

    @property
    def title(self) -> str:
        """Return in words which systems are compared, in what, and on how many tasks."""
        who = f"{self.treatment} against {self.control}, " if self.treatment else ""
        every = 0 if self.suite is None else self.suite.tasks
        tasks = f"{every:,} tasks, {len(self):,} in the summary" if every > len(self) else how_many(len(self), "task")
        return f"{who}{self.what}: {tasks}"

    @property
    def on_suite(self) -> str:
        """Say how much better or worse the treatment is on these tasks; empty where that is not known."""
        return "" if self.suite is None else on_suite(self.suite, confidence=self.confidence, margin=self.margin)

    @property
    def conclusion(self) -> str:
        """Say how much better or worse the treatment is, how far tasks differ, and what to expect of a new one."""
        if self.suite is not None and self.summary.k == 1:
            return "one task says nothing about other tasks"
        fixed, before, over = self.estimator == "fixed", "", ""
        if self.suite is not None and self.summary.k == 2 and not fixed and self.summary.low <= 0 <= self.summary.high:
            return "two tasks say next to nothing about other tasks"
        if self.suite is None:
            over = " on these tasks" if fixed else " over tasks like these"
        else:
            before = "weighed by precision: " if fixed else "on other tasks like these: "
            before = before if self.suite.by_prompts is None else f"by these prompts, {before}"
        said = conclusion(self.summary, self.kind, confidence=self.confidence, binary=self.binary, over=over)
        return before + said

    @property
    def diagnosed(self) -> bool:
        """Return whether it is known what each task does to the summary."""
        return all(task.influential is not None for task in self.tasks)

    @property
    def moderated(self) -> str:
        """Say how effects depend on moderators; empty where there are none."""
        return "" if self.moderation is None else how_moderated(self.moderation, self.summary.tau2, self.confidence)

    @property
    def details(self) -> list[list[str]]:
        """Sentences, each in parts: how much tasks differ, how much groups do, and how effects were pooled."""
        scale = self.measure.pooled_as
        said = [how_tasks_differ(self.summary, scale)]
        if not isnan(self.between_q):
            test = f"Q = {cochran(self.between_q)} ({len(self.subgroups) - 1} df, {chance(self.between_p)})"
            said.append([f"between groups: {test}"])
        if self.moderation is not None:
            first, *others = how_tasks_differ(self.moderation, scale)
            said.append([f"with moderators {first}", *others])
        if len(self) > 1:
            said.append(how_pooled(self.estimator, self.interval, self.summary.df, self.dependence))
        return [sentence for sentence in said if sentence]

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per task; None where a number does not exist.

        >>> import podium
        >>> podium.pool([0.1, 0.3], [0.01, 0.02], tasks=["rte", "sst2"]).rows()[1]["effect"]
        0.3
        """
        # In a row "effect" is the number, so the short name of the kind is "measure". In files the short name is
        # "effect", and "measure" is the whole `EffectKind`, see `content`.
        return [{**plain(asdict(task)), "measure": self.kind} for task in self.tasks]

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.comparison.view import view_meta_analysis  # noqa: PLC0415  # only where it is shown

        return view_meta_analysis(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        fields = ("control", "treatment", "estimator", "interval", "confidence", "binary")
        return {
            **{name: getattr(self, name) for name in fields},
            **({"metric": self.metric} if self.metric else {}),
            "effect": self.kind,  # the name of the argument of `podium.compare`; "kind" of a file is its schema
            "conclusion": self.conclusion,
            "on_suite": self.on_suite,
            "sentence": self.sentence,
            # in "tasks" only its short name
            "measure": asdict(EffectKind(self.measure.name, self.measure.null, self.measure.pooled_as)),
            "suite": None if self.suite is None else self.suite.to_dict(),
            "margin": self.margin,
            "verdict": None if self.suite is None else self.suite.verdict(self.margin or 0.0),
            "summary": plain(asdict(self.summary)),
            "tasks": self.rows(),
            "without": [
                {"task": task.task, **plain(asdict(rest))} for task, rest in zip(self.tasks, self.without, strict=False)
            ],
            "subgroups": [{"name": group.name, **plain(asdict(group.summary))} for group in self.subgroups],
            **plain({"between_q": self.between_q, "between_p": self.between_p}),
            "dependence": None if self.dependence is None else self.dependence.content(),
            "moderation": None if self.moderation is None else self.moderation.content(),
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
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparisons(Comparison):
    """All systems against one of them, best first.

    Attributes
    ----------
    control
        Label.
    analyses
        One for each treatment, by the difference on these tasks if there is one, else by summary effect, greatest
        first; equals in order of their labels.
    holm, benjamini_hochberg
        Shape of `analyses`: p-values of the summaries, adjusted for their number.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 6, 100, dispersion=1.0, rng=0).scores
    >>> podium.compare_all(scores, control="system 1").analyses[0].treatment
    'system 4'
    """

    schema: ClassVar[str] = "comparisons"
    _other_figures: ClassVar[Mapping[str, str]] = {"cd": "podium.compare_task_scores(scores.with_means(), control=…)"}
    _beyond_rows: ClassVar[str] = "these rows are the summaries only; -f json also has the tasks of each"
    _row_key: ClassVar[str] = "treatments"

    control: str
    analyses: tuple[MetaAnalysis, ...]
    holm: NDArray[np.float64]
    benjamini_hochberg: NDArray[np.float64]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.analyses)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """How much better than the control each treatment is, best first."""
        return tuple(chain.from_iterable(one.effects for one in self.analyses))

    @property
    def title(self) -> str:
        """Return in words what is compared."""
        return f"{how_many(len(self), 'system')} against {self.control}, {self.analyses[0].what}"

    @property
    def suites(self) -> list[SuiteEffect]:
        """Return the difference of each treatment on these tasks; empty where that is not known."""
        return [one.suite for one in self.analyses if one.suite is not None]

    @property
    def suite_holm(self) -> NDArray[np.float64]:
        """Shape of `suites`: p-values of no difference on these tasks, adjusted for their number."""
        return holm([suite.p for suite in self.suites])

    @property
    def tests(self) -> list[dict[str, float]]:
        """For each treatment the test of all moderators by name, and its p-value adjusted by Holm; empty without."""
        found = [one.moderation.test() for one in self.analyses if one.moderation is not None]
        if not found:
            return [{} for _ in self.analyses]
        adjusted = holm(np.array([test["qm_p"] for test in found]))
        return [{**test, "qm_holm": p} for test, p in zip(found, adjusted.tolist(), strict=True)]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per treatment; None where a number does not exist. With moderators also their test.

        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 6, 100, dispersion=1.0, rng=0).scores
        >>> podium.compare_all(scores, control="system 1").rows()[0]["k"]
        6
        """
        adjusted = zip(self.analyses, self.holm.tolist(), self.benjamini_hochberg.tolist(), self.tests, strict=True)
        rows = [
            {"treatment": one.treatment, **asdict(one.summary), "holm": fwer, "benjamini_hochberg": fdr, **test}
            for one, fwer, fdr, test in adjusted
        ]
        for row, suite, p in zip(rows, self.suites, self.suite_holm.tolist(), strict=False):
            row |= {f"suite_{name}": getattr(suite, name) for name in ("effect", "low", "high", "p")}
            row["suite_holm"] = p
        return [plain(row) for row in rows]

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.comparison.view import view_comparisons  # noqa: PLC0415  # only where it is shown

        return view_comparisons(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "control": self.control,
            "sentence": self.sentence,
            "treatments": self.rows(),
            "analyses": [one.to_dict() for one in self.analyses],
        }
