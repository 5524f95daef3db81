"""What `pip install podium` takes beside its peers: seconds, and megabytes on disk.

python benchmarks/installing.py

Each package is installed into a new environment, in turn. A first round fills a cache of downloads, so the network
plays no part in the others. pip compiles modules to bytecode, as it does unless told otherwise. It uses one core, so
processor time is what it takes on a quiet machine.
"""

import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from measure import Row

#: What answers some of the same questions.
PEERS = ("evalica", "autorank", "pymare", "inspect-ai")


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        pip("wheel", "--no-deps", "--wheel-dir", place, Path(__file__).parents[1])
        wanted = {"podium": str(next(place.glob("podium-*.whl"))), **{peer: peer for peer in PEERS}}
        times: dict[str, list[float]] = {name: [] for name in wanted}
        for turn in range(4):
            for name, what in wanted.items():
                seconds = install(what, place / name, place / "cache")
                if turn:
                    times[name].append(seconds)
        sizes = {name: megabytes(place / name) for name in wanted}
    seconds_of = {name: statistics.median(taken) for name, taken in times.items()}
    for peer in PEERS:
        yield Row(
            "`pip install podium`, without downloads",
            f"{seconds_of['podium']:.0f} CPU s",
            f"{peer}: {seconds_of[peer]:.0f} CPU s",
            seconds_of["podium"] / seconds_of[peer],
            "–",
        )
    for peer in PEERS:
        yield Row(
            "what that puts on the disk (without bytecode)",
            "{:.0f} MB ({:.0f} MB)".format(*sizes["podium"]),
            "{}: {:.0f} MB ({:.0f} MB)".format(peer, *sizes[peer]),
            sizes["podium"][0] / sizes[peer][0],
            "≤ 400 MB",
        )


def install(what: str, folder: Path, cache: Path) -> float:
    """Processor time that pip takes for a new environment, which itself has no pip."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pip("--python", folder, "install", "--cache-dir", cache, what)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pip(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", *map(str, arguments)], check=True)


def megabytes(folder: Path) -> tuple[float, float]:
    """Of the disk, with and without bytecode."""
    files = [path for path in folder.glob("lib/*/site-packages/**/*") if path.is_file() and not path.is_symlink()]
    sizes = [(path.suffix == ".pyc", path.stat().st_blocks * 512 / 1e6) for path in files]
    return sum(size for _, size in sizes), sum(size for compiled, size in sizes if not compiled)


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
