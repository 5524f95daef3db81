"""Programs that look at pages run one after the other in one Chromium: each finds its own words, and may fail."""

from pathlib import Path

import pytest

import podium
from support.browser import in_chromium

pytestmark = pytest.mark.usefixtures("browser")


def test_a_program_that_fails_says_why_and_the_next_one_runs(tmp_path: Path) -> None:
    scores = podium.datasets.toy_table1()
    podium.page(scores, n_resamples=40).save(tmp_path / "board.html")
    with pytest.raises(AssertionError, match=r"ERR_FILE_NOT_FOUND.*nowhere\.html"):
        in_chromium("read-page.js", tmp_path / "nowhere.html")
    with pytest.raises(AssertionError, match=r"no-program\.js"):
        in_chromium("no-program.js")
    seen = in_chromium("read-page.js", f"{tmp_path / 'board.html'}#m=mean")
    assert (len(seen["rows"]), seen["address"]) == (len(scores.systems), "#m=mean")


def test_a_variable_is_there_for_one_program(tmp_path: Path) -> None:
    podium.page(podium.datasets.toy_table1(), n_resamples=40).save(tmp_path / "board.html")
    picture = tmp_path / "picture.png"
    in_chromium("read-view.js", f"{tmp_path / 'board.html'}#v=data", SHOT=str(picture))
    picture.unlink()
    in_chromium("read-view.js", f"{tmp_path / 'board.html'}#v=data")
    assert not picture.exists()
