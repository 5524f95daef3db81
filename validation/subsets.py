"""Systems that had no part in the choice of items: how often their full scores lie in the predicted intervals."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from section import Row, Section
from trials import Verdict

import podium
from podium.score.table import Scores
from podium.score.task import Task

__all__ = ["rows", "sections"]

#: Systems that come later in each world.
_NEW = 30

#: Released tables; they are in the page only where they are.
_RELEASED = Path(__file__).parents[2] / "shared" / "data" / "scores"


@dataclass(frozen=True)
class Chosen:
    """A world of right or wrong answers, or of scores with heavy tails, on tasks of equal size; or a released table.

    Attributes
    ----------
    kind
        "irt": discriminations and difficulties differ; "tasks": so does each system from task to task; "skills": an
        item needs some of six skills, which a system has or lacks; "heavy": Student's scores of three degrees of
        freedom; "alike": all items are alike, so that no choice is better than another; "families": of three systems
        each, which differ in a fifth of their answers; or the name of a file, of whose systems some are drawn.
    systems, items, taken
        N, K, and how many are chosen.
    whole
        Choose tasks instead, of a world of 20.
    """

    kind: str
    systems: int
    items: int = 300
    taken: int = 30
    whole: bool = False

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, choose, predict new systems, also with a third of the answers missing, and compare with the truth."""
        table = self._table(rng)
        hidden = replace(table, tasks=tuple(_with_holes(task, rng) for task in table.tasks))
        full = np.mean([task.values.mean(axis=1) for task in table.tasks], axis=0)
        number: dict[str, Any] = {"whole_tasks" if self.whole else "items": self.taken}
        if self.kind == "families":
            number["system_families"] = {name: str(k // 3) for k, name in enumerate(table.systems[: self.systems])}
        new = range(self.systems, len(table.systems))
        truth = dict(zip(table.systems, full.tolist(), strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            chosen = podium.subset(table.take(range(self.systems)), rng=int(rng.integers(2**32)), **number)
            found = podium.predict(table.take(new), chosen)
            fewer = None if self.whole else podium.predict(hidden.take(new), chosen)
        return Verdict(
            foretold=_inside(found, truth),
            in_part=np.nan if fewer is None else _inside(fewer, truth),
            lucky=float(chosen.method != "random") if self.kind == "alike" else np.nan,
        )

    def _table(self, rng: np.random.Generator) -> Scores:
        if Path(self.kind).suffix:
            scores = podium.read(_RELEASED / self.kind)
            return scores.take(rng.permutation(len(scores.systems)).tolist())
        values, tasks = self._drawn(rng, self.systems + _NEW), 20 if self.whole else 5
        if self.kind == "families":
            values = np.where(rng.random(values.shape) < 0.2, values, np.repeat(values[::3], 3, axis=0))
        return podium.from_arrays({f"t{k}": part for k, part in enumerate(np.split(values, tasks, axis=1))})

    def _drawn(self, rng: np.random.Generator, systems: int) -> Any:
        size = (systems, self.items)
        ability = rng.normal(size=(systems, 1))
        slope, difficulty = np.exp(0.5 * rng.normal(size=self.items)), 1.5 * rng.normal(size=self.items)
        if self.kind == "heavy":
            return 0.1 * ability + 0.3 * rng.normal(size=self.items) + 0.2 * rng.standard_t(3, size)
        if self.kind == "skills":
            needed = rng.random((self.items, 6)) < 0.3
            has = rng.random((systems, 6)) < rng.uniform(0.15, 0.85, (systems, 1))
            able = (has[:, None] | ~needed).all(axis=2)
            return (rng.random(size) < np.where(able, 0.9, 0.15)).astype(float)
        if self.kind == "tasks":
            ability = np.repeat(0.8 * ability + 0.6 * rng.normal(size=(systems, 5)), self.items // 5, axis=1)
        if self.kind == "alike":
            slope, difficulty = np.ones(self.items), np.zeros(self.items)
        return (rng.random(size) < 1 / (1 + np.exp(-slope * (ability - difficulty)))).astype(float)


def _with_holes(task: Task, rng: np.random.Generator) -> Task:
    """Lack a third of the instances."""
    return task.with_values(np.where(rng.random(task.n_instances) < 1 / 3, np.nan, task.values))


def _inside(found: podium.Prediction, full: dict[str, float]) -> float:
    truth = np.array([full[name] for name in found.systems])
    return float(((found.low <= truth) & (truth <= found.high)).mean())


def rows(*, quick: bool = False) -> Iterator[Row]:
    """Few systems and more, of every kind; or a quick choice of them."""
    worlds = {
        "irt": (8, 12, 20, 40),
        "tasks": (8, 12, 20, 40),
        "skills": (8, 12, 20),
        "heavy": (20,),
        "families": (24, 60),
        "alike": (12, 20),
    }
    for kind, sizes in {"irt": (12,)}.items() if quick else worlds.items():
        for systems in sizes:
            yield Row(f"30 of 300 items, {kind}, N {systems}", (Chosen(kind, systems),), 20 if quick else 50)
    if not quick:
        yield Row("6 of 20 tasks, tasks, N 12", (Chosen("tasks", 12, taken=6, whole=True),), 50)
    if not quick and _RELEASED.exists():
        yield Row("20 of 100 items, SummEval, N 12", (Chosen("SUM_EVAL.parquet", 12, taken=20),), 50)
        tables = (
            ("glue.csv", "GLUE", 20, 5, 14),
            ("superglue.csv", "SuperGLUE", 12, 5, 14),
            ("xtreme.csv", "XTREME", 8, 2, 4),
        )
        for file, name, systems, taken, of in tables:
            yield Row(
                f"{taken} of {of} tasks, {name}, N {systems}", (Chosen(file, systems, taken=taken, whole=True),), 50
            )


def sections() -> Iterator[Section]:
    """Tables of this file."""
    yield Section(
        "Items are chosen",
        "`podium.subset` chooses by N systems, and `podium.predict` is asked about 30 others: how many of their full "
        "scores are in the intervals, with all answers to the chosen items and without a third of them; and where all "
        "items are alike, how often a choice is called better than a random one. Answers follow item response (irt), "
        "also with abilities that differ by task (tasks); need skills that systems have or lack (skills); are scores "
        "with heavy tails (heavy); or are nearly those of two other systems of a family (families). Of released tables "
        "all other systems are new. Intervals of fewer than 19 systems or families are longer than they need be.",
        ("foretold", "in_part", "lucky"),
        tuple(rows()),
    )
