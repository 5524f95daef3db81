"""Location files: both layouts, where their files are looked for, and what is refused."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import podium
from podium.errors import InputError, LabelError, MissingExtraError
from podium.source.tool.trec_listing import lists_file

QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
GOOD = "q1\td1\t1\t9.5\nq2\td2\t1\t9.5\n"
POOR = "q1\td1\t2\t9.5\nq1\td3\t1\t9.75\nq2\td3\t1\t9.5\n"


def put(path: Path, content: Any) -> Path:
    """Write a file into folders that are made for it; what is no text is written as YAML."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
    return path


def scores_tree(root: Path) -> Path:
    """Write what the classification example of Ranger has: paths lead from the folder above the YAML."""
    name = "./glue-data/{}/{}/accuracy.txt"
    for system in ("bert", "distilbert"):
        put(root / name.format(system, "rte"), "1.0\n0.0\n1.0\n")
        put(root / name.format(system, "wnli"), "0.0\n1\n" if system == "bert" else "1e0\r\n.5")
    tasks = ("wnli", "rte")
    metrics = {system: {task: name.format(system, task) for task in tasks} for system in ("bert", "distilbert")}
    content = {"eval_metrics": metrics, "display_names": {"rte": "RTE", "wnli": "WNLI"}}
    return put(root / "glue-data/config.yaml", content)


def runs_tree(root: Path) -> Path:
    """Write what the retrieval example of Ranger has, with qrels that nobody has a run for and that are not there."""
    folder = "./retrieval-data"
    for task in ("covid", "antique"):
        put(root / f"{folder}/qrels/{task}.txt", QRELS)
        put(root / f"{folder}/tasb/{task}_top10.txt", POOR)
        put(root / f"{folder}/colberter/{task}_top10.txt", GOOD)
    content = {
        "qrels": {task: f"{folder}/qrels/{task}.txt" for task in ("antique", "covid", "touche")},
        "available_rankings": {
            system: {task: f"{folder}/{system}/{task}_top10.txt" for task in ("antique", "covid")}
            for system in ("tasb", "colberter")
        },
        "display_names": {"covid": "TREC Covid", "antique": "Antique"},
    }
    return put(root / f"{folder}/config.yaml", content)


def test_files_of_one_score_per_line(tmp_path: Path) -> None:
    scores = podium.read_locations(scores_tree(tmp_path))
    assert (scores.systems, scores.task_names, scores.notes) == (("bert", "distilbert"), ("RTE", "WNLI"), ())
    assert [task.values.tolist() for task in scores.tasks] == [[[1, 0, 1]] * 2, [[0, 1], [1, 0.5]]]
    assert all(task.instances is None for task in scores.tasks)
    assert podium.rank(scores, "mean", confidence_level=None).systems == ("distilbert", "bert")


def test_runs(tmp_path: Path) -> None:
    path = runs_tree(tmp_path)
    scores = podium.read_locations(path)
    assert (scores.systems, scores.task_names) == (("tasb", "colberter"), ("TREC Covid", "Antique"))
    assert scores.notes == ("1 task left out (not in display_names): 'touche'", "the measure is nDCG@10, see --measure")
    third = 1 / np.log2(3)
    for task in scores.tasks:
        np.testing.assert_allclose(task.values, [[third, 0], [1, 1]], rtol=1e-12)
    assert podium.read_locations(path, "RR").tasks[0].values.tolist() == [[0.5, 0], [1, 1]]
    assert podium.read_locations(path, "Judged@10").tasks[0].values.tolist() == [[0.5, 0], [1, 1]]


def test_relative_paths_lead_from_the_yaml_or_here_or_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    config = put(tmp_path / "above/data/config.yaml", {"eval_metrics": {"A": {"t": "a.txt"}}})
    monkeypatch.chdir(put(here / "note", "").parent)

    def found() -> list[list[float]]:
        values: list[list[float]] = podium.read_locations(config).tasks[0].values.tolist()
        return values

    with pytest.raises(InputError) as caught:
        found()
    tried = ", ".join(str(folder / "a.txt") for folder in (config.parent, here, tmp_path / "above"))
    said = f"{config}: system 'A', task 't': there is no file 'a.txt'; podium looked for {tried}; there are "
    assert str(caught.value).startswith(said)
    put(tmp_path / "above/a.txt", "1\n")
    assert found() == [[1]]
    put(here / "a.txt", "2\n")
    assert found() == [[2]]
    put(tmp_path / "above/data/a.txt", "3\n")
    assert found() == [[3]]
    put(config, {"eval_metrics": {"A": {"t": str(here / "a.txt")}}})
    assert found() == [[2]]
    monkeypatch.chdir(config.parent)
    assert podium.read_locations("config.yaml").tasks[0].values.tolist() == [[2]]


