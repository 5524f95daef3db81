"""Results for programs: JSON with everything, CSV with a row for each thing that was found, in full precision."""

import csv
import io
import json
from typing import Any

from podium.description import Description
from podium.influences import FIELDS, Influence
from podium.report.results import Result

__all__ = ["to_csv", "to_json"]


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
