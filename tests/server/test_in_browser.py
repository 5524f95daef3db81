"""The server as a user starts it, and its pages in a real Chromium: a table is sent, and its leaderboard shown."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

import podium
from podium.base.words import as_options
from podium.score.table import Scores
from support.browser import in_chromium
from support.served import TABLE

pytestmark = pytest.mark.whole

PODIUM = Path(sys.executable).with_name("podium")


@contextmanager
def serving(folder: Path, *words: str, **surroundings: str) -> Iterator[str]:
    """Serve as the command does; give the address."""
    # In the background of a script the signal of Ctrl-C is ignored, until the server takes it.
    typed = ["sh", "-c", 'trap "" INT; exec "$0" "$@"', str(PODIUM), "serve", "--port", "0", *words]
    typed += [] if "BROWSER" in surroundings else ["--no-browser"]
    known = {**os.environ, **surroundings}
    with subprocess.Popen(typed, cwd=folder, stderr=subprocess.PIPE, text=True, env=known) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.match(r"serving (http://127.0.0.1:\d+/); uploads and answers are kept in podium-served", said)
            assert found is not None, said
            yield found[1]
        finally:
            process.send_signal(signal.SIGINT)
            try:
                _, more = process.communicate(timeout=30)
            finally:
                process.kill()
            assert process.returncode in {0, 130}
            assert more == ""


needs_browser = pytest.mark.usefixtures("browser")


@needs_browser
def test_a_table_that_is_sent_becomes_a_page(tmp_path: Path) -> None:
    (tmp_path / "a table.csv").write_bytes(TABLE)
    (tmp_path / "gold.csv").write_text("instance,gold\n0,yes\n1,no\n")
    with serving(tmp_path) as address:
        sent = (("a table.csv", TABLE), ("bias.csv", b"instance,bias\n0,1\n1,2\n"))
        posted = [httpx.post(f"{address}api/uploads", params={"name": name}, content=content) for name, content in sent]
        uploads = [answer.json()["number"] for answer in posted]
        asked = {"uploads": uploads, "options": {"difficulty": uploads[1], "seed": 3}}
        assert httpx.post(f"{address}api/verbs/customize", json=asked).status_code == 202
        seen = in_chromium("send-table.js", address, tmp_path / "a table.csv", tmp_path / "gold.csv")
    ranking = podium.rank(tmp_path / "a table.csv", n_resamples=200)
    assert seen["errors"] == []
    assert seen["requests"] == [address.removesuffix("/")]
    assert seen["tables"] == ["a table.csv", "bias.csv"]
    assert seen["refused"].startswith("No page of its own: gold.csv: ")
    assert seen["listed"] == ["page a table.csv", "customize a table.csv difficulty bias.csv, seed 3"]
    assert seen["nothing"] == "There is nothing here."
    assert [row.partition(": ")[2].partition(",")[0] for row in seen["rows"]] == list(ranking.systems)


#: What is asked in the browser, with what is filled in; and what that is in Python.
QUESTIONS: list[tuple[str, dict[str, str | bool], Callable[[Scores], Any]]] = [
    (
        "rank",
        {"method": "mean", "seed": "3", "intervals": "true", "tasks": "!t1"},
        lambda scores: podium.rank(scores.select(tasks=["t0", "t2"]), "mean", rng=3),
    ),
    ("compare", {"control": "s0", "all": True}, lambda scores: podium.compare_all(scores, control="s0")),
    (
        "compare",
        {"control": "s0", "treatment": "s1"},
        lambda scores: podium.compare(scores, control="s0", treatment="s1"),
    ),
    ("info", {}, podium.info),
]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a browser shows of questions; and of the first one when the server has ended and started again."""
    folder = tmp_path_factory.mktemp("asked")
    (folder / "a table.csv").write_bytes(TABLE)
    questions = [{"verb": verb, "fields": fields} for verb, fields, _ in QUESTIONS]
    questions.append({"verb": "compare", "fields": {"control": "nobody", "treatment": "s1"}})
    (folder / "questions.json").write_text(json.dumps(questions))
    with serving(folder) as address:
        seen = in_chromium("ask-questions.js", address, folder / "a table.csv", folder / "questions.json")
    with serving(folder) as address:
        number = seen["answers"][0]["link"].rpartition("/")[2]
        seen["restarted"] = in_chromium("read-answer.js", f"{address}answers/{number}")
        seen["unknown"] = in_chromium("read-answer.js", f"{address}answers/{'0' * 16}")
    return {**seen, "file": folder / "a table.csv"}


