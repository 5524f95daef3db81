"""Dependent effects: which tasks belong together, and how they are pooled by their covariance and by clusters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import LabelError, MethodError
from podium.base.frozen import Frozen
from podium.base.pattern import matching
from podium.base.words import how_many, with_names
from podium.comparison.covariance import Covariance, saying_nothing, what_is_shared
from podium.comparison.gls import Rotated, in_units, pool_dependent
from podium.comparison.pooling import ALIKE, Pooled, Pooling, pool_model, with_ends, with_new_task
from podium.comparison.robust import robust_variance
from podium.comparison.summary import TaskDependence
from podium.score.units import Units

Floats = NDArray[np.float64]


#: Degrees of freedom below which an interval is mostly a matter of their number.
_FEW = 4.0

#: Share of the summary that is shown as one below 0.
_BELOW = 5e-4


@dataclass(frozen=True, slots=True, eq=False)
class Dependence(Frozen):
    """How the effects on k tasks depend on each other.

    Attributes
    ----------
    covariance
        Shape `(k, k)`: V, which generalised least squares uses.
    clusters
        Shape `(k,)`: number of the cluster of each task. Tasks of different clusters have no covariance.
    alike
        Shape `(k, k)`: correlations by which tasks say nothing new where others are there; they are then left out.
    silent
        Shape `(k,)`: the tasks that are left out where all are there.
    robust
        Whether the variance of a mean is CR2 over clusters, where there are two.
    sets
        Tasks that share instances, or clusters of these, by index.
    shared, drawn
        What they share, and of what there are few; see `Covariance`.
    """

    covariance: Floats
    clusters: NDArray[np.int64]
    alike: Floats
    silent: NDArray[np.bool_]
    robust: bool
    sets: tuple[tuple[int, ...], ...] = ()
    shared: str = "instances"
    drawn: str = ""

    @classmethod
    def among(
        cls,
        covariance: Floats,
        cluster: NDArray[np.int64] | None = None,
        *,
        alike: Floats | None = None,
        robust: bool = True,
        sets: tuple[tuple[int, ...], ...] = (),
        shared: str = "instances",
        drawn: str = "",
    ) -> Self:
        """Join into clusters what has covariance, or a cluster of the user's, in common."""
        linked = covariance != 0
        for places in sets:
            linked[np.ix_(places, places)] = True
        if cluster is not None:
            linked = linked | (cluster[:, None] == cluster)
        clusters = _components(linked)
        alike = np.eye(len(covariance)) if alike is None else alike
        silent = saying_nothing(alike, np.ones(len(alike), dtype=np.bool_))
        return cls(covariance, clusters, alike, silent, robust, sets, shared, drawn)

    @property
    def several(self) -> bool:
        """Whether intervals are robust: they are asked for, and there are two clusters."""
        return self.robust and np.unique(self.clusters[~self.silent]).size > 1

    @property
    def related(self) -> bool:
        """Whether intervals allow for true effects that are related: they are robust, and a cluster has several."""
        return self.several and bool(np.bincount(self.clusters[~self.silent]).max() > 1)

    def interval(self, pooling: Pooling) -> str:
        """What the interval of the summary is called; that of a model has k − 1 degrees of freedom by default."""
        if self.several:
            return "cr2"
        return "adhoc" if pooling.interval == "satterthwaite" else pooling.interval

    def summarise(self, effect: Floats, pooling: Pooling, *, profile: bool = True) -> Pooled:
        """Pool each row of effects, shape `(A, k)` with NaN where a task is absent."""
        # In units of the largest variance, a power of 4, squares of variances are numbers, and no digit changes.
        unit = 2.0 ** float(np.floor(np.log2(np.diagonal(self.covariance).max()) / 2))
        scaled = replace(self, covariance=self.covariance / unit / unit)
        return in_units(scaled.pooled(effect / unit, pooling, profile=profile), unit)

    def heard(self, effect: Floats) -> NDArray[np.bool_]:
        """Shape `(A, k)`: the tasks of each row that say something new."""
        here = ~np.isnan(effect)
        if not self.silent.any():  # so no task follows from fewer of them either
            return here
        heard: NDArray[np.bool_] = here & ~np.array([saying_nothing(self.alike, row) for row in here])
        return heard

    def confined(self, effect: Floats) -> NDArray[np.bool_]:
        """Shape `(A,)`: whether all of several tasks are in one cluster, though the summary is robust over clusters."""
        heard = self.heard(effect)
        number = np.array([np.unique(self.clusters[row]).size for row in heard])
        confined: NDArray[np.bool_] = self.several & (number < 2) & (heard.sum(axis=1) > 1)
        return confined

    def pooled(self, effect: Floats, pooling: Pooling, *, profile: bool) -> Pooled:
        """Pool each row of effects as they are, without units."""
        effect = np.where(self.heard(effect), effect, np.nan)
        if not self.robust:
            return pool_dependent(effect, self.covariance, pooling, profile=profile)
        rows = [self._robust(row, pooling, profile=profile) for row in effect]
        return Pooled.joined(rows, (len(rows),))

    def _robust(self, effect: Floats, pooling: Pooling, *, profile: bool) -> Pooled:
        """Pool one row; CR2 where its tasks are in two clusters."""
        here = ~np.isnan(effect)
        rotated = Rotated.of(effect[here][None], self.covariance[np.ix_(here, here)])
        pooled, fit = pool_model(rotated, pooling, profile=profile)
        weight = np.zeros((1, effect.size))
        weight[:, here] = pooled.weight
        clusters = self.clusters[here]
        if np.unique(clusters).size < 2:
            pooled = replace(pooled, weight=weight)
            return with_new_task(pooled, rotated, pooling) if profile else pooled
        variance, freedom = robust_variance(effect[here][None] - fit.mean[:, None], rotated.inverse(fit), clusters)
        alike = fit.q <= ALIKE * (rotated.count - 1)
        std_error = np.sqrt(np.where(alike, 1 / fit.total, variance))
        pooled = with_ends(replace(pooled, std_error=std_error, freedom=freedom, weight=weight), pooling)
        return with_new_task(pooled, rotated, pooling, robust=True) if profile else pooled

    def between(self, of_group: Floats, pooling: Pooling) -> tuple[float, float]:
        """Cochran's Q of the summaries of groups, rows of effects, which may covary; and its p-value.

        It takes true effects as unrelated, so there is none where the summary does not.
        """
        if self.related:
            return float("nan"), float("nan")
        known = replace(self, robust=False).summarise(of_group, replace(pooling, interval="normal"), profile=False)
        own = np.where(np.isnan(known.tau2), 0.0, known.tau2) * (known.weight**2).sum(axis=1)
        covariance = known.weight @ self.covariance @ known.weight.T + np.diag(own)
        told = replace(pooling, estimator="fixed", interval="normal")
        q = pool_dependent(known.estimate[None], covariance, told, profile=False)
        return float(q.q[0]), float(q.q_p[0])

    def record(self, tasks: Sequence[str]) -> TaskDependence:
        """What a meta-analysis says of it."""
        clusters = [np.flatnonzero(self.clusters == number) for number in range(self.clusters.max() + 1)]
        return TaskDependence(
            sets=tuple(tuple(tasks[place] for place in places) for places in self.sets),
            clusters=tuple(tuple(tasks[place] for place in places.tolist()) for places in clusters),
            covariance=self.covariance,
            shared=self.shared,
        )

    def first_tasks(self, tasks: Sequence[str]) -> dict[str, str]:
        """Of each task that depends on others the first of these."""
        first = [int(np.argmax(self.clusters == number)) for number in self.clusters]
        several = np.bincount(self.clusters)[self.clusters] > 1
        return {task: tasks[place] for task, place, many in zip(tasks, first, several, strict=True) if many}

    def refuse_moderators(self) -> None:
        """Refuse to ask what effects depend on where they depend on each other.

        Raises
        ------
        MethodError
            Tasks share instances or clusters of these, covary, or are in one cluster.
        """
        if self.sets:
            why = f"some share {self.shared}; keep one of each set (--tasks)"
            raise MethodError(f"moderators need tasks that are independent, and {why}")
        if np.bincount(self.clusters).max() == 1:
            return
        what, one = "covariances", "set"
        if not (self.covariance - np.diag(np.diagonal(self.covariance))).any():
            what, one = "clusters", "cluster"
        raise MethodError(
            f"moderators take effects as independent, and the {what} given say that they are not; "
            f"leave the moderators out, or take one task of each {one}"
        )

    def group_notes(self, names: Sequence[str], of_group: Floats) -> list[str]:
        """Say what to know of summaries of groups, rows of effects."""
        notes = []
        if self.related and len(names) > 1:
            notes.append("groups are not tested against each other, as true effects in a cluster may be related")
        if alone := [name for name, one in zip(names, self.confined(of_group), strict=True) if one]:
            after = ": its interval holds" if len(alone) == 1 else ": their intervals hold"
            why = f"{after} only if true effects are unrelated"
            notes.append(with_names("one cluster has all tasks of ", alone, why))
        return notes

    def notes(self, tasks: Sequence[str], pooled: Pooled) -> list[str]:
        """Say what was done, and what to know of it."""
        notes, number = [], int(self.clusters.max()) + 1
        if self.sets:
            shared = f"tasks share {self.shared} ({how_many(len(self.sets), 'set')}), so their covariance is used"
            if self.several:
                notes.append(f"{shared}; the interval is robust, over {how_many(number, 'cluster')} of tasks")
            elif number > 1:
                notes.append(f"{shared}; the interval holds if their true effects are unrelated")
            else:
                notes.append(f"{shared}; how far other test sets differ cannot be known from these")
        elif not self.several and number == 1:
            notes.append("all tasks are in one cluster, so the interval holds only if their true effects are unrelated")
        if self.several and pooled.freedom[0] < _FEW:
            notes.append(
                f"the clusters give only {pooled.freedom[0]:.1f} degrees of freedom, so the interval is wide; "
                "tasks in other clusters would help"
            )
        if silent := [task for task, left in zip(tasks, self.silent, strict=True) if left]:
            notes.append(with_names("no weight, as other tasks tell the same of every instance: ", silent))
        if below := [task for task, weight in zip(tasks, pooled.weight[0], strict=True) if weight < -_BELOW]:
            notes.append(with_names("weight below 0, as a more precise task with these instances moves alike: ", below))
        if self.drawn:
            few = f"fewer than ten {self.drawn} for each task that shares them"
            notes.append(f"{few}, so their correlations are smoothed")
        return notes


