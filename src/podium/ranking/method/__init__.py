"""What a way to rank is: the tallies it needs, what it knows of a table, and what it makes of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import MethodError
from podium.ranking.ballots import (
    Level,
    Missing,
    pool_balanced,
    pool_one_level,
    pool_task_level,
    pool_two_level,
    task_ranks,
)
from podium.score.place import ROUNDING, places
from podium.tally.count import Counts
from podium.tally.duel import Duels
from podium.tally.moment import Means
from podium.tally.tally import Tally

if TYPE_CHECKING:
    from podium.base.parallel import Progress
    from podium.score.table import Scores


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """The answer of a method: one number per system, in the order of the tallies.

    Attributes
    ----------
    score
        Shape `(N,)`: aggregate score; NaN where the method cannot place the system.
    scale
        Shape `(N,)`, or one number for all: size of the numbers that `score` was summed from, which is what its
        rounding errors are proportional to.
    higher_is_better
        Direction of `score`.
    rank_sum, points
        Shape `(N,)`, or None: the weighted sum of (expected) ranks, lower is better, and of systems
        beaten, higher is better, as Borda counts are printed in papers.
    extras
        What else the method has to say of each system: names and arrays of shape `(N,)`.
    certificate
        Of a consensus order.
    remarks
        Given the labels, what else a reader should know, in words.
    """

    score: Floats
    scale: Floats | float = 1.0
    higher_is_better: bool = True
    rank_sum: Floats | None = None
    points: Floats | None = None
    extras: tuple[tuple[str, Floats], ...] = ()
    certificate: "Certificate | None" = None
    remarks: Callable[[Sequence[str]], list[str]] | None = None

    @property
    def oriented_score(self) -> Floats:
        """Return scores in a direction in which higher is better."""
        return self.score if self.higher_is_better else -self.score

    def dense_ranks(self, systems: Sequence[str]) -> Ints:
        """Shape `(N,)`: 0 for the best, −1 for what cannot be placed; equals share a place. Errors name `systems`.

        Scores closer than 1e-12 of what they were summed from differ by rounding only, and are equal.

        Raises
        ------
        MethodError
            A score is not finite: the numbers were too large to be added up.

        Examples
        --------
        >>> MethodResult(np.array([0.3, 0.5, 0.1 + 0.2])).dense_ranks(["A", "B", "C"])
        array([1, 0, 1])
        """
        if np.isinf(self.score).any():
            system = systems[int(np.flatnonzero(np.isinf(self.score))[0])]
            raise MethodError(
                f"the scores of system {system!r} are too large to be averaged; rescale them, or use method 'borda' "
                "with level 'one' or 'two', which only compares them"
            )
        return places(self.oriented_score, tolerance=ROUNDING * self.scale)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Proof of how good an order is, of those that minimise disagreements with the ballots.

    Attributes
    ----------
    cost
        Weighted number of pairwise disagreements with the ballots, lower is better.
    lower_bound
        No order costs less.
    gap
        Share of the cost that a better order might save, 0 where there is none.
    optimal
        Whether the order was proved to be a best one.
    unique
        Whether there is no other of the same cost; None where that was not proved in time.
    alternative
        Another order of the same cost, best first, as indices or labels; or None.
    """

    cost: float
    lower_bound: float
    gap: float
    optimal: bool
    unique: bool | None
    alternative: tuple[int, ...] | tuple[str, ...] | None

    def named(self, labels: Sequence[str]) -> "Certificate":
        """Return the same with labels for indices."""
        if self.alternative is None:
            return self
        return replace(self, alternative=tuple(labels[int(index)] for index in self.alternative))


@dataclass(frozen=True, slots=True, eq=False)
class MethodContext:
    """What a method knows of a table beside its tallies.

    Attributes
    ----------
    weights
        Shape `(T,)`, or `(T, B)` or `(T, 1)` where the tallies are of replicates: task weights.
    lower_is_better
        Whether lower is better on every task, so that averages are shown as they were given.
    tolerance
        Scores no further apart tie, in the units of the metrics.
    scale
        Shape `(T, N)` (with replicates `(T, N, 1)`): size of the scores behind each mean, see `Moments.scale`; None
        where the method has no use for it, because means were not counted, or are scores as given that are compared.
    level
        Of the ballots: "task", "one", "balanced" or "two"; None for methods that count none.
    scored
        Shape `(T, N)` (with replicates `(T, N, B)` or `(T, N, 1)`): whether a task has any score of a system.
    alphabetical
        Shape `(N,)`: the systems in order of their labels, by which a method that must choose among equals chooses, so
        that the order of rows changes nothing.
    missing
        How a missing score counts, see `podium.MethodSpec`.
    prior
        Of Bradley–Terry, see `podium.ranking.method.bradley_terry`.
    time_limit
        Of Kemeny, in seconds.
    duels
        What `pooled` gives, where several methods share it.
    """

    weights: Floats
    lower_is_better: bool
    tolerance: float
    scale: Floats | None
    level: str | None
    scored: Bools
    alphabetical: Ints
    missing: Missing = "imputed"
    prior: float = 0.0
    time_limit: float | None = None
    duels: Callable[[], Duels] | None = None

    def resampled(self, task_factors: Floats) -> "MethodContext":
        """Return the context of replicates, in which the weights of tasks are multiplied by factors `(T, B)`."""
        scale = None if self.scale is None else self.scale[..., None]
        weights = task_factors if (self.weights == 1).all() else self.weights[:, None] * task_factors
        return replace(self, weights=weights, scale=scale, scored=self.scored[..., None])


