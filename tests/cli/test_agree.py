"""`podium agree`: every format, what is cut short for people, and what is refused."""

from pathlib import Path

from support.entry import run_script


def many(folder: Path, count: int) -> Path:
    """Write a table whose mean, pulled by one task, orders the systems in another way than their ranks."""
    path = folder / "many.csv"
    rows = [f"s{index:02},{index},{index},{10 * (index * 7 % count)}" for index in range(count)]
    path.write_text("\n".join(["system,a,b,c", *rows]), encoding="utf-8")
    return path


def test_the_table_has_the_matrix_the_pairs_and_who_moves(tmp_path: Path) -> None:
    done = run_script(tmp_path, "agree", "dataset:xtreme-missing", "--methods", "mean,borda", "--verbose")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.startswith("2 rankings of 9 systems: tau-b from 0.085 to 0.085\n")
    assert ["mean", "1.000", "0.085"] in lines
    assert ["borda:task", "0.085", "1.000"] in lines
    assert ["mean", "/", "borda:task", "0.458", "0.000", "0.333", "0.400"] in lines
    assert ["who", "moves", "best", "worst", "spread", "mean", "borda:task"] in lines
    assert ["M9", "5", "9", "4", "5", "9"] in lines
    assert done.stdout.count("note: mean: 18 of 40 scores are missing") == 1
    assert "note: left out: M5 (no rank by mean, borda:task)" in done.stdout
