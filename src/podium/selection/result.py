"""Chosen items, by which the full score of another system is told; what they tell of some; and how both are shown."""

import math
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from podium.base.arrays import Floats, Frozen, Ints, plain, plain_list
from podium.base.errors import InputError
from podium.base.words import DASH, fixed, how_many, p_value, rounded_percent, significant, span
from podium.report.drawing import FAINT, label_points, number_axes, points
from podium.report.picture import footed
from podium.report.result import Result
from podium.report.view import Bars, Column, Figure, Table, View, score_texts
from podium.selection.validation import half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: How the columns of a file are called that hold scores of systems.
_SCORE_OF = "score of "

#: Columns before these.
_HEAD = ("kind", "task", "instance", "weight")


#: Methods in words.
_NAMES = {
    "stratified": "task and difficulty",
    "clusters": "clusters of answers",
    "information": "information of item response",
}

_METHODS_READING = (
    "error: root mean square of predicted less true full scores, of systems left out of the choice",
    "tau-b: of predicted with true scores of systems left out; pairs in order: of those that all items separate",
    "better than random: p-value, of all methods together; a random choice stands unless it is below 0.05",
)

_PREDICTED_READING = (
    "score: the mean over tasks, as podium rank --method mean gives it of all items",
    "rank: among the systems by which items were chosen",
    "intervals: from the errors for those systems, each left out of the choice; they hold for systems like these",
)


def _p_value(p: float) -> str:
    """Write a p-value; with four decimals below 0.1, so that 0.0498 is seen to be below 0.05."""
    return f"{p:.4f}" if 0.001 <= p < 0.1 else p_value(p)


