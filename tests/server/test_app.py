"""Uploads, jobs and answers: the same numbers as in Python, limits kept, and nothing lost by a restart."""

import asyncio
import csv
import gzip
import io
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import podium
from podium.base.errors import InputError, LabelError, OutputError
from podium.base.words import as_options
from podium.server.app import Listening, bound, make_app
from podium.server.guard import LEAST_JOB_BYTES, Settings
from podium.server.jobs import Runner, Storage, TooLargeError, Upload
from podium.server.question import Question, Verb
from support.served import PATIENCE, TABLE, VERBS, ask, ended, send, served, until

#: A question that takes minutes.
LONG: dict[str, bool | int | float | str | list[str]] = {
    "method": "kemeny",
    "replicates": 10_000_000,
    "intervals": True,
}


def test_an_answer_is_that_of_python_and_is_found_after_a_restart(tmp_path: Path) -> None:
    with served(tmp_path / "kept") as client:
        upload = send(client)
        job = ask(client, "rank", upload, method="mean", seed=3)
        assert job["state"] in {"waiting", "running"}
        assert ended(client, job)["state"] == "done"
        again = ask(client, "rank", upload, seed=3, method="mean")
        assert (again["number"], again["state"]) == (job["number"], "done")
        answer = client.get(f"/api/jobs/{job['number']}/answer").json()
    (tmp_path / "scores.csv").write_bytes(TABLE)
    wanted = podium.rank(tmp_path / "scores.csv", "mean", rng=3).to_dict()
    assert answer["systems"] == wanted["systems"]
    with served(tmp_path / "kept") as client:
        assert [one["name"] for one in client.get("/api/uploads").json()] == ["scores.csv"]
        assert [one["state"] for one in client.get("/api/jobs").json()] == ["done"]
        assert client.get(f"/api/jobs/{job['number']}/answer").json() == answer
        assert client.delete(f"/api/uploads/{upload}").status_code == 204
        assert client.get("/api/jobs").json() == []
        assert client.get(f"/api/jobs/{job['number']}/answer").status_code == 404


def test_answers_can_be_deleted_one_by_one(tmp_path: Path) -> None:
    with served(tmp_path, jobs=1) as client:
        upload = send(client)
        done, running = ended(client, ask(client, "rank", upload, method="mean")), ask(client, "rank", upload, **LONG)
        until(client, running, lambda now: now["total"] is not None)
        for job in (running, done):
            assert client.delete(f"/api/jobs/{job['number']}/answer").status_code == 204
            assert client.get(f"/api/jobs/{job['number']}").status_code == 404
            assert client.delete(f"/api/jobs/{job['number']}/answer").status_code == 404
        assert (client.get("/api/jobs").json(), _jobs_left()) == ([], [])
        assert len(client.get("/api/uploads").json()) == 1


