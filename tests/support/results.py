"""Every kind of result, made small, with labels that formats must escape."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

import podium
from podium.board.result import Added, BoardInfo, BoardLog, Checked, Compacted, Event
from podium.description.formats import Finding, LeftOut
from podium.difficulty.result import Difficulty, Measure
from podium.ranking.result import HeadToHead
from podium.report.result import Result
from podium.score.repeat import Repeats, Statistic


@cache
def scores() -> podium.Scores:
    """Four systems on six tasks, right or wrong on each of 40 instances, with labels that formats must escape."""
    drawn = podium.simulate.gumbel(4, 6, 40, dispersion=0.5, rng=0).scores
    right = {f"<t{k}>": (task.values > np.median(task.values)).astype(float) for k, task in enumerate(drawn.tasks)}
    return replace(podium.from_arrays(right, systems=["A_1", "<b>B", "C & D", "C|E"]), backend="polars")


@cache
def earlier() -> podium.Scores:
    """An earlier version of the table: one of its tasks, and one of its systems, are not there yet."""
    return scores().select(tasks=["!<t0>"], systems=["!C|E"])


@cache
def priced() -> podium.Scores:
    """The systems with what they cost."""
    tasks = (
        replace(task, covariates={"$<b>": np.add.outer([1.0, 2, 3, 4], 0 * task.values[0])}) for task in scores().tasks
    )
    return replace(scores(), tasks=tuple(tasks))


@cache
def judged_answers() -> dict[str, Any]:
    """Answers of two systems, with labels of people and of two judges, and how sure these are."""
    rng = np.random.default_rng(0)
    people = rng.integers(0, 2, 60)
    judges = [np.where(rng.random(60) < error, 1 - people, people) for error in (0.2, 0.4)]
    return {
        "item": np.arange(60) // 2,
        "system": ["A_1", "<b>B"] * 30,
        "family": ["$<b>", "other"] * 30,
        "human": [*people[:40].tolist(), *[None] * 20],
        "judge $<b>": judges[0],
        "judge_2": judges[1],
        "p": rng.random(60),
        "q": rng.random(60),
    }


@cache
def findings() -> podium.Findings:
    """Results of a tool, a table, and what was left out, with labels that formats must escape."""
    tool = Finding("<t>", "A_1", 1200, 30, 2, 15, ("instances", "means"), ("<b>acc", "f1|x"))
    table = Finding("C & D.csv", "csv", 1, None, None, None, ("wide",), ("system", "rte"))
    return podium.Findings((tool, table), (LeftOut("C|E.json", 2, "no results of a tool"),), backend="polars")


@cache
def task_scores() -> podium.Scores:
    """One score per task of the same systems."""
    means = {task.name: task.values.mean(axis=1, keepdims=True) for task in scores().tasks}
    return replace(podium.from_arrays(means, systems=scores().systems), backend="polars")


@cache
def more_scores() -> podium.Scores:
    """Six systems, so many that items can be chosen by them."""
    tasks = {task.name: np.vstack([task.values, 1 - task.values[:2]]) for task in scores().tasks}
    return replace(podium.from_arrays(tasks, systems=[*scores().systems, "<i>", "E%"]), backend="polars")


def judged() -> podium.Scores:
    """Three systems, scored by a judge on 80 items of two tasks, and labelled by people on 30 of each."""
    rng = np.random.default_rng(5)
    truth = (rng.random((2, 3, 80)) < [[0.4], [0.6], [0.7]]).astype(np.float64)
    judge = np.where(rng.random(truth.shape) < 0.9, truth, 1 - truth)
    labels = np.where(np.arange(80) < 30, truth, np.nan)
    scores = podium.from_arrays({"<t0>": judge[0], "t1": judge[1]}, systems=["A_1", "<b>B", "c|d"])
    tasks = [replace(task, covariates={"human": own}) for task, own in zip(scores.tasks, labels, strict=True)]
    return replace(scores, tasks=tuple(tasks), human="human", backend="polars")


def prompted() -> podium.Scores:
    """The same three systems on 20 items of a task, by five prompts."""
    values = (np.random.default_rng(6).random((3, 20, 5)) < [[[0.4]], [[0.6]], [[0.7]]]).astype(np.float64)
    scores = podium.from_arrays({"<t0>": values}, systems=["A_1", "<b>B", "c|d"])
    repeats = Repeats(values, Statistic(), ("<p>", "C & D", "e|f", "g", "h"))
    return replace(scores, tasks=(replace(scores.tasks[0], repeats=repeats),), backend="polars")


def bias() -> Difficulty:
    """How often each of the 40 instances is easy for a bad reason."""
    return Difficulty(np.arange(40), (Measure("bias", np.linspace(0, 1, 40), "low"),))


SWEEP = podium.stresses.Sweep("scale", podium.stresses.Rescale, (0, 1, 9), "enlargement of one task")

EVENT = Event(3, "2026-10-01 12:00:00", "add", 1200, 1, 0, 4, 6, "C|E/")

#: One example of each kind.
EXAMPLES: dict[str, Callable[[], Result]] = {
    "Added": lambda: Added("b&c", 3, 1200, 0, 5, 0, 1, 0, 4, 6, backend="polars"),
    "BoardInfo": lambda: BoardInfo(
        "b&c", 3, "2026-10-01 12:00:00", 4, 1200, 2, 9000, 4, 6, "mean", {"<t0>": (True, False)}, backend="polars"
    ),
    "BoardLog": lambda: BoardLog("b&c", (EVENT,), backend="polars"),
    "Checked": lambda: Checked("b&c", 3, 9, 1200, "b&c: C|E.parquet is missing", backend="polars"),
    "Compacted": lambda: Compacted("b&c", 3, (9, 1), (9000, 3000), 2, 100, backend="polars"),
    "Benchmark": lambda: podium.tasks(scores()),
    "Allocation": lambda: podium.allocate(priced(), 12, settle="tiers", cost="$<b>", n_resamples=100),
    "Agreement": lambda: podium.agree(scores(), ["mean", "borda"]),
    "Correlations": lambda: podium.correlate(scores(), n_resamples=100),
    "Comparisons": lambda: podium.compare_all(scores(), control="A_1"),
    "Condorcet": lambda: podium.condorcet(scores()),
    "Customized": lambda: podium.customize(scores(), bias(), splits=3, confidence_level=0.9, n_resamples=100),
    "Description": lambda: podium.info(scores()),
    "Findings": findings,
    "Difficulty": lambda: podium.failures(scores()),
    "Frontier": lambda: podium.frontier(priced(), n_resamples=100, margin=0.1, budget=3),
    "Gate": lambda: podium.gate(
        scores().select(systems=["A_1"]), scores().select(systems=["<b>B"]), margin=0.1, names=("A_1", "<b>B")
    ),
    "HeadToHead": lambda: HeadToHead(podium.pairwise(scores()), podium.condorcet(scores()), ()),
    "History": lambda: podium.history({"<b>old": earlier(), "new": scores()}, confidence_level=0.9, n_resamples=100),
    "Influence": lambda: podium.influence(scores(), keep=3),
    "Judging": lambda: podium.judge(
        pl.DataFrame(judged_answers()), family_column="family", probability_column=["p", "q"]
    ),
    "MetaAnalysis": lambda: podium.compare(scores(), control="A_1", treatment="<b>B"),
    "Pairwise": lambda: podium.pairwise(scores()),
    "ItemPlan": lambda: replace(podium.plan_items(500, 0.005, rate=0.99, correlation=0.9), backend="polars"),
    "LabelPlan": lambda: podium.plan_labels(judged(), 0.05, method="mean"),
    "Plan": lambda: podium.plan(scores(), n_resamples=100),
    "Ranking": lambda: podium.rank(scores(), confidence_level=0.9, n_resamples=100),
    "Robustness": lambda: podium.stress(scores(), ["mean", "borda"], only=["scale"], repeats=2, n_jobs=1),
    "Prediction": lambda: podium.predict(more_scores().select(tasks=["!<t0>"]), podium.subset(more_scores(), items=12)),
    "Slices": lambda: podium.slices(scores(), n_resamples=100),
    "Subset": lambda: podium.subset(more_scores(), items=12),
    "TaskComparison": lambda: podium.compare_task_scores(task_scores(), control="A_1"),
    "Study": lambda: podium.study(scores(), [SWEEP], ["mean", "borda"], repeats=2, n_jobs=1),
}


@cache
def example(name: str) -> Result:
    """The example of a kind, made once."""
    return EXAMPLES[name]()
