"""What every method promises, seen from outside."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.errors import PodiumWarning
from podium.ranking.method_spec import LEVELS, METHODS
from podium.score.table import Scores
from podium.score.task import Task
from support.worlds import tables

#: Bradley–Terry has its laws in a file of its own, because without a prior its likelihood may have no maximum; so has
#: item response, which needs scores between 0 and 1.
WAYS = [
    (name, level)
    for name, method in METHODS.items()
    if name not in {"bradley-terry", "irt"}
    for level in (LEVELS if method.level else (None,))
]
every_way = pytest.mark.parametrize(("method", "level"), WAYS, ids=str)
pytestmark = [pytest.mark.core, pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")]


def ranked(scores: Scores, method: str, level: Any) -> dict[str, tuple[float, float]]:
    """Score and midrank of every system."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        ranking = podium.rank(scores, method, level=level, confidence_level=None)
    return {row["system"]: (row["score"], row["midrank"]) for row in ranking.rows()}


def assert_same(left: dict[str, Any], right: dict[str, Any], *, only_ranks: bool = False) -> None:
    assert set(left) == set(right)
    for system, (score, midrank) in left.items():
        assert midrank == right[system][1]
        if score is None or only_ranks:
            continue
        assert right[system][0] == pytest.approx(score, rel=1e-9, abs=1e-9)


def rebuilt(scores: Scores, change: Any) -> Scores:
    return replace(scores, tasks=tuple(change(task) for task in scores.tasks))


def rankable(scores: Scores) -> bool:
    return len(scores.tasks) == 1 or bool(np.sum([task.scored > 0 for task in scores.tasks], axis=0).max() > 1)


@every_way
@given(scores=tables(), data=st.data())
def test_relabelling_systems_relabels_the_ranking(method: str, level: str | None, scores: Scores, data: Any) -> None:
    order = np.array(data.draw(st.permutations(range(len(scores.systems)))))
    shuffled = Scores(
        tuple(scores.systems[row] for row in order),
        tuple(
            Task.cut(task.name, task.values[order], higher_is_better=task.higher_is_better, weight=task.weight)
            for task in scores.tasks
        ),
    )
    assert_same(ranked(scores, method, level), ranked(shuffled, method, level))


@every_way
@given(scores=tables(), data=st.data())
def test_the_order_of_tasks_does_not_change_a_bit(method: str, level: str | None, scores: Scores, data: Any) -> None:
    weighed = rebuilt(scores, lambda task: replace(task, weight=task.weight / 3))
    shuffled = replace(weighed, tasks=tuple(data.draw(st.permutations(weighed.tasks))))
    assert ranked(weighed, method, level) == ranked(shuffled, method, level)


@every_way
@given(scores=tables())
def test_equal_weights_of_any_size_change_nothing(method: str, level: str | None, scores: Scores) -> None:
    unit = rebuilt(scores, lambda task: replace(task, weight=1.0))
    triple = rebuilt(scores, lambda task: replace(task, weight=3.0, instance_weights=np.ones(task.n_instances)))
    assert_same(ranked(unit, method, level), ranked(triple, method, level))


@every_way
@given(scores=tables())
def test_weight_two_equals_the_task_twice(method: str, level: str | None, scores: Scores) -> None:
    complete = scores.n_scored == scores.n_cells
    assume(
        complete or len(scores.tasks) > 1
    )  # the weight of a single task is that of a ballot in the prior of the model
    unit = rebuilt(scores, lambda task: replace(task, weight=1.0))
    first, *others = unit.tasks
    weighed = replace(unit, tasks=(replace(first, weight=2.0), *others))
    doubled = replace(unit, tasks=(first, replace(first, name="again"), *others))
    assert_same(ranked(weighed, method, level), ranked(doubled, method, level))


@every_way
@given(scores=tables())
def test_flipping_directions_equals_negating(method: str, level: str | None, scores: Scores) -> None:
    def turned(task: Task) -> Task:
        return Task.cut(task.name, -task.values, higher_is_better=not task.higher_is_better, weight=task.weight)

    plain, negated = ranked(scores, method, level), ranked(rebuilt(scores, turned), method, level)
    assert_same(plain, negated, only_ranks=method != "borda")


