"""Rows as CSV: any reader gets every cell back, and no text looks like a formula or the end of a line."""

import csv
import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.report.formats import to_csv

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0")) | st.sampled_from(["=1+1", "a\rb", '"', "a,b\n"])


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_every_cell_comes_back(rows: list[tuple[str, str]]) -> None:
    written = to_csv({"system": [first for first, _ in rows], "task": [second for _, second in rows]})
    assert [tuple(row) for row in csv.reader(io.StringIO(written, newline=""))] == [("system", "task"), *rows]


def test_what_a_spreadsheet_could_take_for_a_formula_is_in_quotes() -> None:
    columns: dict[str, list[Any]] = {"system": ["=1+1", "+a", "-b", "@c", "a\rb", "plain"]}
    columns["score"] = [-0.5, 1.0, None, 2, 1e-20, True]
    lines = to_csv(columns).split("\n")[1:-1]
    assert lines == ['"=1+1",-0.5', '"+a",1.0', '"-b",', '"@c",2', '"a\rb",1e-20', "plain,true"]


def test_control_characters_stand_in_quotes() -> None:
    odd = [f"a{character}b" for character in "\0\t\x1b\x7f\x85\x9b\u2028"]
    assert to_csv({"system": odd}).partition("\n")[2] == "".join(f'"{name}"\n' for name in odd)
