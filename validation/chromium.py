"""Random tables and released ones on the page in a real Chromium: it shows what Python ranks, by any weights.

python validation/chromium.py [--worlds N] [--seed S]
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import podium
from podium.errors import PodiumWarning
from podium.ranking.method_spec import MethodSpec
from podium.webpage.shares import holds_units, needs_flips

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

from support import page_cases as cases  # noqa: E402  # worlds and answers, as the tests have them

WEB = ROOT / "web"
RELEASED = ROOT.parent / "shared/data/scores"
COLUMNS = ("rank", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier")


def worlds(number: int, seed: int) -> Iterator[tuple[str, podium.Scores]]:
    """Random tables: of tasks or instances, with holes, ties, weights, and metrics of the same items."""
    for world in range(number):
        rng = np.random.default_rng([seed, world])
        yield f"world {world}", _world(rng)


def _world(rng: np.random.Generator) -> podium.Scores:
    n_systems, n_tasks = int(rng.integers(2, 13)), int(rng.integers(1, 13))
    strength = rng.normal(0, rng.choice([0.0, 0.3, 1.0]), n_systems)
    sizes = rng.integers(5, 120, n_tasks) if rng.random() < 0.7 else np.ones(n_tasks * 5, dtype=int)
    shared = rng.random() < 0.3
    if shared:
        sizes[:] = sizes[0]
    values = {}
    for task, size in enumerate(sizes.tolist()):
        own = rng.normal(strength[:, None], 1.0, (n_systems, size))
        own = np.round(own, int(rng.integers(0, 3))) if rng.random() < 0.5 else own
        own[rng.random(own.shape) < rng.choice([0.0, 0.2])] = np.nan
        own[:, np.isnan(own).all(axis=0)] = 0.0
        values[f"t{task}"] = own
    weights = {task: float(rng.choice([0.5, 1.0, 1.0, 3.0])) for task in values}
    labels = {task: [f"i{at}" for at in range(int(sizes[0]))] for task in values} if shared else None
    systems = [f"s{at}" for at in range(n_systems)]
    return podium.from_arrays(values, systems=systems, instances=labels).with_task_weights(weights)


def released() -> Iterator[tuple[str, podium.Scores]]:
    """Tables beside this folder, where they are."""
    for name in ("SUM_EVAL.parquet", "FLICKR.parquet", "glue.csv"):
        if (path := RELEASED / name).exists():
            yield name, podium.read(path)


def wrong(name: str, scores: podium.Scores, folder: Path) -> Iterator[str]:
    """What the page shows otherwise than Python ranks: by the given weights, and without the first task."""
    page = folder / "board.html"
    podium.page(scores, title=name).save(page)
    first, n_tasks = scores.task_names[0], len(scores.tasks)
    for keys in ((), ("0:Delete",)) if n_tasks > 1 else ((),):
        weighed = scores.with_task_weights({first: 0.0}) if keys else scores
        # a page that holds no single instances has no exact test
        sure = scores.task_level or holds_units(scores) or not needs_flips(weighed, MethodSpec("borda", "balanced"))
        wanted = podium.rank(
            weighed, "borda:missing=imputed", n_resamples=200, confidence_level=0.95 if sure else None
        ).rows()
        command = ["node", "browser/read-page.js", str(page), *keys, "save:CSV"]
        subprocess.run(command, cwd=WEB, check=True, capture_output=True, timeout=400)
        shown = list(csv.DictReader((folder / "saved.csv").read_text("utf-8").splitlines()))
        yield from (f"{name} {' '.join(keys)}: {one}" for one in _differences(shown, wanted))


def _differences(shown: list[dict[str, str]], wanted: list[dict[str, Any]]) -> Iterator[str]:
    if [row["system"] for row in shown] != [row["system"] for row in wanted]:
        yield "systems stand in another order"
        return
    for row, own in zip(shown, wanted, strict=True):
        if abs(float(row["score"]) - own["score"]) > 1e-12:
            yield f"score of {own['system']}: {row['score']}, not {own['score']}"
        for column in COLUMNS:
            if row.get(column, "") != ("" if own.get(column) is None else str(own[column])):
                yield f"{column} of {own['system']}: {row.get(column)}, not {own.get(column)}"


def kernels(tables: list[tuple[str, podium.Scores]], folder: Path) -> bool:
    """Whether the kernels give Python's numbers to 1e-12 from tallies with all digits."""
    for number, (name, scores) in enumerate(tables):
        (folder / f"{number:03}.json").write_text(json.dumps(cases.case(name, scores, single=True)), "utf-8")
    for name in ("few-instances.json", "many-tasks.json"):
        (folder / name).write_bytes((cases.FOLDER / "ranking" / name).read_bytes())
    command = ["npx", "vitest", "run", "src/kernel/ranking.test.ts", "--reporter=dot"]
    environment = {**os.environ, "RANKING_CASES": str(folder)}
    return subprocess.run(command, cwd=WEB, env=environment, check=False).returncode == 0


def main() -> None:
    """Compare, and end with 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore", PodiumWarning)
    tables = [*worlds(chosen.worlds, chosen.seed), *released()]
    with tempfile.TemporaryDirectory() as folder:
        good = kernels(tables, Path(folder))
    found = []
    for name, scores in tables:
        with tempfile.TemporaryDirectory() as folder:
            found += list(wrong(name, scores, Path(folder)))
        sys.stdout.write(f"{name}: {len(found)} differences so far\n")
        sys.stdout.flush()
    sys.stdout.writelines(f"{one}\n" for one in found)
    sys.exit(not good or bool(found))


if __name__ == "__main__":
    main()
