"""Tasks and systems that are made of others: averages, sums, ranks and numbers of rows, left out or asked about.

A column is left out where this is certain: it is the mean or the sum of the others, it only numbers or ranks the
systems, or its name is that of an average. A name such as "Score" is not certain; then the caller decides.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import comb, log10
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.check import asked_for
from podium.base.errors import InputError
from podium.base.words import LONG, Aside, as_typed, few, with_names
from podium.score.table import Scores
from podium.source.descriptor import bare, sounds_scored
from podium.source.direction import sounds_lower
from podium.source.table import USUAL

#: Names that only averages of tasks have.
_AVERAGES = frozenset(
    (
        *("average", "avg", "mean", "ø", "average_score", "avg_score", "mean_score", "overall_average", "overall_avg"),
        *("macro_average", "macro_avg", "macro_mean", "geomean", "geometric_mean", "average_rank", "avg_rank"),
        *("mean_rank", "average_all", "avg_all", "mean_all", "mean_task", "mean_tasktype", "mean_win_rate"),
        "mean_winrate",
    )
)

#: Names that averages of tasks may have, and tasks too.
_DOUBTFUL = frozenset(
    ("score", "overall", "overall_score", "total", "total_score", "final", "final_score", "aggregate")
)

#: Words in the names of averages of groups of tasks, such as "Math Avg".
_AVERAGED = frozenset(("average", "avg", "mean", "macro", "overall", "mean_of", "total", "sum"))

#: What rows are made of, by their names: those of spreadsheets.
_MEAN, _SUM, _MAX, _MIN = (np.nanmean,), (np.nansum,), (np.nanmax,), (np.nanmin,)
_SPREAD = (np.nanstd, partial(np.nanstd, ddof=1))
_ROWS: Mapping[str, tuple[Callable[..., Any], ...]] = {
    **dict.fromkeys(("average", "avg", "mean", "overall", "macro_average", "macro_avg"), _MEAN),
    **dict.fromkeys(("total", "sum"), _SUM),
    **dict.fromkeys(("max", "maximum", "best"), _MAX),
    **dict.fromkeys(("min", "minimum", "worst"), _MIN),
    **dict.fromkeys(("std", "stdev", "stddev", "std_dev", "sd", "standard_deviation"), _SPREAD),
    "median": (np.nanmedian,),
    **dict.fromkeys(("count", "range", "variance"), ()),
}

#: How improbable by chance, as a power of ten, an average or a sum must be; one whose name says that it may be one; and
#: such a one to be asked about.
_EVIDENCE, _EVIDENCE_NAMED, _EVIDENCE_WEAK = 6.0, 2.0, 1.5

#: Fewest systems for what numbers alone say, and for ranks.
_LEAST, _LEAST_RANKED = 3, 6

#: Names of rows without scores that are no systems.
_FOOTNOTE = re.compile(
    r"\s*([*†‡§¶]|\[\d+\]|\(\d+\)|notes?\b|source\b|legend\b|.*\b(models|methods|systems|baselines)\s*:?$|.{60})",
    re.IGNORECASE,
)

#: Words behind the name of a score in the names of its bounds.
_BOUNDS = (("lower", "upper"), ("lo", "hi"), ("lb", "ub"), ("min", "max"))

#: Whole numbers that are most likely years.
_YEARS = (1990, 2035)

#: Tasks up to which every column is compared with means of others; of more, averages by name with their neighbours.
_NEIGHBOURS = 40

#: Share of the systems whose score may not fit an average, as where one cell was typed anew.
_MISFITS = 0.1

#: Number of scores above which only tasks whose names say so are compared with the others.
_MANY = 2**20

#: Whole numbers are far off where scores are at most 100, and whole numbers go to 200.
_SCALE, _FAR = 100.0, 200.0

#: Why columns far off are asked about.
_NO_SCORES, _LIKE_YEARS = "may hold no scores but whole numbers far off the others", "may hold years"

#: Largest whole number that all systems are likely to have as a score.
_LARGEST = 10

#: Where a score is larger, nothing is computed with them; its square could overflow.
_EXTREME = 1e100

#: Most decimals that scores are rounded to.
_DECIMALS = 6


#: Of tasks or systems, as labels or globs; None for all.
_Patterns = Sequence[str] | None


class Chosen(NamedTuple):
    """The tasks and systems that count; and of tasks that are left out, what they are.

    Of averages that are left out, and whose names say that lower is better, also the tasks they are made of.
    """

    scores: Scores
    left_out: dict[str, str]
    lower: Sequence[str] = ()


def without_averages(
    scores: Scores, where: str, *, tasks: _Patterns, systems: _Patterns, sure: Sequence[str] = (), selected: bool
) -> Chosen:
    """Return the chosen tasks and systems, without those that are made of others.

    Parameters
    ----------
    scores
        The whole table.
    where
        What errors call it.
    tasks, systems
        Patterns, or None for all. What a pattern other than `*` asks for is kept, whatever it is. `*` keeps what is
        doubtful.
    sure
        Names of tasks that hold scores, since the caller says their direction.
    selected
        Whether only the chosen tasks were read, as of a wide table, whose tasks are columns.

    Raises
    ------
    InputError
        A task or a system may be an average of the others, and no pattern says whether it counts.
    LabelError
        A pattern matches nothing.
    """
    table = None
    if scores.task_level:
        table = np.stack([task.parts[0][:, 0] for task in scores.tasks], axis=1).astype(np.float64)
        if np.abs(table).max(initial=0.0, where=~np.isnan(table)) > _EXTREME:
            table = None
    single = any(task.parts[0].dtype == np.float32 for task in scores.tasks)
    columns = _averages_among_tasks(scores.task_names, table, single=single, wide=selected)
    rows = _averages_among_systems(scores.systems, table, single=single)
    wanted = None if selected else tasks
    chosen = scores if wanted is None and systems is None else scores.select(tasks=wanted, systems=systems)
    keep_tasks, task_notes = _kept_or_asked("task", where, chosen.task_names, columns, tasks, sure=sure)
    keep_systems, system_notes = _kept_or_asked("system", where, chosen.systems, rows, systems, sure=())
    there = set(keep_tasks)
    out = {name: columns.certain[name] for name in chosen.task_names if name not in there}
    if not (task_notes or system_notes):
        return Chosen(chosen, out)
    left = chosen.select(tasks=keep_tasks) if len(keep_tasks) < len(chosen.tasks) else chosen
    if len(keep_systems) < len(chosen.systems):
        kept = set(keep_systems)
        left = left.take([row for row, label in enumerate(left.systems) if label in kept])
    lower = [part for name, parts in columns.parts.items() if name in out and sounds_lower(name) for part in parts]
    return Chosen(replace(left, notes=(*chosen.notes, *task_notes, *system_notes)), out, lower)


class _Findings(NamedTuple):
    """Labels found: certain averages with the reason, labels that may not count, and why, and those that likely do.

    Of averages also the labels that they are made of, where that is known.
    """

    certain: Mapping[str, str]
    doubtful: Mapping[str, str] = MappingProxyType({})
    unlikely: Sequence[str] = ()
    parts: Mapping[str, Sequence[str]] = MappingProxyType({})


def _kept_or_asked(
    kind: str, where: str, labels: Sequence[str], found: _Findings, patterns: _Patterns, *, sure: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return the labels to keep, with notes on those that are left out or doubtful."""
    asked = set() if patterns is None else asked_for(patterns, labels)
    everything = patterns is not None and "*" in patterns and "*" not in labels
    out = [label for label in labels if label in found.certain and label not in asked]
    kept = [label for label in labels if label not in found.certain or label in asked]
    if not kept:
        return list(labels), []
    open_ = [label for label in kept if label in found.doubtful and label not in asked and label not in sure]
    if open_ and not everything and len(kept) > len(open_) + 1:
        raise _question(kind, where, {label: found.doubtful[label] for label in open_}, patterns or ())
    notes: list[str] = [
        Aside(f"{kind} {label!r} {found.certain[label]} and was left out; --{kind}s {as_typed('*,' + label)} keeps it")
        for label in out[:_LEAST]
    ]
    if len(out) > _LEAST:
        notes[_LEAST - 1 :] = [
            Aside(with_names(f"{len(out)} {kind}s made of others were left out: ", list(map(repr, out)), room=LONG))
        ]
    unlikely = [label for label in kept if label in found.unlikely and label not in asked and not everything]
    how = f"if it is made of others, leave it out: {kind}s= (--{kind}s "
    notes += [f"{kind} {label!r} counts as a {kind}; {how}'!{label}')" for label in unlikely]
    return kept, notes


