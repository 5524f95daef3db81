"""Strengths and means adjusted for style: against the released code, brute force, and what must not matter."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize

import podium
from podium.ranking.method.covariates import CovariateBattles
from support.entry import run

Floats = NDArray[np.float64]

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "style_control.json").read_text(encoding="utf-8"))


def arena_battles(*, ties: bool, systems: int = 8, number: int = 30_000, seed: int = 0) -> tuple[Any, Floats, Any]:
    """Return who fought, what the first won, and counts of both answers, `(4, 2, B)`, as whole numbers."""
    rng = np.random.default_rng(seed)
    first = rng.integers(systems, size=number)
    pair = np.array([first, (first + rng.integers(1, systems, size=number)) % systems])
    counts = np.stack(
        [
            np.exp(5 + pair / systems + 0.7 * rng.normal(size=pair.shape)).astype(np.int64),
            *(rng.poisson(mean, size=pair.shape) for mean in (1.0, 4.0, 2.0)),
        ]
    )
    share = (counts[:, 0] - counts[:, 1]) / (counts.sum(axis=1) + 1)
    odds = (pair[1] - pair[0]) / systems + np.array([1.2, 0.3, 0.0, -0.2]) @ share
    win, lose = np.exp(odds / 2), np.exp(-odds / 2)
    drawn = rng.random(number) * (win + lose + 0.6 * ties)
    return pair, np.where(drawn < win, 1.0, np.where(drawn < win + lose, 0.0, 0.5)), counts


def as_table(pair: Any, won: Floats, covariates: dict[str, Any], clusters: Any = None) -> podium.Scores:
    """Make a table of battles; a covariate has shape `(2, B)`."""
    systems, battles = int(pair.max()) + 1, np.arange(won.size)
    values, *measured = np.full((1 + len(covariates), systems, won.size), np.nan)
    for side, share in enumerate((won, 1 - won)):
        values[pair[side], battles] = share
        for cells, given_ in zip(measured, covariates.values(), strict=True):
            cells[pair[side], battles] = given_[side]
    own = None if clusters is None else {"t": [f"judge {one}" for one in clusters]}
    (task,) = podium.from_arrays({"t": values}, clusters=own).tasks
    names = tuple(f"m{system}" for system in range(systems))
    return podium.Scores(names, (replace(task, covariates=dict(zip(covariates, measured, strict=True))),))


def in_order(ranking: podium.Ranking, of: Floats | None = None) -> Floats:
    """Return scores by the names of the systems."""
    return (ranking.score if of is None else of)[np.argsort(ranking.systems)]


COUNTS = ("tokens", "headers", "lists", "bold")


@pytest.mark.core
def test_strengths_and_coefficients_are_those_of_the_released_style_control() -> None:
    pair, won, counts = arena_battles(ties=False)
    table = as_table(pair, won, dict(zip(COUNTS, counts, strict=True)))
    ranking = podium.rank(table, "bradley-terry", adjust=["length", "markdown"], confidence_level=None)
    golden = GOLDEN["results"]["no ties"]
    assert_allclose(in_order(ranking), golden["strengths"], atol=1e-3)
    assert_allclose([one.coefficient for one in ranking.coefficients], golden["coefficients"], atol=1e-3)


@pytest.mark.core
def test_ties_as_half_a_win_give_the_released_numbers_too() -> None:
    pair, won, counts = arena_battles(ties=True)
    x = (counts[:, 0] - counts[:, 1]) / (counts.sum(axis=1) + 1)
    x /= np.sqrt((x**2).mean(axis=1, keepdims=True))
    found, _ = CovariateBattles(pair, won, x, np.ones(won.size), 8, halves=True).most_likely(COUNTS)
    golden = GOLDEN["results"]["ties"]
    assert_allclose(found[:8] - found[:8].mean(), golden["strengths"], atol=1e-3)
    assert_allclose(found[8:], golden["coefficients"], atol=1e-3)


def test_the_fit_is_the_most_likely_by_brute_force() -> None:
    pair, won, counts = arena_battles(ties=True, systems=4, number=200, seed=1)
    x = np.diff(counts[:2].astype(float), axis=1)[:, 0] / [[100.0], [1.0]]
    mass = np.random.default_rng(0).random(200)

    def unlikely(at: Floats) -> float:
        odds = at[pair[0]] - at[pair[1]] + at[4:6] @ x
        win, lose, tie = np.exp(odds / 2), np.exp(-odds / 2), np.exp(at[6]) * np.ones(200)
        chance = np.select([won == 1, won == 0], [win, lose], tie) / (win + lose + tie)
        return float(-(mass * np.log(chance)).sum()) + float(at[:4].sum()) ** 2

    def bent(i: Floats, j: Floats) -> float:
        ends = unlikely(found + i + j) - unlikely(found + i - j) - unlikely(found - i + j) + unlikely(found - i - j)
        return ends / 4e-6

    battles = CovariateBattles(pair, won, x, mass, 4)
    found, covariance = battles.most_likely(["a", "b"])
    assert_allclose(found, minimize(unlikely, np.zeros(7), tol=1e-12).x, atol=2e-4)
    step = 1e-4 * np.eye(7)
    slope = np.array([(unlikely(found - one) - unlikely(found + one)) / 2e-4 for one in step])
    assert_allclose(battles.moved(found, np.zeros(200, dtype=np.int64))[0], slope, atol=1e-5)
    centre = np.eye(7) - np.pad(np.full((4, 4), 0.25), (0, 3))
    curved = np.array([[bent(10 * i, 10 * j) for i in step] for j in step])
    assert_allclose(centre @ covariance @ centre, centre @ np.linalg.inv(curved) @ centre, rtol=1e-3, atol=1e-4)


def test_without_covariates_it_is_bradley_terry() -> None:
    pair, won, _ = arena_battles(ties=True, systems=5, number=300)
    for prior in (0.0, 10.0):
        battles = CovariateBattles(pair, won, np.zeros((0, 300)), np.ones(300), 5)
        found, _ = (battles.with_opponent(prior) if prior else battles).most_likely([])
        plain = podium.rank(as_table(pair, won, {}), podium.MethodSpec("bradley-terry", prior=prior))
        assert_allclose(found[:5] - found[:5].mean(), in_order(plain), atol=1e-9)


def test_means_are_those_of_least_squares_with_a_dummy_for_each_item_and_system() -> None:
    rng = np.random.default_rng(0)
    values, x = rng.normal(size=(2, 2, 4, 30))
    values[rng.random(values.shape) < 0.15] = np.nan
    values[1, 0] = np.nan
    tasks = [
        replace(podium.from_arrays({f"t{t}": values[t]}).tasks[0], covariates={"tone": x[t]}, weight=1 + t)
        for t in range(2)
    ]
    table = podium.Scores(("m0", "m1", "m2", "m3"), (tasks[0], replace(tasks[1], higher_is_better=False)))
    with pytest.warns(podium.errors.PodiumWarning):
        ranking = podium.rank(table, "mean", adjust="tone")
    values[1] *= -1
    task, system, item = np.nonzero(~np.isnan(values))
    design = np.column_stack([np.eye(8)[4 * task + system], np.eye(60)[30 * task + item], x[task, system, item]])
    slope = np.linalg.lstsq(design, values[task, system, item], rcond=None)[0][-1]
    inside = np.where(np.isnan(values), np.nan, x)
    inside -= np.nanmean(inside, axis=1, keepdims=True)
    means = np.nanmean((values - slope * inside)[:, 1:], axis=2)
    first = np.nanmean((values - slope * inside)[0, 0])
    (one,) = ranking.coefficients
    assert_allclose(one.coefficient, slope * np.sqrt(np.nanmean(inside**2)))
    assert_allclose(in_order(ranking), [first, *(means.T @ [1, 2] / 3)])
    assert ranking.means is not None
    assert_allclose(ranking.means[np.argsort(ranking.systems)][1:], means.T * [1, -1])
    assert_allclose(
        in_order(ranking, dict(ranking.extras)["unadjusted_score"])[0], np.nanmean(values[0, 0]), atol=1e-12
    )


@pytest.mark.parametrize("kind", ["battles", "scores"])
def test_errors_are_those_of_the_jackknife(kind: str) -> None:
    rng = np.random.default_rng(2)
    judge = rng.integers(25, size=500)
    if kind == "battles":
        pair, won, counts = arena_battles(ties=True, systems=4, number=500)
        tables = [as_table(pair, won, {"tokens": counts[0]}, judge)]
        for out in range(25):
            kept = judge != out
            tables.append(as_table(pair[:, kept], won[kept], {"tokens": counts[0][:, kept]}, judge[kept]))
    else:
        x, noise = rng.normal(size=(2, 4, 500))
        values, tables = 0.5 * x + noise + rng.normal(size=(4, 25))[:, judge], []
        for out in range(-1, 25):
            kept = judge != out
            own = {"t": [f"judge {one}" for one in judge[kept]]}
            (task,) = podium.from_arrays({"t": values[:, kept]}, clusters=own).tasks
            tables.append(podium.Scores(tuple("abcd"), (replace(task, covariates={"tokens": x[:, kept]}),)))
    method = "bradley-terry" if kind == "battles" else "mean"
    whole = podium.rank(tables[0], method, adjust="tokens", n_resamples=4000)
    others = [podium.rank(table, method, adjust="tokens", confidence_level=None) for table in tables[1:]]
    assert whole.intervals is not None
    scores = np.array([in_order(one) for one in others])
    slopes = np.array([one.coefficients[0].coefficient for one in others])
    for found, error in (
        (
            in_order(whole, whole.intervals.std_error),
            np.sqrt(24 / 25 * ((scores - scores.mean(axis=0)) ** 2).sum(axis=0)),
        ),
        ((whole.coefficients[0].high - whole.coefficients[0].low) / 4.13, 24 / 5 * slopes.std()),
    ):
        assert_allclose(found, error, rtol=0.12)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_order_of_battles_and_of_sides_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair, won, counts = arena_battles(ties=True, systems=4, number=120, seed=seed)
    tone = rng.normal(size=(2, 120))
    order, turned = rng.permutation(120), rng.random(120) < 0.5
    one, other = (
        podium.rank(as_table(*table), "bradley-terry", adjust="*", confidence_level=None)
        for table in (
            (pair, won, {"tokens": counts[0], "tone": tone}),
            (
                np.where(turned, pair[::-1], pair)[:, order],
                np.where(turned, 1 - won, won)[order],
                {
                    "tone": np.where(turned, tone[::-1], tone)[:, order] + 7,  # only differences count, in any units
                    "tokens": np.where(turned, counts[0][::-1], counts[0])[:, order],
                },
            ),
        )
    )
    assert_allclose(in_order(one), in_order(other), atol=1e-8)
    worth = [{one.covariate: one.coefficient for one in ranking.coefficients} for ranking in (one, other)]
    assert worth[0] == pytest.approx(worth[1], abs=1e-8)


def test_equal_systems_of_other_style_are_separated_only_without_adjustment() -> None:
    pair, won, counts = arena_battles(ties=True, systems=4, number=4000)
    rng = np.random.default_rng(0)
    tokens = np.exp(4 + pair / 2 + 0.7 * rng.normal(size=pair.shape)).astype(np.int64)
    x = (tokens[0] - tokens[1]) / tokens.sum(axis=0)
    won = (rng.random(4000) < 1 / (1 + np.exp(-2 * x))) * 1.0
    table = as_table(pair, won, {"tokens": tokens, "lists": counts[2]})
    plain = podium.rank(table, "bradley-terry")
    ranking = podium.rank(table, "bradley-terry", adjust="tokens")
    for one, expected in ((plain, True), (ranking, False)):
        assert one.intervals is not None
        assert one.intervals.separated.any() == expected
    (worth,) = ranking.coefficients
    assert worth.low < 2 * np.sqrt((x**2).mean()) < worth.high
    assert dict(ranking.extras)["unadjusted_score"] == pytest.approx(
        plain.score[[plain.systems.index(one) for one in ranking.systems]]
    )
    assert ranking.to_dict()["coefficients"][0]["covariate"] == "tokens"
    assert "adjusted for tokens, " in ranking.view().verdict[1]


@pytest.mark.parametrize(
    ("covariates", "adjust", "says"),
    [
        (
            {"tokens": "counts"},
            ["nope"],
            "there is no covariate 'nope'; did you mean|there is no covariate 'nope'; there",
        ),
        ({"tokens": "same"}, ["tokens"], "'tokens' is the same for all answers that compete"),
        ({"tone": "twice", "mood": "tone"}, ["tone", "mood"], "'mood' follows from which system answers and 'tone'"),
        ({"size": "system"}, ["size"], "'size' follows from which system answers, so it cannot be told apart"),
        ({"tokens": "winner"}, ["tokens"], "'tokens' decides who wins in all battles"),
        ({"tokens": "missing"}, ["tokens"], "all of 200 battles lack 'tokens'"),
        ({"human": "counts"}, ["human"], "'human' says by its name what people think of answers, and no style"),
        ({"won": "score"}, ["won"], "'won' is the score itself, and no style"),
    ],
)
def test_covariates_that_explain_nothing_or_all_are_named(covariates: Any, adjust: Any, says: str) -> None:
    pair, won, counts = arena_battles(ties=False, systems=4, number=200)
    tone = np.random.default_rng(0).normal(size=(2, 200))
    kinds = {
        "counts": counts[0],
        "same": np.full((2, 200), 7),
        "tone": tone,
        "twice": 2 * tone + pair / 3,
        "system": pair / 3,
        "winner": 3 * np.stack([won, 1 - won]),
        "score": np.stack([won, 1 - won]),
        "missing": np.full((2, 200), np.nan),
    }
    table = as_table(pair, won, {name: kinds[kind] for name, kind in covariates.items()})
    with pytest.raises(podium.errors.PodiumError, match=says):
        podium.rank(table, "bradley-terry", adjust=adjust)


def test_lengths_that_nearly_follow_from_systems_make_wide_intervals_and_say_so(tmp_path: Path) -> None:
    pair, won, counts = arena_battles(ties=True, systems=4, number=400)
    near = as_table(pair, won, {"tokens": 1000 * (1 + pair) + counts[1]})
    assert (
        ">99% of 'tokens' follows from which system answers, so intervals are wide"
        in podium.rank(near, "bradley-terry", adjust="tokens").notes
    )
    far = podium.rank(as_table(pair, won, {"tokens": counts[0]}), "bradley-terry", adjust="tokens")
    assert not any("follows" in note for note in far.notes)
    ends = np.array(["model_b", "tie", "model_a"])[(2 * won).astype(int)]
    rows = [f"m{i},m{j},{end},{k % 7},5" for k, ((i, j), end) in enumerate(zip(pair.T, ends, strict=True))]
    (tmp_path / "battles.csv").write_text("\n".join(["model_a,model_b,winner,length_a,length_b", *rows]))
    said = run(tmp_path, "rank battles.csv -m bradley-terry --adjust length -f csv").stderr
    assert "ties are a third outcome (Davidson), half a win if unadjusted: " in said
    assert "-f json and -f table also have what covariates are worth" in said


def test_columns_of_a_wide_table_are_covariates_whichever_are_tasks() -> None:
    rng = np.random.default_rng(0)
    system, item = (axis.ravel() for axis in np.indices((3, 30)))
    rows = {"system": np.array(list("abc"))[system], "instance": item, "judge": rng.normal(size=90)}
    frame = pl.DataFrame({**rows, "other": rng.normal(size=90), "length": rng.integers(9, 99, 90)})
    found = podium.rank(frame, "mean", adjust="length", tasks="judge")
    long = frame.rename({"judge": "score"}).drop("other")
    assert found.coefficients == podium.rank(long, "mean", adjust="length").coefficients
    with pytest.raises(podium.errors.InputError, match="column 'score' holds scores, so it is no covariate"):
        podium.rank(long, "mean", adjust="score")


def test_priors_are_kept_and_few_judges_have_no_intervals() -> None:
    pair, won, counts = arena_battles(ties=True, systems=4, number=200)
    table = as_table(pair, won, {"tokens": counts[0]}, np.arange(200) % 3)
    ranking = podium.rank(table, podium.MethodSpec("bradley-terry", prior=20.0), adjust="tokens")
    x = (counts[0][0] - counts[0][1]) / (counts[0].sum(axis=0) + 1)
    x /= np.sqrt((x**2).mean())
    found, _ = CovariateBattles(pair, won, x[None], np.ones(200), 4).with_opponent(20.0).most_likely(["tokens"])
    assert_allclose(in_order(ranking), found[:4] - found[:4].mean(), atol=1e-9)
    (one,) = ranking.coefficients
    assert one.coefficient == pytest.approx(found[5])
    assert ranking.intervals is None
    assert one.low != one.low  # NaN
    assert ranking.view().tables[1].rows[0][2] == "–"


def test_battles_without_a_covariate_are_left_out_and_counted() -> None:
    pair, won, counts = arena_battles(ties=False, systems=4, number=200)
    tokens = counts[0].astype(float)
    tokens[1, :20] = np.nan
    kept = slice(20, None)
    found = podium.rank(as_table(pair, won, {"tokens": tokens}), "bradley-terry", adjust="tokens")
    other = podium.rank(
        as_table(pair[:, kept], won[kept], {"tokens": counts[0][:, kept]}), "bradley-terry", adjust="tokens"
    )
    assert in_order(found) == pytest.approx(in_order(other))
    assert "left out, without 'tokens': 20 battles" in found.notes


@pytest.mark.parametrize(
    ("method", "options", "says"),
    [
        ("borda", {}, "use method 'bradley-terry'"),
        ("bradley-terry:two", {}, "leave level 'two' out"),
        ("bradley-terry", {"units": "tasks"}, "leave units= "),
        (podium.MethodSpec("bradley-terry", missing="imputed"), {}, "leave missing='imputed' out"),
    ],
)
def test_other_ways_are_refused(method: Any, options: Any, says: str) -> None:
    pair, won, counts = arena_battles(ties=False, systems=4, number=200)
    with pytest.raises(podium.errors.MethodError, match=says):
        podium.rank(as_table(pair, won, {"tokens": counts[0]}), method, adjust="tokens", **options)
