"""Items crossed with prompts: how the mean score of a system varies over other items, and over other prompts.

The score of a system on item k by prompt p is a mean, what the item adds, what the prompt adds, and the rest. If both
are drawn, means vary by all three. To take prompts for repeats is to leave out what a prompt adds to all items; to draw
them one level after the other, as tasks and their instances, counts the rest three times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen, plain_list
from podium.base.errors import InputError
from podium.base.words import Doubt, beginning, how_many, with_names
from podium.score.repeat import Repeats
from podium.score.table import Scores
from podium.score.task import Task, masses_of, with_instances
from podium.score.units import units_among

#: Fewer prompts than this say nothing of others.
LEAST_PROMPTS = 5

#: What to type for an answer that holds for these prompts only.
THESE_ALONE = "use repeat_column= (--repeat-column) instead of prompt_column= (--prompt-column)"

#: Parts of the items, of which each in turn scores the prompt that the others choose.
_FOLDS = 10

#: A variance below this share of the sum of those of two systems is rounding; and degrees of freedom of none.
_ROUNDING, _MOST = 1e-14, 1e9

_ITEMS = "leave it out (--tasks), or name the column of items with instance_column= (--instance-column)"


def complete(scores: Scores) -> tuple[Scores, list[str]]:
    """Return the table with what all systems have: prompts, and of these items; and say what is left out.

    A system without any score on a task is not asked for more there. Prompts are compared only on the same items, and
    systems only by the same prompts: otherwise how hard these are would count.

    Raises
    ------
    InputError
        There is one prompt, systems share fewer than two prompts, or no item has all scores.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import podium
    >>> rows = [("A", 1, "x", 1.0), ("A", 1, "y", 0.0), ("B", 1, "x", 0.5), ("B", 1, "y", 1.0), ("A", 1, "z", 1.0)]
    >>> table = pa.table(dict(zip(["system", "item", "wording", "score"], map(list, zip(*rows)))))
    >>> made, notes = complete(podium.from_frame(table, instance_column="item", prompt_column="wording"))
    >>> made.prompts, notes
    (('x', 'y'), ['left out, since not all systems have them: prompts z'])
    """
    if len(scores.prompts) < 2:
        only = f"all scores are by one prompt, {beginning(scores.prompts[0], 40)!r}, which says nothing of others"
        raise InputError(f"{only}; add scores by other prompts, or leave prompt_column= (--prompt-column) out")
    tasks, lost, incomplete, notes = [], dict[str, None](), 0, list[str]()
    for task in scores.tasks:
        repeats = task.repeats
        if repeats is None or not task.scored.any():
            tasks.append(task)
            continue
        there = ~np.isnan(repeats.values[task.scored > 0])
        shared = there.any(axis=1).all(axis=0)
        if np.count_nonzero(shared) < 2:
            fewest = np.flatnonzero(task.scored > 0)[there.any(axis=1).sum(axis=1).argmin()]
            raise InputError(
                f"task {task.name!r}: all systems share {how_many(int(shared.sum()), 'prompt')}, and two are needed; "
                f"leave out systems that lack prompts, such as {scores.systems[fewest]!r} (--systems), or the task"
            )
        items = there[..., shared].all(axis=(0, 2))
        if not items.any():
            raise InputError(f"task {task.name!r}: no item has a score of every system by every prompt; add these")
        lost |= dict.fromkeys(name for name, kept in zip(repeats.labels, shared, strict=True) if not kept)
        incomplete += int(np.count_nonzero(there.any(axis=(0, 2)) & ~items))
        names = tuple(name for name, kept in zip(repeats.labels, shared, strict=True) if kept)
        values = repeats.values[:, items][..., shared]
        made = with_instances(task, items).with_values(
            repeats.statistic.of(values), repeats=Repeats(values, repeats.statistic, names)
        )
        tasks.append(made)
    if lost:
        named = [beginning(name, 40) for name in lost]
        notes.append(Doubt(with_names("left out, since not all systems have them: prompts ", named)))
    if incomplete:
        notes.append(Doubt(f"{how_many(incomplete, 'item')} left out: not every system has a score by every prompt"))
    return replace(scores, tasks=tuple(tasks)), notes


def shared(scores: Scores) -> tuple[Scores, list[str]]:
    """Return what all systems have, see `complete`, without prompts if they are too few to show others; and notes."""
    whole, notes = complete(scores)
    few = len(whole.prompts) < LEAST_PROMPTS
    return (without_prompts(whole), [of_these_alone(len(whole.prompts)), *notes]) if few else (whole, notes)


def of_these_alone(number: int) -> Doubt:
    """Say that so few prompts say nothing of others."""
    few = f"{number} prompts are too few to say what others would show ({LEAST_PROMPTS} are needed)"
    return Doubt(f"{few}; intervals are for these prompts only")


def without_prompts(scores: Scores) -> Scores:
    """Return means over prompts, as scores of instances."""
    return replace(scores, tasks=tuple(replace(task, repeats=None) for task in scores.tasks))


@dataclass(frozen=True, slots=True, eq=False)
class ByPrompt(Frozen):
    """Scores of N systems by each of P prompts, which all tasks have.

    Attributes
    ----------
    names
        The P labels.
    scores
        Shape `(N, P)`: mean over tasks.
    best, worst
        Shape `(N,)`: the prompt of the highest, and of the lowest, score, by place.
    best_score, worst_score
        Shape `(N,)`: what such a prompt scores on other items, without the luck of having been chosen: the prompt is
        chosen on nine tenths of the items and scored on the others, ten times. NaN of fewer than ten items.
    """

    names: tuple[str, ...]
    scores: Floats
    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    best_score: Floats
    worst_score: Floats

    @property
    def columns(self) -> dict[str, list[Any]]:
        """Return columns of rows: the lowest and highest score by a prompt, and the best and the worst prompt."""
        ends = {"prompt_low": self.scores.min(axis=1), "prompt_high": self.scores.max(axis=1)}
        columns: dict[str, list[Any]] = {name: plain_list(one) for name, one in ends.items()}
        for which in ("best", "worst"):
            columns[f"{which}_prompt"] = [self.names[place] for place in getattr(self, which).tolist()]
            columns[f"{which}_prompt_on_other_items"] = plain_list(getattr(self, f"{which}_score"))
        return columns

    def of(self, rows: Sequence[int], *, higher: bool = True) -> "ByPrompt":
        """Return those of some systems, in this order; with the other sign if lower is better."""
        named = {name: getattr(self, name)[list(rows)] for name in self.__match_args__[1:]}
        sign = {name: one if higher or name in {"best", "worst"} else -one for name, one in named.items()}
        return ByPrompt(self.names, **sign)


@dataclass(frozen=True, slots=True, eq=False)
class Crossed(Frozen):
    """How means of N systems vary over other items and other prompts.

    Shapes are `(N, N)`: of differences of two systems; of each system on the diagonal.

    Attributes
    ----------
    variance, df
        Squared standard errors, and their degrees of freedom.
    items, prompts, cells
        The variance over items alone, over prompts alone, and over cells of both, of which the variance is made.
    moves
        Shape `(U, N)`: by how much each item, and each prompt, moves the mean.
    by_prompt
        Scores by each prompt; None if tasks have other prompts.
    """

    variance: Floats
    df: Floats
    items: Floats
    prompts: Floats
    cells: Floats
    moves: Floats
    by_prompt: ByPrompt | None


def crossed(scores: Scores) -> Crossed:
    """Estimate how means over tasks vary if items and prompts are drawn.

    With x_kp the score on item k, of weight w_k (Σ w = 1), by prompt p of P, x̄_k and x̄_p means over prompts and
    items, an item moves the mean by a_k = w_k (x̄_k − x̄), a prompt by b_p = (x̄_p − x̄) / P, and the rest of a cell by
    c_kp = w_k (x_kp − x̄_k − x̄_p + x̄) / P. With n = 1 / Σ w² items,

        V = n/(n − 1) Σ a² + P/(P − 1) Σ b² − n/(n − 1) P/(P − 1) Σ c²,

    which is unbiased: σ²_item / n + σ²_prompt / P + σ²_rest / nP, at least as large as the first sum and the second.
    Moves of tasks, which weigh as in a ranking, add up over clusters, and over items and prompts with the same label:
    a prompt of several tasks is one draw. Degrees of freedom are V² / Σ (sum² / ν), with ν of n − 1, P − 1 and their
    product (Satterthwaite 1946); those of a difference at most the ones of sums over all pairs, since a pair whose
    prompts are alike by chance has too small a variance and too many degrees of freedom at once.

    Parameters
    ----------
    scores
        Complete, see `complete`.

    Raises
    ------
    InputError
        A task of weight has one item.

    References
    ----------
    Cornfield & Tukey, Annals of Mathematical Statistics 27, 1956; Clark, Journal of Verbal Learning and Verbal Behavior
    12, 1973; Owen, Annals of Applied Statistics 1, 2007, on the bootstrap of crossed factors.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import podium
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(2, 50, 1)) + rng.normal(size=(2, 1, 8)) + rng.normal(size=(2, 50, 8))
    >>> system, item, prompt = (one.ravel() for one in np.indices(values.shape))
    >>> columns = {"system": system.astype(str), "item": item, "prompt": prompt, "score": values.ravel()}
    >>> scores = podium.from_frame(pa.table(columns), prompt_column="prompt")
    >>> found = crossed(scores)
    >>> found.variance.round(2)  # 1/50 + 1/8 + 1/400 = 0.15 of each
    array([[0.13, 0.32],
           [0.32, 0.12]])
    """
    tasks = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    share = np.array([task.weight * (task.scored > 0) for task in tasks])
    share = np.divide(share, share.sum(axis=0), out=np.zeros_like(share), where=share.sum(axis=0) > 0)
    parts = [_Part.of(task, own) for task, own in zip(tasks, share, strict=True)]
    n_systems = len(scores.systems)
    of_prompts = _linked([part.labels for part in parts])
    sums: dict[tuple[int, int], tuple[Floats, float]] = {}  # by group of units, and of prompts; -1 for neither

    def add(key: tuple[int, int], size: tuple[int, ...], at: Any, moved: Floats, df: float) -> None:
        total, least = sums.get(key, (np.zeros((*size, n_systems)), np.inf))
        np.add.at(total, at, moved)
        sums[key] = total, min(least, df)

    for number, group in enumerate(units_among(tasks)):
        for index, unit in zip(group.tasks, group.of, strict=True):
            part, (place, n_prompts, prompt) = parts[index], of_prompts[index]
            effective = 1 / float((np.bincount(unit, weights=part.mass) ** 2).sum())
            if effective < 1 + 1e-9:
                raise InputError(f"task {tasks[index].name!r} has one item, which cannot show how items vary; {_ITEMS}")
            n, p = effective - 1, len(part.labels) - 1
            wide, high = np.sqrt(1 + 1 / n), np.sqrt(1 + 1 / p)
            add((number, -1), (group.number,), unit, wide * part.items, n)
            add((-1, place), (n_prompts,), prompt, high * part.prompts, p)
            at = unit[:, None], prompt
            add((number, place), (group.number, n_prompts), at, wide * high * part.cells, n * p)
    squares = {key: _squares(moved.reshape(-1, n_systems)) for key, (moved, _) in sums.items()}
    nothing = np.zeros((n_systems, n_systems))
    items = sum((own for (_, prompt), own in squares.items() if prompt < 0), nothing)
    over_prompts = sum((own for (unit, _), own in squares.items() if unit < 0), nothing)
    cells = sum((own for key, own in squares.items() if min(key) >= 0), nothing)
    variance = np.maximum(items + over_prompts - cells, np.maximum(items, over_prompts))
    unsure = sum((own**2 / sums[key][1] for key, own in squares.items()), nothing)
    df = np.divide(variance**2, unsure, out=np.full_like(variance, _MOST), where=unsure > 0)
    df = np.minimum(df, np.where(np.eye(n_systems, dtype=np.bool_), _MOST, _pooled(squares, sums)))
    moves = np.concatenate([moved for key, (moved, _) in sums.items() if min(key) < 0])
    return Crossed(variance, df, items, over_prompts, cells, moves, _by_prompt(tasks, parts, share))


def crossed_difference(scores: Scores) -> Crossed:
    """Estimate how the mean difference of two systems varies, as if it were the mean of one; see `crossed`.

    Positive differences say that the second system is better. The table is complete, see `complete`.
    """
    made = []
    for task in scores.tasks:
        repeats = task.repeats
        if repeats is not None and task.scored.all():
            apart = np.diff(repeats.values, axis=0) * (1 if task.higher_is_better else -1)
            own = Repeats(apart, repeats.statistic, repeats.labels)
            made.append(task.with_values(own.statistic.of(apart), higher_is_better=True, repeats=own))
    return crossed(replace(scores, systems=("difference",), tasks=tuple(made)))


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A task: labels of its P prompts; scores `(N, K, P)`; weights `(K,)`; and by how much a mean over tasks is moved.

    By items `(K, N)`, prompts `(P, N)`, and cells `(K, P, N)`.
    """

    labels: tuple[str, ...]
    values: Floats
    mass: Floats
    items: Floats
    prompts: Floats
    cells: Floats

    @classmethod
    def of(cls, task: Task, share: Floats) -> Self:
        """Split scores that count by a share `(N,)`, turned so that higher is better."""
        if task.repeats is None or not task.repeats.labels:
            raise InputError(f"task {task.name!r} has no prompts; leave it out (--tasks)")
        values = np.nan_to_num(task.repeats.values.astype(np.float64)) * (1 if task.higher_is_better else -1)
        mass, n_prompts = masses_of(task) / masses_of(task).sum(), values.shape[2]
        item, prompt = values.mean(axis=2), np.einsum("k,skp->sp", mass, values)
        mean = item @ mass
        of_items = (item - mean[:, None]) * mass * share[:, None]
        of_prompts = (prompt - mean[:, None]) / n_prompts * share[:, None]
        cells = values - item[..., None] - prompt[:, None] + mean[:, None, None]
        cells *= (mass[:, None] / n_prompts) * share[:, None, None]
        return cls(task.repeats.labels, values, mass, of_items.T, of_prompts.T, cells.transpose(1, 2, 0))


