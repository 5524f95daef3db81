"""Results of SWE-bench: reports of its harness, of a run or of instances, and submissions to its leaderboard."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Repeated, Run, Tool, numbers

#: Lists of a submission; an instance in one of them was part of the benchmark.
_SUBMITTED = ("no_generation", "no_logs", "generated", "with_logs", "applied", "no_apply", "resolved")

_LISTS = frozenset((*_SUBMITTED, "install_fail", "reset_failed", "test_errored", "test_timeout"))

#: Instances that have a score of 0 by the convention of the leaderboard, and those that were not run.
_FAILED = ("completed_ids", "unresolved_ids", "error_ids", "failed_ids", "empty_patch_ids")
_NOT_RUN = ("incomplete_ids", "pending_ids")

#: How many instances a leaderboard counts.
_COUNTS = {"verified": 500, "bash-only": 500, "lite": 300, "test": 2294, "multimodal": 517, "multilingual": 300}

_TASK, _METRIC, _SHARE = "SWE-bench", "resolved", "tests fixed"

#: Where the harness puts reports of instances, beside those of runs.
_LOGS = "logs/run_evaluation/"

_DATE = re.compile(r"(\d{8})_(.+)")
_NAME = re.compile(r"^\s*name:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


def _takes(content: Content) -> bool:
    keys = content.keys
    if content.has(resolved_ids=[str], total_instances=int):
        return True
    if content.has(resolved=list) and keys <= _LISTS:
        return all(map(_is_instances_listed, content.json.values())) and (
            len(keys) > 1 or bool(content.json["resolved"])
        )
    return bool(keys) and all("__" in key for key in keys) and _is_instances(content.json)


def _is_instances_listed(given: Any) -> bool:
    """Whether these are instances: owner and repository, and a number behind them."""
    return isinstance(given, list) and all(isinstance(name, str) and "__" in name and "-" in name for name in given)


def _is_instances(given: Any) -> bool:
    """Whether each member says of an instance whether it was resolved, and what else the harness or the board does."""
    return all(
        isinstance(one, dict)
        and isinstance(one.get("resolved"), bool)
        and not one.keys().isdisjoint(("patch_exists", "patch_successfully_applied", "api_calls", "cost"))
        for one in given.values()
    )


def _unit(path: str) -> str:
    """Submissions to one leaderboard are read together, and reports of a run with those of its instances below."""
    root, logs, _ = path.replace("\\", "/").rpartition(_LOGS)
    if logs:
        return str(Path(root))
    parents = Path(path).parents
    levels = {"results.json": 2, "per_instance_details.json": 1, "report.json": 1}
    level = levels.get(Path(path).name, 0)
    return str(parents[min(level, len(parents) - 1)])


def _read(contents: Sequence[Content]) -> Iterator[Run]:
    reported: set[str] = set()
    submissions: list[Content] = []
    instances: dict[Path, list[Content]] = {}
    for content in contents:
        if "resolved_ids" in content.keys:
            reported.add(content.path.stem)
            yield _report(content)
        elif "resolved" in content.keys:
            submissions.append(content)
        elif content.path.name == "report.json":
            instances.setdefault(content.path.resolve().parent.parent, []).append(content)
        else:
            yield _details(content)
    yield from _submissions(submissions)
    for folder, listed in instances.items():
        yield from _instances(folder, listed, known=f"{folder.name}.{folder.parent.name}" in reported)


TOOL = Tool("swe-bench", "SWE-bench", _takes, _unit, _read)


def _cluster(instance: str) -> str:
    """The repository of an instance, which its name begins with."""
    return instance.rpartition("-")[0]


def _scored(scores: Mapping[str, float | None], measured: Mapping[str, Mapping[str, float]] | None = None) -> Any:
    found = Repeated()
    for instance in sorted(scores):
        found.add(instance, scores[instance], (measured or {}).get(instance), cluster=_cluster(instance))
    return found.samples()


def _report(content: Content) -> Run:
    """The report of a run, whose name is the model and the run; what was not run has no score."""
    given = content.json
    model, _, run = content.path.stem.rpartition(".")
    scores: dict[str, float | None] = {}
    for name in _FAILED:
        scores |= dict.fromkeys(given.get(name) or (), 0.0)
    scores |= dict.fromkeys(given["resolved_ids"], 1.0)
    left = len({instance for name in _NOT_RUN for instance in given.get(name) or ()} - scores.keys())
    notes = ["errors and empty patches count as not resolved, as on the leaderboard"]
    if left:
        told = f"{content.path.name} ({left:,} of {given['total_instances']:,})"
        notes.append(About("instances that were not run are missing", told))
    return Run(
        content.name,
        model.replace("__", "/") or content.path.stem,
        _TASK,
        _METRIC,
        samples=_scored(scores),
        higher_is_better=True,
        settings={"run": run} if model else {},
        notes=tuple(notes),
    )


def _instances(folder: Path, contents: Sequence[Content], *, known: bool) -> Iterator[Run]:
    """Reports of instances, in a folder of the model in one of the run, whose report may be known."""
    resolved: dict[str, float | None] = {}
    shares: dict[str, float | None] = {}
    for content in contents:
        for instance, one in content.json.items():
            resolved[instance] = float(one["resolved"])
            tests = (one.get("tests_status") or {}).get("FAIL_TO_PASS") or {}
            total = len(tests.get("success") or ()) + len(tests.get("failure") or ())
            shares[instance] = len(tests.get("success") or ()) / total if total else None
    for place, (metric, scores) in enumerate(((_METRIC, resolved), (_SHARE, shares))[known:], start=int(known)):
        yield Run(
            contents[0].name,
            folder.name.replace("__", "/"),
            _TASK,
            metric,
            samples=_scored(scores),
            higher_is_better=True,
            place=place,
            settings={"run": folder.parent.name},
            notes=() if known else ("instances without a report are missing; the report of the run knows them",),
        )


def _details(content: Content) -> Run:
    """Instances of a submission, with cost and calls."""
    given = content.json
    system, made = _submitter(content.path.resolve().parent)
    measured = {instance: numbers(one, {"cost": "cost", "api_calls": "calls"}) for instance, one in given.items()}
    return Run(
        content.name,
        system,
        f"{_TASK} {content.path.resolve().parent.parent.name}",
        _METRIC,
        samples=_scored({instance: float(one["resolved"]) for instance, one in given.items()}, measured),
        higher_is_better=True,
        made=made,
    )


def _submissions(contents: Sequence[Content]) -> Iterator[Run]:
    """Submissions list what they resolved; what none of those to the same leaderboard lists can not be named."""
    boards: dict[Path, list[Content]] = {}
    for content in contents:
        boards.setdefault(content.path.resolve().parents[2], []).append(content)
    for board, listed in boards.items():
        given = [content.json for content in listed]
        known = sorted(set(chain.from_iterable(one.get(name) or () for one in given for name in _SUBMITTED)))
        total = _COUNTS.get(board.name, len(known))
        notes = ["what a submission did not resolve counts as 0, as on the leaderboard"]
        if total > len(known):
            told = f"{total - len(known):,} of {total:,} in {board.name}"
            notes.append(About("instances that none resolved are left out", told))
        for content, one in zip(listed, given, strict=True):
            system, made = _submitter(content.path.resolve().parent.parent)
            resolved = set(one["resolved"])
            yield Run(
                content.name,
                system,
                f"{_TASK} {board.name}",
                _METRIC,
                mean=len(resolved) / total if total else None,
                samples=_scored({instance: float(instance in resolved) for instance in known}),
                higher_is_better=True,
                made=made,
                notes=tuple(notes),
            )


def _submitter(folder: Path) -> tuple[str, str]:
    """Name and date of a submission: those of its folder, and the name in its metadata."""
    dated = _DATE.fullmatch(folder.name)
    metadata = folder / "metadata.yaml"
    text = metadata.read_text("utf-8", errors="replace") if metadata.is_file() else ""
    named = _NAME.search(text)
    plain = dated[2] if dated else folder.name
    return named[1] if named else plain, dated[1] if dated else ""
