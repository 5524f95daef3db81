"""Whether the answer depends on how we ask: one table ranked in several ways."""

import warnings
from collections.abc import Sequence

from podium.agreement.result import TOP, Agreement
from podium.base.errors import MethodError, PodiumWarning
from podium.base.parallel import Progress
from podium.ranking.api import rank
from podium.ranking.counted import named_way
from podium.ranking.method.method import METHODS
from podium.ranking.method_spec import LEVELS
from podium.ranking.result import Ranking
from podium.score.table import Scores

#: Methods that may take very long, and so run only if they are asked for.
_SLOW = frozenset({"kemeny"})


def agree(
    scores: Scores,
    methods: Sequence[str] | None = None,
    *,
    top: Sequence[int] = TOP,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Rank systems in several ways, and say how far these agree and which systems move.

    Parameters
    ----------
    scores
        The table.
    methods
        Names of methods, with a level after a colon where one is meant: "mean", "borda", "borda:one". By default
        every method that is quick, at every level where there are instances; one that cannot rank these scores is
        then left out, and the notes say why.
    top
        Numbers of best systems whose agreement is looked at.
    threads
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted, over all methods, and the number there are.

    Returns
    -------
    Agreement
        On the systems that every method ranks. What methods warn of is in its notes.

    Raises
    ------
    MethodError
        An unknown method or level, the same twice, fewer than two, or a method that cannot rank these scores.

    Examples
    --------
    >>> import podium
    >>> podium.agree(podium.datasets.xtreme_missing(), ["borda", "mean", "median", "iqm"])
    Agreement(4 rankings of 9 systems)
      least: borda:task and median, tau-b 0.0556
      moves most: M2, from rank 3 to 8
    """
    asked = _quick(scores) if methods is None else list(methods)
    for way in asked:
        named_way(way)
    rankings: list[Ranking] = []
    failed: dict[str, MethodError] = {}
    for index, way in enumerate(asked):
        share = None if progress is None else _share(progress, index, len(asked))
        try:
            rankings.append(_ranked(scores, way, threads, share))
        except MethodError as error:
            failed[way] = error
            if methods is not None:
                raise
    if failed and len(rankings) < 2:
        raise next(iter(failed.values()))
    notes = [f"{way} is left out: {error}" for way, error in failed.items()]
    return Agreement.of(rankings, top=top, notes=notes)


def _quick(scores: Scores) -> list[str]:
    """Every way to rank that takes no long time; levels where they differ."""
    ways = []
    for name, method in METHODS.items():
        if name in _SLOW:
            continue
        spread_out = method.level is not None and not scores.task_level
        ways += [f"{name}:{level}" for level in LEVELS] if spread_out else [name]
    return ways


def _ranked(scores: Scores, way: str, threads: int | None, progress: Progress | None) -> Ranking:
    """Rank without warnings: they are notes too, and would be said once for each method."""
    name, level = named_way(way)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        return rank(scores, name, level=level, threads=threads, progress=progress)


def _share(progress: Progress, index: int, count: int) -> Progress:
    """Progress of one of several equal parts."""

    def tell(done: int, total: int | None) -> None:
        progress(done + index * (total or 0), None if total is None else count * total)

    return tell
