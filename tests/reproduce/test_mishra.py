"""The re-run of Mishra & Arunkumar: its reading of the release, and what it says beside what is printed."""

import json
import pickle
import zipfile
from collections import Counter
from importlib import import_module as script
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytestmark = pytest.mark.whole

CLONE = Path(__file__).parents[2] / "clones" / "Leaderboard-Customization"

needs_clone = pytest.mark.skipif(not CLONE.exists(), reason="the repository released with the paper is not cloned")


def test_table_1_is_as_printed_but_for_the_case_that_divides_by_0() -> None:
    found = {finding.what: finding.verdict for finding in script("mishra_table1").section().findings}
    assert found.pop("Case 3") == "not reproduced"
    assert list(found.values()) == ["reproduced"] * 8


def test_sst2_is_read_as_by_an_independent_program(shared: Path) -> None:
    golden = json.loads((shared / "data/golden/difficulty.json").read_text())
    reviews, fig3 = script("reviews"), script("mishra_fig3")
    sst2 = reviews.reviews("SST-2")
    assert_allclose(
        100 * sst2.right.mean(axis=1), [golden["accuracy_all_samples"][model] for model in reviews.MODELS], atol=1e-9
    )
    names = ("WSBias_algorithm1", "WSBias_algorithm2", "WMProb")
    for metric, name in zip(reviews.METRICS, names, strict=True):
        wanted = golden["formula"][name]["case1_7_equal_splits"]
        found = fig3._in_order(sst2, metric)
        scores = dict(zip(found.systems, found.ranking.score, strict=True))
        assert scores == pytest.approx(wanted["score"], abs=1e-9)
        assert np.count_nonzero(found.rank_change) == wanted["ranks_changed"]


def test_no_bias_makes_scores_fall_further_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    reviews, fig3 = script("reviews"), script("mishra_fig3")
    rng = np.random.default_rng(0)
    right = (rng.random((10, 100)) < 0.8).astype(np.float64)
    right[1:] = right[0]

    def given(bias: Any) -> Any:
        return reviews.Reviews(right, right, np.arange(100), np.array([bias, bias]))

    monkeypatch.setattr(fig3, "reviews", lambda _: given(right[0]))
    bound = fig3._worst()
    fallen = [fig3._in_order(given(bias), fig3.FIRST).inflation.max() for bias in rng.random((20, 100))]
    assert max(fallen) < bound
    # what is right is called easy, so that all errors come last
    assert fig3._in_order(given(right[0]), fig3.FIRST).inflation.max() == pytest.approx(bound)


@needs_clone
def test_what_imdb_says_beside_what_is_printed(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shared.is_dir()
    monkeypatch.setattr(script("mishra_fig2"), "IMAGES", tmp_path)
    sections = [script(f"mishra_{name}").section() for name in ("fig2", "fig3")]
    found = Counter(finding.verdict for section in sections for finding in section.findings)
    assert found == {"not reproduced": 15, "reproduced": 2, "reproduced only with a slip": 1, "not reproducible": 4}


@needs_clone
def test_scores_on_imdb_fall_by_the_penalty_alone() -> None:
    """With equal weights, accuracy a becomes 2a − 100."""
    reviews, fig3 = script("reviews"), script("mishra_fig3")
    imdb = reviews.reviews("IMDb")
    accuracy = imdb.right[:, imdb.biased].mean(axis=1)
    alone = fig3._inflation("IMDb", fig3.FIRST, "uniform")
    assert_allclose(alone, 100 * (1 - accuracy) / accuracy, rtol=1e-9)
    for metric in (fig3.FIRST, fig3.SECOND):
        assert np.abs(fig3._inflation("IMDb", metric) - alone).max() < 1.5


@needs_clone
def test_labels_of_imdb_are_the_same_in_every_file() -> None:
    reviews = script("reviews")
    folder = CLONE / "AAAI IF/app/static/data/IMDb"
    gold = [row["label"] for row in reviews._rows(folder / "IMDb-dev.csv")]
    for number in (1, 2):
        rated = reviews._rows(folder / f"algo{number}data.csv")
        assert len({row["id"] for row in rated}) == len(rated) == 785
        assert [row["label"] for row in rated] == [gold[int(row["id"])] for row in rated]


def test_sheets_of_a_workbook(tmp_path: Path) -> None:
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rows = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>'
        '<row><c r="A2"><v>0.5</v></c><c r="B2"><v>7</v></c><c r="C2" t="s"><v>2</v></c></row>'
        '<row><c r="C3"><v>1</v></c></row>'
    )
    parts = {
        "sharedStrings.xml": f"<sst {main}><si><t>P1</t></si><si><r><t>LA</t></r><r><t>BEL</t></r></si>"
        "<si><t>x</t></si></sst>",
        "_rels/workbook.xml.rels": '<Relationships><Relationship Id="r1" Target="worksheets/one.xml"/></Relationships>',
        "workbook.xml": f'<workbook {main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<sheets><sheet name="model" r:id="r1"/></sheets></workbook>',
        "worksheets/one.xml": f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(tmp_path / "book.xlsx", "w") as book:
        for name, text in parts.items():
            book.writestr(f"xl/{name}", text)
    assert script("workbook").sheets(tmp_path / "book.xlsx") == {"model": [{"P1": "0.5", "LABEL": "x"}, {"LABEL": "1"}]}


def test_pickles_hold_numbers_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "values.pkl"
    path.write_bytes(pickle.dumps({np.int64(1): np.float64(0.25), np.int64(0): 0.5}))
    by_row = script("reviews")._by_row
    assert by_row(path) == [0.5, 0.25]
    path.write_bytes(pickle.dumps({0: print}))
    with pytest.raises(pickle.UnpicklingError, match="print is no number"):
        by_row(path)
