"""Look at a board, check it, and write it as one file."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from os import PathLike

from podium.base.errors import BoardError
from podium.base.parallel import Progress
from podium.base.words import few
from podium.board.api import made_by, removing_on_error, retrying
from podium.board.result import BoardInfo, BoardLog, Checked, Compacted, Event, Problem
from podium.board.rewrite import write_as_one
from podium.board.salvage import AGE, accounted, doubled
from podium.store.audit import Audit, audit, wrong_with
from podium.store.commit import OvertakenError, commit
from podium.store.log import BoardVersion, DataFile, Snapshot, forgotten, lost_files, number_at, opened, versions
from podium.store.place import Place, is_own, is_rows, place_for
from podium.store.row import Facts, RowFile, row_files
from podium.store.whole import whole


def info(board: str | PathLike[str], *, as_of: int | str | date | None = None) -> BoardInfo:
    """Say what a board holds at a version, by what its files say of themselves.

    Parameters
    ----------
    board
        Folder or address.
    as_of
        Version, date or time, see `podium.read`.

    Returns
    -------
    BoardInfo
        How many systems, tasks, rows, files and versions there are.

    Raises
    ------
    BoardError
        There is no board, it has no such version, or it is damaged.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> board = tempfile.mkdtemp()
    >>> _ = podium.add(board, {"A": {"rte": 0.7}, "B": {"rte": 0.6}})
    >>> podium.boards.info(board).scores
    2
    """
    place = place_for(board)
    snapshot = opened(place, None if as_of is None else number_at(place, as_of))
    told = {one.number: one for one in versions(place)}
    facts = Facts.joined([one.facts for one in row_files(place, snapshot.files)])
    return BoardInfo(
        place.name,
        snapshot.number,
        told[snapshot.number].moment,
        len(told),
        scores=sum(one.rows for one in snapshot.files),
        files=len(snapshot.files),
        size=sum(one.size for one in snapshot.files),
        systems=len(facts.systems),
        tasks=len(facts.tasks),
        statistic=facts.statistic,
        directions=facts.tasks,
    )


def log(board: str | PathLike[str]) -> BoardLog:
    """List the versions of a board, the newest first.

    Raises
    ------
    BoardError
        There is no board, or its log is damaged.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> board = tempfile.mkdtemp()
    >>> _ = podium.add(board, {"A": {"rte": 0.7}}, source="run 1")
    >>> podium.boards.log(board).events[0].source
    'run 1'
    """
    place = place_for(board)
    opened(place)
    return BoardLog(place.name, tuple(_event(one) for one in reversed(versions(place))))


def _event(version: BoardVersion) -> Event:
    told = version.info
    new, replaced, repeated, systems, tasks = (
        int(told.get(name, 0)) for name in ("new", "replaced", "repeated", "systems", "tasks")
    )
    return Event(
        version.number,
        version.moment,
        str(told.get("kind", "")),
        new,
        replaced,
        repeated,
        systems,
        tasks,
        str(told.get("source", "")),
        str(told.get("addition", "")),
    )


def check(board: str | PathLike[str], *, progress: Progress | None = None) -> Checked:
    """Look whether all files of a board are as they were written, and whether its scores make sense together.

    Every file of rows is compared with its SHA-256, which is in its name, and every version of the log with the digest
    that the next one has of it. Cells that are there twice and facts that contradict each other are found, too, and
    files that no version has.

    Parameters
    ----------
    board
        Folder or address.
    progress
        Called with the bytes that have been compared, and their number in all.

    Raises
    ------
    BoardError
        There is no board.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> board = tempfile.mkdtemp()
    >>> _ = podium.add(board, {"A": {"rte": 0.7}})
    >>> podium.boards.check(board).sound
    True
    """
    place = place_for(board)
    found = looked_at(place)
    problems = list(problems_of(place, found, progress))
    if not any(one.harm for one in problems):
        problems = _aged(place, found, problems) + list(_of_rows(place))
    least = first_kept(found)
    problems += _lost(found, least)
    looked = len(found.records) + sum(found.needing(name)[-1] >= least for name in found.named)
    return Checked(place.name, len(found.records) - 1, tuple(problems), looked)


def _aged(place: Place, found: Audit, problems: Sequence[Problem]) -> list[Problem]:
    """Say of old files of no version that they do harm, where they have scores that the newest version has not."""
    files, latest = row_files(place, opened(place).files), time.time() - AGE
    old = {one.name for one in found.left_over() if one.written < latest and is_rows(one.name)}
    what = "has scores that no version has: one is missing, or its writer was killed"
    return [
        replace(one, what=what, harm=True) if one.name in old and not accounted(place, found, one.name, files) else one
        for one in problems
    ]


def looked_at(place: Place) -> Audit:
    """Read the log of a board.

    Raises
    ------
    BoardError
        There is no board.
    """
    found = audit(place)
    if not found.records and not any(map(is_rows, found.entries)):
        raise BoardError(f"there is no board {place.name}; podium add {place.name} FILE makes one")
    return found


def problems_of(place: Place, found: Audit, progress: Progress | None = None) -> Iterator[Problem]:
    """Yield what is wrong with files: of the log, of rows, and left over."""
    if not found.records:
        yield Problem(place.name, "has no version: its log is lost", None, harm=True)
    for one in found.broken:
        yield Problem(f"version {one.number}", one.wrong, (one.number, one.number), harm=True)
    live, least = found.live(), first_kept(found)
    known = lost_files(one.info for one in found.records)
    done, total = 0, sum(line.size for line in found.named.values())
    for name, line in sorted(found.named.items()):
        needing = [number for number in found.needing(name) if number >= least]
        wrong = wrong_with(place, name, line, found.entries) if needing and name not in known else ""
        if wrong:
            yield Problem(name, wrong, (needing[0], needing[-1]), harm=name in live)
        done += line.size
        if progress is not None:
            progress(done, total)
    for entry in found.left_over():
        what = "is of no version: a writer did not end well" if is_own(entry.name) else "is no file of a board"
        yield Problem(entry.name, what, None, harm=False)


def _lost(found: Audit, least: int) -> Iterator[Problem]:
    """Yield files that repair has given up, and that earlier versions would need."""
    for name in lost_files(one.info for one in found.records):
        needing = [number for number in found.needing(name) if number >= least] if name in found.named else []
        if needing:
            yield Problem(
                name,
                "was damaged before a repair; these versions cannot be read",
                (needing[0], needing[-1]),
                harm=False,
            )


def first_kept(found: Audit) -> int:
    """Return the first version that was not forgotten."""
    return max((int(one.info.get("forgotten", 0)) for one in found.records), default=0)


def _of_rows(place: Place) -> Iterator[Problem]:
    """Yield contradicting facts, and cells that are there twice."""
    snapshot = opened(place)
    files = row_files(place, snapshot.files)
    there = (snapshot.number, snapshot.number)
    for task, several in _facts(files).items():
        if len(several) > 1:
            yield Problem(f"task {task!r}", "has two directions, or means and instances", there, harm=True)
    statistics = sorted({one.facts.statistic for one in files if one.facts.statistic is not None})
    if len(statistics) > 1:
        yield Problem("repeats", f"have two statistics, {few(statistics)}", there, harm=True)
    for task, systems, twice in doubled(files):
        yield Problem(f"task {task!r}", f"has {twice:,} scores twice, of {few(systems, 3)}", there, harm=True)


def _facts(files: Sequence[RowFile]) -> dict[str, set[tuple[bool, bool]]]:
    found: dict[str, set[tuple[bool, bool]]] = {}
    for one in files:
        for task, facts in one.facts.tasks.items():
            found.setdefault(task, set()).add(facts)
    return found


def compact(
    board: str | PathLike[str], *, forget: int | str | date | None = None, progress: Progress | None = None
) -> Compacted:
    """Write the newest version of a board as one file of rows; nothing that is read of it changes.

    Parameters
    ----------
    board
        Folder or address.
    forget
        Version, date or time: files that only versions before it need are removed, and these cannot be read any more.
        By default all versions stay.
    progress
        Called with the number of rows written, and the number there are.

    Raises
    ------
    BoardError
        There is no board, it is damaged, or it has no such version.
    OutputError
        It cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> board = tempfile.mkdtemp()
    >>> for system in "AB":
    ...     _ = podium.add(board, {system: {"rte": 0.7}})
    >>> podium.boards.compact(board).files
    (2, 1)
    """
    place = place_for(board)
    least = 0 if forget is None else number_at(place, forget)
    before, after, number = retrying(place, lambda: _compacted(place, least, progress))
    freed = 0
    if least:
        freed = _forgotten(place, least)
    sizes = (sum(one.size for one in before), sum(one.size for one in after))
    return Compacted(place.name, number, (len(before), len(after)), sizes, least, freed)


def _compacted(
    place: Place, least: int, progress: Progress | None
) -> tuple[Sequence[DataFile], Sequence[DataFile], int]:
    """Write the version with one file; raise OvertakenError where somebody else was faster."""
    snapshot: Snapshot = opened(place)
    if len(snapshot.files) < 2 and least <= forgotten(versions(place)):
        return snapshot.files, snapshot.files, snapshot.number
    written: list[DataFile] = []
    gone: Sequence[DataFile] = ()
    with removing_on_error(place, written, BaseException):
        if len(snapshot.files) > 1:
            gone = snapshot.files
            with whole(place, gone) as files:
                write_as_one(place, files, written, progress)
    with removing_on_error(place, written, OvertakenError):
        told = {"kind": "compact", **made_by(), **({"forgotten": least} if least else {})}
        number = commit(place, snapshot, told, added=written, removed=gone)
    return snapshot.files, written or snapshot.files, number


def _forgotten(place: Place, least: int) -> int:
    """Remove the files of rows that no version from this one on needs; return their bytes."""
    found, freed = audit(place), 0
    for name in found.named:
        if not any(number >= least for number in found.needing(name)) and name in found.entries:
            place.remove(name)
            freed += found.entries[name].size
    return freed
