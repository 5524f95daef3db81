"""Gates: verdicts and exit codes, what else they look at, and what never passes."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import podium
from podium.errors import InputError, LabelError, MethodError, PodiumError
from podium.score.table import Scores
from support.entry import run, run_script


def answers(share: float, items: int = 400, *, tasks: int = 2, seed: int = 0, scale: float = 1.0) -> Scores:
    """Right and wrong answers of a system to items that are as hard for every other one."""
    hard = np.random.default_rng(seed).random((tasks, items))
    values = {f"t{place}": [scale * (own < share)] for place, own in enumerate(hard)}
    labels = {name: [f"{name}-{item}" for item in range(items)] for name in values}
    return podium.from_arrays(values, systems=["m"], instances=labels)


@pytest.mark.parametrize(
    ("after", "margin", "verdict", "code"),
    [(0.75, 0.01, "pass", 0), (0.7, 0.02, "pass", 0), (0.6, 0.02, "fail", 1), (0.695, 0.0, "cannot tell", 3)],
)
def test_verdicts_have_exit_codes(tmp_path: Path, after: float, margin: float, verdict: str, code: int) -> None:
    for name, share in (("before", 0.7), ("after", after)):
        podium.convert(answers(share), tmp_path / f"{name}.csv")
    found = podium.gate(tmp_path / "before.csv", tmp_path / "after.csv", margin=margin)
    assert (found.verdict, found.exit_code) == (verdict, code)
    done = run(tmp_path, "gate", "before.csv", "after.csv", "--margin", str(margin))
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(f"{verdict.upper()}: after against before")


def test_the_script_leaves_with_the_exit_code(tmp_path: Path) -> None:
    for name, share in (("before", 0.7), ("after", 0.6)):
        podium.convert(answers(share), tmp_path / f"{name}.csv")
    assert run_script(tmp_path, "gate", "before.csv", "after.csv", "--margin", "0.01").returncode == 1
    assert (
        run_script(tmp_path, "gate", "before.csv", "after.csv", "--margin", "0.01", "--over", "tasks").returncode == 3
    )


@pytest.mark.parametrize(("unsure", "code"), [("pass", 0), ("fail", 1), (None, 3)])
def test_what_cannot_be_told_counts_as_is_said(unsure: Any, code: int) -> None:
    found = podium.gate(answers(0.7), answers(0.695), margin=0.0, unsure=unsure)
    assert (found.verdict, found.exit_code) == ("cannot tell", code)
    assert found.items_needed > 0


def test_each_task_is_shown_with_its_difference_and_its_margin_if_it_has_one() -> None:
    old, new = answers(0.7), answers(0.75)
    found = podium.gate(old, new, margin={"*": 0.2, "t1": 0.3})
    single = podium.gate(old.select(tasks=["t0"]), new.select(tasks=["t0"]), margin=0.2)
    alone = [podium.gate(old, new, margin=0.2).suite, single.suite]
    assert {one.task: one.margin for one in found.tasks} == {"t0": 0.2, "t1": 0.3}
    assert [one.effect for one in found.tasks] == sorted(one.effect for one in found.tasks)
    first = next(one for one in found.tasks if one.task == "t0")
    assert alone[0] is not None
    assert alone[1] is not None
    assert np.mean([one.effect for one in found.tasks]) == pytest.approx(alone[0].effect)
    assert (first.effect, first.low, first.high) == (alone[1].effect, alone[1].low, alone[1].high)
    assert first.after - first.before == pytest.approx(first.effect)
    assert (found.checks[1].name, found.checks[1].outcome) == ("single tasks", "pass")
    assert "margin" in found.view().tables[1].head
    assert "margin" not in podium.gate(old, new, margin=0.2).view().tables[1].head
    shown = found.view().chosen(top=2)
    assert [len(table.rows) for table in shown.tables[2:]] == [3]


def test_as_many_instances_as_it_says_settle_it_in_most_cases() -> None:
    """As many as `podium.plan` says, but for the noise of its bootstrap."""
    found = podium.gate(answers(0.7), answers(0.695), margin=0.0)
    assert found.suite is not None
    needed = found.suite.n + found.items_needed
    z = 1.959964 + 0.841621
    assert needed == pytest.approx(found.suite.n * (z * found.suite.std_error / found.suite.effect) ** 2, abs=1)
    said = next(one for one in found.view().verdict if "would settle it with a chance of 80%" in one)
    assert said.startswith("about ")
    assert f"instances a task instead of {found.suite.n / found.suite.tasks:,.0f}" in said


def test_items_that_broke_and_were_mended_are_those_that_changed() -> None:
    old = podium.from_arrays({"t": [[1, 1, 0, 0, 1, 1, 1, 1]]}, systems=["m"], instances={"t": list("abcdefgh")})
    new = podium.from_arrays({"t": [[0, 1, 1, 0, 1, 1, 1, 1]]}, systems=["m"], instances={"t": list("abcdefgh")})
    found = podium.gate(old, new, margin=0.5)
    assert [(one.instance, one.before, one.after) for one in found.broken] == [("a", 1.0, 0.0)]
    assert [one.instance for one in found.mended] == ["c"]
    turned = podium.gate(old.with_directions(lower=["t"]), new.with_directions(lower=["t"]), margin=0.5)
    assert [one.instance for one in turned.broken] == ["c"]


def test_a_single_task_that_is_worse_fails_if_asked() -> None:
    hard = np.random.default_rng(3).random((4, 300))

    def shares(*of_tasks: float) -> Scores:
        values = {f"t{place}": [(hard[place] < share).astype(float)] for place, share in enumerate(of_tasks)}
        return podium.from_arrays(values, systems=["m"])

    old, new = shares(0.7, 0.7, 0.7, 0.7), shares(0.8, 0.8, 0.8, 0.55)
    assert podium.gate(old, new, margin=0.02).verdict == "pass"
    found = podium.gate(old, new, margin=0.02, tasks_too=True)
    assert found.verdict == "fail"
    assert [check.name for check in found.checks if check.outcome == "fail"] == ["t3"]
    own = podium.gate(old, new, margin={"*": 0.02, "t3": 0.3}, tasks_too=True)
    assert own.verdict == "pass"


def test_hard_limits_look_at_means_alone() -> None:
    assert podium.gate(answers(0.7), answers(0.75), margin=0.1, must={"t*": 0.9}).verdict == "fail"
    assert podium.gate(answers(0.7), answers(0.75), margin=0.1, must={"t0": 0.5}).verdict == "pass"
    assert podium.gate(answers(0.7), answers(0.75), margin=0.1, must={"t0": "50%"}).verdict == "pass"


@pytest.mark.parametrize(("limit", "verdict"), [("1.1x", "fail"), ("1.5x", "pass"), (1.3, "cannot tell")])
def test_budgets_are_multiples_of_the_baseline(tmp_path: Path, limit: Any, verdict: str) -> None:
    rng = np.random.default_rng(0)
    own = rng.uniform(1, 2, 60)
    for name, factor in (("before", 1.0), ("after", 1.3)):
        noise = rng.uniform(0.9, 1.1, 60)
        rows = [f"m,t,i{item},1,{factor * own[item] * noise[item]}" for item in range(60)]
        (tmp_path / f"{name}.csv").write_text("system,task,instance,score,cost\n" + "\n".join(rows) + "\n", "utf-8")
    found = podium.gate(tmp_path / "before.csv", tmp_path / "after.csv", margin=0.2, budget={"cost": limit})
    assert found.checks[-1].name == "cost"
    assert found.verdict == verdict
    assert found.checks[-1].said.startswith("1.29x the baseline (95% CI 1.26 to 1.32), ")  # Fieller by hand
    text = podium.gate(tmp_path / "before.csv", tmp_path / "after.csv", margin=0.2, budget=f"cost={limit}")
    assert text.rows() == found.rows()
    for budget, complaint in (
        ("cost=0.02", "if you mean that, write cost=0.02x"),
        ("price=1.1x", "have it in a column"),
    ):
        done = run(tmp_path, "gate", "before.csv", "after.csv", "--margin", "0.2", "--budget", budget)
        assert (done.returncode, complaint in done.stderr) == (2, True)


def test_many_gates_a_week_are_allowed_for() -> None:
    once, often = (podium.gate(answers(0.7), answers(0.72), margin=0.05, per_week=per_week) for per_week in (None, 20))
    assert once.suite is not None
    assert often.suite is not None
    assert often.suite.low < once.suite.low
    assert often.confidence == pytest.approx(0.9975)


@pytest.mark.parametrize("margin", ["1%", 1])
def test_margins_have_the_units_of_the_scores(margin: Any) -> None:
    percents = answers(0.7, scale=100), answers(0.7, seed=0, scale=100)
    assert podium.gate(*percents, margin=margin).margin == 1.0


@pytest.mark.parametrize(
    ("change", "error", "complaint"),
    [
        ({"margin": 5}, MethodError, "for 5 percentage points give 0.05 or '5%'"),
        ({"margin": -0.1}, MethodError, "at least 0"),
        ({"margin": "much"}, MethodError, "at least 0"),
        ({"margin": "101%"}, MethodError, "more than the whole scale"),
        ({"margin": {"t0": 0.1}}, MethodError, "no margin for t1"),
        ({"margin": 0.1, "over": "all"}, MethodError, "'suite' or 'tasks'"),
        ({"margin": 0.1, "unsure": "maybe"}, MethodError, "'pass' or 'fail'"),
        ({"margin": 0.1, "must": {"x": 1.0}}, LabelError, "'x'"),
        ({"margin": 0.1, "must": {"t0": 80}}, MethodError, "the scores run from 0 to 1; for 80% give 0.8"),
        ({"margin": 0.1, "must": {"t0": "much"}}, MethodError, "no share of the scale"),
        ({"margin": 0.1, "budget": {"cost": 1.1}}, InputError, "no covariate 'cost'"),
        ({"margin": 0.1, "baseline_age": "30d"}, InputError, "does not say when it was made"),
        ({"margin": 0.1, "baseline_age": "soon"}, MethodError, "30d, 48h or 4w"),
    ],
)
def test_arguments_that_make_no_sense_are_errors(
    change: dict[str, Any], error: type[PodiumError], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        podium.gate(answers(0.7), answers(0.7), **change)


def test_a_margin_of_a_scale_from_0_to_1_is_refused_for_percents() -> None:
    with pytest.raises(MethodError, match="scores that run from 0 to 100; for 1 points give 1"):
        podium.gate(answers(0.7, scale=100), answers(0.7, scale=100), margin=0.01)


def test_tasks_on_different_scales_are_refused_and_the_advice_works(tmp_path: Path) -> None:
    for name in ("old", "new"):
        rows = [f"m,{task},i{item},{score}" for task, score in (("qa", 0.5), ("bleu", 31.5)) for item in range(20)]
        (tmp_path / f"{name}.csv").write_text("system,task,instance,score\n" + "\n".join(rows) + "\n", "utf-8")
    done = run(tmp_path, "gate", "old.csv", "new.csv", "--margin", "1%")
    assert (done.returncode, "--tasks '!bleu'" in done.stderr) == (2, True)
    assert run(tmp_path, "gate", "old.csv", "new.csv", "--margin", "1%", "--tasks", "!bleu").returncode in {0, 3}


@pytest.fixture
def logs() -> Callable[..., Path]:
    """Writer of logs of a run, as in the tests of sources with names."""
    from source.test_named import log

    return log


RIGHT = [1.0] * 12 + [0.0] * 4


def test_what_never_passes(tmp_path: Path, logs: Callable[..., Path]) -> None:
    old = logs(tmp_path / "old", {"qa": RIGHT})
    cut = logs(tmp_path / "cut", {"qa": RIGHT}, made="2026-10-02T10-00-00.000000", cut=True)
    again = logs(tmp_path / "again", {"qa": RIGHT})
    later = logs(tmp_path / "later", {"qa": RIGHT}, made="2026-10-02T10-00-00.000000")
    other = podium.from_arrays({"qa": [[1.0] * 16]}, systems=["m"], instances={"qa": [f"x{i}" for i in range(16)]})
    fewer = podium.from_arrays({"qa": [[1.0] * 9]}, systems=["m"], instances={"qa": [f"x{i}" for i in range(9)]})
    for after, complaint in (
        (old, "is both the baseline and the new run"),
        (again, "hold the same run"),
        (cut, "cut off or has not ended"),
        (fewer, "have no label in common"),
        (tmp_path / "nothing", "there is no file"),
    ):
        with pytest.raises(InputError, match=complaint):
            podium.gate(old, after, margin=0.1)
    assert podium.gate(old, later, margin=0.5).verdict == "pass"
    with pytest.raises(InputError, match="have no label in common"):
        podium.gate(old, other, margin=0.5)
    same = podium.gate(answers(0.7), answers(0.7), margin=0.1)
    assert "all scores of before and after are equal; make sure that they are not the same run" in same.notes
    with pytest.raises(InputError, match=r"old, and at most 1d is allowed"):
        podium.gate(old, later, margin=0.5, baseline_age="1d")
    future = logs(tmp_path / "future", {"qa": RIGHT}, made="2126-10-02T10-00-00.000000")
    with pytest.raises(InputError, match="dated 2126-10-02, which is still to come"):
        podium.gate(future, later, margin=0.5, baseline_age="1d")


def test_one_source_needs_a_name_for_both(tmp_path: Path) -> None:
    labels = {"t": [f"item {place}" for place in range(30)]}
    both = podium.from_arrays({"t": [[0.0] * 30, [1.0] * 30]}, systems=["old", "new"], instances=labels)
    podium.convert(both, tmp_path / "both.csv")
    done = run(tmp_path, "gate", "both.csv", "--margin", "0.1")
    assert (done.returncode, "before=main/ after=pr/" in done.stderr) == (2, True)
    told = ("--control", "old", "--treatment", "new", "--margin", "0.1", "-f", "json")
    done = run(tmp_path, "gate", "both.csv", *told)
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "pass")
    assert run(tmp_path, "gate", "both.csv").returncode == 2, "without a margin"


def test_items_that_the_new_run_lacks_may_have_failed() -> None:
    old = answers(0.7)
    values = {task.name: np.where(task.values == 0, np.nan, task.values) for task in answers(0.6).tasks}
    labels = {task.name: list(map(str, task.instances)) for task in old.tasks if task.instances is not None}
    found = podium.gate(old, podium.from_arrays(values, systems=["m"], instances=labels), margin=0.01)
    assert found.checks[0].outcome == "pass", "of what is there"
    assert (found.verdict, found.checks[1].name) == ("cannot tell", "missing instances")
    few = {name: own.copy() for name, own in ((task.name, task.values) for task in answers(0.85).tasks)}
    few["t0"][0, :3] = np.nan
    found = podium.gate(old, podium.from_arrays(few, systems=["m"], instances=labels), margin=0.01)
    assert (found.verdict, "even if all of them have the worst score" in found.checks[1].said) == ("pass", True)


def test_a_task_that_the_new_run_lacks_is_refused_and_the_advice_works(tmp_path: Path) -> None:
    podium.convert(answers(0.7), tmp_path / "old.csv")
    podium.convert(answers(0.7).select(tasks=["t0"]), tmp_path / "new.csv")
    done = run(tmp_path, "gate", "old.csv", "new.csv", "--margin", "0.1")
    assert (done.returncode, "--tasks t0" in done.stderr) == (2, True)
    assert run(tmp_path, "gate", "old.csv", "new.csv", "--margin", "0.1", "--tasks", "t0").returncode == 0


def test_files_of_samples_without_a_byte_are_named(tmp_path: Path) -> None:
    for day, name in enumerate(("old", "new"), 1):
        (tmp_path / name).mkdir()
        made = f"2026-01-0{day}T00-00-00.000000"
        told = {"results": {"qa": {"acc,none": 0.5}}, "configs": {}, "n-shot": {}, "model_name": "m", "config": {}}
        (tmp_path / name / f"results_{made}.json").write_text(json.dumps(told))
        row = {"doc": {}, "resps": [], "filter": "none", "metrics": ["acc"], "acc": 1.0}
        lines = [json.dumps({"doc_id": k, **row}) for k in range(9)] if name == "old" else []
        (tmp_path / name / f"samples_qa_{made}.jsonl").write_text("\n".join(lines))
    done = run(tmp_path, "gate", "old", "new", "--margin", "0.1")
    said = "new has one score, and old has scores of instances; left out, since they are empty: "
    assert (done.returncode, said in done.stderr) == (2, True)


def test_losses_have_no_scale_and_runs_must_have_one() -> None:
    values = np.random.default_rng(0).uniform(1.5, 2.5, (1, 100))
    loss = [
        podium.from_arrays({"loss": own}, systems=["m"]).with_directions(lower=["loss"])
        for own in (values, values + 0.8)
    ]
    with pytest.raises(MethodError, match="the scores have none"):
        podium.gate(*loss, margin="1%")
    assert podium.gate(*loss, margin=0.01).verdict == "fail"
    with pytest.raises(InputError, match="runs from 0 to 1 in one run and to 100 in the other"):
        podium.gate(answers(0.7), answers(0.7, scale=100), margin=1)


def test_one_margin_is_for_one_scale_whatever_values_are_in_reach() -> None:
    """Log perplexities may all lie between 0 and 1, and are no shares; a share of errors is one."""
    draws = np.random.default_rng(0)
    right, loss = (draws.random((1, 100)) < 0.7).astype(float), draws.uniform(0.02, 0.06, (1, 100))

    def runs(other: np.ndarray) -> list[podium.Scores]:
        table = podium.from_arrays({"qa": right, "lm": other}, systems=["m"])
        return [table.with_directions(lower=["lm"])] * 2

    with pytest.raises(InputError, match=r"^lm: another scale than qa, .* \(--tasks '!lm'\), or look at it"):
        podium.gate(*runs(loss), margin=0.01)
    assert podium.gate(*runs(1 - right), margin="1%").verdict == "cannot tell"


def test_losses_by_different_metrics_have_no_common_margin(tmp_path: Path) -> None:
    for day, name in enumerate(("old", "new"), 1):
        (tmp_path / name).mkdir()
        results = {"lm": {"word_perplexity,none": 20.5}, "other": {"bits_per_byte,none": 11.25}}
        text = json.dumps({"results": results, "configs": {}, "n-shot": {}, "model_name": "m", "config": {}})
        (tmp_path / name / f"results_2026-01-0{day}T00-00-00.000000.json").write_text(text)
    done = run(tmp_path, "gate", "old", "new", "--margin", "0.01")
    assert "other (bits_per_byte): another metric than lm (word_perplexity)" in done.stderr


def test_margins_of_tasks_are_for_tasks_and_tasks_of_one_item_are_not_tested() -> None:
    hard = np.random.default_rng(3).random((2, 300))
    old, new = (
        podium.from_arrays({f"t{t}": [(hard[t] < own[t]).astype(float)] for t in (0, 1)}, systems=["m"])
        for own in ((0.7, 0.7), (0.8, 0.55))
    )
    assert podium.gate(old, new, margin=0.3).verdict == "pass"
    assert podium.gate(old, new, margin={"*": 0.3, "t1": 0.02}).verdict == "fail"
    single = podium.from_dict({"m": {f"t{place}": 0.5 + place / 100 for place in range(12)}})
    found = podium.gate(single, single, margin=0.1, tasks_too=True)
    assert [check.said for check in found.checks[1:]] == ["12 tasks with too few instances for a test"]


def test_a_covariate_of_one_run_alone_is_no_budget() -> None:
    old, new = answers(0.7), answers(0.7)
    (first, *rest) = old.tasks
    cost = np.ones((1, first.n_instances))
    priced = replace(old, tasks=(replace(first, covariates={"cost": cost}), *rest))
    with pytest.raises(InputError, match="no covariate 'cost' of instances in both runs; there are: none"):
        podium.gate(priced, new, margin=0.1, budget={"cost": 1.1})


def test_missing_items_are_judged_over_tasks_if_the_gate_is() -> None:
    old, new = answers(0.7, tasks=8), answers(0.75, tasks=8)
    some = new.tasks[0].values.copy()
    some[0, :5] = np.nan
    lacking = replace(new, tasks=(new.tasks[0].with_values(some), *new.tasks[1:]))
    found = podium.gate(old, lacking, margin=0.05, over="tasks")
    whole, missing = found.checks
    assert (whole.name, missing.name, missing.outcome) == ("other tasks like these", "missing instances", "pass")
    on_suite = podium.gate(old, lacking, margin=0.05).checks[1]
    assert missing.high - missing.low != pytest.approx(on_suite.high - on_suite.low, rel=0.01)


def test_of_a_task_that_was_all_right_missing_items_fail_too() -> None:
    """The worst score that the task has is the best that there is."""
    rng = np.random.default_rng(0)
    other = (rng.random((2, 400)) < [[0.6], [0.75]]).astype(float)
    partly = np.where(np.arange(400) < 200, 1.0, np.nan)
    old = podium.from_arrays({"safety": np.ones((1, 400)), "qa": other[:1]}, systems=["m"])
    new = podium.from_arrays({"safety": partly[None], "qa": other[1:]}, systems=["m"])
    found = podium.gate(old, new, margin=0.01, must={"safety": 1.0}, tasks_too=True)
    assert found.verdict == "cannot tell"
    outcomes = {check.name: check.outcome for check in found.checks}
    assert outcomes["missing instances"] == outcomes["safety"] == "cannot tell"


def test_a_budget_is_of_items_that_both_runs_have_it_of() -> None:
    def run(costs: list[float]) -> podium.Scores:
        rows = [
            {"system": "m", "task": "t", "instance": str(k), "score": k % 2, "cost": cost}
            for k, cost in enumerate(costs)
        ]
        return podium.from_frame(pa.Table.from_pylist(rows))

    dear = run([1.0] * 200 + [3.0] * 200)
    found = podium.gate(dear, run([1.0] * 200 + [math.nan] * 200), margin=0.1, budget={"cost": "1.1x"})
    (check,) = [check for check in found.checks if check.name == "cost"]
    assert check.outcome == "cannot tell"
    assert check.said == "1.00x the baseline (95% CI 1.00 to 1.00), 1.1x allowed; unknown of 200 instances of after"
    with pytest.raises(InputError, match="below 0"):
        podium.gate(dear, run([-1.0] * 400), margin=0.1, budget={"cost": 1.1})


def test_a_budget_shows_what_it_tests_each_task_weighs_the_same() -> None:
    def priced(small: float) -> podium.Scores:
        rows = [
            {"system": "m", "task": task, "instance": str(k), "score": k % 2, "cost": cost + k % 3 / 100}
            for task, number, cost in (("large", 1000, 1.0), ("small", 20, small))
            for k in range(number)
        ]
        return podium.from_frame(pa.Table.from_pylist(rows))

    found = podium.gate(priced(1.0), priced(2.0), margin=0.1, budget={"cost": "1.1x"})
    (check,) = [check for check in found.checks if check.name == "cost"]
    assert (check.outcome, check.said) == ("fail", "1.50x the baseline (95% CI 1.49 to 1.50), 1.1x allowed")
    alone = podium.gate(priced(1.0), priced(2.0), margin=0.1, budget={"cost": "1.1x"}, task_weights={"small": 0})
    assert ("pass", "1.00x the baseline (95% CI 1.00 to 1.00), 1.1x allowed") in [
        (check.outcome, check.said) for check in alone.checks
    ]


def test_a_system_is_no_baseline_of_itself() -> None:
    with pytest.raises(MethodError, match="both 'm'; name two"):
        podium.gate(answers(0.7), answers(0.8), margin=0.1, names=("m", "m"))
