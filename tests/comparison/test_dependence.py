"""Tasks that depend on each other: covariances from shared instances, clusters of tasks, and what cannot be pooled."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import podium
from podium.base.errors import InputError, LabelError, MethodError
from podium.comparison.dependence import robust_variance
from podium.comparison.result import MetaAnalysis
from podium.score.table import Scores
from support.compared import analysed

Floats = np.ndarray[Any, np.dtype[np.float64]]

KINDS = ("md", "smd", "corr", "rd", "or")


def items(number: int = 150) -> list[str]:
    return [f"item {place}" for place in range(number)]


def metrics(kind: str = "md", *, seed: int = 0, shared: int = 3, alone: int = 2, size: int = 150) -> dict[str, Floats]:
    """Scores of two systems: some tasks are metrics of the same items, others have items of their own."""
    rng = np.random.default_rng(seed)
    common, ability = rng.normal(size=(2, size)), np.array([[0.0], [0.3]])
    made = {f"metric {at}": common + 0.8 * rng.normal(size=(2, size)) + ability for at in range(shared)}
    made |= {f"other {at}": rng.normal(size=(2, size)) + ability for at in range(alone)}
    return {name: (one > 0).astype(float) for name, one in made.items()} if kind in {"rd", "or"} else made


def table(values: dict[str, Floats], **options: Any) -> Scores:
    labels = {name: items(one.shape[1]) for name, one in values.items() if name.startswith("metric")}
    return podium.from_arrays(values, systems=["A", "B"], **({"instances": labels} | options))


def compared(scores: Scores, kind: str = "md", **options: Any) -> podium.MetaAnalysis:
    return analysed(scores, control="A", treatment="B", effect=kind, **options)


def covariance(analysis: podium.MetaAnalysis) -> Floats:
    assert analysis.dependence is not None
    return analysis.dependence.covariance


def md(control: Floats, treatment: Floats) -> float:
    return float((treatment - control).mean())


def smd(control: Floats, treatment: Floats) -> float:
    difference, r = treatment - control, np.corrcoef(control, treatment)[0, 1]
    return float(difference.mean() / difference.std(ddof=1) * np.sqrt(2 * (1 - r)))


def corr(control: Floats, treatment: Floats) -> float:
    return float(np.arctanh(np.corrcoef(control, treatment)[0, 1]))


def odds_ratio(control: Floats, treatment: Floats) -> float:
    return float(np.log((treatment > control).sum() / (treatment < control).sum()))


def jackknife(effect: Callable[[Floats, Floats], float], values: Sequence[Floats]) -> Floats:
    """Correlation of effects over leaving out each item in turn."""
    left = [[effect(*np.delete(one, place, axis=1)) for place in range(one.shape[1])] for one in values]
    return np.asarray(np.corrcoef(left))


@pytest.mark.parametrize("kind", KINDS)
def test_correlations_are_those_of_the_jackknife(kind: str) -> None:
    values = metrics(kind, alone=0, size=400)
    found = covariance(compared(table(values), kind))
    effect = {"md": md, "rd": md, "smd": smd, "corr": corr, "or": odds_ratio}[kind]
    deviation = np.sqrt(np.diag(found))
    tolerance = 0.06 if kind == "smd" else 0.005  # the variance of `smd` has a term that assumes normal scores
    assert_allclose(found / np.outer(deviation, deviation), jackknife(effect, list(values.values())), atol=tolerance)


def test_the_covariance_of_means_is_that_of_their_differences() -> None:
    values = metrics()
    analysis = compared(table(values))
    differences = np.array([values[f"metric {at}"][1] - values[f"metric {at}"][0] for at in range(3)])
    expected = np.diag([task.variance for task in analysis.tasks])
    expected[:3, :3] = np.cov(differences) / 150
    assert_allclose(covariance(analysis), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_with_itself_a_task_has_its_variance_also_with_holes_and_weights(kind: str) -> None:
    values = metrics(kind, seed=1)
    values["metric 1"][0, :9] = np.nan
    scores = table(values)
    analysis = compared(scores, kind)
    found = covariance(analysis)
    assert_allclose(np.diag(found), [task.variance for task in analysis.tasks], rtol=0)
    assert (np.linalg.eigvalsh(found) > 0).all()
    assert_allclose(found, found.T, rtol=0)


def test_clusters_of_instances_are_drawn_together() -> None:
    values = metrics(alone=0)
    clusters = {name: [f"text {place // 3}" for place in range(150)] for name in values}
    analysis = compared(table(values, clusters=clusters))
    sums = np.array(
        [(one[1] - one[0] - (one[1] - one[0]).mean()).reshape(50, 3).sum(axis=1) for one in values.values()]
    )
    assert_allclose(covariance(analysis), sums @ sums.T * 50 / 49 / 150**2, rtol=1e-9)


def test_tables_without_sharing_are_pooled_as_before() -> None:
    values = metrics()
    apart = {name: [f"{name} {place:03}" for place in range(150)] for name in values}
    plain, labelled = (
        compared(podium.from_arrays(values, systems=["A", "B"], instances=labels)) for labels in (None, apart)
    )
    assert plain.dependence is labelled.dependence is None
    assert plain.summary == labelled.summary
    assert plain.without == labelled.without


def test_numbers_are_the_same_instances_if_effects_go_together() -> None:
    numbered = {name: list(range(1, 151)) for name in metrics()}
    same = compared(podium.from_arrays(metrics(), systems=["A", "B"], instances=numbered))
    assert same.dependence is not None
    rng = np.random.default_rng(0)
    alone = 0
    for _ in range(40):
        values = {name: rng.normal(size=(2, 150)) for name in numbered}
        found = compared(podium.from_arrays(values, systems=["A", "B"], instances=numbered))
        alone += found.dependence is None
    assert alone >= 30  # of a sum, and of the largest of ten, 0.95 · 0.95 are not large


def test_a_single_set_has_the_interval_of_the_model_and_says_so() -> None:
    analysis = compared(table(metrics(alone=0)))
    assert analysis.interval != "cr2"
    assert any("how far other test sets differ cannot be known" in note for note in analysis.notes)
    independent = compared(podium.from_arrays(metrics(alone=0), systems=["A", "B"]))
    assert analysis.summary.high - analysis.summary.low > independent.summary.high - independent.summary.low


def test_several_sets_have_a_robust_interval_unless_one_is_named() -> None:
    scores = table(metrics())
    robust, named = compared(scores), compared(scores, interval="normal")
    assert (robust.interval, named.interval) == ("cr2", "normal")
    assert robust.summary.effect == named.summary.effect
    assert robust.dependence is not None
    assert robust.dependence.sets == (("metric 0", "metric 1", "metric 2"),)
    assert robust.dependence.clusters == (("metric 0", "metric 1", "metric 2"), ("other 0",), ("other 1",))
    assert any("robust, over 3 clusters of tasks" in note for note in robust.notes)
    assert any("if their true effects are unrelated" in note for note in named.notes)
    assert any("CR2 over 3 clusters" in part for parts in robust.details for part in parts)


def test_ranger_knows_no_dependence() -> None:
    scores = table(metrics())
    analysis = compared(scores, like="ranger")
    assert analysis.dependence is None
    assert any("count as independent, as in Ranger" in note for note in analysis.notes)


@pytest.mark.parametrize("kind", ["md", "smd"])
def test_the_same_metric_twice_counts_once(kind: str) -> None:
    values = metrics()
    twice = values | {"metric again": 10 * values["metric 0"] if kind == "smd" else values["metric 0"]}
    once, both = compared(table(values), kind), compared(table(twice), kind)
    assert_allclose([both.summary.effect, both.summary.low], [once.summary.effect, once.summary.low], rtol=1e-9)
    assert both.tasks[-1].weight == 0
    assert "no weight, as other tasks tell the same of every instance: metric again" in both.notes
    # Without the first, its copy takes its place.
    assert_allclose(both.without[0].effect, once.summary.effect, rtol=1e-9)


def test_a_large_standardised_difference_covaries_with_its_copy_as_with_itself() -> None:
    values = metrics(shared=2)
    values["metric 0"][1] += 2
    found = covariance(compared(table(values | {"metric 1": values["metric 0"].copy()}), "smd"))
    assert found[0, 1] == pytest.approx(found[0, 0])


def test_a_mean_of_other_metrics_says_nothing_new() -> None:
    values = metrics()
    mean = np.mean([values[f"metric {at}"] for at in range(3)], axis=0)
    once, also = compared(table(values)), compared(table(values | {"metric mean": mean}))
    assert_allclose(also.summary.effect, once.summary.effect, rtol=1e-9)
    assert also.tasks[-1].weight == 0


def test_scores_of_any_size_are_pooled_alike() -> None:
    values = metrics()
    plain = compared(table(values)).summary
    for size in (1e-25, 1e120):
        other = compared(table({name: one * size for name, one in values.items()})).summary
        numbers = [other.effect, other.low, other.high, other.std_error, other.prediction_high]
        expected = [plain.effect, plain.low, plain.high, plain.std_error, plain.prediction_high]
        assert_allclose(np.divide(numbers, size), expected, rtol=1e-9)
        assert_allclose([other.q, other.i2, other.p, other.df], [plain.q, plain.i2, plain.p, plain.df], rtol=1e-9)


def test_a_matrix_without_covariances_is_a_list_of_variances() -> None:
    matrix, listed = (podium.pool([0.1, 0.4, 0.2], given) for given in (np.diag([0.1, 0.2, 0.1]), [0.1, 0.2, 0.1]))
    assert matrix.summary == listed.summary
    assert matrix.dependence is None


def test_tasks_that_share_instances_are_one_cluster_even_where_no_covariance_is_known() -> None:
    base = np.random.default_rng(0).normal(size=150)
    values = {f"metric {at}": np.vstack([base, base + 1 + at]) for at in range(3)}
    analysis = compared(table(values))
    assert analysis.dependence is not None
    assert len(analysis.dependence.clusters) == 1


def test_clusters_that_share_instances_are_one() -> None:
    analysis = compared(table(metrics()), cluster={"mine": ["metric 0", "other 0"]})
    assert analysis.dependence is not None
    assert analysis.dependence.clusters == (("metric 0", "metric 1", "metric 2", "other 0"), ("other 1",))


def test_clusters_of_one_task_are_hc2() -> None:
    residual, weight = np.array([0.3, -0.2, 0.1, -0.4]), np.array([1.0, 2.0, 4.0, 0.5])
    variance, _ = robust_variance(residual[None], np.diag(weight)[None], np.arange(4))
    share = weight / weight.sum()
    assert_allclose(variance, [(share**2 * residual**2 / (1 - share)).sum()], rtol=1e-12)


#: Variances, and what 80 digits of mpmath 1.4.1 give of `UNLIKE` for CR2: the mean, its standard error and freedom.
UNLIKE = [0.3, 0.1, 0.25, 0.4, -0.1, 0.2]
PRECISE = [
    ([1e-8, 1e-2, 1e-2, 1e-2, 1e-2, 1e-2], (0.29999935000325, 0.000230688825862436, 1.00000266666709)),
    ([1e4, 1e-2, 1e-2, 1e-2, 1e-2, 1e-2], (0.170000025999995, 0.0125830674767794, 1.79999989390061)),
]


@pytest.mark.parametrize(("variances", "exact"), PRECISE)
def test_variances_in_a_cluster_may_differ_by_a_million(variances: list[float], exact: tuple[float, ...]) -> None:
    cluster = {"a": ["task 1", "task 2", "task 3"], "b": ["task 4", "task 5"]}
    found = podium.pool(UNLIKE, variances, estimator="fixed", cluster=cluster).summary
    assert_allclose([found.effect, found.std_error, found.df], exact, rtol=1e-9)


def test_groups_that_share_instances_are_compared_with_their_covariance() -> None:
    values = metrics(alone=0, shared=4)
    groups = {"one": ["metric 0", "metric 1"], "two": ["metric 2", "metric 3"]}
    analysis = compared(table(values), groups=groups, estimator="fixed")
    matrix = covariance(analysis)
    weights = np.zeros((2, 4))
    for row, places in enumerate(([0, 1], [2, 3])):
        inverse = np.linalg.inv(matrix[np.ix_(places, places)])
        weights[row, places] = inverse.sum(axis=0) / inverse.sum()
    effects = np.array([task.effect for task in analysis.tasks])
    apart = weights[0] - weights[1]
    assert_allclose(analysis.between_q, (apart @ effects) ** 2 / (apart @ matrix @ apart), rtol=1e-9)


def test_more_tasks_than_instances_are_pooled() -> None:
    rng = np.random.default_rng(5)
    common = rng.normal(size=(2, 40))
    values = {f"metric {at}": common + rng.normal(size=(2, 40)) for at in range(120)}
    analysis = compared(table(values))
    assert np.isfinite([analysis.summary.low, analysis.summary.high]).all()
    assert sum(task.weight for task in analysis.tasks) == pytest.approx(1)
    assert any("correlations are smoothed" in note for note in analysis.notes)
    assert analysis.summary.high - analysis.summary.low > 0.3  # one test set of 40 items, whatever the metrics


@pytest.mark.parametrize(
    ("cluster", "error", "said"),
    [
        ({"all": ["*"]}, MethodError, "all 5 tasks are in cluster 'all', and a robust error needs two clusters"),
        ({"mine": ["metric 9"]}, LabelError, "there is no task 'metric 9'"),
        ({"a": ["other 0"], "b": ["other *"]}, LabelError, "task 'other 0' is in the clusters 'a' and 'b'; keep one"),
        (["metric 0"], LabelError, "clusters are given as headings with the tasks below each"),
    ],
)
def test_clusters_that_cannot_be(cluster: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        compared(table(metrics()), cluster=cluster)


def test_clusters_have_an_interval_of_their_own_and_moderators_need_independent_tasks() -> None:
    scores = table(metrics())
    with pytest.raises(MethodError, match="leave out interval 'normal', or the clusters"):
        compared(scores, cluster={"mine": ["metric *"]}, interval="normal")
    sizes = {name: float(place) for place, name in enumerate(metrics())}
    with pytest.raises(MethodError, match="moderators need tasks that are independent, and some share instances"):
        compared(scores, moderators={"size": sizes})


def test_moderators_say_the_way_out_of_clusters_and_it_is_one() -> None:
    def pooled(variances: Any, cluster: Any = None) -> MetaAnalysis:
        sizes = {"size": [1.0, 2.0, 3.0, 5.0]}
        return podium.pool([0.1, 0.2, 0.3, 0.5], variances, cluster=cluster, moderators=sizes)

    said = "the {} given say that they are not; leave the moderators out, or take one task of each {}"
    with pytest.raises(MethodError, match=said.format("clusters", "cluster")):
        pooled([0.01] * 4, {"x": ["task 1", "task 2"]})
    with pytest.raises(MethodError, match=said.format("covariances", "set")):
        pooled(np.diag([0.01] * 4) + 0.001)
    assert pooled([0.01] * 4, {"x": ["task 1"], "y": ["task 2"]}).moderation is not None


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (
            [[1.0, 1.0], [1.0, 1.0]],
            "the effects on 'task 1' and 'task 2' correlate perfectly; leave one of the two out",
        ),
        ([[1.0, 0.5], [0.4, 1.0]], "must be symmetric"),
        ([[1.0, 0.5], [0.5, 0.0]], "variances above 0"),
        ([[1.0, 2.0], [2.0, 1.0]], "larger than their variances allow"),
        ([[1.0, 0.5]], "give one for each effect"),
    ],
)
def test_matrices_that_are_none(matrix: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        podium.pool([0.1, 0.2], matrix)


def test_a_matrix_in_which_one_effect_follows_from_the_others() -> None:
    rng = np.random.default_rng(2)
    base = rng.normal(size=(3, 50))
    matrix = np.cov([*base, base.mean(axis=0)])
    with pytest.raises(InputError, match="follows from the others"):
        podium.pool([0.1, 0.2, 0.3, 0.2], matrix)
    impossible = np.full((3, 3), -0.9) + 1.9 * np.eye(3)
    with pytest.raises(InputError, match="negative eigenvalue"):
        podium.pool([0.1, 0.2, 0.3], impossible)


def test_equal_effects_keep_the_width_of_the_model() -> None:
    analysis = podium.pool([0.3] * 4, [0.01] * 4, cluster={"a": ["task 1", "task 2"]})
    assert analysis.summary.std_error == pytest.approx(0.05)
    assert analysis.summary.low < 0.29


@pytest.mark.parametrize(("variance", "hint"), [(0.01, False), (0.5, True)])
def test_few_clusters_of_very_different_sizes_are_a_hint(variance: float, hint: bool) -> None:
    analysis = podium.pool([0.1, 0.2, 0.3, 0.4], [0.01, 0.01, 0.02, variance], cluster={"a": ["task 1", "task 2"]})
    found = [note for note in analysis.notes if note.startswith("with 3 clusters and variances that differ 1 : 50")]
    assert bool(found) == hint
    assert all(note.endswith("this interval may be too narrow; take it as a hint") for note in found)


def test_a_task_that_follows_from_others_counts_where_not_all_of_them_are_there() -> None:
    values = metrics()
    values["metric 2"] = (values["metric 0"] + values["metric 1"]) / 2
    scores = table(values)
    pooled = compared(scores, groups={"one": ["metric 0"], "two": ["metric 2", "other *"]})
    assert pooled.tasks[2].weight == 0
    rest = compared(scores.select(tasks=["metric 1", "metric 2", "other 0", "other 1"])).summary
    assert_allclose([pooled.without[0].effect, pooled.without[0].low], [rest.effect, rest.low], rtol=1e-9)
    group = compared(scores.select(tasks=["metric 2", "other 0", "other 1"])).summary
    assert pooled.subgroups[1].summary.k == 3
    assert_allclose(pooled.subgroups[1].summary.effect, group.effect, rtol=1e-9)


def test_groups_of_related_tasks_are_not_tested_and_one_cluster_is_named() -> None:
    cluster = {"c": ["task 1", "task 2", "task 3"]}
    groups = {"A": ["task 1", "task 2", "task 3"], "B": ["task 4", "task 5", "task 6"]}
    analysis = podium.pool([0.1, 0.2, 0.15, 0.3, 0.5, 0.2], [0.01] * 6, cluster=cluster, groups=groups)
    assert np.isnan([analysis.between_q, analysis.between_p]).all()
    assert not any("between groups" in part for parts in analysis.details for part in parts)
    assert any(note.startswith("groups are not tested against each other") for note in analysis.notes)
    assert "one cluster has all tasks of A: its interval holds only if true effects are unrelated" in analysis.notes


def test_a_summary_without_the_only_other_cluster_has_no_interval() -> None:
    cluster = {"c": ["task 1", "task 2", "task 3"]}
    analysis = podium.pool([0.2, 0.25, 0.3, 0.1], [0.01] * 4, cluster=cluster)
    assert np.isnan([analysis.without[3].low, analysis.without[3].p]).all()
    assert np.isfinite(analysis.without[0].low)
    assert not any("would no longer contain" in note for note in analysis.notes)
