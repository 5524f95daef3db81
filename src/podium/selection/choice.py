"""The items of a table, and ways to choose n of them, with weights by which a system's answers to them add up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from podium.base.arrays import Floats, Frozen, Ints
from podium.response.fit import fit_item_response
from podium.score.family import family_names
from podium.score.task import Task, masses_of

#: EM of item response ends at changes of parameters that matter for no choice.
_TOLERANCE = 0.05

#: Steps of k-means, and by how much points are moved, so that there are as many different ones as clusters.
_STEPS, _MOVED = 10, 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class ItemAnswers(Frozen):
    """Answers of N systems to K items, missing ones filled in.

    Attributes
    ----------
    answers
        Shape `(N, K)`: higher is better, in units of the scores.
    mass
        Shape `(K,)`: share of each item in the full score; they sum to 1.
    stratum
        Shape `(K,)`: number of the task of each item, or of the set of tasks that it belongs to.
    full
        Shape `(N,)`: full scores, higher is better: Σ mass · answer where nothing is missing.
    """

    answers: Floats
    mass: Floats
    stratum: Ints
    full: Floats

    def of(self, rows: Ints) -> Self:
        """Return the same of some systems."""
        return type(self)(self.answers[rows], self.mass, self.stratum, self.full[rows])

    @property
    def shares(self) -> Floats:
        """Shape `(N, K)`: answers from 0 to 1, the least and the largest of their stratum."""
        found = np.empty_like(self.answers)
        order = np.argsort(self.stratum, kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(self.stratum[order])) + 1):
            part = self.answers[:, own]
            low, high = part.min(), part.max()
            found[:, own] = (part - low) / (high - low) if high > low else 0.5
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Pool(Frozen):
    """The C columns of a table, each a task and an instance, and the K items that they belong to.

    Tasks that are scored on the same instance make one item of it: who runs one has the scores on all.

    Attributes
    ----------
    tasks
        Names of the tasks.
    task, label
        Shape `(C,)`: number of the task, and text of the instance.
    values
        Shape `(N, C)`: as given, NaN where missing.
    mass
        Shape `(C,)`: share of each column in the full score, negative if lower is better.
    item
        Shape `(C,)`: number of the item.
    """

    tasks: tuple[str, ...]
    task: Ints
    label: tuple[str, ...]
    values: Floats
    mass: Floats
    item: Ints

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> Self:
        """Lay out tasks, of which instances without weight or score count for nothing.

        Numbers are the names of instances inside a family of tasks only, see `podium.score.units.units_among`.
        """
        whole = sum(task.weight for task in tasks)
        known: dict[tuple[str, str], int] = {}
        labels: list[str] = []
        found: list[tuple[Floats, ...]] = []
        for number, (task, family) in enumerate(zip(tasks, family_names(tasks), strict=True)):
            mass = np.where(np.isnan(task.values).all(axis=0), 0.0, masses_of(task))
            kept = np.flatnonzero(mass > 0)
            named = np.arange(task.n_instances) if task.instances is None else task.instances
            own = [str(label) for label in named[kept].tolist()]
            scope = task.name if task.instances is None else family if named.dtype.kind in "iu" else ""
            item = [known.setdefault((scope, label), len(known)) for label in own]
            sign = 1.0 if task.higher_is_better else -1.0
            share = sign * task.weight / whole * mass[kept] / mass[kept].sum()
            labels += own
            found.append((np.full(kept.size, number), task.values[:, kept].astype(np.float64), share, np.array(item)))
        of_task, values, share, item_of = (np.concatenate(parts, axis=-1) for parts in zip(*found, strict=True))
        return cls(tuple(task.name for task in tasks), of_task, tuple(labels), values, share, item_of)

    def items(self, full: Floats) -> ItemAnswers:
        """Add up the columns of each item; what is missing is what system and column score on average beyond others."""
        answers = self.values.copy()
        for number in range(len(self.tasks)):
            own = self.task == number
            part = answers[:, own]
            if (missing := np.isnan(part)).any():
                by_system, by_column = np.nanmean(part, axis=1), np.nanmean(part, axis=0)
                part[missing] = (by_system[:, None] + by_column - np.nanmean(part))[missing]
                answers[:, own] = part
        order = np.argsort(self.item, kind="stable")
        starts = np.flatnonzero(np.diff(self.item[order], prepend=-1))
        mass = np.add.reduceat(np.abs(self.mass)[order], starts)
        kinds: dict[bytes, int] = {}
        of = [kinds.setdefault(own.tobytes(), len(kinds)) for own in np.split(self.task[order], starts[1:])]
        return ItemAnswers(
            np.add.reduceat((answers * self.mass)[:, order], starts, axis=1) / mass, mass, np.array(of), full
        )


class Choice(NamedTuple):
    """Places of n items, ascending, and the weight of each, which sum to 1."""

    places: Ints
    weights: Floats

    @classmethod
    def of(cls, places: Ints, weights: Floats) -> "Choice":
        """Put items in order."""
        order = np.argsort(places)
        return cls(places[order], weights[order] / weights.sum())


def random(items: ItemAnswers, number: int, rng: np.random.Generator) -> Choice:
    """Draw items, each as likely as the other; they weigh by their mass."""
    places = rng.choice(items.mass.size, number, replace=False)
    return Choice.of(places, items.mass[places])


def stratified(items: ItemAnswers, number: int, rng: np.random.Generator) -> Choice:
    """Draw one of each of n groups of items that are about as difficult, of one task; it stands for its group."""
    return _of_groups(items, number, rng, lambda group: int(rng.integers(group.size)))


def information(items: ItemAnswers, number: int, rng: np.random.Generator) -> Choice:
    """Take of each such group the item that tells most of these systems' abilities, by item response (2PL)."""
    told = fit_item_response(items.shares, tolerance=_TOLERANCE).mean_information
    return _of_groups(items, number, rng, lambda group: int(np.argmax(told[group])))


