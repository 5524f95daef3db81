"""HELM: run folders, with statistics of every instance or of the whole run, and tables of its leaderboards."""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About
from podium.source.tool.content import Content, listed, mapping, number, parsed, text
from podium.source.tool.run import Floats, Run, Samples, Tool, labels

#: How the files begin: of instances, and of a whole run.
_INSTANCES = re.compile(rb'\[\s*\{\s*"instance_id"\s*:')
_STATS = re.compile(rb'\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:')

#: The statistics of an instance; in HELM's files for its pages they are an object.
_LISTED = re.compile(rb'"stats"\s*:\s*\[')

#: Keys of the specification of a run.
_SPEC = frozenset(("name", "scenario_spec", "adapter_spec", "metric_specs"))

#: Metrics that a scenario has for its own sake, the first first: where no schema names the main one.
_OWN = (
    *("math_equiv_chain_of_thought", "math_equiv", "final_number_exact_match", "ifeval_strict_accuracy"),
    *("omni_math_accuracy", "wildbench_score_rescaled", "chain_of_thought_correctness", "safety_score"),
    *("bbq_accuracy", "RR@10", "NDCG@10", "bleu_4", "rouge_2", "rouge_l", "f1_set_match", "f1_score"),
)

#: Metrics that most scenarios have, for answers that are chosen, and for answers that are written.
_COMMON = ("exact_match", "quasi_exact_match"), ("quasi_exact_match", "exact_match")

#: What is counted of every run, and is no score, where no schema says which metrics have an order.
_COUNTED = re.compile(
    r"num_.*|max_num_.*|finish_reason_.*|estimated_.*|training_.*|inference_.*|batch_size|prompt_truncated|max_prob"
    r"|logprob|logprob_per_byte|.*_cost|predicted_index"
)

#: Of a metric that HELM does not average over instances alike, such as one measured once a reference.
_UNLIKE = "HELM's own mean is another, since it weighs instances or leaves some out"

#: Columns that say what an answer took, and what HELM calls these.
_TOOK = {
    "seconds": ("inference_runtime",),
    "input_tokens": ("num_prompt_tokens",),
    "output_tokens": ("num_completion_tokens", "num_output_tokens"),
}

#: Parts of the name of a run that HELM adds for some models, behind the model: they make no other task.
_OF_MODELS = frozenset(
    (
        *("stop", "add_to_stop", "global_prefix", "prompt", "instructions", "newline", "format_prompt", "chatml"),
        *("follow_format_instructions", "output_format_instructions", "increase_max_tokens", "temperature"),
        *("increase_temperature", "process_output", "tokenizer", "anthropic", "claude_3", "amazon-nova"),
    )
)

#: How the files begin: tables of a group, or one table.
_TABLES = re.compile(rb'(\[\s*)?\{\s*"title"\s*:')

#: Name of the first column.
_MODELS = ("Model", "Model/adapter")

#: The table whose metrics are the main ones.
_MAIN = "Accuracy"

#: What is in the name of a table of a part of the split.
_PART = ":sub_split="


def _takes(content: Content) -> bool:
    head = content.head
    if _INSTANCES.match(head):
        return b'"train_trial_index"' in head and bool(_LISTED.search(head))
    if _STATS.match(head):
        return b'"count"' in head and b'"sum_squared"' in head
    return head[:1] == b"{" and b'"adapter_spec"' in head and content.keys >= _SPEC


def _unit(path: str) -> str:
    return str(Path(path).parent)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    by_kind = {_kind(content): content for content in contents}
    if set(by_kind) == {"spec"}:
        return  # a run that has not ended has no statistics yet
    yield from _Folder(by_kind).runs()


TOOL = Tool("helm", "HELM", _takes, _unit, _read)


def _kind(content: Content) -> str:
    return "instances" if _INSTANCES.match(content.head) else "stats" if _STATS.match(content.head) else "spec"


