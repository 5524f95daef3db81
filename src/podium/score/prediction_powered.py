"""Prediction-powered inference: a judge scores all instances and people label some; estimate what people would say.

A judge is biased, and labels are few. With λ between 0 and 1, the mean of the labels H of a system is

    θ = mean over labelled of (H − λ J) + mean over the others of λ J,

which is unbiased for any λ if the labelled instances were drawn at random, whatever the judge's scores J are. λ is
tuned (PPI++): 0 of a judge that is of no use, which leaves labels alone, and near 1 of a good one. θ is a mean over
instances, to first order, of pseudo-values y. So a table of y goes through everything that takes means of scores.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats
from podium.base.errors import InputError
from podium.base.statistics import normal_quantile
from podium.base.words import Aside, Doubt, Misleading, how_many, significant, two_digits, with_names
from podium.score.table import Scores
from podium.score.task import Task, masses_of, unlike_scales
from podium.score.units import units_among

#: Fewer labels of a system than this say too little of how the judge errs: it has no interval, and λ is 0.
LEAST_LABELS = 10

#: What the scores are, as notes and sentences begin.
HUMAN = "human scores by prediction-powered inference"

#: Labels on which the judge counts as uninformed, beside those that there are, when its errors are measured. Of a judge
#: that was right on all of 20 labels, they keep the standard error from being that of a judge who cannot err.
_UNSEEN = 2

#: Labels of a system that are all alike move its mean by so much, squared, in ranges of labels by their number.
_RARE = 3.0

#: A score is large if so many are smaller; a single one may be far out.
_LARGE = 0.9

#: Scores that may be below 0 are on one scale if large ones differ by less than so many times.
_NEAR = 10.0

#: A variance below this share of that of the judge's scores is rounding.
_ROUNDING = 1e-20

#: Chance with which it is said that labelled instances differ from the others though they were drawn at random.
_DIFFERS = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class PoweredScores:
    """Estimates of the means of N systems by people on T tasks.

    Attributes
    ----------
    table
        The pseudo-values: the mean over the instances of a task is θ, and their spread that of its error.
    tuning
        Shape `(T, N)`: λ.
    n_labels
        Shape `(N,)`: labels that count, over all tasks of weight.
    moments
        Shape `(T, 4, N)`: variances over instances of the labels, of the judge's scores of these, and of all its
        scores; and the covariance of labels and scores.
    variance
        Shape `(T, N)`: squared standard error of θ.
    gain
        Shape `(N,)`: variance of the mean of the labels alone by that of θ, for a mean over tasks; at least 1.
    notes
        What labels bought, and what to know before trusting it.
    """

    table: Scores
    tuning: Floats
    n_labels: NDArray[np.int64]
    moments: Floats
    variance: Floats
    gain: Floats
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Estimate:
    """The estimate on one task, see `PoweredScores`: y `(N, K)`, λ, labels, and variances of θ and of labels alone.

    And by how many standard errors the judge's scores of what is labelled are above those of the rest; and moments.
    """

    values: Floats
    tuning: Floats
    n_labels: NDArray[np.int64]
    variance: Floats
    alone: Floats
    chosen: Floats
    moments: Floats


def powered(scores: Scores, *, paired: bool = False) -> PoweredScores:
    """Estimate the human scores of a table, by prediction-powered inference.

    Of n labels on K instances that the judge scored, θ = H̄ − λ (J̄ − J̄′), with J̄ the mean of the judge over labelled
    instances and J̄′ over the others. With moves a_u = (H − H̄) / n and b_u = (J − J̄) / n of a labelled instance, and 0
    and −(J − J̄′) / (K − n) of another, θ moves by a − λ b, and

        λ = Σ a_u b_u / (s² / n + s² / (K − n)), at least 0 and at most 1,

    s² being the variance of J over all K, with K − 1. The sums are over clusters, if there are any: λ is then times
    Σ_k b² / Σ_u b². Instance weights weigh. y = θ + K (a − λ b) has the mean θ and moves it by as much. On labelled
    instances a − λ b is widened, so that Σ (a − λ b)² becomes n / (n − 1) (Σ (a − λ b)² + 2 λ² Σ b² / n): unbiased
    for λ = 0, and as if the judge knew nothing of two labels more, since λ is tuned to these labels, and a good judge
    errs more seldom than few labels show. If all labels of a system are alike, they show no variance: it is 3 r² / n²
    then, r being the range of all labels of the task, by which Student's interval is about Clopper and Pearson's.

    Parameters
    ----------
    scores
        A table with labels, see `podium.read`. Missing scores of the judge are left out, and labels without one.
    paired
        Whether the two systems of the table are to be compared: then λ is that of differences, and instances count as
        labelled if both are.

    Raises
    ------
    InputError
        A system or a task has no label, labels are all alike, or on another scale than the judge's.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, Science 382, 2023; power tuning: Angelopoulos, Duchi & Zrnic 2023,
    §6 (PPI++).

    Examples
    --------
    >>> import pyarrow as pa
    >>> import podium
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random((2, 200)) < [[0.6], [0.8]]
    >>> judge = np.where(rng.random((2, 200)) < 0.9, truth, ~truth)
    >>> label = np.where(np.arange(200) < 40, truth, np.nan)
    >>> frame = {"system": np.repeat(["A", "B"], 200), "item": np.tile(np.arange(200), 2), "score": judge.ravel() * 1.0}
    >>> scores = podium.from_frame(pa.table(frame | {"human": label.ravel()}), human_column="human")
    >>> found = powered(scores)
    >>> found.n_labels, found.gain.round(1)
    (array([40, 40]), array([1.8, 2.1]))
    """
    _check(scores, paired=paired)
    units: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * len(scores.tasks)
    for group in units_among(scores.tasks):
        for index, of in zip(group.tasks, group.of, strict=True):
            units[index] = of
    tasks, found = [], []
    for task, unit in zip(scores.tasks, units, strict=True):
        judge, labels = _counting(task, scores.human, paired=paired)
        span = float(np.fmax.reduce(labels, axis=None) - np.fmin.reduce(labels, axis=None))
        if paired:  # the first system, and how much better the second is
            judge, labels = (np.stack([part[0], part[1] - part[0]]) for part in (judge, labels))
        one = _estimate(judge, labels, masses_of(task), unit, span)
        values = one.values.cumsum(axis=0) if paired else one.values
        found.append(one)
        tasks.append(task.with_values(values, covariates={scores.human: labels}))
    weights = scores.task_weights[:, None] * np.array([task.scored > 0 for task in tasks])
    n_labels = np.array([one.n_labels for one in found])
    alone = (weights**2 * np.array([one.alone for one in found])).sum(axis=0)
    variance = (weights**2 * np.array([one.variance for one in found])).sum(axis=0)
    gain = np.maximum(np.divide(alone, variance, out=np.ones_like(alone), where=variance > 0), 1.0)
    made = PoweredScores(
        table=replace(scores, tasks=tuple(tasks), tie_tolerance=0.0, metric="human score"),
        tuning=np.array([one.tuning for one in found]),
        n_labels=(n_labels * (weights > 0)).sum(axis=0),
        moments=np.array([one.moments for one in found]),
        variance=np.array([one.variance for one in found]),
        gain=gain,
        notes=(),
    )
    return replace(made, notes=tuple(_notes(made, n_labels, np.array([one.chosen for one in found]), paired=paired)))


def _counting(task: Task, human: str, *, paired: bool = False) -> tuple[Floats, Floats]:
    """Shape `(N, K)` each: the judge's scores, and labels of these, that count; of pairs, where both have one."""
    judge, labels = task.values.astype(np.float64), task.covariates[human]
    judged = ~np.isnan(judge) & (masses_of(task) > 0)
    judged = np.broadcast_to(judged.all(axis=0), judged.shape) if paired else judged
    labelled = judged & ~np.isnan(labels)
    labelled = np.broadcast_to(labelled.all(axis=0), labelled.shape) if paired else labelled
    return np.where(judged, judge, np.nan), np.where(labelled, labels, np.nan)


