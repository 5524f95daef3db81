"""Results of BIG-bench: files of metrics, files of scores with parts and numbers of examples, and damage."""

import json
from pathlib import Path
from typing import Any

import pytest

from podium.errors import InputError
from support.damage import read, survives, table, written
from support.tools import takers


def entry(part: str, score: float, shots: int = 0, metric: str = "exact_str_match", **more: Any) -> dict[str, Any]:
    return {
        "subtask_description": part,
        "number_of_shots": shots,
        "preferred_score": metric,
        "score_dict": {"bleu": 0.1, metric: score, "normalized_aggregate_score": 100 * score},
        "high_score": 1,
        "low_score": 0,
        **more,
    }


def scores_of(root: Path, task: str, name: str, *entries: dict[str, Any]) -> Path:
    model = {"model_family": "BIG-G", "model_name": name, "total_params": 7}
    given = {"model": model, "scores": list(entries), "task": {"task_name": task}}
    return written(root / task / "results" / f"scores_BIG-G_{name}.json", given)


def test_the_genuine_metrics(shared: Path) -> None:
    folder = shared / "data/formats/big_bench"
    found = table(read(folder))
    assert len(found) == 27
    for path in folder.rglob("*.jsonl"):
        task = path.name.partition("_few_shot_template")[0]
        assert found["code-davinci-002-cot", task] == [json.loads(path.read_text())["accuracy"]]


def test_the_preferred_score_of_every_number_of_examples(tmp_path: Path) -> None:
    for name in ("125m", "1b"):
        scores_of(tmp_path, "words", name, entry("words", 0.5), entry("words", 0.7, 3))
    scores = read(tmp_path)
    assert table(scores)["BIG-G 1b", "words (n-shot 3)"] == [0.7]
    assert len(table(scores)) == 4
    assert scores.tasks[0].higher_is_better


def test_a_task_does_not_stand_beside_its_parts(tmp_path: Path) -> None:
    whole = entry("words", 0.6, metric="normalized_aggregate_score")
    scores_of(tmp_path, "words", "1b", whole, entry("words:easy", 0.5), entry("words:hard", 0.7))
    assert table(read(tmp_path)) == {("BIG-G 1b", "words:easy"): [0.5], ("BIG-G 1b", "words:hard"): [0.7]}


def test_a_high_score_below_the_low_one_turns_the_direction(tmp_path: Path) -> None:
    scores_of(tmp_path, "words", "1b", entry("", 0.5, metric="loss_of_words", high_score=0, low_score=10))
    scores = read(tmp_path)
    assert table(scores) == {("BIG-G 1b", "words"): [0.5]}
    assert not scores.tasks[0].higher_is_better


def test_other_files_are_not_taken(tmp_path: Path) -> None:
    for name, given in {
        "a_eval_metrics.json": {"accuracy": "high"},
        "b_eval_metrics.json": {},
        "metrics.json": {"accuracy": 1},
        "c.json": {"model": 1, "scores": []},
        "d.json": {"model": 1, "scores": [{"score_dict": {}}]},
    }.items():
        assert not takers(written(tmp_path / name, given))


def test_a_model_without_a_name_is_refused(tmp_path: Path) -> None:
    path = scores_of(tmp_path, "words", "1b", entry("words", 0.5))
    written(path, {**json.loads(path.read_text()), "model": {}})
    with pytest.raises(InputError, match=r"scores_BIG-G_1b.json: its model has neither"):
        read(tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_damage(tmp_path: Path, seed: int) -> None:
    for name in ("125m", "1b"):
        scores_of(tmp_path / "all", "words", name, entry("words", 0.5), entry("words", 0.7, 3))
        written(tmp_path / "all" / name / "b_few_shot_template_0_eval_metrics.jsonl", [{"accuracy": 3.5}], lines=True)
    survives(tmp_path / "all", tmp_path / "copy", seed)
