"""Labels moved apart: none over another, none moved without need, and together as little as can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from podium.report.drawing import apart, line_style

wishes = st.lists(st.integers(0, 40).map(lambda tenth: tenth / 4), min_size=1, max_size=9)


@given(wishes, st.sampled_from([0.25, 1.0, 3.0]))
def test_places_are_apart_in_order_and_inside(wanted: list[float], gap: float) -> None:
    found = apart(wanted, gap, 0.0, 10.0)
    order = np.argsort(wanted, kind="stable")
    room = min(gap, 10 / max(len(wanted) - 1, 1))
    assert (np.diff(found[order]) >= room - 1e-9).all()
    assert found.min() >= -1e-9
    assert found.max() <= 10 + 1e-9
    if (np.diff(np.sort(wanted)) >= gap).all():
        np.testing.assert_allclose(found, wanted)


@pytest.mark.parametrize("seed", range(8))
def test_the_moves_are_the_least(seed: int) -> None:
    wanted = np.sort(np.random.default_rng(seed).uniform(0, 10, 6))
    found = apart(wanted.tolist(), 1.5, 0.5, 9.5)
    steps = np.eye(6)[1:] - np.eye(6)[:-1]
    best = minimize(
        lambda places: ((places - wanted) ** 2).sum(),
        np.linspace(0.5, 9.5, 6),
        constraints=[LinearConstraint(steps, 1.5, np.inf)],
        bounds=[(0.5, 9.5)] * 6,
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    np.testing.assert_allclose(found, best.x, atol=1e-4)


def test_no_two_of_many_lines_look_alike() -> None:
    styles = [line_style(index) for index in range(200)]
    assert len({repr(style) for style in styles}) == 200
    assert len({(style["color"], repr(style["linestyle"])) for style in styles[:36]}) == 36
    assert all(len({repr(style[part]) for style in styles[:6]}) == 6 for part in ("color", "linestyle", "marker"))