def _of_groups(items: ItemAnswers, number: int, rng: np.random.Generator, pick: Callable[[Ints], int]) -> Choice:
    """Take the item that is picked of each group, by its place in it.

    Tasks get a number of groups by their mass, and two tasks are in one group only if there are more tasks than groups.
    """
    difficulty = items.shares.mean(axis=0)
    kinds, of = np.unique(items.stratum, return_inverse=True)
    if kinds.size > number:
        of = np.zeros_like(of)
    places, weights = [], []
    mass = np.bincount(of, items.mass).astype(np.float64)
    for one, groups in enumerate(_apportioned(mass, np.bincount(of), number).tolist()):
        own = np.flatnonzero(of == one)
        own = own[np.lexsort((rng.random(own.size), difficulty[own]))]  # of equal difficulty, in any order
        for group in np.array_split(own, groups):
            places.append(group[pick(group)])
            weights.append(items.mass[group].sum())
    return Choice.of(np.array(places), np.array(weights))


def _apportioned(mass: Floats, most: Ints, number: int) -> Ints:
    """Share a number among tasks by their mass, at least 1 and at most `most` each (Sainte-Laguë).

    >>> _apportioned(np.array([0.5, 0.3, 0.2]), np.array([2, 9, 9]), 7)
    array([2, 3, 2])
    """
    seats = np.ones(mass.size, dtype=np.int64)
    for _ in range(number - mass.size):
        seats[np.argmax(np.where(seats < most, mass / (2 * seats + 1), -1.0))] += 1
    return seats


def clusters(items: ItemAnswers, number: int, rng: np.random.Generator) -> Choice:
    """Put items that systems answer alike into n clusters (k-means), and take the one nearest to the middle of each.

    It stands for its cluster. Where a cluster has no items, the item that is furthest from its own middle is taken.

    References
    ----------
    Vivek, Ethayarajh, Yang & Kiela, Anchor Points, EACL 2024; Polo et al., tinyBenchmarks, ICML 2024, §3.2.
    """
    import warnings  # noqa: PLC0415  # only here

    from scipy.cluster.vq import kmeans2  # noqa: PLC0415  # slow to import

    points = items.shares.T + _MOVED * rng.standard_normal(items.answers.T.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of empty clusters
        first = points[rng.choice(len(points), number, replace=False)]
        middles, _ = kmeans2(points, first, iter=_STEPS, minit="matrix")
    square = (points**2).sum(axis=1)[:, None] - 2 * points @ middles.T + (middles**2).sum(axis=1)
    of = square.argmin(axis=1)
    off = square[np.arange(of.size), of]
    order = np.lexsort((off, of))
    places = order[np.flatnonzero(np.diff(of[order], prepend=-1))]
    weights = np.bincount(of, items.mass, minlength=number)[of[places]]
    rest = np.argsort(-off, kind="stable")
    rest = rest[~np.isin(rest, places)][: number - places.size]
    return Choice.of(np.append(places, rest), np.append(weights, items.mass[rest]))


#: Ways to choose, by name. Others are held against the first.
METHODS: dict[str, Callable[[ItemAnswers, int, np.random.Generator], Choice]] = {
    "random": random,
    "stratified": stratified,
    "clusters": clusters,
    "information": information,
}

#: Those that draw, so that another draw is another choice.
DRAWN = frozenset({"random", "stratified"})
