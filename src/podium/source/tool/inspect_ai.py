"""Logs of Inspect: `.eval` archives, read from the summaries of their samples, and JSON logs."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, how_many
from podium.source.tool.content import Content, plain_number, short_settings
from podium.source.tool.run import IDLE, Run, Samples, Tool, each_metric, labels

#: Letters that scorers give: correct, partly correct, incorrect, no answer.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

#: Names of what a model used, and what they are called here.
_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "total_cost": "cost"}

#: What stands beside the evaluation of a JSON log.
_BESIDE = frozenset(("samples", "results", "plan", "stats"))

#: How the evaluation of a JSON log begins: with its task, behind identifiers and dates.
_EVALUATION = re.compile(rb'"eval"\s*:\s*\{[^{}]*"(?:task|model)"\s*:')

#: Versions of the format; the oldest logs name none.
_VERSIONS = (None, 1, 2)

#: Members that a JSON log may have; a file with more, such as one of all words, is none.
_MOST = 40

_SUMMARIES = re.compile(r"_journal/summaries/(\d+)\.json")

#: Letters of the input that tell whether samples of equal labels are the same; summaries cut long inputs.
_SHOWN = 256

_Sample = Mapping[str, Any]


def _recognises(content: Content) -> bool:
    if content.members:
        return not content.members.keys().isdisjoint(("header.json", "_journal/start.json"))
    keys = content.keys
    if len(keys) > _MOST or not {"status", "eval"} <= keys:
        return False
    return len(keys & _BESIDE) > ("version" not in keys) and bool(_EVALUATION.search(content.head))


@dataclass(frozen=True, slots=True)
class _Log:
    """A log: its header, what its samples scored, and scores that were reduced over epochs."""

    where: str
    header: Mapping[str, Any]
    samples: Sequence[_Sample]
    reductions: Sequence[Mapping[str, Any]]
    cut: bool = False

    @property
    def evaluation(self) -> Mapping[str, Any]:
        return self.header["eval"]  # type: ignore[no-any-return]

    @property
    def results(self) -> Mapping[str, Any]:
        """Return the log's own results."""
        return self.header.get("results") or {}

    def scored(self) -> list[Mapping[str, Any]]:
        """Return entries of the results; the oldest logs have one, under another name."""
        if "scorer" in self.results:
            scorer = self.results["scorer"]
            return [{"scorer": scorer.get("name"), "metrics": self.results.get("metrics"), **scorer}]
        return list(self.results.get("scores") or ())

    def means(self) -> dict[str, float]:
        """Return the log's own accuracy or mean, by metric as named here."""
        means: dict[str, float] = {}
        for score in self.scored():
            scorer, name = str(score.get("scorer") or score.get("name")), str(score.get("name"))
            metrics = score.get("metrics") or {}
            one = metrics.get("accuracy") or metrics.get("mean")
            if one is not None and isinstance(one.get("value"), int | float):
                key = name if name.startswith(scorer) else f"{scorer}/{name}"
                means.setdefault(_with_reducer(key, score.get("reducer")), float(one["value"]))
        return means

    def limit(self) -> str:
        """Return the samples that were asked for, in words, if these are not all of the data."""
        config = self.evaluation.get("config") or {}
        limit, size = config.get("limit"), (self.evaluation.get("dataset") or {}).get("samples")
        if isinstance(limit, int) and isinstance(size, int) and limit >= size:
            limit = None
        return f"limit {limit}" if limit is not None else "--sample-id" if config.get("sample_id") is not None else ""


def _read(content: Content) -> Iterator[Run]:
    """Yield one run for every metric: a scorer, or a key of what it gives; also after reducing its epochs."""
    log = _archive(content) if content.members else _file(content)
    evaluation = log.header.get("eval")
    if not isinstance(evaluation, dict) or not {"model", "task"} <= evaluation.keys():
        raise InputError(f"{content.name}: its header names no model and task; is it a log of Inspect?")
    if not (evaluation.get("config") or {}).get("score_on_error"):
        # of samples that ended in an error, Inspect counts scores only if that was asked for
        log = replace(log, samples=[_unscored(sample) if sample.get("error") else sample for sample in log.samples])
    ended = log.header.get("status") == "success" and not log.cut
    run = Run(content.name, str(evaluation["model"]), task_name(str(evaluation["task"])), "", notes=tuple(_said(log)))
    run = replace(run, made=str(evaluation.get("created", "")), whole=ended and not log.limit(), ended=ended)
    run = replace(run, settings=_settings(evaluation), task_settings=short_settings(evaluation.get("task_args")))
    means, found, clusters = log.means(), _by_metric(log.samples), _clusters(log)
    if not found:
        yield from each_metric(run, means)
        return
    samples = {name: _samples(found[name], clusters.get(name.partition("/")[0])) for name in found}
    samples |= {name: reduced for name, reduced in _reduced(log) if name not in samples}
    headline = (log.results.get("headline") or {}).get("scorer")
    order = [*means, *(str(score.get("name")) for score in log.scored())]

    def place(metric: str) -> tuple[bool, int]:
        """Return the headline first, then as the log lists its scorers."""
        scorer = metric.partition("/")[0]
        listed = (place for place, name in enumerate(order) if name in (metric, scorer))
        return headline != scorer, next(listed, len(order))

    yield from each_metric(run, means, samples, order=sorted(samples, key=place))


