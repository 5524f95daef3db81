"""The command `convert`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import podium
from podium.base.file import check_writable
from podium.cli.app import command
from podium.cli.option.input import ReadOptions
from podium.cli.option.option import option
from podium.cli.output import Destination
from podium.cli.progress import Bar


@dataclass(frozen=True, slots=True)
class TableFileOptions:
    """Where the table goes."""

    heading: ClassVar[str] = "Output"

    output: Annotated[
        Path,
        option(
            "--output",
            "-o",
            metavar="PATH",
            meaning="The table: .parquet, .feather, .csv, .tsv or .jsonl; text also with .gz, .zst, .bz2 or .xz.",
        ),
    ]
    quiet: Annotated[bool, option("--quiet", "-q", meaning="Print only errors on standard error.")] = False


@command
def convert(*, read: ReadOptions, table: TableFileOptions) -> None:
    """Write what is read as one long table.

    \b
    podium convert results/ -o scores.parquet
    podium convert 'logs/*.eval' --runs all -o scores.csv.gz

    A row has one score, with task, system, instance, and whether higher or lower is better. The table also holds
    repeats, weights of instances, clusters, cost, time and size, where these are known. podium reads it by itself, and
    ranks it to the same digits. The notes are of what was read, and are not in the table.

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    from podium.source.convert import format_of  # noqa: PLC0415  # only here

    format_, _ = format_of(table.output)
    check_writable(table.output)
    destination = Destination(format_, table.output, (), quiet=table.quiet, verbose=False, explain=False)
    read.refuse_overwriting(destination)
    scores = read.scores(quiet=table.quiet)
    with Bar("writing", quiet=table.quiet) as bar:
        podium.convert(scores, table.output, progress=bar)
    for note in scores.notes:
        destination.mention(note)
    destination.mention(f"{table.output} holds {repr(scores).removeprefix('Scores(').removesuffix(')')}")
