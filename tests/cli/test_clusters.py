"""`--cluster-column`: from a file to every command that says how sure something is."""

import json
from pathlib import Path

import numpy as np
import pytest

from support.entry import run

HEAD = "system,task,instance,passage,score\n"


def file(folder: Path) -> Path:
    rng = np.random.default_rng(1)
    hard = rng.normal(size=(2, 30))
    rows = [
        f"{system},{task},{task}{place},{task}-p{place // 5},{hard[number, place // 5] + rng.normal() + better / 9:.3f}"
        for better, system in enumerate("ABC")
        for number, task in enumerate(("rte", "sst2"))
        for place in range(150)
    ]
    path = folder / "scores.csv"
    path.write_text(HEAD + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("rank",),
        ("pairwise",),
        ("plan", "--method", "mean"),
        ("compare", "--control", "A", "--treatment", "C"),
        ("agree", "--methods", "mean,borda"),
        ("info",),
    ],
    ids=lambda command: command[0],
)
def test_every_command_takes_clusters(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = file(tmp_path)
    done = run(tmp_path, *command, path, "--cluster-column", "passage", "-f", "json")
    assert done.returncode == 0, done.stderr
    without = run(tmp_path, *command, path, "-f", "json")
    notes = [note for note in json.loads(done.stdout)["notes"] if note not in json.loads(without.stdout)["notes"]]
    assert bool(notes) == (command[0] not in {"agree", "info"})
    assert all("cluster" in note and len(note) <= 140 for note in notes)


def test_a_plan_counts_clusters(tmp_path: Path) -> None:
    done = run(tmp_path, "plan", file(tmp_path), "--cluster-column", "passage", "--method", "mean")
    assert "clusters needed" in done.stdout
    assert "clusters a task instead of 30" in done.stdout
    assert "note: there must be so many more clusters, as large as those there are" in done.stdout
