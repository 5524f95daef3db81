"""Every format and compression gives the same table, and real files read right."""

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as pa_feather
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pq
import pytest

from podium.errors import InputError, LabelError
from podium.score.table import Scores
from podium.source.read import read

LONG = pa.table(
    {
        "task": ["rte", "rte", "rte", "rte", "sst2", "sst2"],
        "system": ["A", "A", "B", "B", "A", "B"],
        "instance": [2, 1, 1, 2, 7, 7],
        "score": [0.25, 0.5, None, 1.0, 0.0, 1.5],
    }
)


def check_long(scores: Scores) -> None:
    assert scores.systems == ("A", "B")
    assert scores.task_names == ("rte", "sst2")
    np.testing.assert_array_equal(scores.tasks[0].values, [[0.5, 0.25], [np.nan, 1.0]])
    np.testing.assert_array_equal(scores.tasks[1].values, [[0.0], [1.5]])
    assert [task.scored.tolist() for task in scores.tasks] == [[2, 1], [1, 1]]
    assert [np.asarray(task.instances).tolist() for task in scores.tasks] == [[1, 2], [7]]
    assert all(not part.flags.writeable for task in scores.tasks for part in task.parts)


def delimited(delimiter: str) -> bytes:
    sink = io.BytesIO()
    pa_csv.write_csv(LONG, sink, pa_csv.WriteOptions(delimiter=delimiter))
    return sink.getvalue()


def json_lines() -> bytes:
    return "".join(json.dumps(row) + "\n" for row in LONG.to_pylist()).encode()


def binary(write: Callable[[Any, Any], None]) -> bytes:
    sink = io.BytesIO()
    write(LONG, sink)
    return sink.getvalue()


def stream(table: Any, sink: Any) -> None:
    with pa_ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)


def cells(row: str, cell: str) -> list[str]:
    """Lines of the names, and of all rows, of a document."""
    rows = [
        LONG.column_names,
        *(["" if one is None else one for one in record.values()] for record in LONG.to_pylist()),
    ]
    return [row.format("".join(cell.format(one) for one in line)) for line in rows]


def markdown() -> bytes:
    names, *rows = cells("|{}", "{}|")
    return "\n".join(["# Scores", "", names, "|-|-|-|-|", *rows]).encode()


CONTENT = {
    "scores.csv": delimited(","),
    "scores.tsv": delimited("\t"),
    "semicolons.csv": delimited(";"),
    "scores.jsonl": json_lines(),
    "scores.ndjson": json_lines(),
    "scores.json": json.dumps(LONG.to_pylist()).encode(),
    "scores.md": markdown(),
    "scores.html": f"<html><table>{''.join(cells('<tr>{}', '<td>{}'))}</table></html>".encode(),
    "scores.parquet": binary(pq.write_table),
    "groups.parquet": binary(lambda table, sink: pq.write_table(table, sink, row_group_size=1)),
    "scores.feather": binary(pa_feather.write_feather),
    "scores.arrow": binary(stream),
}

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: bytes(pa.compress(content, codec="zstd", asbytes=True)),
}


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("name", CONTENT)
def test_every_format_and_compression_gives_the_same_table(tmp_path: Path, name: str, ending: str) -> None:
    path = tmp_path / (name + ending)
    path.write_bytes(COMPRESSIONS[ending](CONTENT[name]))
    check_long(read(path))


@pytest.mark.parametrize("ending", COMPRESSIONS)
@pytest.mark.parametrize("name", CONTENT)
def test_content_tells_the_format_where_the_name_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, ending: str
) -> None:
    content = COMPRESSIONS[ending](CONTENT[name])
    (tmp_path / "scores").write_bytes(content)
    check_long(read(tmp_path / "scores"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    check_long(read("-"))


def test_a_format_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "scores.txt").write_bytes(CONTENT["scores.tsv"])
    check_long(read(tmp_path / "scores.txt", format="tsv"))
    with pytest.raises(InputError, match="no format 'tvs'; did you mean 'tsv'"):
        read(tmp_path / "scores.txt", format="tvs")


def test_a_database_is_read_by_table(tmp_path: Path) -> None:
    path = tmp_path / "scores.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", LONG)
        connection.execute('CREATE TABLE "all scores" AS SELECT * FROM given')
        connection.execute('CREATE VIEW again AS SELECT * FROM "all scores"')
    check_long(read(path, table="all scores"))
    check_long(read(path, table="again"))
    with pytest.raises(LabelError, match="no table 'agian'; did you mean 'again'"):
        read(path, table="agian")
    with pytest.raises(InputError, match=r"several tables; choose one with table= .*'all scores'"):
        read(path)


