"""Ranking by item response: laws, intervals that hold, and what it refuses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import t as student

import podium
from podium.errors import ConvergenceError, MethodError
from podium.ranking.figure import intervals_of
from podium.ranking.method.irt import fit_scores
from podium.response.fit import fit_item_response
from podium.score.table import Scores

Floats = NDArray[np.float64]


def answered(ability: Floats, n_instances: int, rng: np.random.Generator) -> Floats:
    slope, difficulty = rng.lognormal(0, 0.4, n_instances), rng.normal(-0.5, 1, n_instances)
    solved: Floats = (rng.random((ability.size, n_instances)) < expit(slope * (ability[:, None] - difficulty))).astype(
        np.float64
    )
    return solved


def world(seed: int = 0, n_systems: int = 6, **sizes: int) -> Scores:
    rng = np.random.default_rng(seed)
    ability = np.linspace(-1, 1, n_systems)
    return podium.from_arrays({name: answered(ability, size, rng) for name, size in (sizes or {"t": 120}).items()})


def abilities(scores: Scores, method: Any = "irt") -> dict[str, float]:
    ranking = podium.rank(scores, method, confidence_level=None)
    return dict(zip(ranking.systems, ranking.score.tolist(), strict=True))


def test_scores_are_abilities_and_their_errors_those_of_the_model() -> None:
    scores = world()
    ranking = podium.rank(scores, "irt")
    fit = fit_item_response(scores.tasks[0].values, tolerance=1e-9, errors=True)
    order = [scores.systems.index(system) for system in ranking.systems]
    assert_allclose(ranking.score, fit.ability[order], atol=1e-6)
    assert_allclose(dict(ranking.extras)["ability_std_error"], fit.ability_se[order], atol=1e-6)
    assert ranking.level is None
    assert (intervals_of(ranking).score_low < ranking.score).all()
    assert ranking.systems[0] == "system 6"


def test_pseudo_values_have_the_abilities_as_means() -> None:
    scores = world(a=50, b=70).with_task_weights({"b": 3})
    fit = fit_scores(scores, steady=False)
    weights = np.array([task.weight for task in fit.table.tasks])
    assert weights.tolist() == [50, 210]
    means = np.array([task.values.mean(axis=1) for task in fit.table.tasks])
    assert_allclose(weights @ means / weights.sum(), fit.result.score)


@pytest.mark.parametrize("method", ["irt", "irt:1pl"])
def test_neither_labels_nor_directions_nor_order_matter(method: str) -> None:
    scores = world(a=40, b=60)
    found = abilities(scores, method)
    turned = replace(scores, tasks=scores.tasks[::-1])
    assert abilities(turned, method) == found
    rows = [3, 1, 5, 0, 2, 4]
    assert abilities(scores.take(rows), method) == pytest.approx(found, abs=1e-8)
    failed = podium.from_arrays(
        {task.name: 1 - task.values for task in scores.tasks}, systems=scores.systems, lower=["a", "b"]
    )
    assert abilities(failed, method) == pytest.approx(found, abs=1e-12)


def test_weight_two_is_the_instance_twice() -> None:
    scores = world(a=40, b=60)
    twice = podium.from_arrays(
        {"a": scores.tasks[0].values, "b": np.tile(scores.tasks[1].values, 2)}, systems=scores.systems
    )
    # weights have the mean 1, so only the prior of abilities and of items tells 100 of weight 1 to 2 from 160
    assert abilities(scores.with_task_weights({"b": 2})) == pytest.approx(abilities(twice), abs=0.1)


def test_systems_that_are_the_same_are_never_told_apart() -> None:
    values = answered(np.array([0.0, 1, -1]), 80, np.random.default_rng(1))
    ranking = podium.rank(podium.from_arrays({"t": values[[0, 1, 0, 2]]}), "irt", n_resamples=100)
    twins = [ranking.systems.index(system) for system in ("system 1", "system 3")]
    assert len({ranking.rank[twin] for twin in twins}) == 1
    assert not intervals_of(ranking).separated[np.ix_(twins, twins)].any()


@pytest.mark.parametrize("n_systems", [2, 6])
def test_intervals_hold_though_items_are_fitted_to_the_same_scores(n_systems: int) -> None:
    """Differences of equal systems, in standard errors of pseudo-values, are beyond Student's quantile in 1 of 20."""
    rng, missed, trials, size = np.random.default_rng(2), 0, 200, 80
    for _ in range(trials):
        scores = podium.from_arrays({"t": answered(np.zeros(n_systems), size, rng)})
        fit = fit_scores(scores, steady=False)
        pseudo = fit.table.tasks[0].values
        gap = pseudo[0] - pseudo[1]
        error = gap.std(ddof=1) / np.sqrt(size)
        missed += abs(gap.mean()) > student.ppf(0.975, size - 1) * error
    assert 2 <= missed <= 20  # of 200; about 10, and by chance from 4 to 18


