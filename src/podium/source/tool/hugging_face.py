"""Hugging Face: `.eval_results/*.yaml` and model indexes in repositories, and dumps of the Open LLM Leaderboard."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.base.words import About
from podium.source.tool.content import SHORT, Content, at, listed, mapping, text, words, written_number
from podium.source.tool.run import Run, Tool

#: What a README says of itself, between lines of hyphens, and the name of an index in it.
_FRONT = re.compile(rb"---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_INDEX = re.compile(rb"^model-index:", re.MULTILINE)

#: What an entry of a file of results has: a data set with an identifier, and a value.
_ENTRY = (
    re.compile(rb"^(?:- |  )dataset:\s*(?:\{[^}]*\bid:|(?:#.*)?\r?\n(?:[ ]{3,}.*\r?\n)*?[ ]{3,}id:)", re.MULTILINE),
    re.compile(rb"^(?:- |  )value:", re.MULTILINE),
)

#: The folder of files of results, and one of the cache of the library.
_RESULTS, _CACHED = ".eval_results", "models--"

#: Benchmarks of the first version, with the number of examples or without.
_V1 = re.compile(r"(ARC|HellaSwag|MMLU|TruthfulQA|Winogrande|GSM8K|DROP)\s*(\((\d+)-shot\))?(\s*⬆️)?", re.IGNORECASE)

#: Benchmarks of the second version; beside these it has columns of raw scores.
_V2 = ("IFEval", "BBH", "MATH Lvl 5", "GPQA", "MUSR", "MMLU-PRO")

#: Columns that name the model, the first first.
_MODEL = ("fullname", "Model", "model")

#: Columns that tell models of equal names apart.
_SETTINGS = {"Precision": "precision", "Model sha": "revision", "Weight type": "weights"}

#: Columns of what a model costs, with what makes them parameters and kilograms.
_KNOWN = {"parameters": ("#Params (B)", 1e9), "co2_kg": ("CO₂ cost (kg)", 1.0)}


#: Columns that only dumps have.
_OF_DUMPS = ("URL", "Model sha", "Weight type", "Available on the hub", "Hub ❤️", "Parameters")


def _takes(content: Content) -> bool:
    if _front(content):
        return True
    ending = content.path.suffix.lower()
    return ending in (".yaml", ".yml") and all(key.search(content.head) for key in _ENTRY)


def _read(content: Content) -> Iterator[Run]:
    front = _front(content)
    yield from _of_index(content, content.yaml(front)) if front else _of_entries(content)


def _front(content: Content) -> bytes:
    """What a README with a model index says of itself; empty for other files."""
    found = _FRONT.match(content.head)
    return found[1] if found and _INDEX.search(found[1]) else b""


def _of_entries(content: Content) -> Iterator[Run]:
    """Entries of a file of results: one value of a task of a benchmark each."""
    owner, name = _repository(content)
    for entry in map(mapping, listed(content.yaml())):
        data = mapping(entry.get("dataset"))
        parts = [text(data.get(key)) for key in ("id", "task_id", "config", "split")]
        score = _score(entry.get("value"))
        if parts[0] and score is not None:
            yield Run(
                content.name,
                name,
                "/".join([parts[0], *(part for part in parts[1:] if part not in ("", "default"))]),
                "value",
                score,
                made=str(entry.get("date") or ""),
                settings={"owner": owner, "notes": text(entry.get("notes"))[:SHORT]},
                task_settings=words(data, {"revision": "revision"}),
            )


def _of_index(content: Content, front: Any) -> Iterator[Run]:
    """Results of a model index: several metrics of a data set each."""
    owner, repository = _repository(content)
    told = {"dataset.config": "config", "dataset.split": "split", "dataset.revision": "revision", "task.type": "task"}
    for model in listed(at(front, "model-index")):
        for result in listed(at(model, "results")):
            paths = ("dataset.name", "dataset.type", "task.name", "task.type")
            named = next(filter(None, (text(at(result, path)) for path in paths)), "")
            metrics = [mapping(one) for one in listed(at(result, "metrics"))]
            kinds = [text(one.get("type")) for one in metrics]
            for place, (metric, kind) in enumerate(zip(metrics, kinds, strict=True)):
                score = _score(metric.get("value"))
                called = (text(metric.get("name")) if kinds.count(kind) > 1 else "") or kind
                if score is not None and named:
                    yield Run(
                        content.name,
                        text(at(model, "name")) or repository,
                        named,
                        called or "value",
                        score,
                        place=place,
                        settings={"owner": owner},
                        task_settings=words(result, told),
                    )


def _repository(content: Content) -> tuple[str, str]:
    """Owner and name of the repository: its folder and the one above, or what the cache of the library calls it."""
    folder = content.path.resolve().parent
    folder = folder.parent if folder.name == _RESULTS else folder
    cached = next((part for part in folder.parts if part.startswith(_CACHED)), "")
    owner, _, name = cached.removeprefix(_CACHED).partition("--")
    return (owner, name) if name else (folder.parent.name, folder.name)


def _score(value: Any) -> float | None:
    """A number, or a text of one, which may be a percentage.

    >>> _score("85%"), _score("0.9"), _score(0.5)
    (0.85, 0.9, 0.5)
    """
    if isinstance(value, str) and value.strip().endswith("%"):
        return written_number(f"{value.strip()[:-1].strip()}e-2")
    return None if isinstance(value, bool) else written_number(value)


def _is_dump(content: Content) -> bool:
    return bool(_benchmarks(content.columns))


def _benchmarks(columns: Sequence[str]) -> list[str]:
    """Columns that are benchmarks of the leaderboard; none if it is another table."""
    if not any(name in columns for name in _MODEL) or not any(name.startswith("Average") for name in columns):
        return []
    if not any(re.search(r" Raw$|\(\d+-shot\)", name) or name in _OF_DUMPS for name in columns):
        return []
    second = [name for name in columns if name in _V2]
    first = [name for name in columns if _V1.fullmatch(name)]
    return second if len(second) >= 4 else first if len(first) >= 3 else []


def _read_dump(content: Content) -> Iterator[Run]:
    """Scores of models; averages and raw scores are left out."""
    columns, benchmarks = content.columns, _benchmarks(content.columns)
    named = next(name for name in _MODEL if name in columns)
    needed = {named, *benchmarks, *_SETTINGS, *(name for name, _ in _KNOWN.values())}
    day = re.search(r"(20\d\d)-?(\d\d)-?(\d\d)", content.path.name)
    models: dict[tuple[str, ...], Mapping[str, Any]] = {}
    rows = content.rows([name for name in columns if name in needed])
    for row in rows:
        model = re.sub(r"<[^>]*>", "", text(row.get(named))).strip()
        models.setdefault((model, *words(row, _SETTINGS).values()), row)
    again = About(
        "rows of a model that stands above are left out", f"{content.path.name} ({len(rows) - len(models):,})"
    )
    for (model, *_), row in models.items():
        found = {name: (written_number(row.get(column)), scale) for name, (column, scale) in _KNOWN.items()}
        for benchmark in benchmarks if model else ():
            score = written_number(row.get(benchmark))
            shots = _V1.fullmatch(benchmark)
            if score is not None:
                yield Run(
                    content.name,
                    model,
                    shots[1] if shots else benchmark,
                    "score",
                    score,
                    higher_is_better=True,
                    made="".join(day.groups()) if day else "",
                    settings=words(row, _SETTINGS),
                    task_settings={"n-shot": shots[3]} if shots and shots[3] else {},
                    covariates={name: value * scale for name, (value, scale) in found.items() if value is not None},
                    notes=(again,) if len(models) < len(rows) else (),
                )


TOOLS = (
    Tool("open-llm-leaderboard", "Open LLM Leaderboard", _is_dump, _read_dump),
    Tool("hugging-face", "Hugging Face", _takes, _read, folders=frozenset((_RESULTS,))),
)
