"""What scores cost: CPU seconds and memory by the shape of a table, measured, fitted, and what a cluster would take.

python benchmarks/cost.py [--write docs/scale.md]
"""

import argparse
import heapq
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from podium.base.words import how_many
from podium.score.table import Scores
from podium.score.task import PART, Task
from podium.tally.dask import messages
from podium.tally.stretch import stretches

#: Systems, tasks, instances of a task: from 10⁴ to 10⁸ scores, and from 2 to 5,000 systems.
SHAPES = (
    (2, 1, 5_000),
    (2, 10, 50_000),
    (2, 1, 5_000_000),
    (10, 10, 10_000),
    (20, 10, 50_000),
    (20, 1_000, 100),
    (60, 10, 20_000),
    (60, 10, 200_000),
    (100, 100, 1_000),
    (300, 10, 3_000),
    (1_000, 1, 20_000),
    (1_000, 10, 100),
    (5_000, 1, 200),
    (5_000, 1, 2_000),
)

#: Replicates that are measured, and bytes of duels up to which these are.
REPLICATES, MOST_DUELS = 200, 2 * 10**9

#: Scores times systems up to which duels are measured: some ten seconds.
MOST_COMPARED = 2 * 10**10

#: Run in a process of its own: CPU seconds of each work, and what the process holds at most.
MEASURE = """
import json, resource, statistics, sys, tempfile, time
import numpy as np
import podium
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.count import count
from podium.tally.count import choose
from podium.tally.moment import Moments
from podium.tally.position import Positions

n_systems, n_tasks, n_instances, replicates, with_duels, work = json.loads(sys.argv[1])
draws = Resampling("instances", replicates)
rng = np.random.default_rng(0)

def table(instances):
    shape = (n_systems, instances)
    return podium.from_arrays({f"task {place:04d}": rng.normal(size=shape) for place in range(n_tasks)})

def peak():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024

def cpu(do):
    seconds = []
    while not seconds or (sum(seconds) < 0.5 and len(seconds) < 9):
        before = time.process_time()
        do()
        seconds.append(time.process_time() - before)
    return statistics.median(seconds)

if work == "write":
    podium.convert(table(n_instances), sys.argv[2])
elif work == "read":
    podium.read(sys.argv[2])
    print(json.dumps({"read": cpu(lambda: podium.read(sys.argv[2])), "peak": peak()}))
else:
    compiled = choose(max(n_systems, 64), 10**6, 1)  # the arithmetic of large tables
    small = table(min(n_instances, 64))
    kinds = {"mean": (Moments,), "borda": (Positions,)} | ({"duels": (Duels,)} if with_duels else {})
    for some in kinds.values():
        count(small, some, kernels=compiled)
    count(small, (Positions,), kernels=compiled, resampling=draws)
    scores = table(n_instances)
    found = {name: cpu(lambda: count(scores, some, kernels=compiled)) for name, some in kinds.items()}
    found["replicates"] = cpu(lambda: count(scores, (Positions,), kernels=compiled, resampling=draws)) / replicates
    print(json.dumps(found))
"""


class Shape(NamedTuple):
    """How many systems, tasks, and instances of each."""

    systems: int
    tasks: int
    instances: int

    @property
    def scores(self) -> int:
        return self.systems * self.tasks * self.instances

    @property
    def blocks(self) -> float:
        """Blocks of a million scores, in which tables are counted; a task has one at least."""
        return self.tasks * math.ceil(self.systems * self.instances / 2**20)


#: What a cost is proportional to, by name.
TERMS: dict[str, Callable[[Shape], float]] = {
    "call": lambda _: 1.0,
    "task": lambda shape: shape.tasks,
    "instance": lambda shape: shape.tasks * shape.instances,
    "score": lambda shape: shape.scores,
    "score × log₂ systems, above 512": lambda shape: shape.scores * math.log2(shape.systems) * (shape.systems > 512),
    "score × system, up to 512": lambda shape: shape.scores * shape.systems * (shape.systems <= 512),
    "score × system": lambda shape: shape.scores * shape.systems,
    "system × block": lambda shape: shape.systems * shape.blocks,
    "system² × block": lambda shape: shape.systems**2 * shape.blocks,
}

#: What each work is.
NAMES = {
    "read": "read a Parquet file",
    "mean": "mean, of what is read",
    "borda": "Borda",
    "duels": "pairs (wins, Copeland, Kemeny, Bradley–Terry)",
    "replicates": "Borda in one replicate more",
}

