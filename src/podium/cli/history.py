"""The command `history`, and the versions of a board as its steps."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import podium
from podium.base.errors import InputError, PodiumError
from podium.base.words import how_many
from podium.cli.app import METHOD, choice, column, command, option, split
from podium.cli.options import CountOptions, plot_option
from podium.cli.rank import BootstrapOptions, MethodOptions, seconds_of_intervals
from podium.cli.read import ReadOptions
from podium.score.table import Scores
from podium.source.path import labels_of, matches
from podium.timeline.api import SUITES, Suite
from podium.timeline.steps import EACH, Dates, numbers_of, runs_as_steps, too_few


def each_option(meaning: str) -> Any:
    """Declare `--each`, which chooses versions of a board."""
    return choice(METHOD, EACH, meaning, what="way to choose versions of a board")


@command
def history(
    *,
    method: MethodOptions,
    date_column: str | None = column("date of each score: each date is a step, of what was there by then", METHOD),
    dates: Path | None = option(METHOD, "FILE", "Table of systems and their dates: each date is a step."),
    each: str | None = each_option("Of a board: each version is a step, or the last one of each day or month."),
    suite: Suite = choice(
        METHOD, SUITES, "Tasks of a step: its own (own), or all seen so far (joined).", what="suite", default="own"
    ),
    bootstrap: BootstrapOptions,
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("history",)),
) -> None:
    """Rank the versions of a table, and say what changed for sure.

    \b
    podium history board/ --plot history.svg
    podium history 'months/*.csv' --plot history.svg
    podium history scores.csv --dates released.csv
    podium history scores.csv --date-column date --plot history.svg
    podium history old/ new/ -o history.json

    Each source is a step, oldest first; of a board, each version; of logs of one
    system in a folder, each run; with --date-column or --dates, each date.

    With --as-of the versions of a board are those up to that one. JSON and CSV hold all steps.
    """  # noqa: D301
    if date_column is not None and dates is not None:
        raise InputError("--date-column and --dates both say when systems appeared; leave one of them out")
    destination = show.destination(plot, ("history",))
    read.check(destination, also=[dates])
    try:
        dated = _dates(read, date_column, dates)
    except PodiumError:
        if dates is None and _are_logs(read, quiet=show.quiet):
            raise InputError(
                "--date-column is a column of tables, and these are logs; leave it out: in a folder of logs of one "
                "system, each run is a step"
            ) from None
        raise
    given: Any
    if dated is not None:
        given = largest = read.scores(quiet=show.quiet, extra=date_column)
        notes: list[str] = []
    else:
        given, largest, notes = steps_in(read, each, quiet=show.quiet)
    confidence = bootstrap.wanted(lambda: seconds_of_intervals(largest, method, bootstrap), destination)
    with show.bar("ranking") as bar:
        found = podium.history(
            given,
            method.spec,
            suite=suite,
            dates=dated,
            **bootstrap.draws,
            confidence_level=confidence,
            n_jobs=show.threads,
            progress=bar,
        )
    destination.deliver(replace(found, notes=(*notes, *found.notes)))


def _dates(read: ReadOptions, date_column: str | None, dates: Path | None) -> Dates | None:
    """Return the dates that are asked for; None if sources are the steps.

    Raises
    ------
    PodiumError
        There are none.
    """
    if dates is not None:
        return Dates.of_files([dates])
    if date_column is None:
        return None
    columns = {"system": split(read.system_column), "task": split(read.task_column)}
    for role, names in columns.items():
        if len(names) > 1:
            raise InputError(f"with --date-column there is one column of {role}s; name it with --{role}-column")
    if "-" in read.paths:
        raise InputError("standard input (-) can be read only once, and dates are read first; save it as a file")
    return Dates.of_files(read.paths, date_column, *(names[0] if names else None for names in columns.values()))


def steps_in(
    read: ReadOptions, each: str | None, *, quiet: bool, extra: str | None = None
) -> tuple[list[Any], Scores, list[str]]:
    """Return the steps, the newest table, and notes.

    Each source is a step, or each version of a board that is the one source. The newest is read at once, with a column
    beside its scores (`ReadOptions.scores`); each of the others is read as a table of its own when its turn comes.

    Raises
    ------
    PodiumError
        There are fewer than two, or the options make no sense for a board.
    """
    if len(read.paths) == 1:
        found = _versions(read, each, quiet=quiet, extra=extra)
        if found is not None:
            return found
    if each is not None:
        raise InputError("--each is about the versions of one board; leave it out")
    paths = list(read.paths) if read.named else [one for path in read.paths for one in matches(path)]
    if len(paths) < 2:
        apart = replace(read, runs="apart").scores(quiet=quiet, extra=extra) if _are_logs(read, quiet=quiet) else None
        if apart is None or not (runs := runs_as_steps(apart)):
            raise too_few(paths[0] if paths else "the source", logs=apart is not None)
        return list(runs), runs[-1][1], []
    labels = list(read.named) or labels_of(paths)
    tables = [(label, replace(read, sources=[path])) for label, path in zip(labels, paths, strict=True)]
    return *_newest_read(tables, quiet=quiet, extra=extra), []


def _are_logs(read: ReadOptions, *, quiet: bool) -> bool:
    """Return whether the one source is what a tool wrote, and can be read."""
    if read.named or read.are_runs or tuple(read.paths) in {(), ("-",)}:
        return False
    try:
        return read.scores(quiet=quiet).origin is not None
    except PodiumError:
        return False


def _versions(
    read: ReadOptions, each: str | None, *, quiet: bool, extra: str | None
) -> tuple[list[Any], Scores, list[str]] | None:
    """Return the versions of the board that is the one source, the newest, and notes; None if the source is none."""
    found = numbers_of(read.paths[0], each, read.as_of)
    if found is None:
        return None
    numbers, notes = found
    if len(numbers) < 2:
        advice = "add more (podium add)" if read.as_of is None else "choose a later --as-of"
        advice += "" if each in {None, "version"} else ", or --each version"
        raise InputError(
            f"a history has two steps or more, and {read.paths[0]} has {how_many(len(numbers), 'version')} with two "
            f"systems; {advice}"
        )
    tables = [(label, replace(read, as_of=str(number))) for label, number in numbers]
    return *_newest_read(tables, quiet=quiet, extra=extra), notes


def _newest_read(tables: list[tuple[str, ReadOptions]], *, quiet: bool, extra: str | None) -> tuple[list[Any], Scores]:
    """Return steps that are read when their turn comes, but for the newest, and the newest."""
    *earlier, (label, last) = tables
    newest = last.scores(quiet=quiet, extra=extra)
    return [*((name, partial(table.scores, quiet=True)) for name, table in earlier), (label, newest)], newest
