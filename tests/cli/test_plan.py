"""`podium plan`: every format, what is cut short for people, and what is refused."""

from pathlib import Path

import podium
from support.entry import run, run_script, wide


def instances(folder: Path) -> Path:
    """Write a long table of three systems on two tasks, one of which lacks a half of one task."""
    scores = podium.simulate.gumbel(3, 2, 60, dispersion=0.4, rng=0).scores
    lines = [
        f"{task.name},{system},{k},{float(task.values[row, k])!r}"
        for task in scores.tasks
        for row, system in enumerate(scores.systems)
        for k in range(60)
        if (task.name, row) != ("task 2", 1) or k < 30
    ]
    path = folder / "long.csv"
    path.write_text("\n".join(["task,system,instance,score", *lines]), encoding="utf-8")
    return path


def test_the_table_has_neighbours_and_missing_scores(tmp_path: Path) -> None:
    done = run_script(tmp_path, "plan", instances(tmp_path), "--method", "mean", "-q", "--verbose")
    assert (done.returncode, done.stderr) == (0, "")
    plan = podium.plan(podium.read(tmp_path / "long.csv"))
    assert done.stdout.startswith("mean: 3 systems, ")
    lines = [line.split() for line in done.stdout.splitlines()]
    head = (
        "system next difference std error separated instances now instances needed comparisons now comparisons needed"
    )
    assert head.split() in lines
    assert ["system", "2", "task", "2", "50%", f"{plan.cells[0].value:.3f}"] in lines
    assert "note: comparisons needed: another question, " in done.stdout


def test_too_few_units_are_said_and_leave_no_empty_columns(tmp_path: Path) -> None:
    done = run(tmp_path, "plan", "dataset:xtreme-missing", "--missing", "imputed", "--verbose")
    assert (done.returncode, done.stderr) == (0, "")
    assert "note: no intervals: 4 tasks cannot show" in done.stdout
    assert "std error" not in done.stdout
    assert "comparisons needed" in done.stdout
    assert done.stdout.count("never") >= 1


def test_csv_says_what_it_leaves_out(tmp_path: Path) -> None:
    done = run(tmp_path, "plan", wide(tmp_path), "--lower", "ter", "-f", "csv", "-o", "plan.csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert "note: these are the pairs only; -f json or -f table has the missing scores too" in done.stderr
    assert (tmp_path / "plan.csv").read_text(encoding="utf-8").startswith("system,other,difference,")