#: Why a task may be none.
_MADE = "may be made of the other {}s"


def _question(kind: str, where: str, doubtful: Mapping[str, str], patterns: Sequence[str]) -> InputError:
    labels = list(doubtful)
    why = _MADE.format(kind) if len(set(doubtful.values())) > 1 else doubtful[labels[0]]

    def typed(more: Sequence[str]) -> str:
        listed = [*patterns, *more]
        return f"{kind}s={listed} (--{kind}s {as_typed(','.join(one.replace(',', chr(92) + ',') for one in listed))})"

    them, are, one = ("them", "are", "tasks") if len(labels) > 1 else ("it", "is", f"a {kind}")
    shown = few(list(map(repr, labels)))
    return InputError(
        f"{where}: {kind}{'s' if len(labels) > 1 else ''} {shown} {why} and {are} then not "
        f"{one if len(labels) == 1 else kind + 's'}; leave {them} out with {typed([f'!{label}' for label in labels])}, "
        f"or keep {them} with {typed(['*'])}"
    )


def _averages_among_tasks(names: Sequence[str], table: Floats | None, *, single: bool, wide: bool) -> _Findings:
    """Find tasks made of others, by name and by the scores, shape `(N, T)`, and columns that may hold no scores."""
    bared = [bare(name) for name in names]
    certain = {name: "is an average by its name" for name, word in zip(names, bared, strict=True) if word in _AVERAGES}
    suspects = [place for place, word in enumerate(bared) if word in _DOUBTFUL]
    unlikely: list[int] = []
    odd: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    weak: dict[int, str] = {}
    if table is not None:
        certain |= _bounds(names, bared, table)
        odd = {names[place]: why for place, why in _off_scale(names, table).items()} if wide else {}
        others = np.array([name not in certain and name not in odd for name in names])
        places = np.flatnonzero(others)
        for place, reason in _made_of_others(table[:, places], np.isin(places, suspects), single=single).items():
            certain[names[places[place]]] = reason
            parts[names[places[place]]] = [names[part] for part in places.tolist() if part != places[place]]
        for place, (reason, group, sure) in _made_of_groups(bared, table, certain, names, single=single).items():
            if not sure:
                weak[place] = reason
                continue
            certain.setdefault(names[place], reason)
            parts[names[place]] = [names[part] for part in group]
        certain |= {names[place]: reason for place, reason in _numberings(table).items() if names[place] not in certain}
        for place in (place for place in suspects if names[place] not in certain):
            rest = np.array([name not in certain for name in names]) & (np.arange(len(names)) != place)
            if np.count_nonzero(rest) < 2:
                continue
            if _is_weighted_mean(table[:, place], table[:, rest], single=single):
                certain[names[place]] = "is a weighted mean of others"
            elif _is_outside(table[:, place], table[:, rest]):
                unlikely.append(place)
    doubtful = {names[place]: _MADE.format("task") for place in suspects if place not in unlikely}
    doubtful |= {names[place]: reason for place, reason in weak.items()} | odd
    doubtful = {name: why for name, why in doubtful.items() if name not in certain}
    return _Findings(certain, doubtful, [names[place] for place in unlikely], parts)


