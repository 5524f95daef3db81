"""AlpacaEval: win rates as its leaderboards have them, the reference at one half, and what failed is missing."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError, PodiumWarning
from support.damage import read, survives, table, written
from support.tools import takers


def annotation(system: str, instruction: str, preference: Any, **other: Any) -> dict[str, Any]:
    return {
        "instruction": instruction,
        "dataset": "koala",
        "output_1": "x",
        "generator_1": "reference",
        "output_2": "y",
        "generator_2": system,
        "annotator": "judge",
        "preference": preference,
        **other,
    }


def test_win_rates_are_those_of_the_leaderboards(shared: Path) -> None:
    folder = shared / "data/formats/alpaca_eval"
    known: dict[tuple[str, str], float] = {}
    for annotator in ("alpaca_eval_gpt4", "weighted_alpaca_eval_gpt4_turbo"):
        with (folder / f"{annotator}_leaderboard.csv").open(encoding="utf-8") as file:
            known |= {
                (row["name"].replace(" ", "-"), annotator): float(row["win_rate"]) for row in csv.DictReader(file)
            }
    scores = read(folder)
    found = {cell: np.nanmean(values) for cell, values in table(scores).items() if not np.isnan(values).all()}
    both = known.keys() & found.keys()
    assert len(both) == 8
    assert {cell: found[cell] for cell in both} == pytest.approx({cell: known[cell] for cell in both}, abs=1e-9)
    assert found["text_davinci_003", "alpaca_eval_gpt4"] == 50
    assert {task.n_instances for task in scores.tasks} == {805}
    assert "Yi-34B-Chat: 2 annotations by alpaca_eval_gpt4 failed; missing, as in its win rate" in scores.notes


def test_all_systems_are_scored_on_the_same_instructions(tmp_path: Path) -> None:
    for system, preferences in (("A", (2, 1.25, 0, None)), ("B", (1, 1.75, 1.5, 2.0))):
        rows = [annotation(system, f"question {number}", one) for number, one in enumerate(preferences)]
        written(tmp_path / system / "judge" / "annotations.json", rows)
    scores = podium.read(tmp_path)
    found = table(scores)
    assert repr(found["A", "judge"]) == repr([100.0, 25.0, 50.0, float("nan")])
    assert found["B", "judge"] == [0.0, 75.0, 50.0, 100.0]
    assert found["reference", "judge"] == [50.0] * 4
    assert "reference, with which others are compared, has 50 on all instructions" in scores.notes
    with pytest.warns(PodiumWarning, match="missing"):
        assert podium.rank(tmp_path, "mean", confidence=None).systems == ("A", "B", "reference")


def test_one_question_twice_is_two_instances(tmp_path: Path) -> None:
    rows = [annotation("A", "again", one) for one in (2, 1)]
    scores = podium.read(written(tmp_path / "a.json", rows))
    assert table(scores)["A", "judge"] == [100.0, 0.0]


def test_references_that_differ_are_different_tasks(tmp_path: Path) -> None:
    rows = [annotation("A", "q", 2), annotation("B", "q", 2, generator_1="other")]
    scores = podium.read(written(tmp_path / "a.json", rows))
    assert sorted(scores.task_names) == ["judge (reference other)", "judge (reference reference)"]


@pytest.mark.parametrize("preference", ["2", 3, -1, 0.5, True, [1]])
def test_an_unknown_preference_is_refused_with_its_place(tmp_path: Path, preference: Any) -> None:
    path = written(tmp_path / "a.json", [annotation("A", "p", 1), annotation("A", "q", preference)])
    with pytest.raises(InputError, match=r"a\.json, element 2: the preference is .*from 1 to 2"):
        podium.read(path)


def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", [annotation("A", "p", 1), annotation("A", "q", 2)])
    path.write_text(path.read_text("utf-8")[:-30], "utf-8")
    scores = podium.read(path)
    assert scores.n_instances == 1
    assert f"{path} is cut off" in scores.notes


def test_a_leaderboard_has_two_metrics_of_which_the_main_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "judge_leaderboard.csv"
    path.write_text(
        "name,length_controlled_winrate,win_rate,avg_length\nA,40,50,1000\nB,30,60,2000\nB,31,61,2000\n", "utf-8"
    )
    scores = podium.read(path)
    assert table(scores) == table(podium.read(path, tool="alpaca-eval")) == table(podium.read(tmp_path))
    assert table(scores) == {("A", "judge"): [40.0], ("B", "judge"): [30.0]}
    assert "judge is scored by length_controlled_winrate; the files have win_rate too (--metric)" in scores.notes
    assert "judge_leaderboard.csv: 1 row left out, since the system stands above" in scores.notes
    assert table(podium.read(path, tool="alpaca-eval", metric=["win_rate"]))["B", "judge"] == [60.0]


def test_a_damaged_file_among_others_is_left_out_and_not_counted(tmp_path: Path) -> None:
    for system, preference in (("A", 2), ("B", "1"), ("C", 1.5)):
        written(tmp_path / system / "annotations.json", [annotation(system, "q", preference)])
    scores = podium.read(tmp_path)
    assert table(scores) == {("A", "judge"): [100.0], ("C", "judge"): [50.0], ("reference", "judge"): [50.0]}
    assert "2 files of AlpacaEval read" in scores.notes
    assert any(note.startswith("left out, since it cannot be read: annotations.json") for note in scores.notes)


def test_genuine_leaderboards_are_read_without_a_word(shared: Path) -> None:
    scores = read(shared / "data/formats/alpaca_eval/alpaca_eval_gpt4_leaderboard.csv")
    assert scores.task_names == ("alpaca_eval_gpt4",)
    assert any(note.startswith("1 file of AlpacaEval read") for note in scores.notes)


def test_a_leaderboard_that_is_no_file_of_its_own_is_refused_rather_than_averaged(tmp_path: Path) -> None:
    path = tmp_path / "board.tsv"
    path.write_text("name\tlength_controlled_winrate\twin_rate\tavg_length\nA\t40\t50\t9\nB\t30\t60\t9\n", "utf-8")
    with pytest.raises(InputError, match=r"is a leaderboard of AlpacaEval, .* ends in \.csv"):
        podium.read(path)
    assert len(podium.read(path, layout="wide").task_names) == 2


def test_other_lists_are_not_taken(tmp_path: Path) -> None:
    outputs = [{"instruction": "q", "output": "x", "generator": "A", "dataset": "koala"}]
    assert not takers(written(tmp_path / "a.json", outputs))
    (tmp_path / "a.csv").write_text("name,win_rate,loss_rate\nA,1,2\n", "utf-8")
    assert not takers(tmp_path / "a.csv")


@pytest.mark.parametrize("seed", range(25))
def test_damage(tmp_path: Path, seed: int) -> None:
    for system in "AB":
        rows = [annotation(system, f"question {number}", 1 + number / 4) for number in range(4)]
        written(tmp_path / "all" / system / "annotations.json", rows)
    survives(tmp_path / "all", tmp_path / "copy", seed)
