"""With what chance the test of all pairs, which goes step by step, separates systems in a larger evaluation.

- How much more data would separate systems whose scores differ by so much, with such standard errors.
- Whether more repeats of the same instances would separate systems, or only more instances.
"""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Ints
from podium.base.statistics import equalities_left
from podium.base.words import two_digits
from podium.ranking.result import Ranking
from podium.ranking.variation import critical_value, errors_of_differences, widening
from podium.score.table import Scores
from podium.score.units import FLIPPED_UNITS


def differences(ranking: Ranking) -> Floats:
    """Shape `(N, N)`: differences of goodness, 0 for systems that share a rank."""
    goodness = ranking.score if ranking.higher_is_better else -ranking.score
    same = (ranking.rank[:, None] == ranking.rank) & (ranking.rank > 0)
    return np.where(same, 0.0, goodness[:, None] - goodness)


def separation(ranking: Ranking) -> tuple[Floats, NDArray[np.bool_], float]:
    """Shape `(N, N)`: standard errors of differences, and which are separated; and the joint critical value."""
    intervals = ranking.intervals
    if intervals is None:
        nothing = np.full((len(ranking), len(ranking)), np.nan)
        return nothing, np.zeros(nothing.shape, dtype=np.bool_), np.nan
    return errors_of_differences(intervals.samples), intervals.separated, intervals.critical


def growth_needed(difference: Floats, std_error: Floats, critical: float, *, power: float = 0.8) -> Floats:
    """Find the factor by which a sample must grow to separate scores with a given probability.

    Scores are separated where |d| > c · se. With f times as many units the standard error is se/√f, and a new
    difference is about normal around d with that error, so that it exceeds the bound with the probability wanted if
    f = ((c + Φ⁻¹(power)) se / d)². With power ½ this is (c · se / d)², where d itself just reaches the bound.

    It assumes that d is the true difference, that a unit varies as much as those seen, and that all tasks grow alike
    (or, where units are tasks, that there are more tasks of the same kind).

    Parameters
    ----------
    difference
        Any shape: d, in units of the score. NaN gives NaN.
    std_error
        Same shape: se of d at the present size, ≥ 0.
    critical
        c, in standard errors.
    power
        Probability with which to separate, at least ½ and below 1.

    Returns
    -------
    f: above 1 more units are needed, below 1 fewer would do; infinite where d = 0.

    Examples
    --------
    >>> growth_needed(np.array([0.02, 0.01, 0.0]), np.array([0.01, 0.01, 0.01]), critical=1.96).round(2)
    array([1.96, 7.85,  inf])
    """
    reach = critical + NormalDist().inv_cdf(power)
    size = np.abs(difference)
    ratio = np.divide(reach * std_error, size, out=np.full_like(size, np.inf), where=size != 0)
    growth: Floats = np.square(ratio)
    return growth


#: Systems up to which new evaluations are simulated; of more, the first of all steps is planned for, which is safe.
_SYSTEMS = 50

#: Replicates that must be left to draw errors from.
_LEAST_REPLICATES = 100

#: Sizes of an evaluation that are tried, and comparisons simulated for each, unless the replicates are fewer.
_SIZES, _COMPARISONS = 24, 2**17

#: Leads that no replicate reverses, in standard errors.
_NEVER_REVERSED = 6.0

#: Degrees of freedom above which a standard error is known.
_KNOWN = 10_000

#: By how much a power that is enough exceeds the one that is wanted, so that larger sizes need not be tried.
_BEYOND = 0.1

#: Flips of a table that is drawn, such tables at most, and numbers that they may hold together.
_FLIPS, _TABLES, _NUMBERS = 120, 200, 2**21

#: Set the generators of reversed replicates, and of tables, apart from others of the same seed.
_REVERSED, _DRAWN = 0x706C616E, 0x64726177


