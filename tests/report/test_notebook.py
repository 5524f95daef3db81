"""What a notebook shows: tables that a click sorts, bars on one scale, and nothing that labels could do."""

import re
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

import podium
from podium.report.html import interval_bars, to_fragment
from podium.report.view import Bars, Column, Table, View
from support.browser import needs_chromium, seen
from support.html import Reader

EVIL = "<img src=x onerror=alert(1)> \"'&"


def shown() -> View:
    table = Table((
        Column.words("system", ["s10", "s2", "S1", EVIL, "… 7 more"]),
        Column.numbers("score", ["1,000.5", "-3", "–", "0.25", ""]),
        Column.numbers("ranks", ["2–3", "10", "1–3", "4", ""]),
    ))  # fmt: skip
    return View(f"title {EVIL}", (table,), (EVIL,), (EVIL,), explain=(EVIL,))


def test_labels_are_text_and_nothing_is_loaded() -> None:
    reader = Reader(to_fragment(shown()))
    assert reader.said("p") == [f"title {EVIL}"]
    assert reader.said("li") == [EVIL] * 3
    assert EVIL in reader.said("th")
    assert not {"img", "script", "link", "iframe"} & {tag for tag, _ in reader.tags}
    handled = {(tag, name) for tag, attributes in reader.tags for name in attributes if name.startswith("on")}
    assert handled == {("table", "onclick")}
    assert not {name for _, attributes in reader.tags for name in attributes} & {"href", "src", "id"}
    assert reader.said("button") == ["system", "score", "ranks"]
    assert [attributes["aria-sort"] for attributes in reader.of("th") if "aria-sort" in attributes] == ["none"] * 3


def test_rows_that_stand_for_others_are_not_sorted() -> None:
    text = to_fragment(shown())
    assert "… 7 more" in text.partition("<tfoot>")[2]
    assert text.partition("<tfoot>")[0].count("<tr>") == 5
    assert "<tfoot>" not in podium.rank(podium.datasets.toy_table1())._repr_html_()


def test_bars_are_on_one_scale() -> None:
    cells = interval_bars([(0.0, 1.0, 2.0), (2.0, 3.0, 4.0), (nan, nan, nan), (-inf, 2.0, inf)])
    assert cells[2] == '<td class="number"></td>'
    (alone,) = interval_bars([(nan, 2.0, nan)])
    assert "2</title><circle" in alone
    places = [re.findall(r'M([\d.]+) 7H([\d.]+)M.*cx="([\d.]+)"', cell) for cell in cells]
    assert places[0] == [("5.0", "70.0", "37.5")]
    assert places[1] == [("70.0", "135.0", "102.5")]
    assert places[3] == [("5.0", "135.0", "70.0")]
    assert [re.findall("<title>(.*)</title>", cells[row]) for row in (1, 3)] == [["3 (2 to 4)"], ["2 (−inf to inf)"]]
    assert all("dasharray" not in cell for cell in cells)
    assert 'd="M5.0 0v14" stroke-dasharray' in interval_bars([(1.0, 2.0, 3.0)], origin=0.0)[0]
    assert interval_bars([(1.0, 1.0, 1.0)])[0].count("M70.0 7H70.0") == 1
    for cell in cells:
        Reader(cell)


def test_scores_are_shown_as_means() -> None:
    arrays = {EVIL: np.array([[1, 0, nan], [1, 1, 1]]), "wer": np.array([[0.5], [nan]])}
    scores = podium.from_arrays(arrays, systems=["A", EVIL], lower=["wer"]).with_instance_weights({EVIL: [3, 1, 1]})
    reader = Reader(scores._repr_html_())
    assert reader.said("p") == [repr(scores)]
    assert reader.said("button") == ["system", EVIL, "wer (lower is better)"]
    assert reader.said("td") == ["0.7500", "0.5000", "1.0000", "–"]
    many = podium.simulate.gumbel(40, 15, 2, dispersion=1.0, rng=0).scores._repr_html_()
    assert "… 10 more" in many
    assert "mean scores on the first 12 tasks" in many


