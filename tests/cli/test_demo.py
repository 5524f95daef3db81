"""The first minute: the commands demo and example, where a result may be written by anybody who installed podium."""

from pathlib import Path

import pytest

import podium
from golden.output.transcripts import play
from support.bundle import contents


def test_the_demo_shows_the_winner_with_its_doubt_and_ends_with_the_page(tmp_path: Path) -> None:
    answer = play("demo", tmp_path)
    said = answer.stdout.decode("utf-8").splitlines()
    assert (answer.code, answer.stderr, list(answer.files)) == (0, b"", ["podium-demo.html"])
    assert Path(said[-1]) == tmp_path.resolve() / "podium-demo.html"
    assert "• atlas is first, and birch may be as good (95% confidence, on these 5 tasks)" in said
    assert sum("●" in line for line in said) == 8
    page = contents(answer.files["podium-demo.html"].decode("utf-8"))
    assert "podium rank dataset:demo --replicates 200" in str(page)
    assert play("demo -o ranking.txt", tmp_path).code == 2


def test_a_plain_mean_of_the_demo_has_another_winner_than_the_truth() -> None:
    scores = podium.datasets.demo()
    with pytest.warns(podium.errors.PodiumWarning, match="on different tasks"):
        means = podium.rank(scores, method="mean", confidence_level=None)
    assert (means.systems[0], podium.rank(scores).systems[0], min(scores.systems)) == ("birch", "atlas", "atlas")


def test_examples_are_written_into_a_new_or_an_empty_folder(tmp_path: Path) -> None:
    answer = play("example", tmp_path)
    assert (answer.code, answer.stdout) == (
        0,
        b"Wrote the files of the documentation into example/. Next: cd example\n",
    )
    assert {"example/scores.csv", "example/lm-eval/org__large/results_2026-11-21T01-42-47.288903.json"} <= set(
        answer.files
    )
    again = play("example", tmp_path)
    assert (again.code, again.stderr) == (
        2,
        b"error: example is there, and not empty; if podium example wrote it, use it, or name another folder\n",
    )
    (tmp_path / "new").mkdir()
    assert play("example new", tmp_path).code == 0
