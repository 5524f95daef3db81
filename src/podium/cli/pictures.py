"""Pictures beside a ranking: what `--plot NAME=FILE` asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import podium
from podium.cli import options
from podium.cli.progress import Bar
from podium.errors import MethodError, OutputError
from podium.rankings import Ranking
from podium.scores import Scores

__all__ = ["Pictures", "named_files"]

#: Those that show how sure the ranking is.
_SURE = frozenset({"ranks", "cd"})


@dataclass(frozen=True, slots=True)
class Pictures:
    """Which pictures go into which files.

    Attributes
    ----------
    wanted
        Names, of `podium.cli.options.PICTURES`, and files.
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
        return cls(named_files(values, options.PICTURES, beside=beside))

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
                ax = podium.plots.heatmap(pairs)
            elif name == "bump":
                with Bar("comparing", quiet=quiet) as bar:
                    ax = podium.plots.bump(podium.agree(scores, threads=threads, progress=bar))
            else:
                ax = {"ranks": podium.plots.rank_intervals, "cd": podium.plots.critical_difference}[name](ranking)
            podium.plots.save(ax, path)


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
        podium.plots.check_picture(path)
        if path.resolve() in taken:
            raise OutputError(f"{path} is to hold two results; name a file for each")
        taken.add(path.resolve())
    if wanted:
        podium.plots.check_installed()
    return wanted


def _parsed(text: str, names: Sequence[str]) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    options.check_choice("picture", name.strip(), names)
    if not equals or not file:
        raise OutputError(f"--plot {text!r} is not of the form NAME=FILE, as in --plot {name}={name}.svg")
    return name.strip(), Path(file)
