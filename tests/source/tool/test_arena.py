"""Leaderboards of arenas: ratings by category, without the category that holds all battles."""

from pathlib import Path

import pytest

import podium
from podium.source.logs import find_logs
from support.damage import read, survives, table, written

BOARD = {
    "full": {"A": {"rating": 1300.5, "rating_q025": 1290, "rating_q975": 1310}},
    "math": {
        "A": {"rating": 1310.0, "rating_q025": 1290, "rating_q975": 1310},
        "B": {"rating": 1250.0, "rating_q025": 1, "rating_q975": 2},
    },
    "french": {"B": {"rating": 1200.25, "rating_q025": 1, "rating_q975": 2}},
}


def test_each_category_is_a_task(tmp_path: Path) -> None:
    scores = podium.read(written(tmp_path / "leaderboard-text.json", BOARD))
    found = table(scores)
    assert (found["A", "math"], found["B", "math"], found["B", "french"]) == ([1310.0], [1250.0], [1200.25])
    assert repr(found["A", "french"]) == "[nan]"
    assert sorted(scores.task_names) == ["french", "math"]
    assert "category 'full' holds the battles of all others and is left out" in scores.notes
    assert "rating_q025 and rating_q975 are not used" in scores.notes


def test_the_category_of_all_counts_alone(tmp_path: Path) -> None:
    assert podium.read(written(tmp_path / "a.json", {"full": BOARD["math"]})).task_names == ("full",)


def test_boards_are_different_tasks(tmp_path: Path) -> None:
    for board in ("text", "vision"):
        written(tmp_path / f"leaderboard-{board}.json", {"math": BOARD["math"]})
    assert sorted(podium.read(tmp_path).task_names) == ["math (board text)", "math (board vision)"]


def test_the_genuine_file(shared: Path) -> None:
    scores = read(shared / "data/formats/arena/leaderboard-text.json")
    assert (len(scores.systems), len(scores.tasks)) == (282, 28)
    assert table(scores)["gemini-3-pro", "chinese"] == [1525.1042120660923]


@pytest.mark.parametrize("given", [{"a": {"b": {"rated": 1}}}, {"a": {"b": 3, "c": {"rating": 1}}}, {"rating": {}}, {}])
def test_other_files_are_not_taken(tmp_path: Path, given: object) -> None:
    assert find_logs(written(tmp_path / "a.json", given)) is None


@pytest.mark.parametrize("seed", range(15))
def test_damage(tmp_path: Path, seed: int) -> None:
    written(tmp_path / "all" / "leaderboard-text.json", BOARD)
    survives(tmp_path / "all", tmp_path / "copy", seed)
