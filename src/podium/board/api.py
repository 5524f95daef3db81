"""Add scores to a board, look at it, check it, and write it as fewer files."""

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from os import PathLike, fspath
from time import monotonic, sleep
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from podium.base.arrays import from_numpy
from podium.base.errors import BoardError, InputError, LabelError, OutputError, warn
from podium.base.parallel import Progress
from podium.base.words import LONG, few, how_many, with_names
from podium.board.addition import Addition
from podium.board.merge import Merge, cell_keys, repeats_of
from podium.board.result import COUNTS, RULES, Added, BoardInfo, BoardLog, Checked, Compacted, Event, OnConflict
from podium.score.family import family_names
from podium.source.canonical import lost_of
from podium.source.memory import ScoresLike, as_scores
from podium.source.named import NO_ORIGIN
from podium.store.log import (
    COLUMNS,
    BoardVersion,
    DataFile,
    OvertakenError,
    Snapshot,
    commit,
    committing,
    forgotten,
    next_number,
    number_at,
    opened,
    telling,
    versions,
)
from podium.store.place import LOG, Place, place_for, table_class
from podium.store.rows import GROUP, KEYS, LABELS, Facts, codes_of, is_rows, rows_of, scan, writing_rows

#: How often a writer that was overtaken tries again, and after how many seconds it says so.
_TRIES, _PATIENCE = 1000, 5.0
_T = TypeVar("_T")


def add(
    board: str | PathLike[str],
    scores: ScoresLike,
    *,
    on_conflict: OnConflict = "error",
    source: str | None = None,
    tool: str | None = None,
    run: str | None = None,
    time: str | None = None,
    progress: Progress | None = None,
) -> Added:
    """Add scores to a board: all of them or none, and those that are there already once.

    A board is a folder, or an address on object storage, of the Delta Lake format; it is made where there is none.
    `podium.read` reads it, and so does everything that takes a path. Order and batches of additions do not matter. A
    score is a cell (task, system, instance, repeat); a missing score adds no more than its labels. Several writers may
    add at once.

    Parameters
    ----------
    board
        Folder, or address such as "s3://bucket/board".
    scores
        The table, or what becomes one: a path, such as a folder that a tool wrote, a frame, a dictionary or arrays, see
        `podium.ScoresLike`.
    on_conflict
        What is done with a score that the board has with another value: "error" (default) adds nothing and names the
        first; "keep" keeps the board's; "replace" takes the new one, and earlier versions still have the old;
        "repeat" takes each score of a new source or run as a further repeat of the instance, though it is the same.
    source, tool, run, time
        Where the scores come from: files, the tool that wrote them, the name of its run, and when that was. By default
        the path, if there is one, and the tool and the newest time that its files say.
    progress
        Called with the number of cells compared, scored or missing, and the number there are.

    Returns
    -------
    Added
        How many scores were new, and the version of the board.

    Raises
    ------
    BoardError
        The board is damaged; or a score, or what is known of a task or an instance (direction, statistic, weight,
        cluster), contradicts it.
    InputError
        `scores` is no score table and cannot be read as one, or a name in it is empty or no text.
    LabelError
        There is no such rule.
    OutputError
        The board cannot be written.
    MissingExtraError
        The library deltalake is not installed.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> board = tempfile.mkdtemp()
    >>> podium.add(board, {"A": {"rte": 0.7}, "B": {"rte": 0.6}}).new
    2
    >>> podium.add(board, {"C": {"rte": 0.8}}).version
    1
    >>> podium.read(board, as_of=0).systems
    ('A', 'B')
    """
    if on_conflict not in RULES:
        raise LabelError.unknown("rule for conflicts", str(on_conflict), RULES)
    table = as_scores(scores)
    lost = lost_of(table, text=True)  # a board, too, has no single precision
    alone = tuple(replace(task, family=None) for task in table.tasks)
    lost += [] if family_names(alone) == family_names(table.tasks) else ["families of tasks"]
    table = replace(table, tasks=alone)
    if lost:
        warn(with_names("the board does not hold ", lost, ", without which it may rank otherwise", room=LONG))
    for name, value in {"source": source, "tool": tool, "run": run, "time": time}.items():
        if value is not None and not isinstance(value, str):
            raise InputError(f"{name}= is text, not {value!r}; put it in quotes")
    where = source or (fspath(scores) if isinstance(scores, str | PathLike) else "") or "Python"
    said = table.origin or NO_ORIGIN
    known = {"source": where, "tool": tool or ", ".join(said.tools), "run": run, "time": time or said.made}
    origin = {name: word.encode("utf-8", "backslashreplace").decode() for name, word in known.items() if word}
    addition = Addition.of(table, origin)
    place = place_for(board)
    table_class(place.name)  # before the work
    _check_room(place)
    return retrying(place, lambda: _attempt(place, addition, on_conflict, progress))


