"""Results of lighteval and of OpenCompass: scores of data sets, with those of single samples if they are there."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from podium.base.words import LONG, About, few, with_names
from podium.source.tool.content import (
    Content,
    digest_of,
    listed,
    mapping,
    number,
    short_settings,
    text,
    words,
    written_number,
)
from podium.source.tool.run import Repeated, Run, Samples, Tool, each_metric

#: The date in names of files and folders, which those of one evaluation share; colons may be hyphens.
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?")

#: Names of details before 0.10: the task stands only there.
_DETAILS = re.compile(r"details_(?P<task>.*)_" + _DATE.pattern + r"\.parquet")

#: What is said of the model, or the machine, that does not tell runs of equal models apart.
_NO_SETTINGS = frozenset(
    (
        *("model_name", "cache_dir", "seed", "batch_size", "base_url", "api_key", "device", "model_parallel"),
        *("tensor_parallel_size", "data_parallel_size", "pipeline_parallel_size", "gpu_memory_utilization"),
        *("max_num_seqs", "max_num_batched_tokens", "swap_space", "compile", "concurrent_requests", "timeout"),
    )
)

#: A metric and its value in details before 0.8, which are texts as Python shows dictionaries.
_SHOWN = re.compile(r"'([^']+)': (?:np\.\w+\()?(True|False|None|nan|-?inf|-?\d[\d.]*(?:e[+-]?\d+)?)\)?(?=[,}])")


def _is_of_lighteval(content: Content) -> bool:
    if content.head.startswith(b"PAR1"):
        return _column(content) is not None
    if b'"config_general"' not in content.head or not {"config_general", "results"} <= content.keys:
        return False
    return not content.keys.isdisjoint(("summary_tasks", "config_tasks", "versions"))


def _unit(path: str) -> str:
    """Return the folder of the model and the date: details name the task, and results beside them the model."""
    date = _DATE.findall(path)
    folders = [part for part in Path(path).parent.parts if not date or part.replace(":", "-") != _plain(date[-1])]
    kinds = [place for place, part in enumerate(folders) if part in ("details", "results")]
    if kinds:
        del folders[kinds[-1]]
    return "/".join([*folders, _plain(date[-1]) if date else Path(path).name])


def _plain(date: str) -> str:
    return date.replace(":", "-")


def _read_lighteval(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield means of all tasks, without those of several tasks; and details."""
    given = [content for content in contents if not content.head.startswith(b"PAR1")]
    evaluation = _Evaluation.of(given[-1], mapping(given[-1].value())) if given else _Evaluation.of(contents[0], {})
    for name in mapping(evaluation.given.get("results")):
        if name != "all" and ":_average" not in name:
            yield from evaluation.runs(name, evaluation.means(name), {})
    for content in contents:
        if content not in given:
            yield from _details(content, evaluation)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """A file of results with all its tasks; or, if it is missing, the folder of the details."""

    run: Run
    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Content, given: Mapping[str, Any]) -> "_Evaluation":
        """Take the file of results, or the names of the folders for that of the model, as lighteval writes them."""
        general = mapping(given.get("config_general"))
        model = mapping(general.get("model_config"))
        folder = content.path.resolve().parent
        folder = folder.parent if not given and _DATE.fullmatch(folder.name) else folder
        named = (
            text(model.get("model_name")) or text(general.get("model_name")) or f"{folder.parent.name}/{folder.name}"
        )
        said = {**model, **mapping(model.get("generation_parameters"))}
        for name in ("model_sha", "model_dtype"):
            said.setdefault(name, general.get(name))
        settings = {name: value for name, value in short_settings(said, _NO_SETTINGS).items() if value}
        date = _DATE.search(content.path.name)
        most = number(general.get("max_samples"))
        notes = () if most is None else (f"lighteval ran only {most:,.0f} samples of each task (--max-samples)",)
        made = _plain(date[0]) if date else ""
        return cls(Run(content.name, named, "", "", made=made, settings=settings, notes=notes), given)

    def _config(self, name: str) -> Mapping[str, Any]:
        tasks = mapping(self.given.get("config_tasks"))
        return mapping(tasks.get(name, tasks.get(name.rpartition("|")[0])))

    def means(self, name: str) -> dict[str, float]:
        """Return what the file of results has for a task."""
        row = mapping(mapping(self.given.get("results")).get(name)).items()
        found = ((metric, number(value)) for metric, value in row if not metric.endswith("_stderr"))
        return {metric: value for metric, value in found if value is not None}

    def runs(self, name: str, means: Mapping[str, float], samples: Mapping[str, Samples]) -> Iterator[Run]:
        """Yield one run a metric, in the order of the configuration of the task."""
        task, suite, shots = _parts(name)
        config = self._config(name)
        version = number(mapping(self.given.get("versions")).get(name, config.get("version")))
        told = {"n-shot": shots, "suite": suite, "version": "" if version is None else f"{version:g}"}
        run = replace(self.run, task=task, task_settings={key: value for key, value in told.items() if value})
        higher: dict[str, bool | None] = {}
        for one in map(mapping, listed(config.get("metrics") or config.get("metric"))):
            named, better = one.get("metric_name"), one.get("higher_is_better")
            for metric in map(text, named if isinstance(named, list) else [named]):
                said = better.get(metric) if isinstance(better, dict) else better
                higher[metric] = said if isinstance(said, bool) else None
        yield from each_metric(run, means, samples, order=[*means, *samples], first=higher, higher=higher)


