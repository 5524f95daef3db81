"""Meta-regression: effects that depend on properties of tasks, with what is left of the variance between tasks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.errors import InputError, MethodError
from podium.base.words import are, few, how_many, listed
from podium.comparison.pooling import (
    INTERVALS,
    Pooled,
    Pooling,
    check_pooling,
    factor_of,
    inconsistency,
    quantile,
    two_sided,
)
from podium.comparison.random_effects import ESTIMATORS, q_profile
from podium.comparison.read import moderator_values
from podium.comparison.summary import Coefficient, Moderation

#: Stands for what is left of an effect that alone determines a coefficient.
_LEAST_LEFT = 2.0**-52


@dataclass(frozen=True)
class Designs:
    """Effects of A analyses of k tasks, each with a design.

    Attributes
    ----------
    effect, variance
        Shape `(A, k)`: effects less `origin`, so that sums lose no digits where effects are alike and far from 0.
    design
        Shape `(A, k, p)`.
    origin
        Shape `(A,)`: an effect that weighs most.
    """

    effect: Floats
    variance: Floats
    design: Floats
    origin: Floats

    @classmethod
    def of(cls, effect: Floats, variance: Floats, design: Floats) -> Self:
        """Take rows; one design may be of all."""
        origin = np.take_along_axis(effect, variance.argmin(axis=1)[:, None], axis=1)
        shape = (*effect.shape, design.shape[-1])
        return cls(effect - origin, variance, np.broadcast_to(design, shape), origin[:, 0])

    @property
    def df(self) -> Floats:
        """Shape `(A,)`: tasks less coefficients."""
        return np.full(len(self.effect), float(self.design.shape[1] - self.design.shape[2]))

    @property
    def least_variance(self) -> Floats:
        """Shape `(A,)`: of the tasks."""
        return np.asarray(self.variance.min(axis=1))

    @property
    def most_tau2(self) -> Floats:
        """Shape `(A,)`: from here on the restricted likelihood falls.

        Its slope is y'PPy − tr P, and with the squares E of ordinary residuals y'PPy ≤ max w² E and
        tr P ≥ (k − p) min w. So it falls where (v_max + τ²) E ≤ τ⁴ (k − p).
        """
        mean = self.alike.squares / self.df
        return np.asarray((mean + np.sqrt(mean * mean + 4 * mean * self.variance.max(axis=1))) / 2)

    @cached_property
    def alike(self) -> "DesignFit":
        """Return the fit that counts all tasks alike."""
        return replace(self, variance=np.ones_like(self.variance)).at_zero

    def take(self, which: NDArray[np.intp]) -> Self:
        """Return some analyses, in the order given, or one several times."""
        names = ("effect", "variance", "design", "origin")
        return type(self)(*(np.take(getattr(self, name), which, axis=0) for name in names))

    def fit(self, tau2: Floats) -> "DesignFit":
        """Weigh by 1 / (vᵢ + τ²), and project on the columns, twice, so that nothing of them is left in residuals."""
        weight = 1 / (self.variance + tau2[:, None])
        root = np.sqrt(weight)
        basis, triangle = np.linalg.qr(root[..., None] * self.design)
        weighed = root * self.effect
        along = np.einsum("akp,ak->ap", basis, weighed)
        rest = weighed - np.einsum("akp,ap->ak", basis, along)
        again = np.einsum("akp,ak->ap", basis, rest)
        rest -= np.einsum("akp,ap->ak", basis, again)
        return DesignFit(weight, basis, triangle, along + again, rest, self.origin, self.design[:, 0, 0])

    @cached_property
    def at_zero(self) -> "DesignFit":
        """Return the fit without variance between tasks."""
        return self.fit(np.zeros(len(self.effect)))

    def restricted_log_likelihood(self, tau2: Floats) -> Floats:
        """Return twice the logarithm, up to a constant: −(Σ log(v + τ²) + log |X'WX| + Σ w r²)."""
        fit = self.fit(tau2)
        determinant = 2 * np.log(np.abs(np.diagonal(fit.triangle, axis1=1, axis2=2))).sum(axis=1)
        return np.asarray(-(np.log(self.variance + tau2[:, None]).sum(axis=1) + determinant + fit.q))


@dataclass(frozen=True)
class DesignFit:
    """A analyses at some τ²: √W X = Q R and √W y = Q c + u.

    Attributes
    ----------
    weight, rest
        Shape `(A, k)`: w, and u = √w r.
    basis, triangle, along
        Q, shape `(A, k, p)`; R, shape `(A, p, p)`; c, shape `(A, p)`.
    origin, one
        Shape `(A,)`: what effects are less by, and what the first column is.
    """

    weight: Floats
    basis: Floats
    triangle: Floats
    along: Floats
    rest: Floats
    origin: Floats
    one: Floats

    @cached_property
    def leverage(self) -> Floats:
        """Shape `(A, k)`: how far an effect determines what is expected of it."""
        return np.asarray(np.einsum("akp,akp->ak", self.basis, self.basis))

    @property
    def coefficients(self) -> Floats:
        """Shape `(A, p)`: β = R⁻¹c."""
        found = np.linalg.solve(self.triangle, self.along[..., None])[..., 0].astype(np.float64)
        found[:, 0] += self.origin / self.one
        return found

    @property
    def covariance(self) -> Floats:
        """Shape `(A, p, p)`: (X'WX)⁻¹ = R⁻¹R⁻ᵀ."""
        inverse = np.linalg.inv(self.triangle)
        return np.asarray(np.einsum("apr,aqr->apq", inverse, inverse))

    @property
    def robust_df(self) -> Floats:
        """Shape `(A, p)`: Satterthwaite's degrees of freedom of a robust variance of each coefficient.

        With (X'WX)⁻¹X'W = A, it is Σ aᵢ² rᵢ² / (1 − hᵢ), which is right on average for effects of variance 1 / w. Its
        degrees of freedom are then (Σ sᵢ)² / (Σ sᵢ² + Σ dᵢ dⱼ (QQ')ᵢⱼ² over i ≠ j) with s = a² / w and
        d = s / (1 − h); those of a mean are `Studies.satterthwaite`.
        """
        parts = np.swapaxes(np.linalg.solve(self.triangle, np.swapaxes(self.basis, 1, 2)) ** 2, 1, 2)  # (A, k, p)
        lever = parts / np.maximum(1 - self.leverage, _LEAST_LEFT)[..., None]
        meet = np.einsum("akp,alp->akl", self.basis, self.basis) ** 2
        meet[:, np.arange(meet.shape[1]), np.arange(meet.shape[1])] = 0.0
        spread = (parts**2).sum(axis=1) + np.einsum("akp,akl,alp->ap", lever, meet, lever, optimize=True)
        return np.asarray(parts.sum(axis=1) ** 2 / spread)

    @property
    def q(self) -> Floats:
        """Shape `(A,)`: Σ w r²."""
        return np.asarray(np.einsum("ak,ak->a", self.rest, self.rest))

    @property
    def q_slope(self) -> Floats:
        """Shape `(A,)`: Σ w² r²."""
        return np.asarray(np.einsum("ak,ak,ak->a", self.weight, self.rest, self.rest))

    @property
    def squares(self) -> Floats:
        """Shape `(A,)`: Σ r²."""
        return np.asarray(np.einsum("ak,ak->a", self.rest, self.rest / self.weight))

    @property
    def pair_weight(self) -> Floats:
        """Shape `(A,)`: tr P = Σ w (1 − h)."""
        return np.asarray(np.einsum("ak,ak->a", self.weight, 1 - self.leverage))

    @property
    def slope(self) -> tuple[Floats, Floats]:
        """Slope of the restricted likelihood l, doubled, and its derivative.

        2 dl/dτ² = y'PPy − tr P and 2 d²l/dτ⁴ = tr PP − 2 y'PPPy, as dP/dτ² = −PP. With √W P √W⁻¹ = W (I − QQ'):

            y'PPy = Σ w u²         y'PPPy = Σ w² u² − |Q'(w u)|²        tr PP = Σ w² (1 − 2 h) + |Q'WQ|²
        """
        w, u = self.weight, self.rest
        slope = self.q_slope - self.pair_weight
        squared = np.einsum("akp,ak,akq->apq", self.basis, w, self.basis)
        of_weights = np.einsum("ak,ak->a", w * w, 1 - 2 * self.leverage) + np.einsum("apq,apq->a", squared, squared)
        along = np.einsum("akp,ak->ap", self.basis, w * u)
        of_residuals = 2 * (np.einsum("ak,ak->a", w * u, w * u) - np.einsum("ap,ap->a", along, along))
        return slope, of_weights - of_residuals


@dataclass(frozen=True, slots=True, eq=False)
class Regressed(Frozen):
    """Regressions of A analyses; shape `(A,)` each unless said otherwise.

    Attributes
    ----------
    estimate, std_error, low, high
        Shape `(A, p)`: coefficients, their standard errors and intervals.
    covariance
        Shape `(A, p, p)`: of the coefficients.
    df, p
        Shape `(A, p)`: degrees of freedom of intervals, infinite where they are normal; two-sided p-values.
    tau2, tau2_low, tau2_high
        Variance between tasks that is left, and its Q-profile interval.
    i2, h2
        As for a mean, with v̄ = (k − p) / tr P.
    qe
        Σ (y − Xβ₀)² / v with the coefficients β₀ at τ² = 0.
    qm, qm_df, qm_p
        Wald statistic of all coefficients but the first: β'V⁻¹β, divided by their number where intervals are not
        normal; then the second degrees of freedom of F, the least of theirs; and its p-value by F, or else by χ².
    """

    estimate: Floats
    std_error: Floats
    low: Floats
    high: Floats
    covariance: Floats
    df: Floats
    p: Floats
    tau2: Floats
    tau2_low: Floats
    tau2_high: Floats
    i2: Floats
    h2: Floats
    qe: Floats
    qm: Floats
    qm_df: Floats
    qm_p: Floats


def regress(
    effect: ArrayLike,
    variance: ArrayLike,
    design: ArrayLike,
    *,
    estimator: str = "reml",
    interval: str = INTERVALS[0],
    confidence: float = 0.95,
) -> Regressed:
    """Fit y = Xβ + u + e with var u = τ² and var e = v, by β = (X'WX)⁻¹ X'Wy with w = 1 / (v + τ²).

    τ² is estimated as for a mean, which is the case of a column of ones: with the residuals r = y − Xβ and the
    projection P = W − WX(X'WX)⁻¹X'W, DerSimonian–Laird is (QE − (k − p)) / tr P at τ² = 0, Paule–Mandel where
    Σ w r² = k − p, and REML the highest maximum of −½ (Σ log(v + τ²) + log |X'WX| + Σ w r²) over τ² ≥ 0.

    Parameters
    ----------
    effect, variance
        Shape `(A, k)`: effects y, and sampling variances v > 0, all of them known.
    design
        Shape `(k, p)` or `(A, k, p)`: X, its first column 1, with independent columns and k > p.
    estimator, interval, confidence
        As for `podium.comparison.pooling.pool`: Σ w r² / (k − p) takes the place of Knapp and Hartung's factor, and
        k − p that of k − 1 degrees of freedom. "satterthwaite" has (k − p) ν / ν₁ of them, at least 1, for ν of
        `DesignFit.robust_df`, and ν₁ where all tasks weigh the same; of a mean ν₁ is
        k − 1, so this is `pool`'s.

    Returns
    -------
    Regressed

    Raises
    ------
    MethodError
        Shapes do not fit, there are not more tasks than coefficients, or the estimator, interval or confidence makes
        no sense.
    ConvergenceError
        τ² was not found.

    References
    ----------
    Knapp & Hartung 2003; Viechtbauer 2010, `rma(mods=)` of metafor; Bell & McCaffrey 2002.

    Examples
    --------
    >>> size = np.array([1.0, 2.0, 3.0, 4.0])
    >>> fit = regress([[0.1, 0.3, 0.2, 0.4]], [[0.01] * 4], np.stack([np.ones(4), size], axis=1))
    >>> fit.estimate.round(3)
    array([[0.05, 0.08]])
    """
    from scipy.special import chdtrc, fdtrc  # noqa: PLC0415  # slow to import

    check_pooling(estimator, interval, confidence)
    y, v, given = (np.asarray(one, dtype=np.float64) for one in (effect, variance, design))
    if y.ndim != 2 or y.shape != v.shape or given.shape[-2:-1] != y.shape[1:]:
        raise MethodError(f"effects have shape {y.shape}, variances {v.shape} and the design {given.shape}")
    if y.shape[1] <= given.shape[-1]:
        raise MethodError(f"{y.shape[1]} tasks are too few for {given.shape[-1]} coefficients")
    # Columns are near 1, so that those in other units lose no digits; by powers of two, which round nothing.
    _, power = np.frexp(np.abs(given).max(axis=tuple(range(given.ndim - 1))))
    scale = np.ldexp(1.0, power)
    designs = Designs.of(y, v, given / scale)
    df = designs.df
    tau2 = ESTIMATORS[estimator].find(designs)
    fit = designs.fit(tau2)
    factor, plain = factor_of(fit.q, df + 1, df, interval)
    coefficients, covariance = fit.coefficients, factor[:, None, None] * fit.covariance
    std_error = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    of_each = np.broadcast_to(plain[:, None], std_error.shape)
    if interval == "satterthwaite":  # fewer by as much as weights that differ take from a robust variance
        share = fit.robust_df / designs.alike.robust_df
        of_each = np.clip(share * of_each, 1.0, of_each)
    reach = quantile(of_each, confidence) * std_error
    tau2_low, tau2_high = q_profile(designs, confidence)
    i2, h2 = inconsistency(designs, tau2, estimator)
    # Wald's β'V⁻¹β of all coefficients but the first, by their number for Student's intervals
    tested, normal = coefficients[:, 1:], interval == "normal"
    solved = np.linalg.solve(covariance[:, 1:, 1:], tested[..., None])[..., 0]
    qm = np.einsum("ap,ap->a", tested, solved) / (1 if normal else max(tested.shape[1], 1))
    qm_df = of_each[:, 1:].min(axis=1, initial=np.inf)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        p = two_sided(coefficients / std_error, of_each)
    return Regressed(
        estimate=coefficients / scale,
        std_error=std_error / scale,
        low=(coefficients - reach) / scale,
        high=(coefficients + reach) / scale,
        covariance=covariance / np.outer(scale, scale),
        df=of_each,
        p=p,
        tau2=tau2,
        tau2_low=tau2_low,
        tau2_high=tau2_high,
        i2=i2,
        h2=h2,
        qe=designs.at_zero.q,
        qm=qm,
        qm_df=qm_df,
        qm_p=chdtrc(tested.shape[1], qm) if normal else fdtrc(tested.shape[1], qm_df, qm),
    )


#: Of one moderator: its values by task, or one for each task in their order.
Values = Mapping[str, Any] | ArrayLike

#: Of a column, how much of it others must leave, for its coefficient to be known.
_APART = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Design matrix of moderators, which effects may depend on.

    Attributes
    ----------
    values
        By moderator: one number, or one text, for each of k tasks.
    terms
        For each column: the moderator, and of texts a group and the one it is compared with.
    matrix
        Shape `(k, p)`: the first column is 1.
    """

    values: dict[str, tuple[float, ...] | tuple[str, ...]]
    terms: tuple[tuple[str, str | None, str | None], ...]
    matrix: Floats

    @classmethod
    def of(cls, moderators: Mapping[str, Values], tasks: Sequence[str]) -> "Design":
        """Take moderators of tasks: numbers as they are, texts as groups, each compared with the first of them.

        Raises
        ------
        InputError
            They are not given by name; one has no value for a task, or more or fewer than there are tasks; it mixes
            numbers and texts; or a number is not finite.
        MethodError
            One is the same on all tasks or follows from the others; or there are not more tasks than coefficients.

        Examples
        --------
        >>> design = Design.of({"size": [1, 2, 4, 8], "domain": ["web", "law", "law", "web"]}, ["a", "b", "c", "d"])
        >>> design.terms
        (('intercept', None, None), ('size', None, None), ('domain', 'web', 'law'))
        >>> design.matrix[:, 2].tolist()
        [1.0, 0.0, 0.0, 1.0]
        """
        if not isinstance(moderators, Mapping):
            raise InputError("moderators are given by name, as in {'size': {'rte': 2490, 'sst2': 67349}}")
        values = {str(name): moderator_values(str(name), given, tasks) for name, given in moderators.items()}
        terms: list[tuple[str, str | None, str | None]] = [("intercept", None, None)]
        columns = [np.ones(len(tasks))]
        for name, of_tasks in values.items():
            if len(set(of_tasks)) == 1:
                same = of_tasks[0] if isinstance(of_tasks[0], str) else f"{of_tasks[0]:g}"
                raise MethodError(
                    f"moderator {name!r} is {same} on all {how_many(len(tasks), 'task')}, so nothing can depend on it; "
                    "leave it out"
                )
            if not isinstance(of_tasks[0], str):
                terms.append((name, None, None))
                columns.append(np.array(of_tasks, dtype=np.float64))
                continue
            first, *others = sorted(set(map(str, of_tasks)))
            terms += [(name, group, first) for group in others]
            columns += [np.array([one == group for one in of_tasks], dtype=np.float64) for group in others]
        if len(tasks) <= len(terms):  # none would be left to say how much they vary
            names = list(dict.fromkeys(repr(name) for name, _, _ in terms[1:]))
            raise MethodError(
                f"{listed(names)} {'needs' if len(names) == 1 else 'need'} {len(terms)} coefficients, and there "
                f"{are(len(tasks))} {how_many(len(tasks), 'task')}; leave a moderator out, put small groups together, "
                f"or take {len(terms) + 1} tasks or more"
            )
        _check_apart(terms, columns)
        return cls(values, tuple(terms), np.stack(columns, axis=1))


def moderate(effect: Floats, variance: Floats, design: Design, how: Pooling, mean: Pooled) -> Moderation:
    """Regress effects on moderators; see `podium.comparison.moderators.regress`.

    Parameters
    ----------
    effect, variance
        Shape `(k,)`: on the scale they are pooled on.
    design
        What they may depend on.
    how
        How the mean was pooled.
    mean
        Shape `(1,)`: all tasks, without moderators.

    Examples
    --------
    >>> y, v = np.array([0.1, 0.2, 0.25, 0.5]), np.full(4, 0.001)
    >>> how = Pooling("reml", "adhoc", 0.95)
    >>> found = moderate(y, v, Design.of({"size": [1, 2, 3, 4]}, list("abcd")), how, how.summarise(y[None], v))
    >>> [round(one.estimate, 3) for one in found.coefficients], round(found.r2, 3)
    ([-0.05, 0.125], 0.879)
    """
    from scipy.special import chdtrc  # noqa: PLC0415  # slow to import

    options: Any = {name: getattr(how, name) for name in ("estimator", "interval", "confidence")}
    fit = regress(effect[None], variance[None], design.matrix, **options)
    parts = (fit.estimate, fit.std_error, fit.estimate / fit.std_error, fit.df, fit.p, fit.low, fit.high)
    rows = np.stack([part[0] for part in parts], axis=1).tolist()
    of_one = {name: float(getattr(fit, name)[0]) for name in ("tau2", "tau2_low", "tau2_high", "i2", "h2", "qm", "qe")}
    k, p = design.matrix.shape
    # the share of the variance between tasks that moderators explain; for fixed effects, of Q, adjusted
    whole, rest = float(mean.tau2[0]), of_one["tau2"]
    if how.estimator == "fixed":
        whole, rest = float(mean.q[0]) / (int(mean.k[0]) - 1), of_one["qe"] / (k - p)
    return Moderation(
        moderators=tuple(design.values),
        values=tuple(design.values.values()),
        coefficients=tuple(Coefficient(*term, *row) for term, row in zip(design.terms, rows, strict=True)),
        covariance=tuple(map(tuple, fit.covariance[0].tolist())),
        freedom=k - p,
        student=how.interval != "normal",
        **of_one,
        qm_df=float(fit.qm_df[0]),
        qm_p=float(fit.qm_p[0]),
        qe_p=float(chdtrc(k - p, of_one["qe"])),
        r2=max(0.0, (whole - rest) / whole) if whole > 0 else 0.0,
    )


def _check_apart(terms: Sequence[tuple[str, str | None, str | None]], columns: Sequence[Floats]) -> None:
    """Refuse a column that follows from those before it.

    Raises
    ------
    MethodError
        There is one; it is named, with those that it follows from.
    """
    unit = [column / np.abs(column).max() for column in columns]
    for at in range(1, len(unit)):
        before = np.stack(unit[:at], axis=1)
        centred = unit[at] - unit[at].mean()
        weights, *_ = np.linalg.lstsq(before, centred, rcond=None)
        left = np.linalg.norm(centred - before @ weights)
        if left > _APART * np.linalg.norm(centred):
            continue
        name, group, _ = terms[at]
        what = f"group {group!r} of moderator {name!r}" if group else f"moderator {name!r}"
        from_whom = dict.fromkeys(
            repr(term[0]) for term, of in zip(terms[1:at], weights[1:], strict=True) if abs(of) > _APART
        )
        raise MethodError(f"{what} follows from {few(list(from_whom))} on these tasks; leave one of them out")
