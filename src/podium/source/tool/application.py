"""Tests of prompts and applications: promptfoo, by provider and prompt, and DeepEval; OpenAI evals and simple-evals."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from podium.base.words import About
from podium.source.tool.content import SHORT, Content, at, label_of, mapping, number, numbers, short_settings
from podium.source.tool.run import Repeated, Run, Tool, counted, each_metric

#: The weighted mean of the assertions of a test, and whether the test passed.
_SCORE, _PASS = "score", "pass"

#: The task if the configuration neither has a description nor names a file of tests.
_TASK = "promptfoo"

#: Why a test failed: the provider, or the assertion itself, broke.
_BROKEN = 2

#: The member under which the hidden folder of DeepEval keeps its latest run, and how names of its files begin there.
_WRAPPED, _LATEST = "testRunData", ".latest_"

#: The date in the name of a file.
_DATE = re.compile(r"(\d{8}_\d{6})")

#: What a test case of DeepEval measured.
_MEASURED = {
    "completionTime": "seconds",
    "tokenCost": "cost",
    "inputTokenCount": "input_tokens",
    "outputTokenCount": "output_tokens",
}


def _is_of_promptfoo(content: Content) -> bool:
    keys = content.keys
    if content.has(promptIdx=int, testIdx=int, success=bool, vars=dict):
        return True
    if "results" not in keys or keys.isdisjoint(("config", "stats")):
        return False
    stats = _summary(content.json).get("stats")
    return isinstance(stats, dict) and stats.keys() >= {"successes", "failures"}


def _evaluation(path: str) -> str:
    """Return the path without its ending: one evaluation may be written as JSON and as lines."""
    return str(Path(path).with_suffix(""))


def _summary(given: Any) -> Mapping[str, Any]:
    """Return what holds the rows: the file, or its member `results`."""
    inner = given.get("results") if isinstance(given, dict) else None
    found = given if isinstance(inner, list) else inner
    return found if isinstance(found, dict) and not found.keys().isdisjoint(("results", "table")) else {}


def _read_promptfoo(contents: Sequence[Content]) -> Iterator[Run]:
    whole = [content for content in contents if "promptIdx" not in content.keys]
    for content in whole:
        given = content.json
        summary = _summary(given)
        table = summary.get("table") or {}
        rows = summary.get("results")
        rows = rows if isinstance(rows, list) else list(_of_table(table))
        prompts = summary.get("prompts") or (table.get("head") or {}).get("prompts") or ()
        task, made = _task(given.get("config") or {}), str(summary.get("timestamp") or "")
        yield from _runs(Run(content.name, "", task, "", made=made), rows, prompts)
    for content in () if whole else contents:
        rows, notes = content.records()
        yield from _runs(Run(content.name, "", _TASK, "", notes=notes), rows, ())


def _task(config: Mapping[str, Any]) -> str:
    """Return the description of the configuration, else the files of its tests: the same for all runs of these."""
    tests = config.get("tests")
    files = [name for name in (tests if isinstance(tests, list) else [tests]) if isinstance(name, str) and name]
    return str(config.get("description") or ", ".join(Path(name).stem for name in files) or _TASK)


def _of_table(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield rows of the table that version 2 has, as version 3 writes them."""
    head = table["head"]
    for row, line in enumerate(table["body"]):
        given = dict(zip(head["vars"], line["vars"], strict=False))
        for place, output in enumerate(line["outputs"]):
            prompt = head["prompts"][place]
            asked = {"vars": given, "testCase": line.get("test") or {}, "prompt": prompt}
            provider = output.get("provider") or prompt.get("provider")
            numbers = {"promptIdx": place, "testIdx": row}
            yield {**output, **asked, **numbers, "success": output["pass"], "provider": provider}


@dataclass(slots=True)
class _Column:
    """The answers of one provider to one prompt: by metric, scores of tests."""

    provider: str
    prompt: str
    scores: dict[str, Repeated] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    broken: int = 0

    def take(self, row: Mapping[str, Any]) -> None:
        """Take a row: a test; tests of one name are repeats."""
        test = _test(row)
        self.seen[test] = self.seen.get(test, 0) + 1
        broken = _is_broken(row)
        self.broken += broken
        measured = dict(_measured(row))
        for metric, value in {_SCORE: row["score"], _PASS: row["success"], **_named(row)}.items():
            if not isinstance(value, int | float):
                raise TypeError(f"the {metric} of a test is no number")
            scores = self.scores.setdefault(metric, Repeated())
            scores.add(test, None if broken else value, measured, repeat=self.seen[test])


