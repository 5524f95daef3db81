"""From results to where they are wanted: a file, a pipe or a terminal."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TextIO

from podium.base.errors import OutputError, PodiumWarning
from podium.base.file import check_writable, write
from podium.base.words import counted
from podium.cli.folder import fill, folder_of
from podium.report.format import ROW_FORMATS, format_for, terminal
from podium.report.result import Result
from podium.report.view import View

#: Notes that text shows unless all are wanted; other formats hold all.
_NOTES = 3

_said: set[str] = set()


def start() -> None:
    """Say podium's own warnings in one line, and all others as Python does."""
    _said.clear()
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", PodiumWarning)


def mention(notes: Sequence[str]) -> None:
    """Say on standard error what a format leaves out, unless a warning has said it."""
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
        One of `podium.report.format.FORMATS`.
    path
        File, or folder to be filled; None for standard output.
    quiet
        Say nothing on standard error.
    verbose
        Show all notes in text, which otherwise shows a few.
    explain
        Say how to read the result.
    """

    format: str
    path: Path | None
    quiet: bool
    verbose: bool = False
    explain: bool = False

    @classmethod
    def of(
        cls,
        format: str | None,  # noqa: A002  # as it is typed
        output: str | None,
        *,
        quiet: bool,
        bare: bool = False,
        verbose: bool = False,
        explain: bool = False,
    ) -> Self:
        """Settle format and place, and find out before the work whether the place can be written.

        Parameters
        ----------
        format
            Of the file, or of what is printed; None where the suffix says it.
        output
            Name of a file; of a folder, if it ends in a slash or is one already; "-" or None for standard output.
        quiet
            As above.
        bare
            Whether a name without a suffix is a folder too.
        verbose, explain
            As above.

        Raises
        ------
        LabelError
            There is no such format.
        OutputError
            The file cannot be written, its suffix says nothing, or Parquet would go to a terminal.
        """
        if quiet:
            warnings.simplefilter("ignore", PodiumWarning)
        if output is None or output == "-":
            target, folder = None, None
        else:
            target, folder = Path(output), folder_of(output, bare=bare)
        chosen = format_for(None if folder else target, format)
        if chosen == "parquet" and (folder or target is None) and sys.stdout.isatty():
            raise OutputError("a terminal cannot show Parquet; name a file with -o, or redirect the output")
        if target is not None and folder is None:
            check_writable(target)
        return cls(chosen, target, quiet, verbose, explain)

    def mention(self, note: str) -> None:
        """Say something on standard error, beside the result."""
        if not self.quiet:
            mention([note])

    def put(self, result: Result) -> None:
        """Write a result; a table on a terminal is drawn, anything else is plain text.

        A folder gets all files of the result, and standard output the result as well.
        """
        path = self.path
        if path is not None and path.is_dir():
            for sentence in fill(path, result):
                self.mention(sentence)
            path = None
        if self.format in ROW_FORMATS and not self.quiet:
            mention([*result.view().verdict, *result.notes, *filter(None, [result.beyond_rows()])])
        if self.format == "table":
            self._put_text(result.view(), path)
            return
        if self.explain:
            mention(result.view().explain)
        content = result.render(self.format)
        if path is not None:
            write(content, path)
        elif isinstance(content, str):
            _print(lambda: sys.stdout.write(content))
        else:
            _print(lambda: sys.stdout.buffer.write(content))

    def _put_text(self, view: View, path: Path | None) -> None:
        """Write a view as text, with the first notes only unless all are wanted."""
        below = ""
        more = 0 if self.verbose else len(view.notes) - _NOTES
        if more > 0:
            view = replace(view, notes=view.notes[:_NOTES])
            below = f"… and {counted(more, 'more note')} (--verbose)\n"
        if self.explain and view.explain:
            below += "\nHow to read this:\n" + "".join(f"  {sentence}\n" for sentence in view.explain)
        if path is None:
            show(view, below)
        else:
            write(terminal.to_text(view) + below, path)


def show(view: View, below: str = "") -> None:
    """Print a view, drawn on a terminal and plain elsewhere, and a text below it."""
    if sys.stdout.isatty():
        _print(lambda: terminal.show(view))
        _print(lambda: sys.stdout.write(below))
    else:
        _print(lambda: sys.stdout.write(terminal.to_text(view) + below))


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
        """Name it after the output, in it where it is a folder; none where there is no output, a device or a pipe.

        >>> Partial.beside(Path("difficulty.parquet")).path.name
        'difficulty.parquet.partial'
        """
        if output is not None and output.is_dir():
            return cls(output / "result.partial")
        if output is None or (output.exists() and not output.is_file()):
            return cls(None)
        return cls(output.with_name(f"{output.name}.partial"))

    def announce(self, destination: Destination) -> None:
        """Say that this run continues an earlier one."""
        if self.path is not None and self.path.exists():
            destination.mention(f"continuing from {self.path}")

    @contextmanager
    def kept(self, destination: Destination) -> Iterator[None]:
        """Say, when work is interrupted, that it is not lost."""
        try:
            yield
        except KeyboardInterrupt:
            if self.path is not None and self.path.exists():
                destination.mention(f"what is done so far is in {self.path}; the same command continues from it")
            raise

    def remove(self) -> None:
        """Remove it, when the result is written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
