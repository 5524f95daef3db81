"""What every tally promises, on both sets of kernels."""

from dataclasses import fields
from functools import reduce
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from podium.score.table import Block
from podium.tally import compiled
from podium.tally.count import PLAIN
from podium.tally.duel import Duels
from podium.tally.moment import Comoments, Means, Moments
from podium.tally.position import Positions, Ties
from podium.tally.tally import Kernels, Tally
from support.worlds import blocks

pytestmark = pytest.mark.core

KINDS = [Comoments, Duels, Means, Moments, Positions, Ties]
both_kernels = pytest.mark.parametrize("kernels", [PLAIN, compiled], ids=["plain", "compiled"])
every_tally = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def columns(block: Block, which: Any) -> Block:
    weights = None if block.weights is None else block.weights[which]
    return Block(block.task, np.ascontiguousarray(block.values[:, which]), weights, block.tolerance)


def rows(block: Block, which: Any) -> Block:
    return Block(block.task, block.values[which], block.weights, block.tolerance)


def rounding(field: str, block: Block) -> float:
    """Bound the rounding error of a sum of at most 30 terms: 1e-12 of their size, which m2 and comoment square."""
    size = max(float(np.abs(np.nan_to_num(block.values)).max()), 1.0)
    return 1e-12 * {"mean": size, "m2": size**2, "comoment": size**2}.get(field, 30.0)


def assert_same(left: Tally, right: Tally, block: Block) -> None:
    for field in fields(cast("Any", left)):
        atol = rounding(field.name, block)
        assert_allclose(getattr(left, field.name), getattr(right, field.name), rtol=1e-12, atol=atol)


def assert_identical(left: Tally, right: Tally) -> None:
    for field in fields(cast("Any", left)):
        assert_array_equal(getattr(left, field.name), getattr(right, field.name))


@every_tally
@both_kernels
@given(block=blocks())
def test_empty_is_the_identity(kind: type[Tally], kernels: Kernels, block: Block) -> None:
    tally = kind.of(block, kernels)
    empty = kind.empty(block.values.shape[0])
    assert_identical(tally.merge(empty), tally)
    assert_identical(empty.merge(tally), tally)


@every_tally
@both_kernels
@given(block=blocks())
def test_each_ballot_by_itself_is_counted_as_a_block_of_one(kind: type[Tally], kernels: Kernels, block: Block) -> None:
    each = kind.of_each(block, kernels)
    assert len(each) == block.values.shape[1]
    for index, tally in enumerate(each):
        assert_identical(tally, kind.of(columns(block, slice(index, index + 1)), kernels))


@every_tally
@both_kernels
@given(block=blocks(), data=st.data())
def test_merging_any_cut_equals_the_whole(kind: type[Tally], kernels: Kernels, block: Block, data: Any) -> None:
    size = block.values.shape[1]
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=3)))
    ends = [0, *cuts, size]
    pieces = [slice(start, stop) for start, stop in pairwise(ends) if start < stop]
    merged = reduce(
        lambda tally, piece: tally.merge(kind.of(columns(block, piece), kernels)),
        pieces,
        kind.empty(block.values.shape[0]),
    )
    assert_same(merged, kind.of(block, kernels), block)


@every_tally
@given(left=blocks(max_systems=3, min_systems=3), data=st.data())
def test_merging_is_associative_and_commutative(kind: type[Tally], left: Block, data: Any) -> None:
    others = [data.draw(blocks(max_systems=3, min_systems=3)) for _ in range(2)]
    a, b, c = (kind.of(block, PLAIN) for block in (left, *others))
    largest = max((left, *others), key=lambda block: np.abs(np.nan_to_num(block.values)).max())
    assert_same(a.merge(b).merge(c), a.merge(b.merge(c)), largest)
    assert_same(a.merge(b), b.merge(a), largest)


@pytest.mark.parametrize("kind", [Duels, Positions])
@both_kernels
@given(block=blocks(complete=True, whole=True), cut=st.integers(1, 8))
def test_counts_of_complete_ballots_merge_without_rounding(
    kind: type[Tally], kernels: Kernels, block: Block, cut: int
) -> None:
    cut = min(cut, block.values.shape[1])
    left, right = columns(block, slice(0, cut)), columns(block, slice(cut, None))
    whole = kind.of(block, kernels)
    if right.values.shape[1]:
        assert_identical(kind.of(left, kernels).merge(kind.of(right, kernels)), whole)
        assert_identical(kind.of(right, kernels).merge(kind.of(left, kernels)), whole)


@every_tally
@both_kernels
@given(block=blocks(), data=st.data())
def test_relabelling_systems_relabels_the_tally(kind: type[Tally], kernels: Kernels, block: Block, data: Any) -> None:
    order = np.array(data.draw(st.permutations(range(block.values.shape[0]))))
    plain_tally, relabelled = kind.of(block, kernels), kind.of(rows(block, order), kernels)
    for field in fields(cast("Any", plain_tally)):
        value = np.asarray(getattr(plain_tally, field.name))
        expected = value[order] if value.ndim == 1 else value[np.ix_(order, order)] if value.ndim == 2 else value
        atol = rounding(field.name, block)
        assert_allclose(getattr(relabelled, field.name), expected, rtol=1e-12, atol=atol)


@pytest.mark.parametrize("kind", [Duels, Means, Moments, Positions])
@both_kernels
@given(block=blocks(), data=st.data())
def test_weight_two_equals_the_instance_twice(kind: type[Tally], kernels: Kernels, block: Block, data: Any) -> None:
    size = block.values.shape[1]
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    if not times.any():
        times[0] = 1
    repeated = Block(0, np.repeat(block.values, times, axis=1), None, block.tolerance)
    weighed = Block(0, block.values, times.astype(float), block.tolerance)
    assert_same(kind.of(weighed, kernels), kind.of(repeated, kernels), block)


@both_kernels
@given(block=blocks())
def test_turning_scores_round_turns_ranks_and_duels_round(kernels: Kernels, block: Block) -> None:
    turned = Block(0, -block.values, block.weights, block.tolerance)
    positions, reverse = Positions.of(block, kernels), Positions.of(turned, kernels)
    everyone = positions.weight * (block.values.shape[0] + 1)
    assert_allclose(reverse.rank_sum, everyone - positions.rank_sum, atol=1e-9)
    assert_allclose(Duels.of(turned, kernels).expected, Duels.of(block, kernels).expected.T, atol=1e-9)


@both_kernels
@given(block=blocks())
def test_positions_can_be_read_off_the_duels(kernels: Kernels, block: Block) -> None:
    direct = Positions.of(block, kernels)
    derived = Duels.of(block, kernels).positions()
    assert_allclose(derived.rank_sum, direct.rank_sum, atol=1e-9)
    assert derived.weight == direct.weight


@both_kernels
@given(block=blocks())
def test_every_ballot_is_shared_out_between_the_two(kernels: Kernels, block: Block) -> None:
    duels = Duels.of(block, kernels)
    off_diagonal = ~np.eye(block.values.shape[0], dtype=bool)
    total = duels.expected + duels.expected.T
    assert_allclose(total[off_diagonal], duels.weight, atol=1e-9)
    assert_array_equal(np.diag(duels.compared), 0.0)
