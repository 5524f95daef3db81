"""Files as tools write them, and runs that podium reads in them."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from podium.errors import InputError
from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from podium.source.tool.content import Content
from podium.source.tool.run import Run


def written(path: Path, value: Any) -> Path:
    """Write JSON to a file, or a list of values to lines of one that ends in `.jsonl`; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = value if path.suffix == ".jsonl" else [value]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def runs(*paths: Path) -> list[Any]:
    """Runs in files and folders, of any type, so that tests need not ask whether there are samples."""
    logs = find_logs([str(path) for path in paths])
    assert logs is not None, f"nothing found in {paths}"
    return list(logs.read().runs)


def scores(run: Run) -> dict[Any, float]:
    """Scores by instance; the last of several repeats."""
    assert run.samples is not None
    return {label: float(score) for label, score in zip(run.samples.instances, run.samples.scores, strict=True)}


def mean(run: Run) -> float:
    """Mean of the scores that are there."""
    assert run.samples is not None
    return float(np.nanmean(run.samples.scores))


def nothing_is_found(folder: Path, *others: Any) -> bool:
    """Whether no tool claims any of these values, each in a file."""
    for number, other in enumerate(others):
        written(folder / f"{number}.json", other)
    return find_logs(folder) is None


def takers(path: Path) -> set[str]:
    """Tools that take a file; one that cannot tell does not."""
    found = set()
    for tool in TOOLS:
        with suppress(InputError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            found |= {tool.name} if tool.takes(Content(path)) else set()
    return found
