"""Mean and Borda of one large Parquet file, by podium, by Polars and by DuckDB.

python benchmarks/scale_peers.py [FILE]
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import tables
from measure import Row

#: Each prints rows of system, mean, and place: the mean over tasks of the mean over instances of the score, and of the
#: rank among the systems, in which ties share the mean of their ranks.
WORK = {
    "podium": """
import podium
scores = podium.read(path)
mean, borda = (podium.rank(scores, method, confidence=None) for method in ("mean", "borda:balanced"))
n = len(scores.systems)
share = dict(zip(borda.systems, borda.score.tolist()))
rows = [(system, score, n - (n - 1) * share[system]) for system, score in zip(mean.systems, mean.score.tolist())]
""",
    "Polars": """
import polars as pl
names, both = pl.col("task", "system"), pl.col("score", "place")
place = pl.col("score").rank("average", descending=True).over("task", "instance").alias("place")
ranked = pl.scan_parquet(path).with_columns(names.cast(pl.Categorical)).select("task", "system", "score", place)
means = ranked.group_by("task", "system").agg(both.mean()).group_by("system").agg(both.mean())
rows = means.collect(engine="streaming").rows()
""",
    "DuckDB": """
import duckdb
rows = duckdb.execute('''
WITH ranked AS (
  SELECT task, system, score,
    rank() OVER ballot + (count(*) OVER (ballot RANGE BETWEEN CURRENT ROW AND CURRENT ROW) - 1) / 2 AS place
  FROM read_parquet($path) WINDOW ballot AS (PARTITION BY task, instance ORDER BY score DESC)
), means AS (SELECT task, system, avg(score) AS score, avg(place) AS place FROM ranked GROUP BY ALL)
SELECT system, avg(score), avg(place) FROM means GROUP BY system
''', {"path": path}).fetchall()
""",
}

_MEASURED = """
import json, re, resource, sys, time
path, started = sys.argv[1], time.perf_counter()
{work}
seconds, used = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
peak = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1e3
print("\\n" + json.dumps([seconds, used.ru_utime + used.ru_stime, peak, sorted(rows)]))
"""

#: By how much numbers may differ, in units of themselves or of 1.
_SAME = 1e-9


class Measured(NamedTuple):
    """Seconds by the clock and of all cores, megabytes at most, and the answer."""

    seconds: float
    cpu: float
    peak: float
    rows: list[tuple[str, float, float]]

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, {self.cpu:.1f} CPU s, {self.peak:,.0f} MB"


def measured(work: str, path: Path) -> Measured:
    """Do the work in a fresh process, twice; the quicker of both."""
    code = _MEASURED.format(work=work)
    runs = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True)
        runs.append(Measured(*json.loads(done.stdout.splitlines()[-1])))
    return min(runs)


def check_same(found: Measured, expected: Measured) -> None:
    """Refuse an answer that is another one."""
    for (system, *numbers), (other, *others) in zip(found.rows, expected.rows, strict=True):
        same = all(abs(a - b) <= _SAME * max(1, abs(b)) for a, b in zip(numbers, others, strict=True))
        if system != other or not same:
            raise AssertionError(f"{system}: {numbers} differs from {other}: {others}")


def rows(path: Path | None = None) -> Iterator[Row]:
    path = tables.large_parquet("in order") if path is None else path
    runs = {name: measured(work, path) for name, work in WORK.items()}
    podium = runs.pop("podium")
    for name, peer in runs.items():
        check_same(peer, podium)
        what = f"{path.name}: mean and Borda, beside {name}"
        yield Row(f"{what}", str(podium), f"{name}: {peer}", peer.seconds / podium.seconds, "≥ 1")
        yield Row(
            "CPU seconds of that", f"{podium.cpu:.1f} s", f"{name}: {peer.cpu:.1f} s", peer.cpu / podium.cpu, "≥ 1"
        )
        yield Row(
            "peak memory of that",
            f"{podium.peak:,.0f} MB",
            f"{name}: {peer.peak:,.0f} MB",
            peer.peak / podium.peak,
            "≥ 2",
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", help="a long table; by default one of 131 million scores")
    for row in rows(parser.parse_args().file):
        print(row, flush=True)
