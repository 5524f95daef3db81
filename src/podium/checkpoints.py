"""Checkpoints: results so far in a file, so that a run that was stopped goes on where it was."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from podium.errors import InputError
from podium.writing import write

__all__ = ["Checkpoint"]

_MEND = "delete it, or name another file"


class Checkpoint:
    """A file of JSON with results so far, and what they depend on.

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
    >>> path = Path(tempfile.mkdtemp()) / "rounds.checkpoint"
    >>> Checkpoint(path, "tosses", {"seed": 0}).save({"heads": 3})
    >>> Checkpoint(path, "tosses", {"seed": 0}).load()["heads"]
    3
    """

    def __init__(self, path: Path, what: str, origin: Mapping[str, int | str], seconds: float = 30.0) -> None:
        self._path = path
        self._what = what
        self._origin = dict(origin)
        self._seconds = seconds
        self._last = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """Return what was saved, or None where there is no file yet.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or was made of something else.
        """
        try:
            content = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self._path} cannot be read: {error.strerror}; name another file") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self._path} is no checkpoint, or is damaged; {_MEND}") from error
        if not isinstance(content, dict) or content.get("kind") != self._kind:
            raise InputError(f"{self._path} is no checkpoint of {self._what}; {_MEND}")
        self._check_origin(content.get("origin"))
        return content

    def _check_origin(self, origin: Any) -> None:
        made = origin if isinstance(origin, dict) else {}
        differing = [name for name in self._origin if made.get(name) != self._origin[name]]
        if differing:
            raise InputError(
                f"{self._path} is a checkpoint of another run, which differs in {', '.join(differing)}; {_MEND}"
            )

    @property
    def _kind(self) -> str:
        return f"podium checkpoint of {self._what}"

    @property
    def due(self) -> bool:
        """Whether the last time it was written is long ago."""
        return time.monotonic() - self._last >= self._seconds

    def save(self, body: Mapping[str, Any]) -> None:
        """Write into a file beside, which then takes the place of the last one: there is a whole one at any time.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        write(json.dumps({"kind": self._kind, "origin": self._origin, **body}), self._path)
        self._last = time.monotonic()

    def damaged(self, why: str) -> InputError:
        """Return the error for a file whose body cannot be what was saved."""
        return InputError(f"{self._path} is damaged: {why}; {_MEND}")
