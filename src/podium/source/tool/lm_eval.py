"""Results of lm-evaluation-harness and lmms-eval: aggregates of 0.3 and 0.4; samples of 0.4, by metric and filter.

A run leaves a file of results, and one of samples for each task. Only results name the model, and only samples have
scores of instances. So the files of one folder and date are a unit (`_unit`): when a file is looked at, what it says is
taken (`_part`), and what the files of a unit say makes runs (`_read`).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, cut_line
from podium.source.direction import metric_is_lower
from podium.source.tool.content import Content, plain_number
from podium.source.tool.run import IDLE, Run, Samples, Tool, counted, each_metric, labels

#: The date in names of files, which those of one evaluation share; colons are hyphens. In lmms-eval it comes first.
_DATE = re.compile(
    r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl?$|(?<![^/\\])(\d{8}_\d{6})_(?=(?:samples_[^/\\]+|results)\.jsonl?$)"
)

#: Keys of `model_args` that name the model, the first first.
_MODEL_ARGS = ("peft", "delta", "pretrained", "model", "path", "engine")

#: What tells models of equal names apart, beside other `model_args`.
_SETTINGS = ("model_source", "chat_template_sha", "system_instruction_sha", "fewshot_as_multiturn")

#: Samples before 0.4.3: one list, in a file that is named by the arguments of the model and the task.
_LIST = re.compile(rb'\[\s*\{\s*"doc_id"\s*:\s*\d+\s*,\s*"doc"\s*:')

#: How results of 0.4 begin: with a task, and scores by metric and filter.
_BEGINNING = re.compile(rb'\{\s*"results"\s*:\s*\{\s*"[^"]+"\s*:\s*\{[^{}]*"\w+,[\w-]+"\s*:')

#: Letters that stand in no name of a file.
_NO_NAME = re.compile(r"[^\w.-]")

#: What is used of a file of results, beside what is known of the model.
_USED = ("results", "n-shot", "config", "versions", "n-samples", "higher_is_better", "group_subtasks", "groups")

#: What stands beside the results of 0.4, at least one of these.
_BESIDE = ("n-shot", "higher_is_better", "versions", "n-samples", "lm_eval_version")

#: Metrics that samples log as log-likelihood and length, and what a log-likelihood per length is divided by.
_PER_LENGTH = {"word_perplexity": 1.0, "byte_perplexity": 1.0, "bits_per_byte": math.log(2)}

#: Perplexities: the exponential of the mean of what samples log; as the last they log the log-likelihood.
_PERPLEXITIES = frozenset(("word_perplexity", "byte_perplexity", "perplexity"))

#: What was logged of a sample that is no score, before 0.4.7, which names the metrics and the filter.
_NO_SCORES = frozenset(
    (
        *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
        *("doc_hash", "prompt_hash", "target_hash", "input", "input_media", "token_counts"),
    )
)

#: Letters of the hash of a document that tell whether documents of equal labels are the same.
_DIGITS = 16


def _recognises(content: Content) -> bool:
    """Return whether these are samples or results."""
    if _is_samples(content):
        return True
    if content.has(results=dict, configs=dict):
        results = content.json["results"]
        named = bool(results) and all(isinstance(row, dict) for row in results.values())
        return named and not content.keys.isdisjoint(_BESIDE)
    if content.has(results=dict, versions=dict, config=dict):
        return "model_args" in content.json["config"]
    return bool(_BEGINNING.match(content.head)) and content.json is None  # what can be parsed is of another tool


def _is_samples(content: Content) -> bool:
    if _LIST.match(content.head):
        return b'"resps"' in content.head
    if {"filtered_resps", "doc_hash"} <= content.keys and "doc" not in content.keys:  # as lmms-eval writes them
        return content.has(doc_id=(int, str))
    return "doc" in content.keys and content.has(doc_id=(int, str), resps=list)


def _unit(path: str) -> str:
    """Return the folder and the date: samples do not name their model, but the results beside them do."""
    date = _DATE.search(path)
    return f"{Path(path).parent}/{date[1] or date[2]}" if date else path


def _part(content: Content) -> "_Evaluation | Logged":
    """Return what a file of results says, or one of samples."""
    if "results" in content.keys:
        return _Evaluation.of(content)
    return Logged.of(enumerate(content.value(), start=1) if _LIST.match(content.head) else content.lines())


class _Column(NamedTuple):
    """Values by one metric of lines with one filter: numbers of the lines, documents, and what tells these apart."""

    numbers: Sequence[int]
    documents: Sequence[Any]
    labels: Any
    digests: Any
    values: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Logged:
    """A file of samples, by metric and filter.

    Attributes
    ----------
    columns
        Scores of the samples; if they do not name their filter, that they are of the first, second, ... one.
    unscored
        Metrics that the harness scores over all samples together only.
    again
        How many samples stand twice.
    cut
        Number of the line that is cut off; 0 if none is.
    wrong
        How many scores are no numbers, by metrics with others that are.
    """

    columns: "Mapping[tuple[str, str | int], Samples]"
    unscored: Sequence[str]
    again: int
    cut: int
    wrong: int

    @classmethod
    def of(cls, numbered: Iterable[tuple[int, Any]]) -> "Logged":
        """Take all samples, with their numbers.

        If they do not name their filter, a document stands there once for each.
        """
        # {"doc_id": 7, "doc_hash": "ab…", "filter": "strict-match", "metrics": ["exact_match"], "exact_match": 1.0, …}
        # is a row (number of the line, 7, "ab…", 1.0) of the lines of ("strict-match", "exact_match").
        groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        times = Counter[Any]()
        cut = 0
        for number, row in numbered:
            if row is None:
                cut = number
            elif isinstance(row, dict) and "doc_id" in row:
                metrics = row.get("metrics") or [name for name in row if name not in _NO_SCORES]
                filter_key = row.get("filter")
                if filter_key is None:
                    filter_key = times[row["doc_id"]]
                    times[row["doc_id"]] += 1
                lines = groups.setdefault((filter_key, *metrics), [])
                lines.append((number, row["doc_id"], row.get("doc_hash", ""), *map(row.get, metrics)))
        found: dict[tuple[str, str | int], list[_Column]] = {}
        for (filter_key, *metrics), lines in groups.items():
            numbers, documents, hashes, *values = zip(*lines, strict=True)
            parts = [str(one)[:_DIGITS].encode("ascii", "replace") for one in hashes]
            documented = numbers, documents, labels(documents), np.array(parts) if all(parts) else None
            for metric, column in zip(metrics, values, strict=True):
                found.setdefault((metric, filter_key), []).append(_Column(*documented, column))
        scored = {metric_filter: _scored(metric_filter[0], columns) for metric_filter, columns in found.items()}
        there = {metric_filter: samples for metric_filter, (samples, *_) in scored.items() if samples is not None}
        unscored = {metric for metric, _ in scored} - {metric for metric, _ in there}
        again, wrong = sum(again for _, again, _ in scored.values()), sum(wrong for *_, wrong in scored.values())
        return cls(there, sorted(unscored), again, cut, wrong)

    def filtered(self, filters: Sequence[str]) -> "tuple[dict[str, Samples], int]":
        """Return scores by metric with these filters, and how many samples stand twice; the last one counts."""
        columns: dict[str, Samples] = {}
        again = self.again
        for (metric, key), samples in self.columns.items():
            name = with_filter(metric, filters[key % len(filters)] if isinstance(key, int) else key)
            before = columns.get(name)
            columns[name] = samples if before is None else _updated(before, samples)
            again += 0 if before is None else before.scores.size + samples.scores.size - columns[name].scores.size
        return columns, again


def _scored(metric: str, columns: Sequence[_Column]) -> tuple[Samples | None, int, int]:
    """Return scores, how many documents stand twice, and how many scores are no numbers.

    The harness appends to a file that is there; what stands last is of the last run.
    """
    first, *others = columns
    plain = not others and set(map(type, first.values)) <= {int, float, bool}
    if plain and len(set(first.documents)) == len(first.documents):  # as nearly all are
        return Samples(first.labels, np.array(first.values, dtype=np.float64), digests=first.digests), 0, 0
    found = [
        (number, document, b"" if column.digests is None else column.digests[row], score)
        for column in columns
        for row, (number, document) in enumerate(zip(column.numbers, column.documents, strict=True))
        if (score := _score(metric, column.values[row])) is not None
    ]
    once = {document: (*score, digest) for _, document, digest, score in sorted(found, key=itemgetter(0))}
    if not once:
        return None, 0, 0
    texts = [value for column in columns for value in column.values if isinstance(value, str)]
    return _of_rows(once), len(found) - len(once), sum(plain_number(value) is None for value in texts)


def _score(metric: str, value: Any) -> tuple[float, float] | None:
    """Score and weight of a sample; None if the harness scores only all samples together.

    Perplexities are logged as log-likelihood and length. The score is then −log-likelihood / length, and the length is
    the weight: the weighted mean is the logarithm of the perplexity, or the bits per byte.
    """
    if (found := plain_number(value)) is not None:
        return found, 1.0
    pair = isinstance(value, list) and len(value) == 2 and all(isinstance(part, int | float) for part in value)
    if metric in _PER_LENGTH and pair and value[1]:
        return -value[0] / value[1] / _PER_LENGTH[metric], float(value[1])
    return None


def _updated(before: Samples, after: Samples) -> Samples:
    """Return scores of both; if both have one, the later."""
    rows: dict[Any, tuple[float, float, Any]] = {}
    for part in (before, after):
        weights = np.ones(part.scores.size) if part.weights is None else part.weights
        digests = [b""] * part.scores.size if part.digests is None else part.digests.tolist()
        rows |= zip(part.instances.tolist(), zip(part.scores, weights, digests, strict=True), strict=True)
    return _of_rows(rows)


def _of_rows(rows: Mapping[Any, tuple[float, float, Any]]) -> Samples:
    """Return samples of what each document has: score, weight and the beginning of the hash."""
    scores, given, digests = zip(*rows.values(), strict=True)
    weights = np.array(given, dtype=np.float64)
    own, known = None if (weights == 1).all() else weights, np.array(digests) if all(digests) else None
    return Samples(labels(rows), np.array(scores, dtype=np.float64), weights=own, digests=known)


def with_filter(metric: str, filter_key: str) -> str:
    """Name of a metric with a filter.

    >>> with_filter("acc", "none"), with_filter("exact_match", "strict")
    ('acc', 'exact_match,strict')
    """
    return metric if filter_key == "none" else f"{metric},{filter_key}"


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """A file of results with all its tasks; or, if it is missing, the folder of the samples.

    Attributes
    ----------
    run
        What is the same for all tasks.
    given
        What is used of the file: it says all of its prompts, and may hold all samples.
    samples
        Samples that stand in the file, by task.
    in_files
        Tasks as they are called in names of files; of several, the first.
    """

    run: Run
    given: Mapping[str, Any] = field(default_factory=dict)
    samples: "Mapping[str, Logged]" = field(default_factory=dict)
    in_files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Content) -> "_Evaluation":
        """Take the file of results."""
        given = content.json
        config = given.get("config") or {}
        arguments = _arguments(config.get("model_args"))
        called = next((arguments[name] for name in _MODEL_ARGS if name in arguments), config.get("model"))
        known = (called, given.get("model_name"))
        settings = {name: value for name, value in arguments.items() if value not in known and name not in IDLE}
        settings |= {name: str(given[name]) for name in _SETTINGS if given.get(name) not in (None, "", False)}
        system = str(given.get("model_name") or called or Path(content.path).parent.name)
        made = _dated(content) or _of_epoch(given.get("date"))
        kept = {name: given[name] for name in _USED if name in given}
        kept["configs"] = {
            name: {part: one.get(part) for part in ("metric_list", "filter_list")}
            for name, one in (given.get("configs") or {}).items()
        }
        samples = {name: Logged.of(enumerate(rows, start=1)) for name, rows in (given.get("samples") or {}).items()}
        in_files = {_NO_NAME.sub("_", name): name for name in reversed(list(given["results"]))}
        return cls(Run(content.name, system, "", "", made=made, settings=settings), kept, samples, in_files)

    def said(self, what: str, name: str) -> Any:
        """Return what a member of the file says of a task; None if it says nothing."""
        return (self.given.get(what) or {}).get(name)

    @property
    def prefix(self) -> str:
        """Return how names of files of samples began before 0.4.3: with the arguments of the model."""
        return re.sub("[/=]", "__", f"{self.said('config', 'model_args')}_")

    def of_task(self, name: str) -> Run:
        """Return a run on a task, with what is the same for all its metrics."""
        shots = (self.given.get("n-shot") or {}).get(name, self.said("config", "num_fewshot"))
        version, count = self.said("versions", name), self.said("n-samples", name) or {}
        told = {"n-shot": str(shots)} if isinstance(shots, int) else {}
        told |= {"version": f"{version:g}"} if isinstance(version, int | float) else {}
        notes = []
        if count.get("effective", 0) < count.get("original", 0):
            share = f"{name} ({count['effective']:,} of {count['original']:,})"
            notes = [About("only some samples were run (--limit)", share)]
        return replace(self.run, task=name, task_settings=told, whole=not notes, notes=tuple(notes))

    def configured(self, name: str) -> list[Mapping[str, Any]]:
        """Return metrics of a task in the order of its configuration."""
        return (self.said("configs", name) or {}).get("metric_list") or []

    def filters(self, name: str) -> list[str]:
        """Return filters of the answers to a task, in the order in which they were scored."""
        found = (self.said("configs", name) or {}).get("filter_list") or ()
        return [one["name"] for one in found if "name" in one] or ["none"]

    def metrics(self, name: str) -> list[str]:
        """Return names of the metrics that the configuration has, each with each filter."""
        listed = [one["metric"] for one in self.configured(name) if isinstance(one.get("metric"), str)]
        return [with_filter(metric, one) for metric in listed for one in self.filters(name)]

    def higher(self, name: str, metric: str) -> bool | None:
        """Return whether more is better, by the results; before 0.4.3 by the configuration; of 0.3 by the name."""
        plain = metric.partition(",")[0]
        if "higher_is_better" in self.given:
            said = (self.given["higher_is_better"].get(name) or {}).get(plain)
        else:
            own = (one.get("higher_is_better") for one in self.configured(name) if one.get("metric") == plain)
            said = next(own, None)
            said = False if said is None and metric_is_lower(plain) else said
        return said if isinstance(said, bool) else None

    def aggregates(self) -> Iterator[Run]:
        """Yield means of all tasks, but not of groups whose tasks are there; before 0.4.2 files do not say these."""
        results, groups = self.given["results"], self.given.get("groups") or ()
        tasks = [name for name in results if name not in groups]
        parents = self.given.get("group_subtasks") or dict.fromkeys(groups, tasks)
        for name, row in results.items():
            if not isinstance(row, dict) or any(child in results for child in parents.get(name) or ()):
                continue
            known, found = self.metrics(name), dict[str, float]()
            for key, value in row.items():
                metric, _, filter_key = key.partition(",")
                called = with_filter(metric, filter_key or "none")
                if "_stderr" in metric or metric in ("sample_len", "sample_count"):
                    continue
                if isinstance(value, int | float) and not isinstance(value, bool):
                    found[called] = float(value)
                elif called in known:  # such as "N/A"
                    found[called] = math.nan
            higher = {metric: self.higher(name, metric) for metric in found}
            yield from each_metric(self.of_task(name), found, first=known, higher=higher)


def _dated(content: Content) -> str:
    """Return the date in the name of a file, in a form that sorts with others; without a zone it is UTC."""
    found = _DATE.search(content.path.name)
    if found is None:
        return ""
    if found[2]:
        return datetime.strptime(found[2], "%Y%m%d_%H%M%S").replace(tzinfo=UTC).isoformat()
    day, _, time = found[1].partition("T")
    return f"{day}T{time.replace('-', ':')}+00:00"


def _of_epoch(seconds: Any) -> str:
    """Return a time in seconds since 1970 in the same form; a text as it is."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return seconds if isinstance(seconds, str) else ""