@needs_browser
def test_answers_in_the_browser_are_those_of_python(asked: Any) -> None:
    assert asked["errors"] == []
    assert len(asked["requests"]) == 1
    scores = podium.read(asked["file"])
    for answer, (verb, _, in_python) in zip(asked["answers"], QUESTIONS, strict=False):
        result = in_python(scores)
        view = result.view()
        assert answer["error"] == []
        first = (view.verdict or (view.title,))[0]
        first = f"{view.about}: {first}" if view.about else first
        assert answer["sentence"].lower() == first.lower()
        assert answer["again"] == answer["sentence"], "a reload leads to the same"
        shown = [[list(table.head), *map(list, table.rows)] for table in view.tables]
        assert answer["tables"] == shown
        for note in (*view.notes, *view.explain):
            typed = as_options(note).lower()
            assert any(typed in line.lower() for line in answer["notes"]), note
        (csv_name, rows), (json_name, everything) = answer["files"]
        assert (csv_name, json_name) == (f"{verb}.csv", f"{verb}.json")
        assert rows == result.render("csv")
        assert json.loads(everything)["kind"] == result.schema


@needs_browser
def test_what_cannot_be_answered_says_why_and_can_be_asked_otherwise(asked: Any) -> None:
    refused = asked["answers"][-1]
    assert refused["sentence"] == "This could not be answered."
    assert "nobody" in refused["error"][0]
    assert refused["form"] == {"Question": "compare", "control": "nobody", "treatment": "s1"}
    assert asked["unknown"]["sentence"] == "There is nothing here."
    assert asked["unknown"]["home"] == "/"


@needs_browser
def test_a_link_to_an_answer_outlives_the_server(asked: Any) -> None:
    assert asked["restarted"]["sentence"] == asked["answers"][0]["sentence"]
    assert asked["restarted"]["tables"] == asked["answers"][0]["tables"]
    assert len(asked["listed"]) == len(QUESTIONS) + 2
    assert any("rank a table.csv intervals, method mean, seed 3, tasks !t1" in line for line in asked["listed"])


@needs_browser
def test_first_page_and_answers_fit_every_screen_and_axe_finds_nothing(asked: Any) -> None:
    assert len(asked["widths"]) == 16
    for seen in asked["widths"]:
        assert seen["violations"] == [], seen
        assert seen["wide"] <= seen["width"], seen
        assert seen["width"] > 700 or seen["small"] == 0, seen


@needs_browser
def test_a_question_is_cancelled_in_the_browser(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_bytes(TABLE)
    with serving(tmp_path, "scores.csv") as address:
        asked = {"method": "kemeny", "replicates": 10_000_000, "intervals": True}
        upload = httpx.get(f"{address}api/uploads").json()[0]["number"]
        job = httpx.post(f"{address}api/verbs/rank", json={"uploads": [upload], "options": asked}).json()
        seen = in_chromium("read-answer.js", f"{address}answers/{job['number']}", "cancel")
        assert seen["sentence"] == "This was cancelled."
        assert 0 < seen["progress"] < 1
        assert httpx.get(f"{address}api/jobs/{job['number']}").json()["state"] == "cancelled"


def test_what_is_named_is_served_and_errors_are_plain(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_bytes(TABLE)
    with serving(tmp_path, "scores.csv"):
        assert (tmp_path / "podium-served/uploads").exists()
        typed = [str(PODIUM), "serve", "--no-browser", "--port", "0"]
        second = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (second.returncode, second.stderr) == (
            2,
            "error: another server has the folder podium-served; choose another --folder\n",
        )
    for words, said in (
        (["nothing.csv"], "nothing.csv: No such file or directory"),
        (["--host", "10.1.2.3"], "others could reach 10.1.2.3, so clients must show a token; set PODIUM_TOKEN"),
        (["--port", "70000"], "cannot listen on 127.0.0.1, port 70000"),
        (["--folder", "scores.csv"], "scores.csv/uploads cannot be made"),
    ):
        typed = [str(PODIUM), "serve", "--no-browser", *words]
        done = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2, words
        assert said in done.stderr
        assert "Traceback" not in done.stderr


def test_the_token_stands_in_no_list_of_processes(tmp_path: Path) -> None:
    token, opened = "a-token-of-some-letters", tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o700)
    with serving(tmp_path, PODIUM_TOKEN=token, BROWSER=f"{browser} %s") as address:
        start = time.monotonic()
        while not opened.exists():
            assert time.monotonic() - start < 60
            time.sleep(0.05)
        link = opened.read_text()
        assert link.startswith(address)
        assert token not in link
        with httpx.Client(follow_redirects=True) as first:
            assert first.get(link).status_code == 200
            assert first.get(f"{address}api/uploads").json() == []
        with httpx.Client(follow_redirects=True) as second:
            assert second.get(link).status_code == 401
