"""`podium.compare`: what is paired with what, what is left out and said, and how one answer follows from another."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import podium
from podium.comparison.effects import EFFECTS
from podium.comparison.result import MetaAnalysis
from podium.errors import InputError, LabelError, MethodError
from podium.score.table import Scores
from support.compared import all_analysed, analysed
from support.shown import rendered

KINDS = ("md", "smd", "corr", "rd", "or")


def world(*, tasks: int = 5, instances: int = 40, seed: int = 0, binary: bool = False) -> Scores:
    """Three systems whose scores go together, on tasks of different difficulty."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for number in range(tasks):
        common = rng.normal(size=instances)
        values = np.array([common + 0.2 * system + rng.normal(size=instances) for system in range(3)])
        arrays[f"t{number}"] = (values > 0).astype(float) if binary else values
    return podium.from_arrays(arrays, systems=["A", "B", "C"])


def compared(scores: Scores, **options: object) -> MetaAnalysis:
    return analysed(scores, control="A", treatment="B", **options)


def numbers(analysis: MetaAnalysis) -> NDArray[np.float64]:
    """Everything that must not change where nothing has."""
    tasks = [(one.effect, one.variance, one.low, one.high, one.p, one.weight) for one in analysis.tasks]
    summary = [value for value in analysis.to_dict()["summary"].values() if value is not None]
    return np.array([*np.ravel(tasks), *summary])


@pytest.mark.parametrize("kind", ["md", "smd", "rd", "or"])
def test_treatment_and_control_change_places(kind: str) -> None:
    scores = world(binary=True)
    there = compared(scores, effect=kind)
    back = analysed(scores, control="B", treatment="A", effect=kind)
    effect, high = there.summary.effect, there.summary.high
    turned = [1 / effect, 1 / high] if kind == "or" else [-effect, -high]
    assert [back.summary.effect, back.summary.low] == pytest.approx(turned)
    assert [one.better for one in back.tasks] == [one.worse for one in there.tasks]
    assert [one.weight for one in back.tasks] == pytest.approx([one.weight for one in there.tasks])


@pytest.mark.parametrize("kind", KINDS)
def test_lower_is_better_turns_scores(kind: str) -> None:
    scores = world(binary=True)
    flipped = podium.from_arrays(
        {task.name: 1 - task.values for task in scores.tasks}, systems=scores.systems
    ).with_directions(lower=["*"])
    assert_allclose(numbers(compared(flipped, effect=kind)), numbers(compared(scores, effect=kind)), rtol=1e-9)
    first = compared(flipped, effect=kind).tasks[0]
    means = flipped.tasks[0].values.mean(axis=1)
    assert (first.control_mean, first.treatment_mean) == pytest.approx((means[0], means[1]))


@given(st.permutations(range(12)), st.sampled_from(["md", "smd", "corr"]))
def test_instances_are_paired_by_label(order: list[int], kind: str) -> None:
    values = np.random.default_rng(1).normal(size=(2, 12))
    frame = {"A": {"t": {f"i{i}": values[0, i] for i in range(12)}}, "B": {"t": {f"i{i}": values[1, i] for i in order}}}
    straight = podium.from_arrays({"t": values}, systems=["A", "B"])
    assert_allclose(
        numbers(compared(podium.from_dict(frame), effect=kind)), numbers(compared(straight, effect=kind)), rtol=1e-9
    )


def test_instances_of_one_system_only_are_left_out_and_said() -> None:
    values = np.random.default_rng(2).normal(size=(2, 30))
    holes = values.copy()
    holes[0, :4], holes[1, 4:6] = np.nan, np.nan
    analysis = compared(podium.from_arrays({"t": holes, "u": values}, systems=["A", "B"]))
    whole = compared(podium.from_arrays({"t": values[:, 6:], "u": values}, systems=["A", "B"]))
    assert_allclose(numbers(analysis), numbers(whole))
    assert (analysis.tasks[0].n, analysis.tasks[0].control_only, analysis.tasks[0].treatment_only) == (24, 2, 4)
    assert analysis.tasks[0].control_mean == pytest.approx(values[0, 6:].mean())
    assert "not used: 6 instances with a score for only one of the two systems, on t" in analysis.notes
    assert not any("left out" in note for note in whole.notes)


