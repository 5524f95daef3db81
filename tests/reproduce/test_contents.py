"""The page of the re-runs: all tables and figures of the papers are listed, and the list says what the sections say."""

import re
import shutil
from importlib import import_module as script
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/reproduction.md"
TABLES = PAGE.with_suffix("")
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


def test_the_page_is_as_its_tables_make_it() -> None:
    written, reproduce, tables = PAGE.read_text("utf-8"), script("reproduce"), script("findings")
    assert reproduce.page(written, TABLES) == written
    assert [line["script"] for line in tables.sections(TABLES)] == reproduce.SCRIPTS
    items = [item for listed in script("contents").PAPERS.values() for item in listed]
    assert len(re.findall("^- ", written.partition(reproduce.START)[2], re.MULTILINE)) == len(items)
    assert "[](" not in written, "a table or figure without a verdict"


def test_one_section_is_put_into_the_tables_and_its_verdicts_into_the_page(tmp_path: Path) -> None:
    outcome, reproduce, tables = script("outcome"), script("reproduce"), script("findings")
    shutil.copytree(TABLES, tmp_path, dirs_exist_ok=True)
    found = [outcome.judged("a, b", outcome.Numbers.read(printed), [2.0]) for printed in ("1", "2", "3")]
    section = outcome.Section("A new heading", "text", found, [("a", "b"), ("1", "2")], [("a.svg", "what is seen")])
    tables.write({"himmi_fig4": section}, tmp_path, reproduce.SCRIPTS)
    assert (tmp_path / "himmi_fig4-numbers.csv").read_text("utf-8") == "a,b\n1,2\n"
    assert [line["verdict"] for line in tables.findings(tmp_path, "himmi_fig4")] == [f.verdict for f in found]
    old = PAGE.read_text("utf-8")
    new = reproduce.page(old, tmp_path)
    assert "- Figure 4: [1 reproduced, 2 not reproduced](reproduction/himmi_fig4.csv)" in new
    assert "![what is seen](images/a.svg)" in new
    changed = [line for line in old.splitlines() if line not in new.splitlines()]
    assert [line.partition(":")[0] for line in changed] == ["- Figure 4"]
    (line,) = [line for line in tables.sections(tmp_path) if line["script"] == "himmi_fig4"]
    assert (line["section"], line["text"]) == ("A new heading", "text")
