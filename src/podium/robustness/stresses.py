"""Stresses: ways in which scores might have come out differently, each a function from scores to scores."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, count, islice
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import as_number, check_enough, checked_count, checked_number, texts
from podium.base.errors import LabelError, MethodError
from podium.base.words import are, how_many, rounded_percent
from podium.score.family import family_names
from podium.score.place import midranks, places
from podium.score.table import Scores, of_battles
from podium.score.task import PART, Task, each_score, of_instances, over_instances, stretches_of
from podium.score.units import InstanceSets

#: Numbers drawn, or scores worked on, at a time.
_AT_ONCE = 2**20


def check_label(system: str, scores: Scores) -> None:
    """Refuse a system that is not in the table.

    Raises
    ------
    LabelError
        There is no such system; the nearest labels are named.
    """
    if system not in scores.systems:
        raise LabelError.unknown("system", system, scores.systems)


#: A stress at one strength: from scores, and a generator that all its chance comes from, to changed scores.
Stress = Callable[[Scores, np.random.Generator], Scores]


class Cases(NamedTuple):
    """All that a stress can do to a table, each as likely as any other: choose so many of some things.

    A stress has a method `cases` where it can list them, from scores to these, or to None for a table where it
    cannot.

    Attributes
    ----------
    things, chosen
        How many there are to choose from, and how many of them are chosen.
    apply
        From the indices of the chosen to the changed scores.

    Examples
    --------
    >>> import podium
    >>> every = podium.stresses.DropTasks(4).cases(podium.datasets.toy_table1())
    >>> every.number(100), every.nth(0).task_names, every.nth(14).task_names
    (15, ('Task5', 'Task6'), ('Task1', 'Task2'))
    """

    things: int
    chosen: int
    apply: Callable[[tuple[int, ...]], Scores]

    def number(self, most: int) -> int | None:
        """How many cases there are; None where there are more than so many."""
        if 0 < self.chosen < self.things and self.things > most:  # the number itself may have a million digits
            return None
        number = comb(self.things, self.chosen)
        return number if number <= most else None

    def nth(self, number: int) -> Scores:
        """Return the case of this number, from 0."""
        return self.apply(next(islice(combinations(range(self.things), self.chosen), number, None)))


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
            raise MethodError(
                f"the strengths of stress {self.name!r} are {given!r}; give several, as in (0, 1, 2)"
            ) from None


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
    return _Composed(stresses)


@dataclass(frozen=True, slots=True, repr=False)
class _Composed:
    stresses: tuple[Stress, ...]

    def __repr__(self) -> str:
        return f"Composed(stresses={self.stresses})"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        for stress, own in zip(self.stresses, rng.spawn(len(self.stresses)), strict=True):
            scores = stress(scores, own)
        return scores


@dataclass(frozen=True, slots=True)
class DropTasks:
    """Leave tasks, drawn at random, out of the table; a task of positive weight always stays.

    Tasks of one family go together and count as one, see `podium.score.family.family_names`. Whatever is left out at a
    number is left out at every larger number too, for generators in the same state.

    Attributes
    ----------
    tasks
        How many to leave out; at least one stays.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up; when called, no task would stay.

    References
    ----------
    Colombo et al. 2022, §5.2, who keep t of T tasks.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.DropTasks(4)(podium.datasets.toy_table1(), np.random.default_rng(0)).task_names
    ('Task1', 'Task2')
    """

    tasks: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", checked_count("tasks to leave out", self.tasks))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out tasks drawn by the generator."""
        families = family_names(scores.tasks)
        names = list(dict.fromkeys(families))
        check_enough(self.tasks, len(names), "task", "left out", stay=1)
        order = [names[index] for index in rng.permutation(len(names)).tolist()]
        # A table needs a task that weighs something: of those, the last drawn is the last to go.
        weighing = {name for name, task in zip(families, scores.tasks, strict=True) if task.weight > 0}
        last = next(name for name in reversed(order) if name in weighing)
        order.remove(last)
        return _without_tasks(scores, order[: self.tasks])

    def cases(self, scores: Scores) -> Cases | None:
        """List all sets of so many tasks; None where a task weighs nothing, since sets are not equally likely then."""
        names = list(dict.fromkeys(family_names(scores.tasks)))
        check_enough(self.tasks, len(names), "task", "left out", stay=1)
        if any(task.weight <= 0 for task in scores.tasks):
            return None
        return Cases(len(names), self.tasks, lambda lost: _without_tasks(scores, [names[index] for index in lost]))


