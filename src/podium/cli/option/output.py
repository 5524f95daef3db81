"""The options of every command that has a result: where it goes, in which format, and what is drawn of it.

A command calls `OutputOptions.destination` before the work, which checks that all can be written, and then
`Destination.deliver` of `cli/output.py` with the result.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, ClassVar

from podium.base.errors import LabelError, OutputError, PodiumWarning
from podium.base.file import check_writable
from podium.cli.folder import folder_of
from podium.cli.option.option import check_choice, choice, offer, option, split
from podium.cli.output import Destination, check_printable
from podium.cli.progress import Bar
from podium.report.draw.canvas import check_installed
from podium.report.draw.file import check_picture
from podium.report.format import DOCUMENT_FORMATS, FORMATS, format_for

Threads = Annotated[
    int | None,
    option("--threads", metavar="N", min=1, meaning="Number of threads. Default: one per core.", heading="Output"),
]

Jobs = Annotated[
    int | None,
    option("--jobs", metavar="N", min=1, meaning="Number of processes. Default: one per core.", heading="Output"),
]

#: What the figures of results show, by their names.
_PICTURES = {
    "heatmap": "who beats whom",
    "ranks": "rank intervals",
    "cd": "what cannot be separated",
    "bump": "ranks by method",
    "history": "ranks over steps",
    "needed": "data that would separate neighbours",
    "forest": "effects by task, and pooled",
    "baujat": "tasks that differ, and that move the summary",
    "bubble": "effects by a moderator",
    "parallel": "scores by split",
    "moves": "change of rank",
    "difficulty": "histogram",
    "kept": "how often the first place is kept",
    "stability": "how far the order stays",
    "influence": "what the first place depends on",
}


def plot_option(names: Sequence[str], usual: str | None = None) -> Any:
    """Declare `--plot` of a command that draws pictures of these names; a single or usual one need not be named."""
    return option(
        "--plot",
        metavar="NAME=FILE" if len(names) > 1 and usual is None else "[NAME=]FILE",
        autocompletion=offer([f"{name}=" for name in names]),
        meaning=f"Draw as SVG, PDF or PNG: {', '.join(f'{name} ({_PICTURES[name]})' for name in names)}.",
        heading="Output",
    )


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Where a result goes, in which format, and how much is said beside it."""

    heading: ClassVar[str] = "Output"

    #: Whether a name without a suffix is a folder too.
    bare: ClassVar[bool] = False

    format: Annotated[
        str | None,
        choice(FORMATS, "--format", "-f", meaning="Format of the result. Default: from the suffix of -o, else table."),
    ] = None
    output: Annotated[
        str | None,
        option(
            "--output",
            "-o",
            metavar="PATH",
            meaning="A file; or a folder, as in out/, for a page, pictures and numbers, beside what is printed.",
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        option("--columns", metavar="NAMES", meaning="Show these columns of the tables, by their headings."),
    ] = None
    wide: Annotated[bool, option("--wide", meaning="Show all columns and whole names on any terminal.")] = False
    explain: Annotated[bool, option("--explain", meaning="Also say how to read the result.")] = False
    verbose: Annotated[bool, option("--verbose", meaning="Show all notes as text, not only three.")] = False
    quiet: Annotated[bool, option("--quiet", "-q", meaning="Print only errors on standard error.")] = False

    def destination(
        self, plot: Iterable[str] | None = None, pictures: Sequence[str] = (), headings: Sequence[str] = ()
    ) -> Destination:
        """Decide on format and places, and find out before the work whether they can be written.

        Parameters
        ----------
        plot
            What `--plot` was given.
        pictures
            Names of the pictures there are.
        headings
            Headings that the tables may have, or patterns of them, where the work takes long; otherwise they are known
            once it is done.

        Raises
        ------
        LabelError
            There is no such format, picture or column.
        OutputError
            A file cannot be written, its suffix says nothing, it is named twice, Parquet would go to a terminal, or
            the format has no tables to choose rows or columns of.
        MissingExtraError
            Matplotlib is not installed.
        """
        if self.quiet:
            warnings.simplefilter("ignore", PodiumWarning)
        target = None if self.output in {None, "-"} else Path(str(self.output))
        folder = None if target is None else folder_of(str(self.output), bare=self.bare)
        chosen = format_for(None if folder else target, self.format)
        top, columns = self.rows, tuple(split(self.columns))
        if (top is not None or columns) and chosen not in {"table", *DOCUMENT_FORMATS}:
            raise OutputError(
                f"{chosen} holds all rows and columns; leave {'--columns' if columns else '--top'} out, "
                f"or take -f table, {', '.join(sorted(DOCUMENT_FORMATS))}"
            )
        for name in columns:
            if headings and not any(fnmatchcase(name, heading) for heading in headings):
                raise LabelError.unknown("column", name, headings)
        if folder or target is None:
            check_printable()
            if chosen == "parquet" and sys.stdout.isatty():
                raise OutputError("a terminal cannot show Parquet; name a file with -o, or redirect the output")
        if target is not None and folder is None:
            check_writable(target)
        drawn = tuple(_named_files(plot or (), pictures, beside=target))
        return Destination(chosen, target, drawn, self.quiet, self.verbose, self.explain, top, columns, self.wide)

    @property
    def rows(self) -> int | None:
        """How many rows of the main table to show; None for all."""
        return None

    def bar(self, label: str) -> Bar:
        """Show how far the work is."""
        return Bar(label, quiet=self.quiet)


@dataclass(frozen=True, slots=True)
class ShowOptions(OutputOptions):
    """The same of a result whose main table may be long."""

    top: Annotated[
        int | None, option("--top", metavar="N", min=1, meaning="Show the first N rows of the main table.")
    ] = None

    @property
    def rows(self) -> int | None:
        """How many rows of the main table to show; None for all."""
        return self.top


@dataclass(frozen=True, slots=True)
class ShowFolderOptions(ShowOptions):
    """The same of a result that fills a folder more often than a file."""

    bare: ClassVar[bool] = True


def _named_files(texts: Iterable[str], names: Sequence[str], *, beside: Path | None) -> Iterator[tuple[str, Path]]:
    """Read `NAME=FILE` texts, and see that each picture can be drawn and written into a file of its own."""
    wanted = [_named_file(text, names) for text in texts]
    taken = set() if beside is None else {beside.resolve()}
    for name, path in wanted:
        check_picture(path)
        # a folder gets the other pictures under their names
        others = set() if beside is None else {beside.resolve() / f"{other}.svg" for other in names if other != name}
        if path.resolve() in taken | others:
            raise OutputError(f"{path} is to hold two results; name a file for each")
        taken.add(path.resolve())
        yield name, path
    if wanted:
        check_installed()


def _named_file(text: str, names: Sequence[str]) -> tuple[str, Path]:
    name, equals, file = text.partition("=")
    if len(names) == 1 and not equals:
        name, equals, file = names[0], "=", text
    check_choice("picture", name.strip(), names)
    if not equals or not file:
        raise OutputError(f"--plot {text!r} is not of the form NAME=FILE, as in --plot {name}={name}.svg")
    return name.strip(), Path(file)
