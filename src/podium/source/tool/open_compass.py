"""Results of OpenCompass: scores of data sets, with right and wrong answers where they were dumped."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from podium.base.words import LONG, with_names
from podium.source.tool.content import Content, listed, mapping, number, text
from podium.source.tool.run import Run, Samples, Tool, labels

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

_RUNS = re.compile(r" \(\d+ runs average\)$")


#: The first columns of a summary; the others are models.
_SUMMARY = ["dataset", "version", "metric", "mode"]

#: Names of means of all data sets.
_MEAN = re.compile(r"average|overall|\bavg\b|\ball\b")

#: What a summary calls means of several data sets.
_MEANS = ("naive_average", "weighted_average", "harmonic_mean", "standard_deviation", "sum")


def _takes(content: Content) -> bool:
    """Results lie in results/<model>/<data set>.json; they hold scores, and mostly details.

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


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        yield from _summary(content) if content.head.startswith(b"dataset,") else _runs(content)


TOOL = Tool("opencompass", "OpenCompass", _takes, str, _read)


def _runs(content: Content) -> Iterator[Run]:
    given = mapping(content.value())
    metrics = _metrics(given)
    folders = content.path.resolve().parts
    samples = _samples(given.get("details"))
    for place, (metric, mean) in enumerate(metrics.items()):
        own = samples if samples is not None and _agree(samples, mean) else None
        yield Run(
            content.name,
            folders[-2],
            content.path.stem,
            metric,
            mean=mean,
            samples=own,
            place=place,
            made=next((part for part in folders[::-1] if _TIME.fullmatch(part)), ""),
        )


def _summary(content: Content) -> Iterator[Run]:
    """A run for every model and data set of a summary, without means of several data sets."""
    rows = content.rows()
    time = _TIME.search(content.path.name)
    left = _parents(rows)
    notes = (with_names("left out, since they are means of others: ", sorted(left), room=LONG),) if left else ()
    for row in rows:
        if row.get("dataset") in left or not row.get("dataset"):
            continue
        for model, given in row.items():
            score = None if not model or model in _SUMMARY else _score(given)
            if score is not None:
                yield Run(
                    content.name,
                    model,
                    row["dataset"],
                    row.get("metric") or "score",
                    score,
                    made=time[0] if time else "",
                    task_settings={name: row[name] for name in ("version", "mode") if row.get(name)},
                    notes=notes,
                )


def _parents(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Groups of data sets, which have no version, beside a data set or a group that has their name in its own."""
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


def _score(given: Any) -> float | None:
    """A score in a summary, where "-" is a missing one."""
    try:
        return float(given)
    except (TypeError, ValueError):
        return None


def _metrics(given: Mapping[str, Any]) -> dict[str, float]:
    """Scores by metric, the main one first; those of several data sets in one are left out beside that of all."""
    found = {name: number(value) for name, value in given.items() if name not in _NO_METRICS}
    scores = {name: value for name, value in found.items() if value is not None}
    parts = {name for name in scores if "/" in name and name.rpartition("/")[2] in scores}
    order = [name for name in scores if name not in parts]
    plain = [_RUNS.sub("", name) for name in order]
    places = [_FIRST.index(name) if name in _FIRST else len(_FIRST) for name in plain]
    return {name: scores[name] for _, name in sorted(zip(places, order, strict=True), key=lambda pair: pair[0])}


def _samples(details: Any) -> Samples | None:
    """Scores in percent, as OpenCompass has them; None where answers were dumped without saying which are right."""
    if isinstance(details, dict):
        rows = [(name, mapping(row)) for name, row in details.items() if isinstance(row, dict)]
    else:
        rows = [
            (text(mapping(row).get("example_abbr")) or str(n), mapping(row)) for n, row in enumerate(listed(details))
        ]
    instances, scores, repeats = [], [], []
    for name, row in rows:
        flags = next((row[key] for key in _RIGHT if row.get(key) is not None), None)
        for repeat, flag in enumerate(flags if isinstance(flags, list) else [flags]):
            value = number(flag)
            instances.append(name)
            repeats.append(repeat)
            scores.append(math.nan if value is None else 100 * value)
    if not scores or all(map(math.isnan, scores)):
        return None
    numbered = np.array(repeats, dtype=np.int64)
    return Samples(labels(instances), np.array(scores), repeats=numbered if numbered.any() else None)


def _agree(samples: Samples, mean: float) -> bool:
    """Whether the metric is the share of right answers."""
    return math.isclose(float(np.nanmean(samples.scores)), mean, rel_tol=1e-9, abs_tol=1e-9)


TOOLS = (TOOL,)
