"""Markdown for GitHub is short, and names of others are nothing but text, whatever they are."""

import html
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import podium
from podium.report.formats import LETTERS, LINES, MARKER, render, to_github
from podium.report.result import Result
from podium.report.view import Column, Table, View

HOSTILE = (
    *("@torvalds", "a|b", "a\\|b\\", "``|``", "<script>alert(1)</script>", MARKER, "</code></details>", "&lt;b&gt;"),
    *("https://evil.example/x", "www.evil.example", "a@b.example", "[x](http://e.example)", "![x](http://e.example)"),
    *("#12", "GH-12", "org/repo#4", "deadbeefcafe1234", ":tada:", "$x$", "  - item", "1. one", "# head", "---", "> q"),
    *("a\nb", "\u202eabc", "x" * 500, "`x`", "~~x~~", "__x__", "- [ ] x", "mailto:a@b.example", "ftp://e.example"),
)

#: What podium itself writes.
TAGS = {"ul", "li", "h2", "table", "thead", "tbody", "tr", "td", "th", "code", "details", "summary", "p"}

#: Outside code GitHub makes links of these, after it has read the Markdown; addresses inside, too.
ADDRESS = re.compile(r"@\w|://|\bwww\.", re.IGNORECASE)
LINK = re.compile(r"#\d|\bGH-\d|:\w+:|\b[0-9a-f]{7,40}\b", re.IGNORECASE)


def shown(text: str) -> str:
    """The page that GitHub's Markdown makes of it."""
    return str(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def check(text: str) -> str:
    """Look at a document, and return its page."""
    assert text.startswith(f"{MARKER}\n## ")
    assert text.count("\n") <= LINES
    assert len(text) <= LETTERS
    assert text.count("<!--") == 1
    page = shown(text)
    assert set(re.findall(r"</?(\w+)", page)) <= TAGS
    assert set(re.findall(r"<\w+ ([^>]*)>", page)) <= {'style="text-align:left"', 'style="text-align:right"'}
    assert not ADDRESS.search(html.unescape(page))
    assert not LINK.search(html.unescape(re.sub("<code>.*?</code>|<[^>]*>", " ", page)))
    return page


@cache
def results() -> dict[str, Result]:
    rng = np.random.default_rng(0)
    right = {f"{label} t": (rng.random((len(HOSTILE), 40)) < 0.5).astype(float) for label in HOSTILE}
    scores = podium.from_arrays(right, systems=list(HOSTILE))
    alone = [scores.select(systems=[HOSTILE[0]]), scores.select(systems=[HOSTILE[-1]])]
    return {
        "describe": podium.info(scores),
        "gate": podium.gate(*alone, margin=0.1, names=(MARKER, "@all"), tasks_too=True),
        "pairwise": podium.pairwise(scores),
        "rank": podium.rank(scores, n_resamples=100),
        "history": podium.history({MARKER: scores, "@all": scores}, n_resamples=100),
    }


@pytest.mark.parametrize("name", ["describe", "gate", "history", "pairwise", "rank"])
def test_names_of_others_are_text(name: str) -> None:
    page = check(str(render(results()[name], "github")))
    assert "more" in page


def test_a_name_can_be_copied() -> None:
    for label in (label for label in HOSTILE if len(label) <= 100 and not ADDRESS.search(label)):
        text = to_github(View("a", (Table((Column.labels("system", [label]),)),)))
        (code,) = re.findall("<code>(.*?)</code>", shown(text))
        assert html.unescape(code) == Column.labels("", [label]).cells[0].strip()


@given(st.lists(st.text(st.sampled_from("@#<>|\\`*_[]()!:/.-+=~$&w1a \n\u200b"), max_size=12), min_size=1, max_size=6))
def test_any_text_is_text(labels: list[str]) -> None:
    table = Table((Column.labels(labels[0], labels), Column.words("b", labels)))
    page = check(to_github(View(labels[0], (table,), tuple(labels), tuple(labels))))
    assert page.count("<tr>") == 1 + len(labels)
    assert page.count("<li>") == 2 * len(labels)


@pytest.mark.parametrize("foot", [0, 1])
def test_it_is_short_whatever_there_is(foot: int) -> None:
    column = Column.labels("system", ["|" * 1000] * 500)
    long = Table((column,) * 80, foot=foot)
    many = tuple("|" * 1000 for _ in range(200))
    for number in (1, 4, 30):
        page = check(to_github(View("|" * 1000, (long,) * number, many, many)))
        assert page.count("… 192 more") == 1
        assert "68 more columns" in page or "30 more tables" in page
    assert "<tr>" not in shown(to_github(View("a", (Table((column,), foot=500),))))


def test_a_table_that_was_cut_is_not_filled_again() -> None:
    table = Table((Column.labels("system", "ABCDEF"),)).cut(2)
    assert re.findall("<td.*?>(.*)</td>", shown(to_github(View("a", (table,))))) == [
        "<code>A</code>",
        "<code>B</code>",
        "… 4 more",
    ]
