"""Scripts of `reproduce` can be imported by name while its tests run, and not after."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="module")
def scripts() -> Iterator[None]:
    folder = str(Path(__file__).parents[2] / "reproduce")
    sys.path.insert(0, folder)
    yield
    sys.path.remove(folder)
