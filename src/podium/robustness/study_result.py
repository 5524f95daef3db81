"""What stresses do to rankings: the numbers of all trials, frozen; and how they look."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import isnan
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen, plain
from podium.base.errors import LabelError, MethodError
from podium.base.words import fixed, how_many, numeral, percent, percents
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View
from podium.robustness import figure
from podium.robustness.verdict import BOUNDS, CONFIDENCE, MEASURES, ROUNDING, mean_interval, share_interval, verdict


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
        numbers = {
            measure: (one.mean(measure), *self.interval(one, measure), one.spread(measure), one.trials(measure))
            for measure in MEASURES
            if measure != "error" or one.error is not None
        }
        for s, strength in enumerate(one.strengths.tolist()):
            for m, method in enumerate(self.methods):
                for measure, (mean, low, high, spread, trials) in numbers.items():
                    values = trials[s][m]
                    marks = np.quantile(values, (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
                    yield plain({
                        "stress": one.name,
                        "strength": strength,
                        "method": method,
                        "measure": measure,
                        "mean": float(mean[m, s]),
                        "low": float(low[m, s]),
                        "high": float(high[m, s]),
                        "sd": float(spread[m, s]),
                        **dict(zip(("q05", "q25", "median", "q75", "q95"), marks, strict=True)),
                        "repeats": values.size,
                        "listed": int(one.listed is not None and one.listed[s]),
                        "unplaced": float(one.unplaced[m, s]),
                        "unranked": float(one.unranked[m, s]),
                        "emptied": float(one.emptied[s]),
                    })  # fmt: skip

    def winners(self) -> list[dict[str, Any]]:
        """One plain dictionary per stress, strength, method and system that is ever first: how often."""
        return [
            {
                "stress": one.name,
                "strength": float(one.strengths[s]),
                "method": self.methods[m],
                "system": self.systems[n],
                "first": float(one.first[m, s, n]),
            }
            for one in self.swept
            for m, s, n in np.argwhere(one.first > 0).tolist()
        ]

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
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


#: Methods up to which there is room for tables side by side, and up to which both breakdown points are shown.
_FEW, _BOTH = 3, 2

#: Head of the table of breakdown points, which sums up the others.
LOST = "lost under"

#: Head of the column that describes strengths.
_MEANING = "what strength means"


def view_study(study: Study) -> View:
    """Lay out a study; of each stress three strengths are shown, JSON and CSV hold all.

    >>> import numpy as np
    >>> from podium.robustness.api import Robustness
    >>> from podium.robustness.study_result import Study, SweepResult
    >>> tau, first = np.array([[[1.0, 1.0], [0.8, 0.6]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> view_study(Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0)).tables[0].rows
    [('missing', '0.5', '0.70 ± 0.14', '0–100%')]
    """
    figures = (
        Figure("kept", "How often the first place is kept", partial(figure.stability, study, measure="kept")),
        Figure("stability", "How far the order stays", partial(figure.stability, study)),
    )
    # agreement and first places kept; errors, where the truth is known; breakdown points
    tables = (*_stability(study), *([_errors(study)] if study.has_truth else ()), *_breakdown(study))
    return View(study.title, tables, study.notes, verdict(study, None), figures, _reading_of_study(study))


def _reading_of_study(study: Study) -> tuple[str, ...]:
    """Say what the columns mean."""
    spread = " ± standard deviation over repeats" if _spread(study) else ""
    tau = ("tau beside it: the weakest strength tried at which mean tau-b is below 0.5",)
    error = ("error: mean distance to the truth, as a share of the pairs, 0.5 for no order",) if study.has_truth else ()
    agreement = f"under each method: mean Kendall's tau-b with its own ranking without stress{spread}"
    kept = (
        "kept: how often those keep the first place who have it without stress; a shared one counts in parts",
        f"kept from–to: its {percent(CONFIDENCE)} interval; a single number is exact, since all cases were tried",
    )
    lost = (
        "lost under: the weakest strength tried at which the first place is lost more often than kept; > where none is",
        "lost from–to, or ≥: the repeats leave open which of these strengths it is",
    )
    return (agreement, *kept, *error, *lost, *(tau if len(study.methods) <= _BOTH else ()))


def _few(study: Study) -> bool:
    """Return whether there is room for more than one number of each method."""
    return len(study.methods) <= _FEW


def _spread(study: Study) -> bool:
    """Return whether standard deviations exist, and there is room for them."""
    return study.repeats > 1 and _few(study)


def _places(study: Study) -> list[tuple[SweepResult, int]]:
    """Stresses, each with the index of a weak, a middle and the strongest strength; none is 0."""
    every = [(one, np.flatnonzero(one.strengths).tolist() or [0]) for one in study.swept]
    return [(one, s) for one, strong in every for s in sorted({strong[0], strong[(len(strong) - 1) // 2], strong[-1]})]


def _stability(study: Study) -> list[Table]:
    """Show agreement and first places kept, side by side where there is room."""
    places, methods = _places(study), list(enumerate(study.methods))
    tau = [
        Column.numbers(method, [_mean(study, one, "tau", m, s) for one, s in places], named=True)
        for m, method in methods
    ]
    ends = {one.name: study.interval(one) for one in study.swept}
    shares = [[percents(*(float(end[m, s]) for end in ends[one.name])) for one, s in places] for m, _ in methods]
    agreement = "agreement with the ranking without stress"
    if _few(study):
        kept = [Column.numbers("kept", cells) for cells in shares]
        return [Table((*_strengths("stress", places), *chain(*zip(tau, kept, strict=True))), agreement)]
    kept = [Column.numbers(method, shares[m], named=True) for m, method in methods]
    return [
        Table((*_strengths("stress", places), *tau), agreement),
        Table((*_strengths("kept under", places), *kept), "how much of the first place is kept"),
    ]


def _errors(study: Study) -> Table:
    places = [(one, s) for one, s in _places(study) if one.error is not None]
    columns = [
        Column.numbers(method, [_mean(study, one, "error", m, s) for one, s in places], named=True)
        for m, method in enumerate(study.methods)
    ]
    return Table((*_strengths("error under", places), *columns), "distance to the truth")


def _strengths(name: str, places: list[tuple[SweepResult, int]]) -> tuple[Column, Column]:
    stresses = Column.labels(name, [one.name for one, _ in places])
    return stresses, Column.numbers("strength", [numeral(float(one.strengths[s])) for one, s in places])


def _breakdown(study: Study) -> list[Table]:
    """Say what strengths mean, and at which each method breaks down; side by side where there is room."""
    kept = {one.name: study.breakdown_interval(one) for one in study.swept}
    tau = study.breakdown("tau")
    stresses = tuple(one.name for one in study.swept)
    meaning = Column.words(_MEANING, [one.axis for one in study.swept], priority=-1)
    points = []
    for m, method in enumerate(study.methods):
        points.append(Column.numbers(method, [_points(one, *kept[one.name][m]) for one in study.swept], named=True))
        if len(study.methods) <= _BOTH:
            points.append(Column.numbers("tau", [_point(one, tau[one.name][method]) for one in study.swept]))
    caption = "the weakest strength tried at which the first place, or the order, is lost"
    if _few(study):
        return [Table((Column.labels(LOST, stresses), meaning, *points), caption)]
    return [
        Table((Column.labels(LOST, stresses), *points), caption),
        Table((Column.labels("stress", stresses), meaning), _MEANING),
    ]


def _points(one: SweepResult, early: float | None, late: float | None) -> str:
    """Write the weakest strength that may be the point, and the weakest that certainly is."""
    if early == late or early is None:
        return _point(one, late)
    return f"≥{numeral(early)}" if late is None else f"{numeral(early)}–{numeral(late)}"


def _point(one: SweepResult, strength: float | None) -> str:
    return f">{numeral(float(one.strengths[-1]))}" if strength is None else numeral(strength)


def _mean(study: Study, one: SweepResult, measure: str, m: int, s: int) -> str:
    mean = float(one.mean(measure)[m, s])
    if not _spread(study) or isnan(mean):
        return fixed(mean, 2)
    return f"{fixed(mean, 2)} ± {fixed(float(one.spread(measure)[m, s]), 2)}"
