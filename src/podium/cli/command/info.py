"""The commands about tables: info, datasets."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import podium
from podium.cli.app import command
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.option import option
from podium.cli.option.output import ShowOptions, Threads
from podium.cli.output import print_view
from podium.report.table import Column, Table
from podium.report.view import View


@dataclass(frozen=True, slots=True)
class FormatOptions:
    """What is shown instead of scores."""

    heading: ClassVar[str] = "Input"

    formats: Annotated[
        bool, option("--formats", meaning="Show what the files are: tool, how they are read, what is left out and why.")
    ] = False


@command
def info(
    *, read: ReadOptions, what: FormatOptions, engine: EngineOptions, show: ShowOptions, threads: Threads = None
) -> None:
    """Show what a table holds, and what is missing.

    \b
    podium info scores.csv
    podium info dataset:xtreme-missing -f markdown
    podium info results/ --formats

    Shape, missing scores, directions, weights, ties, and near-ties: scores that differ by at most 1e-9 without being
    equal.

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    destination = show.destination()
    read.refuse_overwriting(destination)
    if what.formats:
        destination.deliver(read.findings(quiet=show.quiet))
        return
    engine.use()
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        description = podium.describe(scores, threads=threads, progress=bar)
    destination.deliver(description)


@command
def datasets() -> None:
    """List the built-in data sets.

    \b
    podium datasets
    podium rank dataset:toy-table1
    """  # noqa: D301
    names = podium.datasets.names()
    shapes = (repr(podium.datasets.load(name)).removeprefix("Scores(").removesuffix(")") for name in names)
    columns = (Column.labels("source", [f"dataset:{name}" for name in names]), Column.words("holds", shapes))
    print_view(View("built-in data sets", (Table(columns),)))
