"""Seconds of programs, round by round: pytest-benchmark, Google Benchmark and hyperfine; fewer are better."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from podium.base.words import About
from podium.source.tool.content import Content, having, once, written_number
from podium.source.tool.run import Run, Samples, Tool, all_files, counted, each_metric, labels

#: What the scores are, and the task if there is only one.
_METRIC, _TASK = "seconds", "time"

#: Seconds of a unit.
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

#: Times of a repetition, the main one first, and what they are called.
_TIMES = {"real_time": _METRIC, "cpu_time": "cpu seconds"}


def _named(contents: Sequence[Content]) -> list[str]:
    """Return names of files as short as tells them apart: those of the files, or of folders that differ.

    Examples
    --------
    >>> _named([Content("old/time.json"), Content("new/time.json")])
    ['old', 'new']
    """
    paths = [content.path.with_suffix("") for content in contents]
    stems = [path.name for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    width = min(len(path.parts) for path in paths)
    columns = list(zip(*(path.parts[-width:] for path in paths), strict=True))
    differing = [column for column in columns if len(set(column)) > 1]
    short = ["/".join(parts) for parts in zip(*differing, strict=True)]
    return short if len(set(short)) == len(short) else [str(path) for path in paths]


def _rounds(seconds: Sequence[float]) -> Samples:
    """Return a repeat for each round."""
    if not all(type(value) in (int, float) for value in seconds):
        raise TypeError("a time is no number")
    return Samples(labels([0] * len(seconds)), np.array(seconds, dtype=np.float64), repeats=np.arange(len(seconds)))


def _chosen(parameters: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the parameter whose values are systems: the first that all have, with several values that are no numbers.

    Examples
    --------
    >>> _chosen([{"size": 10, "sort": "quick"}, {"size": 10, "sort": "heap"}])
    'sort'
    """
    for name in parameters[0] if parameters else ():
        values = [one.get(name) for one in parameters]
        words = all(isinstance(value, str) and written_number(value) is None for value in values)
        if words and len(set(values)) > 1:
            return name
    return None


def _others(parameters: Mapping[str, Any], system: str | None) -> str:
    """Say which parameters are part of the task.

    Examples
    --------
    >>> _others({"size": 10, "sort": "quick"}, "sort")
    'size 10'
    """
    return ", ".join(f"{name} {str(value)[:60]}" for name, value in parameters.items() if name != system)


_is_of_pytest, _is_of_google = having(benchmarks=[dict], machine_info=dict), having(benchmarks=[dict], context=dict)


def _read_pytest(contents: Sequence[Content]) -> Iterator[Run]:
    """Read several files as systems; of one file, systems are what its groups or its parameters compare."""
    contents, copies = once(contents)
    for content, file in zip(contents, _named(contents), strict=True):
        benchmarks = content.json["benchmarks"]
        how, said = _compared(benchmarks) if len(contents) == 1 else ("", "each file of pytest-benchmark is a system")
        for benchmark in benchmarks:
            name, stats = str(benchmark["name"]), benchmark["stats"]
            system, task = file, str(benchmark.get("fullname") or name)
            if how is None:
                system, task = name, str(benchmark["group"])
            elif how:
                rest, plain = _others(benchmark["params"], how), name.partition("[")[0]
                system, task = str(benchmark["params"][how]), f"{plain} ({rest})" if rest else plain
            samples = _rounds(stats["data"]) if stats.get("data") else None
            run = Run(content.name, system, task, _METRIC, float(stats["mean"]), samples, higher_is_better=False)
            made, notes = str(content.json.get("datetime", "")), (*copies, said) if said else copies
            yield replace(run, made=made, notes=notes)


def _compared(benchmarks: Sequence[Mapping[str, Any]]) -> tuple[str | None, str]:
    """Return None for benchmarks in groups, the parameter whose values are compared, or nothing; and a note."""
    groups = Counter(benchmark.get("group") for benchmark in benchmarks)
    if groups and None not in groups and min(groups.values()) > 1:
        return None, "benchmarks of a group are compared: the group is the task"
    how = _chosen([benchmark.get("params") or {} for benchmark in benchmarks]) or ""
    return how, f"values of the parameter {how!r} are compared" if how else ""


