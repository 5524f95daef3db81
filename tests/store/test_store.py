"""The store below boards: places, files of rows, and commits that fail where somebody else was faster."""

from pathlib import Path

import pytest

from podium.errors import BoardError, OutputError
from podium.store.commit import OvertakenError, commit
from podium.store.log import DataFile, number_at, opened, versions
from podium.store.place import Place
from podium.store.row import RowFile, writing_rows
from support.boarded import FACTS, file_of


def test_a_file_is_named_by_its_content_and_knows_what_it_holds(tmp_path: Path) -> None:
    place = Place.of(tmp_path)
    file = file_of(place)
    assert file.name.startswith(f"scores-{place.digest(file.name)}-")
    assert (file.rows, file.tasks, file.systems) == (80_000, ("a", "b"), ("A", "B"))
    opened_file = RowFile(place, file)
    assert opened_file.facts == FACTS
    assert RowFile.described(place, file.name, file.size) == file
    assert file_of(place, ("b",)).holds["tasks"] == ("b",)
    assert file_of(place).name != file.name, "two writers never write the same file"


def test_only_groups_that_may_have_rows_are_read(tmp_path: Path) -> None:
    place = Place.of(tmp_path)
    file = RowFile(place, file_of(place))
    assert file.n_groups == 2, "a group ends with its task"
    assert [number for number, _ in file.candidates(["b"], ["A"])] == [1]
    assert not list(file.candidates(["c"], ["A"]))
    rows, numbers = file.rows(["b"], ["B"], ["task", "system", "score", "repeat"])
    assert (len(rows), numbers[0], numbers[-1]) == (20_000, 60_000, 79_999)
    assert rows["repeat"].null_count == 20_000


def test_no_row_makes_no_file(tmp_path: Path) -> None:
    written: list[DataFile] = []
    with writing_rows(Place.of(tmp_path), ["task", "system", "score"], FACTS, written):
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


def test_a_commit_whose_answer_was_lost_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from podium.store import commit as commits

    place = Place.of(tmp_path)
    commit(place, None, {"kind": "add"}, added=[file_of(place, rows=3)])
    append = commits._append

    def landed(*args: object) -> None:
        append(*args)  # type: ignore[arg-type]
        raise OSError("the answer was lost")

    monkeypatch.setattr(commits, "_append", landed)
    assert commit(place, opened(place), {"kind": "add"}, added=[file_of(place, rows=3)]) == 1

    def failed(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(commits, "_append", failed)
    with pytest.raises(OutputError, match="no room; nothing was changed"):
        commit(place, opened(place), {"kind": "add"}, added=[file_of(place, rows=3)])


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    place = Place.of(tmp_path)
    with pytest.raises(BoardError, match=r"x\.parquet is missing; podium board check"):
        place.open("x.parquet")
    assert place.size("x.parquet") is None
    assert not place.has_log()
    assert Place.of(f"file://{tmp_path}").folder == tmp_path


def test_files_that_vanish_while_they_are_listed_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("kept", "gone"):
        (tmp_path / name).write_text(name)
    there = Path.is_file

    def looked(path: Path) -> bool:
        found = there(path)
        if path.name == "gone":
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "is_file", looked)
    assert [one.name for one in Place.of(tmp_path).entries()] == ["kept"]
