"""Results in any format as text, also those that are bytes."""

import io
import json
from typing import Any

import pyarrow.parquet as pq

from podium.report.result import Result

__all__ = ["parquet_text", "rendered"]


def rendered(result: Result, format_: str = "table", **style: Any) -> str:
    """Render a result; of Parquet the rows, and what the file says beside them, in JSON."""
    content = result.render(format_, **style)
    return content if isinstance(content, str) else parquet_text(content)


def parquet_text(content: bytes) -> str:
    """Rows of a Parquet file, and what the file says beside them, in JSON; empty numbers are null."""
    table = pq.read_table(io.BytesIO(content))
    about = json.loads(table.schema.metadata[b"podium"])
    lines = [{"columns": table.column_names}, about, *table.to_pylist()]
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
