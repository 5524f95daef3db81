"""Results as text: one grid, shown in several formats, printed or written to a file."""

from podium.report.data import to_csv, to_json
from podium.report.frames import to_jsonl, to_parquet
from podium.report.grid import Column, Grid, Sheet
from podium.report.markup import to_latex, to_markdown
from podium.report.output import FORMATS, TABLE_FORMATS, format_for, render, render_table
from podium.report.page import page, to_html
from podium.report.results import Result, sheet
from podium.report.terminal import show, to_text

__all__ = [
    "FORMATS",
    "TABLE_FORMATS",
    "Column",
    "Grid",
    "Result",
    "Sheet",
    "format_for",
    "page",
    "render",
    "render_table",
    "sheet",
    "show",
    "to_csv",
    "to_html",
    "to_json",
    "to_jsonl",
    "to_latex",
    "to_markdown",
    "to_parquet",
    "to_text",
]
