"""Files from which a stopped run continues."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.base.checkpoint import Checkpoint, fingerprint
from podium.errors import InputError, OutputError
from podium.stresses import Corrupt, Rescale

ORIGIN: dict[str, int | str] = {"seed": 0, "table": "abc"}


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    file = Checkpoint(path, "tosses", ORIGIN)
    assert file.load() == {}
    saved = {
        "heads": np.array([0.1 + 0.2, 1e-300, np.nan]),
        "none": np.zeros((0, 3), dtype=np.bool_),
        "one": np.array(7),
    }
    file.save(saved)
    found = Checkpoint(path, "tosses", ORIGIN).load()
    assert list(found) == list(saved)
    for name, array in saved.items():
        assert found[name].dtype == array.dtype
        assert_array_equal(found[name], array)
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"
    Checkpoint(path, "tosses", ORIGIN).save({})
    assert file.load() == {}


def test_it_is_a_file_of_arrays_that_numpy_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    Checkpoint(path, "tosses", ORIGIN).save({"heads": np.arange(3)})
    with np.load(path) as file:
        assert_array_equal(file["heads"], np.arange(3))
        assert json.loads(str(file["header"])) == {"kind": "podium checkpoint of tosses", "origin": ORIGIN}


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
    Checkpoint(path, "tosses", ORIGIN).save({"heads": np.array(1)})
    whole = path.read_bytes()
    contents = [whole[:-1], whole[: len(whole) // 2], b"", b"\xff\x00", b"[]", b"{}", b"PK\x03\x04", b"[" * 100_000]
    kind = "podium checkpoint of tosses"
    headers = [5, "text", [kind], {"kind": kind}, {"kind": kind, "origin": 5}]
    others = [np.arange(2), np.array(5), np.array("[" * 9), *(np.array(json.dumps(header)) for header in headers)]
    for name, array in [("heads", np.arange(2)), *(("header", other) for other in others)]:
        arrays: dict[str, Any] = {name: array}
        np.savez(tmp_path / "other.npz", **arrays)
        contents.append((tmp_path / "other.npz").read_bytes())
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"is no checkpoint.*; delete it, or name another file"):
            Checkpoint(path, "tosses", ORIGIN).load()
        assert path.read_bytes() == content
    with pytest.raises(InputError, match="cannot be read: Is a directory; name another file"):
        Checkpoint(tmp_path, "tosses", ORIGIN).load()
    with pytest.raises(OutputError, match=r"there is no folder .*missing; create it first"):
        Checkpoint(tmp_path / "missing" / "a", "tosses", ORIGIN).save({})


def test_one_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    path.write_text(json.dumps({"kind": "podium checkpoint of tosses", "origin": ORIGIN, "heads": 3}))
    with pytest.raises(InputError, match="is a checkpoint of an earlier version of podium; delete it, or name another"):
        Checkpoint(path, "tosses", ORIGIN).load()


def test_no_changed_byte_changes_a_number(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    saved = {"heads": np.random.default_rng(0).random(20), "tails": np.arange(9)}
    Checkpoint(path, "tosses", ORIGIN).save(saved)
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        try:
            found = Checkpoint(path, "tosses", ORIGIN).load()
        except InputError:
            refused += 1
            continue
        for name in saved.keys() & found.keys():
            assert_array_equal(found[name], saved[name])
    assert refused > len(whole) / 2


def test_it_is_due_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "a.checkpoint"
    assert Checkpoint(path, "tosses", ORIGIN, seconds=0.0).due
    assert not Checkpoint(path, "tosses", ORIGIN, seconds=1e9).due


def test_what_is_damaged_says_why(tmp_path: Path) -> None:
    error = Checkpoint(tmp_path / "a", "tosses", ORIGIN).damaged("heads are missing")
    assert str(error).endswith("a is damaged: heads are missing; delete it, or name another file")


MADE: dict[str, Callable[[Any], Any]] = {
    "number": lambda number: number,
    "array": lambda number: np.array([1.0, number]),
    "mapping": lambda number: {"a": [number], "b": {3, number}},
    "partial": lambda number: partial(Rescale, tasks=number),
    "stress": Corrupt,
    "partial of a bound method": lambda number: partial(podium.datasets.toy_table1().with_tie_tolerance, number),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_content_decides_the_fingerprint(make: Callable[[Any], Any]) -> None:
    assert fingerprint(make(1)) == fingerprint(make(1))
    assert fingerprint(make(1)) != fingerprint(make(2))


def test_what_has_no_name_has_no_fingerprint() -> None:
    def local() -> None: ...

    values: list[Any] = [local, lambda: 0, partial(local), [local]]
    for value in values:
        with pytest.raises(TypeError):
            fingerprint(value)


def test_every_run_gives_the_same_fingerprint() -> None:
    code = (
        "from functools import partial\nfrom podium.base.checkpoint import fingerprint\nimport podium\n"
        "print(fingerprint([{'a', 'b', 'c'}, podium.stresses.Corrupt(3), partial(podium.stresses.Rescale, tasks=2)]))"
    )
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(runs) == 1
