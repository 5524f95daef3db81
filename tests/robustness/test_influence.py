"""What the first place depends on: against rankings without each unit, and against all sets of units."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import podium
from podium import Influence, Ranking
from podium.agreement import kendall_tau
from podium.errors import MethodError, PodiumWarning
from podium.ranking.method import Certificate, Method, MethodContext, MethodResult, kemeny
from podium.ranking.method_spec import LEVELS, METHODS
from podium.robustness import influence
from podium.robustness.influence_result import Decisive, LeaveOneOut
from podium.score.family import family_names
from podium.score.table import Block, Scores
from podium.score.task import Task
from podium.tally.count import Counts
from podium.tally.tally import Kernels, Tally
from support.examples import examples
from support.worlds import tables

#: All that influence takes: item response is refused, since items would be fitted anew without every unit.
WAYS: list[tuple[str, str | None]] = [
    (name, level)
    for name, method in METHODS.items()
    if name != "irt"
    for level in (LEVELS if method.level else (None,))
]


every_way = pytest.mark.parametrize(("method", "level"), WAYS, ids=str)


pytestmark = pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")


def ranked(scores: Scores, method: str, level: Any) -> Ranking | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        try:
            return podium.rank(scores, method, level=level, confidence_level=None)
        except MethodError:
            return None


def influence_of(*given: Any, **options: Any) -> Any:
    """What the first place depends on, with all that is there: nothing is None to those who look."""
    return podium.influence(*given, **options)


def without(scores: Scores, tasks: Iterable[str]) -> Scores:
    return scores.select(tasks=[f"!{name}" for name in tasks])


def lead_of(leader: str, ranking: Ranking | None) -> float:
    """Score of the leader less the best of the others, by the definition."""
    if ranking is None or not (ranking.rank == 1).any():
        return np.nan
    turned = ranking.score if ranking.higher_is_better else -ranking.score
    own = ranking.systems.index(leader)
    others = np.delete(turned, own)
    if np.isnan(turned[own]):
        return -np.inf
    if np.isnan(others).all():
        return np.inf
    if ranking.rank[own] == 1 and (np.delete(ranking.rank, own) == 1).any():
        return 0.0
    return float(turned[own] - np.nanmax(others))


def tau_of(whole: Ranking, other: Ranking | None) -> float:
    """τ-b, systems without a rank last; 0 where one of the two ties all."""
    if other is None:
        return 0.0
    places = [
        [ranking.midrank[ranking.systems.index(system)] for system in whole.systems] for ranking in (whole, other)
    ]
    return float(np.nan_to_num(kendall_tau(*(np.nan_to_num(place, nan=len(whole)) for place in places))))


def first_of(ranking: Ranking | None) -> tuple[str, ...]:
    if ranking is None:
        return ()
    return tuple(sorted(system for system, place in zip(ranking.systems, ranking.rank, strict=True) if place == 1))


@every_way
@examples(0.2)
@given(scores=tables())
def test_without_a_task_is_the_ranking_of_the_others(method: str, level: Any, scores: Scores) -> None:
    whole = ranked(scores, method, level)
    if whole is None or not first_of(whole):
        return
    found = influence_of(scores, method, level=level)
    assert found.leaders == first_of(whole)
    assert_allclose(found.lead, lead_of(found.leader, whole), rtol=1e-9, atol=1e-9)
    if len(scores.tasks) == 1:
        assert found.tasks is None
        return
    assert sorted(found.tasks.units) == sorted(scores.task_names)
    for word in ("lost", "shared", "unranked"):
        assert getattr(found.tasks, word) == found.tasks.outcome.count(word)
    assert found.tasks.of == len(scores.tasks)
    for unit, lead, tau, first in zip(
        found.tasks.units, found.tasks.lead, found.tasks.tau, found.tasks.first, strict=True
    ):
        rest = ranked(without(scores, [unit]), method, level or whole.level)
        assert_allclose(lead, lead_of(found.leader, rest), rtol=1e-9, atol=1e-9)
        assert tau == pytest.approx(tau_of(whole, rest))
        assert first == first_of(rest)


@every_way
@examples(0.2)
@given(scores=tables(max_tasks=5))
def test_the_fewest_tasks_are_found(method: str, level: Any, scores: Scores) -> None:
    whole = ranked(scores, method, level)
    if whole is None or not first_of(whole):
        return
    found = influence_of(scores, method, level=level)
    sets = [set(s) for size in range(1, len(scores.tasks)) for s in combinations(scores.task_names, size)]
    lost = [
        left_out
        for left_out in sets
        for first in [first_of(ranked(without(scores, left_out), method, level or whole.level))]
        if first and found.leader not in first
    ]
    of_tasks = [one for one in found.decisive if one.kind == "tasks"]
    if not lost:
        assert of_tasks == []
        return
    (one,) = of_tasks
    assert set(one.units) in lost
    assert one.smallest
    assert len(one.units) == len(lost[0])
    assert one.of == len(scores.tasks)
    assert one.first == first_of(ranked(without(scores, one.units), method, level or whole.level))


def without_items(scores: Scores, items: Iterable[tuple[str, str]]) -> Scores:
    """Leave out items, by the task they belong to and their number."""
    gone: dict[str, list[int]] = {}
    for task, number in items:
        gone.setdefault(task, []).append(int(number) - 1)

    def fewer(task: Task) -> Task:
        rest = np.setdiff1d(np.arange(task.n_instances), gone.get(task.name, []))
        weights = None if task.instance_weights is None else task.instance_weights[rest]
        values = task.values[:, rest]
        return Task.cut(
            task.name, values, higher_is_better=task.higher_is_better, weight=task.weight, instance_weights=weights
        )

    return replace(scores, tasks=tuple(map(fewer, scores.tasks)))


@every_way
@examples(0.2)
@given(scores=tables())
def test_without_an_instance_is_the_ranking_of_the_others(method: str, level: str | None, scores: Scores) -> None:
    whole = ranked(scores, method, level)
    if whole is None or not first_of(whole) or scores.task_level:
        return
    check_without_instances(scores, whole, method, level)


def check_without_instances(scores: Scores, whole: Ranking, method: str, level: Any) -> None:
    found = influence_of(scores, method, level=level, keep=100)
    there = {(task.name, str(k + 1)) for task in scores.tasks if task.n_instances > 1 for k in range(task.n_instances)}
    units = list(zip(found.instances.tasks, found.instances.units, strict=True))
    assert sorted(units) == sorted(there)
    exact = 1e-7 if method == "bradley-terry" else 1e-12  # the one is a search, the others are sums
    for unit, lead, tau, first, outcome in zip(
        units, found.instances.lead, found.instances.tau, found.instances.first, found.instances.outcome, strict=True
    ):
        others = without_items(scores, [unit])
        rest = ranked(others, method, whole.level)
        size = max((float(np.nan_to_num(np.abs(task.values)).max(initial=1.0)) for task in others.tasks), default=1.0)
        assert_allclose(lead, lead_of(found.leader, rest), rtol=exact, atol=exact * size)
        assert tau == pytest.approx(tau_of(whole, rest))
        assert first == first_of(rest)
        kept = "kept" if first == (found.leader,) else "shared"
        assert outcome == (kept if found.leader in first else "lost" if first else "unranked")
    for word in ("lost", "shared", "unranked"):
        assert getattr(found.instances, word) == found.instances.outcome.count(word)
    order = [{"lost": 0, "unranked": 1}.get(outcome, 2) for outcome in found.instances.outcome]
    assert order == sorted(order)


AVERAGED = [("mean", None), ("median", None), ("iqm", None), ("borda", "task"), ("copeland", "task")]


@pytest.mark.parametrize(("method", "level"), AVERAGED)
@examples(0.5)
@given(scores=tables(), place=st.integers(0, 4))
def test_an_instance_thirteen_decades_larger_leaves_nothing_behind(
    method: str, level: str | None, scores: Scores, place: int
) -> None:
    def enlarged(task: Task) -> Task:
        factors = np.where(np.arange(task.n_instances) == place, 1e13, 1.0)
        details = {"higher_is_better": task.higher_is_better, "weight": task.weight}
        return Task.cut(task.name, task.values * factors, **details)

    uneven = replace(scores, tasks=tuple(map(enlarged, scores.tasks)))
    whole = ranked(uneven, method, level)
    if whole is not None and first_of(whole) and not uneven.task_level:
        check_without_instances(uneven, whole, method, level)


def outliers() -> Scores:
    """Two instances that outweigh all others, by which B is first; A is by the others."""
    rng = np.random.default_rng(0)
    values = np.array([[1.0], [0.5]]) + 0.05 * rng.normal(size=(2, 52))
    values[:, :2] = [[1e13, 1e13], [2e13, 2e13]]
    return podium.from_arrays({"t": values}, systems=["A", "B"])


@pytest.mark.parametrize("method", ["mean", "median", "iqm"])
def test_few_instances_that_outweigh_all_others_are_found(method: str) -> None:
    found = influence_of(outliers(), method)
    (one,) = found.decisive
    assert (one.units, one.first, one.smallest) == (("1", "2"), ("A",), True)


FEW = [("mean", None), ("median", None), ("borda", "one"), ("borda", "two"), ("copeland", "one")]


@pytest.mark.parametrize(("method", "level"), FEW)
@examples(0.2)
@given(scores=tables(max_tasks=2))
def test_few_instances_are_found(method: str, level: Any, scores: Scores) -> None:
    whole = ranked(scores, method, level)
    if whole is None or not first_of(whole) or scores.task_level:
        return
    found = influence_of(scores, method, level=level, keep=0)
    assert found.instances.units == ()
    several = [task for task in scores.tasks if task.n_instances > 1]
    there = [(task.name, str(k + 1)) for task in several for k in range(task.n_instances)]
    sizes = (
        size
        for size in range(1, len(there))
        for left_out in combinations(there, size)
        if all(len([one for one in left_out if one[0] == task.name]) < task.n_instances for task in several)
        for first in [first_of(ranked(without_items(scores, left_out), method, whole.level))]
        if first and found.leader not in first
    )
    smallest = next(sizes, None)
    of_instances = [one for one in found.decisive if one.kind == "instances"]
    assert of_instances or smallest is None or method != "borda" or level != "one"
    for one in of_instances:
        assert one.of == len(there)
        units = list(zip(one.tasks, one.units, strict=True))
        if all(one.tasks.count(task.name) < task.n_instances for task in several):
            assert one.first == first_of(ranked(without_items(scores, units), method, whole.level))
            assert found.leader not in one.first
            assert not one.smallest or len(units) == smallest


BESIDE = {"as given": (10, 4, None, 6), "a heavy task of one instance": (10, 4, 5.0, 2), "all for A": (10, 0, 5.0, 6)}


@pytest.mark.parametrize("name", BESIDE)
def test_tasks_of_one_instance_count_in_the_fewest(name: str) -> None:
    of_a, of_b, weight, fewest = BESIDE[name]
    values = {"t": [[1] * of_a + [0] * of_b, [0] * of_a + [1] * of_b], "u": [[0], [1]]}
    scores = podium.from_arrays(values, systems=["A", "B"])
    scores = scores if weight is None else scores.with_task_weights({"u": weight})
    (one,) = [one for one in influence_of(scores, level="one").decisive if one.kind == "instances"]
    assert (len(one.units), one.smallest, one.first) == (fewest, True, ("B",))
    for size in range(1, fewest + 1):  # all that can be told apart: how many that A won, and how many that B won
        for won in range(size + 1):
            gone = [("t", str(k + 1)) for k in [*range(won), *range(of_a, of_a + min(size - won, of_b))]]
            lost = first_of(ranked(without_items(scores, gone), "borda", "one")) == ("B",)
            assert lost == (size == fewest and won == size)


def test_a_search_that_was_cut_short_is_said() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 40))
    values[0] += 2
    values[1:][rng.random((299, 40)) < 0.1] = np.nan
    scores = podium.from_arrays(
        {f"t{t}": values[:, t : t + 1] for t in range(40)}, systems=[str(n) for n in range(300)]
    )
    found = influence_of(scores, "mean")
    (one,) = found.decisive
    assert not one.smallest
    assert (
        first_of(podium.rank(without(scores, one.units), "mean", confidence_level=None)) == one.first != found.leaders
    )
    said = "leaving out up to 2 tasks puts no system ahead of the leader; larger sets were not all tried"
    assert f"{said}, so fewer than were found may do so" in found.notes


def test_progress_counts_what_is_left_out_alone() -> None:
    told: list[tuple[int, int | None]] = []
    scores = podium.simulate.gumbel(4, 3, 500, dispersion=1.0, rng=0).scores
    influence_of(scores, progress=lambda done, total: told.append((done, total)))
    assert told[0] == (3, 1503)
    assert told[-1] == (1503, 1503)
    assert told == sorted(told)


@pytest.mark.parametrize("keep", [-1, 2.5, "many"])
def test_a_number_of_instances_that_makes_no_sense_is_refused(keep: int) -> None:
    with pytest.raises(MethodError, match="keep is"):
        influence_of(podium.datasets.toy_table1(), keep=keep)


def test_without_an_instance_nothing_is_rounded_away() -> None:
    weights = np.array([1.0, 1e-14, 1e-14, 1e-14])
    scores = podium.from_arrays({"t": [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.5]]}, systems=["A", "B"])
    scores = scores.with_instance_weights({"t": weights})
    found = influence_of(scores, "mean")
    assert found.instances.units[0] == "1"
    assert found.instances.lead[0] == pytest.approx(1 / 3 - 2.5 / 3, rel=1e-12)


def test_without_any_of_many_instances_is_the_ranking_of_the_others() -> None:
    scores = podium.simulate.gumbel(4, 1, 300, dispersion=1.0, rng=0).scores  # runs before, and runs behind
    found = influence_of(scores, "borda", level="one", keep=300)
    for place in (0, 150, 299):
        unit = found.instances.units[place]
        task = scores.tasks[0]
        assert task.instances is None
        rest = ranked(without_items(scores, [(task.name, unit)]), "borda", "one")
        assert_allclose(found.instances.lead[place], lead_of(found.leader, rest), rtol=1e-12, atol=1e-12)


def test_an_instance_of_several_tasks_is_left_out_of_all() -> None:
    values = {
        "relevance": np.array([[1, 0, 1], [0, 1, 0.5]]),
        "fluency": np.array([[0, 1, 1], [1, 0, 0]]),
        "other": np.eye(2),
    }
    labels = {"relevance": ["a", "b", "c"], "fluency": ["a", "b", "c"]}
    found = influence_of(podium.from_arrays(values, systems=["A", "B"], instances=labels), "mean")
    units = set(zip(found.instances.units, found.instances.tasks, strict=True))
    assert units == {*((label, "fluency, relevance") for label in "abc"), ("1", "other"), ("2", "other")}
    lead = dict(zip(found.instances.units, found.instances.lead.tolist(), strict=True))
    assert lead["c"] == pytest.approx(0.0, abs=1e-15)
    assert lead["a"] == pytest.approx((0.5 - 0.75 + 1.0) / 3)


def test_numbers_that_may_not_mean_the_same_instance_are_said() -> None:
    values = {"x": np.array([[1, 0, 1], [0, 1, 0.5]]), "y": np.array([[0, 1, 1], [1, 0, 0]])}
    labels = {name: ["1", "2", "3"] for name in values}
    found = influence_of(podium.from_arrays(values, systems=["A", "B"], instances=labels))
    assert any("x, y: instances with the same number count as the same" in note for note in found.notes)


def test_a_shared_first_place_is_said() -> None:
    even = podium.from_dict({"B": {"x": 1.0, "y": 0.0}, "A": {"x": 0.0, "y": 1.0}})
    found = influence_of(even)
    assert (found.leader, found.leaders, found.lead) == ("A", ("A", "B"), 0.0)
    assert any("A, B share the first place; the results are about A" in note for note in found.notes)
    (one,) = found.decisive
    assert (one.units, one.first, one.smallest) == (("y",), ("B",), True)


def test_a_task_that_connects_the_others_is_named() -> None:
    bridge = podium.from_dict({"A": {"x": 1.0, "y": 1.0}, "B": {"x": 0.5}, "C": {"z": 1.0}})
    found = influence_of(bridge)
    assert {unit for unit, first in zip(found.tasks.units, found.tasks.first, strict=True) if not first} == {"x", "y"}
    assert (found.tasks.unranked, found.tasks.of) == (2, 3)
    assert any(
        note == "2 tasks cannot be left out, because then the systems cannot be ranked: x, y" for note in found.notes
    )


@pytest.mark.parametrize("keep", [0, 1, 20])
def test_an_instance_without_which_there_is_no_answer_is_named_and_counted(keep: int) -> None:
    scores = podium.from_arrays({"t": [[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]]}, systems=["A", "B"])
    found = influence_of(scores, "bradley-terry", keep=keep)
    assert (found.instances.lost, found.instances.shared, found.instances.unranked, found.instances.of) == (0, 0, 1, 5)
    assert found.instances.units == ("5", "1", "2", "3", "4")[:keep]
    assert found.instances.outcome == ("unranked", "kept", "kept", "kept", "kept")[:keep]
    assert "1 instance cannot be left out, because then the systems cannot be ranked: 5 of t" in found.notes


def test_what_becomes_of_the_first_place_is_counted_over_all_instances() -> None:
    scores = podium.from_arrays({"t": [[4, 1, 1, 1], [0, 2, 2, 2]]}, systems=["A", "B"])  # A leads by 1 of 4
    found = influence_of(scores, "mean", keep=0)
    assert (found.instances.units, found.instances.lost, found.instances.of) == ((), 1, 4)


def test_more_instances_than_a_slow_method_can_afford_are_said() -> None:
    scores = podium.from_arrays({"t": np.arange(2 * 3_000_000.0).reshape(2, -1) % 7}, systems=["A", "B"])
    found = influence_of(scores, "kemeny")
    assert found.instances is None
    assert any("3,000,000 instances are too many for the Kemeny consensus" in n for n in found.notes)


@pytest.mark.parametrize("method", ["borda", "median", "copeland"])
def test_threads_change_nothing(method: str) -> None:
    scores = podium.simulate.gumbel(5, 3, 400, dispersion=0.1, rng=1).scores
    one, four = (influence_of(scores, method, n_jobs=threads).to_dict() for threads in (1, 4))
    assert one == four


@pytest.mark.parametrize("level", ["one", "two"])
def test_few_of_many_instances_are_verified(level: Any) -> None:
    scores = podium.simulate.gumbel(4, 2, 60, dispersion=0.05, rng=3).scores
    found = influence_of(scores, level=level)
    (one,) = [one for one in found.decisive if one.kind == "instances"]
    units = list(zip(one.tasks, one.units, strict=True))
    assert first_of(ranked(without_items(scores, units), "borda", level)) == one.first
    assert found.leader not in one.first
    fewer = first_of(ranked(without_items(scores, units[:-1]), "borda", level))
    assert found.leader in fewer or level == "two"


def test_the_first_place_of_glue(shared: Path) -> None:
    glue = podium.read(shared / "data" / "scores" / "glue.csv")
    found = influence_of(glue.with_families(False))
    assert found.leader == "Microsoft Alexander v-team | Turing NLR v5"
    (one,) = found.decisive
    assert (len(one.units), one.smallest) == (5, True)
    assert (
        first_of(podium.rank(without(glue, one.units), confidence_level=None))
        == one.first
        == ("ERNIE Team - Baidu | ERNIE",)
    )


def test_the_first_place_of_sum_eval(shared: Path) -> None:
    scores = podium.read(shared / "data" / "scores" / "SUM_EVAL.parquet")
    found = influence_of(scores, level="two")
    assert found.leader == "M11"
    of_tasks, of_instances = found.decisive
    assert (of_tasks.units, of_tasks.smallest) == (("metrics",), True)
    family = [
        task for task, name in zip(scores.task_names, family_names(scores.tasks), strict=True) if name == "metrics"
    ]
    assert (
        first_of(podium.rank(without(scores, family), level="two", confidence_level=None)) == of_tasks.first == ("M6",)
    )
    assert (of_instances.units, of_instances.of, of_instances.first) == (("35",), 100, ("M6",))
    gone = [(name, str(scores.tasks[0].instances.tolist().index(35) + 1)) for name in scores.task_names]  # type: ignore[union-attr]
    assert first_of(podium.rank(without_items(scores, gone), level="two", confidence_level=None)) == ("M6",)


@pytest.mark.parametrize("level", ["task", "one", "balanced", "two"])
def test_a_time_limit_holds_for_each_ranking(level: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many are made at a time, and whether or not a score is missing."""
    given: list[float] = []

    def search(preferences: NDArray[np.float64], *, time_limit: float | None) -> tuple[NDArray[np.int64], Certificate]:
        given.append(time_limit or 0.0)
        return without_limit(preferences)

    without_limit = kemeny.kemeny
    monkeypatch.setattr(kemeny, "kemeny", search)
    cycle = np.array([[3.0, 1, 2], [2, 3, 1], [1, 2, 3]])  # of instances, and of tasks by a little
    scores = podium.from_arrays({f"t{task}": np.tile(cycle, 2) + cycle[:, [task % 3]] / 10 for task in range(5)})
    table_alone = 10.0 / (len(scores.tasks) + 1) if level == "two" else 10.0
    influence_of(scores, podium.MethodSpec("kemeny", level, time_limit=10.0))
    assert len(given) >= 15
    assert min(given) >= table_alone * (1 - 1e-12)
    # where all tasks are searched once for all replicates, one has at most what these save
    assert max(given) <= 10.0 * (1 + 1e-12)


