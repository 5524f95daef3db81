"""Records that others collect: repositories of Hugging Face, dumps of its leaderboard, and Every Eval Ever."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, cut_line
from podium.source.tool.content import SHORT, Content, at, listed, mapping, number, text, words, written_number
from podium.source.tool.run import Repeated, Run, Samples, Tool, counted

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
_COSTS = {"parameters": ("#Params (B)", 1e9), "co2_kg": ("CO₂ cost (kg)", 1.0)}


#: Columns that only dumps have.
_OF_DUMPS = ("URL", "Model sha", "Weight type", "Available on the hub", "Hub ❤️", "Parameters")


def _is_repository(content: Content) -> bool:
    if _front(content):
        return True
    ending = content.path.suffix.lower()
    return ending in (".yaml", ".yml") and all(key.search(content.head) for key in _ENTRY)


def _read_repository(content: Content) -> Iterator[Run]:
    front = _front(content)
    yield from _of_index(content, content.yaml(front)) if front else _of_entries(content)


def _front(content: Content) -> bytes:
    """Return what a README with a model index says of itself; empty for other files."""
    found = _FRONT.match(content.head)
    return found[1] if found and _INDEX.search(found[1]) else b""


def _of_entries(content: Content) -> Iterator[Run]:
    """Yield entries of a file of results: one value of a task of a benchmark each."""
    owner, name = _repository(content)
    for entry in map(mapping, listed(content.yaml())):
        data = mapping(entry.get("dataset"))
        parts = [text(data.get(key)) for key in ("id", "task_id", "config", "split")]
        score = _score(entry.get("value"))
        if parts[0] and score is not None:
            task = "/".join([parts[0], *(part for part in parts[1:] if part not in ("", "default"))])
            run = Run(content.name, name, task, "value", score, made=str(entry.get("date") or ""))
            settings = {"owner": owner, "notes": text(entry.get("notes"))[:SHORT]}
            yield replace(run, settings=settings, task_settings=words(data, {"revision": "revision"}))


def _of_index(content: Content, front: Any) -> Iterator[Run]:
    """Yield results of a model index: several metrics of a data set each."""
    owner, repository = _repository(content)
    told = {"dataset.config": "config", "dataset.split": "split", "dataset.revision": "revision", "task.type": "task"}
    for model in listed(at(front, "model-index")):
        for result in listed(at(model, "results")):
            paths = ("dataset.name", "dataset.type", "task.name", "task.type")
            named = next(filter(None, (text(at(result, path)) for path in paths)), "")
            metrics = [mapping(one) for one in listed(at(result, "metrics"))] if named else []
            kinds = [text(one.get("type")) for one in metrics]
            run = Run(content.name, text(at(model, "name")) or repository, named, "", settings={"owner": owner})
            run = replace(run, task_settings=words(result, told))
            for order, (metric, kind) in enumerate(zip(metrics, kinds, strict=True)):
                score = _score(metric.get("value"))
                called = (text(metric.get("name")) if kinds.count(kind) > 1 else "") or kind
                if score is not None:
                    yield replace(run, metric=called or "value", mean=score, metric_order=order)


def _repository(content: Content) -> tuple[str, str]:
    """Return the owner and name of the repository, by its folder and the one above, or as the cache calls it."""
    folder = content.path.resolve().parent
    folder = folder.parent if folder.name == _RESULTS else folder
    cached = next((part for part in folder.parts if part.startswith(_CACHED)), "")
    owner, _, name = cached.removeprefix(_CACHED).partition("--")
    return (owner, name) if name else (folder.parent.name, folder.name)


def _score(value: Any) -> float | None:
    """Return a number, or a text of one, which may be a percentage.

    >>> _score("85%"), _score("0.9"), _score(0.5)
    (0.85, 0.9, 0.5)
    """
    if isinstance(value, str) and value.strip().endswith("%"):
        return written_number(f"{value.strip()[:-1].strip()}e-2")
    return None if isinstance(value, bool) else written_number(value)


def _is_dump(content: Content) -> bool:
    return bool(_benchmarks(content.columns))


def _benchmarks(columns: Sequence[str]) -> list[str]:
    """Return columns that are benchmarks of the leaderboard; none if it is another table."""
    if not any(name in columns for name in _MODEL) or not any(name.startswith("Average") for name in columns):
        return []
    if not any(re.search(r" Raw$|\(\d+-shot\)", name) or name in _OF_DUMPS for name in columns):
        return []
    second = [name for name in columns if name in _V2]
    first = [name for name in columns if _V1.fullmatch(name)]
    return second if len(second) >= 4 else first if len(first) >= 3 else []


def _read_dump(content: Content) -> Iterator[Run]:
    """Yield scores of models; averages and raw scores are left out."""
    columns, benchmarks = content.columns, _benchmarks(content.columns)
    named = next(name for name in _MODEL if name in columns)
    needed = {named, *benchmarks, *_SETTINGS, *(name for name, _ in _COSTS.values())}
    day = re.search(r"(20\d\d)-?(\d\d)-?(\d\d)", content.path.name)
    models: dict[tuple[str, ...], Mapping[str, Any]] = {}
    rows = content.rows([name for name in columns if name in needed])
    for row in rows:
        model = re.sub(r"<[^>]*>", "", text(row.get(named))).strip()
        models.setdefault((model, *words(row, _SETTINGS).values()), row)
    again = {"rows of a model that stands above are left out": len(rows) - len(models)}
    made, notes = "".join(day.groups()) if day else "", counted(content.path.name, again)
    for (model, *_), row in models.items():
        found = {name: (written_number(row.get(column)), scale) for name, (column, scale) in _COSTS.items()}
        costs = {name: value * scale for name, (value, scale) in found.items() if value is not None}
        run = Run(content.name, model, "", "score", higher_is_better=True, made=made, covariates=costs, notes=notes)
        run = replace(run, settings=words(row, _SETTINGS))
        for benchmark in benchmarks if model else ():
            score, shots = written_number(row.get(benchmark)), _V1.fullmatch(benchmark)
            if score is not None:
                asked = {"n-shot": shots[3]} if shots and shots[3] else {}
                yield replace(run, task=shots[1] if shots else benchmark, mean=score, task_settings=asked)


_RECORD = frozenset(("schema_version", "evaluation_results", "model_info"))

_SAMPLE = frozenset(("evaluation_id", "sample_id", "evaluation"))

#: Words in the names of results that are made of the others of a record.
_PARENTS = frozenset(("overall", "average", "avg", "mean"))

#: Version of the schema that is known; of others what has the same keys is read.
_VERSIONS = ("0.2.", "0.3.")

#: What a sample took, and who ran a model with what.
_TOOK = {"token_usage.input_tokens": "input_tokens", "token_usage.output_tokens": "output_tokens"}
_RAN = {
    "source_metadata.source_organization_name": "evaluator",
    "eval_library.name": "library",
    "model_info.inference_platform": "platform",
}


@dataclass(slots=True)
class _Sampled:
    """Samples of one result, while lines are read."""

    where: str
    taken: bool = False
    scores: Repeated = field(default_factory=Repeated)


#: Samples by name and identifier of the result, and by model.
_All = dict[tuple[str, str, str], _Sampled]


def _is_of_every_eval_ever(content: Content) -> bool:
    if content.keys >= _RECORD:
        return b'"model_info"' in content.head or b'"evaluation_results"' in content.head
    return content.keys >= _SAMPLE and "score" in mapping(at(content.first_line, "evaluation"))


def _record(path: str) -> str:
    """Return the record: samples stand beside it under the same name."""
    return re.sub(r"(_samples)?\.jsonl?$", "", path)


def _read_every_eval_ever(contents: Sequence[Content]) -> Iterator[Run]:
    sampled: _All = {}
    notes: list[str] = []
    records = [content for content in contents if content.keys >= _RECORD]
    for content in contents:
        notes += [] if content in records else _take(content, sampled)
    for content in records:
        yield from _runs(content, sampled, notes)
    for (name, _, model), found in sampled.items():
        if not found.taken:
            yield Run(found.where, model, name, "score", samples=_samples(found), notes=tuple(notes))


def _take(content: Content, sampled: _All) -> list[str]:
    """Add the samples of a file; errors have no score, and a sample that stands there several times was repeated."""
    failed = 0
    notes: list[str] = []
    for line, row in content.lines():
        if row is None:
            notes.append(cut_line(content.path.name, line))
            continue
        given = mapping(row)
        name, result, model, sample = (
            text(given.get(key)) for key in ("evaluation_name", "evaluation_result_id", "model_id", "sample_id")
        )
        if not all((name, model, sample)):
            raise InputError(f"{content.name}, line {line} names no model, evaluation or sample")
        failed += bool(given.get("error"))
        score = None if given.get("error") else number(at(given, "evaluation.score"))
        latency = number(at(given, "performance.latency_ms"))
        measured = {} if latency is None else {"seconds": latency / 1000}
        measured |= {called: value for path, called in _TOOK.items() if (value := number(at(given, path))) is not None}
        found = sampled.setdefault((name, result, model), _Sampled(content.name))
        found.scores.add(sample, score, measured, digest=text(given.get("sample_hash")))
    return [*notes, *counted(content.path.name, {"samples that ended in an error are missing": failed})]


def _samples(found: _Sampled, unknown: float | None = None) -> Samples:
    samples = found.scores.samples()
    digests = samples.digests if samples.digests is not None and any(samples.digests) else None
    scores = samples.scores if unknown is None else np.where(samples.scores == unknown, math.nan, samples.scores)
    return replace(samples, scores=scores, digests=digests)


def _runs(content: Content, sampled: _All, notes: Sequence[str]) -> Iterator[Run]:
    """Yield one run for every result of a record."""
    record = mapping(content.value())
    system = text(at(record, "model_info.id")) or text(at(record, "model_info.name"))
    if not system:
        raise InputError(f"{content.name}: model_info names no model; give it an id")
    results = [mapping(one) for one in listed(record.get("evaluation_results"))]
    kept, parents = _without_parents(results)
    billions = number(at(record, "model_info.additional_details.params_billions"))
    covariates = {} if billions is None else {"parameters": billions * 1e9}
    told = [*notes, *_said(content, record, parents)]
    run = Run(content.name, system, "", "", made=_made(record), covariates=covariates)
    names = [(text(one.get("evaluation_name")), _metric(one)) for one in kept]
    for result, (name, metric) in zip(kept, names, strict=True):
        lower, mean = at(result, "metric_config.lower_is_better"), number(at(result, "score_details.score"))
        unknown = -1.0 if at(result, "metric_config.has_unknown_level") is True else None
        samples, why = _of_result(result, system, sampled, mean, unknown)
        generated = mapping(at(result, "generation_config.generation_args"))
        ran = {**words(record, _RAN), **{name: text(value) for name, value in generated.items()}}
        apart = {"evaluation_result_id": "result", "source_data.dataset_name": "data"}
        order = list(dict.fromkeys(other for task, other in names if task == name)).index(metric)
        one = replace(run, task=name, metric=metric, samples=samples, metric_order=order, notes=(*told, *why))
        mean, higher = math.nan if mean is None or mean == unknown else mean, not lower
        one = replace(one, mean=mean, higher_is_better=higher if isinstance(lower, bool) else None)
        settings = {key: value for key, value in ran.items() if 0 < len(value) <= SHORT}
        twice = names.count((name, metric)) > 1
        yield replace(one, settings=settings, task_settings=words(result, apart) if twice else {})


def _of_result(
    result: Mapping[str, Any], system: str, sampled: _All, mean: float | None, unknown: float | None
) -> tuple[Samples | None, list[str]]:
    """Return samples of a result if their mean is its score: a sample has one, and a result may be another metric."""
    name, identifier = text(result.get("evaluation_name")), text(result.get("evaluation_result_id"))
    found = sampled.get((name, identifier, system)) or sampled.get((name, "", system))
    if found is None:
        return None, []
    found.taken = True
    samples = _samples(found, unknown)
    if mean is None or samples.agree(mean, rel_tol=1e-6):
        return samples, []
    return None, [f"{name}: scores of samples left out, since their mean is not the record's"]


def _without_parents(results: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Return results that are not made of others, and the names of those that are."""
    names = [text(one.get("evaluation_name")) for one in results]
    parents = [bool(_PARENTS.intersection(re.split(r"[^a-z]+", name.lower()))) for name in names]
    if parents.count(False) < 2:
        return list(results), []
    kept = [one for one, parent in zip(results, parents, strict=True) if not parent]
    return kept, list(dict.fromkeys(name for name, parent in zip(names, parents, strict=True) if parent))


