"""Dumps of the Open LLM Leaderboard, both versions: a row a model, a column a benchmark."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Run, Tool
from podium.source.tool.value import number, text

#: Benchmarks of the first version, with the number of examples or without.
_FIRST = re.compile(r"(ARC|HellaSwag|MMLU|TruthfulQA|Winogrande|GSM8K|DROP)\s*(\((\d+)-shot\))?(\s*⬆️)?", re.IGNORECASE)

#: Benchmarks of the second version; beside these it has columns of raw scores.
_SECOND = ("IFEval", "BBH", "MATH Lvl 5", "GPQA", "MUSR", "MMLU-PRO")

#: Columns that name the model, the first first.
_MODEL = ("fullname", "Model", "model")

#: Columns that tell models of equal names apart.
_SETTINGS = {"precision": "Precision", "revision": "Model sha", "weights": "Weight type"}

#: Columns of what a model costs, with what makes them parameters and kilograms.
_KNOWN = {"parameters": ("#Params (B)", 1e9), "co2_kg": ("CO₂ cost (kg)", 1.0)}


#: Columns that only dumps have.
_OF_DUMPS = ("URL", "Model sha", "Weight type", "Available on the hub", "Hub ❤️", "Parameters")


def _takes(content: Content) -> bool:
    return bool(_benchmarks(content.columns))


def _benchmarks(columns: Sequence[str]) -> list[str]:
    """Columns that are benchmarks of the leaderboard; none if it is another table."""
    if not any(name in columns for name in _MODEL) or not any(name.startswith("Average") for name in columns):
        return []
    if not any(re.search(r" Raw$|\(\d+-shot\)", name) or name in _OF_DUMPS for name in columns):
        return []
    second = [name for name in columns if name in _SECOND]
    first = [name for name in columns if _FIRST.fullmatch(name)]
    return second if len(second) >= 4 else first if len(first) >= 3 else []


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        yield from _runs(content)


TOOL = Tool("open-llm-leaderboard", "Open LLM Leaderboard", _takes, str, _read)


def _runs(content: Content) -> Iterator[Run]:
    """Scores of models; averages and raw scores are left out."""
    columns = content.columns
    benchmarks = _benchmarks(columns)
    named = next(name for name in _MODEL if name in columns)
    beside = [*_SETTINGS.values(), *(name for name, _ in _KNOWN.values())]
    rows = content.rows([name for name in columns if name in (named, *benchmarks, *beside)])
    models = [re.sub(r"<[^>]*>", "", text(row.get(named))).strip() for row in rows]
    asked = [{name: text(row[key]) for name, key in _SETTINGS.items() if text(row.get(key))} for row in rows]
    keys = [(model, *settings.values()) for model, settings in zip(models, asked, strict=True)]
    again = sum(count - 1 for count in Counter(keys).values())
    note = About("rows of a model that stands above are left out", f"{content.path.name} ({again:,})")
    notes = [note] if again else []
    done: set[tuple[str, ...]] = set()
    for model, row, settings, key in zip(models, rows, asked, keys, strict=True):
        if key in done or not model:
            continue
        done.add(key)
        found = {name: (_number(row.get(column)), scale) for name, (column, scale) in _KNOWN.items()}
        for benchmark in benchmarks:
            score = _number(row.get(benchmark))
            task, shots = _task(benchmark)
            if score is None:
                continue
            yield Run(
                content.name,
                model,
                task,
                "score",
                score,
                higher_is_better=True,
                made=_date(content),
                settings=settings,
                task_settings={"n-shot": shots} if shots else {},
                covariates={name: value * scale for name, (value, scale) in found.items() if value is not None},
                notes=tuple(notes),
            )


def _task(benchmark: str) -> tuple[str, str]:
    """Name and number of examples.

    >>> _task("ARC(25-shot)"), _task("BBH")
    (('ARC', '25'), ('BBH', ''))
    """
    found = _FIRST.fullmatch(benchmark)
    return (found[1], found[3] or "") if found else (benchmark, "")


def _date(content: Content) -> str:
    """The day, where the name of the file says it."""
    found = re.search(r"(20\d\d)-?(\d\d)-?(\d\d)", content.path.name)
    return "".join(found.groups()) if found else ""


def _number(value: Any) -> float | None:
    """A number, or a text of one; None for what is empty."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return number(value)