def _without_tasks(scores: Scores, lost: Collection[str]) -> Scores:
    """Leave out families of tasks, by name."""
    families = family_names(scores.tasks)
    kept = (task for task, family in zip(scores.tasks, families, strict=True) if family not in lost)
    return replace(scores, tasks=tuple(kept))


@dataclass(frozen=True, slots=True)
class DropSystems:
    """Leave systems out of the table, drawn at random or named.

    Whatever is left out at a number is left out at every larger number too, for generators in the same state.

    Attributes
    ----------
    systems
        How many to leave out; at least two stay.
    which
        The labels of systems that may go, first to last: the first so many of them are left out. By default any,
        drawn at random.

    Raises
    ------
    MethodError
        The number is no whole number from 0 up; when called, fewer than two systems would stay, or fewer are named.
    LabelError
        When called: a system named is not in the table.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.DropSystems(1, ("B",))(podium.datasets.toy_table1(), np.random.default_rng(0)).systems
    ('A', 'C')
    """

    systems: int
    which: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "systems", checked_count("systems to leave out", self.systems))
        if self.which is not None:
            object.__setattr__(self, "which", tuple(dict.fromkeys(texts("system", self.which))))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out systems, drawn by the generator unless they are named."""
        check_enough(self.systems, len(scores.systems), "system", "left out", stay=2)
        order = rng.permutation(len(scores.systems)).tolist()
        return _without_systems(scores, (order if self.which is None else self._named(scores))[: self.systems])

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many systems; one set where they are named."""
        check_enough(self.systems, len(scores.systems), "system", "left out", stay=2)
        if self.which is None:
            return Cases(len(scores.systems), self.systems, partial(_without_systems, scores))
        lost = self._named(scores)[: self.systems]
        return Cases(0, 0, lambda _: _without_systems(scores, lost))

    def _named(self, scores: Scores) -> list[int]:
        """Rows of the systems named."""
        named = self.which or ()
        for label in named:
            check_label(label, scores)
        if len(named) < self.systems:
            asked = how_many(self.systems, "system")
            raise MethodError(f"{asked} {are(self.systems)} to be left out, but only {len(named)} named; name more")
        return list(map(scores.systems.index, named))


def _without_systems(scores: Scores, lost: Collection[int]) -> Scores:
    gone = set(lost)
    return scores.take([row for row in range(len(scores.systems)) if row not in gone]) if gone else scores


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
        return self._copied(scores, drawn if self.system is None else self._named(scores, self.system))

    def cases(self, scores: Scores) -> Cases:
        """List every system; one where it is named."""
        if self.system is None:
            return Cases(len(scores.systems), 1, lambda chosen: self._copied(scores, *chosen))
        row = self._named(scores, self.system)
        return Cases(0, 0, lambda _: self._copied(scores, row))

    @staticmethod
    def _named(scores: Scores, system: str) -> int:
        check_label(system, scores)
        return scores.systems.index(system)

    def _copied(self, scores: Scores, row: int) -> Scores:
        if not self.copies:
            return scores
        labels = islice(_labels(scores.systems[row], set(scores.systems)), self.copies)
        rows = [*range(len(scores.systems)), *[row] * self.copies]
        return scores.take(rows, (*scores.systems, *labels))


