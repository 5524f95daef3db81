"""The command `rank`."""

from math import inf
from typing import Annotated

import podium
from podium.base.errors import MethodError
from podium.cli.app import command
from podium.cli.option.bootstrap import BootstrapOptions
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.output import ShowOptions, Threads, plot_option
from podium.ranking.method import METHODS
from podium.report.result import Result
from podium.score.table import Scores, of_battles

#: Scores times replicates up to which intervals are made without being asked for.
_QUICK = 2 * 10**9

#: The same where scores are sums over tasks that are drawn as a whole.
_QUICK_SUMS = 10**10

#: Cells that take as long as one score of battles, which are counted by who met whom.
_OF_BATTLES = 10

#: Systems up to which they are made by methods that rank one replicate after the other.
_FEW = 20

#: Systems up to which they are made at level "two" where every replicate fits a model of missing scores.
_FITTED = 100

_PICTURES = ("heatmap", "ranks", "cd", "bump")

#: Pictures that show intervals.
_OF_INTERVALS = frozenset({"ranks", "cd"})

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@command
def rank(
    *,
    method: MethodOptions,
    bootstrap: BootstrapOptions,
    read: ReadOptions,
    engine: EngineOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Rank systems, best first, and say how sure that is.

    \b
    podium rank scores.csv
    podium rank 'runs/*.parquet' --lower ter,latency -o board.json
    podium rank results.csv --system-column model --score-column acc
    podium rank scores.csv --plot heatmap=pairs.svg --plot ranks=ranks.pdf
    podium rank - --input-format jsonl -f markdown < scores.jsonl

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES, (*bootstrap.headings, "tasks scored"))
    drawn = [name for name, _ in destination.pictures if name in _OF_INTERVALS]
    if drawn and bootstrap.intervals is False:
        raise MethodError(
            f"--plot {drawn[0]} shows intervals, and --no-intervals leaves them out; remove one of the two options"
        )
    read.refuse_overwriting(destination)
    engine.use()
    scores = read.scores(quiet=show.quiet)
    intervals = True if drawn else bootstrap.intervals
    if intervals is None:
        intervals = are_quick(scores, method, bootstrap.replicates)
        if not intervals:
            destination.mention("intervals are left out, because they take long; add --intervals")
    confidence = bootstrap.confidence if intervals else None
    with show.bar("counting") as bar:
        ranking = podium.rank(
            scores, method.spec, **bootstrap.draws, confidence=confidence, threads=threads, progress=bar
        )

    def pairs() -> Result:
        return podium.pairwise(
            scores, level=method.spec.level or "one", confidence=bootstrap.confidence, threads=threads
        )

    def methods() -> Result:
        with show.bar("comparing") as bar:
            return podium.agree(scores, threads=threads, progress=bar)

    destination.deliver(ranking, others={"heatmap": pairs, "bump": methods})


def are_quick(scores: Scores, method: MethodOptions, replicates: int) -> bool:
    """Whether intervals take only seconds."""
    spec = method.spec.on(scores)
    entry, by_model = METHODS[spec.name], spec.missing == "model"
    cells = _OF_BATTLES * scores.n_scored if of_battles(scores) else scores.n_cells
    # replicates of sums over tasks are one product of matrices
    summed = entry.adds_up and scores.task_level
    few = _FEW if entry.slow else _FITTED if by_model and spec.level == "two" else inf
    return cells * replicates <= (_QUICK_SUMS if summed else _QUICK) and len(scores.systems) <= few
