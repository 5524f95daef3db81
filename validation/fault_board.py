"""Faults of boards: writers that are killed, that are two, that have no room, odd clocks, and stores that are slow.

python validation/fault_board.py [SEED]
"""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest import mock

import numpy as np

import podium
from podium.errors import BoardError, OutputError
from podium.score.table import Scores
from podium.store.log import opened, versions
from podium.store.place import Place

Check = Callable[[random.Random], None]

#: Moments at which a writer is killed, and scores of a batch.
_MOMENTS, _BATCH = 200, 400

#: Seconds within which an answer comes, whatever a store does.
_PATIENCE = 30.0

#: Adds batches until it is killed, and prints the number of each that was added.
_WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
import fault_board, podium
board, first, last, how = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
print("begun", flush=True)
for number in range(first, last):
    podium.add(board, fault_board.batch(number), on_conflict=how, source=f"batch {number}")
    print(number, flush=True)
"""

#: The same on a file system that takes no file larger than so many bytes.
_CONFINED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
sys.path.insert(0, sys.argv[1])
import fault_board, podium
try:
    podium.add(sys.argv[2], fault_board.batch(1), on_conflict="replace")
except podium.errors.OutputError as error:
    print(error)
    sys.exit(7)
"""


def checks() -> Iterator[tuple[str, Check]]:
    """Yield each fault with what provokes it."""
    yield f"a writer is killed, at {_MOMENTS} moments", _writers_killed
    yield "two writers add the same batches at once", _two_writers
    yield "the disk is full", _full_disk
    yield "the clock jumps", _clock_jumps
    yield "object storage hangs", _hanging_store
    yield "object storage is slow", _slow_store


def batch(number: int) -> Scores:
    """Return the scores of a batch: a system of its own on two tasks, and one score that others have, too."""
    rng = np.random.default_rng(number)
    labels = [f"q{one}" for one in range(_BATCH)]
    values = {name: dict(zip(labels, rng.integers(2, size=_BATCH) / 1.0, strict=True)) for name in ("a", "b")}
    return podium.from_dict({f"S{number:04}": values, "all": {"a": {"q0": 0.5}}})


