"""Files of rows that are read as a whole are compared with their names, wherever they are."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from podium.errors import BoardError, InputError
from podium.store.log import DataFile
from podium.store.place import Place
from podium.store.row import RowFile
from podium.store.whole import comparing, whole
from support.boarded import file_of

COLUMNS = ["task", "system", "instance", "score"]


def far(folder: Path) -> Place:
    """A folder as object storage is: its files are opened by the client of Delta Lake."""
    return Place(folder.as_uri(), None)


def changed(path: Path, word: bytes = b"parquet-cpp-arrow") -> None:
    """Change a byte that Arrow reads over: in the name of the program that wrote the file."""
    content = path.read_bytes()
    assert content.count(word) == 1
    path.write_bytes(content.replace(word, word.upper()))


def without_digest_of_end(folder: Path, file: DataFile) -> DataFile:
    """Give a file the name that it would have if nothing covered its end alone."""
    name = f"{file.name.rpartition('-')[0]}.parquet"
    (folder / file.name).rename(folder / name)
    return DataFile(name, file.size, file.rows, file.tasks, file.systems, file.holds)


def test_files_far_away_are_copied_while_they_are_read(tmp_path: Path) -> None:
    file = file_of(Place.of(tmp_path))
    with whole(far(tmp_path), [file]) as (copied,):
        folder = copied.place.folder
        assert folder is not None
        assert folder != tmp_path
        assert (folder / file.name).read_bytes() == (tmp_path / file.name).read_bytes()
        rows, _ = copied.rows(["a", "b"], ["A", "B"], COLUMNS)
    assert not folder.exists()
    assert rows.equals(RowFile(Place.of(tmp_path), file).rows(["a", "b"], ["A", "B"], COLUMNS)[0])


@pytest.mark.parametrize("place_of", [Place.of, far])
def test_what_was_read_of_a_changed_file_is_not_used(tmp_path: Path, place_of: Callable[[Path], Place]) -> None:
    file = without_digest_of_end(tmp_path, file_of(Place.of(tmp_path)))
    changed(tmp_path / file.name)
    place = place_of(tmp_path)
    assert RowFile(place, file).facts.systems == ("A", "B"), "its end makes sense"
    with pytest.raises(BoardError, match=rf"{file.name} is damaged: its content has changed; podium board repair"):  # noqa: SIM117
        with whole(place, [file]) as (one,):
            assert one.rows(["a"], ["A"], COLUMNS)[1].size
    with pytest.raises(BoardError, match="its content has changed"), comparing([RowFile(Place.of(tmp_path), file)]):
        raise ValueError("an error that says less")


@pytest.mark.parametrize("place_of", [Place.of, far])
def test_a_changed_end_is_refused_before_arrow_reads_it(tmp_path: Path, place_of: Callable[[Path], Place]) -> None:
    file = file_of(Place.of(tmp_path))
    content = (tmp_path / file.name).read_bytes()
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for place in [*range(end, len(content), 97), len(content) - 8, len(content) - 5, len(content) - 1]:
        damaged = bytearray(content)
        damaged[place] ^= 4
        (tmp_path / file.name).write_bytes(damaged)
        with pytest.raises(BoardError, match="is damaged: its end has changed; podium board repair"):
            RowFile(place_of(tmp_path), file)
    for length in (0, 7, len(content) // 2):
        (tmp_path / file.name).write_bytes(content[:length])
        with pytest.raises(BoardError, match="is damaged: its end has changed"):
            RowFile(place_of(tmp_path), file)


def test_a_long_end_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from podium.store import end

    file = file_of(Place.of(tmp_path))
    monkeypatch.setattr(end, "_TAIL", 100)
    assert RowFile(far(tmp_path), file).facts.systems == ("A", "B")


def test_what_is_missing_far_away_is_named(tmp_path: Path) -> None:
    file = file_of(Place.of(tmp_path))
    (tmp_path / file.name).unlink()
    with pytest.raises(BoardError, match=rf"{file.name} (is missing|cannot be read)"), whole(far(tmp_path), [file]):
        pass


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_no_room_for_a_copy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = file_of(Place.of(tmp_path))
    with no_file_larger_than(100), pytest.raises(InputError, match=r"does not fit into .*; name a folder"):  # noqa: SIM117
        with whole(far(tmp_path), [file]):
            pass
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with (
        pytest.raises(InputError, match=r"none: No such file or directory; name a folder"),
        whole(far(tmp_path), [file]),
    ):
        pass
