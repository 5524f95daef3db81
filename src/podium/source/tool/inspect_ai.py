"""Logs of Inspect: `.eval` archives, read from the summaries of their samples, and JSON logs."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, how_many
from podium.source.tool.content import Content, Parts, plain_number
from podium.source.tool.run import IDLE, Floats, Run, Samples, Tool, labels

#: Letters that scorers give: correct, partly correct, incorrect, no answer.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

#: Letters of a setting that can stand in a name.
_LONGEST = 60

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


#: Members of a sample in a JSON log that hold its transcript.
_TRANSCRIPT = frozenset(("messages", "output", "events", "events_data", "attachments", "store", "transcript"))

#: Letters of the input that tell whether samples of equal labels are the same; summaries cut long inputs.
_SHOWN = 256


def _takes(content: Content) -> bool:
    if content.members:
        return not content.members.keys().isdisjoint(("header.json", "_journal/start.json"))
    keys = content.keys
    if len(keys) > _MOST or not {"status", "eval"} <= keys:
        return False
    return len(keys & _BESIDE) > ("version" not in keys) and bool(_EVALUATION.search(content.head))


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        yield from _Log.of(content).runs()


TOOL = Tool("inspect", "Inspect", _takes, str, _read)


@dataclass(frozen=True, slots=True)
class _Log:
    """What a log says: its header, what its samples scored, and scores that were reduced over epochs."""

    where: str
    header: Mapping[str, Any]
    samples: Sequence[Mapping[str, Any]]
    reductions: Sequence[Mapping[str, Any]]
    cut: bool = False

    @classmethod
    def of(cls, content: Content) -> "_Log":
        """Take an archive or a JSON log."""
        log = _archive(content) if content.members else _file(content)
        evaluation = log.header.get("eval")
        if not isinstance(evaluation, dict) or not {"model", "task"} <= evaluation.keys():
            raise InputError(f"{content.name}: its header names no model and task; is it a log of Inspect?")
        return replace(log, samples=log.settled())

    def settled(self) -> list[Mapping[str, Any]]:
        """The samples; of those that ended in an error, Inspect counts scores only where that was asked for."""
        if (self.header["eval"].get("config") or {}).get("score_on_error"):
            return list(self.samples)
        return [_unscored(sample) if sample.get("error") else sample for sample in self.samples]

    @property
    def ended(self) -> bool:
        """Whether the evaluation came to its end, and the log is whole."""
        return self.header.get("status") == "success" and not self.cut

    def runs(self) -> Iterator[Run]:
        """One run for every metric: a scorer, or a key of what it gives; also after reducing its epochs."""
        evaluation = self.header["eval"]
        run = Run(
            self.where,
            str(evaluation["model"]),
            task_name(str(evaluation["task"])),
            "",
            made=str(evaluation.get("created", "")),
            settings=_settings(evaluation),
            task_settings=_words(evaluation.get("task_args")),
            whole=self.ended and not _limit(self),
            ended=self.ended,
            notes=tuple(_said(self)),
        )
        means = self.means()
        found = _by_metric(self.samples)
        if not found:
            for place, (name, mean) in enumerate(means.items()):
                yield replace(run, metric=name, mean=mean, place=place)
            return
        clusters = _clusters(self.header)
        taken = {name: _samples(found[name], clusters.get(name.partition("/")[0])) for name in found}
        taken |= {name: reduced for name, reduced in self.reduced() if name not in taken}
        for place, name in enumerate(sorted(taken, key=lambda name: self.place(name, means))):
            yield replace(run, metric=name, mean=means.get(name), samples=taken[name], place=place)

    def scored(self) -> list[Mapping[str, Any]]:
        """Entries of the results; the oldest logs have one, under another name."""
        results = self.header.get("results") or {}
        if "scorer" in results:
            return [{"scorer": results["scorer"].get("name"), "metrics": results.get("metrics"), **results["scorer"]}]
        return list(results.get("scores") or ())

    def means(self) -> dict[str, float]:
        """The log's own accuracy or mean, by metric as named here."""
        means: dict[str, float] = {}
        for score in self.scored():
            scorer, name = str(score.get("scorer") or score.get("name")), str(score.get("name"))
            metrics = score.get("metrics") or {}
            one = metrics.get("accuracy") or metrics.get("mean")
            if one is not None and isinstance(one.get("value"), int | float):
                key = name if name.startswith(scorer) else f"{scorer}/{name}"
                means.setdefault(_with_reducer(key, score.get("reducer")), float(one["value"]))
        return means

    def place(self, metric: str, means: Mapping[str, float]) -> tuple[bool, int]:
        """The headline first, then as the log lists its scorers."""
        headline = (self.header.get("results") or {}).get("headline") or {}
        listed = list(means) + [str(score.get("name")) for score in self.scored()]
        scorer = metric.partition("/")[0]
        place = next((place for place, name in enumerate(listed) if name in (metric, scorer)), len(listed))
        return headline.get("scorer") != scorer, place

    def reduced(self) -> Iterator[tuple[str, Samples]]:
        """Scores of samples after their epochs were reduced by something other than the mean."""
        for reduction in self.reductions:
            reducer = reduction.get("reducer")
            if reducer in (None, "mean"):
                continue
            found = _by_metric(
                [
                    {"id": sample.get("sample_id"), "scores": {str(reduction["scorer"]): sample}}
                    for sample in reduction.get("samples") or ()
                ]
            )
            for name, scores in found.items():
                yield _with_reducer(name, reducer), _samples(scores, None)


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
    """Summaries of all samples; of a log that was cut off, those that its journal has."""
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
    """A JSON log, without its transcripts, and never held whole."""
    parts = Parts(content.path, content.name, "samples", _TRANSCRIPT)
    header: dict[str, Any] = {}
    samples: list[Mapping[str, Any]] = []
    for _, members in groupby(parts, key=lambda part: part[:2]):
        listed = list(members)
        if listed[0][1] is None:
            header |= {name: value for name, _, _, value in listed}
        else:
            samples.append(_thin({name: value for _, _, name, value in listed}))
    reductions = header.pop("reductions", None) or ()
    log = _Log(content.name, header, [sample for sample in samples if "id" in sample], reductions, not parts.whole)
    if any("score" in sample for sample in log.samples):
        named = next((str(score.get("name")) for score in log.scored()), "score")
        one = [{"scores": {named: sample.get("score")}, **sample} for sample in log.samples]
        return replace(log, samples=one)
    return log


