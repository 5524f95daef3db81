"""The rule that judges what a paper prints, which the scripts of the papers leave to it."""

import ast
import doctest
from importlib import import_module as script
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "reproduce"
REPRODUCED, SLIP, NOT, NEVER = "reproduced", "reproduced only with a slip", "not reproduced", "not reproducible"


@pytest.fixture
def outcome() -> Any:
    return script("outcome")


def test_the_examples(outcome: Any) -> None:
    found = doctest.testmod(outcome)
    assert found.attempted >= 5
    assert found.failed == 0


@pytest.mark.parametrize(
    ("printed", "ours", "verdict", "why"),
    [
        ("0.67", [2 / 3], REPRODUCED, ""),
        ("0.66", [2 / 3], SLIP, "cut off, not rounded"),
        ("0.68", [2 / 3], NOT, ""),
        ("-0.11", [-0.1051], REPRODUCED, ""),
        ("-0.10", [-0.1051], SLIP, "cut off, not rounded"),
        ("-0.12", [-0.1051], NOT, ""),
        ("0.07", [0.07], REPRODUCED, ""),  # 0.07 * 100 is not 7
        ("80.6", [80.55], REPRODUCED, ""),  # halves go either way
        ("80.5", [80.55], REPRODUCED, ""),
        ("793", [793.786], SLIP, "cut off, not rounded"),
        ("1, 0.66", [1.0, 0.6666], SLIP, "cut off, not rounded"),
        ("1, 0.66", [1.0, 0.8], NOT, ""),
        ("1, 0.66", [1.0], NOT, ""),
        ("1", [float("nan")], NOT, ""),
    ],
)
def test_printed_digits_are_the_tolerance(
    printed: str, ours: list[float], verdict: str, why: str, outcome: Any
) -> None:
    found = outcome.judged("what", outcome.Numbers.read(printed), ours)
    assert (found.verdict, found.why) == (verdict, why)


def test_a_text_without_numbers_is_no_number(outcome: Any) -> None:
    with pytest.raises(ValueError, match="no number is printed in 'a picture'"):
        outcome.Numbers.read("a picture")


def test_numbers_that_rest_on_chance_may_differ_by_three_errors(outcome: Any) -> None:
    printed = outcome.Numbers.read("0.30")

    def verdict(value: float) -> str:
        return str(outcome.judged("share", printed, outcome.Drawn((value,), (0.01,))).verdict)

    assert [verdict(value) for value in (0.30, 0.334, 0.336, 0.266, 0.264)] == [REPRODUCED] * 2 + [NOT, REPRODUCED, NOT]


def test_the_first_slip_that_does_it_is_named(outcome: Any) -> None:
    slips = {"one": [0.6], "another": [0.504], "a third": [0.5]}
    found = outcome.judged("τ", outcome.Numbers.read("0.50"), [0.4], slips, note="besides")
    assert (found.verdict, found.why) == (SLIP, "another; besides")
    assert (found.what, found.printed, found.ours) == ("τ", "0.50", "0.4")
    assert outcome.judged("τ", outcome.Numbers.read("0.50"), [0.499], slips).verdict == REPRODUCED
    assert outcome.judged("τ", outcome.Numbers.read("0.70"), [0.4], slips).verdict == NOT
    cut = outcome.judged("τ", outcome.Numbers.read("0.50"), [0.4], {"one": [0.509]})
    assert (cut.verdict, cut.why) == (SLIP, "one; cut off, not rounded")


def test_words_and_claims(outcome: Any) -> None:
    words, claim = outcome.Words("A > B"), outcome.Claim("grows", lambda numbers: numbers[0] < numbers[1])
    assert outcome.judged("order", words, "A > B").verdict == REPRODUCED
    assert outcome.judged("order", words, "A > C > B", {"C left out": "A > B"}).verdict == SLIP
    assert outcome.judged("order", words, "B > A").verdict == NOT
    found = outcome.judged("it grows", claim, (2, 1), {"turned round": (1, 2)}, shown="2, then 1")
    assert (found.printed, found.ours, found.verdict, found.why) == ("grows", "2, then 1", SLIP, "turned round")
    assert outcome.judged("it grows", claim, (1, 2)).verdict == REPRODUCED


def test_nothing_printed_nothing_there(outcome: Any, shared: Path) -> None:
    assert (shared / "data/scores/glue.csv").exists()
    picture = outcome.judged("curves", outcome.Picture(), None, shown="below", note="no axis has numbers")
    assert (picture.verdict, picture.ours, picture.why) == (NEVER, "below", "no axis has numbers")
    number = outcome.Numbers.read("0.5")
    absent = outcome.judged("GEM", number, outcome.Absent(["GEM"], "its scores were not released"))
    assert (absent.verdict, absent.ours, absent.why) == (NEVER, "–", "its scores were not released")


def test_data_that_are_there_cannot_be_called_absent(outcome: Any, shared: Path) -> None:
    assert (shared / "data/scores/glue.csv").exists()
    for names in (["GEM", "GLUE"], ["glue.csv"], ["tasb"], []):
        with pytest.raises(ValueError, match="absent"):
            outcome.judged("GLUE", outcome.Numbers.read("0.5"), outcome.Absent(names, "not released"))


def test_a_parameter_found_by_trying_is_a_slip(outcome: Any) -> None:
    unstated, printed = outcome.Unstated("φ is in the picture only"), outcome.Numbers.read("5")
    found = outcome.judged("errors", printed, unstated, {"φ = 0.1": [4.0], "φ = 0.2": [5.2]})
    assert (found.verdict, found.why) == (SLIP, "φ = 0.2")
    never = outcome.judged("errors", printed, unstated, {"φ = 0.1": [4.0]})
    assert (never.verdict, never.why) == (NEVER, "φ is in the picture only")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_script_says_a_verdict(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    said = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in {NOT, NEVER, SLIP, REPRODUCED}
    ]
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding"]
    assert bool(said) == bool(made) == (path.stem == "outcome")


def test_errors_of_mean_and_deviation_come_from_repeats(outcome: Any) -> None:
    rng, strengths, repeats = np.random.default_rng(0), np.linspace(0, 1, 5), 40
    drawn = [outcome.Drawn.spread(strengths[:, None] + 0.3 * rng.gumbel(size=(5, repeats))) for _ in range(2000)]
    values, errors = (np.array([getattr(one, part) for one in drawn]) for part in ("values", "errors"))
    # of the difference of two such numbers
    assert errors.mean(axis=0) == pytest.approx(np.sqrt(2) * values.std(axis=0), rel=0.05)
    share = outcome.Drawn.share(0.2, 100)
    assert (share.values, share.errors) == ((0.2,), (pytest.approx(np.sqrt(2 * 0.2 * 0.8 / 100)),))


def test_prose_stops_the_run_where_it_is_no_longer_true(outcome: Any) -> None:
    text = "Scores fall,\nand ranks stay."
    assert outcome.stated(text, {"Scores fall, and": True, "ranks stay": np.True_}) == text
    for holds in ({"ranks stay": False}, {"ranks rise": True}):
        with pytest.raises(ValueError, match="no longer true, or not said: ranks"):
            outcome.stated(text, holds)
