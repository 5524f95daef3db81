"""Archives of Inspect: summaries of samples, from logs that have ended and from those that have not."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.read import read
from podium.source.tool.content import Content
from podium.source.tool.run import Run


def runs(source: Path) -> list[Run]:
    logs = find_logs(source, "inspect")
    assert logs is not None
    return list(logs.read().runs)


def header(**more: Any) -> dict[str, Any]:
    evaluation = {"model": "m", "task": "inspect_evals/qa", "created": "2026-01-01T00:00:00", "task_args": {}}
    known = {"version": 2, "status": "success", "eval": evaluation | more.pop("eval", {})}
    return {**known, "results": {"scores": [{"name": "match", "metrics": {}}]}, **more}


def summary(number: Any, value: Any, epoch: int = 1, **more: Any) -> dict[str, Any]:
    known = {"id": number, "epoch": epoch, "input": f"question {number}", "target": "x"}
    return {**known, "scores": {"match": {"value": value}}, **more}


def archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, value in members.items():
            file.writestr(name, json.dumps(value))
    return path


def log(path: Path, samples: list[dict[str, Any]], **more: Any) -> Path:
    return archive(path, {"header.json": header(**more), "summaries.json": samples})


def test_means_are_what_inspect_says(shared: Path) -> None:
    folder = shared / "data" / "formats" / "inspect_ai" / "mockllm_eval_zstd"
    checked = 0
    for path in sorted(folder.glob("*.eval")):
        said = {
            (one["scorer"], one.get("reducer")): one["metrics"]["accuracy"]["value"]
            for one in Content(path).member("header.json")["results"]["scores"]
        }
        for run in runs(path):
            assert run.samples is not None
            instances = np.array([str(name) for name in run.samples.instances])
            means = [np.mean(run.samples.scores[instances == name]) for name in np.unique(instances)]
            own = next(
                value for (scorer, reducer), value in said.items() if scorer == run.metric and reducer in (None, "mean")
            )
            assert np.mean(means) == pytest.approx(own, abs=1e-9)
            checked += 1
    assert checked >= 9


def test_a_folder_is_read_in_one_call(shared: Path) -> None:
    scores = read(shared / "data" / "formats" / "inspect_ai" / "mockllm_eval_zstd")
    assert (len(scores.systems), scores.task_names) == (3, ("arith", "mcq"))
    assert scores.n_scored == scores.n_cells
    assert "arith is scored by match; the files have includes too (--metric)" in scores.notes


def test_letters_words_and_numbers_are_scores(tmp_path: Path) -> None:
    values = ["C", "P", "I", "N", "yes", "No", True, 0.25, "0.75", None, float("nan"), "odd"]
    scores = read(log(tmp_path / "a.eval", [summary(number, value) for number, value in enumerate(values)]))
    expected = [1, 0.5, 0, 0, 1, 0, 1, 0.25, 0.75, np.nan, np.nan, np.nan]
    assert scores.task_names == ("qa",)
    np.testing.assert_array_equal(scores.tasks[0].values[0, :9], expected[:9])
    assert scores.n_scored == 9


def test_values_with_names_are_metrics(tmp_path: Path) -> None:
    samples = [summary(number, {"fluency": 0.5, "truth": 1}) for number in range(2)]
    scores = read(log(tmp_path / "a.eval", samples), metric=["match/truth"])
    assert scores.tasks[0].values.tolist() == [[1, 1]]


def test_epochs_are_repeats_and_clusters_are_kept(tmp_path: Path) -> None:
    scored = {"name": "match", "metrics": {"stderr": {"params": {"cluster": "book"}}}}
    samples = [
        summary(number, value, epoch, metadata={"book": f"b{number // 2}"})
        for number in range(4)
        for epoch, value in ((1, "C"), (2, "I"))
    ]
    scores = read(log(tmp_path / "a.eval", samples, results={"scores": [scored]}))
    assert scores.tasks[0].values.tolist() == [[0.5] * 4]
    clusters = scores.tasks[0].clusters
    assert clusters is not None
    assert len(clusters.names) == 2


def test_a_log_without_an_end_is_read_from_its_journal(tmp_path: Path) -> None:
    members = {
        "_journal/start.json": {key: header()[key] for key in ("version", "eval")},
        "_journal/summaries/1.json": [summary(0, "I"), summary(1, "C")],
        "_journal/summaries/10.json": [summary(0, "C")],
        "_journal/summaries/2.json": [summary(0, "N")],
    }
    scores = read(archive(tmp_path / "a.eval", members))
    assert scores.tasks[0].values.tolist() == [[1, 1]]
    assert any("not ended well, but what there is counts: a.eval (started, 2 samples)" in note for note in scores.notes)


def test_errors_are_missing_and_noted(tmp_path: Path) -> None:
    samples = [summary(0, "C"), {"id": 1, "epoch": 1, "input": "q", "target": "x", "error": "boom"}]
    scores = read(log(tmp_path / "a.eval", samples))
    assert scores.n_scored == 1
    assert any("samples that ended in an error are missing: " in note for note in scores.notes)


@pytest.mark.parametrize("value", ["C", {"a": 1, "b": 0}])
def test_scores_of_samples_with_an_error_count_only_where_inspect_counts_them(tmp_path: Path, value: Any) -> None:
    samples = [summary(0, value), summary(1, value, error="boom")]
    (missing, *_) = runs(log(tmp_path / "a.eval", samples))
    (counted, *_) = runs(log(tmp_path / "b.eval", samples, eval={"config": {"score_on_error": True}}))
    assert missing.metric == counted.metric
    assert missing.samples is not None
    assert counted.samples is not None
    assert np.isnan(missing.samples.scores).tolist() == [False, True]
    assert counted.samples.scores.tolist() == [1, 1]
    assert missing.notes == ("samples that ended in an error are missing: a.eval (1)",)
    assert counted.notes == ("samples that ended in an error count as scored: b.eval (1)",)


def test_scores_that_are_no_numbers_are_missing_and_counted(tmp_path: Path) -> None:
    given = ["0.5", " 1e-1 ", "1_0", "excellent", "nan", None]
    (run,) = runs(log(tmp_path / "a.eval", [summary(number, value) for number, value in enumerate(given)]))
    assert run.samples is not None
    np.testing.assert_array_equal(run.samples.scores, [0.5, 0.1, *[np.nan] * 4])
    assert run.notes == ("scores that are no numbers are missing: a.eval (3)",)


@pytest.mark.parametrize("version", [1, 2, 99, "x"])
def test_versions_that_podium_does_not_know_are_said(tmp_path: Path, version: Any) -> None:
    (run,) = runs(log(tmp_path / "a.eval", [summary(0, "C")], version=version))
    said = f"of a version that podium does not know, but read: a.eval ({version})"
    assert run.notes == (() if version in (1, 2) else (said,))


def test_tasks_with_other_arguments_are_other_tasks(tmp_path: Path) -> None:
    for number, shots in enumerate((0, 5)):
        log(tmp_path / f"{number}.eval", [summary(0, "C")], eval={"task_args": {"shots": shots}})
    assert read(tmp_path).task_names == ("qa (shots 0)", "qa (shots 5)")


def test_models_with_other_temperatures_are_other_systems(tmp_path: Path) -> None:
    for number, temperature in enumerate((0.0, 1.0)):
        settings = {"model_generate_config": {"temperature": temperature}}
        log(tmp_path / f"{number}.eval", [summary(0, "C")], eval=settings)
    assert read(tmp_path).systems == ("m (temperature 0.0)", "m (temperature 1.0)")


def test_damage_names_the_file(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval", [summary(number, "C") for number in range(50)])
    content = bytearray(path.read_bytes())
    place = content.index(b"summaries.json") + 40
    content[place : place + 20] = bytes(20)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.eval, summaries\.json is (damaged|not JSON)"):
        read(path)


def test_an_archive_that_is_cut_off_is_no_log(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval", [summary(0, "C")])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"a\.eval is a damaged archive, or cut off"):
        read(path)
