"""Repair a board: what is broken goes, what is whole stays, and what is lost is named."""

import time
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from podium.base.errors import BoardError
from podium.board.api import made_by, removing_on_error, retrying
from podium.board.result import LostScores, Repaired
from podium.board.rewrite import write_sound
from podium.board.salvage import AGE, accounted, salvaged
from podium.board.upkeep import looked_at, problems_of
from podium.store.audit import ASIDE, Audit, Line, pending, wrong_with
from podium.store.commit import OvertakenError, commit
from podium.store.log import COLUMNS, DataFile, file_of, opened, witness_of
from podium.store.place import Place, is_own, is_rows, place_for
from podium.store.row import RowFile, row_files
from podium.store.whole import copied


def repair(board: str | PathLike[str], *, age: float = AGE) -> Repaired:
    """Remove what is broken from a board, in a new version, and say what must be added again.

    Of a damaged file of rows, groups of rows that are whole are kept. Where the log is damaged, versions from the
    damaged one on are put aside, into the folder `_broken`, and the next version holds all that they held. Files that
    no version has are removed when they are old; those with scores that the board has not are put aside, too.

    Parameters
    ----------
    board
        Folder or address.
    age
        Seconds after which a file that no version has is removed; before that, its writer may be at work.

    Returns
    -------
    Repaired
        Which scores are lost, and which versions.

    Raises
    ------
    BoardError
        There is no board.
    OutputError
        It cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> board = tempfile.mkdtemp()
    >>> _ = podium.add(board, {"A": {"rte": 0.7}})
    >>> podium.boards.repair(board).changed
    False
    """
    place = place_for(board)
    return retrying(place, lambda: _repaired(place, age))


def _repaired(place: Place, age: float) -> Repaired:
    found = looked_at(place)
    broken = [one.number for one in found.broken]
    old = {one.name for one in problems_of(place, found) if one.name in found.named}
    written: list[DataFile] = []
    lost: list[LostScores] = []
    number = len(found.records) - 1
    if broken or old or not found.records:
        number, lost = _next(place, found, old, broken, written)
    removed, aside = _cleared(place, found, age)
    changed = bool(broken or old or removed or aside or not found.records)
    merged = (min(broken), len(found.records) - 1) if broken else None
    return Repaired(place.name, number, tuple(lost), removed, merged, changed, aside)


def _next(
    place: Place, found: Audit, damaged: set[str], broken: Sequence[int], written: list[DataFile]
) -> tuple[int, list[LostScores]]:
    """Write the version that has all that is whole."""
    lost: list[LostScores] = []
    live = found.live()
    whole: dict[str, DataFile] = {}
    with removing_on_error(place, written, BaseException):
        for name, line in live.items():
            if name in damaged or (not line.size and wrong_with(place, name, line, found.entries)):
                lost += _salvaged(place, found, line, written)
            else:
                whole[name] = line.file if line.stats else RowFile.described(place, name, found.entries[name].size)
        if broken or not found.records:
            whole, more = salvaged(place, found, whole, written)
            lost += more
        replaced = {old for file in whole.values() for old in RowFile(place, file).facts.replaces}
        whole = {name: file for name, file in whole.items() if name not in replaced}
    told = {"kind": "repair", "lost": sorted(damaged), **made_by()}
    with removing_on_error(place, written, OvertakenError):
        if not broken and found.records:
            return _on_top(place, found, told, written), lost
        return _in_place(place, found, told, min(broken, default=0), [*whole.values(), *written]), lost


def _salvaged(place: Place, found: Audit, line: Line, written: list[DataFile]) -> list[LostScores]:
    """Write what can be read of a damaged file; return what cannot."""
    holds = found.holdings.get(line.name, {})
    sources = tuple(holds.get("sources", ())) or ("its source",)
    with copied(place, [line.name] if line.name in found.entries else []) as here:  # a store may fail in between
        try:
            groups = write_sound(place, RowFile(here, line.file), written)
            return [LostScores(tuple(systems), tuple(tasks), rows, sources) for tasks, systems, rows in groups]
        except (BoardError, ValueError, KeyError):
            rows = line.file.rows if line.stats else 0
    return [LostScores(tuple(holds.get("systems", ())), tuple(holds.get("tasks", ())), rows, sources)]


def _cleared(place: Place, found: Audit, age: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Remove old files that no version has, and put those of rows aside whose scores the board has not."""
    old = [one.name for one in found.left_over() if one.written < time.time() - age and is_own(one.name)]
    aside: list[str] = []
    if any(map(is_rows, old)):
        files = row_files(place, opened(place).files)
        aside = [name for name in old if is_rows(name) and not accounted(place, found, name, files)]
    for name in old:
        if name in aside:
            place.rename(name, f"{ASIDE}/{name}")
        else:
            place.remove(name)
    return tuple(name for name in old if name not in aside), tuple(aside)


def _on_top(place: Place, found: Audit, told: dict[str, Any], written: Sequence[DataFile]) -> int:
    """Write a version without the damaged files."""
    snapshot = opened(place)
    if snapshot.number != len(found.records) - 1:
        raise OvertakenError
    gone = [one for one in snapshot.files if one.name in told["lost"]]
    return commit(place, snapshot, told, added=written, removed=gone)


def _in_place(place: Place, found: Audit, told: dict[str, Any], first: int, whole: Sequence[DataFile]) -> int:
    """Write a version in place of the first one that is broken, and of those behind it."""
    _put_aside(place, found, range(len(found.records) - 1, first - 1, -1))
    if first == 0:
        columns = {name for one in whole for name in RowFile(place, one).columns}
        number = commit(place, None, told, added=whole, covariates=sorted(columns - COLUMNS.keys()))
    else:
        snapshot = opened(place, first - 1)
        there, kept = {one.name for one in snapshot.files}, {one.name for one in whole}
        gone = [one for one in snapshot.files if one.name not in kept]
        number = commit(place, snapshot, told, added=[one for one in whole if one.name not in there], removed=gone)
    for old in range(first, len(found.records)):
        if place.size(pending(old)) is not None:
            place.rename(pending(old), f"{ASIDE}/{int(time.time())}-{old:020d}.json")
    return number


def _put_aside(place: Place, found: Audit, versions: Iterable[int]) -> None:
    """Put the files of versions aside; if that is interrupted, the next repair finds them there."""
    for number in versions:
        if file_of(number) in found.entries:
            place.rename(file_of(number), pending(number))
        place.remove(witness_of(number))
