"""How many more labels by people make human scores as sure as is wanted, and which items to label next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from podium.base.arrays import Floats, Ints, plain, plain_list
from podium.base.statistics import bisect, student_quantile
from podium.base.words import few, how_many, percent, significant
from podium.ranking.method_spec import in_words
from podium.report.result import Result
from podium.report.view import Column, Table, View
from podium.score.prediction_powered import PoweredScores, expected_variance
from podium.score.task import Task

_READING = (
    "±: half the length of the interval of a human score, now and once the items are labelled",
    "items: drawn at random, as estimates need; label each for all systems that answered it",
)

#: Halvings of the interval in which the number of labels is looked for; items that text names.
_STEPS, _NAMED = 60, 5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelPlan(Result):
    """Items to label next, so that the human score of each of N systems is known to ± a number.

    Attributes
    ----------
    method, level
        What the scores are.
    systems
        The N labels.
    confidence, reach
        Of the intervals, and half the length that each is to have at most.
    n_labels
        Shape `(N,)`: labels that there are.
    now, then
        Shape `(N,)`: half the length of the interval, and what it is expected to be once the items are labelled.
    items
        The items to label, as task and instance, in random order within a task.
    left
        How many items lack a label of some system.
    notes
        What to know before trusting it, in words.

    Examples
    --------
    >>> import podium, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     podium.datasets.write_examples(folder)
    ...     plan = podium.plan_labels(f"{folder}/judged.csv", 0.06, method="mean", human_column="human")
    >>> len(plan.items), plan.left
    (51, 240)
    """

    schema: ClassVar[str] = "label-plan"
    _row_key: ClassVar[str] = "items"

    method: str
    level: str | None
    systems: tuple[str, ...]
    confidence: float
    reach: float
    n_labels: Ints
    now: Floats
    then: Floats
    items: tuple[tuple[str, str], ...]
    left: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Return how many items are to be labelled, of how many."""
        number = how_many(len(self.items), "item") if self.items else "nothing"
        return f"{number} to label of {self.left:,}, for {in_words(self.method, self.level)}"

    @property
    def summary(self) -> tuple[str, ...]:
        """Say what it takes, in a sentence."""
        reach, sure = f"within {self.reach:g}", percent(self.confidence)
        widest = int(np.argmax(self.then))
        if not self.items and self.now.max() <= self.reach:
            return (f"every human score is known {reach} already ({sure} confidence)",)
        if self.then[widest] > self.reach:
            all_left = f"all {self.left:,} items that are left" if self.left else "labels of all items"
            return (f"{all_left} bring {self.systems[widest]} within {significant(self.then[widest])} only; add items",)
        return (f"{how_many(len(self.items), 'more item')}, labelled for all systems, bring every human score {reach}",)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per item."""
        return [{"task": task, "instance": instance} for task, instance in self.items]

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        columns = (
            Column.labels("system", list(self.systems)),
            Column.numbers("labels", [f"{number:,}" for number in self.n_labels.tolist()]),
            Column.numbers("± now", [f"{half:.3g}" for half in self.now.tolist()]),
            Column.numbers("± then", [f"{half:.3g}" for half in self.then.tolist()]),
        )
        tables = [Table(columns, "human scores")]
        for task in dict.fromkeys(task for task, _ in self.items):
            own = [instance for name, instance in self.items if name == task]
            tables.append(Table((Column.labels(f"to label of {task}", [few(own, _NAMED)]),), "items"))
        return View(self.title, tuple(tables), self.notes, self.summary, explain=_READING)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        systems = zip(self.systems, *map(plain_list, (self.n_labels, self.now, self.then)), strict=True)
        return {
            **plain({name: getattr(self, name) for name in ("method", "level", "confidence", "reach", "left")}),
            "systems": [dict(zip(("system", "labels", "now", "then"), one, strict=True)) for one in systems],
            "items": self.rows(),
        }


def items_needed(found: PoweredScores, reach: float, confidence: float) -> tuple[Ints, Floats, Floats]:
    """Return how many items of each task to label, `(T,)`, and half the lengths of intervals now and then, `(N,)`.

    A task of weight w gets labels in proportion to w σ, with σ² / n the variance of a system there, on average (Neyman
    1934): so many that each interval is as short as wanted, or all that are left. Variances fall as
    `podium.score.prediction_powered.expected_variance` says, from what they are.
    """
    tasks, human = found.table.tasks, found.table.human
    judged = np.array([task.scored for task in tasks], dtype=np.float64)
    labelled = np.array([(~np.isnan(task.covariates[human])).sum(axis=1) for task in tasks], dtype=np.float64)
    left = np.array([unlabelled(task, human).size for task in tasks], dtype=np.float64)
    weights = np.array([[task.weight] for task in tasks]) * (judged > 0)
    weights = weights / weights.sum(axis=0)
    spread = (weights * np.sqrt(labelled * found.variance)).mean(axis=1)
    usual = np.array([expected_variance(*one) for one in zip(found.moments, labelled, judged, strict=True)])
    factor = np.divide(found.variance, usual, out=np.ones_like(usual), where=usual > 0)

    def half(added: Floats) -> Floats:
        share = np.divide(added, left, out=np.zeros_like(added), where=left > 0)
        number = labelled + share[:, None] * (judged - labelled)
        seen = [expected_variance(*one) for one in zip(found.moments, number, judged, strict=True)]
        variance = (weights**2 * factor * seen).sum(axis=0)
        df = np.maximum(number.sum(axis=0) - len(tasks), 1.0)
        t = np.array([-student_quantile((1 - confidence) / 2, one) for one in df.tolist()])
        return np.asarray(t * np.sqrt(variance))

    def added(scale: float) -> Floats:
        return np.asarray(np.clip(np.ceil(scale * spread - labelled.mean(axis=1)), 0.0, left))

    most = float(((left + labelled.mean(axis=1)) / np.where(spread > 0, spread, np.inf)).max()) + 1e-9
    wide = half(added(most)).max() > reach
    scale = most if wide else bisect(most, 0.0, lambda one: bool(half(added(one)).max() <= reach), _STEPS)[0]
    number = added(scale) if half(np.zeros_like(left)).max() > reach else np.zeros_like(left)
    return number.astype(np.int64), half(np.zeros_like(left)), half(number)


def unlabelled(task: Task, human: str) -> Ints:
    """Return the places of the items that lack a label of a system that the judge scored."""
    lacks = ~np.isnan(task.values) & np.isnan(task.covariates[human])
    return np.flatnonzero(lacks.any(axis=0))


def drawn_items(tasks: Sequence[Task], human: str, numbers: Ints, seed: int) -> tuple[tuple[str, str], ...]:
    """Draw so many of the items of each task that lack labels, by labels of task and instance."""
    rng, found = np.random.default_rng(seed % 2**64), list[tuple[str, str]]()
    for task, number in zip(tasks, numbers.tolist(), strict=True):
        for place in rng.permutation(unlabelled(task, human))[:number].tolist():
            found.append((task.name, str(place if task.instances is None else task.instances[place])))
    return tuple(found)
