"""Results of lm-evaluation-harness and lmms-eval: aggregates of 0.3 and 0.4, and samples of 0.4.

- Samples of lm-evaluation-harness: what of each line counts, by metric and filter.
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
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, cut_line
from podium.source.direction import metric_is_lower
from podium.source.tool.content import Content, plain_number
from podium.source.tool.run import IDLE, Run, Samples, Tool, labels

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


def with_filter(metric: str, chosen: str) -> str:
    """Name of a metric with a filter.

    >>> with_filter("acc", "none"), with_filter("exact_match", "strict")
    ('acc', 'exact_match,strict')
    """
    return metric if chosen == "none" else f"{metric},{chosen}"


class _Lines:
    """Lines of samples with one filter and the same metrics: what of them counts, column by column."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.numbers, self.documents, hashes, *self.values = zip(*rows, strict=True)
        self.labels = labels(self.documents)
        found = [str(one)[:_DIGITS].encode("ascii", "replace") for one in hashes]
        self.digests = np.array(found) if all(found) else None


#: Lines, and which of their values are those of one metric.
_Column = tuple[_Lines, int]


@dataclass(frozen=True, slots=True)
class Logged:
    """What a file of samples says, by metric and filter.

    Attributes
    ----------
    columns
        Scores of the samples; where they do not name their filter, that they are of the first, second, ... one.
    unscored
        Metrics of which the harness scores only all samples together.
    again
        How many samples stand twice.
    cut
        Number of the line that is cut off; 0 if none is.
    wrong
        How many scores are no numbers, by metrics of which others are.
    """

    columns: "Mapping[tuple[str, str | int], Samples]"
    unscored: Sequence[str]
    again: int
    cut: int
    wrong: int

    @classmethod
    def of(cls, numbered: Iterable[tuple[int, Any]]) -> "Logged":
        """Take all samples, with their numbers.

        Where they do not name their filter, a document stands there once for each.
        """
        groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
        times = Counter[Any]()
        cut = 0
        for number, row in numbered:
            if row is None:
                cut = number
            elif isinstance(row, dict) and "doc_id" in row:
                metrics = row.get("metrics") or [name for name in row if name not in _NO_SCORES]
                chosen = row.get("filter")
                if chosen is None:
                    chosen = times[row["doc_id"]]
                    times[row["doc_id"]] += 1
                key = (chosen, *metrics)
                if key not in groups:
                    groups[key] = []
                groups[key].append((number, row["doc_id"], row.get("doc_hash", ""), *map(row.get, metrics)))
        found: dict[tuple[str, str | int], list[_Column]] = {}
        for (chosen, *metrics), rows in groups.items():
            lines = _Lines(rows)
            for place, metric in enumerate(metrics):
                found.setdefault((metric, chosen), []).append((lines, place))
        sampled = {names: _plain(columns) or _mixed(names[0], columns) for names, columns in found.items()}
        columns = {names: samples for names, (samples, *_) in sampled.items() if samples is not None}
        unscored = {metric for metric, _ in sampled} - {metric for metric, _ in columns}
        again, wrong = sum(again for _, again, _ in sampled.values()), sum(wrong for *_, wrong in sampled.values())
        return cls(columns, sorted(unscored), again, cut, wrong)

    def filtered(self, filters: Sequence[str]) -> "tuple[dict[str, Samples], int]":
        """Scores by metric with these filters, and how many samples stand twice; the last one counts."""
        columns: dict[str, Samples] = {}
        again = self.again
        for (metric, chosen), samples in self.columns.items():
            name = with_filter(metric, filters[chosen % len(filters)] if isinstance(chosen, int) else chosen)
            before = columns.get(name)
            columns[name] = samples if before is None else _updated(before, samples)
            again += 0 if before is None else before.scores.size + samples.scores.size - columns[name].scores.size
        return columns, again


def _updated(before: Samples, after: Samples) -> Samples:
    """Scores of both; where both have one, the later."""
    rows: dict[Any, tuple[float, float, Any]] = {}
    for part in (before, after):
        weights = np.ones(part.scores.size) if part.weights is None else part.weights
        digests = [b""] * part.scores.size if part.digests is None else part.digests.tolist()
        rows |= zip(part.instances.tolist(), zip(part.scores, weights, digests, strict=True), strict=True)
    return _of(rows)


def _of(rows: Mapping[Any, tuple[float, float, Any]]) -> Samples:
    """By document, score, weight and the beginning of the hash."""
    scores, given, digests = zip(*rows.values(), strict=True)
    weights = np.array(given, dtype=np.float64)
    return Samples(
        labels(rows),
        np.array(scores, dtype=np.float64),
        weights=None if (weights == 1).all() else weights,
        digests=np.array(digests) if all(digests) else None,
    )


