from dataclasses import fields
from functools import reduce
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

import podium
from podium.base.errors import MethodError
from podium.score.table import Block, Scores, block_length
from podium.score.task import PART, Task
from podium.tally import compiled, stretch
from podium.tally.count import PLAIN, count
from podium.tally.duel import Duels
from podium.tally.moment import Comoments, Means, Moments
from podium.tally.position import Positions, Ties
from podium.tally.stretch import Counting, Tallies, Tree, merged, stretches
from podium.tally.tally import Kernels, Tally
from support.worlds import tables

pytestmark = pytest.mark.core

ALL: tuple[type[Tally], ...] = (Comoments, Duels, Moments, Positions, Ties)


@pytest.fixture(scope="module")
def large() -> Scores:
    return podium.simulate.gumbel(6, 2, 2 * PART + 17, dispersion=0.1, missing=0.1, rng=0).scores


@pytest.mark.parametrize("kernels", [PLAIN, compiled], ids=["plain", "compiled"])
def test_any_number_of_threads_gives_the_same_bytes(large: Scores, kernels: object) -> None:
    kinds = (Duels, Moments, Ties)
    alone = count(large, kinds, threads=1, kernels=kernels)  # type: ignore[arg-type]
    for threads in (2, 5):
        many = count(large, kinds, threads=threads, kernels=kernels)  # type: ignore[arg-type]
        for one, other in zip(alone[Duels], many[Duels], strict=True):
            assert_array_equal(one.expected, other.expected)
        for mean, other_mean in zip(alone[Moments], many[Moments], strict=True):
            assert_array_equal(mean.mean, other_mean.mean)
            assert_array_equal(mean.m2, other_mean.m2)
        assert alone[Ties] == many[Ties]


def test_a_table_in_several_parts_counts_like_one_array(large: Scores) -> None:
    counted = count(large, (Positions,))[Positions]
    for task, positions in zip(large.tasks, counted, strict=True):
        whole = PLAIN.rank_sums(task.values, None, 0.0)
        # 32,785 ballots of six systems: rounding of sums near 1e5 stays below 1e-6.
        np.testing.assert_allclose(positions.rank_sum, whole, atol=1e-6)


@given(scores=tables())
def test_every_task_is_counted_by_itself(scores: Scores) -> None:
    together = count(scores, ALL)
    for index, task in enumerate(scores.tasks):
        alone = count(
            Scores(scores.systems, (Task.cut("t", task.values, higher_is_better=task.higher_is_better),)), ALL
        )
        assert_array_equal(together[Positions][index].rank_sum, alone[Positions][0].rank_sum)
        assert_array_equal(together[Moments][index].mean, alone[Moments][0].mean)


def test_tasks_of_one_instance_are_counted_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{index}": rng.integers(0, 9, (3, 2 if index == 2_000 else 1)) for index in range(5_000)}
    scores = podium.from_arrays(arrays, lower=["t*7"])
    kinds = (Means, Positions, Ties)
    expected = {
        (kind, block.task): kind.of(block, PLAIN) for kind in kinds for block in scores.blocks() if block.task % 97 == 0
    }
    runs: list[int] = []
    looked: list[int] = []
    for kind in kinds:
        monkeypatch.setattr(kind, "of_each", _noting(kind.of_each, runs))

    def n_cells(table: Scores) -> int:
        looked.append(1)
        return len(table.systems) * table.n_instances

    monkeypatch.setattr(Scores, "n_cells", property(n_cells))
    counts = count(scores, kinds, progress=lambda *_: None)
    assert len(runs) == 2 * len(kinds), "a block before the longer task, and one behind it"
    assert len(looked) < 5, "a sum over all tasks is not made again for every task"
    for (kind, task), tally in expected.items():
        for field in fields(cast("Any", tally)):
            assert_array_equal(getattr(counts[kind][task], field.name), getattr(tally, field.name))


def _noting(of_each: Any, runs: list[int]) -> Any:
    """Count as before, and note how many ballots there were."""

    def noted(block: Block, kernels: Kernels) -> Any:
        runs.append(block.values.shape[1])
        return of_each(block, kernels)

    return noted


def test_nothing_is_counted_that_was_not_asked_for() -> None:
    scores = podium.simulate.gumbel(2_000, 1, 2, dispersion=0.1, rng=0).scores
    counts = count(scores, (Positions,))
    with pytest.raises(KeyError):
        counts[Duels]