@pytest.mark.parametrize("kind", KINDS)
def test_a_task_with_too_few_common_instances_is_left_out_and_named(kind: str) -> None:
    scores = world(binary=True, tasks=3)
    few = scores.tasks[0].values.copy()
    few[0, EFFECTS[kind].least - 1 :] = np.nan
    arrays = {"short": few, **{task.name: task.values for task in scores.tasks}}
    analysis = compared(podium.from_arrays(arrays, systems=scores.systems), effect=kind)
    assert [one.task for one in analysis.tasks] == ["t0", "t1", "t2"]
    assert any(f"short ({EFFECTS[kind].least - 1})" in note for note in analysis.notes)
    assert_allclose(numbers(analysis), numbers(compared(scores, effect=kind)))


def test_identical_systems_differ_by_nothing_and_that_is_not_certain() -> None:
    scores = world(binary=True)
    twins = podium.from_arrays({task.name: task.values[[0, 0]] for task in scores.tasks}, systems=["A", "B"])
    for kind, null in (("md", 0.0), ("smd", 0.0), ("rd", 0.0), ("or", 1.0)):
        analysis = compared(twins, effect=kind)
        assert analysis.summary.effect == null
        assert analysis.summary.low < null < analysis.summary.high
        assert np.isfinite(numbers(analysis)).all()
        assert any("on t0, t1" in note for note in analysis.notes)
    assert compared(twins, effect="corr").summary.effect == pytest.approx(1 - 1 / 40)


def test_a_task_without_differences_does_not_outweigh_the_others() -> None:
    scores = world(binary=True)
    tied = np.repeat(scores.tasks[0].values[:1], 3, axis=0)
    arrays = {**{task.name: task.values for task in scores.tasks}, "tied": tied}
    analysis = compared(podium.from_arrays(arrays, systems=scores.systems))
    tied_task = analysis.tasks[-1]
    assert (tied_task.effect, tied_task.better, tied_task.worse) == (0, 0, 0)
    # as if on one of the 40 instances the two had been scored without regard to each other
    assert tied_task.variance == pytest.approx(2 * tied[0].var() / 40**2)
    precise = [1 / (one.variance + analysis.summary.tau2) for one in analysis.tasks]
    assert [one.weight for one in analysis.tasks] == pytest.approx((np.array(precise) / sum(precise)).tolist())


def test_constant_scores_say_nothing() -> None:
    scores = world()
    arrays = {"same": np.ones((3, 40)), **{task.name: task.values for task in scores.tasks}}
    analysis = compared(podium.from_arrays(arrays, systems=scores.systems))
    assert "left out (the scores do not vary): same" in analysis.notes
    with pytest.raises(MethodError, match=r"cannot be compared with 'A' on any task: .*do not vary.*: same"):
        compared(podium.from_arrays({"same": np.ones((3, 40))}, systems=scores.systems))


ALIKE = "differences are rare or skewed, so weights would depend on effects; tasks count as equally precise"


@pytest.mark.parametrize("depth", [1.0, 0.3])
def test_where_weights_would_follow_effects_tasks_count_as_equally_precise(depth: float) -> None:
    """Failures are rare, so that a task has the smaller variance the fewer there happen to be."""
    failed = (1, 4, 0, 2, 1, 3)
    arrays = {f"t{at}": np.ones((2, 50)) for at in range(len(failed))}
    for own, number in zip(arrays.values(), failed, strict=True):
        own[1, :number] -= depth
    scores = podium.from_arrays(arrays, systems=["A", "B"])
    analysis = compared(scores)
    effects = [-depth * number / 50 for number in failed]
    assert [one.effect for one in analysis.tasks] == pytest.approx(effects)
    share = np.array(failed) / 50
    size = depth * np.average(1 - 2 * share, weights=share * (1 - share))  # m₃ / s²
    assert analysis.tasks[2].variance == pytest.approx((size / 50) ** 2)  # as if it had failed once
    assert [one.weight for one in analysis.tasks] == pytest.approx([1 / 6] * 6)
    pooled = podium.pool(effects, [np.mean([one.variance for one in analysis.tasks])] * 6).summary
    assert analysis.summary.effect == pytest.approx(np.mean(effects))
    assert (analysis.summary.low, analysis.summary.high) == pytest.approx((pooled.low, pooled.high))
    assert ALIKE in analysis.notes
    weighed = compared(scores, interval="adhoc")  # as in metafor
    assert ALIKE not in weighed.notes
    assert len(weighed) == 5
    assert weighed.summary.effect > analysis.summary.effect
    for usual in (world(), world(binary=True), world(instances=12)):
        assert ALIKE not in compared(usual).notes


