"""What stresses do to rankings: means over trials with their intervals; frozen."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen, plain
from podium.base.errors import LabelError, MethodError
from podium.base.words import how_many
from podium.report.result import Result
from podium.robustness.steadiness import ROUNDING, mean_interval, share_interval
from podium.robustness.sweep import BOUNDS, CONFIDENCE, MEASURES

if TYPE_CHECKING:
    from podium.report.view import View


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
