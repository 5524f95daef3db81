"""Tests of prompts and applications: results of promptfoo, by provider and prompt, and test runs of DeepEval."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Repeated, Run, Samples, Tool, labels, numbers

#: The weighted mean of the assertions of a test, and whether the test passed.
_SCORE, _PASS = "score", "pass"

#: The task where the configuration neither has a description nor names a file of tests.
_TASK = "promptfoo"

#: Of a test or a prompt, letters that stand in a name.
_LONGEST = 60

#: Why a test failed: the provider, or the assertion itself, broke.
_BROKEN = 2

#: The member under which the hidden folder of the tool keeps its latest run.
_WRAPPED = "testRunData"

#: How names begin of files that the hidden folder keeps; the first has all of the latest run.
_LATEST = ".latest_"

#: The date in the name of a file.
_DATE = re.compile(r"(\d{8}_\d{6})")

#: What a test case measured.
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
    summary = _summary(content.json)
    stats = summary.get("stats") if summary is not None else None
    return isinstance(stats, dict) and stats.keys() >= {"successes", "failures"}


def _evaluation(path: str) -> str:
    """The path without its ending: one evaluation may be written as JSON and as lines."""
    return str(Path(path).with_suffix(""))


def _summary(given: Any) -> Mapping[str, Any] | None:
    """What holds the rows: the file, or its member `results`."""
    inner = given.get("results") if isinstance(given, dict) else None
    found = given if isinstance(inner, list) else inner
    return found if isinstance(found, dict) and not found.keys().isdisjoint(("results", "table")) else None


def _read_promptfoo(contents: Sequence[Content]) -> Iterator[Run]:
    whole = [content for content in contents if "promptIdx" not in content.keys]
    for content in whole or contents:
        yield from (_of_json(content) if whole else _of_lines(content)).runs()


PROMPTFOO = Tool("promptfoo", "promptfoo", _is_of_promptfoo, _evaluation, _read_promptfoo)


@dataclass(slots=True)
class _Column:
    """What one provider said to one prompt: by metric, scores of tests, and what else was measured."""

    provider: str
    prompt: str
    scores: dict[str, dict[tuple[str, int], float]] = field(default_factory=dict)
    measured: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    broken: int = 0


@dataclass(frozen=True, slots=True)
class _Evaluation:
    """All columns of a file, by their place or their names, and the file's own aggregates."""

    where: str
    task: str
    made: str
    columns: Mapping[Any, _Column]
    aggregates: Sequence[Any] = ()
    notes: tuple[str, ...] = ()

    def runs(self) -> Iterator[Run]:
        """One run for every column and metric."""
        names = [(column.provider, column.prompt) for column in self.columns.values()]
        for (key, column), name in zip(self.columns.items(), names, strict=True):
            settings = {"prompt": column.prompt} | ({"column": str(key)} if names.count(name) > 1 else {})
            broken = About("tests that ended in an error are missing", f"{column.provider} ({column.broken:,})")
            for place, (metric, scores) in enumerate(column.scores.items()):
                yield Run(
                    self.where,
                    column.provider,
                    self.task,
                    metric,
                    mean=self.mean(key, metric),
                    samples=_samples(scores, column.measured),
                    higher_is_better=True if metric in (_SCORE, _PASS) else None,
                    place=place,
                    made=self.made,
                    settings=settings,
                    notes=(*self.notes, broken) if column.broken else self.notes,
                )

    def mean(self, key: Any, metric: str) -> float | None:
        """The file's own mean, of tests that ended without an error, since those have no score."""
        known = isinstance(key, int) and key < len(self.aggregates)
        metrics = (self.aggregates[key] or {}).get("metrics") if known else None
        if not isinstance(metrics, dict) or metric not in (_SCORE, _PASS):
            return None
        ended = metrics["testPassCount"] + metrics["testFailCount"]
        return metrics["score" if metric == _SCORE else "testPassCount"] / ended if ended else None


def _of_json(content: Content) -> _Evaluation:
    given = content.json
    summary = _summary(given) or {}
    table = summary.get("table") or {}
    rows = summary.get("results")
    if not isinstance(rows, list):
        rows = list(_of_table(table))
    prompts = summary.get("prompts") or (table.get("head") or {}).get("prompts") or ()
    made = str(summary.get("timestamp") or "")
    return _Evaluation(content.name, _task(given.get("config") or {}), made, _columns(rows), prompts)


