import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import LabelError, MethodError
from podium.stresses import (
    CloneSystem,
    Corrupt,
    DropSystems,
    DropTasks,
    RemoveCells,
    RemoveHard,
    RemoveInstances,
    RemoveScores,
    Rescale,
    Subsample,
)

SHARES = (RemoveScores, RemoveCells, RemoveInstances, RemoveHard, Subsample)
NO_RANKS: Any = (1, np.nan)
COUNTS = (Corrupt, DropTasks, DropSystems, CloneSystem)


@pytest.mark.parametrize("kind", SHARES)
@pytest.mark.parametrize("bad", [-0.1, 1.1, np.nan, np.inf, "0.5", None])
def test_what_is_no_share_is_refused(kind: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(MethodError, match=re.escape(f"is {bad!r}; it must be a number from 0 to 1")):
        kind(bad)


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("bad", [-1, 1.5, np.nan, np.inf, "2", None])
def test_what_is_no_whole_number_is_refused(kind: Callable[[Any], Any], bad: Any) -> None:
    with pytest.raises(MethodError, match=re.escape(f"is {bad!r}; give a whole number from 0 up")):
        kind(bad)


@pytest.mark.parametrize("kind", COUNTS)
def test_whole_floats_are_whole_numbers(kind: Callable[[Any], Any]) -> None:
    assert kind(2.0) == kind(np.int64(2)) == kind(2)
    assert repr(kind(2.0)) == repr(kind(2))


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "9", 10**400])
def test_enlargements_that_turn_scores_round_are_refused(bad: Any) -> None:
    with pytest.raises(MethodError, match="the enlargement is"):
        Rescale(bad)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Rescale(1, tasks=-1), "the number of tasks to rescale is -1"),
        (lambda: Corrupt(1, dispersion=-1.0), "the dispersion is -1.0; it must be a number from 0 up"),
        (lambda: RemoveHard(0.5, steepness=np.nan), "the steepness is nan"),
        (lambda: Corrupt(1, truth=NO_RANKS), "give the rank of every system"),
    ],
)
def test_parameters_out_of_range_are_refused(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(MethodError, match=says):
        make()


@pytest.mark.parametrize(
    ("stress", "says"),
    [
        (Rescale(1, tasks=7), "7 tasks are to be rescaled, but there are 6 tasks; ask for 6 or fewer"),
        (Corrupt(7), "7 tasks are to be corrupted, but there are 6 tasks; ask for 6 or fewer"),
        (
            DropTasks(6),
            "6 tasks are to be left out, but there are 6 tasks, and at least 1 must stay; ask for 5 or fewer",
        ),
        (DropSystems(2), "2 systems are to be left out, but there are 3 systems, and at least 2 must stay; ask for 1"),
        (DropSystems(1, ()), "1 system is to be left out, but only 0 named; name more"),
    ],
)
def test_more_than_there_are_is_refused_with_how_many_there_are(stress: Any, says: str) -> None:
    with pytest.raises(MethodError, match=says):
        stress(podium.datasets.toy_table1(), np.random.default_rng(0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_not_enlarged_beyond_numbers(dtype: type[np.floating]) -> None:
    largest = float(np.finfo(dtype).max)
    scores = podium.from_arrays({"t": np.array([[largest / 8], [1.0]], dtype=dtype)}, systems=["A", "B"])
    fine = Rescale(np.float64(3))(scores, np.random.default_rng(0)).tasks[0].values
    assert fine.dtype == dtype
    assert fine.tolist() == [[largest / 2], [4.0]]
    with pytest.raises(
        MethodError, match="scores of task 't' are too large to be enlarged by 99 times themselves; div"
    ):
        Rescale(99)(scores, np.random.default_rng(0))


@pytest.mark.parametrize("stress", [DropSystems(1, ("M10",)), CloneSystem(1, "M10"), CloneSystem(0, "M10")])
def test_unknown_systems_are_refused_with_the_nearest(stress: Any) -> None:
    with pytest.raises(LabelError, match="there is no system 'M10'; did you mean 'M1'"):
        stress(podium.datasets.xtreme_missing(), np.random.default_rng(0))


def test_named_systems_go_in_the_order_of_their_names() -> None:
    scores = podium.datasets.xtreme_missing()
    left = [DropSystems(number, ("M4", "M2", "M4"))(scores, np.random.default_rng(0)).systems for number in (1, 2)]
    assert set(scores.systems) - set(left[0]) == {"M4"}
    assert set(scores.systems) - set(left[1]) == {"M4", "M2"}
    alone: Any = "M4"  # one name is one name
    assert DropSystems(1, alone)(scores, np.random.default_rng(0)).systems == left[0]


def test_a_task_that_weighs_something_stays() -> None:
    scores = podium.datasets.toy_table1().with_task_weights({"*": 0, "Task3": 2})
    for seed in range(20):
        assert DropTasks(5)(scores, np.random.default_rng(seed)).task_names == ("Task3",)


def test_a_table_of_two_systems_can_be_left_alone() -> None:
    scores = podium.from_dict({"A": {"t": 1.0}, "B": {"t": 0.5}})
    assert DropSystems(0)(scores, np.random.default_rng(0)).systems == ("A", "B")
    alone = replace(scores.select(systems=["A"]), notes=("one",))
    assert DropSystems(0)(alone, np.random.default_rng(0)).systems == ("A",)