#: Which terms each work has.
WORKS = {
    "read": ("call", "task", "score"),
    "mean": ("call", "task", "score", "system × block"),
    "borda": ("call", "task", "score", "score × system, up to 512", "score × log₂ systems, above 512"),
    "duels": ("call", "task", "score × system", "system² × block"),
    "replicates": ("call", "task", "instance", "score"),
}


class Fit(NamedTuple):
    """Seconds of each term, and by how much measurements differ: the middle and the largest ratio, above 1."""

    seconds: dict[str, float]
    usual: float
    largest: float

    def at(self, shape: Shape) -> float:
        return sum(seconds * TERMS[name](shape) for name, seconds in self.seconds.items())


def measured(shape: Shape, folder: Path) -> dict[str, float]:
    """CPU seconds of each work, and bytes of the process that reads."""
    duels = 24 * shape.systems**2 * shape.tasks <= MOST_DUELS and shape.scores * shape.systems <= MOST_COMPARED
    path = folder / "scores.parquet"

    def run(work: str) -> dict[str, float]:
        asked = json.dumps([*shape, REPLICATES, duels, work])
        command = [sys.executable, "-W", "ignore", "-c", MEASURE, asked, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return dict(json.loads(done.stdout or "{}"))

    run("write")
    found = run("count") | run("read") | {"file": float(path.stat().st_size)}
    path.unlink()
    return found


def fitted(work: str, measurements: dict[Shape, dict[str, float]]) -> Fit:
    """Coefficients ≥ 0 that make ratios of measured and fitted near 1."""
    shapes = [shape for shape, found in measurements.items() if work in found]
    terms = np.array([[TERMS[name](shape) for name in WORKS[work]] for shape in shapes])
    seconds = np.array([measurements[shape][work] for shape in shapes])
    coefficients, _ = nnls(terms / seconds[:, None], np.ones(len(shapes)))
    for _ in range(20):  # least squares of ratios pull down; of logarithms they do not, so weigh by what is fitted
        scale = np.sqrt(seconds * np.maximum(terms @ coefficients, 1e-9))
        coefficients, _ = nnls(terms / scale[:, None], seconds / scale)
    ratios = np.exp(np.abs(np.log(seconds / (terms @ coefficients))))
    named = dict(zip(WORKS[work], coefficients.tolist(), strict=True))
    return Fit(
        {name: value for name, value in named.items() if value > 0}, float(np.median(ratios)), float(ratios.max())
    )


#: Asks a cluster that runs elsewhere: wall seconds, and CPU seconds of whoever asks.
ASK = """
import json, sys, time
import numpy as np
import podium
from distributed import LocalCluster
from podium.tally.draw import Resampling
from podium.tally.count import count
from podium.tally.count import choose
from podium.tally.position import Positions

if __name__ == "__main__":
    workers, n_systems, n_instances, replicates = json.loads(sys.argv[1])
    draws = Resampling("instances", replicates)
    kernels = choose(64, 10**6, 1)
    rng = np.random.default_rng(0)
    scores = podium.from_arrays({"task": rng.normal(size=(n_systems, n_instances))})
    found = {}
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        with podium.engine("dask", scheduler=cluster.scheduler_address, workers=workers):
            for _ in range(2):  # workers load what they need in the first
                walls, cpu = time.perf_counter(), time.process_time()
                count(scores, (Positions,), kernels=kernels, resampling=draws)
                found = {"wall": time.perf_counter() - walls, "cpu": time.process_time() - cpu}
    print(json.dumps(found))
"""

#: Systems, instances and replicates of what a cluster is asked; and workers.
ASKED, WORKERS = (20, 2_000_000, 200), (1, 2, 4)

#: What is simulated: a table of a billion scores, and its replicates.
BILLION, MANY = Shape(100, 10, 1_000_000), 1_000


class Cluster(NamedTuple):
    """Seconds a score of whoever asks, bytes a second of its network, and seconds until a message is there."""

    score: float
    bandwidth: float = 1.25e9
    latency: float = 0.5e-3


def simulated(cluster: Cluster, messages: list[int], seconds_a_score: float, workers: int) -> float:
    """Seconds until the last message is answered, where whoever asks sends one after the other.

    Parameters
    ----------
    cluster
        What messages cost.
    messages
        Scores of each.
    seconds_a_score
        How long a worker counts.
    workers
        Of one thread each; two messages a worker are under way at most.
    """
    free = [0.0] * workers
    answers: list[float] = []
    here = 0.0
    for number, scores in enumerate(messages):
        if number >= 2 * workers:  # waits for an answer before there is room
            here = max(here, heapq.heappop(answers))
        here += scores * (cluster.score + 8 / cluster.bandwidth)
        begin = max(heapq.heappop(free), here + cluster.latency)
        heapq.heappush(free, begin + scores * seconds_a_score)
        heapq.heappush(answers, begin + scores * seconds_a_score + cluster.latency)
    return max(answers)


def messages_of(shape: Shape, replicates: int) -> list[int]:
    """Scores of the messages in which a table is sent: of one that takes no memory."""
    part = np.broadcast_to(np.zeros((shape.systems, 1)), (shape.systems, PART))
    whole, rest = divmod(shape.instances, PART)
    parts = (part,) * whole + ((part[:, :rest],) if rest else ())
    scored = np.full(shape.systems, shape.instances)
    tasks = tuple(Task(f"task {place}", parts, scored) for place in range(shape.tasks))
    scores = Scores(tuple(f"system {place}" for place in range(shape.systems)), tasks)
    cut = stretches(scores, keys=[None] * shape.tasks)
    return [sum(stretch.size for stretch in message.stretches) for message in messages(cut, replicates)]


def asked(workers: int) -> dict[str, float]:
    """Wall seconds, and CPU seconds of whoever asks, with so many workers on this machine."""
    command = [sys.executable, "-W", "ignore", "-c", ASK, json.dumps([workers, *ASKED])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def in_units(seconds: float) -> str:
    """Write seconds in the largest unit that leaves a number above 1."""
    size, unit = next(((size, unit) for size, unit in ((1e-3, "ms"), (1e-6, "µs")) if seconds >= size), (1e-9, "ns"))
    return f"{float(f'{seconds / size:.2g}'):g} {unit}"


def fits_in_words(fits: dict[str, Fit]) -> Iterator[str]:
    """A row for each work."""
    yield "| work | CPU seconds | usual ratio | largest |"
    yield "| --- | --- | ---: | ---: |"
    for work, fit in fits.items():
        terms = " + ".join(f"{in_units(value)} × {name}" for name, value in fit.seconds.items())
        yield f"| {NAMES[work]} | {terms} | {fit.usual:.1f} | {fit.largest:.1f} |"


def cluster_in_words(fits: dict[str, Fit]) -> Iterator[str]:
    """What clusters took, and what larger ones should take."""
    systems, instances, replicates = ASKED
    table = Shape(systems, 1, instances)
    found = {workers: asked(workers) for workers in WORKERS}
    cluster = Cluster(statistics.median(each["cpu"] for each in found.values()) / table.scores)
    yield f"| {table.scores / 1e6:.0f} million scores, {replicates} replicates | measured | simulated |"
    yield "| --- | ---: | ---: |"
    here = cluster._replace(bandwidth=math.inf, latency=0.0)
    for workers, each in found.items():
        work = fits["replicates"].at(table) * replicates / table.scores
        at_once = min(workers, len(os.sched_getaffinity(0)))
        seconds = simulated(here, messages_of(table, replicates), work, at_once)
        yield f"| {how_many(workers, 'worker')} on this machine | {each['wall']:.1f} s | {seconds:.1f} s |"
    yield ""
    yield f"| a billion scores, {MANY:,} replicates, 10 Gbit/s | simulated |"
    yield "| --- | ---: |"
    sent = messages_of(BILLION, MANY)
    for workers in (1, 4, 16, 100, 400):
        seconds = simulated(cluster, sent, fits["replicates"].at(BILLION) * MANY / BILLION.scores, workers)
        yield f"| {how_many(workers, 'worker')}, {len(sent)} messages | {seconds:,.0f} s |"


def page() -> str:
    """Measure all, and say it as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        measurements = {shape: measured(shape, Path(folder)) for shape in map(Shape._make, SHAPES)}
    fits = {work: fitted(work, measurements) for work in WORKS}
    return "\n".join([*fits_in_words(fits), "", *cluster_in_words(fits)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="put it between the marks of this page")
    file = parser.parse_args().write
    said = page()
    print(said)
    if file is not None:
        between = re.compile(r"(<!-- cost: begin -->\n).*(\n<!-- cost: end -->)", re.DOTALL)
        file.write_text(between.sub(lambda marks: f"{marks[1]}\n{said}\n{marks[2]}", file.read_text()))


if __name__ == "__main__":
    main()