def test_a_difference_without_any_deviation_is_refused() -> None:
    scores = world(binary=True)
    lost = np.repeat([[1.0], [0.0], [1.0]], 40, axis=1)
    arrays = {"lost": lost, **{task.name: task.values for task in scores.tasks}}
    scores = podium.from_arrays(arrays, systems=scores.systems)
    with pytest.raises(MethodError, match=r"of task 'lost', 'B' has one score and 'A' another.*'md' or 'rd'"):
        compared(scores, effect="smd")
    others = all_analysed(scores, control="A", effect="smd")
    assert [one.treatment for one in others.analyses] == ["C"]
    assert any(note.startswith("left out: B") for note in others.notes)
    for kind in ("md", "rd"):
        assert compared(scores, effect=kind).tasks[0].effect == -1


def test_two_tasks_say_next_to_nothing_about_others() -> None:
    low, high = compared(world(tasks=2)).summary.low, compared(world(tasks=2)).summary.high
    assert low < 0 < high
    assert compared(world(tasks=2)).conclusion == "two tasks say next to nothing about other tasks"


def test_means_of_right_and_wrong_repeats_are_percentage_points() -> None:
    right = np.random.default_rng(0).integers(0, 2, (2, 40, 2)).astype(float)
    table = podium.from_arrays({"t": right}, systems=["A", "B"])
    found = podium.compare(table, control="A", treatment="B")
    assert isinstance(found, podium.MetaAnalysis)
    assert "percentage points" in found.on_suite
    means = right.mean(axis=2)
    assert found.tasks[0].better == np.count_nonzero(means[1] > means[0])


def test_one_task() -> None:
    analysis = compared(world(tasks=1))
    task, summary = analysis.tasks[0], analysis.summary
    assert (summary.effect, summary.low, summary.high) == pytest.approx((task.effect, task.low, task.high))
    assert task.weight == 1
    assert analysis.without == ()
    assert analysis.to_dict()["summary"]["i2"] is None
    assert analysis.conclusion == "one task says nothing about other tasks"
    assert not any("one task" in note for note in analysis.notes), "it is said once"
    assert "with one task nothing is known of others" in compared(world(tasks=1), effect="smd").notes
    table = analysis.view().tables[0]
    assert "summary" not in table.columns[0].cells
    assert "weight" not in table.head
    assert "tasks differ" not in analysis.conclusion


def test_instance_weights_of_whole_numbers_repeat_the_mean_but_not_the_certainty() -> None:
    scores = world(tasks=2)
    weights = np.random.default_rng(3).integers(1, 4, 40)
    weighted = scores.with_instance_weights({"t0": weights, "t1": weights})
    repeated = podium.from_arrays(
        {task.name: np.repeat(task.values, weights, axis=1) for task in scores.tasks}, systems=scores.systems
    )
    for one, other in zip(compared(weighted).tasks, compared(repeated).tasks, strict=True):
        assert one.effect == pytest.approx(other.effect)
        assert one.variance > other.variance
        assert (one.n, one.better) == (40, None)
    ones = scores.with_instance_weights({"t0": np.full(40, 2.0), "t1": np.full(40, 2.0)})
    assert_allclose(numbers(compared(ones)), numbers(compared(scores)))


def test_task_weights() -> None:
    scores = world()
    analysis = compared(scores.with_task_weights({"t0": 0, "t1": 3}))
    assert [one.task for one in analysis.tasks] == ["t1", "t2", "t3", "t4"]
    assert "left out (weight 0): t0" in analysis.notes
    assert any("task weights are not used" in note for note in analysis.notes)


def test_tasks_of_the_same_items_and_of_other_units_draw_a_note() -> None:
    labels = [f"doc {i}" for i in range(40)]
    scores = world(tasks=2)
    arrays = {"metric 1": scores.tasks[0].values, "metric 2": 500 * scores.tasks[1].values}
    shared = podium.from_arrays(arrays, systems=scores.systems, instances=dict.fromkeys(arrays, labels))
    notes = " ".join(compared(shared).notes)
    assert "tasks share instances (1 set), so their covariance is used" in notes
    assert "use effect 'smd'" in notes
    assert "use effect 'smd'" not in " ".join(compared(shared, effect="smd").notes)


