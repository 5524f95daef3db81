"""A customized leaderboard: the systems with their scores overall and by split, and the splits."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from podium.base.words import DASH, decimals, fixed, how_many, significant
from podium.customization.figure.histogram import difficulty_histogram
from podium.customization.figure.moves import moves
from podium.customization.figure.parallel import parallel
from podium.ranking.view import rank_columns, score_bars, tiers
from podium.report.number import score_texts
from podium.report.table import Column, Table
from podium.report.view import Figure, View

if TYPE_CHECKING:
    from podium.customization.result import Customized

#: Splits up to which each has a column; of more there is the table of splits alone.
_WIDE = 12


def view_customized(customized: "Customized") -> View:
    """Lay out a customized leaderboard.

    >>> import numpy as np
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> view_customized(podium.customize(scores, bias, splits=2)).tables[0].rows[0][:5]
    ('1', 'B', '66.7', '75.0', '=')
    """
    sure = customized.ranking.intervals
    explain = (*_reading(customized), *(() if sure is None else sure.explanation))
    figures = (
        Figure("parallel", "Scores on every split", partial(parallel, customized)),
        Figure("moves", "Ranks by accuracy and by score", partial(moves, customized)),
        Figure("difficulty", "Where the splits lie", partial(difficulty_histogram, customized)),
    )
    tables = (_systems(customized), _splits(customized))
    return View(customized.title, tables, customized.notes, figures=figures, explain=explain)


def _systems(customized: "Customized") -> Table:
    rows = customized.rows()
    ranks, scores = [row["rank"] for row in rows], [row["score"] for row in rows]
    places = _places(customized)
    columns = [
        *rank_columns(customized.ranking),
        Column.labels("system", customized.systems),
        Column.numbers("score", [text.replace("-", "−") for text in score_texts(scores, ranks, places)]),
        Column.numbers("accuracy", [_percent(row["accuracy"], places) for row in rows]),
        Column.numbers("moved", [_moved(row["rank"], row["rank_change"]) for row in rows]),
        Column.numbers(
            "inflation", [DASH if row["inflation"] is None else f"{fixed(row['inflation'], 1)}%" for row in rows]
        ),
    ]
    if not np.isnan(customized.leads).any() and len(customized.splits) > 1:
        columns.append(Column.numbers("leads", [f"{100 * row['leads']:.0f}%" for row in rows]))
        columns.append(Column.numbers("leads (rising)", [f"{100 * row['leads_rising']:.0f}%" for row in rows]))
    if len(customized.splits) <= _WIDE:
        columns += [
            Column.numbers(f"split {split.name}", [_percent(row[f"split_{split.name}"], 1) for row in rows])
            for split in customized.splits
        ]
    if (sure := customized.ranking.intervals) is not None:
        percent = f"{100 * sure.confidence:g}%"
        ends = [f"[{_percent(row['score_low'], places)}, {_percent(row['score_high'], places)}]" for row in rows]
        columns.insert(5, Column.numbers(f"{percent} CI", ends))
    return Table(tuple(columns), bars=score_bars(customized.ranking), bands=tiers(customized.ranking))


def _splits(customized: "Customized") -> Table:
    splits = customized.splits
    means = [_percent(_mean(column), 1) for column in customized.split_accuracy.T]
    ranges = (
        Column.numbers(f"least {customized.measure}", [significant(split.low, 3) for split in splits]),
        Column.numbers("greatest", [significant(split.high, 3) for split in splits]),
    )
    return Table(
        (
            Column.labels("split", [split.name for split in splits]),
            *(ranges if customized.values is not None else ()),
            Column.numbers("instances", [f"{split.instances:,.1f}".removesuffix(".0") for split in splits]),
            Column.numbers("weight", [f"{split.weight:.4g}" for split in splits]),
            Column.numbers("mean accuracy", means),
        ),
        "splits, the easy ones first" if customized.by not in {"random", "manual"} else "splits",
    )


def _mean(column: NDArray[np.float64]) -> float | None:
    there = column[~np.isnan(column)]
    return float(there.mean()) if there.size else None


def _reading(customized: "Customized") -> list[str]:
    """Say what the columns mean."""
    text = "score: weighted, 100 if all is right; moved: ranks gained over accuracy; inflation: share of accuracy lost"
    if np.isnan(customized.leads).any() or len(customized.splits) == 1:
        return [text]
    weightings = f"share of all weightings of the {how_many(len(customized.splits), 'split')} that put the system first"
    return [text, f"leads: {weightings}; rising: of those that rise from easy to hard"]


def _moved(rank: int | None, change: int) -> str:
    if rank is None:
        return DASH
    return "=" if not change else f"+{change}" if change > 0 else f"−{-change}"


def _places(customized: "Customized") -> int:
    """Decimals that show two digits of the shortest interval; one where there are none, or two if ranks need them."""
    sure = customized.ranking.intervals
    if sure is not None:
        widths = sure.score_high - sure.score_low
        return max(decimals(float(np.nanmin(widths))) if (widths > 0).any() else 1, 1)
    return 1


def _percent(value: float | None, places: int) -> str:
    return DASH if value is None else fixed(value, places)
