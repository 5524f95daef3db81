"""Whether the answer depends on how we ask: one table ranked in several ways."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from podium.agreement.result import TOP, Agreement
from podium.base.check import check_threads, checked_whole
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import LONG, with_names
from podium.ranking.api import check_rankable, differs
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import LEVELS, METHODS, MethodSpec
from podium.ranking.uncertainty import ranking_of
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Another way to count missing scores, shown too where some systems have far fewer scores than others.
_OTHER_ASSUMPTION = "borda:missing=imputed"


@keywords
def agree(
    scores: "ScoresLike",
    methods: Sequence[str | MethodSpec] | None = None,
    *,
    top_n: Sequence[int] = TOP,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Agreement:
    """Rank systems in several ways, and say how far these agree and which systems move.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    methods
        Names of methods, with a level after a colon where one is meant: "mean", "borda", "borda:one"; or a way to count
        missing scores: "borda:missing=imputed"; or, with options, `podium.MethodSpec`. By default every method that is
        quick, at every level where there are instances; and where some systems have far fewer scores than others,
        "borda:missing=imputed". A method that cannot rank these scores is then left out, and the notes say why.
    top_n
        Numbers of best systems whose agreement is looked at.
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

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
    Agreement(4 rankings of 9 systems: tau-b from 0.085 to 0.944)
    • who is first depends on the method: M7 by mean, median, iqm; M0 by borda:task
    • M1 moves most: from rank 2 to 8
    who moves  best  worst  spread  borda:task  mean  median  iqm
    M1            2      8       6           2     8       7    7
    M9            4      9       5           9     5       4    5
    M4            2      6       4           6     2       3    3
    M7            1      4       3           4     1       1    1
    M3            3      6       3           3     6       6    6
    M6            4      7       3           7     4       5    4
    M2            5      8       3           5     6       8    8
    M0            1      3       2           1     3       2    2
    M8            8      9       1           8     9       9    9
    4 notes in .notes
    """
    scores = as_scores(scores, **reading)
    check_threads(n_jobs)
    depths: Any = top_n
    depths = [checked_whole("top_n", one) for one in (depths if isinstance(depths, Iterable) else [depths])]
    given = MethodSpec.several(_quick(scores) if methods is None else methods)
    specs = [spec.on(scores) for spec in given]
    # named as they were asked for; notes say how a missing score counts
    ways = [str(replace(spec, missing=one.missing)) for spec, one in zip(specs, given, strict=True)]
    if twice := [way for way, spec in zip(ways, specs, strict=True) if specs.count(spec) > 1]:
        raise MethodError(f"{twice[0]!r} appears twice; leave one out")
    check_rankable(scores)
    counted = CountedScores.for_rankings(scores, specs, threads=n_jobs, progress=progress)
    rankings = {}
    failed: dict[str, MethodError] = {}
    for way, spec in zip(ways, specs, strict=True):
        try:
            rankings[way] = ranking_of(counted, spec)
        except MethodError as error:
            failed[way] = error
            if methods is not None:
                raise
    if failed and len(rankings) < 2:
        raise next(iter(failed.values()))
    return Agreement.of(rankings, top_n=depths, notes=_left_out(ways, failed))


def _left_out(ways: Sequence[str], failed: Mapping[str, MethodError]) -> list[str]:
    """Say which ways are left out and why; a method is named alone where all its levels are, for one reason."""
    said: dict[str, list[str]] = {}
    for way, error in failed.items():
        said.setdefault(str(error).partition(";")[0], []).append(way)
    notes = []
    for why, same in said.items():
        partly = {way.partition(":")[0] for way in ways if way not in same}
        names = list(dict.fromkeys(way if (name := way.partition(":")[0]) in partly else name for way in same))
        left = f" {'is' if len(names) == 1 else 'are'} left out: "
        note = with_names("", names, left + why, room=LONG)
        if len(note) > LONG:  # names of systems in the error; alone, the method says them all
            note = with_names("", names, f"{left}{why.partition(': ')[0]}; rank by this alone to see why")
        notes.append(note)
    return notes


def _quick(scores: Scores) -> list[str]:
    """Return every way to rank that takes no long time; levels where they differ."""
    ways = []
    for name, method in METHODS.items():
        if method.takes_long:
            continue
        spread_out = method.level is not None and not scores.task_level
        ways += [f"{name}:{level}" for level in LEVELS] if spread_out else [name]
    return [*ways, _OTHER_ASSUMPTION] if differs(scores) else ways
