"""Pictures of influence: every lead where it belongs, and who is first instead."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from podium import plots
from podium.errors import MethodError
from podium.robustness.influence_result import Influence, LeaveOneOut
from support.pictures import check_texts, draw, parts_of, said
from support.robust import influence_of

LONG = tuple(f"team {index} | a model with a long name {index} of 105" for index in range(105))

nan = np.nan


def without(lead: list[float], first: list[tuple[str, ...]], names: list[str] | None = None) -> LeaveOneOut:
    units = tuple(names or [f"t{index}" for index in range(len(lead))])
    return LeaveOneOut.among(np.array(lead), units, np.array(lead), np.ones(len(lead)), tuple(first))


NAMES = ["a" * 90, "中文 $x^2$", "two\nlines"]

INFLUENCES: dict[str, Influence] = {
    "fourteen tasks": influence_of(14, systems=LONG),
    "tasks and instances": influence_of(17, 30),
    "many tasks": influence_of(40),
    "two tasks": influence_of(2),
    "instances alone": influence_of(0, 12),
    "a long leader": influence_of(3, 5, systems=LONG),
    "long names": replace(
        influence_of(systems=LONG), tasks=without([-0.1, 0.1, 0.2], [LONG[2:9], LONG[:1], LONG[:1]], NAMES)
    ),
    "shared": replace(
        influence_of(),
        leaders=("A", "B"),
        lead=0.0,
        tasks=without([-0.1, 0.0, 0.0, 0.0], [("B",), ("A", "B"), ("A", "B", "C"), ("A",)]),
    ),
    "not ranked": replace(influence_of(), tasks=without([0.01, nan], [("A",), ()])),
    "not placed": replace(influence_of(), tasks=without([-np.inf, nan, 0.01, np.inf], [("B",), (), ("A",), ("A",)])),
    "nothing changes": replace(influence_of(), tasks=without([0.04, 0.04], [("A",), ("A",)])),
    "no number": replace(influence_of(), lead=nan, tasks=without([nan, nan], [(), ()])),
}


def drawn(influence: Influence, ax: Axes | None = None) -> Axes:
    return draw(plots.influence(influence, ax=ax))


def marks(ax: Axes, kind: str) -> list[tuple[float, float]]:
    """Lead and row of every mark."""
    return [pair for line in parts_of(ax, kind) for pair in zip(line.get_xdata(), line.get_ydata(), strict=True)]


@pytest.mark.parametrize("name", INFLUENCES)
def test_all_texts_are_whole_and_apart(name: str) -> None:
    check_texts(drawn(INFLUENCES[name]))


def test_marks_are_the_leads() -> None:
    influence = INFLUENCES["fourteen tasks"]
    assert influence.tasks is not None
    ax = drawn(influence)
    leads = influence.tasks.lead.tolist()
    assert marks(ax, "lost") == [(leads[0], 0)]
    assert marks(ax, "shared") == [(leads[1], 1)]
    assert marks(ax, "kept") == list(zip(leads[2:], range(2, 14), strict=True))
    assert [label.get_text() for label in ax.get_yticklabels()] == list(influence.tasks.units)
    assert ax.get_ylim() == (13.5, -0.5), "the first row is on top"
    assert [x for x, _ in marks(ax, "lead")] == [0.04, 0.04]
    assert [x for x, _ in marks(ax, "zero")] == [0, 0]
    low, high = ax.get_xlim()
    assert low < min(leads) < max(leads) < high


def test_who_is_first_instead_is_written_where_it_changes() -> None:
    ax = drawn(INFLUENCES["tasks and instances"])
    edge = [text for text in ax.texts if text.get_position()[0] > 1 and text.get_position()[1] in range(30)]
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert {rows[int(text.get_position()[1])]: text.get_text() for text in edge} == {
        "task 1": "C",
        "task 2": "with C",
        "item 1 (task 1)": "C",
        "item 2 (task 2)": "with C",
    }
    assert rows[0] == "tasks"
    assert rows[18] == "instances"
    assert len(rows) == 1 + 17 + 1 + 10
    nothing = drawn(INFLUENCES["nothing changes"])
    assert "first without it" not in said(nothing)
    assert "lost" not in said(nothing)


def test_a_shared_place_is_kept_by_those_who_share_it() -> None:
    ax = drawn(INFLUENCES["shared"])
    assert [row for _, row in marks(ax, "lost")] == [0]
    assert [row for _, row in marks(ax, "kept")] == [1, 3]
    assert [row for _, row in marks(ax, "shared")] == [2]
    assert {"B", "with C"} <= set(said(ax))


def test_what_is_not_drawn_is_said() -> None:
    influence = INFLUENCES["many tasks"]
    assert influence.tasks is not None
    ax = drawn(influence)
    rest = influence.tasks.lead[20:]
    assert len(ax.get_yticks()) == 20
    assert f"not drawn: 20 tasks, without which the lead is {rest.min():.4f} to {rest.max():.4f}" in said(ax)
    assert not any("not drawn" in text for text in said(drawn(INFLUENCES["two tasks"])))
    assert " not ranked" in said(drawn(INFLUENCES["not ranked"]))


def test_axes_that_are_given_are_drawn_on() -> None:
    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    assert drawn(INFLUENCES["two tasks"], right) is right
    assert not left.has_data()


def test_nothing_left_out_is_no_picture() -> None:
    alone = influence_of(0, notes=("there is one task only",))
    with pytest.raises(MethodError, match="nothing to draw: there is one task only"):
        plots.influence(alone)


def test_who_cannot_be_placed_stands_at_the_edge_with_a_word() -> None:
    ax = drawn(INFLUENCES["not placed"])
    low, high = ax.get_xlim()
    assert marks(ax, "lost") == [(low, 0)]
    assert (high, 3) in marks(ax, "kept")
    assert {"leader not placed", "no other placed", "not ranked"} <= {word.strip() for word in said(ax)}


def test_what_is_not_drawn_is_told_without_what_has_no_number() -> None:
    lead = [-np.inf, nan, *np.linspace(0.1, 0.3, 30).tolist(), np.inf]
    tasks = without(lead, [("B",), (), *[("A",)] * 31])
    told = " ".join(said(drawn(replace(influence_of(), tasks=tasks)))).replace("\n", " ")
    assert "not drawn: 13 tasks, without which the lead is 0.2241 to 0.3000" in told
