"""Stresses that change scores; and sweeps: a stress at several strengths, the usual ones, and how one is applied."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import as_number, check_enough, checked_count, checked_number
from podium.base.errors import MethodError, PodiumError
from podium.base.words import are, how_many, rounded_percent
from podium.robustness.removal import (
    Cases,
    DropSystems,
    DropTasks,
    RemoveCells,
    RemoveHard,
    RemoveScores,
    Stress,
    Subsample,
    row_of,
)
from podium.score.family import family_names
from podium.score.place import midranks, places
from podium.score.table import Scores, check_scores, of_battles
from podium.score.task import Task


def compose(*stresses: Stress) -> Stress:
    """Return a stress that applies several, the first one first.

    Each has a generator of its own, so the strength of one does not change the random numbers of the next.

    Examples
    --------
    >>> import podium
    >>> from podium.stresses import Rescale
    >>> compose(Rescale(1), Rescale(2))
    Composed(stresses=(Rescale(enlargement=1, tasks=1), Rescale(enlargement=2, tasks=1)))
    """
    return Composed(stresses)


@dataclass(frozen=True, slots=True)
class Composed:
    """Several stresses, the first one first."""

    stresses: tuple[Stress, ...]

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Apply one after the other."""
        for stress, own in zip(self.stresses, rng.spawn(len(self.stresses)), strict=True):
            scores = stress(scores, own)
        return scores


