"""Trials of agents: jobs of Harbor, runs of Terminal-Bench before it, simulations of tau2-bench, and METR's runs.

- Results of SWE-bench: reports of its harness, of a run or of instances, and submissions to its leaderboard.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from podium.base.words import About, how_many
from podium.source.tool.content import Content, listed, mapping, parsed, text
from podium.source.tool.run import IDLE, Repeated, Run, Tool, numbers

#: What an agent used.
_USED = {"cost_usd": "cost", "n_input_tokens": "input_tokens", "n_output_tokens": "output_tokens"}

#: The task where trials name no data set, and the reward where none was given.
_OF_HARBOR, _REWARD = "Harbor", "reward"

#: What is in the name of the folder of a trial: which of how many it is.
_TRIAL = re.compile(r"\.\d+-of-\d+(\.|$)")

_TOKENS = {"total_input_tokens": "input_tokens", "total_output_tokens": "output_tokens"}

_OF_TERMINAL_BENCH = "Terminal-Bench"

#: What a simulation of tau2-bench used.
_OF_SIMULATION = {"agent_cost": "cost", "duration": "seconds"}

#: Scores of METR's runs, the main one first.
_OF_METR = ("score_binarized", "score_cont")


def _is_of_harbor(content: Content) -> bool:
    return content.has(task_name=str, trial_name=str, agent_info=dict)


def _job(path: str) -> str:
    """The job, in whose folder each trial has its own."""
    parents = Path(path).parents
    return str(parents[1]) if len(parents) > 1 else path


def _read_harbor(contents: Sequence[Content]) -> Iterator[Run]:
    """One run for every agent, data set and reward; trials of one task are repeats."""
    trials: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for content in contents:
        trial = content.json
        trials.setdefault((_agent_of_harbor(trial), str(trial.get("source") or _OF_HARBOR)), []).append(trial)
    for (agent, task), found in trials.items():
        yield from _runs(contents[0], agent, task, sorted(found, key=lambda trial: str(trial["trial_name"])))


HARBOR = Tool("harbor", "Harbor", _is_of_harbor, _job, _read_harbor)


def _runs(content: Content, agent: str, task: str, trials: Sequence[Mapping[str, Any]]) -> Iterator[Run]:
    rewards = [(trial.get("verifier_result") or {}).get("rewards") or {} for trial in trials]
    ended = [reward or trial.get("finished_at") is not None for trial, reward in zip(trials, rewards, strict=True)]
    failed = sum(1 for reward, end in zip(rewards, ended, strict=True) if end and not reward)
    running = ended.count(False)
    notes = []
    if failed:
        notes.append(About("trials without a reward count as 0, as in Harbor", f"{agent} on {task} ({failed:,})"))
    if running:
        notes.append(About("trials that had not ended are missing", f"{agent} on {task} ({running:,})"))
    names = sorted({name for reward in rewards for name in reward}, key=lambda name: (name != _REWARD, name))
    for place, name in enumerate(names or [_REWARD]):
        scores = Repeated()
        for trial, reward, end in zip(trials, rewards, ended, strict=True):
            score = reward.get(name, 0.0) if end else None
            digest, measured = trial.get("task_checksum"), dict(_measured_of_harbor(trial))
            scores.add(str(trial["task_name"]), score, measured, digest=None if not digest else str(digest))
        yield Run(
            content.name,
            agent,
            task,
            name,
            samples=scores.samples(),
            higher_is_better=True,
            place=place,
            made=min(str(trial.get("started_at") or "") for trial in trials),
            settings=_settings(content, trials[0]),
            ended=not running,
            notes=tuple(notes),
        )


def _agent_of_harbor(trial: Mapping[str, Any]) -> str:
    """The agent and its model."""
    info = trial["agent_info"]
    model = info.get("model_info") or {}
    names = [str(part) for part in (model.get("provider"), model.get("name")) if part]
    return f"{info['name']}, {'/'.join(names)}" if names else str(info["name"])


def _settings(content: Content, trial: Mapping[str, Any]) -> dict[str, str]:
    info = trial["agent_info"]
    version = info.get("version")
    named = {"version": str(version)} if version not in (None, "", "unknown") else {}
    return named if info.get("model_info") else named | _submission(_job(content.name))


def _submission(run: str) -> dict[str, str]:
    """Of an agent without a model, the folder that holds the run, since other submissions may have other models."""
    return {"folder": Path(run).resolve().parent.name}


def _measured_of_harbor(trial: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """What the agent used, over all steps, and how long it ran."""
    steps = [(step or {}).get("agent_result") for step in trial.get("step_results") or ()]
    total: dict[str, float] = {}
    for used in [trial["agent_result"]] if trial.get("agent_result") else steps:
        for name, value in numbers(used or {}, _USED).items():
            total[name] = total.get(name, 0.0) + value
    yield from total.items()
    timing = trial.get("agent_execution") or {}
    if timing.get("started_at") and timing.get("finished_at"):
        begin, end = (datetime.fromisoformat(timing[name]) for name in ("started_at", "finished_at"))
        yield "seconds", (end - begin).total_seconds()


def _is_of_terminal_bench(content: Content) -> bool:
    if content.has(task_id=str, trial_name=str, parser_results=object):
        return "is_resolved" in content.keys
    return content.has(n_resolved=int, n_unresolved=int, results=[dict])


def _run(path: str) -> str:
    """The run, in whose folder each task has its own, and each trial one in that."""
    parents = Path(path).parents
    return str(parents[2] if _TRIAL.search(parents[0].name) and len(parents) > 2 else parents[0])


def _read_terminal_bench(contents: Sequence[Content]) -> Iterator[Run]:
    """Take the results of the run, or those of its trials where the run has not ended."""
    whole = [content for content in contents if "n_resolved" in content.keys]
    first = (whole or list(contents))[0]
    found = listed(first.json["results"]) if whole else [content.json for content in contents]
    trials = sorted(map(mapping, found), key=lambda trial: text(trial.get("trial_name")))
    if not trials:
        return
    about = _about(Path(_run(str(first.path.resolve()))))
    scores = Repeated()
    for trial in trials:
        scores.add(str(trial["task_id"]), bool(trial["is_resolved"]), dict(_measured(trial)))
    failed = sum(1 for trial in trials if trial["is_resolved"] is None)
    yield Run(
        first.name,
        _agent(about) or Path(_run(str(first.path.resolve()))).name,
        text(about.get("dataset_name")) or _OF_TERMINAL_BENCH,
        "resolved",
        mean=first.json.get("accuracy") if whole else None,
        samples=scores.samples(),
        higher_is_better=True,
        settings={} if text(about.get("model_name")) else _submission(_run(first.name)),
        made=text(about.get("start_time")) or min(text(trial.get("trial_started_at")) for trial in trials),
        task_settings={"version": text(about["dataset_version"])} if text(about.get("dataset_version")) else {},
        whole=bool(whole),
        ended=bool(whole),
        notes=tuple(_said(first, failed, ended=bool(whole))),
    )


TERMINAL_BENCH = Tool("terminal-bench", "Terminal-Bench", _is_of_terminal_bench, _run, _read_terminal_bench)


def _said(content: Content, failed: int, *, ended: bool) -> Iterator[str]:
    if not ended:
        yield f"{content.path.parent.name}: its run has no results; those of the trials count"
    if failed:
        yield f"{how_many(failed, 'trial')} ended without tests, which counts as 0, as in Terminal-Bench"


def _about(folder: Path) -> Mapping[str, Any]:
    """What the run says of its agent, model and data."""
    path = folder / "run_metadata.json"
    return mapping(parsed(path.read_bytes(), str(path))) if path.is_file() else {}


def _agent(about: Mapping[str, Any]) -> str:
    return ", ".join(name for name in (text(about.get("agent_name")), text(about.get("model_name"))) if name)


def _measured(trial: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    yield from numbers(trial, _TOKENS).items()
    begin, end = trial.get("agent_started_at"), trial.get("agent_ended_at")
    if isinstance(begin, str) and isinstance(end, str):
        yield "seconds", (datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds()


def _is_of_tau2(content: Content) -> bool:
    return content.has(info=dict, tasks=list) and {"agent_info", "environment_info"} <= content.json["info"].keys()


def _read_tau2(contents: Sequence[Content]) -> Iterator[Run]:
    """The reward of every simulation; trials of one task are repeats."""
    for content in contents:
        info = content.json["info"]
        agent, user = mapping(info["agent_info"]), mapping(info.get("user_info"))
        scores, found = Repeated(), _simulations(content)
        for one in sorted(found, key=lambda one: one.get("trial") or 0):
            reward = mapping(one.get("reward_info")).get("reward", one.get("reward"))
            failed = one.get("termination_reason") == "infrastructure_error"
            scores.add(str(one["task_id"]), None if failed else reward, numbers(one, _OF_SIMULATION))
        lacking = About("simulations without a reward are missing", f"{content.path.name} ({scores.missing:,})")
        if found:
            yield Run(
                content.name,
                text(agent.get("llm")) or text(agent.get("implementation")),
                text(mapping(info["environment_info"]).get("domain_name")) or "tau2-bench",
                "reward",
                samples=scores.samples(),
                higher_is_better=True,
                made=text(content.json.get("timestamp")),
                settings={
                    "agent": text(agent.get("implementation")),
                    **{name: str(value) for name, value in mapping(agent.get("llm_args")).items() if name not in IDLE},
                },
                task_settings={"user": text(user["llm"])} if text(user.get("llm")) else {},
                whole=len(found) >= len(content.json["tasks"]) * int(info.get("num_trials") or 1),
                notes=(lacking,) if scores.missing else (),
            )


TAU2 = Tool("tau2-bench", "tau2-bench", _is_of_tau2, str, _read_tau2)


def _simulations(content: Content) -> list[Mapping[str, Any]]:
    """Simulations in the file, or their index, or the files beside it that hold one each."""
    given = content.json
    found = listed(given.get("simulations")) or listed(given.get("simulation_index"))
    beside = [] if found else sorted(content.path.parent.glob("simulations/*.json"))
    return [mapping(one) for one in found] or [mapping(Content(path).json) for path in beside]


def _is_of_metr(content: Content) -> bool:
    return content.has(task_id=str, score_binarized=object, alias=str) and "task_family" in content.keys


def _read_metr(contents: Sequence[Content]) -> Iterator[Run]:
    """Runs of models on tasks, which are instances of their source; tasks of a family go together."""
    for content in contents:
        groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        lines, notes = content.records()
        for run in lines:
            groups.setdefault((str(run["alias"]), text(run.get("task_source")) or "METR"), []).append(run)
        for (system, task), found in groups.items():
            ended = [value for run in found if (value := run.get("completed_at"))]
            scored = [metric for metric in _OF_METR if any(run.get(metric) is not None for run in found)]
            for place, metric in enumerate(scored):
                scores = Repeated()
                for run in found:
                    begin, end = run.get("started_at") or 0, run.get("completed_at") or 0
                    seconds = {"seconds": (end - begin) / 1000} if end > begin > 0 else {}
                    measured = numbers(run, {"generation_cost": "cost"}) | seconds
                    scores.add(run["task_id"], run.get(metric), measured, cluster=text(run.get("task_family")) or None)
                yield Run(
                    content.name,
                    system,
                    task,
                    metric,
                    samples=scores.samples(),
                    higher_is_better=True,
                    place=place,
                    made=datetime.fromtimestamp(max(ended) / 1000, UTC).isoformat() if ended else "",
                    whole=not notes,
                    notes=notes,
                )


METR = Tool("metr", "METR's runs", _is_of_metr, str, _read_metr)


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
    for folder, reports in instances.items():
        yield from _instances(folder, reports, known=f"{folder.name}.{folder.parent.name}" in reported)


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
    for board, submitted in boards.items():
        given = [content.json for content in submitted]
        known = sorted(set(chain.from_iterable(one.get(name) or () for one in given for name in _SUBMITTED)))
        total = _COUNTS.get(board.name, len(known))
        notes = ["what a submission did not resolve counts as 0, as on the leaderboard"]
        if total > len(known):
            told = f"{total - len(known):,} of {total:,} in {board.name}"
            notes.append(About("instances that none resolved are left out", told))
        for content, one in zip(submitted, given, strict=True):
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


TOOLS = (HARBOR, TERMINAL_BENCH, TAU2, METR, TOOL)
