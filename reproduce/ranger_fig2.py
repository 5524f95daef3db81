"""Sertkan et al. 2023, Fig. 2: DistilBERT against BERT on seven tasks of GLUE."""

from collections.abc import Callable
from functools import cache
from typing import Literal

from outcome import Claim, Finding, Numbers, Section, judged
from ranger import against, minus
from released import file

import podium
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import TaskEffect

__all__ = ["section"]

#: Effect and interval by the standardized mean difference, as the notebook released with the paper prints them.
PRINTED = {
    "mnli": "-0.067849 [-0.085384, -0.050313]",
    "mrpc": "-0.052792 [-0.134490, 0.028905]",
    "qnli": "-0.070396 [-0.096386, -0.044407]",
    "qqp": "-0.037032 [-0.045924, -0.028139]",
    "rte": "-0.154184 [-0.295581, -0.012787]",
    "sst2": "-0.048062 [-0.100064, 0.003941]",
    "wnli": "0.224380 [0.008046, 0.440713]",
}
SUMMARY = "-0.054860 [-0.078603, -0.031118]"
MEANS = "the mean difference, not the standardized one that the paper says it takes"

TEXT = """
The released accuracies of each instance, by `podium.compare(…, like="ranger")`. The paper says that it takes the
standardized mean difference, and so does its notebook. The numbers in the text are mean differences, in points of
accuracy. The picture of these effects is in [compare.md](compare.md).
"""


def section() -> Section:
    """Compare the systems by both effects."""
    return Section(
        "Sertkan et al., Figure 2: BERT and DistilBERT on GLUE",
        TEXT,
        [
            *(_row(name, printed) for name, printed in PRINTED.items()),
            judged(
                "summary",
                Numbers.read(SUMMARY),
                _of("smd", lambda found: [found.summary.effect, found.summary.low, found.summary.high]),
            ),
            _either("summary, in percent", "-2%", lambda found: [100 * found.summary.effect]),
            _either(
                "effects on RTE and WNLI, in percent",
                "-8%, 11%",
                lambda found: [100 * _task(found, name).effect for name in ("rte", "wnli")],
            ),
            _weights(),
            _unclear(),
            _clear(),
            _significant(),
            _consistent(),
        ],
    )


@cache
def _compared(effect: str, way: Literal["ranger", "reml"] = "ranger") -> MetaAnalysis:
    scores = podium.read(file("effects/glue_accuracy.parquet"))
    return against(scores, "bert-base-cased", "distilbert-base-cased", effect, way)


def _of(effect: str, number: Callable[[MetaAnalysis], list[float]]) -> list[float]:
    return number(_compared(effect))


def _task(found: MetaAnalysis, name: str) -> TaskEffect:
    return next(task for task in found.tasks if task.task == name)


def _row(name: str, printed: str) -> Finding:
    task = _task(_compared("smd"), name)
    return judged(f"{name}: effect and interval", Numbers.read(printed), [task.effect, task.low, task.high])


def _either(what: str, printed: str, number: Callable[[MetaAnalysis], list[float]]) -> Finding:
    return judged(what, Numbers.read(printed), _of("smd", number), {MEANS: _of("md", number)})


def _weights() -> Finding:
    def weights(found: MetaAnalysis, *names: str) -> list[float]:
        return [100 * _task(found, name).weight for name in names]

    means = _compared("md")
    return judged(
        "weights of RTE and WNLI",
        Numbers.read("0.7%, 1.7%"),
        weights(_compared("smd"), "rte", "wnli"),
        {MEANS: weights(means, "rte", "wnli"), f"{MEANS}, and the two exchanged": weights(means, "wnli", "rte")},
    )


def _unclear() -> Finding:
    tasks = [_task(_compared("smd"), name) for name in ("mrpc", "sst2")]
    return judged(
        "MRPC and SST-2: negative, not significant",
        Claim("in words", lambda found: all(task.effect < 0 < task.high for task in found)),
        tasks,
        shown=", ".join(f"p = {task.p:.2f}" for task in tasks),
    )


def _clear() -> Finding:
    tasks = [_task(_compared("smd"), name) for name in ("mnli", "qnli", "qqp")]
    return judged(
        "MNLI, QNLI and QQP: like the summary, with narrow intervals",
        Claim("in words", lambda found: all(task.high < 0 for task in found)),
        tasks,
        shown=minus(", ".join(f"{task.effect:.3f}" for task in tasks)),
    )


def _significant() -> Finding:
    found = _compared("smd", "reml").summary
    return judged(
        "the summary is significant",
        Claim("in words", lambda summary: bool(summary.high < 0)),
        found,
        shown=minus(f"by REML with Knapp and Hartung {found.low:.3f} to {found.high:.3f} (p = {found.p:.3f})"),
    )


def _consistent() -> Finding:
    found = _compared("md", "reml")
    better = [task for task in found.tasks if task.low > 0]
    ends = (100 * found.summary.prediction_low, 100 * found.summary.prediction_high)
    return judged(
        "DistilBERT decreases effectiveness consistently",
        Claim("in words", lambda tasks: all(task.effect < 0 for task in tasks)),
        found.tasks,
        shown=", ".join(f"on {task.task} {100 * task.effect:.0f} points better (p = {task.p:.2f})" for task in better),
        note=minus(f"on a new task expect between {ends[0]:.1f} and {ends[1]:.1f} points"),
    )
