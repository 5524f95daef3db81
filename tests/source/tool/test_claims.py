"""Every file is of one tool, and files that merely share its words are of none."""

import json
import random
import re
from pathlib import Path

import pytest

import podium
from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from podium.source.tool.content import Content
from support.tools import nothing_is_found, written

GENUINE = sorted(
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


@pytest.mark.parametrize("path", GENUINE, ids=lambda path: path.name)
def test_a_file_is_of_the_tool_that_wrote_it(path: Path) -> None:
    written_by = re.match(r"(.+?)-\d", path.name)
    assert written_by is not None
    assert [tool.name for tool in TOOLS if tool.takes(Content(path))] == [written_by[1]]


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
        written(tmp_path / path.name, json.loads(path.read_text("utf-8"))) for path in GENUINE if path.suffix == ".json"
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
    scores = podium.read(next(path for path in GENUINE if path.name.startswith("promptfoo")))
    assert nothing_is_found(tmp_path, json.loads(json.dumps(podium.rank(scores).to_dict(), default=str)))


def test_a_tool_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "another.ending"
    path.write_text(GENUINE[-1].read_text("utf-8"), "utf-8")
    assert find_logs(path) is None
    found = find_logs(path, "ranx")
    assert found is not None
    assert found.files == 1