@dataclass(frozen=True, slots=True, eq=False)
class FittedScores:
    """Scores by a fit to a whole table, and a table of numbers whose mean over its instances they are."""

    result: "MethodResult"
    table: "Scores"


class Method:
    """A way to rank: what it is called, and what it makes of the tallies that it needs.

    Each is a small class, with an object in `podium.ranking.method_spec.METHODS`.

    Attributes
    ----------
    title
        What it is called in a sentence.
    level
        The level by default where there are instances; None for a method that counts no ballots.
    missing
        The ways in which missing scores can count, the default first; none where there is nothing to choose.
    options
        Names of what else can be set: "prior", "time_limit", "model".
    of_pairs
        Whether it forms numbers for every pair of systems.
    slow
        Whether it ranks replicates one after the other.
    takes_long
        Whether it may take very long, and so is not among the methods that are compared by default.
    steps
        Whether its scores move in steps, so that a bootstrap says too little of how they vary.
    shares
        Whether its scores are shares, between 0 and 1.
    averages
        Whether it averages scores, and leaves missing ones out.
    adds_up
        Whether scores are one weighted mean over ballots, or tasks, where none is missing or all are imputed.
    fitted
        Whether it goes by a model of the whole table, see `fit`, and not by tallies.
    """

    title: str
    level: Level | None = None
    missing: tuple[Missing, ...] = ()
    options: tuple[str, ...] = ()
    of_pairs = slow = takes_long = steps = shares = averages = adds_up = fitted = False

    def needs(self, level: str | None) -> tuple[type[Tally], ...]:  # noqa: ARG002  # a fitted method has no level
        """Return the kinds of tallies that it needs at a level."""
        return ()

    def apply(self, counts: Counts, context: "MethodContext") -> "MethodResult":
        """Return one number per system or, where tallies have an axis of replicates, per system and replicate."""
        raise NotImplementedError

    def fit(self, scores: "Scores", progress: "Progress | None" = None) -> "FittedScores":
        """Fit a whole table."""
        raise NotImplementedError

    def variant(self, missing: Missing | None, model: str | None) -> "Method":  # noqa: ARG002  # most have one
        """Return the method by which missing scores count in a way, or of a model."""
        return self

    @property
    def all_options(self) -> tuple[str, ...]:
        """Return the names of what can be set."""
        return ("missing", *self.options) if self.missing else self.options

    def check_parts(self) -> None:
        """Raise a `MethodError` if ranking without every single part would take too long."""
        if self.fitted:
            raise MethodError(
                f"the {self.title} would be fitted again for every task and instance that is left out; stress it with "
                "leave_out=False (--no-leave-out), or choose another method"
            )


class PairMethod(Method):
    """A way to rank by comparisons of all pairs."""

    level: Level | None = "balanced"
    of_pairs = True

    def needs(self, level: str | None) -> tuple[type[Tally], ...]:
        """Return the means at level "task", otherwise duels."""
        return (Means,) if level == "task" else (Duels,)


def task_means(counts: Counts) -> Floats:
    """Shape `(T, N)` or `(T, N, B)`, oriented; made once."""
    if counts.alike is not None:
        return task_means(counts.alike)[..., None]
    return counts.once("means", lambda: _means(counts[Means]))


def ranks_of_tasks(counts: Counts, context: MethodContext) -> Floats:
    """Shape of `task_means`: expected ranks on the ballots of tasks; made once."""
    scale, tolerance = context.scale, context.tolerance
    if counts.alike is not None:
        of_table = replace(context, scale=None if scale is None else scale[..., 0])
        return ranks_of_tasks(counts.alike, of_table)[..., None]
    name = "ranks", tolerance, scale is None
    return counts.once(name, lambda: task_ranks(task_means(counts), tolerance=tolerance, scale=scale))


def _means(tasks: Sequence[Means]) -> Floats:
    if tasks[0].mean.ndim == 1:
        return Means.together(tasks, np.array).means
    means = np.empty((len(tasks), *tasks[0].mean.shape))
    for task, row in zip(tasks, means, strict=True):  # in place, which saves memory where tasks are many
        row[...] = task.means
    return means


def pooled(counts: Counts, context: MethodContext) -> Duels:
    """Return the duels of all tasks as one, at the level of the context; if "direct", perhaps without imputed wins."""
    if context.duels is not None:
        return context.duels()
    if context.level == "one":
        return pool_one_level(counts[Duels], context.weights)
    if context.level == "balanced":
        return pool_balanced(counts[Duels], context.weights)
    if context.level == "two":
        return pool_two_level(counts[Duels], context.weights, scored=context.scored, missing=context.missing)
    return pool_task_level(
        task_means(counts),
        context.weights,
        tolerance=context.tolerance,
        scale=context.scale,
        direct=context.missing == "direct",
        ranks=partial(ranks_of_tasks, counts, context),
    )
