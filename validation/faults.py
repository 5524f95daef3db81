"""Faults of disks, processes and machines, one after the other: nothing may be lost, counted twice, or differ.

python validation/faults.py [--only WORDS] [--seed S]

Every module `fault_*.py` beside this file has a function `checks`, which yields names of faults, each with a function
that provokes it by chance of a generator and raises AssertionError where something is wrong.
"""

import argparse
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

Check = Callable[[random.Random], None]


def modules() -> list[str]:
    """Names of the modules with faults, in order."""
    return sorted(path.stem for path in Path(__file__).parent.glob("fault_*.py"))


def found(only: str = "") -> Iterator[tuple[str, Check]]:
    """Yield the faults whose names hold these words, as "disk: a full disk"."""
    for module in modules():
        for name, check in import_module(module).checks():
            whole = f"{module.removeprefix('fault_')}: {name}"
            if only.lower() in whole.lower():
                yield whole, check


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def passes(name: str, check: Check, seed: int) -> bool:
    """Provoke a fault, and print a line about it; its chance depends on the seed and its name alone."""
    start = time.monotonic()
    try:
        check(random.Random(f"{seed} {name}"))
    except Exception as error:  # noqa: BLE001  # whatever it is, the other faults are provoked, too
        say(f"FAILED  {time.monotonic() - start:6.1f} s  {name}: {error}")
        traceback.print_exception(error)
        return False
    say(f"passed  {time.monotonic() - start:6.1f} s  {name}")
    return True


def main() -> None:
    """Provoke all faults; leave with 1 where one failed, or there is none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="those with these words in their names")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    outcomes = [passes(name, check, chosen.seed) for name, check in found(chosen.only)]
    failed = outcomes.count(False)
    say(f"{len(outcomes) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not outcomes else 0)


if __name__ == "__main__":
    main()
