"""The command `plan`."""

import podium
from podium.cli.app import enter
from podium.cli.input import Read
from podium.cli.option.bootstrap import Power
from podium.cli.option.method import Method
from podium.cli.show import Show, Threads


@enter()
def plan(*, method: Method, sure: Power, read: Read, show: Show, threads: Threads = None) -> None:
    """Show how much more data would separate neighbours, and which missing scores to add first.

    Instances (or tasks) needed by the bootstrap, and direct comparisons needed by Hoeffding's bound, if the
    differences seen now are the true ones. The value of a missing score is the number of pairs of systems that it is
    expected to decide. CSV holds all pairs, JSON all pairs and all missing scores.

    \b
    podium plan scores.parquet
    podium plan scores.csv --method mean --units tasks --power 0.9
    podium plan dataset:xtreme-missing -f json
    """  # noqa: D301
    destination = show.destination()
    read.spare(destination.path)
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        planned = podium.plan(scores, **method.arguments, **sure.arguments, threads=threads, progress=bar)
    destination.put(planned)
