"""Scores and boards on an S3 store that another project wrote: `make remote-test` installs and starts it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import podium
from podium.base.cluster import is_remote
from podium.errors import InputError
from podium.source import collect, distributed
from support.stressed import assert_equal

pytestmark = pytest.mark.skipif(find_spec("moto") is None, reason="moto is not installed: make remote-test")


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    yield f"http://127.0.0.1:{port}"
    server.send_signal(signal.SIGKILL)
    server.wait()


@pytest.fixture
def store(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    from pyarrow import fs  # only with a store

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    found = fs.S3FileSystem(endpoint_override=endpoint, allow_bucket_creation=True)
    found.create_dir("evals")
    return found


def written(store: Any, folder: Path) -> podium.Scores:
    """Put a simulated table on the store, as one CSV and as three Parquet files."""
    scores = podium.simulate.gumbel(4, 3, 200, dispersion=0.2, rng=1).scores
    rows = [
        {"task": task.name, "system": system, "instance": number, "score": float(task.values[row, number])}
        for task in scores.tasks
        for row, system in enumerate(scores.systems)
        for number in range(200)
    ]
    podium.convert(podium.from_frame(pa.Table.from_pylist(rows)), folder / "long.parquet")
    podium.convert(folder / "long.parquet", folder / "long.csv")
    with store.open_output_stream("evals/long.csv") as stream:
        stream.write((folder / "long.csv").read_bytes())
    table = pq.read_table(folder / "long.parquet")
    for number in range(3):
        with store.open_output_stream(f"evals/runs/{number}/part.parquet") as stream:
            pq.write_table(table.slice(number * 800, 800), pa.PythonFile(stream), row_group_size=100)
    return podium.read(folder / "long.parquet")


def test_files_folders_and_patterns_are_read(store: Any, tmp_path: Path) -> None:
    here = written(store, tmp_path)
    for source in ("s3://evals/runs", "s3://evals/runs/", "s3://evals/runs/*/part.parquet", "s3://evals/**/*.parquet"):
        assert_equal(podium.read(source), here)
    assert_equal(podium.read("s3://evals/long.csv"), podium.read(tmp_path / "long.csv"))


def test_what_is_not_there_is_named(store: Any) -> None:
    for source in ("s3://evals/none.csv", "s3://elsewhere/x.csv"):
        with pytest.raises(InputError, match=f"there is no file '{source}'"):
            podium.read(source)
    with store.open_output_stream("evals/words/notes.rst") as stream:
        stream.write(b"words")
    with store.open_output_stream("evals/words/more.txt") as stream:
        stream.write(b"words")
    with pytest.raises(InputError, match="s3://evals/words has no file to read"):
        podium.read("s3://evals/words")


#: Adds five systems of its own, one after the other.
_WRITER = """
import sys
import podium
for number in range(5):
    podium.add(sys.argv[1], {f"{sys.argv[2]} {number}": {"rte": {str(one): one / 10 for one in range(5)}}})
"""


def test_a_board_lives_on_the_store(store: Any, tmp_path: Path) -> None:
    here = written(store, tmp_path)
    board = "s3://evals/boards/one"
    assert podium.add(board, tmp_path / "long.parquet").made
    assert_equal(podium.read(board), here)
    assert not podium.add(board, "s3://evals/runs/").written
    podium.add(board, {"new": {here.task_names[0]: {"0": 0.5}}}, source="new/")
    assert len(podium.read(board).systems) == 5
    assert_equal(podium.read(board, as_of=0), here)
    assert podium.add(board, {"new": {here.task_names[0]: {"0": 1.0}}}, on_conflict="replace").replaced == 1
    assert podium.boards.compact(board).files == (2, 1)
    assert [one.what for one in podium.boards.log(board).events] == ["compact", "add", "add", "add"]
    assert podium.boards.check(board).sound


def test_workers_read_files_and_boards(store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = written(store, tmp_path)
    podium.add("s3://evals/boards/three", tmp_path / "long.parquet")
    podium.convert(tmp_path / "long.parquet", tmp_path / "long.jsonl")
    with store.open_output_stream("evals/long.jsonl") as stream:
        stream.write((tmp_path / "long.jsonl").read_bytes())
    monkeypatch.setattr(collect, "LARGE", 0)
    with podium.engine("dask", workers=2):
        monkeypatch.setattr(distributed, "_ROWS", 500)
        for source in ("runs", "long.csv", "long.jsonl", "boards/three"):
            found = podium.read(f"s3://evals/{source}")
            assert all(is_remote(part) for task in found.tasks for part in task.parts)
            assert_equal(found, here)
        assert podium.rank(found, n_resamples=40).to_dict() == podium.rank(here, n_resamples=40).to_dict()


def test_two_writers_on_the_store_lose_nothing(store: Any) -> None:
    board = "s3://evals/boards/two"
    assert store is not None
    commands = [[sys.executable, "-c", _WRITER, board, name] for name in "ab"]
    for writer in [subprocess.Popen(command) for command in commands]:
        assert writer.wait(240) == 0
    assert len(podium.read(board).systems) == 10
    assert podium.boards.info(board).scores == 50
    assert podium.boards.check(board).sound


def test_a_damaged_file_on_the_store_is_said(store: Any) -> None:
    board = "s3://evals/boards/four"
    for name in "ab":
        podium.add(board, {name: {"rte": {"0": 0.5}}}, source=name)
    from pyarrow import fs

    path = next(
        one.path for one in store.get_file_info(fs.FileSelector("evals/boards/four")) if one.path.endswith("parquet")
    )
    with store.open_input_stream(path) as stream:
        content = stream.read()
    with store.open_output_stream(path) as stream:
        stream.write(content[: len(content) // 2])
    with pytest.raises(podium.errors.BoardError, match="cannot be read"):
        podium.rank(board)
    assert not podium.boards.check(board).sound
