"""How errors name an extra: by a command that works, wherever podium came from."""

import importlib.metadata
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from podium.base.errors import install_command

GIT = {"url": "https://example.org/podium", "vcs_info": {"vcs": "git", "commit_id": "abc"}}


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'podium[plot]'"),
        ({"url": "file:///a%20b/podium", "dir_info": {}}, "pip install '/a b/podium[plot]'"),
        ({"url": "file:///c/podium-1.whl", "archive_info": {}}, "pip install '/c/podium-1.whl[plot]'"),
        ({"url": Path.cwd().as_uri(), "dir_info": {"editable": True}}, "pip install -e '.[plot]'"),
        (GIT, "pip install 'podium[plot] @ git+https://example.org/podium'"),
    ],
)
def test_an_extra_is_added_where_podium_came_from(
    origin: dict[str, Any] | None, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = None if origin is None else json.dumps(origin)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text))
    assert install_command("plot") == command
