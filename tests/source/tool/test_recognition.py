"""Which tool wrote a file: one, by what it holds, and none for what is no result of a tool."""

from pathlib import Path
from typing import Any

import pytest

from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from support.damage import read, table, written
from support.samples import SAMPLES
from support.tools import takers

#: By folder of genuine files, the tools that wrote them.
FOLDERS = {
    "alpaca_eval": {"alpaca-eval"},
    "arena": {"arena", "battles"},
    "big_bench": {"big-bench"},
    "every_eval_ever": {"every-eval-ever"},
    "explainaboard": {"explainaboard"},
    "helm": {"helm"},
    "inspect_ai": {"inspect"},
    "lighteval": {"lighteval"},
    "lm-eval": {"lm-eval"},
    "mteb": {"mteb"},
    "open_llm_leaderboard": {"open-llm-leaderboard"},
    "opencompass": {"opencompass"},
}

#: What real tools wrote, in folders that are named for them.
GENUINE = Path(__file__).parent / "genuine"


def test_every_tool_has_files_here() -> None:
    """A reader comes with a genuine file of its tool, or one written by hand after the tool's own code."""
    own = {path.name for path in GENUINE.iterdir() if path.is_dir()}
    assert {tool.name for tool in TOOLS} <= own.union(SAMPLES, *FOLDERS.values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_genuine_files_have_one_tool(shared: Path, folder: str) -> None:
    paths = [path for path in (shared / "data/formats" / folder).rglob("*") if path.is_file()]
    found = [takers(path) for path in paths]
    assert set().union(*found) == FOLDERS[folder]
    assert all(len(names) <= 1 for names in found)


@pytest.mark.parametrize("name", sorted(path.name for path in GENUINE.iterdir() if path.is_dir()))
def test_what_a_tool_wrote_is_of_that_tool(name: str) -> None:
    found = [takers(path) for path in (GENUINE / name).rglob("*") if path.is_file()]
    assert set().union(*found) == {name if name != "evalica" else "battles"}
    assert all(len(names) <= 1 for names in found)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_written_after_a_tool_is_of_that_tool(tmp_path: Path, name: str) -> None:
    for place, text in SAMPLES[name].items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        assert takers(path) == {name}, place
        assert read(path).systems


@pytest.mark.parametrize(
    "folder", sorted(set(FOLDERS) - {"lm-eval", "every_eval_ever", "inspect_ai", "arena", "alpaca_eval"})
)
def test_any_order_of_files_gives_the_same_table(shared: Path, folder: str) -> None:
    paths = sorted(path for path in (shared / "data/formats" / folder).rglob("*.*") if path.is_file() and takers(path))
    paths = [path for path in paths if "results_repo" not in path.parts]
    assert repr(table(read(*paths))) == repr(table(read(*paths[::-1])))


@pytest.mark.parametrize(
    "given",
    [
        {"name": "podium", "version": "1.0.0", "dependencies": {"a": "1"}, "scripts": {"test": "x"}},
        {"name": "a", "lockfileVersion": 3, "packages": {"": {"name": "a"}}},
        {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": []}], "nbformat": 4, "metadata": {}},
        {"model_type": "bert", "architectures": ["A"], "hidden_size": 3, "task_specific_params": None},
        {"results": [{"title": "a"}], "total": 1},
        {"results": {"a": 1}, "scores": {"b": 2}, "model": "x"},
        {"task_name": "a", "results": {"accuracy": 1}},
        {"schema_version": 1, "model_info": {}, "metadata": {}},
        {"evaluation_id": 1, "sample_id": 2, "evaluation": 3},
        {"model": "a", "scores": {"a": 1}},
        {"config_general": 1},
        [{"instance_id": 1, "stats": []}],
        [{"name": "a", "count": 1}],
        [{"name": {"name": "a"}, "value": 1}],
        [],
        {},
        None,
        3,
        "text",
    ],
)
def test_other_json_has_no_tool(tmp_path: Path, given: Any) -> None:
    assert not takers(written(tmp_path / "a.json", given))
    assert not takers(written(tmp_path / "results" / "x" / "a.json", given))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[", b"PAR1", b"PK\x03\x04", b"\xff\xfe", b"{}\n{", b'{"a": ', b"\n\n"]
)
@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet", "csv", "eval"])
def test_files_that_are_cut_off_have_no_tool(tmp_path: Path, content: bytes, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(content)
    assert not takers(path)


@pytest.mark.parametrize("folder", ["scores", "golden", "effects", "formats/csv_matrix"])
def test_plain_tables_have_no_tool(shared: Path, folder: str) -> None:
    assert (shared / "data" / folder).is_dir()
    assert find_logs(shared / "data" / folder) is None