@pytest.mark.parametrize("level", ["one", "two"])
@given(scores=tables())
def test_increasing_transformations_change_no_borda_result(level: str, scores: Scores) -> None:
    def stretched(task: Task) -> Task:
        _, order = np.unique(task.values, return_inverse=True)
        values = np.where(np.isnan(task.values), np.nan, 3.0 ** order.reshape(task.values.shape) - 100)
        return Task.cut(task.name, values, higher_is_better=task.higher_is_better, weight=task.weight)

    stretched_scores = rebuilt(scores, stretched)
    assert ranked(scores, "borda", level) == ranked(stretched_scores, "borda", level)


@given(scores=tables())
def test_increasing_transformations_of_task_scores_change_no_borda_result(scores: Scores) -> None:
    single = rebuilt(
        scores, lambda task: Task.cut(task.name, task.values[:, :1], higher_is_better=task.higher_is_better)
    )
    assume(rankable(single))

    def stretched(task: Task) -> Task:
        _, order = np.unique(task.values, return_inverse=True)
        values = np.where(np.isnan(task.values), np.nan, 7.0 ** order.reshape(task.values.shape))
        return Task.cut(task.name, values, higher_is_better=task.higher_is_better)

    assert ranked(single, "borda", None) == ranked(rebuilt(single, stretched), "borda", None)


@every_way
@given(scores=tables(complete=True))
def test_a_system_better_everywhere_is_first(method: str, level: Any, scores: Scores) -> None:
    def with_a_best(task: Task) -> Task:
        best = 2e9 if task.higher_is_better else -2e9
        values = np.vstack([task.values, np.full((1, task.n_instances), best)])
        return Task.cut(task.name, values, higher_is_better=task.higher_is_better, weight=task.weight)

    better = Scores((*scores.systems, "best"), tuple(with_a_best(task) for task in scores.tasks))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        assert podium.rank(better, method, level=level, confidence_level=None).systems[0] == "best"


@every_way
@given(scores=tables(complete=True))
def test_a_far_better_system_leaves_the_order_of_the_others(method: str, level: str | None, scores: Scores) -> None:
    def with_an_outlier(task: Task) -> Task:
        best = 1e15 if task.higher_is_better else -1e15
        values = np.vstack([task.values, np.full((1, task.n_instances), best)])
        return Task.cut(task.name, values, higher_is_better=task.higher_is_better, weight=task.weight)

    alone = ranked(scores, method, level)
    beside = ranked(Scores((*scores.systems, "best"), tuple(map(with_an_outlier, scores.tasks))), method, level)
    for system, (_, midrank) in alone.items():
        assert beside[system][1] == midrank + 1


@given(scores=tables())
def test_borda_scores_lie_between_none_and_all_and_average_to_half(scores: Scores) -> None:
    for level in LEVELS:
        ranking = podium.rank(scores, level=level, confidence_level=None)
        assert ((ranking.score >= -1e-12) & (ranking.score <= 1 + 1e-12)).all()
        assert_allclose(ranking.score.mean(), 0.5)
        assert ranking.points is not None
        assert ranking.rank_sum is not None
        assert_allclose(ranking.points + ranking.rank_sum, (ranking.points + ranking.rank_sum)[0])


@given(scores=tables())
def test_ranks_follow_scores(scores: Scores) -> None:
    ranking = podium.rank(scores, confidence_level=None)
    placed = ranking.rank > 0
    assert_array_equal(placed, ~np.isnan(ranking.score))
    for rank, score in zip(ranking.rank[placed], ranking.score[placed], strict=True):
        assert rank == 1 + np.count_nonzero(ranking.score > score + 1e-9)
    assert_array_equal(np.sort(ranking.rank[placed]), ranking.rank[placed])
    assert not ranking.rank[np.count_nonzero(placed) :].any()