def task_name(task: str) -> str:
    """Return what a task is called here.

    >>> task_name("inspect_evals/gsm8k")
    'gsm8k'
    """
    return task.removeprefix("inspect_evals/")


def sample_values(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of a sample by metric, of values by scorer; NaN of what is no number.

    >>> sample_values({"match": "C", "judge": {"clear": 0.5, "right": True}})
    {'match': 1.0, 'judge/clear': 0.5, 'judge/right': 1.0}
    """
    valued = {"scores": {scorer: {"value": value} for scorer, value in scores.items()}}
    return {name: _number(value) for name, value in _values(valued)}


def _with_reducer(metric: str, reducer: Any) -> str:
    return metric if reducer in (None, "mean") else f"{metric} ({reducer})"


def _archive(content: Content) -> _Log:
    """Return summaries of all samples; of a log that was cut off, those that its journal has."""
    whole = "header.json" in content.members
    header = content.member("header.json" if whole else "_journal/start.json")
    reductions = content.member("reductions.json") if "reductions.json" in content.members else ()
    if "summaries.json" in content.members:
        summaries = list(content.member("summaries.json"))
    else:
        numbered = sorted((int(found[1]), name) for name in content.members if (found := _SUMMARIES.fullmatch(name)))
        summaries = [sample for _, name in numbered for sample in content.member(name)]
    last = {(sample.get("id"), sample.get("epoch", 1)): _thin(sample) for sample in summaries}
    return _Log(content.name, header if isinstance(header, dict) else {}, list(last.values()), reductions or ())


def _file(content: Content) -> _Log:
    """Return a JSON log, without its transcripts, and never held whole."""
    header: dict[str, Any] = {}
    samples: list[_Sample] = []
    cut = False
    for member in content.named_values("samples"):
        if member is None:
            cut = True
        elif member[0] != "samples":
            header[member[0]] = member[1]
        elif isinstance(member[1], dict) and "id" in member[1]:
            samples.append(_thin(member[1]))
    reductions = header.pop("reductions", None) or ()
    log = _Log(content.name, header, samples, reductions, cut)
    if any("score" in sample for sample in log.samples):
        named = next((str(score.get("name")) for score in log.scored()), "score")
        return replace(log, samples=[{"scores": {named: sample.get("score")}, **sample} for sample in log.samples])
    return log


def _thin(sample: _Sample) -> _Sample:
    """Return what is needed of a sample: scores without explanations, and tokens over all models that it called."""
    kept = {name: sample[name] for name in ("id", "total_time", "error") if name in sample}
    if sample.get("scores") is not None:
        kept["scores"] = {scorer: _value_of(score) for scorer, score in sample["scores"].items()}
    if sample.get("score") is not None:
        kept["score"] = _value_of(sample["score"])
    usage: dict[str, float] = {}
    for used in (sample.get("model_usage") or {}).values():
        for name, called in _USAGE.items():
            if isinstance(used.get(name), int | float):
                usage[called] = usage.get(called, 0.0) + used[name]
    metadata = short_settings(sample.get("metadata") or {})
    return {**kept, "epoch": sample.get("epoch", 1), "input": _text(sample.get("input")), "metadata": metadata, **usage}


def _value_of(score: Any) -> Any:
    return {"value": score.get("value")} if isinstance(score, dict) else score


def _text(asked: Any) -> str | None:
    """Return the beginning of a question, or of the last text of a conversation; None if there is no text."""
    if isinstance(asked, list) and asked and isinstance(asked[-1], dict):
        asked = asked[-1].get("content")
    if isinstance(asked, list):
        asked = next((part.get("text") for part in asked if isinstance(part, dict) and "text" in part), None)
    return asked[:_SHOWN] if isinstance(asked, str) else None


def _by_metric(samples: Sequence[_Sample]) -> dict[str, list[tuple[_Sample, float]]]:
    """Return by metric the samples with a value of it; NaN if the scorer gave none."""
    found: dict[str, list[tuple[_Sample, float]]] = {}
    for sample in samples:
        for name, value in _values(sample):
            found.setdefault(name, []).append((sample, _number(value)))
    return found


def _reduced(log: _Log) -> Iterator[tuple[str, Samples]]:
    """Yield scores of samples after their epochs were reduced by something other than the mean."""
    for reduction in log.reductions:
        reducer = reduction.get("reducer")
        if reducer in (None, "mean"):
            continue
        scored = reduction.get("samples") or ()
        samples = [{"id": one.get("sample_id"), "scores": {str(reduction["scorer"]): one}} for one in scored]
        for name, scores in _by_metric(samples).items():
            yield _with_reducer(name, reducer), _samples(scores, None)


def _values(sample: _Sample) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the scores of a sample, which may be several by key or by place."""
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            yield from ((f"{scorer}/{key}", part) for key, part in value.items())
        elif isinstance(value, list):
            yield from ((f"{scorer}/{place}", part) for place, part in enumerate(value, start=1))
        else:
            yield scorer, value


def _unscored(sample: _Sample) -> _Sample:
    """Return the same sample with the same scores, all of them missing."""
    return {**sample, "scores": dict.fromkeys(name for name, _ in _values(sample))}


def _number(value: Any) -> float:
    """Return a grade, a truth or a number; NaN for what is none."""
    text = str(value)
    if text in _GRADES or text.lower() in _GRADES:
        return _GRADES.get(text, _GRADES.get(text.lower(), math.nan))
    found = plain_number(value)
    return math.nan if found is None else found


def _samples(found: Sequence[tuple[_Sample, float]], cluster: str | None) -> Samples:
    samples = [sample for sample, _ in found]
    epochs = np.array([sample.get("epoch", 1) for sample in samples], dtype=np.int64)
    inputs = [sample.get("input") for sample in samples]
    named = [(sample.get("metadata") or {}).get(cluster) for sample in samples] if cluster is not None else [None]
    keys = {"seconds": "total_time", **{name: name for name in _USAGE.values()}}
    measured = {name: [sample.get(key) for sample in samples] for name, key in keys.items()}
    covariates = {
        name: np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        for name, values in measured.items()
        if any(value is not None for value in values)
    }
    scores = np.array([value for _, value in found], dtype=np.float64)
    repeats = epochs if (epochs != 1).any() else None
    clusters, digests = (None if None in some else labels(some) for some in (named, inputs))
    return Samples(labels([one.get("id") for one in samples]), scores, repeats, None, clusters, digests, covariates)


def _settings(evaluation: Mapping[str, Any]) -> dict[str, str]:
    """Return what tells runs of equal models apart: arguments, how text is generated, the solver, roles of models."""
    solver = {"solver": str(evaluation["solver"])} if evaluation.get("solver") else {}
    roles = {
        f"role {name}": str(role.get("model", role) if isinstance(role, dict) else role)
        for name, role in (evaluation.get("model_roles") or {}).items()
    }
    generated = short_settings(evaluation.get("model_generate_config"))
    found = short_settings(evaluation.get("model_args")) | generated | solver | roles
    return {name: value for name, value in found.items() if name not in IDLE}


def _clusters(log: _Log) -> dict[str, str]:
    """Return by scorer the key of the samples' metadata by which its standard error is clustered."""
    found = {}
    for score in log.results.get("scores") or ():
        for metric in (score.get("metrics") or {}).values():
            chosen = (metric.get("params") or metric.get("options") or {}).get("cluster")
            if isinstance(chosen, str):
                found[str(score.get("scorer") or score.get("name"))] = chosen
    return found


def _said(log: _Log) -> Iterator[str]:
    """Return what a reader must know, by kind, with the file and how many it is about."""
    where, status = Path(log.where).name, log.header.get("status", "started")
    failed = [sample for sample in log.samples if sample.get("error")]
    scored = sum(any(value is not None for _, value in _values(sample)) for sample in failed)
    values = [value for sample in log.samples for _, value in _values(sample)]
    wrong = sum(not isinstance(value, int | float | None) and math.isnan(_number(value)) for value in values)
    count, version = how_many(len(log.samples), "sample"), log.header.get("version")
    ended = log.results.get("completed_samples")
    lacking = max(0, ended - len(log.samples)) if isinstance(ended, int) and log.samples else 0
    early = (log.results.get("early_stopping") or {}).get("early_stops")
    broken = not log.cut and status != "success"
    kinds: dict[str, Any] = {
        "marked as invalid, but read": "" if log.header.get("invalidated") else None,
        "cut off, but whole samples count": count if log.cut else None,
        "not ended well, but what there is counts": f"{status}, {count}" if broken else None,
        "stopped early; if by its scores, intervals of podium watch hold, and others may not": "" if early else None,
        "samples that ended in an error count as scored": scored or None,
        "samples that ended in an error are missing": len(failed) - scored or None,
        "scores that are no numbers are missing": wrong or None,
        "of a version that podium does not know, but read": None if version in _VERSIONS else str(version)[:20],
        "not all samples of the data were run": log.limit()[:20] or None,
        "samples of the results that the log lacks; the others count": lacking or None,
    }
    for kind, what in kinds.items():
        if what is not None:
            shown = f"{what:,}" if isinstance(what, int) else what
            yield About(kind, f"{where} ({shown})" if what != "" else where)


TOOLS = (Tool("inspect", "Inspect", _recognises, _read),)