def _off_scale(names: Sequence[str], table: Floats) -> dict[int, str]:
    """Find columns of whole numbers far above 100, where all others are decimal scores up to there; and of years."""
    size = np.nanmax(np.abs(table), axis=0, initial=0.0)
    whole = (np.isnan(table) | (table == np.round(table))).all(axis=0)
    far = [place for place in np.flatnonzero(whole & (size >= _FAR)).tolist() if not sounds_scored(names[place])]
    least = np.nanmin(table[:, far], axis=0, initial=np.inf)
    years = [place for place, low in zip(far, least, strict=True) if low >= _YEARS[0] and size[place] <= _YEARS[1]]
    rest = np.delete(size, far)
    if rest.size > 0 and rest.max() <= _SCALE and np.delete(whole, far).mean() < 0.5:
        return dict.fromkeys(far, _NO_SCORES if years != far else _LIKE_YEARS)
    return dict.fromkeys(years, _LIKE_YEARS)


def _bounds(names: Sequence[str], bared: Sequence[str], table: Floats) -> dict[str, str]:
    """Return pairs of columns such as `acc_lo` and `acc_hi` that enclose a third, `acc`, in every row."""
    place_of = {word: place for place, word in reversed(list(enumerate(bared)))}
    found: dict[str, str] = {}
    for word, place in place_of.items():
        for ends in _BOUNDS:
            pair = [place_of.get(f"{word}_{end}", -1) for end in ends]
            low, score, high = (table[:, one] for one in (pair[0], place, pair[1]))
            if min(pair) >= 0 and not ((low > score) | (score > high)).any():
                found |= {names[one]: f"is a bound of {names[place]}" for one in pair}
    return found


