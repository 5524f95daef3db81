"""`podium history`: files as steps, dates, every format, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import podium
from support.entry import run


def write(folder: Path, name: str, gain: float = 0.0, systems: str = "ABCD", tasks: str = "xyz") -> Path:
    """Write a long table of systems on tasks, of which the last gains."""
    lines = ["task,system,instance,score"]
    for task in tasks:
        for place, system in enumerate(systems):
            rng = np.random.default_rng([ord(task), ord(system)])
            lines += [
                f"{task},{system},{task}{k},{rng.normal() - place + gain * (system == 'D'):.4f}" for k in range(60)
            ]
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def steps(tmp_path: Path) -> list[Path]:
    """Three versions: a system gains, and another comes with a task."""
    return [
        write(tmp_path, "2026-01.csv"),
        write(tmp_path, "2026-02.csv", gain=5.0),
        write(tmp_path, "2026-03.csv", gain=5.0, systems="ABCDE", tasks="wxyz"),
    ]


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "old/scores.csv")
    write(tmp_path, "new/scores.csv")
    done = run(tmp_path, "history old/scores.csv new/scores.csv -f json")
    assert [step["step"] for step in json.loads(done.stdout)["steps"]] == ["old", "new"]


def test_dates_of_a_file_are_steps(tmp_path: Path) -> None:
    table = write(tmp_path, "scores.csv")
    dates = tmp_path / "released.csv"
    dates.write_text("model,release_date\nA,2026-02-01\nB,2026-01-01\nC,2026-01-01\nX,2026-03-01\n", encoding="utf-8")
    done = run(tmp_path, "history", table, "--dates", dates, "--verbose")
    assert done.returncode == 0
    assert "• A entered in first place in 2026-02-01 (95% rank 1)" in done.stdout
    assert "note: no date, so there from the first step on: D" in done.stdout
    assert "note: not used: dates of systems that the table does not have: X" in done.stdout


def test_dates_of_rows_are_steps(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = [
        ("x", "A", "2026-01-05", 1),
        ("x", "B", "2026-01-06", 2),
        ("y", "A", "2026-02-01", 3),
        ("y", "B", "2026-02-02", 1),
    ]
    path.write_text("\n".join(["task,system,day,score", *(",".join(map(str, row)) for row in rows)]), encoding="utf-8")
    done = run(tmp_path, "history", path, "--date-column", "day", "-f", "json")
    content = json.loads(done.stdout)
    assert [(step["step"], step["n_tasks"], step["tasks_added"]) for step in content["steps"]] == [
        ("2026-01-06", 1, []),
        ("2026-02-01", 2, ["y"]),
        ("2026-02-02", 2, []),
    ]
    assert any(note.startswith("before 2026-01-06") for note in content["notes"])


def test_versions_of_a_board_are_steps(tmp_path: Path, steps: list[Path]) -> None:
    board = str(tmp_path / "board")
    for step in ("A", "B", "CDE"):  # the first version has one system, and so nothing to rank
        podium.add(board, podium.read(steps[2], systems=list(step)))
    podium.boards.compact(board)
    told = json.loads(run(tmp_path, "history", board, "-f", "json").stdout)
    assert [step["step"] for step in told["steps"]] == ["version 1", "version 2"]
    assert "before version 1 there were fewer than two systems, so the history begins there" in told["notes"]
    whole = podium.history({"version 1": podium.read(board, as_of=1), "version 2": podium.read(board)})
    direct = podium.history(board).to_dict()
    assert direct.pop("notes") == [told["notes"][0], *whole.notes]
    assert direct == {name: value for name, value in whole.to_dict().items() if name != "notes"}
    few = run(tmp_path, "history", board, "--each", "day")
    assert (few.returncode, "has 1 version with two systems" in few.stderr) == (2, True)
    none = run(tmp_path, "history", steps[0], "--each", "day")
    assert (none.returncode, "--each is about the versions of a board" in none.stderr) == (2, True)


def test_one_system_has_scores_over_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(200)
    for name, share in (("may", 0.5), ("june", 0.7)):
        rows = [f"m,t,q{item},{int(own < share)}" for item, own in enumerate(hard)]
        (tmp_path / f"{name}.csv").write_text("system,task,instance,score\n" + "\n".join(rows) + "\n", "utf-8")
    for method in ((), ("--method", "mean")):
        done = run(tmp_path, "history", "may.csv", "june.csv", *method)
        assert "• june: 20 percentage points better than may, 95% CI 14 to 25" in done.stdout
    refused = run(tmp_path, "history may.csv june.csv --method copeland")
    assert (refused.returncode, "--method mean" in refused.stderr) == (2, True)
    history = podium.history([str(tmp_path / "may.csv"), str(tmp_path / "june.csv")])
    ax = podium.plots.history(history)
    assert ax.get_ylabel() == "score"
    assert ax.lines[0].get_ydata() == pytest.approx([step.ranking.score[0] for step in history.steps])


def logs(folder: Path, days: tuple[int, ...], model: str = "m") -> None:
    """Write results as lm-eval leaves them with one output path: those of a day are worse than those before."""
    folder.mkdir(exist_ok=True)
    for day in days:
        made = f"2026-01-{day:02}T00-00-00.000000"
        told = {"results": {"qa": {"acc,none": 0.5}}, "configs": {}, "n-shot": {}, "model_name": model, "config": {}}
        (folder / f"results_{made}.json").write_text(json.dumps(told), "utf-8")
        rows = [
            {"doc_id": k, "doc": {}, "resps": [], "filter": "none", "metrics": ["acc"], "acc": float(k % 12 > day)}
            for k in range(60)
        ]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"samples_qa_{made}.jsonl").write_text(text, "utf-8")


def test_runs_of_one_system_in_a_folder_are_steps(tmp_path: Path) -> None:
    logs(tmp_path / "all", (1, 2, 9))
    done = run(tmp_path, "history", "all", "-f", "json")
    rows = json.loads(done.stdout)["systems"]
    assert [(row["step"], row["system"], row["score"]) for row in rows] == [
        ("2026-01-01", "m", pytest.approx(10 / 12)),
        ("2026-01-02", "m", pytest.approx(9 / 12)),
        ("2026-01-09", "m", pytest.approx(2 / 12)),
    ]
    assert podium.history(str(tmp_path / "all")).rows() == rows
    dated = run(tmp_path, "history", "all", "--date-column", "date")
    assert (
        dated.returncode,
        "leave it out: in a folder of logs of one system, each run is a step" in dated.stderr,
    ) == (2, True)
    logs(tmp_path / "one", (1,))
    assert (
        "and one is one: put the logs of each date into a folder of its own" in run(tmp_path, "history", "one").stderr
    )


def test_patterns_are_steps_and_a_folder_of_tables_says_how(tmp_path: Path, steps: list[Path]) -> None:
    named = json.loads(run(tmp_path, "history", *(path.name for path in steps), "-f", "json").stdout)
    (tmp_path / "months").mkdir()
    for path in steps:
        path.rename(tmp_path / "months" / path.name)
    assert json.loads(run(tmp_path, "history", "months/*.csv", "-f", "json").stdout) == named
    assert podium.history(str(tmp_path / "months" / "*.csv")).rows() == named["systems"]
    assert "as in podium history months/*.csv;" in run(tmp_path, "history", "months").stderr


def test_steps_without_a_common_system_say_so_first(tmp_path: Path) -> None:
    first = write(tmp_path, "a.csv", systems="AB")
    done = run(tmp_path, "history", first, write(tmp_path, "b.csv", systems="CD"))
    assert "• a (B, A) and b (D, C) have no system in common, so nothing is compared" in done.stdout.replace(
        "(A, B)", "(B, A)"
    ).replace("(C, D)", "(D, C)")
