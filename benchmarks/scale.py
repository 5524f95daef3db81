"""131 million scores in one Parquet file: read and counted by one process, and by one and two workers of Dask.

python benchmarks/scale.py
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import tables
from measure import Row

#: From the file to means and duels, of which means, Borda and wins are made; in threads, or by WORKERS,MEMORY.
WORK = """
import contextlib, hashlib, json, sys, time
path, how = sys.argv[1:]
if __name__ == "__main__":
    if how == "pyarrow":
        import pyarrow.parquet as pq
        began = time.perf_counter()
        pq.read_table(path, columns=["task", "system", "instance", "score"])
        answer = []
    else:
        import podium
        from podium.tally.count import count
        from podium.tally.duel import Duels
        from podium.tally.moment import Moments
        workers, _, memory = how.partition(",")
        with podium.engine("dask", workers=int(workers), worker_memory=memory) if memory else contextlib.nullcontext():
            began = time.perf_counter()  # workers are there
            scores = podium.read(path)
            counts = count(scores, (Moments, Duels))
            answer = [[own.means.tolist() for own in counts[Moments]], [own.wins.tolist() for own in counts[Duels]]]
            seconds = time.perf_counter() - began
    seconds = time.perf_counter() - began if how == "pyarrow" else seconds
    # the high-water mark of the process itself: getrusage would include the parent it was forked from
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    peak = int(status["VmHWM"].split()[0]) / 1000
    print(json.dumps([seconds, peak, hashlib.sha256(json.dumps(answer).encode()).hexdigest()]))
"""


class Measured(NamedTuple):
    """Wall seconds of work, megabytes of the process that asks, and its answer."""

    seconds: float
    peak: float
    answer: str


def measured(path: Path, how: str) -> Measured:
    """Ask in a fresh process, twice; the quicker of both. It is a script, as workers load it."""
    script = tables.FOLDER / "ask.py"
    script.write_text(WORK)
    runs = []
    for _ in range(2):
        done = subprocess.run([sys.executable, script, path, how], check=True, capture_output=True, text=True)
        runs.append(Measured(*json.loads(done.stdout.splitlines()[-1])))
    return min(runs)


def rows() -> Iterator[Row]:
    for kind, here, there in (("in order", "≤ 1.5", "≤ 2.5"), ("shuffled", "≤ 2.5", "≤ 6")):
        path = tables.large_parquet(kind)
        beside, local, one, two = (measured(path, how) for how in ("pyarrow", "threads", "1,6GB", "2,3GB"))
        what, other = f"131 million scores, rows {kind}: file to means and duels", "PyArrow reads the columns"
        for name, run, goal in (("one process", local, here), ("2 workers with 3 GB", two, there)):
            compared = f"{other}: {beside.seconds:.1f} s"
            yield Row(f"{what}; {name}", f"{run.seconds:.1f} s", compared, run.seconds / beside.seconds, goal)
        faster = one.seconds / two.seconds
        yield Row("2 workers", f"{two.seconds:.1f} s", f"1 worker: {one.seconds:.1f} s", faster, "≥ 1.6 × faster")
        yield Row("memory of who asks workers", f"{two.peak:.0f} MB", "allowed: 500 MB", two.peak / 500, "≤ 1")
        yield Row("memory of one process", f"{local.peak:.0f} MB", "allowed: 2,000 MB", local.peak / 2000, "≤ 1")
        same = sum(run.answer == local.answer for run in (local, one, two))
        yield Row("same bytes: one process, 1 and 2 workers", str(same), "all: 3", same / 3, "1")
    whole = measured(tables.large_parquet("0/1 in order"), "threads")
    yield Row(
        "memory of one process, scores 0 and 1", f"{whole.peak:.0f} MB", "allowed: 500 MB", whole.peak / 500, "≤ 1"
    )


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
