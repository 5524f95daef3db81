"""Copies and what is unpickled are as unchangeable as the original, and equal to it."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import podium
from podium.score.task import Task

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),  # noqa: S301  # our own bytes
}


@pytest.mark.parametrize("way", COPIES)
def test_tables_stay_frozen(way: str) -> None:
    values = np.array([[1.0, np.nan, 3.0], [2.0, 5.0, 4.0]])
    labels = np.array(["a", "b", "c"], dtype=np.dtypes.StringDType())
    task = Task.cut("t", values, instances=labels, instance_weights=np.ones(3), higher_is_better=False, weight=2.0)
    table = podium.score.table.Scores(("A", "B"), (task,), tie_tolerance=0.5, notes=("n",), backend="polars")
    again = COPIES[way](table)
    assert isinstance(again, podium.score.table.Scores)
    assert (again.systems, again.notes, again.tie_tolerance, again.backend) == (("A", "B"), ("n",), 0.5, "polars")
    copied: Any = again.tasks[0]
    assert (copied.name, copied.higher_is_better, copied.weight) == ("t", False, 2.0)
    np.testing.assert_array_equal(copied.values, values)
    assert copied.instances.tolist() == ["a", "b", "c"]
    for array in (*copied.parts, copied.scored, copied.instances, copied.instance_weights):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("make", [podium.rank, podium.info, podium.plan])
def test_results_stay_frozen(make: Callable[[Any], Any], way: str) -> None:
    result = make(podium.datasets.xtreme_missing())
    again = COPIES[way](result)
    assert again.to_dict() == result.to_dict()
    arrays = [value for value in again._values() if isinstance(value, np.ndarray)]
    assert arrays
    assert not any(array.flags.writeable for array in arrays)