@pytest.mark.parametrize("method", ["borda", "mean", "copeland", "kemeny"])
def test_what_is_left_must_weigh_something(method: str) -> None:
    rows = {"X": {"a": 2.0, "b": 1.0}, "Y": {"a": 1.0, "b": 2.0}}
    tasks = influence_of(podium.from_dict(rows).with_task_weights({"b": 0}), method).tasks
    assert tasks is not None
    assert dict(zip(tasks.units, tasks.outcome, strict=True)) == {"a": "unranked", "b": "kept"}


@every_way
def test_without_a_unit_what_weighs_nothing_is_not_ranked(method: str, level: Any) -> None:
    """The last task, and the last two instances of each, weigh something but have no score."""
    if method == "borda":  # the prior of a model takes a ballot as heavy as a task that has scores, if weightless ones
        method = "borda:missing=imputed"
    rng = np.random.default_rng(0)
    checked = 0
    for _ in range(8):
        values = np.full((3, 3, 5), np.nan)
        values[:2, :, :3] = rng.integers(0, 4, size=(2, 3, 3))
        values[1][:, rng.random(5) < 0.6] = np.nan
        weights = rng.integers(0, 2, size=(3, 5)).astype(np.float64)
        weights[:, 3:] = 1
        tasks = [Task.cut("abc"[t], values[t], instance_weights=weights[t]) for t in range(3)]
        scores = Scores(tuple("XYZ"), tuple(tasks)).with_task_weights({"b": float(rng.integers(2))})
        whole = ranked(scores, method, level)
        if whole is None or not first_of(whole):
            continue
        found = influence_of(scores, method, level=level, keep=100)
        for unit, first in zip(found.tasks.units, found.tasks.first, strict=True):
            assert first == first_of(ranked(without(scores, [unit]), method, whole.level))
        check_without_instances(scores, whole, method, level)
        checked += 1
    assert checked