def growth_of_pairs(
    ranking: Ranking,
    difference: Floats,
    *,
    freedom: float,
    contributions: Floats | None,
    in_steps: bool,
    of_sums: bool,
    power: float = 0.8,
) -> Floats:
    """Shape `(N, N)`: by what factor a sample must grow to separate each pair of a ranking with a given chance.

    By `growth_for_power`. For more than 50 systems, for scores that move in steps, and where a method places systems in
    too few replicates, it is what the first of all steps would take, which is never less: see `growth_needed`.

    Parameters
    ----------
    ranking
        With intervals or without; NaN where there are none.
    difference
        Shape `(N, N)`, in its order, higher is better; 0 for equals.
    freedom
        Degrees of freedom of its standard errors.
    contributions
        Shape `(U, N)`, in its order: what each unit adds to the scores, or to those that are flipped beside them; None
        if that is not known.
    in_steps, of_sums
        Whether scores move in steps; whether they are sums over units.
    power
        Wanted, at least ½ and below 1.
    """
    error, _, critical = separation(ranking)
    growth = growth_needed(difference, error, critical, power=power)
    intervals, placed = ranking.intervals, np.flatnonzero(ranking.rank > 0)
    if intervals is None or in_steps or not 1 < placed.size <= _SYSTEMS:
        return growth
    samples = intervals.samples[placed]
    samples = samples[:, ~np.isnan(samples).any(axis=0)]
    if samples.shape[1] < min(_LEAST_REPLICATES, intervals.replicates):
        return growth
    both = np.ix_(placed, placed)
    growth[both] = growth_for_power(
        difference[both],
        samples,
        freedom=freedom,
        contributions=None if contributions is None else contributions[:, placed],
        units=intervals.units,
        confidence=intervals.confidence,
        seed=intervals.seed,
        of_sums=of_sums,
        power=power,
    )
    return growth


