"""Score tables for property tests: few distinct values, so that ties are common, and holes of every pattern."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from podium.score.table import Block, Scores
from podium.score.task import Task

Floats = NDArray[np.float64]

coarse = st.integers(-4, 4).map(float) | st.sampled_from([0.1, 0.2, 0.3, -0.0])
scored_or_missing = coarse | st.just(np.nan)
#: For the counting alone, which must stand any scale.
uneven = coarse | st.sampled_from([1e-12, 1e9, 1e9 + 1])
uneven_or_missing = uneven | st.just(np.nan)


@st.composite
def matrices(
    draw: st.DrawFn, max_systems: int = 7, max_instances: int = 9, *, min_systems: int = 1, complete: bool = False
) -> Floats:
    shape = draw(st.tuples(st.integers(min_systems, max_systems), st.integers(1, max_instances)))
    values: Floats = draw(hnp.arrays(np.float64, shape, elements=uneven if complete else uneven_or_missing))
    return values


@st.composite
def blocks(
    draw: st.DrawFn, max_systems: int = 7, *, min_systems: int = 1, complete: bool = False, whole: bool = False
) -> Block:
    """Draw a block; `whole` weights are halves, whose sums are exact, others are tenths."""
    values = draw(matrices(max_systems, min_systems=min_systems, complete=complete))
    weights = draw(
        st.none()
        | hnp.arrays(np.float64, values.shape[1], elements=st.integers(0, 4).map(lambda w: w / 2 if whole else w / 10))
    )
    return Block(0, values, weights, draw(st.sampled_from([0.0, 0.0, 0.25, 1.0])))


@st.composite
def tables(draw: st.DrawFn, *, max_tasks: int = 4, complete: bool = False) -> Scores:
    n_systems = draw(st.integers(2, 6))
    n_tasks = draw(st.integers(1, max_tasks))
    tasks = []
    for index in range(n_tasks):
        elements = coarse if complete else scored_or_missing
        values = draw(hnp.arrays(np.float64, (n_systems, draw(st.integers(1, 5))), elements=elements))
        # One system with a score everywhere: a ranking needs something that connects the tasks.
        values[0] = np.nan_to_num(values[0])
        tasks.append(
            Task.cut(
                f"task {index}",
                values,
                higher_is_better=draw(st.booleans()),
                weight=draw(st.sampled_from([1.0, 1.0, 2.0, 0.5])),
            )
        )
    return Scores(tuple(f"system {index}" for index in range(n_systems)), tuple(tasks))
