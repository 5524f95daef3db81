"""Files that keep the results so far, so a stopped run can continue."""

import io
import time
from collections.abc import Mapping
from pathlib import Path
from pickle import PicklingError
from typing import Any

from numpy.typing import NDArray

from podium.base.archive import Archive, write_archive
from podium.base.errors import InputError
from podium.base.file import write

Arrays = dict[str, NDArray[Any]]

_MEND = "delete it, or name another file"

#: How checkpoints of earlier versions begin, which were text.
_EARLIER = b'{"kind": "podium checkpoint'


class Checkpoint:
    """A file of results so far: a header in JSON, which says what they depend on, and arrays, all in one .npz.

    Parameters
    ----------
    path
        File. One of another kind is never written over.
    what
        What the results are, in words.
    origin
        What they depend on, by name: numbers and text.
    seconds
        How often it is `due`.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> path = Path(tempfile.mkdtemp()) / "rounds.checkpoint"
    >>> Checkpoint(path, "tosses", {"seed": 0}).save({"heads": np.array([3, 1])})
    >>> Checkpoint(path, "tosses", {"seed": 0}).load()
    {'heads': array([3, 1])}
    """

    def __init__(self, path: Path, what: str, origin: Mapping[str, int | str], seconds: float = 30.0) -> None:
        self.path = path
        self._kind = f"podium checkpoint of {what}"
        self._what = what
        self._origin = dict(origin)
        self._seconds = seconds
        self._last = time.monotonic()

    def load(self) -> Arrays:
        """Return the arrays that were saved, or none where there is no file yet.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or belongs to another run or an earlier version.
        """
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror}; name another file") from error
        if content.startswith(_EARLIER):
            raise InputError(f"{self.path} is a checkpoint of an earlier version of podium; {_MEND}")
        arrays, header = self._parsed(content)
        ours = isinstance(header, dict) and header.get("kind") == self._kind
        if not ours or not isinstance(header.get("origin"), dict):
            raise InputError(f"{self.path} is no checkpoint of {self._what}; {_MEND}")
        made = header["origin"]
        differing = [name for name in self._origin if made.get(name) != self._origin[name]]
        if differing:
            raise InputError(
                f"{self.path} is a checkpoint of another run, which differs in {', '.join(differing)}; {_MEND}"
            )
        return arrays

    def _parsed(self, content: bytes) -> tuple[Arrays, Any]:
        """Return the arrays and the header of a file; every array has a checksum, so damage is noticed."""
        try:
            with Archive(io.BytesIO(content)) as archive:
                return {name: archive[name] for name in archive.names}, archive.header
        except (ValueError, OSError) as error:
            raise InputError(f"{self.path} is no checkpoint, or is damaged; {_MEND}") from error

    @property
    def due(self) -> bool:
        """Whether the last time it was written is long ago."""
        return time.monotonic() - self._last >= self._seconds

    def save(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write into a second file, which then replaces the first: a whole file is there at any time.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        content = io.BytesIO()
        header = {"kind": self._kind, "origin": self._origin}
        write_archive(content, header, arrays.items(), compressed=True)
        write(content.getvalue(), self.path)
        self._last = time.monotonic()

    def damaged(self, why: str) -> InputError:
        """Return the error for a file whose arrays cannot be those that were saved."""
        return InputError(f"{self.path} is damaged: {why}; {_MEND}")


def fingerprint(value: Any) -> str:
    """Return a short text that is the same for equal content in every process and run.

    Functions and classes are known by their names alone.

    Raises
    ------
    TypeError
        The value is or holds a lambda, a closure, or something else that has no name of its own.

    Examples
    --------
    >>> import numpy as np
    >>> fingerprint(np.arange(3)) == fingerprint(np.array([0, 1, 2]))
    True
    """
    import joblib  # noqa: PLC0415  # only where there is a checkpoint

    try:
        return str(joblib.hash(value))
    except (PicklingError, AttributeError) as error:
        raise TypeError(str(error)) from error
