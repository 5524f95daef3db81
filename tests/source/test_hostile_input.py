"""Input that has no end, is no text, or is far too large: a short error, soon, and never a bug."""

import gzip
import io
import os
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pq
import pytest

from podium.errors import InputError
from podium.source.read import read

BYTES = pa.array([b"B", b"\xff\xfe"], pa.binary())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,rte\nA,0.5\rB,x\nC,0.1\n", "line 3: column 'rte' holds 'x'"),
        ("system,rte\nA,0.5\nB\r,x\nC,0.1\n", "line 3: 1 cell but the header has 2"),
        ("system,rte\r\nA,0.5\r\nB,0.7\rC,abc\r\n", "line 4: column 'rte' holds 'abc'"),
        ('system,rte\n"A\rB",0.5\nC,x\n', "line 4: column 'rte' holds 'x'"),
    ],
)
def test_a_carriage_return_alone_ends_a_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(text.encode())
    with pytest.raises(InputError, match=message):
        read(path)
    path.write_bytes(text.replace("x\n", "0.3\n").replace("abc", "0.2").encode())
    if "1 cell" not in message:
        assert len(read(path).systems) == text.count("0.") + 1


@pytest.mark.parametrize("role", ["system", "task", "instance"])
@pytest.mark.parametrize("ending", ["parquet", "feather", "duckdb"])
def test_labels_that_are_no_text(tmp_path: Path, role: str, ending: str) -> None:
    columns = {"system": ["A", "B"], "task": ["t", "u"], "instance": ["1", "2"], "score": [1.0, 2.0], role: BYTES}
    table, path = pa.table(columns), tmp_path / f"scores.{ending}"
    if ending == "parquet":
        pq.write_table(table, path, use_dictionary=role == "task")
    elif ending == "feather":
        pa_feather.write_feather(table, path)
    else:
        with duckdb.connect(str(path)) as database:
            database.register("given", table)
            database.execute("CREATE TABLE scores AS SELECT * FROM given")
    with pytest.raises(InputError, match=r"row 2: a label is b'\\xff\\xfe', bytes that are no text"):
        read(path)


def test_bytes_that_are_text_are_labels_and_others_are_no_task(tmp_path: Path) -> None:
    text = pa.array([b"A", b"B"], pa.binary())
    pq.write_table(pa.table({"system": text, "rte": [1.0, 2.0], "hash": BYTES}), tmp_path / "a.parquet")
    scores = read(tmp_path / "a.parquet")
    assert (scores.systems, scores.task_names) == (("A", "B"), ("rte",))
    assert scores.notes == ("tasks: rte; not counted: hash; tasks=['*', 'hash'] (--tasks '*,hash') counts it",)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_pipe_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODIUM_PIPE_MIB", "8")
    message = "has more than 8 MiB; write it to a file .*, or raise the limit: PODIUM_PIPE_MIB=16"
    with pytest.raises(InputError, match=message):
        read("/dev/zero")
    with Path("/dev/zero").open() as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(InputError, match=message):
            read("-")
    monkeypatch.setenv("PODIUM_PIPE_MIB", "much")
    with pytest.raises(InputError, match="PODIUM_PIPE_MIB must be a whole number"):
        read("/dev/zero")


def test_the_limit_of_a_pipe_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"system,rte\nA,1\nB,2\n" + b"\n" * 2**20
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    monkeypatch.setenv("PODIUM_PIPE_MIB", "1")
    with pytest.raises(InputError, match="standard input has more than 1 MiB"):
        read("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    monkeypatch.setenv("PODIUM_PIPE_MIB", "2")
    assert read("-").systems == ("A", "B")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes("system,rte\nÄ,1\nB,2\n".encode(encoding))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress('{"system": "Ä", "rte": 1}\n'.encode(encoding)))
    assert read(tmp_path / "a.csv").systems == ("Ä", "B")
    assert read(tmp_path / "b.jsonl.gz").systems == ("Ä",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("scores.xlsx", b"PK", r"is damaged or is not a spreadsheet"),
        ("scores.zip", b"PK", r"is an archive; unpack it first"),
        ("scores.csv", b"PK\x03\x04", r"holds excel data, not text; .*--input-format excel"),
        ("scores.csv", bytes(2**20), "is binary data, not text"),
        ("scores.csv", b"<!DOCTYPE html>\n<html><p>A, B", r"is an HTML page; .*--input-format html"),
        (
            "scores.csv",
            b"| system | rte |\n| :-- | --: |\n| A | 1 |\n",
            r"holds a Markdown table; .*--input-format markdown",
        ),
        ("scores.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\n", "git lfs pull"),
        ("run.txt", b"1 Q0 d1 1 2.4 r\n1 Q0 d2 2 2.3 r\n", "is a run of TREC, .* --qrels FILE"),
        ("qrels.tsv", b"1\t0\td1\t1\n2\t0\td3\t0\n", "holds judgements of TREC, .* with --qrels"),
    ],
)
def test_what_a_file_is_instead(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path / name)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"system": "A", "rte": 1, "rte": 2}', r"line 2: 'rte' stands twice; keep one of the two values"),
        ('{"system": ' + "[" * 100_000, r"line 2: lists stand in lists too deep to be read"),
    ],
)
def test_json_that_loses_values_or_has_no_end(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"system": "B", "rte": 1}\n' + line)
    with pytest.raises(InputError, match=message):
        read(tmp_path / "a.jsonl")