def test_the_only_table_of_a_database_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "scores.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", LONG)
        connection.execute("CREATE TABLE scores AS SELECT * FROM given")
    check_long(read(path))
    with duckdb.connect(str(path)) as connection:
        connection.execute("DROP TABLE scores")
    with pytest.raises(InputError, match=r"scores\.duckdb has no tables"):
        read(path)


def test_a_table_of_a_file_that_has_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_bytes(CONTENT["scores.csv"])
    with pytest.raises(
        InputError, match=r"table='t' \(--table, --sheet\) names one of several tables, but .*scores\.csv holds one"
    ):
        read(tmp_path / "scores.csv", table="t")


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_bytes(CONTENT["scores.csv"])
    (tmp_path / "link").symlink_to(path)
    scores = read([path, str(tmp_path / "*.csv"), tmp_path / "link"])
    check_long(scores)
    assert scores.notes == ()  # not even of scores that are given twice


def test_a_link_to_nowhere_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(InputError, match=r"scores\.csv' is a link to '.*gone\.csv', but that does not exist"):
        read(tmp_path / "scores.csv")


@pytest.mark.parametrize("text", ["text.csv", "text.tsv", "text.jsonl"])
@pytest.mark.parametrize(
    ("name", "format_"), [("scores.parquet", "parquet"), ("scores.feather", "feather"), ("d", "duckdb")]
)
def test_a_binary_file_under_the_name_of_a_text_is_told(tmp_path: Path, text: str, name: str, format_: str) -> None:
    content = CONTENT.get(name, b"12345678DUCK")
    (tmp_path / text).write_bytes(content)
    with pytest.raises(
        InputError, match=rf"{text} holds {format_} data, .*format='{format_}' \(--input-format {format_}\)"
    ):
        read(tmp_path / text)


def test_a_compressed_file_under_the_name_of_a_plain_one_is_told(tmp_path: Path) -> None:
    (tmp_path / "text.csv").write_bytes(gzip.compress(CONTENT["scores.csv"]))
    with pytest.raises(InputError, match=r"text\.csv is compressed with gzip; rename it so that it ends in \.gz"):
        read(tmp_path / "text.csv")


def test_a_damaged_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "scores.duckdb").write_bytes(b"not a database")
    with pytest.raises(InputError, match="cannot be opened as a DuckDB database"):
        read(tmp_path / "scores.duckdb", table="scores")


def test_files_are_pieces_of_one_table(tmp_path: Path) -> None:
    for number in range(LONG.num_rows):
        pq.write_table(LONG.slice(number, 1), tmp_path / f"{number}.parquet")
    check_long(read(str(tmp_path / "*.parquet")))
    check_long(read(tmp_path))
    check_long(read([tmp_path / f"{number}.parquet" for number in range(LONG.num_rows)]))


