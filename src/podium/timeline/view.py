"""How a history is shown: what changed in sentences, the systems of the last step, and what happened in each step."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING

from podium.base.statistics import student_quantile
from podium.base.words import (
    DASH,
    LONG,
    decimals,
    few,
    fixed,
    how_many,
    in_each,
    one_a_kind,
    percent,
    span,
    weighing_as,
    with_names,
)
from podium.comparison.effects import POINTS
from podium.ranking.view import rank_table
from podium.report.view import Column, Figure, Table, View, score_texts, shorten, signed
from podium.timeline.figure import history as draw

if TYPE_CHECKING:
    from podium.timeline.result import History, HistoryStep, Move


#: Sentences of a verdict, and steps of the table of what changed, at most.
_SENTENCES, _STEPS = 4, 12

#: Letters of a name, of one with a number beside it, and of the label of a step, in a sentence.
_NAME, _BESIDE, _LABEL = 28, 18, 20

_READING = (
    "rank change: places up (+) or down (−) since the step before; new: not in the step before",
    "*: the system overtook another, or was overtaken, and the gain is more than noise, adjusted for pairs and steps",
    "score change: by how much the score became better (+) or worse (−)",
    "other scores than before: the change that they make; * more than noise. With borda it depends on others, too",
    "(scores), (suite), (systems): what moved a lead most: other scores, other tasks or instances, other systems",
    "(coverage): what moved a lead most is that scores came or went, on tasks that both steps have",
)

_READING_ALONE = (
    "change: by how much the score became better (+) or worse (−) since the step before",
    "*: the change that other scores than before make is more than noise, adjusted for steps",
)

_CAUSES = {"scores": "scores", "suite": "suite", "field": "systems", "coverage": "coverage"}


def courses(history: "History") -> list[str]:
    """Say of each system of `History.systems` which ranks it has and had.

    >>> import podium
    >>> before = {"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.7, "u": 0.6}}
    >>> courses(podium.history({"May": before, "June": {**before, "C": {"t": 1.0, "u": 0.9}}}))[0]
    'C: rank 1 in June; first ranked in June'
    """
    return [_course(history, system) for system in history.systems]


def _course(history: "History", system: str) -> str:
    ranked = [(step, rank) for step in history.steps if (rank := step.rank_of().get(system))]
    if not ranked:
        return f"{system}: no rank in any step"
    labels = [shorten(step.label, _LABEL) for step, _ in ranked]
    last, now = ranked[-1]
    said = "" if last is history.steps[-1] else f"no rank in {shorten(history.steps[-1].label, _LABEL)}; before, "
    said += f"rank {now} in {labels[-1]}{_interval(last, system)}"
    ranks = [rank for _, rank in ranked]
    best, worst = min(ranks), max(ranks)
    if best != worst:
        in_best, in_worst = labels[ranks.index(best)], labels[ranks.index(worst)]
        said += f"; at best {best}, in {in_best}; at worst {worst}, in {in_worst}"
    if ranked[0][0] is not history.steps[0]:
        said += f"; first ranked in {labels[0]}"
    won = [step for step in history.steps if any(one.surely and one.winner == system for one in step.overtakings)]
    if won:
        said += f"; overtook by more than noise in {few([shorten(step.label, _LABEL) for step in won], 3)}"
    return f"{system}: {said}"


def view_history(history: "History") -> View:
    """Lay out a history.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> view_history(podium.history({"May": table, "June": table})).verdict
    ('C is first in both steps; in June B, A may be as good',)
    """
    last = history.steps[-1]
    explain = [*(_READING_ALONE if history.alone else _READING)]
    if last.ranking.intervals is not None and not history.alone:
        explain.extend(last.ranking.intervals.explanation)
    title = history.title + ("; by all tasks seen so far" if history.suite == "joined" else "")
    figure = Figure("history", f"{'Scores' if history.alone else 'Ranks'} over the steps", partial(draw, history))
    happened = () if history.alone and not any(map(_of_step, history.steps[1:])) else (_events(history),)
    tables = (_scores(history) if history.alone else _systems(history), *happened)
    return View(title, tables, history.notes, verdict=_verdict(history), figures=(figure,), explain=tuple(explain))


def _verdict(history: "History") -> tuple[str, ...]:
    """Say when another system came first, the newest first, and what else is more than noise in the last step."""
    pairs = list(zip(history.steps[-2::-1], history.steps[:0:-1], strict=True))
    if history.alone:
        return tuple(_alone(*pair, points=history.points) for pair in pairs[:_SENTENCES])
    apart = [pair for pair in pairs if set(pair[0].ranking.systems).isdisjoint(pair[1].ranking.systems)]
    if apart:
        return tuple(_nothing_in_common(*pair) for pair in apart[:_SENTENCES])
    last = history.steps[-1]
    sentences = [said for pair in pairs for said in _of_first(*pair)]
    if not sentences:
        where = "both steps" if len(history.steps) == 2 else f"all {len(history.steps)} steps"
        sentences = [f"{_places(last.first)} in {where}"]
        best = last.ranking.top() if last.ranking.intervals is not None else ()
        if others := [_short(one) for one in best if one not in last.first]:
            sentences[0] += f"; in {shorten(last.label, _LABEL)} {few(others, 2)} may be as good"
    said = [
        f"{_with_change(one.winner, last)} overtook {_with_change(one.loser, last)} in {shorten(last.label, _LABEL)}; "
        "the gain is more than noise"
        for one in last.overtakings
        if one.surely and one.winner not in last.first
    ]
    sure = [f"{_short(name)} {_signed([move.by_scores])[0]}" for name, move in last.moves if move.score_surely]
    if sure and not any(one.surely for one in last.overtakings):
        said.append(with_names(f"in {shorten(last.label, _LABEL)} the score changed by more than noise: ", sure))
    rest = len(sentences) + len(said) - _SENTENCES
    kept = [*sentences[: _SENTENCES - min(len(said), 1)], *said]
    return (*kept[:_SENTENCES], *([f"and {how_many(rest, 'more change')}, see below"] if rest > 0 else []))


def _alone(before: "HistoryStep", after: "HistoryStep", *, points: bool) -> str:
    """Say how the score of the only system changed."""
    names = [shorten(step.label, _LABEL) for step in (after, before)]
    both = f"{names[0]} and {names[1]}"
    if not after.moves:
        return f"{both} cannot be compared: {_short(after.ranking.systems[0])} has no score in one of them"
    ((_, move),) = after.moves
    other = bool(after.tasks_added or after.tasks_retired or after.instances_changed or move.lone)
    if other and (isnan(move.by_scores) or not move.common):
        why = "have other tasks or instances" if move.common else "have no scores in common"
        return f"{both} {why}, so their means are not compared"
    factor, unit = POINTS if points else (1.0, "")
    intervals, half = after.ranking.intervals, nan
    if intervals and not other and move.std_error > 0:
        half = -factor * move.std_error * student_quantile((1 - intervals.confidence) / 2, move.df)
    change = factor * (move.by_scores if other else move.change)
    places = decimals(2 * half if half > 0 else abs(change))
    by = f"{fixed(abs(change), places)} {unit}".rstrip()
    how = f"{by} {'better' if change > 0 else 'worse'} than" if change else "as good as"
    said = f"{names[0]}: {how} {names[1]}{' on what both have' if other else ''}"
    if not half > 0:
        return said
    ends = f"{fixed(change - half, places)} to {fixed(change + half, places)}"
    return f"{said}, {percent(intervals.confidence)} CI {ends}" if intervals else said


def _nothing_in_common(before: "HistoryStep", after: "HistoryStep") -> str:
    """Say that two steps have other systems, so that nothing is compared."""
    first, second = (
        f"{shorten(step.label, _LABEL)} ({few([_short(one) for one in step.ranking.systems], 2)})"
        for step in (before, after)
    )
    return f"{first} and {second} have no system in common, so nothing is compared"


def _names(first: tuple[str, ...]) -> str:
    return few([_short(one) for one in first], 2)


def _places(first: tuple[str, ...]) -> str:
    return f"{_names(first)} {'is first' if len(first) == 1 else 'share first place'}"


def _short(name: str) -> str:
    return shorten(name, _NAME)


def _of_first(before: "HistoryStep", after: "HistoryStep") -> list[str]:
    """Say who came first in a step in place of whom, if so."""
    if set(before.first) == set(after.first):
        return []
    new = [system for system in after.first if system not in before.first]
    old = [system for system in before.first if system not in after.first]
    where = f"in {shorten(after.label, _LABEL)}"
    if not new:
        alone = f"is first alone {where}" if len(after.first) == 1 else f"share first place {where}, without others"
        return [f"{_names(after.first)} {alone}"]
    pairs = {(one.winner, one.loser): one for one in after.overtakings}
    one = pairs.get((new[0], old[0])) if old else None
    if one is not None:
        unsure = "this may be noise" if after.tested else "whether it is noise is not known"
        how = "the gain is more than noise" if one.surely else unsure
        winner, loser = (_with_change(system, after) for system in (new[0], old[0]))
        return [f"{winner} took first place from {loser} {where}; {how}"]
    if new[0] in after.entered:
        came = "came back" if new[0] in after.returned else "entered"
        return [f"{_short(new[0])} {came} in first place {where}{_interval(after, new[0])}"]
    if old and old[0] in after.left:
        return [f"{_short(old[0])} left {where}, and {_places(after.first)}"]
    was = "shared it" if len(before.first) > 1 else "was alone" if before.first[0] in after.first else "was first"
    return [f"{_places(after.first)} {where}; before, {_names(before.first)} {was}"]


def _interval(step: "HistoryStep", system: str) -> str:
    sure = step.ranking.intervals
    if sure is None:
        return ""
    place = step.ranking.systems.index(system)
    low, high = int(sure.rank_low[place]), int(sure.rank_high[place])
    return f" ({percent(sure.confidence)} {'ranks' if high > low else 'rank'} {span(low, high)})"


def _with_change(system: str, step: "HistoryStep") -> str:
    """Return the name of a system with the change of its score."""
    return f"{shorten(system, _BESIDE)} ({_signed([dict(step.moves)[system].change])[0]})"


def _scores(history: "History") -> Table:
    """Return the scores of the only system over the steps, the newest first."""
    steps = history.steps[::-1]
    rows = [step.ranking.rows()[0] for step in steps]
    numbers = [row.get(name) for row in rows for name in ("score", "score_low", "score_high")]
    texts = score_texts(numbers, [None] * len(numbers))
    scores, lows, highs = texts[::3], texts[1::3], texts[2::3]
    moves = [step.moves[0][1] if step.moves else None for step in steps]
    factor, change = (POINTS[0], f"change ({POINTS[1]})") if history.points else (1.0, "change")
    changes = _signed([None if move is None else factor * move.change for move in moves])
    stars = [" *" if move is not None and move.score_surely else "" for move in moves]
    columns = [Column.labels("step", [step.label for step in steps]), Column.numbers("score", scores)]
    if any(step.ranking.intervals is not None for step in steps):
        ends = [DASH if low == DASH else f"[{low}, {high}]" for low, high in zip(lows, highs, strict=True)]
        columns.append(Column.numbers(f"{percent(history.confidence or 0)} CI", ends))
    columns.append(Column.words(change, [size + star for size, star in zip(changes, stars, strict=True)]))
    columns.append(Column.numbers("tasks", [str(row["tasks_scored"]) for row in rows]))
    return Table(tuple(columns), history.systems[0])


def _systems(history: "History") -> Table:
    last, seen = history.steps[-1], history.first_seen()
    rows, moves = last.ranking.rows(), dict(last.moves)
    ranks = [row["rank"] for row in rows]
    changes = [None if (move := moves.get(row["system"])) is None else move.change for row in rows]
    columns = [
        Column.words("rank change", [_moved(last, row["system"], moves) for row in rows]),
        Column.labels("system", [row["system"] for row in rows]),
        Column.numbers("score", score_texts([row["score"] for row in rows], ranks)),
        Column.numbers("score change", _signed(changes), priority=-1),
        Column.words("first seen", [seen[row["system"]] for row in rows], priority=-1),
    ]
    return replace(rank_table(last.ranking, columns, f"systems in {last.label}"), bars=None, bands=())


def _signed(changes: list[float | None]) -> list[str]:
    texts = [signed(text) for text in score_texts(changes, [None] * len(changes))]
    return [text if change is None or change <= 0 else f"+{text}" for text, change in zip(texts, changes, strict=True)]


def _moved(step: "HistoryStep", system: str, moves: dict[str, "Move"]) -> str:
    """Return places up or down since the step before."""
    if system in step.entered:
        return "back" if system in step.returned else "new"
    move = moves.get(system)
    if move is None:
        return DASH
    number = "0" if move.rank == 0 else f"{move.rank:+d}".replace("-", "−")
    return f"{number} *" if move.surely else number


def _events(history: "History") -> Table:
    rows = [(step.label, said) for step in reversed(history.steps[1:]) for said in (_of_step(step) or ["nothing"])]
    labels = [label if index == 0 or rows[index - 1][0] != label else "" for index, (label, _) in enumerate(rows)]
    columns = (Column.labels("step", labels), Column.words("what changed", [said for _, said in rows]))
    return Table(columns, "what changed in each step").cut(_STEPS)


def _of_step(step: "HistoryStep") -> list[str]:
    alone = len(step.ranking.systems) == 1  # whose scores are shown anyway
    groups = {
        "entered: ": step.entered,
        "left: ": step.left,
        "tasks added: ": step.tasks_added,
        "tasks retired: ": step.tasks_retired,
        "direction changed: ": step.directions_changed,
        "weights changed: ": step.weights_changed,
        "other instances: ": step.instances_changed,
        "other clusters: ": step.clusters_changed,
        **{f"first scored on {_short(task)}: ": systems for task, systems in step.first_scored},
        **{f"no longer scored on {_short(task)}: ": systems for task, systems in step.last_scored},
    }
    said = [with_names(before, [_short(name) for name in names]) for before, names in groups.items() if names]
    sure = [
        f"{_short(one.winner)} overtook {_short(one.loser)}{f' ({_CAUSES[one.cause]})' if one.cause else ''} *"
        for one in step.overtakings
        if one.surely
    ]
    said += sure[:3]
    if len(sure) > 3:
        said.append(f"{len(sure) - 3:,} more overtook by more than noise")
    if noise := len(step.overtakings) - len(sure):
        maybe = "may be noise" if step.tested else "is not tested"
        said.append(f"{how_many(noise, 'pair')} turned round, which {maybe}")
    told = {system for _, systems in (*step.first_scored, *step.last_scored) for system in systems}
    if lone := [_short(system) for system, move in step.moves if move.lone and system not in told]:
        said.append(with_names("scores came or went: ", lone))
    rescored = sorted(
        ((not move.score_surely, _short(system), move) for system, move in step.moves if move.rescored and not alone),
        key=lambda one: one[:2],
    )
    changes = _signed([None if isnan(move.by_scores) else move.by_scores for *_, move in rescored])
    changed = zip(rescored, changes, strict=True)
    names = [f"{name} ({text}){'' if noise else ' *'}" for (noise, name, _), text in changed]
    return [*said, with_names("other scores than before: ", names)] if names else said


#: Letters of the label of a step in a note.
_NOTE_LABEL = 24


def notes_of_history(steps: Sequence["HistoryStep"], confidence: float | None, changed: int) -> list[str]:
    """For how many changed steps stars are adjusted; what was not tested and why; then notes of the rankings, once."""
    notes = []
    if confidence is not None and changed > 1:
        wrong = f"{100 * (1 - confidence):.3g}%"
        notes.append(
            f"stars are adjusted for {changed} steps with changes: at most {wrong} of histories have a false one"
        )
    later = steps[1:]
    untested: dict[str, list[str]] = {}
    for step in later:
        if confidence is not None and not step.tested:
            untested.setdefault(step.untested, []).append(shorten(step.label, _NOTE_LABEL))
    for why, labels in untested.items():
        if len(labels) == len(later):
            notes.append(f"no change is tested: {why}")
        else:
            notes.append(with_names("not tested against the step before: ", labels, f"; {why}", room=LONG))
    shared = [shorten(step.label, _NOTE_LABEL) for step in later if step.tested == "shared"]
    if shared:
        notes.append(with_names("tested only by the scores that both steps have: ", shared, room=LONG))
    return [*notes, *_of_rankings(steps)]


def notes_of_suites(orders: Sequence[tuple[str, dict[str, int], dict[str, int]]], suite: str) -> list[str]:
    """In which steps the order would be another one by the other suite, and who would be first in the last of these.

    Parameters
    ----------
    orders
        The label of a step, and the ranks of its systems, by the suite that was chosen and by the other.
    suite
        "own" or "joined".
    """
    changed = [(label, own, other) for label, own, other in orders if own != other]
    if not changed:
        return []
    label, own, other = shorten(changed[-1][0], _NOTE_LABEL), changed[-1][1], changed[-1][2]
    by = "by all tasks seen so far" if suite == "own" else "by the tasks of the step"
    by += f", suite= (--suite) {'joined' if suite == 'own' else 'own'},"
    first, now = (few([name for name, rank in ranks.items() if rank == 1], 2) for ranks in (other, own))
    if first != now:
        said = f"{by} {first} would be first in {label}, not {now}"
        if len(said) <= LONG:
            return [said]
    return [with_names(f"{by} the order differs in ", [shorten(one, _NOTE_LABEL) for one, _, _ in changed], room=LONG)]


def _of_rankings(steps: Sequence["HistoryStep"]) -> list[str]:
    """Return notes of the rankings: with the step, or once where all steps have it."""
    said: dict[str, list[str]] = {}
    for step in steps:
        for one in step.ranking.notes:
            said.setdefault(one, []).append(step.label)
    notes = [
        in_each("step", one) if len(labels) == len(steps) else weighing_as(one, _of_steps(labels, one))
        for one, labels in said.items()
    ]
    return one_a_kind(notes)


def _of_steps(labels: Sequence[str], text: str) -> str:
    """Return a note with the steps that it is about, as far as there is room for them."""
    first, more = shorten(labels[0], _NOTE_LABEL), f" and {len(labels) - 1} more"
    whole = f"{first}{more if len(labels) > 1 else ''}: {text}"
    if len(whole) <= LONG:
        return whole
    short = f"{how_many(len(labels), 'step')}: {text}"
    return short if len(short) <= LONG else text
