"""What was done to a board, and what it holds; frozen."""

from dataclasses import dataclass
from typing import Any, ClassVar

from podium.base.words import how_many
from podium.report.result import Result


@dataclass(frozen=True, slots=True, eq=False)
class Added(Result):
    """What `add` did.

    Attributes
    ----------
    board
        Where the board is.
    version
        Its version now.
    addition
        Digest that names what was added.
    new, same
        Scores that were written, and rows that were there already.
    missing
        Rows without a score that were written, since no other shows their system, task or instance.
    kept, replaced, repeated
        Scores that were there with another value, by what was done with them.
    systems, tasks
        How many the addition has.
    made
        Whether the board was made.
    """

    schema: ClassVar[str] = "added"

    board: str
    version: int
    addition: str
    new: int
    missing: int
    same: int
    kept: int
    replaced: int
    repeated: int
    systems: int
    tasks: int
    made: bool = False
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __repr__(self) -> str:
        return f"Added({self.sentence})"

    @property
    def written(self) -> bool:
        """Whether there is a new version."""
        return self.new + self.missing + self.replaced + self.repeated > 0

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        if not self.written:
            rest = f", and {how_many(self.kept, 'other value')} left out" if self.kept else ""
            return f"nothing new: {self.board} has all {how_many(self.same + self.kept, 'score')} already{rest}"
        said = [f"{how_many(self.new, 'score')} added"] if self.new else []
        said += [f"{how_many(self.missing, 'label')} without a score added"] if self.missing else []
        said += [f"{self.same:,} there already"] if self.same else []
        said += [f"{self.kept:,} kept as they were"] if self.kept else []
        said += [f"{self.replaced:,} replaced"] if self.replaced else []
        said += [f"{self.repeated:,} added as further repeats"] if self.repeated else []
        return f"{', '.join(said)}; {self.board} is at version {self.version}"

    def rows(self) -> list[dict[str, Any]]:
        """Return the one row of numbers."""
        names = ("version", "addition", "new", "missing", "same", "kept", "replaced", "repeated", "systems", "tasks")
        return [{name: getattr(self, name) for name in names}]

    def content(self) -> dict[str, Any]:
        """Return the board and the row."""
        return {"board": self.board, "made": self.made, "rows": self.rows()}