def _averages_among_systems(names: Sequence[str], table: Floats | None, *, single: bool) -> _Findings:
    """Find rows named like a mean or an extreme: certain if each score is that of the others, to the rounding."""
    rows = [place for place, name in enumerate(names) if bare(name) in _ROWS]
    certain: dict[str, str] = {}
    if table is not None:
        empty = np.flatnonzero(np.isnan(table).all(axis=1)).tolist()
        certain = {names[place]: "is a footnote" for place in empty if _FOOTNOTE.match(names[place])}
        certain |= {names[place]: "names the columns" for place in empty if bare(names[place]) in USUAL["system"]}
        out = {*rows, *empty}
        rest = table[[place for place in range(len(names)) if place not in out]]
        for place in rows if len(rest) > 1 else []:
            half = _half_units(table[[place]].T, single=single)[0]
            for made in _ROWS[bare(names[place])]:
                if _is_made(table[place], made, rest, float(half)):
                    certain[names[place]] = f"is the {bare(names[place])} of the others"
        if any(names[place] in certain for place in rows):  # where one such row was added, others were, too
            said = "is made of the others by its name"
            certain |= {names[place]: said for place in rows if names[place] not in certain}
    doubtful = {names[place]: _MADE.format("system") for place in rows if names[place] not in certain}
    return _Findings(certain, doubtful)


def _is_made(row: Floats, made: Callable[..., Any], rest: Floats, half: float) -> bool:
    """Return whether a row is made of the columns of others, on two tasks at least."""
    there = ~np.isnan(rest).all(axis=0) & ~np.isnan(row)
    tolerance = half * (1 + 1e-6) + 1e-12
    return bool(there.sum() > 1 and (np.abs(row[there] - made(rest[:, there], axis=0)) <= tolerance).all())


def _made_of_groups(
    bared: Sequence[str], table: Floats, certain: Mapping[str, str], names: Sequence[str], *, single: bool
) -> dict[int, tuple[str, list[int], bool]]:
    """Return columns that are the mean of two or more that stand side by side, to the rounding, not by chance.

    The chance is that of `_made_of_others`; the more groups there are, the more improbable a mean must be.
    The last value is whether that is certain: a name may say so where few rows leave it to chance.
    """
    n_systems, n_tasks = table.shape
    if table.size > _MANY or n_systems < _LEAST:
        return {}
    called = [place for place, word in enumerate(bared) if not _AVERAGED.isdisjoint(word.split("_"))]
    half = _half_units(table, single=single)
    found: dict[int, tuple[str, list[int], bool]] = {}
    for place in range(n_tasks) if n_tasks <= _NEIGHBOURS else called[:_NEIGHBOURS]:
        parts = [part for part in range(n_tasks) if names[part] not in certain and part != place and part not in found]
        sides = np.searchsorted(parts, [place - _NEIGHBOURS, place + _NEIGHBOURS])
        parts = parts[sides[0] : sides[1]]
        starts, ends = np.triu_indices(len(parts), 1)
        if not starts.size:
            continue
        least = (_EVIDENCE_NAMED if place in called else _EVIDENCE) + log10(n_tasks * starts.size)
        score, own = table[:, place], float(half[place])
        evidence, misfits = _evidence_of_means(score, own, table[:, parts], half[parts], (starts, ends + 1))
        if evidence.max() >= (_EVIDENCE_WEAK if place in called else least):
            best = int(evidence.argmax())
            group, out = parts[starts[best] : ends[best] + 1], int(misfits[best])
            some = f" in all but {out} of {n_systems} rows" if out else ""
            sure = bool(evidence[best] >= least)
            made = f"{'is' if sure else 'may be'} the mean of {few([names[part] for part in group], 3)}{some}"
            found[place] = made, group, sure
    return found