@dataclass(frozen=True)
class _Folder:
    """One run: of one model on one scenario."""

    contents: Mapping[str, Content]

    @cached_property
    def first(self) -> Content:
        """The file that is named in errors."""
        return next(self.contents[kind] for kind in ("instances", "stats") if kind in self.contents)

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        """The specification of the run, or what the name of the folder says of it."""
        found = mapping(self.contents["spec"].value()) if "spec" in self.contents else {}
        return found if text(found.get("name")) else {**found, "name": self.first.path.resolve().parent.name}

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """What HELM says of metrics and groups, beside the runs of a suite; empty where it was not summarised."""
        path = self.first.path.resolve().parent.parent / "schema.json"
        return mapping(parsed(path.read_bytes(), str(path))) if path.is_file() else {}

    @cached_property
    def main(self) -> tuple[str, str]:
        """Name of the main metric and its split, as the schema has them for the first group of the run; else empty."""
        groups = {text(mapping(one).get("name")): mapping(one) for one in listed(self.schema.get("run_groups"))}
        for name in listed(self.spec.get("groups")):
            told = mapping(groups.get(text(name), {}).get("environment"))
            if text(told.get("main_name")):
                return text(told.get("main_name")), text(told.get("main_split"))
        return "", ""

    @cached_property
    def directions(self) -> Mapping[str, Any]:
        """By metric, whether lower is better; None where more is neither better nor worse."""
        metrics = [mapping(one) for one in listed(self.schema.get("metrics"))]
        return {text(one.get("name")): one.get("lower_is_better") for one in metrics}

    def runs(self) -> Iterator[Run]:
        """One run a metric, of the instances as they were given: those with typing errors and the like are left out."""
        tables = _tables(self.contents["instances"]) if "instances" in self.contents else {}
        tables = {key: table for key, table in tables.items() if any(count for _, count in table.values())}
        means = _means(self.contents["stats"]) if "stats" in self.contents else {}
        split = self._split([split for _, split in (*tables, *means)])
        took = {
            column: tables[name, split] for column, names in _TOOK.items() for name in names if (name, split) in tables
        }
        digests = self._digests() if tables else {}
        metrics = self._ordered(dict.fromkeys(name for name, at in (*tables, *means) if at == split))
        run = self._run(
            split, max((len(tables[name, split]) for name in metrics if (name, split) in tables), default=0)
        )
        for place, metric in enumerate(metrics):
            table, mean = tables.get((metric, split)), means.get((metric, split))
            samples = None if table is None else _samples(table, digests, took)
            lower = self.directions.get(metric)
            told = () if samples is None or mean is None or _agree(samples, mean) else (About(_UNLIKE, metric),)
            yield replace(
                run,
                metric=metric,
                mean=mean,
                samples=samples,
                higher_is_better=not lower if isinstance(lower, bool) else None,
                place=place,
                notes=(*run.notes, *told),
            )

    def _split(self, found: Sequence[str]) -> str:
        known = (self.main[1], "test", "valid")
        return next((split for split in known if split in found), found[0] if found else "")

    def _ordered(self, found: Mapping[str, Any]) -> list[str]:
        """Metrics that are scores, the main one first."""
        ordered = [name for name in found if not self.directions or isinstance(self.directions.get(name), bool)]
        scores = [name for name in found if name == self.main[0] or (name in ordered and not _COUNTED.fullmatch(name))]
        chosen = text(mapping(self.spec.get("adapter_spec")).get("method")).startswith("multiple_choice")
        first = (self.main[0], *_OWN, *_COMMON[0 if chosen else 1])
        return sorted(scores, key=lambda name: first.index(name) if name in first else len(first))

    def _run(self, split: str, instances: int) -> Run:
        adapter = mapping(self.spec.get("adapter_spec"))
        scenario, behind = _named(text(self.spec.get("name")))
        system = text(adapter.get("model")) or text(adapter.get("model_deployment")) or behind.pop("model", "")
        if not system:
            raise InputError(
                f"{self.first.name}: neither run_spec.json nor the name of the folder names the model; "
                "copy run_spec.json beside it"
            )
        deployment = text(adapter.get("model_deployment")) or behind.get("model_deployment", "")
        told = {"deployment": deployment} if deployment else {}
        told |= {name: value for name, value in behind.items() if name in _OF_MODELS}
        asked = {"split": split} if split else {}
        shots = text(adapter.get("max_train_instances"))
        asked |= {"shots": shots} if shots else {}
        others = {"model", "model_deployment", "max_train_instances", "eval_split"} | _OF_MODELS
        asked |= {name: value for name, value in behind.items() if name not in others}
        most = number(adapter.get("max_eval_instances"))
        limited = most is not None and instances == most
        notes = (f"HELM ran at most {most:,.0f} instances of a scenario (--max-eval-instances)",) if limited else ()
        return Run(self.first.name, system, scenario, "", settings=told, task_settings=asked, notes=notes)

    def _digests(self) -> dict[str, str]:
        """By instance, what tells whether another run was given the same; none where instances.json is missing."""
        path = self.first.path.parent / "instances.json"
        found = listed(parsed(path.read_bytes(), str(path))) if path.is_file() else []
        return {text(one.get("id")): _digest(one) for one in map(mapping, found) if not one.get("perturbation")}


