"""Results of OpenCompass: scores of data sets, with right and wrong answers if they were dumped."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from podium.base.words import LONG, with_names
from podium.source.tool.content import Content, listed, mapping, number, text, words, written_number
from podium.source.tool.run import Repeated, Run, Samples, Tool, each_metric

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


def _read(content: Content) -> Iterator[Run]:
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
    """A run for every model and data set of a summary, without means of several data sets."""
    rows = content.rows()
    time = _TIME.search(content.path.name)
    left = _parents(rows)
    notes = (with_names("left out, since they are means of others: ", sorted(left), room=LONG),) if left else ()
    for row in rows:
        if row.get("dataset") in left or not row.get("dataset"):
            continue
        for model, given in row.items():
            score = None if not model or model in _SUMMARY else written_number(given)  # "-" is a missing one
            if score is not None:
                yield Run(
                    content.name,
                    model,
                    row["dataset"],
                    row.get("metric") or "score",
                    score,
                    made=time[0] if time else "",
                    task_settings=words(row, {"version": "version", "mode": "mode"}),
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


def _metrics(given: Mapping[str, Any]) -> dict[str, float]:
    """Scores by metric, the main one first; those of several data sets in one are left out beside that of all."""
    found = {name: number(value) for name, value in given.items() if name not in _NO_METRICS}
    scores = {name: value for name, value in found.items() if value is not None}
    order = [name for name in scores if "/" not in name or name.rpartition("/")[2] not in scores]
    first = {name: place for place, name in enumerate(_FIRST)}
    order.sort(key=lambda name: first.get(_RUNS.sub("", name), len(first)))
    return {name: scores[name] for name in order}


def _samples(details: Any) -> Samples | None:
    """Scores in percent, as OpenCompass has them; None if answers were dumped without saying which are right."""
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


TOOLS = (Tool("opencompass", "OpenCompass", _takes, _read),)
