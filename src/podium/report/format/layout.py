"""A view as JSON, for pages that lay it out themselves."""

from podium.report.format.data import to_json
from podium.report.table import Table
from podium.report.view import View


def to_layout(view: View) -> str:
    """Write title, verdict, tables and notes; a table has its headings and its rows of text.

    >>> import json
    >>> from podium.report.table import Column
    >>> table = Table((Column.labels("system", ["A"]), Column.numbers("score", ["-1.5"])))
    >>> json.loads(to_layout(View("one system", (table,))))["tables"][0]["rows"]
    [['A', '−1.5']]
    """
    said = {name: list(getattr(view, name)) for name in ("verdict", "notes", "explain")}
    tables = [table_layout(table) for table in view.tables]
    return to_json({"title": view.title, "about": view.about, "tables": tables, **said})


def table_layout(table: Table) -> dict[str, object]:
    """Return headings and rows of text as plain values.

    >>> from podium.report.table import Column
    >>> table_layout(Table((Column.labels("system", ["A"]),)))["rows"]
    [['A']]
    """
    head = [{"name": column.name, "right": column.right, "label": column.label} for column in table.columns]
    return {"caption": table.caption, "foot": table.foot, "head": head, "rows": [list(row) for row in table.rows]}
