"""Results of MTEB: files of tasks, and a checkout of the repository of all its results."""

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from podium.base.words import LONG, ending, how_many, with_names
from podium.source.tool.content import Content, at, listed, mapping, numbers, plain_number, text
from podium.source.tool.run import Run, Tool, all_files

#: Keys of the description of a model, which lies beside its results.
_META = frozenset(("name", "revision", "n_parameters"))

#: What is known of a model, and what MTEB calls it.
_KNOWN = {
    "n_parameters": "parameters",
    "embed_dim": "dimensions",
    "memory_usage_mb": "memory_mb",
    "max_tokens": "tokens",
}

#: Folder of results of a model with other settings.
_EXPERIMENTS = "experiments"

#: Revisions that name none.
_UNNAMED = frozenset(("", "external", "no_revision_available", "None"))

#: What MTEB calls main scores in files of versions before 1.11, and the paths of these then.
_LEGACY = {
    "ndcg_at_10": "ndcg_at_10",
    "v_measure": "v_measure",
    "cosine_spearman": "cos_sim.spearman",
    "max_ap": "max.ap",
    "accuracy": "accuracy",
    "f1": "f1",
}

#: Tasks of that time with another main score than others of their kind.
_LEGACY_TASKS = {
    "BSARDRetrieval": "recall_at_100",
    "CrossLingualSemanticDiscriminationWMT19": "recall_at_1",
    "CrossLingualSemanticDiscriminationWMT21": "recall_at_1",
    "GermanQuAD-Retrieval": "mrr_at_5",
    "LEMBNeedleRetrieval": "ndcg_at_1",
    "LEMBPasskeyRetrieval": "ndcg_at_1",
}

#: Other scores of these files, of tasks whose main score is another now.
_LEGACY_OTHERS = {"map": "map", "cosine_ap": "cos_sim.ap"}

#: Scores of these files that are objects, as subsets are.
_NO_SUBSETS = frozenset(("v_measures", "cos_sim", "euclidean", "manhattan", "dot", "max", "similarity"))

#: Names of the folder of a revision; other folders below a model belong to its name.
_REVISION = re.compile(r"[0-9a-f]{40}|no_revision_available|external|unknown|\d+|main|.*revision.*")

_VERSION = re.compile(r"\d+(?:\.\d+)*")

#: Letters of a path in a note, and of a version.
_SHOWN, _LONGEST = 40, 40


def _recognises(content: Content) -> bool:
    if content.head[:1] != b"{":
        return False
    keys = content.keys
    if {"task_name", "scores"} <= keys:
        return not keys.isdisjoint(("dataset_revision", "mteb_version", "evaluation_time"))
    return "mteb_dataset_name" in keys or (keys >= _META and not keys.isdisjoint(("embed_dim", "max_tokens")))


#: Splits and subsets.
_Parts = tuple[tuple[str, str], ...]


class _Result(NamedTuple):
    """A file of results of a task."""

    path: str
    folder: str
    task: str
    metric: str
    version: tuple[int, ...]
    data: str
    seconds: float
    parts: _Parts
    scores: tuple[float, ...]
    wrong: bool


class _Model(NamedTuple):
    """A model, as the file beside its results describes it."""

    folder: str
    name: str
    known: Mapping[str, float]


def _part(content: Content) -> _Result | _Model | str:
    """Return what one file says; only its path, if it is of an experiment."""
    path, given = content.name, content.json
    if _EXPERIMENTS in path and Path(path).parts[-3:-2] == (_EXPERIMENTS,):
        return path
    if "scores" in given:
        return _result(path, given)
    if "mteb_dataset_name" in given:
        return _legacy(path, given)
    return _Model(_folder(path), text(given.get("name")), numbers(given, _KNOWN))


def _result(path: str, given: Mapping[str, Any]) -> _Result:
    found: dict[tuple[str, str], float] = {}
    wrong = False
    for split, subsets in mapping(given.get("scores")).items():
        for subset in listed(subsets):
            if isinstance(subset, dict):
                name, score = subset.get("hf_subset"), subset.get("main_score")
                # Of a million subsets nearly all are as they should be.
                value = score if type(score) is float else _score(score)
                found[split, name if type(name) is str else text(name)] = value
                wrong = wrong or (type(score) is not float and score is not None and math.isnan(value))
    return _of(path, given, (text(given.get("task_name")), "main_score"), found, wrong=wrong)


def _of(
    path: str, given: Mapping[str, Any], named: tuple[str, str], found: Mapping[tuple[str, str], float], *, wrong: bool
) -> _Result:
    """Return the result of a task by a metric, which are named, by split and subset."""
    if len(found) > 1:
        found = dict(sorted(found.items(), key=itemgetter(0)))
    parts, scores = _once(tuple(found)), tuple(found.values())
    task, metric = named[0] or Path(path).stem, named[1]
    version, data = _version(text(given.get("mteb_version"))), text(given.get("dataset_revision"))
    seconds = _score(given.get("evaluation_time"))
    return _Result(path, _folder(path), task, metric, version, data, seconds, parts, scores, wrong)


@cache
def _version(said: str) -> tuple[int, ...]:
    """Return the numbers of a version."""
    found = _VERSION.match(said)
    return tuple(map(int, found[0].split(".")))[:4] if found and len(found[0]) < _LONGEST else ()


@cache
def _once(parts: _Parts) -> _Parts:
    """Return splits and subsets, which many files share: their names are then kept, and sent to processes, once."""
    return parts


