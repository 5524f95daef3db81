"""Uploads, questions and answers on disk, and jobs: each answers a question in a process of its own.

A server that starts again on a folder finds what is in it:

    uploads/NUMBER/content      what was sent; NUMBER is the beginning of its SHA-256
    uploads/NUMBER/about.json   its name and size
    jobs/NUMBER/question.json   what was asked; NUMBER is the digest of the question
    jobs/NUMBER/answer.json     the answer (or .html), written whole or not at all; the next two stand before it
    jobs/NUMBER/view.json       what it looks like: its sentences and tables
    jobs/NUMBER/rows.csv        its rows
    jobs/NUMBER/ended.json      how it ended without an answer, and why

Numbers are the only names that come from clients, and have only digits and the letters a to f.
"""

import asyncio
import hashlib
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

import podium
from podium.base.errors import InputError, LabelError, MethodError, OutputError
from podium.base.file import write
from podium.base.words import printable
from podium.server.guard import Settings
from podium.server.question import ANSWER, Question


class State(StrEnum):
    """State of a job; only `WAITING` and `RUNNING` change by themselves."""

    WAITING = "waiting"  # for others to end
    RUNNING = "running"
    DONE = "done"  # its answer is there
    FAILED = "failed"  # its error says why
    CANCELLED = "cancelled"  # a client ended it
    INTERRUPTED = "interrupted"  # the server ended before it; ask again


@dataclass(frozen=True, slots=True)
class Job:
    """A job as a client sees it.

    Attributes
    ----------
    number
        The digest of its question.
    verb, uploads, options
        The question.
    state
        How far it is.
    error
        Why it failed; empty otherwise.
    done, total
        How much of the work is done, where that is known.
    """

    number: str
    verb: str
    uploads: tuple[str, ...]
    options: dict[str, Any]
    state: State
    error: str = ""
    done: int | None = None
    total: int | None = None


_NUMBER = re.compile(r"[0-9a-f]{16}")

#: Signs that patterns, lists or addresses are made of, and signs that no terminal should get.
_UNFIT = re.compile(r"[^\w.+@=() -]|^[-.\s]+|\s+$")

#: Bytes of the longest name that is kept; file systems take some 255.
_LONGEST_NAME = 100

#: What names of uploads must not begin with, before their first dot.
_TAKEN = frozenset({ANSWER, "question", "ended", "progress", "view", "rows"})

_FULL = "the server has no more room; delete tables or answers that you do not need"

#: Beginning of a DuckDB database, from its ninth byte on. Its views may read any file.
_DUCK = b"DUCK"


class TooLargeError(OutputError):
    """More was sent than the server takes, or it has room for."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent: its number, its name and its size in bytes."""

    number: str
    name: str
    size: int


