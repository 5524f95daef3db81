"""Logs of Inspect as JSON."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.errors import InputError
from podium.source.logs import find_logs
from podium.source.tool.run import Run
from support.wrong_files import survives_damage

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


def written(folder: Path, *logs: dict[str, Any]) -> Path:
    for number, log in enumerate(logs):
        (folder / f"{number}.json").write_text(json.dumps(log, indent=2), "utf-8")
    return folder


def runs(path: Path) -> list[Run]:
    logs = find_logs(path)
    assert logs is not None
    return list(logs.read().runs)


def mean(run: Run) -> float:
    assert run.samples is not None
    return float(np.nanmean(run.samples.scores))


def test_samples_epochs_and_reducers(tmp_path: Path) -> None:
    found = {run.metric: run for run in runs(written(tmp_path, LOG))}
    assert list(found) == ["match", "match (max)"]
    whole = found["match"].samples
    assert whole is not None
    assert whole.instances.tolist() == [1, 1, 2, 2]
    assert whole.repeats is not None
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


def digests(run: Run) -> dict[object, object]:
    assert run.samples is not None
    assert run.samples.digests is not None
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
    (run,) = runs(written(tmp_path, old))
    assert (run.metric, run.mean, mean(run)) == ("match", 0.5, 0.5)


def test_a_log_without_samples_gives_its_means(tmp_path: Path) -> None:
    header = {name: value for name, value in LOG.items() if name not in ("samples", "reductions")}
    assert [(run.metric, run.mean) for run in runs(written(tmp_path, header))] == [("match", 0.5), ("match (max)", 1.0)]


def test_a_log_that_is_cut_off_gives_its_whole_samples(tmp_path: Path) -> None:
    whole = json.dumps(LOG, indent=2)
    (tmp_path / "a.json").write_text(whole[: whole.index('"id": 2')], "utf-8")
    (run,) = [run for run in runs(tmp_path) if run.metric == "match"]
    assert run.samples is not None
    assert run.samples.scores.tolist() == [1, 0]
    assert run.notes == ("cut off, but whole samples count: a.json (2 samples)",)


def test_unscored_samples_are_missing(tmp_path: Path) -> None:
    samples = [*LOG["samples"][:3], LOG["samples"][3] | {"scores": None, "error": {"message": "late"}}]
    samples[2] = samples[2] | {"scores": {"match": {"value": float("nan")}}}
    run = runs(written(tmp_path, LOG | {"samples": samples}))[0]
    assert run.samples is not None
    assert np.isnan(run.samples.scores).tolist() == [False, False, True]
    assert "samples that ended in an error are missing: 0.json (1)" in run.notes[0]


def test_other_inputs_under_one_label_are_refused(tmp_path: Path) -> None:
    other = LOG | {
        "eval": LOG["eval"] | {"model": "m/b"},
        "samples": [sample | {"input": "2+2"} for sample in LOG["samples"]],
    }
    with pytest.raises(InputError, match="instance 1 differs between"):
        podium.read(written(tmp_path, LOG, other))


def test_the_headline_comes_first(tmp_path: Path) -> None:
    both = [sample | {"scores": {**sample["scores"], "judge": {"value": 1}}} for sample in LOG["samples"]]
    results = {"headline": {"scorer": "judge", "metric": "mean"}, "scores": LOG["results"]["scores"]}
    assert runs(written(tmp_path, LOG | {"samples": both, "results": results}))[0].metric == "judge"


def test_what_is_no_log_is_left(tmp_path: Path) -> None:
    for number, other in enumerate(({"version": 1, "status": "x"}, {"eval": 1, "samples": []}, [LOG], {"logs": [LOG]})):
        (tmp_path / f"{number}.json").write_text(json.dumps(other), "utf-8")
    assert find_logs(tmp_path) is None


@pytest.mark.parametrize("seed", range(150))
def test_damage_is_refused_in_words(tmp_path: Path, seed: int) -> None:
    survives_damage(written(tmp_path, LOG, LOG | {"eval": LOG["eval"] | {"model": "m/b"}}), seed)


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
    first = runs(written(tmp_path, with_config(config, size, ended)))[0]
    assert any(said in note for note in first.notes) if said else not first.notes
    assert first.whole == (not any("not all samples" in note for note in first.notes))


def test_a_header_by_itself_has_the_means(tmp_path: Path) -> None:
    header = {name: LOG[name] for name in ("status", "eval", "plan", "results")} | {"stats": {}}
    (first, *_) = runs(written(tmp_path, header))
    assert (first.mean, first.samples) == (0.5, None)


def test_a_sample_that_stands_there_twice_is_named_with_its_file(tmp_path: Path) -> None:
    again = {"id": 2, "epoch": 2, "input": "1+2", "scores": {"match": {"value": "I"}}}
    folder = written(tmp_path, LOG | {"samples": [*LOG["samples"], again]})
    with pytest.raises(InputError, match=r"0\.json: sample '2' stands there twice, with match 1 and 0; remove one"):
        podium.read(folder)
    assert len(runs(written(tmp_path, LOG | {"samples": [*LOG["samples"], LOG["samples"][-1]]}))) == 2
