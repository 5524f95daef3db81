"""Seconds of programs, round by round: pytest-benchmark, Google Benchmark and hyperfine; fewer are better."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from podium.base.words import About
from podium.source.tool.content import Content
from podium.source.tool.run import Run, Samples, Tool, labels, together

#: What the scores are, and the task where there is only one.
_METRIC, _TASK = "seconds", "time"

#: Seconds of a unit.
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}

#: Times of a repetition, the main one first, and what they are called.
_TIMES = {"real_time": _METRIC, "cpu_time": "cpu seconds"}


def once(contents: Sequence[Content]) -> tuple[list[Content], tuple[str, ...]]:
    """Files of which no two hold the same, and notes on the others: a copy is no other system."""
    kept: dict[bytes, Content] = {}
    copies = [content for content in contents if kept.setdefault(content.digest, content) is not content]
    notes = (About("copies of other files are left out", content.path.name) for content in copies)
    return list(kept.values()), tuple(notes)


def _named(contents: Sequence[Content]) -> list[str]:
    """Names of files as short as tells them apart: those of the files, or of folders where they differ.

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


def _rounds(run: Run, seconds: Sequence[float]) -> Run:
    """The run with a repeat for each round.

    Raises
    ------
    TypeError
        A time is no number.
    """
    if not all(type(value) in (int, float) for value in seconds):
        raise TypeError("a time is no number")
    samples = Samples(labels([0] * len(seconds)), np.array(seconds, dtype=np.float64), repeats=np.arange(len(seconds)))
    return replace(run, samples=samples)


def _chosen(parameters: Sequence[Mapping[str, Any]]) -> str | None:
    """The parameter whose values are systems: the first that all have, with several values that are no numbers.

    Examples
    --------
    >>> _chosen([{"size": 10, "sort": "quick"}, {"size": 10, "sort": "heap"}])
    'sort'
    """
    for name in parameters[0] if parameters else ():
        values = [one.get(name) for one in parameters]
        if all(isinstance(value, str) and not _is_number(value) for value in values) and len(set(values)) > 1:
            return name
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _others(parameters: Mapping[str, Any], system: str | None) -> str:
    """Parameters that are part of the task, in words.

    Examples
    --------
    >>> _others({"size": 10, "sort": "quick"}, "sort")
    'size 10'
    """
    return ", ".join(f"{name} {str(value)[:60]}" for name, value in parameters.items() if name != system)


def _is_of_pytest(content: Content) -> bool:
    return content.has(benchmarks=[dict], machine_info=dict)


def _read_pytest(contents: Sequence[Content]) -> Iterator[Run]:
    """Of several files, each is a system; of one, what its groups or its parameters compare."""
    contents, copies = once(contents)
    for content, file in zip(contents, _named(contents), strict=True):
        benchmarks = content.json["benchmarks"]
        made = str(content.json.get("datetime", ""))
        single = len(contents) == 1
        how = _compared(benchmarks) if single else ""
        notes = (
            *copies,
            *(_said_of_pytest(how) if single else (f"each file of {PYTEST_BENCHMARK.title} is a system",)),
        )
        for benchmark in benchmarks:
            system, task = _names_of_pytest(benchmark, how, file)
            run = Run(content.name, system, task, _METRIC, made=made, higher_is_better=False, notes=notes)
            stats = benchmark["stats"]
            timed = replace(run, mean=float(stats["mean"]))
            yield _rounds(timed, stats["data"]) if stats.get("data") else timed


PYTEST_BENCHMARK = Tool("pytest-benchmark", "pytest-benchmark", _is_of_pytest, together, _read_pytest)


def _compared(benchmarks: Sequence[Mapping[str, Any]]) -> str | None:
    """None for benchmarks in groups, the name of the parameter whose values are compared, or nothing."""
    groups = Counter(benchmark.get("group") for benchmark in benchmarks)
    if groups and None not in groups and min(groups.values()) > 1:
        return None
    return _chosen([benchmark.get("params") or {} for benchmark in benchmarks]) or ""


def _said_of_pytest(how: str | None) -> tuple[str, ...]:
    if how is None:
        return ("benchmarks of a group are compared: the group is the task",)
    return (f"values of the parameter {how!r} are compared",) if how else ()


def _names_of_pytest(benchmark: Mapping[str, Any], how: str | None, file: str) -> tuple[str, str]:
    """System and task."""
    name = str(benchmark["name"])
    if how is None:
        return name, str(benchmark["group"])
    if how:
        rest = _others(benchmark["params"], how)
        plain = name.partition("[")[0]
        return str(benchmark["params"][how]), f"{plain} ({rest})" if rest else plain
    return file, str(benchmark.get("fullname") or name)


def _is_of_google(content: Content) -> bool:
    return content.has(benchmarks=[dict], context=dict)


