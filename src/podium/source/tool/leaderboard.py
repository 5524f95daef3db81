"""Boards of LiveBench, RewardBench, BFCL, EuroEval, Aider, Epoch, BIG-bench, ExplainaBoard, AutoML and AlpacaEval."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About, Aside, how_many
from podium.source.table import is_board, is_of_hub
from podium.source.tool.content import (
    Content,
    at,
    having,
    label_of,
    listed,
    mapping,
    number,
    numbers,
    plain_number,
    text,
    words,
    written_number,
)
from podium.source.tool.run import Repeated, Run, Samples, Tool, all_files, counted, each_metric, labels

#: A score that LiveBench could not give.
_NO_SCORE = -1

#: What a file of RewardBench says beside the scores of its subsets.
_OF_REWARD_BENCH = frozenset(("model", "model_type", "chat_template", "ref_model", "tokenizer"))

_BFCL = "Berkeley Function Calling Leaderboard"

#: Name of a file of its scores: the version and the category.
_SCORES = re.compile(r"(?:BFCL_v\d+_)?(.+)_score\.jsonl?")

#: The first line of such a file, and how many calls it may be about.
_GRADED, _MOST = frozenset(("accuracy", "correct_count", "total_count")), 10**6

#: How an entry of a board of Aider begins, and its scores, the main one first.
_ENTRY = (re.compile(rb"^- +dirname:", re.MULTILINE), re.compile(rb"^ +pass_rate_1:", re.MULTILINE))
_PASSED = {"pass_rate_2": "pass_rate_2", "pass_rate_1": "pass_rate_1"}

#: Names of files of metrics of one task of BIG-bench: the task stands only there.
_METRICS = re.compile(r"(?P<task>.+?)_(?:few|zero|one)_shot_template.*_eval_metrics\.jsonl?")

#: The metric of a task that is made of those of its parts.
_DERIVED = "normalized_aggregate_score"

#: What stands for a data set of ExplainaBoard that was not named.
_UNNAMED = ("", "dataset_name")


_is_of_livebench = having("tstamp", "score", question_id=(str, int), task=str, model=str, category=str)


def _read_livebench(content: Content) -> Iterator[Run]:
    """Yield the last score of each question; LiveBench does not tell upper from lower case in names of models."""
    found: dict[tuple[str, str], dict[Any, tuple[float, Any]]] = {}
    lines, notes = content.records()
    for one in lines:
        questions = found.setdefault((one["model"].lower(), str(one["task"])), {})
        time, before = float(one["tstamp"]), questions.get(one["question_id"])
        if before is None or time >= before[0]:
            questions[one["question_id"]] = (time, None if one["score"] == _NO_SCORE else one["score"])
    for (model, task), questions in found.items():
        scores = Repeated()
        for question, (_, score) in questions.items():
            scores.add(question, score)
        made = datetime.fromtimestamp(max(time for time, _ in questions.values()), UTC).isoformat()
        run = Run(content.name, model, task, "score", None, scores.samples(), higher_is_better=True, made=made)
        yield replace(run, whole=not notes, notes=notes)


def _is_of_reward_bench(content: Content) -> bool:
    if content.has(model=str, accuracy=(int, float), num_prompts=int) and "extra_results" in content.keys:
        return True
    if not content.has(model=str, model_type=str) or "chat_template" not in content.keys:
        return False
    given = content.json
    is_scored = isinstance(given.get("results"), list) and isinstance(given.get("subset"), list)
    rest = [value for name, value in given.items() if name not in _OF_REWARD_BENCH]
    return is_scored or (bool(rest) and all(isinstance(value, float | int) for value in rest))


def _model_folder(path: str) -> str:
    """Return the path without what tells the folders of scores of prompts and of shares apart."""
    return re.sub(r"-scores(?=[/\\])", "", path)


def _read_reward_bench(contents: Sequence[Content]) -> Iterator[Run]:
    """Score whether the better answer had the higher reward, prompt by prompt, or else the share by subset."""
    for content in [content for content in contents if "subset" in content.keys] or contents:
        given = content.json
        run = Run(content.name, given["model"], "", "accuracy", higher_is_better=True)
        of_subset: dict[str, Repeated] = {}
        if "subset" in given:
            places = listed(given.get("id")) or list(range(len(given["results"])))
            for subset, place, right in zip(given["subset"], places, given["results"], strict=True):
                of_subset.setdefault(str(subset), Repeated()).add(place, right)
        shares = mapping(given.get("extra_results")) or given
        means = {name: number(value) for name, value in shares.items() if name not in _OF_REWARD_BENCH}
        means = {"preferences": means["accuracy"]} if "num_prompts" in means else means
        yield from (replace(run, task=task, samples=scores.samples()) for task, scores in of_subset.items())
        yield from (replace(run, task=task, mean=mean) for task, mean in means.items() if not of_subset)


class _Graded(NamedTuple):
    """A file of the function calling board: how many calls were right, and which were wrong."""

    run: Run
    right: int
    total: int
    wrong: tuple[str, ...]

    @classmethod
    def of(cls, content: Content) -> "_Graded":
        """Read a file; it lists the calls that were wrong."""
        first = mapping(content.first_line)
        wrong = [one for _, one in content.lines() if isinstance(one, dict) and "id" in one]
        found, parts = _SCORES.fullmatch(content.path.name), content.path.resolve().parts[:-1]
        after = parts[len(parts) - parts[::-1].index("score") :] if "score" in parts else ()
        system = after[0] if after else (text(wrong[-1].get("model_name")) if wrong else "") or parts[-1]
        task, mean = found[1] if found else content.path.stem, number(first["accuracy"])
        run = Run(content.name, system, task, "accuracy", mean, higher_is_better=True)
        names = dict.fromkeys(str(one["id"]) for one in wrong)
        return cls(run, first["correct_count"], first["total_count"], tuple(names))


def _is_of_bfcl(content: Content) -> bool:
    return content.keys >= _GRADED and isinstance(content.first_line, dict) and content.has(total_count=int)


def _read_bfcl(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield all calls of a category; those that no file lists were right everywhere, so names do not matter."""
    tasks: dict[str, list[_Graded]] = {}
    for content in contents:
        tasks.setdefault(content.part.run.task, []).append(content.part)
    for task, files in tasks.items():
        names = sorted({name for file in files for name in file.wrong})
        total = files[0].total
        whole = all(file.right + len(file.wrong) == file.total == total <= _MOST for file in files)
        note = About("files that do not list all that was wrong, or were run on other calls, have means", task)
        if not whole or len(names) > total:
            yield from (replace(file.run, notes=(note,)) for file in files)
            continue
        calls = labels([*names, *(f"right everywhere {place}" for place in range(total - len(names)))])
        for file in files:
            wrong = set(file.wrong)
            yield replace(file.run, samples=Samples(calls, np.array([float(name not in wrong) for name in calls])))


