"""Whether a table of versions is whole: its log, read line by line without Delta Lake, and its files of rows."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from podium.base.errors import BoardError
from podium.store.log import DataFile, file_of, numbers, seal_of, version_in, witness_of, witnessed
from podium.store.place import Entry, Place
from podium.store.row import BEGINNING

#: What names a file of rows in a line that is damaged.
_NAMED = re.compile(rb'"(add|remove)":\{"path":"(scores-[0-9a-f]{64}(?:-[0-9a-f]{16})?\.parquet)"')

#: Folder of what repair has put aside, and how names begin there until it has ended.
ASIDE, _PENDING = "_broken", "pending-"


@dataclass(frozen=True, slots=True)
class Line:
    """A file that a version adds, or removes (with no bytes and stats)."""

    name: str
    added: bool
    size: int = 0
    stats: str = ""

    @property
    def file(self) -> DataFile:
        """The file of rows."""
        told = json.loads(self.stats)
        low, high = told["minValues"], told["maxValues"]
        ends = ((low["task"], high["task"]), (low["system"], high["system"]))
        return DataFile(self.name, self.size, told["numRecords"], *ends)


@dataclass(frozen=True, slots=True)
class Record:
    """The file of a version: what it says, as far as it can be read, and what is wrong with it.

    Attributes
    ----------
    number
        Of the version.
    info
        What podium says of it.
    lines
        Files that it adds and removes, in order.
    digest
        SHA-256 of the file; empty where there is none.
    wrong
        What is wrong with it; empty where nothing is.
    """

    number: int
    info: Mapping[str, Any]
    lines: tuple[Line, ...]
    digest: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found.

    Attributes
    ----------
    records
        All versions, in order; of one that is missing, too.
    entries
        All files of the place.
    """

    records: tuple[Record, ...]
    entries: Mapping[str, Entry]

    @property
    def broken(self) -> list[Record]:
        """Versions whose file is damaged or missing."""
        return [one for one in self.records if one.wrong]

    @property
    def named(self) -> dict[str, Line]:
        """All files of rows that any version adds, as its line says."""
        return {line.name: line for one in self.records for line in one.lines if line.added}

    @property
    def removed(self) -> set[str]:
        """All files of rows that any version removes."""
        return {line.name for one in self.records for line in one.lines if not line.added}

    @property
    def holdings(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """By file of rows: its systems, tasks and sources, as the version that adds it says."""
        return {name: holds for one in self.records for name, holds in one.info.get("files", {}).items()}

    def live(self) -> dict[str, Line]:
        """Files of the newest version, by all that can be read of the log."""
        live: dict[str, Line] = {}
        for one in self.records:
            for line in one.lines:
                if line.added:
                    live[line.name] = line
                else:
                    live.pop(line.name, None)
        return live

    def needing(self, name: str) -> list[int]:
        """Versions that have a file of rows."""
        found, there = [], False
        for one in self.records:
            for line in one.lines:
                there = line.added if line.name == name else there
            if there:
                found.append(one.number)
        return found

    def left_over(self) -> list[Entry]:
        """Files that no version has: of writers that did not end well, and of others."""
        known = {file_of(one.number) for one in self.records} | {witness_of(one.number) for one in self.records}
        known |= self.named.keys()
        return [one for name, one in self.entries.items() if name not in known and not name.startswith(f"{ASIDE}/")]


def audit(place: Place) -> Audit:
    """Read the whole log of a board; files of rows are not opened."""
    entries = {one.name: one for one in place.entries()}
    waiting = [int(name[-25:-5]) for name in entries if name.startswith(f"{ASIDE}/{_PENDING}")]
    there = [*numbers(place), *witnessed(place), *waiting]
    records = [_record(place, number, entries) for number in range(max(there, default=-1) + 1)]
    known: list[Record] = []
    for one in records:
        following = records[one.number + 1] if one.number + 1 < len(records) else None
        wrong = one.wrong or _contradicted(place, one, following, entries)
        known.append(Record(one.number, one.info, one.lines, one.digest, wrong))
    return Audit(tuple(known), entries)


def _record(place: Place, number: int, entries: Mapping[str, Entry]) -> Record:
    name, wrong = file_of(number), ""
    if name not in entries:
        name, wrong = pending(number), "is put aside by a repair that did not end"
    if name not in entries:
        return Record(number, {}, (), "", "is missing")
    content = place.read(name)
    digest = sha256(content).hexdigest()
    lines = tuple(_lines(content))
    try:
        info = version_in(place, number, content).info
        for line in content.splitlines():
            json.loads(line)
    except (BoardError, ValueError):
        return Record(number, {}, lines, digest, "is damaged")
    if "seal" not in info:
        return Record(number, info, lines, digest, "was not written by podium, or is damaged")
    added = [[line.name, line.size, line.stats] for line in lines if line.added]
    seal = seal_of(info, added, [line.name for line in lines if not line.added])
    return Record(number, info, lines, digest, wrong or ("" if seal == info["seal"] else "is damaged"))


def pending(number: int) -> str:
    """Name of the file of a version that is put aside, until the repair has ended."""
    return f"{ASIDE}/{_PENDING}{number:020d}.json"


def _lines(content: bytes) -> Iterator[Line]:
    for line in content.splitlines():
        try:
            told = json.loads(line)
            if "add" in told:
                yield Line(told["add"]["path"], True, int(told["add"]["size"]), str(told["add"]["stats"]))
            elif "remove" in told:
                yield Line(told["remove"]["path"], False)
        except (ValueError, KeyError, TypeError):
            for kind, name in _NAMED.findall(line):
                yield Line(name.decode(), kind == b"add")


def _contradicted(place: Place, one: Record, following: Record | None, entries: Mapping[str, Entry]) -> str:
    """What the version after it, or its witness, says against a version."""
    if following is not None and not following.wrong:
        before = following.info.get("before")
        return "is damaged" if before is not None and before != one.digest else ""
    witness = witness_of(one.number)
    if following is not None or witness not in entries:
        return ""
    known = place.read(witness).decode(errors="replace")
    return "" if known == one.digest else f"is damaged, or {witness} is"


def wrong_with(place: Place, name: str, line: Line, entries: Mapping[str, Entry]) -> str:
    """Return what is wrong with a file of rows; empty where nothing is.

    >>> wrong_with(Place.of("board"), "scores-1.parquet", Line("scores-1.parquet", True, 9), {})
    'is missing'
    """
    if name not in entries:
        return "is missing"
    if line.size and entries[name].size != line.size:
        return f"has {entries[name].size:,} bytes, not {line.size:,}"
    return "" if is_whole(place, name) else "has other bytes than were written"


def is_whole(place: Place, name: str) -> bool:
    """Whether a file of rows has the bytes that its name says."""
    return name.startswith(f"{BEGINNING}{place.digest(name)}")
