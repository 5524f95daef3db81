"""The command `add`."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import podium
from podium.board.sift import RULES
from podium.cli.app import command
from podium.cli.option.input import ReadOptions
from podium.cli.option.option import check_choice, choice, option
from podium.cli.option.output import OutputOptions
from podium.source.named import noting

Board = Annotated[
    str, option(metavar="BOARD", meaning="Folder or address (s3://…) of the board; made if it is not there.")
]


@dataclass(frozen=True, slots=True)
class AdditionOptions:
    """What is done with scores that are there, and what is said of those that are added."""

    heading: ClassVar[str] = "Input"

    on_conflict: Annotated[
        str,
        choice(
            RULES,
            "--on-conflict",
            meaning="A score that the board has with another value: stop (default), keep it, replace it, or repeat.",
        ),
    ] = "error"
    run: Annotated[str | None, option("--run", metavar="NAME", meaning="Name of the run, to be kept.")] = None
    time: Annotated[str | None, option("--time", metavar="TIME", meaning="When the run was made, to be kept.")] = None

    def __post_init__(self) -> None:
        check_choice("rule for conflicts", self.on_conflict, RULES)


@command
def add(*, board: Board, read: ReadOptions, addition: AdditionOptions, show: OutputOptions) -> None:
    """Add scores to a board, which keeps all its versions.

    \b
    podium add board/ results/run-417/
    podium add board/ scores.csv --on-conflict replace
    podium add s3://bucket/board scores.parquet

    A board is a folder or an address, with all scores that were ever added. What is there already is not added again,
    and all is added or nothing. Several shells may add at once. podium rank BOARD ranks it, and --as-of shows it as it
    was.

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    destination = show.destination()
    read.refuse_overwriting(destination)
    with noting() as noted:
        scores = read.scores(quiet=show.quiet)
    with show.bar("adding") as bar:
        added = podium.add(
            board,
            scores,
            on_conflict=addition.on_conflict,
            source=", ".join(read.sources) or str(read.files.trec),
            tool=noted.tool or None,
            run=addition.run,
            time=addition.time or noted.time,
            progress=bar,
        )
    destination.deliver(added)
