import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy.stats import rankdata

from podium.score.place import competition_ranks, midranks, places
from support.worlds import coarse

values = hnp.arrays(np.float64, hnp.array_shapes(max_dims=1, max_side=12), elements=coarse)


@given(values=values)
def test_ranks_are_scipys(values: NDArray[np.float64]) -> None:
    level = places(values)
    assert_array_equal(competition_ranks(level), rankdata(-values, method="min"))
    assert_array_equal(midranks(level), rankdata(-values))
    assert_array_equal(level + 1, rankdata(-values, method="dense"))


@given(values=values)
def test_missing_values_take_no_place(values: NDArray[np.float64]) -> None:
    holes = np.append(values, [np.nan, np.nan])
    assert_array_equal(places(holes)[:-2], places(values))
    assert_array_equal(competition_ranks(places(holes))[-2:], [0, 0])
    assert_array_equal(midranks(places(holes))[-2:], [np.nan, np.nan])


def test_small_steps_chain() -> None:
    assert places(np.array([0.0, 0.9, 1.8, 3.0]), tolerance=1.0).tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("size", [0, 2])
def test_nothing_to_rank(size: int) -> None:
    level = places(np.full(size, np.nan))
    assert competition_ranks(level).tolist() == [0] * size
