"""Trials of the item response model: scores are drawn from it, and what is fitted is held against what drew them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from nulls import judged
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import spearmanr
from section import Row, Section
from trials import Verdict

import podium
from podium.ranking.ballots import Level
from podium.response.fit import Calibration, fit_item_response, misfit, suspects
from podium.response.item import Answers

__all__ = ["Answered", "sections"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answered:
    """Systems with abilities from N(0, 1) on instances with difficulties from N(0, 1), right or wrong.

    Discriminations are lognormal with this mean and standard deviation of the log. A share of scores is missing at
    random.
    """

    systems: int
    discrimination: float
    spread: float
    missing: float = 0.0
    instances: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw scores, fit, and correlate."""
        ability, difficulty = rng.normal(size=(self.systems, 1)), rng.normal(size=self.instances)
        slope = rng.lognormal(np.log(self.discrimination) - self.spread**2 / 2, self.spread, self.instances)
        chances = expit(slope * (ability - difficulty))
        scores = (rng.random(chances.shape) < chances).astype(np.float64)
        scores[rng.random(chances.shape) < self.missing] = np.nan
        scores[:, np.isnan(scores).all(axis=0)] = 0.5  # nobody tried it, and nothing is known
        fitted = fit_item_response(scores).difficulty
        return Verdict(
            difficulty=float(np.corrcoef(fitted, difficulty)[0, 1]),
            order=float(spearmanr(fitted, difficulty).statistic),
            plain=float(spearmanr(-np.nanmean(scores, axis=0), difficulty).statistic),
        )


@dataclass(frozen=True)
class Able:
    """Systems of equal ability, all of them or in pairs, ranked by item response on instances by the model.

    Difficulties are from N(−0.5, 1), discriminations lognormal around 1, ± 0.4 in log. Pairs are `gap` apart. Instances
    of a cluster have a part in common, with standard deviation 1, of what each system makes of them.
    """

    systems: int
    instances: int
    paired: bool = False
    gap: float = 0.3
    cluster: int = 1
    missing: float = 0.0
    method: str = "irt"
    level: Level | None = None
    replicates: int = 400

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank, and look for equal systems that are separated."""
        group = np.arange(self.systems) // (2 if self.paired else self.systems)
        ability = -self.gap * group[:, None]
        common = np.zeros((self.systems, 1))
        if self.cluster > 1:
            common = np.repeat(rng.normal(size=(self.systems, self.instances // self.cluster)), self.cluster, axis=1)
        slope, difficulty = rng.lognormal(0, 0.4, self.instances), rng.normal(-0.5, 1, self.instances)
        chances = expit(slope * (ability + ability.mean() * -1 + common - difficulty))
        values = np.zeros(chances.shape)
        while (values == values[0]).all():  # nothing separates systems, and podium says so
            values = (rng.random(chances.shape) < chances).astype(np.float64)
        values[rng.random(chances.shape) < self.missing] = np.nan
        clusters = None if self.cluster == 1 else np.arange(self.instances) // self.cluster
        return judged(podium.from_arrays({"task": values}, clusters=clusters), self, group, rng)


@dataclass(frozen=True)
class Mislabelled:
    """A thousand instances, some with a wrong label, and some that have nothing to do with ability.

    Abilities and difficulties are from N(0, 1), discriminations lognormal around 1.5, ± 0.3 in log.
    """

    systems: int
    wrong: float
    chance: float = 0.0
    instances: int = 1000

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, fit, and look which labels are suspected, and how badly the model fits what is right."""
        ability, difficulty = rng.normal(size=(self.systems, 1)), rng.normal(size=self.instances)
        chances = expit(rng.lognormal(np.log(1.5), 0.3, self.instances) * (ability - difficulty))
        by_chance = rng.random(self.instances) < self.chance
        chances[:, by_chance] = expit(difficulty[by_chance])
        scores = (rng.random(chances.shape) < chances).astype(np.float64)
        wrong = np.arange(self.instances) < round(self.wrong * self.instances)
        scores[:, wrong] = 1 - scores[:, wrong]
        fit = Calibration.of(Answers(scores), tolerance=0.01)
        listed = suspects(fit.items, fit.answers, fit.abilities).listed
        z = misfit(fit.items, fit.answers, fit.abilities)[~wrong & ~by_chance]
        return Verdict(
            recall=float(listed[wrong].mean()) if wrong.any() else np.nan,
            precision=float(wrong[listed].mean()) if listed.any() else np.nan,
            accused=float((listed & ~wrong).mean()),
            surprised=float((np.abs(z[~np.isnan(z)]) > 1.96).mean()),
        )


def _able() -> Iterator[Row]:
    for systems, worlds in ((2, 2000), (3, 1000), (5, 1000), (20, 200), (50, 200)):
        for instances in (20, 100, 500):
            yield Row(f"N {systems}, K {instances}", (Able(systems, instances),), worlds=worlds)
    for systems, instances in ((6, 100), (20, 500)):
        yield Row(f"N {systems}, K {instances}, equal in pairs", (Able(systems, instances, paired=True),), worlds=200)
    yield Row("N 10, K 300, 30 clusters", (Able(10, 300, cluster=10),), worlds=200)
    yield Row("N 10, K 200, 30% missing", (Able(10, 200, missing=0.3),), worlds=1000)
    yield Row("N 10, K 100, 1pl", (Able(10, 100, method="irt:1pl"),), worlds=200)


def _mislabelled() -> Iterator[Row]:
    for wrong, chance, label in (
        (0.02, 0.0, "2% wrong labels"),
        (0.02, 0.05, "2% wrong labels, 5% by chance"),
        (0.0, 0.0, "no wrong label"),
        (0.0, 0.05, "no wrong label, 5% by chance"),
    ):
        for systems in (10, 20, 50, 100):
            yield Row(f"{label}, N {systems}", (Mislabelled(systems, wrong, chance),), worlds=10)


def sections() -> Iterator[Section]:
    """What is promised of abilities and of suspects."""
    yield Section(
        "Systems are ranked by item response",
        '`podium.rank(method="irt")` on K instances by the two-parameter logistic model. Systems are equally able, or '
        "in pairs that are 0.3 apart. Items are fitted to the same scores, but bootstrap replicates take into account "
        "how they would have been fitted otherwise. So few systems are no problem here.",
        ("parted", "mistaken", "best", "apart"),
        tuple(_able()),
        unpromised=("apart",),
    )
    yield Section(
        "Wrong labels are suspected",
        '`podium difficulty irt --suspects` on 1,000 instances by the model of "Difficulties are fitted", 1.5 ± 0.3 '
        "in log; some labels are wrong, so that right counts as wrong. Ten systems cannot tell many; fifty find nearly "
        "all. One in ten of those listed may be there by mistake. A few more are where some instances have nothing to "
        "do with ability. The last column is how often a right label has a misfit beyond ± 1.96, which should be 5%. "
        "It is less, since systems are few.",
        ("precision", "recall", "accused", "surprised"),
        tuple(_mislabelled()),
        unpromised=("recall", "accused"),
    )