def _is_of_euroeval(content: Content) -> bool:
    versions = {"euroeval_version", "scandeval_version"}
    return content.has(dataset=str, model=str, results=dict) and not versions.isdisjoint(content.keys)


def _read_euroeval(content: Content) -> Iterator[Run]:
    """Yield metrics of all iterations, as repeats, since all draw from the same samples; the last record counts."""
    lines, notes = content.records()
    how = ("few_shot", "validation_split")
    records = {(str(one["model"]), str(one["dataset"]), *map(one.get, how)): one for one in lines}
    for (model, dataset, few_shot, validation), record in records.items():
        raw = record["results"].get("raw")
        iterations = [mapping(one) for one in listed(raw.get("test") if isinstance(raw, dict) else raw)]
        total, size = mapping(record["results"].get("total")), number(record.get("num_model_parameters"))
        names = [name for name in total if not name.endswith(("_se", "_num_samples")) and "failed" not in name]
        samples: dict[str, Samples] = {}
        for name in names:
            metric, scores = name.removeprefix("test_"), Repeated()
            for one in iterations:
                scores.add(0, one.get(name, one.get(metric)))
            samples |= {metric: scores.samples()} if iterations and not scores.missing else {}
        means = {name.removeprefix("test_"): number(total[name]) for name in names}
        settings = {} if few_shot is None else {"few-shot": str(few_shot).lower()}
        asked = {} if validation is None else {"split": "validation" if validation else "test"}
        known = {"parameters": size} if size is not None and size > 0 else {}
        run = Run(content.name, model, dataset, "", settings=settings, task_settings=asked, covariates=known)
        run = replace(run, notes=notes)
        yield from each_metric(run, means, samples, order=means)


def _is_of_aider(content: Content) -> bool:
    is_yaml = content.path.suffix.lower() in (".yaml", ".yml")
    return is_yaml and all(part.search(content.head) for part in _ENTRY)


def _read_aider(content: Content) -> Iterator[Run]:
    """Yield shares of exercises that were solved; the file is the task."""
    for entry in map(mapping, listed(content.yaml())):
        used = numbers(entry, {"total_cost": "cost", "seconds_per_case": "seconds"})
        used = {name: value for name, value in used.items() if value}
        run = Run(content.name, text(entry["model"]), content.path.stem, "", higher_is_better=True, covariates=used)
        settings = {"edit format": text(entry.get("edit_format"))}
        run = replace(run, made=text(entry.get("dirname")), settings=settings)
        yield from each_metric(run, numbers(entry, _PASSED))