@dataclass(frozen=True, slots=True)
class CloneSystem:
    """Add copies of a system: the same scores under other labels, after all others.

    Means judge each system alone and do not move. Borda counts may turn other systems round. The best orders of the
    others by exact Kemeny at levels task and one stay the same as long as no cycle of strict majorities passes through
    the system (so, always where majorities have no cycle), and no score is missing, or missing="direct" leaves missing
    ones out; of several best orders another may then be chosen. In a cycle through the system, copies multiply its
    majorities, and can turn others round; and where missing scores are imputed, every copy changes what is expected of
    them. At level two all this must hold within each task and among the orders of the tasks, and each task must have a
    single best order: of several one is its ballot, and with copies that may be another.

    Attributes
    ----------
    copies
        How many to add, labelled "NAME (copy 1)" and so on; numbers whose label exists are skipped.
    system
        Label of the system; by default one drawn at random.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up.
    LabelError
        When called: there is no such system.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.CloneSystem(2, "B")(podium.datasets.toy_table1(), np.random.default_rng(0)).systems
    ('A', 'B', 'C', 'B (copy 1)', 'B (copy 2)')
    """

    copies: int
    system: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "copies", checked_count("copies", self.copies))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Add copies of the system, drawn by the generator unless it is named."""
        drawn = int(rng.integers(len(scores.systems)))
        return self._copied(scores, drawn if self.system is None else row_of(self.system, scores))

    def cases(self, scores: Scores) -> Cases:
        """List every system; one where it is named."""
        if self.system is None:
            return Cases(len(scores.systems), 1, lambda chosen: self._copied(scores, *chosen))
        row = row_of(self.system, scores)
        return Cases(0, 0, lambda _: self._copied(scores, row))

    def _copied(self, scores: Scores, row: int) -> Scores:
        if not self.copies:
            return scores
        labels = (f"{scores.systems[row]} (copy {number})" for number in count(1))
        free = islice((label for label in labels if label not in scores.systems), self.copies)
        return scores.take([*range(len(scores.systems)), *[row] * self.copies], (*scores.systems, *free))


@dataclass(frozen=True, slots=True)
class Rescale:
    """Multiply the scores of some tasks, drawn at random, by λ = 1 + enlargement.

    The order of the systems on every instance stays what it is, so that no method that counts ballots can change
    (unless scores become equal, or tie by a tolerance); averages follow the enlarged tasks more and more.

    Attributes
    ----------
    enlargement
        λ − 1 > −1: 0 changes nothing, 1 doubles.
    tasks
        How many.

    Raises
    ------
    MethodError
        The enlargement is no finite number above −1, or the number of tasks no whole number from 0 up; when called,
        there are fewer tasks, or scores are too large.

    References
    ----------
    Colombo et al. 2022, §4.3; Himmi et al. 2023, §3.2.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_dict({"A": {"rte": 0.5}, "B": {"rte": 0.25}})
    >>> podium.stresses.Rescale(3)(scores, np.random.default_rng(0)).tasks[0].values.T
    array([[2., 1.]])
    """

    enlargement: float
    tasks: int = 1

    def __post_init__(self) -> None:
        if not (np.isfinite(as_number(self.enlargement)) and self.enlargement > -1):
            raise MethodError(f"the enlargement is {self.enlargement!r}; it must be a number above -1, 0 for none")
        object.__setattr__(self, "tasks", checked_count("tasks to rescale", self.tasks))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Rescale tasks drawn by the generator."""
        check_enough(self.tasks, len(scores.tasks), "task", "rescaled")
        return self._with(scores, rng.permutation(len(scores.tasks))[: self.tasks].tolist())

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many tasks."""
        check_enough(self.tasks, len(scores.tasks), "task", "rescaled")
        return Cases(len(scores.tasks), self.tasks, partial(self._with, scores))

    def _with(self, scores: Scores, chosen: Collection[int]) -> Scores:
        return replace(scores, tasks=tuple(self._larger(t) if i in chosen else t for i, t in enumerate(scores.tasks)))

    def _larger(self, task: Task) -> Task:
        if not self.enlargement:
            return task
        with np.errstate(over="ignore"):  # which is looked for below
            parts = tuple(part * float(1 + self.enlargement) for part in task.parts)
        if any(np.isinf(part).any() for part in parts):
            large = f"too large to be enlarged by {self.enlargement:g} times themselves"
            raise MethodError(f"scores of task {task.name!r} are {large}; divide them all by the largest")
        return replace(task, parts=parts)


@dataclass(frozen=True, slots=True)
class Corrupt:
    """Replace all scores of some tasks, drawn at random, by noise that ranks the systems in reverse.

    On such a task a system of goodness n, the higher the better, scores Gumbel(−dispersion × n, 1) on every instance,
    turned where lower is better. The goodness of a system that is r-th of N, ties sharing the mean of their places, is
    N + 1 − r. Missing scores stay missing. Scores may leave the range of the metric. The tasks corrupted at a number
    are corrupted in the same way at every larger number, for generators in the same state.

    Attributes
    ----------
    tasks
        How many to corrupt.
    dispersion
        0 makes all systems equal on these tasks; the larger, the surer the reversal.
    truth
        The ranks of the systems, in the order of the table, 1 best, that are reversed, such as
        `tuple(world.truth.tolist())`. By default each task's own: the ranks of the (weighted) means of its scores.
    own_scale
        Whether draws are brought to the mean and the standard deviation of the task's scores (a task of equal scores
        stays as it is), so that a task does not decide an average by its scale; otherwise they stay as drawn.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up, the dispersion no number from 0 up, or a rank no number; when called,
        there are fewer tasks, or not as many systems as ranks, or scores are too large.

    References
    ----------
    Colombo et al. 2022, §4.2: dispersion 1, the true ranks, not on the scale of the task.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0] * 100, [0.0] * 100]}, systems=["A", "B"])
    >>> podium.rank(podium.stresses.Corrupt(1)(scores, np.random.default_rng(0))).systems
    ('B', 'A')
    """

    tasks: int
    dispersion: float = 1.0
    truth: tuple[int, ...] | None = None
    own_scale: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", checked_count("tasks to corrupt", self.tasks))
        object.__setattr__(self, "dispersion", checked_number("the dispersion", self.dispersion))
        if self.truth is not None:
            object.__setattr__(self, "truth", tuple(_ranks(self.truth).tolist()))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Corrupt tasks drawn by the generator."""
        check_enough(self.tasks, len(scores.tasks), "task", "corrupted")
        if self.truth is not None and len(self.truth) != len(scores.systems):
            raise MethodError(f"the truth has {len(self.truth)} ranks for {len(scores.systems)} systems; give one each")
        tasks = list(scores.tasks)
        for index in rng.permutation(len(tasks))[: self.tasks].tolist():
            tasks[index] = self._corrupted(tasks[index], rng)
        return replace(scores, tasks=tuple(tasks))

    def _corrupted(self, task: Task, rng: np.random.Generator) -> Task:
        sign = 1.0 if task.higher_is_better else -1.0
        values = sign * task.values.astype(np.float64)
        there = ~np.isnan(values)
        if self.truth is None:  # ranked by means; NaN where no score of a system weighs something
            weights = there * (1.0 if task.instance_weights is None else task.instance_weights)
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = weights / weights.sum(axis=1, keepdims=True)
            ability = np.sum(np.where(there, values, 0.0) * shares, axis=1)
        else:
            ability = -_ranks(self.truth)
        goodness = np.nan_to_num(ability.size + 1 - midranks(places(ability)))
        drawn = rng.gumbel(-self.dispersion * goodness[:, None], size=values.shape)
        old, new = values[there], drawn[there]
        if self.own_scale and old.size:
            with np.errstate(over="ignore", invalid="ignore"):  # which is looked for below
                spread = new.std()
                drawn = old.mean() + (drawn - new.mean()) * (old.std() / spread if spread else 0.0)
        if not np.isfinite(drawn[there]).all():
            why = "are too large to be corrupted; divide them all by the largest"
            raise MethodError(f"scores of task {task.name!r} {why}")
        return task.with_values(np.where(there, sign * drawn, np.nan).astype(task.parts[0].dtype))


