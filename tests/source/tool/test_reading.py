"""What is read in files of tools: by the transcripts in `cases`, in genuine files, and beside the tools' own means.

Folders in `genuine` are what real tools wrote, named for tool and version; `make tools` writes them anew.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import podium
from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from podium.source.tool.content import Content
from podium.source.tool.run import Samples
from support.tool_cases import CASES, GENUINE, TABLES, Case, cases, genuine_runs
from support.tools import read, runs, scores, table

FOLDER = GENUINE.parent

INSPECT = FOLDER / "inspect" / "0.3.285"

#: Of evalica these are the battles that it took, and what it made of them.
FOLDERS = sorted(path for path in FOLDER.iterdir() if path.is_dir() and path.name != "evalica")

#: Shared folders of genuine files that have samples and means.
SAMPLED = ("helm/benchmark_output", "helm/run_folder", "inspect_ai", "lighteval", "lm-eval/v0.4_samples")

ALL = [
    pytest.param(case, id=f"{path.stem}: {case.rule}")
    for path in sorted([*CASES.glob("*.txt"), *TABLES.glob("*.txt")])
    for case in cases(path.stem, path.parent)
]


@pytest.mark.parametrize("case", ALL)
def test_what_is_read_is_as_written_down(case: Case, tmp_path: Path) -> None:
    assert case.told(tmp_path / "here") == case.text


@pytest.mark.parametrize("name", re.findall(r"^\$ (.+)$", GENUINE.read_text("utf-8"), re.MULTILINE))
@pytest.mark.usefixtures("shared")
def test_runs_in_genuine_files_are_as_written_down(name: str) -> None:
    assert f"$ {name}\n{genuine_runs(name)}" in GENUINE.read_text("utf-8")


def mean(run: Any) -> float:
    """Mean over instances of the mean of their repeats; as a perplexity, where that is the metric."""
    by_instance: dict[Any, list[float]] = {}
    for instance, score in zip(run.samples.instances, run.samples.scores, strict=True):
        by_instance.setdefault(instance, []).extend([] if np.isnan(score) else [float(score)])
    means = [float(np.mean(found)) for found in by_instance.values() if found]
    found = float(np.average(means, weights=run.samples.weights))
    return float(np.exp(found)) if run.metric.endswith("_perplexity") else found


@pytest.mark.parametrize("name", [*(path.name for path in FOLDERS), *SAMPLED])
def test_the_tools_own_means_come_out(name: str, shared: Path) -> None:
    folder = FOLDER / name if (FOLDER / name).is_dir() else shared / "data/formats" / name
    for run in runs(folder):
        if run.samples is not None and run.mean is not None and "cancelled" not in run.where:
            assert mean(run) == pytest.approx(run.mean, rel=1e-9, abs=1e-9), (run.where, run.metric)


def test_no_file_names_a_machine() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file() and path != GENUINE]
    for path in files:
        content = Content(path)
        texts = [json.dumps(content.member(name)) for name in content.members] or [path.read_text("utf-8")]
        assert not [text for text in texts if re.search(r"/(home|root|Users)/|\.tools-env|[A-Z]:\\\\Users", text)], path
    assert sum(path.stat().st_size for path in files) < 700_000


def test_what_all_tools_wrote_is_one_table() -> None:
    """Instances of some have clusters, and of others only numbers."""
    scores = read(*FOLDERS)
    assert {"mockllm/large", "demo/seed-1", "bm25", "before"} <= set(scores.systems)
    assert {"things", "capitals", "news"} <= set(scores.task_names)


def test_both_packings_of_inspect_are_there() -> None:
    packed = {
        path.relative_to(FOLDER / "inspect").parts[0]: {info.compress_type for info in Content(path).members.values()}
        for path in (FOLDER / "inspect").rglob("*.eval")
    }
    assert packed == {"0.3.285": {93}, "0.3.119": {8}}


def test_damage_of_an_archive_names_the_member(tmp_path: Path) -> None:
    path = Path(shutil.copy(next((INSPECT / "whole").glob("*primes*")), tmp_path / "a.eval"))
    content = bytearray(path.read_bytes())
    place = content.index(b"summaries.json") + 40
    content[place : place + 20] = bytes(20)
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"a\.eval, summaries\.json is (damaged|not JSON)"):
        read(path)


def test_an_archive_and_a_json_log_have_the_same_instances(shared: Path) -> None:
    def told(folder: str) -> dict[Any, Any]:
        found = [run for run in runs(shared / "data/formats/inspect_ai" / folder) if run.task == "arith"]
        return {(run.system, run.metric): dict(zip(*_instances(run), strict=True)) for run in found}

    logs, archives = told("mockllm_json"), told("mockllm_eval_zstd")
    assert len(logs) == 4
    assert logs.items() <= archives.items()


def _instances(run: Any) -> tuple[Any, Any]:
    return run.samples.instances, run.samples.digests


def test_scores_of_mteb_are_those_of_the_published_table(shared: Path) -> None:
    rows = pq.read_table(shared / "data/mteb/mteb_main_scores.parquet").to_pandas()
    found = table(read(shared / "data/formats/mteb/results_repo"))
    own = rows[rows.system.isin({system for system, _ in found})].groupby(["system", "task"]).score.mean()
    known = {cell: score for cell, (score,) in found.items() if not np.isnan(score)}
    assert len(known) == 45
    assert known == pytest.approx({cell: own[cell] for cell in known}, abs=1e-9)


def test_scores_of_opencompass_are_those_of_its_summary(shared: Path) -> None:
    folder = shared / "data/formats/opencompass"
    scores = read(folder)
    rows = [row.split(",")[-2:] for row in next(folder.rglob("summary*.csv")).read_text().split()[1:]]
    assert [[f"{score:.2f}" for score in task.values[:, 0]] for task in scores.tasks] == rows
    # predictions and the summary hold the same results once more
    assert "4 files of OpenCompass read" in [str(note) for note in scores.notes]


def test_the_genuine_dumps_of_the_open_llm_leaderboard(shared: Path) -> None:
    scores = read(shared / "data/formats/open_llm_leaderboard/20230714.csv", tool="open-llm-leaderboard")
    assert scores.task_names == ("ARC", "HellaSwag", "MMLU", "TruthfulQA")
    assert len(scores.systems) == 150
    found = table(scores)
    assert [found["tiiuae/falcon-40b-instruct", task] for task in scores.task_names] == [[61.6], [84.3], [55.4], [52.5]]


def test_metrics_are_chosen(shared: Path) -> None:
    scores = read(shared / "data/formats/lm-eval/v0.4_samples", metric=["acc*"])
    assert scores.task_names == ("local_mc/acc", "local_mc/acc_norm")
    assert any(note.startswith("left out, since they have no such metric: local_gen") for note in scores.notes)


def test_tables_of_helm_beside_their_runs_do_not_count(shared: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(shared / "data/formats/helm/benchmark_output", tmp_path, dirs_exist_ok=True)
    before = table(read(folder))
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    cases("helm-tables")[0].write(folder / "runs" / "demo")
    assert table(read(folder)) == before


def test_results_and_details_of_lighteval_are_read_together_wherever_they_lie() -> None:
    unit = next(tool.unit for tool in TOOLS if tool.name == "lighteval")
    assert unit is not None
    date = "2026-01-02T03-04-05.678"
    for root in ("", "/a/", "/details/b/", "/results/b/details/"):
        details = f"{root}details/org/model/{date}/details_mt|0_{date}.parquet"
        assert unit(f"{root}results/org/model/results_{date}.json") == unit(details)
    # a repository of details has no folder of results
    assert unit(f"/repo/results_{date}.json") == unit(f"/repo/{date}/details_mt|0_{date}.parquet")


def test_without_a_library_for_yaml_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = (case for case in cases("hugging-face") if case.rule == "a model index")
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match=r"README.md needs pyyaml: pip install .*\[yaml\]"):
        read(case.write(tmp_path))


@pytest.mark.parametrize("tool", ["trec-eval", "ir-measures", "hugging-face"])
def test_a_text_that_is_cut_off_says_nothing_else(tool: str, tmp_path: Path) -> None:
    name, text = next(iter(cases(tool)[0].files.items()))
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)

    def told(end: int) -> set[Any]:
        path.write_text(text[:end], "utf-8")
        some = list[Any]()
        with suppress(InputError):
            found = find_logs(path)
            some = [] if found is None else list(found.runs)
        if tool == "hugging-face":
            return {run.task for run in some}
        return {score for run in some if run.samples for score in run.samples.scores}

    whole = told(len(text))
    assert len(whole) > 1
    assert all(told(end) <= whole for end in range(0, len(text), 3))


@pytest.mark.parametrize("asked", [[], ["-o", "jsonl"], ["-n"], ["-p", "-1"]])
def test_what_the_command_of_ir_measures_prints(tmp_path: Path, asked: list[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n", "utf-8")
    (tmp_path / "run").write_text("q1 Q0 d2 0 2 x\nq1 Q0 d1 1 1 x\nq2 Q0 d3 0 2 x\nq2 Q0 d4 1 1 x\n", "utf-8")
    command = [sys.executable, "-m", "ir_measures", "qrels", "run", "RR AP(rel=2) P@2 NumRet", "-q", *asked]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=100).stdout
    (tmp_path / "bm25.txt").write_text(said, "utf-8")
    found = {one.metric: one for one in runs(tmp_path / "bm25.txt")}
    assert found.keys() == {"RR", "AP(rel=2)", "P@2"}
    assert scores(found["RR"]) == {"q1": 0.5, "q2": 1.0}
    for one in found.values():
        assert one.mean is None if "-n" in asked else mean(one) == pytest.approx(one.mean, abs=1e-9)


def test_named_scores_of_promptfoo() -> None:
    """The tool weighs tests by the weights of their assertions; here each test counts once."""
    folder = FOLDER / "promptfoo"
    (path,) = folder.rglob("*.json")
    found = {(run.system, run.settings["prompt"], run.metric): run for run in runs(folder)}
    results = json.loads(path.read_text("utf-8"))["results"]
    for number, prompt in enumerate(results["prompts"]):
        for name, total in prompt["metrics"]["namedScores"].items():
            rows = [row for row in results["results"] if row["promptIdx"] == number]
            rows.sort(key=lambda row: row["testIdx"])
            given = [(row.get("gradingResult") or {}).get("namedScoreWeights", {}).get(name) for row in rows]
            weights = [weight for weight in given if weight is not None]
            samples = found[prompt["provider"], prompt["label"], name].samples
            assert np.dot(samples.scores, weights) == pytest.approx(total, abs=1e-9)


PROMPTFOO = FOLDER / "promptfoo-0.121.20.json"


def test_one_evaluation_in_two_files_counts_once(tmp_path: Path) -> None:
    for ending in ("json", "jsonl"):
        shutil.copy(PROMPTFOO.with_suffix(f".{ending}"), tmp_path / f"a.{ending}")
    assert len(runs(tmp_path)) == 16


def test_win_rates_of_evalica() -> None:
    (folder,) = (FOLDER / "evalica").iterdir()
    battles = folder / "battles.csv"
    pairs = podium.pairwise(battles)
    with (folder / "average-win-rate.csv").open(encoding="utf-8") as file:
        rates = {row["item"]: float(row["score"]) for row in csv.DictReader(file)}
    assert dict(zip(pairs.systems, pairs.share, strict=True)) == pytest.approx(rates, abs=1e-12)
    with (folder / "bradley-terry.csv").open(encoding="utf-8") as file:
        assert [row["item"] for row in csv.DictReader(file)] == list(
            podium.rank(battles, confidence_level=None).systems
        )


@pytest.mark.parametrize("name", ["hyperfine", "hyperfine-1.15.0-commands.json"])
def test_means_of_hyperfine(name: str) -> None:
    path = next((FOLDER / name).rglob("*.json"), FOLDER / name)
    told = json.loads(path.read_text("utf-8"))["results"]
    whole = [(run, one["mean"]) for run, one in zip(runs(path), told, strict=True) if not any(one["exit_codes"])]
    assert len(whole) == 2
    assert [mean(run) for run, _ in whole] == pytest.approx([own for _, own in whole], rel=1e-9)


@pytest.mark.parametrize(
    ("label", "fits"),
    [
        ("1", True),
        (2**63 - 1, True),
        (-(2**63), True),
        (2**63, False),
        (-(2**63) - 1, False),
        (True, False),
        (1.0, False),
    ],
)
def test_a_label_is_a_text_or_an_integer_of_64_bits(label: object, fits: bool) -> None:
    with nullcontext() if fits else pytest.raises(TypeError, match="is no label of an instance"):
        Samples(np.array(["a", label], object), np.zeros(2))
