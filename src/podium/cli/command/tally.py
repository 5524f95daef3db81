"""The command `tally`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import click

from podium.base.errors import InputError
from podium.cli.app import command
from podium.cli.command.rank import LEFT_OUT, intervals_of
from podium.cli.message import mention
from podium.cli.option.bootstrap import BootstrapOptions
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.option import option
from podium.cli.option.output import Threads
from podium.cli.progress import Bar
from podium.cli.typed import kept_of, text_of
from podium.ranking.ahead import demands_of, settled
from podium.tally.engine.part import Part, PartQuestion, digest_of, write_part

#: Options that change no number.
_OF_THIS_JOB = frozenset({"part", "output", "quiet", "threads", "engine", "scheduler", "workers", "memory"})


@dataclass(frozen=True, slots=True)
class PartOptions:
    """Which part is counted, and where it goes."""

    heading: ClassVar[str] = "Output"

    part: Annotated[
        str, option("--part", metavar="I/N", meaning="Count part I of N, as 3/16; every job counts another.")
    ]
    output: Annotated[
        Path, option("--output", "-o", metavar="PATH", meaning="Folder for the parts; made where it is not there.")
    ]
    quiet: Annotated[bool, option("--quiet", "-q", meaning="Print only errors on standard error.")] = False

    def __post_init__(self) -> None:
        Part.typed(self.part)  # what makes no sense is refused before anything is read


@command
def tally(
    *,
    method: MethodOptions,
    bootstrap: BootstrapOptions,
    read: ReadOptions,
    part: PartOptions,
    engine: EngineOptions,
    threads: Threads = None,
) -> None:
    """Count a part of what a ranking needs, as one of many jobs.

    \b
    podium tally scores.parquet --part 1/2 -o parts/
    podium tally scores.parquet --part 2/2 -o parts/
    podium merge parts/

    The options are those of rank. Each job reads the table, counts its share of it and of its replicates, and writes
    one file; a file that is there is not made again. When all parts are there, merge shows what rank would have shown,
    byte for byte. Stretches of 262,144 instances of a task, or fewer, are the smallest share, so more parts than that
    help nobody.

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    if "-" in read.sources:
        raise InputError("merge reads the table again, and standard input can be read once; save it as a file")
    engine.use()
    scores = read.scores(quiet=part.quiet)
    intervals = intervals_of(scores, method, bootstrap)
    if not intervals and bootstrap.intervals is None:
        _say(part, LEFT_OUT)
    confidence = bootstrap.confidence if intervals else None
    spec, draws = settled(scores, method.spec, confidence=confidence, **bootstrap.draws)
    context = click.get_current_context()
    question = PartQuestion(kept_of(context, _OF_THIS_JOB), text_of(context, _OF_THIS_JOB), digest_of(scores))
    demands = list(demands_of(scores, spec, draws))
    with Bar("counting", quiet=part.quiet) as bar:
        path, held = write_part(part.output, Part.typed(part.part), question, demands, threads=threads, progress=bar)
    _say(part, f"{path} is there, and is not counted again" if held is None else _held(path, held))


def _held(path: Path, held: int) -> str:
    if held:
        return f"{path} holds {held:,} {'tally' if held == 1 else 'tallies'}"
    return f"{path} is empty, as nothing that takes long is left for this part; fewer parts are enough"


def _say(part: PartOptions, sentence: str) -> None:
    if not part.quiet:
        mention([sentence])
