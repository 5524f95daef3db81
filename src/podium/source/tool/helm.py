"""HELM: run folders, with statistics of every instance or of the whole run, and tables of its leaderboards."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About
from podium.source.tool.content import Content, at, digest_of, listed, mapping, number, parsed, text, words
from podium.source.tool.run import Floats, Run, Samples, Tool, each_metric, labels

#: How the files begin: of instances, and of a whole run.
_INSTANCES = re.compile(rb'\[\s*\{\s*"instance_id"\s*:')
_STATS = re.compile(rb'\[\s*\{\s*"name"\s*:\s*\{\s*"name"\s*:')

#: The statistics of an instance; in HELM's files for its pages they are an object.
_LISTED = re.compile(rb'"stats"\s*:\s*\[')

#: Keys of the specification of a run.
_SPEC = frozenset(("name", "scenario_spec", "adapter_spec", "metric_specs"))

#: Metrics that a scenario has for its own sake, the first first: if no schema names the main one.
_OWN = (
    *("math_equiv_chain_of_thought", "math_equiv", "final_number_exact_match", "ifeval_strict_accuracy"),
    *("omni_math_accuracy", "wildbench_score_rescaled", "chain_of_thought_correctness", "safety_score"),
    *("bbq_accuracy", "RR@10", "NDCG@10", "bleu_4", "rouge_2", "rouge_l", "f1_set_match", "f1_score"),
)

#: Metrics that most scenarios have, for answers that are chosen, and for answers that are written.
_COMMON = ("exact_match", "quasi_exact_match"), ("quasi_exact_match", "exact_match")

#: What is counted of every run, and is no score, if no schema says which metrics have an order.
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

#: Name of the first column of a table, the table whose metrics are the main ones, and what is in names of parts.
_MODELS, _MAIN, _PART = ("Model", "Model/adapter"), "Accuracy", ":sub_split="


def _recognises(content: Content) -> bool:
    head = content.head
    if _INSTANCES.match(head):
        return b'"train_trial_index"' in head and bool(_LISTED.search(head))
    if _STATS.match(head):
        return b'"count"' in head and b'"sum_squared"' in head
    return head[:1] == b"{" and b'"adapter_spec"' in head and content.keys >= _SPEC


def _folder(path: str) -> str:
    return str(Path(path).parent)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield runs of a folder: of one model on one scenario, one a metric.

    Instances count as they were given: those with typing errors and the like are left out.
    """
    files = {_kind(content): content for content in contents}
    if set(files) == {"spec"}:
        return  # a run that has not ended has no statistics yet
    first = files.get("instances") or files["stats"]
    spec = mapping(files["spec"].value()) if "spec" in files else {}
    spec = spec if text(spec.get("name")) else {**spec, "name": first.path.resolve().parent.name}
    schema = _Schema.of(first.path, spec)
    tables = _tables(files["instances"]) if "instances" in files else {}
    tables = {key: table for key, table in tables.items() if any(count for _, count in table.values())}
    means = _means(files["stats"]) if "stats" in files else {}
    splits = [split for _, split in (*tables, *means)]
    known = (schema.split, "test", "valid")
    split = next((one for one in known if one in splits), splits[0] if splits else "")
    took = {column: tables[name, split] for column, names in _TOOK.items() for name in names if (name, split) in tables}
    metrics = _ordered(dict.fromkeys(name for name, own in (*tables, *means) if own == split), schema, spec)
    digests = _digests(first.path.parent / "instances.json") if tables else {}
    samples = {name: _samples(tables[name, split], digests, took) for name in metrics if (name, split) in tables}
    run = _run(first, spec, split, max((one.scores.size for one in samples.values()), default=0))
    own = {name: means[name, split] for name in metrics if (name, split) in means}
    higher = {name: not lower for name, lower in schema.lower.items() if isinstance(lower, bool)}
    for one in each_metric(run, own, samples, order=metrics, higher=higher):
        alike = one.samples is None or one.mean is None or one.samples.agree(one.mean)
        yield one if alike else replace(one, notes=(*run.notes, About(_UNLIKE, one.metric)))


def _kind(content: Content) -> str:
    return "instances" if _INSTANCES.match(content.head) else "stats" if _STATS.match(content.head) else "spec"


