"""Systems whose answers differ in length, and people or judges who like long ones: adjusted strengths and means."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.ranking.method.covariates import CovariateBattles
from podium.score.task import Clusters

__all__ = ["sections"]

Floats = NDArray[np.float64]

#: What style adds to the log-odds, or to a score, for a unit; by how much lengths of systems differ; and ν.
_WORTH, _LONGER, _TIE = 1.0, 0.7, 0.5

#: Battles that say what is true of all judges together.
_ALL = 400_000


@dataclass(frozen=True)
class Styled:
    """Six systems, of which the last writes longest; equal, or each better than the one before.

    Attributes
    ----------
    kind
        "battles", or "scores" of the same items.
    size
        How many battles, or items.
    step
        By how much a system is better than the one before.
    judges
        Who decide battles, with tastes of standard deviation 1 for systems and ½ for length; or clusters of items; 0
        for none.
    """

    kind: str
    size: int
    step: float = 0.0
    judges: int = 0

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank with adjustment, and look at intervals of scores and of the coefficient."""
        battles = self.kind == "battles"
        table, spread = (self._battles if battles else self._scores)(rng)
        method = "bradley-terry" if battles else "mean"
        seed = int(rng.integers(2**32))
        ranking = podium.rank(table, method, adjust="length", n_resamples=400, rng=seed)
        found = ranking.intervals
        if found is None:
            return Verdict(stated=0.0)
        centres, worth = _marginal(self.step) if battles and self.judges else (_centres(self.step), _WORTH)
        true = centres[[table.systems.index(system) for system in ranking.systems]]
        (one,) = ranking.coefficients
        return Verdict(
            score=float(np.mean((found.score_low <= true) & (true <= found.score_high))),
            coefficient=float(one.low <= worth * spread <= one.high),
            mistaken=float((found.separated & (true[:, None] <= true + 1e-9)).any()),
        )

    def _battles(self, rng: np.random.Generator) -> tuple[podium.Scores, float]:
        """Return a table, and the standard deviation of the difference of lengths in units of its true one."""
        judge = rng.integers(max(self.judges, 1), size=self.size)
        tastes = (rng.normal(size=(self.judges, 6)), 0.5 * rng.normal(size=self.judges)) if self.judges else None
        pair, lengths, x, won = _fought(rng, self.size, self.step, judge, tastes)
        values, covariate = np.full((2, 6, self.size), np.nan)
        for side, share in enumerate((won, 1 - won)):
            values[pair[side], np.arange(self.size)] = share
            covariate[pair[side], np.arange(self.size)] = lengths[side]
        return _table(values, covariate, judge if self.judges else None), float(np.sqrt((x**2).mean()))

    def _scores(self, rng: np.random.Generator) -> tuple[podium.Scores, float]:
        lengths = _lengths(rng, np.tile(np.arange(6)[:, None], self.size))
        x = np.log1p(lengths) - np.log1p(lengths).mean(axis=0)
        group = np.arange(self.size) % (self.judges or self.size)
        noise = rng.normal(size=(6, self.size))
        if self.judges:  # how an item of the cluster suits a system, and what length is worth there
            noise += 0.7 * rng.normal(size=(6, self.judges))[:, group]
            noise += 0.5 * rng.normal(size=self.judges)[group] * x
        values = _centres(self.step)[:, None] + rng.normal(size=self.size) + _WORTH * x + noise
        return _table(values, lengths, group if self.judges else None), float(np.sqrt((x**2).mean()))


def _centres(step: float) -> Floats:
    return np.asarray(step * (np.arange(6) - 2.5), np.float64)


def _lengths(rng: np.random.Generator, system: NDArray[np.int64]) -> Floats:
    usual = 4 + _LONGER * (system / 2.5 - 1)
    return np.asarray(np.floor(np.exp(usual + 0.6 * rng.normal(size=system.shape))), np.float64)


def _fought(
    rng: np.random.Generator, size: int, step: float, judge: NDArray[np.int64], tastes: tuple[Floats, Floats] | None
) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Return who fought, `(2, B)`, lengths, the difference of style, and what the first won."""
    first = rng.integers(6, size=size)
    pair = np.array([first, (first + rng.integers(1, 6, size=size)) % 6])
    lengths = _lengths(rng, pair)
    x = (lengths[0] - lengths[1]) / (lengths.sum(axis=0) + 1)
    centres = _centres(step)
    odds = centres[pair[0]] - centres[pair[1]] + _WORTH * x
    if tastes is not None:
        odds += tastes[0][judge, pair[0]] - tastes[0][judge, pair[1]] + tastes[1][judge] * x
    win, lose = np.exp(odds / 2), np.exp(-odds / 2)
    drawn = rng.random(size) * (win + lose + _TIE)
    return pair, lengths, x, np.where(drawn < win, 1.0, np.where(drawn < win + lose, 0.0, 0.5))


@cache
def _marginal(step: float) -> tuple[Floats, float]:
    """Return strengths and coefficient of all judges together, which differ from those of each."""
    rng = np.random.default_rng(0)
    judges = rng.normal(size=(_ALL, 6)), 0.5 * rng.normal(size=_ALL)
    pair, _, x, won = _fought(rng, _ALL, step, np.arange(_ALL), judges)
    found, _ = CovariateBattles(pair, won, x[None], np.ones(_ALL), 6).most_likely(["length"])
    return (found[:6] - found[:6].mean()) * (step > 0), float(found[6])


def _table(values: Floats, covariate: Floats, group: NDArray[np.int64] | None) -> podium.Scores:
    (task,) = podium.from_arrays({"t": values}).tasks
    clusters = None if group is None else Clusters.of([f"judge {one}" for one in group.tolist()])
    task = replace(task, clusters=clusters, covariates={"length": covariate})
    return podium.Scores(tuple("ABCDEF"), (task,))


def _rows() -> Iterator[Row]:
    for step in (0.0, 0.3):
        for size in (120, 300, 3000):
            yield Row(f"battles, φ {step:g}, {size} battles", (Styled("battles", size, step),), worlds=200)
        for judges in (7, 12, 20, 60):
            trial = Styled("battles", 300, step, judges)
            yield Row(f"battles, φ {step:g}, 300 battles, {judges} judges", (trial,), worlds=200)
        for size, clusters in ((20, 0), (60, 0), (300, 0), (300, 12), (300, 30)):
            label = f"scores, φ {step:g}, {size} items{f' in {clusters} clusters' * (clusters > 0)}"
            yield Row(label, (Styled("scores", size, step, clusters),), worlds=200)


def sections() -> Iterator[Section]:
    """Yield the section."""
    yield Section(
        "Style is adjusted for",
        "Six systems, the last of which writes longest, are equal, or each is better by φ than the one before. Long "
        "answers win battles, or get higher scores (`--adjust length`). Judges, each with tastes of its own, and "
        "clusters of items are drawn whole. Intervals of strengths, or means, and of the coefficient; and systems that "
        "are separated though they are equal.",
        ("score", "coefficient", "mistaken"),
        tuple(_rows()),
    )