def _estimate(judge: Floats, labels: Floats, mass: Floats, unit: NDArray[np.int64], span: float) -> _Estimate:
    """Estimate means `(N,)` by the judge's scores and labels `(N, K)` of a range (`span`), see `powered`."""
    judged, labelled = ~np.isnan(judge), ~np.isnan(labels)
    rest = judged & ~labelled
    own, other, every = (_shares(mass, some) for some in (labelled, rest, judged))
    human, score = np.where(labelled, labels, 0.0), np.where(judged, judge, 0.0)
    moved, by_judge, by_rest = _departures(human, own), _departures(score, own), -_departures(score, other)
    number, of_all = labelled.sum(axis=1), judged.sum(axis=1)

    # the tuning
    variance = (_departures(score, every) * score).sum(axis=1) * of_all / np.maximum(of_all - 1, 1)
    pooled = variance * ((own**2).sum(axis=1) + (other**2).sum(axis=1))
    gained, judge_moves = _sums(moved, unit), by_judge + by_rest
    of_units = _sums(judge_moves, unit)
    along, squares, apart = ((part**2).sum(axis=1) for part in (of_units, of_units, judge_moves))
    products = (gained * of_units).sum(axis=1) * apart
    useful = (number >= LEAST_LABELS) & rest.any(axis=1) & (squares * pooled > 0)
    tuning = np.clip(np.divide(products, squares * pooled, out=np.zeros_like(products), where=useful), 0.0, 1.0)

    # the estimate, and its error on labelled instances, widened
    error = moved - tuning[:, None] * by_judge
    n_units = np.count_nonzero(_sums(labelled.astype(np.float64), unit), axis=1)
    enough = n_units / np.maximum(n_units - 1, 1)
    seen, uninformed = ((_sums(part, unit) ** 2).sum(axis=1) for part in (error, by_judge))
    wanted = enough * (seen + _UNSEEN * tuning**2 * uninformed / np.maximum(n_units, 1))
    exact = seen <= _ROUNDING * uninformed  # λ is 1, and the judge right on all that is labelled
    error, seen = np.where(exact[:, None], by_judge, error), np.where(exact, uninformed, seen)
    alike, lone = np.fmax.reduce(labels, axis=1) == np.fmin.reduce(labels, axis=1), np.zeros_like(own)
    for row in np.flatnonzero(alike).tolist():  # one that differs was not seen; at another place for each system
        places = np.flatnonzero(labelled[row])
        lone[row, places[row % places.size]] = 1.0
    error = np.where(alike[:, None], _departures(lone, own), error)
    seen = np.where(alike, (_sums(error, unit) ** 2).sum(axis=1), seen)
    wanted = np.where(alike, _RARE * span**2 / np.maximum(n_units, 1) ** 2, wanted)
    widening = np.sqrt(np.divide(wanted, seen, out=np.ones_like(seen), where=seen > 0))
    moves = widening[:, None] * error - tuning[:, None] * by_rest
    ahead = np.where(rest.any(axis=1), (score * (own - other)).sum(axis=1), 0.0)
    estimate = (human * own).sum(axis=1) - tuning * ahead
    per_instance = np.divide((mass * judged).sum(axis=1, keepdims=True), mass, out=np.zeros_like(moves), where=mass > 0)
    of_people, of_judge, together = (
        number * (one * other).sum(axis=1) for one, other in ((moved, moved), (by_judge, by_judge), (moved, by_judge))
    )
    of_people = np.where(alike, _RARE * span**2 * (number - 1) / np.maximum(number, 1) ** 2, of_people)
    return _Estimate(
        values=np.where(judged & (number > 0)[:, None], estimate[:, None] + per_instance * moves, np.nan),
        tuning=tuning,
        n_labels=number,
        variance=(_sums(moves, unit) ** 2).sum(axis=1),
        alone=np.where(alike, wanted, enough * (gained**2).sum(axis=1)),
        moments=np.stack([of_people, of_judge, variance, together]),
        chosen=np.divide(ahead, np.sqrt(along), out=np.zeros_like(ahead), where=useful),
    )


