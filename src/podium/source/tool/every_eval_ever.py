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
from podium.source.tool.content import Content, listed, mapping, number, text
from podium.source.tool.run import Run, Samples, Tool, labels

_RECORD = frozenset(("schema_version", "evaluation_results", "model_info"))

_SAMPLE = frozenset(("evaluation_id", "sample_id", "evaluation"))

#: Words in the names of results that are made of the others of a record.
_PARENTS = frozenset(("overall", "average", "avg", "mean"))

#: Letters of a setting that can stand in a name.
_LONGEST = 60

#: Version of the schema that is known; of others what has the same keys is read.
_KNOWN = ("0.2.", "0.3.")


def _takes(content: Content) -> bool:
    if content.keys >= _RECORD:
        return b'"model_info"' in content.head or b'"evaluation_results"' in content.head
    return content.keys >= _SAMPLE and "score" in mapping(mapping(content.first_line).get("evaluation"))


def _unit(path: str) -> str:
    """The record: samples stand beside it under the same name."""
    return re.sub(r"(_samples)?\.jsonl?$", "", path)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    rows: dict[tuple[str, str, str], _Rows] = {}
    notes: list[str] = []
    records = []
    for content in contents:
        if content.keys >= _RECORD:
            records.append(content)
        else:
            notes += _sampled(content, rows)
    for content in records:
        yield from _runs(content, rows, notes)
    for (name, _, model), found in rows.items():
        if not found.taken:
            yield Run(found.where, model, name, "score", samples=found.samples(), made=found.made, notes=tuple(notes))


TOOL = Tool("every-eval-ever", "Every Eval Ever", _takes, _unit, _read)


@dataclass(slots=True)
class _Rows:
    """Samples of one result, while lines are read."""

    where: str
    made: str = ""
    taken: bool = False
    instances: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    took: dict[str, list[float]] = field(default_factory=dict)

    def samples(self, unknown: float | None = None) -> Samples:
        """Scores of samples; one that stands there several times was repeated."""
        times: dict[str, int] = {}
        repeats = np.zeros(len(self.instances), dtype=np.int64)
        for place, name in enumerate(self.instances):
            repeats[place] = times[name] = times.get(name, -1) + 1
        scores = np.array(self.scores, dtype=np.float64)
        measured = {name: np.array(values, dtype=np.float64) for name, values in self.took.items()}
        return Samples(
            labels(self.instances),
            scores if unknown is None else np.where(scores == unknown, math.nan, scores),
            repeats=repeats if repeats.any() else None,
            digests=labels(self.digests) if any(self.digests) else None,
            covariates={name: values for name, values in measured.items() if not np.isnan(values).all()},
        )


def _sampled(content: Content, rows: dict[tuple[str, str, str], _Rows]) -> list[str]:
    """Add the samples of a file, by name and identifier of the result and by model; errors have no score."""
    failed = 0
    notes: list[str] = []
    for line, row in content.lines():
        if row is None:
            notes.append(cut_line(content.path.name, line))
            continue
        given = mapping(row)
        key = text(given.get("evaluation_name")), text(given.get("evaluation_result_id")), text(given.get("model_id"))
        if not all((key[0], key[2], text(given.get("sample_id")))):
            raise InputError(f"{content.name}, line {line} names no model, evaluation or sample")
        found = rows.setdefault(key, _Rows(content.name))
        score = number(mapping(given.get("evaluation")).get("score"))
        failed += bool(given.get("error"))
        found.instances.append(text(given["sample_id"]))
        found.scores.append(math.nan if score is None or given.get("error") else score)
        found.digests.append(text(given.get("sample_hash")))
        for name, value in _took(given).items():
            found.took.setdefault(name, []).append(math.nan if value is None else value)
    told = About("samples that ended in an error are missing", f"{content.path.name} ({failed:,})")
    return [*notes, told] if failed else notes


def _took(given: Mapping[str, Any]) -> dict[str, float | None]:
    tokens = mapping(given.get("token_usage"))
    latency = number(mapping(given.get("performance")).get("latency_ms"))
    return {
        "seconds": None if latency is None else latency / 1000,
        "input_tokens": number(tokens.get("input_tokens")),
        "output_tokens": number(tokens.get("output_tokens")),
    }


