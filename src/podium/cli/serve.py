"""The command `serve`, and what a server offers: what opens no file of the client's choice, and writes none."""

import os
import secrets
import webbrowser
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO

import click

from podium.base.errors import InputError, MissingExtraError
from podium.cli.app import LIMITS, OUTPUT, QUIET, app, argument, command, flag, option
from podium.cli.entry import say
from podium.server.question import Kind, Option, Verb

if TYPE_CHECKING:
    from podium.server.jobs import Storage

#: Bytes of a megabyte, in which limits are told.
_MB = 2**20

#: Commands that are about no table that a client could send, that only write files, that wait, or that serve.
_COMMANDS_LEFT_OUT = frozenset(
    {"add", "board", "convert", "datasets", "demo", "example", "gate", "help", "schema", "serve", "watch"}
)

#: Options that name a file to read or write, that change only how a terminal shows the answer, that take more of the
#: machine, or that are about boards, which no client can send, or no table.
_OPTIONS_LEFT_OUT = frozenset(
    {
        *("output", "format", "plot"),
        *("trec", "qrels", "measure", "embeddings", "train-embeddings", "encoder", "fine-tune"),
        *("columns", "wide", "explain", "verbose", "quiet", "top", "width", "font"),
        *("digits", "bold", "caption", "label"),
        *("threads", "jobs", "memory", "as-of", "engine", "scheduler", "workers", "worker-memory"),
        *("history", "each", "items", "delta", "rate", "correlation"),
    }
)


@command
def serve(
    *,
    sources: list[str] | None = argument("SOURCE", "Files to serve; others can be sent later.", required=False),
    folder: Path = option(
        OUTPUT, "FOLDER", "Where uploads and answers are kept, and found again.", default=Path("podium-served")
    ),
    host: str = option(
        OUTPUT, "ADDRESS", "Where to listen. For other machines set PODIUM_TOKEN, too.", default="127.0.0.1"
    ),
    port: int = option(OUTPUT, "N", "Which port; 0 is any that is free.", default=8000, min=0),
    browser: bool = flag(OUTPUT, "Open a browser.", default=True),
    mcp: bool = flag(OUTPUT, "Answer an assistant over standard input and output (MCP), instead of browsers."),
    quiet: bool = QUIET,
    upload_limit: int = option(LIMITS, "MB", "Size of one upload.", default=1024, min=1),
    folder_limit: int = option(LIMITS, "MB", "Size of the folder.", default=20 * 1024, min=1),
    memory_limit: int | None = option(
        LIMITS, "MB", "Memory of each job. Default: 3/4 of this machine's, shared by the jobs at once.", min=512
    ),
    time_limit: float = option(LIMITS, "SECONDS", "Time of each job.", default=3600.0, min=1),
    jobs: int = option(LIMITS, "N", "Jobs at once.", default=2, min=1),
) -> None:
    """Serve tables to browsers and programs on this machine.

    \b
    podium serve scores.csv
    podium serve --folder boards --port 0 --no-browser

    Its first page takes uploads and shows their pages. Programs ask the questions of the command line: see
    /api/openapi.json. What is sent stays in the folder; a server that starts again on it finds all answers.

    With --mcp an assistant that starts it asks the same questions as tools, about any file that you may read.

    Only this machine can reach it. For others set PODIUM_TOKEN to a secret of 16 letters or more, and name a --host.
    """  # noqa: D301
    if mcp:
        if sources:
            raise InputError(f"--mcp reads the files that the assistant names; leave out {sources[0]!r}")
        if find_spec("mcp") is None:
            raise MissingExtraError("mcp", "mcp", "serving an assistant")
        from podium.server.tools import serve_tools  # noqa: PLC0415  # only here

        serve_tools(tuple(offered()))
        return
    try:
        from podium.server.app import Listening, address_of, bound, make_app  # noqa: PLC0415  # the same
        from podium.server.guard import Settings  # noqa: PLC0415  # the same
        from podium.server.jobs import Storage  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError(str(error.name), "web", "serving") from error
    settings = Settings(
        folder,
        host=host,
        port=port,
        token=os.environ.get("PODIUM_TOKEN") or None,  # from the surroundings, where `ps` does not show it
        upload_bytes=upload_limit * _MB,
        folder_bytes=folder_limit * _MB,
        job_bytes=None if memory_limit is None else memory_limit * _MB,
        job_seconds=time_limit,
        jobs=jobs,
    )
    storage = Storage(settings)
    lock = storage.lock()
    for source in sources or ():
        _bring(storage, Path(source))
    listener = bound(settings)
    address = address_of(listener, settings.host)

    def ready() -> None:
        if not quiet:
            say(f"serving {address}; uploads and answers are kept in {settings.folder}; Ctrl-C ends it\n")
        if browser:
            # others on this machine can read how the browser was started: the token would stand there
            page = address if settings.token is None else f"{address}?once={once}"
            Thread(target=webbrowser.open, args=(page,), daemon=True).start()  # one in a terminal keeps its caller

    once = secrets.token_urlsafe() if browser else ""
    server = Listening(make_app(settings, tuple(offered()), once), ready)
    with lock, suppress(KeyboardInterrupt):  # the usual way to end it
        server.run(sockets=[listener])


def _bring(storage: "Storage", path: Path) -> None:
    """Put a file into the folder, as if it had been sent."""
    import asyncio  # noqa: PLC0415  # only where something is served

    async def pieces(file: BinaryIO) -> AsyncIterator[bytes]:
        while piece := file.read(_MB):
            yield piece

    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name a file") from error
    with file:
        asyncio.run(storage.receive(path.name, pieces(file)))


def offered() -> Iterator[Verb]:
    """Yield what may be asked."""
    context = click.Context(app)
    for name in app.list_commands(context):
        found = app.get_command(context, name)
        if found is None or name in _COMMANDS_LEFT_OUT:
            continue
        below = found.commands.items() if isinstance(found, click.Group) else [("", found)]
        for part, inner in below:
            yield _verb(f"{name} {part}".strip(), inner)


def _verb(name: str, command: click.Command) -> Verb:
    left_out = _OPTIONS_LEFT_OUT - ({"items"} if name == "subset" else set())  # those of plan are about no table
    options = [one for one in command.params if isinstance(one, click.Option) and _name(one) not in left_out]
    return Verb(
        name,
        (command.help or "").partition("\n")[0],
        tuple(map(_option, options)),
        takes_scores=any(isinstance(one, click.Argument) for one in command.params),
        answer=".html" if name == "page" else ".json",
    )


def _name(option: click.Option) -> str:
    return next(flag for flag in option.opts if flag.startswith("--")).removeprefix("--")


def _option(option: click.Option) -> Option:
    words = str(option.metavar or "").split("|")
    upload = "FILE" in words
    literal = tuple(word for word in words if word == word.lower() and word[:1].isalpha())
    # if anything else fits, too, the words are no choice
    choice = literal if upload or len(literal) == len(words) else ()
    negated = next((flag.removeprefix("--") for flag in option.secondary_opts), "")
    return Option(
        _name(option),
        _kind(option),
        option.help or "",
        negated,
        choice,
        upload,
        heading=getattr(option, "heading", ""),
        default=option.default if isinstance(option.default, bool | int | float | str) else None,
        required=option.required,
    )


def _kind(option: click.Option) -> Kind:
    if option.is_flag:
        return "boolean"
    if option.multiple:
        return "array"
    if isinstance(option.type, click.types.IntParamType):
        return "integer"
    return "number" if isinstance(option.type, click.types.FloatParamType) else "string"
