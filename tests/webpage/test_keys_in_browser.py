"""A page by the keyboard alone, in low windows, and as a file that is damaged or not whole."""

from pathlib import Path

import numpy as np
import pytest

import podium
from support.browser import in_chromium, needs_chromium

pytestmark = [needs_chromium, pytest.mark.usefixtures("browser"), pytest.mark.whole]

CANNOT = "This page cannot be shown. If the file is damaged or was cut short, copy or download it again."


@pytest.fixture
def page(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    scores = {f"t{task}": rng.random((15, 30)) + np.arange(15)[:, None] / 15 for task in range(40)}
    podium.page(podium.from_arrays(scores), n_resamples=40).save(tmp_path / "board.html")
    return tmp_path / "board.html"


def test_a_link_leads_to_the_rows_and_weights_are_one_stop(page: Path) -> None:
    found = in_chromium("read-keys.js", page, "Tab", "Enter", "ArrowDown", "Shift+Tab", "Shift+Tab", "Shift+Tab")
    assert found["focus"][0] == "Skip to the content"
    assert [one.partition(",")[0] for one in found["focus"][1:3]] == ["Rank 1", "Rank 2"]
    assert "weight of t0" in found["focus"][3:]
    back = 3 + found["focus"][3:].index("weight of t0") + 1
    first = ["Tab", "Enter", "ArrowDown", *["Shift+Tab"] * (back - 3)]
    keys = [*first, *["ArrowRight"] * 41, "ArrowUp", "ArrowLeft"]
    found = in_chromium("read-keys.js", page, *keys)
    assert found["focus"][-1] == "weight of t38"
    assert found["focus"][-3] == "weight of t39", "also where it has to be scrolled to"
    assert found["address"] == "#w=t39:1.25"


@pytest.mark.parametrize(("width", "height"), [(720, 450), (390, 844)])
def test_ten_rows_are_seen_on_a_phone_and_at_twice_the_size(page: Path, width: int, height: int) -> None:
    assert in_chromium("read-keys.js", page, WIDTH=str(width), HEIGHT=str(height))["rows"] >= 10


@pytest.mark.parametrize("share", [0.05, 0.5, 0.999])
def test_a_file_that_is_cut_says_so(page: Path, share: float) -> None:
    whole = page.read_bytes()
    page.write_bytes(whole[: int(share * len(whole))])
    assert CANNOT in in_chromium("read-keys.js", page)["text"]


@pytest.mark.parametrize(("part", "said"), [('data-code="script">', CANNOT), ('id="podium-data">', "data are damaged")])
def test_a_file_with_a_damaged_part_says_so(page: Path, part: str, said: str) -> None:
    before, mark, behind = page.read_text("utf-8").partition(part)
    page.write_text(before + mark + behind[:200] + "A" * 40 + behind[240:], "utf-8")
    assert said in in_chromium("read-keys.js", page)["text"]
