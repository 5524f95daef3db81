import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from support.browser import PROGRAMS, kept_open

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
def golden(shared: Path) -> dict[str, Any]:
    """Numbers of ranking that others computed, or printed."""
    content: dict[str, Any] = json.loads((shared / "data/golden/ranking.json").read_text())
    return content


@pytest.fixture(scope="session")
def browser() -> Iterator[None]:
    """Keep one Chromium open for `in_chromium`."""
    if not (PROGRAMS.parent / "node_modules").exists() or shutil.which("chromium") is None:
        pytest.skip("needs Chromium, and Node with the packages of web/ (make web)")
    with kept_open():
        yield
