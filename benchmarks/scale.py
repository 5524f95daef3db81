"""Time and memory of a large table: 131 million scores, one Parquet file.

python benchmarks/scale.py
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator

import tables
from measure import Row

#: From the file to means, Borda at two levels and duels; the first line is what PyArrow does in place of it.
WORK = {
    "pyarrow": "import pyarrow.parquet as pq; pq.read_table(path, columns=['task', 'system', 'instance', 'score'])",
    "podium": (
        "import podium; scores = podium.read(path); counts = count(scores, (Moments, Duels)); "
        "mean(np.array([task.means for task in counts[Moments]]), scores.task_weights); "
        "positions = [task.positions() for task in counts[Duels]]; "
        "one_level(positions, scores.task_weights); two_level(positions, scores.task_weights)"
    ),
    "replicates": "import podium; podium.rank(podium.read(path), 'borda', replicates=1000)",
}
IMPORTS = """
import sys, warnings
import numpy as np
from podium.ranking.method.average import mean
from podium.ranking.method.borda import one_level, two_level
from podium.tally.duel import Duels
from podium.tally.count import count
from podium.tally.moment import Moments
path = sys.argv[1]
"""
PEAK = "\nprint(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"


def measured(name: str, path: str) -> tuple[float, float]:
    """Wall seconds, and megabytes at most, of a fresh process; the better of two in time."""
    code = (IMPORTS if name != "pyarrow" else "import sys; path = sys.argv[1]\n") + WORK[name] + PEAK
    seconds, peak = [], 0.0
    for _ in range(2):
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True, text=True)
        seconds.append(time.perf_counter() - started)
        found = re.search(r"VmHWM:\s*(\d+)", done.stdout)
        peak = max(peak, int(found[1]) / 1e3 if found else float("nan"))
    return min(seconds), peak


def rows() -> Iterator[Row]:
    for kind, goal in (("in order", "≤ 1.5"), ("shuffled", "≤ 2.5")):
        path = str(tables.large_parquet(kind))
        beside, _ = measured("pyarrow", path)
        what = f"131 million scores, rows {kind}: file to mean, Borda, duels"
        seconds, peak = measured("podium", path)
        yield Row(what, f"{seconds:.1f} s", f"PyArrow reads the columns: {beside:.1f} s", seconds / beside, goal)
        yield Row("peak memory of that", f"{peak:.0f} MB", "allowed: 2,000 MB", peak / 2000, "≤ 1")
    seconds, peak = measured("replicates", str(tables.large_parquet("in order")))
    what = "131 million scores: file to Borda with 1,000 replicates"
    yield Row(what, f"{seconds:.1f} s", "allowed: 180 s", seconds / 180, "≤ 1")
    yield Row("peak memory of that", f"{peak:.0f} MB", "allowed: 2,000 MB", peak / 2000, "≤ 1")


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
