"""Dumps of the Open LLM Leaderboard: both versions, models that stand there twice, and damage."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.damage import read, survives, table
from support.tools import runs, takers

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


@pytest.mark.parametrize(
    "header", ["Model,ARC,MMLU,GSM8K", "Model,Average,rte,sst2,mnli", "Average,ARC,MMLU,GSM8K", ""]
)
def test_other_tables_are_not_taken(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(header + "\na,1,2,3,4\n")
    assert not takers(path)


@pytest.mark.parametrize("seed", range(25))
def test_damage(tmp_path: Path, seed: int) -> None:
    (tmp_path / "all").mkdir()
    for day in ("20230714", "20230904"):
        (tmp_path / "all" / f"{day}.csv").write_text(f'{FIRST}"a/x",9,4,5,6,60.6,\na/y,9,3,,6,,\n', "utf-8")
    survives(tmp_path / "all", tmp_path / "copy", seed)
