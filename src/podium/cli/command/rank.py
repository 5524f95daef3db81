"""The command `rank`."""

from typing import Annotated

import podium
from podium.cli.app import enter
from podium.cli.input import Read
from podium.cli.option.bootstrap import Bootstrap
from podium.cli.option.method import Method
from podium.cli.option.option import offer, option
from podium.cli.option.output import Show, Threads
from podium.cli.picture import PICTURES, Pictures
from podium.ranking.method import METHODS

#: Scores times replicates up to which intervals are made without being asked for.
_QUICK = 2 * 10**9

#: Systems up to which they are made by methods that rank one replicate after the other.
_FEW = 20

Plot = Annotated[
    list[str] | None,
    option(
        "--plot",
        metavar="NAME=FILE",
        autocompletion=offer(tuple(f"{name}=" for name in PICTURES)),
        meaning="Draw into an SVG, PDF or PNG file: heatmap (who beats whom), ranks (rank intervals and tiers), "
        "cd (systems that cannot be separated) or bump (ranks by method). Repeat for more.",
        heading="Output",
    ),
]


@enter()
def rank(
    *, method: Method, sure: Bootstrap, read: Read, show: Show, plot: Plot = None, threads: Threads = None
) -> None:
    """Rank systems, best first, and say how sure that is.

    \b
    podium rank scores.csv
    podium rank 'runs/*.parquet' --level two --lower ter,latency -o board.json
    podium rank results.csv --system model --score acc --method mean
    podium rank scores.csv --plot heatmap=pairs.svg --plot ranks=ranks.pdf
    podium rank - --input-format jsonl -f markdown < scores.jsonl

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    destination = show.destination()
    pictures = Pictures.of(plot, beside=destination.path)
    read.spare(destination.path, *(path for _, path in pictures.wanted))
    intervals = pictures.settle(sure.intervals)
    scores = read.scores(quiet=show.quiet)
    if intervals is None:
        slow = METHODS[method.method].slow and len(scores.systems) > _FEW
        intervals = scores.n_cells * sure.replicates <= _QUICK and not slow
        if not intervals:
            destination.mention("no intervals, because they would take a while; --intervals asks for them")
    confidence = sure.confidence if intervals else None
    with show.bar("counting") as bar:
        ranking = podium.rank(scores, method.spec, **sure.draws, confidence=confidence, threads=threads, progress=bar)
    destination.put(ranking)
    pictures.put(scores, ranking, level=method.level, confidence=sure.confidence, threads=threads, quiet=show.quiet)
