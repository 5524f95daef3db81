"""Files that a stopped run goes on from."""

import json
from pathlib import Path

import pytest

from podium.base.checkpoint import Checkpoint
from podium.errors import InputError, OutputError

ORIGIN: dict[str, int | str] = {"seed": 0, "table": "abc"}


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    file = Checkpoint(path, "tosses", ORIGIN)
    assert file.load() is None
    file.save({"heads": [0.1 + 0.2, 1e-300], "none": None})
    found = Checkpoint(path, "tosses", ORIGIN).load()
    assert found is not None
    assert (found["heads"], found["none"]) == ([0.1 + 0.2, 1e-300], None)
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"


def test_one_of_another_kind_or_origin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    Checkpoint(path, "tosses", ORIGIN).save({})
    with pytest.raises(InputError, match=r"a\.checkpoint is no checkpoint of dice; delete it, or name another file"):
        Checkpoint(path, "dice", ORIGIN).load()
    with pytest.raises(InputError, match=r"is a checkpoint of another run, which differs in seed, table; delete it"):
        Checkpoint(path, "tosses", {"seed": 1, "table": "abd"}).load()
    with pytest.raises(InputError, match="which differs in version"):
        Checkpoint(path, "tosses", {**ORIGIN, "version": 2}).load()


def test_what_is_no_file_of_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    Checkpoint(path, "tosses", ORIGIN).save({"heads": 1})
    whole = path.read_bytes()
    for content in (whole[:-1], b"", b"\xff\x00", b"[]", b"{}", b"[" * 100_000, json.dumps({"kind": "x"}).encode()):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is no checkpoint.*; delete it, or name another file"):
            Checkpoint(path, "tosses", ORIGIN).load()
        assert path.read_bytes() == content
    with pytest.raises(InputError, match="cannot be read: Is a directory; name another file"):
        Checkpoint(tmp_path, "tosses", ORIGIN).load()
    with pytest.raises(OutputError, match=r"there is no folder .*missing; create it first"):
        Checkpoint(tmp_path / "missing" / "a", "tosses", ORIGIN).save({})


def test_it_is_due_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    assert Checkpoint(path, "tosses", ORIGIN, seconds=0.0).due
    assert not Checkpoint(path, "tosses", ORIGIN, seconds=1e9).due


def test_what_is_damaged_says_why(tmp_path: Path) -> None:
    error = Checkpoint(tmp_path / "a", "tosses", ORIGIN).damaged("heads are missing")
    assert str(error).endswith("a is damaged: heads are missing; delete it, or name another file")