def _labels(system: str, taken: set[str]) -> Iterator[str]:
    return (label for label in (f"{system} (copy {number})" for number in count(1)) if label not in taken)


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
            parts = tuple(part * part.dtype.type(1 + self.enlargement) for part in task.parts)
        if any(np.isinf(part).any() for part in parts):
            raise MethodError(
                f"scores of task {task.name!r} are too large to be enlarged by {self.enlargement:g} times themselves; "
                "divide them all by the largest"
            )
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
        values = each_score(task, lambda scores: sign * scores.astype(np.float64))
        ability = _means(values, task.instance_weights) if self.truth is None else -_ranks(self.truth)
        goodness = np.nan_to_num(ability.size + 1 - midranks(places(ability)))
        drawn = np.empty(values.shape)
        for some in _rows(values):
            drawn[some] = rng.gumbel(-self.dispersion * goodness[some, None], size=drawn[some].shape)
        if self.own_scale:
            _bring_to_scale_of(values, drawn)
        for some in _rows(values):
            there = ~np.isnan(values[some])
            if not np.isfinite(drawn[some][there]).all():
                raise MethodError(
                    f"scores of task {task.name!r} are too large to be corrupted; divide them all by the largest"
                )
            drawn[some] = np.where(there, sign * drawn[some], np.nan)
        return task.with_values(drawn.astype(task.parts[0].dtype, copy=False))


def _ranks(truth: Any) -> Floats:
    """Truth as numbers."""
    try:
        ranks = np.array(truth, dtype=np.float64)
    except (TypeError, ValueError):
        ranks = np.full(1, np.nan)
    if ranks.ndim != 1 or not np.isfinite(ranks).all():
        raise MethodError(f"the truth is {truth!r}; give the rank of every system, 1 for the best, as in (2, 1, 3)")
    return ranks