def _folder(path: str) -> str:
    """Return the folder, which many files share."""
    return sys.intern(os.path.dirname(path))  # noqa: PTH120  # a hundred thousand times


def _score(value: Any) -> float:
    score = plain_number(value)
    return math.nan if score is None else score


def _legacy(path: str, given: Mapping[str, Any]) -> _Result:
    """Return a file of a version before 1.11: scores by split, or by split and subset, under the names of that time."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for split, row in given.items():
        scores = mapping(row)
        subsets = {name: part for name, part in scores.items() if isinstance(part, dict) and name not in _NO_SUBSETS}
        found |= {(split, name): part for name, part in subsets.items()}
        if scores and not subsets:
            found[split, "default"] = scores
    task = text(given.get("mteb_dataset_name"))
    of_pairs = any("precision" in scores and "f1" in scores for scores in found.values())
    usual = {"f1": "f1", **_LEGACY} if of_pairs else {name: way for name, way in _LEGACY.items() if name != "f1"}
    special = {"main_score": _LEGACY_TASKS[task]} if task in _LEGACY_TASKS else {}
    ways = [("main_score", "main_score"), *special.items(), *usual.items(), *_LEGACY_OTHERS.items()]
    there = (one for one in ways if any(plain_number(at(scores, one[1])) is not None for scores in found.values()))
    metric, way = next(there, ways[0])
    values = {part: _score(at(scores, way)) for part, scores in found.items()}
    return _of(path, given, (task, "main_score" if metric in _LEGACY else metric), values, wrong=False)


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield one run of a model on a task: of its best revision, on the subsets that most models have."""
    parts = [content.part for content in contents]
    results = [part for part in parts if isinstance(part, _Result)]
    models = {part.folder: part for part in parts if isinstance(part, _Model)}
    joined, several = _joined(results, models)
    tasks: dict[tuple[str, str], list[tuple[str, _Result]]] = {}
    for (system, task, metric), result in joined.items():
        tasks.setdefault((task, metric), []).append((system, result))
    kept, lacking, revisions = [], Counter[str](), 0
    for (task, _), group in tasks.items():
        counts = Counter(result.parts for _, result in group)
        common = max(counts, key=lambda parts: (counts[parts], len(parts), parts))
        revisions += len({result.data for _, result in group if result.data}) > 1
        for system, result in group:
            if common == result.parts or set(common) <= set(result.parts):
                kept.append((system, result, common))
            else:
                lacking[task] += 1
    notes = tuple(_said(parts, several, lacking, revisions))
    for system, one, common in kept:
        scores = one.scores
        if common != one.parts:
            by_part = dict(zip(one.parts, one.scores, strict=True))
            scores = tuple(by_part[part] for part in common)
        mean, metric = math.fsum(scores) / len(scores) if scores else math.nan, one.metric
        order = int(metric != "main_score")
        known = models[one.folder].known if one.folder in models else {}
        known = known if math.isnan(one.seconds) else {**known, "seconds": one.seconds}
        named = one.path, system, one.task, metric, mean
        yield Run(*named, higher_is_better=True, metric_order=order, covariates=known, notes=notes)


def _said(parts: Sequence[Any], several: int, lacking: Counter[str], revisions: int) -> Iterator[str]:
    if apart := sum(isinstance(part, str) for part in parts):
        yield f"left out: {how_many(apart, 'file')} of experiments, of models with other settings"
    if wrong := [ending(part.path, _SHOWN) for part in parts if isinstance(part, _Result) and part.wrong]:
        yield with_names("scores that are no numbers are missing: ", wrong, room=LONG)
    if lacking:
        scores, tasks = how_many(lacking.total(), "score"), how_many(len(lacking), "task")
        yield f"left out: {scores} on {tasks}, of models without some of the splits or languages that most models have"
    if several:
        which = "of several revisions of a model, one with a version of mteb and a name counts, then the newest"
        yield f"{which} ({how_many(several, 'score')})"
    if revisions:
        yield f"{how_many(revisions, 'task')} were run on several revisions of the data, which MTEB compares as one"


def _joined(
    results: Sequence[_Result], models: Mapping[str, _Model]
) -> tuple[dict[tuple[str, str, str], _Result], int]:
    """Join several revisions of a model as MTEB does: one with a version, one with a name, the newest."""
    best: dict[tuple[str, str, str], _Result] = {}
    several: set[tuple[str, str, str]] = set()
    systems = {folder: _system(folder, models.get(folder)) for folder in {result.folder for result in results}}
    for result in sorted(results, key=_rank):
        if not all(map(math.isnan, result.scores)):
            key = systems[result.folder], result.task, result.metric
            if key in best:
                several.add(key)
            best[key] = result
    return best, len(several)


def _rank(result: _Result) -> tuple[bool, bool, tuple[int, ...], str]:
    named = _names(result.folder)[1] not in _UNNAMED
    return bool(result.version), named, result.version, result.path


def _system(folder: str, model: _Model | None) -> str:
    """Name of the model, as the description beside its results has it, or the folder above that of the revision."""
    described = "" if model is None else model.name
    above, own = _names(folder)
    if described or "__" in above or _REVISION.fullmatch(own):
        return described or above.replace("__", "/", 1)
    return own.replace("__", "/", 1) if "__" in own or not above else f"{above}/{own}"


@cache
def _names(folder: str) -> tuple[str, str]:
    """Return names of the folder above and of the folder, which thousands of files share."""
    return Path(folder).parent.name, Path(folder).name


TOOLS = (Tool("mteb", "MTEB", _recognises, _read, unit=all_files, part=_part),)