def _read_google(contents: Sequence[Content]) -> Iterator[Run]:
    """Read several files as systems; of one file, systems are its benchmarks, and their arguments are tasks."""
    contents, copies = once(contents)
    single = len(contents) == 1
    said = (
        "benchmarks are compared: their arguments are tasks" if single else "each file of Google Benchmark is a system"
    )
    for content, file in zip(contents, _named(contents), strict=True):
        repetitions: dict[str, list[dict[str, float]]] = {}
        means: dict[str, dict[str, float]] = {}
        failed: dict[str, None] = {}
        for benchmark in content.json["benchmarks"]:
            name = str(benchmark.get("run_name") or benchmark["name"])
            if benchmark.get("error_occurred") or benchmark.get("skipped"):
                failed[name] = None
            elif benchmark.get("run_type", "iteration") == "iteration":
                repetitions.setdefault(name, []).append(_seconds(benchmark))
            elif benchmark.get("aggregate_name") == "mean":
                means[name] = _seconds(benchmark)
        notes = (*copies, said, *(About("benchmarks that ended in an error are left out", name) for name in failed))
        made = str(content.json["context"].get("date", ""))
        for name in dict.fromkeys([*repetitions, *means]):
            plain, *arguments = name.split("/")
            task = "/".join(part for part in arguments if not part.startswith(("repeats:", "min_time:"))) or _TASK
            own = (plain, task) if single else (file, name)
            run = Run(content.name, *own, "", made=made, higher_is_better=False, notes=notes)
            rounds = repetitions.get(name)
            samples = {metric: _rounds([one[metric] for one in rounds]) for metric in _TIMES.values()} if rounds else {}
            yield from each_metric(run, means.get(name), samples, order=_TIMES.values())


def _seconds(benchmark: Mapping[str, Any]) -> dict[str, float]:
    unit = _UNITS[benchmark.get("time_unit", "ns")]
    return {metric: float(benchmark[key]) * unit for key, metric in _TIMES.items()}


def _is_of_hyperfine(content: Content) -> bool:
    if content.keys != {"results"}:
        return False
    results = content.json["results"]
    is_list = isinstance(results, list) and bool(results)
    return is_list and all(isinstance(one, dict) and {"command", "mean"} <= one.keys() for one in results)


def _read_hyperfine(contents: Sequence[Content]) -> Iterator[Run]:
    """Yield runs of commands, the systems; what a file was run for, and other parameters, are the task."""
    contents, copies = once(contents)
    how = _chosen([one.get("parameters") or {} for content in contents for one in content.json["results"]])
    said = () if how is None else (f"values of the parameter {how!r} are compared",)
    for content, file in zip(contents, _named(contents), strict=True):
        for result in content.json["results"]:
            parameters, times = result.get("parameters") or {}, result.get("times")
            parts = [file if len(contents) > 1 else "", _others(parameters, how) if how is not None else ""]
            codes = result.get("exit_codes") or [0] * len(times or ())
            failed = {"runs that failed are missing": sum(map(bool, codes))}
            if times:
                times = [nan if code else seconds for seconds, code in zip(times, codes, strict=True)]
            system, task = str(result["command"] if how is None else parameters[how]), ", ".join(filter(None, parts))
            mean, samples = (None, _rounds(times)) if times else (float(result["mean"]), None)
            run = Run(content.name, system, task or _TASK, _METRIC, mean, samples, higher_is_better=False)
            settings = {} if how is not None else {str(name): str(value) for name, value in parameters.items()}
            notes = (*copies, *said, *counted(repr(str(result["command"])[:40]), failed))
            yield replace(run, settings=settings, notes=notes)


TOOLS = (
    Tool("pytest-benchmark", "pytest-benchmark", _is_of_pytest, _read_pytest, unit=all_files),
    Tool("google-benchmark", "Google Benchmark", _is_of_google, _read_google, unit=all_files),
    Tool("hyperfine", "hyperfine", _is_of_hyperfine, _read_hyperfine, unit=all_files),
)
