"""Checkpoints of spurious bias: the counts of the first rounds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from podium import checkpoints
from podium.difficulty.rounds import Rounds

__all__ = ["Checkpoint"]


class Checkpoint:
    """A file with the counts of the first rounds, and what they were counted on.

    Parameters
    ----------
    path, origin, seconds
        As of `podium.checkpoints.Checkpoint`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bias.checkpoint"
    >>> Checkpoint(path, {"seed": 0}).save(Rounds(1, np.array([1, 0]), np.array([2, 0]), 0))
    >>> Checkpoint(path, {"seed": 0}).load(2).number
    1
    """

    def __init__(self, path: Path, origin: Mapping[str, int | str], seconds: float = 30.0) -> None:
        self._file = checkpoints.Checkpoint(path, "spurious bias", origin, seconds)

    def load(self, instances: int) -> Rounds:
        """Return the rounds in the file, or none where there is no file yet.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or was made of something else.
        """
        content = self._file.load()
        if content is None:
            return Rounds.none(instances)
        number, unconverged = content.get("rounds"), content.get("unconverged")
        correct, evaluated = (_counts(content.get(name), instances) for name in ("correct", "evaluated"))
        if correct is not None and evaluated is not None and _is_count(number) and _is_count(unconverged):
            rounds = Rounds(number, correct, evaluated, unconverged)
            if (correct <= evaluated).all() and content.get("evaluations") == int(evaluated.sum()):
                return rounds
        raise self._file.damaged("its counts do not fit together")

    def keep(self, rounds: Rounds) -> None:
        """Write, if the last time is long ago."""
        if self._file.due:
            self.save(rounds)

    def save(self, rounds: Rounds) -> None:
        """Write, whole or not at all.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        self._file.save({
            "rounds": rounds.number,
            "unconverged": rounds.unconverged,
            "evaluations": int(rounds.evaluated.sum()),
            "correct": rounds.correct.tolist(),
            "evaluated": rounds.evaluated.tolist(),
        })  # fmt: skip


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _counts(values: Any, instances: int) -> NDArray[np.int64] | None:
    if not isinstance(values, list) or len(values) != instances or not all(map(_is_count, values)):
        return None
    return np.array(values, dtype=np.int64)
