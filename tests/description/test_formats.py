"""What `podium info --formats` and `find_results` say of files."""

import json
from pathlib import Path

import pytest

import podium
from podium.description.formats import LeftOut
from podium.errors import InputError
from support.entry import run
from support.tools import written

DATE = "2026-01-01T00-00-00.000000"


def lm_eval(folder: Path, model: str, *, samples: bool = True) -> None:
    about = {"results": {task: {"acc,none": 0.5} for task in ("qa", "nli")}, "configs": {"qa": {}}, "n-shot": {"qa": 0}}
    written(folder / f"results_{DATE}.json", {**about, "model_name": model})
    if samples:
        line = {"doc_id": 0, "doc": {}, "resps": [], "filter": "none", "metrics": ["acc"], "doc_hash": "h", "acc": 1.0}
        written(folder / f"samples_qa_{DATE}.jsonl", [line])


def mteb(folder: Path, task: str, score: float | None) -> Path:
    scores = {"test": [{"hf_subset": "default", "main_score": score}]}
    given = {"task_name": task, "mteb_version": "2.1.0", "dataset_revision": "d", "scores": scores}
    return written(folder / f"{task}.json", given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for model in ("a", "b"):
        lm_eval(tmp_path / "lm" / model, model)
        (tmp_path / "lm" / model / "config.yaml").write_text("model: a\n", "utf-8")
    mteb(tmp_path / "mteb" / "team__x" / "r1", "T", 0.5)
    broken = mteb(tmp_path / "mteb" / "team__x" / "r1", "U", 0.5)
    broken.write_bytes(broken.read_bytes()[:-20])
    (tmp_path / "scores.csv").write_text("system,rte\nA,0.5\n", "utf-8")
    (tmp_path / "plot.png").write_bytes(b"\x89PNG")
    (tmp_path / ".old").mkdir()
    return tmp_path


def test_tools_are_named_with_what_they_hold_and_how_it_is_read(folder: Path) -> None:
    findings = podium.find_results(folder)
    assert [
        (one.name, one.files, one.runs, one.systems, one.tasks, one.read_as, one.holds) for one in findings.found
    ] == [("lm-eval", 4, 4, 2, 2, ("instances", "means"), ("acc",)), ("mteb", 1, 1, 1, 1, ("means",), ("main_score",))]


def test_all_that_is_left_out_is_counted_with_its_reason(folder: Path) -> None:
    left = {one.name: one for one in podium.find_results(folder).left_out}
    assert left["config.yaml"] == LeftOut("config.yaml", 2, "no results, beside files of lm-evaluation-harness")
    assert left["scores.csv"].why == "a table beside results of tools; read it apart"
    assert left["*"] if "*" in left else left["plot.png"].why == "not looked at, by its ending"
    assert left[".old"].why == "a folder that is hidden or closed"
    (damaged,) = [one for one in left.values() if "is not JSON" in one.why]
    assert damaged.name == str(Path("mteb/team__x/r1/U.json"))
    assert str(folder) not in damaged.why


def test_files_that_hold_no_scores_are_named(tmp_path: Path) -> None:
    header = {"task": "qa", "model": "m", "created": "2026-01-01T00:00:00+00:00"}
    written(tmp_path / "a.json", {"version": 2, "status": "started", "eval": header, "plan": {}})
    findings = podium.find_results(tmp_path)
    assert findings.left_out == (LeftOut("a.json", 1, "holds no scores; has the run ended?"),)


def test_tables_are_described_where_no_tool_wrote_anything(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("system,rte,sst2\nA,0.5,0.6\n", "utf-8")
    (tmp_path / "long.tsv").write_text("model\ttask\taccuracy\nA\trte\t0.5\n", "utf-8")
    (tmp_path / "words.csv").write_text("a\nc\n", "utf-8")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    findings = podium.find_results(tmp_path)
    assert [(one.name, one.title, one.read_as, one.holds) for one in findings.found] == [
        ("long.tsv", "tsv", ("long",), ("model", "task", "accuracy")),
        ("wide.csv", "csv", ("wide",), ("system", "rte", "sst2")),
    ]
    why = {one.name: one.why for one in findings.left_out}
    assert why["notes.pdf"] == "podium reads no such files"
    assert why["words.csv"].startswith("no table of scores: ")


def test_battles_in_a_table_are_named_as_they_are_read(tmp_path: Path) -> None:
    rows = [("A", "B", "left"), ("B", "C", "right"), ("A", "C", "tie")] * 3
    text = "left,right,winner\n" + "".join(",".join(row) + "\n" for row in rows)
    (tmp_path / "battles.csv").write_text(text, "utf-8")
    (found,) = podium.find_results(tmp_path / "battles.csv").found
    assert (found.name, found.systems) == ("battles", 3)


def test_the_same_systems_and_tasks_are_read(folder: Path) -> None:
    scores = podium.read(folder)
    found = podium.find_results(folder).found
    assert sum(one.systems or 0 for one in found) == len(scores.systems)
    assert sum(one.tasks or 0 for one in found) == len(scores.tasks)


def test_one_tool_alone(folder: Path) -> None:
    assert [one.name for one in podium.find_results(folder, tool="mteb").found] == ["mteb"]
    with pytest.raises(InputError, match=r"none of .* was written by Inspect"):
        podium.find_results(folder, tool="inspect")


def test_nothing_to_look_at_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        podium.find_results(tmp_path / "nothing")
    with pytest.raises(InputError, match="is empty"):
        podium.find_results(tmp_path)


def test_the_command_shows_them_in_every_format(folder: Path) -> None:
    plain = run(folder, "info", ".", "--formats")
    assert plain.returncode == 0
    assert plain.stdout.splitlines()[0] == "5 files of 2 tools, 5 files left out"
    assert json.loads(run(folder, "info", ".", "--formats", "-f", "json").stdout)["kind"] == "findings"
    rows = run(folder, "info", ".", "--formats", "-f", "csv")
    assert rows.stdout.startswith("name,title,files,")
    assert "5 files left out; -f json says which and why" in rows.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dataset:xtreme-missing",), "--formats looks at files and folders"),
        ((".", "--tasks", "T"), "--tasks chooses what is read"),
        ((".", "--runs", "all"), "--runs chooses what is read"),
        ((".", "--input-format", "csv"), "--input-format chooses what is read"),
    ],
)
def test_what_chooses_scores_is_refused(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    done = run(folder, "info", *arguments, "--formats")
    assert done.returncode == 2
    assert said in done.stderr
