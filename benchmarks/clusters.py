"""131 million scores by one and two workers of Dask beside the threads of this machine, and the same bytes every way.

python benchmarks/clusters.py
"""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

import tables
from measure import Row

import podium
from podium.base.parallel import cores
from podium.score.table import Scores

_REPLICATES = 1000
_ROUNDS = 3

Engine = Callable[[], AbstractContextManager[object]]

ENGINES: dict[str, Engine] = {
    "local": nullcontext,
    "one": lambda: podium.engine("dask", workers=1),
    "two": lambda: podium.engine("dask", workers=2),
}


def rows() -> Iterator[Row]:
    path = tables.large_parquet("in order")
    scores = podium.read(path)
    what = f"131 million scores in memory, Borda with {_REPLICATES:,} replicates"
    seconds, told = _timed(scores)
    local, one, two = (seconds[name] for name in ENGINES)
    yield Row(
        f"{what}: Dask, 2 workers",
        f"{two:.1f} s",
        f"no cluster, {cores()} threads: {local:.1f} s",
        two / local,
        "≤ 1.15",
    )
    yield Row(f"{what}: Dask, 2 workers", f"{two:.1f} s", f"Dask, 1 worker: {one:.1f} s", one / two, "≥ 1.7 × faster")
    first = told["local"][0]
    same = sum(all(answer == first for answer in answers) for answers in told.values())
    said = "threads, 1 and 2 workers"
    yield Row(f"of these answers, the same bytes: {said}", str(same), f"all: {len(told)}", same / len(told), "1")


def _timed(scores: Scores) -> tuple[dict[str, float], dict[str, list[str]]]:
    """Median wall seconds of a ranking by each engine, in turn, once its workers are there; and the answers."""
    seconds: dict[str, list[float]] = {name: [] for name in ENGINES}
    answers: dict[str, list[str]] = {name: [] for name in ENGINES}
    for _ in range(_ROUNDS):
        for name, engine in ENGINES.items():
            with engine():
                started = time.perf_counter()
                answers[name].append(_content(scores))
                seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(times) for name, times in seconds.items()}, answers


def _content(scores: Scores) -> str:
    """What a ranking says of each system, with all digits."""
    content = podium.rank(scores, "borda", replicates=_REPLICATES).content()
    return json.dumps([content["intervals"], content["systems"]], sort_keys=True)


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
