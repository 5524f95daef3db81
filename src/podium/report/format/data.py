"""Results as tables in files for programs: Parquet and JSON Lines."""

import csv
import io
import json
from typing import Any

from podium.description.result import Description
from podium.difficulty.result import Difficulty
from podium.report.result import Result
from podium.robustness.influence.result import FIELDS, Influence


def to_json(result: Result) -> str:
    """Everything there is, with the version of the layout.

    >>> import podium
    >>> import json
    >>> json.loads(to_json(podium.rank(podium.datasets.toy_table1())))["systems"][0]["system"]
    'C'
    """
    return json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_csv(result: Result) -> str:
    """One row per system, treatment, task, stress and so on, as the result has them; empty for no number.

    >>> import podium
    >>> print(to_csv(podium.rank(podium.datasets.toy_table1(), "mean")).splitlines()[0])
    system,rank,midrank,score,tasks_scored,coverage
    """
    rows = _task_rows(result) if isinstance(result, Description) else result.rows()
    names = FIELDS if isinstance(result, Influence) else list(rows[0])  # an influence may be of nothing
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _lower(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _task_rows(description: Description) -> list[dict[str, Any]]:
    return [
        {
            "task": task.name,
            "higher_is_better": task.higher_is_better,
            "weight": task.weight,
            "n_instances": task.n_instances,
            "n_cells": task.n_cells,
            "n_scored": task.n_scored,
            "pairs": task.pairs,
            "tied": task.tied,
            "near": task.near,
        }
        for task in description.tasks
    ]


def _lower(value: Any) -> Any:
    """Write what is true or false as JSON does."""
    return str(value).lower() if isinstance(value, bool) else value


def to_parquet(difficulty: Difficulty) -> bytes:
    """One row per instance, empty where there is no number; measures and notes as JSON in the metadata, as "podium".

    >>> import numpy as np
    >>> import pyarrow.parquet as pq
    >>> from podium.difficulty.result import Measure
    >>> content = to_parquet(Difficulty(np.array([7, 9]), (Measure("bias", np.array([0.5, 1.0]), "low"),)))
    >>> pq.read_table(io.BytesIO(content)).to_pydict()
    {'instance': [7, 9], 'bias': [0.5, 1.0]}
    """
    import pyarrow.parquet as pq  # noqa: PLC0415  # only where it is written

    about = difficulty.to_dict()
    del about["instances"]
    table = difficulty.to_frame("pyarrow")
    content = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"podium": json.dumps(about, ensure_ascii=False)}), content)
    return content.getvalue()


def to_jsonl(difficulty: Difficulty) -> str:
    r"""One object per instance and line.

    >>> import numpy as np
    >>> from podium.difficulty.result import Measure
    >>> to_jsonl(Difficulty(np.array(["a"]), (Measure("bias", np.array([0.5]), "low"),)))
    '{"instance": "a", "bias": 0.5}\n'
    """
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in difficulty.rows())