def growth_for_power(
    difference: Floats,
    samples: Floats,
    *,
    freedom: float,
    contributions: Floats | None = None,
    units: str,
    confidence: float,
    seed: int,
    of_sums: bool,
    power: float = 0.8,
) -> Floats:
    """Find the factor by which a sample must grow so that a pair is separated, all pairs together, with a given chance.

    With g times as many units a difference comes out as d + e / √g, with e drawn from the replicates, less their mean,
    in either direction: so the errors of all pairs go together as they do. Its standard error comes out as √(χ² / ν)
    times the true one. The p-values of all pairs, those of `podium.ranking.intervals.p_values`, take Shaffer's steps.
    The share of draws in which a pair is separated, in the direction of d, is its power at g.

    Up to 200 units, whole units are flipped instead, or also, see `podium.ranking.separation.sign_flip_test`. Then
    tables of so many units are drawn from those there are, with replacement, and the power is the share of them in
    which flips separate the pair; of both tests, the smaller power. Squares of what is drawn from U units are (U − 1) /
    U as large as those of new ones, and U / (U − 1) times as many units make up for that.

    The power is found at 24 sizes, from what one comparison alone would take on. Between sizes, Φ⁻¹(power) is taken as
    straight in √g.

    Parameters
    ----------
    difference
        Shape `(N, N)`: d, higher is better; 0 for equals.
    samples
        Shape `(N, B)`: goodness in every replicate, without NaN.
    freedom, units, confidence
        Degrees of freedom at the present size, what is drawn, and 1 − α.
    contributions
        Shape `(U, N)`: what each unit adds to the scores; None where nothing is flipped.
    seed
        For how many replicates reverse a lead.
    of_sums
        Whether scores are sums over units, so that this is not asked.
    power
        Wanted, at least ½ and below 1.

    Returns
    -------
    Shape `(N, N)`, symmetric: g; infinite where d is 0.

    Examples
    --------
    >>> samples = np.random.default_rng(0).normal(size=(3, 1000))
    >>> difference = np.subtract.outer([4.0, 2.0, 0.0], [4.0, 2.0, 0.0])
    >>> test = {"freedom": 1e6, "units": "instances", "confidence": 0.95, "of_sums": True}
    >>> growth_for_power(difference, samples, seed=0, **test)[0].round(1)
    array([inf, 3.7, 1.3])
    """
    from scipy.special import ndtri  # noqa: PLC0415  # only where intervals are wanted

    n_systems = len(samples)
    left, right = np.triu_indices(n_systems, 1)
    d = np.abs(difference[left, right])
    draws = int(np.clip(_COMPARISONS // (2 * d.size), _LEAST_REPLICATES, samples.shape[1]))
    centred = samples - samples.mean(axis=1, keepdims=True)
    errors = (centred[left] - centred[right]) * np.sign(difference[left, right])[:, None]
    std_error = errors.std(axis=1, ddof=1)
    true_error = std_error * widening(freedom, units)
    alone, first = (critical_value(confidence, 1e9, units=units, statements=m) for m in (1, d.size))
    least, most = (growth_needed(d, true_error, critical, power=power) for critical in (alone, first))
    # half of the squared bound makes up for a standard error that is known from few units (Guenther 1981)
    most = most + 2 * (first + float(ndtri(power))) ** 2 / (freedom + 1)
    able = np.isfinite(most) & (std_error > 0)
    found = np.where(able, most, np.where(d > 0, 0.0, np.inf))
    if able.any():
        flips = None if contributions is None else _Flips(contributions, left, right, 1 - confidence, seed)
        logs = np.quantile(np.log(np.concatenate([least[able], most[able]])), np.linspace(0, 1, _SIZES))
        sizes = np.unique(np.concatenate([np.exp(logs), [] if flips is None else flips.smallest]))
        rng = np.random.default_rng([seed % 2**64, _REVERSED])
        noise = np.concatenate([errors[:, :draws], -errors[:, :draws]], axis=1)
        noise /= np.where(std_error > 0, std_error, 1.0)[:, None]
        size = np.divide(d, true_error, out=np.zeros_like(d), where=std_error > 0)
        asked = 0 if of_sums else samples.shape[1]
        test: Any = {"freedom": freedom, "units": units, "alpha": 1 - confidence, "replicates": asked}
        powers: list[Floats] = []
        for growth in sizes:
            flipped = None if flips is None else flips.power(growth)
            found_by = [] if flipped is None else [flipped]
            if flipped is None or not of_sums:
                found_by.append(_power(size, noise, growth, rng, **test))
            powers.append(np.minimum.reduce(found_by))
            if (powers[-1][able] > power + _BEYOND).all():
                break
        wanted = _crossed(np.sqrt(sizes[: len(powers)]), np.array(powers), power, noise.shape[1])
        found[able] = np.clip(wanted[able] ** 2, least[able], most[able])
    growth = np.full((n_systems, n_systems), np.inf)
    growth[left, right] = growth[right, left] = found
    return growth


def _power(
    size: Floats,
    noise: Floats,
    growth: float,
    rng: np.random.Generator,
    *,
    freedom: float,
    units: str,
    alpha: float,
    replicates: int,
) -> Floats:
    """Shape `(m,)`: in which share of R draws Student's test separates each of m pairs, in its direction.

    Parameters
    ----------
    size
        Shape `(m,)`: differences in standard errors, at the present size.
    noise
        Shape `(m, R)`: errors of differences in standard errors.
    growth
        By what factor there are more units.
    rng, freedom, units, alpha, replicates
        As for `growth_for_power`; of how many replicates it is asked whether they reverse a lead.
    """
    from scipy.special import ndtr, ndtri, stdtrit  # noqa: PLC0415  # only where intervals are wanted

    n_systems = round((1 + np.sqrt(1 + 8 * size.size)) / 2)
    new_freedom = max(growth * (freedom + 1) - 1, 1.0)
    wider = widening(new_freedom, units)
    signed = np.sqrt(growth) * size[:, None] + noise
    bounds = -stdtrit(new_freedom, alpha / 2 / equalities_left(n_systems))
    t = np.abs(signed)
    if new_freedom < _KNOWN:
        t /= np.sqrt(rng.chisquare(new_freedom, t.shape) / new_freedom)
    if replicates:
        t *= wider  # as replicates vary less
        close = (t > bounds.min() * wider) & (t < _NEVER_REVERSED)
        reversed_share = rng.binomial(replicates, ndtr(-t[close])) / (replicates + 1)
        t[close] = np.minimum(t[close], -ndtri(reversed_share))
        t /= wider
    order = np.argsort(-t, axis=0)
    passed = np.logical_and.accumulate(np.take_along_axis(t, order, axis=0) >= bounds[:, None], axis=0)
    separated = np.zeros_like(passed)
    np.put_along_axis(separated, order, passed, axis=0)
    share: Floats = (separated & (signed > 0)).mean(axis=1)
    return share


class _Flips:
    """Tables of units that are drawn with replacement, whose flips separate pairs."""

    def __init__(self, values: Floats, left: Ints, right: Ints, alpha: float, seed: int) -> None:
        self._values = values - values.mean(axis=1, keepdims=True)
        self._left, self._right, self._alpha = left, right, alpha
        self._direction = np.sign((values[:, left] - values[:, right]).sum(axis=0))
        rng = np.random.default_rng([seed % 2**64, _DRAWN])
        tables = int(np.clip(_NUMBERS // (_FLIPS * left.size), _LEAST_REPLICATES, _TABLES))
        self._picks = rng.integers(len(values), size=(tables, FLIPPED_UNITS))
        self._signs = rng.choice([-1.0, 1.0], (_FLIPS, FLIPPED_UNITS))
        self._signs[0] = 1.0
        self._powers: dict[int, Floats] = {}

    @property
    def smallest(self) -> Floats:
        """Sizes of 6 to 20 units, each of them."""
        return (np.arange(6, 21) + 0.5) / max(len(self._values) - 1, 1)

    def power(self, growth: float) -> Floats | None:
        """Shape `(m,)`: in which share of the tables each pair is separated, in its direction; None of many units."""
        number = len(self._values)
        if growth * number > FLIPPED_UNITS:
            return None
        n_units = max(int(growth * (number - 1)), 1)
        if n_units not in self._powers:
            size = max(_NUMBERS // 8 // (_FLIPS * self._left.size), 1)
            runs = [self._separated(self._picks[at : at + size, :n_units]) for at in range(0, len(self._picks), size)]
            self._powers[n_units] = np.concatenate(runs).mean(axis=0)
        return self._powers[n_units]

    def _separated(self, picks: Ints) -> NDArray[np.bool_]:
        """Shape `(R, m)`: of R tables, the pairs that are separated in their direction, stepping down."""
        n_units, left, right = picks.shape[1], self._left, self._right
        signs = self._signs[:, :n_units]
        if 2 ** (n_units - 1) <= len(signs):  # all there are
            signs = 1.0 - 2.0 * (np.arange(2 ** (n_units - 1))[:, None] >> np.arange(n_units) & 1)
        drawn = self._values[picks]
        products = drawn.swapaxes(1, 2) @ drawn
        own = np.diagonal(products, axis1=1, axis2=2)
        whole = own[:, left] + own[:, right]
        squares = whole - 2 * products[:, left, right]
        length = np.sqrt(np.where(squares > 1e-12 * whole, squares, np.inf))[:, None]
        sums = signs @ drawn
        signed = (sums[:, :, left] - sums[:, :, right]) / length
        order = np.argsort(-np.abs(signed[:, 0]), axis=1)[:, None]
        t = np.take_along_axis(np.abs(signed), order, axis=2)
        largest = np.maximum.accumulate(t[:, :, ::-1], axis=2)[:, :, ::-1]
        rank = len(signs) - int(self._alpha * len(signs) + 1e-9) - 1
        bound = np.partition(largest, rank, axis=1)[:, rank]
        passed = np.logical_and.accumulate(t[:, 0] * (1 - 1e-9) > bound, axis=1)
        separated = np.zeros_like(passed)
        np.put_along_axis(separated, order[:, 0], passed, axis=1)
        return np.asarray(separated & (signed[:, 0] * self._direction > 0))


def _crossed(roots: Floats, powers: Floats, power: float, draws: int) -> Floats:
    """Shape `(m,)`: √g at which each power `(G, m)` over ascending √g `(G,)` reaches what is wanted."""
    from scipy.special import ndtri  # noqa: PLC0415

    least = 0.5 / draws
    rising = np.maximum.accumulate(ndtri(np.clip(powers, least, 1 - least)), axis=0)
    wanted = ndtri(power)
    return np.array([np.interp(wanted, column, roots, left=roots[0], right=roots[-1]) for column in rising.T])


def variance_of_repeats(scores: Scores) -> Floats:
    """Shape `(N,)`: what repeats add to the variance of the mean over tasks of each system.

    Σ_t (w_t / W)² σ_w² / (m K), with σ_w² the variance of single repeats, m their number an instance, see
    `podium.score.repeat.RepeatVariance`, and K the effective number of instances; 0 for a task without repeats.
    Both sums are over the tasks that score the system.
    """
    total, weights = np.zeros(len(scores.systems)), np.zeros(len(scores.systems))
    for task in scores.tasks:
        there = task.scored > 0
        weights += task.weight * there
        found = None if task.repeats is None else task.repeats.variance
        if found is None:
            continue
        mass = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
        number = np.maximum(task.scored * mass.sum() ** 2 / (mass**2).sum() / task.n_instances, 1.0)
        noise = np.nan_to_num(found.within / found.repeats)
        total += np.where(there, task.weight**2 * noise / number, 0.0)
    variance: Floats = np.divide(total, weights**2, out=np.zeros_like(total), where=weights > 0)
    return variance


def repeats_needed(growth: float, share: float) -> float:
    """Return by what factor repeats must grow to do what instances do if they grow by f; infinite where none is enough.

    With f times as many instances the variance of a difference is V / f. A share s of V is that of repeats, and with r
    times as many it is (1 − s) V + s V / r. So r = s / (1 / f − 1 + s), at least f: repeats never need fewer runs.

    >>> round(repeats_needed(2.0, 0.8), 3), repeats_needed(2.0, 0.4)
    (2.667, inf)
    """
    spare = 1 / growth - (1 - share)
    return share / spare if spare > 1e-9 else math.inf


def notes_on_repeats(scores: Scores, systems: tuple[str, ...], std_error: Floats, growth: Floats) -> list[str]:
    """Say of first and second, and of first and third, whether repeats alone would separate them.

    Parameters
    ----------
    scores
        The table; where no scores are means over repeats, nothing is said.
    systems
        In the order of the ranking by method "mean".
    std_error, growth
        Shape `(N, N)`, in this order, see `podium.planning.result.Plan`.
    """
    variances = [task.repeats.variance for task in scores.tasks if task.repeats is not None]
    known = [variance for variance in variances if variance is not None]
    if not known:
        return []
    order = [scores.systems.index(system) for system in systems]
    noise = variance_of_repeats(scores)[order]
    numbers = [variance.repeats[order[0]] for variance in known]
    now = float(np.nanmean(numbers)) if np.isfinite(numbers).any() else math.nan
    notes = []
    for other in range(1, min(len(systems), 3)):
        factor, error = float(growth[0, other]), float(std_error[0, other])
        if not (math.isfinite(factor) and factor > 1 and error > 0 and math.isfinite(now)):
            continue
        share = min(float(noise[0] + noise[other]) / error**2, 1.0)
        needed = repeats_needed(factor, share)
        pair = f"{systems[0]}, {systems[other]}"
        if math.isinf(needed):
            said = (
                f"repeats are only {share:.0%} of the variance, so more of them cannot separate the two; add instances"
            )
        else:
            many = two_digits(math.ceil(needed * now))
            said = f"about {many} repeats an instance instead of {now:.3g} would do too; instances take fewer runs"
        notes.append(f"{pair}: {said}")
    return notes
