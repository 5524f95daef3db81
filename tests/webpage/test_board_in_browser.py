"""The board in a real Chromium under a pointer, while answers are awaited, and on paper."""

import re
from typing import Any

import numpy as np
import pytest

import podium
from support.browser import in_chromium

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

#: Far more than have room on a screen, or on a page of paper.
N_SYSTEMS = 200


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a board shows whose workers answer late."""
    folder = tmp_path_factory.mktemp("board")
    rng = np.random.default_rng(1)
    skill = np.linspace(0.8, 0.2, N_SYSTEMS) + rng.normal(0, 0.08, N_SYSTEMS)
    solved = {f"task {at}, HotpotQA": (rng.random((N_SYSTEMS, 30)) < skill[:, None]).astype(float) for at in range(12)}
    podium.page(podium.from_arrays(solved), n_resamples=40).save(folder / "board.html")
    found = in_chromium("try-board.js", folder / "board.html", folder, SLOW="900")
    assert found["errors"] == []
    return found | {"pages": (folder / "board.pdf").read_bytes()}


def test_no_interval_of_other_weights_is_said(seen: Any) -> None:
    for name in ("before", "after"):
        assert "may be as good" in seen[name]["sentence"]
        assert seen[name]["best"] > 1
        assert all(", between " in row for row in seen[name]["rows"])
    waiting = seen["waiting"]
    assert re.match(r"system \d+ is first\.", waiting["sentence"])
    assert waiting["best"] == 0
    assert not any("between" in row for row in waiting["rows"])
    ranks = [re.sub(", between [0-9]+ and [0-9]+", "", row) for row in seen["after"]["rows"]]
    assert waiting["rows"] == ranks, "ranks do not wait"


def test_axe_finds_nothing_while_weightings_are_counted_and_in_an_open_card(seen: Any) -> None:
    assert (seen["counting"], seen["card"]) == ([], [])


def test_tiers_are_reached_by_their_numbers_and_the_axis_has_the_ranks_that_are_seen(seen: Any) -> None:
    below, tier = seen["reached"]
    assert (0 <= below < 800, tier) == (True, "2")
    for axis, first in zip(seen["axis"], (1, 2), strict=True):
        ticks = axis.split()
        assert ticks[-2:] == ["of", str(N_SYSTEMS)]
        assert int(ticks[0]) >= first
        assert int(ticks[-3]) - int(ticks[0]) < N_SYSTEMS // 2


def test_a_wish_that_takes_long_is_seen_to_be_looked_for(seen: Any) -> None:
    assert (seen["looking"], seen["done"]) == ("Looking for the nearest weights", 0)


def test_two_clicks_on_a_weight_mute_it_and_bring_it_back(seen: Any) -> None:
    assert seen["double"] == [[weight, 0] for weight in (0, 0, 1, 1) * 2], "and nothing is left to type in"


def test_what_is_typed_takes_the_place_of_a_weight_or_is_refused_with_a_sentence(seen: Any) -> None:
    refused = ["A weight is 0 or more. It stays 0.5.", "“x” is no number. It stays 0.5."]
    assert seen["typed"] == [[2], [0.5], *([0.5, why] for why in refused), [12.5]]


def test_steps_lead_back_and_forth(seen: Any) -> None:
    before, dragged, by_mean = seen["steps"]
    assert seen["dragged"] == before, "what is dragged is no step before it is let go"
    assert by_mean == f"{dragged}&m=mean"
    moved = seen["undone"][0][2]
    assert moved > 1
    assert seen["undone"] == [
        ["back", dragged, moved],
        ["back", before, 1],
        ["forward", dragged, moved],
        ["forward", by_mean, moved],
        ["back", dragged, moved],
    ]


def test_names_of_tasks_meet_the_pointer_all_along(seen: Any) -> None:
    assert seen["names"] == [True] * 12


def test_paper_has_all_rows(seen: Any) -> None:
    places = [[row[0], row[1], row[2]] for row in seen["paper"]]
    assert places == [[str(at + 1), "relative", "none"] for at in range(N_SYSTEMS)]
    tops = [row[3] for row in seen["paper"]]
    assert np.all(np.diff(tops) > 0), "one below the other, so that pages break between them"
    assert seen["onPaper"] == ["table-header-group", "avoid"]
    assert len(re.findall(rb"/Type\s*/Page\b", seen["pages"])) > 2
    assert seen["screen"] < N_SYSTEMS, "and the screen again those in view"
