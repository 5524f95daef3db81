"""Who may ask and how much, what browsers may do with the answers, and error responses."""

import asyncio
import hmac
import math
import time
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from podium.base.errors import InputError
from podium.base.parallel import memory

#: Letters of the shortest token: with 64 letters to choose from, 2^96 to try.
SHORTEST_TOKEN = 16

_MB = 2**20

#: Bytes below which a job cannot even load its libraries, and may wait for ever.
LEAST_JOB_BYTES = 512 * _MB

#: Bytes of memory of a machine that does not say how much it has.
_UNKNOWN_MEMORY = 8 * 1024 * _MB


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a server: where it listens, who may ask it, and how much.

    Attributes
    ----------
    folder
        Where uploads and results are kept; a server that starts again on it finds them.
    host, port
        Where it listens. Port 0 is any that is free.
    token
        What clients must know; None on this machine's own address, where no other client can ask.
    upload_bytes
        Of one upload.
    folder_bytes
        Of all uploads and results together.
    body_bytes
        Of any other request.
    job_seconds
        How long one job may run.
    job_bytes
        Memory that each process of a job may use; None for its share of three quarters of this machine's.
    jobs
        How many run at once.
    waiting
        How many may wait.

    Raises
    ------
    InputError
        Others could reach it without a token, the token is short, or a limit is too small.
    """

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = field(default=None, repr=False)
    upload_bytes: int = 1024 * _MB
    folder_bytes: int = 20 * 1024 * _MB
    body_bytes: int = _MB
    job_seconds: float = 3600.0
    job_bytes: int | None = None
    jobs: int = 2
    waiting: int = 100

    def __post_init__(self) -> None:
        if self.token is None and not self.is_local:
            raise InputError(
                f"others could reach {self.host}, so clients must show a token; "
                "set PODIUM_TOKEN, or listen on 127.0.0.1"
            )
        if self.token is not None and (len(self.token) < SHORTEST_TOKEN or not self.token.isascii()):
            raise InputError(f"the token must have at least {SHORTEST_TOKEN} letters, digits or signs of ASCII")
        if self.job_bytes is not None and self.job_bytes < LEAST_JOB_BYTES:
            raise InputError(f"a job needs at least {LEAST_JOB_BYTES // _MB} MB of memory, not {self.job_bytes // _MB}")
        for name in ("upload_bytes", "folder_bytes", "body_bytes", "job_seconds", "jobs"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name.replace('_', ' ')} must be more than 0, not {getattr(self, name)}")

    @property
    def memory(self) -> int:
        """Return the bytes of memory that each process of a job may use.

        >>> Settings(Path("served"), job_bytes=2**30).memory == 2**30
        True
        """
        share = (memory() or _UNKNOWN_MEMORY) * 3 // (4 * self.jobs)
        return max(share, LEAST_JOB_BYTES) if self.job_bytes is None else self.job_bytes

    @property
    def is_local(self) -> bool:
        """Return whether only this machine can reach it.

        >>> Settings(Path("served")).is_local
        True
        """
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


#: Heading and advice for people, by status, where the message is one for programs.
_IN_WORDS = {
    401: ("This server wants a token.", "Ask who runs it, and open /?token=TOKEN once with the token."),
    404: ("There is nothing here.", "Perhaps the table was deleted, or the link was cut short."),
    422: ("There is nothing here.", "Perhaps the link was cut short."),
}

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>podium</title>
<link rel="stylesheet" href="/assets/page.css">
<main class="alone">
<h1>{heading}</h1>
<p>{message}</p>
<p><a href="/">All tables</a></p>
</main>
</html>
"""


