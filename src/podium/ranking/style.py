"""Strengths and means adjusted for style: how systems would do if their answers were equally long, and marked up alike.

People and judges like long answers with headings and lists. Covariates of each answer say how long it is; of two
answers that compete, what the difference between their covariates explains is not put down to their systems.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.base.errors import InputError, MethodError
from podium.base.parallel import with_one_blas_thread
from podium.base.statistics import student_cdf, student_quantile
from podium.base.words import Doubt, beginning, few, how_many, rounded_percent, weighing_as
from podium.ranking import note
from podium.ranking.battle import battles_in
from podium.ranking.counted import CountedScores
from podium.ranking.method.covariates import CovariateBattles, check_told_apart
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.result import Ranking, StyleCoefficient, ranked
from podium.score.table import HALF_A_WIN, Scores, of_battles
from podium.score.task import Clusters, Task, covariates_named, masses_of
from podium.score.units import LEAST_FREEDOM, units_among
from podium.source.table import USUAL, folded

#: A covariate of which less than this share does not follow from systems hardly tells anything of its own.
_HARDLY = 0.1

#: Units are put together at random into so many at most, which say enough of how scores vary.
_UNITS = 2048


class _Fit(NamedTuple):
    """Adjusted scores `(N,)`, coefficients `(C,)`; by how much each of U units moves both, `(U, N + C)`; their weights.

    And the adjusted means `(N, T)` on tasks, if there are any.
    """

    score: Floats
    coefficients: Floats
    moves: Floats
    weight: Floats
    left: Floats
    means: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """Scores adjusted for covariates.

    Attributes
    ----------
    table
        Pseudo-values: an instance is a unit, weighs what it weighs, and the mean of a system is its adjusted score.
    plain
        The ranking without adjustment, of the same scores.
    coefficients
        What covariates are worth.
    means
        Shape `(N, T)`: adjusted means on tasks, in the order of the table; None of battles.
    """

    table: Scores
    plain: Ranking
    coefficients: tuple[StyleCoefficient, ...]
    means: Floats | None

    def ranking(self, ranking: Ranking) -> Ranking:
        """Return a ranking of the pseudo-values as one of the table, with what it would be without adjustment."""
        place = [self.plain.systems.index(system) for system in ranking.systems]
        row = [self.table.systems.index(system) for system in ranking.systems]
        before = (
            ("unadjusted_score", self.plain.score[place]),
            ("unadjusted_rank", self.plain.rank[place].astype(np.float64)),
        )
        return replace(
            ranking,
            method=self.plain.method,
            level=self.plain.level,
            tasks_scored=self.plain.tasks_scored[place],
            coverage=self.plain.coverage[place],
            n_tasks=self.plain.n_tasks,
            tasks=self.plain.tasks,
            means=None if self.means is None else self.means[row],
            extras=before,
            coefficients=self.coefficients,
        )


def adjusted(scores: Scores, spec: MethodSpec, names: Sequence[str], *, confidence: float = 0.95) -> Adjusted:
    """Adjust strengths of battles, or means of scores of the same items, for covariates of answers.

    Of battles, i beats j with log-odds θ_i − θ_j + Σ_c β_c d_c (without ties; with ties as Davidson has them). d is the
    difference of the covariates of both answers, of counts by their sum, (a − b) / (a + b + 1), divided by its root
    mean square. All is fitted together, by maximum likelihood.

    Of scores, y_ik = item_k + system_i + Σ_c β_c x_ik + e_ik on each task, by least squares with one β for all; x is
    log (1 + count), or another covariate as it is, divided by its standard deviation inside items. Scores become
    y_ik − Σ_c β_c (x_ik − x̄_k), as if all answers to an item were as long as their mean.

    Parameters
    ----------
    scores
        With covariates; what lacks one is left out, a battle if either answer does.
    spec
        "bradley-terry" of battles, "mean" of other scores.
    names
        Covariates, by name or pattern; or "length" and "markdown", which stand for columns with usual names.
    confidence
        Of the intervals of coefficients: Student's, by units (clusters, or else items or battles).

    Raises
    ------
    MethodError
        Another method, level, or way to count missing scores; or scores of whole tasks.
    LabelError
        There is no such covariate.
    InputError
        A covariate is never there, is constant, follows from systems and other covariates, or decides all battles.

    References
    ----------
    Bradley & Terry 1952; Davidson 1970; Li, Angelopoulos & Chiang, Does style matter?, LMSYS blog, 2024.
    """
    battles = of_battles(scores)
    _check(scores, spec, "bradley-terry" if battles else "mean")
    covariates = covariates_named(names, [name for name in scores.covariates if name != scores.human])
    _refuse_scores(scores, covariates)
    scores = _complete(scores, covariates, battles=battles)
    spec = spec.on(scores)
    note.warn(scores, method_of(spec))
    plain = ranked(CountedScores.of(scores, [spec]).result(spec), scores, spec.name, spec.level)
    fit = with_one_blas_thread(partial(_of_battles if battles else _of_scores, scores, spec), covariates)
    there = fit.weight > 0
    weight, moves = fit.weight[there], fit.moves[there]
    moves -= (weight / weight.sum())[:, None] * moves.sum(axis=0)  # which is 0, but for a prior
    size = len(scores.systems)
    values = fit.score[:, None] + (weight.sum() / weight) * moves[:, :size].T
    clusters = None
    if weight.size < _UNITS and any(task.clusters is not None for task in scores.tasks):
        clusters = Clusters.of([f"unit {unit}" for unit in range(weight.size)])
    rises = plain.higher_is_better
    name = scores.task_names[0] if len(scores.tasks) == 1 else "all tasks"
    task = Task.cut(name, values, instance_weights=weight, clusters=clusters, higher_is_better=rises)
    coefficients = _coefficients(covariates, fit.coefficients, weight, moves[:, size:], confidence)
    counted = note.how_counted(scores, method_of(spec), spec.missing or "direct")
    notes = [*_hardly_told_apart(covariates, fit.left), *counted, *map(_of_ties, scores.notes)]
    return Adjusted(
        replace(scores, tasks=(task,), tie_tolerance=0.0, notes=tuple(notes)), plain, coefficients, fit.means
    )


def _coefficients(
    names: Sequence[str], values: Floats, weight: Floats, moves: Floats, confidence: float
) -> tuple[StyleCoefficient, ...]:
    """Return what covariates are worth, with Student's intervals; NaN if units are too few to know them."""
    df = float(weight.sum() ** 2 / (weight**2).sum()) - 1
    reach, p = math.nan, np.full(values.size, np.nan)
    error = np.sqrt((moves**2).sum(axis=0) * (df + 1) / max(df, 1.0))
    if df >= LEAST_FREEDOM - 1e-9:
        reach = -student_quantile((1 - confidence) / 2, df)
        p = 2 * student_cdf(-np.abs(values) / np.maximum(error, 1e-300), df)
    of = zip(names, values.tolist(), (reach * error).tolist(), p.tolist(), strict=True)
    return tuple(StyleCoefficient(name, value, value - half, value + half, p) for name, value, half, p in of)


