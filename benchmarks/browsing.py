"""How large a page is, how soon it opens, and how fast it answers, in a real Chromium."""

import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import tables
from measure import Row

import podium
from podium.difficulty.result import Difficulty, Measure
from podium.errors import PodiumWarning

WEB = Path(__file__).parents[1] / "web"

#: Times a page is opened, and steps of a slider.
ROUNDS, STEPS = 5, 21

#: Letters in a thousand bytes; milliseconds between two frames at 60 a second.
KB, FRAME = 1e3, 1e3 / 60


def rows() -> Iterator[Row]:
    if shutil.which("chromium") is None or not (WEB / "node_modules").exists():
        print("pages are not measured: that needs Chromium and Node; make bench-web", file=sys.stderr)
        return
    code = len(gzip.compress((files("podium.webpage") / "static" / "page.html").read_bytes()))
    yield _row("page: code, gzipped", code / KB, "kB", 150)
    with tempfile.TemporaryDirectory() as folder:
        yield from _boards(Path(folder))
        yield from _difficulty(Path(folder))
        yield from _all_of_mteb(Path(folder))


def _row(what: str, value: float, unit: str, goal: float) -> Row:
    return Row(what, f"{value:,.0f} {unit}", f"allowed: {goal:,.0f} {unit}", value / goal, "≤ 1")


def _boards(folder: Path) -> Iterator[Row]:
    """Leaderboards of instances with 200 replicates."""
    for systems, tasks, opening, step in ((100, 40, 500, 16), (300, 60, 1000, 100)):
        rng = np.random.default_rng(systems)
        right = rng.random((systems, tasks, 200)) < rng.beta(6, 4, (systems, 1, 1))
        scores = podium.from_arrays({f"task {task}": right[:, task].astype(float) for task in range(tasks)})
        path = folder / f"{systems}.html"
        _save(scores, path, n_resamples=200)
        size, what = path.stat().st_size, f"page: {systems} systems × {tasks} tasks × 200 instances"
        if systems == 100:
            yield _row(f"{what}: file", size / KB, "kB", 1200)
        timed = _timed(str(path))
        yield _row(f"{what}: opened, first ranks are drawn", statistics.median(timed["opened"]), "ms", opening)
        yield _row(f"{what}: a weight to new ranks", statistics.median(timed["ranks"]), "ms", step)
        yield _row(f"{what}: a weight to new intervals", statistics.median(timed["intervals"]), "ms", step)
        yield _row(f"{what}: longest time the page is blocked", max(timed["longest"]), "ms", 50)


def _difficulty(folder: Path) -> Iterator[Row]:
    """A threshold of splits."""
    rng = np.random.default_rng(0)
    hard = rng.beta(2, 2, 25_000)
    right = rng.random((10, 25_000)) > hard * rng.uniform(0.4, 0.9, (10, 1))
    scores = podium.from_arrays({"task": right.astype(float)})
    measure = Measure("difficulty", hard, "high")
    path = folder / "difficulty.html"
    _save(scores, path, difficulty=Difficulty(np.arange(25_000), (measure,)), n_resamples=200)
    timed = _timed(f"{path}#v=difficulty")
    what = "page: a threshold of 10 systems × 25,000 instances"
    yield _row(f"{what} to new ranks", statistics.median(timed["ranks"]), "ms", 16)


def _all_of_mteb(folder: Path) -> Iterator[Row]:
    """All systems and tasks of MTEB, where they are at hand."""
    if (source := tables.mteb()) is None:
        return
    import pandas as pd  # noqa: PLC0415  # only here

    scores = pd.read_parquet(source)
    scores["task"] = scores.task.str.partition("/")[0]
    means = scores.groupby(["system", "task"], as_index=False)["score"].mean()
    path = folder / "mteb.html"
    _save(podium.from_frame(means), path)
    timed = _timed(str(path))
    what = f"page: MTEB, {means.system.nunique()} systems × {means.task.nunique():,} tasks"
    yield _row(f"{what}: opened, first ranks are drawn", statistics.median(timed["opened"]), "ms", 3000)
    yield _row(f"{what}: a frame while scrolling", statistics.median(timed["frames"]), "ms", FRAME)
    yield _row(f"{what}: the slowest frame of twenty", float(np.quantile(timed["frames"], 0.95)), "ms", FRAME)


def _save(scores: podium.Scores, path: Path, **options: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        podium.page(scores, title="measured", **options).save(path)  # type: ignore[arg-type]


def _timed(page: str) -> dict[str, list[float]]:
    command = ["node", "browser/time-page.js", page, str(ROUNDS), str(STEPS)]
    done = subprocess.run(command, cwd=WEB, check=True, capture_output=True, text=True)
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found
