"""All parts of a question together, from which its answer is made; or why that cannot be."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from podium.base.archive import Archive
from podium.base.errors import InputError, MethodError
from podium.base.words import few
from podium.score.table import Scores
from podium.tally.engine.kept import from_arrays
from podium.tally.engine.part import ENDING, KIND, Part, PartQuestion, digest_of
from podium.tally.engine.stretch import Tallies
from podium.tally.engine.version import named_version, versions


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read of a file before its tallies are: which part of which question it is, and what it holds."""

    path: Path
    part: Part
    question: PartQuestion
    keys: frozenset[str]


class AllParts:
    """All parts of a question: a shelf of their tallies.

    Parameters
    ----------
    folder
        Where their files are.

    Raises
    ------
    InputError
        There are none; some are missing or damaged; or they are of several questions, tables or versions.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not folder.is_dir():
            what = "is a file" if folder.exists() else "is not there"
            raise InputError(f"{folder} {what}; name the folder into which podium tally -o has written parts")
        paths = sorted(folder.glob(f"*{ENDING}"))
        if not paths:
            raise InputError(
                f"{folder} holds no parts; make them with podium tally … --part 1/4 -o {folder}, and so on"
            )
        read = _read(paths)
        self.question = _one_question(read)
        self._check_complete([one.part for one in read])
        self._places = {key: one.path for one in read for key in one.keys}
        self._open: tuple[Path, Archive] | None = None

    def _check_complete(self, found: Sequence[Part]) -> None:
        of = found[0].of
        there = {part.number for part in found}
        missing = [number for number in range(1, of + 1) if number not in there]
        if missing:
            what = "part" if len(missing) == 1 else "parts"
            command = self.question.command_of(Part(missing[0], of), self._folder)
            raise InputError(
                f"{self._folder} lacks {what} {few(list(map(str, missing)))} of {of}; run: {command}"
                + (", and so on" if len(missing) > 1 else "")
            )

    def check_table(self, scores: Scores) -> None:
        """Refuse another table than the one that was counted.

        Raises
        ------
        InputError
            It is another one.
        """
        if digest_of(scores) != self.question.table:
            raise InputError(
                f"the table is not the one that the parts in {self._folder} were counted of; put that one back, or "
                f"delete the parts and count them anew: {self.question.command} --part …"
            )

    def get(self, key: str, kinds: Iterable[type[Any]]) -> Tallies | None:
        """Return the tallies of a stretch, or None where no part has them."""
        path = self._places.get(key)
        if path is None:
            return None
        try:
            if self._open is None or self._open[0] != path:
                self._close()
                self._open = path, Archive(path)
            return from_arrays(kinds, self._open[1], f"{key}/")
        except (ValueError, OSError) as error:
            raise InputError(f"{path} has changed since it was looked at; run the same command again") from error

    def put(self, key: str, tallies: Tallies) -> None:
        """Keep nothing: what no part has is small."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


def _read(paths: Sequence[Path]) -> list[_Read]:
    """Read files to their end; if some are damaged, say how to make them again."""
    read, damaged = [], []
    for path in paths:
        try:
            with Archive(path) as archive:
                archive.check()
                read.append(_checked(path, archive))
        except (ValueError, OSError):
            damaged.append(path)
    if not damaged:
        return read
    again = "make it again"
    if read and (named := re.search(rf"-(\d+)-of-(\d+){ENDING}$", damaged[0].name)):
        again = f"run: {read[0].question.command_of(Part(int(named[1]), int(named[2])), damaged[0].parent)}"
    raise InputError(f"{few(list(map(str, damaged)))}: damaged, or no part of podium; delete it, and {again}")


def _checked(path: Path, archive: Archive) -> _Read:
    """Understand a header; a ValueError says that it is none of ours."""
    try:
        header = dict(archive.header)
        kind, part = header.pop("kind"), Part.typed(f"{header.pop('part')}/{header.pop('parts')}")
        question = PartQuestion(**header)
    except (TypeError, KeyError, MethodError) as error:
        raise ValueError(str(error)) from error
    if kind != KIND:
        raise ValueError(f"it is {kind!r}")
    return _Read(path, part, question, frozenset(name.partition("/")[0] for name in archive.names))


def _one_question(read: Sequence[_Read]) -> PartQuestion:
    """Return what all files are parts of; refuse those of several questions, or of other versions than this one."""
    here, first = versions(), read[0]
    for one in read:
        for name, version in here.items():
            if one.question.made.get(name) != version:
                other = named_version(name, str(one.question.made.get(name, "")))
                raise InputError(
                    f"{one.path} was counted with {other}, and this machine has {named_version(name, version)}; use "
                    "the same, or delete it and count it anew"
                )
        if differing := _differing(first, one):
            raise InputError(
                f"{first.path} and {one.path} are parts of different questions: they differ in {few(differing)}; keep "
                "those of one question in a folder of their own"
            )
    return first.question


def _differing(first: _Read, other: _Read) -> list[str]:
    """In what two parts differ that should be of one question, as the command line calls it."""
    asked, others = first.question.asked, other.question.asked
    names = [name for name in {**asked, **others} if asked.get(name) != others.get(name)]
    differing = ["the files" if name == "sources" else f"--{name.replace('_', '-')}" for name in names]
    if not differing and first.question.table != other.question.table:
        differing = ["the table"]
    return [*differing, *(["the number of parts"] if first.part.of != other.part.of else [])]
