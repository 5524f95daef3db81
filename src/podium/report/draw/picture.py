"""A picture of a result that a notebook shows and `save` writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from podium.report.draw.file import save, to_svg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Picture:
    """What `Result.plot` draws. A notebook shows it as it is; elsewhere it is saved.

    Attributes
    ----------
    name, title
        As one asks for it, and what it shows.
    axes
        What Matplotlib knows it by, to be changed before it is saved.

    Examples
    --------
    >>> import podium
    >>> podium.agree(podium.datasets.toy_table1()).plot("bump")
    Picture(bump: Ranks by method; .save('bump.svg') writes it)
    """

    name: str
    title: str
    axes: "Axes | Sequence[Axes]"

    def save(self, path: str | Path) -> None:
        """Write it as SVG, PDF or PNG, as the suffix says; the file is whole or not there.

        Raises
        ------
        OutputError
            The suffix is of no known format, or the file cannot be written.
        """
        save(self.axes, path)

    def __repr__(self) -> str:
        return f"Picture({self.name}: {self.title}; .save({self.name + '.svg'!r}) writes it)"

    def _repr_svg_(self) -> str:
        """Return it as SVG, for notebooks."""
        return to_svg(self.axes)
