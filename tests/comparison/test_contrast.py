"""Contrasts: rows of their arrays, and directions of scores."""

import math
from typing import Any

import numpy as np
import pytest

import podium
from podium.comparison import effects as module
from podium.comparison.effects import contrast
from support.compared import analysed

#: Four instances a cluster.
OF = [number // 4 for number in range(40)]


def test_the_control_is_not_measured_against_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> tuple[float, float]:
        raise AssertionError("no moments of these treatments are too coarse")

    monkeypatch.setattr(module, "_difference_moments", never)
    scores = podium.from_arrays({"t": np.random.default_rng(0).random((3, 40))}, clusters=OF)
    assert contrast(scores, scores.systems[1], "md").n_clusters.tolist() == [[10, 0, 10]]


@pytest.mark.parametrize("clusters", [None, OF], ids=["alone", "clusters"])
def test_nearly_equal_scores_are_turned_where_lower_is_better(clusters: list[int] | None) -> None:
    rng = np.random.default_rng(0)
    control = 100 + rng.random(40)
    values = np.array([control, control + 1e-6 * rng.random(40)])
    higher, lower = (
        analysed(
            podium.from_arrays({"t": sign * values}, systems=["A", "B"], lower=low, clusters=clusters),
            control="A",
            treatment="B",
        ).tasks[0]
        for sign, low in ((1, []), (-1, ["t"]))
    )
    assert higher.effect > 0
    assert (lower.effect, lower.variance) == (higher.effect, higher.variance)
    assert (lower.control_mean, lower.treatment_mean) == (-higher.control_mean, -higher.treatment_mean)


def test_a_mean_of_zero_has_no_sign() -> None:
    scores = podium.from_arrays({"t": [[1, -1, 0, 0], [0, 1, 2, 3]]}, systems=["A", "B"], lower=["t"])
    (task,) = analysed(scores, control="A", treatment="B").tasks
    assert math.copysign(1, task.control_mean) == 1
