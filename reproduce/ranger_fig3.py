"""Sertkan et al. 2023, Fig. 1 and 3: a neural retriever against another on seven collections, and the pooled effect."""

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray
from outcome import Absent, Claim, Finding, Numbers, Section, judged, stated
from ranger import against, minus
from released import IMAGES, clone

import podium
from podium.comparison.pooling import Pooled, pool
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Summary

__all__ = ["PRINTED", "ROBUST", "pooled", "section"]

Floats = NDArray[np.float64]

#: Effect and interval, as the notebook released with the paper prints them; the figures have fewer digits.
PRINTED = {
    "TREC Covid": "0.184815 [0.103532, 0.266098]",
    "TripClick": "0.008639 [0.002441, 0.014837]",
    "NFCorpus": "0.007292 [-0.001984, 0.016567]",
    "DBPedia Entity": "0.031409 [0.019186, 0.043631]",
    "Antique": "0.122602 [0.101534, 0.143670]",
    "TREC Podcast": "0.025695 [-0.006533, 0.057922]",
    "TREC Robust 04": "0.029387 [0.008951, 0.049824]",
}
SUMMARY = "0.045925 [0.020472, 0.071378]"
WEIGHTS = "6.2%, 16.8%, 16.6%, 16.4%, 15.2%, 13.4%, 15.3%"
#: The one whose relevance labels are too large to be at hand.
ROBUST = "TREC Robust 04"
LABELS = Absent(["robust"], "its relevance labels are not at hand here")
CONTROL, TREATMENT = "tasb_dim768_hf", "colberter_dim1"

PICTURE = "reproduce-ranger-fig3.svg"
#: Half a normal interval of 95%, in standard errors.
_NORMAL = 1.959963984540054
#: An effect that loses a larger share is much smaller.
_MUCH = 0.2
#: Simulated analyses.
DRAWS = 20_000

TEXT = """
The notebook released with the paper prints the table of Figure 3 to six digits. From the released runs and relevance
labels podium finds the same for {collections}. The seven printed effects are then pooled again.

**"Significantly positive" rests on the interval.** Ranger estimates τ² by DerSimonian and Laird and takes a normal
interval, as if τ² were known. With seven collections this different it is not: where the truth is as REML estimates
it, such intervals of 95% contain it in {dl:.0%} of {draws:,} simulated analyses, those of Knapp and Hartung with REML
in {reml:.0%}. The latter contain 0: {seven} of the seven printed effects, {six} of those that are computed here.

The two largest effects are where one system has many more judged documents (J@10). They are not much smaller on judged
documents alone, as the second table shows.
"""


def section() -> Section:
    """Compare the systems on the collections that are at hand, and pool all seven."""
    analysis = _compared("nDCG@10")
    effects, variances = _effects()
    drawn = podium.pool(effects, variances, tasks=tuple(PRINTED), kind="md", estimator="reml", interval="knapp-hartung")
    podium.plots.save(podium.plots.forest(drawn), IMAGES / PICTURE)
    six = against(_scores("nDCG@10"), CONTROL, TREATMENT, way="reml").summary
    seven = pooled("reml", "knapp-hartung")
    return Section(
        "Sertkan et al., Figures 1 and 3: TAS-B and ColBERTer on seven collections",
        stated(TEXT, _held(analysis, six, seven)).format(
            collections=", ".join(task.task for task in analysis.tasks),
            dl=_coverage("dl", "normal"),
            reml=_coverage("reml", "knapp-hartung"),
            draws=DRAWS,
            seven=_told(seven),
            six=_told(six),
        ),
        [
            *(_row(name) for name in PRINTED),
            judged(
                "weights, of the seven printed effects",
                Numbers.read(WEIGHTS),
                (100 * pooled("dl", "normal").weight).tolist(),
            ),
            _summary(),
            _unclear(),
            *_small(),
            _greater(),
            _significant(),
        ],
        [["", "n", "nDCG@10", "J@10", "effect", "effect on judged documents alone"], *_more(analysis)],
        [(PICTURE, "The seven printed effects, with the summary by REML and the interval of Knapp and Hartung")],
    )


@cache
def _scores(measure: str) -> podium.Scores:
    folder = clone("ranger") / "examples" / "retrieval-colberter-data"
    there = (folder / "qrels" / "robust04_qrels.txt").exists()
    return podium.read_locations(folder / "config.yaml", measure, tasks=None if there else [f"!{ROBUST}"])


@cache
def _compared(measure: str) -> MetaAnalysis:
    """As Ranger computes it."""
    return against(_scores(measure), CONTROL, TREATMENT)


def _effects() -> tuple[Floats, Floats]:
    """Shape `(7,)` each: the printed effects, and the variances that their intervals come from."""
    rows = np.array([Numbers.read(text).values for text in PRINTED.values()])
    variances: Floats = ((rows[:, 2] - rows[:, 1]) / (2 * _NORMAL)) ** 2
    return rows[:, 0], variances


