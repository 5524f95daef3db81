"""Results of lighteval: aggregates, and details of every sample."""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, few
from podium.source.tool.content import Content, listed, mapping, number, text
from podium.source.tool.run import Floats, Run, Samples, Tool, labels

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

#: Letters of a setting that can stand in a name.
_LONGEST = 60


def _takes(content: Content) -> bool:
    if content.head.startswith(b"PAR1"):
        return _layout(content) is not None
    if b'"config_general"' not in content.head or not {"config_general", "results"} <= content.keys:
        return False
    return not content.keys.isdisjoint(("summary_tasks", "config_tasks", "versions"))


def _unit(path: str) -> str:
    """The folder of the model and the date: details name the task, but only the results beside them name the model."""
    date = _DATE.findall(path)
    folders = [part for part in Path(path).parent.parts if not date or part.replace(":", "-") != _plain(date[-1])]
    kinds = [place for place, part in enumerate(folders) if part in ("details", "results")]
    if kinds:
        del folders[kinds[-1]]
    return "/".join([*folders, _plain(date[-1]) if date else Path(path).name])


def _plain(date: str) -> str:
    return date.replace(":", "-")


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    given = [content for content in contents if not content.head.startswith(b"PAR1")]
    evaluation = _Evaluation.of(given[-1]) if given else _Evaluation.unknown(contents[0])
    yield from evaluation.aggregates()
    for content in contents:
        if content not in given:
            yield from _details(content, evaluation)


TOOL = Tool("lighteval", "lighteval", _takes, _unit, _read)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """What a file of results says of all its tasks; or, where it is missing, what the folder of the details says."""

    where: str
    system: str
    made: str
    settings: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, content: Content) -> "_Evaluation":
        """Take the file of results."""
        given = mapping(content.value())
        general = mapping(given.get("config_general"))
        model = mapping(general.get("model_config"))
        folder = content.path.resolve().parent
        named = text(model.get("model_name")) or text(general.get("model_name"))
        said = {**model, **mapping(model.get("generation_parameters"))}
        for name in ("model_sha", "model_dtype"):
            said.setdefault(name, general.get(name))
        settings = {name: str(value) for name, value in said.items() if name not in _NO_SETTINGS and _is_short(value)}
        return cls(content.name, named or f"{folder.parent.name}/{folder.name}", _made(content.path), settings, given)

    @classmethod
    def unknown(cls, content: Content) -> "_Evaluation":
        """Take the names of the folders for that of the model, as lighteval writes them."""
        folder = content.path.resolve().parent
        folder = folder.parent if _DATE.fullmatch(folder.name) else folder
        return cls(content.name, f"{folder.parent.name}/{folder.name}", _made(content.path))

    def of_task(self, name: str) -> Run:
        """A run on a task, with what is the same for all its metrics."""
        task, suite, shots = _parts(name)
        version = number(mapping(self.given.get("versions")).get(name, self._config(name).get("version")))
        told = {"n-shot": shots} if shots else {}
        told |= {"suite": suite} if suite else {}
        told |= {"version": f"{version:g}"} if version is not None else {}
        most = number(mapping(self.given.get("config_general")).get("max_samples"))
        notes = () if most is None else (f"lighteval ran only {most:,.0f} samples of each task (--max-samples)",)
        return Run(
            self.where, self.system, task, "", made=self.made, settings=self.settings, task_settings=told, notes=notes
        )

    def _config(self, name: str) -> Mapping[str, Any]:
        tasks = mapping(self.given.get("config_tasks"))
        return mapping(tasks.get(name, tasks.get(name.rpartition("|")[0])))

    def metrics(self, name: str) -> dict[str, bool | None]:
        """Metrics of a task in the order of its configuration, and whether more is better."""
        config = self._config(name)
        found: dict[str, bool | None] = {}
        for one in map(mapping, listed(config.get("metrics") or config.get("metric"))):
            named, higher = one.get("metric_name"), one.get("higher_is_better")
            for metric in map(text, named if isinstance(named, list) else [named]):
                said = higher.get(metric) if isinstance(higher, dict) else higher
                found[metric] = said if isinstance(said, bool) else None
        return found

    def means(self, name: str) -> dict[str, float]:
        """What the file of results has for a task."""
        row = mapping(mapping(self.given.get("results")).get(name)).items()
        found = ((metric, number(value)) for metric, value in row if not metric.endswith("_stderr"))
        return {metric: value for metric, value in found if value is not None}

    def aggregates(self) -> Iterator[Run]:
        """Means of all tasks, without those of several tasks."""
        for name in mapping(self.given.get("results")):
            if name != "all" and ":_average" not in name:
                yield from self.runs(name, self.means(name), {})

    def runs(self, name: str, means: Mapping[str, float], samples: Mapping[str, Samples]) -> Iterator[Run]:
        """One run a metric."""
        known = self.metrics(name)
        found = dict.fromkeys([*means, *samples])
        order = [*(metric for metric in known if metric in found), *(one for one in found if one not in known)]
        run = self.of_task(name)
        for place, metric in enumerate(order):
            yield replace(
                run,
                metric=metric,
                mean=means.get(metric),
                samples=samples.get(metric),
                higher_is_better=known.get(metric),
                place=place,
            )


