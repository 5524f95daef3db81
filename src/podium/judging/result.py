"""What is known of judges, frozen; and how it is shown."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from podium.base.arrays import plain
from podium.base.errors import MethodError
from podium.base.words import DASH, chance, decimals, few, fixed, how_many, listed, p_value, rounded_percent
from podium.judging.calibration import BIN, Certainty, bins_of
from podium.judging.coefficients import Interval
from podium.judging.position import Position
from podium.judging.raters import PANEL, Bias, Difference, Judged
from podium.report.drawing import FAINT, legend, line_style, number_axes
from podium.report.picture import footed
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Coefficients of agreement, in the order in which they are shown, and their signs.
_COEFFICIENTS = {"kappa": "κ", "weighted_kappa": "weighted κ", "alpha": "α", "tau": "τ-b on systems"}

#: Of verdicts 0 and 1.
_RATES = ("sensitivity", "specificity", "rate", "people", "corrected")

_READING = (
    "agree: share of equal verdicts; κ, weighted κ (squared differences), α: 0 without a relation, 1 if all are equal",
    "τ-b on systems: whether mean scores order the systems alike",
    "corrected: the rate of 1 after the errors that sensitivity and specificity show (Rogan and Gladen)",
    "biases: by how much more than people the judge favours something; length: for one standard deviation",
    "p-values are adjusted by Holm's method, over all biases, and over all pairs",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Judging(Result):
    """Agreement of judges with people, best first, and whom they favour.

    Attributes
    ----------
    judged
        A row for each judge, and for their panel; nothing if people judged nothing.
    measure
        By which judges are compared: "kappa", or "weighted_kappa" of scores.
    confidence
        Of intervals and of what sentences say.
    coverage
        Share of the answers, the surest, whose errors are counted.
    points
        What a difference of 1 is in biases and levels: 100 percentage points of 0 and 1, otherwise 1.
    differences
        Between every two judges, and the panel and each.
    outliers
        Judges that differ more from the others than these among themselves.
    biases
        By how much more than people each judge favours what.
    calibrations
        By judge, whether it knows when it is right.
    positions
        By judge, what the order of answers does in battles.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> people = ["yes", "yes", "no", "no", "yes", "no"]
    >>> podium.judge({"human": people, "judge": [*people[:5], "yes"]}).judged[0].agreement.value.__round__(2)
    0.83
    """

    schema: ClassVar[str] = "judging"
    _beyond_rows: ClassVar[str] = (
        "these rows are the judges only; -f json and -f table also have biases, differences, positions and calibration"
    )
    _row_key: ClassVar[str] = "judges"
    _to_draw: ClassVar[str] = ": no judge says how sure it is; name probability_column= (--probability-column)"

    judged: tuple[Judged, ...]
    measure: str
    confidence: float
    coverage: float
    points: float = 1.0
    differences: tuple[Difference, ...] = ()
    outliers: tuple[str, ...] = ()
    biases: tuple[Bias, ...] = ()
    calibrations: Mapping[str, Certainty] = field(default_factory=dict)
    positions: Mapping[str, Position] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def judges(self) -> tuple[str, ...]:
        """Return the names of judges, without the panel."""
        return tuple(row.judge for row in self.judged if row.judge != PANEL) or tuple(self.positions)

    def best(self) -> tuple[str, ...]:
        """Return the judges that may agree best with people, best first: none is shown to agree more."""
        sure = {
            (row.judge, row.other): row.difference.value for row in self.differences if row.p <= 1 - self.confidence
        }
        worse = {other if more > 0 else judge for (judge, other), more in sure.items() if PANEL not in (judge, other)}
        return tuple(judge for judge in self.judges if judge not in worse)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say how far judges agree with people, whom they favour, and whether order and certainty tell anything."""
        return (*self._of_agreement(), *(text for judge in self.judges for text in self._of_choices(judge)))

    def _of_agreement(self) -> Iterator[str]:
        if not self.judged:
            return
        first, *others = self.best()
        row = next(row for row in self.judged if row.judge == first)
        number = _about(_COEFFICIENTS[self.measure], getattr(row, self.measure))
        on = f" on {rounded_percent(row.agreement.value)}" if self.measure == "kappa" else ""
        several, answers = len(self.judges) > 1, how_many(row.labelled, "answer")
        how = f"agrees {'best ' if several else ''}with people{on} ({number}; {answers})"
        if math.isnan(getattr(row, self.measure).value):
            how = f"agrees with people{on} ({answers}); whether more than by chance cannot be known"
        elif not getattr(row, self.measure).low > 0:
            how = f"is not shown to agree with people more than by chance:{on} ({number}; {answers})"
        may = f", and {few(others)} may be as good" if others else ""
        yield "; it ".join([f"{_who(first)} {how}{may}", *(() if several else self._favours(first))])
        yield from self._of_panel(first)
        if self.outliers:
            differ = "differs" if len(self.outliers) == 1 else "differ"
            yield f"{listed(self.outliers)} {differ} more from the other judges than these among themselves"
        for judge in self.judges if several else ():
            if favours := self._favours(judge):
                yield f"{judge} {', and '.join(favours)}"
        for one in self.differences:
            if one.level_p <= 1 - self.confidence:
                higher, lower = (one.judge, one.other) if one.level.value > 0 else (one.other, one.judge)
                by = self._points(one.level)
                yield f"{higher} scores {by} higher than {lower} on the same answers ({chance(one.level_p)})"

    def _of_panel(self, first: str) -> Iterator[str]:
        """Say whether the panel agrees more than judges, and by how much more than the first."""
        panel = [one for one in self.differences if one.judge == PANEL]
        if panel:
            better = [one.other for one in panel if one.p <= 1 - self.confidence and one.difference.value > 0]
            agrees = "is not shown to agree more than any of them"
            if better:
                agrees = f"agrees more than {'each of them' if len(better) == len(panel) else few(better)}"
            against = next((one for one in panel if one.other == first), panel[0])
            by = f"{_COEFFICIENTS[self.measure]} less that of {against.other}: {_number(against.difference)}"
            yield f"the panel of {len(panel)} {agrees}; {by}"

    def _favours(self, judge: str) -> list[str]:
        """Say what a judge is shown to favour more than people do."""
        said = []
        for row in self.biases:
            if row.judge == judge and row.p <= 1 - self.confidence:
                size, more = self._points(row.bias), row.bias.value > 0
                said.append(
                    {
                        "level": f"scores {size} {'higher' if more else 'lower'} than people",
                        "length": f"favours {'longer' if more else 'shorter'} answers: a standard deviation by {size}",
                        "own family": f"{'favours' if more else 'is harder on'} its own family by {size}",
                    }[row.kind]
                )
        return said

    def _of_choices(self, judge: str) -> Iterator[str]:
        """Say what errors, the order of answers and certainty tell of a judge."""
        row, who = next((row for row in self.judged if row.judge == judge), None), _who(judge)
        if row is not None and not math.isnan(row.corrected.value) and row.labelled < row.answers:
            by = f"{who} says {rounded_percent(row.rate.value)} of {how_many(row.answers, 'answer')}"
            yield f"corrected for errors of {who}, {_share(row.corrected)} are 1; {by}"
        if place := self.positions.get(judge):
            wins = f"the answer shown first wins {_share(place.first)}"
            if place.swapped:
                changed = f"{_share(place.flips)} of {how_many(place.swapped, 'battle')}"
                yield f"{who} changes its choice in {changed} if the answers change places; {wins}"
            else:
                yield f"{wins} of {how_many(place.battles, 'battle')}, and {who} judged none in both orders"
            if place.circle:
                turn = (*place.circle[1:], place.circle[0])
                beats = [f"{one} beats {other}" for one, other in zip(place.circle, turn, strict=True)]
                yield f"no single order fits the choices of {who}: {few(beats)} ({chance(place.misfit_p)})"
            elif not math.isnan(place.misfit_p):
                yield f"one strength a system does not explain the choices of {who} ({chance(place.misfit_p)})"
        if sure := self.calibrations.get(judge):
            apart, by = sure.too_sure, f"by {self._points(sure.too_sure, 100)}"
            how = f"too sure {by}" if apart.low > 0 else f"not sure enough {by}" if apart.high < 0 else ""
            told = f"{who} is {how or 'on average as sure as it is right'}"
            risk = f"of the surest {rounded_percent(sure.coverage)}, {_share(sure.risk)} are wrong"
            error = f"error of calibration {_number(sure.error)}"
            yield f"{told}; {error}, AUROC {_number(sure.auroc)}; {risk}"

    def _points(self, of: Interval, factor: float = 0.0) -> str:
        """Write the size of a difference that is shown not to be 0."""
        value, low, high = (abs((factor or self.points) * one) for one in of)
        low, high = sorted((low, high))
        word, places = (" points", 0) if factor or self.points > 1 else ("", decimals(high - low))
        return f"{fixed(value, places)}{word} ({fixed(low, places)} to {fixed(high, places)})"

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per judge, and one for the panel; None where a number does not exist."""
        return [_flat(row._asdict()) for row in self.judged]

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "measure": self.measure,
            "confidence": self.confidence,
            "judges": self.rows(),
            "differences": [_flat(row._asdict()) for row in self.differences],
            "outliers": list(self.outliers),
            "biases": [_flat(row._asdict()) for row in self.biases],
            "positions": [
                {"judge": judge, **_flat(one._asdict()), "pairs": [_flat(pair._asdict()) for pair in one.pairs]}
                for judge, one in self.positions.items()
            ],
            "calibration": [
                {
                    "judge": judge,
                    **_flat({name: getattr(one, name) for name in _CALIBRATION}),
                    "bins": [plain(dict(zip(BIN, row, strict=True))) for row in bins_of(one)],
                }
                for judge, one in self.calibrations.items()
            ],
        }

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        title = f"{how_many(len(self.judges), 'judge')}" + (
            f" beside people: {how_many(max(row.labelled for row in self.judged), 'answer')}"
            if self.judged
            else ": battles"
        )
        tables = tuple(one for one in self._tables() if one.rows)
        figures = (Figure("calibration", "Reliability", partial(reliability, self)),) if self.calibrations else ()
        return View(title, tables, self.notes, self.sentences, figures, _READING)

    def _tables(self) -> Iterator[Table]:
        judge = ("judge",)
        signs = dict.fromkeys(_COEFFICIENTS.values(), 2)
        agreed = [
            (
                row.judge,
                f"{row.labelled:,}",
                _share(row.agreement),
                *(_number(getattr(row, one)) for one in _COEFFICIENTS),
            )
            for row in self.judged
        ]
        yield _table("", judge, {"answers": 0, "agree": 3, **signs}, agreed)
        rated = [row for row in self.judged if row.judge != PANEL and self.points > 1]
        rates = [(row.judge, *(_share(getattr(row, one)) for one in _RATES)) for row in rated]
        yield _table("verdicts 0 and 1", judge, dict.fromkeys(_RATES, 0), rates)
        points = ", points" if self.points > 1 else ""
        kinds = [row.kind.replace("level", "high scores") for row in self.biases]
        more = [
            (row.judge, kind, *_tested(row.bias, row.p, self.points))
            for kind, row in zip(kinds, self.biases, strict=True)
        ]
        yield _table("biases", ("judge", "favours"), {f"more than people{points}": 0, "p": 0}, more)
        apart = [
            (row.judge, row.other, *_tested(row.difference, row.p), *_tested(row.level, row.level_p, self.points))
            for row in self.differences
        ]
        heads = (f"difference of {_COEFFICIENTS.get(self.measure, '')}", "p", f"scores higher by{points}", "p of that")
        yield _table("judges beside each other", ("judge", "against"), dict.fromkeys(heads, 0), apart)
        turned = [
            (judge, pair.system, pair.opponent, f"{pair.swapped:,}", _share(pair.flips))
            for judge, one in self.positions.items()
            for pair in one.pairs
        ]
        names, numbers = ("judge", "system", "opponent"), {"in both orders": 0, "changed": 0}
        yield _table("battles judged in both orders", names, numbers, turned, listing=True)
        bins = [
            (name, f"{answers:,}", rounded_percent(sure), _share(Interval(*right)))
            for name, one in self.calibrations.items()
            for answers, sure, *right in bins_of(one)
        ]
        yield _table("reliability", judge, dict.fromkeys(("answers", "sure", "right"), 0), bins, detail=True)


#: What is known of a calibration.
_CALIBRATION = ("error", "error_by_noise", "too_sure", "auroc", "coverage", "threshold", "risk")


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as JSON holds them, intervals as three numbers."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        ends = zip((name, f"{name}_low", f"{name}_high"), value, strict=True) if isinstance(value, Interval) else None
        found |= {name: list(value) if type(value) is tuple else value} if ends is None else dict(ends)
    return plain(found)


def _who(judge: str) -> str:
    return "the judge" if judge == "judge" else judge


def _tested(of: Interval, p: float, factor: float = 1.0) -> tuple[str, str]:
    return _number(Interval(*(factor * one for one in of))), p_value(p)


def _number(of: Interval) -> str:
    if math.isnan(of.value):
        return DASH
    places = 2 if max(map(abs, of)) < 10 or math.isnan(of.low) else 1
    return fixed(of.value, places) + (
        "" if math.isnan(of.low) else f" ({fixed(of.low, places)} to {fixed(of.high, places)})"
    )


def _about(name: str, of: Interval) -> str:
    """Write a number for a sentence that is in brackets already."""
    return f"{name} {_number(of)}".replace(" (", ", ").rstrip(")")


def _share(of: Interval) -> str:
    if math.isnan(of.value):
        return DASH
    text = rounded_percent(of.value)
    return text if math.isnan(of.low) else f"{text} ({100 * of.low:.0f} to {100 * of.high:.0f}%)"


def _table(
    caption: str, names: Sequence[str], numbers: Mapping[str, int], rows: Sequence[tuple[str, ...]], **how: Any
) -> Table:
    """Return a table of rows of texts: names, then numbers with their priorities, but for those that say nothing."""
    cells = list(zip(*rows, strict=True))
    columns = [Column.labels(head, texts) for head, texts in zip(names, cells, strict=False)]
    of_numbers = zip(numbers.items(), cells[len(names) :], strict=False)
    columns += [Column.numbers(head, texts, last) for (head, last), texts in of_numbers if {*texts} != {DASH}]
    return Table(tuple(columns), caption, **how)


#: Axes, and the radius of a point, in inches.
_SIZE, _RADIUS = (3.2, 3.2), 0.03


def reliability(found: Judging, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the share that is right against how sure a judge is, by bins of its answers, with intervals.

    On the diagonal a judge is as sure as it is right, below it is too sure. Each judge that says how sure it is has a
    line.

    Parameters
    ----------
    found
        What `podium.judge` returns.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MethodError
        No judge says how sure it is.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> people, sure = [1, 0] * 20, [0.9, 0.6] * 20
    >>> answers = {"human": people, "judge": [1] * 40, "sure": sure}
    >>> ax = podium.plots.calibration(podium.judge(answers, probability_column="sure"))
    """
    if not found.calibrations:
        raise MethodError(
            "no judge says how sure it is; name the column with probability_column= (--probability-column)"
        )
    ax, say = footed(ax, ["below the diagonal: too sure"], _SIZE, left=0.62, right=0.2, top=0.15, below=0.42)
    number_axes(ax, (0.0, 100.0), (0.0, 100.0), ("probability, %", "right, %"))
    ax.plot([0, 100], [0, 100], color=FAINT, linewidth=0.8, zorder=1)
    for number, (judge, one) in enumerate(found.calibrations.items()):
        style, x = line_style(number), 100 * one.probability
        ax.vlines(x, 100 * one.low, 100 * one.high, color=style["color"], linewidth=0.8, zorder=2)
        style |= {"markersize": 144 * _RADIUS, "linewidth": 0.9, "clip_on": False, "zorder": 3}
        ax.plot(x, 100 * one.right, label=judge, **style)
    if len(found.calibrations) > 1:
        legend(ax, loc="lower right", bbox_to_anchor=(1, 0))
        key = ax.get_legend()
        for text in key.get_texts() if key else ():
            text.set_parse_math(False)
    say()
    return ax
