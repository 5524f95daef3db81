"""Files as tools write them, whole or with one thing wrong, and what podium reads in them."""

import json
import random
import warnings
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import podium
from podium.errors import InputError, PodiumError
from podium.score.table import Scores
from podium.source.logs import find_logs
from podium.source.tool import TOOLS
from podium.source.tool.content import Content

#: What may stand where something else should.
_WRONG: tuple[Any, ...] = (
    *(None, True, -1, 10**400, 1e308, float("nan"), "", "x", "NaN", "0.5"),
    *([], {}, [1], ["x"], [[]], [[1]], [None], {"x": 1}, {"a": {"b": 1}}),
)


def written(path: Path, value: Any) -> Path:
    """Write JSON to a file, or a list of values to lines of one that ends in `.jsonl`; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps(row) + "\n" for row in value] if path.suffix == ".jsonl" else [json.dumps(value, indent=1)]
    path.write_text("".join(rows), "utf-8")
    return path


def read(*paths: Path, **asked: Any) -> Scores:
    """Read without warnings, which only say that a direction is doubtful."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return podium.read([str(path) for path in paths], **asked)


def table(scores: Scores) -> dict[tuple[str, str], list[float]]:
    """Scores by system and task."""
    return {
        (system, task.name): task.values[row].tolist()
        for task in scores.tasks
        for row, system in enumerate(scores.systems)
    }


def runs(*paths: Path, tool: str | None = None) -> list[Any]:
    """Runs in files and folders, of any type, so that tests need not ask whether there are samples."""
    logs = find_logs([str(path) for path in paths], tool)
    assert logs is not None, f"nothing found in {paths}"
    return list(logs.runs)


def scores(run: Any) -> dict[Any, float]:
    """Scores by instance; the last of several repeats."""
    return {label: float(score) for label, score in zip(run.samples.instances, run.samples.scores, strict=True)}


def nothing_is_found(folder: Path, *others: Any) -> bool:
    """Whether no tool claims any of these values, each in a file."""
    for number, other in enumerate(others):
        written(folder / f"{number}.json", other)
    return find_logs(folder) is None


def takers(path: Path) -> set[str]:
    """Tools that take a file; one that cannot tell does not."""
    found = set()
    for tool in TOOLS:
        with suppress(InputError, OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            found |= {tool.name} if tool.recognises(Content(path)) else set()
    return found


def survives(path: Path) -> None:
    """Read what a file, or a folder, holds; fail unless it is read or refused in words."""
    with suppress(PodiumError):
        assert read(path).systems


def damage(path: Path, chance: random.Random) -> None:
    """Cut a file off, or change up to four values of its JSON."""
    content = path.read_bytes()
    values = _values(content)
    if not values or chance.random() < 0.25:
        path.write_bytes(content[: chance.randrange(len(content) + 1)])
        return
    place = chance.randrange(len(values))
    for _ in range(chance.choice((1, 1, 4))):
        values[place] = _changed(values[place], chance) if values[place] else values[place]
    path.write_text("\n".join(json.dumps(value) for value in values), "utf-8")


def _values(content: bytes) -> list[Any]:
    """The value of JSON, or values on lines; none if it is something else."""
    for parts in ([content], content.splitlines()):
        with suppress(ValueError):
            return [json.loads(part) for part in parts]
    return []


def _changed(value: Any, seed: random.Random) -> Any:
    """The same value with something else at one place, or without a key, or with another key."""
    copied = deepcopy(value)
    places = list(_places(copied))
    container, key = seed.choice(places)
    kind = seed.randrange(4)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, dict):
        container[f"{key}?"] = container.pop(key)
    else:
        container[key] = deepcopy(seed.choice(_WRONG))
    return copied


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        yield value, key
        yield from _places(part)
