"""Boards on which systems have the same instances: the short way of reading gives what the long one gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.score.table import Scores
from podium.source.board import Stretches, steps_of_board
from podium.store.place import Place


def table(n_systems: int = 4, *, instances: Any = 300, tasks: int = 2, seed: int = 7, first: int = 0) -> Scores:
    """Random scores of systems on tasks."""
    rng = np.random.default_rng(seed)
    labels = np.arange(instances) if isinstance(instances, int) else np.array(instances)
    arrays = {f"t{task}": np.round(rng.random((n_systems, labels.size)), 2) for task in range(tasks)}
    systems = [f"s{number}" for number in range(first, first + n_systems)]
    return podium.from_arrays(
        arrays, systems=systems, instances=dict.fromkeys(arrays, labels), lower=["t1"] if tasks > 1 else []
    )


def both(board: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Scores, Scores | None]:
    """What is read the long way, and the short way; None where that was not taken."""
    taken = []
    short = Stretches.read
    with monkeypatch.context() as patch:
        patch.setattr(Stretches, "read", lambda *given: taken.append(short(*given)))
        long = podium.read(board, **options)
    found = taken[0] if taken else None
    chosen = {name: options[name] for name in ("systems", "tasks") if name in options}
    return long, found.select(**chosen) if found is not None and chosen else found


def assert_equal(long: Scores, short: Scores | None) -> None:
    assert short is not None
    assert (short.systems, short.task_names, short.notes) == (long.systems, long.task_names, long.notes)
    for one, other in zip(long.tasks, short.tasks, strict=True):
        assert [part.tobytes() for part in one.parts] == [part.tobytes() for part in other.parts]
        assert [part.dtype for part in one.parts] == [part.dtype for part in other.parts]
        assert one.instances is not None
        assert other.instances is not None
        assert one.instances.dtype == other.instances.dtype
        assert one.instances.tolist() == other.instances.tolist()
        assert one.scored.tolist() == other.scored.tolist()
        assert one.higher_is_better == other.higher_is_better
        assert not any(array.flags.writeable for array in (*other.parts, other.instances))


@pytest.mark.parametrize("instances", [300, 20_000, [f"q{number}" for number in range(300)], range(-5, 295)])
def test_a_board_of_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instances: Any) -> None:
    podium.add(tmp_path / "board", table(instances=instances), source="x")
    assert_equal(*both(tmp_path / "board", monkeypatch))


def test_several_systems_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = tmp_path / "board"
    for first, systems, tasks in ((3, 2, 2), (0, 1, 2), (5, 1, 1)):  # the last one is on one task alone
        podium.add(board, table(systems, tasks=tasks, first=first, seed=first), source=str(first))
    long, short = both(board, monkeypatch)
    assert_equal(long, short)
    assert long.systems == ("s0", "s3", "s4", "s5")
    assert_equal(*both(board, monkeypatch, as_of=0))
    assert_equal(*both(board, monkeypatch, systems=["s0", "s5"], tasks="!t1"))
    podium.boards.compact(board)
    assert_equal(long, both(board, monkeypatch)[1])


def test_missing_scores_stay_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.round(np.random.default_rng(7).random((3, 400)), 2)
    values[2] = values[:, 17] = np.nan
    values[0, 5] = -0.0
    podium.add(tmp_path / "board", podium.from_arrays({"t": values}, instances={"t": np.arange(400)}), source="x")
    long, short = both(tmp_path / "board", monkeypatch)
    if short is not None:
        assert_equal(long, short)
    values[2, :3], values[0, 17] = 0.5, np.nan
    podium.add(tmp_path / "other", podium.from_arrays({"t": values}, instances={"t": np.arange(400)}), source="x")
    assert both(tmp_path / "other", monkeypatch)[1] is None, "rows that are not there make no rectangle"


@pytest.mark.parametrize(
    ("more", "how"),
    [
        (table(1, instances=301, first=9), {}),
        (table(1, instances=[f"q{number}" for number in range(300)], first=9), {}),
        (table(1, seed=8), {"on_conflict": "replace"}),
        (table(1, seed=8), {"on_conflict": "repeat"}),
    ],
)
def test_other_boards_are_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: Scores, how: dict[str, Any]
) -> None:
    podium.add(tmp_path / "board", table(), source="x")
    podium.add(tmp_path / "board", more, source="y", **how)
    assert both(tmp_path / "board", monkeypatch)[1] is None


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    podium.add(tmp_path / "board", table(instances=20_000), source="x")
    told: list[tuple[int, int | None]] = []
    podium.read(tmp_path / "board", progress=lambda done, total: told.append((done, total)))
    done = [some for some, _ in told]
    assert done == sorted(done)
    assert told[-1][0] == told[-1][1]


def test_damaged_scores_are_found_while_they_are_read(tmp_path: Path) -> None:
    podium.add(tmp_path / "board", table(instances=20_000), source="x")
    (file,) = (tmp_path / "board").glob("*.parquet")
    content = bytearray(file.read_bytes())
    for place in range(len(content) // 10, len(content) - 5_000, 997):
        content[place] ^= 0x55
    file.write_bytes(content)
    with pytest.raises(podium.errors.BoardError, match="cannot be read"):
        podium.read(tmp_path / "board")


def test_a_history_begins_with_the_version_that_is_kept(tmp_path: Path) -> None:
    for system in "AB":
        podium.add(tmp_path, {system: {"t": 1}})
    number = podium.boards.compact(tmp_path).version
    podium.boards.compact(tmp_path, forget=number)
    assert steps_of_board(Place.of(tmp_path)) == ([(f"version {number}", number)], 0)
