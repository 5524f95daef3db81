"""The tables the benchmarks run on, made once and kept beside them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = Path(__file__).parent / "data"
SYSTEMS, TASKS, INSTANCES = 20, 10, 100_000


def long_parquet(kind: str) -> Path:
    """20 systems × 1,000,000 instances as a long zstd Parquet file.

    kind: "integers" (instance numbers), "strings" (instance names), or "shuffled" (numbers, rows in random order).
    """
    path = FOLDER / f"long-{kind}.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        pq.write_table(_long(kind), path, compression="zstd")
    return path


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