def pooled(estimator: str, interval: str) -> Pooled:
    """The seven printed effects."""
    return pool(*_effects(), estimator=estimator, interval=interval)


def _coverage(estimator: str, interval: str) -> float:
    """Share of the intervals that contain the mean effect, with τ² and variances as here."""
    _, variances = _effects()
    spread = np.sqrt(variances + pooled("reml", "knapp-hartung").tau2)
    drawn = np.random.default_rng(2023).normal(0, spread, (DRAWS, spread.size))
    found = pool(drawn, np.broadcast_to(variances, drawn.shape), estimator=estimator, interval=interval, profile=False)
    return float(np.mean((found.low <= 0) & (found.high >= 0)))


def _told(found: Summary | Pooled) -> str:
    return minus(f"{float(found.low):.3f} to {float(found.high):.3f} (p = {float(found.p):.2f})")


def _held(analysis: MetaAnalysis, six: Summary, seven: Pooled) -> Mapping[str, bool]:
    """What the text says in words."""
    judged_share, alone = (_compared(measure).tasks for measure in ("Judged@10", "nDCG(judged_only=True)@10"))
    effects = np.array([task.effect for task in analysis.tasks])
    more = np.array([share.effect for share in judged_share])
    largest = effects >= np.sort(effects)[-2]
    left = np.array([one.effect for one in alone])[largest] / effects[largest]
    return {
        "podium finds the same": all(_row(task.task).verdict == _summary().verdict for task in analysis.tasks),
        "The latter contain 0": bool(max(float(six.low), float(seven.low)) < 0),
        "where one system has many more judged documents": bool(more[largest].min() > more[~largest].max()),
        "They are not much smaller": bool(left.min() > 1 - _MUCH),
    }


def _row(name: str) -> Finding:
    what = f"{name}: effect and interval"
    found = {task.task: [task.effect, task.low, task.high] for task in _compared("nDCG@10").tasks}
    if name not in found:
        return judged(what, Numbers.read(PRINTED[name]), LABELS)
    return judged(what, Numbers.read(PRINTED[name]), found[name])


def _summary() -> Finding:
    found = pooled("dl", "normal")
    return judged(
        "summary of the seven printed effects, by Eq. 9 to 12",
        Numbers.read(SUMMARY),
        [float(found.estimate), float(found.low), float(found.high)],
    )


def _unclear() -> Finding:
    names = ("NFCorpus", "TREC Podcast")
    found = [task for task in _compared("nDCG@10").tasks if task.task in names]
    return judged(
        f"{names[0]} and {names[1]}: positive, not significant",
        Claim("in words", lambda tasks: all(task.low < 0 < task.effect for task in tasks)),
        found,
        shown=", ".join(f"p = {task.p:.2f}" for task in found),
    )


def _small() -> Iterator[Finding]:
    tasks = {task.task: task for task in _compared("nDCG@10").tasks}
    for name in ("TripClick", "DBPedia Entity", ROBUST):
        yield judged(
            f"{name}: small, positive and significant",
            Claim("in words", lambda low: bool(low > 0)),
            tasks[name].low if name in tasks else LABELS,
            shown=f"from {tasks[name].low:.3f}" if name in tasks else "",
        )


def _greater() -> Finding:
    tasks = _compared("nDCG@10").tasks
    effects = np.array([task.effect for task in tasks])
    large = np.isin([task.task for task in tasks], ["Antique", "TREC Covid"])
    return judged(
        "Antique and TREC Covid: greater than the others at hand",
        Claim("in words", lambda found: bool(found[large].min() > found[~large].max())),
        effects,
        shown=f"{effects[large].min():.2f} and {effects[large].max():.2f}, the others {effects[~large].max():.2f} or "
        "less",
    )


def _significant() -> Finding:
    found, normal = pooled("reml", "knapp-hartung"), pooled("dl", "normal")
    new = f"between {float(found.prediction_low):.2f} and {float(found.prediction_high):.2f}"
    return judged(
        "the summary of the seven printed effects is significantly positive",
        Claim("in words", lambda pooling: bool(pooling.low > 0)),
        found,
        {"a normal interval around the estimate of DerSimonian and Laird, which is too narrow here": normal},
        shown=f"by REML with Knapp and Hartung {float(found.estimate):.3f}, {_told(found)}",
        note=minus(f"on a new collection expect an effect {new}"),
    )


def _more(analysis: MetaAnalysis) -> list[list[str]]:
    judged_share, alone = (_compared(measure).tasks for measure in ("Judged@10", "nDCG(judged_only=True)@10"))
    return [
        [
            task.task,
            f"{task.n:,}",
            f"{task.control_mean:.3f} → {task.treatment_mean:.3f}",
            f"{share.control_mean:.3f} → {share.treatment_mean:.3f}",
            f"{task.effect:.3f}",
            minus(f"{one.effect:.3f} [{one.low:.3f}, {one.high:.3f}]"),
        ]
        for task, share, one in zip(analysis.tasks, judged_share, alone, strict=True)
    ]
