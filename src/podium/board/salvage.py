"""Files of rows that no version has: whether a board has their scores, and what becomes of them."""

from collections.abc import Iterator, Sequence

import numpy as np

from podium.base.arrow import from_numpy, to_numpy
from podium.base.errors import BoardError
from podium.board.cell import KEYS, cell_keys
from podium.board.result import LostScores
from podium.board.rewrite import stretches, write_sound
from podium.store.audit import Audit, is_whole
from podium.store.log import DataFile
from podium.store.place import Entry, Place, is_rows
from podium.store.row import RowFile

#: Seconds after which a file that no version has is left over: before, its writer may still be at work.
AGE = 3600.0


def doubled(files: Sequence[RowFile]) -> Iterator[tuple[str, list[str], int]]:
    """Yield task, systems and number of scores that files have twice."""
    for task, systems, rows in stretches(files, [*KEYS, "score"]):
        scored = rows.filter(rows["score"].is_valid())
        (keys,) = cell_keys([scored], [task], systems)
        if twice := keys.size - np.unique(keys).size:
            yield task, systems, twice


def accounted(place: Place, found: Audit, name: str, files: Sequence[RowFile]) -> bool:
    """Whether nothing is lost with a file: a board has all its scores, or has given them up in a version."""
    if name in found.removed or any(name in one.facts.replaces for one in files):
        return True
    if not is_whole(place, name):
        return False
    try:
        own = RowFile(place, RowFile.described(place, name, found.entries[name].size))
        return all(_has(files, task, own) for task in own.facts.tasks)
    except BoardError:
        return False


def _has(files: Sequence[RowFile], task: str, own: RowFile) -> bool:
    """Whether files have all scores of a task that one has."""
    systems = list(own.facts.systems)
    mine = own.rows([task], systems, [*KEYS, "score"])[0].unify_dictionaries().combine_chunks()
    for one in files:
        if task in one.facts.tasks and len(mine):
            theirs = one.rows([task], systems, [*KEYS, "score"])[0].unify_dictionaries().combine_chunks()
            here, there = cell_keys([mine, theirs], [task], systems)
            order = np.argsort(there, kind="stable")
            at = np.minimum(np.searchsorted(there, here, sorter=order), max(there.size - 1, 0))
            scores = to_numpy(theirs["score"], np.nan)
            at = order[at] if there.size else at
            same = np.zeros(here.size, dtype=np.bool_)
            if there.size:
                values = to_numpy(mine["score"], np.nan)
                same = (there[at] == here) & ((scores[at] == values) | np.isnan(values))
            mine = mine.filter(from_numpy(~same))
    return not len(mine)


def salvaged(
    place: Place, found: Audit, whole: dict[str, DataFile], written: list[DataFile]
) -> tuple[dict[str, DataFile], list[LostScores]]:
    """Write files that only a version that is lost may have had anew; return what is left of the others, and losses.

    A file is taken if it is whole and no cell is there twice with it. Each other one whose scores the board has not is
    among the losses.
    """
    orphans = [one for one in found.left_over() if is_rows(one.name) and one.name not in found.removed]
    files = [file for file in (_opened(place, one) for one in orphans) if file is not None]
    lost: list[LostScores] = []
    for file in files:
        if any(file.file.name in one.facts.replaces for one in files):
            continue
        rest = {name: one for name, one in whole.items() if name not in file.facts.replaces}
        there = [RowFile(place, one) for one in (*rest.values(), *written)]
        if _fits(file, there):
            write_sound(place, file, written)
            whole = rest
        elif not accounted(place, found, file.file.name, [*there, *(RowFile(place, one) for one in whole.values())]):
            facts = file.facts
            lost.append(LostScores(facts.systems, tuple(facts.tasks), file.file.rows, facts.sources))
    return whole, lost


def _opened(place: Place, entry: Entry) -> RowFile | None:
    """Open a file of rows; None where it is not whole."""
    if not is_whole(place, entry.name):
        return None
    try:
        return RowFile(place, RowFile.described(place, entry.name, entry.size))
    except BoardError:
        return None


def _fits(file: RowFile, there: Sequence[RowFile]) -> bool:
    """Whether a file contradicts no other, and has no cell that another has."""
    for one in there:
        both = file.facts.tasks.keys() & one.facts.tasks.keys()
        if any(file.facts.tasks[task] != one.facts.tasks[task] for task in both):
            return False
        if None not in (statistics := {file.facts.statistic, one.facts.statistic}) and len(statistics) > 1:
            return False
    near = [one for one in there if file.facts.tasks.keys() & one.facts.tasks.keys()]
    return not any(True for _ in doubled([file, *near]))