def refusal(scope: Scope, status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error response: JSON for programs, and a small page with a way back for people."""
    in_browser = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
    if not in_browser or scope["path"].startswith(("/api/", "/assets/")):
        return JSONResponse({"error": {"status": status, "message": message}}, status, headers)
    heading, advice = _IN_WORDS.get(status, ("This cannot be shown.", message))
    return HTMLResponse(_PAGE.format(heading=escape(heading), message=escape(advice)), status, headers)


#: Nothing is allowed but what pages of podium need: scripts, styles and data of this server, and their own worker.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src blob:; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

#: Beginning of the name of the cookie; browsers send cookies to every port of a machine, so the port ends it.
_COOKIE = "podium_token"

#: Seconds in which a link that opens once must be opened.
ONCE = 60.0

#: Where tables go.
_UPLOADS = "/api/uploads"

#: What the page that asks for the token looks like; nothing else is shown without it.
_STYLE = "/assets/page.css"

#: Seconds in which more of a request must come.
READ_SECONDS = 30.0

#: Methods that change nothing.
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

#: By what this machine calls itself.
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Lets requests pass that have the token, come from no other server's page, and are neither too large nor too slow.

    - On this machine's own address the name that is asked for must be its own: else a page of a stranger, whose name is
      made to lead here, could ask.
    - What changes something must come from the server's own pages, or from no page at all.
    - The token stands in the header `Authorization: Bearer …`; or once in the address, `?token=…`, for a browser, which
      then has it as a cookie that scripts cannot read.
    - `HEAD` is answered as `GET`; the server leaves out the body.
    - A browser that the server starts gets `?once=…`, since others can read how programs were started: it opens one
      time, soon after the start.

    Parameters
    ----------
    app
        What answers.
    settings
        The token, and how large a request may be.
    once
        What `?once=…` must say; empty where there is no such link.
    """

    def __init__(self, app: ASGIApp, settings: Settings, once: str = "") -> None:
        self._app, self._settings = app, settings
        self._once, self._until = once, time.monotonic() + ONCE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        response = self._refused(scope)
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        await (self._app if response is None else response)(asked, self._received(scope, receive), answer)

    def _received(self, scope: Scope, receive: Receive) -> Receive:
        """Receive no more than a request may have, without long pauses; uploads count themselves."""
        most = math.inf if scope["path"] == _UPLOADS else self._settings.body_bytes
        size, whole = 0, False

        async def received() -> Message:
            nonlocal size, whole
            try:  # after the whole request comes only that the client has gone
                message = await asyncio.wait_for(receive(), None if whole else READ_SECONDS)
            except TimeoutError as error:
                said = f"nothing more came for {READ_SECONDS:g} seconds; send the request again"
                raise HTTPException(408, said, {"Connection": "close"}) from error
            whole = not message.get("more_body", False)
            size += len(message.get("body", b""))
            if size > most:
                raise HTTPException(413, f"a request may have {most:,} bytes; send tables to {_UPLOADS}")
            return message

        return received

    def _refused(self, scope: Scope) -> Response | None:
        """Return what a request gets in place of an answer; None if it may pass."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        try:
            asked = urlsplit(f"//{host}")
            name, port = asked.hostname, asked.port
        except ValueError:
            name, port = None, None
        if name is None or (self._settings.is_local and name not in _LOCAL):
            return refusal(scope, 400, "this server goes by another name; use the address that it printed")
        if scope["method"] not in _SAFE:
            site, origin = headers.get("sec-fetch-site", "none"), headers.get("origin")
            if site not in {"same-origin", "none"} or (origin is not None and origin.partition("://")[2] != host):
                return refusal(scope, 403, "requests from pages of other servers are refused")
        if self._settings.token is None or scope["path"] == _STYLE:
            return None
        # another port of the same name is another server
        cookie = _COOKIE if port is None else f"{_COOKIE}_{port}"
        return self._without_token(scope, headers, cookie, self._settings.token)

    def _without_token(self, scope: Scope, headers: Headers, cookie: str, token: str) -> Response | None:
        query: dict[str, list[str]] = parse_qs(scope["query_string"].decode("latin-1"))
        given, once = (query.pop(name, [""])[0] for name in ("token", "once"))
        if scope["method"] == "GET" and (_is_same(given, token) or self._opens(once)):
            rest = urlencode(query, doseq=True)
            away = RedirectResponse("/" + quote(scope["path"].lstrip("/")) + (f"?{rest}" if rest else ""), 303)
            away.set_cookie(cookie, token, httponly=True, samesite="strict", path="/")
            return away
        try:
            kept = SimpleCookie(headers.get("cookie", "")).get(cookie)
        except CookieError:
            kept = None
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        if (kind.lower() == "bearer" and _is_same(bearer, token)) or (kept is not None and _is_same(kept.value, token)):
            return None
        message = "show the token: in the header Authorization: Bearer TOKEN, or in a browser open /?token=TOKEN"
        return refusal(scope, 401, message, {"WWW-Authenticate": "Bearer"})

    def _opens(self, given: str) -> bool:
        """Return whether this is the link that opens once; from now on it is not."""
        if not self._once or time.monotonic() > self._until or not _is_same(given, self._once):
            return False
        self._once = ""
        return True


def _is_same(given: str, wanted: str) -> bool:
    """Compare in a time that says nothing about where they differ."""
    return hmac.compare_digest(given.encode("latin-1", "replace"), wanted.encode())
