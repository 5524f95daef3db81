"""A system entered several times, as when a laboratory submits variants of one."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import numpy as np

from podium.base.check import checked_count
from podium.robustness.stress.stress import Cases, check_label
from podium.score.table import Scores


@dataclass(frozen=True, slots=True)
class CloneSystem:
    """Add copies of a system: the same scores under other labels, after all others.

    Means judge each system alone and do not move. Borda counts may turn other systems round. The best orders of the
    others by exact Kemeny at levels task and one stay the same as long as no cycle of strict majorities passes through
    the system (so, always where majorities have no cycle), and no score is missing, or missing="direct" leaves missing
    ones out; of several best orders another may then be chosen. In a cycle through the system, copies multiply its
    majorities, and can turn others round; and where missing scores are imputed, every copy changes what is expected of
    them. At level two all this must hold within each task and among the orders of the tasks, and each task must have a
    single best order: of several one is its ballot, and with copies that may be another.

    Attributes
    ----------
    copies
        How many to add, labelled "NAME (copy 1)" and so on; numbers whose label exists are skipped.
    system
        Label of the system; by default one drawn at random.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up.
    LabelError
        When called: there is no such system.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.CloneSystem(2, "B")(podium.datasets.toy_table1(), np.random.default_rng(0)).systems
    ('A', 'B', 'C', 'B (copy 1)', 'B (copy 2)')
    """

    copies: int
    system: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", checked_count("copies", self.copies))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Add copies of the system, drawn by the generator unless it is named."""
        drawn = int(rng.integers(len(scores.systems)))
        return self._copied(scores, drawn if self.system is None else self._named(scores, self.system))

    def cases(self, scores: Scores) -> Cases:
        """List every system; one where it is named."""
        if self.system is None:
            return Cases(len(scores.systems), 1, lambda chosen: self._copied(scores, *chosen))
        row = self._named(scores, self.system)
        return Cases(0, 0, lambda _: self._copied(scores, row))

    @staticmethod
    def _named(scores: Scores, system: str) -> int:
        check_label(system, scores)
        return scores.systems.index(system)

    def _copied(self, scores: Scores, row: int) -> Scores:
        if not self.copies:
            return scores
        labels = islice(_labels(scores.systems[row], set(scores.systems)), self.copies)
        rows = [*range(len(scores.systems)), *[row] * self.copies]
        return scores.take(rows, (*scores.systems, *labels))


def _labels(system: str, taken: set[str]) -> Iterator[str]:
    return (label for label in (f"{system} (copy {number})" for number in count(1)) if label not in taken)
