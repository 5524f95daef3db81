"""Hugging Face: `.eval_results/*.yaml` and model indexes in repositories, and dumps of the Open LLM Leaderboard."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import About
from podium.source.tool.content import Content, listed, mapping, number, reason, text
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

#: Letters of a setting that can stand in a name.
_LONGEST = 60

#: Benchmarks of the first version, with the number of examples or without.
_V1 = re.compile(r"(ARC|HellaSwag|MMLU|TruthfulQA|Winogrande|GSM8K|DROP)\s*(\((\d+)-shot\))?(\s*⬆️)?", re.IGNORECASE)

#: Benchmarks of the second version; beside these it has columns of raw scores.
_V2 = ("IFEval", "BBH", "MATH Lvl 5", "GPQA", "MUSR", "MMLU-PRO")

#: Columns that name the model, the first first.
_MODEL = ("fullname", "Model", "model")

#: Columns that tell models of equal names apart.
_SETTINGS = {"precision": "Precision", "revision": "Model sha", "weights": "Weight type"}

#: Columns of what a model costs, with what makes them parameters and kilograms.
_KNOWN = {"parameters": ("#Params (B)", 1e9), "co2_kg": ("CO₂ cost (kg)", 1.0)}


#: Columns that only dumps have.
_OF_DUMPS = ("URL", "Model sha", "Weight type", "Available on the hub", "Hub ❤️", "Parameters")


def _takes(content: Content) -> bool:
    if _front(content):
        return True
    ending = content.path.suffix.lower()
    return ending in (".yaml", ".yml") and all(key.search(content.head) for key in _ENTRY)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        if front := _front(content):
            yield from _of_index(content, mapping(loaded_yaml(content, front)))
        else:
            yield from _of_entries(content, listed(loaded_yaml(content, content.path.read_bytes())))


TOOL = Tool("hugging-face", "Hugging Face", _takes, str, _read, folders=frozenset((_RESULTS,)))


def _front(content: Content) -> bytes:
    """What a README with a model index says of itself; empty for other files."""
    found = _FRONT.match(content.head)
    return found[1] if found and _INDEX.search(found[1]) else b""


def loaded_yaml(content: Content, words: bytes) -> Any:
    """The value of YAML."""
    try:
        import yaml  # noqa: PLC0415  # an extra
    except ImportError as error:
        missing = MissingExtraError("pyyaml", "yaml", f"reading {content.name}")
        raise InputError(str(missing)) from error
    try:
        return yaml.load(words, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"{content.name} is not YAML: {reason(error)}; correct it") from error


def _of_entries(content: Content, entries: Sequence[Any]) -> Iterator[Run]:
    """Entries of a file of results: one value of a task of a benchmark each."""
    repository = _repository(content)
    for entry in map(mapping, entries):
        data = mapping(entry.get("dataset"))
        parts = [text(data.get(name)) for name in ("task_id", "config", "split")]
        benchmark, score = text(data.get("id")), _score(entry.get("value"))
        if not benchmark or score is None:
            continue
        revision, said = text(data.get("revision")), text(entry.get("notes"))
        yield Run(
            content.name,
            repository[-1],
            "/".join([benchmark, *(part for part in parts if part not in ("", "default"))]),
            "value",
            score,
            made=str(entry.get("date") or ""),
            settings={"owner": repository[0], "notes": said[:_LONGEST]},
            task_settings={"revision": revision} if revision else {},
        )


def _of_index(content: Content, front: Mapping[str, Any]) -> Iterator[Run]:
    """Results of a model index: several metrics of a data set each."""
    repository = _repository(content)
    for model in map(mapping, listed(front.get("model-index"))):
        for result in map(mapping, listed(model.get("results"))):
            data, task = mapping(result.get("dataset")), mapping(result.get("task"))
            told = {name: text(data.get(name)) for name in ("config", "split", "revision")}
            told["task"] = text(task.get("type"))
            named = text(data.get("name")) or text(data.get("type")) or text(task.get("name")) or text(task.get("type"))
            metrics = [mapping(one) for one in listed(result.get("metrics"))]
            kinds = [text(one.get("type")) for one in metrics]
            for place, (metric, kind) in enumerate(zip(metrics, kinds, strict=True)):
                score = _score(metric.get("value"))
                called = (text(metric.get("name")) if kinds.count(kind) > 1 else "") or kind
                if score is not None and named:
                    yield Run(
                        content.name,
                        text(model.get("name")) or repository[-1],
                        named,
                        called or "value",
                        score,
                        place=place,
                        settings={"owner": repository[0]},
                        task_settings={name: value for name, value in told.items() if value},
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
    if not isinstance(value, str):
        return None if isinstance(value, bool) else number(value)
    try:
        word = value.strip()
        return float(f"{word[:-1].strip()}e-2" if word.endswith("%") else word)
    except ValueError:
        return None


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


def _read_dump(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        yield from _runs_of_dump(content)


OPEN_LLM = Tool("open-llm-leaderboard", "Open LLM Leaderboard", _is_dump, str, _read_dump)


def _runs_of_dump(content: Content) -> Iterator[Run]:
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
        found = {name: (_written(row.get(column)), scale) for name, (column, scale) in _KNOWN.items()}
        for benchmark in benchmarks:
            score = _written(row.get(benchmark))
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
    found = _V1.fullmatch(benchmark)
    return (found[1], found[3] or "") if found else (benchmark, "")


def _date(content: Content) -> str:
    """The day, where the name of the file says it."""
    found = re.search(r"(20\d\d)-?(\d\d)-?(\d\d)", content.path.name)
    return "".join(found.groups()) if found else ""


def _written(value: Any) -> float | None:
    """A number, or a text of one; None for what is empty."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return number(value)


TOOLS = (TOOL, OPEN_LLM)
