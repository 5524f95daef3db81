"""The same questions as tools of an assistant: the model context protocol (MCP) over standard input and output.

Each call runs a command in a process of its own, which reads what its user may read, and writes nothing but its answer.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import podium
from podium.base.errors import InputError, PodiumError, unknown
from podium.server.question import Question, Verb

if TYPE_CHECKING:
    from mcp.types import CallToolResult, Tool

#: What every tool that takes scores asks for.
_SOURCES = {
    "type": "array",
    "items": {"type": "string"},
    "minItems": 1,
    "description": "Files, folders, patterns, addresses or dataset:NAME with the scores; any as NAME=SOURCE.",
}

_INSTRUCTIONS = (
    "podium ranks and compares systems from evaluation scores, and says how sure that is. Begin with info or rank. "
    "Quote its sentences with their confidence; of systems that it does not separate none is better."
)

#: Rows of a table that are told, and letters of a whole answer; larger ones are told in words alone.
_ROWS, _LETTERS = 50, 100_000


def serve_tools(verbs: Sequence[Verb]) -> None:
    """Answer an assistant until it closes standard input."""
    asyncio.run(_serve({_name(verb): verb for verb in verbs if verb.answer == ".json"}))


def _name(verb: Verb) -> str:
    return verb.name.replace(" ", "_")


async def _serve(verbs: Mapping[str, Verb]) -> None:
    from mcp.server import Server  # noqa: PLC0415  # an extra
    from mcp.server.stdio import stdio_server  # noqa: PLC0415
    from mcp.types import ListToolsResult  # noqa: PLC0415

    async def listed(_: Any, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_tool(name, verb) for name, verb in verbs.items()])

    async def called(_: Any, asked: Any) -> "CallToolResult":
        try:
            if asked.name not in verbs:
                raise InputError(unknown("tool", asked.name, verbs))
            return await _answer(verbs[asked.name], dict(asked.arguments or {}))
        except PodiumError as error:
            return _said(str(error), is_error=True)

    server: Any = Server(
        "podium", version=podium.__version__, instructions=_INSTRUCTIONS, on_list_tools=listed, on_call_tool=called
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def _tool(name: str, verb: Verb) -> "Tool":
    from mcp.types import Tool, ToolAnnotations  # noqa: PLC0415  # an extra

    schema = verb.schema()
    if verb.takes_scores:
        schema["properties"] = {"sources": _SOURCES, **schema["properties"]}
        schema["required"] = ["sources", *schema["required"]]
    reads = ToolAnnotations(read_only_hint=True, idempotent_hint=True)
    return Tool(name=name, description=verb.meaning, input_schema=schema, annotations=reads)


async def _answer(verb: Verb, given: dict[str, Any]) -> "CallToolResult":
    """Run a command, and return its sentences and tables, and the whole answer as JSON unless that is large.

    Raises
    ------
    InputError
        What is asked makes no sense; what the command refuses is an answer.
    """
    sources = given.pop("sources", [])
    if not isinstance(sources, list) or not all(isinstance(one, str) and one[:1] not in {"", "-"} for one in sources):
        raise InputError("sources must be a list of paths, none of which begins with a dash")
    tables = [given[one.name] for one in verb.options if one.upload and isinstance(given.get(one.name), str)]
    files = {path: path for path in [*sources, *tables]}
    question = Question.of(verb, sources if verb.takes_scores else list(files), given)
    with tempfile.TemporaryDirectory() as folder:
        code, error = await _run(question.arguments(files, folder), folder)
        found = _found(Path(folder))
    if found is None:
        return _said(error.removeprefix("error: ") or f"the command ended with code {code}", is_error=True)
    text, content = _told(json.loads(found[0])), found[1]
    if len(content) > _LETTERS:
        return _said(f"{text}\nThe whole answer has {len(content):,} letters; podium {verb.name} -f json has it.")
    return _said(text, structured_content=json.loads(content))


def _found(folder: Path) -> tuple[str, str] | None:
    """Return what a command has left in a folder: how its answer looks, and the answer; None if there is none."""
    view, answer = folder / "view.json", folder / "answer.json"
    return (view.read_text("utf-8"), answer.read_text("utf-8")) if answer.is_file() else None


async def _run(words: Sequence[str], folder: str) -> tuple[int | None, str]:
    """Run podium; return its exit code, and what it said on standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "podium", *words),
        env={**os.environ, "PODIUM_SHOWN": folder},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    finally:
        if process.returncode is None:  # the assistant wants it no more
            process.kill()
    return process.returncode, said.decode("utf-8", "replace").strip()


def _told(view: Mapping[str, Any]) -> str:
    """Write title, sentences, the first rows of all tables, and notes."""
    lines = [view["title"], *(f"- {one}" for one in view["verdict"])]
    for table in view["tables"]:
        rows = [[column["name"] for column in table["head"]], *table["rows"]]
        lines += ["", *(" | ".join(row) for row in rows[: _ROWS + 1])]
        lines += [f"… {len(rows) - 1 - _ROWS:,} more rows"] if len(rows) > _ROWS + 1 else []
    return "\n".join([*lines, "", *(f"note: {one}" for one in view["notes"])])


def _said(text: str, **more: Any) -> "CallToolResult":
    from mcp.types import CallToolResult, TextContent  # noqa: PLC0415  # an extra

    return CallToolResult(content=[TextContent(text=text)], **more)
