"""Finding and reading what tools wrote: by several processes, with links, hidden folders and damage among the files."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError, MethodError
from podium.source import logs as log
from podium.source.logs import HIDDEN, Logs, find_logs
from podium.source.tool.content import Content
from podium.source.tool.run import Run
from support.tools import written

#: Files that are looked at by a process at once, so that small folders take several.
FEW = 3

DATE = "2026-01-01T00-00-00.000000"


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "_AT_ONCE", FEW)


def mteb(folder: Path, model: str, task: str, score: float) -> Path:
    given = {
        "task_name": task,
        "mteb_version": "2.1.0",
        "dataset_revision": "d",
        "scores": {"test": [{"hf_subset": "default", "main_score": score}]},
    }
    return written(folder / f"team__{model}" / "r1" / f"{task}.json", given)


def lm_eval(folder: Path, model: str, right: list[float]) -> Path:
    about = {"results": {"qa": {"acc,none": 0.5} if right else {}}, "configs": {"qa": {}}, "n-shot": {"qa": 0}}
    written(folder / model / f"results_{DATE}.json", {**about, "model_name": model})
    lines = [
        {
            "doc_id": number,
            "doc": {},
            "resps": [],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": f"h{number}",
            "acc": one,
        }
        for number, one in enumerate(right)
    ]
    return written(folder / model / f"samples_qa_{DATE}.jsonl", lines)


def harbor(folder: Path, agent: str, task: str, reward: float) -> Path:
    given = {
        "task_name": task,
        "trial_name": f"{task}__1",
        "agent_info": {"name": agent, "version": "1"},
        "verifier_result": {"rewards": {"reward": reward}},
        "started_at": "2026-01-01T00:00:00",
    }
    return written(folder / f"job-{agent}" / f"{task}__1" / "result.json", given)


def mixed(folder: Path) -> Path:
    """Results of three tools that are read in three ways: joined over files, one by one, and by folders."""
    chance = random.Random(0)  # noqa: S311  # no secret
    for model in "abcd":
        for task in range(4):
            mteb(folder / "mteb", model, f"T{task}", chance.random())
        lm_eval(folder / "lm", model, [float(chance.random() < 0.5) for _ in range(5)])
        for task in range(3):
            harbor(folder / "harbor", model, f"t{task}", chance.random())
    return folder


def found(source: Any, jobs: int | None = None) -> Logs:
    logs = find_logs(source, jobs=jobs)
    assert logs is not None
    return logs


def said(read: Logs) -> list[Any]:
    """All that was read, to compare."""
    return [[_plain(run) for run in unit.runs] for unit in read.units] + [read.silent, read.damaged]


def _plain(run: Run) -> Any:
    samples = None if run.samples is None else (run.samples.instances.tolist(), run.samples.scores.tolist())
    return run.where, run.system, run.task, run.metric, run.mean, samples, run.metric_order, run.made, run.notes


@pytest.mark.parametrize("jobs", [2, 4])
@pytest.mark.usefixtures("small_batches")
def test_any_number_of_processes_reads_the_same(tmp_path: Path, jobs: int) -> None:
    mixed(tmp_path)
    (tmp_path / "lm" / "b" / f"samples_qa_{DATE}.jsonl").write_text(
        '{"doc_id": 0, "doc": {}, "resps"\n{}\n{}\n', "utf-8"
    )
    (tmp_path / "harbor" / "job-c" / "t0__1" / "result.json").write_text("[", "utf-8")
    alone = found(tmp_path, 1)
    assert {run.system for run in alone.runs} >= {"a", "b", "c", "d"}
    assert said(found(tmp_path, jobs)) == said(alone)


@pytest.mark.usefixtures("small_batches")
def test_damage_among_files_that_are_read_by_several_processes_is_said_and_the_rest_counts(tmp_path: Path) -> None:
    for model in "abcd":
        for task in range(4):
            path = mteb(tmp_path, model, f"T{task}", 0.5)
            if (model, task) in {("b", 1), ("d", 3)}:
                path.write_bytes(path.read_bytes()[:-20])
    read = found(tmp_path, 2)
    assert len(read.runs) == 14
    assert [Path(file).name for file in read.damaged] == ["T1.json", "T3.json"]
    assert said(read) == said(found(tmp_path, 1))


@pytest.mark.usefixtures("small_batches")
def test_progress_never_goes_back_and_ends_at_the_total(tmp_path: Path) -> None:
    mixed(tmp_path)
    told: list[tuple[int, int | None]] = []
    logs = find_logs(tmp_path, progress=lambda done, total: told.append((done, total)), jobs=1)
    assert logs is not None
    assert len(told) > 5
    done = [one for one, _ in told]
    assert done == sorted(done)
    assert len({total for _, total in told}) == 1
    assert told[-1][0] == told[-1][1]


_ENDLESS = """
import os, sys, time
import podium.source.logs as log
log._AT_ONCE = 1
def told(done, total):
    print(done, flush=True)
