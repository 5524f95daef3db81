"""Faults of engines: whatever is killed, no byte of the answer differs.

python validation/fault_engine.py [SEED]
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import active_children
from pathlib import Path

import numpy as np

import podium
from podium.errors import EngineError

Check = Callable[[random.Random], None]

#: Workers that are killed, and schedulers.
_WORKERS, _OTHERS = 50, 5

#: Seconds in which podium must say that a scheduler is gone or hangs, and those that it takes to start and end.
_SAID, _AROUND = 40, 5

#: How `rank` is asked.
_OPTIONS = ("scores.parquet", "--replicates", "200", "--intervals", "--threads", "1", "--quiet")

#: A program that counts on workers of this machine until it is killed.
_FOREVER = """
import sys
sys.path.insert(0, sys.argv[1])
import fault_engine, podium
if __name__ == "__main__":
    with podium.engine("dask", workers=2):
        print("begun", flush=True)
        while True:
            fault_engine.answer(sys.argv[2])
"""


def checks() -> Iterator[tuple[str, Check]]:
    """Yield each fault with what provokes it."""
    yield f"a worker is killed, at {_WORKERS} moments", _workers_killed
    yield f"the scheduler is killed, at {_OTHERS} moments", _schedulers_killed
    yield "the command line says in one sentence that its scheduler was killed, or hangs", _scheduler_gone
    yield "whoever asks is killed, and leaves neither workers nor memory behind", _asker_killed


@contextmanager
def table() -> Iterator[str]:
    """Write a table of 24 tasks, which takes a second with its replicates, and yield its path."""
    rng = np.random.default_rng(0)
    arrays = {f"t{place:02}": rng.integers(0, 9, (8, 30_000)) / 4 for place in range(24)}
    scores = podium.from_arrays(arrays, instances={name: np.arange(30_000) for name in arrays})
    with tempfile.TemporaryDirectory() as folder:
        podium.convert(scores, Path(folder, "scores.parquet"))
        yield str(Path(folder, "scores.parquet"))


def answer(path: str) -> str:
    """Read the table, and rank with replicates."""
    return str(podium.rank(path, "borda:two", n_resamples=200).render("json"))


def _workers_killed(rng: random.Random) -> None:
    with table() as scores, podium.engine("dask", workers=2):
        with podium.engine("local"):
            expected = answer(scores)
        began = time.monotonic()
        answer(scores)
        lasts = time.monotonic() - began
        for _ in range(_WORKERS):
            _until(lambda: bool(_workers()))
            killer = threading.Timer(rng.uniform(0, lasts), _kill_one, [rng.random()])
            killer.start()
            found = answer(scores)
            killer.join()
            _hold(found == expected, "a killed worker changed the answer")


def _kill_one(which: float) -> None:
    """Kill a worker, be it at work or about to start."""
    if workers := _workers():
        with suppress(ProcessLookupError):
            os.kill(workers[int(which * len(workers))], signal.SIGKILL)


def _workers() -> list[int]:
    return sorted(filter(None, (one.pid for one in active_children())))


def _schedulers_killed(rng: random.Random) -> None:
    lasts, lost = 0.0, 0
    for turn in range(_OTHERS + 1):
        with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
            scores = stack.enter_context(table())
            expected = answer(scores)
            folder = Path(place)
            scheduler, address = stack.enter_context(_cluster(folder))
            try:
                with podium.engine("dask", scheduler=address):
                    began = time.monotonic()
                    if turn:  # the first one shows how long it takes
                        threading.Timer(rng.uniform(0, lasts), scheduler.kill).start()
                    found = answer(scores)
                    lasts = lasts or time.monotonic() - began
            except EngineError as error:
                _hold("scheduler" in str(error), str(error))
                lost += 1
            else:
                _hold(found == expected, "a killed scheduler changed the answer")
    _hold(lost > 0, "no scheduler died in time")


def _scheduler_gone(rng: random.Random) -> None:
    with _table_and_answer() as (folder, expected):
        said = 0
        for how in (signal.SIGKILL, signal.SIGSTOP):
            with _cluster(folder / how.name) as (scheduler, address):
                rank = _podium("rank", *_OPTIONS, "-f", "json", "--engine", "dask", "--scheduler", address)
                with subprocess.Popen(rank, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                    began = time.monotonic()
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(rng.uniform(0.5, 2.5))
                    scheduler.send_signal(how)
                    answered, errors = process.communicate(timeout=10 * _SAID)
            _hold(time.monotonic() - began < _SAID + _AROUND, f"it took {time.monotonic() - began:.0f} s")
            if process.returncode == 0:
                _hold((answered, errors) == (expected, b""), str(errors))
            else:
                said += 1
                _hold(process.returncode == 2 and errors.startswith(b"error: "), str(errors))
                _hold(b"scheduler" in errors and errors.count(b"\n") == 1, str(errors))
        _hold(said > 0, "no scheduler died in time")


@contextmanager
def _cluster(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run a scheduler, at the address given, and a worker meanwhile."""
    folder.mkdir(exist_ok=True)
    with _dask("scheduler", "--port", "0", place=folder) as scheduler, _dask("worker", "--no-nanny", place=folder):
        _until((folder / "scheduler.json").exists)
        yield scheduler, json.loads((folder / "scheduler.json").read_text())["address"]


@contextmanager
def _dask(*arguments: str, place: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a scheduler or a worker meanwhile."""
    file = ["--scheduler-file", str(place / "scheduler.json"), "--no-dashboard"]
    command = [sys.executable, "-m", "dask", *arguments, *file]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=place.parent, stdout=nowhere, stderr=nowhere)  # files have the same names
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _asker_killed(rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as place, table() as scores:
        program = Path(place) / "program.py"
        program.write_text(_FOREVER, encoding="utf-8")
        command = [sys.executable, str(program), str(Path(__file__).parent), scores]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            _hold(process.stdout is not None and process.stdout.readline() == b"begun\n", "workers did not start")
            time.sleep(rng.uniform(0, 3))
            started = _below(process.pid)
            _hold(len(started) >= 2, "there are no workers")
            process.kill()
        _until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))  # and with them what they had mapped


def _below(parent: int) -> list[int]:
    """Processes that a process has started."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (place / "stat").read_text().rpartition(")")[2].split()[1] == str(parent):
                found.append(int(place.name))
    return found


@contextmanager
def _table_and_answer() -> Iterator[tuple[Path, bytes]]:
    """Write the table into a folder, and rank it there."""
    with table() as path:
        folder = Path(path).parent
        rank = subprocess.run(_podium("rank", *_OPTIONS, "-f", "json"), cwd=folder, capture_output=True, check=True)
        yield folder, rank.stdout


def _podium(*words: str) -> list[str]:
    return [sys.executable, "-m", "podium", *words]


def _hold(true: bool, what: str) -> None:
    if not true:
        raise AssertionError(what)


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        _hold(time.monotonic() < deadline, "it did not come true within a minute")
        time.sleep(0.05)


if __name__ == "__main__":
    for name, check in checks():
        check(random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
        sys.stdout.write(f"held: {name}\n")
        sys.stdout.flush()
