"""The page of the re-runs: all tables and figures of the papers are listed, and the list says what the sections say."""

import doctest
import re
from importlib import import_module as script
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "reproduce"
PAGE = Path(__file__).parents[2] / "docs/reproduction.md"
PAPERS = {
    "Sertkan et al.": "001_*.txt",
    "Himmi et al.": "002_*.txt",
    "Mishra & Arunkumar": "003_*.txt",
    "Colombo et al.": "004_*.txt",
}


def test_every_caption_of_a_paper_is_listed(shared: Path) -> None:
    contents = script("contents")
    assert set(contents.PAPERS) == set(PAPERS)
    for paper, file in PAPERS.items():
        (text,) = (shared / "papers").glob(file)
        captions = set(re.findall(r"\b(Figure|Table) (\d+):", text.read_text("utf-8")))
        listed = "; ".join(item.name for item in contents.PAPERS[paper])
        assert len(captions) >= 3
        for kind, number in captions:
            assert re.search(rf"\b{kind}s? (\d+, )*(\d+ and )?{number}\b", listed), (paper, kind, number)


def test_every_item_is_run_by_a_script_or_says_why_not() -> None:
    items = [item for listed in script("contents").PAPERS.values() for item in listed]
    assert all(bool(item.script) != bool(item.why) for item in items)
    assert {item.script for item in items if item.script} == set(script("reproduce").SCRIPTS)


def test_the_page_is_as_its_sections_make_it() -> None:
    written, reproduce, contents = PAGE.read_text("utf-8"), script("reproduce"), script("contents")
    assert reproduce.page(written, {}) == written
    sections = re.findall(r"^<!-- (\w+) -->$", written, re.MULTILINE)
    assert sections == reproduce.SCRIPTS
    rows = contents.overview({}).splitlines()[2:]
    assert len(rows) == sum(map(len, contents.PAPERS.values()))
    assert "|  | `python" not in written, "a table or figure without a verdict"


def test_one_section_is_put_into_the_page_and_its_verdicts_into_the_table() -> None:
    outcome, markdown, reproduce = script("outcome"), script("markdown"), script("reproduce")
    found = [outcome.judged("a | b", outcome.Numbers.read(printed), [2.0]) for printed in ("1", "2", "3")]
    made = markdown.markdown(outcome.Section("A new heading", "text", found))
    old = PAGE.read_text("utf-8")
    new = reproduce.page(old, {"himmi_fig4": made})
    assert "| Himmi et al. | Figure 4 | 1 reproduced, 2 not reproduced | `python" in new
    assert "### A new heading" in new
    changed = [line for line in old.splitlines() if line not in new]
    assert changed
    assert all("Fig" in line or line in old.partition("<!-- himmi_fig4 -->")[2] for line in changed)


def test_the_example_of_reading_verdicts() -> None:
    found = doctest.testmod(script("markdown"))
    assert (found.attempted, found.failed) == (2, 0)