def test_the_nearest_file_is_named(tmp_path: Path) -> None:
    put(tmp_path / "scores/bert.txt", "1\n")
    config = put(tmp_path / "config.yaml", {"eval_metrics": {"A": {"t": "scores/brt.txt"}}})
    with pytest.raises(
        InputError, match=r"there is no file 'scores/brt.txt'; podium looked for .*; did you mean 'bert.txt'"
    ):
        podium.read_locations(config)
    with pytest.raises(InputError, match=r"there is no file '.*confg.yaml'; did you mean 'config.yaml'"):
        podium.read_locations(tmp_path / "confg.yaml")


def test_without_display_names_all_tasks_are_used(tmp_path: Path) -> None:
    path = runs_tree(tmp_path)
    content = yaml.safe_load(path.read_text())
    del content["display_names"]
    del content["available_rankings"]["tasb"]["covid"]
    scores = podium.read_locations(put(path, content))
    assert scores.task_names == ("antique", "covid")
    assert [task.scored.tolist() for task in scores.tasks] == [[2, 2], [0, 2]]
    assert scores.notes == ("1 task left out (no system has a run): 'touche'", "the measure is nDCG@10, see --measure")


def test_a_task_without_display_name_is_left_out_and_told(tmp_path: Path) -> None:
    path = scores_tree(tmp_path)
    content = yaml.safe_load(path.read_text())
    content["eval_metrics"]["bert"] |= {"mnli": "gone.txt", "qqp": "gone.txt"}
    scores = podium.read_locations(put(path, content))
    assert scores.task_names == ("RTE", "WNLI")
    assert scores.notes == ("2 tasks left out (not in display_names): 'mnli', 'qqp'",)


def test_choosing_by_the_names_shown(tmp_path: Path) -> None:
    path = scores_tree(tmp_path)
    (tmp_path / "glue-data/bert/rte/accuracy.txt").unlink()
    chosen = podium.read_locations(path, systems=["dist*"], lower=["RTE"])
    assert chosen.systems == ("distilbert",)
    assert chosen.higher_is_better.tolist() == [False, True]
    assert podium.read_locations(path, tasks=["!RTE"]).systems == ("bert", "distilbert")
    with pytest.raises(LabelError, match="there is no task 'rte'; did you mean 'RTE'"):
        podium.read_locations(path, tasks=["rte"])


def test_bytes_are_neither_yaml_nor_scores(tmp_path: Path) -> None:
    config = put(tmp_path / "config.yaml", {"eval_metrics": {"B": {"t": "b.txt"}}})
    (tmp_path / "b.txt").write_bytes(b"1\n\xff\n")
    with pytest.raises(InputError, match="line 2: '\N{REPLACEMENT CHARACTER}' is not a finite number"):
        podium.read_locations(config)
    config.write_bytes(b"\0\1")
    with pytest.raises(InputError, match="this is not YAML"):
        podium.read_locations(config)


def test_scores_have_no_measure(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lists scores, not runs, so RR cannot be computed; leave out the measure"):
        podium.read_locations(scores_tree(tmp_path), "RR")


def test_the_glue_example(shared: Path, tmp_path: Path) -> None:
    scores = podium.read(shared / "data/effects/glue_accuracy.parquet")
    metrics: dict[str, dict[str, str]] = {}
    for task in scores.tasks:
        for system, column in zip(scores.systems, task.values, strict=True):
            name = f"{system}-{task.name}.txt"
            put(tmp_path / name, "".join(f"{score}\n" for score in column))
            metrics.setdefault(system, {})[task.name] = name
    again = podium.read_locations(put(tmp_path / "config.yaml", {"eval_metrics": metrics}))
    assert again.task_names == scores.task_names
    for one, other in zip(scores.tasks, again.tasks, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_which_files_a_yaml_lists(tmp_path: Path) -> None:
    path = runs_tree(tmp_path)
    folder = path.parent
    listed = [path, folder / "qrels/covid.txt", folder / "tasb/covid_top10.txt"]
    assert [lists_file(path, target) for target in listed] == [True, True, True]
    assert not lists_file(path, tmp_path / "board.json")
    assert not lists_file(path, put(tmp_path / "board.json", "{}"))
    broken = put(tmp_path / "broken.yaml", "[")
    assert [lists_file(broken, target) for target in (broken, path)] == [True, False]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = scores_tree(tmp_path)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtraError, match=r"reading a YAML needs pyyaml: pip install .*\[trec\]"):
        podium.read_locations(path)