def _shares(mass: Floats, some: Bools) -> Floats:
    """Shape `(N, K)`: what each of some instances weighs of all of these."""
    weight = mass * some
    whole = weight.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0))


def _departures(values: Floats, share: Floats) -> Floats:
    """Shape `(N, K)`: by what each instance moves the mean of the values by these shares."""
    return np.asarray(share * (values - (share * values).sum(axis=1, keepdims=True)))


def _sums(values: Floats, unit: NDArray[np.int64]) -> Floats:
    """Shape `(N, U)`: sums over the instances of each unit."""
    if unit.size < 2 or (unit[1:] > unit[:-1]).all():
        return values
    return np.array([np.bincount(unit, weights=row) for row in values])


def expected_variance(moments: Floats, n_labels: Floats, n_items: Floats) -> Floats:
    """Return the variance of θ by n labels on K items, as λ is tuned for n, and errors of the judge are widened.

    1 / (n − 1) (s²_H − 2 λ c + λ² s²_J (1 + 2 / n)) + λ² s²_J / (K − n), see `powered`.

    Parameters
    ----------
    moments
        Shape `(4, …)`: s²_H, s²_J of labelled and of all items, and c, see `PoweredScores`.
    n_labels, n_items
        Shape `(…)`: n and K.

    Examples
    --------
    >>> labels, items = np.array([50.0, 100.0]), np.array([1000.0, 1000.0])
    >>> expected_variance(np.array([[0.25], [0.25], [0.25], [0.2]]), labels, items).round(5)
    array([0.00211, 0.0011 ])
    """
    human, labelled, judge, both = moments
    rest = np.maximum(n_items - n_labels, 0.0)
    share = np.divide(both * rest, judge * n_items, out=np.zeros(n_labels.shape), where=judge > 0)
    tuning = np.clip(share, 0.0, 1.0)
    of_labelled = human - 2 * tuning * both + tuning**2 * labelled * (1 + _UNSEEN / np.maximum(n_labels, 1.0))
    of_rest = np.divide(tuning**2 * judge, rest, out=np.zeros_like(tuning), where=rest > 0)
    return np.asarray(of_labelled / np.maximum(n_labels - 1, 1.0) + of_rest)


