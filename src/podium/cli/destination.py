"""From results to where they are wanted: a file, a pipe or a terminal."""

import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from podium import writing
from podium.cli.speech import mention
from podium.description import Description
from podium.difficulties import Difficulty
from podium.errors import OutputError, PodiumWarning
from podium.meta_analyses import MetaAnalysis
from podium.plans import Plan
from podium.report import TABLE_FORMATS, Result, Sheet, format_for, render, render_table, sheet, to_text
from podium.report.terminal import show as show_on_screen

__all__ = ["Destination", "show"]


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes, and in which format.

    Attributes
    ----------
    format
        One of `podium.report.FORMATS`, or of its `TABLE_FORMATS`.
    path
        File, or None for standard output.
    quiet
        Say nothing on standard error.
    """

    format: str
    path: Path | None
    quiet: bool

    @classmethod
    def of(
        cls,
        format: str | None,  # noqa: A002  # as it is typed
        path: Path | None,
        *,
        quiet: bool,
        tables: bool = False,
    ) -> Self:
        """Settle format and place, and find out before the work whether the place can be written.

        Parameters
        ----------
        format, path, quiet
            As typed.
        tables
            Whether the result can be a Parquet file, or JSON Lines, too.

        Raises
        ------
        LabelError
            There is no such format.
        OutputError
            The file cannot be written, its suffix says nothing, or Parquet would go to a terminal.
        """
        if quiet:
            warnings.simplefilter("ignore", PodiumWarning)
        target = None if path == Path("-") else path
        chosen = format_for(target, format, tables=tables)
        if chosen == "parquet" and target is None and sys.stdout.isatty():
            raise OutputError("Parquet is nothing for a terminal; name a file with -o, or redirect the output")
        if target is not None:
            writing.check_writable(target)
        return cls(chosen, target, quiet)

    def mention(self, note: str) -> None:
        """Say something on standard error, beside the result."""
        if not self.quiet:
            mention([note])

    def put(self, result: Result) -> None:
        """Write a result; a table on a terminal is drawn, anything else is plain text."""
        if self.format in {"csv", *TABLE_FORMATS} and not self.quiet:
            if isinstance(result, MetaAnalysis):
                mention([result.conclusion, "CSV holds the tasks only; -f json or -f table has the summary too"])
            mention(result.notes)
            if isinstance(result, Description):
                mention(["CSV holds the tasks only; -f json or -f table has the systems too"])
            if isinstance(result, Plan) and result.cells:
                mention(["CSV holds the pairs of systems only; -f json or -f table has the missing scores too"])
        if self.path is None and self.format == "table":
            show(sheet(result))
            return
        if isinstance(result, Difficulty):
            content = render_table(result, self.format)
        else:
            content = render(result, self.format)
        if self.path is not None:
            writing.write(content, self.path)
        elif isinstance(content, str):
            _print(lambda: sys.stdout.write(content))
        else:
            _print(lambda: sys.stdout.buffer.write(content))


def show(given: Sheet) -> None:
    """Print a sheet, drawn on a terminal and plain elsewhere."""
    if sys.stdout.isatty():
        _print(lambda: show_on_screen(given))
    else:
        text = to_text(given)
        _print(lambda: sys.stdout.write(text))


def _print(printing: Callable[[], object]) -> None:
    """Print on standard output; a reader that has seen enough (`| head`) is no error."""
    try:
        printing()
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        raise OutputError(f"standard output cannot be written: {error.strerror}") from error


def _discard_output() -> None:
    """Let what is still buffered go nowhere, or Python would try again, and complain, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
