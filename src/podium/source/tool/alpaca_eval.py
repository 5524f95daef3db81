"""Results of AlpacaEval: preferences between a system and a reference, instruction by instruction, and leaderboards."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from typing import Any

from podium.base.errors import InputError
from podium.base.words import Aside, how_many
from podium.source.header import is_board
from podium.source.tool.content import Content, text
from podium.source.tool.run import Repeated, Run, Tool

#: Members of every annotation.
_MEMBERS = frozenset(("instruction", "generator_1", "generator_2", "annotator", "preference"))

#: Metrics of leaderboards, the main one first.
_METRICS = ("length_controlled_winrate", "win_rate", "discrete_win_rate")

#: The end of the name of a leaderboard, behind the annotator.
_BOARD = "_leaderboard"

#: Letters of an instruction that stand in a label.
_LONGEST = 60

#: Preferences that are ties: 0 in early versions.
_TIES = (0.0, 1.5)


def _takes(content: Content) -> bool:
    if content.head[:1] == b"[":
        first = content.first_element
        return isinstance(first, dict) and first.keys() >= _MEMBERS
    return is_board(content.columns)


def _unit(_path: str) -> str:
    """All files are read together, since systems are compared with the same reference."""
    return ""


def _part(content: Content) -> tuple[Run, ...]:
    return tuple(_annotated(content) if content.head[:1] == b"[" else _board(content))


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    references: dict[tuple[str, str], dict[str, None]] = {}
    systems: set[tuple[str, str, str]] = set()
    for run in chain.from_iterable(TOOL.parts(contents)):
        yield run
        if run.samples is not None:
            reference = run.task_settings["reference"]
            systems.add((run.system, run.task, reference))
            references.setdefault((run.task, reference), {}).update(dict.fromkeys(run.samples.instances))
    for (annotator, reference), instances in references.items():
        if (reference, annotator, reference) not in systems:
            yield _of_reference(contents[0].name, annotator, reference, list(instances))


TOOL = Tool("alpaca-eval", "AlpacaEval", _takes, _unit, _read, part=_part)


def _annotated(content: Content) -> Iterator[Run]:
    """A run of each system that was compared with a reference; its scores are win rates in percent."""
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
        label = _label(one)
        seen[(*key, label)] += 1
        label += f" ({again})" if (again := seen[(*key, label)]) > 1 else ""
        preference = _preference(one["preference"], where)
        failed[key] += preference is None
        scores.setdefault(key, Repeated()).add(label, None if preference is None else 100 * (preference - 1))
    for key, found in scores.items():
        system, annotator, reference = key
        notes = [f"{content.name} is cut off"] if cut else []
        if failed[key]:
            notes.append(
                f"{system}: {how_many(failed[key], 'annotation')} by {annotator} failed; missing, as in its win rate"
            )
        yield Run(
            content.name,
            system,
            annotator,
            "win_rate",
            samples=found.samples(),
            higher_is_better=True,
            place=1,
            task_settings={"reference": reference},
            whole=not cut,
            ended=not cut,
            notes=tuple(notes),
        )


def _of_reference(where: str, annotator: str, reference: str, instances: Sequence[str]) -> Run:
    """The reference wins half of the comparisons with itself, as on the leaderboards."""
    own = Repeated()
    for instance in instances:
        own.add(instance, 50.0)
    return Run(
        where,
        reference,
        annotator,
        "win_rate",
        samples=own.samples(),
        higher_is_better=True,
        place=1,
        task_settings={"reference": reference},
        notes=(Aside(f"{reference}, with which others are compared, has 50 on all instructions"),),
    )


def _preference(value: Any, where: str) -> float | None:
    """From 1, the reference is better, to 2; None where annotating failed.

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


def _label(one: Mapping[str, Any]) -> str:
    """The instruction, which is the same for all systems."""
    asked = text(one["instruction"])
    digest = blake2b(f"{one.get('dataset')}\n{asked}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{' '.join(asked.split())[:_LONGEST]} ({digest})"


def _board(content: Content) -> Iterator[Run]:
    """Scores of a leaderboard; where a system stands there twice, its first row counts."""
    annotator = content.path.stem.removesuffix(_BOARD)
    if annotator in ("", "leaderboard"):
        annotator = content.path.resolve().parent.name
    first: dict[str, Mapping[str, str]] = {}
    again = 0
    for row in content.rows():
        if system := row[content.columns[0]]:
            again += system in first
            first.setdefault(system, row)
    notes = (f"{content.path.name}: {how_many(again, 'row')} left out, since the system stands above",) if again else ()
    for system, found in first.items():
        for place, metric in enumerate(_METRICS):
            if (mean := _number(found.get(metric) or "")) is None:
                continue
            length = _number(found.get("avg_length") or "")
            yield Run(
                content.name,
                system,
                annotator,
                metric,
                mean=mean,
                higher_is_better=True,
                place=place,
                covariates={} if length is None else {"length": length},
                notes=notes,
            )


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


TOOLS = (TOOL,)
