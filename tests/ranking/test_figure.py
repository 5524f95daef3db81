"""Runs of systems, against all intervals of a row; and bars that do not touch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from podium.ranking.figure import runs, stacked

pytestmark = pytest.mark.core


@given(hnp.arrays(np.bool_, st.integers(0, 8).map(lambda size: (size, size))))
def test_runs_are_the_maximal_intervals_without_separation(apart: NDArray[np.bool_]) -> None:
    separated = np.triu(apart, 1)
    size = len(separated)
    free = {
        (first, last)
        for first in range(size)
        for last in range(first + 1, size)
        if not separated[first : last + 1, first : last + 1].any()
    }
    maximal = {run for run in free if not {(run[0] - 1, run[1]), (run[0], run[1] + 1)} & free}
    assert set(runs(separated)) == maximal
    assert len(runs(separated)) == len(maximal)


spans = st.tuples(st.integers(0, 20), st.integers(0, 5)).map(lambda span: (float(span[0]), float(sum(span))))


@given(st.lists(spans, max_size=12))
def test_bars_on_a_level_do_not_touch_and_levels_are_few(bars: list[tuple[float, float]]) -> None:
    level = stacked(bars)
    for i, one in enumerate(bars):
        for j, other in enumerate(bars[:i]):
            assert level[i] != level[j] or one[1] < other[0] or other[1] < one[0]
    depth = max((sum(left <= at <= right for left, right in bars) for at, _ in bars), default=0)
    assert max(level, default=-1) + 1 == depth
