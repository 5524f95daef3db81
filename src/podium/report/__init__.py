"""Results as text: one grid, shown in several formats, printed or written to a file."""

from podium.report.data import to_csv, to_json
from podium.report.grid import Column, Grid, Sheet
from podium.report.markup import to_latex, to_markdown
from podium.report.output import FORMATS, check_writable, format_for, render, write
from podium.report.results import Result, sheet
from podium.report.terminal import show, to_text

__all__ = [
    "FORMATS",
    "Column",
    "Grid",
    "Result",
    "Sheet",
    "check_writable",
    "format_for",
    "render",
    "sheet",
    "show",
    "to_csv",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "write",
]
