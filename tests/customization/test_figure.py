"""Pictures of leaderboards weighted by difficulty: every number where it belongs, and every oddity drawn or refused."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import podium
from podium import plots
from podium.customization.result import Customized
from podium.errors import MethodError
from support.pictures import check_texts, draw, overlapping, parts_of, said, words
from support.weighted import answers, customized_of, world

PICTURES = {"parallel": plots.parallel, "moves": plots.moves, "difficulty": plots.difficulty}

nan = np.nan


def holed() -> Customized:
    """One system without any answer, one without any to what is easy."""
    right, bias = answers(6)
    right[2], right[4, bias > 0.6] = nan, nan
    return customized_of(right, bias, splits=4)


def unsure(n_systems: int, **options: Any) -> Customized:
    """Every system with confidences of its own."""
    right, _ = answers(n_systems)
    return customized_of(right, np.random.default_rng(0).random(right.shape), **options)


def renamed(customized: Customized, names: list[str], by: str) -> Customized:
    splits = tuple(replace(split, name=name) for split, name in zip(customized.splits, names, strict=True))
    return replace(customized, splits=splits, by=by)


NAMES = ["a" * 90, "b" * 60, "中文系统", "$x^2$", "two\nlines"]
TIES = np.repeat([1.0, 0.5, 0.0], [200, 50, 150]).astype(np.float64)
THRESHOLDS = [0.1, 0.3, 0.321, 0.329, 0.5, 0.999]

WORLDS: dict[str, Customized] = {
    "four": world(4, confidence_level=0.9),
    "ten": world(10),
    "a hundred": world(100),
    "one": world(1),
    "two, of whom one has all right": customized_of(np.eye(2)[[0, 1]].repeat(20, 1)[:, :20], np.arange(20.0), splits=2),
    "one split": world(5, splits=1),
    "two splits": world(5, splits=2),
    "fifty splits": world(13, splits=50),
    "an empty split": world(5, splits=podium.Splitting(THRESHOLDS)),
    "holes": holed(),
    "long names": world(5, names=NAMES),
    "named splits": renamed(world(5, splits=3), ["short", "of a length " * 4, "other"], "manual"),
    "equal scores": customized_of(np.ones((14, 40)), np.arange(40.0), splits=4),
    "nothing right": customized_of(
        np.zeros((3, 40)), np.arange(40.0), splits=4, split_weights=podium.Weighting(penalty=0)
    ),
    "one difficulty": customized_of(answers(4)[0], np.full(400, 0.5), splits=4),
    "three difficulties": customized_of(answers(4)[0], TIES, splits=7),
    "large difficulties": customized_of(answers(4)[0], np.arange(400.0) ** 3, splits=7, hard="high"),
    "tiny difficulties": customized_of(answers(4)[0], np.arange(400.0) * 1e-12, splits=7, hard="high"),
    "below zero": customized_of(answers(4)[0], np.arange(400.0) / 64 - 3, splits=12, hard="high"),
    "harsh": world(4, split_weights=podium.Weighting(penalty=-7)),
    "at random": world(4, splits=podium.Splitting(by="random")),
    "continuous": customized_of(*answers(4), split_weights=podium.Weighting(case=7)),
    "own": unsure(4),
}


def drawn(picture: str, customized: Customized) -> Axes:
    return draw(PICTURES[picture](customized))


@cache
def gallery(picture: str, name: str) -> Axes:
    """Every picture, drawn once."""
    return drawn(picture, WORLDS[name])


def cases() -> list[tuple[str, str]]:
    return [(picture, name) for picture in PICTURES for name in WORLDS if (picture, name) != ("difficulty", "own")]


@pytest.mark.parametrize(("picture", "name"), cases())
def test_all_texts_are_whole_and_apart(picture: str, name: str) -> None:
    check_texts(gallery(picture, name))


@pytest.mark.parametrize("name", ["four", "a hundred", "holes", "fifty splits", "equal scores"])
def test_lines_are_the_scores_of_splits(name: str) -> None:
    customized = WORLDS[name]
    ax = gallery("parallel", name)
    lines = parts_of(ax, "system")
    np.testing.assert_array_equal([line.get_ydata() for line in lines], customized.split_scores)
    styles = {(line.get_color(), line.get_linestyle()) for line in lines}
    rows = len(customized)
    assert len(styles) == rows or rows > 12
    labels = [text for text in ax.texts if text.get_text().startswith(" ")]
    assert [text.get_text().split()[-1] for text in labels] == [
        system.split()[-1] for system in customized.systems
    ] or (name == "holes")
    (zero,) = parts_of(ax, "zero")
    assert zero.get_segments()[0][:, 1].tolist() == [0, 0]


def test_names_stand_in_the_order_of_the_last_scores() -> None:
    customized = WORLDS["a hundred"]
    ax = gallery("parallel", "a hundred")
    labels = [text for text in ax.texts if text.get_text().startswith(" ")]
    heights = np.array([text.get_position()[1] for text in labels])
    last = customized.split_scores[:, -1]
    assert (np.diff(last[np.argsort(heights)]) >= -1e-9).all()


def test_of_many_the_best_and_the_unsteady_stand_out() -> None:
    customized = WORLDS["a hundred"]
    lines = parts_of(gallery("parallel", "a hundred"), "system")
    bright = [row for row, line in enumerate(lines) if str(line.get_color()).startswith("#")]
    ranks = (customized.split_scores[None] > customized.split_scores[:, None]).sum(axis=1)
    spread = np.ptp(ranks, axis=1)
    assert bright[:3] == [0, 1, 2]
    assert len(bright) == 6
    others = np.setdiff1d(np.arange(3, 100), bright)
    assert spread[bright[3:]].min() >= spread[others].max()
    greys = [float(str(lines[row].get_color())) for row in others]
    assert greys == sorted(greys)


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("ten", {"easiest", "hardest"}),
        ("own", {"least confident", "most confident"}),
        ("named splits", set()),
        ("one split", set()),
    ],
)
def test_the_ends_of_splits_are_said(name: str, ends: set[str]) -> None:
    seen = said(gallery("parallel", name))
    assert {"easiest", "hardest", "least confident", "most confident"} & set(seen) == ends


def test_splits_without_instances_are_said() -> None:
    customized = WORLDS["an empty split"]
    parallel, histogram = gallery("parallel", "an empty split"), gallery("difficulty", "an empty split")
    assert np.isnan(customized.split_scores).all(axis=0).sum() == 2
    assert said(parallel).count("empty") == 2
    assert "lines are broken where a split is empty" in said(parallel)
    assert "without instances: 1, 4" in said(histogram)


def test_systems_without_scores_are_said() -> None:
    parallel, moves = gallery("parallel", "holes"), gallery("moves", "holes")
    assert " –  system 3 (no score)" in said(parallel)
    assert "lines are broken where a system has no score in a split" in said(parallel)
    assert {"system 3  –", "not ranked"} <= set(said(moves))


@pytest.mark.parametrize("name", ["four", "ten", "a hundred", "holes"])
def test_marks_are_accuracies_and_scores_in_order_of_accuracy(name: str) -> None:
    customized = WORLDS[name]
    ax = gallery("moves", name)
    accuracy = np.sort(customized.accuracy[customized.accuracy_rank > 0])[::-1]
    shown = {line.get_label(): line for line in ax.lines}
    first = np.asarray(shown["accuracy"].get_xdata())
    np.testing.assert_allclose(first[: accuracy.size], accuracy, rtol=1e-12)
    assert np.isnan(first[accuracy.size :]).all()
    by_name = {label.get_text().rsplit("  ", 1)[0]: row for row, label in enumerate(ax.get_yticklabels())}
    for label, sign in (("rank kept", 0), ("moved up", 1), ("moved down", -1)):
        line = shown[f"weighted score, {label}"]
        among = (np.sign(customized.rank_change) == sign) & (customized.ranking.rank > 0)
        wanted = [
            (customized.ranking.score[place], by_name[customized.systems[place]]) for place in np.flatnonzero(among)
        ]
        found = zip(np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist(), strict=True)
        assert sorted(found) == sorted(wanted)


def test_changes_of_rank_are_written() -> None:
    customized = WORLDS["ten"]
    ax = gallery("moves", "ten")
    rows = [label.get_text().rsplit("  ", 1)[0] for label in ax.get_yticklabels()]
    arrows = {text.get_position()[1]: text.get_text() for text in ax.texts if text.get_text()[0] in "▲▼="}
    for system, change in zip(customized.systems, customized.rank_change.tolist(), strict=True):
        arrow = f"▲{change}" if change > 0 else f"▼{-change}" if change else "="
        assert arrows[rows.index(system)] == arrow
    assert len(set(arrows.values())) > 2


def test_bars_are_the_intervals() -> None:
    customized = WORLDS["four"]
    intervals = customized.ranking.intervals
    assert intervals is not None
    ax = gallery("moves", "four")
    (bars,) = parts_of(ax, "interval")
    assert isinstance(bars, LineCollection)
    ends = {tuple(segment[:, 0]) for segment in bars.get_segments()}
    assert ends == set(zip(intervals.score_low, intervals.score_high, strict=True))
    assert "bars: 90% intervals of the weighted score" in said(ax)
    assert parts_of(gallery("moves", "ten"), "interval") == []


@pytest.mark.parametrize("name", ["ten", "three difficulties", "large difficulties", "below zero", "one difficulty"])
def test_all_instances_are_counted(name: str) -> None:
    customized = WORLDS[name]
    assert customized.values is not None
    ax = gallery("difficulty", name)
    bars = [patch for patch in ax.patches if patch.get_zorder() == 2]
    assert sum(bar.get_height() for bar in bars) == customized.values.size  # type: ignore[attr-defined]
    low, high = sorted(ax.get_xlim())
    assert low <= customized.values.min() <= customized.values.max() <= high
    assert (ax.get_xlim()[0] > ax.get_xlim()[1]) == (customized.hard == "low")


def test_boundaries_part_the_instances_and_are_dashed_inside_ties() -> None:
    ax = gallery("difficulty", "three difficulties")
    lines = parts_of(ax, "boundary")
    # of 400 instances in sevenths, 200 at 1, 50 at 0.5 and 150 at 0, all boundaries lie inside ties
    assert [float(np.asarray(line.get_xdata())[0]) for line in lines] == [1.0, 0.5, 0.0]
    assert all(line.get_linestyle() == "--" for line in lines)
    values = np.arange(20.0)
    ax = draw(plots.difficulty(customized_of(answers(3, 20)[0], values, splits=4, hard="high")))
    lines = parts_of(ax, "boundary")
    assert [float(np.asarray(line.get_xdata())[0]) for line in lines] == [4.5, 9.5, 14.5]
    assert all(line.get_linestyle() == "-" for line in lines)
    assert not any(text.startswith("dashed") for text in said(ax))


def test_splits_that_are_no_ranges_are_not_drawn() -> None:
    ax = gallery("difficulty", "at random")
    assert parts_of(ax, "boundary") == []
    assert "the ranges of these splits overlap, so they are not drawn" in said(ax)


def test_difficulties_of_every_system_have_no_histogram() -> None:
    with pytest.raises(MethodError, match=r"its own values of 'confidence'.*one value for each instance"):
        plots.difficulty(WORLDS["own"])


@pytest.mark.parametrize("picture", PICTURES)
def test_small_axes_are_drawn_on(picture: str) -> None:
    figure = Figure(figsize=(9, 3))
    left, right = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.1, right=0.8, bottom=0.35, top=0.8, wspace=0.8)
    assert PICTURES[picture](WORLDS["fifty splits"], ax=right) is right
    assert not left.has_data()
    draw(right)
    figure.delaxes(left)
    assert overlapping(words(right)) == []
