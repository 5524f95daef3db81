"""Judges beside people: coefficients equal others' implementations, intervals hold, and what is wrong is named."""

import math
import warnings
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score, roc_auc_score

import podium
from podium.errors import InputError, LabelError, MethodError
from podium.judging.calibration import auroc
from podium.judging.coefficients import (
    INTERVAL_ALPHA,
    KAPPA,
    NOMINAL_ALPHA,
    WEIGHTED_KAPPA,
    agreement,
    corrected_rate,
    kappa,
    linear,
    moment_sums,
    proportion,
    summed,
    table_sums,
)
from support.entry import run

Floats = NDArray[np.float64]

#: Two raters of 40 answers, from 1 to 5.
PEOPLE = [int(digit) for digit in "5445345212255135141352224253333335544425"]
JUDGE = [int(digit) for digit in "5454544111155145241352225143545345534524"]


def test_coefficients_are_those_of_psych_and_krippendorff() -> None:
    """`psych::cohen.kappa` 2.2.9 in R, `krippendorff.alpha` 0.9.0 in Python, on the two raters above."""
    found = podium.judge({"human": PEOPLE, "judge": JUDGE}).judged[0]
    assert found.kappa.value == pytest.approx(0.399209486166, abs=1e-12)
    assert found.weighted_kappa.value == pytest.approx(0.824341279799, abs=1e-12)
    assert found.alpha.value == pytest.approx(0.8263190954773869, abs=1e-12)
    words: Any = {"human": [f"w{one}" for one in PEOPLE], "judge": [f"w{one}" for one in JUDGE]}
    assert podium.judge(words).judged[0].alpha.value == pytest.approx(0.400079936051159, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 5)), min_size=4, max_size=40))
def test_coefficients_are_those_of_their_definitions(rows: list[tuple[int, int, int]]) -> None:
    first, second, unit = (np.array(column) for column in zip(*rows, strict=True))
    x, y, said = first.astype(float), second.astype(float), np.arange(4.0)
    sums, moments = table_sums(unit, x, y, said).sum(axis=0), moment_sums(unit, x, y).sum(axis=0)
    ratings = np.concatenate([x, y])
    pairs = list(combinations(ratings.tolist(), 2))
    for coefficient, of, distance in (
        (NOMINAL_ALPHA, sums, lambda a, b: float(a != b)),
        (INTERVAL_ALPHA, moments, lambda a, b: (a - b) ** 2),
    ):
        expected = np.mean([distance(a, b) for a, b in pairs])
        if expected:
            seen = np.mean([distance(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)])
            assert coefficient.of(of) == pytest.approx(1 - seen / expected)
    if np.unique(ratings).size > 1:
        assert KAPPA.of(sums) == pytest.approx(cohen_kappa_score(first, second))
        quadratic = cohen_kappa_score(first, second, labels=[0, 1, 2, 3], weights="quadratic")
        assert WEIGHTED_KAPPA.of(moments) == pytest.approx(quadratic)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(6, 40))