def _ranks(truth: Any) -> Floats:
    """Truth as numbers."""
    try:
        ranks = np.array(truth, dtype=np.float64)
    except (TypeError, ValueError):
        ranks = np.full(1, np.nan)
    if ranks.ndim != 1 or not np.isfinite(ranks).all():
        raise MethodError(f"the truth is {truth!r}; give the rank of every system, 1 for the best, as in (2, 1, 3)")
    return ranks


#: Scores below which shares are rounded to whole scores.
_FEW = 200

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A stress at several strengths.

    Attributes
    ----------
    name
        Short, as it is typed: "missing".
    stress
        From a strength to the stress at this strength, such as a class of `podium.stresses`; strength 0 must change
        nothing.
    strengths
        From weak to strong; any sequence.
    axis
        What strength means, in words, as on the axis of a picture: "share of scores removed".

    Raises
    ------
    MethodError
        The strengths are no sequence.

    Examples
    --------
    >>> from podium.stresses import Rescale
    >>> sweep = Sweep("scale", Rescale, (0, 1, 9), "one task's scores enlarged (9: ten times)")
    >>> sweep.stress(9)
    Rescale(enlargement=9, tasks=1)
    """

    name: str
    stress: Callable[[Any], Stress]
    strengths: Sequence[float] | NDArray[Any]
    axis: str

    def __post_init__(self) -> None:
        given: Any = self.strengths.tolist() if isinstance(self.strengths, np.ndarray) else self.strengths
        try:
            object.__setattr__(self, "strengths", tuple(given))
        except TypeError:
            why = f"are {given!r}; give several, as in (0, 1, 2)"
            raise MethodError(f"the strengths of stress {self.name!r} {why}") from None


class Usual(NamedTuple):
    """One of the usual stresses.

    Attributes
    ----------
    stress, axis
        As of a `Sweep`.
    needs
        What a table needs for it, in words.
    strengths
        The strengths for a table, 0 first; none above 0 if the table lacks what is needed.
    phrase
        What a strength means, after "if".
    of_battles
        Whether it leaves battles of two systems what they are.
    off_range
        Whether scores may leave the range of a metric, so that methods of shares of 0 to 1 cannot take them.
    """

    stress: Callable[[Any], Stress]
    axis: str
    needs: str
    strengths: Callable[[Scores], tuple[float, ...]]
    phrase: Callable[[float], str]
    of_battles: bool = False
    off_range: bool = False


def _shares(number: int) -> tuple[float, ...]:
    """Return shares to remove; where there are few scores, only shares of whole scores, with three decimals."""
    if number >= _FEW:
        return _SHARES
    return tuple(sorted({round(round(share * number) / number, 3) for share in _SHARES})) if number else (0.0,)


def _counts(most: int) -> tuple[float, ...]:
    """Return about six whole numbers from 0 to the most, evenly spaced."""
    return tuple(sorted(set(np.linspace(0, most, min(most, 5) + 1).round().astype(int).tolist())))


#: The usual stresses, by the name that is typed.
USUAL = {
    "corrupt": Usual(
        Corrupt,
        "tasks that rank the systems in reverse",
        "two tasks",
        lambda scores: _counts(min(len(scores.tasks) - 1, 10)),
        lambda s: "1 task's order is reversed" if s == 1 else f"the orders of {s:.0f} tasks are reversed",
        off_range=True,
    ),
    "scale": Usual(
        Rescale,
        "one task's scores enlarged (9: ten times)",
        "two tasks",
        lambda scores: (0, 1, 9, 99, 999) if len(scores.tasks) > 1 else (),
        lambda s: f"one task's scores are {1 + s:g} times as large",
        off_range=True,
    ),
    "missing": Usual(
        RemoveScores,
        "share of scores removed",
        "two tasks or instances",
        lambda scores: _shares(scores.n_scored) if len(scores.tasks) > 1 or not scores.task_level else (),
        lambda s: f"{rounded_percent(s)} of the scores are missing",
    ),
    "cells": Usual(
        RemoveCells,
        "share of systems' tasks removed, each as a whole",
        "two tasks and instances",  # without instances a cell is a score
        lambda scores: (
            _shares(sum(int((task.scored > 0).sum()) for task in scores.tasks))
            if len(scores.tasks) > 1 and not scores.task_level
            else ()
        ),
        lambda s: f"{rounded_percent(s)} of the (system, task) results are missing",
    ),
    "instances": Usual(
        Subsample,
        "share of instances left out",
        "instances",
        lambda scores: () if scores.task_level else (0.0, 0.2, 0.5, 0.8, 0.9, 0.95),  # often there are more than needed
        lambda s: f"{rounded_percent(s)} of the instances are left out",
        of_battles=True,
    ),
    "hard": Usual(
        RemoveHard,
        "share of scores removed, more often on hard instances",
        "instances",
        lambda scores: () if scores.task_level else _shares(scores.n_scored),
        lambda s: f"{rounded_percent(s)} of the scores are missing, more of them on hard instances",
    ),
    "tasks": Usual(
        DropTasks,
        "tasks left out",
        "two tasks",
        lambda scores: _counts(len(set(family_names(scores.tasks))) - 1),
        lambda s: f"{how_many(int(s), 'task')} {are(s)} left out",
        of_battles=True,
    ),
    "systems": Usual(
        DropSystems,
        "systems left out",
        "four systems",
        lambda scores: _counts(len(scores.systems) // 2) if len(scores.systems) > 3 else (),
        lambda s: f"{how_many(int(s), 'system')} {are(s)} left out (if the leader is among them, the next one counts)",
        of_battles=True,
    ),
    "clone": Usual(
        CloneSystem,
        "copies of one system added",
        "nothing",
        lambda _: (0, 1, 2, 5),
        lambda s: f"one system is entered {int(s) + 1} times",
    ),
}


def usual(scores: Scores) -> tuple[Sweep, ...]:
    """Return the sweeps that fit a table, each from strength 0, which changes nothing.

    Parameters
    ----------
    scores
        The table.

    Examples
    --------
    >>> import podium
    >>> for sweep in podium.stresses.usual(podium.datasets.toy_table1()):
    ...     print(sweep.name, [round(strength, 2) for strength in sweep.strengths], sweep.axis, sep=": ")
    corrupt: [0, 1, 2, 3, 4, 5]: tasks that rank the systems in reverse
    scale: [0, 1, 9, 99, 999]: one task's scores enlarged (9: ten times)
    missing: [0.0, 0.06, 0.11, 0.22, 0.28, 0.5, 0.72]: share of scores removed
    tasks: [0, 1, 2, 3, 4, 5]: tasks left out
    clone: [0, 1, 2, 5]: copies of one system added
    """
    battles = of_battles(scores)
    kinds = [(name, kind) for name, kind in USUAL.items() if kind.of_battles or not battles]
    sweeps = (Sweep(name, kind.stress, kind.strengths(scores), kind.axis) for name, kind in kinds)
    return tuple(sweep for sweep in sweeps if any(sweep.strengths))


def stressed(scores: Scores, sweep: Sweep, strength: float, by: np.random.Generator | int) -> Scores:
    """Apply a stress, by the chance of a generator, or the case of a number, of those that `cases_of` lists.

    Raises
    ------
    MethodError
        It cannot be applied, or the stressed table has no system in common with the table.
    """
    try:
        if isinstance(by, int):
            every = cases_of(scores, sweep, strength)
            assert every is not None  # noqa: S101  # it was asked before
            changed = every.nth(by)
        else:
            changed = sweep.stress(strength)(scores, by)
        check_scores(changed)
    except PodiumError as error:
        raise MethodError(f"stress {sweep.name!r} at {strength:g}: {error}") from error
    if changed.systems != scores.systems and set(scores.systems).isdisjoint(changed.systems):
        why = "leaves none of the systems, so there is nothing to compare"
        raise MethodError(f"stress {sweep.name!r} at {strength:g} {why}")
    return changed


def cases_of(scores: Scores, sweep: Sweep, strength: float) -> Cases | None:
    """List all that a stress can do, or None where it cannot say; without stress there is the table alone."""
    if not strength:
        return Cases(0, 0, lambda _: scores)
    listing = getattr(sweep.stress(strength), "cases", None)
    return None if listing is None else listing(scores)