def _evidence_of_means(
    score: Floats, own: float, table: Floats, half: Floats, windows: tuple[Any, Any]
) -> tuple[Floats, Ints]:
    """Return how improbable it is that a score is each mean of columns, and rows that do not fit, shape `(W,)` each.

    A window has the columns from its start to before its end; a mean that lacks a score is none.
    """
    starts, ends = windows

    def total(values: Floats) -> Any:
        sums = np.cumsum(np.insert(values, 0, 0.0, axis=-1), axis=-1)
        return sums[..., ends] - sums[..., starts]

    absent, size = np.isnan(table), ends - starts
    filled = np.where(absent, 0.0, table)
    mean = total(filled) / size
    spread = np.sqrt(np.maximum(total(filled**2) / size - mean**2, 0.0))
    rows = (total(absent.astype(np.float64)) == 0) & ~np.isnan(score)[:, np.newaxis] & (spread > 0)
    return _evidence(rows, np.abs(score[:, np.newaxis] - mean), own + total(half) / size, spread)[:2]


def _evidence(rows: Bools, off: Floats, tolerance: Floats, spread: Floats) -> tuple[Floats, Ints, Ints]:
    """Return how improbable it is, as a power of ten, that columns are so near; rows that do not fit, and all rows.

    A score that has nothing to do with another is within a tolerance t of it with a probability of about t / s, where s
    is how much scores of the row differ. If k of n rows do not fit, the chance is at most C(n, k) times as large.
    """
    fits = rows & (off <= tolerance)
    by_chance = np.where(fits, tolerance / np.where(fits, spread, 1.0), 1.0)
    n, k = rows.sum(axis=0), (rows & ~fits).sum(axis=0)
    enough = (n >= _LEAST) & (k <= _MISFITS * n)
    ways = np.array([log10(comb(*pair)) for pair in zip(n[enough].tolist(), k[enough].tolist(), strict=True)])
    found = np.full(len(n), -np.inf)
    found[enough] = -np.log10(np.minimum(1.0, by_chance[:, enough])).sum(axis=0) - ways
    return found, k, n


def _made_of_others(table: Floats, named: Bools, *, single: bool) -> dict[int, str]:
    """Return columns that are the mean or the sum of the others in every row, to the rounding, and not by chance.

    By `_evidence`, the chance of it must be at most 10⁻⁶, divided by the number of columns; 10⁻² is enough for columns
    whose names say so (`named`). Of ten rows one may not fit.
    """
    places = np.flatnonzero(named) if table.size > _MANY else np.arange(table.shape[1])
    if not places.size:
        return {}
    rows = np.count_nonzero(~np.isnan(table), axis=1) >= 3
    if np.count_nonzero(rows) < _LEAST:
        return {}
    table = table if rows.all() else table[rows]
    present = ~np.isnan(table)
    filled = np.where(present, table, 0.0)
    count, total = present.sum(axis=1, keepdims=True), filled.sum(axis=1, keepdims=True)
    spread = np.sqrt(np.maximum((filled**2).sum(axis=1, keepdims=True) / count - (total / count) ** 2, 0.0))
    half = _half_units(table, single=single)
    halves = present @ half[:, np.newaxis]
    found: dict[int, str] = {}
    for what, divisor in (("mean", count - 1), ("sum", np.ones_like(count))):
        scores, here = filled[:, places], present[:, places] & (spread > 0)
        off = np.abs(scores - (total - scores) / divisor)
        tolerance = half[places] + (halves - half[places]) / divisor
        evidence, misfits, number = _evidence(here, off, tolerance, spread)
        enough = evidence >= np.where(named[places], _EVIDENCE_NAMED, _EVIDENCE + np.log10(table.shape[1]))
        for place, k, n in zip(places[enough].tolist(), misfits[enough].tolist(), number[enough].tolist(), strict=True):
            found[place] = f"is the {what} of the others" + (f" in all but {k} of {n} rows" if k else "")
    return found


