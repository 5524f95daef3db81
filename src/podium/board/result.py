"""What was done to a board, and what it holds."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args

from podium.base.words import DASH, how_many
from podium.report.result import Result
from podium.report.view import Column, Table, View

#: What is done with a score that the board has with another value.
OnConflict = Literal["error", "keep", "replace", "repeat"]

RULES: tuple[OnConflict, ...] = get_args(OnConflict)

#: What `add` counts, in the order of its table.
COUNTS = ("new", "missing", "same", "kept", "replaced", "repeated")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Added(Result):
    """The answer of `add`: the new version, and what became of the rows.

    Attributes
    ----------
    board
        Where the board is.
    version
        Its version now.
    new, same
        Scores that were written, and rows that were there already.
    missing
        Rows without a score that were written, since no other shows their system, task or instance.
    kept, replaced, repeated
        Scores that were there with another value, by what was done with them.
    systems, tasks
        How many the addition has.
    made
        Whether the board was made.

    Examples
    --------
    >>> Added("board", 1, new=2, missing=0, same=1, kept=0, replaced=0, repeated=0, systems=3, tasks=1)
    Added(board: 3 systems, 1 task given)
    • 2 scores added, 1 there already; board is at version 1
    version  new  missing  same  kept  replaced  repeated
          1    2        0     1     0         0         0
    """

    schema: ClassVar[str] = "added"

    board: str
    version: int
    new: int
    missing: int
    same: int
    kept: int
    replaced: int
    repeated: int
    systems: int
    tasks: int
    made: bool = False
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def written(self) -> bool:
        """Return whether there is a new version."""
        return self.new + self.missing + self.replaced + self.repeated > 0

    @property
    def sentence(self) -> str:
        """Return what was done, in words."""
        if not self.written:
            rest = f", and {how_many(self.kept, 'other value')} left out" if self.kept else ""
            return f"nothing new: {self.board} has all {how_many(self.same + self.kept, 'score')} already{rest}"
        said = [f"{how_many(self.new, 'score')} added"] if self.new else []
        said += [f"{how_many(self.missing, 'label')} without a score added"] if self.missing else []
        said += [f"{self.same:,} there already"] if self.same else []
        said += [f"{self.kept:,} kept as they were"] if self.kept else []
        said += [f"{self.replaced:,} replaced"] if self.replaced else []
        said += [f"{self.repeated:,} added as further repeats"] if self.repeated else []
        return f"{', '.join(said)}; {self.board} is at version {self.version}"

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row of numbers."""
        return [{name: getattr(self, name) for name in ("version", *COUNTS, "systems", "tasks")}]

    def _content(self) -> dict[str, Any]:
        """Return the board and the row."""
        return {"board": self.board, "made": self.made, "rows": self.rows()}

    def view(self) -> View:
        """Lay out what was added.

        >>> Added("board", 1, 2, 0, 1, 0, 0, 0, 3, 1).view().verdict
        ('2 scores added, 1 there already; board is at version 1',)
        """
        numbers = [Column.numbers(name, [f"{getattr(self, name):,}"]) for name in COUNTS]
        return View(
            f"{self.board}: {how_many(self.systems, 'system')}, {how_many(self.tasks, 'task')} given",
            (Table((Column.numbers("version", [str(self.version)]), *numbers)),),
            self.notes,
            (self.sentence,),
            explain=(
                "new: scores that the board had not. missing: labels without a score. same: there already.",
                "kept, replaced, repeated: scores that it had with another value, by what was done with them.",
            ),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoardInfo(Result):
    """The contents of a board at a version, in short.

    Attributes
    ----------
    board
        Where it is.
    version, time
        The version, and when it was written (UTC).
    versions
        How many versions there are.
    scores
        Rows: scores, and labels without a score.
    files, size
        Files of rows of the version, and their bytes.
    systems, tasks
        How many there are.
    statistic
        What the score of an instance is of its repeats; None where there are none.
    directions
        By task, whether higher is better, and whether it has means alone.
    """

    schema: ClassVar[str] = "board"

    board: str
    version: int
    time: str
    versions: int
    scores: int
    files: int
    size: int
    systems: int
    tasks: int
    statistic: str | None
    directions: Mapping[str, tuple[bool, bool]]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Return what it is, in words."""
        sizes = f"{how_many(self.systems, 'system')}, {how_many(self.tasks, 'task')}, {how_many(self.scores, 'row')}"
        return f"{self.board}, version {self.version} of {self.time} UTC: {sizes}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every task."""
        return [
            {"task": name, "higher_is_better": higher, "means_alone": means}
            for name, (higher, means) in self.directions.items()
        ]

    def _content(self) -> dict[str, Any]:
        """Return all numbers, and the tasks."""
        names = ("board", "version", "time", "versions", "scores", "files", "size", "systems", "tasks", "statistic")
        return {**{name: getattr(self, name) for name in names}, "rows": self.rows()}

    def view(self) -> View:
        """Lay out what a board holds.

        >>> BoardInfo("b", 1, "2026-10-01 12:00:00", 2, 9, 1, 100, 3, 1, None, {"t": (True, False)}).view().title
        'b, version 1 of 2026-10-01 12:00:00 UTC: 3 systems, 1 task, 9 rows'
        """
        tasks = self.directions.values()
        columns = (
            Column.labels("task", list(self.directions)),
            Column.words("better", ["higher" if higher else "lower" for higher, _ in tasks]),
            Column.words("scores", ["means" if means else "instances" for _, means in tasks]),
        )
        said = [f"{how_many(self.files, 'file')} of {self.size:,} bytes; {how_many(self.versions, 'version')}"]
        if self.statistic is not None:
            said.append(f"the score of an instance is the {self.statistic} of its repeats")
        return View(self.title, (Table(columns),), self.notes, tuple(said))


@dataclass(frozen=True, slots=True)
class Event:
    """A version of a board: when it was made, by whom, and how many rows it added.

    Attributes
    ----------
    version, time
        Its number, and when it was written (UTC).
    what
        "add", "columns", "compact" or "vacuum"; empty where another tool wrote it.
    new, replaced, repeated
        Scores that it wrote.
    systems, tasks
        How many were added.
    source
        Where they come from.
    """

    version: int
    time: str
    what: str
    new: int
    replaced: int
    repeated: int
    systems: int
    tasks: int
    source: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoardLog(Result):
    """The versions of a board, the newest first."""

    schema: ClassVar[str] = "board-log"

    board: str
    events: tuple[Event, ...]
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for every version."""
        return [asdict(one) for one in self.events]

    def _content(self) -> dict[str, Any]:
        """Return the board and its versions."""
        return {"board": self.board, "rows": self.rows()}

    def view(self) -> View:
        """Lay out the versions.

        >>> event = Event(0, "2026-10-01 12:00:00", "add", 9, 0, 0, 3, 1, "run-1/")
        >>> BoardLog("b", (event,)).view().tables[0].rows
        [('0', '2026-10-01 12:00:00', 'add', '9', '0', '0', '3', '1', 'run-1/')]
        """
        events = self.events
        numbers = [("new", 2), ("replaced", 1), ("repeated", 1), ("systems", 2), ("tasks", 2)]
        columns = (
            Column.numbers("version", [str(one.version) for one in events]),
            Column.words("time (UTC)", [one.time for one in events]),
            Column.words("what", [one.what or DASH for one in events]),
            *(Column.numbers(name, [f"{getattr(one, name):,}" for one in events], rank) for name, rank in numbers),
            Column.labels("source", [one.source or DASH for one in events]),
        )
        said = [
            f"version {one.version} of {one.time} UTC is the newest: {how_many(one.new, 'new score')}, "
            f"{one.replaced:,} replaced"
            for one in events[:1]
        ]
        return View(f"{self.board}: {how_many(len(events), 'version')}", (Table(columns),), self.notes, tuple(said))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Checked(Result):
    """The answer of `podium.boards.check`.

    Attributes
    ----------
    board, version
        The board, and its newest version; None if its log cannot be read.
    files, scores
        Files of rows of the version, and their rows.
    wrong
        What is wrong, in a sentence; empty where nothing is.
    """

    schema: ClassVar[str] = "board-check"

    board: str
    version: int | None
    files: int
    scores: int
    wrong: str
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def sound(self) -> bool:
        """Return whether nothing is wrong."""
        return not self.wrong

    @property
    def sentence(self) -> str:
        """Return what was found, in words."""
        read = f"{how_many(self.files, 'file')} with {how_many(self.scores, 'row')} can be read"
        return self.wrong or f"{self.board} is sound: {read}"

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row of what was found."""
        return [{name: getattr(self, name) for name in ("version", "sound", "wrong", "files", "scores")}]

    def _content(self) -> dict[str, Any]:
        """Return the board and the row."""
        return {"board": self.board, "rows": self.rows()}

    def view(self) -> View:
        """Lay out whether a board can be read.

        >>> Checked("b", 4, 2, 9, "").view().verdict
        ('b is sound: 2 files with 9 rows can be read',)
        """
        columns = (
            Column.numbers("version", [DASH if self.version is None else str(self.version)]),
            Column.numbers("files", [f"{self.files:,}"]),
            Column.numbers("rows", [f"{self.scores:,}"]),
            Column.words("sound", ["yes" if self.sound else "no"]),
        )
        return View(self.board, (Table(columns),), self.notes, (self.sentence,))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Compacted(Result):
    """The answer of `podium.boards.compact`.

    Attributes
    ----------
    files, size
        Files and bytes of the newest version, before and after.
    forgotten
        The first version that is kept, where earlier ones were forgotten; else 0.
    removed
        How many files were removed.
    """

    schema: ClassVar[str] = "board-compact"

    board: str
    version: int
    files: tuple[int, int]
    size: tuple[int, int]
    forgotten: int
    removed: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def sentence(self) -> str:
        """Return what was done, in words."""
        before, after = self.files
        said = f"{self.board} has {how_many(after, 'file')}" + (f", not {before:,}" if before != after else " already")
        said += f", at version {self.version}"
        if self.forgotten:
            said += f"; versions before {self.forgotten} are forgotten"
        return said + (f"; {how_many(self.removed, 'old file')} removed" if self.removed else "")

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row of numbers."""
        return [
            {
                "version": self.version,
                "files_before": self.files[0],
                "files": self.files[1],
                "size_before": self.size[0],
                "size": self.size[1],
                "first_version": self.forgotten,
                "removed": self.removed,
            }
        ]

    def _content(self) -> dict[str, Any]:
        """Return the board and the row."""
        return {"board": self.board, "rows": self.rows()}

    def view(self) -> View:
        """Lay out what was written as fewer files.

        >>> Compacted("b", 4, (9, 1), (900, 300), 0, 0).view().verdict
        ('b has 1 file, not 9, at version 4',)
        """
        columns = (
            Column.labels("newest version", ["before", "after"]),
            Column.numbers("files", [f"{number:,}" for number in self.files]),
            Column.numbers("bytes", [f"{number:,}" for number in self.size]),
        )
        return View(self.board, (Table(columns),), self.notes, (self.sentence,))