def _runs(run: Run, rows: Sequence[Mapping[str, Any]], prompts: Sequence[Any]) -> Iterator[Run]:
    """Yield a run for every column and metric; repeated tests are in the order of their numbers."""
    columns: dict[Any, _Column] = {}
    for row in sorted(rows, key=lambda row: row.get("testIdx") or 0):
        provider = _called(row.get("provider"), "label", "id")
        prompt = _called(row.get("prompt"), "label", "display", "raw")
        key = (provider, prompt[:SHORT]) if row.get("promptIdx") is None else row["promptIdx"]
        columns.setdefault(key, _Column(provider, prompt[:SHORT])).take(row)
    columns = dict(sorted(columns.items(), key=lambda item: (str(type(item[0])), item[0])))
    names = [(column.provider, column.prompt) for column in columns.values()]
    for (key, column), name in zip(columns.items(), names, strict=True):
        settings = {"prompt": column.prompt} | ({"column": str(key)} if names.count(name) > 1 else {})
        broken = counted(column.provider, {"tests that ended in an error are missing": column.broken})
        own = replace(run, system=column.provider, settings=settings, notes=(*run.notes, *broken))
        means = _means(prompts[key]) if isinstance(key, int) and key < len(prompts) else {}
        yield from each_metric(own, means, column.scores, order=column.scores, higher={_SCORE: True, _PASS: True})


def _called(given: Any, *names: str) -> str:
    """Return the first name that something has, or what it is."""
    if not isinstance(given, dict):
        return str(given)
    return str(next(filter(None, map(given.get, names)), given.get(names[-1])))


def _means(prompt: Any) -> dict[str, float]:
    """Return the file's own means, of tests that ended without an error, since those have no score."""
    metrics = mapping((prompt or {}).get("metrics"))
    ended = metrics["testPassCount"] + metrics["testFailCount"] if metrics else 0
    return {_SCORE: metrics["score"] / ended, _PASS: metrics["testPassCount"] / ended} if ended else {}


def _is_broken(row: Mapping[str, Any]) -> bool:
    """Return whether the test ended in an error; rows of version 2 say so by what they lack."""
    if "failureReason" in row:
        return bool(row["failureReason"] == _BROKEN)
    return bool(row.get("error")) and not row.get("gradingResult")


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return named metrics of a test; before these had weights they were sums, and the assertions give the means."""
    result = row.get("gradingResult") or {}
    named = row.get("namedScores") or {}
    parts = result.get("componentResults") or ()
    if "namedScoreWeights" in result or not parts:
        return dict(named)
    sums: dict[str, list[float]] = {}
    for part in parts:
        assertion = (part or {}).get("assertion") or {}
        if assertion.get("metric") in named:
            weight = assertion.get("weight", 1)
            total = sums.setdefault(assertion["metric"], [0.0, 0.0])
            total[0] += weight * part["score"]
            total[1] += weight
    return {name: value for name, value in named.items() if name not in sums} | {
        name: total / weight for name, (total, weight) in sums.items() if weight
    }


def _measured(row: Mapping[str, Any]) -> dict[str, float]:
    paths = {"latencyMs": "seconds", "cost": "cost", "tokenUsage.prompt": "input_tokens"}
    found = numbers(row, {**paths, "tokenUsage.completion": "output_tokens"})
    return found | ({"seconds": found["seconds"] / 1000} if "seconds" in found else {})


def _test(row: Mapping[str, Any]) -> str:
    """Return a name for a test that is the same in every file: its variables, and a digest of all that it asks."""
    case = row.get("testCase") or {}
    given = row.get("vars") or {}
    asked = orjson.dumps([given, case.get("description"), case.get("assert")], option=orjson.OPT_SORT_KEYS)
    shown = case.get("description") or ", ".join(f"{name} {value}" for name, value in given.items())
    return label_of(str(shown), asked.decode())


def _is_of_deepeval(content: Content) -> bool:
    if content.has(testRunData=dict):
        return "testCases" in content.json[_WRAPPED]
    if not content.has(testCases=[dict], metricsScores=[dict]):
        return False
    return bool(content.json["testCases"] or content.json.get("conversationalTestCases"))


def _folder(path: str) -> str:
    """Return the path; or the hidden folder of the tool, which keeps the latest run twice."""
    return str(Path(path).parent) if Path(path).name.startswith(_LATEST) else path


def _read_deepeval(contents: Sequence[Content]) -> Iterator[Run]:
    content = min(contents, key=lambda content: content.path.name)
    given = content.json.get(_WRAPPED, content.json)
    cases = [*(given.get("testCases") or ()), *(given.get("conversationalTestCases") or ())]
    results: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for case in cases:
        for data in case.get("metricsData") or case.get("metricsMetadata") or ():  # the second before version 1
            if isinstance(metric := data.get("name", data.get("metric")), str):
                results.setdefault(metric, []).append((case, data))
    settings = short_settings(given.get("hyperparameters") or {})
    date = _DATE.search(content.path.stem)
    system = str(settings.pop("model", None) or given.get("identifier") or _system(content.path.resolve()))
    task = str(given.get("datasetAlias") or given.get("testFile") or "DeepEval")
    run = Run(content.name, system, task, "", made=date[1] if date else "", settings=settings)
    for order, (metric, found) in enumerate(results.items()):
        scores = Repeated()
        for case, data in found:
            score = None if data.get("error") else data.get("score")
            scores.add(_instance(case), score, numbers(case, _MEASURED))
        missing = {"test cases that ended in an error are missing": scores.missing}
        mean, better = _mean(given, metric, len(found) - scores.missing), _direction(found)
        one = replace(run, metric=metric, mean=mean, samples=scores.samples(), higher_is_better=better)
        yield replace(one, metric_order=order, notes=counted(f"{metric} in {content.path.name}", missing))


def _system(path: Path) -> str:
    """Return the name of the file; of a hidden one, that of the folder with the hidden folder."""
    shown = [part for part in path.parts if not part.startswith(".")]
    return path.stem if path.name in shown else shown[-1] if shown else path.stem


def _mean(given: Mapping[str, Any], metric: str, count: int) -> float | None:
    """Return the mean of the run's own scores of the metric, if they are of the test cases and not of parts, too."""
    for one in given.get("metricsScores") or ():
        if one.get("metric") == metric and len(one.get("scores") or ()) == count > 0:
            return float(np.mean(one["scores"]))
    return None


