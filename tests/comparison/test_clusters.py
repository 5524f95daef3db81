"""Effects on instances in clusters: variances of whole clusters."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import podium
from podium.base.errors import MethodError
from podium.comparison.effects import design_effect, influences
from podium.comparison.result import MetaAnalysis
from podium.score.table import Scores
from support.compared import all_analysed, analysed

Floats = np.ndarray[Any, np.dtype[np.float64]]

#: Made up; statsmodels 0.15.0, OLS on a constant with cov_type="cluster", gives the variances below.
OF = [0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 4, 5]
TREATMENT = [0.63, 0.9, 0.78, 0.43, 0.5, 1.27, 0.01, 0.82, 0.8, 0.47, 0.5, 0.48, 0.65]
CONTROL = [0.45, 0.5, 0.55, 1.3, 1.09, 0.62, 1.29, 0.52, 0.46, 0.91, 0.04, 0.04, 0.81]


def compared(scores: Scores, kind: str = "md", **options: object) -> MetaAnalysis:
    return analysed(scores, control="A", treatment="B", effect=kind, **options)


def table(arrays: dict[str, Any], clusters: Any) -> Scores:
    return podium.from_arrays(arrays, systems=["A", "B"], clusters=clusters)


def test_the_variance_of_a_mean_difference_is_that_of_statsmodels() -> None:
    (task,) = compared(table({"t": [CONTROL, TREATMENT]}, OF)).tasks
    assert task.effect == pytest.approx(-0.026153846153846184, abs=1e-12)
    assert task.variance == pytest.approx(0.03624373096180112, rel=1e-9)
    (of_mean,) = compared(table({"t": [[0.0] * 13, TREATMENT]}, OF)).tasks
    assert of_mean.variance == pytest.approx(0.006803476068765116, rel=1e-9)


def test_it_is_the_formula_of_miller_with_the_correction_for_few_clusters() -> None:
    (task,) = compared(table({"t": [CONTROL, TREATMENT]}, OF), like="ranger").tasks
    departures = np.subtract(TREATMENT, CONTROL)
    departures -= departures.mean()
    together = sum(departures[i] * departures[j] for i in range(13) for j in range(13) if OF[i] == OF[j])
    assert task.variance == pytest.approx(together / 13**2, rel=1e-9)


@pytest.mark.parametrize("kind", ["md", "smd", "corr", "rd", "or"])
def test_an_instance_a_cluster_changes_nothing_and_copies_tell_nothing_new(kind: str) -> None:
    rng = np.random.default_rng(3)
    common = rng.normal(size=(3, 1, 30))
    values = common + rng.normal(size=(3, 2, 30))
    if kind in {"rd", "or"}:
        values = (values > 0).astype(float)
    arrays = {f"t{number}": one for number, one in enumerate(values)}
    labels = {name: [f"{name} {place}" for place in range(30)] for name in arrays}
    plain, alone = (compared(table(arrays, clusters), kind) for clusters in (None, labels))
    assert_allclose([one.variance for one in alone.tasks], [one.variance for one in plain.tasks], rtol=1e-9)
    assert alone.summary.effect == pytest.approx(plain.summary.effect)
    copied = {name: np.repeat(one, 400, axis=1) for name, one in arrays.items()}
    often = compared(table(copied, {name: np.repeat(some, 400) for name, some in labels.items()}), kind)
    # small-sample corrections, (n − 1) and (n − 3) of 30, do not see the copies
    assert_allclose([one.variance for one in often.tasks], [one.variance for one in plain.tasks], rtol=0.2)


def test_influences_are_derivatives() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 20))
    weights = np.ones(20)
    right = (rng.random((2, 20)) > 0.4).astype(float)

    def correlation(weights: Floats) -> float:
        covariance = np.cov(x, y, aweights=weights)
        return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))

    def log_odds(weights: Floats) -> float:
        return float(np.log(weights[right[0] > right[1]].sum() / weights[right[0] < right[1]].sum()))

    for kind, (treatment, control), effect in (("corr", (x, y), correlation), ("or", right, log_odds)):
        steps = [effect(weights + 1e-6 * (np.arange(20) == place)) - effect(weights) for place in range(20)]
        found = influences(treatment, control, weights, kind)
        scale = 20 if kind == "corr" else 1
        assert_allclose(np.array(steps) / 1e-6 * scale, found, atol=1e-4)


def test_clusters_that_cancel_make_an_effect_surer() -> None:
    assert design_effect(np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4), np.array([0, 0, 1, 1])) == 0
    assert design_effect(np.zeros(6), np.ones(6), np.array([0, 0, 1, 1, 2, 2])) == 2


def test_what_is_said_of_clusters() -> None:
    rng = np.random.default_rng(6)
    values = {name: rng.normal(size=(2, 40)) for name in ("t", "u", "v", "w")}
    clusters = {name: [f"p{place % 20}" for place in range(40)] for name in ("t", "u")}
    clusters |= {"v": [f"v{place % 5}" for place in range(40)], "w": ["all"] * 40}
    analysis = compared(table(values, clusters))
    assert [task.task for task in analysis.tasks] == ["t", "u", "v"]
    for said in (
        "left out (all instances are in one cluster): w",
        "the variance of each effect is that of whole clusters, 25 over all tasks",
        "fewer than 10 clusters on v, so the variance there is uncertain",
        "tasks share clusters (1 set), so their covariance is used; the interval is robust, over 2 clusters of tasks",
    ):
        assert said in analysis.notes


def shared_clusters(*names: str, passages: int = 20) -> Scores:
    """Tasks with instances of their own about the same passages."""
    rng = np.random.default_rng(11)
    values = {name: rng.normal(size=(2, 80)) for name in names}
    return table(values, {name: [f"p{place % passages}" for place in range(80)] for name in names})


def test_tasks_that_share_clusters_are_not_said_to_share_instances() -> None:
    analysis = compared(shared_clusters("t", "u", "v"))
    notes = set(analysis.notes)
    assert "the variance of each effect is that of whole clusters, 20 over all tasks" in notes
    assert "fewer than ten clusters for each task that shares them, so their correlations are smoothed" in notes
    assert any(note.startswith("tasks share clusters (1 set), so their covariance is used; how far") for note in notes)
    assert "covariance of tasks that share clusters" in analysis.details[-1]
    ranger = "tasks that share clusters (1 set) count as independent, as in Ranger: the interval is too narrow"
    assert ranger in compared(shared_clusters("t", "u"), like="ranger").notes
    sizes = {"size": {"t": 1.0, "u": 2.0, "v": 3.0}}
    with pytest.raises(MethodError, match="some share clusters; keep one of each set"):
        compared(shared_clusters("t", "u", "v"), moderators=sizes)


def test_few_instances_and_shared_clusters_are_told_apart() -> None:
    rng = np.random.default_rng(12)
    items = {name: [f"item {place}" for place in range(12)] for name in ("x", "y", "z")}
    few = podium.from_arrays({name: rng.normal(size=(2, 12)) for name in items}, systems=["A", "B"], instances=items)
    many = shared_clusters("t", "u", passages=40)
    notes = compared(replace(many, tasks=(*many.tasks, *few.tasks))).notes
    assert any(note.startswith("tasks share instances or clusters (2 sets), so") for note in notes)
    assert "fewer than ten instances for each task that shares them, so their correlations are smoothed" in notes


def test_a_cluster_without_a_common_score_and_one_that_is_only_numbered() -> None:
    scores = shared_clusters("t", "u")
    holes = [task.values.copy() for task in scores.tasks]
    for values in holes:
        values[0, ::20] = np.nan  # the passage p0
    labels = {task.name: task.clusters.labels for task in scores.tasks if task.clusters is not None}
    missing = table({"t": holes[0], "u": holes[1]}, labels)
    numbered = table({"t": holes[0], "u": holes[1]}, {name: [str(place % 20) for place in range(80)] for name in "tu"})
    said = "the variance of each effect is that of whole clusters, {} over all tasks"
    assert said.format(19) in compared(missing).notes
    assert said.format(38) in compared(numbered).notes  # these count as independent


def test_mcnemar_takes_instances_as_independent_and_is_left_out() -> None:
    rng = np.random.default_rng(8)
    right = (rng.random((2, 30)) > 0.5).astype(float)
    (task,) = compared(table({"t": right}, [place // 3 for place in range(30)]), "rd").tasks
    assert task.better is not None
    assert np.isnan(task.mcnemar)


def test_many_systems_against_one() -> None:
    rng = np.random.default_rng(9)
    values = rng.normal(size=(4, 36))
    values[2, :5] = np.nan
    scores = podium.from_arrays({"t": values}, clusters=[place // 4 for place in range(36)])
    together = all_analysed(scores, control="system 1")
    for one in together.analyses:
        alone = analysed(scores, control="system 1", treatment=one.treatment)
        assert one.tasks[0].variance == pytest.approx(alone.tasks[0].variance)
