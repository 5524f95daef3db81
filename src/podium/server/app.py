"""Routes: uploads come in, questions are asked, answers and pages go out; and where the server listens."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

import uvicorn
from fastapi import Depends, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse
from starlette.routing import Match, Route
from uvicorn.protocols.http.h11_impl import H11Protocol

import podium
from podium.base.errors import LabelError, OutputError, PodiumError
from podium.server.guard import Guard, Settings, refusal
from podium.server.jobs import BusyError, Job, Runner, Storage, TooLargeError, Upload
from podium.server.question import Question, Verb
from podium.webpage.shell import Pieces, parts_of, with_parts

#: Of uploads and jobs.
_DIGITS = "^[0-9a-f]{16}$"

Number = Annotated[str, Path(pattern=_DIGITS)]

#: What a program does next with the number that it is given, for those that read the description of the server.
_OF_UPLOADS = {
    "rank": {
        "operationId": "ask",
        "parameters": {"path.verb": "rank"},
        "requestBody": {"uploads": ["$response.body#/number"], "options": {}},
    },
    "forget": {"operationId": "forget", "parameters": {"path.number": "$response.body#/number"}},
}

_OF_JOBS = {
    name: {"operationId": name, "parameters": {"path.number": "$response.body#/number"}}
    for name in ("job", "cancel", "remove", "answer", "view", "rows")
}

#: A body that is a file.
_FILE = {"required": True, "content": {"*/*": {"schema": {"type": "string", "format": "binary", "minLength": 1}}}}

#: Status of each kind of error; the first that fits.
_STATUS = ((TooLargeError, 413), (BusyError, 429), (LabelError, 404), (OutputError, 507), (PodiumError, 422))

_TYPES = {".json": "application/json", ".html": "text/html", ".csv": "text/csv"}


class Asked(BaseModel):
    """A question: about which uploads, and with which options; `GET /api/verbs` lists them."""

    model_config = ConfigDict(extra="forbid", strict=True)

    uploads: list[Annotated[str, Field(pattern=_DIGITS)]] = Field(min_length=1, max_length=100)
    options: dict[str, bool | int | float | str | list[str]] = Field(default={}, max_length=100)


class Refused(BaseModel):
    """An error as programs get it."""

    error: dict[str, int | str]


def make_app(settings: Settings, verbs: Sequence[Verb], once: str = "") -> FastAPI:
    """Make the application.

    Parameters
    ----------
    settings
        Its limits, and where it keeps uploads and answers.
    verbs
        What may be asked.
    once
        What opens the server one time in place of the token, see `Guard`.

    Raises
    ------
    OutputError
        The folder cannot be made.
    """
    storage = Storage(settings)

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        app.state.runner = Runner(settings, storage)
        yield
        await app.state.runner.close()

    app = FastAPI(
        title="podium",
        version=podium.__version__,
        lifespan=living,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        generate_unique_id_function=lambda route: route.name,
        responses={status: {"model": Refused} for status in (400, 401, 403, 404, 413, 422, 429, 507)},
    )
    _add_errors(app)
    _add_uploads(app, settings, storage)
    _add_jobs(app, {verb.name: verb for verb in verbs})
    _add_answers(app, storage)
    _add_pages(app, storage)
    app.add_middleware(Guard, settings=settings, once=once)
    return app


def _runner(request: Request) -> Runner:
    found: Runner = request.app.state.runner
    return found


Running = Annotated[Runner, Depends(_runner)]


def _add_errors(app: FastAPI) -> None:
    """Give every error its status and the one shape."""

    async def of_podium(request: Request, error: Exception) -> Response:
        status = next(status for kind, status in _STATUS if isinstance(error, kind))
        return refusal(request.scope, status, str(error), {"Retry-After": "5"} if status == 429 else None)

    async def of_form(request: Request, error: Exception) -> Response:
        wrong = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": str(error)}
        where = [str(part) for part in wrong["loc"]]
        message = f"{' '.join(where)}: {wrong['msg']}"
        if where[:2] == ["body", "options"] and len(where) > 2:  # else it would name one kind that it is not
            message = f"option {where[2]!r} takes true or false, a number, a text, or a list of texts"
        return refusal(request.scope, 422, message[:1000])

    async def of_route(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        if status == 405:  # Starlette names the methods of the first route with this path only
            routes = [route for route in request.app.routes if isinstance(route, Route)]
            fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
            methods = {method for route in fitting for method in route.methods or ()}
            headers["Allow"] = ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))
        message = {404: "there is nothing here; GET /api/openapi.json lists what there is"}.get(status)
        return refusal(request.scope, status, message or str(getattr(error, "detail", "")), headers)

    async def of_disk(request: Request, error: Exception) -> Response:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"the server cannot use its folder: {reason}; look at its folder and its disk"
        return refusal(request.scope, 507, message)

    async def of_bug(request: Request, error: Exception) -> Response:
        return refusal(request.scope, 500, f"this is a bug in podium: {type(error).__name__}; please report it")

    app.add_exception_handler(PodiumError, of_podium)
    app.add_exception_handler(RequestValidationError, of_form)
    app.add_exception_handler(HTTPException, of_route)
    app.add_exception_handler(OSError, of_disk)
    app.add_exception_handler(Exception, of_bug)


def _add_uploads(app: FastAPI, settings: Settings, storage: Storage) -> None:
    @app.get("/api/limits")
    async def limits() -> dict[str, int | float]:
        """Say how large uploads may be, and how long and large jobs."""
        names = ("upload_bytes", "folder_bytes", "body_bytes", "job_seconds", "jobs", "waiting")
        return {**{name: getattr(settings, name) for name in names}, "job_bytes": settings.memory}

    @app.get("/api/uploads")
    def uploads() -> list[Upload]:
        """List all uploads."""
        return storage.uploads()

    @app.post(
        "/api/uploads", status_code=201, responses={201: {"links": _OF_UPLOADS}}, openapi_extra={"requestBody": _FILE}
    )
    async def upload(request: Request, name: Annotated[str, Query(min_length=1, max_length=1000)]) -> Upload:
        """Send a file in any format that podium reads, as the body of the request; its name says which format.

        What was sent before under another name is kept once, under the new one.
        """
        return await storage.receive(name, request.stream())

    @app.delete("/api/uploads/{number}", status_code=204)
    async def forget(number: Number, runner: Running) -> None:
        """Delete an upload, and all answers about it; jobs about it end."""
        await runner.forget(number)


def _add_jobs(app: FastAPI, verbs: dict[str, Verb]) -> None:
    @app.get("/api/verbs")
    def list_verbs() -> dict[str, dict[str, Any]]:
        """List what may be asked, and the options of each."""
        return {
            verb.name: {
                "meaning": verb.meaning,
                "options": verb.schema(),
                "takes_scores": verb.takes_scores,
                "answer": verb.answer.removeprefix("."),
            }
            for verb in verbs.values()
        }

    @app.post("/api/verbs/{verb}", status_code=202, responses={202: {"links": _OF_JOBS}})
    async def ask(verb: str, asked: Asked, runner: Running) -> Job:
        """Ask; the job that answers runs by itself. A question that has been answered is done at once."""
        if verb not in verbs:
            raise LabelError.unknown("verb", verb, verbs)
        return runner.ask(Question.of(verbs[verb], asked.uploads, asked.options))

    @app.get("/api/jobs")
    async def jobs(runner: Running) -> list[Job]:
        """List all jobs, the newest first."""
        return runner.jobs()

    @app.get("/api/jobs/{number}")
    async def job(number: Number, runner: Running) -> Job:
        """Say how far a job is."""
        return runner.job(number)

    @app.delete("/api/jobs/{number}/answer", status_code=204)
    async def remove(number: Number, runner: Running) -> None:
        """Delete a job and its answer; one that waits or runs ends."""
        await runner.remove(number)

    @app.delete("/api/jobs/{number}")
    async def cancel(number: Number, runner: Running) -> Job:
        """End a job that waits or runs."""
        return await runner.cancel(number)


def _add_answers(app: FastAPI, storage: Storage) -> None:
    @app.get("/api/jobs/{number}/answer", response_model=None, responses=_of_types("application/json", "text/html"))
    def answer(number: Number) -> FileResponse:
        """Return the answer of a job that is done: JSON as `podium … -f json` writes it, or a page to keep."""
        path = storage.answer(number)
        if path is None:
            raise LabelError(f"there is no answer of job {number!r}; GET /api/jobs/{number} says how far it is")
        # a page that is kept holds its script, which must not run here
        kept = {"Content-Disposition": 'attachment; filename="board.html"'} if path.suffix == ".html" else None
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=kept)

    @app.get("/api/jobs/{number}/view", response_model=None)
    def view(number: Number) -> FileResponse:
        """Return an answer as people read it: JSON with title, verdict, tables, notes, and how to read them."""
        return _shown(storage, number, "view.json")

    @app.get(
        "/api/jobs/{number}/rows", response_class=FileResponse, response_model=None, responses=_of_types("text/csv")
    )
    def rows(number: Number) -> FileResponse:
        """Return the rows of an answer: CSV as `podium … -f csv` writes it."""
        return _shown(storage, number, "rows.csv", {"Content-Disposition": "attachment"})


def _add_pages(app: FastAPI, storage: Storage) -> None:
    page, desk = (Pieces.at(f"/assets/{name}.js", f"/assets/{name}.css", name) for name in ("page", "desk"))

    @app.get("/answers/{number}", include_in_schema=False)
    async def answer_page(number: Number, runner: Running) -> HTMLResponse:
        runner.job(number)  # a dead link leads to no page
        return HTMLResponse(desk.html)

    @app.get("/boards/{number}", include_in_schema=False)
    def board(number: Number) -> HTMLResponse:
        path = storage.answer(number)
        if path is None or path.suffix != ".html":
            raise LabelError(f"there is no page {number!r}; ask for it with POST /api/verbs/page")
        return HTMLResponse(with_parts(page.html, parts_of(path.read_text("utf-8"))))

    @app.get("/", include_in_schema=False)
    def start() -> HTMLResponse:
        return HTMLResponse(desk.html)

    def add(name: str, content: str, kind: str) -> None:
        @app.get(f"/assets/{name}", include_in_schema=False)
        def piece() -> Response:
            return Response(content, media_type=kind)

    for name, of in {"page": page, "desk": desk}.items():
        add(f"{name}.js", of.script, "text/javascript")
        add(f"{name}.css", of.style, "text/css")


def _of_types(*types: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer that is a file, of one of some types."""
    return {200: {"content": {kind: {} for kind in types}}}