def test_pieces_may_differ_in_format_and_in_tasks(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,rte\nA,1\nB,2\n")
    (tmp_path / "b.jsonl").write_text('{"model": "C", "sst2": 3}\n')
    scores = read(tmp_path)
    assert scores.systems == ("A", "B", "C")
    assert scores.tasks[0].values[:2, 0].tolist() == [1, 2]
    assert scores.tasks[1].values[2, 0] == 3
    assert scores.n_scored == 3


def test_other_files_in_a_folder_are_said(tmp_path: Path) -> None:
    (tmp_path / "README.txt").write_text("hello")
    (tmp_path / ".hidden.csv").write_text("hello")
    (tmp_path / "a.csv").write_text("system,rte\nA,1\n")
    assert read(tmp_path).notes[0] == f"1 file with other endings in {str(tmp_path)!r} not read"


def test_rows_that_come_late_may_have_new_tasks(tmp_path: Path) -> None:
    lines = [f'{{"system": "s{number}", "rte": 1}}\n' for number in range(300)]
    (tmp_path / "a.jsonl").write_text("".join(lines) + '{"system": "last", "late": 2}\n')
    scores = read(tmp_path / "a.jsonl")
    assert scores.task_names == ("rte", "late")
    assert scores.n_scored == 301


def test_lines_are_whole_in_blocks_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(CONTENT["scores.jsonl"].rstrip(b"\n"))
    for size in (1, 7, 100):
        monkeypatch.setattr("podium.source.jsonl._BLOCK", size)
        check_long(read(tmp_path / "a.jsonl"))


def test_single_precision_stays_where_all_scores_have_it(tmp_path: Path) -> None:
    single = LONG.set_column(3, "score", LONG["score"].cast(pa.float32()))
    pq.write_table(single, tmp_path / "single.parquet")
    pq.write_table(LONG, tmp_path / "double.parquet")
    check_long(read(tmp_path / "single.parquet"))
    assert read(tmp_path / "single.parquet").tasks[0].parts[0].dtype == np.float32
    assert read(tmp_path).tasks[0].parts[0].dtype == np.float64
    assert any(note.startswith("single and double precision are mixed") for note in read(tmp_path).notes)
    assert read(tmp_path / "single.parquet").notes == read(tmp_path / "double.parquet").notes == ()


@pytest.mark.parametrize(
    ("kind", "value"),
    [(pa.int8(), 1), (pa.bool_(), True), (pa.decimal128(5, 2), 1), (pa.float16(), np.float16(1)), (pa.string(), "1")],
)
def test_numbers_of_any_type_are_scores(tmp_path: Path, kind: Any, value: Any) -> None:
    table = pa.table({"system": ["A", "B"], "rte": pa.array([value, None], kind)})
    pq.write_table(table, tmp_path / "a.parquet")
    np.testing.assert_array_equal(read(tmp_path / "a.parquet").tasks[0].values, [[1.0], [np.nan]])


@pytest.mark.parametrize("late", ["", ",0.5"])
def test_right_and_wrong_are_one_and_nothing_in_every_format(tmp_path: Path, late: str) -> None:
    truth = [True, None, False, 0.5] if late else [True, None, False]
    words: dict[Any, str] = {True: "True", False: "FALSE", None: "NA"}
    rows = [(f"s{number}", value) for number, value in enumerate(truth)]
    text = "rte,system\n" + "".join(f"{words.get(value, str(value))},{system}\n" for system, value in rows)
    (tmp_path / "a.csv").write_text(text)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"rte": v, "system": s}) + "\n" for s, v in rows))
    if not late:
        pq.write_table(pa.table({"rte": truth, "system": [s for s, _ in rows]}), tmp_path / "a.parquet")
    for path in tmp_path.iterdir():
        scores = read(path)
        assert scores.systems == tuple(system for system, _ in rows), path
        np.testing.assert_array_equal(scores.tasks[0].values[:3, 0], [1, np.nan, 0], str(path))


def test_a_word_for_wrong_may_come_late(tmp_path: Path) -> None:
    rows = "".join(f"s{number},{number % 2}\n" for number in range(300))
    (tmp_path / "a.csv").write_text(f"system,rte\n{rows}last,true\n")
    assert read(tmp_path / "a.csv").tasks[0].values[-1, 0] == 1
    rows = rows.replace(",0", ",false").replace(",1", ",true")
    (tmp_path / "a.csv").write_text(f"system,rte\n{rows}last,0.5\n")
    assert read(tmp_path / "a.csv").tasks[0].values[-2:, 0].tolist() == [1, 0.5]


def test_labels_may_be_categories_numbers_or_views(tmp_path: Path) -> None:
    kinds = {
        "system": pa.array(["B", "A"]).dictionary_encode(),
        "task": pa.array([1, 1]),
        "instance": pa.array(["y", "x"], pa.string_view()),
        "score": pa.array([1.0, 2.0]),
    }
    pa_feather.write_feather(pa.table(kinds), tmp_path / "a.feather")
    scores = read(tmp_path / "a.feather")
    assert (scores.systems, scores.task_names) == (("B", "A"), ("1",))
    assert np.asarray(scores.tasks[0].instances).tolist() == ["x", "y"]


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(CONTENT["scores.csv"])
    (tmp_path / "b.parquet").write_bytes(CONTENT["scores.parquet"])
    seen: list[tuple[int, int | None]] = []
    read(tmp_path, progress=lambda done, total: seen.append((done, total)))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert seen[-1] == (size, size)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    ("name", "systems", "tasks", "missing"),
    [
        ("glue.csv", 105, 14, 0),
        ("superglue.csv", 24, 14, 0),
        ("xtreme_missing_table5.csv", 10, 4, 18),
        ("toy_table1.csv", 3, 6, 0),
        ("DIALOG_pc.parquet", 4, 19, 0),
        ("SUM_EVAL.parquet", 16, 17, 0),
    ],
)
def test_real_files(shared: Path, name: str, systems: int, tasks: int, missing: int) -> None:
    scores = read(shared / "data" / "scores" / name)
    assert (len(scores.systems), len(scores.tasks)) == (systems, tasks)
    assert scores.n_cells - scores.n_scored == missing