def retrying(place: Place, attempt: Callable[[], _T]) -> _T:
    """Try until no other writer was faster; say so after some seconds.

    Raises
    ------
    OutputError
        Others were always faster.
    """
    started, warned = monotonic(), False
    for number in range(_TRIES):
        try:
            return attempt()
        except OvertakenError:
            if not warned and monotonic() - started > _PATIENCE:
                warn(f"others are writing to {place.name} at the same time; still trying")
                warned = True
            sleep(random.random() * min(0.02 * 2 ** min(number, 5), 0.5))  # noqa: S311  # so that all have turns
    raise OutputError(f"{place.name}: others wrote to it {_TRIES:,} times in between; try again later")


def _check_room(place: Place) -> None:
    """Refuse a folder that holds other things."""
    folder = place.folder
    if folder is not None and folder.is_symlink() and not folder.exists():
        raise OutputError(f"{place.name} is a link to {str(folder.readlink())!r}, which is not there; make that folder")
    if folder is None or not folder.exists() or place.has_log():
        return
    if not folder.is_dir():
        raise OutputError(f"{place.name} is a file; name a folder for the board")
    others = [path.name for path in folder.iterdir() if path.name != LOG and not is_rows(path.name)]
    if others:
        raise OutputError(f"{place.name} has {min(others)} and is no board; name a new or an empty folder")


def _attempt(place: Place, addition: Addition, rule: str, progress: Progress | None) -> Added:
    """Compare with the newest version, and write the next.

    Raises
    ------
    OvertakenError
        Somebody else wrote it first.
    """
    snapshot = opened(place) if place.has_log() else None
    if snapshot is not None:
        addition = addition.agreed(snapshot)
    merge, covariates = Merge(snapshot, addition, rule), addition.covariates
    number, written, gone = next_number(snapshot, covariates), list[DataFile](), list[DataFile]()
    try:
        with writing_rows(place, [*COLUMNS, *merge.covariates], written) as write:
            for rows in addition.rows(progress):
                fresh = merge.take(rows)
                if len(fresh):
                    write(addition.signed(fresh, number))
            merge.check(place.name)
        if snapshot is not None and merge.dropped:
            gone = _rewritten(snapshot, pa.concat_tables(merge.dropped), written)
    except BaseException:
        for file in written:
            place.remove(file.name)
        raise
    counts: dict[str, Any] = {name: merge.counts[name] for name in COUNTS}
    systems, tasks = len(addition.scores.systems), len(addition.scores.tasks)
    if written or gone:
        info = {"kind": "add", **addition.origin, **counts, "systems": systems, "tasks": tasks}
        commit(place, snapshot, info, added=written, removed=gone, covariates=covariates)
    else:
        number = -1 if snapshot is None else snapshot.number
    notes: tuple[str, ...] = ()
    if rule != "repeat" and merge.shared and addition.statistic is not None:
        notes = ("another addition has scores of these instances; --on-conflict repeat adds yours as further repeats",)
    return Added(place.name, number, **counts, systems=systems, tasks=tasks, made=snapshot is None, notes=notes)


def _rewritten(snapshot: Snapshot, dropped: Any, written: list[DataFile]) -> list[DataFile]:
    """Write files anew without the rows of some instances; return the old ones."""
    dropped, old = dropped.unify_dictionaries().combine_chunks(), list[DataFile]()
    tasks, systems = (sorted(pc.unique(dropped[name]).to_pylist()) for name in ("task", "system"))

    def others(rows: Any) -> Any:
        """Find the rows of other instances."""
        here = (codes_of(rows.column("task"), tasks) >= 0) & (codes_of(rows.column("system"), systems) >= 0)
        cells, gone = cell_keys([rows, dropped], tasks, systems)
        return ~(here & np.isin(cells, gone))

    for file in snapshot.files:
        one = replace(snapshot, files=(file,))
        labels = scan(one, ["task", "system", *LABELS], task=tasks, system=systems)
        if all(others(rows).all() for rows in labels):
            continue
        with writing_rows(snapshot.place, snapshot.columns, written) as write:
            for rows in scan(one, snapshot.columns):
                write(pa.table(rows.filter(from_numpy(others(rows)))))
        old.append(file)
    return old


