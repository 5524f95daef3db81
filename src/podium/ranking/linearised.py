"""Borda scores by a model of missing scores as sums over ballots, to first order; and how sure they are."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, Ints
from podium.base.cluster import kept_at_each
from podium.base.parallel import with_one_blas_thread
from podium.ranking.ballots import evened, weighted_sum
from podium.ranking.counted import CountedScores
from podium.ranking.method import MethodContext, ranks_of_tasks, task_means
from podium.ranking.method.missing_model import (
    chances,
    information,
    pooled_ballots,
    present,
    strengths,
    usual_weight,
    without_bare_tasks,
)
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from podium.score.task import PART, by_task, masses_of
from podium.tally.count import Counts
from podium.tally.draw import STEP, Resampling, mix, task_key
from podium.tally.duel import Duels
from podium.tally.position import expected_ranks

#: Tasks whose ballots are compared with the model at a time.
_TASKS = 1024

#: A ballot carries a comparison of two systems if at most so many make it; and how much work its own step may be.
_CARRIED, _WORK = 50, 3 * 10**8

#: The lower half of a hash.
_LOW = np.uint64(2**32 - 1)

#: Tasks from which a system has deviations of its own, and how many the common size of them counts.
_OWN, _COMMON = 6, 6


@dataclass(frozen=True, slots=True, eq=False)
class Linearised:
    """Scores of `podium.ranking.method.missing_model.by_model` as means over ballots, to first order.

    With the strengths θ fitted to the whole table, ballot u, which weighs a_u of 1, has the residuals e_ui = Σ_j
    (won_uij − p_ij) over the systems j that it scores beside i; 0 if it does not score i. The score is Σ_u a_u (Σ_j
    p_ij + e_ui) / (N − 1). If ballots weigh otherwise, θ moves by H⁻¹ Σ_u Δw_u e_u, one Newton step, with H the
    information of the likelihood; and scores move by J times that, J being the derivative of Σ_j (W − met_ij) p_ij. So
    ballot u stands for

        y_u = (Σ_j p_ij + e_u + J H⁻¹ (e_u − Σ_v a_v e_v)) / (N − 1).

    Their mean is the score, and with other weights their mean is one step from the fit of these weights.

    A ballot that alone, or nearly, compares some systems with others pulls θ to where it leaves no residual, so H⁻¹ e_u
    shows nothing of what it carries. For such ballots H is that of the others, which is the jackknife's step, H − a_u
    H_u; and y is moved to have the same mean.

    Attributes
    ----------
    present
        Shape `(N,)`: whether any ballot of weight scores the system; others have no score and beat none.
    chance
        Shape `(N, N)`: p, 0 on the diagonal and of those that are not present.
    gain, fitted
        Shape `(N, N)`: J H⁻¹, and H / W.
    met
        Shape `(N, N)`: share of the ballots, by weight, that compare two systems.
    weights
        Shape `(T,)`: a, what the ballots of each task weigh together, 1 in all.
    residual, made
        Shape `(T, N)`: mean over the ballots of the task of e, and the share of the comparisons with the others that it
        makes.
    """

    present: Bools
    chance: Floats
    gain: Floats
    fitted: Floats
    met: Floats
    weights: Floats
    residual: Floats
    made: Floats

    @classmethod
    def of(cls, counts: Counts, context: MethodContext) -> Self:
        """Fit the model to a table that is counted for it, at a level other than "two"."""
        context = without_bare_tasks(counts, context)
        duels = pooled_ballots(counts, context)
        won, total, unit = duels.wins + duels.ties / 2, float(duels.weight), float(usual_weight(context.weights))
        there = present(context)
        theta = strengths(won, np.asarray(total), unit)
        chance = chances(theta) * (there[:, None] & there)
        moves = -np.maximum(total - duels.compared, 0.0) * chance * chance.T
        np.fill_diagonal(moves, -moves.sum(axis=1))
        fitted = information(theta, won, total, unit)
        gain = np.linalg.solve(fitted, moves).T
        others = max(int(there.sum()) - 1, 1)
        if context.level == "task":
            residual, made = _of_tasks(counts, context, chance)
            weights = context.weights
        else:
            tasks = counts[Duels]
            size = np.array([float(task.weight) for task in tasks])
            rest = [(task.wins + task.ties / 2 - task.compared * chance).sum(axis=1) for task in tasks]
            met_by_task = [task.compared.sum(axis=1) for task in tasks]
            residual, made = np.array([rest, met_by_task]) / np.where(size > 0, size, 1.0)[:, None]
            weights = context.weights * (size if context.level == "one" else size > 0)
        shares, met = weights / weights.sum(), duels.compared / total
        return cls(there, chance, np.asarray(gain), fitted / total, met, shares, residual, made / others)

    @property
    def _others(self) -> int:
        return max(int(self.present.sum()) - 1, 1)

    @property
    def tasks(self) -> Floats:
        """Shape `(T, N)`: mean of y over the ballots of each task; NaN of systems that are not present."""
        values, off = self._stands_for(self.residual, self.made > 0, self.weights)
        return values - off

    def _stands_for(self, residual: Floats, there: Bools, share: Floats) -> tuple[Floats, Floats]:
        """Shape `(U, N)`: y of ballots, by which of them score whom, and what each weighs of 1.

        And shape `(N,)`: by how much all of those that carry a comparison move the mean.
        """
        mean = self.weights @ self.residual
        values = (self.chance.sum(axis=1) + residual + (residual - mean) @ self.gain.T) / self._others
        few, off = self._carries(there, share), np.zeros(len(self.chance))
        if few.size and few.size * len(self.chance) ** 3 <= _WORK:
            both = there[few, :, None] & there[few, None, :]
            own = -share[few, None, None] * self.chance * self.chance.T * both
            diagonal = np.arange(len(self.chance))
            own[:, diagonal, diagonal] -= own.sum(axis=2)
            steps = np.linalg.solve(self.fitted - own, residual[few, :, None])[..., 0]
            more = (steps @ self.fitted.T - residual[few]) @ self.gain.T / self._others
            values[few] += more
            off = share[few] @ more
        return np.where(self.present, values, np.nan), off

    def _carries(self, there: Bools, share: Floats) -> Ints:
        """Return ballots that compare two systems that few compare."""
        rare = (self.met <= _CARRIED * share.max(initial=0.0)) & ~np.eye(len(self.met), dtype=np.bool_)
        if not rare.any():
            return np.empty(0, dtype=np.int64)
        pairs = there.astype(np.float32) @ rare.astype(np.float32)
        return np.flatnonzero(((pairs > 0) & there).any(axis=1))

    def _compared(self, values: NDArray[Any], tolerance: float) -> tuple[Floats, Floats]:
        """Shape `(N, L)` each: e of some ballots, higher is better; and how many others each compares a system with."""
        scored = ~np.isnan(values)
        number = scored.sum(axis=0)
        midrank = expected_ranks(values, tolerance) * ((number + 1) / (len(values) + 1))
        there = scored.astype(np.float64)
        return there * (number - midrank - self.chance @ there), there * (number - 1)

    def of_instances(self, scores: Scores, level: str | None) -> tuple[Scores, Floats]:
        """Return the table with y in place of scores; and how uncertain the residuals of its tasks are.

        Parameters
        ----------
        scores
            The table that was fitted, with instances.
        level
            "one" or "balanced". The mean over tasks is the score.

        Returns
        -------
        The table; and shape `(T, N)`: sampling variance of the mean residual of a comparison, by the instances of the
        task or their clusters; NaN where fewer than two of them compare the system.
        """
        off, variances, made = np.zeros(len(self.chance)), list[Floats](), list[Any]()
        together = np.cumsum([task.n_instances for task in scores.tasks]) // PART
        for some in np.split(np.arange(len(together)), np.flatnonzero(np.diff(together)) + 1):  # small tasks at once
            group = [scores.tasks[index] for index in some]
            work = [one for index in some for one in self._work(scores, index)]
            parts, found = kept_at_each([part for task in group for part in task.parts], work, np.float64)
            made += parts
            for task, of_parts in zip(group, by_task(group, found), strict=True):
                off = off + np.sum([moved for _, moved in of_parts], axis=0)
                number = None if task.clusters is None else len(task.clusters)
                variances.append(_variance([sums for sums, _ in of_parts], number))
        if off.any():
            made, _ = kept_at_each(made, [partial(_less, off)] * len(made))
        tasks = []
        for task, parts in zip(scores.tasks, by_task(scores.tasks, made), strict=True):
            weighed = masses_of(task).sum() if level == "one" else 1.0
            weight = task.weight * weighed if task.scored.any() else 0.0
            scored = self.present * np.int64(task.n_instances)
            tasks.append(task.with_parts(parts, scored=scored, higher_is_better=True, weight=weight))
        return replace(scores, tasks=tuple(tasks), tie_tolerance=0.0), np.array(variances)

    def _work(self, scores: Scores, index: int) -> Iterator[Callable[[NDArray[Any]], Any]]:
        """Yield what is made of each part of a task, see `_of_part`."""
        task, start = scores.tasks[index], 0
        mass, clusters = masses_of(task), task.clusters
        scale = self.weights[index] / max(float(mass.sum()), 1e-300)
        how = {"rising": task.higher_is_better, "tolerance": scores.effective_tie_tolerance, "scale": scale}
        for part in task.parts:
            some = slice(start, start + part.shape[1])
            start = some.stop
            units = None if clusters is None else clusters.numbers[some]
            yield partial(self._of_part, mass=mass[some], units=units, **how)

    def _of_part(
        self, values: NDArray[Any], *, rising: bool, tolerance: float, mass: Floats, units: Ints | None, scale: float
    ) -> tuple[Floats, tuple[tuple[Ints | None, Floats], Floats]]:
        """Return y of a part of a task; and sums for the variance of its residuals, and what moves the mean."""
        oriented = values if rising else -values
        residual, number = self._compared(oriented.astype(np.float64), tolerance)
        made, off = self._stands_for(residual.T, (~np.isnan(values)).T, mass * scale)
        both = mass * np.stack([residual, number])
        if units is None:
            return made.T, ((None, _sums(*both)), off)
        own, place = np.unique(units, return_inverse=True)
        of_units = np.zeros((own.size, 2, len(values)))
        np.add.at(of_units, place, both.transpose(2, 0, 1))
        return made.T, ((own, of_units), off)

    def replicates_of_tasks(self, draws: Floats) -> Floats:
        """Shape `(N, B)`: scores where each task is drawn so often, `(T, B)`."""
        weights = self.weights[:, None, None]
        sums = weighted_sum(draws, weights * np.where(self.present, self.tasks, 0.0)[..., None])
        total = weighted_sum(draws, weights)
        with np.errstate(invalid="ignore", divide="ignore"):  # a replicate may draw only tasks of weight 0
            return np.where(self.present[:, None], sums / total, np.nan)

    def deviations(self, variances: Floats | None) -> Floats:
        """Shape `(N,)`: standard deviation of how a system does on a task beyond its strength, by a mean comparison.

        d_it, the mean residual of a comparison of system i on task t, has the variance σ² + V_it. So σ² is the mean
        square of d around its mean less the mean of V, pooled over systems. A system on six tasks or more has its own,
        in which the common one counts as six.

        Parameters
        ----------
        variances
            V, as of `of_instances`; None where tasks have one ballot, so that it is in σ².
        """
        used = (self.made > 0) & (self.weights > 0)[:, None]
        noise = np.zeros_like(self.made)
        if variances is not None and (used & ~np.isnan(variances)).any():
            used &= ~np.isnan(variances)
            noise = np.where(used, variances, 0.0)
        number = used.sum(axis=0)
        each = np.divide(self.residual, self.made * self._others, out=np.zeros_like(self.made), where=used)
        mean = each.sum(axis=0) / number.clip(1)
        df = (number - 1).clip(0)
        excess = (used * (each - mean) ** 2).sum(axis=0) - df * noise.sum(axis=0) / number.clip(1)
        common = max(float(excess.sum()), 0.0) / max(float(df.sum()), 1.0)
        own = (excess + _COMMON * common) / (df + _COMMON)
        return np.sqrt(np.maximum(np.where(number >= _OWN, own, common), 0.0))

    def unrun(self, systems: Sequence[str], resampling: Resampling, deviation: Floats) -> Floats:
        """Shape `(N, B)`: what replicates add to scores, since how systems do on what they were not run on is unknown.

        Let f_ti be the share of the comparisons of system i that task t does not make. On each task a system does
        better or worse than its strength says, by δ_ti of standard deviation σ_i. The score lacks Σ_t a_t f_ti δ_ti, at
        the expense of the others; and J H⁻¹ takes Σ_t a_t (1 − f_ti) δ_ti, which the fit takes for strength, to what is
        missing. Both cancel where each task lacks the same share, at random.

        Parameters
        ----------
        systems
            Labels: draws are hashes of them, with the seed and the number of the replicate.
        resampling
            The B replicates.
        deviation
            Shape `(N,)`: σ.
        """
        weights = (self.weights * (self.made > 0).any(axis=1))[:, None]
        lacks, has = weights * (1 - self.made), weights * self.made
        spread = np.sqrt((lacks**2).sum(axis=0))
        shared = np.divide((lacks * has).sum(axis=0), spread, out=np.zeros_like(spread), where=spread > 0)
        rest = np.sqrt(np.maximum((has**2).sum(axis=0) - shared**2, 0.0))
        deviation = np.where(self.present, deviation, 0.0)[:, None]
        one, other = deviation * _normal(systems, resampling)
        lost, taken = spread[:, None] * one, shared[:, None] * one + rest[:, None] * other
        at_expense = lost * (1 + 1 / self._others) - lost.sum(axis=0) / self._others
        added: Floats = self.gain @ taken - at_expense
        return np.where(self.present[:, None], added, 0.0)


def linearised(counted: CountedScores, spec: MethodSpec) -> Linearised:
    """Fit the model of missing scores once, at a level other than "two"."""

    def make() -> Linearised:
        own = counted.counted_for(spec)
        return with_one_blas_thread(partial(Linearised.of, own.counts), own.context(spec))

    return counted.once(("linearised", spec), make)


def pseudo_values(counted: CountedScores, spec: MethodSpec) -> tuple[CountedScores, Floats]:
    """Count, once, a table whose means over instances are the scores by the model; and how uncertain residuals are.

    See `Linearised.of_instances`.
    """

    def make() -> tuple[CountedScores, Floats]:
        work = partial(linearised(counted, spec).of_instances, counted.by_name)
        table, variances = with_one_blas_thread(work, spec.level)
        return CountedScores.of(table, [MethodSpec("mean")], threads=counted.threads), variances

    return counted.once(("pseudo-values", spec), make)


def _less(off: Floats, values: Floats) -> tuple[Floats, None]:
    """Return the same with all scores of each system less so much."""
    return values - off[:, None], None


def _sums(residual: Floats, number: Floats) -> Floats:
    """Shape `(6, N)`: sums over units, of residuals and numbers of comparisons `(N, L)`, for `_variance`."""
    terms = residual, number, residual**2, residual * number, number**2, number > 0
    return np.array([term.sum(axis=1) for term in terms])


def _variance(sums: Sequence[tuple[Ints | None, Floats]], n_clusters: int | None) -> Floats:
    """Shape `(N,)`: variance of Σ residual / Σ number of a task, by its instances, or by its clusters."""
    if n_clusters is None:
        total: Floats = np.sum([some for _, some in sums], axis=0)
    else:
        of_units = np.zeros((n_clusters, *sums[0][1].shape[1:]))
        for own, some in sums:
            of_units[own] += some
        total = _sums(*of_units.transpose(1, 2, 0))
    residual, number, squares, products, numbers, units = total
    ratio = np.divide(residual, number, out=np.zeros_like(number), where=number > 0)
    left = np.maximum(squares - 2 * ratio * products + ratio**2 * numbers, 0.0)
    found = np.full_like(number, np.nan)
    return np.asarray(np.divide(left * units, number**2 * (units - 1), out=found, where=(units > 1) & (number > 0)))


def _of_tasks(counts: Counts, context: MethodContext, chance: Floats) -> tuple[Floats, Floats]:
    """Shape `(T, N)` each: e of the one ballot of each task, and how many others it compares a system with."""
    means = evened(task_means(counts), context.scale)
    ranks = ranks_of_tasks(counts, context)
    residual, number = np.empty((2, *means.shape))
    for start in range(0, len(means), _TASKS):
        some = slice(start, start + _TASKS)
        there = ~np.isnan(means[some])
        scored = there.sum(axis=1, keepdims=True)
        won = scored - ranks[some] * ((scored + 1) / (means.shape[1] + 1))
        residual[some] = there * (won - there.astype(np.float64) @ chance.T)
        number[some] = there * (scored - 1)
    return residual, number


def _normal(systems: Sequence[str], resampling: Resampling) -> Floats:
    """Shape `(2, N, B)`: independent standard normal numbers by Box & Muller (1958), of hashes."""
    keys = np.array([task_key(resampling.seed, f"unrun\0{system}".encode()) for system in systems], dtype=np.uint64)
    numbers = np.arange(resampling.first + 1, resampling.first + resampling.replicates + 1, dtype=np.uint64)
    hashes = mix(keys[:, None] + numbers * STEP)
    high, low = ((half.astype(np.float64) + 0.5) / 2**32 for half in (hashes >> np.uint64(32), hashes & _LOW))
    return np.asarray(np.sqrt(-2 * np.log(high)) * np.stack([np.cos(2 * np.pi * low), np.sin(2 * np.pi * low)]))
