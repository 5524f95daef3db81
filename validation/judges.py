"""Judges of known errors: how often intervals of agreement, rates and calibration hold, and claims are false."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

import podium

__all__ = ["rows", "sections"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Beside:
    """Three judges that err alike beside people; the first says how sure it is.

    Attributes
    ----------
    items, each, labels
        Items, answers to each, and items that people label.
    rate
        Share of answers that are right; by `apart` more or less in either of two families, of which one is the judge's.
    errors
        Share of wrong, and of right answers, that a judge gets wrong.
    related
        Correlation of answers to one item, and of errors on it.
    too_sure
        By how much the first judge is too sure.
    """

    items: int
    each: int = 1
    labels: int = 0
    rate: float = 0.5
    errors: tuple[float, float] = (0.2, 0.2)
    related: float = 0.0
    apart: float = 0.0
    too_sure: float = 0.0

    def _drawn(self, rng: np.random.Generator, items: int) -> dict[str, Floats]:
        def of_item(mean: float) -> Floats:
            more = 1 / self.related - 1 if self.related else 0.0
            return np.repeat(
                rng.beta(mean * more, (1 - mean) * more, items) if more else np.full(items, mean), self.each
            )

        own = np.arange(items * self.each) % 2
        people = rng.random(own.size) < of_item(self.rate) + self.apart * (own - 0.5)
        wrong = np.where(people, of_item(self.errors[1]), of_item(self.errors[0]))
        known = np.minimum(wrong, 1 - wrong) * rng.uniform(
            -0.5, 0.5, own.size
        )  # what the first judge knows of its errors
        chances = {"judge a": wrong - known, "judge b": wrong, "judge c": wrong}
        judges = {name: people ^ (rng.random(own.size) < chance) for name, chance in chances.items()}
        return {"human": people, **judges, "sure": 1 - wrong + known + self.too_sure, "own": own}

    @cached_property
    def _truth(self) -> tuple[float, float]:
        """κ, and the share of right answers."""
        miss, false = self.errors[1], self.errors[0]
        judged = self.rate * (1 - miss) + (1 - self.rate) * false
        agreed = self.rate * (1 - miss) + (1 - self.rate) * (1 - false)
        chance = self.rate * judged + (1 - self.rate) * (1 - judged)
        return (agreed - chance) / (1 - chance), self.rate

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, ask, and look what holds."""
        world: dict[str, Any] = self._drawn(rng, self.items)
        item = np.repeat(np.arange(self.items), self.each)
        human = np.where(item < (self.labels or self.items), world.pop("human").astype(float), np.nan)
        family, sure = np.where(world.pop("own") == 1, "a", "b"), world.pop("sure")
        given = {"item": item, "human": human, **{name: said.astype(int) for name, said in world.items()}}
        judges = list(world)
        found = podium.judge({**given, "family": family}, judges, family_column="family", own={"judge a": "a"})
        kappa, rate = self._truth
        held = [row.kappa.low <= kappa <= row.kappa.high for row in found.judged if row.judge in judges]
        rates = [
            row.corrected.low <= rate <= row.corrected.high
            for row in found.judged
            if row.judge in judges and not np.isnan(row.corrected.value)
        ]
        level = self.errors[0] * (1 - rate) - self.errors[1] * rate
        false = [row.p <= 0.05 and (row.kind != "level" or level == 0) for row in found.biases]
        unequal = [row.p <= 0.05 for row in found.differences if row.judge != "panel"]
        one = podium.judge({**given, "sure": sure}, "judge a", probability_column="sure").calibrations["judge a"]
        return Verdict(
            beside_people=float(np.mean(held)),
            after_errors=float(np.mean(rates)) if rates else np.nan,
            favour=float(np.mean([any(false), any(unequal), bool(found.outliers)])),
            calibrated=float(one.error.low <= abs(self.too_sure) <= one.error.high + 1e-9),
        )


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Few and many items, alone and with several answers, rare labels, judges that hardly err; or a quick choice."""
    worlds = {
        "20 items": Beside(20),
        "20 items, 3% wrong": Beside(20, errors=(0.03, 0.03)),
        "50 items, a tenth right": Beside(50, rate=0.1, errors=(0.05, 0.2)),
        "60 of 300 items, families apart by 0.4": Beside(300, labels=60, apart=0.4),
        "500 items, too sure by 0.08": Beside(500, too_sure=0.08),
        "20 items of 10 answers, related by 0.2": Beside(20, 10, rate=0.3, errors=(0.1, 0.15), related=0.2),
        "40 of 200 items of 5 answers, related by 0.3": Beside(200, 5, 40, 0.3, (0.1, 0.15), 0.3),
    }
    for number, (label, world) in enumerate(worlds.items()):
        if not quick or number in {1, 3, 5}:
            yield Row(label, (world,), 100 if quick else 1000)


def sections() -> Iterator[Section]:
    """Tables of this file."""
    yield Section(
        "Judges beside people",
        "`podium.judge`: intervals of κ, of the corrected rate, of the error of calibration; and how often, on "
        "average, judges that err alike and favour nobody are called unequal, biased, or one of them an outlier.",
        ("beside_people", "after_errors", "favour", "calibrated"),
        tuple(rows()),
    )
