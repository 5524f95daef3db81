"""Add scores to a board."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from importlib import import_module
from os import PathLike, fspath
from time import monotonic, sleep
from typing import Any, TypeVar

from podium.base.errors import InputError, LabelError, OutputError, warn
from podium.base.parallel import Progress
from podium.base.words import LONG, with_names
from podium.board.addition import Addition, Origin
from podium.board.result import Added
from podium.board.rewrite import write_without
from podium.board.sift import RULES, Sieve
from podium.score.repeat import Statistic
from podium.source.convert import lost_of
from podium.source.given import ScoresLike, as_scores
from podium.source.origin import noting
from podium.store.audit import ASIDE
from podium.store.commit import OvertakenError, add_columns, commit
from podium.store.log import DataFile, Snapshot, opened
from podium.store.place import LOG, Place, is_own, place_for
from podium.store.row import holding, row_files, writing_rows
from podium.store.whole import comparing, whole

#: How often a writer that was overtaken tries again, and after how many seconds it says so.
_TRIES, _PATIENCE = 1000, 5.0
_T = TypeVar("_T")

#: What is said of scores that may be those of a file that was corrected.
_OTHERS = (
    "earlier additions of this source have other scores; both count. Was the file corrected? Then use --on-conflict "
    "replace"
)


def add(
    board: str | PathLike[str],
    scores: ScoresLike,
    *,
    on_conflict: str = "error",
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
        "repeat" takes each score of a new addition as a further repeat of the instance, though it is the same. Where
        the source has grown, and what it had is the same, only what is new of it is taken.
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
    with noting() as noted:
        table = as_scores(scores)
    lost = lost_of(table, text=False)
    if any(task.family is not None for task in table.tasks):
        lost.append("families of tasks")
        table = replace(table, tasks=tuple(replace(task, family=None) for task in table.tasks))
    if lost:
        warn(with_names("the board does not hold ", lost, ", without which it may rank otherwise", room=LONG))
    for name, value in {"source": source, "tool": tool, "run": run, "time": time}.items():
        if value is not None and not isinstance(value, str):
            raise InputError(f"{name}= is text, not {value!r}; put it in quotes")
    named = scores if isinstance(scores, str | PathLike) else None
    where = source or (fspath(named) if named is not None else "") or "Python"
    addition = Addition.of(table, Origin.of(where, tool or noted.tool, run or "", time or noted.time))
    place = place_for(board)
    _check_room(place)
    return retrying(place, lambda: _attempt(place, addition, on_conflict, progress))


def retrying(place: Place, attempt: Callable[[], _T]) -> _T:
    """Try until nobody else was faster; say so after some seconds.

    Raises
    ------
    OutputError
        Others were always faster.
    """
    started, told = monotonic(), False
    for number in range(_TRIES):
        try:
            return attempt()
        except OvertakenError:
            if not told and monotonic() - started > _PATIENCE:
                warn(f"others are writing to {place.name} at the same time; still trying")
                told = True
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
    others = [path.name for path in folder.iterdir() if path.name not in {LOG, ASIDE} and not is_own(path.name)]
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
    files = [] if snapshot is None else row_files(place, _concerned(snapshot, addition))
    written: list[DataFile] = []
    with removing_on_error(place, written, BaseException), comparing(files):
        addition = addition.agreed(files, place.name)
        touched = [one for one in files if one.facts.tasks.keys() & addition.facts.tasks.keys()]
        sieve = Sieve(touched, addition, rule, place.name)
        _write_new(place, sieve, written, progress)
        if rule == "error" and sieve.differing:
            raise sieve.contradicted()
        gone = _write_rest(place, sieve, written)
    number = -1 if snapshot is None else snapshot.number
    if written or gone:
        number = _committed(place, snapshot, sieve, written, gone)
    notes: tuple[str, ...] = ()
    tally, scores = sieve.tally, addition.scores
    if rule != "repeat" and sieve.further and addition.facts.repeats:
        notes = ("another addition has scores of these instances; --on-conflict repeat adds yours as further repeats",)
    if tally.repeated and sieve.continued.differs:
        notes = (_OTHERS,)
    return Added(
        place.name,
        number,
        addition.digest,
        new=tally.new,
        missing=tally.missing,
        same=tally.same,
        kept=tally.kept,
        replaced=tally.replaced,
        repeated=tally.repeated,
        systems=len(scores.systems),
        tasks=len(scores.tasks),
        made=snapshot is None,
        notes=notes,
    )


def _concerned(snapshot: Snapshot, addition: Addition) -> Sequence[DataFile]:
    """Files that may say something of the tasks; all where there are repeats, which all have one statistic."""
    if any(task.repeats is not None for task in addition.scores.tasks):
        return snapshot.files
    return holding(snapshot, addition.scores.task_names)


def _write_new(place: Place, sieve: Sieve, written: list[DataFile], progress: Progress | None) -> None:
    """Write the rows that the board has not."""
    addition, writer = sieve.addition, None
    if any(addition.origin.source in one.facts.sources for one in sieve.files):
        for rows in addition.pieces():
            sieve.look_for_copies(rows)
    with ExitStack() as stack:
        for rows in addition.pieces(progress):
            fresh = sieve.sift(rows)
            if writer is None:
                columns = addition.columns(rows, sieve.covariates, repeated=sieve.rule == "repeat")
                writer = stack.enter_context(writing_rows(place, columns, addition.facts, written))
            if len(fresh):
                writer.write(addition.signed(fresh, writer.schema.names, sieve.continued.run))
        if writer is not None and sieve.repeats > writer.facts.repeats:
            statistic = writer.facts.statistic or Statistic().name
            writer.facts = replace(writer.facts, repeats=sieve.repeats, statistic=statistic)


def _write_rest(place: Place, sieve: Sieve, written: list[DataFile]) -> list[DataFile]:
    """Write files anew without the rows that are replaced; return the old ones."""
    gone = []
    for one in sieve.files:
        numbers = [some for some in sieve.dropped.get(one.file.name, ()) if some.size]
        if numbers:
            gone.append(one.file)
            with whole(place, [one.file]) as (file,):
                write_without(place, file, numbers, written)
    return gone


def _committed(
    place: Place, snapshot: Snapshot | None, sieve: Sieve, written: list[DataFile], gone: Sequence[DataFile]
) -> int:
    """Write the version, and before it one with further columns, where there are new covariates."""
    addition = sieve.addition
    info: dict[str, Any] = {
        "kind": "add",
        "addition": addition.digest,
        **addition.origin.known,
        **asdict(sieve.tally),
        **made_by(),
    }
    info |= {"systems": len(addition.scores.systems), "tasks": len(addition.scores.tasks)}
    with removing_on_error(place, written, OvertakenError):
        if snapshot is not None:
            fresh = [name for name in addition.covariates if name not in snapshot.columns]
            if fresh:
                add_columns(place, snapshot, fresh, {"kind": "columns", "columns": fresh, **made_by()})
                snapshot = opened(place, snapshot.number + 1)
        return commit(place, snapshot, info, added=written, removed=gone, covariates=addition.covariates)


def made_by() -> dict[str, str]:
    """What a version says of the program that wrote it."""
    return {"podium": import_module("podium").__version__}


@contextmanager
def removing_on_error(place: Place, written: Sequence[DataFile], *errors: type[BaseException]) -> Iterator[None]:
    """Remove the files that were written where one of some errors comes.

    Before a commit that is any error. In it, it is only that somebody else was faster: after any other the version may
    be there, and its answer lost.
    """
    try:
        yield
    except errors:
        for file in written:
            place.remove(file.name)
        raise
