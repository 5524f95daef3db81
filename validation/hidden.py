"""Missing scores: scores that are known are hidden, and each way to rank predicts their order."""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import truths
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import kendalltau, rankdata
from section import Row, Section
from trials import Ranked, Verdict

import podium
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec

__all__ = ["sections"]

Floats = NDArray[np.float64]

Bools = NDArray[np.bool_]

Ints = NDArray[np.int64]

#: Released scores of 662 systems; the table is in the page only where they are.
MTEB = Path(__file__).parents[2] / "shared" / "data" / "mteb" / "mteb_main_scores.parquet"

#: Pairs of hidden scores that are looked at on each task, and bins of predicted chances.
_PAIRS, _BINS = 100, 10


class Table(NamedTuple):
    """A table of tasks.

    Attributes
    ----------
    cells
        Shape `(T, N)`: scores, higher is better.
    family
        Shape `(T,)`: of each task.
    age
        Shape `(N,)`: of each system, 0 is the oldest; None where that is not known.
    """

    cells: Floats
    family: Ints
    age: Ints | None = None


def logistic(rng: np.random.Generator) -> Table:
    """30 systems on 150 tasks in 15 families, each on a scale of its own: the Gumbel worlds of podium.simulate."""
    return _generated(rng, spread=0.0)


def families(rng: np.random.Generator) -> Table:
    """The same, and every system is better or worse on whole families, so that the model is wrong."""
    return _generated(rng, spread=0.7)


def _generated(rng: np.random.Generator, *, spread: float) -> Table:
    strength, family = rng.normal(0, 1.5, 30), np.repeat(np.arange(15), 10)
    values = strength + rng.normal(0, spread, (15, 30))[family] + rng.gumbel(size=(150, 30))
    return Table(rng.normal(0, 3, (150, 1)) + rng.lognormal(0, 0.5, (150, 1)) * values, family)


def mteb(rng: np.random.Generator) -> Table:
    """1,500 of the tasks of MTEB with 25 systems or more."""
    values, family, age = mteb_cells()
    assert age is not None  # noqa: S101  # MTEB has it
    chosen = np.sort(rng.choice(len(values), 1500, replace=False))
    some = ~np.isnan(values[chosen]).all(axis=0)
    return Table(values[chosen][:, some], family[chosen], age[some])


@lru_cache
def mteb_cells() -> Table:
    """Tasks of MTEB with 25 systems or more; a system is as old as the first version of MTEB that it was run with."""
    import pandas as pd  # noqa: PLC0415  # only where the table is there

    long = pd.read_parquet(MTEB).dropna(subset="score")
    keys = ["task", "split", "subset"]
    cells = long.pivot_table("score", keys, "system", aggfunc="first")
    cells = cells[cells.notna().sum(axis=1) >= 25]
    family = pd.factorize(cells.index.get_level_values("task"))[0]
    versions = long["version"].fillna("9").map(lambda text: tuple(map(int, re.findall(r"\d+", text)[:3])))
    first = versions.groupby(long["system"]).min()[cells.columns]
    age = first.map({version: place for place, version in enumerate(sorted(set(first)))})
    return Table(cells.to_numpy(dtype=np.float64), np.asarray(family, dtype=np.int64), age.to_numpy(dtype=np.int64))


def at_random(table: Table, rng: np.random.Generator) -> Bools:
    """A fifth of the scores."""
    return np.asarray(rng.random(table[0].shape) < 0.2)


def whole_families(table: Table, rng: np.random.Generator) -> Bools:
    """A fifth of the families of each system."""
    values, family, _ = table
    return np.asarray((rng.random((family.max() + 1, values.shape[1])) < 0.2)[family])


def thinned(table: Table, rng: np.random.Generator) -> Bools:
    """70% of the scores of a third of the systems, as if they were new."""
    shape = table[0].shape
    return np.asarray((rng.random(shape[1]) < 1 / 3) & (rng.random(shape) < 0.7))


def newest(table: Table, rng: np.random.Generator) -> Bools:
    """70% of the scores of the newest third of the systems."""
    assert table.age is not None  # noqa: S101  # only for tables that have it
    return np.asarray((table.age > np.quantile(table.age, 2 / 3)) & (rng.random(table.cells.shape) < 0.7))


def by_strength(table: Table, rng: np.random.Generator) -> Bools:
    """Up to 80% of the scores of a system, the more the worse it is: none of the best, 40% on average."""
    mean = np.nanmean(table[0], axis=0)
    place = np.argsort(np.argsort(-mean)) / (mean.size - 1)
    return np.asarray(rng.random(table[0].shape) < 0.8 * place)


