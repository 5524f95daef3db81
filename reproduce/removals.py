"""Rankings of leaderboards with scores removed at random, over and over, by σˡ and by mean.

The experiment of Himmi et al. 2023, §4.2, in three readings: "whole" leaderboards, and by the paper's definitions; an
"excerpt", their first 14 or 10 rows, as in the files that were released with the paper; and that excerpt "as released",
with everything that the released code does besides.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from released import released

from podium.agreement import kendall_tau
from podium.ranking.api import places_by
from podium.ranking.method_spec import MethodSpec
from podium.score.place import midranks, places
from podium.score.table import Scores
from podium.stresses import RemoveScores

__all__ = [
    "READINGS",
    "REPEATS",
    "SHARES",
    "TABLES",
    "Rankings",
    "held",
    "pair",
    "ranked",
    "released_borda",
    "removals",
    "repeated",
    "same_place",
    "same_top",
    "taus",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Leaderboards under the paper's names: the file, and how many rows the paper took.
TABLES = {"GLUE": ("glue", 14), "SGLUE": ("superglue", 10), "XTREM": ("xtreme", 10)}
READINGS = ("whole", "excerpt", "as released")
WAYS = ("borda:missing=imputed", "mean")
#: η, and how often: 2,000 rankings of each leaderboard, as in the paper; by the definitions half as many.
SHARES = np.linspace(0, 1, 20)
REPEATS = 100


@dataclass(frozen=True)
class Rankings:
    """Midranks by several methods, 1 is best; systems without a score are last, equals of each other.

    Attributes
    ----------
    whole
        Shape `(M, N)`: of all scores.
    removed
        Shape `(S, R, M, N)`: with scores removed, by share and repeat.
    """

    whole: Floats
    removed: Floats


@cache
def removals(name: str, reading: str) -> Rankings:
    """Rank a leaderboard by σˡ and by mean, whole and with scores removed."""
    file, rows = TABLES[name]
    scores = released(f"{file}.csv")
    if reading == "as released":
        return _as_released(file, scores, rows)
    if reading == "excerpt":
        scores = scores.select(systems=scores.systems[:rows])
    return repeated(lambda rng, share: ranked(RemoveScores(share)(scores, rng), WAYS), SHARES, REPEATS // 2)


def repeated(ranking: Callable[[np.random.Generator, float], Floats], shares: Floats, repeats: int) -> Rankings:
    """Remove and rank over and over, anew for every share, as the released code does."""
    removed = [
        [ranking(np.random.default_rng([2023, s, r]), float(share)) for r in range(repeats)]
        for s, share in enumerate(shares)
    ]
    return Rankings(ranking(np.random.default_rng(0), 0.0), np.array(removed))


def ranked(scores: Scores, ways: tuple[str, ...]) -> Floats:
    """Shape `(M, N)`: midranks by each method, missing scores as in the paper; all tied if it cannot rank the table."""
    n = len(scores.systems)
    placed = places_by(scores, list(map(MethodSpec.of, ways)), threads=1)
    found = [np.zeros(n, dtype=np.int64) if level is None else level for level in placed]
    return np.array([midranks(places(-np.where(level < 0, n, level).astype(np.float64))) for level in found])


def _as_released(file: str, scores: Scores, rows: int) -> Rankings:
    """Do as the released code: the average counts as a task, rows are sorted by name, every score falls by itself."""
    average = released("official_scores.csv", task_column="benchmark", score_column="official_score").select(
        tasks=[file]
    )
    official = dict(zip(average.systems, average.tasks[0].values[:, 0].tolist(), strict=True))
    place = sorted(range(rows), key=lambda row: scores.systems[row])
    values = np.column_stack(
        [[official[scores.systems[row]] for row in place], *(task.values[place, 0] for task in scores.tasks)]
    )

    def ranking(rng: np.random.Generator, share: float) -> Floats:
        left = np.where(rng.random(values.shape) < share, np.nan, values)
        return np.array([released_borda(left), _released_mean(left, rng)])

    return repeated(ranking, SHARES, REPEATS)


def released_borda(values: Floats) -> Floats:
    """Midranks by σˡ as the released code for tasks has it.

    A task of which k of n systems have a score weighs n!/k!, and of two equal scores the first counts as missing; where
    none is missing, it counts as the better one.
    """
    n = len(values)
    above = np.zeros(n)
    for column in values.T:
        seen = ~np.isnan(column)
        k = int(seen.sum())
        fewer = np.floor(midranks(places(-column)))  # 1 for the lowest score
        unseen_below = np.where(seen, fewer / (k + 1), 0.5)
        below = np.where(seen[:, None], 1 - unseen_below[:, None], unseen_below)
        below = np.where(seen[:, None] & seen, column[:, None] < column, below)
        ties = np.triu(column[:, None] == column, 1)
        below[ties] = np.broadcast_to(unseen_below, below.shape)[ties] if k < n else 0.0
        below.T[ties] = 1 - below[ties]
        above += math.factorial(n) / math.factorial(k) * (below.sum(axis=0) - np.diag(below))
    return midranks(places(above, tolerance=1e-12 * above.max()))


def _released_mean(values: Floats, rng: np.random.Generator) -> Floats:
    """Midranks by the mean of what is there; a system without a score has a place at random."""
    scored = ~np.isnan(values)
    mean = np.nansum(values, axis=1) / np.maximum(scored.sum(axis=1), 1)
    known = midranks(places(np.where(scored.any(axis=1), mean, np.nan), tolerance=1e-12 * mean.max()))
    anywhere = rng.uniform(0.5, np.count_nonzero(~np.isnan(known)) + 0.5, len(known))
    return midranks(places(-np.where(np.isnan(known), anywhere, known)))


def held(rankings: Rankings) -> Floats:
    """Shape `(M, S)`: mean τ-b between the rankings with scores removed and that of all scores, by method and share."""
    n_shares, repeats = rankings.removed.shape[:2]
    return np.array(
        [
            [taus(rankings.removed[s, :, m], np.tile(whole, (repeats, 1))).mean() for s in range(n_shares)]
            for m, whole in enumerate(rankings.whole)
        ]
    )


def pair(rankings: Rankings, m: int, other: int) -> tuple[Floats, Floats]:
    """Rankings by two methods, `(L, N)` each, of all shares and repeats."""
    n = rankings.whole.shape[1]
    return rankings.removed[:, :, m].reshape(-1, n), rankings.removed[:, :, other].reshape(-1, n)


def taus(a: Floats, b: Floats) -> Floats:
    """Shape `(L,)`: τ-b of the rankings `(L, N)`, one by one; 0 where one ties all systems."""
    return np.nan_to_num([kendall_tau(one, other) for one, other in zip(a, b, strict=True)])


def same_place(a: Floats, b: Floats, place: int) -> Bools:
    """Shape `(L,)`: which of the rankings `(L, N)` have the same system at a place; where systems share it, none is."""
    return _same(a == place, b == place)


def same_top(a: Floats, b: Floats, n: int) -> Bools:
    """Shape `(L,)`: which of the rankings `(L, N)` have the same systems in the first n places, in whatever order."""
    return _same(a <= n, b <= n)


def _same(one: Bools, other: Bools) -> Bools:
    same: Bools = one.any(axis=1) & (one == other).all(axis=1)
    return same
