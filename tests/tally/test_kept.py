"""A folder of tallies: the same bytes as counting, for any order of questions, any damage, and several writers."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import OutputError
from podium.score.table import Scores
from podium.tally.engine import count as counting
from podium.tally.engine import kept, stretch
from podium.tally.engine.kept import Folder, is_worth, key_of
from podium.tally.engine.local import Local
from podium.tally.engine.stretch import Counting, stretches
from podium.tally.kernel import PLAIN
from podium.tally.moment import Comoments, Means, Moments
from podium.tally.position import Positions
from podium.tally.tie import Ties

SHORT, BLOCK = 64, 32


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretch, "_LONGEST", SHORT)
    monkeypatch.setattr(stretch, "block_length", lambda _systems, at_most=None: min(at_most or BLOCK, BLOCK))
    monkeypatch.setattr(counting, "_SMALL", 0)
    monkeypatch.setattr(kept, "_LEAST", 0)


@pytest.fixture
def table() -> Scores:
    rng = np.random.default_rng(0)
    arrays = {name: rng.integers(0, 4, (5, size)) / 2 for name, size in (("a", 300), ("b", 64), ("c", 1), ("d", 90))}
    arrays["a"][1, ::3] = np.nan
    return podium.from_arrays(arrays).with_instance_weights({"d": rng.integers(1, 4, 90)})


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the stretches that are counted."""
    sizes: list[int] = []
    fold = Local.fold

    def noted(self: Local, work: Counting, cut: Any, tell: Any = None) -> Iterator[Any]:
        for one, tallies in fold(self, work, cut, tell):
            if is_worth(work, one):
                sizes.append(one.size)
            yield one, tallies

    monkeypatch.setattr(Local, "fold", noted)
    return sizes


def answers(scores: Scores) -> list[str | bytes]:
    ranked = [podium.rank(scores, method, replicates=40).render("json") for method in ("borda", "borda:two", "wins")]
    others = [podium.pairwise(scores), podium.describe(scores), podium.compare_all(scores, control="system 1")]
    return [*ranked, *(one.render("json") for one in others)]


def test_a_second_answer_counts_nothing(table: Scores, tmp_path: Path, counted: list[int]) -> None:
    expected = answers(table)
    for again in (False, True):
        counted.clear()
        with kept.kept(tmp_path / "folder" / "of tallies"):
            assert answers(table) == expected
        assert (counted == []) is again


def test_a_changed_table_is_counted_where_it_changed(table: Scores, tmp_path: Path, counted: list[int]) -> None:
    with kept.kept(tmp_path):
        podium.rank(table, confidence=None)
    values = table.tasks[0].values.copy()
    values[0, 100] += 1  # in the second stretch of a
    changed = table._with_tasks(lambda task: task.with_values(values) if task.name == "a" else task)
    expected = podium.rank(changed, confidence=None).render("json")
    counted.clear()
    with kept.kept(tmp_path):
        assert podium.rank(changed, confidence=None).render("json") == expected
    assert counted == [5 * SHORT] * 2, "once more by the model of missing scores"


def test_other_names_and_places_of_tasks_change_nothing(table: Scores, tmp_path: Path, counted: list[int]) -> None:
    with kept.kept(tmp_path):
        podium.rank(table, confidence=None)
        counted.clear()
        podium.rank(podium.from_arrays({"z": table.tasks[1].values, "y": table.tasks[0].values}), confidence=None)
    assert counted == []


def test_digests_differ_where_tallies_may(table: Scores) -> None:
    (whole, *_) = stretches(table)
    plain = Counting((Positions,), PLAIN)
    weighed = next(stretches(table.with_instance_weights({"a": np.ones(300)})))
    falling = next(stretches(table.with_directions(lower=["a"])))
    tolerant = next(stretches(table.with_tie_tolerance(0.5)))
    single = next(stretches(podium.from_arrays({"a": table.tasks[0].values.astype(np.float32)})))
    turned = next(stretches(table.take([1, 0, 2, 3, 4])))
    keys = [key_of(plain, one) for one in (whole, weighed, falling, tolerant, single, turned)]
    others = (Counting((Ties,), PLAIN), Counting((Positions, Ties), PLAIN))
    keys += [key_of(one, whole) for one in others]
    assert len(set(keys)) == len(keys)
    assert key_of(plain, next(stretches(table))) == keys[0]


