"""Checkpoints: rounds so far in a file, so that a run that was stopped goes on where it was."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from podium.difficulty.rounds import Rounds
from podium.errors import InputError
from podium.writing import write

__all__ = ["Checkpoint"]

_KIND = "podium checkpoint of spurious bias"

_MEND = "delete it, or name another file"


class Checkpoint:
    """A file of JSON with the counts of the first rounds, and what they were counted on.

    Parameters
    ----------
    path
        File. One of another kind is never written over.
    origin
        What the counts depend on, by name: numbers and text.
    seconds
        How often `keep` writes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bias.checkpoint"
    >>> Checkpoint(path, {"seed": 0}).save(Rounds(1, np.array([1, 0]), np.array([2, 0]), 0))
    >>> Checkpoint(path, {"seed": 0}).load(2).number
    1
    """

    def __init__(self, path: Path, origin: Mapping[str, int | str], seconds: float = 30.0) -> None:
        self._path = path
        self._origin = dict(origin)
        self._seconds = seconds
        self._last = time.monotonic()

    def load(self, instances: int) -> Rounds:
        """Return the rounds in the file, or none where there is no file yet.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or was made of something else.
        """
        try:
            content = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return Rounds.none(instances)
        except OSError as error:
            raise InputError(f"{self._path} cannot be read: {error.strerror}; name another file") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self._path} is no checkpoint, or is damaged; {_MEND}") from error
        if not isinstance(content, dict) or content.get("kind") != _KIND:
            raise InputError(f"{self._path} is no checkpoint of spurious bias; {_MEND}")
        self._check_origin(content.get("origin"))
        return self._rounds(content, instances)

    def _check_origin(self, origin: Any) -> None:
        made = origin if isinstance(origin, dict) else {}
        differing = [name for name in self._origin if made.get(name) != self._origin[name]]
        if differing:
            raise InputError(
                f"{self._path} is a checkpoint of another run, which differs in {', '.join(differing)}; {_MEND}"
            )

    def _rounds(self, content: dict[str, Any], instances: int) -> Rounds:
        number, unconverged = content.get("rounds"), content.get("unconverged")
        correct, evaluated = (_counts(content.get(name), instances) for name in ("correct", "evaluated"))
        if correct is not None and evaluated is not None and _is_count(number) and _is_count(unconverged):
            rounds = Rounds(number, correct, evaluated, unconverged)
            if (correct <= evaluated).all() and content.get("evaluations") == int(evaluated.sum()):
                return rounds
        raise InputError(f"{self._path} is damaged: its counts do not fit together; {_MEND}")

    def keep(self, rounds: Rounds) -> None:
        """Write, if it is long ago."""
        if time.monotonic() - self._last >= self._seconds:
            self.save(rounds)

    def save(self, rounds: Rounds) -> None:
        """Write into a file beside, which then takes the place of the last one: there is a whole one at any time.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        content = {
            "kind": _KIND,
            "origin": self._origin,
            "rounds": rounds.number,
            "unconverged": rounds.unconverged,
            "evaluations": int(rounds.evaluated.sum()),
            "correct": rounds.correct.tolist(),
            "evaluated": rounds.evaluated.tolist(),
        }
        write(json.dumps(content), self._path)
        self._last = time.monotonic()


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _counts(values: Any, instances: int) -> NDArray[np.int64] | None:
    if not isinstance(values, list) or len(values) != instances or not all(map(_is_count, values)):
        return None
    return np.array(values, dtype=np.int64)
