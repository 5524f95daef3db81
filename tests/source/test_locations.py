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


FILES = {"A": {"t": "a.txt"}, "B": {"t": "a.txt"}}
RUNS = {"qrels": {"t": "q.txt"}, "available_rankings": FILES}

CONTENTS: dict[str, tuple[Any, str]] = {
    "not YAML": ("eval_metrics: [", r"config\.yaml, line 1: this is not YAML: .*; correct it"),
    "no date": ("eval_metrics: 2001-99-99", "this is not YAML: month must be in"),
    "not YAML, binary": ("\x00\x01", "this is not YAML"),
    "two documents": ("a: 1\n---\nb: 2\n", "this is not YAML"),
    "empty": ("", "the file holds no mapping; expected eval_metrics"),
    "a list": (["a.txt"], "the file holds no mapping; expected eval_metrics .* or qrels .* and available_rankings"),
    "neither layout": ({"display_names": {"t": "T"}}, "expected eval_metrics .*; found display_names"),
    "nothing": ({}, "found nothing"),
    "half a layout": ({"available_rankings": FILES}, "expected eval_metrics .*; found available_rankings"),
    "both layouts": (RUNS | {"eval_metrics": FILES}, "found qrels and available_rankings and eval_metrics"),
    "unknown key": ({"eval_metric": FILES}, "the key 'eval_metric' is unknown; did you mean 'eval_metrics'"),
    "key of no text": ({"eval_metrics": FILES, 3: 4}, "the key 3 is unknown; there are"),
    "number for a path": (
        {"eval_metrics": {"A": {"t": 3}}},
        "system 'A', task 't': expected the path of a file, not 3",
    ),
    "no path": ({"eval_metrics": {"A": {"t": None}}}, "expected the path of a file, not nothing"),
    "list for a path": ({"eval_metrics": {"A": {"t": ["a"]}}}, "expected the path of a file, not a list"),
    "path for a system": (
        {"eval_metrics": {"A": "a.txt"}},
        "system 'A': expected a mapping from names to files or texts, not 'a.txt'",
    ),
    "no systems": ({"eval_metrics": {}}, "no system is listed"),
    "null": ({"eval_metrics": None}, "eval_metrics: expected a mapping; fill it, or leave out the key"),
    "number for a system": (
        {"eval_metrics": {1: {"t": "a"}}},
        "name of a system must be text, not 1; put it in quotes",
    ),
    "word for a task": ("eval_metrics: {A: {no: a.txt}}", "key of a task must be text, not False; put it in quotes"),
    "number for a qrels file": (RUNS | {"qrels": {"t": 1}}, "the qrels, task 't': expected the path of a file, not 1"),
    "no qrels for a task": (RUNS | {"qrels": {"tt": "q"}}, "task 't' has no qrels; did you mean 'tt'"),
    "unknown task": ({"eval_metrics": FILES, "display_names": {"u": "U"}}, "no system has a file for task 'u'"),
    "unknown task of runs": (RUNS | {"display_names": {"t": "T", "u": "U"}}, "task 'u' has no qrels; there are 't'"),
    "task without runs": (
        {"qrels": {"t": "q", "u": "q"}, "available_rankings": FILES, "display_names": {"t": "T", "u": "U"}},
        "no system has a file for task 'u'; there are 't'",
    ),
    "system without task": (
        {"eval_metrics": FILES | {"C": {"u": "a"}}, "display_names": {"t": "T"}},
        "system 'C' has no file for any task; list one, or leave the system out",
    ),
    "one name twice": (
        {"eval_metrics": {"A": {"t": "a", "u": "a"}}, "display_names": {"t": "T", "u": "T"}},
        "tasks 't' and 'u' have the display name 'T'; give each task its own name",
    ),
    "number for a name": (
        {"eval_metrics": FILES, "display_names": {"t": 3}},
        "display name of task 't' must be text, not 3",
    ),
    "no names": ({"eval_metrics": FILES, "display_names": {}}, "display_names is empty"),
    "one system twice": ("eval_metrics:\n A: {t: a}\n A: {t: b}\n", r"yaml, line 3: 'A' is listed twice; keep one"),
    "one task twice": ("eval_metrics:\n A:\n  t: a\n  t: b\n", r"yaml, line 4: 't' is listed twice; keep one"),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_yamls_that_are_refused(tmp_path: Path, name: str) -> None:
    content, message = CONTENTS[name]
    put(tmp_path / "a.txt", "1\n")
    with pytest.raises(InputError, match=message) as caught:
        podium.read_locations(put(tmp_path / "config.yaml", content))
    assert str(caught.value).startswith(str(tmp_path / "config.yaml"))


LINES: dict[str, tuple[str | bytes, str]] = {
    "text": ("1\n0.5\nhigh\n", r"b\.txt, line 3: 'high' is not a finite number; every line must hold one score and"),
    "two numbers": ("1 0\n", "line 1: '1 0' is not a finite number"),
    "nan": ("1\nnan\n", "line 2: 'nan' is not a finite number"),
    "infinite": ("inf\n", "line 1: 'inf'"),
    "underscore": ("1_0\n", "line 1: '1_0'"),
    "not UTF-8": (b"1\n\xff\n", "line 2: '\N{REPLACEMENT CHARACTER}' is not a finite number"),
    "blank": ("1\n\n0\n", r"b\.txt, line 2 is blank"),
    "empty": ("", r"b\.txt is empty"),
    "only blanks": ("\n\n", r"b\.txt is empty"),
    "shorter": (
        "1\n0\n",
        r"task 'T': .*a\.txt of system 'A' has 3 lines and .*b\.txt of system 'B' 2 lines; systems are compared line",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_files_of_scores_that_are_refused(tmp_path: Path, name: str) -> None:
    content, message = LINES[name]
    put(tmp_path / "a.txt", "1\n0\n1\n\n")
    (tmp_path / "b.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
    content_of = {"eval_metrics": {"A": {"t": "a.txt"}, "B": {"t": "b.txt"}}, "display_names": {"t": "T"}}
    with pytest.raises(InputError, match=message):
        podium.read_locations(put(tmp_path / "config.yaml", content_of))


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
