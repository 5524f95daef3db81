"""Archives of Inspect: summaries of samples, from logs that have ended and from those that have not.

- Logs of Inspect as JSON.
"""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.read import read
from podium.source.tool.content import Content
from support.tools import mean, runs


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
            instances = np.array([str(name) for name in run.samples.instances])
            means = [np.mean(run.samples.scores[instances == name]) for name in np.unique(instances)]
            own = next(
                value for (scorer, reducer), value in said.items() if scorer == run.metric and reducer in (None, "mean")
            )
            assert np.mean(means) == pytest.approx(own, abs=1e-9)
            checked += 1
    assert checked >= 9


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
    assert np.isnan(missing.samples.scores).tolist() == [False, True]
    assert counted.samples.scores.tolist() == [1, 1]
    assert missing.notes == ("samples that ended in an error are missing: a.eval (1)",)
    assert counted.notes == ("samples that ended in an error count as scored: b.eval (1)",)


def test_scores_that_are_no_numbers_are_missing_and_counted(tmp_path: Path) -> None:
    given = ["0.5", " 1e-1 ", "1_0", "excellent", "nan", None]
    (run,) = runs(log(tmp_path / "a.eval", [summary(number, value) for number, value in enumerate(given)]))
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


LOG: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "arith", "model": "m/a", "created": "2026-01-01T00:00:00", "config": {"epochs": 2}},
    "plan": {"steps": []},
    "results": {
        "scores": [
            {"name": "match", "scorer": "match", "reducer": "mean", "metrics": {"accuracy": {"value": 0.5}}},
            {"name": "match", "scorer": "match", "reducer": "max", "metrics": {"accuracy": {"value": 1.0}}},
        ]
    },
    "samples": [
        {"id": 1, "epoch": 1, "input": "1+1", "messages": [{"role": "user"}], "scores": {"match": {"value": "C"}},
         "model_usage": {"m/a": {"input_tokens": 3, "output_tokens": 1}}, "total_time": 0.5},
        {"id": 1, "epoch": 2, "input": "1+1", "scores": {"match": {"value": "I"}}},
        {"id": 2, "epoch": 1, "input": "1+2", "scores": {"match": {"value": "I"}}},
        {"id": 2, "epoch": 2, "input": "1+2", "scores": {"match": {"value": "C"}}},
    ],
    "reductions": [
        {"scorer": "match", "reducer": "mean", "samples": [{"value": 0.5, "sample_id": 1}]},
        {"scorer": "match", "reducer": "max", "samples": [{"value": 1, "sample_id": 1}, {"value": 1, "sample_id": 2}]},
    ],
}  # fmt: skip


def in_folder(folder: Path, *logs: dict[str, Any]) -> Path:
    for number, log in enumerate(logs):
        (folder / f"{number}.json").write_text(json.dumps(log, indent=2), "utf-8")
    return folder


def test_samples_epochs_and_reducers(tmp_path: Path) -> None:
    found = {run.metric: run for run in runs(in_folder(tmp_path, LOG))}
    assert list(found) == ["match", "match (max)"]
    whole = found["match"].samples
    assert whole is not None
    assert whole.instances.tolist() == [1, 1, 2, 2]
    assert whole.repeats.tolist() == [1, 2, 1, 2]
    assert whole.scores.tolist() == [1, 0, 0, 1]
    assert np.nan_to_num(whole.covariates["seconds"], nan=-1).tolist() == [0.5, -1, -1, -1]
    assert whole.covariates["input_tokens"][0] == 3
    for name, run in found.items():
        assert run.mean == mean(run), name


def test_genuine_logs_give_their_own_accuracy(shared: Path) -> None:
    checked = 0
    for file in sorted((shared / "data/formats/inspect_ai").rglob("*")):
        if file.suffix not in (".json", ".eval"):
            continue
        for run in runs(file):
            if run.mean is not None and run.samples is not None:
                assert mean(run) == pytest.approx(run.mean, abs=1e-9), (file.name, run.metric)
                checked += 1
    assert checked >= 15


def test_an_archive_and_a_json_log_have_the_same_instances(shared: Path) -> None:
    folder = shared / "data/formats/inspect_ai"
    archives = {(run.system, run.metric): run for run in runs(folder / "mockllm_eval_zstd") if run.task == "arith"}
    logs = {(run.system, run.metric): run for run in runs(folder / "mockllm_json")}
    assert len(logs) == 4
    for key, run in logs.items():
        assert digests(run) == digests(archives[key])


def digests(run: Any) -> dict[object, object]:
    return dict(zip(run.samples.instances, run.samples.digests, strict=True))


