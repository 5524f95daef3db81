"""The command `history`."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import podium
from podium.base.errors import InputError
from podium.base.words import how_many
from podium.cli.app import command
from podium.cli.command.rank import are_quick
from podium.cli.option.bootstrap import BootstrapOptions
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.option import check_choice, choice, option, split
from podium.cli.option.output import ShowOptions, Threads, plot_option
from podium.cli.option.read import column
from podium.score.table import Scores
from podium.source.path import labels_of
from podium.timeline.api import SUITES
from podium.timeline.steps import EACH, Dates, numbers_of

_PICTURES = ("history",)

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@dataclass(frozen=True, slots=True)
class StepOptions:
    """What the steps are, and by which tasks each is ranked."""

    heading: ClassVar[str] = "Method"

    date_column: Annotated[
        str | None, column("date", "date of each score: each date is a step, of what was there by then")
    ] = None
    dates: Annotated[
        Path | None, option("--dates", metavar="FILE", meaning="Table of systems and their dates: each date is a step.")
    ] = None
    each: Annotated[
        str | None,
        choice(EACH, "--each", meaning="Of a board: each version is a step, or the last one of each day or month."),
    ] = None
    suite: Annotated[
        str, choice(SUITES, "--suite", meaning="Tasks of a step: its own (own), or all seen so far (joined).")
    ] = "own"

    def __post_init__(self) -> None:
        check_choice("suite", self.suite, SUITES)
        check_choice("way to choose versions of a board", self.each, EACH)
        if self.date_column is not None and self.dates is not None:
            raise InputError("--date-column and --dates both say when systems appeared; leave one of them out")

    def found(self, read: ReadOptions) -> Dates | None:
        """Return the dates that are asked for; None where sources are the steps.

        Raises
        ------
        PodiumError
            There are none.
        """
        columns = read.columns
        if self.dates is not None:
            return Dates.read(self.dates)
        if self.date_column is None:
            return None
        told = {role: split(getattr(columns, f"{role}_column")) for role in ("system", "task")}
        for role, names in told.items():
            if len(names) > 1:
                raise InputError(f"with --date-column there is one column of {role}s; name it with --{role}-column")
        if "-" in read.sources:
            raise InputError("standard input (-) can be read only once, and dates are read first; save it as a file")
        return Dates.of_files(read.sources, self.date_column, *(names[0] if names else None for names in told.values()))


@command
def history(
    *,
    method: MethodOptions,
    steps: StepOptions,
    bootstrap: BootstrapOptions,
    read: ReadOptions,
    engine: EngineOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Rank the versions of a table, and say what changed for sure.

    \b
    podium history board/ --plot history.svg
    podium history 2026-01.csv 2026-02.csv 2026-03.csv
    podium history scores.csv --dates released.csv
    podium history scores.csv --date-column date --plot history.svg
    podium history old/ new/ -o history.json

    Each source is a step, oldest first. Of a board, each version is one; with
    --as-of those up to that version.
    With --date-column or --dates all sources are one table, and each date is
    a step. JSON and CSV hold all steps.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES)
    read.refuse_overwriting(destination, beside=[steps.dates])
    engine.use()
    dates = steps.found(read)
    given, largest, notes = _given(read, steps, dates, quiet=show.quiet)
    intervals = bootstrap.intervals
    if intervals is None:
        intervals = are_quick(largest, method, bootstrap.replicates)
        if not intervals:
            destination.mention("intervals are left out, because they take long; add --intervals")
    with show.bar("ranking") as bar:
        found = podium.history(
            given,
            method.spec,
            suite=steps.suite,
            dates=dates,
            **bootstrap.draws,
            confidence=bootstrap.confidence if intervals else None,
            threads=threads,
            progress=bar,
        )
    destination.deliver(replace(found, notes=(*notes, *found.notes)))


def _given(read: ReadOptions, steps: StepOptions, dates: Dates | None, *, quiet: bool) -> tuple[Any, Scores, list[str]]:
    """Return the steps, or the table that has dates; a table by which to say how long intervals take; and notes.

    Each source is read as a table of its own when its turn comes; the first is read at once.
    """
    if dates is not None:
        scores = read.scores(quiet=quiet, beside=steps.date_column)
        return scores, scores, []
    if len(read.sources) == 1:
        found = versions_of(read, steps.each, quiet=quiet)
        if found is not None:
            return found
    if steps.each is not None:
        raise InputError("--each is about the versions of one board; leave it out")
    if len(read.sources) < 2:
        raise InputError(
            "a history has two steps or more: name several files or folders, oldest first; "
            "or say when systems appeared, with --date-column or --dates"
        )
    labels = list(read.named) or labels_of(read.sources)
    first, *others = (replace(read, files=replace(read.files, sources=[source])) for source in read.sources)
    scores = first.scores(quiet=quiet)
    tables = [scores, *(partial(table.scores, quiet=True) for table in others)]
    return list(zip(labels, tables, strict=True)), scores, []


def versions_of(
    read: ReadOptions, each: str | None, *, quiet: bool, beside: str | None = None
) -> tuple[list[Any], Scores, list[str]] | None:
    """Return the versions of the board that is the one source, the newest, and notes; None where the source is none.

    The newest is read at once, with a column beside its scores (`ReadOptions.scores`); each of the others is read as a
    table of its own when its turn comes.

    Raises
    ------
    PodiumError
        There are fewer than two, or the options make no sense for a board.
    """
    found = numbers_of(read.sources[0], each, read.files.as_of)
    if found is None:
        return None
    numbers, notes = found
    if len(numbers) < 2:
        advice = "add more (podium add)" if read.files.as_of is None else "choose a later --as-of"
        advice += "" if each in {None, "version"} else ", or --each version"
        raise InputError(
            f"a history has two steps or more, and {read.sources[0]} has {how_many(len(numbers), 'version')} with two "
            f"systems; {advice}"
        )
    tables = [(label, replace(read, files=replace(read.files, as_of=str(number)))) for label, number in numbers]
    newest = tables[-1][1].scores(quiet=quiet, beside=beside)
    earlier = [(label, partial(table.scores, quiet=True)) for label, table in tables[:-1]]
    return [*earlier, (tables[-1][0], newest)], newest, notes