def _parts(name: str) -> tuple[str, str, str]:
    """Return the task, suite and number of examples.

    >>> _parts("leaderboard|arc:challenge|25|0"), _parts("gsm8k|5"), _parts("gsm8k:5")
    (('arc:challenge', 'leaderboard', '25'), ('gsm8k', '', '5'), ('gsm8k', '', '5'))
    """
    parts = name.split("|")
    if len(parts) >= 3:
        return parts[1], parts[0], parts[2]
    if len(parts) == 2:
        return parts[0], "", parts[1]
    task, _, shots = name.rpartition(":")
    return (task, "", shots) if task and shots.isdecimal() else (name, "", "")


def _column(content: Content) -> str | None:
    """Name of the column of metrics: "metric" since 0.10, "metrics" before; None if it is another table.

    Before 0.8 all columns are texts.
    """
    schema = content.schema
    if schema is None:
        return None
    structs = {column.name for column in schema if pa.types.is_struct(column.type)}
    if "full_prompt" in schema.names:
        structs |= {column.name for column in schema if pa.types.is_string(column.type)}
    if {"doc", "metric"} <= structs and schema.field("doc").type.get_field_index("id") >= 0:
        return "metric"
    return "metrics" if "metrics" in structs and {"example", "predictions"} <= set(schema.names) else None


def _details(content: Content, evaluation: _Evaluation) -> Iterator[Run]:
    """Yield scores of samples; metrics that are computed over all samples together have their mean alone."""
    newer = _column(content) == "metric"
    columns = ["metric", "doc.id", "doc.query", "doc.task_name"] if newer else ["metrics", "example"]
    table = content.parquet(columns)
    metrics = _by_metric(table.column(columns[0]))
    rows = [mapping(row) for row in table.column("doc").to_pylist()] if newer else []
    asked = [row.get("query") for row in rows] if newer else table.column("example").to_pylist()
    digests = [digest_of(text(one)) for one in asked]
    instances = [text(row.get("id")) for row in rows] if newer else digests
    named = _DETAILS.fullmatch(content.path.name)
    name = text(rows[0].get("task_name")) if rows else named["task"] if named else content.path.stem
    means, samples, left = evaluation.means(name), {}, []
    for metric, column in metrics.items():
        kind, scores, mean = column.type, Repeated(), means.get(metric)
        numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
        for instance, score, digest in zip(instances, column.to_pylist(), digests, strict=True) if numeric else ():
            scores.add(instance, score, digest=digest)
        found = scores.samples()
        if numeric and (mean is None or found.agree(mean, rel_tol=1e-6)):
            samples[metric] = found
        else:
            left.append(metric)
    note = About("scored only as a whole, since lighteval computes it over all samples", f"{name} by {few(left, 2)}")
    for run in evaluation.runs(name, means, samples):
        if run.samples is not None:
            yield replace(run, where=content.name, notes=(*run.notes, note) if left else run.notes)


def _by_metric(column: Any) -> dict[str, Any]:
    """Return values of samples by metric."""
    if pa.types.is_struct(column.type):
        names = [part.name for part in column.type]
        return dict(zip(names, column.combine_chunks().flatten(), strict=True))
    rows = [dict(_SHOWN.findall(words or "")) for words in column.to_pylist()]
    known = {"True": 1.0, "False": 0.0, "None": math.nan}
    return {
        name: pa.array([known[value] if (value := row.get(name, "None")) in known else float(value) for row in rows])
        for name in dict.fromkeys(name for row in rows for name in row)
    }


#: Metrics in the order in which OpenCompass takes the first for its summary.
_FIRST = (
    *("score", "auc_score", "accuracy", "humaneval_pass@1", "rouge1", "avg_toxicity_score", "bleurt_diff"),
    *("matthews_correlation", "truth", "f1", "exact_match", "extract_rate"),
)

#: What OpenCompass writes beside metrics.
_NO_METRICS = frozenset(("bp", "sys_len", "ref_len", "type", "details", "error"))

#: Whether an answer is right, by the evaluator.
_RIGHT = ("correct", "is_correct", "cascade_correct")

#: The folder of a run, named by its time.
_TIME = re.compile(r"\d{8}_\d{6}")

#: What stands behind metrics of several runs.
_RUNS = re.compile(r" \(\d+ runs average\)$")

#: The first columns of a summary; the others are models.
_SUMMARY = ["dataset", "version", "metric", "mode"]

