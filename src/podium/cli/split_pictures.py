"""Pictures beside a customized leaderboard: what `--plot NAME=FILE` asks for."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import podium
from podium.cli.pictures import named_files
from podium.cli.split_options import SPLIT_PICTURES
from podium.customized import Customized

__all__ = ["SplitPictures"]


@dataclass(frozen=True, slots=True)
class SplitPictures:
    """Which pictures go into which files.

    Attributes
    ----------
    wanted
        Names, of `podium.cli.split_options.SPLIT_PICTURES`, and files.
    """

    wanted: tuple[tuple[str, Path], ...]

    @classmethod
    def of(cls, values: Iterable[str] | None, *, beside: Path | None) -> Self:
        """Read `NAME=FILE` texts, and find out before the work whether the pictures can be drawn and written.

        Raises
        ------
        LabelError
            There is no such picture.
        OutputError
            A text is not of that form, a file is named twice, cannot be written, or is of no known format.
        MissingExtraError
            Matplotlib is not installed.
        """
        return cls(named_files(values, SPLIT_PICTURES, beside=beside))

    def put(self, customized: Customized) -> None:
        """Draw and write."""
        for name, path in self.wanted:
            draw = {
                "parallel": podium.plots.parallel,
                "moves": podium.plots.moves,
                "difficulty": podium.plots.difficulty_histogram,
            }[name]
            podium.plots.save(draw(customized), path)
