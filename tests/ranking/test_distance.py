"""Pairs of rankings are counted by merging; here one by one."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from podium.ranking.distance import count_pairs


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 33, 70])
def test_pairs_are_those_counted_one_by_one(size: int) -> None:
    rng = np.random.default_rng(size)
    first, second = (rng.integers(0, size // 2 + 2, (5, size)).astype(np.float64) for _ in range(2))
    first[rng.random(first.shape) < 0.1] = np.nan
    second[rng.random(second.shape) < 0.1] = np.nan
    counts = count_pairs(first, second)
    for row in range(5):
        steps = [
            ((first[row, i] - first[row, j]), (second[row, i] - second[row, j]))
            for i, j in combinations(range(size), 2)
        ]
        there = [(a, b) for a, b in steps if not np.isnan(a + b)]
        expected = (
            len(there),
            sum(a * b < 0 for a, b in there),
            sum(a == 0 for a, _ in there),
            sum(b == 0 for _, b in there),
            sum(a == 0 == b for a, b in there),
        )
        found = (counts.compared, counts.discordant, counts.tied_first, counts.tied_second, counts.tied_both)
        assert_array_equal([one[row] for one in found], expected)