def _half_units(table: Floats, *, single: bool) -> Floats:
    """Return half of the last decimal of each column; where scores are not rounded, what arithmetic may add."""
    size = np.nanmax(np.abs(table), axis=0, initial=0.0, where=~np.isnan(table))
    exact = size * (1e-6 if single else 1e-12)
    half: Floats = np.maximum(size, 1e-300) * (1e-5 if single else 1e-9)
    for places in range(_DECIMALS, -1, -1):
        off = np.abs(table - np.round(table, places))
        whole = np.nanmax(off, axis=0, initial=0.0, where=~np.isnan(off)) <= exact
        half = np.where(whole, 0.5 * 10.0**-places, half)
    return half


def _is_weighted_mean(score: Floats, others: Floats, *, single: bool) -> bool:
    """Return whether scores are a mean of other columns with some weights, to the rounding, in 19 of 20 rows."""
    whole = ~np.isnan(score) & ~np.isnan(others).any(axis=1)
    score, others = score[whole], others[whole]
    if score.size < 2 * others.shape[1] + 10:
        return False
    weights = np.linalg.lstsq(others, score, rcond=None)[0]
    if weights.min() < -0.02 or weights.max() > 0.9 or abs(weights.sum() - 1) > 0.02:
        return False
    halves = _half_units(np.column_stack((score, others)), single=single)
    tolerance = halves[0] + float(np.abs(weights) @ halves[1:])
    off = np.abs(score - others @ weights)
    return bool(np.mean(off <= tolerance) >= 0.95 and tolerance < 0.25 * (score - others.mean(axis=1)).std())


def _is_outside(score: Floats, others: Floats) -> bool:
    """Return whether scores are outside the range of the others in a tenth of the rows: no average of these."""
    rows = ~np.isnan(score) & (~np.isnan(others)).any(axis=1)
    score, others = score[rows], others[rows]
    outside = (score < np.nanmin(others, axis=1)) | (score > np.nanmax(others, axis=1))
    return bool(rows.any() and np.mean(outside) > 0.1)


def _numberings(table: Floats) -> dict[int, str]:
    """Find columns that number the systems, rank them by another, or hold one large number, no end of a scale."""
    n_systems = table.shape[0]
    found: dict[int, str] = {}
    if n_systems < _LEAST:
        return found
    flat = np.flatnonzero((table == table[0]).all(axis=0) & (table[0] == np.round(table[0])))
    for place in flat.tolist():
        if (value := float(table[0, place])) > _LARGEST and value not in {100.0, 1000.0}:
            found[place] = f"is {value:g} for every system"
    if n_systems < _LEAST_RANKED:
        return found
    numbers = np.arange(1, n_systems + 1)
    ranked = np.flatnonzero((np.sort(table, axis=0) == numbers[:, np.newaxis]).all(axis=0))
    if ranked.size != 1:  # all tasks may hold ranks
        return found
    place = int(ranked[0])
    steps = np.diff(table[np.argsort(table[:, place])], axis=0)
    ordered = ((steps >= 0).all(axis=0) | (steps <= 0).all(axis=0)) & (steps != 0).any(axis=0)
    if (table[:, place] == numbers).all():
        found[place] = f"numbers the systems from 1 to {n_systems}"
    elif np.delete(ordered, place).any():
        found[place] = "ranks the systems by another column"
    return found