def _check(scores: Scores, spec: MethodSpec, wanted: str) -> None:
    """Refuse what cannot be adjusted."""
    if scores.human or scores.prompts:
        cure = "leave prompt_column= (--prompt-column) out"
        if scores.human:
            cure = "name the judge's with score_column= (--score-column) in place of human_column= (--human-column)"
        raise MethodError(f"adjust= (--adjust) is for scores as they are; {cure}")
    if spec.name != wanted:
        what = "battles are adjusted as strengths" if wanted == "bradley-terry" else "scores are adjusted as means"
        raise MethodError(f"{what}; use method {wanted!r} (-m {wanted}) with adjust= (--adjust), not {spec.name!r}")
    if scores.task_level:
        raise MethodError("adjust= (--adjust) compares answers to the same items, but these are scores of whole tasks")
    if spec.level in {"task", "two"} or spec.missing not in {None, "direct"}:
        option = f"level {spec.level!r}" if spec.level in {"task", "two"} else f"missing={spec.missing!r}"
        raise MethodError(f"adjust= (--adjust) counts each item or battle that was scored; leave {option} out")


def _refuse_scores(scores: Scores, names: Sequence[str]) -> None:
    """Refuse covariates that say how good an answer is."""
    for name in names:
        same = (np.array_equal(task.values, task.covariates.get(name, 0.0), equal_nan=True) for task in scores.tasks)
        is_score = all(same)
        if is_score or folded(name) in USUAL["human"]:
            what = "is the score itself" if is_score else "says by its name what people think of answers"
            raise InputError(f"{name!r} {what}, and no style; leave it out of adjust= (--adjust)")


def _hardly_told_apart(names: Sequence[str], left: Floats) -> list[str]:
    """Say which covariates nearly follow from systems, and from covariates before them."""
    found = list[str]()
    for place in np.flatnonzero(left < _HARDLY).tolist():
        others = " and other covariates" if place else ""
        share, name = rounded_percent(1 - float(left[place])), beginning(names[place], 40)
        found.append(Doubt(f"{share} of {name!r} follows from which system answers{others}, so intervals are wide"))
    return found


