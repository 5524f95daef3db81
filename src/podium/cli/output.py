"""From a result to where it is wanted: a folder, a file, a pipe or a terminal.

A command calls `Destination.deliver` once, with its result. `deliver` calls the others, one for each place:

- `fill` writes all files of the result into a folder (`cli/folder.py`);
- `write` writes one file, whole or not at all (`base/file.py`);
- `print_view` and `print_content` print on standard output;
- `Picture.save` draws a picture into a file (`report/draw/picture.py`);
- `mention` says a sentence on standard error, once (`cli/message.py`).
"""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from podium.base.errors import OutputError
from podium.base.file import write
from podium.base.words import how_many, printable
from podium.cli.folder import fill
from podium.cli.message import discard, mention
from podium.report.format import DOCUMENT_FORMATS, ROW_FORMATS, render, terminal
from podium.report.format.layout import to_layout
from podium.report.result import Result
from podium.report.view import View

#: Notes that text shows unless all are wanted; other formats hold all.
_NOTES = 3

#: Rows of the main table that a server shows; its file of rows has all.
_ROWS = 1000

#: Pages of the documentation, by what they are about.
_PAGES = {
    "ranking": "rank",
    "head-to-head": "rank",
    "agreement": "agree",
    "history": "history",
    "plan": "plan",
    "item-plan": "plan",
    "description": "read",
    "findings": "start-harness",
    **dict.fromkeys(("added", "board", "board-log", "board-check", "board-compact"), "board"),
    "gate": "start-ci",
    "meta-analysis": "compare",
    "comparisons": "compare",
    "task-comparison": "compare",
    "difficulty": "difficulty",
    "customized": "difficulty",
    "robustness": "stress",
}


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result goes, and in which format.

    Attributes
    ----------
    format
        One of `podium.report.format.FORMATS`.
    path
        File, or folder to be filled; None for standard output.
    pictures
        Names of figures that are drawn as well, and their files.
    quiet
        Say nothing on standard error.
    verbose
        Show all notes in text, which otherwise shows a few.
    explain
        Say how to read the result.
    top, columns
        Rows of the main table, and columns of all tables, that text and documents show; None and () for all.
    wide
        Show all of these columns on a narrow terminal, too.
    """

    format: str
    path: Path | None
    pictures: tuple[tuple[str, Path], ...]
    quiet: bool
    verbose: bool
    explain: bool
    top: int | None = None
    columns: tuple[str, ...] = ()
    wide: bool = False

    @property
    def files(self) -> list[Path]:
        """Everything that is written, a folder as one."""
        return [*([] if self.path is None else [self.path]), *(path for _, path in self.pictures)]

    def mention(self, note: str) -> None:
        """Say something on standard error, beside the result."""
        if not self.quiet:
            mention([note])

    def deliver(
        self,
        result: Result,
        *,
        others: Mapping[str, Callable[[], Result]] | None = None,
        styles: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        """Draw the pictures of a result, write or print it, and then write its pictures.

        A folder gets all files of the result, and standard output the result as well.

        Parameters
        ----------
        result
            What is delivered.
        others
            Where pictures of other results come from, by name.
        styles
            Options of pictures, by name.
        """
        # before anything is written, so that one that cannot be drawn says so first
        drawn = [
            ((others[name]() if others and name in others else result).plot(name, **(styles or {}).get(name, {})), path)
            for name, path in self.pictures
        ]
        file = self.path
        if (waiting := os.environ.get("PODIUM_SHOWN")) is not None:
            _show(result, Path(waiting))
        if file is not None and file.is_dir():
            for sentence in fill(file, result):
                self.mention(sentence)
            file = None
        self._mention_rest(result)
        if self.format == "table":
            view, below = self._text(result)
            if file is None:
                print_view(view, below, wide=self.wide)
            else:
                write(terminal.to_text(view) + below, file)
        else:
            document = self._view(result) if self.format in DOCUMENT_FORMATS else None
            content = render(result, self.format, document)
            if file is None:
                print_content(content)
            else:
                write(content, file)
        for picture, path in drawn:
            picture.save(path)

    def _mention_rest(self, result: Result) -> None:
        """Say on standard error what the format has no room for."""
        if self.quiet:
            return
        if self.format in ROW_FORMATS:
            mention([*result.view().verdict, *result.notes, *filter(None, [result.beyond_rows()])])
        if self.explain and self.format not in {"table", *DOCUMENT_FORMATS}:
            mention(_explanation(result))

    def _view(self, result: Result) -> View:
        """Return the view of a result, with the rows and columns that are wanted."""
        return result.view().chosen(self.top, self.columns)

    def _text(self, result: Result) -> tuple[View, str]:
        """Return the view of a result and the text below it; the first notes only, unless all are wanted."""
        view, below = self._view(result), ""
        more = 0 if self.verbose else len(view.notes) - _NOTES
        if more > 0:
            view = replace(view, notes=view.notes[:_NOTES])
            below = f"… and {how_many(more, 'more note')} (--verbose)\n"
        if self.explain:
            below += "\nHow to read this:\n" + "".join(f"  {sentence}\n" for sentence in _explanation(result))
        return view, below


def _show(result: Result, folder: Path) -> None:
    """Write what a server shows of a result, and its rows, before the result itself."""
    view = result.view().chosen(_ROWS)
    write(render(result, "csv"), folder / "rows.csv")
    write(to_layout(view), folder / "view.json")


def _explanation(result: Result) -> list[str]:
    """Say how to read a result, and which page of the documentation has more."""
    page = _PAGES.get(result.schema, "show")
    return [*result.view().explain, f"more: docs/{page}.md in the documentation of podium"]


def check_printable() -> None:
    """Raise an error where standard output is closed.

    Raises
    ------
    OutputError
        Standard output is closed.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed; redirect it into a file")


def print_view(view: View, below: str = "", *, wide: bool = False) -> None:
    """Print a view and a text below it: drawn to the width of a terminal, plain and whole elsewhere."""
    check_printable()
    if sys.stdout.isatty():
        _printing(lambda: terminal.show(view, below=below, wide=wide))
    else:
        print_content(terminal.to_text(view) + below)


def print_content(content: str | bytes) -> None:
    """Print the content of a file; on a terminal, which labels must not steer, with control characters spelt out."""
    if isinstance(content, str):
        if sys.stdout is not None and sys.stdout.isatty():
            content = "\n".join(map(printable, content.split("\n")))
        _printing(lambda: sys.stdout.write(content))
    else:
        _printing(lambda: sys.stdout.buffer.write(content))


def _printing(write_all: Callable[[], object]) -> None:
    """Write on standard output; a reader that has seen enough (`| head`) is no error."""
    try:
        write_all()
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
    except OSError as error:
        discard(sys.stdout)
        raise OutputError(f"standard output cannot be written: {error.strerror}") from error