def test_the_oldest_layout(tmp_path: Path) -> None:
    old = LOG | {
        "version": 1,
        "results": {"scorer": {"name": "match"}, "metrics": {"accuracy": {"value": 0.5}}},
        "samples": [
            {"id": number, "epoch": 1, "input": "?", "score": {"value": grade}, "transcript": {"events": []}}
            for number, grade in enumerate("CI")
        ],
    }
    del old["reductions"]
    (run,) = runs(in_folder(tmp_path, old))
    assert (run.metric, run.mean, mean(run)) == ("match", 0.5, 0.5)


def test_a_log_without_samples_gives_its_means(tmp_path: Path) -> None:
    header = {name: value for name, value in LOG.items() if name not in ("samples", "reductions")}
    assert [(run.metric, run.mean) for run in runs(in_folder(tmp_path, header))] == [
        ("match", 0.5),
        ("match (max)", 1.0),
    ]


def test_a_log_that_is_cut_off_gives_its_whole_samples(tmp_path: Path) -> None:
    whole = json.dumps(LOG, indent=2)
    (tmp_path / "a.json").write_text(whole[: whole.index('"id": 2')], "utf-8")
    (run,) = [run for run in runs(tmp_path) if run.metric == "match"]
    assert run.samples.scores.tolist() == [1, 0]
    assert run.notes == ("cut off, but whole samples count: a.json (2 samples)",)


def test_unscored_samples_are_missing(tmp_path: Path) -> None:
    samples = [*LOG["samples"][:3], LOG["samples"][3] | {"scores": None, "error": {"message": "late"}}]
    samples[2] = samples[2] | {"scores": {"match": {"value": float("nan")}}}
    run = runs(in_folder(tmp_path, LOG | {"samples": samples}))[0]
    assert np.isnan(run.samples.scores).tolist() == [False, False, True]
    assert "samples that ended in an error are missing: 0.json (1)" in run.notes[0]


def test_other_inputs_under_one_label_are_refused(tmp_path: Path) -> None:
    other = LOG | {
        "eval": LOG["eval"] | {"model": "m/b"},
        "samples": [sample | {"input": "2+2"} for sample in LOG["samples"]],
    }
    with pytest.raises(InputError, match="instance 1 differs between"):
        podium.read(in_folder(tmp_path, LOG, other))


def test_the_headline_comes_first(tmp_path: Path) -> None:
    both = [sample | {"scores": {**sample["scores"], "judge": {"value": 1}}} for sample in LOG["samples"]]
    results = {"headline": {"scorer": "judge", "metric": "mean"}, "scores": LOG["results"]["scores"]}
    assert runs(in_folder(tmp_path, LOG | {"samples": both, "results": results}))[0].metric == "judge"


def test_what_is_no_log_is_left(tmp_path: Path) -> None:
    for number, other in enumerate(({"version": 1, "status": "x"}, {"eval": 1, "samples": []}, [LOG], {"logs": [LOG]})):
        (tmp_path / f"{number}.json").write_text(json.dumps(other), "utf-8")
    assert find_logs(tmp_path) is None


def with_config(config: dict[str, Any], size: int, ended: int) -> dict[str, Any]:
    evaluation = {**LOG["eval"], "config": {"epochs": 2, **config}, "dataset": {"samples": size}}
    return {**LOG, "eval": evaluation, "results": {**LOG["results"], "completed_samples": ended}}


@pytest.mark.parametrize(
    ("config", "size", "ended", "said"),
    [
        ({"limit": 2}, 10, 4, "limit 2"),
        ({"limit": [0, 2]}, 10, 4, "limit [0, 2]"),
        ({"limit": 20000}, 2, 4, ""),
        ({"sample_id": [1, 2]}, 10, 4, "--sample-id"),
        ({}, 2, 40, "that the log lacks; the others count: "),
        ({}, 2, 4, ""),
    ],
)
def test_samples_that_were_not_run_or_not_kept_are_said(
    tmp_path: Path, config: dict[str, Any], size: int, ended: int, said: str
) -> None:
    first = runs(in_folder(tmp_path, with_config(config, size, ended)))[0]
    assert any(said in note for note in first.notes) if said else not first.notes
    assert first.whole == (not any("not all samples" in note for note in first.notes))


def test_a_header_by_itself_has_the_means(tmp_path: Path) -> None:
    header = {name: LOG[name] for name in ("status", "eval", "plan", "results")} | {"stats": {}}
    (first, *_) = runs(in_folder(tmp_path, header))
    assert (first.mean, first.samples) == (0.5, None)


def test_a_sample_that_stands_there_twice_is_named_with_its_file(tmp_path: Path) -> None:
    again = {"id": 2, "epoch": 2, "input": "1+2", "scores": {"match": {"value": "I"}}}
    folder = in_folder(tmp_path, LOG | {"samples": [*LOG["samples"], again]})
    with pytest.raises(InputError, match=r"0\.json: sample '2' stands there twice, with match 1 and 0; remove one"):
        podium.read(folder)
    assert len(runs(in_folder(tmp_path, LOG | {"samples": [*LOG["samples"], LOG["samples"][-1]]}))) == 2