def test_what_is_counted_sooner_than_looked_up_is_not_kept(table: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = list(stretches(table))
    assert {one.each_a_task for one in cut} == {True, False}
    for one in cut:
        assert not is_worth(Counting((Moments,), PLAIN), one)
        assert not is_worth(Counting((Means, Moments), PLAIN), one)
        assert is_worth(Counting((Comoments,), PLAIN), one) is not one.each_a_task
    monkeypatch.setattr(kept, "_LEAST", 2**16)
    assert not any(is_worth(Counting((Positions,), PLAIN), one) for one in cut)


def test_no_changed_bit_of_a_file_changes_an_answer(table: Scores, tmp_path: Path) -> None:
    """Also where archives have no checksum, so that nothing is noticed."""
    expected = podium.rank(table, confidence=None).render("json")
    with kept.kept(tmp_path):
        podium.rank(table, confidence=None)
    for path in tmp_path.iterdir():
        damaged = bytearray(path.read_bytes())
        damaged[len(damaged) // 2] ^= 4
        path.write_bytes(damaged)
    with kept.kept(tmp_path):
        assert podium.rank(table, confidence=None).render("json") == expected


@pytest.mark.parametrize("keep", [0, 30, 400, -1, None])
def test_a_damaged_file_is_counted_again_and_written_anew(table: Scores, tmp_path: Path, keep: int | None) -> None:
    expected = podium.rank(table, confidence=None).render("json")
    with kept.kept(tmp_path):
        podium.rank(table, confidence=None)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 16, "and as many by the other way to count missing scores"
    for path, content in before.items():
        damaged = bytearray(content)
        damaged[damaged.index(b"NUMPY", len(damaged) // 2 - 200) + 16] ^= 4
        (tmp_path / path).write_bytes(damaged if keep is None else content[:keep])
    with kept.kept(tmp_path):
        assert podium.rank(table, confidence=None).render("json") == expected
        assert podium.rank(table, confidence=None).render("json") == expected
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_of_another_stretch_is_not_taken(table: Scores, tmp_path: Path) -> None:
    expected = podium.rank(table, confidence=None).render("json")
    with kept.kept(tmp_path):
        podium.rank(table, confidence=None)
        one, other, *_ = sorted(tmp_path.iterdir())
        one.write_bytes(other.read_bytes())
        assert podium.rank(table, confidence=None).render("json") == expected


def test_several_threads_and_processes_share_a_folder(table: Scores, tmp_path: Path) -> None:
    expected = answers(table)
    found: list[list[str | bytes]] = []

    def ask() -> None:
        with kept.kept(tmp_path):
            found.append(answers(table))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [expected] * 4
    assert [path for path in tmp_path.iterdir() if path.suffix != ".tally"] == []


_WRITER = """
import sys
import numpy as np
import podium
from podium.tally.engine.kept import kept
rng = np.random.default_rng(0)
scores = podium.from_arrays({f"t{place}": rng.integers(0, 4, (6, 4000)) / 2 for place in range(30)})
print("begun", flush=True)
with kept(sys.argv[1]):
    print(podium.rank(scores, replicates=100).render("json"))
"""


def test_writers_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE) as first,
        subprocess.Popen(command, stdout=subprocess.PIPE) as second,
    ):
        assert first.stdout is not None
        first.stdout.readline()
        while not [*tmp_path.glob("*.tally")] and second.poll() is None:
            pass
        os.kill(first.pid, signal.SIGKILL)
        said, _ = second.communicate(timeout=60)
    whole = subprocess.run([*command[:-1], str(tmp_path / "other")], capture_output=True, check=True)
    again = subprocess.run(command, capture_output=True, check=True)
    assert said == whole.stdout == again.stdout


def test_a_folder_that_cannot_be_made_or_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file cannot be made: File exists; choose another place"):
        Folder(tmp_path / "file")
