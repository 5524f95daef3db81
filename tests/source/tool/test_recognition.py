"""Which tool wrote a file: one, by what it holds, and none for what is no result of a tool.

- Every file is of one tool, and files that merely share its words are of none.
- No file of something else is taken for a tool's result, and no damaged result for that of another tool.
"""

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import podium
from podium.datasets import write_examples
from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from podium.source.tool.preset import PRESETS
from support.tool_cases import CASES, cases
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

OWN = sorted(path.name for path in GENUINE.iterdir() if path.is_dir())

NAMES = sorted(tool.name for tool in TOOLS)


def test_every_tool_has_files_here() -> None:
    """A reader comes with a genuine file of its tool, or one written by hand after the tool's own code."""
    assert set(NAMES) <= {path.stem for path in CASES.glob("*.txt")}.union(OWN, *FOLDERS.values())


@pytest.mark.parametrize("name", [*OWN, *FOLDERS])
def test_genuine_files_have_one_tool_and_any_order_gives_the_same_table(shared: Path, name: str) -> None:
    folder, tools = (shared / "data/formats" / name, FOLDERS[name]) if name in FOLDERS else (GENUINE / name, {name})
    taken = {path: takers(path) for path in sorted(folder.rglob("*")) if path.is_file()}
    assert set().union(*taken.values()) == (tools if name != "evalica" else {"battles"})
    assert all(len(names) <= 1 for names in taken.values())
    paths = [path for path, names in taken.items() if names and "results_repo" not in path.parts]
    if name not in MIXED:
        assert repr(table(read(*paths))) == repr(table(read(*paths[::-1])))


#: Folders whose files are not of one table.
MIXED = {"lm-eval", "every_eval_ever", "inspect_ai", "arena", "alpaca_eval"}


@pytest.mark.parametrize("name", sorted({path.stem for path in CASES.glob("*.txt")} & set(NAMES)))
def test_what_is_written_after_a_tool_is_of_that_tool(tmp_path: Path, name: str) -> None:
    written_by = [takers(path) for path in folders_of(name, tmp_path).rglob("*") if path.is_file()]
    assert set().union(*written_by) == {name}


def folders_of(name: str, folder: Path) -> Path:
    """Write the cases of a tool, each into a folder of its own."""
    for number, case in enumerate(cases(name) if (CASES / f"{name}.txt").exists() else ()):
        case.write(folder / f"case {number}")
    return folder


#: Files that no tool of evaluation wrote: of package managers, models, logs, tables and other tests, and such as have
#: words of results. A line each: a value of JSON, values on lines, a text, perhaps with its place, or columns.
FOREIGN = Path(__file__).with_name("foreign.jsonl").read_text("utf-8").splitlines()

#: Where results of some tools lie, and what they are called.
PLACES = (
    *("a.json", "a_eval_metrics.json", "results/x/a.json", "20260102_030405/predictions/x/task.json", "results.json"),
    *("runs/x,model=a_b/run_spec.json", "evaluation/verified/20240101_a/results/results.json", "stats.json"),
    *("job/task__1/result.json", "results_2026-01-02T03-04-05.678.json", ".hidden/report.json", "scores.json"),
)


@pytest.mark.parametrize("line", FOREIGN)
def test_files_of_something_else_have_no_tool(tmp_path: Path, line: str) -> None:
    for path in written_anywhere(tmp_path, json.loads(line)):
        assert not takers(path), path
        with pytest.raises(InputError):
            read(path, tool="lm-eval")


def written_anywhere(folder: Path, given: dict[str, Any]) -> Iterator[Path]:
    """Write what a line says, of JSON at every place and with every indent, and give the paths."""
    if "json" in given:
        for number, place in enumerate(PLACES):
            path = written(folder / place, given["json"])
            path.write_text(json.dumps(given["json"], indent=(None, 1, 4)[number % 3]), "utf-8")
            yield path
    elif "lines" in given:
        yield from (written(folder / place, given["lines"] * 3) for place in ("a.jsonl", "samples_x.jsonl"))
    elif "text" in given:
        for ending in ("txt", "res", "yaml", "md", "eval", "jsonl"):
            path = folder / given.get("place", f"results/results.{ending}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(given["text"], "utf-8")
            yield path
    else:
        rows = pa.table(given["table"])
        parquet.write_table(rows, folder / "results.parquet")
        csv.write_csv(rows, folder / "results.csv")
        yield from (folder / "results.parquet", folder / "results.csv")


def test_files_that_are_cut_off_have_no_tool(tmp_path: Path) -> None:
    for content in (b"", b"{", b"[", b"PAR1", b"PAR1 and nothing else", b"PK\x03\x04", b"\xff\xfe", b"{}\n{", b"\n\n"):
        for ending in ("csv", "eval", "json", "jsonl", "parquet", "tsv"):
            path = tmp_path / f"a.{ending}"
            path.write_bytes(content)
            assert not takers(path)
            for preset in PRESETS:
                with pytest.raises(InputError):
                    read(path, preset=preset.name.removeprefix("preset "))


@pytest.mark.parametrize("folder", ["scores", "golden", "effects", "formats/csv_matrix"])
def test_plain_tables_have_no_tool(shared: Path, folder: str) -> None:
    assert (shared / "data" / folder).is_dir()
    assert find_logs(shared / "data" / folder) is None


OLDER = sorted(path for path in GENUINE.iterdir() if path.is_file() and path.suffix in (".json", ".jsonl"))

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
    assert len({tool.name for tool, *_ in found.units}) == 6


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


#: How many times results of each tool are damaged.
SEEDS = 80 if os.environ.get("HYPOTHESIS_PROFILE") == "thorough" else 5


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small results of every tool, in a folder each: examples of the documentation, samples, and genuine ones."""
    folder = tmp_path_factory.mktemp("results")
    write_examples(folder)
    for name in NAMES:
        folders_of(name, folder / name)
    for name in set(OWN) - {"evalica"}:
        shutil.copytree(GENUINE / name, folder / name / "genuine", copy_function=shutil.copyfile)
    return folder


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("name", NAMES)
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
