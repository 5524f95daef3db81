"""Forest plots: every number drawn where it belongs, whatever the tasks are called and however far they are apart."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from numpy.testing import assert_allclose

import podium
from podium import plots
from podium.comparison.forest import limits, ticks
from podium.comparison.forest_rows import Row
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Beside, TaskEffect
from podium.errors import InputError, LabelError, MethodError
from support.handmade import NOTHING, analysis_of, random_analysis
from support.pictures import boxes, draw, figure_of, overlapping, parts_of, said, words

nan = math.nan


def drawn(analysis: MetaAnalysis, **options: Any) -> Axes:
    return draw(plots.forest(analysis, **options))


def lengths(ax: Axes, name: str) -> list[list[float]]:
    """Where bars begin and end."""
    bars = [artist for artist in parts_of(ax, name) if isinstance(artist, LineCollection)]
    return [bar.get_segments()[0][:, 0].tolist() for bar in bars]


def row_of(ax: Axes, label: str) -> list[str]:
    """Texts that stand in a line with a label, from the left."""
    texts = [text for text in words(ax) if text in ax.texts]
    (y,) = {text.get_position()[1] for text in texts if text.get_text() == label}
    line = [text for text in texts if text.get_position()[1] == y]
    return [text.get_text() for text in sorted(line, key=lambda text: text.get_position()[0])]


def order_of(ax: Axes) -> list[str]:
    """Labels at the far left, from the top."""
    inner = min(text.get_position()[0] for text in ax.texts if text.get_transform() is not ax.transAxes)
    texts = [
        text for text in ax.texts if abs(text.get_position()[0] - inner) < 0.1 and float(text.get_fontsize()) > 7.6
    ]
    return [text.get_text() for text in sorted(texts, key=lambda text: text.get_position()[1])]


NAMES = ["NFCorpus", "TREC Podcast", "TripClick", "DBPedia Entity", "TREC Robust 04", "Antique", "TREC Covid"]

JUDGED = Beside("J@10", (0.5, 0.6, 0.7, 0.5, 0.9, 0.4, 0.2), (0.62, 0.6, 0.81, nan, 0.8, 0.3, 0.1))

SIX: dict[str, Any] = {
    "left": ["n", "control", "treatment", "means", "J@10", ("language", ["English"] * 6 + ["a language " * 8])],
    "right": ["p", "weight", "effect", "ci", ("seeds", range(7)), ("domain", {"Antique": "questions"})],
    "title": "Six columns and more on every side, under a title of many words, which goes on and on " * 3,
}

WORLDS: dict[str, tuple[MetaAnalysis, dict[str, Any]]] = {
    "one task": (random_analysis(1), {}),
    "three tasks": (random_analysis(3), {"title": "Three"}),
    "seven tasks": (random_analysis(7, names=NAMES, beside=(JUDGED,)), {}),
    "more than six columns": (random_analysis(7, names=NAMES, beside=(JUDGED,)), SIX),
    "groups": (random_analysis(20, groups=["Questions"] * 7 + ["Inference, which is a long heading"] * 13), {}),
    "some in no group": (random_analysis(7, groups=["a", None] * 3 + ["a"]), {"left": ["ci"]}),
    "sixty tasks": (random_analysis(60), {"left": ["n", "means"], "right": ["weight", "effect", "ci", "p"]}),
    "long labels": (random_analysis(3, names=["a" * 90, "b" * 60, "c"], control="x" * 60, treatment="y"), {}),
    "Chinese": (
        random_analysis(3, names=["中文任务", "阅读理解", "c"], control="甲", treatment="乙"),
        {"title": "评测" * 50},
    ),
    "no columns": (random_analysis(3, control="c" * 24, treatment="t" * 24), {"left": [], "right": []}),
    "odds ratios": (random_analysis(8, kind="or"), {}),
    "wide odds ratios": (analysis_of([-9, 0, 4, 7], [1, 2, 1, 3], kind="or"), {"label": "a long label " * 9}),
    "correlations": (random_analysis(3, kind="corr"), {}),
    "tiny": (analysis_of([1e-7, 2e-7, -3e-8], [3e-8, 2e-8, 5e-8]), {}),
    "huge": (analysis_of([1e6, 2e6, -3e5], [3e5, 2e5, 5e5]), {}),
    "huger": (analysis_of([1e15, 2e15, -3e14], [3e14, 2e14, 5e14]), {}),
    "cut": (analysis_of([0.1, 0.2, 0.15, 0.12, 0.3], [0.02, 0.02, 0.03, 0.03, 2]), {}),
    "equal": (analysis_of([0.2] * 3, [1e-12] * 3), {}),
    "nothing": (analysis_of([0.0] * 3, [1e-100] * 3), {}),
}


@pytest.fixture(scope="module")
def gallery() -> dict[str, Axes]:
    """Every picture, drawn once."""
    return {name: drawn(analysis, **options) for name, (analysis, options) in WORLDS.items()}


@pytest.mark.parametrize("name", WORLDS)
def test_texts_are_clear_of_each_other_and_of_the_marks(name: str, gallery: dict[str, Axes]) -> None:
    ax = gallery[name]
    texts = words(ax)
    ends = boxes(texts)
    width, height = figure_of(ax).canvas.get_width_height()
    out = (ends[:, :2].min(axis=1) < 0) | (ends[:, 2] > width) | (ends[:, 3] > height)
    assert [text.get_text() for text, is_out in zip(texts, out, strict=True) if is_out] == []
    assert overlapping(texts) == []
    left, bottom, right, top = ax.get_window_extent().extents
    inside = (ends[:, 2] > left) & (ends[:, 0] < right) & (ends[:, 3] > bottom) & (ends[:, 1] < top)
    assert [text.get_text() for text, is_in in zip(texts, inside, strict=True) if is_in] == []


@pytest.mark.parametrize("name", WORLDS)
def test_marks_and_diamonds_are_the_numbers(name: str, gallery: dict[str, Axes]) -> None:
    ax, analysis = gallery[name], WORLDS[name][0]
    (marks,) = (artist for artist in parts_of(ax, "tasks") if isinstance(artist, PathCollection))
    assert sorted(np.asarray(marks.get_offsets())[:, 0]) == sorted(task.effect for task in analysis.tasks)
    low, high = ax.get_xlim()
    assert low < analysis.measure.null < high
    summaries = [group.summary for group in analysis.subgroups] + [analysis.summary]
    diamonds = [artist for artist in ax.patches if isinstance(artist, Polygon)]
    for diamond, summary in zip(diamonds, summaries, strict=True):
        assert diamond.get_xy()[:3, 0].tolist() == pytest.approx([summary.low, summary.effect, summary.high])
    shown = [[summary.prediction_low, summary.prediction_high] for summary in summaries[-1:] if summary.k > 1]
    for found, ends in zip(lengths(ax, "prediction"), shown, strict=True):
        assert found == pytest.approx(np.clip(ends, low, high).tolist())
    assert f"{'95% ' if shown else 'no '}prediction interval" in [*said(ax), "no prediction interval"]


def test_areas_are_weights_down_to_what_one_can_see() -> None:
    analysis = analysis_of([0.1, 0.2, 0.3, 0.2], [0.01, 0.02, 0.03, 9])
    ax = drawn(analysis, sort="n")
    (marks,) = parts_of(ax, "tasks")
    areas = marks.get_sizes()
    weights = np.array([task.weight for task in analysis.tasks])[::-1]
    assert areas[1:] / areas.sum() == pytest.approx(weights[1:] / weights.sum(), rel=0.05)
    assert areas[1:] / areas[3] == pytest.approx(weights[1:] / weights[3])
    assert areas[0] > 1000 * weights[0] / weights[3] * areas[3]
    without = drawn(analysis_of([0.1], [0.01])).findobj(PathCollection)
    assert areas[3] == pytest.approx(without[0].get_sizes()[0], rel=0.05)


def test_whiskers_are_the_intervals_unless_cut() -> None:
    analysis = WORLDS["cut"][0]
    ax = drawn(analysis)
    low, high = ax.get_xlim()
    ends = [[task.low, task.high] for task in analysis.tasks]
    assert lengths(ax, "whisker") == [*ends[:-1], [low, high]]
    assert -1 < low < min(0, *(end[0] for end in ends[:-1]))
    assert max(end[1] for end in ends[:-1]) < high < 1
    assert [arrow.get_offsets()[0, 0] for arrow in parts_of(ax, "arrow")] == [low, high]
    assert [len(caps.get_segments()) for caps in parts_of(ax, "caps")] == [2, 2, 2, 2, 0]
    assert row_of(ax, "task 5")[-1] == "[−3.700, 4.300]"
    assert "arrows: the interval goes on beyond the axis" in said(ax)


def test_nothing_is_cut_without_need(gallery: dict[str, Axes]) -> None:
    for name, ax in gallery.items():
        arrows = any("arrows" in text for text in said(ax))
        assert bool(parts_of(ax, "arrow")) == arrows == (name == "cut")


def test_a_summary_that_is_far_too_wide_is_cut_off() -> None:
    analysis = random_analysis(5)
    ax = drawn(replace(analysis, summary=replace(analysis.summary, low=-30, high=math.inf)))
    low, high = ax.get_xlim()
    assert -3 < low < high < 3
    assert [arrow.get_offsets()[0, 0] for arrow in parts_of(ax, "arrow")] == [low, high]
    (diamond,) = parts_of(ax, "summary")
    assert diamond.get_xy()[0, 0] == -30
    assert diamond.get_clip_on()
    assert row_of(ax, "Summary")[-1] == "[−30.000, ∞]"


def test_an_effect_far_from_all_others_is_on_the_axis_and_its_interval_is_cut() -> None:
    ax = drawn(analysis_of([0.01, 0.02, 0.03, 0.02, 50], [0.02] * 4 + [100]))
    (marks,) = parts_of(ax, "tasks")
    assert len(marks.get_offsets()) == 5
    assert 50 < ax.get_xlim()[1] < 60
    assert len(parts_of(ax, "arrow")) == 2
    assert row_of(ax, "task 5")[-2] == "50.000"


@pytest.mark.parametrize(("confidence", "heading"), [(0.95, "95% CI"), (0.9, "90% CI"), (0.999, "99.9% CI")])
def test_headings_say_the_confidence(confidence: float, heading: str) -> None:
    ax = drawn(random_analysis(3, confidence=confidence))
    assert row_of(ax, "Task") == ["Task", "n", "Weight", "MD", heading]
    assert f"{heading[:-3]} prediction interval" in said(ax)


def test_columns_are_as_asked_for() -> None:
    analysis = random_analysis(7, names=NAMES, beside=(JUDGED,))
    ax = drawn(analysis, left="J@10", right=["p", ("seeds", {"Antique": 3}), "n"])
    assert row_of(ax, "Task") == ["Task", "J@10", "p", "seeds", "n"]
    assert row_of(ax, "NFCorpus") == ["NFCorpus", "0.50 → 0.62", "0.031", "100"]
    assert row_of(ax, "DBPedia Entity")[1] == "0.50 → –"
    assert row_of(ax, "Antique")[-2:] == ["3", "600"]
    assert row_of(ax, "Summary") == ["Summary", "0.010", "2,800"]
    usual = drawn(analysis)
    assert row_of(usual, "Task") == ["Task", "n", "J@10", "Weight", "MD", "95% CI"]
    means = drawn(analysis_of([0.25], [0.1]), left=["means", "control", "treatment"], right=[])
    assert row_of(means, "Task") == ["Task", "BERT → DistilBERT", "BERT", "DistilBERT"]
    assert row_of(means, "task 1") == ["task 1", "0.50 → 0.75", "0.50", "0.75"]
    assert row_of(drawn(analysis_of([0.25], [0.1], treatment="t" * 30), left=["means"]), "Task")[1] == (
        "Control → Treatment"
    )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"left": ["wieght"]}, LabelError, "there is no column 'wieght'; did you mean 'weight'"),
        ({"right": ["J@1"]}, LabelError, "there is no column 'J@1'; did you mean 'J@10'"),
        ({"right": [("seeds", {"Antiqe": 3})]}, LabelError, "there is no task 'Antiqe'; did you mean 'Antique'"),
        ({"right": [("seeds", [1, 2])]}, InputError, "column 'seeds' has 2 texts for 7 tasks; give one for each"),
        ({"sort": "efect"}, LabelError, "there is no order of tasks 'efect'; did you mean 'effect'"),
        ({"digits": -1}, InputError, "digits is -1; it must be a whole number of decimals"),
        ({"digits": 1.5}, InputError, r"digits is 1\.5; it must be a whole number of decimals"),
    ],
)
def test_what_is_not_there_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        plots.forest(random_analysis(7, names=NAMES, beside=(JUDGED,)), **options)


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        (None, "zebra ape cat dog"),
        ("name", "ape cat dog zebra"),
        ("effect", "dog cat zebra ape"),
        ("weight", "ape dog cat zebra"),
        ("n", "dog cat ape zebra"),
    ],
)
def test_tasks_are_in_order(sort: str | None, order: str) -> None:
    names = ["zebra", "ape", "cat", "dog"]
    analysis = analysis_of([0.1, -0.2, 0.3, 0.4], [0.4, 0.1, 0.3, 0.2], names=names)
    assert order_of(drawn(analysis, sort=sort, prediction=False)) == ["Task", *order.split(), "Summary"]
    groups = dict(zip(names, ["wild", "wild", "pet", None], strict=True))
    grouped = order_of(
        drawn(
            analysis_of([0.1, -0.2, 0.3, 0.4], [0.4, 0.1, 0.3, 0.2], names=names, groups=list(groups.values())),
            sort=sort,
        )
    )
    wild = [name for name in order.split() if groups[name] == "wild"]
    assert [label for label in grouped if not label.startswith("Together")] == [
        *("Task", "wild", *wild, "pet", "cat", "no group", "dog", "Summary", "95% prediction interval")
    ]


def test_groups_have_headings_and_summaries(gallery: dict[str, Axes]) -> None:
    ax = gallery["groups"]
    assert {"Questions", "Together, I² = 79%"} <= set(said(ax))
    bold = {text.get_text() for text in ax.texts if text.get_fontweight() == "bold"}
    assert {"Questions", "Inference, which is a long heading", "Summary", "Task"} <= bold
    weights = [float(text.split("%")[0]) for text in said(ax) if text.endswith("%") and "=" not in text]
    assert sum(weights) == pytest.approx(300, abs=2), "tasks, groups and the summary are 100% each"
    between = drawn(random_analysis(4, groups=["a", "a", "b", "b"], between_q=4.21, between_p=0.04))
    assert "between groups: Q = 4.2 (1 df, p = 0.040)" in said(between)


def test_remarks_say_how_tasks_differ_and_are_pooled(gallery: dict[str, Axes]) -> None:
    assert "τ² = 0.00040 (0.00010 to 0.0020), I² = 79%, Q = 29.0 (2 df, p < 0.001)" in said(gallery["three tasks"])
    assert "random effects, REML, Knapp–Hartung (plain)" in said(gallery["three tasks"])
    assert any("τ² (log scale) =" in text for text in said(gallery["odds ratios"]))
    alone = said(gallery["one task"])
    assert not any("Q =" in text or "effects" in text for text in alone)


def test_sides_are_named_where_they_mean_something(gallery: dict[str, Axes]) -> None:
    assert {"← favours BERT", "favours DistilBERT →"} <= set(said(gallery["three tasks"]))
    assert {"← favours control", "favours treatment →"} <= set(said(gallery["long labels"]))
    names = next(text for text in said(gallery["long labels"]) if text.startswith("control: "))
    assert names.split()[1][:20] == WORLDS["long labels"][0].control[:20]
    for ax in (gallery["correlations"], drawn(analysis_of([1], [1], kind="given", control="", treatment=""))):
        assert not any("favours" in text for text in said(ax))


def test_ratios_have_a_logarithmic_axis(gallery: dict[str, Axes]) -> None:
    for name in ("odds ratios", "wide odds ratios"):
        ax = gallery[name]
        assert ax.get_xscale() == "log"
        assert 1 in ax.get_xticks()
        (line,) = parts_of(ax, "null")
        assert list(line.get_xdata()) == [1, 1]
        assert row_of(ax, "Task")[-2] == "OR"
    assert row_of(gallery["wide odds ratios"], "task 1")[-2:] == ["0.00012", "[0.000017, 0.00091]"]
    assert "1,000" in [label.get_text() for label in gallery["wide odds ratios"].get_xticklabels()]
    assert gallery["three tasks"].get_xscale() == "linear"


def test_decimals_follow_the_shortest_interval() -> None:
    shown = [row_of(drawn(analysis_of([0.1, -0.2], [spread, 0.4])), "task 2")[-2] for spread in (0.3, 0.003, 1e-9)]
    assert shown == ["−0.20", "−0.200", "−0.2000"]
    assert row_of(drawn(analysis_of([0.1, -0.2], [0.3, 0.4]), digits=1), "task 2")[-2:] == ["−0.2", "[−1.0, 0.6]"]
    tiny = drawn(WORLDS["tiny"][0])
    assert row_of(tiny, "task 1")[-2:] == ["1.00×10⁻⁷", "[4.00×10⁻⁸, 1.60×10⁻⁷]"]
    assert {"0", "2e−07"} <= {label.get_text() for label in tiny.get_xticklabels()}


def test_a_title_of_two_lines_is_there_from_beginning_to_end() -> None:
    title = " ".join(f"word{k}" for k in range(30))
    lines = [text for text in said(drawn(random_analysis(3), title=title)) if text.startswith("word")]
    assert " ".join(reversed(lines)) == title


def test_what_does_not_exist_is_a_dash() -> None:
    nothing = TaskEffect(task="nothing", n=3, effect=nan, variance=nan, low=nan, high=nan, p=nan, weight=nan)
    tasks = (
        replace(nothing, task="no interval", n=None, effect=0.2),
        nothing,
        replace(nothing, task="half", effect=0.1, high=0.3),
        replace(nothing, task="endless", effect=0.1, low=-math.inf, high=math.inf, weight=1.0),
    )
    summary = replace(NOTHING, k=4, effect=0.1)
    ax = drawn(MetaAnalysis("a", "b", "md", "fixed", "normal", 0.95, tasks, summary), left=["n", "means"])
    assert row_of(ax, "no interval") == ["no interval", "–", "– → –", "–", "0.20", "–"]
    assert row_of(ax, "nothing") == ["nothing", "3", "– → –", *"–––"]
    assert row_of(ax, "half")[-2:] == ["0.10", "[–, 0.30]"]
    assert row_of(ax, "endless")[-2:] == ["0.10", "[−∞, ∞]"]
    assert len(parts_of(ax, "arrow")) == 2
    assert "fixed effect, normal intervals" in said(ax)


def test_axes_that_are_given_are_drawn_on() -> None:
    figure = Figure(figsize=(12, 4))
    other, ax = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.1, right=0.75, wspace=1.5)
    assert drawn(random_analysis(3), ax=ax, title="Three") is ax
    assert figure.axes == [other, ax]
    assert not other.has_data()
    texts = [text for text in words(ax) if text in ax.texts]
    assert overlapping(texts) == []
    sides = np.array([(text.get_position()[0] < 0, text.get_position()[0] > 1) for text in texts])
    assert {text.get_text() for text, right in zip(texts, sides[:, 1], strict=True) if right} >= {"Weight", "95% CI"}
    assert {text.get_text() for text, left in zip(texts, sides[:, 0], strict=True) if left} >= {"task 1", "Three"}


def test_names_are_drawn_as_they_are() -> None:
    names = ["$x^2$", "two\nlines", "%d {}"]
    ax = drawn(random_analysis(3, names=names), title="$x$", label="$y$", left=[("$z$", ["$1$", "b", "c"])])
    assert {"$x^2$", r"two\nlines", "%d {}", "$x$", "$y$", "$z$", "$1$"} <= set(said(ax))
    assert not any(text.get_parse_math() for text in words(ax))


numbers = st.floats(-1e9, 1e9).map(lambda number: float(f"{number:.6g}"))


@given(st.lists(st.tuples(numbers, numbers, numbers).map(sorted), min_size=1, max_size=8), st.integers(-30, 30))
def test_the_axis_holds_no_effect_and_scales_with_the_units(triples: list[list[float]], power: int) -> None:
    def ends(scale: float) -> tuple[float, float]:
        rows = [Row("task", "", (0,), scale * b, scale * a, scale * c) for a, b, c in triples]
        return limits([*rows, Row("prediction", "", low=-scale, high=scale)], 0.0, log=False)

    low, high = ends(1.0)
    assert low < 0 < high
    assert ends(2.0**power) == (low * 2.0**power, high * 2.0**power)


def test_the_axis_holds_the_effects_of_tasks_of_different_scales_and_cuts_long_intervals() -> None:
    rows = [Row("task", "", (0,), effect / 100, effect / 100 - 0.01, effect / 100 + 0.01) for effect in range(9)]
    far = [Row("task", "", (0,), 30.0, -200.0, 260.0), Row("summary", "", (), 6.0, -2.0, 14.0)]
    low, high = limits([*rows, *far], 0.0, log=False)
    assert -9 < low < 0
    assert 30 < high < 40


@given(st.floats(0.001, 1e6), st.floats(0.001, 1e6), st.booleans(), st.integers(1, 9))
def test_ticks_are_few_and_none_is_no_effect(below: float, above: float, log: bool, most: int) -> None:
    low, high = (1 / (1 + below), 1 + above) if log else (-below, above)
    values, labels = ticks(low, high, log=log, fits=lambda values, _: len(values) <= most)
    assert any(math.isclose(value, float(log), abs_tol=1e-9) for value in values)
    assert len(values) <= max(most, 3)
    assert len(set(labels)) == len(labels)
    assert all(low <= value <= high for value in values)


def rising(k: int, seed: int = 0, *, kind: Any = "given", **options: Any) -> podium.MetaAnalysis:
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
    ax = draw(getattr(plots, name)(rising(k)))
    texts = words(ax)
    assert overlapping(texts) == []
    width, height = figure_of(ax).canvas.get_width_height()
    ends = boxes(texts)
    assert (ends[:, :2] >= 0).all()
    assert (ends[:, 2] <= width).all()
    assert (ends[:, 3] <= height).all()


@pytest.mark.parametrize("k", [3, 12, 500])
def test_points_are_squared_residuals_and_moves(k: int) -> None:
    analysis = rising(k)
    ax = plots.baujat(analysis)
    points = np.concatenate([np.asarray(part(ax, name).get_xydata()) for name in ("other", "influential")])
    order = np.argsort([bool(task.influential) for task in analysis.tasks], kind="stable")
    tasks = [analysis.tasks[row] for row in order]
    assert_allclose(points, [(task.pearson**2, task.shift**2) for task in tasks])
    assert len(np.asarray(part(ax, "influential").get_xdata())) == sum(bool(task.influential) for task in tasks)


def test_who_is_farthest_out_is_named() -> None:
    analysis = rising(60)
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
    analysis = rising(12, interval=interval)
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
    ax = plots.bubble(rising(8, kind=kind))
    plain = plots.bubble(rising(8))
    assert ax.get_ylabel().endswith(words_of_axis)
    assert_allclose(np.asarray(part(ax, "line").get_ydata()), np.asarray(part(plain, "line").get_ydata()))


def test_a_moderator_of_numbers_is_needed() -> None:
    with pytest.raises(MethodError, match="no moderator of numbers to draw"):
        plots.bubble(podium.pool([0.1, 0.2, 0.4], [0.01] * 3))
    groups = podium.pool([0.1, 0.2, 0.4], [0.01] * 3, moderators={"where": ["a", "b", "a"]})
    with pytest.raises(MethodError, match=r"moderators= \(--moderator\)"):
        plots.bubble(groups)
    with pytest.raises(LabelError, match="no moderator of numbers 'sise'; did you mean 'size'"):
        plots.bubble(rising(5), moderator="sise")


@pytest.mark.parametrize("name", ["baujat", "bubble"])
def test_axes_that_are_given_to_points_are_drawn_on(name: str) -> None:
    left, right = Figure(figsize=(9, 3)).subplots(1, 2)
    assert getattr(plots, name)(rising(6), ax=right) is right
    assert not left.has_data()
    assert right.has_data()


def test_many_systems_have_a_row_each_on_these_tasks_and_on_others() -> None:
    scores = podium.simulate.gumbel(4, 6, 60, dispersion=0.5, rng=0).scores
    found = podium.compare_all(scores, control="system 1")
    assert isinstance(found, podium.Comparisons)
    ax = draw(found.plot("forest", sort="name").axes)  # type: ignore[arg-type]  # one
    names = [one.treatment for one in found.analyses]
    assert order_of(ax) == ["System", "These tasks", *sorted(names), "Tasks like these", *sorted(names)]
    squares = parts_of(ax, "tasks")[0].get_offsets()[:, 0]
    by_name = sorted(found.analyses, key=lambda one: one.treatment)
    suites = [one.suite.effect for one in by_name if one.suite is not None]
    assert_allclose(squares, [*suites, *(one.summary.effect for one in by_name)])
    ends = [[one.suite.low, one.suite.high] for one in by_name if one.suite is not None]
    assert_allclose(lengths(ax, "whisker"), [*ends, *([one.summary.low, one.summary.high] for one in by_name)])
    assert {"← favours system 1", "favours the other →"} <= set(said(ax))
    assert overlapping(words(ax)) == []
    for name in ("baujat", "bubble"):
        with pytest.raises(LabelError, match=f"no figure of this comparisons '{name}'"):
            found.plot(name)


def test_one_score_per_task_is_a_square_without_an_interval_above_their_mean() -> None:
    drawn_scores = podium.simulate.gumbel(3, 8, 1, dispersion=1.0, rng=0).scores
    two = podium.compare_task_scores(drawn_scores, control="system 1", treatment="system 2", rope=0.1)
    ax = draw(two.plot("forest", sort="effect").axes)  # type: ignore[arg-type]  # one
    (only,) = two.treatments
    differences = sorted((task.difference for task in only.tasks), reverse=True)
    assert_allclose(parts_of(ax, "tasks")[0].get_offsets()[:, 0], differences)
    assert parts_of(ax, "whisker") == []
    (diamond,) = parts_of(ax, "summary")
    corners = diamond.get_xy()[:, 0]
    assert_allclose([corners.min(), corners.max(), corners[1]], [only.low, only.high, only.mean])
    assert "on average 1.70 better, 95% CI 0.38 to 3.01" in " ".join(said(ax))
    every = podium.compare_task_scores(drawn_scores, control="system 1", rope=0.1)
    assert order_of(draw(plots.forest(every))) == ["System", *(one.treatment for one in every.treatments)]
    scales = {task.name: task.values * 1000**k for k, task in enumerate(drawn_scores.tasks)}
    with pytest.raises(MethodError, match=r"tasks may differ in scale, .*; if they do not, give a rope \(--rope\)"):
        plots.forest(podium.compare_task_scores(podium.from_arrays(scales), control="system 1", treatment="system 2"))


def test_a_narrow_picture_leaves_out_columns_until_axes_have_room() -> None:
    analysis = podium.pool([0.1, 0.2, 0.3], [0.01] * 3, n=[50, 60, 70])

    def headings(**options: Any) -> list[str]:
        axes = analysis.plot("forest", font=8, **options).axes
        assert isinstance(axes, Axes)
        return row_of(draw(axes), "Task")

    whole = headings()
    assert whole[-3:] == ["Weight", "Effect", "95% CI"]
    assert headings(width="4.6in") == [name for name in whole if name != "Weight"]
    assert headings(width="3.3in") == ["Task", "Effect"]
    assert headings(width="4.6in", right=["ci"]) == [*whole[:-3], "95% CI"]  # what is asked for is there