def test_progress_ends_at_the_number_of_cells(large: Scores) -> None:
    seen: list[tuple[int, int | None]] = []
    count(large, (Moments,), progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (large.n_cells, large.n_cells)


def test_pairs_that_no_memory_holds_are_refused_before_they_are_counted() -> None:
    scores = podium.from_arrays({f"task {place}": np.zeros((20_000, 1)) for place in range(60)})
    with pytest.raises(MethodError, match=r"20,000 systems in pairs on 60 tasks takes 576 GB .* such as borda or mean"):
        podium.rank(scores, "wins", level="two", confidence_level=None)
    assert podium.rank(scores, "borda", confidence_level=None).rank[-1] == 1


#: Instances of a stretch, and of a block, in the tests below.
SHORT, BLOCK = 256, 64


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables have many stretches."""
    monkeypatch.setattr(stretch, "_LONGEST", SHORT)
    monkeypatch.setattr(stretch, "block_length", lambda _systems, at_most=None: min(at_most or BLOCK, BLOCK))


@pytest.fixture
def table() -> Scores:
    """Weights, missing scores, clusters, tasks of one instance, one that falls, and odd numbers of stretches."""
    rng = np.random.default_rng(0)
    sizes = {"a": 5 * SHORT + 17, "b": 40, "c": 1, "d": 1, "e": 2 * SHORT, "f": 700}
    arrays = {name: rng.normal(size=(6, size)).round(1) for name, size in sizes.items()}
    arrays["a"][rng.random(arrays["a"].shape) < 0.2] = np.nan
    clusters = {"f": [f"passage {index // 7}" for index in range(700)]}
    scores = podium.from_arrays(arrays, lower=["e"], clusters=clusters)
    return scores.with_instance_weights({"a": rng.integers(1, 4, sizes["a"]), "d": [3]})


def as_bytes(tallies: Tallies) -> dict[str, list[list[bytes]]]:
    return {
        kind.__name__: [
            [np.asarray(getattr(tally, field.name)).tobytes() for field in fields(tally)] for tally in of_tasks
        ]
        for kind, of_tasks in tallies.items()
    }


def in_a_tree(tallies: list[Tallies]) -> Tallies:
    """Merge neighbours pairwise, as the design says it."""
    while len(tallies) > 1:
        tallies = [reduce(merged, tallies[first : first + 2]) for first in range(0, len(tallies), 2)]
    return tallies[0]


@pytest.mark.parametrize("leaves", [1, 2, 3, 5, 8, 13])
def test_the_tree_depends_on_the_number_of_leaves_alone(leaves: int) -> None:
    rng = np.random.default_rng(leaves)
    tallies: list[Tallies] = [{Moments: (Moments(*rng.random((3, 4))),)} for _ in range(leaves)]
    expected = as_bytes(in_a_tree(tallies))
    for order in (np.arange(leaves), np.arange(leaves)[::-1], rng.permutation(leaves)):
        tree = Tree(leaves)
        *before, last = [tree.put(place, tallies[place]) for place in order.tolist()]
        assert before == [None] * (leaves - 1)
        assert last is not None
        assert as_bytes(last) == expected
    tree = Tree(leaves)
    waiting = []
    for place in range(leaves):
        tree.put(place, tallies[place])
        waiting.append(len(tree._waiting))
    assert max(waiting) <= np.log2(leaves)


@pytest.mark.usefixtures("short")
def test_a_task_is_merged_in_a_tree_of_its_stretches(table: Scores) -> None:
    cut = list(stretches(table))
    assert [one.siblings for one in cut][:6] == [6] * 6
    counts = count(table, (Moments,), kernels=PLAIN)[Moments]
    for task in (0, 4, 5):
        whole = in_a_tree([Counting((Moments,), PLAIN).fold(one) for one in cut if one.task == task])
        assert as_bytes({Moments: (counts[task],)}) == as_bytes(whole)


def test_stretches_are_borders_of_parts_and_blocks() -> None:
    for systems, longest in ((2, 16), (20, 16), (60, 8), (512, 1), (3_000, 0.5), (10_000, 2)):
        assert stretch._longest(systems) == longest * PART
        assert stretch._longest(systems) % block_length(systems) == 0
