"""Pictures beside a result: what `--plot` of each command asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import podium
from podium.base.errors import MethodError, OutputError
from podium.cli.option.comparison import COLUMNS, SORTS, ForestPlot
from podium.cli.option.option import check_choice, split
from podium.cli.progress import Bar
from podium.comparison.result import MetaAnalysis
from podium.ranking.result import Ranking
from podium.report.draw.canvas import check_installed, check_picture, save
from podium.score.table import Scores

#: Names of the pictures of a ranking.
PICTURES = ("heatmap", "ranks", "cd", "bump")

#: Those that show how sure the ranking is.
_SURE = frozenset({"ranks", "cd"})


@dataclass(frozen=True, slots=True)
class Pictures:
    """Which pictures go into which files.

    Attributes
    ----------
    wanted
        Names, of `PICTURES`, and files.
    """

    wanted: tuple[tuple[str, Path], ...]

    @classmethod
    def of(cls, values: Iterable[str] | None, *, beside: Path | None) -> Self:
        """Read `NAME=FILE` texts, and find out before the work whether the pictures can be drawn and written.

        Parameters
        ----------
        values
            As typed.
        beside
            File of the result itself, or None.

        Raises
        ------
        LabelError
            There is no such picture.
        OutputError
            A text is not of that form, a file is named twice, cannot be written, or is of no known format.
        MissingExtraError
            Matplotlib is not installed.
        """
        return cls(named_files(values, PICTURES, beside=beside))

    def settle(self, intervals: bool | None) -> bool | None:
        """Whether the ranking needs intervals, given what was asked for.

        Raises
        ------
        MethodError
            They were ruled out, and a picture shows them.
        """
        shown = [name for name, _ in self.wanted if name in _SURE]
        if shown and intervals is False:
            raise MethodError(
                f"--plot {shown[0]} shows intervals, which --no-intervals rules out; leave one of them out"
            )
        return True if shown else intervals

    def put(
        self,
        scores: Scores,
        ranking: Ranking,
        *,
        level: str | None,
        confidence: float,
        threads: int | None,
        quiet: bool,
    ) -> None:
        """Draw and write.

        Parameters
        ----------
        scores, ranking
            What was ranked, and the result.
        level
            Of the comparisons of the heat map, or None for its default.
        confidence
            Of the intervals of the heat map.
        threads, quiet
            How to work.
        """
        for name, path in self.wanted:
            if name == "heatmap":
                pairs = podium.pairwise(scores, level=level or "one", confidence=confidence, threads=threads)
                drawn = pairs.plot(name)
            elif name == "bump":
                with Bar("comparing", quiet=quiet) as bar:
                    drawn = podium.agree(scores, threads=threads, progress=bar).plot(name)
            else:
                drawn = ranking.plot(name)
            save(drawn, path)


def named_files(
    values: Iterable[str] | None, names: Sequence[str], *, beside: Path | None
) -> tuple[tuple[str, Path], ...]:
    """Read `NAME=FILE` texts, and find out before the work whether the pictures can be drawn and written.

    Parameters
    ----------
    values
        As typed.
    names
        Of the pictures there are.
    beside
        File of the result itself, or None.

    Raises
    ------
    LabelError
        There is no such picture.
    OutputError
        A text is not of that form, a file is named twice, cannot be written, or is of no known format.
    MissingExtraError
        Matplotlib is not installed.
    """
    wanted = tuple(_parsed(text, names) for text in values or ())
    taken = set() if beside is None else {beside.resolve()}
    for _, path in wanted:
        check_picture(path)
        if path.resolve() in taken:
            raise OutputError(f"{path} is to hold two results; name a file for each")
        taken.add(path.resolve())
    if wanted:
        check_installed()
    return wanted


def _parsed(text: str, names: Sequence[str]) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    check_choice("picture", name.strip(), names)
    if not equals or not file:
        raise OutputError(f"--plot {text!r} is not of the form NAME=FILE, as in --plot {name}={name}.svg")
    return name.strip(), Path(file)


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
    def of(cls, asked: ForestPlot, *, beside: Path | None) -> Self:
        """Find out before the work whether the plot can be drawn and written.

        Parameters
        ----------
        asked
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
        check_choice("order", asked.sort, SORTS)
        path, columns = asked.plot, (tuple(split(asked.left)), tuple(split(asked.right)))
        if path is None:
            said = {"--sort": asked.sort, "--left": columns[0], "--right": columns[1], "--title": asked.title}
            if idle := [option for option, value in said.items() if value]:
                raise MethodError(f"{idle[0]} is about the forest plot; ask for one with --plot FILE, or leave it out")
            return cls(None, None, (), (), None)
        for name in (*columns[0], *columns[1]):
            if not name.startswith("J@"):
                check_choice("column", name, COLUMNS)
        check_picture(path)
        if beside is not None and path.resolve() == beside.resolve():
            raise OutputError(f"{path} is to hold two results; name a file for each")
        check_installed()
        return cls(path, asked.sort, *columns, asked.title)

    def put(self, analysis: MetaAnalysis) -> None:
        """Draw and write, if asked for."""
        if self.path is None:
            return
        drawn = analysis.plot(
            "forest", sort=self.sort, left=self.left or None, right=self.right or None, title=self.title
        )
        save(drawn, self.path)
