"""Sheets of a workbook (.xlsx) as rows of text, read with what Python has."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

__all__ = ["sheets"]

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"

Row = dict[str, str]


def sheets(path: Path) -> dict[str, list[Row]]:
    """Every sheet by its name: one dictionary per row below the first, which holds the headings."""
    with zipfile.ZipFile(path) as book:
        words = ["".join(part.itertext()) for part in _parsed(book, "sharedStrings.xml").iter(f"{_MAIN}si")]
        files = {link.get("Id"): link.get("Target", "") for link in _parsed(book, "_rels/workbook.xml.rels")}
        return {
            sheet.get("name", ""): list(_rows(_parsed(book, files[sheet.get(_RELATION)]), words))
            for sheet in _parsed(book, "workbook.xml").iter(f"{_MAIN}sheet")
        }


def _parsed(book: zipfile.ZipFile, name: str) -> ET.Element:
    return ET.fromstring(book.read(f"xl/{name}"))  # noqa: S314  # a file that the reader has cloned


def _rows(sheet: ET.Element, words: list[str]) -> Iterator[Row]:
    headings: Row = {}
    for row in sheet.iter(f"{_MAIN}row"):
        cells = {}
        for cell in row.iter(f"{_MAIN}c"):
            value = cell.findtext(f"{_MAIN}v")
            if value is not None:
                column = re.sub(r"\d", "", cell.get("r", ""))
                cells[column] = words[int(value)] if cell.get("t") == "s" else value
        if headings:
            yield {headings[column]: value for column, value in cells.items() if column in headings}
        else:
            headings = cells
