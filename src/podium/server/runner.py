"""Runs jobs, each in a process of its own that can be ended."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import podium
from podium.base.errors import LabelError, MethodError
from podium.base.words import printable
from podium.server.job import Job, State
from podium.server.question import Question
from podium.server.settings import Settings
from podium.server.storage import Storage

#: Letters of an error that are kept.
_LONGEST = 4000

#: Seconds that a process has to end when it is asked to, before it is killed.
_GRACE = 2.0


class BusyError(MethodError):
    """As many jobs wait as may."""


@dataclass(slots=True, eq=False)
class _Running:
    """A job that waits or runs."""

    question: Question
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
        """
        if leaving := list(filter(self._storage.is_leaving, question.uploads)):
            raise LabelError(f"upload {leaving[0]!r} is being deleted; send it again")
        number = question.digest(podium.__version__)
        there = self._storage.job(number)
        if number in self._active or (there is not None and there.state == State.DONE):
            return self.job(number)
        if len(self._active) >= self._settings.jobs + self._settings.waiting:
            raise BusyError("too many jobs wait; ask again later")
        folder = self._storage.prepare(question, number)
        running = self._active[number] = _Running(question)
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
        """All jobs, the newest first."""
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
        words = running.question.arguments(self._storage.file_names(running.question))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "podium.cli.entry", str(self._settings.job_bytes), *words),
            cwd=folder,
            env=_environment(os.environ, folder),
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
        if process.returncode == 0 and self._storage.answer(folder.name) is not None:
            return State.DONE, ""
        return State.FAILED, said or "the process was ended by the system, most likely because memory was short"


async def _last_words(process: asyncio.subprocess.Process) -> str:
    """Wait until a process ends, and return the last of what it said."""
    if process.stderr is None:
        raise RuntimeError("standard error is no pipe")
    said = b""
    while piece := await process.stderr.read(2**16):
        said = (said + piece)[-_LONGEST * 4 :]
    await process.wait()
    text = said.decode("utf-8", "replace").strip()
    error = text[text.rfind("error: ") :].removeprefix("error: ") if "error: " in text else text
    return "\n".join(map(printable, error[-_LONGEST:].splitlines()))


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process and all that it started."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, kind)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
            if kind is signal.SIGKILL:
                return


def _environment(given: Mapping[str, str], folder: Path) -> dict[str, str]:
    """What a job knows of its surroundings: not the token, but where to tell how far it is, and to show its answer."""
    kept = {name: value for name, value in given.items() if name != "PODIUM_TOKEN"}
    place = folder.resolve()
    return {**kept, "PODIUM_PROGRESS": str(place / "progress"), "PODIUM_SHOWN": str(place)}
