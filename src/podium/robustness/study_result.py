"""What stresses do to rankings: means over trials with their intervals, and which methods keep their order; frozen."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from math import e
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Floats, Frozen, plain
from podium.base.errors import LabelError, MethodError
from podium.base.words import how_many
from podium.report.result import Result
from podium.robustness.sweep import BOUNDS, CONFIDENCE, MEASURES

if TYPE_CHECKING:
    from podium.report.view import View

#: Means over repeats that differ by less are equal.
ROUNDING = 1e-9


def share_interval(mean: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of an interval of the mean of a share from 0 to 1, which holds for any number of repeats.

    A sum S of independent shares with mean p passes a whole number with at most e times the probability that a binomial
    number of as many trials passes it: P(S ≥ k) ≤ e P(Bin(R, p) ≥ k). So this is the interval of Clopper and Pearson at
    a level of error / e, of the sum rounded outwards.

    Parameters
    ----------
    mean
        Any shape: of the shares.
    repeats
        Shape that broadcasts against it: how many shares, each of an independent repeat.
    error
        The same: how often the interval may miss, at most.

    References
    ----------
    Bentkus 2004 (On Hoeffding's inequalities), for sums of shares; Clopper & Pearson 1934.

    Examples
    --------
    >>> low, high = share_interval([0.0, 0.5, 1.0], 100, 0.05)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.379, 0.954]), array([0.046, 0.621, 1.   ]))
    """
    from scipy.special import betaincinv  # noqa: PLC0415  # only where there are repeats

    total, of = np.broadcast_arrays(np.multiply(mean, repeats), np.asarray(repeats, dtype=np.float64))
    tail = np.divide(error, 2 * e)
    rounding = 1e-9 * of
    down, up = np.floor(total + rounding), np.ceil(total - rounding)
    low = np.where(down > 0, betaincinv(np.maximum(down, 1), of - down + 1, tail), 0.0)
    high = np.where(up < of, betaincinv(up + 1, np.maximum(of - up, 1), 1 - tail), 1.0)
    return low, high