def test_what_is_missing_is_left_out() -> None:
    rng = np.random.default_rng(3)
    values = answered(np.array([-1.0, 0, 0, 1, 1]), 400, rng)
    values[2, 200:] = np.nan
    values[4] = np.nan
    ranking = podium.rank(podium.from_arrays({"t": values}), "irt", n_resamples=100)
    assert ranking.systems[-1] == "system 5"
    assert ranking.rank[-1] == 0
    assert any(note.startswith("600 of 2,000 scores are missing, and left out") for note in ranking.notes)
    assert any(note == "system 5: no score on any task, so not ranked" for note in ranking.notes)


def test_a_harder_half_does_not_lower_who_alone_took_it() -> None:
    rng = np.random.default_rng(4)
    ability, difficulty = np.array([-0.5, 0.0, 0.5, 1.0])[:, None], np.repeat([-1.5, 1.5], 300)
    values = (rng.random((4, 600)) < expit(ability - difficulty)).astype(np.float64)
    values[3, :300] = np.nan  # the best system took only what is hard
    scores = podium.from_arrays({"t": values})
    with pytest.warns(podium.errors.PodiumWarning):
        assert podium.rank(scores, "mean", confidence_level=None).systems[0] != "system 4"
    assert podium.rank(scores, "irt", confidence_level=None).systems[0] == "system 4"


@pytest.mark.parametrize(
    ("scores", "complaint"),
    [
        (podium.from_arrays({"t": [[1, 0, 1]]}), "there is only one system"),
        (podium.from_arrays({"t": np.array([[1, 0, 1], [np.nan] * 3])}), "only one system has scores"),
        (podium.from_arrays({"t": [[1], [0]]}), "method 'irt' needs one score per instance"),
        (podium.from_arrays({"t": [[1, 0], [1, 0]]}), "solved by all systems, or by none.*add instances"),
        (podium.from_arrays({"t": [[1, 50], [2, 0]]}), "divide percentages by 100"),
        (podium.from_arrays({"t": [[-0.5, 1.0], [1.0, 0.0]]}), "does not lie between 0"),
    ],
)
def test_what_cannot_be_fitted_is_refused(scores: Scores, complaint: str) -> None:
    with pytest.raises(MethodError, match=complaint):
        podium.rank(scores, "irt")


def test_equal_systems_have_exactly_zero() -> None:
    ranking = podium.rank(podium.from_arrays({"t": [[1, 0], [0, 1]]}), "irt", confidence_level=None)
    assert ranking.score.tolist() == [0, 0]
    assert "-0.0000" not in repr(ranking)


@pytest.mark.parametrize("steady", [False, True])
def test_a_fit_that_does_not_settle_is_an_error(steady: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.response.fit._NEWTON", 1)
    with pytest.raises(ConvergenceError, match=r"instances still change by .* after 1 step of Newton's method; add"):
        fit_scores(world(), steady=steady)


@pytest.mark.parametrize("find", [podium.influence, podium.stress])
def test_parts_cannot_be_left_out_and_this_is_found_before_the_work(
    find: Callable[[Scores, str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.robustness.api.study", None)
    with pytest.raises(MethodError, match=r"fitted again for every task and instance .* leave_out=False"):
        find(world(), "irt")


def test_whole_tables_are_stressed_planned_and_compared() -> None:
    scores = world(a=50, b=70)
    found = podium.stress(scores, "irt", repeats=1, n_jobs=1, leave_out=False)
    assert [one.name for one in found.study.swept][-1] == "clone"
    assert not {"corrupt", "scale"} & {one.name for one in found.study.swept}
    assert "stress 'scale' is left out: its scores leave 0 to 1, which irt needs" in found.notes
    assert podium.plan(scores, "irt").systems[0] == "system 6"
    assert podium.agree(scores, ["irt", "mean"]).systems


def test_repeats_of_a_table_are_refused() -> None:
    scores = world()
    repeated = podium.from_arrays({"t": np.stack([scores.tasks[0].values] * 3, axis=2)})
    with pytest.raises(MethodError, match="irt"):
        podium.rank(repeated, "irt", units="repeats")


def test_what_it_does_not_have_is_refused() -> None:
    with pytest.raises(MethodError, match="no model '3pl'"):
        podium.MethodSpec("irt", model="3pl")  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="method 'borda' has no option 'model'; it is for 'irt'"):
        podium.MethodSpec("borda", model="1pl")
    with pytest.raises(MethodError, match="no levels"):
        podium.MethodSpec("irt", level="one")
    assert podium.MethodSpec.of("irt:1pl") == podium.MethodSpec("irt", model="1pl")
    assert str(podium.MethodSpec.of("irt:1pl")) == "irt (model=1pl)"