def _plain(columns: Sequence[_Column]) -> tuple[Samples, int, int] | None:
    """Scores that are numbers, one for each document, as nearly all are; None if something else is among them."""
    (lines, place), *others = columns
    values = lines.values[place]
    are_numbers = set(map(type, values)) <= {int, float, bool}
    if others or not are_numbers or len(set(lines.documents)) < len(lines.documents):
        return None
    return Samples(lines.labels, np.array(values, dtype=np.float64), digests=lines.digests), 0, 0


def _mixed(metric: str, columns: Sequence[_Column]) -> tuple[Samples | None, int, int]:
    """Scores of any kind, how many documents stand twice, and how many scores are no numbers.

    The harness appends to a file that is there; what stands last is of the last run.
    """
    found = [
        (number, document, lines.digests[row] if lines.digests is not None else b"", score)
        for lines, place in columns
        for row, (number, document) in enumerate(zip(lines.numbers, lines.documents, strict=True))
        if (score := _score(metric, lines.values[place][row])) is not None
    ]
    once = {document: (*score, digest) for _, document, digest, score in sorted(found, key=itemgetter(0))}
    if not once:
        return None, 0, 0
    texts = [value for lines, place in columns for value in lines.values[place] if isinstance(value, str)]
    return _of(once), len(found) - len(once), sum(plain_number(value) is None for value in texts)


def on_a_scale(metric: str, samples: Samples) -> tuple[Samples, bool]:
    """Samples that are better where their mean is, and whether they are logarithms.

    As `perplexity` the log-likelihood is logged, which is never above 0, and is better higher; its negative is better
    lower, as the perplexity is.
    """
    if metric == "perplexity":
        if (samples.scores > 0).any():
            return samples, False
        samples = replace(samples, scores=-samples.scores)
    return samples, metric in _PERPLEXITIES


def _score(metric: str, value: Any) -> tuple[float, float] | None:
    """Score and weight of a sample; None where the harness scores only all samples together.

    Perplexities are logged as log-likelihood and length. The score is then −log-likelihood / length, and the length is
    the weight: the weighted mean is the logarithm of the perplexity, or the bits per byte.
    """
    if (found := plain_number(value)) is not None:
        return found, 1.0
    pair = isinstance(value, list) and len(value) == 2 and all(isinstance(part, int | float) for part in value)
    if metric in _PER_LENGTH and pair and value[1]:
        return -value[0] / value[1] / _PER_LENGTH[metric], float(value[1])
    return None


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

#: What is used of a file of results, beside the results and what is known of the model.
_USED = ("n-shot", "config", "versions", "n-samples", "higher_is_better", "group_subtasks", "groups")

#: What stands beside the results of 0.4, one of which at least.
_BESIDE = ("n-shot", "higher_is_better", "versions", "n-samples", "lm_eval_version")


def _takes(content: Content) -> bool:
    """Whether these are samples or results.

    Raises
    ------
    InputError
        It begins like results, and is cut off.
    """
    if _is_samples(content):
        return True
    if content.has(results=dict, configs=dict):
        return not content.keys.isdisjoint(_BESIDE) and _is_results(content.json["results"])
    if content.has(results=dict, versions=dict, config=dict):
        return "model_args" in content.json["config"]
    return bool(_BEGINNING.match(content.head)) and content.json is None  # what can be parsed is of another tool


def _is_samples(content: Content) -> bool:
    """Whether these are samples: lines, or one list."""
    if _LIST.match(content.head):
        return b'"resps"' in content.head
    if {"filtered_resps", "doc_hash"} <= content.keys and "doc" not in content.keys:  # as lmms-eval writes them
        return content.has(doc_id=(int, str))
    return "doc" in content.keys and content.has(doc_id=(int, str), resps=list)


def _is_results(given: Mapping[str, Any]) -> bool:
    """Whether each task has its metrics."""
    return bool(given) and all(isinstance(row, dict) for row in given.values())


def _unit(path: str) -> str:
    """The folder and the date: samples do not name their model, but the results beside them do."""
    date = _DATE.search(path)
    return f"{Path(path).parent}/{date[1] or date[2]}" if date else path


def _part(content: Content) -> "_Evaluation | Logged":
    """What a file of results says, or one of samples."""
    if "results" in content.keys:
        return _Evaluation.of(content)
    return Logged.of(enumerate(content.value(), start=1) if _LIST.match(content.head) else content.lines())


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    parts = list(TOOL.parts(contents))
    evaluation = None
    for part in parts:
        if isinstance(part, _Evaluation):
            evaluation = part
            yield from evaluation.aggregates()
            yield from evaluation.logged()
    for content, part in zip(contents, parts, strict=True):
        if isinstance(part, Logged):
            of = evaluation or _beside(content)
            yield from _samples(content.name, _task(content, of), part, of)


