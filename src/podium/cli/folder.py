"""A folder that a command fills with the files of one result."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from podium import plots
from podium.base import file as writing
from podium.base.errors import MissingExtraError, OutputError
from podium.cli.output import Destination
from podium.report.format import render
from podium.report.format.html import page
from podium.robustness.result import Robustness

#: Pictures by file name, with what they show.
_PICTURES = {
    "kept.svg": "How often the first place is kept",
    "stability.svg": "How far the order stays",
    "influence.svg": "What the first place rests on",
}

#: Every file there may be.
_FILES = ("report.html", "robustness.json", "study.csv", "influence.csv", *_PICTURES)


@dataclass(frozen=True, slots=True)
class Folder:
    """Where all files of a robustness result go.

    Attributes
    ----------
    path
        Folder; made when it is first needed.
    """

    path: Path

    @classmethod
    def of(cls, typed: str | None) -> Self | None:
        """Take a name with a slash behind it or without a suffix, or of a folder that is there, for a folder.

        None where a file, or standard output, is meant.

        Raises
        ------
        OutputError
            A file has that name, or the folder cannot be made or written to.
        """
        if typed is None or typed == "-":
            return None
        output = Path(typed)
        if output.suffix and not (output.is_dir() or typed.endswith(("/", os.sep))):
            return None
        if output.exists() and not output.is_dir():
            raise OutputError(f"{output} is a file, and a folder is to be filled; name another, or a file with suffix")
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{output} cannot be made: {error.strerror}; choose another place") from error
        for name in _FILES:
            writing.check_writable(output / name)
        return cls(output)

    @property
    def files(self) -> list[Path]:
        """All files that may be written."""
        return [self.path / name for name in _FILES]

    def put(self, result: Robustness, destination: Destination) -> None:
        """Write the page, the numbers and the pictures, and say where they are."""
        if (self.path / "robustness.json").exists():  # files of that run would be taken for ours
            for path in self.files:
                path.unlink(missing_ok=True)
        self._write("robustness.json", render(result, "json"))
        self._write("study.csv", render(result.study, "csv"))
        if result.influence is not None:
            self._write("influence.csv", render(result.influence, "csv"))
        self._write("report.html", page(result, self._draw(result, destination)))
        destination.mention(f"{self.path / 'report.html'} is the page to look at; the numbers are beside it")

    def _draw(self, result: Robustness, destination: Destination) -> list[tuple[str, str]]:
        """Pictures with their titles, as SVG."""
        axes: dict[str, Any] = {}
        rests = result.influence
        try:
            plots.check_installed()
            axes["kept.svg"] = plots.stability(result.study, measure="kept")
            axes["stability.svg"] = plots.stability(result.study)
            if rests is not None and (rests.tasks or rests.instances):
                axes["influence.svg"] = plots.influence(rests)
            pictures = {name: plots.to_svg(one) for name, one in axes.items()}
        except (MissingExtraError, ImportError) as error:  # not there, or there and broken
            destination.mention(f"no pictures: {error}")
            return []
        for name, picture in pictures.items():
            self._write(name, picture)
        return [(_PICTURES[name], picture) for name, picture in pictures.items()]

    def _write(self, name: str, content: str) -> None:
        writing.write(content, self.path / name)
