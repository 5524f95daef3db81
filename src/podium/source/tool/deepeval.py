"""Test runs of DeepEval: scores of every metric on every test case."""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Repeated, Run, Tool, numbers

#: The member under which the hidden folder of the tool keeps its latest run.
_WRAPPED = "testRunData"

#: How names begin of files that the hidden folder keeps; the first has all of the latest run.
_LATEST = ".latest_"

#: The date in the name of a file.
_DATE = re.compile(r"(\d{8}_\d{6})")

#: Letters of an input or a setting that stand in a name.
_LONGEST = 60

#: What a test case measured.
_MEASURED = {
    "completionTime": "seconds",
    "tokenCost": "cost",
    "inputTokenCount": "input_tokens",
    "outputTokenCount": "output_tokens",
}


def _takes(content: Content) -> bool:
    if content.has(testRunData=dict):
        return "testCases" in content.json[_WRAPPED]
    if not content.has(testCases=[dict], metricsScores=[dict]):
        return False
    return bool(content.json["testCases"] or content.json.get("conversationalTestCases"))


def _unit(path: str) -> str:
    """The path; or the hidden folder of the tool, which keeps the latest run twice."""
    return str(Path(path).parent) if Path(path).name.startswith(_LATEST) else path


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    for content in sorted(contents, key=lambda content: content.path.name)[:1]:
        given = content.json
        yield from _runs(content, given.get(_WRAPPED, given))


TOOL = Tool("deepeval", "DeepEval", _takes, _unit, _read, folders=frozenset((".deepeval",)))


def _runs(content: Content, given: Mapping[str, Any]) -> Iterator[Run]:
    cases = [*(given.get("testCases") or ()), *(given.get("conversationalTestCases") or ())]
    results = [(case, {"name": data.get("metric"), **data}) for case in cases for data in _data(case)]
    settings = {name: str(value) for name, value in (given.get("hyperparameters") or {}).items() if _is_short(value)}
    date = _DATE.search(content.path.stem)
    system = settings.pop("model", None) or given.get("identifier") or _named(content.path.resolve())
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


def _named(path: Path) -> str:
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
