"""Trials of agents: Harbor, Terminal-Bench before it, tau2-bench, METR's runs, and SWE-bench with its leaderboard."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from podium.base.words import About, how_many
from podium.source.tool.content import Content, at, having, listed, mapping, numbers, parsed, text, words
from podium.source.tool.run import IDLE, Repeated, Run, Samples, Tool, counted, each_metric

#: What an agent of Harbor used.
_USED = {"cost_usd": "cost", "n_input_tokens": "input_tokens", "n_output_tokens": "output_tokens"}

#: The reward if none was given.
_REWARD = "reward"

#: What is in the name of the folder of a trial of Terminal-Bench: which of how many it is.
_TRIAL = re.compile(r"\.\d+-of-\d+(\.|$)")

#: Who asks in tau2-bench.
_ASKED_BY = {"user_info.llm": "user"}

#: Scores of METR's runs, the main one first.
_OF_METR = ("score_binarized", "score_cont")


def _seconds(given: Mapping[str, Any], begin: str, end: str) -> dict[str, float]:
    if not (given.get(begin) and given.get(end)):
        return {}
    return {"seconds": (datetime.fromisoformat(given[end]) - datetime.fromisoformat(given[begin])).total_seconds()}


def _folder(run: str) -> dict[str, str]:
    """Return the folder of the run of an agent without a model, since other submissions may have other models."""
    return {"folder": Path(run).resolve().parent.name}


_is_of_harbor = having(task_name=str, trial_name=str, agent_info=dict)


def _job(path: str) -> str:
    """Return the job, in whose folder each trial has its own."""
    parents = Path(path).parents
    return str(parents[1]) if len(parents) > 1 else path


def _read_harbor(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield runs for every agent, data set and reward; trials of one task are repeats."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for content in contents:
        trial = content.json
        groups.setdefault((_agent_of_harbor(trial), str(trial.get("source") or "Harbor")), []).append(trial)
    for (agent, task), trials in groups.items():
        trials.sort(key=lambda trial: str(trial["trial_name"]))
        rewards = [(trial.get("verifier_result") or {}).get("rewards") or {} for trial in trials]
        both = list(zip(trials, rewards, strict=True))
        ended = [bool(reward) or trial.get("finished_at") is not None for trial, reward in both]
        names = sorted({name for reward in rewards for name in reward}, key=lambda name: (name != _REWARD, name))
        samples = {name: Repeated() for name in names or [_REWARD]}
        for (trial, reward), end in zip(both, ended, strict=True):
            digest = str(trial["task_checksum"]) if trial.get("task_checksum") else None
            for name, scores in samples.items():
                score = reward.get(name, 0.0) if end else None
                scores.add(str(trial["task_name"]), score, _measured_by_harbor(trial), digest=digest)
        running, failed = ended.count(False), sum(ended) - sum(map(bool, rewards))  # one with a reward has ended
        said = {"trials without a reward count as 0, as in Harbor": failed}
        said |= {"trials that had not ended are missing": running}
        made = min(str(trial.get("started_at") or "") for trial in trials)
        run = Run(contents[0].name, agent, task, "", higher_is_better=True, made=made, ended=not running)
        settings = _settings_of_harbor(contents[0], trials[0])
        run = replace(run, settings=settings, notes=counted(f"{agent} on {task}", said))
        yield from each_metric(run, samples=samples)


def _agent_of_harbor(trial: Mapping[str, Any]) -> str:
    """Return the agent and its model."""
    info = trial["agent_info"]
    model = info.get("model_info") or {}
    names = [str(part) for part in (model.get("provider"), model.get("name")) if part]
    return f"{info['name']}, {'/'.join(names)}" if names else str(info["name"])


def _settings_of_harbor(content: Content, trial: Mapping[str, Any]) -> dict[str, str]:
    info = trial["agent_info"]
    version = info.get("version")
    named = {"version": str(version)} if version not in (None, "", "unknown") else {}
    return named if info.get("model_info") else named | _folder(_job(content.name))


def _measured_by_harbor(trial: Mapping[str, Any]) -> dict[str, float]:
    steps = [(step or {}).get("agent_result") for step in trial.get("step_results") or ()]
    total: dict[str, float] = {}
    for used in [trial["agent_result"]] if trial.get("agent_result") else steps:
        for name, value in numbers(used or {}, _USED).items():
            total[name] = total.get(name, 0.0) + value
    return total | _seconds(trial.get("agent_execution") or {}, "started_at", "finished_at")


def _is_of_terminal_bench(content: Content) -> bool:
    trial = content.has("parser_results", "is_resolved", task_id=str, trial_name=str)
    return trial or content.has(n_resolved=int, n_unresolved=int, results=[dict])


def _run_folder(path: str) -> str:
    """Return the run, in whose folder each task has its own, and each trial one in that."""
    parents = Path(path).parents
    return str(parents[2] if _TRIAL.search(parents[0].name) and len(parents) > 2 else parents[0])


def _read_terminal_bench(contents: Sequence[Content]) -> Iterator[Run]:
    """Take the results of the run; if it has not ended, those of its trials."""
    whole = [content for content in contents if "n_resolved" in content.keys]
    first = (whole or list(contents))[0]
    found = listed(first.json["results"]) if whole else [content.json for content in contents]
    trials = sorted(map(mapping, found), key=lambda trial: text(trial.get("trial_name")))
    if not trials:
        return
    folder = Path(_run_folder(str(first.path.resolve())))
    about = mapping(parsed(path.read_bytes(), str(path))) if (path := folder / "run_metadata.json").is_file() else {}
    agent, model = text(about.get("agent_name")), text(about.get("model_name"))
    scores = Repeated()
    used = {"total_input_tokens": "input_tokens", "total_output_tokens": "output_tokens"}
    for trial in trials:
        times = {name: value for name, value in trial.items() if isinstance(value, str)}
        measured = numbers(trial, used) | _seconds(times, "agent_started_at", "agent_ended_at")
        scores.add(str(trial["task_id"]), bool(trial["is_resolved"]), measured)
    notes = [] if whole else [f"{first.path.parent.name}: its run has no results; those of the trials count"]
    if failed := sum(trial["is_resolved"] is None for trial in trials):
        notes.append(f"{how_many(failed, 'trial')} ended without tests, which counts as 0, as in Terminal-Bench")
    system = ", ".join(filter(None, (agent, model))) or folder.name
    task, mean = text(about.get("dataset_name")) or "Terminal-Bench", first.json.get("accuracy") if whole else None
    made = text(about.get("start_time")) or min(text(trial.get("trial_started_at")) for trial in trials)
    run = Run(first.name, system, task, "resolved", mean, scores.samples(), higher_is_better=True, made=made)
    settings, asked = {} if model else _folder(_run_folder(first.name)), words(about, {"dataset_version": "version"})
    yield replace(run, settings=settings, task_settings=asked, whole=bool(whole), ended=bool(whole), notes=tuple(notes))


def _is_of_tau2(content: Content) -> bool:
    return content.has(info=dict, tasks=list) and {"agent_info", "environment_info"} <= content.json["info"].keys()


def _read_tau2(content: Content) -> Iterator[Run]:
    """Yield the reward of every simulation; trials of one task are repeats."""
    given, info = content.json, content.json["info"]
    agent = mapping(info["agent_info"])
    simulations = [mapping(one) for one in listed(given.get("simulations")) or listed(given.get("simulation_index"))]
    simulations = simulations or [
        mapping(Content(path).json) for path in sorted(content.path.parent.glob("simulations/*.json"))
    ]
    if not simulations:
        return
    scores = Repeated()
    for one in sorted(simulations, key=lambda one: one.get("trial") or 0):
        reward = mapping(one.get("reward_info")).get("reward", one.get("reward"))
        failed = one.get("termination_reason") == "infrastructure_error"
        measured = numbers(one, {"agent_cost": "cost", "duration": "seconds"})
        scores.add(str(one["task_id"]), None if failed else reward, measured)
    arguments = {name: str(value) for name, value in mapping(agent.get("llm_args")).items() if name not in IDLE}
    task, implementation = text(at(info, "environment_info.domain_name")), text(agent.get("implementation"))
    system, made = text(agent.get("llm")) or implementation, text(given.get("timestamp"))
    whole = len(simulations) >= len(given["tasks"]) * int(info.get("num_trials") or 1)
    run = Run(content.name, system, task or "tau2-bench", "reward", None, scores.samples(), higher_is_better=True)
    run = replace(run, settings={"agent": implementation, **arguments}, task_settings=words(info, _ASKED_BY))
    missing = counted(content.path.name, {"simulations without a reward are missing": scores.missing})
    yield replace(run, made=made, whole=whole, notes=missing)


_is_of_metr = having("task_family", "score_binarized", task_id=str, alias=str)


def _read_metr(content: Content) -> Iterator[Run]:
    """Yield runs of models on tasks, which are instances of their source; tasks of a family go together."""
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    lines, notes = content.records()
    for one in lines:
        groups.setdefault((str(one["alias"]), text(one.get("task_source")) or "METR"), []).append(one)
    for (system, task), found in groups.items():
        scored = [metric for metric in _OF_METR if any(one.get(metric) is not None for one in found)]
        samples = {metric: Repeated() for metric in scored}
        for one in found:
            begin, end = one.get("started_at") or 0, one.get("completed_at") or 0
            measured = numbers(one, {"generation_cost": "cost"})
            measured |= {"seconds": (end - begin) / 1000} if end > begin > 0 else {}
            for metric, scores in samples.items():
                scores.add(one["task_id"], one.get(metric), measured, cluster=text(one.get("task_family")) or None)
        ended = [value for one in found if (value := one.get("completed_at"))]
        made = datetime.fromtimestamp(max(ended) / 1000, UTC).isoformat() if ended else ""
        run = Run(content.name, system, task, "", higher_is_better=True, made=made, whole=not notes, notes=notes)
        yield from each_metric(run, samples=samples)


#: Lists of a submission to SWE-bench; an instance in one of them was part of the benchmark.
_SUBMITTED = ("no_generation", "no_logs", "generated", "with_logs", "applied", "no_apply", "resolved")

_LISTS = frozenset((*_SUBMITTED, "install_fail", "reset_failed", "test_errored", "test_timeout"))

#: Instances that have a score of 0 by the convention of the leaderboard, and those that were not run.
_FAILED = ("completed_ids", "unresolved_ids", "error_ids", "failed_ids", "empty_patch_ids")
_NOT_RUN = ("incomplete_ids", "pending_ids")

#: How many instances a leaderboard counts.
_COUNTS = {"verified": 500, "bash-only": 500, "lite": 300, "test": 2294, "multimodal": 517, "multilingual": 300}

_SWE_BENCH, _RESOLVED = "SWE-bench", "resolved"

#: Where the harness puts reports of instances, beside those of runs.
_LOGS = "logs/run_evaluation/"

_DATED = re.compile(r"(\d{8})_(.+)")
_NAME = re.compile(r"^\s*name:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)


def _is_of_swe_bench(content: Content) -> bool:
    keys = content.keys
    if content.has(resolved_ids=[str], total_instances=int):
        return True
    if content.has(resolved=list) and keys <= _LISTS:
        given = content.json
        return all(map(_are_instances, given.values())) and (len(keys) > 1 or bool(given["resolved"]))
    if not keys or not all("__" in key for key in keys):
        return False
    said = {"patch_exists", "patch_successfully_applied", "api_calls", "cost"}
    return all(
        isinstance(one, dict) and isinstance(one.get("resolved"), bool) and not said.isdisjoint(one)
        for one in content.json.values()
    )


def _are_instances(given: Any) -> bool:
    """Return whether these are instances: owner and repository, and a number behind them."""
    return isinstance(given, list) and all(isinstance(name, str) and "__" in name and "-" in name for name in given)


def _submissions_folder(path: str) -> str:
    """Return the folder of all submissions to a leaderboard, or of the report of a run with those of its instances."""
    root, logs, _ = path.replace("\\", "/").rpartition(_LOGS)
    if logs:
        return str(Path(root))
    parents = Path(path).parents
    levels = {"results.json": 2, "per_instance_details.json": 1, "report.json": 1}
    return str(parents[min(levels.get(Path(path).name, 0), len(parents) - 1)])


def _read_swe_bench(contents: Sequence[Content]) -> Iterator[Run]:
    reported: set[str] = set()
    submissions: dict[Path, list[Content]] = {}
    instances: dict[Path, list[Content]] = {}
    for content in contents:
        folder = content.path.resolve().parent
        if "resolved_ids" in content.keys:
            reported.add(content.path.stem)
            yield _report(content)
        elif "resolved" in content.keys:
            submissions.setdefault(folder.parent.parent, []).append(content)
        elif content.path.name == "report.json":
            instances.setdefault(folder.parent, []).append(content)
        else:
            yield _details(content, folder)
    for board, submitted in submissions.items():
        yield from _of_leaderboard(board, submitted)
    for folder, reports in instances.items():
        yield from _of_instances(folder, reports, known=f"{folder.name}.{folder.parent.name}" in reported)


def _resolved(scores: Mapping[str, float | None], measured: Mapping[str, Mapping[str, float]] | None = None) -> Samples:
    """Return scores of instances; those of a repository, with which their names begin, go together."""
    found = Repeated()
    for instance in sorted(scores):
        cluster = instance.rpartition("-")[0]
        found.add(instance, scores[instance], (measured or {}).get(instance), cluster=cluster)
    return found.samples()


def _report(content: Content) -> Run:
    """Return the report of a run, whose name is the model and the run; what was not run has no score."""
    given = content.json
    model, _, run = content.path.stem.rpartition(".")
    scores: dict[str, float | None] = {}
    for name in _FAILED:
        scores |= dict.fromkeys(given.get(name) or (), 0.0)
    scores |= dict.fromkeys(given["resolved_ids"], 1.0)
    notes = ["errors and empty patches count as not resolved, as on the leaderboard"]
    if left := len({instance for name in _NOT_RUN for instance in given.get(name) or ()} - scores.keys()):
        told = f"{content.path.name} ({left:,} of {given['total_instances']:,})"
        notes.append(About("instances that were not run are missing", told))
    system, samples = model.replace("__", "/") or content.path.stem, _resolved(scores)
    found = Run(content.name, system, _SWE_BENCH, _RESOLVED, samples=samples, higher_is_better=True)
    return replace(found, settings={"run": run} if model else {}, notes=tuple(notes))


def _of_instances(folder: Path, contents: Sequence[Content], *, known: bool) -> Iterator[Run]:
    """Yield reports of instances, in a folder of the model in one of the run, whose report may be known."""
    resolved: dict[str, float | None] = {}
    shares: dict[str, float | None] = {}
    for content in contents:
        for instance, one in content.json.items():
            resolved[instance] = float(one["resolved"])
            tests = (one.get("tests_status") or {}).get("FAIL_TO_PASS") or {}
            fixed, broken = len(tests.get("success") or ()), len(tests.get("failure") or ())
            shares[instance] = fixed / (fixed + broken) if fixed + broken else None
    notes = () if known else ("instances without a report are missing; the report of the run knows them",)
    run = Run(contents[0].name, folder.name.replace("__", "/"), _SWE_BENCH, "", higher_is_better=True, notes=notes)
    run = replace(run, settings={"run": folder.parent.name})
    runs = each_metric(run, samples={_RESOLVED: _resolved(resolved), "tests fixed": _resolved(shares)})
    yield from (one for one in runs if not known or one.metric != _RESOLVED)


def _details(content: Content, folder: Path) -> Run:
    """Return instances of a submission, with cost and calls."""
    system, made = _submitter(folder)
    measured = {
        instance: numbers(one, {"cost": "cost", "api_calls": "calls"}) for instance, one in content.json.items()
    }
    samples = _resolved({instance: float(one["resolved"]) for instance, one in content.json.items()}, measured)
    task = f"{_SWE_BENCH} {folder.parent.name}"
    return Run(content.name, system, task, _RESOLVED, samples=samples, higher_is_better=True, made=made)


def _of_leaderboard(board: Path, contents: Sequence[Content]) -> Iterator[Run]:
    """Yield submissions, which list what they resolved; what none to the same leaderboard lists can not be named."""
    given = [content.json for content in contents]
    known = sorted(set(chain.from_iterable(one.get(name) or () for one in given for name in _SUBMITTED)))
    total = _COUNTS.get(board.name, len(known))
    notes = ["what a submission did not resolve counts as 0, as on the leaderboard"]
    if total > len(known):
        told = f"{total - len(known):,} of {total:,} in {board.name}"
        notes.append(About("instances that none resolved are left out", told))
    for content, one in zip(contents, given, strict=True):
        system, made = _submitter(content.path.resolve().parent.parent)
        resolved = set(one["resolved"])
        task, mean = f"{_SWE_BENCH} {board.name}", len(resolved) / total if total else None
        samples = _resolved({instance: float(instance in resolved) for instance in known})
        run = Run(content.name, system, task, _RESOLVED, mean, samples, higher_is_better=True, made=made)
        yield replace(run, notes=tuple(notes))


def _submitter(folder: Path) -> tuple[str, str]:
    """Name and date of a submission: those of its folder, and the name in its metadata."""
    dated = _DATED.fullmatch(folder.name)
    metadata = folder / "metadata.yaml"
    named = _NAME.search(metadata.read_text("utf-8", errors="replace")) if metadata.is_file() else None
    plain, made = (dated[2], dated[1]) if dated else (folder.name, "")
    return named[1] if named else plain, made


TOOLS = (
    Tool("swe-bench", _SWE_BENCH, _is_of_swe_bench, _read_swe_bench, unit=_submissions_folder),
    Tool("harbor", "Harbor", _is_of_harbor, _read_harbor, unit=_job),
    Tool("terminal-bench", "Terminal-Bench", _is_of_terminal_bench, _read_terminal_bench, unit=_run_folder),
    Tool("tau2-bench", "tau2-bench", _is_of_tau2, _read_tau2),
    Tool("metr", "METR's runs", _is_of_metr, _read_metr),
)
