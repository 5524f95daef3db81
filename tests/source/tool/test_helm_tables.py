"""Tables of HELM: scores by scenario, without what is derived, and never beside the runs."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.source.logs import find_logs
from support.damage import read, survives, table, written


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


@pytest.mark.parametrize("seed", range(40))
def test_damage(tmp_path: Path, seed: int) -> None:
    written(tmp_path / "groups" / "core_scenarios.json", CORE)
    written(tmp_path / "groups" / "mmlu.json", MMLU)
    survives(tmp_path / "groups", tmp_path / "copy", seed)
