"""A score table that is counted once, for all ways in which it will be ranked.

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
from podium.base.parallel import Progress, cores, with_one_blas_thread
from podium.ranking.ballots import balanced_weights, preferences, weighted_sum
from podium.ranking.battle import FoughtBattles
from podium.ranking.bootstrap import in_runs
from podium.ranking.linearised import Linearised
from podium.ranking.method import FittedScores, MethodContext, MethodResult, pooled, task_means
from podium.ranking.method_spec import MethodSpec, method_of, needs_of
from podium.ranking.repeats import RepeatedScores
from podium.score.table import Scores, of_battles
from podium.score.task import Task, masses_of
from podium.score.units import drawn_as, units_among
from podium.tally.count import Counts, count
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.moment import Means, Moments
from podium.tally.position import Ties
from podium.tally.tally import Tally

_Made = TypeVar("_Made")

#: Numbers that the tallies of replicates hold, at a time.
_AT_ONCE = 2**23

#: Replicates at a time of a slow method, so that progress is told in time.
_SLOW = 64

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
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

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
            Other tallies that are wanted.
        threads
            Cores to count on; the result does not depend on it.
        progress
            Called with the number of scores counted and the number there are.
        """
        by_name = scores.by_name()
        kinds = dict.fromkeys(chain(also, *(needs_of(spec) for spec in specs)))
        if Means in kinds and not scores.task_level:
            kinds[Moments] = None  # what rounding errors of means are proportional to
        return cls(scores, by_name, count(by_name, tuple(kinds), threads=threads, progress=progress), threads)

    @classmethod
    def for_rankings(
        cls,
        scores: Scores,
        specs: Sequence[MethodSpec],
        *,
        also: Sequence[type[Tally]] = (),
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Count what `ranking_of` (uncertainty.py) needs: as `of`, and near-ties, on which there are notes."""
        return cls.of(scores, specs, also=[Ties, *also], threads=threads, progress=progress)

    def _once(self, name: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what is made the first time that it is asked for by this name, and kept."""
        if name not in self._made:
            self._made[name] = make()
        return cast("_Made", self._made[name])

    def repeated(self, spec: MethodSpec, resampling: Resampling) -> RepeatedScores:
        """Return the repeats of the table, to be drawn for a method."""
        of_orders = not method_of(spec).averages
        return RepeatedScores.of(self.by_name, resampling.seed, of_orders=of_orders, level=spec.level)

    def counted_for(self, spec: MethodSpec) -> "CountedScores":
        """Return the table with what another method needs, too."""
        if all(kind in self.counts for kind in needs_of(spec)):
            return self
        return CountedScores.of(self.given, [spec], threads=self.threads)

    def fitted(self, spec: MethodSpec, progress: Progress | None = None) -> FittedScores | None:
        """Fit a method that is fitted to the whole table, once; None for methods that go by tallies."""
        if not method_of(spec).fitted:
            return None
        return self._once(("fit", spec), lambda: method_of(spec).fit(self.by_name, progress))

    def replicates(self, spec: MethodSpec, resampling: Resampling, progress: Progress | None = None) -> Floats:
        """Shape `(N, B)`: the score of every system in every replicate; NaN where the method cannot place it."""
        if spec.missing != "model":
            return self._replicates(spec, resampling, progress)
        if not is_linear(spec, resampling):
            samples = self._replicates(spec, resampling, progress)
        elif resampling.of_instances:
            samples = self.of_pseudo_values(spec).replicates(MethodSpec("mean"), resampling, progress)
        else:
            samples = self.linearised(spec).replicates_of_tasks(
                resampling.task_draws(*self.drawn_as_a_whole(spec, resampling.units))
            )
        return samples + self.unrun(spec, resampling)

    def _replicates(self, spec: MethodSpec, resampling: Resampling, progress: Progress | None) -> Floats:
        """The same, each replicate counted by itself."""
        if resampling.units == "repeats":
            return self._replicates_of_repeats(spec, resampling, progress)
        scores, kinds = self.by_name, needs_of(spec)
        if spec.name == "borda" and spec.missing == "direct" and resampling.units == "instances" and of_battles(scores):
            of_table = self.result(spec).score
            battles = FoughtBattles.of(scores, spec.level)
            return battles.replicates(scores.systems, of_table, resampling.replicates, resampling.seed)
        keys = resampling.keys(scores.tasks) if resampling.of_instances else None
        whole = self.drawn_as_a_whole(spec, resampling.units)

        def score(run: Resampling) -> Floats:
            drawn = None if keys is None else count(scores, kinds, resampling=run, keys=keys, threads=self.threads)
            return self.reweighed(spec, run.task_draws(*whole), drawn).score

        return in_runs(resampling, score, at_once=self._at_once(spec, resampling), progress=progress)

    def linearised(self, spec: MethodSpec) -> Linearised:
        """Fit the model of missing scores once, at a level other than "two"."""

        def make() -> Linearised:
            counted = self.counted_for(spec)
            return with_one_blas_thread(partial(Linearised.of, counted.counts), counted.context(spec))

        return self._once(("linearised", spec), make)

    def of_pseudo_values(self, spec: MethodSpec) -> "CountedScores":
        """Count a table whose means over instances are the scores by a model of missing scores, see `Linearised`."""
        return self._pseudo_values(spec)[0]

    def _pseudo_values(self, spec: MethodSpec) -> "tuple[CountedScores, Floats]":
        """The same, and how uncertain residuals are, made once."""

        def make() -> tuple[CountedScores, Floats]:
            work = partial(self.linearised(spec).of_instances, self.by_name)
            table, variances = with_one_blas_thread(work, spec.level)
            return CountedScores.of(table, [MethodSpec("mean")], threads=self.threads), variances

        return self._once(("pseudo-values", spec), make)

    def unrun(self, spec: MethodSpec, resampling: Resampling) -> Floats:
        """Shape `(N, B)`, or one 0: what nobody knows, if the tasks are those of interest, see `Linearised.unrun`."""
        if resampling.units in {"tasks", "both"}:  # what tasks differ is in the draws
            return np.zeros((1, 1))
        spec = replace(spec, level="balanced") if spec.level in {"task", "two"} else spec
        linearised, variances = self.linearised(spec), self._pseudo_values(spec)[1]
        return linearised.unrun(self.by_name.systems, resampling, linearised.deviations(variances))

    def drawn_as_a_whole(self, spec: MethodSpec, units: str) -> tuple[tuple[str | None, ...], Floats]:
        """Return under which names tasks are drawn, if at all, and what each weighs."""
        tasks = self.by_name.tasks
        sizes = [masses_of(task).sum() if spec.level == "one" else 1.0 for task in tasks]
        return drawn_as(tasks, units), self.by_name.task_weights * sizes

    def _replicates_of_repeats(self, spec: MethodSpec, resampling: Resampling, progress: Progress | None) -> Floats:
        """The same with other repeats, each replicate counted as a table of its own."""
        repeated, kinds = self.repeated(spec, resampling), needs_of(spec)
        whole = self.drawn_as_a_whole(spec, resampling.units)

        def score(run: Resampling) -> Floats:
            drawn = repeated.counts(kinds, range(run.first, run.first + run.replicates))
            return self.reweighed(spec, run.task_draws(*whole), drawn).score

        most = min(self._at_once(spec, resampling), _SLOW)
        samples = in_runs(resampling, score, at_once=most, threads=self.threads or cores(), progress=progress)
        return repeated.widened(samples, self.result(spec).score, spec.level)

    def _at_once(self, spec: MethodSpec, resampling: Resampling) -> int:
        """How many replicates there can be in memory at a time."""
        method, n_systems, n_tasks = method_of(spec), len(self.by_name.systems), len(self.by_name.tasks)
        numbers = n_tasks * n_systems  # a mean, or a sum of ranks, of each system on each task
        if method.adds_up and not resampling.of_instances:  # one product of matrices, see `weighted_sum`
            numbers = max(n_tasks, n_systems) // 2
        if method.of_pairs:  # duels are three matrices, of each task where its instances are counted anew
            by_task = resampling.units != "tasks" and Duels in needs_of(spec)
            numbers = max(numbers, 3 * n_systems**2 * (n_tasks if by_task else 1))
        most = max(_AT_ONCE // numbers, 1)
        return min(most, _SLOW) if method.slow else most

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
        context = self.context(spec).resampled(task_factors)
        if scale is not None:
            context = replace(context, scale=scale)
        if scored is not None:
            context = replace(context, scored=scored)
        return method_of(spec).apply(self.counts.as_replicates() if counts is None else counts, context)

    def of_each_task(self, spec: MethodSpec) -> MethodResult:
        """Rank by each task alone: scores of shape `(N, T)`, NaN where the task has no weight."""
        context, method = self.context(spec), method_of(spec)
        n_tasks, n_systems = context.scored.shape
        size = max(_AT_ONCE // (3 * n_systems**2), 1) if method.of_pairs else n_tasks
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
        """What a method knows of the table beside its tallies."""
        scores = self.by_name
        return self._once(
            ("context", spec),
            lambda: MethodContext(
                weights=scores.task_weights,
                lower_is_better=not scores.higher_is_better.any(),
                tolerance=scores.effective_tie_tolerance,
                scale=self._scale(spec),
                level=spec.level,
                scored=self._once("scored", lambda: np.array([task.scored > 0 for task in scores.tasks])),
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

    def compared(self, level: str) -> tuple[Floats, Floats, Floats]:
        """Compare all pairs of systems on the ballots that score both; the table must be counted for `direct_wins`.

        Returns
        -------
        Shape `(N, N)` each: how often i is preferred to j; the share of the comparisons that is, NaN where there are
        none; and their effective number (Σ w)² / Σ_u w_u², w_u being what the comparisons of one unit weigh together.

        Comparisons on the same instances depend on each other. So tasks with the same instances are one group, and what
        an instance u weighs in all of them counts as one: Σ_u w_u² ≤ (Σ_t √Σ_u w_tu²)², t in the group, which is equal
        where they score the pair on the same instances. Units and groups are those of `podium.score.units`; w_tu is
        what all instances of unit u in task t weigh together.
        """
        duels = self.duels(direct_wins(level))
        preference = preferences(duels, "direct")
        squares = self._squared_comparisons(level)
        effective = np.divide(duels.compared**2, squares, out=np.zeros_like(squares), where=squares > 0)
        probability = np.divide(preference, duels.compared, out=np.full_like(preference, np.nan), where=effective > 0)
        return preference, probability, effective

    def _squared_comparisons(self, level: str) -> Floats:
        """Shape `(N, N)`: Σ_u w_u², see `compared`; no more is held than of one group of tasks."""
        if level == "task":  # tasks may be thousands, so those of a family are added up first
            of = np.unique([str(name) for name in drawn_as(self.by_name.tasks, "tasks")], return_inverse=True)[1]
            for group in units_among(self.by_name.tasks):
                if len(group.tasks) > 1:
                    of[np.isin(of, of[list(group.tasks)])] = of[group.tasks[0]]
            scored = np.array([task.scored > 0 for task in self.by_name.tasks], dtype=np.float64)
            alone = np.bincount(of)[of] == 1
            squared = np.where(alone, self.by_name.task_weights, 0.0)[:, None] ** 2 * scored
            squares = weighted_sum(scored, squared[..., None])
            for family in np.flatnonzero(np.bincount(of) > 1):
                own = of == family
                squares += ((scored[own] * self.by_name.task_weights[own, None]).T @ scored[own]) ** 2
            return squares
        of_task = self._squares_of_task(level)
        squares = np.zeros((len(self.by_name.systems),) * 2)
        for group in units_among(self.by_name.tasks):
            own = [of_task(task, of) for task, of in zip(group.tasks, group.of, strict=True)]
            squares += sum(map(np.sqrt, own)) ** 2 if len(own) > 1 else own[0]
        return squares

    def _squares_of_task(self, level: str) -> Callable[[int, Ints], Floats]:
        """Shape `(N, N)`, of a task and the units of its instances: Σ w² over units, which weigh w in `duels`."""
        weights, tasks = self.by_name.task_weights, self.by_name.tasks
        duels = self.counts[Duels]
        if level == "two":
            return lambda task, _: weights[task] ** 2 * (duels[task].compared > 0)
        if level == "balanced":
            weights = balanced_weights(duels, weights)
        if any(task.instance_weights is not None for task in tasks):
            squared = self.given.with_squared_weights()
            duels = CountedScores.of(squared, [direct_wins(level)], threads=self.threads).counts[Duels]

        def of_instances(index: int, of: Ints) -> Floats:
            task = tasks[index]
            squared = duels[index].compared if task.clusters is None else squared_masses(task, of)
            return np.asarray(weights[index] ** 2 * squared)

        return of_instances

    def duels(self, spec: MethodSpec) -> Duels:
        """The duels of all tasks as one, by a method of pairs; pooled once for all methods at a level."""
        context = self.context(spec)
        level = context.level, context.missing if context.level == "two" else None
        if level == ("task", None) and context.missing == "direct" and ("duels", level) not in self._made:
            level = "task", "direct"  # which imputes nothing
        return self._once(("duels", level), lambda: with_one_blas_thread(partial(pooled, self.counts), context))


def is_linear(spec: MethodSpec, resampling: Resampling) -> bool:
    """Whether replicates by a model of missing scores are one step from the fit of the whole table, see `Linearised`.

    Others, in which ballots of tasks are drawn inside or repeats are drawn, are fitted each by itself.
    """
    jumps = spec.level == "two" or (spec.level == "task" and resampling.of_instances)
    return spec.missing == "model" and not jumps and resampling.units != "repeats"


def squared_masses(task: Task, of: Ints) -> Floats:
    """Shape `(N, N)`: Σ over units of (what its instances that score both systems weigh together)².

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, np.nan, 1]]}, clusters=["a", "a", "b"])
    >>> squared_masses(scores.tasks[0], np.array([0, 0, 1]))
    array([[5., 2.],
           [2., 2.]])
    """
    there = ~np.isnan(task.values)
    mass = masses_of(task)
    total = np.zeros((len(there), len(there)))
    if there.all():
        return np.full_like(total, np.square(np.bincount(of, weights=mass)).sum())
    order = np.argsort(of, kind="stable")
    for some in np.split(order, np.cumsum(np.bincount(of))[:-1]):
        scored = there[:, some].astype(np.float64)
        total += ((scored * mass[some]) @ scored.T) ** 2
    return total


def direct_wins(level: str) -> MethodSpec:
    """The way to rank by which a table must be counted for `CountedScores.compared`."""
    return MethodSpec("wins", level=level, missing="direct")
