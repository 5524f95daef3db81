"""Repair a board: what is broken goes, what is whole stays, and what is lost is named."""

import time
from collections.abc import Iterable, Sequence
from os import PathLike, fspath

from podium.base.errors import BoardError
from podium.board.api import made_by, removing_on_error, retrying
from podium.board.result import Lost, Repaired
from podium.board.rewrite import write_sound
from podium.board.upkeep import looked_at, problems_of
from podium.store.audit import ASIDE, Audit, Line, pending, wrong_with
from podium.store.log import COLUMNS, DataFile, OvertakenError, commit, file_of, opened, witness_of
from podium.store.place import LOG, Place
from podium.store.row import BEGINNING, ENDING, RowFile

#: Seconds after which a file that no version has is left over: before, its writer may still be at work.
_AGE = 3600.0


def repair(board: str | PathLike[str], *, age: float = _AGE) -> Repaired:
    """Remove what is broken from a board, in a new version, and say what must be added again.

    Of a damaged file of rows, groups of rows that are whole are kept. Where the log is damaged, versions from the
    damaged one on are put aside, into the folder `_broken`, and the next version holds all that they held. Files that
    no version has are removed when they are old.

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
    place = Place.of(fspath(board))
    return retrying(place, lambda: _repaired(place, age))


def _repaired(place: Place, age: float) -> Repaired:
    found = looked_at(place)
    removed = [entry.name for entry in found.left_over() if entry.written < time.time() - age]
    removed = [name for name in removed if _is_own(name)] if found.records else []
    broken = [one.number for one in found.broken]
    old = {one.name for one in problems_of(place, found) if one.name in found.named}
    written: list[DataFile] = []
    lost: list[Lost] = []
    number = len(found.records) - 1
    if broken or old or not found.records:
        number, lost = _next(place, found, old, broken, written)
    for name in removed:
        place.remove(name)
    changed = bool(broken or old or removed or not found.records)
    merged = (min(broken), len(found.records) - 1) if broken else None
    return Repaired(place.name, number, tuple(lost), tuple(removed), merged, changed)


def _is_own(name: str) -> bool:
    return name.startswith(("podium-", BEGINNING, f"{LOG}/"))


def _next(
    place: Place, found: Audit, damaged: set[str], broken: Sequence[int], written: list[DataFile]
) -> tuple[int, list[Lost]]:
    """Write the version that has all that is whole."""
    lost: list[Lost] = []
    live = found.live()
    whole: dict[str, DataFile] = {}
    with removing_on_error(place, written, BaseException):
        for name, line in live.items():
            if name in damaged or (not line.size and wrong_with(place, name, line, found.entries)):
                lost += _salvaged(place, found, line, written)
            else:
                whole[name] = line.file if line.stats else RowFile.described(place, name, found.entries[name].size)
        if broken or not found.records:
            lost += _orphans(place, found, broken)
        replaced = {old for file in whole.values() for old in RowFile(place, file).facts.replaces}
        whole = {name: file for name, file in whole.items() if name not in replaced}
    with removing_on_error(place, written, OvertakenError):
        return _committed(place, found, broken, whole, damaged, written), lost


def _salvaged(place: Place, found: Audit, line: Line, written: list[DataFile]) -> list[Lost]:
    """Write what can be read of a damaged file; return what cannot."""
    holds = found.holdings.get(line.name, {})
    sources = tuple(holds.get("sources", ())) or ("its source",)
    try:
        file = RowFile(place, line.file)
        groups = write_sound(place, file, written)
        return [Lost(tuple(systems), tuple(tasks), rows, sources) for tasks, systems, rows in groups]
    except (BoardError, ValueError, KeyError):
        rows = line.file.rows if line.stats else 0
        return [Lost(tuple(holds.get("systems", ())), tuple(holds.get("tasks", ())), rows, sources)]


def _orphans(place: Place, found: Audit, broken: Sequence[int]) -> list[Lost]:
    """What files hold that only a version that is lost may have had."""
    lost = []
    for entry in found.left_over():
        if entry.name.startswith(BEGINNING) and entry.name.endswith(ENDING):
            try:
                file = RowFile(place, RowFile.described(place, entry.name, entry.size))
            except BoardError:
                continue
            facts = file.facts
            lost.append(Lost(facts.systems, tuple(facts.tasks), file.file.rows, facts.sources))
    gone = [one for one in found.records if one.number in broken and not one.lines]
    return lost if gone or not found.records else []


def _committed(
    place: Place,
    found: Audit,
    broken: Sequence[int],
    whole: dict[str, DataFile],
    damaged: set[str],
    written: Sequence[DataFile],
) -> int:
    told = {"kind": "repair", "lost": sorted(damaged), **made_by()}
    if not broken and found.records:
        snapshot = opened(place)
        if snapshot.number != len(found.records) - 1:
            raise OvertakenError
        return commit(
            place, snapshot, told, added=written, removed=[one for one in snapshot.files if one.name in damaged]
        )
    first = min(broken, default=0)
    _put_aside(place, found, range(len(found.records) - 1, first - 1, -1))
    if first == 0:
        covariates = sorted({name for one in whole.values() for name in RowFile(place, one).columns} - COLUMNS.keys())
        number = commit(place, None, told, added=[*whole.values(), *written], covariates=covariates)
    else:
        snapshot = opened(place, first - 1)
        there = {one.name for one in snapshot.files}
        added = [*(one for name, one in whole.items() if name not in there), *written]
        number = commit(
            place, snapshot, told, added=added, removed=[one for one in snapshot.files if one.name not in whole]
        )
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
