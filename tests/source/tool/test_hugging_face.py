"""Results in repositories of models on Hugging Face: entries, model indexes, names and damage."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from podium.errors import InputError
from support.damage import read, table
from support.tools import runs, takers

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


def test_other_documents_are_left(tmp_path: Path) -> None:
    others = {
        "README.md": "# A project\n\nmodel-index:\n",
        "CARD.md": "---\nlicense: mit\n---\nmodel-index:\n---\n",
        "eval.yaml": "name: HLE\ndescription: x\nevaluation_framework: inspect-ai\ntasks:\n- id: hle\n",
        "config.yaml": "dataset: a\nvalue: 3\n",
        "values.yaml": "- name: a\n  value: 3\n",
        "promptfooconfig.yml": "prompts: [a]\ntests:\n- vars: {a: 1}\n",
    }
    for name, words in others.items():
        (tmp_path / name).write_text(words, "utf-8")
        assert not takers(tmp_path / name)


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
