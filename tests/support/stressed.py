"""Tables to be stressed: with holes, weights, directions, instance labels and ties, which a stress must keep."""

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from podium.score.table import Scores
from podium.score.task import Task
from support.worlds import tables

__all__ = ["assert_equal", "assert_sound", "labelled", "stressed_tables"]


@st.composite
def stressed_tables(draw: st.DrawFn) -> Scores:
    """Draw a table whose every field says something; tasks of one size may share their instances."""
    scores = draw(tables())
    shared = draw(st.booleans())
    tasks = []
    for index, task in enumerate(scores.tasks):
        size = task.n_instances
        weights = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=size, max_size=size)))
        weights[draw(st.integers(0, size - 1))] = 1.0
        labels = labelled(size, "item" if shared else f"item of {index}")
        tasks.append(
            Task.cut(
                task.name,
                task.values.astype(draw(st.sampled_from([np.float64, np.float32]))),
                instances=draw(st.sampled_from([labels, np.arange(size), None])),
                instance_weights=draw(st.sampled_from([None, weights])),
                higher_is_better=task.higher_is_better,
                weight=task.weight if index else 1.0,
            )
        )
    return Scores(scores.systems, tuple(tasks), draw(st.sampled_from([0.0, 0.25])), ("a note",), "pandas")


def labelled(size: int, name: str = "item") -> NDArray[Any]:
    """Labels of instances, as a table holds them."""
    return np.array([f"{name} {number:04d}" for number in range(size)], dtype=np.dtypes.StringDType())


def assert_equal(left: Scores, right: Scores) -> None:
    """Check that two tables are the same in every field."""
    for field in ("systems", "task_names", "tie_tolerance", "notes", "backend"):
        assert getattr(left, field) == getattr(right, field)
    for one, other in zip(left.tasks, right.tasks, strict=True):
        for name in ("values", "scored", "instances", "instance_weights", "higher_is_better", "weight"):
            mine, theirs = getattr(one, name), getattr(other, name)
            assert (mine is None) == (theirs is None)
            if mine is not None:
                assert_array_equal(mine, theirs)


def assert_sound(scores: Scores) -> None:
    """Check that a table is as reading would have made it."""
    for task in scores.tasks:
        again = Task.cut(task.name, task.values)
        assert_array_equal(task.scored, again.scored)
        assert task.scored.dtype == again.scored.dtype
        assert [part.shape for part in task.parts] == [part.shape for part in again.parts]
        assert all(part.flags.c_contiguous and not part.flags.writeable for part in task.parts)
        if task.instances is not None:
            assert len(task.instances) == task.n_instances
        if task.instance_weights is not None:
            assert len(task.instance_weights) == task.n_instances
