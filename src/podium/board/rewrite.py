"""Files of a board written anew: without some rows, without damaged groups of rows, or many as one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from podium.base.arrow import from_numpy
from podium.base.errors import BoardError
from podium.base.parallel import Progress
from podium.board.cell import Numbers
from podium.store.log import COLUMNS, DataFile
from podium.store.place import Place
from podium.store.row import Facts, RowFile, writing_rows

#: Rows, about, that are held at once.
_ROWS = 2**22

#: What rows of a task are sorted by.
_ORDER = ("system", "instance", "instance_label", "repeat")


def write_without(place: Place, file: RowFile, numbers: Sequence[Numbers], written: list[DataFile]) -> None:
    """Write a file without the rows of these numbers, and append the new one, unless no row is left."""
    gone = np.unique(np.concatenate(list(numbers)))
    first = 0
    with writing_rows(place, file.columns, _following(file), written) as writer:
        for number in range(file.n_groups):
            rows = file.group(number, file.columns)
            kept = np.ones(len(rows), dtype=np.bool_)
            kept[gone[(gone >= first) & (gone < first + len(rows))] - first] = False
            first += len(rows)
            writer.write(rows if kept.all() else rows.filter(from_numpy(kept)))


def write_sound(place: Place, file: RowFile, written: list[DataFile]) -> list[tuple[list[str], list[str], int]]:
    """Write the groups of rows of a damaged file that can be read; return tasks, systems and rows of the others."""
    lost = []
    with writing_rows(place, file.columns, _following(file), written) as writer:
        for number in range(file.n_groups):
            try:
                rows = file.group(number, file.columns)
            except BoardError:
                lost.append(file.labels(number))
            else:
                writer.write(rows)
    return lost


def _following(file: RowFile) -> Facts:
    return replace(file.facts, replaces=(*file.facts.replaces, file.file.name))


def stretches(files: Sequence[RowFile], columns: Sequence[str]) -> Iterator[tuple[str, list[str], Any]]:
    """Yield the rows of all files, of a task and some systems at a time, in their order by name."""
    if not files:
        return
    facts = Facts.joined([one.facts for one in files])
    total = sum(one.file.rows for one in files)
    of_one = total / (len(facts.tasks) * len(facts.systems))  # rows of a system on a task
    step = min(max(int(_ROWS / of_one), 1), len(facts.systems))
    for task in facts.tasks:
        there = [one for one in files if task in one.facts.tasks]
        for first in range(0, len(facts.systems), step):
            systems = list(facts.systems[first : first + step])
            found = [one.rows([task], systems, columns)[0] for one in there]
            rows = pa.concat_tables(found).unify_dictionaries().combine_chunks()
            if len(rows):
                yield task, systems, rows


def write_as_one(
    place: Place, files: Sequence[RowFile], written: list[DataFile], progress: Progress | None = None
) -> None:
    """Write the rows of all files into one, sorted by task, system, instance and repeat, and append it."""
    there = {name for one in files for name in one.columns}
    columns = [name for name in COLUMNS if name in there] + sorted(there - COLUMNS.keys())
    replaces = dict.fromkeys(name for one in files for name in (*one.facts.replaces, one.file.name))
    facts = Facts.joined([one.facts for one in files], list(replaces))
    done, total = 0, sum(one.file.rows for one in files)
    with writing_rows(place, columns, facts, written) as writer:
        for _, _, rows in stretches(files, columns):
            order = [(name, "ascending") for name in _ORDER if name in columns]
            words = rows.set_column(1, "system", rows["system"].cast(pa.string()))
            writer.write(words.sort_by(order))
            done += len(rows)
            if progress is not None:
                progress(done, total)
