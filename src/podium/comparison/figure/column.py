"""Columns of text beside a forest plot, and how many decimals their numbers have."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median
from typing import Any

from podium.base.errors import InputError, LabelError
from podium.base.words import p_value, raised, significant
from podium.comparison.figure.mark import Row
from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Beside
from podium.report.table import DASH

#: Fewest and most decimals that are chosen; from this size on a number is written with a power of ten.
_FEWEST, _MOST, _HUGE = 2, 4, 1e9


@dataclass(frozen=True, slots=True)
class Decimals:
    """How numbers in one unit are written.

    Attributes
    ----------
    places
        After the point.
    power
        Of ten, taken out of every number and said in the heading.
    ratio
        Whether numbers are ratios; tiny and large ones then have significant digits instead.
    """

    places: int
    power: int = 0
    ratio: bool = False

    @classmethod
    def of(cls, spans: Iterable[float], values: Iterable[float]) -> "Decimals":
        """Show two significant digits of the shortest span, with 2 to 4 decimals, or none where spans are over 100.

        Numbers too small for four decimals, or of ten digits, have a power of ten taken out.

        Parameters
        ----------
        spans, values
            Differences that are to be seen, and the numbers to be written; those that are not finite do not count.

        Examples
        --------
        >>> Decimals.of([0.0053, 0.1], [-0.01, 0.2])
        Decimals(places=4, power=0, ratio=False)
        >>> Decimals.of([2e-8], [-1e-7, 3e-7])
        Decimals(places=2, power=-7, ratio=False)
        """
        sizes = [abs(value) for value in values if value and math.isfinite(value)]
        shortest = min((span for span in spans if span > 0 and math.isfinite(span)), default=min(sizes, default=1.0))
        power = _power(sizes)
        places = 1 - math.floor(math.log10(shortest)) + power
        return cls(0 if places < 0 else min(max(places, _FEWEST), _MOST), power)

    @property
    def unit(self) -> str:
        """What follows the heading: the power of ten, if any.

        >>> Decimals(2, -7).unit
        ' in 10⁻⁷'
        """
        return f" in 10{raised(self.power)}" if self.power else ""

    def __call__(self, value: float) -> str:
        """Write a number.

        >>> [Decimals(2)(value) for value in (-0.5, -0.001, 12345, float("nan"), float("inf"))]
        ['−0.50', '0.00', '12,345.00', '–', '∞']
        >>> [Decimals(2, ratio=True)(value) for value in (0.00123, 0.5, 12345)]
        ['0.0012', '0.50', '12,345']
        """
        scaled = value / 10.0**self.power
        extreme = self.ratio and not 0.1 <= scaled < 1000
        if extreme or abs(scaled) >= _HUGE or math.isnan(scaled):
            return significant(scaled, max(2, self.places))
        return f"{scaled:z,.{self.places}f}".replace("-", "−")


def count_text(value: int | None) -> str:
    """Write a count.

    >>> count_text(40430), count_text(None)
    ('40,430', '–')
    """
    return DASH if value is None else f"{value:,}"


def _power(sizes: list[float]) -> int:
    """Power of ten to take out of numbers of some sizes: of the largest if that is tiny, of the middle if huge."""
    if sizes and max(sizes) < 5 * 10.0**-_MOST:
        return math.floor(math.log10(max(sizes)))
    if sizes and median(sizes) >= _HUGE:
        return math.floor(math.log10(median(sizes)))
    return 0


#: A built-in column by name, or a heading with a text for every task: by label, or in the order of the analysis.
Given = str | tuple[str, Mapping[str, Any] | Sequence[Any]]

Cell = tuple[str, ...]

#: How effects are called in a heading.
_SHORT = {"md": "MD", "smd": "SMD", "corr": "r", "rd": "RD", "or": "OR", "given": "Effect"}

#: Longest labels of systems that head columns, in letters.
_NAME = 14

_NUMBER = re.compile(r"[-−+<]?[\d.,]+ ?%?")


@dataclass(frozen=True, slots=True)
class Column:
    """A heading, and in every row a cell of one or more parts, which stand in columns of their own.

    Attributes
    ----------
    heading
        Over the column.
    cells
        For every row; empty where there is nothing to say.
    words
        Whether cells are words, set to the left, rather than numbers, set to the right.
    """

    heading: str
    cells: tuple[Cell, ...]
    words: bool = False


def default_columns(analysis: MetaAnalysis) -> tuple[list[Given], list[Given]]:
    """What stands left and right where nothing else is asked for."""
    counts: list[Given] = ["n"] if any(task.n is not None for task in analysis.tasks) else []
    return counts + [other.name for other in analysis.beside], ["weight", "effect", "ci"]


def columns_of(
    analysis: MetaAnalysis, rows: Sequence[Row], wanted: str | Sequence[Given], decimals: Decimals
) -> list[Column]:
    """Make columns.

    Raises
    ------
    LabelError
        There is no such column, or no such task.
    InputError
        A column has more or fewer texts than there are tasks.
    """
    known = {other.name: _beside(other) for other in analysis.beside} | _built_in(analysis, decimals)
    made = []
    for given in [wanted] if isinstance(wanted, str) else wanted:
        if not isinstance(given, str):
            made.append(_own(analysis, rows, *given))
        elif given in known:
            heading, cell = known[given]
            made.append(Column(heading, tuple(cell(row) for row in rows)))
        else:
            raise LabelError.unknown("column", given, known)
    return made


def _built_in(analysis: MetaAnalysis, decimals: Decimals) -> dict[str, tuple[str, Callable[[Row], Cell]]]:
    """Heading and cells of every column that a name asks for."""
    names = (analysis.control, analysis.treatment)
    control, treatment = (
        names if min(map(len, names)) > 0 and max(map(len, names)) <= _NAME else ("Control", "Treatment")
    )
    tasks = analysis.tasks
    before, after = [task.control_mean for task in tasks], [task.treatment_mean for task in tasks]
    means = Beside("", tuple(before), tuple(after))
    places = _places(means)

    def one(values: list[float]) -> Callable[[Row], Cell]:
        return lambda row: (places(values[row.members[0]]),) if row.kind == "task" else ()

    def pooled(cell: Callable[[Row], str]) -> Callable[[Row], Cell]:
        return lambda row: (cell(row),) if row.members else ()

    return {
        "n": ("n", pooled(lambda row: _count([tasks[index].n for index in row.members]))),
        "control": (f"{control}{places.unit}", one(before)),
        "treatment": (f"{treatment}{places.unit}", one(after)),
        "means": (f"{control} → {treatment}{places.unit}", _beside(means)[1]),
        "weight": ("Weight", pooled(lambda row: _share(sum(tasks[index].weight for index in row.members)))),
        "effect": (_SHORT[analysis.kind] + decimals.unit, pooled(lambda row: decimals(row.effect))),
        "ci": (f"{100 * analysis.confidence:g}% CI{decimals.unit}", lambda row: _interval(row, decimals)),
        "p": ("p", pooled(lambda row: p_value(row.p))),
    }


def _interval(row: Row, decimals: Decimals) -> Cell:
    if row.kind == "heading":
        return ()
    low, high = decimals(row.low), decimals(row.high)
    return (f"[{low},", f"{high}]") if row.low == row.low or row.high == row.high else (low,)


def _beside(other: Beside) -> tuple[str, Callable[[Row], Cell]]:
    """Means of both systems with an arrow from the control to the treatment."""
    places = _places(other)

    def cell(row: Row) -> Cell:
        index = row.members[0] if row.kind == "task" else None
        return () if index is None else (places(other.control[index]), "→", places(other.treatment[index]))

    return f"{other.name}{places.unit}", cell


def _places(other: Beside) -> Decimals:
    """Decimals that show one significant digit of the middle difference between two systems."""
    spans = [abs(after - before) for before, after in zip(other.control, other.treatment, strict=True)]
    seen = [10 * span for span in spans if span > 0]
    return Decimals.of([median(seen)] if seen else [1.0], [*other.control, *other.treatment])


def _count(counts: Sequence[int | None]) -> str:
    known = [count for count in counts if count is not None]
    return count_text(sum(known) if len(known) == len(counts) else None)


def _own(analysis: MetaAnalysis, rows: Sequence[Row], heading: str, texts: Mapping[str, Any] | Sequence[Any]) -> Column:
    labels = [task.task for task in analysis.tasks]
    if isinstance(texts, Mapping):
        for label in texts:
            if label not in labels:
                raise LabelError.unknown("task", label, labels)
        texts = [texts.get(label, "") for label in labels]
    if len(texts) != len(labels):
        raise InputError(f"column {heading!r} has {len(texts)} texts for {len(labels)} tasks; give one for each")
    written = [str(text) for text in texts]
    words = not all(_NUMBER.fullmatch(text) for text in written if text)
    cells: list[Cell] = [(text,) if text else () for text in written]
    return Column(heading, tuple(cells[row.members[0]] if row.kind == "task" else () for row in rows), words)


def _share(weight: float) -> str:
    return DASH if isnan(weight) else f"{100 * weight:.1f}%"
