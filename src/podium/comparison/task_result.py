"""The answer to a comparison on one score per task: paired tests over tasks, and Friedman's test of all systems."""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.frozen import plain
from podium.base.words import chance, decimals, fixed, how_many, percent
from podium.comparison.friedman import Friedman
from podium.report.result import Result


@dataclass(frozen=True, slots=True)
class TaskDifference:
    """What two systems score on a task, and how much better the treatment is.

    Attributes
    ----------
    task, higher_is_better
        Label, and direction of the metric.
    control, treatment
        Scores as given.
    difference
        Positive is better for the treatment, also where lower is better.
    """

    task: str
    higher_is_better: bool
    control: float
    treatment: float
    difference: float


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Tests of a treatment against a control over the tasks that score both. Numbers that do not exist are NaN.

    Attributes
    ----------
    treatment
        Label.
    tasks
        The differences, in the order of the table.
    wins, ties, losses
        On how many families of tasks the treatment is better, equal, or worse, by the mean of their differences; a task
        alone is one.
    sign_p
        Exact two-sided p-value of the sign test, without ties.
    rank_sum, wilcoxon_p
        Sum of the ranks of positive differences, and the exact p-value, see `podium.comparison.signed_rank.wilcoxon`.
    mean, low, high, t_p
        Mean difference over tasks, Student's paired interval, and its p-value.
    better, equal, worse
        Probabilities by the Bayesian signed-rank test, see `podium.comparison.signed_rank.signed_rank_posterior`.
    """

    treatment: str
    tasks: tuple[TaskDifference, ...]
    wins: int
    ties: int
    losses: int
    sign_p: float
    rank_sum: float
    wilcoxon_p: float
    mean: float
    low: float
    high: float
    t_p: float
    better: float
    equal: float
    worse: float

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def share(self) -> float:
        """Share of the families that the treatment wins, a tie as half."""
        return (self.wins + self.ties / 2) / self.families

    @property
    def families(self) -> int:
        """Number of families that the tasks are of; tests count each once."""
        return self.wins + self.ties + self.losses

    @property
    def places(self) -> int:
        """Decimals that show two digits of the largest difference."""
        return max(decimals(max(abs(one.difference) for one in self.tasks)), 2)

    def counts(self) -> str:
        """Wins, losses and ties in words."""
        equal = f", equal on {self.ties}" if self.ties else ""
        whole = how_many(len(self), "task") if self.families == len(self) else f"{self.families} families of tasks"
        return f"better on {self.wins} of {whole}, worse on {self.losses}{equal}"

    def average(self, confidence: float) -> str:
        """Mean difference with its interval, in words; empty where there is none."""
        if np.isnan(self.mean):
            return ""
        shown = fixed(self.mean, self.places)
        side = "worse" if shown.startswith("−") else "better"
        words = f"{shown.lstrip('−')} {side}" if shown.strip("0.,") else f"a difference of {shown}"
        if np.isnan(self.low):
            return f"on average {words}"
        ends = f"{fixed(self.low, self.places)} to {fixed(self.high, self.places)}"
        return f"on average {words}, {percent(confidence)} CI {ends}"


@dataclass(frozen=True, slots=True, eq=False)
class TaskComparison(Result):
    """One or several treatments against a control, on tables of one score per task.

    Attributes
    ----------
    control
        Label.
    treatments
        The tests of each treatment, best first: by the share of families won, a tie as half; equals in order of labels.
    holm, benjamini_hochberg
        Shape of `treatments`: p-values of Wilcoxon's test, adjusted for the number of treatments.
    friedman
        Test that all systems are equal, with mean ranks; None with fewer than three systems, or than six tasks that
        score all of them, or where it was not asked for.
    rope
        Differences up to this are practically equal; NaN where tasks have no common scale, as far as is known.
    confidence
        Of intervals, and of the critical difference.
    seed
        Of the Bayesian test.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_dict({
    ...     "base": {"rte": 0.70, "sst2": 0.91, "mrpc": 0.86, "cola": 0.52, "qnli": 0.90, "wnli": 0.56},
    ...     "new": {"rte": 0.74, "sst2": 0.93, "mrpc": 0.89, "cola": 0.58, "qnli": 0.91, "wnli": 0.56},
    ... })
    >>> podium.compare(scores, control="base", treatment="new")
    TaskComparison(new against base, one score per task: 6 tasks)
      better on 5 of 6 tasks, worse on 0, equal on 1; Wilcoxon p = 0.062; on average 0.027 better, 95% CI 0.004 to 0.049
    """

    schema: ClassVar[str] = "task-comparison"
    row_key: ClassVar[str] = "treatments"

    control: str
    treatments: tuple[PairedTests, ...]
    holm: NDArray[np.float64]
    benjamini_hochberg: NDArray[np.float64]
    friedman: Friedman | None
    rope: float
    confidence: float
    seed: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.treatments)

    @property
    def title(self) -> str:
        """Which systems, and on how many tasks."""
        who = self.treatments[0].treatment if len(self) == 1 else how_many(len(self), "system")
        sizes = {len(one) for one in self.treatments}
        tasks = how_many(max(sizes), "task")
        return f"{who} against {self.control}, one score per task: {tasks if len(sizes) == 1 else f'up to {tasks}'}"

    def verdict(self, tests: PairedTests) -> str:
        """On how many tasks a treatment is better, whether that may be chance, and by how much on average."""
        said = (tests.counts(), f"Wilcoxon {chance(tests.wilcoxon_p)}", tests.average(self.confidence))
        return "; ".join(filter(None, said))

    def __repr__(self) -> str:
        names = [f"{one.treatment}  " if len(self) > 1 else "" for one in self.treatments[:10]]
        said = [f"  {name}{self.verdict(one)}" for name, one in zip(names, self.treatments, strict=False)]
        more = [f"  … and {len(self) - 10} more"] if len(self) > 10 else []
        return "\n".join([f"TaskComparison({self.title})", *said, *more])

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per treatment; None where a number does not exist.

        >>> import podium
        >>> podium.compare(podium.datasets.toy_table1(), control="A", treatment="C").rows()[0]["wins"]
        3
        """
        mean_rank = {} if self.friedman is None else self.friedman.mean_rank
        adjusted = zip(self.treatments, self.holm.tolist(), self.benjamini_hochberg.tolist(), strict=True)
        return [
            plain({
                "treatment": one.treatment,
                "mean_rank": mean_rank.get(one.treatment, float("nan")),
                "tasks": len(one),
                **{name: getattr(one, name) for name in ("wins", "ties", "losses", "sign_p", "rank_sum", "wilcoxon_p")},
                "holm": holm,
                "benjamini_hochberg": fdr,
                **{name: getattr(one, name) for name in ("mean", "low", "high", "t_p", "better", "equal", "worse")},
            })
            for one, holm, fdr in adjusted
        ]  # fmt: skip

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these rows are the tests only; -f json also has the difference on each task"

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "control": self.control,
            **plain({"rope": self.rope}),
            "confidence": self.confidence,
            "seed": self.seed,
            "treatments": self.rows(),
            "friedman": None if self.friedman is None else plain(asdict(self.friedman)),
            "differences": [
                {"treatment": one.treatment, **_renamed(asdict(task))} for one in self.treatments for task in one.tasks
            ],
        }


def _renamed(task: dict[str, Any]) -> dict[str, Any]:
    """Call scores what they are, as beside them "treatment" is a label."""
    return {{"control": "control_score", "treatment": "treatment_score"}.get(name, name): task[name] for name in task}