def _rows(values: Floats) -> list[slice]:
    """Cut rows into runs that are worked on at a time."""
    size = max(_AT_ONCE // max(values.shape[1], 1), 1)
    return [slice(start, start + size) for start in range(0, len(values), size)]


def _means(values: Floats, weights: Floats | None) -> Floats:
    """Shape `(N,)`: mean over instances; NaN where a system has no score that weighs something."""
    means = np.empty(len(values))
    for some in _rows(values):
        there = ~np.isnan(values[some])
        weight = there * (1.0 if weights is None else weights)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = weight / weight.sum(axis=1, keepdims=True)
        means[some] = np.sum(np.where(there, values[some], 0.0) * shares, axis=1)
    return means


def _bring_to_scale_of(values: Floats, drawn: Floats) -> None:
    """Bring draws to the mean and the standard deviation of scores, both where there are any."""
    old, new = _where_scored(values, values), _where_scored(drawn, values)
    if not old.size:
        return
    (old_mean, old_spread), (new_mean, spread) = _moments(old), _moments(new)
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks
        for some in _rows(drawn):
            drawn[some] = old_mean + (drawn[some] - new_mean) * (old_spread / spread if spread else 0.0)


def _where_scored(values: Floats, scores: Floats) -> Floats:
    """Shape `(n,)`: values where there is a score."""
    found: Floats = values[~np.isnan(scores)]
    return found


def _moments(values: Floats) -> tuple[Any, Any]:
    """Mean and standard deviation; the numbers are written over."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = values.mean()
        np.subtract(values, mean, out=values)
        np.multiply(values, values, out=values)
        return mean, np.sqrt(values.sum() / values.size)


def smallest(keys: NDArray[np.float64], number: int) -> NDArray[np.bool_]:
    """Return a mask of so many smallest keys; a larger number of the same keys masks these too.

    >>> smallest(np.array([0.3, 0.1, 0.2]), 2)
    array([False,  True,  True])
    """
    if not number:
        return np.zeros(keys.size, np.bool_)
    mask: NDArray[np.bool_] = keys <= np.partition(keys, number - 1)[number - 1]
    if np.count_nonzero(mask) != number:  # keys are equal
        mask[:] = False
        mask[np.argpartition(keys, number - 1)[:number]] = True
    return mask


def of_tasks(scores: Scores, values: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut an array with a value for one score, by task, system and instance, into a view `(N, K)` for each task."""
    ends = np.cumsum([task.scored.size * task.n_instances for task in scores.tasks])
    return [part.reshape(len(scores.systems), -1) for part in np.split(values, ends[:-1])]


def without_smallest(scores: Scores, keys: NDArray[np.float64], share: float) -> Scores:
    """Make the scores of the smallest keys missing, exactly round(share × number of scores there are).

    Parameters
    ----------
    scores
        The table.
    keys
        Shape `(n_cells,)`, as for `of_tasks`; those of missing scores are written over.
    share
        Of the scores there are, from 0 to 1.
    """
    there = scores.n_scored
    number = round(share * there)
    if not number:
        return scores
    if there < scores.n_cells:
        for task, key in zip(scores.tasks, of_tasks(scores, keys), strict=True):
            for where, some in stretches_of(task):
                key[:, where][np.isnan(some)] = np.inf
    return blanked(scores, of_tasks(scores, smallest(keys, number)))


def blanked(scores: Scores, lost: Sequence[NDArray[np.bool_]]) -> Scores:
    """Make scores missing; `lost` holds a mask of a shape that broadcasts to `(N, K)` for each task."""
    return replace(scores, tasks=tuple(map(_blanked, scores.tasks, lost)))


def _blanked(task: Task, lost: NDArray[np.bool_]) -> Task:
    if not lost.any():
        return task
    starts = range(0, task.n_instances, PART)
    masks = [lost if lost.shape[-1] == 1 else lost[..., start : start + PART] for start in starts]
    return task.with_parts([_without(part, mask) for mask, part in zip(masks, task.parts, strict=True)])


def _without(part: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[Any]:
    """Some scores of a part made missing."""
    left = part.copy()
    np.copyto(left, np.nan, where=mask)
    return left


def _drawn(scores: Scores, draw: Callable[[int], NDArray[np.float64]]) -> NDArray[np.float64]:
    """Shape `(n_cells,)`: a number for each score, some drawn at a time."""
    keys = np.empty(scores.n_cells)
    for start in range(0, keys.size, _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        some[:] = draw(some.size)
    return keys


@dataclass(frozen=True, slots=True)
class _Share:
    """A stress whose strength is a share, from 0 to 1."""

    _what: ClassVar[str] = "scores to remove"

    share: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", checked_number(f"the share of {self._what}", self.share, most=1))


@dataclass(frozen=True, slots=True)
class RemoveHard(_Share):
    """Remove scores at random, those on hard instances more often, as when systems fail to answer.

    Exactly round(share × number of scores there are), drawn one by one without replacement, each with odds
    exp(steepness × difficulty of its instance), see `difficulty`. What is removed at a share is removed at every
    larger share too, for generators in the same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.
    steepness
        A score on the hardest possible instance is exp(steepness) times as likely to go next as one on the easiest;
        0 removes completely at random. The default 4 is 55 times.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1, or the steepness is no number from 0 up.

    References
    ----------
    Efraimidis & Spirakis 2006 (weighted sampling without replacement by one random key for each score, here on the
    scale of logarithms).

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 0.0] * 50, [1.0, 0.0] * 50]}, systems=["A", "B"])
    >>> stressed = podium.stresses.RemoveHard(0.25, steepness=8.0)(scores, np.random.default_rng(0))
    >>> np.isnan(stressed.tasks[0].values).sum(axis=0).reshape(50, 2).sum(axis=0)
    array([ 0, 50])
    """

    steepness: float = 4.0

    def __post_init__(self) -> None:
        super(RemoveHard, self).__post_init__()  # slots make another class, which a bare super() does not know
        object.__setattr__(self, "steepness", checked_number("the steepness", self.steepness))

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove scores drawn by the generator."""
        keys = _drawn(scores, lambda number: -rng.gumbel(size=number))
        for task, key in zip(scores.tasks, of_tasks(scores, keys), strict=True):
            key[:] -= self.steepness * difficulty(task)
        return without_smallest(scores, keys, self.share)


def difficulty(task: Task) -> NDArray[np.float64]:
    """Shape `(K,)`: how hard each instance of a task is for its systems, from 0, easy, to 1.

    1 less the mean over systems of the scores, brought to [0, 1] by the smallest and the largest of the task and turned
    so that higher is better. Missing scores are left out. Where no system has a score, and where all scores of the task
    are equal, ½.

    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1.0, 3.0, 5.0], [2.0, 3.0, 4.0]]}, systems=["A", "B"])
    >>> difficulty(scores.tasks[0])
    array([0.875, 0.5  , 0.125])
    """
    low = min(float(np.fmin.reduce(part, axis=None, initial=np.inf)) for part in task.parts)
    high = max(float(np.fmax.reduce(part, axis=None, initial=-np.inf)) for part in task.parts)
    if not low < high:
        return np.full(task.n_instances, 0.5)

    def mean_of(scores: NDArray[Any]) -> NDArray[np.float64]:
        values = scores.astype(np.float64)
        there = ~np.isnan(values)
        # halves, because the difference of the largest numbers is infinite
        share = (values / 2 - low / 2) / (high / 2 - low / 2)
        with np.errstate(invalid="ignore"):
            mean: NDArray[np.float64] = share.sum(axis=0, where=there) / there.sum(axis=0)
        return mean

    mean = over_instances(task, mean_of)
    mean = np.where(np.isnan(mean), 0.5, mean)
    return 1.0 - mean if task.higher_is_better else mean


@dataclass(frozen=True, slots=True)
class RemoveScores(_Share):
    """Remove scores completely at random, exactly round(share × number of scores there are) of the whole table.

    Whatever is removed at a share is removed at every larger share too, for generators in the same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    References
    ----------
    Himmi et al. 2023, §4.2, on task-level scores.

    Examples
    --------
    >>> import podium
    >>> podium.stresses.RemoveScores(0.25)(podium.datasets.toy_table1(), np.random.default_rng(0))
    Scores(3 systems × 6 tasks, 4 of 18 scores missing)
    """

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove scores drawn by the generator."""
        return without_smallest(scores, _drawn(scores, rng.random), self.share)

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many scores."""

        def without(chosen: tuple[int, ...]) -> Scores:
            there = np.flatnonzero(np.concatenate([~np.isnan(task.values).ravel() for task in scores.tasks]))
            return blanked(scores, of_tasks(scores, _marked(scores.n_cells, there, chosen)))

        return Cases(scores.n_scored, round(self.share * scores.n_scored), without)


@dataclass(frozen=True, slots=True)
class RemoveCells(_Share):
    """Remove whole (system, task) results, all scores of one system on one task, completely at random.

    Exactly round(share × number of results with a score) of them, each as likely as any other, as when systems were not
    evaluated on some tasks. Whatever is removed at a share is removed at every larger share too, for generators in the
    same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    References
    ----------
    Himmi et al. 2023, §4.3.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> [task.scored for task in podium.stresses.RemoveCells(0.25)(scores, np.random.default_rng(0)).tasks]
    [array([10, 10,  0,  0]), array([10, 10, 10, 10])]
    """

    _what: ClassVar[str] = "cells to remove"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove results drawn by the generator."""
        keys = rng.random((len(scores.tasks), len(scores.systems)))
        empty = np.array([task.scored == 0 for task in scores.tasks])
        number = round(self.share * np.count_nonzero(~empty))
        if not number:
            return scores
        return _without_cells(scores, smallest(np.where(empty, np.inf, keys).ravel(), number))

    def cases(self, scores: Scores) -> Cases:
        """List all sets of so many results."""
        there = np.flatnonzero(np.array([task.scored > 0 for task in scores.tasks]))
        size = len(scores.tasks) * len(scores.systems)
        number = round(self.share * there.size)
        return Cases(there.size, number, lambda chosen: _without_cells(scores, _marked(size, there, chosen)))


