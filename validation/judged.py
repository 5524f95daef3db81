"""Human scores by a judge and few labels: how often they lie in their intervals, whatever the judge is worth."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium
from podium.score.task import Clusters

__all__ = ["sections"]

Floats = NDArray[np.float64]

#: Items of a world, and instances of a cluster.
_ITEMS, _CLUSTER = 1000, 5

#: True scores of the four systems: of 0/1 scores, and of others.
_SHARES, _LEVELS = np.array([0.5, 0.5, 0.75, 0.75]), np.array([0.0, 0.0, 0.4, 0.4])


@dataclass(frozen=True)
class Judged:
    """Four systems, of which two and two are equal, on 1,000 items; people label some items, for all systems.

    Attributes
    ----------
    kind
        "right", of 0/1 scores; "biased", the same by a judge that passes many wrong answers; "scores", normal, partly
        of the item; "heavy", the same by a judge whose errors have three degrees of freedom; "clusters" of five items.
    worth
        How often the judge is right, of 0/1 scores; otherwise the correlation of its scores with people's.
    labelled
        How many items.
    """

    kind: str
    worth: float
    labelled: int

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank by means, and compare the first system with the last two."""
        truth, judge, means = self._drawn(rng)
        clusters = np.arange(_ITEMS) // _CLUSTER if self.kind == "clusters" else np.arange(_ITEMS)
        whole = self.kind == "clusters" and self.labelled >= 20 * _CLUSTER  # else one of each cluster
        size = self.labelled // _CLUSTER if whole else self.labelled
        chosen = np.isin(clusters, rng.choice(np.unique(clusters), size, replace=False))
        if self.kind == "clusters" and not whole:
            chosen &= np.arange(_ITEMS) % _CLUSTER == 0
        own = Clusters.of(list(map(str, clusters))) if self.kind == "clusters" else None
        labels = np.where(chosen, truth, np.nan)
        task = replace(podium.from_arrays({"t": judge}).tasks[0], clusters=own, covariates={"human": labels})
        table = podium.Scores(("A", "B", "C", "D"), (task,), human="human")
        ranking = podium.rank(table, "mean", n_resamples=400, rng=int(rng.integers(2**32)))
        found = ranking.intervals
        assert found is not None  # noqa: S101  # there are labels enough
        true = means[[table.systems.index(system) for system in ranking.systems]]
        inside = []
        for place in (1, 2, 3):
            one = podium.compare(table, "A", table.systems[place])
            assert isinstance(one, podium.MetaAnalysis)  # noqa: S101  # there are instances
            assert one.suite is not None  # noqa: S101  # in the units of the scores
            inside.append(one.suite.low <= means[place] - means[0] <= one.suite.high)
        return Verdict(
            score=float(np.mean((found.score_low <= true) & (true <= found.score_high))),
            difference=float(np.mean(inside)),
            mistaken=float((found.separated & (true[:, None] <= true)).any()),
        )

    def _drawn(self, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
        """Return what people would say, what the judge says, and the true means."""
        if self.kind in {"right", "biased"}:
            truth = rng.random((4, _ITEMS)) < _SHARES[:, None]
            err = np.where(truth, 0.05, 0.4) if self.kind == "biased" else 1 - self.worth
            judge = np.where(rng.random(truth.shape) < err, ~truth, truth)
            return truth.astype(float), judge.astype(float), _SHARES
        size = _CLUSTER if self.kind == "clusters" else 1
        item = rng.normal(size=_ITEMS // size).repeat(size)
        truth = _LEVELS[:, None] + np.sqrt(0.5) * (item + rng.normal(size=(4, _ITEMS)))
        noise = rng.standard_t(3, size=truth.shape) if self.kind == "heavy" else rng.normal(size=truth.shape)
        if self.kind == "clusters":
            noise = np.sqrt(0.5) * (noise + rng.normal(size=_ITEMS // size).repeat(size))
        return truth, 1 + self.worth * truth + np.sqrt(1 - self.worth**2) * noise, _LEVELS


def _rows() -> Iterator[Row]:
    judges = [("right", 0.9), ("right", 0.99), ("right", 0.5), ("biased", 0.0), ("scores", 0.9), ("scores", 0.0)]
    judges += [("heavy", 0.7), ("clusters", 0.8)]
    named = {"right": "0/1, judge right in {:.0%}", "biased": "0/1, judge passes 40% of wrong answers"}
    named |= {"scores": "scores, correlation {:g}", "heavy": "heavy errors, correlation {:g}"}
    named |= {"clusters": "clusters, correlation {:g}"}
    for kind, worth in judges:
        for labelled in (20, 50, 100, 500):
            yield Row(f"{named[kind].format(worth)}, {labelled} labels", (Judged(kind, worth, labelled),), worlds=300)


def sections() -> Iterator[Section]:
    """Yield the section."""
    yield Section(
        "A judge and few labels",
        "Human scores of 1,000 items that a judge scored and people labelled in part (`--human-column`): intervals of "
        "scores by means, of differences by `podium.compare`, and systems that are separated from equal ones.",
        ("score", "difference", "mistaken"),
        tuple(_rows()),
    )
