"""The picture of a plan: each line ends where the numbers of the plan say, and words stand where there are none."""

import numpy as np
import pytest

import podium
from podium import plots
from podium.errors import MethodError
from podium.planning.result import _FAR
from support.pictures import draw


def test_lines_end_at_what_is_needed() -> None:
    plan = podium.plan(podium.simulate.gumbel(12, 5, 200, dispersion=0.1, rng=0).scores, replicates=300)
    ax = draw(plots.needed(plan))
    growth, apart = np.diagonal(plan.growth, 1), np.diagonal(plan.separated, 1)
    assert 0 < apart.sum() < 11
    tracks = [np.asarray(line.get_xydata())[0] for line in ax.lines if line.get_marker() == "o"]
    dots = {float(y): float(x) for x, y in tracks}
    for place in range(11):
        wanted = plan.size if apart[place] else growth[place] * plan.size
        assert dots.get(place + 0.5, growth[place] > _FAR and wanted) == pytest.approx(wanted)
    assert "ring: separated already" in [text.get_text() for text in ax.texts]


def test_equal_systems_are_separated_never() -> None:
    right = np.random.default_rng(0).integers(0, 2, (2, 1, 60)).astype(float)
    plan = podium.plan(podium.from_arrays(right[[0, 0, 1]], systems=list("ABC")), replicates=200)
    assert "never" in [text.get_text().strip() for text in plots.needed(plan).texts]


def test_without_intervals_there_is_nothing_to_draw() -> None:
    plan = podium.plan(podium.from_arrays(np.array([[[1.0]], [[2.0]]]), systems=["A", "B"]), replicates=200)
    with pytest.raises(MethodError, match="too little data for a bootstrap"):
        plots.needed(plan)