def _shown(storage: Storage, number: str, name: str, headers: dict[str, str] | None = None) -> FileResponse:
    """Return what an answer has beside it."""
    path = storage.shown(number, name)
    if path is None:
        raise LabelError(f"there is no {name} of job {number!r}; GET /api/jobs/{number} says how far it is")
    return FileResponse(path, media_type=_TYPES[path.suffix], headers=headers)


#: Connections at once; one more is closed at once.
CONNECTIONS = 256

#: Seconds in which the head of a request must come.
HEAD_SECONDS = 10.0


class Connection(H11Protocol):
    """A connection that is closed if there are too many, or if the head of a request takes too long."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._late = self.loop.call_later(HEAD_SECONDS, transport.abort)
        if len(self.connections) > CONNECTIONS:
            transport.abort()

    def handle_events(self) -> None:
        """Take what came."""
        super().handle_events()
        if not getattr(self.cycle, "response_complete", True):  # there is none before the first request
            self._late.cancel()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._late = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._late.cancel()
        super().connection_lost(exc)


class Listening(uvicorn.Server):
    """A server that says when it answers, and can be ended.

    Parameters
    ----------
    app
        What it serves.
    ready
        Called once, as soon as clients can connect and signals end it.
    """

    def __init__(self, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(app, http=Connection, log_level="error", server_header=False, timeout_graceful_shutdown=5)
        )
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def bound(settings: Settings) -> socket.socket:
    """Return a socket at the host and port, bound before anything is served, so that an error comes first.

    Raises
    ------
    OutputError
        The host is not of this machine, or the port is taken.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or error
        raise OutputError(
            f"cannot listen on {settings.host}, port {settings.port}: {reason}; choose another --port, or 0 for any"
        ) from error
    return listener


def address_of(listener: socket.socket, host: str) -> str:
    """Return the address that a browser opens."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
