"""Parts of a task, and what is made of a table on disk: it is on disk, too, and the same."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from podium.score.task import PART, Task, each_score, of_instances, over_instances, stretches_of


def some_task(systems: int, instances: int, seed: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, instances))
    return Task.cut("t", np.where(rng.random(values.shape) < 0.1, np.nan, values))


@given(st.integers(1, 12), st.sampled_from([1, 2, 5, PART, PART + 1, 2 * PART + 1]))
def test_some_instances_at_a_time_give_the_same_bytes(systems: int, instances: int) -> None:
    task = some_task(systems, instances)
    kept = np.random.default_rng(1).random(instances) < 0.7
    kept[0] = True
    sums = over_instances(task, lambda scores: np.nansum(scores, axis=0))
    assert sums.tobytes() == np.nansum(task.values, axis=0).tobytes()
    assert each_score(task, lambda scores: -scores).tobytes() == (-task.values).tobytes()
    assert np.concatenate([scores for _, scores in stretches_of(task)], axis=1).tobytes() == task.values.tobytes()
    chosen = of_instances(task, kept)
    expected = Task.cut("t", task.values[:, kept]).parts
    assert [part.tobytes() for part in chosen] == [part.tobytes() for part in expected]
    assert all(part.flags.c_contiguous for part in chosen)