def _components(linked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of what is linked, directly or by others, in the order of first places."""
    number = np.full(len(linked), -1)
    for first in range(len(linked)):
        if number[first] >= 0:
            continue
        here = np.zeros(len(linked), dtype=np.bool_)
        new = here.copy()
        new[first] = True
        while new.any():
            here |= new
            new = linked[new].any(axis=0) & ~here
        number[here] = number.max() + 1
    return number


@dataclass(frozen=True, slots=True)
class Clustering:
    """What is asked about the dependence of tasks.

    Attributes
    ----------
    headings
        Name of the cluster of each task that is in one.
    detect
        Whether tasks that share instances count as dependent.
    robust
        Whether intervals are robust, over clusters.
    """

    headings: Mapping[str, str]
    detect: bool
    robust: bool

    @classmethod
    def of(
        cls,
        tasks: Sequence[str],
        cluster: Mapping[str, Sequence[str]] | None,
        *,
        interval: str | None,
        like: str | None,
    ) -> Self:
        """Settle it: intervals are robust unless one is named, and another tool knows no dependence.

        Raises
        ------
        LabelError
            A cluster names a task that is not there, or two clusters name the same.
        MethodError
            All tasks are in one cluster; or an interval, or a tool to imitate, is named beside clusters.
        """
        refuse_beside_clusters(cluster, interval=interval, like=like)
        headings = headings_of("cluster", tasks, cluster)
        names = set(headings.values())
        if len(names) == 1 and len(headings) == len(tasks) > 1:
            raise MethodError(
                f"all {len(tasks):,} tasks are in cluster {names.pop()!r}, and a robust error needs two clusters; "
                "name fewer tasks in it, or leave the cluster out"
            )
        return cls(headings, like is None, interval is None and like is None)

    def dependence(self, tasks: Sequence[str], variance: Floats, covariance: Covariance | None) -> Dependence | None:
        """Dependence of the effects on some tasks; None where there is none."""
        if not self.headings and covariance is None:
            return None
        codes: dict[tuple[bool, str], int] = {}
        names = [(True, self.headings[task]) if task in self.headings else (False, task) for task in tasks]
        numbers = np.array([codes.setdefault(name, len(codes)) for name in names], dtype=np.int64)
        if covariance is None:
            return Dependence.among(np.diag(variance), numbers, robust=self.robust)
        return Dependence.among(
            covariance.matrix,
            numbers,
            alike=covariance.alike,
            robust=self.robust,
            sets=covariance.sets,
            shared=covariance.shared,
            drawn=covariance.drawn,
        )

    def notes(self, shared: Sequence[Units]) -> list[str]:
        """Say that sets of instances, or clusters, that are shared are not looked at, if so."""
        if self.detect or not shared:
            return []
        said = f"tasks that share {what_is_shared(shared)} ({how_many(len(shared), 'set')}) count as independent"
        return [f"{said}, as in Ranger: the interval is too narrow"]


def refuse_beside_clusters(cluster: object, *, interval: str | None, like: str | None) -> None:
    """Refuse clusters of tasks beside what has no use for them.

    Raises
    ------
    MethodError
        An interval, or a tool to imitate, is named too.
    """
    if cluster and (interval is not None or like is not None):
        named = f"interval {interval!r}" if interval is not None else f"like {like!r}"
        raise MethodError(f"clusters of tasks have an interval of their own; leave out {named}, or the clusters")


def headings_of(what: str, tasks: Sequence[str], groups: Mapping[str, Sequence[str]] | None) -> dict[str, str]:
    """Heading of each task that one of the groups names by label or glob; `what` is "group" or "cluster".

    Raises
    ------
    LabelError
        A group names a task that is not there, or two groups name the same.

    Examples
    --------
    >>> headings_of("cluster", ["mnli-m", "mnli-mm", "rte"], {"mnli": ["mnli*"]})
    {'mnli-m': 'mnli', 'mnli-mm': 'mnli'}
    """
    headings: dict[str, str] = {}
    given: object = groups
    if given is not None and not isinstance(given, Mapping):
        example = "as in {'inference': ['mnli', 'rte']}"
        raise LabelError(f"{what}s are given as headings with the tasks below each, {example}")
    for name, patterns in (groups or {}).items():
        found = matching("task", patterns, tasks)
        if not found:
            raise LabelError(f"{what} {name!r} names no task; leave it out")
        for task in found:
            if headings.setdefault(task, name) != name:
                raise LabelError(f"task {task!r} is in the {what}s {headings[task]!r} and {name!r}; keep one")
    return headings