def _metric(result: Mapping[str, Any]) -> str:
    """Name of the metric, with what it depends on, such as k."""
    config = mapping(result.get("metric_config"))
    name = next((text(config[key]) for key in ("metric_name", "metric_id", "metric_kind") if config.get(key)), "")
    given = [f"{key} {text(value)}" for key, value in mapping(config.get("metric_parameters")).items() if text(value)]
    return f"{name or 'score'} ({', '.join(given)})" if given else name or "score"


def _made(record: Mapping[str, Any]) -> str:
    """Return when, in seconds since 1970 with leading zeros, which sort as text."""
    given = text(record.get("evaluation_timestamp")) or text(record.get("retrieved_timestamp"))
    with suppress(ValueError):
        return f"{float(given):020.6f}"
    with suppress(ValueError):
        moment = datetime.fromisoformat(given)
        return f"{(moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp():020.6f}"
    return ""


def _said(content: Content, record: Mapping[str, Any], parents: Sequence[str]) -> Iterator[str]:
    version = text(record.get("schema_version"))
    if not version.startswith(_VERSIONS):
        yield About("another version of the schema is read like 0.3", f"{content.path.name} ({version or 'unknown'})")
    yield from (About("left out, since they are made of other results", parent) for parent in parents)


TOOLS = (
    Tool("open-llm-leaderboard", "Open LLM Leaderboard", _is_dump, _read_dump),
    Tool("hugging-face", "Hugging Face", _is_repository, _read_repository, folders=(_RESULTS,)),
    Tool("every-eval-ever", "Every Eval Ever", _is_of_every_eval_ever, _read_every_eval_ever, unit=_record),
)