def _thin(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is needed of a sample."""
    asked = sample.get("input")
    kept = {name: sample[name] for name in ("id", "total_time", "error") if name in sample}
    for name in ("scores", "score"):
        if sample.get(name) is not None:
            kept[name] = _valued(sample[name], deep=name == "scores")
    return {
        **kept,
        "epoch": sample.get("epoch", 1),
        "input": _text(asked),
        "metadata": {name: value for name, value in (sample.get("metadata") or {}).items() if _is_short(value)},
        "usage": _usage(sample.get("model_usage")),
    }


def _text(asked: Any) -> str | None:
    """The beginning of a question, or of the last text of a conversation; None where there is no text."""
    if isinstance(asked, list) and asked and isinstance(asked[-1], dict):
        asked = asked[-1].get("content")
    if isinstance(asked, list):
        asked = next((part.get("text") for part in asked if isinstance(part, dict) and "text" in part), None)
    return asked[:_SHOWN] if isinstance(asked, str) else None


def _valued(score: Any, *, deep: bool) -> Any:
    """Scores without what explains them."""
    if deep:
        return {scorer: _valued(one, deep=False) for scorer, one in score.items()}
    return {"value": score.get("value")} if isinstance(score, dict) else score


def _usage(given: Any) -> dict[str, float]:
    """Tokens and cost of a sample, over all models that it called."""
    found: dict[str, float] = {}
    for usage in (given or {}).values():
        for name, called in _USAGE.items():
            if isinstance(usage.get(name), int | float):
                found[called] = found.get(called, 0.0) + usage[name]
    return found


def _by_metric(samples: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[Mapping[str, Any], float]]]:
    """By metric, samples with a value of it; NaN where the scorer gave none."""
    found: dict[str, list[tuple[Mapping[str, Any], float]]] = {}
    for sample in samples:
        for name, value in _values(sample):
            found.setdefault(name, []).append((sample, _number(value)))
    return found


def _values(sample: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and values of the scores of a sample, which may be several by key or by place."""
    for scorer, score in (sample.get("scores") or {}).items():
        value = score.get("value") if isinstance(score, dict) else score
        if isinstance(value, dict):
            yield from ((f"{scorer}/{key}", part) for key, part in value.items())
        elif isinstance(value, list):
            yield from ((f"{scorer}/{place}", part) for place, part in enumerate(value, start=1))
        else:
            yield scorer, value


def _unscored(sample: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same sample with the same scores, all of them missing."""
    return {**sample, "scores": dict.fromkeys(name for name, _ in _values(sample))}


def _is_wrong(value: Any) -> bool:
    """Whether a score is there, and no number."""
    return not isinstance(value, int | float | None) and math.isnan(_number(value))


def _number(value: Any) -> float:
    """A grade, a truth or a number; NaN for what is none."""
    text = str(value)
    if text in _GRADES or text.lower() in _GRADES:
        return _GRADES.get(text, _GRADES.get(text.lower(), math.nan))
    found = plain_number(value)
    return math.nan if found is None else found


def _samples(found: Sequence[tuple[Mapping[str, Any], float]], cluster: str | None) -> Samples:
    epochs = np.array([sample.get("epoch", 1) for sample, _ in found], dtype=np.int64)
    inputs = [sample.get("input") for sample, _ in found]
    clusters = None
    if cluster is not None:
        named = [(sample.get("metadata") or {}).get(cluster) for sample, _ in found]
        clusters = None if None in named else labels([str(name) for name in named])
    return Samples(
        labels([sample.get("id") for sample, _ in found]),
        np.array([value for _, value in found], dtype=np.float64),
        repeats=epochs if (epochs != 1).any() else None,
        clusters=clusters,
        digests=None if None in inputs else labels(inputs),
        covariates=dict(_measured([sample for sample, _ in found])),
    )


def _measured(samples: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Floats]]:
    """Seconds, tokens and cost; only those that a sample has."""
    columns = {"seconds": [sample.get("total_time") for sample in samples]}
    columns |= {called: [sample.get("usage", {}).get(called) for sample in samples] for called in _USAGE.values()}
    for name, values in columns.items():
        if any(value is not None for value in values):
            yield name, np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _settings(evaluation: Mapping[str, Any]) -> dict[str, str]:
    """What tells runs of equal models apart: arguments, how text is generated, the solver, other models' roles."""
    solver = {"solver": str(evaluation["solver"])} if evaluation.get("solver") else {}
    roles = {f"role {name}": _model(role) for name, role in (evaluation.get("model_roles") or {}).items()}
    generated = _words(evaluation.get("model_generate_config"))
    found = _words(evaluation.get("model_args")) | generated | solver | roles
    return {name: value for name, value in found.items() if name not in IDLE}


def _model(role: Any) -> str:
    return str(role.get("model", role)) if isinstance(role, dict) else str(role)


def _words(given: Any) -> dict[str, str]:
    """Settings that are one short value; others make no name."""
    pairs = given.items() if isinstance(given, dict) else ()
    return {str(name): str(value) for name, value in pairs if _is_short(value)}


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(str(value)) <= _LONGEST


def _clusters(log: Mapping[str, Any]) -> dict[str, str]:
    """By scorer, the key of the samples' metadata by which its standard error is clustered."""
    found = {}
    for score in (log.get("results") or {}).get("scores") or ():
        for metric in (score.get("metrics") or {}).values():
            chosen = (metric.get("params") or metric.get("options") or {}).get("cluster")
            if isinstance(chosen, str):
                found[str(score.get("scorer") or score.get("name"))] = chosen
    return found


def _limit(log: _Log) -> str:
    """The samples that were asked for, in words, if these are not all of the data."""
    config = log.header["eval"].get("config") or {}
    limit, size = config.get("limit"), (log.header["eval"].get("dataset") or {}).get("samples")
    if isinstance(limit, int) and isinstance(size, int) and limit >= size:
        limit = None
    return f"limit {limit}" if limit is not None else "--sample-id" if config.get("sample_id") is not None else ""


def _lacking(log: _Log) -> int:
    """How many of the samples that the results are of do not stand in the log."""
    results = log.header.get("results") or {}
    ended = results.get("completed_samples")
    return max(0, ended - len(log.samples)) if isinstance(ended, int) and log.samples else 0


def _stopped_early(results: Mapping[str, Any], where: str) -> Iterator[str]:
    if (results.get("early_stopping") or {}).get("early_stops"):
        yield About("stopped early; if by its scores, intervals of podium watch hold, and others may not", where)


def _said(log: _Log) -> Iterator[str]:
    where = Path(log.where).name
    status = log.header.get("status", "started")
    if log.header.get("invalidated"):
        yield About("marked as invalid, but read", where)
    if log.cut:
        yield About("cut off, but whole samples count", f"{where} ({how_many(len(log.samples), 'sample')})")
    elif status != "success":
        count = how_many(len(log.samples), "sample")
        yield About("not ended well, but what there is counts", f"{where} ({status}, {count})")
    yield from _stopped_early(log.header.get("results") or {}, where)
    failed = [sample for sample in log.samples if sample.get("error")]
    scored = sum(any(value is not None for _, value in _values(sample)) for sample in failed)
    if scored:
        yield About("samples that ended in an error count as scored", f"{where} ({scored:,})")
    if missing := len(failed) - scored:
        yield About("samples that ended in an error are missing", f"{where} ({missing:,})")
    if wrong := sum(_is_wrong(value) for sample in log.samples for _, value in _values(sample)):
        yield About("scores that are no numbers are missing", f"{where} ({wrong:,})")
    if (version := log.header.get("version")) not in _VERSIONS:
        yield About("of a version that podium does not know, but read", f"{where} ({str(version)[:20]})")
    if limit := _limit(log):
        yield About("not all samples of the data were run", f"{where} ({str(limit)[:20]})")
    if lacking := _lacking(log):
        yield About("samples of the results that the log lacks; the others count", f"{where} ({lacking:,})")


TOOLS = (TOOL,)