def info(board: str | PathLike[str], *, as_of: int | str | date | None = None) -> BoardInfo:
    """Say what a board holds at a version.

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
    known, facts = versions(place), Facts.of(snapshot)
    return BoardInfo(
        place.name,
        snapshot.number,
        known[snapshot.number].moment,
        len(known),
        scores=snapshot.rows,
        files=len(snapshot.files),
        size=snapshot.size,
        systems=len(facts.systems),
        tasks=len(facts.tasks),
        statistic=facts.statistic,
        directions={name: min(facts.tasks[name]) for name in sorted(facts.tasks)},
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
    return BoardLog(place.name, tuple(map(_event, reversed(versions(place)))))


def _event(version: BoardVersion) -> Event:
    info = version.info
    numbers = {name: int(info.get(name, 0)) for name in ("new", "replaced", "repeated", "systems", "tasks")}
    what, source = (str(info.get(name, "")) for name in ("kind", "source"))
    return Event(version.number, version.moment, what, **numbers, source=source)


def check(board: str | PathLike[str]) -> Checked:
    """Read all of the newest version of a board once, and say what is wrong.

    Its log can be read, all its files are there and can be read, every row has a task, a system and a direction, no
    task has two directions, repeats have one statistic, and no score is there twice.

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
    if not place.has_log():
        opened(place)
    snapshot, wrong = None, ""
    try:
        snapshot = opened(place)
        wrong = _wrong_in(snapshot)
    except BoardError as error:
        wrong = str(error)
    if snapshot is None:
        return Checked(place.name, None, 0, 0, wrong)
    return Checked(place.name, snapshot.number, len(snapshot.files), snapshot.rows, wrong)


def _wrong_in(snapshot: Snapshot) -> str:
    """Read all rows, and say what is wrong with them; empty if nothing is."""
    name, facts, rows = snapshot.place.name, Facts(), 0
    for batch in scan(snapshot, snapshot.columns):
        facts.take(batch, snapshot.place)
        rows += len(batch)
    if rows != snapshot.rows:
        return f"{name} has {rows:,} rows, and its log says {snapshot.rows:,}"
    if several := sorted(task for task, found in facts.tasks.items() if len(found) > 1):
        return f"{name}: two directions, or means and instances, of {few(several, 3)}"
    if len(facts.statistics) > 1:
        return f"{name}: repeats have two statistics, {few(sorted(facts.statistics))}"
    systems = sorted(facts.systems)
    for task in sorted(facts.tasks):
        found = rows_of(snapshot, [task], systems, [*KEYS, "score"])
        found = found.filter(found["score"].is_valid())
        (cells,) = cell_keys([found], [task], systems)
        cells = np.sort(cells * (facts.repeats + 2) + repeats_of(found))
        if twice := int(np.count_nonzero(cells[1:] == cells[:-1])):
            return f"{name} has {how_many(twice, 'score')} of task {task!r} twice"
    return ""


def compact(board: str | PathLike[str], *, forget: int | str | date | None = None) -> Compacted:
    """Write the newest version of a board as fewer, larger files; nothing that is read of it changes.

    Files that no version has, of writers that were killed, are removed after a week.

    Parameters
    ----------
    board
        Folder or address.
    forget
        Version, date or time: files that only versions before it need are removed, and these cannot be read any more.
        By default all versions stay.

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
    before = opened(place)
    least = 0 if forget is None else number_at(place, forget)
    retrying(place, lambda: _optimized(place))
    removed = retrying(place, lambda: _vacuumed(place, least))
    after = opened(place)
    files = len(before.files), len(after.files)
    return Compacted(place.name, after.number, files, (before.size, after.size), least, removed)


def _optimized(place: Place) -> None:
    from deltalake import WriterProperties  # noqa: PLC0415  # optional

    snapshot = opened(place)
    if len(snapshot.files) > 1:
        how = WriterProperties(compression="ZSTD", max_row_group_size=GROUP)
        with committing(place, snapshot):
            snapshot.table.optimize.compact(writer_properties=how, commit_properties=telling({"kind": "compact"}))


def _vacuumed(place: Place, least: int) -> int:
    """Remove what only forgotten versions need, or else old files of no version; return how many there were."""
    snapshot, known = opened(place), forgotten(versions(place))
    how: dict[str, Any] = {"keep_versions": list(range(max(least, known), snapshot.number + 1))}
    info: dict[str, Any] = {"kind": "vacuum"}
    if least > known:
        info["forgotten"] = least
        how |= {"retention_hours": 0, "enforce_retention_duration": False}
    else:
        how["full"] = True
    with committing(place, snapshot):
        if least <= known and not snapshot.table.vacuum(**how):
            return 0
        return len(snapshot.table.vacuum(dry_run=False, commit_properties=telling(info), **how))