def _read_hub(content: Content) -> Iterator[Run]:
    """Yield the score of every model, which stands second; each file is a benchmark."""
    metric = content.columns[1]
    for row in content.rows():
        score = plain_number(row[metric])
        if row["Model version"] and score is not None:
            made = text(row.get("Started at"))
            yield Run(content.name, row["Model version"], content.path.stem, metric, score, made=made)


def _is_of_big_bench(content: Content) -> bool:
    if {"model", "scores"} <= content.keys:
        entries = [mapping(one) for one in listed(content.json.get("scores"))]
        return bool(entries) and all({"score_dict", "preferred_score"} <= one.keys() for one in entries)
    if not _METRICS.fullmatch(content.path.name) or not content.keys:
        return False
    values = mapping(content.first_line or content.json).values()
    return all(number(value) is not None for value in values)


def _read_big_bench(content: Content) -> Iterator[Run]:
    """Yield runs of a file of one task, in the folder of the model; or of one model on one task, with its parts."""
    given = mapping(content.value())
    folder = content.path.resolve().parent
    if "scores" not in given:
        named = _METRICS.fullmatch(content.path.name)
        run = Run(content.name, folder.name, named["task"] if named else content.path.stem, "")
        yield from each_metric(run, {name: value for name, one in given.items() if (value := number(one)) is not None})
        return
    system = " ".join(words(given, {"model.model_family": "family", "model.model_name": "name"}).values())
    if not system:
        raise InputError(f"{content.name}: its model has neither model_family nor model_name")
    whole = folder.parent.name if folder.name == "results" else text(at(given, "task.task_name"))
    entries = [mapping(one) for one in listed(given.get("scores"))]
    size = numbers(given, {"model.total_params": "parameters"})
    for entry in [one for one in entries if one.get("preferred_score") != _DERIVED] or entries:
        main, high, low = text(entry.get("preferred_score")), *map(number, map(entry.get, ("high_score", "low_score")))
        found = {name: number(value) for name, value in mapping(entry.get("score_dict")).items()}
        there = [name for name, value in found.items() if value is not None and (name != _DERIVED or name == main)]
        task = _part(whole, text(entry.get("subtask_description"))) or content.path.stem
        asked = words(entry, {"number_of_shots": "n-shot"})
        run = Run(content.name, system, task, "", task_settings=asked, covariates=size)
        higher = {main: high > low} if high is not None and low is not None and high != low else {}
        yield from each_metric(run, found, order=sorted(there, key=lambda name: name != main), higher=higher)


def _part(whole: str, part: str) -> str:
    """Return a part of a task, with the name of the task, which parts of several tasks may share.

    >>> _part("arithmetic", "1 digit"), _part("arithmetic", "arithmetic:3"), _part("arithmetic", "")
    ('arithmetic: 1 digit', 'arithmetic:3', 'arithmetic')
    """
    return f"{whole}: {part}" if whole and part and whole not in part else part or whole


def _is_of_explainaboard(content: Content) -> bool:
    if not {"task_name", "results", "dataset_name"} <= content.keys:
        return False
    return bool(_explained(at(content.json, "results.overall")))


def _read_explainaboard(content: Content) -> Iterator[Run]:
    """Yield one run for every metric of a report; a system without a name has that of its file."""
    given = mapping(content.value())
    data, part, system = (text(given.get(name)) for name in ("dataset_name", "sub_dataset_name", "system_name"))
    task = text(given.get("task_name")) if data in _UNNAMED else "/".join(filter(None, (data, part)))
    language = text(given.get("language")) or text(given.get("target_language"))
    notes = () if system else (About("files without the name of a system give it their own", content.path.name),)
    told = words(given, {"task_name": "task", "dataset_split": "split"}) | ({"language": language} if language else {})
    stem = content.path.stem
    run = Run(content.name, system or stem, task or stem, "", task_settings=told, notes=notes)
    yield from each_metric(run, _explained(at(given, "results.overall")))


def _explained(overall: Any, level: str = "") -> dict[str, float]:
    """Return values by metric: of a list, by metric, or by level of analysis and metric, as versions have them."""
    if isinstance(overall, list):
        named = [(text(at(one, "metric_name")), mapping(one)) for one in listed(overall)]
        found = ((name, _explained_value(one)) for name, one in named)
        return {name: value for name, value in found if name and value is not None}
    scores: dict[str, float] = {}
    for name, one in mapping(overall).items():
        value = _explained_value(mapping(one))
        if name and value is not None:
            scores[f"{level}{name}"] = value
        elif not level and isinstance(one, dict):
            scores |= _explained(one, "" if name == "example" else f"{name}/")
    return scores


