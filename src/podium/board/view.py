"""What was done to a board, and what it holds, laid out."""

from podium.base.words import DASH, how_many
from podium.board.result import Added, BoardInfo, BoardLog, Checked, Compacted
from podium.report.table import Column, Table
from podium.report.view import View


def view_added(added: Added) -> View:
    """Lay out what was added.

    >>> view_added(Added("board", 1, "d1", 2, 0, 1, 0, 0, 0, 3, 1)).verdict
    ('2 scores added, 1 there already; board is at version 1',)
    """
    names = ("new", "missing", "same", "kept", "replaced", "repeated")
    columns = [Column.numbers("version", [str(added.version)]), Column.labels("addition", [added.addition])]
    columns += [Column.numbers(name, [f"{getattr(added, name):,}"]) for name in names]
    title = f"{added.board}: {how_many(added.systems, 'system')}, {how_many(added.tasks, 'task')} given"
    return View(
        title,
        (Table(tuple(columns)),),
        added.notes,
        (added.sentence,),
        explain=(
            "new: scores that the board had not. missing: labels without a score. same: there already.",
            "kept, replaced, repeated: scores that it had with another value, by what was done with them.",
        ),
    )


def view_board(info: BoardInfo) -> View:
    """Lay out what a board holds.

    >>> view_board(BoardInfo("b", 1, "2026-10-01 12:00:00", 2, 9, 1, 100, 3, 1, None, {"t": (True, False)})).title
    'b, version 1 of 2026-10-01 12:00:00 UTC: 3 systems, 1 task, 9 rows'
    """
    tasks = info.directions.values()
    columns = (
        Column.labels("task", list(info.directions)),
        Column.words("better", ["higher" if higher else "lower" for higher, _ in tasks]),
        Column.words("scores", ["means" if means else "instances" for _, means in tasks]),
    )
    sizes = f"{how_many(info.files, 'file')} of {info.size:,} bytes; {how_many(info.versions, 'version')}"
    repeats = () if info.statistic is None else (f"the score of an instance is the {info.statistic} of its repeats",)
    return View(info.title, (Table(columns),), info.notes, (sizes, *repeats))


def view_board_log(log: BoardLog) -> View:
    """Lay out the versions of a board.

    >>> from podium.board.result import Event
    >>> event = Event(0, "2026-10-01 12:00:00", "add", 9, 0, 0, 3, 1, "run-1/", "d1")
    >>> view_board_log(BoardLog("b", (event,))).tables[0].rows
    [('0', '2026-10-01 12:00:00', 'add', '9', '0', '0', '3', '1', 'run-1/', 'd1')]
    """
    events = log.events
    numbers = [("new", 2), ("replaced", 1), ("repeated", 1), ("systems", 2), ("tasks", 2)]
    columns = (
        Column.numbers("version", [str(one.version) for one in events]),
        Column.words("time (UTC)", [one.time for one in events]),
        Column.words("what", [one.what or DASH for one in events]),
        *(Column.numbers(name, [f"{getattr(one, name):,}" for one in events], rank) for name, rank in numbers),
        Column.labels("source", [one.source or DASH for one in events]),
        Column.labels("addition", [one.addition or DASH for one in events]),
    )
    return View(f"{log.board}: {how_many(len(events), 'version')}", (Table(columns),), log.notes)


def view_board_check(checked: Checked) -> View:
    """Lay out whether a board can be read.

    >>> view_board_check(Checked("b", 4, 2, 9, "")).verdict
    ('b is sound: 2 files with 9 rows can be read',)
    """
    version = DASH if checked.version is None else str(checked.version)
    columns = (
        Column.numbers("version", [version]),
        Column.numbers("files", [f"{checked.files:,}"]),
        Column.numbers("rows", [f"{checked.scores:,}"]),
        Column.words("sound", ["yes" if checked.sound else "no"]),
    )
    return View(checked.board, (Table(columns),), checked.notes, (checked.sentence,))


def view_board_compact(compacted: Compacted) -> View:
    """Lay out what was written as fewer files.

    >>> view_board_compact(Compacted("b", 4, (9, 1), (900, 300), 0, 0)).verdict
    ('b has 1 file, not 9, at version 4',)
    """
    columns = (
        Column.labels("newest version", ["before", "after"]),
        Column.numbers("files", [f"{number:,}" for number in compacted.files]),
        Column.numbers("bytes", [f"{number:,}" for number in compacted.size]),
    )
    return View(f"{compacted.board}", (Table(columns),), compacted.notes, (compacted.sentence,))