def _without_cells(scores: Scores, lost: NDArray[np.bool_]) -> Scores:
    """Make results missing, by a mask of every system on the first task, then on the second, and so on."""
    return blanked(scores, [mask[:, None] for mask in lost.reshape(len(scores.tasks), -1)])


def _marked(size: int, there: NDArray[np.intp], chosen: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return a mask of the chosen among those that are there."""
    mask = np.zeros(size, dtype=np.bool_)
    mask[there[list(chosen)]] = True
    return mask


@dataclass(frozen=True, slots=True)
class RemoveInstances(_Share):
    """Remove the scores of all systems on instances drawn at random, which stay in the table as empty ballots.

    Exactly round(share × number of instances of the table) of them. Tasks with the same sequence of instance labels
    share their instances: such an instance counts once, and is lost on all of these tasks. That is also so where the
    labels merely number the instances. Tasks without labels, or with only some labels in common, share none.
    What is removed at a share is removed at every larger share too, for generators in the same state.

    Attributes
    ----------
    share
        0 changes nothing, 1 leaves no score.

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> podium.stresses.RemoveInstances(0.25)(scores, np.random.default_rng(0))
    Scores(4 systems × 2 tasks, 20 instances, 20 of 80 scores missing)
    """

    _what: ClassVar[str] = "instances to remove"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Remove instances drawn by the generator."""
        sets = InstanceSets.among(scores.tasks)
        keys = np.concatenate(sets.keys(rng))
        number = round(self.share * keys.size)
        if not number:
            return scores
        lost = sets.split(smallest(keys, number))
        return blanked(scores, [lost[one] for one in sets.of])


@dataclass(frozen=True, slots=True)
class Subsample(_Share):
    """Cut every task down to a part of its instances, as if its test set had been smaller.

    Exactly round(share × K) of the K instances of a task are left out, drawn at random; but one of positive weight
    always stays. Tasks whose sequences of instance labels are identical, also where these merely number the instances,
    keep the same instances; no others do. What is left out at a share is left out at every larger share too, for
    generators in the same state.

    Attributes
    ----------
    share
        Of the instances, left out: 0 changes nothing, 1 leaves one instance of each task (of tasks that share
        instances, one each that weighs something).

    Raises
    ------
    MethodError
        The share does not lie between 0 and 1.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 2, 10, dispersion=1.0, rng=0).scores
    >>> podium.stresses.Subsample(0.75)(scores, np.random.default_rng(0))
    Scores(4 systems × 2 tasks, 4 instances, 0 of 16 scores missing)
    """

    _what: ClassVar[str] = "instances to leave out"

    def __call__(self, scores: Scores, rng: np.random.Generator) -> Scores:
        """Leave out instances drawn by the generator."""
        sets = InstanceSets.among(scores.tasks)
        keys = sets.keys(rng)
        last = _last_to_go(scores.tasks, sets, keys)
        stay = [
            ~smallest(key, min(round(self.share * key.size), key.size - len(always)))
            for key, always in zip(keys, last, strict=True)
        ]
        return replace(
            scores, tasks=tuple(_cut_down(task, stay[one]) for task, one in zip(scores.tasks, sets.of, strict=True))
        )


def _last_to_go(tasks: Sequence[Task], sets: InstanceSets, keys: Sequence[NDArray[np.float64]]) -> list[set[int]]:
    """For each set, the instances that stay so that every task keeps some weight; their keys become the largest."""
    staying: list[set[int]] = [set() for _ in keys]
    for task, one in zip(tasks, sets.of, strict=True):
        weights = task.instance_weights
        staying[one].add(int(np.argmax(keys[one] if weights is None else np.where(weights > 0, keys[one], -1.0))))
    for key, last in zip(keys, staying, strict=True):
        key[list(last)] += 1.0
    return staying


def _cut_down(task: Task, stay: NDArray[np.bool_]) -> Task:
    """Return the task with some of its instances."""
    if stay.all():
        return task
    return task.with_parts(
        of_instances(task, stay),
        instances=None if task.instances is None else task.instances[stay],
        instance_weights=None if task.instance_weights is None else task.instance_weights[stay],
        clusters=None if task.clusters is None else task.clusters.take(stay),
        repeats=None if task.repeats is None else task.repeats.of_instances(stay),
        covariates={name: values.compress(stay, axis=1) for name, values in task.covariates.items()},
    )


#: Scores below which shares are rounded to whole scores.
_FEW = 200

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)