TOOL = Tool("lm-eval", "lm-evaluation-harness", _takes, _unit, _read, part=_part)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """What a file of results says of all its tasks; or, where it is missing, what the folder of the samples says."""

    where: str
    system: str
    made: str
    settings: Mapping[str, str] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    samples: "Mapping[str, Logged]" = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Content) -> "_Evaluation":
        """Take the file of results."""
        given = content.json
        config = given.get("config") or {}
        arguments = _arguments(config.get("model_args"))
        called = next((arguments[name] for name in _MODEL_ARGS if name in arguments), config.get("model"))
        known = (called, given.get("model_name"))
        named = {name: value for name, value in arguments.items() if value not in known and name not in IDLE}
        named |= {name: str(given[name]) for name in _SETTINGS if given.get(name) not in (None, "", False)}
        system = str(given.get("model_name") or called or Path(content.path).parent.name)
        made = _dated(content) or _of_epoch(given.get("date"))
        # A file says all of its prompts, and may hold all samples; what is not needed is not kept.
        kept = {name: given[name] for name in _USED if name in given}
        kept["configs"] = {
            name: {part: one.get(part) for part in ("metric_list", "filter_list")}
            for name, one in (given.get("configs") or {}).items()
        }
        samples = {name: Logged.of(enumerate(rows, start=1)) for name, rows in (given.get("samples") or {}).items()}
        # Tasks as they are called in names of files; of several, the first.
        in_files = {_NO_NAME.sub("_", name): name for name in reversed(list(given["results"]))}
        return cls(content.name, system, made, named, given["results"], kept, samples, in_files)

    @property
    def prefix(self) -> str:
        """How names of files of samples began before 0.4.3: with the arguments of the model."""
        return re.sub("[/=]", "__", f"{(self.given.get('config') or {}).get('model_args')}_")

    @classmethod
    def unknown(cls, content: Content) -> "_Evaluation":
        """Take the name of the folder for that of the model, as the harness writes it."""
        system = content.path.resolve().parent.name.replace("__", "/")
        return cls(content.name, system, _dated(content))

    def of_task(self, name: str) -> Run:
        """A run on a task, with what is the same for all its metrics."""
        shots = (self.given.get("n-shot") or {}).get(name, (self.given.get("config") or {}).get("num_fewshot"))
        version = (self.given.get("versions") or {}).get(name)
        told = {"n-shot": str(shots)} if isinstance(shots, int) else {}
        told |= {"version": f"{version:g}"} if isinstance(version, int | float) else {}
        count = (self.given.get("n-samples") or {}).get(name) or {}
        notes = []
        if count.get("effective", 0) < count.get("original", 0):
            share = f"{name} ({count['effective']:,} of {count['original']:,})"
            notes = [About("only some samples were run (--limit)", share)]
        return Run(
            self.where,
            self.system,
            name,
            "",
            made=self.made,
            settings=self.settings,
            task_settings=told,
            whole=not notes,
            notes=tuple(notes),
        )

    def metrics(self, name: str) -> list[str]:
        """Metrics of a task in the order of its configuration, each with each filter."""
        config = (self.given.get("configs") or {}).get(name) or {}
        listed = [one["metric"] for one in config.get("metric_list") or () if isinstance(one.get("metric"), str)]
        return [with_filter(metric, chosen) for metric in listed for chosen in self.filters(name)]

    def filters(self, name: str) -> list[str]:
        """Filters of the answers to a task, in the order in which they were scored."""
        config = (self.given.get("configs") or {}).get(name) or {}
        return [one["name"] for one in config.get("filter_list") or () if "name" in one] or ["none"]

    def higher(self, name: str, metric: str) -> bool | None:
        """Whether more is better; before 0.4.3 as the configuration says; of 0.3, which does not say, by the name."""
        plain = metric.partition(",")[0]
        if "higher_is_better" in self.given:
            said = (self.given["higher_is_better"].get(name) or {}).get(plain)
        else:
            config = (self.given.get("configs") or {}).get(name) or {}
            listed = [one for one in config.get("metric_list") or () if one.get("metric") == plain]
            said = listed[0].get("higher_is_better") if listed else None
            said = False if said is None and metric_is_lower(plain) else said
        return said if isinstance(said, bool) else None

    def tasks(self) -> list[str]:
        """Names of results that are of no group; before 0.4.2 nothing says of which tasks a group is."""
        return [name for name in self.results if name not in (self.given.get("groups") or ())]

    def logged(self) -> Iterator[Run]:
        """Samples that are kept with the results, as programs that call the harness do."""
        for name, logged in self.samples.items():
            yield from _samples(self.where, name, logged, self)

    def aggregates(self) -> Iterator[Run]:
        """Means of all tasks but groups whose tasks are there."""
        parents = self.given.get("group_subtasks") or dict.fromkeys(self.given.get("groups") or (), self.tasks())
        for name, row in self.results.items():
            if not isinstance(row, dict) or any(child in self.results for child in parents.get(name) or ()):
                continue
            known = self.metrics(name)
            found: dict[str, float] = {}
            for key, value in row.items():
                metric, _, chosen = key.partition(",")
                called = with_filter(metric, chosen or "none")
                if "_stderr" in metric or metric in ("sample_len", "sample_count"):
                    continue
                if isinstance(value, int | float) and not isinstance(value, bool):
                    found[called] = float(value)
                elif called in known:  # such as "N/A"
                    found[called] = math.nan
            order = [*(metric for metric in known if metric in found), *(one for one in found if one not in known)]
            for place, metric in enumerate(order):
                higher = self.higher(name, metric)
                yield replace(
                    self.of_task(name), metric=metric, mean=found[metric], higher_is_better=higher, place=place
                )


