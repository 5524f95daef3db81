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
    circle
        How much more often than in half of the battles without a tie each system beats the half of the others that
        follows it, in a circle; 0 where strengths explain who wins.
    pair
        Share of the battles that the same two systems fight.
    """

    often: float = 1.0
    judges: int = 0
    taste: float = 0.0
    ties: float = 0.2
    circle: float = 0.0
    pair: float = 0.0

    def draw(self, rng: np.random.Generator) -> Scores:
        """Draw a table."""
        chance = rng.permutation(np.geomspace(1, self.often, self.systems))
        battles = np.arange(self.instances)
        pairs = np.array([rng.choice(self.systems, 2, replace=False, p=chance / chance.sum()) for _ in battles])
        judge = rng.integers(max(self.judges, 1), size=self.instances)
        strength = self.centres + self.taste * rng.normal(size=(max(self.judges, 1), self.systems))
        pairs[rng.random(self.instances) < self.pair] = [0, 1]
        first, second = pairs.T
        odds = np.exp(strength[judge, first] - strength[judge, second])
        ahead, half = (second - first) % self.systems, (self.systems - 1) // 2
        beaten = np.where(ahead <= half, 1, np.where(ahead >= self.systems - half, -1, 0))
        won = (rng.random(self.instances) < odds / (1 + odds) + self.circle * beaten).astype(np.float64)
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


def _in_circles() -> Iterator[Row]:
    for systems, battles, judges in ((3, 200, 0), (6, 200, 0), (6, 300, 0), (6, 300, 20), (20, 600, 0), (20, 1500, 0)):
        world = Fought(systems, 1, battles, 0.0, judges=judges, taste=0.5 * (judges > 0), circle=0.25, pair=0.3)
        judged = f", {judges} judges" if judges else ""
        yield Row(f"borda, {systems} systems, {battles} battles{judged}", (Ranked(world, "borda", true_centre),), 400)


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
        Section(
            "Battles that no order explains",
            "Systems stand in a circle, and each beats the half of the others that follows it in three quarters of the "
            "battles that are no ties. The first two fight 30% of all battles. Each is as good as the others, but a "
            "model of one strength a system puts the first of these two ahead.",
            ("mistaken",),
            tuple(_in_circles()),
        ),
    )
