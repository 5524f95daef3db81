"""Baujat and bubble plots: points where metafor's numbers are, names beside them and never over each other."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.testing import assert_allclose

import podium
from podium import plots
from podium.errors import LabelError, MethodError
from support.pictures import boxes, draw, figure_of, overlapping, words


def analysis_of(k: int, seed: int = 0, *, kind: str = "given", **options: Any) -> podium.MetaAnalysis:
    """Effects that rise with size, one of them far off."""
    rng = np.random.default_rng(seed)
    size = rng.lognormal(3, 1, k).round(1)
    effect = 0.01 * size + rng.normal(0, 0.1, k)
    effect[k // 2] += 0.8
    effect = np.clip(effect, -2, 2)
    names = [f"{'a long name of ' * (row % 3 == 0)}task {row}" for row in range(k)]
    variance = rng.uniform(0.002, 0.05, k)
    return podium.pool(effect, variance, tasks=names, kind=kind, moderators={"size": size}, **options)


def part(ax: Axes, name: str) -> Line2D:
    (line,) = [line for line in ax.lines if line.get_gid() == name]
    return line


@pytest.mark.parametrize("name", ["baujat", "bubble"])
@pytest.mark.parametrize("k", [3, 12, 60])
def test_no_name_is_over_another_or_cut(name: str, k: int) -> None:
    ax = draw(getattr(plots, name)(analysis_of(k)))
    texts = words(ax)
    assert overlapping(texts) == []
    width, height = figure_of(ax).canvas.get_width_height()
    ends = boxes(texts)
    assert (ends[:, :2] >= 0).all()
    assert (ends[:, 2] <= width).all()
    assert (ends[:, 3] <= height).all()


@pytest.mark.parametrize("k", [3, 12, 500])
def test_points_are_squared_residuals_and_moves(k: int) -> None:
    analysis = analysis_of(k)
    ax = plots.baujat(analysis)
    points = np.concatenate([np.asarray(part(ax, name).get_xydata()) for name in ("other", "influential")])
    order = np.argsort([bool(task.influential) for task in analysis.tasks], kind="stable")
    tasks = [analysis.tasks[row] for row in order]
    assert_allclose(points, [(task.pearson**2, task.shift**2) for task in tasks])
    assert len(np.asarray(part(ax, "influential").get_xdata())) == sum(bool(task.influential) for task in tasks)


def test_who_is_farthest_out_is_named() -> None:
    analysis = analysis_of(60)
    said = [text.get_text() for text in words(draw(plots.baujat(analysis)))]
    far = max(analysis.tasks, key=lambda task: task.pearson**2)
    assert any(far.task[-6:] in text for text in said)
    assert "diamonds: influential by metafor's rules" in said


def test_a_single_task_has_no_baujat_plot() -> None:
    for k in (1, 501):
        with pytest.raises(MethodError, match=r"'baujat' needs 2 to 500 tasks .*; draw 'forest' instead"):
            plots.baujat(podium.pool([0.1] * k, [0.01] * k))


@pytest.mark.parametrize("interval", ["satterthwaite", "normal"])
def test_the_line_is_the_regression(interval: str) -> None:
    analysis = analysis_of(12, interval=interval)
    ax = plots.bubble(analysis)
    x, y = np.asarray(part(ax, "line").get_xydata()).T
    assert analysis.moderation is not None
    intercept, slope = (one.estimate for one in analysis.moderation.coefficients)
    assert_allclose(y, intercept + slope * x)
    (points,) = [one for one in ax.collections if isinstance(one, PathCollection)]
    assert_allclose(np.asarray(points.get_offsets())[:, 1], [task.effect for task in analysis.tasks])
    largest = int(np.argmax(points.get_sizes()))
    assert largest == int(np.argmin([task.variance for task in analysis.tasks]))


def test_the_band_at_a_size_is_the_interval_of_the_intercept_there() -> None:
    """Measured from a size, the intercept is what the line is there."""
    size, effect, variance = np.array([1.0, 2.0, 4.0, 7.0, 9.0]), [0.1, 0.3, 0.2, 0.6, 0.5], [0.01] * 5
    ax = plots.bubble(podium.pool(effect, variance, moderators={"size": size}, interval="adhoc"))
    (band,) = [one for one in ax.collections if isinstance(one, PolyCollection)]
    vertices = np.asarray(band.get_paths()[0].vertices)
    at = vertices[20, 0]
    moved = podium.pool(effect, variance, moderators={"size": size - at}, interval="adhoc").moderation
    assert moved is not None
    ends = vertices[np.isclose(vertices[:, 0], at), 1]
    assert_allclose([ends.min(), ends.max()], [moved.coefficients[0].low, moved.coefficients[0].high], rtol=1e-8)


def test_other_moderators_are_at_their_mean() -> None:
    size, effect = [1.0, 2.0, 4.0, 7.0, 9.0, 3.0], [0.1, 0.3, 0.2, 0.6, 0.5, 0.9]
    moderators: dict[str, Any] = {"size": size, "where": ["a", "b", "a", "b", "a", "a"]}
    analysis = podium.pool(effect, [0.01] * 6, moderators=moderators)
    ax = draw(plots.bubble(analysis))
    x, y = np.asarray(part(ax, "line").get_xydata()).T
    assert analysis.moderation is not None
    intercept, slope, group = (one.estimate for one in analysis.moderation.coefficients)
    assert_allclose(y, intercept + slope * x + group * 2 / 6)
    assert "line: at the mean of the other moderators" in [text.get_text() for text in words(ax)]


@pytest.mark.parametrize(("kind", "words_of_axis"), [("or", ", logarithm"), ("corr", ", Fisher z"), ("md", "")])
def test_ratios_and_correlations_are_on_the_scale_they_are_pooled_on(kind: str, words_of_axis: str) -> None:
    ax = plots.bubble(analysis_of(8, kind=kind))
    plain = plots.bubble(analysis_of(8))
    assert ax.get_ylabel().endswith(words_of_axis)
    assert_allclose(np.asarray(part(ax, "line").get_ydata()), np.asarray(part(plain, "line").get_ydata()))


def test_a_moderator_of_numbers_is_needed() -> None:
    with pytest.raises(MethodError, match="no moderator of numbers to draw"):
        plots.bubble(podium.pool([0.1, 0.2, 0.4], [0.01] * 3))
    groups = podium.pool([0.1, 0.2, 0.4], [0.01] * 3, moderators={"where": ["a", "b", "a"]})
    with pytest.raises(MethodError, match=r"moderators= \(--moderator\)"):
        plots.bubble(groups)
    with pytest.raises(LabelError, match="no moderator of numbers 'sise'; did you mean 'size'"):
        plots.bubble(analysis_of(5), moderator="sise")


@pytest.mark.parametrize("name", ["baujat", "bubble"])
def test_axes_that_are_given_are_drawn_on(name: str) -> None:
    left, right = Figure(figsize=(9, 3)).subplots(1, 2)
    assert getattr(plots, name)(analysis_of(6), ax=right) is right
    assert not left.has_data()
    assert right.has_data()