@dataclass(frozen=True, slots=True, eq=False)
class Formula(Frozen):
    """Full score ≈ intercept + Σ weight · score, over C columns of n items; and how far off it was for N systems.

    Attributes
    ----------
    tasks, instances
        The C labels of each; instances are None of whole tasks.
    weights
        Shape `(C,)`.
    intercept
        In units of the full score, as weights are.
    systems
        The N labels.
    scores
        Shape `(C, N)`: their scores, NaN where missing.
    full
        Shape `(N,)`: their full scores.
    errors
        Shape `(R, N)`: what was predicted of each less its full score, with items chosen without it, of R draws; NaN
        but for one system of each family.
    higher_is_better
        Direction of full scores.
    """

    tasks: tuple[str, ...]
    instances: tuple[str | None, ...]
    weights: Floats
    intercept: float
    systems: tuple[str, ...]
    scores: Floats
    full: Floats
    errors: Floats
    higher_is_better: bool

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per column, the intercept, full scores, and errors; "full score ↓" if lower is better."""
        full = "full score" if self.higher_is_better else "full score ↓"
        heads: list[tuple[Any, ...]] = [
            *(("item", *row) for row in zip(self.tasks, self.instances, self.weights.tolist(), strict=True)),
            ("intercept", None, None, self.intercept),
            (full, None, None, None),
            *[("error", None, None, None)] * len(self.errors),
        ]
        values = np.vstack([self.scores, np.full((1, len(self.systems)), np.nan), self.full, self.errors])
        names = (*_HEAD, *(f"{_SCORE_OF}{system}" for system in self.systems))
        rows = zip(heads, plain_list(values), strict=True)
        return [dict(zip(names, (*head, *row), strict=True)) for head, row in rows]

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read what `Subset.save` writes as CSV, JSON Lines or Parquet.

        Raises
        ------
        InputError
            It is no such file.
        """
        from podium.source.labels import read_whole  # noqa: PLC0415  # import Arrow only to read
        from podium.source.path import open_table  # noqa: PLC0415  # the same

        opened = open_table(path)
        columns = [name for name in opened.names if name.startswith(_SCORE_OF)]
        if not columns or not {*_HEAD} <= {*opened.names}:
            raise InputError(
                f"{path} is no file of chosen items; make one with podium subset scores.csv --items 100 -o items.csv"
            )
        whole = read_whole(opened, texts=_HEAD[:3], numbers=[_HEAD[3], *columns])
        kind = np.array([(text or "").strip() for text in whole.texts["kind"]])
        values, weights = np.array([whole.numbers[name] for name in columns]).T, whole.numbers["weight"]
        item, intercept = kind == "item", weights[kind == "intercept"]
        full, errors = values[np.char.startswith(kind, "full score")], values[kind == "error"]
        if not (item.any() and intercept.size == len(full) == 1 and errors.size) or np.isnan(full).any():
            raise InputError(f"{path} lacks rows that podium subset wrote; write it again")
        return cls(
            tuple(str(whole.texts["task"][row]) for row in np.flatnonzero(item)),
            tuple(whole.texts["instance"][row] or None for row in np.flatnonzero(item)),
            weights[item],
            float(intercept[0]),
            tuple(name.removeprefix(_SCORE_OF) for name in columns),
            values[item],
            full[0],
            errors,
            not any(one.endswith("↓") for one in kind.tolist()),
        )

    def predict(self, answers: Floats, confidence: float) -> tuple[float, float]:
        """Return the full score of a system with answers `(C,)`, NaN where missing, and half the width of its interval.

        Of missing answers, a line through the systems of the formula says what the others tell; its error adds up.
        """
        there, half = ~np.isnan(answers), half_width(self.errors, confidence)
        if there.all():
            return self.intercept + float(self.weights @ answers), half
        known = ~np.isnan(self.scores).any(axis=0)
        x, y = self.weights[there] @ self.scores[there][:, known], self.weights @ self.scores[:, known]
        off, freedom = x - x.mean() if x.size else x, y.size - 2
        slope = float(off @ y / (off @ off)) if (off**2).sum() > 0 else 0.0
        middle = float(y.mean()) if y.size else np.nan
        left = float(((y - middle - slope * off) ** 2).sum() / freedom) if freedom > 0 else np.nan
        score = self.intercept + middle + slope * (float(self.weights[there] @ answers[there]) - float(x.mean()))
        size = float(np.nanmean(self.errors**2))
        return score, half * math.sqrt(1 + left / size) if size > 0 else 2 * math.sqrt(left)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Subset(Result):
    """Items, or whole tasks, that keep the order of systems; by M methods, of which the best is taken if it is so.

    Attributes
    ----------
    noun
        "item" or "task".
    number, there
        How many are chosen, and of how many.
    formula
        The columns of the table that are chosen, and what they tell of a full score.
    method
        By which they are chosen.
    methods
        Names of all that were tried; the first is the random choice.
    error, tau, kept
        Shape `(M,)`: root mean square error of predicted full scores; τ-b of these with true ones; share of separated
        pairs that are predicted in their order. All of systems left out.
    p
        Shape `(M,)`: p-value of being no better than random, all methods together (Bonferroni); NaN for random.
    pairs
        Pairs of systems that all items separate.
    confidence
        Of the interval, and with which pairs are separated.

    Examples
    --------
    >>> import podium
    >>> podium.subset(podium.datasets.demo(), items=50).method
    'random'
    """

    schema: ClassVar[str] = "subset"
    _row_key: ClassVar[str] = "rows"

    noun: str
    number: int
    there: int
    formula: Formula
    method: str
    methods: tuple[str, ...]
    error: Floats
    tau: Floats
    kept: Floats
    p: Floats
    pairs: int
    confidence: float
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def half_width(self) -> float:
        """Return half the width of the interval of a predicted full score."""
        return half_width(self.formula.errors, self.confidence)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say how well the choice does, and whether it is better than a random one."""
        at = self.methods.index(self.method)
        sure = f"{100 * self.confidence:g}%"
        told = f"full scores of systems left out are predicted within {significant(self.half_width)} ({sure})"
        order = [] if math.isnan(self.tau[at]) else [f"tau-b {fixed(self.tau[at], 2)}"]
        if self.pairs:
            order.append(f"{rounded_percent(self.kept[at])} of {how_many(self.pairs, 'separated pair')} in order")
        told = "; ".join([told, ", ".join(order)] if order else [told])
        said = (f"{self.number:,} of {how_many(self.there, self.noun)}: {told}",)
        if at == 0:
            return (*said, f"no choice is significantly better than random {self.noun}s, so these are random")
        by = "difficulty" if (self.noun, self.method) == ("task", "stratified") else _NAMES[self.method]
        p = f"p = {_p_value(self.p[at])}".replace("= <", "< ")
        return (*said, f"chosen by {by}: predicts better than random {self.noun}s ({p})")

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the formula: columns of the table with weights, the intercept, full scores and errors."""
        return self.formula.rows()

    def _by_method(self) -> list[dict[str, Any]]:
        columns = {"method": self.methods} | {
            name: getattr(self, name).tolist() for name in ("error", "tau", "kept", "p")
        }
        return [plain(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        head = {name: getattr(self, name) for name in ("noun", "number", "there", "method", "pairs", "confidence")}
        more = {"half_width": self.half_width, "higher_is_better": self.formula.higher_is_better}
        return head | more | {"methods": self._by_method(), "rows": self.rows()}

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        formula, numbers = self.formula, range(len(self.methods))
        kept, p = (array.tolist() for array in (self.kept, self.p))
        tried = Table(
            (
                Column.labels("method", self.methods),
                Column.numbers("error", score_texts(self.error.tolist(), [*numbers])),
                Column.numbers("tau-b", [fixed(one, 3) for one in self.tau.tolist()]),
                Column.numbers("pairs in order", [f"{100 * one:.1f}%" if self.pairs else DASH for one in kept], 1),
                Column.numbers("p, not better than random", map(_p_value, p)),
                Column.words("taken", ["yes" if one == self.method else "" for one in self.methods]),
            ),
            bands=self.methods,
        )
        weights = [significant(one, 3) for one in formula.weights.tolist()]
        columns = [Column.labels("task", formula.tasks)]
        if None not in formula.instances:
            columns.append(Column.labels("instance", map(str, formula.instances)))
        chosen = Table((*columns, Column.numbers("weight", weights)), caption=f"chosen {self.noun}s", detail=True)
        title = f"{self.number:,} of {how_many(self.there, self.noun)}, by {how_many(len(formula.systems), 'system')}"
        figure = Figure("predicted", "Predicted against full scores", partial(predicted, self))
        return View(title, (tried, chosen), self.notes, self.sentences, (figure,), _METHODS_READING)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prediction(Result):
    """Full scores of M systems by their answers to chosen items, best first, and their ranks among N others.

    Attributes
    ----------
    systems
        The M labels.
    score, low, high
        Shape `(M,)`: predicted full score and its interval.
    rank, rank_low, rank_high
        Shape `(M,)`: rank among the N systems by which items were chosen, and its interval; 1 is best.
    answered
        Shape `(M,)`: how many of the scores that the formula takes there are.
    others
        Shape `(M,)`: N, or one less for a system that is itself among them.
    asked
        How many scores the formula takes.
    confidence
        Of each interval alone.
    higher_is_better
        Direction of scores.

    Examples
    --------
    >>> import podium
    >>> table = podium.datasets.demo()
    >>> chosen = podium.subset(table.select(systems=["!cedar"]), items=100)
    >>> podium.predict(table.select(systems=["cedar"]), chosen).rank
    array([2])
    """

    schema: ClassVar[str] = "prediction"
    _row_key: ClassVar[str] = "systems"

    systems: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    rank: Ints
    rank_low: Ints
    rank_high: Ints
    answered: Ints
    others: Ints
    asked: int
    confidence: float
    higher_is_better: bool
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say score and rank of the best."""
        low, high = (significant(end[0], 3) for end in (self.low, self.high))
        place = (
            f"rank {self.rank[0]} among {self.others[0] + 1} ({span(int(self.rank_low[0]), int(self.rank_high[0]))})"
        )
        sure = f"{100 * self.confidence:g}%"
        return (f"{self.systems[0]}: {significant(self.score[0], 3)} ({low} to {high}, {sure}), {place}",)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system."""
        names = ("score", "low", "high", "rank", "rank_low", "rank_high", "others", "answered")
        columns = {"system": self.systems} | {name: getattr(self, name).tolist() for name in names}
        return [plain(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        names = ("asked", "confidence", "higher_is_better")
        return {name: getattr(self, name) for name in names} | {"systems": self.rows()}

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        sure = f"{100 * self.confidence:g}%"
        ranks = [span(*ends) for ends in zip(self.rank_low.tolist(), self.rank_high.tolist(), strict=True)]
        ends = tuple(zip(self.low.tolist(), self.score.tolist(), self.high.tolist(), strict=True))
        table = Table(
            (
                Column.labels("system", self.systems),
                Column.numbers("score", score_texts(self.score.tolist(), self.rank.tolist())),
                Column.numbers("rank", map(str, self.rank.tolist())),
                Column.numbers(f"{sure} ranks", ranks),
                Column.numbers("answered", [f"{one}/{self.asked}" for one in self.answered.tolist()], 1),
            ),
            bars=Bars(f"score with {sure} interval", ends),
        )
        title = f"{how_many(len(self.systems), 'system')}, predicted from {how_many(self.asked, 'score')} each"
        return View(title, (table,), self.notes, self.sentences, (), _PREDICTED_READING)


#: Axes, in inches.
_SIZE = (3.4, 3.4)


def predicted(subset: Subset, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a point for each system: its full score to the right, and upwards what was predicted when it was left out.

    On the line both are the same; between the broken lines are predictions whose intervals hold. If several random
    choices were tried, the mean of their predictions is drawn.

    Parameters
    ----------
    subset
        What `podium.subset` returns.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> ax = podium.plots.predicted(podium.subset(podium.datasets.demo(), items=50))
    >>> ax.get_xlabel()
    'full score'
    """
    full, half = subset.formula.full, subset.half_width
    told = full + np.nanmean(subset.formula.errors, axis=0)
    half_in_words = f"broken: {100 * subset.confidence:g}% intervals, {significant(half)} to either side"
    ax, say = footed(ax, [half_in_words], _SIZE, left=0.62, right=0.2, top=0.12, below=0.46)
    low, high = float(min(full.min(), told.min())), float(max(full.max(), told.max()))
    room = 0.06 * (high - low or 1.0)
    ends = low - room, high + room
    number_axes(ax, ends, ends, names=("full score", f"predicted of {subset.number:,} {subset.noun}s"))
    for moved, style in ((0.0, "-"), (half, "--"), (-half, "--")):
        ax.plot(ends, np.add(ends, moved), style, color=FAINT, linewidth=0.8, zorder=1)
    points(ax, full, told)
    label_points(ax, full, told, subset.formula.systems, first=np.abs(told - full))
    say()
    return ax
