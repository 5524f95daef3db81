"""The store below boards: places, files of rows, and commits that fail where somebody else was faster."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from podium.errors import BoardError, OutputError
from podium.store import log
from podium.store.log import DataFile, OvertakenError, commit, number_at, opened, versions
from podium.store.place import Place
from podium.store.rows import Facts, scan, writing_rows
from support.boarded import file_of


def far(folder: Path) -> Place:
    """A folder as object storage is: its files are opened by the client of Delta Lake."""
    return Place(folder.as_uri(), None)


@pytest.mark.parametrize("place_of", [Place.of, far])
def test_rows_are_written_and_read_again(tmp_path: Path, place_of: Callable[[Path], Place]) -> None:
    place = place_of(tmp_path)
    file = file_of(place)
    assert (file.rows, "repeat" in file.empty, "score" in file.empty) == (80_000, True, False)
    commit(Place.of(tmp_path), None, {"kind": "add"}, added=[file])
    snapshot = replace(opened(Place.of(tmp_path)), place=place)
    assert snapshot.files == (file,)
    assert (snapshot.has("score"), snapshot.has("repeat"), snapshot.has("nothing")) == (True, False, False)
    facts = Facts.of(snapshot)
    assert (facts.systems, facts.tasks) == ({"A", "B"}, {"a": {(True, False)}, "b": {(True, False)}})
    assert (facts.statistic, facts.repeats) == (None, 0)
    found = list(scan(snapshot, ["instance", "score", "repeat"], task=["b"], system=["B"]))
    assert sum(map(len, found)) == 20_000
    assert found[0].column("repeat").null_count == len(found[0])
    assert not list(scan(snapshot, ["score"], task=["c"]))
    (tmp_path / file.name).unlink()
    with pytest.raises(BoardError, match=r"(is missing|cannot be read).*; (read an earlier|check the address)"):
        list(scan(snapshot, ["score"]))


def test_no_row_makes_no_file(tmp_path: Path) -> None:
    written: list[DataFile] = []
    with writing_rows(Place.of(tmp_path), ["task", "system", "score"], written):
        pass
    assert written == []
    assert list(tmp_path.iterdir()) == []


def test_who_comes_second_is_overtaken(tmp_path: Path) -> None:
    place = Place.of(tmp_path)
    with pytest.raises(BoardError, match="there is no board"):
        opened(place)
    assert commit(place, None, {"kind": "add"}, added=[file_of(place, rows=3)]) == 0
    with pytest.raises(OvertakenError):
        commit(place, None, {"kind": "add"}, added=[file_of(place, rows=3)])
    seen = opened(place)
    assert commit(place, seen, {"kind": "add"}, added=[file_of(place, rows=3)]) == 1
    with pytest.raises(OvertakenError):
        commit(place, seen, {"kind": "add"}, added=[file_of(place, rows=3)])
    assert commit(place, opened(place), {"kind": "x"}, removed=seen.files) == 2
    assert [one.info["kind"] for one in versions(place)] == ["add", "add", "x"]
    assert len(opened(place).files) == 1
    assert len(opened(place, 1).files) == 2
    assert number_at(place, "2999-01-01") == 2


def test_a_commit_whose_answer_was_lost_is_known(tmp_path: Path) -> None:
    place = Place.of(tmp_path)
    commit(place, None, {"kind": "add"}, added=[file_of(place, rows=3)])
    seen = opened(place)
    file = file_of(place, rows=3)
    with log.committing(place, seen, [file]):
        commit(place, seen, {"kind": "add"}, added=[file])
        _fail("the answer was lost")
    assert opened(place).number == 1
    with pytest.raises(OutputError, match="no room; nothing was changed"), log.committing(place, opened(place)):
        _fail("no room")


def _fail(words: str) -> None:
    raise OSError(words)


def test_places_are_folders_or_addresses(tmp_path: Path) -> None:
    assert not Place.of(tmp_path).has_log()
    assert Place.of(f"file://{tmp_path}").folder == tmp_path
