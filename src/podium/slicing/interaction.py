"""How far a system departs, on a slice, from what it does elsewhere; whether that is more than chance; shrunk scores.

The score of system i on slice s is m_is. A unit u adds ψ_uis to its error, which sums to 0 over units: so errors of
sums and differences of scores are sums of squares over units, and a unit that crosses slices counts once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.statistics import normal_quantile, student_cdf, student_quantile
from podium.comparison.random_effects import Studies
from podium.ranking.contributions import by_unit, of_instances, weighing
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import LEAST_EFFECTIVE
from podium.ranking.linearised import pseudo_values
from podium.ranking.method_spec import MethodSpec
from podium.ranking.separation import ENOUGH
from podium.score.task import masses_of
from podium.score.units import units_among

#: Values of τ that are looked at, and units that the variance of all slices counts as in that of one.
_GRID, _COMMON = 200, 10.0


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Scores of N systems on a slice, and what its units add to their errors.

    Attributes
    ----------
    score
        Shape `(N,)`: m, higher is better; NaN of systems without a score.
    unit
        Shape `(U,)`: the number of each unit among those of all slices.
    share
        Shape `(U,)`: what it weighs in the slice, of 1.
    added
        Shape `(U, N)`: ψ.
    weight
        What the slice weighs among others: the mass of its instances.
    """

    score: Floats
    unit: Ints
    share: Floats
    added: Floats
    weight: float

    @classmethod
    def of(cls, counted: CountedScores, spec: MethodSpec, number: dict[str, Ints]) -> Self:
        """Take the scores of a counted slice; `number` is by task the number of the unit of each instance."""
        table, basis = counted.by_name, spec
        if spec.missing == "model":
            table, basis = pseudo_values(counted, spec)[0].by_name, MethodSpec("mean")
        tasks, _ = weighing(table, "instances")
        weights = np.array([task.weight for task in tasks])
        if basis.level == "one":
            weights = weights * [masses_of(task).sum() for task in tasks]
        made = of_instances(table, basis, centred=True)
        of, share = np.empty(len(made.values), dtype=np.int64), np.zeros(len(made.values))
        start = 0
        for group in units_among(tasks):
            for index, own in zip(group.tasks, group.of, strict=True):
                mass = masses_of(tasks[index])
                of[start + own] = number[tasks[index].name]
                np.add.at(share, start + own, weights[index] / weights.sum() * mass / mass.sum())
            start += group.number
        unit, of = np.unique(of, return_inverse=True)  # what only other slices connect is one unit here, too
        score = counted.result(spec).oriented_score
        added = np.where(np.isnan(score), 0.0, by_unit(made, of, unit.size).values)
        whole = float(sum(task.weight * masses_of(task).sum() for task in tasks))
        return cls(score, unit, np.bincount(of, weights=share).astype(np.float64), added, whole)

    @property
    def size(self) -> float:
        """Return how many units of equal weight tell as much: (Σ a)² / Σ a²."""
        return float(self.share.sum() ** 2 / (self.share**2).sum())


def _per_unit(added: Floats, size: float) -> tuple[Floats, Floats]:
    """Shape `(N,)` each: n times the variance of a sum over units, as of one unit, and its degrees of freedom.

    Σ ψ² · n² / (n − 1). By its kurtosis κ = n Σ ψ⁴ / (Σ ψ²)², a variance is known as well as from 2 n / (κ − 1) degrees
    of freedom, n − 1 of normal numbers; 0 if fewer than four units, n / κ, carry it.
    """
    squares, fourth = (added**2).sum(axis=0), (added**4).sum(axis=0)
    carried = np.divide(squares**2, fourth, out=np.zeros_like(squares), where=fourth > 0)
    with np.errstate(divide="ignore"):
        df = np.minimum(size - 1, 2 * size / np.maximum(size / carried - 1, 1e-9))
    return squares * size**2 / max(size - 1, 1e-9), np.where(carried >= LEAST_EFFECTIVE, df, 0.0)


