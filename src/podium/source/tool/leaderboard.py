"""Boards that models are run for: LiveBench, RewardBench, the Berkeley one of function calls, EuroEval and Aider's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from podium.base.words import About, cut_line
from podium.source.tool.content import Content
from podium.source.tool.hugging_face import loaded_yaml
from podium.source.tool.repeated import Repeated, numbers
from podium.source.tool.run import Run, Samples, Tool, labels
from podium.source.tool.timing import together
from podium.source.tool.value import listed, mapping, number, text

#: A score that LiveBench could not give.
_NO_SCORE = -1

#: What a file of RewardBench says beside the scores of its subsets.
_OF_REWARD_BENCH = frozenset(("model", "model_type", "chat_template", "ref_model", "tokenizer"))

#: Name of a file of scores of the function calling board: the version and the category.
_SCORES = re.compile(r"(?:BFCL_v\d+_)?(.+)_score\.jsonl?")

#: The first line of such a file.
_GRADED = frozenset(("accuracy", "correct_count", "total_count"))

#: How an entry of a board of Aider begins, and its scores, the main one first.
_ENTRY = (re.compile(rb"^- +dirname:", re.MULTILINE), re.compile(rb"^ +pass_rate_1:", re.MULTILINE))
_PASSED = ("pass_rate_2", "pass_rate_1")


def _is_of_livebench(content: Content) -> bool:
    given = {"question_id": (str, int), "task": str, "model": str, "score": object, "category": str}
    return content.has(**given) and "tstamp" in content.keys


def _read_livebench(contents: Sequence[Content]) -> Iterator[Run]:
    """The last score of each question; LiveBench does not tell upper from lower case in names of models."""
    for content in contents:
        found: dict[tuple[str, str], dict[Any, tuple[float, Any]]] = {}
        notes: tuple[str, ...] = ()
        for at, one in content.lines():
            if one is None:
                notes = (cut_line(content.path.name, at),)
                continue
            questions = found.setdefault((one["model"].lower(), str(one["task"])), {})
            time, before = float(one["tstamp"]), questions.get(one["question_id"])
            if before is None or time >= before[0]:
                questions[one["question_id"]] = (time, None if one["score"] == _NO_SCORE else one["score"])
        for (model, task), questions in found.items():
            scores = Repeated()
            for question, (_, score) in questions.items():
                scores.add(question, score)
            made = datetime.fromtimestamp(max(time for time, _ in questions.values()), UTC).isoformat()
            yield Run(
                content.name,
                model,
                task,
                "score",
                samples=scores.samples(),
                higher_is_better=True,
                made=made,
                whole=not notes,
                notes=notes,
            )


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
    right: int
    total: int
    wrong: frozenset[str]

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
            first["correct_count"],
            first["total_count"],
            frozenset(wrong),
        )

    @property
    def is_whole(self) -> bool:
        """Whether all calls that were wrong are listed."""
        return self.right + len(self.wrong) == self.total


def _is_of_bfcl(content: Content) -> bool:
    return content.keys >= _GRADED and isinstance(content.first_line, dict) and content.has(total_count=int)


def _read_bfcl(contents: Sequence[Content]) -> Iterator[Run]:
    """Every call of a category; those that no file lists were right everywhere, so that their names do not matter."""
    tasks: dict[str, list[_Graded]] = {}
    for part in BFCL.parts(contents):
        tasks.setdefault(part.task, []).append(part)
    for task, files in tasks.items():
        names = sorted(frozenset().union(*(file.wrong for file in files)))
        total = max(file.total for file in files)
        comparable = all(file.is_whole and file.total == total for file in files) and len(names) <= total
        calls = labels([*names, *(f"right everywhere {place}" for place in range(total - len(names)))])
        note = About("files that do not list all that was wrong, or were run on other calls, have means", task)
        for file in files:
            samples = Samples(calls, np.array([float(name not in file.wrong) for name in calls]))
            yield Run(
                file.where,
                file.system,
                task,
                "accuracy",
                file.right / file.total,
                samples if comparable else None,
                higher_is_better=True,
                notes=() if comparable else (note,),
            )


BFCL = Tool("bfcl", "Berkeley Function Calling Leaderboard", _is_of_bfcl, together, _read_bfcl, part=_Graded.of)


def _is_of_euroeval(content: Content) -> bool:
    versions = {"euroeval_version", "scandeval_version"}
    return content.has(dataset=str, model=str, results=dict) and not versions.isdisjoint(content.keys)


def _read_euroeval(contents: Sequence[Content]) -> Iterator[Run]:
    """Metrics of every iteration, which are repeats, since all draw from the same samples; the last record counts."""
    for content in contents:
        records: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        notes: tuple[str, ...] = ()
        for at, one in content.lines():
            if one is None:
                notes = (cut_line(content.path.name, at),)
            else:
                records[str(one["model"]), str(one["dataset"]), one.get("few_shot"), one.get("validation_split")] = one
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