def _task(config: Mapping[str, Any]) -> str:
    """The description of the configuration, else the files of its tests: the same for all runs of these."""
    tests = config.get("tests")
    files = [name for name in (tests if isinstance(tests, list) else [tests]) if isinstance(name, str) and name]
    return str(config.get("description") or ", ".join(Path(name).stem for name in files) or _TASK)


def _of_lines(content: Content) -> _Evaluation:
    rows, notes = content.records()
    return _Evaluation(content.name, _TASK, "", _columns(rows), notes=notes)


def _of_table(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Rows of the table that version 2 has, as version 3 writes them."""
    head = table["head"]
    for number, line in enumerate(table["body"]):
        given = dict(zip(head["vars"], line["vars"], strict=False))
        for place, output in enumerate(line["outputs"]):
            prompt = head["prompts"][place]
            yield {
                **output,
                "success": output["pass"],
                "vars": given,
                "testCase": line.get("test") or {},
                "provider": output.get("provider") or prompt.get("provider"),
                "prompt": prompt,
                "promptIdx": place,
                "testIdx": number,
            }


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[Any, _Column]:
    """Rows sorted into columns, whatever their order; tests that were repeated stand in the order of their numbers."""
    columns: dict[Any, _Column] = {}
    for row in sorted(rows, key=lambda row: row.get("testIdx") or 0):
        provider, prompt = _provider(row.get("provider")), _prompt(row.get("prompt"))
        key = row.get("promptIdx")
        column = columns.setdefault((provider, prompt) if key is None else key, _Column(provider, prompt))
        _take(column, row)
    return dict(sorted(columns.items(), key=lambda item: (str(type(item[0])), item[0])))


def _take(column: _Column, row: Mapping[str, Any]) -> None:
    test = _test(row)
    column.seen[test] = column.seen.get(test, 0) + 1
    cell = test, column.seen[test]
    column.measured[cell] = dict(_measured(row))
    broken = _is_broken(row)
    column.broken += broken
    found = {_SCORE: row["score"], _PASS: row["success"], **_named(row)}
    for metric, value in found.items():
        if not isinstance(value, int | float):
            raise TypeError(f"the {metric} of a test is no number")
        column.scores.setdefault(metric, {})[cell] = math.nan if broken else float(value)


def _is_broken(row: Mapping[str, Any]) -> bool:
    """Whether the test ended in an error; rows of version 2 say so by what they lack."""
    if "failureReason" in row:
        return bool(row["failureReason"] == _BROKEN)
    return bool(row.get("error")) and not row.get("gradingResult")


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    """Named metrics of a test; before these had weights they were sums, and the assertions give the means."""
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


def _measured(row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    usage = row.get("tokenUsage") or {}
    if isinstance(row.get("latencyMs"), int | float):
        yield "seconds", row["latencyMs"] / 1000
    for name, value in (("cost", row.get("cost")), ("input_tokens", usage.get("prompt"))):
        if isinstance(value, int | float):
            yield name, float(value)
    if isinstance(usage.get("completion"), int | float):
        yield "output_tokens", float(usage["completion"])


def _provider(given: Any) -> str:
    if isinstance(given, dict):
        return str(given.get("label") or given.get("id"))
    return str(given)


def _prompt(given: Any) -> str:
    if isinstance(given, dict):
        return str(given.get("label") or given.get("display") or given.get("raw"))[:_LONGEST]
    return str(given)[:_LONGEST]


def _test(row: Mapping[str, Any]) -> str:
    """A name for a test that is the same in every file: its variables, and a digest of all that it asks."""
    case = row.get("testCase") or {}
    given = row.get("vars") or {}
    asked = [given, case.get("description"), case.get("assert")]
    digest = blake2b(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS), digest_size=4).hexdigest()
    words = case.get("description") or ", ".join(f"{name} {value}" for name, value in given.items())
    return f"{' '.join(str(words).split())[:_LONGEST]} ({digest})"


def _samples(
    scores: Mapping[tuple[str, int], float], measured: Mapping[tuple[str, int], Mapping[str, float]]
) -> Samples:
    repeats = np.array([repeat for _, repeat in scores], dtype=np.int64)
    names = dict.fromkeys(name for cell in scores for name in measured[cell])
    return Samples(
        labels([test for test, _ in scores]),
        np.array(list(scores.values()), dtype=np.float64),
        repeats=repeats if (repeats > 1).any() else None,
        covariates={
            name: np.array([measured[cell].get(name, math.nan) for cell in scores], dtype=np.float64) for name in names
        },
    )


def _is_of_deepeval(content: Content) -> bool:
    if content.has(testRunData=dict):
        return "testCases" in content.json[_WRAPPED]
    if not content.has(testCases=[dict], metricsScores=[dict]):
        return False
    return bool(content.json["testCases"] or content.json.get("conversationalTestCases"))


def _folder(path: str) -> str:
    """The path; or the hidden folder of the tool, which keeps the latest run twice."""
    return str(Path(path).parent) if Path(path).name.startswith(_LATEST) else path


def _read_deepeval(contents: Sequence[Content]) -> Iterator[Run]:
    for content in sorted(contents, key=lambda content: content.path.name)[:1]:
        given = content.json
        yield from _runs_of_deepeval(content, given.get(_WRAPPED, given))


DEEPEVAL = Tool("deepeval", "DeepEval", _is_of_deepeval, _folder, _read_deepeval, folders=frozenset((".deepeval",)))


def _runs_of_deepeval(content: Content, given: Mapping[str, Any]) -> Iterator[Run]:
    cases = [*(given.get("testCases") or ()), *(given.get("conversationalTestCases") or ())]
    results = [(case, {"name": data.get("metric"), **data}) for case in cases for data in _data(case)]
    settings = {name: str(value) for name, value in (given.get("hyperparameters") or {}).items() if _is_short(value)}
    date = _DATE.search(content.path.stem)
    system = settings.pop("model", None) or given.get("identifier") or _system(content.path.resolve())
    for place, metric in enumerate(dict.fromkeys(str(data["name"]) for _, data in results)):
        scores = Repeated()
        for case, data in results:
            if data["name"] == metric:
                wrong = data.get("error") or data.get("score") is None
                scores.add(_instance(case), None if wrong else data["score"], numbers(case, _MEASURED))
        yield Run(
            content.name,
            str(system),
            str(given.get("datasetAlias") or given.get("testFile") or "DeepEval"),
            metric,
            mean=_mean(given, metric, len(scores.samples().scores) - scores.missing),
            samples=scores.samples(),
            higher_is_better=_direction([data for _, data in results if data["name"] == metric]),
            place=place,
            made=date[1] if date else "",
            settings=settings,
            notes=tuple(_said(content, metric, scores.missing)),
        )


def _data(case: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What metrics say of a test case; before version 1 under other names."""
    return case.get("metricsData") or case.get("metricsMetadata") or ()


def _system(path: Path) -> str:
    """The name of the file; of a hidden one, that of the folder with the hidden folder."""
    shown = [part for part in path.parts if not part.startswith(".")]
    return path.stem if path.name in shown else shown[-1] if shown else path.stem


def _said(content: Content, metric: str, missing: int) -> Iterator[str]:
    if missing:
        yield About("test cases that ended in an error are missing", f"{metric} in {content.path.name} ({missing:,})")


def _mean(given: Mapping[str, Any], metric: str, count: int) -> float | None:
    """The run's own scores of the metric, averaged, if they are of the test cases and not of parts of these, too."""
    for listed in given.get("metricsScores") or ():
        if listed.get("metric") == metric and len(listed.get("scores") or ()) == count > 0:
            return float(np.mean(listed["scores"]))
    return None


def _direction(results: Sequence[Mapping[str, Any]]) -> bool | None:
    """Whether more is better, by which scores passed their threshold.

    Of metrics such as Bias, less was better in early versions and more is in later ones, and no file says which.
    """
    found = set()
    for data in results:
        score, threshold, success = data.get("score"), data.get("threshold"), data.get("success")
        if score is not None and threshold is not None and isinstance(success, bool) and score != threshold:
            found.add((score > threshold) == success)
    return found.pop() if len(found) == 1 else None


def _instance(case: Mapping[str, Any]) -> str:
    """The input, which is the same in every run; of a conversation its scenario or what the user said."""
    turns = [turn.get("content") for turn in case.get("turns") or () if turn.get("role") == "user"]
    asked = str(case.get("input") or case.get("scenario") or turns or case["name"])
    digest = blake2b(asked.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{' '.join(asked.split())[:_LONGEST]} ({digest})"


def _is_short(value: Any) -> bool:
    return isinstance(value, str | int | float) and len(str(value)) <= _LONGEST


TOOLS = (PROMPTFOO, DEEPEVAL)