class Storage:
    """The folder of a server.

    Parameters
    ----------
    settings
        Which folder, and how much it may hold.

    Raises
    ------
    OutputError
        The folder cannot be made.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._room = 0
        self._leaving: dict[str, asyncio.Event] = {}  # uploads that are deleted as soon as their jobs have ended
        self._uploads, self._jobs = settings.folder / "uploads", settings.folder / "jobs"
        try:
            for folder in (self._uploads, self._jobs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be made: {error.strerror}; choose another --folder") from error

    def lock(self) -> BinaryIO:
        """Keep other servers off the folder, until the file that is returned is closed or the process ends.

        What another was receiving when it was killed is deleted.

        Raises
        ------
        OutputError
            Another server has it.
        """
        file = (self._settings.folder / "lock").open("ab")
        try:
            import fcntl  # noqa: PLC0415  # not on Windows, where nothing is locked
        except ImportError:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.close()
            folder = self._settings.folder
            raise OutputError(f"another server has the folder {folder}; choose another --folder") from error
        for partial in self._uploads.glob("partial-*"):
            shutil.rmtree(partial, ignore_errors=True)
        return file

    async def receive(self, name: str, pieces: AsyncIterator[bytes]) -> Upload:
        """Keep what a client sends, piece by piece; what is there already is kept once, under its newest name.

        Raises
        ------
        InputError
            Nothing was sent, or a DuckDB database.
        TooLargeError
            It is larger than an upload may be, or the folder is full.
        OutputError
            The disk does not take it.
        """
        # all that is being sent at the same time draws on the same room; what has come of it is on disk, and counts
        self._room = self.room()
        digest, size, head, partial = hashlib.sha256(), 0, b"", None
        try:
            partial = Path(tempfile.mkdtemp(prefix="partial-", dir=self._uploads))
            with (partial / "content").open("wb") as file:
                async for piece in pieces:
                    size += len(piece)
                    self._room -= len(piece)
                    if size > self._settings.upload_bytes:
                        most = f"{self._settings.upload_bytes:,} bytes"
                        raise TooLargeError(f"a file may have {most}; send less, or as Parquet")
                    if self._room < 0:
                        raise TooLargeError(_FULL)
                    digest.update(piece)
                    head = head if len(head) >= 12 else head + piece[:12]
                    file.write(piece)
            if size == 0:
                raise InputError("nothing was sent; send the content of a file")
            if head[8:12] == _DUCK:
                raise InputError(
                    "this is a DuckDB database, whose views may read other files of the server; "
                    "send the table as Parquet: COPY scores TO 'scores.parquet'"
                )
            upload = Upload(digest.hexdigest()[:16], fit_name(name), size)
            await self._gone(upload.number)
            kept = self._uploads / upload.number
            write(json.dumps(asdict(upload)), (kept if kept.exists() else partial) / "about.json")
            if not kept.exists():
                partial.rename(kept)
            return self.upload(upload.number)
        except OSError as error:
            raise _unkept(error) from error
        finally:
            if partial is not None and partial.exists():  # it is not kept
                self._room += size
                shutil.rmtree(partial, ignore_errors=True)

    def room(self) -> int:
        """Bytes that the folder may still take; fewer than 0 if it holds too much."""
        found = [path.stat() for path in self._settings.folder.rglob("*") if path.is_file()]
        # an upload stands in its jobs, too, but is there once
        return self._settings.folder_bytes - sum({(one.st_dev, one.st_ino): one.st_size for one in found}.values())

    def uploads(self) -> list[Upload]:
        """Return all uploads, by name."""
        found = [self.upload(path.name) for path in self._uploads.iterdir() if _NUMBER.fullmatch(path.name)]
        return sorted(found, key=lambda upload: (upload.name, upload.number))

    def upload(self, number: str) -> Upload:
        """One upload.

        Raises
        ------
        LabelError
            There is none.
        """
        about = self._read(self._uploads, number, "about.json")
        if about is None:
            raise LabelError(f"there is no upload {number[:40]!r}")
        return Upload(**about)

    @asynccontextmanager
    async def leaving(self, number: str) -> AsyncIterator[None]:
        """Keep away from an upload that is being deleted who asks about it, or sends it again."""
        await self._gone(number)
        self._leaving[number] = gone = asyncio.Event()
        try:
            yield
        finally:
            del self._leaving[number]
            gone.set()

    async def _gone(self, number: str) -> None:
        """Wait until an upload is not being deleted."""
        while (gone := self._leaving.get(number)) is not None:
            await gone.wait()

    def is_leaving(self, number: str) -> bool:
        """Return whether an upload is being deleted."""
        return number in self._leaving

    def forget(self, number: str) -> None:
        """Delete an upload, and all jobs that were asked about it.

        Raises
        ------
        LabelError
            There is none.
        """
        self.upload(number)
        for job in self.jobs():
            if number in job.uploads:
                self.remove(job.number)
        shutil.rmtree(self._uploads / number, ignore_errors=True)

    def remove(self, number: str) -> None:
        """Delete a job and its answer."""
        shutil.rmtree(self._jobs / number, ignore_errors=True)

    def prepare(self, question: Question, number: str, names: Mapping[str, str]) -> Path:
        """Make the folder of a job anew, with its uploads under their names; return it.

        Raises
        ------
        TooLargeError
            The folder of the server is full.
        OutputError
            The disk does not take it.
        """
        if self.room() <= 0:
            raise TooLargeError(_FULL)
        folder = self._jobs.resolve() / number
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir()
            for upload, name in names.items():
                os.link(self._uploads / upload / "content", folder / name)
        except OSError as error:
            raise _unkept(error) from error
        asked = {"verb": question.verb.name, "uploads": question.uploads, "options": dict(question.options)}
        write(json.dumps(asked), folder / "question.json")
        return folder

    def file_names(self, question: Question) -> dict[str, str]:
        """For each upload of a question the name of its file; two of one name get a number before it.

        Raises
        ------
        LabelError
            There is no such upload.
        """
        names: dict[str, str] = {}
        for upload in question.uploads:
            name = self.upload(upload).name
            # some file systems take capitals for small letters
            while name.lower() in map(str.lower, names.values()) or name.lower().partition(".")[0] in _TAKEN:
                name = f"{len(names) + 1}-{name}"
            names[upload] = name
        return names

    def end(self, number: str, state: State, error: str) -> None:
        """Note that a job ended without an answer."""
        with suppress(OutputError):  # its upload was deleted meanwhile
            write(json.dumps({"state": state, "error": error}), self._jobs / number / "ended.json")

    def jobs(self) -> list[Job]:
        """Return all jobs, the newest first."""
        paths = [path for path in self._jobs.iterdir() if _NUMBER.fullmatch(path.name)]
        newest = sorted(paths, key=lambda path: (-path.stat().st_mtime, path.name))
        return [job for path in newest if (job := self.job(path.name)) is not None]

    def job(self, number: str) -> Job | None:
        """One job as the disk knows it: done, ended, or interrupted; None if there is none."""
        asked = self._read(self._jobs, number, "question.json")
        if asked is None:
            return None
        ended = self._read(self._jobs, number, "ended.json") or {"state": State.INTERRUPTED, "error": ""}
        if self.answer(number) is not None:
            ended = {"state": State.DONE, "error": ""}
        return Job(
            number, asked["verb"], tuple(asked["uploads"]), asked["options"], State(ended["state"]), ended["error"]
        )

    def progress(self, number: str) -> tuple[int, int] | None:
        """Return how much of a running job is done, and of how much; None where that is not known."""
        try:
            done, total = (self._jobs / number / "progress").read_text("utf-8").split()
            return int(done), int(total)
        except (OSError, ValueError):
            return None

    def answer(self, number: str) -> Path | None:
        """Return the file of an answer; None if there is none yet."""
        if not _NUMBER.fullmatch(number):
            return None
        paths = [self._jobs / number / f"{ANSWER}{ending}" for ending in (".json", ".html")]
        return next(filter(Path.is_file, paths), None)

    def shown(self, number: str, name: str) -> Path | None:
        """Return what a job that is done has beside its answer: `view.json` or `rows.csv`; None if there is none."""
        answer = self.answer(number)
        path = None if answer is None else answer.with_name(name)
        return path if path is not None and path.is_file() else None

    @staticmethod
    def _read(folder: Path, number: str, name: str) -> dict[str, Any] | None:
        """Return what a JSON file says; None if there is none."""
        if not _NUMBER.fullmatch(number):
            return None
        try:
            found: dict[str, Any] = json.loads((folder / number / name).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found


def _unkept(error: OSError) -> OutputError:
    return OutputError(f"the server cannot keep it: {error.strerror}; look at its folder and its disk")


def fit_name(name: str) -> str:
    r"""Return the last part of a name, without what could be taken for a path, a pattern, a list or an option.

    >>> fit_name("../../etc/pass*wd.csv"), fit_name("--output=x.csv"), fit_name("C:\\a\\b.csv"), fit_name("..")
    ('pass_wd.csv', 'output=x.csv', 'b.csv', 'scores')
    """
    last = _UNFIT.sub("_", re.split(r"[/\\]", name)[-1]).lstrip("-._ ")
    whole = last.encode()
    if len(whole) > _LONGEST_NAME:  # the ending says what it is
        last = b"".join((whole[: _LONGEST_NAME // 2], whole[-_LONGEST_NAME // 2 :])).decode(errors="ignore")
    return last or "scores"


#: Letters of an error that are kept.
_LONGEST_ERROR = 4000

#: Seconds that a process has to end when it is asked to, before it is killed.
_GRACE = 2.0


class BusyError(MethodError):
    """As many jobs wait as may."""


@dataclass(slots=True, eq=False)
class _Running:
    """A job that waits or runs."""

    question: Question
    words: list[str]
    task: "asyncio.Task[None] | None" = None
    process: asyncio.subprocess.Process | None = None
    cancelled: bool = False


class Runner:
    """Answers questions one after the other, so many at a time.

    Parameters
    ----------
    settings
        How many jobs, and what each may use.
    storage
        Where questions and answers are kept.
    """

    def __init__(self, settings: Settings, storage: Storage) -> None:
        self._settings, self._storage = settings, storage
        self._free = asyncio.Semaphore(settings.jobs)
        self._active: dict[str, _Running] = {}

    def ask(self, question: Question) -> Job:
        """Start to answer a question; one that is being answered, or has been, is not asked twice.

        Raises
        ------
        BusyError
            As many jobs wait as may.
        LabelError
            There is no such upload.
        TooLargeError
            The folder of the server is full.
        """
        if leaving := list(filter(self._storage.is_leaving, question.uploads)):
            raise LabelError(f"upload {leaving[0]!r} is being deleted; send it again")
        names = self._storage.file_names(question)
        number = question.digest(podium.__version__, names)
        there = self._storage.job(number)
        if number in self._active or (there is not None and there.state == State.DONE):
            return self.job(number)
        if len(self._active) >= self._settings.jobs + self._settings.waiting:
            raise BusyError("too many jobs wait; ask again later")
        folder = self._storage.prepare(question, number, names)
        running = self._active[number] = _Running(question, question.arguments(names))
        running.task = asyncio.create_task(self._answer(number, running, folder))
        return self.job(number)

    def job(self, number: str) -> Job:
        """One job.

        Raises
        ------
        LabelError
            There is none.
        """
        job = self._storage.job(number)
        if job is None:
            raise LabelError(f"there is no job {number[:40]!r}")
        running = self._active.get(number)
        if running is None:
            return job
        if running.process is None:
            return replace(job, state=State.WAITING)
        done, total = self._storage.progress(number) or (None, None)
        return replace(job, state=State.RUNNING, done=done, total=total)

    def jobs(self) -> list[Job]:
        """Return all jobs, the newest first."""
        return [self.job(job.number) for job in self._storage.jobs()]

    async def cancel(self, number: str) -> Job:
        """End a job; one that is over stays as it is.

        Raises
        ------
        LabelError
            There is none.
        """
        running = self._active.get(number)
        if running is not None and running.task is not None:
            running.cancelled = True
            running.task.cancel()
            await asyncio.wait([running.task])
        return self.job(number)

    async def remove(self, number: str) -> None:
        """Delete a job and its answer; one that waits or runs ends.

        Raises
        ------
        LabelError
            There is none.
        """
        await self.cancel(number)
        self._storage.remove(number)

    async def forget(self, upload: str) -> None:
        """Delete an upload, and end and delete all jobs about it.

        Raises
        ------
        LabelError
            There is no such upload.
        """
        async with self._storage.leaving(upload):
            for number, running in list(self._active.items()):
                if upload in running.question.uploads:
                    await self.cancel(number)
            self._storage.forget(upload)

    async def close(self) -> None:
        """End all jobs; who asks again later gets their answers."""
        tasks = [running.task for running in self._active.values() if running.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _answer(self, number: str, running: _Running, folder: Path) -> None:
        """Wait for a place, run, and note how it ended."""
        try:
            async with self._free:
                state, error = await self._run(running, folder)
            if state is not State.DONE:
                self._storage.end(number, state, error)
        except asyncio.CancelledError:
            if running.cancelled:
                self._storage.end(number, State.CANCELLED, "")
        except OSError as error:
            self._storage.end(number, State.FAILED, f"the job could not be started: {error.strerror}")
        finally:
            del self._active[number]

    async def _run(self, running: _Running, folder: Path) -> tuple[State, str]:
        """Run the command in its folder until it ends, or must."""
        known = {name: value for name, value in os.environ.items() if name != "PODIUM_TOKEN"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "podium.cli.entry", str(self._settings.memory), str(self._storage.room())),
            *running.words,
            cwd=folder,
            env={**known, "PODIUM_PROGRESS": str(folder / "progress"), "PODIUM_SHOWN": str(folder)},
            stdin=asyncio.subprocess.PIPE,  # never written to: it closes when the server ends, however it ends
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        running.process = process
        try:
            said = await asyncio.wait_for(_last_words(process), self._settings.job_seconds)
        except TimeoutError:
            return State.FAILED, f"it took longer than {self._settings.job_seconds:g} seconds, which is the limit here"
        finally:
            await _end(process)
        answer = self._storage.answer(folder.name)
        if self._storage.room() < 0 and answer is not None:
            answer.unlink()
            return State.FAILED, f"its answer does not fit: {_FULL}"
        if process.returncode == 0 and answer is not None:
            return State.DONE, ""
        return State.FAILED, said or "the process was ended by the system, most likely because memory was short"


async def _last_words(process: asyncio.subprocess.Process) -> str:
    """Wait until a process ends, and return the last of what it said."""
    if process.stderr is None:
        raise RuntimeError("standard error is no pipe")
    said = b""
    while piece := await process.stderr.read(2**16):
        said = (said + piece)[-_LONGEST_ERROR * 4 :]
    await process.wait()
    text = said.decode("utf-8", "replace").strip()
    error = text[text.rfind("error: ") :].removeprefix("error: ") if "error: " in text else text
    return "\n".join(map(printable, error[-_LONGEST_ERROR:].splitlines()))


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process and all that it started."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, kind)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
            if kind is signal.SIGKILL:
                return
