"""Disks that are full, and processes that are killed while they write: files are whole, or not there."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

#: Runs a command with files of so many bytes at most, where no small disk can be mounted.
_LIMITED = (
    "import os, resource, sys; size = int(sys.argv[1]); resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)); "
    "os.execv(sys.argv[2], sys.argv[2:])"
)

#: How often a process is killed.
_KILLS = 6

_MB, _PAGE = 2**20, 2**12


def checks() -> Iterator[tuple[str, Callable[[random.Random], None]]]:
    """Yield every fault, and what provokes it."""
    for name in ("table.parquet", "table.csv.gz", "table.feather", "table.jsonl"):
        yield f"no room for {name} of convert", partial(_no_room_for_file, ["convert", "{table}"], name)
    for name in ("board.json", "board.csv", "board.html", "board.parquet"):
        yield f"no room for {name} of rank", partial(_no_room_for_file, ["rank", "{wide}"], name)
    yield "no room for the folder of stress", _no_room_for_folder
    yield "convert is killed", partial(_killed, ["convert", "{table}"], "table.parquet")
    yield "convert of a folder is killed", _convert_of_folder_killed
    yield "stress is killed", partial(_killed, ["stress", "{small}", "--repeats", "40", "--jobs", "1"], "stress.json")


# A disk and a process


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[list[str]]:
    """Make a folder of so many bytes; give what has to be put before a command that writes there."""
    folder.mkdir(exist_ok=True)
    mount, umount = shutil.which("mount"), shutil.which("umount")
    command = [str(mount), "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if not (mount and umount) or subprocess.run(command, check=False, capture_output=True).returncode:
        # only root may; no file may then be larger
        yield [sys.executable, "-c", _LIMITED, str(size)]
        return
    try:
        yield []
    finally:
        subprocess.run([umount, "--lazy", str(folder)], check=True)


def podium(
    *arguments: str | Path, before: list[str] | None = None, temporary: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line."""
    environment = os.environ | ({} if temporary is None else {"TMPDIR": str(temporary)})
    command = [*(before or []), sys.executable, "-m", "podium", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, env=environment)


def refused(done: subprocess.CompletedProcess[bytes], *words: str) -> None:
    """Check that a command ended with a plain error."""
    said = done.stderr.decode()
    assert done.returncode == 2, f"exit code {done.returncode}: {said}"
    error = [line for line in said.splitlines() if line.startswith("error: ")]
    assert len(error) == 1, said
    assert "Traceback" not in said, said
    assert all(word in error[0] for word in words), f"{words} not in {error[0]}"


# Tables


def long_table(path: Path, rng: random.Random, *, rows: int, instances: int, shuffled: bool = False) -> Path:
    """Write some scores of 40 systems on two tasks."""
    chance = np.random.default_rng(rng.randrange(2**32))
    cells = chance.choice(2 * 40 * instances, rows, replace=False)
    cells = chance.permutation(cells) if shuffled else np.sort(cells)
    task, system, instance = np.unravel_index(cells, (2, 40, instances))
    names = np.array([f"s{number}" for number in range(40)])
    columns = {"task": task, "system": names[system], "instance": instance, "score": chance.normal(size=rows)}
    pq.write_table(pa.table(columns), path)
    return path


def tables(folder: Path, rng: random.Random) -> dict[str, Path]:
    """Write the tables that commands name in braces."""
    table = long_table(folder / "table-in.parquet", rng, rows=200_000, instances=4_000)
    small = long_table(folder / "small-in.parquet", rng, rows=2_000, instances=40)
    wide = folder / "wide-in.csv"
    rows = (f"system-{number}" + "".join(f",{rng.random():.6f}" for _ in range(30)) for number in range(60))
    lines = ["system," + ",".join(f"t{number}" for number in range(30)), *rows, ""]
    wide.write_text("\n".join(lines))
    (folder / "old-in.csv").write_text("\n".join(lines[:4]))
    return {"table": table, "small": small, "wide": wide}


def filled(command: list[str], places: dict[str, Path]) -> list[str]:
    """Put the paths of tables into a command."""
    return [word.format(**places) for word in command]


# Full disks


