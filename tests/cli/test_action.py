"""The action of GitHub: its steps run here, as a runner would run them, against a comments endpoint of this test."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from podium.datasets import write_examples
from podium.report.formats import LINES, MARKER
from support.pages import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]

BASH = shutil.which("bash") or "bash"

BOT = {"login": "github-actions[bot]", "type": "Bot"}
SOMEBODY = {"login": "somebody", "type": "User"}


class GitHub(HTTPServer):
    """Comments of one pull request, and who asks."""

    comments: list[dict[str, Any]]
    refuse: int = 0
    user: dict[str, str] | None = None

    def add(self, body: str, user: dict[str, str] = SOMEBODY) -> None:
        self.comments.append({"id": 100 + len(self.comments), "body": body, "user": user})

    @property
    def bodies(self) -> list[str]:
        return [comment["body"] for comment in self.comments]


class Answers(BaseHTTPRequestHandler):
    """The four requests that a comment takes."""

    server: GitHub

    def do_GET(self) -> None:
        path = urlsplit(self.path)
        if path.path == "/user":
            self.answer(self.server.user, 200 if self.server.user else 403)
            return
        assert path.path == "/repos/org/project/issues/7/comments"
        asked = {name: int(values[0]) for name, values in parse_qs(path.query).items()}
        start = (asked["page"] - 1) * asked["per_page"]
        self.answer(self.server.comments[start : start + asked["per_page"]])

    def do_POST(self) -> None:
        assert self.path == "/repos/org/project/issues/7/comments"
        if not self.server.refuse:
            self.server.add(self.body(), self.server.user or BOT)
        self.answer({}, self.server.refuse or 201)

    def do_PATCH(self) -> None:
        number = int(self.path.removeprefix("/repos/org/project/issues/comments/"))
        (comment,) = [one for one in self.server.comments if one["id"] == number]
        comment["body"] = self.body()
        self.answer(comment)

    def body(self) -> str:
        content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return str(content["body"])

    def answer(self, content: Any, code: int = 200) -> None:
        assert self.headers["Authorization"] == "Bearer secret"
        self.send_response(code)
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub(("127.0.0.1", 0), Answers)
    server.comments = []
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_examples(folder)
    return folder


class Ended:
    """What a run of the action left."""

    def __init__(self, code: int, outputs: dict[str, str], summary: str, log: str) -> None:
        self.code, self.outputs, self.summary, self.log = code, outputs, summary, log


def told(text: str, inputs: dict[str, str], outputs: dict[str, dict[str, str]]) -> str:
    """An expression of the action with its value."""
    known = {f"inputs.{name}": value for name, value in inputs.items()}
    known |= {f"steps.{step}.outputs.{name}": one for step, values in outputs.items() for name, one in values.items()}
    known["github.token"] = "secret"
    return re.sub(r"\$\{\{ (.+?) \}\}", lambda found: known[found[1]], text)


def act(
    files: Path, folder: Path, github: GitHub, *, event: Any = None, path: Path | None = None, **given: Any
) -> Ended:
    """Run the steps of the action in order, in a folder of files, until one fails."""
    inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    inputs |= {"install": "none", "margin": "0.01", **{name.replace("_", "-"): value for name, value in given.items()}}
    inputs = {name: told(value, {}, {}) for name, value in inputs.items()}
    event = {"pull_request": {"number": 7}} if event is None else event
    (folder / "event.json").write_text(json.dumps(event))
    summary, log, code = folder / "summary.md", "", 0
    outputs: dict[str, dict[str, str]] = {}
    for number, step in enumerate(STEPS):
        if "run" not in step or not holds(step.get("if"), inputs):
            continue
        script, output = folder / f"{number}.sh", folder / f"{number}.txt"
        script.write_text(step["run"])
        output.touch()
        done = subprocess.run(
            [BASH, "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=files,
            env=os.environ
            | {
                "PATH": os.pathsep.join(
                    filter(None, [str(path or ""), str(Path(sys.executable).parent), os.environ["PATH"]])
                ),
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_API_URL": f"http://127.0.0.1:{github.server_port}",
                "GITHUB_EVENT_PATH": str(folder / "event.json"),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_REPOSITORY": "org/project",
                "GITHUB_STEP_SUMMARY": str(summary),
                "RUNNER_TEMP": str(folder),
            }
            | {name: told(value, inputs, outputs) for name, value in step.get("env", {}).items()},
            capture_output=True,
            text=True,
            check=False,
        )
        outputs[step.get("id", str(number))] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        log, code = log + done.stdout + done.stderr, done.returncode
        if code:
            break
    values = {name: told(one["value"], {}, outputs) for name, one in ACTION["outputs"].items() if "gate" in outputs}
    return Ended(code, values, summary.read_text() if summary.exists() else "", log)


def holds(condition: str | None, inputs: dict[str, str]) -> bool:
    """Whether a condition of the action holds: `inputs.NAME == 'VALUE'` or `!=`."""
    if condition is None:
        return True
    name, sign, value = condition.removeprefix("inputs.").split(" ")
    return (inputs[name] == value.strip("'")) == (sign == "==")


def test_nothing_that_others_write_is_part_of_the_text_of_a_shell() -> None:
    assert [step["run"] for step in STEPS if "${{" in step.get("run", "")] == []
    assert all(step["shell"] == "bash" for step in STEPS if "run" in step)
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(STEPS)))
    assert used == set(ACTION["inputs"])
    assert runpy.run_path(str(ROOT / "ci" / "gate.py"))["MARKER"] == MARKER


def test_the_first_run_comments_and_a_later_one_replaces_that(files: Path, tmp_path: Path, github: GitHub) -> None:
    for number in range(150):
        github.add(f"comment {number}")
    github.add(f"{MARKER}\nnot of podium")
    others = github.bodies
    first = act(files, tmp_path, github, before="main/", after="pr/")
    assert (first.code, first.outputs) == (0, {"verdict": "pass", "exit-code": "0"})
    assert github.bodies == [*others, first.summary]
    assert first.summary.startswith(f"{MARKER}\n## PASS: after against before\n")
    assert "PASS: after against before" in first.log
    (tmp_path / "summary.md").unlink()
    second = act(files, tmp_path, github, before="main/", after="quantized/")
    assert (second.code, second.outputs) == (1, {"verdict": "fail", "exit-code": "1"})
    assert github.bodies == [*others, second.summary]


def test_gates_with_names_have_a_comment_each(files: Path, tmp_path: Path, github: GitHub) -> None:
    github.add("<!-- podium: safety -->\nof an earlier commit", BOT)
    act(files, tmp_path, github, before="main/", after="pr/", name="quality -->")
    act(files, tmp_path, github, before="main/", after="quantized/", name="safety")
    starts = [body.splitlines()[:2] for body in github.bodies]
    assert starts == [
        ["<!-- podium: safety -->", "## safety: FAIL: after against before"],
        ["<!-- podium: quality -->", "## quality: PASS: after against before"],
    ]


def test_the_owner_of_a_token_is_asked_for(files: Path, tmp_path: Path, github: GitHub) -> None:
    github.user = {"login": "ci", "type": "User"}
    github.add(f"{MARKER}\nof another bot", BOT)
    github.add(f"{MARKER}\nof an earlier commit", github.user)
    act(files, tmp_path, github, before="main/", after="quantized/")
    assert [body.splitlines()[1] for body in github.bodies] == ["of another bot", "## FAIL: after against before"]


@pytest.mark.parametrize(("unsure", "code"), [("", 3), ("pass", 0)])
def test_cannot_tell_counts_as_it_is_told(files: Path, tmp_path: Path, github: GitHub, unsure: str, code: int) -> None:
    done = act(files, tmp_path, github, before="main/", after="pr/", margin="0", unsure=unsure, comment="false")
    assert (done.code, done.outputs) == (code, {"verdict": "cannot tell", "exit-code": str(code)})
    assert "would settle it" in done.summary
    assert github.comments == []


def test_margins_stand_on_lines_and_options_are_split_as_in_a_shell(
    files: Path, tmp_path: Path, github: GitHub
) -> None:
    margins = "0.05\npi*=0.2\n"
    done = act(
        files, tmp_path, github, before="main/", after="pr/", margin=margins, options="--tasks-too --must '*=0.9'"
    )
    assert (done.code, done.outputs["verdict"]) == (1, "fail")
    assert "<code>piqa</code> | fail" in done.summary


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"after": "nowhere/"}, "nowhere"),
        ({"after": "pr/", "options": "--must '"}, "No closing quotation"),
        ({"after": "pr/", "options": "--output elsewhere.md --colour"}, "No such option"),
        ({"after": "$(touch a); `touch b`", "margin": "0.01; touch c"}, "touch"),
    ],
)
def test_bad_input_replaces_an_old_verdict(
    files: Path, tmp_path: Path, github: GitHub, given: dict[str, Any], said: str
) -> None:
    github.add(f"{MARKER}\n## PASS: of an earlier commit", BOT)
    before = sorted(files.iterdir())
    done = act(files, tmp_path, github, **{"before": "main/", **given})
    assert (done.code, done.outputs) == (2, {"verdict": "error", "exit-code": "2"})
    (body,) = github.bodies
    assert body == done.summary
    assert body.startswith(f"{MARKER}\n## ERROR: there is no verdict\n\n    error: ")
    assert said in body
    assert said in done.log
    assert sorted(files.iterdir()) == before


def test_a_run_without_a_pull_request_or_the_right_to_comment_still_has_its_verdict(
    files: Path, tmp_path: Path, github: GitHub
) -> None:
    done = act(files, tmp_path, github, before="main/", after="pr/", event={"ref": "refs/heads/main"})
    assert (done.code, github.comments) == (0, [])
    assert "no pull request" in done.log
    github.refuse = 403
    done = act(files, tmp_path, github, before="main/", after="quantized/")
    assert (done.code, github.comments) == (1, [])
    assert "::warning::podium cannot comment (HTTP 403)" in done.log


def test_names_of_others_do_nothing(files: Path, tmp_path: Path, github: GitHub) -> None:
    task = f"{MARKER} @all [x](http://e.com) <b>|::add-mask::x##[add-mask]y\nx"
    rows = [
        json.dumps({"model": "@all", "task": task, "instance": f"::error::{k}", "score": k % 2}) for k in range(200)
    ]
    (files / "hostile.jsonl").write_text("\n".join(rows))
    (files / "other.jsonl").write_text("\n".join(rows).replace('"score": 1', '"score": 0', 99))
    done = act(files, tmp_path, github, before="hostile.jsonl", after="other.jsonl")
    assert (done.code, github.bodies) == (1, [done.summary])
    assert done.summary.count(MARKER) == done.summary.count("<!--") == 1
    assert done.summary.count("\n") <= LINES
    assert not re.search(r"@\w|<b>|\]\(|://", done.summary)
    inside = re.search(r"^::stop-commands::(\w{64})\n(.*)^::\1::$", done.log, re.MULTILINE | re.DOTALL)
    assert inside
    assert "::error" not in done.log.replace(inside[2], "")


def test_podium_is_installed_into_an_environment_of_its_own(files: Path, tmp_path: Path, github: GitHub) -> None:
    path, asked = tmp_path / "bin", tmp_path / "asked"
    path.mkdir()
    for name in ("python", "python3"):
        (path / name).write_text(
            f'#!{BASH}\necho "$@" >> "{asked}"\n'
            'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"\n'
            f'elif [ "$2" != pip ]; then exec "{sys.executable}" "$@"; fi\n'
        )
        (path / name).chmod(0o755)
    for install, wanted in (("", str(ROOT)), ("podium==0.1.0; x", "podium==0.1.0; x")):
        done = act(files, tmp_path, github, before="main/", after="pr/", path=path, install=install, comment="false")
        assert done.code == 0
        assert asked.read_text().splitlines() == [
            f"-m venv {tmp_path}/podium",
            f"-m pip install --quiet --disable-pip-version-check -- {wanted}",
            f"{ROOT}/ci/gate.py",
        ]
        asked.unlink()
        shutil.rmtree(tmp_path / "podium")
