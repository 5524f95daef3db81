"""Results for programs: JSON with everything; CSV, JSON Lines and Parquet with the rows."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from podium.base.arrays import as_frame

Columns = Mapping[str, Sequence[Any]]

#: Commas, quotes and control characters anywhere, and what makes a formula at the beginning.
_QUOTED = re.compile('[",\x00-\x1f\x7f-\x9f\u2028\u2029]|^[=+@-]')


def to_json(content: Mapping[str, Any]) -> str:
    r"""Write everything there is.

    >>> to_json({"kind": "ranking"})
    '{\n  "kind": "ranking"\n}\n'
    """
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_csv(columns: Columns) -> str:
    r"""Write one line per row; empty where there is no number.

    >>> to_csv({"system": ["A", "B"], "score": [0.5, None], "separated": [True, False]})
    'system,score,separated\nA,0.5,true\nB,,false\n'
    """
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def _cell(value: Any) -> str:
    """Write a cell: what is true or false as JSON does, and texts in quotes where they could be read as more.

    A lone carriage return ends a line for many readers, and so do some other control characters. A spreadsheet takes
    `=` and its like for a formula. Nothing in a label is changed, so that it comes back as it was.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if _QUOTED.search(value) else value
    return str(value).lower() if isinstance(value, bool) else str(value)


def to_jsonl(columns: Columns) -> str:
    r"""Write one object per row and line.

    >>> to_jsonl({"instance": ["a"], "bias": [0.5]})
    '{"instance": "a", "bias": 0.5}\n'
    """
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def to_parquet(columns: Columns, about: Mapping[str, Any]) -> bytes:
    """Write the rows; what there is beside them stands as JSON in the metadata, as "podium".

    >>> import pyarrow.parquet as pq
    >>> content = to_parquet({"instance": [7, 9], "bias": [0.5, 1.0]}, {"kind": "difficulty"})
    >>> pq.read_table(io.BytesIO(content)).to_pydict()
    {'instance': [7, 9], 'bias': [0.5, 1.0]}
    """
    import pyarrow.parquet as pq  # noqa: PLC0415  # only where it is written

    table = as_frame({name: list(values) for name, values in columns.items()}, "pyarrow")
    content = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"podium": json.dumps(about, ensure_ascii=False)}), content)
    return content.getvalue()