def _runs(content: Content, rows: Mapping[tuple[str, str, str], _Rows], notes: Sequence[str]) -> Iterator[Run]:
    """One run for every result of a record."""
    record = mapping(content.value())
    model = mapping(record.get("model_info"))
    system = text(model.get("id")) or text(model.get("name"))
    if not system:
        raise InputError(f"{content.name}: model_info names no model; give it an id")
    results = [mapping(one) for one in listed(record.get("evaluation_results"))]
    kept, parents = _without_parents(results)
    billions = number(mapping(model.get("additional_details")).get("params_billions"))
    told = [*notes, *_said(content, record, parents)]
    run = Run(
        content.name,
        system,
        "",
        "",
        made=_made(record),
        covariates={} if billions is None else {"parameters": billions * 1e9},
    )
    names = [(text(one.get("evaluation_name")), _metric(one)) for one in kept]
    for result, (name, metric) in zip(kept, names, strict=True):
        config = mapping(result.get("metric_config"))
        lower, mean = config.get("lower_is_better"), number(mapping(result.get("score_details")).get("score"))
        unknown = -1.0 if config.get("has_unknown_level") is True else None
        places = dict.fromkeys(other for task, other in names if task == name)
        samples, why = _of_result(result, system, rows, mean, unknown)
        yield replace(
            run,
            task=name,
            metric=metric,
            mean=math.nan if mean is None or mean == unknown else mean,
            samples=samples,
            higher_is_better=not lower if isinstance(lower, bool) else None,
            place=list(places).index(metric),
            settings=_settings(record, result),
            task_settings=_apart(result) if names.count((name, metric)) > 1 else {},
            notes=(*told, *why),
        )


def _of_result(
    result: Mapping[str, Any],
    system: str,
    rows: Mapping[tuple[str, str, str], _Rows],
    mean: float | None,
    unknown: float | None,
) -> tuple[Samples | None, list[str]]:
    """Samples of a result, if their mean is its score: a sample has one score, and a result may be another metric."""
    name, identifier = text(result.get("evaluation_name")), text(result.get("evaluation_result_id"))
    found = rows.get((name, identifier, system)) or rows.get((name, "", system))
    if found is None:
        return None, []
    found.taken = True
    samples = found.samples(unknown)
    there = samples.scores[~np.isnan(samples.scores)]
    if mean is None or (there.size and math.isclose(float(there.mean()), mean, rel_tol=1e-6, abs_tol=1e-9)):
        return samples, []
    return None, [f"{name}: scores of samples left out, since their mean is not the record's"]


def _without_parents(results: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Results that are not made of others, and the names of those that are."""
    parents = [bool(_PARENTS.intersection(re.split(r"[^a-z]+", _label(one)))) for one in results]
    if parents.count(False) < 2:
        return list(results), []
    kept = [one for one, parent in zip(results, parents, strict=True) if not parent]
    left = [text(one.get("evaluation_name")) for one, parent in zip(results, parents, strict=True) if parent]
    return kept, list(dict.fromkeys(left))


def _label(result: Mapping[str, Any]) -> str:
    return text(result.get("evaluation_name")).lower()


def _metric(result: Mapping[str, Any]) -> str:
    """Name of the metric, with what it depends on, such as k."""
    config = mapping(result.get("metric_config"))
    name = next((text(config.get(key)) for key in ("metric_name", "metric_id", "metric_kind") if config.get(key)), "")
    given = [f"{key} {text(value)}" for key, value in mapping(config.get("metric_parameters")).items() if text(value)]
    return f"{name or 'score'} ({', '.join(given)})" if given else name or "score"


def _apart(result: Mapping[str, Any]) -> dict[str, str]:
    """What tells results of one name and metric apart."""
    data = text(mapping(result.get("source_data")).get("dataset_name"))
    identifier = text(result.get("evaluation_result_id"))
    return {name: value for name, value in (("result", identifier), ("data", data)) if value}


def _settings(record: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, str]:
    """Who ran the model, with what, and how text was generated."""
    source, library = mapping(record.get("source_metadata")), mapping(record.get("eval_library"))
    model = mapping(record.get("model_info"))
    generated = mapping(mapping(result.get("generation_config")).get("generation_args"))
    given = {
        "evaluator": source.get("source_organization_name"),
        "library": library.get("name"),
        "platform": model.get("inference_platform"),
        **generated,
    }
    return {name: text(value) for name, value in given.items() if 0 < len(text(value)) <= _LONGEST}


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


TOOLS = (TOOL,)
