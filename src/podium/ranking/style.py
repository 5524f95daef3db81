"""Strengths and means adjusted for style: how systems would do if their answers were equally long, and marked up alike.

People and judges like long answers with headings and lists. Covariates of each answer say how long it is; of two
answers that compete, what the difference between their covariates explains is not put down to their systems.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import InputError, MethodError
from podium.base.statistics import student_cdf, student_quantile
from podium.base.words import few, how_many
from podium.ranking import note
from podium.ranking.battle import battles_in
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.result import Ranking, StyleCoefficient, ranked
from podium.score.table import Scores, of_battles
from podium.score.task import Clusters, Task, covariates_named, masses_of
from podium.score.units import units_among

#: Units are put together at random into so many at most, which say enough of how scores vary.
_UNITS = 2048

#: Newton steps at most; the length of one that is none; and a coefficient, in log-odds, that grows without end.
_STEPS, _NONE, _ENDLESS = 100, 1e-11, 20.0

#: What is left of a covariate, as a share of its variance, if systems and other covariates explain all of it.
_TOLD = 1e-8


class _Fit(NamedTuple):
    """Adjusted scores `(N,)`, coefficients `(C,)`; by how much each of U units moves both, `(U, N + C)`; their weights.

    And the adjusted means `(N, T)` on tasks, if there are any.
    """

    score: Floats
    coefficients: Floats
    moves: Floats
    weight: Floats
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
    scores = _complete(scores, covariates, battles=battles)
    spec = spec.on(scores)
    note.warn(scores, method_of(spec))
    plain = ranked(CountedScores.of(scores, [spec]).result(spec), scores, spec.name, spec.level)
    fit = (_of_battles if battles else _of_scores)(scores, spec, covariates)
    there = fit.weight > 0
    weight, moves = fit.weight[there], fit.moves[there]
    size = len(scores.systems)
    values = fit.score[:, None] + (weight.sum() / weight) * moves[:, :size].T
    clusters = None
    if any(task.clusters is not None for task in scores.tasks):
        clusters = Clusters.of([f"unit {unit}" for unit in range(weight.size)])
    rises = plain.higher_is_better
    task = Task.cut("adjusted", values, instance_weights=weight, clusters=clusters, higher_is_better=rises)
    df = float(weight.sum() ** 2 / (weight**2).sum()) - 1
    own = moves[:, size:]
    error = np.sqrt((own**2).sum(axis=0) * (df + 1) / max(df, 1e-9))
    reach, p = -student_quantile((1 - confidence) / 2, df), 2 * student_cdf(-np.abs(fit.coefficients) / error, df)
    of = zip(covariates, fit.coefficients.tolist(), (reach * error).tolist(), p.tolist(), strict=True)
    coefficients = tuple(StyleCoefficient(name, value, value - half, value + half, p) for name, value, half, p in of)
    notes = (*note.how_counted(scores, method_of(spec), spec.missing or "direct"), *scores.notes)
    return Adjusted(replace(scores, tasks=(task,), tie_tolerance=0.0, notes=notes), plain, coefficients, fit.means)


def _check(scores: Scores, spec: MethodSpec, wanted: str) -> None:
    """Refuse what cannot be adjusted."""
    if scores.human or scores.prompts:
        idle = "human_column= (--human-column)" if scores.human else "prompt_column= (--prompt-column)"
        raise MethodError(f"adjust= (--adjust) is for scores as they are; leave {idle} out")
    if spec.name != wanted:
        what = "battles are adjusted as strengths" if wanted == "bradley-terry" else "scores are adjusted as means"
        raise MethodError(f"{what}; use method {wanted!r} (-m {wanted}) with adjust= (--adjust), not {spec.name!r}")
    if scores.task_level:
        raise MethodError("adjust= (--adjust) compares answers to the same items, but these are scores of whole tasks")
    if spec.level in {"task", "two"} or spec.missing not in {None, "direct"}:
        option = f"level {spec.level!r}" if spec.level in {"task", "two"} else f"missing={spec.missing!r}"
        raise MethodError(f"adjust= (--adjust) counts each item or battle that was scored; leave {option} out")


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


def _check_told_apart(left: Floats, total: Floats, names: Sequence[str]) -> None:
    """Refuse a covariate that follows from systems and others, by products `(C, C)` of what these leave of each."""
    rest = left / np.sqrt(np.outer(total, total))
    for place, name in enumerate(names):
        pivot = rest[place, place]
        if pivot <= _TOLD:
            others = f" and {few(list(map(repr, names[:place])))}" if place else ""
            what = f"{name!r} follows from which system answers{others}, so it cannot be told apart"
            raise InputError(f"{what}; leave it out of adjust= (--adjust)")
        rest = rest - np.outer(rest[place], rest[place]) / pivot


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
    battles = fitted = StyleBattles(pair, won, features, mass, n)
    battles.check(names)
    if spec.prior:  # everybody wins and loses half of the virtual battles with one more system
        battles, fitted = replace(battles, n_systems=n + 1), battles.with_opponent(spec.prior)
    parameters, covariance = fitted.most_likely(names)
    moves = battles.moved(parameters, unit) @ covariance
    moves *= math.sqrt(won.size / max(won.size - parameters.size, 1))
    if spec.prior:
        parameters, moves = np.delete(parameters, n), np.delete(moves, n, axis=1)
    strength, moves = parameters[:n] - parameters[:n].mean(), moves[:, :last]
    moves[:, :n] -= moves[:, :n].mean(axis=1, keepdims=True)
    return _Fit(strength, parameters[n:last], moves, np.bincount(unit, mass).astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class StyleBattles:
    """Battles with covariates, and the likelihood of Davidson's model of these.

    With log-odds η = θ_i − θ_j + β · x, the first wins with a probability in proportion to exp(η / 2), the second to
    exp(−η / 2), and they tie to ν. Parameters are N strengths θ, C coefficients β and, if there are ties, log ν.

    Attributes
    ----------
    pair, won, mass
        Shapes `(2, B)`, `(B,)` and `(B,)`: who fights, the share that the first won, and what a battle weighs.
    features
        Shape `(C, B)`: x, of the first less the second.
    n_systems
        N.
    halves
        Whether a tie is half a win and half a loss, as in Arena's code, and not a third outcome.
    """

    pair: Ints
    won: Floats
    features: Floats
    mass: Floats
    n_systems: int
    halves: bool = False

    @property
    def _tied(self) -> Bools:
        return np.asarray((self.won == 0.5) & (not self.halves))

    def _cross(self, weight: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Zᵀ diag(weight) Z for systems `(N, N)`, systems and covariates `(N, C)`, and covariates `(C, C)`."""
        n, (first, second), x = self.n_systems, self.pair, self.features
        met = np.bincount(first * n + second, weight, n * n).reshape(n, n)
        met = met + met.T
        both = [np.bincount(first, weight * one, n) - np.bincount(second, weight * one, n) for one in x]
        return np.diag(met.sum(axis=1)) - met, np.array(both).reshape(len(x), n).T, (x * weight) @ x.T

    def check(self, names: Sequence[str]) -> None:
        """Refuse covariates that cannot be told apart from systems and from each other.

        Raises
        ------
        InputError
            One follows from these.
        """
        systems, both, covariates = self._cross(self.mass)
        left = covariates - both.T @ np.linalg.pinv(systems, rcond=1e-12, hermitian=True) @ both
        _check_told_apart(left, np.diag(covariates), names)

    def _slopes(self, parameters: Floats) -> tuple[float, Floats, tuple[Floats, Floats, float]]:
        """Return the log-likelihood; its derivatives by η and log ν, `(2, B)`; and negative second ones, of battles."""
        n, last = self.n_systems, self.n_systems + len(self.features)
        odds = parameters[self.pair[0]] - parameters[self.pair[1]] + parameters[n:last] @ self.features
        log_nu = float(parameters[last]) if parameters.size > last else -math.inf
        top = np.maximum(np.abs(odds) / 2, log_nu)
        win, lose = np.exp(odds / 2 - top), np.exp(-odds / 2 - top)
        tie = np.exp(log_nu - top)
        total = win + lose + tie
        win, lose, tie = win / total, lose / total, tie / total
        won, tied = self.won - 0.5, self._tied
        likely = won * odds - top - np.log(total) + (tied * log_nu if tied.any() else 0.0)
        slopes = self.mass * np.stack([won - (win - lose) / 2, tied - tie])
        decided = self.mass * (win + lose - (win - lose) ** 2) / 4
        mixed, of_tie = -self.mass * tie * (win - lose) / 2, float((self.mass * tie * (1 - tie)).sum())
        return float((self.mass * likely).sum()), slopes, (decided, mixed, of_tie)

    def moved(self, parameters: Floats, unit: Ints) -> Floats:
        """Shape `(U, P)`: derivatives of the log-likelihood by the parameters, summed over the battles of each unit."""
        n, size, number = self.n_systems, parameters.size, int(unit.max()) + 1
        (by_odds, by_tie), sums = self._slopes(parameters)[1], np.zeros((number, size))
        for sign, side in zip((1, -1), self.pair, strict=True):
            sums[:, :n] += sign * np.bincount(unit * n + side, by_odds, number * n).reshape(number, n)
        for place, x in enumerate(self.features, start=n):
            sums[:, place] = np.bincount(unit, by_odds * x, number)
        if size > n + len(self.features):
            sums[:, -1] = np.bincount(unit, by_tie, number)
        return sums

    def _information(self, seconds: tuple[Floats, Floats, float], size: int) -> Floats:
        """Shape `(P, P)`: negative second derivatives; the level of strengths, which is free, is fixed."""
        decided, mixed, of_tie = seconds
        systems, both, covariates = self._cross(decided)
        n, last = self.n_systems, self.n_systems + len(covariates)
        found = np.zeros((size, size))
        found[:n, :n] = systems + np.trace(systems) / n**2
        found[:n, n:last], found[n:last, :n], found[n:last, n:last] = both, both.T, covariates
        if size > last:
            by_system = np.bincount(self.pair[0], mixed, n) - np.bincount(self.pair[1], mixed, n)
            found[last, :last] = found[:last, last] = np.concatenate([by_system, self.features @ mixed])
            found[last, last] = of_tie
        return found

    def with_opponent(self, prior: float) -> "StyleBattles":
        """Return the same with one more system, which each fights so often, and wins and loses half of it."""
        n = self.n_systems
        pair = np.array([np.tile(np.arange(n), 2), np.full(2 * n, n)])
        return StyleBattles(
            pair=np.concatenate([self.pair, pair], axis=1),
            won=np.concatenate([self.won, np.repeat([1.0, 0.0], n)]),
            features=np.concatenate([self.features, np.zeros((len(self.features), 2 * n))], axis=1),
            mass=np.concatenate([self.mass, np.full(2 * n, prior / 2)]),
            n_systems=n + 1,
            halves=self.halves,
        )

    def most_likely(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """Climb from equal strengths by Newton steps, halved until the likelihood rises.

        Parameters
        ----------
        names
            The covariates, for errors.

        Returns
        -------
        The parameters `(P,)`, and the inverse of the information `(P, P)`.

        Raises
        ------
        InputError
            A coefficient grows without end.
        """
        n, last, ties = self.n_systems, self.n_systems + len(self.features), float((self.mass * self._tied).sum())
        parameters = np.zeros(last + (ties > 0))
        if ties:
            parameters[last] = math.log(2 * ties / (float(self.mass.sum()) - ties))
        for _ in range(_STEPS):
            here, _, seconds = self._slopes(parameters)
            information = self._information(seconds, parameters.size)
            step = np.linalg.solve(information, self.moved(parameters, np.zeros_like(self.pair[0]))[0])
            share = 1.0
            while share > _NONE and self._slopes(parameters + share * step)[0] < here - 1e-13 * abs(here):
                share /= 2
            parameters = parameters + share * step
            if np.abs(step).max() <= _NONE * (1 + np.abs(parameters).max()):
                return parameters, np.asarray(np.linalg.inv(information), np.float64)
            if np.abs(parameters[n:last]).max(initial=0.0) > _ENDLESS:
                break
        name = names[int(np.abs(parameters[n:last]).argmax())]
        what = f"{name!r} decides who wins in all battles, or nearly, so its coefficient has no end"
        raise InputError(f"{what}; leave it out of adjust= (--adjust)")


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
    _check_told_apart(products, total, names)
    covariance = np.linalg.inv(products)
    slopes = covariance @ along

    scored = np.array([~np.isnan(values).all(axis=1) for values, *_ in inside])
    weights = np.array([task.weight for task, _ in counting])[:, None] * scored
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
    return _Fit(np.where(scored.any(axis=0), score, np.nan), slopes * scale, moves, of_units, means)


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
