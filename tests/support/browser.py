"""A real browser, where there is one: what a page becomes in Chromium, without a network."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from itertools import count
from pathlib import Path
from typing import Any

import pytest

__all__ = ["PROGRAMS", "in_chromium", "kept_open", "needs_chromium", "seen"]

#: Programs of Node that look at pages.
PROGRAMS = Path(__file__).parents[2] / "web" / "browser"

#: The process that runs them, while it is kept open.
_kept: list[subprocess.Popen[str]] = []
_numbers = count()

_CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")

needs_chromium = pytest.mark.skipif(_CHROMIUM is None, reason="needs Chromium to look at a page")

_PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"></head><body style="{style}">{body}
<pre id="answer"></pre>
<script>setTimeout(() => document.getElementById('answer').textContent = JSON.stringify((() => {{ {script} }})()), 300)
</script></body></html>"""


def seen(body: str, script: str, folder: Path, *, width: int = 1000, style: str = "") -> Any:
    """Open a page of a width in pixels, and return what a script returns there a moment later."""
    page = folder / "page.html"
    page.write_text(_PAGE.format(body=body, script=script, style=style), encoding="utf-8")
    done = subprocess.run(
        [
            str(_CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--proxy-server=127.0.0.1:9", f"--user-data-dir={folder / 'profile'}", f"--window-size={width},800",
            "--virtual-time-budget=1000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True,
        check=True,
        timeout=120,
    )  # fmt: skip
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout.decode("utf-8"), flags=re.DOTALL)
    assert found is not None
    return json.loads(unescape(found[1]))


@contextmanager
def kept_open() -> Iterator[None]:
    """Keep one Chromium open, and one Node, which runs programs in it one after the other."""
    command = ["node", str(PROGRAMS / "keep-open.js")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as kept:
        assert kept.stdin is not None
        assert kept.stdout is not None
        where = kept.stdout.readline().strip()
        assert where, "Chromium did not start"
        os.environ["CHROMIUM"] = where
        _kept.append(kept)
        yield
        _kept.clear()
        del os.environ["CHROMIUM"]
        kept.stdin.close()


def in_chromium(program: str, *words: str | Path, **variables: str) -> Any:
    """Return what a program of `web/browser` prints; it has a window of its own in the Chromium that is kept open."""
    (kept,) = _kept  # by the fixture `browser`
    assert kept.stdin is not None
    assert kept.stdout is not None
    number = next(_numbers)
    asked = {"number": number, "program": program, "words": [*map(str, words)], "variables": variables}
    print(json.dumps(asked), file=kept.stdin, flush=True)
    for line in kept.stdout:
        answer = json.loads(line)
        if answer["number"] == number:  # a test that was cut off leaves its answer to the next one
            assert "failed" not in answer, answer["failed"]
            return json.loads(answer["printed"])
    raise AssertionError("Chromium has ended")
