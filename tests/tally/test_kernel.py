"""The arithmetic against SciPy, brute force, and itself."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import rankdata

import podium
from podium.score.table import Block, Scores
from podium.tally import compiled
from podium.tally.count import PLAIN, choose, count
from podium.tally.moment import Means
from podium.tally.position import Positions, Ties
from podium.tally.tally import Kernels, weighed
from support.worlds import blocks, matrices

both_kernels = pytest.mark.parametrize("kernels", [PLAIN, compiled], ids=["plain", "compiled"])


def above(n: int, k: int, r: int) -> Fraction:
    """Share of the rankings of n systems compatible with 0 > 1 > … > k−1 that put system k above system r−1."""
    compatible = [
        order
        for order in itertools.permutations(range(n))
        if [system for system in order if system < k] == list(range(k))
    ]
    return Fraction(sum(order.index(k) < order.index(r - 1) for order in compatible), len(compatible))


@pytest.mark.parametrize(
    ("n", "k", "r"), [(n, k, r) for n in range(2, 8) for k in range(1, n) for r in range(1, k + 1)]
)
def test_an_unscored_system_is_above_with_probability_r_over_k_plus_1(n: int, k: int, r: int) -> None:
    expected = above(n, k, r)
    assert expected == Fraction(r, k + 1)
    values = np.full((n, 1), np.nan)
    values[:k, 0] = np.arange(k, 0, -1)
    for kernels in (PLAIN, compiled):
        _, _, imputed = kernels.duels(values, None, 0.0)
        assert imputed[k, r - 1] == pytest.approx(float(expected), abs=1e-15)
        assert imputed[r - 1, k] == pytest.approx(float(1 - expected), abs=1e-15)


@both_kernels
@pytest.mark.parametrize("n", range(1, 7))
def test_expected_ranks_are_means_over_all_compatible_rankings(kernels: Kernels, n: int) -> None:
    for k in range(n + 1):
        compatible = [
            order
            for order in itertools.permutations(range(n))
            if [system for system in order if system < k] == list(range(k))
        ]
        brute = [np.mean([order.index(system) + 1 for order in compatible]) for system in range(n)]
        values = np.full((n, 1), np.nan)
        values[:k, 0] = np.arange(k, 0, -1)
        assert_allclose(kernels.rank_sums(values, None, 0.0), brute, atol=1e-12)


@both_kernels
@given(values=matrices(complete=True))
def test_ranks_of_complete_ballots_are_scipys_midranks(kernels: Kernels, values: NDArray[np.float64]) -> None:
    assert_array_equal(kernels.rank_sums(values, None, 0.0), rankdata(-values, axis=0).sum(axis=1))


@both_kernels
@given(block=blocks())
def test_duels_equal_a_loop_over_pairs_and_instances(kernels: Kernels, block: Block) -> None:
    values, tolerance = block.values, block.tolerance
    weights = np.ones(values.shape[1]) if block.weights is None else block.weights
    wins, ties = np.zeros((2, values.shape[0], values.shape[0]))
    for i, j in itertools.permutations(range(values.shape[0]), 2):
        for a, b, weight in zip(values[i], values[j], weights, strict=True):
            wins[i, j] += weight * (a > b + tolerance)
            ties[i, j] += weight * (a <= b + tolerance and b <= a + tolerance)
    counted_wins, counted_ties, _ = kernels.duels(values, block.weights, tolerance)
    assert_allclose(counted_wins, wins, atol=1e-13)
    assert_allclose(counted_ties, ties, atol=1e-13)
    assert_array_equal(counted_ties == 0, ties == 0)  # nothing is left of what cancels


@both_kernels
@given(values=matrices(), near=st.sampled_from([0.0, 1e-9, 0.15, 1.0]))
def test_tied_pairs_equal_a_loop(kernels: Kernels, values: NDArray[np.float64], near: float) -> None:
    pairs = [(a, b) for column in values.T for a, b in itertools.combinations(column[~np.isnan(column)], 2)]
    tied = sum(a == b for a, b in pairs)
    close = sum(a <= b + near and b <= a + near for a, b in pairs)
    assert tuple(kernels.tied_pairs(values, 0.0, near)) == (len(pairs), tied, close)


@both_kernels
@given(block=blocks())
def test_moments_and_comoments_equal_numpys(kernels: Kernels, block: Block) -> None:
    values = np.where(np.abs(block.values) > 1e6, 7.0, block.values)
    weights = np.ones(values.shape[1]) if block.weights is None else block.weights
    weight, mean, m2 = kernels.moments(values, block.weights)
    _, pair_weight, pair_mean, pair_m2, comoment = kernels.comoments(values, block.weights)
    for i, j in itertools.product(range(values.shape[0]), repeat=2):
        both = ~np.isnan(values[i]) & ~np.isnan(values[j])
        w, x, y = weights[both], values[i][both], values[j][both]
        assert pair_weight[i, j] == pytest.approx(w.sum())
        if w.sum() == 0:
            continue
        dx, dy = x - np.average(x, weights=w), y - np.average(y, weights=w)
        assert pair_mean[i, j] == pytest.approx(np.average(x, weights=w))
        assert pair_m2[i, j] == pytest.approx((w * dx**2).sum(), abs=1e-9)
        assert comoment[i, j] == pytest.approx((w * dx * dy).sum(), abs=1e-9)
        if i == j:
            assert (weight[i], mean[i]) == pytest.approx((w.sum(), np.average(x, weights=w)))
            assert m2[i] == pytest.approx((w * dx**2).sum(), abs=1e-9)


@both_kernels
def test_a_large_mean_costs_no_digits(kernels: Kernels) -> None:
    values = np.array([[1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4]])
    _, mean, m2 = kernels.moments(values, None)
    assert (mean[0], m2[0]) == (1e9 + 2.5, 5.0)


@both_kernels
def test_a_constant_system_has_exactly_that_mean(kernels: Kernels) -> None:
    _, mean, m2 = kernels.moments(np.full((1, 7), 0.1), np.full(7, 0.3))
    assert (mean[0], m2[0]) == (0.1, 0.0)


SHAPES = [(1, 1), (3, 40), (20, 700), (64, 5), (65, 5), (90, 300), (257, 70), (513, 5), (3, 16_384)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tolerance", [0.0, 0.15])
@pytest.mark.parametrize("weighed", [False, True])
def test_compiled_equals_plain(
    shape: tuple[int, int], dtype: Any, missing: float, tolerance: float, *, weighed: bool
) -> None:
    rng = np.random.default_rng(7)
    values = np.round(rng.normal(size=shape), 1).astype(dtype)
    values[rng.random(shape) < missing] = np.nan
    weights = rng.integers(0, 4, shape[1]) / 2 if weighed else None
    # The counts are sums of multiples of ¼ and of shares; moments of float32 are taken in different orders.
    assert_allclose(
        compiled.rank_sums(values, weights, tolerance),
        PLAIN.rank_sums(values, weights, tolerance),
        rtol=1e-12,
        atol=1e-9,
    )
    for fast, slow in zip(
        compiled.duels(values, weights, tolerance), PLAIN.duels(values, weights, tolerance), strict=True
    ):
        assert_allclose(fast, slow, rtol=1e-12, atol=1e-9)
    assert tuple(compiled.tied_pairs(values, tolerance, 0.3)) == PLAIN.tied_pairs(values, tolerance, 0.3)
    rtol, atol = (1e-9, 1e-8) if dtype is np.float64 else (1e-4, 1e-2)
    for fast, slow in zip(compiled.moments(values, weights), PLAIN.moments(values, weights), strict=True):
        assert_allclose(fast, slow, rtol=rtol, atol=atol)
    if shape[0] * shape[1] < 20_000:
        for fast, slow in zip(compiled.comoments(values, weights), PLAIN.comoments(values, weights), strict=True):
            assert_allclose(fast, slow, rtol=rtol, atol=atol)


@pytest.mark.parametrize("shape", [(3, 2_100), (90, 300), (257, 70)], ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("tolerance", [0.0, 0.15])
def test_ranks_in_replicates_have_the_same_digits_as_in_numpy(
    shape: tuple[int, int], missing: float, tolerance: float
) -> None:
    rng = np.random.default_rng(7)
    values = np.round(rng.normal(size=shape), 1)
    values[rng.random(shape) < missing] = np.nan
    compiled.rank_sums(values, np.ones(shape[1]), tolerance)  # compiles what both have in common as sums want it
    draws = rng.integers(0, 8, (shape[1], 5), dtype=np.uint8)
    assert_array_equal(
        compiled.rank_sums(values, draws, tolerance), PLAIN.rank_sums(values, draws.astype(np.float64), tolerance)
    )


def test_halves_are_added_exactly_in_single_precision() -> None:
    rng = np.random.default_rng(7)
    halves = rng.integers(1_990, 2_001, (3, 5_000)) / 2
    draws = rng.integers(6, 8, (5_000, 40), dtype=np.uint8)
    assert_array_equal(weighed(halves, draws, halves=True), (2 * halves).astype(np.int64) @ draws.astype(np.int64) / 2)


def test_small_tables_are_counted_without_compiling() -> None:
    assert choose(105, 14) is PLAIN
    assert choose(62, 15 * 48) is PLAIN
    assert choose(5_000, 14) is PLAIN
    assert choose(20, 1_000_000) is compiled


def whole_table(first: float = 0.5) -> Scores:
    """Complete scores of 100 systems, more comparisons than those for which compiled code is loaded otherwise."""
    values = np.round(np.random.default_rng(7).random((100, 45_000)), 2)
    values[0, 0] = first
    return podium.from_arrays({"t": values})


def test_sums_over_complete_scores_are_the_same_bytes_from_both() -> None:
    usual = count(whole_table(), [Positions, Ties, Means])
    fast = count(whole_table(), [Positions, Ties, Means], kernels=compiled)
    assert usual[Ties] == fast[Ties]
    assert usual[Positions][0].rank_sum.tobytes() == fast[Positions][0].rank_sum.tobytes()
    assert usual[Means][0].mean.tobytes() == fast[Means][0].mean.tobytes()


@pytest.mark.parametrize("reach", [0.0, 1e-9, 0.1, 0.35])
@pytest.mark.parametrize("levels", [1, 2, 10, 1000])
def test_close_pairs_equal_a_count_of_all_pairs(reach: float, levels: int) -> None:
    values = np.random.default_rng(7).integers(0, levels + 1, (40, 1_500)) / levels
    values[np.random.default_rng(8).random(values.shape) < 0.1] = np.nan
    pairs = itertools.combinations(values, 2)
    close = sum(int((np.maximum(one, other) <= np.minimum(one, other) + reach).sum()) for one, other in pairs)
    assert PLAIN.tied_pairs(values, 0.0, reach)[2] == close
