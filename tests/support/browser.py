"""A real browser, where there is one: what a page becomes in Chromium, without a network."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

__all__ = ["needs_chromium", "seen"]

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
