"""Results of AlpacaEval: preferences between a system and a reference, instruction by instruction, and leaderboards."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from podium.base.errors import InputError
from podium.base.words import Aside, how_many
from podium.source.table import is_board
from podium.source.tool.content import Content, label_of, text, written_number
from podium.source.tool.run import Repeated, Run, Tool, all_files, each_metric

#: Members of every annotation.
_MEMBERS = frozenset(("instruction", "generator_1", "generator_2", "annotator", "preference"))

#: Metrics of leaderboards, the main one first.
_METRICS = ("length_controlled_winrate", "win_rate", "discrete_win_rate")

#: Preferences that are ties: 0 in early versions.
_TIES = (0.0, 1.5)


def _recognises(content: Content) -> bool:
    if content.head[:1] == b"[":
        first = content.first_element
        return isinstance(first, dict) and first.keys() >= _MEMBERS
    return is_board(content.columns)


def _part(content: Content) -> tuple[Run, ...]:
    return tuple(_annotated(content) if content.head[:1] == b"[" else _board(content))


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield all runs; the reference, which systems share, wins half of the comparisons with itself."""
    references: dict[tuple[str, str], dict[str, None]] = {}
    systems: set[tuple[str, str, str]] = set()
    for run in chain.from_iterable(content.part for content in contents):
        yield run
        if run.samples is not None:
            reference = run.task_settings["reference"]
            systems.add((run.system, run.task, reference))
            references.setdefault((run.task, reference), {}).update(dict.fromkeys(run.samples.instances))
    for (annotator, reference), instances in references.items():
        if (reference, annotator, reference) not in systems:
            own = Repeated()
            own.fill(instances, 50.0)
            notes = (Aside(f"{reference}, with which others are compared, has 50 on all instructions"),)
            yield _win_rates(contents[0], (reference, annotator, reference), own, notes)


def _win_rates(
    content: Content, key: tuple[str, str, str], scores: Repeated, notes: tuple[str, ...], *, cut: bool = False
) -> Run:
    system, annotator, reference = key
    run = Run(content.name, system, annotator, "win_rate", None, scores.samples(), higher_is_better=True)
    settings = {"reference": reference}
    return replace(run, metric_order=1, task_settings=settings, whole=not cut, ended=not cut, notes=notes)


def _annotated(content: Content) -> Iterator[Run]:
    """Yield a run of each system that was compared with a reference; its scores are win rates in percent."""
    scores: dict[tuple[str, str, str], Repeated] = {}
    failed: Counter[tuple[str, str, str]] = Counter()
    seen: Counter[tuple[str, str, str, str]] = Counter()
    cut = False
    for number, one in enumerate(content.elements(), start=1):
        if one is None:
            cut = True
            break
        where = f"{content.name}, element {number}"
        if not isinstance(one, dict) or not one.keys() >= _MEMBERS:
            raise InputError(f"{where}: it is no annotation of AlpacaEval; is the file damaged?")
        key = (text(one["generator_2"]), text(one["annotator"]), text(one["generator_1"]))
        if not all(key):
            raise InputError(f"{where}: a generator or the annotator has no name")
        asked = text(one["instruction"])
        label = label_of(asked, f"{one.get('dataset')}\n{asked}")
        seen[(*key, label)] += 1
        label += f" ({again})" if (again := seen[(*key, label)]) > 1 else ""
        preference = _preference(one["preference"], where)
        failed[key] += preference is None
        scores.setdefault(key, Repeated()).add(label, None if preference is None else 100 * (preference - 1))
    for key, found in scores.items():
        system, annotator, _ = key
        notes = [f"{content.name} is cut off"] if cut else []
        if failed[key]:
            lacking = how_many(failed[key], "annotation")
            notes.append(f"{system}: {lacking} by {annotator} failed; missing, as in its win rate")
        yield _win_rates(content, key, found, tuple(notes), cut=cut)


def _preference(value: Any, where: str) -> float | None:
    """Return the preference, from 1 (the reference is better) to 2; None if annotating failed.

    Raises
    ------
    InputError
        It is none of these.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value in _TIES:
            return 1.5
        if 1 <= value <= 2:
            return float(value)
    raise InputError(f"{where}: the preference is {str(value)[:40]!r}, and not 0, null, or a number from 1 to 2")


def _board(content: Content) -> Iterator[Run]:
    """Yield scores of a leaderboard; if a system stands there twice, its first row counts."""
    annotator = content.path.stem.removesuffix("_leaderboard")
    if annotator in ("", "leaderboard"):
        annotator = content.path.resolve().parent.name
    first: dict[str, Mapping[str, str]] = {}
    again = 0
    for row in content.rows():
        if system := row[content.columns[0]]:
            again += system in first
            first.setdefault(system, row)
    notes = (f"{content.path.name}: {how_many(again, 'row')} left out, since the system stands above",) if again else ()
    for system, row in first.items():
        means = {metric: written_number(row.get(metric) or "") for metric in _METRICS}
        length = written_number(row.get("avg_length") or "")
        covariates = {} if length is None else {"length": length}
        run = Run(content.name, system, annotator, "", higher_is_better=True, covariates=covariates, notes=notes)
        yield from (one for one in each_metric(run, means) if one.mean is not None)


TOOLS = (Tool("alpaca-eval", "AlpacaEval", _recognises, _read, unit=all_files, part=_part),)
