"""Files of rows that count only if they are whole: all their bytes are compared with the digests in their names."""

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from podium.base.errors import InputError
from podium.store.log import DataFile
from podium.store.place import Place
from podium.store.row import RowFile, row_files

#: Files fetched at once, and bytes of a piece.
_AT_ONCE, _PIECE = 16, 2**23


@contextmanager
def whole(place: Place, files: Sequence[DataFile]) -> Iterator[list[RowFile]]:
    """Open files of rows, to read all of them; those that are far away are fetched first, once.

    Raises
    ------
    BoardError
        One is missing or damaged. What was read of it meanwhile must not be used.
    InputError
        There is no room for a copy of what is far away.
    """
    with copied(place, [file.name for file in files]) as here:
        several = row_files(here, files)
        with comparing(several):
            yield several


@contextmanager
def comparing(files: Sequence[RowFile]) -> Iterator[None]:
    """Compare files of this machine with the digests in their names while they are read.

    Pages have checksums, what is between and behind them has none. So a damaged file may make sense, or an error that
    says less.

    Raises
    ------
    BoardError
        One was changed, whatever else has gone wrong.
    """
    with ThreadPoolExecutor(1) as pool:
        compared = pool.submit(_compare, files)
        try:
            yield
        finally:
            compared.result()


def _compare(files: Sequence[RowFile]) -> None:
    for file in files:
        with file.intact():
            if file.place.folder is not None and file.place.digest(file.file.name) not in file.file.name:
                raise ValueError("its content has changed")


@contextmanager
def copied(place: Place, names: Sequence[str]) -> Iterator[Place]:
    """Copy files that are far away to this machine, for as long as they are read; others stay where they are.

    Raises
    ------
    BoardError
        One is missing, or the store does not give it.
    InputError
        There is no room for a copy.
    """
    if place.folder is not None:
        yield place
        return
    with _fitting(place):
        folder = tempfile.TemporaryDirectory(prefix="podium-")
    with folder as here:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda name: _fetch(place, Path(here), name), names))
        yield replace(place, folder=Path(here))


def _fetch(place: Place, here: Path, name: str) -> None:
    """Copy a file into a folder of this machine."""
    with place.open(name) as stream, _fitting(place), (here / name).open("wb") as target:
        while piece := _read(place, name, stream):
            target.write(piece)


def _read(place: Place, name: str, stream: Any) -> bytes:
    with place.answering(name):
        piece: bytes = stream.read(_PIECE)
        return piece


@contextmanager
def _fitting(place: Place) -> Iterator[None]:
    """Turn what the disk of this machine answers into an error that says what to do."""
    try:
        yield
    except OSError as error:
        reason = f"{place.name} does not fit into {tempfile.gettempdir()}: {error.strerror or error}"
        raise InputError(f"{reason}; name a folder with more room in the environment variable TMPDIR") from error
