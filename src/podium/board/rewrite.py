"""Files of a board written anew: without some rows, or many as one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from podium.base.arrow import from_numpy
from podium.board.sift import Numbers
from podium.store.log import DataFile
from podium.store.place import Place
from podium.store.row import RowFile, writing_rows


def write_without(place: Place, file: RowFile, numbers: Sequence[Numbers], written: list[DataFile]) -> None:
    """Write a file without the rows of these numbers, and append the new one, unless no row is left."""
    gone = np.unique(np.concatenate(list(numbers)))
    facts, first = replace(file.facts, replaces=(*file.facts.replaces, file.file.name)), 0
    with writing_rows(place, file.columns, facts, written) as writer:
        for number in range(file.n_groups):
            rows = file.group(number, file.columns)
            kept = np.ones(len(rows), dtype=np.bool_)
            kept[gone[(gone >= first) & (gone < first + len(rows))] - first] = False
            first += len(rows)
            writer.write(rows if kept.all() else rows.filter(from_numpy(kept)))