class _Schema(NamedTuple):
    """Metrics as HELM names them beside the runs of a suite; nothing if the suite was not summarised.

    Attributes
    ----------
    main, split
        Name of the main metric and its split, for the first group of the run; else empty.
    lower
        By metric, whether lower is better; None if more is neither better nor worse.
    """

    main: str
    split: str
    lower: Mapping[str, Any]

    @classmethod
    def of(cls, path: Path, spec: Mapping[str, Any]) -> "_Schema":
        """Read the schema of the suite in which a file lies."""
        file = path.resolve().parent.parent / "schema.json"
        given = mapping(parsed(file.read_bytes(), str(file))) if file.is_file() else {}
        groups = {text(at(one, "name")): mapping(at(one, "environment")) for one in listed(given.get("run_groups"))}
        told = (groups.get(text(name), {}) for name in listed(spec.get("groups")))
        main = next((one for one in told if text(one.get("main_name"))), {})
        lower = {text(at(one, "name")): at(one, "lower_is_better") for one in listed(given.get("metrics"))}
        return cls(text(main.get("main_name")), text(main.get("main_split")), lower)


def _ordered(found: Mapping[str, Any], schema: _Schema, spec: Mapping[str, Any]) -> list[str]:
    """Return metrics that are scores, the main one first."""
    ordered = [name for name in found if not schema.lower or isinstance(schema.lower.get(name), bool)]
    scores = [name for name in found if name == schema.main or (name in ordered and not _COUNTED.fullmatch(name))]
    chosen = text(at(spec, "adapter_spec.method")).startswith("multiple_choice")
    first = (schema.main, *_OWN, *_COMMON[0 if chosen else 1])
    return sorted(scores, key=lambda name: first.index(name) if name in first else len(first))


def _run(first: Content, spec: Mapping[str, Any], split: str, instances: int) -> Run:
    """Return the run, without metric and scores."""
    adapter = mapping(spec.get("adapter_spec"))
    scenario, behind = _named(text(spec.get("name")))
    system = text(adapter.get("model")) or text(adapter.get("model_deployment")) or behind.pop("model", "")
    if not system:
        what = f"{first.name}: neither run_spec.json nor the name of the folder names the model"
        raise InputError(f"{what}; copy run_spec.json beside it")
    deployment = text(adapter.get("model_deployment")) or behind.get("model_deployment", "")
    told = {"deployment": deployment} if deployment else {}
    told |= {name: value for name, value in behind.items() if name in _OF_MODELS}
    asked = ({"split": split} if split else {}) | words(adapter, {"max_train_instances": "shots"})
    others = {"model", "model_deployment", "max_train_instances", "eval_split"} | _OF_MODELS
    asked |= {name: value for name, value in behind.items() if name not in others}
    most = number(adapter.get("max_eval_instances"))
    limited = (
        f"HELM ran at most {most:,.0f} instances of a scenario (--max-eval-instances)" if instances == most else ""
    )
    notes = (limited,) if limited else ()
    return Run(first.name, system, scenario, "", settings=told, task_settings=asked, notes=notes)


def _digests(path: Path) -> dict[str, str]:
    """Return by instance what tells whether another run was given the same; none if instances.json is missing.

    It is made of the texts; of pictures and sounds only their place is known, which may differ between machines.
    """
    found = {}
    for one in map(mapping, listed(parsed(path.read_bytes(), str(path))) if path.is_file() else ()):
        if not one.get("perturbation"):
            texts = [at(one, "input.text"), *(at(answer, "output.text") for answer in listed(one.get("references")))]
            found[text(one.get("id"))] = digest_of(json.dumps(texts))
    return found