def test_half_a_surrogate_pair_is_spelt_out(tmp_path: Path) -> None:
    lines = [
        f'{{"system": "{name}", "rte": {k}, "\\ud83d": 1}}' for k, name in enumerate(("a\\ud800b", "c\\ud83d\\ude00"))
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    scores = read(tmp_path / "a.jsonl")
    assert scores.systems == (r"a\ud800b", "c\N{GRINNING FACE}")
    assert scores.task_names == ("rte", r"\ud83d")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_file_whose_name_is_no_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_text("system,rte\nA,1\nB,2\n")
    assert read(path).systems == ("A", "B")
    with pytest.raises(InputError, match="cannot be opened as a DuckDB database"):
        read(path, format="duckdb")


def test_names_twice_in_what_is_not_read_do_not_matter(tmp_path: Path) -> None:
    lines = [f'{{"system": "{name}", "task": "t", "meta": {{"k": 1, "k": 2}}, "score": 1}}' for name in "AB"]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert read(tmp_path / "a.jsonl").systems == ("A", "B")


def test_a_feather_file_whose_offsets_lead_astray_is_damaged(tmp_path: Path) -> None:
    table = pa.table({"system": ["A" * 20, "B" * 20], "rte": [1.0, 2.0]})
    pa_feather.write_feather(table, tmp_path / "a.feather", compression="uncompressed")
    content = (tmp_path / "a.feather").read_bytes()
    offsets = np.array([0, 20, 40], dtype=np.int32).tobytes()
    assert content.count(offsets) == 1
    astray = np.array([0, 2**30, 40], dtype=np.int32).tobytes()
    (tmp_path / "a.feather").write_bytes(content.replace(offsets, astray))
    with pytest.raises(InputError, match=r"a\.feather is damaged or is not an Arrow or Feather file"):
        read(tmp_path / "a.feather")


@pytest.mark.parametrize(
    "text",
    [
        "system,rte\nA," + "x" * 10**6 + "\n",
        "system," + "y" * 10**6 + "\nA,z\n",
        "z" * 10**6 + ",b\n1,2\n",
        "system,task,score\n" + "A" * 10**6 + ",t,1\n" + "A" * 10**6 + ",t,2\n",
        "system,rte," + ",".join(f"{'c' * 10**5}{number}" for number in range(10)) + "\nA,1" + ",7B" * 10 + "\n",
    ],
)
def test_errors_are_short(tmp_path: Path, text: str) -> None:
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read(tmp_path / "scores.csv")
    assert len(str(caught.value)) < 5000


def test_the_time_of_wide_tables_grows_as_their_columns(tmp_path: Path) -> None:
    def seconds(n_tasks: int) -> float:
        path = tmp_path / "wide.csv"
        names = ",".join(f"t{number}" for number in range(n_tasks))
        values = np.random.default_rng(0).random((3, n_tasks)).round(3).astype(str)
        path.write_text("\n".join([f"system,{names}", *(f"s{row}," + ",".join(values[row]) for row in range(3))]))
        start = time.process_time()
        assert len(read(path).tasks) == n_tasks
        return time.process_time() - start

    seconds(100)
    assert seconds(8000) < 12 * seconds(2000), "4 times the columns; 16 times the time if each looked at each other"


def test_a_million_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("system," + ",".join(map(str, range(200_000))) + "\nA" + ",1" * 200_000 + "\n")
    with pytest.raises(InputError, match=r"has 200,001 columns, and a table may have 200,000; write a long table"):
        read(path)


def test_pointers_of_git_lfs_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "utf-8")
    with pytest.raises(InputError, match=r"a\.parquet only points to a file of Git LFS; fetch that with git lfs pull"):
        read(path)
