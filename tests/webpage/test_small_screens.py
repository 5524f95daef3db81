"""Pages on the screens of phones: nothing is cut, ranks keep their intervals, weights stand beside the board."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from support.browser import in_chromium

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

#: Two that differ in a space only, and one that is longer than a phone is wide.
SYSTEMS = ["a  b", "a b", "Some University | a language model with a very long name, large, tuned, v2", "d", "e"]


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    rng = np.random.default_rng(3)
    solved = {
        f"task {task}, named at some length": (rng.random((5, 60)) < np.linspace(0.65, 0.45, 5)[:, None]).astype(float)
        for task in range(8)
    }
    file = tmp_path_factory.mktemp("page") / "board.html"
    scores = podium.from_arrays(solved, systems=SYSTEMS)
    title = "A table whose name is longer than the screen of a phone is wide"
    robustness = podium.stress(scores, repeats=2)
    difficulty = podium.failures(scores)
    # many steps; two systems come late, and one leaves
    early = {name: values[[0, 1, 2, 4]] for name, values in solved.items()}
    before = podium.from_arrays(early, systems=[*SYSTEMS[:3], "f: another name, which is long"])
    history = podium.history({f"version {at} of many": before if at < 30 else scores for at in range(32)})
    podium.page(
        scores,
        title=title,
        n_resamples=40,
        instances=True,
        robustness=robustness,
        history=history,
        difficulty=difficulty,
    ).save(file)
    return measured(file, "360,390,768,1280")


def measured(file: Path, widths: str) -> list[Any]:
    found: list[Any] = in_chromium("measure-page.js", file, widths)
    return found


def test_no_view_is_wider_than_the_screen_and_axe_finds_nothing(screens: list[Any]) -> None:
    assert [screen["width"] for screen in screens] == [360, 390, 768, 1280]
    for screen in screens:
        assert len(screen["views"]) == 7
        for view in screen["views"]:
            assert view["wide"] <= screen["width"], (screen["width"], view)
            assert view["axe"] == [], (screen["width"], view)


def test_what_is_touched_is_large_enough_on_phones(screens: list[Any]) -> None:
    for screen in screens:
        for view in screen["views"]:
            assert screen["width"] > 700 or view["small"] == [], (screen["width"], view["view"])


def test_no_two_texts_of_a_figure_lie_on_each_other(screens: list[Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    large = {f"task {task}": np.round(10.0 ** (4 + task) * rng.normal(5, 1, (4, 40)), 2) for task in range(4)}
    podium.page(podium.from_arrays(large), n_resamples=40, instances=True).save(tmp_path / "large.html")
    for screen in [*screens, *measured(tmp_path / "large.html", "360")]:
        for view in screen["views"]:
            if view["view"] in {"compare", "difficulty", "history"}:
                assert view["crossed"] == [], (screen["width"], view["view"])
    for screen in screens:
        compare = next(view for view in screen["views"] if view["view"] == "compare")
        assert ("Bars count" in compare["captions"]) == (screen["width"] > 1000), "only where there are bars"


def test_a_rank_and_its_interval_stay_on_screen_at_every_width(screens: list[Any]) -> None:
    for screen in screens:
        assert len(screen["rows"]) == 5
        for row in screen["rows"]:
            for part in ("rank", "name", "interval"):
                _, left, right = row[part]
                assert 0 <= left < right <= screen["width"], (screen["width"], row)
            drawn, left, right = row["interval"]
            assert drawn >= 3, "both intervals and the rank"
            assert right - left >= 100
        assert screen["width"] > 700 or screen["gap"] < 10, "no room is left empty"


def test_weights_stand_in_a_sheet_with_the_board_above(screens: list[Any]) -> None:
    for screen in screens:
        sheet = screen["sheet"]
        assert (sheet is None) == (screen["width"] > 700)
        if sheet is not None:
            assert sheet["top"] == 400
            assert sheet["above"] >= 4
            assert sheet["before"] != sheet["after"]
            assert sheet["hash"].startswith("#w=task")
            assert sheet["focus"] == "Weights"


def test_names_that_differ_in_spaces_only_look_different(screens: list[Any]) -> None:
    for screen in screens:
        widths = dict(zip([row["name"][0] for row in screen["rows"]], screen["names"], strict=True))
        assert widths["a  b"] > widths["a b"] + 2