@pytest.mark.parametrize(
    ("sizes", "unlike"),
    [
        ((0.01, 0.99), False),  # shares, however hard a task is
        ((0.01, 0.5, 1.0), False),
        ((2.0, 95.0), False),  # percent
        ((1200.0, 1500.0), False),  # ratings
        ((0.4, 1.1), False),  # losses
        ((0.8, 80.0), True),  # a share beside percent
        ((0.8, 4.5), True),  # a share beside grades
        ((90.0, 0.0, 1500.0), True),  # percent beside milliseconds
    ],
)
@pytest.mark.parametrize("method", ["mean", "median", "borda"])
def test_a_mean_over_unlike_scales_says_so_first(sizes: tuple[float, ...], method: str, *, unlike: bool) -> None:
    draws = np.random.default_rng(1)
    tables = {f"t{place}": size * draws.uniform(0.9, 1.0, (2, 30)) for place, size in enumerate(sizes)}
    analysis = podium.compare(podium.from_arrays(tables), confidence_level=0.9)
    notes = [podium.rank(podium.from_arrays(tables), method).notes, analysis.notes]
    said = ["scales may differ" in " ".join(of_one[:1]) for of_one in notes]
    assert said == [unlike and method != "borda", unlike]
    assert sum("scales may differ" in note for note in (*notes[0], *notes[1])) == sum(said)
    view = analysis.view()  # shows it before the answer, and not again
    assert view.verdict[0].startswith("scales may differ") == unlike
    assert not any("scales may differ" in note for note in view.notes)


def test_metrics_on_unlike_scales_are_named_first() -> None:
    draws = np.random.default_rng(1)

    class Tool:
        def metric(self, task: str) -> str:
            return {"qa": "acc", "f": "f1", "lm": "log perplexity"}[task]

    tables = {"qa": draws.random((2, 30)), "f": draws.random((2, 30)), "lm": draws.random((2, 30)) / 20}
    scores = replace(podium.from_arrays(tables), origin=Tool()).with_directions(lower=["lm"])
    said = "metrics differ (lm: log perplexity, qa: acc), so a mean misleads; use effect 'smd' (-e smd)"
    assert podium.compare(scores).notes[0] == said
    assert said not in podium.compare(scores, effect="smd").notes
    assert not any("metrics differ" in note for note in podium.compare(scores.select(tasks=["qa", "f"])).notes)


def test_groups_are_pooled_by_themselves() -> None:
    scores = world(tasks=6)
    analysis = compared(scores, groups={"even": ["t0", "t2", "t4"], "odd": ["t[13]"]})
    assert [one.group for one in analysis.tasks] == ["even", "odd", "even", "odd", "even", "other tasks"]
    assert [(group.name, group.summary.k) for group in analysis.subgroups] == [
        ("even", 3),
        ("odd", 2),
        ("other tasks", 1),
    ]
    alone = compared(scores.select(tasks=["t0", "t2", "t4"]))
    assert analysis.subgroups[0].summary == alone.summary
    assert 0 <= analysis.between_p <= 1
    with pytest.raises(LabelError, match="'t0' is in the groups 'a' and 'b'"):
        compared(scores, groups={"a": ["t0"], "b": ["t*"]})
    with pytest.raises(LabelError, match="there is no task 'tt'"):
        compared(scores, groups={"a": ["tt"]})
    whole = compared(scores, groups={"everything": ["*"]})
    assert [group.summary for group in whole.subgroups] == [whole.summary]
    assert np.isnan(whole.between_q)


def test_groups_may_name_tasks_that_are_left_out() -> None:
    scores = world(tasks=3)
    lacking = scores.tasks[0].values.copy()
    lacking[1, 1:] = np.nan
    arrays = {"t0": lacking, "t1": scores.tasks[1].values, "t2": scores.tasks[2].values}
    table = podium.from_arrays(arrays, systems=scores.systems)
    analysis = compared(table, groups={"g": ["t0", "t1"]})
    assert [(one.task, one.group) for one in analysis.tasks] == [("t1", "g"), ("t2", "other tasks")]
    all_of_them = podium.compare_all(table, control="A", groups={"g": ["t0", "t1"]})
    assert len(all_of_them) == 2
    assert all_of_them.notes[-1] == "the summaries of groups are in `analyses` and in the JSON output"
    assert "B: left out (fewer than 2 instances scored for both systems): t0 (1)" in all_of_them.notes