def test_real_scores_are_those_of_pandas(shared: Path) -> None:
    import pandas as pd

    path = shared / "data" / "scores" / "FLICKR.parquet"
    frame = pd.read_parquet(path)
    scores = read(path)
    for task in scores.tasks:
        wide = frame[frame["task"] == task.name].pivot_table(index="system", columns="instance", values="score")
        np.testing.assert_array_equal(task.values, wide.loc[list(scores.systems)].to_numpy())


@pytest.mark.parametrize("size", [50_000, 70_000, 130_000, 300_000])
def test_rows_of_any_length_are_all_read(tmp_path: Path, size: int) -> None:
    wide = tmp_path / "wide.csv"
    cells = ",".join(["0.5" + "0" * 200] * (size // 200))
    header = ",".join(["system", *(f"t{index}" for index in range(size // 200))])
    wide.write_text("\n".join([header, *(f"{system},{cells}" for system in "ABCDE")]) + "\n")
    assert read(wide).systems == tuple("ABCDE")
    rows = [(system, task, "x" * size) for system in "ABC" for task in "tu"]
    long = tmp_path / "long.csv"
    long.write_text("system,task,text,score\n" + "".join(f"{s},{t},{text},1\n" for s, t, text in rows))
    assert read(long).n_scored == 6
    lines = tmp_path / "long.jsonl"
    lines.write_text(
        "".join(json.dumps({"system": s, "task": t, "text": text, "score": 1}) + "\n" for s, t, text in rows)
    )
    assert read(lines).n_scored == 6


def test_a_column_that_comes_late_in_json_lines_is_used(tmp_path: Path) -> None:
    rows = [{"system": s, "task": "t", "instance": i, "score": 1, "metric": "acc"} for s in "AB" for i in range(300)]
    for row in rows[:250]:
        del row["metric"]
    path = tmp_path / "late.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="metric"):
        read(path)


def test_integers_with_leading_zeros_are_other_instances(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = [f"{system},t,{instance},1" for system in "AB" for instance in [*range(300), "007"]]
    path.write_text("system,task,instance,score\n" + "\n".join(rows) + "\n")
    assert read(path).n_instances == 301


def test_quoted_line_breaks_and_blank_lines_do_not_move_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    text = "x\n" * 40_000
    rows = "".join(f'{system},t,1,"{text}"\n\n' for system in "ABC")
    path.write_text(f'\n\nsystem,task,score,"the\ntext"\n\n{rows}')
    assert read(path).systems == ("A", "B", "C")


def test_letters_of_several_bytes_may_lie_anywhere_in_long_first_lines(tmp_path: Path) -> None:
    for shift in range(3):
        text = "x" * shift + "语" * 100_000
        (tmp_path / "a.csv").write_text(f"system,task,score,text\nA,t,1,{text}\n", encoding="utf-8")
        row = json.dumps({"text": text, "system": "A", "task": "t", "score": 1}, ensure_ascii=False)
        (tmp_path / "b.jsonl").write_text(row + "\n", encoding="utf-8")
        assert read(tmp_path / "a.csv").n_scored == read(tmp_path / "b.jsonl").n_scored == 1


@pytest.mark.parametrize("block", [100, 2**22])
def test_late_columns_of_a_long_table_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr("podium.source.jsonl._BLOCK", block)
    rows = [{"system": f"s{number}", "task": "t", "score": 1} for number in range(250)]
    late = [{"system": "late", "task": "t", "score": 2, "metric": "f1", "other": 1}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, *late]))
    with pytest.raises(InputError, match="line 1: there is no metric in column 'metric'"):
        read(tmp_path / "a.jsonl")
    noted = [*rows, *({**row, "task": "u", "note": "x"} for row in rows)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in noted))
    assert "column 'note' not used" in read(tmp_path / "a.jsonl").notes


def test_what_lies_aside_in_a_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "_old").mkdir()
    for name in ("a.csv", "_b.csv", "_old/c.csv", "notes.txt"):
        (tmp_path / name).write_text("system,rte\nA,1\n")
    aside = "2 files whose name or folder begins with _ ('_b.csv', '_old/c.csv')"
    assert read(".").notes[0] == f"1 file with other endings and {aside} in '.' not read"
    (tmp_path / "notes.txt").unlink()
    assert read(".").notes[0] == f"{aside} in '.' not read"
    assert read(str(tmp_path / "[a_]*")).notes[0].startswith("1 folder matching ")
    (tmp_path / "a.csv").unlink()
    with pytest.raises(InputError, match=r"so name these yourself: '_b\.csv'"):
        read(".")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet", "scores.jsonl"])
def test_a_fifo_is_read_whole(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(CONTENT[name],))
    writer.start()
    check_long(read(tmp_path / "pipe"))
    writer.join()