def _named(name: str) -> tuple[str, dict[str, str]]:
    """Return the task of a run, from its name, and the parts that stand behind the model there, with the model.

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
    """Return by metric and split what each instance and trial has; perturbed instances are other instances."""
    tables: dict[tuple[str, str], _Table] = {}
    for one in map(mapping, listed(content.value())):
        instance, trial = text(one.get("instance_id")), int(number(one.get("train_trial_index")) or 0)
        if one.get("perturbation") or not instance:
            continue
        for stat in map(mapping, listed(one.get("stats"))):
            name, split = _metric(stat)
            total, count = number(stat.get("sum")), number(stat.get("count"))
            if name and total is not None and count is not None:
                table = tables.setdefault((name, split), {})
                before = table.get((instance, trial), (0.0, 0.0))
                table[instance, trial] = before[0] + total, before[1] + count
    return tables


def _means(content: Content) -> dict[tuple[str, str], float]:
    """Return by metric and split means of the whole run; none if it has several, such as one a part of the split."""
    found: dict[tuple[str, str], list[float]] = {}
    for stat in map(mapping, listed(content.value())):
        mean, key = number(stat.get("mean")), _metric(stat)
        if key[0] and mean is not None:
            found.setdefault(key, []).append(mean)
    return {key: means[0] for key, means in found.items() if len(means) == 1}


def _metric(stat: Mapping[str, Any]) -> tuple[str, str]:
    """Name and split; empty for what was measured on perturbed instances."""
    name = mapping(stat.get("name"))
    return ("", "") if name.get("perturbation") else (text(name.get("name")), text(name.get("split")))


def _samples(table: _Table, digests: Mapping[str, str], took: Mapping[str, _Table]) -> Samples:
    """Return means of instances."""
    trials = np.array([trial for _, trial in table], dtype=np.int64)
    instances = [instance for instance, _ in table]
    repeats = trials if (trials != 0).any() else None
    known = labels([digests.get(instance, "") for instance in instances]) if digests else None
    covariates = {column: _column(table, other) for column, other in took.items()}
    return Samples(labels(instances), _column(table, table), repeats, digests=known, covariates=covariates)


def _column(keys: Iterable[tuple[str, int]], table: _Table) -> Floats:
    found = (table.get(key, (0.0, 0.0)) for key in keys)
    return np.array([total / count if count else np.nan for total, count in found], dtype=np.float64)


def _is_table(content: Content) -> bool:
    """Return whether it is a table; one beside the runs that it is made of does not count."""
    if not _TABLES.match(content.head) or b'"header"' not in content.head:
        return False
    runs = Path(_tables_folder(content.name)).resolve().parent.glob("*/run_spec.json")
    return any(map(_columns, _each_table(content.json))) and not any(True for _ in runs)


def _tables_folder(path: str) -> str:
    """Return the folder, since a scenario of one file may be part of a group in another.

    One of its folders holds each table by itself once more.
    """
    folder = Path(path).parent
    return str(folder.parent if folder.name == "json" else folder)


def _read_tables(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield scores of scenarios by metric; groups of scenarios do not stand beside these."""
    whole = [content for content in contents if content.head[:1] == b"["] or contents
    cells = sorted((cell for content in whole for cell in _cells(content)), key=itemgetter(0))
    parents = {group for _, group, run in cells if run.task != group}
    metrics: dict[str, dict[str, int]] = {}
    done: set[tuple[str, str, str]] = set()
    for _, _, run in cells:
        of_task = metrics.setdefault(run.task, {})
        order = of_task.setdefault(run.metric, len(of_task))
        key = run.system, run.task, run.metric
        if run.task not in parents and key not in done:
            done.add(key)
            yield replace(run, metric_order=order)


def _each_table(given: Any) -> list[Mapping[str, Any]]:
    return [mapping(table) for table in (given if isinstance(given, list) else [given])]


def _columns(table: Mapping[str, Any]) -> dict[int, tuple[str, str, bool]]:
    """Return group, metric and whether lower is better of columns that are scores: no win rates or means of others."""
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


def _cells(content: Content) -> Iterator[tuple[bool, str, Run]]:
    """Yield scores of a file: whether by other than main metrics, the group, and the run.

    Of tables with the same columns the first is of the group, and the others are of its scenarios.
    """
    tables = [table for table in _each_table(content.value()) if _PART not in text(table.get("name"))]
    for columns, alike in groupby(tables, _columns):
        together = list(alike)
        for table in together[1:] or together:
            title = text(table.get("title"))
            for row in map(listed, listed(table.get("rows"))):
                system = text(at(row[0], "value")) if row else ""
                for place, (group, metric, lower) in columns.items():
                    score = number(at(row[place], "value")) if place < len(row) else None
                    apart = title if title.startswith(group) else f"{group} {title}"
                    task = apart if len(together) > 1 else group
                    if system and score is not None:
                        run = Run(content.name, system, task, metric, score, higher_is_better=not lower)
                        yield title != _MAIN, group, run


TOOLS = (
    Tool("helm", "HELM", _recognises, _read, unit=_folder),
    Tool("helm-tables", "tables of HELM", _is_table, _read_tables, unit=_tables_folder),
)