def _arguments(given: Any) -> dict[str, str]:
    """Return `model_args`, a dictionary or `key=value,key=value`."""
    if isinstance(given, dict):
        return {str(name): str(value) for name, value in given.items() if value is not None}
    pairs = (pair.partition("=") for pair in str(given or "").split(",") if "=" in pair)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _beside(content: Content) -> _Evaluation:
    """Return the results beside samples without a date, whose name begins with the arguments of the model.

    Otherwise the name of the folder is that of the model, as the harness writes it.
    """
    files = [] if _DATE.search(content.path.name) else sorted(content.path.parent.glob("*.json"))
    stamped = tuple((str(path), path.stat().st_mtime_ns) for path in files)
    for one in _evaluations(stamped):
        if content.path.name.startswith(one.prefix):
            return one
    system = content.path.resolve().parent.name.replace("__", "/")
    return _Evaluation(Run(content.name, system, "", "", made=_dated(content)))


@lru_cache(maxsize=2)
def _evaluations(stamped: tuple[tuple[str, int], ...]) -> tuple[_Evaluation, ...]:
    """Return what the results among files of a folder say, each with its time, for all samples beside them."""
    found = []
    for path, _ in stamped:
        with suppress(InputError):  # which is said where this file is read
            content = Content(Path(path))
            found += [_Evaluation.of(content)] if "results" in content.keys and _recognises(content) else []
    return tuple(found)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    evaluation = None
    for content in contents:
        if isinstance(content.part, _Evaluation):
            evaluation = content.part
            yield from evaluation.aggregates()
            for name, logged in evaluation.samples.items():  # programs that call the harness keep samples there
                yield from _sampled(evaluation.run.where, name, logged, evaluation)
    for content in contents:
        if isinstance(content.part, Logged):
            own = evaluation or _beside(content)
            stem = _DATE.sub("", content.path.name).removeprefix("samples_").removesuffix(".jsonl")
            stem = stem.removeprefix(own.prefix)
            yield from _sampled(content.name, own.in_files.get(stem, stem), content.part, own)