def compare_with(board: Path, numbers: set[int]) -> None:
    """Check that a board has these batches, whole and once."""
    scores = podium.read(board)
    assert set(scores.systems) == {"all", *(f"S{number:04}" for number in numbers)}, "batches are lost, or others there"
    rows = sum(file.rows for file in opened(Place.of(board)).files)
    assert rows == scores.n_scored == 2 * _BATCH * len(numbers) + 1, "rows are there twice, or lost"
    for number in numbers:
        mine, theirs = batch(number), scores.select(systems=[f"S{number:04}"])
        for task in theirs.tasks:
            known = next(one for one in mine.tasks if one.name == task.name)
            assert np.array_equal(known.values[:1], task.values), f"batch {number} differs"


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="podium-board-"))
    try:
        yield folder / "board"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _started(board: Path, first: int, last: int, how: str = "error") -> "subprocess.Popen[str]":
    here = str(Path(__file__).parent)
    command = [sys.executable, "-c", _WRITER, here, str(board), str(first), str(last), how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _writers_killed(chance: random.Random) -> None:
    """Kill a writer again and again; the next one begins where it ended, and a compaction is killed, too."""
    with _folder() as board:
        done: set[int] = set()
        for _ in range(_MOMENTS):
            first = max(done, default=-1) + 1
            writer = _started(board, max(first - 1, 0), first + 50)
            assert writer.stdout is not None
            assert writer.stdout.readline() == "begun\n"
            time.sleep(chance.random() * 0.4)
            writer.send_signal(signal.SIGKILL)
            done |= {int(line) for line in writer.stdout.read().split()}
            writer.wait()
            if not (board / "_delta_log").is_dir() or not Place.of(board).has_log():
                continue
            there = {int(name[1:]) for name in podium.read(board).systems if name != "all"}
            assert there >= done, "what was added is lost"
            done = there
        compare_with(board, done)
        assert podium.boards.check(board).sound, "a killed writer has damaged the board"


def _two_writers(chance: random.Random) -> None:
    """Let two writers add overlapping batches, while a third one compacts."""
    with _folder() as board:
        overlap = chance.randrange(5, 20)
        writers = [_started(board, 0, 20), _started(board, 20 - overlap, 40 - overlap, "keep")]
        while any(writer.poll() is None for writer in writers):
            with suppress(BoardError):  # there may be no board yet
                podium.boards.compact(board)
            time.sleep(0.2)
        assert all(writer.wait() == 0 for writer in writers), "a writer gave up"
        compare_with(board, set(range(40 - overlap)))
        assert podium.boards.check(board).sound


def _full_disk(chance: random.Random) -> None:
    """Let the disk be full after so many bytes: for the rows, and for the log."""
    with _folder() as board:
        podium.add(board, batch(0))
        for _ in range(12):
            before = sorted(path.name for path in board.rglob("*"))
            size = chance.choice([0, 10, 200, 1000, 2500, chance.randrange(4000)])
            command = [sys.executable, "-c", _CONFINED, str(Path(__file__).parent), str(board), str(size)]
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            if ended.returncode == 0:
                continue
            assert ended.returncode == 7, f"no plain error with {size} bytes: {ended.stderr[-500:]}"
            assert "cannot be written" in ended.stdout, ended.stdout
            after = sorted(path.name for path in board.rglob("*"))
            assert [name for name in after if not name.startswith("scores-")] == [
                name for name in before if not name.startswith("scores-")
            ], "a part of a version is left"
            assert set(podium.read(board).systems) >= {"all", "S0000"}
        podium.add(board, batch(1))
        compare_with(board, {0, 1})


def _clock_jumps(chance: random.Random) -> None:
    """Add while the clock jumps; every version is found by its time."""
    with _folder() as board:
        for number in range(12):
            podium.add(board, batch(number))
            _dated(board / "_delta_log" / f"{number:020d}.json", int(chance.uniform(1e12, 2e12)))
        found = versions(Place.of(board))
        times = [one.time for one in found]
        assert times == sorted(set(times)), "a version is not later than the one before"
        for one in found:
            moment = f"{one.moment.replace(' ', 'T')}.{one.time % 1000:03}"
            assert len(podium.read(board, as_of=moment).systems) == one.number + 2, "another version at this time"


def _dated(log: Path, moment: int) -> None:
    """Let a version say that it was written at a moment, in milliseconds since 1970."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    for line in lines:
        if "commitInfo" in line:
            line["commitInfo"]["timestamp"] = moment
    log.write_text("\n".join(map(json.dumps, lines)))


@contextmanager
def _store(answer: Callable[[socket.socket], None]) -> Iterator[None]:
    """Be a store that answers in this way."""
    server = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            with suppress(OSError):
                connection, _ = server.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    told = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }
    try:
        with mock.patch.dict(os.environ, told):
            yield
    finally:
        ended.set()
        server.close()


def _refused_in_time(what: Callable[[], object]) -> None:
    start = time.monotonic()
    try:
        what()
        said = "nothing"
    except (BoardError, OutputError) as error:
        said = str(error)
    assert "s3://bucket/board" in said, f"the answer is: {said}"
    took = time.monotonic() - start
    assert took < _PATIENCE, f"an error came after {took:.0f} s"


def _hanging_store(chance: random.Random) -> None:
    """Let a store take requests, and never answer."""
    with _store(lambda _: time.sleep(300)):
        for what in (podium.read, podium.boards.info, lambda board: podium.add(board, batch(chance.randrange(9)))):
            _refused_in_time(lambda what=what: what("s3://bucket/board"))  # type: ignore[misc]


def _slow_store(chance: random.Random) -> None:
    """Let a store answer one byte after the other, and fail."""

    def slowly(connection: socket.socket) -> None:
        with suppress(OSError):
            connection.recv(4096)
            for letter in "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n":
                connection.sendall(letter.encode())
                time.sleep(chance.random() * 0.1)
            connection.close()

    with _store(slowly):
        _refused_in_time(lambda: podium.read("s3://bucket/board"))


def main() -> None:
    """Provoke all faults."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    for name, check in checks():
        start = time.monotonic()
        check(random.Random(f"{seed} {name}"))
        sys.stdout.write(json.dumps({"fault": name, "seconds": round(time.monotonic() - start, 1)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
