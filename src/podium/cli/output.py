"""From a result to where it is wanted: a folder, a file, a pipe or a terminal.

A command calls `Destination.deliver` once, with its result. `deliver` calls the others, one for each place:

- `fill` writes all files of the result into a folder: a page, its pictures, and all numbers;
- `write` writes one file, whole or not at all (`base/file.py`);
- `print_view` and `print_content` print on standard output;
- `Picture.save` draws a picture into a file (`report/picture.py`);
- `mention` says a sentence on standard error, once (`cli/entry.py`).
"""

import os
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import podium
from podium.base.errors import MethodError, MissingExtraError, OutputError
from podium.base.file import check_writable, write
from podium.base.words import Doubt, as_options, few, how_many, printable
from podium.cli.entry import discard, mention
from podium.report import text
from podium.report.drawing import check_installed
from podium.report.formats import DOCUMENT_FORMATS, ROW_FORMATS, render, to_layout
from podium.report.picture import draw_figure, picture_of
from podium.report.result import Result
from podium.report.view import DocumentStyle, View

#: Notes that text shows unless all are wanted; other formats hold all.
_NOTES = 3

#: Rows of the main table that a server shows; its file of rows has all.
_ROWS = 1000

#: What a reader of a folder opens first.
_PAGE = "report.html"

#: Pages of the documentation, by what they are about.
_PAGES = {
    **dict.fromkeys(("ranking", "head-to-head", "frontier"), "rank"),
    "agreement": "agree",
    **dict.fromkeys(("benchmark", "subset", "prediction", "slices"), "tasks"),
    "history": "history",
    **dict.fromkeys(("plan", "item-plan", "allocation"), "plan"),
    "label-plan": "judges",
    "description": "read",
    "findings": "start-harness",
    **dict.fromkeys(("added", "board", "board-log", "board-check", "board-compact"), "board"),
    "gate": "start-ci",
    **dict.fromkeys(("meta-analysis", "comparisons", "task-comparison"), "compare"),
    **dict.fromkeys(("difficulty", "customized"), "difficulty"),
    "robustness": "stress",
    "judging": "judges",
}


