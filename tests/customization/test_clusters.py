"""Clusters on a customized leaderboard: copies of an instance in its cluster tell nothing new."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.difficulty.result import Difficulty, Measure


@pytest.mark.parametrize("level", ["one", "two"])
def test_copies_inside_a_cluster_change_no_interval(level: str) -> None:
    rng = np.random.default_rng(0)
    arrays = {task: (rng.random((3, 40)) < 0.6).astype(float) for task in ("t", "u")}
    hardness = np.linspace(0.1, 1, 40)
    found = []
    for times in (1, 3):
        labels = [f"i{place:02}-{copy}" for place in range(40) for copy in range(times)]
        scores = podium.from_arrays(
            {task: np.repeat(values, times, axis=1) for task, values in arrays.items()},
            instances=labels,
            clusters=[label.split("-")[0] for label in labels],
        )
        texts = np.array(labels, dtype=np.dtypes.StringDType())
        difficulty = Difficulty(texts, (Measure("hardness", np.repeat(hardness, times), "high"),))
        splitting = podium.Splitting(4, level=level)
        result = podium.customize(scores, difficulty, splits=splitting, confidence=0.95, replicates=80)
        assert "40 clusters of instances count as one draw each" in result.notes
        found.append(result.ranking)
    once, often = (ranking.intervals for ranking in found)
    assert once is not None
    assert often is not None
    assert_allclose(found[1].score, found[0].score, rtol=1e-9)
    for field in ("std_error", "score_low", "score_high"):
        assert_allclose(getattr(often, field), getattr(once, field), rtol=1e-9)
    assert_array_equal(often.rank_high, once.rank_high)


def test_clusters_stay_with_their_instances_where_some_have_no_difficulty() -> None:
    values = np.ones((2, 4))
    scores = podium.from_arrays({"t": values}, instances=list("abcd"), clusters=["p", "q", "p", "r"])
    difficulty = Difficulty(np.array(["a", "c", "d"]), (Measure("hardness", np.array([0.1, 0.2, 0.3]), "high"),))
    weighed = podium.weigh(scores, difficulty, splits=1)
    assert weighed.tasks[0].clusters is not None
    assert weighed.tasks[0].clusters.labels == ("p", "p", "r")
