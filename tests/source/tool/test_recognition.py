"""Which tool wrote a file: one, by what it holds, and none for what is no result of a tool.

- Every file is of one tool, and files that merely share its words are of none.
- No file of something else is taken for a tool's result, and no damaged result for that of another tool.
"""

import importlib
import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from support.foreign import foreign
from support.samples import SAMPLES
from support.tools import damage, nothing_is_found, read, survives, table, takers, written

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


#: Values of JSON that are no results, though they have words of those of tools.
OTHERS: tuple[Any, ...] = (
    *([], {}, None, 3, "text", [1, 2], {"spec": {"name": "x"}}, {"final_report": {}}, {"score": 1}, {"a:std": "x"}),
    {"name": "podium", "version": "1.0.0", "dependencies": {"a": "1"}, "scripts": {"test": "x"}},
    {"name": "a", "lockfileVersion": 3, "packages": {"": {"name": "a"}}},
    {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": []}], "nbformat": 4, "metadata": {}},
    {"model_type": "bert", "architectures": ["A"], "hidden_size": 3, "task_specific_params": None},
    *({"results": [{"title": "a"}], "total": 1}, {"results": {"a": 1}, "scores": {"b": 2}, "model": "x"}),
    *({"task_name": "a", "results": {"accuracy": 1}}, {"task_name": "a", "scores": []}, {"scores": {"test": 1}}),
    *({"schema_version": 1, "model_info": {}, "metadata": {}}, {"evaluation_id": 1, "sample_id": 2, "evaluation": 3}),
    *({"model": "a", "scores": {"a": 1}}, {"model": 1, "scores": []}, {"model": 1, "scores": [{"score_dict": {}}]}),
    *([{"instance_id": 1, "stats": []}], [{"name": "a", "count": 1}], [{"name": {"name": "a"}, "value": 1}]),
    *({"config_general": 1}, {"results": {}, "name": "x"}, {"doc_id": 1}, {"name": "a", "revision": "b"}),
    *({"a__b-1": {"model_patch": "", "model_name_or_path": "m"}}, {"resolved": []}, {"a__b": 1}),
    *({"task_id": "x", "trial_name": "y", "score": 1}, {"agent_name": "a", "model_name": "m", "dataset_name": "core"}),
    *({"a": {"b": {"rated": 1}}}, {"a": {"b": 3, "c": {"rating": 1}}}, {"rating": {}}),
    *(
        [{"instruction": "q", "output": "x", "generator": "A", "dataset": "koala"}],
        {"testCases": []},
        {"testRunLink": "x"},
    ),
    *({"test_cases_lookup_map": {}}, {"results": [1], "config": {}}, {"results": {"stats": {}}, "config": {}}),
    *({"metrics": [], "model_names": []}, {"stat_test": "x"}, {"query_id": 1, "measure": "cm", "value": 2}),
    *({"measure": "AP", "value": 1, "system": "x"}, {"results": []}, {"results": [{"command": "x"}]}),
    *({"benchmarks": []}, {"context": {}}, {"accuracy": "high"}, {"error": "no predictions"}),
)


@pytest.mark.parametrize("given", OTHERS, ids=str)
def test_other_json_has_no_tool(tmp_path: Path, given: Any) -> None:
    for place in ("a.json", "results/x/a.json", "a_eval_metrics.json", "20260102_030405/predictions/x/task.json"):
        assert not takers(written(tmp_path / place, given))


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("20260102_030405/predictions/x/task.json", '{"0": {"origin_prompt": "a", "prediction": "b", "gold": "c"}}'),
        ("20260102_030405/configs/x/task.json", '{"accuracy": 1}'),
        ("other/results/x/metrics.json", '{"accuracy": 1}'),
        ("other/results/x/details.json", '{"accuracy": 1, "details": {"a": 1}}'),
        ("other/results/x/package.json", '{"name": "a", "version": 1, "details": []}'),
        ("README.md", "# A project\n\nmodel-index:\n"),
        ("CARD.md", "---\nlicense: mit\n---\nmodel-index:\n---\n"),
        ("eval.yaml", "name: HLE\ndescription: x\nevaluation_framework: inspect-ai\ntasks:\n- id: hle\n"),
        ("config.yaml", "dataset: a\nvalue: 3\n"),
        ("values.yaml", "- name: a\n  value: 3\n"),
        ("promptfooconfig.yml", "prompts: [a]\ntests:\n- vars: {a: 1}\n"),
        ("a.csv", "name,win_rate,loss_rate\nA,1,2\n"),
        ("a.csv", "Model,ARC,MMLU,GSM8K\na,1,2,3\n"),
        ("a.csv", "Model,Average,rte,sst2,mnli\na,1,2,3,4\n"),
        ("a.csv", "Average,ARC,MMLU,GSM8K\n1,2,3,4\n"),
        ("map.txt", "map\n"),
        ("map.txt", "map\tq1\t0.5"),
        ("map.txt", "a\tb\t1\nc\td\t2\n"),
        ("map.txt", "q1\tmap\t0.5\nq2\tmap\t0.5\n"),
        ("ap.txt", "AP\n"),
        ("ap.txt", "P\tQ\t0.5\n"),
        ("ap.txt", "system\tAP\nA\t0.5\n"),
        ("ap.txt", "q1\tAP\t0.5\nq2\tfoo\t1\n"),
    ],
)
def test_other_files_have_no_tool(tmp_path: Path, place: str, text: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    assert not takers(path)
    with pytest.raises(InputError, match=r"none of 1 file was written by lm-evaluation-harness"):
        read(path, tool="lm-eval")


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


OLDER = sorted(
    path for path in (Path(__file__).parent / "genuine").iterdir() if path.is_file() and path.suffix != ".md"
)

#: Members that decide of which tool a file is.
WORDS = [
    *("results", "versions", "configs", "config", "doc_id", "doc", "resps", "version", "status", "eval", "samples"),
    *("plan", "stats", "table", "benchmarks", "machine_info", "context", "testCases", "metricsScores", "testRunData"),
    *("promptIdx", "testIdx", "success", "vars", "spec", "final_report", "score", "metrics", "htmls", "convos"),
    *("resolved_ids", "total_instances", "resolved", "generated", "no_logs", "task_name", "trial_name", "agent_info"),
    *("model_names", "stat_test", "command", "mean", "a__b-1"),
]


@pytest.mark.parametrize("kind", ["word", 1, True, None, [], ["NN"], {}, {"x": 1}], ids=repr)
def test_a_dictionary_of_all_words_is_of_none(tmp_path: Path, kind: object) -> None:
    numbers = random.Random(0)  # noqa: S311  # any numbers will do
    all_words = dict.fromkeys(WORDS, kind)
    some = [dict.fromkeys(numbers.sample(WORDS, numbers.randrange(1, 8)), kind) for _ in range(200)]
    indented = tmp_path / "indented.json"
    indented.write_text(json.dumps(all_words, indent=1), "utf-8")
    assert nothing_is_found(tmp_path, all_words, {str(number): [] for number in range(99)} | all_words, *some)


def test_a_folder_of_many_tools_is_the_same_in_any_order(tmp_path: Path) -> None:
    files = [
        written(tmp_path / path.name, json.loads(path.read_text("utf-8"))) for path in OLDER if path.suffix == ".json"
    ]
    names = [str(file) for file in files]
    straight, turned = podium.read(names), podium.read(names[::-1])
    assert straight.systems == turned.systems
    assert straight.task_names == turned.task_names
    assert podium.rank(straight).systems == podium.rank(turned).systems
    found = find_logs(tmp_path)
    assert found is not None
    assert found.others == ()
    assert len({tool.name for tool, _ in found.units}) == 6


def test_what_podium_writes_is_of_no_tool(tmp_path: Path) -> None:
    scores = podium.read(next(path for path in OLDER if path.name.startswith("promptfoo")))
    assert nothing_is_found(tmp_path, json.loads(json.dumps(podium.rank(scores).to_dict(), default=str)))


def test_a_tool_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "another.ending"
    path.write_text(OLDER[-1].read_text("utf-8"), "utf-8")
    assert find_logs(path) is None
    found = find_logs(path, "ranx")
    assert found is not None
    assert found.files == 1


#: How many files of something else are made up, and how many times results of each tool are damaged.
FOREIGN, SEEDS = (7000, 80) if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else (400, 5)

#: Files that are looked at in one test.
TOGETHER = 100


@pytest.mark.parametrize("first", range(0, FOREIGN, TOGETHER))
def test_files_of_something_else_have_no_tool(tmp_path: Path, first: int) -> None:
    for number in range(first, first + TOGETHER):
        path = foreign(tmp_path / str(number), number)
        assert not takers(path), path.read_bytes()[:500]


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small results of every tool, in a folder each: examples of the documentation, samples, and genuine ones."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[3] / "docs")
        importlib.import_module("example_logs").main(folder)
    for name, files in SAMPLES.items():
        for place, text in files.items():
            path = folder / name / "sample" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    for path in GENUINE.iterdir():
        if path.is_dir() and path.name != "evalica":
            shutil.copytree(path, folder / path.name / "genuine", copy_function=shutil.copyfile)
    return folder


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("name", sorted(tool.name for tool in TOOLS))
def test_damage_is_refused_in_words_and_makes_no_file_of_another_tool(
    results: Path, tmp_path: Path, name: str, seed: int
) -> None:
    chance = random.Random(f"{name} {seed}")  # noqa: S311  # no secret
    copy = shutil.copytree(results / name, tmp_path / name)
    path = chance.choice(sorted(file for file in copy.rglob("*") if file.is_file()))
    before = takers(path)
    damage(path, chance)
    assert takers(path) <= before, path.read_bytes()[:300]
    survives(copy)
