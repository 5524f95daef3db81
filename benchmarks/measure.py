"""Time and memory of alternatives, measured in turn so that a noisy machine is noisy for all of them."""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    what: str
    podium: str
    beside: str
    ratio: float
    goal: str


def together(alternatives: dict[str, Callable[[], object]], *, rounds: int = 5) -> dict[str, float]:
    """Median wall seconds of each, run one after the other in every round, after one round to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in alternatives}
    for turn in range(rounds + 1):
        for name, work in alternatives.items():
            started = time.perf_counter()
            work()
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in seconds.items()}


def processes(commands: dict[str, list[str]], *, rounds: int = 7) -> dict[str, float]:
    """Median wall seconds of whole processes, run in turn."""

    def work(command: list[str]) -> Callable[[], object]:
        return lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    return together({name: work(command) for name, command in commands.items()}, rounds=rounds)


def cpu_of_processes(commands: dict[str, list[str]], *, rounds: int = 3) -> dict[str, float]:
    """Median CPU seconds of whole processes, all their threads together, run in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if turn:
                seconds[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {name: statistics.median(times) for name, times in seconds.items()}


def peak_megabytes(code: str) -> float:
    """Peak resident memory of a fresh interpreter that runs the code, its imports included."""
    # The high-water mark of the process itself: getrusage would include the parent it was forked from.
    before = "import sys; exec(sys.argv[1]); print(open('/proc/self/status').read())"
    done = subprocess.run([sys.executable, "-c", before, code], check=True, capture_output=True, text=True)
    mark = next(line for line in done.stdout.splitlines() if line.startswith("VmHWM"))
    return int(mark.split()[1]) / 1e3


def cpu_seconds(work: Callable[[], object], *, rounds: int = 20) -> float:
    """Median CPU seconds of one call, all threads together."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_SELF)
        work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    work()
    return statistics.median(once() for _ in range(rounds))
