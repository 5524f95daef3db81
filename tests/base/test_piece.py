"""Work on some columns at a time gives what it gives on all at once, where the array is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.base import spill as piece
from podium.base.spill import MEMORY, Spill, as_type, columns_of, over_columns, pieces, room_of, side_by_side

SHAPES = st.tuples(st.integers(1, 20), st.integers(1, 40))


@given(SHAPES, st.integers(1, 100), st.integers(0, 9))
def test_sums_over_rows_are_the_same_bytes(shape: tuple[int, int], at_once: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(piece, "_AT_ONCE", at_once)
        found = over_columns(shape, lambda some: values[:, some].sum(axis=0))
        assert [column for some in pieces(*shape) for column in range(some.start, some.stop)] == list(range(shape[1]))
    assert found.tobytes() == values.sum(axis=0).tobytes()


def test_what_is_made_is_where_its_source_is() -> None:
    room = Spill(2**40)
    here = np.arange(6.0).reshape(2, 3)
    there = room.empty((2, 3), np.float64)
    there[:] = here
    for values, where in ((here, MEMORY), (there, room)):
        made = (
            side_by_side([values, values]),
            columns_of(values, np.array([True, False, True])),
            columns_of(values, np.array([2, 0])),
            as_type(values, np.float32),
        )
        assert all(room_of(array) is where for array in made)
        assert [array.tolist() for array in made] == [
            [[0, 1, 2, 0, 1, 2], [3, 4, 5, 3, 4, 5]],
            [[0, 2], [3, 5]],
            [[2, 0], [5, 3]],
            here.tolist(),
        ]
        assert side_by_side([values]) is as_type(values, np.float64) is values
