"""Copies of a system: what they leave alone, and what not."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.score.table import Scores
from podium.score.task import Task
from podium.stresses import CloneSystem, DropSystems
from support.examples import examples

Floats = NDArray[np.float64]
NAMES = "abcde"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def ranked(*given: Any, **options: Any) -> podium.Ranking:
    return podium.rank(*given, confidence_level=None, **options)


@st.composite
def contests(draw: st.DrawFn) -> Scores:
    """Draw three or four systems on a few instances, some scores missing, with cycles and ties."""
    systems = draw(st.integers(3, 4))
    tasks = []
    for index in range(draw(st.integers(1, 2))):
        elements = st.integers(0, 3).map(float) | st.sampled_from([1.0, 2.0, np.nan])
        values = draw(hnp.arrays(np.float64, (systems, draw(st.integers(1, 5))), elements=elements))
        values[:, 0] = np.nan_to_num(values[:, 0])
        tasks.append(Task.cut(f"task {index}", values, weight=draw(st.sampled_from([1.0, 2.0]))))
    return Scores(tuple(NAMES[:systems]), tuple(tasks))


def preferences(scores: Scores) -> Floats:
    """Weighted number of instances on which each system beats each other, ties counting half; both are scored."""
    total = np.zeros((len(scores.systems),) * 2)
    for task in scores.tasks:
        left, right = task.values[:, None], task.values[None]
        total += task.weight * ((left > right).sum(axis=2) + (left == right).sum(axis=2) / 2)
    return total


def best_orders(scores: Scores, others: list[int]) -> set[tuple[int, ...]]:
    """All orders of least cost, of which only some systems are looked at."""
    wins = preferences(scores)
    orders = np.array(list(permutations(range(len(wins)))))
    upper = np.triu_indices(len(wins), 1)
    costs = wins[orders[:, upper[1]], orders[:, upper[0]]].sum(axis=1)
    best = orders[costs <= costs.min() + 1e-9]
    return {tuple(order[np.isin(order, others)].tolist()) for order in best}


def in_a_cycle(scores: Scores, system: int) -> bool:
    """Whether strict majorities lead from a system back to itself."""
    wins = preferences(scores)
    beats = wins > wins.T
    reached = beats[system]
    for _ in scores.systems:
        reached = reached | beats[reached].any(axis=0)
    return bool(reached[system])


@examples(3)
@given(scores=contests(), copies=st.integers(1, 2), data=st.data())
def test_outside_cycles_copies_change_no_best_order_of_the_others(
    scores: Scores, copies: int, data: st.DataObject
) -> None:
    system = data.draw(st.integers(0, len(scores.systems) - 1))
    assume(not in_a_cycle(scores, system))
    others = [index for index in range(len(scores.systems)) if index != system]
    cloned = CloneSystem(copies, scores.systems[system])(scores, rng())
    best = best_orders(scores, others)
    assert best_orders(cloned, others) == best
    chosen = ranked(cloned, podium.MethodSpec("kemeny", "one", missing="direct")).systems
    assert tuple(NAMES.index(name) for name in chosen if name in NAMES and NAMES.index(name) != system) in best


@st.composite
def strict_contests(draw: st.DrawFn) -> Scores:
    """Draw two or three tasks of a few instances, on each of which all scores differ, and no majority is even."""
    systems = draw(st.integers(3, 4))
    tasks = []
    for index in range(draw(st.integers(2, 3))):
        orders = [draw(st.permutations(range(systems))) for _ in range(draw(st.sampled_from([1, 3, 5])))]
        tasks.append(Task.cut(f"task {index}", np.array(orders, dtype=float).T))
    return Scores(tuple(NAMES[:systems]), tuple(tasks))


def orders_of_tasks(scores: Scores) -> list[set[tuple[int, ...]]]:
    """All best orders of each task."""
    everybody = list(range(len(scores.systems)))
    return [best_orders(Scores(scores.systems, (task,)), everybody) for task in scores.tasks]


@examples(2)
@given(scores=strict_contests(), copies=st.integers(1, 2), data=st.data())
def test_where_each_task_has_one_best_order_copies_change_nothing_at_level_two(
    scores: Scores, copies: int, data: st.DataObject
) -> None:
    system = data.draw(st.integers(0, len(scores.systems) - 1))
    assume(not any(in_a_cycle(Scores(scores.systems, (task,)), system) for task in scores.tasks))
    best = orders_of_tasks(scores)
    assume(all(len(orders) == 1 for orders in best))
    columns = [-np.argsort(next(iter(orders)))[:, None].astype(float) for orders in best]
    upper = Scores(scores.systems, tuple(Task.cut(str(index), column) for index, column in enumerate(columns)))
    assume(not in_a_cycle(upper, system))
    others = [index for index in range(len(scores.systems)) if index != system]
    cloned = CloneSystem(copies, scores.systems[system])(scores, rng())
    for table in (scores, cloned):
        chosen = [NAMES.index(name) for name in ranked(table, "kemeny", level="two").systems if name in NAMES]
        assert tuple(index for index in chosen if index != system) in best_orders(upper, others)


def test_of_several_best_orders_of_a_task_copies_can_choose_another() -> None:
    tasks = {
        "t": [[1, 0, 0], [2, 2, 1], [1, 0, 2], [1, 0, 0]],
        "u": [[1, 2, 2, 0], [2, 0, 0, 2], [1, 1, 1, 0], [1, 2, 1, 0]],
    }
    scores = podium.from_arrays(
        {name: np.array(rows, dtype=float) for name, rows in tasks.items()}, systems=list("BACD")
    )
    cloned = CloneSystem(1, "C")(scores, rng())
    for task in scores.tasks:
        assert not in_a_cycle(Scores(scores.systems, (task,)), 2)
    assert len(orders_of_tasks(scores)[0]) > 1
    for level in ("task", "one"):
        assert consensus(scores, level) == consensus(cloned, level)
    first = [
        [row["system"] for row in ranked(table, "kemeny", level="two").rows() if row["rank"] == 1]
        for table in (scores, cloned)
    ]
    assert first == [["A"], ["A", "B"]]


def consensus(scores: Scores, level: Any) -> list[str]:
    """Systems but C and its copies, as they are ranked."""
    return [name for name in ranked(scores, "kemeny", level=level).systems if name[0] != "C"]


def ballots(**counts: int) -> Scores:
    """So many ballots of each order."""
    systems = sorted(next(iter(counts)))
    columns = [[-order.index(name) for name in systems] for order, count in counts.items() for _ in range(count)]
    return podium.from_arrays({"t": np.array(columns, dtype=float).T}, systems=systems)


def test_a_cycle_of_others_is_broken_where_it_was() -> None:
    scores = ballots(abcd=4, bcad=2, dcab=3)  # all beat d by 6 to 3
    assert in_a_cycle(scores, 0)
    assert not in_a_cycle(scores, 3)
    cloned = CloneSystem(3, "d")(scores, rng())
    assert best_orders(scores, [0, 1, 2]) == best_orders(cloned, [0, 1, 2]) == {(0, 1, 2)}
    assert ranked(cloned, "kemeny", level="one").systems[:3] == ("a", "b", "c")


def test_in_a_cycle_copies_turn_others_round() -> None:
    # a beats b by 5 ballots, b beats c by 3, c beats a by 1, which is given up; by four of a, 4, and so b > c is.
    scores = ballots(abc=4, bca=2, cab=3)
    assert in_a_cycle(scores, 0)
    assert ranked(scores, "kemeny", level="one").systems == ("a", "b", "c")
    cloned = ranked(CloneSystem(3, "a")(scores, rng()), "kemeny", level="one").systems
    assert [name for name in cloned if name in "bc"] == ["c", "b"]


def test_copies_turn_others_round_by_borda_and_not_by_mean() -> None:
    # Points of a and b: 10 and 9; with copies, which on two ballots stand between b and a, 20 and 23.
    scores = ballots(abc=5, bca=2)
    cloned = CloneSystem(2, "c")(scores, rng())
    assert ranked(scores, level="one").systems == ("a", "b", "c")
    assert ranked(cloned, level="one").systems[:2] == ("b", "a")
    before, after = (ranked(scores, "mean").score, ranked(cloned, "mean").score)
    assert_allclose(after, [*before, before[2], before[2]])


def test_copies_have_the_scores_of_the_system_and_follow_all_others() -> None:
    scores = podium.datasets.xtreme_missing()
    cloned = CloneSystem(3, "M4")(scores, rng())
    assert cloned.systems == (*scores.systems, "M4 (copy 1)", "M4 (copy 2)", "M4 (copy 3)")
    for before, now in zip(scores.tasks, cloned.tasks, strict=True):
        assert_array_equal(now.values, np.vstack([before.values, *[before.values[4:5]] * 3]))


def test_labels_there_are_are_skipped() -> None:
    scores = Scores(("A", "A (copy 1)", "A (copy 3)"), podium.datasets.toy_table1().tasks)
    assert CloneSystem(2, "A")(scores, rng()).systems[3:] == ("A (copy 2)", "A (copy 4)")
    again = CloneSystem(1, "A")(CloneSystem(1, "A")(scores, rng()), rng())
    assert again.systems[3:] == ("A (copy 2)", "A (copy 4)")


def test_any_system_is_copied_and_the_same_at_every_number() -> None:
    scores = podium.datasets.toy_table1()
    copied = set()
    for seed in range(30):
        few, many = (CloneSystem(number)(scores, rng(seed)).systems for number in (1, 4))
        assert many[:4] == few
        copied.add(few[3])
    assert copied == {"A (copy 1)", "B (copy 1)", "C (copy 1)"}


@pytest.mark.parametrize("copies", [1, 4])
def test_leaving_the_copies_out_gives_the_table_back(copies: int) -> None:
    scores = podium.datasets.toy_table1()
    cloned = CloneSystem(copies, "B")(scores, rng())
    back = DropSystems(copies, cloned.systems[3:])(cloned, rng())
    assert back.systems == scores.systems
    for before, now in zip(scores.tasks, back.tasks, strict=True):
        assert_array_equal(before.values, now.values)
