"""Run folders of HELM: its own means, the main metric, splits, trials, perturbations and damage.

- Tables of HELM: scores by scenario, without what is derived, and never beside the runs.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.source.logs import find_logs
from support.tools import read, runs, table, takers, written


def stat(name: str, value: float | None, split: str = "test", count: int = 1, **more: Any) -> dict[str, Any]:
    total = 0 if value is None else value * count
    mean = {} if value is None else {"mean": value}
    return {"name": {"name": name, "split": split, **more}, "count": count, "sum": total, "sum_squared": 0.0, **mean}


def row(instance: str, *stats: dict[str, Any], trial: int = 0, **more: Any) -> dict[str, Any]:
    return {"instance_id": instance, **more, "train_trial_index": trial, "stats": list(stats)}


def run(
    folder: Path,
    model: str,
    rows: list[dict[str, Any]],
    stats: list[dict[str, Any]],
    task: str = "qa:subject=law",
    **adapter: Any,
) -> Path:
    name = f"{task},model={model.replace('/', '_')}"
    spec = {
        "name": name,
        "scenario_spec": {"class_name": "X", "args": {}},
        "adapter_spec": {"method": "generation", "model": model, **adapter},
        "metric_specs": [],
        "groups": ["qa"],
    }
    written(folder / name / "run_spec.json", spec)
    if rows:
        written(folder / name / "per_instance_stats.json", rows)
    if stats:
        written(folder / name / "stats.json", stats)
    return folder / name


@pytest.mark.parametrize("name", ["benchmark_output", "run_folder"])
def test_means_of_helm_are_those_of_its_instances(shared: Path, name: str) -> None:
    folders = {path.parent for path in (shared / "data/formats/helm" / name).rglob("stats.json")}
    compared = 0
    for folder in sorted(folders):
        for found in runs(folder):
            if found.samples is not None and found.mean is not None:
                assert np.nanmean(found.samples.scores) == pytest.approx(found.mean, abs=1e-9)
                compared += 1
    assert compared >= 6 * len(folders)


def test_the_genuine_suite(shared: Path) -> None:
    scores = read(shared / "data/formats/helm/benchmark_output")
    assert scores.systems == ("demo/alpha", "demo/beta", "demo/gamma")
    assert scores.task_names == ("simple_classification", "simple_mcqa")
    assert [task.values.shape for task in scores.tasks] == [(3, 40), (3, 40)]


def test_the_schema_says_the_main_metric_its_split_and_its_direction(tmp_path: Path) -> None:
    schema = {
        "metrics": [
            {"name": "loss", "lower_is_better": True},
            {"name": "exact_match", "lower_is_better": False},
            {"name": "odd", "lower_is_better": None},
        ],
        "run_groups": [{"name": "qa", "environment": {"main_name": "loss", "main_split": "valid"}}],
    }
    written(tmp_path / "schema.json", schema)
    for model, loss in (("a/x", 1.0), ("a/y", 2.0)):
        stats = [stat(name, loss, split) for name in ("exact_match", "loss", "odd") for split in ("test", "valid")]
        stats += [stat("loss", 9.0, "valid", perturbation={"name": "typos", "computed_on": "worst"})]
        run(tmp_path, model, [], stats)
    scores = read(tmp_path)
    assert table(scores) == {("a/x", "qa:subject=law"): [1.0], ("a/y", "qa:subject=law"): [2.0]}
    assert not scores.tasks[0].higher_is_better
    assert table(read(tmp_path, metric="exact_match"))["a/x", "qa:subject=law"] == [1.0]
    assert not any("odd" in note for note in scores.notes)


def test_without_a_schema_the_metric_of_the_scenario_comes_first(tmp_path: Path) -> None:
    names = ("num_prompt_tokens", "exact_match", "f1_score", "quasi_exact_match", "inference_runtime")
    found = runs(run(tmp_path, "a/x", [row("id1", *(stat(name, 1.0) for name in names))], []))
    assert [one.metric for one in found] == ["f1_score", "quasi_exact_match", "exact_match"]
    assert found[0].samples.covariates["input_tokens"].tolist() == [1.0]
    assert found[0].samples.covariates["seconds"].tolist() == [1.0]


def test_trials_are_repeats_and_perturbed_instances_are_left_out(tmp_path: Path) -> None:
    rows = [row(f"id{i}", stat("exact_match", float(i == trial)), trial=trial) for trial in (0, 1) for i in (0, 1)]
    rows += [row("id0", stat("exact_match", 0.0, perturbation={"name": "typos"}), perturbation={"name": "typos"})]
    rows += [row("id2", stat("exact_match", None, count=0))]
    (found,) = runs(run(tmp_path, "a/x", rows, [stat("exact_match", 0.5)]))
    assert found.samples.instances.tolist() == ["id0", "id1", "id0", "id1", "id2"]
    assert found.samples.repeats.tolist() == [0, 0, 1, 1, 0]
    assert found.samples.scores[:4].tolist() == [1, 0, 0, 1]
    assert np.isnan(found.samples.scores[4])


def test_a_mean_that_weighs_instances_otherwise_is_said(tmp_path: Path) -> None:
    rows = [row("id1", stat("exact_match", 1.0, count=3)), row("id2", stat("exact_match", 0.0))]
    (found,) = runs(run(tmp_path, "a/x", rows, [stat("exact_match", 0.75)]))
    assert any("HELM's own mean is another" in note for note in found.notes)


def test_a_limit_is_said(tmp_path: Path) -> None:
    rows = [row("id1", stat("exact_match", 1.0))]
    (found,) = runs(run(tmp_path, "a/x", rows, [], max_eval_instances=1))
    assert found.notes == ("HELM ran at most 1 instances of a scenario (--max-eval-instances)",)


def test_instances_of_equal_names_that_differ_are_refused(tmp_path: Path) -> None:
    for model, question in (("a/x", "1 + 1?"), ("a/y", "1 + 2?")):
        folder = run(tmp_path, model, [row("id1", stat("exact_match", 1.0))], [])
        written(folder / "instances.json", [{"id": "id1", "input": {"text": question}, "references": []}])
    with pytest.raises(InputError, match=r"instance 'id1' differs between .*a_x.*a_y"):
        read(tmp_path)


def test_what_stands_behind_the_model_makes_no_other_task(tmp_path: Path) -> None:
    for model, behind in (("a/x", ",stop=hash"), ("a/y", "")):
        folder = run(tmp_path, model, [row("id1", stat("exact_match", 1.0))], [])
        spec = json.loads((folder / "run_spec.json").read_text())
        written(folder / "run_spec.json", {**spec, "name": spec["name"] + behind})
    assert read(tmp_path).task_names == ("qa:subject=law",)


def test_the_name_of_the_folder_stands_in_for_a_missing_specification(tmp_path: Path) -> None:
    folder = run(tmp_path, "a/x", [row("id1", stat("exact_match", 1.0))], [])
    (folder / "run_spec.json").unlink()
    assert read(tmp_path).systems == ("a/x",)
    (folder / "per_instance_stats.json").rename(tmp_path / "per_instance_stats.json")
    with pytest.raises(InputError, match=r"per_instance_stats.json: neither .* names the model"):
        read(tmp_path)


def test_other_files_of_helm_are_not_taken(shared: Path) -> None:
    taken = {path.name for path in (shared / "data/formats/helm").rglob("*.json") if takers(path)}
    assert taken == {"run_spec.json", "stats.json", "per_instance_stats.json"}


def test_a_run_that_has_not_ended_has_no_scores(tmp_path: Path) -> None:
    run(tmp_path, "a/x", [], [])
    with pytest.raises(InputError, match="no scores"):
        read(tmp_path)


def test_a_file_that_was_cut_off_is_named(tmp_path: Path) -> None:
    folder = run(tmp_path, "a/x", [row("id1", stat("exact_match", 1.0))], [])
    path = folder / "per_instance_stats.json"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"per_instance_stats.json is not JSON, or cut off"):
        read(tmp_path)


def column(group: str, metric: str, *, lower: bool | None = False, **more: str) -> dict[str, Any]:
    said = {} if lower is None else {"lower_is_better": lower}
    return {"value": f"{group} - {metric}", **said, "metadata": {"metric": metric, "run_group": group, **more}}


def a_table(title: str, columns: list[dict[str, Any]], rows: dict[str, list[float | None]], name: str = "") -> Any:
    def cells(model: str, values: list[float | None]) -> list[dict[str, Any]]:
        return [{"value": model}, *({} if value is None else {"value": value} for value in values)]

    header = [{"value": "Model"}, *columns]
    return {"title": title, "header": header, "rows": [cells(*row) for row in rows.items()], "name": name}


WINS = {"value": "Mean win rate", "lower_is_better": False, "metadata": {}}

CORE = [
    a_table(
        "Accuracy",
        [WINS, column("MMLU", "EM"), column("QA", "F1"), column("QA", "# eval", lower=None)],
        {"A": [1.0, 0.5, 0.25, 10], "B": [0.0, 0.25, 0.125, 10]},
    ),
    a_table("Robustness", [column("QA", "F1", perturbation="Robust")], {"A": [0.125], "B": [None]}),
    a_table("Efficiency", [column("QA", "Time (s)", lower=True)], {"A": [2.0], "B": [1.0]}),
]

MMLU = [
    a_table(title, [column("MMLU", "EM")], {"A": [score], "B": [score / 2]}, name)
    for title, score, name in (
        ("MMLU", 0.5, "mmlu"),
        ("MMLU subject: law", 0.25, "mmlu_subject:law"),
        ("subject: art", 0.75, "mmlu_subject:art"),
        ("MMLU (sub-split: easy)", 0.9, "mmlu:sub_split=easy"),
    )
]


def test_a_table_of_groups(tmp_path: Path) -> None:
    written(tmp_path / "groups" / "core_scenarios.json", CORE)
    scores = read(tmp_path)
    assert table(scores) == {("A", "MMLU"): [0.5], ("A", "QA"): [0.25], ("B", "MMLU"): [0.25], ("B", "QA"): [0.125]}
    assert table(read(tmp_path, metric="F1 (Robust)")) == {("A", "QA"): [0.125]}
    assert not read(tmp_path, metric="Time (s)").tasks[0].higher_is_better


def test_scenarios_stand_instead_of_their_group(tmp_path: Path) -> None:
    written(tmp_path / "groups" / "mmlu.json", MMLU)
    written(tmp_path / "groups" / "json" / "mmlu_mmlu.json", MMLU[0])
    assert read(tmp_path).task_names == ("MMLU subject: art", "MMLU subject: law")
    written(tmp_path / "groups" / "core_scenarios.json", CORE)
    assert read(tmp_path).task_names == ("MMLU subject: art", "MMLU subject: law", "QA")


def test_the_metrics_of_the_table_of_accuracy_are_the_main_ones(tmp_path: Path) -> None:
    written(tmp_path / "groups" / "calibration.json", [a_table("Calibration", [column("QA", "ECE")], {"A": [1.0]})])
    written(tmp_path / "groups" / "core_scenarios.json", CORE)
    assert table(read(tmp_path))["A", "QA"] == [0.25]


def test_one_table_by_itself(tmp_path: Path) -> None:
    scores = read(written(tmp_path / "core_scenarios_accuracy.json", CORE[0]))
    assert scores.task_names == ("MMLU", "QA")
    assert find_logs(written(tmp_path / "index" / "groups.json", [a_table("All", [{"value": "Group"}], {})])) is None


def test_tables_beside_their_runs_do_not_count(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "data/formats/helm/benchmark_output", tmp_path / "output")
    (tmp_path / "output").chmod(0o755)
    suite = tmp_path / "output" / "runs" / "demo"
    suite.chmod(0o755)
    before = podium.read(str(tmp_path))
    written(suite / "groups" / "core_scenarios.json", CORE)
    assert table(podium.read(str(tmp_path))) == table(before)