def _sampled(where: str, name: str, logged: "Logged", evaluation: _Evaluation) -> Iterator[Run]:
    """Yield a run for each metric and filter of the samples of a task."""
    columns, again = logged.filtered(evaluation.filters(name))
    file = Path(where).name
    notes: list[str] = [cut_line(file, logged.cut)] if logged.cut else []
    notes += [About("left out, since single samples have no score by it", metric) for metric in logged.unscored]
    twice = "of samples that stand twice the last one counts"
    notes += counted(file, {"scores that are no numbers are missing": logged.wrong, twice: again})
    run, row = evaluation.of_task(name), evaluation.said("results", name) or {}
    whole = run.whole and not logged.cut
    run = replace(run, where=where, whole=whole, ended=not logged.cut, notes=(*run.notes, *notes))
    said = {metric: row.get(metric if "," in metric else f"{metric},none") for metric in columns}
    means = {metric: mean for metric, mean in said.items() if isinstance(mean, int | float)}
    higher = {metric: evaluation.higher(name, metric) for metric in columns}
    for one in each_metric(run, means, columns, first=evaluation.metrics(name), higher=higher):
        samples, logarithms = on_a_scale(one.metric.partition(",")[0], columns[one.metric])
        yield replace(one, samples=samples, logarithms=logarithms)


def on_a_scale(metric: str, samples: Samples) -> tuple[Samples, bool]:
    """Return samples that are better where their mean is, and whether they are logarithms.

    As `perplexity` the log-likelihood is logged, which is never above 0, and is better higher; its negative is better
    lower, as the perplexity is.
    """
    if metric == "perplexity":
        if (samples.scores > 0).any():
            return samples, False
        samples = replace(samples, scores=-samples.scores)
    return samples, metric in _PERPLEXITIES


TOOLS = (Tool("lm-eval", "lm-evaluation-harness", _recognises, _read, unit=_unit, part=_part),)