#: Themes of notebooks: width in pixels, and the style of the page.
THEMES = {"light": (1000, "color: #222; background: #fff"), "dark": (360, "color: #ddd; background: #111")}

#: What a notebook does to tables of its own.
NOTEBOOK = """<style>
.output table { margin: 0 auto; table-layout: fixed; }
.output:not(.other) th, .output:not(.other) td { text-align: right; padding: 2em; }
.output tbody tr:nth-child(even) { background: #2196f3; }
</style>"""

#: Clicks on headings, and says what is then in the first column; and whether a label did anything.
CLICKED = """
const root = document.querySelector('.podium'), table = root.querySelector('table');
const names = () => [...table.tBodies[0].rows].map(row => row.querySelector('th').textContent);
const click = place => (table.querySelectorAll('button')[place].click(), names());
const colour = element => getComputedStyle(element).color;
return {
  orders: [names(), click(2), click(2), click(3), click(1), click(4), click(0)],
  foot: table.tFoot.textContent.trim(),
  images: document.images.length,
  evil: window.evil === undefined,
  narrow: document.documentElement.scrollWidth <= innerWidth,
  bands: [...table.tBodies[0].rows].map(row => getComputedStyle(row).backgroundColor.startsWith('rgba(128')),
  colours: new Set([document.body, ...root.querySelectorAll('td, th, button, svg')].map(colour)).size,
  left: table.getBoundingClientRect().left - root.getBoundingClientRect().left,
  sides: [...new Set([...table.querySelectorAll('tbody th')].map(cell => getComputedStyle(cell).textAlign))],
  bars: [...root.querySelectorAll('svg')].map(bar => bar.getBoundingClientRect().width),
};
"""


@needs_chromium
@pytest.mark.parametrize("theme", THEMES)
def test_in_a_browser_clicks_sort_and_labels_are_only_read(theme: str, tmp_path: Path) -> None:
    evil = '<img src=x onerror="window.evil = 1"> \' &amp; </table>'
    table = Table(
        (
            Column.words("system", ["s10", "s2", evil, "s3", "… 7 more"]),
            Column.numbers("score", ["1,000.5", "−3", "0.25", "–", ""]),
            Column.numbers("p", ["0.001", "∞", "<0.001", "1.0×10⁻⁹", ""]),
            Column.numbers("ranks", ["2–3", "10", "1–3", "4", ""]),
        ),
        bars=Bars("interval", ((2.0, 3.0, 4.0), (0.0, 1.0, 2.0), (nan, nan, nan), (0.0, 2.0, 2.0), (nan, nan, nan))),
        bands=(1, 1, 2, 3, None),
    )

    width, style = THEMES[theme]
    body = to_fragment(View(f"title {evil}", (table,), (evil,), (evil * 3,)))
    found = seen(f'{NOTEBOOK}<div class="output">{body}</div>', CLICKED, tmp_path, width=width, style=style)
    start, by_score, back, by_p, by_bar, by_rank, by_name = found["orders"]
    assert start == ["s10", "s2", evil, "s3"]
    assert by_score == ["s2", evil, "s10", "s3"], "what has no number is last"
    assert back == ["s10", evil, "s2", "s3"]
    assert by_p == ["s3", evil, "s10", "s2"]
    assert by_bar == ["s2", "s3", "s10", evil]
    assert by_rank == [evil, "s10", "s3", "s2"]
    assert by_name == [evil, "s2", "s3", "s10"]
    assert found["bands"] == [name == evil for name in by_name], "a band goes with its row"
    assert found["foot"] == "… 7 more"
    assert (found["images"], found["evil"], found["narrow"], found["colours"]) == (0, True, True, 1)
    assert (found["bars"], found["left"], found["sides"]) == ([140, 140, 140], 0, ["left"])
