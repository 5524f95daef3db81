"""Results of MTEB: main scores, splits and languages that some lack, revisions, old layouts and damage."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from podium.errors import InputError
from support.tools import read, runs, table, written


def result(
    root: Path, model: str, task: str, scores: dict[str, dict[str, float | None]], *made: str, **more: Any
) -> Path:
    revision, version = made or ("r1", "2.1.0")
    given = {
        "dataset_revision": "d1",
        "evaluation_time": 2.5,
        "mteb_version": version,
        "scores": {
            split: [{"hf_subset": name, "languages": ["eng-Latn"], "main_score": score} for name, score in row.items()]
            for split, row in scores.items()
        },
        "task_name": task,
        **more,
    }
    return written(root / model.replace("/", "__") / revision / f"{task}.json", given)


def test_scores_of_a_checkout_are_the_means_of_its_main_scores(shared: Path) -> None:
    folder = shared / "data/formats/mteb/results_repo"
    found = table(read(folder))
    compared = 0
    for path in sorted(folder.rglob("*.json")):
        given = json.loads(path.read_text())
        if "scores" not in given:
            continue
        model = path.parents[1].name.replace("__", "/")
        score = found[model, given["task_name"]][0]
        # the mean of mteb 2: of all subsets of all splits
        own = np.mean([one["main_score"] for rows in given["scores"].values() for one in rows])
        compared += not math.isnan(score)
        assert math.isnan(score) or score == pytest.approx(own, abs=1e-9)
    assert compared == 45


def test_scores_of_a_checkout_are_those_of_the_published_table(shared: Path) -> None:
    rows = pq.read_table(shared / "data/mteb/mteb_main_scores.parquet").to_pandas()
    found = table(read(shared / "data/formats/mteb/results_repo"))
    for (system, task), (score,) in found.items():
        own = rows[(rows.system == system) & (rows.task == task)]
        if not math.isnan(score):
            assert score == pytest.approx(own.score.mean(), abs=1e-9)


def test_the_genuine_folder_with_files_of_old_versions(shared: Path) -> None:
    scores = read(shared / "data/formats/mteb/results")
    found = table(scores)
    assert len(scores.systems) == 10
    assert found["openai/text-embedding-3-small", "ArguAna"] == [0.55486]
    assert found["openai/text-embedding-3-small", "STS13"] == [0.8491997414]
    # cos_sim.ap is not max_ap, and map is not map_at_1000
    assert math.isnan(found["openai/text-embedding-3-small", "TwitterURLCorpus"][0])
    assert math.isnan(found["openai/text-embedding-3-small", "AskUbuntuDupQuestions"][0])


def test_models_without_some_languages_are_left_out(tmp_path: Path) -> None:
    for model in ("a/x", "a/y"):
        result(tmp_path, model, "STS", {"test": {"en": 0.5, "de": 0.7}})
    result(tmp_path, "a/more", "STS", {"test": {"en": 0.5, "de": 0.9, "fr": 0.1}, "validation": {"en": 0}})
    result(tmp_path, "a/less", "STS", {"test": {"en": 0.9}})
    result(tmp_path, "a/less", "NQ", {"test": {"default": 0.9}})
    scores = read(tmp_path)
    found = table(scores)
    assert [found[model, "STS"] for model in ("a/x", "a/y")] == [[pytest.approx(0.6)]] * 2
    assert found["a/more", "STS"] == [pytest.approx(0.7)]
    assert math.isnan(found["a/less", "STS"][0])
    assert any(note.startswith("left out: 1 score on 1 task") for note in scores.notes)


def test_revisions_are_joined_task_by_task(tmp_path: Path) -> None:
    # with a version before without, with a name before without, then the newest version, which is no order of letters
    result(tmp_path, "a/x", "A", {"test": {"default": 0.1}}, "r1", "1.9.0")
    result(tmp_path, "a/x", "A", {"test": {"default": 0.2}}, "r2", "1.10.0")
    result(tmp_path, "a/x", "A", {"test": {"default": 0.3}}, "external", "2.0.0")
    result(tmp_path, "a/x", "B", {"test": {"default": 0.4}}, "no_revision_available", "1.0.0")
    result(tmp_path, "a/x", "C", {"test": {"default": 0.5}}, "r1", "mteb version not available")
    result(tmp_path, "a/x", "C", {"test": {"default": 0.6}}, "external", "1.0.0")
    result(tmp_path, "a/x", "D", {"test": {"default": None}}, "r2", "2.0.0")
    result(tmp_path, "a/x", "D", {"test": {"default": 0.7}}, "r1", "1.0.0")
    scores = read(tmp_path)
    assert [table(scores)["a/x", task] for task in "ABCD"] == [[0.2], [0.4], [0.6], [0.7]]
    assert any(
        note.startswith(
            "of several revisions of a model, one with a version of mteb and a name counts, then the newest"
        )
        for note in scores.notes
    )


def test_experiments_are_left_out(tmp_path: Path) -> None:
    result(tmp_path, "a/x", "A", {"test": {"default": 0.1}})
    given = json.loads((tmp_path / "a__x/r1/A.json").read_text())
    written(tmp_path / "a__x/r1/experiments/batch_1/A.json", {**given, "mteb_version": "9.0"})
    scores = read(tmp_path)
    assert table(scores) == {("a/x", "A"): [pytest.approx(0.1)]}
    assert "left out: 1 file of experiments, of models with other settings" in scores.notes


def test_the_description_of_a_model_names_it_and_says_its_size(tmp_path: Path) -> None:
    path = result(tmp_path, "folder__a", "A", {"test": {"default": 0.1}})
    description = {"name": "a/x", "revision": "r1", "n_parameters": 7, "embed_dim": 3, "max_tokens": None}
    about = written(path.parent / "model_meta.json", description)
    (run,) = runs(path, about)
    assert (run.system, run.covariates) == ("a/x", {"parameters": 7, "dimensions": 3, "seconds": 2.5})


@pytest.mark.parametrize(
    ("scores", "metric", "mean"),
    [
        ({"ndcg_at_10": 0.5, "map_at_10": 0.1, "evaluation_time": 3}, "main_score", 0.5),
        ({"cos_sim": {"spearman": 0.5, "pearson": 0.1}, "euclidean": {"spearman": 0.2}}, "main_score", 0.5),
        ({"accuracy": 0.5, "f1": 0.1, "accuracy_stderr": 0.1}, "main_score", 0.5),
        ({"accuracy": 0.1, "f1": 0.5, "precision": 0.2, "recall": 0.3}, "main_score", 0.5),
        ({"v_measure": 0.5, "v_measures": {"a": [1]}}, "main_score", 0.5),
        ({"max": {"ap": 0.5}, "cos_sim": {"ap": 0.1}}, "main_score", 0.5),
        ({"de": {"accuracy": 0.4}, "en": {"accuracy": 0.6}}, "main_score", 0.5),
        ({"de": {"main_score": 0.4, "accuracy": 0}, "en": {"main_score": 0.6, "accuracy": 0}}, "main_score", 0.5),
        ({"map": 0.5, "mrr": 0.1}, "map", 0.5),
        ({"cos_sim": {"ap": 0.5}}, "cosine_ap", 0.5),
    ],
)
def test_files_of_old_versions(tmp_path: Path, scores: dict[str, Any], metric: str, mean: float) -> None:
    given = {"mteb_version": "1.0.2", "dataset_revision": None, "mteb_dataset_name": "A", "test": scores}
    (run,) = runs(written(tmp_path / "a__x" / "r1" / "A.json", given))
    assert (run.system, run.task, run.metric) == ("a/x", "A", metric)
    assert run.mean == pytest.approx(mean)


def test_tasks_of_old_versions_with_another_main_score(tmp_path: Path) -> None:
    given = {"mteb_version": "1.5.0", "mteb_dataset_name": "BSARDRetrieval", "dataset_revision": "x"}
    for model, recall in (("a", 0.5), ("b", 0.75)):
        path = tmp_path / f"org__{model}" / "1" / "BSARDRetrieval.json"
        written(path, {**given, "test": {"ndcg_at_10": 0.1, "recall_at_100": recall, "evaluation_time": 3.0}})
    assert table(read(tmp_path)) == {("org/a", "BSARDRetrieval"): [0.5], ("org/b", "BSARDRetrieval"): [0.75]}


def test_revisions_of_the_data_are_said(tmp_path: Path) -> None:
    result(tmp_path, "a/x", "A", {"test": {"default": 0.1}})
    result(tmp_path, "a/y", "A", {"test": {"default": 0.1}}, dataset_revision="d2")
    assert any("1 task were run" in note or "1 task was run" in note for note in read(tmp_path).notes)


def test_a_file_that_was_cut_off_is_named(tmp_path: Path) -> None:
    path = result(tmp_path, "a/x", "A", {"test": {"default": 0.1}})
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(InputError, match=r"A.json is not JSON, or cut off"):
        runs(path)


def test_a_named_revision_counts_before_a_newer_one_without_a_name(tmp_path: Path) -> None:
    result(tmp_path, "team/a", "T", {"test": {"default": 0.1}}, "0123abc", "1.1.0")
    result(tmp_path, "team/a", "T", {"test": {"default": 0.9}}, "no_revision_available", "2.0.0")
    scores = read(tmp_path)
    assert scores.tasks[0].values.tolist() == [[0.1]]
    note = "of several revisions of a model, one with a version of mteb and a name counts, then the newest (1 score)"
    assert note in scores.notes


def test_scores_as_text_are_read_if_they_are_numbers(tmp_path: Path) -> None:
    for model, score in {"a": "0.9", "b": "1_0", "c": 0.5}.items():
        result(tmp_path, f"team/{model}", "T", {"test": {"default": score}})  # type: ignore[dict-item]
    scores = read(tmp_path)
    assert {key: value[0] for key, value in table(scores).items()} == {("team/a", "T"): 0.9, ("team/c", "T"): 0.5}
    (note,) = (note for note in scores.notes if "no numbers" in note)
    assert note.startswith("scores that are no numbers are missing: ")
    assert note.endswith("team__b/r1/T.json")
