import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; fewest for `make check`; or, before a release, many, others each time.
settings.register_profile("quick", deadline=None, max_examples=8, derandomize=True)
settings.register_profile("ci", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=200, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data are not beside the project")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[None]:
    """Keep one Chromium open for all programs of web/browser that tests run; each has a window of its own."""
    programs = Path(__file__).parents[1] / "web" / "browser"
    if not (programs.parent / "node_modules").exists() or shutil.which("chromium") is None:
        pytest.skip("needs Chromium, and Node with the packages of web/ (make web)")
    command = ["node", str(programs / "keep-open.js")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as kept:
        assert kept.stdin is not None
        assert kept.stdout is not None
        where = kept.stdout.readline().strip()
        assert where, "Chromium did not start"
        os.environ["CHROMIUM"] = where
        yield
        del os.environ["CHROMIUM"]
        kept.stdin.close()