def _explained_value(one: Mapping[str, Any]) -> float | None:
    """Return the value, which older versions write as text."""
    return written_number(one.get("value", at(one, "values.score.value")))


@dataclass(frozen=True, slots=True)
class _Folds:
    """Columns of a table of learners by what they hold; that of folds is `fold`.

    Attributes
    ----------
    system, task, score
        Names of columns.
    higher
        Whether a higher score is better.
    settings
        Columns that tell systems of equal names apart.
    seconds
        The column of seconds, which tells the table from others.
    """

    system: str
    task: str
    score: str
    higher: bool
    settings: tuple[str, ...]
    seconds: str


def _has_folds(layout: _Folds, content: Content) -> bool:
    return {layout.system, layout.task, layout.score, layout.seconds, "fold"} <= set(content.columns)


def _read_folds(layout: _Folds, content: Content) -> Iterator[Run]:
    """Yield the score of every fold, which is an instance; if a fold was run again, the newest that has one counts."""
    own = (layout.system, layout.task, layout.score, layout.seconds, *layout.settings)
    rows = content.rows([name for name in (*own, "fold", "metric", "utc", "imputed") if name in content.columns])
    runs: dict[tuple[str, ...], dict[Any, Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: (bool(text(row[layout.score])), text(row.get("utc")))):
        key = tuple(text(row.get(name)) for name in (layout.task, layout.system, *layout.settings))
        runs.setdefault(key, {})[_fold(row["fold"])] = row
    for (task, system, *settings), folds in runs.items():
        scores, last = Repeated(), list(folds.values())[-1]
        for fold, row in folds.items():
            seconds = plain_number(row.get(layout.seconds))
            scores.add(fold, plain_number(row[layout.score]), {} if seconds is None else {"seconds": seconds})
        imputed = sum(str(row.get("imputed")).lower() == "true" for row in folds.values())
        notes = {"results of others that stand for failed ones count, as in TabArena": imputed}
        notes |= {"folds without a result are missing": scores.missing}
        metric = text(last.get("metric")) or layout.score if layout.higher else layout.score
        run = Run(content.name, system, task, metric, samples=scores.samples(), higher_is_better=layout.higher)
        told = {name: value for name, value in zip(layout.settings, settings, strict=True) if value}
        yield replace(run, made=text(last.get("utc")), settings=told, notes=counted(f"{system} on {task}", notes))


def _fold(given: Any) -> int | str:
    """Return the label of a fold, which is an integer in all but odd files."""
    value = plain_number(given)
    return int(value) if value is not None and math.isfinite(value) and value.is_integer() else text(given)


_AUTOML = _Folds("framework", "task", "result", True, ("constraint", "version"), "duration")
_TABARENA = _Folds("method", "dataset", "metric_error", False, (), "time_train_s")

#: Members of every annotation.
_ANNOTATION = frozenset(("instruction", "generator_1", "generator_2", "annotator", "preference"))

#: Metrics of leaderboards, the main one first.
_WIN_RATES = ("length_controlled_winrate", "win_rate", "discrete_win_rate")

#: Preferences that are ties: 0 in early versions.
_TIES = (0.0, 1.5)


def _is_of_alpaca_eval(content: Content) -> bool:
    if content.head[:1] == b"[":
        first = content.first_element
        return isinstance(first, dict) and first.keys() >= _ANNOTATION
    return is_board(content.columns)


def _part_of_alpaca_eval(content: Content) -> tuple[Run, ...]:
    return tuple(_annotated(content) if content.head[:1] == b"[" else _read_alpaca_board(content))


def _read_alpaca_eval(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield all runs; the reference, which systems share, wins half of the comparisons with itself."""
    references: dict[tuple[str, str], dict[str, None]] = {}
    systems: set[tuple[str, str, str]] = set()
    for run in chain.from_iterable(content.part for content in contents):
        yield run
        if run.samples is not None:
            reference = run.task_settings["reference"]
            systems.add((run.system, run.task, reference))
            references.setdefault((run.task, reference), {}).update(dict.fromkeys(run.samples.instances))
    for (annotator, reference), instances in references.items():
        if (reference, annotator, reference) not in systems:
            own = Repeated()
            own.fill(instances, 50.0)
            notes = (Aside(f"{reference}, with which others are compared, has 50 on all instructions"),)
            yield _win_rates(contents[0], (reference, annotator, reference), own, notes)


def _win_rates(
    content: Content, key: tuple[str, str, str], scores: Repeated, notes: tuple[str, ...], *, cut: bool = False
) -> Run:
    system, annotator, reference = key
    run = Run(content.name, system, annotator, "win_rate", None, scores.samples(), higher_is_better=True)
    settings = {"reference": reference}
    return replace(run, metric_order=1, task_settings=settings, whole=not cut, ended=not cut, notes=notes)


def _annotated(content: Content) -> Iterator[Run]:
    """Yield a run of each system that was compared with a reference; its scores are win rates in percent."""
    scores: dict[tuple[str, str, str], Repeated] = {}
    failed: Counter[tuple[str, str, str]] = Counter()
    seen: Counter[tuple[str, str, str, str]] = Counter()
    cut = False
    for place, one in enumerate(content.elements(), start=1):
        if one is None:
            cut = True
            break
        where = f"{content.name}, element {place}"
        if not isinstance(one, dict) or not one.keys() >= _ANNOTATION:
            raise InputError(f"{where}: it is no annotation of AlpacaEval; is the file damaged?")
        key = (text(one["generator_2"]), text(one["annotator"]), text(one["generator_1"]))
        if not all(key):
            raise InputError(f"{where}: a generator or the annotator has no name")
        asked = text(one["instruction"])
        label = label_of(asked, f"{one.get('dataset')}\n{asked}")
        seen[(*key, label)] += 1
        label += f" ({again})" if (again := seen[(*key, label)]) > 1 else ""
        preference = _preference(one["preference"], where)
        failed[key] += preference is None
        scores.setdefault(key, Repeated()).add(label, None if preference is None else 100 * (preference - 1))
    for key, found in scores.items():
        system, annotator, _ = key
        notes = [f"{content.name} is cut off"] if cut else []
        if failed[key]:
            lacking = how_many(failed[key], "annotation")
            notes.append(f"{system}: {lacking} by {annotator} failed; missing, as in its win rate")
        yield _win_rates(content, key, found, tuple(notes), cut=cut)


def _preference(value: Any, where: str) -> float | None:
    """Return the preference, from 1 (the reference is better) to 2; None if annotating failed."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value in _TIES:
            return 1.5
        if 1 <= value <= 2:
            return float(value)
    raise InputError(f"{where}: the preference is {str(value)[:40]!r}, and not 0, null, or a number from 1 to 2")


def _read_alpaca_board(content: Content) -> Iterator[Run]:
    """Yield scores of a leaderboard; if a system stands there twice, its first row counts."""
    annotator = content.path.stem.removesuffix("_leaderboard")
    if annotator in ("", "leaderboard"):
        annotator = content.path.resolve().parent.name
    first: dict[str, Mapping[str, str]] = {}
    again = 0
    for row in content.rows():
        if system := row[content.columns[0]]:
            again += system in first
            first.setdefault(system, row)
    notes = (f"{content.path.name}: {how_many(again, 'row')} left out, since the system stands above",) if again else ()
    for system, row in first.items():
        means = {metric: written_number(row.get(metric) or "") for metric in _WIN_RATES}
        length = written_number(row.get("avg_length") or "")
        covariates = {} if length is None else {"length": length}
        run = Run(content.name, system, annotator, "", higher_is_better=True, covariates=covariates, notes=notes)
        yield from (one for one in each_metric(run, means) if one.mean is not None)


TOOLS = (
    Tool("big-bench", "BIG-bench", _is_of_big_bench, _read_big_bench),
    Tool("explainaboard", "ExplainaBoard", _is_of_explainaboard, _read_explainaboard),
    Tool("livebench", "LiveBench", _is_of_livebench, _read_livebench),
    Tool("reward-bench", "RewardBench", _is_of_reward_bench, _read_reward_bench, unit=_model_folder),
    Tool("bfcl", _BFCL, _is_of_bfcl, _read_bfcl, unit=all_files, part=_Graded.of),
    Tool("euroeval", "EuroEval", _is_of_euroeval, _read_euroeval),
    Tool("aider", "Aider's leaderboards", _is_of_aider, _read_aider),
    Tool("epoch-hub", "Epoch AI's hub", lambda content: is_of_hub(content.columns), _read_hub),
    Tool("automl-benchmark", "AutoML benchmark", partial(_has_folds, _AUTOML), partial(_read_folds, _AUTOML)),
    Tool("tabarena", "TabArena", partial(_has_folds, _TABARENA), partial(_read_folds, _TABARENA)),
    Tool("alpaca-eval", "AlpacaEval", _is_of_alpaca_eval, _read_alpaca_eval, unit=all_files, part=_part_of_alpaca_eval),
)