def test_how_groups_differ_rests_on_known_variances() -> None:
    analysis = podium.pool([0.1, 0.3, 0.6, 0.5], [0.01, 0.02, 0.01, 0.03], tasks=list("abcd"), groups={"x": ["a", "b"]})
    effects = [podium.pool([0.1, 0.3], [0.01, 0.02], interval="normal").summary]
    effects += [podium.pool([0.6, 0.5], [0.01, 0.03], interval="normal").summary]
    y, w = np.array([one.effect for one in effects]), np.array([one.std_error**-2 for one in effects])
    assert analysis.between_q == pytest.approx(float((w * (y - (w * y).sum() / w.sum()) ** 2).sum()))


def test_few_common_instances_are_worth_a_note() -> None:
    notes = " ".join(compared(world(instances=9, tasks=2)).notes)
    assert "fewer than 10 common instances on t0, t1, so the variance there is uncertain" in notes
    assert "hardly known" not in " ".join(compared(world(instances=10, tasks=5)).notes)


def test_uneven_weights_may_leave_too_little() -> None:
    scores = world(tasks=2)
    weights = np.full(40, 1e-9)
    weights[0] = 1.0
    analysis = compared(scores.with_instance_weights({"t0": weights}))
    assert "left out (fewer than 2 instances scored for both systems): t0 (40, effective number 1)" in analysis.notes


def test_leaving_each_task_out() -> None:
    scores = world()
    analysis = compared(scores)
    for number, rest in enumerate(analysis.without):
        alone = compared(scores.select(tasks=[f"!t{number}"]))
        assert (rest.k, rest.effect, rest.low) == pytest.approx((4, alone.summary.effect, alone.summary.low))


def test_measures_beside() -> None:
    scores = world(tasks=2)
    other = podium.from_arrays({"t1": [[0.5, 1.0], [0.0, np.nan]]}, systems=["A", "B"])
    beside = compared(scores, beside={"J@10": other}).beside[0]
    assert beside.name == "J@10"
    assert_allclose(beside.control, [np.nan, 0.75])
    assert_allclose(beside.treatment, [np.nan, 0.0])


def test_all_against_one() -> None:
    scores = world()
    table = all_analysed(scores, control="A")
    assert [one.treatment for one in table.analyses] == ["C", "B"]
    for one in table.analyses:
        alone = analysed(scores, control="A", treatment=one.treatment)
        assert_allclose(numbers(one), numbers(alone), rtol=1e-12)
    p = [one.summary.p for one in table.analyses]
    assert table.holm.max() == pytest.approx(max(min(2 * min(p), 1), *p))
    assert (table.benjamini_hochberg <= table.holm).all()
    assert json.loads(json.dumps(table.to_dict()))["treatments"][0]["treatment"] == "C"
    assert table.to_frame("pandas").shape[0] == 2
    assert [line.split()[0] for line in repr(table).splitlines()[3:5]] == ["C", "B"]
    assert table.view().verdict == ("C is better than A on these tasks (95% confidence, 2 comparisons together)",)
    assert table.suites == [analysed(scores, control="A", treatment=one.treatment).suite for one in table.analyses]
    p = sorted(suite.p for suite in table.suites)
    assert sorted(table.suite_holm) == pytest.approx([2 * p[0], max(2 * p[0], p[1])])