def _pooled(squares: Mapping[tuple[int, int], Floats], sums: Mapping[tuple[int, int], tuple[Floats, float]]) -> float:
    """Return degrees of freedom of a difference whose parts are the mean ones."""
    parts = [(np.triu(own, 1).sum(), sums[key][1]) for key, own in squares.items() if min(key) < 0]
    unsure = sum(part**2 / df for part, df in parts)
    return float(sum(part for part, _ in parts) ** 2 / unsure) if unsure > 0 else _MOST


def _linked(labels: Sequence[Sequence[str]]) -> list[tuple[int, int, NDArray[np.int64]]]:
    """Return for each task its group of tasks that share prompts, how many these have, and numbers of its prompts."""
    groups: list[set[str]] = []
    for own in map(set, labels):
        groups = [*(one for one in groups if not one & own), own.union(*(one for one in groups if one & own))]
    numbers = {label: (place, number) for place, one in enumerate(groups) for number, label in enumerate(sorted(one))}
    found = [[numbers[label] for label in own] for own in labels]
    return [(own[0][0], len(groups[own[0][0]]), np.array([number for _, number in own])) for own in found]


def _squares(moved: Floats) -> Floats:
    """Shape `(N, N)`: Σ_u (m_ui − m_uj)² of moves `(U, N)`; Σ_u m_ui² on the diagonal."""
    products = moved.T @ moved
    own = np.diag(products).copy()
    both = own[:, None] + own
    found: Floats = np.where((apart := both - 2 * products) > _ROUNDING * both, apart, 0.0)
    np.fill_diagonal(found, own)
    return found