def _direction(results: Sequence[tuple[Any, Mapping[str, Any]]]) -> bool | None:
    """Return whether more is better, by which scores passed their threshold.

    Of metrics such as Bias, less was better in early versions and more is in later ones, and no file says which.
    """
    found = set()
    for _, data in results:
        score, threshold, success = data.get("score"), data.get("threshold"), data.get("success")
        if score is not None and threshold is not None and isinstance(success, bool) and score != threshold:
            found.add((score > threshold) == success)
    return found.pop() if len(found) == 1 else None


def _instance(case: Mapping[str, Any]) -> str:
    """Return the input, which is the same in every run; of a conversation its scenario or what the user said."""
    turns = [turn.get("content") for turn in case.get("turns") or () if turn.get("role") == "user"]
    return label_of(str(case.get("input") or case.get("scenario") or turns or case["name"]))


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
_DATED = re.compile(r"_(\d{8}_\d{6})$")


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
    errors = sum(event["type"] == "error" for event in events)
    notes += counted(file, {"samples that ended in an error are missing": errors})
    named = spec.get("completion_fns") or spec.get("model_name") or "model"  # the second in early logs
    system = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
    made, means, samples = str(spec.get("created_at", "")), _numbered(report or {}), _scores(events)
    run = Run(content.name, system, str(spec["eval_name"]), "", made=made, ended=report is not None, notes=tuple(notes))
    order = samples or [name for name in means if not name.startswith(_COUNTS)]
    yield from each_metric(run, means, samples, order=order)


def _numbered(given: Mapping[str, Any]) -> dict[str, float]:
    """Return what is a number, and no truth."""
    found = {name: None if isinstance(value, bool) else number(value) for name, value in given.items()}
    return {name: value for name, value in found.items() if value is not None}


def _scores(events: Sequence[Mapping[str, Any]]) -> dict[str, Repeated]:
    """Return scores by metric, of samples in the order of their labels; a sample with several matches has repeats."""
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


def _evaluation_run(path: str) -> str:
    """Return the path without what tells the two files of one run apart."""
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
    date = _DATED.search(stem)
    stem = _DATED.sub("", stem)
    known = next((name for name in _NAMES if stem.startswith(f"{name}_")), None)
    task, _, system = (known, "", stem[len(known) + 1 :]) if known else stem.partition("_")
    means = {name: value for name, value in _numbered(metrics).items() if not name.endswith(_ENDINGS)}
    main = next((name for name in _MAIN if name in means), None)
    order = sorted((name for name in means if name not in _NO_SCORE), key=lambda name: name != main)
    run = Run(content.name, system or task, task, "", made=date[1] if date else "", notes=notes)
    yield from each_metric(run, means, samples, order=order)


def _examples(metadata: Any) -> dict[str, Repeated]:
    """Return scores of examples, which HealthBench has."""
    listed = at(metadata, "example_level_metadata")
    if not isinstance(listed, list) or not listed or not all("prompt_id" in one and "score" in one for one in listed):
        return {}
    scores = Repeated()
    for one in listed:
        scores.add(one["prompt_id"], one["score"])
    return {"score": scores}


TOOLS = (
    Tool("promptfoo", "promptfoo", _is_of_promptfoo, _read_promptfoo, unit=_evaluation),
    Tool("deepeval", "DeepEval", _is_of_deepeval, _read_deepeval, unit=_folder, folders=(".deepeval",)),
    Tool("openai-evals", "OpenAI evals", _is_log, _read_log),
    Tool("simple-evals", "simple-evals", _is_of_simple_evals, _read_simple_evals, unit=_evaluation_run),
)
