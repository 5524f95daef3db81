"""Records of Every Eval Ever: aggregates of a model, and scores of samples beside them."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, cut_line
from podium.source.tool.content import SHORT, Content, at, listed, mapping, number, text, words
from podium.source.tool.run import Repeated, Run, Samples, Tool

_RECORD = frozenset(("schema_version", "evaluation_results", "model_info"))

_SAMPLE = frozenset(("evaluation_id", "sample_id", "evaluation"))

#: Words in the names of results that are made of the others of a record.
_PARENTS = frozenset(("overall", "average", "avg", "mean"))

#: Version of the schema that is known; of others what has the same keys is read.
_KNOWN = ("0.2.", "0.3.")

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


def _takes(content: Content) -> bool:
    if content.keys >= _RECORD:
        return b'"model_info"' in content.head or b'"evaluation_results"' in content.head
    return content.keys >= _SAMPLE and "score" in mapping(at(content.first_line, "evaluation"))


def _unit(path: str) -> str:
    """The record: samples stand beside it under the same name."""
    return re.sub(r"(_samples)?\.jsonl?$", "", path)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
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
    told = About("samples that ended in an error are missing", f"{content.path.name} ({failed:,})")
    return [*notes, told] if failed else notes


def _samples(found: _Sampled, unknown: float | None = None) -> Samples:
    samples = found.scores.samples()
    digests = samples.digests if samples.digests is not None and any(samples.digests) else None
    scores = samples.scores if unknown is None else np.where(samples.scores == unknown, math.nan, samples.scores)
    return replace(samples, scores=scores, digests=digests)


def _runs(content: Content, sampled: _All, notes: Sequence[str]) -> Iterator[Run]:
    """One run for every result of a record."""
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
        yield replace(
            run,
            task=name,
            metric=metric,
            mean=math.nan if mean is None or mean == unknown else mean,
            samples=samples,
            higher_is_better=not lower if isinstance(lower, bool) else None,
            place=list(dict.fromkeys(other for task, other in names if task == name)).index(metric),
            settings={key: value for key, value in ran.items() if 0 < len(value) <= SHORT},
            task_settings=words(result, apart) if names.count((name, metric)) > 1 else {},
            notes=(*told, *why),
        )


def _of_result(
    result: Mapping[str, Any], system: str, sampled: _All, mean: float | None, unknown: float | None
) -> tuple[Samples | None, list[str]]:
    """Samples of a result, if their mean is its score: a sample has one score, and a result may be another metric."""
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
    """Results that are not made of others, and the names of those that are."""
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
    """When, in seconds since 1970 with leading zeros, which sort as text."""
    given = text(record.get("evaluation_timestamp")) or text(record.get("retrieved_timestamp"))
    try:
        return f"{float(given):020.6f}"
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        return ""
    return f"{(moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp():020.6f}"


def _said(content: Content, record: Mapping[str, Any], parents: Sequence[str]) -> Iterator[str]:
    version = text(record.get("schema_version"))
    if not version.startswith(_KNOWN):
        yield About("another version of the schema is read like 0.3", f"{content.path.name} ({version or 'unknown'})")
    yield from (About("left out, since they are made of other results", parent) for parent in parents)


TOOLS = (Tool("every-eval-ever", "Every Eval Ever", _takes, _read, _unit),)
