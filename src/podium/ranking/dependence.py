"""Whose rank depends on how missing scores count, where some systems were run on much less than others."""

from dataclasses import replace

import numpy as np

from podium.base.errors import MethodError
from podium.ranking import note
from podium.ranking.ballot import Missing
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.result import Ranking
from podium.score.place import competition_ranks
from podium.score.table import Scores, of_battles

#: Coverage differs where somebody has less than this share of the scores of whoever has most.
_ALIKE = 0.8

#: Comparisons, and systems, up to which ranking once more takes a second; by whether tasks have one score each.
_COMPARISONS, _SYSTEMS = {False: 2 * 10**7, True: 10**10}, {False: 100, True: 1000}


def other_way(spec: MethodSpec) -> Missing | None:
    """Return the way to count missing scores that is set against that of a method; None where there is none.

    >>> other_way(MethodSpec("borda")), other_way(MethodSpec("wins")), other_way(MethodSpec("mean"))
    ('model', 'direct', None)
    """
    method = method_of(spec)
    if not method.missing or method.slow:
        return None
    if (spec.missing or method.missing[0]) != "imputed":
        return "imputed"
    return "model" if "model" in method.missing else "direct"


def differs(scores: Scores) -> bool:
    """Whether some system that has scores has much fewer of them than another.

    >>> import podium
    >>> differs(podium.datasets.xtreme_missing()), differs(podium.datasets.toy_table1())
    (True, False)
    """
    scored = np.sum([task.scored for task in scores.tasks], axis=0)
    return bool((scored[scored > 0] < _ALIKE * scored.max()).any())


def with_dependence(ranking: Ranking, counted: CountedScores, spec: MethodSpec) -> Ranking:
    """Say whose rank depends most on how missing scores count, and what the first place rests on, if coverage differs.

    Parameters
    ----------
    ranking
        By `spec`.
    counted
        The table; it is counted again where the other way needs other tallies.
    spec
        How it was ranked.
    """
    scores = counted.given
    if of_battles(scores) or not differs(scores):
        return ranking
    way, firsts = other_way(spec), list[str]()
    if way is not None:
        # scores are missing, since systems differ in them, so the ranking has this one note
        (before,) = note.of_missing(scores, counted.setting(spec).missing)
        after = ranking.notes.index(before) + 1  # behind it, where a reader sees it
        said, firsts = _dependence(ranking, counted, replace(spec, missing=way), way)
        ranking = replace(ranking, notes=(*ranking.notes[:after], *said, *ranking.notes[after:]))
    best = ranking.systems[: np.count_nonzero(ranking.rank == 1)] if ranking.intervals is None else ranking.top()
    cover = dict(zip(ranking.systems, ranking.coverage.tolist(), strict=True))
    short = [system for system in best if cover[system] < _ALIKE * max(cover.values())]
    elsewhere = [] if way is None or ranking.systems[0] in firsts else firsts
    missing = 1 - scores.n_scored / scores.n_cells
    caveat = note.first_place_rests_on(ranking.systems[0], missing, cover, short, elsewhere=elsewhere, way=way)
    return replace(ranking, caveat=caveat)


def _dependence(
    ranking: Ranking, counted: CountedScores, other: MethodSpec, way: Missing
) -> tuple[list[str], list[str]]:
    """Say whose rank depends on it, or where ranking once more takes long, how to see that; and who is first then."""
    scores = counted.given
    n_systems, task_level = len(scores.systems), scores.task_level
    if n_systems > _SYSTEMS[task_level] or scores.n_instances * n_systems**2 > _COMPARISONS[task_level]:
        return [note.unequal_coverage(scores, way)], []
    try:
        place = counted.counted_for(other).standing(other).places(scores.systems)
    except MethodError:
        return [], []
    ranks = dict(zip(scores.systems, competition_ranks(place).tolist(), strict=True))
    others = [ranks[system] for system in ranking.systems]
    firsts = [system for system, rank in zip(ranking.systems, others, strict=True) if rank == 1]
    return note.depends_on_missing(ranking.systems, ranking.rank.tolist(), others, way), firsts
