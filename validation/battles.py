"""Battles of two systems each: some systems fight more often, and judges have tastes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from section import Row, Section
from trials import Ranked
from truths import World, true_centre

import podium
from podium.score.table import Scores

__all__ = ["sections"]


@dataclass(frozen=True)
class Fought(World):
    """K battles: j of two systems wins with the log-odds μ_j − μ_i, or there is a tie, whoever fights.

    Attributes
    ----------
    often
        How many times as often the system that fights most is drawn as the one that fights least.
    judges
        Each battle is judged by one of so many, which are drawn whole; 0 for battles that have nothing in common.
    taste
        Standard deviation of what a judge adds to the strength of each system.
    ties
        Share of battles that end in a tie.
    """

    often: float = 1.0
    judges: int = 0
    taste: float = 0.0
    ties: float = 0.2

    def draw(self, rng: np.random.Generator) -> Scores:
        """Draw a table."""
        chance = rng.permutation(np.geomspace(1, self.often, self.systems))
        battles = np.arange(self.instances)
        pairs = np.array([rng.choice(self.systems, 2, replace=False, p=chance / chance.sum()) for _ in battles])
        judge = rng.integers(max(self.judges, 1), size=self.instances)
        strength = self.centres + self.taste * rng.normal(size=(max(self.judges, 1), self.systems))
        first, second = pairs.T
        odds = np.exp(strength[judge, first] - strength[judge, second])
        won = (rng.random(self.instances) < odds / (1 + odds)).astype(np.float64)
        won[rng.random(self.instances) < self.ties] = 0.5
        values = np.full((self.systems, self.instances), np.nan)
        values[first, battles], values[second, battles] = won, 1 - won
        return podium.from_arrays(
            {"battles": values}, clusters={"battles": [f"judge {one}" for one in judge]} if self.judges else None
        )


def _fought() -> Iterator[Row]:
    for step in (0.0, 0.3):
        for systems, battles in ((6, 60), (6, 300), (12, 600)):
            for often in (1, 20):
                label = (
                    f"{systems} systems, φ {step:g}, {battles} battles{f', some {often} times as often' * (often > 1)}"
                )
                world = Fought(systems, 1, battles, step, often=often)
                yield Row(f"borda, {label}", (Ranked(world, "borda", true_centre),), 400)
        for judges in (7, 12, 20, 60):
            world = Fought(6, 1, 300, step, judges=judges, taste=1.0)
            yield Row(
                f"borda, 6 systems, φ {step:g}, 300 battles, {judges} judges",
                (Ranked(world, "borda", true_centre),),
                400,
            )
        world = Fought(6, 1, 300, step)
        yield Row(f"wins, 6 systems, φ {step:g}, 300 battles", (Ranked(world, "wins", true_centre),), 200)


def sections() -> tuple[Section, ...]:
    """Equal systems, and systems of which each is a little stronger than the one before."""
    return (
        Section(
            "Battles of two systems",
            "Each instance is a battle that one of two systems wins; a fifth are ties. Strengths differ by φ from one "
            "system to the next, in log-odds. Systems fight alike, or some many times as often as others; or judges "
            "have tastes, with a standard deviation of 1 for each system, and are drawn whole. Borda counts missing "
            "scores by its model, and wins directly, as they do unless somebody says otherwise.",
            ("rank", "joint", "parted"),
            tuple(_fought()),
        ),
    )
