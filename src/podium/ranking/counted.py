"""A score table that is counted once, for all ways in which it will be ranked, also with other weights of tasks.

**Axes and rounding.** Arrays have an axis of N systems, and before it one of T tasks where there is a number for each.
Replicates add a last axis of length B, or of length 1 where all replicates are alike: weights `(T, B)`, tallies `(N,
B)`, `MethodContext.scored` and `MethodContext.scale` `(T, N, B)`. So all of them broadcast against each other once a
method has given weights an axis of systems (`podium.ranking.ballots.spread`). Without replicates that axis is missing.

Sums are rounded. Two of them are equal if they differ by at most 1e-12 (`podium.score.place.ROUNDING`) of a `scale`:
the size of the numbers that were summed. There are two scales, as there are two sums. `MethodContext.scale` is that of
the mean of a system on a task, and comes from `Moments` (|mean| plus standard deviation). A score as given is no sum;
where such are compared, there is no scale. `MethodResult.scale` is that of the result: 1 for shares and ranks, and for
an average over tasks the largest `MethodContext.scale` of its tasks.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Self, TypeVar, cast

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import MethodError, NoMaximumError
from podium.base.parallel import Progress, with_one_blas_thread
from podium.ranking.method import FittedScores, MethodContext, MethodResult, pooled, task_means
from podium.ranking.method_spec import MethodSpec, method_of, needs_of
from podium.score.table import Scores
from podium.tally.count import Counts, count
from podium.tally.duel import Duels
from podium.tally.moment import Means, Moments
from podium.tally.position import Ties
from podium.tally.tally import Tally

_Made = TypeVar("_Made")

#: Numbers that the tallies of replicates hold, at a time.
AT_ONCE = 2**23

#: Systems above which linear algebra would start threads, which wait for each other on a busy machine.
_MANY = 64


@dataclass(frozen=True, slots=True, eq=False)
class CountedScores:
    """A score table and its tallies, from which each of several methods makes its ranking.

    Attributes
    ----------
    given
        The table as it was given: for labels, notes and all that is shown.
    by_name
        The same with its tasks in order of their names, the order of the tallies: for all that is computed. The systems
        are in the same order in both.
    counts
        The tallies.
    threads
        Cores to count replicates on.

    Examples
    --------
    >>> import podium
    >>> scores = podium.datasets.toy_table1()
    >>> borda = MethodSpec("borda").on(scores)
    >>> CountedScores.of(scores, [borda]).dense_ranks(borda)
    array([2, 1, 0])
    """

    given: Scores
    by_name: Scores
    counts: Counts
    threads: int | None
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        scores: Scores,
        specs: Sequence[MethodSpec],
        *,
        also: Sequence[type[Tally]] = (),
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Count what all methods need together.

        Parameters
        ----------
        scores
            The table.
        specs
            All ways in which it will be ranked, their levels settled (`MethodSpec.on`), as of every `spec` below.
        also
            Other tallies that are wanted; they change nothing in how methods rank.
        threads
            Cores to count on; the result does not depend on it.
        progress
            Called with the number of scores counted and the number there are.
        """
        by_name = scores.by_name()
        needed = dict.fromkeys(chain.from_iterable(needs_of(spec) for spec in specs))
        if Means in needed and not scores.task_level:
            needed[Moments] = None  # what rounding errors of means are proportional to
        kinds = tuple(dict.fromkeys((*also, *needed)))
        return cls(scores, by_name, count(by_name, kinds, threads=threads, progress=progress), threads)

    @classmethod
    def for_rankings(
        cls, scores: Scores, specs: Sequence[MethodSpec], *, also: Sequence[type[Tally]] = (), **options: Any
    ) -> Self:
        """Count what `ranking_of` (uncertainty.py) needs: as `of`, and near-ties, on which there are notes."""
        return cls.of(scores, specs, also=[Ties, *also], **options)

    def once(self, name: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what is made the first time that it is asked for by this name, and kept."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast("_Made", self._kept[name])

    def counted_for(self, spec: MethodSpec) -> "CountedScores":
        """Return the table with what another method needs, too."""
        if all(kind in self.counts for kind in needs_of(spec)):
            return self
        return CountedScores.of(self.given, [spec], threads=self.threads)

    def fitted(self, spec: MethodSpec, progress: Progress | None = None) -> FittedScores | None:
        """Fit a method that is fitted to the whole table, once; None for methods that go by tallies."""
        if not method_of(spec).fitted:
            return None
        return self.once(("fit", spec), lambda: method_of(spec).fit(self.by_name, progress))

    def as_drawn(self, spec: MethodSpec) -> tuple["CountedScores", MethodSpec]:
        """Return what is drawn anew, and ranked how; of a fitted method, pseudo-values, whose means its scores are."""
        fit = self.fitted(spec)
        if fit is None:
            return self, spec
        mean = MethodSpec("mean")
        return self.once(("drawn", spec), lambda: CountedScores.of(fit.table, [mean], threads=self.threads)), mean

    def result(self, spec: MethodSpec) -> MethodResult:
        """Rank: one number per system, in the order of the table.

        Raises
        ------
        NoMaximumError
            A likelihood has no maximum.
        """
        fit = self.fitted(spec)
        if fit is not None:
            return fit.result
        work = partial(method_of(spec).apply, self.counts)
        context = replace(self.context(spec), duels=partial(self.duels, spec))
        try:
            return with_one_blas_thread(work, context) if len(self.by_name.systems) > _MANY else work(context)
        except NoMaximumError as error:
            raise error.named(self.given.systems) from None

    def reweighed(
        self,
        spec: MethodSpec,
        task_factors: Floats,
        counts: Counts | None = None,
        *,
        scale: Floats | None = None,
        scored: Bools | None = None,
    ) -> MethodResult:
        """Rank replicates, in which tasks have other weights.

        Parameters
        ----------
        spec
            How.
        task_factors
            Shape `(T, B)` or `(T, 1)`: by what the weight of each task is multiplied.
        counts
            Tallies with an axis of replicates, of length B or 1; by default those of the table.
        scale
            Shape `(T, N, B)`: `MethodContext.scale` of each replicate; by default that of the table.
        scored
            Shape `(T, N, B)` or `(T, N, 1)`: whether a task has any score of a system; by default as in the table.

        Returns
        -------
        Scores of shape `(N, B)` or `(N, 1)`.
        """
        own: dict[str, Any] = {"scale": scale, "scored": scored}
        own = {name: array for name, array in own.items() if array is not None}
        context = replace(self.context(spec).resampled(task_factors), **own)
        return method_of(spec).apply(self.counts.as_replicates() if counts is None else counts, context)

    def of_each_task(self, spec: MethodSpec) -> MethodResult:
        """Rank by each task alone: scores of shape `(N, T)`, NaN where the task has no weight."""
        context, method = self.context(spec), method_of(spec)
        n_tasks, n_systems = context.scored.shape
        size = max(AT_ONCE // (3 * n_systems**2), 1) if method.of_pairs else n_tasks
        pieces = []
        for start in range(0, n_tasks, size):
            some = slice(start, start + size)  # tasks that stand as replicates of one
            alone = replace(
                context,
                weights=context.weights[None, some],
                scored=context.scored[some].T[None],
                scale=None if context.scale is None else context.scale[some].T[None],
            )
            pieces.append(method.apply(self.counts.tasks_as_replicates(some), alone))
        return replace(pieces[0], score=np.concatenate([piece.score for piece in pieces], axis=1))

    def dense_ranks(self, spec: MethodSpec) -> Ints | None:
        """Return `MethodResult.dense_ranks`, shape `(N,)`; None if the method cannot rank the systems."""
        try:
            return self.result(spec).dense_ranks(self.given.systems)
        except MethodError:  # also where a likelihood has no maximum
            return None

    def context(self, spec: MethodSpec) -> MethodContext:
        """Return what a method knows of the table beside its tallies."""
        scores = self.by_name
        return self.once(
            ("context", spec),
            lambda: MethodContext(
                weights=scores.task_weights,
                lower_is_better=not scores.higher_is_better.any(),
                tolerance=scores.effective_tie_tolerance,
                scale=self._scale(spec),
                level=spec.level,
                scored=self.once("scored", lambda: np.array([task.scored > 0 for task in scores.tasks])),
                alphabetical=np.array(sorted(range(len(scores.systems)), key=scores.systems.__getitem__)),
                missing=spec.missing or (*method_of(spec).missing, "imputed")[0],
                prior=spec.prior,
                time_limit=spec.time_limit,
            ),
        )

    def _scale(self, spec: MethodSpec) -> Floats | None:
        """Size of the scores behind each mean, see `MethodContext.scale`; where each is one, that of the score."""
        if self.by_name.task_level and not method_of(spec).averages:
            return None
        counts = self.counts
        if Moments in counts:
            return counts.once("scale", lambda: Moments.together(counts[Moments], np.array).scale)
        if not (method_of(spec).averages and Means in counts):
            return None
        return counts.once("scale", lambda: np.nan_to_num(np.abs(task_means(counts))))

    def duels(self, spec: MethodSpec) -> Duels:
        """Return the duels of all tasks as one, by a method of pairs; pooled once for all methods at a level."""
        context = self.context(spec)
        level = context.level, context.missing if context.level == "two" else None
        if level == ("task", None) and context.missing == "direct" and ("duels", level) not in self._kept:
            level = "task", "direct"  # which imputes nothing
        return self.once(("duels", level), lambda: with_one_blas_thread(partial(pooled, self.counts), context))
