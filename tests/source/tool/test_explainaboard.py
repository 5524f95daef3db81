"""Reports of ExplainaBoard: the layouts of its versions, names, and damage."""

from pathlib import Path
from typing import Any

import pytest

from support.damage import read, survives, table, written
from support.tools import runs, takers


def report(path: Path, system: str | None, overall: Any, data: str = "xnli", **more: Any) -> Path:
    given = {
        "task_name": "text-classification",
        "system_name": system,
        "dataset_name": data,
        "sub_dataset_name": None,
        "results": {"overall": overall, "fine_grained": {}},
        **more,
    }
    return written(path, given)


def test_the_genuine_reports(shared: Path) -> None:
    folder = shared / "data/formats/explainaboard"
    taken = {path.name for path in folder.rglob("*.json") if takers(path)}
    assert taken == {"report.json", "report_absa.json", "report_pairwise_tc.json", "report_summ.json"}
    found = table(read(folder, metric="*"))
    assert found["report", "text-classification"] == [0.8803]
    assert found["report_absa", "aspect-based-sentiment-classification"] == [0.91]
    assert found["report_summ", "summarization/bart_score_summ"] == [-1.309]
    assert found["report_summ", "summarization/bleu"] == [9.368]


def test_systems_and_data_have_their_names(tmp_path: Path) -> None:
    for system, language, value in (("A", "ar", 0.7), ("A", "de", 0.8), ("B", "ar", 0.6), ("B", "de", 0.5)):
        overall = {"Accuracy": {"metric_name": "Accuracy", "value": value}}
        report(tmp_path / f"{system}{language}.json", system, overall, language=language)
    assert table(read(tmp_path)) == {
        ("A", "xnli (language ar)"): [0.7],
        ("A", "xnli (language de)"): [0.8],
        ("B", "xnli (language ar)"): [0.6],
        ("B", "xnli (language de)"): [0.5],
    }


def test_levels_of_analysis_of_later_versions(tmp_path: Path) -> None:
    value = {"cls_name": "MetricResult", "values": {"score": {"cls_name": "Score", "value": 0.5}}}
    report(tmp_path / "a.json", "A", {"example": {"F1": value}, "span": {"F1": value}}, sub_dataset_name="de")
    (first, second) = runs(tmp_path / "a.json")
    assert (first.task, first.metric, first.mean) == ("xnli/de", "F1", 0.5)
    assert (second.metric, second.mean) == ("span/F1", 0.5)


@pytest.mark.parametrize("overall", [None, [], {}, {"Accuracy": {"value": "high"}}, [{"metric_name": "a"}], "x"])
def test_reports_without_scores_are_not_taken(tmp_path: Path, overall: Any) -> None:
    assert not takers(report(tmp_path / "a.json", "A", overall))


@pytest.mark.parametrize("seed", range(40))
def test_damage(tmp_path: Path, seed: int) -> None:
    overall = {"Accuracy": {"metric_name": "Accuracy", "value": 0.7}}
    for name, given in {"A": overall, "B": [overall["Accuracy"]], "C": {"example": overall}}.items():
        report(tmp_path / "all" / f"{name}.json", name, given)
    survives(tmp_path / "all", tmp_path / "copy", seed)
