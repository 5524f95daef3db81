"""Bad input: what is wrong, where, and what to do; never another library's error."""

import gzip
import re
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pq
import pytest

from podium.errors import InputError, PodiumError, PodiumWarning
from podium.source.read import read
from support.tool_cases import TABLES, cases

WIDE = "system,rte,sst2\nA,0.5,0.9\nB,0.6,0.8\n"
LONG = "task,system,instance,score\nt,A,1,0.5\nt,B,1,0.6\n"
MANY = "".join(f"A{number},0.5,1\n" for number in range(30_000))


LATE = {
    "scores.csv": ("system,a,b\n" + MANY + "B,1\n", "line 30002: 2 cells but the header has 3"),
    "text.csv": ("system,a,b\n" + MANY + "B,abc,1\n", "line 30002: column 'a' holds 'abc', which is not a number"),
    "returns.csv": ("system,a\r\r,1\nA,1\n,3\n", "there is no system in column 'system'"),
    "scores.jsonl": ('{"system": "A", "rte": 1}\n' * 300 + '{"system": "A"\n', "line 301: this is not JSON"),
    "nested.jsonl": ('{"system": "A", "rte": 1}\n' * 300 + '{"system": "A", "rte": {}}\n', "301: 'rte' is a list or"),
}


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(PodiumError) as caught:
        read(path, **options)
    assert type(caught.value).__module__ == "podium.errors"
    return str(caught.value)


@pytest.mark.parametrize("name", LATE)
def test_bad_rows_far_below_or_behind_returns_are_named(tmp_path: Path, name: str) -> None:
    content, message = LATE[name]
    (tmp_path / name).write_text(content)
    assert message in refused(tmp_path / name)


def test_errors_of_a_compressed_text_are_those_of_the_text(tmp_path: Path) -> None:
    """What is wrong with texts themselves is in `cases/bad_text.txt`."""
    for number, case in enumerate(cases("bad_text", TABLES)):
        path = case.write(tmp_path / str(number)) / "scores.csv.gz"
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
        _, error, said = case.text.partition("error: ")
        if error:
            assert refused(path).replace(f"{path.parent}/", "") + "\n" == said.replace("scores.csv", path.name)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes("system,rte\nÄ,1\n".encode("latin-1"))
    assert "scores.csv, line 2: byte 1 of the line (0xc4) is not UTF-8; save the file again as UTF-8" in refused(path)
    path.write_bytes(("system,a,b\n" + MANY).encode() + b"\xff,1,2\n")
    assert "line 30002: byte 1 of the line (0xff)" in refused(path)
    lines = tmp_path / "scores.jsonl"
    lines.write_bytes(b'{"system": "A", "rte": 1}\n' * 20_000 + b'{"system": "\xff", "rte": 1}\n')
    assert "line 20001: byte 13 of the line (0xff)" in refused(lines)


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    for name, content in (("a.csv", WIDE), ("a.jsonl", '{"system": "A", "rte": 1}\n')):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.encode())
        assert read(tmp_path / name).systems[0] == "A"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_words_for_missing_scores(tmp_path: Path, newline: str) -> None:
    rows = ["system,a,b,c,d,e,f,g", "A,-,NA,n/A,Null,NONE,nan,", "B,1,2,3,4,5,6, na ", "", "None,1,2,3,4,5,6,7"]
    rows += ["C,#N/A,#N/A N/A,<NA>,-nan,NaN,-NaN,#n/a"]
    path = tmp_path / "scores.csv"
    path.write_bytes(newline.join(rows).encode())
    scores = read(path)
    assert scores.systems == ("A", "B", "None", "C")
    assert [task.scored.tolist() for task in scores.tasks] == [[0, 1, 1, 0]] * 6 + [[0, 0, 1, 0]]


@pytest.mark.parametrize(
    "name", ["a.csv.gz", "a.csv.bz2", "a.jsonl.zst", "a.csv.xz", "a.parquet", "a.feather", "a.arrow"]
)
def test_damaged_files(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"this is something else")
    message = refused(tmp_path / name)
    assert f"{name} is damaged" in message
    assert message.endswith("write or download it again")


def test_truncated_files(tmp_path: Path) -> None:
    packed = gzip.compress(b"system,rte\n" + b"".join(b"A%d,%d\n" % (n, n * n) for n in range(100_000)))
    (tmp_path / "a.csv.gz").write_bytes(packed[:-3000])
    assert "a.csv.gz is damaged" in refused(tmp_path / "a.csv.gz")
    for name, write in (("b.parquet", pq.write_table), ("c.feather", pa_feather.write_feather)):
        write(pa.table({"system": ["A"] * 9999, "rte": [0.5] * 9999}), tmp_path / name)
        content = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(content[: len(content) // 2])
        assert f"{name} is damaged" in refused(tmp_path / name)


def test_a_damaged_page_is_found_while_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"system": ["A"], "rte": [0.5]}), path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    assert "a.parquet is damaged" in refused(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"system": ["A"], "rte": [[1.0]]}, "column 'rte' holds lists"),
        ({"system": ["A", "B"], "rte": ["0.5", "oops"]}, "a.parquet, row 2: column 'rte' holds 'oops'"),
        ({"system": ["A", None], "rte": [1.0, 2.0]}, "a.parquet, row 2: there is no system"),
        ({"system": pa.array([], pa.string()), "rte": pa.array([], pa.float64())}, "but no rows"),
        ({"system": ["A", "B"], "rte": [1.0, float("-inf")]}, "row 2: column 'rte' holds -inf"),
        ({"system": ["A"], "day": pa.array([0], pa.date32())}, "row 1: column 'day' holds '1970-01-01'"),
        (
            {"system": ["A"], "task": ["t"], "instance": pa.array([None], pa.int64()), "score": [1]},
            "row 1: there is no instance",
        ),
    ],
)
def test_bad_columns(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    for name, write in (("a.parquet", pq.write_table), ("a.feather", pa_feather.write_feather)):
        write(pa.table(columns), tmp_path / name)
        assert message.replace("a.parquet", name) in refused(tmp_path / name)


def test_empty_binary_files(tmp_path: Path) -> None:
    for name in ("a.parquet", "a.arrow"):
        (tmp_path / name).write_bytes(b"")
        assert refused(tmp_path / name).endswith(f"{name} is empty")


def test_a_column_named_twice_in_a_binary_file(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["A"]), pa.array([1]), pa.array([2])], names=["system", "rte", "rte"])
    pq.write_table(table, tmp_path / "a.parquet")
    assert "columns 2 and 3 are both called 'rte'" in refused(tmp_path / "a.parquet")


