"""Where a result goes and how it looks: the options of every command that has one."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from podium.cli.option.option import choice, option
from podium.cli.output import Destination
from podium.cli.progress import Bar
from podium.report.format import FORMATS

_FORMAT = "Format of the result. Default: from the suffix of -o, else table."

Threads = Annotated[int | None, option("--threads", metavar="N", min=1, meaning="Number of threads.", heading="Output")]

Jobs = Annotated[
    int | None,
    option("--jobs", metavar="N", min=1, meaning="Number of processes. Default: one per core.", heading="Output"),
]


@dataclass(frozen=True, slots=True)
class Show:
    """Where a result goes, in which format, and how much is said beside it."""

    heading: ClassVar[str] = "Output"

    #: Whether a name without a suffix is a folder too.
    bare: ClassVar[bool] = False

    format: Annotated[str | None, choice(FORMATS, "--format", "-f", meaning=_FORMAT)] = None
    output: Annotated[
        str | None,
        option(
            "--output",
            "-o",
            metavar="PATH",
            meaning="Write to a file. If PATH is a folder or ends in /: a page, its pictures and all numbers.",
        ),
    ] = None
    explain: Annotated[bool, option("--explain", meaning="Also say how to read the result.")] = False
    verbose: Annotated[bool, option("--verbose", meaning="Show all notes as text, not only three.")] = False
    quiet: Annotated[bool, option("--quiet", "-q", meaning="Print only errors on standard error.")] = False

    def destination(self) -> Destination:
        """Settle format and place, before the work.

        Raises
        ------
        PodiumError
            There is no such format, or the place cannot be written.
        """
        return Destination.of(
            self.format,
            self.output,
            quiet=self.quiet,
            bare=self.bare,
            verbose=self.verbose,
            explain=self.explain,
        )

    def bar(self, label: str) -> Bar:
        """Show how far the work is."""
        return Bar(label, quiet=self.quiet)


@dataclass(frozen=True, slots=True)
class ShowFolder(Show):
    """The same of a result that fills a folder more often than a file."""

    bare: ClassVar[bool] = True
