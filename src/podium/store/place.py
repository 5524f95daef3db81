"""Where a table with versions is: a folder, or an address on object storage."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from podium.base.errors import BoardError, InputError, MissingExtraError, PodiumError
from podium.base.words import beginning

#: Folder of the log, as Delta Lake calls it.
LOG = "_delta_log"

#: How an address begins that is no path.
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

#: What stands for a letter in an address.
_QUOTED = re.compile(r"%[0-9A-Fa-f]{2}")

#: What colours a text on a terminal.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

#: Object storage that can hold a table with versions.
_STORES = ("s3://", "s3a://", "gs://", "abfs://", "abfss://", "az://")

#: How long object storage is waited for, in all of its tries together.
_PATIENCE = {"connect_timeout": "5s", "timeout": "10s", "max_retries": "1", "retry_timeout": "20s"}

#: What to do about a place that cannot be reached.
ASK = "check the address, network and credentials"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder or an address.

    Attributes
    ----------
    name
        As the user wrote it; errors say it.
    folder
        The folder; None for an address.
    """

    name: str
    folder: Path | None

    @classmethod
    def of(cls, path: str | Path) -> "Place":
        """Take a path, or an address such as `s3://bucket/board`.

        >>> Place.of("board/").folder, Place.of("s3://bucket/board").folder
        (PosixPath('board'), None)
        """
        text = str(path)
        if text.startswith("file://"):
            return cls(text, Path(text.removeprefix("file://")))
        return cls(text, None if _URL.match(text) else Path(text).expanduser())

    @property
    def url(self) -> str:
        """Return the address as Delta Lake takes it.

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
        """Options of object storage for Delta Lake, which takes more from the environment."""
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
        """Return whether there is a table with versions, of podium or another program."""
        if self.folder is not None:
            log = self.folder / LOG
            return log.is_dir() and any(path.suffix == ".json" for path in log.iterdir())
        with self.reading():
            return bool(table_class(self.name).is_deltatable(self.url, self.options))

    def files(self) -> Any:
        """Return the files of the place as Arrow's file system."""
        from pyarrow import fs  # noqa: PLC0415  # only where a board is read or written

        if self.folder is not None:
            return fs.SubTreeFileSystem(str(self.folder), fs.LocalFileSystem())
        table_class(self.name)
        from deltalake.fs import DeltaStorageHandler  # noqa: PLC0415  # optional

        return fs.PyFileSystem(DeltaStorageHandler(self.url, self.options))

    def remove(self, name: str) -> None:
        """Remove a file of rows that no version has; if that fails, vacuum removes it later."""
        with suppress(OSError):
            self.files().delete_file(name)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn errors of a disk or a store into one that says what to do.

        Raises
        ------
        BoardError
            A file is missing or damaged, or the place cannot be reached.
        """
        advice = ASK if self.folder is None else earlier(self)
        try:
            yield
        except PodiumError:
            raise
        except FileNotFoundError as error:
            raise BoardError(f"{self.name}: a file is missing: {shortened(error)}; {advice}") from error
        except (OSError, ValueError, LookupError, NotImplementedError) as error:
            raise BoardError(f"{self.name} cannot be read: {shortened(error)}; {advice}") from error


def earlier(place: Place) -> str:
    """Advise to read an earlier version."""
    return f"read an earlier version (--as-of), which podium board log {place.name} lists"


def place_of(source: Any) -> Place | None:
    """Return where the table with versions is that a source names; None if it names none.

    Raises
    ------
    InputError
        It names others beside it.
    """
    listed = [source] if isinstance(source, str | Path) else source
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str | Path) for one in listed):
        return None
    found = [place for place in map(Place.of, listed) if _may_have_log(place)]
    if found and len(listed) > 1:
        raise InputError(f"{found[0].name} is a board, and is read by itself; add the other files to it (podium add)")
    return found[0] if found else None


def _may_have_log(place: Place) -> bool:
    """Look for a log; an address that looks like that of a file or of many is not asked."""
    if place.folder is not None:
        return (place.folder / LOG).is_dir()
    end = place.name.rpartition("/")[2]
    return place.name.startswith(_STORES) and not any(sign in end for sign in ".*?[") and place.has_log()


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


def shortened(error: Exception) -> str:
    r"""Return the first words of the error of a library, in one line, and without colours of a terminal.

    >>> shortened(OSError("\x1b[31mdisk\x1b[0m full"))
    'disk full'
    """
    return beginning(" ".join(_COLOURS.sub("", str(error)).split()), 200)
