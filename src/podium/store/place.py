"""Where a table of versions is: a folder, or an address on object storage, and the files there."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from podium.base.errors import BoardError, InputError, MissingExtraError, OutputError
from podium.base.words import beginning

#: Folder of the log, as Delta Lake calls it.
LOG = "_delta_log"

#: How an address begins that is no path.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: What stands for a letter in an address.
_QUOTED = re.compile(r"%[0-9A-Fa-f]{2}")

#: Object storage that can hold a table of versions.
_STORES = ("s3://", "s3a://", "gs://", "abfs://", "abfss://", "az://")

#: How long object storage is waited for, in all of its tries together.
_PATIENCE = {"connect_timeout": "5s", "timeout": "10s", "max_retries": "1", "retry_timeout": "20s"}

#: Letters that are shown of what a library says.
_LONGEST = 200

#: How names of files end that are not whole yet, and names of podium's own files beside the log.
_PARTIAL = ".partial"
_ROWS = re.compile(r"scores-[0-9a-f]{64}(-[0-9a-f]{16})?\.parquet")
_OWN = re.compile(rf"{_ROWS.pattern}|podium-[0-9a-f]{{32}}\{_PARTIAL}")


class Entry(NamedTuple):
    """A file of a place: its name there, its bytes, and when it was written, in seconds since 1970."""

    name: str
    size: int
    written: float


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or an address, and what is done with its files.

    Attributes
    ----------
    name
        As it was typed; errors say it.
    folder
        The folder; None for an address.
    """

    name: str
    folder: Path | None

    @classmethod
    def of(cls, typed: str | Path) -> "Place":
        """Take a path, or an address such as `s3://bucket/board`.

        >>> Place.of("board/").folder, Place.of("s3://bucket/board").folder
        (PosixPath('board'), None)
        """
        text = str(typed)
        if text.startswith("file://"):
            return cls(text, Path(text.removeprefix("file://")))
        return cls(text, None if _URL.match(text) else Path(text).expanduser())

    @property
    def url(self) -> str:
        """What Delta Lake calls it.

        Raises
        ------
        InputError
            It cannot open such a folder.
        """
        if self.folder is None:
            return self.name
        # it decodes paths that it lists once more, with links followed; then it looks for another folder
        for folder in (self.folder.absolute(), self.folder.resolve()):
            if found := _QUOTED.search(str(folder)):
                reason = f"Delta Lake takes {found.group()} for another letter; choose another folder"
                raise InputError(f"a board cannot be in {str(folder)!r}: {reason}")
        return self.folder.absolute().as_uri()

    @property
    def options(self) -> dict[str, str] | None:
        """What Delta Lake is told of object storage, beside what it takes from the environment."""
        if self.folder is not None:
            return None
        options = dict(_PATIENCE)
        if self.name.startswith(("s3://", "s3a://")):
            endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
            region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"
            options |= {"AWS_REGION": region, "aws_conditional_put": "etag"}
            options |= {"AWS_ENDPOINT_URL": endpoint} if endpoint else {}
            options |= {"AWS_ALLOW_HTTP": "true"} if endpoint.startswith("http://") else {}
        return options

    def has_log(self) -> bool:
        """Whether there is a table of versions, whoever wrote it."""
        if self.folder is not None:
            log = self.folder / LOG
            return log.is_dir() and any(path.suffix == ".json" for path in log.iterdir())
        with self.answering():
            return bool(table_class(self.name).is_deltatable(self.url, self.options))

    def may_have_log(self) -> bool:
        """Whether there may be one; an address that looks like that of a file or of many is not asked."""
        if self.folder is not None:
            return (self.folder / LOG).is_dir()
        end = self.name.rpartition("/")[2]
        return self.name.startswith(_STORES) and not any(sign in end for sign in ".*?[") and self.has_log()

    def open(self, name: str) -> Any:
        """Open a file with random access, for Arrow.

        Raises
        ------
        BoardError
            It is not there, or the store does not give it.
        """
        import pyarrow as pa  # noqa: PLC0415  # only to read

        with self.answering(name):
            if self.folder is not None:
                return pa.OSFile(str(self.folder / name))
            return self._system().open_input_file(name)

    def read(self, name: str) -> bytes:
        """Return the bytes of a small file."""
        with self.open(name) as stream, self.answering(name):
            content: bytes = stream.read()
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""
        if self.folder is not None:
            (self.folder / name).write_bytes(content)
        else:
            with self._system().open_output_stream(name) as stream:
                stream.write(content)

    def digest(self, name: str) -> str:
        """Return the SHA-256 of a file, in hexadecimal digits."""
        with self.open(name) as stream, self.answering(name):
            return _digest(stream)

    def size(self, name: str) -> int | None:
        """Bytes of a file; None where it is not there."""
        if self.folder is not None:
            path = self.folder / name
            return path.stat().st_size if path.is_file() else None
        with self.answering(name):
            (info,) = self._system().get_file_info([name])
        return info.size if info.is_file else None

    def entries(self, below: str = "") -> list[Entry]:
        """List all files, or those of a folder, by name."""
        if self.folder is not None:
            return list(_listed(self.folder, below))
        from pyarrow.fs import FileSelector  # noqa: PLC0415  # only for what is far away

        with self.answering():
            listed = self._system().get_file_info(FileSelector(below, recursive=True, allow_not_found=True))
        entries = [Entry(one.path, one.size or 0, (one.mtime_ns or 0) / 1e9) for one in listed if one.is_file]
        return sorted(entries)

    def remove(self, name: str) -> None:
        """Remove a file; one that is gone already is no error."""
        with self.answering(name):
            if self.folder is not None:
                (self.folder / name).unlink(missing_ok=True)
            elif self.size(name) is not None:
                self._system().delete_file(name)

    def rename(self, name: str, other: str) -> None:
        """Give a file another name."""
        with self.answering(name):
            if self.folder is not None:
                (self.folder / other).parent.mkdir(exist_ok=True)
                (self.folder / name).replace(self.folder / other)
            else:
                self._system().move(name, other)

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """Yield the path of a new file on this machine, which is removed unless `keep` has taken it.

        Raises
        ------
        OutputError
            There is no room, or it may not be written.
        """
        path = self._partial()
        try:
            with self.storing():
                yield path
        finally:
            path.unlink(missing_ok=True)

    def keep(self, path: Path, beginning: str, ending: str) -> Entry:
        """Give a file that is whole its name, which has its SHA-256 between a beginning and an ending."""
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
            name = f"{beginning}{_digest(stream)}{ending}"
        size = path.stat().st_size
        if self.folder is not None:
            path.replace(self.folder / name)
        else:
            with path.open("rb") as stream, self._system().open_output_stream(name) as target:
                shutil.copyfileobj(stream, target, 2**23)
        return Entry(name, size, 0.0)

    @contextmanager
    def answering(self, name: str = "") -> Iterator[None]:
        """Turn what a disk or a store answers into an error that says what to do.

        Raises
        ------
        BoardError
            It is not there, cannot be reached, or refuses.
        """
        where = f"{self.name}: {name}" if name else self.name
        try:
            yield
        except FileNotFoundError as error:
            raise BoardError(f"{where} is missing; podium board check {self.name} says what is lost") from error
        except (OSError, ValueError) as error:
            raise BoardError(f"{where} cannot be read: {said(error)}; {self._advice()}") from error

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Turn what a disk or a store answers to a write into an error that says what to do.

        Raises
        ------
        OutputError
            There is no room, it cannot be reached, or it refuses.
        """
        try:
            yield
        except OSError as error:
            where = "nothing was added; make room, or choose another place"
            raise OutputError(f"{self.name} cannot be written: {error.strerror or said(error)}; {where}") from error

    def _advice(self) -> str:
        return "check that you may read it" if self.folder is not None else "check the address, network and credentials"

    def _partial(self) -> Path:
        name = f"podium-{uuid4().hex}{_PARTIAL}"
        if self.folder is None:
            return Path(tempfile.gettempdir(), name)
        with self.storing():
            self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder.absolute() / name  # so that none looks like an address

    def _system(self) -> Any:
        table_class(self.name)
        from podium.store.far import file_system  # noqa: PLC0415  # only for what is far away

        return file_system(self.url, self.options)


def _listed(folder: Path, below: str) -> Iterator[Entry]:
    """Yield the files of a folder, but for those that others remove at the same time."""
    for path in sorted(path for path in (folder / below).rglob("*") if path.is_file()):
        with suppress(FileNotFoundError):
            one = path.stat()
            yield Entry(path.relative_to(folder).as_posix(), one.st_size, one.st_mtime)


def place_of(source: Any) -> Place | None:
    """Return where the table with versions is that a source names alone; None where it names none.

    Raises
    ------
    InputError
        It names others beside.
    """
    listed = [source] if isinstance(source, str | Path) else source
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str | Path) for one in listed):
        return None
    found = [place for place in map(Place.of, listed) if place.may_have_log()]
    if found and len(listed) > 1:
        raise InputError(f"{found[0].name} is a board, and is read by itself; add the other files to it (podium add)")
    return found[0] if found else None


def place_for(board: str | os.PathLike[str]) -> Place:
    """Return where a board is, or will be.

    Raises
    ------
    InputError
        No board can be there.
    """
    place = Place.of(os.fspath(board))
    if place.folder is None and not place.name.startswith(_STORES):
        raise InputError(f"no board can be at {place.name}; name a folder, or an address such as s3://bucket/board")
    try:
        (place.name + place.url).encode()
    except UnicodeEncodeError:
        raise InputError(f"the name of the board, {place.name!r}, is no text in UTF-8; choose another") from None
    return place


def is_rows(name: str) -> bool:
    """Whether a file is one of rows, by its name.

    >>> is_rows("scores-mine.parquet"), is_rows(f"scores-{'0f' * 32}-{'0f' * 8}.parquet")
    (False, True)
    """
    return _ROWS.fullmatch(name) is not None


def is_own(name: str) -> bool:
    """Whether a file is podium's, by its name.

    >>> is_own("_delta_log/0.json"), is_own("podium-mine.partial")
    (True, False)
    """
    return name.startswith(f"{LOG}/") or _OWN.fullmatch(name) is not None


def _digest(stream: Any) -> str:
    digest = hashlib.sha256()
    while piece := stream.read(2**22):
        digest.update(piece)
    return digest.hexdigest()


def table_class(name: str) -> Any:
    """Return the class of the tables of Delta Lake.

    Raises
    ------
    MissingExtraError
        The library is not installed.
    """
    try:
        from deltalake import DeltaTable  # noqa: PLC0415  # optional
    except ImportError:
        raise MissingExtraError("deltalake", "store", f"the board {name}") from None
    return DeltaTable


def said(error: Exception) -> str:
    """Return the first words of what a library says, in one line."""
    return beginning(" ".join(str(error).split()), _LONGEST)
