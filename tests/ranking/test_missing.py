"""Missing scores by a model of strengths; whose rank depends on how they count."""

import itertools
import warnings
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.errors import MethodError
from podium.ranking import api
from podium.ranking.ballots import pool_scored, pool_task_level
from podium.ranking.bootstrap import replicates as drawn_replicates
from podium.ranking.contributions import contributions_of
from podium.ranking.counted import CountedScores
from podium.ranking.linearised import linearised, pseudo_values
from podium.ranking.method.bradley_terry import bradley_terry
from podium.ranking.method.missing_model import PRIOR_BALLOTS, chances, strengths
from podium.ranking.method_spec import LEVELS, MethodSpec, needs_of
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import drawn_as
from podium.tally.count import count
from podium.tally.draw import Resampling
from support.worlds import tables

pytestmark = [pytest.mark.core, pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")]

Floats = NDArray[np.float64]


every_level = pytest.mark.parametrize("level", LEVELS)


counts = st.integers(2, 6).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=n, max_size=n)
)


def ranked(scores: Scores, level: Any, missing: Any = "model") -> dict[str, float]:
    """Score of every system."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = podium.rank(scores, MethodSpec("borda", level, missing), confidence_level=None)
    return dict(zip(ranking.systems, np.nan_to_num(ranking.score, nan=-1.0).tolist(), strict=True))


def single(scores: Scores) -> Scores:
    """The table with one instance for each task."""
    tasks = (Task.cut(task.name, task.values[:, :1], higher_is_better=task.higher_is_better) for task in scores.tasks)
    return replace(scores, tasks=tuple(tasks))


def connected(scores: Scores) -> bool:
    return len(scores.tasks) == 1 or bool(np.sum([task.scored > 0 for task in scores.tasks], axis=0).max() > 1)


def games(won: Floats, ballots: float) -> float:
    """What the prior adds, as the docstring has it."""
    size = (1 + np.sqrt(1 + 4 * won.sum() * 2 / ballots)) / 2
    return float(PRIOR_BALLOTS * (size - 1))


def square(rows: list[list[int]]) -> Floats:
    won = np.array(rows, dtype=np.float64)
    np.fill_diagonal(won, 0.0)
    return won


@given(rows=counts, ballots=st.integers(1, 40))
def test_strengths_are_those_of_bradley_terry_with_its_prior(rows: list[list[int]], ballots: int) -> None:
    won = square(rows)
    assume(won.any())
    fitted = bradley_terry(won, np.zeros_like(won), prior=games(won, ballots))
    strength = strengths(won, np.array(float(ballots)))
    assert_allclose(strength - strength.mean(), fitted.strength, atol=1e-7)
    assert np.tanh(strength / 2).sum() == pytest.approx(0.0, abs=1e-7)


@given(rows=counts)
def test_replicates_are_fitted_one_by_one(rows: list[list[int]]) -> None:
    won = square(rows)
    several = np.stack([won, 2 * won, won.T, np.zeros_like(won)], axis=2)
    ballots, unit = np.array([4.0, 7.0, 4.0, 1.0]), np.array([1.0, 2.0, 1.0, 1.0])
    together = strengths(several, ballots, unit)
    for b in range(4):
        assert_array_equal(together[:, b], strengths(several[..., b], ballots[b], unit[b]))
    assert_allclose(together[:, 2], -together[:, 0], atol=1e-12)
    assert_array_equal(together[:, 3], 0.0)


def test_strengths_beyond_what_odds_can_hold() -> None:
    """Each of 120 systems beats the next, ten thousand times."""
    won = np.diag(np.full(119, 1e4), 1)
    strength = strengths(won, np.array(119e4))
    assert np.abs(strength).max() > 300
    assert_allclose(strength, -strength[::-1], atol=1e-6)
    pulls = won.sum(axis=1) - ((won + won.T) * chances(strength)).sum(axis=1)
    assert_allclose(pulls, games(won, 119e4) * np.tanh(strength / 2) / 2, atol=1e-6)


def test_what_does_not_converge_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.ranking.method.missing_model._STEPS", 1)
    with pytest.raises(MethodError, match="did not converge in 1 steps; use missing='imputed'"):
        strengths(np.triu(np.ones((3, 3)), 1) * np.arange(1, 4), np.array(1.0))


@given(scores=tables(), tolerance=st.sampled_from([0.0, 1.0]))
def test_scored_pairs_are_those_of_all_pairs(scores: Scores, tolerance: float) -> None:
    means = np.array([task.values[:, 0] for task in scores.tasks])
    weights = np.arange(1.0, len(means) + 1)
    once = pool_scored(means, weights, tolerance=tolerance, scale=None)
    all_pairs = pool_task_level(means, weights, tolerance=tolerance, scale=None)
    assert_array_equal(once.wins, all_pairs.wins)
    assert_array_equal(once.ties, all_pairs.ties)
    assert once.weight == all_pairs.weight
    drawn = np.column_stack([weights, weights[::-1], 0 * weights])
    several = pool_scored(means[..., None], drawn, tolerance=tolerance, scale=None)
    assert_array_equal(several.wins[..., 0], once.wins)
    assert_array_equal(several.ties[..., 0], once.ties)
    assert not several.wins[..., 2].any()


def test_more_ballots_than_a_byte_counts() -> None:
    means = np.tile([2.0, 1.0, np.nan], (600, 1))
    assert pool_scored(means, np.ones(600), tolerance=0.0, scale=None).wins[0, 1] == 600.0


@every_level
@given(scores=tables(complete=True))
def test_complete_tables_have_the_usual_scores(level: str, scores: Scores) -> None:
    assert ranked(scores, level) == pytest.approx(ranked(scores, level, None), abs=1e-12)


@given(scores=tables())
def test_scores_are_the_expected_shares_ballot_by_ballot(scores: Scores) -> None:
    scores = single(scores)
    assume(connected(scores))
    values = np.array([task.values[:, 0] if task.higher_is_better else -task.values[:, 0] for task in scores.tasks])
    values = values[~np.isnan(values).all(axis=1)]  # a task without any score changes nothing
    there = ~np.isnan(values).all(axis=0)
    values = values[:, there]
    n_systems = values.shape[1]
    won = np.zeros((n_systems, n_systems))
    for ballot in values:
        won += (ballot[:, None] > ballot) + (ballot[:, None] == ballot) / 2
    np.fill_diagonal(won, 0.0)
    chance = chances(strengths(won, np.array(float(len(values)))))
    expected = np.zeros(n_systems)
    for ballot in values:
        for i in range(n_systems):
            for j in range(n_systems):
                if np.isnan(ballot[[i, j]]).any():
                    expected[i] += chance[i, j]
                elif i != j:
                    expected[i] += 0.5 * (float(np.sign(ballot[i] - ballot[j])) + 1)
    shares = np.full(there.size, -1.0)  # a system without any score has none, and is nobody's opponent
    shares[there] = expected / (len(values) * (n_systems - 1)) if n_systems > 1 else 1.0
    assert ranked(scores, "task") == pytest.approx(dict(zip(scores.systems, shares, strict=True)), abs=1e-9)
    assert ranked(scores, "one") == pytest.approx(ranked(scores, "task"), abs=1e-9)


def test_two_levels_by_hand() -> None:
    nan = float("nan")
    scores = podium.from_arrays({"t": [[3.0, 4.0], [2.0, 1.0], [nan, nan]], "u": [[1.0], [2.0], [3.0]]})
    counted = CountedScores.of(scores, [MethodSpec("borda", "two", "model")])
    result = counted.result(MethodSpec("borda", "two", "model"))
    chance = chances(dict(result.extras)["strength"])
    # On t, A is before B, and C is where its chances put it; on u the order is C, B, A: each beats another once.
    places = [1 + chance[2, 0] + 3, 2 + chance[2, 1] + 2, 1 + chance[0, 2] + chance[1, 2] + 1]
    assert result.rank_sum is not None
    assert_allclose(result.rank_sum, places, atol=1e-12)


@every_level
@given(scores=tables(), data=st.data())
def test_a_replicate_is_the_table_with_other_weights(level: Any, scores: Scores, data: Any) -> None:
    scores = replace(scores, tasks=tuple(replace(task, weight=1.0) for task in scores.by_name().tasks))
    number = len(scores.tasks)
    drawn = np.array(data.draw(st.lists(st.integers(1, 3), min_size=number, max_size=number)), dtype=np.float64)
    spec = MethodSpec("borda", level, "model")
    replicate = CountedScores.of(scores, [spec]).reweighed(spec, np.column_stack([drawn, np.ones(number)]))
    tasks = tuple(replace(task, weight=weight) for task, weight in zip(scores.tasks, drawn.tolist(), strict=True))
    weighed = replace(scores, tasks=tasks)
    assert_allclose(replicate.score[:, 0], CountedScores.of(weighed, [spec]).result(spec).score, atol=1e-9)
    assert_allclose(replicate.score[:, 1], CountedScores.of(scores, [spec]).result(spec).score, atol=1e-9)


@every_level
def test_a_strong_system_that_skipped_tasks_is_not_put_in_the_middle(level: str) -> None:
    scores = podium.simulate.gumbel(9, 20, 10, dispersion=0.5, rng=0).scores
    best = scores.systems.index("system 9")

    def skipped(number: int, task: Task) -> Task:
        values = task.values.copy()
        values[best] = np.where(number < 16, np.nan, values[best])
        return Task.cut(task.name, values)

    holes = replace(scores, tasks=tuple(skipped(number, task) for number, task in enumerate(scores.tasks)))
    complete, pulled, modelled = (
        ranked(table, level, way)["system 9"] for table, way in ((scores, None), (holes, "imputed"), (holes, "model"))
    )
    assert complete > 0.85
    assert pulled < 0.7
    assert abs(modelled - complete) < 0.06


def drawn(scores: Scores, units: str, replicates: int = 400) -> tuple[Floats, Floats, CountedScores, MethodSpec]:
    """Replicates that are one step from the fit, and the same with a fit of their own."""
    spec = MethodSpec("borda").on(scores)
    assert spec.missing == "model"
    counted = CountedScores.of(scores, [spec])
    draws = Resampling(units, replicates, 0)
    factors = draws.task_draws(drawn_as(counted.by_name.tasks, units))
    model = linearised(counted, spec)
    if units == "tasks":
        return model.replicates_of_tasks(factors), counted.reweighed(spec, factors).score, counted, spec
    steps = drawn_replicates(pseudo_values(counted, spec)[0], MethodSpec("mean"), draws)
    own = count(counted.by_name, needs_of(spec), resampling=draws)
    return steps, counted.reweighed(spec, factors, own).score, counted, spec


def holes(scores: Scores, share: float) -> Scores:
    rng = np.random.default_rng(0)
    tasks = (
        task.with_values(np.where(rng.random(task.values.shape) < share, np.nan, task.values)) for task in scores.tasks
    )
    return replace(scores, tasks=tuple(tasks))


@pytest.mark.parametrize("units", ["tasks", "instances", "both"])
def test_one_step_from_the_fit_gives_the_intervals_of_a_fit_of_each_replicate(units: str) -> None:
    world = podium.simulate.gumbel(8, 25, 1 if units == "tasks" else 60, dispersion=0.4, rng=1).scores
    steps, fits, counted, spec = drawn(holes(world, 0.3), units)
    assert_allclose(steps.mean(axis=1), counted.result(spec).score, atol=0.1 * steps.std(axis=1).max())
    one, other = (np.quantile(samples, [0.025, 0.975], axis=1) for samples in (steps, fits))
    assert (np.abs(one - other) < 0.1 * (other[1] - other[0])).all()


@every_level
@given(scores=tables())
def test_what_units_add_is_the_score(level: Any, scores: Scores) -> None:
    scores = replace(scores, tasks=tuple(replace(task, weight=1.0) for task in scores.tasks))
    spec = MethodSpec("borda", "balanced" if level == "two" else level, "model")
    counted = CountedScores.of(scores, [spec])
    score = np.nan_to_num(counted.result(spec).score)
    assume(np.count_nonzero(score) > 1)
    for units in ("tasks", "instances") if level in {"one", "balanced"} else ("tasks",):
        added = contributions_of(counted, spec, units)
        assert_allclose(added.values.sum(axis=0), score, atol=1e-9)
        assert added.scored.shape == added.values.shape


def test_how_a_system_does_on_what_it_was_not_run_on_is_drawn() -> None:
    rng = np.random.default_rng(0)
    means = rng.normal(size=(6, 20))
    values = means[..., None] + rng.normal(size=(6, 20, 40))
    values[0, 8:] = np.nan
    systems = [f"system {number}" for number in range(6)]
    scores = podium.from_arrays({f"t{task:02}": values[:, task] for task in range(20)}, systems=systems)
    spec = MethodSpec("borda").on(scores)
    counted = CountedScores.of(scores, [spec])
    model = linearised(counted, spec)
    variances = model.of_instances(counted.by_name, spec.level)[1]
    deviation = model.deviations(variances)
    # what a system gains on a task by all items there might be, against the others
    truth = [[NormalDist().cdf(float(d)) for d in row] for row in (means[:, None] - means).reshape(36, 20) / np.sqrt(2)]
    shares = (np.array(truth).reshape(6, 6, 20).sum(axis=1) - 0.5) / 5
    assert_allclose(deviation, (shares - shares.mean(axis=1, keepdims=True)).std(), rtol=0.3)
    added = model.unrun(scores.systems, Resampling("instances", 4000, 0), deviation)
    # twelve tasks of twenty are missing, and the fit takes eight deviations for strength
    expected = deviation[0] * 12 / 20 * np.sqrt(1 / 12 + 1 / 8)
    assert added[0].std() == pytest.approx(expected, rel=0.15)
    assert_allclose(added.sum(axis=0), 0.0, atol=1e-12)
    assert added[1:].std(axis=1).max() < added[0].std() / 3
    assert not model.unrun(scores.systems, Resampling("instances", 5, 0), 0 * deviation).any()
    again = model.unrun(scores.systems, replace(Resampling("instances", 5, 0), first=100), deviation)
    assert_array_equal(again, added[:, 100:105])


def test_groups_that_no_ballot_compares_are_named() -> None:
    nan = float("nan")
    arrays = {"t": [[1.0], [2.0], [nan], [nan]], "u": [[1.0], [2.0], [nan], [nan]], "v": [[nan], [nan], [1.0], [2.0]]}
    ranking = podium.rank(
        podium.from_arrays(arrays, systems=list("ABCD")), MethodSpec("borda", missing="model"), confidence_level=None
    )
    assert "groups that never meet count as equally strong: {A, B}, {C, D}" in ranking.notes
    assert ranking.systems[:2] == ("B", "D")
    assert not any(
        "groups" in note for note in podium.rank(podium.datasets.xtreme_missing(), confidence_level=None).notes
    )


def said(scores: Scores, method: str | MethodSpec = "borda") -> list[str]:
    """Notes on how ranks depend on missing scores."""
    return [
        note
        for note in podium.rank(scores, method, confidence_level=None).notes
        if "depend" in note or "how missing" in note
    ]


def ranks(scores: Scores, missing: str | None) -> dict[str, int]:
    ranking = podium.rank(scores, MethodSpec("borda", missing=missing), confidence_level=None)  # type: ignore[arg-type]
    return dict(zip(ranking.systems, ranking.rank.tolist(), strict=True))


def skipped(share: float) -> Scores:
    """Twenty tasks, a part of which the best of eight systems skipped."""
    values = podium.simulate.gumbel(8, 20, 1, dispersion=0.7, rng=0).scores.tasks
    table = np.array([task.values[:, 0] for task in values]).T
    table[7, : int(share * 20)] = np.nan
    return podium.from_arrays(table)


@pytest.mark.parametrize("way", ["imputed", "model"])
def test_the_note_has_the_ranks_of_both_ways(way: str) -> None:
    scores = skipped(0.8)
    other = {"imputed": "model", "model": "imputed"}[way]
    (note,) = said(scores, MethodSpec("borda", missing=way))  # type: ignore[arg-type]
    one, two = ranks(scores, way), ranks(scores, other)
    moved = {system: abs(one[system] - two[system]) for system in one}
    most = max(moved.values())
    assert f"changes {sum(move > 0 for move in moved.values())} ranks, most" in note
    named = note.partition(" most that of ")[2].partition(":")[0]
    assert moved[named] == most
    assert f"{named}: {one[named]}, but {two[named]} with missing='{other}' (--missing {other})" in note
    assert len(note) <= 140


def test_no_note_where_coverage_is_alike_or_no_rank_depends_on_it() -> None:
    assert not said(skipped(0.0))
    assert not said(skipped(0.1))
    assert not said(skipped(0.8), "mean")
    assert not said(podium.from_arrays([[3.0] * 4, [2.0] * 4, [1.0, 1.0, 1.0, np.nan]]))


def test_a_table_too_large_to_rank_twice_says_how_to_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_COMPARISONS", {False: 100, True: 100})
    (note,) = said(skipped(0.8))
    shows = "missing='imputed' (--missing imputed) shows whose rank depends on that"
    assert note == f"systems have 4 to 20 scores; {shows}"


def test_methods_of_pairs_set_imputed_against_direct() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(9, 30)) + np.arange(9)[:, None] / 3
    table[rng.random(table.shape) < np.linspace(0.9, 0, 9)[:, None]] = np.nan
    table[0, :2] = 9.0
    (note,) = said(podium.from_arrays(table), "wins")
    assert "with missing='direct'" in note


def test_the_sentence_says_what_the_first_place_rests_on() -> None:
    ranking = podium.rank(skipped(0.8))
    imputed = podium.rank(skipped(0.8), MethodSpec("borda", missing="imputed"))
    (first, caveat, *_) = ranking.view().verdict
    assert ranking.systems[0] != imputed.systems[0]
    assert first.startswith(f"{ranking.systems[0]} leads on what was run")
    assert caveat == ranking.caveat == ranking.to_dict()["caveat"]
    own = f"{ranking.systems[0]} has 20% of its scores"
    assert caveat == (f"10% of the scores are missing, {own}, and with --missing imputed {imputed.systems[0]} is first")
    for complete in (skipped(0.0), skipped(0.1)):
        assert not podium.rank(complete).caveat
        assert "leads" not in podium.rank(complete).view().verdict[0]


def test_bounds_hold_whatever_is_missing() -> None:
    nan = float("nan")
    table = [[5, 5, 5, nan], [4, nan, 2, 3], [1, 1, nan, 1], [2, 2, 1, 2]]
    scores = podium.from_arrays(np.array(table), systems=list("ABCD"))
    ranking = podium.rank(scores, MethodSpec("borda", missing="bounds"))
    assert ranking.intervals is None
    rows = {row["system"]: row for row in ranking.rows()}
    seen: dict[str, list[tuple[float, int]]] = {name: [] for name in "ABCD"}
    for values in itertools.product(np.arange(-0.5, 6), repeat=3):
        full = np.array(table, dtype=np.float64)
        full[np.isnan(full)] = values
        found = podium.rank(podium.from_arrays(full, systems=list("ABCD")), confidence_level=None)
        for row in found.rows():
            seen[row["system"]].append((row["score"], row["rank"]))
    for name, pairs in seen.items():
        found_scores, found_ranks = zip(*pairs, strict=True)
        assert rows[name]["score_least"] == pytest.approx(min(found_scores))
        assert rows[name]["score_most"] == pytest.approx(max(found_scores))
        assert rows[name]["rank_best"] <= min(found_ranks)
        assert max(found_ranks) <= rows[name]["rank_worst"]
    assert (rows["A"]["rank_best"], rows["A"]["rank_worst"], rows["C"]["rank_best"]) == (1, 2, 2)
    assert "ranks in any case" in str(ranking.view().tables[0].columns)
    with pytest.raises(podium.errors.MethodError, match="is for rank at levels"):
        podium.rank(podium.simulate.gumbel(3, 2, 9, dispersion=1.0, rng=0).scores, "borda:two:missing=bounds")