#: Shares of instances to leave out: there are often many more instances than needed.
_LARGE_SHARES = (0.0, 0.2, 0.5, 0.8, 0.9, 0.95)


#: What a table needs for each of the usual stresses, in their order.
NEEDS = {
    "corrupt": "two tasks",
    "scale": "two tasks",
    "missing": "two tasks or instances",
    "cells": "two tasks and instances",
    "instances": "instances",
    "hard": "instances",
    "tasks": "two tasks",
    "systems": "four systems",
    "clone": "nothing",
}

#: Those whose scores may leave the range of a metric, so that methods of shares of 0 to 1 cannot take them.
OFF_RANGE = ("corrupt", "scale")

#: Those that leave battles of two systems what they are.
OF_BATTLES = ("instances", "tasks", "systems")


def usual(scores: Scores) -> tuple[Sweep, ...]:
    """Return the sweeps that fit a table, each from strength 0, which changes nothing.

    See `NEEDS`; without instances a cell is a score, so "cells" would be "missing". Of battles see `OF_BATTLES`.

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
    n_tasks, n_systems = len(scores.tasks), len(scores.systems)
    n_families = len(set(family_names(scores.tasks)))
    several, instances = n_tasks > 1, not scores.task_level
    cells = sum(int((task.scored > 0).sum()) for task in scores.tasks)
    hard = "share of scores removed, more often on hard instances"
    sweeps = (
        (several, Sweep("corrupt", Corrupt, _counts(min(n_tasks - 1, 10)), "tasks that rank the systems in reverse")),
        (several, Sweep("scale", Rescale, (0, 1, 9, 99, 999), "one task's scores enlarged (9: ten times)")),
        (several or instances, Sweep("missing", RemoveScores, _shares(scores.n_scored), "share of scores removed")),
        (
            several and instances,
            Sweep("cells", RemoveCells, _shares(cells), "share of systems' tasks removed, each as a whole"),
        ),
        (instances, Sweep("instances", Subsample, _LARGE_SHARES, "share of instances left out")),
        (instances, Sweep("hard", RemoveHard, _shares(scores.n_scored), hard)),
        (n_families > 1, Sweep("tasks", DropTasks, _counts(n_families - 1), "tasks left out")),
        (n_systems > 3, Sweep("systems", DropSystems, _counts(n_systems // 2), "systems left out")),
        (True, Sweep("clone", CloneSystem, (0, 1, 2, 5), "copies of one system added")),
    )
    battles = of_battles(scores)
    return tuple(sweep for fits, sweep in sweeps if fits and (not battles or sweep.name in OF_BATTLES))


def _shares(number: int) -> tuple[float, ...]:
    """Return shares to remove; where there are few scores, only shares of whole scores, with three decimals."""
    if number >= _FEW:
        return _SHARES
    return tuple(sorted({round(round(share * number) / number, 3) for share in _SHARES})) if number else (0.0,)


def _counts(most: int) -> tuple[float, ...]:
    """Return about six whole numbers from 0 to the most, evenly spaced."""
    return tuple(sorted(set(np.linspace(0, most, min(most, 5) + 1).round().astype(int).tolist())))


#: What a strength means, after "if", of the usual stresses.
_PHRASES: dict[str, Callable[[float], str]] = {
    "corrupt": lambda s: "1 task's order is reversed" if s == 1 else f"the orders of {s:.0f} tasks are reversed",
    "scale": lambda s: f"one task's scores are {1 + s:g} times as large",
    "missing": lambda s: f"{rounded_percent(s)} of the scores are missing",
    "cells": lambda s: f"{rounded_percent(s)} of the (system, task) results are missing",
    "instances": lambda s: f"{rounded_percent(s)} of the instances are left out",
    "hard": lambda s: f"{rounded_percent(s)} of the scores are missing, more of them on hard instances",
    "tasks": lambda s: f"{how_many(int(s), 'task')} {are(s)} left out",
    "systems": lambda s: f"{how_many(int(s), 'system')} {are(s)} left out (for a lost leader, the next system counts)",
    "clone": lambda s: f"one system is entered {int(s) + 1} times",
}


def phrase(name: str, strength: float) -> str:
    """Say what a strength of a stress means, after "if".

    >>> phrase("tasks", 2.0), phrase("mine", 0.5)
    ('2 tasks are left out', 'mine is at 0.5')
    """
    return _PHRASES[name](strength) if name in _PHRASES else f"{name} is at {strength:g}"
