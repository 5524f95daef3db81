"""Battles of two systems, as arenas, MT-bench and evalica write them: instances of two scores; ratings of arenas."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import Aside, how_many
from podium.source.tool.battles import FIRST, TIE, BattleFile, Battles, Codebook, Codes, FileBattles, Reading
from podium.source.tool.content import Content
from podium.source.tool.run import Run, Samples, Tool, labels, together
from podium.source.tool.timing import once

#: Fewest clusters with which there are intervals, where they are about as large as each other.
_LEAST = 7

#: The metrics: with all ties, and without those between two bad answers.
_WIN, _NOT_BAD = "win", "win_without_both_bad"

#: Battles that have names; texts of more take more memory than they are worth.
_NAMED = 200_000

#: Columns that the caller may name.
_ASKED = ("task_column", "cluster_column")

_RATING = "rating"

#: The category that holds the battles of all others.
_ALL = "full"

#: Words before the kind of the board in the name of its file.
_BOARD = "leaderboard-"


def _takes(content: Content) -> bool:
    return BattleFile.of(content) is not None


def _part(content: Content, asked: Mapping[str, Any] | None = None) -> FileBattles:
    file = BattleFile.of(content)
    if file is None:
        raise InputError(f"{content.name} has no two columns of systems with a column that says who won")
    return Reading(asked or {}).read(file)


def _read(contents: Sequence[Content], asked: Mapping[str, Any] | None = None) -> Iterator[Run]:
    """A run of each system on each task, whose instances are its battles."""
    reading = Reading(asked or {})
    contents, copies = once(contents)
    for content in contents:
        reading.add(content.part or _part(content, asked))
    battles = reading.battles()
    if not battles.first.size:
        return
    clusters, about = _clusters(battles, reading)
    notes = tuple(dict.fromkeys((*copies, *reading.said(battles), *about)))
    yield from _runs(contents[0].name, battles, clusters, reading, notes)


def _told(asked: Mapping[str, Any]) -> Tool:
    """The reader, where the caller names columns."""
    named = {name: asked.get(name) for name in _ASKED}
    return replace(TOOL, read=partial(_read, asked=named), part=partial(_part, asked=named))


TOOL = Tool("battles", "battles", _takes, together, _read, _told, _part)


def _clusters(battles: Battles, reading: Reading) -> tuple[tuple[Codes, Codebook] | None, list[str]]:
    """What goes together: the battles of a judge; where there are few judges, those on a question.

    Where there are many of both, that of the two whose battles say more of the same.
    """
    if reading.asked.get("cluster_column") is not None:
        return (battles.judge, reading.labels["judge"]), []
    notes: list[str] = []
    judges, questions = (np.unique(own[own >= 0]).size for own in (battles.judge, battles.question))
    asked_again = _LEAST <= questions < np.count_nonzero(battles.question >= 0)
    if judges >= _LEAST:
        if not asked_again or _together(battles, battles.judge) >= _together(battles, battles.question):
            beside = "; questions, which say less of the same, are not" if asked_again else ""
            return (battles.judge, reading.labels["judge"]), [
                Aside(f"clusters are judges: battles of one are drawn together{beside}")
            ]
        notes.append(Aside("judges, whose battles say less of the same than those on a question, are not clusters"))
    elif judges > 1:
        notes.append(Aside(f"intervals are for other battles with these {how_many(judges, 'judge')}"))
    if asked_again:
        notes.append(Aside("clusters are questions: battles on one are drawn together"))
        return (battles.question, reading.labels["question"]), notes
    return None, notes


def _together(battles: Battles, group: Codes) -> float:
    """Σ (Σ e)² over groups and systems; e is by how much a battle departs from the share of wins of the system."""
    system = np.concatenate((battles.first, battles.second))
    won = np.where(battles.outcome == TIE, 0.5, battles.outcome == FIRST)
    won = np.concatenate((won, 1 - won))
    departure = won - (np.bincount(system, weights=won) / np.bincount(system).clip(1))[system]
    alone = np.where(group < 0, group.max() + 1 + np.arange(group.size), group)
    _, cell = np.unique(np.tile(alone, 2) * (system.max() + 1) + system, return_inverse=True)
    return float((np.bincount(cell, weights=departure) ** 2).sum())


def _runs(
    where: str, battles: Battles, clusters: tuple[Codes, Codebook] | None, reading: Reading, notes: tuple[str, ...]
) -> Iterator[Run]:
    """Runs whose instances are numbered so that neither the order of battles nor that of the two sides matters."""
    place = reading.labels["system"].ranks()
    first, second = place[battles.first], place[battles.second]
    low, high = np.minimum(first, second), np.maximum(first, second)
    won = np.where(battles.outcome == TIE, 0.5, (battles.outcome == FIRST) == (first == low)).astype(np.float32)
    task = reading.labels["task"].ranks()[battles.task]
    group = np.zeros_like(low) if clusters is None else clusters[1].ranks()[clusters[0]]
    order = np.lexsort((group, battles.bad, won, high, low, task))
    low, high, won, bad = low[order], high[order], won[order], battles.bad[order]
    systems = sorted(reading.labels["system"].known)
    number = labels(_numbers(systems, low, high, battles.question[order], reading.labels["question"]))
    names = None if clusters is None else labels(_cluster_names(clusters, order))
    scores = np.concatenate((won, 1 - won))
    both = np.concatenate((low, high)) + np.tile(task[order], 2) * len(place)
    entries = np.argsort(both, kind="stable")
    starts = np.flatnonzero(np.diff(both[entries], prepend=-1))
    tasks = sorted(reading.labels["task"].known)
    for some in np.split(entries, starts[1:]):
        of_task, of_system = divmod(int(both[some[0]]), len(place))
        rows = some % order.size
        for spot, metric in enumerate((_WIN, _NOT_BAD) if battles.bad.any() else (_WIN,)):
            kept = rows >= 0 if metric == _WIN else ~bad[rows]
            yield Run(
                where,
                systems[of_system],
                tasks[of_task],
                metric,
                samples=Samples(
                    number[rows[kept]], scores[some[kept]], clusters=None if names is None else names[rows[kept]]
                ),
                higher_is_better=True,
                place=spot,
                notes=notes,
            )


def _numbers(
    systems: Sequence[str], low: Codes, high: Codes, question: Codes, questions: Codebook
) -> Iterator[str | int]:
    """What each battle is called: by its own label, or the two systems, numbered on; of very many by a number."""
    if question.size > _NAMED:
        yield from range(1, question.size + 1)
        return
    if (question >= 0).all() and np.unique(question).size == question.size:
        known = list(questions.known)
        yield from (known[code] for code in question.tolist())
        return
    met: dict[tuple[int, int], int] = {}
    for pair in zip(low.tolist(), high.tolist(), strict=True):
        met[pair] = met.get(pair, 0) + 1
        yield f"{systems[pair[0]]} – {systems[pair[1]]}, {met[pair]}"


def _cluster_names(clusters: tuple[Codes, Codebook], order: Codes) -> list[str]:
    """The cluster of each battle; one without is a cluster of its own."""
    known = list(clusters[1].known)
    codes = clusters[0][order].tolist()
    return [known[code] if code >= 0 else f"battle {row}" for row, code in enumerate(codes)]


def _is_board(content: Content) -> bool:
    if content.head[:1] != b"{" or b'"rating"' not in content.head:
        return False
    given = content.json
    models = [model for category in given.values() for model in category.values()]
    return bool(models) and all(isinstance(model, dict) and _RATING in model for model in models)


def _read_board(contents: Sequence[Content]) -> Iterator[Run]:
    """Each category is a task; that of all battles counts only where it is the only one."""
    for content in contents:
        given = content.json
        board = content.path.stem.removeprefix(_BOARD)
        alone = set(given) == {_ALL}
        notes = [Aside("rating_q025 and rating_q975 are not used")] if _has_quantiles(given) else []
        if _ALL in given and not alone:
            notes.append(Aside(f"category {_ALL!r} holds the battles of all others and is left out"))
        for category, models in given.items():
            for model, found in models.items() if alone or category != _ALL else ():
                rating = found[_RATING]
                yield Run(
                    content.name,
                    model,
                    category,
                    _RATING,
                    mean=math.nan if rating is None else float(rating),
                    higher_is_better=True,
                    task_settings={"board": board},
                    notes=tuple(notes),
                )


BOARDS = Tool("arena", "arena leaderboards", _is_board, str, _read_board)


def _has_quantiles(given: Any) -> bool:
    return any("rating_q025" in found for models in given.values() for found in models.values())
