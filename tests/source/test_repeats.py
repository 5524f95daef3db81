"""Columns of repeats and of clusters, in every layout; and what is wrong with some."""

import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError
from podium.score.task import PART
from podium.source import collect
from support.entry import answer, run

LONG = """system,task,item,seed,score
A,t,2,s1,1
A,t,2,s2,0
A,t,10,s1,1
B,t,10,s2,1
B,t,10,s1,0
B,t,10,s3,0
B,t,2,s1,
A,u,1,s1,1
B,u,1,s9,0
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text)
    return path


def test_weights_and_clusters_are_those_of_instances(tmp_path: Path) -> None:
    rows = [
        f"{system},{item},{seed},p{item % 3},{item + 1},{(item + seed) % 2}"
        for system in "AB" for item in range(6) for seed in range(3)
    ]  # fmt: skip
    path = write(tmp_path, "\n".join(["system,item,seed,cluster,w,score", *rows]))
    task = podium.read(path, repeat_column="seed", instance_column="item", weight_column="w").tasks[0]
    assert task.instance_weights is not None
    assert task.clusters is not None
    assert task.instance_weights.tolist() == [1, 2, 3, 4, 5, 6]
    assert task.clusters.labels == ("p0", "p1", "p2", "p0", "p1", "p2")
    wrong = write(tmp_path, path.read_text().replace("B,4,2,p1", "B,4,2,p0").replace("A,4,2,p1", "A,4,2,p0"))
    with pytest.raises(InputError, match="task 'score', instance '4': its repeats have different clusters"):
        podium.read(wrong, repeat_column="seed", instance_column="item", weight_column="w")


@pytest.mark.parametrize("labels", ["number", "text", "far apart"])
def test_rows_of_repeats_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: str) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, size=(2, 3000, 4))
    name = {"number": "{}", "text": "q{}", "far apart": "{}000000000000000"}[labels]
    rows = [
        f"{system},{name.format(item)},{seed},{values[system, item, seed]}"
        for system, item, seed in rng.permutation(list(np.ndindex(2, 3000, 4))).tolist()
    ]
    path = write(tmp_path, "\n".join(["system,instance,repeat,score", *rows]))
    monkeypatch.setattr(collect, "LARGE", 1)
    scores = podium.read(path, statistic="pass@3")
    expected = podium.from_arrays({"score": values.astype(float)}, statistic="pass@3").tasks[0].values
    step = 10**15 if labels == "far apart" else 1
    places = [int(str(label).removeprefix("q")) // step for label in np.asarray(scores.tasks[0].instances).tolist()]
    assert_array_equal(scores.tasks[0].values, expected[list(map(int, scores.systems))][:, places])


def test_an_error_advises_what_works(tmp_path: Path) -> None:
    for text, flags in (
        (LONG.replace("seed", "nr"), ["--system-column system,nr", "--repeat-column", "--statistic mean"]),
        (
            "name,size,date,a,b\nA,xl,1999-01-01,1,2\nA,xl,1999-01-02,3,3\nB,s,1999-01-01,5,6\n",
            ["--repeat-column date"],
        ),
        ("model,sample_id,doc_id,ok\nA,1,1,1\nA,2,1,0\nA,1,2,0\nB,1,1,1\nB,2,1,1\n", ["--instance-column doc_id"]),
        ("model,task,score\nA,t,0.5000001\nA,t,0.5000003\nB,t,1\n", ["--statistic mean", "--keep-first"]),
    ):
        path = write(tmp_path, text)
        error = run(tmp_path, "rank", path).stderr
        for flag in flags:
            assert flag in error
        offered = re.findall(r"\((--[^)]*)\)(?: and [a-z_]+='\w+' \((--[^)]*)\))?", error)
        for typed in offered:
            done = run(tmp_path, "rank", path, *shlex.split(" ".join(typed)))
            assert done.returncode == 0, (typed, done.stderr)
    assert "--repeat-column" not in error, "no column tells rows apart"


def test_rows_with_the_same_labels_may_be_repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = [(system, task, item, float(rng.integers(9))) for system in "AB" for task in "tu" for item in range(40)] * 3
    rows = [(system, task, item, score + number) for number, (system, task, item, score) in enumerate(rows)]
    rng.shuffle(rows)
    frame = pa.table(dict(zip(("system", "task", "item", "score"), zip(*rows, strict=True), strict=True)))
    monkeypatch.setattr("podium.source.columnar._BATCH", 7)
    scores = podium.from_frame(frame, statistic="mean")
    cells: dict[tuple[str, str, int], list[float]] = {}
    for system, task, item, score in rows:
        cells.setdefault((system, task, int(item)), []).append(float(score))
    for (system, task, item), some in cells.items():
        got = scores.tasks[scores.task_names.index(task)].values[scores.systems.index(system), item]
        assert got == pytest.approx(np.mean(some))
    assert "each score is the mean of 3 repeats (rows with the same labels)" in scores.notes
    with pytest.raises(InputError, match=r"statistic='max' \(--statistic\) is over repeats, and no two rows are such"):
        podium.read(write(tmp_path, "system,task,score\nA,t,1\n"), statistic="max")


def test_on_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path, LONG)
    done = run(tmp_path, "rank", path, "--repeat-column", "seed", "--statistic", "max", "-f", "json")
    assert done.returncode == 0, done.stderr
    assert "each score is the max of 1–3 repeats (column 'seed')" in done.stdout
    lost = "model,task,seed,score\na,t,1,0.9\na,t,2,\na,t,3,OOM\nb,t,1,0.8\nb,t,2,0.85\nb,t,3,0.84\n"
    assert "note: 2 of 6 runs have no score: 'a' on 't' (2)" in answer(tmp_path, "info", write(tmp_path, lost))


def test_draws_of_repeats_on_the_command_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"{system},{item},{seed},{rng.random() < item / 20:d}"
        for system in "ABC" for item in range(20) for seed in range(4)
    ]  # fmt: skip
    path = write(tmp_path, "\n".join(["system,instance,seed,score", *rows]))
    ask = ("rank", path, "--repeat-column", "seed", "--units", "repeats", "--replicates", "100")
    done = run(tmp_path, *ask, "--explain")
    assert done.returncode == 0, done.stderr
    assert "note: intervals are for other repeats of the same instances" in done.stdout
    assert "100 bootstrap replicates of the repeats of the same instances, seed 0" in done.stdout
    done = run(tmp_path, *ask, "--statistic", "pass@4")
    assert done.returncode == 2
    assert "4 repeats are too few to show how 'pass@4' varies" in done.stderr
    once = write(tmp_path, "system,instance,score\nA,1,1\nA,2,0\nB,1,0\nB,2,0\n")
    done = run(tmp_path, "rank", once, "--units", "repeats")
    assert done.returncode == 2
    assert "no task has repeats to draw; name their column with --repeat-column" in done.stderr


def test_a_task_of_two_parts(tmp_path: Path) -> None:
    size = PART + 50
    rows = [f"{s},{i},c{i * 7 % 40},{(i * s) % 5}" for i in range(size) for s in (1, 2)]
    path = write(tmp_path, "\n".join(["system,instance,cluster,score", *rows]) + "\n")
    (task,) = podium.read(path).tasks
    assert task.clusters is not None
    assert task.clusters.labels == tuple(f"c{i * 7 % 40}" for i in range(size))
