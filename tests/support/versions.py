"""Versions of a table, for histories of them."""

from typing import Any

from numpy.typing import NDArray

import podium

__all__ = ["FEW", "table"]

#: Quick, and enough for 95 %.
FEW: dict[str, Any] = {"n_resamples": 100, "n_jobs": 1}


def table(values: dict[str, NDArray[Any]], systems: str = "ABCDEF", **told: Any) -> podium.Scores:
    """A table of tasks with labelled instances, of as many systems as there are rows."""
    labels = {task: [f"{task} {k}" for k in range(rows.shape[1])] for task, rows in values.items()}
    names = list(systems[: len(next(iter(values.values())))])
    return podium.from_arrays(values, systems=names, **({"instances": labels} | told))