def mean_interval(mean: ArrayLike, spread: ArrayLike, repeats: ArrayLike, error: ArrayLike) -> tuple[Floats, Floats]:
    """Return the ends of Student's interval of a mean over repeats; infinite where there is one repeat.

    Parameters
    ----------
    mean, spread, repeats
        Shapes that broadcast: mean, standard deviation and number of the repeats.
    error
        The same: how often the interval may miss.

    Examples
    --------
    >>> low, high = mean_interval(0.5, 0.1, 100, 0.05)
    >>> print(round(float(low), 3), round(float(high), 3))
    0.48 0.52
    """
    from scipy.special import stdtrit  # noqa: PLC0415  # only where there are repeats

    repeats = np.asarray(repeats, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        reach = -stdtrit(np.maximum(repeats - 1, 1), np.divide(error, 2)) * np.asarray(spread) / np.sqrt(repeats)
    reach = np.where(repeats > 1, reach, np.inf)
    return np.subtract(mean, reach), np.add(mean, reach)


@dataclass(frozen=True, slots=True, eq=False)
class SweepResult(Frozen):
    """Effects of one stress, at S strengths, on M methods, in up to R trials: repeats, or all possible cases.

    Attributes
    ----------
    name, axis
        Of the stress, see `podium.stresses.Sweep`.
    strengths
        Shape `(S,)`.
    tau
        Shape `(M, S, R)`: Kendall's τ-b between the ranking of the stressed and of the unstressed scores, by the same
        method, on the systems of both. 1 is the same order, 0 none. A ranking in which all tie has 0. Here, and in
        `error` and `kept`, NaN follows on the last trial of a strength.
    error
        Shape `(M, S, R)`: Kendall distance, divided by the number of pairs, between the ranking of the stressed scores
        and the truth, on the systems of both; 0 is the truth, ½ no order, 1 its reverse. None where there is no truth.
    kept
        Shape `(M, S, R)`: how much of the first place those have who are first without stress: 1, if they alone are
        first under stress; systems that share it have equal parts. First of the systems in both tables: where the
        leader was left out, the next takes its part, and copies of systems have none.
    first
        Shape `(M, S, N)`: share of the repeats in which each system is the first of these; those that share it have
        equal parts.
    unplaced
        Shape `(M, S)`: share of the repeats in which the method placed some systems and could not place others, for
        want of scores. Those count as last, side by side.
    unranked
        Shape `(M, S)`: share of the repeats in which the method could not rank the scores at all. All systems then
        count as tied.
    emptied
        Shape `(S,)`: share of the repeats in which the stress left a system or a task without any score.
    listed
        Shape `(S,)`: whether all possible cases were tried, so that nothing is left to chance; None for nowhere.
    """

    name: str
    axis: str
    strengths: Floats
    tau: Floats
    error: Floats | None
    kept: Floats
    first: Floats
    unplaced: Floats
    unranked: Floats
    emptied: Floats
    listed: NDArray[np.bool_] | None = None

    @property
    def tries(self) -> NDArray[np.int64]:
        """Shape `(S,)`: number of trials at each strength; R where no trial has a number."""
        numbers = (~np.isnan(self.kept[0])).sum(axis=1)
        return np.where(numbers > 0, numbers, np.int64(self.kept.shape[2]))

    @property
    def certain(self) -> NDArray[np.bool_]:
        """Shape `(S,)`: where other random numbers would give the same: without stress, and where all is listed."""
        unstressed: NDArray[np.bool_] = self.strengths == 0
        return unstressed if self.listed is None else unstressed | self.listed

    def trials(self, measure: str) -> list[Floats]:
        """For each strength, shape `(M, trials)`: one of the measures; MethodError if there is no truth for errors."""
        found: Floats | None = getattr(self, measure)
        if found is None:
            raise MethodError("there is no truth in this study, so it has no errors; ask for 'tau' or 'kept'")
        return [found[:, s, :tries] for s, tries in enumerate(self.tries.tolist())]

    def mean(self, measure: str) -> Floats:
        """Shape `(M, S)`: over the trials."""
        return np.stack([some.mean(axis=1) for some in self.trials(measure)], axis=1)

    def spread(self, measure: str) -> Floats:
        """Shape `(M, S)`: standard deviation of the trials; NaN of a single one that chance decides."""
        listed = np.zeros(len(self.strengths), dtype=np.bool_) if self.listed is None else self.listed
        spreads = [
            np.full(len(some), np.nan) if some.shape[1] == 1 and not whole else some.std(axis=1, ddof=int(not whole))
            for some, whole in zip(self.trials(measure), listed.tolist(), strict=True)
        ]
        return np.stack(spreads, axis=1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Study(Result):
    """Methods under stresses.

    Attributes
    ----------
    systems
        The N labels, in the order of the table.
    methods
        The M ways to rank: "mean", "borda:one", ….
    leaders
        For each method, who is first without stress; several where they share it. Empty where every repeat has a
        world of its own.
    swept
        One for each stress.
    repeats, seed
        How often chance is tried, and where the chance of all repeats comes from.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> sweep = podium.stresses.Sweep("scale", podium.stresses.Rescale, (0, 1, 9), "enlargement of one task")
    >>> scores = podium.datasets.toy_table1()
    >>> study = podium.study(scores, [sweep], ["mean", "borda"], repeats=10, n_jobs=1)
    >>> study.leaders
    (('A',), ('C',))
    >>> study.breakdown("tau")
    {'scale': {'mean': 9.0, 'borda': None}}
    """

    schema: ClassVar[str] = "study"
    _row_key: ClassVar[str] = "rows"

    systems: tuple[str, ...]
    methods: tuple[str, ...]
    leaders: tuple[tuple[str, ...], ...]
    swept: tuple[SweepResult, ...]
    repeats: int
    seed: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def title(self) -> str:
        """Size, in words."""
        return (
            f"{how_many(len(self.methods), 'method')} under {how_many(len(self.swept), 'kind')} of stress, {self.tried}"
        )

    @property
    def tried(self) -> str:
        """Number of trials of a strength, in words."""
        known = [one.listed[one.strengths != 0].tolist() for one in self.swept if one.listed is not None]
        listed = list(chain(*known))
        often = how_many(self.repeats, "repeat")
        return often if not any(listed) else "all cases" if all(listed) else f"all cases or {often}"

    @property
    def has_truth(self) -> bool:
        """Return whether errors are known."""
        return any(one.error is not None for one in self.swept)

    def sweep(self, name: str) -> SweepResult:
        """Return what one stress, by its name, does.

        Raises
        ------
        LabelError
            There is no such stress in the study.
        """
        for one in self.swept:
            if one.name == name:
                return one
        raise LabelError.unknown("stress", name, [one.name for one in self.swept])

    def interval(self, one: SweepResult, measure: str = "kept", *, together: bool = False) -> tuple[Floats, Floats]:
        """Return the ends of the 95 % intervals of means over all possible repeats.

        Of a share (`kept`, `unranked`, `unplaced`, `emptied`) see `share_interval`; of other measures Student's
        interval. Where nothing is left to chance, both ends are the mean.

        Parameters
        ----------
        one
            A stress of the study.
        measure
            One of `measures`, or a share.
        together
            Whether all intervals of shares of the first method that the verdict rests on hold together.

        Returns
        -------
        Two arrays of shape `(M, S)`, or `(S,)` for `emptied`.
        """
        error = 1 - CONFIDENCE
        if together:  # the shares of a kept first place, and of no ranking
            error /= max(1, 2 * sum(int((~each.certain).sum()) for each in self.swept))
        mean = one.mean(measure) if measure in MEASURES else getattr(one, measure)
        if measure in ("tau", "error"):
            low, high = mean_interval(mean, one.spread(measure), one.tries, error)
        else:
            low, high = share_interval(mean, one.tries, error)
        return np.where(one.certain, mean, low), np.where(one.certain, mean, high)

    def breakdown(self, measure: str = "kept", at: float | None = None) -> dict[str, dict[str, float | None]]:
        """Smallest strength, of those tried, at which the mean over repeats passes a bound: the breakdown point.

        Parameters
        ----------
        measure
            "kept" (by default below ½: the first place is lost more often than kept), "tau" (below ½: a quarter of the
            pairs are turned round) or "error" (above ¾, as in Colombo et al. 2022, §4.2).
        at
            Another bound.

        Returns
        -------
        By stress and method; None where no strength tried is enough.

        Raises
        ------
        LabelError
            There is no such measure.
        MethodError
            There is no truth to measure errors by.
        """
        if measure not in MEASURES:
            raise LabelError.unknown("measure", measure, list(MEASURES))
        return {one.name: self._broken(one, one.mean(measure), measure, at) for one in self.swept}

    def breakdown_interval(self, one: SweepResult, measure: str = "kept") -> list[tuple[float | None, float | None]]:
        """Return by method the weakest strength that may be its breakdown point, and the weakest that certainly is."""
        low, high = self.interval(one, measure)
        early, late = (low, high) if MEASURES[measure] else (high, low)
        ends = [self._broken(one, means, measure).values() for means in (early, late)]
        return list(zip(*ends, strict=True))

    def _broken(
        self, one: SweepResult, means: Floats, measure: str, at: float | None = None
    ) -> dict[str, float | None]:
        """By method, the weakest strength at which means pass a bound."""
        bound = BOUNDS[measure] if at is None else at
        passed = means < bound - ROUNDING if MEASURES[measure] else means > bound + ROUNDING
        return {
            method: float(one.strengths[np.argmax(passed[m])]) if passed[m].any() else None
            for m, method in enumerate(self.methods)
        }

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per stress, strength, method and measure: mean, standard deviation, and quantiles.

        `low` and `high` are the ends of the 95 % interval of the mean, see `interval`. Quantiles are those at 5, 25,
        50, 75 and 95 % of the repeats. Where `listed`, the repeats are all possible cases.
        """
        return [row for one in self.swept for row in self._rows_of(one)]

    def _rows_of(self, one: SweepResult) -> Iterator[dict[str, Any]]:
        measures = [measure for measure in MEASURES if measure != "error" or one.error is not None]
        ends = {measure: self.interval(one, measure) for measure in measures}
        means, spreads = ({name: find(name) for name in measures} for find in (one.mean, one.spread))
        trials = {measure: one.trials(measure) for measure in measures}
        for s, strength in enumerate(one.strengths.tolist()):
            for m, method in enumerate(self.methods):
                for measure in measures:
                    values = trials[measure][s][m]
                    marks = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
                    yield plain({
                        "stress": one.name,
                        "strength": strength,
                        "method": method,
                        "measure": measure,
                        "mean": float(means[measure][m, s]),
                        "low": float(ends[measure][0][m, s]),
                        "high": float(ends[measure][1][m, s]),
                        "sd": float(spreads[measure][m, s]),
                        **dict(zip(("q05", "q25", "median", "q75", "q95"), marks, strict=True)),
                        "repeats": values.size,
                        "listed": int(one.listed is not None and one.listed[s]),
                        "unplaced": float(one.unplaced[m, s]),
                        "unranked": float(one.unranked[m, s]),
                        "emptied": float(one.emptied[s]),
                    })  # fmt: skip

    def winners(self) -> list[dict[str, Any]]:
        """One plain dictionary per stress, strength, method and system that is ever first: how often."""
        rows = []
        for one in self.swept:
            for m, s, n in np.argwhere(one.first > 0).tolist():
                rows.append({
                    "stress": one.name,
                    "strength": float(one.strengths[s]),
                    "method": self.methods[m],
                    "system": self.systems[n],
                    "first": float(one.first[m, s, n]),
                })  # fmt: skip
        return rows

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.robustness.view import view_study  # noqa: PLC0415  # only where it is shown

        return view_study(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "methods": list(self.methods),
            "leaders": dict(zip(self.methods, map(list, self.leaders), strict=False)),
            "repeats": self.repeats,
            "confidence": CONFIDENCE,
            "seed": self.seed,
            "stresses": [
                {"name": one.name, "axis": one.axis, "strengths": one.strengths.tolist()} for one in self.swept
            ],
            "breakdown": {
                measure: self.breakdown(measure) for measure in MEASURES if measure != "error" or self.has_truth
            },
            "rows": self.rows(),
            "winners": self.winners(),
        }


class Steadiness(NamedTuple):
    """A comparison of how well methods keep their order.

    Attributes
    ----------
    tau
        Shape `(M,)`: mean τ over all stresses and their strengths.
    low, high
        Shape `(M,)`: ends of its 95 % interval.
    tiers
        Indices of the methods, the steadiest first; all of a tier are significantly steadier than all of the next.
    """

    tau: Floats
    low: Floats
    high: Floats
    tiers: tuple[tuple[int, ...], ...]


def steadiness(study: Study) -> Steadiness | None:
    """Compare the methods by their mean τ over all real stresses; None where there is none.

    All methods rank the same stressed tables, so differences are paired by repeat: a repeat is the mean of all stresses
    and strengths at its number. Where all cases were tried, their mean is added, which is no chance. Differences are
    Student's, at an error divided by the number of pairs of methods, and by two, since ten skewed repeats miss more
    often than they should. Of each strength the first `repeats` count, whose number does not depend on what they show.
    """
    real = [one.strengths > 0 for one in study.swept]
    count = sum(int(some.sum()) for some in real)
    if not count:
        return None
    by_repeat = np.zeros((len(study.methods), study.repeats))
    chance = False
    for one, some in zip(study.swept, real, strict=True):
        by_repeat += one.mean("tau")[:, some & one.certain].sum(axis=1, keepdims=True) / count
        drawn = some & ~one.certain
        by_repeat += one.tau[:, drawn, : study.repeats].sum(axis=1) / count if drawn.any() else 0.0
        chance |= bool(drawn.any())
    tau, error = by_repeat.mean(axis=1), 1 - CONFIDENCE
    low, high = _ends(by_repeat, error, chance)
    differences = by_repeat[:, None] - by_repeat
    pairs = max(1, len(tau) * (len(tau) - 1) // 2)
    surely = _ends(differences, error / (2 * pairs), chance)[0] > ROUNDING
    return Steadiness(tau, low, high, _tiers(tau, surely))


def _ends(values: Floats, error: float, chance: bool) -> tuple[Floats, Floats]:
    """Return the interval of a mean over the last axis; the mean itself where nothing is left to chance."""
    mean = values.mean(axis=-1)
    if not chance:
        return mean, mean
    repeats = values.shape[-1]
    spread = values.std(axis=-1, ddof=1) if repeats > 1 else np.zeros(mean.shape)
    return mean_interval(mean, spread, repeats, error)


def _tiers(tau: Floats, surely: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Cut methods, in order of their means, where all before a cut are significantly steadier than all behind it."""
    order = sorted(range(len(tau)), key=lambda m: (-tau[m], m))
    cuts = [0, *(n for n in range(1, len(order)) if surely[np.ix_(order[:n], order[n:])].all()), len(order)]
    return tuple(tuple(sorted(order[start:end])) for start, end in pairwise(cuts))


def rows_of(study: Study) -> list[dict[str, Any]]:
    """One plain dictionary per method: its mean τ over all stresses, the interval, and its tier."""
    found = steadiness(study)
    if found is None:
        return []
    tier = [next(t for t, of in enumerate(found.tiers, 1) if m in of) for m in range(len(found.tau))]
    columns = zip(study.methods, found.tau.tolist(), found.low.tolist(), found.high.tolist(), tier, strict=True)
    return [plain(dict(zip(("method", "tau", "low", "high", "tier"), row, strict=True))) for row in columns]