def test_auroc_is_that_of_sklearn_and_of_pairs(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    right, sure = (rng.random(size) < 0.5).astype(float), rng.integers(0, 6, size) / 5
    right[:2] = 0, 1
    found = auroc(np.arange(size), sure, right, 0.95)
    assert found.value == pytest.approx(roc_auc_score(right, sure))
    assert not found.low > found.value
    assert not found.high < found.value


def drawn(
    rng: np.random.Generator, units: tuple[int, int], rate: float, errors: tuple[float, float], rho: float
) -> Any:
    """Units of answers with labels of people and a judge; all vary from unit to unit as beta, with correlation rho."""

    number, each = units

    def of_unit(mean: float) -> Floats:
        more = 1 / rho - 1 if rho else 0.0
        whole = rng.beta(mean * more, (1 - mean) * more, number) if rho else np.full(number, mean)
        return np.repeat(whole, each)

    people = rng.random(number * each) < of_unit(rate)
    judge = people ^ (rng.random(people.size) < np.where(people, of_unit(errors[0]), of_unit(errors[1])))
    return np.repeat(np.arange(number), each), people.astype(float), judge.astype(float)


@pytest.mark.parametrize(
    ("units", "each", "rate", "errors", "rho"),
    [(20, 1, 0.5, (0.2, 0.2), 0.0), (20, 1, 0.5, (0.03, 0.03), 0.0), (50, 8, 0.1, (0.2, 0.05), 0.3)],
)
def test_intervals_of_agreement_and_rates_hold(
    units: int, each: int, rate: float, errors: tuple[float, float], rho: float
) -> None:
    rng = np.random.default_rng(0)
    cells = np.array([rate * (1 - errors[0]), rate * errors[0], (1 - rate) * errors[1], (1 - rate) * (1 - errors[1])])
    agreed, judged = cells[0] + cells[3], cells[0] + cells[2]
    chance = rate * judged + (1 - rate) * (1 - judged)
    true = {"kappa": (agreed - chance) / (1 - chance), "agreement": agreed, "rate": rate}
    missed = dict.fromkeys(true, 0)
    for _ in range(300):
        unit, people, judge = drawn(rng, (units, each), rate, errors, rho)
        sums = table_sums(unit, judge, people, np.array([0.0, 1.0]))
        found = {"kappa": agreement(sums, KAPPA, 0.95), "agreement": proportion(sums[:, 1::-1], 0.95)}
        labelled = unit < units / 2
        both = [labelled * of * by for of in (people, 1 - people) for by in (judge, 1 - judge)]
        both += [~labelled * by for by in (judge, 1 - judge)]
        found["rate"] = corrected_rate(summed(unit, both), 0.95)
        for name, (value, low, high) in found.items():
            missed[name] += not math.isnan(value) and not low <= true[name] <= high
    assert max(missed.values()) <= 27, missed  # of 300 at 5%, more in 1 of 500


def test_a_rate_of_labels_on_all_answers_needs_no_correction() -> None:
    people, judge = np.array(PEOPLE) > 3, np.array(JUDGE) > 3
    found = podium.judge({"human": people, "judge": judge}).judged[0]
    assert found.corrected.value == pytest.approx(people.mean())
    assert found.sensitivity.value == pytest.approx(judge[people].mean())
    assert found.specificity.value == pytest.approx(1 - judge[~people].mean())


def table(rng: np.random.Generator, number: int = 400, own: float = 0.0, longer: float = 0.0) -> dict[str, Any]:
    """Answers of a bad own family and a good other one, to a judge that errs and may favour."""
    family = np.array(["gpt", "other"] * (number // 2))
    people = rng.random(number) < np.where(family == "gpt", 0.2, 0.8)
    length = rng.normal(100, 20, number)
    chance = np.where(people, 0.75, 0.25) + own * (family == "gpt") + longer * (length - 100) / 20
    return {
        "item": np.arange(number) // 2,
        "human": people.astype(int),
        "gpt judge": (rng.random(number) < chance).astype(int),
        "family": family,
        "length": length,
    }


def test_favours_are_found_and_errors_are_not_taken_for_them() -> None:
    found = podium.judge(table(np.random.default_rng(0), 4000, own=0.1, longer=0.06), family_column="family")
    favours = {row.kind: row.bias for row in found.biases}
    assert favours["own family"].low <= 0.1 <= favours["own family"].high
    assert favours["length"].low <= 0.06 <= favours["length"].high
    assert "favours its own family by" in found.sentences[0]
    mistaken = 0
    for seed in range(60):  # differences from people alone would find a bias in nearly all
        fair = podium.judge(table(np.random.default_rng(seed)), family_column="family")
        mistaken += any(row.p <= 0.05 for row in fair.biases if row.kind != "level")
    assert mistaken <= 7


def panel(rng: np.random.Generator, errors: Mapping[str, float], number: int = 600) -> dict[str, Any]:
    people = rng.integers(0, 2, number)
    judges = {name: np.where(rng.random(number) < error, 1 - people, people) for name, error in errors.items()}
    return {"item": np.arange(number), "human": people, **judges}


def test_the_best_judge_the_panel_and_the_outlier_are_named() -> None:
    errors = {"judge a": 0.15, "judge b": 0.15, "judge c": 0.4}
    found = podium.judge(panel(np.random.default_rng(1), errors))
    assert sorted(found.best()) == ["judge a", "judge b"]
    assert found.outliers == ("judge c",)
    assert any("the panel of 3" in sentence for sentence in found.sentences)
    false = 0
    for seed in range(40):
        equal = podium.judge(panel(np.random.default_rng(seed), dict.fromkeys(errors, 0.2)))
        judges = [row for row in equal.differences if row.judge != "panel"]
        false += bool(equal.outliers) or any(row.p <= 0.05 for row in judges)
    assert false <= 6


def test_a_majority_that_is_tied_counts_in_parts() -> None:
    found = podium.judge({"human": [1, 1, 0, 0], "judge a": [1, 1, 0, 0], "judge b": [1, 0, 0, 1]})
    assert next(row for row in found.judged if row.judge == "panel").agreement.value == pytest.approx(0.75)


def test_rows_of_verdicts_are_columns_of_judges() -> None:
    wide = panel(np.random.default_rng(3), {"judge a": 0.1, "judge b": 0.3}, 50)
    long = {
        "item": np.tile(wide["item"], 2),
        "judge": ["judge a"] * 50 + ["judge b"] * 50,
        "verdict": np.concatenate([wide["judge a"], wide["judge b"]]),
        "human": np.tile(wide["human"], 2),
    }
    order = np.random.default_rng(0).permutation(100)
    shuffled = {name: np.asarray(column)[order] for name, column in long.items()}
    assert podium.judge(shuffled).to_dict() == podium.judge(wide).to_dict()


def test_a_row_that_stands_twice_counts_once_and_another_verdict_is_an_error() -> None:
    wide: Any = panel(np.random.default_rng(3), {"judge": 0.2}, 40) | {"system": ["A"] * 40}
    long: Any = {"item": wide["item"], "judge": ["j"] * 40, "verdict": wide["judge"], "human": wide["human"]}
    for rows in (wide, long):
        twice = {name: np.concatenate([column, column[:9]]) for name, column in rows.items()}
        once, again = podium.judge(rows), podium.judge(twice)
        assert again.judged == once.judged
        assert again.notes == ("9 rows the same as an earlier one, so not counted again", *once.notes)
    answers = wide | {"sample": np.arange(40), "item": [1] * 40}
    assert podium.judge(answers).judged[0].answers == 40  # other answers to one item


def battles(rng: np.random.Generator, first: float, circle: float = 0.0, number: int = 300) -> dict[str, Any]:
    """Battles of a, b and c in both orders: the answer shown first wins more often, and each beats the next."""
    one = rng.integers(0, 3, number)
    two = (one + rng.integers(1, 3, number)) % 3
    shown = np.stack([np.concatenate([one, two]), np.concatenate([two, one])])
    ahead = np.where((shown[1] - shown[0]) % 3 == 1, circle, -circle)
    won = rng.random(2 * number) < 0.5 + first + ahead
    names = np.array(list("abc"))
    winner = np.where(won, "model_a", "model_b")
    return {
        "question_id": np.tile(np.arange(number), 2),
        "model_a": names[shown[0]],
        "model_b": names[shown[1]],
        "winner": winner,
    }


def test_places_that_decide_and_circles_are_found() -> None:
    rng = np.random.default_rng(0)
    given = battles(rng, 0.2, 0.25)
    found = podium.judge(given)
    place = found.positions["judge"]
    assert place.swapped == 300
    assert place.first.low <= 0.7 <= place.first.high
    assert sorted(place.circle) == ["a", "b", "c"]
    assert "no single order fits the choices of the judge" in found.sentences[1]
    half = {name: column[:300] for name, column in given.items()}
    turned = np.where(given["winner"][300:] == "model_a", "model_b", "model_a")
    assert place.flips.value == pytest.approx(np.mean(half["winner"] != turned))
    assert sum(pair.swapped for pair in place.pairs) == 300
    games = {
        "question_id": half["question_id"],
        "model_1": half["model_a"],
        "model_2": half["model_b"],
        "g1_winner": np.where(half["winner"] == "model_a", "model_1", "model_2"),
        "g2_winner": np.where(turned == "model_a", "model_1", "model_2"),
    }
    again = podium.judge(games).positions["judge"]
    assert (again.first, again.flips) == (place.first, place.flips)
    fair = podium.judge(battles(rng, 0.0)).positions["judge"]
    assert fair.circle == ()
    assert fair.first.low < 0.5 < fair.first.high


def test_battles_of_one_judge_in_both_orders_are_one(tmp_path: Path) -> None:
    rows = ["question_id,judge,model_a,model_b,winner", "1,j,a,b,model_a", "1,j,b,a,model_b", "2,j,a,b,model_a"]
    rows += ["2,j,b,a,model_a", "3,j,a,b,tie", "3,k,b,a,model_a"]
    (tmp_path / "battles.csv").write_text("\n".join(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = podium.read(tmp_path / "battles.csv")
    assert sorted(scores.tasks[0].values[0].tolist()) == [0.0, 0.5, 0.5, 1.0]
    assert "2 battles judged in both orders: the two differ in 1, which count as ties" in scores.notes


def test_certainty_is_held_against_what_is_right() -> None:
    rng = np.random.default_rng(0)
    sure = rng.uniform(0.5, 1, 2000)
    people = rng.integers(0, 2, 2000)
    judge = np.where(rng.random(2000) < sure - 0.1, people, 1 - people)
    table = {"human": people, "judge": judge, "sure": sure}
    found = podium.judge(table, probability_column="sure").calibrations["judge"]
    assert found.too_sure.low <= 0.1 <= found.too_sure.high
    assert found.error.low <= 0.1 <= found.error.high
    assert found.coverage == pytest.approx(0.8)
    assert found.threshold == np.sort(sure)[400]
    assert found.risk.value == pytest.approx(np.mean((judge != people)[sure >= found.threshold]))
    right = podium.judge({**table, "sure": sure - 0.1}, probability_column="sure").calibrations["judge"]
    assert right.error.low == 0


def test_labels_of_another_table_are_those_of_a_column() -> None:
    beside = {"id": [3, 1, 2], "gold": ["x", "y", "x"]}
    rows = {"id": [1, 1, 2, 2, 3], "system": list("ababa"), "answer": list("yyxyx")}
    asked: dict[str, Any] = {"judge_column": "system", "score_column": "answer"}
    found = podium.judge(rows, gold=beside, **asked)
    assert found.to_dict() == podium.judge({**rows, "human": list("yyxxx")}, **asked).to_dict()
    with pytest.raises(InputError, match="item '1' has another label"):
        podium.judge(rows, gold={"id": [1, 1], "gold": ["x", "y"]}, **asked)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"human": [1, 0, 1], "judge": [4, 2, 5]}, {}, "judge scores 2 to 5, and people 0 to 1"),
        ({"human": ["good", "bad"], "judge": ["A", "B"]}, {}, "judge says a, b, and people bad, good"),
        ({"human": ["1", "0"], "judge": ["1", "x"]}, {}, "some verdicts are numbers, and 'x' is none"),
        ({"human": [1, None], "judge": [None, 0]}, {}, "judge judged no answer that people have judged"),
        ({"human": [None, None], "judge": [1, 0]}, {}, "people have judged no answer"),
        ({"judge": [1, 0]}, {}, "no column says what people think"),
        ({"human": [1, 0], "other": [1, 0]}, {}, "no column is called after a judge"),
        ({"human": [1, 0], "judge": [1, 0], "p": [0.5, 2]}, {"probability_column": "p"}, "a probability is 2"),
        ({"judge": ["a", "b"], "verdict": [1, 0], "human": [1, 0]}, {}, "several judges need items by name"),
        ({"judge": ["a"], "verdict": [1], "human": [1]}, {"judges": "a"}, "rows name their judge"),
        (
            {"item": [1, 1], "judge": ["a", "a"], "verdict": [1, 0], "human": [1, 1]},
            {},
            "judge 'a' has judged this answer in an earlier row",
        ),
        (
            {"item": [1, 1], "judge": ["a", "b"], "verdict": [1, 0], "human": [1, 0]},
            {},
            "people say something else of this answer",
        ),
        ({"model_a": ["a"], "model_b": ["b"], "winner": ["c"]}, {}, "neither 'a', 'b', a side, nor a tie"),
    ],
)
def test_what_is_wrong_is_named(table: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        podium.judge(table, **options)


def test_a_judge_that_always_says_the_same_is_not_shown_to_agree() -> None:
    found = podium.judge({"human": [1, 0] * 20, "judge": [1] * 40})
    assert "not shown to agree with people more than by chance: on 50%" in found.sentences[0]
    with pytest.raises(LabelError, match="probability_column="):
        found.plot()


def test_wrong_names_and_numbers_are_refused() -> None:
    table = {"human": [1, 0], "judge": [1, 0], "family": ["x", "y"]}
    with pytest.raises(LabelError, match="no family"):
        podium.judge(table, family_column="family", own={"judge": "z"})
    with pytest.raises(LabelError, match="no judge"):
        podium.judge(table, own={"j": "x"})
    with pytest.raises(MethodError, match="coverage"):
        podium.judge(table, coverage=2)
    with pytest.raises(TypeError, match="human_column"):
        podium.judge(table, human="human")


def test_one_class_and_one_item_have_no_interval_and_say_so() -> None:
    found = podium.judge({"human": [1, 1, 1, 1], "judge": [1, 0, 1, 1]})
    assert math.isnan(found.judged[0].kappa.low)
    assert found.notes == ("people always say the same, so agreement beyond chance is unknown",)
    alone = podium.judge({"human": [1], "judge": [1]})
    assert math.isnan(alone.judged[0].agreement.low)
    assert alone.render("table")
    same = podium.judge({"human": [1] * 20, "judge": [1] * 20})
    assert same.sentences[0] == (
        "the judge agrees with people on 100% (20 answers); whether more than by chance cannot be known"
    )


def test_what_few_answers_do_not_show_is_not_ruled_out() -> None:
    people = [1, 0] * 20
    found = podium.judge({"human": people, "judge": people, "sure": [0.9] * 40}, probability_column="sure")
    bias, sure = found.biases[0].bias, found.calibrations["judge"].too_sure
    assert bias.low < -0.05 < 0.05 < bias.high
    assert sure.low < -0.1 < sure.high < 0
    assert linear(np.array([[1.0, 1.0]] * 4), lambda of: of[..., 1] / of[..., 0], 0.95)[0].low < 0


def test_battles_in_one_order_alone_are_shown(tmp_path: Path) -> None:
    rows = "".join(f"A,B,{'model_a' if row % 3 else 'tie'},{row}\n" for row in range(12))
    (tmp_path / "battles.csv").write_text(f"model_a,model_b,winner,question_id\n{rows}")
    assert "judged none in both orders" in run(tmp_path, "judge battles.csv").stdout
    assert "judged none in both orders" in repr(podium.judge(tmp_path / "battles.csv"))  # though there is no table
    (tmp_path / "battles.csv").write_text(f"model_a,model_b,winner,question_id\n{rows}A,A,tie,99\n")
    assert "line 14: a system meets itself" in run(tmp_path, "judge battles.csv").stderr


def test_the_command_line_says_what_the_function_says(tmp_path: Path) -> None:
    (tmp_path / "judged.csv").write_text("id,human,judge\n1,1,1\n2,0,0\n3,1,0\n4,0,0\n5,1,1\n")
    said = run(tmp_path, "judge judged.csv --human-column human --own judge")
    assert said.returncode == 2
    assert "--own 'judge' is not of the form JUDGE=FAMILY" in said.stderr
    printed = run(tmp_path, "judge judged.csv --human-column human").stdout
    assert podium.judge(tmp_path / "judged.csv").sentences[0] in printed
    assert kappa(np.array([5.0, 4, 3, 2, 2, 3])) == pytest.approx(8 / 13)