def _digest(instance: Mapping[str, Any]) -> str:
    """Digest of the texts; of pictures and sounds only their place is known, which may differ between machines."""
    texts = [mapping(instance.get("input")).get("text")]
    texts += [mapping(mapping(one).get("output")).get("text") for one in listed(instance.get("references"))]
    given = json.dumps(texts)
    return hashlib.blake2b(given.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def _named(name: str) -> tuple[str, dict[str, str]]:
    """Task of a run, from its name, and the parts that stand behind the model there, with the model.

    >>> _named("mmlu:subject=law,method=joint,model=openai_gpt2,stop=hash")
    ('mmlu:subject=law,method=joint', {'model': 'openai/gpt2', 'stop': 'hash'})
    """
    before, found, after = re.split(r"([:,]model=|-model=|$)", name, maxsplit=1)
    parts = f"model={after}".split(",") if found else []
    behind = {key: value for key, is_given, value in (part.partition("=") for part in parts) if is_given}
    if "model" in behind:
        behind["model"] = behind["model"].replace("_", "/", 1)
    return before, behind


#: By instance and trial, sum and count of a metric.
_Table = dict[tuple[str, int], tuple[float, float]]


def _tables(content: Content) -> dict[tuple[str, str], _Table]:
    """By metric and split, what each instance and trial has; perturbed instances are other instances."""
    tables: dict[tuple[str, str], _Table] = {}
    for one in map(mapping, listed(content.value())):
        instance, trial = text(one.get("instance_id")), number(one.get("train_trial_index"))
        if one.get("perturbation") or not instance:
            continue
        for stat in map(mapping, listed(one.get("stats"))):
            name, split = _metric(stat)
            total, count = number(stat.get("sum")), number(stat.get("count"))
            if name and total is not None and count is not None:
                table = tables.setdefault((name, split), {})
                before = table.get((instance, int(trial or 0)), (0.0, 0.0))
                table[instance, int(trial or 0)] = before[0] + total, before[1] + count
    return tables


def _means(content: Content) -> dict[tuple[str, str], float]:
    """By metric and split, means of the whole run; none where it has several, such as one a part of the split."""
    found: dict[tuple[str, str], list[float]] = {}
    for stat in map(mapping, listed(content.value())):
        mean = number(stat.get("mean"))
        name, split = _metric(stat)
        if name and mean is not None:
            found.setdefault((name, split), []).append(mean)
    return {key: means[0] for key, means in found.items() if len(means) == 1}


def _metric(stat: Mapping[str, Any]) -> tuple[str, str]:
    """Name and split; empty for what was measured on perturbed instances."""
    name = mapping(stat.get("name"))
    return ("", "") if name.get("perturbation") else (text(name.get("name")), text(name.get("split")))


def _samples(table: _Table, digests: Mapping[str, str], took: Mapping[str, _Table]) -> Samples:
    """Means of instances."""
    trials = np.array([trial for _, trial in table], dtype=np.int64)
    instances = [instance for instance, _ in table]
    return Samples(
        labels(instances),
        _column(list(table), table),
        repeats=trials if (trials != 0).any() else None,
        digests=labels([digests.get(instance, "") for instance in instances]) if digests else None,
        covariates={column: _column(list(table), other) for column, other in took.items()},
    )


def _column(keys: Sequence[tuple[str, int]], table: _Table) -> Floats:
    found = (table.get(key, (0.0, 0.0)) for key in keys)
    return np.array([total / count if count else np.nan for total, count in found], dtype=np.float64)


def _agree(samples: Samples, mean: float) -> bool:
    """Whether the mean of all trials is that of the run."""
    own = float(np.nanmean(samples.scores))
    return math.isclose(own, mean, rel_tol=1e-9, abs_tol=1e-12)


def _is_table(content: Content) -> bool:
    """Tables beside the runs that they are made of do not count."""
    if not _TABLES.match(content.head) or b'"header"' not in content.head:
        return False
    return any(_columns(table) for table in _each_table(content.json)) and not _has_runs(_groups(content.path))


def _groups(path: Path) -> Path:
    """The folder of the tables; one of its folders holds each table by itself once more."""
    return path.parent.parent if path.parent.name == "json" else path.parent


def _has_runs(groups: Path) -> bool:
    return any(True for _ in groups.resolve().parent.glob("*/run_spec.json"))


def _unit_of_tables(path: str) -> str:
    """The folder: a scenario of one file may be part of a group in another."""
    return str(_groups(Path(path)))


def _read_tables(contents: Sequence[Content]) -> Iterator[Run]:
    """Scores of scenarios by metric; groups of scenarios do not stand beside these."""
    whole = [content for content in contents if content.head[:1] == b"["] or contents
    cells = sorted((cell for content in whole for cell in _cells(content)), key=lambda cell: not cell.main)
    parents = {cell.group for cell in cells if cell.task != cell.group}
    tasks: dict[str, list[str]] = {}
    done: set[tuple[str, str, str]] = set()
    for cell in cells:
        metrics = tasks.setdefault(cell.task, [])
        metrics += [] if cell.metric in metrics else [cell.metric]
        key = cell.system, cell.task, cell.metric
        if cell.task not in parents and key not in done:
            done.add(key)
            yield Run(
                cell.where,
                cell.system,
                cell.task,
                cell.metric,
                cell.score,
                higher_is_better=not cell.lower,
                place=metrics.index(cell.metric),
            )


TABLES = Tool("helm-tables", "tables of HELM", _is_table, _unit_of_tables, _read_tables)


@dataclass(frozen=True, slots=True)
class _Cell:
    """One score."""

    where: str
    system: str
    group: str
    task: str
    metric: str
    score: float
    lower: bool
    main: bool


def _each_table(given: Any) -> list[Mapping[str, Any]]:
    return [mapping(table) for table in (given if isinstance(given, list) else [given])]


def _columns(table: Mapping[str, Any]) -> dict[int, tuple[str, str, bool]]:
    """Group, metric, and whether lower is better, of columns that are scores: no win rates or means of others."""
    header = [mapping(cell) for cell in listed(table.get("header"))]
    if not header or text(header[0].get("value")) not in _MODELS:
        return {}
    found = {}
    for place, cell in enumerate(header):
        told, lower = mapping(cell.get("metadata")), cell.get("lower_is_better")
        group, metric, changed = (text(told.get(name)) for name in ("run_group", "metric", "perturbation"))
        if group and metric and isinstance(lower, bool):
            found[place] = group, f"{metric} ({changed})" if changed else metric, lower
    return found


def _cells(content: Content) -> Iterator[_Cell]:
    """Scores of a file; of tables with the same columns the first is of the group, and the others of its scenarios."""
    tables = [table for table in _each_table(content.value()) if _PART not in text(table.get("name"))]
    for columns, alike in groupby(tables, _columns):
        together = list(alike)
        for table in together[1:] or together:
            title = text(table.get("title"))
            for row in map(listed, listed(table.get("rows"))):
                system = text(mapping(row[0]).get("value")) if row else ""
                for place, (group, metric, lower) in columns.items():
                    score = number(mapping(row[place]).get("value")) if place < len(row) else None
                    apart = title if title.startswith(group) else f"{group} {title}"
                    task = apart if len(together) > 1 else group
                    if system and score is not None:
                        yield _Cell(content.name, system, group, task, metric, score, lower, title == _MAIN)


TOOLS = (TOOL, TABLES)