def degrees_of_freedom(table: Scores, least: int = LEAST_LABELS) -> Floats:
    """Shape `(N, N)`: of the standard error of each difference of a table of pseudo-values; of scores on the diagonal.

    Satterthwaite's, over tasks and, in each, what is labelled and the rest: few labels carry most of the variance. So n
    labelled units of a single task are n − 1 at least. Of tasks that share instances, they are those of the units that
    are labelled in any of them at most. 0 of a system with fewer labels than `least`.

    Parameters
    ----------
    table
        See `PoweredScores`.
    """
    n_systems = len(table.systems)
    total, squares = np.zeros((2, n_systems, n_systems))
    number, most = np.zeros(n_systems), np.zeros(n_systems)
    for group in units_among(table.tasks):
        there = np.zeros((n_systems, group.number), dtype=np.bool_)
        for index, unit in zip(group.tasks, group.of, strict=True):
            task = table.tasks[index]
            if not task.weight > 0:
                continue
            values, labelled = task.values, ~np.isnan(task.covariates[table.human])
            share = _shares(masses_of(task), ~np.isnan(values))
            moves = task.weight * _departures(np.nan_to_num(values), share)
            number += labelled.sum(axis=1)
            there |= _sums(labelled.astype(np.float64), unit) > 0
            for some in (labelled, (share > 0) & ~labelled):
                own = _sums(some * moves, unit)
                df = np.count_nonzero(_sums(some * share, unit), axis=1) - 1.0
                products = own @ own.T
                variance = np.add.outer(np.diag(products), np.diag(products)) - 2 * products
                np.fill_diagonal(variance, np.diag(products))
                variance = np.maximum(variance, 0.0)
                total += variance
                squares += np.divide(variance**2, np.minimum.outer(df, df).clip(1e-9))
        most += there.sum(axis=1)
    alike = np.minimum.outer(most, most) - 1
    found = np.minimum(np.divide(total**2, squares, out=alike.copy(), where=squares > 0), alike)
    few = number < least
    return np.asarray(np.where(few[:, None] | few, 0.0, found))


def ends(task: Task, human: str) -> tuple[float, float]:
    """Return the lowest and the highest label of a task, as given."""
    labels = task.covariates[human]
    return float(np.nanmin(labels)), float(np.nanmax(labels))


