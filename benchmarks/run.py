"""Run every benchmark beside its peers and print one table of ratios.

python benchmarks/run.py [--only NAME]... [--csv FILE]
"""

import argparse
import csv
import os
import platform
import sys
import sysconfig
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import browsing
import customizing
import duckdb
import installing
import intervals
import living
import logs
import many_tasks
import measure
import methods
import numpy as np
import polars as pl
import pooling
import pyarrow.parquet as pq
import scale
import scale_peers
import similarity
import stressing
import tables
from measure import Row

import podium
from podium.ranking.method.average import mean
from podium.ranking.method.borda import one_level, two_level
from podium.score.table import Scores
from podium.score.task import Task
from podium.tally.count import count
from podium.tally.duel import Duels
from podium.tally.moment import Moments
from podium.tally.position import Positions

#: CPU seconds of the code released with Himmi et al. 2023 on 62 systems × 15 tasks × 48 instances, 20 % missing.
PAPERS_CODE = 22.7
#: The whole table as doubles, in megabytes.
DENSE = tables.SYSTEMS * tables.TASKS * tables.INSTANCES * 8 / 1e6


def everything(path: Path) -> None:
    """File to mean, one- and two-level Borda, and duels: one reading, one counting."""
    scores = podium.read(path)
    counts = count(scores, (Moments, Positions, Duels))
    mean(np.array([task.means for task in counts[Moments]]), scores.task_weights)
    one_level(counts[Positions], scores.task_weights)
    two_level(counts[Positions], scores.task_weights)


def file_to_rankings() -> Iterator[Row]:
    for kind, goal in (("integers", "≤ 1.5"), ("shuffled", "≤ 1.5"), ("strings", "≤ 2.5")):
        path = tables.long_parquet(kind)
        dictionaries = ["task", "system"] + (["instance"] if kind == "strings" else [])
        columns = ["task", "system", "instance", "score"]

        def read_columns(
            path: Path = path, columns: list[str] = columns, dictionaries: list[str] = dictionaries
        ) -> None:
            pq.read_table(path, columns=columns, read_dictionary=dictionaries)

        seconds = measure.together(
            {"podium": lambda path=path: everything(path), "pyarrow": read_columns}  # type: ignore[misc]
        )
        yield Row(
            f"Parquet file to mean, Borda one and two, duels; instances: {kind}",
            f"{seconds['podium']:.2f} s",
            f"PyArrow reads the columns: {seconds['pyarrow']:.2f} s",
            seconds["podium"] / seconds["pyarrow"],
            goal,
        )


def peers() -> Iterator[Row]:
    path = tables.long_parquet("integers")

    def with_polars() -> None:
        rank = pl.col("score").rank("average", descending=True).over("task", "instance")
        pl.scan_parquet(path).select("system", rank).group_by("system").agg(pl.col("score").sum()).collect()

    def all_with_polars() -> None:
        rank = pl.col("score").rank("average", descending=True).over("task", "instance").alias("rank")
        table = pl.scan_parquet(path).select("task", "system", "score", rank)
        sums = table.group_by("task", "system").agg(pl.col("score").mean(), pl.col("rank").sum())
        two = pl.col("rank").rank("average").over("task").alias("two")
        sums.with_columns(two).group_by("system").agg(pl.col("score").mean(), pl.col("rank", "two").sum()).collect()

    def with_duckdb() -> None:
        ranked = f"SELECT system, rank() OVER (PARTITION BY task, instance ORDER BY score DESC) r FROM '{path}'"  # noqa: S608
        duckdb.connect().execute(f"SELECT system, sum(r) FROM ({ranked}) GROUP BY system").fetchall()  # noqa: S608

    seconds = measure.together(
        {"podium": lambda: everything(path), "polars": with_polars, "all": all_with_polars, "duckdb": with_duckdb},
        rounds=2,
    )
    for peer, what in (
        ("polars", "Polars rank().over(), Borda one only"),
        ("all", "Polars rank().over(), mean, Borda one and two"),
        ("duckdb", "DuckDB window rank, Borda one only"),
    ):
        yield Row(
            "the same file and answers (and duels)",
            f"{seconds['podium']:.2f} s",
            f"{what}: {seconds[peer]:.1f} s",
            seconds[peer] / seconds["podium"],
            "≥ 8 × faster",
        )


