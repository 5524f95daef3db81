"""What rankings say and refuse."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import podium
from podium.errors import MethodError, PodiumWarning
from podium.ranking.method_spec import METHODS
from podium.score.table import Scores
from podium.score.task import Task


def test_the_level_follows_the_table_and_is_said() -> None:
    assert podium.rank(podium.datasets.toy_table1(), confidence_level=None).level == "task"
    assert (
        podium.rank(podium.simulate.gumbel(3, 2, 5, dispersion=1, rng=0).scores, confidence_level=None).level
        == "balanced"
    )
    assert podium.rank(podium.datasets.toy_table1(), "mean", confidence_level=None).level is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "brda"}, "there is no method 'brda'; did you mean 'borda'"),
        ({"method": ["mean"]}, r"there is no method \['mean'\]"),
        ({"level": "tow"}, "there is no level 'tow'; did you mean 'two'"),
        ({"method": "mean", "level": "two"}, "method 'mean' has no levels"),
    ],
)
def test_unknown_ways_to_rank_are_named(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        podium.rank(podium.datasets.toy_table1(), **arguments)  # type: ignore[arg-type]


def test_scores_that_are_all_missing_cannot_be_ranked() -> None:
    with pytest.raises(MethodError, match="every score is missing"):
        podium.rank(Scores(("A", "B"), (Task.cut("x", np.full((2, 3), np.nan)),)), confidence_level=None)


WEIGHTLESS = {
    "task": podium.from_dict({"A": {"x": 1.0, "y": None}, "B": {"x": 2.0, "y": None}}).with_task_weights({"x": 0}),
    "instance": Scores(
        ("A", "B"), (Task.cut("x", np.array([[1.0, np.nan], [2.0, np.nan]]), instance_weights=np.array([0.0, 1.0])),)
    ),
}


@pytest.mark.parametrize("what", WEIGHTLESS)
@pytest.mark.parametrize(
    "verb",
    [podium.rank, podium.agree, podium.plan, podium.pairwise, podium.condorcet, podium.influence, podium.stress],
    ids=lambda verb: verb.__name__,
)
def test_scores_that_all_weigh_nothing_are_refused(verb: Callable[[Scores], object], what: str) -> None:
    with pytest.raises(MethodError, match=r"every score is on a task or an instance of weight 0 \(x\).*give weight to"):
        verb(WEIGHTLESS[what])


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_a_score_that_weighs_something_is_enough() -> None:
    scores = podium.from_dict({"A": {"x": 1.0, "y": 3.0}, "B": {"x": 2.0, "y": None}}).with_task_weights({"x": 0})
    assert podium.rank(scores, "mean", confidence_level=None).rank.tolist() == [1, 0]
    values = np.array([[1.0, np.nan, 2.0], [2.0, np.nan, np.nan]])
    task = Task.cut("x", values, instance_weights=np.array([0.0, 1.0, 1.0]))
    assert podium.rank(Scores(("A", "B"), (task,)), "mean", confidence_level=None).rank.tolist() == [1, 0]


def test_a_constant_task_leaves_everybody_level() -> None:
    ranking = podium.rank(Scores(("B", "A"), (Task.cut("x", np.ones((2, 3))),)), confidence_level=None)
    assert ranking.systems == ("A", "B")
    assert ranking.rank.tolist() == [1, 1]
    assert ranking.midrank.tolist() == [1.5, 1.5]


def test_means_that_differ_by_rounding_only_share_a_rank() -> None:
    table = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1 + 0.2, 0.3, 0.0]])
    ranking = podium.rank(Scores(("A", "B", "C"), (Task.cut("x", table),)), "mean", confidence_level=None)
    assert ranking.rank.tolist() == [1, 1, 1]
    assert podium.rank(
        Scores(("A", "B", "C"), (Task.cut("x", table),)), level="task", confidence_level=None
    ).rank.tolist() == [1, 1, 1]


def test_means_of_lower_is_better_tasks_stay_in_their_units() -> None:
    toy = podium.datasets.toy_table1()
    ranking = podium.rank(toy, "mean", confidence_level=None)
    assert not ranking.higher_is_better
    assert ranking.score[0] == pytest.approx(16.72 / 6)
    with pytest.warns(PodiumWarning, match="different directions; Task2, Task3 enter with a minus sign"):
        podium.rank(toy.with_directions(higher=["Task1", "Task[456]"]), "mean", confidence_level=None)
    with pytest.warns(PodiumWarning, match="different directions; Task2 enters with a minus sign"):
        podium.rank(toy.with_directions(higher=["Task[13456]"]), "mean", confidence_level=None)


def test_systems_without_any_score_are_named() -> None:
    xtreme = podium.datasets.xtreme_missing()
    imputed = podium.rank(xtreme, podium.MethodSpec("borda", missing="imputed"), confidence_level=None)
    assert any("M5: no score on any task, so placed in the middle" in note for note in imputed.notes)
    borda = podium.rank(xtreme, confidence_level=None)
    assert (borda.systems[-1], borda.rows()[-1]["rank"]) == ("M5", None)
    others = podium.rank(xtreme.select(systems=["!M5"]), confidence_level=None)
    assert_allclose(others.score, borda.score[:-1], atol=1e-12)
    assert any("M5: no score on any task, so not ranked" in note for note in borda.notes)
    with pytest.warns(PodiumWarning):
        mean = podium.rank(xtreme, "mean", confidence_level=None)
    assert mean.rows()[-1] == {
        "system": "M5", "rank": None, "midrank": None, "score": None, "tasks_scored": 0, "coverage": 0.0,
    }  # fmt: skip
    assert any("M5: no score on any task, so not ranked" in note for note in mean.notes)


def test_near_ties_are_counted_and_can_be_made_ties() -> None:
    near = Scores(("A", "B"), (Task.cut("x", np.array([[0.3], [0.1 + 0.2]])),))
    ranking = podium.rank(near, confidence_level=None)
    assert ranking.systems == ("B", "A")
    assert any("1 of 1 pairs of scores differ by up to 1e-9" in note for note in ranking.notes)
    level = podium.rank(near.with_tie_tolerance(1e-9), confidence_level=None)
    assert level.rank.tolist() == [1, 1]
    assert level.notes == ()


@pytest.mark.parametrize("method", ["mean", "median", "iqm"])
def test_a_tolerance_that_has_no_effect_is_said(method: str) -> None:
    toy = podium.datasets.toy_table1()
    *scales, note = podium.rank(toy.with_tie_tolerance(0.1), method, confidence_level=None).notes
    assert note.startswith("the tie tolerance has no effect on the ")
    assert podium.rank(toy, method, confidence_level=None).notes == tuple(scales)
    assert podium.rank(toy.with_tie_tolerance(0.1), confidence_level=None).notes == ()


def test_a_task_without_any_score_is_named_and_does_no_harm() -> None:
    bare = Scores(("A", "B"), (Task.cut("x", np.array([[2.0], [1.0]])), Task.cut("y", np.full((2, 1), np.nan))))
    ranking = podium.rank(bare, confidence_level=None)
    assert ranking.systems == ("A", "B")
    assert any("y: no system has a score on this task" in note for note in ranking.notes)


@pytest.mark.parametrize("act", [podium.rank, podium.info])
@pytest.mark.parametrize("n_jobs", [0, -1, "2", 1.5])
def test_a_number_of_threads_that_makes_no_sense_is_refused(act: Callable[..., Any], n_jobs: Any) -> None:
    with pytest.raises(MethodError, match=f"n_jobs is {n_jobs!r}; it must be a whole number"):
        act(podium.datasets.toy_table1(), n_jobs=n_jobs)


def _wide() -> Scores:
    """Nine tasks of both directions, of few instances, with missing scores, an empty task and an unscored system."""
    rng = np.random.default_rng(0)
    arrays = {f"task {number}": rng.normal(size=(9, 4)).round(1) for number in range(9)}
    for array in arrays.values():
        array[rng.random(array.shape) < 0.3] = np.nan
        array[8] = np.nan
    arrays["task 3"][:] = np.nan
    arrays["task 5"][0] = arrays["task 5"][1] + 1e-12
    return podium.from_arrays(arrays, lower=[f"task {number}" for number in range(0, 9, 2)])


@pytest.mark.parametrize("method", [name for name in METHODS if name != "irt"])  # scores are not between 0 and 1
@pytest.mark.parametrize("units", ["instances", "tasks"])
@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_notes_are_short(method: str, units: Any) -> None:
    spec = podium.MethodSpec(method, prior=1.0 if method == "bradley-terry" else 0.0)
    ranking = podium.rank(_wide(), spec, confidence_level=0.9, units=units, n_resamples=20)
    plan = podium.plan(_wide(), spec, confidence_level=0.9, units=units, n_resamples=20)
    influence = podium.influence(_wide(), spec)
    notes = {*ranking.notes, *plan.notes, *plan.summary, *influence.notes, *podium.pairwise(_wide()).notes}
    assert len(notes) > 2
    for note in notes:
        assert len(note) <= 140, note
        assert note.count("task ") <= 6, note


@pytest.mark.parametrize("ask", [podium.rank, podium.plan, podium.influence])
def test_a_warning_names_the_line_that_asked(ask: Callable[..., object]) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", PodiumWarning)
        ask(podium.datasets.xtreme_missing(), "mean")
    assert [one.filename for one in seen] == [__file__]


def test_a_system_without_any_score_counts_as_the_method_says() -> None:
    table = podium.from_arrays({"t": np.array([[3, 2, 1], [2, 1, 0], [np.nan] * 3])}, systems=["A", "B", "C"])
    for missing, fate in {
        "imputed": "placed in the middle",
        "placed": "placed on each task as one that beats half of the others",
    }.items():
        spec = podium.MethodSpec("borda", "two", missing=missing)  # type: ignore[arg-type]
        assert f"C: no score on any task, so {fate}" in podium.rank(table, spec, confidence_level=None).notes


@pytest.mark.parametrize(("failed", "shown"), [([3, 50], 1), ([], 0)])
def test_rare_failures_are_named(failed: list[int], shown: int) -> None:
    values = np.random.default_rng(5).normal(1.0, 0.05, (6, 100))
    values[0, failed] = 0.0
    notes = podium.rank(podium.from_arrays({"t": values}), "mean").notes
    assert [one.split(":")[0] for one in notes if "extreme" in one] == ["system 1"] * shown