def test_contradictions_between_files_and_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(WIDE)
    (tmp_path / "b.csv").write_text("system,sst2\nC,1\nB,1\n")
    message = refused(tmp_path)
    assert (
        f"task 'sst2', system 'B': 0.8 ({tmp_path / 'a.csv'}, line 3) and 1 ({tmp_path / 'b.csv'}, line 3)" in message
    )
    assert "1 score contradicts an earlier score" in message
    assert "average them with statistic='mean' (--statistic mean), or always keep the first" in message


def test_a_warning_says_that_keeping_the_first_leaves_out_most(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("system,task,score\n" + "".join(f"{s},t,0.{k}\n" for k in range(1, 6) for s in "AB"))
    said = "8 rows contradict an earlier score and were left out, 80% of all; are they repeats? repeat_column="
    with pytest.warns(PodiumWarning, match=re.escape(said)):
        scores = read(path, keep_first=True)
    assert any(note.startswith(said) for note in scores.notes)
    path.write_text("system,task,score\nA,t,1\nB,t,2\nA,t,3\n")
    assert read(path, keep_first=True).notes == ("1 row contradicts an earlier score and was left out",)


def test_contradictions_of_labels_that_turn_out_to_be_text(tmp_path: Path) -> None:
    path, late = tmp_path / "a.csv", "".join(f"t,A,{number},1\n" for number in range(2, 300))
    path.write_text(f"{LONG}{late}t,A,007,1\nt,A,1,9\n")
    assert f"instance '1': 0.5 ({path}, line 2) and 9 ({path}, line 303)" in refused(path)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(WIDE)
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty").endswith("is empty")
    (tmp_path / "empty" / "notes.txt").write_text("hello")
    assert "there is no file" in refused(tmp_path / "score.csv")
    assert "did you mean 'scores.csv'?" in refused(tmp_path / "score.csv")
    assert "does not exist" in refused(tmp_path / "nowhere" / "score.csv")
    assert "no file matches" in refused(tmp_path / "*.parquet")
    assert "has no file to read; podium reads files that end in .csv, .tsv" in refused(tmp_path / "empty")
    with pytest.raises(InputError, match="list of files to read is empty"):
        read([])


def test_what_is_no_path(tmp_path: Path) -> None:
    others: list[Any] = [{"A": {}}, pa.table({"system": ["A"]}), 7, None]
    for given in others:
        said = f"cannot read scores from {type(given).__name__}; give a path, or use podium.from_frame, from_dict"
        with pytest.raises(InputError, match=said):
            read(given)
    (tmp_path / "scores.csv").write_text(WIDE)
    with (
        (tmp_path / "scores.csv").open() as file,
        pytest.raises(InputError, match=r"podium\.read opens files itself; give it a path"),
    ):
        read(file)


def test_contradictions_show_all_digits_and_short_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"task,system,score\nt,{'A' * 500},0.12345678\nt,{'A' * 500},0.12345679\n")
    message = refused(path)
    assert f"system '{'A' * 59}…': 0.12345678 (" in message
    assert "and 0.12345679 (" in message
    single = {"task": ["t", "t"], "system": ["A", "A"], "score": pa.array([0.1, 0.2], pa.float32())}
    pq.write_table(pa.table(single), tmp_path / "a.parquet")
    assert "0.1 (" in (message := refused(tmp_path / "a.parquet"))
    assert "0.2 (" in message


def test_a_view_that_cannot_be_read_is_an_error_of_the_input(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    (tmp_path / "gone.csv").write_text(WIDE)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE VIEW gone AS SELECT * FROM read_csv('{tmp_path / 'gone.csv'}')")  # noqa: S608
        connection.execute("CREATE TABLE late AS SELECT i, if(i = 900000, 'x', '1') AS t FROM range(1000000) r(i)")
        connection.execute("CREATE VIEW words AS SELECT 'A' AS system, i AS instance, t::DOUBLE AS rte FROM late")
    (tmp_path / "gone.csv").unlink()
    assert "a.duckdb, table gone cannot be read: IO Error" in refused(path, table="gone")
    assert "a.duckdb, table words cannot be read: Conversion Error" in refused(path, table="words")


def test_a_quote_never_closed_in_a_long_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('system,a,b\n"' + MANY)
    assert "line 2: 1 cell but the header has 3" in refused(path)
