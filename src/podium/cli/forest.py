"""A forest plot beside a comparison: what `--plot FILE` and its options ask for."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import podium
from podium.cli import effect_options, options
from podium.errors import MethodError, OutputError
from podium.meta_analyses import MetaAnalysis

__all__ = ["Forest"]


@dataclass(frozen=True, slots=True)
class Forest:
    """Where a forest plot goes, and what is on it.

    Attributes
    ----------
    path
        File, or None for no plot.
    sort, title
        Of `podium.plots.forest`.
    left, right
        Names of columns, empty for the usual ones.
    """

    path: Path | None
    sort: str | None
    left: tuple[str, ...]
    right: tuple[str, ...]
    title: str | None

    @classmethod
    def of(
        cls,
        path: Path | None,
        *,
        beside: Path | None,
        sort: str | None,
        left: Iterable[str] | None,
        right: Iterable[str] | None,
        title: str | None,
    ) -> Self:
        """Find out before the work whether the plot can be drawn and written.

        Parameters
        ----------
        path, sort, left, right, title
            As typed.
        beside
            File of the result itself, or None.

        Raises
        ------
        LabelError
            There is no such order or column.
        MethodError
            Something is said of a plot that is not asked for.
        OutputError
            The file cannot be written, is of no known format, or is to hold the result too.
        MissingExtraError
            Matplotlib is not installed.
        """
        options.check_choice("order", sort, effect_options.SORTS)
        columns = tuple(options.split(left)), tuple(options.split(right))
        if path is None:
            said = {"--sort": sort, "--left": columns[0], "--right": columns[1], "--title": title}
            if idle := [option for option, value in said.items() if value]:
                raise MethodError(f"{idle[0]} is about the forest plot; ask for one with --plot FILE, or leave it out")
            return cls(None, None, (), (), None)
        for name in (*columns[0], *columns[1]):
            if not name.startswith("J@"):
                options.check_choice("column", name, effect_options.COLUMNS)
        podium.plots.check_picture(path)
        if beside is not None and path.resolve() == beside.resolve():
            raise OutputError(f"{path} is to hold two results; name a file for each")
        podium.plots.check_installed()
        return cls(path, sort, *columns, title)

    def put(self, analysis: MetaAnalysis) -> None:
        """Draw and write, if asked for."""
        if self.path is None:
            return
        ax = podium.plots.forest(
            analysis, sort=self.sort, left=self.left or None, right=self.right or None, title=self.title
        )
        podium.plots.save(ax, self.path)
