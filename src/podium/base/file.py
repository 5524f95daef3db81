"""Files that are written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from threading import get_ident
from typing import BinaryIO

from podium.base.errors import OutputError


def check_writable(path: Path) -> None:
    """Raise an error before the work if a file cannot be written after it.

    Raises
    ------
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> check_writable(Path("no/such/folder/board.json"))
    Traceback (most recent call last):
    podium.errors.OutputError: no/such/folder/board.json: there is no folder no/such/folder; create it first
    """
    if path.is_dir():
        raise OutputError(f"{path} is a folder; name a file in it")
    folder = path.parent
    if not folder.exists():
        raise OutputError(f"{path}: there is no folder {folder}; create it first")
    if not folder.is_dir():
        raise OutputError(f"{path}: {folder} is not a folder")
    with _explained(path):
        with suppress(FileNotFoundError):
            path.stat()  # refuses a link that leads to itself, which `exists` passes over
        if _special(path):
            # a pipe must not be opened here: its reader would take that for the result
            return
        if path.exists():
            # opened for appending, so that a file that is there keeps its content
            path.open("a").close()
        partial = _partial(path)
        partial.touch()
        partial.unlink()


def write(content: str | bytes, path: Path) -> None:
    """Write a file whole or not at all: a reader never sees half a result.

    Raises
    ------
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "board.txt"
    >>> write("1  A", path)
    >>> path.read_text()
    '1  A'
    """
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file to be written whole or not at all: it gets its name when all is written, unless an error comes first.

    Raises
    ------
    OutputError
        The file cannot be written.
    """
    check_writable(path)
    with _explained(path):
        if _special(path):
            with path.open("wb") as file:
                yield file
            return
        _remove_left(path)
        partial = _partial(path)
        try:
            with partial.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # or a crash could leave the new name on half of the content
            if path.exists():
                shutil.copymode(path, partial)
            partial.replace(path.resolve())
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)


def _special(path: Path) -> bool:
    """Return whether a path is a device or a pipe, which cannot be replaced."""
    return path.exists() and not path.is_file()


def _partial(path: Path) -> Path:
    """Return a name beside the target, which is renamed at the end; links are followed."""
    from platform import node  # noqa: PLC0415  # only where a file is written

    target = path.resolve()
    return target.with_name(f".{target.name}.{node()}.{os.getpid()}-{get_ident()}.partial")


def _remove_left(path: Path) -> None:
    """Remove what processes of this machine left that were killed while they wrote the same file."""
    if os.name == "nt":  # where asking whether a process lives ends it
        return
    own = _partial(path)
    ours = own.name.removesuffix(".partial").rpartition(".")[0]
    for left in own.parent.glob(f"{escape(ours)}.*-*.partial"):
        process = left.name.removesuffix(".partial").rpartition(".")[2].partition("-")[0]
        if process.isdecimal() and not _lives(int(process)):
            with suppress(OSError):
                left.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's, or no number of a process
        return True
    return True


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}; choose another place") from error