def test_a_method_that_places_nobody_is_refused() -> None:
    scores = podium.from_arrays({"t": [[1, np.nan], [np.nan, 2], [np.nan, np.nan]]}, systems=list("ABC"))
    direct = podium.MethodSpec("wins", missing="direct")
    with pytest.raises(MethodError, match=r"wins:balanced \(missing=direct\) can place no system of this table"):
        influence_of(scores, direct)
    with pytest.raises(MethodError, match=r"wins.* \(missing=direct\) can place no system of this table"):
        podium.stress(scores, [direct], repeats=1, n_jobs=1, leave_out=False)


@dataclass(frozen=True, slots=True, eq=False)
class Best(Tally):
    """The best score of each system."""

    best: NDArray[np.float64]

    @classmethod
    def empty(cls, n_systems: int) -> Self:
        return cls(np.full(n_systems, -np.inf))

    @classmethod
    def of(cls, block: Block, kernels: Kernels) -> Self:  # noqa: ARG003  # the contract of all tallies
        weights = np.ones(block.values.shape[1]) if block.weights is None else block.weights
        values = block.values.reshape(*block.values.shape, *[1] * (weights.ndim - 1))
        return cls(np.where(weights > 0, values, -np.inf).max(axis=1))

    def merge(self, other: Self) -> Self:
        return type(self)(np.maximum(self.best, other.best))


