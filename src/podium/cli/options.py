"""Options that many commands share: where a result goes, what is drawn of it, and what it may take to compute it.

A command calls `OutputOptions.destination` before the work, which checks that all can be written, and then
`Destination.deliver` of `cli/output.py` with the result.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import inf
from pathlib import Path
from typing import Any

import click

import podium
from podium.base.check import bytes_of, check_confidence
from podium.base.cluster import ENGINES, EngineName
from podium.base.errors import LabelError, OutputError, PodiumWarning
from podium.base.file import check_writable
from podium.base.progress import Bar
from podium.base.words import how_many
from podium.cli.app import LIMITS, OUTPUT, QUIET, UNCERTAINTY, check_choice, choice, flag, option, refuse, split
from podium.cli.output import Destination, check_printable, folder_of
from podium.report.drawing import check_installed
from podium.report.formats import DOCUMENT_FORMATS, FORMATS, format_for
from podium.report.picture import check_picture
from podium.report.size import inches, points
from podium.report.view import DocumentStyle

THREADS: Any = option(OUTPUT, "N", "Number of threads. Default: one per core.", min=1)

JOBS: Any = option(OUTPUT, "N", "Number of processes. Default: one per core.", min=1)


def confidence_option(meaning: str = "Confidence of the intervals.", heading: str = UNCERTAINTY) -> Any:
    """Declare `--confidence`, a number between 0 and 1."""
    return option(heading, "P", meaning, default=0.95, check=check_confidence)


def replicates_option(meaning: str, default: int) -> Any:
    """Declare `--replicates` of the bootstrap."""
    return option(UNCERTAINTY, "B", meaning, default=default, min=1)


def seed_option(heading: str = UNCERTAINTY) -> Any:
    """Declare `--seed`."""
    return option(heading, "N", "Seed of everything random.", default=0)


#: Seconds up to which intervals are made without being asked for.
LONG = 30.0

#: What the figures of results show, by their names.
_PICTURES = {
    "heatmap": "who beats whom",
    "ranks": "rank intervals",
    "cd": "what cannot be separated",
    "bump": "ranks by method",
    "correlations": "agreement of tables or tasks",
    "history": "ranks over steps",
    "needed": "data that would separate neighbours",
    "allocated": "what to run of each system",
    "predicted": "what items tell of full scores",
    "worth": "what tasks tell against their headroom",
    "forest": "effects by task, and pooled",
    "frontier": "score against cost",
    "slices": "departures of systems on slices",
    "calibration": "right against how sure",
    "baujat": "tasks that differ, and that move the summary",
    "bubble": "effects by a moderator",
    "parallel": "scores by split",
    "moves": "change of rank",
    "difficulty": "histogram",
    "kept": "how often the first place is kept",
    "stability": "how far the order stays",
    "influence": "what the first place depends on",
}


def plot_option(names: Sequence[str]) -> Any:
    """Declare `--plot` of a command that draws pictures of these names, the usual one first."""
    shown = ", ".join(f"{name} ({_PICTURES[name]})" for name in names)
    meaning = f"Draw a picture: {', '.join(names)}. As SVG, PDF or PNG: {shown}."
    return option(OUTPUT, "[NAME=]FILE", meaning, complete=[f"{name}=" for name in names])


def sentence_option() -> Any:
    """Declare `--sentence`."""
    return flag(OUTPUT, "Print sentences for a paper, with the numbers and how they were made, in place of the table.")


def refuse_sentence(wanted: bool, destination: Destination) -> None:  # as typed
    """Refuse `--sentence` in a format that has no place for it.

    Raises
    ------
    OutputError
        The format is not text.
    """
    if wanted and destination.format != "table":
        raise OutputError(f"--sentence is plain text, and not {destination.format}; leave -f out, or write to a .txt")


def check_columns(columns: Iterable[str], headings: Sequence[str]) -> None:
    """Refuse columns that no table will have, before the work; headings may be patterns, and so may columns.

    Raises
    ------
    LabelError
        There is no such column.
    """
    for name in columns:
        wanted = name.removeprefix("!")
        if not any(wanted == one or fnmatchcase(wanted, one) or fnmatchcase(one, wanted) for one in headings):
            raise LabelError.unknown("column", name, headings)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Options of output: file, format, and how much is said beside it."""

    format: str | None = choice(
        OUTPUT, FORMATS, "Format of the result. Default: from the suffix of -o, else table.", "-f"
    )
    output: str | None = option(
        OUTPUT,
        "PATH",
        "A file, or a folder, such as out/. A folder gets a page, pictures and numbers; the result is printed, too.",
        "-o",
    )
    top: int | None = option(
        OUTPUT, "N", "Show the first N rows of the main table. Default: all; 20 on a terminal.", min=1
    )
    columns: list[str] | None = option(
        OUTPUT,
        "GLOBS",
        "Show these columns of the tables, by their headings; of a ranking also tasks (all), or some by name.",
    )
    wide: bool = flag(OUTPUT, "Show all tables, columns, rows and whole names on any terminal.")
    width: str | None = option(OUTPUT, "LENGTH", "Width of pictures, as in 3.3in, 84mm, 8.4cm or 240pt.", check=inches)
    font: float | None = option(OUTPUT, "POINTS", "Size of the letters of pictures.", check=points)
    digits: int | None = option(OUTPUT, "N", "Decimals of scores and effects, in text and documents.", min=0)
    bold: bool = flag(OUTPUT, "Show the best in bold, in LaTeX and Markdown.")
    caption: str | None = option(OUTPUT, "TEXT", "Caption in LaTeX: plain text, or LaTeX if it has a backslash.")
    label: str | None = option(OUTPUT, "NAME", "Its label, as in tab:results.")
    explain: bool = flag(OUTPUT, "Say how to read the result, too.")
    verbose: bool = flag(OUTPUT, "Show all notes as text, not only three.")
    quiet: bool = QUIET

    def destination(
        self,
        plot: Iterable[str] | None = None,
        pictures: Sequence[str] = (),
        headings: Sequence[str] = (),
        *,
        bare: bool = False,
    ) -> Destination:
        """Decide on format and places, and find out before the work whether they can be written.

        Parameters
        ----------
        plot
            What `--plot` was given.
        pictures
            Names of the pictures there are, the usual one first.
        headings
            Headings that the tables may have, or patterns of them, if the work takes long; otherwise they are known
            once it is done.
        bare
            Whether a name without a suffix is a folder, too.

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
        folder = None if target is None else folder_of(str(self.output), bare=bare)
        chosen = format_for(None if folder else target, self.format)
        columns = tuple(split(self.columns))
        if (self.top is not None or columns) and chosen not in {"table", *DOCUMENT_FORMATS}:
            raise OutputError(
                f"{chosen} holds all rows and columns; leave {'--columns' if columns else '--top'} out, "
                f"or take -f table, {', '.join(sorted(DOCUMENT_FORMATS))}"
            )
        style = DocumentStyle(self.caption, self.label, self.bold, self.digits)
        style.check(chosen)
        if headings:
            check_columns(columns, headings)
        if folder or target is None:
            check_printable()
            if chosen == "parquet" and sys.stdout.isatty():
                raise OutputError("a terminal cannot show Parquet; name a file with -o, or redirect the output")
        if target is not None and folder is None:
            check_writable(target)
        drawn = tuple(_named_files(plot or (), pictures, output=target))
        size = {"width": self.width, "font": self.font}
        if not drawn and folder is None:
            refuse(
                size, "{0} is about pictures; ask for one with --plot FILE, or for a folder (-o out/), or leave it out"
            )
        shown = (self.quiet, self.verbose, self.explain, self.top, columns, self.wide)
        size = {name: one for name, one in size.items() if one}
        return Destination(chosen, target, drawn, *shown, size=size, style=style)

    def bar(self, label: str) -> Bar:
        """Show how far the work is."""
        return Bar(label, quiet=self.quiet)


@dataclass(frozen=True, slots=True)
class CountOptions(OutputOptions):
    """The same of a command that may count many scores: also where these are counted, and by how many threads."""

    engine: EngineName = choice(
        LIMITS, ENGINES, "What reads and counts: this machine, or a Dask cluster.", default="local"
    )
    scheduler: str | None = option(
        LIMITS, "ADDRESS", "Cluster of --engine dask, as tcp://10.0.0.1:8786. Default: processes of this machine."
    )
    workers: int | None = option(
        LIMITS, "N", "Processes of dask; with --scheduler, how many to wait for. Default: one per core, or 1.", min=1
    )
    worker_memory: str | None = option(
        LIMITS, "SIZE", "What each process of dask may hold, such as 1GB. Default: an equal share.", check=bytes_of
    )

    threads: int | None = THREADS

    def destination(self, *places: Any, **more: Any) -> Destination:
        """Return the same, and put the engine in force until the command ends, see `podium.engine`."""
        found = super(CountOptions, self).destination(*places, **more)
        chosen = podium.engine(
            self.engine, scheduler=self.scheduler, workers=self.workers, worker_memory=self.worker_memory
        )
        click.get_current_context().with_resource(chosen)
        return found


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """Options of intervals: whether there are any, and their confidence."""

    intervals: bool | None = flag(
        UNCERTAINTY, "Rank intervals and tiers. Default: if they take at most half a minute.", default=None
    )
    confidence: float = confidence_option()
    replicates: int = replicates_option("Number of bootstrap replicates.", 1000)
    seed: int = seed_option()

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of the columns of every ranking, those of its intervals among them."""
        percent = f"{100 * self.confidence:g}%"
        return ("rank", f"{percent} ranks", "tier", "may be best", "system", "score", f"score with {percent} interval")

    def wanted(self, seconds: Callable[[], float], destination: Destination) -> float | None:
        """Return the confidence of intervals; None if they are not wanted, or take long and are not asked for."""
        if self.intervals is None and (estimate := seconds()) > LONG:
            minutes = "very long" if estimate == inf else f"about {how_many(max(1, round(estimate / 60)), 'minute')}"
            destination.mention(f"no intervals, because they would take {minutes}; --intervals makes them")
            return None
        return None if self.intervals is False else self.confidence


def _named_files(texts: Iterable[str], names: Sequence[str], *, output: Path | None) -> list[tuple[str, Path]]:
    """Read `NAME=FILE` texts, and see that each picture can be drawn and written into a file of its own.

    A file alone gets the picture that it is called after, or else the usual one; one called after a picture that the
    command does not draw is refused.
    """
    wanted: list[tuple[str, Path]] = []
    for text in texts:
        name, equals, file = text.partition("=")
        if not equals:
            called = Path(text).stem
            name, file = called if called in (_PICTURES if len(names) > 1 else names) else names[0], text
        check_choice("picture", names, name.strip())
        if not Path(file).suffix:
            raise OutputError(f"--plot {text!r} is not of the form NAME=FILE, as in --plot {name}={name}.svg")
        wanted.append((name.strip(), Path(file)))
    taken = set() if output is None else {output.resolve()}
    for name, path in wanted:
        check_picture(path)
        # a folder gets the other pictures under their names
        others = set() if output is None else {output.resolve() / f"{other}.svg" for other in names if other != name}
        if path.resolve() in taken | others:
            raise OutputError(f"{path} is to hold two results; name a file for each")
        taken.add(path.resolve())
    if wanted:
        check_installed()
    return wanted
