"""Results in repositories of models on Hugging Face: entries, model indexes, names and damage.

- Dumps of the Open LLM Leaderboard: both versions, models that stand there twice, and damage.
"""

import sys
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from podium.errors import InputError
from support.tools import read, runs, table, takers

ENTRIES = """# written by a bot
- dataset:
    id: cais/hle
    task_id: default
  value: {hle}
  date: 2025-01-15T10:30:00Z
  source:
    url: https://huggingface.co/x
    name: X
- dataset:
    id: Idavidrein/gpqa
    task_id: gpqa_diamond
    revision: 5503434d
  value: {gpqa}
  notes: no-tools
"""

README = """---
license: mit
model-index:
- name: {name}
  results:
  - task:
      type: text-classification
      name: Sentiment
    dataset:
      name: SST-2
      type: glue
      config: sst2
      split: validation
    metrics:
    - type: accuracy
      value: {accuracy}
      verified: true
    - type: loss
      value: 0.25
  - task: {{type: other}}
    dataset: {{type: qa, name: Odd}}
    metrics: [{{type: f1, value: "{f1}"}}, {{type: f1, value: 0.5, name: F1 of words}}, {{type: map, value: [1]}}]
tags: [a]
---
# A model
"""


def repository(folder: Path, *, entries: str = "", readme: str = "") -> Path:
    (folder / ".eval_results").mkdir(parents=True)
    if entries:
        (folder / ".eval_results" / "results.yaml").write_text(entries, "utf-8")
    if readme:
        (folder / "README.md").write_text(readme, "utf-8")
    return folder


def test_entries(tmp_path: Path) -> None:
    paths = [
        repository(tmp_path / owner / "m", entries=ENTRIES.format(hle=hle, gpqa=gpqa))
        / ".eval_results"
        / "results.yaml"
        for owner, hle, gpqa in (("x", 20.9, '"41.2%"'), ("y", 10, 0.5))
    ]
    assert table(read(*paths)) == {
        ("m (owner x)", "cais/hle"): [20.9],
        ("m (owner x)", "Idavidrein/gpqa/gpqa_diamond"): [0.412],
        ("m (owner y)", "cais/hle"): [10.0],
        ("m (owner y)", "Idavidrein/gpqa/gpqa_diamond"): [0.5],
    }


def test_the_folder_of_results_is_looked_into(tmp_path: Path) -> None:
    for owner in "xy":
        repository(tmp_path / owner / "m", entries=ENTRIES.format(hle=1, gpqa=2))
    assert read(tmp_path).systems == ("m (owner x)", "m (owner y)")


def test_a_repository_in_the_cache_has_its_own_name(tmp_path: Path) -> None:
    folder = tmp_path / "models--org--model" / "snapshots" / "abc"
    path = repository(folder, entries=ENTRIES.format(hle=1, gpqa=2)) / ".eval_results" / "results.yaml"
    assert {(run.system, run.settings["owner"]) for run in runs(path)} == {("model", "org")}


def test_a_model_index(tmp_path: Path) -> None:
    for name, accuracy in (("a", 0.75), ("b", "0.5")):
        repository(tmp_path / name, readme=README.format(name=name, accuracy=accuracy, f1=80))
    assert table(read(tmp_path)) == {
        ("a", "SST-2"): [0.75],
        ("a", "Odd"): [80.0],
        ("b", "SST-2"): [0.5],
        ("b", "Odd"): [80.0],
    }
    scores = read(tmp_path, metric=["loss"])
    assert not scores.tasks[0].higher_is_better


def test_without_a_library_for_yaml_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(tmp_path / "a", readme=README.format(name="a", accuracy=1, f1=1))
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(InputError, match=r"README.md needs pyyaml: pip install 'podium\[yaml\]'"):
        read(tmp_path)


@pytest.mark.parametrize("end", range(20, len(ENTRIES), 9))
def test_files_that_are_cut_off(tmp_path: Path, end: int) -> None:
    path = repository(tmp_path, entries=ENTRIES.format(hle=1, gpqa=2)[:end]) / ".eval_results" / "results.yaml"
    known = {"cais/hle", "Idavidrein/gpqa", "Idavidrein/gpqa/gpqa_diamond"}
    if takers(path):
        with suppress(InputError):
            assert set(read(path).task_names) <= known


FIRST = "\ufeffModel,Average,ARC(25-shot),HellaSwag(10-shot),MMLU(5-shot),Parameters,URL\n"


def test_the_genuine_dumps(shared: Path) -> None:
    folder = shared / "data/formats/open_llm_leaderboard"
    assert {path.name for path in folder.iterdir() if takers(path)} == {"20230714.csv", "20230904.csv"}
    scores = read(folder / "20230714.csv", tool="open-llm-leaderboard")
    assert scores.task_names == ("ARC", "HellaSwag", "MMLU", "TruthfulQA")
    assert len(scores.systems) == 150
    found = table(scores)
    assert [found["tiiuae/falcon-40b-instruct", task] for task in scores.task_names] == [[61.6], [84.3], [55.4], [52.5]]


def test_the_newer_of_two_dumps_counts(tmp_path: Path) -> None:
    for day, score in (("20230714", 1), ("20230904", 2)):
        (tmp_path / f"{day}.csv").write_text(f"{FIRST}a/x,9,{score},5,6,60.6,\na/y,9,3,,6,,\n", "utf-8")
    found = table(read(tmp_path, tool="open-llm-leaderboard"))
    assert found["a/x", "ARC"] == [2]
    assert str(found["a/y", "HellaSwag"]) == "[nan]"


def test_a_model_that_stands_there_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{FIRST}a/x,9,4,5,6,,\na/x,8,3,5,6,,\na/y,8,3,5,6,,\n", "utf-8")
    scores = read(tmp_path, tool="open-llm-leaderboard")
    assert table(scores)["a/x", "ARC"] == [4]
    assert "rows of a model that stands above are left out: a.csv (1)" in scores.notes


def test_the_second_version(tmp_path: Path) -> None:
    columns = {name: [0.5, 0.25] for name in ("IFEval", "IFEval Raw", "BBH", "BBH Raw", "GPQA", "MUSR", "MMLU-PRO")}
    about = {"fullname": ["a/x", "a/x"], "Model": ["<a href='u'>a/x</a>"] * 2, "Precision": ["bfloat16", "float16"]}
    sizes = {"Average ⬆️": [1.0, 2.0], "#Params (B)": [8.0, 8.0], "CO₂ cost (kg)": [3.0, 4.0]}
    pq.write_table(pa.table({**about, **columns, **sizes}), tmp_path / "train.parquet")
    scores = read(tmp_path, tool="open-llm-leaderboard")
    assert scores.systems == ("a/x (precision bfloat16)", "a/x (precision float16)")
    assert sorted(scores.task_names) == ["BBH", "GPQA", "IFEval", "MMLU-PRO", "MUSR"]
    run = next(iter(runs(tmp_path / "train.parquet")))
    assert run.covariates == {"parameters": 8e9, "co2_kg": 3.0}
