"""Logs of OpenAI evals, lines of events whose matches and metrics are scores; and means of simple-evals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Repeated, Run, Tool, numbers

#: What a match is called in the final report.
_MATCH = "accuracy"

#: Beginnings of what the final report counts, which is no score.
_COUNTS = ("counts/", "invalid_", "num_", "total")

#: Tokens of a call.
_TOKENS = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}

#: What ends names of spreads and counts, which are no scores.
_ENDINGS = (":std", ":bootstrap_std", ":n_samples", ":min", ":max")

#: The main metric of an evaluation, the first first, and what is none.
_MAIN, _NO_SCORE = ("f1_score", "score"), frozenset(("chars",))

#: Evaluations whose names have an underscore, which otherwise ends the name.
_NAMES = ("healthbench_hard", "healthbench_consensus", "healthbench_meta")

#: The file that holds answers too, and marks of a short run and of its date.
_ALL, _DEBUG = "_allresults", "_DEBUG"
_DATE = re.compile(r"_(\d{8}_\d{6})$")


def _is_log(content: Content) -> bool:
    first = content.first_line
    return isinstance(first, dict) and isinstance(first.get("spec"), dict) and "eval_name" in first["spec"]


def _read_log(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        yield from _runs_of_log(content)


EVALS = Tool("openai-evals", "OpenAI evals", _is_log, str, _read_log)


def _runs_of_log(content: Content) -> Iterator[Run]:
    spec: Mapping[str, Any] = {}
    report: Mapping[str, Any] | None = None
    events: list[Mapping[str, Any]] = []
    lines, cut = content.records()
    notes = list(cut)
    for line in lines:
        if "spec" in line:
            spec = line["spec"]
        elif "final_report" in line:
            report = line["final_report"]
        elif line.get("type") in ("match", "metrics", "sampling", "error"):
            events.append(line)
    if report is None and not notes:
        notes.append(About("without a final report, so the run has not ended", content.path.name))
    notes += _said(content, spec, events)
    means = numbers(report or {}, {name: name for name in report or {}})
    found = _scores(events)
    whole = [name for name in means if not name.startswith(_COUNTS)] if not found else []
    for place, metric in enumerate([*found, *whole]):
        yield Run(
            content.name,
            _system(spec),
            str(spec["eval_name"]),
            metric,
            mean=means.get(metric),
            samples=found[metric].samples() if metric in found else None,
            place=place,
            made=str(spec.get("created_at", "")),
            ended=report is not None,
            notes=tuple(notes),
        )


def _scores(events: Sequence[Mapping[str, Any]]) -> dict[str, Repeated]:
    """Scores by metric, of samples in the order of their labels; a sample with several matches has repeats."""
    tokens = _tokens(events)
    found: dict[str, Repeated] = {}
    for event in sorted(events, key=lambda event: (str(event.get("sample_id")), event.get("event_id") or 0)):
        sample, data = event.get("sample_id"), event.get("data") or {}
        if event["type"] == "match":
            found.setdefault(_MATCH, Repeated()).add(sample, data["correct"], tokens.get(sample))
        elif event["type"] == "metrics":
            for name, value in data.items():
                if isinstance(value, int | float):
                    found.setdefault(name, Repeated()).add(sample, value, tokens.get(sample))
    return found


def _tokens(events: Sequence[Mapping[str, Any]]) -> dict[Any, dict[str, float]]:
    """Tokens of all calls of each sample, where they were logged."""
    found: dict[Any, dict[str, float]] = {}
    for event in events:
        usage = (event.get("data") or {}).get("usage") if event["type"] == "sampling" else None
        if isinstance(usage, dict):
            total = found.setdefault(event.get("sample_id"), {})
            for name, value in numbers(usage, _TOKENS).items():
                total[name] = total.get(name, 0.0) + value
    return found


def _system(spec: Mapping[str, Any]) -> str:
    """What was evaluated: completion functions, or the model of early logs."""
    named = spec.get("completion_fns") or spec.get("model_name") or "model"
    return ", ".join(str(name) for name in named) if isinstance(named, list) else str(named)


def _said(content: Content, spec: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    limit = (spec.get("run_config") or {}).get("max_samples")
    if limit is not None:
        yield About("only some samples were run (max_samples)", f"{content.path.name} ({str(limit)[:20]})")
    if errors := sum(1 for event in events if event["type"] == "error"):
        yield About("samples that ended in an error are missing", f"{content.path.name} ({errors:,})")


def _is_of_simple_evals(content: Content) -> bool:
    if content.has(metrics=dict, htmls=list, convos=list):
        return True
    if not any(name.endswith(_ENDINGS[:2]) for name in content.keys):
        return False
    given = content.json
    return isinstance(given, dict) and all(value is None or isinstance(value, int | float) for value in given.values())


def _unit(path: str) -> str:
    """The path without what tells the two files of one run apart."""
    return str(Path(path).with_suffix("")).removesuffix(_ALL)


def _read_simple_evals(contents: Sequence[Content]) -> Iterator[Run]:
    """Take the metrics of one file of a run, and scores of examples where another has them."""
    whole = [content for content in contents if "htmls" in content.keys]
    given = (whole or list(contents))[0]
    found = given.json
    metrics = {**(found.get("metrics") or {}), "score": found.get("score")} if whole else found
    yield from _runs_of_simple_evals(given, metrics, _examples(found.get("metadata")) if whole else None)


SIMPLE_EVALS = Tool("simple-evals", "simple-evals", _is_of_simple_evals, _unit, _read_simple_evals)


def _runs_of_simple_evals(content: Content, metrics: Mapping[str, Any], examples: Repeated | None) -> Iterator[Run]:
    stem = content.path.stem.removesuffix(_ALL)
    short = stem.endswith(_DEBUG)
    stem = stem.removesuffix(_DEBUG)
    date = _DATE.search(stem)
    task, system = _names(_DATE.sub("", stem))
    notes = (About("only a few examples were run (debug)", content.path.name),) if short else ()
    found = numbers(metrics, {name: name for name in metrics if not name.endswith(_ENDINGS)})
    main = next((name for name in _MAIN if name in found), None)
    order = sorted((name for name in found if name not in _NO_SCORE), key=lambda name: name != main)
    for place, metric in enumerate(order):
        yield Run(
            content.name,
            system,
            task,
            metric,
            mean=found[metric],
            samples=examples.samples() if examples is not None and metric == "score" else None,
            place=place,
            made=date[1] if date else "",
            notes=notes,
        )


def _names(stem: str) -> tuple[str, str]:
    """Evaluation and model, as the name of the file has them."""
    known = next((name for name in _NAMES if stem.startswith(f"{name}_")), None)
    task, _, system = (known, "", stem[len(known) + 1 :]) if known else stem.partition("_")
    return task, system or task


def _examples(metadata: Any) -> Repeated | None:
    """Scores of examples, which HealthBench has."""
    listed = metadata.get("example_level_metadata") if isinstance(metadata, dict) else None
    if not isinstance(listed, list) or not all("prompt_id" in one and "score" in one for one in listed) or not listed:
        return None
    scores = Repeated()
    for one in listed:
        scores.add(one["prompt_id"], one["score"])
    return scores


TOOLS = (EVALS, SIMPLE_EVALS)
