"""The command `merge`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from podium.base.errors import InputError, MethodError
from podium.cli.app import command, filled
from podium.cli.command.rank import LEFT_OUT, Plot, deliver, destination_of, intervals_of
from podium.cli.command.tally import tally
from podium.cli.option.bootstrap import BootstrapOptions
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.option import option
from podium.cli.option.output import ShowOptions, Threads
from podium.cli.typed import restored
from podium.score.table import Scores
from podium.tally.engine.engine import using
from podium.tally.engine.parts import AllParts


@dataclass(frozen=True, slots=True)
class PartFolderOptions:
    """Where the parts are."""

    heading: ClassVar[str] = "Input"

    folder: Annotated[Path, option(metavar="FOLDER", meaning="Folder of the parts that podium tally has written.")]


@command
def merge(
    *,
    parts: PartFolderOptions,
    engine: EngineOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Rank by parts that jobs have counted.

    \b
    podium merge parts/
    podium merge parts/ -o board.json --plot ranks=ranks.pdf

    What is read, and how it is ranked, is what podium tally was told. The table is read again, so run this where the
    jobs ran. The ranking is that of podium rank with the same options, byte for byte.
    """  # noqa: D301
    found = AllParts(parts.folder)
    asked = restored(tally, found.question.asked)
    method, bootstrap, read = (filled(kind, asked) for kind in (MethodOptions, BootstrapOptions, ReadOptions))
    destination, drawn = destination_of(show, plot, bootstrap)
    read.refuse_overwriting(destination)
    engine.use()
    scores = _read_again(read, found, parts.folder, quiet=show.quiet)
    intervals = intervals_of(scores, method, bootstrap)
    if drawn and not intervals:
        raise MethodError(
            "--plot shows intervals, for which these parts have no replicates; count parts with --intervals"
        )
    if not intervals and bootstrap.intervals is None:
        destination.mention(LEFT_OUT)
    with found, using(found):
        deliver(scores, method, bootstrap, show, destination, intervals=intervals, threads=threads)


def _read_again(read: ReadOptions, found: AllParts, folder: Path, *, quiet: bool) -> Scores:
    """Read the table that was counted, and make sure that it is the same."""
    try:
        scores = read.scores(quiet=quiet)
    except InputError as error:
        raise InputError(
            f"the table that the parts in {folder} were counted of cannot be read: {error}; run podium merge where "
            "the jobs ran"
        ) from error
    found.check_table(scores)
    return scores