def _by_prompt(tasks: Sequence[Task], parts: Sequence[_Part], share: Floats) -> ByPrompt | None:
    """Return scores by the prompts that all tasks have, with the best and the worst of each system; None of fewer."""
    names = tuple(label for label in parts[0].labels if all(label in part.labels for part in parts))
    if len(names) < 2 or any(len(names) < len(part.labels) for part in parts):
        return None
    sums = np.zeros((2, _FOLDS, share.shape[1], len(names)))  # on the items of each fold, and on the others
    scores = np.zeros(sums.shape[2:])
    folded = True
    for group in units_among(tasks):
        for index, unit in zip(group.tasks, group.of, strict=True):
            part, own = parts[index], share[index][:, None]
            whole = np.einsum("k,skp->sp", part.mass, part.values)
            scores += own * whole
            units, number = np.unique(unit, return_inverse=True)
            folded &= units.size >= _FOLDS
            for fold in range(_FOLDS if folded else 0):
                some = number % _FOLDS == fold
                mass = part.mass[some].sum()
                inside = np.einsum("k,skp->sp", part.mass[some], part.values[:, some])
                sums[0, fold] += own * inside / mass
                sums[1, fold] += own * (whole - inside) / (1 - mass)
    ends = []
    for choose in (np.argmax, np.argmin):
        chosen = choose(sums[1], axis=2)[..., None]
        honest = np.take_along_axis(sums[0], chosen, axis=2)[..., 0].mean(axis=0)
        ends.append(honest if folded else np.full_like(honest, np.nan))
    return ByPrompt(names, scores, scores.argmax(axis=1), scores.argmin(axis=1), *ends)
