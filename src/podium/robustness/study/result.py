"""What stresses do to rankings: error and stability of methods under stress after stress; frozen."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import LabelError, MethodError
from podium.base.frozen import Frozen, plain
from podium.base.words import fixed, how_many
from podium.report.result import Result

Floats = NDArray[np.float64]

#: What is measured of a stressed ranking, and whether more of it is better.
MEASURES = {"tau": True, "kept": True, "error": False}

#: Means over repeats that differ by less are equal.
ROUNDING = 1e-9

#: Means beyond which a method has broken down, see `Study.breakdown`.
BOUNDS = {"tau": 0.5, "kept": 0.5, "error": 0.75}


@dataclass(frozen=True, slots=True, eq=False)
class SweepResult(Frozen):
    """What one stress did, at S strengths, to M methods, in R repeats.

    Attributes
    ----------
    name, axis
        Of the stress, see `podium.stresses.Sweep`.
    strengths
        Shape `(S,)`.
    tau
        Shape `(M, S, R)`: Kendall's τ-b between the ranking of the stressed and of the unstressed scores, by the same
        method, on the systems of both. 1 is the same order, 0 none. A ranking in which all tie has 0.
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


@dataclass(frozen=True, slots=True, eq=False)
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
        R, and where the chance of all repeats comes from.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> sweep = podium.stresses.Sweep("scale", podium.stresses.Rescale, (0, 1, 9), "enlargement of one task")
    >>> scores = podium.datasets.toy_table1()
    >>> study = podium.study(scores, [sweep], ["mean", "borda"], repeats=10, jobs=1)
    >>> study.leaders
    (('A',), ('C',))
    >>> study.breakdown("tau")
    {'scale': {'mean': 9.0, 'borda': None}}
    """

    schema: ClassVar[str] = "study"
    row_key: ClassVar[str] = "rows"

    systems: tuple[str, ...]
    methods: tuple[str, ...]
    leaders: tuple[tuple[str, ...], ...]
    swept: tuple[SweepResult, ...]
    repeats: int
    seed: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.swept)

    @property
    def title(self) -> str:
        """Size, in words."""
        sizes = how_many(len(self.methods), "method"), how_many(len(self), "kind"), how_many(self.repeats, "repeat")
        return "{} under {} of stress, {}".format(*sizes)

    def __repr__(self) -> str:
        lines = [f"Study({self.title})"]
        for one in self.swept:
            falls = (f"{method} {fixed(float(one.tau[m, -1].mean()), 2)}" for m, method in enumerate(self.methods))
            lines.append(f"  {one.name} at {one.strengths[-1]:g}, mean tau: " + ", ".join(falls))
        return "\n".join(lines)

    @property
    def has_truth(self) -> bool:
        """Whether errors are known."""
        return any(one.error is not None for one in self.swept)

    def __getitem__(self, name: str) -> SweepResult:
        """One stress by name.

        Raises
        ------
        LabelError
            There is no such stress in the study.
        """
        for one in self.swept:
            if one.name == name:
                return one
        raise LabelError.unknown("stress", name, [one.name for one in self.swept])

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
        bound = BOUNDS[measure] if at is None else at
        found: dict[str, dict[str, float | None]] = {}
        for one in self.swept:
            values = getattr(one, measure)
            if values is None:
                raise MethodError("there is no truth in this study, so it has no errors; ask for 'tau' or 'kept'")
            means = values.mean(axis=2)
            passed = means < bound - ROUNDING if MEASURES[measure] else means > bound + ROUNDING
            found[one.name] = {
                method: float(one.strengths[np.argmax(passed[m])]) if passed[m].any() else None
                for m, method in enumerate(self.methods)
            }
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per stress, strength, method and measure: mean, standard deviation, and quantiles.

        Quantiles at 5, 25, 50, 75 and 95 % of the repeats.
        """
        return [row for one in self.swept for row in self._rows_of(one)]

    def _rows_of(self, one: SweepResult) -> Iterator[dict[str, Any]]:
        for s, strength in enumerate(one.strengths.tolist()):
            for m, method in enumerate(self.methods):
                for measure in MEASURES:
                    values = getattr(one, measure)
                    if values is None:
                        continue
                    marks = np.quantile(values[m, s], (0.05, 0.25, 0.5, 0.75, 0.95)).tolist()
                    yield plain({
                        "stress": one.name,
                        "strength": strength,
                        "method": method,
                        "measure": measure,
                        "mean": float(values[m, s].mean()),
                        "sd": float(values[m, s].std(ddof=1)) if self.repeats > 1 else np.nan,
                        **dict(zip(("q05", "q25", "median", "q75", "q95"), marks, strict=True)),
                        "repeats": self.repeats,
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

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "methods": list(self.methods),
            "leaders": dict(zip(self.methods, map(list, self.leaders), strict=False)),
            "repeats": self.repeats,
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