def _check(scores: Scores, *, paired: bool) -> None:
    """Refuse labels by which nothing can be estimated."""
    column, weighing = f"column {scores.human!r}", [task for task in scores.tasks if task.weight > 0]
    if scores.task_level:
        raise InputError(f"{column} holds labels of whole tasks; give scores and labels of their items")
    parts = [_counting(task, scores.human, paired=paired) for task in weighing]
    number = np.array([np.count_nonzero(~np.isnan(labels), axis=1) for _, labels in parts])
    labelled = [scores.systems[row] for row in np.flatnonzero(number.sum(axis=0)).tolist()]
    if len(labelled) < min(2, len(scores.systems)) and not paired:
        whose = f"labels of {labelled[0]!r} only" if labelled else "no label"
        raise InputError(f"{column} has {whose}; label answers of other systems to the same items, too")
    for task, own, (judge, _) in zip(weighing, number, parts, strict=True):
        for system, labels, row in zip(scores.systems, own, judge, strict=True):
            if not (labels or np.isnan(row).all()):
                who, what = repr(system), f"label some, or leave out the system (--systems '!{system}')"
                if paired:
                    who = " and ".join(map(repr, scores.systems)) + " on the same items"
                    what = "label some for both, use podium rank -m mean, which needs none of both"
                cure = f"{what}, or leave out the task (--tasks '!{task.name}')" if len(weighing) > 1 else what
                raise InputError(f"{column} has no label of {who}, task {task.name!r}; {cure}")
    judge, labels = (np.concatenate([part[place].ravel() for part in parts]) for place in (0, 1))
    least, most = float(np.nanmin(labels)), float(np.nanmax(labels))
    if least == most:
        one = f"all {int(number.sum()):,} labels in {column} are {least:g}"
        raise InputError(f"{one}, so they show no difference; label more instances")
    of_judge, of_people = (float(np.nanquantile(np.abs(part), _LARGE)) for part in (judge, labels))
    shares = min(least, float(np.nanmin(judge))) >= 0  # no scores below 0 are; few labels of others vary much in size
    alike = 0 < max(of_judge, of_people) < _NEAR * min(of_judge, of_people)
    if unlike_scales({"judge": of_judge, "people": of_people}, "") and (shares or not alike):
        scales = f"labels in {column} are about {significant(of_people)} and the judge's scores {significant(of_judge)}"
        raise InputError(f"{scales}; bring both to one scale, such as from 0 to 1")


def _notes(found: PoweredScores, n_labels: NDArray[np.int64], chosen: Floats, *, paired: bool) -> list[str]:
    """Say what labels bought, and what to know of them, by their numbers and `_Estimate.chosen`, `(T, N)` each."""
    table, of = found.table, slice(1, 2) if paired else slice(None)
    made, gain = int(found.n_labels[of].sum()), float(np.median(found.gain[of]))
    labels = how_many(made, "paired label" if paired else "label")
    worth = "to which the judge adds nothing"
    if round(made * gain) > made:
        worth = f"with the judge as good as {two_digits(made * gain)}"
    notes = [f"{HUMAN}: {labels} in column {table.human!r}, {worth}"]
    tested = chosen[:, of]
    if np.abs(tested).max(initial=0.0) > -float(normal_quantile(_DIFFERS / 2 / max(int(np.count_nonzero(tested)), 1))):
        low = "higher" if tested.flat[np.abs(tested).argmax()] > 0 else "lower"
        cure = "label some at random, or make kinds tasks of their own"
        notes.append(Misleading(f"what is labelled is no random part: the judge scores it {low} than the rest; {cure}"))
    else:
        notes.append(Aside("this holds if what was labelled was drawn at random"))
    few = [name for name, own in zip(table.systems, found.n_labels.tolist(), strict=True) if own < LEAST_LABELS]
    if few and not paired:
        notes.append(Doubt(with_names("", few, f": fewer than {LEAST_LABELS} labels, so without interval")))
    short = [task.name for task, own in zip(table.tasks, n_labels[:, of], strict=True) if own.min() < LEAST_LABELS]
    if short and paired:
        unsure = "so the judge is not used there, and the variance is uncertain"
        notes.append(Doubt(with_names("", short, f": fewer than {LEAST_LABELS} paired labels, {unsure}")))
    elif short and len(few) < len(table.systems):
        notes.append(with_names("", short, f": fewer than {LEAST_LABELS} labels of a system, so the judge is not used"))
    return notes
