"""Run every simulation and write docs/validation.md, and the tables in docs/validation/.

python validation/validate.py [--processes P] [--worlds SHARE] [--only WORDS] [--output DOCS] [--keep FILE] [--page]
"""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import numpy as np
from document import page, read, write
from kept import Kept
from studies import SECTIONS
from trials import Trial, Verdict

DOCS = Path(__file__).parents[1] / "docs"


def verdicts(trial: Trial, key: tuple[int, ...], worlds: int) -> list[Verdict]:
    """Judge one trial after another, each with a generator of its own, so that nothing depends on who runs it."""
    return [trial(np.random.default_rng([*key, world])) for world in range(worlds)]


def main() -> None:
    """Simulate, report progress, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--worlds", type=float, default=1.0, help="share of the worlds to simulate, for a quick look")
    parser.add_argument("--only", default="", help="run the sections with these words in their heading, and print them")
    parser.add_argument("--output", type=Path, help="folder for validation.md and validation/ (default: docs)")
    parser.add_argument("--keep", type=Path, help="file that keeps verdicts, from which a run that was cut off goes on")
    parser.add_argument("--page", action="store_true", help="write the page anew from the tables, and run nothing")
    chosen = parser.parse_args()
    if chosen.page:
        publish(chosen.output or DOCS)
        return
    # Sections keep their numbers, from which worlds are drawn.
    wanted = {s: section for s, section in enumerate(SECTIONS) if chosen.only.lower() in section.heading.lower()}
    start, kept = time.monotonic(), Kept(chosen.keep)
    with ProcessPoolExecutor(chosen.processes) as pool:
        asked = {
            (s, r, t): (trial, max(2, round(chosen.worlds * row.worlds)))
            for s, section in wanted.items()
            for r, row in enumerate(section.rows)
            for t, trial in enumerate(row.trials)
        }
        jobs: dict[tuple[int, ...], Future[list[Verdict]]] = {
            key: pool.submit(verdicts, trial, key, worlds)
            for key, (trial, worlds) in asked.items()
            if kept.find((*key, worlds)) is None
        }
        results = []
        for s, section in wanted.items():
            judged = []
            for r, row in enumerate(section.rows):
                trials = []
                for t in range(len(row.trials)):
                    key = (s, r, t, asked[s, r, t][1])
                    found = kept.find(key)
                    trials.append(jobs[s, r, t].result() if found is None else found)
                    kept.add(key, trials[-1])
                judged.append(trials)
                sys.stderr.write(f"{time.monotonic() - start:5.0f} s  {section.heading}: {row.label}\n")
            results.append((section, judged))
    if chosen.only and chosen.output is None:
        with tempfile.TemporaryDirectory() as folder:
            write(results, Path(folder))
            sys.stdout.write("\n".join(path.read_text("utf-8") for path in sorted(Path(folder).iterdir())))
        return
    docs = chosen.output or DOCS
    write(results, docs / "validation")
    publish(docs)


def publish(docs: Path) -> None:
    """Write the page from its tables."""
    tables = docs / "validation"
    (docs / "validation.md").write_text(page(read(tables), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