def _of_ties(said: str) -> str:
    """Return a note, if on ties of battles with what becomes of them here."""
    return weighing_as(said, said.replace(HALF_A_WIN, "ties are a third outcome (Davidson), half a win if unadjusted"))


def _complete(scores: Scores, covariates: Sequence[str], *, battles: bool) -> Scores:
    """Leave out scores without a covariate, and battles in which either answer lacks it; say how many."""
    tasks, lost, left, lacks = [], 0, 0, dict.fromkeys(covariates, 0)
    for task in scores.tasks:
        there = ~np.isnan(task.values)
        kept = there.copy()
        for name in covariates:
            missing = there & (np.isnan(task.covariates[name]) if name in task.covariates else True)
            missing = there & missing.any(axis=0) if battles else missing
            lacks[name] += int(missing.sum())
            kept &= ~missing
        lost, left = lost + int((there & ~kept).sum()), left + int(kept.sum())
        values = task.values if kept.sum() == there.sum() else np.where(kept, task.values, np.nan)
        tasks.append(task if values is task.values else task.with_values(values, covariates=task.covariates))
    if not lost:
        return scores
    who = few([repr(name) for name, number in lacks.items() if number])
    what = how_many(lost // 2, "battle") if battles else how_many(lost, "score")
    if not left:
        raise InputError(f"all of {what} lack {who}; name other covariates with adjust= (--adjust)")
    return replace(scores, tasks=tuple(tasks), notes=(f"left out, without {who}: {what}", *scores.notes))


def _counting(scores: Scores) -> Iterator[tuple[Task, Ints]]:
    """Yield tasks that count, and shape `(K,)`: the number of the unit of each instance."""
    tasks = [task for task in scores.tasks if task.weight > 0 and task.scored.any()]
    groups = units_among(tasks)
    number = sum(group.number for group in groups)
    together = np.arange(number)
    if number > _UNITS:
        together = np.random.default_rng(0).permutation(number) % _UNITS
    units, start = dict[int, Ints](), 0
    for group in groups:
        units |= {index: together[start + of] for index, of in zip(group.tasks, group.of, strict=True)}
        start += group.number
    yield from ((task, units[index]) for index, task in enumerate(tasks))


def _are_counts(values: Floats) -> bool:
    """Return whether all numbers that are there are whole and not negative."""
    return bool((((values >= 0) & (values == np.floor(values))) | np.isnan(values)).all())


def _check_varies(scale: Floats, names: Sequence[str], where: str) -> None:
    """Refuse a covariate that does not vary."""
    for name, size in zip(names, scale.tolist(), strict=True):
        if not size:
            raise InputError(f"{name!r} is the same for all answers {where}, so it explains nothing; leave it out")


def _of_battles(scores: Scores, spec: MethodSpec, names: Sequence[str]) -> _Fit:
    parts = []
    for task, unit in _counting(scores):
        both, pair, won = battles_in(task, scores.effective_tie_tolerance)
        mass = masses_of(task) * task.weight / (masses_of(task).sum() if spec.level == "balanced" else 1.0)
        sides = np.array([[task.covariates[name][side, both] for side in pair] for name in names])
        parts.append((unit[both], pair, won, mass[both], sides))
    unit, pair, won, mass, sides = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    difference = sides[:, 0] - sides[:, 1]
    counts = np.array([_are_counts(side) for side in sides])
    difference[counts] /= sides[counts].sum(axis=1) + 1
    scale = np.sqrt((difference**2 @ mass) / mass.sum())
    _check_varies(scale, names, "that compete")
    features = difference / scale[:, None]
    n, last = len(scores.systems), len(scores.systems) + len(names)
    battles = fitted = CovariateBattles(pair, won, features, mass, n)
    left = battles.told_apart(names)
    if spec.prior:  # everybody wins and loses half of the virtual battles with one more system
        battles, fitted = replace(battles, n_systems=n + 1), battles.with_opponent(spec.prior)
    parameters, covariance = fitted.most_likely(names)
    moves = battles.moved(parameters, unit) @ covariance
    moves *= math.sqrt(won.size / max(won.size - parameters.size, 1))
    if spec.prior:
        parameters, moves = np.delete(parameters, n), np.delete(moves, n, axis=1)
    strength, moves = parameters[:n] - parameters[:n].mean(), moves[:, :last]
    moves[:, :n] -= moves[:, :n].mean(axis=1, keepdims=True)
    return _Fit(strength, parameters[n:last], moves, np.bincount(unit, mass).astype(np.float64), left)


def _of_scores(scores: Scores, _spec: MethodSpec, names: Sequence[str]) -> _Fit:
    counting, size, n = list(_counting(scores)), len(scores.systems), len(names)
    falls = -1.0 if scores.higher_is_better.any() else 1.0  # tasks of one direction keep it
    counts = [all(_are_counts(task.covariates[name]) for task, _ in counting) for name in names]
    inside = [_inside_items(task, names, counts, 1.0 if task.higher_is_better else falls) for task, _ in counting]
    products, along, total, cells = np.zeros((n, n)), np.zeros(n), np.zeros(n), 0.0
    for (task, _), (values, x, y, rest) in zip(counting, inside, strict=True):
        mass = masses_of(task)
        products += np.einsum("cik,dik,k->cd", rest, rest, mass, optimize=True)
        along += np.einsum("cik,ik,k->c", rest, y, mass, optimize=True)
        total += (x**2 @ mass).sum(axis=1)
        cells += float((~np.isnan(values) @ mass).sum())
    scale = np.sqrt(total / cells)
    _check_varies(scale, names, "to an item")
    left = check_told_apart(products, total, names)
    covariance = np.linalg.inv(products)
    slopes = covariance @ along

    scored = np.array([~np.isnan(values).all(axis=1) for values, *_ in inside])
    weights = np.array([float(task.weight) for task, _ in counting])[:, None] * scored
    shares = np.divide(weights, weights.sum(axis=0), out=np.zeros_like(weights), where=scored.any(axis=0))
    moves = np.zeros((1 + max(int(unit.max()) for _, unit in counting), size + n))
    of_units, score, longer = np.zeros(len(moves)), np.zeros(size), np.zeros((size, n))
    means = np.full((size, len(scores.tasks)), np.nan)
    for (task, unit), (values, x, y, rest), share in zip(counting, inside, shares, strict=True):
        mass, there = masses_of(task), ~np.isnan(values)
        moved = mass * (rest * (y - np.tensordot(slopes, rest, 1))).sum(axis=1)
        np.add.at(moves[:, size:], unit, moved.T @ covariance)
        own = there * mass
        own /= np.maximum(own.sum(axis=1, keepdims=True), 1e-300)
        level = np.where(there, values, 0.0) - np.tensordot(slopes, x, 1)
        mean = (own * level).sum(axis=1)
        np.add.at(moves[:, :size], unit, (share[:, None] * own * (level - mean[:, None])).T)
        score, longer = score + share * mean, longer + share[:, None] * (own * x).sum(axis=2).T
        np.add.at(of_units, unit, task.weight * mass / mass.sum())
        rises = 1.0 if task.higher_is_better else falls
        means[:, scores.task_names.index(task.name)] = np.where(there.any(axis=1), rises * mean, np.nan)
    moves[:, :size] -= moves[:, size:] @ longer.T
    moves[:, size:] *= scale
    return _Fit(np.where(scored.any(axis=0), score, np.nan), slopes * scale, moves, of_units, left, means)


def _inside_items(
    task: Task, names: Sequence[str], counts: Sequence[bool], sign: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return scores `(N, K)`, NaN where none counts, and covariates `(C, N, K)` less their means over an item.

    And what the systems leave of both, `(N, K)` of scores and `(C, N, K)` of covariates, 0 where no score counts.
    """
    mass = masses_of(task)
    there = ~np.isnan(task.values) & (mass > 0)
    x = np.array(
        [
            np.log1p(task.covariates[name]) if log else task.covariates[name]
            for name, log in zip(names, counts, strict=True)
        ]
    )
    values = np.where(there, sign * task.values, np.nan)
    number = np.maximum(there.sum(axis=0), 1)
    both = np.where(there, np.concatenate([x, values[None]]), 0.0)
    both = np.where(there, both - (both.sum(axis=1) / number)[:, None], 0.0)
    # systems: least squares with the items taken out of them, too
    beside = (there * (mass / number)) @ there.T.astype(np.float64)
    normal = np.diag((there * mass).sum(axis=1)) - beside
    level = np.linalg.pinv(normal, rcond=1e-12, hermitian=True) @ (both @ mass).T
    fitted = np.where(there, level.T[:, :, None], 0.0)
    rest = both - np.where(there, fitted - (fitted.sum(axis=1) / number)[:, None], 0.0)
    return values, both[:-1], rest[-1], rest[:-1]
