"""The tables the benchmarks run on, made once and kept beside them."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent / "data"
SYSTEMS, TASKS, INSTANCES = 20, 10, 100_000
MANY_SYSTEMS, MANY_TASKS, SCORED = 662, 12_009, 0.18
LARGE_SYSTEMS, LARGE_INSTANCES = 60, 218_000
#: Rows of a row group.
_GROUP = 2**20


def long_parquet(kind: str) -> Path:
    """20 systems × 1,000,000 instances as a long zstd Parquet file.

    kind: "integers" (instance numbers), "strings" (instance names), or "shuffled" (numbers, rows in random order).
    """
    path = FOLDER / f"long-{kind}.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        pq.write_table(_long(kind), path, compression="zstd")
    return path


def large_parquet(kind: str) -> Path:
    """60 systems × 2,180,000 instances on ten tasks as a long zstd Parquet file.

    `kind` is "in order" or "shuffled", and "0/1 in order" or "0/1 shuffled" where scores are 0 or 1.
    """
    path = FOLDER / f"large-{kind.replace(' ', '-').replace('/', '')}.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        total = LARGE_SYSTEMS * TASKS * LARGE_INSTANCES
        rng = np.random.default_rng(0)
        order = rng.permutation(total).astype(np.int32) if kind.endswith("shuffled") else None
        with pq.ParquetWriter(
            path.with_suffix(".part"), _large_rows(np.arange(1), rng, kind).schema, compression="zstd"
        ) as file:
            for start in range(0, total, _GROUP):
                stop = min(start + _GROUP, total)
                rows = np.arange(start, stop) if order is None else order[start:stop]
                file.write_table(_large_rows(rows, rng, kind), row_group_size=_GROUP)
        path.with_suffix(".part").rename(path)
    return path


def _large_rows(rows: np.ndarray[tuple[int, ...], np.dtype[Any]], rng: np.random.Generator, kind: str) -> pa.Table:
    """Rows of the large table with these numbers."""
    place, instance = np.divmod(rows, LARGE_INSTANCES)
    task, system = np.divmod(place, LARGE_SYSTEMS)
    scores = rng.normal(size=rows.size) + 0.01 * system
    if kind.startswith("0/1"):
        scores = (scores > 0).astype(np.int8)
    return pa.table(
        {
            "task": _strings(task.astype(np.int32), [f"task-{index}" for index in range(TASKS)]),
            "system": _strings(system.astype(np.int32), [f"team/model-{index:02d}" for index in range(LARGE_SYSTEMS)]),
            "instance": instance.astype(np.int64),
            "score": scores,
        }
    )


def many_tasks() -> Path:
    """A long zstd Parquet file of the shape of MTEB's results: systems × tasks, four fifths of them without a score."""
    path = FOLDER / "many-tasks.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        rng = np.random.default_rng(0)
        # Some systems have run nearly everything, most have run little.
        share = np.clip(rng.lognormal(-2.4, 1.3, MANY_SYSTEMS), 0.01, 1.0)
        system, task = np.nonzero(rng.random((MANY_SYSTEMS, MANY_TASKS)) < share[:, None] * SCORED / share.mean())
        columns = {
            "system": _strings(system.astype(np.int32), [f"team/model-{number:03d}" for number in range(MANY_SYSTEMS)]),
            "task": _strings(task.astype(np.int32), [f"Set{number}/test/eng_Latn" for number in range(MANY_TASKS)]),
            "score": np.round(rng.normal(system / MANY_SYSTEMS, 0.5), 4),
        }
        pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def mteb() -> Path | None:
    """The results of MTEB with a task for every set, split and subset, where they are at hand."""
    source = Path(__file__).parents[2] / "shared/data/mteb/mteb_main_scores.parquet"
    path = FOLDER / "mteb.parquet"
    if source.exists() and not path.exists():
        import pandas as pd  # noqa: PLC0415  # only here

        FOLDER.mkdir(exist_ok=True)
        scores = pd.read_parquet(source)
        scores["task"] = scores.task + "/" + scores.split + "/" + scores.subset
        last = scores.drop_duplicates(["system", "task"], keep="last")
        last[["system", "task", "score"]].to_parquet(path)
    return path if path.exists() else None


def dense(seed: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The same scores as an array, systems × instances."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(SYSTEMS, TASKS * INSTANCES)) + 0.05 * np.arange(SYSTEMS)[:, None]


def _long(kind: str) -> pa.Table:
    scores = dense().reshape(SYSTEMS, TASKS, INSTANCES).transpose(1, 0, 2)
    task = np.repeat(np.arange(TASKS, dtype=np.int32), SYSTEMS * INSTANCES)
    system = np.tile(np.repeat(np.arange(SYSTEMS, dtype=np.int32), INSTANCES), TASKS)
    columns = {
        "task": _strings(task, [f"task-{index}" for index in range(TASKS)]),
        "system": _strings(system, [f"team/model-{index:02d}" for index in range(SYSTEMS)]),
        "instance": _instances(kind),
        "score": scores.ravel(),
    }
    table = pa.table(columns)
    return table.take(np.random.default_rng(1).permutation(len(table))) if kind == "shuffled" else table


def _instances(kind: str) -> pa.Array:
    numbers = np.tile(np.arange(INSTANCES), TASKS * SYSTEMS)
    if kind != "strings":
        return pa.array(numbers)
    return _strings(numbers.astype(np.int32), [f"example-{index}" for index in range(INSTANCES)])


def _strings(codes: np.ndarray[tuple[int], np.dtype[np.int32]], labels: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(codes, labels).cast(pa.string())
