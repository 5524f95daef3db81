"""What a result looks like, before anybody chooses where to show it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podium.report.table import Table, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of a result that can be drawn.

    Attributes
    ----------
    name
        How one asks for it, and its file name in a folder.
    title
        What it shows, in words.
    draw
        From options of the picture to its axes.
    """

    name: str
    title: str
    draw: Callable[..., "Axes | Sequence[Axes]"]

    def of(self, result: Any) -> "Figure":
        """Return the same picture of one result, so that `draw` takes the options only."""
        return Figure(self.name, self.title, lambda **options: self.draw(result, **options))


@dataclass(frozen=True, slots=True)
class View:
    """A title, what the result says, its tables, notes and pictures.

    Attributes
    ----------
    title
        What was done to what.
    tables
        The numbers, most important first.
    notes
        What to know before trusting them, and how to read them.
    verdict
        The answer in sentences; it stands first.
    figures
        Pictures that can be drawn of it; the first is the usual one.
    """

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", printable(self.title))
        object.__setattr__(self, "notes", tuple(map(printable, self.notes)))
        object.__setattr__(self, "verdict", tuple(map(printable, self.verdict)))
