"""The page of verdicts and its tables are of one run, and say the same."""

import csv
import importlib
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def document(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "validation")
    return importlib.import_module("document")


@pytest.mark.usefixtures("shared")  # a section is about released tables
def test_the_page_and_its_lists_are_written_from_the_tables(document: Any, tmp_path: Path) -> None:
    docs = ROOT / "docs"
    shutil.copytree(docs / "validation", tmp_path, dirs_exist_ok=True)
    lists = ("sections", "outside", "summary")
    for name in lists:
        (tmp_path / f"{name}.csv").unlink()
    tables = document.read(tmp_path)
    assert len(tables) == len(list(tmp_path.iterdir())) > 50
    assert document.page(tables, tmp_path) == (docs / "validation.md").read_text("utf-8")
    for name in lists:
        assert (tmp_path / f"{name}.csv").read_text("utf-8") == (docs / f"validation/{name}.csv").read_text("utf-8")


@pytest.mark.usefixtures("shared")  # a section is about released tables
def test_tables_hold_the_rows_and_statements_of_their_sections(document: Any) -> None:
    sections = {section.heading: section for section in document.SECTIONS}
    for heading, lines in document.read(ROOT / "docs" / "validation").items():
        section = sections[heading]
        rows = list(dict.fromkeys(line["row"] for line in lines))
        assert rows == [row.label for row in section.rows if row.label in rows]
        assert {line["statement"] for line in lines} <= {document.TITLES[name] for name in section.verdicts}
        promised = {document.TITLES[name]: name not in section.unpromised for name in section.verdicts}
        assert all((line["promised"] == "yes") == promised[line["statement"]] for line in lines)


def test_every_section_stands_under_one_heading(document: Any) -> None:
    told = [heading for _, _, headings in document.TOPICS for heading in headings]
    assert sorted(told) == sorted(section.heading for section in document.SECTIONS)


def test_numbers_are_judged_by_two_standard_errors(document: Any, tmp_path: Path) -> None:
    row, section = document.SECTIONS[0].rows[0], document.SECTIONS[0]
    section = type(section)("A", "text", ("parted", "best", "rank"), (type(row)("r", row.trials[:1], 4),), ("rank",))

    def verdicts(wrong: int) -> list[Any]:
        return [document.Verdict(parted=float(i < wrong), best=float(i < 93), rank=0.5) for i in range(100)]

    results = {3: "as wanted", 7: "just outside", 20: "outside"}
    for wrong, result in results.items():
        document.write([(section, [[verdicts(wrong)]])], tmp_path)
        with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
            parted, best, rank = csv.DictReader(file)
        assert (parted["percent"], parted["result"], parted["worlds"]) == (f"{wrong}.0", result, "100")
        assert (best["percent"], best["error"], best["result"]) == ("93.0", "2.6", "just outside")
        assert (rank["result"], rank["promised"]) == ("outside", "no")