def departures(parts: Sequence[Part], confidence: float) -> tuple[Ints, dict[str, Floats]]:
    """Compare each slice with the others by Welch's test over units.

    d_is = (m_is − m̄_s) − (m_i,−s − m̄_,−s), m_i,−s being the mean over the other slices by their weight, and m̄ the mean
    of the systems with a score on every slice. Its variance is V_s + V_,−s − 2 C, C being what units in both share; its
    degrees of freedom are Satterthwaite's. V per unit is that of the slice, or that of the units of all slices if this
    is larger: a slice that happens to show no rare failure seems to vary too little. Being ahead of the leader
    elsewhere, L, has the larger p-value of two one-sided tests, of m_is > m_Ls and of d with L in place of m̄ (an
    intersection–union test, Berger 1982).

    Returns
    -------
    Shape `(S,)`: the leader elsewhere; and what `podium.slicing.result.Cut` holds of departures and of being ahead.
    """
    weight, score = np.array([part.weight for part in parts]), np.array([part.score for part in parts])
    known = ~np.isnan(score)
    everywhere, whole = known.all(axis=0), weight @ known
    size = 1 + max(int(part.unit.max()) for part in parts)
    total, mass = np.zeros((size, score.shape[1])), np.zeros(size)
    for part in parts:
        total[part.unit] += part.weight * part.added
        mass[part.unit] += part.weight * part.share
    summed, spread, found = weight @ np.where(known, score, 0.0), _Spread.of(parts), []
    for part, there in zip(parts, known, strict=True):
        added, share, left = total.copy(), mass.copy(), whole - part.weight * there
        added[part.unit] -= part.weight * part.added
        share[part.unit] -= part.weight * part.share
        divided = np.where(left > 0, left, np.nan)
        rest = (summed - part.weight * np.where(there, part.score, 0.0)) / divided
        others = Part(rest, np.arange(size), share, np.nan_to_num(added / divided), float(weight.sum() - part.weight))
        first = int(np.argmax(np.where(everywhere, rest, -np.inf)))
        mean, lead = (
            _Difference.of(part, others, spread, base) for base in (everywhere, np.arange(everywhere.size) == first)
        )
        reach = mean.error * [-student_quantile((1 - confidence) / 2, df) if df > 0 else np.nan for df in mean.df]
        ahead = np.maximum(lead.exceeds, _tail(lead.here, lead.own_error, lead.own_df))
        ahead[first] = np.nan
        p = 2 * np.minimum(mean.exceeds, 1 - mean.exceeds)
        found.append((first, mean.value, mean.value - reach, mean.value + reach, p, ahead))
    leaders, *columns = (np.array(column) for column in zip(*found, strict=True))
    return leaders, dict(zip(("departure", "departure_low", "departure_high", "p", "ahead_p"), columns, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Spread:
    """What units of all slices add, each times the size of its slice; the sum of sizes; and their sum less one each."""

    added: Floats
    size: float
    freedom: float

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        sizes = np.array([part.size for part in parts])
        added = np.concatenate([part.size * part.added for part in parts])
        return cls(added, float(sizes.sum()), float((sizes - 1).sum()))

    def variance(self, base: Bools) -> tuple[Floats, Floats]:
        """Shape `(N,)` each: variance of a difference from some systems, per unit, and its degrees of freedom."""
        variance, df = _per_unit(_against(self.added, base), self.size)
        return variance * (self.size - 1) / self.size**2 / max(self.freedom, 1e-9), np.minimum(df, self.freedom)


@dataclass(frozen=True, slots=True, eq=False)
class _Difference:
    """Differences from the mean of some systems, on a slice and elsewhere; shape `(N,)` each.

    On the slice `here`, with `own_error` and `own_df`; and by how much more than elsewhere, with `error` and `df`.
    """

    here: Floats
    own_error: Floats
    own_df: Floats
    value: Floats
    error: Floats
    df: Floats

    @classmethod
    def of(cls, part: Part, others: Part, spread: _Spread, base: Bools) -> Self:
        common, common_df = spread.variance(base)
        here, there = (_against(one.added, base) for one in (part, others))
        variance, known = [], []
        for added, size in ((here, part.size), (there, others.size)):
            own, df = _per_unit(added, size)
            df = np.where(own > common, df, common_df)
            enough = size - 1 >= ENOUGH
            variance.append(np.maximum(own, common) / size)
            known.append(np.where(enough & (df >= ENOUGH), df, 0.0))
        own, other = (one - one[base].mean() for one in (part.score, others.score))
        whole = np.maximum(sum(variance) - 2 * (here * there[part.unit]).sum(axis=0), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = sum(variance) ** 2 / (variance[0] ** 2 / known[0] + variance[1] ** 2 / known[1])
        df = np.where((known[0] > 0) & (known[1] > 0), df, 0.0)
        return cls(own, np.sqrt(variance[0]), known[0], own - other, np.sqrt(whole), df)

    @property
    def exceeds(self) -> Floats:
        """Shape `(N,)`: one-sided p-value of more than elsewhere."""
        return _tail(self.value, self.error, self.df)


def _against(added: Floats, base: Bools) -> Floats:
    return np.asarray(added - added[:, base].mean(axis=1, keepdims=True))


def _tail(value: Floats, error: Floats, df: Floats) -> Floats:
    """Shape `(N,)`: the probability of more than these values by chance; NaN where no error is known."""
    known = (df > 0) & (error > 0) & ~np.isnan(value)
    p = np.full(value.shape, np.nan)
    p[known] = student_cdf(-value[known] / error[known], df[known])
    return p


def shrink(parts: Sequence[Part], confidence: float) -> tuple[float, Floats, dict[str, Floats]]:
    """Shrink what systems do on slices towards their levels, by a random-effects model of each system over slices.

    z_is = m_is − m̄_s has the mean μ_i and the variance τ² + v_is, one τ for all systems. At a given τ the departure is
    B (z − μ̂) with B = τ² / (τ² + v) and the variance (1 − B) τ² + B² Var(μ̂). It is averaged over τ by the restricted
    likelihood, flat in τ up to the range of z, so that the interval knows that τ is estimated (Morris 1983 is its
    first order). The systems have one mean on a slice, so their likelihood counts as that of N − 1. v_is is what units
    of the slice say, averaged with what all slices say as ten more units would be.

    Returns
    -------
    τ; shape `(S, N)`, the levels of the slice and of the system with the departure; and what
    `podium.slicing.result.Cut` holds of the departure.
    """
    score = np.array([part.score for part in parts])
    everywhere = ~np.isnan(score).any(axis=0)
    level = score[:, everywhere].mean(axis=1)
    z, size = score - level[:, None], np.array([[part.size] for part in parts])
    own = np.array([_per_unit(_against(part.added, everywhere), part.size)[0] for part in parts])
    enough = (size > 1) & ~np.isnan(z)
    common = (own * (size - 1) * enough).sum(axis=0) / np.maximum(((size - 1) * enough).sum(axis=0), 1e-300)
    variance = (np.where(enough, own * (size - 1), 0.0) + _COMMON * common) / (size - 1 + _COMMON) / size
    variance = np.where(
        np.isnan(z), np.nan, np.maximum(variance, max(1e-12 * float(np.nanmax(np.abs(z))) ** 2, 1e-100))
    )
    studies = Studies.of(z, variance)
    n_systems, taus = z.shape[1], np.linspace(0.0, float(np.sqrt(studies.most_tau2.max())), _GRID)
    likelihood = np.empty(_GRID)
    mean, square, middle = np.zeros((3, *z.shape))
    made = []
    for place, tau in enumerate(taus.tolist()):
        tau2 = np.full(n_systems, tau**2)
        fit = studies.fit(tau2)
        likelihood[place] = studies.restricted_log_likelihood(tau2).sum() / 2 * (n_systems - 1) / n_systems
        kept = tau2 / (tau2 + variance)
        made.append((kept * (z - fit.mean), (1 - kept) * tau2 + kept**2 / fit.total, fit.mean))
    share = np.exp(likelihood - likelihood.max())
    share /= share.sum()
    for one, (departure, around, of_system) in zip(share.tolist(), made, strict=True):
        mean, square = mean + one * departure, square + one * (around + departure**2)
        middle = middle + one * of_system
    reach = -normal_quantile((1 - confidence) / 2) * np.sqrt(np.maximum(square - mean**2, 0.0))
    found = {"shrunk_departure": mean, "shrunk_low": mean - reach, "shrunk_high": mean + reach}
    return float(share @ taus), level[:, None] + middle + mean, found