def test_answers_count_for_the_room_of_the_folder(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        upload = send(client)
        size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
        kept = ended(client, ask(client, "info", upload))
        full = sum(path.stat().st_size for path in tmp_path.glob("jobs/*/*") if path.name != "scores.csv") + size
    with served(tmp_path, folder_bytes=full + 2000) as client:
        large = ended(client, ask(client, "rank", upload, seed=1))  # some ten thousand bytes
        assert large["state"] == "failed"
        assert re.search("File too large|does not fit", large["error"])
    with served(tmp_path, folder_bytes=full) as client:
        asked = client.post("/api/verbs/rank", json={"uploads": [upload], "options": {"seed": 2}})
        assert (asked.status_code, "delete tables or answers" in asked.json()["error"]["message"]) == (413, True)
        assert ask(client, "info", upload)["state"] == "done", "what is there is shown"
        for job in (kept, large):
            assert client.delete(f"/api/jobs/{job['number']}/answer").status_code == 204
        assert client.post("/api/verbs/rank", json={"uploads": [upload], "options": {"seed": 2}}).status_code == 202


def test_an_answer_is_shown_as_the_command_shows_it(tmp_path: Path) -> None:
    with served(tmp_path / "kept") as client:
        job = ended(client, ask(client, "rank", send(client), method="mean"))
        view = client.get(f"/api/jobs/{job['number']}/view").json()
        rows = client.get(f"/api/jobs/{job['number']}/rows")
        assert rows.headers["content-disposition"].startswith("attachment")
        page = ended(client, ask(client, "page", send(client), replicates=40))
        for missing in ("view", "rows"):
            assert client.get(f"/api/jobs/{page['number']}/{missing}").status_code == 404
            assert client.get(f"/api/jobs/{'0' * 16}/{missing}").status_code == 404
        assert client.get(f"/answers/{job['number']}").headers["content-type"].startswith("text/html")
    (tmp_path / "scores.csv").write_bytes(TABLE)
    ranking = podium.rank(tmp_path / "scores.csv", "mean")
    wanted = ranking.view()
    assert (view["title"], view["notes"]) == (wanted.title, list(map(as_options, wanted.notes)))
    assert [tuple(row) for row in view["tables"][0]["rows"]] == wanted.tables[0].rows
    assert [column["name"] for column in view["tables"][0]["head"]] == list(wanted.tables[0].head)
    assert rows.text == ranking.render("csv")
    assert [row["system"] for row in csv.DictReader(io.StringIO(rows.text))] == list(ranking.systems)


@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS if verb.takes_scores and verb.name not in {"page", "pool", "judge"}]
)
def test_every_verb_has_an_answer_that_can_be_shown(tmp_path: Path, verb: Verb) -> None:
    given: dict[str, dict[str, Any]] = {
        "allocate": {"budget": 2},
        "compare": {"control": "s0", "all": True},
        "customize": {"difficulty": "failures"},
        "stress": {"repeats": 2},
        "subset": {"items": 5},
    }
    right = b"\n".join(
        b",".join((*row.split(b",")[:3], b"1" if row[-1:] > b"3" else b"0")) for row in TABLE.splitlines()
    )
    with served(tmp_path) as client:
        table = b"task,system,instance,score\n" + right.partition(b"\n")[2]
        if verb.name == "frontier":  # which holds scores against a column of costs
            table = b"\n".join(row + (b",2" if at else b",cost") for at, row in enumerate(table.splitlines()))
            given["frontier"] = {"cost": "cost"}
        if verb.name in {"subset", "predict"}:  # which take more systems
            table += b"\n".join([b"", *(row.replace(b",s0,", b",s4,") for row in table.splitlines() if b",s0," in row)])
        upload = send(client, "scores.csv", table)
        beside = []
        if verb.name == "predict":  # which is about chosen items
            (tmp_path / "scores.csv").write_bytes(table)
            podium.subset(tmp_path / "scores.csv", items=5).save(tmp_path / "items.csv")
            beside = [send(client, "items.csv", (tmp_path / "items.csv").read_bytes())]
            given["predict"] = {"subset": beside[0]}
        if verb.name == "history":  # which has more than one step
            dates = b"system,date\n" + b"".join(b"s%d,2026-0%d-01\n" % (k, k // 2 + 1) for k in range(4))
            beside = [send(client, "released.csv", dates)]
            given["history"] = {"dates": beside[0]}
        job = ended(client, ask(client, verb.name, upload, *beside, **given.get(verb.name, {})))
        assert (job["state"], job["error"]) == ("done", "")
        view = client.get(f"/api/jobs/{job['number']}/view").json()
        assert view["title"]
        assert all(len(row) == len(table["head"]) for table in view["tables"] for row in table["rows"])
        assert len(client.get(f"/api/jobs/{job['number']}/rows").text.splitlines()) > 1


def test_several_uploads_are_the_steps_of_a_history(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        uploads = [send(client, name, TABLE + more) for name, more in (("may.csv", b""), ("june.csv", b"t3,s0,0,1\n"))]
        job = ended(client, ask(client, "history", *uploads, method="mean"))
        assert (job["state"], job["error"]) == ("done", "")
        found = client.get(f"/api/jobs/{job['number']}/answer").json()
        assert [(step["step"], step["tasks_added"]) for step in found["steps"]] == [("may", []), ("june", ["t3"])]


def test_an_error_is_that_of_the_command_without_folders_of_the_server(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        upload = send(client, "../a folder/bad.csv", TABLE.replace(b",3\n", b",three\n", 1))
        job = ended(client, ask(client, "rank", upload))
        assert job["state"] == "failed"
        assert job["error"].startswith("bad.csv")
        assert "three" in job["error"]
        assert str(tmp_path) not in job["error"]
        missing = ask(client, "rank", upload, task_column="nothing")
        assert "nothing" in ended(client, missing)["error"]


def test_a_page_is_made_and_shown(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        job = ended(client, ask(client, "page", send(client), title="</script><b>x", replicates=40))
        assert job["state"] == "done"
        kept = client.get(f"/api/jobs/{job['number']}/answer")
        assert kept.headers["content-disposition"].startswith("attachment")
        shown = client.get(f"/boards/{job['number']}").text
        assert 'id="podium-data"' in shown
        assert "<b>x" not in shown
        assert shown.count("<script") == 3


@pytest.mark.parametrize(("task", "state"), [("t[01]", "done"), ("x", "failed")])
def test_groups_of_tasks_are_a_table_that_is_sent(task: str, state: str, tmp_path: Path) -> None:
    with served(tmp_path) as client:
        scores, groups = send(client), send(client, "groups.csv", f"task,group\n{task},first\n".encode())
        asked = {"uploads": [scores, groups], "options": {"groups": groups, "replicates": 40}}
        job = ended(client, client.post("/api/verbs/page", json=asked).json())
        assert job["state"] == state
        assert ("groups name no task of this table: 'x' is none" in (job["error"] or "")) == (state == "failed")


def test_groups_without_scores_are_told_where_they_belong(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        job = ended(client, ask(client, "page", send(client, "groups.csv", b"task,group\nt0,first\nt1,first\n")))
        assert (job["state"], "Ask, page, groups" in job["error"]) == ("failed", True)


def test_a_job_can_be_cancelled_and_others_wait_for_it(tmp_path: Path) -> None:
    with served(tmp_path, jobs=1, waiting=1) as client:
        upload = send(client)
        first = ask(client, "rank", upload, **LONG)
        second = ask(client, "rank", upload, method="mean")
        full = client.post("/api/verbs/rank", json={"uploads": [upload], "options": {"seed": 9}})
        assert (full.status_code, full.headers["retry-after"]) == (429, "5")
        until(client, first, lambda now: now["total"] is not None)
        assert client.get(f"/api/jobs/{second['number']}").json()["state"] == "waiting"
        cancelled = client.delete(f"/api/jobs/{first['number']}").json()
        assert cancelled["state"] == "cancelled"
        assert ended(client, second)["state"] == "done"
        assert client.delete(f"/api/jobs/{second['number']}").json()["state"] == "done"
        third = ask(client, "rank", upload, **{**LONG, "seed": 1})
        until(client, third, lambda now: now["total"] is not None)
        assert client.delete(f"/api/uploads/{upload}").status_code == 204
        assert client.get("/api/jobs").json() == []
        assert _jobs_left() == []


def test_a_job_that_is_killed_or_takes_too_long_says_so_and_may_be_asked_again(tmp_path: Path) -> None:
    with served(tmp_path, job_seconds=2.0, jobs=1) as client:
        upload = send(client)
        job = ended(client, ask(client, "rank", upload, **LONG))
        assert (job["state"], job["error"]) == ("failed", "it took longer than 2 seconds, which is the limit here")
    with served(tmp_path) as client:
        again = ask(client, "rank", upload, **LONG)
        until(client, again, lambda now: now["total"] is not None)
        (process,) = _jobs_left()
        os.kill(process, signal.SIGKILL)
        assert "ended by the system" in ended(client, again)["error"]


def test_a_server_that_ends_ends_its_jobs(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        job = ask(client, "rank", send(client), **LONG)
        until(client, job, lambda now: now["total"] is not None)
    assert _jobs_left() == []
    with served(tmp_path) as client:
        assert client.get(f"/api/jobs/{job['number']}").json()["state"] == "interrupted"


def test_a_bomb_stays_in_its_memory(tmp_path: Path) -> None:
    bomb = gzip.compress(TABLE + b"t0,s0,900," + b"1" * 2**29 + b"\n", compresslevel=1)
    with served(tmp_path, job_bytes=LEAST_JOB_BYTES) as client:
        job = ended(client, ask(client, "rank", send(client, "scores.csv.gz", bomb)))
        assert job["state"] == "failed"
        assert "not enough memory" in job["error"]


def _jobs_left() -> list[int]:
    """Processes of jobs of this test that run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"podium.cli.entry" in words and b"--replicates=10000000" in words and _parent(path) == os.getpid():
            found.append(int(path.parent.name))
    return found


def _parent(path: Path) -> int:
    return int((path.parent / "stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize(("size", "status"), [(len(TABLE), 201), (len(TABLE) - 1, 413)])
def test_uploads_are_as_large_as_they_may_be(tmp_path: Path, size: int, status: int) -> None:
    def pieces() -> Any:
        for first in range(0, len(TABLE), 64):
            yield TABLE[first : first + 64]

    for limits in ({"upload_bytes": size}, {"folder_bytes": size}):
        folder = tmp_path / next(iter(limits))
        with served(folder, **limits) as client:
            answer = client.post("/api/uploads", params={"name": "a.csv"}, content=pieces())
            assert answer.status_code == status
            assert len(client.get("/api/uploads").json()) == (status == 201)
        assert not list(folder.glob("uploads/partial-*"))


@pytest.mark.parametrize(("size", "status"), [(4096, 422), (4097, 413)])
def test_other_requests_are_as_large_as_they_may_be(tmp_path: Path, size: int, status: int) -> None:
    body = b'{"uploads": [], "options": {}}'.ljust(size)
    with served(tmp_path, body_bytes=4096) as client:
        answer = client.post("/api/verbs/rank", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == status


def test_uploads_at_the_same_time_share_the_room(tmp_path: Path) -> None:
    async def slowly(sign: bytes) -> AsyncIterator[bytes]:
        for _ in range(60):
            await asyncio.sleep(0)
            yield sign * 100

    async def once(content: bytes) -> AsyncIterator[bytes]:
        yield content[:4000]

    async def both() -> list[Upload | BaseException]:
        return await asyncio.gather(
            *(storage.receive("a.csv", slowly(sign)) for sign in (b"a", b"b")), return_exceptions=True
        )

    storage = Storage(Settings(tmp_path, folder_bytes=11_000))
    first = asyncio.run(both())
    assert sorted(type(one).__name__ for one in first) == [TooLargeError.__name__, Upload.__name__]
    assert [one.size for one in storage.uploads()] == [6000]
    (kept,) = tmp_path.glob("uploads/*/content")
    for _ in range(2):  # what was refused, or deleted, takes no room
        with pytest.raises(TooLargeError):
            asyncio.run(storage.receive("b.csv", slowly(b"c")))
        assert asyncio.run(storage.receive("small.csv", once(kept.read_bytes()))).size == 4000
        storage.forget(next(one.number for one in storage.uploads() if one.size == 4000))


def test_what_is_being_deleted_is_not_asked_about(tmp_path: Path) -> None:
    rank = next(verb for verb in VERBS if verb.name == "rank")

    async def pieces() -> AsyncIterator[bytes]:
        yield TABLE

    async def race() -> None:
        settings = Settings(tmp_path)
        storage = Storage(settings)
        runner = Runner(settings, storage)
        upload = (await storage.receive("scores.csv", pieces())).number
        job = runner.ask(Question.of(rank, [upload], LONG))
        while runner.job(job.number).total is None:  # noqa: ASYNC110  # a process says so, not an event
            await asyncio.sleep(0.05)
        leaving = asyncio.create_task(runner.forget(upload))
        await asyncio.sleep(0)
        assert not leaving.done()
        with pytest.raises(LabelError, match="is being deleted; send it again"):
            runner.ask(Question.of(rank, [upload], {"method": "mean"}))
        again = asyncio.create_task(storage.receive("again.csv", pieces()))
        await leaving
        assert runner.jobs() == []
        assert list((tmp_path / "jobs").iterdir()) == []
        assert (await again).number == upload, "what is sent meanwhile is kept"
        assert [one.name for one in storage.uploads()] == ["again.csv"]
        await runner.forget(upload)
        with pytest.raises(LabelError, match="there is no upload"):
            runner.ask(Question.of(rank, [upload], {"method": "mean"}))

    asyncio.run(race())


def test_every_error_has_one_shape(tmp_path: Path) -> None:
    nobody = "0" * 16
    with served(tmp_path) as client:
        upload = send(client)
        for method, path, sent, status in (
            ("GET", "/nothing", None, 404),
            ("PUT", "/api/uploads", None, 405),
            ("POST", "/api/uploads", None, 422),
            ("POST", "/api/uploads?name=a.csv", None, 422),
            ("DELETE", f"/api/uploads/{nobody}", None, 404),
            ("DELETE", "/api/uploads/..%2f..%2fetc", None, 404),
            ("GET", f"/api/jobs/{nobody}", None, 404),
            ("GET", f"/api/jobs/{nobody}/answer", None, 404),
            ("GET", "/api/jobs/ABC", None, 422),
            ("GET", f"/boards/{nobody}", None, 404),
            ("POST", "/api/verbs/rnak", {"uploads": [upload]}, 404),
            ("POST", "/api/verbs/rank", {"uploads": [nobody]}, 404),
            ("POST", "/api/verbs/rank", {"uploads": []}, 422),
            ("POST", "/api/verbs/rank", {"uploads": [upload], "options": {"plot": "x.svg"}}, 422),
            ("POST", "/api/verbs/rank", {"uploads": [upload], "more": 1}, 422),
            ("POST", "/api/verbs/rank", {"uploads": [upload], "options": {"seed": {"a": 1}}}, 422),
            ("POST", "/api/verbs/serve", {"uploads": [upload]}, 404),
        ):
            answer = client.request(method, path, json=sent)
            assert answer.status_code == status, path
            error = answer.json()["error"]
            assert error["status"] == status
            assert error["message"]
        assert set(client.request("PATCH", "/api/uploads").headers["allow"].split(", ")) - {"HEAD"} == {"GET", "POST"}


def test_people_get_a_page_where_there_is_nothing_and_programs_json(tmp_path: Path) -> None:
    by_hand = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    with served(tmp_path) as client:
        for path, status in (
            (f"/boards/{'0' * 16}", 404),
            (f"/answers/{'0' * 16}", 404),
            ("/boards/<b>", 422),
            ("/answers/xyz", 422),
            ("/nothing", 404),
        ):
            seen = client.get(path, headers=by_hand)
            assert seen.status_code == status
            assert seen.headers["content-type"].startswith("text/html")
            assert "<h1>There is nothing here.</h1>" in seen.text
            assert '<a href="/">' in seen.text
            assert client.get(path).json()["error"]["status"] == status
        assert client.get("/api/nothing", headers=by_hand).json()["error"]["status"] == 404


def test_a_database_that_may_read_other_files_is_refused(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("CREATE VIEW scores AS SELECT * FROM read_csv('/etc/passwd')")
    content = (tmp_path / "a.duckdb").read_bytes()
    with served(tmp_path / "kept") as client:
        for pieces in (content, iter([content[:10], content[10:]])):
            answer = client.post("/api/uploads", params={"name": "a.csv"}, content=pieces)
            assert answer.status_code == 422
            assert "Parquet" in answer.json()["error"]["message"]


def test_what_may_be_asked_is_listed(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        verbs = client.get("/api/verbs").json()
        assert verbs["rank"]["options"]["properties"]["method"]["enum"][:2] == ["borda", "mean"]
        assert "difficulty failures" in verbs
        assert "/api/verbs/{verb}" in client.get("/api/openapi.json").json()["paths"]
        assert client.get("/api/limits").json()["jobs"] == 2


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="choose another --folder"):
        Storage(Settings(tmp_path / "file"))


@pytest.mark.parametrize("limit", ["upload_bytes", "folder_bytes", "body_bytes", "job_seconds", "job_bytes", "jobs"])
def test_limits_are_sensible(tmp_path: Path, limit: str) -> None:
    limits: dict[str, Any] = {limit: 0}
    with pytest.raises(InputError, match=r"must be more than 0|needs at least 512 MB"):
        replace(Settings(tmp_path), **limits)


def test_a_file_that_looks_like_a_database_makes_nobody_ask_the_network(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE scores (system, a, b)")
    connection.close()
    with served(tmp_path / "kept") as client:
        upload = send(client, "a.duckdb", (tmp_path / "a.db").read_bytes())
        for options in ({}, {"input_format": "duckdb"}):
            error = ended(client, ask(client, "rank", upload, **options))["error"]
            assert error.startswith("a.duckdb cannot be opened as a DuckDB database: it is none")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r'{"tasks": ["\ud800"]}', "a sign that cannot be typed"),
        (r'{"title": "a\u0000b"}', "a sign that cannot be typed"),
        ('{"confidence": NaN}', "finite"),
        ('{"confidence": 1e999}', "finite"),
        ('{"tasks": ["a", "--help"]}', "do not begin with a dash"),
        *(
            (f'{{"seed": {value}}}', "option 'seed' takes true or false, a number, a text, or a list of texts")
            for value in ('{"a": 1}', "[1, 2]", "null")
        ),
    ],
)
def test_what_no_process_could_be_told_is_refused_and_spoils_no_list(tmp_path: Path, text: str, said: str) -> None:
    with served(tmp_path) as client:
        sent = f'{{"uploads": ["{send(client)}"], "options": {text}}}'
        answer = client.post("/api/verbs/page", content=sent, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422
        assert said in answer.json()["error"]["message"]
        assert client.get("/api/jobs").json() == []


@pytest.mark.parametrize("name", ["answer.x.html", "answer.csv.gz", "answer.html", "ANSWER.json", "question.json.gz"])
def test_no_upload_passes_for_an_answer(tmp_path: Path, name: str) -> None:
    with served(tmp_path) as client:
        upload = send(client, name, b"not a table")
        job = ask(client, "rank", upload)
        assert client.get(f"/api/jobs/{job['number']}/answer").status_code == 404
        assert ended(client, job)["state"] == "failed"
        assert client.get(f"/api/jobs/{job['number']}/answer").status_code == 404
        assert client.get(f"/boards/{job['number']}").status_code == 404


def test_names_may_be_long_and_alike_and_what_is_sent_twice_is_kept_once(tmp_path: Path) -> None:
    with served(tmp_path) as client:
        first = send(client, "a.json")
        failed = ended(client, ask(client, "info", first))
        assert (failed["state"], send(client, "b.csv")) == ("failed", first)
        assert [one["name"] for one in client.get("/api/uploads").json()] == ["b.csv"]
        renamed = ended(client, ask(client, "info", first))
        assert (renamed["state"], renamed["number"] == failed["number"]) == ("done", False)
        sent = [("a.csv", b"A"), ("3-a.csv", b"B"), ("a.csv", b"C"), ("\u6f22" * 120 + ".csv", b"D")]
        uploads = [send(client, name, TABLE.replace(b"s0", system)) for name, system in sent]
        asked = client.post("/api/verbs/info", json={"uploads": uploads, "options": {}})
        assert asked.status_code == 202
        assert ended(client, asked.json())["state"] == "done"


def test_a_folder_that_is_gone_is_an_error_and_no_bug(tmp_path: Path) -> None:
    with served(tmp_path / "kept") as client:
        upload = send(client)
        shutil.rmtree(tmp_path / "kept" / "jobs")
        asked = client.post("/api/verbs/rank", json={"uploads": [upload], "options": {}})
        listed = client.get("/api/jobs")
        shutil.rmtree(tmp_path / "kept" / "uploads")
        for answer in (asked, listed, client.post("/api/uploads", params={"name": "b.csv"}, content=TABLE)):
            assert answer.status_code == 507
            assert "No such file" in answer.json()["error"]["message"]


def test_what_a_killed_server_was_receiving_is_deleted(tmp_path: Path) -> None:
    partial = tmp_path / "uploads" / "partial-killed"
    partial.mkdir(parents=True)
    first = Storage(Settings(tmp_path))
    with first.lock():
        assert not partial.exists()
        partial.mkdir()
        with pytest.raises(OutputError, match="another server has the folder"):
            Storage(Settings(tmp_path)).lock()
        assert partial.exists(), "what a living server receives stays"


def test_a_request_that_stops_coming_ends_and_connections_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.server.guard.READ_SECONDS", 0.5)
    monkeypatch.setattr("podium.server.app.HEAD_SECONDS", 0.5)
    monkeypatch.setattr("podium.server.app.CONNECTIONS", 3)
    settings = Settings(tmp_path, port=0)
    listener = bound(settings)
    port = listener.getsockname()[1]
    ready = Event()
    server = Listening(make_app(settings, VERBS), ready.set)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(PATIENCE)
    host = f"Host: 127.0.0.1:{port}\r\n".encode()

    def answer(*pieces: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(0.2)
            return b"".join(iter(lambda: client.recv(2**16), b""))

    try:
        body = b"POST /api/uploads?name=a.csv HTTP/1.1\r\n" + host + b"Content-Length: 100\r\n\r\nhalf"
        assert b"408" in answer(body).partition(b"\r\n")[0]
        assert answer(b"GET / HT", *(b"T" for _ in range(2))) == b""  # however often something comes
        head = answer(b"HEAD /assets/page.css HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert head.endswith(b"\r\n\r\n")
        assert int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]) > 1000
        whole = b"GET /api/limits HTTP/1.1\r\n" + host + b"Connection: close\r\n\r\n"
        silent = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(3)]
        with suppress(ConnectionError):
            assert answer(whole) == b"", "there are too many"
        for one in silent:
            with one:
                assert one.recv(1) == b""
        assert answer(whole).startswith(b"HTTP/1.1 200")
    finally:
        server.should_exit = True
        thread.join()


def test_a_job_does_not_outlive_a_server_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_bytes(TABLE)
    command = [sys.executable, "-m", "podium.cli.entry", str(2**32), str(2**32), "rank", "scores.csv", "--intervals"]
    command += ["--method=kemeny", "--replicates=10000000", "--output=answer.json"]
    # how a server starts it; when it ends, its end of the pipe is closed
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        assert process.stdin is not None
        time.sleep(3.0)
        assert process.poll() is None
        process.stdin.close()
        assert process.wait(30) == -signal.SIGKILL
