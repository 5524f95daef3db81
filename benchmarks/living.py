"""Time of living boards: a system is added to a board of 10 or 131 million scores, and all systems are ranked again.

python benchmarks/living.py
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tables
from measure import Row

#: 100 systems on ten tasks with 10,000 instances each.
SYSTEMS, TASKS, INSTANCES = 100, 10, 10_000

#: What is allowed, in wall seconds: of ten million scores for each row, of 131 million to add a system.
ALLOWED, ALLOWED_LARGE = 1.0, 3.0

_ROUNDS = 5


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        for kind in ("numbers", "texts"):
            folder = Path(name, kind)
            folder.mkdir()
            pq.write_table(_scores(0, SYSTEMS, kind), folder / "many.parquet", compression="zstd")
            pq.write_table(_scores(SYSTEMS, 1, kind), folder / "one.parquet", compression="zstd")
            _seconds(folder, "add", "board", "many.parquet")
            added, ranked, before = zip(*(_added(folder) for _ in range(_ROUNDS + 1)), strict=True)
            what = f"10 million scores on a board, instances are {kind}: `podium add` of one system"
            yield _row(what, added[1:])
            yield _row("`podium rank` of that, with `podium add` before", np.add(added, ranked)[1:])
            yield _row("`podium rank` alone", ranked[1:])
            yield _row("`podium rank --as-of 0`, of the version before", before[1:])
        yield from _large(Path(name))


def _large(folder: Path) -> Iterator[Row]:
    """A system with scores on all 2.18 million instances is added to 131 million scores."""
    instances = np.arange(tables.LARGE_INSTANCES)
    new = [_system(f"task-{task}", instances) for task in range(tables.TASKS)]
    pq.write_table(pa.concat_tables(new), folder / "one.parquet", compression="zstd")
    _seconds(folder, "add", "board", str(tables.large_parquet("in order")))
    what = "131 million scores on a board: `podium add` of one system"
    yield _row(what, [_seconds(folder, "add", "board", "one.parquet")], ALLOWED_LARGE)


def _system(task: str, instances: np.ndarray[tuple[int], np.dtype[np.int64]]) -> pa.Table:
    scores = np.random.default_rng(0).normal(size=instances.size)
    labels = {name: pa.repeat(label, instances.size) for name, label in (("task", task), ("system", "team/new"))}
    return pa.table({**labels, "instance": instances, "score": scores})


def _row(what: str, measured: object, allowed: float = ALLOWED) -> Row:
    """Medians of wall and CPU seconds."""
    wall, cpu = (statistics.median(some) for some in np.transpose(np.array(measured)).tolist())
    said = f"{wall:.2f} s, of the processor {cpu:.2f} s"
    return Row(what, said, f"allowed: {allowed:.0f} s", wall / allowed, "≤ 1")


def _added(folder: Path) -> tuple[tuple[float, float], ...]:
    """Add a system to a copy of the board, rank all, and rank what was there before."""
    shutil.rmtree(folder / "copy", ignore_errors=True)
    shutil.copytree(folder / "board", folder / "copy")
    added = _seconds(folder, "add", "copy", "one.parquet")
    ranked = _seconds(folder, "rank", "copy", "--top", "3")
    return added, ranked, _seconds(folder, "rank", "copy", "--as-of", "0", "--top", "3")


def _seconds(folder: Path, *words: str) -> tuple[float, float]:
    """Wall and CPU seconds of a command; compiled modules are kept, as where podium is installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPYCACHEPREFIX": str(folder.parent / "compiled")}
    command = [sys.executable, "-m", "podium", *words]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _scores(first: int, count: int, kind: str) -> pa.Table:
    """Scores of some systems, rounded to three decimals."""
    rng = np.random.default_rng(first)
    task, system, instance = (axis.ravel() for axis in np.indices((TASKS, count, INSTANCES)))
    labels = [f"question {number:05}" for number in range(INSTANCES)]
    return pa.table(
        {
            "task": _words(task, [f"task {number}" for number in range(TASKS)]),
            "system": _words(system, [f"system {number:03}" for number in range(first, first + count)]),
            "instance": _words(instance, labels) if kind == "texts" else pa.array(instance),
            "score": np.round(np.clip(rng.normal(0.5 + system / 400, 0.2), 0, 1), 3),
        }
    )


def _words(places: np.ndarray[tuple[int], np.dtype[np.int64]], words: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), pa.array(words)).cast(pa.string())


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
