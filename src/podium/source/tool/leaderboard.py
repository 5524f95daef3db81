"""Boards: LiveBench, RewardBench, BFCL, EuroEval, Aider's, Epoch's hub, BIG-bench and ExplainaBoard.

- Results of learners on tables of data, fold by fold: the AutoML benchmark and TabArena.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import About
from podium.source.header import is_of_hub
from podium.source.tool.content import Content, listed, mapping, number, plain_number, text
from podium.source.tool.hugging_face import loaded_yaml
from podium.source.tool.run import Repeated, Run, Samples, Tool, labels, numbers, together

#: A score that LiveBench could not give.
_NO_SCORE = -1

#: What a file of RewardBench says beside the scores of its subsets.
_OF_REWARD_BENCH = frozenset(("model", "model_type", "chat_template", "ref_model", "tokenizer"))

#: Name of a file of scores of the function calling board: the version and the category.
_SCORES = re.compile(r"(?:BFCL_v\d+_)?(.+)_score\.jsonl?")

#: The first line of such a file, and how many calls it may be about.
_GRADED, _MOST = frozenset(("accuracy", "correct_count", "total_count")), 10**6

#: How an entry of a board of Aider begins, and its scores, the main one first.
_ENTRY = (re.compile(rb"^- +dirname:", re.MULTILINE), re.compile(rb"^ +pass_rate_1:", re.MULTILINE))
_PASSED = ("pass_rate_2", "pass_rate_1")

#: Names of files of metrics of one task: the task stands only there.
_METRICS = re.compile(r"(?P<task>.+?)_(?:few|zero|one)_shot_template.*_eval_metrics\.jsonl?")

#: The metric of a task that is made of those of its parts.
_DERIVED = "normalized_aggregate_score"

#: What stands for a data set that was not named.
_UNNAMED = ("", "dataset_name")


def _is_of_livebench(content: Content) -> bool:
    given = {"question_id": (str, int), "task": str, "model": str, "score": object, "category": str}
    return content.has(**given) and "tstamp" in content.keys


def _read_livebench(contents: Sequence[Content]) -> Iterator[Run]:
    """The last score of each question; LiveBench does not tell upper from lower case in names of models."""
    for content in contents:
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


LIVEBENCH = Tool("livebench", "LiveBench", _is_of_livebench, str, _read_livebench)


def _is_of_reward_bench(content: Content) -> bool:
    if content.has(model=str, accuracy=(int, float), num_prompts=int) and "extra_results" in content.keys:
        return True
    if not content.has(model=str, model_type=str) or "chat_template" not in content.keys:
        return False
    given = content.json
    is_scored = isinstance(given.get("results"), list) and isinstance(given.get("subset"), list)
    rest = [value for name, value in given.items() if name not in _OF_REWARD_BENCH]
    return is_scored or (bool(rest) and all(isinstance(value, float | int) for value in rest))


def _model(path: str) -> str:
    """The path without what tells the folders of scores of prompts and of shares apart."""
    return re.sub(r"-scores(?=[/\\])", "", path)


def _read_reward_bench(contents: Sequence[Content]) -> Iterator[Run]:
    """Whether the better answer had the higher reward, prompt by prompt, or else the share by subset."""
    for content in [content for content in contents if "subset" in content.keys] or contents:
        given = content.json
        of_subset: dict[str, Repeated] = {}
        if "subset" in given:
            places = listed(given.get("id")) or list(range(len(given["results"])))
            for subset, place, right in zip(given["subset"], places, given["results"], strict=True):
                of_subset.setdefault(str(subset), Repeated()).add(place, right)
        shares = mapping(given.get("extra_results")) or given
        means = {name: number(value) for name, value in shares.items() if name not in _OF_REWARD_BENCH}
        if "num_prompts" in means:
            means = {"preferences": means["accuracy"]}
        for task in of_subset or means:
            samples = of_subset[task].samples() if of_subset else None
            mean = None if of_subset else means[task]
            yield Run(content.name, given["model"], task, "accuracy", mean, samples, higher_is_better=True)


REWARD_BENCH = Tool("reward-bench", "RewardBench", _is_of_reward_bench, _model, _read_reward_bench)


@dataclass(frozen=True, slots=True)
class _Graded:
    """What a file of the function calling board says: how many calls were right, and which were wrong."""

    where: str
    system: str
    task: str
    accuracy: float | None
    right: int
    total: int
    wrong: tuple[str, ...]

    @classmethod
    def of(cls, content: Content) -> "_Graded":
        """Read a file; it lists the calls that were wrong."""
        first, wrong, model = mapping(content.first_line), [], ""
        for _, one in content.lines():
            if isinstance(one, dict) and "id" in one:
                wrong.append(str(one["id"]))
                model = text(one.get("model_name"))
        found, parts = _SCORES.fullmatch(content.path.name), content.path.resolve().parts[:-1]
        after = parts[len(parts) - parts[::-1].index("score") :] if "score" in parts else ()
        return cls(
            content.name,
            after[0] if after else model or parts[-1],
            found[1] if found else content.path.stem,
            number(first["accuracy"]),
            first["correct_count"],
            first["total_count"],
            tuple(dict.fromkeys(wrong)),
        )

    def is_whole(self, total: int) -> bool:
        """Whether it is about so many calls, and all that were wrong are listed."""
        return self.right + len(self.wrong) == self.total == total <= _MOST


def _is_of_bfcl(content: Content) -> bool:
    return content.keys >= _GRADED and isinstance(content.first_line, dict) and content.has(total_count=int)


def _read_bfcl(contents: Sequence[Content]) -> Iterator[Run]:
    """Every call of a category; those that no file lists were right everywhere, so that their names do not matter."""
    tasks: dict[str, list[_Graded]] = {}
    for part in BFCL.parts(contents):
        tasks.setdefault(part.task, []).append(part)
    for task, files in tasks.items():
        names = sorted({name for file in files for name in file.wrong})
        total = files[0].total
        comparable = all(file.is_whole(total) for file in files) and len(names) <= total
        note = About("files that do not list all that was wrong, or were run on other calls, have means", task)
        for file in files:
            run = Run(file.where, file.system, task, "accuracy", file.accuracy, higher_is_better=True)
            if comparable:
                calls = [*names, *(f"right everywhere {place}" for place in range(total - len(names)))]
                wrong = set(file.wrong)
                right = np.array([float(name not in wrong) for name in calls])
                yield replace(run, samples=Samples(labels(calls), right))
            else:
                yield replace(run, notes=(note,))


BFCL = Tool("bfcl", "Berkeley Function Calling Leaderboard", _is_of_bfcl, together, _read_bfcl, part=_Graded.of)


def _is_of_euroeval(content: Content) -> bool:
    versions = {"euroeval_version", "scandeval_version"}
    return content.has(dataset=str, model=str, results=dict) and not versions.isdisjoint(content.keys)


def _read_euroeval(contents: Sequence[Content]) -> Iterator[Run]:
    """Metrics of every iteration, which are repeats, since all draw from the same samples; the last record counts."""
    for content in contents:
        lines, notes = content.records()
        how = ("few_shot", "validation_split")
        records = {(str(one["model"]), str(one["dataset"]), *map(one.get, how)): one for one in lines}
        for (model, dataset, few_shot, validation), record in records.items():
            results = record["results"]
            raw = results.get("raw")
            iterations = [mapping(one) for one in listed(raw.get("test") if isinstance(raw, dict) else raw)]
            total = mapping(results.get("total"))
            size = number(record.get("num_model_parameters"))
            names = [name for name in total if not name.endswith(("_se", "_num_samples")) and "failed" not in name]
            for place, name in enumerate(names):
                metric, scores = name.removeprefix("test_"), Repeated()
                for one in iterations:
                    scores.add(0, one.get(name, one.get(metric)))
                yield Run(
                    content.name,
                    model,
                    dataset,
                    metric,
                    number(total[name]),
                    scores.samples() if iterations and not scores.missing else None,
                    place=place,
                    settings={} if few_shot is None else {"few-shot": str(few_shot).lower()},
                    task_settings={} if validation is None else {"split": "validation" if validation else "test"},
                    covariates={"parameters": size} if size is not None and size > 0 else {},
                    notes=notes,
                )


EUROEVAL = Tool("euroeval", "EuroEval", _is_of_euroeval, str, _read_euroeval)


def _is_of_aider(content: Content) -> bool:
    is_yaml = content.path.suffix.lower() in (".yaml", ".yml")
    return is_yaml and all(part.search(content.head) for part in _ENTRY)


def _read_aider(contents: Sequence[Content]) -> Iterator[Run]:
    """Shares of exercises that were solved; the file is the task."""
    for content in contents:
        for entry in map(mapping, listed(loaded_yaml(content, content.path.read_bytes()))):
            used = numbers(entry, {"total_cost": "cost", "seconds_per_case": "seconds"})
            found = [(metric, share) for metric in _PASSED if (share := number(entry.get(metric))) is not None]
            for place, (metric, share) in enumerate(found):
                yield Run(
                    content.name,
                    text(entry["model"]),
                    content.path.stem,
                    metric,
                    share,
                    higher_is_better=True,
                    place=place,
                    made=text(entry.get("dirname")),
                    settings={"edit format": text(entry.get("edit_format"))},
                    covariates={name: value for name, value in used.items() if value},
                )


AIDER = Tool("aider", "Aider's leaderboards", _is_of_aider, str, _read_aider)


def _read_hub(contents: Sequence[Content]) -> Iterator[Run]:
    """The score of every model, which stands second; each file is a benchmark."""
    for content in contents:
        metric = content.columns[1]
        for row in content.rows():
            score = plain_number(row[metric])
            if row["Model version"] and score is not None:
                made = text(row.get("Started at"))
                yield Run(content.name, row["Model version"], content.path.stem, metric, score, made=made)


HUB = Tool("epoch-hub", "Epoch AI's hub", lambda content: is_of_hub(content.columns), str, _read_hub)


def _is_of_big_bench(content: Content) -> bool:
    if {"model", "scores"} <= content.keys:
        entries = [mapping(one) for one in listed(content.json.get("scores"))]
        return bool(entries) and all({"score_dict", "preferred_score"} <= one.keys() for one in entries)
    if not _METRICS.fullmatch(content.path.name) or not content.keys:
        return False
    values = mapping(content.first_line or content.json).values()
    return all(number(value) is not None for value in values)


def _read_big_bench(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        given = mapping(content.value())
        yield from _scores_of_big_bench(content, given) if "scores" in given else _metrics(content, given)


BIG_BENCH = Tool("big-bench", "BIG-bench", _is_of_big_bench, str, _read_big_bench)


def _metrics(content: Content, given: Mapping[str, Any]) -> Iterator[Run]:
    """A file of one task, in the folder of the model."""
    named = _METRICS.fullmatch(content.path.name)
    task = named["task"] if named else content.path.stem
    folder = content.path.resolve().parent.name
    found = [(metric, number(value)) for metric, value in given.items()]
    for place, (metric, value) in enumerate(pair for pair in found if pair[1] is not None):
        yield Run(content.name, folder, task, metric, value, place=place)


def _scores_of_big_bench(content: Content, given: Mapping[str, Any]) -> Iterator[Run]:
    """A file of one model on one task, with its parts, by numbers of examples."""
    model = mapping(given.get("model"))
    system = " ".join(part for part in (text(model.get("model_family")), text(model.get("model_name"))) if part)
    if not system:
        raise InputError(f"{content.name}: its model has neither model_family nor model_name")
    folder = content.path.resolve().parent
    whole = folder.parent.name if folder.name == "results" else text(mapping(given.get("task")).get("task_name"))
    entries = [mapping(one) for one in listed(given.get("scores"))]
    parts = [one for one in entries if one.get("preferred_score") != _DERIVED] or entries
    total = number(model.get("total_params"))
    for entry in parts:
        part = text(entry.get("subtask_description"))
        main, shots = text(entry.get("preferred_score")), text(entry.get("number_of_shots"))
        high, low = number(entry.get("high_score")), number(entry.get("low_score"))
        found = {name: number(value) for name, value in mapping(entry.get("score_dict")).items()}
        there = [name for name, value in found.items() if value is not None and (name != _DERIVED or name == main)]
        order = sorted(there, key=lambda name: name != main)
        for place, metric in enumerate(order):
            known = metric == main and high is not None and low is not None and high != low
            yield Run(
                content.name,
                system,
                _part(whole, part) or content.path.stem,
                metric,
                mean=found[metric],
                higher_is_better=(high or 0) > (low or 0) if known else None,
                place=place,
                task_settings={"n-shot": shots} if shots else {},
                covariates={} if total is None else {"parameters": total},
            )


def _part(whole: str, part: str) -> str:
    """A part of a task, with the name of the task, which parts of several tasks may share.

    >>> _part("arithmetic", "1 digit"), _part("arithmetic", "arithmetic:3"), _part("arithmetic", "")
    ('arithmetic: 1 digit', 'arithmetic:3', 'arithmetic')
    """
    return f"{whole}: {part}" if whole and part and whole not in part else part or whole


def _is_of_explainaboard(content: Content) -> bool:
    if not {"task_name", "results", "dataset_name"} <= content.keys:
        return False
    overall = mapping(content.json.get("results")).get("overall")
    return bool(list(_scores_of_explainaboard(overall)))


def _read_explainaboard(contents: Sequence[Content]) -> Iterator[Run]:
    for content in contents:
        yield from _runs(content)


EXPLAINABOARD = Tool("explainaboard", "ExplainaBoard", _is_of_explainaboard, str, _read_explainaboard)


def _runs(content: Content) -> Iterator[Run]:
    """One run for every metric of a report; a system without a name has that of its file."""
    given = mapping(content.value())
    data, part = text(given.get("dataset_name")), text(given.get("sub_dataset_name"))
    system = text(given.get("system_name"))
    notes = () if system else (About("files without the name of a system give it their own", content.path.name),)
    task = text(given.get("task_name")) if data in _UNNAMED else "/".join(name for name in (data, part) if name)
    asked = {
        "task": given.get("task_name"),
        "split": given.get("dataset_split"),
        "language": given.get("language") or given.get("target_language"),
    }
    for place, (metric, value) in enumerate(_scores_of_explainaboard(mapping(given.get("results")).get("overall"))):
        yield Run(
            content.name,
            system or content.path.stem,
            task or content.path.stem,
            metric,
            value,
            place=place,
            task_settings={name: text(said) for name, said in asked.items() if text(said)},
            notes=notes,
        )


def _scores_of_explainaboard(overall: Any, level: str = "") -> Iterator[tuple[str, float]]:
    """Metrics and values: a list, by metric, or by level of analysis and metric, as versions have them."""
    if isinstance(overall, list):
        for one in map(mapping, listed(overall)):
            yield from _score(text(one.get("metric_name")), one)
        return
    for name, one in mapping(overall).items():
        found = list(_score(f"{level}{name}", mapping(one)))
        yield from found or (_scores_of_explainaboard(one, _level(name)) if not level and isinstance(one, dict) else ())


def _level(name: str) -> str:
    """Before metrics of levels other than that of whole examples."""
    return "" if name == "example" else f"{name}/"


def _score(metric: str, one: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The value, which older versions write as text."""
    value = one.get("value", mapping(mapping(one.get("values")).get("score")).get("value"))
    try:
        found = float(value) if isinstance(value, str) else number(value)
    except ValueError:
        found = None
    if metric and found is not None:
        yield metric, found


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column holds what.

    Attributes
    ----------
    system, task, score
        Names of columns; the column of folds is `fold`.
    higher
        Whether a higher score is better.
    settings
        Columns that tell systems of equal names apart.
    measured
        Columns of what else was measured, and what they are called.
    """

    system: str
    task: str
    score: str
    higher: bool
    settings: tuple[str, ...]
    measured: Mapping[str, str]

    @property
    def columns(self) -> frozenset[str]:
        """Columns that all its files have."""
        return frozenset((self.system, self.task, self.score, "fold"))

    def takes(self, content: Content) -> bool:
        """Whether a file has these columns, and one that tells it from other tables."""
        return self.columns <= set(content.columns) and not set(self.measured).isdisjoint(content.columns)

    def read(self, contents: Sequence[Content]) -> Iterator[Run]:
        """The score of every fold, which is an instance; where a fold was run again, the newest that has one counts."""
        for content in contents:
            known = [*self.columns, *self.settings, *self.measured, "metric", "utc", "imputed"]
            rows = content.rows([name for name in known if name in content.columns])
            runs: dict[tuple[str, ...], dict[Any, Mapping[str, Any]]] = {}
            for row in sorted(rows, key=lambda row: (bool(text(row[self.score])), text(row.get("utc")))):
                key = tuple(text(row.get(name)) for name in (self.task, self.system, *self.settings))
                runs.setdefault(key, {})[_fold(row["fold"])] = row
            for (task, system, *settings), folds in runs.items():
                yield self._run(content, task, system, settings, folds)

    def _run(
        self, content: Content, task: str, system: str, settings: Sequence[str], folds: Mapping[Any, Mapping[str, Any]]
    ) -> Run:
        scores = Repeated()
        for fold, row in folds.items():
            found = {called: plain_number(row.get(name)) for name, called in self.measured.items()}
            measured = {called: value for called, value in found.items() if value is not None}
            score = plain_number(row[self.score])
            scores.add(fold, score, measured)
        imputed = sum(str(row.get("imputed")).lower() == "true" for row in folds.values())
        told = {
            "results of others that stand for failed ones count, as in TabArena": imputed,
            "folds without a result are missing": scores.missing,
        }
        last = list(folds.values())[-1]
        return Run(
            content.name,
            system,
            task,
            text(last.get("metric")) or self.score if self.higher else self.score,
            samples=scores.samples(),
            higher_is_better=self.higher,
            made=text(last.get("utc")),
            settings={name: value for name, value in zip(self.settings, settings, strict=True) if value},
            notes=tuple(About(kind, f"{system} on {task} ({count:,})") for kind, count in told.items() if count),
        )


def _fold(given: Any) -> int | str:
    """The label of a fold, which is an integer in all but odd files."""
    value = plain_number(given)
    return int(value) if value is not None and math.isfinite(value) and value.is_integer() else text(given)


_AUTOML = _Layout("framework", "task", "result", True, ("constraint", "version"), {"duration": "seconds"})
_TABARENA = _Layout("method", "dataset", "metric_error", False, (), {"time_train_s": "seconds"})

AUTOML = Tool("automl-benchmark", "AutoML benchmark", _AUTOML.takes, str, _AUTOML.read)
TABARENA = Tool("tabarena", "TabArena", _TABARENA.takes, str, _TABARENA.read)


TOOLS = (LIVEBENCH, REWARD_BENCH, BFCL, EUROEVAL, AIDER, HUB, BIG_BENCH, EXPLAINABOARD, AUTOML, TABARENA)
