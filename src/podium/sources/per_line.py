"""Scores from files that hold nothing else, one on each line."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.scores import Scores, Task
from podium.sources.lines import Lines, finite
from podium.sources.listing import Listing
from podium.sources.paths import text_file
from podium.wording import counted

__all__ = ["read_per_line"]


def read_per_line(listing: Listing) -> Scores:
    """Read files of one score per line; the instance is the number of the line, from 0.

    Scores of a task are missing where a system has no file for it.

    Raises
    ------
    InputError
        A line does not hold a finite number, or files of one task differ in the number of their lines.
    """
    tasks = []
    systems = list(listing.files)
    for key, label in listing.tasks.items():
        columns = {system: _numbers(files[key]) for system, files in listing.files.items() if key in files}
        _check_lengths(listing, key, columns)
        length = next((len(column) for column in columns.values()), 1)
        values = np.full((len(systems), length), np.nan)
        for system, column in columns.items():
            values[systems.index(system)] = column
        tasks.append(Task.cut(label, values, systems=systems))
    return Scores(tuple(systems), tuple(tasks), notes=listing.notes)


def _numbers(path: str | Path) -> NDArray[np.float64]:
    lines = Lines(text_file(path))
    numbers: list[float] = []
    blank = 0
    for place, line in enumerate(lines.raw(), start=1):
        text = line.strip()
        if not text:
            blank = blank or place
            continue
        if blank:
            raise InputError(f"{lines.name}, line {blank} is blank; every line must hold a score, for lines are paired")
        number = finite(text)
        if number is None:
            shown = repr(text[:60].decode(errors="replace"))
            raise InputError(
                f"{lines.name}, line {place}: {shown} is not a finite number; every line must hold one score and "
                "nothing else"
            )
        numbers.append(number)
    if not numbers:
        raise InputError(f"{lines.name} is empty; it needs one score per line")
    return np.array(numbers)


def _check_lengths(listing: Listing, key: str, columns: dict[str, NDArray[Any]]) -> None:
    first = next(iter(columns), "")
    for system, column in columns.items():
        if len(column) != len(columns[first]):
            raise InputError(
                f"task {listing.tasks[key]!r}: {listing.files[first][key]} of system {first!r} has "
                f"{counted(len(columns[first]), 'line')} and {listing.files[system][key]} of system {system!r} "
                f"{counted(len(column), 'line')}; scores are paired by line, so give each system the same lines"
            )
