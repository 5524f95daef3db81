"""Chosen items: by brute force on small tables, in worlds where a choice pays or does not, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import podium
from podium.errors import InputError, MethodError
from podium.selection.choice import METHODS, ItemAnswers
from podium.selection.validation import Validated, errors_of_choice, folds, half_width, one_of_each_family, p_values
from support.entry import printed, run

RELEASED = Path(__file__).parents[3] / "shared" / "data" / "scores"


def right_or_wrong(systems: int, items: int, *, seed: int, slopes: float = 0.6, spread: float = 1.5) -> Any:
    """Draw answers `(N, K)` by item response."""
    rng = np.random.default_rng(seed)
    slope, difficulty = np.exp(slopes * rng.normal(size=items)), spread * rng.normal(size=items)
    chance = 1 / (1 + np.exp(-slope * (rng.normal(size=(systems, 1)) - difficulty)))
    return (rng.random((systems, items)) < chance).astype(float)


def table(values: Any, tasks: int = 2) -> podium.Scores:
    """Cut items into tasks of unequal size."""
    cuts = [values.shape[1] * (k + 1) ** 2 // (tasks + 1) ** 2 for k in range(1, tasks)]
    return podium.from_arrays({f"t{k}": part for k, part in enumerate(np.split(values, cuts, axis=1))})


def pooled(values: Any, strata: Any) -> ItemAnswers:
    mass = np.full(values.shape[1], 1 / values.shape[1])
    return ItemAnswers(values, mass, strata, values @ mass)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_method_takes_so_many_different_items_whose_weights_sum_to_one(data: Any) -> None:
    size, strata = data.draw(st.integers(4, 20)), data.draw(st.integers(1, 4))
    values = np.array(
        data.draw(
            st.lists(st.lists(st.sampled_from([0.0, 0.5, 1]), min_size=size, max_size=size), min_size=5, max_size=6)
        )
    )
    items, number = pooled(values, np.arange(size) % strata), data.draw(st.integers(1, size))
    for method in METHODS.values():
        places, weights = method(items, number, np.random.default_rng(0))
        assert len(set(places.tolist())) == number
        assert_allclose(weights.sum(), 1)
        assert (weights > 0).all()


def test_groups_have_one_task_and_a_span_of_difficulty() -> None:
    values = np.tril(np.ones((9, 8)), -1)  # item k is solved by systems after k
    items = pooled(np.hstack([values, values]), np.repeat([0, 1], 8))
    for seed in range(5):
        places = METHODS["stratified"](items, 8, np.random.default_rng(seed)).places
        assert np.bincount(places // 2, minlength=8).tolist() == [1] * 8


def test_left_out_systems_are_predicted_by_a_line_through_others_that_were_left_out() -> None:
    items = pooled(right_or_wrong(12, 60, seed=1), np.zeros(60, int))
    fold = np.arange(12) % 4
    found = Validated.of(items, 10, "stratified", fold=fold, rng=np.random.default_rng(3))
    rng, full = np.random.default_rng(3), items.full
    told, middle = np.empty_like(found.told), np.empty(12)
    for part in range(4):
        inside, out = fold != part, fold == part
        middle[out] = full[inside].mean()
        for draw in told:
            places, weights = METHODS["stratified"](items.of(np.flatnonzero(inside)), 10, rng)
            answers = items.answers[:, places] @ weights
            draw[out] = answers[out] - answers[inside].mean()
    assert_allclose(found.told, told)
    for part in range(4):
        x, y = told[:, fold != part].ravel(), np.tile((full - middle)[fold != part], len(told))
        slope, intercept = np.polyfit(x, y, 1)
        wanted = middle[fold == part] + intercept + slope * told[:, fold == part]
        assert_allclose(found.predicted[:, fold == part], wanted)
    assert_allclose(found.errors, found.predicted - full)


def test_families_are_left_out_together() -> None:
    parts = folds([*"aabbccddeeffgghhiijjkkll"], np.random.default_rng(0))
    assert (parts[::2] == parts[1::2]).all()
    assert set(parts.tolist()) == set(range(10))
    scores = table(right_or_wrong(10, 40, seed=0))
    of = {name: name[-1] for name in scores.systems}
    assert podium.subset(scores, items=10, system_families=of).number == 10
    with pytest.raises(MethodError, match="5 families of systems"):
        podium.subset(scores, items=10, system_families=dict.fromkeys(scores.systems[:8], "llama"))


def test_intervals_by_definition() -> None:
    errors = np.random.default_rng(0).normal(size=(2, 39))
    sizes = np.sort(np.abs(errors))
    assert_allclose(half_width(errors, 0.95), sizes[:, 37].mean())  # 38th of 39: 0.95 · 40
    assert half_width(np.zeros((1, 25)), 0.95) == 0
    kept = one_of_each_family(errors, [*"abc"] * 13, np.random.default_rng(0))
    assert (~np.isnan(kept)).sum(axis=0).tolist() == [1] * 39  # thirteen systems each, in turn
    assert np.all(np.isnan(kept) | (kept == np.resize(errors, kept.shape)))
    assert_allclose(half_width(kept, 0.95), (19 / 3) ** 0.25 * np.nanmax(np.abs(kept), axis=1).mean())


def test_a_choice_for_which_errors_are_small_is_judged_on_others() -> None:
    fold, rng = np.arange(40) % 10, np.random.default_rng(0)
    answered = [Validated(rng.normal(size=(draws, 40)), np.zeros(40), np.zeros(40), fold) for draws in (10, 1)]
    answered = [
        Validated(one.told, one.told[0] + size * rng.normal(size=40), one.middle, fold)
        for one, size in zip(answered, (3, 0.1), strict=True)
    ]
    assert np.isnan(p_values(answered)[0])
    assert p_values(answered)[1] < 0.01
    assert_allclose(errors_of_choice(answered)[3], answered[1].errors[0])
    assert_allclose(errors_of_choice(answered[::-1]), answered[1].errors)


def test_nearly_all_items_predict_full_scores_and_a_file_says_what_the_result_does(tmp_path: Path) -> None:
    scores = podium.from_arrays(
        {"t": right_or_wrong(9, 30, seed=2), "wer ↓": right_or_wrong(9, 20, seed=3)}, lower=["wer ↓"]
    )
    old, new = scores.select(systems=["!system 5"]), scores.select(systems=["system 5"])
    with pytest.warns(podium.errors.PodiumWarning, match="different directions"):
        chosen, ranking = podium.subset(old, items=49), podium.rank(scores, "mean", confidence_level=None)
    found = podium.predict(new, chosen)
    place = ranking.systems.index("system 5")
    assert_allclose(found.score, ranking.score[place], atol=0.03)
    assert 0 < found.high[0] - found.low[0] < 0.1
    assert found.rank[0] == ranking.rank[place]
    for suffix in ("csv", "jsonl", "parquet"):
        with pytest.warns(podium.errors.PodiumWarning, match="different directions"):
            part = podium.subset(old, items=20, rng=4)
        part.save(tmp_path / f"items.{suffix}")
        assert podium.predict(new, tmp_path / f"items.{suffix}").rows() == podium.predict(new, part).rows()


def test_lower_scores_rank_first_where_lower_is_better(tmp_path: Path) -> None:
    values = np.linspace(0.9, 0.1, 8)[:, None] + 0.01 * np.random.default_rng(0).normal(size=(8, 40))
    scores = podium.from_arrays({"wer": values}, lower=["wer"])
    chosen = podium.subset(scores.select(systems=["!system 7"]), items=10)
    chosen.save(tmp_path / "items.csv")
    found = podium.predict(scores.select(systems=["system 7"]), tmp_path / "items.csv")
    assert found.rank.tolist() == [2]
    assert_allclose(found.score, values[6].mean(), atol=0.02)


def test_missing_answers_are_named_and_cost_precision() -> None:
    scores = table(right_or_wrong(20, 200, seed=5))
    old, new = scores.select(systems=["!system 7"]), scores.select(systems=["system 7"])
    chosen = podium.subset(old, items=60)
    whole = podium.predict(new, chosen)
    part = podium.predict(new.select(tasks=["t1"]), chosen)
    lacking = chosen.formula.tasks.count("t0")
    assert part.answered.tolist() == [60 - lacking]
    assert part.high - part.low > whole.high - whole.low
    assert [note for note in part.notes if note.startswith(f"system 7 lacks {lacking} of 60 answers")]
    with pytest.raises(InputError, match="no answer to a chosen item"):
        podium.predict({"A": {"rte": 0.5}}, chosen)


def test_answers_without_names_count_by_place_so_all_must_be_given() -> None:
    values = right_or_wrong(9, 60, seed=6)
    chosen = podium.subset(podium.from_arrays({"t": values[:8]}), items=20)
    places = [int(label) for label in chosen.formula.instances if label]
    with pytest.raises(InputError, match=f"place {max(places)} is beyond the 20 given"):
        podium.predict(podium.from_arrays({"t": values[8:, places]}), chosen)
    given = np.full((1, 60), np.nan)
    given[:, places] = values[8:, places]
    whole = podium.predict(podium.from_arrays({"t": values[8:]}), chosen)
    assert podium.predict(podium.from_arrays({"t": given}), chosen).rows() == whole.rows()


def test_a_high_confidence_takes_more_replicates_and_a_longer_interval() -> None:
    scores = table(right_or_wrong(8, 60, seed=7))
    high, usual = (podium.subset(scores, items=20, confidence_level=level) for level in (0.999, 0.95))
    assert high.half_width > usual.half_width
    assert high.pairs <= usual.pairs


def test_metrics_of_one_item_are_chosen_together() -> None:
    labels = [f"doc {k}" for k in range(30)]
    values = right_or_wrong(8, 30, seed=0)
    scores = podium.from_arrays({"a": values, "b": 1 - values}, instances={"a": labels, "b": labels})
    chosen = podium.subset(scores, items=7)
    assert chosen.there == 30
    assert chosen.formula.instances[:7] == chosen.formula.instances[7:]
    assert chosen.formula.tasks == ("a",) * 7 + ("b",) * 7


def test_random_items_are_given_where_none_are_better_and_informative_ones_where_they_are() -> None:
    rng = np.random.default_rng(0)
    flat = (rng.random((20, 300)) < rng.uniform(0.2, 0.8, (20, 1))).astype(float)
    chosen = podium.subset(table(flat, 1), items=30)
    assert chosen.method == "random"
    assert chosen.sentences[1] == "no choice is significantly better than random items, so these are random"
    telling = right_or_wrong(60, 400, seed=0, slopes=1.5)
    chosen = podium.subset(table(telling, 1), items=40)
    assert chosen.method == "information"
    assert chosen.error[3] < 0.7 * chosen.error[0]
    assert podium.subset(table(telling, 1), items=40).rows() == chosen.rows()


def test_intervals_cover_systems_that_had_no_part_in_the_choice() -> None:
    inside = []
    for seed in range(12):
        scores = table(right_or_wrong(44, 120, seed=seed))
        chosen = podium.subset(scores.take(range(14)), items=24, rng=seed)
        found = podium.predict(scores.take(range(14, 44)), chosen)
        full = dict(
            zip(scores.systems, np.mean([task.values.mean(axis=1) for task in scores.tasks], axis=0), strict=True)
        )
        inside += [
            low <= full[name] <= high for name, low, high in zip(found.systems, found.low, found.high, strict=True)
        ]
    assert np.mean(inside) > 0.93  # of 14 systems they are longer than they need be


@pytest.mark.skipif(not RELEASED.exists(), reason="the released tables are not here")
def test_released_tables() -> None:
    glue = podium.subset(RELEASED / "glue.csv", whole_tasks=5)
    assert (glue.method, glue.there) == ("clusters", 14)
    assert podium.subset(RELEASED / "SUM_EVAL.parquet", items=20).there == 100


@pytest.mark.parametrize(
    ("given", "numbers", "said"),
    [
        ({f"s{k}": {"a": k, "b": 2} for k in range(6)}, {"items": 1}, "of whole tasks"),
        ({f"s{k}": {"a": k, "b": 2} for k in range(6)}, {"whole_tasks": 3}, "there are 2 tasks"),
        ({"s": {"a": 1.0, "b": 2.0}}, {"whole_tasks": 1}, "only one system"),
        ({f"s{k}": {"a": k, "b": 2} for k in range(4)}, {"whole_tasks": 1}, "5 systems"),
        ({"a": np.eye(6)}, {"items": 7}, "there are 6 items"),
        ({"a": np.eye(6)}, {"items": 0}, "at least 1"),
        ({"a": np.eye(6)}, {}, "--items 100"),
        ({"a": np.eye(6)}, {"items": 2, "whole_tasks": 1}, "or else"),
    ],
)
def test_what_cannot_be_chosen_is_said(given: Any, numbers: dict[str, Any], said: str) -> None:
    with pytest.raises(MethodError, match=said):
        podium.subset(given, **numbers)


def test_the_commands_answer_and_refuse(tmp_path: Path) -> None:
    assert run(tmp_path, "subset dataset:demo --items 40 -o items.csv").returncode == 0
    found = printed("podium predict dataset:demo --systems birch --subset items.csv", tmp_path)
    assert [row["system"] for row in found["systems"]] == ["birch"]
    assert found["systems"][0]["answered"] < 40  # it was not run on math
    for wrong in ("subset dataset:demo", "subset dataset:demo --tasks 3", "predict dataset:demo --subset nowhere.csv"):
        done = run(tmp_path, wrong)
        assert (done.returncode, done.stdout) == (2, ""), wrong
    Path(tmp_path, "scores.csv").write_text("system,a,b\nx,1,2\n", encoding="utf-8")
    for wrong in ("predict dataset:demo --subset scores.csv", "predict scores.csv --subset items.csv"):
        assert run(tmp_path, wrong).stderr.count("error: ") == 1
