"""A folder that a command fills with the files of one result."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from podium.base.errors import MissingExtraError, OutputError
from podium.base.file import check_writable, write
from podium.cli.output import Destination
from podium.report.draw.file import check_installed, to_svg
from podium.report.format.html import to_html
from podium.report.view import Figure
from podium.robustness.influence.view import FIGURES as INFLUENCE_FIGURES
from podium.robustness.result import Robustness
from podium.robustness.study.view import FIGURES as STUDY_FIGURES

#: Every file there may be.
_FILES = (
    *("report.html", "robustness.json", "study.csv", "influence.csv"),
    *(f"{figure.name}.svg" for figure in (*STUDY_FIGURES, *INFLUENCE_FIGURES)),
)


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
            check_writable(output / name)
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
        self._write("robustness.json", result.render("json"))
        for part in result.parts():
            self._write(f"{part.schema}.csv", part.render("csv"))
        view = result.view()
        self._write("report.html", to_html(view, self._draw(view.figures, destination)))
        destination.mention(f"{self.path / 'report.html'} is the page to look at; the numbers are beside it")

    def _draw(self, figures: Iterable[Figure], destination: Destination) -> list[tuple[str, str]]:
        """Pictures with their titles, as SVG."""
        try:
            check_installed()
            pictures = [(figure, to_svg(figure.draw())) for figure in figures]
        except (MissingExtraError, ImportError) as error:  # not there, or there and broken
            destination.mention(f"no pictures: {error}")
            return []
        for figure, picture in pictures:
            self._write(f"{figure.name}.svg", picture)
        return [(figure.title, picture) for figure, picture in pictures]

    def _write(self, name: str, content: str | bytes) -> None:
        write(content, self.path / name)