def _made(path: Path) -> str:
    date = _DATE.search(path.name)
    return _plain(date[0]) if date else ""


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and 0 < len(str(value)) <= _LONGEST


def _parts(name: str) -> tuple[str, str, str]:
    """Task, suite and number of examples.

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


def _layout(content: Content) -> str | None:
    """Name of the column of metrics: "metric" since 0.10, "metrics" before; None if it is another table.

    Before 0.8 all columns are texts.
    """
    schema = content.schema
    if schema is None:
        return None
    import pyarrow as pa  # noqa: PLC0415  # only where there is a Parquet file

    structs = {column.name for column in schema if pa.types.is_struct(column.type)}
    if "full_prompt" in schema.names:
        structs |= {column.name for column in schema if pa.types.is_string(column.type)}
    if {"doc", "metric"} <= structs and schema.field("doc").type.get_field_index("id") >= 0:
        return "metric"
    return "metrics" if "metrics" in structs and {"example", "predictions"} <= set(schema.names) else None


def _details(content: Content, evaluation: _Evaluation) -> Iterator[Run]:
    """Scores of samples; metrics that are computed over all samples together have their mean alone."""
    import pyarrow as pa  # noqa: PLC0415  # only where there is a Parquet file
    from pyarrow import parquet  # noqa: PLC0415

    newer = _layout(content) == "metric"
    columns = ["metric", "doc.id", "doc.query", "doc.task_name"] if newer else ["metrics", "example"]
    try:
        table = parquet.ParquetFile(content.path).read(columns=columns)
        metrics = _by_metric(table.column(columns[0]))
        rows = [mapping(row) for row in table.column("doc").to_pylist()] if newer else []
        texts = [row.get("query") for row in rows] if newer else table.column("example").to_pylist()
    except (pa.ArrowException, OSError, KeyError) as error:
        raise InputError(f"{content.name} is damaged: {str(error).partition(chr(10))[0]}; copy it again") from error
    digests = [_digest(text(one)) for one in texts]
    instances, repeats = _numbered([text(row.get("id")) for row in rows] if newer else digests)
    name = text(rows[0].get("task_name")) if rows else _of_file(content)
    means, samples, left = evaluation.means(name), {}, []
    for metric, column in metrics.items():
        scores = _scores(column)
        if scores is None or not _agree(scores, means.get(metric)):
            left.append(metric)
            continue
        samples[metric] = Samples(labels(instances), scores, repeats=repeats, digests=labels(digests))
    note = About("scored only as a whole, since lighteval computes it over all samples", f"{name} by {few(left, 2)}")
    notes = (note,) if left else ()
    for run in evaluation.runs(name, means, samples):
        if run.samples is not None:
            yield replace(run, where=content.name, notes=(*run.notes, *notes))


def _by_metric(column: Any) -> dict[str, Any]:
    """Values of samples by metric."""
    import pyarrow as pa  # noqa: PLC0415  # only where there is a Parquet file

    if pa.types.is_struct(column.type):
        names = [part.name for part in column.type]
        return dict(zip(names, column.combine_chunks().flatten(), strict=True))
    rows = [dict(_SHOWN.findall(words or "")) for words in column.to_pylist()]
    known = {"True": 1.0, "False": 0.0, "None": math.nan}
    return {
        name: pa.array([known[value] if (value := row.get(name, "None")) in known else float(value) for row in rows])
        for name in dict.fromkeys(name for row in rows for name in row)
    }


def _digest(words: str) -> str:
    return hashlib.blake2b(words.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _of_file(content: Content) -> str:
    """Task in the name of a file of details before 0.10."""
    found = _DETAILS.fullmatch(content.path.name)
    return found["task"] if found else content.path.stem


def _numbered(names: Sequence[str]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]] | None]:
    """Names of instances, and which time each stands there."""
    times: dict[str, int] = {}
    repeats = np.zeros(len(names), dtype=np.int64)
    for place, name in enumerate(names):
        repeats[place] = times[name] = times.get(name, -1) + 1
    return list(names), repeats if repeats.any() else None


def _scores(column: Any) -> Floats | None:
    """Numbers or truths as numbers, NaN for none; None for other values, and where there are none at all."""
    import pyarrow as pa  # noqa: PLC0415  # only where there is a Parquet file

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return None
    return np.array([math.nan if value is None else float(value) for value in column.to_pylist()], dtype=np.float64)


def _agree(scores: Floats, mean: float | None) -> bool:
    """Whether the scores have the mean that lighteval gives, if it gives one."""
    there = scores[~np.isnan(scores)]
    return mean is None or (there.size > 0 and math.isclose(float(there.mean()), mean, rel_tol=1e-6, abs_tol=1e-9))


TOOLS = (TOOL,)
