"""Several writers at once, and writers that are killed."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.board import api
from podium.errors import OutputError
from podium.store.log import OvertakenError, Snapshot, commit, opened
from podium.store.place import Place
from support.boarded import cells, rows, table

pytestmark = pytest.mark.whole

#: Adds ten batches of its own systems, one after the other, and one that all add.
_WRITER = """
import sys
import podium
folder, name = sys.argv[1:]
for number in range(10):
    scores = {f"{name} {number}": {"rte": {str(one): one / 10 for one in range(5)}}, "all": {"rte": {"0": 0.5}}}
    podium.add(folder, scores)
"""


def started(folder: Path, name: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), name])


def ended(writers: Sequence["subprocess.Popen[bytes]"]) -> None:
    for writer in writers:
        assert writer.wait(120) == 0


def test_two_at_once_lose_nothing_and_write_nothing_twice(tmp_path: Path) -> None:
    board = tmp_path / "board"
    ended([started(board, name) for name in "ab"])
    scores = podium.read(board)
    assert set(scores.systems) == {"all", *(f"{name} {number}" for name in "ab" for number in range(10))}
    assert rows(board) == 101 == scores.n_scored
    on_disk = {path.name for path in board.glob("*") if path.is_file()}
    named = {file.name for file in opened(Place.of(board)).files}
    assert on_disk == named, "losers remove what they have written"


def test_a_killed_writer_is_continued_by_the_same_command(tmp_path: Path) -> None:
    board, chance = tmp_path / "board", random.Random(5)  # noqa: S311  # no secret
    for _ in range(3):
        writer = started(board, "a")
        deadline = time.monotonic() + 60
        while not (board / "_delta_log").is_dir() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(chance.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert podium.read(board).n_scored == rows(board)
    ended([started(board, "a")])
    assert rows(board) == 51
    assert len(podium.read(board).systems) == 11


def test_a_writer_that_is_overtaken_looks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody adds one of the same scores, and replaces another, between the look and the commit."""
    podium.add(tmp_path, table({("t", "A", 0): 1.0}))
    seen: list[object] = []

    def overtaken(place: Place, snapshot: Snapshot | None, info: Any, **how: Any) -> int:
        if not seen:
            seen.append(snapshot)
            podium.add(tmp_path, table({("t", "A", 1): 0.5, ("t", "B", 0): 0.0}))
        return commit(place, snapshot, info, **how)

    monkeypatch.setattr(api, "commit", overtaken)
    made = podium.add(tmp_path, table({("t", "A", 1): 0.5, ("t", "C", 0): 1.0}))
    assert (made.version, made.new, made.same) == (2, 1, 1)
    assert len(cells(podium.read(tmp_path))) == rows(tmp_path) == 4


def test_a_writer_that_is_always_overtaken_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_TRIES", 3)
    monkeypatch.setattr(api, "_PATIENCE", 0.0)

    def never() -> int:
        raise OvertakenError

    with pytest.warns(podium.errors.PodiumWarning, match="still trying"), pytest.raises(OutputError, match="3 times"):
        api.retrying(Place.of(tmp_path), never)
