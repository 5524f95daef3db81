"""Every kind of damage to every kind of file is found and repaired; what is lost is named, and nothing else is."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.errors import BoardError
from podium.store.audit import audit
from podium.store.place import Place
from support.boarded import Cell, cells, rows, table

RUNS: dict[str, dict[Cell, float]] = {
    **{f"run {number}": {("rte", f"S{number}", one): number / 4 for one in range(4)} for number in range(4)},
    "fix": {("rte", "S1", 2): 0.75, ("sst2", "S1", 0): 1.0},
    "last": {("sst2", "S9", 0): 0.5},
}


def board(path: Path) -> dict[Cell, float]:
    """Make a board of all runs, and return its cells."""
    for name in RUNS:
        again(path, name)
    return {cell: score for run in RUNS.values() for cell, score in run.items()}


def again(path: Path, name: str) -> None:
    podium.add(path, table(RUNS[name]), on_conflict="replace", source=name)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path, where: float = 0.5) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * where)] ^= 1
    path.write_bytes(content)


def log_of(number: int) -> Callable[[Path], Path]:
    return lambda path: path / "_delta_log" / f"{number:020d}.json"


def data_of(number: int) -> Callable[[Path], Path]:
    """A file of rows that a version added."""

    def found(path: Path) -> Path:
        lines = audit(Place.of(path)).records[number].lines
        return path / next(line.name for line in lines if line.added)

    return found


#: Every kind of file of a board, and the version that it is of.
KINDS: dict[str, Callable[[Path], Path]] = {
    "rows of the newest version": data_of(3),
    "rows of old versions alone": data_of(1),
    "rows of the last addition": data_of(5),
    "the first version": log_of(0),
    "a version": log_of(2),
    "a version that replaces": log_of(4),
    "the last version": log_of(5),
    "the witness": lambda path: path / "_delta_log" / f"{5:020d}.sha256",
}

DAMAGES: dict[str, Callable[[Path], None]] = {
    "truncate": truncate,
    "flip": flip,
    "delete": Path.unlink,
    "flip the first byte": lambda path: flip(path, 0.0),
    "flip the last byte": lambda path: flip(path, 0.9999),
}


def test_the_kinds_of_files_are_all_there_are(tmp_path: Path) -> None:
    board(tmp_path)
    endings = {path.suffix for path in tmp_path.rglob("*") if path.is_file()}
    assert endings == {".parquet", ".json", ".sha256"}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_found_and_repaired(tmp_path: Path, kind: str, damage: str) -> None:
    known = board(tmp_path)
    assert podium.boards.check(tmp_path).problems == ()
    DAMAGES[damage](KINDS[kind](tmp_path))
    found = podium.boards.check(tmp_path)
    if (kind, damage) == ("the witness", "delete"):
        assert found.sound, "no more than a help to check the newest version"
    else:
        assert found.problems
    made = podium.boards.repair(tmp_path)
    assert podium.boards.check(tmp_path).sound
    if not made.lost:
        assert cells(podium.read(tmp_path)) == known
    for name in RUNS:
        if name in {source for one in made.lost for source in one.sources} or damage == "delete":
            again(tmp_path, name)
    assert cells(podium.read(tmp_path)) == known
    assert rows(tmp_path) == len(known)


def test_only_what_is_named_is_lost(tmp_path: Path) -> None:
    known = board(tmp_path)
    KINDS["rows of the newest version"](tmp_path).unlink()
    with pytest.raises(BoardError, match=r"is missing; podium board check"):
        podium.read(tmp_path)
    (lost,) = podium.boards.repair(tmp_path).lost
    assert (lost.systems, lost.tasks, lost.scores, lost.sources) == (("S3",), ("rte",), 4, ("run 3",))
    left = {cell: score for cell, score in known.items() if cell[1] != "S3"}
    assert cells(podium.read(tmp_path)) == left


def test_a_history_goes_on_after_a_repair(tmp_path: Path) -> None:
    """Versions that had the damaged file are left out, and a note and the check say so."""
    board(tmp_path)
    flip(KINDS["rows of the newest version"](tmp_path))  # of run 3, which is in versions 3 to 5
    podium.boards.repair(tmp_path)
    found = podium.history(tmp_path, replicates=40)
    assert [step.label for step in found.steps] == ["version 1", "version 2", "version 6"]
    assert "left out 3 versions: a file was damaged before a repair" in found.notes
    checked = podium.boards.check(tmp_path)
    assert checked.sound
    assert [(one.what, one.versions) for one in checked.problems] == [
        ("was damaged before a repair; these versions cannot be read", (3, 5))
    ]


def test_groups_of_rows_that_are_whole_are_kept(tmp_path: Path) -> None:
    many: dict[Cell, float] = {
        (task, system, number): float(number % 2) for task in ("a", "b") for system in "AB" for number in range(20_000)
    }
    podium.add(tmp_path, table(many), source="big")
    (file,) = tmp_path.glob("*.parquet")
    content = bytearray(file.read_bytes())
    content[100] ^= 8  # the first pages are of task a
    file.write_bytes(content)
    with pytest.raises(BoardError, match=r"is damaged.*podium board repair"):
        podium.read(tmp_path)
    (lost,) = podium.boards.repair(tmp_path).lost
    assert (lost.tasks, lost.scores) == (("a",), 40_000)
    assert podium.read(tmp_path).task_names == ("b",)
    assert podium.add(tmp_path, table(many), source="big").new == 40_000


def test_a_repair_that_was_interrupted_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = board(tmp_path)
    flip(KINDS["a version"](tmp_path))
    from podium.board import repair

    def dies(*_: Any, **__: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(repair, "commit", dies)
    with pytest.raises(KeyboardInterrupt):
        podium.boards.repair(tmp_path)
    monkeypatch.undo()
    assert not podium.boards.check(tmp_path).sound
    podium.boards.repair(tmp_path)
    assert podium.boards.check(tmp_path).sound
    assert cells(podium.read(tmp_path)) == known
    assert list((tmp_path / "_broken").iterdir())


def test_left_over_files_are_removed_when_they_are_old(tmp_path: Path) -> None:
    board(tmp_path)
    (old, new) = (tmp_path / f"podium-{name * 32}.partial" for name in "ab")
    for path in (old, new):
        path.write_bytes(b"x")
    os.utime(old, (time.time() - 7200,) * 2)
    assert {one.name for one in podium.boards.check(tmp_path).problems} == {old.name, new.name}
    assert podium.boards.repair(tmp_path).removed == (old.name,)
    assert new.exists()
    assert podium.boards.repair(tmp_path, age=0).removed == (new.name,)
    assert podium.boards.check(tmp_path).problems == ()


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
    assert podium.boards.compact(tmp_path, forget=5).freed > 0
    assert cells(podium.read(tmp_path)) == known
    assert cells(podium.read(tmp_path, as_of=5)) == then[5]
    assert podium.boards.check(tmp_path).problems == ()
    with pytest.raises(BoardError, match="version 2 was forgotten; the first that is kept is 5"):
        podium.read(tmp_path, as_of=2)
    with pytest.raises(BoardError, match="the first is version 5"):
        podium.read(tmp_path, as_of="2020-01-01")


def test_times_never_go_back_though_the_clock_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([1_000_000.0, 500_000.0, 400_000.0, 2_000_000.0])
    clock = [next(times)]
    monkeypatch.setattr("podium.store.commit.time.time", lambda: clock[0])
    for number in range(4):
        podium.add(tmp_path, {f"S{number}": {"rte": 0.5}})
        clock[0] = next(times, 0.0)
    from podium.store.log import versions

    assert [one.time for one in versions(Place.of(tmp_path))] == [10**9, 10**9 + 1, 10**9 + 2, 2 * 10**9]
    assert len(podium.read(tmp_path, as_of="1970-01-12T13:47").systems) == 3
    assert len(podium.read(tmp_path, as_of="1970-01-12").systems) == 3
    assert len(podium.read(tmp_path, as_of="1970-01-24").systems) == 4


def test_a_newer_format_and_foreign_changes_are_refused(tmp_path: Path) -> None:
    podium.add(tmp_path / "b", {"A": {"rte": 0.5}})
    log = log_of(0)(tmp_path / "b")
    log.write_text(log.read_text().replace("format 1", "format 2"))
    for what in (podium.read, podium.boards.info):
        with pytest.raises(BoardError, match=r"newer podium \(format 2; this one knows 1\); update podium"):
            what(tmp_path / "b")
    with pytest.raises(BoardError, match="update podium"):
        podium.add(tmp_path / "b", {"B": {"rte": 0.5}})
    import pyarrow as pa
    from deltalake import write_deltalake

    podium.add(tmp_path / "c", {"A": {"rte": 0.5}})
    foreign = pa.table({"task": ["x"], "system": ["y"], "score": [1.0]})
    write_deltalake(tmp_path / "c", foreign, mode="append", schema_mode="merge")
    assert not podium.boards.check(tmp_path / "c").sound
    with pytest.raises(BoardError, match=r"another tool added|is damaged"):
        podium.read(tmp_path / "c")
    assert podium.read(tmp_path / "c", as_of=0).systems == ("A",)


def test_other_delta_tables_are_read_as_plain_tables(tmp_path: Path) -> None:
    import pyarrow as pa
    from deltalake import write_deltalake

    rows_of = pa.table({"model": ["x", "y"], "task": ["t", "t"], "score": [1.0, 0.5]})
    write_deltalake(tmp_path / "plain", rows_of)
    assert podium.read(tmp_path / "plain").systems == ("x", "y")
    with pytest.raises(podium.errors.InputError, match="table of another tool"):
        podium.read(tmp_path / "plain", as_of=0)
    with pytest.raises(BoardError, match="no board; choose another place"):
        podium.add(tmp_path / "plain", {"A": {"t": 1}})
    write_deltalake(tmp_path / "parted", rows_of, partition_by=["task"])
    with pytest.raises(BoardError, match="with partitions"):
        podium.read(tmp_path / "parted")


def test_a_file_of_somebody_else_stays(tmp_path: Path) -> None:
    for name in ("scores-mine.parquet", "podium-notes.txt"):
        (tmp_path / name).write_bytes(b"mine")
        with pytest.raises(podium.errors.OutputError, match="is no board; name a new or an empty folder"):
            podium.add(tmp_path, {"A": {"rte": 0.5}})
        with pytest.raises(BoardError, match="there is no board"):
            podium.boards.repair(tmp_path)
        (tmp_path / name).unlink()
    podium.add(tmp_path, {"A": {"rte": 0.5}})
    mine = tmp_path / "scores-mine.parquet"
    mine.write_bytes(b"mine")
    os.utime(mine, (0, 0))
    assert not podium.boards.repair(tmp_path).changed
    assert mine.read_bytes() == b"mine"


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_newest_version_that_is_gone_is_found_and_its_rows_come_back(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    known = board(tmp_path)
    damage(log_of(5)(tmp_path))
    assert not podium.boards.check(tmp_path).sound
    with pytest.raises(BoardError, match=r"(version 5|5.json) is (missing|damaged).*podium board repair"):
        podium.read(tmp_path)
    made = podium.boards.repair(tmp_path, age=0)
    assert (made.lost, made.aside) == ((), ())
    assert cells(podium.read(tmp_path)) == known
    assert rows(tmp_path) == len(known)
    assert podium.boards.check(tmp_path).problems == ()


def test_rows_that_no_version_has_are_put_aside_and_not_removed(tmp_path: Path) -> None:
    board(tmp_path)
    log_of(5)(tmp_path).unlink()
    KINDS["the witness"](tmp_path).unlink()
    (old,) = [one.name for one in podium.boards.check(tmp_path).problems]
    os.utime(tmp_path / old, (0, 0))
    (problem,) = podium.boards.check(tmp_path).problems
    assert problem.harm
    content = (tmp_path / old).read_bytes()
    made = podium.boards.repair(tmp_path)
    assert (made.removed, made.aside) == ((), (old,))
    assert (tmp_path / "_broken" / old).read_bytes() == content
    assert "put aside" in made.render()
    assert podium.boards.check(tmp_path).problems == ()


def test_left_over_rows_that_the_board_has_are_removed(tmp_path: Path) -> None:
    board(tmp_path)
    log_of(5)(tmp_path).unlink()
    KINDS["the witness"](tmp_path).unlink()
    (left,) = podium.boards.check(tmp_path).problems
    again(tmp_path, "last")
    os.utime(tmp_path / left.name, (0, 0))
    assert podium.boards.check(tmp_path).sound
    assert podium.boards.repair(tmp_path).removed == (left.name,)


#: What reads rows that are there already.
READERS: dict[str, Callable[[Path], Any]] = {
    "rank": podium.read,
    "add": lambda path: podium.add(path, table({("rte", "S7", 0): 0.5}), source="new"),
    "keep": lambda path: podium.add(path, table({("rte", "S1", 0): 0.5}), on_conflict="keep"),
    "replace": lambda path: podium.add(path, table({("rte", "S1", 0): 0.5}), on_conflict="replace"),
    "repeat": lambda path: podium.add(path, table({("rte", "S1", 0): 0.5}), on_conflict="repeat"),
    "a contradiction": lambda path: podium.add(path, table({("rte", "S1", 0): 0.5})),
    "compact": podium.boards.compact,
    "forget": lambda path: podium.boards.compact(path, forget=3),
}


@pytest.mark.parametrize("where", ["end", "head of a page"])
@pytest.mark.parametrize("reader", READERS)
def test_a_changed_byte_is_never_used(tmp_path: Path, reader: str, where: str) -> None:
    known = board(tmp_path)
    path = data_of(4)(tmp_path)
    content = path.read_bytes()
    if where == "end":
        path.write_bytes(content.replace(b"parquet-cpp-arrow", b"parquet-cpp-error"))
    else:
        damaged = bytearray(content)
        damaged[_unused_byte(path)] ^= 8
        path.write_bytes(damaged)
    before = sorted(one.name for one in tmp_path.rglob("*"))
    with pytest.raises(BoardError, match=rf"{path.name} is damaged: its (end|content) has changed.*board repair"):
        READERS[reader](tmp_path)
    assert sorted(one.name for one in tmp_path.rglob("*")) == before
    path.write_bytes(content)
    assert cells(podium.read(tmp_path)) == known


def _unused_byte(path: Path) -> int:
    """A place where a byte may change and all rows are still read, as if nothing were wrong."""
    import pyarrow.parquet as pq

    content, sound = path.read_bytes(), pq.read_table(path)
    for place in range(4, len(content) // 2):
        damaged = bytearray(content)
        damaged[place] ^= 8
        path.write_bytes(damaged)
        try:
            if pq.ParquetFile(path, page_checksum_verification=True).read().equals(sound):
                return place
        except (OSError, ValueError):
            continue
    raise AssertionError("some byte is of no use")


def test_no_damage_of_a_file_puts_wrong_rows_into_another(tmp_path: Path) -> None:
    known = board(tmp_path)
    path = data_of(4)(tmp_path)
    content = path.read_bytes()
    for place in range(0, len(content), max(len(content) // 40, 1)):
        copy = tmp_path / "copies" / str(place)
        shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copies"))
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        (copy / path.name).write_bytes(damaged)
        made = podium.boards.repair(copy)
        assert [(one.name, one.harm) for one in podium.boards.check(copy).problems] == [(path.name, False)]
        left = cells(podium.read(copy))
        assert left.items() <= known.items()
        assert len(known) - len(left) == sum(one.scores for one in made.lost)