def memory() -> Iterator[Row]:
    path = tables.long_parquet("integers")
    code = (
        "import podium, pathlib; from podium.tally.count import count; from podium.tally.duel import Duels; "
        "from podium.tally.moment import Moments; from podium.tally.position import Positions; "
        f"count(podium.read(pathlib.Path({str(path)!r})), (Moments, Positions, Duels))"
    )
    peak = measure.peak_megabytes(code)
    yield Row(
        "peak memory of that, interpreter and libraries included",
        f"{peak:.0f} MB",
        f"the dense table: {DENSE:.0f} MB",
        peak / DENSE,
        "≤ 3",
    )


def counting() -> Iterator[Row]:
    array = tables.dense()
    scores = Scores(tuple(map(str, range(tables.SYSTEMS))), (Task.cut("t", array),))
    seconds = measure.together(
        {"podium": lambda: count(scores, (Duels, Positions)), "numpy": lambda: np.sum(array)}, rounds=15
    )
    yield Row(
        "counting wins, ties and positions, 20 systems × 1,000,000 instances",
        f"{1e3 * seconds['podium']:.0f} ms",
        f"numpy.sum: {1e3 * seconds['numpy']:.0f} ms",
        seconds["podium"] / seconds["numpy"],
        "≤ 4",
    )


def start_up() -> Iterator[Row]:
    glue = Path(__file__).parents[2] / "shared/data/scores/glue.csv"
    script = str(Path(sysconfig.get_path("scripts")) / "podium")
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "import podium": [sys.executable, "-c", "import podium"],
        "import pandas": [sys.executable, "-c", "import pandas"],
        "import typer": [sys.executable, "-c", "import typer"],
        "podium --version": [script, "--version"],
        "podium --help": [script, "--help"],
    }
    if glue.exists():
        commands["podium rank glue.csv"] = [script, "rank", str(glue)]
        ranked = f"import podium; podium.rank({str(glue)!r})"
        commands["podium.rank('glue.csv') in Python"] = [sys.executable, "-c", ranked]
    seconds = measure.processes(commands)
    for name, peer, goal in (
        ("import podium", "import pandas", "≤ 0.25 s"),
        ("podium --version", "import typer", "≤ 1.5, ≤ 0.25 s"),
        ("podium --help", "import typer", "≤ 1.5, ≤ 0.25 s"),
        ("podium.rank('glue.csv') in Python", "import pandas", "≤ 0.3 s"),
        ("podium rank glue.csv", "import pandas", "≤ 0.8 s"),
    ):
        if name in seconds:
            yield Row(
                f"`{name}`, whole process",
                f"{seconds[name]:.2f} s",
                f"`{peer}`: {seconds[peer]:.2f} s",
                seconds[name] / seconds[peer],
                goal,
            )


def the_papers_case() -> Iterator[Row]:
    scores = podium.simulate.gumbel(62, 15, 48, dispersion=0.1, missing=0.2, rng=0).scores
    seconds = measure.cpu_seconds(lambda: podium.rank(scores, level="two", n_jobs=1, confidence_level=None))
    yield Row(
        "62 systems × 15 tasks × 48 instances, 20 % missing: two-level Borda",
        f"{1e3 * seconds:.1f} CPU ms",
        f"released code of Himmi et al.: {PAPERS_CODE} CPU s",
        PAPERS_CODE / seconds,
        "≥ 1,000 × faster",
    )


BENCHMARKS: dict[str, Callable[[], Iterator[Row]]] = {
    "reading": file_to_rankings,
    "peers": peers,
    "memory": memory,
    "counting": counting,
    "start-up": start_up,
    "installing": installing.rows,
    "many-tasks": many_tasks.rows,
    "paper": the_papers_case,
    "intervals": intervals.rows,
    "methods": methods.rows,
    "pooling": pooling.rows,
    "customizing": customizing.rows,
    "scale": scale.rows,
    "scale-peers": scale_peers.rows,
    "similarity": similarity.rows,
    "stressing": stressing.rows,
    "logs": logs.rows,
    "page": browsing.rows,
    "boards": living.rows,
}


def machine() -> str:
    beside = ("numpy", "numba", "pyarrow", "polars", "duckdb", "pymare", "statsmodels")
    versions = ", ".join(f"{name} {version(name)}" for name in beside)
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="also write the table there, as docs/benchmarks.csv is")
    parser.add_argument("--only", action="append", choices=list(BENCHMARKS), help="run these alone")
    chosen = parser.parse_args()
    lines = [("what", "podium", "beside", "ratio", "goal")]
    print(machine())
    for name in chosen.only or BENCHMARKS:
        for row in BENCHMARKS[name]():
            lines.append((row.what, row.podium, row.beside, f"{row.ratio:.1f}", row.goal))
            print(" | ".join(lines[-1]), flush=True)
    if chosen.csv:
        with chosen.csv.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)


if __name__ == "__main__":
    main()
