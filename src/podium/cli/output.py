"""From results to where they are wanted: a file, a pipe or a terminal."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TextIO

from podium.base import file as writing
from podium.base.errors import OutputError, PodiumWarning
from podium.comparison.result import MetaAnalysis
from podium.description.result import Description
from podium.difficulty.result import Difficulty
from podium.planning.result import Plan
from podium.report.format import TABLE_FORMATS, format_for, render, render_table
from podium.report.format.terminal import show as show_on_screen
from podium.report.format.terminal import to_text
from podium.report.result import Result, sheet
from podium.report.table import Sheet

_said: set[str] = set()


def start() -> None:
    """Say podium's own warnings in one line, and all others as Python does."""
    _said.clear()
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", PodiumWarning)


def mention(notes: Sequence[str]) -> None:
    """Say what a format has no place for and no warning has said, lest it be lost."""
    for note in notes:
        _say("note", note)


def _say(kind: str, sentence: str, stream: TextIO | None = None) -> None:
    if sentence not in _said:
        _said.add(sentence)
        (stream or sys.stderr).write(f"{kind}: {sentence}\n")


def _show_warning(  # noqa: PLR0917  # the form that Python calls
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, PodiumWarning):
        _say("warning", str(message), file)
    else:
        (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes, and in which format.

    Attributes
    ----------
    format
        One of `podium.report.format.FORMATS`, or of its `TABLE_FORMATS`.
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
        content = render_table(result, self.format) if isinstance(result, Difficulty) else render(result, self.format)
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


@dataclass(frozen=True, slots=True)
class Partial:
    """A file that a run is kept in until it is done.

    Attributes
    ----------
    path
        File, or None where nothing is kept.
    """

    path: Path | None

    @classmethod
    def beside(cls, output: Path | None) -> Self:
        """Name it after the output, unless that is none, a device or a pipe.

        >>> Partial.beside(Path("difficulty.parquet")).path.name
        'difficulty.parquet.partial'
        """
        if output is None or (output.exists() and not output.is_file()):
            return cls(None)
        return cls(output.with_name(f"{output.name}.partial"))

    def announce(self, destination: Destination) -> None:
        """Say that an earlier run is gone on with."""
        if self.path is not None and self.path.exists():
            destination.mention(f"going on from {self.path}")

    @contextmanager
    def kept(self, destination: Destination) -> Iterator[None]:
        """Say, when work is interrupted, that it is not lost."""
        try:
            yield
        except KeyboardInterrupt:
            if self.path is not None and self.path.exists():
                destination.mention(f"what is done is kept in {self.path}; the same command goes on from it")
            raise

    def remove(self) -> None:
        """Remove it, when the result is written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