class Peak(Method):
    title = "best score"

    def needs(self, level: str | None) -> tuple[type[Tally], ...]:  # noqa: ARG002  # the contract of all methods
        return (Best,)

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        best = np.array([tally.best for tally in counts[Best]])
        return MethodResult((best * np.expand_dims(context.weights, 1)).sum(axis=0))


def test_a_method_may_rank_by_a_tally_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "peak", Peak())
    scores = podium.simulate.gumbel(4, 5, 6, dispersion=0.3, rng=0).scores
    found = influence_of(scores, "peak")
    for name, lead in zip(found.tasks.units, found.tasks.lead, strict=True):
        assert lead == pytest.approx(lead_of(found.leaders[0], ranked(without(scores, [name]), "peak", None)))


def test_clusters_are_not_left_out_as_a_whole_and_that_is_said() -> None:
    values = np.random.default_rng(0).normal(size=(3, 12)) + np.arange(3)[:, None]
    clustered = podium.from_arrays({"t": values}, clusters=[place // 3 for place in range(12)])
    said = "instances are left out one by one, also where they are in clusters"
    assert said in influence_of(clustered).notes
    assert said not in influence_of(podium.from_arrays({"t": values})).notes


NO = np.nan


#: Without t, which helps C most, nothing connects u with w; so t and w are the fewest, and not t, v and w.
DISCONNECTED = np.array([[0.0, 9.0, NO, NO], [5.0, 1.0, NO, NO], [9.0, NO, NO, 0.0], [7.0, NO, NO, NO]])


def table(values: NDArray[np.float64]) -> Scores:
    columns = {name: values[:, [column]] for column, name in enumerate("tuvwxy"[: values.shape[1]])}
    return podium.from_arrays(columns, systems=list("ABCDEF"[: len(values)]))


def drawn(seed: int) -> Scores:
    """Draw a table of which about half the scores are missing."""
    rng = np.random.default_rng(seed)
    n_tasks = 4 + seed % 2
    values = rng.integers(0, 10, size=(4, n_tasks)).astype(np.float64)
    values[rng.random(values.shape) < 0.5] = np.nan
    return table(values)


def fewest_by_trying_all(scores: Scores, leader: str, method: str) -> int | None:
    """Return the number of tasks in the smallest set without which the leader is not first."""
    for size in range(1, len(scores.tasks)):
        for names in combinations(scores.task_names, size):
            rest = ranked(without(scores, names), method, None)
            if rest is not None and rest.rank[rest.systems.index(leader)] > 1:
                return size
    return None


def test_a_smaller_set_is_found_where_the_order_passes_tables_that_are_not_ranked() -> None:
    scores = table(DISCONNECTED)
    found = influence_of(scores, "borda:missing=imputed")
    (one,) = found.decisive
    assert (found.leader, set(one.units), one.first, one.smallest) == ("C", {"t", "w"}, ("A",), True)
    assert fewest_by_trying_all(scores, "C", "borda:missing=imputed") == 2
    assert not any("tried" in note for note in found.notes)


@pytest.mark.parametrize("method", ["borda:missing=imputed", "wins"])
def test_with_missing_scores_the_fewest_are_found(method: str) -> None:
    assert not any(check(drawn(seed), method) for seed in range(40))


@pytest.mark.parametrize("method", ["borda:missing=imputed", "wins"])
def test_what_was_not_tried_is_said(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(influence, "_SIZES", 1)
    assert sum(check(drawn(seed), method) for seed in range(40)) > 0


@pytest.mark.parametrize("method", ["borda:missing=imputed", "copeland"])
def test_a_set_one_larger_than_all_that_were_tried_is_the_smallest(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where so few rankings can be afforded that an order is bisected."""
    monkeypatch.setattr(influence, "_BUDGET", 0)
    tables = [drawn(seed) for seed in range(40)]
    assert sum(check(scores, method) for scores in tables) > 0
    proved = [scores for scores in tables if (found := found_in(scores, method)) and found.smallest]
    assert any(fewest_by_trying_all(scores, influence_of(scores, method).leader, method) == 2 for scores in proved)


def found_in(scores: Scores, method: str) -> Decisive | None:
    try:
        return next(iter(influence_of(scores, method).decisive), None)
    except MethodError:
        return None


def check(scores: Scores, method: str) -> bool:
    """Compare the set that is found with the smallest of all, and say whether a smaller one may have been missed."""
    try:
        found = influence_of(scores, method)
    except MethodError:  # nothing connects the tasks
        return False
    fewest = fewest_by_trying_all(scores, found.leader, method)
    said = [note for note in found.notes if "larger sets were not all tried" in note]
    if not found.decisive:
        assert fewest is None or said
    else:
        (one,) = found.decisive
        assert fewest is not None
        assert one.smallest == (not said)
        assert len(one.units) == fewest if one.smallest else len(one.units) >= fewest
    if said and fewest is not None:
        survived = int(said[0].removeprefix("leaving out ").removeprefix("up to ").split()[0])
        assert survived < fewest
    return bool(said)


def handmade() -> Influence:
    lead, every = np.array([-0.25, 0.75]), np.array([-np.inf, np.nan, 0.0, 0.0, 1.0, np.inf])
    return Influence(
        method="mean",
        level=None,
        systems=("A", "B"),
        leader="A",
        leaders=("A",),
        lead=0.5,
        tasks=LeaveOneOut.among(lead, ("x", "y"), lead, np.array([-1.0, 1.0]), (("B",), ("A",))),
        instances=LeaveOneOut.among(every, ("7",), every[:1], np.array([0.0]), (("B",),), tasks=("x, y",)),
        decisive=(Decisive("instances", ("7", "8", "9", "10"), 40, ("B",), smallest=False, tasks=("x, y",) * 4),),
        notes=("a note",),
    )


def test_rows_have_tasks_first_and_no_infinite_number() -> None:
    task, other, instance = handmade().rows()
    assert task == {
        "kind": "task", "unit": "x", "task": "x", "outcome": "lost", "lead": -0.25, "influence": 0.75, "tau": -1.0,
        "first": "B",
    }  # fmt: skip
    assert other["influence"] == -0.25
    assert (instance["kind"], instance["unit"], instance["task"]) == ("instance", "7", "x, y")
    assert instance["lead"] is instance["influence"] is None
    assert instance["outcome"] == "lost"


def test_outcomes_tell_infinite_and_missing_leads_apart() -> None:
    lead = np.array([-np.inf, -0.1, np.nan, 0.0, 0.1, np.inf])
    found = LeaveOneOut.among(lead, list("abcdef"), lead, lead, [()] * 6)
    assert found.outcome == ("lost", "lost", "unranked", "shared", "kept", "kept")
    assert (found.lost, found.shared, found.unranked, found.of) == (2, 1, 1, 6)
