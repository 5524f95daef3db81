"""The command `agree`."""

import podium
from podium.cli.app import enter
from podium.cli.input import Read
from podium.cli.option.method import Methods
from podium.cli.show import Show, Threads


@enter()
def agree(*, methods: Methods, read: Read, show: Show, threads: Threads = None) -> None:
    """Rank in several ways, and show how far they agree and which systems move.

    Kendall's tau-b between the rankings; their distance (0 same, 1 reversed) and the share of the top systems they
    have in common, least agreeing pairs first; the systems whose ranks differ most. JSON and CSV hold all systems.

    \b
    podium agree scores.csv
    podium agree scores.csv --methods mean,borda:one,borda:two
    podium agree dataset:xtreme-missing -f json
    """  # noqa: D301
    destination = show.destination()
    read.spare(destination.path)
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        agreement = podium.agree(scores, methods.names, threads=threads, progress=bar)
    destination.put(agreement)