#: Holes for tables that know how old systems are.
_NEWEST = "the newest third of the systems thinned to 30%"

HOLES: dict[str, Callable[[Table, np.random.Generator], Bools]] = {
    "a fifth at random": at_random,
    "a fifth of the families of each system": whole_families,
    "a third of the systems thinned to 30%": thinned,
    "the more, the weaker": by_strength,
    _NEWEST: newest,
}

#: Ways to rank, by the names of their columns; the fourth is the share won on a system's own tasks.
WAYS = {
    "imputed": MethodSpec("borda", missing="imputed"),
    "average": MethodSpec("mean"),
    "model": MethodSpec("borda", missing="model"),
}


@dataclass(frozen=True)
class Predicted:
    """Scores are hidden, the rest is ranked in every way, and the orders of pairs with a hidden score are predicted.

    Attributes
    ----------
    table
        Where scores come from.
    holes
        Which are hidden, a name in `HOLES`.
    measure
        "right": share of the orders that are predicted rightly; "tau": mean over tasks of Kendall's τ-b on the hidden
        scores; "loss": log-loss of the predicted chances; "calibration": mean distance of the chances predicted in ten
        bins from the shares that came true.
    """

    table: Callable[[np.random.Generator], Table]
    holes: str
    measure: str

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, hide, rank, predict."""
        table = self.table(rng)
        hidden = HOLES[self.holes](table, rng) & ~np.isnan(table[0])
        seen = np.where(hidden, np.nan, table[0])
        known = ~np.isnan(seen).all(axis=0)
        values, hidden, seen = table[0][:, known], hidden[:, known], seen[:, known]
        pairs = _pairs(values, hidden, rng)
        visible = _pairs(seen, ~np.isnan(seen), rng)
        found = {}
        for name, score in _scores(seen).items():
            if self.measure == "tau":
                found[name] = _tau(values, hidden, score)
                continue
            slope = 1.0 if name == "model" else _slope(seen, visible, score)
            found[name] = _judged(values, pairs, slope * score, self.measure)
        return Verdict(**found)


def _scores(seen: Floats) -> dict[str, Floats]:
    """For each way, shape `(N,)`: its score; of the model its strengths, in log-odds."""
    scores = podium.from_arrays({f"{number:05}": row[:, None] for number, row in enumerate(seen)})
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", podium.errors.PodiumWarning)
        for name, spec in WAYS.items():
            settled = spec.on(scores)
            result = CountedScores.of(scores, [settled], threads=1).result(settled)
            found[name] = dict(result.extras).get("strength", result.score)
        found["direct"] = np.nanmean(_shares_won(seen), axis=0)
    return {name: np.where(np.isnan(score), np.nanmean(score), score) for name, score in found.items()}


def _shares_won(seen: Floats) -> Floats:
    """Shape `(T, N)`: share of the other scored systems that a system beats on a task; NaN where it has no score."""
    others = (~np.isnan(seen)).sum(axis=1, keepdims=True) - 1.0
    midranks = rankdata(-seen, axis=1, nan_policy="omit")
    shares: Floats = np.divide(others + 1 - midranks, others, out=np.full(seen.shape, np.nan), where=others > 0)
    return shares


def _pairs(values: Floats, of: Bools, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Tasks and pairs of systems with a score, the first of them one of these."""
    found = []
    for task, (row, some) in enumerate(zip(values, of, strict=True)):
        first, second = np.flatnonzero(some), np.flatnonzero(~np.isnan(row))
        if first.size and second.size > 1:
            i, j = rng.choice(first, _PAIRS), rng.choice(second, _PAIRS)
            found.append(np.stack([np.full(_PAIRS, task), i, j])[:, i != j])
    task, i, j = np.concatenate(found, axis=1)
    return task, i, j


def _won(values: Floats, pairs: tuple[Ints, Ints, Ints]) -> Floats:
    task, i, j = pairs
    return np.asarray((np.sign(values[task, i] - values[task, j]) + 1) / 2)


def _slope(seen: Floats, pairs: tuple[Ints, Ints, Ints], score: Floats) -> float:
    """Log-odds for each unit of a score, as it is most likely for scores that can be seen."""
    won, gap = _won(seen, pairs), score[pairs[1]] - score[pairs[2]]
    most = 3000 / np.abs(gap).max()
    return float(brentq(lambda slope: ((won - expit(slope * gap)) * gap).sum(), 0.0, most, xtol=1e-8 * most))


