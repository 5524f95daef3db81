"""Folders in `genuine` are what real tools wrote, named for tool and version; `make tools` writes them anew."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.source.tool import TOOLS
from podium.source.tool.content import Content
from support.tools import read, runs, table

GENUINE = Path(__file__).parent / "genuine"

#: Of evalica these are the battles that it took, and what it made of them.
FOLDERS = sorted(path for path in GENUINE.iterdir() if path.is_dir() and path.name != "evalica")

INSPECT = GENUINE / "inspect" / "0.3.285"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def mean(run: Any) -> float:
    """Mean over instances of the mean of their repeats; as a perplexity, where that is the metric."""
    samples = run.samples
    assert samples is not None
    by_instance: dict[Any, list[float]] = {}
    for instance, score in zip(samples.instances, samples.scores, strict=True):
        by_instance.setdefault(instance, []).extend([] if np.isnan(score) else [float(score)])
    means = [float(np.mean(scores)) for scores in by_instance.values() if scores]
    found = float(np.average(means, weights=samples.weights))
    return float(np.exp(found)) if run.metric.endswith("_perplexity") else found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_the_tools_own_means_come_out(folder: Path) -> None:
    found = [run for run in runs(folder) if run.samples is not None and "cancelled" not in run.where]
    for run in found:
        if run.mean is not None:
            assert mean(run) == pytest.approx(run.mean, rel=1e-9), run.where
    said = {run.metric for run in found if run.mean is not None}
    expected = {
        "inspect": {
            *(f"{name}{how}" for name in ("match", "includes") for how in ("", " (max)", " (at_least_2)")),
            *("judge/clarity", "judge/truth"),
        },
        "lm-eval": {
            "acc",
            "acc_norm",
            "exact_match,strict",
            "exact_match,flexible",
            "word_perplexity",
            "byte_perplexity",
        },
        "deepeval": {"Exact Match", "Brief"},
        "promptfoo": {"score", "pass"},
        "google-benchmark": {"seconds", "cpu seconds"},
        "ir-measures": {"nDCG@5", "AP", "P(rel=2)@5"},
        "pytest-benchmark": {"seconds"},
    }
    assert said == expected.get(folder.name, set())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_a_folder_is_ranked_in_one_call_in_any_order(folder: Path) -> None:
    paths = files(folder)
    straight, turned = read(folder), read(*paths[::-1])
    assert repr(table(straight)) == repr(table(turned))
    assert len(podium.rank(straight, confidence=None).systems) > 1


def test_what_all_tools_wrote_is_one_table() -> None:
    """Instances of some have clusters, and of others only numbers."""
    scores = read(GENUINE)
    assert {"mockllm/large", "demo/seed-1", "bm25", "before"} <= set(scores.systems)
    assert {"things", "capitals", "news"} <= set(scores.task_names)


def test_no_file_names_a_machine() -> None:
    for path in files(GENUINE):
        content = Content(path)
        texts = [json.dumps(content.member(name)) for name in content.members] or [path.read_text("utf-8")]
        assert not [text for text in texts if re.search(r"/(home|root|Users)/|\.tools-env|[A-Z]:\\\\Users", text)], path
    assert sum(path.stat().st_size for path in files(GENUINE)) < 600_000


def test_what_inspect_says_of_its_samples() -> None:
    whole = {(run.system, run.task, run.metric): run for run in runs(INSPECT / "whole")}
    assert {system for system, *_ in whole} == {f"mockllm/{size}" for size in ("small", "medium", "large")}
    run = whole["mockllm/large", "primes", "match"]
    assert sorted(set(run.samples.repeats.tolist())) == [1, 2]
    assert run.samples.covariates["input_tokens"].tolist() == [9.0] * 8
    things = whole["mockllm/large", "things", "judge/truth"]
    assert things.samples.instances.tolist() == ["e0", "e2", "e3"]
    assert things.samples.clusters.tolist() == ["0", "1", "1"]
    assert np.isnan(things.samples.scores).tolist() == [False, True, False]
    assert any("samples that ended in an error are missing" in note for note in things.notes)


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        ("0.3.285/killed", "(started, 3 samples)"),
        ("0.3.285/killed-json", "(started, 3 samples)"),
        ("0.3.285/cancelled", "(cancelled, "),
        ("0.3.285/limited", "not all samples of the data were run: "),
        ("0.3.119/killed", "(started, 3 samples)"),
    ],
)
def test_logs_of_inspect_that_are_not_whole(folder: str, says: str) -> None:
    for run in runs(GENUINE / "inspect" / folder):
        assert not run.whole
        assert any(says in note for note in run.notes)


def test_both_packings_of_inspect_are_there() -> None:
    packed = {
        path.relative_to(GENUINE / "inspect").parts[0]: {info.compress_type for info in Content(path).members.values()}
        for path in files(GENUINE / "inspect")
        if path.suffix == ".eval"
    }
    assert packed == {"0.3.285": {93}, "0.3.119": {8}}


def test_named_scores_of_promptfoo() -> None:
    """The tool weighs tests by the weights of their assertions; here each test counts once."""
    folder = GENUINE / "promptfoo"
    (path,) = folder.rglob("*.json")
    found = {(run.system, run.settings["prompt"], run.metric): run for run in runs(folder)}
    results = json.loads(path.read_text("utf-8"))["results"]
    assert len(results["prompts"]) == 4
    for number, prompt in enumerate(results["prompts"]):
        assert prompt["metrics"]["testErrorCount"] == 1
        for name, total in prompt["metrics"]["namedScores"].items():
            rows = [row for row in results["results"] if row["promptIdx"] == number]
            rows.sort(key=lambda row: row["testIdx"])
            given = [(row.get("gradingResult") or {}).get("namedScoreWeights", {}).get(name) for row in rows]
            weights = [weight for weight in given if weight is not None]
            samples = found[prompt["provider"], prompt["label"], name].samples
            assert samples is not None
            assert np.dot(samples.scores, weights) == pytest.approx(total, abs=1e-9)


def test_means_of_hyperfine() -> None:
    (path,) = (GENUINE / "hyperfine").rglob("*.json")
    told = json.loads(path.read_text("utf-8"))["results"]
    checked = 0
    for run, result in zip(runs(path), told, strict=True):
        if not any(result["exit_codes"]):
            assert mean(run) == pytest.approx(result["mean"], rel=1e-9)
            checked += 1
    assert checked == 2
    failed = next(run for run in runs(path) if run.system.startswith("timeout") and "0.02" in run.task)
    assert np.isnan(failed.samples.scores).all()


def test_win_rates_of_evalica() -> None:
    (folder,) = (GENUINE / "evalica").iterdir()
    battles = folder / "battles.csv"
    assert [tool.name for tool in TOOLS if tool.takes(Content(battles))] == ["battles"]
    pairs = podium.pairwise(battles)
    with (folder / "average-win-rate.csv").open(encoding="utf-8") as file:
        rates = {row["item"]: float(row["score"]) for row in csv.DictReader(file)}
    assert dict(zip(pairs.systems, pairs.share, strict=True)) == pytest.approx(rates, abs=1e-12)
    with (folder / "bradley-terry.csv").open(encoding="utf-8") as file:
        assert [row["item"] for row in csv.DictReader(file)] == list(podium.rank(battles, confidence=None).systems)
