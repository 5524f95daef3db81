"""Results as a page of HTML: whole, sound, and safe whatever labels say."""

import re
from collections import Counter

import pytest

from podium import plots
from podium.errors import OutputError
from podium.report.formats import render
from podium.report.html import to_html
from podium.robustness.api import Robustness
from support.html import Reader
from support.robust import influence_of, robustness_of, study_of

EVIL = "<script>alert(\"x\")</script> & 'quotes' $title"


def evil() -> Robustness:
    study = study_of(methods=[EVIL, "borda"], systems=[EVIL, "B", "C"])
    return robustness_of(study, influence_of(3, 3, systems=(EVIL, "B", "C")), verdict=(EVIL,), notes=(EVIL,))


@pytest.fixture(scope="module")
def written() -> str:
    result = evil()
    assert result.influence is not None
    pictures = [
        ("stability", plots.to_svg(plots.stability(result.study))),
        (EVIL, plots.to_svg(plots.stability(result.study, measure="kept"))),
        ("influence", plots.to_svg(plots.influence(result.influence))),
    ]
    return to_html(result.view(), pictures)


@pytest.fixture(scope="module")
def reader(written: str) -> Reader:
    return Reader(written)


def test_labels_are_text_and_nothing_else(reader: Reader, written: str) -> None:
    assert reader.of("script") == []
    assert "<script" not in written
    assert EVIL in reader.said("li")
    assert EVIL in reader.said("th")
    assert reader.said("title").count(EVIL) == 1
    assert reader.said("figcaption") == ["stability", EVIL, "influence"]


def test_the_page_needs_nothing_else(reader: Reader, written: str) -> None:
    links = [value for _, attributes in reader.tags for name, value in attributes.items() if name in {"href", "src"}]
    assert links
    assert all(link is not None and link.startswith("#") for link in links)
    assert set(re.findall(r"url\((.)", written)) == {"#"}
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _ in reader.tags}
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)


def test_no_two_parts_have_one_name_and_all_that_is_used_is_there(reader: Reader, written: str) -> None:
    names = Counter(attributes["id"] for _, attributes in reader.tags if "id" in attributes)
    assert max(names.values()) == 1
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', written))
    used |= {str(attributes["aria-labelledby"]) for attributes in reader.of("svg")}
    assert used <= set(names)
    assert len(used) > 20


def test_the_page_is_accessible(reader: Reader) -> None:
    assert reader.of("html") == [{"lang": "en"}]
    headings = [text for tag, text in reader.texts if tag in {"h1", "h2"}]
    assert headings[1:] == ["What to know", "How to read this"]
    assert len(reader.said("h1")) == 1
    assert {attributes["scope"] for attributes in reader.of("th")} == {"col", "row"}
    assert len(reader.of("caption")) == len(reader.of("table")) == 5
    assert [attributes["role"] for attributes in reader.of("svg")] == ["img"] * 3
    assert len(reader.said("title")) == 1 + 3


def test_every_number_of_the_sheet_is_on_the_page(reader: Reader) -> None:

    cells = [cell for grid in evil().view().tables for row in grid.rows for cell in row]
    shown = Counter(reader.said("td") + reader.said("th"))
    assert not Counter(cell for cell in cells if cell) - shown


def test_a_page_without_pictures_is_what_render_writes() -> None:
    result = evil()
    assert to_html(result.view()) == render(result, "html")
    assert Reader(to_html(result.view())).of("svg") == []


@pytest.mark.parametrize("svg", ["no picture", "<html/>", "<svg>"])
def test_what_is_no_picture_is_refused(svg: str) -> None:
    with pytest.raises(OutputError, match=r"'title' is no SVG.*podium\.plots\.to_svg"):
        to_html(evil().view(), [("title", svg)])


def test_what_a_picture_must_not_do_is_left_out() -> None:
    svg = (
        '<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="http://www.w3.org/2000/svg" onload="x()">'
        '<script>x()</script><!-- said --><metadata>m</metadata><a href="https://example.org"><g id="a"/></a>'
        '<g id="b" clip-path="url(#a)"/></svg>'
    )
    text = to_html(evil().view(), [("t", svg)])
    assert (
        '<svg role="img" aria-labelledby="picture1-title"><title id="picture1-title">t</title>'
        '<a><g id="picture1-a" /></a><g clip-path="url(#picture1-a)" /></svg>'
    ) in text
