"""An assistant asks the same questions over standard input and output: a real client of the model context protocol."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import podium
from support.entry import wide

mcp: Any = pytest.importorskip("mcp", reason="the package mcp is not installed: pip install 'podium[mcp]'")


async def asked(folder: Path, calls: list[tuple[str, dict[str, Any]]]) -> tuple[dict[str, Any], list[Any]]:
    """Start the server, list its tools, and call some."""
    from mcp.client.stdio import StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "podium", "serve", "--mcp"], env=dict(os.environ), cwd=folder
    )
    async with mcp.Client(server) as client:
        listed = await client.list_tools()
        answers = [await client.call_tool(name, given) for name, given in calls]
    return {tool.name: tool.input_schema for tool in listed.tools}, answers


def test_an_assistant_is_answered_as_the_command_line_answers(tmp_path: Path) -> None:
    wide(tmp_path)
    before = set(tmp_path.iterdir())
    calls: list[tuple[str, dict[str, Any]]] = [
        ("rank", {"sources": ["scores.csv"], "confidence": 0.9}),
        ("compare", {"sources": ["scores.csv"], "control": "A", "all": True}),
        ("rank", {"sources": ["nowhere.csv"]}),
        ("rank", {"sources": ["--output=x.csv"]}),
        ("rank", {"sources": ["scores.csv"], "output": "x.csv"}),
        ("rank", {"sources": []}),
        ("page", {"sources": ["scores.csv"]}),
    ]
    tools, (ranked, compared, *refused) = asyncio.run(asked(tmp_path, calls))
    assert {"rank", "compare", "info", "difficulty_irt"} <= tools.keys()
    assert tools["rank"]["required"] == ["sources"]
    result = podium.rank(tmp_path / "scores.csv", confidence_level=0.9)
    assert ranked.structured_content == json.loads(result.render("json"))
    told = ranked.content[0].text
    assert told.startswith(f"{result.title}\n- {result.view().verdict[0]}\n")
    assert compared.structured_content["kind"] == "task-comparison"
    messages = ["there is no file 'nowhere.csv'", "begins with a dash", "no option 'output'", "at least one", "no tool"]
    for answer, message in zip(refused, messages, strict=True):
        assert answer.is_error
        assert message in answer.content[0].text
    assert set(tmp_path.iterdir()) == before, "nothing is written"
