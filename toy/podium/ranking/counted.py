"""Several ways to rank on one table that is counted once: levels alone, without labels, notes or warnings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import MethodError, nearest
from podium.ranking.method.method import METHODS, Method
from podium.ranking.method_spec import LEVELS, Setting, level_of
from podium.score.table import Scores
from podium.tally.duel import Duels
from podium.tally.engine.local import Counts, count
from podium.tally.moment import Means, Moments
from podium.tally.position import Positions

if TYPE_CHECKING:
    from podium.tally.tally import Tally

Levels = NDArray[np.int64]


def standings(scores: Scores, ways: Sequence[str], *, threads: int | None = None) -> list[Levels | None]:
    """Rank a table in several ways; the ranks are those of `podium.rank`, way by way.

    Parameters
    ----------
    scores
        The table.
    ways
        Names of methods, with a level after a colon where one is meant: "mean", "borda", "borda:one".
    threads
        Cores to count on; the result does not depend on it.

    Returns
    -------
    For each way, shape `(N,)`: dense levels of the systems in the order of the table, 0 is first, equals share one, −1
    for a system that the method cannot place. None where it cannot rank the table at all.

    Raises
    ------
    MethodError
        An unknown method or level.

    Examples
    --------
    >>> import podium
    >>> standings(podium.datasets.toy_table1(), ["mean", "borda"])
    [array([0, 1, 2]), array([2, 1, 0])]
    """
    named = [named_way(way) for way in ways]
    try:
        check_rankable(scores)
    except MethodError:
        return [None for _ in ways]
    table = scores.by_name()
    used = [(name, _level(name, level, table)) for name, level in named]
    counts = _counted(table, used, threads)
    setting = Setting.of(table, counts, None)
    return [_ranked(table, counts, METHODS[name], level, setting) for name, level in used]


def named_way(way: str) -> tuple[str, str | None]:
    """Tell the name of a method and the level, None where the usual one is meant.

    Raises
    ------
    MethodError
        There is no such method or level, or the method has no levels.

    Examples
    --------
    >>> named_way("borda:one"), named_way("mean")
    (('borda', 'one'), ('mean', None))
    """
    name, colon, level = way.partition(":")
    if name not in METHODS:
        raise MethodError(f"there is no method {name!r}; {nearest(name, METHODS)}")
    if not colon:
        return name, None
    if level not in LEVELS:
        raise MethodError(f"there is no level {level!r}; {nearest(level, LEVELS)}")
    if METHODS[name].level is None:
        raise MethodError(f"method {name!r} has no levels; leave {colon + level!r} out, or use 'borda'")
    return name, level


def check_rankable(scores: Scores) -> None:
    """Refuse a table that no method could rank.

    Raises
    ------
    MethodError
        Fewer than two systems, no score, or no system scored on two tasks, so that nothing connects the tasks.

    Examples
    --------
    >>> import podium
    >>> check_rankable(podium.from_dict({"A": {"rte": 0.5}}))
    Traceback (most recent call last):
    podium.errors.MethodError: there is only one system, 'A'; a ranking needs at least two
    """
    if len(scores.systems) < 2:
        raise MethodError(f"there is only one system, {scores.systems[0]!r}; a ranking needs at least two")
    scored = np.array([task.scored for task in scores.tasks]) > 0
    if not scored.any():
        raise MethodError("every score is missing, so there is nothing to rank by")
    if scored.any(axis=1).sum() > 1 and scored.sum(axis=0).max() < 2:
        raise MethodError(
            "no system is scored on two tasks, so nothing compares the systems of one task with those of another; "
            "rank the tasks one by one with --tasks, or check the system names"
        )


def _level(name: str, level: str | None, scores: Scores) -> str | None:
    default = METHODS[name].level
    return None if default is None else level_of(scores, level, default)


def _counted(scores: Scores, ways: Sequence[tuple[str, str | None]], threads: int | None) -> Counts:
    """Count what all ways need together."""
    kinds: dict[type[Tally], None] = {kind: None for name, level in ways for kind in METHODS[name].needs(level)}
    if Means in kinds:
        kinds[Moments] = None
    if Duels not in kinds or Positions not in kinds:
        return count(scores, tuple(kinds), threads=threads)
    # positions read off duels may differ by rounding from those counted, on which a rank should not depend
    del kinds[Positions]
    return count(scores, tuple(kinds), threads=threads) | count(scores, (Positions,), threads=threads)


def _ranked(scores: Scores, counts: Counts, method: Method, level: str | None, setting: Setting) -> Levels | None:
    try:
        return method.apply(counts, replace(setting, level=level, missing=method.missing)).levels(scores.systems)
    except MethodError:  # also where a likelihood has no maximum
        return None