def _no_room_for_file(command: list[str], output: str, rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        typed = filled(command, tables(folder, rng))
        assert podium(*typed, "-o", folder / output).returncode == 0
        whole = (folder / output).read_bytes()
        old = folder / f"old-{output}"  # a result of before, which is replaced
        earlier = filled(command, {"table": folder / "small-in.parquet", "wide": folder / "old-in.csv"})
        assert podium(*earlier, "-o", old).returncode == 0
        for content in (None, old.read_bytes()):
            for share in (0.0, rng.random(), 0.97):
                small, room = folder / "small", _PAGE * int(share * len(whole) / _PAGE)
                held = 0 if content is None else -(-len(content) // _PAGE) * _PAGE
                with small_disk(small, max(held + room, _PAGE)) as before:
                    (small / output).unlink(missing_ok=True)
                    if content is not None:
                        (small / output).write_bytes(content)
                    refused(podium(*typed, "-o", small / output, before=before), str(small / output))
                    kept = {} if content is None else {output: content}
                    assert _contents(small) == kept, f"{_contents(small).keys()} are left, of {kept.keys()}"
        assert podium(*typed, "-o", folder / output).returncode == 0
        assert (folder / output).read_bytes() == whole, "with room again, other bytes"


def _no_room_for_folder(rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        typed = filled(["stress", "{small}", "--repeats", "2", "--jobs", "1"], tables(folder, rng))
        assert podium(*typed, "-o", folder / "whole").returncode == 0
        whole = _contents(folder / "whole")
        size = max(rng.randrange(sum(map(len, whole.values()))) // _PAGE * _PAGE, _PAGE)
        with small_disk(folder / "small", size) as before:
            refused(podium(*typed, "-o", folder / "small" / "out", before=before))
            found = _contents(folder / "small" / "out")
        for path, content in found.items():
            assert whole[path] == content, f"{path} is there, and not whole"


def _contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their paths in it."""
    paths = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


# Kills


def killed(command: list[str], seconds: float, temporary: Path | None = None) -> int:
    """Run the command line, and kill it after so many seconds; return its exit code."""
    environment = os.environ | ({} if temporary is None else {"TMPDIR": str(temporary)})
    with subprocess.Popen(
        [sys.executable, "-m", "podium", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.wait()


def _killed(command: list[str], output: str, rng: random.Random, places: dict[str, Path] | None = None) -> None:
    """Kill a command at moments drawn by chance: its file is the old one, or the new one; then it is run to the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        typed = filled(command, places or tables(folder, rng))
        start = time.monotonic()
        assert podium(*typed, "-o", folder / f"whole-{output}").returncode == 0
        lasted, whole = time.monotonic() - start, (folder / f"whole-{output}").read_bytes()
        path = folder / "out" / output
        path.parent.mkdir()
        for turn in range(_KILLS):
            if turn == _KILLS // 2:
                path.write_bytes(whole)
            before = path.read_bytes() if path.exists() else None
            killed([*typed, "-o", str(path)], rng.uniform(0.2, 1.0) * lasted)
            now = path.read_bytes() if path.exists() else None
            assert now in (before, whole), "the file is neither the old one nor the new one"
        done = podium(*typed, "-o", path)
        assert done.returncode == 0, done.stderr.decode()
        assert path.read_bytes() == whole, "run again, other bytes"
        left = {one.name for one in path.parent.iterdir()} - {output}
        assert all(one.startswith(f".{output}.") for one in left), f"left: {left}"


def _convert_of_folder_killed(rng: random.Random) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "logs"
        for number in range(12):
            _log(folder, f"m{number}", rng)
        _killed(["convert", "{logs}"], "table.parquet", rng, {"logs": folder})


def _log(folder: Path, model: str, rng: random.Random) -> None:
    """Write results of a model as lm-evaluation-harness does."""
    (folder / model).mkdir(parents=True)
    stamp, scores = "2026-11-21T01-42-47.288903", {}
    for task in ("arc_easy", "boolq", "piqa", "rte", "sst2"):
        scores[task] = [float(rng.random() < 0.7) for _ in range(400)]
        samples = (
            {"doc_id": place, "doc": {}, "filter": "none", "acc": score} for place, score in enumerate(scores[task])
        )
        lines = "".join(json.dumps(sample) + "\n" for sample in samples)
        (folder / model / f"samples_{task}_{stamp}.jsonl").write_text(lines)
    results = {
        "results": {task: {"alias": task, "acc,none": sum(own) / len(own)} for task, own in scores.items()},
        "configs": {task: {"task": task} for task in scores},
        "higher_is_better": {task: {"acc": True} for task in scores},
        "n-samples": {task: {"original": len(own), "effective": len(own)} for task, own in scores.items()},
        "model_name": model,
        "config": {},
    }
    (folder / model / f"results_{stamp}.json").write_text(json.dumps(results))
