"""What is wrong with a board is said in a sentence, and old versions stay until they are forgotten."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import podium
from podium.errors import BoardError, InputError, OutputError
from podium.store.log import COLUMNS, DataFile, commit, opened, versions
from podium.store.place import Place
from podium.store.rows import writing_rows
from support.boarded import Cell, cells, table

RUNS: dict[str, dict[Cell, float]] = {
    **{f"run {number}": {("rte", f"S{number}", one): number / 4 for one in range(4)} for number in range(4)},
    "fix": {("rte", "S1", 2): 0.75, ("sst2", "S1", 0): 1.0},
    "last": {("sst2", "S9", 0): 0.5},
}


def board(path: Path) -> dict[Cell, float]:
    """Make a board of all runs, and return its cells."""
    for name, run in RUNS.items():
        podium.add(path, table(run), on_conflict="replace", source=name)
    return {cell: score for run in RUNS.values() for cell, score in run.items()}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    """Change a byte of a page of rows."""
    content = bytearray(path.read_bytes())
    content[60] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut, flip, Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_file_that_cannot_be_read_is_said(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    known = board(tmp_path)
    assert podium.boards.check(tmp_path).sound
    place = Place.of(tmp_path)
    (new,) = {one.name for one in opened(place, 5).files} - {one.name for one in opened(place, 4).files}
    content = (tmp_path / new).read_bytes()
    damage(tmp_path / new)
    found = podium.boards.check(tmp_path)
    assert not found.sound
    assert "--as-of" in found.sentence
    with pytest.raises(BoardError, match="--as-of"):
        podium.read(tmp_path)
    earlier = {cell: score for cell, score in known.items() if cell[1] != "S9"}
    assert cells(podium.read(tmp_path, as_of=4)) == earlier
    (tmp_path / new).write_bytes(content)
    assert cells(podium.read(tmp_path)) == known


def test_a_log_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    board(tmp_path)
    cut(tmp_path / "_delta_log" / f"{5:020d}.json")
    found = podium.boards.check(tmp_path)
    assert (found.sound, found.version) == (False, None)
    assert "the log" in found.sentence
    with pytest.raises(BoardError, match=r"the log of .* is damaged"):
        podium.read(tmp_path)


def added(path: Path, columns: dict[str, str]) -> None:
    """Add a row without a look at the board, as no podium does."""
    place, written = Place.of(path), list[DataFile]()
    row = {
        "task": "rte",
        "system": "S1",
        "instance": 2,
        "score": 0.75,
        "direction": "higher",
        "board_version": 7,
    } | columns
    with writing_rows(place, list(COLUMNS), written) as write:
        write(pa.Table.from_pylist([row]))
    commit(place, opened(place), {}, added=written)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({}, "has 1 score of task 'rte' twice"),
        ({"direction": "lower"}, "two directions, or means and instances, of rte"),
    ],
)
def test_rows_that_are_wrong_are_said(tmp_path: Path, columns: dict[str, str], words: str) -> None:
    board(tmp_path)
    added(tmp_path, columns)
    assert words in podium.boards.check(tmp_path).sentence


def test_old_versions_stay_after_compact_until_they_are_forgotten(tmp_path: Path) -> None:
    known, then = board(tmp_path), {}
    for number in range(6):
        then[number] = cells(podium.read(tmp_path, as_of=number))
    made = podium.boards.compact(tmp_path)
    assert made.files[1] == 1
    assert cells(podium.read(tmp_path)) == known
    for number, there in then.items():
        assert cells(podium.read(tmp_path, as_of=number)) == there
    assert podium.boards.compact(tmp_path).version == made.version
    forgotten = podium.boards.compact(tmp_path, forget=5)
    assert forgotten.removed > 0
    assert podium.boards.compact(tmp_path, forget=5).version == forgotten.version
    assert cells(podium.read(tmp_path)) == known
    assert cells(podium.read(tmp_path, as_of=5)) == then[5]
    assert podium.boards.check(tmp_path).sound
    with pytest.raises(BoardError, match="version 2 was forgotten; the first that is kept is 5"):
        podium.read(tmp_path, as_of=2)
    with pytest.raises(BoardError, match="the first is version 5"):
        podium.read(tmp_path, as_of="2020-01-01")


def test_files_of_killed_writers_are_removed_after_a_week(tmp_path: Path) -> None:
    known = board(tmp_path)
    old, new = (tmp_path / f"scores-{name * 32}.parquet" for name in "ab")
    for path in (old, new):
        path.write_bytes(b"PAR1")
    os.utime(old, (time.time() - 8 * 86_400,) * 2)
    for path in tmp_path.glob("scores-*.parquet"):  # those of versions stay, however old
        if path != new:
            os.utime(path, (time.time() - 8 * 86_400,) * 2)
    assert podium.boards.check(tmp_path).sound
    assert podium.boards.compact(tmp_path).removed == 1
    assert (old.exists(), new.exists()) == (False, True)
    assert cells(podium.read(tmp_path)) == known
    assert len(podium.read(tmp_path, as_of=0).systems) == 1


def test_times_never_go_back_though_the_clock_does(tmp_path: Path) -> None:
    for number, moment in enumerate([10**9, 5 * 10**8, 4 * 10**8, 2 * 10**9]):
        podium.add(tmp_path, {f"S{number}": {"rte": 0.5}})
        log = tmp_path / "_delta_log" / f"{number:020d}.json"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        for line in lines:
            if "commitInfo" in line:
                line["commitInfo"]["timestamp"] = moment
        log.write_text("\n".join(map(json.dumps, lines)))
    assert [one.time for one in versions(Place.of(tmp_path))] == [10**9, 10**9 + 1, 10**9 + 2, 2 * 10**9]
    assert len(podium.read(tmp_path, as_of="1970-01-12T13:47").systems) == 3
    assert len(podium.read(tmp_path, as_of="1970-01-12").systems) == 3
    assert len(podium.read(tmp_path, as_of="1970-01-24").systems) == 4


def test_a_newer_format_and_foreign_changes_are_refused(tmp_path: Path) -> None:
    podium.add(tmp_path / "b", {"A": {"rte": 0.5}})
    log = tmp_path / "b" / "_delta_log" / f"{0:020d}.json"
    log.write_text(log.read_text().replace("format 3", "format 4"))
    for what in (podium.read, podium.boards.info):
        with pytest.raises(BoardError, match=r"newer podium \(format 4; this one knows 3\); update podium"):
            what(tmp_path / "b")
    with pytest.raises(BoardError, match="update podium"):
        podium.add(tmp_path / "b", {"B": {"rte": 0.5}})
    log.write_text(log.read_text().replace("format 4", "format 2"))
    with pytest.raises(
        BoardError, match=r"an older podium \(format 2; this one knows 3\); add its files to a new board"
    ):
        podium.read(tmp_path / "b")
    from deltalake import write_deltalake

    podium.add(tmp_path / "c", {"A": {"rte": 0.5}})
    foreign = pa.table({"task": ["x"], "system": ["y"], "score": [1.0]})
    write_deltalake(tmp_path / "c", foreign, mode="append", schema_mode="merge")
    assert not podium.boards.check(tmp_path / "c").sound
    with pytest.raises(BoardError, match=r"another tool added"):
        podium.read(tmp_path / "c")
    assert podium.read(tmp_path / "c", as_of=0).systems == ("A",)


def test_other_delta_tables_are_read_as_plain_tables(tmp_path: Path) -> None:
    from deltalake import write_deltalake

    rows_of = pa.table({"model": ["x", "y"], "task": ["t", "t"], "score": [1.0, 0.5]})
    write_deltalake(tmp_path / "plain", rows_of)
    assert podium.read(tmp_path / "plain").systems == ("x", "y")
    with pytest.raises(InputError, match="table of another tool"):
        podium.read(tmp_path / "plain", as_of=0)
    with pytest.raises(BoardError, match="no board; choose another place"):
        podium.add(tmp_path / "plain", {"A": {"t": 1}})
    write_deltalake(tmp_path / "parted", rows_of, partition_by=["task"])
    with pytest.raises(BoardError, match="with partitions"):
        podium.read(tmp_path / "parted")


def test_a_file_of_somebody_else_stays(tmp_path: Path) -> None:
    for name in ("scores-mine.parquet", "podium-notes.txt"):
        (tmp_path / name).write_bytes(b"mine")
        with pytest.raises(OutputError, match="is no board; name a new or an empty folder"):
            podium.add(tmp_path, {"A": {"rte": 0.5}})
        (tmp_path / name).unlink()
    (tmp_path / f"scores-{'a' * 32}.parquet").write_bytes(b"of a writer that was killed")
    podium.add(tmp_path, {"A": {"rte": 0.5}})
    assert podium.read(tmp_path).systems == ("A",)
