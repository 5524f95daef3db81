"""Addresses: files of a web server, of a store, and of a disk by its address; and stores that refuse or hang."""

import socket
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import podium
from podium.errors import InputError, MissingExtraError
from podium.source import path as remote
from support.entry import run
from support.stressed import assert_equal

ROWS = "task,system,instance,score\n" + "".join(
    f"t{number % 2},s{number % 3},{number // 6},{(number * 7) % 5 / 4}\n" for number in range(60)
)


class Quiet(SimpleHTTPRequestHandler):
    """A web server that keeps no log."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same scores as CSV, in three Parquet files, and what is not read beside them."""
    (tmp_path / "scores.csv").write_text(ROWS)
    table = podium.read(tmp_path / "scores.csv")
    assert table.n_cells == 60
    rows = [line.split(",") for line in ROWS.splitlines()[1:]]
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for number, name in enumerate(("a.parquet", "b.parquet", "deep/c.parquet")):
        some = rows[number * 20 : number * 20 + 20]
        columns = {
            "task": [row[0] for row in some],
            "system": [row[1] for row in some],
            "instance": [int(row[2]) for row in some],
            "score": [float(row[3]) for row in some],
        }
        pq.write_table(pa.table(columns), tmp_path / "parts" / name)
    (tmp_path / "parts" / "README.md").write_text("words")
    (tmp_path / "parts" / "_log.csv").write_text("a,b\n1,2\n")
    return tmp_path


@pytest.fixture
def web(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # of connections that aiohttp keeps
def test_files_of_the_web_are_read(folder: Path, web: str) -> None:
    here = podium.read(folder / "scores.csv")
    assert_equal(podium.read(f"{web}/scores.csv"), here)
    names = ["a.parquet", "b.parquet", "deep/c.parquet"]
    assert_equal(podium.read([f"{web}/parts/{name}" for name in names]), here)
    assert_equal(podium.read([f"{web}/scores.csv", f"{web}/scores.csv"]), here)  # read once


def test_folders_and_patterns_are_listed(folder: Path) -> None:
    here, address = podium.read(folder / "scores.csv"), f"file://{folder}"
    whole = podium.read(f"{address}/parts/")
    assert whole.notes == (f"2 files with other names in {address}/parts/ not read",)
    for source in (f"{address}/parts/**/*.parquet", f"{address}/parts/[abc].parquet", [f"{address}/parts/?.parquet"]):
        some = podium.read(source)
        assert some.n_scored == (60 if "**" in str(source) else 40)
    assert whole.n_scored == 60
    assert podium.rank(whole).score.tolist() == podium.rank(here).score.tolist()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("file:///no/such/file.csv", "there is no file 'file:///no/such/file.csv'"),
        ("file:///no/such/*.csv", "no file matches 'file:///no/such/*.csv'"),
        ("http://127.0.0.1:9/x.csv", "there is no file 'http://127.0.0.1:9/x.csv', or its server does not answer"),
        ("foo://bucket/x.csv", "foo://bucket/x.csv begins with foo://, which no store has"),
    ],
)
def test_what_is_not_there_is_named(source: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        podium.read(source)
    assert str(error.value).startswith(said)


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"needs fsspec and aiohttp: pip install .*\[remote\]"):
        podium.read("https://example.org/scores.csv")


class Refusing(BaseHTTPRequestHandler):
    """A store that refuses everything, as stores do."""

    def do_GET(self) -> None:
        """Refuse."""
        said = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
        self.send_response(403)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(said)

    do_HEAD = do_GET  # noqa: N815  # as the server calls it

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "somebody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    return monkeypatch


def test_a_store_without_permission_says_where_credentials_come_from(s3: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    s3.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    done = run(tmp_path, "rank", "s3://evals/scores.parquet")
    server.shutdown()
    server.server_close()
    assert (done.returncode, done.stdout) == (2, "")
    assert "s3://evals/scores.parquet cannot be read" in done.stderr
    assert "give credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" in done.stderr
    assert "secret" not in done.stderr


def test_a_store_that_hangs_is_given_up(s3: pytest.MonkeyPatch) -> None:
    s3.setattr(remote, "_ANSWER", 0.5)
    s3.setattr(remote, "_CONNECT", 0.5)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        s3.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(
            InputError, match=r"s3://evals/x\.csv cannot be read: .*; check the address and the network"
        ):
            podium.read("s3://evals/x.csv")


def test_a_result_may_be_written_where_an_address_is_read(folder: Path) -> None:
    done = run(folder, "rank", f"file://{folder}/scores.csv", "-o", "board.csv")
    assert done.returncode == 0
    assert (folder / "board.csv").exists()


def test_databases_are_copied_first(folder: Path) -> None:
    (folder / "x.duckdb").write_bytes(b"12345678DUCK")
    with pytest.raises(InputError, match="is a DuckDB database, which is read from a disk; copy it first"):
        podium.read(f"file://{folder}/x.duckdb")