def _read_google(contents: Sequence[Content]) -> Iterator[Run]:
    """Of several files, each is a system; of one, its benchmarks are, and their arguments are tasks."""
    contents, copies = once(contents)
    single = len(contents) == 1
    how = (
        "benchmarks are compared: their arguments are tasks"
        if single
        else f"each file of {GOOGLE_BENCHMARK.title} is a system"
    )
    for content, file in zip(contents, _named(contents), strict=True):
        context = content.json["context"]
        repetitions, means, failed = _sorted(content.json["benchmarks"])
        notes = (*copies, how, *(About("benchmarks that ended in an error are left out", name) for name in failed))
        for name in dict.fromkeys([*repetitions, *means]):
            for place, (key, metric) in enumerate(_TIMES.items()):
                system, task = _names_of_google(name) if single else (file, name)
                run = Run(
                    content.name,
                    system,
                    task,
                    metric,
                    mean=means.get(name, {}).get(key),
                    made=str(context.get("date", "")),
                    higher_is_better=False,
                    place=place,
                    notes=notes,
                )
                yield _rounds(run, [one[key] for one in repetitions[name]]) if name in repetitions else run


GOOGLE_BENCHMARK = Tool("google-benchmark", "Google Benchmark", _is_of_google, together, _read_google)


def _sorted(
    benchmarks: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, list[dict[str, float]]], dict[str, dict[str, float]], list[str]]:
    """Seconds of repetitions and means of them, by benchmark, and benchmarks that failed."""
    repetitions: dict[str, list[dict[str, float]]] = {}
    means: dict[str, dict[str, float]] = {}
    failed: dict[str, None] = {}
    for benchmark in benchmarks:
        name = str(benchmark.get("run_name") or benchmark["name"])
        if benchmark.get("error_occurred") or benchmark.get("skipped"):
            failed[name] = None
        elif benchmark.get("run_type", "iteration") == "iteration":
            repetitions.setdefault(name, []).append(_seconds(benchmark))
        elif benchmark.get("aggregate_name") == "mean":
            means[name] = _seconds(benchmark)
    return repetitions, means, list(failed)


def _seconds(benchmark: Mapping[str, Any]) -> dict[str, float]:
    unit = _UNITS[benchmark.get("time_unit", "ns")]
    return {key: float(benchmark[key]) * unit for key in _TIMES}


def _names_of_google(name: str) -> tuple[str, str]:
    """System and task of a benchmark of the only file: its name, and its arguments."""
    plain, *arguments = name.split("/")
    return plain, "/".join(part for part in arguments if not part.startswith(("repeats:", "min_time:"))) or _TASK


def _is_of_hyperfine(content: Content) -> bool:
    if content.keys != {"results"}:
        return False
    results = content.json["results"]
    return (
        isinstance(results, list)
        and bool(results)
        and all(isinstance(one, dict) and {"command", "mean"} <= one.keys() for one in results)
    )


def _read_hyperfine(contents: Sequence[Content]) -> Iterator[Run]:
    """Commands are systems; what a file was run for, and parameters beside the command, are the task."""
    contents, copies = once(contents)
    listed = [one.get("parameters") or {} for content in contents for one in content.json["results"]]
    how = _chosen(listed)
    for content, file in zip(contents, _named(contents), strict=True):
        for result in content.json["results"]:
            parameters = result.get("parameters") or {}
            system = str(result["command"] if how is None else parameters[how])
            words = _others(parameters, how) if how is not None else ""
            parts = [file] if len(contents) > 1 else []
            task = ", ".join([*parts, *([words] if words else [])]) or _TASK
            run = Run(
                content.name,
                system,
                task,
                _METRIC,
                higher_is_better=False,
                settings={} if how is not None else {str(name): str(value) for name, value in parameters.items()},
                notes=(*copies, *_said_of_hyperfine(result, how)),
            )
            if result.get("times"):
                yield _rounds(run, _times(result))
            else:
                yield replace(run, mean=float(result["mean"]))


HYPERFINE = Tool("hyperfine", "hyperfine", _is_of_hyperfine, together, _read_hyperfine)


def _times(result: dict[str, Any]) -> list[float]:
    """Seconds of each run; none where the command failed."""
    codes = result.get("exit_codes") or [0] * len(result["times"])
    return [nan if code else seconds for seconds, code in zip(result["times"], codes, strict=True)]


def _said_of_hyperfine(result: dict[str, Any], how: str | None) -> Iterator[str]:
    if how is not None:
        yield f"values of the parameter {how!r} are compared"
    if failed := sum(1 for code in result.get("exit_codes") or () if code):
        yield About("runs that failed are missing", f"{str(result['command'])[:40]!r} ({failed:,})")


TOOLS = (PYTEST_BENCHMARK, GOOGLE_BENCHMARK, HYPERFINE)
