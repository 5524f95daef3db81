"""Checkpoints of studies: the outcomes of the first repeats, stress by stress."""

from collections.abc import Sequence
from pathlib import Path

from podium.checkpoints import Checkpoint
from podium.errors import MethodError
from podium.origins import origin
from podium.outcomes import Outcome
from podium.trials import Trials

__all__ = ["Saved"]


class Saved:
    """A file with the first outcomes of a study.

    Parameters
    ----------
    path
        File; see `podium.checkpoints.Checkpoint`.
    trials
        What the outcomes depend on.
    """

    def __init__(self, path: Path, trials: Trials) -> None:
        made_of = origin(trials.table, trials.sweeps, trials.methods, trials.seed)
        self._path = path
        self._file = Checkpoint(path, "a study of stresses", made_of)
        self._trials = trials

    def begun(self, repeats: int) -> list[Outcome]:
        """Return the outcomes in the file, which is written at once: better to know before the work if it can be.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or was made of something else.
        MethodError
            It holds more repeats than are asked for.
        OutputError
            It cannot be written.
        """
        content = self._file.load()
        try:
            listed = [] if content is None else content["outcomes"]
            outcomes = [self._outcome(number, one) for number, one in enumerate(listed)]
        except (KeyError, TypeError, ValueError) as error:
            raise self._file.damaged("its numbers do not fit together") from error
        held = -(-len(outcomes) // len(self._trials.sweeps))
        if held > repeats:
            raise MethodError(
                f"the checkpoint {self._path} holds {held} repeats and repeats is {repeats}; ask for {held} or more, "
                "name another checkpoint, or delete it"
            )
        self.save(outcomes)
        return outcomes

    def _outcome(self, number: int, content: object) -> Outcome:
        sweep = self._trials.sweeps[number % len(self._trials.sweeps)]
        return Outcome.of_dict(
            content,
            shape=(len(self._trials.methods), len(sweep.strengths)),
            systems=len(self._trials.systems),
            truth=self._trials.ground is None or self._trials.ground.truth is not None,
        )

    def keep(self, outcomes: Sequence[Outcome]) -> None:
        """Write, if the last time is long ago."""
        if self._file.due:
            self.save(outcomes)

    def save(self, outcomes: Sequence[Outcome]) -> None:
        """Write, whole or not at all.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        self._file.save({"outcomes": [outcome.to_dict() for outcome in outcomes]})