if __name__ == "__main__":
    log.find_logs(sys.argv[1], progress=told, jobs=2)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_an_interrupt_leaves_no_process_behind(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    for number in range(400):
        lm_eval(folder, f"m{number}", [1.0, 0.0] * 50)
    script = tmp_path / "endless.py"
    script.write_text(_ENDLESS, "utf-8")
    environment = {**os.environ, "PODIUM_TEST_MARK": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    assert len(_marked(str(tmp_path))) > 1
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(30) != 0
    deadline = time.monotonic() + 10
    while _marked(str(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _marked(str(tmp_path)) == []
    process.communicate()


def _marked(mark: str) -> list[str]:
    """Processes that were started with a mark in their environment."""
    marked = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()[0]
            if f"PODIUM_TEST_MARK={mark}".encode() in (folder / "environ").read_bytes() and state != "Z":
                marked.append(folder.name)
        except OSError:
            continue
    return marked


def test_links_to_folders_are_followed_and_loops_end(tmp_path: Path) -> None:
    mteb(tmp_path / "elsewhere", "a", "T", 0.5)
    folder = tmp_path / "logs"
    mteb(folder, "b", "T", 0.6)
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (folder / "latest").symlink_to(folder / "team__b", target_is_directory=True)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    logs = found(folder)
    assert logs.files == 2
    assert {run.system for run in logs.runs} == {"team/a", "team/b"}


def test_a_file_is_read_once_however_often_it_is_named(tmp_path: Path) -> None:
    path = mteb(tmp_path, "a", "T", 0.5)
    assert found([str(tmp_path), str(path), str(tmp_path / "*")]).files == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes among files")
def test_links_to_themselves_and_pipes_are_named_and_not_opened(tmp_path: Path) -> None:
    mteb(tmp_path, "a", "T", 0.5)
    mteb(tmp_path, "b", "T", 0.6)
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe.json")
    logs = found(tmp_path)
    notes = list(logs.notes())
    for what, name in (("links that lead to themselves", "loop"), ("pipes, sockets and devices", "pipe.json")):
        assert any(note.startswith(f"{what} are left out: ") and note.endswith(name) for note in notes)
    assert {one.name: one.why for one in podium.find_results(tmp_path).left_out} == {
        "loop": "a link that leads to itself",
        "pipe.json": "a pipe, a socket or a device",
    }


def test_hidden_folders_are_named_but_those_of_programs_are_not(tmp_path: Path) -> None:
    mteb(tmp_path, "a", "T", 0.5)
    mteb(tmp_path / ".old", "b", "T", 0.6)
    mteb(tmp_path / ".git", "c", "T", 0.6)
    logs = found(tmp_path)
    assert logs.files == 1
    assert logs.walk.left[HIDDEN] == [str(tmp_path / ".old")]
    assert any(".old" in note and ".git" not in note for note in logs.notes())


def test_a_folder_that_cannot_be_opened_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mteb(tmp_path, "a", "T", 0.5)
    (tmp_path / "closed").mkdir()
    scan = os.scandir

    def refused(path: str) -> Any:
        if path.endswith("closed"):
            raise PermissionError(path)
        return scan(path)

    monkeypatch.setattr("podium.source.logs.os.scandir", refused)
    assert found(tmp_path).walk.left[HIDDEN] == [str(tmp_path / "closed")]


def test_the_only_file_is_an_error_if_it_is_damaged(tmp_path: Path) -> None:
    path = lm_eval(tmp_path, "a", [1.0])
    path.write_text(path.read_text("utf-8") + '{"doc_id": \n{}\n', "utf-8")
    with pytest.raises(InputError, match="line 2 is not JSON"):
        podium.read(path)


def test_the_same_table_whether_read_by_one_process_or_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_batches: None
) -> None:
    del small_batches
    for model in "abc":
        lm_eval(tmp_path, model, [1.0, 0.0, 1.0])
    alone = podium.read(tmp_path)
    monkeypatch.setattr(log, "_MANY", 1)
    together = podium.read(tmp_path)
    assert (together.systems, together.notes) == (alone.systems, alone.notes)
    np.testing.assert_array_equal(together.tasks[0].values, alone.tasks[0].values)


def test_many_runs_that_have_not_ended_make_one_note(tmp_path: Path) -> None:
    for number in range(30):
        header = {"task": "qa", "model": f"m{number}", "created": f"2026-01-01T00:00:{number:02}+00:00"}
        sample = {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}
        given = {"version": 2, "status": "cancelled", "eval": header, "plan": {}, "samples": [sample]}
        written(tmp_path / f"{'long-' * 12}{number}.json", given)
    (said,) = [note for note in podium.read(tmp_path).notes if "not ended" in note]
    assert said.startswith("not ended well, but what there is counts: …")
    assert said.endswith("(cancelled, 1 sample) and 29 more")


def test_many_damaged_files_make_one_note(tmp_path: Path) -> None:
    for number in range(30):
        path = mteb(tmp_path, f"m{number}", "T", 0.5)
        path.write_bytes(path.read_bytes()[: -20 if number else None])
    (said,) = [note for note in podium.read(tmp_path).notes if "cannot be read" in note]
    assert said.startswith("left out, since they cannot be read (info --formats says why): …")
    assert said.endswith("m1/r1/T.json and 28 more")
    assert len(said) <= 140


def test_no_note_is_long_whatever_the_names(tmp_path: Path) -> None:
    path = mteb(tmp_path / ("long-" * 40) / ("name-" * 40), "a", "T", 0.5)
    broken = mteb(tmp_path / ("long-" * 40), "b", "U" * 200, 0.5)
    broken.write_bytes(broken.read_bytes()[:-20])
    lm_eval(tmp_path / ("empty-" * 30), "c", [])
    assert path.exists()
    assert [note for note in podium.read(tmp_path).notes if len(note) > 140] == []


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"keep_first": True}, r"keep_first= \(--keep-first\) is about tables"),
        ({"layout": "wide"}, r"layout= \(--layout\) is about tables"),
        ({"format": "jsonl"}, r"format= \(--input-format\) is about tables"),
        ({"score_column": "acc"}, r"score_column= \(--score-column\) is about tables"),
        ({"task_column": "t"}, r"task_column= \(--task-column\) is about tables"),
    ],
)
def test_what_is_about_tables_is_refused_with_results_of_a_tool(
    tmp_path: Path, asked: dict[str, Any], said: str
) -> None:
    mteb(tmp_path, "a", "T", 0.5)
    with pytest.raises(InputError, match=said):
        podium.read(tmp_path, tool="mteb", **asked)
    if asked.keys() & {"keep_first", "score_column"}:
        with pytest.raises(InputError, match=said):
            podium.read(tmp_path, **asked)


