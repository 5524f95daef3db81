"""Files in folders: links are followed, hidden folders are not, and nothing is met twice."""

import errno
import os
import stat
from collections.abc import Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from podium.store.place import LOG

#: Hidden folders of programs, which never hold results; others are named where they are left out.
_OF_PROGRAMS = frozenset(
    (
        *(".git", ".hg", ".svn", ".github", ".venv", ".tox", ".nox", ".idea", ".vscode", ".cache", ".config", ".local"),
        *(".ipynb_checkpoints", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".huggingface", ".Trash", ".npm"),
    )
)


class Walk:
    """The files of paths, patterns and folders, each with its size, sorted folder by folder.

    Parameters
    ----------
    inside
        Names of hidden folders that are looked into, with the hidden files in them.

    Attributes
    ----------
    files
        Path and size of each file.
    hidden, closed
        Folders that were left out: hidden ones, and those that cannot be opened.
    boards
        Folders with the log of a board or another Delta table, which is read by itself.
    loops, special
        Links that lead to themselves; pipes, sockets and devices, which may never end.
    """

    def __init__(self, inside: frozenset[str] = frozenset()) -> None:
        self.files: dict[str, int] = {}
        self.hidden: list[str] = []
        self.closed: list[str] = []
        self.boards: list[str] = []
        self.loops: list[str] = []
        self.special: list[str] = []
        self._inside = inside
        self._seen: set[tuple[int, int]] = set()

    def add(self, source: Any) -> None:
        """Add all files of a source; none of what is no path."""
        if not isinstance(source, str | Path) or not str(source) or str(source) == "-":
            return
        path = Path(source).expanduser()
        if path.is_dir():
            links = list(self._add_folder(str(path)))
            # What is there by itself comes first, so that a link to it adds nothing.
            while links:
                links = [later for link in links for later in self._add_folder(link)]
        elif path.is_file():
            self.files.setdefault(str(path), path.stat().st_size)
        elif not path.exists() and has_magic(str(path)):
            for match in sorted(glob(str(path), recursive=True)):  # noqa: PTH207  # the pattern may be absolute
                self.add(match)

    def _add_folder(self, folder: str) -> Iterator[str]:
        """Add the files of a folder and those below, and yield links to other folders."""
        try:
            known = os.stat(folder)  # noqa: PTH116  # a folder may be one of a hundred thousand
            with os.scandir(folder) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            self.closed.append(folder)
            return
        if (known.st_dev, known.st_ino) in self._seen:
            return
        self._seen.add((known.st_dev, known.st_ino))
        if any(entry.name == LOG and entry.is_dir() for entry in entries):
            self.boards.append(folder)
            return
        folders, all_of = [], os.path.basename(folder) in self._inside  # noqa: PTH119  # as above
        for entry in entries:
            try:
                if entry.is_dir():
                    folders += [entry] if self._is_open(entry) else []
                elif all_of or not entry.name.startswith("."):
                    self._add_file(entry)
            except OSError as error:
                # A link that leads nowhere is passed over.
                self.loops += [entry.path] if error.errno == errno.ELOOP else []
        for entry in folders:
            if entry.is_symlink():
                yield entry.path
            else:
                yield from self._add_folder(entry.path)

    def _add_file(self, entry: "os.DirEntry[str]") -> None:
        found = entry.stat()
        if stat.S_ISREG(found.st_mode):
            self.files.setdefault(entry.path, found.st_size)
        else:
            self.special.append(entry.path)

    def _is_open(self, folder: "os.DirEntry[str]") -> bool:
        """Whether a folder is looked into."""
        if not folder.name.startswith(".") or folder.name in self._inside:
            return True
        self.hidden += [] if folder.name in _OF_PROGRAMS else [folder.path]
        return False