#: Names of means of all data sets.
_MEAN = re.compile(r"average|overall|\bavg\b|\ball\b")

#: What a summary calls means of several data sets.
_MEANS = ("naive_average", "weighted_average", "harmonic_mean", "standard_deviation", "sum")


def _is_of_open_compass(content: Content) -> bool:
    """Return whether these are results, in results/<model>/<data set>.json, which hold scores, and mostly details.

    A summary holds the same once more, rounded, and counts only without them.
    """
    if content.head.startswith(",".join(_SUMMARY).encode()):
        return not (content.path.resolve().parent.parent / "results").is_dir()
    parts = content.path.parts if len(content.path.parts) >= 4 else content.path.resolve().parts
    if len(parts) < 4 or parts[-3] != "results" or not content.keys:
        return False
    if not content.keys.isdisjoint(("config_general", "task_name", "mteb_version", "configs", "versions", "results")):
        return False
    given = mapping(content.json)
    return bool(_metrics(given)) and (_has_details(given.get("details")) or bool(_TIME.fullmatch(parts[-4])))


def _has_details(details: Any) -> bool:
    if isinstance(details, dict):
        return details.get("type") in ("GEN", "PPL") or isinstance(details.get("0"), dict)
    first = mapping(next(iter(listed(details)), None))
    return "example_abbr" in first or not first.keys().isdisjoint(_RIGHT)


def _read_open_compass(content: Content) -> Iterator[Run]:
    if content.head.startswith(b"dataset,"):
        yield from _summary(content)
        return
    given = mapping(content.value())
    means, samples = _metrics(given), _samples(given.get("details"))
    folders = content.path.resolve().parts
    made = next((part for part in folders[::-1] if _TIME.fullmatch(part)), "")
    alike = {name: samples for name, mean in means.items() if samples is not None and samples.agree(mean)}
    yield from each_metric(Run(content.name, folders[-2], content.path.stem, "", made=made), means, alike, order=means)


def _summary(content: Content) -> Iterator[Run]:
    """Yield a run for every model and data set of a summary, without means of several data sets."""
    rows = content.rows()
    time = _TIME.search(content.path.name)
    left = _parents(rows)
    notes = (with_names("left out, since they are means of others: ", sorted(left), room=LONG),) if left else ()
    for row in rows:
        if row.get("dataset") in left or not row.get("dataset"):
            continue
        made, asked = time[0] if time else "", words(row, {"version": "version", "mode": "mode"})
        run = Run(content.name, "", row["dataset"], row.get("metric") or "score", made=made, task_settings=asked)
        for model, given in row.items():
            score = None if not model or model in _SUMMARY else written_number(given)  # "-" is a missing one
            if score is not None:
                yield replace(run, system=model, mean=score, notes=notes)


def _parents(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return groups of data sets, without a version, beside one that has their name in its own."""
    names = {text(row.get("dataset")).lower() for row in rows}
    found = set()
    for row in rows:
        name = text(row.get("dataset"))
        stem = name.lower().partition("-")[0]
        is_group = row.get("version") == "-" and row.get("metric") != "-"
        if row.get("metric") in _MEANS or is_group:
            inside = any(stem in other and other != name.lower() for other in names)
            found |= {name} if inside or _MEAN.search(name.lower()) else set()
    return found


def _metrics(given: Mapping[str, Any]) -> dict[str, float]:
    """Return scores by metric, the main one first; those of several data sets are left out beside that of all."""
    found = {name: number(value) for name, value in given.items() if name not in _NO_METRICS}
    scores = {name: value for name, value in found.items() if value is not None}
    order = [name for name in scores if "/" not in name or name.rpartition("/")[2] not in scores]
    first = {name: place for place, name in enumerate(_FIRST)}
    order.sort(key=lambda name: first.get(_RUNS.sub("", name), len(first)))
    return {name: scores[name] for name in order}


def _samples(details: Any) -> Samples | None:
    """Return scores in percent, as OpenCompass has them; None if answers were dumped without saying which are right."""
    rows = details.items() if isinstance(details, dict) else enumerate(listed(details))
    scores = Repeated()
    for place, row in rows:
        if isinstance(details, dict) and not isinstance(row, dict):
            continue
        name = place if isinstance(details, dict) else text(mapping(row).get("example_abbr")) or str(place)
        flags = next((row[key] for key in _RIGHT if mapping(row).get(key) is not None), None)
        for repeat, flag in enumerate(flags if isinstance(flags, list) else [flags], start=1):
            value = number(flag)
            scores.add(name, None if value is None else 100 * value, repeat=repeat)
    found = scores.samples()
    return None if np.isnan(found.scores).all() else found


TOOLS = (
    Tool("lighteval", "lighteval", _is_of_lighteval, _read_lighteval, unit=_unit),
    Tool("opencompass", "OpenCompass", _is_of_open_compass, _read_open_compass),
)
