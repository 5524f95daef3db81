"""Run every simulation and write docs/validation.md.

python validation/validate.py [--processes P] [--worlds SHARE] [--output FILE]
"""

import argparse
import os
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import numpy as np
from page import page
from studies import SECTIONS
from trials import Trial, Verdict

PAGE = Path(__file__).parents[1] / "docs" / "validation.md"


def verdicts(trial: Trial, key: tuple[int, ...], worlds: int) -> list[Verdict]:
    """Judge one trial after another, each with a generator of its own, so that nothing depends on who runs it."""
    return [trial(np.random.default_rng([*key, world])) for world in range(worlds)]


def main() -> None:
    """Simulate, report progress, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--worlds", type=float, default=1.0, help="share of the worlds to simulate, for a quick look")
    parser.add_argument("--output", type=Path, default=PAGE)
    chosen = parser.parse_args()
    start = time.monotonic()
    with ProcessPoolExecutor(chosen.processes) as pool:
        jobs: list[list[list[Future[list[Verdict]]]]] = [
            [
                [
                    pool.submit(verdicts, trial, (s, r, t), max(2, round(chosen.worlds * row.worlds)))
                    for t, trial in enumerate(row.trials)
                ]
                for r, row in enumerate(section.rows)
            ]
            for s, section in enumerate(SECTIONS)
        ]
        results = []
        for section, rows in zip(SECTIONS, jobs, strict=True):
            judged = []
            for row, trials in zip(section.rows, rows, strict=True):
                judged.append([trial.result() for trial in trials])
                sys.stderr.write(f"{time.monotonic() - start:5.0f} s  {section.heading}: {row.label}\n")
            results.append((section, judged))
    chosen.output.write_text(page(results), encoding="utf-8")


if __name__ == "__main__":
    main()