def _dated(content: Content) -> str:
    """The date in the name of a file, in a form that sorts with other dates; it has no zone, and is taken as UTC."""
    found = _DATE.search(content.path.name)
    if found is None:
        return ""
    if found[2]:
        return datetime.strptime(found[2], "%Y%m%d_%H%M%S").replace(tzinfo=UTC).isoformat()
    day, _, time = found[1].partition("T")
    return f"{day}T{time.replace('-', ':')}+00:00"


def _of_epoch(seconds: Any) -> str:
    """A time in seconds since 1970 in the same form; a text as it is."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return seconds if isinstance(seconds, str) else ""


def _arguments(given: Any) -> dict[str, str]:
    """`model_args`, a dictionary or `key=value,key=value`."""
    if isinstance(given, dict):
        return {str(name): str(value) for name, value in given.items() if value is not None}
    pairs = (pair.partition("=") for pair in str(given or "").split(",") if "=" in pair)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _beside(content: Content) -> _Evaluation:
    """The results beside samples without a date, whose name begins with the arguments of the model."""
    files = [] if _DATE.search(content.path.name) else sorted(content.path.parent.glob("*.json"))
    stamped = tuple((str(path), path.stat().st_mtime_ns) for path in files)
    named = (one for one in _evaluations(stamped) if content.path.name.startswith(one.prefix))
    return next(named, None) or _Evaluation.unknown(content)


@lru_cache(maxsize=2)
def _evaluations(stamped: tuple[tuple[str, int], ...]) -> tuple[_Evaluation, ...]:
    """What the results among files of a folder say, each with its time, for all samples beside them."""
    found = []
    for path, _ in stamped:
        with suppress(InputError):  # which is said where this file is read
            content = Content(Path(path))
            found += [_Evaluation.of(content)] if "results" in content.keys and _takes(content) else []
    return tuple(found)


def _samples(where: str, name: str, logged: Logged, evaluation: _Evaluation) -> Iterator[Run]:
    """A run for each metric and filter of the samples of a task."""
    columns, again = logged.filtered(evaluation.filters(name))
    notes = list(_said(where, logged, again))
    run, known = evaluation.of_task(name), evaluation.metrics(name)
    order = [*(metric for metric in known if metric in columns), *(one for one in columns if one not in known)]
    means = evaluation.results.get(name) or {}
    for place, metric in enumerate(order):
        mean = means.get(metric if "," in metric else f"{metric},none")
        samples, logarithms = on_a_scale(metric.partition(",")[0], columns[metric])
        yield replace(
            run,
            where=where,
            metric=metric,
            mean=mean if isinstance(mean, int | float) else None,
            samples=samples,
            logarithms=logarithms,
            higher_is_better=evaluation.higher(name, metric),
            place=place,
            whole=run.whole and not logged.cut,
            ended=not logged.cut,
            notes=(*run.notes, *notes),
        )


def _said(where: str, logged: Logged, again: int) -> Iterator[str]:
    file = Path(where).name
    if logged.cut:
        yield cut_line(file, logged.cut)
    yield from (About("left out, since single samples have no score by it", metric) for metric in logged.unscored)
    if logged.wrong:
        yield About("scores that are no numbers are missing", f"{file} ({logged.wrong:,})")
    if again:
        yield About("of samples that stand twice the last one counts", f"{file} ({again:,})")


def _task(content: Content, evaluation: _Evaluation) -> str:
    """The task that a file of samples is of: its name, or that of the results that ends up as this name in a file."""
    stem = _DATE.sub("", content.path.name).removeprefix("samples_").removesuffix(".jsonl")
    stem = stem.removeprefix(evaluation.prefix)
    return evaluation.named.get(stem, stem)


TOOLS = (TOOL,)