def test_a_system_that_shares_no_task_is_left_out_of_all_and_named() -> None:
    scores = world(tasks=2)
    arrays = {task.name: np.vstack([task.values, np.full(40, np.nan)]) for task in scores.tasks}
    arrays["t2"] = np.vstack([np.full((3, 40), np.nan), np.arange(40.0)])
    table = all_analysed(podium.from_arrays(arrays, systems=["A", "B", "C", "D"]), control="A")
    assert {one.treatment for one in table.analyses} == {"B", "C"}
    assert "left out: D; compare each with A alone to see why" in table.notes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"control": "AA"}, LabelError, "no system 'AA' to be the control; did you mean 'A'"),
        ({"treatment": "BB"}, LabelError, "to be the treatment; did you mean 'B'"),
        ({"treatment": "A"}, MethodError, "both 'A'; name two systems"),
        ({"effect": "mdd"}, MethodError, "no effect 'mdd'; did you mean 'md'"),
        ({"effect": "given"}, MethodError, "no effect 'given'"),
        ({"effect": "or"}, MethodError, "scores that are 0 or 1, and task 't0' has others"),
        ({"estimator": "remll"}, MethodError, "no estimator 'remll'; did you mean 'reml'"),
        ({"interval": "hartung"}, MethodError, "no interval 'hartung'"),
        ({"confidence_level": 95}, MethodError, "between 0 and 1"),
        ({"like": "Ranger"}, MethodError, "no tool 'Ranger' to imitate; did you mean 'ranger'"),
        ({"n_jobs": 0}, MethodError, "n_jobs"),
        ({"effect": ["md"]}, MethodError, "no effect"),
        ({"like": ["ranger"]}, MethodError, "no tool"),
        ({"beside": {"x": 3}}, InputError, "expected a path, .* not int"),
        ({"beside": [3]}, InputError, "beside is list; give other measures by name"),
        ({"effect": "smd", "margin": 0.1}, MethodError, "in units of the scores, and effect 'smd' is not"),
    ],
)
def test_what_makes_no_sense(options: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        podium.compare(world(), **{"control": "A", "treatment": "B"} | options)  # type: ignore[arg-type]


def test_what_is_no_table_of_instances() -> None:
    with pytest.raises(InputError, match="expected a path"):
        podium.compare(None, control="A", treatment="B")  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="pool known effects and variances"):
        podium.compare(podium.datasets.toy_table1(), control="A", treatment="B", estimator="dl")
    one = world().select(systems=["A"])
    with pytest.raises(MethodError, match="no system other than the control 'A'"):
        podium.compare_all(one, control="A")


def test_the_conclusion_in_words() -> None:
    assert compared(world(binary=True)).conclusion.startswith("on other tasks like these: on average ")
    assert "percentage points" in compared(world(binary=True)).conclusion
    better = compared(world(instances=400)).conclusion
    worse = analysed(world(instances=400), control="B", treatment="A").conclusion
    assert (" better, 95% CI 0." in better, " worse, 95% CI −0." in worse) == (True, True)
    assert podium.pool([1e-4, -1e-4], [1, 1], kind="md").conclusion.startswith(
        "on average a difference of 0.0 over tasks like these, 95% CI −9.0 to 9.0"
    )
    assert podium.pool([-1e-5], [1]).conclusion.startswith("an effect of 0.00, 95% CI −1.96 to 1.96")
    assert "standard deviations better" in compared(world(), effect="smd").conclusion
    assert "a correlation of 0." in compared(world(), effect="corr").conclusion
    assert "times the odds" in compared(world(binary=True), effect="or").conclusion
    assert compared(world(), confidence_level=0.9).conclusion.endswith("(90%)")
    assert compared(world(instances=400), estimator="fixed").conclusion.startswith("weighed by precision: on average ")


@pytest.mark.parametrize("kind", ["md", "smd"])
def test_small_differences_of_large_scores_keep_their_digits(kind: str) -> None:
    rng = np.random.default_rng(5)
    base, step = rng.normal(size=(3, 200)), 0.5 + rng.normal(size=(3, 200)) * 0.1
    for far in (0.0, 1e7):
        small = podium.from_arrays(
            {f"t{i}": [far + base[i], far + base[i] + step[i]] for i in range(3)}, systems=["A", "B"]
        )
        analysis = compared(small, effect=kind)
        if not far:
            near = analysis
    # scores of 1e7 are rounded to 2e-9, and so are their differences
    assert_allclose(numbers(analysis), numbers(near), rtol=1e-5, atol=1e-9)
    outliers = np.append(base, np.full((3, 1), 1e8), axis=1)
    steps = np.append(step, np.full((3, 1), 0.5), axis=1)
    sentinel = podium.from_arrays(
        {f"t{i}": [outliers[i], outliers[i] + steps[i]] for i in range(3)}, systems=["A", "B"]
    )
    if kind == "md":
        for one, differences in zip(compared(sentinel).tasks, steps, strict=True):
            assert one.variance == pytest.approx(differences.var(ddof=1) / 201, rel=1e-6)