def _judged(values: Floats, pairs: tuple[Ints, Ints, Ints], score: Floats, measure: str) -> float:
    won, gap = _won(values, pairs), score[pairs[1]] - score[pairs[2]]
    if measure == "right":
        return float(np.where(won == 0.5, 0.5, 1 - np.abs(won - (np.sign(gap) + 1) / 2)).mean())
    chance = np.clip(expit(gap), 1e-6, 1 - 1e-6)
    if measure == "loss":
        return float(-(won * np.log(chance) + (1 - won) * np.log(1 - chance)).mean())
    cell = np.minimum((chance * _BINS).astype(np.int64), _BINS - 1)
    return float(np.abs(np.bincount(cell, chance - won, _BINS)).sum() / won.size)


def _tau(values: Floats, hidden: Bools, score: Floats) -> float:
    taus = [
        kendalltau(row[some], score[some]).statistic
        for row, some in zip(values, hidden, strict=True)
        if np.count_nonzero(some) > 1
    ]
    return float(np.nanmean(taus))


def _by_model() -> Iterator[Row]:
    for uneven, missing in ((False, 0.2), (True, 0.4)):
        holes = f"{missing:.0%} missing" + (", the weaker the more" if uneven else "")
        for systems, tasks, instances in ((4, 1, 100), (10, 5, 20), (10, 5, 100)):
            worlds = [truths.World(systems, tasks, instances, step, missing, uneven=uneven) for step in (0.0, 0.05)]
            spec = MethodSpec("borda", "one", "model")
            trials = tuple(Ranked(world, spec, truths.true_share) for world in worlds)
            yield Row(f"N {systems}, T {tasks}, K {instances}, {holes}", trials, worlds=200)
    for systems, tasks in ((5, 20), (10, 20), (5, 50), (10, 50)):
        worlds = [truths.World(systems, tasks, 0, step, 0.4, spread=1.0, uneven=True) for step in (0.0, 0.3)]
        trials = tuple(Ranked(world, WAYS["model"], truths.true_share) for world in worlds)
        yield Row(f"tables of tasks, N {systems}, T {tasks}, {holes}", trials, worlds=200)


def _predicted(measure: str) -> Iterator[Row]:
    drawn = [("strengths alone", logistic, 30), ("better on some families", families, 30)]
    if MTEB.exists():
        drawn.append(("MTEB", mteb, 4))
    for name, table, worlds in drawn:
        for holes in HOLES:
            if holes == _NEWEST and name != "MTEB":
                continue
            yield Row(f"{name}: {holes}", (Predicted(table, holes, measure),), worlds=worlds)


def _section(heading: str, text: str, measure: str) -> Section:
    columns = ("imputed", "direct", "average", "model")
    rows = tuple(_predicted(measure))
    return Section(f"Hidden scores are predicted: {heading}", text, columns, rows, unpromised=columns)


def sections() -> tuple[Section, ...]:
    """Intervals where missing scores count by a model; and how well each way predicts scores that are hidden."""
    return (
        Section(
            "Missing scores count by a model",
            '`missing="model"`, compared with what complete ballots would give. Scores are missing at random, or the '
            "more the weaker a system is: none of the best, 80% of the last.",
            ("score", "difference", "rank", "joint", "parted"),
            tuple(_by_model()),
        ),
        _section(
            "orders",
            "Known scores are hidden, and the rest is ranked. Percent of the pairs with a hidden score whose order the "
            "ranking has right. Worlds have 30 systems on 150 tasks in 15 families, each task on a scale of its own. "
            "Strengths are from N(0, 1.5²); where systems are better on some families, N(0, 0.7²) is added for each. "
            "MTEB: 1,500 of its tasks with 25 systems or more, and its own holes stay; the newest systems are those "
            "that were first run with the latest versions of MTEB. No promise is made about these four tables. They "
            "say which way to trust.",
            "right",
        ),
        _section("Kendall's tau", "τ-b × 100 of the hidden scores of a task and the ranking, mean over tasks.", "tau"),
        _section(
            "log-loss",
            "Mean of −log of the chance that was given to what came true, × 100. Lower is better, and 69.3 is a coin. "
            "The model gives chances itself. For the others, log-odds are the difference of scores times the slope "
            "that fits the scores that can be seen.",
            "loss",
        ),
        _section(
            "calibration",
            "The same chances in ten bins: how far, on average, the chance was from the percentage that came true. 0 "
            "is best.",
            "calibration",
        ),
    )