def test_hidden_folders_that_a_tool_writes_are_looked_into(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    path = tmp_path / "models--team--model" / ".eval_results" / "gsm8k.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("- dataset:\n    id: openai/gsm8k\n    task_id: gsm8k\n  value: 76.2\n", "utf-8")
    logs = found(tmp_path)
    assert (logs.files, logs.walk.left[HIDDEN]) == (1, [])


def test_a_json_value_that_is_too_large_to_hold_is_refused_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.source.tool.content._HELD", 2**20)
    rows = [{"vars": {}, "provider": {"id": "a"}, "score": 1.0, "success": True, "testIdx": n} for n in range(20_000)]
    given = {"evalId": "e", "results": {"version": 3, "results": rows, "prompts": []}, "config": {}}
    (tmp_path / "a.json").write_text(json.dumps(given, indent=1), "utf-8")
    with pytest.raises(InputError, match=r"one JSON value of .* MiB, .* let the tool write JSON lines"):
        podium.read(tmp_path / "a.json", tool="promptfoo")


def test_a_file_that_may_not_be_opened_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mteb(tmp_path, "a", "T", 0.5)
    closed = mteb(tmp_path, "b", "T", 0.5)

    def refused(content: Content) -> bytes:
        if content.path == closed:
            raise PermissionError(13, "Permission denied", content.name)
        return content.path.read_bytes()

    monkeypatch.setattr(Content, "_start", property(refused))
    read = found(tmp_path)
    assert [run.system for run in read.runs] == ["team/a"]
    assert [why.rpartition("/")[2] for why in read.damaged.values()] == ["T.json cannot be read: Permission denied"]


def test_pointers_of_git_lfs_beside_results_are_said(tmp_path: Path) -> None:
    for model in ("a", "b"):
        mteb(tmp_path, model, "T", 0.5)
    for name in ("details.parquet", "samples.jsonl"):
        (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "utf-8")
    (tmp_path / "notes.txt").write_text("words", "utf-8")
    notes = podium.read(tmp_path).notes
    assert "left out: 2 pointers to files of Git LFS; fetch these with git lfs pull" in notes
    assert "other files that hold no results: 1" in notes
    assert not any("tables beside" in note for note in notes)


def test_an_archive_without_its_end_is_damaged(tmp_path: Path) -> None:
    lm_eval(tmp_path, "a", [1.0])
    with zipfile.ZipFile(tmp_path / "b.eval", "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {"model": "m", "task": "t"}}))
    (tmp_path / "b.eval").write_bytes((tmp_path / "b.eval").read_bytes()[:-40])
    (damaged,) = found(tmp_path).damaged.values()
    assert damaged.endswith("b.eval is a damaged archive, or cut off; copy it again")


@pytest.mark.parametrize("cut", [20, 3])
def test_results_that_are_cut_off_are_damaged_and_said_where_too_few_systems_are_left(tmp_path: Path, cut: int) -> None:
    lm_eval(tmp_path, "a", [1.0, 0.0])
    path = written(
        tmp_path / "b" / f"results_{DATE}.json",
        {"results": {"qa": {"alias": "qa", "acc,none": 0.5}}, "configs": {"qa": {}}},
    )
    path.write_text(path.read_text("utf-8")[:-cut], "utf-8")
    (damaged,) = found(tmp_path).damaged.values()
    assert f"results_{DATE}.json is not JSON, or cut off" in damaged
    short = "; left out, since it cannot be read: results_2026"
    with pytest.raises(MethodError, match=f"there is only one system, 'a'; a ranking needs at least two{short}"):
        podium.rank(tmp_path)
    with pytest.raises(MethodError, match=f"a comparison needs at least two{short}"):
        podium.pairwise(tmp_path)


def test_other_objects_that_are_cut_off_are_no_results(tmp_path: Path) -> None:
    lm_eval(tmp_path, "a", [1.0])
    (tmp_path / "package.json").write_text('{"name": "a", "results": {"qa": {"acc": 1', "utf-8")
    assert not found(tmp_path).damaged