def test_odds_ratios_are_never_said_to_be_nothing() -> None:
    analysis = podium.pool([-0.66, -3.9, 2.3], [0.05, 1.0, 1.0], kind="or", interval="normal")
    assert "task 2    0.020  [0.0029, 0.14]" in repr(analysis)
    assert analysis.conclusion.startswith("on average 0.")
    assert "CI 0 to" not in analysis.conclusion
    table = rendered(analysis).splitlines()
    assert "[0.0029, 0.14]" in next(line for line in table if line.startswith("task 2"))


def test_how_sure_it_is_that_tasks_differ() -> None:
    assert "; tasks differ (I² =" in podium.pool([0, 5], [1, 1]).conclusion
    assert "; tasks may differ (I² =" in podium.pool([0, 1.6], [1, 1]).conclusion
    assert "; no sign that tasks differ (I² = 0%)" in podium.pool([0, 0.5], [1, 1]).conclusion
    disagreeing = podium.pool([0, 0, 0, 3], [0.01, 0.01, 0.01, 1])
    assert disagreeing.summary.tau2 == 0
    assert "; tasks may differ (Q test p = 0.030, but I² = 0%); " in disagreeing.conclusion


def test_directions_and_tolerances_are_said() -> None:
    scores = world(tasks=2).with_directions(lower=["t1"])
    analysis = compared(scores)
    assert [one.higher_is_better for one in analysis.tasks] == [True, False]
    assert "lower is better on t1; effects there change sign, so that positive is better" in analysis.notes
    assert any("the tie tolerance has no influence" in note for note in compared(scores.with_tie_tolerance(0.1)).notes)


def test_many_systems_are_counted_a_few_at_a_time() -> None:
    rng = np.random.default_rng(4)
    arrays = {f"t{i}": np.where(rng.random((40, 30)) < 0.1, np.nan, rng.normal(size=(40, 30))) for i in range(2)}
    clusters = {"t0": [place // 3 for place in range(30)]}
    scores = podium.from_arrays(arrays, systems=[f"s{i}" for i in range(40)], clusters=clusters)
    scores = scores.with_instance_weights({"t1": rng.uniform(1, 2, 30)})
    told: list[tuple[int, int | None]] = []
    every = all_analysed(scores, control="s20", progress=lambda done, total: told.append((done, total)))
    assert len(every) == 39
    for one in every.analyses[::7]:
        alone = analysed(scores, control="s20", treatment=one.treatment)
        assert_allclose(numbers(one), numbers(alone), rtol=1e-12)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]


def test_scores_too_large_to_be_squared_are_named() -> None:
    large = podium.from_arrays(
        {"rte": [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]], "sst2": [[1e200, 0.0, 1.0], [1e190, -1e200, 0.5]]}
    )
    with pytest.raises(MethodError, match="scores of task 'sst2' are too large to be compared; divide them all"):
        podium.compare(large, control="system 1", treatment="system 2")


def test_a_system_has_its_name_a_pattern_or_a_part_of_it() -> None:
    arrays = {task.name: np.vstack([task.values, task.values[:1]]) for task in world().tasks}
    names = ["org/base-7b", "org/large-70b", "other/large-8b", "base"]
    scores = podium.from_arrays(arrays, systems=names)
    for control, treatment in (("base", "70B"), ("base", "*/large-7*"), ("other", "org/b*"), ("base", "org/base-7b")):
        found = podium.compare(scores, control=control, treatment=treatment)
        assert isinstance(found, MetaAnalysis)
        meant = {"other": "other/large-8b", "org/b*": "org/base-7b", "org/base-7b": "org/base-7b"}
        assert (found.control, found.treatment) == (meant.get(control, "base"), meant.get(treatment, "org/large-70b"))
    with pytest.raises(LabelError, match=r"the control 'large' may be 'org/large-70b', 'other/large-8b'; name one"):
        podium.compare(scores, control="large")
    with pytest.raises(MethodError, match="both 'base'; name two systems"):
        podium.compare_all(scores, control="base") and podium.compare(scores, control="base", treatment="bas[e]")