@dataclass(frozen=True, slots=True)
class Destination:
    """The place that a result goes to, and its format.

    Attributes
    ----------
    format
        One of `podium.report.formats.FORMATS`.
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
        Rows of the main table, and columns of all tables, that text and documents show; None for all, () for the usual.
    wide
        Show all tables in text, and all columns there are, on a narrow terminal, too.
    drawn
        Draw text as on a terminal, with bars, wherever it goes.
    size
        Width and letters of pictures, as `Result.plot` takes them.
    style
        Decimals, bold cells, and caption and label of LaTeX.
    """

    format: str
    path: Path | None
    pictures: tuple[tuple[str, Path], ...] = ()
    quiet: bool = False
    verbose: bool = False
    explain: bool = False
    top: int | None = None
    columns: tuple[str, ...] = ()
    wide: bool = False
    drawn: bool = False
    size: Mapping[str, Any] = field(default_factory=dict)
    style: DocumentStyle = DocumentStyle()

    @property
    def files(self) -> list[Path]:
        """Return everything that is written, a folder as one."""
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
        sentence: str = "",
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
        sentence
            What text shows in place of the result, if anything.
        """
        view = cache(lambda: _typed(self.style.of(result.view)))  # made once, if anything shows it
        # before anything is written, so that a picture that cannot be drawn says so first
        drawn = []
        for name, path in self.pictures:
            options = {**(styles or {}).get(name, {}), **self.size}
            other = others[name]() if others and name in others else None
            picture = picture_of(result, view(), name, options) if other is None else other.plot(name, **options)
            drawn.append((picture, path))
        if (waiting := os.environ.get("PODIUM_SHOWN")) is not None:  # a server shows rows before the result itself
            write(render(result, "csv"), Path(waiting, "rows.csv"))
            write(to_layout(view().chosen(_ROWS)), Path(waiting, "view.json"))
        file, before = self.path, there(self.files)
        if file is not None and file.is_dir():
            for said in fill(file, result, view(), self.size):
                self.mention(said)
            file = None
        self._mention_rest(result, view)
        if sentence:
            doubts = [note for note in result.notes if isinstance(note, Doubt) and note not in sentence]
            mention([] if self.quiet else doubts)
            print_content(f"{sentence}\n") if file is None else write(f"{sentence}\n", file)
        elif self.format == "table" and file is None:
            print_view(*self._text(result, view()), top=self.top, wide=self.wide, drawn=self.drawn)
        else:
            content = self._content(result, view)
            if file is None:
                print_content(content)
            else:
                write(content, file)
        for picture, path in drawn:
            picture.save(path)
        if said := written([path for path in self.files if not path.is_dir()], before):
            self.mention(said)

    def _mention_rest(self, result: Result, view: Callable[[], View]) -> None:
        """Say on standard error what the format has no room for."""
        if self.quiet:
            return
        if self.format in ROW_FORMATS:
            beyond = result._beyond_rows  # noqa: SLF001  # for files only
            mention([*view().verdict, *result.notes, *filter(None, [beyond])])
        if self.explain and self.format not in {"table", *DOCUMENT_FORMATS}:
            mention(_explanation(result, view()))

    def _content(self, result: Result, view: Callable[[], View]) -> str | bytes:
        if self.format == "table":
            shown, below = self._text(result, view())
            return text.to_text(shown) + below
        document = view().chosen(self.top, self._columns) if self.format in DOCUMENT_FORMATS else None
        return render(result, self.format, document)

    @property
    def _columns(self) -> tuple[str, ...]:
        """Return patterns of the columns that are shown; none if the usual ones are."""
        return self.columns or (("*",) if self.wide else ())

    def _text(self, result: Result, view: View) -> tuple[View, str]:
        """Return what text shows of a view, and what stands below it: details and all notes only if asked for."""
        shown, below = view.chosen(self.top, self._columns), ""
        details = [table for table in shown.tables if table.detail and not (self.wide or self.columns)]
        if details:
            shown = replace(shown, tables=tuple(table for table in shown.tables if not table.detail))
            heads = [table.head[0] or table.caption for table in details]
            below = f"… and {how_many(len(details), 'more table')}: {few(heads)} (--wide)\n"
        more = 0 if self.verbose else len(shown.notes) - _NOTES
        if more > 0:
            shown = replace(shown, notes=shown.notes[:_NOTES])
            below = f"… and {how_many(more, 'more note')} (--verbose)\n{below}"
        if self.explain:
            below += "\nHow to read this:\n" + "".join(f"  {sentence}\n" for sentence in _explanation(result, view))
        return shown, below


def _typed(view: View) -> View:
    """Return a view whose sentences name options, and not what is passed in Python."""
    said = {name: tuple(map(as_options, getattr(view, name))) for name in ("verdict", "notes", "explain")}
    return replace(view, **said)  # type: ignore[arg-type]  # fields by name


def there(paths: Iterable[Path]) -> frozenset[Path]:
    """Return the files that are there, before they are written anew."""
    return frozenset(path for path in paths if path.exists())


def written(paths: Sequence[Path], before: Container[Path]) -> str:
    """Say which files were written, and which of them were there before; nothing of devices and pipes.

    >>> written([Path("a.csv"), Path("b.svg")], {Path("b.svg")})
    'wrote a.csv; replaced b.svg'
    """
    files = [path for path in paths if path.is_file() or not path.exists()]
    new, old = (", ".join(str(path) for path in files if (path in before) is was) for was in (False, True))
    return "; ".join([*([f"wrote {new}"] if new else []), *([f"replaced {old}"] if old else [])])


def _explanation(result: Result, view: View) -> list[str]:
    page = _PAGES.get(result.schema, "show")
    return [*view.explain, f"more: docs/{page}.md in the documentation of podium"]


def check_printable() -> None:
    """Raise an error if standard output is closed.

    Raises
    ------
    OutputError
        Standard output is closed.
    """
    if sys.stdout is None:
        raise OutputError("standard output is closed; redirect it into a file")


def print_view(view: View, below: str = "", *, top: int | None = None, wide: bool = False, drawn: bool = False) -> None:
    """Print a view and a text below it: drawn to the size of a terminal, plain and whole elsewhere."""
    check_printable()
    if drawn or sys.stdout.isatty():
        _printing(lambda: text.show(view, below=below, top=top, wide=wide))
    else:
        print_content(text.to_text(view) + below)


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


def folder_of(typed: str, *, bare: bool) -> Path | None:
    """Take a name with a slash behind it, or of a folder that is there, for a folder, and make it.

    Parameters
    ----------
    typed
        Name of a file or a folder.
    bare
        Whether a name without a suffix is a folder too.

    Returns
    -------
    The folder, or None if a file is meant.

    Raises
    ------
    OutputError
        A file has that name, or the folder cannot be made or written to; or the name is the empty text.
    """
    if not typed:
        # an unset shell variable, most likely; it must not stand for the folder one happens to be in
        raise OutputError("the output is the empty text; name a file, a folder, or . for this folder")
    folder = Path(typed)
    if not (folder.is_dir() or typed.endswith(("/", os.sep)) or (bare and not folder.suffix)):
        return None
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file, and a folder is to be filled; name another, or a file with suffix")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}; choose another place") from error
    check_writable(folder / _PAGE)
    return folder


def possible_files(target: Path) -> tuple[Path, ...]:
    """Return every file that may be written: the target itself, or the files of numbers of any result in a folder."""
    if not target.is_dir():
        return (target,)
    for name in podium.__all__:  # loads every kind of result
        getattr(podium, name)
    schemas = sorted({kind.schema for kind in _kinds(Result)})  # type: ignore[type-abstract]  # its children are meant
    return (target / _PAGE, *(target / f"{schema}{suffix}" for schema in schemas for suffix in (".json", ".csv")))


def _kinds(kind: type[Result]) -> Iterator[type[Result]]:
    for one in kind.__subclasses__():
        if hasattr(one, "schema"):
            yield one
        yield from _kinds(one)


def fill(folder: Path, result: Result, view: View, size: Mapping[str, Any]) -> list[str]:
    """Write the page, the numbers and the pictures of a result, and return what is to be said about them.

    Parameters
    ----------
    folder
        Where.
    result, view, size
        What is written, how it is shown, and how large its pictures are.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    from podium.report.html import to_html  # noqa: PLC0415  # only where a page is written

    before, numbers = there([folder / _PAGE]), folder / f"{result.schema}.json"
    ours = [folder / f"{schema}.csv" for schema in result._part_schemas or [result.schema]]  # noqa: SLF001  # for files only
    ours += [folder / f"{figure.name}.svg" for figure in view.figures]
    for path in (numbers, *ours):  # so that it gets all of them, or none
        check_writable(path)
    if numbers.exists():  # what an earlier run left would be taken for ours
        for path in ours:
            path.unlink(missing_ok=True)
    write(result.render("json"), numbers)
    for part in result._parts():  # noqa: SLF001  # the same
        write(part.render("csv"), folder / f"{part.schema}.csv")
    pictures, said = _drawn(view, size)
    for name, _, picture in pictures:
        write(picture, folder / f"{name}.svg")
    write(to_html(view, [(title, picture) for _, title, picture in pictures]), folder / _PAGE)
    return [*said, f"{written([folder / _PAGE], before)}, the page to look at; the numbers are beside it"]


def _drawn(view: View, size: Mapping[str, Any]) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Names, titles and SVG of the pictures; and why some, or all, are not there."""
    pictures: list[tuple[str, str, str]] = []
    missing: dict[str, list[str]] = {}
    try:
        if view.figures:
            check_installed()
        for figure in view.figures:
            try:
                pictures.append((figure.name, figure.title, draw_figure(figure, **size).to_svg()))
            except MethodError as error:
                missing.setdefault(str(error), []).append(repr(figure.name))
    except (MissingExtraError, ImportError) as error:  # not there, or there and broken
        return [], [f"no pictures: {error}"]
    return pictures, [f"no picture {' or '.join(names)}: {why}" for why, names in missing.items()]
