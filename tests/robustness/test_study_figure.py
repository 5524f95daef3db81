"""Pictures of stability: every mean where it belongs, every text whole, and what cannot be drawn refused."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from podium import plots
from podium.errors import LabelError, MethodError, OutputError
from podium.robustness.figure import Spread
from podium.robustness.study_result import Study
from support.pictures import check_texts, draw, figure_of, parts_of, said
from support.robust import AXES, study_of

THREE = ("mean", "borda:one", "borda:two")
SIX = (*THREE, "kemeny:task", "bradley-terry:one", "copeland:two")

nan = np.nan


def changed(study: Study, **others: Any) -> Study:
    """The same with other fields of its first stress."""
    return replace(study, swept=(replace(study.swept[0], **others), *study.swept[1:]))


def holed() -> Study:
    """Without a number at the fourth strength."""
    study = study_of(["corrupt"], ["mean"])
    tau = study.swept[0].tau.copy()
    tau[:, 3] = nan
    return changed(study, tau=tau)


STUDIES: dict[str, Study] = {
    "one panel": study_of(["scale"], ["borda"]),
    "two panels": study_of(["corrupt", "missing"], THREE),
    "four panels": study_of(list(AXES)[:4]),
    "nine panels": study_of(list(AXES)[:9], THREE),
    "ten panels, six methods": study_of(list(AXES), SIX, truth=True, scale=1.6),
    "seven methods": study_of(methods=(*SIX, "median")),
    "one repeat": study_of(repeats=1, truth=True),
    "long names": changed(
        study_of(["scale", "missing"], ["borda:" + "x" * 90, "中文 $x^2$", "two\nlines"]),
        name="a name of a stress that goes on and on " * 3,
        axis="words that need several lines below a panel " * 4 + "and $x^2",
    ),
    "one strength": study_of(["missing"], strengths=[0.5]),
    "large strengths": study_of(["sample"], strengths=[0, 1e-7, 10, 1e6, 1e8, 1e12, 1e15]),
    "many strengths": study_of(["sample"], strengths=[*range(30), 1000]),
    "holes": holed(),
}


CASES = [(name, "tau") for name in STUDIES] + [
    ("nine panels", "kept"),
    ("ten panels, six methods", "error"),
    ("one repeat", "error"),
    ("one panel", "kept"),
]


def drawn(study: Study, measure: str = "tau", **options: Any) -> list[Axes]:
    axes = plots.stability(study, measure=measure, **options)
    draw(axes[0])
    return axes


@cache
def gallery(name: str, measure: str) -> list[Axes]:
    """Every picture, drawn once."""
    return drawn(STUDIES[name], measure)


@pytest.mark.parametrize(("name", "measure"), CASES)
def test_all_texts_are_whole_and_apart(name: str, measure: str) -> None:
    check_texts(gallery(name, measure)[0])


@pytest.mark.parametrize(("name", "measure"), CASES)
def test_lines_are_the_means_and_bands_the_spread(name: str, measure: str) -> None:
    study = STUDIES[name]
    for ax, one in zip(gallery(name, measure), study.swept, strict=True):
        values = getattr(one, measure)
        lines = parts_of(ax, "method")
        np.testing.assert_allclose([line.get_ydata() for line in lines], values.mean(axis=2), rtol=1e-12)
        styles = {(line.get_color(), line._unscaled_dash_pattern, line.get_marker()) for line in lines}
        assert len({str(style) for style in styles}) == len(study.methods)
        bands = parts_of(ax, "band")
        assert len(bands) == (len(study.methods) if study.repeats > 1 else 0)
        spread = Spread.of(study, one, measure)
        for band, low, high in zip(bands, spread.low, spread.high, strict=bool(bands)):
            heights = np.concatenate([path.vertices[:, 1] for path in band.get_paths()])
            assert heights.min() == pytest.approx(np.nanmin(low), abs=1e-9)
            assert heights.max() == pytest.approx(np.nanmax(high), abs=1e-9)


def test_panels_share_an_axis_and_fit_on_a_page() -> None:
    axes = gallery("ten panels, six methods", "error")
    assert len(axes) == 10
    assert {ax.get_ylim() for ax in axes} == {(-0.04, 1.04)}
    assert [ax.get_title(loc="left") for ax in axes] == list(AXES)
    width, height = figure_of(axes[0]).get_size_inches()
    assert width < 7.5
    assert height < 10.5
    assert {round(ax.get_position().width * width, 6) for ax in axes} == {2.08}


def test_strengths_over_decades_stand_at_equal_distances() -> None:
    scale, missing = drawn(study_of(["scale", "missing"]))
    assert parts_of(scale, "method")[0].get_xdata().tolist() == [0, 1, 2, 3, 4]
    assert [label.get_text() for label in scale.get_xticklabels()] == ["0", "1", "9", "99", "999"]
    assert parts_of(missing, "method")[0].get_xdata().tolist() == list(AXES["missing"][0])
    assert "strengths at equal distances: scale" in said(scale)
    assert scale.get_xlabel() == "one task's scores enlarged (9: ten times)"
    (large,) = gallery("large strengths", "tau")
    assert large.get_xticklabels()[-1].get_text() == "1.0×10¹⁵"
    (many,) = gallery("many strengths", "tau")
    assert 5 < len(many.get_xticklabels()) < 20
    assert many.get_xticklabels()[-1].get_text() == "1,000"


@pytest.mark.parametrize("measure", ["tau", "kept", "error"])
def test_rings_are_the_breakdown_points(measure: str) -> None:
    study = study_of(list(AXES)[2:5], THREE, truth=True, scale=1.2)
    points = study.breakdown(measure)
    found = [point for one in points.values() for point in one.values()]
    assert {point is None for point in found} == {True, False}
    for ax, one in zip(drawn(study, measure), study.swept, strict=True):
        rings = [ring.get_xdata().tolist() for ring in parts_of(ax, "breakdown")]
        assert rings == [[] if point is None else [point] for point in points[one.name].values()]
        (bound,) = parts_of(ax, "bound")
        assert bound.get_ydata() == [0.75 if measure == "error" else 0.5] * 2


def test_what_lines_and_bands_are_is_said() -> None:
    texts = said(drawn(study_of())[0])
    assert {"Kendall's τ-b", "bands: from 5 to 95% of the repeats", "mean", "borda:two"} <= set(texts)
    assert any(text.endswith("; 40 repeats") for text in texts)
    assert "bands: from 25 to 75% of the repeats" in said(drawn(study_of(methods=THREE))[0])
    assert "bands: 95% intervals of the mean" in said(drawn(study_of(), "kept")[0])
    assert not any("band" in text for text in said(gallery("one repeat", "tau")[0]))
    assert "no mean is below 0.5 (dashed)" in said(drawn(study_of(scale=0.2))[0])


def test_some_stresses_are_drawn_in_the_order_asked_for() -> None:
    axes = drawn(study_of(), stresses=["missing", "corrupt"])
    assert [ax.get_title(loc="left") for ax in axes] == ["missing", "corrupt"]


def test_what_cannot_be_drawn_is_refused() -> None:
    study = study_of()
    with pytest.raises(LabelError, match="stress 'misssing'"):
        plots.stability(study, stresses=["misssing"])
    with pytest.raises(LabelError, match="measure 'rho'"):
        plots.stability(study, measure="rho")
    with pytest.raises(MethodError, match="no truth"):
        plots.stability(study, measure="error")
    with pytest.raises(MethodError, match="no stress to draw"):
        plots.stability(study, stresses=[])


def test_the_text_of_an_svg_is_the_content_of_its_file(tmp_path: Path) -> None:
    axes = plots.stability(study_of(["scale"]))
    plots.save(axes, tmp_path / "a.svg")
    assert plots.to_svg(axes) == plots.to_svg(axes[0]) == (tmp_path / "a.svg").read_text("utf-8")


def test_axes_of_no_figure_are_no_picture(tmp_path: Path) -> None:
    axes = plots.stability(study_of())
    for ax in axes:
        ax.remove()
    with pytest.raises(OutputError, match=r"a\.svg: the axes were removed"):
        plots.save(axes, tmp_path / "a.svg")
    with pytest.raises(OutputError, match=r"^the axes were removed"):
        plots.to_svg(axes[0])
