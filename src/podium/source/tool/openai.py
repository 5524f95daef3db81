"""Logs of OpenAI evals, lines of events whose matches and metrics are scores; and means of simple-evals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from podium.base.words import About
from podium.source.tool.content import Content, at, mapping, number, numbers
from podium.source.tool.run import Repeated, Run, Samples, Tool, each_metric

#: What a match is called in the final report, and beginnings of what that counts, which is no score.
_MATCH, _COUNTS = "accuracy", ("counts/", "invalid_", "num_", "total")

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
    return "eval_name" in mapping(at(content.first_line, "spec"))


def _read_log(content: Content) -> Iterator[Run]:
    spec: Mapping[str, Any] = {}
    report: Mapping[str, Any] | None = None
    events: list[Mapping[str, Any]] = []
    lines, cut = content.records()
    for line in lines:
        if "spec" in line:
            spec = line["spec"]
        elif "final_report" in line:
            report = line["final_report"]
        elif line.get("type") in ("match", "metrics", "sampling", "error"):
            events.append(line)
    notes, file = list(cut), content.path.name
    if report is None and not cut:
        notes.append(About("without a final report, so the run has not ended", file))
    if (limit := (spec.get("run_config") or {}).get("max_samples")) is not None:
        notes.append(About("only some samples were run (max_samples)", f"{file} ({str(limit)[:20]})"))
    if errors := sum(event["type"] == "error" for event in events):
        notes.append(About("samples that ended in an error are missing", f"{file} ({errors:,})"))
    named = spec.get("completion_fns") or spec.get("model_name") or "model"  # the second in early logs
    system = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
    run = Run(
        content.name,
        system,
        str(spec["eval_name"]),
        "",
        made=str(spec.get("created_at", "")),
        ended=report is not None,
        notes=tuple(notes),
    )
    means, samples = _numbered(report or {}), {name: scores.samples() for name, scores in _scores(events).items()}
    yield from each_metric(
        run, means, samples, order=samples or [name for name in means if not name.startswith(_COUNTS)]
    )


def _numbered(given: Mapping[str, Any]) -> dict[str, float]:
    """What is a number, and no truth."""
    found = {name: None if isinstance(value, bool) else number(value) for name, value in given.items()}
    return {name: value for name, value in found.items() if value is not None}


def _scores(events: Sequence[Mapping[str, Any]]) -> dict[str, Repeated]:
    """Scores by metric, of samples in the order of their labels; a sample with several matches has repeats."""
    tokens: dict[Any, dict[str, float]] = {}
    for event in events:
        usage = (event.get("data") or {}).get("usage") if event["type"] == "sampling" else None
        total = tokens.setdefault(event.get("sample_id"), {}) if isinstance(usage, dict) else {}
        for name, value in numbers(usage, _TOKENS).items():
            total[name] = total.get(name, 0.0) + value
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
    """Take the metrics of one file of a run, and scores of examples if another has them."""
    whole = [content for content in contents if "htmls" in content.keys]
    content = (whole or list(contents))[0]
    given = content.json
    metrics = {**(given.get("metrics") or {}), "score": given.get("score")} if whole else given
    samples = _examples(given.get("metadata")) if whole else {}
    stem = content.path.stem.removesuffix(_ALL)
    notes = (About("only a few examples were run (debug)", content.path.name),) if stem.endswith(_DEBUG) else ()
    stem = stem.removesuffix(_DEBUG)
    date = _DATE.search(stem)
    stem = _DATE.sub("", stem)
    known = next((name for name in _NAMES if stem.startswith(f"{name}_")), None)
    task, _, system = (known, "", stem[len(known) + 1 :]) if known else stem.partition("_")
    means = {name: value for name, value in _numbered(metrics).items() if not name.endswith(_ENDINGS)}
    main = next((name for name in _MAIN if name in means), None)
    order = sorted((name for name in means if name not in _NO_SCORE), key=lambda name: name != main)
    run = Run(content.name, system or task, task, "", made=date[1] if date else "", notes=notes)
    yield from each_metric(run, means, samples, order=order)


def _examples(metadata: Any) -> dict[str, Samples]:
    """Scores of examples, which HealthBench has."""
    listed = at(metadata, "example_level_metadata")
    if not isinstance(listed, list) or not listed or not all("prompt_id" in one and "score" in one for one in listed):
        return {}
    scores = Repeated()
    for one in listed:
        scores.add(one["prompt_id"], one["score"])
    return {"score": scores.samples()}


TOOLS = (
    Tool("openai-evals", "OpenAI evals", _is_log, _read_log),
    Tool("simple-evals", "simple-evals", _is_of_simple_evals, _read_simple_evals, _unit),
)
